"""What failed requests raise, and what is tried again (N-2)."""

from __future__ import annotations

import json
import pickle
import socket
from pathlib import Path
from typing import Any

import pytest

import swingbridge
from client.service import KEY, Wire, answer, answering, response, serving
from swingbridge import APIError, AsyncClient, Client, Timeout
from swingbridge.api_errors import CLASSES, error_of

STATUSES = [
    (400, swingbridge.BadRequestError, "bad_request"),
    (401, swingbridge.AuthenticationError, "authentication_failed"),
    (403, swingbridge.PermissionDeniedError, "permission_denied"),
    (404, swingbridge.NotFoundError, "not_found"),
    (409, swingbridge.ConflictError, "conflict"),
    (422, swingbridge.UnprocessableEntityError, "unprocessable"),
    (429, swingbridge.RateLimitError, "rate_limited"),
    (500, swingbridge.InternalServerError, "server_failed"),
    (503, swingbridge.InternalServerError, "server_failed"),
    (418, swingbridge.APIStatusError, "status_unexpected"),
    (302, swingbridge.APIStatusError, "redirected"),
]


CODES = json.loads((Path(__file__).parents[2] / "conformance/client_error_codes.json").read_text())


@pytest.mark.parametrize("code", CODES["client"])
def test_every_code_of_the_client_has_a_class(code: str) -> None:
    is_mistake = code in {"request_path_invalid", "request_header_invalid"}
    error = error_of("words", code)
    assert type(error) is (swingbridge.ConfigurationError if is_mistake else CLASSES[code])
    assert (str(error), error.code) == ("words", code)


def failing(url: str, **options: Any) -> APIError:
    """What a request raises."""
    given = {"max_retries": 0, **options}
    with pytest.raises(APIError) as caught:
        Client(api_key=KEY, base_url=url, **given).responses.create(model="m")
    return caught.value


@pytest.mark.parametrize(("status", "kind", "code"), STATUSES)
def test_the_status_names_the_class(status: int, kind: type[APIError], code: str) -> None:
    said = {"message": "no", "type": "t", "code": "c", "param": "input[0]"}
    bad = answer({"error": said}, status, x_request_id="req_9", location="http://127.0.0.1:9/")
    with answering(bad) as service:
        error = failing(service.url)
        assert service.connections == 1
    assert type(error) is kind
    assert isinstance(error, swingbridge.APIStatusError)
    assert isinstance(error, swingbridge.SwingbridgeError)
    assert (error.code, error.status, error.status_code) == (code, status, status)
    assert (error.request_id, error.service_code, error.service_type) == ("req_9", "c", "t")
    assert (error.service_message, error.param) == ("no", "input[0]")


@pytest.mark.asyncio
@pytest.mark.parametrize(("status", "kind", "code"), STATUSES)
async def test_the_same_with_await(status: int, kind: type[APIError], code: str) -> None:
    with answering(answer({}, status)) as service:
        client = AsyncClient(api_key=KEY, base_url=service.url, max_retries=0)
        for streams in (False, True):
            with pytest.raises(kind) as caught:
                await client.responses.create(model="m", stream=streams)
            assert caught.value.code == code


def test_words_are_bounded_and_have_no_key() -> None:
    said = {"message": f"not with {KEY} " + "é" * 9_000, "code": KEY}
    with answering(answer({"error": said}, 401)) as service:
        error = failing(service.url)
    assert error.service_message is not None
    assert len(error.service_message.encode()) <= 2_000
    assert KEY not in f"{error} {error!r} {vars(error)}"
    assert str(error).endswith(f": {error.service_message}")


def test_errors_pickle() -> None:
    with answering(answer({"error": {"message": "m"}}, 429, x_request_id="req_9")) as service:
        error = failing(service.url)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is swingbridge.RateLimitError
    assert vars(again) == vars(error)
    assert str(again) == str(error)


def test_no_connection() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    error = failing(f"http://127.0.0.1:{port}/v1")
    assert type(error) is swingbridge.APIConnectionError
    assert error.code == "connection_refused"
    assert error.status is None


def test_a_connection_that_is_lost() -> None:
    def talk(wire: Wire) -> None:
        wire.hear()
        wire.say(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{")

    with serving(talk) as service:
        error = failing(service.url)
    assert type(error) is swingbridge.APIConnectionError
    assert error.code == "connection_lost_within_answer"


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b'"x"', b"\xff{}", b"{"])
def test_an_answer_that_is_no_object(body: bytes) -> None:
    with answering(answer(body)) as service:
        error = failing(service.url)
    assert type(error) is APIError
    assert error.code == "reply_not_json"


@pytest.mark.parametrize(
    ("timeout", "code"),
    [
        (0.05, "request_timeout"),
        (Timeout(request=0.05), "request_timeout"),
        (Timeout(idle=0.05), "idle_timeout"),
    ],
)
def test_an_answer_that_does_not_come(timeout: Any, code: str) -> None:
    def talk(wire: Wire) -> None:
        wire.hear()
        wire.say(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n")
        wire.watch()

    with serving(talk) as service:
        assert failing(service.url, timeout=timeout).code == code
        service.wait_closed()
        client = Client(api_key=KEY, base_url=service.url, max_retries=0)
        with pytest.raises(swingbridge.APITimeoutError) as caught:
            client.responses.create(model="m", timeout=timeout)
        assert caught.value.code == code
        service.wait_closed()
        with pytest.raises(swingbridge.APITimeoutError):
            client.with_options(timeout=timeout).responses.create(model="m")
        service.wait_closed()


@pytest.mark.parametrize("streams", [False, True])
def test_what_may_pass_is_tried_again_with_one_key(streams: bool) -> None:
    busy = answer({}, 429, retry_after_ms="1")
    down = answer({}, 503, retry_after="0")
    with answering(busy, down, answer({}, 400)) as service:
        client = Client(api_key=KEY, base_url=service.url)
        with pytest.raises(swingbridge.BadRequestError):
            client.responses.create(model="m", stream=streams)
        heard = [service.next() for _ in range(3)]
        keys = {request.headers["idempotency-key"] for request in heard}
        assert len(keys) == 1
        assert {request.body for request in heard} == {heard[0].body}
        with pytest.raises(swingbridge.BadRequestError):
            client.responses.create(model="m")
        assert service.next().headers["idempotency-key"] not in keys


def test_the_number_of_retries() -> None:
    busy = answer({}, 429, retry_after_ms="1")
    with answering(busy) as service:
        client = Client(api_key=KEY, base_url=service.url, max_retries=1)
        for shown, requests in ((client, 2), (client.with_options(max_retries=0), 1)):
            with pytest.raises(swingbridge.RateLimitError):
                shown.responses.create(model="m")
            for _ in range(requests):
                service.next()
            assert service.heard.empty()


def test_the_service_may_forbid_a_retry() -> None:
    busy = answer({}, 500, x_should_retry="false")
    with answering(busy, answer(response())) as service:
        assert failing(service.url, max_retries=5).status == 500
        service.next()
        assert service.heard.empty()
