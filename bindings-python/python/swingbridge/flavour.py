"""Whether a callable is synchronous or asynchronous, as far as can be seen without calling it (B-6)."""

from __future__ import annotations

from types import FunctionType, MethodType

from .errors import ConfigurationError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

    Flavour = Literal["sync", "async"]

# inspect.CO_COROUTINE, CO_ITERABLE_COROUTINE and CO_ASYNC_GENERATOR; inspect is costly to import
_COROUTINE = 0x80 | 0x100 | 0x200
_LAYERS = 32  # of wrappers; a longer chain is taken for a cycle
_METHODS = frozenset({MethodType, staticmethod, classmethod})
_ASYNC_NAMES = frozenset(
    {
        "AsyncGenerator",
        "AsyncIterable",
        "AsyncIterator",
        "Awaitable",
        "Coroutine",
        "Future",
        "Task",
    }
)
_UNKNOWN_NAMES = frozenset({"Any", "NoReturn", "Never", "object"})


def require(name: str, function: object, owner: str, *, asynchronous: bool) -> None:
    """Raise ``ConfigurationError`` if ``function`` is recognisably of the other flavour."""
    flavour = flavour_of(function)
    if flavour == "async" and not asynchronous:
        words = f"{name} is asynchronous, {owner} is not; use the Async class"
    elif flavour == "sync" and asynchronous:
        words = f"{name} is not asynchronous, {owner} is; use the class without Async"
    else:
        return
    raise ConfigurationError(words, "flavour_mismatch")


def flavour_of(function: object) -> Flavour | None:
    """The flavour of a callable, or None if only a call can tell.

    Sees through ``functools.partial`` and ``partialmethod``, ``functools.wraps``, bound, static
    and class methods, and objects with ``__call__``.
    """
    layer: Any = function
    for _ in range(_LAYERS):
        if is_coroutine_function(layer):
            return "async"
        following = inner(layer)
        if following is None:
            return _annotated_flavour(layer) if isinstance(layer, FunctionType) else None
        layer = following
    return None


def is_coroutine_function(function: Any) -> bool:
    """As ``inspect.iscoroutinefunction``, for one layer of a callable; async generators too."""
    flags = getattr(getattr(function, "__code__", None), "co_flags", 0)
    if isinstance(flags, int) and flags & _COROUTINE:
        return True
    # inspect.markcoroutinefunction
    return "_is_coroutine_mark" in getattr(function, "__dict__", ())


def inner(function: Any) -> Any:
    """The callable that this one hands its calls to, or None."""
    if isinstance(function, FunctionType):
        return function.__dict__.get("__wrapped__")
    layer: object = function
    kind = type(layer)
    if kind in _METHODS:
        return function.__func__
    # functools need not be imported here: who made a partial has imported it.
    if kind.__module__ == "functools" and kind.__name__ in {"partial", "partialmethod"}:
        return function.func
    # Of the class, as a call finds it; `callable` would not say what is called.
    called = getattr(kind, "__call__", None)  # noqa: B004
    return called if isinstance(called, FunctionType) else None


def _annotated_flavour(function: FunctionType) -> Flavour | None:
    try:
        annotation = function.__annotations__.get("return", ...)
        if isinstance(annotation, str):
            annotation = _evaluated(annotation, function)
        return _flavour_of_type(annotation)
    except Exception:  # noqa: BLE001 - an annotation is the program's own code and may do anything
        return None


def _evaluated(annotation: str, function: FunctionType) -> Any:
    try:
        # What typing.get_type_hints does, without importing typing.
        return eval(annotation, function.__globals__)
    except Exception:  # noqa: BLE001 - such as a name that only type checkers import
        outermost = annotation.split("[", 1)[0].rsplit(".", 1)[-1].strip()
        return _AnAwaitable if outermost in _ASYNC_NAMES and "|" not in annotation else ...


class _AnAwaitable:
    __await__ = None


def _flavour_of_type(annotation: Any) -> Flavour | None:
    if annotation is None:
        return "sync"
    name = getattr(annotation, "__name__", None)
    origin = getattr(annotation, "__origin__", None)
    if annotation is ... or name in _UNKNOWN_NAMES:
        return None
    if "Union" in {type(annotation).__name__.removesuffix("Type"), getattr(origin, "_name", None)}:
        members: list[Flavour | None] = [_flavour_of_type(item) for item in annotation.__args__]
        return members[0] if members.count(members[0]) == len(members) else None
    if name == "Literal":
        return "sync"
    if origin is not None:
        return _flavour_of_type(origin)
    if isinstance(annotation, type):
        is_async = hasattr(annotation, "__await__") or hasattr(annotation, "__aiter__")
        return "async" if is_async else "sync"
    return None
