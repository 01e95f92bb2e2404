"""Approvals for tools of remote MCP servers (R-40 to R-42)."""

from __future__ import annotations

import enum
import gc
import warnings
from collections import UserDict
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest

from runner.bench import PARAMS, Bench
from runner.endpoint import message, response
from swingbridge import (
    BrowserCancelledError,
    ConfigurationError,
    McpApprovalRequest,
    ToolRunnerError,
)

SERVER = {
    "type": "mcp",
    "server_label": "shop",
    "server_url": "https://shop.example.com/mcp?key=tr0ub4dor",
    "authorization": "tr0ub4dor",
    "require_approval": "always",
}
MCP: dict[str, Any] = {**PARAMS, "tools": [SERVER]}


def request(number: int = 1, **fields: Any) -> dict[str, Any]:
    return {
        "type": "mcp_approval_request",
        "id": f"mcpr_{number}",
        "server_label": "shop",
        "name": "buy",
        "arguments": '{"what": "tea"}',
        **fields,
    }


def mcp_call(number: int = 1, **fields: Any) -> dict[str, Any]:
    return {
        "type": "mcp_call",
        "id": f"mcp_{number}",
        "server_label": "shop",
        "name": "buy",
        "arguments": '{"what": "tea"}',
        "approval_request_id": f"mcpr_{number}",
        "output": "bought",
        "error": None,
        "status": "completed",
        **fields,
    }


def answer(number: int, approve: bool) -> dict[str, Any]:
    return {
        "type": "mcp_approval_response",
        "approval_request_id": f"mcpr_{number}",
        "approve": approve,
    }


@pytest.mark.parametrize("approve", [True, False])
def test_a_decision_goes_back_to_the_service(bench: Bench, approve: bool) -> None:
    seen: list[Any] = []
    item = request(new={"x": [1]})

    def approve_mcp(given: Any) -> bool:
        seen.append(given)
        assert given.to_dict() == item
        given.new["x"].clear()
        given.arguments = "{}"
        return approve

    client = bench.client(response(item), response(message()))
    bench.run(bench.runner(), client, MCP, approve_mcp=bench.kit.function(approve_mcp))
    assert client.requests[1]["input"][1:] == [item, answer(1, approve)]
    (given,) = seen
    assert type(given) is McpApprovalRequest
    assert (given.id, given.server_label, given.name) == ("mcpr_1", "shop", "buy")


def raising(error: BaseException) -> Any:
    def fail(_request: Any) -> Any:
        raise error

    return fail


@pytest.mark.parametrize(
    ("approve_mcp", "code"),
    [
        (lambda _request: None, "mcp_approval_undecided"),
        (lambda _request: 1, "mcp_approval_undecided"),
        (lambda _request: "yes", "mcp_approval_undecided"),
        (raising(OSError("tr0ub4dor")), "mcp_approval_undecided"),
        (raising(BrowserCancelledError()), "run_cancelled"),
    ],
)
def test_anything_but_a_decision_stops_the_run(bench: Bench, approve_mcp: Any, code: str) -> None:
    client = bench.client(response(request()))
    with pytest.raises(ToolRunnerError) as caught:
        bench.run(bench.runner(), client, MCP, approve_mcp=bench.kit.function(approve_mcp))
    assert caught.value.code == code
    assert caught.value.attempted_call_ids == ("mcpr_1",)
    assert caught.value.completed_call_ids == ()


def test_without_a_callback_the_run_stops(bench: Bench) -> None:
    with pytest.raises(ToolRunnerError) as caught:
        bench.run(bench.runner(), bench.client(response(request())), MCP)
    assert caught.value.code == "mcp_approval_undecided"


def test_an_opaque_callback_of_the_other_flavour_stops_the_run(bench: Bench) -> None:
    async def never() -> bool:
        raise AssertionError

    def opaque(_request: Any) -> Any:
        return True if bench.kit.asynchronous else never()

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ToolRunnerError, match="approve_mcp returned") as caught:
            bench.run(bench.runner(), bench.client(response(request())), MCP, approve_mcp=opaque)
        gc.collect()
    assert caught.value.code == "mcp_approval_undecided"


@pytest.mark.parametrize("approve", [True, False])
def test_an_unused_approval_of_the_input_is_asked_for_again(bench: Bench, approve: bool) -> None:
    given = [{"role": "user", "content": "buy tea"}, request(), answer(1, not approve)]
    # A refusal stays what it is.
    asked = [] if approve else ["mcpr_1"]
    seen: list[str] = []
    requests_before: list[int] = []

    def approve_mcp(request: Any) -> bool:
        seen.append(request.id)
        requests_before.append(len(client.requests))
        return approve

    client = bench.client(response(message()))
    params = {**MCP, "input": given}
    bench.run(bench.runner(), client, params, approve_mcp=bench.kit.function(approve_mcp))
    assert seen == asked
    assert requests_before == [0] * len(asked)
    assert client.requests[0]["input"][2]["approve"] is False
    assert given[2]["approve"] is not approve


class Kind(str, enum.Enum):
    REQUEST = "mcp_approval_request"
    ANSWER = "mcp_approval_response"


@pytest.mark.parametrize(
    "as_given",
    [
        MappingProxyType,
        UserDict,
        lambda item: {**item, "type": Kind(item["type"])},
        lambda item: UserDict({**item, "type": Kind(item["type"])}),
    ],
    ids=["a mapping", "a mutable mapping", "a kind of an enumeration", "both"],
)
def test_an_approval_is_asked_for_again_in_whatever_object_it_comes(
    bench: Bench, as_given: Any
) -> None:
    given = [{"role": "user", "content": "buy tea"}, as_given(request()), as_given(answer(1, True))]
    seen: list[str] = []

    def approve_mcp(request: Any) -> bool:
        seen.append(request.id)
        return False

    client = bench.client(response(message()))
    params = {**MCP, "input": given}
    bench.run(bench.runner(), client, params, approve_mcp=bench.kit.function(approve_mcp))
    assert seen == ["mcpr_1"]
    assert client.requests[0]["input"][1:] == [request(), answer(1, False)]
    assert [type(item) for item in client.requests[0]["input"]] == [dict] * 3


class Unreadable(UserDict[str, Any]):
    def keys(self) -> Any:
        raise OSError("a private text")


@pytest.mark.parametrize(
    "item",
    [
        SimpleNamespace(**answer(1, True)),
        Unreadable(answer(1, True)),
        {**answer(1, True), "type": []},
    ],
    ids=["an object", "an unreadable mapping", "a kind that is no text"],
)
def test_an_item_of_unknown_kind_is_refused(bench: Bench, item: Any) -> None:
    client = bench.client(response(message()))
    with pytest.raises(ConfigurationError, match=r"params\.input") as caught:
        bench.run(bench.runner(), client, {**MCP, "input": [request(), item]})
    assert caught.value.code == "params_not_json"
    assert client.requests == []


def test_secrets_of_a_server_are_not_saved(bench: Bench) -> None:
    saved: list[Any] = []
    client = bench.client(response(request()), response(mcp_call(), message()))
    bench.run(
        bench.runner(),
        client,
        MCP,
        approve_mcp=bench.kit.function(lambda _request: True),
        ledger=bench.ledger(saved.append),
    )
    assert "tr0ub4dor" not in repr([each["tools"] for each in saved])
    assert client.requests[1]["tools"] == [SERVER]
    # The service may do something in any request: none of them may be repeated unseen (L-5).
    assert [each["phase"] for each in saved if each["pending_items"] == []] == [
        "pending",
        "boundary",
        "pending",
        "final",
    ]


class Client:
    """A client that can be told not to send a request again by itself."""

    def __init__(self, bench: Bench, *answers: Any) -> None:
        self.double = bench.client(*answers)
        self.options: list[Any] = []
        refuse = bench.kit.function(lambda **_request: pytest.fail("it may retry"))
        self.responses = SimpleNamespace(create=refuse)

    def with_options(self, **options: Any) -> Any:
        self.options.append(options)
        return self.double


def test_with_mcp_or_a_ledger_the_client_does_not_retry(bench: Bench) -> None:
    approve = bench.kit.function(lambda _request: True)
    client = Client(bench, response(request()), response(mcp_call(), message()))
    bench.run(bench.runner(), client, MCP, approve_mcp=approve)
    assert client.options == [{"max_retries": 0}]

    client = Client(bench, response(message()))
    bench.run(bench.runner(), client, ledger=bench.ledger(lambda _checkpoint: None))
    assert client.options == [{"max_retries": 0}]


def test_a_client_whose_options_cannot_be_set_fails_the_request(bench: Bench) -> None:
    client: Any = Client(bench)
    failure = OSError("no options")
    client.with_options = raising(failure)
    with pytest.raises(ToolRunnerError) as caught:
        bench.run(bench.runner(), client, MCP)
    assert caught.value.code == "request_failed"


def test_an_interrupted_approval_ends_the_program(bench: Bench) -> None:
    runner = bench.runner()
    approve_mcp = bench.kit.function(raising(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        bench.run(runner, bench.client(response(request())), MCP, approve_mcp=approve_mcp)
    assert bench.run(runner, bench.client(response(message())))["status"] == "completed"
