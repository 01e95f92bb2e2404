"""Strict forms of schemas and names of tools (R-11); the cases are those of the core and of Node."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, Field

from swingbridge import ConfigurationError, function_tool
from swingbridge._core import check_tool_name, strict_schema, tool_name_of

CASES: Any = json.loads(
    (Path(__file__).parents[2] / "conformance" / "strict_schemas.json").read_text("utf-8")
)


def outcome(schema: str, *, implied: bool) -> str:
    """The strict form, or what is said instead of one."""
    try:
        return strict_schema(schema, implied)
    except ConfigurationError as error:
        return f"{error.code}: {error}"


def wanted(case: Any, *, implied: bool) -> Any:
    if implied and "implied" in case:
        return case["implied"]
    if "strict" in case:
        return case["strict"]
    return f"tool_schema_invalid: a strict tool cannot have such arguments: {case['refused']}"


def parsed(text: str) -> Any:
    return json.loads(text) if text.startswith("{") else text


@pytest.mark.parametrize("implied", [False, True])
def test_schemas_have_their_strict_form_or_a_fault_with_its_place(implied: bool) -> None:
    for case in CASES["schemas"]:
        got = parsed(outcome(json.dumps(case["schema"]), implied=implied))
        assert got == wanted(case, implied=implied), case["name"]
        if isinstance(got, dict):
            assert list(got.get("properties", {})) == got["required"]


@pytest.mark.parametrize("implied", [False, True])
def test_texts_stay_as_they_are_where_no_rule_reads_them(implied: bool) -> None:
    for case in CASES["texts"]:
        assert outcome(case["text"], implied=implied) == wanted(case, implied=implied), case["name"]


def test_names_are_taken_made_or_refused() -> None:
    names = CASES["names"]
    for name in names["accepted"]:
        check_tool_name(name)
    for name in (*names["refused"], "\ud800", 5, None, b"a", type("Text", (str,), {})("a")):
        with pytest.raises(ConfigurationError) as caught:
            check_tool_name(name)
        assert caught.value.code == "tool_name_invalid"
    for class_name, name in names["of_classes"]:
        assert tool_name_of(class_name) == name
    for class_name in (*names["of_no_class"], "\ud800"):
        with pytest.raises(ConfigurationError) as caught:
            tool_name_of(class_name)
        assert caught.value.code == "tool_name_invalid"


def test_what_a_factory_makes_is_no_default_that_pydantic_writes() -> None:
    class Basket(BaseModel):
        items: list[str] = Field(default_factory=list)

    assert "default" not in Basket.model_json_schema()["properties"]["items"]
    parameters: Any = function_tool(Basket)["parameters"]
    assert parameters["required"] == ["items"]


ENDLESS: dict[str, Any] = {"type": "object"}
ENDLESS["endless"] = ENDLESS


@pytest.mark.parametrize("schema", [{"x": object()}, {"x": math.inf}, {"x": {1, 2}}, ENDLESS])
def test_a_schema_without_a_json_form_is_refused(schema: dict[str, Any]) -> None:
    class Odd(BaseModel):
        @classmethod
        def model_json_schema(cls, *_args: Any, **_options: Any) -> dict[str, Any]:
            return schema

    with pytest.raises(ConfigurationError, match="the arguments have no schema") as caught:
        function_tool(Odd)
    assert caught.value.code == "tool_schema_invalid"
    assert caught.value.__cause__ is caught.value.__context__ is None
