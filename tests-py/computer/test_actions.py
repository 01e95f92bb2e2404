"""The objects that drivers and callbacks get (C-1, C-4)."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from swingbridge import (
    ClickAction,
    ComputerActionInput,
    ComputerPoint,
    ComputerSafetyCheck,
    DoubleClickAction,
    DragAction,
    KeypressAction,
    MoveAction,
    ScreenshotAction,
    ScrollAction,
    TypeAction,
    WaitAction,
)
from swingbridge.actions import read_action, read_call

WIRE: list[tuple[ComputerActionInput, dict[str, Any]]] = [
    (ClickAction(1, 2, "wheel"), {"type": "click", "x": 1, "y": 2, "button": "wheel"}),
    (
        ClickAction(1, 2, "left", ["CTRL"]),
        {"type": "click", "x": 1, "y": 2, "button": "left", "keys": ["CTRL"]},
    ),
    (DoubleClickAction(1, 2), {"type": "double_click", "x": 1, "y": 2}),
    (
        DragAction([ComputerPoint(1, 2), ComputerPoint(3, 4)]),
        {"type": "drag", "path": [{"x": 1, "y": 2}, {"x": 3, "y": 4}]},
    ),
    (KeypressAction(["ENTER"]), {"type": "keypress", "keys": ["ENTER"]}),
    (MoveAction(1, 2), {"type": "move", "x": 1, "y": 2}),
    (
        ScrollAction(1, 2, 3, -4),
        {"type": "scroll", "x": 1, "y": 2, "scroll_x": 3, "scroll_y": -4},
    ),
    (TypeAction("x"), {"type": "type", "text": "x"}),
    (WaitAction(), {"type": "wait"}),
    (ScreenshotAction(), {"type": "screenshot"}),
]


@pytest.mark.parametrize(("action", "wire"), WIRE)
def test_made_by_hand_or_read_it_is_the_same(
    action: ComputerActionInput, wire: dict[str, Any]
) -> None:
    assert action.to_dict() == wire
    read = read_action(wire, copy.deepcopy(wire))
    assert type(read) is type(action)
    assert read == action
    assert read.to_dict() == wire
    assert repr(read) == repr(action)
    assert action.keys == wire.get("keys")


@pytest.mark.parametrize(("action", "wire"), WIRE)
def test_copies_and_pickles(action: ComputerActionInput, wire: dict[str, Any]) -> None:
    read = read_action({**wire, "further": [1]}, copy.deepcopy(wire))
    for made in (action, read):
        for again in (copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
            assert again == made
            assert again.to_dict() == made.to_dict()


def test_equality_is_of_class_and_fields() -> None:
    assert ClickAction(1, 2, "left") != ClickAction(1, 3, "left")
    assert MoveAction(1, 2) != DoubleClickAction(1, 2)
    assert MoveAction(1, 2) != {"type": "move", "x": 1, "y": 2}
    # A null says no more than its absence.
    assert read_action({"keys": None}, {"type": "move", "x": 1, "y": 2}) == MoveAction(1, 2)
    further = read_action({"type": "wait", "further": 1}, {"type": "wait"})
    assert further != WaitAction()


def test_they_have_no_hash() -> None:
    with pytest.raises(TypeError):
        hash(WaitAction())


def test_matching() -> None:
    def told(action: ComputerActionInput) -> str:
        match action:
            case ClickAction(x, y, "left"):
                return f"{x},{y}"
            case DragAction([ComputerPoint(x, _), *_], ["SHIFT"]):
                return f"from {x}"
            case KeypressAction(keys=["CTRL", key]):
                return key
            case TypeAction(text):
                return text
            case _:
                return action.type

    assert told(ClickAction(1, 2, "left")) == "1,2"
    assert told(ClickAction(1, 2, "right")) == "click"
    assert told(DragAction([ComputerPoint(7, 2), ComputerPoint(3, 4)], ["SHIFT"])) == "from 7"
    assert told(KeypressAction(["CTRL", "S"])) == "S"
    assert told(TypeAction("hello")) == "hello"
    assert told(WaitAction()) == "wait"


def test_what_is_shown_of_them() -> None:
    path = [ComputerPoint(1, 2)]
    assert repr(DragAction(path)) == "DragAction(path=[ComputerPoint(x=1, y=2)])"
    assert repr(ComputerSafetyCheck("a")) == "ComputerSafetyCheck(id='a')"


def test_to_dict_is_a_copy() -> None:
    action = KeypressAction(["A"])
    action.to_dict()["keys"].append("B")
    assert action.keys == ["A"]


def test_a_call_without_checks_has_an_empty_list() -> None:
    call = read_call({"type": "computer_call", "actions": [{"type": "wait"}]})
    assert call.pending_safety_checks == []
    assert call.actions == [WaitAction()]
    assert call.action is None
