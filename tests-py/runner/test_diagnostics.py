"""Records of a run (R-60, B-52)."""

from __future__ import annotations

import gc
import warnings
from typing import Any

import pytest

from api.kit import CLICK
from runner.bench import Bench
from runner.endpoint import function_call, message, response
from swingbridge import ToolRunnerError


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
