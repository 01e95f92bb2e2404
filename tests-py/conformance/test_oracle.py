"""The harness itself: the package that was measured passes, a false record does not."""

from __future__ import annotations

import copy
import subprocess
import sys
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import pytest

from conformance.harness.data import KINDS, Record, Vector, load_vectors
from conformance.harness.execute import PYTHON_FACES, Face, Package
from conformance.harness.report import check, judge
from conformance.harness.tags import untag

# The records say what this release does; another one may rightly differ.
MEASURED = "3.57.0"

pytestmark = pytest.mark.filterwarnings(
    # Some scenarios give a call fields that its model does not allow.
    "ignore:Pydantic serializer warnings:UserWarning"
)


@pytest.fixture(scope="module")
def package() -> Package:
    pytest.importorskip("openai")
    if metadata.version("openai") != MEASURED:
        pytest.skip(f"the records were measured with openai {MEASURED}")
    return Package.load("openai")


@pytest.mark.parametrize("face", PYTHON_FACES)
@pytest.mark.parametrize("kind", KINDS)
def test_the_measured_package_passes(kind: str, face: Face, package: Package) -> None:
    report = judge(load_vectors(kind), package, face, "openai", advice="python")
    assert report.total > 0
    if not report.passed:
        pytest.fail(report.text(), pytrace=False)


@pytest.mark.parametrize("face", PYTHON_FACES)
@pytest.mark.parametrize("kind", KINDS)
def test_it_fails_exactly_where_the_other_package_counts(
    kind: str, face: Face, package: Package
) -> None:
    vectors = load_vectors(kind)
    report = judge(vectors, package, face, "openai")
    expected = [
        vector.id
        for vector in vectors
        if check(untag(vector.python), vector, vector.accepted(form="openai")) is not None
    ]
    assert [failure.vector.id for failure in report.failures] == expected


@pytest.mark.parametrize("face", PYTHON_FACES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_false_expectation_is_reported(kind: str, face: Face, package: Package) -> None:
    true, *_ = load_vectors(kind)
    false = [replace(true, id=f"false/{name}", python=record) for name, record in lies(true)]
    report = judge([true, *false], package, face, "openai", advice="python")
    assert [failure.vector.id for failure in report.failures] == [vector.id for vector in false]


@pytest.mark.usefixtures("package")
def test_the_command_line() -> None:
    script = Path(__file__).parent / "run.py"
    [vector] = [
        vector for vector in load_vectors("outcome") if vector.id.endswith("navigate/plain/bytes")
    ]
    command = [
        sys.executable,
        str(script),
        "--module",
        "openai",
        "--face",
        "sync",
        "--id",
        vector.id,
    ]

    passing = subprocess.run(command, capture_output=True, text=True, check=False)
    assert passing.returncode == 0, passing.stderr
    assert passing.stdout.startswith("outcome python-sync openai: 1 of 1 vectors pass")

    command += ["--record", "node", "--records"]
    failing = subprocess.run(command, capture_output=True, text=True, check=False)
    assert failing.returncode == 1, failing.stderr
    assert f"{vector.id} (node)" in failing.stdout
    assert "    trace: expected" in failing.stdout
    assert "    expected {" in failing.stdout


def lies(vector: Vector) -> list[tuple[str, Record]]:
    refusal: Record = {**vector.python, "ok": not vector.python["ok"]}
    longer = copy.deepcopy(vector.python)
    if "trace" in longer:
        longer["trace"].append("state")
    else:
        longer["value"]["tools"].append("browser_fly")
    return [("ok", refusal), ("longer", longer), ("field", {**vector.python, "extra": None})]
