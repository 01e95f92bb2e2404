"""The caller's and the client's objects as plain dicts and lists.

``plain`` of the native module makes copies of them: requests are made of plain objects only, so that a
later change by the caller changes nothing, and what is replayed is what was received, unknown fields
included. Texts are shared, so pictures are not copied.
"""

from __future__ import annotations

from typing import Any, cast

from ._core import plain

__all__ = ["NotPlainError", "as_dict", "as_list", "copied", "plain"]


class NotPlainError(ValueError):
    """A value refers to itself, is nested too deeply or has a key that is no text."""


def copied(value: object, name: str, code: str, *, exact: bool = False) -> Any:
    """A plain copy of what the caller configures a run with."""
    from .errors import ConfigurationError

    try:
        return plain(value, exact)
    except Exception:  # noqa: BLE001 - whatever the caller's objects do when they are read
        words = f"{name} cannot be copied: cyclic, nested too deeply, or with a key that is no text"
        raise ConfigurationError(words, code) from None


def as_dict(value: object) -> dict[Any, Any] | None:
    """The value if it is a dict, whatever it says its class is."""
    return cast("dict[Any, Any]", value) if issubclass(type(value), dict) else None


def as_list(value: object) -> list[Any] | tuple[Any, ...] | None:
    """The value if it is a list or a tuple, whatever it says its class is.

    Of a subclass the items as they are stored: it may have another idea of them.
    """
    kind = type(value)
    if kind is list or kind is tuple:
        return cast("list[Any]", value)
    if issubclass(kind, list):
        return [*list[Any].__iter__(cast("list[Any]", value))]
    if issubclass(kind, tuple):
        return [*tuple[Any, ...].__iter__(cast("tuple[Any, ...]", value))]
    return None
