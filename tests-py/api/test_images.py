"""Pictures do not cross: the output has the driver's own text object (B-44)."""

from __future__ import annotations

from typing import Any

import pytest

from api.kit import Kit, call, payload
from swingbridge import ContractError

PICTURE = "data:image/png;base64," + "A" * 1_000_000


class Text(str):
    """A text of another class."""

    __slots__ = ()


def shoot(kit: Kit, image: Any) -> Any:
    driver = kit.driver(screenshot=lambda _action: image)
    return kit.execute(kit.toolset(driver), call("screenshot"))


def test_a_picture_is_the_same_object(kit: Kit) -> None:
    image = {"type": "input_image", "image_url": PICTURE, "file_id": "f" * 300, "detail": "high"}
    output = shoot(kit, image)
    assert output["output"][1] == image
    assert output["output"][1] is not image
    assert output["output"][1]["image_url"] is image["image_url"]
    assert output["output"][1]["file_id"] is image["file_id"]
    assert list(output["output"][1]) == list(image)
    assert payload(output)["ok"] is True
    assert "A" * 100 not in output["output"][0]["text"]


def test_a_picture_of_another_class_becomes_plain(kit: Kit) -> None:
    output = shoot(kit, {"type": "input_image", "image_url": Text(PICTURE)})
    assert type(output["output"][1]["image_url"]) is str
    assert output["output"][1]["image_url"] == PICTURE


@pytest.mark.parametrize("url", ["x", "☃" * 1_000, "\ud800" + "x" * 1_000, "x" * 256, "x" * 257])
def test_any_text_may_be_a_source(kit: Kit, url: str) -> None:
    assert shoot(kit, {"type": "input_image", "image_url": url})["output"][1]["image_url"] == url


@pytest.mark.parametrize("url", ["", " ", "\ufeff", " " * 1_000, "\x1c" * 300])
def test_a_blank_text_is_none(kit: Kit, url: str) -> None:
    with pytest.raises(ContractError) as caught:
        shoot(kit, {"type": "input_image", "image_url": url})
    assert caught.value.code == "image_invalid"


def test_later_changes_by_the_driver_change_nothing(kit: Kit) -> None:
    image = {"type": "input_image", "image_url": PICTURE}

    def state() -> Any:
        if image["image_url"] != PICTURE:
            return {"tabs": []}
        image["image_url"] = PICTURE + "B"
        image["detail"] = "low"
        return {"tabs": []}

    states = [lambda: {"tabs": []}, state]
    driver = kit.driver(state=lambda: states.pop(0)(), screenshot=lambda _action: image)
    output = kit.execute(kit.toolset(driver), call("screenshot"))
    assert output["output"][1] == {"type": "input_image", "image_url": PICTURE}
