"""The local site of the booking demo: static pages, and a form whose bookings are kept in a file.

`booking-site.js` in `node/` behaves the same.
"""

from __future__ import annotations

import json
import os
import re
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
# What the page offers; a test compares the two.
SERVICES = ("check-up", "vaccination", "consultation")
TIMES = ("2027-03-04T09:00", "2027-03-04T11:30", "2027-03-05T14:15")
TEXTS = ("token", "service", "time", "name", "email", "notes")
LIMITS = {"name": 80, "email": 120, "notes": 500}  # characters
MAX_BODY = 16_384  # bytes
TOKEN = re.compile(r"[A-Za-z0-9-]{8,64}")
EMAIL = re.compile(r"[^\s@]+@[^\s@]+\.[^\s@]+")
CONTROL = re.compile(r"[\x00-\x1f\x7f]")

Answer: TypeAlias = tuple[int, Any]


class BookingSite:
    """Serves the site on a free port of 127.0.0.1 while it is open.

    Args:
        folder: where ``bookings.json`` is kept; it must exist. Bookings of an earlier run count.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / "bookings.json"
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), self)
        options = {"poll_interval": 0.05}
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs=options)

    @property
    def origin(self) -> str:
        """Scheme, host and port, without a slash at the end."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def records(self) -> list[dict[str, Any]]:
        """The bookings as they are in the file."""
        if not self._file.exists():
            return []
        records: list[dict[str, Any]] = json.loads(self._file.read_text("utf-8"))
        return records

    def book(self, given: object) -> Answer:
        """Save a booking, once for each token. Return a status and what to tell the page."""
        problem = check(given)
        if problem is not None or not isinstance(given, dict):
            return 400, {"error": problem}
        with self._lock:
            records = self.records()
            known = next((record for record in records if record["token"] == given["token"]), None)
            if known is not None:
                if known != {"reference": known["reference"], **given}:
                    return 409, {"error": "This form was already sent with other details."}
                return 200, known
            if any(record["time"] == given["time"] for record in records):
                return 409, {"error": "This time has just been taken. Choose another."}
            record = {"reference": f"LC-{1042 + len(records)}", **given}
            self._save([*records, record])
            return 201, record

    def __enter__(self) -> BookingSite:  # noqa: PYI034 - Self needs Python 3.11
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


def check(given: object) -> str | None:
    """What is wrong with a booking, in words for a person; ``None`` if nothing is."""
    if not isinstance(given, dict) or set(given) != {*TEXTS, "terms"}:
        return "The booking is incomplete."
    if not all(_is_text(given[name]) for name in TEXTS):
        return "The booking is incomplete."
    if TOKEN.fullmatch(given["token"]) is None:
        return "The booking is incomplete."
    if given["service"] not in SERVICES:
        return "Choose a service."
    if given["time"] not in TIMES:
        return "Choose a time."
    if not given["name"].strip() or CONTROL.search(given["name"]) is not None:
        return "Enter your name."
    if EMAIL.fullmatch(given["email"]) is None:
        return "Enter your email address."
    if any(len(given[name]) > limit for name, limit in LIMITS.items()):
        return "A field is too long."
    return None if given["terms"] is True else "Accept the terms."


def _is_text(value: object) -> bool:
    """Text that can be saved: a lone half of a surrogate pair cannot."""
    return isinstance(value, str) and not any("\ud800" <= char <= "\udfff" for char in value)


class _Server(ThreadingHTTPServer):
    def __init__(self, address: tuple[str, int], site: BookingSite) -> None:
        super().__init__(address, _Handler)
        self.site = site


class _Handler(BaseHTTPRequestHandler):
    @property
    def site(self) -> BookingSite:
        return cast("_Server", self.server).site

    def do_GET(self) -> None:
        if self.path == "/taken":
            self._json(200, [record["time"] for record in self.site.records()])
            return
        name = "index.html" if self.path == "/" else self.path.lstrip("/")
        file = SITE / name
        if file.parent != SITE or file.suffix not in TYPES or not file.is_file():
            self._answer(404, "text/plain", b"not found")
            return
        self._answer(200, TYPES[file.suffix], file.read_bytes())

    def do_POST(self) -> None:
        self._json(*self._post())

    def _post(self) -> Answer:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > MAX_BODY:
            self.close_connection = True
            return 413, {"error": "The booking is too large."}
        body = self.rfile.read(int(length))
        if self.path != "/bookings":
            return 404, {"error": "There is no such page."}
        # Another website that is open in the same browser must not book.
        if self.headers.get("Origin", self.site.origin) != self.site.origin:
            return 403, {"error": "Bookings come from this site alone."}
        if self.headers.get_content_type() != "application/json":
            return 415, {"error": "A booking is sent as JSON."}
        try:
            given: object = json.loads(body)
        except ValueError:
            given = None
        return self.site.book(given)

    def _json(self, status: int, body: Any) -> None:
        self._answer(status, "application/json", json.dumps(body).encode())

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
