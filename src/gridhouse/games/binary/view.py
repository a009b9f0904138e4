"""The picture of the Binary Game: rings for zeros, bars for ones, marks for legal digits."""

from __future__ import annotations

from gridhouse.core import picture
from gridhouse.games.binary import rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gridhouse.core.game import Game
    from gridhouse.games.binary.rules import Position

NAMES = ("zero", "one")
# By the bits of the legal digits.
FITTING: tuple[tuple[int, ...], ...] = (), (0,), (1,), (0, 1)
EMPTY = {
    fitting: f"empty, takes {' or '.join(NAMES[digit] for digit in fitting) or 'nothing'}"
    for fitting in FITTING
}


def draw(game: Game, position: Position, names: list[int], viewer: int) -> picture.Canvas:
    """Return the picture; an empty cell has a small mark for each digit that still fits."""
    del game, viewer
    rows, cols = position.rows, position.cols
    canvas = picture.grid(rows, cols, f"Binary Game, {rows} by {cols}")
    digits = [rules.digit_at(position, cell % cols, cell // cols) for cell in range(rows * cols)]
    fitting = [fitting_digits(position, cell) for cell in range(rows * cols)]
    picture.cells(canvas, rows, cols, list(map(in_words, digits, fitting)))
    for cell, digit in enumerate(digits):
        row, col = divmod(cell, cols)
        if digit >= 0:
            canvas.piece(cell, names[cell], digit_at(row, col, digit))
        else:
            canvas.paste(marks_at(row, col, fitting[cell]))
    return canvas


@picture.cached
def digit_at(canvas: picture.Canvas, row: int, col: int, digit: int) -> None:
    """Draw the digit of a cell."""
    draw_digit(canvas, digit, *picture.middle(row, col), 1.0)


@picture.cached
def marks_at(canvas: picture.Canvas, row: int, col: int, digits: tuple[int, ...]) -> None:
    """Draw a small mark for each digit that still fits into a cell."""
    x, y = picture.middle(row, col)
    for digit in digits:
        draw_digit(canvas, digit, x + (20 if digit else -20), y + 20, 0.2)


def draw_digit(canvas: picture.Canvas, digit: int, x: float, y: float, scale: float) -> None:
    """Draw a ring or a bar around a point."""
    width = 9 * scale
    if digit == 0:
        canvas.circle(x, y, 16 * scale, fill="none", stroke="var(--second)", stroke_width=width)
    else:
        reach = 20 * scale
        canvas.line(x, y - reach, x, y + reach, stroke="var(--first)", stroke_width=width)


def fitting_digits(position: Position, cell: int) -> tuple[int, ...]:
    """Return the digits that may still be written into a cell."""
    row, col = divmod(cell, position.cols)
    return FITTING[rules.legal_in_row(position, row) >> 2 * col & 3]


def in_words(digit: int, fitting: tuple[int, ...]) -> str:
    """Return the digit in a cell, -1 for none, or the digits that fit there, in words."""
    return NAMES[digit] if digit >= 0 else EMPTY[fitting]


def gesture(position: Position, action: int) -> tuple[list[int], str]:
    """Return the cell, and the digit as the choice."""
    del position
    return [action // 2], str(action % 2)


def origins(before: Position, action: int, after: Position) -> list[int]:
    """Return for every cell the cell of its piece before the move, which is the same."""
    del action, after
    return list(range(before.rows * before.cols))
