"""The positions of a game that was played."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import gridhouse
from gridhouse.core.console import UsageError
from gridhouse.core.errors import GridhouseError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gridhouse.arena.records import GameRecord
    from gridhouse.core.game import State


def positions(record: GameRecord) -> Iterator[State]:
    """Yield the state at the start of a game and after each move; it is always the same object.

    Raises UsageError where the game cannot have been played.
    """
    try:
        state = gridhouse.parse(record.opening)
        yield state
        for move in record.moves:
            state.play(move.text)
            yield state
    except GridhouseError as error:
        raise UsageError(f"game {record.number}: {error}") from None


@lru_cache(maxsize=1 << 14)  # a page that is renewed needs those of all games again
def movers(record: GameRecord) -> list[int]:
    """Return the side that made each move; raises UsageError as ``positions`` does."""
    sides = [state.current_player() for state in positions(record)]
    return sides[: len(record.moves)]
