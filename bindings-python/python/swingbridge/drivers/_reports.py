"""Reports of the page script, checked before they are handed on (B-41).

A report that breaks the contract would stop the whole run. Script and page share one world, so a hostile page can
spoil a report; it must be able to spoil only the reading of itself.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, cast

from swingbridge import BrowserError

if TYPE_CHECKING:
    from swingbridge import BrowserReadV1

__all__ = ["parse_answer", "read_report"]

LABEL_BYTES: Final = 256
VALUE_BYTES: Final = 512

_ROLES: Final = frozenset(
    {"button", "textbox", "combobox", "checkbox", "radio", "slider", "listbox"}
)
_CODES: Final = (
    "report_limit",
    "text_limit",
    "target_limit",
    "work_limit",
    "frame_limit",
    "unsupported_root",
    "unsupported_control",
    "remote_action",
    "private",
    "value",
    "name_limit",
)
_REF: Final = re.compile(r"g[0-9]{1,15}-e[0-9]{1,15}")


def parse_answer(text: object) -> dict[str, Any]:
    """The object that an operation of the page script answered with.

    Raises:
        BrowserError: Not an object.
    """
    try:
        answer = json.loads(text) if isinstance(text, str) else None
    except ValueError:
        answer = None
    return _object(answer)


def read_report(answer: dict[str, Any]) -> BrowserReadV1:
    """A BrowserReadV1 with known fields only.

    Raises:
        BrowserError: The report breaks the contract.
    """
    omitted = _list(answer.get("omitted"))
    reported = [_element(element) for element in _list(answer.get("elements"))]
    if len({element["ref"] for element in reported}) != len(reported):
        raise _unusable()
    read = {
        "version": 1,
        "text": _text(answer.get("text")),
        "elements": reported,
        "omitted": [code for code in _CODES if code in omitted],
    }
    return cast("BrowserReadV1", read)


def _element(source: Any) -> dict[str, Any]:
    element = _object(source)
    ref, role = element.get("ref"), element.get("role")
    if not isinstance(ref, str) or _REF.fullmatch(ref) is None or role not in _ROLES:
        raise _unusable()
    reported: dict[str, Any] = {"ref": ref, "role": role, "label": _label(element.get("label"))}
    if "value" in element:
        reported["value"] = _text(element["value"], VALUE_BYTES)
    if "options" in element:
        reported["options"] = [_option(option) for option in _list(element["options"])]
    if "checked" in element:
        reported["checked"] = _flag(element["checked"])
    return reported


def _option(source: Any) -> dict[str, Any]:
    option = _object(source)
    reported: dict[str, Any] = {
        "label": _label(option.get("label")),
        "value": _text(option.get("value"), VALUE_BYTES),
    }
    if "selected" in option:
        reported["selected"] = _flag(option["selected"])
    return reported


def _object(source: Any) -> dict[str, Any]:
    if not isinstance(source, dict):
        raise _unusable()
    return cast("dict[str, Any]", source)


def _list(source: Any) -> list[object]:
    if not isinstance(source, list):
        raise _unusable()
    return cast("list[object]", source)


def _flag(source: Any) -> bool:
    if not isinstance(source, bool):
        raise _unusable()
    return source


def _label(source: Any) -> str:
    label = _text(source, LABEL_BYTES)
    if not label:
        raise _unusable()
    return label


def _text(source: Any, limit: int | None = None) -> str:
    if not isinstance(source, str):
        raise _unusable()
    try:
        size = len(source.encode())
    except UnicodeEncodeError:
        raise _unusable() from None
    if limit is not None and size > limit:
        raise _unusable()
    return source


def _unusable() -> BrowserError:
    return BrowserError("The page could not be read: it interferes with reading.")
