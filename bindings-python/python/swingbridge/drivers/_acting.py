"""Members that use controls, keys and the pointer.

Each resolves its reference at the moment of action and acts on that very element, never on a selector or a remembered
position. What has no reference (the focus, a point, scrolling) is bound to the document that was last reported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from swingbridge import BrowserError

from ._documents import aimed_element, ask, element_of, focused_element
from ._keys import key_presses
from ._plan import Plan, Step
from ._refusals import outside_viewport, reason_error
from ._session import Session
from ._tabs import Tab

if TYPE_CHECKING:
    from swingbridge import (
        ClickAtInput,
        ClickInput,
        HoverAtInput,
        KeyInput,
        ScrollInput,
        SelectOptionInput,
        SetCheckedInput,
        TypeInput,
    )

__all__ = [
    "click",
    "click_at",
    "hover",
    "hover_at",
    "key",
    "scroll",
    "scroll_to",
    "select_option",
    "set_checked",
    "type_text",
]

SETTLE_TIMEOUT_MS: Final = 2_000
TYPED_AT_ONCE: Final = 100


def click(session: Session, args: ClickInput) -> Plan[None]:
    tab = yield from session.acting_tab(args["tab_id"])
    element = yield from element_of(session, tab, args["target"], "use")
    yield from _act(session, element.click)
    yield from _settle(session, tab)


def type_text(session: Session, args: TypeInput) -> Plan[None]:
    """Replaces what a control holds; without a target, types at the focus."""
    tab = yield from session.acting_tab(args["tab_id"])
    text, target = args["text"], args["target"]
    if target is not None:
        element = yield from element_of(session, tab, target, "edit", text)
        yield from _act(session, element.fill, text)
        return
    seen = session.reported_document(tab)
    # In pieces, so that cancellation is noticed and a field that passes the focus on keeps working.
    for start in range(0, len(text), TYPED_AT_ONCE):
        element = yield from focused_element(session, tab, seen)
        yield from _act(session, element.type, text[start : start + TYPED_AT_ONCE])
    yield from _settle(session, tab)


def key(session: Session, args: KeyInput) -> Plan[None]:
    tab = yield from session.acting_tab(args["tab_id"])
    seen = session.reported_document(tab)
    for press in key_presses(args["keys"]):
        element = yield from focused_element(session, tab, seen)
        yield from _act(session, element.press, press)
    yield from _settle(session, tab)


def select_option(session: Session, args: SelectOptionInput) -> Plan[None]:
    """Selects by value, or by label where no value fits; nothing happens when they are selected already."""
    tab = yield from session.acting_tab(args["tab_id"])
    element = yield from element_of(session, tab, args["target"], "select")
    choice = yield from ask(session, tab, "choose", ref=args["target"], values=list(args["values"]))
    if "reason" in choice:
        raise reason_error(choice["reason"])
    if choice.get("same") is not True:
        indexes = choice.get("indexes")
        yield from _act(session, element.select_option, index=indexes)
        yield from _settle(session, tab)


def set_checked(session: Session, args: SetCheckedInput) -> Plan[None]:
    """Leaves a checkbox or radio button in the wanted state, whatever its state was."""
    tab = yield from session.acting_tab(args["tab_id"])
    target, wanted = args["target"], args["checked"]
    # Twice, because a click on a box in the third state may first lead to the other one.
    for _ in range(2):
        element = yield from element_of(session, tab, target, "check")
        before = yield from _checked(session, tab, target)
        if before.get("checked") is wanted:
            return
        if before.get("role") == "radio" and not wanted:
            raise BrowserError("A radio button is cleared only by choosing another one.")
        yield from _act(session, element.click)
        after = yield from _checked(session, tab, target)
        if after.get("checked") is wanted:
            yield from _settle(session, tab)
            return
        if before.get("checked") != "mixed":
            break
    raise BrowserError("The page did not accept the change.")


def hover(session: Session, args: ClickInput) -> Plan[None]:
    tab = yield from session.acting_tab(args["tab_id"])
    element = yield from element_of(session, tab, args["target"], "visible")
    yield from _act(session, element.hover)


def scroll_to(session: Session, args: ClickInput) -> Plan[None]:
    tab = yield from session.acting_tab(args["tab_id"])
    element = yield from element_of(session, tab, args["target"], "visible")
    yield from _act(session, element.scroll_into_view_if_needed)


def scroll(session: Session, args: ScrollInput) -> Plan[str]:
    """Scrolls what is in the middle of the viewport, or else what surrounds it, by CSS pixels."""
    tab = yield from session.acting_tab(args["tab_id"])
    seen = session.reported_document(tab)
    answer = yield from ask(
        session, tab, "scroll", seen=seen, direction=args["direction"], amount=args["amount"]
    )
    moved = answer.get("moved")
    if not isinstance(moved, int) or moved == 0:
        return "Nothing moved: there is no more to scroll in this direction."
    return f"Scrolled by {moved} CSS pixels."


def click_at(session: Session, args: ClickAtInput) -> Plan[None]:
    tab = yield from session.acting_tab(args["tab_id"])
    element, position = yield from _point(session, tab, args["x"], args["y"])
    yield from _act(
        session,
        element.click,
        position=position,
        button=args["button"],
        click_count=args["click_count"],
        modifiers=list(args["keys"]),
        force=True,
    )
    yield from _settle(session, tab)


def hover_at(session: Session, args: HoverAtInput) -> Plan[None]:
    tab = yield from session.acting_tab(args["tab_id"])
    element, position = yield from _point(session, tab, args["x"], args["y"])
    yield from _act(session, element.hover, position=position, force=True)


def _point(session: Session, tab: Tab, x: int, y: int) -> Plan[tuple[Any, dict[str, float]]]:
    """A point of the viewport, as a position on an element, mostly the root.

    The pointer of a page has no timeout of its own, so a page that hangs while it handles a click would hold the
    driver; clicking "the root element at this position, whatever is there" is the same input with a timeout.
    """
    seen = session.reported_document(tab)
    place = yield from ask(session, tab, "aim", seen=seen, x=x, y=y)
    if place.get("reason") == "outside":
        raise outside_viewport(place)
    if "reason" in place:
        raise BrowserError("There is nothing at this point.")
    element = yield from aimed_element(session, tab, seen)
    return element, {"x": place["x"], "y": place["y"]}


def _checked(session: Session, tab: Tab, target: str) -> Plan[dict[str, Any]]:
    answer = yield from ask(session, tab, "checked", ref=target)
    if "reason" in answer:
        raise reason_error(answer["reason"])
    return answer


def _act(session: Session, method: Callable[..., Any], *args: Any, **options: Any) -> Plan[None]:
    error, timeout = session.errors
    limit = session.settings.action_timeout_ms
    try:
        yield Step(lambda: method(*args, timeout=limit, **options))
    except timeout:
        raise BrowserError(
            "The page did not take the action in time: the control may be covered or moving, or the page busy. "
            "Read the page before another attempt."
        ) from None
    except error as failure:
        raise _explained(str(failure)) from None


def _explained(message: str) -> BrowserError:
    """Playwright's messages quote the page, so they are recognised and replaced."""
    if "not attached" in message or "detached" in message or "context was destroyed" in message:
        return reason_error("stale")
    if "has been closed" in message:
        return BrowserError("The tab closed during the action.")
    return BrowserError("The page did not accept the action. Read the page before another attempt.")


def _settle(session: Session, tab: Tab) -> Plan[None]:
    """Gives a navigation that the action began a moment to show its document."""
    error, _ = session.errors
    try:
        yield Step(
            lambda: tab.page.wait_for_load_state("domcontentloaded", timeout=SETTLE_TIMEOUT_MS)
        )
    except error:
        return
