"""The cost of `import swingbridge`, as the set of modules that it brings in (P-3)."""

from __future__ import annotations

import json
import subprocess
import sys

# Clients, models, event loops and networking: a program that never uses them must not pay for them.
TOO_HEAVY = {
    "asyncio",
    "concurrent.futures",
    "email",
    "http",
    "httpx",
    "importlib.metadata",
    "logging",
    "multiprocessing",
    "openai",
    "playwright",
    "pydantic",
    "pydantic_core",
    "requests",
    "socket",
    "sqlite3",
    "ssl",
    "typing_extensions",
    "unittest",
    "urllib.request",
    "xml",
}


def modules_after(statement: str) -> set[str]:
    program = f"import json, sys; before = set(sys.modules); {statement}; print(json.dumps(sorted(set(sys.modules) - before)))"
    # -S: site-packages may hold .pth files that import things by themselves.
    done = subprocess.run(
        [sys.executable, "-S", "-c", program],
        env={"PYTHONPATH": next(path for path in sys.path if path.endswith("site-packages"))},
        check=True,
        capture_output=True,
        text=True,
    )
    return set(json.loads(done.stdout))


def test_importing_the_package_brings_in_nothing_heavy() -> None:
    assert modules_after("import swingbridge") & TOO_HEAVY == set()


def test_the_probe_sees_what_a_heavy_import_brings_in() -> None:
    assert {"asyncio", "ssl"} <= modules_after("import asyncio, ssl") & TOO_HEAVY
