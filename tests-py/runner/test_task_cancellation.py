"""A task that is cancelled at any await of a run (R-8, B-51)."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from api.kit import CLICK, TAB, Kit
from computer.scripted import METHODS, PICTURE
from computer.scripted import call as computer_call
from runner.bench import DECLARATION, Bench
from runner.endpoint import function_call, message
from runner.streams import AsyncSource, events
from runner.test_mcp import MCP, mcp_call
from runner.test_mcp import request as mcp_request
from swingbridge import (
    AsyncBrowserToolset,
    AsyncComputerToolset,
    AsyncRegisteredFunction,
    AsyncResponsesToolLedger,
    AsyncResponsesToolRunner,
    ToolRunnerCancelledError,
)

KIT = Kit(asynchronous=True)


class Scene:
    """A run that stays at one of its awaits, or ends."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.reached = asyncio.Event()
        self.opened = 0
        self.closed = 0
        self.saves = 0
        methods = {name: self.staying(f"computer_{name}", None) for name in METHODS}
        screenshot = self.staying("screenshot", dict(PICTURE))
        screen: Any = SimpleNamespace(**methods, screenshot=screenshot)
        self.screen = AsyncComputerToolset(screen)
        driver: Any = SimpleNamespace(
            state=self.staying("state", {"tabs": [TAB]}), click=self.staying("click", None)
        )
        self.toolset = AsyncBrowserToolset(
            driver, members=["click"], confirm=self.staying("confirm", True)
        )
        self.runner = AsyncResponsesToolRunner(
            browser=self.toolset,
            computer=self.screen,
            functions=[
                AsyncRegisteredFunction(DECLARATION, self.staying("lookup", "")),
                AsyncRegisteredFunction(
                    {**DECLARATION, "name": "beside"},
                    self.staying("beside", ""),
                    independent=True,
                ),
            ],
        )

    async def stay(self, here: str) -> None:
        if here == self.place:
            self.place = ""
            self.reached.set()
            await asyncio.get_running_loop().create_future()

    def staying(self, here: str, answer: Any) -> Any:
        async def function(*_arguments: Any) -> Any:
            await self.stay(here)
            return answer

        return function

    def stream(self, *items: Any) -> Any:
        scene = self

        class Source(AsyncSource):
            async def __anext__(self) -> Any:
                await scene.stay("event")
                return await super().__anext__()

            async def close(self) -> None:
                scene.closed += 1
                await scene.stay("close")

        return Source(*events(*items))

    def client(self, streams: list[Any]) -> Any:
        async def create(**_request: Any) -> Any:
            await self.stay("request")
            self.opened += 1
            return streams.pop(0)

        return SimpleNamespace(responses=SimpleNamespace(create=create))

    async def run(self) -> Any:
        """One of each kind of work, early and late."""
        early = [
            function_call("beside"),
            function_call("lookup"),
            function_call("browser_click", CLICK),
            computer_call(number=0),
        ]
        streams = [self.stream(*early), self.stream(message())]
        return await self.runner.run(
            self.client(streams),
            {"model": "m", "input": "x"},
            stream=True,
            eager=True,
            on_event=self.staying("on_event", None),
            before_early_call=self.staying("before_early_call", "execute"),
            before_action=self.staying("before_action", True),
        )

    async def run_saved(self) -> Any:
        """A run with a ledger, a budget and an approval."""

        async def save(checkpoint: Any) -> None:
            self.saves += 1
            await self.stay(f"save {checkpoint['revision']}")

        async def compact(snapshot: Any) -> Any:
            await self.stay("compact")
            return {"drop_call_ids": snapshot["eligible_call_ids"]}

        streams = [
            self.stream(function_call("lookup"), mcp_request(1)),
            self.stream(function_call("lookup", {"x": "y" * 1_000}), mcp_call()),
            self.stream(message()),
        ]
        return await self.runner.run(
            self.client(streams),
            MCP,
            stream=True,
            approve_mcp=self.staying("approve_mcp", True),
            ledger=AsyncResponsesToolLedger("r", save),
            context_budget={
                "max_input_bytes": 1_200,
                "max_input_images": 0,
                "compact": compact,
            },
        )


EARLY = [
    "request",
    "event",
    "close",
    "on_event",
    "before_early_call",
    "beside",
    "lookup",
    "state",
    "confirm",
    "click",
    "before_action",
    "computer_click",
    "screenshot",
]
SAVED = ["approve_mcp", *(f"save {revision}" for revision in range(1, 9)), "compact"]


@pytest.mark.parametrize(
    ("kind", "place"),
    [("run", place) for place in EARLY] + [("run_saved", place) for place in SAVED],
)
def test_a_task_can_be_cancelled_at_every_await(kind: str, place: str) -> None:
    async def main() -> None:
        scene = Scene(place)
        errors: list[BaseException] = []

        async def work() -> None:
            try:
                await getattr(scene, kind)()
            except BaseException as error:
                errors.append(error)
                raise

        task = asyncio.create_task(work())
        reaching = asyncio.create_task(scene.reached.wait())
        await asyncio.wait([task, reaching], return_when=asyncio.FIRST_COMPLETED)
        assert not task.done(), errors
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()
        (error,) = errors
        assert type(error) is ToolRunnerCancelledError
        assert set(error.completed_call_ids) <= set(error.attempted_call_ids)
        assert asyncio.all_tasks() == {asyncio.current_task()}
        assert scene.runner.close() == {"status": "closed"}
        assert scene.toolset.close() == {"status": "closed"}
        assert scene.screen.close() == {"status": "closed"}
        assert scene.closed == scene.opened

    asyncio.run(main())


@pytest.mark.parametrize("kind", ["run", "run_saved"])
def test_the_scene_ends_if_nothing_stays(kind: str) -> None:
    async def main() -> None:
        scene = Scene("")
        assert (await getattr(scene, kind)())["status"] == "completed"

    asyncio.run(main())


def test_an_iteration_can_be_cancelled_at_a_turn() -> None:
    bench = Bench(KIT)

    async def main() -> None:
        runner: AsyncResponsesToolRunner = bench.runner(bench.function(lambda _arguments: ""))
        source = bench.stream(*events(function_call("lookup")))
        shown = asyncio.Event()

        async def work() -> None:
            iteration = runner.iterate(
                bench.client(source), {"model": "m", "input": "x"}, stream=True
            )
            async for _turn in iteration:
                shown.set()
                try:
                    await asyncio.get_running_loop().create_future()
                finally:
                    await iteration.aclose()

        task = asyncio.create_task(work())
        await shown.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert runner.close() == {"status": "closed"}

    asyncio.run(main())
