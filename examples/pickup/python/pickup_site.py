"""The local site of the pick-up demo: a static page, and a record of each time its details were asked for.

`pickup-site.js` in `node/` behaves the same.
"""

from __future__ import annotations

import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, TypeAlias, cast

SITE = Path(__file__).parent.parent / "site"
TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'self'; img-src data:; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
}
# What the page shows once somebody has asked for it.
DETAILS = {"locker": "B17", "code": "4083", "until": "Saturday, 18:00"}

Answer: TypeAlias = tuple[int, Any]


class PickupSite:
    """Serves the site on a free port of 127.0.0.1 while it is open.

    Args:
        folder: where ``reveals.json`` is kept; it must exist.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / "reveals.json"
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), self)
        options = {"poll_interval": 0.05}
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs=options)

    @property
    def origin(self) -> str:
        """Scheme, host and port, without a slash at the end."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def records(self) -> list[dict[str, Any]]:
        """What was shown, each time, as it is in the file."""
        if not self._file.exists():
            return []
        records: list[dict[str, Any]] = json.loads(self._file.read_text("utf-8"))
        return records

    def reveal(self) -> Answer:
        """Note that the details are shown, then give them."""
        with self._lock:
            records = self.records()
            self._save([*records, {"number": len(records) + 1, **DETAILS}])
        return 200, DETAILS

    def __enter__(self) -> PickupSite:  # noqa: PYI034 - Self needs Python 3.11
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _save(self, records: list[dict[str, Any]]) -> None:
        """Replace the file in one step: a reader sees all of it, and a crash leaves the old one."""
        draft = self._file.with_suffix(".draft")
        with draft.open("w", encoding="utf-8") as stream:
            json.dump(records, stream, ensure_ascii=False, indent=2)
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(self._file)


class _Server(ThreadingHTTPServer):
    def __init__(self, address: tuple[str, int], site: PickupSite) -> None:
        super().__init__(address, _Handler)
        self.site = site


class _Handler(BaseHTTPRequestHandler):
    @property
    def site(self) -> PickupSite:
        return cast("_Server", self.server).site

    def do_GET(self) -> None:
        name = "index.html" if self.path == "/" else self.path.lstrip("/")
        file = SITE / name
        if file.parent != SITE or file.suffix not in TYPES or not file.is_file():
            self._answer(404, "text/plain", b"not found")
            return
        self._answer(200, TYPES[file.suffix], file.read_bytes())

    def do_POST(self) -> None:
        status, body = self._post()
        self._answer(status, "application/json", json.dumps(body).encode())

    def _post(self) -> Answer:
        if self.headers.get("Content-Length", "0") != "0":
            self.close_connection = True
            return 413, {"error": "Nothing is to be sent along."}
        if self.path != "/details":
            return 404, {"error": "There is no such page."}
        # Another website that is open in the same browser must not ask.
        if self.headers.get("Origin", self.site.origin) != self.site.origin:
            return 403, {"error": "The details are shown on this site alone."}
        return self.site.reveal()

    def _answer(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        for name, value in HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Stay silent: the demo says what happens."""
