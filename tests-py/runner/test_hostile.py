"""Parameters and responses that are made to hurt (R-2, R-5)."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import pytest

from runner.bench import PARAMS, Bench, noting
from runner.endpoint import function_call, message, response
from runner.values import nested
from swingbridge import ConfigurationError, ToolRunnerError


def cycle() -> Any:
    items: list[Any] = []
    items.append(items)
    return items


def wide_cycle() -> Any:
    value: dict[str, Any] = {}
    value["a"] = value["b"] = [value, value]
    return value


def doubling(depth: int) -> Any:
    """A small object that unfolds to 2 ** depth parts."""
    value: Any = ["x"]
    for _ in range(depth):
        value = [value, value]
    return value


class Bomb:
    def __getattribute__(self, name: str) -> Any:
        raise OSError("a private text")


@pytest.mark.parametrize("make", [cycle, wide_cycle, lambda: nested(10_000), Bomb])
def test_parameters_that_cannot_be_copied_are_refused(bench: Bench, make: Any) -> None:
    for params in ({**PARAMS, "input": [make()]}, {**PARAMS, "metadata": make()}):
        client = bench.client()
        with pytest.raises(ConfigurationError) as caught:
            bench.run(bench.runner(), client, params)
        assert caught.value.code == "params_not_json"
        assert caught.value.__cause__ is None
        assert client.requests == []


@pytest.mark.parametrize("make", [cycle, wide_cycle, lambda: nested(10_000), Bomb])
def test_a_response_that_cannot_be_copied_stops_the_run(bench: Bench, make: Any) -> None:
    for body in (
        response(message(extra=make())),
        response(make()),
        response(message(), usage=make()),
        response(message(), output=make()),
        SimpleNamespace(output=[make()], status="completed"),
        make(),
    ):
        with pytest.raises(ToolRunnerError) as caught:
            bench.run(bench.runner(), bench.client(body))
        assert caught.value.code in {"response_incomplete", "response_malformed"}
        assert caught.value.__cause__ is None


def test_shared_parts_are_copied_once(bench: Bench) -> None:
    begun = time.process_time()
    shared = doubling(100)
    client = bench.client(response(function_call("lookup"), extra=shared), response(message()))
    bench.run(
        bench.runner(bench.function(lambda _arguments: "")), client, {**PARAMS, "metadata": shared}
    )
    assert time.process_time() - begun < 30
    sent = client.requests[0]["metadata"]
    assert sent is not shared
    assert sent[0] is sent[1]


def test_a_plain_object_will_do_for_a_response(bench: Bench) -> None:
    last = SimpleNamespace(output=[message()], status="completed")
    assert bench.run(bench.runner(), bench.client(last)) is last


@pytest.mark.parametrize("size", [10_000_000])
def test_ten_megabytes_of_arguments_are_passed_on(bench: Bench, size: int) -> None:
    seen: list[Any] = []
    item = function_call("lookup", {"text": "x" * size})
    client = bench.client(response(item), response(message()))
    runner = bench.runner(bench.function(noting(seen)))
    bench.run(runner, client)
    assert [len(given["text"]) for given in seen] == [size]


def test_an_integer_too_long_for_python_stops_the_run(bench: Bench) -> None:
    item = function_call("lookup", '{"n": ' + "9" * 100_000 + "}")
    runner = bench.runner(bench.function(lambda _arguments: pytest.fail("it ran")))
    with pytest.raises(ToolRunnerError) as caught:
        bench.run(runner, bench.client(response(item)))
    assert caught.value.code == "function_failed"


@pytest.mark.parametrize("field", ["id", "call_id"])
def test_an_identity_that_comes_twice_stops_the_run(bench: Bench, field: str) -> None:
    first, second = function_call("lookup"), function_call("lookup")
    second[field] = first[field]
    client = bench.client(response(first), response(second))
    with pytest.raises(ToolRunnerError) as caught:
        bench.run(bench.runner(bench.function(lambda _arguments: "")), client)
    assert caught.value.code == "identity_repeated"
    assert caught.value.completed_call_ids == (first["call_id"],)
