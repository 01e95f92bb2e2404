"""Runs one scenario of a computer call and writes down what happened."""

from __future__ import annotations

import asyncio
import copy
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .data import CallForm, Record, Vector
from .scenario import APPROVE, HOST_TEXT, as_list, is_raise, nth
from .tags import none_if_undefined, untag
from .witness import Witness

if TYPE_CHECKING:
    from .execute import Face

METHODS = ("click", "double_click", "drag", "keypress", "move", "scroll", "type", "wait")
SCREENSHOT = {"type": "computer_screenshot", "image_url": "data:image/png;base64,AA=="}

# The published helper lives in a submodule; everything else exports from its top level.
MODULES = {"openai": "openai.lib.computer"}


@dataclass(frozen=True)
class ComputerPackage:
    """The names of the package under test that a scenario needs."""

    sync_toolset: Callable[..., Any]
    async_toolset: Callable[..., Any]
    # What `execute` may raise when it stops, besides what the driver or a callback raised.
    stops: tuple[type[Exception], ...]

    @classmethod
    def load(cls, name: str) -> ComputerPackage:
        """Import ``name``; a missing name is an ``AttributeError``."""
        module = importlib.import_module(MODULES.get(name, name))
        return cls(
            sync_toolset=module.ComputerToolset,
            async_toolset=module.AsyncComputerToolset,
            # The published package lets an AttributeError through for a call that is no object.
            stops=(Exception,) if name in MODULES else (module.ComputerUseError,),
        )


def run_computer_vector(
    vector: Vector, package: ComputerPackage, face: Face, form: CallForm
) -> Record:
    """The record of one scenario. An exception of the package becomes part of the record."""
    asynchronous = face == "python-async"
    script = ComputerScript(vector.input)
    toolset_class = package.async_toolset if asynchronous else package.sync_toolset
    try:
        toolset = toolset_class(make_computer_driver(script, asynchronous=asynchronous))
    except ValueError:
        return {"ok": False, "error_class": "constructor_rejects", "trace": script.witness.trace}
    except Exception as error:
        return {"ok": False, "error_class": f"crashed: {error!r}", "trace": script.witness.trace}
    record = execute(toolset, script, package, form, asynchronous=asynchronous)
    return {**record, "trace": script.witness.trace, "driver_calls": script.witness.driver_calls}


def execute(
    toolset: Any,
    script: ComputerScript,
    package: ComputerPackage,
    form: CallForm,
    *,
    asynchronous: bool,
) -> Record:
    call = untag(script.scenario["call"])
    if form == "openai" and isinstance(call, dict):
        call = openai_call(call)
    options = make_options(script, asynchronous=asynchronous)
    try:
        running = toolset.execute(call, **options)
        output = asyncio.run(running) if asynchronous else running
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        # BaseException, because a panic of native code and a cancelled task derive from it.
        return {"ok": False, "error_class": class_of_exception(error, script, package)}
    return {"ok": True, "value": {"output": output}}


def class_of_exception(
    error: BaseException, script: ComputerScript, package: ComputerPackage
) -> str:
    # What the driver or a callback raised may come out as it is.
    if error is not script.raised and not isinstance(error, package.stops):
        return f"crashed: {error!r}"
    return "cancelled" if script.witness.cancelled else "run_stops"


def openai_call(fields: dict[str, Any]) -> Any:
    """The call as the client parses it: validated, or put together loosely where it is not valid."""
    model = importlib.import_module("openai.types.responses").ResponseComputerToolCall
    try:
        return model.model_validate(fields)
    except ValueError:
        return model.construct(**fields)


class ComputerScript:
    """What the driver and the callbacks of one scenario do, and what was asked of them."""

    def __init__(self, scenario: dict[str, Any], witness: Witness | None = None) -> None:
        self.scenario = scenario
        self.witness = witness or Witness(scenario.get("cancel_at"))
        self.raised: BaseException | None = None

    def act(self, method: str, action: Any) -> None:
        """An action method: records the action, then returns or raises as scripted."""
        self.witness.trace.append(f"driver:{method}")
        self.witness.driver_calls.append(
            {"method": method, "action": copy.deepcopy(action.to_dict())}
        )
        self.witness.reach("driver")
        if method in self.scenario.get("driver_raises", ()):
            self._raise()

    def screenshot(self) -> Any:
        self.witness.trace.append("driver:screenshot")
        self.witness.driver_calls.append({"method": "screenshot"})
        self.witness.reach("driver")
        scripted = self.scenario.get("screenshot", SCREENSHOT)
        if is_raise(scripted):
            self._raise()
        return none_if_undefined(untag(scripted))

    def approve_safety_checks(self, call: Any) -> Any:
        self.witness.trace.append("approve_safety_checks")
        # Reading at every depth is part of what a callback may do.
        assert all(check.id is not None for check in call.pending_safety_checks)
        return self._behave("approve_safety_checks", call)

    def before_action(self, action: Any) -> Any:
        self.witness.trace.append(f"before_action:{action.type}")
        return self._behave("before_action", action)

    def _behave(self, callback: str, given: Any) -> Any:
        step = self.witness.reach(callback)
        behaviour = nth(as_list(self.scenario.get(callback, APPROVE)), step)
        if behaviour.get("mutates"):
            given.type = "defaced"
        if "raises" in behaviour:
            self._raise()
        return none_if_undefined(untag(behaviour["returns"]))

    def _raise(self) -> None:
        self.raised = OSError(HOST_TEXT)
        raise self.raised


def make_computer_driver(script: ComputerScript, *, asynchronous: bool) -> object:
    """An object with the nine methods but those that the scenario says are missing."""
    methods = {name: make_method(script, name, asynchronous=asynchronous) for name in METHODS}
    methods["screenshot"] = make_screenshot(script, asynchronous=asynchronous)
    for name in script.scenario.get("missing_methods", ()):
        del methods[name]
    return type("ScriptedComputer", (), methods)()


def make_method(script: ComputerScript, name: str, *, asynchronous: bool) -> Callable[..., Any]:
    def method(_self: object, action: Any) -> None:
        script.act(name, action)

    async def async_method(_self: object, action: Any) -> None:
        script.act(name, action)

    return async_method if asynchronous else method


def make_screenshot(script: ComputerScript, *, asynchronous: bool) -> Callable[..., Any]:
    def screenshot(_self: object) -> Any:
        return script.screenshot()

    async def async_screenshot(_self: object) -> Any:
        return script.screenshot()

    return async_screenshot if asynchronous else screenshot


def make_options(script: ComputerScript, *, asynchronous: bool) -> dict[str, Any]:
    """The keyword arguments of ``execute``."""

    async def approve_safety_checks(call: Any) -> Any:
        return script.approve_safety_checks(call)

    async def before_action(action: Any) -> Any:
        return script.before_action(action)

    callbacks: dict[str, Callable[..., Any]] = {
        "approve_safety_checks": script.approve_safety_checks,
        "before_action": script.before_action,
    }
    if asynchronous:
        callbacks = {
            "approve_safety_checks": approve_safety_checks,
            "before_action": before_action,
        }
    options: dict[str, Any] = {
        name: callback for name, callback in callbacks.items() if name in script.scenario
    }
    if "cancel_at" in script.scenario:
        options["cancelled"] = script.witness.is_cancelled
    return options
