"""The Sinks document's notation of fields, set-ups and moves, and its error messages."""

from __future__ import annotations

from gridhouse.core.errors import GridhouseError
from gridhouse.core.notation import parse_integers
from gridhouse.games.sinks import rules
from gridhouse.games.sinks.notation import (
    BLOCK,
    PIECE_TYPES,
    SIDES,
    SINK,
    SINK_TYPES,
    VERBS,
    piece_kind,
    sink_kind,
)
from gridhouse.games.sinks.rules import Position, Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gridhouse.core.console import Tokens

END_OF_SETUP = "#"

MESSAGES = {
    Refusal.WRONG_PLAYER: "Piece does not belong to the correct player",
    Refusal.FROZEN: "Cannot move frozen piece",
    Refusal.CUBE_SECOND: "Cannot move a 2x2x2 piece on the second move",
    Refusal.OFF_BOARD: "Cannot move beyond the board",
    Refusal.RETURNED: "Piece cannot be returned to starting position",
    Refusal.NO_SINK_MOVES: "No sink moves left",
    Refusal.SINKS_TOUCH: "Sink cannot be next to another sink",
    Refusal.BOMB_AFTER_MOVE: "Cannot place bomb after move",
    Refusal.NO_FREEZINGS: "No freezings left",
    Refusal.SINK_POSITION: "Sink in the wrong position",
    Refusal.PIECE_POSITION: "Piece in the wrong position",
}


class SinksError(GridhouseError):
    """An error in the document's sense; the program prints the message after ``ERROR: ``."""


def parse_field(position: Position, row: str, col: str) -> int:
    """Return the cell of a row and a column; raises SinksError if it is not on the board."""
    numbers = parse_integers(f"{row} {col}", 2)
    if numbers is not None:
        y, x = numbers
        if 0 <= y < position.rows and 0 <= x < position.cols:
            return y * position.cols + x
    raise SinksError(f"Field {row} {col} not on board")


def field_text(position: Position, cell: int) -> str:
    """Return the name of a cell in messages."""
    return f"field {cell // position.cols} {cell % position.cols}"


def not_free(position: Position, cell: int) -> str:
    """Return the message for an occupied field."""
    return f"{field_text(position, cell).capitalize()} not free"


def parse_action(position: Position, cell: int, verb: str) -> int:
    """Return the action of a verb at a field; raises SinksError if there is none.

    An empty field is reported before an unknown verb.
    """
    anchor = rules.named(position, cell)
    if verb not in VERBS:
        if rules.move_refusal(position, anchor, rules.LEFT) == Refusal.NO_PIECE:
            raise SinksError(f"No piece on {field_text(position, cell)}")
        raise SinksError(f"Invalid direction {verb}")
    number = VERBS.index(verb)
    return rules.NUM_VERBS * (cell if number == rules.BOMB else anchor) + number


def error_text(position: Position, cell: int, action: int, refusal: int) -> str:
    """Return the document's message for a refused action that was typed with this field."""
    anchor, verb = divmod(action, rules.NUM_VERBS)
    if refusal == Refusal.NO_PIECE:
        return f"No piece on {field_text(position, cell)}"
    if refusal == Refusal.NOT_FREE:
        taken = cell if verb == rules.BOMB else rules.first_taken_on_way(position, anchor, verb)
        return not_free(position, taken)
    return MESSAGES[Refusal(refusal)]


def read_object_kind(tokens: Tokens) -> int | None:
    """Return the kind of the next object of the set-up, or None at its end; raises SinksError."""
    object_type = tokens.next()
    if object_type == END_OF_SETUP:
        return None
    if object_type == BLOCK:
        return rules.BLOCK
    if object_type not in (SINK, *SIDES):
        raise SinksError(f"Invalid object type {object_type}")
    piece_type = tokens.next()
    if object_type == SINK:
        if piece_type in SINK_TYPES:
            return sink_kind(piece_type)
    elif piece_type in PIECE_TYPES:
        return piece_kind(SIDES.index(object_type), piece_type)
    raise SinksError(f"Invalid piece type {piece_type}")


def place(position: Position, cell: int, kind: int) -> None:
    """Place an object of the set-up; raises SinksError."""
    refusal = rules.setup_refusal(position, cell, kind)
    if refusal == Refusal.NOT_FREE:
        row, col = divmod(cell, position.cols)
        taken = rules.first_taken(position, row, col, kind, rules.UPRIGHT, rules.NOWHERE)
        raise SinksError(not_free(position, taken))
    if refusal:
        raise SinksError(MESSAGES[Refusal(refusal)])
    rules.put(position, cell, kind, rules.UPRIGHT)


def read_object(position: Position, tokens: Tokens) -> bool:
    """Place the next object of the set-up; return False at its end; raises SinksError."""
    kind = read_object_kind(tokens)
    if kind is not None:
        row, col = tokens.next(), tokens.next()
        place(position, parse_field(position, row, col), kind)
    return kind is not None


def read_setup(rows: int, cols: int, limit: int, tokens: Tokens) -> Position:
    """Return the position that the set-up describes; raises SinksError."""
    position = Position()
    rules.start(position, rows, cols, limit)
    while read_object(position, tokens):
        pass
    rules.note_end(position)
    return position
