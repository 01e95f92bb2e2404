"""Asking the caller whether to end, and ending a machine that is cut short (B-51)."""

from __future__ import annotations

from ._core import EMIT
from .awaitables import discard, is_awaitable
from .errors import BrowserCancelledError, ConfigurationError
from .observers import microseconds, observe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._core import BrowserCall, ComputerCall, Run
    from .types import ToolDiagnostic


def is_cancelled(cancelled: Callable[[], object] | None) -> bool:
    """Whether the caller wants the work to end. What else ``cancelled`` raises goes on."""
    if cancelled is None:
        return False
    try:
        answer = cancelled()
    except BrowserCancelledError:
        return True
    if answer is True or answer is False:
        return answer
    if is_awaitable(answer):
        discard(answer)
        raise ConfigurationError(
            "cancelled must return a bool, not an awaitable", "flavour_mismatch"
        )
    return bool(answer)


def is_cancelled_after(
    cancelled: Callable[[], object] | None,
    machine: BrowserCall | ComputerCall | Run,
    ask: tuple[Any, ...],
    observer: Callable[[ToolDiagnostic], object] | None,
) -> bool:
    """As ``is_cancelled``, while an ask is open: if asking fails, the machine is ended first."""
    try:
        return is_cancelled(cancelled)
    except BaseException:
        abandon(machine, ask, observer)
        raise


def show(
    observer: Callable[[ToolDiagnostic], object] | None,
    cancelled: Callable[[], object] | None,
    machine: BrowserCall | ComputerCall | Run,
    ask: tuple[Any, ...],
) -> tuple[Any, ...]:
    """Perform an ``EMIT`` and give the next ask."""
    try:
        observe(observer, ask[2])
        stop = is_cancelled(cancelled)
    except BaseException:
        abandon(machine, ask, observer)
        raise
    return machine.answer_seen(ask[1], stop, microseconds(observer))


def abandon(
    machine: BrowserCall | ComputerCall | Run,
    ask: tuple[Any, ...],
    observer: Callable[[ToolDiagnostic], object] | None,
) -> None:
    """End a machine whose open ask was cut short: its outcome is unknown."""
    if ask[0] == EMIT:
        # Its record was shown; what follows it is not to be begun.
        ask = machine.answer_seen(ask[1], True, microseconds(observer))
    else:
        ask = machine.answer_cancelled(ask[1], microseconds(observer))
    while ask[0] == EMIT:
        observe(observer, ask[2])
        ask = machine.answer_seen(ask[1], True, microseconds(observer))
