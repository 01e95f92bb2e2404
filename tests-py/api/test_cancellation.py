"""Ending a call early, and what is left behind: nothing (B-51)."""

from __future__ import annotations

import asyncio
import gc
import threading
import warnings
from typing import Any

import pytest

from api.kit import TAB, Kit, call, payload
from swingbridge import BrowserCancelledError, BrowserError, ConfigurationError

PLACES = ("state", "url_policy", "confirm", "navigate", "state again")
BEFORE = {"state", "url_policy", "confirm"}


class Scene:
    """A navigation whose nth host call does something."""

    def __init__(self, kit: Kit, place: str, act: Any) -> None:
        self.left = [place]
        self.act = act
        self.states = 0
        driver = kit.driver(state=self.state, navigate=lambda _action: self.reach("navigate"))
        self.toolset = kit.toolset(
            driver,
            confirm=lambda _context: self.reached("confirm"),
            url_policy=lambda _context, _url: self.reached("url_policy"),
        )

    def state(self) -> Any:
        self.states += 1
        self.reach("state" if self.states == 1 else "state again")
        return {"tabs": [TAB]}

    def reached(self, here: str) -> bool:
        self.reach(here)
        return True

    def reach(self, here: str) -> None:
        if self.left == [here]:
            self.left.clear()
            self.act()


def raising(error: BaseException) -> Any:
    def act() -> None:
        raise error

    return act


@pytest.mark.parametrize("place", PLACES)
def test_a_true_cancelled_ends_the_call(kit: Kit, place: str) -> None:
    switch: list[None] = []
    scene = Scene(kit, place, lambda: switch.append(None))
    with pytest.raises(BrowserCancelledError) as caught:
        kit.execute(scene.toolset, call("navigate"), cancelled=lambda: bool(switch))
    before = place in BEFORE
    assert caught.value.code == (
        "cancelled_before_effect" if before else "cancelled_effect_unknown"
    )
    assert payload(kit.execute(scene.toolset, call("navigate")))["ok"] is True


def test_cancelled_before_the_beginning_touches_nothing(kit: Kit) -> None:
    toolset = kit.toolset(kit.driver(state=pytest.fail, click=pytest.fail))
    with pytest.raises(BrowserCancelledError) as caught:
        kit.execute(toolset, call("click"), cancelled=lambda: True)
    assert caught.value.code == "cancelled_before_effect"


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("error", [OSError("x"), BrowserError("x"), BrowserCancelledError("x")])
def test_cancellation_outranks_every_failure(kit: Kit, place: str, error: Exception) -> None:
    switch: list[None] = []

    def act() -> None:
        switch.append(None)
        raise error

    scene = Scene(kit, place, act)
    with pytest.raises(BrowserCancelledError) as caught:
        kit.execute(scene.toolset, call("navigate"), cancelled=lambda: bool(switch))
    assert caught.value is not error


@pytest.mark.parametrize("place", PLACES)
def test_a_driver_or_callback_may_cancel_by_itself(kit: Kit, place: str) -> None:
    scene = Scene(kit, place, raising(BrowserCancelledError("a private text")))
    with pytest.raises(BrowserCancelledError) as caught:
        kit.execute(scene.toolset, call("navigate"))
    assert "private" not in str(caught.value)


def test_any_true_value_cancels(kit: Kit) -> None:
    with pytest.raises(BrowserCancelledError):
        kit.execute(kit.toolset(), call("click"), cancelled=lambda: 1)


@pytest.mark.parametrize("calls", range(5))
def test_a_cancelled_that_raises_ends_the_call_with_its_error(kit: Kit, calls: int) -> None:
    count = 0

    def cancelled() -> bool:
        nonlocal count
        count += 1
        if count > calls:
            raise LookupError("asked once too often")
        return False

    records: list[Any] = []
    toolset = kit.toolset()
    with pytest.raises(LookupError):
        kit.execute(toolset, call("click"), cancelled=cancelled, on_diagnostic=records.append)
    assert all(record["reason"] in {"completed", "cancelled"} for record in records)
    assert payload(kit.execute(toolset, call("click")))["ok"] is True


def test_its_error_does_not_carry_that_of_the_driver(kit: Kit) -> None:
    left = [None, None, None]

    def click(_action: Any) -> None:
        left.clear()
        raise OSError("a private text")

    def cancelled() -> bool:
        if not left:
            raise LookupError("asked once too often")
        return False

    toolset = kit.toolset(kit.driver(click=click))
    with pytest.raises(LookupError) as caught:
        kit.execute(toolset, call("click"), cancelled=cancelled)
    assert caught.value.__context__ is None


def test_a_cancelled_that_is_not_callable_ends_the_call(kit: Kit) -> None:
    toolset = kit.toolset()
    with pytest.raises(TypeError):
        kit.execute(toolset, call("click"), cancelled=True)
    assert payload(kit.execute(toolset, call("click")))["ok"] is True


def test_an_asynchronous_cancelled_is_refused_and_closed(kit: Kit) -> None:
    async def cancelled() -> bool:
        raise AssertionError

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ConfigurationError) as caught:
            kit.execute(kit.toolset(), call("click"), cancelled=cancelled)
        gc.collect()
    assert caught.value.code == "flavour_mismatch"


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
def test_what_ends_the_program_goes_on_and_frees_the_toolset(
    kit: Kit, place: str, kind: type[BaseException]
) -> None:
    records: list[Any] = []
    scene = Scene(kit, place, raising(kind()))
    with pytest.raises(kind):
        kit.execute(scene.toolset, call("navigate"), on_diagnostic=records.append)
    reasons = [record["reason"] for record in records]
    assert "cancelled" in reasons or place.startswith("state")
    assert payload(kit.execute(scene.toolset, call("navigate")))["ok"] is True


@pytest.mark.parametrize("place", PLACES)
def test_the_error_of_a_cancelled_task_goes_on_in_the_sync_class_too(place: str) -> None:
    scene = Scene(Kit(asynchronous=False), place, raising(asyncio.CancelledError()))
    with pytest.raises(asyncio.CancelledError):
        scene.toolset.execute(call("navigate"))
    assert payload(scene.toolset.execute(call("navigate")))["ok"] is True


class Waiting:
    """A driver whose chosen method never returns by itself."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.reached = asyncio.Event()
        self.ended: list[str] = []

    async def at(self, here: str) -> None:
        if here == self.place:
            self.reached.set()
            try:
                await asyncio.get_running_loop().create_future()
            finally:
                self.ended.append(here)

    async def state(self) -> Any:
        await self.at("state")
        return {"tabs": [TAB]}

    async def navigate(self, _action: Any) -> None:
        await self.at("navigate")

    async def confirm(self, _context: Any) -> bool:
        await self.at("confirm")
        return True

    async def url_policy(self, _context: Any, _url: Any) -> bool:
        await self.at("url_policy")
        return True


@pytest.mark.parametrize("place", ["state", "navigate", "confirm", "url_policy"])
def test_a_cancelled_task_ends_what_never_settles(place: str) -> None:
    async def main() -> None:
        driver = Waiting(place)
        toolset = Kit(asynchronous=True).toolset(driver)
        toolset.confirm = driver.confirm
        toolset.url_policy = driver.url_policy
        records: list[Any] = []
        task = asyncio.create_task(toolset.execute(call("navigate"), on_diagnostic=records.append))
        await driver.reached.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert task.cancelled()
        assert driver.ended == [place]
        assert [record["reason"] for record in records if record["reason"] != "completed"] == (
            [] if place == "state" else ["cancelled"]
        )
        # Nothing is left: no task, and the toolset takes the next call.
        assert asyncio.all_tasks() == {asyncio.current_task()}
        driver.place = ""
        assert payload(await toolset.execute(call("navigate")))["ok"] is True

    threads = threading.active_count()
    asyncio.run(main())
    assert threading.active_count() == threads


def test_a_timeout_is_a_timeout() -> None:
    async def main() -> None:
        driver = Waiting("state")
        toolset = Kit(asynchronous=True).toolset(driver)
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(toolset.execute(call("list_tabs")), 0.01)
        assert driver.ended == ["state"]
        assert toolset.close() == {"status": "closed"}

    asyncio.run(main())


def test_a_driver_that_swallows_the_cancellation_goes_on() -> None:
    async def main() -> None:
        driver: Any = Waiting("navigate")
        navigate = driver.navigate

        async def stubborn(action: Any) -> None:
            try:
                await navigate(action)
            except asyncio.CancelledError:
                return

        driver.navigate = stubborn
        toolset = Kit(asynchronous=True).toolset(driver)
        task = asyncio.create_task(toolset.execute(call("navigate")))
        await driver.reached.wait()
        task.cancel()
        assert payload(await task)["ok"] is True

    asyncio.run(main())


def test_an_abandoned_coroutine_frees_the_toolset() -> None:
    class Suspending:
        def __await__(self) -> Any:
            yield

    class Driver:
        async def state(self) -> Any:
            await Suspending()

    toolset = Kit(asynchronous=True).toolset(Driver())
    running = toolset.execute(call("list_tabs"))
    running.send(None)
    assert toolset.close() == {"status": "draining"}
    running.close()
    assert toolset.close() == {"status": "closed"}


def test_it_works_without_an_event_loop() -> None:
    """Nothing in the async class asks for asyncio: any loop will do."""
    toolset = Kit(asynchronous=True).toolset()
    running = toolset.execute(call("click"))
    with pytest.raises(StopIteration) as caught:
        running.send(None)
    assert payload(caught.value.value)["ok"] is True
