"""Services of other makers, in the shapes that they document (N-1, N-2).

``conformance/endpoints.json`` has the shapes; the same are tried from Node. They are answered by a server
on this machine: none of the services themselves is asked.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import swingbridge
from client.service import Service, answer, answering
from swingbridge import AsyncClient, Client, RegisteredFunction, ResponsesToolRunner

ROOT = Path(__file__).parents[2]
SERVICES: list[dict[str, Any]] = json.loads((ROOT / "conformance/endpoints.json").read_text())
LOOK: dict[str, Any] = {
    "type": "function",
    "name": "look",
    "parameters": {"type": "object", "properties": {"at": {"type": "string"}}},
    "strict": False,
}
PARAMS: dict[str, Any] = {"model": "m", "input": "Is it open?"}

each = pytest.mark.parametrize("shape", SERVICES, ids=lambda shape: shape["name"])


def options(shape: dict[str, Any], service: Service) -> dict[str, Any]:
    root = service.url.removesuffix("/v1")
    return {**shape["client"], "base_url": root + shape["base"], "max_retries": 0}


def whole(shape: dict[str, Any], body: Any, status: int = 200) -> bytes:
    data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    names = shape["request_id_header"]
    extra: dict[str, Any] = {} if names is None else {names: "req_1"}
    return answer(data, status, **extra)


def streamed(shape: dict[str, Any], body: dict[str, Any], breaks: str | None = None) -> bytes:
    """The response as the service streams it, or an error in the place of its end."""
    begun = {**body, "status": "in_progress", "output": []}
    events = [{"type": "response.created", "response": begun}]
    for index, item in enumerate(body["output"]):
        place = {"output_index": index, "item": item}
        events.append({"type": "response.output_item.added", **place})
        events.append({"type": "response.output_item.done", **place})
    if breaks is None:
        events.append({"type": "response.completed", "response": body})
    style = shape["stream"]
    texts = []
    for event in events:
        name = f"event: {event['type']}\n" if style["names"] else ""
        texts += [f"{name}data: {json.dumps(event)}\n\n", *style["between"]]
    texts += [breaks or "", "data: [DONE]\n\n" if style["done"] else ""]
    names = shape["request_id_header"]
    extra: dict[str, Any] = {} if names is None else {names: "req_1"}
    return answer("".join(texts).encode(), content_type="text/event-stream", **extra)


def assert_sent(shape: dict[str, Any], service: Service) -> dict[str, Any]:
    """The request went where it belongs, as whom it should; gives its body."""
    heard = service.next()
    assert heard.line == f"POST {shape['path']} HTTP/1.1"
    assert {name: heard.headers.get(name) for name in shape["headers"]} == shape["headers"]
    assert [name for name in shape["absent"] if name in heard.headers] == []
    body: dict[str, Any] = heard.json
    return body


@each
def test_a_whole_response(shape: dict[str, Any]) -> None:
    with answering(whole(shape, shape["ends"])) as service:
        given = Client(**options(shape, service)).responses.create(**PARAMS)
        assert assert_sent(shape, service) == PARAMS
    assert given.output_text == "It is open."
    assert given.to_dict() == shape["ends"]
    assert given._request_id == ("req_1" if shape["request_id_header"] else None)


@each
@pytest.mark.asyncio
async def test_a_streamed_response(shape: dict[str, Any]) -> None:
    with answering(streamed(shape, shape["ends"])) as service:
        client = AsyncClient(**options(shape, service))
        async with await client.responses.create(**PARAMS, stream=True) as events:
            seen = [event async for event in events]
        assert assert_sent(shape, service) == {**PARAMS, "stream": True}
    own = [event for event in seen if event.type != "keepalive"]
    assert [event.type for event in own] == [
        "response.created",
        "response.output_item.added",
        "response.output_item.done",
        "response.completed",
    ]
    last = own[-1].response
    assert (last.output_text, last.to_dict()) == ("It is open.", shape["ends"])
    assert last._request_id == ("req_1" if shape["request_id_header"] else None)


@each
@pytest.mark.parametrize("streams", [False, True], ids=["plain", "streamed"])
def test_a_run_with_a_function_call(shape: dict[str, Any], streams: bool) -> None:
    form = streamed if streams else whole
    seen: list[Any] = []

    def look(arguments: Any) -> str:
        seen.append(arguments)
        return "A sign: open."

    with answering(form(shape, shape["asks"]), form(shape, shape["ends"])) as service:
        client = Client(**options(shape, service))
        runner = ResponsesToolRunner(functions=[RegisteredFunction(LOOK, look)])
        given = runner.run(client, PARAMS, stream=streams)
        first, second = assert_sent(shape, service), assert_sent(shape, service)
    assert seen == [{"at": "the door"}]
    assert given.to_dict() == shape["ends"]
    question = {"role": "user", "content": "Is it open?"}
    output = {"type": "function_call_output", "call_id": "call_1", "output": "A sign: open."}
    assert first["input"] == [question]
    assert second["input"] == [question, *shape["asks"]["output"], output]


ERRORS = [(shape, error) for shape in SERVICES for error in shape["errors"]]


@pytest.mark.parametrize(
    ("shape", "error"),
    ERRORS,
    ids=[f"{shape['name']} {error['status']}" for shape, error in ERRORS],
)
def test_an_error(shape: dict[str, Any], error: dict[str, Any]) -> None:
    with answering(whole(shape, error["body"], error["status"])) as service:
        client = Client(**options(shape, service))
        with pytest.raises(swingbridge.APIError) as caught:
            client.responses.create(**PARAMS)
    raised = caught.value
    assert type(raised) is getattr(swingbridge, error["class"])
    assert raised.status == (None if error["status"] == 200 else error["status"])
    told = (raised.code, raised.service_code, raised.service_type, raised.service_message)
    names = ("code", "service_code", "type", "message")
    assert told == tuple(error.get(name) for name in names)
    assert raised.request_id == ("req_1" if shape["request_id_header"] else None)
    assert "planted" not in f"{raised} {raised!r} {vars(raised)}"


BREAKS = [(shape, broken) for shape in SERVICES for broken in shape["breaks"]]


@pytest.mark.parametrize(("shape", "broken"), BREAKS, ids=lambda part: part.get("name", ""))
def test_a_stream_that_an_error_ends(shape: dict[str, Any], broken: dict[str, Any]) -> None:
    with answering(streamed(shape, shape["ends"], broken["event"])) as service:
        client = Client(**options(shape, service))
        events = client.responses.create(**PARAMS, stream=True)
        assert next(events).type == "response.created"
        with pytest.raises(swingbridge.APIError) as caught:
            list(events)
        raised = caught.value
        with pytest.raises(swingbridge.ToolRunnerError) as stopped:
            ResponsesToolRunner().run(client, PARAMS, stream=True)
    assert (raised.code, raised.service_code) == ("stream_failed", broken.get("service_code"))
    assert (raised.service_message, raised.status) == (broken["message"], None)
    assert (stopped.value.code, type(stopped.value.__cause__)) == ("request_failed", type(raised))


def test_the_table_of_the_page_names_what_is_tried_here() -> None:
    text = (ROOT / "docs/endpoints.md").read_text("utf-8")
    table = text.partition("## What was tried")[2].partition("\n## ")[0]
    rows = [line.split("|")[1].strip() for line in table.splitlines() if line.startswith("| ")]
    assert rows[2:] == [shape["name"] for shape in SERVICES]
