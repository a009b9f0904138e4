"""What beams see of a board: partitions of its tiles, and the databases of their patterns.

The sum over several partitions foretells more than the best of them.  All tiles are told apart,
also equal ones, which a beam begins with numbered in several ways.
"""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from gridhouse.core import chance
from gridhouse.core.records import to_records
from gridhouse.games.sliding.solver.beam import board_beam
from gridhouse.games.sliding.solver.databases import disk_cache, good_partitions, heuristic
from gridhouse.games.sliding.solver.puzzle import neighbours

if TYPE_CHECKING:
    from gridhouse.games.sliding.solver.databases.pattern_database import Tables
    from gridhouse.games.sliding.solver.puzzle import Puzzle

ASKING = threading.Lock()  # so that no two threads get shelves of their own

Views = tuple[Any, Any, Any]  # plan, board and words

SMALL = 25  # cells up to which databases are built for the puzzle at hand, in a moment
LARGE = (
    board_beam.MAX_CELLS
)  # cells up to which there are any; these take seconds and go on the disk
TILES = 4  # of a pattern
WORTH_BUILDING = 8.0  # seconds of a search from which building a large board's is worth it,
WORTH_READING = 2.0  # and reading them


def patience(puzzle: Puzzle, *, jit: bool = True) -> float:
    """Return how many seconds a search must have for its first databases to be worth the wait."""
    if (
        puzzle.cells <= good_partitions.SMALL
        or _shelf(puzzle.rows, puzzle.cols, puzzle.rest, 0, jit).views
    ):
        return 0.0
    is_built = disk_cache.path_of(puzzle, sum(good_partitions.partitions(puzzle, 0), ())).exists()
    return WORTH_READING if is_built else WORTH_BUILDING


def views_for(puzzle: Puzzle, look: int, *, jit: bool = True, **how: Any) -> Views:
    """Return plan, board and words of the databases of a look; for ``how`` see ``tables_of``."""
    choice = look % good_partitions.looks(puzzle)
    with ASKING:
        shelf = _shelf(puzzle.rows, puzzle.cols, puzzle.rest, choice, jit)
    with shelf.filling:
        if not shelf.views:
            shelf.views = views_by(
                puzzle, good_partitions.tables_of(puzzle, choice, jit=jit, **how)
            )
        return shelf.views


def views_by(puzzle: Puzzle, tables: list[Tables]) -> Views:
    """Return plan, board and words of some databases of tiles that are told apart."""
    puzzle = puzzle.numbered()
    plan, words = heuristic.plan_of(puzzle, *tables)
    return plan, board_of(puzzle, plan[0]), words


class Shelf:
    """A place for views, empty at first, which one thread fills while others use theirs."""

    def __init__(self) -> None:
        """Make an empty one."""
        self.filling = threading.Lock()
        self.views: Views | None = None


@lru_cache(maxsize=6)
def _shelf(rows: int, cols: int, rest: int, look: int, jit: bool) -> Shelf:
    """Return the place where views are kept for a while."""
    return Shelf()


def board_of(puzzle: Puzzle, plan: Any) -> Any:
    """Return the record of a board and its views for a beam."""
    board = board_beam.Board()
    most, cells = heuristic.MAX_CELLS, puzzle.cells
    board.cells, board.views, board.patterns = cells, int(plan.views), int(plan.patterns)
    board.up, board.gain = int(plan.up), int(plan.gain)
    near = [there for ways in neighbours(puzzle.rows, puzzle.cols) for there in ways]
    board.next[: len(near)] = near
    for at in range(board.views * cells):
        view, tile = divmod(at, cells)
        board.bit[at] = int(plan.image[view * most + tile])
        if tile == 0:
            continue
        slot = board.slot[at] = int(plan.slot[view * most + tile])
        board.origin[at] = int(plan.origin[slot])
        for cell in range(cells):
            image = int(plan.image[view * most + cell])
            board.worth[at * cells + cell] = int(plan.weight[view * most + tile]) * image
        mates = [
            other
            for other in range(1, cells)
            if other != tile and plan.slot[view * most + other] == slot
        ]
        # The empty cell stands in for mates that are not there, and is worth nothing.
        board.mate[at * board_beam.MATES : at * board_beam.MATES + len(mates)] = mates
    for tile in range(cells):
        for cell in range(cells):
            board.code[tile * cells + cell] = chance.zobrist(tile << 8 | cell)
    power = board_beam.POWER if cells <= board_beam.FEW_CELLS else 1
    for moves in range(board_beam.MOST_MOVES):
        even = board_beam.STEP * board_beam.EVEN
        board.score[moves] = round(even * (moves / board_beam.EVEN) ** power)
    return to_records(board)
