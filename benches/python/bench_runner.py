"""CPU time of whole runs, beside the published `openai` helper in the same process.

Prints for each case the CPU time of one run of both packages and their ratio: function turns, turns with a ledger whose
`save` does nothing, one response with a thousand function calls and a ledger, and streams of text events. The client is a
test double whose responses are made beforehand. Rounds of the two packages alternate, and the best of each counts.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from typing import Any

ROUNDS = 3
TURNS = 200
LEDGER_TURNS = 100
CALLS = 1_000
EVENTS = 20_000
PARAMS = {"model": "m", "input": "look"}
TOOL = {
    "type": "function",
    "name": "look",
    "parameters": {"type": "object", "properties": {}, "required": []},
    "strict": False,
}
PACKAGES = ("swingbridge", "openai")


def main() -> None:
    print(f"{'run':<34}{'swingbridge':>14}{'openai':>14}{'ratio':>9}")
    modules = [load(package) for package in PACKAGES]
    turns = [response(step, [call(step)]) for step in range(1, TURNS + 1)]
    row(f"sync, run of {TURNS} turns", *(run_case(module, turns) for module in modules))
    row(f"async, run of {TURNS} turns", *(async_run_case(module, turns) for module in modules))
    turns = turns[:LEDGER_TURNS]
    row(f"sync, {LEDGER_TURNS} turns, ledger", *(run_case(m, turns, ledger=True) for m in modules))
    batch = [response(1, [call(number) for number in range(1, CALLS + 1)])]
    row(f"sync, {CALLS} calls, ledger", *(run_case(m, batch, ledger=True) for m in modules))
    row(f"sync, {EVENTS} events, on_event", *(stream_case(module) for module in modules))


def row(name: str, ours: Callable[[int], float], theirs: Callable[[int], float]) -> None:
    best = [float("inf"), float("inf")]
    for _ in range(ROUNDS):
        for index, case in enumerate((ours, theirs)):
            best[index] = min(best[index], case(1))
    mine, other = (seconds * 1e3 for seconds in best)
    print(f"{name:<34}{mine:>11.1f} ms{other:>11.1f} ms{other / mine:>8.1f}×", flush=True)


def load(package: str) -> Any:
    import importlib

    return importlib.import_module(
        "openai.lib.responses_tool_runner" if package == "openai" else package
    )


def call(number: int) -> dict[str, Any]:
    item = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}"}
    return {**item, "name": "look", "arguments": "{}", "status": "completed"}


MESSAGE = {
    "type": "message",
    "id": "m",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "done", "annotations": []}],
}


def response(step: int, output: list[dict[str, Any]]) -> Any:
    from openai.types.responses import Response

    return Response.model_validate(
        {
            "id": f"resp_{step}",
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


class Client:
    """A test double that keeps nothing of what it is sent."""

    # The published helper reads these between requests, and with a ledger.
    _custom_headers: dict[str, str] = {}  # noqa: RUF012
    timeout = None

    def __init__(self, answers: list[Any]) -> None:
        self.responses = self
        self.answers = [*answers, response(len(answers) + 1, [MESSAGE])]
        self.step = 0

    def again(self) -> Client:
        self.step = 0
        return self

    def with_options(self, **options: Any) -> Client:
        return self

    def create(self, **params: Any) -> Any:
        self.step += 1
        return self.answers[self.step - 1]


class AsyncClient(Client):
    async def create(self, **params: Any) -> Any:
        return super().create(**params)


def run_case(module: Any, answers: list[Any], *, ledger: bool = False) -> Callable[[int], float]:
    function = module.RegisteredFunction(TOOL, lambda _: "seen")
    runner = module.ResponsesToolRunner(functions=[function])
    client = Client(answers)
    options: dict[str, Any] = {"max_steps": len(answers) + 1}
    if ledger:
        options["ledger"] = module.ResponsesToolLedger("run_1", lambda _: None)

    def run(times: int) -> float:
        begin = time.process_time()
        for _ in range(times):
            runner.run(client.again(), PARAMS, **options)
        return time.process_time() - begin

    return run


def async_run_case(module: Any, answers: list[Any]) -> Callable[[int], float]:
    async def look(arguments: Any) -> str:
        return "seen"

    function = module.AsyncRegisteredFunction(TOOL, look)
    runner = module.AsyncResponsesToolRunner(functions=[function])
    client = AsyncClient(answers)

    async def loop(times: int) -> float:
        begin = time.process_time()
        for _ in range(times):
            await runner.run(client.again(), PARAMS, max_steps=len(answers) + 1)
        return time.process_time() - begin

    return lambda times: asyncio.run(loop(times))


def stream_case(module: Any) -> Callable[[int], float]:
    events = text_events()

    class Streaming(Client):
        def create(self, **params: Any) -> Any:
            return Stream(events)

    runner = module.ResponsesToolRunner(functions=[])
    client = Streaming([])
    seen: list[str] = []

    def run(times: int) -> float:
        begin = time.process_time()
        for _ in range(times):
            seen.clear()
            runner.run(client, PARAMS, stream=True, on_event=lambda event: seen.append(event.type))
            assert len(seen) == len(events)
        return time.process_time() - begin

    return run


class Stream:
    """What `create(stream=True)` gives, made of events."""

    def __init__(self, events: list[Any]) -> None:
        self.events = events
        # The published helper closes the response behind it.
        self.response = self

    def __iter__(self) -> Iterator[Any]:
        return iter(self.events)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        pass


def text_events() -> list[Any]:
    from openai.types.responses import (
        ResponseCompletedEvent,
        ResponseCreatedEvent,
        ResponseTextDeltaEvent,
    )

    whole = response(1, [MESSAGE])
    created = ResponseCreatedEvent(type="response.created", response=whole, sequence_number=0)
    deltas = [
        ResponseTextDeltaEvent(
            type="response.output_text.delta",
            item_id="m",
            output_index=0,
            content_index=0,
            delta="word ",
            logprobs=[],
            sequence_number=number,
        )
        for number in range(1, EVENTS - 1)
    ]
    completed = ResponseCompletedEvent(
        type="response.completed", response=whole, sequence_number=EVENTS
    )
    return [created, *deltas, completed]


if __name__ == "__main__":
    main()
