"""The opening of 5x5, which is won but takes long to search: a winning move for who begins.

A line of ``book.txt`` is a board, row by row, and the move that wins there, as the protocol writes
it.  It holds the first three moves of who begins, whatever is answered; boards that are images of
each other stand there once.  ``benchmarks/binary_book.py`` proves all of it and prints it.
"""

from __future__ import annotations

from functools import cache
from itertools import product

from gridhouse.games.binary import rules
from gridhouse.games.binary.symmetry import image

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gridhouse.games.binary.rules import Position

SIDE = 5
MOST_PLY = 4
EMPTY = "."


@cache
def moves() -> dict[str, tuple[int, int, int]]:
    """Return the moves of the book, column, row and digit, by the boards."""
    from importlib.resources import files

    text = (files("gridhouse.games.binary") / "book.txt").read_text(encoding="ascii")
    rows = (line.split() for line in text.splitlines())
    return {board: (int(x), int(y), int(digit)) for board, x, y, digit in rows}


def images(position: Position) -> Iterator[tuple[str, tuple[int, int, int], int]]:
    """Yield a square board as its images show it, each with its turn and exchange of digits."""
    side = position.rows
    for turned, up, left, swap in product((0, 1), repeat=4):
        kind = (turned, up, left)
        board = [EMPTY] * (side * side)
        for y, x in product(range(side), repeat=2):
            digit = rules.digit_at(position, x, y)
            if digit >= 0:
                row, col = image(position, y, x, kind)
                board[row * side + col] = str(digit ^ swap)
        yield "".join(board), kind, swap


def winning_move(position: Position) -> int | None:
    """Return the action that the book knows to win, None without one."""
    if (position.rows, position.cols) != (SIDE, SIDE) or position.ply > MOST_PLY:
        return None
    for board, kind, swap in images(position):
        if board in moves():
            col, row, digit = moves()[board]
            cells = range(SIDE * SIDE)
            (cell,) = [at for at in cells if image(position, *divmod(at, SIDE), kind) == (row, col)]
            return 2 * cell + (digit ^ swap)
    return None
