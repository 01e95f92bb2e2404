"""Keys and what else is secret are in no representation, error or pickle (N-1)."""

from __future__ import annotations

import logging
import pickle
import traceback
from typing import Any

import pytest

import swingbridge
from client.service import KEY, answer, answering
from swingbridge import AsyncClient, Client

HIDDEN = ("hunter2", "s3cret", "tok3n")


def made(kind: Any, url: str) -> Any:
    return kind(
        api_key=KEY,
        base_url=f"{url}?sig=s3cret",
        default_headers={"x-token": "tok3n"},
        default_query={"code": "s3cret"},
        max_retries=0,
    )


def assert_hidden(text: str) -> None:
    assert not [secret for secret in HIDDEN if secret in text], text


@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_a_client_shows_where_it_sends_and_no_more(kind: Any) -> None:
    client = made(kind, "http://127.0.0.1:9/v1")
    assert repr(client) == f"{kind.__name__}('http://127.0.0.1:9')"
    shown = (
        client,
        client._native,
        client.responses,
        client._terms,
        client.with_options(timeout=1),
    )
    for part in shown:
        assert_hidden(f"{part} {part!r}")
    for part in (client, client._native):
        with pytest.raises(TypeError) as caught:
            pickle.dumps(part)
        assert_hidden(str(caught.value))


def test_errors_and_logs_show_none(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    said = f"the key {KEY} is not good"
    bad = answer({"error": {"message": said, "code": KEY, "type": KEY, "param": KEY}}, 401)
    with caplog.at_level(logging.DEBUG), answering(bad) as service:
        client = made(Client, service.url)
        headers = {"authorization": "Bearer s3cret"}
        with pytest.raises(swingbridge.AuthenticationError) as caught:
            client.responses.create(model="m", input="hunter2", extra_headers=headers)
        error = caught.value
        shown = "".join(traceback.format_exception_only(error))
        assert_hidden(f"{shown} {error!r} {vars(error)} {pickle.dumps(error)!r}")
        assert error.service_message == "the key (hidden) is not good"
    assert_hidden(caplog.text)
    captured = capfd.readouterr()
    assert_hidden(captured.out + captured.err)


def test_requests_and_streams_show_none() -> None:
    from swingbridge._core import NativeRequest
    from swingbridge.call_terms import NO_TERMS

    request = NativeRequest({"input": "hunter2"}, NO_TERMS.with_call({"x": "s3cret"}), False)
    assert_hidden(f"{request} {request!r} {vars(type(request)).keys()}")


@pytest.mark.parametrize("streams", [False, True])
def test_keys_in_headers_and_queries_are_hidden_as_the_key_is(streams: bool) -> None:
    said = f"no {KEY}, no Bearer s3cret-1, no s3cret-2, no tok3n-1, no tok3n-2"
    bad = answer({"error": {"message": said, "code": "tok3n-1"}}, 403, x_request_id="s3cret-1")
    with answering(bad) as service:
        client = Client(
            api_key=KEY,
            base_url=f"{service.url}?sig=s3cret-2",
            default_headers={"Authorization": "Bearer s3cret-1", "X-Title": "said"},
            max_retries=0,
        )
        with pytest.raises(swingbridge.PermissionDeniedError) as caught:
            client.responses.create(
                model="m",
                stream=streams,
                extra_headers={"x-api-key": "tok3n-1"},
                extra_query={"access_token": "tok3n-2"},
            )
    error = caught.value
    assert (
        error.service_message == "no (hidden), no (hidden), no (hidden), no (hidden), no (hidden)"
    )
    assert (error.service_code, error.request_id) == ("(hidden)", "(hidden)")
    assert_hidden("".join(traceback.format_exception(error)) + repr(vars(error)))


def test_the_error_of_a_run_shows_none() -> None:
    bad = answer({"error": {"message": f"no {KEY}"}}, 401)
    with answering(bad) as service, pytest.raises(swingbridge.ToolRunnerError) as caught:
        swingbridge.ResponsesToolRunner().run(made(Client, service.url), {"input": "hi"})
    assert_hidden("".join(traceback.format_exception(caught.value)) + repr(vars(caught.value)))
