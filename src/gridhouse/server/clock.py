"""Chess clocks: so much time for the game, and some more with each move.

The first move of each player is free, so that nobody loses time before the other has come.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from gridhouse.core.errors import ParameterError
from gridhouse.core.notation import parse_integer, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

MINUTE, SECOND = 60_000, 1_000
NO_CLOCK = "none"
USUAL = (NO_CLOCK, "1+0", "3+2", "5+3", "10+5", "30+20")
LONGEST = 180  # minutes for a game, and seconds for a move


def now() -> int:
    """Return the time in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


class Clock(NamedTuple):
    """A clock that is set: milliseconds for the game, and for every move."""

    initial: int
    increment: int

    @classmethod
    def read(cls, text: str) -> Clock | None:
        """Return the clock of minutes + seconds, None for none; raises ParameterError."""
        if text in ("", NO_CLOCK):
            return None
        minutes, plus, seconds = text.partition("+")
        for_game, for_move = parse_integer(minutes), parse_integer(seconds)
        limits = range(LONGEST + 1)
        if not plus or not for_game or for_move is None or not {for_game, for_move} <= set(limits):
            raise ParameterError(
                f"clock: {shown(text)} is not none, or minutes + seconds a move of up to {LONGEST}"
            )
        return cls(for_game * MINUTE, for_move * SECOND)

    def left(self, times: Sequence[int]) -> int:
        """Return what is left after moves that took so long, without the first one."""
        return self.initial + sum(self.increment - time for time in times)

    def __str__(self) -> str:
        """Return minutes + seconds."""
        return f"{self.initial // MINUTE}+{self.increment // SECOND}"
