"""A program written for the published helper. Only its second import changes (see test_dropin.py)."""

from __future__ import annotations

import json
from typing import Any

from openai import OpenAI
from openai.lib.computer import (
    ComputerActionInput,
    ComputerToolset,
    ComputerUseError,
    Screenshot,
)
from openai.types.responses import ResponseComputerToolCall


class Screen:
    """A driver of a screen that exists in this class only."""

    def __init__(self) -> None:
        self.log: list[Any] = []

    def note(self, action: Any) -> None:
        self.log.append(action.to_dict())

    def click(self, action: Any) -> None:
        self.log.append(f"click {action.x},{action.y} {action.button} {action.keys}")
        if action.x == 13:
            raise LookupError("nothing is there")

    def double_click(self, action: Any) -> None:
        self.note(action)

    def drag(self, action: Any) -> None:
        path = " > ".join(f"{point.x},{point.y}" for point in action.path)
        self.log.append(f"drag {path} {action.keys}")

    def keypress(self, action: Any) -> None:
        self.log.append("+".join(action.keys))

    def move(self, action: Any, cancelled: Any = None) -> None:
        self.log.append(f"move {action.x} {cancelled is not None}")

    def scroll(self, action: Any) -> None:
        self.note(action)

    def type(self, action: Any) -> None:
        self.log.append(action.text)

    def wait(self, action: Any) -> None:
        self.log.append(action.type)

    def screenshot(self) -> Screenshot:
        self.log.append("screenshot")
        return {"type": "computer_screenshot", "image_url": f"data:,{len(self.log)}"}


def approve_safety_checks(call: Any) -> bool:
    return all(check.code != "stop" for check in call.pending_safety_checks)


def before_action(action: ComputerActionInput) -> bool:
    return not (action.type == "type" and "forbidden" in action.text)


def attempt(work: Any) -> Any:
    """What it returns, or how it ends; sentences are the package's own."""
    try:
        return work()
    except ComputerUseError as error:
        return ["stopped", error.response.id if error.response else None]
    except (LookupError, RuntimeError, ValueError) as error:
        names = [kind.__name__ for kind in type(error).__mro__]
        return ["raised", [name for name in names if name in ("LookupError", "ValueError")]]


def main(url: str, script: list[dict[str, Any]]) -> dict[str, Any]:
    """Single calls first, then tasks with the endpoint at ``url``."""
    screen = Screen()
    computer = ComputerToolset(screen)
    results: list[Any] = [computer.driver is screen]
    call: Any = None
    for wire in script:
        call = ResponseComputerToolCall.model_validate(wire)

        def execute(call: Any = call, **options: Any) -> Any:
            return attempt(lambda: computer.execute(call, **options))

        results.append(execute())
        results.append(
            execute(
                approve_safety_checks=approve_safety_checks,
                before_action=before_action,
                cancelled=lambda: False,
            )
        )
    results.append(attempt(lambda: computer.execute(call, cancelled=lambda: True)))
    results.append(attempt(lambda: ComputerToolset(object())))  # type: ignore[arg-type]
    with OpenAI(base_url=url, api_key="none", max_retries=0) as client:
        for params in (
            {"model": "m", "input": "go", "tool_choice": "required"},
            {"model": "m", "input": [{"role": "user", "content": "go"}], "store": False},
            {"model": "m", "input": "go", "tools": [{"type": "computer"}], "include": ["x"]},
            {"model": "m", "input": "go", "stream": True},
        ):

            def task(params: Any = params) -> Any:
                response = computer.run(
                    client,
                    params,
                    max_steps=3,
                    approve_safety_checks=approve_safety_checks,
                    before_action=before_action,
                )
                return [type(response).__module__, response.output_text]

            results.append(attempt(task))
    results.append(computer.close())
    results.append(attempt(lambda: computer.execute(call)))
    done: dict[str, Any] = json.loads(json.dumps({"results": results, "log": screen.log}))
    return done
