"""Many threads (N-4)."""

from __future__ import annotations

import threading

from client.service import KEY, LONG, Wire, answer, answering, response, serving
from swingbridge import Client


def test_one_client_for_many_threads() -> None:
    with answering(answer(response())) as service:
        client = Client(api_key=KEY, base_url=service.url)
        texts: list[str] = []

        def ask() -> None:
            for _ in range(10):
                texts.append(client.responses.create(model="m").output_text)

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(LONG)
        assert texts == ["hello"] * 80


def test_other_threads_run_while_one_waits() -> None:
    # The server of this test is Python in another thread: without the lock being released, it
    # could not answer.
    worked = threading.Event()

    def talk(wire: Wire) -> None:
        wire.hear()
        assert worked.wait(LONG)
        wire.say(answer(response()))

    with serving(talk) as service:
        client = Client(api_key=KEY, base_url=service.url)
        threading.Thread(target=worked.set).start()
        assert client.responses.create(model="m").output_text == "hello"
