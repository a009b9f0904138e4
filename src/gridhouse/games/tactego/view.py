"""The picture of Tactego: square pieces for Red, round ones for Blue, backs for hidden kinds."""

from __future__ import annotations

from gridhouse.core import picture
from gridhouse.games.tactego import rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gridhouse.games.tactego.game import TactegoGame
    from gridhouse.games.tactego.rules import Position

SIDES = ("Red", "Blue")
COLOURS = ("first", "second")
INK = "var(--on-side)"
KNOWN = ("", ", has moved", ", has fought")


def draw(game: TactegoGame, position: Position, names: list[int], viewer: int) -> picture.Canvas:
    """Return the picture of a position, with the viewer's pieces at the bottom.

    The position is an observation: it has no kinds that the viewer may not see.
    """
    rows, cols, turned = position.rows, position.cols, viewer == 0
    canvas = picture.grid(rows, cols, f"Tactego, {rows} by {cols}", turned=turned)
    labels = [in_words(game, position, cell) for cell in range(rows * cols)]
    picture.cells(canvas, rows, cols, labels, turned=turned)
    for cell, value in enumerate(position.board):
        if value:
            row, col = picture.seen(cell, rows, cols, turned=turned)
            name = game.names[abs(value)]
            drawn = piece_at(row, col, value, name, position.known[cell])
            canvas.piece(cell, names[cell], drawn)
        else:
            canvas.gap()
    return canvas


@picture.cached
def piece_at(canvas: picture.Canvas, row: int, col: int, piece: int, text: str, known: int) -> None:
    """Draw a piece: its side by colour and shape, its kind, and its public information."""
    kind, side = abs(piece), int(piece < 0)
    x, y = picture.middle(row, col)
    fill = f"var(--{COLOURS[side]})"
    if side == 0:
        picture.square(canvas, row, col, 6, fill=fill)
    else:
        canvas.circle(x, y, 25, fill=fill)
    if kind == rules.UNKNOWN:
        draw_back(canvas, x, y)
    elif kind == rules.FLAG:
        draw_flag(canvas, x, y)
    elif kind == rules.MINE:
        draw_mine(canvas, x, y)
    else:
        size = 28 if len(text) < 3 else 60 / len(text)
        canvas.text(x, y, text, size, font_weight="bold", fill=INK)
    for mark in range(known):
        canvas.circle(x - 4 + 8 * mark, y + 18, 2.5, fill=INK)


def draw_back(canvas: picture.Canvas, x: float, y: float) -> None:
    """Draw the back of a piece."""
    for step in (5.0, 11.0):
        points = [(x, y - step), (x + step, y), (x, y + step), (x - step, y)]
        canvas.polygon(points, fill="none", stroke=INK, stroke_width=2.5)


def draw_flag(canvas: picture.Canvas, x: float, y: float) -> None:
    """Draw a flag."""
    canvas.line(x - 8, y - 15, x - 8, y + 15, stroke=INK, stroke_width=3.5)
    canvas.polygon([(x - 7, y - 15), (x + 13, y - 8), (x - 7, y)], fill=INK)


def draw_mine(canvas: picture.Canvas, x: float, y: float) -> None:
    """Draw a mine."""
    for across, down in ((15, 0), (0, 15), (10.5, 10.5), (10.5, -10.5)):
        canvas.line(x - across, y - down, x + across, y + down, stroke=INK, stroke_width=3)
    canvas.circle(x, y, 9.5, fill=INK)


def in_words(game: TactegoGame, position: Position, cell: int) -> str:
    """Return the content of a cell in words."""
    piece = position.board[cell]
    if piece == 0:
        return "empty"
    kind = game.kind_name(abs(piece))
    return f"{SIDES[piece < 0]} {kind}{KNOWN[position.known[cell]]}"


def gesture(position: Position, action: int) -> tuple[list[int], str]:
    """Return the cells from and to; there is no choice."""
    return [action // rules.NUM_DIRECTIONS, rules.target(position, action)], ""


def origins(before: Position, action: int, after: Position) -> list[int]:
    """Return for every cell the cell of its piece before the move.

    The two cells of a move are swapped, so that two pieces never have the same name.
    """
    came_from = list(range(before.rows * before.cols))
    start = action // rules.NUM_DIRECTIONS
    end = rules.target(before, action)
    if after.board[end] and rules.belongs_to(after.board[end], before.turn):
        came_from[start], came_from[end] = end, start
    return came_from
