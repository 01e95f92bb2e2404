"""Functions of the program that a model may call in a run (R-10)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from .errors import ConfigurationError
from .flavour import require
from .types import FunctionResult


@dataclass(frozen=True)
class _Function:
    _asynchronous: ClassVar[bool]

    tool: Mapping[str, object]
    execute: Callable[..., Any]
    allow_output_override: bool = False
    independent: bool = False

    def __post_init__(self) -> None:
        owner = type(self).__name__
        if not callable(self.execute):
            raise ConfigurationError(f"{owner} needs a callable execute", "not_callable")
        for name in ("allow_output_override", "independent"):
            if type(getattr(self, name)) is not bool:
                raise ConfigurationError(f"{name} must be a bool", "flag_not_a_bool")
        require("execute", self.execute, owner, asynchronous=self._asynchronous)


@dataclass(frozen=True)
class RegisteredFunction(_Function):
    """A function of a ``ResponsesToolRunner``.

    Attributes:
        tool: the declaration, ``{"type": "function", "name", "parameters", "strict", ...}``.
        execute: gets the arguments as a dict, and ``cancelled`` by keyword if it has a parameter of
            that name. Returns text, or a list of ``input_text``, ``input_image`` and ``input_file``
            blocks of exact built-in types. If it raises, the run stops.
        allow_output_override: whether a turn may supply another output (R-21).
        independent: whether it may run beside other independent functions (R-34).

    Raises:
        ConfigurationError: ``execute`` is asynchronous or not callable; a flag is not a bool.
    """

    _asynchronous = False
    execute: Callable[..., FunctionResult]


@dataclass(frozen=True)
class AsyncRegisteredFunction(_Function):
    """A function of an ``AsyncResponsesToolRunner``: ``RegisteredFunction`` with an async ``execute``."""

    _asynchronous = True
    execute: Callable[..., Awaitable[FunctionResult]]
