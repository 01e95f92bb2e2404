"""The booking demo: a model books an appointment in a real browser, and a person approves (D-4).

    python main.py              rehearsal: scripted choices over HTTP, no key, nothing leaves the machine
    python main.py --live MODEL the model chooses; needs OPENAI_API_KEY, and OPENAI_BASE_URL for another service

Approval is asked in the terminal. Without a terminal the demo approves by itself and says so.
"""

from __future__ import annotations

import argparse
import base64
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from booking_site import BookingSite
from playwright.sync_api import sync_playwright

from swingbridge import BrowserToolset, Client, ResponsesToolRunner
from swingbridge.drivers.playwright import PlaywrightBrowserDriver
from swingbridge.rehearsal import RehearsalServer

MAX_REQUESTS = 12
# What the model of the rehearsal chooses, from what the tools told it before.
SCRIPT = Path(__file__).parents[1] / "script.yaml"
PICTURE = Path(__file__).parents[3] / "out" / "booking-python.png"
WANTED = {
    "Service": "vaccination",
    "Time": "2027-03-05T14:15",
    "Name": "Robin Vale",
    "Email": "robin.vale@example.com",
    "Notes": "Please call on arrival.",
}
TASK = (
    "Book a vaccination on Friday 5 March at 14:15 for {Name}, {Email}, on the page that is open. "
    "Put this into the notes: {Notes} Accept the terms. Then tell me the reference."
)
# What a person must decide. Looking at the page and filling in its form changes nothing yet.
SUBMISSIONS = ("click", "key")


def main() -> None:
    arguments = _arguments()
    with tempfile.TemporaryDirectory() as folder, BookingSite(Path(folder)) as site:
        say("site", f"serving {site.origin} on this machine")
        with service(arguments.live) as client, sync_playwright() as playwright:
            chromium = playwright.chromium.launch(**launch_options())
            context = chromium.new_context(viewport={"width": 1120, "height": 900})
            page = context.new_page()
            page.goto(site.origin)
            say("browser", f"Chromium {chromium.version} opened {page.title()!r}")
            driver = PlaywrightBrowserDriver(context)
            toolset = BrowserToolset(
                driver,
                members=[
                    "read_page",
                    "get_page_text",
                    "type",
                    "select_option",
                    "set_checked",
                    "click",
                    "wait_for",
                    "screenshot",
                ],
                confirm=confirm,
            )
            runner = ResponsesToolRunner(browser=toolset)
            response = runner.run(
                client,
                {"model": arguments.live or "rehearsal", "input": TASK.format(**WANTED)},
                max_steps=MAX_REQUESTS,
                on_diagnostic=report,
            )
            say("model", response.output_text)
            _keep_picture(driver)
            chromium.close()
            verify(site.records(), response.output_text)


def confirm(context: Any) -> bool:
    """Approve filling in the form; ask a person before anything is submitted."""
    member, given = context["member"], context["arguments"]
    if member not in SUBMISSIONS:
        say("approve", f"{member} {given.get('target')}: filling in, allowed by the demo")
        return True
    question = f"the model wants to {member} {given.get('target')}"
    if not sys.stdin.isatty():
        say("approve", f"{question}: approved by itself, because there is no terminal")
        return True
    return input(f"  approve   {question}. Allow it? [y/N] ").strip().lower() == "y"


def report(record: Any) -> None:
    """Print what the helper says of each step: no page text, no arguments."""
    if record["api"] == "browser" and record["stage"] in ("action", "arguments"):
        say("browser", f"{record['member']} {record['reason']} in {record['duration_ms']:.0f} ms")
    if record["stage"] == "request":
        say("request", f"{record['reason']} in {record['duration_ms']:.0f} ms")


def verify(records: list[dict[str, Any]], answer: str) -> None:
    """Read what the site saved; neither the page nor the model is taken at its word."""
    if len(records) != 1:
        raise SystemExit(f"FAILED: {len(records)} bookings were saved instead of one")
    saved = records[0]
    for label, wanted in WANTED.items():
        if saved[label.lower()] != wanted:
            raise SystemExit(f"FAILED: {label} was saved as {saved[label.lower()]!r}")
    if saved["reference"] not in answer:
        raise SystemExit(f"FAILED: the answer does not name the reference {saved['reference']}")
    say("verified", f"{saved['reference']}: {saved['service']}, {saved['time']}, {saved['name']}")


@contextmanager
def service(live: str | None) -> Iterator[Client]:
    """The client that the run talks to. A rehearsal that was not asked for all its turns has failed."""
    if live is not None:
        say("service", f"{live}, at the address that the OPENAI_ variables say")
        with Client() as client:
            yield client
        return
    with RehearsalServer.from_file(SCRIPT) as server:
        say("service", f"a rehearsal, asked over HTTP at {server.url}")
        with Client(base_url=server.url, api_key="rehearsal") as client:
            yield client
        if server.turns_left:
            raise SystemExit(f"FAILED: {server.turns_left} turns were not asked for")
        say("verified", f"all {len(server.requests)} requests went to the rehearsal over HTTP")


def launch_options() -> dict[str, Any]:
    """Chromium without the machine's environment, and quiet on the network."""
    options: dict[str, Any] = {
        "headless": True,
        "args": ["--disable-background-networking", "--disable-component-update", "--disable-sync"],
    }
    if "SWINGBRIDGE_CHROMIUM" in os.environ:
        options["executable_path"] = os.environ["SWINGBRIDGE_CHROMIUM"]
    # Chromium's sandbox does not start as root. In a container, run it as another user.
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    options["chromium_sandbox"] = not is_root
    return options


def say(who: str, what: str) -> None:
    print(f"  {who:<10}{what}", flush=True)


def _keep_picture(driver: PlaywrightBrowserDriver) -> None:
    url = driver.screenshot({"tab_id": None}).get("image_url")
    if url is None:
        raise SystemExit("FAILED: the driver took no picture")
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_bytes(base64.b64decode(url.split(",", 1)[1]))
    say("picture", f"out/{PICTURE.name} shows the page at the end")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--live", metavar="MODEL", help="let this model choose, at your cost")
    return parser.parse_args()


if __name__ == "__main__":
    print("Booking demo, Python")
    main()
