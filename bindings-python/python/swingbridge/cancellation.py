"""The cancellation of a task that was in a run. A module of its own: it imports asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable


class ToolRunnerCancelledError(asyncio.CancelledError):
    """The task of a run was cancelled (R-8).

    ``attempted_call_ids`` names the calls that were begun and may have had effects,
    ``completed_call_ids`` those of them that have an output.

    Raised inside the task. Whoever awaits the task gets this object too, but before Python 3.11 a
    plain ``asyncio.CancelledError`` that has it as its ``__context__``.

    ``asyncio.timeout`` and ``asyncio.TaskGroup`` know a cancellation of their own by its exact class
    and let this one through: put ``asyncio.wait_for`` around a run, or catch this class inside.
    """

    code = "run_cancelled"

    def __init__(
        self, attempted_call_ids: Iterable[str] = (), completed_call_ids: Iterable[str] = ()
    ) -> None:
        super().__init__("the run was cancelled")
        self.attempted_call_ids: tuple[str, ...] = tuple(attempted_call_ids)
        self.completed_call_ids: tuple[str, ...] = tuple(completed_call_ids)

    def __reduce__(self) -> tuple[type, tuple[tuple[str, ...], tuple[str, ...]]]:
        return type(self), (self.attempted_call_ids, self.completed_call_ids)
