"""CPU time per browser call, beside the published `openai` helpers in the same process.

Prints one line a case: microseconds of CPU of each package and their ratio. Rounds of the two packages
alternate, and the best round of each counts, so that a busy machine disturbs both alike.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from openai.lib import browser as published
from openai.types.responses import ResponseFunctionToolCall

import scenarios
import swingbridge

ROUNDS = 7
MEMBERS = ["click", "read_page", "screenshot"]
SECONDS_PER_ROUND = 0.15


def main() -> None:
    print(f"{'case':<34}{'swingbridge':>14}{'openai':>14}{'ratio':>9}")
    for name, wire in scenarios.CALLS.items():
        # Each package gets the kind of call that it is usually given.
        typed = ResponseFunctionToolCall.model_validate(wire)
        row(f"sync, {name}", sync_case(swingbridge, typed), sync_case(published, typed))
        row(f"async, {name}", async_case(swingbridge, typed), async_case(published, typed))
    imports()


def sync_case(package: Any, call: Any) -> Callable[[int], float]:
    toolset = package.BrowserToolset(scenarios.Driver(), members=MEMBERS, confirm=scenarios.confirm)
    assert toolset.execute(call)["call_id"] == "call_1"

    def run(times: int) -> float:
        execute = toolset.execute
        begin = time.process_time()
        for _ in range(times):
            execute(call)
        return time.process_time() - begin

    return run


def async_case(package: Any, call: Any) -> Callable[[int], float]:
    toolset = package.AsyncBrowserToolset(
        scenarios.AsyncDriver(), members=MEMBERS, confirm=scenarios.confirm_async
    )

    async def loop(times: int) -> float:
        execute = toolset.execute
        begin = time.process_time()
        for _ in range(times):
            await execute(call)
        return time.process_time() - begin

    return lambda times: asyncio.run(loop(times))


def row(name: str, ours: Callable[[int], float], theirs: Callable[[int], float]) -> None:
    times = [calibrate(ours), calibrate(theirs)]
    best = [float("inf"), float("inf")]
    for _ in range(ROUNDS):
        for index, case in enumerate((ours, theirs)):
            best[index] = min(best[index], case(times[index]) / times[index])
    mine, other = (seconds * 1e6 for seconds in best)
    print(f"{name:<34}{mine:>11.1f} µs{other:>11.1f} µs{other / mine:>8.1f}×", flush=True)


def calibrate(case: Callable[[int], float]) -> int:
    times = 10
    while (spent := case(times)) < SECONDS_PER_ROUND / 4:
        times *= 4
    return max(10, int(times * SECONDS_PER_ROUND / spent))


def imports() -> None:
    costs = [import_cost(module) for module in ("swingbridge", "openai.lib.browser")]
    print(f"{'import':<34}{costs[0]:>11.1f} ms{costs[1]:>11.1f} ms{costs[1] / costs[0]:>8.1f}×")


def import_cost(module: str) -> float:
    """CPU milliseconds of an import in a fresh interpreter, the best of several."""
    code = (
        "import time; begin = time.process_time(); "
        f"import {module}; print(time.process_time() - begin)"
    )
    runs = [
        float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True).stdout)
        for _ in range(ROUNDS)
    ]
    return min(runs) * 1e3


if __name__ == "__main__":
    main()
