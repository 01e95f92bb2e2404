"""What a runner and the programs that use it exchange (R-20, R-32, R-50, L-1)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, TypedDict

from .errors import ConfigurationError
from .flavour import require

if TYPE_CHECKING:
    from ._core import Run


class EarlyExecution(TypedDict, total=False):
    """Which calls ``eager`` may run before their response is complete (R-32).

    Without it all of them, with an empty one none.
    """

    functions: list[str]
    """Names on the wire, those of browser tools too; each once."""
    computer: bool


class _Decision(TypedDict):
    drop_call_ids: list[str]
    """Of the snapshot's ``eligible_call_ids``, each once. They stay out for the rest of the run."""


class ContextBudgetDecision(_Decision, total=False):
    """What ``compact`` returns, and nothing else."""

    summary: str
    """Takes the place of the summary before; valid Unicode."""


class ContextBudgetSnapshot(TypedDict):
    """What ``compact`` is given: copies, which it may change."""

    history: list[Any]
    """The ``input`` of the next request as it would be."""
    eligible_call_ids: list[str]
    """The calls that may be left out, in the order of the history."""
    input_bytes: int
    """Of that ``input`` as compact JSON in UTF-8."""
    input_images: int


class _Budget(TypedDict):
    max_input_bytes: int
    """The most bytes of the next request's ``input`` as compact JSON in UTF-8; positive."""
    max_input_images: int


class ContextBudget(_Budget, total=False):
    """How large the next request may be (R-50)."""

    keep_recent_screenshots: int
    """So many of the last screenshots are never left out; 1 if it is not given."""
    compact: Callable[[ContextBudgetSnapshot], ContextBudgetDecision]
    """Asked over the limit. Without it, or if it raises, the run stops."""


class AsyncContextBudget(_Budget, total=False):
    """``ContextBudget`` of an ``AsyncResponsesToolRunner``: ``compact`` may be asynchronous."""

    keep_recent_screenshots: int
    compact: Callable[
        [ContextBudgetSnapshot], ContextBudgetDecision | Awaitable[ContextBudgetDecision]
    ]


class ResponsesToolCheckpoint(TypedDict):
    """What a ledger saves: plain JSON, the same in Python and in Node (L-1)."""

    version: Literal[1]
    run_id: str
    revision: int
    """Counts the saves of the run, those of its other processes included."""
    phase: Literal["boundary", "pending", "final"]
    """A run may go on from a ``boundary`` only; ``pending`` work is to be looked at first."""
    max_steps: int
    consumed_requests: int
    """The request that follows this save included."""
    tools: list[dict[str, Any]]
    """The tools of each request, without secrets (L-4)."""
    output_override_names: list[str]
    history: list[Any]
    """The ``input`` of the next request; it may have private data, as the fields below may."""
    attempted_call_ids: list[str]
    returned_call_ids: list[str]
    pending_items: list[dict[str, Any]]
    returned_outputs: list[dict[str, Any]]
    final_response: dict[str, Any] | None


SaveCheckpoint: TypeAlias = Callable[[ResponsesToolCheckpoint], object]
AsyncSaveCheckpoint: TypeAlias = Callable[[ResponsesToolCheckpoint], Awaitable[object]]


@dataclass(frozen=True)
class _Ledger:
    _asynchronous: ClassVar[bool]

    run_id: str
    save: Callable[..., Any]
    resume_from: ResponsesToolCheckpoint | None = None

    def __post_init__(self) -> None:
        owner = type(self).__name__
        if not callable(self.save):
            raise ConfigurationError(f"{owner} needs a callable save", "not_callable")
        require("save", self.save, owner, asynchronous=self._asynchronous)


@dataclass(frozen=True)
class ResponsesToolLedger(_Ledger):
    """Where a run of a ``ResponsesToolRunner`` is saved (L-1 to L-5).

    Attributes:
        run_id: the caller's name of the run, not empty.
        save: gets a complete checkpoint of its own before each request, around each local effect, at
            each boundary and at the end. If it raises, the run stops. What it returns does not count.
        resume_from: the last checkpoint of the same run, a ``boundary``, to go on from. Its tools,
            override names and ``max_steps`` must be those of the run, and ``params.input`` must have a
            message of the user about how things are now (L-3).

    Raises:
        ConfigurationError: ``save`` is asynchronous or not callable.
    """

    _asynchronous = False
    save: SaveCheckpoint


@dataclass(frozen=True)
class AsyncResponsesToolLedger(_Ledger):
    """Where a run of an ``AsyncResponsesToolRunner`` is saved; ``save`` is awaited."""

    _asynchronous = True
    save: AsyncSaveCheckpoint


@dataclass(frozen=True, eq=False)
class ResponsesRunnerTurn:
    """A response whose local work is still to be done (R-20).

    It is open until the next turn is asked for: then the work is done. Leaving the loop at this point
    runs nothing further.

    Attributes:
        response: the client's own.
        step: counts the requests of the run from 1, those of its other processes included.
        final: whether the run ends with this response.
        tools_executed: whether calls of this response ran while it was streamed.
        tools_withheld: whether the request was sent without the local tools (``finish_at_limit``).
        attempted_call_ids: the calls of the run that were begun so far.
        completed_call_ids: those of them that have an output.
    """

    response: Any
    step: int
    final: bool
    tools_executed: bool
    tools_withheld: bool
    attempted_call_ids: tuple[str, ...]
    completed_call_ids: tuple[str, ...]
    _run: Run = field(repr=False)
    _ask_id: int = field(repr=False)

    def supply_outputs(self, outputs: list[Any]) -> None:
        """Answer functions of this turn in their place; they are not called (R-21).

        Args:
            outputs: ``{"type": "function_call_output", "call_id", "output"}`` of exact built-in types,
                each for a call that was not begun, of a function that was registered with
                ``allow_output_override``. A copy is taken. Each list takes the place of the one
                before; an empty one lets the functions run.

        Raises:
            TurnError: one of them is not allowed, and none of them is taken; or the turn is over.
        """
        self._run.supply_outputs(self._ask_id, outputs)

    def append_user_text(self, text: str) -> None:
        """Queue words of a human, to follow the outputs of this turn (R-22).

        The budget of requests stays as it is.

        Raises:
            TurnError: the text is blank or no valid Unicode, or the turn is final or over.
        """
        self._run.append_user_text(self._ask_id, text)
