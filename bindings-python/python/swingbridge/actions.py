"""What a computer driver and its callbacks are given: actions and calls as objects (C-1, C-4).

Every object is a copy made for one callback or one driver method, so that changing it changes
nothing. Its fields are attributes; an optional field that the model left out is None, and a field
that this version does not know can be read all the same. Two objects are equal if their fields are.

    match action:
        case ClickAction(x, y, button): ...
        case KeypressAction(keys): ...
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, TypeVar

from .plain import as_list, plain

Button: TypeAlias = Literal["left", "right", "wheel", "back", "forward"]
_Made = TypeVar("_Made", bound="WireObject")


class WireObject:
    """An object of the wire whose fields are attributes."""

    __hash__: ClassVar[None]  # type: ignore[assignment]  # it can be changed
    field_names: ClassVar[frozenset[str]] = frozenset()
    """The fields of the wire that the class knows."""

    def to_dict(self) -> dict[str, Any]:
        """The fields that are there as plain dicts and lists, unknown ones included; a new copy."""
        fields: dict[str, Any] = plain(_unwrapped(self))
        return fields

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WireObject):
            return NotImplemented
        return type(self) is type(other) and self._present() == other._present()

    def __repr__(self) -> str:
        fields = ", ".join(
            f"{name}={value!r}" for name, value in self._present().items() if name != "type"
        )
        return f"{type(self).__name__}({fields})"

    def _set(self, **fields: object) -> None:
        self.__dict__.update({name: value for name, value in fields.items() if value is not None})

    def _present(self) -> dict[str, Any]:
        # A field that is None means no more than one that is not there.
        return {name: value for name, value in _fields(self).items() if value is not None}

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            """A field of the wire that the class does not know; never instead of a method."""
            further = self.__dict__.get("_further")
            if further is None or name not in further:
                raise AttributeError(f"{type(self).__name__} has no field {name!r}")
            return further[name]


class ComputerPoint(WireObject):
    """A point of a drag."""

    __match_args__ = ("x", "y")
    field_names: ClassVar[frozenset[str]] = frozenset(__match_args__)
    x: int
    y: int

    def __init__(self, x: int, y: int) -> None:
        self._set(x=x, y=y)


class ClickAction(WireObject):
    """Click a point, with keys held."""

    __match_args__ = ("x", "y", "button", "keys")
    field_names: ClassVar[frozenset[str]] = frozenset({"type", *__match_args__})
    type: Literal["click"] = "click"
    x: int
    y: int
    button: Button
    keys: list[str] | None = None

    def __init__(self, x: int, y: int, button: Button, keys: list[str] | None = None) -> None:
        self._set(type="click", x=x, y=y, button=button, keys=keys)


class DoubleClickAction(WireObject):
    """Click a point twice with the left button, with keys held."""

    __match_args__ = ("x", "y", "keys")
    field_names: ClassVar[frozenset[str]] = frozenset({"type", *__match_args__})
    type: Literal["double_click"] = "double_click"
    x: int
    y: int
    keys: list[str] | None = None

    def __init__(self, x: int, y: int, keys: list[str] | None = None) -> None:
        self._set(type="double_click", x=x, y=y, keys=keys)


class DragAction(WireObject):
    """Move along a path with the left button pressed, with keys held."""

    __match_args__ = ("path", "keys")
    field_names: ClassVar[frozenset[str]] = frozenset({"type", *__match_args__})
    type: Literal["drag"] = "drag"
    path: list[ComputerPoint]
    keys: list[str] | None = None

    def __init__(self, path: list[ComputerPoint], keys: list[str] | None = None) -> None:
        self._set(type="drag", path=path, keys=keys)


class KeypressAction(WireObject):
    """Press keys together."""

    __match_args__ = ("keys",)
    field_names: ClassVar[frozenset[str]] = frozenset({"type", *__match_args__})
    type: Literal["keypress"] = "keypress"
    keys: list[str]

    def __init__(self, keys: list[str]) -> None:
        self._set(type="keypress", keys=keys)


class MoveAction(WireObject):
    """Move the pointer to a point, with keys held."""

    __match_args__ = ("x", "y", "keys")
    field_names: ClassVar[frozenset[str]] = frozenset({"type", *__match_args__})
    type: Literal["move"] = "move"
    x: int
    y: int
    keys: list[str] | None = None

    def __init__(self, x: int, y: int, keys: list[str] | None = None) -> None:
        self._set(type="move", x=x, y=y, keys=keys)


class ScrollAction(WireObject):
    """Scroll what is at a point, down and to the right for positive distances, with keys held."""

    __match_args__ = ("x", "y", "scroll_x", "scroll_y", "keys")
    field_names: ClassVar[frozenset[str]] = frozenset({"type", *__match_args__})
    type: Literal["scroll"] = "scroll"
    x: int
    y: int
    scroll_x: int
    scroll_y: int
    keys: list[str] | None = None

    def __init__(
        self, x: int, y: int, scroll_x: int, scroll_y: int, keys: list[str] | None = None
    ) -> None:
        self._set(type="scroll", x=x, y=y, scroll_x=scroll_x, scroll_y=scroll_y, keys=keys)


class TypeAction(WireObject):
    """Type text where the focus is."""

    __match_args__ = ("text",)
    field_names: ClassVar[frozenset[str]] = frozenset({"type", "keys", *__match_args__})
    type: Literal["type"] = "type"
    text: str
    keys: list[str] | None = None

    def __init__(self, text: str) -> None:
        self._set(type="type", text=text)


class WaitAction(WireObject):
    """Wait until the screen has settled."""

    field_names: ClassVar[frozenset[str]] = frozenset({"type", "keys"})
    type: Literal["wait"] = "wait"
    keys: list[str] | None = None

    def __init__(self) -> None:
        self._set(type="wait")


class ScreenshotAction(WireObject):
    """Take a picture; only ``before_action`` meets it."""

    field_names: ClassVar[frozenset[str]] = frozenset({"type", "keys"})
    type: Literal["screenshot"] = "screenshot"
    keys: list[str] | None = None

    def __init__(self) -> None:
        self._set(type="screenshot")


class ComputerSafetyCheck(WireObject):
    """A pending safety check."""

    __match_args__ = ("id", "code", "message")
    field_names: ClassVar[frozenset[str]] = frozenset(__match_args__)
    id: str
    code: str | None = None
    message: str | None = None

    def __init__(self, id: str, code: str | None = None, message: str | None = None) -> None:
        self._set(id=id, code=code, message=message)


class ComputerCall(WireObject):
    """A computer call: exactly one of ``action`` and ``actions`` is there."""

    __match_args__ = ("id", "call_id", "status", "pending_safety_checks", "action", "actions")
    field_names: ClassVar[frozenset[str]] = frozenset({"type", *__match_args__})
    type: Literal["computer_call"] = "computer_call"
    id: str
    call_id: str
    status: Literal["completed"]
    pending_safety_checks: list[ComputerSafetyCheck]
    action: ComputerActionInput | None = None
    actions: list[ComputerActionInput] | None = None


ComputerActionInput: TypeAlias = (
    ClickAction
    | DoubleClickAction
    | DragAction
    | KeypressAction
    | MoveAction
    | ScreenshotAction
    | ScrollAction
    | TypeAction
    | WaitAction
)

_KINDS: dict[str, type[ComputerActionInput]] = {
    "click": ClickAction,
    "double_click": DoubleClickAction,
    "drag": DragAction,
    "keypress": KeypressAction,
    "move": MoveAction,
    "screenshot": ScreenshotAction,
    "scroll": ScrollAction,
    "type": TypeAction,
    "wait": WaitAction,
}


def read_action(wire: dict[str, Any] | None, fields: dict[str, Any]) -> ComputerActionInput:
    """A copy of the wire's action with the core's fields laid over it.

    ``fields`` is used up; ``wire`` is None for the final picture.
    """
    if wire is None:
        return made(_KINDS[fields["type"]], fields)
    path = fields.get("path")
    if path is not None:
        points: list[dict[str, Any]] = wire["path"]
        fields["path"] = [{**plain(old), **new} for old, new in zip(points, path, strict=True)]
    for name, value in wire.items():
        if name not in fields:
            fields[name] = plain(value)
    return _action(fields)


def read_call(wire: dict[str, Any]) -> ComputerCall:
    """A copy of a call that the core has checked."""
    fields: dict[str, Any] = plain(wire)
    checks: list[dict[str, Any]] = fields.get("pending_safety_checks", [])
    fields["pending_safety_checks"] = [made(ComputerSafetyCheck, check) for check in checks]
    if "action" in fields:
        fields["action"] = _action(fields["action"])
    if "actions" in fields:
        fields["actions"] = [_action(action) for action in fields["actions"]]
    return made(ComputerCall, fields)


def _action(fields: dict[str, Any]) -> ComputerActionInput:
    kind = _KINDS[fields["type"]]
    if kind is DragAction:
        fields["path"] = [made(ComputerPoint, point) for point in fields["path"]]
    return made(kind, fields)


def made(kind: type[_Made], fields: dict[str, Any]) -> _Made:
    """An object of the wire with these fields, which are used up."""
    made = object.__new__(kind)
    further = fields.keys() - kind.field_names
    if further:
        made.__dict__["_further"] = {name: fields.pop(name) for name in further}
    made.__dict__.update(fields)
    return made


def _fields(made: WireObject) -> dict[str, Any]:
    fields = {**made.__dict__}
    further: dict[str, Any] = fields.pop("_further", {})
    return {**fields, **further}


def _unwrapped(value: object) -> Any:
    if isinstance(value, WireObject):
        return {name: _unwrapped(item) for name, item in _fields(value).items()}
    items = as_list(value)
    return value if items is None else [_unwrapped(item) for item in items]
