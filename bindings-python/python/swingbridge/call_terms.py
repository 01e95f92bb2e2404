"""What a call of the native client says besides the body: headers, query, times (N-1, N-2)."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias, cast

from .errors import ConfigurationError
from .params import mark_of
from .plain import as_dict

_LONGEST = sys.float_info.max
_BEYOND_BODY = frozenset({"extra_headers", "extra_query", "extra_body", "timeout"})


class Timeout(NamedTuple):
    """How long a client waits, in seconds.

    Attributes:
        connect: until a connection stands.
        request: from the beginning of one attempt to the end of its reply, or to the beginning of its
            stream.
        idle: between two portions of bytes of a reply or a stream. A model may think for minutes.
    """

    connect: float = 5.0
    request: float = 600.0
    idle: float = 600.0


Times: TypeAlias = "float | Timeout"
Headers: TypeAlias = "Mapping[str, str | None]"


class CallTerms(NamedTuple):
    """What the native module reads of a call, by these names."""

    headers: list[tuple[str, str | None]]
    """One without a value takes the client's header of that name away."""
    query: list[tuple[str, str]]
    request_time: float | None
    idle_time: float | None
    max_retries: int | None

    def with_call(
        self, headers: object = None, query: object = None, timeout: Times | None = None
    ) -> CallTerms:
        """With what one call adds, or says otherwise."""
        terms = self
        if timeout is not None:
            times = timeout_of(timeout)
            terms = terms._replace(request_time=times.request, idle_time=times.idle)
        return terms._replace(
            headers=[*terms.headers, *header_changes(headers, "extra_headers")],
            query=[*terms.query, *pairs(query, "extra_query")],
        )


NO_TERMS = CallTerms([], [], None, None, None)


def timeout_of(given: Times) -> Timeout:
    """The times, checked. A number stands for the request and for the time between bytes."""
    if isinstance(given, Timeout):
        times = given
    else:
        number = _positive(given)
        times = Timeout(min(Timeout().connect, number), number, number)
    return Timeout(*map(_positive, times))


def _positive(seconds: object) -> float:
    kind = type(seconds)
    if kind is int or kind is float:
        number = cast("float", seconds)
        if 0 < number <= _LONGEST:
            return float(number)
    words = "a timeout is a positive finite number of seconds, or a Timeout of three of them"
    raise ConfigurationError(words, "option_invalid")


def retries_of(given: object) -> int:
    """How often a request is sent again at most, checked."""
    if type(given) is int and 0 <= given < 1_000:
        return given
    raise ConfigurationError("max_retries is a whole number, 0 or more", "option_invalid")


def header_changes(given: object, name: str) -> list[tuple[str, str | None]]:
    """Headers. None, and the mark ``Omit`` of the ``openai`` package, take one away."""
    return [
        (key, None if value is None or mark_of(value) == "Omit" else _text_of(value, name))
        for key, value in _items(given, name)
        if mark_of(value) != "NotGiven"
    ]


def pairs(given: object, name: str) -> list[tuple[str, str]]:
    """Parts of a query. What is None is left out; a number is written as JSON has it."""
    return [(key, _text_of(value, name)) for key, value in _items(given, name) if value is not None]


def _items(given: object, name: str) -> list[tuple[str, object]]:
    if given is None:
        return []
    if not isinstance(given, Mapping):
        raise ConfigurationError(f"{name} must be a mapping of texts", "option_invalid")
    items = [*cast("Mapping[object, object]", given).items()]
    if not all(isinstance(key, str) and is_sendable(key) for key, _ in items):
        raise ConfigurationError(f"{name} must be a mapping of texts", "option_invalid")
    return cast("list[tuple[str, object]]", items)


def is_sendable(text: str) -> bool:
    """Whether it has a form on the wire; an unpaired surrogate has none.

    The error of Python would hold the whole text, a key perhaps: nothing is raised while it is at hand.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _text_of(value: object, name: str) -> str:
    if isinstance(value, str) and is_sendable(value):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    raise ConfigurationError(f"{name} must be a mapping of texts", "option_invalid")


def body_of(params: dict[str, Any]) -> dict[str, Any]:
    """What is sent of the plain parameters: without what steers the client, and with ``extra_body``."""
    body = {name: value for name, value in params.items() if name not in _BEYOND_BODY}
    extra = params.get("extra_body")
    if extra is None:
        return body
    further = as_dict(extra)
    if further is None:
        raise ConfigurationError("extra_body must be a dict", "option_invalid")
    return {**body, **further}
