"""A model that needs no key: it makes scripted choices, each from what the tools told it before."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

WANTED = {
    "Service": "vaccination",
    "Time": "2027-03-05T14:15",
    "Name": "Robin Vale",
    "Email": "robin.vale@example.com",
    "Notes": "Please call on arrival.",
}


class RehearsalClient:
    """Stands in for the `openai` client: `responses.create` gives the next turn of the script."""

    def __init__(self) -> None:
        self.responses = self
        self._script = _script()
        self._turn = 0

    def create(self, **params: Any) -> dict[str, Any]:
        """One response; `params` is the request as the service would get it."""
        outputs = [item for item in params["input"] if item.get("type") == "function_call_output"]
        calls_or_text = next(self._script) if not self._turn else self._script.send(outputs)
        self._turn += 1
        if isinstance(calls_or_text, str):
            output = [_message(calls_or_text)]
        else:
            output = [
                _call(f"{self._turn}_{index}", member, arguments)
                for index, (member, arguments) in enumerate(calls_or_text)
            ]
        return {
            "id": f"resp_{self._turn}",
            "object": "response",
            "status": "completed",
            "output": output,
            "usage": {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0},
        }


def _script() -> Any:
    """What a model would do: look, fill in, submit, look again, answer."""
    outputs = yield [("read_page", {"tab_id": None, "filter": "interactive"})]
    refs = _refs(outputs)
    yield [
        ("select_option", {"target": refs[name], "values": [WANTED[name]], "tab_id": None})
        for name in ("Service", "Time")
    ]
    yield [
        ("type", {"text": WANTED[name], "target": refs[name], "tab_id": None})
        for name in ("Name", "Email", "Notes")
    ] + [("set_checked", {"tab_id": None, "target": refs["I accept the terms"], "checked": True})]
    yield [("click", {"target": refs["Book appointment"], "tab_id": None})]
    yield [("wait_for", {"text": "Appointment booked", "timeout_ms": 5000, "tab_id": None})]
    outputs = yield [
        ("get_page_text", {"tab_id": None}),
        ("screenshot", {"tab_id": None}),
    ]
    read = _payload(outputs[-2])["result"]
    text = read if isinstance(read, str) else read["text"]
    reference = text.split("Reference", 1)[1].split()[0]
    yield f"Your appointment is booked. The reference is {reference}."


def _refs(outputs: list[dict[str, Any]]) -> dict[str, str]:
    elements = _payload(outputs[-1])["result"]["elements"]
    return {element["label"]: element["ref"] for element in elements}


def _payload(output: dict[str, Any]) -> dict[str, Any]:
    payload: dict[str, Any] = json.loads(output["output"][0]["text"])
    if not payload["ok"]:
        raise RuntimeError(f"a browser call failed: {payload['error']}")
    return payload


def _call(identity: str, member: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "function_call",
        "id": f"fc_{identity}",
        "call_id": f"call_{identity}",
        "name": f"browser_{member}",
        "arguments": json.dumps(arguments),
        "status": "completed",
    }


def _message(text: str) -> dict[str, Any]:
    return {
        "type": "message",
        "id": "msg_final",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": text, "annotations": []}],
    }


def final_text(response: Any) -> str:
    """The text of a final response, from the rehearsal or from the service."""
    given = response if isinstance(response, dict) else response.to_dict()
    parts: Iterator[str] = (
        part["text"]
        for item in given["output"]
        if item["type"] == "message"
        for part in item["content"]
        if part["type"] == "output_text"
    )
    return "".join(parts)
