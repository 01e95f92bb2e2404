"""Runs over a rehearsal: sync and async, plain and streamed (D-8)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from rehearsal.support import QUESTION, TOOL, WEATHER, client_of, weather
from swingbridge import (
    AsyncClient,
    AsyncRegisteredFunction,
    AsyncResponsesToolRunner,
    ResponsesToolRunner,
)
from swingbridge.rehearsal import RehearsalServer


def check(server: RehearsalServer, streams: bool) -> None:
    assert server.turns_left == 0
    first, second = (request.json() for request in server.requests)
    assert [body.get("stream", False) for body in (first, second)] == [streams, streams]
    assert first["input"][0]["content"] == QUESTION["input"]
    assert second["input"][-1] == {
        "type": "function_call_output",
        "call_id": "call_1_1",
        "output": "rain in Ghent",
    }


@pytest.mark.parametrize("streams", [False, True])
def test_a_run(streams: bool) -> None:
    kinds: set[str] = set()
    options: dict[str, Any] = {"on_event": lambda event: kinds.add(event.type)} if streams else {}
    with RehearsalServer(WEATHER) as server, client_of(server) as client:
        response = ResponsesToolRunner(functions=[weather()]).run(
            client, QUESTION, stream=streams, **options
        )
        check(server, streams)
    assert response.output_text == "It rains in Ghent."
    wanted = {"response.function_call_arguments.delta", "response.output_text.delta"}
    assert wanted <= kinds or not streams


@pytest.mark.parametrize("streams", [False, True])
def test_an_asynchronous_run(streams: bool) -> None:
    async def rain(arguments: Any) -> str:
        return f"rain in {arguments['place']}"

    async def run(server: RehearsalServer) -> str:
        runner = AsyncResponsesToolRunner(functions=[AsyncRegisteredFunction(TOOL, rain)])
        async with AsyncClient(base_url=server.url, api_key="any") as client:
            response = await runner.run(client, QUESTION, stream=streams)
            return str(response.output_text)

    with RehearsalServer(WEATHER) as server:
        assert asyncio.run(run(server)) == "It rains in Ghent."
        check(server, streams)


def test_runs_at_once_over_a_script_that_repeats() -> None:
    async def rain(arguments: Any) -> str:
        return f"rain in {arguments['place']}"

    async def run(server: RehearsalServer) -> list[Any]:
        async with AsyncClient(base_url=server.url, api_key="any") as client:

            async def once() -> str:
                runner = AsyncResponsesToolRunner(functions=[AsyncRegisteredFunction(TOOL, rain)])
                return str((await runner.run(client, QUESTION)).output_text)

            return await asyncio.gather(*(once() for _ in range(5)))

    with RehearsalServer(f"repeat: true\n{WEATHER}") as server:
        assert asyncio.run(run(server)) == ["It rains in Ghent."] * 5
        assert len(server.requests) == 10
