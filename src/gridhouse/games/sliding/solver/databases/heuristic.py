"""The heuristic of pattern databases: the largest of several sums, and its layout for kernels.

A *view* is one partition of the tiles into patterns, on the board as it is or mirrored along its
main diagonal (Culberson and Schaeffer, 1998).  Its sum is a lower bound of the moves to the goal.
"""

from __future__ import annotations

import itertools
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from gridhouse.core import position
from gridhouse.core.fast import np
from gridhouse.core.records import to_records
from gridhouse.games.sliding.solver.databases.pattern_database import (
    PatternDatabases,
    chunk_of,
    digit_weights,
    rank_table,
    read_only,
)
from gridhouse.games.sliding.solver.puzzle import Puzzle, neighbours

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_CELLS = 36
MAX_VIEWS = 6
MAX_PATTERNS = 9  # of a view
NUM_MOVES = 4
MOVE_SETS = 1 << NUM_MOVES
PACKED_BITS = 9  # of a packed move: the target's cell above three bits for the move, plus one
REGION_PENALTY = 2  # moves more where the bit of a region is set: parity does not change


class HeuristicLayout(position.Position):
    """A board, its views, and where their databases begin in the one array that holds all entries.

    By view and cell: ``image``, the cell in the view; by view and tile: ``slot``, the number of its
    pattern among those of all views, and ``weight``, the factor of its digit in the index; by slot:
    ``origin``.  By cell and set of moves: ``legal_moves``, the legal ones of the set, packed, the
    first one lowest.  With ``has_equal_tiles``, digits are ranks of sets: ``tile_class`` is by
    tile, and ``ranks``, ``chunk`` and ``rank_rows`` are for ``rank_of``.
    """

    layout = position.field("int8")
    cells = position.field("int64")
    views = position.field("int64")
    patterns = position.field("int64")
    moves_shift = position.field("int64")
    region_penalty = position.field("int64")
    has_equal_tiles = position.field("int64")
    tile_class = position.field("int64", MAX_CELLS)
    ranks = position.field("int64")
    chunk = position.field("int64")
    rank_rows = position.field("int64")
    legal_moves = position.field("int64", MOVE_SETS * MAX_CELLS)
    image = position.field("int64", MAX_VIEWS * MAX_CELLS)
    slot = position.field("int64", MAX_VIEWS * MAX_CELLS)
    weight = position.field("int64", MAX_VIEWS * MAX_CELLS)
    origin = position.field("int64", MAX_VIEWS * MAX_PATTERNS)


class View(NamedTuple):
    """Databases, by cell its image in them, and by tile its class there."""

    databases: PatternDatabases
    image: list[int]
    tile_classes: dict[int, int]


def _views(puzzle: Puzzle, partitions: Sequence[PatternDatabases]) -> list[View]:
    """Return the views of a puzzle that databases of some partitions give."""
    rows, cols, cells, goal = puzzle.rows, puzzle.cols, puzzle.cells, puzzle.goal()
    images = [list(range(cells))]
    if puzzle.has_mirror:
        images.append([cell % cols * rows + cell // cols for cell in range(cells)])
    return [
        View(
            databases,
            image,
            {goal[home]: puzzle.tile_classes[goal[image[home]]] for home in range(cells)},
        )
        for image in images
        for databases in partitions
    ]


def make_heuristic(puzzle: Puzzle, *partitions: PatternDatabases) -> tuple[np.ndarray, np.ndarray]:
    """Return the layout of all views that databases give, as a record, and all entries."""
    entries, offset_of, end = _joined_entries(puzzle, partitions)
    views = _views(puzzle, partitions)
    layout = HeuristicLayout()
    layout.cells = puzzle.cells
    layout.views = len(views)
    layout.patterns = max(len(databases.partition) for databases in partitions)
    layout.moves_shift = partitions[0].moves_shift
    layout.region_penalty = REGION_PENALTY if layout.moves_shift else 0
    for number, view in enumerate(views):
        _add_view(layout, number, view, offset_of[id(view.databases.entries)], end)
    layout.legal_moves[: MOVE_SETS * puzzle.cells] = _legal_moves(puzzle.rows, puzzle.cols)
    layout.tile_class[: puzzle.cells] = puzzle.tile_classes
    if not puzzle.is_distinct:
        most = max(Counter(puzzle.tile_classes).values())
        layout.has_equal_tiles, layout.ranks, layout.rank_rows = 1, end + 1, most + 1
        layout.chunk = chunk_of(puzzle.cells)
    return to_records(layout), entries


def _joined_entries(
    puzzle: Puzzle, partitions: Sequence[PatternDatabases]
) -> tuple[np.ndarray, dict[int, int], int]:
    """Return all entries in one array, by ``id`` of each part its offset there, and their end."""
    different = {id(databases.entries): databases.entries for databases in partitions}
    entries = list(different.values())
    *offsets, end = itertools.accumulate(map(len, entries), initial=0)
    offset_of = dict(zip(different, offsets, strict=True))
    if len(entries) == 1 and puzzle.is_distinct:
        return entries[0], offset_of, end
    # A pattern of no tiles stands in where a partition has fewer patterns: one entry, no moves.
    entries.append(entries[0][:1] * 0)
    if not puzzle.is_distinct:
        entries.append(rank_table(puzzle.cells, max(Counter(puzzle.tile_classes).values())))
    return read_only(np.concatenate(entries)), offset_of, end


def _add_view(layout: HeuristicLayout, number: int, view: View, offset: int, empty: int) -> None:
    """Write a view into a layout; ``empty`` is where the entry of a pattern of no tiles is."""
    databases = view.databases
    first = number * MAX_CELLS
    layout.image[first : first + len(view.image)] = view.image
    digits = {
        tile_class: (pattern, weight)
        for pattern, tiles in enumerate(databases.partition)
        for tile_class, weight in digit_weights(databases.puzzle, tiles).items()
    }
    for tile, tile_class in view.tile_classes.items():
        if tile == 0:
            continue
        pattern, weight = digits[tile_class]
        layout.slot[first + tile] = number * layout.patterns + pattern
        layout.weight[first + tile] = weight
    starts = [offset + start for start in databases.starts]
    starts += [empty] * (layout.patterns - len(starts))
    layout.origin[number * layout.patterns : (number + 1) * layout.patterns] = starts


@lru_cache(maxsize=8)
def _legal_moves(rows: int, cols: int) -> list[int]:
    """Return by cell and set of moves the legal ones of the set, packed, the first one lowest."""
    found = []
    for near in neighbours(rows, cols):
        for moves in range(MOVE_SETS):
            packed = 0
            for move in reversed(range(NUM_MOVES)):
                if near[move] >= 0 and moves >> move & 1:
                    packed = packed << PACKED_BITS | near[move] << 3 | move + 1
            found.append(packed)
    return found
