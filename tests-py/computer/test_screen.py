"""Keys, pictures and coordinates for drivers (D-2, D-3)."""

from __future__ import annotations

import base64
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from swingbridge import DriverError
from swingbridge.drivers.screen import (
    MAX_PATCHES,
    MAX_SIDE,
    CoordinateMapping,
    Picture,
    chord,
    data_url,
    fit,
)


def png(width: int, height: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + struct.pack(">II", width, height) + b"rest"


GIF = b"GIF89a" + struct.pack("<HH", 3, 4)
JPEG = b"\xff\xd8\xff\xc0\x00\x0b\x08" + struct.pack(">HH", 4, 3) + b"rest"
WEBP = b"RIFF\x00\x00\x00\x00WEBPVP8X" + bytes(8) + bytes([2, 0, 0, 3, 0, 0])


class TestChord:
    def test_modifiers_first_and_no_capitals(self) -> None:
        assert chord(["A", "CTRL"]) == ["Control", "a"]
        assert chord(["Ctrl+Shift+T"]) == ["Control", "Shift", "t"]

    @pytest.mark.parametrize(
        ("names", "code"),
        [([], "keys_empty"), (["Hyper"], "key_unknown"), (["\ud800"], "key_unknown")],
    )
    def test_refusals(self, names: list[str], code: str) -> None:
        with pytest.raises(DriverError) as caught:
            chord(names)
        assert caught.value.code == code


class TestPicture:
    @pytest.mark.parametrize(
        ("data", "media_type", "size"),
        [
            (png(640, 480), "image/png", (640, 480)),
            (GIF, "image/gif", (3, 4)),
            (JPEG, "image/jpeg", (3, 4)),
            (WEBP, "image/webp", (3, 4)),
        ],
    )
    def test_says_what_the_bytes_are(
        self, data: bytes, media_type: str, size: tuple[int, int]
    ) -> None:
        picture = Picture.read(data)
        assert (picture.media_type, picture.width, picture.height) == (media_type, *size)
        assert data_url(data) == f"data:{media_type};base64,{base64.b64encode(data).decode()}"
        assert picture == Picture.read(data)
        assert hash(picture) == hash(Picture.read(data))

    @pytest.mark.parametrize(
        ("data", "code"),
        [
            (b"", "screenshot_empty"),
            (b"<svg/>", "screenshot_format_unknown"),
            (png(0, 1), "screenshot_damaged"),
            (png(640, 480)[:20], "screenshot_damaged"),
            (png(MAX_SIDE + 1, 1), "screenshot_too_large"),
            (png(1, MAX_SIDE + 1), "screenshot_too_large"),
            (png(32 * 200, 32 * 151), "screenshot_too_large"),
        ],
    )
    def test_refusals(self, data: bytes, code: str) -> None:
        with pytest.raises(DriverError) as caught:
            data_url(data)
        assert caught.value.code == code

    @given(some.integers(1, 100_000), some.integers(1, 100_000))
    def test_what_fits_is_accepted(self, width: int, height: int) -> None:
        fitting = fit(width, height)
        Picture.read(png(*fitting)).check_limits()
        assert fitting[0] <= width
        assert fitting[1] <= height

    def test_limits(self) -> None:
        assert (MAX_SIDE, MAX_PATCHES) == (16_384, 30_000)
        assert fit(1440, 900) == (1440, 900)


class TestMapping:
    def test_scales_first_and_adds_the_crop_after(self) -> None:
        half = CoordinateMapping((0, 0, 1600, 1200), (800, 600))
        assert half.to_screen(400, 300) == (800, 600)
        crop = CoordinateMapping((100, 50, 800, 600), (400, 200))
        assert crop.to_screen(10, 20) == (120, 110)
        assert crop.to_picture(120, 110) == (10, 20)
        assert (crop.area, crop.picture) == ((100, 50, 800, 600), (400, 200))
        assert crop == CoordinateMapping((100, 50, 800, 600), (400, 200))
        assert crop != half

    @given(
        some.tuples(some.integers(0, 3000), some.integers(0, 3000)),
        some.tuples(some.integers(1, 4000), some.integers(1, 4000)),
        some.tuples(some.integers(1, 4000), some.integers(1, 4000)),
        some.data(),
    )
    def test_what_is_clicked_is_what_was_seen(
        self,
        start: tuple[int, int],
        size: tuple[int, int],
        picture: tuple[int, int],
        data: Any,
    ) -> None:
        mapping = CoordinateMapping((*start, *size), picture)
        if size >= picture and size[1] >= picture[1]:
            pixel = tuple(data.draw(some.integers(0, side - 1)) for side in picture)
            assert mapping.to_picture(*mapping.to_screen(*pixel)) == pixel
        if size <= picture and size[1] <= picture[1]:
            point = tuple(
                first + data.draw(some.integers(0, side - 1))
                for first, side in zip(start, size, strict=True)
            )
            assert mapping.to_screen(*mapping.to_picture(*point)) == point

    @pytest.mark.parametrize(
        ("area", "picture", "code"),
        [
            ((0, 0, 0, 1), (1, 1), "mapping_area_invalid"),
            ((0, 0, float("nan"), 1), (1, 1), "mapping_area_invalid"),
            ((0, 0, 1, 1), (0, 1), "mapping_picture_invalid"),
        ],
    )
    def test_refused_mappings(self, area: Any, picture: Any, code: str) -> None:
        with pytest.raises(DriverError) as caught:
            CoordinateMapping(area, picture)
        assert caught.value.code == code

    def test_points_outside(self) -> None:
        mapping = CoordinateMapping((10, 10, 100, 100), (100, 100))
        for point in ((100, 0), (-1, 0), (0, 100)):
            with pytest.raises(DriverError) as caught:
                mapping.to_screen(*point)
            assert caught.value.code == "point_outside_screenshot"
        with pytest.raises(DriverError):
            mapping.to_picture(5, 50)
