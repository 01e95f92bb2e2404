"""The documents say nothing that the repository does not hold."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGES = ("CHANGELOG.md", "CONTRIBUTING.md", "README.md", "SECURITY.md")
LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)(#[^)]*)?\)")
COMMAND = re.compile(r"\bmake ([a-z][a-z-]+)")


@pytest.fixture(scope="module")
def pages(root: Path, sources: list[Path]) -> dict[Path, str]:
    found = {
        root / path: (root / path).read_text("utf-8") for path in sources if path.suffix == ".md"
    }
    assert {root / name for name in PAGES} <= found.keys()
    return found


def test_every_relative_link_leads_somewhere(pages: dict[Path, str], root: Path) -> None:
    broken = [
        f"{page.relative_to(root)}: {target}"
        for page, text in pages.items()
        for target, _ in LINK.findall(text)
        if not (page.parent / target).exists()
    ]
    assert broken == []


def test_every_make_command_is_a_target(pages: dict[Path, str], root: Path) -> None:
    makefile = (root / "Makefile").read_text("utf-8")
    targets = set(re.findall(r"^([a-z][a-z-]*):", makefile, re.MULTILINE))
    in_code = re.compile(r"`[^`\n]+`|^```.*?^```", re.MULTILINE | re.DOTALL)
    named = {
        command
        for text in pages.values()
        for code in in_code.findall(text)
        for command in COMMAND.findall(code)
    }
    assert {"demo", "test"} <= named
    assert named - targets == set()


def test_every_target_is_explained_or_internal(root: Path) -> None:
    makefile = (root / "Makefile").read_text("utf-8")
    explained = set(re.findall(r"^([a-z][a-z-]*):.*## \S", makefile, re.MULTILINE))
    assert {
        "all",
        "bench",
        "demo",
        "fmt",
        "fuzz-smoke",
        "lint",
        "setup",
        "stubs",
        "test",
    } <= explained


def test_the_licence_is_whole(root: Path) -> None:
    text = (root / "LICENSE").read_text("utf-8")
    assert "Apache License" in text
    assert "END OF TERMS AND CONDITIONS" in text
