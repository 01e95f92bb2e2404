"""The text of a browser output, as a record has it."""

from __future__ import annotations

import json
from typing import Any, cast

from .scenario import CALLER_TEXT, HOST_TEXT


def read_payload(text: str) -> dict[str, Any]:
    """The payload, with its error replaced by whose words it is in."""
    payload = parse_strictly(text)
    if "error" in payload:
        payload["error"] = whose_words(payload["error"])
    return payload


def whose_words(error: Any) -> str:
    if error == CALLER_TEXT:
        return "caller"
    if type(error) is not str or not error or HOST_TEXT in error:
        raise ValueError(f"an error for the model is a sentence of the package, not {error!r}")
    return "fixed"


def parse_strictly(text: str) -> dict[str, Any]:
    """The payload. ``json`` alone would let a repeated field and ``NaN`` pass."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        fields = dict(pairs)
        if len(fields) != len(pairs):
            raise ValueError("a field is written twice")
        return fields

    def refuse(name: str) -> None:
        raise ValueError(f"{name} is not JSON")

    payload = json.loads(text, object_pairs_hook=unique, parse_constant=refuse)
    if type(payload) is not dict:
        raise ValueError("the payload is an object")
    return cast("dict[str, Any]", payload)
