"""The records of whole runs, and what the harness makes of a runner that misbehaves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from conformance.harness.data import Record, Vector
from conformance.harness.run_records import RequestRecorder
from conformance.harness.runner import RunnerPackage, run_runner_vector
from conformance.harness.scenario import HOST_TEXT

USER = {"role": "user", "content": "hi"}
CALL = {"type": "function_call", "call_id": "call_1", "name": "browser_find", "arguments": "{}"}
RESPONSE = {"id": "resp_1", "output": [CALL]}


class ToyStop(RuntimeError):
    """The error with receipts of the toy package."""

    attempted_call_ids = ("call_1",)
    completed_call_ids = ()


class TestRequests:
    def test_only_what_is_new_is_shown(self) -> None:
        recorder = recorder_of()
        recorder.note({"model": "m", "input": [USER], "store": False})
        recorder.note({"model": "m", "input": [USER, CALL], "tools": [{"type": "mcp"}]})
        recorder.note({"model": "m", "input": [CALL], "extra_body": {"a": 1}, "timeout": 3})
        assert recorder.records == [
            {"input_types": ["message"], "input": [USER], "tools": [], "body": {"store": False}},
            {
                "input_types": ["message", "function_call"],
                "appended": [CALL],
                "tools": ["mcp"],
                "body": {},
            },
            {"input_types": ["function_call"], "input": [CALL], "tools": [], "body": {"a": 1}},
        ]

    def test_a_request_is_noted_as_it_was(self) -> None:
        recorder = recorder_of()
        items: list[Any] = [USER]
        recorder.note({"input": items})
        items.append(CALL)
        recorder.note({"input": items})
        assert [record["input_types"] for record in recorder.records] == [
            ["message"],
            ["message", "function_call"],
        ]
        assert recorder.records[1]["appended"] == [CALL]

    def test_words_of_the_package_are_marked_and_those_of_the_caller_are_not(self) -> None:
        budget = {"compact": {"drop": "eligible", "summary": "was fine"}}
        recorder = recorder_of(
            options={"context_budget": budget}, turn_actions=[{"append_user_text": ["go on"]}]
        )
        recorder.note({"input": [USER]})
        words = ["go on", "Dropped: call_1.", "It was fine."]
        recorder.note({"input": [{"role": "user", "content": text} for text in words]})
        assert [item["content"] for item in recorder.records[1]["input"]] == [
            "go on",
            {"$generated": {"mentions": ["call_1"], "has_summary": False}},
            {"$generated": {"mentions": [], "has_summary": True}},
        ]

    def test_the_text_of_a_browser_output_is_parsed(self) -> None:
        recorder = recorder_of()
        recorder.note({"input": [USER]})
        recorder.note({"input": [USER, CALL, browser_output('{"ok":false,"error":"words"}')]})
        [block] = recorder.records[1]["appended"][1]["output"]
        assert block == {
            "type": "input_text",
            "text": {"$json": {"ok": False, "error": "fixed"}},
        }

    @pytest.mark.parametrize("text", ["", '{"ok":true,"ok":true}', f'{{"error":"{HOST_TEXT}"}}'])
    def test_a_malformed_browser_output_equals_no_record(self, text: str) -> None:
        recorder = recorder_of()
        recorder.note({"input": [USER]})
        recorder.note({"input": [browser_output(text)]})
        [block] = recorder.records[1]["input"][0]["output"]
        assert set(block["text"]) == {"$malformed"}


class TestVerdicts:
    def test_an_iterated_run_and_a_whole_run_that_agree(self) -> None:
        record = record_of(one_request)
        assert record == {
            "ok": True,
            "value": {"final_id": "resp_1", "closed": False},
            "requests": [
                {"input_types": ["message"], "input": [USER], "tools": [], "body": {}},
            ],
            "trace": ["request", "turn"],
            "driver_calls": [],
            "turns": [
                {
                    "step": 1,
                    "final": True,
                    "tools_executed": False,
                    "attempted": [],
                    "completed": [],
                    "response_id": "resp_1",
                }
            ],
        }

    def test_a_whole_run_that_goes_another_way_shows(self) -> None:
        def twice(client: Any) -> Any:
            one_request(client)
            return one_request(client)

        record = record_of(one_request, whole=twice)
        assert record["trace"] == ["request", "turn"]
        assert record["run"]["trace"] == ["request", "request"]

    def test_a_scenario_that_acts_at_turns_is_not_run_whole(self) -> None:
        def never(_client: Any) -> Any:
            raise AssertionError

        record = record_of(one_request, whole=never, turn_actions=[{"close": True}])
        assert record["value"] == {"final_id": "resp_1", "closed": True}
        assert "run" not in record

    @pytest.mark.parametrize(
        ("error", "asks", "error_class"),
        [
            (ToyStop("stop"), True, "run_stops"),
            (ValueError("wrong use"), False, "admission_rejects"),
            # Wrong use comes before the first request.
            (ValueError("wrong use"), True, "crashed: ValueError('wrong use')"),
            (KeyError("slip"), False, "crashed: KeyError('slip')"),
            (GeneratorExit(), True, "crashed: GeneratorExit()"),
        ],
    )
    def test_how_a_run_ends(self, error: BaseException, asks: bool, error_class: str) -> None:
        def fail(client: Any) -> Any:
            if asks:
                one_request(client)
            raise error

        record = record_of(fail)
        assert record["error_class"] == error_class
        assert ("attempted" in record) == (error_class == "run_stops")
        assert "run" not in record

    def test_a_refused_constructor(self) -> None:
        record = record_of(one_request, refusal=ValueError("no"))
        assert record == {"ok": False, "error_class": "constructor_rejects"}
        slip = record_of(one_request, refusal=KeyError("no"))
        assert slip["error_class"] == "crashed: KeyError('no')"


def recorder_of(**scenario: Any) -> RequestRecorder:
    given = {"params": {"model": "m", "input": "hi"}, "responses": [RESPONSE], **scenario}
    return RequestRecorder(given)


def browser_output(text: str) -> dict[str, Any]:
    block = {"type": "input_text", "text": text}
    return {"type": "function_call_output", "call_id": "call_1", "output": [block]}


def one_request(client: Any) -> Any:
    return client.responses.create(model="m", input=[USER])


def record_of(
    behaviour: Callable[[Any], Any],
    *,
    whole: Callable[[Any], Any] | None = None,
    refusal: Exception | None = None,
    **scenario: Any,
) -> Record:
    """The record of a runner whose ``iterate`` does as ``behaviour`` says, and ``run`` as ``whole``."""

    class Runner:
        def __init__(self, **tools: Any) -> None:
            if refusal is not None:
                raise refusal

        def run(self, client: Any, params: Any, **options: Any) -> Any:
            return (whole or behaviour)(client)

        def iterate(self, client: Any, params: Any, **options: Any) -> Iterator[Any]:
            yield SimpleNamespace(
                response=behaviour(client),
                step=1,
                final=True,
                tools_executed=False,
                attempted_call_ids=(),
                completed_call_ids=(),
                supply_outputs=None,
                append_user_text=None,
            )

    given = {
        "tools": {},
        "params": {"model": "m", "input": "hi"},
        "responses": [RESPONSE, RESPONSE],
        **scenario,
    }
    vector = Vector("toy", "runner", given, python={}, node={}, recommend=None)
    return run_runner_vector(vector, package_of(Runner), fail_to_fail, "python-sync", "dict")


def package_of(runner: Callable[..., Any]) -> RunnerPackage:
    return RunnerPackage(
        sync_runner=runner,
        async_runner=runner,
        sync_function=dict,
        async_function=dict,
        sync_ledger=dict,
        async_ledger=dict,
        sync_browser=dict,
        async_browser=dict,
        sync_computer=dict,
        async_computer=dict,
        stops=(ToyStop,),
        refusals=(ValueError,),
    )


def fail_to_fail(kind: str) -> BaseException:
    raise AssertionError(kind)
