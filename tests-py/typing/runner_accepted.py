"""Programs of the runner that must type-check. Never run."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator
from typing import Any, Literal

from swingbridge import (
    AsyncContextBudget,
    AsyncResponsesToolLedger,
    AsyncResponsesToolRunner,
    ComputerCall,
    ContextBudget,
    ContextBudgetDecision,
    ContextBudgetSnapshot,
    EarlyCall,
    EarlyExecution,
    FunctionToolCall,
    McpApprovalRequest,
    RegisteredFunction,
    ResponsesRunnerTurn,
    ResponsesToolCheckpoint,
    ResponsesToolLedger,
    ResponsesToolRunner,
    ToolRunnerError,
    TurnError,
    UsageSummary,
)


class Responses:
    def create(self, **params: object) -> object:
        return params


class Client:
    responses = Responses()


PARAMS: dict[str, object] = {"model": "m", "input": "x"}
saved: list[ResponsesToolCheckpoint] = []


def save(checkpoint: ResponsesToolCheckpoint) -> None:
    revision: int = checkpoint["revision"]
    phase: Literal["boundary", "pending", "final"] = checkpoint["phase"]
    ids: list[str] = [*checkpoint["attempted_call_ids"], *checkpoint["returned_call_ids"]]
    print(revision, phase, ids, checkpoint["final_response"] is None)
    saved.append(checkpoint)


async def save_later(checkpoint: ResponsesToolCheckpoint) -> int:
    return checkpoint["consumed_requests"]


def compact(snapshot: ContextBudgetSnapshot) -> ContextBudgetDecision:
    size: int = snapshot["input_bytes"] + snapshot["input_images"]
    print(size, len(snapshot["history"]))
    return {"drop_call_ids": snapshot["eligible_call_ids"], "summary": "done"}


async def compact_later(snapshot: ContextBudgetSnapshot) -> ContextBudgetDecision:
    return {"drop_call_ids": snapshot["eligible_call_ids"]}


def on_event(event: Any) -> None:
    print(event.type)


def approve(request: McpApprovalRequest) -> bool:
    words: str = request.server_label + request.name + request.arguments + request.id
    match request:
        case McpApprovalRequest("shop", name):
            return bool(name)
        case _:
            return bool(words)


def decide(call: EarlyCall) -> Literal["execute", "defer"]:
    if isinstance(call, ComputerCall):
        return "defer"
    name: str = call.name + call.arguments
    match call:
        case FunctionToolCall(name="lookup"):
            return "execute"
        case _:
            return "execute" if name else "defer"


async def on_event_later(event: Any) -> None:
    on_event(event)


async def approve_later(request: McpApprovalRequest) -> bool:
    return approve(request)


async def decide_later(call: EarlyCall) -> Literal["execute", "defer"]:
    return decide(call)


EARLY: EarlyExecution = {"functions": ["lookup"]}
NONE: EarlyExecution = {}
BUDGET: ContextBudget = {"max_input_bytes": 1, "max_input_images": 0, "compact": compact}
SHORT: ContextBudget = {"max_input_bytes": 1, "max_input_images": 0}
LATER: AsyncContextBudget = {
    "max_input_bytes": 1,
    "max_input_images": 0,
    "keep_recent_screenshots": 2,
    "compact": compact_later,
}
EITHER: AsyncContextBudget = {"max_input_bytes": 1, "max_input_images": 0, "compact": compact}


def look_up(arguments: dict[str, object]) -> str:
    return str(arguments)


def run_everything() -> object:
    usage = UsageSummary()
    function = RegisteredFunction({"type": "function", "name": "lookup"}, look_up)
    runner = ResponsesToolRunner(functions=[function], early_execution=EARLY)
    response = runner.run(
        Client(),
        PARAMS,
        max_steps=3,
        stream=True,
        eager=True,
        max_concurrent_calls=4,
        on_event=on_event,
        ledger=ResponsesToolLedger("run", save, resume_from=saved[-1]),
        context_budget=BUDGET,
        on_diagnostic=usage,
        approve_mcp=approve,
        before_early_call=decide,
        finish_at_limit=True,
    )
    total: int = usage.requests + usage.counted + usage.total_tokens
    total += usage.input_tokens + usage.output_tokens
    incomplete: bool = usage.incomplete
    return response, total, incomplete


def go_turn_by_turn() -> tuple[str, ...]:
    runner = ResponsesToolRunner(early_execution=NONE)
    turns: Generator[ResponsesRunnerTurn, None, None] = runner.iterate(
        Client(), PARAMS, context_budget=SHORT
    )
    ids: tuple[str, ...] = ()
    try:
        for turn in turns:
            ids = turn.attempted_call_ids + turn.completed_call_ids
            flags: list[bool] = [turn.final, turn.tools_executed, turn.tools_withheld]
            if turn.step > 1 and not any(flags):
                turn.supply_outputs(
                    [{"type": "function_call_output", "call_id": "c", "output": "x"}]
                )
                turn.append_user_text("go on")
    except TurnError as error:
        return (error.code.upper(),)
    except ToolRunnerError as error:
        return error.completed_call_ids
    return ids


async def run_later(client: Any) -> object:
    runner = AsyncResponsesToolRunner()
    turns: AsyncGenerator[ResponsesRunnerTurn, None] = runner.iterate(
        client, PARAMS, stream=True, on_event=on_event_later, context_budget=EITHER
    )
    async for turn in turns:
        print(turn.response)
    return await runner.run(
        client,
        PARAMS,
        ledger=AsyncResponsesToolLedger("run", save_later),
        context_budget=LATER,
        on_diagnostic=UsageSummary(),
        approve_mcp=approve_later,
        before_early_call=decide_later,
    )
