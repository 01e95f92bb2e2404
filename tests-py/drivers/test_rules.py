"""The rules of a driver that need no browser."""

from __future__ import annotations

from typing import Any

import pytest

from swingbridge import BrowserCancelledError, BrowserError
from swingbridge.drivers._keys import key_presses
from swingbridge.drivers._observation import ObservationLog
from swingbridge.drivers._plan import Plan, Step, drive, drive_async
from swingbridge.drivers._reports import parse_answer, read_report
from swingbridge.drivers._tabs import TabTable


@pytest.mark.parametrize(
    ("keys", "presses"),
    [
        (["Enter"], ["Enter"]),
        (["Return"], ["Enter"]),
        (["Esc"], ["Escape"]),
        (["Del"], ["Delete"]),
        (["PgDn"], ["PageDown"]),
        (["Page_Up"], ["PageUp"]),
        (["page down"], ["PageDown"]),
        (["left"], ["ArrowLeft"]),
        (["f5"], ["F5"]),
        (["F12"], ["F12"]),
        (["a"], ["a"]),
        (["A"], ["A"]),
        (["7"], ["7"]),
        ([" "], ["Space"]),
        (["+"], ["+"]),
        (["plus"], ["+"]),
        (["Control", "A"], ["Control+KeyA"]),
        (["Ctrl+a"], ["Control+KeyA"]),
        (["CTRL", "SHIFT", "t"], ["Control+Shift+KeyT"]),
        (["Shift", "1"], ["Shift+Digit1"]),
        (["Shift+/"], ["Shift+Slash"]),
        (["Cmd", "Option", "Space"], ["Meta+Alt+Space"]),
        (["Win+d"], ["Meta+KeyD"]),
        (["Control++"], ["Control++"]),
        (["Control", "+"], ["Control++"]),
        (["Control", "Control", "x"], ["Control+KeyX"]),
        (["Control", "k", "Control", "c"], ["Control+KeyK", "Control+KeyC"]),
        (["Tab", "Enter"], ["Tab", "Enter"]),
        (["Shift"], ["Shift"]),
        (["Control", "Shift"], ["Control+Shift"]),
    ],
)
def test_key_names(keys: list[str], presses: list[str]) -> None:
    assert key_presses(keys) == presses


@pytest.mark.parametrize("keys", [["Hyper"], [""], ["ab"], ["Control+Nope"], ["\x00"]])
def test_unknown_keys_are_refused_with_the_spellings(keys: list[str]) -> None:
    with pytest.raises(BrowserError, match=r"F1 to F24.*Control, Alt.*Enter, Escape"):
        key_presses(keys)


@pytest.mark.parametrize("keys", [["F13"], ["Control", "é"], ["é"]])
def test_keys_that_a_page_has_not_are_refused(keys: list[str]) -> None:
    with pytest.raises(BrowserError, match=r"as text|for text"):
        key_presses(keys)


def test_key_combinations_have_a_size() -> None:
    letters = [chr(ord("a") + index) for index in range(17)]
    assert len(key_presses(letters[:16])) == 16
    for keys in ([], letters):
        with pytest.raises(BrowserError):
            key_presses(keys)


def test_an_unknown_key_is_not_quoted() -> None:
    with pytest.raises(BrowserError) as caught:
        key_presses(["Enter", "x\n" * 500])
    assert "key 2" in str(caught.value)
    assert len(str(caught.value)) < 500
    assert "x\n" not in str(caught.value)


def test_observations_are_numbered_and_detached() -> None:
    log = ObservationLog(limit=2)
    log.tab("tab_opened", "t")
    first = log.report(title_truncated=False)
    log.dialog("alert", "t")
    log.dialog("custom", "t")
    log.refused("policy", None)
    log.download("blocked", None)
    assert first["changes"] == [{"sequence": 1, "type": "tab_opened", "tab_id": "t"}]
    report = log.report(title_truncated=True)
    assert report == {
        "version": 1,
        "sequence": 5,
        "dropped_changes": 3,
        "title_truncated": True,
        "changes": [
            {"sequence": 4, "type": "navigation_refused", "tab_id": None, "reason": "policy"},
            {"sequence": 5, "type": "download", "tab_id": None, "status": "blocked"},
        ],
    }
    report["changes"].clear()
    assert len(log.report(title_truncated=True)["changes"]) == 2


def test_the_tab_table_remembers_who_was_active() -> None:
    table = TabTable()
    one, two, three = (table.add(page) for page in "abc")
    assert table.active is one
    table.activate(one)
    table.activate(three)
    assert not table.activate(three)
    assert table.remove(three) is one
    assert table.remove(two) is None
    assert table.add("d").id == "tab-4"
    assert table.of("b") is None
    assert table.named("tab-1") is one
    assert table.named(None) is one


def report(**changes: Any) -> dict[str, Any]:
    return {"version": 1, "text": "t", "elements": [], "omitted": [], **changes}


def element(**changes: Any) -> dict[str, Any]:
    return {"ref": "g1-e1", "role": "button", "label": "Go", **changes}


def test_good_reports_keep_known_fields_only() -> None:
    option = {"label": "A", "value": "", "selected": True}
    source = report(
        elements=[
            element(
                role="listbox", value="v", options=[{**option, "more": 1}], checked=False, more=1
            )
        ],
        omitted=["private", "made_up", "private"],
        more=1,
    )
    assert read_report(source) == {
        "version": 1,
        "text": "t",
        "elements": [element(role="listbox", value="v", options=[option], checked=False)],
        "omitted": ["private"],
    }


@pytest.mark.parametrize(
    "bad",
    [
        {},
        report(text=None),
        report(text="\ud800"),
        report(elements={}),
        report(omitted="private"),
        report(elements=[None]),
        report(elements=[element(), element()]),
        report(elements=[element(ref="#go")]),
        report(elements=[element(ref=1)]),
        report(elements=[element(role="link")]),
        report(elements=[element(label="")]),
        report(elements=[element(label="é" * 129)]),
        report(elements=[element(value=1)]),
        report(elements=[element(value="a" * 513)]),
        report(elements=[element(options={})]),
        report(elements=[element(options=[{"label": "", "value": ""}])]),
        report(elements=[element(options=[{"label": "a", "value": None}])]),
        report(elements=[element(options=[{"label": "a", "value": "", "selected": 1}])]),
        report(elements=[element(checked="true")]),
    ],
)
def test_bad_reports_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(BrowserError, match="interferes"):
        read_report(bad)


@pytest.mark.parametrize("text", [None, 1, "", "x", "[]", "1", '"x"'])
def test_answers_are_objects(text: object) -> None:
    with pytest.raises(BrowserError, match="interferes"):
        parse_answer(text)


def steps(log: list[str]) -> Plan[str]:
    try:
        for number in range(3):
            log.append((yield Step(f"call {number}".strip)))
    finally:
        log.append((yield Step(lambda: "clean-up")))
    return "result"


def test_a_plan_is_driven_to_its_result() -> None:
    log: list[str] = []
    assert drive(steps(log)) == "result"
    assert log == ["call 0", "call 1", "call 2", "clean-up"]


def test_cancellation_comes_between_steps_and_spares_the_clean_up() -> None:
    log: list[str] = []
    with pytest.raises(BrowserCancelledError):
        drive(steps(log), lambda: len(log) == 2)
    assert log == ["call 0", "call 1", "clean-up"]


def test_a_failure_is_given_to_the_plan() -> None:
    def failing() -> Any:
        raise KeyError("x")

    def plan() -> Plan[str]:
        try:
            yield Step(failing)
        except KeyError:
            return "handled"
        return "missed"

    assert drive(plan()) == "handled"


@pytest.mark.asyncio
async def test_the_async_loop_does_the_same() -> None:
    async def call() -> str:
        return "value"

    def plan() -> Plan[list[str]]:
        first = yield Step(call)
        second = yield Step(call)
        return [first, second]

    assert await drive_async(plan()) == ["value", "value"]
    with pytest.raises(BrowserCancelledError):
        await drive_async(plan(), lambda: True)
