"""A model that needs no key: it looks at the screen, clicks where the button is, looks again and answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

VIEWPORT = (1120, 720)
# The middle of "Show pick-up details" in a window of that size; the button is 56 pixels high.
BUTTON = {"x": 560, "y": 376}

SCRIPT: list[list[dict[str, Any]]] = [
    [{"type": "screenshot"}],
    [{"type": "move", **BUTTON}, {"type": "click", **BUTTON, "button": "left"}],
    [{"type": "wait"}, {"type": "screenshot"}],
]
ANSWER = "Your parcel is in locker B17. Its code is 4083. Collect it until Saturday, 18:00."


class RehearsalClient:
    """Stands in for the `openai` client: `responses.create` gives the next turn of the script."""

    def __init__(self) -> None:
        self.responses = self
        self._turn = 0

    def create(self, **params: Any) -> dict[str, Any]:
        """One response; `params` is the request as the service would get it."""
        outputs = [item for item in params["input"] if item.get("type") == "computer_call_output"]
        if len(outputs) != self._turn:
            raise RuntimeError(f"{len(outputs)} screenshots were sent instead of {self._turn}")
        for output in outputs:
            if not output["output"]["image_url"].startswith("data:image/png;base64,iVBOR"):
                raise RuntimeError("what was sent is no PNG picture")
        self._turn += 1
        item = _message() if self._turn > len(SCRIPT) else _call(self._turn)
        return {
            "id": f"resp_{self._turn}",
            "object": "response",
            "status": "completed",
            "output": [item],
            "usage": {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0},
        }


def _call(turn: int) -> dict[str, Any]:
    return {
        "type": "computer_call",
        "id": f"cu_{turn}",
        "call_id": f"call_{turn}",
        "status": "completed",
        "pending_safety_checks": [],
        "actions": SCRIPT[turn - 1],
    }


def _message() -> dict[str, Any]:
    return {
        "type": "message",
        "id": "msg_final",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": ANSWER, "annotations": []}],
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
