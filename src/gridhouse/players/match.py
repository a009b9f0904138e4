"""Matches between players: pairs of games from one opening, colours swapped."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gridhouse.core.errors import PlayerError
from gridhouse.players.base import Limits

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gridhouse.core.game import Game, State
    from gridhouse.players.base import Player

NORMAL_95 = 1.959964  # of a normal distribution, 95 % lies within so many deviations
OPENING = 4  # random moves at the start, or players who leave nothing to chance repeat one game
JUDGEMENT = Limits(nodes=20_000)
SURE = 0.99
MOST_REFUSED = 100  # in a row; then all starts may be decided, and any is as good


@dataclass
class Score:
    """Wins, draws and losses of one side of a match."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    moves: list[int] = field(default_factory=list)

    @property
    def games(self) -> int:
        """How many games were played."""
        return self.wins + self.draws + self.losses

    @property
    def share(self) -> float:
        """The points made of those possible; a draw is half a point."""
        return (self.wins + self.draws / 2) / self.games

    @property
    def interval(self) -> tuple[float, float]:
        """The interval in which the share lies with 95 % confidence (Wilson, 1927)."""
        n, z = self.games, NORMAL_95
        middle = self.share + z * z / (2 * n)
        spread = z * (self.share * (1 - self.share) / n + z * z / (4 * n * n)) ** 0.5
        return (middle - spread) / (1 + z * z / n), (middle + spread) / (1 + z * z / n)

    def add(self, made: float, moves: int) -> None:
        """Count a game by what it made this side."""
        self.wins += made > 0
        self.draws += made == 0
        self.losses += made < 0
        self.moves.append(moves)

    def __str__(self) -> str:
        """Return the share and its interval in percent, and the games."""
        low, high = self.interval
        return (
            f"{100 * self.share:.1f} % ({100 * low:.1f} to {100 * high:.1f}), "
            f"{self.wins}+ {self.draws}= {self.losses}-"
        )


def openings(
    game: Game,
    pairs: int,
    *,
    seed: int = 0,
    moves: int | None = None,
    judge: Player | None = None,
) -> Iterator[State]:
    """Yield so many starts of the game, some random moves on and not over yet.

    Where the start is left to chance there are no such moves, unless their number is given.  With
    a judge, starts that it finds decided are left out: whoever plays, either side wins one game
    of such a pair.
    """
    chance = random.Random(seed)
    if moves is None:
        moves = 0 if game.has_chance else OPENING
    refused = 0
    while pairs:
        state = game.new_initial_state(chance.getrandbits(60))
        for _ in range(moves):
            if not state.is_terminal():
                state.apply_action(chance.choice(state.legal_actions()))
        if state.is_terminal():
            moves = max(1, moves) - 1  # a small game may always be over so soon
        elif refused < MOST_REFUSED and judge is not None and is_decided(state, judge):
            refused += 1
        else:
            refused = 0
            pairs -= 1
            yield state


def is_decided(state: State, judge: Player) -> bool:
    """Tell whether a judge is as good as sure who wins."""
    value = judge.choose(state, JUDGEMENT).value
    return value is not None and abs(value) > SURE


def play_game(state: State, players: Sequence[Player], limits: Sequence[Limits | None]) -> State:
    """Play a game to its end, each player within its limits; return the end."""
    while not state.is_terminal():
        mover = state.current_player()
        state.apply_action(players[mover].choose(state, limits[mover]).action)
    return state


def match(
    game: Game,
    players: Sequence[Player],
    limits: Sequence[Limits | None],
    games: int,
    *,
    seed: int = 0,
    moves: int | None = None,
    judge: Player | None = None,
) -> Score:
    """Play an even number of games between two players; return the score of the first.

    Every opening is played twice with colours swapped; see ``openings``.  Raises PlayerError for
    games of one.
    """
    if game.num_players != 2:
        raise PlayerError(f"{game.name} is not a game of two")
    score = Score()
    for opening in openings(game, games // 2, seed=seed, moves=moves, judge=judge):
        for first in range(2):
            seats = (players, limits) if first == 0 else (players[::-1], limits[::-1])
            end = play_game(opening.clone(), *seats)
            score.add(end.returns()[first], len(end.history()))
    return score
