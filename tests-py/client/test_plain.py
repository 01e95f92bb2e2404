"""Plain requests: what is sent, and what comes of the answer (N-1, N-2)."""

from __future__ import annotations

import pytest

import swingbridge
from client.service import KEY, Wire, answer, answering, message, response, serving
from swingbridge import AsyncClient, Client, Timeout


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.delenv(name, raising=False)


def test_a_response_is_an_object_at_every_depth() -> None:
    body = response(message("hel"), {"type": "reasoning", "id": "rs_1"}, message("lo"))
    with answering(answer(body, x_request_id="req_7")) as service:
        with Client(api_key=KEY, base_url=service.url) as client:
            given = client.responses.create(model="m", input="hi", metadata={"a": 1.5})
        assert given.output_text == "hello"
        assert given.output[0].content[0].text == "hel"
        assert given.usage.total_tokens == 5
        assert given.incomplete_details is None
        assert given._request_id == "req_7"
        assert given.to_dict() == body
        assert isinstance(given, swingbridge.Response)
        heard = service.next()
    assert heard.line == "POST /v1/responses HTTP/1.1"
    assert heard.json == {"model": "m", "input": "hi", "metadata": {"a": 1.5}}
    assert heard.headers["authorization"] == f"Bearer {KEY}"
    assert heard.headers["content-type"] == "application/json"


@pytest.mark.asyncio
async def test_the_same_with_await() -> None:
    with answering(answer(response())) as service:
        async with AsyncClient(api_key=KEY, base_url=service.url) as client:
            given = await client.responses.create(model="m", input="hi")
        assert given.output_text == "hello"
        assert service.next().json == {"model": "m", "input": "hi"}


def test_what_a_call_adds_wins() -> None:
    with answering(answer(response())) as service:
        client = Client(
            api_key=KEY,
            base_url=f"{service.url}/?a=1",
            organization="org",
            project="proj",
            default_headers={"X-One": "1", "X-Two": "2"},
            default_query={"b": 2},
        )
        client.responses.create(
            model="m",
            extra_headers={"x-two": "two", "x-none": None},
            extra_query={"c": True},
            extra_body={"model": "other", "beyond": [None]},
        )
        heard = service.next()
    assert heard.line == "POST /v1/responses?a=1&b=2&c=true HTTP/1.1"
    assert heard.json == {"model": "other", "beyond": [None]}
    sent = {name: heard.headers.get(name) for name in ("x-one", "x-two", "x-none")}
    assert sent == {"x-one": "1", "x-two": "two", "x-none": None}
    assert heard.headers["openai-organization"] == "org"
    assert heard.headers["openai-project"] == "proj"
    assert client.default_headers == {"X-One": "1", "X-Two": "2"}


def test_a_header_without_a_value_takes_one_away() -> None:
    openai = pytest.importorskip("openai")
    with answering(answer(response())) as service:
        headers = {"x-one": "1", "x-two": "2", "OpenAI-Organization": None}
        client = Client(
            api_key=KEY, base_url=service.url, organization="org", default_headers=headers
        )
        assert client.default_headers == {"x-one": "1", "x-two": "2"}
        for given in (None, openai.omit, openai.NOT_GIVEN):
            client.responses.create(model="m", extra_headers={"X-Two": given})
            heard = service.next()
            two = "2" if given is openai.NOT_GIVEN else None
            names = ("x-one", "x-two", "openai-organization")
            assert [heard.headers.get(name) for name in names] == ["1", two, None]


def test_the_environment_fills_what_is_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    with answering(answer(response())) as service:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_BASE_URL", service.url)
        monkeypatch.setenv("OPENAI_ORG_ID", "org")
        monkeypatch.setenv("OPENAI_PROJECT_ID", "proj")
        Client().responses.create(model="m")
        heard = service.next()
    assert heard.headers["authorization"] == f"Bearer {KEY}"
    assert heard.headers["openai-organization"] == "org"
    assert heard.headers["openai-project"] == "proj"


def test_azure_style() -> None:
    with answering(answer(response())) as service:
        client = Client(api_key=KEY, base_url=service.url, api_version="2025-04-01-preview")
        client.responses.create(model="m")
        heard = service.next()
        assert heard.line.split()[1] == "/v1/responses?api-version=2025-04-01-preview"
        assert heard.headers["api-key"] == KEY
        assert "authorization" not in heard.headers
        Client(base_url=service.url, auth="none").responses.create(model="m")
        heard = service.next()
    assert "api-key" not in heard.headers
    assert "authorization" not in heard.headers


def test_items_of_a_response_go_back_as_they_came() -> None:
    item = message(beyond={"known": [1, 2.5, None]})
    with answering(answer(response(item))) as service:
        client = Client(api_key=KEY, base_url=service.url)
        first = client.responses.create(model="m", input="hi")
        question = {"role": "user", "content": "and?"}
        client.responses.create(model="m", input=[*first.output, question])
        service.next()
        assert service.next().json["input"] == [item, question]


def test_the_published_marks_for_nothing_are_left_out() -> None:
    openai = pytest.importorskip("openai")
    with answering(answer(response())) as service:
        client = Client(api_key=KEY, base_url=service.url)
        client.responses.create(model="m", top_p=openai.omit, tools=openai.NOT_GIVEN)
        assert service.next().json == {"model": "m"}


@pytest.mark.parametrize("value", [object(), float("nan"), 1 << 70, {1: 2}, {"a": {"b": b""}}])
def test_what_has_no_json_form_is_refused_before_anything_is_sent(value: object) -> None:
    with answering(answer(response())) as service:
        client = Client(api_key=KEY, base_url=service.url)
        with pytest.raises(swingbridge.ConfigurationError) as caught:
            client.responses.create(model="m", metadata=value)
        assert caught.value.code == "params_not_json"
        client.responses.create(model="next")
        assert service.next().json == {"model": "next"}


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({}, "api_key_missing"),
        ({"api_key": "a\nb"}, "api_key_invalid"),
        ({"api_key": KEY, "base_url": "ftp://x"}, "base_url_invalid"),
        ({"api_key": KEY, "base_url": f"https://me:{KEY}@x"}, "base_url_credentials"),
        ({"api_key": KEY, "organization": "a\nb"}, "account_invalid"),
        ({"api_key": KEY, "default_headers": {"a b": "c"}}, "default_header_invalid"),
        ({"api_key": KEY, "default_headers": [1]}, "option_invalid"),
        ({"api_key": KEY, "default_headers": {"a": KEY.encode()}}, "option_invalid"),
        ({"api_key": KEY, "default_query": {"a": []}}, "option_invalid"),
        ({"api_key": KEY, "timeout": 0}, "option_invalid"),
        ({"api_key": KEY, "timeout": True}, "option_invalid"),
        ({"api_key": KEY, "timeout": 10**400}, "option_invalid"),
        ({"api_key": f"\ud800{KEY}"}, "option_invalid"),
        ({"api_key": KEY, "base_url": f"https://x/\ud800{KEY}"}, "option_invalid"),
        ({"api_key": KEY, "project": f"\ud800{KEY}"}, "option_invalid"),
        ({"api_key": KEY, "default_headers": {"a": f"\ud800{KEY}"}}, "option_invalid"),
        ({"api_key": KEY, "default_query": {f"\ud800{KEY}": 1}}, "option_invalid"),
        ({"api_key": KEY, "timeout": Timeout(request=float("inf"))}, "option_invalid"),
        ({"api_key": KEY, "max_retries": -1}, "option_invalid"),
        ({"api_key": KEY, "auth": "basic"}, "option_invalid"),
        ({"api_key": 7}, "option_invalid"),
    ],
)
def test_a_client_that_cannot_be_made(given: dict[str, object], code: str) -> None:
    for kind in (Client, AsyncClient):
        with pytest.raises(swingbridge.ConfigurationError) as caught:
            kind(**given)  # type: ignore[arg-type]
        assert caught.value.code == code
        assert KEY not in str(caught.value)
        # An error of Python's own would hold the whole text.
        assert (caught.value.__cause__, caught.value.__context__) == (None, None)


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"timeout": -1}, "option_invalid"),
        ({"extra_headers": {"content-length": "1"}}, "request_header_invalid"),
        ({"extra_headers": 7}, "option_invalid"),
        ({"extra_headers": {"a": "\ud800"}}, "option_invalid"),
        ({"extra_query": {7: ""}}, "option_invalid"),
        ({"extra_body": []}, "option_invalid"),
        ({"stream": 1}, "option_invalid"),
    ],
)
def test_a_call_that_cannot_be_made(given: dict[str, object], code: str) -> None:
    client = Client(api_key=KEY, base_url="http://127.0.0.1:9")
    with pytest.raises(swingbridge.ConfigurationError) as caught:
        client.responses.create(model="m", **given)  # type: ignore[call-overload]
    assert caught.value.code == code


def test_a_closed_client_sends_nothing() -> None:
    client = Client(api_key=KEY, base_url="http://127.0.0.1:9")
    other = client.with_options(max_retries=0)
    client.close()
    client.close()
    for closed in (client, other):
        assert closed.is_closed()
        with pytest.raises(swingbridge.ClosedError) as caught:
            closed.responses.create(model="m")
        assert caught.value.code == "client_closed"


def test_an_idle_connection_serves_again_and_closes_with_the_client() -> None:
    def talk(wire: Wire) -> None:
        for _ in range(3):
            wire.hear()
            wire.say(answer(response()))
        wire.watch()

    with serving(talk) as service:
        client = Client(api_key=KEY, base_url=service.url)
        for _ in range(3):
            client.responses.create(model="m")
        assert service.connections == 1
        client.close()
        service.wait_closed()
