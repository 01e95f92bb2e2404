"""Functions whose arguments are a pydantic model (R-11)."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from collections.abc import Callable
from typing import Annotated, Any, Generic, Literal, TypeVar

import openai
import pytest
from pydantic import BaseModel, Field, RootModel, field_validator

from runner.bench import DECLARATION, Bench, noting
from runner.endpoint import function_call, message, response
from swingbridge import (
    AsyncRegisteredFunction,
    ConfigurationError,
    RegisteredFunction,
    ToolRunnerError,
    TypedFunctionTool,
    function_tool,
)


class Weather(BaseModel):
    """Looks the weather up."""

    city: str = Field(description="Where.")
    days: int = 3

    @field_validator("city")
    @classmethod
    def is_known(cls, city: str) -> str:
        VALIDATED.append(city)
        fault = {"nowhere": ValueError, "broken": RuntimeError}.get(city)
        if fault is not None:
            raise fault("words of the program")
        return city


VALIDATED: list[str] = []
T = TypeVar("T")


@pytest.fixture(autouse=True)
def nothing_validated() -> None:
    VALIDATED.clear()


MAKERS: list[Callable[..., Any]] = [function_tool, openai.pydantic_responses_function_tool]


@pytest.fixture(params=MAKERS, ids=["swingbridge", "openai"])
def make(request: pytest.FixtureRequest) -> Any:
    return request.param


def typed(bench: Bench, tool: Any, plain: Callable[..., Any], **options: Any) -> Any:
    kinds = RegisteredFunction, AsyncRegisteredFunction
    execute: Any = bench.kit.function(plain)
    return kinds[bench.kit.asynchronous].from_tool(tool, execute=execute, **options)


def weather_call(city: object, **fields: Any) -> dict[str, Any]:
    return function_call("Weather", {"city": city, "days": 2}, **fields)


# --- runs -----------------------------------------------------------------------------------------


def test_the_function_gets_an_instance_of_the_model(bench: Bench, make: Any) -> None:
    seen: list[Any] = []
    client = bench.client(response(weather_call("Rome")), response(message()))
    bench.run(bench.runner(typed(bench, make(Weather), noting(seen, "sunny"))), client)
    assert seen == [Weather(city="Rome", days=2)]
    assert client.requests[1]["input"][-1]["output"] == "sunny"
    assert client.requests[0]["tools"] == [dict(make(Weather))]


def test_a_model_reads_the_arguments_of_a_call_once(bench: Bench, make: Any) -> None:
    client = bench.client(response(weather_call("Rome"), weather_call("Oslo")), response(message()))
    bench.run(bench.runner(typed(bench, make(Weather), noting([]))), client)
    assert VALIDATED == ["Rome", "Oslo"]


def test_calls_alike_have_instances_of_their_own(bench: Bench, make: Any) -> None:
    seen: list[Any] = []
    client = bench.client(response(weather_call("Rome"), weather_call("Rome")), response(message()))
    bench.run(bench.runner(typed(bench, make(Weather), noting(seen))), client)
    first, second = seen
    assert first == second
    assert first is not second


def test_the_model_reads_json_as_it_always_does(bench: Bench, make: Any) -> None:
    seen: list[Any] = []
    texts = ['{"city": "a", "days": "4"}', '{"city": "b"}', '{"city": "c", "days": 1, "more": 0}']
    calls = [function_call("Weather", text) for text in texts]
    client = bench.client(response(*calls), response(message()))
    bench.run(bench.runner(typed(bench, make(Weather), noting(seen))), client)
    assert [(weather.city, weather.days) for weather in seen] == [("a", 4), ("b", 3), ("c", 1)]


@pytest.mark.parametrize(
    "arguments",
    [
        {"city": 5, "days": 2},
        {"days": 2},
        {"city": "Rome", "days": 2.5},
        {"city": "nowhere", "days": 2},
        {"city": "broken", "days": 2},
        "[1]",
        "null",
        '{"city": "Rome"',
        '{"city": "\\ud800", "days": 2}',
        '{"city": "Rome", "days": NaN}',
    ],
)
def test_arguments_that_are_refused_stop_the_run_before_anything_is_begun(
    bench: Bench, make: Any, arguments: Any
) -> None:
    seen: list[Any] = []
    records: list[Any] = []
    runner = bench.runner(bench.function(noting(seen)), typed(bench, make(Weather), noting(seen)))
    client = bench.client(
        response(
            function_call("lookup"),
            weather_call("Oslo"),
            function_call("Weather", arguments),
            weather_call("Bern"),
        ),
        response(message()),
    )
    with pytest.raises(ToolRunnerError) as caught:
        bench.run(runner, client, on_diagnostic=records.append)
    error = caught.value
    assert error.code == "function_arguments_invalid"
    assert (error.attempted_call_ids, error.completed_call_ids) == ((), ())
    assert seen == []
    assert len(client.requests) == 1
    # What the model wrote and what the program said about it is nobody else's affair.
    assert error.__cause__ is None
    assert "words" not in str(error)


def test_a_refusal_does_not_reach_what_is_not_called(bench: Bench, make: Any) -> None:
    """Calls of other functions have their arguments as dicts, in a run with typed ones as well."""
    seen: list[Any] = []
    runner = bench.runner(bench.function(noting(seen)), typed(bench, make(Weather), noting(seen)))
    client = bench.client(
        response(function_call("lookup", {"city": 5}), weather_call("Rome")), response(message())
    )
    bench.run(runner, client)
    assert seen == [{"city": 5}, Weather(city="Rome", days=2)]


def test_the_history_has_the_call_as_the_model_wrote_it(bench: Bench, make: Any) -> None:
    item = function_call("Weather", '{"days":"4",  "city":"Rome"}')
    client = bench.client(response(item), response(message()))
    bench.run(bench.runner(typed(bench, make(Weather), noting([]))), client)
    assert client.requests[1]["input"][1] == item


def test_the_same_call_id_in_a_later_response_is_no_call_before(bench: Bench, make: Any) -> None:
    client = bench.client(
        response(weather_call("Rome", call_id="c")), response(weather_call("Oslo", call_id="c"))
    )
    with pytest.raises(ToolRunnerError) as caught:
        bench.run(bench.runner(typed(bench, make(Weather), noting([]))), client)
    assert caught.value.code == "identity_repeated"
    assert VALIDATED == ["Rome", "Oslo"]


def test_a_typed_function_may_take_cancelled(bench: Bench, make: Any) -> None:
    seen: list[Any] = []

    def look(weather: Weather, *, cancelled: Any) -> str:
        seen.append((weather.city, cancelled))
        return ""

    def cancelled() -> bool:
        return False

    client = bench.client(response(weather_call("Rome")), response(message()))
    bench.run(bench.runner(typed(bench, make(Weather), look)), client, cancelled=cancelled)
    assert seen == [("Rome", cancelled)]


def test_an_interrupt_inside_a_model_is_not_held_back(bench: Bench) -> None:
    class Interrupted(BaseModel):
        @classmethod
        def model_validate_json(cls, *_given: Any, **_options: Any) -> Any:
            raise KeyboardInterrupt

    client = bench.client(response(function_call("Interrupted")))
    runner = bench.runner(typed(bench, function_tool(Interrupted), noting([])))
    with pytest.raises(KeyboardInterrupt):
        bench.run(runner, client)
    # The runner is free again.
    bench.run(runner, bench.client(response(message())))


# --- streams --------------------------------------------------------------------------------------


def stream(bench: Bench, body: Any, streamed: Any = None) -> Callable[[], Any]:
    """Opens a stream of a response; ``streamed`` are its items as the stream has them."""
    items = body["output"] if streamed is None else streamed
    events = [
        {"type": "response.created", "response": {**body, "status": "in_progress", "output": []}},
        *(
            {"type": "response.output_item.done", "output_index": index, "item": item}
            for index, item in enumerate(items)
        ),
        {"type": "response.completed", "response": body},
    ]

    async def later() -> Any:
        for event in events:
            yield event

    return lambda: later() if bench.kit.asynchronous else iter(events)


@pytest.mark.parametrize("eager", [True, False])
@pytest.mark.parametrize("independent", [True, False])
def test_a_model_reads_a_streamed_call_once(bench: Bench, eager: bool, independent: bool) -> None:
    seen: list[Any] = []
    client = bench.client(
        stream(bench, response(weather_call("Rome"), weather_call("Oslo"))),
        stream(bench, response(message())),
    )
    function = typed(bench, function_tool(Weather), noting(seen), independent=independent)
    bench.run(bench.runner(function), client, stream=True, eager=eager)
    assert VALIDATED == ["Rome", "Oslo"]
    assert sorted(weather.city for weather in seen) == ["Oslo", "Rome"]


def test_an_early_call_that_is_refused_ends_the_run_with_what_was_done_before(
    bench: Bench, make: Any
) -> None:
    seen: list[Any] = []
    cities = ["Rome", "nowhere", "Oslo"]
    calls = [weather_call(city, call_id=city) for city in cities]
    client = bench.client(stream(bench, response(*calls)))
    runner = bench.runner(typed(bench, make(Weather), noting(seen)))
    with pytest.raises(ToolRunnerError) as caught:
        bench.run(runner, client, stream=True, eager=True)
    assert caught.value.code == "function_arguments_invalid"
    assert caught.value.attempted_call_ids == caught.value.completed_call_ids == ("Rome",)
    assert VALIDATED == ["Rome", "nowhere"]
    assert seen == [Weather(city="Rome", days=2)]


def test_arguments_that_change_after_their_call_was_executed_stop_the_run(bench: Bench) -> None:
    seen: list[Any] = []
    early, late = weather_call("Rome"), weather_call("Oslo")
    late = {**early, "arguments": late["arguments"]}
    client = bench.client(stream(bench, response(late), [early]))
    runner = bench.runner(typed(bench, function_tool(Weather), noting(seen)))
    with pytest.raises(ToolRunnerError) as caught:
        bench.run(runner, client, stream=True, eager=True)
    assert caught.value.code == "stream_item_changed"
    assert caught.value.completed_call_ids == (early["call_id"],)
    assert [weather.city for weather in seen] == ["Rome"]


# --- registration ---------------------------------------------------------------------------------


def test_from_tool_keeps_the_tool_and_the_flags(bench: Bench, make: Any) -> None:
    tool = make(Weather)
    function = typed(bench, tool, noting([]), allow_output_override=True, independent=True)
    assert function.tool is tool
    assert function.allow_output_override is True
    assert function.independent is True
    assert "model" not in repr(function)


def test_a_copy_with_other_flags_is_typed_as_well(bench: Bench, make: Any) -> None:
    seen: list[Any] = []
    function = dataclasses.replace(typed(bench, make(Weather), noting(seen)), independent=True)
    client = bench.client(response(weather_call("Rome")), response(message()))
    bench.run(bench.runner(function), client)
    assert seen == [Weather(city="Rome", days=2)]


def test_without_from_tool_the_function_gets_a_dict(bench: Bench, make: Any) -> None:
    seen: list[Any] = []
    kind = AsyncRegisteredFunction if bench.kit.asynchronous else RegisteredFunction
    function = kind(make(Weather), bench.kit.function(noting(seen)))
    client = bench.client(response(weather_call(5)), response(message()))
    bench.run(bench.runner(function), client)
    assert seen == [{"city": 5, "days": 2}]


@pytest.mark.parametrize(
    "tool",
    [
        DECLARATION,
        dict(function_tool(Weather)),
        openai.pydantic_function_tool(Weather),
        Weather,
        None,
    ],
    ids=["plain", "without its model", "of chats", "model", "none"],
)
def test_a_tool_without_a_model_is_refused(tool: Any) -> None:
    kinds: tuple[Any, ...] = RegisteredFunction, AsyncRegisteredFunction
    for kind in kinds:
        with pytest.raises(ConfigurationError) as caught:
            kind.from_tool(tool, execute=str)
        assert caught.value.code == "tool_not_typed"


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"execute": 5}, "not_callable"),
        ({"execute": str, "independent": 1}, "flag_not_a_bool"),
    ],
)
def test_the_record_is_checked_as_ever(make: Any, options: Any, code: str) -> None:
    for kind in (RegisteredFunction, AsyncRegisteredFunction):
        with pytest.raises(ConfigurationError) as caught:
            kind.from_tool(make(Weather), **options)
        assert caught.value.code == code


def test_a_function_of_the_other_flavour_is_refused(make: Any) -> None:
    def look(_weather: Weather) -> str:
        return ""

    async def look_later(_weather: Weather) -> str:
        return ""

    wrong: list[tuple[Any, Any]] = [
        (RegisteredFunction, look_later),
        (AsyncRegisteredFunction, look),
    ]
    for kind, execute in wrong:
        with pytest.raises(ConfigurationError) as caught:
            kind.from_tool(make(Weather), execute=execute)
        assert caught.value.code == "flavour_mismatch"


# --- function_tool --------------------------------------------------------------------------------


def test_a_tool_is_a_plain_strict_declaration() -> None:
    tool = function_tool(Weather)
    assert json.loads(json.dumps(tool)) == {
        "type": "function",
        "name": "Weather",
        "description": "Looks the weather up.",
        "strict": True,
        "parameters": {
            "type": "object",
            "title": "Weather",
            "properties": {
                "city": {"type": "string", "title": "City", "description": "Where."},
                "days": {"type": "integer", "title": "Days"},
            },
            "required": ["city", "days"],
            "additionalProperties": False,
        },
    }
    assert isinstance(tool, TypedFunctionTool)
    assert tool.model is Weather


def test_name_and_description_may_be_given() -> None:
    tool = function_tool(Weather, name="look-up_2", description="Other words.")
    assert (tool["name"], tool["description"]) == ("look-up_2", "Other words.")

    class Bare(BaseModel):
        pass

    assert "description" not in function_tool(Bare)


class Box(BaseModel, Generic[T]):
    value: T


def test_a_class_whose_name_no_tool_may_have() -> None:
    assert function_tool(Box[int])["name"] == "Box_int"
    long = type("L" * 100, (BaseModel,), {})
    assert function_tool(long)["name"] == "L" * 64
    with pytest.raises(ConfigurationError) as caught:
        function_tool(type("天気", (BaseModel,), {}))
    assert caught.value.code == "tool_name_invalid"


@pytest.mark.parametrize("name", ["", "a b", "x" * 65, "é", "a\n", 5])
def test_a_name_that_no_tool_may_have_is_refused(name: Any) -> None:
    with pytest.raises(ConfigurationError) as caught:
        function_tool(Weather, name=name)
    assert caught.value.code == "tool_name_invalid"


@pytest.mark.parametrize("model", [int, dict, None, "Weather", Weather(city="x")])
def test_only_a_model_class_makes_a_tool(model: Any) -> None:
    with pytest.raises(ConfigurationError) as caught:
        function_tool(model)
    assert caught.value.code == "tool_model_invalid"


class Part(BaseModel):
    size: int = 1


class Tree(BaseModel):
    branches: list[Tree] = []


class Round(BaseModel):
    kind: Literal["round"]


class Square(BaseModel):
    kind: Literal["square"]


class Nested(BaseModel):
    part: Part = Field(description="A part.")
    perhaps: Part | None = None
    parts: list[Annotated[Part, Field(description="One of them.")]]
    shape: Round | Square = Field(discriminator="kind")
    default: int = 5
    tree: Tree


def objects_of(schema: Any) -> list[dict[str, Any]]:
    """All the schemas of objects in a schema."""
    if isinstance(schema, list):
        return [found for part in schema for found in objects_of(part)]
    if not isinstance(schema, dict):
        return []
    own = [schema] if schema.get("type") == "object" else []
    return own + objects_of(list(schema.values()))


@pytest.mark.parametrize("model", [Nested, Tree, Box[Nested]])
def test_every_object_of_a_schema_is_closed_and_requires_all(model: Any) -> None:
    parameters = function_tool(model)["parameters"]
    objects = objects_of(parameters)
    assert parameters in objects
    for found in objects:
        assert found["additionalProperties"] is False
        assert found["required"] == list(found["properties"])


def test_what_strict_mode_has_no_words_for_is_said_in_others() -> None:
    parameters: Any = function_tool(Nested)["parameters"]
    properties = parameters["properties"]
    part = {"$ref": "#/$defs/Part"}
    assert properties["part"] == {"anyOf": [part], "description": "A part."}
    assert properties["perhaps"]["anyOf"] == [part, {"type": "null"}]
    assert properties["parts"]["items"] == {"anyOf": [part], "description": "One of them."}
    assert properties["shape"]["anyOf"] == [{"$ref": "#/$defs/Round"}, {"$ref": "#/$defs/Square"}]
    # A field may have the name of a keyword.
    assert properties["default"] == {"type": "integer", "title": "Default"}
    written = json.dumps(parameters)
    assert "oneOf" not in written
    assert "discriminator" not in written
    assert '"default": [' not in written


class Open(BaseModel):
    tags: dict[str, int]


class Extra(BaseModel):
    model_config = {"extra": "allow"}


class Items(RootModel[list[int]]):
    pass


class OpenInside(BaseModel):
    inside: list[Open]


@pytest.mark.parametrize(
    ("model", "place"),
    [
        (Open, "arguments.tags"),
        (OpenInside, "arguments.Open.tags"),
        (Extra, "the arguments may"),
        (Items, "are no object"),
    ],
)
def test_a_schema_that_no_strict_tool_can_have_is_refused(model: Any, place: str) -> None:
    with pytest.raises(ConfigurationError, match=place) as caught:
        function_tool(model)
    assert caught.value.code == "tool_schema_invalid"


def test_neither_pydantic_nor_openai_is_imported() -> None:
    program = (
        "import sys, swingbridge; swingbridge.RegisteredFunction, swingbridge.function_tool; "
        "sys.exit(any(name in sys.modules for name in ('pydantic', 'openai')))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
