#!/usr/bin/env python3
"""Set the one version of the project everywhere it is written.

    scripts/bump_version.py 0.2.0 [--date YYYY-MM-DD]

Cargo and npm take the same semantic version; the wheel gets the PEP 440 form of Cargo's (0.2.0-beta.1 is 0.2.0b1), which
maturin writes. The changelog's Unreleased section becomes the section of the new version, with the given date (default:
today). tests-py/packaging/test_version.py asserts that all places agree.
"""

from __future__ import annotations

import argparse
import datetime
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SEMVER = re.compile(r"(\d+)\.(\d+)\.(\d+)(?:-(alpha|beta|rc)\.(\d+))?")
CRATES = (
    "swingbridge-client",
    "swingbridge-core",
    "swingbridge-node",
    "swingbridge-python",
    "swingbridge-rehearsal",
)


def main(argv: list[str] | None = None) -> int:
    """Rewrite the files; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("version", help="new version, such as 0.2.0 or 0.2.0-beta.1")
    parser.add_argument("--date", default=datetime.date.today().isoformat())
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    try:
        bump(options.root, options.version, options.date)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def bump(root: Path, version: str, date: str) -> None:
    """Write `version` to every place below `root`; nothing is written unless all places are found.

    Raises:
        ValueError: the version has another form, is the current one, or a place to write it is missing.
    """
    if not SEMVER.fullmatch(version):
        raise ValueError(f"{version!r} is not a version such as 0.2.0 or 0.2.0-beta.1")
    old = workspace_version((root / "Cargo.toml").read_text("utf-8"))
    if old == version:
        raise ValueError(f"the version is already {version}")

    changed: dict[Path, str] = {}

    def replace(name: str, pattern: str, replacement: str, count: int = 1) -> None:
        path = root / name
        text = changed.get(path) or path.read_text("utf-8")
        text, found = re.subn(pattern, replacement, text, count=count, flags=re.MULTILINE)
        if found != count:
            raise ValueError(f"{name}: the version {old} was not found where it is expected")
        changed[path] = text

    quoted = re.escape(old)
    replace("Cargo.toml", rf'^version = "{quoted}"$', f'version = "{version}"')
    for crate in CRATES:
        replace(
            "Cargo.lock",
            rf'^name = "{crate}"\nversion = "{quoted}"$',
            f'name = "{crate}"\nversion = "{version}"',
        )
    replace("package.json", rf'^  "version": "{quoted}",$', f'  "version": "{version}",')
    # The lock file names the package twice: at its top and as its own root entry.
    replace(
        "package-lock.json",
        rf'^(  |      )"version": "{quoted}",$',
        rf'\1"version": "{version}",',
        2,
    )
    replace("CHANGELOG.md", r"^## \[Unreleased\]$", f"## [Unreleased]\n\n## [{version}] - {date}")

    for path, text in changed.items():
        path.write_text(text, "utf-8", newline="\n")


def workspace_version(manifest: str) -> str:
    """Return the version of `[workspace.package]` in the text of Cargo.toml."""
    found = re.search(r'^\[workspace\.package\]\n(?:.+\n)*?version = "([^"]+)"$', manifest, re.M)
    if not found:
        raise ValueError("Cargo.toml: no version in [workspace.package]")
    return found.group(1)


def pep440(version: str) -> str:
    """Return the form that Python packaging gives to a semantic version."""
    parts = SEMVER.fullmatch(version)
    if not parts:
        raise ValueError(f"{version!r} is not a version such as 0.2.0 or 0.2.0-beta.1")
    major, minor, patch, stage, number = parts.groups()
    letter = {"alpha": "a", "beta": "b", "rc": "rc"}.get(stage, "")
    return f"{major}.{minor}.{patch}{letter}{number or ''}"


if __name__ == "__main__":
    sys.exit(main())
