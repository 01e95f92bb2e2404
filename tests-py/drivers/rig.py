"""A launched browser of one flavour, and a context with a driver on it."""

from __future__ import annotations

import inspect
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

from drivers.site import Site
from swingbridge.drivers.playwright import AsyncPlaywrightBrowserDriver, PlaywrightBrowserDriver

Flavour: TypeAlias = Literal["sync", "async"]

# Members and their arguments, without `tab_id`.
Calls: TypeAlias = dict[str, dict[str, Any]]


def launch_options() -> dict[str, Any]:
    """How to launch Chromium here: SWINGBRIDGE_CHROMIUM, the system's, or Playwright's own."""
    options: dict[str, Any] = {"args": ["--disable-gpu"]}
    executable = os.environ.get("SWINGBRIDGE_CHROMIUM") or "/usr/bin/chromium"
    if "SWINGBRIDGE_CHROMIUM" in os.environ or Path(executable).exists():
        options["executable_path"] = executable
    # Chromium refuses its sandbox to root; anyone else keeps it.
    options["chromium_sandbox"] = hasattr(os, "geteuid") and os.geteuid() != 0
    return options


class Browser:
    """A launched Chromium of one flavour. `do` makes a call and waits for it where it has to be awaited."""

    def __init__(
        self, flavour: Flavour, wait: Callable[[Awaitable[Any]], Any], browser: Any
    ) -> None:
        self.flavour = flavour
        self.browser = browser
        self._wait = wait

    def do(self, call: Callable[..., Any], *args: Any, **options: Any) -> Any:
        result = call(*args, **options)
        return self._wait(result) if inspect.isawaitable(result) else result

    def within(self, call: Callable[[], Any]) -> Any:
        """Makes a plain call where the event loop runs: listening to async Playwright needs one."""

        async def make() -> Any:
            return call()

        return call() if self.flavour == "sync" else self._wait(make())

    def driver(self, source: Any, **settings: Any) -> Any:
        kind = PlaywrightBrowserDriver if self.flavour == "sync" else AsyncPlaywrightBrowserDriver
        return self.within(lambda: kind(source, **settings))

    def close(self) -> None:
        self.do(self.browser.close)


class Rig:
    """A fresh context with one page, and a driver on it."""

    def __init__(self, browser: Browser, site: Site, **settings: Any) -> None:
        self.browser = browser
        self.site = site
        self.do = browser.do
        self.context = self.do(browser.browser.new_context, viewport={"width": 800, "height": 600})
        self.page = self.do(self.context.new_page)
        self.driver = browser.driver(self.context, **settings)

    def call(self, member: str, cancelled: Callable[[], bool] | None = None, /, **args: Any) -> Any:
        """Calls a member with `tab_id` null unless it is named."""
        if member != "new_tab":
            args.setdefault("tab_id", None)
        return self.do(getattr(self.driver, member), args, cancelled=cancelled)

    def state(self) -> Any:
        return self.do(self.driver.state)

    def changes(self, after: int = 0) -> list[dict[str, Any]]:
        """Changes since a sequence number, without their numbers."""
        changes = cast("list[dict[str, Any]]", self.state()["observation"]["changes"])
        return [
            {key: value for key, value in change.items() if key != "sequence"}
            for change in changes
            if change["sequence"] > after
        ]

    def until(self, holds: Callable[[], bool]) -> None:
        """Lets the browser's events arrive until something holds."""
        for _ in range(200):
            if holds():
                return
            self.do(self.page.wait_for_timeout, 25)
        raise AssertionError("the expected event did not arrive")

    def open(self, body: str, path: str = "/page") -> None:
        """Serves `body` and navigates to it."""
        self.site.pages[path] = body
        self.call("navigate", url=self.site.url(path))

    def read(self, filter: str = "all", tab_id: str | None = None) -> Any:
        return self.call("read_page", filter=filter, tab_id=tab_id)

    def ref(self, label: str) -> str:
        """The reference of the only control with this label."""
        found = [item["ref"] for item in self.read()["elements"] if item["label"] == label]
        assert len(found) == 1, f"{len(found)} controls are labelled {label!r}"
        return cast("str", found[0])

    def eval(self, expression: str, page: Any = None) -> Any:
        return self.do((page or self.page).evaluate, expression)
