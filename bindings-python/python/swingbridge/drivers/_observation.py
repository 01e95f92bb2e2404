"""The record of what happened in the browser (B-33)."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

if TYPE_CHECKING:
    from swingbridge import BrowserObservationV1, BrowserStateChange

__all__ = ["DialogKind", "ObservationLog"]

DialogKind: TypeAlias = Literal["alert", "confirm", "prompt", "beforeunload", "other"]

_DIALOG_KINDS: dict[str, DialogKind] = {
    "alert": "alert",
    "confirm": "confirm",
    "prompt": "prompt",
    "beforeunload": "beforeunload",
}


class ObservationLog:
    """Changes numbered from 1 without gaps; the oldest fall out of the buffer and are counted.

    Args:
        limit: How many changes one report carries at most.
    """

    def __init__(self, limit: int = 64) -> None:
        self._changes: deque[dict[str, Any]] = deque(maxlen=limit)
        self._sequence = 0

    def tab(
        self,
        change: Literal["tab_opened", "tab_closed", "tab_switched", "navigation"],
        tab_id: str,
    ) -> None:
        self._record(type=change, tab_id=tab_id)

    def refused(self, reason: Literal["policy", "unsupported"], tab_id: str | None) -> None:
        self._record(type="navigation_refused", tab_id=tab_id, reason=reason)

    def dialog(self, kind: str, tab_id: str) -> None:
        self._record(type="dialog_dismissed", tab_id=tab_id, kind=_DIALOG_KINDS.get(kind, "other"))

    def download(
        self,
        status: Literal["blocked", "started", "completed", "failed"],
        tab_id: str | None,
    ) -> None:
        self._record(type="download", tab_id=tab_id, status=status)

    def report(self, *, title_truncated: bool) -> BrowserObservationV1:
        """A detached BrowserObservationV1 of everything so far."""
        return {
            "version": 1,
            "sequence": self._sequence,
            "dropped_changes": self._sequence - len(self._changes),
            "title_truncated": title_truncated,
            "changes": cast("list[BrowserStateChange]", [dict(change) for change in self._changes]),
        }

    def _record(self, **change: Any) -> None:
        self._sequence += 1
        self._changes.append({"sequence": self._sequence, **change})
