"""A runner with a browser, a screen and functions (R-1, R-4)."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import pytest

import swingbridge
from api.kit import Kit
from computer.scripted import CHECK, CLICK, Screen, call, output
from computer.test_run import Client
from runner.endpoint import function_call, message, response
from swingbridge import BrowserError, ConfigurationError, ToolRunnerError


class Mixed:
    """A runner with everything, and what was asked of it."""

    def __init__(self, kit: Kit, **methods: Any) -> None:
        self.kit = kit
        self.screen = Screen(kit, **methods)
        self.log = self.screen.log

        def click(action: Any) -> None:
            self.log.append("browser click")
            if action["target"] == "gone":
                raise BrowserError("gone")

        def price(_arguments: Any) -> str:
            self.log.append("function")
            return "5"

        self.browser = kit.toolset(kit.driver(click=click))
        is_async = kit.asynchronous
        function: Any = (
            swingbridge.AsyncRegisteredFunction if is_async else swingbridge.RegisteredFunction
        )
        runner: Any = (
            swingbridge.AsyncResponsesToolRunner if is_async else swingbridge.ResponsesToolRunner
        )
        tool = {"type": "function", "name": "price", "parameters": {}, "strict": False}
        self.runner: Any = runner(
            browser=self.browser,
            computer=self.screen.toolset,
            functions=[function(tool, kit.function(price))],
        )

    def run(self, client: Client, params: Any = None, **options: Any) -> Any:
        given = {"model": "m", "input": "go", **(params or {})}
        running = self.runner.run(client, given, **self.screen.options(options))
        return asyncio.run(running) if self.kit.asynchronous else running


def browser_call(target: str = "e1") -> dict[str, Any]:
    return function_call("browser_click", {"target": target, "tab_id": None})


def test_calls_of_all_kinds_run_in_output_order(kit: Kit) -> None:
    mixed = Mixed(kit)
    last = response(message())
    client = Client(
        kit,
        response(
            call(), browser_call(), function_call("price"), call(CLICK, number=2, checks=[CHECK])
        ),
        last,
    )
    options = {"approve_safety_checks": mixed.screen.approve()}
    assert mixed.run(client, **options) is last
    assert mixed.log == [
        "click",
        "screenshot",
        "browser click",
        "function",
        "approve",
        "click",
        "screenshot",
    ]
    outputs = client.requests[1]["input"][5:]
    assert [item["type"] for item in outputs] == [
        "computer_call_output",
        "function_call_output",
        "function_call_output",
        "computer_call_output",
    ]
    assert outputs[0] == output()
    assert outputs[3] == output(2, [CHECK])


def test_each_call_is_acted_on_with_its_own_actions(kit: Kit) -> None:
    mixed = Mixed(kit)
    actions = [{**CLICK, "x": number, "note": number} for number in range(3)]
    calls = [call(action, number=number) for number, action in enumerate(actions)]
    client = Client(kit, response(*calls), response(call(number=7)), response(message()))
    mixed.run(client)
    shown = [action.to_dict() for action in mixed.screen.actions]
    assert shown == [*actions, CLICK]


def test_the_computer_is_declared_after_the_functions(kit: Kit) -> None:
    mixed = Mixed(kit)
    client = Client(kit, response(message()))
    mixed.run(client, {"tools": [{"type": "web_search"}]})
    kinds = [tool.get("name", tool["type"]) for tool in client.requests[0]["tools"]]
    assert kinds[-3:] == ["price", "computer", "web_search"]


def test_a_declared_computer_keeps_its_place(kit: Kit) -> None:
    mixed = Mixed(kit)
    client = Client(kit, response(message()))
    declared = [{"type": "web_search"}, {"type": "computer_use_preview"}]
    mixed.run(client, {"tools": declared})
    assert client.requests[0]["tools"][-2:] == declared
    assert client.requests[0]["tools"].count({"type": "computer"}) == 0


def test_a_failed_browser_call_skips_no_computer_call(kit: Kit) -> None:
    mixed = Mixed(kit)
    client = Client(
        kit, response(browser_call("gone"), browser_call(), call()), response(message())
    )
    mixed.run(client)
    assert mixed.log == ["browser click", "click", "screenshot"]


@pytest.mark.parametrize(
    ("item", "code"),
    [(call(checks=[CHECK]), "safety_not_approved"), (call(number=3), "action_failed")],
)
def test_a_computer_call_that_stops_ends_the_run(kit: Kit, item: Any, code: str) -> None:
    def click(_action: Any) -> None:
        raise OSError("tr0ub4dor")

    mixed = Mixed(kit, click=click)
    first = function_call("price")
    with pytest.raises(ToolRunnerError) as caught:
        mixed.run(Client(kit, response(first, item, function_call("price"))))
    assert caught.value.code == code
    assert caught.value.attempted_call_ids == (first["call_id"], item["call_id"])
    assert caught.value.completed_call_ids == (first["call_id"],)
    assert caught.value.__cause__ is None
    assert "tr0ub4dor" not in str(caught.value)
    assert mixed.log == ["function"]


def test_a_busy_screen_stops_the_run_and_is_free_after_it(kit: Kit) -> None:
    mixed = Mixed(kit)
    session = mixed.screen.toolset._session
    with session.enter(), pytest.raises(ToolRunnerError) as caught:
        mixed.run(Client(kit, response(call())))
    assert caught.value.code == "busy"
    assert mixed.run(Client(kit, response(call()), response(message()))) is not None
    assert mixed.screen.toolset.close() == {"status": "closed"}


def test_the_screen_is_taken_during_its_calls_alone(kit: Kit) -> None:
    mixed = Mixed(kit)
    seen: list[str] = []

    def statuses() -> None:
        session = mixed.screen.toolset._session
        try:
            with session.enter():
                seen.append("free")
        except swingbridge.BusyError:
            seen.append("busy")

    def review(_action: Any) -> bool:
        statuses()
        return True

    class Looking(Client):
        def create(self, **params: Any) -> Any:
            statuses()
            return super().create(**params)

    mixed.run(Looking(kit, response(call()), response(message())), before_action=review)
    assert seen == ["free", "busy", "busy", "free"]


def test_a_computer_must_be_a_toolset_of_the_flavour(kit: Kit) -> None:
    is_async = kit.asynchronous
    runner: Any = (
        swingbridge.AsyncResponsesToolRunner if is_async else swingbridge.ResponsesToolRunner
    )
    other = Screen(Kit(asynchronous=not is_async))
    for wrong in (object(), other.driver, other.toolset):
        with pytest.raises(ConfigurationError) as caught:
            runner(computer=wrong)
        assert caught.value.code == "computer_not_a_toolset"


def test_without_a_computer_its_calls_stop_the_run(kit: Kit) -> None:
    is_async = kit.asynchronous
    runner: Any = (
        swingbridge.AsyncResponsesToolRunner if is_async else swingbridge.ResponsesToolRunner
    )
    begin = partial(runner().run, Client(kit, response(call())), {"model": "m", "input": "go"})
    with pytest.raises(ToolRunnerError) as caught:
        asyncio.run(begin()) if is_async else begin()
    assert caught.value.code == "response_unsupported"
