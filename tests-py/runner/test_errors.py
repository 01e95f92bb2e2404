"""How a run ends early, and what its error says: ids, a code, and no secrets (R-8, B-51)."""

from __future__ import annotations

import asyncio
import gc
import traceback
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import swingbridge
from api.kit import CLICK, TAB, Kit
from runner.bench import PARAMS, Bench
from runner.endpoint import function_call, message, response
from swingbridge import BrowserCancelledError, ConfigurationError, ToolRunnerError

SECRET = "tr0ub4dor"


def raising(error: BaseException) -> Any:
    def function(_argument: Any = None) -> Any:
        raise error

    return function


def test_a_failed_request_has_the_clients_error_as_its_cause(bench: Bench) -> None:
    failure = OSError("connection lost")
    first = function_call("lookup")
    client = bench.client(response(first), failure)
    with pytest.raises(ToolRunnerError) as caught:
        bench.run(bench.runner(bench.function(lambda _arguments: "")), client)
    assert caught.value.code == "request_failed"
    assert caught.value.__cause__ is failure
    assert caught.value.attempted_call_ids == (first["call_id"],)
    assert caught.value.completed_call_ids == (first["call_id"],)


def test_a_failed_function_stops_and_stays_private(bench: Bench) -> None:
    calls = [function_call("lookup"), function_call("lookup", {"fail": True})]

    def lookup(arguments: Any) -> str:
        if arguments:
            raise OSError(SECRET)
        return ""

    client = bench.client(response(*calls, function_call("lookup")))
    with pytest.raises(ToolRunnerError) as caught:
        bench.run(bench.runner(bench.function(lookup)), client)
    assert caught.value.code == "function_failed"
    assert caught.value.attempted_call_ids == tuple(item["call_id"] for item in calls)
    assert caught.value.completed_call_ids == (calls[0]["call_id"],)
    assert caught.value.__cause__ is None
    printed = "".join(traceback.format_exception(caught.value))
    assert SECRET not in printed.replace(Path(__file__).read_text("utf-8"), "")


@pytest.mark.parametrize(
    ("methods", "code"),
    [
        ({"state": raising(OSError(SECRET))}, "state_failed"),
        ({"state": lambda: {"tabs": SECRET}}, "state_invalid"),
        ({"click": lambda _action: [SECRET]}, "result_invalid"),
    ],
)
def test_a_broken_driver_stops_the_run(bench: Bench, methods: dict[str, Any], code: str) -> None:
    driver = bench.kit.driver(**{"click": lambda _action: None, **methods})
    toolset = bench.kit.toolset(driver, members=["click"])
    item = function_call("browser_click", CLICK)
    with pytest.raises(ToolRunnerError) as caught:
        bench.run(bench.runner(browser=toolset), bench.client(response(item)))
    assert caught.value.code == code
    assert caught.value.attempted_call_ids == (item["call_id"],)
    assert caught.value.completed_call_ids == ()
    assert caught.value.__cause__ is None
    assert SECRET not in str(caught.value)
    assert toolset.close() == {"status": "closed"}


def test_a_driver_of_the_wrong_flavour_is_told_to_the_developer() -> None:
    async def later() -> None:
        raise AssertionError

    bench = Bench(Kit(asynchronous=False))
    toolset = bench.kit.toolset(bench.kit.driver(click=lambda _action: later()))
    item = function_call("browser_click", CLICK)
    with pytest.raises(ToolRunnerError, match="click returned an awaitable"):
        bench.run(bench.runner(browser=toolset), bench.client(response(item)))
    gc.collect()


PLACES = ("request", "lookup", "state", "confirm", "click")


class Scene:
    """A run of two requests with one function call and one click, where something happens."""

    def __init__(self, bench: Bench, place: str, act: Any) -> None:
        self.bench, self.place, self.act = bench, place, act
        self.calls = [function_call("lookup"), function_call("browser_click", CLICK)]
        driver = bench.kit.driver(
            state=lambda: self.after("state", {"tabs": [TAB]}),
            click=lambda _action: self.reach("click"),
        )
        self.toolset = bench.kit.toolset(
            driver,
            members=["click"],
            confirm=lambda _context: self.after("confirm", True),
        )
        self.runner = bench.runner(
            bench.function(lambda _arguments: self.after("lookup", "")), browser=self.toolset
        )

    def after(self, here: str, answer: Any) -> Any:
        self.reach(here)
        return answer

    def reach(self, here: str) -> None:
        if here == self.place:
            self.place = ""
            self.act()

    def answer(self) -> Any:
        self.reach("request")
        return response(*self.calls)

    def run(self, **options: Any) -> Any:
        client = self.bench.client(self.answer, lambda: response(message()))
        return self.bench.run(self.runner, client, **options)

    @property
    def attempted(self) -> tuple[str, ...]:
        begun = {"request": 0, "lookup": 1}.get(self.where, 2)
        return tuple(item["call_id"] for item in self.calls[:begun])

    where = ""


def scene(bench: Bench, place: str, act: Any) -> Scene:
    made = Scene(bench, place, act)
    made.where = place
    return made


def assert_it_runs_again(made: Scene) -> None:
    made.calls = [function_call("lookup"), function_call("browser_click", CLICK)]
    assert made.run()["status"] == "completed"


@pytest.mark.parametrize("place", PLACES)
def test_a_true_cancelled_ends_the_run_with_its_ids(bench: Bench, place: str) -> None:
    switch: list[None] = []
    made = scene(bench, place, lambda: switch.append(None))
    with pytest.raises(ToolRunnerError) as caught:
        made.run(cancelled=lambda: bool(switch))
    assert caught.value.code == "run_cancelled"
    assert caught.value.attempted_call_ids == made.attempted
    # A function that has returned is done, whatever was wished meanwhile.
    done = 1 if place in {"lookup", "state", "confirm", "click"} else 0
    assert caught.value.completed_call_ids == made.attempted[:done]
    assert_it_runs_again(made)


@pytest.mark.parametrize("place", PLACES[1:])
def test_host_code_may_cancel_by_itself(bench: Bench, place: str) -> None:
    made = scene(bench, place, raising(BrowserCancelledError()))
    with pytest.raises(ToolRunnerError) as caught:
        made.run()
    assert caught.value.code == "run_cancelled"
    assert caught.value.attempted_call_ids == made.attempted
    assert_it_runs_again(made)


def test_cancelled_before_the_beginning_sends_nothing(bench: Bench) -> None:
    client = bench.client()
    with pytest.raises(ToolRunnerError) as caught:
        bench.run(bench.runner(), client, cancelled=lambda: True)
    assert caught.value.code == "run_cancelled"
    assert client.requests == []


@pytest.mark.parametrize("calls", range(7))
def test_a_cancelled_that_raises_ends_the_run(bench: Bench, calls: int) -> None:
    count = 0
    failure = LookupError("asked once too often")

    def cancelled() -> bool:
        nonlocal count
        count += 1
        if count > calls:
            raise failure
        return False

    made = scene(bench, "", lambda: None)
    with pytest.raises(ToolRunnerError) as caught:
        made.run(cancelled=cancelled, on_diagnostic=lambda _record: None)
    assert caught.value.code == "run_cancelled"
    assert caught.value.__cause__ is failure
    assert_it_runs_again(made)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
def test_what_ends_the_program_goes_on_and_frees_the_runner(
    bench: Bench, place: str, kind: type[BaseException]
) -> None:
    made = scene(bench, place, raising(kind()))
    with pytest.raises(kind):
        made.run()
    assert_it_runs_again(made)


@pytest.mark.parametrize("place", PLACES)
def test_the_error_of_a_cancelled_task_keeps_its_kind_and_has_the_ids(
    bench: Bench, place: str
) -> None:
    made = scene(bench, place, raising(asyncio.CancelledError(SECRET)))
    with pytest.raises(asyncio.CancelledError) as caught:
        made.run()
    error = caught.value
    assert isinstance(error, swingbridge.ToolRunnerCancelledError)
    assert error.attempted_call_ids == made.attempted
    assert error.__cause__ is None
    assert error.__suppress_context__
    assert SECRET not in str(error)
    assert_it_runs_again(made)


@pytest.mark.parametrize("place", PLACES)
def test_a_cancelled_task_ends_what_never_settles(place: str) -> None:
    bench = Bench(Kit(asynchronous=True))

    async def main() -> None:
        made = scene(bench, "", lambda: None)
        reached = asyncio.Event()

        async def wait(here: str) -> None:
            if here == place:
                reached.set()
                await asyncio.get_running_loop().create_future()

        async def create(**request: Any) -> Any:
            await wait("request")
            return response(*made.calls)

        async def state() -> Any:
            await wait("state")
            return {"tabs": [TAB]}

        async def click(_action: Any) -> None:
            await wait("click")

        async def confirm(_context: Any) -> bool:
            await wait("confirm")
            return True

        async def lookup(_arguments: Any) -> str:
            await wait("lookup")
            return ""

        toolset = made.toolset
        toolset.driver = SimpleNamespace(state=state, click=click)
        toolset.confirm = confirm
        runner = swingbridge.AsyncResponsesToolRunner(
            browser=toolset,
            functions=[swingbridge.AsyncRegisteredFunction(LOOKUP, lookup)],
        )
        client: Any = SimpleNamespace(responses=SimpleNamespace(create=create))

        async def in_a_task() -> None:
            with pytest.raises(swingbridge.ToolRunnerCancelledError) as caught:
                await runner.run(client, PARAMS)
            ended.append(caught.value)
            raise caught.value

        ended: list[swingbridge.ToolRunnerCancelledError] = []
        task = asyncio.create_task(in_a_task())
        await reached.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert task.cancelled()
        made.where = place
        assert ended[0].attempted_call_ids == made.attempted
        assert asyncio.all_tasks() == {asyncio.current_task()}
        assert runner.close() == {"status": "closed"}
        assert toolset.close() == {"status": "closed"}

    asyncio.run(main())


LOOKUP = {"type": "function", "name": "lookup", "parameters": {"type": "object"}, "strict": False}


def test_a_client_of_the_other_flavour_is_refused_at_admission(bench: Bench) -> None:
    other = Bench(Kit(asynchronous=not bench.kit.asynchronous))

    def annotated(**request: Any) -> dict[str, Any]:
        raise AssertionError

    async def asynchronous(**request: Any) -> Any:
        raise AssertionError

    create = annotated if bench.kit.asynchronous else asynchronous
    client = SimpleNamespace(responses=SimpleNamespace(create=create))
    runner = bench.runner()
    with pytest.raises(ConfigurationError, match=r"responses\.create is ") as caught:
        bench.run(runner, client)
    assert caught.value.code == "flavour_mismatch"
    assert bench.run(runner, bench.client(response(message())))["status"] == "completed"
    assert other.kit.asynchronous != bench.kit.asynchronous


def test_an_opaque_client_of_the_other_flavour_is_refused_at_its_first_answer(
    bench: Bench,
) -> None:
    async def never() -> Any:
        raise AssertionError

    def create(**request: Any) -> Any:
        return {} if bench.kit.asynchronous else never()

    client = SimpleNamespace(responses=SimpleNamespace(create=create))
    runner = bench.runner()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ToolRunnerError, match=r"responses\.create is ") as caught:
            bench.run(runner, client)
        gc.collect()
    assert type(caught.value.__cause__) is ConfigurationError
    assert caught.value.code == "flavour_mismatch"
    assert bench.run(runner, bench.client(response(message())))["status"] == "completed"


@pytest.mark.parametrize(
    "client",
    [
        None,
        object(),
        SimpleNamespace(responses=None),
        SimpleNamespace(responses=SimpleNamespace(create=5)),
    ],
)
def test_what_is_no_client_is_refused(bench: Bench, client: Any) -> None:
    with pytest.raises(ConfigurationError) as caught:
        bench.run(bench.runner(), client)
    assert caught.value.code == "client_invalid"
