"""Event loops: several of them, cancelled tasks and loops that close early (N-4)."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from typing import Any

import pytest

from client.service import KEY, LONG, STREAM, Wire, answer, answering, response, serving
from swingbridge import AsyncClient

WHO: contextvars.ContextVar[str] = contextvars.ContextVar("who")


def silent(wire: Wire) -> None:
    wire.hear()
    wire.watch()


def made(url: str) -> AsyncClient:
    return AsyncClient(api_key=KEY, base_url=url, max_retries=0)


async def heard(service: Any) -> None:
    """Wait for a request without keeping the loop from its work."""
    await asyncio.get_running_loop().run_in_executor(None, service.next)


@pytest.mark.parametrize("streams", [False, True])
def test_cancelling_a_task_closes_its_socket(streams: bool) -> None:
    async def main() -> None:
        client = made(service.url)
        task = asyncio.ensure_future(client.responses.create(model="m", stream=streams))
        await heard(service)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with serving(silent) as service:
        asyncio.run(main())
        service.wait_closed()


def test_cancelling_a_task_that_reads_closes_the_socket() -> None:
    def talk(wire: Wire) -> None:
        wire.hear()
        wire.say(STREAM)
        wire.watch()

    async def main() -> None:
        events = await made(service.url).responses.create(model="m", stream=True)
        task = asyncio.ensure_future(anext(events))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        # Kept alive until here: it was the cancellation that closed it.
        await asyncio.get_running_loop().run_in_executor(None, service.wait_closed)
        assert [event async for event in events] == []

    with serving(talk) as service:
        asyncio.run(main())


def test_a_timeout_of_asyncio_closes_the_socket() -> None:
    async def main() -> None:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(made(service.url).responses.create(model="m"), 0.05)

    with serving(silent) as service:
        asyncio.run(main())
        service.wait_closed()


def test_one_client_in_loops_one_after_the_other() -> None:
    with answering(answer(response())) as service:
        client = made(service.url)
        for _ in range(3):
            given = asyncio.run(client.responses.create(model="m"))
            assert given.output_text == "hello"
        assert service.connections == 1


def test_one_client_in_loops_of_several_threads() -> None:
    with answering(answer(response())) as service:
        client = made(service.url)
        texts: list[str] = []

        async def main() -> None:
            for _ in range(5):
                texts.append((await client.responses.create(model="m")).output_text)

        threads = [threading.Thread(target=lambda: asyncio.run(main())) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(LONG)
        assert texts == ["hello"] * 20


def test_a_loop_that_closes_before_the_answer_comes() -> None:
    answered = threading.Event()

    def talk(wire: Wire) -> None:
        wire.hear()
        assert answered.wait(LONG)
        wire.say(answer(response()))
        wire.watch()

    async def main() -> Any:
        request = made(service.url).responses.create(model="m")
        # Begun by hand, so that the loop knows of no task that it would cancel.
        waited = request.send(None)
        await heard(service)
        return request, waited

    with serving(talk) as service:
        request, _ = asyncio.run(main())
        answered.set()
        request.close()
        service.wait_closed()
        # The client is none the worse for it.
    with answering(answer(response())) as service:
        assert asyncio.run(made(service.url).responses.create(model="m")).output_text == "hello"


def test_the_context_of_a_task_is_kept() -> None:
    async def ask(name: str) -> tuple[str, str]:
        WHO.set(name)
        given = await client.responses.create(model="m")
        return WHO.get(), given.output_text

    async def main() -> list[tuple[str, str]]:
        return await asyncio.gather(*(ask(f"task {number}") for number in range(20)))

    with answering(answer(response())) as service:
        client = made(service.url)
        assert asyncio.run(main()) == [(f"task {number}", "hello") for number in range(20)]


def test_many_tasks_at_once() -> None:
    everyone = threading.Barrier(32)

    def talk(wire: Wire) -> None:
        wire.hear()
        everyone.wait(LONG)
        wire.say(answer(response()))

    async def main() -> list[Any]:
        return await asyncio.gather(*(client.responses.create(model="m") for _ in range(32)))

    with serving(talk) as service:
        client = made(service.url)
        assert [given.output_text for given in asyncio.run(main())] == ["hello"] * 32
