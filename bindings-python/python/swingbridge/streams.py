"""The streams of foreign clients: whatever can be iterated, and closed on every way out (R-30, P-3)."""

from __future__ import annotations

from typing import Any

from .awaitables import is_awaitable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator


def is_synchronous(source: object) -> bool:
    """Whether it is a stream that can only be read without ``await``."""
    kind = type(source)
    is_async = hasattr(kind, "__aiter__") or hasattr(kind, "__aenter__")
    return (hasattr(kind, "__next__") or hasattr(kind, "__enter__")) and not is_async


def is_asynchronous(source: object) -> bool:
    """Whether it is a stream that can only be read with ``await``."""
    kind = type(source)
    is_async = hasattr(kind, "__aiter__") or hasattr(kind, "__aenter__")
    return is_async and not hasattr(kind, "__iter__") and not hasattr(kind, "__enter__")


def _kind_of(source: object) -> Any:
    return type(source)


class Stream:
    """A stream that is read synchronously.

    Raises what its client raises when it is opened.
    """

    __slots__ = ("_ends", "events")

    def __init__(self, source: Any) -> None:
        self._ends: list[Callable[[], Any]] = []
        kind = _kind_of(source)
        if hasattr(kind, "__enter__") and hasattr(kind, "__exit__"):
            entered: Any = kind.__enter__(source)
            self._ends.append(lambda: kind.__exit__(source, None, None, None))
        else:
            entered = source
            self._will_close(source)
        try:
            self.events: Iterator[Any] = iter(entered)
        except BaseException:
            self.close()
            raise
        if self.events is not source:
            self._will_close(self.events)

    def _will_close(self, part: Any) -> None:
        close = getattr(part, "close", None)
        if callable(close):
            self._ends.append(close)

    def close(self) -> None:
        """Close it, once. What fails in doing so is swallowed: nothing more of it is wanted."""
        while self._ends:
            try:
                self._ends.pop()()
            except Exception:  # noqa: BLE001 - see above
                continue


class AsyncStream:
    """A stream that is read with ``await``; see ``open``."""

    __slots__ = ("_ends", "events")

    def __init__(self) -> None:
        self._ends: list[Callable[[], Any]] = []
        self.events: AsyncIterator[Any]

    @classmethod
    async def open(cls, source: Any) -> AsyncStream:
        """Open a stream. Raises what its client raises."""
        stream = cls()
        kind = _kind_of(source)
        if hasattr(kind, "__aenter__") and hasattr(kind, "__aexit__"):
            entered: Any = await kind.__aenter__(source)
            stream._ends.append(lambda: kind.__aexit__(source, None, None, None))
        else:
            entered = _AsyncList(source) if kind is list else source
            stream._will_close(source)
        try:
            stream.events = aiter(entered)
        except BaseException:
            await stream.close()
            raise
        if stream.events is not source:
            stream._will_close(stream.events)
        return stream

    def _will_close(self, part: Any) -> None:
        for name in ("aclose", "close"):
            close = getattr(part, name, None)
            if callable(close):
                self._ends.append(close)
                return

    async def close(self) -> None:
        """Close it, once. What fails in doing so is swallowed: nothing more of it is wanted."""
        while self._ends:
            try:
                closing = self._ends.pop()()
                if is_awaitable(closing):
                    await closing
            except Exception:  # noqa: BLE001 - see above
                continue


class _AsyncList:
    """The items of a list, one at a time."""

    __slots__ = ("_items",)

    def __init__(self, items: list[Any]) -> None:
        self._items = iter(items)

    def __aiter__(self) -> _AsyncList:
        return self

    async def __anext__(self) -> Any:
        for item in self._items:
            return item
        raise StopAsyncIteration
