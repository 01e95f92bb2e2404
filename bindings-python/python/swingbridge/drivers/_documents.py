"""The page script in the current document of a tab: reading, and references (D-1).

All calls go through `wait_for_function`, because plain evaluation has no timeout and a page that keeps its thread
busy would hold the driver for ever. What the script answers is always true, so nothing is waited for in fact.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable
from typing import Any, Final

from swingbridge import BrowserError
from swingbridge._core import FRAME_LIMIT

from ._page_script import page_script
from ._plan import Plan, Step
from ._refusals import page_changed, reason_error, tab_crashed
from ._reports import parse_answer
from ._session import Session
from ._tabs import Tab

__all__ = ["aimed_element", "ask", "element_of", "focused_element"]

READ_TIMEOUT_MS: Final = 8_000

# A handle of another document makes the call fail, except where the browser keeps the window for the next document.
_REPLACED = "a.seen && a.seen.document !== document ? 'replaced' : "
_CALL = f"a => {_REPLACED}a.script.call(a.operation, a.args)"
_ELEMENT = "a => a.script.element(a.ref, a.need, a.token, a.text)"
_FOCUSED = f"a => {_REPLACED}a.script.focused(a.token)"
_AIMED = f"a => {_REPLACED}a.script.aimed()"
_COLLECT = "token => { const found = window[token]; delete window[token]; return found || 'none' }"
_REF = re.compile(r"g([0-9]{1,15})-e[0-9]{1,15}")


def ask(
    session: Session,
    tab: Tab,
    operation: str,
    timeout_ms: int = READ_TIMEOUT_MS,
    *,
    seen: Any = None,
    **args: Any,
) -> Plan[dict[str, Any]]:
    """Asks the script of the current document, installing it where that is missing.

    With `seen`, the handle of a document, nothing is done in any other document.

    Raises:
        BrowserError: The page does not respond in time, closed, cannot be read, or shows another document.
    """
    error, timeout = session.errors
    # Twice: a document that was replaced since the last call takes its script along.
    for _ in range(2):
        try:
            if tab.script is None:
                yield from _install(session, tab, timeout_ms)
            arg = {"script": tab.script, "operation": operation, "args": args, "seen": seen}
            answer = yield Step(_evaluation(tab.page, _CALL, arg, timeout_ms))
            text = yield Step(answer.json_value)
        except timeout:
            raise BrowserError("The page does not respond.") from None
        except error as failure:
            if "crashed" in str(failure):
                tab.crashed = True
                raise tab_crashed() from None
            tab.script = None
            continue
        if text == "replaced":
            raise page_changed()
        return parse_answer(text)
    if seen is not None:
        raise page_changed()
    raise BrowserError("The page could not be read. It may have closed or still be loading.")


def element_of(session: Session, tab: Tab, ref: str, need: str, text: str = "") -> Plan[Any]:
    """The live element of a reference, checked at this moment, as a handle in its own frame.

    Args:
        session: The driver's session.
        tab: The tab that the operation names.
        ref: A reference from a read of that tab.
        need: What will be done: `visible` (hover, scroll), `use`, `edit`, `select` or `check`.
        text: What will be entered, for `edit`.

    Raises:
        BrowserError: Stale, changed, hidden, disabled, of another kind, or unable to hold the text.
    """
    match = _REF.fullmatch(ref)
    if match is None or tab.script is None or int(match[1]) != tab.generation:
        raise reason_error("stale")
    return (yield from _element(session, tab, _ELEMENT, None, ref=ref, need=need, text=text))


def focused_element(session: Session, tab: Tab, seen: Any) -> Plan[Any]:
    """The element that has the focus, or the body where none has; `seen` as in `ask`.

    Raises:
        BrowserError: It is in a frame of another origin, or the tab shows another document.
    """
    yield from ask(session, tab, "viewport", seen=seen)
    return (yield from _element(session, tab, _FOCUSED, seen))


def aimed_element(session: Session, tab: Tab, seen: Any) -> Plan[Any]:
    """The element that the script chose when it was last asked to `aim`; `seen` as in `ask`."""
    return (yield from _element(session, tab, _AIMED, seen))


def _install(session: Session, tab: Tab, timeout_ms: int) -> Plan[None]:
    session.generations += 1
    generation = session.generations
    options = json.dumps({"generation": generation, "reportValues": session.settings.report_values})
    source = f"({page_script()}\n)({options})"
    tab.script = yield Step(lambda: tab.page.wait_for_function(source, timeout=timeout_ms))
    tab.generation = generation


def _element(session: Session, tab: Tab, expression: str, seen: Any, **args: str) -> Plan[Any]:
    error, timeout = session.errors
    token = f"_{secrets.token_hex(16)}"
    arg = {"script": tab.script, "token": token, "seen": seen, **args}
    try:
        handle = yield Step(_evaluation(tab.page, expression, arg, READ_TIMEOUT_MS))
        element = handle.as_element()
        reason = None if element is not None else (yield Step(handle.json_value))
        if reason == "lent":
            element = yield from _collect(session, tab, token)
    except timeout:
        raise BrowserError("The page does not respond.") from None
    except error:
        tab.script = None
        raise reason_error("stale" if seen is None else "replaced") from None
    if element is None:
        raise reason_error(reason)
    return element


def _collect(session: Session, tab: Tab, token: str) -> Plan[Any]:
    """Takes an element over in the frame where the script left it (see `handOver` in `core/src/browser/page/references.js`)."""
    error, _ = session.errors
    for frame in tab.page.frames[1 : FRAME_LIMIT + 1]:
        try:
            handle = yield Step(_evaluation(frame, _COLLECT, token, READ_TIMEOUT_MS))
        except error:
            continue  # this frame is gone or busy; the element is in another one, or stale
        if handle.as_element() is not None:
            return handle.as_element()
    return None


def _evaluation(frame: Any, expression: str, arg: Any, timeout_ms: int) -> Callable[[], Any]:
    return lambda: frame.wait_for_function(expression, arg=arg, timeout=timeout_ms)
