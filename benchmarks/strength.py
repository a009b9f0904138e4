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
from typing import TYPE_CHECKING, Any

from command_line import Count, Seconds, Words, need, start, with_other_games

need("pyspiel")

import pyspiel  # noqa: E402

import gridhouse  # noqa: E402
import gridhouse.adapters.openspiel  # noqa: E402
from gridhouse.arena.openings import openings_for  # noqa: E402
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
# The least assumed seconds of a simulation.  Near the end of a game simulations are shorter, but
# not if the game goes on for longer than the last one.
SHORTEST = 2e-4
EXPLORE = 2.0  # of OpenSpiel's search, as in its own examples


class OpenSpielPlayer(Player):
    """OpenSpiel's search, with as many simulations as recently fitted into the time.

    Their cost is measured by ply, because they become shorter towards the end of a game.
    ``spent`` is the time of all moves, in seconds, and ``moves`` their number.
    """

    def __init__(self, game: Game, *, seed: int = 0) -> None:
        """Load the game in OpenSpiel without hidden information, which its search would refuse."""
        super().__init__(game)
        parameters = dict(game.values) | {"starts": 1, "open": True}
        self._theirs: Any = pyspiel.load_game(f"gridhouse_{game.name}", parameters)
        self._evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
        self._seed = seed
        self._costs = {0: 0.01}
        self.spent = 0.0
        self.moves = 0

    def _choose(self, state: State, limits: Limits) -> Choice:
        ply = len(state.history())
        nearest = max(known for known in self._costs if known <= ply)
        count = max(2, int((limits.seconds or 1.0) / max(SHORTEST, self._costs[nearest])))
        bot = pyspiel.MCTSBot(
            self._theirs, self._evaluator, EXPLORE, count, 1000, False, self._seed, False
        )
        theirs = self._theirs.new_initial_state()
        theirs.play = gridhouse.parse(str(state))
        started = time.perf_counter()
        action = int(bot.step_with_policy(theirs)[1])
        seconds = time.perf_counter() - started
        self._costs[ply] = (self._costs[nearest] + seconds / count) / 2
        self.spent += seconds
        self.moves += 1
        return Choice(action, work=count)


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
