"""CPU time of whole runs, beside the published `openai` helper in the same process.

Prints for each case the CPU time of one run of both packages and their ratio: function turns, turns with a ledger whose
`save` does nothing, one response with a thousand function calls and a ledger, and streams of text events. The client is a
test double whose responses are made beforehand.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from typing import Any

import measure
from doubles import MESSAGE, AsyncClient, Client, response

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


def main() -> None:
    measure.header("run")
    modules = [measure.load(package, "responses_tool_runner") for package in measure.PACKAGES]
    turns = [response(step, [call(step)]) for step in range(1, TURNS + 1)]
    some = turns[:LEDGER_TURNS]
    batch = [response(1, [call(number) for number in range(1, CALLS + 1)])]
    cases: dict[str, Callable[[Any], measure.Timed]] = {
        f"sync, run of {TURNS} turns": lambda module: run_case(module, turns),
        f"async, run of {TURNS} turns": lambda module: async_run_case(module, turns),
        f"sync, {LEDGER_TURNS} turns, ledger": lambda module: run_case(module, some, ledger=True),
        f"sync, {CALLS} calls, ledger": lambda module: run_case(module, batch, ledger=True),
        f"sync, {EVENTS} events, on_event": stream_case,
    }
    for name, case in cases.items():
        measure.row_once(name, *(case(module) for module in modules))


def call(number: int) -> dict[str, Any]:
    item = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}"}
    return {**item, "name": "look", "arguments": "{}", "status": "completed"}


def run_case(module: Any, answers: list[Any], *, ledger: bool = False) -> measure.Timed:
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


def async_run_case(module: Any, answers: list[Any]) -> measure.Timed:
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


def stream_case(module: Any) -> measure.Timed:
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
