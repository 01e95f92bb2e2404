"""The caller's parameters of a run, copied (R-2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from .errors import ConfigurationError
from .plain import as_dict, copied

_SCALARS = frozenset({bool, float, int, str, type(None)})


def params_of(params: object, *, exact_input: bool) -> Any:
    """A copy of the parameters, without those that the ``openai`` package's marks leave out.

    With ``exact_input`` the values in ``input`` that are of no exact built-in type stay what they are,
    so that the core can refuse them. Without it each item is made a dict whose kind the core can read.
    """
    fields = as_dict(params)
    if fields is None or not exact_input:
        copy = _given(copied(params, "params", "params_not_json"))
        known = as_dict(copy)
        items = None if known is None else known.get("input")
        if type(items) is list:
            copy["input"] = [_item(item) for item in cast("list[object]", items)]
        return copy
    others = {name: value for name, value in fields.items() if name != "input"}
    copy = _given(copied(others, "params", "params_not_json"))
    if "input" in fields:
        copy["input"] = copied(fields["input"], "params", "params_not_json", exact=True)
    return copy


def _given(params: Any) -> Any:
    fields = as_dict(params)
    if fields is None:
        return params
    given = {name: item for name, item in fields.items() if mark_of(item) is None}
    headers: object = given.get("extra_headers")
    if isinstance(headers, Mapping):
        # It may be of a client's own class, and the runner may have to exchange one of them.
        given["extra_headers"] = {**cast("Mapping[str, object]", headers)}
    return given


def _item(item: object) -> object:
    """The item as a dict of which the core can read the kind: by that it finds approvals (R-42)."""
    kind: type = type(item)
    if kind is dict:
        fields = cast("dict[str, object]", item)
        is_of: type = type(fields.get("type"))
        if is_of in _SCALARS:
            return fields
        if issubclass(is_of, str):
            # Such as a member of an enumeration, which is written as a text.
            return {name: _text(value) for name, value in fields.items()}
    elif issubclass(kind, Mapping):
        return _item(copied(_fields(item), "params", "params_not_json"))
    elif kind in _SCALARS:
        return item
    raise ConfigurationError("params.input has an item that is no plain object", "params_not_json")


def _fields(item: object) -> object:
    try:
        return {**cast("Mapping[str, object]", item)}
    except Exception:  # noqa: BLE001 - whatever the caller's objects do when they are read
        words = "params.input has an item that cannot be read"
        raise ConfigurationError(words, "params_not_json") from None


def _text(value: object) -> object:
    kind: type = type(value)
    return str.__str__(cast("str", value)) if issubclass(kind, str) else value


def mark_of(value: object) -> str | None:
    """``NotGiven`` or ``Omit`` for the ``openai`` package's marks of these names, else None."""
    # Told by their names: that package is not imported here.
    kind: type = type(value)
    try:
        name, module = kind.__name__, kind.__module__
    except Exception:  # noqa: BLE001 - a class that throws when it is looked at; theirs do not
        return None
    if name not in {"NotGiven", "Omit"} or type(module) is not str:
        return None
    return name if module == "openai" or module.startswith("openai.") else None
