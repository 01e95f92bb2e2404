"""Members that open addresses and handle tabs."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from swingbridge import BrowserError
from swingbridge._core import address_problem

from ._plan import Plan, Step
from ._session import Session
from ._tabs import Tab

if TYPE_CHECKING:
    from swingbridge import NavigateInput, NewTabInput, TabInput

__all__ = ["close_tab", "navigate", "new_tab", "switch_tab"]

LOAD_SLICE_MS: Final = 250


def navigate(session: Session, args: NavigateInput) -> Plan[None]:
    tab = session.reported_tab(args["tab_id"])
    _check(session, args["url"], tab.id)
    tab = yield from session.navigable_tab(args["tab_id"])
    yield from _open(session, tab, args["url"])


def new_tab(session: Session, args: NewTabInput) -> Plan[None]:
    url = args["url"]
    if url is not None:
        _check(session, url, None)
    tab = yield from session.open_tab()
    if url is not None:
        yield from _open(session, tab, url)


def switch_tab(session: Session, args: TabInput) -> Plan[None]:
    tab = session.reported_tab(args["tab_id"])
    yield from session.bring_to_front(tab)
    session.expect_active(tab)


def close_tab(session: Session, args: TabInput) -> Plan[None]:
    """Closes a tab without asking the page."""
    error, _ = session.errors
    try:
        yield from session.close_tab(session.reported_tab(args["tab_id"]))
    except error:
        raise BrowserError("The tab could not be closed.") from None


def _check(session: Session, url: str, tab_id: str | None) -> None:
    problem = address_problem(url)
    if problem is not None:
        session.log.refused("unsupported", tab_id)
        raise BrowserError(problem)


def _open(session: Session, tab: Tab, url: str) -> Plan[None]:
    error, timeout = session.errors
    limit = session.settings.navigation_timeout_ms
    deadline = time.monotonic() + limit / 1000
    try:
        yield Step(
            lambda: tab.page.goto(url, wait_until="commit", timeout=limit),
            stop=lambda: session.stop(tab),
        )
    except timeout:
        raise BrowserError("The address did not answer in time.") from None
    except error as failure:
        raise _explained(str(failure)) from None
    session.expect_document(tab)
    yield from _loaded(session, tab, deadline)


def _loaded(session: Session, tab: Tab, deadline: float) -> Plan[None]:
    """Waits for the document in slices, so that cancellation is noticed; a slow page is left to load on."""
    error, timeout = session.errors
    while True:
        left = (deadline - time.monotonic()) * 1000
        if left <= 0:
            return
        try:
            yield Step(_load_state(tab.page, min(LOAD_SLICE_MS, left)))
        except timeout:
            continue
        except error:
            return
        return


def _load_state(page: Any, milliseconds: float) -> Any:
    return lambda: page.wait_for_load_state("domcontentloaded", timeout=milliseconds)


def _explained(message: str) -> BrowserError:
    if "Download is starting" in message:
        return BrowserError("The address starts a download, and downloads are blocked.")
    if "ERR_ABORTED" in message:
        return BrowserError(
            "The address was not opened: the page or the server did not allow leaving."
        )
    if "has been closed" in message or "crash" in message.lower():
        return BrowserError("The tab closed while the address was being opened.")
    return BrowserError("The address could not be opened.")
