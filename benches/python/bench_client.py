"""The native client beside the published `openai` one, over HTTP on 127.0.0.1. A run is of a package's runner on its own
client.

Each package does each case in a process of its own, and the service is a third, so that CPU time and memory are the
client's only. Printed are

- `cpu`, `wall`: of the whole case, or of one request where it says so; connections are open already;
- `memory`: what the case adds at its peak to what its process held before, also as a multiple of the screenshots in the
  history, which the run holds at its end and sends with its last request;
- `first byte sent`: from the call of `create` until the first byte of the request is at the service, which looks at the
  clock when it has read it (see `client_service.py`);
- `call`: from the call of `create` until it has returned the response. What the service takes is in it, for both alike.

Both latencies are given as the median and the 99th percentile of 1,000 requests, one after another. Arguments are the
names of cases, for a part.
"""

from __future__ import annotations

import asyncio
import atexit
import importlib
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import measure

TURNS = 50
PICTURE = 1_000_000
EVENTS = 20_000
SMALL = 1_000
TASKS = 32
TASK_TURNS = 10
LOOK = {
    "type": "function",
    "name": "look",
    "parameters": {"type": "object", "properties": {}, "required": []},
    "strict": False,
}
PARAMS: dict[str, Any] = {"model": "m", "input": "look"}
SERVICE = Path(__file__).parents[1] / "client_service.py"

Make = Callable[[str, str], measure.Work]
AsyncWork = Callable[[], Awaitable[measure.Told]]


@dataclass
class Row:
    measure: str
    label: str
    unit: str
    divisor: float = 1


@dataclass
class Case:
    title: str
    # From the name of a package and the address of the service.
    make: Make
    rows: tuple[Row, ...]
    rounds: int = 3


def main(names: list[str]) -> None:
    service = measure.Worker(str(SERVICE))
    url = f"http://127.0.0.1:{int(service.line())}"
    measure.header("client")
    try:
        for name in names or CASES:
            case = CASES[name]
            workers = [
                measure.Worker(__file__, WORKER, name, package, url) for package in measure.PACKAGES
            ]
            try:
                best = measure.best_rounds(workers, case.rounds)
            finally:
                for worker in workers:
                    worker.end()
            for row in case.rows:
                mine, other = (lowest[row.measure] / row.divisor for lowest in best)
                measure.line(f"{case.title}: {row.label}", mine, other, row.unit)
    finally:
        service.end()


# --- the clients ------------------------------------------------------------------------------------------------------


KINDS = {"swingbridge": ("Client", "AsyncClient"), "openai": ("OpenAI", "AsyncOpenAI")}


def client(package: str, address: str, *, asynchronous: bool = False) -> Any:
    made = getattr(importlib.import_module(package), KINDS[package][asynchronous])
    return made(api_key="key", base_url=f"{address}/v1", max_retries=0)


def in_loop(begin: Callable[[], Awaitable[AsyncWork]]) -> measure.Work:
    """Each round in the same event loop, as the client's connections are."""
    loop = asyncio.new_event_loop()
    # A stream that was read to its end may have left something for the loop to close.
    atexit.register(lambda: loop.run_until_complete(loop.shutdown_asyncgens()))
    work = loop.run_until_complete(begin())
    return lambda: loop.run_until_complete(work())


# --- the cases --------------------------------------------------------------------------------------------------------


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


class AsyncDesk:
    def __init__(self) -> None:
        self.desk = Desk()

    async def screenshot(self) -> dict[str, str]:
        return self.desk.screenshot()

    async def _act(self, action: Any) -> None:
        return None

    click = double_click = drag = keypress = move = scroll = type = wait = _act


def screenshots(package: str, url: str) -> measure.Work:
    made = client(package, f"{url}/computer/{TURNS}")
    made.responses.create(**PARAMS)
    computer = measure.load(package, "computer").ComputerToolset(Desk())
    runner = measure.load(package, "responses_tool_runner").ResponsesToolRunner(computer=computer)
    options = {"max_steps": TURNS + 1, "before_action": lambda _action: True}

    def work() -> None:
        assert runner.run(made, PARAMS, **options).output_text == "done"

    return work


def async_screenshots(package: str, url: str) -> measure.Work:
    computer = measure.load(package, "computer").AsyncComputerToolset(AsyncDesk())
    module = measure.load(package, "responses_tool_runner")
    runner = module.AsyncResponsesToolRunner(computer=computer)

    async def allow(_action: Any) -> bool:
        return True

    async def begin() -> AsyncWork:
        made = client(package, f"{url}/computer/{TURNS}", asynchronous=True)
        await made.responses.create(**PARAMS)

        async def work() -> None:
            final = await runner.run(made, PARAMS, max_steps=TURNS + 1, before_action=allow)
            assert final.output_text == "done"

        return work

    return in_loop(begin)


def stream(package: str, url: str) -> measure.Work:
    made = client(package, f"{url}/events/0")

    def work() -> None:
        with made.responses.create(**PARAMS, stream=True) as events:
            texts = [event.delta for event in events if event.type == "response.output_text.delta"]
        assert len(texts) > EVENTS - 10

    work()
    return work


def async_stream(package: str, url: str) -> measure.Work:
    async def begin() -> AsyncWork:
        made = client(package, f"{url}/events/0", asynchronous=True)

        async def work() -> None:
            async with await made.responses.create(**PARAMS, stream=True) as events:
                texts = [
                    event.delta
                    async for event in events
                    if event.type == "response.output_text.delta"
                ]
            assert len(texts) > EVENTS - 10

        await work()
        return work

    return in_loop(begin)


def streamed_run(package: str, url: str) -> measure.Work:
    made = client(package, f"{url}/events/0")
    runner = measure.load(package, "responses_tool_runner").ResponsesToolRunner(functions=[])

    def work() -> None:
        assert runner.run(made, PARAMS, stream=True).output_text == "done"

    work()
    return work


def small(package: str, url: str) -> measure.Work:
    made = client(package, f"{url}/plain/0")
    made.responses.create(**PARAMS)

    def work() -> dict[str, float]:
        clock = Latencies()
        for _ in range(SMALL):
            clock.begin()
            clock.end(made.responses.create(**PARAMS))
        return clock.told()

    return work


def async_small(package: str, url: str) -> measure.Work:
    async def begin() -> AsyncWork:
        made = client(package, f"{url}/plain/0", asynchronous=True)
        await made.responses.create(**PARAMS)

        async def work() -> dict[str, float]:
            clock = Latencies()
            for _ in range(SMALL):
                clock.begin()
                clock.end(await made.responses.create(**PARAMS))
            return clock.told()

        return work

    return in_loop(begin)


class Latencies:
    def __init__(self) -> None:
        self.cpu = time.process_time()
        self.seen: list[tuple[int, int, Any]] = []
        self.begun = 0

    def begin(self) -> None:
        self.begun = time.monotonic_ns()

    def end(self, response: Any) -> None:
        self.seen.append((self.begun, time.monotonic_ns(), response))

    def told(self) -> dict[str, float]:
        """The CPU time is taken before the responses are read."""
        each = (time.process_time() - self.cpu) / len(self.seen)
        sent = [arrival(response) - begun for begun, _, response in self.seen]
        calls = [ended - begun for begun, ended, _ in self.seen]
        return {"each": each, **quantiles("sent", sent), **quantiles("call", calls)}


def arrival(response: Any) -> int:
    return int(response.to_dict()["metadata"]["arrived"])


def quantiles(name: str, times: list[int]) -> dict[str, float]:
    last = statistics.quantiles(times, n=100)[-1]
    return {f"{name}_median": statistics.median(times) * 1e-9, f"{name}_p99": last * 1e-9}


def concurrent(package: str, url: str) -> measure.Work:
    module = measure.load(package, "responses_tool_runner")

    async def look(_arguments: Any) -> str:
        return "seen"

    async def begin() -> AsyncWork:
        made = client(package, f"{url}/function/{TASK_TURNS}", asynchronous=True)

        async def run() -> None:
            function = module.AsyncRegisteredFunction(LOOK, look)
            runner = module.AsyncResponsesToolRunner(functions=[function])
            await runner.run(made, PARAMS, max_steps=TASK_TURNS + 1)

        async def work() -> None:
            await asyncio.gather(*(run() for _ in range(TASKS)))

        await work()
        return work

    return in_loop(begin)


CPU, WALL, MEMORY = (
    Row("cpu", "cpu", "ms"),
    Row("wall", "wall", "ms"),
    Row("memory", "memory", "MB"),
)
RUN = (CPU, WALL, MEMORY, Row("memory", "memory / screenshots", "×", TURNS * PICTURE))
REQUEST = (
    Row("each", "cpu each", "µs"),
    Row("sent_median", "first byte sent, median", "µs"),
    Row("sent_p99", "first byte sent, 99 %", "µs"),
    Row("call_median", "call, median", "µs"),
    Row("call_p99", "call, 99 %", "µs"),
)
CASES = {
    "screenshots": Case(f"{TURNS} turns of 1 MB", screenshots, RUN, rounds=2),
    "async_screenshots": Case(f"async, {TURNS} turns of 1 MB", async_screenshots, RUN, rounds=2),
    "stream": Case(f"{EVENTS} events", stream, (CPU, WALL)),
    "async_stream": Case(f"async, {EVENTS} events", async_stream, (CPU, WALL)),
    "streamed_run": Case(f"{EVENTS} events in a run", streamed_run, (CPU, WALL)),
    "small": Case(f"{SMALL} requests", small, REQUEST),
    "async_small": Case(f"async, {SMALL} requests", async_small, REQUEST),
    "concurrent": Case(
        f"{TASKS} async runs of {TASK_TURNS} turns", concurrent, (CPU, WALL, MEMORY)
    ),
}

WORKER = "--worker"

if __name__ == "__main__":
    if sys.argv[1:2] == [WORKER]:
        name, package, url = sys.argv[2:]
        measure.serve_rounds(CASES[name].make(package, url))
    else:
        main(sys.argv[1:])
