"""Callables of every kind, by what can be seen of their flavour without calling them (B-6)."""

# What these lack is the point of them.
# mypy: disable-error-code="attr-defined, empty-body, import-not-found, no-untyped-def, valid-type"
# pyright: reportMissingImports=false, reportFunctionMemberAccess=false, reportInvalidTypeForm=false

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from types import coroutine as iterable_coroutine
from typing import TYPE_CHECKING, Any, Literal, Optional
from unittest.mock import AsyncMock, Mock

if TYPE_CHECKING:
    from nowhere import Something


async def coroutine(_self: Any, action: Any) -> None: ...
async def annotated_coroutine(_self: Any, action: Any) -> str:
    return ""


def unannotated(_self, action): ...
def nothing(_self: Any, action: Any) -> None: ...
def text(_self: Any, action: Any) -> str | None: ...
def optional(_self: Any, action: Any) -> Optional[str]: ...  # noqa: UP045
def word(_self: Any, action: Any) -> Literal["done"]: ...
def mapping(_self: Any, action: Any) -> dict[str, object]: ...
def awaitable(_self: Any, action: Any) -> Awaitable[None]: ...
def coroutine_type(_self: Any, action: Any) -> Coroutine[Any, Any, None]: ...
def future(_self: Any, action: Any) -> asyncio.Future[None]: ...
def either(_self: Any, action: Any) -> Awaitable[None] | None: ...
def anything(_self: Any, action: Any) -> Any: ...
def an_object(_self: Any, action: Any) -> object: ...
def unknown(_self: Any, action: Any) -> Something: ...
def iterator(_self: Any, action: Any) -> AsyncIterator[None]: ...
def unknown_iterator(_self: Any, action: Any) -> AsyncIterator[Something]: ...
async def async_generator(_self: Any, action: Any):
    yield


def unknown_awaitable(_self: Any, action: Any) -> Awaitable[Something]: ...
def generator(_self: Any, action: Any):
    yield


@iterable_coroutine
def old_coroutine(_self: Any, action: Any) -> Any:
    yield


def wrapped(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*arguments: Any, **options: Any) -> Any:
        return function(*arguments, **options)

    return wrapper


@functools.wraps(nothing)
async def async_over_sync(_self: Any, action: Any) -> None: ...


class AsyncCall:
    async def __call__(self, action: Any) -> None: ...


class SyncCall:
    def __call__(self, action: Any) -> None: ...


class OpaqueCall:
    def __call__(self, action): ...


class OfClass:
    @classmethod
    async def asynchronous(cls, action: Any) -> None: ...
    @classmethod
    def synchronous(cls, action: Any) -> None: ...
    async def method(self, action: Any) -> None: ...


def endless() -> Callable[..., Any]:
    def first(): ...
    def second(): ...

    first.__wrapped__, second.__wrapped__ = second, first
    return first


def hostile_annotation(_self: Any, action: Any) -> 1 / 0: ...


ASYNC: dict[str, Any] = {
    "coroutine function": coroutine,
    "with another annotation": annotated_coroutine,
    "of types.coroutine": old_coroutine,
    "Awaitable": awaitable,
    "Coroutine": coroutine_type,
    "Future": future,
    "Awaitable of an unknown name": unknown_awaitable,
    "AsyncIterator": iterator,
    "AsyncIterator of an unknown name": unknown_iterator,
    "async generator": async_generator,
    "wraps": wrapped(coroutine),
    "wraps twice": wrapped(wrapped(coroutine)),
    "wraps an annotated one": wrapped(annotated_coroutine),
    "async over sync": async_over_sync,
    "partial": staticmethod(functools.partial(coroutine, None)),
    "partial of partial": staticmethod(functools.partial(functools.partial(coroutine), None)),
    "partialmethod": functools.partialmethod(coroutine),
    "callable object": AsyncCall(),
    "static method": staticmethod(AsyncCall().__call__),
    "class method": OfClass.asynchronous,
    "bound method": OfClass().method,
    "partial of a wrapped one": staticmethod(functools.partial(wrapped(coroutine), None)),
    "AsyncMock": AsyncMock(),
}
SYNC: dict[str, Any] = {
    "None": nothing,
    "union": text,
    "Optional": optional,
    "Literal": word,
    "generic": mapping,
    "wraps": wrapped(nothing),
    "partial": staticmethod(functools.partial(nothing, None)),
    "partialmethod": functools.partialmethod(nothing),
    "callable object": SyncCall(),
    "static method": staticmethod(SyncCall().__call__),
    "class method": OfClass.synchronous,
}
OPAQUE: dict[str, Any] = {
    "unannotated": unannotated,
    "either": either,
    "Any": anything,
    "object": an_object,
    "unknown name": unknown,
    "generator": generator,
    "opaque callable object": OpaqueCall(),
    "lambda": lambda _self, _action: None,
    "builtin": print,
    "class": dict,
    "Mock": Mock(),
    "wraps in a circle": endless(),
    "annotation that raises": hostile_annotation,
}
