"""The search for a high score of SameGame."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

from gridhouse.games.collapse.rules import CLEARED
from gridhouse.games.collapse.solver.kernels import byte_board
from gridhouse.games.collapse.solver.search.base import INFINITE, Options, Search

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gridhouse.core.game import State
    from gridhouse.games.collapse.solver.kernels.exact_search import Memory
    from gridhouse.games.collapse.solver.types import Board

EXHAUSTIVE_CELLS = 49  # boards up to this size are searched exhaustively
SMALL_CELLS = 30  # of these, the larger ones have large tables
LARGE_TABLE = 1 << 22  # entries
POLISH_CELLS = (60, 120)  # beams search the end of a line again from these numbers of cells on
POLISH_WIDTH = 100
# The rounds of a level of nested rollouts: of a thread's first run, and of the first run with each
# other digit.  Each later run of a thread has three eighths more, which is 2.6 times the work.
FIRST_ROUNDS = 60
TRIAL_ROUNDS = 50
MORE_EIGHTHS = 3
CONTENDER_PERCENT = 95  # of the best score with which a digit is tabu again


class SamegameSearch(Search):
    """Nested rollouts, beams for the ends of their lines, exhaustive search of small boards."""

    def __init__(self, state: State, options: Options, *, jit: bool) -> None:
        """Take the position over."""
        super().__init__(state, options, jit=jit)
        self._runs: Counter[int] = Counter()  # by tabu digit
        self._scores: dict[int, int] = {}  # the best ones of these

    @property
    def score(self) -> int:
        """The score of the best line, or that of rollouts that run now if it is better."""
        with self._lock:
            return -min([self.cost, *(int(control.best) for control in self._controls)])

    @property
    def bound(self) -> int:
        """A proved upper bound of the score of all lines."""
        return -self.lower_bound

    def set_dead(self, dead: Sequence[int]) -> None:
        """Set the lower bound: every digit in one group, except cells that are dead."""
        self.lower_bound = -self._most(dead)

    def _run_without_groups(self) -> None:
        self.lower_bound = 0
        self._record(0, [])

    def _run(self) -> None:
        tasks: list[Callable[[], None]] = [
            partial(self._run_nested_rollouts, seed) for seed in range(self.threads)
        ]
        if self.size <= EXHAUSTIVE_CELLS:
            tasks = [self._search_exhaustively, *tasks[: max(1, self.threads - 1)]]
        self._run_in_threads(*tasks)

    def _run_nested_rollouts(self, seed: int) -> None:
        """Run nested rollouts with one digit tabu each, in longer and longer runs."""
        memory = self._make_rollouts()
        turn = 0
        rounds = FIRST_ROUNDS
        while not self._is_stopped:
            kind, runs = self._next_tabu()
            is_trial = turn > 0 and runs == 0
            before = self.cost
            run_seed = 1 + 100 * turn + 10 * kind + seed
            score = -self._run_rollouts(
                memory, TRIAL_ROUNDS if is_trial else rounds, run_seed, tabu=kind
            )
            if not is_trial:
                rounds += rounds * MORE_EIGHTHS // 8
            with self._lock:
                self._scores[kind] = max(score, self._scores.get(kind, score))
            if self.cost < before:
                self._polish(turn)
            turn += 1

    def _next_tabu(self) -> tuple[int, int]:
        """Return the next digit to be tabu, and the number of runs that it has been.

        Each has its turn, the commonest first, and then those that scored best, the best first.
        """
        with self._lock:
            kinds = [kind for kind in self._kinds_by_count(self.start) if self._runs[kind] == 0]
            if not kinds:
                top = max(self._scores.values(), default=0)
                least = top - abs(top) * (100 - CONTENDER_PERCENT) // 100
                kinds = [kind for kind, score in self._scores.items() if score >= least]
            tabu = min(
                kinds or self._runs,
                key=lambda kind: (self._runs[kind], -self._scores.get(kind, 0)),
            )
            self._runs[tabu] += 1
            return tabu, self._runs[tabu] - 1

    def _polish(self, seed: int) -> None:
        """Search the end of the best line again with beams."""
        for cells in POLISH_CELLS:
            board, prefix, gain = self._replay(self.line, cells)
            self._run_beam(POLISH_WIDTH, board, prefix, gain, seed)

    def _search_exhaustively(self) -> None:
        """Search the whole game."""
        control = self._control(0)
        control.limit = (
            max(1, (self.limit - self.nodes) // 2) if self.limit < INFINITE else INFINITE
        )
        memory = self._make_exact_memory()._replace(control=control)
        most = self._best_score(memory, self.start)
        if control.stop == 0:
            self.lower_bound = -most
            self._record_exact(memory, most)
        self._release(control)

    def _best_score(self, memory: Memory, board: Board) -> int:
        """Return the most that a board can score."""
        self._set_board(memory, board)
        return int(self.kernels.exact_search.best_score(memory, 0))

    def _record_exact(self, memory: Memory, most: int) -> None:
        """Record a line with just this score."""
        board, rest, line = self.start.copy(), most, list[int]()
        scratch = self._scratch()
        while picks := self._picks(board, scratch):
            for cell in picks:
                after = board.copy()
                gain = (self._pick(after, cell, scratch) - 2) ** 2
                more = self._best_score(memory, after)
                if gain + more == rest and memory.control.stop == 0:
                    break
            else:
                return  # stopped on the way
            line.append(cell)
            board, rest = after, more
        self._record(-most, line)

    def _most(self, dead: Sequence[int]) -> int:
        """Return the score of every digit in one group but for its dead cells."""
        counts, staying = [0] * byte_board.KINDS, [0] * byte_board.KINDS
        for kind in self.start.tolist():
            counts[kind] += 1
        for at in dead:
            staying[int(self.start[at])] += 1
        some_left = sum(
            max(
                (count - left - 2) ** 2 * (left < count) - (left - 2) ** 2 * (left > 0)
                for left in range(stay, count + 1)
                if count - left != 1
            )
            for count, stay in zip(counts[1:], staying[1:], strict=True)
        )
        if len(dead) > 0:
            return some_left
        none_left = sum((count - 2) ** 2 for count in counts[1:] if count > 0)
        return max(some_left, none_left + CLEARED)

    def _first_entries(self) -> int:
        if self.kernels.jit and self.size > SMALL_CELLS:
            return min(LARGE_TABLE, self.most_entries)
        return super()._first_entries()
