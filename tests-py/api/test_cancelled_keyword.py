"""``cancelled`` is passed by keyword to whatever has a parameter of that name (B-23)."""

from __future__ import annotations

import functools
from typing import Any

import pytest

from api.kit import CLICK, Kit, call
from swingbridge import BrowserToolset

NOT_GIVEN = object()


def is_cancelled() -> bool:
    return False


def test_state_methods_and_callbacks_get_it(kit: Kit) -> None:
    seen: dict[str, Any] = {}

    def state(*, cancelled: Any) -> Any:
        seen["state"] = cancelled
        return {"tabs": []}

    def navigate(_action: Any, *, cancelled: Any) -> None:
        seen["navigate"] = cancelled

    def confirm(_context: Any, *, cancelled: Any) -> bool:
        seen["confirm"] = cancelled
        return True

    def url_policy(_context: Any, _url: Any, *, cancelled: Any) -> bool:
        seen["url_policy"] = cancelled
        return True

    driver = kit.driver(state=state, navigate=navigate)
    toolset = kit.toolset(driver, confirm=confirm, url_policy=url_policy)
    names = {"state", "navigate", "confirm", "url_policy"}

    kit.execute(toolset, call("navigate"), cancelled=is_cancelled)
    assert seen == dict.fromkeys(names, is_cancelled)

    kit.execute(toolset, call("navigate"))
    assert seen == dict.fromkeys(names)


def required(action: Any, cancelled: Any) -> Any:
    return cancelled


def optional(action: Any, cancelled: Any = NOT_GIVEN) -> Any:
    return cancelled


def keyword(action: Any, *, cancelled: Any = NOT_GIVEN) -> Any:
    return cancelled


def plain(action: Any) -> Any:
    return NOT_GIVEN


def anything(action: Any, **options: Any) -> Any:
    return options.get("cancelled", NOT_GIVEN)


def positional(cancelled: Any, /) -> Any:
    return NOT_GIVEN if cancelled == CLICK else cancelled


def local(action: Any) -> Any:
    cancelled = NOT_GIVEN
    return [cancelled][0]


@functools.wraps(keyword)
def passes_on(*arguments: Any, **options: Any) -> Any:
    return keyword(*arguments, **options)


@functools.wraps(keyword)
def keeps_back(action: Any) -> Any:
    return keyword(action)


class Callable:
    def __call__(self, action: Any, cancelled: Any = NOT_GIVEN) -> Any:
        return cancelled


class Lying:
    """Its signature cannot be read."""

    __signature__ = "nothing of the kind"

    def __call__(self, action: Any) -> Any:
        return NOT_GIVEN


TAKES = {
    "required": required,
    "optional": optional,
    "keyword only": keyword,
    "wrapper that passes it on": passes_on,
    "partial": functools.partial(lambda _bound, _action, cancelled=None: cancelled, None),
    "partial that has a default for it": functools.partial(optional, cancelled=NOT_GIVEN),
    "callable object": Callable(),
    "bound method": Callable().__call__,
}
DOES_NOT = {
    "one parameter": plain,
    "any keyword": anything,
    "positional only": positional,
    "local variable of that name": local,
    "wrapper that keeps it back": keeps_back,
    "unreadable signature": Lying(),
}


@pytest.mark.parametrize("function", TAKES.values(), ids=TAKES.keys())
def test_these_get_it(function: Any) -> None:
    assert run(function) is is_cancelled


@pytest.mark.parametrize("function", DOES_NOT.values(), ids=DOES_NOT.keys())
def test_these_do_not(function: Any) -> None:
    assert run(function) is NOT_GIVEN


def run(function: Any) -> Any:
    seen: list[Any] = []

    class Driver:
        def state(self) -> Any:
            return {"tabs": []}

    driver = Driver()
    driver.click = Recording(function, seen)  # type: ignore[attr-defined]
    toolset = BrowserToolset(driver, members=["click"], confirm=lambda _context: True)
    toolset.execute(call("click"), cancelled=is_cancelled)
    return seen[0]


class Recording:
    """Hands calls on and notes what came back, with the signature of what it hands them to."""

    def __init__(self, function: Any, seen: list[Any]) -> None:
        self.__wrapped__ = function
        self._seen = seen

    def __call__(self, *arguments: Any, **options: Any) -> None:
        self._seen.append(self.__wrapped__(*arguments, **options))


def test_a_callback_that_is_put_in_later_is_looked_at_again(kit: Kit) -> None:
    seen: list[Any] = []

    def with_it(_context: Any, *, cancelled: Any) -> bool:
        seen.append(cancelled)
        return True

    def without_it(_context: Any) -> bool:
        seen.append("without")
        return True

    toolset = kit.toolset(confirm=without_it)
    for confirm in (without_it, with_it, without_it):
        toolset.confirm = kit.function(confirm)
        kit.execute(toolset, call("click"), cancelled=is_cancelled)
    assert seen == ["without", is_cancelled, "without"]
