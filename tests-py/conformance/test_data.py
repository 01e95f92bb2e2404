"""The loaded data: vectors, the record that counts, known gaps, tagged values."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conformance.harness.data import CONFORMANCE, KINDS, load_gaps, load_vectors, parse_vector
from conformance.harness.tags import DictSubclass, ListSubclass, StrSubclass, untag


class TestData:
    def test_ids_are_unique_and_the_readme_counts_them(self) -> None:
        ids = [vector.id for kind in KINDS for vector in load_vectors(kind)]
        assert len(set(ids)) == len(ids)
        readme = (CONFORMANCE / "README.md").read_text(encoding="utf-8")
        rows = re.findall(r"^\| (\w+) \| (\d+) \|", readme, re.MULTILINE)
        assert {kind: int(count) for kind, count in rows} == {
            kind: len(load_vectors(kind)) for kind in KINDS
        }

    def test_every_vector_names_a_record(self) -> None:
        for kind in KINDS:
            for vector in load_vectors(kind):
                assert vector.kind == kind
                assert vector.accepted()

    def test_importing_the_imported_files_changes_nothing(self, tmp_path: Path) -> None:
        script = CONFORMANCE / "import_vectors.py"
        source = CONFORMANCE / "vectors"
        command = [sys.executable, str(script), str(source), "--to", str(tmp_path)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        for kind in KINDS:
            name = f"{kind}.jsonl"
            assert (tmp_path / name).read_bytes() == (source / name).read_bytes()

    @pytest.mark.parametrize(
        ("recommend", "expected"),
        [
            ("python", ["p"]),
            ("node", ["n"]),
            ("host", ["p"]),
            ("either", ["p", "n"]),
            (None, ["p"]),
            ("mixed", ["m"]),
        ],
    )
    def test_the_record_that_counts(self, recommend: str | None, expected: list[str]) -> None:
        vector = parse_vector(line(recommend, mixed={"who": "m"}))
        assert [record["who"] for record in vector.accepted()] == expected

    def test_advice_without_a_record_is_an_error(self) -> None:
        for advice in ("mixed", "both"):
            with pytest.raises(ValueError, match=advice):
                parse_vector(line(advice)).accepted()


def line(recommend: str | None, **fields: Any) -> str:
    vector = {
        "id": "toy",
        "kind": "read",
        "input": {},
        "python": {"who": "p"},
        "node": {"who": "n"},
        "agree": recommend is None,
        **fields,
    }
    return json.dumps(vector if recommend is None else {**vector, "recommend": recommend})


class TestGaps:
    def test_every_listed_gap_is_a_vector(self) -> None:
        ids = {vector.id for kind in KINDS for vector in load_vectors(kind)}
        assert {gap.id for gap in load_gaps()} <= ids

    @pytest.mark.parametrize(
        "entries",
        [
            [{"id": "a", "faces": ["node"]}],
            [{"id": "a", "faces": ["node"], "reason": "r", "until": "soon"}],
            [{"id": "a", "faces": ["node"], "reason": " "}],
            [{"id": "a", "faces": [], "reason": "r"}],
            [{"id": "a", "faces": ["python"], "reason": "r"}],
            [{"id": "a", "faces": ["node"], "reason": "r"}] * 2,
        ],
    )
    def test_a_malformed_list_is_refused(
        self, entries: list[dict[str, Any]], tmp_path: Path
    ) -> None:
        path = tmp_path / "known_gaps.json"
        path.write_text(json.dumps(entries), encoding="utf-8")
        with pytest.raises(ValueError, match=r"gap|faces|twice"):
            load_gaps(path)


class TestTags:
    def test_text(self) -> None:
        assert untag({"$utf16": [0xD83D, 0xDE00, 0xD800]}) == "\U0001f600\ud800"
        assert untag({"$concat": ["a", {"$repeat": ["bc", 2]}]}) == "abcbc"

    def test_undefined_leaves_a_field_out(self) -> None:
        assert untag({"a": {"$undefined": True}, "b": [{"$undefined": True}]}) == {"b": [None]}

    @pytest.mark.parametrize(
        ("kind", "value", "expected"),
        [
            ("str_subclass", "x", StrSubclass("x")),
            ("dict_subclass", {"a": 1}, DictSubclass(a=1)),
            ("list_subclass", [1], ListSubclass([1])),
            ("tuple", [1], (1,)),
            ("bytes", "x", b"x"),
        ],
    )
    def test_host_types(self, kind: str, value: object, expected: object) -> None:
        made = untag({"$host": kind, "value": value})
        assert made == expected
        assert type(made) is type(expected)
