"""What a Playwright driver knows between calls: its tabs, what happened in them, and its settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, cast

from swingbridge import BrowserError

from ._addresses import BLANK, is_supported, safe_title
from ._observation import ObservationLog
from ._plan import Plan, Step
from ._refusals import tab_crashed
from ._tabs import Tab, TabTable

if TYPE_CHECKING:
    from swingbridge import BrowserState

__all__ = ["Session", "Settings"]

# A page opens windows as it likes; a person would not follow more than this.
TAB_LIMIT: Final = 32
TITLE_TIMEOUT_MS: Final = 1_000
STOP_TIMEOUT_MS: Final = 1_000

# The accessor, not `document.title`: an image called "title" shadows that. Never empty, because Playwright waits for
# a true value; waiting is what gives the call a timeout, which plain evaluation lacks.
_TITLE = "'=' + Object.getOwnPropertyDescriptor(Document.prototype, 'title').get.call(document).slice(0, 4096)"
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
            if not 1 <= getattr(self, name) <= 60_000:
                raise ValueError(f"{name} must be between 1 and 60000")


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
        """A tab that can be read and acted upon.

        Raises:
            BrowserError: There is none, it crashed, or it shows no page of a supported kind.
        """
        tab = self.living_tab(tab_id)
        if not tab.supported:
            raise BrowserError("The tab shows no page: its address did not load or is unsupported.")
        return tab

    def living_tab(self, tab_id: str | None) -> Tab:
        """A tab that can be navigated.

        Raises:
            BrowserError: There is none, or it crashed.
        """
        tab = self.tabs.named(tab_id)
        if tab.crashed:
            raise tab_crashed()
        return tab

    def open_tab(self) -> Plan[Tab]:
        page = yield Step(self.context.new_page)
        tab = self._track(page)
        self.activate(tab)
        return tab

    def close_tab(self, tab: Tab) -> Plan[None]:
        yield Step(tab.page.close)
        self._page_closed(tab)

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
                    "url": cast("str", tab.page.url) if is_supported(tab.page.url) else BLANK,
                    "active": tab is active,
                }
                for tab in self.tabs.tabs
            ],
            "observation": self.log.report(
                title_truncated=any(tab.title_cut and tab.supported for tab in self.tabs.tabs)
            ),
        }
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
        error, _ = self.errors
        if tab.crashed or not tab.supported:
            return
        try:
            handle = yield Step(
                lambda: tab.page.wait_for_function(_TITLE, timeout=TITLE_TIMEOUT_MS)
            )
            title = yield Step(handle.json_value)
        except error:
            return  # busy or closing: the last known title of this document still holds
        if not isinstance(title, str) or not title.startswith("="):
            return
        title = title[1:]
        if self.settings.title_filter is not None:
            title = self.settings.title_filter(title)
        tab.title, tab.title_cut = safe_title(title)

    def _admit(self, page: Any) -> None:
        """Tracks a page that was there before the driver: it is the starting point, not a change."""
        tab = self.tabs.add(page)
        tab.supported = is_supported(page.url)
        self.tabs.activate(tab)
        self._watch(tab)

    def _track(self, page: Any) -> Tab:
        known = self.tabs.of(page)
        if known is not None:
            return known
        alone = self.tabs.active is None
        tab = self.tabs.add(page)
        tab.supported = is_supported(page.url)
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
        tab.supported = is_supported(frame.url)
        self.log.tab("navigation", tab.id)
        # The browser's own error page counts as a failed load, not as an attempt to go somewhere else.
        if not tab.supported and not frame.url.startswith("chrome-error:"):
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
