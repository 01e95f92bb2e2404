"""What the callbacks are given, and what counts as a yes (B-20 to B-22)."""

from __future__ import annotations

from typing import Any

import pytest

from api.kit import CLICK, SHOWN_TAB, TAB, Kit, call, payload


class AlwaysEqual:
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        return True


@pytest.mark.parametrize("answer", [False, None, 1, "yes", [True], AlwaysEqual()])
def test_only_exactly_true_approves(kit: Kit, answer: Any) -> None:
    toolset = kit.toolset(kit.driver(click=pytest.fail), confirm=lambda _context: answer)
    assert payload(kit.execute(toolset, call("click")))["ok"] is False


def test_a_context_is_a_detached_dict(kit: Kit) -> None:
    seen: list[Any] = []
    done: list[Any] = []

    def confirm(context: Any) -> bool:
        seen.append({**context, "arguments": {**context["arguments"]}})
        context["arguments"]["target"] = "other"
        context["state"]["tabs"].clear()
        context["call_id"] = "other"
        return True

    toolset = kit.toolset(kit.driver(click=done.append), confirm=confirm)
    output = kit.execute(toolset, call("click"))

    assert seen[0]["member"] == "click"
    assert seen[0]["arguments"] == CLICK
    assert seen[0]["call_id"] == "call_1"
    assert type(seen[0]["state"]) is dict
    assert done == [CLICK]
    assert output["call_id"] == "call_1"
    assert payload(output)["state"] == {"tabs": [SHOWN_TAB]}


def test_each_callback_has_a_context_of_its_own(kit: Kit) -> None:
    contexts: list[Any] = []

    def url_policy(context: Any, _url: Any) -> bool:
        contexts.append(context)
        context.clear()
        return True

    def confirm(context: Any) -> bool:
        contexts.append(context)
        return True

    toolset = kit.toolset(
        kit.driver(navigate=lambda _action: None), url_policy=url_policy, confirm=confirm
    )
    kit.execute(toolset, call("navigate"))
    assert contexts[0] == {}
    assert contexts[1]["arguments"] == {"url": "https://example.com/", "tab_id": None}


def test_a_read_that_is_confirmed_says_so_and_has_no_state(kit: Kit) -> None:
    seen: list[Any] = []
    toolset = kit.toolset(
        kit.driver(state=pytest.fail, read_page=pytest.fail),
        members=["read_page"],
        confirm_reads=["read_page"],
        confirm=lambda context: seen.append(context),
    )
    output = kit.execute(toolset, call("read_page"))
    assert seen == [
        {
            "phase": "before_read",
            "member": "read_page",
            "arguments": {"tab_id": None, "filter": "all"},
            "state": None,
            "call_id": "call_1",
        }
    ]
    assert "state" not in payload(output)
    assert payload(output)["ok"] is False


def test_an_action_gets_fresh_arguments(kit: Kit) -> None:
    def click(action: Any) -> None:
        action.clear()

    toolset = kit.toolset(kit.driver(click=click))
    assert payload(kit.execute(toolset, call("click")))["ok"] is True


def test_callbacks_are_read_at_call_time(kit: Kit) -> None:
    toolset = kit.toolset()
    toolset.confirm = kit.function(lambda _context: False)
    assert payload(kit.execute(toolset, call("click")))["ok"] is False
    toolset.confirm = kit.function(lambda _context: True)
    assert payload(kit.execute(toolset, call("click")))["ok"] is True
    toolset.confirm = None
    assert payload(kit.execute(toolset, call("click")))["ok"] is False


def test_the_driver_is_read_at_call_time(kit: Kit) -> None:
    used: list[str] = []
    first = kit.driver(click=lambda _action: used.append("first"))
    second = kit.driver(
        click=lambda _action: used.append("second"),
        state=lambda: {"tabs": [{**TAB, "title": "Second"}]},
    )
    toolset = kit.toolset(first)
    kit.execute(toolset, call("click"))
    toolset.driver = second
    output = kit.execute(toolset, call("click"))
    assert used == ["first", "second"]
    assert payload(output)["state"]["tabs"][0]["title"] == "Second"


def test_a_driver_that_lost_a_member_fails_it(kit: Kit) -> None:
    toolset = kit.toolset()
    toolset.driver = kit.driver()
    assert payload(kit.execute(toolset, call("click")))["ok"] is False
    toolset.driver = kit.driver(click=lambda _action: None)
    assert payload(kit.execute(toolset, call("click")))["ok"] is True
