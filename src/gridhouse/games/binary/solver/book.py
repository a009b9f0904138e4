"""The opening book of 5x5 and 9x3: winning moves that take long to search.

A line of ``book.txt`` is a board, row by row with the longer side across, and a winning move as the
protocol writes it.  It holds the first player's first moves after all replies: three on 5x5, four
on 9x3.  Of boards that are images of each other it holds one (``benchmarks/binary_book.py``).

The outcomes of 5x5 with up to four digits are known as well.  All boards of three digits were
searched, and the others follow from them (``docs/research/half-turn-theorem.md``).  The player to
move wins where the number of digits is even and loses where it is odd, but for two boards of four
digits, which are lost, and the four of three digits that lead there, which are won.
"""

from __future__ import annotations

import os.path
from functools import lru_cache
from itertools import product

from gridhouse.games.binary import rules
from gridhouse.games.binary.solver.symmetry import image

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gridhouse.games.binary.rules import Position

BOOK_FILE = "book.txt"
SIDE = 5
MOST_PLY = 4
# By the longer and the shorter side: the number of digits before the last move of the book.
LAST_PLY = {(SIDE, SIDE): MOST_PLY, (9, 3): 6}
EMPTY = "."
# The cell between two 0s and two 1s takes no digit any more, which leaves an even number of cells.
LOST = frozenset({"..........00.11..........", "....................00.11"})


@lru_cache(maxsize=None)
def moves() -> dict[str, tuple[int, int, int]]:
    """Return the moves of the book (column, row, digit) by boards.

    A copy of the exact program may miss the file: then there are none.
    """
    try:
        with open(os.path.join(os.path.dirname(__file__), BOOK_FILE), encoding="ascii") as file:
            rows = [line.split() for line in file]
    except FileNotFoundError:
        return {}
    return {board: (int(x), int(y), int(digit)) for board, x, y, digit in rows}


def images(position: Position) -> Iterator[tuple[str, tuple[int, int, int], int]]:
    """Yield the images of a board, each with its symmetry and whether digits are exchanged.

    All have the longer side across.
    """
    rows, cols = position.rows, position.cols
    turns = (0, 1) if rows == cols else (int(rows > cols),)
    for turned, up, left, swap in product(turns, (0, 1), (0, 1), (0, 1)):
        kind = (turned, up, left)
        board = [EMPTY] * (rows * cols)
        for y, x in product(range(rows), range(cols)):
            digit = rules.digit_at(position, x, y)
            if digit >= 0:
                row, col = image(position, y, x, kind)
                board[row * max(rows, cols) + col] = str(digit ^ swap)
        yield "".join(board), kind, swap


def may_hold(position: Position) -> bool:
    """Return whether the book may have a move for a position, by its size and ply."""
    sides = max(position.rows, position.cols), min(position.rows, position.cols)
    return position.ply <= LAST_PLY.get(sides, -1) and bool(moves())


def has_outcome(position: Position) -> bool:
    """Return whether the outcome of a position is known."""
    return may_hold(position) and position.rows == position.cols and position.ply <= MOST_PLY


def is_lost(position: Position) -> bool:
    """Return whether a position with a known outcome is lost for the player to move."""
    if position.ply == MOST_PLY:
        return any(board in LOST for board, _, _ in images(position))
    return position.ply % 2 == 1 and (position.ply == 1 or winning_move(position) is None)


def winning_move(position: Position) -> int | None:
    """Return a winning action of the book, or None."""
    if not may_hold(position):
        return None
    for board, kind, swap in images(position):
        if board in moves():
            col, row, digit = moves()[board]
            places = product(range(position.rows), range(position.cols))
            ((y, x),) = [at for at in places if image(position, *at, kind) == (row, col)]
            return 2 * (y * position.cols + x) + (digit ^ swap)
    if has_outcome(position) and position.ply < MOST_PLY:
        for action in range(2 * SIDE * SIDE):
            if not rules.refusal(position, action):
                after = position.copy()
                rules.apply_action(after, action)
                if is_lost(after):
                    return action
    return None
