"""Arguments of the browser members, as drivers and callbacks get them (B-10, B-11, B-53).

Every field is always there; where a field may be absent for the model it is None here. Texts are
plain `str`, lists plain `list`, integers never `bool` or `float`. What is outside the limits below
is refused before a driver or a callback is called (B-12).
"""

# Written from the member table of the core. After a change of the table, write it again with
#   UPDATE=1 cargo test -p swingbridge-core --test generated

from __future__ import annotations

from typing import Literal, TypeAlias, TypedDict

BrowserMember: TypeAlias = Literal[
    "navigate",
    "read_page",
    "get_page_text",
    "find",
    "click",
    "type",
    "key",
    "scroll",
    "select_option",
    "hover",
    "screenshot",
    "zoom",
    "new_tab",
    "list_tabs",
    "switch_tab",
    "close_tab",
    "scroll_to",
    "wait_for",
    "hover_at",
    "set_checked",
    "click_at",
    "drag_path",
    "hold_keys",
    "read_page_scoped",
    "read_diagnostics",
    "run_script",
    "upload_file",
    "download_file",
]
"""The name of a browser member, and of the driver method for it (B-1)."""

BROWSER_MEMBERS: tuple[BrowserMember, ...] = (
    "navigate",
    "read_page",
    "get_page_text",
    "find",
    "click",
    "type",
    "key",
    "scroll",
    "select_option",
    "hover",
    "screenshot",
    "zoom",
    "new_tab",
    "list_tabs",
    "switch_tab",
    "close_tab",
    "scroll_to",
    "wait_for",
    "hover_at",
    "set_checked",
    "click_at",
    "drag_path",
    "hold_keys",
    "read_page_scoped",
    "read_diagnostics",
    "run_script",
    "upload_file",
    "download_file",
)
"""All members, in the order in which their tools are listed (B-1)."""

DEFAULT_BROWSER_MEMBERS: tuple[BrowserMember, ...] = (
    "navigate",
    "read_page",
    "get_page_text",
    "find",
    "click",
    "type",
    "key",
    "scroll",
    "select_option",
    "hover",
    "screenshot",
    "zoom",
    "new_tab",
    "list_tabs",
    "switch_tab",
    "close_tab",
    "scroll_to",
    "wait_for",
)
"""The members that a toolset exposes without being asked, if the driver has them (B-1, B-2)."""


class BrowserPoint(TypedDict):
    """A point of `drag_path`, in CSS pixels of the whole viewport (B-11).

    Attributes:
        x: From the left edge. An integer from 0 to 2**53 - 1.
        y: From the top edge. An integer from 0 to 2**53 - 1.
    """

    x: int
    y: int


class NavigateInput(TypedDict):
    """Arguments of `navigate` (B-11).

    Attributes:
        url: The absolute address to open.
        tab_id: A tab's id from the state; None for the active tab.
    """

    url: str
    tab_id: str | None


class ReadPageInput(TypedDict):
    """Arguments of `read_page` (B-11).

    Attributes:
        tab_id: A tab's id from the state; None for the active tab.
        filter: all: text and controls; interactive: controls only.
    """

    tab_id: str | None
    filter: Literal["all", "interactive"]


class TabInput(TypedDict):
    """Arguments of `get_page_text`, `screenshot`, `switch_tab` and `close_tab` (B-11).

    Attributes:
        tab_id: A tab's id from the state; None for the active tab. Never None for `switch_tab` and
            `close_tab`.
    """

    tab_id: str | None


class FindInput(TypedDict):
    """Arguments of `find` (B-11).

    Attributes:
        query: Words that describe what to look for.
        tab_id: A tab's id from the state; None for the active tab.
    """

    query: str
    tab_id: str | None


class ClickInput(TypedDict):
    """Arguments of `click`, `hover` and `scroll_to` (B-11).

    Attributes:
        target: The ref of a control from the latest read.
        tab_id: A tab's id from the state; None for the active tab.
    """

    target: str
    tab_id: str | None


class TypeInput(TypedDict):
    """Arguments of `type` (B-11).

    Attributes:
        text: The text to enter.
        target: The ref of a control from the latest read; None for the control that has the focus.
        tab_id: A tab's id from the state; None for the active tab.
    """

    text: str
    target: str | None
    tab_id: str | None


class KeyInput(TypedDict):
    """Arguments of `key` (B-11).

    Attributes:
        keys: Key names that are pressed together as one chord.
        tab_id: A tab's id from the state; None for the active tab.
    """

    keys: list[str]
    tab_id: str | None


class ScrollInput(TypedDict):
    """Arguments of `scroll` (B-11).

    Attributes:
        direction: up, down, left or right.
        amount: How far, in CSS pixels. An integer from 0 to 2**53 - 1.
        tab_id: A tab's id from the state; None for the active tab.
    """

    direction: Literal["up", "down", "left", "right"]
    amount: int
    tab_id: str | None


class SelectOptionInput(TypedDict):
    """Arguments of `select_option` (B-11).

    Attributes:
        target: The ref of a control from the latest read.
        values: The values of the options to be selected.
        tab_id: A tab's id from the state; None for the active tab.
    """

    target: str
    values: list[str]
    tab_id: str | None


class ZoomInput(TypedDict):
    """Arguments of `zoom` (B-11).

    Attributes:
        tab_id: A tab's id from the state; None for the active tab.
        region: left, top, right, bottom in CSS pixels of the viewport, right of left and below top.
            Four integers from 0 to 2**53 - 1.
    """

    tab_id: str | None
    region: list[int]


class NewTabInput(TypedDict):
    """Arguments of `new_tab` (B-11).

    Attributes:
        url: The absolute address to open; None for a blank tab.
    """

    url: str | None


class WaitForInput(TypedDict):
    """Arguments of `wait_for` (B-11).

    Attributes:
        text: Text that should become visible; not blank. At most 256 UTF-8 bytes, with each run of
            white space counted as one space and none at the ends.
        timeout_ms: How long to wait at most, in milliseconds. An integer from 1 to 30000.
        tab_id: A tab's id from the state; None for the active tab.
    """

    text: str
    timeout_ms: int
    tab_id: str | None


class HoverAtInput(TypedDict):
    """Arguments of `hover_at` (B-11).

    Attributes:
        tab_id: A tab's id from the state; None for the active tab.
        x: CSS pixels from the left edge of the whole viewport. An integer from 0 to 2**53 - 1.
        y: CSS pixels from the top edge of the whole viewport. An integer from 0 to 2**53 - 1.
    """

    tab_id: str | None
    x: int
    y: int


class SetCheckedInput(TypedDict):
    """Arguments of `set_checked` (B-11).

    Attributes:
        tab_id: A tab's id from the state; None for the active tab.
        target: The ref of a control from the latest read.
        checked: The state it should end in.
    """

    tab_id: str | None
    target: str
    checked: bool


class ClickAtInput(TypedDict):
    """Arguments of `click_at` (B-11).

    Attributes:
        tab_id: A tab's id from the state; None for the active tab.
        x: CSS pixels from the left edge of the whole viewport. An integer from 0 to 2**53 - 1.
        y: CSS pixels from the top edge of the whole viewport. An integer from 0 to 2**53 - 1.
        button: left, right or middle.
        click_count: 1, 2 or 3.
        keys: Modifiers held during the action; empty for none. Each at most once.
    """

    tab_id: str | None
    x: int
    y: int
    button: Literal["left", "right", "middle"]
    click_count: Literal[1, 2, 3]
    keys: list[Literal["Control", "Alt", "Meta", "Shift"]]


class DragPathInput(TypedDict):
    """Arguments of `drag_path` (B-11).

    Attributes:
        tab_id: A tab's id from the state; None for the active tab.
        path: The points to pass, in CSS pixels of the whole viewport; pressed at the first,
            released at the last. 2 to 100 points.
        keys: Modifiers held during the action; empty for none. Each at most once.
    """

    tab_id: str | None
    path: list[BrowserPoint]
    keys: list[Literal["Control", "Alt", "Meta", "Shift"]]


class HoldKeysInput(TypedDict):
    """Arguments of `hold_keys` (B-11).

    Attributes:
        tab_id: A tab's id from the state; None for the active tab.
        keys: Names of the keys that are held together. 1 to 8 different names, none empty, each at
            most 64 UTF-8 bytes.
        duration_ms: How long the keys are held, in milliseconds. An integer from 1 to 3000.
    """

    tab_id: str | None
    keys: list[str]
    duration_ms: int


class ReadPageScopedInput(TypedDict):
    """Arguments of `read_page_scoped` (B-11).

    Attributes:
        tab_id: A tab's id from the state; None for the active tab.
        root: The ref of a scope from the latest scoped read; None to discover the scopes. Not
            empty, at most 256 UTF-8 bytes.
        depth: How many levels of the document below the root to read. An integer from 1 to 32.
        filter: all: text and controls; interactive: controls only.
    """

    tab_id: str | None
    root: str | None
    depth: int
    filter: Literal["all", "interactive"]


class ReadDiagnosticsInput(TypedDict):
    """Arguments of `read_diagnostics` (B-11).

    Attributes:
        tab_id: A tab's id from the state; None for the active tab.
        source: console or network.
        limit: The largest number of records to report. An integer from 1 to 100.
    """

    tab_id: str | None
    source: Literal["console", "network"]
    limit: int


class RunScriptInput(TypedDict):
    """Arguments of `run_script` (B-11).

    Attributes:
        tab_id: A tab's id from the state; None for the active tab.
        source: The JavaScript to run. Not empty, of any length.
        timeout_ms: How long to wait at most, in milliseconds. An integer from 1 to 30000.
    """

    tab_id: str | None
    source: str
    timeout_ms: int


class BrowserFileInput(TypedDict):
    """Arguments of `upload_file` and `download_file` (B-11).

    Attributes:
        grant_id: The id of a file grant that the application issued; not a path and not a URL. Not
            empty, at most 256 UTF-8 bytes.
    """

    grant_id: str
