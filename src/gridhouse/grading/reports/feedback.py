"""What the author of a submission may see of its grade, and the same as plain text."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gridhouse.grading.paths import without_folders
from gridhouse.grading.rubric import Detail
from gridhouse.grading.text import (
    NOTHING_MORE,
    difference_lines,
    error_lines,
    harmless,
    session_lines,
)

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date

    from gridhouse.grading.grades import Fault, Grade, PartGrade
    from gridhouse.grading.rubric import Rubric

MOST_LINES = 200  # of an output that are shown
MOST_COLUMNS = 500


def seen_by_author(grade: Grade, rubric: Rubric, today: date) -> Grade:
    """Return a grade without anything that its author may not see on a day.

    The text of a rule names what was typed and what follows, so that only its kind is left where
    less than everything is shown.
    """
    shown, hidden = (rubric.detail(today, is_hidden=is_hidden) for is_hidden in (False, True))
    silent = Detail.NOTHING in (shown, hidden)
    return replace(
        grade,
        parts=tuple(_part(part, shown, hidden) for part in grade.parts),
        problem=without_folders(grade.problem),
        notes=tuple(map(without_folders, grade.notes)),
        crashes=0 if silent else grade.crashes,
        timeouts=0 if silent else grade.timeouts,
    )


def _part(part: PartGrade, shown: Detail, hidden: Detail) -> PartGrade:
    faults = (_fault(fault, hidden if fault.is_hidden else shown) for fault in part.faults)
    part = replace(part, faults=tuple(fault for fault in faults if fault is not None))
    if shown is Detail.NOTHING:
        part = replace(part, passed=0, total=0)
    return replace(part, hidden_passed=0, hidden_total=0) if hidden is Detail.NOTHING else part


def _fault(fault: Fault, detail: Detail) -> Fault | None:
    if detail is Detail.NOTHING:
        return None
    if detail is Detail.FULL:
        return fault
    fault = replace(fault, rule="", expected="", printed="", position="", picture="")
    if detail is Detail.OUTPUT:
        return fault
    failure = fault.failure.partition(":")[0]  # what follows may quote what was typed
    nothing: tuple[str, ...] = ()
    fault = replace(fault, failure=failure, errors=nothing, output="")
    return replace(fault, arguments=(), files=(), calls=nothing, typed=nothing)


def feedback_text(grade: Grade, rubric: Rubric, today: date, *, full: bool = False) -> str:
    """Return the feedback on a submission, as its author may see it, or all of it."""
    grade = grade if full else seen_by_author(grade, rubric, today)
    lines = [f"{harmless(grade.name)}: {points(grade.points)} of {points(out_of(rubric))} points"]
    lines += remark_lines(grade)
    for part in grade.parts:
        if part.out_of or part.faults:
            lines += ["", part_title(part), *part_lines(part)]
    return "\n".join(lines) + "\n"


def remark_lines(grade: Grade) -> list[str]:
    """Return what concerns a whole submission."""
    lines = [f"It could not be run: {harmless(grade.problem)}"] if grade.problem else []
    lines += map(harmless, grade.notes)
    for count, what in ((grade.crashes, "crashed"), (grade.timeouts, "ran out of time")):
        lines += [f"It {what} in {sessions(count)}."] * bool(count)
    return lines


def part_title(part: PartGrade) -> str:
    """Return a part and its points in one line."""
    if not part.out_of:
        return f"{part.about} (no marks depend on it)"
    extra = ", extra" if part.is_extra else ""
    return f"{part.about}: {points(part.points)} of {points(part.out_of)} points{extra}"


def part_lines(part: PartGrade) -> list[str]:
    """Return the sessions of a part that passed, and its faults."""
    lines = [f"{passed} of {sessions(total)} passed" for passed, total in counts(part)]
    if len(lines) > 1:
        lines[-1] += ", hidden ones"
    for fault in part.faults:
        lines += ["", *(f"    {line}".rstrip() for line in fault_lines(fault))]
    return lines


def counts(part: PartGrade) -> list[tuple[int, int]]:
    """Return how many of the open and of the hidden sessions passed, where there are any."""
    pairs = ((part.passed, part.total), (part.hidden_passed, part.hidden_total))
    return [pair for pair in pairs if pair[1]]


def fault_lines(fault: Fault) -> list[str]:
    """Return all that is in a fault, the session first and the position last."""
    lines = [fault_title(fault)]
    lines += session_lines(fault.arguments, fault.files, fault.calls, fault.typed)
    if has_lines(fault):
        lines += ["", *difference_lines(fault.expected, fault.printed)]
    elif fault.output:
        lines += ["", "Its output:", *(f"    {line}" for line in output_lines(fault.output))]
    if fault.failure:
        lines.append(f"The program: {harmless(fault.failure)}")
    lines += error_lines(fault.errors)
    if fault.rule:
        lines.append(f"Why: {harmless(fault.rule)}{section(fault)}")
    if fault.position:
        rows = (f"    {harmless(row)}" for row in fault.position.split("\n"))
        lines += ["The position before it:", *rows]
    return lines


def has_lines(fault: Fault) -> bool:
    """Return whether there are lines that differ; a program may only end in the wrong way."""
    return {fault.expected, fault.printed} not in ({""}, {NOTHING_MORE})


def fault_title(fault: Fault) -> str:
    """Return the kind of a fault and how often it occurs."""
    kind = harmless(fault.kind) + ("" if fault.rule else section(fault))
    return f"{kind}: {sessions(fault.count, 'hidden ' if fault.is_hidden else '')} failed"


def section(fault: Fault) -> str:
    """Return the section of the document that has a fault's rule, in brackets."""
    return f" ({harmless(fault.section)})" if fault.section else ""


def output_lines(output: str) -> Iterable[str]:
    """Return the lines of an output, without the middle of what is too long."""
    lines = output.removesuffix("\n").split("\n")
    if len(lines) > MOST_LINES:
        left_out = len(lines) - MOST_LINES
        half = MOST_LINES // 2
        lines = [*lines[:half], f"... {left_out} lines left out ...", *lines[-half:]]
    cut = (line[:MOST_COLUMNS] + " ..." * (len(line) > MOST_COLUMNS) for line in lines)
    return (harmless(line, "\t") for line in cut)


def sessions(count: int, of: str = "") -> str:
    """Return a number of sessions in words."""
    return f"{count} {of}session" + "s" * (count != 1)


def points(number: float) -> str:
    """Return points as people write them."""
    return f"{round(number, 2):.12g}"


def out_of(rubric: Rubric) -> float:
    """Return the points that a rubric gives at most, without the extra ones.

    A submission that could not be run has no parts, so its grade cannot tell.
    """
    return round(sum(part.points for part in rubric.parts.values() if not part.extra), 2)
