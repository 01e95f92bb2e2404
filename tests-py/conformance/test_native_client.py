"""Whole runs over swingbridge's own client and real HTTP give the records that count (N-2).

The history stays text there, so this is another path through the binding than with other clients.
"""

from __future__ import annotations

import pytest

from conformance.harness.data import gap_ids, load_gaps, load_vectors
from conformance.harness.execute import PYTHON_FACES, Face, Package
from conformance.harness.report import judge


@pytest.mark.parametrize("face", PYTHON_FACES)
def test_every_run(face: Face) -> None:
    package = Package.load("swingbridge")
    report = judge(load_vectors("runner"), package, face, "native", gaps=gap_ids(load_gaps(), face))
    assert report.total > 0
    if not report.passed:
        pytest.fail(report.text(), pytrace=False)
