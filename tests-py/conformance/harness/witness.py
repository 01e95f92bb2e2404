"""What the scripted parts of one scenario were asked, and the switch for cancelling."""

from __future__ import annotations

from collections import Counter
from typing import Any


class Witness:
    """One for all parts of a scenario, so that the order between them shows."""

    def __init__(self, cancel_at: str | None) -> None:
        self.trace: list[str] = []
        self.driver_calls: list[dict[str, Any]] = []
        self.cancelled = False
        self._cancel_at = cancel_at
        self._seen: Counter[str] = Counter()
        self.reach("start")

    def is_cancelled(self) -> bool:
        """The ``cancelled`` callable of a scenario that cancels."""
        return self.cancelled

    def reach(self, event: str) -> int:
        """How often ``event`` came before. Throws the switch if the scenario says so here."""
        # `cancel_at` names an event, or its nth occurrence: "state#2".
        step = self._seen[event]
        self._seen[event] += 1
        if self._cancel_at in (event, f"{event}#{step + 1}"):
            self.cancelled = True
        return step
