"""What the Python benchmarks share: how they measure, and the lines that they print.

Rounds of the two packages alternate, and the best round of each counts, so that a busy machine disturbs both alike.
"""

from __future__ import annotations

import importlib
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

PACKAGES = ("swingbridge", "openai")
SECONDS_PER_ROUND = 0.15
UNITS = {"µs": 1e6, "ms": 1e3, "MB": 1e-6, "×": 1.0}

# Does its work so many times and gives the seconds that it took.
Timed = Callable[[int], float]
# Does its work once, and tells what it has measured besides CPU, wall and memory.
Told = Mapping[str, float] | None
Work = Callable[[], Told]


def load(package: str, helper: str) -> Any:
    """Our package has the names of all helpers, the published one has a module for each."""
    return importlib.import_module(f"openai.lib.{helper}" if package == "openai" else package)


# --- in this process --------------------------------------------------------------------------------------------------


def header(title: str) -> None:
    print(f"{title:<50}{'swingbridge':>14}{'openai':>14}{'ratio':>9}", flush=True)


def line(name: str, mine: float, other: float, unit: str) -> None:
    """Of seconds, bytes or multiples."""
    ratio = f"{other / mine:.1f}×" if mine else ""
    mine, other = mine * UNITS[unit], other * UNITS[unit]
    digits = 2 if unit == "×" else 1
    cells = "".join(f"{value:.{digits}f} {unit}".rjust(14) for value in (mine, other))
    print(f"{name:<50}{cells}{ratio:>9}", flush=True)


def row(name: str, ours: Timed, theirs: Timed, *, unit: str = "µs", rounds: int = 7) -> None:
    """The time of one piece of work, done often enough to be seen."""
    measured(name, (ours, theirs), [calibrate(ours), calibrate(theirs)], unit, rounds)


def row_once(name: str, ours: Timed, theirs: Timed, *, rounds: int = 3) -> None:
    """The same for work that is long enough to be done once a round."""
    measured(name, (ours, theirs), [1, 1], "ms", rounds)


def measured(
    name: str, cases: tuple[Timed, Timed], times: list[int], unit: str, rounds: int
) -> None:
    best = [float("inf"), float("inf")]
    for _ in range(rounds):
        for index, case in enumerate(cases):
            best[index] = min(best[index], case(times[index]) / times[index])
    line(name, best[0], best[1], unit)


def calibrate(case: Timed) -> int:
    times = 10
    while (spent := case(times)) < SECONDS_PER_ROUND / 4:
        times *= 4
    return max(10, int(times * SECONDS_PER_ROUND / spent))


# --- memory -----------------------------------------------------------------------------------------------------------

STATUS = Path("/proc/self/status")


def growth(work: Callable[[], object]) -> float:
    """What the work adds at its peak, in MiB, for a process that does nothing else."""
    before = held()
    forget_peak()
    work()
    return (peak() - before) / (1 << 20)


def peak() -> float:
    """The most bytes that this process has held at once."""
    # Unlike the peak of `resource` that of Linux does not begin with the peak of the parent.
    if STATUS.exists():
        return status_bytes("VmHWM")
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def held() -> float:
    """The bytes that this process holds now; its peak where the system does not tell."""
    return status_bytes("VmRSS") if STATUS.exists() else peak()


def forget_peak() -> None:
    """Begins a new peak, where the system can."""
    if STATUS.exists():
        Path("/proc/self/clear_refs").write_text("5")


def status_bytes(field: str) -> float:
    [line] = (line for line in STATUS.read_text().splitlines() if line.startswith(f"{field}:"))
    return int(line.split()[1]) * 1024


# --- in processes of their own ----------------------------------------------------------------------------------------


class Worker:
    """A process that does one case of one package, once a round. It ends with its input."""

    def __init__(self, script: str, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, script, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def end(self) -> None:
        self.process.communicate()

    def line(self) -> str:
        assert self.process.stdout is not None
        text = self.process.stdout.readline()
        assert text, "the process ended"
        return text

    def round(self) -> dict[str, float]:
        """What a round took: `cpu` and `wall` in seconds, `memory` in bytes, and what it told besides."""
        assert self.process.stdin is not None
        print(file=self.process.stdin, flush=True)
        return dict(json.loads(self.line()))


def best_rounds(workers: list[Worker], rounds: int) -> list[dict[str, float]]:
    """The lowest of each measure."""
    best: list[dict[str, float]] = [{} for _ in workers]
    for _ in range(rounds):
        for worker, lowest in zip(workers, best, strict=True):
            for measure, value in worker.round().items():
                lowest[measure] = min(lowest.get(measure, value), value)
    return best


def serve_rounds(work: Work) -> None:
    """The worker's side. Memory is what a round adds at its peak to what was held before the first."""
    before = held()
    for _ in sys.stdin:
        forget_peak()
        cpu, wall = time.process_time(), time.perf_counter()
        told = work() or {}
        taken = {
            "cpu": time.process_time() - cpu,
            "wall": time.perf_counter() - wall,
            "memory": max(peak() - before, 0),
        }
        print(json.dumps({**taken, **told}), flush=True)
