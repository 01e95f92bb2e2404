"""What the Playwright computer driver does for each action.

Points and distances come in pixels of the screenshot that the model saw and are turned into CSS pixels of the
viewport here, once (D-3).
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal

from swingbridge import DriverError
from swingbridge._core import PAUSE_MS

from ._keys import page_keys
from ._limits import check_range
from ._plan import Plan, Step
from ._screen_input import dragging, holding, type_text
from .screen import CoordinateMapping, Picture, data_url, fit

if TYPE_CHECKING:
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

__all__ = ["Screen", "act", "screenshot"]

SCREENSHOT_TIMEOUT_MS: Final = 10_000
NAVIGATION_TIMEOUT_MS: Final = 20_000
LOAD_TIMEOUT_MS: Final = 2_000
WAIT_PIECE_MS: Final = 50
BUTTONS: Final = {"left": "left", "right": "right", "wheel": "middle"}
_VIEW = "[innerWidth, innerHeight, devicePixelRatio]"

Area = tuple[int, int, int, int]


@dataclass(eq=False)
class Screen:
    """The page and the settings; see `PlaywrightComputerDriver`. `mapping` is that of the last screenshot."""

    page: Any
    scale: Literal["css", "device"]
    crop: Area | None
    max_size: tuple[int, int] | None
    wait_ms: int
    settle_ms: int
    error: type[Exception]
    mapping: CoordinateMapping | None = None

    def __post_init__(self) -> None:
        if self.scale not in ("css", "device"):
            raise ValueError("scale must be css or device")
        for name in ("wait_ms", "settle_ms"):
            check_range(name, getattr(self, name), PAUSE_MS)
        if self.crop is not None:
            left, top, width, height = self.crop
            # Whole pixels: browsers round the others, each in its own way.
            if not all(type(edge) is int for edge in self.crop) or min(left, top) < 0:
                raise ValueError("crop must be four whole numbers, none of them negative")
            if width < 1 or height < 1:
                raise ValueError("crop needs a width and a height")
        if self.max_size is not None and min(self.max_size) < 1:
            raise ValueError("max_size must be a positive width and height")


def click(screen: Screen, action: ClickAction) -> Plan[None]:
    page = screen.page
    x, y = yield from _point(screen, action.x, action.y)
    if action.button in BUTTONS:
        press = Step(lambda: page.mouse.click(x, y, button=BUTTONS[action.button]))
        yield from holding(page.keyboard, action.keys, _once(press))
        yield from _settle(screen)
        return
    # The buttons at the side of a mouse; Playwright has none, and this is what browsers do for them.
    if action.keys:
        raise DriverError(
            "keys cannot be held while going back or forward", "button_with_keys_unsupported"
        )
    go = page.go_back if action.button == "back" else page.go_forward
    yield Step(lambda: go(timeout=NAVIGATION_TIMEOUT_MS, wait_until="domcontentloaded"))


def double_click(screen: Screen, action: DoubleClickAction) -> Plan[None]:
    page = screen.page
    x, y = yield from _point(screen, action.x, action.y)
    yield from holding(page.keyboard, action.keys, _once(Step(lambda: page.mouse.dblclick(x, y))))
    yield from _settle(screen)


def drag(screen: Screen, action: DragAction) -> Plan[None]:
    # The whole path is checked before anything is pressed.
    points: list[tuple[float, float]] = []
    for point in action.path:
        points.append((yield from _point(screen, point.x, point.y)))
    if len(points) < 2:
        raise DriverError("a drag needs two points or more", "drag_path_too_short")
    page = screen.page
    yield from holding(page.keyboard, action.keys, dragging(page.mouse, points))
    yield from _settle(screen)


def keypress(screen: Screen, action: KeypressAction) -> Plan[None]:
    keyboard = screen.page.keyboard
    keys = page_keys(action.keys)
    if keys[0].isascii():
        yield from holding(keyboard, action.keys, _nothing())
    else:
        yield Step(lambda: keyboard.insert_text(keys[0]))
    yield from _settle(screen)


def move(screen: Screen, action: MoveAction) -> Plan[None]:
    page = screen.page
    x, y = yield from _point(screen, action.x, action.y)
    yield from holding(page.keyboard, action.keys, _once(Step(lambda: page.mouse.move(x, y))))


def scroll(screen: Screen, action: ScrollAction) -> Plan[None]:
    page = screen.page
    x, y = yield from _point(screen, action.x, action.y)
    mapping = yield from _mapping(screen)
    (_, _, width, height), picture = mapping.area, mapping.picture
    across = action.scroll_x * width / picture[0]
    down = action.scroll_y * height / picture[1]

    def turn() -> Plan[None]:
        yield Step(lambda: page.mouse.move(x, y))
        yield Step(lambda: page.mouse.wheel(across, down))

    yield from holding(page.keyboard, action.keys, turn())
    yield from _settle(screen)


def type_(screen: Screen, action: TypeAction) -> Plan[None]:
    keyboard = screen.page.keyboard
    yield from holding(keyboard, action.keys, type_text(keyboard, action.text))
    yield from _settle(screen)


def wait(screen: Screen, action: WaitAction) -> Plan[None]:
    yield from holding(screen.page.keyboard, action.keys, _pause(screen, screen.wait_ms))


_PLANS: Final[dict[str, Any]] = {
    "click": click,
    "double_click": double_click,
    "drag": drag,
    "keypress": keypress,
    "move": move,
    "scroll": scroll,
    "type": type_,
    "wait": wait,
}


def act(screen: Screen, action: Any) -> Plan[None]:
    """The plan for an action."""
    plan: Plan[None] = _PLANS[action.type](screen, action)
    return plan


def screenshot(screen: Screen) -> Plan[Screenshot]:
    """Takes a picture; from now on points are meant in its pixels."""
    data, mapping = yield from _capture(screen)
    picture: Screenshot = {"type": "computer_screenshot", "image_url": data_url(data)}
    screen.mapping = mapping
    return picture


def _point(screen: Screen, x: int, y: int) -> Plan[tuple[float, float]]:
    mapping = yield from _mapping(screen)
    return mapping.to_screen(x, y)


def _mapping(screen: Screen) -> Plan[CoordinateMapping]:
    """That of the screenshot that the model saw; without one, that of the screen as it is."""
    if screen.mapping is None:
        _, screen.mapping = yield from _capture(screen)
    return screen.mapping


def _capture(screen: Screen) -> Plan[tuple[bytes, CoordinateMapping]]:
    left, top, width, height, ratio = yield from _area(screen)
    target = _target(screen, round(width * ratio), round(height * ratio))
    if target == (round(width * ratio), round(height * ratio)):
        clip = {"x": left, "y": top, "width": width, "height": height}
        data: bytes = yield Step(
            lambda: screen.page.screenshot(
                type="png",
                scale=screen.scale,
                clip=clip,
                caret="initial",
                timeout=SCREENSHOT_TIMEOUT_MS,
            )
        )
    else:
        data = yield from _capture_smaller(screen, (left, top, width, height), target)
    picture = Picture.read(data)
    area = (float(left), float(top), float(width), float(height))
    # By the size that the picture says it has, whatever was asked for.
    return data, CoordinateMapping(area, (picture.width, picture.height))


def _area(screen: Screen) -> Plan[tuple[int, int, int, int, float]]:
    """The part of the viewport that is pictured, in CSS pixels, and the picture's pixels for one of them."""
    page, ratio = screen.page, 1.0
    size: dict[str, int] | None = page.viewport_size
    if size is None or screen.scale == "device":
        width, height, device_ratio = yield Step(lambda: page.evaluate(_VIEW))
        size = size or {"width": int(width), "height": int(height)}
        ratio = float(device_ratio) if screen.scale == "device" else 1.0
    left, top, width, height = screen.crop or (0, 0, size["width"], size["height"])
    width, height = min(width, size["width"] - left), min(height, size["height"] - top)
    if width < 1 or height < 1:
        raise DriverError("the crop is outside the viewport", "crop_outside_viewport")
    return left, top, width, height, ratio


def _target(screen: Screen, width: int, height: int) -> tuple[int, int]:
    """The size that the picture should have: within what the service accepts and what the caller wants."""
    if screen.max_size is not None:
        share = min(1.0, screen.max_size[0] / width, screen.max_size[1] / height)
        width, height = max(1, int(width * share)), max(1, int(height * share))
    return fit(width, height)


def _capture_smaller(screen: Screen, area: Area, target: tuple[int, int]) -> Plan[bytes]:
    """Chromium's own scaling. It takes places on the page, not in the viewport."""
    page = screen.page
    left, top, width, height = area
    try:
        session = yield Step(lambda: page.context.new_cdp_session(page))
    except screen.error:
        raise DriverError(
            "the screenshot is too large, and only Chromium can make it smaller",
            "screenshot_too_large",
        ) from None
    try:
        metrics = yield Step(lambda: session.send("Page.getLayoutMetrics"))
        view = metrics["cssVisualViewport"]
        clip = {
            "x": view["pageX"] + left,
            "y": view["pageY"] + top,
            "width": width,
            "height": height,
            "scale": min(target[0] / width, target[1] / height),
        }
        taken = yield Step(
            lambda: session.send("Page.captureScreenshot", {"format": "png", "clip": clip})
        )
    finally:
        yield Step(session.detach)
    return base64.b64decode(taken["data"])


def _settle(screen: Screen) -> Plan[None]:
    """Gives the page a moment to react, and a navigation that began a moment to show its document."""
    yield from _pause(screen, screen.settle_ms)
    try:
        yield Step(
            lambda: screen.page.wait_for_load_state("domcontentloaded", timeout=LOAD_TIMEOUT_MS)
        )
    except screen.error:
        return


def _pause(screen: Screen, milliseconds: int) -> Plan[None]:
    # In pieces, so that cancellation is noticed; Playwright's own, so that its events are handled.
    for start in range(0, milliseconds, WAIT_PIECE_MS):
        piece = min(WAIT_PIECE_MS, milliseconds - start)
        yield Step(partial(screen.page.wait_for_timeout, piece))


def _once(step: Step) -> Plan[None]:
    yield step


def _nothing() -> Plan[None]:
    yield from ()
