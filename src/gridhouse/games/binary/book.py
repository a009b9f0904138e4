"""What is known of 5x5 with up to four digits, which takes long to search.

All boards of three digits were searched (``benchmarks/binary_book.py`` does it again), and the
others follow from them (``docs/binary.md``).  Who is to move wins where the number of digits is
even and loses where it is odd, but for two boards of four digits, which are lost, and the four of
three digits that lead there, which are won.  So the moves that win are known for up to three.  For
four, a line of ``book.txt`` is a board, row by row, and a move that wins there, as the protocol
writes it.  It holds the first three moves of who begins, whatever is answered; boards that are
images of each other stand there once.
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
# The cell between two 0s and two 1s takes no digit any more, which leaves an even number of cells.
LOST = frozenset({"..........00.11..........", "....................00.11"})


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


def covers(position: Position) -> bool:
    """Tell whether it is known who wins a position."""
    return (position.rows, position.cols) == (SIDE, SIDE) and position.ply <= MOST_PLY


def is_lost(position: Position) -> bool:
    """Tell whether a position that is covered is lost for who is to move."""
    if position.ply == MOST_PLY:
        return any(board in LOST for board, _, _ in images(position))
    return position.ply % 2 == 1 and (position.ply == 1 or winning_move(position) is None)


def winning_move(position: Position) -> int | None:
    """Return an action that is known to win, None without one."""
    if not covers(position):
        return None
    for board, kind, swap in images(position):
        if board in moves():
            col, row, digit = moves()[board]
            cells = range(SIDE * SIDE)
            (cell,) = [at for at in cells if image(position, *divmod(at, SIDE), kind) == (row, col)]
            return 2 * cell + (digit ^ swap)
    if position.ply < MOST_PLY:
        for action in range(2 * SIDE * SIDE):
            if not rules.refusal(position, action):
                after = position.copy()
                rules.apply_action(after, action)
                if is_lost(after):
                    return action
    return None
