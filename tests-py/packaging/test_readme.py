"""The quick starts of the README run, over HTTP to a rehearsal of its script, with a page without a browser."""

from __future__ import annotations

import builtins
import json
import os
import re
import subprocess
import sys
import types
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from swingbridge.rehearsal import RehearsalServer

ANSWER = "It is an example domain."


@pytest.fixture
def server(root: Path) -> Iterator[RehearsalServer]:
    with RehearsalServer(example(root, "yaml")) as server:
        yield server


def example(root: Path, language: str) -> str:
    (block,) = re.findall(
        rf"^```{language}\n(.*?)^```", (root / "README.md").read_text("utf-8"), re.M | re.S
    )
    return str(block)


def check_requests(server: RehearsalServer) -> None:
    """Two calls were answered; the page's text, but not its path, went back to the model."""
    assert (len(server.requests), server.turns_left) == (3, 0)
    outputs = [item for item in server.requests[-1].json()["input"] if "output" in item]
    assert [item["call_id"] for item in outputs] == ["call_1_1", "call_2_1"]
    results = [json.loads(item["output"][0]["text"]) for item in outputs]
    assert [result["ok"] for result in results] == [True, True]
    assert results[1]["result"] == "Example Domain"
    assert results[1]["state"]["tabs"][0]["url"] == "https://example.com"


class Page:
    url = "about:blank"

    def title(self) -> str:
        return "Example"

    def goto(self, url: str) -> None:
        self.url = url

    def inner_text(self, selector: str) -> str:
        return "Example Domain"


@contextmanager
def no_playwright() -> Generator[Any]:
    browser = types.SimpleNamespace(new_page=Page)
    yield types.SimpleNamespace(chromium=types.SimpleNamespace(launch=lambda: browser))


def test_python(
    root: Path,
    server: RehearsalServer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    questions: list[str] = []

    def approve(question: str) -> str:
        questions.append(question)
        return "y"

    playwright = types.ModuleType("playwright.sync_api")
    monkeypatch.setattr(playwright, "sync_playwright", no_playwright, raising=False)
    monkeypatch.setitem(sys.modules, "playwright.sync_api", playwright)
    monkeypatch.setattr(builtins, "input", approve)
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    program = compile(example(root, "python"), "README.md", "exec")
    exec(program, {"__name__": "__main__"})
    assert capsys.readouterr().out == f"{ANSWER}\n"
    assert len(questions) == 1
    assert questions[0].startswith("navigate ")
    check_requests(server)


NODE_PAGE = """
let address = 'about:blank';
const page = {
  title: async () => 'Example',
  url: () => address,
  goto: async (url) => { address = url; },
  innerText: async () => 'Example Domain',
};
export const chromium = { launch: async () => ({ newPage: async () => page, close: async () => {} }) };
"""


def test_node(root: Path, server: RehearsalServer, tmp_path: Path) -> None:
    # The program stands inside the package, so that `swingbridge` resolves; only the browser is replaced.
    program = tmp_path / "playwright.mjs"
    program.write_text(NODE_PAGE, "utf-8")
    source = example(root, "js")
    assert "from 'playwright'" in source
    source = source.replace("from 'playwright'", f"from '{program.as_uri()}'")
    with subprocess.Popen(
        ["node", "--input-type=module", "--eval", source],
        cwd=root,
        env={
            **os.environ,
            "OPENAI_API_KEY": "not-a-key",
            "OPENAI_BASE_URL": server.url,
        },
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        # A person answers after the question; an answer that comes before it would be lost.
        assert process.stdout is not None
        asked = ""
        while not asked.endswith("[y/N] ") and (character := process.stdout.read(1)):
            asked += character
        printed, complaints = process.communicate("y\n", timeout=60)
    assert process.returncode == 0, complaints
    assert asked == "navigate? [y/N] "
    assert printed == f"{ANSWER}\n"
    check_requests(server)
