"""Members that look and change nothing."""

from __future__ import annotations

import base64
import time
from typing import TYPE_CHECKING, Any, Final

from swingbridge import BrowserError

from ._documents import ask
from ._plan import Plan, Step
from ._refusals import outside_viewport
from ._reports import read_report
from ._session import Session

if TYPE_CHECKING:
    from swingbridge import (
        BrowserImage,
        BrowserReadV1,
        FindInput,
        ReadPageInput,
        TabInput,
        WaitForInput,
        ZoomInput,
    )

__all__ = [
    "find",
    "get_page_text",
    "read_page",
    "screenshot",
    "wait_for",
    "zoom",
]

SCREENSHOT_TIMEOUT_MS: Final = 10_000
POLL_MS: Final = 100
# A look at a large page takes its time; so long is the last one given, however little is left.
LAST_LOOK_MS: Final = 500


def read_page(session: Session, args: ReadPageInput) -> Plan[BrowserReadV1]:
    tab = session.tab(args["tab_id"])
    return read_report((yield from ask(session, tab, "read", filter=args["filter"])))


def get_page_text(session: Session, args: TabInput) -> Plan[BrowserReadV1]:
    return read_report((yield from ask(session, session.tab(args["tab_id"]), "text")))


def find(session: Session, args: FindInput) -> Plan[BrowserReadV1]:
    tab = session.tab(args["tab_id"])
    return read_report((yield from ask(session, tab, "find", query=args["query"])))


def wait_for(session: Session, args: WaitForInput) -> Plan[None]:
    """Looks every 100 ms until the text is visible; white space counts as one space."""
    tab = session.tab(args["tab_id"])
    deadline = time.monotonic() + args["timeout_ms"] / 1000
    while True:
        look = max(LAST_LOOK_MS, int((deadline - time.monotonic()) * 1000))
        answer = yield from ask(session, tab, "shows", look, text=args["text"])
        if answer.get("shown") is True:
            return
        left = int((deadline - time.monotonic()) * 1000)
        if left <= 0:
            raise BrowserError("The text did not become visible in time.")
        yield Step(_pause(tab.page, min(POLL_MS, left)))


def screenshot(session: Session, args: TabInput) -> Plan[BrowserImage]:
    tab = session.tab(args["tab_id"])
    return (yield from _picture(session, tab.page, None))


def zoom(session: Session, args: ZoomInput) -> Plan[BrowserImage]:
    tab = session.tab(args["tab_id"])
    left, top, right, bottom = args["region"]
    view = yield from ask(session, tab, "viewport")
    if right > view["width"] or bottom > view["height"]:
        raise outside_viewport(view)
    clip = {"x": left, "y": top, "width": right - left, "height": bottom - top}
    return (yield from _picture(session, tab.page, clip))


def _picture(session: Session, page: Any, clip: dict[str, int] | None) -> Plan[BrowserImage]:
    error, timeout = session.errors
    options: dict[str, Any] = {"type": "png", "scale": "css", "timeout": SCREENSHOT_TIMEOUT_MS}
    if clip is not None:
        options["clip"] = clip
    try:
        image = yield Step(lambda: page.screenshot(**options))
    except timeout:
        raise BrowserError("The page does not respond.") from None
    except error:
        raise BrowserError("No picture of this tab could be taken.") from None
    data = base64.b64encode(image).decode("ascii")
    return {
        "type": "input_image",
        "image_url": f"data:image/png;base64,{data}",
        "detail": "original",
    }


def _pause(page: Any, milliseconds: int) -> Any:
    # Playwright's own pause, so that its events (dialogs, popups) are handled meanwhile.
    return lambda: page.wait_for_timeout(milliseconds)
