"""Records for an observer, and an observer that misbehaves (B-52)."""

from __future__ import annotations

import gc
import warnings
from typing import Any

import pytest

from api.kit import Kit, call, payload
from swingbridge import BrowserError, ContractError

SECRET = "tr0ub4dor"


def stages(records: list[Any]) -> list[tuple[str, str]]:
    return [(record["stage"], record["reason"]) for record in records]


def test_a_record_has_exactly_these_fields(kit: Kit) -> None:
    records: list[Any] = []
    kit.execute(kit.toolset(), call("click"), on_diagnostic=records.append)
    assert stages(records) == [("approval", "completed"), ("action", "completed")]
    for record in records:
        assert type(record) is dict
        assert list(record) == [
            "api",
            "stage",
            "reason",
            "call_id",
            "member",
            "duration_ms",
            "usage",
        ]
        assert record["api"] == "browser"
        assert record["call_id"] == "call_1"
        assert record["member"] == "click"
        assert record["usage"] is None
        assert type(record["duration_ms"]) is float
        assert record["duration_ms"] >= 0


def fail(error: Exception) -> Any:
    def method(_argument: Any) -> Any:
        raise error

    return method


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"confirm": lambda _context: False}, [("approval", "refused")]),
        ({"confirm": fail(OSError(SECRET))}, [("approval", "policy_failed")]),
        (
            {"click": fail(OSError(SECRET))},
            [("approval", "completed"), ("action", "driver_failed")],
        ),
        (
            {"click": fail(BrowserError(SECRET))},
            [("approval", "completed"), ("action", "driver_failed")],
        ),
    ],
)
def test_each_outcome_has_its_reason(
    kit: Kit, options: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    records: list[Any] = []
    given = {"click": lambda _action: None, "confirm": lambda _context: True, **options}
    toolset = kit.toolset(kit.driver(click=given["click"]), confirm=given["confirm"])
    item = call("click", {"target": SECRET, "tab_id": SECRET})
    kit.execute(toolset, item, on_diagnostic=records.append)
    assert stages(records) == expected
    assert SECRET not in repr(records)


def test_bad_arguments_and_bad_results_have_records(kit: Kit) -> None:
    records: list[Any] = []
    kit.execute(kit.toolset(), call("click", "{"), on_diagnostic=records.append)
    assert stages(records) == [("arguments", "invalid_input")]

    records.clear()
    toolset = kit.toolset(kit.driver(click=lambda _action: 5))
    with pytest.raises(ContractError):
        kit.execute(toolset, call("click"), on_diagnostic=records.append)
    assert stages(records) == [("approval", "completed"), ("output", "invalid_output")]


class Unreadable:
    def __getattribute__(self, name: str) -> Any:
        raise OSError(name)


@pytest.mark.parametrize(
    "observer", [fail(ValueError("x")), lambda: None, 5, lambda _record: Unreadable()]
)
def test_what_an_observer_does_wrong_changes_nothing(kit: Kit, observer: Any) -> None:
    output = kit.execute(kit.toolset(), call("click"), on_diagnostic=observer)
    assert payload(output)["ok"] is True


def test_a_coroutine_of_an_observer_is_closed(kit: Kit) -> None:
    async def observer(_record: Any) -> None:
        raise AssertionError

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        output = kit.execute(kit.toolset(), call("click"), on_diagnostic=observer)
        gc.collect()
    assert payload(output)["ok"] is True


def test_editing_a_record_changes_nothing(kit: Kit) -> None:
    output = kit.execute(kit.toolset(), call("click"), on_diagnostic=dict.clear)
    assert payload(output)["ok"] is True


def test_an_observer_may_end_the_program(kit: Kit) -> None:
    def observer(_record: Any) -> None:
        raise KeyboardInterrupt

    toolset = kit.toolset()
    with pytest.raises(KeyboardInterrupt):
        kit.execute(toolset, call("click"), on_diagnostic=observer)
    assert payload(kit.execute(toolset, call("click")))["ok"] is True


def test_a_switch_that_the_observer_throws_counts(kit: Kit) -> None:
    switch: list[Any] = []
    toolset = kit.toolset(kit.driver(click=pytest.fail))
    with pytest.raises(RuntimeError) as caught:
        kit.execute(
            toolset,
            call("click"),
            on_diagnostic=switch.append,
            cancelled=lambda: bool(switch),
        )
    # The consent was given and recorded, but the driver was not called.
    assert caught.value.code in {"cancelled_before_effect", "cancelled_effect_unknown"}  # type: ignore[attr-defined]
