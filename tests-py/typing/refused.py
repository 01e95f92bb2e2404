"""Programs that must not type-check. Never run.

Each ``type: ignore`` is the assertion that its line is an error: both checkers report one that is
not needed.
"""

from __future__ import annotations

from typing import Any

import swingbridge
from swingbridge import (
    AsyncBrowserToolset,
    AsyncResponsesToolRunner,
    BrowserClickDriver,
    BrowserConfirmContext,
    BrowserDriver,
    BrowserFileOutcome,
    BrowserReadV1,
    BrowserState,
    BrowserToolset,
    ClickInput,
    RegisteredFunction,
    ResponsesToolRunner,
)


class Driver:
    def state(self) -> BrowserState:
        return {"tabs": []}

    def click(self, action: ClickInput) -> None:
        print(action["url"])  # type: ignore[typeddict-item]
        action["target"].append("x")  # type: ignore[attr-defined]


class AsyncDriver:
    async def state(self) -> BrowserState:
        return {"tabs": [{"id": 5, "title": "", "url": "", "active": True}]}  # type: ignore[typeddict-item]


class Stateless:
    def click(self, action: ClickInput) -> None: ...


class Wrong(Driver):
    def click(self, action: int) -> None: ...  # type: ignore[override]


def confirm_actions(context: BrowserConfirmContext) -> bool:
    return True


def confirm(context: Any) -> str:
    return "yes"


async def async_confirm(context: Any) -> bool:
    return True


stateless: BrowserDriver = Stateless()  # type: ignore[assignment]
wrong: BrowserClickDriver = Wrong()  # type: ignore[assignment]
unknown_code: BrowserReadV1 = {"version": 1, "text": "", "elements": [], "omitted": ["x"]}  # type: ignore[list-item]
wrong_version: BrowserReadV1 = {"version": 2, "text": "", "elements": [], "omitted": []}  # type: ignore[typeddict-item]
missing: BrowserReadV1 = {"version": 1, "text": "", "elements": []}  # type: ignore[typeddict-item]


def wrong_pair() -> BrowserFileOutcome:
    return {"version": 1, "status": "refused", "effect": "unknown", "cleanup": "pending"}  # type: ignore[misc, return-value]


BrowserToolset(Stateless())  # type: ignore[call-overload]
BrowserToolset(AsyncDriver())  # type: ignore[call-overload]
AsyncBrowserToolset(Driver())  # type: ignore[call-overload]
BrowserToolset(Driver(), confirm=confirm)  # type: ignore[arg-type]
BrowserToolset(Driver(), confirm=async_confirm)  # type: ignore[arg-type]
AsyncBrowserToolset(AsyncDriver(), confirm=confirm)  # type: ignore[arg-type]
BrowserToolset(Driver(), confirm_reads=["find"], confirm=confirm_actions)  # type: ignore[arg-type]
BrowserToolset(Driver(), confirm_reads=["find"])  # type: ignore[call-overload]
BrowserToolset(Driver(), url_policy=lambda _context: True)  # type: ignore[misc, arg-type]
BrowserToolset(Driver(), ["click"])  # type: ignore[call-overload]
BrowserToolset(Driver(), members=[5])  # type: ignore[list-item]
BrowserToolset(Driver()).execute(5)  # type: ignore[arg-type]
BrowserToolset(Driver()).execute({}, cancelled=True)  # type: ignore[arg-type]
BrowserToolset(Driver()).tools = []  # type: ignore[misc]
BrowserToolset(Driver()).execute({})["text"]  # type: ignore[typeddict-item]

RegisteredFunction({}, async_confirm)  # type: ignore[arg-type]
RegisteredFunction({}, str, independent="yes")  # type: ignore[arg-type]
RegisteredFunction({}, str).independent = True  # type: ignore[misc]
ResponsesToolRunner(browser=AsyncBrowserToolset(AsyncDriver()))  # type: ignore[arg-type]
AsyncResponsesToolRunner(functions=[RegisteredFunction({}, str)])  # type: ignore[list-item]
ResponsesToolRunner().run(object(), {})  # type: ignore[arg-type]
ResponsesToolRunner(screen=None)  # type: ignore[call-arg]

print(swingbridge.Nonsense)  # type: ignore[attr-defined]
