"""What a run is given besides the request: checked for what only the host can see of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from ._core import plain
from .computer import Consents, consents_of
from .errors import ConfigurationError
from .flavour import require
from .plain import NotPlainError, as_dict

if TYPE_CHECKING:
    from .call_terms import CallTerms


class Options(NamedTuple):
    """The keywords of ``run`` and ``iterate``."""

    max_steps: Any = None
    stream: Any = False
    eager: Any = False
    max_concurrent_calls: Any = 2
    on_event: Any = None
    cancelled: Any = None
    approve_safety_checks: Any = None
    before_action: Any = None
    ledger: Any = None
    context_budget: Any = None
    on_diagnostic: Any = None
    approve_mcp: Any = None
    before_early_call: Any = None
    finish_at_limit: Any = False


class Given(NamedTuple):
    """What the core is told of them. The native module reads the attributes by these names."""

    max_steps: Any
    stream: Any
    eager: Any
    max_concurrent_calls: Any
    finish_at_limit: Any
    ledger: tuple[Any, Any] | None
    context_budget: Any
    approves_mcp: bool
    reviews_early: bool
    delivers_events: bool
    yields_turns: bool
    consents: tuple[bool, bool]
    idempotency: tuple[str, str] | None
    read_item: Callable[[Any], Any] | None
    native: tuple[Any, CallTerms] | None

    def is_exact(self) -> bool:
        """Whether the input is saved or measured, so that it must be of exact built-in types."""
        return self.ledger is not None or self.context_budget is not None


class Callbacks(NamedTuple):
    """What can be called in a run."""

    consents: Consents
    on_event: Any
    approve_mcp: Any
    before_early_call: Any
    save: Any
    compact: Any
    cancelled: Callable[[], bool] | None
    observer: Any


def callbacks_of(options: Options, owner: Any) -> Callbacks:
    """The callbacks, checked for what can be seen of them."""
    name, asynchronous = type(owner).__name__, owner._asynchronous
    for option in ("on_event", "approve_mcp", "before_early_call"):
        callback = getattr(options, option)
        if callback is None:
            continue
        if not callable(callback):
            raise ConfigurationError(f"{option} must be callable", "not_callable")
        require(option, callback, name, asynchronous=asynchronous)
    ledger = options.ledger
    if ledger is not None and not issubclass(type(ledger), owner._ledger_kind):
        words = f"ledger must be one of {owner._ledger_kind.__name__}"
        raise ConfigurationError(words, "ledger_invalid")
    compact = _compact_of(options.context_budget)
    if compact is not None and not asynchronous:
        require("compact", compact, name, asynchronous=False)
    return Callbacks(
        consents_of(options.approve_safety_checks, options.before_action, owner),
        options.on_event,
        options.approve_mcp,
        options.before_early_call,
        None if ledger is None else ledger.save,
        compact,
        options.cancelled,
        options.on_diagnostic,
    )


def _compact_of(budget: object) -> Any:
    if type(budget) is not dict:
        return None  # the core says that it is no budget
    compact: Any = cast("dict[object, Any]", budget).get("compact")
    if callable(compact) or compact is None:
        return compact
    words = "context_budget has compact that is no function"
    raise ConfigurationError(words, "context_budget_invalid")


def given_of(options: Options, callbacks: Callbacks, *, yields_turns: bool) -> Given:
    """What the core is told of the options; ``resume_from`` is copied."""
    ledger = options.ledger
    budget: Any = options.context_budget
    return Given(
        max_steps=options.max_steps,
        stream=options.stream,
        eager=options.eager,
        max_concurrent_calls=options.max_concurrent_calls,
        finish_at_limit=options.finish_at_limit,
        ledger=None if ledger is None else (ledger.run_id, _checkpoint(ledger.resume_from)),
        context_budget={**budget} if type(budget) is dict else budget,
        approves_mcp=options.approve_mcp is not None,
        reviews_early=options.before_early_call is not None,
        delivers_events=options.on_event is not None,
        yields_turns=yields_turns,
        consents=callbacks.consents.given(),
        idempotency=None,
        read_item=None,
        native=None,
    )


def _checkpoint(checkpoint: object) -> Any:
    try:
        return plain(checkpoint, True)
    except NotPlainError:
        words = "ledger.resume_from cannot be copied: cyclic, nested too deeply, or with a key that is no text"
        raise ConfigurationError(words, "checkpoint_invalid") from None


def idempotency_of(client: object, params: object) -> tuple[str, str] | None:
    """The header with the caller's idempotency key, spelled as it is given, and the key (R-7)."""
    fields = as_dict(params)
    given = None if fields is None else fields.get("extra_headers")
    try:
        headers = given, getattr(client, "default_headers", None)
    except Exception:  # noqa: BLE001 - a client that cannot be looked at has no headers
        headers = given, None
    for named in headers:
        if not isinstance(named, Mapping):
            continue
        for name, value in cast("Mapping[object, object]", named).items():
            is_key = type(name) is str and name.lower() == "idempotency-key"
            if is_key:
                # One without a value takes that of the client away.
                return (cast("str", name), value) if type(value) is str else None
    return None
