"""Copies of the caller's and the client's objects as plain dicts and lists.

Requests are made of plain objects only: a later change by the caller changes nothing, and what is
replayed is what was received, unknown fields included. Texts are shared, so pictures are not copied.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

# As in the core: nothing is nested deeper than this.
MAX_DEPTH = 128

_LEAVES = frozenset({str, int, float, bool, type(None)})
_UNDER_WAY = object()


class NotPlainError(ValueError):
    """A value refers to itself, is nested too deeply or has a key that is no text."""


def plain(value: object) -> Any:
    """A copy of ``value``: dicts, lists, tuples and pydantic models become plain dicts and lists.

    Of a model the fields that were set are taken, under their names on the wire, and those that
    its class does not know; fields that only have their default value are left out. Other objects
    stay what they are. What the value has in several places is copied once.
    """
    return _copy(value, {}, MAX_DEPTH)


def _copy(value: object, copies: dict[int, tuple[object, Any]], depth: int) -> Any:
    if type(value) in _LEAVES:
        return value
    found = copies.get(id(value))
    if found is not None:
        if found[1] is _UNDER_WAY:
            raise NotPlainError("refers to itself")
        return found[1]
    items = as_list(value)
    fields = as_dict(value)
    if fields is None and items is None:
        fields = model_fields(value)
        if fields is None:
            return value
    if depth == 0:
        raise NotPlainError("nested too deeply")
    # With the value: as long as it lives, no other object gets its id.
    copies[id(value)] = value, _UNDER_WAY
    copy: Any
    if fields is None:
        copy = [_copy(item, copies, depth - 1) for item in items or ()]
    else:
        copy = {_key(name): _copy(item, copies, depth - 1) for name, item in _items(fields)}
    copies[id(value)] = value, copy
    return copy


def _items(fields: dict[Any, Any]) -> Iterable[tuple[Any, Any]]:
    # As they are stored: a subclass may have another idea of its items.
    return cast("Iterable[tuple[Any, Any]]", dict[Any, Any].items(fields))


def _key(name: object) -> str:
    if type(name) is str:
        return name
    if issubclass(type(name), str):
        return str.__str__(cast("str", name))
    raise NotPlainError("a key is no text")


def model_fields(value: object) -> dict[str, Any] | None:
    """The set fields of a pydantic model by their names on the wire; None if it is no model.

    Reads the model's own storage: no serializer runs or warns, and pydantic is not imported.
    """
    # The second names are those of pydantic 1.
    chosen: Any = getattr(value, "__pydantic_fields_set__", None)
    if chosen is None:
        chosen = getattr(value, "__fields_set__", None)
    if type(chosen) is not set or issubclass(type(value), type):
        return None
    kind = type(value)
    declared: Any = getattr(kind, "__pydantic_fields__", None) or getattr(kind, "__fields__", {})
    fields: dict[str, Any] = {}
    for name, item in value.__dict__.items():
        if name in chosen:
            fields[getattr(declared.get(name), "alias", None) or name] = item
    fields.update(as_dict(getattr(value, "__pydantic_extra__", None)) or {})
    return fields


def field(value: object, name: str) -> Any:
    """A field of a dict or an attribute of an object; None if it has none."""
    fields = as_dict(value)
    if fields is None:
        return getattr(value, name, None)
    return next((item for key, item in _items(fields) if type(key) is str and key == name), None)


def as_dict(value: object) -> dict[Any, Any] | None:
    """The value if it is a dict, whatever it says its class is."""
    return cast("dict[Any, Any]", value) if issubclass(type(value), dict) else None


def as_list(value: object) -> list[Any] | tuple[Any, ...] | None:
    """The value if it is a list or a tuple, whatever it says its class is.

    Of a subclass the items as they are stored: it may have another idea of them.
    """
    kind = type(value)
    if kind is list or kind is tuple:
        return cast("list[Any]", value)
    if issubclass(kind, list):
        return [*list[Any].__iter__(cast("list[Any]", value))]
    if issubclass(kind, tuple):
        return [*tuple[Any, ...].__iter__(cast("tuple[Any, ...]", value))]
    return None
