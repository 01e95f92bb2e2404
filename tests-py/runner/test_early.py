"""Calls that run while their response is streamed (R-30 to R-35)."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from api.kit import CLICK
from computer.scripted import Screen
from computer.scripted import call as computer_call
from runner.bench import PARAMS, Bench, noting
from runner.endpoint import function_call, message
from runner.streams import events
from swingbridge import (
    BrowserCancelledError,
    ComputerCall,
    ConfigurationError,
    FunctionToolCall,
    ToolRunnerError,
)

EAGER: dict[str, Any] = {"stream": True, "eager": True}


def marked(trace: list[Any], listed: list[Any]) -> list[Any]:
    """The events, each noted by its type right before it is read."""
    steps: list[Any] = []
    for event in listed:
        steps += [lambda kind=event["type"]: trace.append(kind), event]
    return steps


def test_a_call_runs_when_its_item_is_complete(bench: Bench) -> None:
    trace: list[Any] = []
    calls = [function_call("lookup", {"n": number}) for number in range(2)]
    first = bench.stream(*marked(trace, events(*calls)))
    client = bench.client(first, bench.stream(*events(message())))
    turns = bench.iterate(bench.runner(bench.function(noting(trace, "own"))), client, **EAGER)
    assert [step for step in trace if step != "response.output_item.added"] == [
        "response.created",
        "response.output_item.done",
        {"n": 0},
        "response.output_item.done",
        {"n": 1},
        "response.completed",
    ]
    ids = tuple(item["call_id"] for item in calls)
    assert [(turn.tools_executed, turn.completed_call_ids) for turn in turns] == [
        (True, ids),
        (False, ids),
    ]
    assert [item["output"] for item in client.requests[1]["input"][-2:]] == ["own", "own"]


def test_argument_deltas_never_run_anything(bench: Bench) -> None:
    item = function_call("lookup")
    deltas = [
        {"type": "response.function_call_arguments.delta", "item_id": item["id"], "delta": "{}"},
        {"type": "response.function_call_arguments.done", "item": item, "arguments": "{}"},
    ]
    client = bench.client(bench.stream(*deltas))
    runner = bench.runner(bench.function(lambda _arguments: pytest.fail("it ran")))
    with pytest.raises(ToolRunnerError) as caught:
        bench.run(runner, client, **EAGER)
    assert caught.value.code == "stream_ended"


def test_a_failed_stream_keeps_the_record_of_what_was_done(bench: Bench) -> None:
    item = function_call("lookup")
    ran: list[Any] = []
    client = bench.client(bench.stream(*events(item, message())[:3], OSError("lost")))
    with pytest.raises(ToolRunnerError) as caught:
        bench.run(bench.runner(bench.function(noting(ran))), client, **EAGER)
    assert caught.value.code == "request_failed"
    assert caught.value.attempted_call_ids == (item["call_id"],)
    assert caught.value.completed_call_ids == (item["call_id"],)
    assert ran == [{}]


def changed(listed: list[Any], change: Any) -> list[Any]:
    listed = [copy.deepcopy(event) for event in listed]
    change(listed)
    return listed


CHANGES: dict[str, Any] = {
    "another argument": lambda e: e[-1]["response"]["output"][0].update(arguments='{"n": 1}'),
    "a removed item": lambda e: e[-1]["response"]["output"].pop(0),
    "another order": lambda e: e[-1]["response"]["output"].reverse(),
    "an item that comes twice": lambda e: e.insert(3, e[2]),
    "an item that comes changed": lambda e: e.insert(
        3, {**e[2], "item": {**e[2]["item"], "arguments": '{"n": 1}'}}
    ),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_an_executed_item_must_stay_as_it_was(bench: Bench, change: Any) -> None:
    ran: list[Any] = []
    item = function_call("lookup")
    listed = changed(events(item, message()), change)
    source = bench.stream(*listed)
    with pytest.raises(ToolRunnerError) as caught:
        bench.run(bench.runner(bench.function(noting(ran))), bench.client(source), **EAGER)
    assert caught.value.code in {"stream_item_changed", "identity_repeated"}
    assert caught.value.completed_call_ids == (item["call_id"],)
    assert ran == [{}]
    assert source.closed == 1


@pytest.mark.parametrize("order", [[1, 0], [0, 2, 1], [2, 0, 1]])
def test_what_comes_out_of_order_waits_for_the_response(bench: Bench, order: list[int]) -> None:
    trace: list[Any] = []
    calls = [function_call("lookup", {"n": number}) for number in range(len(order))]
    listed = events(*calls)
    pairs = [listed[1 + 2 * index : 3 + 2 * index] for index in order]
    listed[1:-1] = [event for pair in pairs for event in pair]
    client = bench.client(bench.stream(*marked(trace, listed)), bench.stream(*events(message())))
    bench.run(bench.runner(bench.function(noting(trace, "own"))), client, **EAGER)
    ran = [step["n"] for step in trace if isinstance(step, dict)]
    assert ran == sorted(ran)
    in_order = next(n for n, index in enumerate([*order, None]) if index != n)
    before = trace[: trace.index("response.completed")]
    assert len([step for step in before if isinstance(step, dict)]) == in_order


# --- which calls may be early (R-32, R-33) --------------------------------------------------------


@pytest.mark.parametrize(
    ("early", "ran_early"),
    [
        (None, ["lookup", "browser_click", "other"]),
        ({}, []),
        ({"functions": []}, []),
        ({"functions": ["lookup"]}, ["lookup"]),
        ({"functions": ["lookup", "other"]}, ["lookup"]),
        ({"functions": ["other"]}, []),
        ({"functions": ["lookup", "browser_click"]}, ["lookup", "browser_click"]),
        ({"computer": True}, []),
    ],
)
def test_the_first_call_that_waits_makes_all_later_ones_wait(
    bench: Bench, early: Any, ran_early: list[str]
) -> None:
    trace: list[str] = []

    def note(name: str, answer: Any = "") -> Any:
        trace.append(name)
        return answer

    driver = bench.kit.driver(click=lambda _action: note("browser_click", None))
    runner = bench.runner(
        bench.function(lambda _arguments: note("lookup")),
        bench.function(lambda _arguments: note("other"), declaration={"name": "other"}),
        browser=bench.kit.toolset(driver, members=["click"]),
        early_execution=early,
    )
    items = [
        function_call("lookup"),
        function_call("browser_click", CLICK),
        function_call("other"),
    ]
    client = bench.client(
        bench.stream(*marked(trace, events(*items))), bench.stream(*events(message()))
    )
    bench.run(runner, client, **EAGER)
    end = trace.index("response.completed")
    assert [step for step in trace[:end] if "." not in step] == ran_early
    assert [step for step in trace if "." not in step] == ["lookup", "browser_click", "other"]


@pytest.mark.parametrize(
    "early",
    [
        {"functions": ["unknown"]},
        {"functions": ["lookup", "lookup"]},
        {"functions": "lookup"},
        {"functions": None},
        {"functions": [5]},
        {"computer": 1},
        {"more": True},
        [],
        "lookup",
        {"functions": ["browser_click"]},
    ],
)
def test_a_bad_allow_list_is_refused_when_the_runner_is_made(bench: Bench, early: Any) -> None:
    with pytest.raises(ConfigurationError) as caught:
        bench.runner(bench.function(lambda _arguments: ""), early_execution=early)
    assert caught.value.code == "early_execution_invalid"


def test_before_early_call_decides_each_call(bench: Bench) -> None:
    trace: list[Any] = []
    calls = [function_call("lookup", {"n": number}, new={"x": [1]}) for number in range(3)]

    def before(call: Any) -> str:
        assert [type(call)] == [FunctionToolCall]
        assert call.name == "lookup"
        assert call.new == {"x": [1]}
        trace.append(call.call_id)
        call.new["x"].clear()
        call.arguments = "{}"
        return "execute" if call.call_id == calls[0]["call_id"] else "defer"

    client = bench.client(
        bench.stream(*marked(trace, events(*calls))), bench.stream(*events(message()))
    )
    bench.run(
        bench.runner(bench.function(noting(trace, "own"))),
        client,
        before_early_call=bench.kit.function(before),
        **EAGER,
    )
    end = trace.index("response.completed")
    decided = [step for step in trace[:end] if not str(step).startswith("response.")]
    # After the second one is deferred the third is not asked about.
    assert decided == [calls[0]["call_id"], {"n": 0}, calls[1]["call_id"]]
    assert trace[end + 1 :][:2] == [{"n": 1}, {"n": 2}]
    assert client.requests[1]["input"][1] == calls[0]


def test_before_early_call_cannot_widen_the_list(bench: Bench) -> None:
    runner = bench.runner(bench.function(lambda _arguments: ""), early_execution={})
    client = bench.client(
        bench.stream(*events(function_call("lookup"))), bench.stream(*events(message()))
    )
    bench.run(
        runner,
        client,
        before_early_call=bench.kit.function(lambda _call: pytest.fail("asked")),
        **EAGER,
    )


def raising(error: BaseException) -> Any:
    def fail(_argument: Any = None) -> Any:
        raise error

    return fail


@pytest.mark.parametrize(
    ("decide", "code"),
    [
        (lambda _call: True, "early_undecided"),
        (lambda _call: None, "early_undecided"),
        (lambda _call: "Execute", "early_undecided"),
        (raising(OSError("tr0ub4dor")), "early_undecided"),
        (raising(BrowserCancelledError()), "run_cancelled"),
    ],
)
def test_anything_but_a_decision_stops_the_run(bench: Bench, decide: Any, code: str) -> None:
    runner = bench.runner(bench.function(lambda _arguments: pytest.fail("it ran")))
    source = bench.stream(*events(function_call("lookup")))
    with pytest.raises(ToolRunnerError) as caught:
        bench.run(
            runner,
            bench.client(source),
            before_early_call=bench.kit.function(decide),
            **EAGER,
        )
    assert caught.value.code == code
    assert caught.value.attempted_call_ids == ()
    assert source.closed == 1


def test_a_computer_call_may_be_early(bench: Bench) -> None:
    screen = Screen(bench.kit)
    runner = bench.runner(computer=screen.toolset, early_execution={"computer": True})
    item = computer_call()
    seen: list[Any] = []

    def before(call: Any) -> str:
        assert type(call) is ComputerCall
        assert call.to_dict() == {**item, "pending_safety_checks": []}
        seen.append(call)
        return "execute"

    client = bench.client(bench.stream(*events(item)), bench.stream(*events(message())))
    turns = bench.iterate(runner, client, before_early_call=bench.kit.function(before), **EAGER)
    assert len(seen) == 1
    assert turns[0].tools_executed
    assert client.requests[1]["input"][-1]["type"] == "computer_call_output"


def test_tools_of_the_service_make_local_work_wait(bench: Bench) -> None:
    trace: list[Any] = []
    client = bench.client(
        bench.stream(*marked(trace, events(function_call("lookup")))),
        bench.stream(*events(message())),
    )
    params = {**PARAMS, "tools": [{"type": "web_search"}]}
    runner = bench.runner(bench.function(noting(trace, "own")))
    bench.run(runner, client, params, **EAGER)
    assert trace.index({}) > trace.index("response.completed")


def test_the_last_request_starts_nothing_early(bench: Bench) -> None:
    client = bench.client(bench.stream(*events(function_call("lookup"))))
    runner = bench.runner(bench.function(lambda _arguments: pytest.fail("it ran")))
    with pytest.raises(ToolRunnerError) as caught:
        bench.run(runner, client, max_steps=1, **EAGER)
    assert caught.value.code == "step_limit"


def test_the_call_itself_is_shown_and_no_item_that_looks_like_it(bench: Bench) -> None:
    item = function_call("lookup", {"all": True})
    harmless = {"type": "reasoning", "id": "rs_1", "summary": [], "call_id": item["call_id"]}
    shown: list[Any] = []

    def review(call: Any) -> str:
        shown.append(call.to_dict())
        return "execute"

    client = bench.client(
        bench.stream(*events({**harmless, "arguments": '{"all":false}'}, item)),
        bench.stream(*events(message())),
    )
    runner = bench.runner(bench.function(lambda _arguments: "own"))
    bench.run(runner, client, before_early_call=bench.kit.function(review), **EAGER)
    assert [call["arguments"] for call in shown] == [item["arguments"]]


@pytest.mark.parametrize("change", [{"unknown": 2}, {"unknown": None}, {"namespace": None}])
def test_an_executed_item_must_not_change_in_any_field(bench: Bench, change: Any) -> None:
    item = function_call("lookup")
    listed = events({**item, "unknown": 1} if change.get("unknown", 0) != 0 else item)
    listed[-1]["response"]["output"] = [{**item, **change}]
    client = bench.client(bench.stream(*listed))
    with pytest.raises(ToolRunnerError) as caught:
        bench.run(bench.runner(bench.function(lambda _arguments: "own")), client, **EAGER)
    assert caught.value.code == "stream_item_changed"
    assert caught.value.completed_call_ids == (item["call_id"],)
