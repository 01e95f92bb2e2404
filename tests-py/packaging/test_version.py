"""One version, everywhere, and the script that moves it."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import shutil
from pathlib import Path
from types import ModuleType

import pytest

VERSIONED = ("CHANGELOG.md", "Cargo.lock", "Cargo.toml", "package-lock.json", "package.json")


@pytest.fixture(scope="module")
def bump_version(root: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("bump_version", root / "scripts/bump_version.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def versions(root: Path) -> set[str]:
    package = json.loads((root / "package.json").read_text("utf-8"))
    lock = json.loads((root / "package-lock.json").read_text("utf-8"))
    cargo_lock = (root / "Cargo.lock").read_text("utf-8").split("\n\n")
    crates = [entry for entry in cargo_lock if 'name = "swingbridge-' in entry]
    assert len(crates) == 5
    return {
        package["version"],
        lock["version"],
        lock["packages"][""]["version"],
        *(entry.split('version = "')[1].split('"')[0] for entry in crates),
    }


def test_every_manifest_has_the_version_of_the_workspace(
    root: Path, bump_version: ModuleType
) -> None:
    version = bump_version.workspace_version((root / "Cargo.toml").read_text("utf-8"))
    assert versions(root) == {version}
    for manifest in ("core", "bindings-python", "bindings-node"):
        assert "version.workspace = true" in (root / manifest / "Cargo.toml").read_text("utf-8")


def test_the_installed_package_has_the_version_of_the_workspace(
    root: Path, bump_version: ModuleType
) -> None:
    version = bump_version.workspace_version((root / "Cargo.toml").read_text("utf-8"))
    assert importlib.metadata.version("swingbridge") == bump_version.pep440(version)


@pytest.mark.parametrize(
    ("semantic", "python"),
    [
        ("0.1.0", "0.1.0"),
        ("0.1.0-alpha.2", "0.1.0a2"),
        ("0.1.0-beta.1", "0.1.0b1"),
        ("12.3.4-rc.10", "12.3.4rc10"),
    ],
)
def test_the_python_form_of_a_version(bump_version: ModuleType, semantic: str, python: str) -> None:
    assert bump_version.pep440(semantic) == python


def test_a_bump_reaches_every_place(root: Path, bump_version: ModuleType, tmp_path: Path) -> None:
    for name in VERSIONED:
        shutil.copy(root / name, tmp_path / name)
    arguments = ["9.8.7-beta.6", "--date", "2031-02-03", "--root", str(tmp_path)]
    assert bump_version.main(arguments) == 0
    assert versions(tmp_path) == {"9.8.7-beta.6"}
    manifest = (tmp_path / "Cargo.toml").read_text("utf-8")
    assert bump_version.workspace_version(manifest) == "9.8.7-beta.6"
    changelog = (tmp_path / "CHANGELOG.md").read_text("utf-8")
    assert "## [Unreleased]\n\n## [9.8.7-beta.6] - 2031-02-03\n" in changelog


@pytest.mark.parametrize("version", ["1.2", "v1.2.3", "1.2.3-dev", "1.2.3b1", "1.2.3\n"])
def test_a_malformed_version_changes_nothing(
    root: Path,
    bump_version: ModuleType,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    version: str,
) -> None:
    for name in VERSIONED:
        shutil.copy(root / name, tmp_path / name)
    assert bump_version.main([version, "--root", str(tmp_path)]) == 1
    assert "is not a version" in capsys.readouterr().err
    for name in VERSIONED:
        assert (tmp_path / name).read_bytes() == (root / name).read_bytes()
