"""What may be asked of a table: the same commands for pages, programs and the machine."""

from __future__ import annotations

from typing import NamedTuple

MOVE, SEAT, UNDO, REDO, ANSWER, RESIGN = "move", "seat", "undo", "redo", "answer", "resign"
OVER = "the game is over"


class RefusedError(Exception):
    """A table refuses a command; the text says why."""


class Command(NamedTuple):
    """What a player, or the machine, asks of a table.

    A MOVE has a ``text``, and the number of moves that its sender has seen as ``ply``; a SEAT has
    the ``visitor`` who takes it; an ANSWER to a takeback request says whether the player
    ``agrees``.
    """

    kind: str
    player: int = 0
    text: str = ""
    ply: int = 0
    visitor: str = ""
    agrees: bool = False
