"""Errors that a model can act upon. None of them carries text of the page."""

from __future__ import annotations

from typing import Any

from swingbridge import BrowserError

__all__ = ["outside_viewport", "page_changed", "reason_error", "tab_crashed"]

_STALE = "The reference is stale. Read the page again and use a reference from that read."

# What the page script answers instead of an element or a result.
_REASONS = {
    "stale": _STALE,
    "replaced": "The page changed since it was last reported; read it again.",
    "changed": "The control changed after it was read. Read the page again before using it.",
    "hidden": "The control is not visible now. Read the page again.",
    "disabled": "The control is disabled.",
    "read_only": "The control is read-only.",
    "not_editable": "The control takes no text. Use the click or key operation.",
    "is_select": "The control takes no text. Use the select_option operation.",
    "is_checkable": "The control takes no text. Use the set_checked or click operation.",
    "bad_value": (
        "The control does not hold this text. Dates are YYYY-MM-DD, times HH:MM, "
        "numbers within the limits of the control and without other characters."
    ),
    "not_select": "The control is not a native select. Click it and then click one of its options.",
    "not_checkable": "The control is neither a checkbox nor a radio button.",
    "one_value": "The control takes exactly one value.",
    "no_option": "The control has no option with one of these values.",
    "option_disabled": "One of these options is disabled.",
    "unreachable": "The focus is in a frame that cannot be reached. Click a control first.",
}


def reason_error(reason: object) -> BrowserError:
    """The error of a reason that the page script gave; an unknown one counts as stale."""
    return BrowserError(_REASONS.get(str(reason), _STALE))


def page_changed() -> BrowserError:
    """For a tab or document that is not the one of the last report."""
    return reason_error("replaced")


def outside_viewport(view: dict[str, Any]) -> BrowserError:
    """For coordinates that the viewport, given as `width` and `height`, does not have."""
    size = f"{view.get('width')} x {view.get('height')} CSS pixels"
    return BrowserError(f"The coordinates are outside the viewport of {size}.")


def tab_crashed() -> BrowserError:
    """For a tab whose process died; Playwright cannot use such a page again."""
    return BrowserError("The tab crashed. Close it and open another one.")
