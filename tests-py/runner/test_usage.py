"""Token counts of runs, added up (R-61)."""

from __future__ import annotations

from typing import Any

import pytest

from runner.bench import Bench
from runner.endpoint import function_call, message, response
from swingbridge import ToolRunnerError, UsageSummary


def totals(usage: UsageSummary) -> tuple[Any, ...]:
    return (
        usage.requests,
        usage.counted,
        usage.input_tokens,
        usage.output_tokens,
        usage.total_tokens,
        usage.incomplete,
    )


def test_a_summary_of_nothing() -> None:
    assert totals(UsageSummary()) == (0, 0, 0, 0, 0, False)


def test_it_is_an_observer_of_one_run_or_of_several(bench: Bench) -> None:
    usage = UsageSummary()
    runner = bench.runner(bench.function(lambda _arguments: ""))
    for _ in range(2):
        client = bench.client(response(function_call("lookup")), response(message()))
        bench.run(runner, client, on_diagnostic=usage)
    assert totals(usage) == (4, 4, 12, 8, 20, False)
    assert repr(usage) == (
        "UsageSummary(requests=4, counted=4, input_tokens=12, output_tokens=8, total_tokens=20)"
    )


def test_it_says_when_counts_are_missing(bench: Bench) -> None:
    usage = UsageSummary()
    client = bench.client(response(function_call("lookup"), usage=None), OSError("lost"))
    runner = bench.runner(bench.function(lambda _arguments: ""))
    with pytest.raises(ToolRunnerError):
        bench.run(runner, client, on_diagnostic=usage)
    assert totals(usage) == (2, 0, 0, 0, 0, True)


RECORD: dict[str, Any] = {
    "api": "responses",
    "stage": "request",
    "reason": "completed",
    "call_id": None,
    "member": None,
    "duration_ms": 1.0,
    "usage": {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3},
}


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (RECORD, (1, 1, 1, 2, 3, False)),
        ({**RECORD, "usage": None}, (1, 0, 0, 0, 0, True)),
        ({**RECORD, "reason": "api_failed", "usage": None}, (1, 0, 0, 0, 0, True)),
        ({**RECORD, "reason": "started"}, (0, 0, 0, 0, 0, False)),
        ({**RECORD, "stage": "action"}, (0, 0, 0, 0, 0, False)),
        ({**RECORD, "api": "browser"}, (0, 0, 0, 0, 0, False)),
        ({**RECORD, "usage": {"input_tokens": 1}}, (1, 0, 0, 0, 0, True)),
        ({**RECORD, "usage": {**RECORD["usage"], "total_tokens": -1}}, (1, 0, 0, 0, 0, True)),
        ({**RECORD, "usage": {**RECORD["usage"], "total_tokens": True}}, (1, 0, 0, 0, 0, True)),
        ({}, (0, 0, 0, 0, 0, False)),
        (5, (0, 0, 0, 0, 0, False)),
        (None, (0, 0, 0, 0, 0, False)),
    ],
)
def test_what_counts_as_a_request(record: Any, expected: Any) -> None:
    usage = UsageSummary()
    usage(record)
    assert totals(usage) == expected


def test_sums_do_not_overflow() -> None:
    usage = UsageSummary()
    counts = dict.fromkeys(RECORD["usage"], 2**63 - 1)
    for _ in range(4):
        usage({**RECORD, "usage": counts})
    assert usage.total_tokens == 2**64 - 1
