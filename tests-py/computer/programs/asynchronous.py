"""A program written for the published helper. Only its second import changes (see test_dropin.py)."""

from __future__ import annotations

import asyncio
import inspect
import json
from typing import Any

from openai import AsyncOpenAI
from openai.lib.computer import (
    AsyncComputerToolset,
    ComputerActionInput,
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

    async def click(self, action: Any) -> None:
        self.log.append(f"click {action.x},{action.y} {action.button} {action.keys}")
        if action.x == 13:
            raise LookupError("nothing is there")

    async def double_click(self, action: Any) -> None:
        self.note(action)

    async def drag(self, action: Any) -> None:
        path = " > ".join(f"{point.x},{point.y}" for point in action.path)
        self.log.append(f"drag {path} {action.keys}")

    async def keypress(self, action: Any) -> None:
        self.log.append("+".join(action.keys))

    async def move(self, action: Any, cancelled: Any = None) -> None:
        self.log.append(f"move {action.x} {cancelled is not None}")

    async def scroll(self, action: Any) -> None:
        self.note(action)

    async def type(self, action: Any) -> None:
        self.log.append(action.text)

    async def wait(self, action: Any) -> None:
        self.log.append(action.type)

    async def screenshot(self) -> Screenshot:
        self.log.append("screenshot")
        return {"type": "computer_screenshot", "image_url": f"data:,{len(self.log)}"}


async def approve_safety_checks(call: Any) -> bool:
    return all(check.code != "stop" for check in call.pending_safety_checks)


async def before_action(action: ComputerActionInput) -> bool:
    return not (action.type == "type" and "forbidden" in action.text)


async def attempt(work: Any) -> Any:
    """What it returns, or how it ends; sentences are the package's own."""
    try:
        value = work()
        return await value if inspect.isawaitable(value) else value
    except ComputerUseError as error:
        return ["stopped", error.response.id if error.response else None]
    except (LookupError, RuntimeError, ValueError) as error:
        names = [kind.__name__ for kind in type(error).__mro__]
        return ["raised", [name for name in names if name in ("LookupError", "ValueError")]]


def main(url: str, script: list[dict[str, Any]]) -> dict[str, Any]:
    return asyncio.run(run(url, script))


async def run(url: str, script: list[dict[str, Any]]) -> dict[str, Any]:
    """Single calls first, then tasks with the endpoint at ``url``."""
    screen = Screen()
    computer = AsyncComputerToolset(screen)
    results: list[Any] = [computer.driver is screen]
    call: Any = None
    for wire in script:
        call = ResponseComputerToolCall.model_validate(wire)

        async def execute(call: Any = call, **options: Any) -> Any:
            return await attempt(lambda: computer.execute(call, **options))

        results.append(await execute())
        results.append(
            await execute(
                approve_safety_checks=approve_safety_checks,
                before_action=before_action,
                cancelled=lambda: False,
            )
        )
    results.append(await attempt(lambda: computer.execute(call, cancelled=lambda: True)))
    results.append(await attempt(lambda: AsyncComputerToolset(object())))  # type: ignore[arg-type]
    async with AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client:
        for params in (
            {"model": "m", "input": "go", "tool_choice": "required"},
            {"model": "m", "input": [{"role": "user", "content": "go"}], "store": False},
            {"model": "m", "input": "go", "tools": [{"type": "computer"}], "include": ["x"]},
            {"model": "m", "input": "go", "stream": True},
        ):

            async def task(params: Any = params) -> Any:
                response = await computer.run(
                    client,
                    params,
                    max_steps=3,
                    approve_safety_checks=approve_safety_checks,
                    before_action=before_action,
                )
                return [type(response).__module__, response.output_text]

            results.append(await attempt(task))
    results.append(computer.close())
    results.append(await attempt(lambda: computer.execute(call)))
    done: dict[str, Any] = json.loads(json.dumps({"results": results, "log": screen.log}))
    return done
