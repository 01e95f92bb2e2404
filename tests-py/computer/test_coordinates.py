"""What is clicked is what was seen: scale, crop and shrinking on a real page (D-3)."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from computer.desk import RECORDER, Desk
from swingbridge import DriverError
from swingbridge.drivers.screen import MAX_SIDE, Picture, fit

# A white page with one black pixel of CSS at each of these points.
POINTS = [(0, 0), (101, 77), (398, 299)]
DOTS = "<!doctype html><style>body{margin:0;background:white;height:2000px}i{position:fixed;width:1px;height:1px;background:black}</style>"


def dots(*points: tuple[int, int]) -> str:
    marks = "".join(f'<i style="left:{x}px;top:{y}px"></i>' for x, y in points)
    listen = "<script>window.events=[];addEventListener('click',e=>events.push({kind:'click',x:e.clientX,y:e.clientY}),true)</script>"
    return DOTS + marks + listen


SETTINGS: list[tuple[float, dict[str, Any]]] = [
    (1, {}),
    (2, {}),
    (1, {"scale": "device"}),
    (2, {"scale": "device"}),
    (1.5, {"scale": "device"}),
    (3, {"scale": "device"}),
    (1, {"crop": (100, 70, 299, 230)}),
    (2, {"scale": "device", "crop": (100, 70, 299, 230)}),
    (2, {"crop": (100, 70, 1000, 1000)}),
]


@pytest.mark.parametrize(("ratio", "settings"), SETTINGS)
def test_a_click_on_what_the_picture_shows_lands_there(
    desk: Desk, ratio: float, settings: dict[str, Any]
) -> None:
    for point in POINTS:
        left, top, width, height = settings.get("crop", (0, 0, 400, 300))
        inside = left <= point[0] < left + width and top <= point[1] < top + height
        if not inside:
            continue
        desk.open(dots(point), ratio=ratio, size=(400, 300), **settings)
        data = desk.screenshot()
        size, black = dark_pixels(desk, data)
        shown = Picture.read(data)
        assert size == (shown.width, shown.height)
        assert black, point
        # At a broken scale the first pixels show a part of the neighbour too.
        for pixel in black if ratio == int(ratio) else black[-1:]:
            desk.act("click", x=pixel[0], y=pixel[1], button="left")
        assert {(event["x"], event["y"]) for event in desk.events("click")} == {point}


@pytest.mark.parametrize(
    "settings", [{"max_size": (200, 200)}, {"max_size": (100, 75), "scale": "device"}]
)
def test_a_smaller_picture_is_clicked_in_its_own_pixels(
    desk: Desk, settings: dict[str, Any]
) -> None:
    body = dots((0, 0)) + (
        '<b style="position:fixed;left:200px;top:100px;width:40px;height:40px;background:black"></b>'
    )
    desk.open(body, ratio=2, size=(400, 300), **settings)
    desk.do(desk.page.evaluate, "scrollTo(0, 700)")
    data = desk.screenshot()
    size, black = dark_pixels(desk, data)
    assert size[0] <= settings["max_size"][0]
    assert size[1] <= settings["max_size"][1]
    assert size[0] == min(settings["max_size"][0], settings["max_size"][1] * 4 // 3)
    x, y = (sum(axis) // len(axis) for axis in zip(*black[1:], strict=True))
    desk.act("click", x=x, y=y, button="left")
    [event] = desk.events("click")
    assert abs(event["x"] - 220) <= 4
    assert abs(event["y"] - 120) <= 4


def test_points_belong_to_the_last_screenshot(desk: Desk) -> None:
    desk.open(dots((0, 0)), size=(400, 300), max_size=(200, 150))
    desk.screenshot()
    desk.do(desk.page.set_viewport_size, {"width": 800, "height": 600})
    # The model has not seen the larger page yet: its points are those of the picture it has.
    desk.act("click", x=199, y=149, button="left")
    desk.screenshot()
    desk.act("click", x=100, y=75, button="left")
    assert [(event["x"], event["y"]) for event in desk.events("click")] == [(398, 298), (400, 300)]


@pytest.mark.parametrize("point", [(400, 0), (0, 300), (-1, 0), (0, -1), (10**12, 0)])
def test_points_outside_are_refused(desk: Desk, point: tuple[int, int]) -> None:
    desk.open(dots((0, 0)), size=(400, 300))
    desk.screenshot()
    for kind, fields in (
        ("click", {"button": "left"}),
        ("double_click", {}),
        ("move", {}),
        ("scroll", {"scroll_x": 0, "scroll_y": 10}),
    ):
        with pytest.raises(DriverError, match="outside the screenshot") as caught:
            desk.act(kind, x=point[0], y=point[1], **fields)
        assert caught.value.code == "point_outside_screenshot"
    assert not desk.events("click")


def test_distances_are_scaled_like_points(desk: Desk) -> None:
    desk.open(RECORDER, ratio=2, scale="device")
    desk.screenshot()
    desk.act("scroll", x=800, y=600, scroll_x=0, scroll_y=300)
    desk.until(lambda: desk.do(desk.page.evaluate, "scrollY") == 150)
    [event] = desk.events("wheel")
    assert (event["x"], event["y"]) == (400, 300)


def test_without_a_screenshot_points_are_meant_in_that_which_would_be_taken(desk: Desk) -> None:
    desk.open(dots((0, 0)), ratio=2, size=(400, 300), scale="device")
    desk.act("click", x=200, y=100, button="left")
    assert [(event["x"], event["y"]) for event in desk.events("click")] == [(100, 50)]


def test_a_page_without_a_fixed_viewport(desk: Desk) -> None:
    desk.open(dots((0, 0)), size=None)
    width, height = desk.do(desk.page.evaluate, "[innerWidth, innerHeight]")
    picture = Picture.read(desk.screenshot())
    assert (picture.width, picture.height) == (width, height)
    desk.act("click", x=width - 1, y=height - 1, button="left")
    [event] = desk.events("click")
    assert (event["x"], event["y"]) == (width - 1, height - 1)


def test_a_crop_outside_the_viewport_is_refused(desk: Desk) -> None:
    desk.open(dots((0, 0)), size=(400, 300), crop=(400, 0, 10, 10))
    with pytest.raises(DriverError) as caught:
        desk.screenshot()
    assert caught.value.code == "crop_outside_viewport"


def test_a_picture_beyond_the_limits_is_taken_smaller(desk: Desk) -> None:
    desk.open(dots((0, 0)), size=(MAX_SIDE + 100, 40))
    picture = Picture.read(desk.screenshot())
    assert 0.95 * MAX_SIDE < picture.width <= fit(MAX_SIDE + 100, 40)[0]
    desk.act("click", x=picture.width - 1, y=0, button="left")
    [event] = desk.events("click")
    assert MAX_SIDE + 90 <= event["x"] < MAX_SIDE + 100


def dark_pixels(desk: Desk, data: bytes) -> tuple[tuple[int, int], list[tuple[int, int]]]:
    """The size of a picture and its dark pixels, as another page of the browser decodes it."""
    reader = desk.do(desk.contexts[-1].new_page)
    answer = desk.do(
        reader.evaluate,
        """async (data) => {
            const image = new Image();
            image.src = 'data:image/png;base64,' + data;
            await image.decode();
            const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
            const context = canvas.getContext('2d');
            context.drawImage(image, 0, 0);
            const { data: pixels, width } = context.getImageData(0, 0, canvas.width, canvas.height);
            const dark = [];
            for (let at = 0; at < pixels.length; at += 4) {
                if (pixels[at] < 128) dark.push([(at / 4) % width, Math.floor(at / 4 / width)]);
            }
            return { size: [canvas.width, canvas.height], dark };
        }""",
        base64.b64encode(data).decode(),
    )
    desk.do(reader.close)
    return tuple(answer["size"]), [tuple(pixel) for pixel in answer["dark"]]
