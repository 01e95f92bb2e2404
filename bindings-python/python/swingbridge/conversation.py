"""What a run sends: the caller's parameters, the tools, and the history as it grows (R-1, R-2)."""

from __future__ import annotations

from typing import Any

from ._core import is_replayed
from .errors import ConfigurationError
from .plain import as_dict, as_list, field, plain
from .typed_calls import TypedCalls


class Conversation:
    """The requests of one run.

    A request has copies of its own of everything but the items of the history: those are kept
    once and shared, since a copy for each request would cost more with each.
    """

    def __init__(self, params: object, tools: list[Any], typed: TypedCalls | None = None) -> None:
        self.params: Any = self._given(copied(params, "params", "params_not_plain"))
        self._tools = tools
        self.typed = TypedCalls({}) if typed is None else typed
        self._history: list[Any] = []
        self._items: list[Any] = []
        self._body: dict[str, Any] = {}

    @staticmethod
    def _given(params: object) -> Any:
        fields = as_dict(params)
        if fields is None:
            return params
        return {name: item for name, item in fields.items() if _is_given(item)}

    def begin(self, *, adds_computer: bool = False) -> None:
        """Take the history and the tools out of the admitted parameters."""
        self._body = {**self.params}
        given = self._body.pop("input")
        self._history = [{"role": "user", "content": given}] if isinstance(given, str) else given
        declared: list[Any] | None = self._body.pop("tools", None)
        computer = [{"type": "computer"}] if adds_computer else []
        self._tools = [*self._tools, *computer, *(declared or [])]

    def request(
        self, include: list[str], outputs: list[Any], relaxes_choice: bool
    ) -> dict[str, Any]:
        """The next request: the items of the response before and these outputs are appended."""
        self._history += self._items
        self._history += outputs
        self._items = []
        self.typed.forget()
        if relaxes_choice:
            self._body["tool_choice"] = "auto"
        # A client may keep and change what it is given: the next request does not know of it.
        body = {name: plain(value) for name, value in self._body.items()}
        tools = [plain(tool) for tool in self._tools]
        return {**body, "tools": tools, "include": include, "input": [*self._history]}

    def take(self, response: object) -> dict[str, Any]:
        """Keep the response's items for the next request, and give what the core reads of it."""
        try:
            read = {name: plain(field(response, name)) for name in ("status", "output", "usage")}
        except Exception:  # noqa: BLE001 - what cannot be read is not there, and the core says so
            return {}
        self._items = [_replayed(item) for item in as_list(read["output"]) or ()]
        return self.typed.read(read)


def copied(value: object, name: str, code: str) -> Any:
    """A plain copy of what the caller configures a run with."""
    try:
        return plain(value)
    except Exception:  # noqa: BLE001 - whatever the caller's objects do when they are read
        words = f"{name} cannot be copied: cyclic, nested too deeply, or with a key that is no text"
        raise ConfigurationError(words, code) from None


def _replayed(item: Any) -> Any:
    """An output item as it goes back to the service, a dict of its own (R-5)."""
    fields = as_dict(item)
    if fields is None:
        return item
    kind = fields.get("type")
    kind = kind if type(kind) is str else ""
    return {name: value for name, value in fields.items() if is_replayed(kind, name)}


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
