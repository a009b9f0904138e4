"""The report of a check as text for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gridhouse.grading.compare import ABOUT, Profile

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gridhouse.grading.check import Finding, Report
    from gridhouse.grading.compare import Difference, Line
    from gridhouse.grading.games import Grading

CONTROL = {code: f"\\x{code:02x}" for code in (*range(9), *range(10, 32), 127)}
BLANK = "·"
TAB = "→"
SHOWN_LINES = 20  # typed lines shown before the difference


def visible(text: str) -> str:
    """Return a line with its blanks made visible; control characters cannot reach a terminal."""
    return text.translate(CONTROL).replace(" ", BLANK).replace("\t", TAB)


def printed(line: Line | None) -> str:
    """Return a line of an output as it is shown, or a word for the end of the output."""
    if line is None:
        return "(nothing more)"
    return visible(line.text) if line.text else "(an empty line)"


def _pointer(difference: Difference) -> list[str]:
    """Return a line that points at the first column in which two lines differ."""
    if difference.expected is None or difference.actual is None:
        return []
    pair = [visible(line.text) for line in (difference.expected, difference.actual)]
    one, other = pair
    same = next(
        (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )
    return [" " * (len("Expected: ") + same) + "^"]


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
        part = grading.PARTS[report.finding.part].about
        lines.append(f"{name} differs from the document's program: {part}.")
        lines.append(f"{report.tried} {sessions} run; this is the shortest that differs so.")
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
    lines = []
    if session.arguments:
        lines.append(f"Arguments: {' '.join(session.arguments)}")
    for name, text in session.files:
        lines.append(f"File {name}:")
        lines += [f"    {line}" for line in text.splitlines()]
    if session.calls:
        lines.append("Calls:" + (f" (random.seed({session.seed:g}))" if session.lines else ""))
        lines += [f"    {call}" for call in session.calls]
    if session.lines:
        lines.append("Typed:")
        first = max(0, finding.typed - SHOWN_LINES)
        lines += ["    ..."] * bool(first)
        for number, line in enumerate(session.lines[first : finding.typed], first + 1):
            mark = ">" if number == finding.typed else " "
            lines.append(f"  {mark} {visible(line) if line.strip() != line else line}")
    lines += [""] * bool(lines)
    if finding.difference.expected or finding.difference.actual:
        lines.append(f"Expected: {printed(finding.difference.expected)}")
        lines.append(f"Printed:  {printed(finding.difference.actual)}")
        lines += _pointer(finding.difference)
    if finding.actual.failure:
        lines.append(f"The program: {finding.actual.failure}")
    section = f" ({finding.reason.section})" if finding.reason.section else ""
    lines.append(f"Why: {finding.reason.text}{section}")
    state = grading.state_at(session, max(0, finding.typed - 1))
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
