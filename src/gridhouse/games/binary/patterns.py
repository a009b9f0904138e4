"""The pattern policy of the course's later assignments: weights of moves from five-cell patterns.

A pattern is the five cells of the move's row, or of its column from top to bottom, centred on the
move: ``0``, ``1``, ``.`` empty, ``X`` off the board.  It matches reversed as well.
"""

from __future__ import annotations

from gridhouse.core.errors import GridhouseError
from gridhouse.core.notation import shown
from gridhouse.games.binary import rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gridhouse.games.binary.rules import Position

    Weights = dict[tuple[str, str], float]

COMMENT = "#"
CELLS = "01.X"
REACH = 2
LENGTH = 2 * REACH + 1
DEFAULT_WEIGHT = 10.0
MOST_WEIGHT = 1e12


class PatternError(GridhouseError):
    """A text is not a list of patterns."""


def parse_weight(text: str) -> float | None:
    """Return a weight, a decimal number from zero to ``MOST_WEIGHT``, or None."""
    whole, _, part = text.partition(".")
    if not (whole + part).isascii() or not (whole + part).isdigit():
        return None
    weight = float(text)
    return weight if weight <= MOST_WEIGHT else None


def parse_patterns(text: str) -> Weights:
    """Return the weights by pattern and digit; raises PatternError.

    A line is ``PATTERN DIGIT WEIGHT``; ``#`` starts a comment; a later line overrides an earlier.
    """
    weights = {}
    for number, line in enumerate(text.split("\n"), 1):
        words = line.partition(COMMENT)[0].split()
        if not words:
            continue
        weight = parse_weight(words[2]) if len(words) == 3 else None
        if (
            weight is None
            or words[1] not in ("0", "1")
            or len(words[0]) != LENGTH
            or not set(words[0]) <= set(CELLS)
        ):
            raise PatternError(f"line {number}: {shown(line)} is not PATTERN DIGIT WEIGHT")
        weights[words[0], words[1]] = weight
    return weights


def cell_text(position: Position, x: int, y: int) -> str:
    """Return how a pattern writes a cell, on the board or off."""
    if 0 <= x < position.cols and 0 <= y < position.rows:
        digit = rules.digit_at(position, x, y)
        return "." if digit < 0 else CELLS[digit]
    return "X"


def line_weight(weights: Weights, pattern: str, digit: str) -> float:
    """Return the weight of a digit in one line."""
    for turned in (pattern, pattern[::-1]):
        if (turned, digit) in weights:
            return weights[turned, digit]
    return DEFAULT_WEIGHT


def move_weight(position: Position, weights: Weights, x: int, y: int, digit: str) -> float:
    """Return the weight of a move: that in its row and that in its column."""
    steps = range(-REACH, REACH + 1)
    row = "".join(cell_text(position, x + step, y) for step in steps)
    col = "".join(cell_text(position, x, y + step) for step in steps)
    return line_weight(weights, row, digit) + line_weight(weights, col, digit)


def policy(position: Position, weights: Weights) -> list[tuple[int, int, int, float]]:
    """Return x, y, digit and probability of every legal move, in this order.

    If all weights are zero, the legal moves are equally likely.
    """
    buffer = [0] * (2 * position.rows * position.cols)
    moves = []
    for action in buffer[: rules.legal_actions(position, buffer)]:
        cell, digit = divmod(action, 2)
        y, x = divmod(cell, position.cols)
        moves.append((x, y, digit, move_weight(position, weights, x, y, str(digit))))
    moves.sort()
    total = sum(weight for *_, weight in moves)
    if total == 0:
        return [(x, y, digit, 1 / len(moves)) for x, y, digit, _ in moves]
    return [(x, y, digit, weight / total) for x, y, digit, weight in moves]
