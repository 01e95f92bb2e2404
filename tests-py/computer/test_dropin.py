"""A program for the published helper runs with only its import changed, and does the same (P-2).

The programs in ``programs/`` are run twice: as they stand, on the published package, and with its
module's name replaced, on swingbridge. What they return and what the endpoint got must be equal.
"""

from __future__ import annotations

import copy
import warnings
from pathlib import Path
from typing import Any

import pytest

from computer.scripted import CHECK, CLICK, DRAG, MOVE, call
from runner.endpoint import message, response, serving

PROGRAMS = Path(__file__).parent / "programs"
PUBLISHED = "openai.lib.computer"

pytest.importorskip(PUBLISHED)

STOP = {**CHECK, "code": "stop"}
CALLS: list[dict[str, Any]] = [
    call(CLICK, {"type": "screenshot"}, DRAG, {"type": "wait"}, checks=[]),
    call(
        {**CLICK, "keys": ["CTRL"]},
        {"type": "scroll", "x": 1, "y": 2, "scroll_x": 0, "scroll_y": 9},
    ),
    call({**CLICK, "x": 13}),
    call({"type": "type", "text": "fine"}, {"type": "type", "text": "forbidden"}),
    call({"type": "keypress", "keys": ["CTRL", "S"]}, MOVE, checks=[CHECK, {"id": "bare"}]),
    call(MOVE, checks=[STOP]),
]
ANSWERS: list[Any] = [
    # A task with reasoning, a check and a message.
    response(
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x", "new": 1},
        call(CLICK, {**MOVE, "unknown": [1]}, checks=[CHECK], number=1),
    ),
    response({"type": "compaction", "id": "cmp_1", "encrypted_content": "y"}, call(DRAG, number=2)),
    response(message("All done.", id="msg_1")),
    # One that reaches its limit.
    *(response(call(MOVE, number=number)) for number in (3, 4, 5)),
    # One whose driver fails in the second turn.
    response(call(MOVE, number=6)),
    response(call({**CLICK, "x": 13}, number=7)),
]


def run(name: str, module: str | None) -> dict[str, Any]:
    """What the program returned and sent, with its helper from ``module``."""
    text = (PROGRAMS / f"{name}.py").read_text("utf-8")
    assert text.count(f"from {PUBLISHED} import") == 1
    if module is not None:
        text = text.replace(f"from {PUBLISHED} import", f"from {module} import")
    scope: dict[str, Any] = {"__name__": f"{name}_program"}
    exec(compile(text, f"{name}.py", "exec", dont_inherit=True), scope)
    answers = copy.deepcopy(ANSWERS)
    for turn, body in enumerate(answers):
        body["id"] = f"resp_{turn}"
    with serving(*answers) as endpoint, warnings.catch_warnings():
        if module is None:
            warnings.simplefilter("ignore")
        results = scope["main"](endpoint.url, copy.deepcopy(CALLS))
    # The published helper says that it does not stream; saying nothing means the same.
    requests = [
        {name: value for name, value in request.items() if (name, value) != ("stream", False)}
        for request in endpoint.requests
    ]
    return {**results, "requests": requests}


@pytest.mark.parametrize("name", ["synchronous", "asynchronous"])
def test_the_program_does_the_same(name: str) -> None:
    published, ours = run(name, None), run(name, "swingbridge")
    assert ours["results"] == published["results"]
    assert ours["log"] == published["log"]
    assert ours["requests"] == published["requests"]


@pytest.mark.parametrize("name", ["synchronous", "asynchronous"])
def test_the_program_does_something(name: str) -> None:
    """The comparison is worth something: the run came to every end that it was written for."""
    done = run(name, "swingbridge")
    ends = [result[0] for result in done["results"] if isinstance(result, list)]
    assert ends.count("stopped") == 6
    assert ends.count("raised") == 6
    assert ["openai.types.responses.response", "All done."] in done["results"]
    assert ["stopped", "resp_5"] in done["results"]
    assert len(done["requests"]) == 8
    assert done["requests"][1]["tool_choice"] == "auto"
