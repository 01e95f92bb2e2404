"""Copy measured vectors into ``conformance/vectors/``.

    python conformance/import_vectors.py SOURCE_DIR [--to TARGET_DIR]

Takes the kinds that the test suites of this repository run, drops the fields of a
record that are never compared, and writes every line in one compact spelling. The
output depends on the source files alone, so a second run changes nothing.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

KINDS = (
    "arguments",
    "state",
    "read",
    "image",
    "outcome",
    "approval",
    "selection",
    "computer",
    "runner",
)

# Each of these names one record, or says that either record is right. A vector that falls under
# several classes at once is "mixed": its record takes from each package what its classes say.
ADVICE = (None, "python", "node", "either", "host", "mixed")

# The only classes that are found together: pending items as in Python, fingerprints as in Node.
MIXED = ["final-checkpoint-pending", "mcp-fingerprint"]

# Which exception was raised, which diagnostics were sent and how far a computer call came is
# reported for a reader; the first two depend on the host language, the last shows in the trace.
INFORMATION = ("exception", "diagnostics", "stage")


def main() -> None:
    parser = argparse.ArgumentParser(description="Import measured conformance vectors.")
    parser.add_argument("source", type=Path, help="directory that holds <kind>.jsonl")
    parser.add_argument("--to", type=Path, default=Path(__file__).parent / "vectors")
    options = parser.parse_args()

    vectors = [vector for kind in KINDS for vector in read(options.source / f"{kind}.jsonl")]
    options.to.mkdir(parents=True, exist_ok=True)
    for kind in KINDS:
        lines = [dump(slim(vector)) for vector in vectors if vector["kind"] == kind]
        target = options.to / f"{kind}.jsonl"
        target.write_text("".join(f"{line}\n" for line in lines), encoding="ascii", newline="\n")
        print(f"{target}: {len(lines)} vectors")


def read(path: Path) -> Iterator[dict[str, Any]]:
    # Only "\n" ends a line: the text inside a vector may hold other line separators.
    for line in path.read_bytes().decode("ascii").split("\n"):
        if not line:
            continue
        vector: dict[str, Any] = json.loads(line)
        if is_computer(vector):
            # The approvals of computer calls are scenarios of the same shape.
            vector["kind"] = "computer"
        if vector.get("recommend") not in ADVICE:
            raise SystemExit(f"{vector['id']}: no record for {vector['recommend']!r}")
        yield vector


def is_computer(vector: dict[str, Any]) -> bool:
    call = vector["input"].get("call")
    return isinstance(call, dict) and call.get("type") == "computer_call"


def slim(vector: dict[str, Any]) -> dict[str, Any]:
    python = without_information(vector["python"])
    node = vector["node"] if vector["node"] == "same" else without_information(vector["node"])
    if spelled_alike(python, node):
        node = "same"
    if vector.get("recommend") == "host" and node != "same":
        # What a final checkpoint has pending is not the host's affair: none, as in Python.
        for save in node.get("saves", []):
            save["pending_types"] = [] if save["phase"] == "final" else save["pending_types"]
    slimmed = {**vector, "python": python, "node": node}
    if vector.get("recommend") == "mixed":
        slimmed["mixed"] = mixed(vector["id"], vector["class"], python, node)
    return slimmed


def mixed(
    name: str, classes: list[str], python: dict[str, Any], node: dict[str, Any]
) -> dict[str, Any]:
    if classes != MIXED:
        raise SystemExit(f"{name}: no advice for {classes} together")
    pairs = zip(python["saves"], node["saves"], strict=True)
    saves = [{**ours, "server_urls": theirs["server_urls"]} for ours, theirs in pairs]
    return {**python, "saves": saves}


def without_information(record: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name not in INFORMATION}


def spelled_alike(left: object, right: object) -> bool:
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


def dump(vector: dict[str, Any]) -> str:
    return json.dumps(vector, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


if __name__ == "__main__":
    main()
