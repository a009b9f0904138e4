"""A class in numbers: the distribution of points, marks by part, and rules that are missed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from statistics import fmean, median
from typing import TYPE_CHECKING

from gridhouse.grading.reports.feedback import out_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gridhouse.grading.grades import Fault, Grade
    from gridhouse.grading.rubric import Rubric

BINS = 10


@dataclass(frozen=True)
class PartSummary:
    """A part over a class: the mean of its points, and the share of submissions with all."""

    name: str
    about: str
    out_of: float
    is_extra: bool
    mean: float
    full: float


@dataclass(frozen=True)
class MissedRule:
    """A rule that submissions miss: its most frequent fault, submissions and sessions."""

    example: Fault
    submissions: int
    sessions: int


@dataclass(frozen=True)
class Summary:
    """A class in numbers; ``bins`` are the numbers of submissions in equal ranges up to ``top``."""

    count: int
    out_of: float
    mean: float
    median: float
    full: int
    crashed: int
    timed_out: int
    problems: int
    top: float
    bins: tuple[int, ...]
    parts: tuple[PartSummary, ...]
    missed: tuple[MissedRule, ...]
    silent: tuple[MissedRule, ...]


def summarize(grades: Sequence[Grade], rubric: Rubric) -> Summary:
    """Return a class in numbers; a submission that could not be run has no points."""
    most = out_of(rubric)
    values = [grade.points for grade in grades]
    top = max([most, *values]) or 1.0
    counted = Counter(min(int(value / top * BINS), BINS - 1) for value in values)
    return Summary(
        count=len(grades),
        out_of=most,
        mean=fmean(values) if values else 0.0,
        median=median(values) if values else 0.0,
        full=sum(value >= most for value in values),
        crashed=sum(grade.crashes > 0 for grade in grades),
        timed_out=sum(grade.timeouts > 0 for grade in grades),
        problems=sum(bool(grade.problem) for grade in grades),
        top=top,
        bins=tuple(counted[number] for number in range(BINS)),
        parts=_parts(grades),
        missed=_missed(grades, has_points=True),
        silent=_missed(grades, has_points=False),
    )


def _parts(grades: Sequence[Grade]) -> tuple[PartSummary, ...]:
    named: dict[str, PartSummary] = {}
    for part in (part for grade in grades for part in grade.parts if part.out_of):
        if part.name in named:
            continue
        same = [other for grade in grades for other in grade.parts if other.name == part.name]
        named[part.name] = PartSummary(
            part.name,
            part.about,
            part.out_of,
            part.is_extra,
            sum(other.points for other in same) / len(grades),
            sum(other.points >= other.out_of for other in same) / len(grades),
        )
    return tuple(named.values())


def _missed(grades: Sequence[Grade], *, has_points: bool) -> tuple[MissedRule, ...]:
    """Return the rules that are missed, those of most submissions first."""
    found: dict[tuple[str, str], list[tuple[int, Fault]]] = {}
    for number, grade in enumerate(grades):
        for part in grade.parts:
            if bool(part.out_of) is has_points:
                for fault in part.faults:
                    seen = found.setdefault((fault.kind, fault.section), [])
                    seen.append((number, fault))
    rules = [
        MissedRule(
            max((fault for _, fault in seen), key=lambda fault: fault.count),
            len({number for number, _ in seen}),
            sum(fault.count for _, fault in seen),
        )
        for seen in found.values()
    ]
    return tuple(sorted(rules, key=lambda rule: (-rule.submissions, -rule.sessions)))
