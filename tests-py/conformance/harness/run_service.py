"""The scripted API of a run, and clients that ask it."""

from __future__ import annotations

import copy
import importlib
import json
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from .data import CallForm
from .run_http import shared
from .run_records import RequestRecorder
from .scenario import HOST_TEXT
from .tags import untag
from .witness import Witness

ENDED_AS = {"incomplete": "response.incomplete", "failed": "response.failed"}


@dataclass(frozen=True)
class Answer:
    """What the API says to one request: a body or, if the request streams, events."""

    status: int
    body: dict[str, Any]
    events: list[Any]


class Service:
    """Answers each request with the next body of the scenario."""

    def __init__(self, scenario: dict[str, Any], witness: Witness) -> None:
        self.requests = RequestRecorder(scenario)
        self._bodies: list[Any] = scenario["responses"]
        self._streams: list[Any] = scenario.get("streams", [])
        self._witness = witness

    def answer(self, request: dict[str, Any]) -> Answer:
        """Note the request and choose the answer. After the last body each request fails."""
        number = len(self.requests.records)
        self._witness.trace.append("request")
        self.requests.note(request)
        self._witness.reach("request")
        body = self._bodies[number] if number < len(self._bodies) else {"http_status": 400}
        if "http_status" in body:
            return Answer(body["http_status"], {"error": {"message": HOST_TEXT}}, [])
        if not request.get("stream"):
            return Answer(200, untag(body), [])
        given = self._streams[number] if number < len(self._streams) else None
        return Answer(200, untag(body), untag(given) if given is not None else events_of(body))


def events_of(body: dict[str, Any]) -> list[Any]:
    """The events by which the API streams a response."""
    body = untag(body)
    created = {**body, "status": "in_progress", "output": []}
    events: list[Any] = [{"type": "response.created", "response": created}]
    for index, item in enumerate(body["output"]):
        for kind in ("response.output_item.added", "response.output_item.done"):
            events.append({"type": kind, "output_index": index, "item": item})
    ended = ENDED_AS.get(body.get("status", ""), "response.completed")
    return copy.deepcopy([*events, {"type": ended, "response": body}])


def make_client(service: Service, form: CallForm, *, asynchronous: bool) -> Any:
    """A client of the scripted API.

    ``dict``: a double that hands over plain dicts. ``openai``: the package's own client with
    nothing replaced but its transport. ``native``: swingbridge's own client, over real HTTP.
    """
    if form == "native":
        return native_client(service, asynchronous=asynchronous)
    if form == "openai":
        return openai_client(service, asynchronous=asynchronous)

    def create(**request: Any) -> Any:
        answer = answer_or_raise(service, request)
        return iter(answer.events) if request.get("stream") else answer.body

    async def create_async(**request: Any) -> Any:
        answer = answer_or_raise(service, request)
        return later(answer.events) if request.get("stream") else answer.body

    chosen: Callable[..., Any] = create_async if asynchronous else create
    return SimpleNamespace(responses=SimpleNamespace(create=chosen))


def answer_or_raise(service: Service, request: dict[str, Any]) -> Answer:
    answer = service.answer(request)
    if answer.status != 200:
        raise OSError(HOST_TEXT)
    return answer


async def later(events: list[Any]) -> AsyncIterator[Any]:
    for event in events:
        yield event


def native_client(service: Service, *, asynchronous: bool) -> Any:
    swingbridge = importlib.import_module("swingbridge")
    served = shared()
    served.service = service
    kind = swingbridge.AsyncClient if asynchronous else swingbridge.Client
    return kind(api_key="key", base_url=served.url, max_retries=0)


def openai_client(service: Service, *, asynchronous: bool) -> Any:
    openai = importlib.import_module("openai")
    httpx = importlib.import_module("httpx2")

    def handle(request: Any) -> Any:
        body = json.loads(request.content)
        answer = service.answer(body)
        if answer.status == 200 and body.get("stream"):
            headers = {"content-type": "text/event-stream"}
            return httpx.Response(200, headers=headers, content="".join(written(answer.events)))
        return httpx.Response(answer.status, content=json.dumps(answer.body))

    transport = httpx.MockTransport(handle)
    options = {"api_key": "key", "base_url": "http://api.test/v1", "max_retries": 0}
    if asynchronous:
        http = httpx.AsyncClient(transport=transport, trust_env=False)
        return openai.AsyncOpenAI(**options, http_client=http)
    http = httpx.Client(transport=transport, trust_env=False)
    return openai.OpenAI(**options, http_client=http)


def written(events: list[Any]) -> Iterator[str]:
    for event in events:
        yield f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"
