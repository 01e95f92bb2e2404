"""swingbridge answers every measured scenario with the record that counts.

One test runs a whole kind and reports every vector that fails. To look at one:
``python tests-py/conformance/run.py --kind state --id 'state/url/*' --records``.
"""

from __future__ import annotations

import pytest

from conformance.harness.data import KINDS, CallForm, gap_ids, load_gaps, load_vectors
from conformance.harness.execute import CALL_FORMS, PYTHON_FACES, Face, Package
from conformance.harness.report import judge


@pytest.fixture(scope="module")
def package() -> Package:
    return Package.load("swingbridge")


@pytest.mark.parametrize("form", CALL_FORMS)
@pytest.mark.parametrize("face", PYTHON_FACES)
@pytest.mark.parametrize("kind", KINDS)
def test_every_vector(kind: str, face: Face, form: CallForm, package: Package) -> None:
    if form == "openai":
        pytest.importorskip("openai")
    report = judge(load_vectors(kind), package, face, form, gaps=gap_ids(load_gaps(), face))
    if not report.passed:
        pytest.fail(report.text(), pytrace=False)
