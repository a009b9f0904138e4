"""The notation of pieces, sinks, moves and fields in Sinks."""

from __future__ import annotations

from gridhouse.games.sinks import rules

# Tuples, because "in" would also find parts of a string.
SIDES = ("l", "d")
SIDE_NAMES = ("Light", "Dark")
PIECE_TYPES = ("a", "b", "c", "d")
SINK_TYPES = ("1", "2")
SINK = "s"
BLOCK = "x"
VERBS = ("l", "r", "u", "d", "b", "f")
LIES = " -|"  # upright, across, away
FREE = "-"


def piece_kind(side: int, piece_type: str) -> int:
    """Return the kind of a player's piece of type a to d."""
    return side * rules.PIECE_KINDS + PIECE_TYPES.index(piece_type) + 1


def sink_kind(sink_type: str) -> int:
    """Return the kind of a sink of type 1 or 2."""
    return rules.SINK_1 + SINK_TYPES.index(sink_type)


def object_text(kind: int, row: int, col: int) -> str:
    """Return an object in the notation of set-ups without blanks: ``lb33``, ``s127``, ``x00``."""
    if kind == rules.BLOCK:
        return f"{BLOCK}{row}{col}"
    if rules.is_piece(kind):
        piece = PIECE_TYPES[rules.worth(kind) - 1]
        return f"{SIDES[rules.owner(kind)]}{piece}{row}{col}"
    return f"{SINK}{SINK_TYPES[kind - rules.SINK_1]}{row}{col}"
