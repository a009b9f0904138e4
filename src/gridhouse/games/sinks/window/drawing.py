"""Drawing the window of Sinks: board, blocks, panel, and the other pages."""

from __future__ import annotations

import math
from typing import NamedTuple

from gridhouse.games.sinks import rules
from gridhouse.games.sinks.notation import PIECE_TYPES, SIDE_NAMES
from gridhouse.games.sinks.rules import BOMB, FREEZE, NOWHERE
from gridhouse.games.sinks.window import blocks, layout
from gridhouse.games.sinks.window.canvas import blend
from gridhouse.games.sinks.window.layout import Box, rise
from gridhouse.games.sinks.window.session import GAME_OVER, MODES, Screen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from gridhouse.games.sinks.rules import Position
    from gridhouse.games.sinks.window.blocks import Body, Rotation
    from gridhouse.games.sinks.window.canvas import Canvas, Colour, Point
    from gridhouse.games.sinks.window.layout import Place
    from gridhouse.games.sinks.window.session import Session, Target

ROOM = (38, 44, 54)
CARD = (52, 60, 72)
CARD_LIT = (70, 81, 97)
INK = (232, 234, 238)
FAINT = (150, 160, 174)
ROOM_LIT = (44, 51, 62)
DULL = (98, 107, 121)
GOLD = (246, 192, 74)
ALARM = (255, 138, 120)
FRAME = (92, 62, 40)
FRAME_EDGE = (64, 42, 26)
WOOD = ((206, 172, 128), (197, 162, 117))
WOOD_LINE = (164, 130, 90)
SHADOW = (164, 132, 93)
MARK = (92, 118, 150)
PIT_RIM = (116, 84, 56)
PIT = (10, 8, 10)
STONE = (128, 128, 126)
STONE_LINE = (92, 92, 92)
GO = (94, 158, 98)
GO_EDGE = (38, 104, 52)
ICE = (150, 212, 250)
ICE_DARK = (36, 96, 160)
NO_GLOWS: Mapping[int, Colour] = {}
BOMB_DARK = (34, 34, 40)
TYPED_SIZE = 20  # font size of the typed line
FLAME = ((214, 70, 34), (250, 160, 40), (255, 236, 150))


class Paint(NamedTuple):
    """The colours of a block: its top, its front, the letter on it, its edges."""

    top: Colour
    front: Colour
    letter: Colour
    edge: Colour


PAINTS = (
    Paint((248, 240, 220), (205, 184, 146), (92, 66, 36), (150, 126, 88)),
    Paint((86, 80, 104), (48, 43, 62), (236, 232, 244), (26, 22, 34)),
)


def paint_of(kind: int, frozen: int) -> Paint:
    """Return the colours of a piece; a frozen one is tinted with ice."""
    paint = PAINTS[rules.owner(kind)]
    if not frozen:
        return paint
    return Paint(blend(paint.top, ICE, 0.55), blend(paint.front, ICE, 0.45), paint.letter, ICE_DARK)


# The board.


def rim_box(place: Place) -> Box:
    """Return the rectangle of a board and its frame."""
    return place.whole().shrunk(-0.43 * place.field)


def draw_ground(canvas: Canvas, place: Place) -> None:
    """Draw the frame and the empty fields."""
    canvas.rectangle(rim_box(place), FRAME_EDGE)
    canvas.rectangle(rim_box(place).shrunk(2), FRAME)
    canvas.rectangle(place.whole().shrunk(-3), FRAME_EDGE)
    for cell in range(place.rows * place.cols):
        row, col = divmod(cell, place.cols)
        canvas.rectangle(place.cell_box(cell), WOOD_LINE)
        canvas.rectangle(place.cell_box(cell).shrunk(0.5), WOOD[(row + col) % 2])


def draw_numbers(canvas: Canvas, place: Place) -> None:
    """Write the numbers of rows and columns on the frame."""
    for row in range(place.rows):
        x, y = place.box(row, 0).centre()
        canvas.text((x - place.field / 2 - 14, y), 17, INK, str(row))
    for col in range(place.cols):
        x, y = place.box(0, col).centre()
        canvas.text((x, y - place.field / 2 - 15), 17, INK, str(col))


def object_box(place: Place, position: Position, anchor: int) -> Box:
    """Return the rectangle of the fields that an object covers."""
    kind, lie = position.kind[anchor], position.lie[anchor]
    row, col = divmod(anchor, place.cols)
    return place.box(row, col, rules.height(kind, lie), rules.width(kind, lie))


def draw_pit(canvas: Canvas, box: Box, field: float) -> None:
    """Draw a sink as a hole."""
    steps = 12
    for step in range(steps):
        side, far = field * (0.06 + 0.011 * step), field * (0.06 + 0.024 * step)
        hole = Box(
            box.left + side, box.bottom + side / 1.5, box.width - 2 * side, box.height - side - far
        )
        canvas.rectangle(hole, blend(PIT_RIM, PIT, step / (steps - 1)))


def draw_stone(canvas: Canvas, box: Box) -> None:
    """Draw a blocked field, hatched."""
    inner = box.shrunk(box.width * 0.07)
    canvas.rectangle(inner, STONE)
    size = inner.width - 3
    for step in range(1, 10):
        shift = size * step / 5
        low, high = max(0.0, shift - size), min(size, shift)
        start = (inner.left + low, inner.bottom + shift - low)
        canvas.line(start, (inner.left + high, inner.bottom + shift - high), STONE_LINE)
    canvas.frame(inner, STONE_LINE, 2)


def draw_bomb(canvas: Canvas, box: Box) -> None:
    """Draw a bomb with its fuse."""
    x, y = box.centre()
    radius = box.width * 0.24
    canvas.line((x + radius * 0.6, y + radius * 0.6), (x + radius * 1.3, y + radius * 1.4), FRAME)
    canvas.star((x + radius * 1.35, y + radius * 1.5), radius * 0.5, FLAME[1])
    canvas.disc((x, y), radius, BOMB_DARK)
    canvas.disc((x - radius * 0.35, y + radius * 0.35), radius * 0.25, FAINT)


def draw_snowflake(canvas: Canvas, centre: Point, radius: float, colour: Colour) -> None:
    """Draw a star of six arms with barbs."""
    x, y = centre
    for arm in range(6):
        angle = math.tau * (arm / 6 + 1 / 12)
        tip = (x + radius * math.cos(angle), y + radius * math.sin(angle))
        canvas.line(centre, tip, colour)
        root = (x + radius * 0.55 * math.cos(angle), y + radius * 0.55 * math.sin(angle))
        for bend in (-0.9, 0.9):
            barb = radius * 0.36
            end = (root[0] + barb * math.cos(angle + bend), root[1] + barb * math.sin(angle + bend))
            canvas.line(root, end, colour)


def draw_shadow(canvas: Canvas, place: Place, block: Body) -> None:
    """Draw the shadow of a body on the board, to its right."""
    (left, low, _), (across, away, high) = block.corner, block.extents
    inset, reach = layout.INSET, 0.12 * high
    right, near, far = left + across - inset, low + inset, low + away - inset
    corners = (
        (right, near),
        (right + reach, near + reach),
        (right + reach, far + reach / 2),
        (right, far),
    )
    canvas.polygon([place.point(x, y, 0) for x, y in corners], SHADOW)


def draw_body(canvas: Canvas, place: Place, block: Body, paint: Paint, turn: Rotation) -> None:
    """Draw the visible faces of a body, with an edge line at every unit."""
    for face in blocks.faces(block, turn):
        points = [place.point(*corner) for corner in face.corners]
        canvas.polygon(points, blend(paint.front, paint.top, max(0.0, face.upward)))
        canvas.outline(points, blend(paint.edge, paint.top, 0.25 * max(0.0, face.upward)))


def top_box(place: Place, position: Position, anchor: int) -> Box:
    """Return the rectangle of the visible top of a piece."""
    box = object_box(place, position, anchor).shrunk(layout.INSET * place.field)
    height = rise(position.kind[anchor], position.lie[anchor]) - layout.INSET
    return box._replace(bottom=box.bottom + height * layout.LIFT * place.field)


def silhouette(place: Place, position: Position, anchor: int) -> Box:
    """Return the rectangle of a piece's visible front and top."""
    box = object_box(place, position, anchor).shrunk(layout.INSET * place.field)
    top = top_box(place, position, anchor)
    return box._replace(height=top.bottom + top.height - box.bottom)


def draw_piece(canvas: Canvas, place: Place, position: Position, anchor: int) -> None:
    """Draw a piece: its body, its letter, and a snowflake if it is frozen."""
    kind, lie, frozen = position.kind[anchor], position.lie[anchor], position.frozen[anchor]
    row, col = divmod(anchor, place.cols)
    paint = paint_of(kind, frozen)
    block = blocks.body(row, col, kind, lie)
    draw_body(canvas, place, block, paint, blocks.STILL)
    canvas.frame(silhouette(place, position, anchor), paint.edge)
    top = top_box(place, position, anchor)
    x, y = top.centre()
    if lie:
        half = (0.5 - layout.INSET) * place.field
        x, y = top.left + half, top.bottom + half
    size = place.field * (0.75 if rules.is_cube(kind) else 0.46)
    if frozen:
        flake = place.field * 0.17
        spot = (top.left + top.width - flake * 1.3, top.bottom + top.height - flake * 1.3)
        draw_snowflake(canvas, spot, flake, ICE_DARK)
        canvas.frame(top, ICE_DARK, 2)
        x, y = x - flake * 0.5, y - flake * 0.4
    canvas.text((x, y), round(size), paint.letter, PIECE_TYPES[rules.worth(kind) - 1])


def anchors_of(position: Position) -> list[int]:
    """Return the anchors of all objects, the farthest first."""
    cells = [cell for cell, kind in enumerate(position.kind) if kind]
    return sorted(cells, key=lambda cell: -(cell // position.cols))


def draw_floor_objects(canvas: Canvas, place: Place, position: Position) -> None:
    """Draw the shadows of the pieces, then blocked fields, sinks and bombs."""
    for anchor in anchors_of(position):
        kind = position.kind[anchor]
        if rules.is_piece(kind):
            row, col = divmod(anchor, place.cols)
            draw_shadow(canvas, place, blocks.body(row, col, kind, position.lie[anchor]))
    for anchor in anchors_of(position):
        box = object_box(place, position, anchor)
        if position.kind[anchor] == rules.BLOCK:
            draw_stone(canvas, box)
        elif not rules.is_piece(position.kind[anchor]):
            draw_pit(canvas, box, place.field)
    for cell, bomb in enumerate(position.bomb):
        if bomb:
            draw_bomb(canvas, place.cell_box(cell))


def draw_pieces(
    canvas: Canvas, place: Place, position: Position, glows: Mapping[int, Colour] = NO_GLOWS
) -> None:
    """Draw all pieces from back to front, some with a glow around them."""
    for anchor in anchors_of(position):
        if rules.is_piece(position.kind[anchor]):
            if anchor in glows:
                canvas.rectangle(silhouette(place, position, anchor).shrunk(-5), glows[anchor])
            draw_piece(canvas, place, position, anchor)


def draw_board(canvas: Canvas, place: Place, position: Position) -> None:
    """Draw a board with its objects."""
    draw_ground(canvas, place)
    draw_floor_objects(canvas, place, position)
    draw_pieces(canvas, place, position)


# Marks for the player.


def cells_box(place: Place, cells: tuple[int, ...]) -> Box:
    """Return the bounding rectangle of cells."""
    row, col = divmod(min(cells), place.cols)
    last_row, last_col = divmod(max(cells), place.cols)
    return place.box(row, col, last_row - row + 1, last_col - col + 1)


def draw_arrow(canvas: Canvas, centre: Point, radius: float, verb: int, colour: Colour) -> None:
    """Draw a triangle that points in a direction."""
    x, y = centre
    dx, dy = ((-1, 0), (1, 0), (0, 1), (0, -1))[verb]
    tip = (x + dx * radius, y + dy * radius)
    base = (x - dx * radius * 0.6, y - dy * radius * 0.6)
    wing = (dy * radius, dx * radius)
    ends = [(base[0] - wing[0], base[1] - wing[1]), (base[0] + wing[0], base[1] + wing[1])]
    canvas.polygon([tip, *ends], colour)


def draw_target(canvas: Canvas, place: Place, target: Target) -> None:
    """Draw a landing area with an arrow, with a gold ring if a piece will sink."""
    box = cells_box(place, target.cells).shrunk(place.field * 0.07)
    if not target.sinks:
        canvas.rectangle(box, blend(WOOD[0], GO, 0.55))
    edge = GOLD if target.sinks else GO_EDGE
    canvas.frame(box, edge, 4 if target.sinks else 3)
    if target.sinks:
        canvas.disc(box.centre(), place.field * 0.3, PIT)
        canvas.ring(box.centre(), place.field * 0.3, GOLD)
    draw_arrow(canvas, box.centre(), place.field * 0.17, target.verb, edge)


def glows_of(session: Session) -> dict[int, Colour]:
    """Return the pieces with a glow: the selected one, or those that may be frozen."""
    if session.mode == FREEZE:
        return dict.fromkeys(session.legal_cells(FREEZE), ICE)
    return {session.selected: GOLD}


def draw_cursor(canvas: Canvas, box: Box) -> None:
    """Draw the corners of the field under the keyboard's cursor."""
    arm, width = box.width * 0.3, 5
    for left in (box.left, box.left + box.width - arm):
        for bottom in (box.bottom, box.bottom + box.height - width):
            canvas.rectangle(Box(left, bottom, arm, width), ICE_DARK)
    for left in (box.left, box.left + box.width - width):
        for bottom in (box.bottom, box.bottom + box.height - arm):
            canvas.rectangle(Box(left, bottom, width, arm), ICE_DARK)


def draw_table(canvas: Canvas, session: Session) -> None:
    """Draw the board of the game with the selection and its possible moves."""
    place, position = session.place(), session.seen()
    targets = session.targets()
    draw_ground(canvas, place)
    draw_numbers(canvas, place)
    for cell in session.marked:
        canvas.frame(place.cell_box(cell).shrunk(2), MARK, 3)
    draw_floor_objects(canvas, place, position)
    if session.selected != NOWHERE:
        box = object_box(place, position, session.selected)
        canvas.frame(box.shrunk(place.field * 0.04), GOLD, 4)
    for target in targets:
        draw_target(canvas, place, target)
    for cell in session.legal_cells(BOMB) if session.mode == BOMB else ():
        canvas.ring(place.cell_box(cell).centre(), place.field * 0.13, BOMB_DARK)
    draw_pieces(canvas, place, position, glows_of(session))
    for target in targets:
        if target.sinks:
            draw_target(canvas, place, target)
    if session.cursor != NOWHERE:
        draw_cursor(canvas, place.cell_box(session.cursor))


# The panel.


def draw_card(canvas: Canvas, box: Box, colour: Colour = CARD) -> None:
    """Draw a card with cut corners."""
    left, bottom, width, height = box
    cut = 6
    right, top = left + width, bottom + height
    corners = [(left + cut, bottom), (right - cut, bottom), (right, bottom + cut)]
    corners += [(right, top - cut), (right - cut, top), (left + cut, top)]
    canvas.polygon([*corners, (left, top - cut), (left, bottom + cut)], colour)


def turn_card_player(position: Position) -> int:
    """Return the player of the turn card: the winner, or else the player to move."""
    winner = rules.winner(position)
    return position.turn if winner == NOWHERE else winner


def draw_turn(canvas: Canvas, session: Session) -> None:
    """Draw the player to move and the number of moves left."""
    position, box = session.position, layout.TURN_CARD
    paint = PAINTS[turn_card_player(position)]
    draw_card(canvas, box, paint.top)
    x, y = box.centre()
    left = 2 - position.moves
    moves = f"{left} move{'s' if left > 1 else ''} left in this turn"
    head = f"{SIDE_NAMES[position.turn]} to move"
    if session.is_over():
        head, moves = session.game.outcome(position), "The game is over"
    canvas.text((x, y + 17), 30, paint.letter, head)
    canvas.text((x, y - 20), 17, paint.letter, moves)


def draw_pips(canvas: Canvas, left: float, y: float, filled: int, total: int) -> None:
    """Draw a row of pips, the first ones filled."""
    for number in range(total):
        centre = (left + 22 * number, y)
        canvas.disc(centre, 8, GOLD if number < filled else ROOM)
        canvas.ring(centre, 8, FAINT)


def draw_side(canvas: Canvas, position: Position, side: int) -> None:
    """Draw a player's sunk points and remaining special moves."""
    box = layout.SIDE_CARDS[side]
    draw_card(canvas, box)
    canvas.rectangle(Box(box.left, box.bottom + 6, 6, box.height - 12), PAINTS[side].top)
    x, y = box.left + 70, box.bottom + box.height - 22
    canvas.text((x, y), 21, INK, SIDE_NAMES[side])
    canvas.text((box.left + 190, y), 15, FAINT, f"{num_pieces_text(position, side)} on the board")
    rows = (
        (f"Sunk {position.sunk[side]} of {rules.WORTH_TO_WIN}", position.sunk[side], 4),
        (f"Freezings {position.freezings[side]}", position.freezings[side], 2),
        (f"Sink moves {position.sink_moves[side]}", position.sink_moves[side], 2),
    )
    for number, (words, filled, total) in enumerate(rows):
        height = y - 32 - 29 * number
        canvas.text((x + 5, height), 16, INK, words)
        draw_pips(canvas, box.left + 166, height, filled, total)


def num_pieces_text(position: Position, side: int) -> str:
    """Return the number of a player's pieces on the board, in words."""
    kinds = [kind for kind in position.kind if rules.is_piece(kind)]
    count = sum(rules.owner(kind) == side for kind in kinds)
    return f"{count} block{'' if count == 1 else 's'}"


def button_paint(session: Session, key: str) -> tuple[Colour, Colour]:
    """Return the colours of a button's card and label: bright if on, dull if disabled."""
    is_on = session.bombs_shown if key == "v" else MODES.get(key) == session.mode
    if is_on:
        return GOLD, ROOM
    if session.disabled_reason(key):
        return ROOM_LIT, DULL
    return CARD_LIT, INK


def draw_buttons(canvas: Canvas, session: Session) -> None:
    """Draw the buttons with their keys."""
    for key, box in layout.BUTTONS.items():
        card, label = button_paint(session, key)
        draw_card(canvas, box, card)
        canvas.text(box.centre(), 16, label, f"{layout.LABELS[key]} ({key})")


def draw_typed(canvas: Canvas, session: Session) -> None:
    """Draw the line for typed moves and the reminder of the keys."""
    box = layout.TYPED_LINE
    draw_card(canvas, box, (24, 28, 35))
    if session.typed:
        canvas.text(box.centre(), TYPED_SIZE, INK, session.typed + "_")
    else:
        canvas.text(box.centre(), 15, FAINT, "type a move: 3 3 l, then Enter")
    x, _ = box.centre()
    hints = ("i j k l or arrows: cursor", "Space or Enter: choose", "Esc: cancel")
    for number, hint in enumerate(hints):
        canvas.text((x, box.bottom - 22 - 24 * number), 15, FAINT, hint)


def hint_of(session: Session) -> str:
    """Return a hint about the possible next action."""
    if session.is_over():
        return GAME_OVER
    if session.mode == BOMB:
        return "Choose a field for the bomb"
    if session.mode == FREEZE:
        return "Choose an enemy block to freeze"
    if session.selected != NOWHERE:
        return "Choose a target; gold means that a block sinks"
    return "Choose a block to roll or a sink to push"


def draw_message(canvas: Canvas, session: Session) -> None:
    """Draw the last message, or a hint."""
    draw_card(canvas, layout.MESSAGE_BAR, CARD)
    words, colour = session.message, ALARM if session.is_error else GOLD
    if not words:
        words, colour = hint_of(session), FAINT
    canvas.text(layout.MESSAGE_BAR.centre(), 18, colour, words)


def draw_banner(canvas: Canvas, session: Session) -> None:
    """Draw the outcome of the game across the board."""
    box = layout.BANNER
    draw_card(canvas, box.shrunk(-4), GOLD)
    draw_card(canvas, box, ROOM)
    x, y = box.centre()
    canvas.text((x, y + 36), 62, INK, session.game.outcome(session.position))
    draw_card(canvas, layout.AGAIN, GOLD)
    canvas.text(layout.AGAIN.centre(), 19, ROOM, "New game (n)")
    canvas.text((x, box.bottom + 20), 15, FAINT, "click or press Esc to see the board")


def draw_play(canvas: Canvas, session: Session) -> None:
    """Draw the page of the game."""
    canvas.clear(ROOM)
    draw_table(canvas, session)
    draw_panel(canvas, session)
    if session.has_banner():
        draw_banner(canvas, session)


def draw_panel(canvas: Canvas, session: Session) -> None:
    """Draw the panel beside and under the board."""
    draw_turn(canvas, session)
    for side in range(2):
        draw_side(canvas, session.position, side)
    draw_buttons(canvas, session)
    draw_typed(canvas, session)
    draw_message(canvas, session)


def draw_flash(canvas: Canvas, session: Session) -> None:
    """Draw the signal for a new turn: gold around the board and the turn card."""
    place = session.place()
    canvas.frame(rim_box(place), GOLD, 6)
    draw_card(canvas, layout.TURN_CARD.shrunk(-6), GOLD)
    draw_turn(canvas, session)


# The other pages.


def draw_start(canvas: Canvas, session: Session) -> None:
    """Draw the choice of a start position."""
    canvas.clear(ROOM)
    middle = layout.WIDTH / 2
    canvas.text((middle, 650), 64, INK, session.game.title)
    canvas.text((middle, 590), 20, FAINT, session.game.summary)
    cards = layout.start_cards(len(session.starts))
    for number, (name, card) in enumerate(zip(session.starts, cards), 1):
        draw_card(canvas, card)
        place = layout.start_place(session.game.rows, session.game.cols, card)
        draw_board(canvas, place, session.starts[name])
        x, _ = card.centre()
        canvas.text((x, card.bottom + layout.START_NAME / 2), 22, INK, f"{number}  {name}")
    back = "   Esc back to the game" if session.begun else ""
    words = f"Click a start position or press its number.   h help   q quit{back}"
    canvas.text((middle, 90), 18, FAINT, words)


HELP = (
    "",
    "Roll your blocks over their edges into the sinks.",
    "The first player to sink blocks worth 4 wins; a player who cannot move loses.",
    "A block a is worth 1, b 2, c 3, the cube d 4.",
    "",
    "A turn is two moves, with one block or two; a cube takes both.",
    "A block sinks if it lands wholly inside a sink; it may not land partly over one.",
    "The second move may not undo the first.",
    "",
    "Sink: push it by one field, also under a block; a move, twice a game.",
    "Bomb: hide one a turn before your first move; a block that rolls onto it is lost.",
    "Freeze: an enemy block stays put for its owner's next turn; twice a game.",
    "",
    "Mouse: click a block or a sink, then its target.",
    "Keys: i j k l or the arrows move the cursor, Space or Enter chooses,",
    "b bomb   f freeze   v show your bombs   n new game   Esc cancel   q quit.",
    "Typed moves: row, column and one of l r u d b f, as in  3 3 l , then Enter.",
)


def draw_help(canvas: Canvas) -> None:
    """Draw the help page."""
    canvas.clear(ROOM)
    middle = layout.WIDTH / 2
    draw_card(canvas, Box(60, 40, 880, 640))
    canvas.text((middle, 640), 40, INK, "How to play")
    for number, words in enumerate(HELP):
        canvas.text((middle, 606 - 30 * number), 19, INK, words)
    canvas.text((middle, 68), 17, GOLD, "Any key or click goes back")


def draw(canvas: Canvas, session: Session) -> None:
    """Draw the current page."""
    if session.screen is Screen.START:
        draw_start(canvas, session)
    elif session.screen is Screen.HELP:
        draw_help(canvas)
    else:
        draw_play(canvas, session)
