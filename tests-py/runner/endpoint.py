"""A scripted Responses endpoint on 127.0.0.1, and the bodies that it answers with."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any

_numbers = count(1)


def response(*items: Any, **fields: Any) -> dict[str, Any]:
    """The body of a completed response with these output items."""
    return {
        "id": f"resp_{next(_numbers)}",
        "object": "response",
        "created_at": 1.0,
        "model": "m",
        "status": "completed",
        "output": list(items),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": None,
        "temperature": None,
        "top_p": None,
        "usage": {
            "input_tokens": 3,
            "output_tokens": 2,
            "total_tokens": 5,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        },
        **fields,
    }


def message(text: str = "done", **fields: Any) -> dict[str, Any]:
    """A final message."""
    part = {"type": "output_text", "text": text, "annotations": []}
    return {
        "type": "message",
        "id": f"msg_{next(_numbers)}",
        "role": "assistant",
        "status": "completed",
        "content": [part],
        **fields,
    }


def function_call(name: str, arguments: Any = None, **fields: Any) -> dict[str, Any]:
    """A call of a function; ``arguments`` is an object, or the raw text."""
    number = next(_numbers)
    text = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
    return {
        "type": "function_call",
        "id": f"fc_{number}",
        "call_id": f"call_{number}",
        "name": name,
        "arguments": text,
        "status": "completed",
        **fields,
    }


class Endpoint:
    """Answers each POST with the next scripted body.

    A number is a failed request, a list the events of a stream.
    """

    def __init__(self, answers: tuple[Any, ...]) -> None:
        self.answers = list(answers)
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        """The idempotency keys of the requests."""
        self.url = ""

    def answer(self, raw: bytes, key: str | None) -> tuple[int, str, bytes]:
        self.requests.append(json.loads(raw))
        self.keys.append(key)
        answer = self.answers.pop(0) if self.answers else 400
        if isinstance(answer, int):
            body = json.dumps({"error": {"message": "scripted"}})
            return answer, "application/json", body.encode()
        if isinstance(answer, list):
            return 200, "text/event-stream", b"".join(_sent(event) for event in answer)
        return 200, "application/json", json.dumps(answer).encode()


def _sent(event: Any) -> bytes:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()


@contextmanager
def serving(*answers: Any) -> Iterator[Endpoint]:
    """An endpoint while the block runs."""
    endpoint = Endpoint(answers)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["content-length"]))
            key = self.headers["idempotency-key"]
            status, kind, body = endpoint.answer(raw, key)
            self.send_response(status)
            self.send_header("content-type", kind)
            # Whoever sends it again need not wait.
            self.send_header("retry-after-ms", "1")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: Any) -> None:
            """Quiet: a test prints nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    endpoint.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield endpoint
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
