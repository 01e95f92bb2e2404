"""Waiting for the native client in an event loop. A module of its own: it imports asyncio.

Nothing is shared between loops: each wait has a future of the loop that it is in, and the runtime's
thread does no more than to wake that loop. So several loops, one after the other or at once, are no
different from one.
"""

from __future__ import annotations

from asyncio import get_running_loop
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from asyncio import Future
    from collections.abc import Awaitable, Callable

    from ._core import PendingEvent, PendingReply

    Wake: TypeAlias = Callable[[], object]
    Start: TypeAlias = Callable[[Wake], PendingReply | PendingEvent | None]
    Waiting: TypeAlias = Callable[[Start], Awaitable[Any]]


async def outcome(start: Start) -> Any:
    """Start and wait, in the task and the context of the caller; a wait that is cut short ends it."""
    loop = get_running_loop()
    woken: Future[None] = loop.create_future()
    pending = start(lambda: loop.call_soon_threadsafe(_wake, woken))
    if pending is None:
        return None
    try:
        await woken
    except BaseException:
        pending.cancel()
        raise
    return pending.result()


def _wake(woken: Future[None]) -> None:
    if not woken.done():
        woken.set_result(None)
