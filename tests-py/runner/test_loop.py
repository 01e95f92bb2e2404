"""The loop: requests, local work, and what is sent next (R-1, R-2, R-4, R-5)."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from api.kit import CLICK
from runner.bench import DECLARATION, PARAMS, Bench, noting
from runner.endpoint import function_call, message, response
from swingbridge import ConfigurationError, ToolRunnerError


def test_a_final_message_ends_the_run_with_the_clients_own_response(bench: Bench) -> None:
    last = response(message())
    client = bench.client(last)
    assert bench.run(bench.runner(), client) is last
    assert client.requests == [
        {
            "model": "m",
            "input": [{"role": "user", "content": "hello"}],
            "tools": [],
            "include": ["reasoning.encrypted_content"],
        }
    ]


def test_calls_run_in_order_and_their_outputs_follow_the_items(bench: Bench) -> None:
    trace: list[Any] = []

    def lookup(arguments: Any) -> str:
        trace.append(("lookup", arguments))
        return "found"

    driver = bench.kit.driver(click=lambda action: trace.append(("click", action)))
    toolset = bench.kit.toolset(driver, members=["click"])
    reasoning = {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [],
        "encrypted_content": "sealed",
        "a_field_of_tomorrow": {"x": [1, None, 1.5]},
    }
    first = [
        reasoning,
        function_call("lookup", {"q": 1}),
        function_call("browser_click", CLICK),
        function_call("lookup", {"q": 2}),
    ]
    client = bench.client(response(*first), response(message()))

    bench.run(bench.runner(bench.function(lookup), browser=toolset), client)

    assert trace == [("lookup", {"q": 1}), ("click", CLICK), ("lookup", {"q": 2})]
    tools = [tool["name"] for tool in client.requests[0]["tools"]]
    assert tools == ["browser_click", "lookup"]
    sent = client.requests[1]["input"]
    assert sent[:5] == [{"role": "user", "content": "hello"}, *first]
    assert [item["call_id"] for item in sent[5:]] == [item["call_id"] for item in first[1:]]
    assert sent[5] == {
        "type": "function_call_output",
        "call_id": first[1]["call_id"],
        "output": "found",
    }
    assert json.loads(sent[6]["output"][0]["text"])["ok"] is True


def test_the_history_grows_and_earlier_requests_stay_as_they_were(bench: Bench) -> None:
    client = bench.client(
        response(function_call("lookup")), response(function_call("lookup")), response(message())
    )
    bench.run(bench.runner(bench.function(lambda _arguments: "x")), client)
    assert [len(request["input"]) for request in client.requests] == [1, 3, 5]
    assert client.requests[2]["input"][:3] == client.requests[1]["input"]


def test_a_client_that_edits_a_request_edits_its_own_lists(bench: Bench) -> None:
    client = bench.client(response(function_call("lookup")), response(message()))

    def lookup(_arguments: Any) -> str:
        client.requests[0]["input"].clear()
        client.requests[0]["tools"].clear()
        client.requests[0]["include"].clear()
        return "x"

    bench.run(bench.runner(bench.function(lookup)), client)
    assert len(client.requests[1]["input"]) == 3
    assert len(client.requests[1]["tools"]) == 1
    assert client.requests[1]["include"] == ["reasoning.encrypted_content"]


def test_params_are_copied_when_the_run_begins(bench: Bench) -> None:
    params: dict[str, Any] = {
        "model": "m",
        "input": [{"role": "user", "content": [{"type": "input_text", "text": "hello"}]}],
        "tools": [{"type": "web_search", "filters": {"allowed_domains": ["example.com"]}}],
        "metadata": {"a": "b"},
        "include": ["web_search_call.action.sources"],
    }
    before = copy.deepcopy(params)
    client = bench.client(response(function_call("lookup")), response(message()))

    def lookup(_arguments: Any) -> str:
        params["input"][0]["content"][0]["text"] = "changed"
        params["tools"][0]["filters"].clear()
        params["metadata"].clear()
        params["model"] = "other"
        return "x"

    bench.run(bench.runner(bench.function(lookup)), client, params)
    request = client.requests[1]
    assert request["input"][0] == before["input"][0]
    assert request["tools"] == [DECLARATION, *before["tools"]]
    assert request["metadata"] == before["metadata"]
    assert request["model"] == "m"
    assert request["include"] == [*before["include"], "reasoning.encrypted_content"]


def test_the_callers_own_objects_are_not_changed(bench: Bench) -> None:
    params = {"model": "m", "input": [{"role": "user", "content": "x"}], "include": []}
    before = copy.deepcopy(params)
    last = response(function_call("lookup"))
    body = copy.deepcopy(last)
    client = bench.client(last, response(message()))
    bench.run(bench.runner(bench.function(lambda _arguments: "x")), client, params)
    assert params == before
    assert last == body


def test_other_parameters_pass_as_they_are(bench: Bench) -> None:
    timeout = object()
    params = {**PARAMS, "timeout": timeout, "extra_headers": {"x": "y"}, "temperature": 0.5}
    client = bench.client(response(message()))
    bench.run(bench.runner(), client, params)
    assert client.requests[0]["timeout"] is timeout
    assert client.requests[0]["extra_headers"] == {"x": "y"}
    assert client.requests[0]["temperature"] == 0.5


def test_a_failed_browser_call_skips_the_later_ones_of_its_response(bench: Bench) -> None:
    clicks: list[Any] = []

    def click(action: Any) -> None:
        clicks.append(action["target"])
        raise OSError

    toolset = bench.kit.toolset(bench.kit.driver(click=click))
    calls = [function_call("browser_click", {"target": name, "tab_id": None}) for name in "ab"]
    functions: list[Any] = []
    middle = function_call("lookup")
    client = bench.client(response(calls[0], middle, calls[1]), response(message()))
    runner = bench.runner(bench.function(noting(functions)), browser=toolset)

    bench.run(runner, client)

    assert clicks == ["a"]
    assert functions == [{}]
    outputs = client.requests[1]["input"][-3:]
    assert [output["call_id"] for output in outputs] == [
        calls[0]["call_id"],
        middle["call_id"],
        calls[1]["call_id"],
    ]
    assert [json.loads(outputs[i]["output"][0]["text"])["ok"] for i in (0, 2)] == [False, False]


def test_a_picture_is_sent_as_the_same_object(bench: Bench) -> None:
    picture = "data:image/png;base64," + "A" * 100_000
    image = {"type": "input_image", "image_url": picture, "detail": "original"}
    toolset = bench.kit.toolset(bench.kit.driver(screenshot=lambda _action: image))
    client = bench.client(
        *(response(function_call("browser_screenshot", {"tab_id": None})) for _ in range(3)),
        response(function_call("lookup")),
        response(message()),
    )
    block = {"type": "input_image", "image_url": picture}
    runner = bench.runner(bench.function(lambda _arguments: [block]), browser=toolset)

    bench.run(runner, client)

    images = [
        part["image_url"]
        for item in client.requests[-1]["input"]
        for part in item.get("output", ())
        if part["type"] == "input_image"
    ]
    assert len(images) == 4
    assert all(sent is picture for sent in images)


def test_the_last_request_may_start_nothing(bench: Bench) -> None:
    client = bench.client(response(function_call("lookup")), response(function_call("lookup")))
    ran: list[Any] = []
    runner = bench.runner(bench.function(noting(ran)))
    with pytest.raises(ToolRunnerError) as caught:
        bench.run(runner, client, max_steps=2)
    assert caught.value.code == "step_limit"
    assert len(client.requests) == 2
    assert ran == [{}]
    assert len(caught.value.attempted_call_ids) == len(caught.value.completed_call_ids) == 1


@pytest.mark.parametrize(
    ("params", "code"),
    [
        (5, "params_not_an_object"),
        ([], "params_not_an_object"),
        ({"model": "m"}, "input_invalid"),
        ({**PARAMS, "input": 5}, "input_invalid"),
        ({**PARAMS, "stream": True}, "param_not_allowed"),
        ({**PARAMS, "background": True}, "param_not_allowed"),
        ({**PARAMS, "previous_response_id": "r"}, "param_not_allowed"),
        ({**PARAMS, "extra_body": {"input": []}}, "param_not_allowed"),
        ({**PARAMS, "extra_body": {"model": "m"}}, "param_not_allowed"),
        ({**PARAMS, "tools": [DECLARATION]}, "tools_invalid"),
        ({**PARAMS, "tools": "all"}, "tools_invalid"),
        ({**PARAMS, "include": [5]}, "include_invalid"),
        ({**PARAMS, "tool_choice": "required"}, "tool_choice_invalid"),
        (dict([*PARAMS.items(), (5, 6)]), "params_not_json"),
    ],
)
def test_bad_parameters_are_refused_before_the_first_request(
    bench: Bench, params: Any, code: str
) -> None:
    client = bench.client()
    with pytest.raises(ConfigurationError) as caught:
        bench.run(bench.runner(), client, params)
    assert caught.value.code == code
    assert client.requests == []


@pytest.mark.parametrize("steps", [0, -1, True, 1.0, "3", 10**30])
def test_max_steps_is_a_positive_integer(bench: Bench, steps: Any) -> None:
    client = bench.client()
    with pytest.raises(ConfigurationError) as caught:
        bench.run(bench.runner(), client, max_steps=steps)
    assert caught.value.code == "max_steps_invalid"


def test_a_tuple_of_input_items_will_do(bench: Bench) -> None:
    client = bench.client(response(message()))
    bench.run(bench.runner(), client, {**PARAMS, "input": ({"role": "user", "content": "x"},)})
    assert client.requests[0]["input"] == [{"role": "user", "content": "x"}]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (None, "response_incomplete"),
        ({}, "response_incomplete"),
        (response(message(), status="incomplete"), "response_incomplete"),
        (response(output=None), "response_malformed"),
        (response(5), "response_malformed"),
        (response({"type": "tomorrow"}), "response_unsupported"),
        (response(function_call("unknown")), "response_unsupported"),
        (response(), "no_final_message"),
        (response(function_call("lookup", "{")), "function_arguments_invalid"),
        (response(function_call("lookup", "[]")), "function_arguments_invalid"),
        (
            response(function_call("lookup", '{"x":' * 200 + "1" + "}" * 200)),
            "function_arguments_invalid",
        ),
    ],
)
def test_a_response_is_inspected_before_any_of_its_work(bench: Bench, body: Any, code: str) -> None:
    if isinstance(body, dict) and body.get("output"):
        body = {**body, "output": [function_call("lookup"), *body["output"]]}
    runner = bench.runner(bench.function(lambda _arguments: pytest.fail("it ran")))
    with pytest.raises(ToolRunnerError) as caught:
        bench.run(runner, bench.client(body))
    assert caught.value.code == code
    assert caught.value.attempted_call_ids == ()
