"""Programs with typed tools that must type-check, in mypy and pyright strict. Never run."""

from __future__ import annotations

from collections.abc import Callable

from openai import pydantic_responses_function_tool
from pydantic import BaseModel

from swingbridge import (
    AsyncRegisteredFunction,
    AsyncResponsesToolRunner,
    FunctionResult,
    RegisteredFunction,
    ResponsesToolRunner,
    TypedFunctionTool,
    function_tool,
)


class Weather(BaseModel):
    city: str
    days: int = 1


def look(weather: Weather) -> str:
    return weather.city * weather.days


def look_unless_cancelled(
    weather: Weather, *, cancelled: Callable[[], bool] | None
) -> FunctionResult:
    return "" if cancelled is not None and cancelled() else weather.city


def look_at_any(model: BaseModel) -> str:
    return model.model_dump_json()


def look_at_dict(arguments: dict[str, object]) -> str:
    return str(arguments["city"])


async def look_later(weather: Weather) -> FunctionResult:
    return [{"type": "input_text", "text": weather.city}]


async def look_later_unless_cancelled(
    weather: Weather, *, cancelled: Callable[[], bool] | None = None
) -> str:
    return weather.city


tool: TypedFunctionTool[Weather] = function_tool(Weather, name="w", description="d")
model: type[Weather] = tool.model
name: object = tool["name"]
theirs = pydantic_responses_function_tool(Weather)

functions: list[RegisteredFunction] = [
    RegisteredFunction.from_tool(tool, execute=look),
    RegisteredFunction.from_tool(tool, execute=look_unless_cancelled, independent=True),
    RegisteredFunction.from_tool(tool, execute=look_at_any, allow_output_override=True),
    RegisteredFunction.from_tool(tool, execute=lambda weather: weather.city.upper()),
    RegisteredFunction.from_tool(theirs, execute=look),
    RegisteredFunction.from_tool(theirs, execute=look_unless_cancelled),
    RegisteredFunction(tool, look_at_dict),
]
ResponsesToolRunner(functions=functions)
AsyncResponsesToolRunner(
    functions=[
        AsyncRegisteredFunction.from_tool(tool, execute=look_later),
        AsyncRegisteredFunction.from_tool(tool, execute=look_later_unless_cancelled),
        AsyncRegisteredFunction.from_tool(theirs, execute=look_later),
    ]
)
