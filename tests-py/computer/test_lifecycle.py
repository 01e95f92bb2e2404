"""One call or run at a time, and none after closing (B-50)."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import pytest

from api.kit import Kit
from computer.scripted import CHECK, PICTURE, Screen, call, output
from runner.endpoint import message, response
from swingbridge import BusyError, ClosedError, ComputerUseError

PLACES = ("approve", "before", "click", "screenshot", "observer", "cancelled")


def screen_that_calls(kit: Kit, place: str, inside: Any) -> tuple[Screen, dict[str, Any]]:
    """A screen and the options of ``execute`` with ``inside()`` run once, at ``place``."""
    left = [None]

    def reach(here: str, value: Any = None) -> Any:
        if here == place and left:
            left.pop()
            inside()
        return value

    screen = Screen(
        kit,
        click=lambda _action: reach("click"),
        screenshot=lambda: reach("screenshot", PICTURE),
    )
    return screen, {
        "approve_safety_checks": lambda _call: reach("approve", True),
        "before_action": lambda _action: reach("before", True),
        "on_diagnostic": lambda _record: reach("observer"),
        "cancelled": lambda: reach("cancelled", False),
    }


@pytest.mark.parametrize("place", PLACES)
def test_close_inside_a_callback_lets_the_call_end(kit: Kit, place: str) -> None:
    statuses: list[Any] = []
    screen: Screen
    screen, options = screen_that_calls(kit, place, lambda: statuses.append(screen.toolset.close()))
    assert screen.execute(call(checks=[CHECK]), **options) == output(checks=[CHECK])
    assert statuses == [{"status": "draining"}]
    assert screen.toolset.close() == {"status": "closed"}
    for again in (screen.execute, screen.run):
        with pytest.raises(ClosedError) as caught:
            again(call())
        assert caught.value.code == "closed"


@pytest.mark.parametrize("place", PLACES)
def test_another_call_or_run_inside_a_callback_is_refused(kit: Kit, place: str) -> None:
    refusals: list[Any] = []
    screen: Screen

    def inside() -> None:
        for attempt in (screen.toolset.execute, partial(screen.toolset.run, None)):
            try:
                # Not awaited in the async flavour: it must be refused before it begins.
                begun = attempt(call())
                if kit.asynchronous:
                    begun.send(None)
            except BusyError as error:
                refusals.append(error.code)

    screen, options = screen_that_calls(kit, place, inside)
    assert screen.execute(call(checks=[CHECK]), **options) == output(checks=[CHECK])
    assert refusals == ["busy", "busy"]


def test_a_run_occupies_the_toolset_between_its_calls_too(kit: Kit) -> None:
    screen = Screen(kit)
    refusals: list[str] = []

    class Client:
        answers = iter([response(call()), response(message())])

        def create(self, **_params: Any) -> Any:
            begun: Any = None
            try:
                begun = screen.toolset.execute(call(number=9))
                if kit.asynchronous:
                    begun.send(None)
            except BusyError as error:
                refusals.append(error.code)
            return next(self.answers)

    create = staticmethod(in_flavour(kit, Client().create))
    client = type("C", (), {"responses": type("R", (), {"create": create})()})()
    screen.run(client)
    assert refusals == ["busy", "busy"]
    assert screen.execute(call()) == output()


def in_flavour(kit: Kit, create: Any) -> Any:
    if not kit.asynchronous:
        return create

    async def create_async(**params: Any) -> Any:
        return create(**params)

    return create_async


@pytest.mark.parametrize("error", [OSError(), KeyboardInterrupt(), SystemExit(), GeneratorExit()])
def test_it_is_free_after_any_end(kit: Kit, error: BaseException) -> None:
    broken = [error]

    def click(_action: Any) -> None:
        if broken:
            raise broken.pop()

    screen = Screen(kit, click=click)
    # Not through asyncio.run, which ends its loop on these.
    begun = screen.toolset.execute
    with pytest.raises(type(error)):
        begun(call()).send(None) if kit.asynchronous else begun(call())
    assert screen.execute(call()) == output()


def test_it_is_free_after_a_refusal(kit: Kit) -> None:
    screen = Screen(kit)
    for item in (call(checks=[CHECK]), None):
        with pytest.raises(ComputerUseError):
            screen.execute(item)
    assert screen.execute(call()) == output()


def test_two_tasks_of_one_toolset() -> None:
    async def main() -> None:
        begun, go_on = asyncio.Event(), asyncio.Event()
        kit = Kit(asynchronous=True)
        screen = Screen(kit)

        async def click(_action: Any) -> None:
            begun.set()
            await go_on.wait()

        screen.driver.click = click
        screen.toolset = screen.toolset_class(screen.driver)
        first = asyncio.create_task(screen.toolset.execute(call()))
        await begun.wait()
        with pytest.raises(BusyError):
            await screen.toolset.execute(call())
        assert screen.toolset.close() == {"status": "draining"}
        go_on.set()
        assert await first == output()
        assert screen.toolset.close() == {"status": "closed"}

    asyncio.run(main())
