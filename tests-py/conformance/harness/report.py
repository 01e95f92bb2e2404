"""Judges a list of vectors: which fail, which are known to, and which no longer do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from .compare import differences
from .data import Advice, CallForm, Record, Vector
from .execute import Face, Package, run_vector


@dataclass(frozen=True)
class Failure:
    """A vector whose record is none of the accepted ones."""

    vector: Vector
    expected: Record
    actual: Record
    differences: list[str]


@dataclass
class Report:
    """The verdict over some vectors on one face."""

    total: int = 0
    failures: list[Failure] = field(default_factory=list[Failure])
    known: list[Failure] = field(default_factory=list[Failure])
    closed_gaps: list[str] = field(default_factory=list[str])

    @property
    def passed(self) -> bool:
        return not self.failures and not self.closed_gaps

    def text(self, shown: int = 20) -> str:
        """The verdict for a developer: every failing id, the first ``shown`` in detail."""
        passing = self.total - len(self.failures) - len(self.known)
        counts = f"{len(self.failures)} fail, {len(self.known)} are known gaps"
        lines = [f"{passing} of {self.total} vectors pass, {counts}"]
        for failure in self.failures[:shown]:
            lines.append(f"\n{failure.vector.id} ({failure.vector.recommend or 'agree'})")
            lines += [f"    {difference}" for difference in failure.differences]
        if len(self.failures) > shown:
            lines.append(f"\nand {len(self.failures) - shown} more:")
            lines += [f"    {failure.vector.id}" for failure in self.failures[shown:]]
        if self.closed_gaps:
            lines.append("\nknown gaps that pass now; take them out of known_gaps.json:")
            lines += [f"    {name}" for name in self.closed_gaps]
        return "\n".join(lines)


def judge(
    vectors: Iterable[Vector],
    package: Package,
    face: Face,
    form: CallForm,
    *,
    gaps: frozenset[str] = frozenset(),
    advice: Advice = "recommend",
) -> Report:
    """Run ``vectors`` and compare each record with the one that counts."""
    report = Report()
    for vector in vectors:
        report.total += 1
        record = run_vector(vector, package, face, form)
        failure = check(record, vector, vector.accepted(advice, form))
        if failure is None:
            if vector.id in gaps:
                report.closed_gaps.append(vector.id)
        elif vector.id in gaps:
            report.known.append(failure)
        else:
            report.failures.append(failure)
    return report


def check(actual: Record, vector: Vector, accepted: list[Record]) -> Failure | None:
    """``None`` if ``actual`` is an accepted record, else the nearest accepted one."""
    failures: list[Failure] = []
    for expected in accepted:
        found = differences(expected, actual)
        if not found:
            return None
        failures.append(Failure(vector, expected, actual, found))
    return min(failures, key=lambda failure: len(failure.differences))
