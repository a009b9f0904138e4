"""The search for a high score of SameGame."""

from __future__ import annotations

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
# Of nested rollouts: how many levels, rounds of each, and how many of the digits are spared in
# turn, the commonest first and then the best.
SCHEDULE = ((3, 100, 1), (3, 100, 2))


class Samegame(Common):
    """Nested rollouts, beams for the ends of their lines, exhaustion of small boards."""

    def _run_samegame(self) -> None:
        tasks: list[Callable[[], None]] = [
            partial(self._roll, seed) for seed in range(self.threads)
        ]
        if self.size <= THROUGH_CELLS:
            tasks = [self._go_through, *tasks[: max(1, self.threads - 1)]]
        self._together(*tasks)

    def _rolled(self, memory: Any, spared: int, top: int, size: int, control: Any) -> int:
        """Note the best line of nested rollouts that spare a digit; return its score."""
        control.spared = spared
        control.best = MANY
        self.kernels.nrpa.search(memory, self.start, self.stride, top, size, self._work(), control)
        self._note(int(control.best), memory.cells[-1][: control.length].tolist())
        self._release(control)
        return -int(control.best)

    def _roll(self, seed: int) -> None:
        """Nest rollouts that spare one of the digits each, those of the best digits longer."""
        memory = self._rollouts(3)
        best = dict.fromkeys(self._commonest(self.start), 0)
        turn = 0
        while not self._stopped:
            order = sorted(best, key=lambda kind: -best[kind])
            top, size, kept = SCHEDULE[min(turn, len(SCHEDULE) - 1)]
            for kind in order[:kept]:
                control = self._control(1 + 100 * turn + 10 * kind + seed)
                before = self.left
                best[kind] = max(best[kind], self._rolled(memory, kind, top, size, control))
                if self.left < before:
                    self._polish(turn)
            turn += 1

    def _polish(self, seed: int) -> None:
        """Try the end of the best line again with beams."""
        for cells in POLISHED:
            board, prefix, gain = self._thinned(self.line, cells)
            self._beam(POLISH_WIDTH, board, prefix, gain, seed)

    def _go_through(self) -> None:
        """Search the whole game."""
        memory, work = self._memory(), self._work()
        control = self._control(0)
        control.limit = max(1, (self.limit - self.nodes) // 2) if self.limit < MANY else MANY
        memory.boards[0][:] = self.start
        most = int(self.kernels.exact.best_score(memory, 0, 0, self.stride, work, control))
        if control.stop == 0:
            self.least = -most
            self._trace_score(memory, most, work, control)
        self._release(control)

    def _trace_score(self, memory: Any, most: int, work: Any, control: Any) -> None:
        """Note a line with just this score."""
        board, rest, line = self.start.copy(), most, list[int]()
        while cells := self._firsts(board, work):
            for cell in cells:
                after = board.copy()
                gain = (self._pick(after, cell, work) - 2) ** 2
                memory.boards[0][:] = after
                more = int(self.kernels.exact.best_score(memory, 0, 0, self.stride, work, control))
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
