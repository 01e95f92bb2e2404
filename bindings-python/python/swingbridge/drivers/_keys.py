"""Keys of a page: the names that the core knows, as far as Playwright's keyboard has them (D-2)."""

from __future__ import annotations

from typing import Final

from swingbridge import BrowserError, DriverError
from swingbridge._core import KEY_LIMIT

from .screen import chord

__all__ = ["key_presses", "page_keys"]

_MODIFIERS: Final = frozenset({"Control", "Alt", "Shift", "Meta"})
# Playwright's keyboard ends before these.
_MISSING: Final = frozenset(f"F{number}" for number in range(13, 25))

# Keys by place, so that Shift gives their other character.
_PLACES: Final = {
    "-": "Minus",
    "=": "Equal",
    "[": "BracketLeft",
    "]": "BracketRight",
    "\\": "Backslash",
    ";": "Semicolon",
    "'": "Quote",
    "`": "Backquote",
    ",": "Comma",
    ".": "Period",
    "/": "Slash",
}


def page_keys(names: list[str]) -> list[str]:
    """The keys of a chord in Playwright's spelling, modifiers first.

    A character beyond ASCII comes alone: it can be typed, but is no key.

    Raises:
        DriverError: Nothing to press, an unknown name, or a key that Playwright's keyboard lacks.
    """
    keys = chord(names)
    for key in keys:
        if key in _MISSING or (not key.isascii() and len(keys) > 1):
            raise DriverError(
                "a page has the keys F1 to F12 and those of an American keyboard; other characters are "
                "typed alone, as text",
                "key_unsupported",
            )
    return keys


def key_presses(keys: list[str]) -> list[str]:
    """The key presses of one chord for an element: one for each key that is no modifier.

    Raises:
        BrowserError: Nothing to press, too much, or a key that a page has not.
    """
    try:
        pressed = page_keys(keys)
    except DriverError as error:
        raise BrowserError(f"No such keys can be pressed: {error}.") from None
    if not pressed[0].isascii():
        raise BrowserError("This character is no key. Use the type operation for text.")
    if len(pressed) > KEY_LIMIT:
        raise BrowserError(
            f"At most {KEY_LIMIT} keys are pressed at once. Use the type operation for text."
        )
    modifiers = [key for key in pressed if key in _MODIFIERS]
    others = [key for key in pressed if key not in _MODIFIERS]
    return [_join(modifiers, key) for key in others] or ["+".join(modifiers)]


def _join(modifiers: list[str], key: str) -> str:
    """With modifiers the key itself is meant, not the character: "Control+A" does not ask for Shift."""
    if modifiers and len(key) == 1:
        if key.isalpha():
            key = f"Key{key.upper()}"
        elif key.isdigit():
            key = f"Digit{key}"
        else:
            key = _PLACES.get(key, key)
    return "+".join([*modifiers, key])
