"""Run conformance vectors and print what differs.

    python tests-py/conformance/run.py --face sync --kind arguments
    python tests-py/conformance/run.py --id 'state/url/*' --records
    python tests-py/conformance/run.py --module openai

Ids may be patterns. Without ``--face``, ``--kind`` or ``--form`` all of them run. With
``--module openai`` the published package itself is run and held to its own records, which
tests this harness. Exits with 1 when a vector fails or a known gap passes.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from fnmatch import fnmatchcase
from pathlib import Path

# pytest and the checkers are configured with this directory; a plain script is not.
sys.path.insert(0, str(Path(__file__).parents[1]))

from conformance.harness.data import KINDS, Vector, gap_ids, load_gaps, load_vectors
from conformance.harness.execute import CALL_FORMS, PYTHON_FACES, Package
from conformance.harness.report import Report, judge


def main() -> int:
    options = parse_options()
    oracle = options.module == "openai"
    # As under pytest: a warning of the package under test is an error. The published package
    # warns about calls whose fields its own model does not allow.
    warnings.simplefilter("ignore" if oracle else "error")
    package = Package.load(options.module)
    gaps = [] if oracle else load_gaps()
    patterns: list[str] = options.id or ["*"]

    failed = False
    for kind in options.kind or KINDS:
        vectors = [vector for vector in load_vectors(kind) if wanted(vector, patterns)]
        if not vectors:
            continue
        for face in PYTHON_FACES:
            if options.face not in (None, face.removeprefix("python-")):
                continue
            # The published package takes its own objects only.
            for form in CALL_FORMS if not oracle else ("openai",):
                if options.form not in (None, form):
                    continue
                report = judge(
                    vectors,
                    package,
                    face,
                    form,
                    gaps=gap_ids(gaps, face),
                    advice=options.record or ("python" if oracle else "recommend"),
                )
                failed = failed or not report.passed
                print(f"{kind} {face} {form}: {report.text(options.show)}")
                if options.records:
                    print_records(report)
    return 1 if failed else 0


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--module", default="swingbridge", help="the package under test")
    parser.add_argument("--face", choices=["sync", "async"])
    parser.add_argument("--kind", choices=KINDS, action="append")
    parser.add_argument("--id", action="append", help="an id or a pattern such as 'state/url/*'")
    parser.add_argument("--form", choices=CALL_FORMS, help="how the call is handed over")
    parser.add_argument("--record", choices=["recommend", "python", "node"])
    parser.add_argument("--show", type=int, default=20, help="failures shown in detail")
    parser.add_argument("--records", action="store_true", help="print scenario and both records")
    return parser.parse_args()


def wanted(vector: Vector, patterns: list[str]) -> bool:
    return any(fnmatchcase(vector.id, pattern) for pattern in patterns)


def print_records(report: Report) -> None:
    for failure in report.failures + report.known:
        print(f"\n{failure.vector.id}")
        print(f"    input    {json.dumps(failure.vector.input)}")
        print(f"    expected {json.dumps(failure.expected)}")
        print(f"    got      {json.dumps(failure.actual, default=repr)}")


if __name__ == "__main__":
    sys.exit(main())
