"""How large the next request may be (R-50)."""

from __future__ import annotations

import gc
import json
import warnings
from typing import Any

import pytest

from api.kit import Kit
from runner.bench import PARAMS, Bench
from runner.endpoint import function_call, message, response
from swingbridge import BrowserCancelledError, ConfigurationError, ToolRunnerError


def size(items: Any) -> int:
    return len(json.dumps(items, ensure_ascii=False, separators=(",", ":")).encode())


class Text(str):
    __slots__ = ()


class Fields(dict[str, Any]):
    pass


def budget(limit: int, compact: Any = None, **more: Any) -> dict[str, Any]:
    given: dict[str, Any] = {"max_input_bytes": limit, "max_input_images": 0, **more}
    return given if compact is None else {**given, "compact": compact}


def runner(bench: Bench, answer: str = "x" * 200) -> Any:
    return bench.runner(bench.function(lambda _arguments: answer))


def calls(count: int) -> list[Any]:
    return [response(function_call("lookup")) for _ in range(count)]


def test_within_its_limits_nothing_is_asked(bench: Bench) -> None:
    client = bench.client(*calls(2), response(message()))
    compact = bench.kit.function(lambda _snapshot: pytest.fail("asked"))
    bench.run(runner(bench), client, context_budget=budget(10_000, compact))
    assert [len(request["input"]) for request in client.requests] == [1, 3, 5]
    assert all(request["truncation"] == "disabled" for request in client.requests)


@pytest.mark.parametrize("asynchronous_compact", [False, True])
def test_compact_is_asked_about_the_next_request(bench: Bench, asynchronous_compact: bool) -> None:
    if asynchronous_compact and not bench.kit.asynchronous:
        return  # a sync runner refuses it, see below
    seen: list[Any] = []

    def compact(snapshot: Any) -> Any:
        seen.append(json.loads(json.dumps(snapshot)))
        decision = {"drop_call_ids": snapshot["eligible_call_ids"], "summary": "all is well"}
        snapshot["history"].clear()
        snapshot["eligible_call_ids"] = []
        return decision

    bodies = [*calls(3), response(message())]
    client = bench.client(*bodies)
    given = Kit(asynchronous_compact).function(compact)
    bench.run(runner(bench), client, context_budget=budget(1_000, given))
    snapshot = seen[0]
    assert list(snapshot) == ["history", "eligible_call_ids", "input_bytes", "input_images"]
    assert snapshot["eligible_call_ids"] == [
        body["output"][0]["call_id"] for body in bodies[: len(snapshot["eligible_call_ids"])]
    ]
    assert snapshot["input_bytes"] == size(snapshot["history"]) > 1_000
    assert snapshot["input_images"] == 0
    last = client.requests[-1]["input"]
    assert size(last) <= 1_000
    assert "all is well" in last[0]["content"]
    assert snapshot["eligible_call_ids"][0] in last[1]["content"]
    assert last[2] == {"role": "user", "content": "hello"}


def test_a_ledger_keeps_what_a_request_leaves_out(bench: Bench) -> None:
    saved: list[Any] = []
    compact = bench.kit.function(lambda snapshot: {"drop_call_ids": snapshot["eligible_call_ids"]})
    client = bench.client(*calls(3), response(message()))
    bench.run(
        runner(bench),
        client,
        context_budget=budget(1_000, compact),
        ledger=bench.ledger(saved.append),
    )
    assert len(saved[-1]["history"]) == 7
    assert len(client.requests[-1]["input"]) < 7


def test_without_compact_the_run_stops_over_the_limit(bench: Bench) -> None:
    client = bench.client(*calls(5))
    with pytest.raises(ToolRunnerError) as caught:
        bench.run(runner(bench), client, context_budget=budget(500))
    assert caught.value.code == "context_over_budget"
    assert len(caught.value.completed_call_ids) == len(client.requests)


def raising(error: BaseException) -> Any:
    def fail(_snapshot: Any) -> Any:
        raise error

    return fail


@pytest.mark.parametrize(
    ("compact", "code"),
    [
        (lambda _snapshot: None, "compaction_invalid"),
        (lambda _snapshot: {}, "compaction_invalid"),
        (lambda _snapshot: {"drop_call_ids": "call"}, "compaction_invalid"),
        (lambda _snapshot: {"drop_call_ids": ["unknown"]}, "compaction_invalid"),
        (lambda _snapshot: {"drop_call_ids": [], "more": 1}, "compaction_invalid"),
        (lambda _snapshot: {"drop_call_ids": [], "summary": 5}, "compaction_invalid"),
        (lambda _snapshot: {"drop_call_ids": [], "summary": Text("x")}, "compaction_invalid"),
        (lambda _snapshot: {"drop_call_ids": [], "summary": "\ud800"}, "compaction_invalid"),
        (lambda _snapshot: Fields(drop_call_ids=[]), "compaction_invalid"),
        (lambda _snapshot: {"drop_call_ids": []}, "context_over_budget"),
        (raising(OSError("tr0ub4dor")), "compaction_failed"),
        (raising(BrowserCancelledError()), "run_cancelled"),
    ],
)
def test_a_bad_decision_stops_the_run(bench: Bench, compact: Any, code: str) -> None:
    client = bench.client(*calls(5))
    given = budget(1_000, bench.kit.function(compact))
    with pytest.raises(ToolRunnerError) as caught:
        bench.run(runner(bench), client, context_budget=given)
    assert caught.value.code == code
    assert caught.value.__cause__ is None
    assert "tr0ub4dor" not in str(caught.value)


def test_an_interrupted_compact_ends_the_program(bench: Bench) -> None:
    task = runner(bench)
    compact = bench.kit.function(raising(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        bench.run(task, bench.client(*calls(5)), context_budget=budget(1_000, compact))
    assert bench.run(task, bench.client(response(message())))["status"] == "completed"


def test_an_asynchronous_compact_of_a_sync_runner_is_refused() -> None:
    async def compact(_snapshot: Any) -> Any:
        raise AssertionError

    bench = Bench(Kit(asynchronous=False))
    with pytest.raises(ConfigurationError) as caught:
        bench.run(runner(bench), bench.client(), context_budget=budget(1_000, compact))
    assert caught.value.code == "flavour_mismatch"

    opaque = lambda snapshot: compact(snapshot)  # noqa: E731 - opaque on purpose
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ToolRunnerError, match="compact returned an awaitable") as stopped:
            bench.run(runner(bench), bench.client(*calls(5)), context_budget=budget(1_000, opaque))
        gc.collect()
    assert stopped.value.code == "compaction_failed"


@pytest.mark.parametrize(
    "given",
    [
        5,
        [],
        {},
        Fields(max_input_bytes=1_000, max_input_images=0),
        budget(0),
        budget(True),
        {**budget(1), "max_input_bytes": 1.0},
        {**budget(1), "max_input_images": -1},
        {**budget(1), "keep_recent_screenshots": None},
        {**budget(1), "compact": None},
        {**budget(1), "compact": 5},
        {**budget(1), "compact": object()},
        {**budget(1), "more": 1},
    ],
)
def test_a_bad_budget_is_refused(bench: Bench, given: Any) -> None:
    client = bench.client()
    with pytest.raises(ConfigurationError) as caught:
        bench.run(runner(bench), client, context_budget=given)
    assert caught.value.code == "context_budget_invalid"
    assert client.requests == []


@pytest.mark.parametrize(
    "params",
    [
        {"truncation": "auto"},
        {"context_management": [{"type": "compaction"}]},
        {"extra_body": {"truncation": "auto"}},
    ],
)
def test_a_budget_goes_with_no_shortening_by_the_service(bench: Bench, params: Any) -> None:
    with pytest.raises(ConfigurationError) as caught:
        bench.run(runner(bench), bench.client(), {**PARAMS, **params}, context_budget=budget(100))
    assert caught.value.code == "context_budget_and_native"


@pytest.mark.parametrize(
    "wrong",
    [
        [Fields(role="user", content="x")],
        [{"role": "user", "content": Text("x")}],
        [{"role": "user", "content": "x", "metadata": object()}],
        [{"role": "user", "content": "\ud800"}],
        [{"role": "user", "content": "x", "metadata": float("nan")}],
    ],
)
def test_measured_input_is_of_exact_types(bench: Bench, wrong: Any) -> None:
    client = bench.client()
    with pytest.raises(ToolRunnerError) as caught:
        bench.run(runner(bench), client, {**PARAMS, "input": wrong}, context_budget=budget(10_000))
    assert caught.value.code == "history_invalid"
    assert client.requests == []


def test_a_budget_is_read_when_the_run_begins(bench: Bench) -> None:
    given = budget(10_000)
    seen: list[Any] = []

    def lookup(_arguments: Any) -> str:
        given.clear()
        seen.append(None)
        return ""

    client = bench.client(*calls(1), response(message()))
    bench.run(bench.runner(bench.function(lookup)), client, context_budget=given)
    assert seen == [None]
