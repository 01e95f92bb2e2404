"""Tabs, dialogs and downloads, as the state reports them (B-30 to B-33)."""

from __future__ import annotations

import base64
import contextlib
from typing import Any

import pytest
from playwright.sync_api import Error

from drivers.rig import Browser, Calls, Rig
from drivers.site import Site
from swingbridge import BrowserError


def numbered_without_gaps(rig: Rig) -> None:
    observation = rig.state()["observation"]
    assert observation["version"] == 1
    numbers = [change["sequence"] for change in observation["changes"]]
    first = observation["dropped_changes"] + 1
    assert numbers == list(range(first, observation["sequence"] + 1))


def test_the_first_state_is_a_starting_point(rig: Rig) -> None:
    assert rig.state() == {
        "tabs": [{"id": "tab-1", "title": "", "url": "about:blank", "active": True}],
        "observation": {
            "version": 1,
            "sequence": 0,
            "dropped_changes": 0,
            "title_truncated": False,
            "changes": [],
        },
    }


def test_a_state_does_not_change_later(rig: Rig) -> None:
    before = rig.state()
    rig.open("<title>Next</title>")
    assert before["observation"]["changes"] == []
    assert before["tabs"][0]["title"] == ""


def test_tabs_are_numbered_for_ever(rig: Rig) -> None:
    rig.open("<title>One</title>", "/one")
    rig.call("new_tab", url=None)
    rig.call("new_tab", url=rig.site.url("/one"))
    rig.call("close_tab", tab_id="tab-2")
    rig.call("switch_tab", tab_id="tab-1")
    rig.call("new_tab", url=None)
    tabs = rig.state()["tabs"]
    assert [(tab["id"], tab["title"], tab["active"]) for tab in tabs] == [
        ("tab-1", "One", False),
        ("tab-3", "One", False),
        ("tab-4", "", True),
    ]
    assert rig.changes() == [
        {"type": "navigation", "tab_id": "tab-1"},
        {"type": "tab_opened", "tab_id": "tab-2"},
        {"type": "tab_switched", "tab_id": "tab-2"},
        {"type": "tab_opened", "tab_id": "tab-3"},
        {"type": "tab_switched", "tab_id": "tab-3"},
        {"type": "navigation", "tab_id": "tab-3"},
        {"type": "tab_closed", "tab_id": "tab-2"},
        {"type": "tab_switched", "tab_id": "tab-1"},
        {"type": "tab_opened", "tab_id": "tab-4"},
        {"type": "tab_switched", "tab_id": "tab-4"},
    ]
    numbered_without_gaps(rig)


def test_closing_the_active_tab_goes_back_to_the_one_before(rig: Rig) -> None:
    rig.call("new_tab", url=None)
    rig.call("new_tab", url=None)
    rig.call("switch_tab", tab_id="tab-1")
    rig.call("switch_tab", tab_id="tab-3")
    rig.call("close_tab", tab_id="tab-3")
    assert [tab["id"] for tab in rig.state()["tabs"] if tab["active"]] == ["tab-1"]
    rig.call("close_tab", tab_id="tab-1")
    rig.call("close_tab", tab_id="tab-2")
    assert rig.state()["tabs"] == []
    with pytest.raises(BrowserError, match="No tab is open"):
        rig.read()
    rig.call("new_tab", url=None)
    assert [tab["id"] for tab in rig.state()["tabs"] if tab["active"]] == ["tab-4"]
    assert rig.changes()[-2:] == [
        {"type": "tab_opened", "tab_id": "tab-4"},
        {"type": "tab_switched", "tab_id": "tab-4"},
    ]


@pytest.mark.parametrize("tab_id", ["tab-9", "", "0"])
def test_an_unknown_tab_is_refused(rig: Rig, tab_id: str) -> None:
    rig.open("<button>b</button>")
    calls: Calls = {
        "read_page": {"filter": "all"},
        "screenshot": {},
        "switch_tab": {},
        "close_tab": {},
        "navigate": {"url": rig.site.url("/page")},
    }
    for member, args in calls.items():
        with pytest.raises(BrowserError, match="No open tab has this id"):
            rig.call(member, tab_id=tab_id, **args)


def test_a_popup_becomes_the_active_tab(rig: Rig) -> None:
    rig.site.pages["/popup"] = "<title>Popup</title><button>Inside</button>"
    rig.open("<a href=/popup target=_blank>Open</a>")
    rig.call("click", target=rig.ref("Open"))
    rig.until(lambda: len(rig.state()["tabs"]) == 2 and rig.state()["tabs"][1]["title"] == "Popup")
    assert [tab["active"] for tab in rig.state()["tabs"]] == [False, True]
    assert {"type": "tab_opened", "tab_id": "tab-2"} in rig.changes()
    assert {"type": "tab_switched", "tab_id": "tab-2"} in rig.changes()
    rig.call("click", target=rig.ref("Inside"))
    rig.do(rig.context.pages[1].close)
    rig.until(lambda: len(rig.state()["tabs"]) == 1)
    assert rig.changes()[-2:] == [
        {"type": "tab_closed", "tab_id": "tab-2"},
        {"type": "tab_switched", "tab_id": "tab-1"},
    ]
    numbered_without_gaps(rig)


def test_a_popup_of_a_tab_in_the_background_stays_there(rig: Rig) -> None:
    rig.open("<script>addEventListener('message', () => window.open('about:blank'))</script>")
    rig.call("new_tab", url=None)
    rig.eval("() => { window.postMessage('', '*') }")
    rig.until(lambda: len(rig.state()["tabs"]) == 3)
    assert [tab["id"] for tab in rig.state()["tabs"] if tab["active"]] == ["tab-2"]


def test_windows_without_end_are_closed(rig: Rig) -> None:
    rig.open("<script>addEventListener('message', () => window.open('about:blank'))</script>")
    for _ in range(31):
        rig.do(rig.context.new_page)
    assert len(rig.state()["tabs"]) == 32
    rig.eval("() => { window.postMessage('', '*') }")
    refused = {"type": "navigation_refused", "tab_id": "tab-1", "reason": "policy"}
    rig.until(lambda: refused in rig.changes() and len(rig.state()["tabs"]) == 32)
    numbered_without_gaps(rig)


def test_a_page_driver_sees_its_page_and_popups_only(browser: Browser, site: Site) -> None:
    rig = Rig(browser, site)
    driver = browser.driver(rig.page)
    rig.do(rig.context.new_page)
    assert [tab["id"] for tab in rig.do(driver.state)["tabs"]] == ["tab-1"]
    rig.eval("() => { window.open('about:blank') }")
    rig.until(lambda: len(rig.do(driver.state)["tabs"]) == 2)
    rig.do(driver.new_tab, {"url": None})
    assert [tab["id"] for tab in rig.do(driver.state)["tabs"]] == ["tab-1", "tab-2", "tab-3"]
    rig.do(rig.context.close)


@pytest.mark.parametrize(
    ("kind", "script", "result"),
    [
        ("alert", "alert('planted')", None),
        ("confirm", "window.result = confirm('planted')", False),
        ("prompt", "window.result = prompt('planted', 'planted')", None),
    ],
)
def test_dialogs_are_dismissed_and_recorded(rig: Rig, kind: str, script: str, result: Any) -> None:
    rig.open(f"<button onclick=\"{script}; document.title = 'after'\">Ask</button>")
    rig.call("click", target=rig.ref("Ask"))
    rig.until(lambda: rig.state()["tabs"][0]["title"] == "after")
    assert rig.changes(1) == [{"type": "dialog_dismissed", "tab_id": "tab-1", "kind": kind}]
    assert rig.eval("() => window.result ?? null") == result
    assert "planted" not in str(rig.state())


def test_a_page_that_does_not_want_to_be_left(rig: Rig) -> None:
    rig.open(
        "<button onclick='window.touched = 1'>Touch</button>"
        "<script>addEventListener('beforeunload', (e) => e.preventDefault())</script>"
    )
    rig.call("click", target=rig.ref("Touch"))
    with pytest.raises(BrowserError, match="did not allow leaving"):
        rig.call("navigate", url=rig.site.url("/elsewhere"))
    assert rig.changes(1) == [
        {"type": "dialog_dismissed", "tab_id": "tab-1", "kind": "beforeunload"}
    ]
    assert rig.eval("() => window.touched") == 1
    rig.call("close_tab", tab_id="tab-1")
    assert rig.state()["tabs"] == []


def test_downloads_are_blocked_and_recorded(rig: Rig) -> None:
    rig.site.pages["/file"] = lambda: (
        {"content-type": "application/octet-stream", "content-disposition": "attachment"},
        b"x" * 100,
    )
    rig.open("<a href=/file>Get</a>")
    rig.call("click", target=rig.ref("Get"))
    blocked = {"type": "download", "tab_id": "tab-1", "status": "blocked"}
    rig.until(lambda: rig.changes(1) == [blocked])
    with pytest.raises(BrowserError, match="downloads are blocked"):
        rig.call("navigate", url=rig.site.url("/file"))
    rig.until(lambda: rig.changes(1) == [blocked, blocked])
    assert rig.state()["tabs"][0]["url"] == rig.site.url("/page")


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/hostname",
        "data:text/html,x",
        "javascript:alert(1)",
        "chrome://version",
        "view-source:http://127.0.0.1/",
        "blob:http://127.0.0.1/x",
        "about:srcdoc",
        "/relative",
        "127.0.0.1",
        "",
        "http://",
        "http:/127.0.0.1/",
        "http://user:planted@127.0.0.1/",
        "http://127.0.0.1\\@example.com/",
        "http://127.0.0.1 /",
        " http://127.0.0.1/",
        "http://127.0.0.1/\n",
        "http://127.0.0.1:99999/",
    ],
)
def test_other_addresses_are_refused(rig: Rig, url: str) -> None:
    for member in ("navigate", "new_tab"):
        with pytest.raises(BrowserError) as caught:
            rig.call(member, url=url)
        assert "planted" not in str(caught.value)
    assert rig.changes() == [
        {"type": "navigation_refused", "tab_id": "tab-1", "reason": "unsupported"},
        {"type": "navigation_refused", "tab_id": None, "reason": "unsupported"},
    ]
    assert len(rig.state()["tabs"]) == 1


def test_a_page_at_an_unsupported_address_is_not_shown(rig: Rig) -> None:
    rig.open(
        "<button>Open</button><script>document.querySelector('button').onclick = () => {"
        " window.open(URL.createObjectURL(new Blob(['<title>planted</title>planted'],"
        " {type: 'text/html'}))) }</script>"
    )
    rig.call("click", target=rig.ref("Open"))
    rig.until(lambda: len(rig.state()["tabs"]) == 2)
    rig.until(lambda: rig.context.pages[1].url.startswith("blob:"))
    assert rig.state()["tabs"][1] == {
        "id": "tab-2",
        "title": "",
        "url": "about:blank",
        "active": True,
    }
    calls: Calls = {
        "read_page": {"filter": "all"},
        "screenshot": {},
        "key": {"keys": ["a"]},
    }
    for member, args in calls.items():
        with pytest.raises(BrowserError, match="unsupported"):
            rig.call(member, **args)
    assert "planted" not in str(rig.state())
    rig.call("navigate", url=rig.site.url("/page"))
    assert rig.ref("Open")


def test_an_address_that_does_not_load(rig: Rig) -> None:
    with pytest.raises(BrowserError, match="could not be opened"):
        rig.call("navigate", url="http://127.0.0.1:9/planted?planted")
    assert rig.state()["tabs"][0]["url"] == "about:blank"
    assert "planted" not in str(rig.state())
    assert all(change["type"] == "navigation" for change in rig.changes())
    rig.open("<button>Back</button>")
    assert rig.ref("Back")


def test_the_buffer_forgets_the_oldest_changes(rig: Rig) -> None:
    rig.open("<p>x</p>")
    before = rig.state()["observation"]
    rig.eval("() => { for (let i = 0; i < 80; i += 1) history.pushState({}, '', '#' + i) }")
    rig.until(lambda: rig.state()["observation"]["sequence"] == before["sequence"] + 80)
    observation = rig.state()["observation"]
    assert len(observation["changes"]) == 64
    assert observation["dropped_changes"] == observation["sequence"] - 64
    numbered_without_gaps(rig)


def test_titles_are_safe_to_report(rig: Rig) -> None:
    rig.open(
        "<title>Inbox  (3)\n ann@example.com https://u:p@host.example:81/a?token=planted</title>"
    )
    assert rig.state()["tabs"][0]["title"] == "Inbox (3) [address] https://host.example:81"
    rig.eval("() => { document.title = 'é'.repeat(600) }")
    state = rig.state()
    assert state["tabs"][0]["title"] == "é" * 512
    assert state["observation"]["title_truncated"] is True
    rig.eval("() => { document.title = 'short' }")
    assert rig.state()["observation"]["title_truncated"] is False
    rig.open("<img name=title><title>Not shadowed</title>")
    assert rig.state()["tabs"][0]["title"] == "Not shadowed"


def test_an_application_filters_titles(browser: Browser, site: Site) -> None:
    rig = Rig(browser, site, title_filter=lambda title: title.replace("planted", "account"))
    rig.open("<title>planted 12</title>")
    assert rig.state()["tabs"][0]["title"] == "account 12"
    rig.do(rig.context.close)


def test_a_crashed_tab_can_only_be_closed(rig: Rig) -> None:
    rig.open("<title>Before</title>")
    rig.call("new_tab", url=None)
    # Playwright answers in its own way when the process dies under a navigation.
    with contextlib.suppress(Error):
        rig.do(rig.page.goto, "chrome://crash", wait_until="load", timeout=3000)
    calls: Calls = {
        "read_page": {"filter": "all"},
        "navigate": {"url": rig.site.url("/page")},
    }
    for member, args in calls.items():
        with pytest.raises(BrowserError, match="crashed"):
            rig.call(member, tab_id="tab-1", **args)
    assert [tab["id"] for tab in rig.state()["tabs"]] == ["tab-1", "tab-2"]
    rig.call("close_tab", tab_id="tab-1")
    assert [tab["id"] for tab in rig.state()["tabs"]] == ["tab-2"]


def test_detach_leaves_the_browser_alone(rig: Rig) -> None:
    rig.open("<p>x</p>")
    rig.browser.within(rig.driver.detach)
    rig.do(rig.page.goto, rig.site.url("/page"))
    assert len(rig.changes()) == 1
    rig.browser.within(rig.driver.detach)
    assert not rig.page.is_closed()


def test_pictures_are_of_the_viewport(rig: Rig) -> None:
    rig.open("<body style='margin: 0; background: red'><div style='height: 3000px'></div>")
    picture = rig.call("screenshot")
    assert (picture["type"], picture["detail"]) == ("input_image", "original")
    assert png_size(picture) == (800, 600)
    assert png_size(rig.call("zoom", region=[10, 20, 110, 70])) == (100, 50)
    assert png_size(rig.call("zoom", region=[0, 0, 800, 600])) == (800, 600)
    for region in ([0, 0, 801, 10], [0, 0, 10, 601], [900, 900, 901, 901]):
        with pytest.raises(BrowserError, match="800 x 600"):
            rig.call("zoom", region=region)


def png_size(picture: Any) -> tuple[int, int]:
    head, _, data = picture["image_url"].partition(",")
    assert head == "data:image/png;base64"
    image = base64.b64decode(data, validate=True)
    assert image.startswith(b"\x89PNG\r\n\x1a\n")
    return int.from_bytes(image[16:20], "big"), int.from_bytes(image[20:24], "big")


def test_pictures_count_css_pixels_on_dense_screens(browser: Browser, site: Site) -> None:
    rig = Rig(browser, site)
    dense = rig.do(
        browser.browser.new_context, viewport={"width": 400, "height": 300}, device_scale_factor=2
    )
    rig.do(dense.new_page)
    driver = browser.driver(dense)
    assert png_size(rig.do(driver.screenshot, {"tab_id": None})) == (400, 300)
    rig.do(dense.close)
    rig.do(rig.context.close)
