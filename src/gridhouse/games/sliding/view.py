"""The picture of the sliding puzzle: tiles with letters, and a mark on those at their goal."""

from __future__ import annotations

from gridhouse.core import picture
from gridhouse.games.sliding import rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gridhouse.core.game import Game
    from gridhouse.games.sliding.rules import Position


def draw(game: Game, position: Position, names: list[int], viewer: int) -> picture.Canvas:
    """Return the picture."""
    del game, viewer
    rows, cols = position.rows, position.cols
    canvas = picture.grid(rows, cols, f"Sliding puzzle, {rows} by {cols}")
    picture.cells(canvas, rows, cols, [in_words(position, c) for c in range(rows * cols)])
    for cell in range(rows * cols):
        if position.tiles[cell] == rules.EMPTY:
            canvas.gap()
            continue
        row, col = divmod(cell, cols)
        kind = "done" if is_home(position, cell) else "tile"
        drawn = tile(row, col, chr(position.tiles[cell]).upper(), kind)
        canvas.piece(cell, names[cell], drawn)
    return canvas


@picture.cached
def tile(canvas: picture.Canvas, row: int, col: int, letter: str, kind: str) -> None:
    """Draw a tile with its letter, and a dot if it is in its place."""
    x, y = picture.middle(row, col)
    fill, edge = f"var(--{kind})", f"var(--{kind}-edge)"
    picture.square(canvas, row, col, 3, fill=fill, stroke=edge, stroke_width=2)
    canvas.text(x, y, letter, 32, font_weight="bold")
    if kind == "done":
        canvas.circle(x + 19, y - 19, 4)


def is_home(position: Position, cell: int) -> bool:
    """Tell whether a cell that is not the last shows the letter of the solution."""
    last = position.rows * position.cols - 1
    return cell < last and position.tiles[cell] == position.goal[cell]


def in_words(position: Position, cell: int) -> str:
    """Return the letter of a cell in words, and whether it is in its place."""
    if position.tiles[cell] == rules.EMPTY:
        return "empty"
    letter = chr(position.tiles[cell]).upper()
    return f"{letter}, in its place" if is_home(position, cell) else letter


def gesture(position: Position, action: int) -> tuple[list[int], str]:
    """Return the cell of the tile that slides; there is no choice."""
    steps = {rules.UP: -position.cols, rules.DOWN: position.cols, rules.LEFT: -1, rules.RIGHT: 1}
    return [position.blank + steps[action]], ""


def origins(before: Position, action: int, after: Position) -> list[int]:
    """Return for every cell the cell of its tile before the move."""
    del action
    came_from = list(range(before.rows * before.cols))
    came_from[before.blank], came_from[after.blank] = after.blank, before.blank
    return came_from
