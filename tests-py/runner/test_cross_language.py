"""A run that one language has begun and saved is finished by another (P-5, L-3)."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from conformance.harness.data import load_vectors
from runner.players import (
    FACES,
    Face,
    Played,
    Player,
    node_player,
    python_player,
    text_of,
)
from runner.saved_scenarios import SCENARIOS, Scenario

NOW = {"role": "user", "content": "So far so good; go on. 🧭"}
PAIRS: list[tuple[Face, Face]] = [
    ("python-sync", "node"),
    ("python-async", "node"),
    ("node", "python-sync"),
    ("node", "python-async"),
]

# Vectors about what one of the languages cannot say (`conformance/README.md`).
OF_ONE_LANGUAGE = {"integral-float-value", "max-steps-null"}
# JSON texts that the languages write in ways of their own: a number 1.0, and half of a character.
OF_ONE_WRITER = {"runner/computer/float_coordinate", "runner/ledger/run_id_lone"}


@pytest.fixture(scope="module")
def players() -> Iterator[dict[Face, Player]]:
    with node_player() as node:
        yield {
            "python-sync": python_player("python-sync"),
            "python-async": python_player("python-async"),
            "node": node,
        }


@dataclass(frozen=True)
class Boundary:
    """A checkpoint to go on from."""

    index: int
    """Its place among the saves of the run."""
    answered: int
    """The requests before it."""
    sends: bool
    """Whether a request follows, which is counted as made."""


def boundaries(played: Played) -> list[Boundary]:
    steps = [step for step in played.record["trace"] if step.startswith(("save:", "request"))]
    places = [place for place, step in enumerate(steps) if step.startswith("save:")]
    return [
        Boundary(index, steps[:place].count("request"), steps[place + 1] == "request")
        for index, place in enumerate(places)
        if steps[place] == "save:boundary"
    ]


def cut(scenario: Scenario, boundary: Boundary) -> Scenario:
    """The scenario up to that checkpoint: then the client fails, or else the store."""
    shorter = copy.deepcopy(scenario)
    if boundary.sends:
        del shorter["responses"][boundary.answered :]
    else:
        shorter["options"]["ledger"]["raises_at"] = boundary.index + 2
    return shorter


def rest(scenario: Scenario, boundary: Boundary, checkpoint: Any) -> Scenario:
    """What is left of the scenario, from that checkpoint on."""
    left = copy.deepcopy(scenario)
    del left["responses"][: boundary.answered]
    del left.get("turn_actions", [])[: boundary.answered]
    left["params"]["input"] = [NOW]
    left["options"]["ledger"]["resume_from"] = checkpoint
    return left


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_run_is_saved_as_the_same_bytes(name: str, players: dict[Face, Player]) -> None:
    played = {face: players[face](SCENARIOS[name]) for face in FACES}
    one = played["python-sync"]
    assert one.record["ok"]
    assert len(one.checkpoints) > 4
    for other in played.values():
        assert other.checkpoints == one.checkpoints
        assert other.inputs == one.inputs
        assert other.record == one.record


@pytest.mark.parametrize(("writer", "reader"), PAIRS)
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_run_is_finished_in_another_language(
    name: str, writer: Face, reader: Face, players: dict[Face, Player]
) -> None:
    scenario = SCENARIOS[name]
    begun, whole = players[writer](scenario), players[reader](scenario)
    found = boundaries(begun)
    assert found
    for boundary in found:
        broken = players[writer](cut(scenario, boundary))
        assert not broken.record["ok"]
        assert broken.checkpoints == begun.checkpoints[: boundary.index + 1]
        checkpoint = broken.saved[-1]
        resumed = players[reader](rest(scenario, boundary, checkpoint))
        assert resumed.record["ok"], resumed.record
        place = len(checkpoint["history"])
        assert resumed.sent == [
            [*items[:place], NOW, *items[place:]] for items in whole.sent[boundary.answered :]
        ]
        effects = whole.record["driver_calls"]
        assert broken.record["driver_calls"] + resumed.record["driver_calls"] == effects
        assert resumed.checkpoints == [
            text_of(checkpoint) for checkpoint in expected(whole, boundary, place)
        ]


def expected(whole: Played, boundary: Boundary, place: int) -> list[Any]:
    """The checkpoints of the whole run from there on, with the words of now in their place.

    A request that failed is counted, and what was saved before it is saved before the next.
    """
    again = int(boundary.sends)
    saved = whole.saved[boundary.index + 1 - again :]
    for checkpoint in saved:
        checkpoint["revision"] += again
        checkpoint["consumed_requests"] += again
        checkpoint["history"].insert(place, NOW)
    return saved


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_client_with_models_saves_the_same_values(name: str, players: dict[Face, Player]) -> None:
    """Its models have their fields in an order of their own."""
    pytest.importorskip("openai")
    known = copy.deepcopy(SCENARIOS[name])
    played = python_player("python-sync", "openai")(known)
    saved = players["node"](known).saved
    assert played.saved == saved


def test_every_measured_run_is_saved_as_the_same_bytes(players: dict[Face, Player]) -> None:
    count = 0
    for vector in load_vectors("runner"):
        if vector.id in OF_ONE_WRITER or OF_ONE_LANGUAGE.intersection(vector.classes):
            continue
        scenario = copy.deepcopy(vector.input)
        scenario.setdefault("options", {}).setdefault("ledger", {"run_id": "run_1"})
        played = [players[face](scenario) for face in FACES]
        texts = [(each.checkpoints, each.inputs) for each in played]
        assert texts[0] == texts[1] == texts[2], vector.id
        count += len(texts[0][0])
    assert count > 1_500


@pytest.mark.parametrize(("writer", "reader"), PAIRS)
def test_another_address_is_another_run(
    writer: Face, reader: Face, players: dict[Face, Player]
) -> None:
    """The languages make the same fingerprint, and neither needs the secrets of before (L-4)."""
    scenario = SCENARIOS["remote tools"]
    played = players[writer](scenario)
    assert not any("secret" in text for text in played.checkpoints)
    boundary = boundaries(played)[-1]
    changes: list[tuple[dict[str, Any], bool]] = [
        ({"authorization": "new", "headers": {}}, True),
        ({"server_url": "https://mcp.test/a%20b?token=new&v=1"}, True),
        ({"server_url": "https://mcp.test/a%20b?token=new&v=2"}, False),
    ]
    for change, is_same in changes:
        left = rest(scenario, boundary, played.saved[boundary.index])
        left["params"]["tools"][0].update(change)
        assert players[reader](left).record["ok"] is is_same
