"""The booking site of the demo (D-4); `tests-js/drivers` holds its Node twin to the same answers."""

from __future__ import annotations

import http.client
import importlib.util
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

BOOKING = Path(__file__).parents[2] / "examples" / "booking"
CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "booking_cases.json").read_text("utf-8")
)


def load() -> Any:
    source = BOOKING / "python" / "booking_site.py"
    spec = importlib.util.spec_from_file_location("booking_site", source)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MODULE = load()


@pytest.fixture
def booking_site(tmp_path: Path) -> Iterator[Any]:
    with MODULE.BookingSite(tmp_path) as running:
        yield running


def send(site: Any, method: str, path: str, body: str | None = None, **headers: str) -> Any:
    connection = http.client.HTTPConnection(site.origin.removeprefix("http://"))
    try:
        kind = {"content-type": "application/json", **headers}
        connection.request(method, path, body, kind if method == "POST" else {})
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def book(site: Any, booking: Any, **headers: str) -> tuple[int, Any]:
    status, body = send(site, "POST", "/bookings", json.dumps(booking), **headers)
    return status, json.loads(body)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_bookings_are_checked_and_saved_once(booking_site: Any, case: dict[str, Any]) -> None:
    answers = [book(booking_site, booking) for booking in case["bookings"]]
    assert [status for status, _ in answers] == case["statuses"]
    assert answers[-1][1] == case["answer"]
    assert booking_site.records() == case["records"]


def test_bookings_are_kept_in_a_file(booking_site: Any, tmp_path: Path) -> None:
    assert booking_site.records() == []
    book(booking_site, CASES[0]["bookings"][0])
    assert [path.name for path in tmp_path.iterdir()] == ["bookings.json"]
    assert json.loads((tmp_path / "bookings.json").read_text("utf-8")) == booking_site.records()
    with MODULE.BookingSite(tmp_path) as again:
        assert again.records() == booking_site.records()
        assert json.loads(send(again, "GET", "/taken")[1]) == ["2027-03-05T14:15"]


def test_only_its_own_page_books(booking_site: Any) -> None:
    booking = CASES[0]["bookings"][0]
    assert book(booking_site, booking, origin="http://example.com")[0] == 403
    assert book(booking_site, booking, **{"content-type": "text/plain"})[0] == 415
    assert send(booking_site, "POST", "/bookings", "x" * 20_000)[0] == 413
    assert send(booking_site, "POST", "/bookings", "{")[0] == 400
    assert send(booking_site, "POST", "/elsewhere", "{}")[0] == 404
    assert booking_site.records() == []
    assert book(booking_site, booking, origin=booking_site.origin)[0] == 201


@pytest.mark.parametrize("path", ["/nope", "/../python/booking_site.py", "//etc/hostname", "/."])
def test_nothing_else_is_served(booking_site: Any, path: str) -> None:
    assert send(booking_site, "GET", path)[0] == 404


def test_the_page_offers_what_the_server_takes(booking_site: Any) -> None:
    status, body = send(booking_site, "GET", "/")
    assert status == 200
    page = body.decode()

    def offered(name: str) -> list[str]:
        select = page.split(f'name="{name}"', 1)[1].split("</select>", 1)[0]
        return [value for value in re.findall(r'<option value="([^"]*)"', select) if value]

    assert offered("service") == list(MODULE.SERVICES)
    assert offered("time") == list(MODULE.TIMES)
    assert re.findall(r'<li data-time="([^"]*)"', page) == list(MODULE.TIMES)
    for path in ("/style.css", "/booking.js"):
        assert send(booking_site, "GET", path)[0] == 200
