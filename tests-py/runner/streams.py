"""Streams of scripted responses, in either flavour."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any


def events(*items: Any, **fields: Any) -> list[dict[str, Any]]:
    """The events by which a service streams a completed response with these items."""
    from runner.endpoint import response

    body = response(*items, **fields)
    started = {**body, "status": "in_progress", "output": []}
    listed: list[dict[str, Any]] = [{"type": "response.created", "response": started}]
    for index, item in enumerate(items):
        listed += [
            {"type": "response.output_item.added", "output_index": index, "item": item},
            {"type": "response.output_item.done", "output_index": index, "item": item},
        ]
    listed.append({"type": "response.completed", "response": body})
    for number, event in enumerate(listed):
        event["sequence_number"] = number
    return listed


class Source:
    """A stream whose events are given one by one; an error among them is raised, a function called.

    ``closed`` counts how often it was closed.
    """

    def __init__(self, *steps: Any) -> None:
        self._steps = iter(steps)
        self.closed = 0
        self.read = 0

    def _next(self) -> Any:
        for step in self._steps:
            if isinstance(step, BaseException):
                raise step
            if callable(step):
                step()
                continue
            self.read += 1
            return step
        return None


class SyncSource(Source):
    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        event = self._next()
        if event is None:
            raise StopIteration
        return event

    def close(self) -> None:
        self.closed += 1


class AsyncSource(Source):
    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        event = self._next()
        if event is None:
            raise StopAsyncIteration
        return event

    async def close(self) -> None:
        self.closed += 1


def source(asynchronous: bool) -> Callable[..., Any]:
    """The class of streams of a flavour."""
    return AsyncSource if asynchronous else SyncSource
