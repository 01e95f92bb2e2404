"""Handing records to an observer, whatever it does with them (B-52)."""

from __future__ import annotations

from time import monotonic_ns

from .awaitables import discard, is_awaitable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .types import ToolDiagnostic


def observe(observer: Callable[[ToolDiagnostic], object] | None, record: Any) -> None:
    """Give ``record`` to ``observer``. Its errors and what it returns change nothing."""
    try:
        returned = observer(record) if observer is not None else None
    except Exception:  # noqa: BLE001 - an observer only watches
        return
    if returned is not None and is_awaitable(returned):
        discard(returned)


def microseconds(observer: object) -> int:
    """The time for the durations in records; 0 if nobody observes."""
    return 0 if observer is None else monotonic_ns() // 1_000
