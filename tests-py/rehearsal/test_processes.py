"""Rehearsal servers and the processes that they live in (D-8). Each in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

from rehearsal.support import LONG

HEAD = """
import os, sys, threading
from swingbridge import Client, ClosedError
from swingbridge.rehearsal import RehearsalServer
server = RehearsalServer("turns: [{ message: one }, { message: two }]")
url = server.url
def ask():
    return Client(base_url=url, api_key="any", max_retries=0).responses.create(model="m", input="go").output_text
"""


def run(program: str) -> list[str]:
    """The lines that a program prints which ends well."""
    done = subprocess.run(
        [sys.executable, "-c", HEAD + textwrap.dedent(program)],
        capture_output=True,
        text=True,
        check=False,
        timeout=LONG,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")


@forks
def test_a_server_stays_with_the_process_that_made_it() -> None:
    program = """
        child = os.fork()
        if child == 0:
            for look in (lambda: server.url, lambda: server.turns_left, lambda: server.requests):
                try:
                    look()
                except ClosedError as error:
                    print(error.code)
            print(ask())
            server.stop()
            with server:
                pass
            del server
            with RehearsalServer("turns: [{ message: its own }]") as own:
                url = own.url
                print(ask(), flush=True)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        print(ask(), server.turns_left, len(server.requests))
        server.stop()
    """
    others = ["rehearsal_of_other_process"] * 3
    assert run(program) == [*others, "one", "its own", "two 0 2"]


@forks
def test_a_fork_while_the_server_is_looked_at() -> None:
    program = """
        over = threading.Event()
        def look():
            while not over.is_set():
                server.requests
        looking = [threading.Thread(target=look) for _ in range(4)]
        for thread in looking:
            thread.start()
        for _ in range(20):
            child = os.fork()
            if child == 0:
                try:
                    server.requests
                except ClosedError:
                    server.stop()
                    os._exit(7)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        over.set()
        for thread in looking:
            thread.join()
    """
    assert run(program) == []


@pytest.mark.parametrize(
    "program",
    [
        # Nobody stops it.
        "print(ask())",
        # It refers to itself: only the collector ends it, or nothing.
        """
        class Held(RehearsalServer): pass
        held = Held("turns: [{ message: three }]")
        held.self = held
        del held
        print(ask())
        """,
        # An answer is under way.
        """
        slow = RehearsalServer("turns: [{ message: late, delay_ms: 600000 }]")
        late = Client(base_url=slow.url, api_key="any")
        threading.Thread(target=lambda: late.responses.create(model="m", input="x"), daemon=True).start()
        while slow.turns_left:
            pass
        print(ask())
        """,
    ],
)
def test_a_program_ends_with_its_servers(program: str) -> None:
    assert run(program) == ["one"]


def test_a_server_may_be_let_go_of_in_a_thread_of_the_client() -> None:
    """As by the collector, which runs wherever it is its turn."""
    program = """
        from swingbridge import AsyncClient
        client = AsyncClient(base_url=url, api_key="any")
        woken = threading.Event()
        held = [RehearsalServer("turns: [{ message: three }]")]
        def wake():
            held.clear()
            woken.set()
        request = client._request({"model": "m", "input": "go"}, None, None, None, False)
        reply = client._native.start(request, wake)
        assert woken.wait(60)
        print(reply.result().output_text)
    """
    assert run(program) == ["one"]


def test_the_package_alone_brings_no_server_in() -> None:
    program = "import sys, swingbridge; print('swingbridge.rehearsal' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"
