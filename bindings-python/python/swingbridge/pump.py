"""The pump of a run (docs/driving.md), synchronous; its twin is ``async_pump``.

Asks of a browser or computer call are performed by the toolset's pump; requests, events, functions and
the runner's own callbacks here. The two pumps have the same methods in the same order and differ in
``await`` alone; no rule stands in either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ._core import (
    APPROVE_MCP,
    AWAIT_FUNCTION,
    CALL_FUNCTION,
    COMPACT,
    DELIVER_EVENT,
    EMIT,
    MEASURE,
    READ_EVENT,
    REVIEW_EARLY,
    SAVE,
    SEND,
    START_FUNCTION,
    TURN,
    detached,
)
from .awaitables import PLAIN, discard, is_awaitable
from .callback_items import read_early_call, read_mcp_request
from .cancelling import is_cancelled, show
from .computer import OURS
from .errors import BrowserCancelledError, ConfigurationError
from .observers import microseconds, observe
from .started import Started
from .streams import Stream, is_asynchronous

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from ._core import Run
    from .computer import Performed
    from .options import Callbacks
    from .typed_calls import TypedCalls

    Ask: TypeAlias = tuple[Any, ...]

# No event of any stream.
_ENDED = object()


class PumpState:
    """What a pump has at hand from the beginning of a run to its end."""

    __slots__ = (
        "_browser",
        "_callbacks",
        "_client",
        "_computer",
        "_create",
        "_created_without_retries",
        "_event",
        "_functions",
        "_owner",
        "_typed",
        "ask",
        "failure",
        "hint",
        "raised",
        "run",
    )

    run: Run
    ask: Ask
    failure: Exception | None
    """What the client raised."""
    raised: Exception | None
    """What the driver or a callback of the computer raised last."""
    hint: str | None
    """What a developer may need to know, without content."""

    def __init__(
        self,
        owner: Any,
        client: Any,
        create: Callable[..., Any],
        callbacks: Callbacks,
        typed: TypedCalls,
        begun: tuple[Run, Ask],
    ) -> None:
        self.run, self.ask = begun
        self.failure = self.raised = self.hint = None
        self._owner: Any = owner
        self._browser: Any = owner._browser
        self._computer: Any = owner._computer
        self._functions: list[tuple[Callable[..., Any], bool]] = owner._functions
        self._client = client
        self._create = create
        # A request of the native client says by itself whether it may be sent again.
        self._created_without_retries: Any = create if self.run.sends_text() else None
        self._callbacks = callbacks
        self._typed = typed
        self._event: Any = None

    def _tell(self, hint: str) -> None:
        self.hint = hint

    def _come_to(self, ask: Ask) -> None:
        self.ask = ask

    def _next_turn(self) -> None:
        self.ask = self.run.answer_seen(self.ask[1], self._is_cancelled(), self._now())

    def _after_browser(self, performed: tuple[Ask, str | None]) -> Ask:
        ask, self.hint = performed
        return ask

    def _after_computer(self, performed: Performed) -> Ask:
        ask, self.hint, self.raised = performed
        return ask

    def _now(self) -> int:
        return microseconds(self._callbacks.observer)

    def _is_cancelled(self) -> bool:
        return is_cancelled(self._callbacks.cancelled)

    def _creates(self, retries: bool) -> Callable[..., Any]:
        """The client's method; without ``retries`` that of a client that does not repeat (R-7)."""
        if retries:
            return self._create
        if self._created_without_retries is None:
            client: Any = self._client
            with_options: Any = getattr(client, "with_options", None)
            if callable(with_options):
                client = with_options(max_retries=0)
            self._created_without_retries = client.responses.create
        create: Callable[..., Any] = self._created_without_retries
        return create

    def _fail_request(self, ask: Ask, failure: Exception) -> Ask:
        self.failure = failure
        return self.run.answer_failed(ask[1], None, self._is_cancelled(), self._now())

    def _answer(self, ask: Ask, value: Any, *, failed: bool, is_value: bool) -> Ask:
        stop, now = self._is_cancelled(), self._now()
        if failed:
            return self.run.answer_failed(ask[1], None, stop, now)
        if is_value:
            return self.run.answer_value(ask[1], value, stop, now)
        return self.run.answer_seen(ask[1], stop, now)

    def _measure(self, ask: Ask) -> Ask:
        return self.run.answer_measured(ask[1], self._is_cancelled(), self._now())

    def _end_of_started(self, ask: Ask, value: Any, error: BaseException | None) -> Ask:
        """Answer for a started function of a run that is over anyway: for its receipt."""
        if error is None:
            return self.run.answer_value(ask[1], value, True, self._now())
        return self.run.answer_failed(ask[1], None, True, self._now())


class Pump(PumpState):
    """Drives one run of a synchronous runner."""

    __slots__ = ("_started", "_stream")

    def __init__(self, *parts: Any) -> None:
        super().__init__(*parts)
        self._started: dict[str, Started] = {}
        self._stream: Stream | None = None

    def advance(self) -> Ask:
        """Perform asks until a turn is to be shown or the run is over, and give that ask."""
        try:
            if self.ask[0] == TURN:
                self._next_turn()
            self._drive()
            if self._started:
                # A toolset was busy or closed: the run is over, and what was started is not.
                self._settle()
        except BaseException as error:  # noqa: BLE001 - all of them are raised again
            self._settle()
            self._owner._cut_short(error, self.run)
        return self.ask

    def close(self) -> None:
        """Let go of the run, wherever it is. What is left running keeps the runner busy."""
        self.run.end()
        self._close_stream()
        for started in self._started.values():
            if started.is_running():
                started.hold = self._owner._session.remain()
        # From here on only what still runs keeps them alive.
        self._started.clear()

    def _drive(self) -> None:
        ask = self.ask
        callbacks, run = self._callbacks, self.run
        while True:
            kind = ask[0]
            if kind < EMIT:
                ask = self._after_browser(
                    self._browser._perform(run, ask, callbacks.cancelled, callbacks.observer)
                )
            elif kind == EMIT:
                ask = show(callbacks.observer, callbacks.cancelled, run, ask)
            elif kind in OURS:
                ask = self._after_computer(
                    self._computer._perform(
                        run, ask, callbacks.consents, callbacks.cancelled, callbacks.observer
                    )
                )
            else:
                perform = self._PERFORMERS.get(kind)
                if perform is None:
                    return self._come_to(ask)
                ask = perform(self, ask)

    def _send(self, ask: Ask) -> Ask:
        _, identity, request, retries, streams = ask
        self._typed.forget()
        try:
            answer = self._creates(retries)(**request)
        except Exception as error:  # noqa: BLE001 - a failure of the host is an answer
            return self._fail_request(ask, error)
        if is_awaitable(answer) or (streams and is_asynchronous(answer)):
            discard(answer)
            raise ConfigurationError(
                "responses.create is asynchronous; use AsyncResponsesToolRunner",
                "flavour_mismatch",
            )
        if not streams:
            stop = self._is_cancelled()
            return self.run.answer_response(identity, answer, stop, self._now())
        try:
            self._stream = Stream(answer)
        except Exception as error:  # noqa: BLE001 - a failure of the host is an answer
            return self._fail_request(ask, error)
        return self.run.answer_streaming(identity, self._is_cancelled(), self._now())

    def _read(self, ask: Ask) -> Ask:
        """Read and deliver events until something else is asked for."""
        run, stream, on_event = self.run, self._stream, self._callbacks.on_event
        events: Any = iter(()) if stream is None else stream.events
        while True:
            if ask[0] == READ_EVENT:
                try:
                    event = next(events, _ENDED)
                except Exception as error:  # noqa: BLE001 - a failure of the host is an answer
                    ask = self._fail_request(ask, error)
                    continue
                stop, now = self._is_cancelled(), self._now()
                if event is _ENDED:
                    ask = run.answer_stream_ended(ask[1], stop, now)
                else:
                    self._event = event
                    ask = run.answer_event(ask[1], event, stop, now)
            elif ask[0] == DELIVER_EVENT:
                ask = self._consult(ask, "on_event", on_event, detached, self._event, False)
            else:
                break
        if run.is_whole():
            self._close_stream()
        return ask

    def _consult(
        self,
        ask: Ask,
        name: str,
        callback: Callable[[Any], Any],
        make: Callable[[Any], Any] | None,
        argument: Any,
        is_value: bool,
    ) -> Ask:
        """Ask a callback of the program, and answer with its value or that it has returned."""
        value: Any = None
        failed = False
        try:
            value = callback(argument if make is None else make(argument))
            if type(value) not in PLAIN and is_awaitable(value):
                discard(value)
                failed = True
                self._tell(f"{name} returned an awaitable; AsyncResponsesToolRunner takes those")
        except BrowserCancelledError:
            return self.run.answer_cancelled(ask[1], self._now())
        except Exception:  # noqa: BLE001 - a failure of the host is an answer
            failed = True
        return self._answer(ask, value, failed=failed, is_value=is_value)

    def _review_early(self, ask: Ask) -> Ask:
        callback = self._callbacks.before_early_call
        return self._consult(ask, "before_early_call", callback, read_early_call, ask[2], True)

    def _approve_mcp(self, ask: Ask) -> Ask:
        callback = self._callbacks.approve_mcp
        return self._consult(ask, "approve_mcp", callback, read_mcp_request, ask[2], True)

    def _compact(self, ask: Ask) -> Ask:
        return self._consult(ask, "compact", self._callbacks.compact, None, ask[2], True)

    def _save(self, ask: Ask) -> Ask:
        return self._consult(ask, "save", self._callbacks.save, None, ask[2], False)

    def _call_function(self, ask: Ask) -> Ask:
        value: Any = None
        failed = False
        try:
            value = self._called(ask)
        except BrowserCancelledError:
            return self.run.answer_cancelled(ask[1], self._now())
        except Exception:  # noqa: BLE001 - a failure of the host is an answer
            failed = True
        self._note_flavour(value)
        return self._answer(ask, value, failed=failed, is_value=True)

    def _called(self, ask: Ask) -> Any:
        _, _, index, text, call_id = ask
        number: int = index
        function, takes = self._functions[number]
        arguments = self._typed.arguments(call_id, text)
        if takes:
            return function(arguments, cancelled=self._callbacks.cancelled)
        return function(arguments)

    def _note_flavour(self, value: Any) -> None:
        if type(value) not in PLAIN and is_awaitable(value):
            discard(value)
            self._tell("it returned an awaitable; AsyncRegisteredFunction takes those")

    def _start_function(self, ask: Ask) -> Ask:
        started = self._started[ask[4]] = Started(lambda: self._called(ask))
        failed = False
        try:
            started.begin()
        except Exception:  # noqa: BLE001 - such as no more threads
            failed = True
        return self._answer(ask, None, failed=failed, is_value=False)

    def _await_function(self, ask: Ask) -> Ask:
        started = self._started[ask[2]]
        started.wait()
        error = started.error
        if error is not None and not isinstance(error, Exception):
            raise error
        if isinstance(error, BrowserCancelledError):
            following = self.run.answer_cancelled(ask[1], self._now())
        else:
            self._note_flavour(started.value)
            failed = error is not None
            following = self._answer(ask, started.value, failed=failed, is_value=True)
        del self._started[ask[2]]
        return following

    def _settle(self) -> None:
        """End a run that was cut short, and wait for what was started."""
        self._close_stream()
        ask = self.run.abandon(self._now())
        while ask[0] in {AWAIT_FUNCTION, EMIT}:
            if ask[0] == EMIT:
                observe(self._callbacks.observer, ask[2])
                ask = self.run.answer_seen(ask[1], True, self._now())
                continue
            call_id: str = ask[2]
            started = self._started[call_id]
            started.wait()
            self._note_flavour(started.value)
            ask = self._end_of_started(ask, started.value, started.error)
            del self._started[call_id]
        for call_id in [*self._started]:
            self._started[call_id].wait()
            del self._started[call_id]

    def _close_stream(self) -> None:
        stream, self._stream, self._event = self._stream, None, None
        if stream is not None:
            stream.close()

    _PERFORMERS: ClassVar[dict[int, Callable[[Pump, Ask], Ask]]] = {
        SEND: _send,
        READ_EVENT: _read,
        DELIVER_EVENT: _read,
        REVIEW_EARLY: _review_early,
        APPROVE_MCP: _approve_mcp,
        COMPACT: _compact,
        SAVE: _save,
        MEASURE: PumpState._measure,
        CALL_FUNCTION: _call_function,
        START_FUNCTION: _start_function,
        AWAIT_FUNCTION: _await_function,
    }
