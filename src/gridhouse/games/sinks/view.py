"""The picture of Sinks: blocks with light and shadow, from above or from one of eight directions.

Each player has the cameras of their own side: the nearest corner of the default camera is the
bottom-left one for Light and the opposite one for Dark.  Where a block hides something, it is seen
through the block.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

from gridhouse.core import picture
from gridhouse.games.sinks import projection, rules
from gridhouse.games.sinks.notation import PIECE_TYPES, SIDE_NAMES
from gridhouse.games.sinks.projection import (
    CORNER,
    GAP,
    Body,
    Camera,
    area,
    clip,
    far_to_near,
    hull,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gridhouse.games.sinks.game import SinksGame
    from gridhouse.games.sinks.rules import Position

    Spot = tuple[float, float, float]

CAMERAS = projection.NAMES
DEFAULT_CAMERA = 1  # a narrow screen begins with camera 0, from above

PIT = 0.6  # the depth of a sink in the picture, in levels
BAR = (10, 4, 7)  # width, height and distance, in units, of the bars for levels seen from above
SEEN_THROUGH = 0.5  # the opacity of what a block hides
APART = 18  # units between two values that do not disturb each other
FUNNEL = 0.14  # from the rim to the bottom of a sink seen from above, in fields
STONE = 0.12  # around a blocked square, in fields
SOFT = (1.0, 0.8, 0.6)  # a shadow gets lighter towards its end
SMALLEST = 1.0  # square units of a part of a picture that is drawn
FROST = "❄"
COLOURS = ("one", "two")

LIES = ("upright", "lying across", "lying away")
VERBS = ("roll", "roll", "roll", "roll", "bomb", "freeze")


class Look(NamedTuple):
    """What an object looks like: its colour, its text, and whether it is frozen.

    The colour is one of a player, ``pit`` or ``stone``; a bomb has its owner's and no text.
    """

    colour: str
    text: str = ""
    frozen: bool = False


PIT_LOOK, STONE_LOOK = Look("pit"), Look("stone")


class Thing:
    """An object of the board as a camera sees it; ``thing_at`` keeps it for later pictures.

    ``box`` are the left, upper, right and lower limits of its silhouette.
    """

    def __init__(
        self, camera: Camera, cell: int, wide: int, deep: int, levels: int, look: Look
    ) -> None:
        """Put an object on its first cell and those to the right of and above it."""
        row, col = divmod(cell, camera.cols)
        self.cell = cell
        self.cells = [
            r * camera.cols + c for r in range(row, row + deep) for c in range(col, col + wide)
        ]
        self.roll = f"{col} {row} {wide} {deep} {levels} {look.colour}"  # what a page rolls
        self.body = camera.body(row, col, wide, deep, levels)
        self.look = look
        outline = camera.silhouette(self.body)
        across, down = [x for x, _ in outline], [y for _, y in outline]
        self.box = min(across), min(down), max(across), max(down)

    def may_touch(self, other: Thing) -> bool:
        """Tell whether the boxes of two objects have a point in common."""
        left, top, right, bottom = self.box
        other_left, other_top, other_right, other_bottom = other.box
        return (
            left <= other_right
            and other_left <= right
            and top <= other_bottom
            and other_top <= bottom
        )


thing_at = lru_cache(maxsize=picture.CACHE_SIZE)(Thing)


class Scene:
    """The board of a position as a camera sees it."""

    def __init__(self, position: Position, camera: Camera) -> None:
        """Look at a position with a camera."""
        self.position = position
        self.camera = camera

    def thing(self, anchor: int, look: Look) -> Thing:
        """Return the object with this anchor."""
        kind, lie = self.position.kind[anchor], self.position.lie[anchor]
        size = rules.width(kind, lie), rules.height(kind, lie), levels_of(kind, lie)
        return thing_at(self.camera, anchor, *size, look)

    def pits(self) -> list[Thing]:
        """Return all sinks."""
        return [self.thing(anchor, PIT_LOOK) for anchor in anchors_of(self.position, rules.SINKS)]

    def litter(self) -> list[Thing]:
        """Return the blocked squares and the bombs."""
        position = self.position
        found = []
        for cell in range(position.rows * position.cols):
            if position.kind[cell] == rules.BLOCK:
                found.append(thing_at(self.camera, cell, 1, 1, 0, STONE_LOOK))
            elif position.bomb[cell]:
                look = Look(COLOURS[position.bomb[cell] - 1])
                found.append(thing_at(self.camera, cell, 1, 1, 0, look))
        return found

    def blocks(self) -> list[Thing]:
        """Return all blocks, each after the blocks that it may hide."""
        position = self.position
        found = []
        for player in range(2):
            for anchor in anchors_of(position, player):
                frozen = bool(position.frozen[anchor])
                text = f"{rules.worth(position.kind[anchor])}{FROST if frozen else ''}"
                found.append(self.thing(anchor, Look(COLOURS[player], text, frozen)))
        return [found[at] for at in far_to_near(tuple(thing.body for thing in found))]


def anchors_of(position: Position, group: int) -> list[int]:
    """Return the anchors of a player's blocks or of the sinks."""
    return [
        rules.anchor_of(position, group, number) for number in range(position.num_anchors[group])
    ]


def levels_of(kind: int, lie: int) -> int:
    """Return the height of an object, 0 for a sink or a blocked square."""
    if not rules.is_piece(kind):
        return 0
    if rules.is_cube(kind):
        return 2
    return rules.worth(kind) if lie == rules.UPRIGHT else 1


def draw(
    game: SinksGame, position: Position, names: list[int], viewer: int, camera: int
) -> picture.Canvas:
    """Return the picture of a position from the viewer's side, with a camera of ``CAMERAS``.

    The position is an observation: it has no bombs that the viewer may not see.
    """
    rows, cols = position.rows, position.cols
    scene = Scene(position, projection.camera(camera, viewer, rows, cols, room_for(game, position)))
    canvas = picture.Canvas(*scene.camera.extent, f"Sinks, {rows} by {cols}")
    canvas.facts["data-camera"] = matrix_of(scene.camera)
    canvas.paste(edge(scene.camera))
    for cell in range(rows * cols):
        canvas.paste(field(scene.camera, cell, in_words(position, cell)))
    pits, litter, blocks = scene.pits(), scene.litter(), scene.blocks()
    canvas.paste("\n".join(lying(scene.camera, thing) for thing in litter))
    for thing in pits:
        canvas.paste(sink(scene.camera, thing, names[thing.cell]))
    for thing in blocks:
        canvas.paste(shadow(scene.camera, thing, names[thing.cell]))
    behind = [*litter, *pits]
    for thing in blocks:
        hidden = [other for other in behind if other.may_touch(thing)]
        canvas.paste(block(scene.camera, thing, names[thing.cell], *hidden))
        behind.append(thing)
    return canvas


def room_for(game: SinksGame, position: Position) -> int:
    """Return the levels of the tallest block of the game, so that no picture of it is higher."""
    return max(room_at_start(game), *(levels_of(kind, rules.UPRIGHT) for kind in {*position.kind}))


@lru_cache(maxsize=picture.CACHE_SIZE)
def room_at_start(game: SinksGame) -> int:
    """Return the levels of the tallest block at the start of a game."""
    return max(levels_of(kind, rules.UPRIGHT) for kind in game.initial_position("").kind)


@lru_cache(maxsize=picture.CACHE_SIZE)
def matrix_of(camera: Camera) -> str:
    """Return the projection of a camera for a page."""
    return " ".join(map(picture.format_number, camera.matrix()))


def cells_at(position: Position, row: int, col: int, kind: int, lie: int) -> list[int]:
    """Return the cells that an object would cover."""
    return [
        r * position.cols + c
        for r in range(row, row + rules.height(kind, lie))
        for c in range(col, col + rules.width(kind, lie))
    ]


@picture.cached
def edge(canvas: picture.Canvas, camera: Camera) -> None:
    """Write the numbers of rows and columns along the near edges."""
    for (x, y), number in camera.numbers():
        canvas.text(x, y, str(number), 14, class_="label")


@picture.cached
def field(canvas: picture.Canvas, camera: Camera, cell: int, words: str) -> None:
    """Draw an empty field; the words say what is on it."""
    row, col = divmod(cell, camera.cols)
    floor = camera.floor(camera.body(row, col, 1, 1, 0).corners(0))
    canvas.begin(cell, label=f"row {row} column {col}: {words}")
    canvas.polygon(floor, class_="cell")
    canvas.end()


@picture.cached
def shadow(canvas: picture.Canvas, camera: Camera, thing: Thing, name: int) -> None:
    """Draw the shadow of a block with a name on the floor."""
    canvas.begin_group(class_=f"shadow-{name}")
    for share in SOFT:
        points = camera.shadow(thing.body, share)
        canvas.polygon(points, fill="var(--shadow)", pointer_events="none")
    canvas.end()


@picture.cached
def lying(canvas: picture.Canvas, camera: Camera, thing: Thing) -> None:
    """Draw a blocked square or a bomb."""
    canvas.begin_group(data_cell=thing.cell)
    if thing.look == STONE_LOOK:
        canvas.polygon(camera.floor(thing.body.corners(STONE)), fill="var(--faint)")
    else:
        draw_bomb(canvas, camera, thing)
    canvas.end()


def draw_bomb(canvas: picture.Canvas, camera: Camera, thing: Thing) -> None:
    """Draw a bomb in the colour of the player who laid it."""
    x, y = camera.point(thing.body.col + 0.5, thing.body.row + 0.5)
    canvas.line(x + 4, y - 10, x + 11, y - 18, stroke="var(--alarm)", stroke_width=3)
    canvas.circle(x, y - 5, 9, fill="var(--pit)", stroke="var(--rim)")
    canvas.circle(x, y - 5, 4, fill=f"var(--{thing.look.colour})")


@picture.cached
def sink(canvas: picture.Canvas, camera: Camera, thing: Thing, name: int) -> None:
    """Draw a sink with a name, which is a pit: its far walls, its bottom and its rim."""
    body = thing.body
    rim = camera.floor(body.corners())
    canvas.begin(thing.cell, piece=name, cells=thing.cells)
    if camera.is_flat:
        canvas.polygon(rim, fill="var(--wall)")
        canvas.polygon(camera.floor(body.corners(FUNNEL)), fill="var(--pit)")
    else:
        low, window = camera.floor(body.corners(), -PIT), hull(rim)
        for shade, points in (
            ("pit", low),
            ("wall", [rim[1], rim[2], low[2], low[1]]),
            ("wall-dim", [rim[2], rim[3], low[3], low[2]]),
        ):
            seen = clip(points, window)
            if area(seen) > SMALLEST:
                canvas.polygon(seen, fill=f"var(--{shade})")
    canvas.polygon(rim, class_="outline", fill="none", stroke="var(--rim)", stroke_width=2)
    canvas.end()


@picture.cached
def block(canvas: picture.Canvas, camera: Camera, thing: Thing, name: int, *behind: Thing) -> None:
    """Draw a block with a name, and over it what it hides of the things behind it."""
    canvas.begin(thing.cell, piece=name, cells=thing.cells, data_roll=thing.roll)
    canvas.paste(faces(camera, thing))
    for other in behind:
        hidden = ghost(camera, other, thing)
        if hidden:
            canvas.begin_group(data_cell=other.cell)
            canvas.paste(hidden)
            canvas.end()
    canvas.paste(value(camera, thing))
    canvas.end()


@picture.cached
def faces(canvas: picture.Canvas, camera: Camera, thing: Thing) -> None:
    """Draw the visible faces of a block."""
    body, look = thing.body, thing.look
    ink, line = f"var(--{look.colour}-ink)", f"var(--{look.colour}-edge)"
    for shade, points in camera.faces(body):
        fill = f"var(--{look.colour}{shade})"
        canvas.polygon(points, fill=fill, stroke=line, stroke_width=1.5, stroke_linejoin="round")
        if look.frozen:
            canvas.polygon(points, fill="var(--ice)", opacity=0.6)
    for start, end in seams(camera, body):
        canvas.line(*camera.point(*start), *camera.point(*end), stroke=line)
    if camera.is_flat and body.levels > 1:
        draw_height(canvas, camera, body, ink)
    canvas.polygon(camera.silhouette(body), class_="outline", fill="none")


@picture.cached
def value(canvas: picture.Canvas, camera: Camera, thing: Thing) -> None:
    """Write the value of a block."""
    for x, y, size in places_of_value(camera, thing.body):
        write(canvas, x, y, thing.look, size)


def write(canvas: picture.Canvas, x: float, y: float, look: Look, size: float) -> None:
    """Write the value of a block, with a seam of the block's colour around it."""
    canvas.text(
        x, y, look.text, size, font_weight="bold", fill=f"var(--{look.colour}-ink)",
        stroke=f"var(--{look.colour})", stroke_width=3, paint_order="stroke",
    )  # fmt: skip


def seams(camera: Camera, body: Body) -> list[tuple[Spot, Spot]]:
    """Return the visible lines between the units of a block that is longer in one direction."""
    (left, near), (right, _), (_, far), _ = body.corners()
    top = body.levels
    on_top: list[tuple[Spot, Spot]] = []
    in_front: list[tuple[Spot, Spot]] = []
    on_left: list[tuple[Spot, Spot]] = []
    if body.wide == body.deep == 2:
        return []
    for level in range(1, top):
        in_front.append(((left, near, level), (right, near, level)))
        on_left.append(((left, near, level), (left, far, level)))
    for col in range(body.col + 1, body.col + body.wide):
        on_top.append(((col, near, top), (col, far, top)))
        in_front.append(((col, near, 0), (col, near, top)))
    for row in range(body.row + 1, body.row + body.deep):
        on_top.append(((left, row, top), (right, row, top)))
        on_left.append(((left, row, 0), (left, row, top)))
    return on_top + in_front * (not camera.is_flat) + on_left * (camera.kind is CORNER)


def places_of_value(camera: Camera, body: Body) -> list[tuple[float, float, float]]:
    """Return middles and font sizes of a block's value: on its top, if it lies also on a side."""
    col, row = body.col + body.wide / 2, body.row + body.deep / 2
    if camera.is_flat:
        has_bars = body.levels > 1
        return [(*camera.point(col - 0.12 * has_bars, row), 26)]
    places = [(*camera.point(col, row, body.levels), 20.0)]
    if body.wide != body.deep:
        on_left = body.deep > 1 and camera.kind is CORNER
        spot = (body.col + GAP, row, 0.5) if on_left else (col, body.row + GAP, 0.5)
        places.append((*camera.point(*spot), 17))
    return places


def draw_height(canvas: picture.Canvas, camera: Camera, body: Body, ink: str) -> None:
    """Draw a stack of bars beside the value of an upright block, one for each level."""
    wide, high, step = BAR
    x, y = camera.point(body.col + body.wide - GAP, body.row + body.deep / 2)
    for level in range(body.levels):
        at = y + step * ((body.levels - 1) / 2 - level)
        canvas.line(x - 5 - wide, at, x - 5, at, stroke=ink, stroke_width=high)


@picture.cached
def ghost(canvas: picture.Canvas, camera: Camera, thing: Thing, front: Thing) -> None:
    """Draw the part of an object that a block in front of it hides, if there is one."""
    body, look, window = thing.body, thing.look, camera.silhouette(front.body)
    spot = camera.point(body.col + body.wide / 2, body.row + body.deep / 2, body.levels)
    is_inside = bool(clip([spot], window))
    if look.colour in ("pit", "stone"):
        shapes = [("pit" if look.colour == "pit" else "faint", camera.floor(body.corners()))]
    elif body.levels:
        shapes = [(look.colour + shade, points) for shade, points in camera.faces(body)]
    else:
        shapes = []
        if is_inside:
            draw_bomb(canvas, camera, thing)
    line = "rim" if look.colour in ("pit", "stone") else f"{look.colour}-edge"
    for fill, points in shapes:
        seen = clip(points, window)
        if area(seen) > SMALLEST:
            canvas.polygon(
                seen, fill=f"var(--{fill})", fill_opacity=SEEN_THROUGH,
                stroke=f"var(--{line})", stroke_dasharray="4 3",
            )  # fmt: skip
    values = [math.dist(spot, (x, y)) for x, y, _ in places_of_value(camera, front.body)]
    if look.text and is_inside and min(values) > APART:
        write(canvas, *spot, look, 20)


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


def landing(position: Position, action: int) -> list[int]:
    """Return the cells that a block or a sink will newly cover, [] for a bomb or a freezing."""
    cell, verb = divmod(action, rules.NUM_VERBS)
    if verb in (rules.BOMB, rules.FREEZE):
        return []
    kind = position.kind[cell]
    row, col, lie = rules.landing(position, cell, verb)
    covered = cells_at(position, row, col, kind, lie)
    return [at for at in covered if position.covered[at] != cell + 1]


def obstacles(position: Position, action: int) -> list[int]:
    """Return the anchors of what stands where a block or a sink would come to lie."""
    cell, verb = divmod(action, rules.NUM_VERBS)
    is_move = verb not in (rules.BOMB, rules.FREEZE)
    if not is_move or rules.refusal(position, action) != rules.Refusal.NOT_FREE:
        return []
    row, col, lie = rules.landing(position, cell, verb)
    covered = {
        position.covered[at] - 1 for at in cells_at(position, row, col, position.kind[cell], lie)
    }
    return sorted(covered - {rules.NOWHERE, cell})


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
