"""A page that writes down what happens to it, and a computer driver on it."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

from drivers.rig import Browser
from drivers.site import Site
from swingbridge import (
    ClickAction,
    ComputerPoint,
    DoubleClickAction,
    DragAction,
    KeypressAction,
    MoveAction,
    ScrollAction,
    TypeAction,
    WaitAction,
)
from swingbridge.drivers.playwright_computer import (
    AsyncPlaywrightComputerDriver,
    PlaywrightComputerDriver,
)

RECORDER = """<!doctype html>
<title>recorder</title>
<style>
  body { margin: 0; height: 4000px; width: 3000px; background: white }
  #field { position: fixed; left: 300px; top: 20px }
</style>
<textarea id="field"></textarea>
<script>
  window.events = [];
  const kinds = ['mousedown', 'mouseup', 'mousemove', 'click', 'auxclick', 'dblclick', 'contextmenu',
                 'wheel', 'keydown', 'keyup'];
  for (const kind of kinds) {
    addEventListener(kind, (event) => {
      if (kind === 'contextmenu') event.preventDefault();
      events.push({
        kind, x: event.clientX, y: event.clientY, button: event.button, key: event.key,
        held: ['ctrlKey', 'altKey', 'metaKey', 'shiftKey'].filter((name) => event[name]),
        across: event.deltaX, down: event.deltaY,
      });
    }, true);
  }
</script>
"""
ACTIONS: dict[str, Callable[..., Any]] = {
    "click": ClickAction,
    "double_click": DoubleClickAction,
    "keypress": KeypressAction,
    "move": MoveAction,
    "scroll": ScrollAction,
    "type": TypeAction,
    "wait": WaitAction,
}


class Desk:
    """A context with one page and a computer driver of the browser's flavour."""

    def __init__(self, browser: Browser, site: Site) -> None:
        self.browser = browser
        self.do = browser.do
        self.site = site
        self.contexts: list[Any] = []
        self.page: Any = None
        self.driver: Any = None

    def open(
        self,
        body: str = RECORDER,
        *,
        ratio: float = 1,
        size: tuple[int, int] | None = (800, 600),
        **settings: Any,
    ) -> None:
        """A new page that shows `body`, at a device scale factor, and a driver with these settings."""
        options: dict[str, Any] = {"no_viewport": True}
        if size is not None:
            options = {
                "viewport": {"width": size[0], "height": size[1]},
                "device_scale_factor": ratio,
            }
        context = self.do(self.browser.browser.new_context, **options)
        self.contexts.append(context)
        self.page = self.do(context.new_page)
        self.site.pages["/desk"] = body
        self.do(self.page.goto, self.site.url("/desk"))
        is_sync = self.browser.flavour == "sync"
        kind = PlaywrightComputerDriver if is_sync else AsyncPlaywrightComputerDriver
        self.driver = kind(self.page, **{"settle_ms": 0, "wait_ms": 0, **settings})

    def act(self, kind: str, /, **fields: Any) -> None:
        """Performs an action; what a method gives back is nothing."""
        assert self.do(getattr(self.driver, kind), ACTIONS[kind](**fields)) is None

    def drag(self, *points: tuple[int, int], keys: list[str] | None = None) -> None:
        path = [ComputerPoint(x, y) for x, y in points]
        assert self.do(self.driver.drag, DragAction(path, keys)) is None

    def screenshot(self) -> bytes:
        """The bytes of a screenshot."""
        shot = self.do(self.driver.screenshot)
        assert shot["type"] == "computer_screenshot"
        assert set(shot) == {"type", "image_url"}
        head, data = shot["image_url"].split(",")
        assert head == "data:image/png;base64"
        return base64.b64decode(data)

    def events(self, *kinds: str) -> list[dict[str, Any]]:
        """What the page wrote down, of these kinds."""
        events: list[dict[str, Any]] = self.do(self.page.evaluate, "events")
        return [event for event in events if not kinds or event["kind"] in kinds]

    def keys(self) -> list[str]:
        """Keys in the order in which they went down (+) and up (-)."""
        signs = {"keydown": "+", "keyup": "-"}
        return [signs[event["kind"]] + event["key"] for event in self.events("keydown", "keyup")]

    def until(self, holds: Callable[[], bool]) -> None:
        """Lets the browser's events arrive until something holds."""
        for _ in range(200):
            if holds():
                return
            self.do(self.page.wait_for_timeout, 25)
        raise AssertionError("the expected event did not arrive")

    def close(self) -> None:
        for context in self.contexts:
            self.do(context.close)
