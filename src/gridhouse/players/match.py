"""Matches between players: pairs of games from one opening, colours swapped."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gridhouse.core.game import State
    from gridhouse.players.base import Contestant

NORMAL_95 = 1.959964  # standard deviations on each side that hold 95 % of a normal distribution


@dataclass
class Score:
    """The wins, draws and losses of one side of a match, and the moves of each game."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    moves: list[int] = field(default_factory=list)

    @property
    def games(self) -> int:
        """The number of games."""
        return self.wins + self.draws + self.losses

    @property
    def share(self) -> float:
        """The share of the points; a draw is half a point."""
        return (self.wins + self.draws / 2) / self.games

    @property
    def interval(self) -> tuple[float, float]:
        """The interval of 95 % confidence of the share (Wilson, 1927)."""
        n, z = self.games, NORMAL_95
        middle = self.share + z * z / (2 * n)
        spread = z * (self.share * (1 - self.share) / n + z * z / (4 * n * n)) ** 0.5
        return (middle - spread) / (1 + z * z / n), (middle + spread) / (1 + z * z / n)

    def add(self, result: float, moves: int) -> None:
        """Count a game by the return of this side."""
        self.wins += result > 0
        self.draws += result == 0
        self.losses += result < 0
        self.moves.append(moves)

    def __str__(self) -> str:
        """Return the share and its interval in percent, then wins, draws and losses."""
        low, high = self.interval
        return (
            f"{100 * self.share:.1f} % ({100 * low:.1f} to {100 * high:.1f}), "
            f"{self.wins}+ {self.draws}= {self.losses}-"
        )


def play_game(state: State, contestants: Sequence[Contestant]) -> State:
    """Play a game to its end between contestants, given by player; return its last state."""
    while not state.is_terminal():
        state.apply_action(contestants[state.current_player()].choose(state).action)
    return state


def match(openings: Iterable[State], contestants: Sequence[Contestant]) -> Score:
    """Play two games from each opening, colours swapped; return the score of the first contestant.

    ``arena.openings`` has fair ones.
    """
    score = Score()
    for opening in openings:
        for first in range(2):
            end = play_game(opening.clone(), contestants if first == 0 else contestants[::-1])
            score.add(end.returns()[first], len(end.history()))
    return score
