"""Functions that run beside the stream and beside each other (R-34)."""

from __future__ import annotations

import asyncio
import threading
from contextvars import ContextVar
from typing import Any

import pytest

import swingbridge
from api.kit import CLICK, Kit
from runner.bench import DECLARATION, PARAMS, Bench, finish
from runner.endpoint import function_call, message, response
from runner.streams import AsyncSource, SyncSource, events
from swingbridge import (
    AsyncRegisteredFunction,
    AsyncResponsesToolRunner,
    BrowserCancelledError,
    RegisteredFunction,
    ResponsesToolRunner,
    ToolRunnerError,
)
from swingbridge.started import Started

EAGER: dict[str, Any] = {"stream": True, "eager": True}
PATIENCE = 30.0
SYNC, ASYNC = Bench(Kit(asynchronous=False)), Bench(Kit(asynchronous=True))
PLACE: ContextVar[str] = ContextVar("PLACE", default="nowhere")


def independent(execute: Any, name: str = "lookup") -> RegisteredFunction:
    return RegisteredFunction({**DECLARATION, "name": name}, execute, independent=True)


def run(execute: Any, *steps: Any, **options: Any) -> tuple[Any, Any]:
    """A sync run of one stream of these steps and a final one; its client and its response."""
    client = SYNC.client(SyncSource(*steps), SyncSource(*events(message())))
    runner = ResponsesToolRunner(functions=[independent(execute)])
    return client, runner.run(client, PARAMS, **{**EAGER, **options})


def stopped(execute: Any, *steps: Any, **options: Any) -> ToolRunnerError:
    with pytest.raises(ToolRunnerError) as caught:
        run(execute, *steps, **options)
    return caught.value


def calls(count: int) -> tuple[list[Any], list[Any]]:
    made = [function_call("lookup", {"n": number}) for number in range(count)]
    return made, events(*made)


def ids(items: list[Any]) -> tuple[str, ...]:
    return tuple(item["call_id"] for item in items)


def test_they_run_beside_each_other_and_beside_the_stream() -> None:
    _, listed = calls(2)
    both = threading.Barrier(2, timeout=PATIENCE)
    begun, read_on = threading.Event(), threading.Event()

    def lookup(arguments: Any) -> str:
        begun.set()
        if arguments["n"] == 0:
            # Passes only if the stream is read on meanwhile.
            assert read_on.wait(PATIENCE)
        both.wait()
        return f"found {arguments['n']}"

    def between() -> None:
        assert begun.wait(PATIENCE)
        read_on.set()

    client, _ = run(lookup, *listed[:3], between, *listed[3:])
    sent = [item["output"] for item in client.requests[1]["input"][-2:]]
    assert sent == ["found 0", "found 1"]


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_no_more_than_the_limit_run_at_once(limit: int) -> None:
    _, listed = calls(6)
    lock = threading.Lock()
    group = threading.Barrier(limit, timeout=PATIENCE)
    now, most = 0, 0

    def lookup(_arguments: Any) -> str:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        group.wait()
        with lock:
            now -= 1
        group.wait()
        return ""

    client, _ = run(lookup, *listed, max_concurrent_calls=limit)
    assert most == limit
    assert len(client.requests[1]["input"]) == 13


def test_context_variables_are_copied() -> None:
    seen: list[str] = []
    _, listed = calls(1)

    def lookup(_arguments: Any) -> str:
        seen.append(PLACE.get())
        PLACE.set("in the function")
        return ""

    token = PLACE.set("at the caller")
    try:
        run(lookup, *listed)
        seen.append(PLACE.get())
    finally:
        PLACE.reset(token)
    assert seen == ["at the caller", "at the caller"]


def test_they_run_in_threads_of_their_own_that_are_gone_afterwards() -> None:
    threads: list[Any] = []
    _, listed = calls(2)

    def lookup(_arguments: Any) -> str:
        threads.append(threading.current_thread())
        return ""

    before = threading.active_count()
    run(lookup, *listed)
    assert threading.current_thread() not in threads
    assert threading.active_count() == before


def test_without_a_stream_they_run_in_order_in_the_callers_thread() -> None:
    threads: list[Any] = []

    def lookup(_arguments: Any) -> str:
        threads.append(threading.current_thread())
        return ""

    runner = ResponsesToolRunner(functions=[independent(lookup)])
    client = SYNC.client(
        response(function_call("lookup"), function_call("lookup")), response(message())
    )
    runner.run(client, PARAMS)
    assert threads == [threading.current_thread()] * 2


def test_other_work_waits_for_them() -> None:
    trace: list[str] = []
    begun = threading.Event()

    def lookup(_arguments: Any) -> str:
        assert begun.wait(PATIENCE)
        trace.append("lookup")
        return ""

    def click(_action: Any) -> None:
        trace.append("click")

    runner = ResponsesToolRunner(
        browser=SYNC.kit.toolset(SYNC.kit.driver(click=click), members=["click"]),
        functions=[independent(lookup)],
    )
    listed = events(function_call("lookup"), function_call("browser_click", CLICK))
    client = SYNC.client(
        SyncSource(*listed[:3], begun.set, *listed[3:]), SyncSource(*events(message()))
    )
    runner.run(client, PARAMS, **EAGER)
    assert trace == ["lookup", "click"]


# --- receipts on every way out --------------------------------------------------------------------


class Gate:
    """A function that ends when it is let go."""

    def __init__(self) -> None:
        self.begun, self.go = threading.Event(), threading.Event()
        self.done: list[int] = []

    def __call__(self, arguments: Any) -> str:
        self.begun.set()
        assert self.go.wait(PATIENCE)
        self.done.append(arguments["n"])
        return ""


def release(gate: Gate, error: Any = None) -> Any:
    def step() -> None:
        assert gate.begun.wait(PATIENCE)
        gate.go.set()
        if error is not None:
            raise error

    return step


def test_a_failed_stream_waits_for_what_was_started() -> None:
    gate = Gate()
    made, listed = calls(2)
    error = stopped(gate, *listed[:3], release(gate, OSError("lost")), max_concurrent_calls=5)
    assert error.code == "request_failed"
    assert error.completed_call_ids == ids(made[:1])
    assert gate.done == [0]


def test_a_call_that_failed_leaves_the_receipts_of_the_others() -> None:
    made, listed = calls(3)
    meet = threading.Barrier(3, timeout=PATIENCE)

    def lookup(arguments: Any) -> str:
        meet.wait()
        if arguments["n"] == 1:
            raise OSError("tr0ub4dor")
        return ""

    error = stopped(lookup, *listed, max_concurrent_calls=3)
    assert error.code == "function_failed"
    assert error.attempted_call_ids == ids(made)
    assert error.completed_call_ids == (made[0]["call_id"], made[2]["call_id"])


@pytest.mark.parametrize(
    ("outcome", "code"),
    [
        (BrowserCancelledError(), "run_cancelled"),
        (OSError("tr0ub4dor"), "function_failed"),
        (5, "function_output_invalid"),
    ],
)
def test_how_a_started_function_may_fail(outcome: Any, code: str) -> None:
    def lookup(_arguments: Any) -> Any:
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    made, listed = calls(1)
    error = stopped(lookup, *listed)
    assert (error.code, error.attempted_call_ids) == (code, ids(made))
    assert error.completed_call_ids == ()


def test_a_coroutine_of_a_started_function_is_closed() -> None:
    async def later() -> str:
        raise AssertionError

    execute: Any = lambda _arguments: later()  # noqa: E731 - opaque on purpose
    _, listed = calls(1)
    error = stopped(execute, *listed)
    assert error.code == "function_output_invalid"
    assert "awaitable" in str(error)


def test_a_system_exit_of_a_started_function_ends_the_program() -> None:
    def lookup(_arguments: Any) -> str:
        raise SystemExit(3)

    _, listed = calls(2)
    with pytest.raises(SystemExit) as caught:
        run(lookup, *listed)
    assert caught.value.code == 3


def test_a_true_cancelled_waits_for_what_was_started() -> None:
    gate = Gate()
    made, listed = calls(1)
    switch: list[None] = []

    def cancel() -> None:
        release(gate)()
        switch.append(None)

    error = stopped(gate, *listed[:3], cancel, *listed[3:], cancelled=lambda: bool(switch))
    assert error.code == "run_cancelled"
    assert error.completed_call_ids == ids(made)


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
def test_an_interrupt_waits_for_what_was_started(kind: type[BaseException]) -> None:
    gate = Gate()
    _, listed = calls(1)
    runner = ResponsesToolRunner(functions=[independent(gate)])
    source = SyncSource(*listed[:3], release(gate, kind()))
    with pytest.raises(kind):
        runner.run(SYNC.client(source), PARAMS, max_concurrent_calls=5, **EAGER)
    assert gate.done == [0]
    assert source.closed == 1
    assert runner.run(SYNC.client(response(message())), PARAMS)["status"] == "completed"


class Impatient(Started):
    """Interrupts whoever waits for it, twice."""

    left = 2

    def wait(self) -> None:
        if Impatient.left:
            Impatient.left -= 1
            raise KeyboardInterrupt
        super().wait()


def test_a_second_interrupt_goes_on_and_keeps_the_runner_busy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("swingbridge.pump.Started", Impatient)
    gate = Gate()
    _, listed = calls(1)
    runner = ResponsesToolRunner(functions=[independent(gate)])
    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        runner.run(SYNC.client(SyncSource(*listed)), PARAMS, **EAGER)
    # The function still runs: another run would run beside it.
    with pytest.raises(swingbridge.BusyError):
        runner.run(SYNC.client(), PARAMS)
    assert runner.close() == {"status": "draining"}
    gate.go.set()
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and threading.active_count() > before:
            thread.join(PATIENCE)
    assert gate.done == [0]
    assert runner.close() == {"status": "closed"}


def test_a_busy_toolset_ends_the_run_after_what_was_started() -> None:
    gate = Gate()
    toolset = SYNC.kit.toolset(members=["click"])
    runner = ResponsesToolRunner(browser=toolset, functions=[independent(gate)])
    items = [function_call("lookup", {"n": 0}), function_call("browser_click", CLICK)]
    listed = events(*items)

    def occupy() -> None:
        toolset.close()
        release(gate)()

    client = SYNC.client(SyncSource(*listed[:3], occupy, *listed[3:]))
    with pytest.raises(ToolRunnerError) as caught:
        runner.run(client, PARAMS, max_concurrent_calls=5, **EAGER)
    assert caught.value.code == "closed"
    assert caught.value.completed_call_ids == ids(items[:1])
    assert gate.done == [0]


def test_with_a_ledger_nothing_runs_beside_anything() -> None:
    threads: list[Any] = []
    phases: list[Any] = []

    def lookup(_arguments: Any) -> str:
        threads.append(threading.current_thread())
        phases.append("lookup")
        return ""

    _, listed = calls(2)
    ledger = SYNC.ledger(lambda checkpoint: phases.append(checkpoint["attempted_call_ids"]))
    run(lookup, *listed, ledger=ledger)
    assert threads == [threading.current_thread()] * 2
    first = phases.index("lookup")
    assert (len(phases[first - 1]), len(phases[first + 1])) == (1, 1)


# --- tasks ----------------------------------------------------------------------------------------


def async_runner(execute: Any) -> AsyncResponsesToolRunner:
    return AsyncResponsesToolRunner(
        functions=[AsyncRegisteredFunction(DECLARATION, execute, independent=True)]
    )


def test_tasks_run_beside_each_other_and_beside_the_stream() -> None:
    async def main() -> None:
        met: list[int] = []
        both = asyncio.Event()

        async def lookup(arguments: Any) -> str:
            met.append(arguments["n"])
            if len(met) == 2:
                both.set()
            await asyncio.wait_for(both.wait(), PATIENCE)
            return f"found {arguments['n']}"

        _, listed = calls(2)
        client = ASYNC.client(AsyncSource(*listed), AsyncSource(*events(message())))
        await async_runner(lookup).run(client, PARAMS, **EAGER)
        sent = [item["output"] for item in client.requests[1]["input"][-2:]]
        assert sent == ["found 0", "found 1"]
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())


@pytest.mark.parametrize("settles", ["by ending", "by returning", "by raising"])
def test_a_cancelled_task_asks_what_was_started_to_end_and_waits(settles: str) -> None:
    async def main() -> None:
        begun = asyncio.Event()
        trace: list[str] = []

        async def lookup(_arguments: Any) -> str:
            begun.set()
            try:
                await asyncio.get_running_loop().create_future()
            except asyncio.CancelledError:
                await asyncio.sleep(0)  # not at once
                trace.append("asked to end")
                if settles == "by returning":
                    return "after all"
                if settles == "by raising":
                    raise OSError("tr0ub4dor") from None
                raise
            raise AssertionError

        class Endless(AsyncSource):
            async def __anext__(self) -> Any:
                event = self._next()
                if event is None:
                    await asyncio.get_running_loop().create_future()
                return event

        made, listed = calls(1)
        source = Endless(*listed[:3])
        runner = async_runner(lookup)
        work = asyncio.create_task(outcome(runner.run(ASYNC.client(source), PARAMS, **EAGER)))
        await begun.wait()
        work.cancel()
        error = await work
        assert isinstance(error, swingbridge.ToolRunnerCancelledError)
        assert trace == ["asked to end"]
        assert error.attempted_call_ids == ids(made)
        # What it returned is a receipt, although nobody wanted it any more.
        assert error.completed_call_ids == (ids(made) if settles == "by returning" else ())
        assert source.closed == 1
        assert asyncio.all_tasks() == {asyncio.current_task()}
        assert runner.close() == {"status": "closed"}

    asyncio.run(main())


async def outcome(work: Any) -> BaseException | None:
    try:
        await work
    except BaseException as error:
        return error
    return None


def test_more_cancellations_change_nothing() -> None:
    async def main() -> None:
        begun, asked, go = asyncio.Event(), asyncio.Event(), asyncio.Event()

        async def lookup(_arguments: Any) -> str:
            begun.set()
            while not go.is_set():
                try:
                    await go.wait()
                except asyncio.CancelledError:
                    asked.set()
            return "after all"

        made, listed = calls(1)
        runner = async_runner(lookup)
        source = AsyncSource(*listed)
        work = asyncio.create_task(outcome(runner.run(ASYNC.client(source), PARAMS, **EAGER)))
        await begun.wait()
        for _ in range(3):
            asked.clear()
            work.cancel()
            await asked.wait()
        assert runner.close() == {"status": "draining"}
        go.set()
        error = await work
        assert isinstance(error, swingbridge.ToolRunnerCancelledError)
        assert error.completed_call_ids == ids(made)

    asyncio.run(main())


def test_a_started_task_that_fails_leaves_the_receipts_of_the_others() -> None:
    async def lookup(arguments: Any) -> str:
        await asyncio.sleep(0)
        if arguments["n"] == 0:
            raise OSError("tr0ub4dor")
        return ""

    made, listed = calls(2)
    with pytest.raises(ToolRunnerError) as caught:
        finish(async_runner(lookup).run(ASYNC.client(AsyncSource(*listed)), PARAMS, **EAGER))
    assert caught.value.code == "function_failed"
    assert caught.value.completed_call_ids == ids(made[1:])


def test_without_asyncio_they_run_one_after_the_other() -> None:
    trace: list[Any] = []

    async def lookup(arguments: Any) -> str:
        trace.append(arguments["n"])
        return "found"

    _, listed = calls(2)
    client = ASYNC.client(AsyncSource(*listed), AsyncSource(*events(message())))
    work = async_runner(lookup).run(client, PARAMS, **EAGER)
    # Nothing here waits for an event loop, so stepping the coroutine is enough of one.
    with pytest.raises(StopIteration) as caught:
        work.send(None)
    assert caught.value.value["status"] == "completed"
    assert trace == [0, 1]
    assert client.requests[1]["input"][-1]["output"] == "found"


def test_a_coroutine_that_is_closed_frees_the_runner() -> None:
    class Waiting:
        def __await__(self) -> Any:
            yield

    class Source(AsyncSource):
        async def __anext__(self) -> Any:
            await Waiting()

    async def lookup(_arguments: Any) -> str:
        raise AssertionError

    runner = async_runner(lookup)
    work = runner.run(ASYNC.client(Source()), PARAMS, stream=True)
    work.send(None)
    assert runner.close() == {"status": "draining"}
    work.close()
    assert runner.close() == {"status": "closed"}
