"""Moves a second of uniformly random games, compared with OpenSpiel's C++ in the same run.

``python benchmarks/random_games.py [SECONDS]`` prints, for each of our games, millions of moves a
second on one core and on all, the ratio to the fastest of OpenSpiel's games, and the moves of the
first thousand games, which are the same on every machine.  A game that goes on for ever is left
after 1000 moves.  OpenSpiel plays by its own random-rollout evaluator, a hundred rollouts a leaf
of its own search, on games of like size; the search adds next to nothing to them.
"""

from __future__ import annotations

import os
import random
import time
from typing import TYPE_CHECKING

from command_line import Seconds, need, start, with_other_games

need("pyspiel")

import pyspiel  # noqa: E402

import gridhouse  # noqa: E402
from gridhouse.search.engine import Engine  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable

    from gridhouse.core.game import State

GAMES = with_other_games(
    [
        "sliding(rows=4,cols=4)",
        "binary(rows=6,cols=6)",
        "sinks(rows=10,cols=10)",
        "tactego(rows=10,cols=10,pieces=10x1 9x1 8x2 7x3 6x4 5x4 3x6 2x8 1x10 Fx1)",
        "collapse(rows=10,cols=10,digits=5)",
    ]
)
PEERS = ["clobber", "breakthrough", "hex", "connect_four"]
ROLLOUTS = 100
COUNTED = 1000


def rate(play: Callable[[int], int], seconds: float) -> float:
    """Return the moves a second of a function that plays games and returns their moves."""
    games, moves, spent = 16, 0, 0.0
    while spent < seconds:
        start = time.perf_counter()
        moves = play(games)
        spent = time.perf_counter() - start
        games *= 2 if spent < seconds else 1
    return moves / spent


def peer_rate(name: str, seconds: float) -> float:
    """Return moves a second of OpenSpiel's random rollouts of one of its games."""
    game = pyspiel.load_game(name)
    chance = random.Random(1)
    lengths = []
    for _ in range(300):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(chance.choice(state.legal_actions()))
        lengths.append(state.move_number())
    length = sum(lengths) / len(lengths)

    def play(games: int) -> int:
        evaluator = pyspiel.RandomRolloutEvaluator(ROLLOUTS, 1)
        simulations = max(1, games // ROLLOUTS)
        bot = pyspiel.MCTSBot(game, evaluator, 2.0, simulations, 1000, False, 1, False)
        bot.mcts_search(game.new_initial_state())
        return int(simulations * ROLLOUTS * length)

    return rate(play, seconds)


def our_line(state: State, seconds: float, best: float) -> str:
    """Return the figures of one of our games."""
    engine, cores = Engine(state.game), os.cpu_count() or 1
    engine.play_outs(state.position, 1)
    counted = engine.play_outs(state.position, COUNTED)
    one = rate(lambda games: engine.play_outs(state.position, games), seconds)
    many = rate(lambda games: engine.play_outs(state.position, games, threads=cores), seconds)
    return f"{one / 1e6:9.2f}{many / 1e6:10.2f}{one / best:9.1f}{counted:12}"


def main(seconds: Seconds = 2.0) -> None:
    """Print a line for each game."""
    print(f"{'millions of moves a second':32}{'one core':>9}{'all cores':>10}")
    rates = []
    for name in PEERS:
        rates.append(peer_rate(name, seconds))
        print(f"OpenSpiel {name:22}{rates[-1] / 1e6:9.2f}")
    print(f"{'':51}{'ratio':>9}{'count':>12}")
    for text in GAMES:
        state = gridhouse.parse(text + "#1")
        rows, cols, *_ = state.game.values.values()
        print(f"{state.game.name} {rows}x{cols}".ljust(32) + our_line(state, seconds, max(rates)))


if __name__ == "__main__":
    start(main)
