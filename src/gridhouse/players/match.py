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
    from gridhouse.players.base import Contestant, Player

NORMAL_95 = 1.959964  # standard deviations on each side that hold 95 % of a normal distribution
OPENING = 4  # random moves of an opening: without them deterministic players repeat one game
JUDGE_LIMITS = Limits(nodes=20_000)
DECIDED = 0.99  # the value from which an opening counts as decided
MAX_REJECTED = 100  # decided openings in a row; perhaps all are decided, so the next is taken


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


def openings(
    game: Game,
    pairs: int,
    *,
    seed: int = 0,
    moves: int | None = None,
    judge: Player | None = None,
) -> Iterator[State]:
    """Yield openings: starts of the game after some random moves, which are not over.

    By default a game with random starts has no random moves.  With a judge, openings that it finds
    decided are left out: each side would win one game of such a pair.
    """
    rng = random.Random(seed)
    if moves is None:
        moves = 0 if game.has_chance else OPENING
    rejected = 0
    while pairs:
        state = game.new_initial_state(rng.getrandbits(60))
        for _ in range(moves):
            if not state.is_terminal():
                state.apply_action(rng.choice(state.legal_actions()))
        if state.is_terminal():
            moves = max(1, moves) - 1  # a small game may be over after fewer moves
        elif rejected < MAX_REJECTED and judge is not None and is_decided(state, judge):
            rejected += 1
        else:
            rejected = 0
            pairs -= 1
            yield state


def is_decided(state: State, judge: Player) -> bool:
    """Tell whether a judge finds a position won for either side."""
    value = judge.choose(state, JUDGE_LIMITS).value
    return value is not None and abs(value) > DECIDED


def play_game(state: State, contestants: Sequence[Contestant]) -> State:
    """Play a game to its end between contestants, given by player; return its last state."""
    while not state.is_terminal():
        state.apply_action(contestants[state.current_player()].choose(state).action)
    return state


def match(
    game: Game,
    contestants: Sequence[Contestant],
    games: int,
    *,
    seed: int = 0,
    moves: int | None = None,
    judge: Player | None = None,
) -> Score:
    """Play an even number of games between two contestants; return the score of the first.

    Every opening is played twice, colours swapped; see ``openings``.  Raises PlayerError for games
    of one.
    """
    if game.num_players != 2:
        raise PlayerError(f"{game.name} is not a game of two")
    score = Score()
    for opening in openings(game, games // 2, seed=seed, moves=moves, judge=judge):
        for first in range(2):
            end = play_game(opening.clone(), contestants if first == 0 else contestants[::-1])
            score.add(end.returns()[first], len(end.history()))
    return score
