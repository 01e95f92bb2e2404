"""What type-checks and what does not, asked of mypy (B-53). ``make types`` asks pyright as well."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
IGNORE = re.compile(r"  # type: ignore\[[a-z, -]+\]")


def complaints(program: Path) -> set[int]:
    """The lines that strict mypy complains about."""
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--config-file=",
            "--strict",
            "--python-version=3.10",
            "--no-error-summary",
            "--hide-error-context",
            f"--cache-dir={program.parent / '.mypy_cache'}",
            program.name,
        ],
        cwd=program.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert (done.returncode != 0) == bool(lines), done.stdout + done.stderr
    assert all(line.startswith(f"{program.name}:") for line in lines), done.stdout
    return {int(line.split(":")[1]) for line in lines}


@pytest.mark.parametrize(
    "name",
    [
        "accepted",
        "client_accepted",
        "computer_accepted",
        "rehearsal_accepted",
        "typed_tools_accepted",
    ],
)
def test_these_programs_check(name: str, tmp_path: Path) -> None:
    copy = tmp_path / "program.py"
    copy.write_text((HERE / f"{name}.py").read_text("utf-8"), "utf-8")
    assert complaints(copy) == set()


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("refused", 26),
        ("client_refused", 16),
        ("computer_refused", 26),
        ("rehearsal_refused", 10),
        ("typed_tools_refused", 20),
    ],
)
def test_each_of_these_lines_does_not(name: str, count: int, tmp_path: Path) -> None:
    lines = (HERE / f"{name}.py").read_text("utf-8").splitlines()
    marked = {number for number, line in enumerate(lines, 1) if IGNORE.search(line)}
    assert len(marked) >= count
    copy = tmp_path / "program.py"
    copy.write_text(IGNORE.sub("", "\n".join(lines)), "utf-8")
    assert complaints(copy) == marked
