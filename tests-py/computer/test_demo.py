"""The pick-up demo runs, and fails when the details were not really asked for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from drivers.rig import launch_options

DEMO = Path(__file__).parents[2] / "examples" / "pickup" / "python"


def run(script: str) -> subprocess.CompletedProcess[str]:
    """The demo without a terminal, with `script` run before it."""
    program = f"import scripted\n{script}\nimport main\nmain.main()"
    options = launch_options()
    browser = (
        {"SWINGBRIDGE_CHROMIUM": options["executable_path"]} if "executable_path" in options else {}
    )
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=DEMO,
        env={**os.environ, **browser, "PYTHONDONTWRITEBYTECODE": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_shows_and_verifies_the_details() -> None:
    done = run("")
    assert done.returncode == 0, done.stderr
    assert "click x=560 y=376 button=left: approved by itself" in done.stdout
    assert done.stdout.splitlines()[-1].split() == [
        "verified",
        "locker",
        "B17,",
        "code",
        "4083:",
        "asked",
        "for",
        "once",
    ]
    picture = DEMO.parents[2] / "out" / "pickup-python.png"
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("scripted.SCRIPT[1] = [{'type': 'wait'}]", "asked for 0 times"),
        ("scripted.ANSWER = 'It is in locker B17.'", "does not name the code"),
    ],
)
def test_it_fails_when_that_is_not_so(script: str, words: str) -> None:
    done = run(script)
    assert done.returncode == 1
    assert words in done.stderr
