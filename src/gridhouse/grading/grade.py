"""The grade of one submission: all sessions of a rubric, the shares passed, and the faults."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gridhouse.grading.check import Check
from gridhouse.grading.games import sessions_of
from gridhouse.grading.grades import Fault, Grade, PartGrade
from gridhouse.grading.rubric import Credit
from gridhouse.grading.text import calls_of, order_note, pair_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gridhouse.core.sessions import Session
    from gridhouse.grading.check import Finding
    from gridhouse.grading.games import Grading
    from gridhouse.grading.rubric import PartRubric, Rubric
    from gridhouse.grading.submissions import Submission

MOST_TIMEOUTS = 3  # of a part: what is left of it is not run
MOST_IN_ROW = 5  # one after the other: nothing more is run
MOST_FAULTS = 3  # of a part that are shrunk and shown


@dataclass
class _Tally:
    """The sessions of a part so far; the two numbers of a pair are of known and hidden ones."""

    passed: list[int] = field(default_factory=lambda: [0, 0])
    total: list[int] = field(default_factory=lambda: [0, 0])
    timeouts: int = 0
    skipped: int = 0
    first: dict[tuple[str, str], tuple[Finding, bool]] = field(default_factory=dict)
    counts: dict[tuple[str, str], int] = field(default_factory=dict)

    def note(self, finding: Finding, *, is_hidden: bool) -> None:
        """Count a session that differs; the first one of its kind stands for the others."""
        self.counts[finding.kind] = self.counts.get(finding.kind, 0) + 1
        self.first.setdefault(finding.kind, (finding, is_hidden))


def sessions(rubric: Rubric) -> Iterator[tuple[bool, str, Session]]:
    """Yield all sessions of a rubric: whether it is hidden, its part, and the session."""
    grading = rubric.grading
    for part, session in sessions_of(grading, rubric.sessions, rubric.seed, rubric.parts):
        yield False, part, session
    hidden = rubric.hidden_sessions, rubric.hidden_seed
    for part, session in sessions_of(grading, *hidden, rubric.parts):
        yield True, part, session


def grade(submission: Submission, rubric: Rubric, name: str) -> Grade:
    """Run all sessions of a rubric with a submission and return its grade.

    Where a part has timed out three times, or the program five times one after the other, what is
    left is not run and has not passed.
    """
    runs = Check(submission, rubric.profile, by_part=True)
    tallies = {part: _Tally() for part in rubric.parts}
    crashes = timeouts = in_row = 0
    for is_hidden, part, session in sessions(rubric):
        tally = tallies[part]
        tally.total[is_hidden] += 1
        if in_row == MOST_IN_ROW or tally.timeouts == MOST_TIMEOUTS:
            tally.skipped += 1
            continue
        finding = runs.compare(part, session)
        if finding is None:
            tally.passed[is_hidden] += 1
            in_row = 0
            continue
        tally.note(finding, is_hidden=is_hidden)
        timed_out = finding.actual.timed_out
        in_row = in_row + 1 if timed_out else 0
        tally.timeouts += timed_out
        timeouts += timed_out
        crashes += bool(finding.actual.failure) and not timed_out
    skipped = sum(tally.skipped for tally in tallies.values())
    notes = [order_note(runs.order, runs.grading.SETUP)] * (runs.order != runs.grading.SETUP)
    if skipped:
        notes.append(f"{skipped} sessions were not run, since the program took too long before.")
    shrunk: dict[tuple[str, str], Finding] = {}
    parts = tuple(
        _part_grade(runs, part, rubric.parts[part], tally, shrunk)
        for part, tally in tallies.items()
    )
    return Grade(name, rubric.game, parts, "", tuple(notes), crashes, timeouts)


def ungraded(rubric: Rubric, name: str, problem: str, notes: tuple[str, ...] = ()) -> Grade:
    """Return the grade, without points, of a submission that could not be run."""
    about = rubric.grading.PARTS
    parts = tuple(
        PartGrade(part, about[part].about, 0.0, worth.points, 0, 0, 0, 0, (), worth.extra)
        for part, worth in rubric.parts.items()
    )
    return Grade(name, rubric.game, parts, problem, notes)


def _part_grade(
    runs: Check,
    name: str,
    rubric: PartRubric,
    tally: _Tally,
    shrunk: dict[tuple[str, str], Finding],
) -> PartGrade:
    """Return the grade of a part; a fault that other parts have met is not shrunk again."""
    passed, total = sum(tally.passed), sum(tally.total)
    share = passed / total
    if rubric.credit is Credit.ALL:
        share = float(passed == total)
    faults = []
    for kind in sorted(tally.first, key=lambda kind: -tally.counts[kind])[:MOST_FAULTS]:
        finding, is_hidden = tally.first[kind]
        if is_hidden or kind not in shrunk:
            finding = runs.shrunk(finding)
            if not is_hidden:
                shrunk[kind] = finding
        else:
            finding = shrunk[kind]
        faults.append(_fault(runs.grading, finding, tally.counts[kind], is_hidden=is_hidden))
    return PartGrade(
        name,
        runs.grading.PARTS[name].about,
        round(rubric.points * share, 2),
        rubric.points,
        tally.passed[False],
        tally.total[False],
        tally.passed[True],
        tally.total[True],
        tuple(faults),
        rubric.extra,
    )


def _fault(grading: Grading, finding: Finding, count: int, *, is_hidden: bool) -> Fault:
    """Return the fault that a finding shows."""
    session = finding.session
    state = finding.state(grading)
    return Fault(
        finding.reason.kind,
        finding.reason.text,
        finding.reason.section,
        count,
        is_hidden,
        finding.failure,
        session.arguments,
        session.files,
        calls_of(session),
        finding.typed_lines,
        *pair_of(finding),
        finding.actual.text,
        "" if state is None else state.board(),
        "" if state is None else state.open_picture().svg(),
        finding.actual.errors,
    )
