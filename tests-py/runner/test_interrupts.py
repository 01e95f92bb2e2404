"""An interrupt at any instruction of a call or a run leaves everything free (B-50, R-6)."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

import pytest

from api.kit import CLICK, Kit, call
from computer.scripted import Screen
from computer.scripted import call as computer_call
from runner.bench import Bench
from runner.endpoint import function_call, message, response

KIT = Kit(asynchronous=False)


class Interrupt(BaseException):
    pass


def interrupted(work: Any, name: str, at: int) -> Interrupt | None:
    """Do ``work()`` and interrupt its function ``name`` before its instruction number ``at``."""
    left = at

    def trace(frame: FrameType, event: str, _argument: object) -> Any:
        nonlocal left
        if frame.f_code.co_name != name or "swingbridge" not in frame.f_code.co_filename:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            left -= 1
            if left < 0:
                sys.settrace(None)
                raise Interrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    except Interrupt as error:
        return error
    finally:
        sys.settrace(before)
    return None


def browser_call() -> tuple[Any, str]:
    toolset = KIT.toolset()
    return lambda: toolset.execute(call("click")), "execute"


def computer_call_alone() -> tuple[Any, str]:
    screen = Screen(KIT)
    return lambda: screen.toolset.execute(computer_call()), "execute"


def computer_run() -> tuple[Any, str]:
    screen, bench = Screen(KIT), Bench(KIT)

    def work() -> None:
        bench.run(screen.toolset, bench.client(response(computer_call()), response(message())))

    return work, "run"


def run() -> tuple[Any, str]:
    bench = Bench(KIT)
    toolset = KIT.toolset()
    runner = bench.runner(browser=toolset)

    def work() -> None:
        item = function_call("browser_click", CLICK)
        bench.run(runner, bench.client(response(item), response(message())))
        toolset.execute(call("click"))

    return work, "run"


@pytest.mark.parametrize("make", [browser_call, computer_call_alone, computer_run, run])
def test_an_interrupt_at_any_instruction_leaves_everything_free(make: Any) -> None:
    work, name = make()
    kept: list[Interrupt] = []  # with the frames in their tracebacks
    while (error := interrupted(work, name, len(kept))) is not None:
        kept.append(error)
        work()
    assert len(kept) > 50
