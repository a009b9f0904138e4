"""The perfect player of the Binary Game against Monte-Carlo search, and its time.

``python benchmarks/binary_player.py match [GAMES] [SECONDS] [SIDE ...]``: matches against plain
Monte-Carlo search (``mcts`` that learns nothing from moves played later) with SECONDS (0.05) a move
for both, colours swapped, on square boards of each SIDE (6 to 10), from the empty board and after
four random moves, with an interval of 95 % confidence.
``python benchmarks/binary_player.py tuned ...``: the same against ``mcts`` as it is.
``python benchmarks/binary_player.py time [SECONDS] [POSITIONS]``: by how much a choice took longer
than SECONDS (0.2) at most, over POSITIONS (20) of random play on each of some boards to 20x20.
``python benchmarks/binary_player.py strong [GAMES] [SECONDS] [SIDE ...]``: matches of the exact
program's strong ``genmove`` against random moves where the solver finds none that wins, after two
random moves, GAMES (20), SECONDS (1) and each SIDE (7 and 9).
"""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

from command_line import Count, Counts, Seconds, start
from strength import points_text

import gridhouse
from gridhouse.arena.openings import PLIES, openings_for
from gridhouse.arena.reports.summary import summarize
from gridhouse.arena.runner import Run
from gridhouse.arena.store import MEMORY, Store
from gridhouse.arena.tournament_file import parse_tournament
from gridhouse.arena.workers import Workers
from gridhouse.games.binary.game import BinaryGame
from gridhouse.games.binary.solver.timed_solve import move_within, solve_within

if TYPE_CHECKING:
    from collections.abc import Sequence

SIDES = (6, 7, 8, 9, 10)
STRONG_SIDES = (7, 9)
MARGIN = 60  # seconds over the limit, so that no game is lost on time on a busy machine
OPENED = 2  # random moves before these play
BOARDS = ((5, 5), (9, 7), (10, 10), (12, 12), (1, 19), (20, 3), (19, 19), (20, 20))


def against_plain(games: Count = 200, seconds: Seconds = 0.05, sides: Counts = None) -> None:
    """Match the perfect player with plain Monte-Carlo search."""
    matches("mcts:rave=0", games, seconds, sides)


def against_tuned(games: Count = 200, seconds: Seconds = 0.05, sides: Counts = None) -> None:
    """Match the perfect player with Monte-Carlo search as it is."""
    matches("mcts", games, seconds, sides)


def matches(peer: str, games: int, seconds: float, sides: Sequence[int] | None) -> None:
    """Print the share of the perfect player's points on each board."""
    for moves in (0, PLIES):
        for side in sides or SIDES:
            game = BinaryGame(rows=side, cols=side)
            tournament = parse_tournament(
                {
                    "game": str(game),
                    "players": ["perfect", peer],
                    "games": games,
                    "limit": f"{seconds}s",
                    "margin": MARGIN,
                }
            )
            openings = openings_for(game, games // 2, plies=moves, balanced=False)
            with (
                Store(MEMORY, tournament.settings()) as store,
                Workers(tournament, 1) as workers,
            ):
                records = list(Run(tournament, store, openings).play(workers))
            points = points_text(summarize(records, tournament.names).meetings["perfect", peer])
            print(f"{side}x{side} after {moves} random moves: {points}", flush=True)


def overruns(seconds: Seconds = 0.2, positions: Count = 20) -> None:
    """Print by how many milliseconds choices came late, or early if less than 0."""
    limits = gridhouse.Limits(seconds=seconds)
    chance = random.Random(1)
    for rows, cols in BOARDS:
        game = BinaryGame(rows=rows, cols=cols)
        perfect = gridhouse.player("perfect", game)
        late = []
        for _ in range(positions):
            state = game.new_initial_state()
            for _ in range(chance.randrange(rows * cols)):
                if len(state.legal_actions()) > 1:
                    state.apply_action(chance.choice(state.legal_actions()))
            begun = time.perf_counter()
            perfect.choose(state, limits)
            late.append(1000 * (time.perf_counter() - begun - seconds))
        mean = sum(late) / positions
        print(f"{cols}x{rows}: {max(late):.0f} ms at most, {mean:.0f} ms on average", flush=True)


def strong(games: Count = 20, seconds: Seconds = 1.0, sides: Counts = None) -> None:
    """Print how many games the exact program's strong moves win against the solver's alone."""
    for side in sides or STRONG_SIDES:
        game, won = BinaryGame(rows=side, cols=side), 0
        for number in range(games):
            chance = random.Random(number // 2)  # every opening twice, colours swapped
            state = game.new_initial_state()
            while not state.is_terminal():
                if len(state.history()) < OPENED:
                    action = chance.choice(state.legal_actions())
                elif state.current_player() == number % 2:
                    action = move_within(state, seconds)
                else:
                    moves = solve_within(state, seconds).moves
                    legal = state.legal_actions()
                    action = state.string_to_action(moves[0]) if moves else chance.choice(legal)
                state.apply_action(action)
            won += state.returns()[number % 2] > 0
        print(f"{side}x{side}: {won} of {games} games, {seconds:g} s a move", flush=True)


if __name__ == "__main__":
    start(match=against_plain, tuned=against_tuned, time=overruns, strong=strong)
