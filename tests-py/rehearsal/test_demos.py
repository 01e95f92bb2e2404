"""The demos run over HTTP to a rehearsal without another package's client, and fail when the task was not
really done (D-4, D-8).
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from drivers.rig import launch_options

ROOT = Path(__file__).parents[2]
DEMOS = {
    "booking": "verified  LC-1042: vaccination, 2027-03-05T14:15, Robin Vale",
    "pickup": "verified  locker B17, code 4083: asked for once",
}

# Every rehearsal plays the script that the environment names.
OTHER_SCRIPT = """
import os, sys
from swingbridge.rehearsal import RehearsalServer
first = RehearsalServer.from_file
RehearsalServer.from_file = lambda path: first(os.environ["SCRIPT"])
sys.path.insert(0, os.getcwd())
import main
main.main()
"""


def folder_of(demo: str) -> Path:
    return ROOT / "examples" / demo


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """No terminal, the browser of this machine, and no package `openai`."""
    refusing = tmp_path / "refusing"
    refusing.mkdir()
    (refusing / "sitecustomize.py").write_text(
        'import sys; sys.modules["openai"] = None\n', "utf-8"
    )
    options = launch_options()
    browser = (
        {"SWINGBRIDGE_CHROMIUM": options["executable_path"]} if "executable_path" in options else {}
    )
    return {
        **os.environ,
        **browser,
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": str(refusing),
    }


def run(*words: str, environment: dict[str, str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def test_nothing_can_import_openai_here(environment: dict[str, str], tmp_path: Path) -> None:
    program = "import swingbridge, openai"
    done = run(sys.executable, "-c", program, environment=environment, folder=tmp_path)
    assert done.returncode == 1
    assert "import of openai halted" in done.stderr


@pytest.mark.parametrize("demo", DEMOS)
def test_the_task_is_done_over_http_and_verified(demo: str, environment: dict[str, str]) -> None:
    picture = ROOT / "out" / f"{demo}-python.png"
    picture.unlink(missing_ok=True)
    main = str(folder_of(demo) / "python" / "main.py")
    done = run(sys.executable, main, environment=environment, folder=ROOT)
    assert (done.returncode, done.stderr) == (0, "")
    service = r"  service   a rehearsal, asked over HTTP at http://127\.0\.0\.1:\d+/v1\n"
    assert re.search(service, done.stdout)
    assert ": approved by itself" in done.stdout
    *_, verified, last = done.stdout.splitlines()
    assert verified.strip() == DEMOS[demo]
    assert re.fullmatch(r"  verified  all \d requests went to the rehearsal over HTTP", last)
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("demo", DEMOS)
def test_a_service_is_found_by_the_variables_of_openai(
    demo: str, environment: dict[str, str]
) -> None:
    folder = folder_of(demo)
    rehearse = [sys.executable, "-m", "swingbridge", "rehearse", str(folder / "script.yaml"), "--"]
    program = [sys.executable, str(folder / "python" / "main.py"), "--live", "any"]
    done = run(*rehearse, *program, environment=environment, folder=ROOT)
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[1].startswith("200 turn 1")
    assert "  service   any, at the address that the OPENAI_ variables say\n" in done.stdout
    assert done.stdout.splitlines()[-1].strip() == DEMOS[demo]


@pytest.mark.parametrize(
    ("demo", "pattern", "text", "words"),
    [
        ("booking", r"browser_click: {", "browser_wait_for: { text: Vale, timeout_ms: 1,", ""),
        ("booking", r"Robin Vale", "Robin Dale", "FAILED: Name was saved as 'Robin Dale'"),
        ("booking", r"The reference is.*", "Goodbye.", "does not name the reference"),
        ("booking", r"\Z", "  - message: more\n", "FAILED: 1 turns were not asked for"),
        ("pickup", r"\n.*type: move.*\n.*type: click.*\n", " [{ type: wait }]\n", "for 0 times"),
        ("pickup", r"Its code is 4083.", "", "FAILED: the answer does not name the code"),
        ("pickup", r"\Z", "  - message: more\n", "FAILED: 1 turns were not asked for"),
    ],
)
def test_it_fails_when_that_is_not_so(
    demo: str, pattern: str, text: str, words: str, environment: dict[str, str], tmp_path: Path
) -> None:
    changed, count = re.subn(
        pattern, text, (folder_of(demo) / "script.yaml").read_text("utf-8"), count=1
    )
    assert count == 1
    script = tmp_path / "script.yaml"
    script.write_text(changed, "utf-8")
    done = run(
        sys.executable,
        "-c",
        OTHER_SCRIPT,
        environment={**environment, "SCRIPT": str(script)},
        folder=folder_of(demo) / "python",
    )
    assert done.returncode == 1
    assert words in done.stderr
    assert "all " not in done.stdout
