"""The opening of 5x5 and 9x3: moves that win, which take long to search.

A line of ``book.txt`` is a board, row by row with the longer side across, and a move that wins
there, as the protocol writes it.  It holds the first moves of who begins, whatever is answered:
three on 5x5, four on 9x3.  Boards that are images of each other stand there once
(``benchmarks/binary_book.py``).

Of 5x5 with up to four digits it is known as well who wins.  All boards of three digits were
searched, and the others follow from them (``docs/binary.md``).  Who is to move wins where the
number of digits is even and loses where it is odd, but for two boards of four digits, which are
lost, and the four of three digits that lead there, which are won.
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
# By the longer and the shorter side: how many digits stand where the opening's last move is made.
OPENED = {(SIDE, SIDE): MOST_PLY, (9, 3): 6}
EMPTY = "."
# The cell between two 0s and two 1s takes no digit any more, which leaves an even number of cells.
LOST = frozenset({"..........00.11..........", "....................00.11"})


@lru_cache(maxsize=None)
def moves() -> dict[str, tuple[int, int, int]]:
    """Return the moves of the book, column, row and digit, by the boards; none without its file.

    The file may be missing beside a copy of the exact program.
    """
    try:
        with open(os.path.join(os.path.dirname(__file__), BOOK_FILE), encoding="ascii") as file:
            rows = [line.split() for line in file]
    except FileNotFoundError:
        return {}
    return {board: (int(x), int(y), int(digit)) for board, x, y, digit in rows}


def images(position: Position) -> Iterator[tuple[str, tuple[int, int, int], int]]:
    """Yield a board as its images show it, each with its turn and exchange of digits.

    In all of them the longer side is across.
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


def opens(position: Position) -> bool:
    """Tell whether a position may be one of the opening."""
    sides = max(position.rows, position.cols), min(position.rows, position.cols)
    return position.ply <= OPENED.get(sides, -1) and bool(moves())


def covers(position: Position) -> bool:
    """Tell whether it is known who wins a position."""
    return opens(position) and position.rows == position.cols and position.ply <= MOST_PLY


def is_lost(position: Position) -> bool:
    """Tell whether a position that is covered is lost for who is to move."""
    if position.ply == MOST_PLY:
        return any(board in LOST for board, _, _ in images(position))
    return position.ply % 2 == 1 and (position.ply == 1 or winning_move(position) is None)


def winning_move(position: Position) -> int | None:
    """Return an action that is known to win, None without one."""
    if not opens(position):
        return None
    for board, kind, swap in images(position):
        if board in moves():
            col, row, digit = moves()[board]
            places = product(range(position.rows), range(position.cols))
            ((y, x),) = [at for at in places if image(position, *at, kind) == (row, col)]
            return 2 * (y * position.cols + x) + (digit ^ swap)
    if covers(position) and position.ply < MOST_PLY:
        for action in range(2 * SIDE * SIDE):
            if not rules.refusal(position, action):
                after = position.copy()
                rules.apply_action(after, action)
                if is_lost(after):
                    return action
    return None
