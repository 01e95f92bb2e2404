"""Awaitables where none is wanted: told apart from values, and closed instead of leaked (B-6, B-52)."""

from __future__ import annotations

from types import CoroutineType, GeneratorType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# What host code returns almost always; asked for first because it is cheap.
PLAIN = frozenset({type(None), bool, str, dict, list})

_ITERABLE_COROUTINE = 0x100  # inspect.CO_ITERABLE_COROUTINE: made by types.coroutine


def is_awaitable(value: object) -> bool:
    """As ``inspect.isawaitable``, without importing inspect."""
    kind = type(value)
    if kind is CoroutineType:
        return True
    if kind is GeneratorType:
        code: Any = getattr(value, "gi_code", None)
        return bool(code.co_flags & _ITERABLE_COROUTINE)
    try:
        return hasattr(kind, "__await__")
    except Exception:  # noqa: BLE001 - a class that throws when it is looked at; no awaitable does
        return False


def discard(awaitable: Any) -> None:
    """Close a coroutine or a stream that will never be awaited, or cancel a future or task.

    What fails in doing so is swallowed: the awaitable was not wanted, and the caller is about to
    report that.
    """
    for name in ("close", "cancel"):
        try:
            end = getattr(awaitable, name, None)
            if callable(end):
                ended: Any = end()
                if type(ended) is CoroutineType:
                    ended.close()  # of what can only be closed with an await
                return
        except Exception:  # noqa: BLE001 - see above
            return
