"""Programs of the computer helper that must not type-check. Never run.

Each ``type: ignore`` is the assertion that its line is an error: both checkers report one that is
not needed.
"""

from __future__ import annotations

from typing import Any

from swingbridge import (
    AsyncComputerToolset,
    AsyncResponsesToolRunner,
    ClickAction,
    ComputerActionInput,
    ComputerCall,
    ComputerDriver,
    ComputerToolset,
    DoubleClickAction,
    DragAction,
    KeypressAction,
    MoveAction,
    ResponsesToolRunner,
    Screenshot,
    ScrollAction,
    TypeAction,
    WaitAction,
)
from swingbridge.drivers.screen import CoordinateMapping, Picture


class Driver:
    def click(self, action: ClickAction) -> None:
        print(action.text)  # type: ignore[attr-defined]
        action.button = "middle"  # type: ignore[assignment]

    def double_click(self, action: DoubleClickAction) -> None: ...
    def drag(self, action: DragAction) -> None:
        print(action.path[0]["x"])  # type: ignore[index]

    def keypress(self, action: KeypressAction) -> None: ...
    def move(self, action: MoveAction) -> None:
        print(len(action.keys))  # type: ignore[arg-type]

    def scroll(self, action: ScrollAction) -> None: ...
    def type(self, action: TypeAction) -> None: ...
    def wait(self, action: WaitAction) -> None: ...
    def screenshot(self) -> Screenshot:
        return {"type": "input_image", "image_url": ""}  # type: ignore[typeddict-item]


class Blind(Driver):
    screenshot: None  # type: ignore[assignment]


class Late(Driver):
    async def click(self, action: ClickAction) -> None: ...  # type: ignore[override]


class Silent:
    def click(self, action: ClickAction) -> None: ...


def approve(call: ComputerCall) -> str:
    return call.pending_safety_checks[0].id


async def review_later(action: ComputerActionInput) -> bool:
    return True


def review_calls(call: ComputerCall) -> bool:
    return True


def named(action: ComputerActionInput) -> int:
    return action.x  # type: ignore[union-attr]


silent: ComputerDriver = Silent()  # type: ignore[assignment]
ComputerToolset(Late())  # type: ignore[arg-type]
ComputerToolset()  # type: ignore[call-arg]
ComputerToolset(Driver(), members=[])  # type: ignore[call-arg]
AsyncComputerToolset(Driver())  # type: ignore[arg-type]
toolset = ComputerToolset(Driver())
toolset.execute(5)  # type: ignore[arg-type]
toolset.execute({}, approve_safety_checks=approve)  # type: ignore[arg-type]
toolset.execute({}, before_action=review_later)  # type: ignore[arg-type]
toolset.execute({}, before_action=review_calls)  # type: ignore[arg-type]
toolset.execute({})["output"]["text"]  # type: ignore[typeddict-item]
toolset.run({}, {})  # type: ignore[arg-type]
ResponsesToolRunner(computer=Driver())  # type: ignore[arg-type]
AsyncResponsesToolRunner(computer=toolset)  # type: ignore[arg-type]
ClickAction(1, 2)  # type: ignore[call-arg]
DragAction([{"x": 1, "y": 2}])  # type: ignore[list-item]
Picture(1, 2)  # type: ignore[call-arg]
CoordinateMapping((0, 0, 1), (1, 1))  # type: ignore[arg-type]


async def forgotten(client: Any, later: AsyncComputerToolset) -> None:
    later.run(client, {})  # type: ignore[unused-coroutine]
