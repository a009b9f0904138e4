"""The perfect player of the Binary Game against Monte-Carlo search, and its time.

``python benchmarks/binary_player.py match [GAMES] [SECONDS] [SIDE ...]``: matches against plain
Monte-Carlo search (``mcts`` that learns nothing from moves played later) with SECONDS (0.05) a move
for both, colours swapped, on square boards of each SIDE (6 to 10), from the empty board and after
four random moves, with an interval of 95 % confidence.
``python benchmarks/binary_player.py tuned ...``: the same against ``mcts`` as it is.
``python benchmarks/binary_player.py time [SECONDS] [POSITIONS]``: by how much a choice took longer
than SECONDS (0.2) at most, over POSITIONS (20) of random play on each of some boards to 20x20.
"""

from __future__ import annotations

import random
import sys
import time

import gridhouse
from gridhouse.games.binary.game import BinaryGame
from gridhouse.players.match import OPENING, match

SIDES = (6, 7, 8, 9, 10)
PEERS = {"match": {"rave": 0.0}, "tuned": {}}
BOARDS = ((5, 5), (9, 7), (10, 10), (12, 12), (1, 19), (20, 3), (19, 19), (20, 20))


def matches(peer: dict[str, float], games: int, seconds: float, sides: tuple[int, ...]) -> None:
    """Print the share of the perfect player's points on each board."""
    limits = gridhouse.Limits(seconds=seconds)
    for moves in (0, OPENING):
        for side in sides:
            game = BinaryGame(rows=side, cols=side)
            perfect = gridhouse.player("perfect", game, seed=side)
            mcts = gridhouse.player("mcts", game, seed=side, **peer)
            for mover in (perfect, mcts):
                mover.choose(game.new_initial_state(), limits)
            score = match(game, [perfect, mcts], (limits, limits), games, moves=moves)
            print(f"{side}x{side} after {moves} random moves: {score}", flush=True)


def overruns(seconds: float, count: int) -> None:
    """Print by how many milliseconds choices came late, or early if less than 0."""
    limits = gridhouse.Limits(seconds=seconds)
    chance = random.Random(1)
    for rows, cols in BOARDS:
        game = BinaryGame(rows=rows, cols=cols)
        perfect = gridhouse.player("perfect", game)
        late = []
        for _ in range(count):
            state = game.new_initial_state()
            for _ in range(chance.randrange(rows * cols)):
                if len(state.legal_actions()) > 1:
                    state.apply_action(chance.choice(state.legal_actions()))
            begun = time.perf_counter()
            perfect.choose(state, limits)
            late.append(1000 * (time.perf_counter() - begun - seconds))
        mean = sum(late) / count
        print(f"{cols}x{rows}: {max(late):.0f} ms at most, {mean:.0f} ms on average", flush=True)


def main(arguments: list[str]) -> None:
    """Run what the arguments say."""
    if arguments[:1] == ["time"]:
        numbers = [*map(float, arguments[1:]), 0.2, 20][:2]
        overruns(numbers[0], int(numbers[1]))
        return
    kind = arguments[0] if arguments else "match"
    if kind not in PEERS:
        sys.exit(__doc__)
    numbers = [*map(float, arguments[1:3]), *(200, 0.05)[len(arguments[1:3]) :]]
    matches(PEERS[kind], int(numbers[0]), numbers[1], tuple(map(int, arguments[3:])) or SIDES)


if __name__ == "__main__":
    main(sys.argv[1:])
