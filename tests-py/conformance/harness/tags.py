"""Tagged values: what plain JSON cannot carry, or would carry at great length."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast


class StrSubclass(str):
    """Text of a host type that is not exactly ``str``."""


class DictSubclass(dict[str, Any]):
    """A mapping of a host type that is not exactly ``dict``."""


class ListSubclass(list[Any]):
    """A sequence of a host type that is not exactly ``list``."""


class Undefined:
    """No value. As a field it is left out; as a result it is ``None``."""


UNDEFINED = Undefined()


def untag(value: object) -> Any:
    """``value`` with every tagged value replaced by the Python value it stands for."""
    if isinstance(value, list):
        return [none_if_undefined(untag(item)) for item in cast("list[object]", value)]
    if not isinstance(value, dict):
        return value
    fields = cast("dict[str, Any]", value)
    match fields:
        case {"$utf16": units}:
            return from_utf16(units)
        case {"$repeat": [text, count]}:
            return untag(text) * count
        case {"$concat": parts}:
            return "".join(untag(part) for part in parts)
        case {"$number": name}:
            return float(name)
        case {"$undefined": True}:
            return UNDEFINED
        case {"$host": kind, "value": inner}:
            return in_host_type(kind, untag(inner))
        case _:
            values = {name: untag(item) for name, item in fields.items()}
            return {name: item for name, item in values.items() if item is not UNDEFINED}


def none_if_undefined(value: Any) -> Any:
    return None if value is UNDEFINED else value


def from_utf16(units: Iterable[int]) -> str:
    # "surrogatepass" joins proper pairs and keeps unpaired halves, as the tag asks.
    raw = b"".join(unit.to_bytes(2, "little") for unit in units)
    return raw.decode("utf-16-le", "surrogatepass")


def in_host_type(kind: str, value: Any) -> Any:
    match kind:
        case "str_subclass":
            return StrSubclass(value)
        case "dict_subclass":
            return DictSubclass(value)
        case "list_subclass":
            return ListSubclass(value)
        case "tuple":
            return tuple(value)
        case "bytes":
            return value.encode()
        case _:
            raise ValueError(f"unknown host type {kind!r}")
