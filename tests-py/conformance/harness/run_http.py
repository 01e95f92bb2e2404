"""The scripted API of a run over real HTTP on 127.0.0.1, plain and as server-sent events."""

from __future__ import annotations

import json
import threading
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .run_service import Service


class HttpService:
    """One server for many runs, one after the other."""

    def __init__(self) -> None:
        self.service: Service | None = None
        self.url = ""

    def answer(self, raw: bytes) -> tuple[int, str, bytes]:
        """The status, the kind and the body of the answer to a request."""
        assert self.service is not None
        request: dict[str, Any] = json.loads(raw)
        answer = self.service.answer(request)
        if answer.status == 200 and request.get("stream"):
            text = "".join(
                f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in answer.events
            )
            return 200, "text/event-stream", text.encode()
        return answer.status, "application/json", json.dumps(answer.body).encode()


@cache
def shared() -> HttpService:
    """The server, which lives as long as the process: starting one for each run would take longer
    than the runs."""
    served = HttpService()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["content-length"]))
            try:
                status, kind, body = served.answer(raw)
            except (LookupError, TypeError, ValueError):
                # What a double of a client raises at such a body fails the request as well.
                status, kind, body = 400, "text/plain", b""
            head = f"HTTP/1.1 {status} x\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n\r\n"
            self.wfile.write(head.encode() + body)

        def log_message(self, format: str, *arguments: Any) -> None:
            """Quiet: a test prints nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    served.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return served
