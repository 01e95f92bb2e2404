"""Copies of the caller's and the client's objects."""

from __future__ import annotations

import gc
from collections import OrderedDict
from datetime import datetime, timezone
from types import SimpleNamespace
from typing import Any, NamedTuple

import pydantic
import pytest

from runner.values import nested
from swingbridge._core import detached, plain
from swingbridge.plain import NotPlainError


class Part(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="allow", populate_by_name=True)

    kind: str = pydantic.Field(default="part", alias="type")
    values: list[Any] = pydantic.Field(default_factory=list)
    inner: Part | None = None
    _secret: list[int] = pydantic.PrivateAttr(default_factory=lambda: [1])


def part(**fields: Any) -> Any:
    return Part(**fields)


class Text(str):
    def __str__(self) -> str:
        raise OSError

    __slots__ = ()


class Key(str):
    __slots__ = ()


class Items(list[Any]):
    def __iter__(self) -> Any:
        raise OSError


class Fields(dict[str, Any]):
    def items(self) -> Any:
        raise OSError

    def keys(self) -> Any:
        raise OSError


class Pair(NamedTuple):
    a: Any
    b: Any


def cycle() -> Any:
    value: dict[str, Any] = {}
    value["a"] = [value]
    return value


def test_plain_things_are_copied_and_leaves_are_shared() -> None:
    text = "x" * 10_000
    value: dict[str, Any] = {"a": [text, 1, 1.5, True, None, {"b": []}], "c": (1, [2])}
    copy = plain(value)
    assert copy == {**value, "c": [1, [2]]}
    assert copy["a"] is not value["a"]
    assert copy["a"][0] is text
    assert copy["a"][5]["b"] is not value["a"][5]["b"]


def test_the_order_of_fields_is_kept() -> None:
    value = {"b": [1], "a": 2, "c": {"z": 1, "y": [2]}}
    assert list(plain(value)) == ["b", "a", "c"]
    assert list(plain(value)["c"]) == ["z", "y"]
    assert list(detached(value)) == ["b", "a", "c"]


def test_subclasses_become_plain_as_they_are_stored() -> None:
    value = [Items([1, [2]]), Fields(a=[1]), OrderedDict(b=[2]), Pair(1, [2]), {Key("k"): 1}]
    copy = plain(value)
    assert copy == [[1, [2]], {"a": [1]}, {"b": [2]}, [1, [2]], {"k": 1}]
    assert [type(item) for item in copy] == [list, dict, dict, list, dict]
    assert [type(key) for key in copy[4]] == [str]


def test_exact_copies_leave_subclasses_to_be_seen() -> None:
    items, fields, text = Items([1]), Fields(a=1), Text("x")
    copy = plain([items, fields, text, [Part(values=[1])]], True)
    assert copy[0] is items
    assert copy[1] is fields
    assert copy[2] is text
    assert copy[3] == [{"values": [1]}]


def test_of_a_model_what_was_set_is_taken() -> None:
    model = part(type="x", inner=Part(values=[1]), more={"y": [2]})
    assert plain(model) == {"type": "x", "inner": {"values": [1]}, "more": {"y": [2]}}
    assert plain(Part()) == {}
    assert plain({"a": [model]})["a"] == [plain(model)]


def test_a_class_of_models_and_other_objects_stay_what_they_are() -> None:
    other = object()
    assert plain(Part) is Part
    assert plain([other, Part])[0] is other
    namespace = SimpleNamespace(a=[1])
    assert plain(namespace) is namespace


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (cycle(), "refers to itself"),
        (nested(129), "nested too deeply"),
        (nested(10_000), "nested too deeply"),
        ({5: 1}, "no text"),
        ([{b"k": [1]}], "no text"),
        (Fields({5: 1}), "no text"),  # type: ignore[dict-item]
    ],
)
def test_what_has_no_plain_copy(value: Any, words: str) -> None:
    with pytest.raises(NotPlainError, match=words):
        plain(value)


def test_the_depth_is_that_of_the_core() -> None:
    assert plain(nested(128)) == nested(128)


def test_what_stands_in_several_places_is_copied_once() -> None:
    shared = [1]
    for make in (plain, detached):
        copy = make({"a": shared, "b": [shared]})
        assert copy["a"] is copy["b"][0]
        assert copy["a"] is not shared
        deep: Any = ["x"]
        for _ in range(100):
            deep = [deep, deep]
        halves = make(deep)
        assert halves[0] is halves[1]


def test_an_error_of_an_object_comes_out() -> None:
    class Bomb:
        def __getattribute__(self, name: str) -> Any:
            raise OSError(name)

    for make in (plain, detached):
        with pytest.raises(OSError):
            make([Bomb()])


def test_a_detached_copy_is_of_the_same_kinds() -> None:
    inner = Part(values=[{"a": [1]}])
    moment = datetime(2030, 1, 1, tzinfo=timezone.utc)
    model = part(type="x", inner=inner, more=(1, [2]), when=moment)
    copy = detached({"model": model, 5: [6]})
    again: Any = copy["model"]
    assert copy == {"model": model, 5: [6]}
    assert [type(again)] == [Part]
    assert again.model_fields_set == model.model_fields_set
    assert again.model_dump() == model.model_dump()
    again.inner.values[0]["a"].append(2)
    again._secret.append(2)
    again.more[1].append(3)
    again.model_fields_set.clear()
    assert inner.values == [{"a": [1]}]
    assert model._secret == [1]
    assert model.more == (1, [2])
    assert model.model_fields_set == {"kind", "inner", "more", "when"}


def test_no_validator_or_hook_of_a_model_runs() -> None:
    ran: list[str] = []

    class Hooked(pydantic.BaseModel):
        value: list[int]

        @pydantic.field_validator("value")
        @classmethod
        def check(cls, value: list[int]) -> list[int]:
            ran.append("validator")
            return value

        def model_post_init(self, context: Any) -> None:
            ran.append("post_init")

        def __copy__(self) -> Hooked:
            raise AssertionError

        def __deepcopy__(self, memo: Any = None) -> Hooked:
            raise AssertionError

    model = Hooked(value=[1])
    ran.clear()
    copy = detached(model)
    assert copy == model
    assert copy.value is not model.value
    assert plain(model) == {"value": [1]}
    assert ran == []


def test_other_objects_are_copied_by_their_own_means() -> None:
    namespace = SimpleNamespace(a=[1])
    copy = detached([namespace, {1, 2}, b"x"])
    assert copy == [namespace, {1, 2}, b"x"]
    assert copy[0] is not namespace
    assert copy[0].a is not namespace.a


def test_a_finalizer_that_changes_what_is_copied_does_no_harm() -> None:
    source: dict[str, Any] = {}

    class Meddler:
        def __del__(self) -> None:
            source.clear()

    for make in (plain, detached):
        for number in range(200):
            source[f"f{number}"] = [number]
        trap: list[Any] = [Meddler()]
        trap.append(trap)
        del trap
        threshold = gc.get_threshold()
        gc.set_threshold(1)
        try:
            copy = make(source)
        finally:
            gc.set_threshold(*threshold)
        assert len(copy) in {0, 200}
        gc.collect()
