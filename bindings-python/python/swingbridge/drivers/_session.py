"""What a Playwright driver knows between calls: its tabs, what happened in them, and its settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, cast

from swingbridge import BrowserError
from swingbridge._core import BLANK_ADDRESS, PAGE_TIMEOUT_MS, TAB_LIMIT, page_kind, safe_title

from ._limits import check_range
from ._observation import ObservationLog
from ._plan import Plan, Step
from ._refusals import page_changed, tab_crashed
from ._tabs import Report, Tab, TabTable

if TYPE_CHECKING:
    from swingbridge import BrowserState

__all__ = ["Session", "Settings"]

TITLE_TIMEOUT_MS: Final = 1_000
STOP_TIMEOUT_MS: Final = 1_000

# The accessor, not `document.title`: an image called "title" shadows that. Never empty, because Playwright waits for
# a true value; waiting is what gives the call a timeout, which plain evaluation lacks.
_TITLE = (
    "seen => seen.document !== document ? 'replaced' : "
    "'=' + Object.getOwnPropertyDescriptor(Document.prototype, 'title').get.call(document).slice(0, 4096)"
)
# Within an object: with an element of a replaced document, Playwright tries until the timeout instead of failing.
_DOCUMENT = "() => ({ document })"
_STOP = "(window.stop(), true)"


@dataclass(frozen=True)
class Settings:
    """See PlaywrightBrowserDriver for the meaning of each."""

    report_values: bool
    action_timeout_ms: int
    navigation_timeout_ms: int
    title_filter: Callable[[str], str] | None

    def __post_init__(self) -> None:
        for name in ("action_timeout_ms", "navigation_timeout_ms"):
            check_range(name, getattr(self, name), PAGE_TIMEOUT_MS)


@dataclass(eq=False)
class Session:
    """Tracks the pages of a BrowserContext, or one Page and the popups that it leads to.

    Args:
        source: The Playwright BrowserContext or Page. It stays the caller's; `detach` removes all listeners.
        settings: The driver's settings.
        spawn: Runs a plan that an event asks for: at once (sync) or as a task (async).
        errors: Playwright's `Error` and `TimeoutError`.
    """

    source: Any
    settings: Settings
    spawn: Callable[[Plan[None]], None]
    errors: tuple[type[Exception], type[Exception]]
    tabs: TabTable = field(default_factory=TabTable)
    log: ObservationLog = field(default_factory=ObservationLog)
    generations: int = 0
    report: Report | None = None
    _listeners: list[tuple[Any, str, Callable[[Any], None]]] = field(default_factory=list[Any])

    def __post_init__(self) -> None:
        if hasattr(self.source, "main_frame"):
            self.context: Any = self.source.context
            self._admit(self.source)
        else:
            self.context = self.source
            for page in self.source.pages:
                self._admit(page)
            self._listen(self.source, "page", self._page_opened)

    def detach(self) -> None:
        """Stops listening. Pages and context stay as they are."""
        for emitter, event, listener in self._listeners:
            emitter.remove_listener(event, listener)
        self._listeners.clear()

    def tab(self, tab_id: str | None) -> Tab:
        """A tab that can be read: the active one of this moment, if none is named.

        Raises:
            BrowserError: There is none, it crashed, or it shows no page of a supported kind.
        """
        return _readable(_living(self.tabs.named(tab_id)))

    def acting_tab(self, tab_id: str | None) -> Plan[Tab]:
        """A tab that can be acted upon: the one that was last reported as active, if none is named.

        Raises:
            BrowserError: There is none, it crashed, or it shows no page of a supported kind.
        """
        return _readable((yield from self.navigable_tab(tab_id)))

    def navigable_tab(self, tab_id: str | None) -> Plan[Tab]:
        """As `acting_tab`, whatever the tab shows.

        Raises:
            BrowserError: There is none, or it crashed.
        """
        tab = _living(self.reported_tab(tab_id))
        # A page opened a window since: what was asked for is still about the tab that was active before.
        if tab_id is None and tab is not self.tabs.active:
            yield from self.bring_to_front(tab)
        return tab

    def reported_tab(self, tab_id: str | None) -> Tab:
        """A tab of the last report; any tab before the first one.

        Raises:
            BrowserError: There is none.
        """
        if self.report is None:
            return self.tabs.named(tab_id)
        if tab_id is not None:
            tab = self.tabs.named(tab_id)
            if tab not in self.report.documents:
                raise page_changed()
            return tab
        if self.report.active in self.tabs.tabs:
            return self.report.active
        if self.report.active is None and self.tabs.active is None:
            return self.tabs.named(None)
        raise page_changed()

    def reported_document(self, tab: Tab) -> Any:
        """Handle of the document that what depends on the page must find there; None if it may be any.

        Raises:
            BrowserError: It is unknown which one was reported.
        """
        return None if self.report is None else self.report.document(tab)

    def open_tab(self) -> Plan[Tab]:
        page = yield Step(self.context.new_page)
        tab = self._track(page)
        self.expect_document(tab)
        self.expect_active(tab)
        self.activate(tab)
        return tab

    def close_tab(self, tab: Tab) -> Plan[None]:
        yield Step(tab.page.close)
        self._page_closed(tab)
        report, active = self.report, self.tabs.active
        if report is not None and report.active is tab and active in report.documents:
            report.active = active

    def bring_to_front(self, tab: Tab) -> Plan[None]:
        error, _ = self.errors
        try:
            yield Step(tab.page.bring_to_front)
        except error:
            raise BrowserError("The tab could not be brought to the front.") from None
        self.activate(tab)

    def expect_active(self, tab: Tab) -> None:
        """The caller itself made a tab the active one."""
        if self.report is not None:
            self.report.active = tab

    def expect_document(self, tab: Tab) -> None:
        """The caller itself had another document opened in a tab."""
        if self.report is not None:
            self.report.allow_any_document(tab)

    def activate(self, tab: Tab) -> None:
        if self.tabs.activate(tab):
            self.log.tab("tab_switched", tab.id)

    def state(self) -> Plan[BrowserState]:
        for tab in list(self.tabs.tabs):
            yield from self._read_title(tab)
        # Pages may have opened or closed while titles were read; from here on nothing waits.
        active = self.tabs.active
        state = {
            "tabs": [
                {
                    "id": tab.id,
                    "title": tab.title if tab.supported else "",
                    "url": cast("str", tab.page.url) if _is_shown(tab.page) else BLANK_ADDRESS,
                    "active": tab is active,
                }
                for tab in self.tabs.tabs
            ],
            "observation": self.log.report(
                title_truncated=any(tab.title_cut and tab.supported for tab in self.tabs.tabs)
            ),
        }
        self.report = Report(active, {tab: tab.document for tab in self.tabs.tabs})
        return cast("BrowserState", state)

    def stop(self, tab: Tab) -> Plan[None]:
        """Ends loading, as the stop button does. Only Chromium stops before a server has answered."""
        error, _ = self.errors
        try:
            devtools = yield Step(lambda: self.context.new_cdp_session(tab.page))
            yield Step(lambda: devtools.send("Page.stopLoading"))
            yield Step(devtools.detach)
        except error:
            yield from self._quietly(
                Step(lambda: tab.page.wait_for_function(_STOP, timeout=STOP_TIMEOUT_MS))
            )

    def _read_title(self, tab: Tab) -> Plan[None]:
        """Reads a title, and holds the document that it belongs to."""
        error, timeout = self.errors
        if tab.crashed or not tab.supported:
            return
        title: Any = None
        # Twice: the document that was held may have been replaced. A handle of it then fails, or, where the
        # browser keeps the window for the next document, it is another one.
        for _ in range(2):
            try:
                if tab.document is None:
                    tab.document = yield Step(_evaluation(tab.page, _DOCUMENT, None))
                handle = yield Step(_evaluation(tab.page, _TITLE, tab.document))
                title = yield Step(handle.json_value)
            except timeout:
                return  # busy: the last known title of this document still holds
            except error:
                title = None
            if isinstance(title, str) and title.startswith("="):
                break
            tab.document = None
        else:
            return
        title = title[1:]
        if self.settings.title_filter is not None:
            title = self.settings.title_filter(title)
        tab.title, tab.title_cut = safe_title(title)

    def _admit(self, page: Any) -> None:
        """Tracks a page that was there before the driver: it is the starting point, not a change."""
        tab = self.tabs.add(page)
        tab.supported = _is_shown(page)
        self.tabs.activate(tab)
        self._watch(tab)

    def _track(self, page: Any) -> Tab:
        known = self.tabs.of(page)
        if known is not None:
            return known
        alone = self.tabs.active is None
        tab = self.tabs.add(page)
        tab.supported = _is_shown(page)
        self.log.tab("tab_opened", tab.id)
        if alone:
            self.log.tab("tab_switched", tab.id)
        self._watch(tab)
        return tab

    def _watch(self, tab: Tab) -> None:
        page = tab.page
        self._listen(page, "popup", lambda popup: self._popup_opened(tab, popup))
        self._listen(page, "framenavigated", lambda frame: self._frame_navigated(tab, frame))
        self._listen(page, "dialog", lambda dialog: self._dialog_opened(tab, dialog))
        self._listen(page, "download", lambda download: self._download_started(tab, download))
        self._listen(page, "crash", lambda _page: self._page_crashed(tab))
        self._listen(page, "close", lambda _page: self._page_closed(tab))

    def _listen(self, emitter: Any, event: str, listener: Callable[[Any], None]) -> None:
        emitter.on(event, listener)
        self._listeners.append((emitter, event, listener))

    def _page_opened(self, page: Any) -> None:
        self._track(page)

    def _popup_opened(self, opener: Tab, popup: Any) -> None:
        if popup.is_closed():
            return
        tab = self._track(popup)
        if len(self.tabs.tabs) > TAB_LIMIT:
            self.log.refused("policy", opener.id)
            self.spawn(self._quietly(Step(popup.close)))
        elif self.tabs.active is opener:
            self.activate(tab)

    def _frame_navigated(self, tab: Tab, frame: Any) -> None:
        if frame.parent_frame is not None or self.tabs.of(tab.page) is None:
            return
        tab.forget_title()
        kind = page_kind(frame.url)
        tab.supported = kind == "shown"
        self.log.tab("navigation", tab.id)
        # A failed load was no attempt to go somewhere else.
        if kind == "refused":
            self.log.refused("unsupported", tab.id)

    def _dialog_opened(self, tab: Tab, dialog: Any) -> None:
        self.log.dialog(dialog.type, tab.id)
        self.spawn(self._quietly(Step(dialog.dismiss)))

    def _download_started(self, tab: Tab, download: Any) -> None:
        self.log.download("blocked", tab.id)
        self.spawn(self._quietly(Step(download.cancel)))

    def _page_crashed(self, tab: Tab) -> None:
        tab.crashed = True

    def _page_closed(self, tab: Tab) -> None:
        if tab not in self.tabs.tabs:
            return
        successor = self.tabs.remove(tab)
        self.log.tab("tab_closed", tab.id)
        if successor is not None:
            self.log.tab("tab_switched", successor.id)
        tab.script = None
        self._listeners = [entry for entry in self._listeners if entry[0] is not tab.page]

    def _quietly(self, step: Step) -> Plan[None]:
        """For things that may already be over: a handled dialog, a closed page."""
        error, _ = self.errors
        try:
            yield step
        except error:
            return


def _is_shown(page: Any) -> bool:
    return page_kind(page.url) == "shown"


def _living(tab: Tab) -> Tab:
    if tab.crashed:
        raise tab_crashed()
    return tab


def _readable(tab: Tab) -> Tab:
    if not tab.supported:
        raise BrowserError("The tab shows no page: its address did not load or is unsupported.")
    return tab


def _evaluation(page: Any, expression: str, arg: Any) -> Callable[[], Any]:
    return lambda: page.wait_for_function(expression, arg=arg, timeout=TITLE_TIMEOUT_MS)
