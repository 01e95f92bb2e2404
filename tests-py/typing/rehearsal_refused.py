"""Each marked line must not type-check. Never run."""

from __future__ import annotations

from swingbridge.rehearsal import RehearsalServer

RehearsalServer()  # type: ignore[call-arg]
RehearsalServer(b"turns: []")  # type: ignore[arg-type]
RehearsalServer("turns: []", 8080)  # type: ignore[call-arg]
RehearsalServer("turns: []", port="8080")  # type: ignore[arg-type]
RehearsalServer.from_file(3)  # type: ignore[arg-type]
RehearsalServer.replay("run.jsonl", script="turns: []")  # type: ignore[call-arg]
server = RehearsalServer("turns: []")
server.url = "http://127.0.0.1/"  # type: ignore[misc]
server.requests[0].status = 200  # type: ignore[misc]
server.requests()  # type: ignore[operator]
print(server.requests[0].surprise)  # type: ignore[attr-defined]
