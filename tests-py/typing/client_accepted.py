"""Programs with the native client that must type-check. Never run."""

from __future__ import annotations

from typing import Any

import swingbridge
from swingbridge import (
    APIError,
    AsyncClient,
    AsyncResponsesToolRunner,
    AsyncResponseStream,
    Client,
    RateLimitError,
    Response,
    ResponsesToolRunner,
    ResponseStream,
    ResponseStreamEvent,
    Timeout,
)


def plain() -> None:
    with Client(api_key="k", base_url="http://127.0.0.1:1/v1", timeout=5) as client:
        response: Response = client.responses.create(model="m", input="hi", temperature=0.5)
        text: str = response.output_text
        kinds: list[Any] = [item.type for item in response.output]
        fields: dict[str, Any] = response.to_dict()
        again: Client = client.with_options(timeout=Timeout(idle=60), max_retries=0)
        headers: dict[str, str] = client.default_headers
        print(text, kinds, fields, again, headers, response.usage.total_tokens)


def streamed(client: Client, flag: bool) -> None:
    with client.responses.create(model="m", stream=True, extra_headers={"a": "b"}) as stream:
        opened: ResponseStream = stream
        for event in stream:
            known: ResponseStreamEvent = event
            print(known.type, event.delta, opened.request_id)
    either: Response | ResponseStream = client.responses.create(model="m", stream=flag)
    print(either)


async def asynchronous() -> None:
    async with AsyncClient(auth="none", api_version="v", trust_env=False) as client:
        response: Response = await client.responses.create(model="m", extra_body={"a": 1})
        stream: AsyncResponseStream = await client.responses.create(model="m", stream=True)
        async with stream:
            async for event in stream:
                print(event.type, response.id)
        await AsyncResponsesToolRunner().run(client, {"model": "m", "input": "hi"})


def run(client: Client) -> None:
    ResponsesToolRunner().run(client, {"model": "m", "input": "hi"})


def failing(client: Client) -> None:
    try:
        client.responses.create(model="m", timeout=1.5, extra_query={"a": 1})
    except RateLimitError as error:
        status: int | None = error.status
        print(status, error.request_id, error.code)
    except APIError as error:
        said: str | None = error.service_message
        base: swingbridge.SwingbridgeError = error
        print(said, base.code)
