"""One way to say a test for both flavours.

A test writes plain functions. The kit makes a driver, callbacks and a toolset of its flavour of
them, and runs calls; the async flavour differs in nothing but the word ``async``.
"""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import swingbridge

Function = Callable[..., Any]
TAB = {"id": "t1", "title": "A page", "url": "https://example.com/path?q=1", "active": True}
SHOWN_TAB = {**TAB, "url": "https://example.com"}
CLICK = {"target": "e1", "tab_id": None}


def call(member: str, arguments: Any = None, **fields: Any) -> dict[str, Any]:
    """A completed call. ``arguments`` is an object, or the raw text."""
    if arguments is None:
        arguments = DEFAULT_ARGUMENTS[member]
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {
        "type": "function_call",
        "name": f"browser_{member}",
        "call_id": "call_1",
        "arguments": text,
        "status": "completed",
        **fields,
    }


DEFAULT_ARGUMENTS: dict[str, Any] = {
    "click": CLICK,
    "find": {"query": "q", "tab_id": None},
    "get_page_text": {"tab_id": None},
    "list_tabs": {},
    "navigate": {"url": "https://example.com/", "tab_id": None},
    "new_tab": {"url": None},
    "read_page": {"tab_id": None, "filter": "all"},
    "read_page_scoped": {"tab_id": None, "root": None, "depth": 1, "filter": "all"},
    "screenshot": {"tab_id": None},
    "run_script": {"tab_id": None, "source": "1", "timeout_ms": 1},
    "upload_file": {"grant_id": "g"},
}


@dataclass(frozen=True)
class Kit:
    """Makes and runs what a test needs, in one flavour."""

    asynchronous: bool

    def function(self, plain: Function) -> Function:
        """A function of the flavour that does what ``plain`` does. Takes ``cancelled`` if that does."""
        if not self.asynchronous:
            return plain

        if "cancelled" in inspect.signature(plain).parameters:

            async def with_cancelled(*arguments: Any, cancelled: Any) -> Any:
                return plain(*arguments, cancelled=cancelled)

            return with_cancelled

        async def function(*arguments: Any) -> Any:
            return plain(*arguments)

        return function

    def driver(self, **methods: Function) -> Any:
        """An object with these functions as attributes, and a ``state`` with one tab."""
        given = {"state": lambda: {"tabs": [dict(TAB)]}, **methods}
        functions = {name: staticmethod(self.function(plain)) for name, plain in given.items()}
        return type("Driver", (), functions)()

    def toolset(self, driver: Any = None, **options: Any) -> Any:
        """A toolset that approves everything unless told otherwise."""
        if driver is None:
            driver = self.driver(click=lambda _action: None)
        given: dict[str, Any] = {
            "confirm": lambda _context: True,
            "url_policy": lambda _context, _url: True,
            **options,
        }
        for name in ("confirm", "url_policy"):
            if given[name] is not None:
                given[name] = self.function(given[name])
        kind = swingbridge.AsyncBrowserToolset if self.asynchronous else swingbridge.BrowserToolset
        return kind(driver, **given)

    def execute(self, toolset: Any, item: Any, **options: Any) -> Any:
        """Run one call to its end."""
        if self.asynchronous:
            return asyncio.run(toolset.execute(item, **options))
        return toolset.execute(item, **options)


def payload(output: Any) -> Any:
    """The parsed JSON text of an output."""
    return json.loads(output["output"][0]["text"])
