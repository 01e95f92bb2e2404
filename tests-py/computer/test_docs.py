"""The examples of docs/computer-driver.md run."""

from __future__ import annotations

import re
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from computer.scripted import CLICK, call
from runner.endpoint import message, response
from swingbridge import ComputerUseError, DriverError

PAGE = Path(__file__).parents[2] / "docs" / "computer-driver.md"


@pytest.fixture
def scope(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the examples define, with a client that switches the lamp off by a key and a click."""

    class Client:
        answers = iter(
            [
                response(call({**CLICK, "keys": ["SHIFT"]})),
                response(message("The lamp is off.")),
            ]
        )

        def __init__(self) -> None:
            self.responses = self

        def create(self, **_params: Any) -> Any:
            body = next(self.answers)
            return types.SimpleNamespace(**body, output_text="The lamp is off.")

    monkeypatch.setitem(sys.modules, "openai", types.SimpleNamespace(OpenAI=Client))
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert len(blocks) == 4
    printed: list[str] = []
    scope: dict[str, Any] = {"printed": printed, "print": printed.append}
    for block in blocks:
        exec(compile(block, PAGE.name, "exec", dont_inherit=True), scope)
    return scope


def test_they_run_and_do_what_they_say(scope: dict[str, Any]) -> None:
    assert scope["printed"] == ["The lamp is off."]
    assert scope["lamp"].on is False
    assert scope["lamp"].held == []


def test_the_driver_refuses_what_it_cannot_do(scope: dict[str, Any]) -> None:
    computer = scope["computer"]
    for action in (
        {**CLICK, "button": "right"},
        {**CLICK, "x": 128},
        {**CLICK, "keys": ["Hyper"]},
        {"type": "type", "text": "x"},
    ):
        with pytest.raises(DriverError):
            computer.execute(call(action))
    with pytest.raises(ComputerUseError):
        computer.execute(call({"type": "fly"}))
    assert scope["lamp"].held == []


def test_the_table_has_every_method(scope: dict[str, Any]) -> None:
    from swingbridge._core import computer_methods

    rows = re.findall(r"^\| `(\w+)\(", PAGE.read_text("utf-8"), re.MULTILINE)
    assert rows == computer_methods()
