"""References: how long they live, and what they refuse (D-1)."""

from __future__ import annotations

from typing import Any

import pytest

from drivers.rig import Calls, Rig
from swingbridge import BrowserError

FORM = """
<title>Form</title>
<form onsubmit="return false">
  <label>Name <input name="id"></label>
  <button name="action" onclick="window.clicks = (window.clicks || 0) + 1">Save</button>
</form>
"""


def refuses(rig: Rig, match: str, member: str = "click", **args: Any) -> None:
    with pytest.raises(BrowserError, match=match):
        rig.call(member, **args)


def test_they_are_the_same_in_every_read(rig: Rig) -> None:
    rig.open(FORM)
    assert rig.read()["elements"] == rig.read()["elements"]
    found = rig.call("find", query="save")
    assert [item["ref"] for item in found["elements"]] == [rig.ref("Save")]


def test_they_are_unique_and_short(rig: Rig) -> None:
    rig.open(FORM)
    refs = [item["ref"] for item in rig.read()["elements"]]
    assert len(set(refs)) == len(refs) == 2
    assert all(0 < len(ref.encode()) <= 256 for ref in refs)


def test_they_die_when_the_document_is_reloaded(rig: Rig) -> None:
    rig.open(FORM)
    old = rig.ref("Save")
    rig.do(rig.page.reload)
    refuses(rig, "stale", target=old)
    new = rig.ref("Save")
    assert new != old
    refuses(rig, "stale", target=old)
    rig.call("click", target=new)
    assert rig.eval("window.clicks") == 1


def test_they_survive_a_change_of_address_within_the_document(rig: Rig) -> None:
    rig.open(FORM)
    ref = rig.ref("Save")
    rig.eval("() => { history.pushState({}, '', '/elsewhere') }")
    rig.call("click", target=ref)
    assert rig.eval("window.clicks") == 1


def test_the_first_document_of_a_tab_takes_its_own_along(rig: Rig) -> None:
    rig.do(rig.page.set_content, "<button>Blank</button>")
    old = rig.ref("Blank")
    rig.open(FORM)
    refuses(rig, "stale", target=old)
    assert rig.ref("Save") != old


def test_a_detached_element_is_stale(rig: Rig) -> None:
    rig.open(FORM)
    ref = rig.ref("Save")
    rig.eval("() => document.querySelector('button').remove()")
    refuses(rig, "stale", target=ref)


def test_a_replaced_element_is_stale(rig: Rig) -> None:
    rig.open(FORM)
    ref = rig.ref("Save")
    rig.eval(
        "() => { const b = document.querySelector('button'); b.replaceWith(b.cloneNode(true)) }"
    )
    refuses(rig, "stale", target=ref)
    assert rig.ref("Save") != ref
    assert rig.eval("window.clicks") is None


@pytest.mark.parametrize(
    "style",
    ["display: none", "visibility: hidden", "opacity: 0", "position: absolute; left: -5000px"],
)
@pytest.mark.parametrize("selector", ["button", "form"])
def test_a_hidden_element_is_refused_and_comes_back(rig: Rig, style: str, selector: str) -> None:
    rig.open(FORM)
    ref = rig.ref("Save")
    rig.eval(f"() => {{ document.querySelector('{selector}').style.cssText = '{style}' }}")
    refuses(rig, "not visible", target=ref)
    rig.eval(f"() => {{ document.querySelector('{selector}').style.cssText = '' }}")
    rig.call("click", target=ref)
    assert rig.eval("window.clicks") == 1


def test_a_control_that_changed_its_meaning_is_refused(rig: Rig) -> None:
    """What was approved under one label is not clicked under another."""
    rig.open(FORM)
    ref = rig.ref("Save")
    rig.eval("() => { document.querySelector('button').textContent = 'Pay' }")
    refuses(rig, "changed", target=ref)
    assert rig.ref("Pay") != ref
    refuses(rig, "changed", target=ref)
    rig.eval("() => { document.querySelector('button').setAttribute('role', 'checkbox') }")
    refuses(rig, "changed", target=ref)
    assert rig.eval("window.clicks") is None


def test_a_disabled_control_is_refused(rig: Rig) -> None:
    rig.open(FORM)
    ref = rig.ref("Save")
    rig.eval("() => { document.querySelector('button').disabled = true }")
    refuses(rig, "disabled", target=ref)
    rig.eval("() => { document.querySelector('button').disabled = false }")
    rig.eval("() => { document.querySelector('form').inert = true }")
    refuses(rig, "disabled", target=ref)
    assert rig.eval("window.clicks") is None


def test_they_belong_to_one_tab(rig: Rig) -> None:
    rig.open(FORM)
    ref = rig.ref("Save")
    rig.call("new_tab", url=rig.site.url("/page"))
    refuses(rig, "stale", target=ref)
    assert rig.ref("Save") != ref
    refuses(rig, "stale", target=ref)
    rig.call("click", target=ref, tab_id="tab-1")
    assert rig.eval("window.clicks") == 1


@pytest.mark.parametrize(
    "ref", ["", "button", "#save", "g1-e", "g1-e99", "g0-e0", "g1-e-1", "g1-e1 ", "١"]
)
def test_anything_else_is_stale(rig: Rig, ref: str) -> None:
    rig.open(FORM)
    rig.read()
    refuses(rig, "stale", target=ref)


def test_before_any_read_there_is_none(rig: Rig) -> None:
    rig.open(FORM)
    refuses(rig, "stale", target="g1-e0")


def test_every_operation_with_a_target_checks_it(rig: Rig) -> None:
    rig.open(FORM)
    ref = rig.ref("Save")
    rig.do(rig.page.reload)
    calls: Calls = {
        "click": {},
        "type": {"text": "x"},
        "select_option": {"values": ["x"]},
        "set_checked": {"checked": True},
        "hover": {},
        "scroll_to": {},
    }
    for member, args in calls.items():
        refuses(rig, "stale", member, target=ref, **args)


def test_errors_do_not_quote_the_page(rig: Rig) -> None:
    rig.open(
        "<button style='position: fixed; top: 0' title='planted-secret'>Planted-secret</button>"
        "<div style='position: fixed; inset: 0' class='planted-secret'>planted-secret</div>"
    )
    rig.driver = rig.browser.driver(rig.context, action_timeout_ms=300)
    ref = rig.read()["elements"][0]["ref"]
    with pytest.raises(BrowserError) as caught:
        rig.call("click", target=ref)
    assert "secret" not in str(caught.value).lower()
    assert caught.value.__suppress_context__
