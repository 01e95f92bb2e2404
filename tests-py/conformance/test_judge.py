"""Records and verdicts, on a toolset that answers whatever it is told to."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from conformance.harness.data import Record, Vector, parse_vector
from conformance.harness.execute import Package
from conformance.harness.report import Report, judge
from conformance.harness.scenario import CALLER_TEXT, HOST_TEXT

Behaviour = Callable[[Any], Any] | Exception


class ToyCancelled(RuntimeError):
    """The cancellation error of the toy package."""


FOUND: Record = {
    "ok": True,
    "value": {
        "payload": {"ok": True, "result": "t", "state": {"tabs": []}},
        "content": ["input_text"],
        "call_id": "call_1",
        "type": "function_call_output",
    },
    "trace": ["state", "driver:find"],
    "driver_calls": [{"method": "find", "arguments": {"query": "q"}}],
}


def test_pass_failure_gap_and_closed_gap() -> None:
    right = make_vector(id="right", python=FOUND)
    wrong = make_vector(id="wrong", python={**FOUND, "trace": ["state"]})
    report = judge_toy([right, wrong])
    assert not report.passed
    assert [failure.vector.id for failure in report.failures] == ["wrong"]
    assert "1 of 2 vectors pass" in report.text()
    assert "trace: expected" in report.text()

    assert judge_toy([right, wrong], gaps={"wrong"}).passed
    closed = judge_toy([right, wrong], gaps={"right", "wrong"})
    assert not closed.passed
    assert closed.closed_gaps == ["right"]


def test_a_long_report_names_every_failure() -> None:
    vectors = [make_vector(id=f"v{index}", python={}) for index in range(30)]
    text = judge_toy(vectors).text(shown=2)
    assert all(f"v{index}" in text for index in range(30))
    assert text.count("trace: not expected") == 2


@pytest.mark.parametrize(
    ("payload", "error_class"),
    [
        ('{"ok":false,"error":"e","state":{}}', "argument_error"),
        ('{"ok":false,"error":"e"}', "unavailable_or_read_refused"),
    ],
)
def test_error_classes(payload: str, error_class: str) -> None:
    record = record_of(lambda _driver: output(payload))
    assert record["error_class"] == error_class
    assert record["payload"]["error"] == "fixed"


def test_an_error_after_an_action_that_worked_has_no_class() -> None:
    def act(driver: Any) -> Any:
        driver.find({})
        return output('{"ok":false,"error":"e","state":{}}')

    assert record_of(act)["error_class"] == "unclassified"


def test_the_drivers_own_words() -> None:
    record = record_of(lambda _driver: output(json.dumps({"ok": False, "error": CALLER_TEXT})))
    assert record["payload"]["error"] == "caller"


@pytest.mark.parametrize(
    "answer",
    [
        None,
        {"type": "function_call_output", "call_id": "c"},
        {"type": "function_call_output", "call_id": "c", "output": []},
        {"type": "function_call_output", "call_id": "c", "output": [{"type": "input_text"}]},
    ],
)
def test_a_malformed_output(answer: object) -> None:
    assert record_of(lambda _driver: answer)["error_class"].startswith("malformed output")


@pytest.mark.parametrize(
    "payload",
    [
        "",
        "[]",
        '{"ok":true,"ok":true}',
        '{"ok":true,"result":NaN}',
        '{"ok":false,"error":null}',
        '{"ok":false,"error":""}',
        json.dumps({"ok": False, "error": f"It says: {HOST_TEXT}"}),
    ],
)
def test_a_malformed_payload(payload: str) -> None:
    record = record_of(lambda _driver: output(payload))
    assert record["error_class"].startswith("malformed output")


@pytest.mark.parametrize(
    ("error", "error_class"),
    [
        (RuntimeError("stop"), "run_stops"),
        (ToyCancelled("nobody cancelled"), "run_stops"),
        (AttributeError("slip"), "crashed: AttributeError('slip')"),
        (GeneratorExit(), "crashed: GeneratorExit()"),
    ],
)
def test_exceptions(error: BaseException, error_class: str) -> None:
    def fail(_driver: Any) -> Any:
        raise error

    assert record_of(fail)["error_class"] == error_class


def test_cancellation_counts_only_when_switched_on() -> None:
    def cancel(_driver: Any) -> Any:
        raise ToyCancelled("stop")

    assert record_of(cancel, cancel_at="start")["error_class"] == "cancelled"
    assert record_of(cancel, cancel_at="state#2")["error_class"] == "run_stops"


def test_a_refused_constructor() -> None:
    record = record_of(ValueError("no"))
    assert record == {"ok": False, "error_class": "constructor_rejects", "trace": []}
    assert record_of(OSError("no"))["error_class"] == "crashed: OSError('no')"


def find(driver: Any) -> Any:
    state = driver.state()
    result = driver.find({"query": "q"})
    return output(json.dumps({"ok": True, "result": result, "state": state}))


def output(payload: str) -> dict[str, Any]:
    text = {"type": "input_text", "text": payload}
    return {"type": "function_call_output", "call_id": "call_1", "output": [text]}


def toy(behaviour: Behaviour) -> Package:
    class Toolset:
        tools: tuple[()] = ()

        def __init__(self, driver: Any, **options: Any) -> None:
            if isinstance(behaviour, Exception):
                raise behaviour
            self.driver = driver

        def execute(self, call: Any, **options: Any) -> Any:
            assert not isinstance(behaviour, Exception)
            return behaviour(self.driver)

    return Package(
        sync_toolset=Toolset,
        async_toolset=Toolset,
        browser_error=ValueError,
        cancelled_error=ToyCancelled,
        constants={},
        stops=(RuntimeError,),
    )


def make_vector(
    *,
    python: Record,
    id: str = "toy",
    **scenario: Any,
) -> Vector:
    line = {
        "id": id,
        "kind": "read",
        "input": {"member": "find", "arguments": "{}", **scenario},
        "python": python,
        "node": "same",
        "agree": True,
    }
    return parse_vector(json.dumps(line))


def judge_toy(vectors: list[Vector], gaps: set[str] | None = None) -> Report:
    return judge(vectors, toy(find), "python-sync", "dict", gaps=frozenset(gaps or ()))


def record_of(behaviour: Behaviour, **scenario: Any) -> Record:
    vector = make_vector(python={}, **scenario)
    [failure] = judge([vector], toy(behaviour), "python-sync", "dict").failures
    return failure.actual
