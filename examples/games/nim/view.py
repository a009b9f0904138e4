"""The picture of Nim: a row of stones, taken from its right end."""

from __future__ import annotations

from gridhouse.games.nim.game import NimGame
from gridhouse.games.nim.rules import Position

from gridhouse.core import picture


def draw(game: NimGame, position: Position, names: list[int], viewer: int) -> picture.Canvas:
    """Return the picture."""
    canvas = picture.grid(1, game.cols, f"Nim, {position.left} left")
    labels = ["stone" if cell < position.left else "empty" for cell in range(game.cols)]
    picture.cells(canvas, 1, game.cols, labels)
    for cell in range(position.left):
        canvas.begin(cell, piece=names[cell])
        canvas.circle(*picture.middle(0, cell), 20, fill="var(--first)")
        canvas.end()
    return canvas


def gesture(position: Position, action: int) -> tuple[list[int], str]:
    """Return the cell to click: the last stone that is taken; nothing is left to choose."""
    return [position.left - 1 - action], ""


def origins(before: Position, action: int, after: Position) -> list[int]:
    """Return for every cell where its piece was before the move: stones stay where they are."""
    return list(range(before.left))
