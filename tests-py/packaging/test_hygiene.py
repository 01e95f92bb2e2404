"""What must never be in the repository, and how large a file may grow."""

from __future__ import annotations

import re
import statistics
from pathlib import Path

import pytest

MIB = 1024 * 1024
SOURCES = {".js", ".py", ".rs", ".sh", ".ts"}
# Machines write these: their length is not a matter of style, their text is checked where they are made.
GENERATED = {"bindings-node/native/native.d.ts", "bindings-python/python/swingbridge/_core.pyi"}
LOCKS = {"Cargo.lock", "package-lock.json"}
# Conformance vectors are data, measured once.
DATA = re.compile(r"conformance/.*\.(json|jsonl)")

# Source files that may pass 600 lines: path -> the reason why splitting would hurt.
LONG_FILES: dict[str, str] = {}

# Split, so that this file does not find itself.
MACHINE_PATH = re.compile(
    r"(?<![\w.~-])/(?:" + "|".join(["wo" + "rk", "ro" + "ot", "fa" + "rm", "ho" + "me"]) + r")/\w"
)
REGISTRY_HOST = re.compile(
    "|".join(
        re.escape(host)
        for host in (
            "registry." + "npmjs",
            "files." + "pythonhosted",
            "pypi" + ".org/simple",
            "index." + "crates.io",
            "static." + "crates.io",
            "deb." + "debian",
        )
    )
)


@pytest.fixture(scope="module")
def texts(root: Path, sources: list[Path]) -> dict[str, str]:
    return {
        path.as_posix(): (root / path).read_text("utf-8", errors="surrogateescape")
        for path in sources
    }


@pytest.fixture(scope="module")
def lengths(texts: dict[str, str]) -> dict[str, int]:
    return {
        name: text.count("\n")
        for name, text in texts.items()
        if Path(name).suffix in SOURCES and name not in GENERATED
    }


def lines_with(texts: dict[str, str], pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{name}:{number}: {line.strip()[:120]}"
        for name, text in texts.items()
        if not DATA.fullmatch(name)
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]


def test_there_is_something_to_check(texts: dict[str, str], lengths: dict[str, int]) -> None:
    assert "Cargo.toml" in texts
    assert "tests-py/packaging/test_hygiene.py" in lengths


def test_no_path_of_one_machine(texts: dict[str, str]) -> None:
    assert lines_with(texts, MACHINE_PATH) == []


def test_no_registry_host(texts: dict[str, str]) -> None:
    """Cargo.lock names the index of crates.io by its canonical name, which is no host to fetch from."""
    assert lines_with(texts, REGISTRY_HOST) == []


@pytest.mark.parametrize(
    ("pattern", "line"),
    [
        (MACHINE_PATH, "path = /ho" + "me/someone/project"),
        (MACHINE_PATH, '"/wo' + 'rk/main"'),
        (REGISTRY_HOST, "https://registry." + "npmjs.org/a.tgz"),
    ],
)
def test_the_patterns_find_what_they_are_for(pattern: re.Pattern[str], line: str) -> None:
    assert lines_with({"x": line}, pattern) != []


def test_the_npm_lock_names_no_host(texts: dict[str, str]) -> None:
    assert '"integrity"' in texts["package-lock.json"]
    assert '"resolved"' not in texts["package-lock.json"]


def test_no_file_is_large(root: Path, sources: list[Path]) -> None:
    sizes = {path.as_posix(): (root / path).stat().st_size for path in sources}
    large = [name for name, size in sizes.items() if size > MIB and not DATA.fullmatch(name)]
    assert large == []


def test_no_file_is_binary(texts: dict[str, str]) -> None:
    def is_text(text: str) -> bool:
        return "\0" not in text and not any("\udc80" <= char <= "\udcff" for char in text)

    assert not is_text("\udcff")
    assert not is_text("a\0")
    assert [name for name, text in texts.items() if not is_text(text)] == []


def test_every_text_ends_its_lines_like_the_rest(texts: dict[str, str]) -> None:
    wrong = [
        name
        for name, text in texts.items()
        if "\r\n" in text or (text and not text.endswith("\n") and not DATA.fullmatch(name))
    ]
    assert wrong == []


def test_source_files_are_short(lengths: dict[str, int]) -> None:
    median = statistics.median(length for length in lengths.values() if length)
    assert median < 250
    long = {name for name, length in lengths.items() if length > 600}
    assert long == LONG_FILES.keys(), "split the file by concept, or give the reason in LONG_FILES"
    assert all(lengths[name] < 1000 for name in long)


def test_no_unfinished_mark(texts: dict[str, str]) -> None:
    marks = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X)\b|todo!\(|unimplemented!\(")
    code = {name: text for name, text in texts.items() if Path(name).suffix in SOURCES}
    assert lines_with(code, marks) == []


@pytest.mark.parametrize("lock", sorted(LOCKS))
def test_lock_files_are_committed(texts: dict[str, str], lock: str) -> None:
    assert texts[lock]
