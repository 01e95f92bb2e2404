"""Responses that are read as streams (R-30, R-35)."""

from __future__ import annotations

import copy
import gc
import warnings
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from api.kit import Kit
from runner.bench import PARAMS, Bench, noting
from runner.endpoint import function_call, message, response
from runner.streams import AsyncSource, SyncSource, events
from runner.values import spoil
from swingbridge import ConfigurationError, ToolRunnerError


def stopped(bench: Bench, runner: Any, client: Any, **options: Any) -> ToolRunnerError:
    with pytest.raises(ToolRunnerError) as caught:
        bench.run(runner, client, stream=True, **options)
    return caught.value


def delta(number: int = 0) -> dict[str, Any]:
    return {"type": "response.output_text.delta", "delta": "x", "item_id": "m", "n": number}


def test_a_streamed_run_ends_with_the_response_of_its_last_event(bench: Bench) -> None:
    item = function_call("lookup")
    first, last = events(item), events(message())
    sources = [bench.stream(*first), bench.stream(*last)]
    client = bench.client(*sources)
    ran: list[Any] = []
    found = bench.run(bench.runner(bench.function(noting(ran, "own"))), client, stream=True)
    assert found is last[-1]["response"]
    assert ran == [{}]
    assert [request["stream"] for request in client.requests] == [True, True]
    assert client.requests[1]["input"][1:] == [
        item,
        {"type": "function_call_output", "call_id": item["call_id"], "output": "own"},
    ]
    assert [source.closed for source in sources] == [1, 1]


def test_effects_wait_for_the_whole_response(bench: Bench) -> None:
    trace: list[str] = []

    def lookup(_arguments: Any) -> str:
        trace.append("lookup")
        return ""

    client = bench.client(
        bench.stream(*events(function_call("lookup"))), bench.stream(*events(message()))
    )
    bench.run(
        bench.runner(bench.function(lookup)),
        client,
        stream=True,
        on_event=bench.kit.function(lambda event: trace.append(event["type"])),
    )
    assert trace.index("lookup") == 4
    assert trace[3] == "response.completed"


def test_each_event_is_delivered_once_and_detached(bench: Bench) -> None:
    streams = [events(function_call("lookup")), events(message())]
    before = copy.deepcopy(streams)
    seen: list[Any] = []

    def on_event(event: Any) -> None:
        seen.append(copy.deepcopy(event))
        spoil(event)

    client = bench.client(*(bench.stream(*listed) for listed in streams))
    bench.run(
        bench.runner(bench.function(lambda _arguments: "")),
        client,
        stream=True,
        on_event=bench.kit.function(on_event),
    )
    assert seen == [event for listed in before for event in listed]
    assert streams == before


@pytest.mark.parametrize(
    ("ends", "code"),
    [
        ([{"type": "response.incomplete", "response": {}}], "response_incomplete"),
        ([{"type": "response.failed", "response": {}}], "response_failed"),
        ([{"type": "error", "message": "x"}], "stream_error"),
        ([], "stream_ended"),
        ([ConnectionError("lost")], "request_failed"),
        ([{"type": 5}], "stream_malformed"),
        ([{}], "stream_malformed"),
        ([5], "stream_malformed"),
        (["data: [DONE]"], "stream_malformed"),
        ([{"type": "response.completed"}], "stream_malformed"),
        ([{"type": "response.completed", "response": None}], "response_incomplete"),
    ],
)
def test_each_end_of_a_stream_has_its_code(bench: Bench, ends: list[Any], code: str) -> None:
    records: list[Any] = []
    source = bench.stream(delta(), *ends)
    error = stopped(bench, bench.runner(), bench.client(source), on_diagnostic=records.append)
    assert error.code == code
    assert source.closed == 1
    raised = [end for end in ends if isinstance(end, BaseException)]
    assert error.__cause__ is (raised[0] if raised else None)


def test_a_stream_that_is_cut_after_any_event_has_no_effect(bench: Bench) -> None:
    listed = events(function_call("lookup"), function_call("lookup"))
    for count in range(len(listed)):
        for end, code in (([], "stream_ended"), ([OSError()], "request_failed")):
            source = bench.stream(*listed[:count], *end)
            runner = bench.runner(bench.function(lambda _arguments: pytest.fail("it ran")))
            error = stopped(bench, runner, bench.client(source))
            assert (error.code, error.attempted_call_ids, source.closed) == (code, (), 1)


def test_nothing_is_read_after_the_response_is_complete(bench: Bench) -> None:
    source = bench.stream(*events(message()), lambda: pytest.fail("read on"))
    bench.run(bench.runner(), bench.client(source), stream=True)
    assert source.closed == 1


def test_an_on_event_that_raises_ends_the_run(bench: Bench) -> None:
    source = bench.stream(*events(message()))

    def on_event(_event: Any) -> None:
        raise OSError("tr0ub4dor")

    error = stopped(
        bench, bench.runner(), bench.client(source), on_event=bench.kit.function(on_event)
    )
    assert error.code == "event_not_delivered"
    assert error.__cause__ is None
    assert (source.closed, source.read) == (1, 1)


@pytest.mark.parametrize("at", range(4))
def test_a_true_cancelled_closes_the_stream(bench: Bench, at: int) -> None:
    source = bench.stream(*events(function_call("lookup")))
    runner = bench.runner(bench.function(lambda _arguments: pytest.fail("it ran")))
    error = stopped(bench, runner, bench.client(source), cancelled=lambda: source.read > at)
    assert error.code == "run_cancelled"
    assert source.closed == 1


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("place", ["stream", "on_event", "cancelled"])
def test_what_ends_the_program_closes_the_stream(
    bench: Bench, kind: type[BaseException], place: str
) -> None:
    def end() -> Any:
        raise kind

    listed = events(message())
    source = bench.stream(listed[0], *([end] if place == "stream" else []), *listed[1:])
    options: dict[str, Any] = {}
    if place == "on_event":
        options["on_event"] = bench.kit.function(lambda _event: end())
    if place == "cancelled":
        options["cancelled"] = lambda: end() if source.read else False
    runner = bench.runner()
    with pytest.raises(kind):
        bench.run(runner, bench.client(source), stream=True, **options)
    assert source.closed == 1
    assert bench.run(runner, bench.client(response(message())))["status"] == "completed"


# --- what may be a stream (P-3) -------------------------------------------------------------------


def test_whatever_can_be_iterated_is_a_stream(bench: Bench) -> None:
    closed: list[str] = []

    def generate() -> Iterator[Any]:
        try:
            yield from events(message())
        finally:
            closed.append("generator")

    async def generate_async() -> AsyncIterator[Any]:
        try:
            for event in events(message()):
                yield event
        finally:
            closed.append("generator")

    @contextmanager
    def managed() -> Iterator[Any]:
        try:
            yield generate()
        finally:
            closed.append("manager")

    @asynccontextmanager
    async def managed_async() -> AsyncIterator[Any]:
        try:
            yield generate_async()
        finally:
            closed.append("manager")

    class Iterable:
        def __iter__(self) -> Iterator[Any]:
            return generate()

    class AsyncIterable:
        def __aiter__(self) -> AsyncIterator[Any]:
            return generate_async()

    asynchronous = bench.kit.asynchronous
    streams: list[tuple[Any, list[str]]] = [
        (events(message()), []),
        (generate_async() if asynchronous else generate(), ["generator"]),
        (AsyncIterable() if asynchronous else Iterable(), ["generator"]),
        (managed_async() if asynchronous else managed(), ["generator", "manager"]),
    ]
    for stream, ends in streams:
        closed.clear()
        found = bench.run(bench.runner(), bench.client(stream), stream=True)
        assert found["status"] == "completed"
        assert closed == ends


def test_an_async_generator_function_is_an_asynchronous_client() -> None:
    async def create(**_request: Any) -> AsyncIterator[Any]:
        for event in events(message()):
            yield event

    client = SimpleNamespace(responses=SimpleNamespace(create=create))
    bench = Bench(Kit(asynchronous=True))
    assert bench.run(bench.runner(), client, stream=True)["status"] == "completed"
    with pytest.raises(ConfigurationError) as caught:
        Bench(Kit(asynchronous=False)).runner().run(client, PARAMS, stream=True)
    assert caught.value.code == "flavour_mismatch"


def test_a_stream_of_the_other_flavour_is_refused(bench: Bench) -> None:
    kind: Any = SyncSource if bench.kit.asynchronous else AsyncSource
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        error = stopped(bench, bench.runner(), bench.client(kind(*events(message()))))
        gc.collect()
    assert error.code == "flavour_mismatch"
    assert type(error.__cause__) is ConfigurationError


@pytest.mark.parametrize("answer", [None, 5, SimpleNamespace()])
def test_what_is_no_stream_is_a_failed_request(bench: Bench, answer: Any) -> None:
    error = stopped(bench, bench.runner(), bench.client(answer))
    assert error.code == "request_failed"
    assert type(error.__cause__) is TypeError


def test_a_stream_that_cannot_be_closed_changes_nothing(bench: Bench) -> None:
    def fail() -> None:
        raise OSError("tr0ub4dor")

    source = bench.stream(*events(message()))
    source.close = bench.kit.function(fail)
    assert bench.run(bench.runner(), bench.client(source), stream=True)["status"] == "completed"


# --- objects of a client --------------------------------------------------------------------------


class Event:
    """As a client's own object; a field that nobody reads may do anything."""

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    @property
    def secret(self) -> Any:
        raise OSError("tr0ub4dor")

    def __eq__(self, other: object) -> bool:
        raise OSError("tr0ub4dor")

    __hash__ = None  # type: ignore[assignment]


def test_events_may_be_objects(bench: Bench) -> None:
    listed: list[Any] = [Event(**event) for event in events(function_call("lookup"))]
    client = bench.client(bench.stream(*listed), bench.stream(*events(message())))
    seen: list[Any] = []
    ran: list[Any] = []
    bench.run(
        bench.runner(bench.function(noting(ran))),
        client,
        stream=True,
        on_event=bench.kit.function(lambda event: seen.append(event)),
    )
    assert ran == [{}]
    assert [type(event) for event in seen[:1]] == [Event]
    assert seen[0] is not listed[0]
    assert seen[0].response is not listed[0].response


def test_an_event_that_cannot_be_copied_ends_the_run(bench: Bench) -> None:
    class Odd:
        type = "response.output_text.delta"

        def __reduce__(self) -> Any:
            raise OSError("tr0ub4dor")

    source = bench.stream(Odd())
    error = stopped(
        bench,
        bench.runner(),
        bench.client(source),
        on_event=bench.kit.function(lambda _event: pytest.fail("it was delivered")),
    )
    assert error.code == "event_not_delivered"


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
def test_an_attribute_that_ends_the_program_does(bench: Bench, kind: type[BaseException]) -> None:
    class Odd:
        @property
        def type(self) -> str:
            raise kind

    source = bench.stream(Odd())
    runner = bench.runner()
    with pytest.raises(kind):
        bench.run(runner, bench.client(source), stream=True)
    assert source.closed == 1
    assert bench.run(runner, bench.client(response(message())))["status"] == "completed"


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"stream": 1}, "option_invalid"),
        ({"stream": "yes"}, "option_invalid"),
        ({"stream": True, "eager": 1}, "option_invalid"),
        ({"eager": True}, "eager_without_stream"),
        ({"max_concurrent_calls": 0}, "option_invalid"),
        ({"max_concurrent_calls": None}, "option_invalid"),
        ({"max_concurrent_calls": True}, "option_invalid"),
        ({"finish_at_limit": "no"}, "option_invalid"),
        ({"on_event": 5}, "not_callable"),
        ({"approve_mcp": 5}, "not_callable"),
        ({"before_early_call": "execute"}, "not_callable"),
    ],
)
def test_options_are_checked_before_anything_is_sent(
    bench: Bench, options: dict[str, Any], code: str
) -> None:
    client = bench.client()
    with pytest.raises(ConfigurationError) as caught:
        bench.run(bench.runner(), client, **options)
    assert caught.value.code == code
    assert client.requests == []


@pytest.mark.parametrize("name", ["on_event", "approve_mcp", "before_early_call"])
def test_callbacks_are_of_the_flavour_of_the_runner(bench: Bench, name: str) -> None:
    other = Kit(asynchronous=not bench.kit.asynchronous)

    def annotated(_argument: Any) -> str:
        raise AssertionError

    wrong = annotated if bench.kit.asynchronous else other.function(annotated)
    with pytest.raises(ConfigurationError) as caught:
        bench.run(bench.runner(), bench.client(), **{name: wrong})
    assert caught.value.code == "flavour_mismatch"


def test_an_opaque_on_event_of_the_other_flavour_ends_the_run(bench: Bench) -> None:
    async def never() -> None:
        raise AssertionError

    def opaque(_event: Any) -> Any:
        return None if bench.kit.asynchronous else never()

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        error = stopped(
            bench,
            bench.runner(),
            bench.client(bench.stream(*events(message()))),
            on_event=opaque,
        )
        gc.collect()
    assert error.code == "event_not_delivered"
    assert "on_event returned" in str(error)
