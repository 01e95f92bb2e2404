"""A program written for the published helpers. Only its first two imports change (see test_dropin.py)."""

from __future__ import annotations

import asyncio
import inspect
import json
from typing import Any

from openai import AsyncOpenAI
from openai.lib.browser import (
    BROWSER_MEMBERS,
    DEFAULT_BROWSER_MEMBERS,
    AsyncBrowserToolset,
    BrowserCancelledError,
    BrowserConfirmContext,
    BrowserError,
    BrowserFileInput,
    BrowserFileOutcome,
    BrowserReadConfirmContext,
    BrowserReadV1,
    BrowserScopedReadV1,
    BrowserState,
    ClickInput,
    NavigateInput,
    ReadPageInput,
    ReadPageScopedInput,
    TabInput,
    TypeInput,
)
from openai.lib.responses_tool_runner import (
    AsyncRegisteredFunction,
    AsyncResponsesToolRunner,
    ToolRunnerError,
)
from openai.types.responses import ResponseFunctionToolCall

SITE = "https://shop.example.com"


class Shop:
    """A driver of a page that exists in this class only."""

    def __init__(self) -> None:
        self.url = f"{SITE}/start?session=1"
        self.typed: list[str] = []
        self.log: list[str] = []

    async def state(self) -> BrowserState:
        return {"tabs": [{"id": "t1", "title": "Shop", "url": self.url, "active": True}]}

    async def navigate(self, action: NavigateInput) -> None:
        self.log.append(f"navigate {action['url']}")
        self.url = action["url"]

    async def click(self, action: ClickInput, *, cancelled: Any = None) -> str | None:
        self.log.append(f"click {action['target']} {cancelled is not None}")
        if action["target"] == "gone":
            raise BrowserError("gone is stale; read the page again")
        if action["target"] == "broken":
            raise OSError("a private text")
        return "clicked" if action["target"] == "talk" else None

    async def type(self, action: TypeInput) -> None:
        self.typed.append(action["text"])

    async def read_page(self, action: ReadPageInput) -> BrowserReadV1:
        return {
            "version": 1,
            "text": "Shop ☃",
            "elements": [
                {"ref": "e1", "role": "button", "label": "Buy"},
                {"ref": "e2", "role": "checkbox", "label": "Gift", "checked": False},
            ],
            "omitted": ["private"] if action["filter"] == "all" else [],
        }

    async def get_page_text(self, action: TabInput) -> str | None:
        return None if action["tab_id"] else "Shop"

    async def screenshot(self, action: TabInput) -> Any:
        return {"type": "input_image", "image_url": "data:image/png;base64,AA==", "detail": "high"}

    async def read_page_scoped(self, action: ReadPageScopedInput) -> BrowserScopedReadV1:
        return {
            "version": 1,
            "text": f"depth {action['depth']}",
            "elements": [],
            "omitted": [],
            "scopes": [{"ref": "s1", "label": "Cart"}],
        }

    async def download_file(self, action: BrowserFileInput) -> BrowserFileOutcome:
        return {"version": 1, "status": "refused", "effect": "none", "cleanup": "completed"}


async def confirm(context: BrowserConfirmContext | BrowserReadConfirmContext) -> bool:
    return context["member"] != "type"


async def url_policy(context: BrowserConfirmContext, url: str) -> bool:
    return url.startswith(f"{SITE}/")


def call(member: str, **arguments: Any) -> ResponseFunctionToolCall:
    return ResponseFunctionToolCall(
        type="function_call",
        name=f"browser_{member}",
        call_id=f"call_{member}",
        arguments=json.dumps(arguments),
        status="completed",
    )


CALLS = [
    call("list_tabs"),
    call("navigate", url=f"{SITE}/cart", tab_id=None),
    call("navigate", url="https://elsewhere.example.com/", tab_id=None),
    call("click", target="e1", tab_id=None),
    call("click", target="talk", tab_id=None),
    call("click", target="gone", tab_id=None),
    call("click", target="broken", tab_id=None),
    call("click", target="e1"),
    call("type", text="hello", target=None, tab_id=None),
    call("read_page", tab_id=None, filter="all"),
    call("read_page", tab_id=None, filter="some"),
    call("get_page_text", tab_id=None),
    call("get_page_text", tab_id="t1"),
    call("screenshot", tab_id=None),
    call("read_page_scoped", tab_id=None, root=None, depth=3, filter="all"),
    call("download_file", grant_id="g1"),
]


async def attempt(begin: Any) -> Any:
    """What came out, or which kind of error."""
    try:
        result = begin()
        return await result if inspect.isawaitable(result) else result
    except BrowserCancelledError:
        return "cancelled"
    except (ValueError, RuntimeError) as error:
        kind = RuntimeError if isinstance(error, RuntimeError) else ValueError
        return kind.__name__, isinstance(error, ToolRunnerError)


async def use_the_toolset() -> dict[str, Any]:
    shop = Shop()
    toolset = AsyncBrowserToolset(
        shop,
        additional_members=["read_page_scoped", "download_file"],
        confirm=confirm,
        url_policy=url_policy,
        confirm_reads=["get_page_text"],
    )
    records: list[Any] = []
    outputs = [
        await toolset.execute(item, cancelled=lambda: False, on_diagnostic=records.append)
        for item in CALLS
    ]
    results: dict[str, Any] = {
        "tools": toolset.tools,
        "outputs": outputs,
        "records": records,
        "cancelled": await attempt(lambda: toolset.execute(CALLS[3], cancelled=lambda: True)),
    }

    async def nested(context: Any) -> bool:
        results["nested"] = await attempt(lambda: toolset.execute(CALLS[0]))
        results["close inside"] = toolset.close()
        return True

    toolset.confirm = nested
    results["last"] = await toolset.execute(CALLS[3])
    results["close"] = toolset.close()
    results["closed"] = await attempt(lambda: toolset.execute(CALLS[0]))
    results["log"] = shop.log
    results["typed"] = shop.typed
    return results


async def make_wrongly() -> list[Any]:
    class Sync(Shop):
        def click(self, action: Any) -> None: ...  # type: ignore[override]

    class Broken(Shop):
        async def state(self) -> Any:
            return {"tabs": [{}]}

    broken = AsyncBrowserToolset(Broken(), members=["list_tabs"])
    return [
        await attempt(lambda: AsyncBrowserToolset(Shop(), members=["click"])),
        await attempt(lambda: AsyncBrowserToolset(Shop(), members=["nonsense"])),
        await attempt(lambda: AsyncBrowserToolset(Shop(), members="click")),
        await attempt(lambda: AsyncBrowserToolset(Shop(), members=[], additional_members=[])),
        await attempt(lambda: AsyncBrowserToolset(Sync(), members=["click"], confirm=confirm)),
        await attempt(lambda: AsyncBrowserToolset(Shop(), members=["hover"], confirm=confirm)),
        await attempt(lambda: broken.execute(CALLS[0])),
    ]


TOOL: Any = {
    "type": "function",
    "name": "price_of",
    "strict": True,
    "parameters": {
        "type": "object",
        "properties": {"item": {"type": "string"}},
        "required": ["item"],
        "additionalProperties": False,
    },
}


async def price_of(arguments: dict[str, object]) -> str:
    if arguments["item"] == "nothing":
        raise LookupError("a private text")
    return f"{len(str(arguments['item']))} coins"


async def use_the_runner(url: str) -> dict[str, Any]:
    client = AsyncOpenAI(base_url=url, api_key="none", max_retries=0)
    toolset = AsyncBrowserToolset(
        Shop(), members=["click", "read_page", "screenshot"], confirm=confirm
    )
    runner = AsyncResponsesToolRunner(
        browser=toolset, functions=[AsyncRegisteredFunction(TOOL, price_of)]
    )
    params: Any = {"model": "m", "input": "Buy a hat.", "instructions": "Be brief."}
    records: list[Any] = []
    last = await runner.run(client, params, on_diagnostic=records.append)
    results: dict[str, Any] = {
        "text": last.output_text,
        "requests": [record for record in records if record["stage"] == "request"],
    }
    try:
        await runner.run(client, params, max_steps=5)
    except ToolRunnerError as error:
        results["attempted"] = error.attempted_call_ids
        results["completed"] = error.completed_call_ids
    streamed: Any = {**params, "stream": True}
    results["refused"] = [
        await attempt(lambda: runner.run(client, streamed)),
        await attempt(lambda: runner.run(client, params, max_steps=0)),
        await attempt(
            lambda: AsyncResponsesToolRunner(
                functions=[AsyncRegisteredFunction(TOOL, price_of)] * 2
            )
        ),
    ]
    results["close"] = runner.close()
    results["closed"] = await attempt(lambda: runner.run(client, params))
    await client.close()
    return results


def main(url: str) -> dict[str, Any]:
    return asyncio.run(everything(url))


async def everything(url: str) -> dict[str, Any]:
    return {
        "members": sorted(BROWSER_MEMBERS),
        "defaults": sorted(DEFAULT_BROWSER_MEMBERS),
        "toolset": await use_the_toolset(),
        "wrongly": await make_wrongly(),
        "runner": await use_the_runner(url),
    }
