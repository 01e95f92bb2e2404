"""The arguments of typed functions, parsed when a response comes in (R-11)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from .plain import as_dict

Parse = Callable[[str], Any]

# No JSON object: the core takes such arguments for invalid, and stops before anything is begun.
_REFUSED = "null"


class _Parsed(NamedTuple):
    arguments: Any
    is_refused: bool


class TypedCalls:
    """What the calls of one response are called with.

    The arguments of a typed function are parsed once, before the core inspects its call: it learns of
    arguments that were refused as it learns of those that are no JSON.
    """

    __slots__ = ("_parsed", "_parsers")

    def __init__(self, parsers: Mapping[str, Parse]) -> None:
        self._parsers = parsers
        """By the names of the typed functions."""
        self._parsed: dict[str, _Parsed] = {}

    def forget(self) -> None:
        """Let go of what was parsed for the response before."""
        self._parsed.clear()

    def read_item(self, item: Any) -> Any:
        """What the core is told of an output item, given its plain fields."""
        fields = as_dict(item)
        if fields is None or fields.get("type") != "function_call":
            return item
        name, call_id, text = (fields.get(field) for field in ("name", "call_id", "arguments"))
        if type(name) is not str or type(call_id) is not str or type(text) is not str:
            return item
        parse = self._parsers.get(name)
        if parse is None:
            return item
        parsed = self._parsed.get(call_id)
        # A call that is streamed comes again with its response, unchanged or to be refused by the core.
        if parsed is None:
            parsed = self._parsed[call_id] = _parsed(parse, text)
        return {**fields, "arguments": _REFUSED} if parsed.is_refused else item

    def arguments(self, call_id: str, text: str) -> Any:
        """What a function is called with: an instance of its model, or a dict of the JSON text."""
        parsed = self._parsed.get(call_id)
        return json.loads(text) if parsed is None else parsed.arguments


def _parsed(parse: Parse, text: str) -> _Parsed:
    try:
        return _Parsed(parse(text), is_refused=False)
    except Exception:  # noqa: BLE001 - whatever a model raises, the arguments are not its own
        return _Parsed(None, is_refused=True)
