"""What observers of the two packages are told of the same runs (R-60, B-52)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from importlib import metadata
from typing import Any, NamedTuple

import pytest

from conformance.harness.data import CallForm, Record, Vector, load_vectors
from conformance.harness.execute import PYTHON_FACES, Face, Package
from conformance.harness.runner import play

# Whose records they are is measured; another release may rightly differ.
MEASURED = "3.57.0"

Words = tuple[str, ...]

# What they tell and we do not, what we tell instead, and why.
DIFFERENCES: dict[tuple[Words, Words], str] = {
    ((), ("responses request completed",)): (
        "a response came, whatever is wrong with it; their client's own parsing fails on it first"
    ),
    (("responses arguments invalid_input",), ()): (
        "a call without any argument text is a malformed item, as in their Node package"
    ),
    ((), ("browser output invalid_output",)): "as their Node package tells it",
    ((), ("responses approval policy_failed",)): "as their Node package tells it",
    ((), ("responses approval cancelled",)): "as their Node package tells it",
    (("responses request api_failed",), ("responses request cancelled",)): (
        "the caller gave the request up, the service did not fail; as their Node package tells it"
    ),
}

FIELDS = {"api", "stage", "reason", "call_id", "member", "duration_ms", "usage"}


@pytest.fixture(scope="module")
def published() -> dict[str, Told]:
    """What the published package told, by scenario. Its two classes tell the same."""
    pytest.importorskip("openai")
    if metadata.version("openai") != MEASURED:
        pytest.skip(f"compared with openai {MEASURED}")
    package = Package.load("openai")
    return {
        vector.id: told(vector, package, "python-sync", "openai")
        for vector in load_vectors("runner")
    }


@pytest.mark.timeout(300)
@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings:UserWarning")
@pytest.mark.parametrize("face", PYTHON_FACES)
def test_observers_are_told_the_same(face: Face, published: dict[str, Told]) -> None:
    package = Package.load("swingbridge")
    used: set[tuple[Words, Words]] = set()
    wrong: list[str] = []
    compared = 0
    for vector in load_vectors("runner"):
        theirs, ours = published[vector.id], told(vector, package, face, "dict")
        if theirs.did != ours.did:
            continue  # The vectors say which of two different runs is right.
        compared += 1
        missing, extra = Counter(theirs.records), Counter(ours.records)
        difference = (words(missing - extra), words(extra - missing))
        if difference in DIFFERENCES:
            used.add(difference)
        elif theirs.records != ours.records:
            wrong.append(f"{vector.id}\n  theirs {theirs.records}\n  ours   {ours.records}")
    assert not wrong, "\n".join(wrong)
    assert used == set(DIFFERENCES), "a difference that is listed is gone"
    assert compared > 600


class Told(NamedTuple):
    """Each record of a run without its duration, and what was done."""

    records: list[str]
    did: Record


def told(vector: Vector, package: Package, face: Face, form: CallForm) -> Told:
    """Play a scenario before an observer."""
    records: list[dict[str, Any]] = []
    assert package.runner is not None
    run = play(
        vector.input,
        package.runner,
        package.host_error,
        face,
        form,
        iterates="turn_actions" in vector.input or "late_supply" in vector.input,
        observer=lambda record: records.append(dict(record)),
    )
    for record in records:
        assert set(record) == FIELDS
        assert record["duration_ms"] >= 0
    did = {name: run.get(name) for name in ("ok", "error_class", "trace", "driver_calls")}
    return Told([shown(record) for record in records], did)


def shown(record: dict[str, Any]) -> str:
    names = ("api", "stage", "reason", "call_id", "member", "usage")
    return " ".join(str(record[name]) for name in names)


def words(records: Iterable[str]) -> Words:
    """The stage and the reason of each."""
    return tuple(sorted(" ".join(record.split(" ")[:3]) for record in records))
