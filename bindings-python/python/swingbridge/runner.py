"""The runner: ``ResponsesToolRunner`` and ``AsyncResponsesToolRunner``.

Each class has one pump, the loop of ``docs/driving.md``. Asks of a browser or computer call are
performed by the toolset's pump; requests and functions here. The two pumps have the same branches in
the same order and differ in ``await`` alone; no rule stands in either.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from ._core import CALL_FUNCTION, EMIT, FINISHED, SEND, RunnerSession
from .accepts import takes_cancelled
from .awaitables import discard, is_awaitable
from .browser import AsyncBrowserToolset, BrowserToolset
from .cancelling import abandon, is_cancelled, is_cancelled_after, show
from .computer import OURS, AsyncComputerToolset, ComputerToolset, Consents, consents_of
from .conversation import Conversation, copied
from .errors import (
    BrowserCancelledError,
    ConfigurationError,
    MisuseError,
    SwingbridgeError,
    ToolRunnerError,
)
from .flavour import require
from .functions import AsyncRegisteredFunction, RegisteredFunction, parsers_of
from .observers import microseconds
from .plain import as_list
from .typed_calls import TypedCalls

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeGuard

    from ._core import BrowserSession, ComputerSession, Run
    from .computer import (
        ApproveSafetyChecks,
        AsyncApproveSafetyChecks,
        AsyncBeforeAction,
        BeforeAction,
    )
    from .types import CloseStatus, ResponsesClient, ToolDiagnosticObserver

_NOT_AWAITABLE = object()


class End(NamedTuple):
    """The last ask of a run, and what led to it."""

    ask: tuple[Any, ...]
    response: Any
    hint: str | None = None
    failure: Exception | None = None
    """What the client raised."""
    raised: Exception | None = None
    """What the driver or a callback of the computer raised last."""


class _Runner:
    """What the two classes share: their construction and their lifecycle."""

    _asynchronous: bool

    def __init__(
        self, browser: Any, computer: Any, functions: object, kinds: tuple[type, type, type]
    ) -> None:
        browser_kind, computer_kind, function_kind = kinds
        self._browser: Any = browser
        if browser is not None and not issubclass(type(browser), browser_kind):
            words = f"browser must be one of {browser_kind.__name__}"
            raise ConfigurationError(words, "browser_not_a_toolset")
        self._computer: Any = computer
        if computer is not None and not issubclass(type(computer), computer_kind):
            words = f"computer must be one of {computer_kind.__name__}"
            raise ConfigurationError(words, "computer_not_a_toolset")
        listed = _listed(functions, function_kind)
        self._declarations = [
            copied(function.tool, "a function's tool", "function_declaration")
            for function in listed
        ]
        self._functions: list[tuple[Callable[..., Any], bool]] = [
            (function.execute, takes_cancelled(function.execute)) for function in listed
        ]
        session: BrowserSession | None = None if browser is None else self._browser._session
        screen: ComputerSession | None = None if computer is None else self._computer._session
        self._session: RunnerSession | ComputerSession = RunnerSession(
            session,
            [
                (declaration, function.allow_output_override, function.independent)
                for declaration, function in zip(self._declarations, listed, strict=True)
            ],
            screen,
        )
        self._parsers = parsers_of(listed, self._declarations)

    def close(self) -> CloseStatus:
        """Refuse new runs (R-6).

        The toolset is not closed, and nothing is waited for: the status is ``"draining"`` while a
        run that began earlier still goes on, else ``"closed"``. May be called inside a callback.
        """
        return {"status": self._session.close()}

    def _create(self, client: object) -> Callable[..., Any]:
        create: Any = getattr(getattr(client, "responses", None), "create", None)
        if not callable(create):
            raise ConfigurationError("the client has no responses.create", "client_invalid")
        require("responses.create", create, type(self).__name__, asynchronous=self._asynchronous)
        found: Callable[..., Any] = create
        return found

    def _stop(self, run: Run, end: End) -> NoReturn:
        """Raise what the run stopped with."""
        _, _, code, words = end.ask
        words = words if end.hint is None else f"{words}: {end.hint}"
        raise ToolRunnerError(words, *run.call_ids(), code) from end.failure

    def _cut_short(self, error: BaseException, run: Run | None) -> NoReturn:
        """Raise what a run ends with that did not come to its end."""
        attempted, completed = ([], []) if run is None else run.call_ids()
        # By its real type: what an error says of its class is the program's own code.
        kind = type(error)
        if issubclass(kind, Exception):
            # Every failure of the host but that of the caller's question is an answer. The rest are
            # found out here: a client or a question of the other flavour, a fault of a pump.
            words, code = "`cancelled` failed", "run_cancelled"
            if type(error) is MisuseError or _is_of_other_flavour(error):
                words, code = str(error), error.code
            raise ToolRunnerError(words, attempted, completed, code) from error
        # Whoever cancels a task has imported asyncio.
        asyncio = sys.modules.get("asyncio")
        if asyncio is not None and issubclass(kind, asyncio.CancelledError):
            from .cancellation import ToolRunnerCancelledError

            raise ToolRunnerCancelledError(attempted, completed) from None
        raise error

    def _is_cancelled_early(self, cancelled: Callable[[], bool] | None) -> bool:
        try:
            return is_cancelled(cancelled)
        except SwingbridgeError:
            raise
        except Exception as error:  # noqa: BLE001 - raised again
            self._cut_short(error, None)

    def _conversation(self, params: object) -> Conversation:
        browser_tools: list[Any] = [] if self._browser is None else self._browser.tools
        typed = TypedCalls(self._parsers)
        return Conversation(params, [*browser_tools, *self._declarations], typed)


def _is_of_other_flavour(error: BaseException) -> TypeGuard[ConfigurationError]:
    return type(error) is ConfigurationError and error.code == "flavour_mismatch"


def _listed(functions: object, kind: type) -> list[Any]:
    listed = [] if functions is None else as_list(functions)
    if listed is None or not all(issubclass(type(function), kind) for function in listed):
        words = f"functions must be a list of {kind.__name__}"
        raise ConfigurationError(words, "functions_invalid")
    return list(listed)


class ResponsesToolRunner(_Runner):
    """Sends requests and runs the local calls of each response until a final message (R-1).

    Args:
        browser: the toolset whose tools the model may use.
        computer: the toolset of the screen that the model may use.
        functions: the program's own functions.

    Raises:
        ConfigurationError: a wrong kind of toolset or function, or two tools of one name.
    """

    _asynchronous = False

    def __init__(
        self,
        *,
        browser: BrowserToolset | None = None,
        computer: ComputerToolset | None = None,
        functions: Sequence[RegisteredFunction] | None = None,
    ) -> None:
        kinds = (BrowserToolset, ComputerToolset, RegisteredFunction)
        super().__init__(browser, computer, functions, kinds)

    def run(
        self,
        client: ResponsesClient,
        params: Mapping[str, object],
        *,
        max_steps: int | None = None,
        approve_safety_checks: ApproveSafetyChecks | None = None,
        before_action: BeforeAction | None = None,
        cancelled: Callable[[], bool] | None = None,
        on_diagnostic: ToolDiagnosticObserver | None = None,
    ) -> Any:
        """Run one task and return the client's own final response.

        Args:
            client: anything with a synchronous ``responses.create(**params)``.
            params: as for ``responses.create``; a copy is taken. ``tools`` may declare tools of the
                service; functions are registered instead. Each request has its own copies, which a
                client may change; only the items of its ``input`` are shared by the requests of a run.
            max_steps: the most requests, 20 if not given. The last one may start no new work.
            approve_safety_checks: consent to a computer call's safety checks; see
                ``ComputerToolset.execute``. Without it such a call stops the run (R-4).
            before_action: consent to each action of a computer call.
            cancelled: asked after each request, callback and function; true ends the run (B-51).
            on_diagnostic: gets content-free records (B-52, R-60).

        Raises:
            ConfigurationError: bad parameters or an asynchronous client; nothing was sent (R-2, P-3).
            ToolRunnerError: the run stopped; it says which calls were begun and completed (R-8).
                Whatever ends a run that has begun is one, but for what is no ``Exception``.
            BusyError: another run is going on. ClosedError: ``close`` was called.
        """
        consents = consents_of(approve_safety_checks, before_action, self)
        with self._session.enter():
            create = self._create(client)
            conversation = self._conversation(params)
            run, ask = self._session.begin(
                conversation.params,
                max_steps,
                on_diagnostic is not None,
                microseconds(on_diagnostic),
                self._is_cancelled_early(cancelled),
                consents.given(),
            )
            try:
                conversation.begin(adds_computer=run.adds_computer())
                end = self._drive(
                    run, ask, create, conversation, consents, cancelled, on_diagnostic
                )
            except BaseException as error:  # noqa: BLE001 - all of them are raised again
                self._cut_short(error, run)
            finally:
                run.end()
        if end.ask[0] != FINISHED:
            self._stop(run, end)
        return end.response

    def _drive(
        self,
        run: Run,
        ask: tuple[Any, ...],
        create: Callable[..., Any],
        conversation: Conversation,
        consents: Consents,
        cancelled: Callable[[], bool] | None,
        observer: ToolDiagnosticObserver | None,
    ) -> End:
        response: Any = None
        failure: Exception | None = None
        raised: Exception | None = None
        hint: str | None = None
        while (kind := ask[0]) != FINISHED:
            identity = ask[1]
            if kind == EMIT:
                ask = show(observer, cancelled, run, ask)
            elif kind < EMIT:
                ask, hint = self._browser._perform(run, ask, cancelled, observer)
            elif kind in OURS:
                ask, hint, raised = self._computer._perform(run, ask, consents, cancelled, observer)
            elif kind == SEND:
                try:
                    response = create(**conversation.request(*ask[2:]))
                except Exception as error:  # noqa: BLE001 - a failure of the host is an answer
                    failure = error
                except BaseException:
                    abandon(run, ask, observer)
                    raise
                if failure is None and is_awaitable(response):
                    discard(response)
                    abandon(run, ask, observer)
                    raise ConfigurationError(
                        "responses.create is asynchronous; use AsyncResponsesToolRunner",
                        "flavour_mismatch",
                    )
                stop = is_cancelled_after(cancelled, run, ask, observer)
                now = microseconds(observer)
                if failure is not None:
                    ask = run.answer_failed(identity, None, stop, now)
                else:
                    ask = run.answer_response(identity, conversation.take(response), stop, now)
            elif kind == CALL_FUNCTION:
                index: int = ask[2]
                function, takes = self._functions[index]
                value: Any = None
                failed = False
                try:
                    arguments = conversation.typed.arguments(ask[4], ask[3])
                    value = (
                        function(arguments, cancelled=cancelled) if takes else function(arguments)
                    )
                    if is_awaitable(value):
                        discard(value)
                        hint = "it returned an awaitable; AsyncRegisteredFunction takes those"
                except BrowserCancelledError:
                    ask = run.answer_cancelled(identity, microseconds(observer))
                    continue
                except Exception:  # noqa: BLE001 - a failure of the host is an answer
                    failed = True
                except BaseException:
                    abandon(run, ask, observer)
                    raise
                stop = is_cancelled_after(cancelled, run, ask, observer)
                now = microseconds(observer)
                if failed:
                    ask = run.answer_failed(identity, None, stop, now)
                else:
                    ask = run.answer_value(identity, value, stop, now)
            else:
                return End(ask, response, hint, failure, raised)
        return End(ask, response)


class AsyncResponsesToolRunner(_Runner):
    """``ResponsesToolRunner`` with ``await``, for an asynchronous client, toolset and functions.

    ``cancelled`` and ``on_diagnostic`` are synchronous.
    """

    _asynchronous = True

    def __init__(
        self,
        *,
        browser: AsyncBrowserToolset | None = None,
        computer: AsyncComputerToolset | None = None,
        functions: Sequence[AsyncRegisteredFunction] | None = None,
    ) -> None:
        kinds = (AsyncBrowserToolset, AsyncComputerToolset, AsyncRegisteredFunction)
        super().__init__(browser, computer, functions, kinds)

    async def run(
        self,
        client: ResponsesClient,
        params: Mapping[str, object],
        *,
        max_steps: int | None = None,
        approve_safety_checks: AsyncApproveSafetyChecks | None = None,
        before_action: AsyncBeforeAction | None = None,
        cancelled: Callable[[], bool] | None = None,
        on_diagnostic: ToolDiagnosticObserver | None = None,
    ) -> Any:
        """Run one task and return the client's own final response; see ``ResponsesToolRunner.run``.

        Raises:
            ToolRunnerCancelledError: the task was cancelled; an ``asyncio.CancelledError`` that says
                which calls were begun and completed (R-8).
        """
        consents = consents_of(approve_safety_checks, before_action, self)
        with self._session.enter():
            create = self._create(client)
            conversation = self._conversation(params)
            run, ask = self._session.begin(
                conversation.params,
                max_steps,
                on_diagnostic is not None,
                microseconds(on_diagnostic),
                self._is_cancelled_early(cancelled),
                consents.given(),
            )
            try:
                conversation.begin(adds_computer=run.adds_computer())
                end = await self._drive(
                    run, ask, create, conversation, consents, cancelled, on_diagnostic
                )
            except BaseException as error:  # noqa: BLE001 - all of them are raised again
                self._cut_short(error, run)
            finally:
                run.end()
        if end.ask[0] != FINISHED:
            self._stop(run, end)
        return end.response

    async def _drive(
        self,
        run: Run,
        ask: tuple[Any, ...],
        create: Callable[..., Any],
        conversation: Conversation,
        consents: Consents,
        cancelled: Callable[[], bool] | None,
        observer: ToolDiagnosticObserver | None,
    ) -> End:
        response: Any = None
        failure: Exception | None = None
        raised: Exception | None = None
        hint: str | None = None
        while (kind := ask[0]) != FINISHED:
            identity = ask[1]
            if kind == EMIT:
                ask = show(observer, cancelled, run, ask)
            elif kind < EMIT:
                ask, hint = await self._browser._perform(run, ask, cancelled, observer)
            elif kind in OURS:
                ask, hint, raised = await self._computer._perform(
                    run, ask, consents, cancelled, observer
                )
            elif kind == SEND:
                try:
                    pending = create(**conversation.request(*ask[2:]))
                    response = await pending if is_awaitable(pending) else _NOT_AWAITABLE
                except Exception as error:  # noqa: BLE001 - a failure of the host is an answer
                    failure = error
                except BaseException:
                    abandon(run, ask, observer)
                    raise
                if failure is None and response is _NOT_AWAITABLE:
                    abandon(run, ask, observer)
                    raise ConfigurationError(
                        "responses.create is not asynchronous; use ResponsesToolRunner",
                        "flavour_mismatch",
                    )
                stop = is_cancelled_after(cancelled, run, ask, observer)
                now = microseconds(observer)
                if failure is not None:
                    ask = run.answer_failed(identity, None, stop, now)
                else:
                    ask = run.answer_response(identity, conversation.take(response), stop, now)
            elif kind == CALL_FUNCTION:
                index: int = ask[2]
                function, takes = self._functions[index]
                value: Any = None
                failed = False
                try:
                    arguments = conversation.typed.arguments(ask[4], ask[3])
                    value = (
                        function(arguments, cancelled=cancelled) if takes else function(arguments)
                    )
                    if is_awaitable(value):
                        value = await value
                    else:
                        value = _NOT_AWAITABLE
                        hint = "it returned no awaitable; RegisteredFunction takes that"
                except BrowserCancelledError:
                    ask = run.answer_cancelled(identity, microseconds(observer))
                    continue
                except Exception:  # noqa: BLE001 - a failure of the host is an answer
                    failed = True
                except BaseException:
                    abandon(run, ask, observer)
                    raise
                stop = is_cancelled_after(cancelled, run, ask, observer)
                now = microseconds(observer)
                if failed:
                    ask = run.answer_failed(identity, None, stop, now)
                else:
                    ask = run.answer_value(identity, value, stop, now)
            else:
                return End(ask, response, hint, failure, raised)
        return End(ask, response)
