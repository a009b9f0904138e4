"""Grades in the formats of other programs: CSV, JUnit XML, Gradescope, Classroom 50."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from gridhouse.grading.reports.feedback import (
    counts,
    fault_lines,
    out_of,
    part_lines,
    points,
    remark_lines,
    seen_by_author,
)
from gridhouse.grading.rubric import Detail
from gridhouse.reporting.text import harmless, spreadsheet_cell

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from gridhouse.grading.grades import Grade, PartGrade
    from gridhouse.grading.rubric import Rubric


def gradebook(grades: Sequence[Grade], rubric: Rubric) -> str:
    """Return the gradebook as CSV: a row for each submission.

    An apostrophe stands before a text that a spreadsheet would take for a formula.
    """
    names = [name for name, part in rubric.parts.items() if part.points]
    file = io.StringIO()
    rows = csv.writer(file, lineterminator="\n")
    rows.writerow(["name", *map(spreadsheet_cell, names), "total", "out of", "problem"])
    for grade in grades:
        parts = {part.name: points(part.points) for part in grade.parts}
        marks = [parts.get(name, "0") for name in names]
        total = [points(grade.points), points(out_of(rubric))]
        rows.writerow(
            [spreadsheet_cell(grade.name), *marks, *total, spreadsheet_cell(grade.problem)]
        )
    return file.getvalue()


def junit(grades: Sequence[Grade]) -> bytes:
    """Return JUnit XML for the teacher: a suite for each submission, a case for each part."""
    root = ET.Element("testsuites", name="gridhouse")
    for grade in grades:
        suite = ET.SubElement(root, "testsuite", name=harmless(grade.name))
        _case(suite, grade, "run")
        if grade.problem:
            _say(suite[0], "error", grade.problem, [])
        for part in grade.parts:
            _case(suite, grade, part.name)
            _judge(suite[-1], part)
        suite.set("tests", str(len(suite)))
        for attribute, tag in (
            ("failures", "failure"),
            ("errors", "error"),
            ("skipped", "skipped"),
        ):
            suite.set(attribute, str(len(suite.findall(f"testcase/{tag}"))))
    ET.indent(root)
    text: bytes = ET.tostring(root, "utf-8", xml_declaration=True)
    return text + b"\n"


def _case(suite: ET.Element, grade: Grade, name: str) -> None:
    ET.SubElement(suite, "testcase", classname=f"gridhouse.{grade.game}", name=harmless(name))


def _judge(case: ET.Element, part: PartGrade) -> None:
    lines = [line for fault in part.faults for line in [*fault_lines(fault), ""]]
    if not counts(part):
        ET.SubElement(case, "skipped")
    elif lines and not part.out_of:  # no marks depend on it
        ET.SubElement(case, "system-out").text = "\n".join(lines)
    elif lines:
        failures = [fault.failure for fault in part.faults if fault.failure]
        message = f"{points(part.points)} of {points(part.out_of)} points"
        _say(case, "error" if failures else "failure", "; ".join([message, *failures]), lines)


def _say(case: ET.Element, tag: str, message: str, lines: Sequence[str]) -> None:
    ET.SubElement(case, tag, message=harmless(message)).text = "\n".join(lines)


def gradescope(grade: Grade, rubric: Rubric, today: date) -> dict[str, Any]:
    """Return the ``results.json`` of Gradescope: a test for each part, as the author may see it.

    Gradescope can show a test later, but only after the due date or once grades are published, and
    neither is the rubric's ``until``.  So what may be seen today is in it, and nothing else; after
    that day the grades are to be written again.
    The format: https://gradescope-autograders.readthedocs.io/en/latest/specs/.
    """
    hidden = rubric.detail(today, is_hidden=True)
    seen = seen_by_author(grade, rubric, today)
    tests = []
    for number, (part, whole) in enumerate(zip(seen.parts, grade.parts, strict=True), 1):
        is_hidden = hidden is Detail.NOTHING and not whole.total and whole.hidden_total > 0
        test: dict[str, Any] = {
            "name": part.about + (" (extra)" if part.is_extra else ""),
            "name_format": "text",
            "number": str(number),
            "score": round(part.points, 2),
            "max_score": part.out_of,
            "output": "\n".join(part_lines(part)),
            "output_format": "text",
            "visibility": "hidden" if is_hidden else "visible",
            "extra_data": {"part": part.name},
        }
        if part.out_of:
            test["status"] = "passed" if part.points >= part.out_of else "failed"
        if part.out_of or part.faults:
            tests.append(test)
    return {
        "score": grade.points,
        "output": "\n".join(remark_lines(seen)),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "extra_data": {"game": grade.game},
        "tests": tests,
    }


def classroom(grade: Grade, rubric: Rubric, today: date) -> dict[str, Any]:
    """Return what the grader knows of the ``result.json`` of Classroom 50, classroom50/result/v1.

    Its scores are whole numbers, so they are hundredths of points; no score may be more than its
    maximum, so extra points count up to full marks only.  The autograder that runs in a
    repository adds ``classroom``, ``assignment``, ``assignment_type``, ``owner``, ``submission``,
    ``commit``, ``release``, ``review`` and ``datetime`` from its environment.
    The format: schemas/result-v1.schema.json in https://github.com/foundation50/classroom50.
    """
    tests = [
        {
            "test-name": part.about,
            "passed": part.points >= part.out_of,
            "score": round(100 * part.points),
            "max-score": round(100 * part.out_of),
            "output": "\n".join(part_lines(part)),
        }
        for part in seen_by_author(grade, rubric, today).parts
        if part.out_of
    ]
    most = round(100 * out_of(rubric))
    return {
        "schema": "classroom50/result/v1",
        "score": min(round(100 * grade.points), most),
        "max-score": most,
        "tests": tests,
    }
