"""The sync class takes sync drivers, the async class async ones (B-6)."""

from __future__ import annotations

import asyncio
import gc
import warnings
from typing import Any

import pytest

from api.flavours import ASYNC, OPAQUE, SYNC, awaitable, future
from api.kit import Kit, call, payload
from swingbridge import (
    AsyncBrowserToolset,
    AsyncRegisteredFunction,
    BrowserToolset,
    ConfigurationError,
    ContractError,
    RegisteredFunction,
)


def named(cases: dict[str, Any]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("method", cases.values(), ids=cases.keys())


async def approve(_context: Any) -> bool:
    return True


def make_sync(method: Any) -> BrowserToolset:
    driver: Any = type("Driver", (), {"state": lambda _self: {"tabs": []}, "click": method})()
    return BrowserToolset(driver, members=["click"], confirm=lambda _context: True)


def make_async(method: Any) -> AsyncBrowserToolset:
    async def state(_self: Any) -> Any:
        return {"tabs": []}

    driver: Any = type("Driver", (), {"state": state, "click": method})()
    return AsyncBrowserToolset(driver, members=["click"], confirm=approve)


@named(ASYNC)
def test_the_sync_class_refuses_what_is_async(method: Any) -> None:
    with pytest.raises(ConfigurationError, match="click is asynchronous") as caught:
        make_sync(method)
    assert caught.value.code == "flavour_mismatch"
    make_async(method)


@named(SYNC)
def test_the_async_class_refuses_what_is_sync(method: Any) -> None:
    with pytest.raises(ConfigurationError, match="click is not asynchronous") as caught:
        make_async(method)
    assert caught.value.code == "flavour_mismatch"
    make_sync(method)


@named(OPAQUE)
def test_both_take_what_only_a_call_can_tell(method: Any) -> None:
    make_sync(method)
    make_async(method)


def test_the_state_and_the_callbacks_are_looked_at_too() -> None:
    class AsyncState:
        async def state(self) -> Any: ...

    class SyncState:
        def state(self) -> None: ...

    with pytest.raises(ConfigurationError, match="state is asynchronous"):
        BrowserToolset(AsyncState())  # type: ignore[call-overload]
    with pytest.raises(ConfigurationError, match="state is not asynchronous"):
        AsyncBrowserToolset(SyncState())  # type: ignore[call-overload]
    with pytest.raises(ConfigurationError, match="confirm is asynchronous"):
        BrowserToolset(SyncState(), confirm=approve)  # type: ignore[call-overload]
    with pytest.raises(ConfigurationError, match="url_policy is asynchronous"):
        BrowserToolset(SyncState(), url_policy=approve)  # type: ignore[call-overload]


def test_members_that_are_not_selected_are_not_looked_at() -> None:
    class Mixed:
        def state(self) -> Any:
            return {"tabs": []}

        def click(self, action: Any) -> None: ...
        async def hover(self, action: Any) -> None: ...

    BrowserToolset(Mixed(), members=["click"], confirm=lambda _context: True)
    with pytest.raises(ConfigurationError, match="hover"):
        BrowserToolset(Mixed(), confirm=lambda _context: True)


def test_registered_functions_are_looked_at() -> None:
    async def asynchronous(arguments: Any) -> str:
        return ""

    def synchronous(arguments: Any) -> str:
        return ""

    RegisteredFunction({}, synchronous)
    AsyncRegisteredFunction({}, asynchronous)
    with pytest.raises(ConfigurationError, match="execute is asynchronous"):
        RegisteredFunction({}, asynchronous)  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match="execute is not asynchronous"):
        AsyncRegisteredFunction({}, synchronous)  # type: ignore[arg-type]


class Stray:
    """An awaitable that notes how it was ended."""

    def __init__(self) -> None:
        self.ended: list[str] = []

    def __await__(self) -> Any:
        raise AssertionError

    def close(self) -> None:
        self.ended.append("close")


def test_a_stray_coroutine_is_closed_and_the_call_stops() -> None:
    async def never() -> None:
        raise AssertionError

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        toolset = make_sync(lambda _self, _action: never())
        with pytest.raises(ContractError, match="click returned an awaitable") as caught:
            toolset.execute(call("click"))
        gc.collect()
    assert caught.value.code == "result_invalid"
    assert toolset.close() == {"status": "closed"}


def test_a_stray_awaitable_is_closed_and_a_stray_future_cancelled() -> None:
    stray = Stray()
    with pytest.raises(ContractError):
        make_sync(lambda _self, _action: stray).execute(call("click"))
    assert stray.ended == ["close"]

    loop = asyncio.new_event_loop()
    future: asyncio.Future[None] = loop.create_future()
    with pytest.raises(ContractError):
        make_sync(lambda _self, _action: future).execute(call("click"))
    loop.close()
    assert future.cancelled()


def test_closing_that_fails_changes_nothing() -> None:
    class Unclosable(Stray):
        def close(self) -> None:
            raise OSError

    with pytest.raises(ContractError, match="click returned an awaitable"):
        make_sync(lambda _self, _action: Unclosable()).execute(call("click"))


def test_a_stray_coroutine_of_a_callback_refuses_and_is_closed() -> None:
    toolset = make_sync(lambda _self, _action: pytest.fail("not approved"))
    toolset.confirm = lambda context: approve(context)  # type: ignore[assignment, return-value]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        output = toolset.execute(call("click"))
        gc.collect()
    assert payload(output)["ok"] is False


def test_a_stray_coroutine_of_state_stops() -> None:
    class Driver:
        def state(self) -> Any:
            return approve(None)

    toolset = BrowserToolset(Driver())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ContractError, match="state returned an awaitable"):
            toolset.execute(call("list_tabs"))
        gc.collect()


def test_the_async_class_stops_at_what_is_no_awaitable() -> None:
    toolset = make_async(lambda _self, _action: "done")
    with pytest.raises(ContractError, match="click returned no awaitable") as caught:
        asyncio.run(toolset.execute(call("click")))
    assert caught.value.code == "result_invalid"

    toolset.confirm = lambda _context: True  # type: ignore[assignment, return-value]
    output = asyncio.run(toolset.execute(call("click")))
    assert payload(output)["ok"] is False


@pytest.mark.parametrize("method", [awaitable, future], ids=["Awaitable", "Future"])
def test_the_async_class_takes_any_awaitable(method: Any) -> None:
    class Ready:
        def __await__(self) -> Any:
            return iter(())

    toolset = make_async(lambda _self, _action: Ready())
    assert payload(asyncio.run(toolset.execute(call("click"))))["ok"] is True


def test_callbacks_must_be_callable(kit: Kit) -> None:
    kind = AsyncBrowserToolset if kit.asynchronous else BrowserToolset
    with pytest.raises(ConfigurationError, match="confirm must be callable") as caught:
        kind(kit.driver(), confirm=5)  # type: ignore[call-overload]
    assert caught.value.code == "not_callable"
