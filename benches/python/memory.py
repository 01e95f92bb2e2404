"""Peak memory of a run with many screenshots: it must grow by the history and no second copy.

Prints, for a growing number of 1 MB screenshots, the bytes of the history and the peak of the process above
its start, for swingbridge and for the published runner, each in a process of its own.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

TURNS = (10, 40, 80)
MEBIBYTE = 1 << 20


def main() -> None:
    if len(sys.argv) == 3:
        print(measure(sys.argv[1], int(sys.argv[2])))
        return
    print(f"{'screenshots':<14}{'history':>12}{'swingbridge':>16}{'openai':>12}")
    for turns in TURNS:
        peaks = [child(package, turns) for package in ("swingbridge", "openai")]
        print(f"{turns:<14}{turns:>8} MiB{peaks[0]:>12.1f} MiB{peaks[1]:>8.1f} MiB", flush=True)


def child(package: str, turns: int) -> float:
    command = [sys.executable, __file__, package, str(turns)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(done.stdout)


def measure(package: str, turns: int) -> float:
    import scenarios

    if package == "swingbridge":
        from swingbridge import BrowserToolset, ResponsesToolRunner
    else:
        from openai.lib.browser import BrowserToolset  # type: ignore[assignment]
        from openai.lib.responses_tool_runner import (  # type: ignore[assignment]
            ResponsesToolRunner,
        )

    class Driver:
        def state(self) -> Any:
            return scenarios.STATE

        def screenshot(self, arguments: Any) -> Any:
            # A new string each time, as a real browser gives.
            url = "data:image/png;base64," + "iVBORw0KGgo=" * (MEBIBYTE // 12)
            return {"type": "input_image", "image_url": url}

    runner = ResponsesToolRunner(browser=BrowserToolset(Driver(), members=["screenshot"]))
    client = Client(turns)
    before = peak()
    runner.run(client, {"model": "m", "input": "look"}, max_steps=turns + 1)
    return peak() - before


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


class Client:
    """A test double that keeps nothing of what it is sent."""

    def __init__(self, turns: int) -> None:
        self.responses = self
        self.turns = turns
        self.step = 0

    def create(self, **params: Any) -> Any:
        from openai.types.responses import Response

        import scenarios

        self.step += 1
        if self.step <= self.turns:
            output = [scenarios.call("screenshot", '{"tab_id":null}', f"call_{self.step}")]
            output[0]["id"] = f"fc_{self.step}"
        else:
            text = {"type": "output_text", "text": "done", "annotations": []}
            output = [
                {
                    "type": "message",
                    "id": "m",
                    "role": "assistant",
                    "status": "completed",
                    "content": [text],
                }
            ]
        return Response.model_validate(
            {
                "id": f"resp_{self.step}",
                "object": "response",
                "created_at": 1,
                "model": "m",
                "status": "completed",
                "output": output,
                "parallel_tool_calls": False,
                "tool_choice": "auto",
                "tools": [],
            }
        )


if __name__ == "__main__":
    main()
