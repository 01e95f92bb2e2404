"""The Python examples of the pages about runs run as they stand."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


@pytest.mark.parametrize(("page", "count"), [("runner", 5), ("streaming", 1), ("ledgers", 1)])
def test_the_examples_run(page: str, count: int) -> None:
    text = (DOCS / f"{page}.md").read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) == count
    scope: dict[str, Any] = {}
    for block in blocks:
        exec(compile(block, f"{page}.md", "exec", dont_inherit=True), scope)


@pytest.mark.parametrize(
    ("page", "pattern", "count"),
    [
        # What is seen, in the table of "When a run stops".
        ("runner", r"^\| ([^|]*): (`[a-z_]+`.*?) \|", 20),
        ("streaming", r"^\|()[^|]*\| stops, (`[a-z_]+`) \|$", 5),
    ],
)
def test_the_codes_are_those_of_stops(page: str, pattern: str, count: int) -> None:
    text = (DOCS / f"{page}.md").read_text("utf-8")
    cells = [cell for _, cell in re.findall(pattern, text, re.MULTILINE)]
    named = [code for cell in cells for code in re.findall(r"`([a-z]+(?:_[a-z]+)+)`", cell)]
    codes = json.loads((ROOT / "conformance" / "error_codes.json").read_text("utf-8"))
    assert len(named) >= count
    assert set(named) <= set(codes["stop"])
