"""Playwright computer drivers for the sync and the async classes (D-2, D-3).

with sync_playwright() as playwright:
    page = playwright.chromium.launch().new_page(viewport={"width": 1440, "height": 900})
    page.goto("https://example.com")
    computer = ComputerToolset(PlaywrightComputerDriver(page))
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ._plan import Cancelled, drive, drive_async
from ._screen_plans import Screen, act, screenshot

if TYPE_CHECKING:
    from playwright.async_api import Page as AsyncPage
    from playwright.sync_api import Page

    from swingbridge import (
        ClickAction,
        DoubleClickAction,
        DragAction,
        KeypressAction,
        MoveAction,
        Screenshot,
        ScrollAction,
        TypeAction,
        WaitAction,
    )

__all__ = ["AsyncPlaywrightComputerDriver", "PlaywrightComputerDriver"]


class PlaywrightComputerDriver:
    """Shows a page of Playwright's sync API as a screen; hand it to `ComputerToolset` (C-1).

    The model sees the viewport and acts by the pixels of the last screenshot; points outside of it are refused.
    Keys are named as models name them (see `swingbridge.drivers.screen.chord`). Keys that an action holds and the
    button of a drag are let go of in reverse order, also after an error or a cancellation. The buttons `back` and
    `forward` go through the history; `wheel` is the middle button. What cannot be done raises `DriverError`, or
    Playwright's own error, and ends the call.

    Every method takes `cancelled`, a function without arguments that returns true once the work should stop; it is
    asked between steps. The page stays the caller's: links that open another page are out of the model's sight,
    and the driver restricts neither where the page goes nor what it loads. Give its context a network policy.

    Args:
        page: The page. Playwright's mouse and keyboard have no timeouts, so a page that hangs holds the driver.
        scale: The pixels of a screenshot: one for each CSS pixel, or those of the device.
        crop: `(left, top, width, height)` of the part of the viewport that is shown, in whole CSS pixels.
        max_size: `(width, height)` that a screenshot is scaled down to; 1440 x 900 and 1600 x 900 work well. Only
            Chromium can do that. Beyond what the service accepts it is done in any case.
        wait_ms: How long `wait` waits, 0 to 30,000.
        settle_ms: How long the page is given to react to an action, 0 to 30,000.

    Raises:
        ValueError: A setting is out of its range.
    """

    def __init__(
        self,
        page: Page,
        *,
        scale: Literal["css", "device"] = "css",
        crop: tuple[int, int, int, int] | None = None,
        max_size: tuple[int, int] | None = None,
        wait_ms: int = 1_000,
        settle_ms: int = 100,
    ) -> None:
        # Imported here, so that the package does not depend on Playwright; the caller's page came from it.
        from playwright.sync_api import Error

        self._screen = Screen(page, scale, crop, max_size, wait_ms, settle_ms, Error)

    def click(self, action: ClickAction, /, *, cancelled: Cancelled | None = None) -> None:
        """Clicks a point with a button, keys held; or goes back or forward."""
        drive(act(self._screen, action), cancelled)

    def double_click(
        self, action: DoubleClickAction, /, *, cancelled: Cancelled | None = None
    ) -> None:
        """Clicks a point twice, keys held."""
        drive(act(self._screen, action), cancelled)

    def drag(self, action: DragAction, /, *, cancelled: Cancelled | None = None) -> None:
        """Moves along two points or more with the left button pressed, keys held."""
        drive(act(self._screen, action), cancelled)

    def keypress(self, action: KeypressAction, /, *, cancelled: Cancelled | None = None) -> None:
        """Presses a chord: keys down in order, up in reverse."""
        drive(act(self._screen, action), cancelled)

    def move(self, action: MoveAction, /, *, cancelled: Cancelled | None = None) -> None:
        """Moves the pointer, keys held."""
        drive(act(self._screen, action), cancelled)

    def scroll(self, action: ScrollAction, /, *, cancelled: Cancelled | None = None) -> None:
        """Turns the wheel at a point, keys held. Distances are pixels of the screenshot."""
        drive(act(self._screen, action), cancelled)

    def type(self, action: TypeAction, /, *, cancelled: Cancelled | None = None) -> None:
        """Types text where the focus is; line breaks press Enter."""
        drive(act(self._screen, action), cancelled)

    def wait(self, action: WaitAction, /, *, cancelled: Cancelled | None = None) -> None:
        """Waits for `wait_ms`."""
        drive(act(self._screen, action), cancelled)

    def screenshot(self, *, cancelled: Cancelled | None = None) -> Screenshot:
        """Takes a picture of the viewport; from now on points are meant in its pixels."""
        return drive(screenshot(self._screen), cancelled)


class AsyncPlaywrightComputerDriver:
    """Shows a page of Playwright's async API as a screen; hand it to `AsyncComputerToolset` (C-1).

    The same driver as `PlaywrightComputerDriver`, which describes behaviour and arguments. A cancelled task lets
    go of keys and button too.
    """

    def __init__(
        self,
        page: AsyncPage,
        *,
        scale: Literal["css", "device"] = "css",
        crop: tuple[int, int, int, int] | None = None,
        max_size: tuple[int, int] | None = None,
        wait_ms: int = 1_000,
        settle_ms: int = 100,
    ) -> None:
        # Imported here, so that the package does not depend on Playwright; the caller's page came from it.
        from playwright.async_api import Error

        self._screen = Screen(page, scale, crop, max_size, wait_ms, settle_ms, Error)

    async def click(self, action: ClickAction, /, *, cancelled: Cancelled | None = None) -> None:
        """Clicks a point with a button, keys held; or goes back or forward."""
        await drive_async(act(self._screen, action), cancelled)

    async def double_click(
        self, action: DoubleClickAction, /, *, cancelled: Cancelled | None = None
    ) -> None:
        """Clicks a point twice, keys held."""
        await drive_async(act(self._screen, action), cancelled)

    async def drag(self, action: DragAction, /, *, cancelled: Cancelled | None = None) -> None:
        """Moves along two points or more with the left button pressed, keys held."""
        await drive_async(act(self._screen, action), cancelled)

    async def keypress(
        self, action: KeypressAction, /, *, cancelled: Cancelled | None = None
    ) -> None:
        """Presses a chord: keys down in order, up in reverse."""
        await drive_async(act(self._screen, action), cancelled)

    async def move(self, action: MoveAction, /, *, cancelled: Cancelled | None = None) -> None:
        """Moves the pointer, keys held."""
        await drive_async(act(self._screen, action), cancelled)

    async def scroll(self, action: ScrollAction, /, *, cancelled: Cancelled | None = None) -> None:
        """Turns the wheel at a point, keys held. Distances are pixels of the screenshot."""
        await drive_async(act(self._screen, action), cancelled)

    async def type(self, action: TypeAction, /, *, cancelled: Cancelled | None = None) -> None:
        """Types text where the focus is; line breaks press Enter."""
        await drive_async(act(self._screen, action), cancelled)

    async def wait(self, action: WaitAction, /, *, cancelled: Cancelled | None = None) -> None:
        """Waits for `wait_ms`."""
        await drive_async(act(self._screen, action), cancelled)

    async def screenshot(self, *, cancelled: Cancelled | None = None) -> Screenshot:
        """Takes a picture of the viewport; from now on points are meant in its pixels."""
        return await drive_async(screenshot(self._screen), cancelled)
