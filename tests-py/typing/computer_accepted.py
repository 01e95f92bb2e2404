"""Programs of the computer helper that must type-check, in mypy and pyright strict. Never run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from swingbridge import (
    AsyncComputerDriver,
    AsyncComputerToolset,
    AsyncResponsesToolRunner,
    ClickAction,
    ComputerActionInput,
    ComputerCall,
    ComputerCallOutput,
    ComputerDriver,
    ComputerPoint,
    ComputerToolset,
    ComputerUseError,
    DoubleClickAction,
    DragAction,
    KeypressAction,
    MoveAction,
    ResponsesToolRunner,
    Screenshot,
    ScreenshotAction,
    ScrollAction,
    ToolDiagnostic,
    TypeAction,
    WaitAction,
)
from swingbridge.drivers.screen import CoordinateMapping, Picture, chord, data_url, fit

Cancelled = Callable[[], bool]


class Driver:
    """A driver; ``cancelled`` may be a keyword of any method."""

    def click(self, action: ClickAction, *, cancelled: Cancelled | None = None) -> None:
        print(action.x + action.y, action.button.upper(), len(action.keys or []))

    def double_click(self, action: DoubleClickAction) -> None:
        print(action.x)

    def drag(self, action: DragAction) -> None:
        print(sum(point.x for point in action.path))

    def keypress(self, action: KeypressAction) -> None:
        print("+".join(chord(action.keys)))

    def move(self, action: MoveAction) -> None: ...
    def scroll(self, action: ScrollAction) -> None:
        print(action.scroll_x, action.scroll_y)

    def type(self, action: TypeAction) -> None:
        print(action.text.upper())

    # Wider than what is given is fine.
    def wait(self, action: ComputerActionInput) -> None: ...
    def screenshot(self) -> Screenshot:
        return {"type": "computer_screenshot", "image_url": data_url(b"")}


class AsyncDriver:
    async def click(self, action: ClickAction) -> None: ...
    async def double_click(self, action: DoubleClickAction) -> None: ...
    async def drag(self, action: DragAction) -> None: ...
    async def keypress(self, action: KeypressAction) -> None: ...
    async def move(self, action: MoveAction) -> None: ...
    async def scroll(self, action: ScrollAction) -> None: ...
    async def type(self, action: TypeAction) -> None: ...
    async def wait(self, action: WaitAction) -> None: ...
    async def screenshot(self) -> Screenshot:
        return {"type": "computer_screenshot", "file_id": "f"}


driver: ComputerDriver = Driver()
async_driver: AsyncComputerDriver = AsyncDriver()


def approve_safety_checks(call: ComputerCall) -> bool:
    first = call.pending_safety_checks[0]
    code: str | None = first.code
    print(first.id.upper(), code, call.call_id, [action.type for action in call.actions or []])
    return True


def before_action(action: ComputerActionInput) -> bool:
    return told(action) != ""


async def async_approve(call: ComputerCall) -> bool:
    return approve_safety_checks(call)


async def async_before(action: ComputerActionInput) -> bool:
    return before_action(action)


def told(action: ComputerActionInput) -> str:
    """Every kind, by its class or by its name."""
    match action:
        case ClickAction(x, y, "left"):
            return str(x + y)
        case DragAction([ComputerPoint(x, _), *_]):
            return str(x)
        case KeypressAction(keys):
            return keys[0]
        case (
            ClickAction()
            | DoubleClickAction()
            | DragAction()
            | MoveAction()
            | ScreenshotAction()
            | ScrollAction()
            | WaitAction()
        ):
            return action.type
        case TypeAction(text):
            return text.upper()


def named(action: ComputerActionInput) -> int:
    if action.type == "scroll":
        return action.scroll_y
    return 0


toolset = ComputerToolset(driver)
async_toolset = AsyncComputerToolset(async_driver)


def call(item: dict[str, object]) -> str:
    records: list[ToolDiagnostic] = []
    output: ComputerCallOutput = toolset.execute(
        item,
        approve_safety_checks=approve_safety_checks,
        before_action=before_action,
        cancelled=lambda: False,
        on_diagnostic=records.append,
    )
    return output["output"].get("image_url", "") + output["acknowledged_safety_checks"][0]["id"]


async def run(client: Any) -> None:
    try:
        await async_toolset.run(
            client, {"model": "m", "input": "go"}, max_steps=3, before_action=async_before
        )
    except ComputerUseError as error:
        print(error.response, error.code.upper())
    runner = AsyncResponsesToolRunner(computer=async_toolset)
    await runner.run(client, {"model": "m"}, approve_safety_checks=async_approve)
    ResponsesToolRunner(computer=toolset).run(client, {"model": "m"}, before_action=before_action)


def screen(data: bytes) -> tuple[float, float]:
    picture = Picture.read(data)
    width, height = fit(picture.width, picture.height)
    return CoordinateMapping((0, 0, width, height), (picture.width, picture.height)).to_screen(1, 2)
