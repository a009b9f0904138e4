"""The search for a high score of SameGame."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

from gridhouse.games.collapse import _board
from gridhouse.games.collapse._common import MANY, Common
from gridhouse.games.collapse.rules import CLEARED

if TYPE_CHECKING:
    from collections.abc import Callable

THROUGH_CELLS = 49  # SameGame boards up to this size are searched through
POLISHED = (60, 120)  # the end of a SameGame line is tried again from so many cells on
POLISH_WIDTH = 100
# The rounds of a level of nested rollouts: of a thread's first run, and of the first look at the
# other digits.  Then each run of a thread has so many eighths more, which makes 2.6 times the work.
FIRST_ROUNDS = 60
LOOK_ROUNDS = 50
MORE_EIGHTHS = 3
CONTENDS = 95  # percent of the best score with which a digit is spared again


class Samegame(Common):
    """Nested rollouts, beams for the ends of their lines, exhaustion of small boards."""

    def _run_samegame(self) -> None:
        self._runs: Counter[int] = Counter()  # by the digit that was spared
        self._scores: dict[int, int] = {}  # the best of these
        tasks: list[Callable[[], None]] = [
            partial(self._roll, seed) for seed in range(self.threads)
        ]
        if self.size <= THROUGH_CELLS:
            tasks = [self._go_through, *tasks[: max(1, self.threads - 1)]]
        self._together(*tasks)

    def _roll(self, seed: int) -> None:
        """Nest rollouts that spare one of the digits each, in longer and longer runs."""
        memory = self._rollouts()
        turn = 0
        rounds = FIRST_ROUNDS
        while not self._stopped:
            kind, runs = self._next_spared()
            is_look = turn > 0 and runs == 0
            before = self.left
            salt = 1 + 100 * turn + 10 * kind + seed
            score = -self._rolled(memory, LOOK_ROUNDS if is_look else rounds, salt, spared=kind)
            if not is_look:
                rounds += rounds * MORE_EIGHTHS // 8
            with self._lock:
                self._scores[kind] = max(score, self._scores.get(kind, score))
            if self.left < before:
                self._polish(turn)
            turn += 1

    def _next_spared(self) -> tuple[int, int]:
        """Return the digit to spare next, and how often it was spared before.

        Each has its turn, the commonest first, and then those that scored best, the best first.
        """
        with self._lock:
            kinds = [kind for kind in self._commonest(self.start) if self._runs[kind] == 0]
            if not kinds:
                top = max(self._scores.values(), default=0)
                least = top - abs(top) * (100 - CONTENDS) // 100
                kinds = [kind for kind, score in self._scores.items() if score >= least]
            spared = min(
                kinds or self._runs,
                key=lambda kind: (self._runs[kind], -self._scores.get(kind, 0)),
            )
            self._runs[spared] += 1
            return spared, self._runs[spared] - 1

    def _polish(self, seed: int) -> None:
        """Try the end of the best line again with beams."""
        for cells in POLISHED:
            board, prefix, gain = self._thinned(self.line, cells)
            self._beam(POLISH_WIDTH, board, prefix, gain, seed)

    def _go_through(self) -> None:
        """Search the whole game."""
        memory, frame = self._memory(), self._frame()
        control = self._control(0)
        control.limit = max(1, (self.limit - self.nodes) // 2) if self.limit < MANY else MANY
        most = self._best_score(memory, self.start, frame, control)
        if control.stop == 0:
            self.least = -most
            self._trace_score(memory, most, frame, control)
        self._release(control)

    def _best_score(self, memory: Any, board: Any, frame: Any, control: Any) -> int:
        """Return the most that a board can give."""
        self.kernels.words.pack(board, self.stride, memory.boards[0], frame)
        return int(self.kernels.exact.best_score(memory, 0, 0, frame, control))

    def _trace_score(self, memory: Any, most: int, frame: Any, control: Any) -> None:
        """Note a line with just this score."""
        board, rest, line = self.start.copy(), most, list[int]()
        work = self._work()
        while cells := self._firsts(board, work):
            for cell in cells:
                after = board.copy()
                gain = (self._pick(after, cell, work) - 2) ** 2
                more = self._best_score(memory, after, frame, control)
                if gain + more == rest and control.stop == 0:
                    break
            else:
                return  # stopped on the way
            line.append(cell)
            board, rest = after, more
        self._note(-most, line)

    def _most(self, work: Any, dead: int) -> int:
        """Return what SameGame can give at most: every digit in one group, less what must stay."""
        all_cells, staying = [0] * _board.KINDS, [0] * _board.KINDS
        for kind in self.start.tolist():
            all_cells[kind] += 1
        for at in work.alone[:dead]:
            staying[int(self.start[at])] += 1
        some_left = sum(
            max(
                (count - left - 2) ** 2 * (left < count) - (left - 2) ** 2 * (left > 0)
                for left in range(stay, count + 1)
                if count - left != 1
            )
            for count, stay in zip(all_cells[1:], staying[1:], strict=True)
        )
        if dead > 0:
            return some_left
        none_left = sum((count - 2) ** 2 for count in all_cells[1:] if count > 0)
        return max(some_left, none_left + CLEARED)
