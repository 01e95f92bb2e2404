"""The quick starts of the README run, with the real client against a scripted endpoint and a page without a browser."""

from __future__ import annotations

import builtins
import json
import os
import re
import subprocess
import sys
import threading
import types
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

ANSWER = "It is an example domain."


def item_call(call_id: str, member: str, arguments: dict[str, object]) -> dict[str, object]:
    return {
        "type": "function_call",
        "id": f"fc_{call_id}",
        "call_id": call_id,
        "name": f"browser_{member}",
        "arguments": json.dumps(arguments),
        "status": "completed",
    }


def scripted_turns() -> list[list[dict[str, object]]]:
    text: dict[str, object] = {"type": "output_text", "text": ANSWER, "annotations": []}
    message = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed"}
    return [
        [item_call("call_1", "navigate", {"tab_id": None, "url": "https://example.com/"})],
        [item_call("call_2", "get_page_text", {"tab_id": None})],
        [{**message, "content": [text]}],
    ]


class Endpoint(ThreadingHTTPServer):
    """A Responses endpoint on the loopback interface that plays one turn for each request."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.turns = scripted_turns()
        self.requests: list[dict[str, Any]] = []


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        assert isinstance(self.server, Endpoint)
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append(body)
        step = len(self.server.requests)
        response: dict[str, object] = {
            "id": f"resp_{step}",
            "object": "response",
            "created_at": 0,
            "status": "completed",
            "model": body["model"],
            "output": self.server.turns[step - 1],
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": body["tools"],
            "error": None,
            "incomplete_details": None,
            "instructions": None,
            "metadata": {},
            "temperature": None,
            "top_p": None,
        }
        payload = json.dumps(response).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, format: str, *args: object) -> None:
        """Keep the test's output to itself."""


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with Endpoint() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def quick_start(root: Path, language: str) -> str:
    (block,) = re.findall(
        rf"^```{language}\n(.*?)^```", (root / "README.md").read_text("utf-8"), re.M | re.S
    )
    return str(block)


def check_requests(endpoint: Endpoint) -> None:
    """Two calls were answered; the page's text, but not its path, went back to the model."""
    assert len(endpoint.requests) == 3
    outputs = [item for item in endpoint.requests[-1]["input"] if "output" in item]
    assert [item["call_id"] for item in outputs] == ["call_1", "call_2"]
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
    endpoint: Endpoint,
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
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{endpoint.server_port}/v1")
    program = compile(quick_start(root, "python"), "README.md", "exec")
    exec(program, {"__name__": "__main__"})
    assert capsys.readouterr().out == f"{ANSWER}\n"
    assert len(questions) == 1
    assert questions[0].startswith("navigate ")
    check_requests(endpoint)


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


def test_node(root: Path, endpoint: Endpoint, tmp_path: Path) -> None:
    # The program stands inside the package, so that `swingbridge` and `openai` resolve; only the browser is replaced.
    program = tmp_path / "playwright.mjs"
    program.write_text(NODE_PAGE, "utf-8")
    source = quick_start(root, "js")
    assert "from 'playwright'" in source
    source = source.replace("from 'playwright'", f"from '{program.as_uri()}'")
    with subprocess.Popen(
        [os.environ["SWINGBRIDGE_NODE24"], "--input-type=module", "--eval", source],
        cwd=root,
        env={
            **os.environ,
            "OPENAI_API_KEY": "not-a-key",
            "OPENAI_BASE_URL": f"http://127.0.0.1:{endpoint.server_port}/v1",
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
    check_requests(endpoint)
