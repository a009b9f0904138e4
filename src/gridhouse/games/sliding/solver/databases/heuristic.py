"""How a search looks at pattern databases: the largest of several sums."""

from __future__ import annotations

import itertools
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gridhouse.core import position
from gridhouse.core.records import to_records
from gridhouse.games.sliding.solver.databases.pattern_database import (
    Tables,
    chunk_of,
    ranks_of,
    sealed,
    weights_of,
)
from gridhouse.games.sliding.solver.puzzle import Puzzle, neighbours

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_CELLS = 36
MAX_VIEWS = 6
MAX_PATTERNS = 9  # of a view
NUM_MOVES = 4
SETS = 1 << NUM_MOVES  # of moves
WAY_BITS = 9
GAIN = 2  # moves more where such a bit is set, since what a pattern needs stays odd or even


class Plan(position.Position):
    """A board, its views, and where their tables begin in the one array that holds them all.

    By view and cell: ``image``, the cell in the view; by view and tile: ``slot``, the number of its
    pattern among those of all views, and ``weight``, the worth of its digit in the key.  By cell
    and set of moves: ``ways``, those of them that can be made there, packed into a number.  With
    ``ranked`` some tiles are equal, and digits are ranks (``_patterns``): ``kind`` is by tile, and
    ``ranks``, ``chunk`` and ``alike`` tell where what they are looked up by is in that array.
    """

    plan = position.field("int8")
    cells = position.field("int64")
    views = position.field("int64")
    patterns = position.field("int64")
    up = position.field("int64")
    gain = position.field("int64")
    ranked = position.field("int64")
    kind = position.field("int64", MAX_CELLS)
    ranks = position.field("int64")
    chunk = position.field("int64")
    alike = position.field("int64")
    ways = position.field("int64", SETS * MAX_CELLS)
    image = position.field("int64", MAX_VIEWS * MAX_CELLS)
    slot = position.field("int64", MAX_VIEWS * MAX_CELLS)
    weight = position.field("int64", MAX_VIEWS * MAX_CELLS)
    origin = position.field("int64", MAX_VIEWS * MAX_PATTERNS)


class View(NamedTuple):
    """What a plan looks at: tables, each cell's image there, and the kind there of each tile."""

    tables: Tables
    image: list[int]
    kinds: dict[int, int]


def _views(puzzle: Puzzle, partitions: Sequence[Tables]) -> list[View]:
    """Return the views of a puzzle's own tables."""
    rows, cols, cells, goal = puzzle.rows, puzzle.cols, puzzle.cells, puzzle.goal()
    images = [list(range(cells))]
    if puzzle.has_mirror:
        images.append([cell % cols * rows + cell // cols for cell in range(cells)])
    return [
        View(tables, image, {goal[home]: puzzle.kinds[goal[image[home]]] for home in range(cells)})
        for image in images
        for tables in partitions
    ]


def plan_of(puzzle: Puzzle, *partitions: Tables) -> tuple[Any, Any]:
    """Return the record of the views that tables give, in the mirror too, and all their words."""
    words, offset_of, end = _all_words(puzzle, partitions)
    views = _views(puzzle, partitions)
    plan = Plan()
    plan.cells = puzzle.cells
    plan.views = len(views)
    plan.patterns = max(len(tables.parts) for tables in partitions)
    plan.up = partitions[0].up
    plan.gain = GAIN if plan.up else 0
    for number, view in enumerate(views):
        _add_view(plan, number, view, offset_of[id(view.tables.words)], end)
    plan.ways[: SETS * puzzle.cells] = _ways(puzzle.rows, puzzle.cols)
    plan.kind[: puzzle.cells] = puzzle.kinds
    if not puzzle.is_distinct:
        most = max(Counter(puzzle.kinds).values())
        plan.ranked, plan.ranks, plan.alike = 1, end + 1, most + 1
        plan.chunk = chunk_of(puzzle.cells)
    return to_records(plan), words


def _all_words(puzzle: Puzzle, partitions: Sequence[Tables]) -> tuple[Any, dict[int, int], int]:
    """Return the words of tables in one array, where they begin there by ``id``, where they end."""
    different = {id(tables.words): tables.words for tables in partitions}
    words = list(different.values())
    *offsets, end = itertools.accumulate(map(len, words), initial=0)
    offset_of = dict(zip(different, offsets, strict=True))
    if len(words) == 1 and puzzle.is_distinct:
        return words[0], offset_of, end
    # A part of no tiles stands in where a partition has fewer parts: one word, no moves.
    words.append(words[0][:1] * 0)
    if not puzzle.is_distinct:
        words.append(ranks_of(puzzle.cells, max(Counter(puzzle.kinds).values())))
    return sealed(np.concatenate(words)), offset_of, end


def _add_view(plan: Plan, number: int, view: View, offset: int, nothing: int) -> None:
    """Write a view into a plan."""
    most = MAX_CELLS
    tables = view.tables
    plan.image[number * most : number * most + len(view.image)] = view.image
    places = {
        kind: (part, weight)
        for part, tiles in enumerate(tables.parts)
        for kind, weight in weights_of(tables.puzzle, tiles).items()
    }
    for tile, kind in view.kinds.items():
        if tile == 0:
            continue
        part, weight = places[kind]
        plan.slot[number * most + tile] = number * plan.patterns + part
        plan.weight[number * most + tile] = weight
    starts = [offset + start for start in tables.starts]
    starts += [nothing] * (plan.patterns - len(starts))
    plan.origin[number * plan.patterns : (number + 1) * plan.patterns] = starts


@lru_cache(maxsize=8)
def _ways(rows: int, cols: int) -> list[int]:
    """Return by cell and set of moves those of the set that can be made, the first one lowest."""
    packed = []
    for near in neighbours(rows, cols):
        for moves in range(SETS):
            ways = 0
            for move in reversed(range(NUM_MOVES)):
                if near[move] >= 0 and moves >> move & 1:
                    ways = ways << WAY_BITS | near[move] << 3 | move + 1
            packed.append(ways)
    return packed
