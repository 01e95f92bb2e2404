from typing import Any, Final, SupportsFloat, SupportsIndex, final
from typing_extensions import disjoint_base

__all__ = ["ACT", "ACT_ON_COMPUTER", "APPROVE_MCP", "APPROVE_SAFETY", "AWAIT_FUNCTION", "BLANK_ADDRESS", "CALL_FUNCTION", "COMPACT", "COMPUTER_OUTPUT", "CONFIRM", "DELIVER_EVENT", "EMIT", "FINISHED", "FRAME_LIMIT", "KEY_LIMIT", "MAX_PATCHES", "MAX_SIDE", "MEASURE", "OUTPUT", "PAGE_TIMEOUT_MS", "PAUSE_MS", "READ_EVENT", "READ_STATE", "REVIEW_ACTION", "REVIEW_EARLY", "REVIEW_URL", "SAVE", "SEND", "START_FUNCTION", "STOPPED", "TAB_LIMIT", "TAKE_SCREENSHOT", "TURN", "BrowserCall", "BrowserSession", "ComputerCall", "ComputerSession", "CoordinateMapping", "Hold", "JsonObject", "NativeClient", "NativeRehearsal", "NativeRequest", "NativeStream", "PendingEvent", "PendingReply", "Picture", "RehearsedRequest", "Run", "RunnerSession", "UsageSummary", "address_problem", "browser_members", "check_tool_name", "chord", "computer_methods", "detached", "end_requests", "fit", "page_kind", "page_script", "plain", "run_command", "safe_title", "strict_schema", "tool_name_of"]

ACT: Final[int]
ACT_ON_COMPUTER: Final[int]
APPROVE_MCP: Final[int]
APPROVE_SAFETY: Final[int]
AWAIT_FUNCTION: Final[int]
BLANK_ADDRESS: Final[str]
CALL_FUNCTION: Final[int]
COMPACT: Final[int]
COMPUTER_OUTPUT: Final[int]
CONFIRM: Final[int]
DELIVER_EVENT: Final[int]
EMIT: Final[int]
FINISHED: Final[int]
FRAME_LIMIT: Final[int]
KEY_LIMIT: Final[int]
MAX_PATCHES: Final[int]
MAX_SIDE: Final[int]
MEASURE: Final[int]
OUTPUT: Final[int]
PAGE_TIMEOUT_MS: Final[tuple[int, int]]
PAUSE_MS: Final[tuple[int, int]]
READ_EVENT: Final[int]
READ_STATE: Final[int]
REVIEW_ACTION: Final[int]
REVIEW_EARLY: Final[int]
REVIEW_URL: Final[int]
SAVE: Final[int]
SEND: Final[int]
START_FUNCTION: Final[int]
STOPPED: Final[int]
TAB_LIMIT: Final[int]
TAKE_SCREENSHOT: Final[int]
TURN: Final[int]

@final
class BrowserCall:
    """
    A browser call. Each answer gives the next ask.
    """
    def answer_cancelled(self, /, id: SupportsIndex, now: SupportsIndex) -> "tuple[Any, ...]": ...
    def answer_failed(self, /, id: SupportsIndex, words: str | None, cancelled: bool, now: SupportsIndex) -> "tuple[Any, ...]":
        """
        `words` are for the model; `None` if there are none.
        """
    def answer_seen(self, /, id: SupportsIndex, cancelled: bool, now: SupportsIndex) -> "tuple[Any, ...]": ...
    def answer_value(self, /, id: SupportsIndex, value: Any, cancelled: bool, now: SupportsIndex) -> "tuple[Any, ...]": ...
    def answer_verdict(self, /, id: SupportsIndex, verdict: bool, cancelled: bool, now: SupportsIndex) -> "tuple[Any, ...]": ...
    def call_number(self, /) -> int:
        """
        Which call it is in its run; here the only one.
        """

@final
class BrowserSession:
    """
    The members that a toolset exposes, and who may use it (B-2, B-50).
    """
    def __new__(cls, /, implemented: "list[str]", members: "list[str] | None", additional_members: "list[str] | None", confirm_reads: "list[str] | None", has_confirm: bool, has_url_policy: bool) -> BrowserSession:
        """
        `implemented` names the driver's methods. Raises `ConfigurationError`.
        """
    def begin(self, /, call: Any, observed: bool, now: SupportsIndex, cancelled: bool) -> "tuple[BrowserCall, tuple[Any, ...]]":
        """
        Begins a call, a dict or an object with the same attributes, and gives its first ask.
        """
    def close(self, /) -> "Any":
        """
        Refuses new work; "draining" while earlier work still runs.
        """
    def enter(self, /) -> Hold:
        """
        Begins work, which lasts as long as what is returned. Raises `BusyError` or `ClosedError`.
        """
    def members(self, /) -> list[str]:
        """
        The names of the exposed members, in the order of the tools.
        """
    def tools(self, /) -> "list[Any]":
        """
        The function tools, made anew (B-4).
        """

@final
class ComputerCall:
    """
    A computer call. Each answer gives the next ask.
    """
    def answer_cancelled(self, /, id: SupportsIndex, now: SupportsIndex) -> "tuple[Any, ...]": ...
    def answer_failed(self, /, id: SupportsIndex, words: str | None, cancelled: bool, now: SupportsIndex) -> "tuple[Any, ...]":
        """
        `words` are for the model; `None` if there are none.
        """
    def answer_seen(self, /, id: SupportsIndex, cancelled: bool, now: SupportsIndex) -> "tuple[Any, ...]": ...
    def answer_value(self, /, id: SupportsIndex, value: Any, cancelled: bool, now: SupportsIndex) -> "tuple[Any, ...]": ...
    def answer_verdict(self, /, id: SupportsIndex, verdict: bool, cancelled: bool, now: SupportsIndex) -> "tuple[Any, ...]": ...
    def call_number(self, /) -> int:
        """
        Which call it is in its run; here the only one.
        """

@final
class ComputerSession:
    """
    Who may use a computer toolset (B-50).
    """
    def __new__(cls, /) -> ComputerSession: ...
    @staticmethod
    def begin(params: Any, local_tools: "list[Any]", given: "object", observed: bool, now: SupportsIndex, cancelled: bool) -> "tuple[Run, tuple[Any, ...]]":
        """
        Admits and begins a run of the computer alone, and gives its first ask (C-7). Raises
        `ConfigurationError`.
        """
    @staticmethod
    def begin_call(call: Any, observed: bool, now: SupportsIndex, cancelled: bool, consents: tuple[bool, bool]) -> "tuple[ComputerCall, tuple[Any, ...]]":
        """
        Begins a call, given as plain objects, and gives its first ask. `consents` says whether there
        is an `approve_safety_checks` and a `before_action`.
        """
    def close(self, /) -> "Any":
        """
        Refuses new work; "draining" while earlier work still runs.
        """
    def enter(self, /) -> Hold:
        """
        Begins work, which lasts as long as what is returned. Raises `BusyError` or `ClosedError`.
        """
    def remain(self, /) -> Hold:
        """
        Keeps the work that is going on from ending before what is returned ends.
        """

@final
class CoordinateMapping:
    """
    From pixels of a picture to points of the screen that it shows, and back (D-3).
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(cls, /, area: tuple[SupportsFloat | SupportsIndex, SupportsFloat | SupportsIndex, SupportsFloat | SupportsIndex, SupportsFloat | SupportsIndex], picture: tuple[SupportsIndex, SupportsIndex]) -> CoordinateMapping:
        """
        The `area` of the screen, in the units in which the driver clicks, was pictured with `picture`
        pixels. Raises `DriverError`.
        """
    def __repr__(self, /) -> str: ...
    @property
    def area(self, /) -> tuple[float, float, float, float]:
        """
        `(left, top, width, height)` of the pictured part of the screen.
        """
    @property
    def picture(self, /) -> tuple[int, int]:
        """
        `(width, height)` of the picture in pixels.
        """
    def to_picture(self, /, x: SupportsFloat | SupportsIndex, y: SupportsFloat | SupportsIndex) -> tuple[int, int]:
        """
        The pixel of the picture that shows a point of the screen. Raises `DriverError` if none does.
        """
    def to_screen(self, /, x: SupportsIndex, y: SupportsIndex) -> tuple[float, float]:
        """
        The point of the screen under a pixel of the picture. Raises `DriverError` outside of it.
        """

@final
class Hold:
    """
    Work that is going on. It ends with the `with` block, or with this object if no block was reached:
    an interrupt at any moment leaves the gate free.
    """
    def __enter__(self, /) -> Hold: ...
    def __exit__(self, /, *_error: "object") -> None: ...

@disjoint_base
class JsonObject:
    """
    An object of the service: a response, an event of a stream, or a part of one.

    Its fields are attributes, at every depth, and are read when they are looked at first; those with names
    of the caller's own, such as `metadata`, are dicts. What is in it cannot be changed; `to_dict` makes a
    copy that can.
    """
    def __copy__(self, /) -> "object": ...
    def __deepcopy__(self, /, _memo: "object") -> "object": ...
    def __dir__(self, /) -> "list[str]": ...
    def __eq__(self, other: object, /) -> Any: ...
    def __getattr__(self, name: str, /) -> Any: ...
    def __new__(cls, /, source: "object", request_id: str | None = None) -> JsonObject:
        """
        `source` is another such object, whose text is shared, or JSON text of an object.
        """
    def __reduce__(self, /) -> "tuple[Any, ...]": ...
    def __repr__(self, /) -> str:
        """
        What it is, without what a model wrote.
        """
    @property
    def _request_id(self, /) -> str | None:
        """
        What the service called the request, if this is a whole response or an event of its stream.
        """
    def to_dict(self, /) -> "dict[str, Any]":
        """
        A copy as plain dicts and lists.
        """
    def to_json(self, /) -> str:
        """
        The JSON text as it came.
        """

@final
class NativeClient:
    """
    Sends requests to one service. It holds the key, which nothing shows.
    """
    def __new__(cls, /, settings: "object", reply_kind: "type[JsonObject]", event_kind: "type[JsonObject]") -> NativeClient:
        """
        Replies and events become objects of these classes. Raises `ConfigurationError`.
        """
    def close(self, /) -> None:
        """
        Sends nothing any more. Idle connections close once no request under way needs them.
        """
    def is_closed(self, /) -> bool:
        """
        Whether `close` was called.
        """
    def origin(self, /) -> str:
        """
        Where it sends, without path and query.
        """
    def send(self, /, request: NativeRequest) -> "Any":
        """
        Sends a request and waits for the reply, or for the beginning of the stream.
        """
    def start(self, /, request: NativeRequest, wake: "object") -> PendingReply:
        """
        Begins to send a request; `wake` is called once, by another thread, when it is over.
        """

@final
class NativeRehearsal:
    """
    A server that listens. A process that was forked from the one that made it can do nothing with it.
    """
    def __new__(cls, /, script: "object", replays: bool, port: SupportsIndex, api_key: str | None, transcript: "object", keeps_bodies: bool) -> NativeRehearsal:
        """
        Returns once it listens. `script` is a text or plain objects; with `replays` it is the text of
        a transcript. Raises `ScriptError` and `OSError`.
        """
    def requests(self, /) -> list[RehearsedRequest]:
        """
        All requests so far, the refused ones included.
        """
    def stop(self, /) -> None:
        """
        Ends all connections and gives the port back; does nothing the second time, and in a process
        that was forked. Raises `OSError` if a line of the transcript was lost.
        """
    def turns_left(self, /) -> int:
        """
        How many turns of the script, or of its latest pass, were not taken.
        """
    def url(self, /) -> str:
        """
        The base address for clients. Raises `ClosedError` once it is stopped.
        """

@final
class NativeRequest:
    """
    A request, ready to be sent.
    """
    def __new__(cls, /, body: "dict[str, Any]", terms: "object", streams: bool) -> NativeRequest:
        """
        `body` are plain objects. Raises `ConfigurationError` if they have no JSON form.
        """
    @property
    def streams(self, /) -> bool:
        """
        Whether it asks for a stream.
        """

@final
class NativeStream:
    """
    The events of a response that is being streamed. It closes with its end, with the first failure, with
    a wait that is cut short, and when it is let go of.
    """
    def close(self, /) -> None:
        """
        Closes the socket, whoever waits for an event.
        """
    def ready(self, /) -> "Any":
        """
        The next event if its bytes are here already; None if it has to be waited for.
        """
    @property
    def request_id(self, /) -> str | None:
        """
        What the service called the request.
        """
    def start(self, /, wake: "object") -> PendingEvent | None:
        """
        Begins to wait for the next event; `wake` is called once, by another thread, when it is there.
        None if the stream is closed.
        """
    def wait(self, /) -> "Any":
        """
        Waits for the next event; None at the end.
        """

@final
class PendingEvent:
    """
    An event that is being waited for.
    """
    def cancel(self, /) -> None:
        """
        Stops waiting; the stream is closed.
        """
    def result(self, /) -> "Any":
        """
        The event; None at the end of the stream, or before it is there.
        """

@final
class PendingReply:
    """
    A request under way.
    """
    def cancel(self, /) -> None:
        """
        Gives the request up; its socket is closed.
        """
    def result(self, /) -> "Any":
        """
        The reply or the stream, once; None before it is over.
        """

@final
class Picture:
    """
    The format and the size of a picture, from its own header (D-3).
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __repr__(self, /) -> str: ...
    def check_limits(self, /) -> None:
        """
        Raises `DriverError` if the service would refuse a picture of this size.
        """
    @property
    def height(self, /) -> int: ...
    @property
    def media_type(self, /) -> str: ...
    @staticmethod
    def read(data: bytes) -> Picture:
        """
        Reads the header of an encoded picture; the pixels are not looked at. Raises `DriverError`.
        """
    @property
    def width(self, /) -> int: ...

@final
class RehearsedRequest:
    """
    A request that came to a rehearsal, and what it was answered (D-8).
    """
    def __repr__(self, /) -> str: ...
    @property
    def body(self, /) -> bytes:
        """
        The body; empty if bodies are not kept.
        """
    @property
    def idempotency_key(self, /) -> str | None:
        """
        The `Idempotency-Key` that it was sent with.
        """
    def json(self, /) -> "Any":
        """
        The body read as JSON. Raises `ValueError` if it is none, or was not kept.
        """
    @property
    def path(self, /) -> str:
        """
        The path that was asked for, without the query.
        """
    @property
    def refusal(self, /) -> str | None:
        """
        Why it was refused; None if it was not.
        """
    @property
    def status(self, /) -> int:
        """
        The status of the answer.
        """
    @property
    def turn(self, /) -> int | None:
        """
        The turn that answered, from 0; None if it was refused.
        """

@final
class Run:
    """
    A run. Each answer gives the next ask.
    """
    def abandon(self, /, now: SupportsIndex) -> "tuple[Any, ...]":
        """
        Ends a run whose open ask was cut short, and gives the next ask. A function that was started
        is to be awaited all the same.
        """
    def answer_cancelled(self, /, id: SupportsIndex, now: SupportsIndex) -> "tuple[Any, ...]": ...
    def answer_event(self, /, id: SupportsIndex, event: Any, cancelled: bool, now: SupportsIndex) -> "tuple[Any, ...]": ...
    def answer_failed(self, /, id: SupportsIndex, words: str | None, cancelled: bool, now: SupportsIndex) -> "tuple[Any, ...]":
        """
        `words` are for the model; `None` if there are none.
        """
    def answer_measured(self, /, id: SupportsIndex, cancelled: bool, now: SupportsIndex) -> "tuple[Any, ...]":
        """
        Measures what is new in the history.
        """
    def answer_response(self, /, id: SupportsIndex, response: Any, cancelled: bool, now: SupportsIndex) -> "tuple[Any, ...]": ...
    def answer_seen(self, /, id: SupportsIndex, cancelled: bool, now: SupportsIndex) -> "tuple[Any, ...]": ...
    def answer_stream_ended(self, /, id: SupportsIndex, cancelled: bool, now: SupportsIndex) -> "tuple[Any, ...]": ...
    def answer_streaming(self, /, id: SupportsIndex, cancelled: bool, now: SupportsIndex) -> "tuple[Any, ...]":
        """
        The stream of the response is open.
        """
    def answer_value(self, /, id: SupportsIndex, value: Any, cancelled: bool, now: SupportsIndex) -> "tuple[Any, ...]": ...
    def answer_verdict(self, /, id: SupportsIndex, verdict: bool, cancelled: bool, now: SupportsIndex) -> "tuple[Any, ...]": ...
    def append_user_text(self, /, id: SupportsIndex, text: "object") -> None:
        """
        Queues a text of the user at the turn of that ask (R-22). Raises `TurnError`.
        """
    def call_ids(self, /) -> tuple[list[str], list[str]]:
        """
        The ids of the calls that were begun and of those that have an output (R-8).
        """
    def call_number(self, /) -> int:
        """
        Which call of the run the open ask belongs to, to tell it from the one before.
        """
    def end(self, /) -> None:
        """
        Gives the toolset back to others, wherever the run was. Its turns are over.
        """
    def is_whole(self, /) -> bool:
        """
        Whether the open stream has given the whole response, so that nothing more of it is read.
        """
    def response(self, /) -> "Any":
        """
        The client's own last response.
        """
    def sends_text(self, /) -> bool:
        """
        Whether requests and responses are text, for the native client.
        """
    def supply_outputs(self, /, id: SupportsIndex, outputs: "object") -> None:
        """
        Answers pending functions of the turn of that ask in their place (R-21). Raises `TurnError`.
        """

@final
class RunnerSession:
    """
    The tools of a runner, and who may use it (R-6).
    """
    def __new__(cls, /, browser: BrowserSession | None, functions: "list[tuple[Any, bool, bool]]", computer: ComputerSession | None = None, early_execution: Any | None = None) -> RunnerSession:
        """
        `functions` are declarations, each with whether its outputs may be supplied and whether it is
        independent. Raises `ConfigurationError`.
        """
    def begin(self, /, params: Any, local_tools: "list[Any]", given: "object", observed: bool, now: SupportsIndex, cancelled: bool) -> "tuple[Run, tuple[Any, ...]]":
        """
        Admits and begins a run, and gives its first ask. Raises `ConfigurationError`.

        `params` are a copy of the caller's, `local_tools` the tools of the browser and the functions.
        """
    def close(self, /) -> "Any":
        """
        Refuses new work; "draining" while earlier work still runs.
        """
    def enter(self, /) -> Hold:
        """
        Begins work, which lasts as long as what is returned. Raises `BusyError` or `ClosedError`.
        """
    def remain(self, /) -> Hold:
        """
        Keeps the work that is going on from ending before what is returned ends.
        """

@final
class UsageSummary:
    """
    Adds up the token counts of the requests that it is shown: give it as `on_diagnostic`, to one run
    or to several (R-61).

    A request whose counts are not known is counted in `requests` and makes the totals `incomplete`.
    """
    def __call__(self, /, record: "object") -> None:
        """
        Adds a record, if it is about a request.
        """
    def __new__(cls, /) -> UsageSummary: ...
    def __repr__(self, /) -> str: ...
    @property
    def counted(self, /) -> int:
        """
        Those of them whose counts are known. The totals are of these.
        """
    @property
    def incomplete(self, /) -> bool:
        """
        Whether the totals lack the counts of some request.
        """
    @property
    def input_tokens(self, /) -> int: ...
    @property
    def output_tokens(self, /) -> int: ...
    @property
    def requests(self, /) -> int:
        """
        Requests that were completed or failed.
        """
    @property
    def total_tokens(self, /) -> int: ...

def address_problem(url: "str") -> str | None:
    """
    Why an address is not opened, in words for the model; None if it may be (B-30).
    """

def browser_members() -> list[str]:
    """
    The names of all members, in the order of the member table (B-1).
    """

def check_tool_name(name: Any) -> None:
    """
    Raises `ConfigurationError` if no tool may be called so.
    """

def chord(names: "list[str]") -> list[str]:
    """
    The keys of a chord as a page driver calls them, in the order in which they are pressed (D-2).
    Raises `DriverError`.
    """

def computer_methods() -> list[str]:
    """
    The methods that a computer driver has, each named as its action (C-1).
    """

def detached(value: Any) -> "Any":
    """
    A copy of an event or the like, of the same kinds: changing it changes nothing.

    Raises whatever keeps an object from being copied.
    """

def end_requests() -> None:
    """
    The interpreter begins to end: for `atexit`.
    """

def fit(width: SupportsIndex, height: SupportsIndex) -> tuple[int, int]:
    """
    The largest size of the same shape that the service accepts, not larger than the given one (D-3).
    """

def page_kind(url: "str") -> str:
    """
    What a driver makes of the address that a page is at: "shown", "refused", or "failed" for the
    browser's own page for an address that did not load (B-32).
    """

def page_script() -> str:
    """
    The script that a page driver evaluates to read a page and to find its elements again.
    """

def plain(value: Any, exact: bool = False) -> "Any":
    """
    A copy of `value`: dicts, lists, tuples and pydantic models become plain dicts and lists.

    Of a model the fields that were set are taken, under their names on the wire, and those that its
    class does not know; fields that only have their default value are left out. Other objects stay
    what they are. What the value has in several places is copied once. If `exact`, subclasses of
    `dict` and `list` stay what they are too, so that it can be seen that they are none.

    Raises `NotPlainError` for a value that refers to itself, is nested too deeply or has a key that
    is no text.
    """

def run_command(arguments: "list[str]") -> int:
    """
    Runs the command line `swingbridge ...`, the name of the program being its first argument, and
    returns the exit code. Listens to the signals of the process until the command is over.
    """

def safe_title(title: "str") -> tuple[str, bool]:
    """
    A title that may be reported, and whether it was cut (B-30, B-32).
    """

def strict_schema(schema: str, defaults_implied: bool) -> str:
    """
    The strict form of the JSON schema of arguments, both as text. `defaults_implied`: every field that
    is not required has a default, written or not. Raises `ConfigurationError`.
    """

def tool_name_of(class_name: "str") -> str:
    """
    The name of a tool that is called as a class is. Raises `ConfigurationError` if nothing is left.
    """
