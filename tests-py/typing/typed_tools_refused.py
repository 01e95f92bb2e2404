"""Programs with typed tools that must not type-check: each line marked with an ignore. Never run."""

from __future__ import annotations

from openai import pydantic_responses_function_tool
from pydantic import BaseModel

from swingbridge import (
    AsyncRegisteredFunction,
    RegisteredFunction,
    ResponsesToolRunner,
    TypedFunctionTool,
    function_tool,
)


class Weather(BaseModel):
    city: str


class Other(BaseModel):
    place: str


def look(weather: Weather) -> str:
    return weather.city


def look_at_other(other: Other) -> str:
    return other.place


def look_at_number(weather: Weather) -> int:
    return 5


def look_twice(weather: Weather, more: str) -> str:
    return more


async def look_later(weather: Weather) -> str:
    return weather.city


tool = function_tool(Weather)
theirs = pydantic_responses_function_tool(Weather)

function_tool(int)  # type: ignore[type-var]
function_tool(Weather(city="Rome"))  # type: ignore[arg-type]
function_tool(Weather, "name")  # type: ignore[call-arg]
function_tool(Weather, name=5)  # type: ignore[arg-type]
function_tool(Weather, strict=False)  # type: ignore[call-arg]
wrong: TypedFunctionTool[Other] = tool  # type: ignore[assignment]

RegisteredFunction.from_tool(tool, execute=look_at_other)  # type: ignore[arg-type]
RegisteredFunction.from_tool(tool, execute=look_at_number)  # type: ignore[arg-type]
RegisteredFunction.from_tool(tool, execute=look_twice)  # type: ignore[arg-type]
RegisteredFunction.from_tool(tool, execute=look_later)  # type: ignore[arg-type]
RegisteredFunction.from_tool(tool, execute=lambda weather: weather.place)  # type: ignore[attr-defined]
RegisteredFunction.from_tool(tool, look)  # type: ignore[call-overload]
RegisteredFunction.from_tool(tool)  # type: ignore[call-overload]
RegisteredFunction.from_tool(tool, execute=look, independent="no")  # type: ignore[call-overload]
RegisteredFunction.from_tool(dict(tool), execute=look)  # type: ignore[call-overload]
RegisteredFunction.from_tool(Weather, execute=look)  # type: ignore[call-overload]
RegisteredFunction.from_tool(theirs, execute=look_at_number)  # type: ignore[arg-type]
AsyncRegisteredFunction.from_tool(tool, execute=look)  # type: ignore[arg-type]
AsyncRegisteredFunction.from_tool(theirs, execute=look)  # type: ignore[arg-type]
later = AsyncRegisteredFunction.from_tool(tool, execute=look_later)
ResponsesToolRunner(functions=[later])  # type: ignore[list-item]
