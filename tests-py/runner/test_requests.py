"""What a request is made of: only what is given, and nothing that another request has (R-1, R-5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from runner.bench import DECLARATION, PARAMS, Bench
from runner.endpoint import function_call, message, response
from swingbridge.plain import plain


@pytest.mark.parametrize("module", ["openai", "openai._types"])
@pytest.mark.parametrize("name", ["Omit", "NotGiven"])
@pytest.mark.parametrize("param", ["tool_choice", "stream", "extra_body"])
def test_a_mark_for_not_given_counts_as_not_given(
    bench: Bench, module: str, name: str, param: str
) -> None:
    mark = type(name, (), {"__module__": module})()
    client = bench.client(response(message()))
    bench.run(bench.runner(), client, {**PARAMS, param: mark})
    assert param not in client.requests[0]


def test_a_mark_of_another_package_is_a_value(bench: Bench) -> None:
    mark = type("Omit", (), {"__module__": "openai_like"})()
    client = bench.client(response(message()))
    bench.run(bench.runner(), client, {**PARAMS, "user": mark})
    assert client.requests[0]["user"] is mark


def test_created_by_goes_back_only_where_the_service_takes_it(bench: Bench) -> None:
    items = [
        {"type": "compaction", "id": "cp", "encrypted_content": "E", "created_by": "svc"},
        {"type": "reasoning", "id": "rs", "summary": [], "created_by": "svc"},
        {**function_call("lookup"), "created_by": "svc"},
    ]
    body = response(*items)
    client = bench.client(body, response(message()))
    bench.run(bench.runner(bench.function(lambda _arguments: "")), client)
    replayed = client.requests[1]["input"][1:4]
    assert ["created_by" in item for item in replayed] == [False, True, False]
    assert all("created_by" in item for item in body["output"])


def test_what_a_client_does_to_a_request_changes_no_other(bench: Bench) -> None:
    runner = bench.runner(bench.function(lambda _arguments: ""))
    params = {**PARAMS, "metadata": {"a": "b"}, "tools": [{"type": "web_search", "filters": {}}]}

    def spoiled() -> Any:
        request = client.requests[-1]
        request["tools"][0]["parameters"]["type"] = "X"
        request["tools"][1]["filters"]["a"] = "X"
        request["metadata"]["a"] = "X"
        request["include"].append("X")
        request["input"].append("X")
        return response(function_call("lookup"))

    client = bench.client(spoiled, response(message()))
    bench.run(runner, client, params)
    later = bench.client(response(message()))
    bench.run(runner, later, params)
    for request in (client.requests[1], later.requests[0]):
        assert request["tools"] == [DECLARATION, *params["tools"]]
        assert request["metadata"] == {"a": "b"}
        assert "X" not in request["include"]
        assert "X" not in request["input"]


def test_the_items_of_the_history_are_shared_by_the_requests_of_a_run(bench: Bench) -> None:
    client = bench.client(response(function_call("lookup")), response(message()))
    runner = bench.runner(bench.function(lambda _arguments: ""))
    bench.run(runner, client, {**PARAMS, "input": [{"role": "user", "content": "hello"}]})
    first, second = client.requests
    assert first["input"] is not second["input"]
    assert first["input"][0] is second["input"][0]


class Lazy(list[Any]):
    """A list with another idea of its items."""

    def __iter__(self) -> Iterator[Any]:
        while True:
            yield {"made": "when looked at"}


class LazyTuple(tuple[Any, ...]):
    __slots__ = ()

    def __iter__(self) -> Iterator[Any]:
        while True:
            yield {"made": "when looked at"}


@pytest.mark.parametrize("kind", [Lazy, LazyTuple])
def test_a_list_is_read_as_it_is_stored(bench: Bench, kind: Any) -> None:
    stored = [{"n": number} for number in range(4)]
    assert plain({"rows": kind(stored)}) == {"rows": stored}
    client = bench.client(response(message()))
    bench.run(bench.runner(), client, {**PARAMS, "metadata": kind(stored)})
    assert client.requests[0]["metadata"] == stored


def test_parts_that_are_made_when_they_are_looked_at_are_not_mixed_up() -> None:
    class Model:
        __pydantic_fields_set__ = frozenset[str]()

        def __init__(self, number: int) -> None:
            self.number = number

        def __getattribute__(self, name: str) -> Any:
            number = object.__getattribute__(self, "number")
            if name == "__pydantic_fields_set__":
                return {"rows"}
            return (
                {"rows": [[number]]} if name == "__dict__" else object.__getattribute__(self, name)
            )

    wanted = [{"rows": [[number]]} for number in range(20)]
    assert plain([Model(number) for number in range(20)]) == wanted
