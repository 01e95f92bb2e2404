"""The computer-only loop (C-7): the runner's loop over a run with nothing but a computer."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from .errors import stop_of_computer
from .runner import AsyncResponsesToolRunner, ResponsesToolRunner

if TYPE_CHECKING:
    from ._core import Run
    from .computer import AsyncComputerToolset, ComputerToolset
    from .pump import PumpState


class _Ends:
    """How such a run ends: what the program's own code raises is raised as it is."""

    def _stop(self, pump: PumpState) -> NoReturn:
        # Not `or`: an exception may be false.
        raised = pump.failure if pump.raised is None else pump.raised
        raise stop_of_computer(pump.ask, pump.hint, raised, pump.run.response())

    def _cut_short(self, error: BaseException, run: Run | None) -> NoReturn:
        raise error


class ComputerRun(_Ends, ResponsesToolRunner):
    """One run of a ``ComputerToolset``, which it occupies from its beginning to its end."""

    def __init__(self, toolset: ComputerToolset) -> None:
        super().__init__(computer=toolset)
        self._session = self._computer._session


class AsyncComputerRun(_Ends, AsyncResponsesToolRunner):
    """One run of an ``AsyncComputerToolset``: ``ComputerRun`` with ``await``."""

    def __init__(self, toolset: AsyncComputerToolset) -> None:
        super().__init__(computer=toolset)
        self._session = self._computer._session
