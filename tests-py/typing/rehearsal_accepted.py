"""Programs with the rehearsal server that must type-check. Never run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from swingbridge import Client, SwingbridgeError
from swingbridge.rehearsal import RehearsalServer, RehearsedRequest, ScriptError


def served(script: str | dict[str, Any], path: Path) -> None:
    with RehearsalServer(script, port=0, api_key="k", transcript=path) as server:
        url: str = server.url
        client = Client(base_url=url, api_key="k")
        left: int = server.turns_left
        requests: list[RehearsedRequest] = server.requests
        for request in requests:
            body: bytes = request.body
            told: tuple[str, str | None, int] = (
                request.path,
                request.idempotency_key,
                request.status,
            )
            turn: int | None = request.turn
            refusal: str | None = request.refusal
            print(client, left, body, told, turn, refusal, request.json()["model"])


def files(path: Path) -> None:
    server: RehearsalServer = RehearsalServer.from_file(path, keep_bodies=False)
    server.stop()
    RehearsalServer.replay("run.jsonl", transcript="again.jsonl", port=8080).stop()


def failing() -> None:
    try:
        RehearsalServer("turns: []")
    except ScriptError as error:
        told: tuple[str, str] = (error.place, error.code)
        base: SwingbridgeError | ValueError = error
        print(told, base)
