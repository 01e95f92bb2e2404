"""Test doubles of a client, whose responses are made beforehand: what is measured is the helper."""

from __future__ import annotations

from typing import Any

MESSAGE = {
    "type": "message",
    "id": "m",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "done", "annotations": []}],
}


def response(step: int, output: list[dict[str, Any]]) -> Any:
    from openai.types.responses import Response

    return Response.model_validate(
        {
            "id": f"resp_{step}",
            "object": "response",
            "created_at": 1,
            "model": "m",
            "status": "completed",
            "output": output,
            "parallel_tool_calls": False,
            "tool_choice": "auto",
            "tools": [],
        }
    )


class Client:
    """Gives each response, and then a message. It keeps nothing of what it is sent."""

    # The published helper reads these between requests, and with a ledger.
    _custom_headers: dict[str, str] = {}  # noqa: RUF012
    timeout = None

    def __init__(self, answers: list[Any]) -> None:
        self.responses = self
        self.answers = [*answers, response(len(answers) + 1, [MESSAGE])]
        self.step = 0

    def again(self) -> Client:
        self.step = 0
        return self

    def with_options(self, **options: Any) -> Client:
        return self

    def create(self, **params: Any) -> Any:
        self.step += 1
        return self.answers[self.step - 1]


class AsyncClient(Client):
    async def create(self, **params: Any) -> Any:
        return super().create(**params)
