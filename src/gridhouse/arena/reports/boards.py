"""All boards of a game in little space: each element once, and what each board has of them."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from gridhouse.core.game import State
from gridhouse.core.picture import format_number

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from gridhouse.core.picture import Canvas

CELL = re.compile(r'<g id="cell-(\d+)"')  # the beginning of the group of a cell
FLOOR = 'class="cell"'


class Boards(NamedTuple):
    """The boards of a game.

    ``box`` is the view box of each.  The last board has the elements ``last``; further ones are
    ``others``, and their numbers go on.  A frame has runs of numbers of elements from back to
    front: the first number of a run, then how many there are.
    """

    box: str
    last: list[str]
    others: list[str]
    frames: list[list[int]]


def boards(states: Iterable[State]) -> Boards:
    """Draw the whole board of each state of a game, with the cells of the last move marked.

    The states may be one object that changes.  Raises PictureError for a game without pictures.
    """
    drawn = []
    box = ""
    before = None
    moved: list[int] = []
    for state in states:
        canvas = state.open_picture()
        box = f"0 0 {format_number(canvas.width)} {format_number(canvas.height)}"
        if before:
            moved, _ = before.gesture(state.history()[-1])
        drawn.append(_elements(canvas, moved))
        before = State(state.game, state.position.copy())
    places: dict[tuple[str, int], int] = {}
    for elements in (drawn[-1], *drawn):
        for element in elements:
            places.setdefault(element, len(places))
    texts = [element for element, _ in places]
    count = len(drawn[-1])
    frames = [_runs(places[element] for element in elements) for elements in drawn]
    return Boards(box, texts[:count], texts[count:], frames)


def _elements(canvas: Canvas, moved: Collection[int]) -> list[tuple[str, int]]:
    """Return the elements of a picture; of equal ones each has a number of its own.

    The groups of cells and pieces, which only give names, are left out; the floors of the cells
    ``moved`` are marked.
    """
    seen: Counter[str] = Counter()
    elements = []
    is_moved = False
    for line in canvas.content().split("\n"):
        if line.startswith("<g "):
            cell = CELL.match(line)
            is_moved = cell is not None and int(cell[1]) in moved
        elif line and line != "</g>":
            element = line.replace(FLOOR, 'class="cell moved"') if is_moved else line
            elements.append((element, seen[element]))
            seen[element] += 1
    return elements


def _runs(numbers: Iterable[int]) -> list[int]:
    runs: list[int] = []
    for number in numbers:
        if runs and runs[-2] + runs[-1] == number:
            runs[-1] += 1
        else:
            runs += [number, 1]
    return runs
