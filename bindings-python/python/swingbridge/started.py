"""Independent functions under way: a thread each, or a task each (R-34).

What was started is waited for on every way out of a run: its receipt is not lost.
"""

from __future__ import annotations

from typing import Any

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable, Callable

    from ._core import Hold


class Started:
    """A function that runs in a thread of its own, with a copy of the context variables.

    It is not begun yet: who waits for it has to know it before.
    """

    __slots__ = ("_call", "_thread", "error", "hold", "value")

    def __init__(self, call: Callable[[], Any]) -> None:
        # Costly to import, and only needed here.
        from contextvars import copy_context
        from threading import Thread

        self.value: Any = None
        self.error: BaseException | None = None
        self.hold: Hold | None = None
        self._call = call
        self._thread = Thread(target=copy_context().run, args=(self._work,))

    def begin(self) -> None:
        """Begin it."""
        self._thread.start()

    def _work(self) -> None:
        try:
            self.value = self._call()
        except BaseException as error:  # noqa: BLE001 - raised by who waits
            self.error = error

    def is_running(self) -> bool:
        """Whether it is not over yet."""
        return self._thread.is_alive()

    def wait(self) -> None:
        """Wait until it is over, if it could begin."""
        if self._thread.ident is not None:
            self._thread.join()


class AsyncStarted:
    """A function that runs in a task of its own. It is not begun yet."""

    __slots__ = ("_call", "_task", "error", "value")

    def __init__(self, call: Callable[[], Awaitable[Any]]) -> None:
        self.value: Any = None
        self.error: BaseException | None = None
        self._call = call
        self._task: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        """Begin it. Where there are no tasks, under an event loop that is not asyncio's, do it."""
        import asyncio

        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            await self._work()
        else:
            self._task = loop.create_task(self._work())

    async def _work(self) -> None:
        try:
            self.value = await self._call()
        except BaseException as error:
            self.error = error
            if not isinstance(error, Exception):
                raise

    def cancel(self) -> None:
        """Ask it to end."""
        if self._task is not None:
            self._task.cancel()

    async def wait(self) -> None:
        """Wait until it is over. It goes on if the one who waits is cancelled."""
        if self._task is not None and not self._task.done():
            import asyncio

            await asyncio.wait([self._task])
        self._note()

    async def settle(self) -> None:
        """Wait until it is over, whatever happens to the one who waits."""
        import asyncio

        while self._task is not None and not self._task.done():
            try:
                await asyncio.wait([self._task])
            except asyncio.CancelledError:
                self._task.cancel()
        self._note()

    def _note(self) -> None:
        # Cancelled before it began; and what a task ends with is to be asked for.
        if self._task is None or not self._task.done():
            return
        if self._task.cancelled():
            import asyncio

            self.error = self.error or asyncio.CancelledError()
        else:
            self._task.exception()
