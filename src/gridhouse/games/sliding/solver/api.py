"""Solving the sliding puzzle: shortest solutions where they can be had, short ones anyway.

Equal tiles are interchangeable, and a solution is optimal if no way of sharing out the homes among
equal tiles has a shorter one.
"""

from __future__ import annotations

import os
from functools import cache, partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from gridhouse.core import solving
from gridhouse.core.errors import SolverError
from gridhouse.games.sliding import rules
from gridhouse.games.sliding.solver import bidirectional
from gridhouse.games.sliding.solver.puzzle import MOVES, puzzle_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gridhouse.core.game import State
    from gridhouse.games.sliding.rules import Position
    from gridhouse.games.sliding.solver.anytime import Anytime
    from gridhouse.games.sliding.solver.puzzle import Puzzle

MIN_SECONDS = 0.001  # time for a first answer, and no more
DEFAULT_SECONDS = 10.0  # on boards that may be too large for a shortest solution


class Options(NamedTuple):
    """The options of :func:`solve`."""

    seconds: float | None = None
    optimal: bool = False
    within: float | None = None
    threads: int | None = None
    jit: bool | None = None


class Solution(solving.Solution):
    """A solution: ``moves`` of the empty cell: U, D, L and R.

    No solution has fewer moves than ``bound``; ``optimal`` tells whether this one has just as many.
    ``nodes`` is the number of moves looked at, in ``seconds``.
    """

    def __init__(self, moves: str, bound: int, nodes: int, seconds: float) -> None:
        """Take the fields; the others follow from them."""
        self.moves = moves
        self.length = len(moves)
        self.bound = bound
        self.optimal = self.length == bound
        self.nodes = nodes
        self.seconds = seconds

    def facts(self) -> dict[str, object]:
        """Return all fields by name."""
        return {
            "moves": self.moves,
            "length": self.length,
            "bound": self.bound,
            "optimal": self.optimal,
            "nodes": self.nodes,
            "seconds": round(self.seconds, 6),
        }

    def best(self) -> tuple[int, bool]:
        """Return the number of moves, and whether it is the least."""
        return self.length, self.optimal

    def __str__(self) -> str:
        """Return the moves, their proof and the work in words."""
        if self.optimal:
            proof = "optimal: no solution is shorter"
        else:
            gap = 100 * (self.length - self.bound) / self.bound
            proof = (
                f"not proved optimal: {self.bound} moves are needed at least, a gap of {gap:.1f} %"
            )
        moves = self.moves or "none, it is solved already"
        return (
            f"Moves: {moves}\nLength: {self.length}, {proof}\n"
            f"Work: {self.nodes} nodes, {self.seconds:.3f} s"
        )


def solve(
    state: State,
    *,
    seconds: float | None = None,
    optimal: bool = False,
    within: float | None = None,
    threads: int | None = None,
    jit: bool | None = None,
) -> Solution:
    """Return a solution of a puzzle.

    Boards of up to sixteen cells are solved optimally.  On larger ones the first solution is made
    better and better for ``seconds``, ten if neither they nor a goal is given; the goal is a
    solution of at most ``within`` times the proved bound, or with ``optimal`` a shortest one.
    ``threads`` is by default the number of cores.  The search runs compiled as soon as its code is
    there; with ``jit`` true from the start, with false never.
    Raises SolverError, with the reason, if the puzzle cannot be solved.
    """
    options = {"seconds": seconds, "optimal": optimal, "within": within, "threads": threads}
    return solve_position(state.position, **options, jit=jit)


def solve_position(position: Position, **given: Any) -> Solution:
    """Solve a position of the rules; the options are those of :func:`solve`."""
    started = perf_counter()
    options = Options(**given)
    check_options(options.seconds, options.within, options.threads)
    puzzle = puzzle_of(position)
    if puzzle.is_solved():
        return Solution("", 0, 0, perf_counter() - started)
    moves, nodes = bidirectional.shortest(puzzle)
    bound = len(moves)
    if not moves:
        search = _searched(puzzle, options, started)
        moves, bound, nodes = search.moves, search.bound, nodes + search.nodes
    check_solution(position, moves)
    return Solution(text_of(moves), bound, nodes, perf_counter() - started)


def _searched(puzzle: Puzzle, options: Options, started: float) -> Anytime:
    """Return a search that has found a solution; its time began at ``started``."""
    # Only now, since compiled code takes a while to load.
    from gridhouse.games.sliding.game import SlidingGame
    from gridhouse.games.sliding.solver import anytime
    from gridhouse.games.sliding.solver.databases import good_partitions

    seconds, within = options.seconds, options.within
    proves = options.optimal or puzzle.cells <= anytime.SMALL
    ratio = 1.0 if proves or within is None else within
    if seconds is None and within is None and not proves:
        seconds = DEFAULT_SECONDS
    if seconds is not None:
        seconds = max(MIN_SECONDS, seconds - (perf_counter() - started))
    # A proof is what shows that a solution is good enough.
    is_slow = proves or (within is not None and puzzle.cells <= good_partitions.SMALL)
    limits = anytime.Limits(ratio, options.threads or os.cpu_count() or 1, seconds)
    make = partial(anytime.Anytime, puzzle, limits, allow_slow_build=is_slow)
    attempts = solving.Attempts(
        SlidingGame(), make, lambda search: len(search.moves) == search.bound, jit=options.jit
    )
    solving.watched(attempts.run, attempts.stop, seconds=seconds, status=attempts.status)
    search: Anytime = attempts.search
    return search


@cache
def warm() -> None:
    """Compile or load all kernels for puzzles of up to 14x14."""
    from gridhouse.games.sliding.game import SlidingGame
    from gridhouse.games.sliding.solver.beam import beam_search
    from gridhouse.games.sliding.solver.optimal import optimal_search

    for side, seconds in ((4, None), (5, MIN_SECONDS), (6, MIN_SECONDS)):
        solve(SlidingGame(rows=side, cols=side).new_initial_state(), seconds=seconds, jit=True)
    beam_search.compile_kernels()
    optimal_search.compile_kernels()


def text_of(moves: Sequence[int]) -> str:
    """Return moves as letters."""
    return "".join(MOVES[move] for move in moves)


def check_options(seconds: float | None, within: float | None, threads: int | None) -> None:
    """Raise SolverError for a limit that makes no sense."""
    solving.check_limits(seconds=seconds)
    if within is not None and not within >= 1:
        raise SolverError(f"within: {within} is less than 1")
    if threads is not None and not threads >= 1:
        raise SolverError(f"threads: {threads} is less than 1")


def check_solution(position: Position, moves: Sequence[int]) -> None:
    """Replay moves by the rules; raises SolverError if they do not solve the puzzle."""
    replayed = position.copy()
    for number, move in enumerate(moves, 1):
        if rules.refusal(replayed, move):
            raise SolverError(f"move {number}, {MOVES[move]}, is not legal")
        rules.apply_action(replayed, move)
    if not rules.is_terminal(replayed):
        raise SolverError(f"the puzzle is not solved after {len(moves)} moves")
