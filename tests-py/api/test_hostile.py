"""Values that are made to hurt: each has a clear end, and nothing of them is called (B-40 to B-46)."""

from __future__ import annotations

import json
import sys
import threading
from typing import Any

import pytest

from api.kit import CLICK, TAB, Kit, call, payload
from swingbridge import ContractError


def forbidden(*_arguments: Any, **_options: Any) -> Any:
    raise AssertionError("a method of a host object was called")


HOSTILE: dict[str, Any] = dict.fromkeys(
    (
        "__bool__",
        "__contains__",
        "__eq__",
        "__ge__",
        "__getitem__",
        "__gt__",
        "__hash__",
        "__index__",
        "__int__",
        "__iter__",
        "__le__",
        "__len__",
        "__lt__",
        "__ne__",
        "__repr__",
        "__str__",
        "__format__",
        "encode",
        "get",
        "items",
        "keys",
        "values",
    ),
    forbidden,
)


def hostile(kind: type, *arguments: Any) -> Any:
    """An instance of a subclass of ``kind`` whose every method fails the test."""
    return type(f"Hostile{kind.__name__}", (kind,), HOSTILE)(*arguments)


def cycle() -> list[Any]:
    items: list[Any] = []
    items.append(items)
    return items


def wide_cycle() -> dict[str, Any]:
    """Unfolds to more values than there is memory for, at a small depth."""
    value: dict[str, Any] = {}
    value["tabs"] = [value] * 1_000
    return value


def generator() -> Any:
    forbidden()
    yield


def nested(depth: int) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = [value]
    return value


RESULTS: dict[str, Any] = {
    "generator": generator,
    "iterator": lambda: iter(["x"]),
    "cycle": cycle,
    "wide cycle": wide_cycle,
    "deep list": lambda: nested(10_000),
    "set": lambda: {"x"},
    "bytes": lambda: b"x",
    "function": lambda: forbidden,
    "class": lambda: dict,
    "object": object,
    "huge int": lambda: 10**5_000,
    "float": lambda: 1.5,
    "nan": lambda: float("nan"),
    "complex": lambda: 1j,
    "hostile object": lambda: hostile(object),
    "hostile list": lambda: hostile(list, ["x"]),
    "hostile tuple": lambda: hostile(tuple, ["x"]),
    "hostile int": lambda: hostile(int, 5),
}


@pytest.mark.parametrize("make", RESULTS.values(), ids=RESULTS.keys())
@pytest.mark.parametrize(
    "member", ["click", "read_page", "screenshot", "upload_file", "run_script"]
)
def test_a_driver_may_return_anything(kit: Kit, member: str, make: Any) -> None:
    driver = kit.driver(**{member: lambda _action: make()})
    toolset = kit.toolset(driver, members=[member])
    with pytest.raises(ContractError):
        kit.execute(toolset, call(member))
    driver = kit.driver(click=lambda _action: None)
    assert payload(kit.execute(kit.toolset(driver), call("click")))["ok"] is True


@pytest.mark.parametrize("make", RESULTS.values(), ids=RESULTS.keys())
@pytest.mark.parametrize("place", ["report", "tabs", "tab", "id", "url", "active", "observation"])
def test_a_state_may_be_anything(kit: Kit, place: str, make: Any) -> None:
    value = make()
    tab = {**TAB, place: value} if place in {"id", "url", "active"} else TAB
    report: Any = {"tabs": [value] if place == "tab" else [tab]}
    if place == "report":
        report = value
    elif place in {"tabs", "observation"}:
        report[place] = value
    with pytest.raises(ContractError) as caught:
        kit.execute(kit.toolset(kit.driver(state=lambda: report)), call("list_tabs"))
    assert caught.value.code == "state_invalid"


def read(**fields: Any) -> dict[str, Any]:
    return {"version": 1, "text": "t", "elements": [], "omitted": [], **fields}


@pytest.mark.parametrize("make", RESULTS.values(), ids=RESULTS.keys())
def test_what_no_rule_reads_is_never_looked_at(kit: Kit, make: Any) -> None:
    value = make()
    element = {"ref": "e1", "role": "button", "label": "Go", "extra": value}
    driver = kit.driver(
        state=lambda: {"tabs": [{**TAB, "extra": value}], "extra": value},
        read_page=lambda _action: read(elements=[element], extra=value),
    )
    output = payload(kit.execute(kit.toolset(driver), call("read_page")))
    assert output["result"]["elements"] == [{"ref": "e1", "role": "button", "label": "Go"}]
    assert "extra" not in json.dumps(output)


class Key:
    """A key that collides with the name of a field and claims to equal everything."""

    def __init__(self, name: str) -> None:
        self._hash = hash(name)
        self.armed = False

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self.armed:
            forbidden()
        return False


@pytest.mark.parametrize("name", ["tabs", "id", "type", "call_id"])
def test_keys_that_collide_are_not_compared(kit: Kit, name: str) -> None:
    key = Key(name)
    tab: dict[Any, Any] = {key: 1, **TAB}
    report: dict[Any, Any] = {key: 1, "tabs": [tab]}
    item: dict[Any, Any] = {key: 1, **call("click")}
    key.armed = True
    toolset = kit.toolset(kit.driver(state=lambda: report, click=lambda _action: None))
    assert payload(kit.execute(toolset, item))["ok"] is True


def test_subclasses_are_read_without_their_methods_where_they_are_taken(kit: Kit) -> None:
    tab = hostile(dict, {**TAB, "title": hostile(str, "Title")})
    driver = kit.driver(
        state=lambda: hostile(dict, {"tabs": [tab]}), click=lambda _action: hostile(str, "done")
    )
    output = payload(kit.execute(kit.toolset(driver), call("click")))
    assert output["result"] == "done"
    assert output["state"]["tabs"][0]["title"] == "Title"


def test_reports_take_exact_types_only(kit: Kit) -> None:
    for report in (
        hostile(dict, read()),
        read(text=hostile(str, "t")),
        read(elements=hostile(list)),
        read(version=hostile(int, 1)),
        read(version=True),
        read(version=1.0),
    ):
        driver = kit.driver(read_page=lambda _action, report=report: report)
        with pytest.raises(ContractError) as caught:
            kit.execute(kit.toolset(driver), call("read_page"))
        assert caught.value.code == "read_invalid"


def test_later_changes_by_the_driver_change_nothing(kit: Kit) -> None:
    report = read(elements=[{"ref": "e1", "role": "button", "label": "Go"}])

    def state() -> Any:
        report["elements"].clear()
        report["text"] = "changed"
        return {"tabs": [TAB]}

    states = iter([lambda: {"tabs": [TAB]}, state])
    driver = kit.driver(state=lambda: next(states)(), read_page=lambda _action: report)
    output = payload(kit.execute(kit.toolset(driver), call("read_page")))
    assert output["result"]["text"] == "t"
    assert len(output["result"]["elements"]) == 1


DEEP = 10_000
ARGUMENTS = {
    "10 MB of text": json.dumps({**CLICK, "target": "x" * 10_000_000}),
    "10 MB of fields": "{" + ",".join(f'"f{i}": {i}' for i in range(700_000)) + "}",
    "10,000 levels": '{"target": ' + "[" * DEEP + "]" * DEEP + ', "tab_id": null}',
    "10,000 levels in an unknown field": '{"x": ' + '{"x":' * DEEP + "1" + "}" * DEEP + "}",
    "not closed": "[" * 1_000_000,
    "NaN": '{"target": NaN, "tab_id": null}',
    "huge number": '{"target": ' + "9" * 100_000 + ', "tab_id": null}',
    "nothing": "",
    "two values": "{} {}",
    "a zero": '{"target": "\0", "tab_id": null}',
}


@pytest.mark.parametrize("text", ARGUMENTS.values(), ids=ARGUMENTS.keys())
def test_argument_text_may_be_anything(kit: Kit, text: str) -> None:
    done: list[Any] = []
    output = payload(kit.execute(kit.toolset(kit.driver(click=done.append)), call("click", text)))
    if text == ARGUMENTS["10 MB of text"]:
        # Long, but what the field may be.
        assert len(done[0]["target"]) == 10_000_000
    else:
        assert output["ok"] is False
        assert len(output["error"]) < 200
        assert done == []


def test_the_last_of_equal_names_counts(kit: Kit) -> None:
    done: list[Any] = []
    toolset = kit.toolset(kit.driver(click=done.append))
    kit.execute(toolset, call("click", '{"target": "a", "tab_id": null, "target": "b"}'))
    assert done == [{"target": "b", "tab_id": None}]


def test_unpaired_surrogates_pass_where_they_may(kit: Kit) -> None:
    tab = {**TAB, "title": "\ud800 title"}
    driver = kit.driver(state=lambda: {"tabs": [tab]}, click=lambda _action: "\udfff")
    contexts: list[Any] = []

    def confirm(context: Any) -> bool:
        contexts.append(context)
        return True

    output = kit.execute(kit.toolset(driver, confirm=confirm), call("click"))
    assert contexts[0]["state"]["tabs"][0]["title"] == "\ud800 title"
    assert payload(output)["result"] == "\udfff"
    output["output"][0]["text"].encode("utf-8")

    done: list[Any] = []
    toolset = kit.toolset(kit.driver(click=done.append))
    kit.execute(toolset, call("click", r'{"target": "\ud83d\ude00 \ud800", "tab_id": null}'))
    assert done == [{"target": "😀 \ud800", "tab_id": None}]


def test_nothing_is_left_behind() -> None:
    kit = Kit(asynchronous=False)
    threads = threading.active_count()
    limit = sys.getrecursionlimit()
    value = object()
    before = sys.getrefcount(value)
    driver = kit.driver(click=lambda _action: {"text": value, "extra": [value]})
    toolset = kit.toolset(driver)
    for _ in range(50):
        with pytest.raises(ContractError):
            toolset.execute(call("click"))
    assert sys.getrefcount(value) == before
    assert threading.active_count() == threads
    assert sys.getrecursionlimit() == limit
