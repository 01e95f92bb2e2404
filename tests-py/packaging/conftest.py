"""What the packaging tests share: the repository, its files and the wheel that set-up built."""

from __future__ import annotations

import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def sources() -> list[Path]:
    """Every file of the repository that is tracked or about to be, relative to its root."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return [Path(name) for name in sorted(set(listed.split("\0"))) if (ROOT / name).is_file()]


@pytest.fixture(scope="session")
def wheel_path() -> Path:
    wheels = sorted((ROOT / "target" / "wheels").glob("swingbridge-*.whl"))
    assert len(wheels) == 1, f"set-up builds exactly one wheel, found {wheels}; run make setup"
    return wheels[0]


@pytest.fixture(scope="session")
def wheel(wheel_path: Path) -> Iterator[zipfile.ZipFile]:
    with zipfile.ZipFile(wheel_path) as archive:
        yield archive
