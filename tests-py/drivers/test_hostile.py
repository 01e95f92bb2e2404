"""Pages that interfere. They may spoil the reading of themselves, never more."""

from __future__ import annotations

import json

import pytest

from drivers.rig import Calls, Rig
from swingbridge import BrowserError

OVERRIDES = {
    "toJSON": "Object.prototype.toJSON = () => 'x'; Array.prototype.toJSON = () => 'x'",
    "stringify": "JSON.stringify = () => '{}'",
    "natives": (
        "for (const o of [Node, Element, HTMLElement, HTMLInputElement, Document])"
        " for (const n of Object.getOwnPropertyNames(o.prototype)) { try {"
        " Object.defineProperty(o.prototype, n, { get() { throw new Error('planted') } }) } catch {} }"
    ),
    "strings": "String.prototype.replace = String.prototype.trim = () => 'planted'.repeat(500)",
    "maps": "Map.prototype.get = WeakMap.prototype.get = () => 'planted'",
    "setters": (
        "Object.defineProperty(Array.prototype, '0', { set() { throw new Error('planted') }, get() {} })"
    ),
    "numbers": "Element.prototype.getBoundingClientRect = () => ({ get width() { throw 1 } })",
    "lies": "Element.prototype.getAttribute = () => ({ toString() { return 'planted' } })",
}


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("name", OVERRIDES)
def test_overridden_natives_give_a_report_or_an_error(rig: Rig, name: str, when: str) -> None:
    rig.open("<button>Go</button><input aria-label=in value=x>")
    if when == "after":
        rig.read()
    rig.eval(f"() => {{ {OVERRIDES[name]} }}")
    calls: Calls = {
        "read_page": {"filter": "all"},
        "get_page_text": {},
        "find": {"query": "go"},
    }
    for member, args in calls.items():
        try:
            report = rig.call(member, **args)
        except BrowserError as error:
            told = str(error)
        else:
            told = ""
            assert set(report) == {"version", "text", "elements", "omitted"}
            for item in report["elements"]:
                assert item["role"] in ("button", "textbox")
                assert 0 < len(item["label"].encode()) <= 256
        assert "planted" not in told
    state = rig.state()
    assert [tab["id"] for tab in state["tabs"]] == ["tab-1"]
    assert isinstance(state["tabs"][0]["title"], str)


@pytest.mark.parametrize("name", ["toJSON", "stringify", "numbers", "lies"])
def test_overrides_after_the_first_read_change_nothing(rig: Rig, name: str) -> None:
    rig.open("<button onclick='window.clicks = 1'>Go</button><input aria-label=in value=x>")
    before = rig.read()
    rig.eval(f"() => {{ {OVERRIDES[name]} }}")
    assert rig.read() == before


def test_fields_named_like_accessors_do_not_shadow_them(rig: Rig) -> None:
    names = [
        "nodeType",
        "parentNode",
        "firstChild",
        "nextSibling",
        "localName",
        "shadowRoot",
        "isConnected",
    ]
    names += [
        "ownerDocument",
        "getAttribute",
        "matches",
        "getBoundingClientRect",
        "children",
        "id",
        "labels",
    ]
    fields = "".join(f"<input name={name} aria-label={name}>" for name in names)
    rig.open(f"<form>{fields}<button>Send</button></form><img name=body><img name=title>")
    assert [item["label"] for item in rig.read()["elements"]] == [*names, "Send"]


def test_label_loops_and_floods_end(rig: Rig) -> None:
    rig.open("<main></main>")
    rig.eval(
        """() => {
          const main = document.querySelector("main")
          main.innerHTML = "<div id=all>" + "<i>word </i>".repeat(2000) + "</div>"
            + "<button aria-labelledby='all all all all all all all all all all'>b</button>".repeat(400)
          main.firstChild.setAttribute("aria-labelledby", "all")
        }"""
    )
    read = rig.read()
    assert "name_limit" in read["omitted"]
    assert all(len(item["label"].encode()) <= 256 for item in read["elements"])
    assert len(json.dumps(read)) < 2_000_000


def test_texts_of_the_page_stay_out_of_errors(rig: Rig) -> None:
    rig.open("<button>Go</button>")
    ref = rig.ref("Go")
    rig.eval("() => { Element.prototype.checkVisibility = () => { throw new Error('planted') } }")
    rig.eval("() => { window.getComputedStyle = () => { throw new Error('planted') } }")
    for member, args in {"read_page": {"filter": "all"}, "click": {"target": ref}}.items():
        with pytest.raises(BrowserError) as caught:
            rig.call(member, **args)
        assert "planted" not in str(caught.value)
