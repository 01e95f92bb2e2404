"""A server of bytes on 127.0.0.1, so that a test says exactly what goes over the wire."""

from __future__ import annotations

import json
import queue
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

KEY = "sk-hunter2-key"

# What is waited for comes, or the test fails; nothing depends on how long it takes.
LONG = 60.0

STREAM = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nx-request-id: req_1\r\n"
    b"connection: close\r\n\r\n"
)


@dataclass
class Heard:
    """A request as it came."""

    line: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Wire:
    """A connection, seen from the server."""

    def __init__(self, connection: socket.socket, service: Service) -> None:
        self._connection = connection
        self._service = service
        self._buffer = b""

    def hear(self) -> Heard | None:
        """The next request; None if the client has closed."""
        while b"\r\n\r\n" not in self._buffer:
            if not self._more():
                return None
        head, _, rest = self._buffer.partition(b"\r\n\r\n")
        line, *fields = head.decode("latin-1").split("\r\n")
        pairs = (entry.split(":", 1) for entry in fields)
        headers = {name.lower(): value.strip() for name, value in pairs}
        size = int(headers.get("content-length", "0"))
        self._buffer = rest
        while len(self._buffer) < size:
            if not self._more():
                return None
        heard = Heard(line, headers, self._buffer[:size])
        self._buffer = self._buffer[size:]
        self._service.heard.put(heard)
        return heard

    def say(self, data: bytes) -> None:
        with suppress(OSError):  # a client that has gone away does not listen
            self._connection.sendall(data)

    def say_event(self, **event: Any) -> None:
        self.say(f"data: {json.dumps(event)}\n\n".encode())

    def watch(self) -> None:
        """Wait until the client closes, and say so."""
        while self._more():
            continue
        self._service.closed.put(None)

    def _more(self) -> bool:
        try:
            data = self._connection.recv(1 << 16)
        except OSError:
            return False
        self._buffer += data
        return bool(data)


@dataclass
class Service:
    url: str = ""
    heard: queue.Queue[Heard] = field(default_factory=queue.Queue)
    closed: queue.Queue[None] = field(default_factory=queue.Queue)
    connections: int = 0

    def next(self) -> Heard:
        """The next request that came."""
        return self.heard.get(timeout=LONG)

    def wait_closed(self) -> None:
        """Wait until the client has closed a connection that the server watches."""
        self.closed.get(timeout=LONG)


@contextmanager
def serving(talk: Callable[[Wire], None]) -> Iterator[Service]:
    """Each connection is served by ``talk``, in a thread of its own, while the block runs."""
    service = Service()
    listener = socket.create_server(("127.0.0.1", 0))
    service.url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    open_connections: list[socket.socket] = []

    def serve(connection: socket.socket) -> None:
        with connection:
            talk(Wire(connection, service))

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            service.connections += 1
            open_connections.append(connection)
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield service
    finally:
        # A thread that waits in `accept` does not see a mere close.
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(LONG)
        for connection in open_connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


@contextmanager
def answering(*answers: bytes) -> Iterator[Service]:
    """The requests are answered with these bytes in turn, the last ones again and again."""
    left = list(answers)

    def talk(wire: Wire) -> None:
        while wire.hear() is not None:
            wire.say(left.pop(0) if len(left) > 1 else left[0])

    with serving(talk) as service:
        yield service


def answer(body: Any, status: int = 200, **headers: str) -> bytes:
    """An answer with its length; ``body`` is an object, or the raw bytes."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    fields = {"content_type": "application/json", "content_length": str(len(data)), **headers}
    head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in fields.items())
    return f"HTTP/1.1 {status} x\r\n{head}\r\n".encode() + data


def stream(*events: dict[str, Any]) -> bytes:
    """A whole stream, with its end."""
    texts = [f"data: {json.dumps(event)}\n\n" for event in events]
    return answer("".join([*texts, "data: [DONE]\n\n"]).encode(), content_type="text/event-stream")


def message(text: str = "hello", **fields: Any) -> dict[str, Any]:
    part = {"type": "output_text", "text": text, "annotations": []}
    return {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "status": "completed",
        "content": [part],
        **fields,
    }


def response(*items: Any, **fields: Any) -> dict[str, Any]:
    usage = {"input_tokens": 3, "output_tokens": 2, "total_tokens": 5}
    return {
        "id": "resp_1",
        "object": "response",
        "status": "completed",
        "output": list(items) or [message()],
        "usage": usage,
        **fields,
    }
