"""A screen that writes down what is asked of it, for either flavour."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import swingbridge
from api.kit import Kit

METHODS = ("click", "double_click", "drag", "keypress", "move", "scroll", "type", "wait")
PICTURE = {"type": "computer_screenshot", "image_url": "data:image/png;base64,AA=="}
CLICK = {"type": "click", "x": 1, "y": 2, "button": "left"}
MOVE = {"type": "move", "x": 5, "y": 6}
DRAG = {"type": "drag", "path": [{"x": 1, "y": 2}, {"x": 3, "y": 4}], "keys": ["SHIFT"]}
CHECK = {"id": "sc_1", "code": "malicious_instructions", "message": "Look twice."}


def call(*actions: Any, checks: Any = (), number: int = 1, **fields: Any) -> dict[str, Any]:
    """A completed call with these actions; a click if there are none."""
    return {
        "type": "computer_call",
        "id": f"cu_{number}",
        "call_id": f"call_{number}",
        "status": "completed",
        "pending_safety_checks": list(checks),
        "actions": [dict(action) for action in actions or (CLICK,)],
        **fields,
    }


def output(number: int = 1, checks: Any = (), **picture: Any) -> dict[str, Any]:
    """What goes back for `call(number=number)`."""
    return {
        "type": "computer_call_output",
        "call_id": f"call_{number}",
        "output": {**PICTURE, **picture},
        "acknowledged_safety_checks": list(checks),
    }


class Screen:
    """The driver, the callbacks, and what they were asked."""

    def __init__(self, kit: Kit, **methods: Callable[..., Any]) -> None:
        self.kit = kit
        self.log: list[str] = []
        self.actions: list[Any] = []
        given = {
            **{name: self._method(name) for name in METHODS},
            "screenshot": self._screenshot,
            **methods,
        }
        functions = {name: staticmethod(kit.function(plain)) for name, plain in given.items()}
        self.driver: Any = type("Driver", (), functions)()
        self.toolset: Any = self.toolset_class(self.driver)

    @property
    def toolset_class(self) -> Any:
        is_async = self.kit.asynchronous
        return swingbridge.AsyncComputerToolset if is_async else swingbridge.ComputerToolset

    def _method(self, name: str) -> Callable[..., Any]:
        def method(action: Any) -> None:
            self.log.append(name)
            self.actions.append(action)

        return method

    def _screenshot(self) -> Any:
        self.log.append("screenshot")
        return dict(PICTURE)

    def approve(self, verdict: object = True) -> Callable[..., Any]:
        """An `approve_safety_checks` that answers this."""

        def approve_safety_checks(given: Any) -> Any:
            self.log.append("approve")
            self.actions.append(given)
            return verdict

        return approve_safety_checks

    def review(self, verdict: object = True) -> Callable[..., Any]:
        """A `before_action` that answers this."""

        def before_action(action: Any) -> Any:
            self.log.append(f"before {action.type}")
            self.actions.append(action)
            return verdict

        return before_action

    def options(self, options: dict[str, Any]) -> dict[str, Any]:
        for name in ("approve_safety_checks", "before_action"):
            if callable(options.get(name)):
                options[name] = self.kit.function(options[name])
        return options

    def execute(self, item: Any, **options: Any) -> Any:
        """Run one call to its end. Callbacks are plain functions."""
        running = self.toolset.execute(item, **self.options(options))
        return asyncio.run(running) if self.kit.asynchronous else running

    def run(self, client: Any, params: Any = None, **options: Any) -> Any:
        """Run one task to its end."""
        given = {"model": "m", "input": "go"} if params is None else params
        running = self.toolset.run(client, given, **self.options(options))
        return asyncio.run(running) if self.kit.asynchronous else running
