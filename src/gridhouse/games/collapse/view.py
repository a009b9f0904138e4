"""The picture of Collapse: tiles, one colour and one digit each."""

from __future__ import annotations

from gridhouse.core import picture
from gridhouse.games.collapse import rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gridhouse.core.game import Game
    from gridhouse.games.collapse.rules import Position


def draw(game: Game, position: Position, names: list[int], viewer: int) -> picture.Canvas:
    """Return the picture; its edge is numbered as moves count, from the top row that is left."""
    del game, viewer
    rows, cols = position.rows, position.cols
    title = f"Collapse, {rows} by {cols}, score {position.score}"
    canvas = picture.grid(rows, cols, title, blank=rows - position.tall, first=1)
    digits = [position.cells[rules.cell_of(position, action)] for action in range(rows * cols)]
    labels = ["empty" if digit == rules.BLANK else str(digit) for digit in digits]
    picture.cells(canvas, rows, cols, labels)
    for cell, digit in enumerate(digits):
        if digit != rules.BLANK:
            row, col = divmod(cell, cols)
            canvas.begin(cell, piece=names[cell])
            canvas.paste(tile(row, col, digit))
            canvas.end()
    return canvas


@picture.kept
def tile(canvas: picture.Canvas, row: int, col: int, digit: int) -> None:
    """Draw a tile in its colour, with its digit."""
    picture.square(canvas, row, col, 2, fill=picture.HUES[digit])
    picture.square(canvas, row, col, 13, fill="var(--ground)", opacity=0.82)
    canvas.text(*picture.middle(row, col), str(digit), 24, font_weight="bold")


def gesture(position: Position, action: int) -> tuple[list[int], str]:
    """Return the cell that is picked; there is nothing else to choose."""
    del position
    return [action], ""


def origins(before: Position, action: int, after: Position) -> list[int]:
    """Return for every cell in which cell its tile was before the pick; blank cells swap along."""
    del after
    marked = before.copy()
    rules.remove_group(marked, rules.cell_of(before, action))
    fallen = [
        [at for at in range(first, first + before.rows) if marked.cells[at] != rules.BLANK]
        for first in range(0, before.rows * before.cols, before.rows)
    ]
    columns = [column for column in fallen if column]
    places = {
        to_action(before, col * before.rows + level): to_action(before, at)
        for col, column in enumerate(columns)
        for level, at in enumerate(column)
    }
    rest = iter(sorted(set(range(before.rows * before.cols)) - set(places.values())))
    return [places[at] if at in places else next(rest) for at in range(before.rows * before.cols)]


def to_action(position: Position, cell: int) -> int:
    """Return the number of a cell counted by rows from the top."""
    col, level = divmod(cell, position.rows)
    return (position.rows - 1 - level) * position.cols + col
