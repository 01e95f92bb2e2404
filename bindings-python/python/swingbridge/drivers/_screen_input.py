"""Input events of the Playwright computer driver: keys and buttons that are let go of whatever happens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from swingbridge import DriverError

from ._keys import page_keys
from ._plan import Plan, Step

__all__ = ["dragging", "holding", "type_text"]

TYPED_AT_ONCE: Final = 100


def holding(keyboard: Any, names: list[str] | None, work: Plan[None]) -> Plan[None]:
    """Does `work` while keys are held: down in order, up in reverse, also on error and cancellation."""
    if not names:
        yield from work
        return
    keys = page_keys(names)
    if not keys[0].isascii():
        raise DriverError("a character beyond ASCII cannot be held", "key_unsupported")
    made: list[tuple[str, ...]] = []
    try:
        for key in keys:
            yield _noted(made, keyboard.down, key)
        yield from work
    except BaseException:
        yield from _release(keyboard.up, made, quietly=True)
        raise
    yield from _release(keyboard.up, made)


def dragging(mouse: Any, points: list[tuple[float, float]]) -> Plan[None]:
    """Moves along `points` with the left button pressed, and lets go of it whatever happens."""
    first, *others = points
    yield _call(mouse.move, *first)
    made: list[tuple[str, ...]] = []
    try:
        yield _noted(made, mouse.down)
        for point in others:
            # Several moves: many pages take the first one for a click that slipped.
            yield _call(mouse.move, *point, steps=5)
    except BaseException:
        yield from _release(mouse.up, made, quietly=True)
        raise
    yield from _release(mouse.up, made)


def type_text(keyboard: Any, text: str) -> Plan[None]:
    """Types in pieces, so that cancellation is noticed."""
    plain = text.replace("\r\n", "\n")
    for start in range(0, len(plain), TYPED_AT_ONCE):
        yield _call(keyboard.type, plain[start : start + TYPED_AT_ONCE])


def _release(
    release: Callable[..., Any], made: list[tuple[str, ...]], *, quietly: bool = False
) -> Plan[None]:
    """Undoes each press in reverse. What goes wrong meanwhile is raised at the end, unless `quietly`."""
    failure: BaseException | None = None
    released: list[tuple[str, ...]] = []
    for press in reversed(made):
        count = len(released)
        # A cancellation may come in place of the call, and once only: then it is made after all.
        for _ in range(2):
            if len(released) == count:
                try:
                    yield _noted(released, release, *press)
                except BaseException as error:  # noqa: BLE001 - the others must be let go of first
                    failure = failure or error
    if failure is not None and not quietly:
        raise failure


def _noted(made: list[tuple[str, ...]], method: Callable[..., Any], *args: str) -> Step:
    """A call that is noted once it is made: cut short, it may have arrived all the same."""

    def call() -> Any:
        made.append(args)
        return method(*args)

    return Step(call)


def _call(method: Callable[..., Any], *args: Any, **options: Any) -> Step:
    return Step(lambda: method(*args, **options))
