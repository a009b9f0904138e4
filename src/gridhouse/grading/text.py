"""Outputs and faults as lines of text, and the report of a check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gridhouse.grading.compare import ABOUT, Profile
from gridhouse.reporting.text import harmless

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gridhouse.core.sessions import Session
    from gridhouse.grading.check import Finding, Report
    from gridhouse.grading.compare import Line
    from gridhouse.grading.games import Grading

BLANK = "·"
TAB = "→"
NEWLINE = "⏎"  # in a prompt of several lines
NOTHING_MORE = "(nothing more)"
SHOWN_LINES = 20  # typed lines shown before the difference


def visible(text: str) -> str:
    """Return a line with its blanks made visible; nothing in it can harm a terminal."""
    return harmless(text, "\t").replace(" ", BLANK).replace("\t", TAB)


def printed(line: Line | None) -> str:
    """Return a line of an output as it is shown, or a word for the end of the output."""
    if line is None:
        return NOTHING_MORE
    return visible(line.text).replace(harmless("\n"), NEWLINE) if line.text else "(an empty line)"


def pair_of(finding: Finding) -> tuple[str, str]:
    """Return the line that is expected and the one that was printed, as they are shown."""
    if finding.mistake is not None:  # a judge's own words
        return finding.mistake.wanted, finding.mistake.printed
    return printed(finding.difference.expected), printed(finding.difference.actual)


def first_columns(expected: str, actual: str) -> tuple[int, int] | None:
    """Return the first columns in which two printed lines differ, None where one is no line.

    Where the lines differ in more than blanks, blanks are passed over.
    """
    if " " in expected + actual:  # a word in the place of a line; a line's blanks are visible
        return None
    seen = [
        [(char, at) for at, char in enumerate(line) if char not in BLANK + TAB] + [("", len(line))]
        for line in (expected, actual)
    ]
    for (one, at), (other, also_at) in zip(*seen, strict=False):
        if one != other:
            return at, also_at
    pairs = enumerate(zip(expected, actual, strict=False))
    shorter = min(len(expected), len(actual))
    column = next((at for at, (one, other) in pairs if one != other), shorter)
    return column, column


def difference_lines(expected: str, actual: str) -> list[str]:
    """Return two printed lines, and a line that points at the first column that differs."""
    expected, actual = harmless(expected), harmless(actual)
    lines = [f"Expected: {expected}", f"Printed:  {actual}"]
    columns = first_columns(expected, actual)
    return lines if columns is None else [*lines, " " * (len("Expected: ") + columns[1]) + "^"]


def session_lines(
    arguments: Sequence[str],
    files: Sequence[tuple[str, str]],
    calls: Sequence[str],
    typed: Sequence[str],
) -> list[str]:
    """Return what a program was given."""
    lines = [f"Arguments: {harmless(' '.join(arguments))}"] if arguments else []
    for name, text in files:
        lines.append(f"File {harmless(name)}:")
        lines += [f"    {harmless(line)}" for line in text.splitlines()]
    if calls:
        lines += ["Calls:", *(f"    {harmless(call)}" for call in calls)]
    if typed:
        lines.append("Typed:")
        first = max(0, len(typed) - SHOWN_LINES)
        lines += ["    ..."] * bool(first)
        for number, line in enumerate(typed[first:], first + 1):
            mark = ">" if number == len(typed) else " "
            lines.append(f"  {mark} {typed_line(line)}")
    return lines


def error_lines(errors: Sequence[str]) -> list[str]:
    """Return what a program wrote last to standard error, before it ended badly."""
    lines = [f"    {harmless(line)}" for line in errors]
    return ["Its standard error ends with:", *lines] if lines else []


def calls_of(session: Session) -> tuple[str, ...]:
    """Return the calls of a session, with that of ``random.seed`` where chance plays a part."""
    seeded = (f"random.seed({session.seed!r})",) * bool(
        session.calls and (session.lines or session.seed)
    )
    return (*seeded, *session.calls)


def typed_line(line: str) -> str:
    """Return a typed line, with its blanks made visible where some are at its ends."""
    return visible(line) if line.strip() != line else harmless(line)


def report_text(name: str, report: Report, grading: Grading, profile: Profile) -> str:
    """Return a whole report."""
    lines = []
    if report.order:
        lines += [order_note(report.order, grading.SETUP), ""]
    for finding in report.unspecified:
        lines += ["Where the document is silent (no marks depend on it):", ""]
        lines += [*finding_lines(finding, grading, profile), ""]
    sessions = "session was" if report.tried == 1 else "sessions were"
    if report.finding is None:
        lines.append(f"{name}: {report.tried} {sessions} run, and no difference was found.")
    else:
        part = report.finding.part
        lines.append(f"{name} differs from the document's program.")
        lines.append(f"{report.tried} {sessions} run; this is the shortest that differs so.")
        lines.append(f"It is of the part {part!r}: {grading.PARTS[part].about}.")
        lines += ["", *finding_lines(report.finding, grading, profile)]
    return "\n".join(lines) + "\n"


def order_note(order: Iterable[str], documents: Iterable[str]) -> str:
    """Return what is said of a program that asks for the set-up in an order of its own."""
    return (
        f"It asks for {', '.join(order)} in this order; the document for {', '.join(documents)}. "
        "The sessions are typed in its order."
    )


def finding_lines(finding: Finding, grading: Grading, profile: Profile) -> list[str]:
    """Return a finding: the session, the lines that differ, the reason and the position."""
    session = finding.session
    given = session.arguments, session.files, calls_of(session)
    lines = session_lines(*given, finding.typed_lines)
    lines += [""] * bool(lines)
    difference = finding.difference
    if difference.expected or difference.actual:
        lines += difference_lines(*pair_of(finding))
    if finding.failure:
        lines.append(f"The program: {harmless(finding.failure)}")
    lines += error_lines(finding.actual.errors)
    section = f" ({finding.reason.section})" if finding.reason.section else ""
    lines.append(f"Why: {finding.reason.text}{section}")
    state = finding.state(grading)
    if state is not None:
        lines += [
            "",
            "The position before it:",
            *(f"    {row}" for row in state.board().split("\n")),
        ]
    if finding.passes_at is not None and finding.passes_at is not profile:
        lines += [
            "",
            f"With --profile {finding.passes_at} this session passes: {ABOUT[finding.passes_at]}.",
        ]
    return lines
