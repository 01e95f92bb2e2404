"""A call ends with the driver and the callbacks that it began with (B-20, B-21)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from api.kit import CLICK, TAB, Kit, call
from runner.bench import Bench
from runner.endpoint import function_call, message, response
from swingbridge import BrowserError

NAVIGATE = call("navigate")


class Toolset:
    """A toolset that is pointed at other hosts at a place of its first call."""

    def __init__(self, kit: Kit, place: str) -> None:
        self.kit, self.place = kit, place
        self.log: list[str] = []
        self.toolset = kit.toolset(
            self.driver("first"),
            members=["navigate", "click"],
            confirm=self.consent("first", "confirm"),
            url_policy=self.consent("first", "url_policy"),
        )

    def driver(self, name: str) -> Any:
        return self.kit.driver(
            state=lambda: self.reach(name, "state", {"tabs": [TAB]}),
            navigate=lambda _action: self.reach(name, "act"),
            click=lambda _action: self.reach(name, "act"),
        )

    def consent(self, name: str, place: str) -> Any:
        return lambda *_context: self.reach(name, place, True)

    def reach(self, name: str, place: str, value: Any = None) -> Any:
        self.log.append(f"{name} {place}")
        if place == self.place:
            self.toolset.driver = self.driver("second")
            for consent in ("confirm", "url_policy"):
                plain = self.consent("second", consent)
                setattr(self.toolset, consent, self.kit.function(plain))
        return value

    def cancelled(self) -> bool:
        self.reach("caller", "cancelled")
        return False


PLACES = ("state", "confirm", "url_policy", "act", "cancelled")


@pytest.mark.parametrize("place", PLACES)
def test_a_change_counts_from_the_next_call_on(kit: Kit, place: str) -> None:
    made = Toolset(kit, place)
    kit.execute(made.toolset, NAVIGATE, cancelled=made.cancelled)
    hosts = [entry for entry in made.log if entry != "caller cancelled"]
    assert {entry.split()[1] for entry in hosts} == {"state", "confirm", "url_policy", "act"}
    assert {entry.split()[0] for entry in hosts} == {"first"}
    made.log.clear()
    made.place = ""
    kit.execute(made.toolset, NAVIGATE)
    assert {entry.split()[1] for entry in made.log} == {"state", "confirm", "url_policy", "act"}
    assert {entry.split()[0] for entry in made.log} == {"second"}


@pytest.mark.parametrize("place", ["state", "confirm", "act"])
@pytest.mark.parametrize("observed", [False, True])
def test_in_a_run_a_change_counts_from_the_next_call_on(
    kit: Kit, place: str, *, observed: bool
) -> None:
    made = Toolset(kit, place)
    bench = Bench(kit)
    calls = [function_call("browser_click", CLICK) for _ in range(2)]
    client = bench.client(response(*calls), response(message()))
    options = {"on_diagnostic": lambda _record: None} if observed else {}
    bench.run(bench.runner(browser=made.toolset), client, **options)
    acts = [entry for entry in made.log if entry.endswith(" act")]
    assert acts == ["first act", "second act"]
    at = made.log.index("first act")
    later = made.log.index("second confirm")
    assert {entry.split()[0] for entry in made.log[: at + 1]} == {"first"}
    assert {entry.split()[0] for entry in made.log[later:]} == {"second"}


@pytest.mark.parametrize("place", ["state", "click", "confirm"])
def test_an_error_that_throws_when_its_class_is_asked_for(kit: Kit, place: str) -> None:
    def throwing(_error: object) -> Any:
        raise ValueError("tr0ub4dor")

    odd: Any = type("Odd", (Exception,), {"__class__": property(throwing)})

    def reach(here: str, value: Any) -> Any:
        if here == place:
            raise odd
        return value

    driver = kit.driver(
        state=lambda: reach("state", {"tabs": [TAB]}), click=lambda _action: reach("click", None)
    )
    toolset = kit.toolset(driver, confirm=lambda _context: reach("confirm", True))
    if place == "state":
        with pytest.raises(Exception, match="the browser state could not be read"):
            kit.execute(toolset, call("click"))
    else:
        assert '"ok":false' in kit.execute(toolset, call("click"))["output"][0]["text"]


def test_unpaired_surrogates_in_a_drivers_words_are_passed_on(kit: Kit) -> None:
    def click(_action: Any) -> None:
        raise BrowserError("a\ud800b")

    output = kit.execute(kit.toolset(kit.driver(click=click)), call("click"))
    assert json.loads(output["output"][0]["text"])["error"] == "a\ud800b"
