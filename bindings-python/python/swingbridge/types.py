"""The shapes that drivers, callbacks and callers exchange with the helpers (B-53).

The inputs of the members are in ``_inputs``, which is rendered from the member table of the core.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias, TypedDict

from ._inputs import ClickInput, NavigateInput, ReadPageInput, TabInput
from .actions import (
    ClickAction,
    DoubleClickAction,
    DragAction,
    KeypressAction,
    MoveAction,
    ScrollAction,
    TypeAction,
    WaitAction,
)

# --- what a driver reports of its tabs (B-30 to B-33) ---------------------------------------------


class BrowserTab(TypedDict):
    """One tab. Ids are stable and unique; exactly one tab is active if there are any."""

    id: str
    title: str
    url: str
    active: bool


class BrowserTabChange(TypedDict):
    """A tab was opened, closed or switched to, or went to another document."""

    type: Literal["tab_opened", "tab_closed", "tab_switched", "navigation"]
    sequence: int
    tab_id: str


class BrowserNavigationRefused(TypedDict):
    """A tab was kept from going somewhere."""

    type: Literal["navigation_refused"]
    sequence: int
    tab_id: str | None
    reason: Literal["policy", "unsupported"]


class BrowserDialogDismissed(TypedDict):
    """A dialog of the page was dismissed."""

    type: Literal["dialog_dismissed"]
    sequence: int
    tab_id: str
    kind: Literal["alert", "confirm", "prompt", "beforeunload", "other"]


class BrowserDownload(TypedDict):
    """A download began, ended or was blocked."""

    type: Literal["download"]
    sequence: int
    tab_id: str | None
    status: Literal["blocked", "started", "completed", "failed"]


BrowserStateChange: TypeAlias = (
    BrowserTabChange | BrowserNavigationRefused | BrowserDialogDismissed | BrowserDownload
)


class BrowserObservationV1(TypedDict):
    """Version 1 of what happened in the browser: ``sequence == dropped_changes + len(changes)``."""

    version: Literal[1]
    sequence: int
    dropped_changes: int
    title_truncated: bool
    changes: list[BrowserStateChange]


class _BrowserState(TypedDict):
    tabs: list[BrowserTab]


class BrowserState(_BrowserState, total=False):
    """What ``state()`` returns."""

    observation: BrowserObservationV1


# --- what members return (B-40 to B-45) -----------------------------------------------------------

_Role = Literal["button", "textbox", "combobox", "checkbox", "radio", "slider", "listbox"]
_Omission = Literal[
    "report_limit",
    "text_limit",
    "target_limit",
    "work_limit",
    "frame_limit",
    "unsupported_root",
    "unsupported_control",
    "remote_action",
    "private",
    "value",
    "name_limit",
]


class _BrowserReadOption(TypedDict):
    label: str
    value: str


class BrowserReadOption(_BrowserReadOption, total=False):
    """An option of a list; ``selected`` counts on a listbox only."""

    selected: bool


class _BrowserReadElement(TypedDict):
    ref: str
    role: _Role
    label: str


class BrowserReadElement(_BrowserReadElement, total=False):
    """A control. ``ref`` and ``label`` have 1 to 256 bytes, ``value`` at most 512."""

    value: str
    options: list[BrowserReadOption]
    checked: bool


class BrowserReadV1(TypedDict):
    """A structured read. ``omitted`` says what the report leaves out, each code once."""

    version: Literal[1]
    text: str
    elements: list[BrowserReadElement]
    omitted: list[_Omission]


class BrowserReadScope(TypedDict):
    """A part of the page that ``read_page_scoped`` can read next."""

    ref: str
    label: str


class BrowserScopedReadV1(BrowserReadV1):
    """A structured read of one part of the page."""

    scopes: list[BrowserReadScope]


class _FileOutcome(TypedDict):
    version: Literal[1]
    cleanup: Literal["not_started", "pending", "completed"]


class _FileCompleted(_FileOutcome):
    status: Literal["completed"]
    effect: Literal["completed"]


class _FileRefused(_FileOutcome):
    status: Literal["refused"]
    effect: Literal["none"]


class _FileUnknown(_FileOutcome):
    status: Literal["unknown"]
    effect: Literal["unknown"]


class _FileInterrupted(_FileOutcome):
    status: Literal["interrupted"]
    effect: Literal["none", "unknown"]


BrowserFileOutcome: TypeAlias = _FileCompleted | _FileRefused | _FileUnknown | _FileInterrupted


class _BrowserImage(TypedDict):
    type: Literal["input_image"]


class BrowserImage(_BrowserImage, total=False):
    """What ``screenshot`` and ``zoom`` return: at least one of ``image_url`` and ``file_id``."""

    image_url: str | None
    file_id: str | None
    detail: Literal["auto", "low", "high", "original"] | None
    prompt_cache_breakpoint: Mapping[str, Any] | None


# --- what callbacks are given (B-20, B-22) --------------------------------------------------------


class BrowserConfirmContext(TypedDict):
    """The action that waits for consent. A detached copy: editing it changes nothing."""

    member: str
    arguments: dict[str, object]
    state: BrowserState
    call_id: str


class BrowserReadConfirmContext(TypedDict):
    """The read that waits for consent, before anything is read."""

    member: str
    arguments: dict[str, object]
    state: None
    call_id: str
    phase: Literal["before_read"]


# --- calls, outputs, tools ------------------------------------------------------------------------


class FunctionCallObject(Protocol):
    """A call as an object with attributes, such as the ``openai`` package's."""

    @property
    def type(self) -> str:
        """Always ``"function_call"``."""
        ...

    @property
    def name(self) -> str:
        """The name of the tool."""
        ...

    @property
    def call_id(self) -> str:
        """The id that the output repeats."""
        ...

    @property
    def arguments(self) -> str:
        """The arguments as JSON text."""
        ...


FunctionCall: TypeAlias = Mapping[str, object] | FunctionCallObject


class FunctionCallOutput(TypedDict):
    """The item that answers a call (B-47)."""

    type: Literal["function_call_output"]
    call_id: str
    output: list[dict[str, Any]]


class FunctionTool(TypedDict):
    """A function tool of ``responses.create`` (B-4)."""

    type: Literal["function"]
    name: str
    description: str
    strict: bool
    parameters: dict[str, Any]


class CloseStatus(TypedDict):
    """What ``close`` found: ``"draining"`` while earlier work still runs."""

    status: Literal["closed", "draining"]


FunctionResult: TypeAlias = str | Sequence[Mapping[str, object]]
"""Text, or a list of ``input_text``, ``input_image`` and ``input_file`` blocks (R-10)."""


# --- clients --------------------------------------------------------------------------------------


class ResponsesClient(Protocol):
    """A client with ``responses.create(**params)``."""

    @property
    def responses(self) -> Any:
        """Has ``create(**params)``, synchronous or asynchronous as the runner."""
        ...


# --- diagnostics (B-52, R-60) ---------------------------------------------------------------------


class ToolDiagnosticUsage(TypedDict):
    """Token counts of one request."""

    input_tokens: int
    output_tokens: int
    total_tokens: int


class ToolDiagnostic(TypedDict):
    """A record without content: no page text, arguments, words of errors or images."""

    api: Literal["responses", "decisions", "browser", "computer"]
    stage: Literal[
        "run",
        "request",
        "arguments",
        "approval",
        "action",
        "output",
        "selection",
        "verification",
    ]
    reason: Literal[
        "started",
        "completed",
        "refused",
        "cancelled",
        "invalid_input",
        "invalid_output",
        "api_failed",
        "driver_failed",
        "policy_failed",
        "step_limit",
        "busy",
        "closed",
    ]
    call_id: str | None
    member: str | None
    duration_ms: float
    usage: ToolDiagnosticUsage | None


ToolDiagnosticObserver: TypeAlias = Callable[[ToolDiagnostic], object]


# --- drivers --------------------------------------------------------------------------------------
#
# Partial on purpose: a driver has ``state`` and whatever members it can do.


class BrowserDriver(Protocol):
    """A synchronous driver."""

    def state(self) -> BrowserState:
        """The tabs as they are now."""
        ...


class BrowserReadDriver(BrowserDriver, Protocol):
    """A driver that reads pages."""

    def read_page(self, action: ReadPageInput, /) -> str | BrowserReadV1 | None:
        """What is visible on the page."""
        ...


class BrowserNavigationDriver(BrowserDriver, Protocol):
    """A driver that opens addresses."""

    def navigate(self, action: NavigateInput, /) -> str | None:
        """Open an address in a tab."""
        ...


class BrowserClickDriver(BrowserDriver, Protocol):
    """A driver that clicks controls."""

    def click(self, action: ClickInput, /) -> str | None:
        """Click a control."""
        ...


class BrowserScreenshotDriver(BrowserDriver, Protocol):
    """A driver that takes pictures."""

    def screenshot(self, action: TabInput, /) -> BrowserImage:
        """Take a picture of what the tab shows."""
        ...


class AsyncBrowserDriver(Protocol):
    """An asynchronous driver."""

    def state(self) -> Awaitable[BrowserState]:
        """The tabs as they are now."""
        ...


class AsyncBrowserReadDriver(AsyncBrowserDriver, Protocol):
    """A driver that reads pages."""

    def read_page(self, action: ReadPageInput, /) -> Awaitable[str | BrowserReadV1 | None]:
        """What is visible on the page."""
        ...


class AsyncBrowserNavigationDriver(AsyncBrowserDriver, Protocol):
    """A driver that opens addresses."""

    def navigate(self, action: NavigateInput, /) -> Awaitable[str | None]:
        """Open an address in a tab."""
        ...


class AsyncBrowserClickDriver(AsyncBrowserDriver, Protocol):
    """A driver that clicks controls."""

    def click(self, action: ClickInput, /) -> Awaitable[str | None]:
        """Click a control."""
        ...


class AsyncBrowserScreenshotDriver(AsyncBrowserDriver, Protocol):
    """A driver that takes pictures."""

    def screenshot(self, action: TabInput, /) -> Awaitable[BrowserImage]:
        """Take a picture of what the tab shows."""
        ...


# --- the computer helper (C-1, C-2, C-6) ----------------------------------------------------------


class _Screenshot(TypedDict):
    type: Literal["computer_screenshot"]


class Screenshot(_Screenshot, total=False):
    """What ``screenshot`` returns: at least one of ``image_url`` and ``file_id``, none of them blank."""

    image_url: str
    file_id: str


class AcknowledgedSafetyCheck(TypedDict):
    """A check that was pending and has been approved."""

    id: str
    code: str | None
    message: str | None


class ComputerCallOutput(TypedDict):
    """The item that answers a computer call."""

    type: Literal["computer_call_output"]
    call_id: str
    output: Screenshot
    acknowledged_safety_checks: list[AcknowledgedSafetyCheck]


class ComputerCallObject(Protocol):
    """A computer call as an object with attributes, such as the ``openai`` package's."""

    @property
    def type(self) -> str:
        """Always ``"computer_call"``."""
        ...

    @property
    def id(self) -> str:
        """The id of the item."""
        ...

    @property
    def call_id(self) -> str:
        """The id that the output repeats."""
        ...


ComputerCallInput: TypeAlias = Mapping[str, object] | ComputerCallObject


class ComputerDriver(Protocol):
    """A synchronous driver of a screen. Each method acts, or raises on what it cannot do."""

    def click(self, action: ClickAction, /) -> None:
        """Click a point with a button, keys held."""
        ...

    def double_click(self, action: DoubleClickAction, /) -> None:
        """Click a point twice, keys held."""
        ...

    def drag(self, action: DragAction, /) -> None:
        """Move along a path with the button pressed, keys held."""
        ...

    def keypress(self, action: KeypressAction, /) -> None:
        """Press keys together."""
        ...

    def move(self, action: MoveAction, /) -> None:
        """Move the pointer, keys held."""
        ...

    def scroll(self, action: ScrollAction, /) -> None:
        """Scroll what is at a point, keys held."""
        ...

    def type(self, action: TypeAction, /) -> None:
        """Type text where the focus is."""
        ...

    def wait(self, action: WaitAction, /) -> None:
        """Wait until the screen has settled."""
        ...

    def screenshot(self) -> Screenshot:
        """Take a picture of the screen as it is now."""
        ...


class AsyncComputerDriver(Protocol):
    """An asynchronous driver of a screen."""

    def click(self, action: ClickAction, /) -> Awaitable[None]:
        """Click a point with a button, keys held."""
        ...

    def double_click(self, action: DoubleClickAction, /) -> Awaitable[None]:
        """Click a point twice, keys held."""
        ...

    def drag(self, action: DragAction, /) -> Awaitable[None]:
        """Move along a path with the button pressed, keys held."""
        ...

    def keypress(self, action: KeypressAction, /) -> Awaitable[None]:
        """Press keys together."""
        ...

    def move(self, action: MoveAction, /) -> Awaitable[None]:
        """Move the pointer, keys held."""
        ...

    def scroll(self, action: ScrollAction, /) -> Awaitable[None]:
        """Scroll what is at a point, keys held."""
        ...

    def type(self, action: TypeAction, /) -> Awaitable[None]:
        """Type text where the focus is."""
        ...

    def wait(self, action: WaitAction, /) -> Awaitable[None]:
        """Wait until the screen has settled."""
        ...

    def screenshot(self) -> Awaitable[Screenshot]:
        """Take a picture of the screen as it is now."""
        ...
