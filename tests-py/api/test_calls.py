"""What a call may be, and what comes back (B-4, B-47, P-3)."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from api.kit import CLICK, SHOWN_TAB, Kit, call, payload
from swingbridge import ContractError


class Fields(dict[str, Any]):
    """A dict of another class, whose methods must not be used."""

    def _forbidden(self, *arguments: Any) -> Any:
        raise AssertionError

    __getitem__ = __iter__ = get = items = keys = _forbidden


def as_openai(fields: dict[str, Any]) -> Any:
    responses = pytest.importorskip("openai.types.responses")
    return responses.ResponseFunctionToolCall.model_construct(**fields)


FORMS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "dict": lambda fields: fields,
    "subclass of dict": Fields,
    "object": lambda fields: SimpleNamespace(**fields),
    "openai object": as_openai,
}


@pytest.mark.parametrize("form", FORMS)
def test_a_call_may_have_any_of_these_forms(kit: Kit, form: str) -> None:
    seen: list[Any] = []
    toolset = kit.toolset(kit.driver(click=seen.append))

    output = kit.execute(toolset, FORMS[form](call("click")))

    assert seen == [CLICK]
    assert output == {
        "type": "function_call_output",
        "call_id": "call_1",
        "output": [{"type": "input_text", "text": output["output"][0]["text"]}],
    }
    assert payload(output) == {"ok": True, "state": {"tabs": [SHOWN_TAB]}, "result": None}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("field", ["type", "name", "call_id"])
def test_a_call_needs_its_fields(kit: Kit, form: str, field: str) -> None:
    fields = call("click")
    del fields[field]
    toolset = kit.toolset(kit.driver(click=pytest.fail))
    with pytest.raises(ContractError) as caught:
        kit.execute(toolset, FORMS[form](fields))
    assert caught.value.code == ("call_malformed" if field == "call_id" else "call_unavailable")


@pytest.mark.parametrize("status", [None, "completed"])
def test_a_call_is_completed_if_it_does_not_say_otherwise(kit: Kit, status: Any) -> None:
    assert payload(kit.execute(kit.toolset(), call("click", status=status)))["ok"] is True


@pytest.mark.parametrize(
    "fields",
    [
        {"status": "in_progress"},
        {"status": 1},
        {"type": "custom_tool_call"},
        {"name": "browser_hover"},
        {"name": "click"},
        {"name": 5},
        {"call_id": "\ud800"},
        {"arguments": '{"target": "\ud800"}'},
    ],
)
def test_other_calls_stop_before_the_state_is_read(kit: Kit, fields: dict[str, Any]) -> None:
    toolset = kit.toolset(kit.driver(state=pytest.fail, click=pytest.fail))
    with pytest.raises(ContractError):
        kit.execute(toolset, call("click", **fields))


@pytest.mark.parametrize("item", [None, 5, "call", [], object(), type])
def test_what_is_no_call_at_all_is_refused(kit: Kit, item: Any) -> None:
    with pytest.raises(ContractError):
        kit.execute(kit.toolset(), item)


class Bomb:
    """Every attribute raises."""

    def __getattribute__(self, name: str) -> Any:
        raise OSError("a private text")


def test_attributes_that_raise_are_attributes_that_are_not_there(kit: Kit) -> None:
    with pytest.raises(ContractError, match="not a completed call") as caught:
        kit.execute(kit.toolset(), Bomb())
    assert caught.value.__context__ is None


def test_a_request_to_end_the_program_is_not_swallowed(kit: Kit) -> None:
    class Ending:
        @property
        def name(self) -> str:
            raise KeyboardInterrupt

    toolset = kit.toolset()
    with pytest.raises(KeyboardInterrupt):
        kit.execute(toolset, Ending())
    assert payload(kit.execute(toolset, call("click")))["ok"] is True


def test_tools_are_fresh_at_each_access(kit: Kit) -> None:
    toolset = kit.toolset(members=["click"])
    first = toolset.tools
    first[0]["name"] = "changed"
    first[0]["parameters"]["properties"].clear()
    (tool,) = toolset.tools
    assert tool["name"] == "browser_click"
    assert tool["type"] == "function"
    assert tool["strict"] is True
    assert list(tool["parameters"]["properties"]) == tool["parameters"]["required"]
    assert tool["parameters"]["additionalProperties"] is False


def test_the_selection_is_copied_at_construction(kit: Kit) -> None:
    members = ["click"]
    toolset = kit.toolset(members=members)
    members.append("hover")
    assert [tool["name"] for tool in toolset.tools] == ["browser_click"]


def test_a_call_id_of_another_alphabet_comes_back(kit: Kit) -> None:
    output = kit.execute(kit.toolset(), call("click", call_id="전화-☎"))
    assert output["call_id"] == "전화-☎"
