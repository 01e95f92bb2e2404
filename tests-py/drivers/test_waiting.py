"""Nothing waits for ever, and waiting can be cancelled (B-51)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import pytest

from drivers.rig import Browser, Calls, Rig
from drivers.site import Response, Site
from swingbridge import BrowserCancelledError, BrowserError


def later(rig: Rig, script: str) -> None:
    rig.eval(f"() => {{ setTimeout(() => {{ {script} }}, 150) }}")


def after(calls: int) -> Callable[[], bool]:
    """True from the given question on."""
    asked = iter(range(10_000))
    return lambda: next(asked) >= calls


def test_wait_for_sees_text_when_it_comes(rig: Rig) -> None:
    rig.open("<p></p><b style='display: none'>  never  </b>")
    later(rig, "document.querySelector('p').innerHTML = 'all <i>is</i>\\n  well'")
    assert rig.call("wait_for", text="  all is   well ", timeout_ms=5000) is None


def test_wait_for_gives_up(rig: Rig) -> None:
    rig.open("<b style='display: none'>never</b><input value=never>")
    start = time.monotonic()
    with pytest.raises(BrowserError, match="did not become visible in time"):
        rig.call("wait_for", text="never", timeout_ms=300)
    # The clocks of the two processes may differ by a tick.
    assert 0.29 <= time.monotonic() - start < 3


def test_wait_for_looks_at_least_once(rig: Rig) -> None:
    rig.open("<p>here</p>")
    rig.call("wait_for", text="here", timeout_ms=1)


def test_wait_for_follows_a_navigation(rig: Rig) -> None:
    rig.site.pages["/next"] = "<p>arrived</p>"
    rig.open("<p>start</p>")
    later(rig, "location.href = '/next'")
    rig.call("wait_for", text="arrived", timeout_ms=5000)


def test_wait_for_is_cancelled_between_looks(rig: Rig) -> None:
    rig.open("<p></p>")
    start = time.monotonic()
    with pytest.raises(BrowserCancelledError):
        rig.call("wait_for", after(6), text="never", timeout_ms=30_000)
    assert time.monotonic() - start < 5


@pytest.mark.parametrize(
    "member", ["read_page", "click", "type", "key", "screenshot", "navigate", "new_tab"]
)
def test_a_cancelled_operation_does_nothing(rig: Rig, member: str) -> None:
    rig.open(
        "<button onclick='window.clicks = 1'>b</button><input aria-label=in oninput='window.clicks = 1'>"
    )
    calls: Calls = {
        "read_page": {"filter": "all"},
        "click": {"target": rig.ref("b")},
        "type": {"target": rig.ref("in"), "text": "x"},
        "key": {"keys": ["Tab"]},
        "screenshot": {},
        "navigate": {"url": rig.site.url("/page?again")},
        "new_tab": {"url": None},
    }
    before = rig.state()
    with pytest.raises(BrowserCancelledError):
        rig.call(member, lambda: True, **calls[member])
    assert rig.state() == before
    assert rig.eval("() => window.clicks ?? null") is None


def test_long_entries_are_cancelled_on_the_way(rig: Rig) -> None:
    rig.open("<textarea autofocus aria-label=t></textarea>")
    rig.call("click", target=rig.ref("t"))
    with pytest.raises(BrowserCancelledError):
        rig.call("type", after(12), target=None, text="x" * 2000)
    assert 0 < len(rig.read()["elements"][0]["value"]) < 2000


@pytest.fixture
def gate(site: Site) -> Iterator[threading.Event]:
    """Holds back the answer for /slow until it is set."""
    gate = threading.Event()

    def respond() -> Response:
        gate.wait(20)
        return {"content-type": "text/html"}, b"<p>slow</p>"

    site.pages["/slow"] = respond
    yield gate
    gate.set()


def test_navigation_is_bounded(browser: Browser, site: Site, gate: threading.Event) -> None:
    rig = Rig(browser, site, navigation_timeout_ms=300)
    with pytest.raises(BrowserError, match="did not answer in time"):
        rig.call("navigate", url=site.url("/slow"))
    assert rig.state()["tabs"][0]["url"] == "about:blank"
    rig.do(rig.context.close)


def test_async_navigation_is_stopped_by_cancellation(rig: Rig, gate: threading.Event) -> None:
    if rig.browser.flavour == "sync":
        # The sync classes cannot look at `cancelled` while Playwright waits: the limit of navigation applies.
        rig.driver = rig.browser.driver(rig.context, navigation_timeout_ms=300)
        with pytest.raises((BrowserError, BrowserCancelledError)):
            rig.call("navigate", after(1), url=rig.site.url("/slow"))
        return
    rig.open("<p>before</p>")
    start = time.monotonic()
    with pytest.raises(BrowserCancelledError):
        rig.call("navigate", after(3), url=rig.site.url("/slow"))
    assert time.monotonic() - start < 5
    gate.set()
    assert rig.read()["text"] == "before"
    assert rig.state()["tabs"][0]["url"] == rig.site.url("/page")


def test_a_page_that_hangs_does_not_hold_the_driver(rig: Rig) -> None:
    rig.open("<title>Busy</title><button onclick='for (;;);'>Hang</button>")
    ref = rig.ref("Hang")
    rig.call("new_tab", url=None)
    start = time.monotonic()
    hang = rig.browser.driver(rig.context, action_timeout_ms=300)
    target = next(
        item["ref"]
        for item in rig.do(hang.read_page, {"filter": "all", "tab_id": "tab-1"})["elements"]
    )
    with pytest.raises(BrowserError, match="in time"):
        rig.do(hang.click, {"target": target, "tab_id": "tab-1"})
    assert [tab["id"] for tab in rig.state()["tabs"]] == ["tab-1", "tab-2"]
    with pytest.raises(BrowserError, match="does not respond"):
        rig.call("click", target=ref, tab_id="tab-1")
    rig.call("close_tab", tab_id="tab-1")
    assert [tab["id"] for tab in rig.state()["tabs"]] == ["tab-2"]
    assert time.monotonic() - start < 30


@pytest.mark.parametrize("name", ["action_timeout_ms", "navigation_timeout_ms"])
@pytest.mark.parametrize("limit", [0, 60_001])
def test_limits_have_limits(rig: Rig, name: str, limit: int) -> None:
    with pytest.raises(ValueError, match=f"{name} must be between 1 and 60000"):
        rig.browser.driver(rig.context, **{name: limit})
