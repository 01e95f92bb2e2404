"""Runs over the native client: the history stays text, and says the same as objects do (R-1, R-5, N-2).

The measured scenarios run over it in ``tests-py/conformance/test_native_client.py``; here is what they do
not look at.
"""

from __future__ import annotations

import asyncio
import itertools
from types import SimpleNamespace
from typing import Any

import pytest

import swingbridge
from client.service import (
    KEY,
    Service,
    Wire,
    answer,
    answering,
    message,
    response,
    serving,
    stream,
)
from swingbridge import (
    AsyncClient,
    AsyncResponsesToolRunner,
    Client,
    ComputerToolset,
    RegisteredFunction,
    ResponsesToolLedger,
    ResponsesToolRunner,
)

LOOK: dict[str, Any] = {
    "type": "function",
    "name": "look",
    "parameters": {"type": "object", "properties": {}},
    "strict": False,
}
PARAMS: dict[str, Any] = {"model": "m", "input": "hi"}


def call(number: int, **fields: Any) -> dict[str, Any]:
    return {
        "type": "function_call",
        "id": f"fc_{number}",
        "call_id": f"call_{number}",
        "name": "look",
        "arguments": "{}",
        "status": "completed",
        **fields,
    }


def made(service: Service, **options: Any) -> Client:
    return Client(api_key=KEY, base_url=service.url, **{"max_retries": 0, **options})


def ended(body: dict[str, Any]) -> bytes:
    """A response as the stream that has nothing but its end."""
    items = [
        {"type": "response.output_item.done", "output_index": index, "item": item}
        for index, item in enumerate(body["output"])
    ]
    return stream(*items, {"type": "response.completed", "response": body})


def ledger() -> ResponsesToolLedger:
    return ResponsesToolLedger(run_id="r", save=lambda _checkpoint: None)


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize("saved", [False, True])
def test_a_run_and_its_requests(streams: bool, saved: bool) -> None:
    picture = "data:image/png;base64," + "A" * 100_000
    outputs: list[Any] = ['é"\\', [{"type": "input_image", "image_url": picture, "detail": None}]]
    look = RegisteredFunction(LOOK, lambda _arguments: outputs[0])
    show = RegisteredFunction({**LOOK, "name": "show"}, lambda _arguments: outputs[1])
    # Fields that nobody knows, and a number that only its spelling keeps.
    first = response(call(1, beyond={"a": [1.0, None]}), call(2, name="show"))
    last = response(message("done"), id="resp_2")
    form = ended if streams else answer
    with answering(form(first), form(last)) as service:
        given = ResponsesToolRunner(functions=[look, show]).run(
            made(service),
            {**PARAMS, "temperature": 0.5, "metadata": {"a": "b"}, "extra_body": {"more": 1}},
            stream=streams,
            ledger=ledger() if saved else None,
        )
        requests = [service.next().json for _ in range(2)]
    assert type(given) is swingbridge.Response
    assert given.output_text == "done"
    assert given.to_dict() == last
    expected = [
        {"role": "user", "content": "hi"},
        *first["output"],
        {"type": "function_call_output", "call_id": "call_1", "output": outputs[0]},
        {"type": "function_call_output", "call_id": "call_2", "output": outputs[1]},
    ]
    assert [request["input"] for request in requests] == [expected[:1], expected]
    for request in requests:
        assert [tool["name"] for tool in request["tools"]] == ["look", "show"]
        assert (request["temperature"], request["more"]) == (0.5, 1)
        assert request.get("stream", False) is streams
        assert "extra_body" not in request


def test_a_method_that_was_put_in_the_place_of_ours_is_the_one_that_sends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said: list[Any] = []

    def create(_self: object, **params: Any) -> Any:
        said.append(params["input"])
        return response()

    async def create_async(_self: object, **params: Any) -> Any:
        return create(None, **params)

    def create_of_resource(**params: Any) -> Any:
        return create(None, **params)

    with answering(answer(response())) as service:
        with monkeypatch.context() as patch:
            patch.setattr(swingbridge.client.Responses, "create", create)
            ResponsesToolRunner().run(made(service), PARAMS)
        with monkeypatch.context() as patch:
            patch.setattr(Client, "responses", SimpleNamespace(create=create_of_resource))
            ResponsesToolRunner().run(made(service), PARAMS)
        with monkeypatch.context() as patch:
            patch.setattr(swingbridge.client.AsyncResponses, "create", create_async)
            client = AsyncClient(api_key=KEY, base_url=service.url)
            asyncio.run(AsyncResponsesToolRunner().run(client, PARAMS))
        assert (len(said), service.connections) == (3, 0)
        ResponsesToolRunner().run(made(service), PARAMS)
        assert (len(said), service.connections) == (3, 1)


def test_what_is_said_beside_the_body() -> None:
    look = RegisteredFunction(LOOK, lambda _arguments: "x")
    params = {
        **PARAMS,
        "extra_headers": {"Idempotency-Key": "order", "x-a": "b"},
        "extra_query": {"q": 1},
        "timeout": 50.0,
    }
    with answering(answer(response(call(1))), answer(response())) as service:
        ResponsesToolRunner(functions=[look]).run(made(service), params)
        requests = [service.next() for _ in range(2)]
    assert [request.headers["idempotency-key"] for request in requests] == ["order", "order-2"]
    for request in requests:
        assert request.headers["x-a"] == "b"
        assert request.line.split()[1] == "/v1/responses?q=1"
        assert not {"extra_headers", "extra_query", "timeout"} & set(request.json)


@pytest.mark.parametrize("saved", [False, True])
def test_a_failed_request_is_told_with_its_cause(saved: bool) -> None:
    bad = answer({"error": {"message": "no"}}, 400)
    with answering(bad) as service, pytest.raises(swingbridge.ToolRunnerError) as caught:
        ResponsesToolRunner().run(made(service), PARAMS, ledger=ledger() if saved else None)
    assert isinstance(caught.value.__cause__, swingbridge.BadRequestError)


@pytest.mark.parametrize(("mcp", "requests"), [(False, 3), (True, 1)])
def test_retries_are_the_clients_unless_they_could_repeat_an_effect(
    mcp: bool, requests: int
) -> None:
    tools = [{"type": "mcp", "server_label": "s", "server_url": "https://x.test/"}] if mcp else []
    with answering(answer({}, 500, retry_after_ms="1")) as service:
        client = made(service, max_retries=2)
        with pytest.raises(swingbridge.ToolRunnerError):
            ResponsesToolRunner().run(client, {**PARAMS, "tools": tools})
        for _ in range(requests):
            service.next()
        assert service.heard.empty()


def test_turns_events_and_supplied_outputs() -> None:
    def never(_arguments: Any) -> str:
        raise AssertionError

    function = RegisteredFunction(LOOK, never, allow_output_override=True)
    events: list[Any] = []
    output = [{"type": "input_text", "text": "supplied"}]
    with answering(ended(response(call(1))), ended(response())) as service:
        turns = ResponsesToolRunner(functions=[function]).iterate(
            made(service), PARAMS, stream=True, on_event=events.append
        )
        texts: list[str] = []
        for turn in turns:
            texts.append(turn.response.output_text)
            if not turn.final:
                turn.supply_outputs(
                    [{"type": "function_call_output", "call_id": "call_1", "output": output}]
                )
                turn.append_user_text("and more")
        service.next()
        added = service.next().json["input"][1:]
    assert texts == ["", "hello"]
    assert [event.type for event in events] == [
        "response.output_item.done",
        "response.completed",
    ] * 2
    assert added[1:] == [
        {"type": "function_call_output", "call_id": "call_1", "output": output},
        {"role": "user", "content": "and more"},
    ]


@pytest.mark.parametrize("streams", [False, True])
def test_typed_functions_get_their_models(streams: bool) -> None:
    pydantic = pytest.importorskip("pydantic")
    model = pydantic.create_model("Look", where=(int, ...))
    seen: list[Any] = []

    def execute(given: Any) -> str:
        seen.append(given)
        return "x"

    tool = swingbridge.function_tool(model, name="look")
    look = RegisteredFunction.from_tool(tool, execute=execute)
    form = ended if streams else answer
    good, bad = call(1, arguments='{"where": 3}'), call(2, arguments='{"where": "x"}')
    with (
        answering(form(response(good)), form(response(bad))) as service,
        pytest.raises(swingbridge.ToolRunnerError) as caught,
    ):
        ResponsesToolRunner(functions=[look]).run(made(service), PARAMS, stream=streams)
    assert [type(given) for given in seen] == [model]
    assert seen[0].where == 3
    assert caught.value.attempted_call_ids == ("call_1",)


def test_what_is_reviewed_is_the_call_and_no_item_that_looks_like_it() -> None:
    alike = {"type": "reasoning", "id": "rs_1", "summary": [], "call_id": "call_1"}
    item = call(1, arguments='{"all": true}')
    shown: list[Any] = []

    def review(given: Any) -> Any:
        shown.append(given.to_dict())
        return "execute"

    with answering(ended(response(alike, item)), ended(response())) as service:
        ResponsesToolRunner(functions=[RegisteredFunction(LOOK, lambda _arguments: "x")]).run(
            made(service), PARAMS, stream=True, eager=True, before_early_call=review
        )
    assert shown == [item]


@pytest.mark.parametrize("change", [{"unknown": 2}, {"unknown": None}])
def test_an_executed_item_must_not_change_in_any_field(change: dict[str, Any]) -> None:
    events: list[dict[str, Any]] = [
        {"type": "response.output_item.done", "output_index": 0, "item": call(1, unknown=1)},
        {"type": "response.completed", "response": response(call(1, **change))},
    ]
    look = RegisteredFunction(LOOK, lambda _arguments: "x")
    with (
        answering(stream(*events)) as service,
        pytest.raises(swingbridge.ToolRunnerError) as caught,
    ):
        ResponsesToolRunner(functions=[look]).run(made(service), PARAMS, stream=True, eager=True)
    assert caught.value.code == "stream_item_changed"
    assert caught.value.completed_call_ids == ("call_1",)


class Desk:
    """A computer whose pictures are numbered."""

    def __init__(self) -> None:
        self.actions: list[Any] = []
        self._numbers = itertools.count(1)

    def screenshot(self) -> dict[str, str]:
        url = f"data:image/png;base64,{next(self._numbers)}"
        return {"type": "computer_screenshot", "image_url": url}

    def _act(self, action: Any) -> None:
        self.actions.append(action)

    click = double_click = drag = keypress = move = scroll = type = wait = _act


def computer_call(number: int, *actions: Any) -> dict[str, Any]:
    return {
        "type": "computer_call",
        "id": f"cu_{number}",
        "call_id": f"call_{number}",
        "status": "completed",
        "pending_safety_checks": [{"id": "s1", "code": "c", "message": "m"}],
        "actions": list(actions),
    }


@pytest.mark.parametrize("alone", [False, True])
def test_a_computer(alone: bool) -> None:
    desk: Any = Desk()
    click = {"type": "click", "x": 1, "y": 2, "button": "left", "beyond": "b"}
    asked: list[Any] = []

    def consent(given: Any) -> bool:
        asked.append(given)
        return True

    consents: dict[str, Any] = {"approve_safety_checks": consent, "before_action": consent}
    with answering(
        answer(response(computer_call(1, click, {"type": "wait"}))), answer(response())
    ) as service:
        toolset = ComputerToolset(desk)
        owner: Any = toolset if alone else ResponsesToolRunner(computer=toolset)
        assert owner.run(made(service), PARAMS, **consents).output_text == "hello"
        first, second = (service.next().json for _ in range(2))
    assert [tool["type"] for tool in first["tools"]] == ["computer"]
    assert [action.type for action in desk.actions] == ["click", "wait"]
    assert desk.actions[0].beyond == "b"
    assert asked[0].pending_safety_checks[0].message == "m"
    assert [getattr(given, "type", None) for given in asked[1:]] == ["click", "wait", "screenshot"]
    assert second["input"][2] == {
        "type": "computer_call_output",
        "call_id": "call_1",
        "output": {"type": "computer_screenshot", "image_url": "data:image/png;base64,1"},
        "acknowledged_safety_checks": [{"id": "s1", "code": "c", "message": "m"}],
    }


def test_a_run_that_is_cancelled_closes_its_socket() -> None:
    def silent(wire: Wire) -> None:
        wire.hear()
        wire.watch()

    async def main() -> None:
        client = AsyncClient(api_key=KEY, base_url=service.url)
        task = asyncio.ensure_future(AsyncResponsesToolRunner().run(client, PARAMS))
        await asyncio.get_running_loop().run_in_executor(None, service.next)
        task.cancel()
        with pytest.raises(swingbridge.ToolRunnerCancelledError):
            await task

    with serving(silent) as service:
        asyncio.run(main())
        service.wait_closed()


def test_the_flavours_of_runner_and_client_must_agree() -> None:
    given: list[tuple[Any, Any]] = [
        (ResponsesToolRunner(), AsyncClient(api_key=KEY)),
        (AsyncResponsesToolRunner(), Client(api_key=KEY)),
    ]
    for runner, client in given:
        with pytest.raises(swingbridge.ConfigurationError) as caught:
            asyncio.run(runner.run(client, PARAMS))
        assert caught.value.code == "flavour_mismatch"


@pytest.mark.parametrize("value", [1 << 70, float("nan")])
@pytest.mark.parametrize("saved", [False, True])
def test_what_has_no_json_form_is_refused_before_anything_is_sent(
    value: float, saved: bool
) -> None:
    params = {**PARAMS, "metadata": {"n": value}}
    with answering(answer(response())) as service:
        with pytest.raises((swingbridge.ConfigurationError, swingbridge.ToolRunnerError)) as caught:
            ResponsesToolRunner().run(made(service), params, ledger=ledger() if saved else None)
        assert service.connections == 0
    # A run that is saved has begun when its first request is laid out.
    error = caught.value.__cause__ if saved else caught.value
    assert type(error) is swingbridge.ConfigurationError
    assert error.code == "params_not_json"
    assert "beyond 64 bits" in str(error)


@pytest.mark.parametrize("saved", [False, True])
def test_headers_without_a_value(saved: bool) -> None:
    openai = pytest.importorskip("openai")
    look = RegisteredFunction(LOOK, lambda _arguments: "x")
    taken = {"X-A": None, "x-b": openai.omit, "idempotency-key": None}
    default = {"x-a": "1", "x-b": "2", "x-c": "3", "Idempotency-Key": "order"}
    with answering(answer(response(call(1))), answer(response())) as service:
        ResponsesToolRunner(functions=[look]).run(
            made(service, default_headers=default),
            {**PARAMS, "extra_headers": taken},
            ledger=ledger() if saved else None,
        )
        for _ in range(2):
            headers = service.next().headers
            names = ("x-a", "x-b", "x-c", "idempotency-key")
            assert [headers.get(name) for name in names] == [None, None, "3", None]
