"""What cannot be rehearsed, and how it is told (D-8)."""

from __future__ import annotations

import copy
import errno
import os
import pickle
import socket
import sys
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from rehearsal.support import answer_of, saying
from swingbridge import ConfigurationError, SwingbridgeError
from swingbridge.rehearsal import RehearsalServer, ScriptError

circular: dict[str, Any] = {}
circular["turns"] = circular


@pytest.mark.parametrize(
    ("script", "place", "code"),
    [
        ("turns: [", "line 2", "syntax"),
        ("", "script", "documents"),
        ("a: 1\n---\nb: 2", "script", "documents"),
        ("turns: []", "turns", "missing"),
        ({}, "turns", "missing"),
        ("turns: {}", "turns", "form"),
        ({"turns": [{"massage": "hi"}]}, "turns[0].massage", "unknown"),
        ({"turns": [{"browser_dance": {}}]}, "turns[0].browser_dance", "member"),
        ({"turns": [{"message": "a", "compaction": {}}]}, "turns[0]", "conflict"),
        (f"turns: {'[' * 200}{']' * 200}", "script", "bounds"),
        # What has no JSON form.
        ({"turns": [object()]}, "script", "form"),
        ({"turns": [{"message": float("nan")}]}, "script", "form"),
        ({1: 2}, "script", "form"),
        (circular, "script", "form"),
        ("turns: [{ message: \ud800 }]", "script", "form"),
    ],
)
def test_a_script_that_is_none(script: Any, place: str, code: str) -> None:
    with pytest.raises(ScriptError) as caught:
        RehearsalServer(script)
    error = caught.value
    assert (error.place, error.code) == (place, code)
    assert str(error).startswith(f"{place}: ")
    assert isinstance(error, SwingbridgeError)
    assert isinstance(error, ValueError)


def test_a_script_error_can_be_copied_and_pickled() -> None:
    with pytest.raises(ScriptError) as caught:
        RehearsalServer("turns: [{}]")
    error = caught.value
    assert error.place == "turns[0]"
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(again) is ScriptError
        assert (str(again), again.args, vars(again)) == (str(error), error.args, vars(error))


def test_another_mapping_is_one_as_well() -> None:
    with RehearsalServer(MappingProxyType(saying("one"))) as server:
        assert answer_of(server) == "one"


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"script": None}, "script"),
        ({"script": b"turns: []"}, "script"),
        ({"port": -1}, "port"),
        ({"port": 65_536}, "port"),
        ({"port": "8080"}, "port"),
        ({"port": True}, "port"),
        ({"api_key": b"key"}, "api_key"),
        ({"transcript": 1}, "transcript"),
        ({"keep_bodies": 1}, "keep_bodies"),
    ],
)
def test_an_option_that_cannot_be_used(options: Any, name: str) -> None:
    with pytest.raises(ConfigurationError, match=f"^{name} must be ") as caught:
        RehearsalServer(**{"script": saying("one"), **options})
    assert caught.value.code == "option_invalid"


def test_a_port_that_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(OSError) as caught:
        RehearsalServer(saying("one"), port=taken.getsockname()[1])
    assert caught.value.errno == errno.EADDRINUSE
    assert caught.value.strerror == os.strerror(errno.EADDRINUSE)


def test_a_transcript_that_cannot_be_opened(tmp_path: Path) -> None:
    path = tmp_path / "missing" / "run.jsonl"
    with pytest.raises(FileNotFoundError) as caught:
        RehearsalServer(saying("one"), transcript=path)
    assert caught.value.errno == errno.ENOENT
    assert caught.value.filename == str(path)


@pytest.mark.parametrize("make", [RehearsalServer.from_file, RehearsalServer.replay])
def test_a_file_that_is_not_there(make: Any, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        make(tmp_path / "missing.yaml")


def test_a_transcript_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text("{\n", "utf-8")
    with pytest.raises(ScriptError) as caught:
        RehearsalServer.replay(path)
    assert caught.value.place == "line 1"


full = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a disk that is full")


@full
def test_a_transcript_that_is_not_whole_is_told_once() -> None:
    server = RehearsalServer(saying("one"), transcript="/dev/full")
    assert answer_of(server) == "one"
    with pytest.raises(OSError) as caught:
        server.stop()
    assert caught.value.errno == errno.ENOSPC
    server.stop()


@full
def test_a_stop_that_fails_is_told_at_the_end_of_its_block() -> None:
    server = RehearsalServer(saying("one"), transcript="/dev/full")
    answer_of(server)
    with pytest.raises(OSError), server:
        pass


@full
def test_a_stop_that_fails_hides_nothing() -> None:
    server = RehearsalServer(saying("one"), transcript="/dev/full")
    answer_of(server)
    with pytest.raises(KeyError, match="the program's own"), server:
        raise KeyError("the program's own")
