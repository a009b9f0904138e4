"""Reading the set-up of a Sinks game as its document writes it, with the document's errors."""

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
    piece_kind,
    sink_kind,
)
from gridhouse.games.sinks.rules import Position, Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gridhouse.core.console import Tokens
    from gridhouse.games.sinks.game import SinksGame

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
    """An error of the document; the message is what follows ``ERROR: ``."""


def parse_field(game: SinksGame, row: str, col: str) -> int:
    """Return the cell of two words; raises SinksError if they are no field of the board."""
    numbers = parse_integers(f"{row} {col}", 2)
    cell = game.cell(*numbers) if numbers else None
    if cell is None:
        raise SinksError(f"Field {row} {col} not on board")
    return cell


def field_text(game: SinksGame, cell: int) -> str:
    """Return a cell as the messages name it."""
    return f"field {cell // game.cols} {cell % game.cols}"


def not_free(game: SinksGame, cell: int) -> str:
    """Return the message for a field that is taken."""
    return f"{field_text(game, cell).capitalize()} not free"


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


def place(game: SinksGame, position: Position, cell: int, kind: int) -> None:
    """Place an object of the set-up; raises SinksError."""
    refusal = rules.setup_refusal(position, cell, kind)
    if refusal == Refusal.NOT_FREE:
        row, col = divmod(cell, game.cols)
        taken = rules.first_taken(position, row, col, kind, rules.UPRIGHT, rules.NOWHERE)
        raise SinksError(not_free(game, taken))
    if refusal:
        raise SinksError(MESSAGES[Refusal(refusal)])
    rules.put(position, cell, kind, rules.UPRIGHT)


def read_setup(game: SinksGame, tokens: Tokens) -> Position:
    """Return the position that the set-up describes; raises SinksError."""
    position = Position()
    rules.start(position, game.rows, game.cols, game.limit)
    while True:
        kind = read_object_kind(tokens)
        if kind is None:
            rules.note_end(position)
            return position
        row, col = tokens.next(), tokens.next()
        place(game, position, parse_field(game, row, col), kind)
