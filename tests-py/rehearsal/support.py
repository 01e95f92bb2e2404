"""What the tests of rehearsals share."""

from __future__ import annotations

from typing import Any

from swingbridge import Client, RegisteredFunction, Response
from swingbridge.rehearsal import RehearsalServer

# What is waited for comes, or the test fails; nothing depends on how long it takes.
LONG = 60.0

WEATHER = """
turns:
  - expect: { text: the weather in Ghent, tool: weather }
    function_call: { name: weather, arguments: { place: Ghent } }
  - expect: { output_contains: { call_1_1: rain } }
    message: It rains in Ghent.
"""
QUESTION: dict[str, Any] = {"model": "m", "input": "How is the weather in Ghent?"}
TOOL: dict[str, Any] = {
    "type": "function",
    "name": "weather",
    "parameters": {"type": "object", "properties": {"place": {"type": "string"}}},
    "strict": False,
}


def weather() -> RegisteredFunction:
    return RegisteredFunction(TOOL, lambda arguments: f"rain in {arguments['place']}")


def saying(*words: str) -> dict[str, Any]:
    """A script whose turns are these messages."""
    return {"turns": [{"message": text} for text in words]}


def client_of(server: RehearsalServer, **options: Any) -> Client:
    return Client(base_url=server.url, **{"api_key": "any", "max_retries": 0, **options})


def asked(client: Client, **params: Any) -> Response:
    response: Response = client.responses.create(**{"model": "m", "input": "go", **params})
    return response


def answer_of(server: RehearsalServer) -> str:
    with client_of(server) as client:
        return asked(client).output_text
