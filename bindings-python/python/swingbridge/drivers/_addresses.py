"""Addresses and titles: what may be opened, and what may be reported (B-30, B-32)."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

__all__ = ["BLANK", "address_problem", "is_supported", "safe_title"]

BLANK: Final = "about:blank"
TITLE_BYTES: Final = 1024

# No white space, controls or backslashes: browsers and URL parsers disagree about them, and a policy may have been
# asked about another host than the browser would contact.
_ADDRESS = re.compile(
    r"https?://[^\s\\\x00-\x1f\x7f/?#]+(?:[/?#][^\s\\\x00-\x1f\x7f]*)?", re.IGNORECASE
)
_IN_TITLE = re.compile(r"\b([a-z][a-z0-9+.-]{1,15}://)([^\s<>\"']+)", re.IGNORECASE)
_MAIL = re.compile(r"[^\s@<>()\[\],;:\"']+@[^\s@<>()\[\],;:\"']+\.[^\s@<>()\[\],;:\"'.]+")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff]")
_SURROGATES = re.compile(r"[\ud800-\udfff]")


def address_problem(url: str) -> str | None:
    """Why an address is not opened; None for `about:blank` and http(s) without user name and password."""
    if url == BLANK:
        return None
    if _ADDRESS.fullmatch(url) is None:
        return "Only absolute http and https addresses and about:blank can be opened."
    try:
        parts = urlsplit(url)
        named = bool(parts.hostname) and "@" not in parts.netloc
        _ = parts.port  # raises for a port out of range
    except ValueError:
        return "The address is malformed."
    return None if named else "An address must name a host, without a user name or password."


def is_supported(url: str) -> bool:
    """Whether a page at this address is read and reported. Others are shown to the model as a blank tab."""
    return url == BLANK or url.startswith(("http://", "https://"))


def safe_title(title: str) -> tuple[str, bool]:
    """A title on one line, at most 1,024 UTF-8 bytes, and whether it was cut.

    Addresses lose everything after the host and mail addresses are masked: page titles often repeat both.
    """
    text = _CONTROLS.sub("", _SURROGATES.sub("\ufffd", title))
    text = _MAIL.sub("[address]", _IN_TITLE.sub(_origin, text))
    text = " ".join(text.split())
    encoded = text.encode()
    if len(encoded) <= TITLE_BYTES:
        return text, False
    return encoded[:TITLE_BYTES].decode(errors="ignore"), True


def _origin(match: re.Match[str]) -> str:
    host = re.split(r"[/?#\\]", match[2], maxsplit=1)[0]
    return match[1] + host.rpartition("@")[2]
