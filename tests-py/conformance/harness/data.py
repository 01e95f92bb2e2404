"""Vectors, the record that counts for a Python class, and known gaps."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

CONFORMANCE = Path(__file__).parents[3] / "conformance"

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
FACES = ("rust", "python-sync", "python-async", "node")

Advice = Literal["recommend", "python", "node"]
CallForm = Literal["dict", "openai", "native"]
Record = dict[str, Any]

# What the client's own parsing converts before any helper sees the call.
WIRE_COERCION = "wire-coercion"


@dataclass(frozen=True)
class Vector:
    """One scenario and what the two published packages did with it."""

    id: str
    kind: str
    input: dict[str, Any]
    python: Record
    node: Record
    recommend: str | None
    classes: tuple[str, ...] = ()
    mixed: Record | None = None

    def accepted(self, advice: Advice = "recommend", form: CallForm = "dict") -> list[Record]:
        """The records that pass. More than one where either package's answer is right."""
        if advice != "recommend":
            return [self.python if advice == "python" else self.node]
        if form == "openai" and WIRE_COERCION in self.classes:
            return [self.python]
        match self.recommend:
            case None | "python" | "host":
                # Where the packages agree, their records differ at most in spelling; where
                # each language follows its own package, this is the Python side.
                return [self.python]
            case "node":
                return [self.node]
            case "either":
                return [self.python, self.node]
            case "mixed" if self.mixed is not None:
                # Put together from both packages, by the classes of the vector.
                return [self.mixed]
            case other:
                raise ValueError(f"{self.id}: no record is named by {other!r}")


@dataclass(frozen=True)
class Gap:
    """A vector that some faces are known to fail, with the reason."""

    id: str
    faces: tuple[str, ...]
    reason: str


def load_vectors(kind: str) -> list[Vector]:
    """All vectors of one kind, in file order."""
    text = (CONFORMANCE / "vectors" / f"{kind}.jsonl").read_bytes().decode("ascii")
    return [parse_vector(line) for line in text.split("\n") if line]


def parse_vector(line: str) -> Vector:
    raw: dict[str, Any] = json.loads(line)
    python: Record = raw["python"]
    return Vector(
        id=raw["id"],
        kind=raw["kind"],
        input=raw["input"],
        python=python,
        node=python if raw["node"] == "same" else raw["node"],
        recommend=None if raw["agree"] else raw["recommend"],
        classes=tuple(raw.get("class", ())),
        mixed=raw.get("mixed"),
    )


def load_gaps(path: Path = CONFORMANCE / "known_gaps.json") -> list[Gap]:
    """The listed gaps. A malformed list is a ``ValueError``: it would hide failures."""
    entries: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    gaps: list[Gap] = []
    for entry in entries:
        if set(entry) != {"id", "faces", "reason"}:
            raise ValueError(f"a gap has exactly id, faces and reason: {entry}")
        gap = Gap(entry["id"], tuple(entry["faces"]), entry["reason"])
        if not gap.faces or not set(gap.faces) <= set(FACES):
            raise ValueError(f"{gap.id}: faces must be some of {', '.join(FACES)}")
        if not gap.reason.strip():
            raise ValueError(f"{gap.id}: a gap needs a reason")
        gaps.append(gap)
    if len({gap.id for gap in gaps}) != len(gaps):
        raise ValueError("a vector is listed twice; name all its faces in one entry")
    return gaps


def gap_ids(gaps: list[Gap], face: str) -> frozenset[str]:
    """The ids that ``face`` is known to fail."""
    return frozenset(gap.id for gap in gaps if face in gap.faces)
