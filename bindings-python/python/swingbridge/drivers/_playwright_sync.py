"""The Playwright driver for the sync classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from . import _acting, _navigating, _reading
from ._plan import Cancelled, Plan, drive
from ._session import Session, Settings

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

    from swingbridge import (
        BrowserImage,
        BrowserReadV1,
        BrowserState,
        ClickAtInput,
        ClickInput,
        FindInput,
        HoverAtInput,
        KeyInput,
        NavigateInput,
        NewTabInput,
        ReadPageInput,
        ScrollInput,
        SelectOptionInput,
        SetCheckedInput,
        TabInput,
        TypeInput,
        WaitForInput,
        ZoomInput,
    )

__all__ = ["PlaywrightBrowserDriver"]


class PlaywrightBrowserDriver:
    """Drives pages of Playwright's sync API; hand it to `BrowserToolset` (D-1).

    Every method takes the validated arguments of its member as one dict, and `cancelled`, a function without
    arguments that returns true once the operation should stop; it is asked between steps. All waiting is bounded.
    A problem that the model can solve is raised as `BrowserError`, without text of the page.

    Dialogs are dismissed and downloads cancelled, both reported by `state`. Popups become tabs, and active ones if
    the tab that opened them was. Only http(s) addresses and `about:blank` are opened and read. The driver restricts
    neither redirects nor what pages load: give the context a network policy. Its pages stay the caller's.

    An action is held to the last `state` (B-20): `tab_id` None is the tab that was reported as active, and what acts
    at the focus, at a point or by scrolling is refused once the tab shows another document. So a window that a page
    opens, or a place that it goes to, while a person decides gets nothing. Reads see what is there now. A call of
    the driver itself (`navigate`, `new_tab`, `switch_tab`) also counts; before the first `state` nothing is checked.
    The check comes right before the input, and again for every 100 characters and every key press; a page that goes
    elsewhere in between can still get the rest of that piece.

    Args:
        source: A `BrowserContext`, all of whose pages are tabs, or a `Page`, which is tracked with its popups alone.
        report_values: Whether reads tell what non-private fields hold.
        action_timeout_ms: Limit for one click, entry or key press, 1 to 60,000.
        navigation_timeout_ms: Limit for opening an address, 1 to 60,000.
        title_filter: Takes a page title and returns what may be reported of it. Afterwards addresses are cut to
            their host and mail addresses masked in any case.
    """

    def __init__(
        self,
        source: BrowserContext | Page,
        *,
        report_values: bool = True,
        action_timeout_ms: int = 5_000,
        navigation_timeout_ms: int = 20_000,
        title_filter: Callable[[str], str] | None = None,
    ) -> None:
        # Imported here, so that the package does not depend on Playwright; the caller's page came from it.
        from playwright.sync_api import Error, TimeoutError  # noqa: A004

        def spawn(plan: Plan[None]) -> None:
            drive(plan)

        settings = Settings(report_values, action_timeout_ms, navigation_timeout_ms, title_filter)
        self._session = Session(source, settings, spawn, (Error, TimeoutError))

    def detach(self) -> None:
        """Stops listening to the browser. Nothing is closed."""
        self._session.detach()

    def state(self, *, cancelled: Cancelled | None = None) -> BrowserState:
        """Tabs, titles, addresses and the V1 observation of what happened (B-30, B-33)."""
        return drive(self._session.state(), cancelled)

    def navigate(self, action: NavigateInput, *, cancelled: Cancelled | None = None) -> None:
        """Opens an http(s) address or `about:blank` and waits until its document is there."""
        drive(_navigating.navigate(self._session, action), cancelled)

    def read_page(
        self, action: ReadPageInput, *, cancelled: Cancelled | None = None
    ) -> BrowserReadV1:
        """Reads visible text and controls; `interactive` leaves the text out (B-41)."""
        return drive(_reading.read_page(self._session, action), cancelled)

    def get_page_text(
        self, action: TabInput, *, cancelled: Cancelled | None = None
    ) -> BrowserReadV1:
        """Reads the visible text, up to 256 KiB."""
        return drive(_reading.get_page_text(self._session, action), cancelled)

    def find(self, action: FindInput, *, cancelled: Cancelled | None = None) -> BrowserReadV1:
        """Looks for controls and lines of text that match words."""
        return drive(_reading.find(self._session, action), cancelled)

    def click(self, action: ClickInput, *, cancelled: Cancelled | None = None) -> None:
        """Clicks the element of a reference."""
        drive(_acting.click(self._session, action), cancelled)

    def type(self, action: TypeInput, *, cancelled: Cancelled | None = None) -> None:
        """Replaces what the control of a reference holds; without one, types at the focus."""
        drive(_acting.type_text(self._session, action), cancelled)

    def key(self, action: KeyInput, *, cancelled: Cancelled | None = None) -> None:
        """Presses a key combination where the focus is, such as `["Control", "A"]`."""
        drive(_acting.key(self._session, action), cancelled)

    def scroll(self, action: ScrollInput, *, cancelled: Cancelled | None = None) -> str:
        """Scrolls the page, or the box in the middle of it, by CSS pixels."""
        return drive(_acting.scroll(self._session, action), cancelled)

    def scroll_to(self, action: ClickInput, *, cancelled: Cancelled | None = None) -> None:
        """Scrolls until the element of a reference is in view."""
        drive(_acting.scroll_to(self._session, action), cancelled)

    def wait_for(self, action: WaitForInput, *, cancelled: Cancelled | None = None) -> None:
        """Waits until text is visible, white space counting as one space."""
        drive(_reading.wait_for(self._session, action), cancelled)

    def select_option(
        self, action: SelectOptionInput, *, cancelled: Cancelled | None = None
    ) -> None:
        """Selects options by value, or by label where no value fits."""
        drive(_acting.select_option(self._session, action), cancelled)

    def set_checked(self, action: SetCheckedInput, *, cancelled: Cancelled | None = None) -> None:
        """Sets a checkbox or radio button; nothing happens when it is set already."""
        drive(_acting.set_checked(self._session, action), cancelled)

    def hover(self, action: ClickInput, *, cancelled: Cancelled | None = None) -> None:
        """Moves the pointer over the element of a reference."""
        drive(_acting.hover(self._session, action), cancelled)

    def screenshot(self, action: TabInput, *, cancelled: Cancelled | None = None) -> BrowserImage:
        """Takes a picture of the viewport, one image pixel for one CSS pixel."""
        return drive(_reading.screenshot(self._session, action), cancelled)

    def zoom(self, action: ZoomInput, *, cancelled: Cancelled | None = None) -> BrowserImage:
        """Takes a picture of a region of the viewport, given in CSS pixels."""
        return drive(_reading.zoom(self._session, action), cancelled)

    def new_tab(self, action: NewTabInput, *, cancelled: Cancelled | None = None) -> None:
        """Opens a tab, at an address if there is one, and makes it active."""
        drive(_navigating.new_tab(self._session, action), cancelled)

    def switch_tab(self, action: TabInput, *, cancelled: Cancelled | None = None) -> None:
        """Makes a tab the active one."""
        drive(_navigating.switch_tab(self._session, action), cancelled)

    def close_tab(self, action: TabInput, *, cancelled: Cancelled | None = None) -> None:
        """Closes a tab; the one that was active before it becomes active."""
        drive(_navigating.close_tab(self._session, action), cancelled)

    def click_at(self, action: ClickAtInput, *, cancelled: Cancelled | None = None) -> None:
        """Clicks a point of the viewport, in CSS pixels, with modifiers held."""
        drive(_acting.click_at(self._session, action), cancelled)

    def hover_at(self, action: HoverAtInput, *, cancelled: Cancelled | None = None) -> None:
        """Moves the pointer to a point of the viewport, in CSS pixels."""
        drive(_acting.hover_at(self._session, action), cancelled)
