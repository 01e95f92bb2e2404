"""CPU time per browser call, beside the published `openai` helpers in the same process.

Prints one line a case: microseconds of CPU of each package and their ratio.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from openai.lib import browser as published
from openai.types.responses import ResponseFunctionToolCall

import measure
import scenarios
import swingbridge

IMPORTS = 7
MEMBERS = ["click", "read_page", "screenshot"]


def main() -> None:
    measure.header("case")
    for name, wire in scenarios.CALLS.items():
        # Each package gets the kind of call that it is usually given.
        typed = ResponseFunctionToolCall.model_validate(wire)
        measure.row(f"sync, {name}", sync_case(swingbridge, typed), sync_case(published, typed))
        measure.row(f"async, {name}", async_case(swingbridge, typed), async_case(published, typed))
    imports()


def sync_case(package: Any, call: Any) -> measure.Timed:
    toolset = package.BrowserToolset(scenarios.Driver(), members=MEMBERS, confirm=scenarios.confirm)
    assert toolset.execute(call)["call_id"] == "call_1"

    def run(times: int) -> float:
        execute = toolset.execute
        begin = time.process_time()
        for _ in range(times):
            execute(call)
        return time.process_time() - begin

    return run


def async_case(package: Any, call: Any) -> measure.Timed:
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


def imports() -> None:
    costs = [import_cost(module) for module in ("swingbridge", "openai.lib.browser")]
    measure.line("import", *costs, "ms")


def import_cost(module: str) -> float:
    """CPU seconds of an import in a fresh interpreter, the best of several."""
    code = (
        "import time; begin = time.process_time(); "
        f"import {module}; print(time.process_time() - begin)"
    )
    runs = [
        float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True).stdout)
        for _ in range(IMPORTS)
    ]
    return min(runs)


if __name__ == "__main__":
    main()
