"""What a record says of requests, checkpoints and snapshots of a run."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any, cast

from .data import Record
from .payload import read_payload
from .tags import untag

# What steers a client and is not sent; the rest of a request is the body.
TRANSPORT = frozenset({"extra_headers", "extra_query", "timeout"})

# The parts of a body that a record shows otherwise, or not at all.
SHOWN_APART = frozenset({"model", "input", "tools"})


class RequestRecorder:
    """Writes down each request of one run, by what is new since the request before."""

    def __init__(self, scenario: dict[str, Any]) -> None:
        self.records: list[Record] = []
        self._scenario = scenario
        self._given = given_items(scenario)
        self._given_texts = given_texts(scenario, self._given)
        self._sent: list[Any] | None = None

    def note(self, body: dict[str, Any]) -> None:
        """Add the record of a request."""
        answered = self._scenario["responses"][: len(self.records)]
        replayed = [item for response in answered for item in response.get("output", [])]
        items: list[Any] = copy.deepcopy(body["input"])
        shown = [self._with_marks(item, replayed) for item in items]
        sent = self._sent
        if sent is not None and items[: len(sent)] == sent:
            added, shown = "appended", shown[len(sent) :]
        else:
            added = "input"
        self._sent = items
        self.records.append(
            {
                "input_types": kinds(items),
                added: shown,
                "tools": tool_names(body.get("tools", [])),
                "body": rest_of(body),
            }
        )

    def _with_marks(self, item: Any, replayed: list[Any]) -> Any:
        """``item`` with a mark in the place of words that the package itself wrote."""
        match item:
            case {"role": "user", "content": str(words)} if words not in self._given_texts:
                return {**item, "content": {"$generated": self._mentioned(words, replayed)}}
            case {"type": "function_call_output", "output": [{"text": str(text)} as block, *more]}:
                if item["call_id"] in browser_call_ids(replayed):
                    block = {**block, "text": parsed(text)}
                    return {**item, "output": [block, *more]}
        return item

    def _mentioned(self, words: str, replayed: list[Any]) -> Record:
        ids = {item["call_id"] for item in self._given + replayed if "call_id" in item}
        budget = self._scenario["options"]["context_budget"]
        summary = budget.get("compact", {}).get("summary")
        return {
            "mentions": sorted(call_id for call_id in ids if call_id in words),
            "has_summary": summary is not None and summary in words,
        }


def parsed(text: str) -> Record:
    """The payload of a browser output; what is none becomes a mark that no record has."""
    try:
        return {"$json": read_payload(text)}
    except ValueError as error:
        return {"$malformed": repr(error)}


def given_items(scenario: dict[str, Any]) -> list[Any]:
    """The items of the caller: the input, and the history of the checkpoint."""
    ledger = scenario.get("options", {}).get("ledger", {})
    checkpoint = ledger.get("resume_from")
    parts = (
        checkpoint.get("history") if isinstance(checkpoint, dict) else None,
        scenario["params"]["input"],
    )
    lists = [cast("list[object]", part) for part in parts if isinstance(part, list)]
    return [item for part in lists for item in untag(part) if isinstance(item, dict)]


def given_texts(scenario: dict[str, Any], items: list[Any]) -> set[str]:
    """The caller's own words, among them those that are appended at a turn."""
    actions = [action or {} for action in scenario.get("turn_actions", [])]
    appended = [untag(words) for action in actions for words in action.get("append_user_text", [])]
    candidates = [
        scenario["params"]["input"],
        *(item.get("content") for item in items),
        *appended,
    ]
    return {text for text in candidates if isinstance(text, str)}


def browser_call_ids(items: list[Any]) -> set[str]:
    return {item["call_id"] for item in items if item.get("name", "").startswith("browser_")}


def rest_of(body: dict[str, Any]) -> dict[str, Any]:
    """The body without what is shown apart."""
    return {
        name: copy.deepcopy(value)
        for name, value in {**body, **body.get("extra_body", {})}.items()
        if name not in SHOWN_APART | TRANSPORT | {"extra_body"}
    }


def checkpoint_record(checkpoint: dict[str, Any]) -> Record:
    """What a record says of a saved checkpoint."""
    servers = [tool for tool in checkpoint["tools"] if tool["type"] == "mcp"]
    return {
        "phase": checkpoint["phase"],
        "revision": checkpoint["revision"],
        "consumed_requests": checkpoint["consumed_requests"],
        "max_steps": checkpoint["max_steps"],
        "attempted": copy.deepcopy(checkpoint["attempted_call_ids"]),
        "returned": copy.deepcopy(checkpoint["returned_call_ids"]),
        "pending_types": kinds(checkpoint["pending_items"]),
        "returned_output_types": kinds(checkpoint["returned_outputs"]),
        "history_types": kinds(checkpoint["history"]),
        "has_final": checkpoint["final_response"] is not None,
        "keys": sorted(checkpoint),
        "tools": tool_names(checkpoint["tools"]),
        "server_urls": [server["server_url"] for server in servers if "server_url" in server],
        "mcp_keys": [sorted(server) for server in servers],
        "output_override_names": copy.deepcopy(checkpoint["output_override_names"]),
    }


def snapshot_record(snapshot: dict[str, Any]) -> Record:
    """What a record says of what ``compact`` was given."""
    return {
        "eligible_call_ids": copy.deepcopy(snapshot["eligible_call_ids"]),
        "input_bytes": snapshot["input_bytes"],
        "input_images": snapshot["input_images"],
        "history_types": kinds(snapshot["history"]),
    }


def kinds(items: Iterable[Any]) -> list[str]:
    return [item.get("type") or "message" for item in items]


def tool_names(tools: Iterable[Any]) -> list[str]:
    return sorted(tool.get("name") or tool["type"] for tool in tools)
