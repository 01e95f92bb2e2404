"""Whole runs that are saved, in the form of the vectors (``conformance/README.md``)."""

from __future__ import annotations

import json
from typing import Any

Scenario = dict[str, Any]

TEXTS = "Grüße, 世界, 🧭 \u2028\u0000\u007f\ufeff \"'\\/ <b> &amp; \t\r\n"
LARGEST = 2**53 - 1
USER = {"role": "user", "content": "hello"}
PICTURE = "data:image/png;base64," + "QUJD" * 200


def call(number: int, name: str, arguments: Any = None, **fields: Any) -> dict[str, Any]:
    """A completed call; ``arguments`` is an object, or the raw text."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
    return {
        "id": f"fc_{number}",
        "type": "function_call",
        "status": "completed",
        "arguments": text,
        "call_id": f"call_{number}",
        "name": name,
        **fields,
    }


def computer_call(number: int, *actions: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {
        "type": "computer_call",
        "id": f"cu_{number}",
        "call_id": f"call_{number}",
        "status": "completed",
        "actions": list(actions),
        "pending_safety_checks": [],
        **fields,
    }


def message(text: str = "done", **fields: Any) -> dict[str, Any]:
    return {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": text, "annotations": []}],
        **fields,
    }


def scenario(
    tools: dict[str, Any],
    *outputs: list[dict[str, Any]],
    options: dict[str, Any] | None = None,
    **fields: Any,
) -> Scenario:
    """A run that ends with a message after these outputs."""
    listed = [*outputs, [message()]]
    return {
        "tools": tools,
        "params": {"model": "m", "input": [USER], **fields.pop("params", {})},
        "options": {"ledger": {"run_id": "run_1"}, **(options or {})},
        "responses": [
            {
                "id": f"resp_{number}",
                "object": "response",
                "status": "completed",
                "output": output,
                "usage": {"input_tokens": 3, "output_tokens": 2, "total_tokens": 5},
            }
            for number, output in enumerate(listed, 1)
        ],
        **fields,
    }


def function(name: str, returns: Any = "done", **fields: Any) -> dict[str, Any]:
    return {"name": name, "behaviour": {"returns": returns}, **fields}


LOOKUP = {"functions": [function("lookup")]}
BROWSER = {
    "implements": ["click", "read_page", "screenshot", "navigate"],
    "states": [{"tabs": [{"id": "t", "title": TEXTS, "url": "https://a.test/x", "active": True}]}],
    "results": {
        "read_page": {"version": 1, "text": TEXTS, "elements": [], "omitted": ["private"]},
        # In another order than that of the documentation.
        "screenshot": {"detail": "high", "image_url": PICTURE, "type": "input_image"},
    },
}
CLICK = {"target": "e1", "tab_id": None}
POINT = {"type": "click", "x": 1, "y": 2, "button": "left"}
CHECKS = [
    {"id": "sc_1", "code": "malicious_instructions", "message": TEXTS},
    {"id": "sc_2"},
]
SERVER = {
    "type": "mcp",
    "server_label": "s",
    "server_url": "https://Mcp.Test:443/a b?token=secret&v=1#part",
    "authorization": "secret",
    "headers": {"X-Key": "secret"},
    "require_approval": "always",
}
APPROVAL = {
    "type": "mcp_approval_request",
    "id": "mcpr_1",
    "server_label": "s",
    "name": "tool",
    "arguments": '{"a":1}',
}

SCENARIOS: dict[str, Scenario] = {
    "functions": scenario(
        {"functions": [function("lookup"), function("note", "")]},
        [call(1, "lookup"), call(2, "note", {"a": [1, {"b": None}]})],
        [call(3, "note", "{ }")],
        [call(4, "lookup"), call(5, "lookup")],
    ),
    "content blocks": scenario(
        {
            "functions": [
                function(
                    "lookup",
                    [
                        {"text": TEXTS, "prompt_cache_breakpoint": {"mode": "explicit"}}
                        | {"type": "input_text"},
                        {"detail": "low", "type": "input_image", "image_url": PICTURE},
                        {"filename": "a.txt", "file_data": PICTURE, "type": "input_file"},
                    ],
                )
            ]
        },
        [call(1, "lookup")],
        [call(2, "lookup")],
    ),
    "texts": scenario(
        {
            "functions": [
                function(
                    "lookup",
                    TEXTS,
                    declaration={
                        "description": TEXTS,
                        "parameters": {"type": "object", "properties": {TEXTS: {"é": "😀"}}},
                    },
                )
            ]
        },
        [call(1, "lookup", {TEXTS: TEXTS}, future={TEXTS: [TEXTS]})],
        [call(2, "lookup", '{"\\u0041\\ud83d\\ude00":"\\u00e9\\/"}', note=TEXTS)],
        params={"input": TEXTS, "instructions": TEXTS},
    ),
    "numbers": scenario(
        LOOKUP,
        [call(1, "lookup", {"a": LARGEST, "b": [-LARGEST, 0.1, -2.5, 0]}, future=LARGEST)],
        [call(2, "lookup", {"a": 1234567.125}, future=[-LARGEST, 0.75, True, False, None])],
    ),
    "unknown fields": scenario(
        LOOKUP,
        [
            {
                "type": "reasoning",
                "id": "rs_1",
                "summary": [],
                "future": {"z": 1, "a": {"__proto__": 1, "constructor": None}},
                "encrypted_content": "x" * 300,
                "status": "completed",
            },
            call(1, "lookup", future=None),
        ],
        [message("on it", id="msg_0", phase="commentary"), call(2, "lookup")],
        params={
            "input": [
                {"content": [{"text": "hi", "type": "input_text", "future": []}], "role": "user"},
                {"type": "message", "role": "developer", "content": "be brief"},
            ]
        },
    ),
    "browser": scenario(
        {"browser": BROWSER},
        [call(1, "browser_read_page", {"tab_id": None, "filter": "all"})],
        [call(2, "browser_click", CLICK), call(3, "browser_list_tabs")],
        [call(4, "browser_screenshot", {"tab_id": None})],
        [call(5, "browser_navigate", {"url": "https://a.test/é", "tab_id": "t"})],
    ),
    "computer": scenario(
        {
            "computer": {
                "screenshot": {"file_id": "f", "image_url": PICTURE}
                | {"type": "computer_screenshot"}
            }
        },
        [computer_call(1, POINT, {"type": "type", "text": TEXTS})],
        [computer_call(2, {"type": "screenshot"}, pending_safety_checks=CHECKS, future=TEXTS)],
        [computer_call(3, {"type": "keypress", "keys": ["CTRL", "é"], "future": 1})],
        options={"approve_safety_checks": {"returns": True}, "before_action": {"returns": True}},
    ),
    "all tools": scenario(
        {"browser": BROWSER, "computer": {}, "functions": [function("lookup")]},
        [call(1, "lookup"), computer_call(2, POINT), call(3, "browser_click", CLICK)],
        [call(4, "lookup")],
        params={"tools": [{"type": "web_search", "filters": {"b": 1, "a": 2}}]},
    ),
    "remote tools": scenario(
        LOOKUP,
        [APPROVAL],
        [
            {
                "type": "mcp_call",
                "id": "mcp_1",
                "approval_request_id": "mcpr_1",
                "server_label": "s",
                "name": "tool",
                "arguments": '{"a":1}',
                "output": TEXTS,
                "error": None,
                "status": "completed",
            },
            call(1, "lookup"),
        ],
        [call(2, "lookup")],
        options={"approve_mcp": {"returns": True}},
        params={"tools": [SERVER]},
    ),
    "supplied outputs": scenario(
        {"functions": [function("lookup", allow_output_override=True), function("note")]},
        [call(1, "lookup"), call(2, "note")],
        [call(3, "lookup")],
        [call(4, "lookup")],
        turn_actions=[
            None,
            {
                "supply_outputs": [
                    [
                        {
                            "output": [{"text": TEXTS, "type": "input_text"}],
                            "call_id": "call_3",
                            "type": "function_call_output",
                        }
                    ]
                ]
            },
            {
                "supply_outputs": [
                    [{"type": "function_call_output", "call_id": "call_4", "output": TEXTS}]
                ]
            },
        ],
    ),
    "appended texts": scenario(
        LOOKUP,
        [call(1, "lookup")],
        [call(2, "lookup")],
        turn_actions=[{"append_user_text": ["go on", TEXTS]}, {"append_user_text": ["more"]}],
    ),
    "streams": scenario(
        LOOKUP,
        [call(1, "lookup"), call(2, "lookup")],
        [call(3, "lookup")],
        options={"stream": True},
    ),
    "early work": scenario(
        {"functions": [function("lookup", TEXTS)], "computer": {}, "browser": BROWSER},
        [
            call(1, "lookup"),
            computer_call(2, POINT),
            call(3, "browser_screenshot", {"tab_id": None}),
        ],
        [message("on it", id="msg_0", phase="commentary"), call(4, "lookup")],
        options={"stream": True, "eager": True},
    ),
    "early work of some calls": scenario(
        {"functions": [function("lookup"), function("note")]}
        | {"early_execution": {"functions": ["lookup"]}},
        [call(1, "lookup"), call(2, "note"), call(3, "lookup")],
        [call(4, "lookup")],
        options={"stream": True, "eager": True, "before_early_call": {"returns": "execute"}},
    ),
}
