"""The commands at a table, the same for pages, programs and the machine."""

from __future__ import annotations

from typing import NamedTuple

MOVE, SEAT, UNDO, REDO, ANSWER, RESIGN = "move", "seat", "undo", "redo", "answer", "resign"
REMATCH = "rematch"
OVER = "the game is over"


class RefusedError(Exception):
    """A table refuses a command; the message is the reason."""


class UnsavedError(RefusedError):
    """The database did not take a change."""


class Command(NamedTuple):
    """A command of a player or of the machine.

    A MOVE has its ``text``, and as ``ply`` the number of moves that its sender has seen.  A SEAT
    has the ``visitor`` who takes it.  A REMATCH has the name of the new table as ``text``.  An
    ANSWER to a takeback request says whether the player ``agrees``.
    """

    kind: str
    player: int = 0
    text: str = ""
    ply: int = 0
    visitor: str = ""
    agrees: bool = False
