"""The native classes keep the driving law whoever drives them (docs/driving.md)."""

from __future__ import annotations

import threading
from collections import Counter
from typing import Any

import pytest

from api.kit import call
from swingbridge import BusyError, ClosedError, MisuseError
from swingbridge._core import (
    ACT,
    CONFIRM,
    EMIT,
    OUTPUT,
    READ_STATE,
    STOPPED,
    BrowserCall,
    BrowserSession,
    Run,
    RunnerSession,
    browser_members,
)

STATE: dict[str, list[object]] = {"tabs": []}


def session() -> BrowserSession:
    return BrowserSession(["state", "click"], ["click"], None, None, True, False)


def begun(observed: bool = False) -> tuple[BrowserCall, Any]:
    return session().begin(call("click"), observed, 0, False)


def test_a_call_asks_in_this_order() -> None:
    machine, ask = begun()
    assert ask == (READ_STATE, 0)
    ask = machine.answer_value(0, STATE, False, 0)
    assert ask[:2] == (CONFIRM, 1)
    ask = machine.answer_verdict(1, True, False, 0)
    assert ask == (ACT, 2, "click", {"target": "e1", "tab_id": None})
    ask = machine.answer_value(2, None, False, 0)
    assert ask == (READ_STATE, 3)
    ask = machine.answer_value(3, STATE, False, 0)
    assert ask[:2] == (OUTPUT, 4)


def misuses(machine: BrowserCall, identity: int) -> list[Any]:
    return [
        lambda: machine.answer_value(identity, STATE, False, 0),
        lambda: machine.answer_verdict(identity, True, False, 0),
        lambda: machine.answer_seen(identity, False, 0),
        lambda: machine.answer_failed(identity, None, False, 0),
        lambda: machine.answer_cancelled(identity, 0),
    ]


def test_another_id_is_refused_and_the_right_one_still_taken() -> None:
    machine, _ = begun()
    for wrong in (1, 2**63):
        for answer in misuses(machine, wrong):
            with pytest.raises(MisuseError) as caught:
                answer()
            assert caught.value.code == "wrong_ask"
    assert machine.answer_value(0, STATE, False, 0)[0] == CONFIRM


def test_a_second_answer_is_refused() -> None:
    machine, _ = begun()
    machine.answer_value(0, STATE, False, 0)
    with pytest.raises(MisuseError):
        machine.answer_value(0, STATE, False, 0)


def test_the_wrong_kind_is_refused() -> None:
    machine, _ = begun()
    for answer in misuses(machine, 0)[1:3]:
        with pytest.raises(MisuseError) as caught:
            answer()
        assert caught.value.code == "wrong_answer_kind"


def test_the_end_takes_no_answer() -> None:
    machine, _ = begun()
    ask = machine.answer_cancelled(0, 0)
    assert ask[0] == STOPPED
    for answer in misuses(machine, ask[1])[:1]:
        with pytest.raises(MisuseError) as caught:
            answer()
        assert caught.value.code == "machine_ended"


def test_a_record_is_asked_for_only_if_somebody_observes() -> None:
    machine, _ = begun(observed=True)
    machine.answer_value(0, STATE, False, 1_000)
    ask = machine.answer_verdict(1, True, False, 3_500)
    assert ask[0] == EMIT
    assert ask[2]["duration_ms"] == 2.5


@pytest.mark.parametrize("identity", [-1, 2**64, 1.0, "0", None])
def test_what_is_no_id_is_a_type_or_value_error(identity: Any) -> None:
    machine, _ = begun()
    with pytest.raises((TypeError, OverflowError)):
        machine.answer_value(identity, STATE, False, 0)
    assert machine.answer_value(0, STATE, False, 0)[0] == CONFIRM


def test_threads_that_answer_one_ask_get_it_once() -> None:
    machine, _ = begun()
    results: Counter[str] = Counter()
    barrier = threading.Barrier(16)

    def answer() -> None:
        barrier.wait(30)
        try:
            machine.answer_value(0, STATE, False, 0)
            results["taken"] += 1
        except (MisuseError, BusyError):
            results["refused"] += 1

    threads = [threading.Thread(target=answer) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert results == {"taken": 1, "refused": 15}


def test_a_session_is_entered_by_one() -> None:
    gate = session()
    with gate.enter(), pytest.raises(BusyError):
        gate.enter()
    with gate.enter():
        assert gate.close() == "draining"
    with pytest.raises(ClosedError):
        gate.enter()


def test_work_that_is_let_go_of_before_its_block_is_over() -> None:
    gate = session()
    gate.enter()  # an interrupt came before `with` had it
    with gate.enter():
        pass
    earlier = gate.enter()
    with earlier:
        pass
    with gate.enter():
        del earlier  # it is over already and ends nothing else
        with pytest.raises(BusyError):
            gate.enter()


def test_the_classes_are_frozen_and_cannot_be_made_by_hand() -> None:
    for kind in (BrowserCall, Run):
        with pytest.raises(TypeError):
            kind()
    things: list[Any] = [session(), RunnerSession(None, [])]
    for thing in things:
        with pytest.raises(AttributeError):
            thing.something = 1


def test_the_members_are_those_of_the_table() -> None:
    assert len(browser_members()) == len(set(browser_members())) == 28
