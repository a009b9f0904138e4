"""A tiny tournament between random players, and what tests do with its records."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gridhouse.arena.tournament_file import parse_tournament

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from gridhouse.arena.records import GameRecord
    from gridhouse.arena.tournament_file import Tournament

PLAYERS = [{"name": name, "player": "random"} for name in ("anna", "bert", "carl")]
SMALL: dict[str, Any] = {
    "game": "binary(rows=3,cols=3)",
    "players": PLAYERS,
    "limit": "100n",
    "games": 8,
}


def small(**changed: Any) -> Tournament:
    """Return the tournament with some settings changed."""
    return parse_tournament(SMALL | changed)


def timeless(records: Iterable[GameRecord]) -> list[GameRecord]:
    """Return records without the times of moves."""
    return [
        replace(record, moves=tuple(replace(move, seconds=0) for move in record.moves))
        for record in records
    ]


class Deadly:
    """An opening that kills each process in which it arrives, and counts them."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what another process is to call."""
        return os.system, (f"echo >> '{self.path}'; kill -9 $PPID",)
