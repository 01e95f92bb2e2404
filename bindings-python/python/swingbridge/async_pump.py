"""The pump of a run (docs/driving.md), asynchronous: ``pump`` with ``await``."""

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
from .awaitables import discard, is_awaitable
from .callback_items import read_early_call, read_mcp_request
from .cancelling import show
from .computer import OURS
from .errors import BrowserCancelledError, ConfigurationError
from .observers import observe
from .pump import PumpState
from .started import AsyncStarted
from .streams import AsyncStream, is_synchronous

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from .pump import Ask

# No event of any stream, and no value that anything returns.
_ENDED = object()
_NOT_AWAITABLE = object()


class AsyncPump(PumpState):
    """Drives one run of an asynchronous runner."""

    __slots__ = ("_started", "_stream")

    def __init__(self, *parts: Any) -> None:
        super().__init__(*parts)
        self._started: dict[str, AsyncStarted] = {}
        self._stream: AsyncStream | None = None

    async def advance(self) -> Ask:
        """Perform asks until a turn is to be shown or the run is over, and give that ask."""
        try:
            if self.ask[0] == TURN:
                self._next_turn()
            await self._drive()
            if self._started:
                # A toolset was busy or closed: the run is over, and what was started is not.
                await self._settle()
        except BaseException as error:  # noqa: BLE001 - all of them are raised again
            if isinstance(error, GeneratorExit):
                # The coroutine is closed from outside, and may not wait for anything any more.
                self._cut_off()
                self._stream = None
            else:
                await self._settle()
            self._owner._cut_short(error, self.run)
        return self.ask

    async def close(self) -> None:
        """Let go of the run, wherever it is."""
        self.run.end()
        await self._close_stream()

    async def _drive(self) -> None:
        ask = self.ask
        callbacks, run = self._callbacks, self.run
        while True:
            kind = ask[0]
            if kind < EMIT:
                ask = self._after_browser(
                    await self._browser._perform(run, ask, callbacks.cancelled, callbacks.observer)
                )
            elif kind == EMIT:
                ask = show(callbacks.observer, callbacks.cancelled, run, ask)
            elif kind in OURS:
                ask = self._after_computer(
                    await self._computer._perform(
                        run, ask, callbacks.consents, callbacks.cancelled, callbacks.observer
                    )
                )
            else:
                perform = self._PERFORMERS.get(kind)
                if perform is None:
                    return self._come_to(ask)
                ask = await perform(self, ask)

    async def _send(self, ask: Ask) -> Ask:
        _, identity, request, retries, streams = ask
        self._typed.forget()
        try:
            pending = self._creates(retries)(**request)
            if is_awaitable(pending):
                answer = await pending
            else:
                # An async generator function gives its stream without an await.
                answer = pending if streams else _NOT_AWAITABLE
        except Exception as error:  # noqa: BLE001 - a failure of the host is an answer
            return self._fail_request(ask, error)
        if answer is _NOT_AWAITABLE or (streams and is_synchronous(answer)):
            discard(answer)
            raise ConfigurationError(
                "responses.create is not asynchronous; use ResponsesToolRunner",
                "flavour_mismatch",
            )
        if not streams:
            stop = self._is_cancelled()
            return self.run.answer_response(identity, answer, stop, self._now())
        try:
            self._stream = await AsyncStream.open(answer)
        except Exception as error:  # noqa: BLE001 - a failure of the host is an answer
            return self._fail_request(ask, error)
        return self.run.answer_streaming(identity, self._is_cancelled(), self._now())

    async def _read(self, ask: Ask) -> Ask:
        """Read and deliver events until something else is asked for."""
        run, stream, on_event = self.run, self._stream, self._callbacks.on_event
        events: Any = None if stream is None else stream.events
        while True:
            if ask[0] == READ_EVENT:
                try:
                    event = await anext(events)
                except StopAsyncIteration:
                    event = _ENDED
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
                ask = await self._consult(ask, "on_event", on_event, detached, self._event, False)
            else:
                break
        if run.is_whole():
            await self._close_stream()
        return ask

    async def _consult(
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
            if is_awaitable(value):
                value = await value
            elif callback is not self._callbacks.compact:
                failed = True
                self._tell(f"{name} returned no awaitable; ResponsesToolRunner takes that")
        except BrowserCancelledError:
            return self.run.answer_cancelled(ask[1], self._now())
        except Exception:  # noqa: BLE001 - a failure of the host is an answer
            failed = True
        return self._answer(ask, value, failed=failed, is_value=is_value)

    async def _review_early(self, ask: Ask) -> Ask:
        callback = self._callbacks.before_early_call
        return await self._consult(
            ask, "before_early_call", callback, read_early_call, ask[2], True
        )

    async def _approve_mcp(self, ask: Ask) -> Ask:
        callback = self._callbacks.approve_mcp
        return await self._consult(ask, "approve_mcp", callback, read_mcp_request, ask[2], True)

    async def _compact(self, ask: Ask) -> Ask:
        return await self._consult(ask, "compact", self._callbacks.compact, None, ask[2], True)

    async def _save(self, ask: Ask) -> Ask:
        return await self._consult(ask, "save", self._callbacks.save, None, ask[2], False)

    async def _call_function(self, ask: Ask) -> Ask:
        value: Any = None
        failed = False
        try:
            value = await self._called(ask)
        except BrowserCancelledError:
            return self.run.answer_cancelled(ask[1], self._now())
        except Exception:  # noqa: BLE001 - a failure of the host is an answer
            failed = True
        return self._answer(ask, value, failed=failed, is_value=True)

    async def _called(self, ask: Ask) -> Any:
        _, _, index, text, call_id = ask
        number: int = index
        function, takes = self._functions[number]
        arguments = self._typed.arguments(call_id, text)
        if takes:
            value = function(arguments, cancelled=self._callbacks.cancelled)
        else:
            value = function(arguments)
        if is_awaitable(value):
            return await value
        self._tell("it returned no awaitable; RegisteredFunction takes that")
        return _NOT_AWAITABLE

    async def _start_function(self, ask: Ask) -> Ask:
        started = self._started[ask[4]] = AsyncStarted(lambda: self._called(ask))
        failed = False
        try:
            await started.begin()
        except Exception:  # noqa: BLE001 - such as an event loop that is closing
            failed = True
        return self._answer(ask, None, failed=failed, is_value=False)

    async def _await_function(self, ask: Ask) -> Ask:
        started = self._started[ask[2]]
        await started.wait()
        error = started.error
        if error is not None and not isinstance(error, Exception):
            raise error
        if isinstance(error, BrowserCancelledError):
            following = self.run.answer_cancelled(ask[1], self._now())
        else:
            failed = error is not None
            following = self._answer(ask, started.value, failed=failed, is_value=True)
        del self._started[ask[2]]
        return following

    async def _settle(self) -> None:
        """End a run that was cut short: what was started is asked to end, and waited for."""
        ask = self._cut_off()
        while ask[0] in {AWAIT_FUNCTION, EMIT}:
            if ask[0] == EMIT:
                observe(self._callbacks.observer, ask[2])
                ask = self.run.answer_seen(ask[1], True, self._now())
                continue
            call_id: str = ask[2]
            started = self._started[call_id]
            await started.settle()
            ask = self._end_of_started(ask, started.value, started.error)
            del self._started[call_id]
        for call_id in [*self._started]:
            await self._started[call_id].settle()
            del self._started[call_id]
        await self._close_stream()

    def _cut_off(self) -> Ask:
        for started in self._started.values():
            started.cancel()
        return self.run.abandon(self._now())

    async def _close_stream(self) -> None:
        stream, self._stream, self._event = self._stream, None, None
        if stream is not None:
            await stream.close()

    async def _measured(self, ask: Ask) -> Ask:
        return self._measure(ask)

    _PERFORMERS: ClassVar[dict[int, Callable[[AsyncPump, Ask], Awaitable[Ask]]]] = {
        SEND: _send,
        READ_EVENT: _read,
        DELIVER_EVENT: _read,
        REVIEW_EARLY: _review_early,
        APPROVE_MCP: _approve_mcp,
        COMPACT: _compact,
        SAVE: _save,
        MEASURE: _measured,
        CALL_FUNCTION: _call_function,
        START_FUNCTION: _start_function,
        AWAIT_FUNCTION: _await_function,
    }
