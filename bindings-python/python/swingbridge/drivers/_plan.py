"""Driver operations as plans: generators that ask for one Playwright call at a time.

Playwright's sync and async classes have the same methods; one returns values, the other awaitables. A plan yields
each call as a step and gets its value (or its exception) back, so an operation is written once and two short loops
run it. Cancellation is checked between steps by the loop, never by the plan.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar, cast

from swingbridge import BrowserCancelledError

__all__ = ["Cancelled", "Plan", "Step", "drive", "drive_async"]

T = TypeVar("T")

Cancelled: TypeAlias = Callable[[], bool]

# How often the async loop looks at `cancelled` while one call is running.
CANCEL_POLL_SECONDS = 0.05


@dataclass(frozen=True)
class Step:
    """One call to Playwright.

    Attributes:
        call: Makes the call: returns its value (sync classes) or an awaitable of it (async classes).
        stop: A plan that ends a call which may take long; only the async loop can use it. A call
            without it is bounded by its own timeout and is waited for.
    """

    call: Callable[[], Any]
    stop: Callable[[], Plan[None]] | None = None


Plan: TypeAlias = Generator[Step, Any, T]


def drive(plan: Plan[T], cancelled: Cancelled | None = None) -> T:
    """Runs a plan on the sync classes.

    Raises:
        BrowserCancelledError: `cancelled` returned true between two steps.
    """
    value: Any = None
    failure: BaseException | None = None
    while True:
        try:
            step = plan.send(value) if failure is None else plan.throw(failure)
        except StopIteration as end:
            return cast("T", end.value)
        value, failure = None, _stop(cancelled)
        if failure is not None:
            cancelled = None
            continue
        try:
            value = step.call()
        except BaseException as error:  # noqa: BLE001 - the plan gets it, for its own clean-up
            failure = error


async def drive_async(plan: Plan[T], cancelled: Cancelled | None = None) -> T:
    """Runs a plan on the async classes.

    Raises:
        BrowserCancelledError: `cancelled` returned true, between two steps or during one that can be stopped.
    """
    value: Any = None
    failure: BaseException | None = None
    while True:
        try:
            step = plan.send(value) if failure is None else plan.throw(failure)
        except StopIteration as end:
            return cast("T", end.value)
        value, failure = None, _stop(cancelled)
        if failure is not None:
            cancelled = None
            continue
        try:
            if cancelled is None or step.stop is None:
                value = await step.call()
            else:
                value = await _stoppable(step.call, step.stop, cancelled)
        except BaseException as error:  # noqa: BLE001 - the plan gets it, for its own clean-up
            failure = error


async def _stoppable(
    call: Callable[[], Any],
    stop: Callable[[], Plan[None]],
    cancelled: Cancelled,
) -> Any:
    task = asyncio.ensure_future(call())
    try:
        while not task.done():
            await asyncio.wait({task}, timeout=CANCEL_POLL_SECONDS)
            if not task.done() and cancelled():
                # The browser must be at rest when the session is given back: end the call, await it.
                await drive_async(stop())
                await asyncio.gather(task, return_exceptions=True)
                raise _cancellation()
    finally:
        task.cancel()
    return task.result()


def _stop(cancelled: Cancelled | None) -> BaseException | None:
    """Why the plan should stop, if it should. What `cancelled` raises is a reason too."""
    try:
        return _cancellation() if cancelled is not None and cancelled() else None
    except BaseException as error:  # noqa: BLE001 - the plan gets it, for its own clean-up
        return error


def _cancellation() -> BrowserCancelledError:
    return BrowserCancelledError("The browser operation was cancelled.")
