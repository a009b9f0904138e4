"""Who has a table's page open, and the phrases that friends say to each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gridhouse.players.levels import LEVELS, level_in_words
from gridhouse.server.tables.table import Company

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gridhouse.server.tables.table import Table

ANONYMOUS = "Anonymous"  # a player without a name
MACHINE_PLAYER = "The machine"
FRIEND = "a friend"  # for whom a seat is free
PHRASES = ("Hello", "Good luck", "Well played", "Good game", "Thanks", "Sorry, I must go")
PHRASE_PAUSE = 3.0  # seconds between two phrases of a player


def company_of(table: Table, visitors: Iterable[str | None]) -> Company:
    """Return who looks at a table through the pages of these visitors; the machine always does."""
    pages = list(visitors)
    here = {table.machine, *(seat for visitor in pages for seat in table.seats_of(visitor))}
    present = tuple(player in here for player in range(table.state.game.num_players))
    return Company(present, sum(not table.seats_of(visitor) for visitor in pages))


def player_names(table: Table) -> list[str]:
    """Return who plays each player: a level, a visitor's name, or "" for a free seat.

    Two players at one screen have no names, because the house knows only whose screen it is.
    """
    shares = table.state.game.num_players > 1 and len(set(table.seated_visitors.values())) == 1
    is_shared = shares and len(table.seated_visitors) > 1
    names = []
    for player in range(table.state.game.num_players):
        visitor = table.seated_visitors.get(player)
        if player == table.machine:
            names.append(f"{MACHINE_PLAYER}, {level_in_words(table.level or LEVELS[0])}")
        elif visitor is None or is_shared:
            names.append("")
        else:
            names.append(table.names.get(visitor) or ANONYMOUS)
    return names
