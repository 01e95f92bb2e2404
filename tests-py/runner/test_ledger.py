"""What a run is saved as, and how it goes on (L-1 to L-5)."""

from __future__ import annotations

import copy
import gc
import json
import time
import warnings
from collections.abc import Callable
from typing import Any

import pytest

import swingbridge
from api.kit import CLICK, Kit
from runner.bench import DECLARATION, PARAMS, Bench, noting
from runner.endpoint import function_call, message, response
from runner.streams import events
from runner.values import spoil
from swingbridge import (
    AsyncResponsesToolLedger,
    BrowserCancelledError,
    ConfigurationError,
    ResponsesToolCheckpoint,
    ResponsesToolLedger,
    ToolRunnerError,
)

FIELDS = list(ResponsesToolCheckpoint.__annotations__)


def saved_run(bench: Bench, *bodies: Any, **options: Any) -> list[Any]:
    """The checkpoints of a run with the function ``lookup``."""
    saved: list[Any] = []
    bench.run(
        bench.runner(bench.function(lambda _arguments: "found")),
        bench.client(*bodies),
        ledger=bench.ledger(saved.append),
        **options,
    )
    return saved


def test_what_is_saved_and_when(bench: Bench) -> None:
    item, last = function_call("lookup"), response(message())
    saved = saved_run(bench, response(item), last)
    given = {"type": "function_call_output", "call_id": item["call_id"], "output": "found"}
    ids = [item["call_id"]]
    assert [
        (
            each["phase"],
            each["consumed_requests"],
            len(each["history"]),
            each["attempted_call_ids"],
            each["returned_call_ids"],
            each["pending_items"],
            each["returned_outputs"],
        )
        for each in saved
    ] == [
        ("boundary", 1, 1, [], [], [], []),
        ("pending", 1, 1, [], [], [item], []),
        ("pending", 1, 1, ids, [], [item], []),
        ("pending", 1, 1, ids, ids, [item], [given]),
        ("boundary", 1, 3, ids, ids, [], []),
        ("boundary", 2, 3, ids, ids, [], []),
        ("final", 2, 3, ids, ids, [], []),
    ]
    assert [each["revision"] for each in saved] == [1, 2, 3, 4, 5, 6, 7]
    assert [each["final_response"] for each in saved[:-1]] == [None] * 6
    assert saved[-1]["final_response"] == last
    for each in saved:
        assert list(each) == FIELDS
        assert (each["version"], each["run_id"], each["max_steps"]) == (1, "run", 20)
        assert each["tools"] == [DECLARATION]
        assert each["output_override_names"] == []
    assert saved[-1]["history"] == [{"role": "user", "content": "hello"}, item, given]


def test_every_checkpoint_is_plain_json(bench: Bench) -> None:
    for each in saved_run(bench, response(function_call("lookup")), response(message())):
        assert json.loads(json.dumps(each)) == each


def test_a_save_that_changes_its_checkpoint_changes_nothing(bench: Bench) -> None:
    bodies = [response(function_call("lookup")) for _ in range(3)]
    bodies.append(response(message()))
    before = copy.deepcopy(bodies)
    expected = saved_run(bench, *copy.deepcopy(bodies))
    saved: list[Any] = []

    def save(checkpoint: Any) -> None:
        saved.append(copy.deepcopy(checkpoint))
        spoil(checkpoint)

    client = bench.client(*bodies)
    runner = bench.runner(bench.function(lambda _arguments: "found"))
    assert bench.run(runner, client, ledger=bench.ledger(save)) is bodies[-1]
    assert saved == expected
    assert bodies == before
    assert [len(request["input"]) for request in client.requests] == [1, 3, 5, 7]


def test_a_later_change_by_the_client_changes_no_checkpoint(bench: Bench) -> None:
    saved: list[Any] = []
    client = bench.client(response(function_call("lookup")), response(message()))

    def lookup(_arguments: Any) -> str:
        spoil(client.requests[0]["tools"])
        client.requests[0]["input"].clear()
        return "found"

    bench.run(bench.runner(bench.function(lookup)), client, ledger=bench.ledger(saved.append))
    assert saved[-1]["tools"] == [DECLARATION]
    assert len(saved[-1]["history"]) == 3


def test_a_model_of_the_client_is_saved_as_json(bench: Bench) -> None:
    openai = pytest.importorskip("openai")
    kind = openai.types.responses.Response
    bodies = [response(function_call("lookup", new=[1])), response(message(phase=None))]
    models = [kind.construct(**body) for body in bodies]
    saved = saved_run(bench, *models)
    assert saved[-1]["final_response"] == bodies[1]
    assert saved[-1]["history"][1] == bodies[0]["output"][0]


def test_a_plain_object_of_a_client_is_saved_as_json(bench: Bench) -> None:
    from types import SimpleNamespace

    body = response(message())
    saved = saved_run(bench, SimpleNamespace(**body))
    assert saved[-1]["final_response"] == body


def test_early_work_is_saved_item_by_item(bench: Bench) -> None:
    calls = [function_call("lookup"), function_call("lookup")]
    saved = saved_run(
        bench,
        bench.stream(*events(*calls)),
        bench.stream(*events(message())),
        stream=True,
        eager=True,
    )
    pending = [
        ([item["call_id"] for item in each["pending_items"]], len(each["returned_outputs"]))
        for each in saved
        if each["phase"] == "pending" and each["consumed_requests"] == 1
    ]
    first, second = (item["call_id"] for item in calls)
    assert pending == [
        ([first], 0),
        ([first], 0),
        ([first], 1),
        ([first, second], 1),
        ([first, second], 2),
    ]


# --- a save that fails ----------------------------------------------------------------------------


def failing(at: int, fail: Callable[[], Any]) -> Callable[[Any], Any]:
    """A ``save`` that fails at a revision."""
    return lambda checkpoint: fail() if checkpoint["revision"] == at else None


def raising(error: BaseException) -> Any:
    def fail(_argument: Any = None) -> Any:
        raise error

    return fail


@pytest.mark.parametrize(
    ("at", "requests", "ran"), [(1, 0, 0), (2, 1, 0), (3, 1, 0), (4, 1, 1), (5, 1, 1), (7, 2, 1)]
)
@pytest.mark.parametrize(
    ("error", "code"),
    [(OSError("tr0ub4dor"), "save_failed"), (BrowserCancelledError(), "run_cancelled")],
)
def test_a_save_that_raises_stops_the_run(
    bench: Bench, at: int, requests: int, ran: int, error: Exception, code: str
) -> None:
    seen: list[Any] = []
    runner = bench.runner(bench.function(noting(seen)))
    client = bench.client(response(function_call("lookup")), response(message()))
    ledger = bench.ledger(failing(at, raising(error)))
    with pytest.raises(ToolRunnerError) as caught:
        bench.run(runner, client, ledger=ledger)
    assert caught.value.code == code
    assert caught.value.__cause__ is None
    assert "tr0ub4dor" not in str(caught.value)
    assert (len(client.requests), len(seen)) == (requests, ran)
    assert len(caught.value.completed_call_ids) == ran
    assert bench.run(runner, bench.client(response(message())))["status"] == "completed"


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("at", [1, 3, 4])
def test_an_interrupted_save_ends_the_program_and_nothing_more_runs(
    bench: Bench, at: int, kind: type[BaseException]
) -> None:
    ran: list[Any] = []
    runner = bench.runner(bench.function(noting(ran)))
    client = bench.client(response(function_call("lookup")))
    with pytest.raises(kind):
        bench.run(runner, client, ledger=bench.ledger(failing(at, raising(kind()))))
    assert len(ran) == (at == 4)
    assert bench.run(runner, bench.client(response(message())))["status"] == "completed"


def test_a_save_that_returns_a_coroutine_stops_a_sync_run() -> None:
    async def never() -> None:
        raise AssertionError

    bench = Bench(Kit(asynchronous=False))
    save: Any = lambda _checkpoint: never()  # noqa: E731 - opaque on purpose
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ToolRunnerError, match="save returned an awaitable") as caught:
            bench.run(bench.runner(), bench.client(), ledger=ResponsesToolLedger("r", save))
        gc.collect()
    assert caught.value.code == "save_failed"


def test_a_save_that_returns_no_awaitable_stops_an_async_run() -> None:
    bench = Bench(Kit(asynchronous=True))
    save: Any = lambda _checkpoint: None  # noqa: E731 - opaque on purpose
    ledger = AsyncResponsesToolLedger("r", save)
    with pytest.raises(ToolRunnerError, match="save returned no awaitable") as caught:
        bench.run(bench.runner(), bench.client(), ledger=ledger)
    assert caught.value.code == "save_failed"


def test_what_save_returns_does_not_count(bench: Bench) -> None:
    ledger = bench.ledger(lambda _checkpoint: False)
    client = bench.client(response(message()))
    assert bench.run(bench.runner(), client, ledger=ledger)["status"] == "completed"


def test_a_failed_browser_call_stops_a_saved_run(bench: Bench) -> None:
    driver = bench.kit.driver(click=raising(swingbridge.BrowserError("gone")))
    runner = bench.runner(browser=bench.kit.toolset(driver, members=["click"]))
    item = function_call("browser_click", CLICK)
    saved: list[Any] = []
    with pytest.raises(ToolRunnerError) as caught:
        bench.run(runner, bench.client(response(item)), ledger=bench.ledger(saved.append))
    assert caught.value.code == "browser_call_failed"
    assert caught.value.completed_call_ids == (item["call_id"],)
    assert saved[-1]["phase"] == "pending"
    assert saved[-1]["returned_outputs"][0]["call_id"] == item["call_id"]


# --- resuming (L-3) -------------------------------------------------------------------------------


def boundary(bench: Bench) -> tuple[Any, str]:
    """A checkpoint after one call, and the id of that call."""
    item = function_call("lookup")
    saved = saved_run(bench, response(item), response(message()))
    return saved[5], item["call_id"]


NOW = {"model": "m", "input": "this is how things are"}


def test_a_resumed_run_goes_on_where_it_was(bench: Bench) -> None:
    checkpoint, call_id = boundary(bench)
    before = copy.deepcopy(checkpoint)
    second = function_call("lookup")
    saved: list[Any] = []
    client = bench.client(response(second), response(message()))
    runner = bench.runner(bench.function(lambda _arguments: "again"))
    ledger = bench.ledger(saved.append, resume_from=checkpoint)
    turns = bench.iterate(runner, client, None, NOW, ledger=ledger)

    assert checkpoint == before
    assert [turn.step for turn in turns] == [3, 4]
    assert turns[-1].completed_call_ids == (call_id, second["call_id"])
    assert client.requests[0]["input"] == [
        *before["history"],
        {"role": "user", "content": "this is how things are"},
    ]
    assert [each["revision"] for each in saved] == list(range(7, 14))
    assert saved[-1]["history"][:3] == before["history"]


def test_a_checkpoint_is_copied_when_the_run_begins(bench: Bench) -> None:
    checkpoint, _ = boundary(bench)
    length = len(checkpoint["history"])

    def answer() -> Any:
        spoil(checkpoint)
        return response(function_call("lookup"))

    client = bench.client(answer, response(message()))
    runner = bench.runner(bench.function(lambda _arguments: ""))
    ledger = bench.ledger(lambda _checkpoint: None, resume_from=checkpoint)
    bench.run(runner, client, NOW, ledger=ledger)
    assert len(client.requests[1]["input"]) == length + 3


def cycle() -> Any:
    value: list[Any] = []
    value.append(value)
    return value


class Fields(dict[str, Any]):
    pass


class Items(list[Any]):
    pass


class Text(str):
    __slots__ = ()


class Number(int):
    pass


COUNT = 5
SPOILT: list[Any] = [
    None,
    True,
    "x",
    "",
    COUNT,
    -1,
    1.5,
    2**60,
    10**30,
    [],
    [5],
    [{}],
    {},
    {"a": 1},
    object(),
    Text("x"),
    Number(1),
    Items(),
    Fields(),
]


@pytest.mark.parametrize("name", FIELDS)
def test_a_checkpoint_with_any_field_spoilt_is_refused_or_harmless(name: str) -> None:
    bench = Bench(Kit(asynchronous=False))
    checkpoint, _ = boundary(bench)
    runner = bench.runner(bench.function(lambda _arguments: ""))
    for value in [*SPOILT, cycle()]:
        if value == checkpoint[name] and type(value) is type(checkpoint[name]):
            continue
        client = bench.client(response(message()))
        ledger = bench.ledger(lambda _each: None, resume_from={**checkpoint, name: value})
        # Another count may be right; what is no plain value of its kind never is.
        if name in {"revision", "max_steps", "consumed_requests"} and value is COUNT:
            bench.run(runner, client, NOW, ledger=ledger)
            continue
        with pytest.raises(ConfigurationError) as caught:
            bench.run(runner, client, NOW, ledger=ledger)
        assert caught.value.code.startswith(("checkpoint", "saved_history"))
        assert client.requests == []


@pytest.mark.parametrize("name", FIELDS)
def test_a_checkpoint_without_any_field_is_refused(bench: Bench, name: str) -> None:
    checkpoint, _ = boundary(bench)
    del checkpoint[name]
    refused(bench, checkpoint, "checkpoint_invalid")


def refused(bench: Bench, checkpoint: Any, code: str, **params: Any) -> None:
    client = bench.client()
    saved: list[Any] = []
    ledger = bench.ledger(saved.append, resume_from=checkpoint)
    runner = bench.runner(bench.function(lambda _arguments: ""))
    with pytest.raises(ConfigurationError) as caught:
        bench.run(runner, client, {**NOW, **params}, ledger=ledger)
    assert caught.value.code == code
    assert (client.requests, saved) == ([], [])


def test_another_field_or_another_kind_of_checkpoint_is_refused(bench: Bench) -> None:
    checkpoint, _ = boundary(bench)
    refused(bench, {**checkpoint, "more": 1}, "checkpoint_field_unknown")
    refused(bench, Fields(checkpoint), "checkpoint_invalid")
    refused(bench, [], "checkpoint_invalid")
    refused(bench, dict([*checkpoint.items(), (5, 6)]), "checkpoint_invalid")
    refused(bench, {**checkpoint, "history": cycle()}, "checkpoint_invalid")
    refused(bench, {**checkpoint, "run_id": "other"}, "checkpoint_mismatch")
    refused(bench, checkpoint, "observation_missing", input="  ")
    refused(bench, checkpoint, "observation_missing", input=[])


def test_a_pending_checkpoint_cannot_be_resumed(bench: Bench) -> None:
    saved = saved_run(bench, response(function_call("lookup")), response(message()))
    for each in saved:
        if each["phase"] != "boundary":
            refused(bench, each, "checkpoint_not_a_boundary")


def test_a_resumed_run_has_what_is_left_of_its_requests(bench: Bench) -> None:
    saved = saved_run(bench, response(function_call("lookup")), response(message()), max_steps=2)
    ledger = bench.ledger(lambda _each: None, resume_from=saved[5])
    runner = bench.runner(bench.function(lambda _arguments: ""))
    with pytest.raises(ToolRunnerError) as caught:
        bench.run(runner, bench.client(), NOW, ledger=ledger)
    assert caught.value.code == "step_limit"
    assert len(caught.value.completed_call_ids) == 1


# --- what is given as a ledger --------------------------------------------------------------------


def test_input_that_is_saved_is_of_exact_types(bench: Bench) -> None:
    good = {"role": "user", "content": "hello"}
    ledger = bench.ledger(lambda _checkpoint: None)
    for wrong in (
        [Fields(good)],
        Items([good]),
        [{**good, "content": Text("hello")}],
        [{**good, "metadata": Number(1)}],
        [{**good, "content": object()}],
        [{**good, "content": [Fields(type="input_text", text="x")]}],
        Text("hello"),
    ):
        client = bench.client()
        with pytest.raises(ConfigurationError):
            bench.run(bench.runner(), client, {**PARAMS, "input": wrong}, ledger=ledger)
        assert client.requests == []
        # Without a ledger it is copied like anything else, or its odd value is the client's matter.
        assert bench.run(
            bench.runner(),
            bench.client(response(message())),
            {**PARAMS, "input": [Fields(good)]},
        )


def test_a_model_of_the_client_may_be_saved_input(bench: Bench) -> None:
    openai = pytest.importorskip("openai")
    types = openai.types.responses
    earlier = types.ResponseOutputMessage.model_validate(message("hello"))
    saved: list[Any] = []
    client = bench.client(response(message()))
    params = {"model": "m", "input": [{"role": "user", "content": "hi"}, earlier]}
    bench.run(bench.runner(), client, params, ledger=bench.ledger(saved.append))
    assert saved[0]["history"][1] == earlier.to_dict()


@pytest.mark.parametrize("ledger", [5, {"run_id": "r", "save": print}, ResponsesToolLedger])
def test_what_is_no_ledger_is_refused(bench: Bench, ledger: Any) -> None:
    with pytest.raises(ConfigurationError) as caught:
        bench.run(bench.runner(), bench.client(), ledger=ledger)
    assert caught.value.code == "ledger_invalid"


def test_a_ledger_of_the_other_flavour_is_refused(bench: Bench) -> None:
    other = Bench(Kit(asynchronous=not bench.kit.asynchronous))
    with pytest.raises(ConfigurationError) as caught:
        bench.run(bench.runner(), bench.client(), ledger=other.ledger(lambda _each: None))
    assert caught.value.code == "ledger_invalid"


@pytest.mark.parametrize("run_id", ["", None, 5, Text("r")])
def test_a_run_has_a_name(bench: Bench, run_id: Any) -> None:
    ledger = bench.ledger(lambda _each: None, run_id=run_id)
    with pytest.raises(ConfigurationError) as caught:
        bench.run(bench.runner(), bench.client(), ledger=ledger)
    assert caught.value.code == "ledger_run_id"


def test_a_ledger_is_checked_when_it_is_made() -> None:
    async def save_later(_checkpoint: Any) -> None:
        raise AssertionError

    def save(_checkpoint: Any) -> None:
        raise AssertionError

    for make, code in (
        (lambda: ResponsesToolLedger("r", 5), "not_callable"),  # type: ignore[arg-type]
        (lambda: ResponsesToolLedger("r", save_later), "flavour_mismatch"),
        (lambda: AsyncResponsesToolLedger("r", save), "flavour_mismatch"),  # type: ignore[arg-type]
    ):
        with pytest.raises(ConfigurationError) as caught:
            make()
        assert caught.value.code == code
    assert ResponsesToolLedger("r", save) == ResponsesToolLedger(run_id="r", save=save)


def test_a_checkpoint_of_shared_parts_is_copied_once() -> None:
    bench = Bench(Kit(asynchronous=False))
    shared: Any = ["x"]
    for _ in range(100):
        shared = [shared, shared]
    begun = time.process_time()
    body = response(message(), extra=shared)
    saved = saved_run(bench, body)
    assert time.process_time() - begun < 30
    extra = saved[-1]["final_response"]["extra"]
    assert extra[0] is extra[1]
    assert extra is not shared


def test_secrets_that_a_response_repeats_are_not_saved(bench: Bench) -> None:
    mcp = {
        "type": "mcp",
        "server_label": "docs",
        "server_url": "https://user:hidden@docs.example/mcp?token=hidden",
        "authorization": "hidden",
        "headers": {"x-key": "hidden"},
    }
    saved = saved_run(bench, response(message(), tools=[mcp]))
    assert "hidden" not in json.dumps(saved)
    tool = saved[-1]["final_response"]["tools"][0]
    assert tool["server_url"].startswith("sha256:")
    assert "headers" not in tool
    # What cannot be told free of secrets is left out.
    saved = saved_run(bench, response(message(), tools=[{**mcp, "server_url": "no address"}]))
    assert "tools" not in saved[-1]["final_response"]
