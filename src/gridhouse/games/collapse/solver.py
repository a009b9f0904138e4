"""Solves Collapse: the picks that score most, and a bound that no picks can beat.

Linear, the score is all there is on the board less what is left, so a line is judged by what it
leaves.  Beams and nested rollouts look for good lines while an exact search raises what must be
left; where the two meet the score is optimal.  Boards that are too large for beams are cleared from
the left.  For SameGame there are rollouts above all; small boards are searched through.

How strong all this is: ``docs/collapse.md``.
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
from gridhouse.games.collapse import _words
from gridhouse.games.collapse._common import MEMORY, ROOM
from gridhouse.games.collapse._search import Search
from gridhouse.games.collapse.game import CollapseGame

MAX_CELLS = 250 * 250
SECONDS = 10.0
PAR_NODES = 20_000
PAR_CELLS = 225  # of larger boards rollouts take longer, the more so the larger they are
COMPILED_CELLS = 1000
FULL_WORD = 32  # rows of columns of which no two fit into a word


class CollapseSolution(Solution):
    """The best picks found, and what is proved about them.

    ``picks`` are rows and columns, counted from 1 as the program takes them.  ``score`` is that of
    the whole game, with what was scored before; no play from the position on scores more than
    ``bound``.
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
        """Keep the findings; ``nodes`` are the picks and rollouts looked at."""
        self.picks = picks
        self.score = score
        self.bound = bound
        self.optimal = score == bound
        self.cleared = cleared
        self.nodes = nodes
        self.seconds = seconds

    def facts(self) -> dict[str, object]:
        """Return all findings by name."""
        return dict(vars(self))

    def best(self) -> tuple[int, bool]:
        """Return the score, and whether it is the most."""
        return self.score, self.optimal

    def __str__(self) -> str:
        """Tell the score, what is proved of it, and the picks."""
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
    """Return the best picks found from a position on within some seconds.

    The search ends early when the score is proved, and on Ctrl-C.  With ``nodes`` it ends after so
    many picks and rollouts as well, uses one thread, and gives the same for the same seed.  The
    tables of the exact search take at most so many MiB of ``memory``.  It runs compiled as soon as
    its code is there, with ``jit`` from the start, and never where that is false.  Raises
    SolverError for a board of more than 62,500 cells, and for limits that are not above 0.
    """
    check(state, seconds, nodes, threads)
    check_limits(memory=memory)
    make = partial(Search, state, seed=seed, nodes=nodes, threads=threads, memory=memory)
    work = Attempts(state.game, make, is_proved, jit=jit, load=load)
    began = time.perf_counter()

    def run() -> CollapseSolution:
        work.run()
        return told(state, work.search, time.perf_counter() - began)

    return watched(run, work.stop, seconds=seconds, status=work.status)


def check(state: State, seconds: float | None, nodes: int | None, threads: int) -> None:
    """Raise SolverError if the solver cannot do what it is asked for."""
    cells = state.game.rows * state.game.cols
    if cells > MAX_CELLS:
        raise SolverError(f"the board has {cells} cells; the solver takes at most {MAX_CELLS}")
    check_limits(seconds=seconds, nodes=nodes, threads=threads)


def warm() -> None:
    """Have everything compiled, or loaded, for all boards but large ones, before a clock runs."""
    for words in _words.SIZES:
        warm_for(ROOM, words)


@cache
def warm_for(room: int, words: int) -> None:
    """Have compiled what boards need so much room for, and so many words in the exact search."""
    rows = [[1, 1], [2, 2]] if words <= 1 else [[1] * words] * FULL_WORD
    game, position = CollapseGame.from_board(rows)
    state = State(game, position)
    Search(state, seed=0, nodes=None, threads=1, jit=True).touch(room)


def is_proved(search: Search) -> bool:
    """Tell whether a search has nothing left to find."""
    return search.score >= search.bound


def load(search: Search) -> None:
    """Have loaded what a search needs, or compiled."""
    warm_for(search.room, search.words)


def told(state: State, search: Search, seconds: float) -> CollapseSolution:
    """Return a search's findings, with its picks replayed by the rules."""
    # Compiled where picks times cells are many: they may be thousands times tens of thousands.
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
    """Return the action that begins the best picks found, or None if the game is over."""
    found = solve(state, seconds=seconds, seed=seed)
    if not found.picks:
        return None
    row, col = found.picks[0]
    return state.string_to_action(f"{row} {col}")


def par(state: State) -> int:
    """Return the score that the solver finds with a small fixed effort, the same every time."""
    larger = max(1.0, state.game.rows * state.game.cols / PAR_CELLS)
    return solve(state, seconds=None, nodes=int(PAR_NODES / larger**2) + 1).score


def can_clear(
    state: State,
    *,
    seconds: float | None = 5.0,
    nodes: int | None = None,
    jit: bool | None = None,
) -> bool | None:
    """Tell whether the board can still be cleared: proved yes, proved no, or None for unknown."""
    check(state, seconds, nodes, 1)
    make = partial(Search, state, seed=0, nodes=nodes, threads=2, clearing=True)
    work = Attempts(state.game, make, is_proved, jit=jit, load=load)
    watched(work.run, work.stop, seconds=seconds)
    return clears(work.search)


def clears(search: Search) -> bool | None:
    """Return what a search for what must stay has found out: whether nothing must, or None."""
    if search.left == 0:
        return True
    return False if search.least > 0 else None
