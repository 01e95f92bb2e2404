"""Programs of the runner that must not type-check. Never run.

Each ``type: ignore`` is the assertion that its line is an error: both checkers report one that is
not needed.
"""

from __future__ import annotations

from typing import Any

from swingbridge import (
    AsyncResponsesToolLedger,
    AsyncResponsesToolRunner,
    ContextBudget,
    ContextBudgetDecision,
    ContextBudgetSnapshot,
    EarlyExecution,
    McpApprovalRequest,
    ResponsesRunnerTurn,
    ResponsesToolCheckpoint,
    ResponsesToolLedger,
    ResponsesToolRunner,
    UsageSummary,
)

PARAMS: dict[str, object] = {}


def save(checkpoint: ResponsesToolCheckpoint) -> None:
    checkpoint["version"] = 2  # type: ignore[typeddict-item]
    checkpoint["phase"] = "over"  # type: ignore[typeddict-item]
    print(checkpoint["revisions"])  # type: ignore[typeddict-item]
    checkpoint["attempted_call_ids"].append(5)  # type: ignore[arg-type]


async def save_later(checkpoint: ResponsesToolCheckpoint) -> None: ...


def approve(request: McpApprovalRequest) -> bool:
    return request.approved  # type: ignore[attr-defined, no-any-return]


def approve_with_words(request: McpApprovalRequest) -> str:
    return request.name


async def compact_later(snapshot: ContextBudgetSnapshot) -> ContextBudgetDecision:
    return {"drop_call_ids": snapshot["call_ids"]}  # type: ignore[typeddict-item]


def compact(snapshot: ContextBudgetSnapshot) -> ContextBudgetDecision:
    return {"summary": "x"}  # type: ignore[typeddict-item]


def compact_more(snapshot: ContextBudgetSnapshot) -> ContextBudgetDecision:
    return {"drop_call_ids": [], "more": 1}  # type: ignore[typeddict-unknown-key]


EARLY: EarlyExecution = {"functions": "lookup"}  # type: ignore[typeddict-item]
UNKNOWN: EarlyExecution = {"computers": True}  # type: ignore[typeddict-unknown-key]
SHORT: ContextBudget = {"max_input_bytes": 1}  # type: ignore[typeddict-item]
LATER: ContextBudget = {
    "max_input_bytes": 1,
    "max_input_images": 0,
    "compact": compact_later,  # type: ignore[typeddict-item]
}


def use_the_runner(client: Any) -> None:
    runner = ResponsesToolRunner(early_execution={"computer": 1})  # type: ignore[arg-type]
    runner.run(client, PARAMS, 3)  # type: ignore[call-arg]
    runner.run(client, PARAMS, stream="yes")  # type: ignore[arg-type]
    runner.run(client, PARAMS, max_concurrent_calls=None)  # type: ignore[arg-type]
    runner.run(client, PARAMS, finish_at_limits=True)  # type: ignore[call-arg]
    runner.run(client, PARAMS, approve_mcp=approve_with_words)  # type: ignore[arg-type]
    runner.run(client, PARAMS, before_early_call=approve)  # type: ignore[arg-type]
    runner.run(client, PARAMS, ledger=AsyncResponsesToolLedger("r", save_later))  # type: ignore[arg-type]
    runner.run(client, PARAMS, ledger={"run_id": "r"})  # type: ignore[arg-type]
    runner.run(client, PARAMS, context_budget=5)  # type: ignore[arg-type]
    ResponsesToolLedger("r")  # type: ignore[call-arg]
    ResponsesToolLedger(5, save)  # type: ignore[arg-type]
    ResponsesToolLedger("r", save).run_id = "s"  # type: ignore[misc]
    AsyncResponsesToolLedger("r", save)  # type: ignore[arg-type]


async def use_the_async_runner(client: Any) -> None:
    runner = AsyncResponsesToolRunner()
    await runner.run(client, PARAMS, on_event=print)  # type: ignore[arg-type]
    await runner.run(client, PARAMS, approve_mcp=approve)  # type: ignore[arg-type]
    list(runner.iterate(client, PARAMS))  # type: ignore[call-overload]


def use_a_turn(turn: ResponsesRunnerTurn, usage: UsageSummary) -> None:
    turn.step = 2  # type: ignore[misc]
    turn.append_user_text(5)  # type: ignore[arg-type]
    turn.supply_outputs("x")  # type: ignore[arg-type]
    usage.requests = 0  # type: ignore[misc]
    print(turn.failed)  # type: ignore[attr-defined]
