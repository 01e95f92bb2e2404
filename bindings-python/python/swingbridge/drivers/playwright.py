"""Playwright browser drivers for the sync and the async classes (D-1).

with sync_playwright() as playwright:
    browser = playwright.chromium.launch()
    context = browser.new_context(accept_downloads=False)
    context.new_page()
    driver = PlaywrightBrowserDriver(context)
    toolset = BrowserToolset(driver, confirm=..., url_policy=...)
"""

from __future__ import annotations

from ._playwright_async import AsyncPlaywrightBrowserDriver
from ._playwright_sync import PlaywrightBrowserDriver

__all__ = ["AsyncPlaywrightBrowserDriver", "PlaywrightBrowserDriver"]
