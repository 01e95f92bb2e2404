"""An action hits the page that was approved, whatever happened since (B-20, B-21, D-1)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from drivers.rig import Calls, Rig
from drivers.site import Site
from swingbridge import AsyncBrowserToolset, BrowserError, BrowserToolset

CHANGED = "The page changed since it was last reported; read it again."
FIELD = "<body style='height: 3000px'><input autofocus aria-label=field>"
RECORD = "<script>window.hits = []; for (const kind of ['click', 'mousemove']) addEventListener(kind, (e) => hits.push(e.type))</script>"

# What depends on the page and names nothing in it.
AT_THE_PAGE: Calls = {
    "type": {"target": None, "text": "secret"},
    "key": {"keys": ["s"]},
    "click_at": {"x": 20, "y": 300, "button": "left", "click_count": 1, "keys": []},
    "hover_at": {"x": 20, "y": 300},
    "scroll": {"direction": "down", "amount": 100},
}
# Resolves once the popup shows its field.
OPEN_POPUP = """async () => {
  const popup = window.open('/popup')
  while (!popup.document.querySelector('input')) await new Promise((done) => setTimeout(done, 10))
}"""


def open_bank(rig: Rig) -> None:
    rig.site.pages["/popup"] = f"<title>Popup</title>{RECORD}{FIELD}"
    rig.open(f"<title>Bank</title>{RECORD}{FIELD}")
    rig.do(rig.page.focus, "input")


def open_popup(rig: Rig) -> Any:
    """Opens a window from the page, which the driver learns of."""
    rig.eval(OPEN_POPUP)
    rig.until(lambda: len(rig.context.pages) == 2)
    return rig.context.pages[1]


def open_other(rig: Rig, other_site: Site) -> None:
    other_site.pages["/other"] = f"<title>Other</title>{RECORD}{FIELD}"
    rig.do(rig.page.goto, other_site.url("/other"))
    rig.do(rig.page.focus, "input")


def traces(rig: Rig, page: Any = None) -> list[Any]:
    """What arrived at a page: text, events, scrolling."""
    found: list[Any] = rig.eval(
        "() => [document.querySelector('input').value, hits.length, scrollY]", page
    )
    return found


def refuses(rig: Rig, member: str, **args: Any) -> None:
    with pytest.raises(BrowserError) as caught:
        rig.call(member, **args)
    assert str(caught.value) == CHANGED


def execute(rig: Rig, meanwhile: Callable[[], Any], member: str, **args: Any) -> Any:
    """Runs a call whose approval takes as long as `meanwhile`; returns the payload of its output."""

    def confirm(_context: Any) -> bool:
        meanwhile()
        return True

    async def confirm_async(_context: Any) -> bool:
        await meanwhile()
        return True

    toolset: Any
    if rig.browser.flavour == "sync":
        toolset = BrowserToolset(rig.driver, members=[member], confirm=confirm)
    else:
        toolset = AsyncBrowserToolset(rig.driver, members=[member], confirm=confirm_async)
    call = {
        "type": "function_call",
        "call_id": "call_1",
        "name": f"browser_{member}",
        "arguments": json.dumps({"tab_id": None, **args}),
        "status": "completed",
    }
    return json.loads(rig.do(toolset.execute, call)["output"][0]["text"])


def test_a_popup_during_approval_gets_nothing(rig: Rig) -> None:
    open_bank(rig)
    payload = execute(rig, lambda: rig.page.evaluate(OPEN_POPUP), "type", **AT_THE_PAGE["type"])
    assert payload["ok"] is True
    assert traces(rig)[0] == "secret"
    assert traces(rig, rig.context.pages[1]) == ["", 0, 0]
    assert [tab["active"] for tab in payload["state"]["tabs"]] == [True, False]


@pytest.mark.parametrize("member", AT_THE_PAGE)
def test_a_navigation_during_approval_ends_the_action(
    rig: Rig, other_site: Site, member: str
) -> None:
    open_bank(rig)
    other_site.pages["/other"] = f"<title>Other</title>{RECORD}{FIELD}"
    payload = execute(
        rig,
        lambda: rig.page.goto(other_site.url("/other")),
        member,
        **AT_THE_PAGE[member],
    )
    assert (payload["ok"], payload["error"]) == (False, CHANGED)
    assert traces(rig) == ["", 0, 0]
    assert payload["state"]["tabs"][0]["url"] == other_site.origin


@pytest.mark.parametrize("member", AT_THE_PAGE)
def test_the_tab_that_was_reported_is_meant(rig: Rig, member: str) -> None:
    open_bank(rig)
    rig.state()
    popup = open_popup(rig)
    rig.call(member, **AT_THE_PAGE[member])
    assert traces(rig, popup) == ["", 0, 0]
    assert traces(rig) != ["", 0, 0]
    assert rig.state()["tabs"][0]["active"]


def test_reads_look_at_the_tab_that_is_active_now(rig: Rig) -> None:
    open_bank(rig)
    stale = rig.ref("field")
    rig.state()
    open_popup(rig)
    fresh = rig.ref("field")
    assert fresh != stale
    with pytest.raises(BrowserError, match="stale"):
        rig.call("type", target=fresh, text="secret")
    rig.call("type", target=stale, text="by reference")
    assert traces(rig)[0] == "by reference"


def test_the_next_report_is_about_the_popup(rig: Rig) -> None:
    open_bank(rig)
    rig.state()
    popup = open_popup(rig)
    assert [tab["active"] for tab in rig.state()["tabs"]] == [False, True]
    rig.do(popup.focus, "input")
    rig.call("type", target=None, text="meant")
    assert traces(rig, popup)[0] == "meant"


def test_a_popup_does_not_get_the_address(rig: Rig) -> None:
    open_bank(rig)
    rig.site.pages["/next"] = "<title>Next</title>"
    rig.state()
    popup = open_popup(rig)
    rig.call("navigate", url=rig.site.url("/next"))
    assert rig.page.url == rig.site.url("/next")
    assert popup.url == rig.site.url("/popup")


def test_a_tab_that_navigated_since_still_takes_an_address(rig: Rig, other_site: Site) -> None:
    open_bank(rig)
    rig.state()
    open_other(rig, other_site)
    rig.call("navigate", url=rig.site.url("/page"))
    rig.do(rig.page.focus, "input")
    rig.call("type", target=None, text="expected")
    assert traces(rig)[0] == "expected"


@pytest.mark.parametrize("member", AT_THE_PAGE)
def test_a_named_tab_is_held_to_its_document(rig: Rig, other_site: Site, member: str) -> None:
    open_bank(rig)
    rig.state()
    open_other(rig, other_site)
    refuses(rig, member, tab_id="tab-1", **AT_THE_PAGE[member])
    assert traces(rig) == ["", 0, 0]
    rig.state()
    rig.call(member, tab_id="tab-1", **AT_THE_PAGE[member])
    assert traces(rig) != ["", 0, 0]


def test_a_reload_is_another_document(rig: Rig) -> None:
    open_bank(rig)
    rig.state()
    rig.do(rig.page.reload)
    refuses(rig, "type", **AT_THE_PAGE["type"])


def test_an_empty_window_that_is_filled_is_another_document(rig: Rig) -> None:
    # The browser keeps the window object of an empty popup for the first document of the same origin.
    rig.site.pages["/popup"] = f"{RECORD}{FIELD}"
    rig.open("<title>Opener</title>")
    rig.eval("() => { window.popup = window.open('about:blank') }")
    rig.until(lambda: len(rig.context.pages) == 2)
    assert rig.state()["tabs"][1]["active"]
    popup = rig.context.pages[1]
    rig.eval("() => { popup.location = '/popup' }")
    rig.do(popup.wait_for_selector, "input")
    refuses(rig, "type", **AT_THE_PAGE["type"])
    refuses(rig, "scroll", **AT_THE_PAGE["scroll"])
    assert traces(rig, popup) == ["", 0, 0]


def test_a_reported_tab_that_closed_is_not_replaced(rig: Rig) -> None:
    open_bank(rig)
    popup = open_popup(rig)
    assert rig.state()["tabs"][1]["active"]
    rig.do(popup.close)
    rig.until(lambda: len(rig.context.pages) == 1)
    refuses(rig, "type", **AT_THE_PAGE["type"])
    refuses(rig, "navigate", url=rig.site.url("/popup"))
    assert traces(rig) == ["", 0, 0]


def test_a_tab_that_was_not_reported_cannot_be_named(rig: Rig) -> None:
    open_bank(rig)
    rig.state()
    open_popup(rig)
    for member in ("switch_tab", "close_tab"):
        refuses(rig, member, tab_id="tab-2")
    refuses(rig, "type", tab_id="tab-2", **AT_THE_PAGE["type"])
    refuses(rig, "navigate", tab_id="tab-2", url=rig.site.url("/page"))
    assert len(rig.state()["tabs"]) == 2
    rig.call("close_tab", tab_id="tab-2")


def test_history_within_a_document_is_no_change(rig: Rig) -> None:
    open_bank(rig)
    rig.state()
    rig.eval("() => { history.pushState({}, '', '/elsewhere'); location.hash = 'x' }")
    rig.call("type", **AT_THE_PAGE["type"])
    rig.state()
    rig.call("key", keys=["Backspace"])
    assert traces(rig)[0] == "secre"


def test_typing_stops_where_it_leads_away(rig: Rig) -> None:
    rig.site.pages["/next"] = f"{RECORD}{FIELD}"
    rig.open(
        "<input onkeydown=\"location = '/next'; const t = Date.now(); while (Date.now() - t < 50);\">"
    )
    rig.do(rig.page.focus, "input")
    rig.state()
    with pytest.raises(BrowserError):
        rig.call("type", target=None, text="x" * 1000)
    rig.do(rig.page.wait_for_url, "**/next")
    assert len(traces(rig)[0]) < 100


def test_what_a_click_leads_to_is_used_after_the_next_report(rig: Rig) -> None:
    rig.site.pages["/next"] = f"{RECORD}{FIELD}"
    rig.open("<a href=/next>Next</a>")
    rig.state()
    rig.call("click", target=rig.ref("Next"))
    rig.do(rig.page.wait_for_url, "**/next")
    rig.state()
    rig.call("click", target=rig.ref("field"))
    rig.call("type", **AT_THE_PAGE["type"])
    assert traces(rig)[0] == "secret"


def test_what_the_caller_itself_opens_needs_no_report(rig: Rig) -> None:
    open_bank(rig)
    rig.state()
    rig.call("new_tab", url=rig.site.url("/popup"))
    rig.call("scroll", **AT_THE_PAGE["scroll"])
    assert traces(rig, rig.context.pages[1])[2] == 100
    rig.call("switch_tab", tab_id="tab-1")
    rig.call("type", **AT_THE_PAGE["type"])
    assert traces(rig)[0] == "secret"
    rig.call("switch_tab", tab_id="tab-2")
    rig.call("close_tab", tab_id="tab-2")
    rig.call("key", keys=["Backspace"])
    assert traces(rig)[0] == "secre"
