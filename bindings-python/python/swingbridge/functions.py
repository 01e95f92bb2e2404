"""Functions of the program that a model may call in a run (R-10, R-11)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Protocol, TypedDict, TypeVar, overload

from .errors import ConfigurationError
from .flavour import require
from .function_tools import ModelT, TypedFunctionTool, model_of
from .types import FunctionResult

ArgumentsT = TypeVar("ArgumentsT", contravariant=True)
FunctionT = TypeVar("FunctionT", bound="_Function")


class Execute(Protocol[ArgumentsT]):
    """A function of typed arguments; ``cancelled`` is given by keyword."""

    def __call__(
        self, arguments: ArgumentsT, /, *, cancelled: Callable[[], bool] | None
    ) -> FunctionResult:
        """Return the output."""
        ...


class AsyncExecute(Protocol[ArgumentsT]):
    """An async function of typed arguments; ``cancelled`` is given by keyword."""

    def __call__(
        self, arguments: ArgumentsT, /, *, cancelled: Callable[[], bool] | None
    ) -> Awaitable[FunctionResult]:
        """Return the output, awaited."""
        ...


class DeclaredTool(TypedDict):
    """A typed tool of the ``openai`` package, as far as its declarations tell."""

    type: Literal["function"]
    name: str


@dataclass(frozen=True)
class _Function:
    _asynchronous: ClassVar[bool]

    tool: Mapping[str, object]
    execute: Callable[..., Any]
    allow_output_override: bool = False
    independent: bool = False
    _model: type[Any] | None = field(default=None, repr=False, kw_only=True)

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

    @overload
    @classmethod
    def from_tool(
        cls,
        tool: TypedFunctionTool[ModelT],
        *,
        execute: Callable[[ModelT], FunctionResult] | Execute[ModelT],
        allow_output_override: bool = False,
        independent: bool = False,
    ) -> RegisteredFunction: ...

    @overload
    @classmethod
    def from_tool(
        cls,
        tool: DeclaredTool,
        *,
        execute: Callable[[Any], FunctionResult] | Execute[Any],
        allow_output_override: bool = False,
        independent: bool = False,
    ) -> RegisteredFunction: ...

    @classmethod
    def from_tool(
        cls,
        tool: Any,
        *,
        execute: Callable[..., FunctionResult],
        allow_output_override: bool = False,
        independent: bool = False,
    ) -> RegisteredFunction:
        """Register a function of typed arguments (R-11).

        Args:
            tool: made by ``function_tool`` or by ``openai.pydantic_responses_function_tool``.
            execute: as in the class, but gets an instance of the tool's model. If the model refuses
                the arguments of a call, the run stops before anything of that response is begun.
            allow_output_override: as in the class.
            independent: as in the class.

        Raises:
            ConfigurationError: the tool carries no model; and as the class.
        """
        return _of_tool(cls, tool, execute, allow_output_override, independent)


@dataclass(frozen=True)
class AsyncRegisteredFunction(_Function):
    """A function of an ``AsyncResponsesToolRunner``: ``RegisteredFunction`` with an async ``execute``."""

    _asynchronous = True
    execute: Callable[..., Awaitable[FunctionResult]]

    @overload
    @classmethod
    def from_tool(
        cls,
        tool: TypedFunctionTool[ModelT],
        *,
        execute: Callable[[ModelT], Awaitable[FunctionResult]] | AsyncExecute[ModelT],
        allow_output_override: bool = False,
        independent: bool = False,
    ) -> AsyncRegisteredFunction: ...

    @overload
    @classmethod
    def from_tool(
        cls,
        tool: DeclaredTool,
        *,
        execute: Callable[[Any], Awaitable[FunctionResult]] | AsyncExecute[Any],
        allow_output_override: bool = False,
        independent: bool = False,
    ) -> AsyncRegisteredFunction: ...

    @classmethod
    def from_tool(
        cls,
        tool: Any,
        *,
        execute: Callable[..., Awaitable[FunctionResult]],
        allow_output_override: bool = False,
        independent: bool = False,
    ) -> AsyncRegisteredFunction:
        """``RegisteredFunction.from_tool`` with an async ``execute``."""
        return _of_tool(cls, tool, execute, allow_output_override, independent)


def _of_tool(
    kind: type[FunctionT],
    tool: Any,
    execute: Callable[..., Any],
    allow_output_override: bool,
    independent: bool,
) -> FunctionT:
    model = model_of(tool)
    return kind(tool, execute, allow_output_override, independent, _model=model)


def parsers_of(
    functions: Sequence[Any], declarations: Sequence[Mapping[str, Any]]
) -> dict[str, Callable[[str], Any]]:
    """What makes the arguments of the typed ones among these functions, by their names."""
    return {
        declaration["name"]: function._model.model_validate_json
        for function, declaration in zip(functions, declarations, strict=True)
        if function._model is not None
    }
