"""Input that breaks the rules stops before anything is touched, with a documented error and no leak."""

from __future__ import annotations

import asyncio
import gc
import traceback
from collections.abc import Callable
from functools import partial
from types import MappingProxyType
from typing import Any

import pytest

from api.kit import Kit
from computer.scripted import CHECK, CLICK, DRAG, METHODS, MOVE, PICTURE, Screen, call, output
from swingbridge import ComputerUseError, ConfigurationError

SECRET = "tr0ub4dor"


class Vicious:
    """Fails however it is looked at."""

    def __getattribute__(self, name: str) -> Any:
        if name == "__class__":
            return dict
        raise OSError(SECRET)


def without(item: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in item.items() if name not in names}


def cyclic() -> dict[str, Any]:
    item = call()
    item["itself"] = item
    return item


def deep() -> dict[str, Any]:
    value: Any = 1
    for _ in range(10_000):
        value = [value]
    return call(deep=value)


CALLS: list[Any] = [
    None,
    "computer_call",
    [],
    object(),
    Vicious(),
    MappingProxyType(call()),
    cyclic(),
    deep(),
    {1: 2},
    without(call(), "id"),
    without(call(), "call_id"),
    without(call(), "status"),
    without(call(), "type"),
    without(call(), "actions"),
    call(status="in_progress"),
    call(action=CLICK),
    call(action=None),
    without(call(action=CLICK), "actions", "pending_safety_checks"),
    {**call(), "actions": []},
    {**call(), "actions": None},
    {**call(), "actions": (None,)},
    {**call(), "pending_safety_checks": None},
    {**call(), "pending_safety_checks": [None]},
    {**call(), "pending_safety_checks": [{"id": 1}]},
    call({"type": "fly"}),
    call({"type": "__class__"}),
    call({"type": None}),
    call({**CLICK, "x": True}),
    call({**CLICK, "x": 1.5}),
    call({**CLICK, "x": float("nan")}),
    call({**CLICK, "x": "1"}),
    call({**CLICK, "x": 2**64}),
    call({**CLICK, "button": "middle"}),
    call({**CLICK, "keys": "CTRL"}),
    call({**CLICK, "keys": [1]}),
    call({**DRAG, "path": None}),
    call({**DRAG, "path": [{"x": 1}]}),
    call({"type": "type", "text": "\ud800"}),
    call({"type": "keypress"}),
    # One bad action stops the whole call.
    call(CLICK, {"type": "fly"}),
]


@pytest.mark.parametrize("item", CALLS, ids=range(len(CALLS)))
def test_calls_that_are_none(screen: Screen, item: Any) -> None:
    with pytest.raises(ComputerUseError) as caught:
        screen.execute(item, approve_safety_checks=screen.approve(), before_action=screen.review())
    assert caught.value.code == "computer_call_invalid"
    assert screen.log == []
    assert SECRET not in "".join(traceback.format_exception(caught.value))
    assert screen.execute(call()) == output()


class Text(str):
    def strip(self, *_: Any) -> str:
        raise OSError(SECRET)


PICTURES: list[Any] = [
    None,
    True,
    "data:image/png;base64,AA==",
    b"bytes",
    [PICTURE],
    {},
    MappingProxyType(PICTURE),
    {"type": "computer_screenshot"},
    {**PICTURE, "type": "input_image"},
    without(PICTURE, "type"),
    {**PICTURE, "image_url": ""},
    {**PICTURE, "image_url": " \n\t"},
    {**PICTURE, "image_url": None},
    {**PICTURE, "image_url": 1},
    {**PICTURE, "image_url": b"data:"},
    {**PICTURE, "file_id": ""},
    {**PICTURE, "file_id": None},
    Vicious(),
]


@pytest.mark.parametrize("picture", PICTURES, ids=range(len(PICTURES)))
def test_screenshots_that_are_none(kit: Kit, picture: Any) -> None:
    screen = Screen(kit, screenshot=lambda: picture)
    with pytest.raises(ComputerUseError) as caught:
        screen.execute(call(checks=[CHECK]), approve_safety_checks=screen.approve())
    assert caught.value.code == "screenshot_invalid"
    assert screen.log == ["approve", "click"]
    assert SECRET not in "".join(traceback.format_exception(caught.value))


def test_a_picture_may_be_of_a_text_of_another_class(kit: Kit) -> None:
    screen = Screen(kit, screenshot=lambda: {**PICTURE, "image_url": Text("data:,x")})
    shown = screen.execute(call())["output"]["image_url"]
    assert (type(shown), shown) == (str, "data:,x")


class TestRaised:
    """What the program's own code raises comes out as it is, as from the published helper."""

    @pytest.mark.parametrize("place", ["click", "screenshot", "approve", "before"])
    def test_it_is_not_wrapped(self, kit: Kit, place: str) -> None:
        error = LookupError(SECRET)

        def fail(*_: Any) -> Any:
            raise error

        methods = {place: fail} if place in ("click", "screenshot") else {}
        screen = Screen(kit, **methods)
        options: dict[str, Callable[..., Any]] = {
            "approve_safety_checks": fail if place == "approve" else screen.approve(),
            "before_action": fail if place == "before" else screen.review(),
        }
        with pytest.raises(LookupError) as caught:
            screen.execute(call(checks=[CHECK]), **options)
        assert caught.value is error
        # Whatever came before it was done, nothing after it was.
        assert (
            screen.log
            == {
                "approve": [],
                "before": ["approve"],
                "click": ["approve", "before click"],
                "screenshot": ["approve", "before click", "click", "before screenshot"],
            }[place]
        )

    def test_later_actions_do_not_run(self, kit: Kit) -> None:
        def fail(_action: Any) -> None:
            raise OSError

        screen = Screen(kit, drag=fail)
        with pytest.raises(OSError):
            screen.execute(call(CLICK, DRAG, MOVE))
        assert screen.log == ["click"]


@pytest.mark.filterwarnings("error")
class TestOtherFlavour:
    """A value of the other flavour, from a function that does not show its own (B-6)."""

    def screen(self, kit: Kit, place: str) -> tuple[Screen, dict[str, Any]]:
        options: dict[str, Any] = {}

        async def later(value: Any) -> Any:
            return value

        def other(value: Any) -> Any:
            return value if kit.asynchronous else later(value)

        class Opaque:
            """Not to be told by looking."""

            def __init__(self, value: Any) -> None:
                self.value = value

            def __call__(self, *_: Any) -> Any:
                return other(self.value)

        screen = Screen(kit)
        values = {"click": None, "screenshot": PICTURE}
        if place in values:
            names = (*METHODS, "screenshot")
            methods = {name: getattr(screen.driver, name) for name in names}
            methods[place] = Opaque(values[place])
            driver = type("Driver", (), {})()
            vars(driver).update(methods)
            screen.toolset = screen.toolset_class(driver)
        else:
            options[place] = Opaque(True)
        return screen, options

    @pytest.mark.parametrize(
        ("place", "code"),
        [
            ("click", "action_failed"),
            ("screenshot", "screenshot_failed"),
            ("before_action", "action_not_approved"),
            ("approve_safety_checks", "safety_not_approved"),
        ],
    )
    def test_it_stops_the_call_and_nothing_leaks(self, kit: Kit, place: str, code: str) -> None:
        screen, options = self.screen(kit, place)
        if place != "approve_safety_checks":
            options["approve_safety_checks"] = kit.function(lambda _call: True)
        begin = partial(screen.toolset.execute, call(checks=[CHECK]), **options)
        with pytest.raises(ComputerUseError, match=place) as caught:
            asyncio.run(begin()) if kit.asynchronous else begin()
        assert caught.value.code == code
        gc.collect()

    @pytest.mark.parametrize("place", ["before_action", "approve_safety_checks"])
    def test_a_callback_that_shows_it_is_refused_before_anything(
        self, kit: Kit, place: str
    ) -> None:
        async def later(_given: Any) -> bool:
            return True

        def now(_given: Any) -> bool:
            return True

        screen = Screen(kit)
        callback: Any = now if kit.asynchronous else later
        for wrong in (callback, "text"):
            begin = partial(screen.toolset.execute, call(), **{place: wrong})
            with pytest.raises(ConfigurationError, match=place):
                asyncio.run(begin()) if kit.asynchronous else begin()
        assert screen.log == []
