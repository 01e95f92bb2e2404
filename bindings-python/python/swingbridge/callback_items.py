"""What the callbacks of a runner are given of a response: items as objects with attributes.

As in ``actions``: each is a copy made for one callback, and a field that this version does not know
can be read all the same.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal, TypeAlias

from .actions import ComputerCall, WireObject, made, read_call


class FunctionToolCall(WireObject):
    """A call of a function or a browser tool."""

    __match_args__ = ("name", "call_id", "arguments")
    field_names: ClassVar[frozenset[str]] = frozenset({"type", "id", "status", *__match_args__})
    type: Literal["function_call"] = "function_call"
    id: str
    call_id: str
    name: str
    arguments: str
    """JSON text, as the model wrote it."""
    status: str | None = None


class McpApprovalRequest(WireObject):
    """A request of the model to call a tool of a remote MCP server (R-41)."""

    __match_args__ = ("server_label", "name", "arguments")
    field_names: ClassVar[frozenset[str]] = frozenset({"type", "id", *__match_args__})
    type: Literal["mcp_approval_request"] = "mcp_approval_request"
    id: str
    server_label: str
    name: str
    arguments: str
    """JSON text, as the model wrote it."""


EarlyCall: TypeAlias = FunctionToolCall | ComputerCall


def read_early_call(wire: dict[str, Any]) -> EarlyCall:
    """A streamed call, made of a copy that is used up."""
    if wire["type"] == "computer_call":
        return read_call(wire)
    return made(FunctionToolCall, wire)


def read_mcp_request(wire: dict[str, Any]) -> McpApprovalRequest:
    """A request for approval, made of a copy that is used up."""
    return made(McpApprovalRequest, wire)
