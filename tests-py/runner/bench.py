"""What a runner test is made of, in one flavour: a client, functions, a toolset and a runner."""

from __future__ import annotations

import asyncio
from contextlib import aclosing, closing
from dataclasses import dataclass
from types import FunctionType, MethodType, SimpleNamespace
from typing import Any

import swingbridge
from api.kit import Function, Kit
from runner.streams import source

DECLARATION: dict[str, Any] = {
    "type": "function",
    "name": "lookup",
    "strict": False,
    "parameters": {"type": "object", "properties": {}, "additionalProperties": True},
}
PARAMS: dict[str, Any] = {"model": "m", "input": "hello"}


@dataclass(frozen=True)
class Bench:
    """Makes and runs what a test needs, in one flavour."""

    kit: Kit

    def client(self, *answers: Any) -> Any:
        """A double that answers in turn. A function is called, an error raised."""
        left = list(answers)
        seen: list[dict[str, Any]] = []

        def next_answer(request: dict[str, Any]) -> Any:
            seen.append(request)
            answer = left.pop(0)
            # By their types: an answer may be an object that does not like to be looked at.
            if type(answer) in {FunctionType, MethodType}:
                answer = answer()
            if issubclass(type(answer), BaseException):
                raise answer
            return answer

        def create(**request: Any) -> Any:
            return next_answer(request)

        async def create_async(**request: Any) -> Any:
            return next_answer(request)

        chosen = create_async if self.kit.asynchronous else create
        return SimpleNamespace(responses=SimpleNamespace(create=chosen), requests=seen)

    def stream(self, *steps: Any) -> Any:
        """A stream of these events for ``client``; see ``streams.Source``."""
        return source(self.kit.asynchronous)(*steps)

    def function(self, plain: Function, **options: Any) -> Any:
        """A registered function, called ``lookup`` unless ``name`` says otherwise."""
        declaration = {**DECLARATION, **options.pop("declaration", {})}
        kinds = swingbridge.RegisteredFunction, swingbridge.AsyncRegisteredFunction
        kind = kinds[self.kit.asynchronous]
        return kind(declaration, self.kit.function(plain), **options)

    def runner(self, *functions: Any, **options: Any) -> Any:
        kinds = swingbridge.ResponsesToolRunner, swingbridge.AsyncResponsesToolRunner
        return kinds[self.kit.asynchronous](functions=list(functions), **options)

    def run(self, runner: Any, client: Any, params: Any = None, **options: Any) -> Any:
        """Run one task to its end."""
        given = PARAMS if params is None else params
        if not self.kit.asynchronous:
            return runner.run(client, given, **options)
        return finish(runner.run(client, given, **options))

    def iterate(
        self, runner: Any, client: Any, look: Any = None, params: Any = None, **options: Any
    ) -> list[Any]:
        """Go through the turns of a run; ``look`` gets each and ends the iteration with true."""
        given = PARAMS if params is None else params
        turns: list[Any] = []

        def is_enough(turn: Any) -> bool:
            turns.append(turn)
            return look is not None and look(turn) is True

        if not self.kit.asynchronous:
            with closing(runner.iterate(client, given, **options)) as iteration:
                for turn in iteration:
                    if is_enough(turn):
                        break
            return turns

        async def main() -> None:
            async with aclosing(runner.iterate(client, given, **options)) as iteration:
                async for turn in iteration:
                    if is_enough(turn):
                        break

        finish(main())
        return turns

    def ledger(self, save: Function, run_id: str = "run", resume_from: Any = None) -> Any:
        kinds = swingbridge.ResponsesToolLedger, swingbridge.AsyncResponsesToolLedger
        return kinds[self.kit.asynchronous](run_id, self.kit.function(save), resume_from)


def finish(work: Any) -> Any:
    """Run a coroutine to its end."""

    async def outcome() -> tuple[Any, BaseException | None]:
        # Caught inside its task: before Python 3.11 a task that ends with a cancellation gives
        # another one to whoever waits for it.
        try:
            return await work, None
        except BaseException as error:
            return None, error

    result, error = asyncio.run(outcome())
    if error is not None:
        raise error
    return result


def noting(seen: list[Any], answer: Any = "") -> Function:
    """A function that notes its argument and answers always the same."""

    def function(argument: Any) -> Any:
        seen.append(argument)
        return answer

    return function
