"""The caller's parameters of a run, copied (R-2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from .plain import as_dict, copied


def params_of(params: object, *, exact_input: bool) -> Any:
    """A copy of the parameters, without those that the ``openai`` package's marks leave out.

    With ``exact_input`` the values in ``input`` that are of no exact built-in type stay what they are,
    so that the core can refuse them.
    """
    fields = as_dict(params)
    if fields is None or not exact_input:
        return _given(copied(params, "params", "params_not_plain"))
    others = {name: value for name, value in fields.items() if name != "input"}
    copy = _given(copied(others, "params", "params_not_plain"))
    if "input" in fields:
        copy["input"] = copied(fields["input"], "params", "params_not_plain", exact=True)
    return copy


def _given(params: Any) -> Any:
    fields = as_dict(params)
    if fields is None:
        return params
    given = {name: item for name, item in fields.items() if _is_given(item)}
    headers: object = given.get("extra_headers")
    if isinstance(headers, Mapping):
        # It may be of a client's own class, and the runner may have to exchange one of them.
        given["extra_headers"] = {**cast("Mapping[str, object]", headers)}
    return given


def _is_given(value: object) -> bool:
    # The openai package's marks for "not given", told by their names: it is not imported here.
    kind: type = type(value)
    try:
        name, module = kind.__name__, kind.__module__
    except Exception:  # noqa: BLE001 - a class that throws when it is looked at; theirs do not
        return True
    if name not in {"NotGiven", "Omit"} or type(module) is not str:
        return True
    return module != "openai" and not module.startswith("openai.")
