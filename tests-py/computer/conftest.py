"""Both flavours of the toolset, and real browsers for the page driver."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from api.conftest import kit as kit
from api.kit import Kit
from computer.desk import Desk
from computer.scripted import Screen
from drivers.conftest import browser as browser
from drivers.conftest import site as site
from drivers.rig import Browser
from drivers.site import Site


@pytest.fixture
def screen(kit: Kit) -> Screen:
    return Screen(kit)


@pytest.fixture
def desk(browser: Browser, site: Site) -> Iterator[Desk]:
    desk = Desk(browser, site)
    yield desk
    desk.close()
