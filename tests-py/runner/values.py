"""Values that are made to hurt, and what hurts a value afterwards."""

from __future__ import annotations

from typing import Any


def nested(depth: int) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = [value]
    return value


def spoil(value: Any) -> None:
    """Change everything that can be changed."""
    if isinstance(value, list):
        for item in value:
            spoil(item)
        value.clear()
    elif isinstance(value, dict):
        for item in value.values():
            spoil(item)
        value.clear()
