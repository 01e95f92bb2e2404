"""What the native client gives: responses, events, and the streams that they come in (N-2).

A response is read when it is looked at: its fields, and theirs at every depth, are attributes.
``to_dict`` makes plain dicts and lists of all of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._core import JsonObject

if TYPE_CHECKING:
    from types import TracebackType

    from ._core import NativeStream
    from .event_loops import Waiting


class Response(JsonObject):
    """A response of the model.

    ``output_text`` joins the texts of its messages. A field of the published type that the service left
    out is None; any other that is not there raises ``AttributeError``.
    """

    __slots__ = ()

    if TYPE_CHECKING:
        id: str
        status: str | None
        model: str | None
        output: list[Any]
        output_text: str
        usage: Any
        error: Any
        incomplete_details: Any

        def __getattr__(self, name: str) -> Any: ...


class ResponseStreamEvent(JsonObject):
    """An event of a stream; ``type`` says which."""

    __slots__ = ()

    if TYPE_CHECKING:
        type: str

        def __getattr__(self, name: str) -> Any: ...


class _EventStream:
    __slots__ = ("_native",)

    def __init__(self, native: NativeStream) -> None:
        self._native = native

    @property
    def request_id(self) -> str | None:
        """What the service called the request; for its support."""
        return self._native.request_id


class ResponseStream(_EventStream):
    """The events of one response, as they come; a context manager that closes the socket.

        with client.responses.create(..., stream=True) as stream:
            for event in stream: ...

    It is at its end after the last event, a failure, an interrupt or ``close``.

    Raises:
        APIError: the stream broke off, stalled, or an event is no JSON object.
    """

    __slots__ = ()

    def __enter__(self) -> ResponseStream:  # noqa: PYI034 - typing.Self needs Python 3.11
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __iter__(self) -> ResponseStream:
        return self

    def __next__(self) -> ResponseStreamEvent:
        native = self._native
        event: ResponseStreamEvent | None = native.ready()
        if event is None:
            event = native.wait()
            if event is None:
                raise StopIteration
        return event

    def close(self) -> None:
        """Close the socket, also while another thread waits for an event. May be called twice."""
        self._native.close()


class AsyncResponseStream(_EventStream):
    """``ResponseStream`` with ``await``.

        async with await client.responses.create(..., stream=True) as stream:
            async for event in stream: ...

    Cancelling the task that waits for an event closes the socket.
    """

    __slots__ = ("_wait",)

    def __init__(self, native: NativeStream, wait: Waiting) -> None:
        super().__init__(native)
        self._wait = wait

    async def __aenter__(self) -> AsyncResponseStream:  # noqa: PYI034 - typing.Self needs Python 3.11
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    def __aiter__(self) -> AsyncResponseStream:
        return self

    async def __anext__(self) -> ResponseStreamEvent:
        native = self._native
        event: ResponseStreamEvent | None = native.ready()
        if event is None:
            event = await self._wait(native.start)
            if event is None:
                raise StopAsyncIteration
        return event

    async def close(self) -> None:
        """Close the socket, also while another task waits for an event. May be called twice."""
        self._native.close()
