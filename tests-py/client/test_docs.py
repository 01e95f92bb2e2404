"""The Python examples of the page about endpoints run as they stand; a server on this machine answers."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from client.service import KEY, Wire, answer, message, response, serving, stream
from swingbridge.api_errors import CLASSES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "endpoints.md").read_text("utf-8")


def talk(wire: Wire) -> None:
    whole = response(message("It is open."))
    delta = {"type": "response.output_text.delta", "delta": "It is open."}
    while (heard := wire.hear()) is not None:
        is_stream = heard.json.get("stream", False)
        ended = {"type": "response.completed", "response": whole}
        wire.say(stream(delta, ended) if is_stream else answer(whole, x_request_id="req_1"))


def test_the_examples_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 4
    scope: dict[str, Any] = {}
    with serving(talk) as service:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_BASE_URL", service.url)
        for block in blocks:
            exec(compile(block, "endpoints.md", "exec", dont_inherit=True), scope)
    assert capsys.readouterr().out == "It is open. 5 req_1\nIt is open."


def test_the_table_of_errors_is_that_of_the_package() -> None:
    section = PAGE.partition("## Errors")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)`.*\| ([^|]*) \|$", section, re.MULTILINE)
    listed = {code: name for name, cell in rows for code in re.findall(r"`(\w+)`", cell)}
    codes = json.loads((ROOT / "conformance" / "client_error_codes.json").read_text("utf-8"))
    # Nobody meets these but by a fault of the machine, or by reading one stream from two places.
    unlisted = {"no_randomness", "request_path_invalid"}
    assert set(codes["client"]) - listed.keys() <= unlisted
    for code, name in listed.items():
        if code in CLASSES:
            assert CLASSES[code].__name__ == name
