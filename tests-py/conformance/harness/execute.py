"""Runs one scenario on one class of a package and writes down what happened."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from .computer import ComputerPackage, run_computer_vector
from .data import CallForm, Record, Vector
from .payload import read_payload
from .runner import RunnerPackage, run_runner_vector
from .scenario import CALLER_TEXT, HOST_TEXT, Script, build_toolset
from .tags import UNDEFINED, untag

Face = Literal["python-sync", "python-async"]

PYTHON_FACES: tuple[Face, ...] = ("python-sync", "python-async")
CALL_FORMS: tuple[CallForm, ...] = ("dict", "openai")

# The published helper lives in a submodule; everything else exports from its top level.
MODULES = {"openai": "openai.lib.browser"}


@dataclass(frozen=True)
class Package:
    """The names of the package under test that a scenario needs."""

    sync_toolset: Callable[..., Any]
    async_toolset: Callable[..., Any]
    browser_error: type[Exception]
    cancelled_error: type[Exception]
    constants: Mapping[str, Any]
    # What `execute` may raise when it stops. Any other class counts as a crash, so that a
    # slip inside the package is not taken for a refusal.
    stops: tuple[type[Exception], ...]
    computer: ComputerPackage | None = None
    runner: RunnerPackage | None = None

    @classmethod
    def load(cls, name: str) -> Package:
        """Import ``name``; a missing name is an ``AttributeError``."""
        module = importlib.import_module(MODULES.get(name, name))
        documented = (RuntimeError, ValueError, TypeError, module.BrowserError)
        return cls(
            sync_toolset=module.BrowserToolset,
            async_toolset=module.AsyncBrowserToolset,
            browser_error=module.BrowserError,
            cancelled_error=module.BrowserCancelledError,
            constants={
                constant: getattr(module, constant)
                for constant in ("BROWSER_MEMBERS", "DEFAULT_BROWSER_MEMBERS")
            },
            # The published package lets an AttributeError through for a call without a name.
            stops=(Exception,) if name in MODULES else documented,
            computer=ComputerPackage.load(name),
            runner=RunnerPackage.load(name),
        )

    def host_error(self, kind: str) -> BaseException:
        """What a scripted part raises."""
        match kind:
            case "error":
                return OSError(HOST_TEXT)
            case "browser_error":
                return self.browser_error(CALLER_TEXT)
            case "cancelled":
                return self.cancelled_error(HOST_TEXT)
            case _:
                raise ValueError(f"unknown failure {kind!r}")


def run_vector(vector: Vector, package: Package, face: Face, form: CallForm) -> Record:
    """The record of one scenario. An exception of the package becomes part of the record."""
    if vector.kind == "computer" and package.computer is not None:
        return run_computer_vector(vector, package.computer, face, form)
    if vector.kind == "runner" and package.runner is not None:
        return run_runner_vector(vector, package.runner, package.host_error, face, form)
    scenario = vector.input
    if "constant" in scenario:
        return {"ok": True, "value": {"tools": list(package.constants[scenario["constant"]])}}

    script = Script(scenario, make_error=package.host_error)
    toolset_class = package.async_toolset if face == "python-async" else package.sync_toolset
    try:
        toolset = build_toolset(toolset_class, script, asynchronous=face == "python-async")
    except (ValueError, TypeError):
        return {"ok": False, "error_class": "constructor_rejects", "trace": script.witness.trace}
    except Exception as error:
        return {"ok": False, "error_class": crash(error), "trace": script.witness.trace}
    if "member" not in scenario:
        value = declared(toolset.tools, with_schema=bool(scenario.get("record_schema")))
        return {"ok": True, "value": value, "trace": script.witness.trace}

    record = execute(toolset, scenario, script, package, face, form)
    record["trace"] = script.witness.trace
    record["driver_calls"] = script.witness.driver_calls
    if scenario.get("record_contexts"):
        record["contexts"] = script.contexts
    return record


def execute(
    toolset: Any,
    scenario: dict[str, Any],
    script: Script,
    package: Package,
    face: Face,
    form: CallForm,
) -> Record:
    call = build_call(scenario, form)
    options = {"cancelled": script.witness.is_cancelled} if "cancel_at" in scenario else {}
    try:
        if face == "python-async":
            output = asyncio.run(toolset.execute(call, **options))
        else:
            output = toolset.execute(call, **options)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        # BaseException, because a panic of native code and a cancelled task derive from it.
        return {"ok": False, "error_class": class_of_exception(error, script, package)}
    try:
        return read_output(output, script)
    except (LookupError, TypeError, ValueError) as error:
        return {"ok": False, "error_class": f"malformed output: {error!r}"}


def build_call(scenario: dict[str, Any], form: CallForm) -> Any:
    fields = {
        "type": "function_call",
        "name": f"browser_{scenario['member']}",
        "arguments": untag(scenario["arguments"]),
        "call_id": "call_1",
        "status": "completed",
    }
    for name, value in scenario.get("call", {}).items():
        fields[name] = untag(value)
    fields = {name: value for name, value in fields.items() if value is not UNDEFINED}
    return fields if form == "dict" else openai_call(fields)


def openai_call(fields: dict[str, Any]) -> Any:
    # Imported here: the plain form must run where `openai` is not installed. Nothing is
    # validated, as in the client, which also hands over fields its types do not allow.
    responses = importlib.import_module("openai.types.responses")
    return responses.ResponseFunctionToolCall.model_construct(**fields)


def class_of_exception(error: BaseException, script: Script, package: Package) -> str:
    if script.witness.cancelled and isinstance(
        error, (package.cancelled_error, asyncio.CancelledError)
    ):
        return "cancelled"
    return "run_stops" if isinstance(error, package.stops) else crash(error)


def crash(error: BaseException) -> str:
    """A class that no record has."""
    return f"crashed: {error!r}"


def read_output(output: Any, script: Script) -> Record:
    """What the model gets, as a record."""
    require_fields(output, {"type", "call_id", "output"})
    text, *images = output["output"]
    require_fields(text, {"type", "text"})
    content = [item["type"] for item in (text, *images)]
    payload = read_payload(text["text"])
    if "error" in payload:
        error_class = class_of_error(payload, script)
        return {"ok": False, "error_class": error_class, "payload": payload, "content": content}

    value = {
        "payload": payload,
        "content": content,
        "call_id": output["call_id"],
        "type": output["type"],
    }
    if images:
        [value["image"]] = images
    return {"ok": True, "value": value}


def require_fields(item: Any, names: set[str]) -> None:
    if type(item) is not dict or set(cast("dict[str, Any]", item)) != names:
        raise ValueError(f"expected an object of {sorted(names)}")


def class_of_error(payload: dict[str, Any], script: Script) -> str:
    # By what was asked of the host, so an error that came for another reason than its
    # class says is not taken for it.
    if script.driver_failed:
        return "action_error"
    if script.witness.driver_calls:
        return "unclassified"
    if script.declined:
        return "refused"
    if script.contexts:
        return "unclassified"
    return "argument_error" if "state" in payload else "unavailable_or_read_refused"


def declared(tools: list[dict[str, Any]], *, with_schema: bool) -> dict[str, Any]:
    value: dict[str, Any] = {"tools": [tool["name"] for tool in tools]}
    if with_schema:
        schemas = {tool["name"]: without_descriptions(tool["parameters"]) for tool in tools}
        value["schema"] = schemas
        value["strict"] = {tool["name"]: tool["strict"] for tool in tools}
        value["required_order"] = {name: item["required"] for name, item in schemas.items()}
    return value


def without_descriptions(schema: Any) -> Any:
    if isinstance(schema, list):
        return [without_descriptions(item) for item in cast("list[object]", schema)]
    if not isinstance(schema, dict):
        return schema
    kept: dict[str, Any] = {}
    for name, item in cast("dict[str, Any]", schema).items():
        if name == "properties":
            # Here the keys are field names, and a field may be called "description".
            kept[name] = {field: without_descriptions(part) for field, part in item.items()}
        elif name != "description":
            kept[name] = without_descriptions(item)
    return kept
