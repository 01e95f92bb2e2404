"""The service of `bench_client.py`, in a process of its own: it reads bodies without looking at them."""

from __future__ import annotations

import json
import socket
import sys
import threading
from typing import Any

EVENTS = 20_000
PICTURE = 1_000_000
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: %s\r\ncontent-length: %d\r\n\r\n"


def main() -> None:
    listener = socket.create_server(("127.0.0.1", 0), backlog=256)
    print(listener.getsockname()[1], flush=True)
    streamed = answer(b"text/event-stream", events().encode())
    while True:
        connection, _ = listener.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=serve, args=(connection, streamed), daemon=True).start()


def serve(connection: socket.socket, streamed: bytes) -> None:
    scratch = memoryview(bytearray(1 << 20))
    buffer = b""
    with connection:
        while True:
            while b"\r\n\r\n" not in buffer:
                data = connection.recv(1 << 16)
                if not data:
                    return
                buffer += data
            head, _, buffer = buffer.partition(b"\r\n\r\n")
            fields = dict(line.split(b": ", 1) for line in head.lower().split(b"\r\n")[1:])
            size = int(fields[b"content-length"])
            left, start = size - len(buffer), len(buffer)
            scratch[:start] = buffer
            while left > 0:
                # Long bodies are written over themselves: only short ones are looked at.
                start = start if size <= len(scratch) else 0
                got = connection.recv_into(scratch[start:], min(left, len(scratch) - start))
                left, start = left - got, start + got
            buffer = b""
            if size < 4096 and b'"stream":true' in bytes(scratch[:size]).replace(b" ", b""):
                connection.sendall(streamed)
            else:
                turns = int(fields.get(b"x-turns", b"0"))
                kind = fields.get(b"x-case", b"plain").decode()
                # How far a run is shows in what it sends: so many pictures, or so many outputs.
                done = size // PICTURE or bytes(scratch[:size]).count(b"function_call_output")
                step = done + 1
                connection.sendall(answer(b"application/json", body(kind, step, turns)))


def answer(kind: bytes, data: bytes) -> bytes:
    return HEAD % (kind, len(data)) + data


MESSAGE = {
    "type": "message",
    "id": "m",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "done", "annotations": []}],
}


def response(*output: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": "resp",
        "object": "response",
        "created_at": 1,
        "model": "m",
        "status": "completed",
        "output": output,
        "parallel_tool_calls": False,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": 3,
            "output_tokens": 2,
            "total_tokens": 5,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        },
    }


def body(kind: str, step: int, turns: int) -> bytes:
    call: dict[str, Any] = {"id": f"c_{step}", "call_id": f"call_{step}", "status": "completed"}
    if step > turns:
        call = MESSAGE
    elif kind == "computer":
        actions = [{"type": "click", "x": 1, "y": 2, "button": "left"}]
        call |= {"type": "computer_call", "pending_safety_checks": [], "actions": actions}
    else:
        call |= {"type": "function_call", "name": "look", "arguments": "{}"}
    return json.dumps(response(call)).encode()


def events() -> str:
    texts: list[str] = []
    for number in range(EVENTS):
        event = {
            "type": "response.output_text.delta",
            "content_index": 0,
            "delta": f"word {number} ",
            "item_id": "msg_1",
            "logprobs": [],
            "output_index": 0,
            "sequence_number": number,
        }
        texts.append(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n")
    last = {"type": "response.completed", "sequence_number": EVENTS, "response": response(MESSAGE)}
    return "".join([*texts, f"event: {last['type']}\ndata: {json.dumps(last)}\n\n"])


if __name__ == "__main__":
    sys.exit(main())
