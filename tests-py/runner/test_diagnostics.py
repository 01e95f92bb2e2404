"""Records of a run (R-60, B-52)."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import warnings
from typing import Any

import pytest

from api.kit import CLICK, Kit
from runner.bench import DECLARATION, PARAMS, Bench
from runner.endpoint import function_call, message, response
from runner.streams import events
from runner.test_mcp import MCP
from runner.test_mcp import request as mcp_request
from swingbridge import (
    AsyncRegisteredFunction,
    ClosedError,
    ToolRunnerCancelledError,
    ToolRunnerError,
)


def test_requests_and_browser_calls_are_told_in_order(bench: Bench) -> None:
    records: list[Any] = []
    toolset = bench.kit.toolset(members=["click"])
    item = function_call("browser_click", CLICK)
    client = bench.client(response(item), response(message()))
    bench.run(bench.runner(browser=toolset), client, on_diagnostic=records.append)

    told = [(record["api"], record["stage"], record["reason"]) for record in records]
    assert told == [
        ("responses", "request", "completed"),
        ("browser", "approval", "completed"),
        ("browser", "action", "completed"),
        ("responses", "request", "completed"),
    ]
    assert records[0]["usage"] == {"input_tokens": 3, "output_tokens": 2, "total_tokens": 5}
    assert records[0]["call_id"] is None
    assert records[0]["duration_ms"] >= 0
    assert records[1]["call_id"] == item["call_id"]
    assert records[1]["member"] == "click"


@pytest.mark.parametrize(
    "usage",
    [
        None,
        {},
        "many",
        {"input_tokens": 1},
        {"input_tokens": -1, "output_tokens": 2, "total_tokens": 3},
        {"input_tokens": "1", "output_tokens": 2, "total_tokens": 3},
    ],
)
def test_usage_is_all_or_nothing(bench: Bench, usage: Any) -> None:
    records: list[Any] = []
    client = bench.client(response(message(), usage=usage))
    bench.run(bench.runner(), client, on_diagnostic=records.append)
    assert [record["usage"] for record in records] == [None]


def test_an_observer_changes_nothing_and_leaks_nothing(bench: Bench) -> None:
    async def asynchronous(_record: Any) -> None:
        raise AssertionError

    def raising(_record: Any) -> None:
        raise OSError

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for observer in (asynchronous, raising, dict.clear, 5):
            client = bench.client(response(message()))
            assert bench.run(bench.runner(), client, on_diagnostic=observer)["output"]
        gc.collect()


def test_a_switch_that_the_observer_throws_counts(bench: Bench) -> None:
    switch: list[Any] = []
    runner = bench.runner(bench.function(lambda _arguments: pytest.fail("it ran")))
    with pytest.raises(ToolRunnerError) as caught:
        bench.run(
            runner,
            bench.client(response(function_call("lookup"))),
            on_diagnostic=switch.append,
            cancelled=lambda: bool(switch),
        )
    assert caught.value.code == "run_cancelled"


def test_an_observer_may_end_the_program(bench: Bench) -> None:
    def observer(_record: Any) -> None:
        raise KeyboardInterrupt

    runner = bench.runner()
    with pytest.raises(KeyboardInterrupt):
        bench.run(runner, bench.client(response(message())), on_diagnostic=observer)
    assert bench.run(runner, bench.client(response(message())))["status"] == "completed"


SECRET = "tr0ub4dor"
FIELDS = ("stage", "reason", "call_id", "member")
SENT = ("request", "completed", None, None)


def raising(_given: Any) -> Any:
    raise OSError(SECRET)


def told_by(
    bench: Bench, *items: Any, function: Any = None, **options: Any
) -> list[tuple[str, str, Any, Any]]:
    """The records of a run whose first response has these items; none holds a secret."""
    records: list[Any] = []
    runner = bench.runner(bench.function(function or (lambda _arguments: SECRET)))
    client = bench.client(response(*items), response(message(SECRET)))
    # Many of these runs stop; their errors are tested elsewhere.
    with contextlib.suppress(ToolRunnerError):
        bench.run(runner, client, MCP, on_diagnostic=records.append, **options)
    assert SECRET not in repr(records)
    assert all(record["duration_ms"] >= 0 for record in records)
    return [tuple(record[name] for name in FIELDS) for record in records]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda _arguments: SECRET, [("action", "completed")]),
        (
            lambda _arguments: {SECRET: SECRET},
            [("action", "completed"), ("output", "invalid_output")],
        ),
        (raising, [("action", "driver_failed")]),
    ],
)
def test_each_function_is_told(bench: Bench, function: Any, expected: Any) -> None:
    item = function_call("lookup", {"password": SECRET}, call_id="call_9")
    records = told_by(bench, item, function=function)
    told = [(*words, "call_9", "lookup") for words in expected]
    assert records[: len(told) + 1] == [SENT, *told]


def test_refused_arguments_are_told(bench: Bench) -> None:
    item = function_call("lookup", call_id="call_9", arguments=f'["{SECRET}"]')
    refused = ("arguments", "invalid_input", "call_9", "lookup")
    assert told_by(bench, item) == [SENT, refused]


@pytest.mark.parametrize(
    ("decide", "reason"),
    [
        (lambda _request: True, "completed"),
        (lambda _request: False, "refused"),
        (lambda _request: SECRET, "policy_failed"),
        (raising, "policy_failed"),
        (None, "policy_failed"),
    ],
)
def test_each_decision_on_a_remote_tool_is_told(bench: Bench, decide: Any, reason: str) -> None:
    options = {} if decide is None else {"approve_mcp": bench.kit.function(decide)}
    item = mcp_request(arguments=f'{{"what": "{SECRET}"}}')
    records = told_by(bench, item, **options)
    assert records[:2] == [SENT, ("approval", reason, "mcpr_1", "buy")]


def test_functions_beside_the_stream_are_told_in_output_order(bench: Bench) -> None:
    records: list[Any] = []
    items = [function_call("lookup", {}, call_id=call_id) for call_id in ("call_8", "call_9")]
    client = bench.client(bench.stream(*events(*items)), bench.stream(*events(message())))
    runner = bench.runner(bench.function(lambda _arguments: "found", independent=True))
    bench.run(runner, client, stream=True, eager=True, on_diagnostic=records.append)
    told = [(record["stage"], record["reason"], record["call_id"]) for record in records]
    assert told == [
        ("action", "completed", "call_8"),
        ("action", "completed", "call_9"),
        ("request", "completed", None),
        ("request", "completed", None),
    ]


def test_a_task_that_is_cancelled_tells_what_it_gave_up() -> None:
    bench = Bench(Kit(asynchronous=True))
    records: list[Any] = []

    async def main() -> None:
        reached = asyncio.Event()

        async def stay(_arguments: Any) -> str:
            reached.set()
            await asyncio.Event().wait()
            return ""

        function = AsyncRegisteredFunction(DECLARATION, stay)
        client = bench.client(response(function_call("lookup")))
        running = bench.runner(function).run(client, PARAMS, on_diagnostic=records.append)
        task = asyncio.create_task(running)
        await reached.wait()
        task.cancel()
        with pytest.raises(ToolRunnerCancelledError):
            await task

    asyncio.run(main())
    assert [record["reason"] for record in records] == ["completed", "cancelled"]


def test_an_observer_that_raises_at_each_record_changes_nothing(bench: Bench) -> None:
    seen: list[Any] = []

    def raising_always(record: Any) -> None:
        seen.append(record["stage"])
        raise OSError(SECRET)

    saved: list[Any] = []
    runner = bench.runner(bench.function(lambda _arguments: "found"))
    client = bench.client(response(function_call("lookup")), response(message()))
    ledger = bench.ledger(lambda checkpoint: saved.append((checkpoint["phase"], len(seen))))
    assert bench.run(runner, client, ledger=ledger, on_diagnostic=raising_always)["output"]
    assert seen == ["request", "action", "request"]
    # What the function did is saved before anybody hears of it (L-2).
    assert ("pending", 1) in saved
    assert saved[-1] == ("final", 3)


@pytest.mark.parametrize("closes", [False, True])
def test_a_run_that_does_not_begin_tells_nothing(bench: Bench, closes: bool) -> None:
    records: list[Any] = []
    runner = bench.runner()
    if closes:
        runner.close()
    with pytest.raises((ToolRunnerError, ClosedError)):
        bench.run(runner, bench.client(), cancelled=lambda: True, on_diagnostic=records.append)
    assert records == []
