"""Streams of events, and how they close (N-2, N-3)."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import swingbridge
from client.service import KEY, LONG, STREAM, Wire, answer, answering, response, serving, stream
from swingbridge import AsyncClient, Client

DELTA = {"type": "response.output_text.delta", "delta": "hel", "item": {"id": "x"}}
ENDED = {"type": "response.completed", "response": response()}


def opened(url: str) -> Any:
    client = Client(api_key=KEY, base_url=url, max_retries=0)
    return client.responses.create(model="m", stream=True)


def endless(wire: Wire) -> None:
    """One event, and then nothing until the client has closed."""
    wire.hear()
    wire.say(STREAM)
    wire.say_event(**DELTA)
    wire.watch()


def test_events_in_their_order() -> None:
    with answering(stream(DELTA, ENDED)) as service:
        with opened(service.url) as events:
            first, last = events
        assert service.next().json == {"model": "m", "stream": True}
    assert isinstance(first, swingbridge.ResponseStreamEvent)
    assert (first.type, first.delta, first.item.id) == (DELTA["type"], "hel", "x")
    assert last.response.output_text == "hello"
    assert list(events) == [], "and it stays at its end"


@pytest.mark.asyncio
async def test_the_same_with_await() -> None:
    with answering(stream(DELTA, ENDED)) as service:
        client = AsyncClient(api_key=KEY, base_url=service.url)
        async with await client.responses.create(model="m", stream=True) as events:
            assert [event.type async for event in events] == [DELTA["type"], ENDED["type"]]
            assert [event async for event in events] == []


def test_an_event_is_there_before_the_next_one_is_written() -> None:
    go = threading.Semaphore(0)

    def talk(wire: Wire) -> None:
        wire.hear()
        wire.say(STREAM)
        for number in range(3):
            wire.say_event(type="n", number=number)
            assert go.acquire(timeout=LONG)

    with serving(talk) as service:
        for event in opened(service.url):
            assert event.type == "n"
            go.release()


def test_the_request_is_named() -> None:
    with serving(endless) as service, opened(service.url) as events:
        assert events.request_id == "req_1"


@pytest.mark.parametrize("reads", [0, 1])
def test_leaving_the_block_closes_the_socket(reads: int) -> None:
    with serving(endless) as service:
        with opened(service.url) as events:
            for _ in range(reads):
                next(events)
        service.wait_closed()
        assert list(events) == []


@pytest.mark.asyncio
async def test_leaving_the_block_closes_the_socket_with_await() -> None:
    with serving(endless) as service:
        client = AsyncClient(api_key=KEY, base_url=service.url)
        async with await client.responses.create(model="m", stream=True) as events:
            assert (await anext(events)).type == DELTA["type"]
        service.wait_closed()
        await events.close()


def test_a_stream_that_is_let_go_of_closes_the_socket() -> None:
    with serving(endless) as service:
        events = opened(service.url)
        next(events)
        del events
        service.wait_closed()


def test_another_thread_may_close_it() -> None:
    with serving(endless) as service:
        events = opened(service.url)
        next(events)
        ended: list[Any] = []
        waiting = threading.Thread(target=lambda: ended.extend(events))
        waiting.start()
        events.close()
        waiting.join(LONG)
        assert not waiting.is_alive()
        assert ended == []
        service.wait_closed()


def test_two_threads_cannot_wait_for_one_event() -> None:
    with serving(endless) as service, opened(service.url) as events:
        next(events)
        outcomes: list[Any] = []

        def wait() -> None:
            try:
                outcomes.append(next(events, None))
            except swingbridge.APIError as error:
                outcomes.append(error.code)
                # The one that waits goes on until the stream is closed.
                events.close()

        threads = [threading.Thread(target=wait) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(LONG)
        assert sorted(outcomes, key=str) == [None, "stream_in_use"]


def test_a_stream_that_breaks_off() -> None:
    def talk(wire: Wire) -> None:
        wire.hear()
        head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 999\r\n\r\n"
        wire.say(head)
        wire.say_event(**DELTA)

    with serving(talk) as service:
        events = opened(service.url)
        assert next(events).type == DELTA["type"]
        with pytest.raises(swingbridge.APIConnectionError) as caught:
            next(events)
        assert caught.value.code == "connection_lost_within_answer"
        assert list(events) == []


def test_an_error_event_is_an_event() -> None:
    error = {"type": "error", "code": "server_error", "message": "no", "param": None}
    with answering(stream(DELTA, error)) as service:
        *_, last = opened(service.url)
        assert (last.type, last.code) == ("error", "server_error")


def test_an_error_in_the_place_of_an_event() -> None:
    said = {"message": f"not with {KEY}", "code": "overloaded", "type": "t", "param": None}
    with answering(stream(DELTA, {"error": said}, ENDED)) as service:
        events = opened(service.url)
        assert next(events).delta == "hel"
        with pytest.raises(swingbridge.APIError) as caught:
            next(events)
        assert list(events) == []
    error = caught.value
    assert (error.code, error.service_code, error.service_type) == (
        "stream_failed",
        "overloaded",
        "t",
    )
    assert error.service_message == "not with (hidden)"
    assert str(error).endswith(": not with (hidden)")


def test_an_event_that_is_no_object() -> None:
    def talk(wire: Wire) -> None:
        wire.hear()
        wire.say(STREAM + b"data: 1\n\n")

    with serving(talk) as service:
        events = opened(service.url)
        with pytest.raises(swingbridge.APIError) as caught:
            next(events)
        assert caught.value.code == "event_not_json"


def test_an_answer_that_is_no_stream() -> None:
    with answering(answer(response())) as service:
        with pytest.raises(swingbridge.APIError) as caught:
            opened(service.url)
        assert caught.value.code == "not_a_stream"


def test_a_stream_that_stalls() -> None:
    with serving(endless) as service:
        client = Client(api_key=KEY, base_url=service.url)
        events = client.responses.create(model="m", stream=True, timeout=0.05)
        assert next(events).type == DELTA["type"]
        with pytest.raises(swingbridge.APITimeoutError) as caught:
            next(events)
        assert caught.value.code == "idle_timeout"
        service.wait_closed()
