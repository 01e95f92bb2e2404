"""Settings with a range; the ranges themselves stand in the core."""

from __future__ import annotations

__all__ = ["check_range"]


def check_range(name: str, value: float, limits: tuple[int, int]) -> None:
    """Raises ValueError for a setting that is not within its limits."""
    least, most = limits
    if not least <= value <= most:
        raise ValueError(f"{name} must be between {least} and {most}")
