"""One call at a time, and none after closing (B-50)."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from typing import Any

import pytest

from api.kit import TAB, Kit, call, payload
from swingbridge import BusyError, ClosedError

ALL = ("state", "url_policy", "confirm", "navigate", "observer", "cancelled")


def toolset_that_calls(kit: Kit, place: str, inside: Any) -> tuple[Any, dict[str, Any]]:
    """A toolset and the options of ``execute`` with ``inside()`` run once, at ``place``."""
    left = [None]

    def reach(here: str) -> None:
        if here == place and left:
            left.pop()
            inside()

    def state() -> Any:
        reach("state")
        return {"tabs": [TAB]}

    def navigate(_action: Any) -> None:
        reach("navigate")

    def confirm(_context: Any) -> bool:
        reach("confirm")
        return True

    def url_policy(_context: Any, _url: Any) -> bool:
        reach("url_policy")
        return True

    def cancelled() -> bool:
        reach("cancelled")
        return False

    driver = kit.driver(state=state, navigate=navigate)
    toolset = kit.toolset(driver, confirm=confirm, url_policy=url_policy)
    options = {"cancelled": cancelled, "on_diagnostic": lambda _record: reach("observer")}
    return toolset, options


@pytest.mark.parametrize("place", ALL)
def test_close_inside_a_callback_lets_the_call_end(kit: Kit, place: str) -> None:
    statuses: list[Any] = []
    toolset: Any
    toolset, options = toolset_that_calls(kit, place, lambda: statuses.append(toolset.close()))

    output = kit.execute(toolset, call("navigate"), **options)

    assert statuses == [{"status": "draining"}]
    assert payload(output)["ok"] is True
    assert toolset.close() == {"status": "closed"}
    with pytest.raises(ClosedError) as caught:
        kit.execute(toolset, call("navigate"))
    assert caught.value.code == "closed"


@pytest.mark.parametrize("place", ALL)
def test_a_call_inside_a_callback_is_refused(kit: Kit, place: str) -> None:
    refusals: list[Any] = []
    toolset: Any

    def inside() -> None:
        try:
            # Not awaited in the async flavour: it must be refused before it begins.
            attempt = toolset.execute(call("navigate"))
            if kit.asynchronous:
                attempt.send(None)
        except BusyError as error:
            refusals.append(error.code)

    toolset, options = toolset_that_calls(kit, place, inside)
    assert payload(kit.execute(toolset, call("navigate"), **options))["ok"] is True
    assert refusals == ["busy"]
    assert payload(kit.execute(toolset, call("navigate"), **options))["ok"] is True


def test_closing_twice_says_the_same(kit: Kit) -> None:
    toolset = kit.toolset()
    assert toolset.close() == {"status": "closed"}
    assert toolset.close() == {"status": "closed"}


def test_a_closed_toolset_touches_nothing(kit: Kit) -> None:
    toolset = kit.toolset(kit.driver(state=pytest.fail, click=pytest.fail))
    toolset.close()
    records: list[Any] = []
    with pytest.raises(ClosedError):
        kit.execute(toolset, call("click"), on_diagnostic=records.append)
    assert records == []


def test_overlapping_calls_of_many_threads_run_one_at_a_time(kit: Kit) -> None:
    inside = threading.Event()
    go_on = threading.Event()

    def click(_action: Any) -> None:
        inside.set()
        assert go_on.wait(30)

    toolset = kit.toolset(kit.driver(click=click))
    results: Counter[str] = Counter()

    def attempt() -> None:
        try:
            results[str(payload(kit.execute(toolset, call("click")))["ok"])] += 1
        except BusyError:
            results["busy"] += 1

    first = threading.Thread(target=attempt)
    first.start()
    assert inside.wait(30)
    others = [threading.Thread(target=attempt) for _ in range(15)]
    for thread in others:
        thread.start()
    for thread in others:
        thread.join(30)
    go_on.set()
    first.join(30)

    assert results == {"busy": 15, "True": 1}
    assert payload(kit.execute(toolset, call("click")))["ok"] is True


def test_overlapping_tasks_run_one_at_a_time() -> None:
    kit = Kit(asynchronous=True)

    async def main() -> list[Any]:
        hold = asyncio.Event()

        class Driver:
            async def state(self) -> Any:
                await hold.wait()
                return {"tabs": []}

        toolset = kit.toolset(Driver())
        first = asyncio.create_task(toolset.execute(call("list_tabs")))
        await asyncio.sleep(0)
        second = asyncio.create_task(toolset.execute(call("list_tabs")))
        await asyncio.sleep(0)
        hold.set()
        return list(await asyncio.gather(first, second, return_exceptions=True))

    first, second = asyncio.run(main())
    assert payload(first)["ok"] is True
    assert isinstance(second, BusyError)
