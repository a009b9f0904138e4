"""What is kept of a game: its start, its moves with times and values, its result and its end."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


class Termination(StrEnum):
    """Why a game ended."""

    RULES = "rules"  # the rules of the game say so
    RESIGNATION = "resignation"
    TIME = "time"  # the clock ran out before the move came
    ILLEGAL = "illegal move"
    CRASH = "crash"  # the program ended
    STALL = "stall"  # no answer in the longest time that is waited
    DISCONNECTION = "disconnection"  # the program lives, but its pipe or network is closed
    GARBLED = "wrong answer"  # an answer that is none of the protocol
    PROOF = "proof"  # a solver knows the result
    AGREEMENT = "agreement"  # both players gave the same value for long enough
    LENGTH = "length"  # the game was too long and counts as a draw
    ABANDONED = "abandoned"  # the arena could not play it; it has no result
    IN_PLAY = "in play"  # it has not ended


FORFEITS = frozenset(
    {
        Termination.TIME,
        Termination.ILLEGAL,
        Termination.CRASH,
        Termination.STALL,
        Termination.DISCONNECTION,
        Termination.GARBLED,
    }
)


@dataclass(frozen=True)
class PlayedMove:
    """A move as text, the seconds that it took, and what its player said about it.

    ``value`` is the expected result for the player, from -1 to 1, None if it said none; ``work`` is
    its number of nodes or playouts, 0 if it said none.
    """

    text: str
    seconds: float
    value: float | None = None
    work: int = 0


@dataclass(frozen=True)
class GameRecord:
    """A game between two players, which is finished unless its termination says otherwise.

    ``number`` is its number in the match; games 2k and 2k + 1 are a pair: the same opening with the
    sides swapped.  ``players`` are the names of those who played the game's first and second side.
    ``opening`` is the whole text of the start, ``score`` that of the first side: 1, 0.5 or 0; of a
    game that is abandoned or in play it is 0.5 and counts nowhere.  ``reason`` says in words what
    ended the game where the rules did not.
    """

    number: int
    opening: str
    players: tuple[str, str]
    score: float
    termination: Termination
    reason: str
    moves: tuple[PlayedMove, ...]

    @property
    def is_result(self) -> bool:
        """Whether the game was played and its score counts."""
        return self.termination not in (Termination.ABANDONED, Termination.IN_PLAY)

    @property
    def forfeited(self) -> str:
        """The name of the player who broke the conditions of the match, "" if none did."""
        if self.termination not in FORFEITS:
            return ""
        return self.players[0 if self.score == 0 else 1]

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON can have it."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> GameRecord:
        """Return the record of a dictionary from ``to_dict``."""
        moves = tuple(PlayedMove(**move) for move in data["moves"])
        first, second = data["players"]
        changed = {
            "players": (first, second),
            "moves": moves,
            "termination": Termination(data["termination"]),
        }
        return cls(**{**data, **changed})
