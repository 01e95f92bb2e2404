"""The service that the client benchmarks of both languages talk to, in a process of its own.

It reads bodies without looking at more of them than it must. The path below the address says what it answers, for example
``/computer/50/v1/responses``: the kind of call, and how many turns a run has before it ends. Each plain response tells in
``metadata.arrived`` when the first byte of its request was here: nanoseconds of the system's monotonic clock, which on
Linux is one for all processes. It prints its port and ends with its standard input.
"""

from __future__ import annotations

import functools
import json
import os
import socket
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

EVENTS = 20_000
PICTURE = 1_000_000
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: %s\r\ncontent-length: %d\r\n\r\n"
# As long as a time is when it is written with leading zeros.
STAMP = b"@" * 20


def main() -> None:
    listener = socket.create_server(("127.0.0.1", 0), backlog=256)
    print(listener.getsockname()[1], flush=True)
    threading.Thread(target=accept, args=(listener,), daemon=True).start()
    sys.stdin.read()
    os._exit(0)


def accept(listener: socket.socket) -> None:
    streamed = answer(b"text/event-stream", "".join(event_texts()).encode())
    while True:
        connection, _ = listener.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=serve, args=(connection, streamed), daemon=True).start()


def serve(connection: socket.socket, streamed: bytes) -> None:
    scratch = memoryview(bytearray(1 << 20))
    with connection:
        while buffer := connection.recv(1 << 16):
            arrived = time.monotonic_ns()
            while b"\r\n\r\n" not in buffer:
                buffer += connection.recv(1 << 16)
            head, _, body = buffer.partition(b"\r\n\r\n")
            path, size = asked(head)
            start, left = len(body), size - len(body)
            scratch[:start] = body
            while left > 0:
                # Long bodies are written over themselves: only short ones are looked at.
                start = start if size <= len(scratch) else 0
                got = connection.recv_into(scratch[start:], min(left, len(scratch) - start))
                left, start = left - got, start + got
            short = bytes(scratch[:size]) if size <= len(scratch) else b""
            if path[1] == b"events":
                connection.sendall(streamed)
            else:
                # How far a run is shows in what it sends: so many pictures, or so many outputs.
                done = size // PICTURE or short.count(b"function_call_output")
                text = response_text(path[1].decode(), done + 1, int(path[2]))
                connection.sendall(text.replace(STAMP, b"%020d" % arrived))


def asked(head: bytes) -> tuple[list[bytes], int]:
    """The parts of the path, and the size of the body."""
    first, *fields = head.lower().split(b"\r\n")
    [size] = (field[15:] for field in fields if field.startswith(b"content-length:"))
    return first.split(b" ")[1].split(b"/"), int(size)


def answer(kind: bytes, data: bytes) -> bytes:
    return HEAD % (kind, len(data)) + data


MESSAGE: dict[str, Any] = {
    "type": "message",
    "id": "m",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "done", "annotations": []}],
}


def response(*output: dict[str, Any], status: str = "completed") -> dict[str, Any]:
    return {
        "id": "resp",
        "object": "response",
        "created_at": 1,
        "model": "m",
        "status": status,
        "output": output,
        "parallel_tool_calls": False,
        "tool_choice": "auto",
        "tools": [],
        "metadata": {"arrived": STAMP.decode()},
        "usage": {
            "input_tokens": 3,
            "output_tokens": 2,
            "total_tokens": 5,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        },
    }


@functools.cache
def response_text(kind: str, step: int, turns: int) -> bytes:
    call: dict[str, Any] = {"id": f"c_{step}", "call_id": f"call_{step}", "status": "completed"}
    if step > turns:
        call = MESSAGE
    elif kind == "computer":
        actions = [{"type": "click", "x": 1, "y": 2, "button": "left"}]
        call |= {"type": "computer_call", "pending_safety_checks": [], "actions": actions}
    else:
        call |= {"type": "function_call", "name": "look", "arguments": "{}"}
    return answer(b"application/json", json.dumps(response(call)).encode())


def event_texts() -> Iterator[str]:
    for number, event in enumerate(events()):
        data = json.dumps({**event, "sequence_number": number})
        yield f"event: {event['type']}\ndata: {data}\n\n"
    yield "data: [DONE]\n\n"


def events() -> Iterator[dict[str, Any]]:
    """So many as `EVENTS` says: a message that comes in short texts."""
    place = {"item_id": "m", "output_index": 0, "content_index": 0}
    [part] = MESSAGE["content"]
    begun = {**MESSAGE, "status": "in_progress", "content": []}
    first: list[dict[str, Any]] = [
        {"type": "response.created", "response": response(status="in_progress")},
        {"type": "response.output_item.added", "output_index": 0, "item": begun},
        {"type": "response.content_part.added", **place, "part": {**part, "text": ""}},
    ]
    last: list[dict[str, Any]] = [
        {"type": "response.output_text.done", **place, "text": part["text"], "logprobs": []},
        {"type": "response.content_part.done", **place, "part": part},
        {"type": "response.output_item.done", "output_index": 0, "item": MESSAGE},
        {"type": "response.completed", "response": response(MESSAGE)},
    ]
    yield from first
    for number in range(EVENTS - len(first) - len(last)):
        delta = f"word {number} "
        yield {"type": "response.output_text.delta", **place, "delta": delta, "logprobs": []}
    yield from last


if __name__ == "__main__":
    main()
