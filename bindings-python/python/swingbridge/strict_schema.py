"""A JSON schema of pydantic as the service's strict mode takes it (R-11).

Strict: each object says all of its fields, requires them and allows no others. What strict mode has no
words for and the model checks anyway is left out; what would change the meaning is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from .errors import ConfigurationError

# A schema itself, a list of schemas, schemas by name.
_SINGLE = ("items",)
_LISTED = ("anyOf", "allOf", "prefixItems")
_NAMED = ("properties", "$defs")


def strict_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The strict form of the schema of an arguments class.

    Raises:
        ConfigurationError: there is none. The message says where in the schema.
    """
    root = dict(schema)
    reference = root.get("$ref")
    if type(reference) is str:
        # A class that refers to itself; strict mode wants an object at the root.
        definitions = root["$defs"]
        root = {**definitions[reference.removeprefix("#/$defs/")], "$defs": definitions}
    if root.get("type") != "object":
        raise _refusal("the arguments", "are no object")
    return _strict(root, "the arguments")


def _strict(schema: Mapping[str, Any], place: str) -> dict[str, Any]:
    # A default says nothing where every field is required, and strict mode knows none.
    node = {name: value for name, value in schema.items() if name != "default"}
    if "oneOf" in node:
        # Strict mode has no oneOf; that exactly one branch fits is left to the model.
        node.pop("discriminator", None)
        node["anyOf"] = node.pop("oneOf")
    if "$ref" in node and len(node) > 1:
        # A reference has to stand alone; a copy of what it refers to might refer to itself.
        node["anyOf"] = [{"$ref": node.pop("$ref")}]
    for name in _SINGLE:
        if name in node:
            node[name] = _strict(node[name], f"{place}.{name}")
    for name in _LISTED:
        if name in node:
            listed: list[Any] = node[name]
            node[name] = [_strict(part, f"{place}.{name}[{at}]") for at, part in enumerate(listed)]
    for name in _NAMED:
        if name in node:
            named = cast("dict[str, Any]", node[name])
            node[name] = {key: _strict(part, f"{place}.{key}") for key, part in named.items()}
    if node.get("type") == "object":
        _close(node, place)
    return node


def _close(node: dict[str, Any], place: str) -> None:
    if "patternProperties" in node or node.get("additionalProperties", False) is not False:
        raise _refusal(place, "may have fields of any name")
    node["properties"] = node.get("properties", {})
    node["required"] = [*node["properties"]]
    node["additionalProperties"] = False


def _refusal(place: str, fault: str) -> ConfigurationError:
    words = f"a strict tool cannot have such arguments: {place} {fault}"
    return ConfigurationError(words, "tool_schema_invalid")
