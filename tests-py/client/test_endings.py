"""Responses that failed or are incomplete: given as they are, and kept by the error of a run (N-2, R-8)."""

from __future__ import annotations

import pickle
import traceback
from typing import Any

import pytest

import swingbridge
from client.service import KEY, answer, answering, message, response, stream
from swingbridge import (
    AsyncClient,
    AsyncResponsesToolRunner,
    Client,
    ResponsesToolRunner,
    ToolRunnerError,
)

PARAMS: dict[str, Any] = {"model": "m", "input": "hi"}
ENDINGS = {
    "failed": response(status="failed", error={"code": "server_error", "message": "hunter2"}),
    "incomplete": response(
        message("hunter2", status="incomplete"),
        status="incomplete",
        incomplete_details={"reason": "max_output_tokens"},
    ),
}

each = pytest.mark.parametrize("ending", ENDINGS)


def form(ending: str, streams: bool) -> bytes:
    body = ENDINGS[ending]
    if not streams:
        return answer(body, x_request_id="req_1")
    return stream({"type": "response.created"}, {"type": f"response.{ending}", "response": body})


@each
def test_a_request_gives_it_as_it_is(ending: str) -> None:
    with answering(form(ending, streams=False)) as service:
        given = Client(api_key=KEY, base_url=service.url).responses.create(**PARAMS)
    assert (given.status, given.to_dict()) == (ending, ENDINGS[ending])


@each
def test_a_stream_ends_with_it(ending: str) -> None:
    with answering(form(ending, streams=True)) as service:
        events = Client(api_key=KEY, base_url=service.url).responses.create(**PARAMS, stream=True)
        last = list(events)[-1]
    assert (last.type, last.response.to_dict()) == (f"response.{ending}", ENDINGS[ending])


class Foreign:
    """A client that is none of ours."""

    def __init__(self, client: Client) -> None:
        self.responses, self._client = self, client

    def create(self, **params: Any) -> Any:
        given = self._client.responses.create(**params)
        return given if params.get("stream") else given.to_dict()


@each
@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize("kind", [Client, Foreign])
def test_the_error_of_a_run_has_it(ending: str, streams: bool, kind: Any) -> None:
    with answering(form(ending, streams)) as service:
        client = Client(api_key=KEY, base_url=service.url)
        with pytest.raises(ToolRunnerError) as caught:
            ResponsesToolRunner().run(
                client if kind is Client else kind(client), PARAMS, stream=streams
            )
    error = caught.value
    assert error.code == f"response_{ending}"
    found = error.response
    assert (found if isinstance(found, dict) else found.to_dict()) == ENDINGS[ending]
    assert "hunter2" not in "".join(traceback.format_exception(error)) + repr(error)
    again = pickle.loads(pickle.dumps(error))
    assert b"hunter2" not in pickle.dumps(error)
    assert (again.code, str(again), again.response) == (error.code, str(error), None)
    assert again.attempted_call_ids == error.attempted_call_ids


@each
@pytest.mark.asyncio
async def test_the_error_of_a_run_has_it_with_await(ending: str) -> None:
    with answering(form(ending, streams=True)) as service:
        client = AsyncClient(api_key=KEY, base_url=service.url)
        with pytest.raises(ToolRunnerError) as caught:
            async for _turn in AsyncResponsesToolRunner().iterate(client, PARAMS, stream=True):
                pass
    assert caught.value.response.to_dict() == ENDINGS[ending]


def test_an_error_event_is_an_event_and_stops_a_run() -> None:
    said = {"type": "error", "code": "server_error", "message": "hunter2", "param": None}
    with answering(stream({"type": "response.created"}, said)) as service:
        client = Client(api_key=KEY, base_url=service.url)
        events = list(client.responses.create(**PARAMS, stream=True))
        with pytest.raises(ToolRunnerError) as caught:
            ResponsesToolRunner().run(client, PARAMS, stream=True)
    assert (events[-1].code, events[-1].message) == ("server_error", "hunter2")
    assert (caught.value.code, caught.value.response) == ("stream_error", None)


def test_a_final_response_that_was_streamed_names_its_request() -> None:
    body = {"type": "response.completed", "response": response()}
    text = stream(body).replace(b"\r\n\r\n", b"\r\nx-request-id: req_1\r\n\r\n", 1)
    with answering(text) as service:
        client = Client(api_key=KEY, base_url=service.url)
        (event,) = client.responses.create(**PARAMS, stream=True)
        given = ResponsesToolRunner().run(client, PARAMS, stream=True)
    assert (event._request_id, event.response._request_id) == ("req_1", "req_1")
    assert given._request_id == "req_1"


def test_the_names_that_programs_of_the_published_package_catch() -> None:
    names = (
        "APIError APIConnectionError APITimeoutError APIStatusError BadRequestError "
        "AuthenticationError PermissionDeniedError NotFoundError ConflictError "
        "UnprocessableEntityError RateLimitError InternalServerError"
    )
    for name in names.split():
        assert issubclass(getattr(swingbridge, name), swingbridge.APIError)
    assert not hasattr(swingbridge, "APIConnectionTimeoutError"), "Node's name"
