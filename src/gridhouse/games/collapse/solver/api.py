"""Solves Collapse: the picks that score most, and a bound that no picks can beat.

With linear score, the cost of a line is the points that it leaves.  Beams and nested rollouts
search for lines of low cost while exact searches raise the lower bound; where the two meet the
score is optimal.  Boards too large for beams are cleared from the left.  For SameGame there are
rollouts above all; small boards are searched exhaustively.

How strong all this is: ``docs/research/collapse.md``.
"""

from __future__ import annotations

import time
from functools import cache, partial
from typing import Any

from gridhouse.core.errors import SolverError
from gridhouse.core.game import State
from gridhouse.core.solving import (
    Attempts,
    Solution,
    check_limits,
    watched,
)
from gridhouse.core.specialize import rules_of
from gridhouse.games.collapse.game import CollapseGame
from gridhouse.games.collapse.solver.kernels import bitboard
from gridhouse.games.collapse.solver.search import (
    MEMORY,
    LinearSearch,
    Options,
    Search,
    make_search,
)
from gridhouse.games.collapse.solver.search.backend import ROOM

MAX_CELLS = 250 * 250
SECONDS = 10.0
PAR_NODES = 20_000
PAR_CELLS = 225  # larger boards have fewer nodes, since each takes longer
COMPILED_CELLS = 1000  # larger boards are replayed by compiled rules
TALL_ROWS = 32  # of columns of which no two fit into a word


class CollapseSolution(Solution):
    """The best picks found and a proved bound of the score.

    ``picks`` are rows and columns, counted from 1 as the program takes them.  ``score`` and
    ``bound`` are those of the whole game, with the points scored before.
    """

    def __init__(
        self,
        picks: list[tuple[int, int]],
        score: int,
        bound: int,
        *,
        cleared: bool,
        nodes: int,
        seconds: float,
    ) -> None:
        """Keep the results; ``nodes`` is the number of picks and rollouts that were searched."""
        self.picks = picks
        self.score = score
        self.bound = bound
        self.optimal = score == bound
        self.cleared = cleared
        self.nodes = nodes
        self.seconds = seconds

    def facts(self) -> dict[str, object]:
        """Return all results by name."""
        return dict(vars(self))

    def best(self) -> tuple[int, bool]:
        """Return the score, and whether it is optimal."""
        return self.score, self.optimal

    def __str__(self) -> str:
        """Return the score, the bound and the picks in lines for people."""
        proved = "optimal" if self.optimal else f"at most {self.bound} is possible"
        cleared = ", the board is cleared" if self.cleared else ""
        picks = ", ".join(f"{row} {col}" for row, col in self.picks) or "none"
        return (
            f"Score {self.score}, {proved}{cleared}\n"
            f"Picks: {picks}\n"
            f"{self.nodes} nodes, {self.seconds:.2f} seconds"
        )


def solve(
    state: State,
    *,
    seconds: float | None = SECONDS,
    seed: int = 0,
    nodes: int | None = None,
    threads: int = 2,
    memory: float = MEMORY,
    jit: bool | None = None,
) -> CollapseSolution:
    """Return the best picks found from a position on within ``seconds``.

    The search ends early when the score is proved, and on Ctrl-C.  With ``nodes``, a limit of picks
    and rollouts, it uses one thread and is reproducible by its seed.  ``memory`` limits the tables
    of the exact search, in MiB.  The search runs compiled as soon as compiled code is there; from
    the start with ``jit=True``, never with ``jit=False``.  Raises SolverError for a board of more
    than 62,500 cells, and for limits that are not above 0.
    """
    check(state, seconds, nodes, threads)
    check_limits(memory=memory)
    make = partial(make_search, state, Options(seed, nodes, threads, memory))
    attempts = Attempts(state.game, make, is_proved, jit=jit, load=load)
    began = time.perf_counter()

    def run() -> CollapseSolution:
        attempts.run()
        return solution_of(state, attempts.search, time.perf_counter() - began)

    return watched(run, attempts.stop, seconds=seconds, status=attempts.status)


def check(state: State, seconds: float | None, nodes: int | None, threads: int) -> None:
    """Raise SolverError if the board is too large or a limit is not above 0."""
    cells = state.game.rows * state.game.cols
    if cells > MAX_CELLS:
        raise SolverError(f"the board has {cells} cells; the solver takes at most {MAX_CELLS}")
    check_limits(seconds=seconds, nodes=nodes, threads=threads)


def warm() -> None:
    """Compile or load all kernels, except for boards of more than a thousand cells."""
    for words in bitboard.WORD_COUNTS:
        warm_for(ROOM, words)


@cache
def warm_for(room: int, words: int) -> None:
    """Compile or load all kernels for boards of ``room`` cells with ``words`` words a plane."""
    rows = [[1, 1], [2, 2]] if words <= 1 else [[1] * words] * TALL_ROWS
    game, position = CollapseGame.from_board(rows)
    state = State(game, position)
    LinearSearch(state, Options(), jit=True).touch(room)


def is_proved(search: Search) -> bool:
    """Tell whether the best line of a search is proved to be optimal."""
    return search.is_proved


def load(search: Search) -> None:
    """Compile or load the kernels that a search needs."""
    warm_for(search.room, search.words)


def solution_of(state: State, search: Search, seconds: float) -> CollapseSolution:
    """Return the result of a search, with its picks replayed by the rules."""
    # Large boards may have thousands of picks on tens of thousands of cells.
    jit = search.kernels.jit and len(search.start) > COMPILED_CELLS
    rules: Any = rules_of(state.game, jit=jit)
    position: Any = state.position.copy()
    if jit:
        from gridhouse.core.records import to_records

        position = to_records(position)[0]
    already = int(position.score)
    picks = []
    for cell in search.line:
        action = search.action(cell)
        row, col = map(int, state.game.write_move(position, action).split())
        picks.append((row, col))
        if rules.refusal(position, action):
            break
        rules.apply_action(position, action)
    score = int(position.score)
    if score - already != search.score or not rules.is_terminal(position):
        raise SolverError(f"the solver's picks do not score {search.score} in {state}")
    return CollapseSolution(
        picks,
        score,
        already + search.bound,
        cleared=bool(position.wide == 0),
        nodes=search.nodes,
        seconds=seconds,
    )


def hint(state: State, *, seconds: float = 1.0, seed: int = 0) -> int | None:
    """Return the first action of the best picks found, or None if the game is over."""
    found = solve(state, seconds=seconds, seed=seed)
    if not found.picks:
        return None
    row, col = found.picks[0]
    return state.string_to_action(f"{row} {col}")


def par(state: State) -> int:
    """Return the score that the solver finds with a small fixed number of nodes."""
    larger = max(1.0, state.game.rows * state.game.cols / PAR_CELLS)
    return solve(state, seconds=None, nodes=int(PAR_NODES / larger**2) + 1).score


def can_clear(
    state: State,
    *,
    seconds: float | None = 5.0,
    nodes: int | None = None,
    jit: bool | None = None,
) -> bool | None:
    """Return whether the board can be cleared, if that is proved, else None."""
    check(state, seconds, nodes, 1)
    make = partial(LinearSearch, state, Options(0, nodes, 2), is_clearing=True)
    attempts = Attempts(state.game, make, is_proved, jit=jit, load=load)
    watched(attempts.run, attempts.stop, seconds=seconds)
    return proved_clearing(attempts.search)


def proved_clearing(search: Search) -> bool | None:
    """Return whether the board of a search that counts cells can be cleared, None if unknown."""
    if search.cost == 0:
        return True
    return False if search.lower_bound > 0 else None
