"""The computer helper: ``ComputerToolset`` and ``AsyncComputerToolset``.

Each class has one pump, the loop of ``docs/driving.md``: it performs what the core asks and
answers. The two pumps have the same branches in the same order and differ in ``await`` alone;
no rule stands in either. ``run`` is the runner's loop with a computer and nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ._core import (
    ACT_ON_COMPUTER,
    APPROVE_SAFETY,
    COMPUTER_OUTPUT,
    EMIT,
    REVIEW_ACTION,
    TAKE_SCREENSHOT,
    ComputerSession,
    computer_methods,
)
from .accepts import Acceptance, takes_cancelled
from .actions import read_action, read_call
from .awaitables import PLAIN, discard, is_awaitable
from .cancelling import abandon, is_cancelled, is_cancelled_after, show
from .errors import BrowserCancelledError, ConfigurationError, stop_of_computer
from .flavour import require
from .observers import microseconds
from .plain import plain

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from typing import TypeAlias

    from ._core import ComputerCall as Call
    from ._core import Run
    from .actions import ComputerActionInput, ComputerCall
    from .types import (
        AsyncComputerDriver,
        CloseStatus,
        ComputerCallInput,
        ComputerCallOutput,
        ComputerDriver,
        ResponsesClient,
        ToolDiagnosticObserver,
    )

    Ask: TypeAlias = tuple[Any, ...]
    Methods: TypeAlias = dict[str, tuple[Callable[..., Any], bool]]
    ApproveSafetyChecks: TypeAlias = Callable[[ComputerCall], bool]
    BeforeAction: TypeAlias = Callable[[ComputerActionInput], bool]
    AsyncApproveSafetyChecks: TypeAlias = Callable[[ComputerCall], Awaitable[bool]]
    AsyncBeforeAction: TypeAlias = Callable[[ComputerActionInput], Awaitable[bool]]

# The asks that a toolset performs.
OURS = frozenset({APPROVE_SAFETY, REVIEW_ACTION, ACT_ON_COMPUTER, TAKE_SCREENSHOT, EMIT})
_CALLBACKS = {
    APPROVE_SAFETY: "approve_safety_checks",
    REVIEW_ACTION: "before_action",
    TAKE_SCREENSHOT: "screenshot",
}


class Consents(NamedTuple):
    """The callbacks of one call or run."""

    approve_safety_checks: Any = None
    before_action: Any = None

    def given(self) -> tuple[bool, bool]:
        """Which of them are there."""
        return self.approve_safety_checks is not None, self.before_action is not None


class Performed(NamedTuple):
    """The first ask that is not for a toolset, and what led to it."""

    ask: Ask
    hint: str | None
    """What a developer may need to know, without content."""
    raised: Exception | None
    """What the driver or a callback raised last."""


def consents_of(approve_safety_checks: Any, before_action: Any, owner: Any) -> Consents:
    """The callbacks, checked for what can be seen of them."""
    consents = Consents(approve_safety_checks, before_action)
    for name, callback in zip(consents._fields, consents, strict=True):
        if callback is None:
            continue
        if not callable(callback):
            raise ConfigurationError(f"{name} must be callable", "not_callable")
        require(name, callback, type(owner).__name__, asynchronous=owner._asynchronous)
    return consents


class _Toolset:
    """What the two classes share: their construction and their lifecycle."""

    _asynchronous: bool

    def __init__(self, driver: Any) -> None:
        self.driver: Any = driver
        for name in computer_methods():
            method = getattr(driver, name, None)
            if not callable(method):
                raise ConfigurationError(f"the driver has no method {name}", "driver_incomplete")
            require(name, method, type(self).__name__, asynchronous=self._asynchronous)
        self._session = ComputerSession()
        self._accepts_approve = Acceptance()
        self._accepts_before = Acceptance()
        self._bind(driver)

    def _bind(self, driver: Any) -> None:
        """Look the driver's methods up, and whether each takes ``cancelled``: once per driver."""
        self._methods: Methods = {
            name: (method, takes_cancelled(method))
            for name in computer_methods()
            if callable(method := getattr(driver, name, None))
        }
        self._bound_to = driver

    def _hosts(self) -> Methods:
        """The driver's methods for a call that begins now: it ends with the driver it began with."""
        driver = self.driver
        if driver is not self._bound_to:
            try:
                self._bind(driver)
            except Exception:  # noqa: BLE001 - a driver that cannot be looked at can do nothing
                return {}
        return self._methods

    def close(self) -> CloseStatus:
        """Refuse new calls and runs (B-50).

        The driver is not touched, and nothing is waited for: the status is ``"draining"`` while
        work that began earlier still goes on, else ``"closed"``. May be called inside a callback.
        """
        return {"status": self._session.close()}


def _wire(call: object) -> Any:
    """The call as plain objects; None if it cannot be read, which no call is."""
    try:
        return plain(call)
    except Exception:  # noqa: BLE001 - whatever the caller's objects do when they are read
        return None


def _hint(ask: Ask, returned: str) -> str:
    name = _CALLBACKS.get(ask[0]) or ask[3]["type"]
    return f"{name} returned {returned}"


class ComputerToolset(_Toolset):
    """Runs computer calls on a synchronous driver (C-1 to C-9).

    Args:
        driver: has all nine methods of ``ComputerDriver``.

    ``driver`` is an attribute that is read when a call begins. A method or callback that has a parameter
    ``cancelled`` is given it by keyword (B-23). What the driver or a callback raises comes out of
    ``execute`` and ``run`` as it was raised; whatever else ends them is a ``ComputerUseError``.

    Raises:
        ConfigurationError: the driver lacks a method, or one of them is asynchronous (C-1).
    """

    _asynchronous = False
    driver: ComputerDriver

    def __init__(self, driver: ComputerDriver) -> None:
        super().__init__(driver)

    def execute(
        self,
        call: ComputerCallInput,
        *,
        approve_safety_checks: ApproveSafetyChecks | None = None,
        before_action: BeforeAction | None = None,
        cancelled: Callable[[], bool] | None = None,
        on_diagnostic: ToolDiagnosticObserver | None = None,
    ) -> ComputerCallOutput:
        """Run one completed ``computer_call`` and return its ``computer_call_output``.

        The actions are performed once each and in order, then one screenshot is taken (C-5).

        Args:
            call: a dict or the ``openai`` package's object. It is not changed.
            approve_safety_checks: gets a copy of the call if checks are pending; only exactly
                ``True`` approves them, and without approval nothing is done (C-4).
            before_action: gets a copy of each action right before it, the final screenshot
                included; only exactly ``True`` approves it (C-4).
            cancelled: asked between every two host calls; true ends the call (B-51).
            on_diagnostic: gets content-free records (B-52).

        Raises:
            ComputerUseError: the call is not a completed and well-formed computer call, something
                was not approved, the screenshot is invalid, or ``cancelled`` was true.
            BusyError: another call or run is going on. ClosedError: ``close`` was called.
        """
        consents = consents_of(approve_safety_checks, before_action, self)
        session = self._session
        with session.enter():
            methods = self._hosts()
            begun = microseconds(on_diagnostic)
            machine, ask = session.begin_call(
                _wire(call),
                on_diagnostic is not None,
                begun,
                is_cancelled(cancelled),
                consents.given(),
            )
            done = self._perform(machine, ask, consents, cancelled, on_diagnostic, methods)
        if done.ask[0] == COMPUTER_OUTPUT:
            output: ComputerCallOutput = done.ask[2]
            return output
        raise stop_of_computer(done.ask, done.hint, done.raised)

    def run(
        self,
        client: ResponsesClient,
        params: Mapping[str, object],
        *,
        max_steps: int | None = 20,
        approve_safety_checks: ApproveSafetyChecks | None = None,
        before_action: BeforeAction | None = None,
        cancelled: Callable[[], bool] | None = None,
        on_diagnostic: ToolDiagnosticObserver | None = None,
    ) -> Any:
        """Run one task with the computer alone and return the client's own final response (C-7).

        Args:
            client: anything with a synchronous ``responses.create(**params)``.
            params: as for ``responses.create``; a copy is taken. A computer tool is added if there
                are no ``tools``. A ``tool_choice`` that forces the computer counts for the first
                request. ``context_management`` works (C-9).
            max_steps: the most requests. The last one may start no new work.
            approve_safety_checks: as for ``execute``.
            before_action: as for ``execute``.
            cancelled: as for ``execute``; asked after each request too.
            on_diagnostic: as for ``execute``; requests are not reported.

        Raises:
            ConfigurationError: bad parameters or an asynchronous client; nothing was sent.
            ComputerUseError: the run stopped; ``response`` is the last response.
            BusyError: another call or run is going on. ClosedError: ``close`` was called.
        """
        from .computer_run import ComputerRun

        return ComputerRun(self).run(
            client,
            params,
            max_steps=max_steps,
            approve_safety_checks=approve_safety_checks,
            before_action=before_action,
            cancelled=cancelled,
            on_diagnostic=on_diagnostic,
        )

    def _perform(
        self,
        machine: Call | Run,
        ask: Ask,
        consents: Consents,
        cancelled: Callable[[], bool] | None,
        observer: ToolDiagnosticObserver | None,
        methods: Methods | None = None,
    ) -> Performed:
        """Perform asks until one is not for a toolset.

        Without ``methods`` each of the calls that follow each other has those of its beginning.
        """
        hint: str | None = None
        raised: Exception | None = None
        number = machine.call_number() if methods is not None else None
        while (kind := ask[0]) in OURS:
            identity = ask[1]
            if kind == EMIT:
                ask = show(observer, cancelled, machine, ask)
                continue
            if methods is None or machine.call_number() != number:
                number = machine.call_number()
                methods = self._hosts()
            value: Any = None
            failed = False
            try:
                if kind == ACT_ON_COMPUTER:
                    action = read_action(ask[2], ask[3])
                    method, takes = methods[action.type]
                    value = method(action, cancelled=cancelled) if takes else method(action)
                elif kind == TAKE_SCREENSHOT:
                    method, takes = methods["screenshot"]
                    value = method(cancelled=cancelled) if takes else method()
                elif kind == REVIEW_ACTION:
                    action = read_action(ask[2], ask[3])
                    before = consents.before_action
                    takes = self._accepts_before.of(before)
                    value = before(action, cancelled=cancelled) if takes else before(action)
                else:
                    call = read_call(ask[2])
                    approve = consents.approve_safety_checks
                    takes = self._accepts_approve.of(approve)
                    value = approve(call, cancelled=cancelled) if takes else approve(call)
                if type(value) not in PLAIN and is_awaitable(value):
                    discard(value)
                    failed, hint = (
                        True,
                        _hint(ask, "an awaitable; AsyncComputerToolset takes those"),
                    )
            except BrowserCancelledError:
                ask = machine.answer_cancelled(identity, microseconds(observer))
                continue
            except Exception as error:  # noqa: BLE001 - a failure of the host is an answer
                failed, raised = True, error
            except BaseException:
                abandon(machine, ask, observer)
                raise
            stop = is_cancelled_after(cancelled, machine, ask, observer)
            now = microseconds(observer)
            if failed:
                ask = machine.answer_failed(identity, None, stop, now)
            elif kind == ACT_ON_COMPUTER:
                # What the method returned does not count: it acted or it raised.
                ask = machine.answer_value(identity, None, stop, now)
            elif kind == TAKE_SCREENSHOT:
                ask = machine.answer_value(identity, value, stop, now)
            else:
                ask = machine.answer_verdict(identity, value is True, stop, now)
        return Performed(ask, hint, raised)


class AsyncComputerToolset(_Toolset):
    """Runs computer calls on an asynchronous driver: ``ComputerToolset`` with ``await``.

    ``approve_safety_checks`` and ``before_action`` are awaited; ``cancelled`` and ``on_diagnostic``
    are synchronous. Works under any event loop. A cancelled task ends the method that is being
    awaited and leaves the toolset free for the next call.
    """

    _asynchronous = True
    driver: AsyncComputerDriver

    def __init__(self, driver: AsyncComputerDriver) -> None:
        super().__init__(driver)

    async def execute(
        self,
        call: ComputerCallInput,
        *,
        approve_safety_checks: AsyncApproveSafetyChecks | None = None,
        before_action: AsyncBeforeAction | None = None,
        cancelled: Callable[[], bool] | None = None,
        on_diagnostic: ToolDiagnosticObserver | None = None,
    ) -> ComputerCallOutput:
        """Run one completed ``computer_call``; see ``ComputerToolset.execute``."""
        consents = consents_of(approve_safety_checks, before_action, self)
        session = self._session
        with session.enter():
            methods = self._hosts()
            begun = microseconds(on_diagnostic)
            machine, ask = session.begin_call(
                _wire(call),
                on_diagnostic is not None,
                begun,
                is_cancelled(cancelled),
                consents.given(),
            )
            done = await self._perform(machine, ask, consents, cancelled, on_diagnostic, methods)
        if done.ask[0] == COMPUTER_OUTPUT:
            output: ComputerCallOutput = done.ask[2]
            return output
        raise stop_of_computer(done.ask, done.hint, done.raised)

    async def run(
        self,
        client: ResponsesClient,
        params: Mapping[str, object],
        *,
        max_steps: int | None = 20,
        approve_safety_checks: AsyncApproveSafetyChecks | None = None,
        before_action: AsyncBeforeAction | None = None,
        cancelled: Callable[[], bool] | None = None,
        on_diagnostic: ToolDiagnosticObserver | None = None,
    ) -> Any:
        """Run one task and return the client's own final response; see ``ComputerToolset.run``."""
        from .computer_run import AsyncComputerRun

        return await AsyncComputerRun(self).run(
            client,
            params,
            max_steps=max_steps,
            approve_safety_checks=approve_safety_checks,
            before_action=before_action,
            cancelled=cancelled,
            on_diagnostic=on_diagnostic,
        )

    async def _perform(
        self,
        machine: Call | Run,
        ask: Ask,
        consents: Consents,
        cancelled: Callable[[], bool] | None,
        observer: ToolDiagnosticObserver | None,
        methods: Methods | None = None,
    ) -> Performed:
        """Perform asks until one is not for a toolset.

        Without ``methods`` each of the calls that follow each other has those of its beginning.
        """
        hint: str | None = None
        raised: Exception | None = None
        number = machine.call_number() if methods is not None else None
        while (kind := ask[0]) in OURS:
            identity = ask[1]
            if kind == EMIT:
                ask = show(observer, cancelled, machine, ask)
                continue
            if methods is None or machine.call_number() != number:
                number = machine.call_number()
                methods = self._hosts()
            value: Any = None
            failed = False
            try:
                if kind == ACT_ON_COMPUTER:
                    action = read_action(ask[2], ask[3])
                    method, takes = methods[action.type]
                    value = method(action, cancelled=cancelled) if takes else method(action)
                elif kind == TAKE_SCREENSHOT:
                    method, takes = methods["screenshot"]
                    value = method(cancelled=cancelled) if takes else method()
                elif kind == REVIEW_ACTION:
                    action = read_action(ask[2], ask[3])
                    before = consents.before_action
                    takes = self._accepts_before.of(before)
                    value = before(action, cancelled=cancelled) if takes else before(action)
                else:
                    call = read_call(ask[2])
                    approve = consents.approve_safety_checks
                    takes = self._accepts_approve.of(approve)
                    value = approve(call, cancelled=cancelled) if takes else approve(call)
                if is_awaitable(value):
                    value = await value
                else:
                    failed, hint = True, _hint(ask, "no awaitable; ComputerToolset takes that")
            except BrowserCancelledError:
                ask = machine.answer_cancelled(identity, microseconds(observer))
                continue
            except Exception as error:  # noqa: BLE001 - a failure of the host is an answer
                failed, raised = True, error
            except BaseException:
                abandon(machine, ask, observer)
                raise
            stop = is_cancelled_after(cancelled, machine, ask, observer)
            now = microseconds(observer)
            if failed:
                ask = machine.answer_failed(identity, None, stop, now)
            elif kind == ACT_ON_COMPUTER:
                # What the method returned does not count: it acted or it raised.
                ask = machine.answer_value(identity, None, stop, now)
            elif kind == TAKE_SCREENSHOT:
                ask = machine.answer_value(identity, value, stop, now)
            else:
                ask = machine.answer_verdict(identity, value is True, stop, now)
        return Performed(ask, hint, raised)
