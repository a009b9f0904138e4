"""The strength of the players: ``python benchmarks/strength.py [GAMES] [SECONDS] [GAME ...]``.

For every game of two, rows of a table: each search against random and greedy play with a small
fixed number of playouts or nodes, and with perfect information each against OpenSpiel's own
Monte-Carlo tree search (its C++ with its random-rollout evaluator, on our game through the
adapter), both with the same seconds a move.  Every opening is one that ``arena.openings`` finds
balanced, and is played twice with swapped colours.  The score has its interval of 95 % confidence.
``levels``, alone or before games, compares each level for people with the one below.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from command_line import Count, Seconds, Words, need, start, with_other_games

need("pyspiel")

import gridhouse  # noqa: E402
from gridhouse.arena.competitors.openspiel import OpenSpielCompetitor  # noqa: E402
from gridhouse.arena.openings import openings_for  # noqa: E402
from gridhouse.arena.time_control import TimeControl, Turn  # noqa: E402
from gridhouse.players import Choice, Contestant, Limits, parse_player, player  # noqa: E402
from gridhouse.players.base import Player  # noqa: E402
from gridhouse.players.levels import LEVELS  # noqa: E402
from gridhouse.players.match import Score, match  # noqa: E402
from gridhouse.search.engine import best_search  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gridhouse.core.game import Game, State

GAMES = with_other_games(
    [
        "binary(rows=6,cols=6)",
        "sinks(rows=10,cols=10)",
        "tactego(rows=6,cols=4)",
        "tactego(rows=8,cols=8,pieces=10x1 8x1 6x2 4x3 2x4 Sx2 Ax1 Mx3 Fx1)",
        "tactego(rows=6,cols=4,hidden=True)",
    ],
    players=2,
)
SOLO = with_other_games(["collapse(rows=7,cols=11,digits=5)", "sliding(rows=3,cols=3)"], players=1)
MAX_MOVES = 300
SEARCHES = ("mcts@2000p", "alphabeta@20000n")
PLANNING = "pomcp@2000p"  # with hidden information
WEAK = ("random", "greedy")


class OpenSpielPlayer(Player):
    """OpenSpiel's search; ``spent`` is the time of all ``moves``, in seconds."""

    def __init__(self, game: Game, *, seed: int = 0) -> None:
        """Load the game in OpenSpiel."""
        super().__init__(game)
        self._bot = OpenSpielCompetitor("openspiel:mcts", game)
        self._bot.begin(game.new_initial_state(), 0, seed)
        self.spent = 0.0
        self.moves = 0

    def _choose(self, state: State, limits: Limits) -> Choice:
        seconds = limits.seconds or 1.0
        started = time.perf_counter()
        reply = self._bot.choose(state, Turn(TimeControl(seconds=seconds), seconds))
        self.spent += time.perf_counter() - started
        self.moves += 1
        return Choice(state.string_to_action(reply.move), reply.value, work=reply.work)


def warm(game: Game, contestants: Iterable[Contestant]) -> None:
    """Let all players choose once, so that compilation is not timed."""
    for contestant in contestants:
        for seed in range(3):
            contestant.choose(game.new_initial_state(seed))


def parsed(game: Game, *texts: str) -> list[Contestant]:
    """Return the players that texts name, with different seeds."""
    return [parse_player(text, game, seed=number) for number, text in enumerate(texts, 1)]


def row(game: Game, first: str, second: str, games: int) -> str:
    """Return the row of a match between two players that texts name."""
    contestants = parsed(game, first, second)
    warm(game, contestants)
    score = match(openings_for(game, games // 2), contestants)
    return f"| {game} | {first} | {second} | {score} | {sum(score.moves) / score.games:.0f} |"


def peer_row(game: Game, kind: str, games: int, seconds: float) -> str:
    """Return the row of a search against OpenSpiel's at equal time, and its measured time."""
    limits = Limits(seconds=seconds)
    theirs = OpenSpielPlayer(game, seed=2)
    contestants = [Contestant(player(kind, game, seed=1), limits), Contestant(theirs, limits)]
    warm(game, contestants)
    theirs.spent = theirs.moves = 0
    score = match(openings_for(game, games // 2), contestants)
    moves = sum(score.moves) / score.games
    second = f"OpenSpiel MCTS@{theirs.spent / theirs.moves:.3f}s"
    return f"| {game} | {kind}@{seconds}s | {second} | {score} | {moves:.0f} |"


def alone(mover: Player, state: State) -> tuple[float, int]:
    """Return a player's score in a game for one, and minus the number of its moves."""
    while not state.is_terminal() and len(state.history()) < MAX_MOVES:
        state.apply_action(mover.choose(state).action)
    return state.returns()[0], -len(state.history())


def solo_row(game: Game, first: str, second: str, games: int) -> str:
    """Return the row of two players on the same starts; the higher score wins.

    Of equal scores, the one with fewer moves wins.
    """
    movers = [contestant.player for contestant in parsed(game, first, second)]
    score = Score()
    for seed in range(games):
        ours, theirs = (alone(mover, game.new_initial_state(seed)) for mover in movers)
        score.add((ours > theirs) - (ours < theirs), -ours[1])
    return f"| {game} | {first} | {second} | {score} | {sum(score.moves) / score.games:.0f} |"


def levels(games: int, names: list[str]) -> None:
    """Print the match of every level against the one below."""
    for text in names or [*GAMES, *SOLO]:
        game = gridhouse.parse(f"{text}#0").game
        compare = row if game.num_players == 2 else solo_row
        for level in LEVELS[1:]:
            first, second = f"level:level={level}", f"level:level={level - 1}"
            print(compare(game, first, second, games), flush=True)


def main(games: Count = 400, seconds: Seconds = 0.05, names: Words = None) -> None:
    """Print the table."""
    names = names or []
    print("| game | first | second | points of the first | moves |\n|---|---|---|---|---|")
    if names[:1] == ["levels"]:
        levels(games, names[1:])
        return
    for text in names or GAMES:
        game = gridhouse.parse(f"{text}#0").game
        hidden = best_search(game) == "pomcp"
        for first in (*SEARCHES, PLANNING) if hidden else SEARCHES:
            for second in WEAK:
                print(row(game, first, second, games), flush=True)
        if not hidden:
            for kind in ("mcts", "alphabeta"):
                print(peer_row(game, kind, games, seconds), flush=True)


if __name__ == "__main__":
    start(main)
