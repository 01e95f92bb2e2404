"""A web server for pages that a test writes, on 127.0.0.1."""

from __future__ import annotations

import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import TypeAlias

PAGES = Path(__file__).parent / "pages"

Response: TypeAlias = tuple[dict[str, str], bytes]


class Site:
    """Serves `pages`: HTML text, or a function that returns headers and a body."""

    def __init__(self) -> None:
        self.pages: dict[str, str | Callable[[], Response]] = {}
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                source = site.pages.get(self.path.partition("?")[0])
                headers = {"content-type": "text/html; charset=utf-8"}
                body = b""
                if isinstance(source, str):
                    body = source.encode()
                elif source is not None:
                    headers, body = source()
                self.send_response(404 if source is None else 200)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}
        )

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def url(self, path: str) -> str:
        return self.origin + path

    def __enter__(self) -> Site:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
