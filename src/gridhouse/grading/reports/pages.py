"""The pages: one for the class, one for each submission, and the same for its author."""

from __future__ import annotations

import base64
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from gridhouse.core.registry import game_class
from gridhouse.grading.reports import feedback
from gridhouse.grading.reports.class_summary import summarize
from gridhouse.grading.text import first_columns, typed_line
from gridhouse.reporting.pages import SORTING, Pages
from gridhouse.reporting.text import harmless

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gridhouse.grading.grades import Fault, Grade
    from gridhouse.grading.rubric import Rubric

TEMPLATES = Path(__file__).parent / "templates"


def class_page(grades: Sequence[Grade], names: Sequence[str], rubric: Rubric) -> str:
    """Return the page of a class, with links to the pages of these file names."""
    summary = summarize(grades, rubric)
    rows = [
        (grade, name, {part.name: part for part in grade.parts})
        for grade, name in zip(grades, names, strict=True)
    ]
    title = f"{game_class(rubric.game).title}: grades"
    return _pages().page("class.html", title=title, rows=rows, summary=summary, scripts=[SORTING])


def submission_page(grade: Grade, name: str, rubric: Rubric, *, is_feedback: bool) -> str:
    """Return the page of a submission with all that is in a grade; ``name`` is its file name.

    ``is_feedback`` says that it is for its author, so that it has no link to the teacher's pages.
    """
    return _pages().page(
        "submission.html",
        title=f"{game_class(grade.game).title}: {harmless(grade.name)}",
        grade=grade,
        name=name,
        total=feedback.out_of(rubric),
        shown_in=_shown_in(grade),
        is_feedback=is_feedback,
    )


def _shown_in(grade: Grade) -> dict[tuple[str, int], str]:
    """Return, for the faults of each part, the part that shows the same before, "" without one."""
    first: dict[Fault, str] = {}
    shown: dict[tuple[str, int], str] = {}
    for part in sorted(grade.parts, key=lambda part: not part.out_of):  # as on the page
        for number, fault in enumerate(part.faults):
            same = replace(fault, count=0, is_hidden=False)
            has_session = any((fault.arguments, fault.calls, fault.typed, fault.output))
            shown[part.name, number] = first.get(same, "") if has_session else ""
            first.setdefault(same, part.about)
    return shown


@cache
def _pages() -> Pages:
    filters = {
        "points": feedback.points,
        "sessions": feedback.sessions,
        "counts": feedback.counts,
        "output_lines": feedback.output_lines,
        "typed_line": typed_line,
    }
    functions = {
        "has_lines": feedback.has_lines,
        "marked": _marked,
        "picture_address": _picture_address,
        "plain_lines": _plain_lines,
    }
    return Pages(TEMPLATES, filters, functions)


def _marked(fault: Fault) -> tuple[Markup, Markup, str]:
    """Return the two lines with the first different character marked, and a pointer at it."""
    lines = [harmless(fault.expected), harmless(fault.printed)]
    columns = first_columns(*lines)
    if columns is None:
        return Markup.escape(lines[0]), Markup.escape(lines[1]), ""
    one, other = (
        Markup("{}<mark>{}</mark>{}").format(
            line[:column], line[column : column + 1], line[column + 1 :]
        )
        if line[column:]
        else Markup.escape(line)
        for line, column in zip(lines, columns, strict=True)
    )
    return one, other, " " * columns[1] + "^"


def _plain_lines(text: str) -> str:
    return "\n".join(map(harmless, text.split("\n")))


def _picture_address(picture: str) -> str:
    """Return a picture as an address: nothing runs in a picture that is no part of the page."""
    data = base64.b64encode(picture.encode("utf-8", "replace")).decode()
    return f"data:image/svg+xml;base64,{data}"
