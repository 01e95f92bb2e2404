"""Cancelling a computer call (B-51): between every two host calls, and before every failure."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from api.kit import Kit
from computer.scripted import CHECK, CLICK, MOVE, PICTURE, Screen, call, output
from swingbridge import BrowserCancelledError, ComputerUseError, ConfigurationError, ToolDiagnostic

STEPS = [
    "approve",
    "before click",
    "click",
    "before move",
    "move",
    "before screenshot",
    "screenshot",
]


@pytest.mark.parametrize("step", range(len(STEPS) + 1))
def test_at_every_step(screen: Screen, step: int) -> None:
    with pytest.raises(ComputerUseError) as caught:
        screen.execute(
            call(CLICK, MOVE, checks=[CHECK]),
            approve_safety_checks=screen.approve(),
            before_action=screen.review(),
            cancelled=lambda: len(screen.log) >= step,
        )
    assert screen.log == STEPS[:step]
    touched = "click" in screen.log
    code = "cancelled_effect_unknown" if touched else "cancelled_before_effect"
    assert caught.value.code == code
    assert screen.execute(call()) == output()


@pytest.mark.parametrize("place", ["click", "screenshot", "before_action"])
def test_it_outranks_failures(kit: Kit, place: str) -> None:
    wish: list[bool] = []

    def fail(*_: Any) -> Any:
        wish.append(True)
        raise LookupError

    screen = Screen(kit, **({place: fail} if place != "before_action" else {}))
    options = {"before_action": fail} if place == "before_action" else {}
    with pytest.raises(ComputerUseError) as caught:
        screen.execute(call(), cancelled=lambda: bool(wish), **options)
    assert caught.value.code.startswith("cancelled_")


def test_a_driver_that_noticed_it_may_say_so(kit: Kit) -> None:
    def click(_action: Any) -> None:
        raise BrowserCancelledError("noticed")

    records: list[ToolDiagnostic] = []
    screen = Screen(kit, click=click)
    with pytest.raises(ComputerUseError) as caught:
        screen.execute(call(), on_diagnostic=records.append)
    assert caught.value.code == "cancelled_effect_unknown"
    assert [(each["stage"], each["reason"]) for each in records] == [("action", "cancelled")]


def test_an_awaitable_is_no_answer(screen: Screen) -> None:
    async def cancelled() -> bool:
        return False

    with pytest.raises(ConfigurationError):
        screen.execute(call(), cancelled=cancelled)
    assert screen.log == []


@pytest.mark.parametrize("step", range(4))
def test_what_the_question_raises_comes_out(kit: Kit, step: int) -> None:
    screen = Screen(kit)

    def cancelled() -> bool:
        if len(screen.log) >= step:
            raise LookupError
        return False

    with pytest.raises(LookupError):
        screen.execute(call(), before_action=screen.review(), cancelled=cancelled)
    assert screen.log == ["before click", "click", "before screenshot"][:step]
    assert screen.execute(call()) == output()


class TestTasks:
    """A cancelled task ends what is awaited, as everywhere in asyncio."""

    @pytest.mark.parametrize("place", ["approve", "before", "click", "screenshot"])
    def test_the_cancellation_comes_out_and_the_toolset_is_free(self, place: str) -> None:
        async def main() -> None:
            reached = asyncio.Event()
            ended: list[str] = []
            waits = [True]

            async def reach(here: str, value: Any = None) -> Any:
                if here == place and waits:
                    waits.pop()
                    reached.set()
                    try:
                        await asyncio.Event().wait()
                    finally:
                        ended.append(here)
                return value

            screen = Screen(Kit(asynchronous=True))

            async def click(_action: Any) -> None:
                await reach("click")

            async def screenshot() -> Any:
                return await reach("screenshot", PICTURE)

            async def approve(_call: Any) -> bool:
                return bool(await reach("approve", True))

            async def before(_action: Any) -> bool:
                return bool(await reach("before", True))

            screen.driver.click, screen.driver.screenshot = click, screenshot
            toolset = screen.toolset_class(screen.driver)
            records: list[ToolDiagnostic] = []
            task = asyncio.create_task(
                toolset.execute(
                    call(checks=[CHECK]),
                    approve_safety_checks=approve,
                    before_action=before,
                    on_diagnostic=records.append,
                )
            )
            await reached.wait()
            task.cancel("the reason")
            with pytest.raises(asyncio.CancelledError, match="the reason"):
                await task
            assert ended == [place]
            assert records[-1]["reason"] == "cancelled"
            assert await toolset.execute(call()) == output()

        asyncio.run(main())
