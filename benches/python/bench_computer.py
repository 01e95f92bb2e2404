"""CPU time of computer calls and loops, beside the published `openai` helper in the same process.

Prints microseconds of CPU for `execute` with two actions and a screenshot of 1 MB, milliseconds for a run of 50 turns
with such screenshots through a test double of the client, and the peak memory of such a run, each package in a
process of its own.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import measure
from doubles import AsyncClient, Client, response

TURNS = 50
MEBIBYTE = 1 << 20
SCREENSHOT = {
    "type": "computer_screenshot",
    "image_url": "data:image/png;base64," + "iVBORw0KGgo=" * (MEBIBYTE // 12),
}


def main() -> None:
    if len(sys.argv) == 3:
        print(measure_peak(sys.argv[1], int(sys.argv[2])))
        return
    measure.header("computer")
    name, wire = "2 actions, screenshot 1 MB", call(1)
    ours, theirs = (measure.load(package, "computer") for package in measure.PACKAGES)
    typed = parsed(wire)
    measure.row(f"sync, {name}", execute_case(ours, typed), execute_case(theirs, typed))
    measure.row(
        f"async, {name}", async_execute_case(ours, typed), async_execute_case(theirs, typed)
    )
    # The published helper takes its own objects only.
    measure.row("sync, the same as a dict", execute_case(ours, wire), execute_case(theirs, typed))
    measure.row(f"sync, run of {TURNS} turns", run_case(ours), run_case(theirs), unit="ms")
    runs = (async_run_case(ours), async_run_case(theirs))
    measure.row(f"async, run of {TURNS} turns", *runs, unit="ms")
    memory()


def call(number: int) -> dict[str, Any]:
    return {
        "type": "computer_call",
        "id": f"cu_{number}",
        "call_id": f"call_{number}",
        "status": "completed",
        "pending_safety_checks": [],
        "actions": [
            {"type": "click", "x": 400, "y": 300, "button": "left"},
            {"type": "type", "text": "a table for two"},
        ],
    }


def answers(turns: int) -> list[Any]:
    return [response(step, [call(step)]) for step in range(1, turns + 1)]


def parsed(wire: dict[str, Any]) -> Any:
    from openai.types.responses import ResponseComputerToolCall

    return ResponseComputerToolCall.model_validate(wire)


class Driver:
    """A driver that costs nothing: what is measured is the helper."""

    def act(self, action: Any) -> None:
        return None

    click = double_click = drag = keypress = move = scroll = type = wait = act

    def screenshot(self) -> Any:
        return SCREENSHOT


class AsyncDriver:
    async def act(self, action: Any) -> None:
        return None

    click = double_click = drag = keypress = move = scroll = type = wait = act

    async def screenshot(self) -> Any:
        return SCREENSHOT


def execute_case(module: Any, given: Any) -> measure.Timed:
    toolset = module.ComputerToolset(Driver())
    assert toolset.execute(given)["call_id"] == "call_1"

    def run(times: int) -> float:
        execute = toolset.execute
        begin = time.process_time()
        for _ in range(times):
            execute(given)
        return time.process_time() - begin

    return run


def async_execute_case(module: Any, given: Any) -> measure.Timed:
    toolset = module.AsyncComputerToolset(AsyncDriver())

    async def loop(times: int) -> float:
        execute = toolset.execute
        begin = time.process_time()
        for _ in range(times):
            await execute(given)
        return time.process_time() - begin

    return lambda times: asyncio.run(loop(times))


def run_case(module: Any) -> measure.Timed:
    toolset = module.ComputerToolset(Driver())
    client = Client(answers(TURNS))

    def run(times: int) -> float:
        begin = time.process_time()
        for _ in range(times):
            toolset.run(client.again(), {"model": "m", "input": "look"}, max_steps=TURNS + 1)
        return time.process_time() - begin

    return run


def async_run_case(module: Any) -> measure.Timed:
    toolset = module.AsyncComputerToolset(AsyncDriver())
    client = AsyncClient(answers(TURNS))

    async def loop(times: int) -> float:
        begin = time.process_time()
        for _ in range(times):
            await toolset.run(client.again(), {"model": "m", "input": "look"}, max_steps=TURNS + 1)
        return time.process_time() - begin

    return lambda times: asyncio.run(loop(times))


def memory() -> None:
    print(f"\n{'peak memory of a run':<34}{'history':>14}{'swingbridge':>14}{'openai':>14}")
    for turns in (10, TURNS):
        peaks = [peak_of(package, turns) for package in measure.PACKAGES]
        print(f"{turns} screenshots of 1 MiB".ljust(34), end="")
        print(f"{turns:>10} MiB{peaks[0]:>10.1f} MiB{peaks[1]:>10.1f} MiB", flush=True)


def peak_of(package: str, turns: int) -> float:
    command = [sys.executable, __file__, package, str(turns)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def measure_peak(package: str, turns: int) -> float:
    class Camera(Driver):
        def screenshot(self) -> Any:
            # A new string each time, as a real screen gives.
            url = "data:image/png;base64," + "iVBORw0KGgo=" * (MEBIBYTE // 12)
            return {"type": "computer_screenshot", "image_url": url}

    toolset = measure.load(package, "computer").ComputerToolset(Camera())
    client = Client(answers(turns))
    # The first call loads what is loaded late.
    toolset.execute(parsed(call(0)))
    params = {"model": "m", "input": "look"}
    return measure.growth(lambda: toolset.run(client, params, max_steps=turns + 1))


if __name__ == "__main__":
    main()
