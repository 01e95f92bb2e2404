"""Whether a callable takes the keyword ``cancelled`` (B-23)."""

from __future__ import annotations

from types import FunctionType, MethodType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_LAYERS = 32  # of wrappers; a longer chain is taken for a cycle


class Acceptance:
    """Answers for the callable of one place, and looks again only when another one stands there."""

    __slots__ = ("_function", "_takes")

    def __init__(self) -> None:
        self._function: object = None
        self._takes = False

    def of(self, function: Any) -> bool:
        """Whether ``function`` takes ``cancelled``; cheap for the callable asked about before."""
        # A bound method is a new object each time it is looked up; its function is not.
        plain = function.__func__ if type(function) is MethodType else function
        if plain is not self._function:
            self._takes = takes_cancelled(function)
            self._function = plain
        return self._takes


def takes_cancelled(function: Any) -> bool:
    """Whether a parameter called ``cancelled`` can be given by keyword; ``**kwargs`` does not count."""
    plain = function.__func__ if type(function) is MethodType else function
    if type(plain) is FunctionType and "__wrapped__" not in plain.__dict__:
        code = plain.__code__
        last = code.co_argcount + code.co_kwonlyargcount
        return "cancelled" in code.co_varnames[code.co_posonlyargcount : last]
    return _signature_takes_cancelled(function)


def _signature_takes_cancelled(function: Any) -> bool:
    import inspect  # costly, and only needed for wrappers, partials and callable objects

    layer: Any = function
    for _ in range(_LAYERS):
        try:
            parameters = inspect.signature(layer, follow_wrapped=False).parameters
        except (TypeError, ValueError):
            return False
        named = parameters.get("cancelled")
        if named is not None:
            return named.kind in (named.POSITIONAL_OR_KEYWORD, named.KEYWORD_ONLY)
        # A wrapper that takes any keyword hands it on to what it wraps.
        if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
            return False
        layer = getattr(layer, "__wrapped__", None)
    return False
