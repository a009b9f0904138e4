"""The picture of Sinks: a board seen from a corner, with blocks whose height and lie are plain.

The nearest field is the bottom-left one for Light, and the opposite one for Dark: each sees the
board from the own side.
"""

from __future__ import annotations

from gridhouse.core import picture
from gridhouse.games.sinks import rules
from gridhouse.games.sinks.notation import PIECE_TYPES, SIDE_NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gridhouse.core.game import Game
    from gridhouse.games.sinks.rules import Position

    Point = tuple[float, float]

# Half the width and half the height of a field's rhombus, and the height of a cube, in units.
WIDE = 34
TALL = 19
HIGH = 34
ABOVE = 3 * HIGH + 12  # room for what stands on the farthest field
PIT = 0.3  # how deep a sink is, in sides of a field on the picture
GAP = 0.04  # between things and the edges of their fields
FROST = "❄"
COLOURS = ("one", "two")

LIES = ("upright", "lying across", "lying away")
VERBS = ("roll", "roll", "roll", "roll", "bomb", "freeze")


class Box:
    """A block as it is drawn: its place and size along the three axes, and its anchor."""

    def __init__(self, anchor: int, place: tuple[int, int], size: tuple[int, int, int]) -> None:
        """Note the anchor, the nearest column and row, and how many columns, rows and levels."""
        self.anchor = anchor
        self.col, self.row = place
        self.wide, self.deep, self.levels = size

    def is_beyond(self, other: Box) -> bool:
        """Tell whether a line between two rows or columns has this on its far side only."""
        return self.col >= other.col + other.wide or self.row >= other.row + other.deep

    def hides_behind(self, other: Box) -> bool:
        """Tell whether the other has to be drawn later; two that stand side by side never meet."""
        return self.is_beyond(other) and not other.is_beyond(self)


class Scene:
    """How fields of a position become points of the picture for one viewer."""

    def __init__(self, position: Position, viewer: int) -> None:
        """Look at a board from the side of a player."""
        self.position = position
        self.rows, self.cols = position.rows, position.cols
        self.turned = viewer == 1
        self.width = (self.rows + self.cols) * WIDE + 2 * picture.EDGE
        self.height = (self.rows + self.cols) * TALL + ABOVE + 2 * picture.EDGE

    def place(self, cell: int, wide: int, deep: int) -> tuple[int, int]:
        """Return the nearest column and row, as the viewer counts, of what has its anchor there."""
        row, col = divmod(cell, self.cols)
        return (self.cols - col - wide, self.rows - row - deep) if self.turned else (col, row)

    def box(self, anchor: int) -> Box:
        """Return the block with this anchor."""
        kind, lie = self.position.kind[anchor], self.position.lie[anchor]
        wide, deep = rules.width(kind, lie), rules.height(kind, lie)
        levels = 2 if rules.is_cube(kind) else rules.worth(kind) if lie == rules.UPRIGHT else 1
        return Box(anchor, self.place(anchor, wide, deep), (wide, deep, levels))


def point(rows: int, height: float, col: float, row: float, level: float = 0.0) -> Point:
    """Return the point of a corner of a field in a picture of this height."""
    x = picture.EDGE + (rows + col - row) * WIDE
    return x, height - picture.EDGE - (col + row) * TALL - level * HIGH


def rhombus(
    rows: int, height: float, col: int, row: int, low: float, high: float
) -> tuple[Point, ...]:
    """Return the corners from the low to the high end of a square whose nearest field is this."""
    corners = ((low, low), (high, low), (high, high), (low, high))
    return tuple(point(rows, height, col + right, row + up) for right, up in corners)


def draw(game: Game, position: Position, names: list[int], viewer: int) -> picture.Canvas:
    """Return the picture as this position shows it, from the viewer's side.

    Bombs that the viewer may not see have to be taken out of it before.
    """
    del game
    scene = Scene(position, viewer)
    title = f"Sinks, {scene.rows} by {scene.cols}"
    canvas = picture.Canvas(scene.width, scene.height, title)
    canvas.paste(edge(scene.rows, scene.cols, scene.height, turned=scene.turned))
    for cell in range(scene.rows * scene.cols):
        draw_field(canvas, scene, cell)
    for number in range(position.num_anchors[rules.SINKS]):
        anchor = rules.anchor_of(position, rules.SINKS, number)
        draw_sink(canvas, scene, anchor, names[anchor])
    for box in back_to_front(scene):
        draw_block(canvas, scene, box, names[box.anchor])
    return canvas


def back_to_front(scene: Scene) -> list[Box]:
    """Return all blocks so that each comes after those that it may hide."""
    position = scene.position
    boxes = [
        scene.box(rules.anchor_of(position, player, number))
        for player in range(2)
        for number in range(position.num_anchors[player])
    ]
    ordered: list[Box] = []
    while boxes:
        # There is always one with nothing behind it: going to what hides behind leads away.
        farthest = next(box for box in boxes if not any(other.hides_behind(box) for other in boxes))
        boxes.remove(farthest)
        ordered.append(farthest)
    return ordered


@picture.cached
def edge(canvas: picture.Canvas, rows: int, cols: int, height: float, *, turned: bool) -> None:
    """Write numbers at the rows and columns along the two near edges."""
    for col in range(cols):
        x, y = point(rows, height, (cols - 1 - col if turned else col) + 0.5, -0.45)
        canvas.text(x, y, str(col), 14, class_="label")
    for row in range(rows):
        x, y = point(rows, height, -0.45, (rows - 1 - row if turned else row) + 0.5)
        canvas.text(x, y, str(row), 14, class_="label")


def draw_field(canvas: picture.Canvas, scene: Scene, cell: int) -> None:
    """Draw a field of the floor: one that is blocked is dark, and a bomb lies on it."""
    row, col = divmod(cell, scene.cols)
    canvas.begin(cell, label=f"row {row} column {col}: {in_words(scene.position, cell)}")
    anchor = scene.position.covered[cell] - 1
    is_blocked = anchor >= 0 and scene.position.kind[anchor] == rules.BLOCK
    place = scene.place(cell, 1, 1)
    bomb = scene.position.bomb[cell]
    canvas.paste(field(scene.rows, scene.height, *place, is_blocked=is_blocked, bomb=bomb))
    canvas.end()


@picture.cached
def field(
    canvas: picture.Canvas,
    rows: int,
    height: float,
    col: int,
    row: int,
    *,
    is_blocked: bool,
    bomb: int,
) -> None:
    """Draw a field, and a bomb on it with the mark of the player who laid it."""
    canvas.polygon(rhombus(rows, height, col, row, 0, 1), class_="cell")
    if is_blocked:
        canvas.polygon(rhombus(rows, height, col, row, 0.12, 0.88), fill="var(--faint)")
    if bomb:
        corners = rhombus(rows, height, col, row, 0, 1)
        x, y = (corners[0][0] + corners[2][0]) / 2, (corners[0][1] + corners[2][1]) / 2
        canvas.line(x + 4, y - 10, x + 11, y - 18, stroke="var(--alarm)", stroke_width=3)
        canvas.circle(x, y - 5, 9, fill="var(--pit)")
        canvas.circle(x, y - 5, 4, fill=f"var(--{COLOURS[bomb - 1]})")


def draw_sink(canvas: picture.Canvas, scene: Scene, anchor: int, name: int) -> None:
    """Draw a sink."""
    size = rules.height(scene.position.kind[anchor], rules.UPRIGHT)
    canvas.begin(anchor, piece=name)
    canvas.paste(pit(scene.rows, scene.height, *scene.place(anchor, size, size), size))
    canvas.end()


@picture.cached
def pit(canvas: picture.Canvas, rows: int, height: float, col: int, row: int, size: int) -> None:
    """Draw a pit, of which the bottom and the two far walls are seen."""
    near, right, far, left = rhombus(rows, height, col, row, GAP, size - GAP)
    # What lies lower looks nearer, so the bottom is a square that keeps to the near corner.
    bottom = rhombus(rows, height, col, row, GAP, size - GAP - PIT)
    canvas.polygon([left, far, bottom[2], bottom[3]], fill="var(--wall)")
    canvas.polygon([far, right, bottom[1], bottom[2]], fill="var(--faint)")
    canvas.polygon(bottom, fill="var(--pit)")
    canvas.polygon([near, right, far, left], fill="none", stroke="var(--pit)")


def draw_block(canvas: picture.Canvas, scene: Scene, box: Box, name: int) -> None:
    """Draw a block: its two near sides, its top with its value, ice if it is frozen."""
    kind = scene.position.kind[box.anchor]
    side = COLOURS[rules.owner(kind)]
    frozen = scene.position.frozen[box.anchor]
    text = f"{rules.worth(kind)}{FROST if frozen else ''}"
    size = (box.wide, box.deep, box.levels)
    canvas.begin(box.anchor, piece=name)
    at = (scene.rows, scene.height, box.col, box.row)
    canvas.paste(block(*at, size, side, text, frozen=bool(frozen)))
    canvas.end()


@picture.cached
def block(
    canvas: picture.Canvas,
    rows: int,
    height: float,
    col: int,
    row: int,
    size: tuple[int, int, int],
    side: str,
    text: str,
    *,
    frozen: bool,
) -> None:
    """Draw a block of so many columns, rows and levels whose nearest field is this."""
    wide, deep, levels = size
    left, right = col + GAP, col + wide - GAP
    near, back = row + GAP, row + deep - GAP
    floor = [point(rows, height, *at) for at in ((right, near), (left, near), (left, back))]
    corners = ((right, near), (left, near), (left, back), (right, back))
    top = [point(rows, height, *at, levels) for at in corners]
    for points, shade in (
        ([floor[0], floor[1], top[1], top[0]], "-side"),
        ([floor[1], floor[2], top[2], top[1]], "-dim"),
        (top, ""),
    ):
        look = {"stroke": "var(--one-ink)", "stroke_linejoin": "round"}
        canvas.polygon(points, fill=f"var(--{side}{shade})", **look)
        if frozen:
            canvas.polygon(points, fill="var(--ice)", opacity=0.6)
    x, y = (top[0][0] + top[2][0]) / 2, (top[0][1] + top[2][1]) / 2
    canvas.text(x, y, text, 18, font_weight="bold", fill=f"var(--{side}-ink)")


def in_words(position: Position, cell: int) -> str:
    """Return what stands on a field."""
    anchor = position.covered[cell] - 1
    bomb = f", bomb of {SIDE_NAMES[position.bomb[cell] - 1]}" if position.bomb[cell] else ""
    if anchor < 0:
        return f"free{bomb}"
    kind = position.kind[anchor]
    if rules.is_sink(kind):
        return f"sink{bomb}"
    if kind == rules.BLOCK:
        return "blocked"
    piece = PIECE_TYPES[rules.worth(kind) - 1]
    lie = "cube" if rules.is_cube(kind) else LIES[position.lie[anchor]]
    frozen = ", frozen" if position.frozen[anchor] else ""
    return f"{SIDE_NAMES[rules.owner(kind)]} {piece}, {lie}{frozen}"


def gesture(position: Position, action: int) -> tuple[list[int], str]:
    """Return the cells from and to of a roll or push; else the cell and what to do there."""
    cell, verb = divmod(action, rules.NUM_VERBS)
    if verb in (rules.BOMB, rules.FREEZE):
        return [cell], VERBS[verb]
    row, col, _ = rules.landing(position, cell, verb)
    return [cell, row * position.cols + col], ""


def origins(before: Position, action: int, after: Position) -> list[int]:
    """Return for every anchor in which cell it was before the move; other cells swap along."""
    came_from = list(range(before.rows * before.cols))
    cell, verb = divmod(action, rules.NUM_VERBS)
    if verb not in (rules.BOMB, rules.FREEZE):
        row, col, _ = rules.landing(before, cell, verb)
        to = row * before.cols + col
        if after.kind[to] == before.kind[cell]:
            came_from[cell], came_from[to] = to, cell
    return came_from
