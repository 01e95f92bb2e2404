"""The runner: ``ResponsesToolRunner`` and ``AsyncResponsesToolRunner``.

Each drives its runs with a pump, the loop of ``docs/driving.md``; no rule stands here.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from ._core import FINISHED, TURN, RunnerSession
from .accepts import takes_cancelled
from .async_pump import AsyncPump
from .browser import AsyncBrowserToolset, BrowserToolset
from .cancelling import is_cancelled
from .computer import AsyncComputerToolset, ComputerToolset
from .errors import ConfigurationError, MisuseError, SwingbridgeError, ToolRunnerError
from .flavour import require
from .functions import AsyncRegisteredFunction, RegisteredFunction, parsers_of
from .native_runs import native_of, sender_of
from .observers import microseconds
from .options import Options, callbacks_of, given_of, idempotency_of
from .params import params_of
from .plain import as_list, copied
from .pump import Pump
from .run_types import AsyncResponsesToolLedger, ResponsesRunnerTurn, ResponsesToolLedger
from .typed_calls import TypedCalls

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping, Sequence
    from typing import Literal, TypeGuard

    from ._core import BrowserSession, ComputerSession, Run
    from .callback_items import EarlyCall, McpApprovalRequest
    from .computer import (
        ApproveSafetyChecks,
        AsyncApproveSafetyChecks,
        AsyncBeforeAction,
        BeforeAction,
    )
    from .options import Callbacks
    from .pump import Ask, PumpState
    from .run_types import AsyncContextBudget, ContextBudget, EarlyExecution
    from .types import CloseStatus, ResponsesClient, ToolDiagnosticObserver

    EarlyDecision = Literal["execute", "defer"]


class _Runner:
    """What the two classes share: their construction, and how their runs begin and end."""

    _asynchronous: ClassVar[bool]
    _browser_kind: ClassVar[type]
    _computer_kind: ClassVar[type]
    _function_kind: ClassVar[type]
    _ledger_kind: ClassVar[type]

    def __init__(
        self, browser: Any, computer: Any, functions: object, early_execution: object
    ) -> None:
        self._browser: Any = browser
        if browser is not None and not issubclass(type(browser), self._browser_kind):
            words = f"browser must be one of {self._browser_kind.__name__}"
            raise ConfigurationError(words, "browser_not_a_toolset")
        self._computer: Any = computer
        if computer is not None and not issubclass(type(computer), self._computer_kind):
            words = f"computer must be one of {self._computer_kind.__name__}"
            raise ConfigurationError(words, "computer_not_a_toolset")
        listed = _listed(functions, self._function_kind)
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
            copied(early_execution, "early_execution", "early_execution_invalid", exact=True),
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

    def _parts(
        self,
        client: object,
        params: object,
        options: Options,
        callbacks: Callbacks,
        *,
        yields_turns: bool = False,
    ) -> tuple[Any, ...]:
        """Begin a run, and give what its pump is made of."""
        create = self._create(client)
        given = given_of(options, callbacks, yields_turns=yields_turns)
        copy = params_of(params, exact_input=given.is_exact())
        typed = TypedCalls(self._parsers)
        given = given._replace(
            idempotency=idempotency_of(client, copy),
            read_item=typed.read_item if self._parsers else None,
            native=native_of(client, copy),
        )
        browser_tools: list[Any] = [] if self._browser is None else self._browser.tools
        begun = self._session.begin(
            copy,
            [*browser_tools, *self._declarations],
            given,
            callbacks.observer is not None,
            microseconds(callbacks.observer),
            self._is_cancelled_early(callbacks.cancelled),
        )
        if begun[0].sends_text():
            create = sender_of(client)
        return self, client, create, callbacks, typed, begun

    def _result(self, pump: PumpState) -> Any:
        """The final response of a run that is over, or the error that it stopped with."""
        if pump.ask[0] != FINISHED:
            self._stop(pump)
        return pump.run.response()

    def _stop(self, pump: PumpState) -> NoReturn:
        """Raise what the run stopped with."""
        _, _, code, words = pump.ask
        words = words if pump.hint is None else f"{words}: {pump.hint}"
        error = ToolRunnerError(words, *pump.run.call_ids(), code)
        error.response = pump.run.response()
        raise error from pump.failure

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
            stopped = ToolRunnerError(words, attempted, completed, code)
            stopped.response = None if run is None else run.response()
            raise stopped from error
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


def _turn(pump: PumpState) -> ResponsesRunnerTurn:
    ask: Ask = pump.ask
    _, identity, step, final, executed, withheld, attempted, completed = ask
    return ResponsesRunnerTurn(
        response=pump.run.response(),
        step=step,
        final=final,
        tools_executed=executed,
        tools_withheld=withheld,
        attempted_call_ids=attempted,
        completed_call_ids=completed,
        _run=pump.run,
        _ask_id=identity,
    )


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
        early_execution: which calls ``eager`` may run early; without it all of them (R-32).

    Raises:
        ConfigurationError: a wrong kind of toolset or function, two tools of one name, or an
            ``early_execution`` that names no tool.
    """

    _asynchronous = False
    _browser_kind = BrowserToolset
    _computer_kind = ComputerToolset
    _function_kind = RegisteredFunction
    _ledger_kind = ResponsesToolLedger

    def __init__(
        self,
        *,
        browser: BrowserToolset | None = None,
        computer: ComputerToolset | None = None,
        functions: Sequence[RegisteredFunction] | None = None,
        early_execution: EarlyExecution | None = None,
    ) -> None:
        super().__init__(browser, computer, functions, early_execution)

    def run(
        self,
        client: ResponsesClient,
        params: Mapping[str, object],
        *,
        max_steps: int | None = None,
        stream: bool = False,
        eager: bool = False,
        max_concurrent_calls: int = 2,
        on_event: Callable[[Any], object] | None = None,
        cancelled: Callable[[], bool] | None = None,
        approve_safety_checks: ApproveSafetyChecks | None = None,
        before_action: BeforeAction | None = None,
        ledger: ResponsesToolLedger | None = None,
        context_budget: ContextBudget | None = None,
        on_diagnostic: ToolDiagnosticObserver | None = None,
        approve_mcp: Callable[[McpApprovalRequest], bool] | None = None,
        before_early_call: Callable[[EarlyCall], EarlyDecision] | None = None,
        finish_at_limit: bool = False,
    ) -> Any:
        """Run one task and return the client's own final response.

        Args:
            client: anything with a synchronous ``responses.create(**params)``.
            params: as for ``responses.create``; a copy is taken. ``tools`` may declare tools of the
                service; functions are registered instead. Each request has its own copies, which a
                client may change; only the items of its ``input`` are shared by the requests of a run.
                With a ledger or a context budget ``input`` must be of exact built-in types.
            max_steps: the most requests, 20 if not given. The last one may start no new work.
            stream: whether each response is read as a stream of events (R-30).
            eager: whether calls may run before their streamed response is complete (R-30).
            max_concurrent_calls: how many independent functions run at once (R-34).
            on_event: gets a copy of each event. If it raises, the run stops.
            cancelled: asked after each request, callback and function; true ends the run (B-51).
            approve_safety_checks: consent to a computer call's safety checks; see
                ``ComputerToolset.execute``. Without it such a call stops the run (R-4).
            before_action: consent to each action of a computer call.
            ledger: where the run is saved, and from what it goes on (L-1, L-3).
            context_budget: how large the next request may be (R-50).
            on_diagnostic: gets content-free records (B-52, R-60).
            approve_mcp: gets a copy of a request to call a remote tool and returns exactly ``True`` or
                ``False``; anything else stops the run (R-41).
            before_early_call: gets a copy of a call that may run early and returns ``"execute"`` or
                ``"defer"`` (R-33).
            finish_at_limit: whether the last allowed request is sent without the local tools, so that
                the model ends with an answer instead of an error.

        Raises:
            ConfigurationError: bad parameters or an asynchronous client; nothing was sent (R-2, P-3).
            ToolRunnerError: the run stopped; it says which calls were begun and completed (R-8).
                Whatever ends a run that has begun is one, but for what is no ``Exception``.
            BusyError: another run is going on. ClosedError: ``close`` was called.
        """
        options = Options(
            max_steps,
            stream,
            eager,
            max_concurrent_calls,
            on_event,
            cancelled,
            approve_safety_checks,
            before_action,
            ledger,
            context_budget,
            on_diagnostic,
            approve_mcp,
            before_early_call,
            finish_at_limit,
        )
        callbacks = callbacks_of(options, self)
        with self._session.enter():
            pump = Pump(*self._parts(client, params, options, callbacks))
            try:
                pump.advance()
            finally:
                pump.close()
            return self._result(pump)

    def iterate(
        self,
        client: ResponsesClient,
        params: Mapping[str, object],
        *,
        max_steps: int | None = None,
        stream: bool = False,
        eager: bool = False,
        max_concurrent_calls: int = 2,
        on_event: Callable[[Any], object] | None = None,
        cancelled: Callable[[], bool] | None = None,
        approve_safety_checks: ApproveSafetyChecks | None = None,
        before_action: BeforeAction | None = None,
        ledger: ResponsesToolLedger | None = None,
        context_budget: ContextBudget | None = None,
        on_diagnostic: ToolDiagnosticObserver | None = None,
        approve_mcp: Callable[[McpApprovalRequest], bool] | None = None,
        before_early_call: Callable[[EarlyCall], EarlyDecision] | None = None,
        finish_at_limit: bool = False,
    ) -> Generator[ResponsesRunnerTurn, None, None]:
        """Run one task and show each response before its local work is done (R-20); see ``run``.

        The run begins with the first turn that is asked for. Closing the generator runs nothing
        further, closes the stream and leaves the runner free for the next run.
        """
        options = Options(
            max_steps,
            stream,
            eager,
            max_concurrent_calls,
            on_event,
            cancelled,
            approve_safety_checks,
            before_action,
            ledger,
            context_budget,
            on_diagnostic,
            approve_mcp,
            before_early_call,
            finish_at_limit,
        )
        callbacks = callbacks_of(options, self)
        with self._session.enter():
            pump = Pump(*self._parts(client, params, options, callbacks, yields_turns=True))
            try:
                while pump.advance()[0] == TURN:
                    yield _turn(pump)
            finally:
                pump.close()
            self._result(pump)


class AsyncResponsesToolRunner(_Runner):
    """``ResponsesToolRunner`` with ``await``, for an asynchronous client, toolset and functions.

    The callbacks of a run are awaited; ``cancelled`` and ``on_diagnostic`` are synchronous, and the
    ``compact`` of a context budget may be either.
    """

    _asynchronous = True
    _browser_kind = AsyncBrowserToolset
    _computer_kind = AsyncComputerToolset
    _function_kind = AsyncRegisteredFunction
    _ledger_kind = AsyncResponsesToolLedger

    def __init__(
        self,
        *,
        browser: AsyncBrowserToolset | None = None,
        computer: AsyncComputerToolset | None = None,
        functions: Sequence[AsyncRegisteredFunction] | None = None,
        early_execution: EarlyExecution | None = None,
    ) -> None:
        super().__init__(browser, computer, functions, early_execution)

    async def run(
        self,
        client: ResponsesClient,
        params: Mapping[str, object],
        *,
        max_steps: int | None = None,
        stream: bool = False,
        eager: bool = False,
        max_concurrent_calls: int = 2,
        on_event: Callable[[Any], Awaitable[object]] | None = None,
        cancelled: Callable[[], bool] | None = None,
        approve_safety_checks: AsyncApproveSafetyChecks | None = None,
        before_action: AsyncBeforeAction | None = None,
        ledger: AsyncResponsesToolLedger | None = None,
        context_budget: AsyncContextBudget | None = None,
        on_diagnostic: ToolDiagnosticObserver | None = None,
        approve_mcp: Callable[[McpApprovalRequest], Awaitable[bool]] | None = None,
        before_early_call: Callable[[EarlyCall], Awaitable[EarlyDecision]] | None = None,
        finish_at_limit: bool = False,
    ) -> Any:
        """Run one task and return the client's own final response; see ``ResponsesToolRunner.run``.

        Raises:
            ToolRunnerCancelledError: the task was cancelled; an ``asyncio.CancelledError`` that says
                which calls were begun and completed (R-8). Independent functions under way are
                cancelled too, and waited for.
        """
        options = Options(
            max_steps,
            stream,
            eager,
            max_concurrent_calls,
            on_event,
            cancelled,
            approve_safety_checks,
            before_action,
            ledger,
            context_budget,
            on_diagnostic,
            approve_mcp,
            before_early_call,
            finish_at_limit,
        )
        callbacks = callbacks_of(options, self)
        with self._session.enter():
            pump = AsyncPump(*self._parts(client, params, options, callbacks))
            try:
                await pump.advance()
            finally:
                await pump.close()
            return self._result(pump)

    async def iterate(
        self,
        client: ResponsesClient,
        params: Mapping[str, object],
        *,
        max_steps: int | None = None,
        stream: bool = False,
        eager: bool = False,
        max_concurrent_calls: int = 2,
        on_event: Callable[[Any], Awaitable[object]] | None = None,
        cancelled: Callable[[], bool] | None = None,
        approve_safety_checks: AsyncApproveSafetyChecks | None = None,
        before_action: AsyncBeforeAction | None = None,
        ledger: AsyncResponsesToolLedger | None = None,
        context_budget: AsyncContextBudget | None = None,
        on_diagnostic: ToolDiagnosticObserver | None = None,
        approve_mcp: Callable[[McpApprovalRequest], Awaitable[bool]] | None = None,
        before_early_call: Callable[[EarlyCall], Awaitable[EarlyDecision]] | None = None,
        finish_at_limit: bool = False,
    ) -> AsyncGenerator[ResponsesRunnerTurn, None]:
        """Run one task and show each response before its local work is done (R-20).

        See ``ResponsesToolRunner.iterate``. Leaving an ``async for`` does not close the generator by
        itself: use ``contextlib.aclosing`` or call ``aclose``.
        """
        options = Options(
            max_steps,
            stream,
            eager,
            max_concurrent_calls,
            on_event,
            cancelled,
            approve_safety_checks,
            before_action,
            ledger,
            context_budget,
            on_diagnostic,
            approve_mcp,
            before_early_call,
            finish_at_limit,
        )
        callbacks = callbacks_of(options, self)
        with self._session.enter():
            pump = AsyncPump(*self._parts(client, params, options, callbacks, yields_turns=True))
            try:
                while (await pump.advance())[0] == TURN:
                    yield _turn(pump)
            finally:
                await pump.close()
            self._result(pump)
