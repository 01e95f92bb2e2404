"""The computer-only loop (C-7, C-9)."""

from __future__ import annotations

import asyncio
import copy
import pickle
from typing import Any

import pytest

from api.kit import Kit
from computer.scripted import CHECK, CLICK, MOVE, PICTURE, Screen, call, output
from runner.endpoint import message, response, serving
from swingbridge import (
    ComputerUseError,
    ConfigurationError,
    ToolDiagnostic,
)

USER = {"role": "user", "content": "go"}


class Client:
    """A test double: answers with these bodies in turn and keeps what it was sent."""

    def __init__(self, kit: Kit, *answers: Any) -> None:
        self.answers = list(answers)
        self.requests: list[dict[str, Any]] = []
        self.responses = type("Responses", (), {"create": staticmethod(self._in_flavour(kit))})()

    def _in_flavour(self, kit: Kit) -> Any:
        async def create_async(**params: Any) -> Any:
            return self.create(**params)

        return create_async if kit.asynchronous else self.create

    def create(self, **params: Any) -> Any:
        self.requests.append(copy.deepcopy(params))
        answer = self.answers[len(self.requests) - 1]
        if isinstance(answer, BaseException):
            raise answer
        return answer


class TestLoop:
    def test_the_whole_history_is_replayed(self, screen: Screen) -> None:
        first = call(CLICK, further={"deep": [1]})
        reasoning = {
            "type": "reasoning",
            "id": "rs_1",
            "summary": [],
            "encrypted_content": "secret",
            "new": 1,
        }
        last = response(message("done"))
        client = Client(
            screen.kit,
            response(reasoning, first),
            response(call(MOVE, number=2, checks=[CHECK])),
            last,
        )
        options = {"approve_safety_checks": screen.approve(), "before_action": screen.review()}
        assert screen.run(client, **options) is last
        asked = client.requests
        assert [each["input"] for each in asked] == [
            [USER],
            [USER, reasoning, first, output()],
            [
                USER,
                reasoning,
                first,
                output(),
                call(MOVE, number=2, checks=[CHECK]),
                output(2, [CHECK]),
            ],
        ]
        assert all(each["tools"] == [{"type": "computer"}] for each in asked)
        assert all(each["include"] == ["reasoning.encrypted_content"] for each in asked)
        assert all("tool_choice" not in each for each in asked)
        assert screen.log == [
            "before click",
            "click",
            "before screenshot",
            "screenshot",
            "approve",
            "before move",
            "move",
            "before screenshot",
            "screenshot",
        ]

    def test_params_are_copied_and_a_declared_computer_is_kept(self, screen: Screen) -> None:
        tool = {"type": "computer_use_preview", "display_width": 8, "display_height": 6}
        params: dict[str, Any] = {
            "model": "m",
            "input": [dict(USER)],
            "tools": [tool],
            "include": ["a", "reasoning.encrypted_content", "a"],
            "metadata": {"deep": ["x"]},
        }
        before = copy.deepcopy(params)
        client = Client(screen.kit, response(call()), response(message()))
        screen.run(client, params)
        assert params == before
        assert client.requests[1]["tools"] == [tool]
        assert client.requests[1]["include"] == ["a", "reasoning.encrypted_content"]
        assert client.requests[1]["metadata"] == {"deep": ["x"]}

    @pytest.mark.parametrize("choice", ["required", {"type": "computer"}, {"type": "computer_use"}])
    def test_a_forced_choice_is_for_the_first_request(self, screen: Screen, choice: Any) -> None:
        client = Client(screen.kit, response(call()), response(call(number=2)), response(message()))
        screen.run(client, {"model": "m", "input": "go", "tool_choice": choice})
        assert [each["tool_choice"] for each in client.requests] == [choice, "auto", "auto"]

    def test_compaction_is_replayed_as_it_came(self, screen: Screen) -> None:
        compaction = {"type": "compaction", "id": "cmp_1", "encrypted_content": "secret", "new": 1}
        management = [{"type": "compaction", "compact_threshold": 1000}]
        client = Client(screen.kit, response(compaction, call()), response(message()))
        screen.run(client, {"model": "m", "input": "go", "context_management": management})
        assert client.requests[1]["input"] == [USER, compaction, call(), output()]
        assert client.requests[1]["context_management"] == management

    def test_pictures_are_not_copied(self, kit: Kit) -> None:
        url = "data:image/png;base64," + "A" * 100_000
        sent: list[Any] = []

        class Keeping(Client):
            def create(self, **params: Any) -> Any:
                sent.append(params)
                return self.answers[len(sent) - 1]

        screen = Screen(kit, screenshot=lambda: {**PICTURE, "image_url": url})
        screen.run(Keeping(kit, response(call()), response(call(number=2)), response(message())))
        pictures = [
            item["output"]["image_url"]
            for item in sent[-1]["input"]
            if item.get("type") == "computer_call_output"
        ]
        assert [picture is url for picture in pictures] == [True, True]

    def test_requests_are_not_reported(self, screen: Screen) -> None:
        records: list[ToolDiagnostic] = []
        client = Client(screen.kit, response(call()), response(message()))
        screen.run(client, on_diagnostic=records.append)
        assert [(each["api"], each["member"]) for each in records] == [
            ("computer", "click"),
            ("computer", "screenshot"),
        ]

    def test_twenty_requests_if_the_caller_does_not_say(self, screen: Screen) -> None:
        client = Client(screen.kit, *(response(call(number=number)) for number in range(30)))
        with pytest.raises(ComputerUseError) as caught:
            screen.run(client)
        assert (caught.value.code, len(client.requests)) == ("step_limit", 20)
        assert screen.log.count("click") == 19


class TestStops:
    @pytest.mark.parametrize(
        ("answers", "code", "log"),
        [
            ([response()], "no_final_message", []),
            ([response(call(), status="incomplete")], "response_incomplete", []),
            ([response(call({"type": "fly"}))], "computer_call_invalid", []),
            ([response({"type": "function_call", "name": "f"})], "response_malformed", []),
            ([response({"type": "teleport", "id": "t"})], "response_unsupported", []),
            ([response(call(checks=[CHECK]))], "safety_not_approved", []),
            ([response(call()), response(call())], "identity_repeated", ["click", "screenshot"]),
            ([response(call(), call(number=2, id="cu_1"))], "identity_repeated", []),
        ],
    )
    def test_the_error_has_the_last_response(
        self, screen: Screen, answers: list[Any], code: str, log: list[str]
    ) -> None:
        client = Client(screen.kit, *answers)
        with pytest.raises(ComputerUseError) as caught:
            screen.run(client)
        assert caught.value.code == code
        assert caught.value.response is answers[-1]
        assert screen.log == log
        again = pickle.loads(pickle.dumps(caught.value))
        assert (str(again), again.code, again.response) == (str(caught.value), code, answers[-1])

    def test_the_last_allowed_request_starts_nothing(self, screen: Screen) -> None:
        last = response(call())
        with pytest.raises(ComputerUseError) as caught:
            screen.run(Client(screen.kit, last), max_steps=1)
        assert caught.value.response is last
        assert screen.log == []

    @pytest.mark.parametrize(
        ("params", "options"),
        [
            ({"stream": True}, {}),
            ({"background": True}, {}),
            ({"conversation": "c"}, {}),
            ({"previous_response_id": "r"}, {}),
            ({"input": None}, {}),
            ({"input": 1}, {}),
            ({"tools": [{"type": "computer"}, {"type": "computer"}]}, {}),
            ({"tools": [{"type": "web_search"}]}, {}),
            ({"tools": [{"type": "function", "name": "f"}]}, {}),
            ({"tool_choice": {"type": "function", "name": "f"}}, {}),
            ({}, {"max_steps": 0}),
            ({}, {"max_steps": True}),
            ({}, {"max_steps": 1.0}),
        ],
    )
    def test_wrong_use_is_told_before_the_first_request(
        self, screen: Screen, params: dict[str, Any], options: dict[str, Any]
    ) -> None:
        client = Client(screen.kit, response(message()))
        with pytest.raises(ConfigurationError):
            screen.run(client, {"model": "m", "input": "go", **params}, **options)
        assert client.requests == []
        screen.run(client)

    def test_a_client_of_the_other_flavour(self, screen: Screen) -> None:
        client = Client(Kit(asynchronous=not screen.kit.asynchronous), response(message()))
        with pytest.raises(ConfigurationError):
            screen.run(client)

    def test_what_the_client_raises_comes_out(self, screen: Screen) -> None:
        error = LookupError("rate limit")
        client = Client(screen.kit, response(call()), error)
        with pytest.raises(LookupError) as caught:
            screen.run(client)
        assert caught.value is error

    @pytest.mark.parametrize("place", ["click", "before"])
    def test_what_the_driver_or_a_callback_raises_comes_out(self, kit: Kit, place: str) -> None:
        error = LookupError("broken")

        def fail(_action: Any) -> Any:
            raise error

        screen = Screen(kit, **({"click": fail} if place == "click" else {}))
        options = {"before_action": fail} if place == "before" else {}
        with pytest.raises(LookupError) as caught:
            screen.run(Client(kit, response(call())), **options)
        assert caught.value is error

    @pytest.mark.parametrize("step", range(4))
    def test_cancellation(self, screen: Screen, step: int) -> None:
        last = response(message())
        client = Client(screen.kit, response(call()), last)

        def cancelled() -> bool:
            return len(screen.log) + len(client.requests) > step

        with pytest.raises(ComputerUseError) as caught:
            screen.run(client, cancelled=cancelled)
        assert caught.value.code == "run_cancelled"
        assert (caught.value.response is None) == (not client.requests)
        assert len(screen.log) + len(client.requests) == step + 1

    def test_what_the_question_raises_comes_out(self, screen: Screen) -> None:
        def cancelled() -> bool:
            raise LookupError

        with pytest.raises(LookupError):
            screen.run(Client(screen.kit), cancelled=cancelled)

    def test_a_cancelled_task(self) -> None:
        async def main() -> None:
            kit = Kit(asynchronous=True)
            reached = asyncio.Event()
            screen = Screen(kit)

            async def click(_action: Any) -> None:
                reached.set()
                await asyncio.Event().wait()

            screen.driver.click = click
            toolset = screen.toolset_class(screen.driver)
            client = Client(kit, response(call()))
            task = asyncio.create_task(toolset.run(client, {"model": "m", "input": "go"}))
            await reached.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError) as caught:
                await task
            assert type(caught.value) is asyncio.CancelledError
            assert toolset.close() == {"status": "closed"}

        asyncio.run(main())


class TestClient:
    """With the client of the openai package against a local endpoint."""

    def run(self, screen: Screen, url: str) -> Any:
        openai = pytest.importorskip("openai")
        params = {"model": "m", "input": "go"}
        if not screen.kit.asynchronous:
            with openai.OpenAI(base_url=url, api_key="k", max_retries=0) as client:
                return screen.run(client)

        async def main() -> Any:
            async with openai.AsyncOpenAI(base_url=url, api_key="k", max_retries=0) as client:
                return await screen.toolset.run(client, params)

        return asyncio.run(main())

    def test_its_own_response_is_handed_back(self, screen: Screen) -> None:
        responses = pytest.importorskip("openai.types.responses")
        with serving(response(call(CLICK)), response(message("done"))) as endpoint:
            final = self.run(screen, endpoint.url)
        assert final.output_text == "done"
        assert isinstance(final, responses.Response)
        assert endpoint.requests[1]["input"] == [USER, call(CLICK), output()]
        assert endpoint.requests[1]["tools"] == [{"type": "computer"}]
        assert screen.log == ["click", "screenshot"]

    def test_its_own_error_comes_out(self, screen: Screen) -> None:
        openai = pytest.importorskip("openai")
        with serving(response(call()), 429) as endpoint, pytest.raises(openai.RateLimitError):
            self.run(screen, endpoint.url)
