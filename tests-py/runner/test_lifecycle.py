"""One run at a time, and a toolset that is held during its browser calls only (R-6, B-50)."""

from __future__ import annotations

import asyncio
import threading
from types import SimpleNamespace
from typing import Any

import pytest

from api.kit import CLICK, TAB, call, payload
from runner.bench import PARAMS, Bench
from runner.endpoint import function_call, message, response
from swingbridge import (
    AsyncResponsesToolRunner,
    BusyError,
    ClosedError,
    ToolRunnerError,
)


class Probe:
    """Tries to begin something from inside a callback, in either flavour."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.results: list[str] = []

    def attempt(self, begin: Any) -> None:
        try:
            running = begin()
            if self.bench.kit.asynchronous:
                running.send(None)
        except (BusyError, ClosedError) as error:
            self.results.append(error.code)
        except StopIteration:
            self.results.append("ran")
        else:
            self.results.append("ran")


def test_a_run_inside_a_run_is_refused(bench: Bench) -> None:
    probe = Probe(bench)

    def lookup(_arguments: Any) -> str:
        probe.attempt(lambda: runner.run(bench.client(), PARAMS))
        return ""

    runner = bench.runner(bench.function(lookup))
    client = bench.client(response(function_call("lookup")), response(message()))
    bench.run(runner, client)
    assert probe.results == ["busy"]


def test_closing_inside_a_run_lets_it_end(bench: Bench) -> None:
    statuses: list[Any] = []

    def lookup(_arguments: Any) -> str:
        statuses.append(runner.close())
        return ""

    runner = bench.runner(bench.function(lookup))
    client = bench.client(response(function_call("lookup")), response(message()))
    assert bench.run(runner, client)["status"] == "completed"
    assert statuses == [{"status": "draining"}]
    assert runner.close() == {"status": "closed"}
    with pytest.raises(ClosedError):
        bench.run(runner, bench.client())


def test_the_toolset_is_busy_during_its_calls_and_free_between_them(bench: Bench) -> None:
    probe = Probe(bench)

    def execute() -> Any:
        return toolset.execute(call("click"))

    def click(_action: Any) -> None:
        if len(probe.results) == 0:
            probe.attempt(execute)

    def lookup(_arguments: Any) -> str:
        probe.attempt(execute)
        return ""

    toolset = bench.kit.toolset(bench.kit.driver(click=click), members=["click"])
    runner = bench.runner(bench.function(lookup), browser=toolset)
    client = bench.client(
        response(function_call("browser_click", CLICK), function_call("lookup")),
        response(message()),
    )
    bench.run(runner, client)
    assert probe.results == ["busy", "ran"]


def test_a_toolset_that_somebody_uses_stops_the_run(bench: Bench) -> None:
    def click(_action: Any) -> None:
        item = function_call("browser_click", CLICK)
        if bench.kit.asynchronous:
            # A run of its own: the driver's event loop is taken.
            thread = threading.Thread(target=run_inside, args=(item,))
            thread.start()
            thread.join(30)
        else:
            run_inside(item)

    def run_inside(item: Any) -> None:
        with pytest.raises(ToolRunnerError) as caught:
            bench.run(bench.runner(browser=toolset), bench.client(response(item)))
        ended.append((caught.value.code, caught.value.attempted_call_ids == (item["call_id"],)))

    ended: list[Any] = []
    toolset = bench.kit.toolset(bench.kit.driver(click=click), members=["click"])
    assert payload(bench.kit.execute(toolset, call("click")))["ok"] is True
    assert ended == [("busy", True)]


@pytest.mark.parametrize("place", ["lookup", "click", "state"])
def test_a_toolset_closed_in_a_run_ends_its_call_and_stops_at_the_next(
    bench: Bench, place: str
) -> None:
    clicks: list[Any] = []

    def close_at(here: str) -> None:
        if here == place:
            toolset.close()

    def state() -> Any:
        close_at("state")
        return {"tabs": [TAB]}

    def click(action: Any) -> None:
        clicks.append(action)
        close_at("click")

    def lookup(_arguments: Any) -> str:
        close_at("lookup")
        return ""

    toolset = bench.kit.toolset(bench.kit.driver(state=state, click=click), members=["click"])
    calls = [
        function_call("browser_click", CLICK),
        function_call("lookup"),
        function_call("browser_click", CLICK),
    ]
    if place != "lookup":
        del calls[1]
    runner = bench.runner(bench.function(lookup), browser=toolset)
    with pytest.raises(ToolRunnerError) as caught:
        bench.run(runner, bench.client(response(*calls)))
    assert caught.value.code == "closed"
    assert len(clicks) == 1
    ids = tuple(item["call_id"] for item in calls)
    assert caught.value.attempted_call_ids == ids
    assert caught.value.completed_call_ids == ids[:-1]
    assert toolset.close() == {"status": "closed"}


def test_two_runners_share_a_toolset_in_turn(bench: Bench) -> None:
    toolset = bench.kit.toolset(members=["click"])
    for runner in (bench.runner(browser=toolset), bench.runner(browser=toolset)):
        client = bench.client(response(function_call("browser_click", CLICK)), response(message()))
        assert bench.run(runner, client)["status"] == "completed"


def test_overlapping_runs_of_two_threads(bench: Bench) -> None:
    inside, go_on = threading.Event(), threading.Event()

    def lookup(_arguments: Any) -> str:
        inside.set()
        assert go_on.wait(30)
        return ""

    runner = bench.runner(bench.function(lookup))
    results: list[str] = []

    def first() -> None:
        client = bench.client(response(function_call("lookup")), response(message()))
        results.append(bench.run(runner, client)["status"])

    thread = threading.Thread(target=first)
    thread.start()
    assert inside.wait(30)
    with pytest.raises(BusyError):
        bench.run(runner, bench.client())
    go_on.set()
    thread.join(30)
    assert results == ["completed"]


def test_overlapping_runs_of_two_tasks() -> None:
    async def main() -> None:
        hold = asyncio.Event()

        async def create(**request: Any) -> Any:
            await hold.wait()
            return response(message())

        client: Any = SimpleNamespace(responses=SimpleNamespace(create=create))
        runner = AsyncResponsesToolRunner()
        first = asyncio.create_task(runner.run(client, PARAMS))
        await asyncio.sleep(0)
        with pytest.raises(BusyError):
            await runner.run(client, PARAMS)
        hold.set()
        assert (await first)["status"] == "completed"
        assert (await runner.run(client, PARAMS))["status"] == "completed"

    asyncio.run(main())


def test_editing_the_toolset_between_calls_counts(bench: Bench) -> None:
    toolset = bench.kit.toolset(members=["click"])

    def lookup(_arguments: Any) -> str:
        toolset.confirm = bench.kit.function(lambda _context: False)
        return ""

    runner = bench.runner(bench.function(lookup), browser=toolset)
    client = bench.client(
        response(
            function_call("browser_click", CLICK),
            function_call("lookup"),
            function_call("browser_click", CLICK),
        ),
        response(message()),
    )
    bench.run(runner, client)
    outputs = client.requests[1]["input"][-3:]
    assert [payload(outputs[i])["ok"] for i in (0, 2)] == [True, False]
