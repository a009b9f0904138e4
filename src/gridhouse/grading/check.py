"""The check of one program: sessions until one differs, and the shortest that differs so."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import TYPE_CHECKING

from gridhouse.core.registry import game_class
from gridhouse.core.sessions import END_OF_OUTPUT, Mistake, Reason, Session
from gridhouse.grading.compare import (
    Difference,
    Line,
    Profile,
    first_difference,
    lines_of,
    with_keys,
)
from gridhouse.grading.games import sessions_of
from gridhouse.grading.questions import order_of_questions, reorder
from gridhouse.grading.reference import transcript
from gridhouse.grading.shrink import SHORT, shrink

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from gridhouse.core.game import State
    from gridhouse.grading.games import Grading
    from gridhouse.grading.submissions import Output, Submission

    Judge = Callable[[Session, str], Mistake | None]

SESSIONS = 300
FIRST = 40  # sessions that are run from short to long, since a short one is soon shrunk
DRAWN = 180  # sessions of which the shortest are run
MORE = 60  # of these, in which a finding with fewer lines is looked for
TRIES = 3  # findings of these that are shrunk
OTHERS = 60  # sessions among which a shorter one is looked for
SLOW = 1.0  # seconds of a run, from which on shrinking gets few of them
FEW_RUNS = 10
TIMEOUT_RUNS = 2
MOST_SHRUNK = 4  # sessions of a program that take all the runs they may; then none is left


@dataclass(frozen=True)
class Finding:
    """A session in which a program differs from the document's, and where it does first.

    ``typed_lines`` are those that were typed before, in the order in which the program asks.
    """

    part: str
    session: Session
    actual: Output
    difference: Difference
    typed: int  # lines that were typed before the difference
    typed_lines: tuple[str, ...]
    reason: Reason
    passes_at: Profile | None  # the strictest profile under which the session would pass
    mistake: Mistake | None = None  # where the game's judge found it

    def state(self, grading: Grading) -> State | None:
        """Return the position before the last typed line, None where there is none."""
        if self.part and grading.PARTS[self.part].judge:
            return self.mistake.state if self.mistake else None
        return grading.state_at(self.session, max(0, self.typed - 1))

    @property
    def kind(self) -> tuple[str, str]:
        """The rule that was missed, and the failure in the place of a line, without its details."""
        failure = self.actual.failure if self.difference.actual is None else ""
        return self.reason.kind, failure.partition(":")[0]

    @property
    def failure(self) -> str:
        """How the program failed in this session, "" if it did not."""
        is_later = bool(self.actual.failure) and self.typed < len(self.session.lines)
        return "later in this session " * is_later + self.actual.failure

    @property
    def is_slow(self) -> bool:
        """Whether the run took so long that few more can be made."""
        return self.actual.timed_out or self.actual.seconds > SLOW


@dataclass
class Report:
    """The result of a check: the number of sessions run, and the findings.

    ``order`` is that of the program's questions where it is not the document's.
    """

    tried: int = 0
    order: tuple[str, ...] = ()
    finding: Finding | None = None
    unspecified: list[Finding] = field(default_factory=list)


class Check:
    """The check of one submission under one profile.

    With ``by_part`` a part compares only the lines that it is about, and goes on from the
    submission's own start, unless every byte counts.
    """

    def __init__(self, submission: Submission, profile: Profile, *, by_part: bool = False) -> None:
        """Find the order of the program's set-up questions, where the profile allows any."""
        self.cls = game_class(submission.game)
        self.grading = submission.grading
        self._is_marked = bool(self.grading.PROMPTS or self.grading.STATUS)
        self.submission = submission
        self.profile = profile
        self.by_part = by_part and profile.is_loose
        self._shrinking_left = MOST_SHRUNK * submission.shrinking_runs
        self.order = self.grading.SETUP
        if self.order and profile.is_loose:
            _, session = next(sessions_of(self.grading, 1, "questions"))
            self.order = order_of_questions(self.grading, submission, session)

    def compare(self, part: str, session: Session) -> Finding | None:
        """Run a session and return its first difference, None where there is none.

        Where nothing marks the end of an answer, a line may have been printed before the last line
        was typed; the session without that line tells.
        """
        finding = self._compare(part, session)
        if finding is None or self._is_marked or finding.state(self.grading) is None:
            return finding
        shorter = finding.session._replace(lines=finding.session.lines[: finding.typed - 1])
        return self.compare(part, shorter) or finding

    def _compare(self, part: str, session: Session) -> Finding | None:
        asked, actual = self._run(session)
        about = self.grading.PARTS.get(part)
        if about is not None and about.judge is not None:
            return self._judged(part, session, actual, about.judge)
        if about is not None and about.follow is not None and self.by_part:
            lines = [line.key for line in lines_of(actual.text, Profile.COURSE, self.grading)]
            other = about.follow(session, lines)
            if other is not None:
                session = other
                asked, actual = self._run(session)
        expected = transcript(self.cls, session)
        wanted, got = self._lines(part, session, expected.text, actual.text, self.profile)
        difference = first_difference(wanted, got)
        if difference is not None and difference.actual is None and self.by_part:
            instead = self._in_place_of(difference.expected, expected.text, actual.text)
            difference = difference._replace(actual=instead)
        if difference is None and not actual.failure:
            return None
        difference = difference or Difference(len(wanted), None, None)
        wrong = difference.expected
        typed = expected.typed_before(wrong.offset if wrong else len(expected.text))
        return Finding(
            part,
            session,
            actual,
            difference,
            typed,
            asked.lines[:typed],
            self._reason(session, typed, wrong),
            None if actual.failure else self._passes_at(part, session, expected.text, actual.text),
        )

    def _run(self, session: Session) -> tuple[Session, Output]:
        """Return the session in the program's own order of questions, and its output."""
        asked = reorder(self.grading, session, self.order)
        return asked, self.submission.run(asked)

    def _in_place_of(self, wanted: Line | None, expected: str, actual: str) -> Line | None:
        """Return the line of another kind that stands where one is missing, None if none does."""
        pair = [lines_of(text, self.profile, self.grading) for text in (expected, actual)]
        plain = first_difference(*pair)
        if plain is None or plain.expected is None or wanted is None:
            return None
        return plain.actual if plain.expected.offset == wanted.offset else None

    def _reason(self, session: Session, typed: int, wrong: Line | None) -> Reason:
        if wrong is None and self._is_marked:
            return END_OF_OUTPUT
        return self.grading.explain(session, typed, wrong.text if wrong else "")

    def _judged(self, part: str, session: Session, actual: Output, judge: Judge) -> Finding | None:
        """Return the first mistake that a game's own judge finds in an output."""
        mistake = judge(session, actual.text)
        if mistake is not None:
            pair = (Line(text, text, 0) for text in (mistake.wanted, mistake.printed))
            difference, typed, reason = Difference(0, *pair), mistake.typed, mistake.reason
        elif actual.failure:
            difference, typed, reason = Difference(0, None, None), len(session.lines), END_OF_OUTPUT
        else:
            return None
        if mistake is not None and mistake.session is not None:
            session = mistake.session
        lines = session.lines[:typed]
        return Finding(part, session, actual, difference, typed, lines, reason, None, mistake)

    def _lines(
        self, part: str, session: Session, expected: str, actual: str, profile: Profile
    ) -> tuple[list[Line], list[Line]]:
        """Return the lines of two outputs that are compared; questions in another order are not."""
        view = self.grading.PARTS[part].view if self.by_part and profile.is_loose else None
        pair = []
        for text in (expected, actual):
            lines = lines_of(text, profile, self.grading)
            if self.order != self.grading.SETUP:
                lines = [line for line in lines if line.key.strip("<>") not in self.order]
            if view is not None:
                lines = with_keys(lines, view(session, [line.key for line in lines]))
            pair.append(lines)
        return pair[0], pair[1]

    def _passes_at(self, part: str, session: Session, expected: str, actual: str) -> Profile | None:
        for profile in Profile:
            wanted, got = self._lines(part, session, expected, actual, profile)
            if first_difference(wanted, got) is None:
                return profile
        return None

    def shrunk(self, finding: Finding) -> Finding:
        """Return the finding of the shortest session that misses the same rule the same way."""
        smallest = finding

        def may_fail(session: Session) -> bool:
            return any(True for _ in self._typed_where(finding, session))

        def fails(session: Session) -> bool:
            nonlocal smallest
            self._shrinking_left -= 1
            try:
                found = self.compare(finding.part, session)
            except (ValueError, LookupError):  # it is no session of this game
                return False
            if found is None or found.kind != finding.kind:
                return False
            smallest = found
            return True

        # Steps far apart, so that the same program gets the same runs.
        runs = FEW_RUNS if finding.is_slow else self.submission.shrinking_runs
        if finding.actual.timed_out:
            runs = TIMEOUT_RUNS
        runs = min(runs, self._shrinking_left)
        shrink(self.grading, finding.session, fails, runs, may_fail, self._others(finding))
        return smallest

    def shortest(self, finding: Finding, pairs: Iterable[tuple[str, Session]]) -> Finding:
        """Return a finding, or one in the shortest of these that is shown in fewer lines."""
        tries = 0
        if len(finding.session.lines) <= SHORT or finding.is_slow:
            return finding
        for part, session in sorted(pairs, key=lambda pair: _length(pair[1]))[:MORE]:
            if len(finding.session.lines) <= SHORT or tries == TRIES:
                break
            about = self.grading.PARTS[part]
            other = self.compare(part, session) if about.points and not about.extra else None
            if other is not None and (
                other.kind != finding.kind or other.typed < 2 * len(finding.session.lines)
            ):
                tries += 1
                finding = min(finding, self.shrunk(other), key=lambda one: len(one.session.lines))
        return finding

    def _others(self, finding: Finding) -> Iterator[Session]:
        """Yield other sessions up to each line that comes to the rule that was missed."""
        for _, other in sessions_of(self.grading, OTHERS, "others", [finding.part]):
            for typed in sorted(set(self._typed_where(finding, other))):
                yield other._replace(lines=other.lines[:typed])

    def _typed_where(self, finding: Finding, session: Session) -> Iterator[int]:
        """Yield how many lines are typed where a session comes to the rule that was missed.

        That takes no run.  Where it cannot be told, yield the number of all lines.
        """
        if finding.mistake is not None or finding.difference.expected is None:
            yield len(session.lines)
            return
        try:
            expected = transcript(self.cls, session)
        except (ValueError, LookupError):  # it is no session of this game
            return
        wanted, _ = self._lines(finding.part, session, expected.text, "", self.profile)
        for line in reversed(wanted):
            typed = expected.typed_before(line.offset)
            with suppress(ValueError, LookupError):  # it depends on a choice that is not known
                if self.grading.explain(session, typed, line.text).kind == finding.reason.kind:
                    yield typed


def _length(session: Session) -> tuple[int, int]:
    """Return the length of a session: in lines, then in characters of its calls."""
    return len(session.lines), sum(map(len, session.calls))


def check(
    submission: Submission,
    profile: Profile = Profile.COURSE,
    sessions: int = SESSIONS,
    seed: str = "0",
    parts: Collection[str] = (),
    progress: Callable[[int], None] = lambda _: None,
) -> Report:
    """Run sessions of these parts, or of all, until one differs, and shrink that one.

    Where parts are chosen, each compares only the lines that it is about.  The first sessions are
    run from short to long, those that cost no marks last.  Where a shrunk session is still long, a
    shorter one is looked for in some more sessions.  Differences where the document is silent are
    reported once each and do not end the check.  One in an extra part is the finding only where
    there is no other.
    """
    runs = Check(submission, profile, by_part=bool(parts))
    grading = submission.grading
    report = Report(order=runs.order if runs.order != grading.SETUP else ())
    silent: set[tuple[str, str]] = set()
    extra: Finding | None = None
    generated = sessions_of(grading, sessions, seed, parts)
    first = sorted(
        islice(generated, FIRST),
        key=lambda pair: (not grading.PARTS[pair[0]].points, _length(pair[1])),
    )
    pairs = chain(first, generated)
    for part, session in pairs:
        report.tried += 1
        progress(report.tried)
        finding = runs.compare(part, session)
        about = grading.PARTS[part]
        if finding is None or (not about.points and finding.kind in silent):
            continue
        if about.extra:
            extra = extra or finding
            continue
        finding = runs.shrunk(finding)
        if about.points:
            drawn = sessions_of(grading, DRAWN, f"{seed}/shorter", parts)
            report.finding = runs.shortest(finding, drawn)
            return report
        silent.add(finding.kind)
        report.unspecified.append(finding)
    if extra is not None:
        report.finding = runs.shrunk(extra)
    return report
