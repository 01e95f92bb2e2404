"""What the wheel promises to whoever installs it (P-1, P-4)."""

from __future__ import annotations

import configparser
import email
import re
import subprocess
import sys
import zipfile
from email.message import Message
from pathlib import Path

import pytest

MIB = 1024 * 1024
# A wheel holds the package, its native module, its metadata and nothing else.
ALLOWED = re.compile(
    r"swingbridge/(?:[a-z_]+/)*[a-z_0-9]+\.pyi?"
    r"|swingbridge/py\.typed"
    r"|swingbridge/_core\.(?:abi3\.so|pyd)"
    r"|swingbridge-[^/]+\.dist-info/(?:METADATA|WHEEL|RECORD|entry_points\.txt|licenses/LICENSE|sboms/[^/]+\.json)"
)


@pytest.fixture(scope="module")
def metadata(wheel: zipfile.ZipFile) -> Message:
    (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    return email.message_from_bytes(wheel.read(name))


def test_nothing_is_needed_at_run_time(metadata: Message) -> None:
    requirements = metadata.get_all("Requires-Dist", [])
    assert [text for text in requirements if "extra ==" not in text] == []


def test_the_metadata_says_what_it_runs_on(metadata: Message) -> None:
    assert metadata["Name"] == "swingbridge"
    assert metadata["Requires-Python"] == ">=3.10"
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Description-Content-Type"].startswith("text/markdown")


def test_one_wheel_serves_every_python_since_the_oldest(wheel_path: Path) -> None:
    assert "-cp310-abi3-" in wheel_path.name


def test_the_wheel_is_small(wheel_path: Path) -> None:
    assert wheel_path.stat().st_size < 6 * MIB


def test_the_wheel_holds_only_what_it_should(wheel: zipfile.ZipFile) -> None:
    strays = [name for name in wheel.namelist() if not ALLOWED.fullmatch(name)]
    assert strays == []


def test_the_wheel_is_typed_and_complete(wheel: zipfile.ZipFile, root: Path) -> None:
    names = set(wheel.namelist())
    assert "swingbridge/py.typed" in names
    assert "swingbridge/_core.pyi" in names
    package = root / "bindings-python" / "python"
    wanted = {path.relative_to(package).as_posix() for path in package.rglob("*.py")}
    assert wanted <= names


def test_the_wheel_brings_the_command(wheel: zipfile.ZipFile) -> None:
    (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/entry_points.txt"))
    points = configparser.ConfigParser()
    points.read_string(wheel.read(name).decode())
    assert {section: dict(points[section]) for section in points.sections()} == {
        "console_scripts": {"swingbridge": "swingbridge.__main__:main"}
    }


def test_no_test_file_is_shipped(wheel: zipfile.ZipFile) -> None:
    pattern = re.compile(r"(^|/)(tests?[-_./]|conftest|.*_test\.py)")
    assert [name for name in wheel.namelist() if pattern.search(name)] == []


def test_the_wheel_works_alone(wheel_path: Path, tmp_path: Path) -> None:
    """Unpacked into an empty folder, with no site-packages at all, the package imports."""
    with zipfile.ZipFile(wheel_path) as archive:
        archive.extractall(tmp_path)
    program = "import sys; sys.path.insert(0, sys.argv[1]); import swingbridge; print(swingbridge.__file__)"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()).is_relative_to(tmp_path)


def test_the_source_distribution_can_rebuild_it_and_has_no_more(root: Path, tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "maturin", "sdist", "--out", str(tmp_path)],
        cwd=root,
        check=True,
        capture_output=True,
    )
    (archive,) = tmp_path.glob("swingbridge-*.tar.gz")
    assert archive.stat().st_size < 6 * MIB
    listed = subprocess.run(
        ["tar", "-tzf", str(archive)], check=True, capture_output=True, text=True
    )
    names = {line.split("/", 1)[1] for line in listed.stdout.splitlines() if not line.endswith("/")}
    assert {
        "Cargo.lock",
        "LICENSE",
        "PKG-INFO",
        "README.md",
        "bindings-python/Cargo.toml",
        "bindings-python/python/swingbridge/py.typed",
        "bindings-python/src/lib.rs",
        "client/Cargo.toml",
        "core/Cargo.toml",
        "core/src/lib.rs",
        "pyproject.toml",
        "rehearsal/Cargo.toml",
    } <= names
    outside = {name.split("/")[0] for name in names if "/" in name}
    assert outside == {"bindings-python", "client", "core", "rehearsal"}
