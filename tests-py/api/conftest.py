"""Every test that asks for ``kit`` runs once for the sync and once for the async class."""

from __future__ import annotations

import pytest

from api.kit import Kit


@pytest.fixture(params=["sync", "async"])
def kit(request: pytest.FixtureRequest) -> Kit:
    return Kit(asynchronous=request.param == "async")
