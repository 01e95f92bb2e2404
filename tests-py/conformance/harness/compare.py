"""Normalisation and comparison of two records."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any, cast

from .data import Record
from .tags import untag

# For a reader only; `import_vectors.py` already leaves out the rest of them.
INFORMATION = frozenset({"exception", "diagnostics"})

SHOWN = 300


def differences(expected: Record, actual: Record) -> list[str]:
    """Where the two records differ, as ``path: expected … got …``; empty when they agree.

    ``expected`` may hold tagged values, ``actual`` must hold plain ones.
    """
    left = canonical(drop_unstable(untag(expected)))
    right = canonical(drop_unstable(actual))
    return list(walk("", left, right))


def drop_unstable(record: Record) -> Record:
    """``record`` without the parts that two right implementations may differ in."""
    kept = {name: item for name, item in record.items() if name not in INFORMATION}
    if isinstance(kept.get("value"), dict):
        kept["value"] = settle_value(kept["value"])
    if isinstance(kept.get("saves"), list):
        kept["saves"] = [settle_tools(save) for save in kept["saves"]]
    if isinstance(kept.get("payload"), dict):
        kept["payload"] = drop_null_result(kept["payload"])
    if isinstance(kept.get("driver_calls"), list):
        kept["driver_calls"] = [drop_null_keys(call) for call in kept["driver_calls"]]
    return kept


def settle_value(value: dict[str, Any]) -> dict[str, Any]:
    if isinstance(value.get("payload"), dict):
        value = {**value, "payload": drop_null_result(value["payload"])}
    return settle_tools(value)


def settle_tools(fields: dict[str, Any]) -> dict[str, Any]:
    if isinstance(fields.get("tools"), list):
        # The set of tools matters, the order does not. A repeated name still shows.
        return {**fields, "tools": sorted(cast("list[object]", fields["tools"]), key=repr)}
    return fields


def drop_null_result(payload: dict[str, Any]) -> dict[str, Any]:
    return drop_null(payload, "result")


def drop_null_keys(call: Any) -> Any:
    if isinstance(call, dict) and isinstance(call.get("action"), dict):
        return {**call, "action": drop_null(call["action"], "keys")}
    return call


def drop_null(fields: dict[str, Any], dropped: str) -> dict[str, Any]:
    if fields.get(dropped, ...) is None:
        return {name: item for name, item in fields.items() if name != dropped}
    return fields


def canonical(value: object) -> Any:
    """``value`` in one spelling: numbers by value, unpaired surrogates in keys as ``\\uXXXX``.

    Anything but plain JSON types is replaced by a mark that equals no expectation, so a
    host type that leaks into an output or to a driver is a difference.
    """
    kind = type(value)
    if value is None or kind is bool or kind is str or kind is int:
        return value
    if isinstance(value, float) and kind is float:
        if not math.isfinite(value):
            return {"$number": str(value)}
        return int(value) if value.is_integer() else value
    if isinstance(value, list) and kind is list:
        return [canonical(item) for item in cast("list[object]", value)]
    if isinstance(value, dict) and kind is dict:
        fields = cast("dict[str, object]", value)
        return {escape_surrogates(name): canonical(item) for name, item in fields.items()}
    return {"$unexpected_type": f"{kind.__module__}.{kind.__qualname__}"}


def escape_surrogates(text: str) -> str:
    return "".join(
        f"\\u{ord(char):04x}" if 0xD800 <= ord(char) <= 0xDFFF else char for char in text
    )


def walk(path: str, expected: Any, actual: Any) -> Iterator[str]:
    # bool and int are equal in Python and are not equal here.
    if type(expected) is not type(actual):
        yield describe(path, expected, actual)
    elif isinstance(expected, dict):
        yield from walk_fields(path, cast("dict[str, object]", expected), actual)
    elif isinstance(expected, list):
        yield from walk_items(path, cast("list[object]", expected), actual)
    elif expected != actual:
        yield describe(path, expected, actual)


def walk_fields(path: str, expected: dict[str, object], actual: dict[str, object]) -> Iterator[str]:
    for name in sorted(expected.keys() | actual.keys()):
        at = f"{path}.{name}" if path else name
        if name not in actual:
            yield f"{at}: missing, expected {show(expected[name])}"
        elif name not in expected:
            yield f"{at}: not expected, got {show(actual[name])}"
        else:
            yield from walk(at, expected[name], actual[name])


def walk_items(path: str, expected: list[object], actual: list[object]) -> Iterator[str]:
    if len(expected) != len(actual):
        yield describe(path, expected, actual)
        return
    for index, (left, right) in enumerate(zip(expected, actual, strict=True)):
        yield from walk(f"{path}[{index}]", left, right)


def describe(path: str, expected: object, actual: object) -> str:
    return f"{path or 'record'}: expected {show(expected)}, got {show(actual)}"


def show(value: object) -> str:
    text = json.dumps(value, sort_keys=True)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}… ({len(text)} characters)"
