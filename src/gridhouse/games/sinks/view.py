"""The picture of Sinks: the board is seen from a corner, so heights and lies of blocks are visible.

The nearest field is the bottom-left one for Light and the opposite one for Dark, so each player
sees the board from their own side.
"""

from __future__ import annotations

from typing import NamedTuple

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
ABOVE = 3 * HIGH + 12  # space for a block on the farthest field
PIT = 0.3  # the depth of a sink in the picture, in sides of a field
GAP = 0.04  # between objects and the edges of their fields
FROST = "❄"
COLOURS = ("one", "two")

LIES = ("upright", "lying across", "lying away")
VERBS = ("roll", "roll", "roll", "roll", "bomb", "freeze")


class Body(NamedTuple):
    """A block as the viewer sees it: its nearest column and row, and its size along the axes."""

    col: int
    row: int
    wide: int
    deep: int
    levels: int

    def is_beyond(self, other: Body) -> bool:
        """Tell whether a line between two rows or columns has this on its far side only."""
        return self.col >= other.col + other.wide or self.row >= other.row + other.deep

    def hides_behind(self, other: Body) -> bool:
        """Tell whether the other has to be drawn later; bodies side by side never overlap."""
        return self.is_beyond(other) and not other.is_beyond(self)


class Projection(NamedTuple):
    """The map from columns, rows and levels to points of a picture of this height."""

    rows: int
    height: float

    def point(self, col: float, row: float, level: float = 0.0) -> Point:
        """Return the point of a corner of a field."""
        x = picture.EDGE + (self.rows + col - row) * WIDE
        return x, self.height - picture.EDGE - (col + row) * TALL - level * HIGH

    def square(self, col: int, row: int, low: float, high: float) -> tuple[Point, ...]:
        """Return the corners of a square on the floor, from low to high in fields."""
        corners = ((low, low), (high, low), (high, high), (low, high))
        return tuple(self.point(col + right, row + up) for right, up in corners)


class Scene:
    """The board of a position from the side of a viewer."""

    def __init__(self, position: Position, viewer: int) -> None:
        """Look at a board from the side of a player."""
        self.position = position
        self.rows, self.cols = position.rows, position.cols
        self.turned = viewer == 1
        self.width = (self.rows + self.cols) * WIDE + 2 * picture.EDGE
        self.height = (self.rows + self.cols) * TALL + ABOVE + 2 * picture.EDGE
        self.projection = Projection(self.rows, self.height)

    def place(self, cell: int, wide: int, deep: int) -> tuple[int, int]:
        """Return the nearest column and row, as the viewer counts, of an object's anchor."""
        row, col = divmod(cell, self.cols)
        return (self.cols - col - wide, self.rows - row - deep) if self.turned else (col, row)

    def body(self, anchor: int) -> Body:
        """Return the body of the block with this anchor."""
        kind, lie = self.position.kind[anchor], self.position.lie[anchor]
        wide, deep = rules.width(kind, lie), rules.height(kind, lie)
        levels = 2 if rules.is_cube(kind) else rules.worth(kind) if lie == rules.UPRIGHT else 1
        return Body(*self.place(anchor, wide, deep), wide, deep, levels)


def draw(game: Game, position: Position, names: list[int], viewer: int) -> picture.Canvas:
    """Return the picture of a position from the viewer's side.

    The position is an observation: it has no bombs that the viewer may not see.
    """
    del game
    scene = Scene(position, viewer)
    title = f"Sinks, {scene.rows} by {scene.cols}"
    canvas = picture.Canvas(scene.width, scene.height, title)
    canvas.paste(edge(scene.projection, scene.cols, turned=scene.turned))
    for cell in range(scene.rows * scene.cols):
        draw_field(canvas, scene, cell)
    for number in range(position.num_anchors[rules.SINKS]):
        anchor = rules.anchor_of(position, rules.SINKS, number)
        draw_sink(canvas, scene, anchor, names[anchor])
    for anchor in back_to_front(scene):
        draw_block(canvas, scene, anchor, names[anchor])
    return canvas


def back_to_front(scene: Scene) -> list[int]:
    """Return the anchors of all blocks, each after the blocks that it may hide."""
    position = scene.position
    anchors = [
        rules.anchor_of(position, player, number)
        for player in range(2)
        for number in range(position.num_anchors[player])
    ]
    bodies = {anchor: scene.body(anchor) for anchor in anchors}
    ordered: list[int] = []
    while bodies:
        # Hiding has no cycles, so at least one block hides no other.
        farthest = next(
            anchor
            for anchor, body in bodies.items()
            if not any(other.hides_behind(body) for other in bodies.values())
        )
        del bodies[farthest]
        ordered.append(farthest)
    return ordered


@picture.cached
def edge(canvas: picture.Canvas, projection: Projection, cols: int, *, turned: bool) -> None:
    """Write the numbers of rows and columns along the two near edges."""
    rows = projection.rows
    for col in range(cols):
        x, y = projection.point((cols - 1 - col if turned else col) + 0.5, -0.45)
        canvas.text(x, y, str(col), 14, class_="label")
    for row in range(rows):
        x, y = projection.point(-0.45, (rows - 1 - row if turned else row) + 0.5)
        canvas.text(x, y, str(row), 14, class_="label")


def draw_field(canvas: picture.Canvas, scene: Scene, cell: int) -> None:
    """Draw a field of the floor, with its blocked square or its bomb."""
    row, col = divmod(cell, scene.cols)
    canvas.begin(cell, label=f"row {row} column {col}: {in_words(scene.position, cell)}")
    anchor = scene.position.covered[cell] - 1
    is_blocked = anchor >= 0 and scene.position.kind[anchor] == rules.BLOCK
    place = scene.place(cell, 1, 1)
    bomb = scene.position.bomb[cell]
    canvas.paste(field(scene.projection, *place, is_blocked=is_blocked, bomb=bomb))
    canvas.end()


@picture.cached
def field(
    canvas: picture.Canvas,
    projection: Projection,
    col: int,
    row: int,
    *,
    is_blocked: bool,
    bomb: int,
) -> None:
    """Draw a field, and its bomb in the colour of the player who laid it."""
    corners = projection.square(col, row, 0, 1)
    canvas.polygon(corners, class_="cell")
    if is_blocked:
        canvas.polygon(projection.square(col, row, 0.12, 0.88), fill="var(--faint)")
    if bomb:
        x, y = (corners[0][0] + corners[2][0]) / 2, (corners[0][1] + corners[2][1]) / 2
        canvas.line(x + 4, y - 10, x + 11, y - 18, stroke="var(--alarm)", stroke_width=3)
        canvas.circle(x, y - 5, 9, fill="var(--pit)")
        canvas.circle(x, y - 5, 4, fill=f"var(--{COLOURS[bomb - 1]})")


def draw_sink(canvas: picture.Canvas, scene: Scene, anchor: int, name: int) -> None:
    """Draw a sink."""
    size = rules.height(scene.position.kind[anchor], rules.UPRIGHT)
    canvas.begin(anchor, piece=name)
    canvas.paste(pit(scene.projection, *scene.place(anchor, size, size), size))
    canvas.end()


@picture.cached
def pit(canvas: picture.Canvas, projection: Projection, col: int, row: int, size: int) -> None:
    """Draw a pit: its bottom and its two far walls."""
    near, right, far, left = projection.square(col, row, GAP, size - GAP)
    # Lower points look nearer, so the bottom is a square at the near corner.
    bottom = projection.square(col, row, GAP, size - GAP - PIT)
    canvas.polygon([left, far, bottom[2], bottom[3]], fill="var(--wall)")
    canvas.polygon([far, right, bottom[1], bottom[2]], fill="var(--faint)")
    canvas.polygon(bottom, fill="var(--pit)")
    canvas.polygon([near, right, far, left], fill="none", stroke="var(--pit)")


def draw_block(canvas: picture.Canvas, scene: Scene, anchor: int, name: int) -> None:
    """Draw a block: its two near sides, its top with its value, ice if it is frozen."""
    kind = scene.position.kind[anchor]
    side = COLOURS[rules.owner(kind)]
    frozen = scene.position.frozen[anchor]
    text = f"{rules.worth(kind)}{FROST if frozen else ''}"
    canvas.begin(anchor, piece=name)
    canvas.paste(block(scene.projection, scene.body(anchor), side, text, frozen=bool(frozen)))
    canvas.end()


@picture.cached
def block(
    canvas: picture.Canvas,
    projection: Projection,
    body: Body,
    side: str,
    text: str,
    *,
    frozen: bool,
) -> None:
    """Draw a body in the colour of a side, with a text on its top."""
    left, right = body.col + GAP, body.col + body.wide - GAP
    near, back = body.row + GAP, body.row + body.deep - GAP
    corners = ((right, near), (left, near), (left, back), (right, back))
    floor = [projection.point(*corner) for corner in corners[:3]]
    top = [projection.point(*corner, body.levels) for corner in corners]
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
    """Return the object and the bomb on a field in words."""
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
    """Return the cells from and to of a roll or push; else the cell and the verb."""
    cell, verb = divmod(action, rules.NUM_VERBS)
    if verb in (rules.BOMB, rules.FREEZE):
        return [cell], VERBS[verb]
    row, col, _ = rules.landing(position, cell, verb)
    return [cell, row * position.cols + col], ""


def origins(before: Position, action: int, after: Position) -> list[int]:
    """Return for every cell the cell of its object's anchor before the move."""
    came_from = list(range(before.rows * before.cols))
    cell, verb = divmod(action, rules.NUM_VERBS)
    if verb not in (rules.BOMB, rules.FREEZE):
        row, col, _ = rules.landing(before, cell, verb)
        to = row * before.cols + col
        if after.kind[to] == before.kind[cell]:
            came_from[cell], came_from[to] = to, cell
    return came_from
