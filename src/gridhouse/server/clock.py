"""Chess clocks: time for the whole game, and an increment for each move.

Each player's first move is free, so nobody loses time before the opponent has arrived.
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
LONGEST = 180  # minutes for the game, and seconds for each move


# What the clock of the machine said when this process began; in a process that shares a database,
# what that of the database's server said.  From then on only durations count, so that nobody loses
# a game when such a clock is set, or because two machines have different times.
_began = time.time_ns() - time.monotonic_ns()


def began() -> int:
    """Return what ``begin`` takes in another process, which then has the same time."""
    return _began


def begin(when: int) -> None:
    """Have the time of the process that said ``began``."""
    global _began
    _began = when


def now() -> int:
    """Return the time in milliseconds since 1970, by which games are clocked."""
    return (_began + time.monotonic_ns()) // 1_000_000


def dated() -> int:
    """Return the time in milliseconds since 1970 by the clock of the machine, for dates."""
    return time.time_ns() // 1_000_000


class Clock(NamedTuple):
    """A time control: milliseconds for the game, and milliseconds for each move."""

    initial: int
    increment: int

    @classmethod
    def read(cls, text: str) -> Clock | None:
        """Parse minutes + seconds; return None for no clock.  Raises ParameterError."""
        if text in ("", NO_CLOCK):
            return None
        minutes, plus, seconds = text.partition("+")
        for_game, for_move = parse_integer(minutes), parse_integer(seconds)
        limits = range(LONGEST + 1)
        if not plus or not for_game or for_move is None or not {for_game, for_move} <= set(limits):
            raise ParameterError(
                f"clock: {shown(text)} is neither none nor minutes + seconds per move, "
                f"each up to {LONGEST}"
            )
        return cls(for_game * MINUTE, for_move * SECOND)

    def left(self, times: Sequence[int]) -> int:
        """Return the time left after moves of these durations; the free move is not among them."""
        return self.initial + sum(self.increment - time for time in times)

    def words(self) -> str:
        """Return the time control as a sentence."""
        minutes, seconds = self.initial // MINUTE, self.increment // SECOND
        more = f", and {seconds} second{'' if seconds == 1 else 's'} more for each move"
        return (
            f"Each of you has {minutes} minute{'' if minutes == 1 else 's'}"
            f"{more if seconds else ''}. Your first move is free."
        )

    def __str__(self) -> str:
        """Return minutes + seconds."""
        return f"{self.initial // MINUTE}+{self.increment // SECOND}"
