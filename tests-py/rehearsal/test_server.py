"""A rehearsal server in this process, with the native client on the other side (D-8)."""

from __future__ import annotations

import json
import re
import socket
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from rehearsal.support import LONG, answer_of, asked, client_of, saying
from swingbridge import (
    APIConnectionError,
    AuthenticationError,
    BadRequestError,
    Client,
    ClosedError,
    InternalServerError,
)
from swingbridge.rehearsal import RehearsalServer, RehearsedRequest


def test_it_listens_on_the_loopback_interface_from_when_it_is_made() -> None:
    with RehearsalServer(saying("one", "two")) as server:
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/v1", server.url)
        assert (server.turns_left, server.requests) == (2, [])
        assert answer_of(server) == "one"
        assert server.turns_left == 1


@pytest.mark.parametrize(
    "script",
    [
        "turns: [{ message: Ghent 🌧 }]",
        json.dumps(saying("Ghent 🌧")),
        saying("Ghent 🌧"),
    ],
)
def test_a_script_is_yaml_json_or_a_mapping(script: Any) -> None:
    with RehearsalServer(script) as server:
        assert answer_of(server) == "Ghent 🌧"


def test_a_mapping_says_each_character_as_it_is() -> None:
    words = "".join(map(chr, [*range(0x2030), 0xFEFF, 0xFFFF, 0x1F600, 0x10FFFF]))
    with RehearsalServer(saying(words)) as server:
        assert answer_of(server) == words


def test_a_script_stands_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "script.yaml"
    file.write_text("turns: [{ message: é }]", "utf-8")
    for path in (file, str(file)):
        with RehearsalServer.from_file(path) as server:
            assert answer_of(server) == "é"


def test_requests_tell_what_came() -> None:
    late = [{"type": "function_call_output", "call_id": "call_9", "output": "late"}]
    with RehearsalServer(saying("one")) as server, client_of(server) as client:
        asked(client)
        with pytest.raises(BadRequestError) as caught:
            asked(client, input=late)
        first, second = server.requests
        assert server.turns_left == 0
    assert isinstance(first, RehearsedRequest)
    assert (first.path, first.status, first.turn, first.refusal) == ("/v1/responses", 200, 0, None)
    assert first.json() == json.loads(first.body) == {"model": "m", "input": "go"}
    assert type(first.body) is bytes
    assert first.idempotency_key
    assert first.idempotency_key != second.idempotency_key
    # What the service would refuse is refused, and takes no turn.
    assert (second.status, second.turn, caught.value.param) == (400, None, "input[0].call_id")
    assert second.refusal == caught.value.service_message
    with pytest.raises(AttributeError):
        first.status = 500  # type: ignore[misc]


def test_a_request_shows_nothing_of_its_body() -> None:
    with RehearsalServer(saying("one")) as server, client_of(server, api_key="hunter2") as client:
        asked(client, input="tr0ub4dor")
        shown = repr(server) + repr(server.requests)
    assert "status=200 turn=0" in shown
    assert "tr0ub4dor" not in shown
    assert "hunter2" not in shown


def test_bodies_are_not_kept_if_nobody_wants_them() -> None:
    with RehearsalServer(saying("one"), keep_bodies=False) as server:
        answer_of(server)
        (request,) = server.requests
    assert request.body == b""
    with pytest.raises(ValueError, match="Expecting value"):
        request.json()


def test_a_client_gets_over_errors_that_pass_and_hears_of_others() -> None:
    busy = {"error": {"status": 429, "message": "slow down", "retry_after": 0}}
    lost = {"error": {"status": 500, "code": "lost", "message": "lost it"}}
    script = {"turns": [busy, {"message": "one"}, lost]}
    with RehearsalServer(script) as server, client_of(server, max_retries=1) as client:
        assert asked(client).output_text == "one"
        first, second = server.requests
        assert (first.status, second.status) == (429, 200)
        assert first.idempotency_key == second.idempotency_key
        with pytest.raises(InternalServerError) as caught:
            asked(client.with_options(max_retries=0))
        assert caught.value.service_code == "lost"


def test_a_key_can_be_asked_for() -> None:
    with RehearsalServer(saying("one"), api_key="right") as server:
        with client_of(server, api_key="wrong") as client, pytest.raises(AuthenticationError):
            asked(client)
        assert server.requests[0].status == 401
        with client_of(server, api_key="right") as client:
            assert asked(client).output_text == "one"


def test_what_was_recorded_is_played_again(tmp_path: Path) -> None:
    transcript = tmp_path / "run.jsonl"
    with RehearsalServer(saying("one", "two"), transcript=transcript) as server:
        assert [answer_of(server), answer_of(server)] == ["one", "two"]
    lines = transcript.read_text("utf-8").splitlines()
    assert [json.loads(line)["request"]["input"] for line in lines] == ["go", "go"]
    again = tmp_path / "again.jsonl"
    with (
        RehearsalServer.replay(str(transcript), transcript=str(again), api_key="k") as server,
        client_of(server, api_key="k") as client,
    ):
        replayed = [asked(client, input="something else").output_text for _ in range(2)]
    assert replayed == ["one", "two"]
    assert len(again.read_text("utf-8").splitlines()) == 2


def test_several_serve_at_once() -> None:
    servers = [RehearsalServer(saying(name)) for name in "abc"]
    assert len({server.url for server in servers}) == 3
    assert [answer_of(server) for server in servers] == ["a", "b", "c"]
    for server in servers:
        server.stop()


def test_it_is_stopped_once_and_what_it_knows_stays() -> None:
    with RehearsalServer(saying("one", "two")) as server:
        url = server.url
        assert answer_of(server) == "one"
        server.stop()
        server.stop()
    assert server.turns_left == 1
    assert [request.turn for request in server.requests] == [0]
    with pytest.raises(ClosedError) as caught:
        _ = server.url
    assert caught.value.code == "rehearsal_stopped"
    with pytest.raises(APIConnectionError):
        asked(Client(base_url=url, api_key="any", max_retries=0))
    # Its port is free again.
    with RehearsalServer(saying("next"), port=int(url.split(":")[2].split("/")[0])) as later:
        assert later.url == url
        assert answer_of(later) == "next"


def test_a_stop_ends_what_is_being_answered() -> None:
    server = RehearsalServer({"turns": [{"message": "one", "delay_ms": 600_000}]})
    failures: list[Exception] = []

    def ask() -> None:
        try:
            answer_of(server)
        except APIConnectionError as failure:
            failures.append(failure)

    asking = threading.Thread(target=ask)
    asking.start()
    # The turn is taken before the wait begins.
    while server.turns_left:
        pass
    server.stop()
    asking.join(LONG)
    assert len(failures) == 1


def test_threads_may_stop_it_together() -> None:
    server = RehearsalServer(saying("one"))
    threads = [threading.Thread(target=server.stop) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONG)
    with pytest.raises(ClosedError):
        _ = server.url


def test_a_server_that_is_let_go_of_gives_its_port_back() -> None:
    server = RehearsalServer(saying("one"))
    port = int(server.url.split(":")[2].split("/")[0])
    with socket.create_connection(("127.0.0.1", port), timeout=LONG) as connection:
        del server
        # A connection that was not accepted yet is reset.
        with suppress(ConnectionResetError):
            assert connection.recv(1) == b""
