"""Writes all reports of a class into a folder."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from gridhouse.core.console import write_whole
from gridhouse.grading.reports.exchange import classroom, gradebook, gradescope, junit
from gridhouse.grading.reports.feedback import seen_by_author
from gridhouse.grading.reports.files import safe_names
from gridhouse.grading.reports.pages import class_page, submission_page

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import date
    from pathlib import Path

    from gridhouse.grading.grades import Grade
    from gridhouse.grading.rubric import Rubric


def write_reports(grades: Sequence[Grade], rubric: Rubric, folder: Path, today: date) -> list[Path]:
    """Write all reports of a class and return their paths; raises UsageError.

    ``index.html``, ``details``, ``gradebook.csv``, ``grades.json`` and ``junit.xml`` are the
    teacher's; ``feedback``, ``gradescope`` and ``classroom`` have what authors may see on a day.
    """
    paths = []
    for name, content in _files(grades, rubric, today):
        write_whole(folder / name, content)
        paths.append(folder / name)
    return paths


def _files(grades: Sequence[Grade], rubric: Rubric, today: date) -> Iterator[tuple[str, bytes]]:
    names = safe_names(grade.name for grade in grades)
    for grade, name in zip(grades, names, strict=True):
        page = submission_page(grade, name, rubric, is_feedback=False)
        yield f"details/{name}.html", page.encode()
        seen = seen_by_author(grade, rubric, today)
        page = submission_page(seen, name, rubric, is_feedback=True)
        yield f"feedback/{name}.html", page.encode()
        yield f"gradescope/{name}.json", _json(gradescope(grade, rubric, today))
        yield f"classroom/{name}.json", _json(classroom(grade, rubric, today))
    # With this mark of its encoding spreadsheets read the names right.
    yield "gradebook.csv", gradebook(grades, rubric).encode("utf-8-sig")
    yield "grades.json", _json([grade.to_dict() for grade in grades])
    yield "junit.xml", junit(grades)
    yield "index.html", class_page(grades, names, rubric).encode()


def _json(data: object) -> bytes:
    return (json.dumps(data, indent=2) + "\n").encode()
