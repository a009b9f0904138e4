"""Learn the weights of an evaluation from self-play, and write them into a file.

``python benchmarks/learn.py GAME FILE [GAMES [WORK [SEED]]]``: the player of a game's levels plays
itself with the evaluation by hand, ``WORK`` nodes or playouts a move, from random openings and with
some random moves.  The weights are those that tell the results of these games best from any of
their positions: a logistic regression, as in Texel's tuning method.  If an evaluation has a part by
hand beside the weights, they are scaled to it.  The same words make the same file, whatever the
number of cores.

    python benchmarks/learn.py "sinks(rows=10,cols=10)" src/gridhouse/games/sinks/weights.bin
    python benchmarks/learn.py "tactego(rows=8,cols=8,hidden=True)" \
        src/gridhouse/games/tactego/weights.bin 2000 200
"""

from __future__ import annotations

import multiprocessing
import random
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from command_line import Count, Some, Word, start

from gridhouse.arena.openings import move_at_random
from gridhouse.arena.workers import cores
from gridhouse.core.console import UsageError, write_whole
from gridhouse.core.registry import parse_game
from gridhouse.core.specialize import rules_of, specialize
from gridhouse.players import Limits, compiled_kind, player
from gridhouse.search.engine import evaluation_of
from gridhouse.search.montecarlo import VALUE_SCALE

if TYPE_CHECKING:
    from collections.abc import Callable

    from gridhouse.core.game import Game, State

    Array = np.ndarray[Any, Any]

SHARE = 50  # games of which one task plays; they do not depend on the others
OPENING = 8  # the most random moves of an opening
NOISE = 0.04  # the part of the later moves that are random
LENGTH = 200  # moves after which a game counts as a draw

ROUNDS = 300  # of the regression, each over all positions
RATE = 0.05  # the first step of Adam (Kingma and Ba, 2015), which shrinks to none
MOMENTUM = 0.9, 0.999
SHRINKING = 2e-4  # the part of each weight that counts against it


class Samples(NamedTuple):
    """Positions, each as the weights that it uses: ``used``, of which ``counts`` says how many.

    ``by_hand`` is the part of the evaluation without weights, as log odds, and ``points`` the share
    of the points, from 0 to 1, that the player to move got in the end.
    """

    used: Array
    counts: Array
    by_hand: Array
    points: Array


def reader(game: Game) -> Callable[[State], tuple[list[int], float]]:
    """Return a function that tells what a learned evaluation adds up for the player to move.

    These are the weights, and as log odds the part by hand.
    """
    used: list[int] = []

    def weight(index: int) -> int:
        used.append(index)
        return 0

    rules = rules_of(game, jit=False)
    label = f"{game.name}_read"
    evaluation = specialize(evaluation_of(game), label, jit=False, rules=rules, weight=weight)

    def read(state: State) -> tuple[list[int], float]:
        used.clear()
        value = evaluation.evaluate(state.position)
        if state.current_player() == 1:
            value = -value
        # An expected result is tanh(value / VALUE_SCALE), and log odds are twice its inverse.
        return used.copy(), 2 * value / VALUE_SCALE

    return read


def play(text: str, share: int, games: int, work: int, seed: int) -> Samples:
    """Play the games of a share, and return their positions."""
    game = parse_game(text)[0]
    rng = random.Random(f"{seed} {share}")
    kind = compiled_kind("level", game)
    teacher = player(kind, game, seed=share, constants={"LEARNED": 0})
    limits = Limits(nodes=work)
    read = reader(game)
    used: list[int] = []
    counts: list[int] = []
    hands: list[float] = []
    points: list[float] = []
    for _ in range(games):
        state = game.new_initial_state(rng.getrandbits(60))
        for _ in range(rng.randint(0, OPENING)):
            if not state.is_terminal():
                move_at_random(state, rng)
        movers = []
        while not state.is_terminal() and len(state.history()) < LENGTH:
            weights, by_hand = read(state)
            if weights:  # else the evaluation knows already who wins
                used += weights
                counts.append(len(weights))
                hands.append(by_hand)
                movers.append(state.current_player())
            if rng.random() < NOISE:
                move_at_random(state, rng)
            else:
                state.apply_action(teacher.choose(state, limits).action)
        returns = state.returns()
        points += [(1 + returns[mover]) / 2 for mover in movers]
    return Samples(
        np.array(used, np.int32), np.array(counts, np.int32), np.array(hands), np.array(points)
    )


def expected(samples: Samples, weights: Array) -> Array:
    """Return the share of the points that the weights expect in each position."""
    rows = np.repeat(np.arange(len(samples.counts)), samples.counts)
    odds = np.bincount(rows, weights[samples.used]) + weights[-1] * samples.by_hand
    told: Array = 1 / (1 + np.exp(-odds))
    return told


def loss(samples: Samples, weights: Array) -> float:
    """Return the mean cross-entropy of what the weights expect."""
    told = expected(samples, weights)
    points = samples.points
    return float(-np.mean(points * np.log(told) + (1 - points) * np.log(1 - told)))


def fitted(samples: Samples, number: int, rounds: int = ROUNDS) -> Array:
    """Return the weights that tell the results best, and last the factor of the part by hand.

    Their sums are log odds.
    """
    weights, mean, square = np.zeros((3, number + 1))
    first, second = MOMENTUM
    for turn in range(1, rounds + 1):
        wrong = (expected(samples, weights) - samples.points) / len(samples.points)
        each = np.repeat(wrong, samples.counts)
        slope = SHRINKING * weights
        slope[:-1] += np.bincount(samples.used, each, number)
        slope[-1] += np.dot(wrong, samples.by_hand)
        mean = first * mean + (1 - first) * slope
        square = second * square + (1 - second) * slope**2
        step = RATE * (1 + np.cos(np.pi * turn / rounds)) / 2
        steady = np.sqrt(square / (1 - second**turn)) + 1e-9
        weights -= step * mean / (1 - first**turn) / steady
    return weights


def written(weights: Array, zero: int) -> bytes:
    """Return weights as a file has them: hundredths, in two bytes each."""
    counted = np.round(VALUE_SCALE / 2 * weights[:-1] / (weights[-1] or 1.0)) + zero
    return np.clip(counted, 0, 2 * zero - 1).astype("<u2").tobytes()


def main(game: Word, file: Word, games: Count = 3000, work: Count = 800, seed: Some = 0) -> None:
    """Play, learn and write."""
    played = parse_game(game)[0]
    evaluation = vars(evaluation_of(played))
    if "LEARNED" not in evaluation:
        raise UsageError(f"the evaluation of {played.name} has no weights to learn")
    shares = range((games + SHARE - 1) // SHARE)
    counts = [min(SHARE, games - SHARE * share) for share in shares]
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(cores(), spawn) as pool:
        parts = pool.map(play, repeat(game), shares, counts, repeat(work), repeat(seed))
        samples = Samples(*map(np.concatenate, zip(*parts, strict=True)))
    weights = fitted(samples, evaluation["NUM_WEIGHTS"])
    write_whole(Path(file), written(weights, evaluation["ZERO"]))
    print(f"{len(samples.points)} positions of {games} games, loss {loss(samples, weights):.4f}")


if __name__ == "__main__":
    start(main)
