"""Whatever ends a run that has begun, its error says which calls were begun (R-8, B-51)."""

from __future__ import annotations

from typing import Any

import pytest

from runner.bench import Bench
from runner.endpoint import function_call, message, response
from swingbridge import (
    BrowserCancelledError,
    BusyError,
    ConfigurationError,
    ContractError,
    ToolRunnerError,
)


def run_that_fails_after_its_call(bench: Bench, fail: Any) -> tuple[ToolRunnerError, str]:
    """The error of a run whose ``cancelled`` does ``fail()`` once the function has run."""
    done: list[Any] = []

    def lookup(_arguments: Any) -> str:
        done.append(None)
        return ""

    item = function_call("lookup")
    runner = bench.runner(bench.function(lookup))
    client = bench.client(response(item), response(message()))
    with pytest.raises(ToolRunnerError) as caught:
        bench.run(runner, client, cancelled=lambda: fail() if done else False)
    assert len(done) == 1
    assert bench.run(runner, bench.client(response(message())))["status"] == "completed"
    return caught.value, item["call_id"]


@pytest.mark.parametrize("kind", [BusyError, ContractError, ConfigurationError, ToolRunnerError])
def test_an_error_of_ours_out_of_cancelled_is_no_exception(
    bench: Bench, kind: type[Exception]
) -> None:
    failure = kind("stop")

    def fail() -> bool:
        raise failure

    error, call_id = run_that_fails_after_its_call(bench, fail)
    assert error.code == "run_cancelled"
    assert error.__cause__ is failure
    assert error.attempted_call_ids == (call_id,)


def test_a_cancelled_that_raises_a_cancellation_cancels(bench: Bench) -> None:
    def fail() -> bool:
        raise BrowserCancelledError

    error, call_id = run_that_fails_after_its_call(bench, fail)
    assert error.code == "run_cancelled"
    assert error.__cause__ is None
    assert error.attempted_call_ids == (call_id,)
    assert error.completed_call_ids == (call_id,)


def test_a_cancelled_that_turns_out_asynchronous(bench: Bench) -> None:
    async def later() -> bool:
        raise AssertionError

    error, call_id = run_that_fails_after_its_call(bench, later)
    assert error.code == "flavour_mismatch"
    assert type(error.__cause__) is ConfigurationError
    assert error.attempted_call_ids == (call_id,)


def test_a_client_that_turns_out_to_be_of_the_other_flavour(bench: Bench) -> None:
    async def later() -> Any:
        raise AssertionError

    item = function_call("lookup")
    asked: list[Any] = []

    def create(**request: Any) -> Any:
        asked.append(request)
        if len(asked) == 1:
            return right(**request)
        return {} if bench.kit.asynchronous else later()

    client = bench.client(response(item))
    right = client.responses.create
    client.responses.create = create
    with pytest.raises(ToolRunnerError) as caught:
        bench.run(bench.runner(bench.function(lambda _arguments: "")), client)
    assert caught.value.code == "flavour_mismatch"
    assert caught.value.completed_call_ids == (item["call_id"],)


def test_a_response_whose_class_throws_is_an_unreadable_response(bench: Bench) -> None:
    class Throwing(type):
        def __getattr__(cls, name: str) -> Any:
            raise RuntimeError(name)

    class Opaque(metaclass=Throwing):
        pass

    item = function_call("lookup")
    client = bench.client(response(item), Opaque())
    with pytest.raises(ToolRunnerError) as caught:
        bench.run(bench.runner(bench.function(lambda _arguments: "")), client)
    assert caught.value.code in {"response_incomplete", "response_malformed"}
    assert caught.value.completed_call_ids == (item["call_id"],)


def test_an_observed_record_is_shown_once_when_cancelled_fails(bench: Bench) -> None:
    records: list[Any] = []

    def cancelled() -> bool:
        if records:
            raise LookupError
        return False

    with pytest.raises(ToolRunnerError):
        bench.run(
            bench.runner(),
            bench.client(response(message())),
            cancelled=cancelled,
            on_diagnostic=records.append,
        )
    assert len([record for record in records if record == records[0]]) == 1
