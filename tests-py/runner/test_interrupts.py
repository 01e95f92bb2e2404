"""An interrupt at any instruction of a call or a run leaves everything free (B-50, R-6)."""

from __future__ import annotations

import sys
import threading
from types import FrameType
from typing import Any

import pytest

from api.kit import CLICK, Kit, call
from computer.scripted import Screen
from computer.scripted import call as computer_call
from runner.bench import Bench
from runner.endpoint import function_call, message, response
from runner.streams import events

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


def whole_run() -> Any:
    """A run with everything that a pump performs."""
    bench = Bench(KIT)
    screen, toolset = Screen(KIT), KIT.toolset()
    independent = bench.function(lambda _arguments: "", independent=True)
    runner = bench.runner(independent, browser=toolset, computer=screen.toolset)
    calls = [
        function_call("lookup"),
        function_call("browser_click", CLICK),
        computer_call(number=0),
    ]

    def work() -> None:
        client = bench.client(bench.stream(*events(*calls)), bench.stream(*events(message())))
        turns = bench.iterate(
            runner,
            client,
            stream=True,
            eager=True,
            on_event=lambda _event: None,
            before_early_call=lambda _call: "execute",
            context_budget={"max_input_bytes": 100_000, "max_input_images": 5},
            on_diagnostic=lambda _record: None,
        )
        assert len(turns) == 2
        toolset.execute(call("click"))

    return work


PUMP = [
    "iterate",
    "advance",
    "_drive",
    "_send",
    "_read",
    "_consult",
    "_start_function",
    "_await_function",
    "_answer",
    "_perform",
    "wait",
    "begin",
]


@pytest.mark.parametrize("name", PUMP)
def test_an_interrupt_at_any_instruction_of_a_pump_leaves_everything_free(name: str) -> None:
    work = whole_run()
    threads = threading.active_count()
    at = 0
    while interrupted(work, name, at) is not None:
        assert threading.active_count() == threads
        work()
        at += 1
    assert at > 3


@pytest.mark.parametrize("make", [browser_call, computer_call_alone, computer_run, run])
def test_an_interrupt_at_any_instruction_leaves_everything_free(make: Any) -> None:
    work, name = make()
    kept: list[Interrupt] = []  # with the frames in their tracebacks
    while (error := interrupted(work, name, len(kept))) is not None:
        kept.append(error)
        work()
    assert len(kept) > 50
