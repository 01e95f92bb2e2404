"""The scripted side of a scenario: a driver, its callbacks, and the switch for cancelling.

Both classes under test meet the same script; the sync and the async driver differ in
nothing but the word ``async``.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, cast

from .tags import none_if_undefined, untag
from .witness import Witness

# The words of the driver's own error, which the model is meant to read, and of any other
# failure of the host, which it is not. No sentence of a package looks like either.
CALLER_TEXT = "the scripted driver refused: tag 7c1d"
HOST_TEXT = "the scripted host failed: tag 9e40"

READ_REPORT: dict[str, Any] = {"version": 1, "text": "t", "elements": [], "omitted": []}
IMAGE = {"type": "input_image", "image_url": "data:image/png;base64,AA=="}
FILE_OUTCOME = {
    "version": 1,
    "status": "completed",
    "effect": "completed",
    "cleanup": "completed",
}
DEFAULT_RESULTS: dict[str, Any] = {
    "find": "t",
    "read_page": "t",
    "get_page_text": "t",
    "run_script": "t",
    "read_diagnostics": READ_REPORT,
    "read_page_scoped": {**READ_REPORT, "scopes": []},
    "screenshot": IMAGE,
    "zoom": IMAGE,
    "upload_file": FILE_OUTCOME,
    "download_file": FILE_OUTCOME,
}

APPROVE = {"returns": True}

Raise = Callable[[str], BaseException]


class Script:
    """What the driver and the callbacks of one scenario do, and what was asked of them."""

    def __init__(
        self, scenario: dict[str, Any], make_error: Raise, witness: Witness | None = None
    ) -> None:
        self.witness = witness or Witness(scenario.get("cancel_at"))
        self.scenario = scenario
        self.contexts: list[dict[str, Any]] = []
        self.declined = False
        self.driver_failed = False

        self._make_error = make_error
        self._confirm = as_list(scenario.get("confirm", APPROVE))
        self._url_policy = as_list(scenario.get("url_policy", APPROVE))
        self._states: list[Any] = scenario.get("states", [{"tabs": []}])

    def state(self) -> Any:
        """The next of the reported states; the last one repeats."""
        self.witness.trace.append("state")
        step = self.witness.reach("state")
        return self._play(nth(self._states, step))

    def act(self, method: str, arguments: Any) -> Any:
        """A driver method: records its arguments, then returns or raises as scripted."""
        self.witness.trace.append(f"driver:{method}")
        self.witness.driver_calls.append({"method": method, "arguments": copy.deepcopy(arguments)})
        self.witness.reach("driver")
        # A run has a result for each of the members, a call has one result.
        default = self.scenario.get("result", DEFAULT_RESULTS.get(method))
        result = self.scenario.get("results", {}).get(method, default)
        self.driver_failed = is_raise(result)
        return self._play(result)

    def confirm(self, context: Any) -> Any:
        """The approval callback, for an action or before a read."""
        phase = context.get("phase")
        self.witness.trace.append(f"confirm:{phase}" if phase is not None else "confirm")
        self._record({"callback": "confirm", "context": context})
        step = self.witness.reach("confirm")
        return self._behave(nth(self._confirm, step), context)

    def url_policy(self, context: Any, url: Any) -> Any:
        """The address callback."""
        self.witness.trace.append("url_policy")
        self._record({"callback": "url_policy", "context": context, "url": url})
        step = self.witness.reach("url_policy")
        return self._behave(nth(self._url_policy, step), context)

    def _record(self, entry: dict[str, Any]) -> None:
        self.contexts.append(copy.deepcopy(entry))

    def _behave(self, behaviour: dict[str, Any], context: Any) -> Any:
        if behaviour.get("mutates"):
            deface(context)
        if "raises" in behaviour:
            self.declined = True
            raise self._make_error(behaviour["raises"])
        answer = none_if_undefined(untag(behaviour["returns"]))
        self.declined = self.declined or answer is not True
        return answer

    def _play(self, scripted: Any) -> Any:
        if is_raise(scripted):
            raise self._make_error(scripted["$raises"])
        return none_if_undefined(untag(scripted))


def build_toolset(toolset: Callable[..., Any], script: Script, *, asynchronous: bool) -> Any:
    """The toolset of the scenario, made by the class ``toolset``."""
    scenario = script.scenario
    only_member = [scenario["member"]] if "member" in scenario else []
    driver = make_driver(
        script,
        scenario.get("implements", only_member),
        has_state=scenario.get("state_method", True),
        asynchronous=asynchronous,
    )
    # Without a member the scenario is about the constructor alone, whose own default counts.
    members = scenario.get("members", only_member or None)
    options: dict[str, Any] = {
        "members": None if members == "default" else members,
        "additional_members": scenario.get("additional_members"),
        "confirm_reads": scenario.get("confirm_reads"),
    }
    for name, callback in make_callbacks(script, asynchronous=asynchronous).items():
        if scenario.get(name, ...) is not None:
            options[name] = callback
    given = {name: untag(item) for name, item in options.items() if item is not None}
    return toolset(driver, **given)


def make_driver(
    script: Script, implements: list[str], *, has_state: bool, asynchronous: bool
) -> object:
    """An object with one method for each name in ``implements``, and ``state``.

    ``list_tabs`` is never a driver method.
    """
    methods = {
        name: make_method(script, name, asynchronous=asynchronous)
        for name in implements
        if name != "list_tabs"
    }
    if has_state:
        methods["state"] = make_state(script, asynchronous=asynchronous)
    return type("ScriptedDriver", (), methods)()


def make_method(script: Script, name: str, *, asynchronous: bool) -> Callable[..., Any]:
    def method(_self: object, arguments: Any) -> Any:
        return script.act(name, arguments)

    async def async_method(_self: object, arguments: Any) -> Any:
        return script.act(name, arguments)

    return async_method if asynchronous else method


def make_state(script: Script, *, asynchronous: bool) -> Callable[..., Any]:
    def state(_self: object) -> Any:
        return script.state()

    async def async_state(_self: object) -> Any:
        return script.state()

    return async_state if asynchronous else state


def make_callbacks(script: Script, *, asynchronous: bool) -> dict[str, Callable[..., Any]]:
    """``confirm`` and ``url_policy``."""

    async def confirm(context: Any) -> Any:
        return script.confirm(context)

    async def url_policy(context: Any, url: Any) -> Any:
        return script.url_policy(context, url)

    if asynchronous:
        return {"confirm": confirm, "url_policy": url_policy}
    return {"confirm": script.confirm, "url_policy": script.url_policy}


def deface(context: dict[str, Any]) -> None:
    """Changes a context at every depth a careless callback might reach."""
    context["arguments"].clear()
    context["arguments"]["defaced"] = True
    if isinstance(context.get("state"), dict):
        context["state"]["tabs"].append({"id": "defaced"})
        context["state"]["defaced"] = True
    context["member"] = context["call_id"] = "defaced"


def as_list(behaviour: Any) -> list[Any]:
    return cast("list[object]", behaviour) if isinstance(behaviour, list) else [behaviour]


def nth(items: list[Any], step: int) -> Any:
    return items[min(step, len(items) - 1)]


def is_raise(value: Any) -> bool:
    return isinstance(value, dict) and "$raises" in value
