"""A program for the published helpers runs with only its imports changed, and does the same (P-2).

The two programs in ``programs/`` are run twice: as they stand, on the published package, and with
its module names replaced, on swingbridge. What they return and what the endpoint got must be equal,
but for the words of descriptions and errors and the spelling of JSON texts.
"""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path
from typing import Any

import pytest

from runner.endpoint import function_call, message, response, serving

PROGRAMS = Path(__file__).parent / "programs"
PUBLISHED = re.compile(r"openai\.lib\.(browser|responses_tool_runner)")

pytest.importorskip("openai.lib.browser")


def answers() -> list[Any]:
    """Two tasks: one that ends well, one whose function fails."""
    click = {"target": "e1", "tab_id": None}
    return [
        response(
            {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x", "new": 1},
            function_call("browser_read_page", {"tab_id": None, "filter": "all"}, call_id="a"),
            function_call("price_of", {"item": "hat"}, call_id="b"),
        ),
        response(
            function_call("browser_click", {**click, "target": "gone"}, call_id="c"),
            function_call("browser_click", click, call_id="d"),
        ),
        response(function_call("browser_screenshot", {"tab_id": None}, call_id="e")),
        response(message("Bought a hat.")),
        response(
            function_call("browser_click", click, call_id="f"),
            function_call("price_of", {"item": "nothing"}, call_id="g"),
            function_call("browser_click", click, call_id="h"),
        ),
    ]


def run(name: str, module: str | None) -> dict[str, Any]:
    """What the program returned and sent, with its helpers from ``module``."""
    text = (PROGRAMS / f"{name}.py").read_text("utf-8")
    if module is not None:
        text, changed = PUBLISHED.subn(module, text)
        assert changed == 2
    scope: dict[str, Any] = {"__name__": f"{name}_program"}
    exec(compile(text, f"{name}.py", "exec", dont_inherit=True), scope)
    script = json.loads(json.dumps(answers()))
    with serving(*number_items(script)) as endpoint, warnings.catch_warnings():
        if module is None:
            warnings.simplefilter("ignore")
        results = scope["main"](endpoint.url)
    return {"results": results, "requests": endpoint.requests}


def number_items(script: list[Any]) -> list[Any]:
    # The same ids in both runs.
    for turn, body in enumerate(script):
        body["id"] = f"resp_{turn}"
        for index, item in enumerate(body["output"]):
            item["id"] = f"item_{turn}_{index}"
    return script


def normal(value: Any) -> Any:
    """The value without what may differ."""
    if isinstance(value, (list, tuple)):
        return [normal(item) for item in value]
    if not isinstance(value, dict):
        return value
    fields = {name: normal(item) for name, item in value.items()}
    if fields.get("type") == "input_text" and fields["text"].startswith("{"):
        fields["text"] = normal(json.loads(fields["text"]))
    if "ok" in fields:
        if "error" in fields:
            fields["error"] = "words"
        if fields.get("result", ...) is None:
            del fields["result"]
    if "duration_ms" in fields:
        assert fields.pop("duration_ms") >= 0
    fields.pop("description", None)
    if "tools" in fields:
        # The order of tools is each package's own.
        fields["tools"] = sorted(fields["tools"], key=json.dumps)
    return fields


@pytest.mark.parametrize("name", ["synchronous", "asynchronous"])
def test_the_program_does_the_same(name: str) -> None:
    published, ours = run(name, None), run(name, "swingbridge")
    assert normal(ours["results"]) == normal(published["results"])
    assert normal(ours["requests"]) == normal(published["requests"])


@pytest.mark.parametrize("name", ["synchronous", "asynchronous"])
def test_the_program_does_something(name: str) -> None:
    """The comparison is worth something: both runs came to every end that they were written for."""
    done = run(name, "swingbridge")
    results = done["results"]
    assert len(done["requests"]) == 5
    assert results["toolset"]["cancelled"] == "cancelled"
    assert results["toolset"]["close inside"] == {"status": "draining"}
    assert results["runner"]["text"] == "Bought a hat."
    assert results["runner"]["attempted"] == ("f", "g")
    assert results["runner"]["completed"] == ("f",)
    spoken = json.dumps([results["toolset"]["outputs"], done["requests"]])
    assert "gone is stale" in spoken
    assert "a private text" not in spoken
