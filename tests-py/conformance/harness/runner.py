"""Runs one scenario of a whole run and writes down what happened."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Callable
from contextlib import aclosing, closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .computer import make_computer_driver
from .data import CallForm, Record, Vector
from .run_script import RunScript, field, make_functions, make_options
from .run_service import Service, make_client
from .scenario import Raise, build_toolset
from .tags import untag

if TYPE_CHECKING:
    from .execute import Face

# The published helper lives in a submodule; everything else exports from its top level.
MODULES = {"openai": "openai.lib.responses_tool_runner"}

LATE_OUTPUT = {"type": "function_call_output", "call_id": "call_1", "output": "late"}


@dataclass(frozen=True)
class RunnerPackage:
    """The names of the package under test that a scenario needs."""

    sync_runner: Callable[..., Any]
    async_runner: Callable[..., Any]
    sync_function: Callable[..., Any]
    async_function: Callable[..., Any]
    sync_ledger: Callable[..., Any]
    async_ledger: Callable[..., Any]
    sync_browser: Callable[..., Any]
    async_browser: Callable[..., Any]
    sync_computer: Callable[..., Any]
    async_computer: Callable[..., Any]
    # A run that stops: these have the receipts.
    stops: tuple[type[BaseException], ...]
    # What the constructor, a run that is not admitted and a refused use of a turn may raise.
    # Any other class counts as a crash.
    refusals: tuple[type[Exception], ...]

    @classmethod
    def load(cls, name: str) -> RunnerPackage:
        """Import ``name``; a missing name is an ``AttributeError``."""
        module = importlib.import_module(MODULES.get(name, name))
        return cls(
            sync_runner=module.ResponsesToolRunner,
            async_runner=module.AsyncResponsesToolRunner,
            sync_function=module.RegisteredFunction,
            async_function=module.AsyncRegisteredFunction,
            sync_ledger=module.ResponsesToolLedger,
            async_ledger=module.AsyncResponsesToolLedger,
            sync_browser=module.BrowserToolset,
            async_browser=module.AsyncBrowserToolset,
            sync_computer=module.ComputerToolset,
            async_computer=module.AsyncComputerToolset,
            stops=(module.ToolRunnerError, module.ToolRunnerCancelledError),
            refusals=(Exception,) if name in MODULES else (ValueError, TypeError, RuntimeError),
        )


def run_runner_vector(
    vector: Vector, package: RunnerPackage, make_error: Raise, face: Face, form: CallForm
) -> Record:
    """The record of one scenario. An exception of the package becomes part of the record.

    A scenario that does nothing at a turn is also run to its end with ``run``, and the record
    has that record as well if it differs in more than the turns.
    """
    record = play(vector.input, package, make_error, face, form, iterates=True)
    if "turn_actions" in vector.input or "late_supply" in vector.input:
        return record
    whole = play(vector.input, package, make_error, face, form, iterates=False)
    return record if whole == without_turns(record) else {**record, "run": whole}


def without_turns(record: Record) -> Record:
    if "trace" not in record:
        return record
    trace = [entry for entry in record["trace"] if entry != "turn"]
    return {**record, "trace": trace, "turns": []}


def play(
    scenario: dict[str, Any],
    package: RunnerPackage,
    make_error: Raise,
    face: Face,
    form: CallForm,
    *,
    iterates: bool,
    observer: Callable[[Any], None] | None = None,
) -> Record:
    asynchronous = face == "python-async"
    script = RunScript(scenario, make_error, observer)
    try:
        runner = make_runner(script, package, asynchronous=asynchronous)
    except package.refusals:
        return {"ok": False, "error_class": "constructor_rejects"}
    except Exception as error:
        return {"ok": False, "error_class": crash(error)}
    service = Service(scenario, script.witness)
    client = make_client(service, form, asynchronous=asynchronous)
    run = Run(script, package, runner, client)
    record = run.record(iterates=iterates, asynchronous=asynchronous)
    record |= {
        "requests": service.requests.records,
        "trace": script.witness.trace,
        "driver_calls": script.witness.driver_calls,
        "turns": run.turns,
    }
    for name, part in (("saves", script.saves), ("compacts", script.compacts)):
        if part:
            record[name] = part
    if scenario.get("late_supply"):
        record["late_supply"] = {
            "supply_outputs": run.attempt(run.last_turn.supply_outputs, [LATE_OUTPUT]),
            "append_user_text": run.attempt(run.last_turn.append_user_text, "x"),
        }
    return record


def make_runner(script: RunScript, package: RunnerPackage, *, asynchronous: bool) -> Any:
    tools = script.scenario["tools"]
    given: dict[str, Any] = {}
    if "browser" in tools:
        kind = package.async_browser if asynchronous else package.sync_browser
        given["browser"] = build_toolset(kind, script.browser, asynchronous=asynchronous)
    if "computer" in tools:
        kind = package.async_computer if asynchronous else package.sync_computer
        given["computer"] = kind(make_computer_driver(script.computer, asynchronous=asynchronous))
    functions = make_functions(script, package, asynchronous=asynchronous)
    if functions is not None:
        given["functions"] = functions
    if "early_execution" in tools:
        given["early_execution"] = untag(tools["early_execution"])
    return (package.async_runner if asynchronous else package.sync_runner)(**given)


class Run:
    """One run of the runner, followed turn by turn or left alone."""

    def __init__(self, script: RunScript, package: RunnerPackage, runner: Any, client: Any) -> None:
        self.turns: list[Record] = []
        self.last_turn: Any = None
        self._script = script
        self._package = package
        self._runner = runner
        self._client = client
        self._final_id: Any = None
        self._closed = False

    def record(self, *, iterates: bool, asynchronous: bool) -> Record:
        """Run, and say how it ended."""
        if asynchronous:
            error = asyncio.run(self._outcome_async(iterates=iterates))
        else:
            error = self._outcome(iterates=iterates)
        if error is None:
            return {"ok": True, "value": {"final_id": self._final_id, "closed": self._closed}}
        if isinstance(error, self._package.stops):
            stop: Any = error
            return {
                "ok": False,
                "error_class": "cancelled" if self._script.witness.cancelled else "run_stops",
                "attempted": list(stop.attempted_call_ids),
                "completed": list(stop.completed_call_ids),
            }
        # Wrong use is found before anything is asked of anyone.
        if isinstance(error, self._package.refusals) and not self._script.witness.trace:
            return {"ok": False, "error_class": "admission_rejects"}
        return {"ok": False, "error_class": crash(error)}

    def _outcome(self, *, iterates: bool) -> BaseException | None:
        # BaseException, because a panic of native code and a cancelled task derive from it.
        try:
            params, options = self._arguments(asynchronous=False)
            if not iterates:
                self._final_id = field(self._runner.run(self._client, params, **options), "id")
                return None
            with closing(self._runner.iterate(self._client, params, **options)) as turns:
                for turn in turns:
                    if self._act_at(turn):
                        break
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            return error
        return None

    async def _outcome_async(self, *, iterates: bool) -> BaseException | None:
        # Caught inside its task: a task that ends with a cancellation gives another one to
        # whoever waits for it.
        try:
            params, options = self._arguments(asynchronous=True)
            if not iterates:
                response = await self._runner.run(self._client, params, **options)
                self._final_id = field(response, "id")
                return None
            async with aclosing(self._runner.iterate(self._client, params, **options)) as turns:
                async for turn in turns:
                    if self._act_at(turn):
                        break
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            return error
        return None

    def _arguments(self, *, asynchronous: bool) -> tuple[Any, dict[str, Any]]:
        options = make_options(self._script, self._package, asynchronous=asynchronous)
        return untag(self._script.scenario["params"]), options

    def _act_at(self, turn: Any) -> bool:
        """Note the turn and do what the scenario does there; whether it closes the iterator."""
        self._script.witness.trace.append("turn")
        record: Record = {
            "step": turn.step,
            "final": turn.final,
            "tools_executed": turn.tools_executed,
            "attempted": list(turn.attempted_call_ids),
            "completed": list(turn.completed_call_ids),
            "response_id": field(turn.response, "id"),
        }
        self.turns.append(record)
        self.last_turn = turn
        if turn.final:
            self._final_id = record["response_id"]
        actions = self._script.scenario.get("turn_actions", [])[len(self.turns) - 1 :]
        action: dict[str, Any] = (actions[0] if actions else None) or {}
        for name, shown, method in (
            ("supply_outputs", "supply", turn.supply_outputs),
            ("append_user_text", "append", turn.append_user_text),
        ):
            if name in action:
                record[shown] = [self.attempt(method, untag(given)) for given in action[name]]
        self._closed = action.get("close", False)
        return self._closed

    def attempt(self, method: Callable[[Any], Any], given: Any) -> str:
        """Whether a use of the turn was accepted."""
        try:
            method(given)
        except self._package.refusals:
            return "refused"
        except Exception as error:
            return crash(error)
        return "accepted"


def crash(error: BaseException) -> str:
    """A class that no record has."""
    return f"crashed: {error!r}"
