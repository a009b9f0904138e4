"""The command ``gridhouse audit``: what a course's own tests expect wrongly, and what they miss."""

from __future__ import annotations

import math
import random
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from gridhouse.core.console import UsageError
from gridhouse.core.registry import game_class
from gridhouse.core.sessions import END_OF_OUTPUT, Reason, Session
from gridhouse.grading.case_files import Answer, Case, read_calls, read_cases, write_cases
from gridhouse.grading.check import Check, Finding
from gridhouse.grading.compare import Difference, Profile
from gridhouse.grading.games import grading_of
from gridhouse.grading.mutants import Mutant, mutants, write_program
from gridhouse.grading.reference import Transcript, transcript
from gridhouse.grading.submissions import PythonSubmission, Submission
from gridhouse.grading.text import finding_lines, printed
from gridhouse.sandbox import Limits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gridhouse.grading.compare import Line
    from gridhouse.grading.games import Grading

HAS_GAPS = 1
RUNS = 4  # of the exact program, to see which answers depend on chance
DRAWN = "genmove"  # the command that plays a move by chance; it is explained as that move
BY_CHANCE = Reason("chance", "the answer depends on chance", "")


class Options(NamedTuple):
    """The options of an audit."""

    arguments: str
    call: str
    seed: float
    seconds: float
    require_sandbox: bool
    write: str


class Wrong(NamedTuple):
    """An expectation that the exact program does not meet: where, after which typed line, and why.

    The reason is None where the session is none of which the game can explain a line.
    """

    case: Case
    number: int
    typed: str
    difference: Difference
    reason: Reason | None


@dataclass
class Audit:
    """The wrong expectations, and the planted faults that the tests miss, each with a session."""

    expectations: int = 0
    wrong: list[Wrong] = field(default_factory=list)
    found: int = 0
    missed: list[tuple[Mutant, Finding]] = field(default_factory=list)


def audit_command(game: str, path: Path, options: Options) -> int:
    """Audit tests and print the report; return 0 where they are right and miss no fault, else 1.

    Raises UsageError for tests that cannot be read or run, and GridhouseError.
    """
    calls, _ = read_calls(game, options.call, "--call")
    default = Session((), tuple(options.arguments.split()), calls=calls, seed=options.seed)
    cases = read_cases(game, path, default)
    result = audit(game, cases, options)
    print(audit_text(result, grading_of(game)), end="")
    if options.write and result.missed:
        sessions = {mutant.name: finding.session for mutant, finding in result.missed}
        write_cases(game, Path(options.write), sessions, cases[0].status)
        print(f"\nThe tests that find them are written to {options.write}.")
    return HAS_GAPS if result.wrong or result.missed else 0


def audit(game: str, cases: list[Case], options: Options) -> Audit:
    """Return what is wrong with tests; raises UsageError where the exact program cannot run them.

    A planted fault is found where a test fails that is right, or has been put right.  A fault
    without a session that is known to show it counts only if the tests find it.
    """
    result = Audit(sum(len(case.answers) for case in cases))
    with _program(game, options) as program:
        tests = [_put_right(program, case, result.wrong) for case in cases]
    planted = mutants().get(game, [])
    shows_progress = sys.stderr.isatty()
    for number, mutant in enumerate(planted, 1):
        if shows_progress:
            print(f"\rfault {number} of {len(planted)}", end="", file=sys.stderr, flush=True)
        with _program(game, options, (mutant.old, mutant.new)) as program:
            if any(_fails(program, test) for test in tests):
                result.found += 1
            elif mutant.found is not None:
                finding = Check(program, Profile.COURSE).compare("", mutant.found)
                if finding is not None:
                    result.missed.append((mutant, replace(finding, passes_at=None)))
    if shows_progress:
        print("\r\033[K", end="", file=sys.stderr)
    return result


@contextmanager
def _program(game: str, options: Options, *replaced: tuple[str, str]) -> Iterator[Submission]:
    """Run the exact program, with these texts replaced, as a submission."""
    limits = Limits(wall=options.seconds, cpu=options.seconds)
    with TemporaryDirectory() as folder:
        script = write_program(Path(folder), game, *replaced)
        with PythonSubmission(game, script, limits, require=options.require_sandbox) as program:
            yield program


class _Test(NamedTuple):
    """A case that has been put right; None stands for answers that depend on chance."""

    case: Case
    answers: list[Answer | None]


def _fails(program: Submission, test: _Test) -> bool:
    output = program.run(test.case.session)
    given = test.case.split(output.text, program.grading)
    return bool(output.failure) or any(
        answer is not None and answer.difference(lines) is not None
        for answer, lines in zip(test.answers, given, strict=True)
    )


def _put_right(program: Submission, case: Case, wrong: list[Wrong]) -> _Test:
    """Return a test with the exact program's answers, and add what was wrong to a list."""
    grading, name = program.grading, repr(str(case.path))
    outputs = [program.run(case.session) for _ in range(RUNS)]
    for output in outputs:
        if output.failure:
            raise UsageError(f"{name}: the exact program cannot do this: {output.failure}")
    random.seed(0)  # the same moves by chance in every audit
    exact = transcript(game_class(program.game), case.session)
    if exact.status:
        raise UsageError(f"{name}: the exact program refuses the arguments or the input")
    shown = _shown(case, exact, grading)
    given, *others = (
        case.split(text, grading) for text in (exact.text, *(output.text for output in outputs))
    )
    answers: list[Answer | None] = []
    for at, lines in enumerate(case.split(shown.text, grading)):
        answer = case.answers[at]
        difference = answer.difference(lines)
        right = answer if answer.pattern and difference is None else Answer(given[at])
        by_chance = next((other[at] for other in others if right.difference(other[at])), None)
        answers.append(right if by_chance is None else None)
        if difference is None and by_chance is not None:
            difference = answer.difference(by_chance)
        if difference is None:
            continue
        line = difference.actual
        offset = line.offset if line else len(shown.text)
        typed = at + 1 if case.status else shown.typed_before(offset)
        reason = _reason(grading, case.session, given, typed, line)
        if by_chance is not None:
            reason = BY_CHANCE
        command = case.session.lines[typed - 1] if typed else ""
        wrong.append(Wrong(case, case.number(at, difference), command, difference, reason))
    return _Test(case, answers)


def _shown(case: Case, exact: Transcript, grading: Grading) -> Transcript:
    """Return a transcript as the case has it: what is typed stands in its output, or does not."""
    if case.status:
        return exact

    def agrees(one: Transcript) -> float:
        difference = case.answers[0].difference(case.split(one.text, grading)[0])
        return math.inf if difference is None else difference.at

    return max(exact, echoed(exact, case.session), key=agrees)


def echoed(exact: Transcript, session: Session) -> Transcript:
    """Return a transcript with the typed lines in it, as a terminal shows them."""
    text, last = "", 0
    reads = []
    for read, line in zip(exact.reads, session.lines, strict=False):
        text += exact.text[last:read]
        reads.append(len(text))
        text += line + "\n"
        last = read
    return Transcript(text + exact.text[last:], tuple(reads), exact.status)


def _reason(
    grading: Grading, session: Session, given: list[list[Line]], typed: int, line: Line | None
) -> Reason | None:
    if line is None:
        return END_OF_OUTPUT
    typed_lines = list(session.lines)
    for at, answer in enumerate(given[: typed - 1]):
        if typed_lines[at] == DRAWN and answer:
            typed_lines[at] = f"play {answer[0].key}"
    session = session._replace(lines=tuple(typed_lines))
    try:
        return grading.explain(session, typed, line.text)
    except (ValueError, LookupError):  # it is none of the game's sessions
        return None


def audit_text(result: Audit, grading: Grading) -> str:
    """Return the report of an audit."""
    were = "expectation was" if result.expectations == 1 else "expectations were"
    lines = [f"{result.expectations} {were} checked: {len(result.wrong) or 'none'} wrong.", ""]
    for wrong in result.wrong:
        after = f", after {wrong.typed!r}" if wrong.typed else ""
        lines += [
            f"{wrong.case.path}, line {wrong.number}{after}:",
            f"Expected there: {printed(wrong.difference.expected)}",
            f"Exact program:  {printed(wrong.difference.actual)}",
        ]
        if wrong.reason:
            section = f" ({wrong.reason.section})" if wrong.reason.section else ""
            lines.append(f"Why: {wrong.reason.text}{section}")
        lines.append("")
    planted = result.found + len(result.missed)
    lines.append(f"Of {planted} planted faults the tests find {result.found}.")
    for number, (mutant, finding) in enumerate(result.missed, 1):
        lines += ["", f"Missed, {number}: {mutant.name}. This shows it:"]
        lines += finding_lines(finding, grading, Profile.COURSE)
    return "\n".join(lines) + "\n"
