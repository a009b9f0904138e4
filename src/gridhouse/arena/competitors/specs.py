"""Competitors from the texts of a tournament."""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from gridhouse.arena.competitors.house import HouseCompetitor
from gridhouse.core.console import UsageError
from gridhouse.core.notation import shown
from gridhouse.players import KINDS

if TYPE_CHECKING:
    from gridhouse.arena.competitors.base import Competitor
    from gridhouse.arena.competitors.program import Starter
    from gridhouse.core.game import Game

SUBMISSION = "submission:"
OPENSPIEL = "openspiel:"
HOUSES = ("http://", "https://")


def competitor(text: str, game: Game, *, sandboxed: bool = True) -> Competitor:
    """Return the competitor of a text, which the caller closes.

    The text is a player of the house if it begins with one of their kinds: ``alphabeta:hash=64``,
    ``mcts@2000p``, ``level:5``.  ``submission:PATH`` is somebody's source or folder, built where it
    has to be and always run in the sandbox.  ``openspiel:mcts`` is a bot of OpenSpiel, and an
    address ``http://…`` a house, or an invitation to one of its tables.  Any other text is the
    command of a program.  Raises UsageError or a GridhouseError.
    """
    if text.partition("@")[0].partition(":")[0] in KINDS:
        return HouseCompetitor(text, game)
    if text.startswith(SUBMISSION):
        return _submission(Path(text.removeprefix(SUBMISSION)), game)
    if text.startswith(OPENSPIEL):
        from gridhouse.arena.competitors.openspiel import OpenSpielCompetitor

        return OpenSpielCompetitor(text, game)
    if text.startswith(HOUSES):
        from gridhouse.arena.competitors.remote import RemoteCompetitor

        return RemoteCompetitor(text, game)
    return _program(text, sandboxed=sandboxed)


def _submission(path: Path, game: Game) -> Competitor:
    from gridhouse.arena.competitors.program import ProgramCompetitor, submitted

    return ProgramCompetitor(submitted(path, game.name), path.name)


def _program(text: str, *, sandboxed: bool) -> Competitor:
    from gridhouse.arena.competitors.program import ProgramCompetitor

    return ProgramCompetitor(starter_of(text, sandboxed=sandboxed), text)


def starter_of(text: str, *, sandboxed: bool) -> Starter:
    """Return what starts a program; raises UsageError where there is none of this name."""
    try:
        name = next(iter(shlex.split(text)), "")
    except ValueError as error:
        raise UsageError(f"{shown(text)} is no command: {error}") from None
    if shutil.which(name) is None and not os.path.exists(name):
        raise UsageError(
            f"{shown(text)} is neither a player ({', '.join(KINDS)}, {OPENSPIEL}…, {HOUSES[0]}…) "
            "nor a program's command"
        )
    from gridhouse.arena.competitors.program import Starter

    return Starter(text, sandboxed=sandboxed)
