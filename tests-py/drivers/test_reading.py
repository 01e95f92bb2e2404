"""What a read reports (B-41, D-1). Expectations beside the pages are shared with the Node tests."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from drivers.rig import Browser, Rig
from drivers.site import PAGES, Site

EXPECTED = sorted(path.stem for path in PAGES.glob("*.json"))


def serve(site: Site, other: Site) -> None:
    for path in PAGES.glob("*.html"):
        text = path.read_text("utf-8").replace("{{other}}", other.origin)
        site.pages[f"/{path.name}"] = text
        other.pages[f"/{path.name}"] = text


def without_refs(elements: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: value for key, value in item.items() if key != "ref"} for item in elements]


@pytest.mark.parametrize("name", EXPECTED)
def test_a_page_gives_its_report(rig: Rig, other_site: Site, name: str) -> None:
    serve(rig.site, other_site)
    rig.do(rig.page.goto, rig.site.url(f"/{name}.html"), wait_until="load")
    expected = json.loads((PAGES / f"{name}.json").read_text("utf-8"))

    read = rig.read()

    assert without_refs(read["elements"]) == expected["elements"]
    assert read["text"] == expected["text"]
    assert sorted(read["omitted"]) == sorted(expected["omitted"])
    assert read["version"] == 1
    assert "secret" not in json.dumps(read["elements"])
    assert "planted" not in json.dumps(read)

    interactive = rig.read("interactive")
    assert interactive == {**read, "text": ""}

    text = rig.call("get_page_text")
    assert (text["text"], text["elements"]) == (read["text"], [])


def test_a_password_that_is_shown_stays_private(rig: Rig, other_site: Site) -> None:
    serve(rig.site, other_site)
    rig.do(rig.page.goto, rig.site.url("/private.html"))
    rig.read()
    rig.eval("() => { document.getElementById('shown').type = 'text' }")
    assert "planted" not in json.dumps(rig.read())


def test_values_can_be_left_out_altogether(browser: Browser, site: Site) -> None:
    rig = Rig(browser, site, report_values=False)
    rig.open("<input aria-label=a value=planted><select aria-label=b><option value=c>d</select>")
    read = rig.read()
    assert all("value" not in item for item in read["elements"])
    assert read["omitted"] == ["value"]
    rig.do(rig.context.close)


def test_names_and_values_keep_their_limits(rig: Rig) -> None:
    rig.open(
        f"<button>{'é' * 128}</button><button>{'é' * 127}😀</button><button>a{'é' * 128}</button>"
        f"<input aria-label=in value={'é' * 256}><input aria-label=over value={'é' * 256}a>"
        f"<select aria-label=s><option value={'v' * 513}>long value<option>{'o' * 300}</select>"
    )
    read = rig.read()
    labels = [item["label"] for item in read["elements"][:3]]
    assert labels == ["é" * 128, "é" * 127, "a" + "é" * 127]
    held, over, choice = read["elements"][3:]
    assert held["value"] == "é" * 256
    assert "value" not in over
    assert choice["options"] == [{"label": "o" * 256, "value": "o" * 300}]
    assert read["omitted"] == ["value", "name_limit"]


def test_text_is_valid_unicode_without_disguise(rig: Rig) -> None:
    rig.open("<button id=b></button><p id=p></p><input id=i aria-label=in>")
    rig.eval(
        """() => {
          document.getElementById("b").textContent = "a\\ud800b\\udc00\\u202ec\\u0007d \\ud83d\\ude00"
          document.getElementById("p").textContent = "\\udc00\\udc00 \\ud83d"
          document.getElementById("i").value = "\\ud800"
        }"""
    )
    read = rig.read()
    assert read["elements"][0]["label"] == "a\ufffdb\ufffdcd 😀"
    assert read["text"] == "a\ufffdb\ufffdcd 😀\n\ufffd\ufffd \ufffd"
    assert read["elements"][1]["value"] == "\ufffd"


def test_large_pages_are_cut_and_say_so(rig: Rig) -> None:
    rig.open("<main></main>")
    rig.eval(
        "() => { document.querySelector('main').innerHTML = '<p>some words</p>'.repeat(9000) }"
    )
    read = rig.read()
    assert 65_000 < len(read["text"].encode()) <= 65_536
    assert read["omitted"] == ["text_limit"]
    assert len(rig.call("get_page_text")["text"]) > 90_000

    rig.eval(
        "() => { document.querySelector('main').innerHTML = '<button>b</button>'.repeat(600) }"
    )
    read = rig.read()
    assert len(read["elements"]) == 500
    assert read["omitted"] == ["target_limit"]

    rig.eval(
        "() => { document.querySelector('main').innerHTML = '<i></i>'.repeat(70000) + '<p>end' }"
    )
    read = rig.read()
    assert "end" not in read["text"]
    assert read["omitted"] == ["work_limit"]

    options = "<option>" + "x" * 250
    rig.eval(
        f"() => {{ document.querySelector('main').innerHTML = '<select>{options}</select>'.repeat(3) }}"
    )
    rig.eval("""() => { for (const s of document.querySelectorAll('select'))
      s.innerHTML = s.innerHTML.repeat(250) }""")
    read = rig.read()
    assert [len(item["options"]) for item in read["elements"]] == [200, 200]
    assert read["omitted"] == ["report_limit"]


def test_deep_pages_do_not_break_reading(rig: Rig) -> None:
    rig.open("<p>top</p><main></main>")
    rig.eval(
        """() => {
          let node = document.querySelector("main")
          for (let i = 0; i < 5000; i += 1) node = node.appendChild(document.createElement("span"))
          node.textContent = "bottom"
        }"""
    )
    read = rig.read()
    assert read["text"] == "top"
    assert read["omitted"] == ["work_limit"]


def test_find_ranks_and_limits(rig: Rig) -> None:
    rig.open(
        "<h1>Your order</h1><p>Delivery on Monday</p><p>Delivery is free</p>"
        "<button>Send order</button><a href=/>Order history</a><a href=/>Help</a>"
        "<label>Delivery day <select><option>Monday<option>Tuesday</select></label>"
        "<input placeholder='Search the shop'><input type=checkbox aria-label='Gift wrap'>"
    )

    def found(query: str) -> list[str]:
        return [item["label"] for item in rig.call("find", query=query)["elements"]]

    assert found("the send order button")[0] == "Send order"
    assert found("SEARCH field") == ["Search the shop"]
    assert found("tuesday") == ["Delivery day"]
    assert found("gift checkbox") == ["Gift wrap"]
    assert found("nothing like it") == []
    assert found("") == []
    assert rig.call("find", query="delivery")["text"] == (
        "Delivery on Monday\nDelivery is free\nSend order Order history Help Delivery day"
    )
    assert rig.call("find", query="zzz")["text"] == ""


def test_a_read_does_not_change_the_page(rig: Rig) -> None:
    rig.open("<iframe srcdoc='<button>b</button>'></iframe><button>a</button><input value=x>")
    rig.eval(
        """() => {
          window.seen = []
          const watch = new MutationObserver((records) => window.seen.push(...records))
          watch.observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
          window.names = Object.getOwnPropertyNames(window)
        }"""
    )
    rig.read()
    rig.call("find", query="a")
    assert rig.eval("() => window.seen.length") == 0
    added = rig.eval(
        "() => Object.getOwnPropertyNames(window).filter(n => !window.names.includes(n))"
    )
    assert added == ["names"]


def test_references_look_as_documented(rig: Rig) -> None:
    rig.open("<button>a</button>")
    assert re.fullmatch(r"g\d+-e\d+", rig.ref("a"))
