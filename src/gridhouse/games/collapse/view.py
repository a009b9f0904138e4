"""The picture of Collapse: tiles, one colour and one digit each."""

from __future__ import annotations

from itertools import islice

from gridhouse.core import picture
from gridhouse.games.collapse import rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gridhouse.core.game import Game
    from gridhouse.games.collapse.rules import Position


def draw(game: Game, position: Position, names: list[int], viewer: int) -> picture.Canvas:
    """Return the picture; its row numbers start, like those of moves, at the highest tile."""
    del game, viewer
    rows, cols = position.rows, position.cols
    title = f"Collapse, {rows} by {cols}, score {position.score}"
    canvas = picture.grid(rows, cols, title, blank=rows - position.tall, first=1)
    places = [rules.cell_of(position, action) for action in range(rows * cols)]
    digits = [position.cells[place] for place in places]
    groups = groups_of(position, places)
    labels = [in_words(position, digit, groups.get(at, [])) for at, digit in enumerate(digits)]
    picture.cells(canvas, rows, cols, labels)
    for cell, digit in enumerate(digits):
        if digit == rules.BLANK:
            canvas.gap()
        else:
            row, col = divmod(cell, cols)
            group = str(min(groups.get(cell, [cell])))
            canvas.piece(cell, names[cell], tile(row, col, digit), data_group=group)
    return canvas


def groups_of(position: Position, places: list[int]) -> dict[int, list[int]]:
    """Return the group of each cell that can be picked; ``places`` are those of the cells."""
    left = position.copy()
    standing = [action for action, place in enumerate(places) if left.cells[place] != rules.BLANK]
    groups: dict[int, list[int]] = {}
    for action in standing:
        if left.cells[places[action]] == rules.BLANK or rules.is_alone(left, places[action]):
            continue
        rules.remove_group(left, places[action])
        blank = (at for at in standing if left.cells[places[at]] == rules.BLANK)
        group = [at for at in blank if at not in groups]
        groups |= dict.fromkeys(group, group)
    return groups


def in_words(position: Position, digit: int, group: list[int]) -> str:
    """Return the digit on a cell, and its group with the points for it, in words."""
    if digit == rules.BLANK:
        return "empty"
    if not group:
        return str(digit)
    return f"{digit}, group of {len(group)}, {rules.points(position, digit, len(group))} points"


@picture.cached
def tile(canvas: picture.Canvas, row: int, col: int, digit: int) -> None:
    """Draw a tile in its colour, with its digit."""
    picture.square(canvas, row, col, 2, fill=picture.HUES[digit])
    picture.square(canvas, row, col, 13, fill="var(--ground)", opacity=0.82)
    canvas.text(*picture.middle(row, col), str(digit), 24, font_weight="bold")


def gesture(position: Position, action: int) -> tuple[list[int], str]:
    """Return the picked cell; there is no choice."""
    del position
    return [action], ""


def origins(before: Position, action: int, after: Position) -> list[int]:
    """Return for every cell the cell of its tile before the pick; blanks get the other cells."""
    del after
    rows, cols = before.rows, before.cols
    marked = before.copy()
    rules.remove_group(marked, rules.cell_of(before, action))
    columns: list[list[int]] = [[] for _ in range(cols)]  # of the tiles that are left
    blank: list[int] = []
    for cell in range(rows * cols):
        is_blank = marked.cells[rules.cell_of(before, cell)] == rules.BLANK
        (blank if is_blank else columns[cell % cols]).append(cell)
    # They stand side by side on the lowest row.
    columns = [column for column in columns if column]
    rest = iter(blank)
    came_from: list[int] = []
    for level in reversed(range(rows)):
        fallen = [column[-1 - level] if level < len(column) else next(rest) for column in columns]
        came_from += [*fallen, *islice(rest, cols - len(columns))]
    return came_from
