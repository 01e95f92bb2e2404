"""What swingbridge raises.

Every class has a ``code``, a stable snake_case name that is the same in Python and in Node.
Nothing here carries page content, arguments, a driver's words or a result, except
``BrowserError``, whose text a driver writes for the model to read.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


class SwingbridgeError(Exception):
    """The base of all of them, but for the cancellation of a task, which is no ``Exception``."""

    code: str = "error"
    """A stable name of the reason."""

    def __init__(self, message: object = "", code: str | None = None) -> None:
        super().__init__(message)
        if code is not None:
            self.code = code


class BrowserError(SwingbridgeError):
    """Raised by a driver for a problem that the model may solve, such as a stale reference.

    Its text goes to the model as it is (B-47); the call ends with ``ok: false``.
    """

    code = "browser_error"


class BrowserCancelledError(SwingbridgeError, RuntimeError):
    """A browser call ended because its caller asked for it (B-51).

    ``code`` is ``cancelled_before_effect`` if nothing had been changed by then, else
    ``cancelled_effect_unknown``.
    """

    code = "cancelled_effect_unknown"


class ConfigurationError(SwingbridgeError, ValueError):
    """A toolset, a runner or a run cannot be made as asked for; nothing has happened (B-2, R-2)."""

    code = "configuration"


class BusyError(SwingbridgeError, RuntimeError):
    """Another call or run of the same object is still running (B-50, R-6)."""

    code = "busy"


class ClosedError(SwingbridgeError, RuntimeError):
    """The toolset or runner has been closed (B-50, R-6)."""

    code = "closed"


class ContractError(SwingbridgeError, RuntimeError):
    """A browser call stopped without an output.

    The call is not one of the toolset's, or the driver's state or result breaks its contract
    (B-31, B-40 to B-45).
    """

    code = "result_invalid"


class ComputerUseError(SwingbridgeError, RuntimeError):
    """A computer call or a run of the computer alone stopped (C-2 to C-7).

    ``response`` is the client's own last response if there was one in a run, else None. What the
    driver, a callback or the client itself raised is not wrapped in this class.
    """

    code = "computer_call_invalid"

    def __init__(self, message: object = "", response: Any = None, code: str | None = None) -> None:
        super().__init__(message, code)
        self.response = response


class DriverError(SwingbridgeError, ValueError):
    """A key, a point or a picture that a driver cannot use (D-2, D-3)."""

    code = "driver"


class TurnError(SwingbridgeError, ValueError):
    """A turn takes no such output or text, or takes nothing any more; nothing was changed (R-21, R-22)."""

    code = "turn_over"


class MisuseError(SwingbridgeError, RuntimeError):
    """A machine was driven wrongly: a fault of swingbridge itself, not of the program."""

    code = "misuse"


class ToolRunnerError(SwingbridgeError, RuntimeError):
    """A run stopped before its final response (R-8).

    ``attempted_call_ids`` names the calls that were begun and may have had effects,
    ``completed_call_ids`` those of them that have an output.

    ``response`` is the client's own last response, also one that failed or is incomplete, or None if none
    came. It stays with this object: who prints or pickles the error prints and pickles no response.
    """

    code = "run_stopped"

    def __init__(
        self,
        message: object,
        attempted_call_ids: Iterable[str] = (),
        completed_call_ids: Iterable[str] = (),
        code: str | None = None,
    ) -> None:
        super().__init__(message, code)
        self.attempted_call_ids: tuple[str, ...] = tuple(attempted_call_ids)
        self.completed_call_ids: tuple[str, ...] = tuple(completed_call_ids)
        self.response: Any = None

    def __reduce__(self) -> tuple[Any, ...]:
        reduced: Any = super().__reduce__()
        kind, args, state = reduced
        return kind, args, {**state, "response": None}


_CANCELLATIONS = frozenset({"cancelled_before_effect", "cancelled_effect_unknown", "run_cancelled"})


def stop_of_call(ask: tuple[Any, ...], hint: str | None) -> SwingbridgeError:
    """The error for a browser call whose last ask is ``STOPPED``."""
    _, _, code, words = ask
    if code in _CANCELLATIONS:
        return BrowserCancelledError(words, code)
    return ContractError(words if hint is None else f"{words}: {hint}", code)


def stop_of_computer(
    ask: tuple[Any, ...], hint: str | None, raised: Exception | None, response: Any = None
) -> Exception:
    """The error for a computer call, or a run of the computer alone, whose last ask is ``STOPPED``.

    What the program's own code raised is the error, unless the work was cancelled (B-51).
    """
    _, _, code, words = ask
    if raised is not None and code not in _CANCELLATIONS:
        return raised
    return ComputerUseError(words if hint is None else f"{words}: {hint}", response, code)
