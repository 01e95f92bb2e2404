"""What a driver opens, shows and reports (B-30, B-32); the cases are those of the core and of Node."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import swingbridge.drivers
from drivers.rig import Rig
from swingbridge import BrowserError
from swingbridge._core import address_problem, page_kind, safe_title

CASES: Any = json.loads(
    (Path(__file__).parents[2] / "conformance" / "addresses.json").read_text("utf-8")
)
PROBLEMS = [(url, group["problem"]) for group in CASES["addresses"] for url in group["urls"]]


def test_addresses_are_opened_or_refused_with_a_reason() -> None:
    assert [(url, address_problem(url)) for url, _ in PROBLEMS] == PROBLEMS


def test_pages_are_shown_if_their_address_can_be_reported() -> None:
    kinds = {kind: [page_kind(url) for url in urls] for kind, urls in CASES["pages"].items()}
    assert kinds == {kind: [kind] * len(urls) for kind, urls in CASES["pages"].items()}


def test_titles_lose_what_may_be_private() -> None:
    assert [[title, *safe_title(title)] for title, _ in CASES["titles"]] == [
        [*case, False] for case in CASES["titles"]
    ]


def test_long_titles_are_cut_between_characters() -> None:
    assert safe_title("é" * 512) == ("é" * 512, False)
    assert safe_title("a" + "é" * 512) == ("a" + "é" * 511, True)
    assert safe_title("😀" * 300) == ("😀" * 256, True)


@pytest.mark.parametrize("before", ["", "http://a", "http://a/", "http://a/?", "http://a/#"])
def test_text_with_unpaired_surrogates_is_no_address(before: str) -> None:
    for surrogate in ("\ud800", "\udc00", "\udc00\ud800"):
        assert address_problem(before + surrogate) == "The address is malformed."
        assert page_kind(before + surrogate) == "refused"
        assert safe_title(f"a{surrogate}") == ("a" + "\ufffd" * len(surrogate), False)


def test_other_addresses_never_reach_the_browser(rig: Rig) -> None:
    # The browser never hears of an address that is refused, so it can have no tab, document or request of it.
    requested: list[str] = []
    listen = requested.append
    rig.browser.within(lambda: rig.context.on("request", lambda request: listen(request.url)))
    for url, problem in PROBLEMS:
        if problem is None:
            continue
        for member in ("navigate", "new_tab"):
            with pytest.raises(BrowserError) as caught:
                rig.call(member, url=url)
            assert str(caught.value) == problem
    state = rig.state()
    assert [tab["url"] for tab in state["tabs"]] == ["about:blank"]
    assert {change["type"] for change in state["observation"]["changes"]} == {"navigation_refused"}
    assert requested == []


def test_a_page_whose_address_cannot_be_reported_is_not_shown(rig: Rig) -> None:
    """The core refuses a report with such an address as a whole, so one page would end the run."""
    address = "http://a-.example/"
    body = "<title>planted</title>"
    # Made anew: Playwright keeps its wrapper of a handler, and the sync one does not work for the async classes.
    rig.do(
        rig.context.route, "**", lambda route: route.fulfill(content_type="text/html", body=body)
    )
    rig.call("navigate", url=address)
    rig.until(lambda: rig.page.url == address)
    (tab,) = rig.state()["tabs"]
    assert (tab["title"], tab["url"]) == ("", "about:blank")
    assert [change["type"] for change in rig.changes()] == ["navigation", "navigation_refused"]
    with pytest.raises(BrowserError, match="unsupported"):
        rig.read()


def test_no_driver_judges_an_address_itself() -> None:
    """Two languages' own parsers do not agree, and a good beginning says nothing."""
    judging = re.compile(
        r"urllib|urlsplit|urlparse|https\?|[\"'](https?|chrome-error):/*[\"']"
        r"|\burl\b.*\.(startswith|split|partition)\("
    )
    sources = list(Path(swingbridge.drivers.__file__).parent.glob("*.py"))
    lines = [line for path in sources for line in path.read_text("utf-8").splitlines()]
    assert len(sources) > 10
    assert [line for line in lines if judging.search(line)] == []
    for line in (
        'if frame.url.startswith("x")',
        'url[:7] == "http://"',
        're.match(r"https?:", url)',
    ):
        assert judging.search(line)
