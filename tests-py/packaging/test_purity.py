"""The core has no I/O, no async runtime, no clock and no host types; its dependency tree proves part of that."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

IMPURE = re.compile(
    r"async-.*|futures.*|mio|polling|smol|tokio.*"  # runtimes
    r"|hyper.*|reqwest|rustls.*|socket2|ureq"  # networks
    r"|napi.*|pyo3.*|pythonize"  # hosts
    r"|chrono|getrandom|jiff|rand|rand_.*|time|uuid"  # clocks and randomness
    r"|rusqlite|tempfile|walkdir"  # disks
)


def crates_below(root: Path, package: str) -> set[str]:
    listed = subprocess.run(
        [
            "cargo",
            "tree",
            "--offline",
            "-p",
            package,
            "--edges",
            "normal,build",
            "--prefix",
            "none",
        ],
        cwd=root,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return {line.split()[0] for line in listed.splitlines() if line} - {package}


def test_the_core_depends_on_nothing_impure(root: Path) -> None:
    crates = crates_below(root, "swingbridge-core")
    assert "serde_json" in crates
    assert {crate for crate in crates if IMPURE.fullmatch(crate)} == set()


@pytest.mark.parametrize(
    ("package", "host", "other"),
    [
        ("swingbridge-python", "pyo3", "napi"),
        ("swingbridge-node", "napi", "pyo3"),
    ],
)
def test_a_binding_knows_its_own_host_only(root: Path, package: str, host: str, other: str) -> None:
    crates = crates_below(root, package)
    assert host in crates
    assert other not in crates
