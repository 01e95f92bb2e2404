"""The Playwright driver for the async classes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import _acting, _navigating, _reading
from ._plan import Cancelled, Plan, drive_async
from ._session import Session, Settings

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Page

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

__all__ = ["AsyncPlaywrightBrowserDriver"]


class AsyncPlaywrightBrowserDriver:
    """Drives pages of Playwright's async API; hand it to `AsyncBrowserToolset` (D-1).

    Make it, and detach it, where the event loop of its pages runs. The same driver as
    `PlaywrightBrowserDriver`, which describes behaviour and arguments. `cancelled` is also asked
    while an address is being opened, and then ends the loading.
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
        from playwright.async_api import Error, TimeoutError  # noqa: A004

        settings = Settings(report_values, action_timeout_ms, navigation_timeout_ms, title_filter)
        # Held here, because the event loop keeps only weak references to its tasks.
        self._tasks: set[asyncio.Task[Any]] = set()
        self._session = Session(source, settings, self._spawn, (Error, TimeoutError))

    def detach(self) -> None:
        """Stops listening to the browser. Nothing is closed."""
        self._session.detach()

    async def state(self, *, cancelled: Cancelled | None = None) -> BrowserState:
        """Tabs, titles, addresses and the V1 observation of what happened (B-30, B-33)."""
        return await drive_async(self._session.state(), cancelled)

    async def navigate(self, action: NavigateInput, *, cancelled: Cancelled | None = None) -> None:
        """Opens an http(s) address or `about:blank` and waits until its document is there."""
        await drive_async(_navigating.navigate(self._session, action), cancelled)

    async def read_page(
        self, action: ReadPageInput, *, cancelled: Cancelled | None = None
    ) -> BrowserReadV1:
        """Reads visible text and controls; `interactive` leaves the text out (B-41)."""
        return await drive_async(_reading.read_page(self._session, action), cancelled)

    async def get_page_text(
        self, action: TabInput, *, cancelled: Cancelled | None = None
    ) -> BrowserReadV1:
        """Reads the visible text, up to 256 KiB."""
        return await drive_async(_reading.get_page_text(self._session, action), cancelled)

    async def find(self, action: FindInput, *, cancelled: Cancelled | None = None) -> BrowserReadV1:
        """Looks for controls and lines of text that match words."""
        return await drive_async(_reading.find(self._session, action), cancelled)

    async def click(self, action: ClickInput, *, cancelled: Cancelled | None = None) -> None:
        """Clicks the element of a reference."""
        await drive_async(_acting.click(self._session, action), cancelled)

    async def type(self, action: TypeInput, *, cancelled: Cancelled | None = None) -> None:
        """Replaces what the control of a reference holds; without one, types at the focus."""
        await drive_async(_acting.type_text(self._session, action), cancelled)

    async def key(self, action: KeyInput, *, cancelled: Cancelled | None = None) -> None:
        """Presses a key combination where the focus is, such as `["Control", "A"]`."""
        await drive_async(_acting.key(self._session, action), cancelled)

    async def scroll(self, action: ScrollInput, *, cancelled: Cancelled | None = None) -> str:
        """Scrolls the page, or the box in the middle of it, by CSS pixels."""
        return await drive_async(_acting.scroll(self._session, action), cancelled)

    async def scroll_to(self, action: ClickInput, *, cancelled: Cancelled | None = None) -> None:
        """Scrolls until the element of a reference is in view."""
        await drive_async(_acting.scroll_to(self._session, action), cancelled)

    async def wait_for(self, action: WaitForInput, *, cancelled: Cancelled | None = None) -> None:
        """Waits until text is visible, white space counting as one space."""
        await drive_async(_reading.wait_for(self._session, action), cancelled)

    async def select_option(
        self, action: SelectOptionInput, *, cancelled: Cancelled | None = None
    ) -> None:
        """Selects options by value, or by label where no value fits."""
        await drive_async(_acting.select_option(self._session, action), cancelled)

    async def set_checked(
        self, action: SetCheckedInput, *, cancelled: Cancelled | None = None
    ) -> None:
        """Sets a checkbox or radio button; nothing happens when it is set already."""
        await drive_async(_acting.set_checked(self._session, action), cancelled)

    async def hover(self, action: ClickInput, *, cancelled: Cancelled | None = None) -> None:
        """Moves the pointer over the element of a reference."""
        await drive_async(_acting.hover(self._session, action), cancelled)

    async def screenshot(
        self, action: TabInput, *, cancelled: Cancelled | None = None
    ) -> BrowserImage:
        """Takes a picture of the viewport, one image pixel for one CSS pixel."""
        return await drive_async(_reading.screenshot(self._session, action), cancelled)

    async def zoom(self, action: ZoomInput, *, cancelled: Cancelled | None = None) -> BrowserImage:
        """Takes a picture of a region of the viewport, given in CSS pixels."""
        return await drive_async(_reading.zoom(self._session, action), cancelled)

    async def new_tab(self, action: NewTabInput, *, cancelled: Cancelled | None = None) -> None:
        """Opens a tab, at an address if there is one, and makes it active."""
        await drive_async(_navigating.new_tab(self._session, action), cancelled)

    async def switch_tab(self, action: TabInput, *, cancelled: Cancelled | None = None) -> None:
        """Makes a tab the active one."""
        await drive_async(_navigating.switch_tab(self._session, action), cancelled)

    async def close_tab(self, action: TabInput, *, cancelled: Cancelled | None = None) -> None:
        """Closes a tab; the one that was active before it becomes active."""
        await drive_async(_navigating.close_tab(self._session, action), cancelled)

    async def click_at(self, action: ClickAtInput, *, cancelled: Cancelled | None = None) -> None:
        """Clicks a point of the viewport, in CSS pixels, with modifiers held."""
        await drive_async(_acting.click_at(self._session, action), cancelled)

    async def hover_at(self, action: HoverAtInput, *, cancelled: Cancelled | None = None) -> None:
        """Moves the pointer to a point of the viewport, in CSS pixels."""
        await drive_async(_acting.hover_at(self._session, action), cancelled)

    def _spawn(self, plan: Plan[None]) -> None:
        task = asyncio.ensure_future(drive_async(plan))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
