"""The normaliser: what counts as the same record, and that everything else is reported."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any, cast

import pytest

from conformance.harness.compare import differences
from conformance.harness.data import KINDS, Record, load_vectors
from conformance.harness.tags import DictSubclass, StrSubclass, untag


@pytest.mark.parametrize("kind", KINDS)
def test_every_part_of_every_record_counts(kind: str) -> None:
    # The work grows with the square of a record's size, and the long ones have no shape of
    # their own.
    records = (untag(record) for vector in load_vectors(kind)[::20] for record in vector.accepted())
    short = [record for record in records if len(str(record)) < 1500]
    assert short
    for record in short:
        assert not differences(record, record)
        for path, changed in mutations(record):
            assert differences(record, changed), path


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ({"a": 1}, {"a": 1.0}),
        ({"a": -0.0}, {"a": 0}),
        ({"a": {"$number": "NaN"}}, {"a": float("nan")}),
        ({"a": {"b": 1, "c": 2}}, {"a": {"c": 2, "b": 1}}),
        ({"a": {"\\ud800": 1}}, {"a": {"\ud800": 1}}),
        ({"payload": {"result": None}}, {"payload": {}}),
        ({"value": {"payload": {}}}, {"value": {"payload": {"result": None}}}),
        ({"value": {"tools": ["a", "b"]}}, {"value": {"tools": ["b", "a"]}}),
        ({"saves": [{"tools": ["a", "b"]}]}, {"saves": [{"tools": ["b", "a"]}]}),
        ({"exception": "Error"}, {"diagnostics": ["x"]}),
        ({"driver_calls": [{"action": {"keys": None}}]}, {"driver_calls": [{"action": {}}]}),
    ],
)
def test_the_same(expected: Record, actual: Record) -> None:
    assert differences(expected, actual) == []


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ({"a": 1}, {"a": True}),
        ({"a": None}, {}),
        ({"a": {"result": None}}, {"a": {}}),
        ({"a": [1, 2]}, {"a": [2, 1]}),
        ({"a": [1]}, {"a": (1,)}),
        ({"a": "x"}, {"a": StrSubclass("x")}),
        ({"a": {}}, {"a": DictSubclass()}),
        ({"value": {"tools": ["a"]}}, {"value": {"tools": ["a", "a"]}}),
        ({"saves": [{"tools": ["a"]}]}, {"saves": [{"tools": ["a", "a"]}]}),
    ],
)
def test_not_the_same(expected: Record, actual: Record) -> None:
    assert differences(expected, actual)


def mutations(record: Record) -> Iterator[tuple[str, Record]]:
    """Every record that differs from ``record`` in one place."""
    for path in places(record):
        *way, last = path
        value = follow(record, path)
        for changed in changes(value):
            copied = copy.deepcopy(record)
            follow(copied, way)[last] = changed
            yield f"{path} = {changed!r}", copied


def places(value: object, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if at:
        yield at
    if isinstance(value, dict):
        for name, item in cast("dict[str, object]", value).items():
            yield from places(item, (*at, name))
    elif isinstance(value, list):
        for index, item in enumerate(cast("list[object]", value)):
            yield from places(item, (*at, index))


def follow(value: Any, path: Any) -> Any:
    for step in path:
        value = value[step]
    return value


def changes(value: object) -> list[Any]:
    match value:
        case bool():
            return [not value, int(value), None]
        case int() | float():
            return [value + 1, str(value)]
        case str():
            return [value + "x", None]
        case None:
            return [False, "x"]
        case list():
            items = cast("list[object]", value)
            return [[*items, "x"], tuple(items), *([items[1:]] if items else [])]
        case dict():
            return list(changed_fields(cast("dict[str, object]", value)))
        case _:
            raise TypeError(f"not plain JSON: {value!r}")


def changed_fields(fields: dict[str, object]) -> Iterator[dict[str, object]]:
    yield {**fields, "unheard_of": 1}
    for name, item in fields.items():
        # The two fields whose null says no more than their absence.
        if name not in ("result", "keys") or item is not None:
            yield {other: kept for other, kept in fields.items() if other != name}
