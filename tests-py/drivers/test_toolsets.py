"""The drivers behind the toolsets: swingbridge's own, and the published one they are compatible with (P-2)."""

from __future__ import annotations

import importlib
import json
from typing import Any

import pytest
from openai.types.responses import ResponseFunctionToolCall

from drivers.rig import Rig

PAGE = """
<title>Form</title><p>Fill me</p>
<form onsubmit="document.title = 'Sent'; return false">
  <label>Name <input></label><label>Kind <select><option>a<option>b</select></label>
  <label><input type=checkbox> Agree</label><button>Send</button>
</form><div style="height: 2000px"></div><a href="/page" target="_blank">More</a>
"""


class Model:
    """Calls tools by name, as a run would."""

    def __init__(self, rig: Rig, package: str) -> None:
        module = importlib.import_module(package)
        kind = "BrowserToolset" if rig.browser.flavour == "sync" else "AsyncBrowserToolset"
        self.rig = rig
        self.calls = 0
        self.asked: list[str] = []
        extra = ["click_at", "hover_at", "set_checked"]
        approve, allow = self._approve, lambda _context, _url: True
        if rig.browser.flavour == "async":
            approve, allow = awaitable(approve), awaitable(allow)
        self.toolset = getattr(module, kind)(
            rig.driver, additional_members=extra, confirm=approve, url_policy=allow
        )

    def _approve(self, context: Any) -> bool:
        self.asked.append(context["member"])
        return True

    def call(self, member: str, **args: Any) -> tuple[dict[str, Any], list[Any]]:
        if member not in ("new_tab", "list_tabs"):
            args.setdefault("tab_id", None)
        self.calls += 1
        call = ResponseFunctionToolCall(
            type="function_call",
            id=f"fc_{self.calls}",
            call_id=f"call_{self.calls}",
            name=f"browser_{member}",
            arguments=json.dumps(args),
            status="completed",
        )
        output = self.rig.do(self.toolset.execute, call)
        output = output if isinstance(output, dict) else output.model_dump()
        first, *rest = output["output"]
        payload = json.loads(first["text"])
        assert payload["ok"] is True, payload
        return payload, rest


def awaitable(function: Any) -> Any:
    async def call(*args: Any) -> Any:
        return function(*args)

    return call


@pytest.mark.parametrize("package", ["swingbridge", "openai.lib.browser"])
def test_a_toolset_takes_the_driver_and_all_its_reports(rig: Rig, package: str) -> None:
    rig.site.pages["/page"] = PAGE
    model = Model(rig, package)
    tools = {tool["name"].removeprefix("browser_") for tool in model.toolset.tools}
    assert len(tools) == 21

    model.call("navigate", url=rig.site.url("/page"))
    read, _ = model.call("read_page", filter="all")
    refs = {item["label"]: item["ref"] for item in read["result"]["elements"]}
    model.call("type", text="Ann", target=refs["Name"])
    model.call("select_option", target=refs["Kind"], values=["b"])
    model.call("set_checked", target=refs["Agree"], checked=True)
    model.call("hover", target=refs["Send"])
    model.call("click", target=refs["Send"])
    model.call("wait_for", text="Fill me", timeout_ms=1000)
    model.call("key", keys=["Tab"])
    model.call("scroll", direction="down", amount=100)
    model.call("scroll_to", target=refs["More"])
    model.call("hover_at", x=1, y=1)
    model.call("click_at", x=1, y=1, button="left", click_count=1, keys=[])
    model.call("get_page_text")
    found, _ = model.call("find", query="agree")
    assert found["result"]["elements"][0]["checked"] is True
    _, [picture] = model.call("screenshot")
    assert picture["image_url"].startswith("data:image/png;base64,")
    assert picture["detail"] == "original"
    model.call("zoom", region=[0, 0, 10, 10])
    model.call("new_tab", url=None)
    model.call("switch_tab", tab_id="tab-1")
    model.call("close_tab", tab_id="tab-2")
    state, _ = model.call("list_tabs")
    assert state["state"]["tabs"] == [
        {"id": "tab-1", "title": "Sent", "url": rig.site.origin, "active": True}
    ]
    assert state["state"]["observation"]["sequence"] == 5
    assert "click" in model.asked
