"""Tune what counts how much for a beam over a layer of a large sliding puzzle.

``python benchmarks/sliding_tune.py [MINUTES [WIDTH]]``, with the extra ``bench``, runs an evolution
strategy (Hansen and Ostermeier, 2001) from the weights as they are.  Each generation solves new
boards of 8x8, 10x10 and 12x12, by beams so wide, and after every fifth the mean weights are printed
with the lengths that they and the old ones make of boards of their own: moves by the side to the
power of three, since that is how lengths grow.
"""

from __future__ import annotations

from statistics import mean
from time import perf_counter
from typing import TYPE_CHECKING

from command_line import Count, Seconds, need, start

need("cma")

import cma  # noqa: E402
from sliding_solver import shuffled  # noqa: E402

from gridhouse.games.sliding.solver.beam import beam_search, layer_geometry  # noqa: E402
from gridhouse.games.sliding.solver.puzzle import puzzle_of  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Sequence

SIDES = (8, 10, 12)
BOARDS = 4  # of each size a generation
TESTS = 12  # of each size, for what is printed
WORST = 2.0  # what a beam without an end counts
# The step of ``OWN`` is the unit.  By name what a weight is changed by at first.
STEPS = {
    "OWN_POWER": 0.1,
    "BOTH": 8.0,
    "ACROSS": 10.0,
    "ALONG": 12.0,
    "INNER": 4.0,
    "INNER_POWER": 0.1,
    "CONFLICT": 20.0,
    "AWAY": 6.0,
}


def weights() -> list[float]:
    """Return the weights as they are."""
    found: list[float] = []
    for name in STEPS:
        value = vars(layer_geometry)[name]
        found += value if isinstance(value, tuple) else (value,)
    return found


def steps() -> list[float]:
    """Return what each weight is changed by at first."""
    return [
        step
        for name, step in STEPS.items()
        for _ in range(len(layer_geometry.INNER) if name == "INNER" else 1)
    ]


def put(values: Sequence[float]) -> None:
    """Have beams go by other weights."""
    left = list(values)
    for name in STEPS:
        if name == "INNER":
            vars(layer_geometry)[name] = tuple(left.pop(0) for _ in layer_geometry.INNER)
        elif name in {"CONFLICT", "AWAY"}:
            vars(layer_geometry)[name] = round(left.pop(0))
        else:
            vars(layer_geometry)[name] = left.pop(0)
    layer_geometry.costs.cache_clear()


def length(side: int, count: int, seed: int, width: int) -> float:
    """Return how long solutions of boards are by the weights that are put, by their size."""
    found = []
    for state in shuffled(side, count, seed):
        puzzle = puzzle_of(state)
        moves = beam_search.solve_by_layers(
            beam_search.BeamSearch(puzzle), puzzle, width, beam_search.DATABASE_SIDE
        )
        found.append(WORST if moves is None else min(WORST, len(moves) / side**3))
    return mean(found)


def main(minutes: Seconds = 40, width: Count = 400) -> None:
    """Tune for so many minutes."""
    began, old = perf_counter(), weights()
    search = cma.CMAEvolutionStrategy(old, 1, {"CMA_stds": steps(), "seed": 5, "verbose": -9})
    generation = 0
    while perf_counter() - began < 60 * minutes:
        generation += 1
        tried = search.ask()
        lengths = []
        for values in tried:
            put(values)
            lengths.append(mean(length(side, BOARDS, generation, width) for side in SIDES))
        search.tell(tried, lengths)
        if generation % 5 == 0:
            for name, values in (("old", old), ("new", [float(value) for value in search.mean])):
                put(values)
                ratios = [f"{length(side, TESTS, 0, width):.4f}" for side in SIDES]
                print(generation, name, *ratios, [round(value, 2) for value in values], flush=True)


if __name__ == "__main__":
    start(main)
