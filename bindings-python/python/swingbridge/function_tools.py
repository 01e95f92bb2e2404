"""Function tools that are made of a pydantic model, and carry it (R-11).

A model brings everything along that is asked of it: pydantic is not imported here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Generic, Protocol, TypeVar

from ._core import check_tool_name, strict_schema, tool_name_of
from .errors import ConfigurationError


class ArgumentsModel(Protocol):
    """What a class of arguments has to have: any ``pydantic.BaseModel`` of pydantic 2 has it."""

    @classmethod
    def model_json_schema(cls, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Return the JSON schema."""
        ...

    @classmethod
    def model_validate_json(cls, json_data: str) -> Any:
        """Return an instance, or raise."""
        ...


ModelT = TypeVar("ModelT", bound=ArgumentsModel)


class TypedFunctionTool(dict[str, object], Generic[ModelT]):
    """The declaration of a strict function tool, with the ``model`` of its arguments.

    A plain dict for whoever sends it.
    """

    model: type[ModelT]

    def __init__(self, declaration: dict[str, object], model: type[ModelT]) -> None:
        super().__init__(declaration)
        self.model = model


def function_tool(
    model: type[ModelT], *, name: str | None = None, description: str | None = None
) -> TypedFunctionTool[ModelT]:
    """Declare a strict function tool whose arguments are a pydantic model (R-11).

    Register it with ``RegisteredFunction.from_tool``.

    Args:
        model: the class of the arguments. In a strict tool all fields are required and no object may
            have further ones; defaults are not told to the model.
        name: 1 to 64 letters, digits, ``_`` and ``-``. Without it the name of the class, with ``_``
            for what may not be in a name.
        description: for the model; without it the docstring of the class.

    Raises:
        ConfigurationError: no such class, no name that the service takes, or a schema that no strict
            tool can have, such as a dict with keys of any name.
    """
    if not is_arguments_model(model):
        words = "function_tool needs a pydantic model class (pydantic 2)"
        raise ConfigurationError(words, "tool_model_invalid")
    if name is None:
        name = tool_name_of(model.__name__)
    else:
        check_tool_name(name)
    schema = _strict(model.model_json_schema())
    # The class's docstring, which would otherwise be told twice.
    documented = schema.pop("description", None)
    declaration: dict[str, object] = {
        "type": "function",
        "name": name,
        "parameters": schema,
        "strict": True,
    }
    described = documented if description is None else description
    if described is not None:
        declaration["description"] = described
    return TypedFunctionTool(declaration, model)


def is_arguments_model(model: object) -> bool:
    """Whether this is a class that can describe and parse arguments."""
    return isinstance(model, type) and all(
        callable(getattr(model, name, None))
        for name in ("model_json_schema", "model_validate_json")
    )


def model_of(tool: object) -> type[Any]:
    """The model that a typed tool carries, ours or one of the ``openai`` package.

    Raises:
        ConfigurationError: it carries none.
    """
    model: Any = getattr(tool, "model", None)
    if not issubclass(type(tool), dict) or not is_arguments_model(model):
        words = "from_tool needs a tool that carries its pydantic model; see function_tool"
        raise ConfigurationError(words, "tool_not_typed")
    found: type[Any] = model
    return found


def _strict(schema: Mapping[str, Any]) -> dict[str, Any]:
    try:
        text = json.dumps(schema)
    except (TypeError, ValueError, RecursionError):
        # What a class adds to its schema need not have a JSON form. The core says so.
        text = ""
    # pydantic does not write what a `default_factory` makes.
    strict: dict[str, Any] = json.loads(strict_schema(text, defaults_implied=True))
    return strict
