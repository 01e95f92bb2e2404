"""Real browsers for driver tests: one test body runs on the sync and on the async classes.

`tests-js/drivers` reads the same pages and expectations from `pages/`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterator
from typing import Any

import pytest
from playwright.async_api import async_playwright
from playwright.sync_api import sync_playwright

from drivers.rig import Browser, Rig, launch_options
from drivers.site import Site


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    with Site() as running:
        yield running


@pytest.fixture(scope="session")
def other_site() -> Iterator[Site]:
    """A second origin."""
    with Site() as running:
        yield running


# Not for the whole session: the sync classes occupy the thread's event loop, which tests elsewhere need.
@pytest.fixture(scope="module", params=["sync", "async"])
def browser(request: pytest.FixtureRequest) -> Iterator[Browser]:
    if request.param == "sync":
        with sync_playwright() as playwright:
            browser = Browser("sync", _never, playwright.chromium.launch(**launch_options()))
            yield browser
            browser.close()
        return
    with Loop() as runner:
        manager = async_playwright()
        playwright_async = runner.run(manager.__aenter__())
        launched = runner.run(playwright_async.chromium.launch(**launch_options()))
        browser = Browser("async", lambda result: runner.run(_awaited(result)), launched)
        yield browser
        browser.close()
        runner.run(manager.__aexit__())


@pytest.fixture
def rig(browser: Browser, site: Site) -> Iterator[Rig]:
    rig = Rig(browser, site)
    yield rig
    rig.do(rig.context.close)


class Loop:
    """asyncio.Runner, which Python 3.10 lacks, as far as it is used here."""

    def __enter__(self) -> Loop:
        self.loop = asyncio.new_event_loop()
        return self

    def run(self, coroutine: Any) -> Any:
        return self.loop.run_until_complete(coroutine)

    def __exit__(self, *_: object) -> None:
        left = asyncio.all_tasks(self.loop)
        for task in left:
            task.cancel()
        if left:
            self.loop.run_until_complete(asyncio.wait(left))
        self.loop.close()


async def _awaited(result: Awaitable[Any]) -> Any:
    return await result


def _never(result: Awaitable[Any]) -> Any:
    raise AssertionError(f"a sync call returned {result!r}")
