"""The ``openai`` clients against a local endpoint (P-3)."""

from __future__ import annotations

import asyncio
import gc
import sys
import warnings
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import pytest

import swingbridge
from api.kit import CLICK, Kit
from runner.bench import DECLARATION, PARAMS, Bench, noting
from runner.endpoint import Endpoint, function_call, message, response, serving
from runner.streams import events
from swingbridge import ConfigurationError, ToolRunnerError
from swingbridge._core import detached

openai = pytest.importorskip("openai")


def with_client(bench: Bench, endpoint: Endpoint, use: Callable[[Any], Any]) -> Any:
    """``use`` gets a client and returns what a run returns, or its coroutine."""
    options = {"base_url": endpoint.url, "api_key": "none", "max_retries": 0}
    if not bench.kit.asynchronous:
        with openai.OpenAI(**options) as client:
            return use(client)

    async def main() -> Any:
        async with openai.AsyncOpenAI(**options) as client:
            return await use(client)

    return asyncio.run(main())


def test_a_task_from_beginning_to_end(bench: Bench) -> None:
    toolset = bench.kit.toolset(members=["click"])
    function = bench.function(lambda _arguments: "found")
    first = [
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "sealed", "new": 1},
        function_call("lookup", {"q": 1}),
        function_call("browser_click", CLICK),
    ]
    records: list[Any] = []
    with serving(response(*first), response(message("all done"))) as endpoint:
        runner = bench.runner(function, browser=toolset)
        last = with_client(
            bench,
            endpoint,
            lambda client: runner.run(client, PARAMS, on_diagnostic=records.append),
        )

    assert type(last) is openai.types.responses.Response
    assert last.output_text == "all done"
    sent = endpoint.requests[1]
    assert sent["input"][1:4] == first
    assert [item["type"] for item in sent["input"][4:]] == ["function_call_output"] * 2
    assert sent["include"] == ["reasoning.encrypted_content"]
    assert [tool["name"] for tool in sent["tools"]] == ["browser_click", "lookup"]
    assert "stream" not in sent
    usages = [record["usage"] for record in records if record["stage"] == "request"]
    assert usages == [{"input_tokens": 3, "output_tokens": 2, "total_tokens": 5}] * 2


def test_its_own_objects_may_be_input(bench: Bench) -> None:
    types = openai.types.responses
    earlier = types.ResponseFunctionToolCall(
        type="function_call", name="lookup", arguments="{}", call_id="call_0"
    )
    answer = types.ResponseOutputMessage.model_validate(message("hello", phase=None, new=[1]))
    params = {
        "model": "m",
        "input": [
            {"role": "user", "content": "hi"},
            earlier,
            {"type": "function_call_output", "call_id": "call_0", "output": "x"},
            answer,
        ],
        "temperature": openai.NOT_GIVEN,
        "top_p": openai.omit,
    }
    with serving(response(message())) as endpoint:
        with_client(bench, endpoint, lambda client: bench.runner().run(client, params))
    (request,) = endpoint.requests
    assert request["input"][1] == {
        "type": "function_call",
        "name": "lookup",
        "arguments": "{}",
        "call_id": "call_0",
    }
    # What was set is sent, a null and a field of tomorrow included; what was not set is not.
    assert request["input"][3] == {**message("hello"), "id": answer.id, "phase": None, "new": [1]}
    assert "temperature" not in request
    assert "top_p" not in request


@pytest.mark.parametrize("status", [400, 401, 429, 500])
def test_a_failed_request_keeps_the_clients_error(bench: Bench, status: int) -> None:
    item = function_call("lookup")
    with serving(response(item), status) as endpoint:
        runner = bench.runner(bench.function(lambda _arguments: ""))
        with pytest.raises(ToolRunnerError) as caught:
            with_client(bench, endpoint, lambda client: runner.run(client, PARAMS))
    assert caught.value.code == "request_failed"
    cause: Any = caught.value.__cause__
    assert isinstance(cause, openai.APIStatusError)
    assert cause.status_code == status
    assert caught.value.completed_call_ids == (item["call_id"],)


def test_a_retry_by_the_client_repeats_no_effect(bench: Bench) -> None:
    ran: list[Any] = []
    runner = bench.runner(bench.function(noting(ran)))
    with serving(response(function_call("lookup")), 500, response(message())) as endpoint:
        last = with_client(
            bench,
            endpoint,
            lambda client: runner.run(client.with_options(max_retries=1), PARAMS),
        )
    assert last.status == "completed"
    assert ran == [{}]
    assert len(endpoint.requests) == 3
    assert endpoint.requests[1] == endpoint.requests[2]


@pytest.mark.parametrize("spelled", ["Idempotency-Key", "idempotency-key", "IDEMPOTENCY-KEY"])
@pytest.mark.parametrize("place", ["the request", "the client"])
def test_each_step_has_a_key_of_its_own_and_its_retries_keep_it(
    bench: Bench, spelled: str, place: str
) -> None:
    headers = {spelled: "order-7"}
    params = {**PARAMS, "extra_headers": {**headers, "x-more": "1"}}
    runner = bench.runner(bench.function(lambda _arguments: ""))
    calls = [response(function_call("lookup")) for _ in range(2)]

    def work(client: Any) -> Any:
        if place == "the request":
            return runner.run(client.with_options(max_retries=1), params)
        client = client.with_options(max_retries=1, default_headers=headers)
        return runner.run(client, PARAMS)

    with serving(500, calls[0], 500, calls[1], response(message())) as endpoint:
        with_client(bench, endpoint, work)
    assert endpoint.keys == ["order-7", "order-7", "order-7-2", "order-7-2", "order-7-3"]
    assert params["extra_headers"] == {**headers, "x-more": "1"}


def test_headers_may_be_of_the_clients_own_class(bench: Bench) -> None:
    headers = MappingProxyType({"idempotency-key": "order-7", "openai-project": "p"})
    params = {**PARAMS, "extra_headers": headers}
    runner = bench.runner(bench.function(lambda _arguments: ""))
    client = bench.client(response(function_call("lookup")), response(message()))
    bench.run(runner, client, params)
    assert [request["extra_headers"] for request in client.requests] == [
        {"idempotency-key": "order-7", "openai-project": "p"},
        {"idempotency-key": "order-7-2", "openai-project": "p"},
    ]


def test_without_a_key_none_is_made_up(bench: Bench) -> None:
    runner = bench.runner(bench.function(lambda _arguments: ""))
    with serving(response(function_call("lookup")), response(message())) as endpoint:
        with_client(bench, endpoint, lambda client: runner.run(client, PARAMS))
    assert endpoint.keys == [None, None]


def test_with_a_ledger_the_client_does_not_retry(bench: Bench) -> None:
    saved: list[Any] = []
    runner = bench.runner(bench.function(lambda _arguments: ""))
    bodies = response(function_call("lookup")), 500, response(message())
    with serving(*bodies) as endpoint, pytest.raises(ToolRunnerError) as caught:
        with_client(
            bench,
            endpoint,
            lambda client: runner.run(
                client.with_options(max_retries=5), PARAMS, ledger=bench.ledger(saved.append)
            ),
        )
    assert caught.value.code == "request_failed"
    assert len(endpoint.requests) == 2
    assert saved[-1]["consumed_requests"] == 2


def test_a_resumed_run_goes_on_with_the_keys_of_its_steps(bench: Bench) -> None:
    saved: list[Any] = []
    runner = bench.runner(bench.function(lambda _arguments: ""))
    params = {**PARAMS, "extra_headers": {"Idempotency-Key": "order-7"}}
    with serving(response(function_call("lookup")), 500, response(message())) as endpoint:
        with pytest.raises(ToolRunnerError):
            with_client(
                bench,
                endpoint,
                lambda client: runner.run(client, params, ledger=bench.ledger(saved.append)),
            )
        ledger = bench.ledger(saved.append, resume_from=saved[-1])
        with_client(bench, endpoint, lambda client: runner.run(client, params, ledger=ledger))
    assert endpoint.keys == ["order-7", "order-7-2", "order-7-3"]
    assert saved[-1]["phase"] == "final"


def test_a_streamed_task_from_beginning_to_end(bench: Bench) -> None:
    item = function_call("lookup", {"q": 1})
    first, last = events(item), events(message("all done"))
    seen: list[Any] = []
    trace: list[str] = []

    def on_event(event: Any) -> None:
        seen.append(event)
        trace.append(event.type)

    def lookup(arguments: Any) -> str:
        trace.append("lookup")
        return str(arguments["q"])

    runner = bench.runner(bench.function(lookup))
    with serving(first, last) as endpoint:
        found = with_client(
            bench,
            endpoint,
            lambda client: runner.run(
                client,
                PARAMS,
                stream=True,
                eager=True,
                on_event=bench.kit.function(on_event),
            ),
        )
    types = openai.types.responses
    assert type(found) is types.Response
    assert found.output_text == "all done"
    assert trace.index("lookup") == trace.index("response.output_item.done") + 1
    assert [event.to_dict() for event in seen] == [*first, *last]
    assert type(seen[0]) is types.ResponseCreatedEvent
    assert seen[-1].response == found
    assert seen[-1].response is not found
    assert endpoint.requests[1]["input"][1:] == [
        item,
        {"type": "function_call_output", "call_id": item["call_id"], "output": "1"},
    ]


def test_a_copy_of_an_event_shares_nothing_that_can_be_changed(bench: Bench) -> None:
    types = openai.types.responses
    event = types.ResponseCompletedEvent.construct(**events(message(new=[1]), extra={"a": [2]})[-1])
    copy: Any = detached(event)
    assert copy == event
    assert type(copy.response.output[0].content[0]) is type(event.response.output[0].content[0])
    copy.response.output[0].content[0].text = "changed"
    copy.response.output[0].new.append(2)
    copy.response.extra["a"].clear()
    copy.response.output.clear()
    copy.more = 1
    assert event.response.output_text == "done"
    assert event.response.output[0].new == [1]
    assert event.response.extra == {"a": [2]}
    assert event.model_fields_set == {"type", "response", "sequence_number"}


def test_a_stream_that_breaks_off_is_told_from_one_that_fails(bench: Bench) -> None:
    listed = events(message())
    failed = {"type": "response.failed", "response": {**listed[-1]["response"], "status": "failed"}}
    runner = bench.runner()

    def work(client: Any) -> Any:
        return runner.run(client, PARAMS, stream=True)

    for answer, code in (
        (listed[:-1], "stream_ended"),
        ([listed[0], failed], "response_failed"),
        ([{"type": "error", "message": "x", "code": None, "param": None}], "stream_error"),
        (500, "request_failed"),
    ):
        with serving(answer) as endpoint, pytest.raises(ToolRunnerError) as caught:
            with_client(bench, endpoint, work)
        assert caught.value.code == code


def test_a_run_that_is_left_leaves_no_connection_open(bench: Bench) -> None:
    def fail(_event: Any) -> None:
        raise OSError

    with serving(events(message())) as endpoint, warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ToolRunnerError):
            with_client(
                bench,
                endpoint,
                lambda client: bench.runner().run(
                    client, PARAMS, stream=True, on_event=bench.kit.function(fail)
                ),
            )
        gc.collect()


def test_a_client_of_the_other_flavour_is_refused(bench: Bench) -> None:
    other = openai.OpenAI if bench.kit.asynchronous else openai.AsyncOpenAI
    client = other(base_url="http://127.0.0.1:9/v1", api_key="none")
    with pytest.raises(ConfigurationError) as caught:
        bench.run(bench.runner(), client)
    assert caught.value.code == "flavour_mismatch"


def test_a_declared_server_tool_is_replayed_as_it_came(bench: Bench) -> None:
    search = {
        "type": "web_search_call",
        "id": "ws_1",
        "status": "completed",
        "action": {
            "type": "search",
            "query": "q",
            "sources": [{"type": "url", "url": "https://example.com", "new": 1}],
        },
    }
    params = {**PARAMS, "tools": [{"type": "web_search"}]}
    function = bench.function(lambda _arguments: "")
    with serving(response(search, function_call("lookup")), response(message())) as endpoint:
        runner = bench.runner(function)
        with_client(bench, endpoint, lambda client: runner.run(client, params))
    assert endpoint.requests[1]["input"][1] == search
    assert endpoint.requests[1]["tools"] == [DECLARATION, {"type": "web_search"}]


def test_nothing_is_left_behind() -> None:
    bench = Bench(Kit(asynchronous=True))

    async def main() -> None:
        with serving(response(function_call("lookup")), response(message())) as endpoint:
            runner = bench.runner(bench.function(lambda _arguments: ""))
            async with openai.AsyncOpenAI(base_url=endpoint.url, api_key="none") as client:
                await runner.run(client, PARAMS)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        asyncio.run(main())
        gc.collect()


def test_openai_is_not_imported_by_a_run_without_it() -> None:
    import subprocess

    program = (
        "import sys\n"
        "from types import SimpleNamespace\n"
        "import swingbridge\n"
        "message = {'type': 'message', 'id': 'm', 'role': 'assistant', 'status': 'completed',\n"
        "  'content': [{'type': 'output_text', 'text': 'x', 'annotations': []}]}\n"
        "answer = {'status': 'completed', 'output': [message]}\n"
        "client = SimpleNamespace(responses=SimpleNamespace(create=lambda **request: answer))\n"
        "assert swingbridge.ResponsesToolRunner().run(client, {'model': 'm', 'input': 'x'}) is answer\n"
        "print(*sorted(sys.modules.keys() & {'openai', 'pydantic', 'asyncio', 'httpx'}))\n"
    )
    package = str(swingbridge.__path__[0]).rsplit("/", 1)[0]
    done = subprocess.run(
        [sys.executable, "-S", "-c", program],
        env={"PYTHONPATH": package},
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout.split() == []
