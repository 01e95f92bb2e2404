"""Turn by turn: what is shown, what may be answered in its place, and how it ends (R-20 to R-22)."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

import pytest

from api.kit import CLICK, Kit
from runner.bench import PARAMS, Bench, noting
from runner.endpoint import function_call, message, response
from runner.streams import events
from swingbridge import (
    AsyncResponsesToolRunner,
    BusyError,
    ConfigurationError,
    ResponsesRunnerTurn,
    ToolRunnerError,
    TurnError,
)


def output(call_id: str, value: Any = "given") -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": call_id, "output": value}


def refused(act: Any, *arguments: Any) -> str:
    with pytest.raises(TurnError) as caught:
        act(*arguments)
    return caught.value.code


def test_each_response_is_shown_before_its_work(bench: Bench) -> None:
    ran: list[Any] = []
    first, last = response(item := function_call("lookup")), response(message())
    shown: list[tuple[Any, ...]] = []

    def look(turn: Any) -> None:
        assert type(turn) is ResponsesRunnerTurn
        shown.append(
            (
                turn.response,
                turn.step,
                turn.final,
                turn.tools_executed,
                turn.tools_withheld,
                turn.attempted_call_ids,
                turn.completed_call_ids,
                len(ran),
            )
        )

    runner = bench.runner(bench.function(noting(ran)))
    turns = bench.iterate(runner, bench.client(first, last), look)
    done = (item["call_id"],)
    assert shown == [
        (first, 1, False, False, False, (), (), 0),
        (last, 2, True, False, False, done, done, 1),
    ]
    assert shown[0][0] is first
    with pytest.raises(AttributeError):
        turns[0].step = 5


def test_leaving_at_a_turn_runs_nothing_further(bench: Bench) -> None:
    runner = bench.runner(bench.function(lambda _arguments: pytest.fail("it ran")))
    client = bench.client(response(function_call("lookup")))
    turns = bench.iterate(runner, client, lambda _turn: True)
    assert len(turns) == 1
    assert len(client.requests) == 1
    assert bench.run(runner, bench.client(response(message())))["status"] == "completed"
    assert refused(turns[0].append_user_text, "too late") == "turn_over"


def test_the_runner_is_busy_between_the_turns(bench: Bench) -> None:
    runner = bench.runner(bench.function(lambda _arguments: ""))

    def begin() -> None:
        started = runner.run(bench.client(), PARAMS)
        started.send(None)  # only reached in the async flavour

    def look(_turn: Any) -> None:
        with pytest.raises(BusyError):
            begin()

    client = bench.client(response(function_call("lookup")), response(message()))
    assert len(bench.iterate(runner, client, look)) == 2


def test_nothing_is_begun_before_the_first_turn_is_asked_for(bench: Bench) -> None:
    runner = bench.runner()
    runner.iterate(bench.client(), PARAMS)
    assert bench.run(runner, bench.client(response(message())))["status"] == "completed"


def test_a_generator_that_is_let_go_of_frees_the_runner() -> None:
    bench = Bench(Kit(asynchronous=False))
    runner = bench.runner(bench.function(lambda _arguments: pytest.fail("it ran")))
    iteration = runner.iterate(bench.client(response(function_call("lookup"))), PARAMS)
    turn = next(iteration)
    del iteration
    gc.collect()
    assert bench.run(runner, bench.client(response(message())))["status"] == "completed"
    assert refused(turn.append_user_text, "too late") == "turn_over"


def test_an_error_thrown_into_the_generator_comes_out_as_it_is() -> None:
    bench = Bench(Kit(asynchronous=False))
    runner = bench.runner(bench.function(lambda _arguments: pytest.fail("it ran")))
    iteration = runner.iterate(bench.client(response(function_call("lookup"))), PARAMS)
    next(iteration)
    with pytest.raises(LookupError, match="mine"):
        iteration.throw(LookupError("mine"))
    assert bench.run(runner, bench.client(response(message())))["status"] == "completed"


def test_a_stopped_run_raises_after_its_turns(bench: Bench) -> None:
    runner = bench.runner(bench.function(lambda _arguments: 5))
    turns: list[Any] = []
    with pytest.raises(ToolRunnerError) as caught:
        bench.iterate(runner, bench.client(response(function_call("lookup"))), turns.append)
    assert caught.value.code == "function_output_invalid"
    assert len(turns) == 1


def test_bad_parameters_are_refused_at_the_first_turn(bench: Bench) -> None:
    with pytest.raises(ConfigurationError):
        bench.iterate(bench.runner(), bench.client(), None, {"model": "m"})


def test_true_cancelled_between_turns_ends_the_run(bench: Bench) -> None:
    runner = bench.runner(bench.function(lambda _arguments: pytest.fail("it ran")))
    turns: list[Any] = []
    with pytest.raises(ToolRunnerError) as caught:
        bench.iterate(
            runner,
            bench.client(response(function_call("lookup"))),
            turns.append,
            cancelled=lambda: bool(turns),
        )
    assert caught.value.code == "run_cancelled"


# --- outputs that the caller supplies (R-21) ------------------------------------------------------


def test_a_supplied_output_takes_the_place_of_the_function(bench: Bench) -> None:
    ran: list[Any] = []
    calls = [function_call("lookup", {"n": number}) for number in range(3)]
    runner = bench.runner(bench.function(noting(ran, "own"), allow_output_override=True))
    client = bench.client(response(*calls), response(message()))
    value: list[Any] = [{"type": "input_text", "text": "x" * 1_000}]

    def look(turn: Any) -> None:
        if not turn.final:
            turn.supply_outputs([output(calls[1]["call_id"], value)])
            value[0]["text"] = "changed"

    turns = bench.iterate(runner, client, look)
    assert ran == [{"n": 0}, {"n": 2}]
    sent = [item["output"] for item in client.requests[1]["input"][-3:]]
    assert sent == ["own", [{"type": "input_text", "text": "x" * 1_000}], "own"]
    assert turns[-1].completed_call_ids == tuple(item["call_id"] for item in calls)


def test_what_was_supplied_last_counts(bench: Bench) -> None:
    item = function_call("lookup")
    runner = bench.runner(
        bench.function(lambda _arguments: pytest.fail("it ran"), allow_output_override=True)
    )
    client = bench.client(response(item), response(message()))

    def look(turn: Any) -> None:
        if not turn.final:
            turn.supply_outputs([output(item["call_id"], "first")])
            turn.supply_outputs([])
            turn.supply_outputs([output(item["call_id"], "second")])

    bench.iterate(runner, client, look)
    assert client.requests[1]["input"][-1]["output"] == "second"


def test_an_empty_list_lets_the_function_run(bench: Bench) -> None:
    item = function_call("lookup")
    runner = bench.runner(bench.function(lambda _arguments: "own", allow_output_override=True))
    client = bench.client(response(item), response(message()))

    def look(turn: Any) -> None:
        if not turn.final:
            turn.supply_outputs([output(item["call_id"], "given")])
            turn.supply_outputs([])

    bench.iterate(runner, client, look)
    assert client.requests[1]["input"][-1]["output"] == "own"


class Fields(dict[str, Any]):
    pass


class Text(str):
    __slots__ = ()


def test_an_output_that_is_not_allowed_changes_nothing(bench: Bench) -> None:
    allowed, other = function_call("lookup"), function_call("plain")
    click = function_call("browser_click", CLICK)
    ran: list[Any] = []
    runner = bench.runner(
        bench.function(noting(ran, "own"), allow_output_override=True),
        bench.function(noting(ran, "own"), declaration={"name": "plain"}),
        browser=bench.kit.toolset(members=["click"]),
    )
    client = bench.client(response(allowed, other, click), response(message()))
    good = output(allowed["call_id"])
    attempts: list[tuple[Any, str]] = [
        ([good, output(other["call_id"])], "supplied_output_not_allowed"),
        ([good, output(click["call_id"])], "supplied_output_not_allowed"),
        ([good, output("call_unknown")], "supplied_output_not_allowed"),
        ([good, good], "supplied_output_twice"),
        (good, "supplied_outputs_malformed"),
        ((good,), "supplied_outputs_malformed"),
        (None, "supplied_outputs_malformed"),
        ([{**good, "status": "completed"}], "supplied_outputs_malformed"),
        ([{**good, "output": 5}], "supplied_outputs_malformed"),
        ([{**good, "output": Text("x")}], "supplied_outputs_malformed"),
        ([{**good, "output": "\ud800"}], "supplied_outputs_malformed"),
        ([Fields(good)], "supplied_outputs_malformed"),
        ([good, None], "supplied_outputs_malformed"),
    ]

    def look(turn: Any) -> None:
        if not turn.final:
            for outputs, code in attempts:
                assert refused(turn.supply_outputs, outputs) == code

    bench.iterate(runner, client, look)
    assert len(ran) == 2
    assert [item["output"] for item in client.requests[1]["input"][-3:-1]] == ["own", "own"]


def test_a_turn_without_calls_has_nothing_to_answer(bench: Bench) -> None:
    def look(turn: Any) -> None:
        assert turn.final
        assert refused(turn.supply_outputs, []) == "turn_final"
        assert refused(turn.append_user_text, "x") == "turn_final"

    assert len(bench.iterate(bench.runner(), bench.client(response(message())), look)) == 1


def test_a_turn_that_is_used_late_is_refused(bench: Bench) -> None:
    calls = [function_call("lookup"), function_call("lookup")]
    runner = bench.runner(bench.function(lambda _arguments: "own", allow_output_override=True))
    client = bench.client(response(calls[0]), response(calls[1]), response(message()))
    turns: list[Any] = []
    codes: list[str] = []

    def look(turn: Any) -> None:
        for earlier in turns:
            # The call of the open turn is pending, but it is not this turn's.
            codes.append(refused(earlier.supply_outputs, [output(calls[1]["call_id"])]))
            codes.append(refused(earlier.append_user_text, "x"))
        turns.append(turn)

    bench.iterate(runner, client, look)
    assert codes == ["turn_over"] * 6
    assert refused(turns[-1].append_user_text, "x") == "turn_over"
    assert client.requests[2]["input"][-1]["output"] == "own"


def test_a_turn_is_refused_while_its_work_is_done(bench: Bench) -> None:
    turns: list[Any] = []
    codes: list[str] = []

    def lookup(_arguments: Any) -> str:
        codes.append(refused(turns[0].append_user_text, "x"))
        return ""

    client = bench.client(response(function_call("lookup")), response(message()))
    bench.iterate(bench.runner(bench.function(lookup)), client, turns.append)
    assert codes == ["turn_over"]


# --- texts of a human (R-22) ----------------------------------------------------------------------


def test_texts_follow_the_outputs_of_their_turn(bench: Bench) -> None:
    calls = [function_call("lookup"), function_call("lookup")]
    client = bench.client(response(*calls), response(message()))

    def look(turn: Any) -> None:
        if not turn.final:
            turn.append_user_text("first")
            turn.append_user_text(" second ☃ ")

    bench.iterate(bench.runner(bench.function(lambda _arguments: "own")), client, look)
    assert client.requests[1]["input"][-4:] == [
        output(calls[0]["call_id"], "own"),
        output(calls[1]["call_id"], "own"),
        {"role": "user", "content": "first"},
        {"role": "user", "content": " second ☃ "},
    ]


@pytest.mark.parametrize("text", ["", " \n\t", "\ud800", None, 5, ["x"], Text("x")])
def test_what_is_no_text_of_a_human_is_refused(bench: Bench, text: Any) -> None:
    def look(turn: Any) -> None:
        if not turn.final:
            assert refused(turn.append_user_text, text) == "user_text_invalid"

    client = bench.client(response(function_call("lookup")), response(message()))
    bench.iterate(bench.runner(bench.function(lambda _arguments: "own")), client, look)
    assert len(client.requests[1]["input"]) == 3


# --- the last request (finish_at_limit) -----------------------------------------------------------


def test_the_last_request_can_be_sent_without_the_local_tools(bench: Bench) -> None:
    records: list[Any] = []
    function = bench.function(lambda _arguments: "")
    runner = bench.runner(function, browser=bench.kit.toolset(members=["click"]))
    params = {**PARAMS, "tools": [{"type": "web_search"}], "tool_choice": "auto"}
    client = bench.client(response(function_call("lookup")), response(message()))
    turns = bench.iterate(
        runner,
        client,
        None,
        params,
        max_steps=2,
        finish_at_limit=True,
        on_diagnostic=records.append,
    )
    assert [turn.tools_withheld for turn in turns] == [False, True]
    assert len(client.requests[0]["tools"]) == 3
    assert client.requests[1]["tools"] == [{"type": "web_search"}]
    assert [request.get("tool_choice") for request in client.requests] == ["auto", None]
    limits = [record for record in records if record["reason"] == "step_limit"]
    assert [(record["api"], record["stage"]) for record in limits] == [("responses", "run")]


def test_a_declared_computer_is_withheld_too(bench: Bench) -> None:
    from computer.scripted import Screen

    runner = bench.runner(computer=Screen(bench.kit).toolset)
    params = {**PARAMS, "tools": [{"type": "computer"}, {"type": "web_search"}]}
    client = bench.client(response(message()))
    bench.run(runner, client, params, max_steps=1, finish_at_limit=True)
    assert client.requests[0]["tools"] == [{"type": "web_search"}]


# --- closing an async iteration -------------------------------------------------------------------


def test_an_async_iteration_that_is_closed_closes_its_stream() -> None:
    bench = Bench(Kit(asynchronous=True))
    source = bench.stream(*events(function_call("lookup")), lambda: pytest.fail("read on"))
    client = bench.client(source)

    async def main() -> None:
        runner: AsyncResponsesToolRunner = bench.runner(
            bench.function(lambda _arguments: pytest.fail("it ran"))
        )
        iteration = runner.iterate(client, PARAMS, stream=True)
        turn = await anext(iteration)
        assert source.closed == 1
        await iteration.aclose()
        assert refused(turn.append_user_text, "x") == "turn_over"
        assert runner.close() == {"status": "closed"}

    asyncio.run(main())
