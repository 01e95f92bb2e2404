"""Programs that must type-check, in mypy and pyright strict. Never run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import swingbridge
from swingbridge import (
    BROWSER_MEMBERS,
    AsyncBrowserDriver,
    AsyncBrowserReadDriver,
    AsyncBrowserToolset,
    AsyncRegisteredFunction,
    AsyncResponsesToolRunner,
    BrowserClickDriver,
    BrowserConfirmContext,
    BrowserDriver,
    BrowserError,
    BrowserFileInput,
    BrowserFileOutcome,
    BrowserImage,
    BrowserNavigationDriver,
    BrowserReadConfirmContext,
    BrowserReadDriver,
    BrowserReadV1,
    BrowserScopedReadV1,
    BrowserScreenshotDriver,
    BrowserState,
    BrowserToolset,
    ClickInput,
    DragPathInput,
    FunctionCallOutput,
    NavigateInput,
    ReadPageInput,
    ReadPageScopedInput,
    RegisteredFunction,
    ResponsesToolRunner,
    TabInput,
    ToolDiagnostic,
    ToolRunnerCancelledError,
    ToolRunnerError,
)


class Driver:
    """A driver of some members; ``cancelled`` may be a keyword of any of them."""

    def state(self, *, cancelled: Callable[[], bool] | None = None) -> BrowserState:
        return {"tabs": [{"id": "t", "title": "T", "url": "about:blank", "active": True}]}

    def navigate(self, action: NavigateInput) -> None:
        print(action["url"].upper(), action["tab_id"])

    def click(self, action: ClickInput, *, cancelled: Callable[[], bool] | None = None) -> None:
        if not action["target"]:
            raise BrowserError("nothing to click")

    def drag_path(self, action: DragPathInput) -> str:
        return str(sum(point["x"] for point in action["path"]))

    def read_page(self, action: ReadPageInput) -> BrowserReadV1:
        elements = [swingbridge.BrowserReadElement(ref="e1", role="button", label="Go")]
        return {"version": 1, "text": "", "elements": elements, "omitted": ["private"]}

    def read_page_scoped(self, action: ReadPageScopedInput) -> BrowserScopedReadV1:
        return {"version": 1, "text": "", "elements": [], "omitted": [], "scopes": []}

    def screenshot(self, action: TabInput) -> BrowserImage:
        return {"type": "input_image", "image_url": "data:", "detail": "high"}

    def upload_file(self, action: BrowserFileInput) -> BrowserFileOutcome:
        return {"version": 1, "status": "refused", "effect": "none", "cleanup": "completed"}


class AsyncDriver:
    async def state(self) -> BrowserState:
        return {
            "tabs": [],
            "observation": {
                "version": 1,
                "sequence": 1,
                "dropped_changes": 0,
                "title_truncated": False,
                "changes": [
                    {"type": "download", "sequence": 1, "tab_id": None, "status": "blocked"}
                ],
            },
        }

    async def read_page(self, action: ReadPageInput) -> str | None:
        return action["filter"]


drivers: tuple[
    BrowserDriver,
    BrowserReadDriver,
    BrowserNavigationDriver,
    BrowserClickDriver,
    BrowserScreenshotDriver,
] = (Driver(), Driver(), Driver(), Driver(), Driver())
async_drivers: tuple[AsyncBrowserDriver, AsyncBrowserReadDriver] = (AsyncDriver(), AsyncDriver())


def confirm(context: BrowserConfirmContext) -> bool:
    return context["state"]["tabs"][0]["active"]


def confirm_reads_too(context: BrowserConfirmContext | BrowserReadConfirmContext) -> bool:
    state = context["state"]
    return state is None or bool(state["tabs"])


def url_policy(context: BrowserConfirmContext, url: str) -> bool:
    return url.startswith("https://example.com/")


async def async_confirm(context: BrowserConfirmContext) -> bool:
    return True


def observe(record: ToolDiagnostic) -> None:
    usage = record["usage"]
    print(record["duration_ms"] / 2, usage["total_tokens"] if usage is not None else 0)


def use_the_toolset() -> FunctionCallOutput:
    toolset = BrowserToolset(
        Driver(), members=["click", *BROWSER_MEMBERS], confirm=confirm, url_policy=url_policy
    )
    toolset.confirm = confirm_reads_too
    toolset.driver = Driver()
    BrowserToolset(Driver(), additional_members=("drag_path",), confirm=lambda _context: True)
    BrowserToolset(Driver(), confirm_reads=["read_page"], confirm=confirm_reads_too)
    names: list[str] = [tool["name"] for tool in toolset.tools]
    print(names, toolset.close()["status"])
    call = {"type": "function_call", "name": names[0], "call_id": "c", "arguments": "{}"}
    output = toolset.execute(call, cancelled=lambda: False, on_diagnostic=observe)
    print(output["call_id"].upper())
    return output


class Call:
    """As the ``openai`` package's own object."""

    type: str = "function_call"
    name: str = ""
    call_id: str = ""
    arguments: str = ""


async def use_the_async_toolset() -> FunctionCallOutput:
    toolset = AsyncBrowserToolset(AsyncDriver(), members=["read_page"], confirm=async_confirm)
    return await toolset.execute(Call())


def look_up(arguments: dict[str, object]) -> str:
    return str(arguments["q"])


def look_up_blocks(
    arguments: dict[str, object], *, cancelled: object = None
) -> list[dict[str, str]]:
    return [{"type": "input_text", "text": str(arguments)}]


async def look_up_later(arguments: dict[str, object]) -> str:
    return str(arguments["q"])


class Responses:
    def create(self, **params: object) -> dict[str, object]:
        return params


class Client:
    responses = Responses()


TOOL: dict[str, object] = {"type": "function", "name": "look_up"}


def use_the_runner() -> object:
    functions = [RegisteredFunction(TOOL, look_up), RegisteredFunction(TOOL, look_up_blocks)]
    runner = ResponsesToolRunner(browser=BrowserToolset(Driver()), functions=functions)
    try:
        return runner.run(
            Client(), {"model": "m", "input": "x"}, max_steps=3, on_diagnostic=observe
        )
    except ToolRunnerError as error:
        ids: tuple[str, ...] = error.attempted_call_ids
        return (*ids, error.code.upper())


async def use_the_async_runner(client: Any) -> object:
    function = AsyncRegisteredFunction(tool=TOOL, execute=look_up_later, independent=True)
    runner = AsyncResponsesToolRunner(functions=[function])
    try:
        return await runner.run(client, {"model": "m", "input": []}, cancelled=lambda: False)
    except ToolRunnerCancelledError as error:
        return error.completed_call_ids
