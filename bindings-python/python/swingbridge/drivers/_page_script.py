"""The page script, kept in the core so that drivers of every language evaluate the same one."""

from __future__ import annotations

from swingbridge._core import page_script

__all__ = ["page_script"]
