"""The exceptions: one tree, stable codes, no secrets, and they pickle."""

from __future__ import annotations

import asyncio
import copy
import json
import pickle
import traceback
from pathlib import Path
from typing import Any, cast

import pytest

import swingbridge
from api.kit import Kit, call
from swingbridge import errors

CODES: dict[str, list[str]] = json.loads(
    (Path(__file__).parents[2] / "conformance" / "error_codes.json").read_text("utf-8")
)
SECRET = "tr0ub4dor"

EXAMPLES: list[BaseException] = [
    swingbridge.SwingbridgeError("words", "some_code"),
    swingbridge.BrowserError("words"),
    swingbridge.BrowserError(),
    swingbridge.BrowserCancelledError("words", "cancelled_before_effect"),
    swingbridge.ConfigurationError("words", "unknown_member"),
    swingbridge.BusyError("words"),
    swingbridge.ClosedError("words"),
    swingbridge.ContractError("words", "state_invalid"),
    swingbridge.ComputerUseError("words", {"id": "r"}, "safety_not_approved"),
    errors.DriverError("words", "key_unknown"),
    swingbridge.TurnError("words", "turn_final"),
    swingbridge.MisuseError("words", "wrong_ask"),
    swingbridge.ToolRunnerError("words", ["a", "b"], ["a"], "step_limit"),
    swingbridge.ToolRunnerCancelledError(["a", "b"], ["a"]),
]


def classes() -> set[type[BaseException]]:
    found = {value for value in vars(errors).values() if isinstance(value, type)}
    return {kind for kind in found if issubclass(kind, BaseException)} | {
        swingbridge.ToolRunnerCancelledError
    }


def test_there_is_an_example_of_every_class() -> None:
    assert {type(example) for example in EXAMPLES} == classes()


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: type(example).__name__)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_every_exception_pickles(example: BaseException, protocol: int) -> None:
    for again in (
        pickle.loads(pickle.dumps(example, protocol)),
        copy.copy(example),
        copy.deepcopy(example),
    ):
        assert type(again) is type(example)
        assert str(again) == str(example)
        assert again.args == example.args
        assert vars(again) == vars(example)


def test_the_tree_is_that_of_the_published_helpers() -> None:
    bases = {
        swingbridge.BrowserError: Exception,
        swingbridge.BrowserCancelledError: RuntimeError,
        swingbridge.ConfigurationError: ValueError,
        swingbridge.BusyError: RuntimeError,
        swingbridge.ClosedError: RuntimeError,
        swingbridge.ContractError: RuntimeError,
        swingbridge.ComputerUseError: RuntimeError,
        errors.DriverError: ValueError,
        swingbridge.TurnError: ValueError,
        swingbridge.MisuseError: RuntimeError,
        swingbridge.ToolRunnerError: RuntimeError,
        swingbridge.ToolRunnerCancelledError: asyncio.CancelledError,
    }
    for kind, base in bases.items():
        assert issubclass(kind, base)
    for kind in classes() - {swingbridge.ToolRunnerCancelledError}:
        assert issubclass(kind, swingbridge.SwingbridgeError)
    # A failure that the model may read is none of the caller's errors.
    assert not issubclass(swingbridge.BrowserError, (RuntimeError, ValueError))


@pytest.mark.parametrize("kind", sorted(classes(), key=repr))
def test_every_class_has_a_code(kind: Any) -> None:
    assert kind.code == kind.code.lower()
    assert kind.__doc__


# Which class says what. What is said of arguments is for the model and raised by nobody.
CLASSES: dict[str, Any] = {
    "admission": swingbridge.ConfigurationError,
    "selection": swingbridge.ConfigurationError,
    "keys": errors.DriverError,
    "mapping": errors.DriverError,
    "picture": errors.DriverError,
    "tool": swingbridge.ConfigurationError,
    "turn": swingbridge.TurnError,
    "misuse": swingbridge.MisuseError,
}
OTHERS = {"argument", "gate", "stop"}


def test_no_family_of_codes_is_new() -> None:
    assert set(CODES) == set(CLASSES) | OTHERS


@pytest.mark.parametrize(
    ("family", "code"), [(family, code) for family in CLASSES for code in CODES[family]]
)
def test_every_code_has_a_class(family: str, code: str) -> None:
    assert CLASSES[family]("words", code).code == code


def test_the_gate_has_a_class_for_each_code() -> None:
    assert {kind.code for kind in (swingbridge.BusyError, swingbridge.ClosedError)} == set(
        CODES["gate"]
    )


@pytest.mark.parametrize("code", CODES["stop"])
def test_every_reason_to_stop_has_a_class(code: str) -> None:
    run = swingbridge.ToolRunnerError("words", code=code)
    assert run.code == code
    stopped = errors.stop_of_call((0, 0, code, "words"), None)
    assert stopped.code == code
    cancelled = code.startswith("cancelled") or code == "run_cancelled"
    wanted = swingbridge.BrowserCancelledError if cancelled else swingbridge.ContractError
    assert type(stopped) is wanted


def leak(_argument: Any = None) -> Any:
    raise OSError(SECRET)


@pytest.mark.parametrize(
    ("methods", "code"),
    [
        ({"state": lambda: leak()}, "state_failed"),
        ({"state": lambda: {"tabs": [SECRET]}}, "state_invalid"),
        ({"click": lambda _action: [SECRET]}, "result_invalid"),
    ],
)
def test_a_stop_says_nothing_of_the_driver(kit: Kit, methods: dict[str, Any], code: str) -> None:
    driver = kit.driver(**{"click": lambda _action: None, **methods})
    with pytest.raises(swingbridge.ContractError) as caught:
        kit.execute(kit.toolset(driver), call("click"))
    assert caught.value.code == code
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    assert SECRET not in "".join(traceback.format_exception(caught.value)).replace(
        Path(__file__).read_text("utf-8"), ""
    )


def test_words_of_a_browser_error_reach_the_model(kit: Kit) -> None:
    def click(_action: Any) -> None:
        raise swingbridge.BrowserError("e1 is gone; read the page again")

    output = kit.execute(kit.toolset(kit.driver(click=click)), call("click"))
    assert json.loads(output["output"][0]["text"])["error"] == "e1 is gone; read the page again"


class Untellable(swingbridge.BrowserError):
    def __str__(self) -> str:
        raise OSError(SECRET)


class Odd(swingbridge.BrowserError):
    def __str__(self) -> str:
        return cast("str", 5)


@pytest.mark.parametrize("error", [OSError(SECRET), Untellable(), Odd()])
def test_words_of_other_errors_do_not(kit: Kit, error: Exception) -> None:
    def click(_action: Any) -> None:
        raise error

    output = kit.execute(kit.toolset(kit.driver(click=click)), call("click"))
    told = json.loads(output["output"][0]["text"])
    assert told["ok"] is False
    assert told["error"]
    assert SECRET not in repr(output)


def test_a_browser_error_with_unpaired_surrogates_is_still_told(kit: Kit) -> None:
    def click(_action: Any) -> None:
        raise swingbridge.BrowserError("gone \ud800")

    output = kit.execute(kit.toolset(kit.driver(click=click)), call("click"))
    assert json.loads(output["output"][0]["text"])["error"].startswith("gone ")
