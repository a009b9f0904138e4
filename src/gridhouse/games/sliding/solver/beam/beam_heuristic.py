"""The heuristic of beams over a whole board: the sum over several partitions of its tiles.

The sum foretells more than the largest of its views.  All tiles are told apart, also equal ones,
which a beam begins with assigned in several ways.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gridhouse.core import chance
from gridhouse.core.records import to_records
from gridhouse.games.sliding.solver.beam import board_beam
from gridhouse.games.sliding.solver.databases import disk_cache, good_partitions
from gridhouse.games.sliding.solver.databases.build_cache import BuildCache
from gridhouse.games.sliding.solver.databases.heuristic import MAX_CELLS, make_heuristic
from gridhouse.games.sliding.solver.puzzle import neighbours

if TYPE_CHECKING:
    from collections.abc import Hashable
    from typing import Unpack

    import numpy as np

    from gridhouse.games.sliding.solver.databases.heuristic import HeuristicLayout
    from gridhouse.games.sliding.solver.databases.pattern_database import (
        BuildOptions,
        PatternDatabases,
    )
    from gridhouse.games.sliding.solver.puzzle import Puzzle

WORTH_BUILDING = 8.0  # seconds of a search from which building a large board's is worth it,
WORTH_READING = 2.0  # and reading them


class BeamHeuristic(NamedTuple):
    """The layouts for IDA* and for beams, as arrays of one record, and all entries."""

    layout: np.ndarray
    board: np.ndarray
    entries: np.ndarray


CACHE: BuildCache[BeamHeuristic] = BuildCache(lambda heuristic: heuristic.entries.nbytes)


def _key(puzzle: Puzzle, choice: int, jit: bool) -> Hashable:
    return puzzle.rows, puzzle.cols, puzzle.blank_goal, choice, jit


def seconds_needed(puzzle: Puzzle, *, jit: bool = True) -> float:
    """Return the seconds that a search must have for its first databases to be worth the wait."""
    if puzzle.cells <= good_partitions.SMALL or CACHE.has(_key(puzzle, 0, jit)):
        return 0.0
    partition = sum(good_partitions.partitions(puzzle, 0), ())
    is_built = disk_cache.path_of(puzzle, partition).exists()
    return WORTH_READING if is_built else WORTH_BUILDING


def heuristic_for(puzzle: Puzzle, choice: int, **options: Unpack[BuildOptions]) -> BeamHeuristic:
    """Return the heuristic of a choice of partitions; any number is one.

    Raises StoppedError soon after ``is_stopped`` returns True.
    """
    choice %= good_partitions.num_choices(puzzle)
    return CACHE.get(
        _key(puzzle, choice, options.get("jit", True)),
        lambda: heuristic_of(puzzle, good_partitions.databases_of(puzzle, choice, **options)),
    )


def heuristic_of(puzzle: Puzzle, databases: list[PatternDatabases]) -> BeamHeuristic:
    """Return the heuristic of some databases of tiles that are told apart."""
    distinct = puzzle.with_distinct_tiles()
    layout, entries = make_heuristic(distinct, *databases)
    return BeamHeuristic(layout, board_layout(distinct, layout[0]), entries)


def board_layout(puzzle: Puzzle, layout: HeuristicLayout) -> np.ndarray:
    """Return the record of a board and its views for a beam."""
    board = board_beam.BoardLayout()
    cells = puzzle.cells
    board.cells, board.views, board.patterns = cells, int(layout.views), int(layout.patterns)
    board.moves_shift = int(layout.moves_shift)
    board.region_penalty = int(layout.region_penalty)
    near = [target for targets in neighbours(puzzle.rows, puzzle.cols) for target in targets]
    board.neighbour[: len(near)] = near
    for at in range(board.views * cells):
        view, tile = divmod(at, cells)
        first = view * MAX_CELLS
        board.bit[at] = int(layout.image[first + tile])
        if tile == 0:
            continue
        slot = board.slot[at] = int(layout.slot[first + tile])
        board.origin[at] = int(layout.origin[slot])
        for cell in range(cells):
            image = int(layout.image[first + cell])
            board.index_part[at * cells + cell] = int(layout.weight[first + tile]) * image
        mates = [
            other
            for other in range(1, cells)
            if other != tile and layout.slot[first + other] == slot
        ]
        # The empty cell stands in for mates that are not there, and adds nothing.
        board.mate[at * board_beam.MATES : at * board_beam.MATES + len(mates)] = mates
    for tile in range(cells):
        for cell in range(cells):
            board.zobrist[tile * cells + cell] = chance.zobrist(tile << 8 | cell)
    power = board_beam.POWER if cells <= board_beam.FEW_CELLS else 1
    for moves in range(board_beam.MAX_PATTERN_MOVES):
        even = board_beam.MOVE_SCORE * board_beam.EVEN_MOVES
        board.score[moves] = round(even * (moves / board_beam.EVEN_MOVES) ** power)
    return to_records(board)
