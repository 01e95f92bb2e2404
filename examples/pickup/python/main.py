"""The pick-up demo: a model works by screenshots and coordinates in a real browser, and a person approves (C-7, D-4).

    python main.py              rehearsal: scripted choices over HTTP, no key, nothing leaves the machine
    python main.py --live MODEL the model chooses; needs OPENAI_API_KEY, and OPENAI_BASE_URL for another service

Each click and each key is approved in the terminal. Without a terminal the demo approves by itself and says so.
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

from pickup_site import PickupSite
from playwright.sync_api import sync_playwright

from swingbridge import Client, ComputerActionInput, ComputerCall, ComputerToolset
from swingbridge.drivers.playwright_computer import PlaywrightComputerDriver
from swingbridge.rehearsal import RehearsalServer

MAX_REQUESTS = 8
# What the model of the rehearsal chooses. It clicks where the button is in a window of this size.
SCRIPT = Path(__file__).parents[1] / "script.yaml"
VIEWPORT = (1120, 720)
PICTURE = Path(__file__).parents[3] / "out" / "pickup-python.png"
TASK = (
    "On the screen is a page about a parcel. Show its pick-up details, then tell me the locker, the code and until "
    "when it can be collected. Do nothing else."
)
# What only looks, or waits.
HARMLESS = ("screenshot", "move", "wait", "scroll")


def main() -> None:
    arguments = _arguments()
    with tempfile.TemporaryDirectory() as folder, PickupSite(Path(folder)) as site:
        say("site", f"serving {site.origin} on this machine")
        with service(arguments.live) as client, sync_playwright() as playwright:
            chromium = playwright.chromium.launch(**launch_options())
            page = chromium.new_page(viewport={"width": VIEWPORT[0], "height": VIEWPORT[1]})
            page.goto(site.origin)
            say("browser", f"Chromium {chromium.version} opened {page.title()!r}")
            driver = PlaywrightComputerDriver(page)
            response = ComputerToolset(driver).run(
                client,
                {"model": arguments.live or "rehearsal", "input": TASK},
                max_steps=MAX_REQUESTS,
                approve_safety_checks=approve_safety_checks,
                before_action=before_action,
                on_diagnostic=report,
            )
            say("model", response.output_text)
            shown = page.locator("#details").inner_text()
            _keep_picture(driver)
            chromium.close()
            verify(site.records(), shown, response.output_text)


def before_action(action: ComputerActionInput) -> bool:
    """Let the model look; ask a person before it touches anything."""
    fields = [f"{name}={value}" for name, value in action.to_dict().items() if name != "type"]
    what = " ".join([action.type, *fields])
    if action.type in HARMLESS:
        say("approve", f"{what}: only looking, allowed by the demo")
        return True
    return ask(f"the model wants to {what}")


def approve_safety_checks(call: ComputerCall) -> bool:
    """Show what the service warns of, and ask a person."""
    warnings = "; ".join(check.message or check.code or "?" for check in call.pending_safety_checks)
    return ask(f"the service warns: {warnings}")


def ask(question: str) -> bool:
    """Whether a person agrees."""
    if not sys.stdin.isatty():
        say("approve", f"{question}: approved by itself, because there is no terminal")
        return True
    return input(f"  approve   {question}. Allow it? [y/N] ").strip().lower() == "y"


def report(record: Any) -> None:
    """Print what the helper says of each step: no coordinates, no text, no pictures."""
    if record["stage"] == "action":
        say("screen", f"{record['member']} {record['reason']} in {record['duration_ms']:.0f} ms")


def verify(records: list[dict[str, Any]], shown: str, answer: str) -> None:
    """Read what the site noted down; neither the page nor the model is taken at its word."""
    if len(records) != 1:
        raise SystemExit(f"FAILED: the details were asked for {len(records)} times instead of once")
    for name in ("locker", "code", "until"):
        if records[0][name] not in shown:
            raise SystemExit(f"FAILED: the page does not show the {name}")
        if records[0][name] not in answer:
            raise SystemExit(f"FAILED: the answer does not name the {name}")
    say("verified", f"locker {records[0]['locker']}, code {records[0]['code']}: asked for once")


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


def _keep_picture(driver: PlaywrightComputerDriver) -> None:
    picture = driver.screenshot().get("image_url", "")
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_bytes(base64.b64decode(picture.split(",", 1)[1]))
    say("picture", f"out/{PICTURE.name} shows the page at the end")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--live", metavar="MODEL", help="let this model choose, at your cost")
    return parser.parse_args()


if __name__ == "__main__":
    print("Pick-up demo, Python")
    main()
