"""The Playwright computer driver on a real page (D-2)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from computer.desk import Desk
from computer.scripted import call
from swingbridge import (
    AsyncComputerToolset,
    BrowserCancelledError,
    ComputerPoint,
    ComputerToolset,
    ComputerUseError,
    DragAction,
    DriverError,
    WaitAction,
)


class TestPointer:
    @pytest.mark.parametrize(
        ("button", "number", "kind"),
        [("left", 0, "click"), ("wheel", 1, "auxclick"), ("right", 2, "contextmenu")],
    )
    def test_clicks_with_each_button(self, desk: Desk, button: str, number: int, kind: str) -> None:
        desk.open()
        desk.act("click", x=123, y=234, button=button)
        [event] = desk.events(kind)
        assert (event["x"], event["y"], event["button"], event["held"]) == (123, 234, number, [])

    def test_a_double_click_is_one(self, desk: Desk) -> None:
        desk.open()
        desk.act("double_click", x=50, y=60)
        [event] = desk.events("dblclick")
        assert (event["x"], event["y"]) == (50, 60)
        assert len(desk.events("click")) == 2

    def test_a_move_presses_nothing(self, desk: Desk) -> None:
        desk.open()
        desk.act("move", x=5, y=6)
        assert [(event["x"], event["y"]) for event in desk.events("mousemove")] == [(5, 6)]
        assert not desk.events("mousedown")

    def test_a_drag_holds_the_button_along_its_path(self, desk: Desk) -> None:
        desk.open()
        desk.drag((10, 20), (110, 120), (210, 20))
        order = [event["kind"] for event in desk.events("mousedown", "mouseup", "mousemove")]
        assert order == ["mousemove", "mousedown", *["mousemove"] * 10, "mouseup"]
        [down], [up] = desk.events("mousedown"), desk.events("mouseup")
        assert (down["x"], down["y"], up["x"], up["y"]) == (10, 20, 210, 20)
        assert (110, 120) in [(event["x"], event["y"]) for event in desk.events("mousemove")]

    @pytest.mark.parametrize("points", [[], [(1, 1)]])
    def test_a_drag_needs_two_points(self, desk: Desk, points: list[tuple[int, int]]) -> None:
        desk.open()
        with pytest.raises(DriverError) as caught:
            desk.drag(*points)
        assert caught.value.code == "drag_path_too_short"
        assert not desk.events()

    def test_a_path_is_checked_before_anything_is_pressed(self, desk: Desk) -> None:
        desk.open()
        with pytest.raises(DriverError) as caught:
            desk.drag((10, 20), (900, 20), keys=["SHIFT"])
        assert caught.value.code == "point_outside_screenshot"
        assert not desk.events()

    def test_scrolls_what_is_at_the_point(self, desk: Desk) -> None:
        desk.open()
        desk.act("scroll", x=400, y=300, scroll_x=30, scroll_y=200)
        desk.until(lambda: desk.do(desk.page.evaluate, "[scrollX, scrollY]") == [30, 200])
        [event] = desk.events("wheel")
        assert (event["x"], event["y"], event["across"], event["down"]) == (400, 300, 30, 200)
        desk.act("scroll", x=400, y=300, scroll_x=0, scroll_y=-150)
        desk.until(lambda: desk.do(desk.page.evaluate, "scrollY") == 50)

    def test_back_and_forward_go_through_the_history(self, desk: Desk) -> None:
        desk.open()
        desk.do(desk.page.goto, "about:blank")
        desk.act("click", x=1, y=1, button="back")
        assert desk.do(desk.page.title) == "recorder"
        desk.act("click", x=1, y=1, button="forward")
        assert desk.page.url == "about:blank"
        with pytest.raises(DriverError) as caught:
            desk.act("click", x=1, y=1, button="back", keys=["CTRL"])
        assert caught.value.code == "button_with_keys_unsupported"
        assert desk.page.url == "about:blank"


class TestKeys:
    def test_a_chord_goes_down_in_order_and_up_in_reverse(self, desk: Desk) -> None:
        desk.open()
        desk.act("keypress", keys=["CTRL", "SHIFT", "ARROWLEFT"])
        assert desk.keys() == [
            "+Control",
            "+Shift",
            "+ArrowLeft",
            "-ArrowLeft",
            "-Shift",
            "-Control",
        ]

    def test_select_all_and_replace(self, desk: Desk) -> None:
        desk.open()
        desk.act("click", x=310, y=30, button="left")
        desk.act("type", text="an old text")
        desk.act("keypress", keys=["CTRL", "A"])
        desk.act("type", text="Grüße,\r\n日本\n" + "long " * 60)
        value = desk.do(desk.page.input_value, "#field")
        assert value == "Grüße,\n日本\n" + "long " * 60

    @pytest.mark.parametrize(
        ("name", "key"),
        [
            ("Esc", "Escape"),
            ("RETURN", "Enter"),
            ("Del", "Delete"),
            ("PGDN", "PageDown"),
            ("Option", "Alt"),
            ("CMD", "Meta"),
            ("Win", "Meta"),
            ("F12", "F12"),
            ("a", "a"),
            ("7", "7"),
            ("Space", " "),
            ("plus", "+"),
        ],
    )
    def test_names_of_models_and_platforms(self, desk: Desk, name: str, key: str) -> None:
        desk.open()
        desk.act("keypress", keys=[name])
        assert desk.keys() == [f"+{key}", f"-{key}"]

    def test_a_character_beyond_the_keyboard_is_typed(self, desk: Desk) -> None:
        desk.open()
        desk.act("click", x=310, y=30, button="left")
        desk.act("keypress", keys=["É"])
        assert desk.do(desk.page.input_value, "#field") == "É"

    @pytest.mark.parametrize(
        ("keys", "code"),
        [
            (["Hyper"], "key_unknown"),
            ([], "keys_empty"),
            (["F13"], "key_unsupported"),
            (["CTRL", "É"], "key_unsupported"),
        ],
    )
    def test_other_keys_are_refused_before_any_goes_down(
        self, desk: Desk, keys: list[str], code: str
    ) -> None:
        desk.open()
        with pytest.raises(DriverError) as caught:
            desk.act("keypress", keys=keys)
        assert caught.value.code == code
        assert not desk.events()

    def test_the_refusal_names_valid_spellings(self, desk: Desk) -> None:
        desk.open()
        with pytest.raises(DriverError, match=r"F1 to F24.*Escape.*ContextMenu") as caught:
            desk.act("click", x=1, y=1, button="left", keys=["secret name"])
        assert "secret" not in str(caught.value)

    @pytest.mark.parametrize(
        ("kind", "fields", "event"),
        [
            ("click", {"x": 9, "y": 9, "button": "left"}, "click"),
            ("double_click", {"x": 9, "y": 9}, "dblclick"),
            ("move", {"x": 9, "y": 9}, "mousemove"),
            ("scroll", {"x": 9, "y": 9, "scroll_x": 0, "scroll_y": 1}, "wheel"),
        ],
    )
    def test_keys_are_held_during_a_mouse_action(
        self, desk: Desk, kind: str, fields: dict[str, Any], event: str
    ) -> None:
        desk.open()
        desk.act(kind, **fields, keys=["ALT", "SHIFT"])
        assert desk.events(event)[-1]["held"] == ["altKey", "shiftKey"]
        assert desk.keys() == ["+Alt", "+Shift", "-Shift", "-Alt"]
        desk.act("click", x=20, y=20, button="left")
        assert desk.events("click")[-1]["held"] == []

    def test_keys_are_held_during_a_drag(self, desk: Desk) -> None:
        desk.open()
        desk.drag((1, 1), (50, 50), keys=["SHIFT"])
        assert all(
            event["held"] == ["shiftKey"]
            for event in desk.events("mousedown", "mousemove", "mouseup")
        )
        assert desk.keys() == ["+Shift", "-Shift"]


class TestLettingGo:
    """Keys and button are let go of, in reverse order, whatever ends the action."""

    EVERYTHING_UP = ("mouseup", "-Shift", "-Control")

    def ups(self, desk: Desk) -> list[str]:
        return [
            event["kind"] if event["kind"] == "mouseup" else f"-{event['key']}"
            for event in desk.events("mouseup", "keyup")
        ]

    def test_after_a_cancellation_at_any_step_of_a_drag(self, desk: Desk) -> None:
        desk.open()
        desk.screenshot()
        action = DragAction(
            [ComputerPoint(10, 10), ComputerPoint(90, 10), ComputerPoint(90, 90)],
            ["CTRL", "SHIFT"],
        )
        asked, stops, reached = 0, 0, False

        def cancelled() -> bool:
            nonlocal asked
            asked += 1
            return asked > stops

        while not reached:
            asked = 0
            desk.do(desk.page.evaluate, "events.length = 0")
            try:
                desk.do(desk.driver.drag, action, cancelled=cancelled)
                reached = True
            except BrowserCancelledError:
                pass
            downs = desk.events("mousedown", "keydown")
            expected = [
                up
                for up, down in zip(
                    self.EVERYTHING_UP, ["mousedown", "Shift", "Control"], strict=True
                )
                if any(down in (event["kind"], event["key"]) for event in downs)
            ]
            assert self.ups(desk) == expected
            stops += 1
        assert stops > 8

    def test_through_the_toolset(self, desk: Desk) -> None:
        desk.open()
        is_sync = desk.browser.flavour == "sync"
        toolset: Any = (ComputerToolset if is_sync else AsyncComputerToolset)(desk.driver)
        path = [{"x": 10, "y": 10}, {"x": 90, "y": 10}, {"x": 90, "y": 90}]
        item = call({"type": "drag", "path": path, "keys": ["CTRL", "SHIFT"]})
        asked = 0

        def cancelled() -> bool:
            nonlocal asked
            asked += 1
            return asked > 7

        with pytest.raises(ComputerUseError) as caught:
            desk.do(toolset.execute, item, cancelled=cancelled)
        assert caught.value.code == "cancelled_effect_unknown"
        assert self.ups(desk) == list(self.EVERYTHING_UP)
        output = desk.do(toolset.execute, call({"type": "click", "x": 9, "y": 9, "button": "left"}))
        assert output["output"]["image_url"].startswith("data:image/png;base64,iVBOR")
        assert desk.events("click")[-1]["held"] == []

    def test_after_an_error_of_the_page(self, desk: Desk) -> None:
        desk.open()
        desk.screenshot()
        mouse = desk.page.mouse
        real, calls = mouse.move, []

        def move(*args: Any, **options: Any) -> Any:
            calls.append(args)
            if len(calls) == 3:
                raise RuntimeError("the mouse broke")
            return real(*args, **options)

        mouse.move = move
        try:
            with pytest.raises(RuntimeError, match="the mouse broke"):
                desk.drag((10, 10), (90, 10), (90, 90), keys=["CTRL", "SHIFT"])
        finally:
            mouse.move = real
        assert self.ups(desk) == list(self.EVERYTHING_UP)

    def test_after_an_interrupted_program_or_a_cancelled_task(self, desk: Desk) -> None:
        desk.open()
        desk.screenshot()
        mouse = desk.page.mouse
        real, calls = mouse.move, []

        def move(*args: Any, **options: Any) -> Any:
            calls.append(args)
            if len(calls) == 3:
                if desk.browser.flavour == "sync":
                    raise KeyboardInterrupt
                task = asyncio.current_task()
                assert task is not None
                task.cancel()
            return real(*args, **options)

        mouse.move = move
        try:
            with pytest.raises((KeyboardInterrupt, asyncio.CancelledError)):
                desk.drag((10, 10), (90, 10), (90, 90), keys=["CTRL", "SHIFT"])
        finally:
            mouse.move = real
        assert self.ups(desk) == list(self.EVERYTHING_UP)

    def test_after_a_cancelled_callable_that_fails(self, desk: Desk) -> None:
        desk.open()
        desk.screenshot()
        asked = 0

        def cancelled() -> bool:
            nonlocal asked
            asked += 1
            if asked > 4:
                raise LookupError("no answer")
            return False

        path = [ComputerPoint(10, 10), ComputerPoint(90, 10)]
        with pytest.raises(LookupError):
            desk.do(desk.driver.drag, DragAction(path, ["CTRL", "SHIFT"]), cancelled=cancelled)
        assert self.ups(desk) == list(self.EVERYTHING_UP)


class TestWait:
    def test_takes_the_time_that_was_set_and_can_be_cancelled(self, desk: Desk) -> None:
        desk.open(wait_ms=200)
        before = desk.do(desk.page.evaluate, "performance.now()")
        desk.act("wait")
        assert desk.do(desk.page.evaluate, "performance.now()") - before >= 190
        desk.open(wait_ms=30_000)
        asked = iter([False, False, True])
        with pytest.raises(BrowserCancelledError):
            desk.do(desk.driver.wait, WaitAction(), cancelled=lambda: next(asked))


class TestSettings:
    @pytest.mark.parametrize(
        "settings",
        [
            {"scale": "big"},
            {"wait_ms": -1},
            {"wait_ms": 30_001},
            {"settle_ms": -1},
            {"crop": (0, 0, 0, 10)},
            {"crop": (-1, 0, 10, 10)},
            {"crop": (0.5, 0, 10, 10)},
            {"max_size": (0, 10)},
        ],
    )
    def test_out_of_range(self, desk: Desk, settings: dict[str, Any]) -> None:
        with pytest.raises(ValueError):
            desk.open(**settings)
