"""The program's own functions (R-10)."""

from __future__ import annotations

import gc
import json
import warnings
from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from api.kit import Kit
from runner.bench import DECLARATION, PARAMS, Bench, noting
from runner.endpoint import function_call, message, response
from swingbridge import (
    AsyncRegisteredFunction,
    AsyncResponsesToolRunner,
    BrowserToolset,
    ConfigurationError,
    RegisteredFunction,
    ResponsesToolRunner,
    ToolRunnerError,
)

PICTURE = "data:image/png;base64," + "A" * 1_000


def output_of(bench: Bench, result: Any) -> Any:
    client = bench.client(response(function_call("lookup")), response(message()))
    bench.run(bench.runner(bench.function(lambda _arguments: result)), client)
    return client.requests[1]["input"][-1]["output"]


@pytest.mark.parametrize(
    "result",
    [
        "",
        "text",
        "☃" * 1_000,
        [],
        [{"type": "input_text", "text": "a"}],
        [{"type": "input_image", "image_url": PICTURE, "detail": "high"}],
        [{"type": "input_image", "file_id": "f", "image_url": None}],
        [{"type": "input_file", "file_data": "AA==", "filename": "a.txt"}],
        [{"type": "input_text", "text": "a", "prompt_cache_breakpoint": {"mode": "explicit"}}],
    ],
)
def test_text_and_blocks_are_outputs(bench: Bench, result: Any) -> None:
    assert output_of(bench, result) == result


class Text(str):
    __slots__ = ()


class Items(list[Any]):
    pass


class Fields(dict[str, Any]):
    pass


def cycle() -> Any:
    items: list[Any] = []
    items.append({"type": "input_text", "text": items})
    return items


@pytest.mark.parametrize(
    "result",
    [
        None,
        5,
        True,
        {"type": "input_text", "text": "a"},
        ("text",),
        b"text",
        ["text"],
        [{"type": "input_text"}],
        [{"type": "input_text", "text": "a", "more": 1}],
        [{"type": "input_text", "text": "a", 5: 1}],
        [{"type": "input_image", "detail": "high"}],
        [{"type": "output_text", "text": "a"}],
        Text("text"),
        Items([]),
        [Fields(type="input_text", text="a")],
        [{"type": "input_text", "text": Text("a")}],
        "unpaired \ud800",
        "unpaired \ud800" + "x" * 1_000,
        "x" * 1_000 + "unpaired \ud800",
        cycle(),
        iter(["text"]),
    ],
)
def test_anything_else_stops_the_run_without_another_try(bench: Bench, result: Any) -> None:
    ran: list[Any] = []

    def lookup(_arguments: Any) -> Any:
        ran.append(1)
        return result

    item = function_call("lookup")
    client = bench.client(response(item), response(message()))
    with pytest.raises(ToolRunnerError) as caught:
        bench.run(bench.runner(bench.function(lookup)), client)
    assert caught.value.code == "function_output_invalid"
    assert caught.value.attempted_call_ids == (item["call_id"],)
    assert caught.value.completed_call_ids == ()
    assert ran == [1]
    assert len(client.requests) == 1


def test_an_output_is_copied_before_anything_else_runs(bench: Bench) -> None:
    shared = [{"type": "input_text", "text": "first"}]

    def lookup(_arguments: Any) -> Any:
        shared[0]["text"] += "!"
        return shared

    client = bench.client(
        response(function_call("lookup"), function_call("lookup")), response(message())
    )
    bench.run(bench.runner(bench.function(lookup)), client)
    outputs = [item["output"][0]["text"] for item in client.requests[1]["input"][-2:]]
    assert outputs == ["first!", "first!!"]


def test_each_function_is_called_by_its_name(bench: Bench) -> None:
    functions = [
        bench.function(lambda _arguments, name=name: name, declaration={"name": name})
        for name in ("a", "b", "browser_extra")
    ]
    client = bench.client(
        response(function_call("browser_extra"), function_call("a"), function_call("b")),
        response(message()),
    )
    bench.run(bench.runner(*functions), client)
    assert [item["output"] for item in client.requests[1]["input"][-3:]] == [
        "browser_extra",
        "a",
        "b",
    ]


def test_arguments_are_a_dict_of_what_the_text_says(bench: Bench) -> None:
    seen: list[Any] = []
    text = r'{"a": [1, 1.0, null, "\ud83d\ude00"], "n": 123456789012345678901, "a": {"b": true}}'
    client = bench.client(response(function_call("lookup", text)), response(message()))
    bench.run(bench.runner(bench.function(noting(seen))), client)
    assert seen == [json.loads(text)]


def test_cancelled_is_passed_to_a_function_that_takes_it(bench: Bench) -> None:
    seen: list[Any] = []

    def lookup(_arguments: Any, *, cancelled: Any) -> str:
        seen.append(cancelled)
        return ""

    def cancelled() -> bool:
        return False

    for given in (cancelled, None):
        client = bench.client(response(function_call("lookup")), response(message()))
        bench.run(bench.runner(bench.function(lookup)), client, cancelled=given)
    assert seen == [cancelled, None]


def test_a_stray_coroutine_of_a_function_is_closed_and_stops_the_run() -> None:
    async def later() -> str:
        raise AssertionError

    bench = Bench(Kit(asynchronous=False))
    client = bench.client(response(function_call("lookup")))
    execute: Any = lambda _arguments: later()  # noqa: E731 - opaque on purpose
    runner = ResponsesToolRunner(functions=[RegisteredFunction(DECLARATION, execute)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ToolRunnerError, match="returned an awaitable") as caught:
            runner.run(client, PARAMS)
        gc.collect()
    assert caught.value.code == "function_output_invalid"


def test_a_function_that_is_not_awaitable_stops_the_async_run() -> None:
    bench = Bench(Kit(asynchronous=True))
    client = bench.client(response(function_call("lookup")))
    execute: Any = lambda _arguments: "text"  # noqa: E731 - opaque on purpose
    function = AsyncRegisteredFunction(DECLARATION, execute)
    with pytest.raises(ToolRunnerError, match="returned no awaitable") as caught:
        bench.run(AsyncResponsesToolRunner(functions=[function]), client)
    assert caught.value.code == "function_output_invalid"


def test_a_registered_function_is_a_frozen_record() -> None:
    def lookup(_arguments: Any) -> str:
        return ""

    function = RegisteredFunction(DECLARATION, lookup)
    assert function.tool is DECLARATION
    assert function.execute is lookup
    assert function.allow_output_override is False
    assert function.independent is False
    assert function == RegisteredFunction(tool=DECLARATION, execute=lookup)
    assert function != RegisteredFunction(DECLARATION, lookup, independent=True)
    with pytest.raises(FrozenInstanceError):
        function.independent = True  # type: ignore[misc]


@pytest.mark.parametrize(
    ("arguments", "options", "code"),
    [
        ((DECLARATION, 5), {}, "not_callable"),
        ((DECLARATION, str), {"independent": 1}, "flag_not_a_bool"),
        ((DECLARATION, str), {"allow_output_override": None}, "flag_not_a_bool"),
    ],
)
def test_a_record_is_checked_when_it_is_made(arguments: Any, options: Any, code: str) -> None:
    for kind in (RegisteredFunction, AsyncRegisteredFunction):
        with pytest.raises(ConfigurationError) as caught:
            kind(*arguments, **options)
        assert caught.value.code == code


@pytest.mark.parametrize(
    ("tool", "code"),
    [
        ({}, "function_declaration"),
        ({"type": "function"}, "function_declaration"),
        ({"type": "web_search", "name": "x"}, "function_declaration"),
        ({**DECLARATION, "allowed_callers": "all"}, "allowed_callers"),
        (dict([*DECLARATION.items(), (5, 6)]), "function_declaration"),
        (5, "function_declaration"),
    ],
)
def test_a_declaration_is_checked_when_the_runner_is_made(
    bench: Bench, tool: Any, code: str
) -> None:
    kind = AsyncRegisteredFunction if bench.kit.asynchronous else RegisteredFunction
    with pytest.raises(ConfigurationError) as caught:
        bench.runner(kind(tool, str))  # type: ignore[arg-type]
    assert caught.value.code == code


def test_names_are_unique_and_no_enabled_browser_tool(bench: Bench) -> None:
    function = bench.function(lambda _arguments: "")
    with pytest.raises(ConfigurationError) as caught:
        bench.runner(function, function)
    assert caught.value.code == "function_named_twice"

    toolset = bench.kit.toolset(members=["click"])
    click = bench.function(lambda _arguments: "", declaration={"name": "browser_click"})
    hover = bench.function(lambda _arguments: "", declaration={"name": "browser_hover"})
    bench.runner(hover, browser=toolset)
    with pytest.raises(ConfigurationError) as caught:
        bench.runner(click, browser=toolset)
    assert caught.value.code == "function_named_as_browser_tool"


def test_a_runner_takes_the_tools_of_its_flavour_only(bench: Bench) -> None:
    other = Bench(Kit(asynchronous=not bench.kit.asynchronous))
    with pytest.raises(ConfigurationError) as caught:
        bench.runner(browser=other.kit.toolset())
    assert caught.value.code == "browser_not_a_toolset"
    for wrong in (other.function(lambda _arguments: ""), DECLARATION, 5):
        with pytest.raises(ConfigurationError) as caught:
            bench.runner(wrong)
        assert caught.value.code == "functions_invalid"
    kind = AsyncResponsesToolRunner if bench.kit.asynchronous else ResponsesToolRunner
    with pytest.raises(ConfigurationError):
        kind(functions="lookup")  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError):
        kind(browser=BrowserToolset)  # type: ignore[arg-type]


def test_a_declaration_is_copied_when_the_runner_is_made(bench: Bench) -> None:
    tool = {**DECLARATION, "parameters": {"type": "object", "properties": {}}}
    kind = AsyncRegisteredFunction if bench.kit.asynchronous else RegisteredFunction
    runner = bench.runner(kind(tool, bench.kit.function(lambda _arguments: "")))
    tool["parameters"].clear()
    client = bench.client(response(message()))
    bench.run(runner, client)
    assert client.requests[0]["tools"][0]["parameters"] == {"type": "object", "properties": {}}
