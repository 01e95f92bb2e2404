"""Every test that asks for ``bench`` runs once for the sync and once for the async runner."""

from __future__ import annotations

import pytest

from api.kit import Kit
from runner.bench import Bench


@pytest.fixture(params=["sync", "async"])
def bench(request: pytest.FixtureRequest) -> Bench:
    return Bench(Kit(asynchronous=request.param == "async"))
