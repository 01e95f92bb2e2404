"""The scripted side of a run: functions, callbacks, a ledger and a context budget."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .computer import ComputerScript
from .data import Record
from .run_records import checkpoint_record, snapshot_record
from .scenario import Raise, Script, as_list, nth
from .tags import UNDEFINED, none_if_undefined, untag
from .witness import Witness

if TYPE_CHECKING:
    from .runner import RunnerPackage

# Filled in by each. The order of the fields shows in checkpoints, which other languages write too.
DECLARATION: dict[str, Any] = {
    "type": "function",
    "name": None,
    "parameters": {"type": "object", "properties": {}},
    "strict": False,
}

PLAIN_OPTIONS = ("max_steps", "stream", "eager", "max_concurrent_calls")


class RunScript:
    """What the scripted parts of one run do, and what was asked of them."""

    def __init__(
        self,
        scenario: dict[str, Any],
        make_error: Raise,
        observer: Callable[[Any], None] | None = None,
    ) -> None:
        self.scenario = scenario
        self.observer = observer
        self.options: dict[str, Any] = scenario.get("options", {})
        self.witness = Witness(self.options.get("cancel_at"))
        tools = scenario["tools"]
        self.browser = Script(tools.get("browser") or {}, make_error, self.witness)
        # The callbacks of a computer call are options of the run.
        desk = {**self.options, **(tools.get("computer") or {})}
        self.computer = ComputerScript(desk, self.witness)
        self.saves: list[Record] = []
        self.compacts: list[Record] = []
        self._make_error = make_error

    def call(self, function: dict[str, Any], arguments: Any) -> Any:
        """A registered function."""
        name = function["name"]
        self.witness.trace.append(f"function:{name}")
        self.witness.driver_calls.append(
            {"function": name, "arguments": copy.deepcopy(arguments)},
        )
        self.witness.reach("function")
        return self._play(function.get("behaviour", {"returns": "done"}))

    def on_event(self, event: Any) -> None:
        self.witness.trace.append(f"event:{field(event, 'type')}")

    def approve_mcp(self, request: Any) -> Any:
        return self._behave("approve_mcp", field(request, "id"))

    def before_early_call(self, call: Any) -> Any:
        return self._behave("before_early_call", field(call, "call_id"))

    def save(self, checkpoint: Any) -> None:
        self.witness.trace.append(f"save:{checkpoint['phase']}")
        self.saves.append(checkpoint_record(checkpoint))
        self.witness.reach("save")
        if self.options["ledger"].get("raises_at") == len(self.saves):
            raise self._make_error("error")

    def compact(self, snapshot: Any) -> Any:
        self.witness.trace.append("compact")
        self.compacts.append(snapshot_record(snapshot))
        self.witness.reach("compact")
        script: dict[str, Any] = self.options["context_budget"]["compact"]
        if "raises" in script:
            raise self._make_error(script["raises"])
        if "decision" in script:
            return none_if_undefined(untag(script["decision"]))
        decision = {"drop_call_ids": self._dropped(script["drop"], snapshot["eligible_call_ids"])}
        return {**decision, "summary": script["summary"]} if "summary" in script else decision

    def _dropped(self, drop: Any, eligible: list[str]) -> Any:
        match drop:
            case "eligible":
                return list(eligible)
            case int():
                return eligible[:drop]
            case _:
                return untag(drop)

    def _behave(self, callback: str, subject: Any) -> Any:
        self.witness.trace.append(f"{callback}:{subject}")
        step = self.witness.reach(callback)
        return self._play(nth(as_list(self.options[callback]), step))

    def _play(self, behaviour: dict[str, Any]) -> Any:
        if "raises" in behaviour:
            raise self._make_error(behaviour["raises"])
        return none_if_undefined(untag(behaviour["returns"]))


def field(subject: Any, name: str) -> Any:
    """A field of a wire object, which is a dict or an object with attributes."""
    return subject[name] if isinstance(subject, dict) else getattr(subject, name)


def make_functions(script: RunScript, package: RunnerPackage, *, asynchronous: bool) -> Any:
    """The registered functions; ``None`` if the scenario gives none."""
    functions = script.scenario["tools"].get("functions")
    if functions is None:
        return None
    kind = package.async_function if asynchronous else package.sync_function
    return [make_function(script, kind, each, asynchronous=asynchronous) for each in functions]


def make_function(
    script: RunScript,
    kind: Callable[..., Any],
    function: dict[str, Any],
    *,
    asynchronous: bool,
) -> Any:
    def execute(arguments: Any) -> Any:
        return script.call(function, arguments)

    declared = {
        name: untag(value)
        for name, value in {
            **DECLARATION,
            "name": function["name"],
            **function.get("declaration", {}),
        }.items()
    }
    tool = {name: value for name, value in declared.items() if value is not UNDEFINED}
    flags = {
        name: untag(function[name])
        for name in ("allow_output_override", "independent")
        if name in function
    }
    return kind(tool, awaited(execute) if asynchronous else execute, **flags)


def make_options(
    script: RunScript, package: RunnerPackage, *, asynchronous: bool
) -> dict[str, Any]:
    """The keyword arguments of ``run`` and ``iterate``."""
    given = script.options

    def scripted(callback: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return awaited(callback) if asynchronous else callback

    options: dict[str, Any] = {name: untag(given[name]) for name in PLAIN_OPTIONS if name in given}
    callbacks: dict[str, Callable[[Any], Any]] = {
        "approve_mcp": script.approve_mcp,
        "before_early_call": script.before_early_call,
        "approve_safety_checks": script.computer.approve_safety_checks,
        "before_action": script.computer.before_action,
    }
    for name, callback in callbacks.items():
        if name in given:
            options[name] = scripted(callback)
    if given.get("record_events"):
        options["on_event"] = scripted(script.on_event)
    if script.observer is not None:
        options["on_diagnostic"] = script.observer
    if "cancel_at" in given:
        options["cancelled"] = script.witness.is_cancelled
    if "ledger" in given:
        ledger = given["ledger"]
        arguments = {
            name: untag(ledger[name]) for name in ("run_id", "resume_from") if name in ledger
        }
        kind = package.async_ledger if asynchronous else package.sync_ledger
        options["ledger"] = kind(save=scripted(script.save), **arguments)
    if "context_budget" in given:
        options["context_budget"] = make_budget(script, scripted(script.compact))
    return {name: value for name, value in options.items() if value is not UNDEFINED}


def make_budget(script: RunScript, compact: Callable[[Any], Any]) -> Any:
    budget = dict(script.options["context_budget"])
    match budget:
        case {"compact": {"$literal": literal}}:
            budget["compact"] = literal
        case {"compact": dict()}:
            return {**untag({**budget, "compact": None}), "compact": compact}
    return untag(budget)


def awaited(callback: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The callback as the asynchronous class takes it."""

    async def asynchronous(given: Any) -> Any:
        return callback(given)

    return asynchronous
