"""The native client beside the published `openai` one, over HTTP on 127.0.0.1.

Each case runs in a process of its own for each package, which alternate; the service is a third process, so that the CPU
time is the client's only. Prints CPU time, wall time and what the case adds to the peak of memory, and their ratios. The
best of the rounds counts.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROUNDS = 3
TURNS = 50
PICTURE = 1_000_000
SMALL = 1_000
TASKS = 32
TASK_TURNS = 10
PACKAGES = ("swingbridge", "openai")
LOOK = {
    "type": "function",
    "name": "look",
    "parameters": {"type": "object", "properties": {}, "required": []},
    "strict": False,
}


def main() -> None:
    folder = Path(__file__).parent
    service = subprocess.Popen(
        [sys.executable, folder / "client_service.py"], stdout=subprocess.PIPE, text=True
    )
    assert service.stdout is not None
    url = f"http://127.0.0.1:{int(service.stdout.readline())}/v1"
    try:
        print(f"{'case':<34}{'':<8}{'swingbridge':>14}{'openai':>14}{'ratio':>9}")
        for name, (title, _) in CASES.items():
            row(name, title, url)
    finally:
        service.kill()


def row(name: str, title: str, url: str) -> None:
    best: dict[str, dict[str, float]] = {package: {} for package in PACKAGES}
    for _ in range(ROUNDS):
        for package in PACKAGES:
            command = [sys.executable, __file__, name, package, url]
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
            for measure, value in json.loads(done.stdout).items():
                best[package][measure] = min(best[package].get(measure, value), value)
    units = (("cpu", "ms", 1e3), ("wall", "ms", 1e3), ("memory", "MB", 1e-6))
    for measure, unit, factor in units:
        mine, theirs = (best[package][measure] * factor for package in PACKAGES)
        ratio = theirs / mine if mine else float("inf")
        print(
            f"{title:<34}{measure:<8}{mine:>11.1f} {unit}{theirs:>11.1f} {unit}{ratio:>8.1f}×",
            flush=True,
        )
        title = ""


def measure(name: str, package: str, url: str) -> None:
    """Run one case in this process and print what it took."""
    work = CASES[name][1](package, url)
    before, cpu, wall = peak(), time.process_time(), time.perf_counter()
    work()
    taken = {
        "cpu": time.process_time() - cpu,
        "wall": time.perf_counter() - wall,
        "memory": peak() - before,
    }
    print(json.dumps(taken))


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def helpers(package: str) -> Any:
    return importlib.import_module(
        "openai.lib.responses_tool_runner" if package == "openai" else package
    )


def client(package: str, url: str, *, asynchronous: bool = False, **headers: str) -> Any:
    module = importlib.import_module(package)
    kinds = {"swingbridge": ("Client", "AsyncClient"), "openai": ("OpenAI", "AsyncOpenAI")}
    kind = getattr(module, kinds[package][asynchronous])
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    made = kind(api_key="key", base_url=url, max_retries=0, default_headers=names)
    if not asynchronous:
        # The first request makes what all of them share: connections, threads, certificates.
        made.responses.create(model="m", input="hi")
    return made


class Desk:
    """Its pictures are new texts each time."""

    def __init__(self) -> None:
        self.number = 0

    def screenshot(self) -> dict[str, str]:
        self.number += 1
        text = f"data:image/png;base64,{self.number:08}".ljust(PICTURE, "A")
        return {"type": "computer_screenshot", "image_url": text}

    def _act(self, action: Any) -> None:
        return None

    click = double_click = drag = keypress = move = scroll = type = wait = _act


def screenshots(package: str, url: str) -> Callable[[], object]:
    module = helpers(package)
    computer = importlib.import_module("openai.lib.computer" if package == "openai" else package)
    made = client(package, url, x_case="computer", x_turns=str(TURNS))
    runner = module.ResponsesToolRunner(computer=computer.ComputerToolset(Desk()))
    params = {"model": "m", "input": "look"}
    return lambda: runner.run(made, params, max_steps=TURNS + 1, before_action=lambda _action: True)


def stream(package: str, url: str) -> Callable[[], object]:
    made = client(package, url)

    def work() -> None:
        size = 0
        events = made.responses.create(model="m", input="hi", stream=True)
        for event in events:
            if event.type == "response.output_text.delta":
                size += len(event.delta)
        assert size > 20_000

    return work


def small(package: str, url: str) -> Callable[[], object]:
    made = client(package, url)

    def work() -> None:
        for _ in range(SMALL):
            assert made.responses.create(model="m", input="hi").output_text == "done"

    return work


def concurrent(package: str, url: str) -> Callable[[], object]:
    module = helpers(package)

    async def look(_arguments: Any) -> str:
        return "seen"

    async def run(made: Any) -> None:
        runner = module.AsyncResponsesToolRunner(
            functions=[module.AsyncRegisteredFunction(LOOK, look)]
        )
        await runner.run(made, {"model": "m", "input": "look"}, max_steps=TASK_TURNS + 1)

    async def all_of_them() -> None:
        async with client(package, url, asynchronous=True, x_turns=str(TASK_TURNS)) as made:
            await asyncio.gather(*(run(made) for _ in range(TASKS)))

    return lambda: asyncio.run(all_of_them())


CASES: dict[str, tuple[str, Callable[[str, str], Callable[[], object]]]] = {
    "screenshots": (f"{TURNS} turns, 1 MB screenshots", screenshots),
    "stream": ("20,000 events", stream),
    "small": (f"{SMALL} small requests", small),
    "concurrent": (f"{TASKS} async runs of {TASK_TURNS} turns", concurrent),
}

if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure(*sys.argv[1:])
    else:
        main()
