"""What beams see of a board: partitions of its tiles, and the databases of their patterns.

The sum over several partitions foretells more than the best of them.  All tiles are told apart,
also equal ones, which a beam begins with numbered in several ways.
"""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from gridhouse.core import chance
from gridhouse.core.records import to_records
from gridhouse.games.sliding import _beam, _cache, _databases, _idastar, _partitions
from gridhouse.games.sliding._puzzle import neighbours

if TYPE_CHECKING:
    from gridhouse.games.sliding._databases import Tables
    from gridhouse.games.sliding._partitions import Parts
    from gridhouse.games.sliding._puzzle import Puzzle

ASKING = threading.Lock()  # so that no two threads get shelves of their own

Views = tuple[Any, Any, Any]  # plan, board and words

SMALL = 25  # cells up to which databases are built for the puzzle at hand, in a moment
LARGE = _beam.MAX_CELLS  # cells up to which there are any; these take seconds and go on the disk
TILES = 4  # of a pattern
WORTH_BUILDING = 8.0  # seconds of a search from which building a large board's is worth it,
WORTH_READING = 2.0  # and reading them

# Partitions by which beams go deeper than by most others: by cell the pattern of its tile.  Each
# pair makes mistakes of its own, so beams by several are worth a wider one.
PAIRS = {
    (5, 5): (
        ("bbcccbbaacddaaedffeedffe", "baaccbaaccbdddebfdeefffe"),
        ("abcccabbceabeeeadfddfffd", "caaabccabbcdddbffdeeffee"),
        ("baaaabbbddcffddcffeeccee", "baaacbbaccbffceddfeeddfe"),
    ),
    (6, 6): (("baacccbaacddbbefddieeffhiigfhhigggh", "ddddccaabbccaabbeeggffeeggffiihhhii"),),
}


def patience(puzzle: Puzzle, *, jit: bool = True) -> float:
    """Return how many seconds a search must have for its first databases to be worth the wait."""
    if puzzle.cells <= SMALL or _shelf(puzzle.rows, puzzle.cols, puzzle.rest, 0, jit).views:
        return 0.0
    is_built = _cache.path_of(puzzle, sum(partitions(puzzle, 0), ())).exists()
    return WORTH_READING if is_built else WORTH_BUILDING


def pairs(puzzle: Puzzle) -> tuple[tuple[str, str], ...]:
    """Return the good pairs of partitions that are known for a puzzle."""
    return PAIRS.get((puzzle.rows, puzzle.cols), ())


def looks(puzzle: Puzzle) -> int:
    """Return by how many sets of partitions a puzzle can be looked at.

    One has to do where the empty cell ends elsewhere, as databases would have to be built for it.
    """
    return max(1, len(pairs(puzzle))) if puzzle.ends_last else 1


def partitions(puzzle: Puzzle, look: int) -> list[Parts]:
    """Return the partitions of a look."""
    if not pairs(puzzle):
        return _partitions.partitions(puzzle.numbered(), puzzle.cells**TILES, 2)
    pictures = pairs(puzzle)[look]
    side, rest = puzzle.cols, puzzle.rest
    found = [pictured(slid(picture, side, rest)) for picture in pictures]
    if not _databases.has_mirror(puzzle.numbered()):
        # What is seen there otherwise is a partition of its own.
        found += [pictured(slid(picture, side, rest, mirrored=True)) for picture in pictures]
    return found


def slid(picture: str, side: int, rest: int, *, mirrored: bool = False) -> str:
    """Return a picture of a square board for one on which the empty cell ends on another cell.

    The picture is turned so that its empty corner is near; from there the empty cell goes up or
    down, then across, and letters make way as tiles do, so that patterns hardly fall apart.
    ``mirrored`` does so with rows and columns exchanged.
    """
    row, col = divmod(rest, side)
    if mirrored:
        row, col = col, row
    down, right = (1 if 2 * at >= side - 1 else -1 for at in (row, col))
    row, col = max(row, side - 1 - row), max(col, side - 1 - col)
    letters = np.array([*picture, " "]).reshape(side, side)
    letters[row + 1 :, -1] = letters[row:-1, -1].copy()
    letters[row, col + 1 :] = letters[row, col:-1].copy()
    turned = letters[::down, ::right]
    return "".join(np.delete(turned.T if mirrored else turned, rest))


def pictured(picture: str) -> Parts:
    """Return the partition that a picture shows."""
    patterns = sorted(set(picture))
    return tuple(
        tuple(tile for tile, letter in enumerate(picture, 1) if letter == pattern)
        for pattern in patterns
    )


def tables_of(puzzle: Puzzle, look: int, *, jit: bool = True, **how: Any) -> list[Tables]:
    """Return the databases of a look.

    ``how`` says with how many ``threads`` they are built, and when that ``is_stopped``; then
    StoppedError is raised.
    """
    puzzle = puzzle.numbered()
    parts = partitions(puzzle, look)
    if puzzle.cells <= SMALL:
        return [_databases.tables_for(puzzle, part, jit=jit, **how) for part in parts]
    return _cache.large_tables(puzzle, sum(parts, ()), jit=jit, **how).split(len(parts))


def views_for(puzzle: Puzzle, look: int, *, jit: bool = True, **how: Any) -> Views:
    """Return plan, board and words of the databases of a look; for ``how`` see ``tables_of``."""
    choice = look % looks(puzzle)
    with ASKING:
        shelf = _shelf(puzzle.rows, puzzle.cols, puzzle.rest, choice, jit)
    with shelf.filling:
        if not shelf.views:
            shelf.views = views_by(puzzle, tables_of(puzzle, choice, jit=jit, **how))
        return shelf.views


def views_by(puzzle: Puzzle, tables: list[Tables]) -> Views:
    """Return plan, board and words of some databases of tiles that are told apart."""
    puzzle = puzzle.numbered()
    plan, words = _databases.plan_of(puzzle, *tables)
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
    board = _beam.Board()
    most, cells = _idastar.MAX_CELLS, puzzle.cells
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
        board.mate[at * _beam.MATES : at * _beam.MATES + len(mates)] = mates
    for tile in range(cells):
        for cell in range(cells):
            board.code[tile * cells + cell] = chance.zobrist(tile << 8 | cell)
    power = _beam.POWER if cells <= _beam.FEW_CELLS else 1
    for moves in range(_beam.MOST_MOVES):
        even = _beam.STEP * _beam.EVEN
        board.score[moves] = round(even * (moves / _beam.EVEN) ** power)
    return to_records(board)
