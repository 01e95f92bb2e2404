"""What the Python benchmarks do, written once for both packages."""

from __future__ import annotations

from typing import Any

STATE = {
    "tabs": [
        {
            "id": "tab-1",
            "title": "Book a table",
            "url": "https://example.com/book?day=1",
            "active": True,
        }
    ]
}
ROLES = ("button", "textbox", "combobox", "checkbox", "radio", "slider", "listbox")


def read_report(elements: int) -> dict[str, Any]:
    return {
        "version": 1,
        "text": "Pick a day and a time. " * 40,
        "elements": [element(index) for index in range(elements)],
        "omitted": ["private"],
    }


def element(index: int) -> dict[str, Any]:
    role = ROLES[index % len(ROLES)]
    report: dict[str, Any] = {
        "ref": f"g1-e{index}",
        "role": role,
        "label": f"Control number {index}",
    }
    if role == "textbox":
        report["value"] = f"value {index}"
    if role in ("checkbox", "radio"):
        report["checked"] = index % 2 == 0
    if role == "combobox":
        report["options"] = [{"label": f"Option {n}", "value": str(n)} for n in range(4)]
    return report


READ = read_report(200)
SCREENSHOT = {
    "type": "input_image",
    "image_url": "data:image/png;base64," + "iVBORw0KGgo" * 95_326,
    "detail": "original",
}


def call(member: str, arguments: str, call_id: str = "call_1") -> dict[str, Any]:
    return {
        "type": "function_call",
        "id": "fc_1",
        "call_id": call_id,
        "name": f"browser_{member}",
        "arguments": arguments,
        "status": "completed",
    }


CALLS = {
    "click": call("click", '{"target":"g1-e7","tab_id":null}'),
    "read, 200 elements": call("read_page", '{"tab_id":null,"filter":"all"}'),
    "screenshot, 1 MB": call("screenshot", '{"tab_id":null}'),
}


class Driver:
    """A driver that costs nothing: what is measured is the helper."""

    def state(self) -> Any:
        return STATE

    def click(self, arguments: Any) -> None:
        return None

    def read_page(self, arguments: Any) -> Any:
        return READ

    def screenshot(self, arguments: Any) -> Any:
        return SCREENSHOT


class AsyncDriver:
    async def state(self) -> Any:
        return STATE

    async def click(self, arguments: Any) -> None:
        return None

    async def read_page(self, arguments: Any) -> Any:
        return READ

    async def screenshot(self, arguments: Any) -> Any:
        return SCREENSHOT


def confirm(context: Any) -> bool:
    return True


async def confirm_async(context: Any) -> bool:
    return True
