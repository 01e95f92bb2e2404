"""Each marked line must not type-check. Never run."""

from __future__ import annotations

from swingbridge import AsyncClient, Client, Response, ResponseStream, Timeout

Client("key")  # type: ignore[call-arg]
Client(api_key=b"key")  # type: ignore[arg-type]
Client(auth="basic")  # type: ignore[arg-type]
Client(timeout="5")  # type: ignore[arg-type]
Client(retries=3)  # type: ignore[call-arg]
Timeout(total=3)  # type: ignore[call-arg]
client = Client()
client.with_options(api_key="other")  # type: ignore[call-arg]
client.responses.create("m")  # type: ignore[call-overload]
client.responses.create(model="m", stream="yes")  # type: ignore[call-overload]
client.responses.create(model="m", timeout="5")  # type: ignore[call-overload]
response: Response = client.responses.create(model="m", stream=True)  # type: ignore[assignment]
stream: ResponseStream = client.responses.create(model="m")  # type: ignore[assignment]
client.surprise()  # type: ignore[attr-defined]


async def asynchronous(client: AsyncClient) -> None:
    print(client.responses.create(model="m").output_text)  # type: ignore[attr-defined]
    with client:  # type: ignore[attr-defined]
        pass
    for _ in await client.responses.create(model="m", stream=True):  # type: ignore[attr-defined]
        pass
