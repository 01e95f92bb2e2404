"""One computer call from the wire to its output (C-2 to C-6)."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from api.kit import Kit
from computer.scripted import CHECK, CLICK, DRAG, METHODS, MOVE, PICTURE, Screen, call, output
from swingbridge import (
    ClickAction,
    ComputerCall,
    ComputerUseError,
    ConfigurationError,
    ScreenshotAction,
    ToolDiagnostic,
)

SHOT = {"type": "screenshot"}


class TestOrder:
    def test_actions_run_once_each_in_order_and_one_screenshot_follows(
        self, screen: Screen
    ) -> None:
        actions = [
            CLICK,
            {"type": "double_click", "x": 1, "y": 2},
            DRAG,
            {"type": "keypress", "keys": ["CTRL", "A"]},
            MOVE,
            {"type": "scroll", "x": 1, "y": 2, "scroll_x": 0, "scroll_y": -5},
            {"type": "type", "text": "x"},
            {"type": "wait"},
        ]
        assert screen.execute(call(*actions)) == output()
        assert screen.log == [*METHODS, "screenshot"]
        assert [action.to_dict() for action in screen.actions] == actions

    def test_screenshots_inside_a_batch_touch_nothing(self, screen: Screen) -> None:
        screen.execute(call(SHOT, CLICK, SHOT, MOVE, SHOT), before_action=screen.review())
        assert screen.log == [
            "before screenshot",
            "before click",
            "click",
            "before screenshot",
            "before move",
            "move",
            "before screenshot",
            "screenshot",
        ]

    def test_a_call_of_the_older_form(self, screen: Screen) -> None:
        item = call(pending_safety_checks=[])
        item["action"] = item.pop("actions")[0]
        assert screen.execute(item) == output()
        assert screen.log == ["click", "screenshot"]

    def test_what_a_method_returns_does_not_count(self, kit: Kit) -> None:
        screen = Screen(kit, click=lambda _action: object())
        assert screen.execute(call()) == output()

    def test_the_driver_is_looked_up_at_call_time(self, screen: Screen) -> None:
        other = Screen(screen.kit)
        screen.toolset.driver = other.driver
        screen.execute(call())
        assert (screen.log, other.log) == ([], ["click", "screenshot"])


class TestConsent:
    def test_all_pending_checks_are_acknowledged(self, screen: Screen) -> None:
        bare = {"id": "sc_2"}
        approve = screen.approve()
        shown = screen.execute(call(checks=[CHECK, bare]), approve_safety_checks=approve)
        expected = [CHECK, {"id": "sc_2", "code": None, "message": None}]
        assert shown == output(checks=expected)
        given: ComputerCall = screen.actions[0]
        assert [check.id for check in given.pending_safety_checks] == ["sc_1", "sc_2"]
        assert given.pending_safety_checks[0].message == "Look twice."
        assert given.pending_safety_checks[1].code is None
        assert given.actions is not None
        first = given.actions[0]
        assert isinstance(first, ClickAction)
        assert (first.x, given.action, given.call_id, given.id) == (1, None, "call_1", "cu_1")
        assert given.to_dict() == call(checks=[CHECK, bare])

    def test_without_a_callback_nothing_is_done(self, screen: Screen) -> None:
        with pytest.raises(ComputerUseError) as caught:
            screen.execute(call(checks=[CHECK]))
        assert caught.value.code == "safety_not_approved"
        assert caught.value.response is None
        assert screen.log == []

    @pytest.mark.parametrize("verdict", [False, None, 1, "True", [True]])
    def test_only_exactly_true_approves(self, screen: Screen, verdict: object) -> None:
        with pytest.raises(ComputerUseError) as caught:
            screen.execute(call(checks=[CHECK]), approve_safety_checks=screen.approve(verdict))
        assert caught.value.code == "safety_not_approved"
        assert screen.log == ["approve"]
        with pytest.raises(ComputerUseError) as caught:
            screen.execute(call(), before_action=screen.review(verdict))
        assert caught.value.code == "action_not_approved"
        assert screen.log == ["approve", "before click"]

    def test_the_final_screenshot_is_asked_for_too(self, screen: Screen) -> None:
        answers = iter([True, False])
        with pytest.raises(ComputerUseError) as caught:
            screen.execute(call(), before_action=lambda _action: next(answers))
        assert caught.value.code == "action_not_approved"
        assert screen.log == ["click"]

    def test_what_it_is_asked_with(self, screen: Screen) -> None:
        screen.execute(call(CLICK), before_action=screen.review())
        asked, acted, shown = screen.actions
        assert asked == acted == ClickAction(1, 2, "left")
        assert asked is not acted
        assert shown == ScreenshotAction()

    def test_editing_what_was_given_changes_nothing(self, screen: Screen) -> None:
        item = call(DRAG, checks=[CHECK], note={"deep": ["x"]})
        before = copy.deepcopy(item)

        def approve(given: Any) -> bool:
            given.pending_safety_checks[0].id = "defaced"
            given.actions[0].path[0].x = 99
            given.note["deep"].append("defaced")
            return True

        def review(action: Any) -> bool:
            if action.type == "drag":
                action.path.clear()
                action.keys.append("defaced")
            return True

        shown = screen.execute(item, approve_safety_checks=approve, before_action=review)
        [dragged] = screen.actions
        assert dragged.to_dict() == DRAG
        assert shown == output(checks=[CHECK])
        dragged.path[0].x = 99
        assert item == before


class TestForms:
    def test_an_object_of_the_client_gives_the_same_actions(self, screen: Screen) -> None:
        responses = pytest.importorskip("openai.types.responses")
        item = call(CLICK, DRAG, {**MOVE, "unknown": {"deep": 1}})
        typed = responses.ResponseComputerToolCall.model_validate(item)
        before = typed.model_copy(deep=True)
        assert screen.execute(typed) == output()
        assert all(type(action).__module__ == "swingbridge.actions" for action in screen.actions)
        assert [action.to_dict() for action in screen.actions] == item["actions"]
        assert typed == before

    def test_unknown_fields_can_be_read(self, screen: Screen) -> None:
        screen.execute(call({**CLICK, "pressure": 3, "to_dict": "no"}))
        [action] = screen.actions
        assert action.pressure == 3
        assert action.to_dict() == {**CLICK, "pressure": 3, "to_dict": "no"}
        assert action.keys is None
        with pytest.raises(AttributeError):
            action.tilt  # noqa: B018

    def test_numbers_that_are_integers_are_integers(self, screen: Screen) -> None:
        screen.execute(call({**CLICK, "x": 3.0}))
        assert type(screen.actions[0].x) is int

    def test_a_long_picture_is_not_copied(self, kit: Kit) -> None:
        url = "data:image/png;base64," + "A" * 1_000_000
        screen = Screen(kit, screenshot=lambda: {**PICTURE, "image_url": url, "file_id": "f"})
        shown = screen.execute(call())
        assert shown["output"]["image_url"] is url
        assert shown["output"]["file_id"] == "f"

    def test_a_dict_of_another_class_is_a_picture(self, kit: Kit) -> None:
        class Shot(dict[str, Any]):
            pass

        screen = Screen(kit, screenshot=lambda: Shot(PICTURE))
        assert screen.execute(call()) == output()

    def test_later_changes_of_the_picture_change_nothing(self, kit: Kit) -> None:
        picture: dict[str, Any] = dict(PICTURE)
        screen = Screen(kit, screenshot=lambda: picture)
        shown = screen.execute(call())
        picture["image_url"] = "defaced"
        assert shown == output()


class TestCancelledKeyword:
    def test_it_is_given_to_those_that_take_it(self, kit: Kit) -> None:
        given: list[Any] = []

        def click(_action: Any, cancelled: Any = None) -> None:
            given.append(cancelled)

        def screenshot(cancelled: Any = None) -> Any:
            given.append(cancelled)
            return PICTURE

        def review(_action: Any, *, cancelled: Any) -> bool:
            given.append(cancelled)
            return True

        def approve(_call: Any, **others: Any) -> bool:
            given.append(others)
            return True

        def wish() -> bool:
            return False

        screen = Screen(kit, click=click, screenshot=screenshot)
        screen.execute(
            call(checks=[CHECK]),
            approve_safety_checks=approve,
            before_action=review,
            cancelled=wish,
        )
        assert given == [{}, wish, wish, wish, wish]


class TestDiagnostics:
    def test_records_have_no_content(self, screen: Screen) -> None:
        records: list[ToolDiagnostic] = []
        screen.execute(
            call({"type": "type", "text": "tr0ub4dor"}, checks=[CHECK]),
            approve_safety_checks=screen.approve(),
            before_action=screen.review(),
            on_diagnostic=records.append,
        )
        assert [(each["stage"], each["reason"], each["member"]) for each in records] == [
            ("approval", "completed", None),
            ("approval", "completed", "type"),
            ("action", "completed", "type"),
            ("approval", "completed", "screenshot"),
            ("action", "completed", "screenshot"),
        ]
        assert all(each["api"] == "computer" and each["call_id"] == "call_1" for each in records)
        assert all(each["duration_ms"] >= 0 for each in records)
        assert "tr0ub4dor" not in str(records)

    def test_an_observer_that_fails_changes_nothing(self, screen: Screen) -> None:
        def observer(_record: Any) -> Any:
            raise OSError("observer")

        assert screen.execute(call(), on_diagnostic=observer) == output()


class TestConstruction:
    def test_all_nine_methods_are_needed(self, screen: Screen) -> None:
        for name in (*METHODS, "screenshot"):
            methods = {each: getattr(screen.driver, each) for each in (*METHODS, "screenshot")}
            for lacking in (None, "not callable"):
                driver = type("Driver", (), {**methods, name: lacking})()
                with pytest.raises(ConfigurationError, match=name) as caught:
                    screen.toolset_class(driver)
                assert caught.value.code == "driver_incomplete"

    def test_the_other_flavour_is_refused(self, kit: Kit) -> None:
        other = Screen(Kit(asynchronous=not kit.asynchronous))
        screen = Screen(kit)
        methods = {name: getattr(screen.driver, name) for name in (*METHODS, "screenshot")}
        if kit.asynchronous:

            def click(_action: Any) -> None: ...
        else:
            click = other.driver.click
        driver = type("Driver", (), {**methods, "click": staticmethod(click)})()
        with pytest.raises(ConfigurationError, match="click") as caught:
            screen.toolset_class(driver)
        assert caught.value.code == "flavour_mismatch"


def test_a_call_ends_with_the_driver_that_it_began_with(kit: Kit) -> None:
    log: list[str] = []

    def screen(name: str) -> Screen:
        def click(_action: Any) -> None:
            log.append(f"{name} click")
            made.toolset.driver = second.driver

        def screenshot() -> Any:
            log.append(f"{name} screenshot")
            return PICTURE

        return Screen(kit, click=click, screenshot=screenshot)

    made, second = screen("first"), screen("second")
    for _ in range(2):
        kit.execute(made.toolset, call(CLICK, CLICK))
    per_call = ["click", "click", "screenshot"]
    assert log == [f"{name} {act}" for name in ("first", "second") for act in per_call]
