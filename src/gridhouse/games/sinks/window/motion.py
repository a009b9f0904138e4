"""Animations of moves: a block rolls, a sink slides, a lost piece sinks or burns."""

from __future__ import annotations

from gridhouse.games.sinks import rules
from gridhouse.games.sinks.rules import BOMB, NUM_VERBS
from gridhouse.games.sinks.window import blocks, drawing
from gridhouse.games.sinks.window.canvas import blend
from gridhouse.games.sinks.window.drawing import (
    FLAME,
    PIT,
    ROOM,
    Paint,
    draw_body,
    draw_floor_objects,
    draw_piece,
    paint_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gridhouse.games.sinks.rules import Position
    from gridhouse.games.sinks.window.blocks import Body
    from gridhouse.games.sinks.window.canvas import Canvas
    from gridhouse.games.sinks.window.layout import Place
    from gridhouse.games.sinks.window.session import Change, Session

FRAMES = 7
FRAME_MS = 18
FLASHES = 2
FLASH_MS = 80


def landed(seen: Position, change: Change, anchor: int) -> Body:
    """Return the final body of a lost piece: at its landing if it rolled, else in its place."""
    moved, verb = divmod(change.action, NUM_VERBS)
    row, col = divmod(anchor, seen.cols)
    lie = seen.lie[anchor]
    if anchor == moved:
        row, col, lie = rules.landing(seen, anchor, verb)
    return blocks.body(row, col, seen.kind[anchor], lie)


def without(seen: Position, *anchors: int) -> Position:
    """Return a position without some pieces or sinks."""
    rest = seen.copy()
    for anchor in anchors:
        rules.lift(rest, anchor)
    return rest


def draw_pieces_and(
    canvas: Canvas, place: Place, rest: Position, body_row: float, extra: Callable[[], None]
) -> None:
    """Draw the pieces of a position, and an extra object at the right depth."""
    pieces = [a for a in drawing.anchors_of(rest) if rules.is_piece(rest.kind[a])]
    for anchor in pieces:
        if anchor // rest.cols >= body_row:
            draw_piece(canvas, place, rest, anchor)
    extra()
    for anchor in pieces:
        if anchor // rest.cols < body_row:
            draw_piece(canvas, place, rest, anchor)


def draw_rolling(canvas: Canvas, place: Place, change: Change, share: float) -> None:
    """Draw the board while a piece rolls over its edge."""
    seen, (anchor, verb) = change.seen, divmod(change.action, NUM_VERBS)
    row, col = divmod(anchor, seen.cols)
    rest = without(seen, anchor)
    block = blocks.body(row, col, seen.kind[anchor], seen.lie[anchor])
    paint = paint_of(seen.kind[anchor], 0)
    turn = blocks.rolling(block, verb, share)
    draw_floor_objects(canvas, place, rest)
    front = min(row, rules.landing(seen, anchor, verb)[0])
    draw_pieces_and(
        canvas, place, rest, front, lambda: draw_body(canvas, place, block, paint, turn)
    )


def draw_sliding(canvas: Canvas, place: Place, change: Change, share: float) -> None:
    """Draw the board while a sink slides by a field."""
    seen, (anchor, verb) = change.seen, divmod(change.action, NUM_VERBS)
    row, col = divmod(anchor, seen.cols)
    row_after, col_after, _ = rules.landing(seen, anchor, verb)
    rest = without(seen, anchor)
    size = rules.height(seen.kind[anchor], rules.UPRIGHT)
    spot = (row + (row_after - row) * share, col + (col_after - col) * share)
    draw_floor_objects(canvas, place, rest)
    drawing.draw_pit(canvas, place.box(*spot, size, size), place.field)
    drawing.draw_pieces(canvas, place, rest)


def settled(change: Change) -> Position:
    """Return the board after the move, without the lost pieces."""
    seen, (anchor, verb) = change.seen, divmod(change.action, NUM_VERBS)
    rest = without(seen, *change.lost)
    if anchor not in change.lost:
        row, col, lie = rules.landing(seen, anchor, verb)
        rules.lift(rest, anchor)
        rules.put(rest, row * rest.cols + col, seen.kind[anchor], lie)
    return rest


def scaled(place: Place, block: Body, scale: float) -> Place:
    """Return a place that shows the body scaled about its centre."""
    (x, y, _), (width, height, _) = block.corner, block.extents
    left = place.left + (x + width / 2) * place.field * (1 - scale)
    bottom = place.bottom + (y + height / 2) * place.field * (1 - scale)
    return place._replace(left=left, bottom=bottom, field=place.field * scale)


def draw_losing(canvas: Canvas, place: Place, change: Change, share: float) -> None:
    """Draw the board while the lost pieces sink or burn."""
    rest = settled(change)
    draw_floor_objects(canvas, place, rest)
    drawing.draw_pieces(canvas, place, rest)
    for anchor in change.lost:
        block = landed(change.seen, change, anchor)
        if change.sunk:
            small = scaled(place, block, 1 - 0.7 * share)
            whole = paint_of(change.seen.kind[anchor], 0)
            paint = Paint(*(blend(colour, PIT, 0.8 * share) for colour in whole))
            draw_body(canvas, small, block, paint, blocks.STILL)
        else:
            x, y = block.corner[0] + block.extents[0] / 2, block.corner[1] + block.extents[1] / 2
            draw_burst(canvas, place, (x, y), share)


def draw_burst(canvas: Canvas, place: Place, spot: tuple[float, float], share: float) -> None:
    """Draw a burst of flames over a point of the board, larger with time."""
    centre = place.point(*spot, 0)
    for number, colour in enumerate(FLAME):
        canvas.star(centre, place.field * (0.3 + 0.9 * share) * (1 - 0.3 * number), colour)


def draw_blown_bombs(canvas: Canvas, place: Place, change: Change, share: float) -> None:
    """Draw the board while two bombs blow each other up."""
    draw_floor_objects(canvas, place, change.seen)
    drawing.draw_pieces(canvas, place, change.seen)
    row, col = divmod(change.action // NUM_VERBS, place.cols)
    draw_burst(canvas, place, (col + 0.5, row + 0.5), share)


def animations(change: Change) -> list[Callable[[Canvas, Place, Change, float], None]]:
    """Return the animations of a move, in their order."""
    anchor, verb = divmod(change.action, NUM_VERBS)
    if verb >= BOMB:
        return [draw_blown_bombs] if change.burst else []
    moves = draw_rolling if rules.is_piece(change.seen.kind[anchor]) else draw_sliding
    return [moves, draw_losing] if change.lost else [moves]


def show(canvas: Canvas, session: Session, change: Change) -> None:
    """Show the animation of a move."""
    place = session.place()
    for animation in animations(change):
        for frame in range(1, FRAMES + 1):
            canvas.clear(ROOM)
            drawing.draw_ground(canvas, place)
            drawing.draw_numbers(canvas, place)
            animation(canvas, place, change, frame / FRAMES)
            drawing.draw_panel(canvas, session)
            canvas.show(FRAME_MS)


def show_new_turn(canvas: Canvas, session: Session) -> None:
    """Show that the turn has passed to the other player."""
    for _ in range(FLASHES):
        drawing.draw(canvas, session)
        canvas.show(FLASH_MS)
        drawing.draw_flash(canvas, session)
        canvas.show(FLASH_MS)


def show_all(canvas: Canvas, session: Session, changes: list[Change]) -> bool:
    """Show the animations of moves and of a new turn; return whether there were any."""
    for change in changes:
        show(canvas, session, change)
    if changes and changes[-1].seen.turn != session.position.turn and not session.is_over():
        show_new_turn(canvas, session)
    return any(animations(change) for change in changes)
