"""The Python examples of the pages about runs run as they stand."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(("page", "count"), [("runner", 5), ("streaming", 1), ("ledgers", 1)])
def test_the_examples_run(page: str, count: int) -> None:
    text = (DOCS / f"{page}.md").read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) == count
    scope: dict[str, Any] = {}
    for block in blocks:
        exec(compile(block, f"{page}.md", "exec", dont_inherit=True), scope)
