"""Peak memory of a run with many screenshots: it must grow by the history and no second copy.

Prints, for a growing number of 1 MB screenshots, the bytes of the history and the peak of the process above
its start, for swingbridge and for the published runner, each in a process of its own.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import measure
import scenarios
from doubles import Client, response

TURNS = (10, 40, 80)
MEBIBYTE = 1 << 20


def main() -> None:
    if len(sys.argv) == 3:
        print(measure_growth(sys.argv[1], int(sys.argv[2])))
        return
    print(f"{'screenshots':<14}{'history':>12}{'swingbridge':>16}{'openai':>12}")
    for turns in TURNS:
        peaks = [child(package, turns) for package in measure.PACKAGES]
        print(f"{turns:<14}{turns:>8} MiB{peaks[0]:>12.1f} MiB{peaks[1]:>8.1f} MiB", flush=True)


def child(package: str, turns: int) -> float:
    command = [sys.executable, __file__, package, str(turns)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(done.stdout)


def measure_growth(package: str, turns: int) -> float:
    class Driver:
        def state(self) -> Any:
            return scenarios.STATE

        def screenshot(self, arguments: Any) -> Any:
            # A new string each time, as a real browser gives.
            url = "data:image/png;base64," + "iVBORw0KGgo=" * (MEBIBYTE // 12)
            return {"type": "input_image", "image_url": url}

    toolset = measure.load(package, "browser").BrowserToolset
    runner = measure.load(package, "responses_tool_runner").ResponsesToolRunner

    def run(turns: int) -> None:
        browser = toolset(Driver(), members=["screenshot"])
        client = Client(answers(turns))
        params = {"model": "m", "input": "look"}
        runner(browser=browser).run(client, params, max_steps=turns + 1)

    # The first run loads what is loaded late.
    run(1)
    return measure.growth(lambda: run(turns))


def answers(turns: int) -> list[Any]:
    item = scenarios.call("screenshot", '{"tab_id":null}')
    numbers = range(1, turns + 1)
    calls = [{**item, "id": f"fc_{n}", "call_id": f"call_{n}"} for n in numbers]
    return [response(step, [call]) for step, call in zip(numbers, calls, strict=True)]


if __name__ == "__main__":
    main()
