"""The summary of a class for a terminal."""

from __future__ import annotations

import shutil
from statistics import fmean
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size

from gridhouse.grading.reports.feedback import points
from gridhouse.grading.text import harmless

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gridhouse.grading.grades import Grade

GAP = "  "
MOST_HEADER = 8  # cells of a part's name
LEAST_NAME = 10


def class_table(grades: Sequence[Grade], width: int | None = None) -> str:
    """Return a table with a row for each submission and a last one with the means.

    It is as wide as the terminal at most; where it is too narrow for the parts they are left out.
    Parts without points have no column.
    Problems stand below it.
    """
    width = width or shutil.get_terminal_size().columns
    parts = [part for grade in grades for part in grade.parts if part.out_of]
    names = list(dict.fromkeys(part.name for part in parts))
    rows = [["name", "points", *names], *(_cells(grade, names) for grade in grades)]
    if grades:
        rows.append(["mean", *_means(grades, names)])
    first = max(cell_len(row[0]) for row in rows)
    sizes = _sizes(rows)
    if width - sum(sizes) - len(GAP) * len(sizes) < min(first, LEAST_NAME):
        sizes = sizes[:1]
    room = width - sum(sizes) - len(GAP) * len(sizes)
    first = max(1, min(first, room))
    lines = []
    for row in rows:
        cells = [_cut(row[0], first)]
        cells += (_cut(cell, size, right=True) for cell, size in zip(row[1:], sizes, strict=False))
        lines.append(GAP.join(cells).rstrip())
    problems = [
        f"  {harmless(grade.name)}: {harmless(grade.problem)}" for grade in grades if grade.problem
    ]
    if problems:
        lines += ["", "Not graded:", *problems]
    return "\n".join(lines) + "\n"


def _cells(grade: Grade, names: Sequence[str]) -> list[str]:
    parts = {part.name: points(part.points) for part in grade.parts}
    return [harmless(grade.name), points(grade.points), *(parts.get(name, "-") for name in names)]


def _means(grades: Sequence[Grade], names: Sequence[str]) -> list[str]:
    """Return the means; a submission that could not be run has no points in any part."""
    means = [points(fmean(grade.points for grade in grades))]
    for name in names:
        parts = [part for grade in grades for part in grade.parts if part.name == name]
        total = sum(part.points for part in parts)
        means.append(points(total / len(grades)))
    return means


def _sizes(rows: Sequence[Sequence[str]]) -> list[int]:
    """Return the widths of the columns of numbers."""
    header, *others = ([*map(cell_len, row[1:])] for row in rows)
    header = [min(size, MOST_HEADER) for size in header]
    return [max(column) for column in zip(header, *others, strict=True)]


def _cut(text: str, size: int, *, right: bool = False) -> str:
    """Return a text in that many cells of a terminal."""
    if cell_len(text) > size:
        return set_cell_size(text, size - 1) + "…"
    padding = " " * (size - cell_len(text))
    return padding + text if right else text + padding
