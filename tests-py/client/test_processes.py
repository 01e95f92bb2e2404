"""Signals, forks and the end of a program (N-4). Each in a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
from typing import Any

import pytest

from client.service import (
    KEY,
    LONG,
    Service,
    Wire,
    answer,
    answering,
    message,
    response,
    serving,
    stream,
)

HEAD = """
import asyncio, os, signal, sys, threading
from swingbridge import AsyncClient, Client
# What a shell starts in the background ignores interrupts, and so do its children.
signal.signal(signal.SIGINT, signal.default_int_handler)
url = sys.argv[1]
options = {"api_key": "sk-hunter2-key", "base_url": url, "max_retries": 0}
"""


def started(program: str, service: Service) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", HEAD + textwrap.dedent(program), service.url],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=LONG)
    return process.returncode, out, err


def run(program: str, service: Service) -> str:
    """What a program prints that ends well."""
    code, out, err = ended(started(program, service))
    assert code == 0, err
    assert err == ""
    return out.strip()


def silent(wire: Wire) -> None:
    wire.hear()
    wire.watch()


def half_streamed(wire: Wire) -> None:
    wire.hear()
    wire.say(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: {}\n\n")
    wire.watch()


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent with POSIX calls")
@pytest.mark.parametrize(
    ("talk", "request_code"),
    [
        (silent, "Client(**options).responses.create(model='m')"),
        (silent, "asyncio.run(AsyncClient(**options).responses.create(model='m'))"),
        (half_streamed, "list(Client(**options).responses.create(model='m', stream=True))"),
    ],
)
def test_ctrl_c_ends_a_wait_and_closes_the_socket(talk: Any, request_code: str) -> None:
    program = f"""
        try:
            {request_code}
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        sys.stdin.read()  # the process lives on: nothing but the interrupt closes the socket
    """
    with serving(talk) as service:
        process = subprocess.Popen(
            [sys.executable, "-c", HEAD + textwrap.dedent(program), service.url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        service.next()
        process.send_signal(signal.SIGINT)
        service.wait_closed()
        assert ended(process)[1:] == ("interrupted\n", "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_has_connections_of_its_own() -> None:
    program = """
        client = Client(**options)
        client.responses.create(model="parent")
        child = os.fork()
        if child == 0:
            client.responses.create(model="child")
            print("child done", flush=True)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        client.responses.create(model="parent again")
        asyncio.run(AsyncClient(**options).responses.create(model="async"))
    """
    with answering(answer(response())) as service:
        assert run(program, service) == "child done"
        models = [service.next().json["model"] for _ in range(4)]
        assert models == ["parent", "child", "parent again", "async"]
        # The parent's, which served it twice, the child's and the other client's.
        assert service.connections == 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_stream_stays_with_the_process_that_began_it() -> None:
    program = """
        from swingbridge import APIConnectionError
        events = Client(**options).responses.create(model="m", stream=True)
        child = os.fork()
        if child == 0:
            try:
                next(events)
            except APIConnectionError as error:
                print(error.code, flush=True)
            events.close()
            del events
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        print(next(events).to_dict())
    """
    with serving(half_streamed) as service:
        assert run(program, service).splitlines() == ["stream_of_other_process", "{}"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_fork_while_others_wait() -> None:
    program = """
        waiting = threading.Thread(
            target=lambda: Client(**options).responses.create(model="m"), daemon=True
        )
        waiting.start()
        assert sys.stdin.readline()
        children = [os.fork() for _ in range(1)]
        if children == [0]:
            os._exit(0 if Client(**options).responses.create(model="c").id else 1)
        assert os.waitpid(children[0], 0)[1] == 0
    """

    def talk(wire: Wire) -> None:
        heard = wire.hear()
        if heard is not None and heard.json["model"] == "c":
            wire.say(answer(response()))
        wire.watch()

    with serving(talk) as service:
        process = subprocess.Popen(
            [sys.executable, "-c", HEAD + textwrap.dedent(program), service.url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        service.next()
        out, err = process.communicate("go\n", timeout=LONG)
        assert (process.returncode, out, err) == (0, "", "")


@pytest.mark.parametrize(
    "program",
    [
        # A connection that is idle.
        "Client(**options).responses.create(model='m', stream=True)",
        # A request under way in a thread that nobody waits for.
        """
        threading.Thread(
            target=lambda: Client(**options).responses.create(model='m'), daemon=True
        ).start()
        """,
        # A task that nobody waits for, in a loop that is left as it is.
        """
        loop = asyncio.new_event_loop()
        request = AsyncClient(**options).responses.create(model='m')
        async def begin():
            global waited
            waited = request.send(None)
        loop.run_until_complete(begin())
        loop.close()
        """,
    ],
)
def test_nothing_keeps_the_program_from_its_end(program: str) -> None:
    whole = textwrap.dedent(program) + "\nassert sys.stdin.readline()\n"
    with serving(half_streamed) as service:
        process = subprocess.Popen(
            [sys.executable, "-c", HEAD + whole, service.url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        service.next()
        out, err = process.communicate("end\n", timeout=LONG)
        assert (process.returncode, out, err) == (0, "", "")


def test_a_program_that_asks_while_it_ends() -> None:
    program = """
        import atexit
        client = Client(**options)
        atexit.register(lambda: print(client.responses.create(model="last").output_text))
        client.responses.create(model="first")
    """
    with answering(answer(response())) as service:
        assert run(program, service) == "hello"


def test_a_loop_that_runs_while_the_program_ends() -> None:
    program = """
        import atexit
        from swingbridge._core import end_requests
        async def last():
            async with AsyncClient(**options) as client:
                print((await client.responses.create(model="last")).output_text)
                events = await client.responses.create(model="last", stream=True)
                print([event.type async for event in events])
        atexit.register(lambda: asyncio.run(last()))
        # As if the package had been imported only now: what was registered last comes first.
        atexit.register(end_requests)
        Client(**options).responses.create(model="first")
    """

    def talk(wire: Wire) -> None:
        while (heard := wire.hear()) is not None:
            streams = heard.json.get("stream", False)
            wire.say(stream({"type": "a"}, {"type": "b"}) if streams else answer(response()))

    with serving(talk) as service:
        assert run(program, service).splitlines() == ["hello", "['a', 'b']"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent with POSIX calls")
def test_a_signal_handler_may_ask_while_its_thread_waits() -> None:
    program = """
        client = Client(**options)
        def ask(*_):
            print(client.responses.create(model="second").output_text)
        signal.signal(signal.SIGUSR1, ask)
        print(client.responses.create(model="first").output_text)
    """
    is_asked = threading.Event()

    def talk(wire: Wire) -> None:
        while (heard := wire.hear()) is not None:
            if heard.json["model"] == "second":
                is_asked.set()
            is_asked.wait(LONG)
            wire.say(answer(response(message(heard.json["model"]))))

    with serving(talk) as service:
        process = started(program, service)
        service.next()
        process.send_signal(signal.SIGUSR1)
        assert ended(process) == (0, "second\nfirst\n", "")


def test_a_loop_may_ask_while_it_is_woken() -> None:
    program = """
        class Loop(asyncio.SelectorEventLoop):
            def call_soon_threadsafe(self, *arguments, **options_of_call):
                # As a finalizer would that Python runs in this thread.
                if threading.current_thread() is not threading.main_thread():
                    print(client.responses.create(model="inner").output_text)
                return super().call_soon_threadsafe(*arguments, **options_of_call)
        client = Client(**options)
        loop = Loop()
        given = loop.run_until_complete(AsyncClient(**options).responses.create(model="outer"))
        print(given.output_text)
        loop.close()
    """
    with answering(answer(response())) as service:
        assert run(program, service).splitlines() == ["hello", "hello"]


def test_the_key_is_the_one_of_this_test() -> None:
    assert KEY in HEAD
