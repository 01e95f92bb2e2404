"""The browser helper: ``BrowserToolset`` and ``AsyncBrowserToolset``.

Each class has one pump, the loop of ``docs/driving.md``: it performs what the core asks and
answers. The two pumps have the same branches in the same order and differ in ``await`` alone;
no rule stands in either.
"""

from __future__ import annotations

from ._core import ACT, CONFIRM, EMIT, OUTPUT, READ_STATE, BrowserSession, browser_members
from .accepts import Acceptance, takes_cancelled
from .awaitables import PLAIN, discard, is_awaitable
from .cancelling import abandon, is_cancelled, is_cancelled_after, show
from .errors import BrowserCancelledError, BrowserError, ConfigurationError, stop_of_call
from .flavour import require
from .observers import microseconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from typing import Any, TypeAlias, overload

    from ._core import BrowserCall, Run
    from .types import (
        AsyncBrowserDriver,
        BrowserConfirmContext,
        BrowserDriver,
        BrowserReadConfirmContext,
        CloseStatus,
        FunctionCall,
        FunctionCallOutput,
        FunctionTool,
        ToolDiagnosticObserver,
    )

    Ask: TypeAlias = tuple[Any, ...]
    ReadContext: TypeAlias = BrowserConfirmContext | BrowserReadConfirmContext
    ConfirmReads: TypeAlias = Callable[[ReadContext], bool]
    Confirm: TypeAlias = Callable[[BrowserConfirmContext], bool] | ConfirmReads
    UrlPolicy: TypeAlias = Callable[[BrowserConfirmContext, str], bool]
    AsyncConfirmReads: TypeAlias = Callable[[ReadContext], Awaitable[bool]]
    AsyncConfirm: TypeAlias = Callable[[BrowserConfirmContext], Awaitable[bool]] | AsyncConfirmReads
    AsyncUrlPolicy: TypeAlias = Callable[[BrowserConfirmContext, str], Awaitable[bool]]

# No value of any kind that a driver may return.
_NOT_AWAITABLE = object()


class _Hosts:
    """What one call works with to its end: callables, and whether each takes ``cancelled``.

    A consent that was given for one driver must not be used on another one (B-20, B-21).
    """

    __slots__ = ("confirm", "methods", "state", "url_policy")

    def __init__(
        self,
        state: tuple[Any, bool],
        methods: dict[str, tuple[Any, bool]],
        confirm: tuple[Any, bool],
        url_policy: tuple[Any, bool],
    ) -> None:
        self.state = state
        self.methods = methods
        self.confirm = confirm
        self.url_policy = url_policy


class _Toolset:
    """What the two classes share: their construction and their lifecycle."""

    _asynchronous: bool

    def __init__(self, driver: Any, options: dict[str, Any], confirm: Any, url_policy: Any) -> None:
        self.driver = driver
        self.confirm = confirm
        self.url_policy = url_policy
        for name, callback in (("confirm", confirm), ("url_policy", url_policy)):
            if callback is not None:
                self._require(name, callback)
        found = {name: getattr(driver, name, None) for name in ("state", *browser_members())}
        self._session = BrowserSession(
            [name for name, method in found.items() if callable(method)],
            **{option: _names(option, names) for option, names in options.items()},
            has_confirm=confirm is not None,
            has_url_policy=url_policy is not None,
        )
        for name in ("state", *self._session.members()):
            if callable(found[name]):
                self._require(name, found[name])
        self._accepts_state = Acceptance()
        self._accepts_confirm = Acceptance()
        self._accepts_url_policy = Acceptance()
        self._bind(driver)

    def _require(self, name: str, function: object) -> None:
        owner = type(self).__name__
        if not callable(function):
            raise ConfigurationError(f"{name} must be callable", "not_callable")
        require(name, function, owner, asynchronous=self._asynchronous)

    def _bind(self, driver: Any) -> None:
        """Look the driver's methods up, and whether each takes ``cancelled``: once per driver."""
        self._methods = {
            name: (method, takes_cancelled(method))
            for name in self._session.members()
            if callable(method := getattr(driver, name, None))
        }
        self._bound_to = driver

    def _hosts(self) -> _Hosts:
        """What a call that begins now works with."""
        driver = self.driver
        try:
            if driver is not self._bound_to:
                self._bind(driver)
            methods, state = self._methods, driver.state
        except Exception:  # noqa: BLE001 - a driver that cannot be looked at; its state is unreadable
            methods, state = {}, None
        confirm, url_policy = self.confirm, self.url_policy
        return _Hosts(
            (state, self._accepts_state.of(state)),
            methods,
            (confirm, self._accepts_confirm.of(confirm)),
            (url_policy, self._accepts_url_policy.of(url_policy)),
        )

    @property
    def tools(self) -> list[FunctionTool]:
        """The strict function tools for ``responses.create``: fresh objects at each access (B-4)."""
        return self._session.tools()

    def close(self) -> CloseStatus:
        """Refuse new calls (B-50).

        The driver is not touched, and nothing is waited for: the status is ``"draining"`` while a
        call that began earlier still runs, else ``"closed"``. May be called inside a callback.
        """
        return {"status": self._session.close()}


def _names(option: str, names: Any) -> list[str] | None:
    if names is None:
        return None
    from collections.abc import Sequence

    # A list says what is to be confirmed; for the members any sequence does.
    kind = type(names) is list if option == "confirm_reads" else isinstance(names, Sequence)
    if not kind or isinstance(names, (str, bytes, bytearray)):
        raise ConfigurationError(f"{option} must be a list of member names", "names_not_a_list")
    listed = list(names)
    if not all(isinstance(name, str) for name in listed):
        raise ConfigurationError(f"{option} must be a list of member names", "names_not_a_list")
    return listed


class BrowserToolset(_Toolset):
    """Runs browser tool calls on a synchronous driver (B-1 to B-53).

    Args:
        driver: has ``state()`` and any of the members as methods; see ``BrowserDriver``.
        members: exactly these members; without it, every default member that the driver has.
        additional_members: these besides the defaults. Not together with ``members``.
        confirm_reads: reads for which ``confirm`` is asked before anything is read.
        confirm: gets a detached context; only exactly ``True`` approves. Needed for members that
            change something and for ``read_diagnostics``.
        url_policy: gets the context and the URL; asked before ``confirm``. Needed for ``navigate``
            and ``new_tab``.

    ``driver``, ``confirm`` and ``url_policy`` are attributes that are read when a call begins; a
    change counts from the next call on. A callback or method that has a parameter ``cancelled`` is
    given it by keyword (B-23).

    Raises:
        ConfigurationError: the options do not fit each other or the driver (B-2, B-5, B-6, B-22).
    """

    _asynchronous = False
    driver: BrowserDriver
    confirm: Confirm | None
    url_policy: UrlPolicy | None

    if TYPE_CHECKING:

        @overload
        def __init__(
            self,
            driver: BrowserDriver,
            *,
            members: Sequence[str] | None = None,
            additional_members: Sequence[str] | None = None,
            confirm_reads: None = None,
            confirm: Confirm | None = None,
            url_policy: UrlPolicy | None = None,
        ) -> None: ...

        # Whoever confirms reads is given contexts without a state.
        @overload
        def __init__(
            self,
            driver: BrowserDriver,
            *,
            members: Sequence[str] | None = None,
            additional_members: Sequence[str] | None = None,
            confirm_reads: Sequence[str],
            confirm: ConfirmReads,
            url_policy: UrlPolicy | None = None,
        ) -> None: ...

    def __init__(
        self,
        driver: BrowserDriver,
        *,
        members: Sequence[str] | None = None,
        additional_members: Sequence[str] | None = None,
        confirm_reads: Sequence[str] | None = None,
        confirm: Confirm | None = None,
        url_policy: UrlPolicy | None = None,
    ) -> None:
        options = {
            "members": members,
            "additional_members": additional_members,
            "confirm_reads": confirm_reads,
        }
        super().__init__(driver, options, confirm, url_policy)

    def execute(
        self,
        call: FunctionCall,
        *,
        cancelled: Callable[[], bool] | None = None,
        on_diagnostic: ToolDiagnosticObserver | None = None,
    ) -> FunctionCallOutput:
        """Run one completed ``function_call`` and return its ``function_call_output``.

        Args:
            call: a dict, or an object with the same attributes such as the ``openai`` package's.
            cancelled: asked between every two host calls; true ends the call (B-51).
            on_diagnostic: gets content-free records (B-52).

        Raises:
            ContractError: not a completed call of an enabled member, or the driver's state or
                result breaks its contract.
            BrowserCancelledError: ``cancelled`` was true.
            BusyError: another call is running. ClosedError: ``close`` was called.
        """
        session = self._session
        with session.enter():
            hosts = self._hosts()
            begun = microseconds(on_diagnostic)
            machine, ask = session.begin(
                call, on_diagnostic is not None, begun, is_cancelled(cancelled)
            )
            ask, hint = self._perform(machine, ask, cancelled, on_diagnostic, hosts)
        if ask[0] == OUTPUT:
            output: FunctionCallOutput = ask[2]
            return output
        raise stop_of_call(ask, hint)

    def _perform(
        self,
        machine: BrowserCall | Run,
        ask: Ask,
        cancelled: Callable[[], bool] | None,
        observer: ToolDiagnosticObserver | None,
        hosts: _Hosts | None = None,
    ) -> tuple[Ask, str | None]:
        """Perform asks until one is not for a toolset; give that, and what a developer may need.

        Without ``hosts`` each of the calls that follow each other has those of its beginning.
        """
        hint = None
        number = machine.call_number() if hosts is not None else None
        while (kind := ask[0]) <= EMIT:
            identity = ask[1]
            if kind == EMIT:
                ask = show(observer, cancelled, machine, ask)
                continue
            if hosts is None or machine.call_number() != number:
                number = machine.call_number()
                hosts = self._hosts()
            value: Any = None
            failed, words = False, None
            try:
                if kind == READ_STATE:
                    state, takes = hosts.state
                    value = state(cancelled=cancelled) if takes else state()
                elif kind == ACT:
                    method, takes = hosts.methods[ask[2]]
                    value = method(ask[3], cancelled=cancelled) if takes else method(ask[3])
                elif kind == CONFIRM:
                    confirm, takes = hosts.confirm
                    value = confirm(ask[2], cancelled=cancelled) if takes else confirm(ask[2])
                else:
                    policy, takes = hosts.url_policy
                    value = (
                        policy(ask[2], ask[3], cancelled=cancelled)
                        if takes
                        else policy(ask[2], ask[3])
                    )
                if type(value) not in PLAIN and is_awaitable(value):
                    discard(value)
                    hint = _hint(ask, "an awaitable; AsyncBrowserToolset takes those")
            except BrowserCancelledError:
                ask = machine.answer_cancelled(identity, microseconds(observer))
                continue
            except Exception as error:  # noqa: BLE001 - a failure of the host is an answer
                failed, words = True, _words(error)
            except BaseException:
                abandon(machine, ask, observer)
                raise
            stop = is_cancelled_after(cancelled, machine, ask, observer)
            now = microseconds(observer)
            if failed:
                ask = machine.answer_failed(identity, words, stop, now)
            elif kind <= ACT:
                ask = machine.answer_value(identity, value, stop, now)
            else:
                ask = machine.answer_verdict(identity, value is True, stop, now)
        return ask, hint


class AsyncBrowserToolset(_Toolset):
    """Runs browser tool calls on an asynchronous driver: ``BrowserToolset`` with ``await``.

    ``confirm`` and ``url_policy`` are awaited; ``cancelled`` and ``on_diagnostic`` are synchronous.
    Works under any event loop. A cancelled task ends the callback that is being awaited and leaves
    the toolset free for the next call.
    """

    _asynchronous = True
    driver: AsyncBrowserDriver
    confirm: AsyncConfirm | None
    url_policy: AsyncUrlPolicy | None

    if TYPE_CHECKING:

        @overload
        def __init__(
            self,
            driver: AsyncBrowserDriver,
            *,
            members: Sequence[str] | None = None,
            additional_members: Sequence[str] | None = None,
            confirm_reads: None = None,
            confirm: AsyncConfirm | None = None,
            url_policy: AsyncUrlPolicy | None = None,
        ) -> None: ...

        # Whoever confirms reads is given contexts without a state.
        @overload
        def __init__(
            self,
            driver: AsyncBrowserDriver,
            *,
            members: Sequence[str] | None = None,
            additional_members: Sequence[str] | None = None,
            confirm_reads: Sequence[str],
            confirm: AsyncConfirmReads,
            url_policy: AsyncUrlPolicy | None = None,
        ) -> None: ...

    def __init__(
        self,
        driver: AsyncBrowserDriver,
        *,
        members: Sequence[str] | None = None,
        additional_members: Sequence[str] | None = None,
        confirm_reads: Sequence[str] | None = None,
        confirm: AsyncConfirm | None = None,
        url_policy: AsyncUrlPolicy | None = None,
    ) -> None:
        options = {
            "members": members,
            "additional_members": additional_members,
            "confirm_reads": confirm_reads,
        }
        super().__init__(driver, options, confirm, url_policy)

    async def execute(
        self,
        call: FunctionCall,
        *,
        cancelled: Callable[[], bool] | None = None,
        on_diagnostic: ToolDiagnosticObserver | None = None,
    ) -> FunctionCallOutput:
        """Run one completed ``function_call``; see ``BrowserToolset.execute``."""
        session = self._session
        with session.enter():
            hosts = self._hosts()
            begun = microseconds(on_diagnostic)
            machine, ask = session.begin(
                call, on_diagnostic is not None, begun, is_cancelled(cancelled)
            )
            ask, hint = await self._perform(machine, ask, cancelled, on_diagnostic, hosts)
        if ask[0] == OUTPUT:
            output: FunctionCallOutput = ask[2]
            return output
        raise stop_of_call(ask, hint)

    async def _perform(
        self,
        machine: BrowserCall | Run,
        ask: Ask,
        cancelled: Callable[[], bool] | None,
        observer: ToolDiagnosticObserver | None,
        hosts: _Hosts | None = None,
    ) -> tuple[Ask, str | None]:
        """Perform asks until one is not for a toolset; give that, and what a developer may need.

        Without ``hosts`` each of the calls that follow each other has those of its beginning.
        """
        hint = None
        number = machine.call_number() if hosts is not None else None
        while (kind := ask[0]) <= EMIT:
            identity = ask[1]
            if kind == EMIT:
                ask = show(observer, cancelled, machine, ask)
                continue
            if hosts is None or machine.call_number() != number:
                number = machine.call_number()
                hosts = self._hosts()
            value: Any = None
            failed, words = False, None
            try:
                if kind == READ_STATE:
                    state, takes = hosts.state
                    value = state(cancelled=cancelled) if takes else state()
                elif kind == ACT:
                    method, takes = hosts.methods[ask[2]]
                    value = method(ask[3], cancelled=cancelled) if takes else method(ask[3])
                elif kind == CONFIRM:
                    confirm, takes = hosts.confirm
                    value = confirm(ask[2], cancelled=cancelled) if takes else confirm(ask[2])
                else:
                    policy, takes = hosts.url_policy
                    value = (
                        policy(ask[2], ask[3], cancelled=cancelled)
                        if takes
                        else policy(ask[2], ask[3])
                    )
                if is_awaitable(value):
                    value = await value
                else:
                    value = _NOT_AWAITABLE
                    hint = _hint(ask, "no awaitable; BrowserToolset takes that")
            except BrowserCancelledError:
                ask = machine.answer_cancelled(identity, microseconds(observer))
                continue
            except Exception as error:  # noqa: BLE001 - a failure of the host is an answer
                failed, words = True, _words(error)
            except BaseException:
                abandon(machine, ask, observer)
                raise
            stop = is_cancelled_after(cancelled, machine, ask, observer)
            now = microseconds(observer)
            if failed:
                ask = machine.answer_failed(identity, words, stop, now)
            elif kind <= ACT:
                ask = machine.answer_value(identity, value, stop, now)
            else:
                ask = machine.answer_verdict(identity, value is True, stop, now)
        return ask, hint


def _hint(ask: Ask, words: str) -> str | None:
    """What to tell the developer of a value of the wrong flavour; it stops the call (B-6)."""
    if ask[0] > ACT:
        return None  # a consent: refused, and the call goes on
    return f"{ask[2] if ask[0] == ACT else 'state'} returned {words}"


def _words(error: Exception) -> str | None:
    """What a driver's error lets the model read (B-47)."""
    # By its real type: what an error says of its class is the driver's own code.
    if not issubclass(type(error), BrowserError):
        return None
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - an error that cannot be told is an ordinary failure
        return None
