"""What a computer driver needs besides its screen: keys, pictures and coordinates (D-2, D-3).

    data = take_picture()                       # PNG, JPEG, WebP or GIF
    picture = Picture.read(data)                # its format and size, from its own header
    picture.check_limits()                      # or scale it down to fit(width, height) first
    mapping = CoordinateMapping((left, top, width, height), (picture.width, picture.height))
    screenshot = {"type": "computer_screenshot", "image_url": data_url(data)}
    ...
    x, y = mapping.to_screen(action.x, action.y)
    keys = chord(action.keys)                   # ["CTRL", "A"] gives ["Control", "a"]

``chord`` knows the names that models write (``Esc``, ``Return``, ``PgDn``, ``Cmd``, ``Option``) and
gives those of ``KeyboardEvent.key``, modifiers first: press them in that order and release them in
reverse, whatever happens in between. ``fit`` gives the largest size of the same shape that the service
accepts: at most ``MAX_SIDE`` pixels a side and ``MAX_PATCHES`` patches of 32 x 32 pixels.

A ``CoordinateMapping`` belongs to one screenshot. Keep that of the last one that the model saw: what
it says is meant in its pixels. Points are scaled once, X and Y each by its own factor, and then moved
by the offset of the crop; outside of the picture they are refused.

All of them raise ``DriverError``, whose ``code`` is one of ``keys_empty``, ``key_unknown``,
``screenshot_empty``, ``screenshot_format_unknown``, ``screenshot_damaged``, ``screenshot_too_large``,
``mapping_area_invalid``, ``mapping_picture_invalid`` and ``point_outside_screenshot``.
"""

from __future__ import annotations

import base64

from swingbridge._core import MAX_PATCHES, MAX_SIDE, CoordinateMapping, Picture, chord, fit

__all__ = ["MAX_PATCHES", "MAX_SIDE", "CoordinateMapping", "Picture", "chord", "data_url", "fit"]


def data_url(data: bytes) -> str:
    """An encoded picture as a data URL, labelled by what the bytes are and not by their name.

    Raises:
        DriverError: There are no bytes, they are no picture, or the service would refuse its size.
    """
    picture = Picture.read(data)
    picture.check_limits()
    return f"data:{picture.media_type};base64,{base64.b64encode(data).decode('ascii')}"
