"""Clicks, entries, keys and the pointer on real pages."""

from __future__ import annotations

from typing import Any

import pytest

from drivers.rig import Rig
from drivers.site import PAGES, Site
from swingbridge import BrowserError

RECORD = """
<script>
  window.seen = []
  for (const kind of ["click", "input", "change", "keydown", "mousemove"])
    addEventListener(kind, (e) => window.seen.push([kind, e.target.id || e.target.localName]), true)
</script>
"""


def seen(rig: Rig, kind: str) -> list[str]:
    return [target for name, target in rig.eval("() => window.seen") if name == kind]


def refuses(rig: Rig, match: str, member: str, **args: Any) -> None:
    with pytest.raises(BrowserError, match=match):
        rig.call(member, **args)


def test_click_uses_the_real_pointer(rig: Rig) -> None:
    rig.open(f"{RECORD}<div style='height: 2000px'></div><button id=b>Go</button>")
    assert rig.call("click", target=rig.ref("Go")) is None
    assert seen(rig, "click") == ["b"]
    assert seen(rig, "mousemove")[-1] == "b"


def test_a_covered_control_is_not_clicked(rig: Rig) -> None:
    rig.open(f"{RECORD}<button id=b>Go</button><div style='position: fixed; inset: 0'>cover</div>")
    rig.driver = rig.browser.driver(rig.context, action_timeout_ms=300)
    refuses(rig, "in time", "click", target=rig.ref("Go"))
    assert seen(rig, "click") == []


def test_type_replaces_what_a_control_holds(rig: Rig) -> None:
    rig.open(
        f"{RECORD}<input id=i aria-label=in value=old><textarea aria-label=area>old</textarea>"
        "<div contenteditable aria-label=rich>old</div><input type=range aria-label=range>"
        "<input type=date aria-label=date>"
    )
    rig.call("type", target=rig.ref("in"), text="new")
    rig.call("type", target=rig.ref("in"), text="newer 😀")
    rig.call("type", target=rig.ref("area"), text="two\nlines")
    rig.call("type", target=rig.ref("rich"), text="bold")
    rig.call("type", target=rig.ref("range"), text="70")
    rig.call("type", target=rig.ref("date"), text="2030-02-01")
    values = {item["label"]: item.get("value") for item in rig.read()["elements"]}
    assert values == {
        "in": "newer 😀",
        "area": "two\nlines",
        "rich": "bold",
        "range": "70",
        "date": "2030-02-01",
    }
    assert "i" in seen(rig, "input")


def test_type_says_what_takes_no_text(rig: Rig) -> None:
    rig.open(
        "<button>b</button><input type=checkbox aria-label=box><select aria-label=s><option>o</select>"
        "<input readonly aria-label=fixed><input type=date aria-label=date><input type=number aria-label=n>"
        "<span role=textbox aria-label=fake tabindex=0>.</span>"
    )
    refuses(rig, "takes no text.*click or key", "type", target=rig.ref("b"), text="x")
    refuses(rig, "set_checked", "type", target=rig.ref("box"), text="x")
    refuses(rig, "select_option", "type", target=rig.ref("s"), text="x")
    refuses(rig, "read-only", "type", target=rig.ref("fixed"), text="x")
    refuses(rig, "YYYY-MM-DD", "type", target=rig.ref("date"), text="tomorrow")
    refuses(rig, "does not hold this text", "type", target=rig.ref("n"), text="many")
    refuses(rig, "takes no text", "type", target=rig.ref("fake"), text="x")


def test_type_without_a_target_goes_to_the_focus(rig: Rig) -> None:
    rig.open(f"{RECORD}<input aria-label=a value=old><input aria-label=b>")
    rig.call("click", target=rig.ref("a"))
    rig.call("key", keys=["End"])
    rig.call("type", target=None, text="er" + "x" * 250)
    rig.call("key", keys=["Tab"])
    rig.call("type", target=None, text="next")
    values = [item["value"] for item in rig.read()["elements"]]
    assert values == ["older" + "x" * 250, "next"]


def test_keys_reach_the_focus_in_shadow_and_frame(rig: Rig, other_site: Site) -> None:
    inner = "<input oninput='parent.document.title = this.value'>"
    rig.open(
        f'<div id=host></div><iframe srcdoc="{inner}"></iframe>'
        "<script>host.attachShadow({mode: 'open'}).innerHTML = '<input>'</script>"
    )
    rig.eval("() => document.getElementById('host').shadowRoot.querySelector('input').focus()")
    rig.call("type", target=None, text="ab")
    rig.call("key", keys=["Backspace"])
    assert rig.eval("() => host.shadowRoot.querySelector('input').value") == "a"
    rig.until(lambda: bool(rig.eval("() => !!frames[0].document.querySelector('input')")))
    rig.eval("() => { frames[0].focus(); frames[0].document.querySelector('input').focus() }")
    rig.call("type", target=None, text="framed")
    assert rig.eval("() => document.title") == "framed"


def test_a_focus_in_another_origin_is_out_of_reach(rig: Rig, other_site: Site) -> None:
    other_site.pages["/field"] = "<input autofocus>"
    rig.open(f"<iframe src='{other_site.url('/field')}'></iframe>")
    rig.do(rig.page.frames[1].wait_for_selector, "input")
    rig.do(rig.page.frames[1].focus, "input")
    refuses(rig, "cannot be reached", "key", keys=["a"])
    refuses(rig, "cannot be reached", "type", target=None, text="a")


def test_chords_and_single_keys(rig: Rig) -> None:
    rig.open(f"{RECORD}<textarea aria-label=t>one two</textarea>")
    rig.call("click", target=rig.ref("t"))
    rig.call("key", keys=["Ctrl", "A"])
    rig.call("key", keys=["Del"])
    rig.call("key", keys=["a"])
    rig.call("key", keys=["Shift+b"])
    rig.call("key", keys=["Return"])
    rig.call("key", keys=["7"])
    rig.call("key", keys=["Space"])
    rig.call("key", keys=["+"])
    assert rig.read()["elements"][0]["value"] == "aB\n7 +"


def test_enter_submits_and_the_page_changes(rig: Rig) -> None:
    rig.site.pages["/done"] = "<title>Done</title>sent"
    rig.open("<form action=/done><input aria-label=q></form>")
    rig.call("type", target=rig.ref("q"), text="x")
    rig.call("click", target=rig.ref("q"))
    rig.call("key", keys=["Enter"])
    rig.call("wait_for", text="sent", timeout_ms=5000)
    assert rig.state()["tabs"][0]["title"] == "Done"


def test_select_option_by_value_and_label_is_idempotent(rig: Rig) -> None:
    rig.open(
        f"{RECORD}<select id=one aria-label=one><option value=a>Apple<option value=b>Banana"
        "<option value=c disabled>Cherry</select>"
        "<select id=many aria-label=many multiple><option>x<option>y<option>z</select>"
        "<span role=combobox aria-label=custom tabindex=0>.</span>"
    )
    one, many = rig.ref("one"), rig.ref("many")
    rig.call("select_option", target=one, values=["b"])
    rig.call("select_option", target=one, values=["b"])
    rig.call("select_option", target=one, values=["Banana"])
    assert seen(rig, "change") == ["one"]
    rig.call("select_option", target=many, values=["x", "z"])
    rig.call("select_option", target=many, values=["z", "x"])
    assert seen(rig, "change") == ["one", "many"]
    picked = rig.read()["elements"][1]["options"]
    assert [option["value"] for option in picked if option["selected"]] == ["x", "z"]
    rig.call("select_option", target=many, values=[])
    assert rig.eval("() => document.getElementById('many').selectedOptions.length") == 0

    refuses(rig, "no option", "select_option", target=one, values=["d"])
    refuses(rig, "disabled", "select_option", target=one, values=["c"])
    refuses(rig, "exactly one", "select_option", target=one, values=["a", "b"])
    refuses(rig, "exactly one", "select_option", target=one, values=[])
    refuses(rig, "not a native select", "select_option", target=rig.ref("custom"), values=["x"])
    assert rig.read()["elements"][0]["value"] == "b"


def test_set_checked_is_idempotent(rig: Rig) -> None:
    rig.open(
        f"{RECORD}<label><input id=box type=checkbox>Box</label>"
        "<label><input id=styled type=checkbox style='opacity: 0; width: 0; height: 0'>Styled</label>"
        "<label><input id=off type=checkbox style='display: none'>Off screen</label>"
        "<span id=sw role=switch aria-checked=false tabindex=0 onclick=\"this.setAttribute('aria-checked', "
        "this.getAttribute('aria-checked') !== 'true')\">Switch</span>"
        "<label><input id=third type=checkbox>Third</label>"
        "<input type=radio name=r aria-label=r1><input type=radio name=r aria-label=r2>"
        "<button>No box</button>"
    )
    rig.eval("() => { document.getElementById('third').indeterminate = true }")
    for label in ("Box", "Styled", "Off screen", "Switch", "Third", "r1"):
        ref = rig.ref(label)
        rig.call("set_checked", target=ref, checked=True)
        rig.call("set_checked", target=ref, checked=True)
        assert checked(rig)[label], label
    for kind in ("box", "styled", "off", "third"):
        assert seen(rig, "change").count(kind) == 1
    for label in ("Box", "Styled", "Off screen", "Switch"):
        rig.call("set_checked", target=rig.ref(label), checked=False)
        assert not checked(rig)[label], label
    rig.call("set_checked", target=rig.ref("r2"), checked=False)
    rig.call("set_checked", target=rig.ref("r2"), checked=True)
    assert checked(rig) | {"r1": False} == checked(rig)
    refuses(rig, "cleared only by", "set_checked", target=rig.ref("r2"), checked=False)
    refuses(rig, "neither a checkbox", "set_checked", target=rig.ref("No box"), checked=True)


def checked(rig: Rig) -> dict[str, bool]:
    return {item["label"]: item["checked"] for item in rig.read()["elements"] if "checked" in item}


def test_set_checked_notices_a_page_that_resists(rig: Rig) -> None:
    rig.open("<input type=checkbox aria-label=box onclick='return false'>")
    refuses(rig, "did not accept", "set_checked", target=rig.ref("box"), checked=True)


def test_actions_inside_frames_and_shadow_roots(rig: Rig, other_site: Site) -> None:
    for path in PAGES.glob("*.html"):
        rig.site.pages[f"/{path.name}"] = path.read_text("utf-8").replace(
            "{{other}}", other_site.origin
        )
    rig.do(rig.page.goto, rig.site.url("/frames.html"), wait_until="load")
    title = "() => document.title"
    rig.call("click", target=rig.ref("In frame"))
    assert rig.eval(title) == "Clicked"
    rig.call("type", target=rig.ref("Framed field"), text="typed")
    assert rig.eval(title) == "typed"
    rig.call("set_checked", target=rig.ref("Framed box"), checked=True)
    rig.call("select_option", target=rig.ref("Framed choice"), values=["b"])
    rig.call("hover", target=rig.ref("Framed choice"))
    rig.call("scroll_to", target=rig.ref("In frame"))
    read = {item["label"]: item for item in rig.read()["elements"]}
    assert read["Framed box"]["checked"]
    assert read["Framed choice"]["value"] == "b"
    leftovers = (
        "() => Object.getOwnPropertyNames(frames[0]).filter((name) => /^_[0-9a-f]{32}$/.test(name))"
    )
    assert rig.eval(leftovers) == []

    rig.eval("() => { frames[0].location.reload() }")
    refuses(rig, "stale", "click", target=read["In frame"]["ref"])

    rig.do(rig.page.goto, rig.site.url("/shadow.html"))
    rig.call("type", target=rig.ref("Shadow field"), text="typed")
    rig.call("click", target=rig.ref("Deep button"))
    assert rig.eval(title) == "Clicked"
    assert rig.read()["elements"][0]["value"] == "typed"


def test_hover_and_scroll_to(rig: Rig) -> None:
    rig.open(f"{RECORD}<div style='height: 3000px'></div><button id=b disabled>Low</button>")
    rig.call("scroll_to", target=rig.ref("Low"))
    assert rig.eval("() => scrollY") > 2000
    rig.call("hover", target=rig.ref("Low"))
    assert rig.eval("() => document.querySelector('button:hover') !== null")


def test_scroll_moves_what_is_in_the_middle(rig: Rig) -> None:
    rig.open(
        "<body style='margin: 0; height: 3000px'>"
        "<div id=box style='height: 600px; overflow: auto'><div style='height: 700px'></div></div>"
    )
    assert rig.call("scroll", direction="down", amount=60) == "Scrolled by 60 CSS pixels."
    assert rig.eval("() => [box.scrollTop, scrollY]") == [60, 0]
    assert rig.call("scroll", direction="down", amount=500) == "Scrolled by 40 CSS pixels."
    assert rig.call("scroll", direction="down", amount=500) == "Scrolled by 500 CSS pixels."
    assert rig.eval("() => [box.scrollTop, scrollY]") == [100, 500]
    assert "Nothing moved" in rig.call("scroll", direction="right", amount=10)
    assert "Nothing moved" in rig.call("scroll", direction="up", amount=0)
    rig.call("scroll", direction="up", amount=2**53 - 1)
    assert rig.eval("() => scrollY") == 0


def test_scroll_reaches_into_frames(rig: Rig) -> None:
    rig.open(
        "<body style='margin: 0'><iframe style='width: 100%; height: 590px'"
        " srcdoc='<div style=\"height: 2000px\">'></iframe>"
    )
    rig.until(lambda: rig.eval("() => frames[0].document.body?.scrollHeight ?? 0") > 1000)
    rig.call("scroll", direction="down", amount=100)
    assert rig.eval("() => [frames[0].scrollY, scrollY]") == [100, 0]


def test_click_at_hits_the_point(rig: Rig) -> None:
    rig.open(
        "<style>html { border: 5px solid; margin: 9px } body { height: 2000px }</style><script>"
        "window.hits = []; for (const kind of ['click', 'auxclick', 'contextmenu', 'dblclick'])"
        " addEventListener(kind, (e) => { hits.push([kind, e.clientX, e.clientY, e.detail, e.button,"
        " e.ctrlKey, e.altKey, e.metaKey, e.shiftKey]); e.preventDefault() })</script>"
    )
    rig.eval("() => scrollTo(0, 300)")

    def hit(
        x: int, y: int, button: str = "left", click_count: int = 1, keys: tuple[str, ...] = ()
    ) -> Any:
        rig.eval("() => { hits.length = 0 }")
        rig.call("click_at", x=x, y=y, button=button, click_count=click_count, keys=list(keys))
        return rig.eval("() => hits.at(-1)")

    plain = [False, False, False, False]
    assert hit(100, 120) == ["click", 100, 120, 1, 0, *plain]
    assert hit(14, 6) == ["click", 14, 6, 1, 0, *plain]
    assert hit(780, 599)[:3] == ["click", 780, 599]
    assert hit(50, 60, click_count=2) == ["dblclick", 50, 60, 2, 0, *plain]
    assert hit(50, 60, click_count=3)[3] == 3
    assert hit(50, 60, button="middle")[4] == 1
    assert hit(50, 60, button="right")[0] in ("contextmenu", "auxclick")
    assert hit(50, 60, keys=("Control", "Shift"))[5:] == [True, False, False, True]
    assert hit(50, 60)[5:] == plain
    assert rig.eval("() => scrollY") == 300
    refuses(
        rig, "nothing at this point", "click_at", x=3, y=10, button="left", click_count=1, keys=[]
    )
    refuses(rig, "800 x 600", "click_at", x=800, y=10, button="left", click_count=1, keys=[])
    refuses(rig, "outside", "click_at", x=1, y=2**53 - 1, button="left", click_count=1, keys=[])


def test_hover_at_moves_without_a_button(rig: Rig) -> None:
    rig.open(
        "<script>onmousemove = (e) => { window.at = [e.clientX, e.clientY, e.buttons] }</script>"
    )
    rig.call("hover_at", x=300, y=301)
    assert rig.eval("() => window.at") == [300, 301, 0]
    refuses(rig, "outside", "hover_at", x=900, y=1)
