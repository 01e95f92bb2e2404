"""The command as the wheel brings it (D-8). What it does in itself is tested in ``rehearsal/tests/command.rs``."""

from __future__ import annotations

import importlib.metadata
import os
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from rehearsal.support import LONG, WEATHER
from swingbridge import Client

SCRIPT = "turns: [{ message: one }]"
INSTALLED = [str(Path(sysconfig.get_path("scripts")) / "swingbridge")]
MODULE = [sys.executable, "-m", "swingbridge"]

PROGRAM = """
from swingbridge import Client, RegisteredFunction, ResponsesToolRunner
from rehearsal.support import QUESTION, weather
with Client() as client:
    print(ResponsesToolRunner(functions=[weather()]).run(client, QUESTION).output_text)
"""

posix = pytest.mark.skipif(sys.platform == "win32", reason="signals are sent with POSIX calls")


@pytest.fixture(params=[INSTALLED, MODULE], ids=["installed", "module"])
def command(request: pytest.FixtureRequest) -> list[str]:
    words: list[str] = request.param
    return [*words, "rehearse"]


@pytest.fixture
def script(tmp_path: Path) -> str:
    path = tmp_path / "script.yaml"
    path.write_text(SCRIPT, "utf-8")
    return str(path)


def ended(*words: str) -> tuple[int, str, str]:
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=LONG)
    return done.returncode, done.stdout, done.stderr


class Rehearsal:
    """The command at work."""

    def __init__(self, *words: str) -> None:
        self.process = subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        self.lines: IO[str] = self.process.stdout
        self.url = self.lines.readline().split()[2]

    def end(self, number: int) -> tuple[int, str, str]:
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=LONG)
        return self.process.returncode, out, err


@pytest.fixture
def rehearsals() -> Iterator[list[Rehearsal]]:
    begun: list[Rehearsal] = []
    yield begun
    for rehearsal in begun:
        rehearsal.process.kill()
        rehearsal.process.communicate()


@posix
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_until_it_is_interrupted(
    command: list[str], script: str, number: int, rehearsals: list[Rehearsal]
) -> None:
    rehearsal = Rehearsal(*command, script)
    rehearsals.append(rehearsal)
    with Client(base_url=rehearsal.url, api_key="any") as client:
        assert client.responses.create(model="m", input="go").output_text == "one"
    assert rehearsal.lines.readline() == "200 turn 1\n"
    # Python's own handler would tell of a KeyboardInterrupt.
    assert rehearsal.end(number) == (0, "", "")


@posix
def test_turns_that_are_left_have_a_code_of_their_own(
    command: list[str], script: str, rehearsals: list[Rehearsal]
) -> None:
    rehearsal = Rehearsal(*command, script)
    rehearsals.append(rehearsal)
    assert rehearsal.end(signal.SIGINT) == (1, "turns left: 1 of 1\n", "")


def test_a_program_runs_within_it(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "weather.yaml"
    script.write_text(WEATHER, "utf-8")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))
    code, out, err = ended(*command, str(script), "--", sys.executable, "-c", PROGRAM)
    assert (code, out) == (0, "It rains in Ghent.\n")
    assert err.splitlines()[1:] == ["200 turn 1", "200 turn 2"]


def test_a_program_that_fails_gives_its_code(command: list[str], script: str) -> None:
    code, out, err = ended(*command, script, "--", sys.executable, "-c", "raise SystemExit(7)")
    assert (code, out) == (7, "")
    assert err.splitlines()[1:] == ["turns left: 1 of 1"]


@posix
def test_arguments_need_not_be_text(command: list[str], tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9.yaml")
    try:
        (tmp_path / name).write_text(SCRIPT, "utf-8")
    except OSError:
        pytest.skip("this file system takes no such name")
    show = "import os, sys; print(os.fsencode(sys.argv[1]))"
    code, out, _ = ended(*command, str(tmp_path / name), "--", sys.executable, "-c", show, name)
    assert (code, out) == (1, str(b"caf\xe9.yaml") + "\n")


def test_a_rehearsal_that_cannot_be_held(command: list[str], tmp_path: Path) -> None:
    path = tmp_path / "missing.yaml"
    code, out, err = ended(*command, str(path))
    assert (code, out) == (2, "")
    assert err.startswith(f"swingbridge: {path}: ")


@pytest.mark.parametrize("words", [INSTALLED, MODULE])
def test_it_says_its_version_and_its_use(words: list[str]) -> None:
    code, out, err = ended(*words, "--version")
    assert (code, err) == (0, "")
    assert out == f"swingbridge {importlib.metadata.version('swingbridge')}\n"
    code, out, _ = ended(*words, "rehearse", "--help")
    assert code == 0
    assert "Usage: swingbridge rehearse " in out
