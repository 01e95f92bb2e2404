"""Plays scenarios of whole runs in each language, and keeps the texts of what was saved and sent."""

from __future__ import annotations

import dataclasses
import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal, TypeAlias

from conformance.harness.data import CallForm, Record
from conformance.harness.execute import Face as PythonFace
from conformance.harness.execute import Package
from conformance.harness.runner import play

Face = Literal["python-sync", "python-async", "node"]
FACES: tuple[Face, ...] = ("python-sync", "python-async", "node")
NODE_PLAYER = Path(__file__).parents[2] / "tests-js" / "runner" / "play.js"


@dataclasses.dataclass
class Played:
    """What became of a scenario."""

    record: Record
    checkpoints: list[str]
    """The text of each checkpoint that was saved."""
    inputs: list[str]
    """The text of the ``input`` of each request."""

    @property
    def saved(self) -> list[Any]:
        return [json.loads(text) for text in self.checkpoints]

    @property
    def sent(self) -> list[Any]:
        return [json.loads(text) for text in self.inputs]


Player: TypeAlias = Callable[[dict[str, Any]], Played]


def text_of(value: Any) -> str:
    """JSON as JavaScript writes it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def python_player(face: PythonFace, form: CallForm = "dict") -> Player:
    """The runner of one flavour, with a double of a client or the client of the ``openai`` package."""
    package = Package.load("swingbridge")
    own = package.runner
    assert own is not None

    def player(scenario: dict[str, Any]) -> Played:
        played = Played({}, [], [])
        noting = dataclasses.replace(
            own,
            sync_runner=lambda **tools: NotingRunner(own.sync_runner(**tools), played),
            async_runner=lambda **tools: AsyncNotingRunner(own.async_runner(**tools), played),
        )
        played.record = play(scenario, noting, package.host_error, face, form, iterates=True)
        return played

    return player


@dataclasses.dataclass
class NotingRunner:
    """A runner that notes what it sends and saves."""

    runner: Any
    played: Played

    def iterate(self, client: Any, params: Any, *, ledger: Any, **options: Any) -> Any:
        def create(**request: Any) -> Any:
            self.played.inputs.append(text_of(request["input"]))
            return client.responses.create(**request)

        def save(checkpoint: Any) -> None:
            text = text_of(checkpoint)
            ledger.save(checkpoint)
            self.played.checkpoints.append(text)

        return self.begin(create, params, dataclasses.replace(ledger, save=save), options)

    def begin(self, create: Any, params: Any, ledger: Any, options: dict[str, Any]) -> Any:
        noting = SimpleNamespace(responses=SimpleNamespace(create=create))
        return self.runner.iterate(noting, params, ledger=ledger, **options)


class AsyncNotingRunner(NotingRunner):
    def iterate(self, client: Any, params: Any, *, ledger: Any, **options: Any) -> Any:
        async def create(**request: Any) -> Any:
            self.played.inputs.append(text_of(request["input"]))
            return await client.responses.create(**request)

        async def save(checkpoint: Any) -> None:
            text = text_of(checkpoint)
            await ledger.save(checkpoint)
            self.played.checkpoints.append(text)

        return self.begin(create, params, dataclasses.replace(ledger, save=save), options)


@contextmanager
def node_player() -> Iterator[Player]:
    """The runner of the npm package, in a process of its own while the block runs."""
    node = shutil.which("node")
    assert node is not None, "there is no node: run make setup"
    # What goes out is ASCII: an escaped half of a character would not survive as UTF-8.
    with subprocess.Popen(
        [node, NODE_PLAYER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        to_node, from_node = process.stdin, process.stdout

        def player(scenario: dict[str, Any]) -> Played:
            to_node.write(json.dumps(scenario) + "\n")
            to_node.flush()
            line = from_node.readline()
            assert line, "the Node process has ended"
            return Played(**json.loads(line))

        yield player
        to_node.close()
