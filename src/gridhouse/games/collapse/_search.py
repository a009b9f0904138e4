"""What the solver of Collapse does when, over the compiled searches."""

from __future__ import annotations

import threading
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from gridhouse.core import chance, compiling
from gridhouse.games.collapse import _beam, _board, _bound, _exact, _nrpa
from gridhouse.games.collapse.rules import BLANK, CLEARED, Scoring

if TYPE_CHECKING:
    from collections.abc import Callable

    from gridhouse.core.game import State
    from gridhouse.core.position import Position

MANY = 1 << 60
BEAM_CELLS = 420  # larger boards are thinned out by random picks before a beam begins
THIN = 220  # to at most so many cells
EXACT_CELLS = 300  # larger boards are not searched exactly
THROUGH_CELLS = 49  # SameGame boards up to this size are searched through
FIRST_WIDTHS = (16, 64)
WIDTHS = (256, 1024, 4096)
POLISHED = (60, 120)  # the end of a SameGame line is tried again from so many cells on
POLISH_WIDTH = 100
# Of nested rollouts: how many levels, rounds of each, and how many of the digits are spared in
# turn, the commonest first and then the best.
SCHEDULE = ((3, 100, 1), (3, 100, 2))
SMALL_CELLS = 30  # boards up to this size do with a small table
CHOICES = 64  # of a playout's pick; further groups are passed over


class Kernels(SimpleNamespace):
    """The compiled modules, or the same interpreted."""

    def __init__(self, *, jit: bool) -> None:
        """Bind the modules to each other."""
        board = compiling.twin(_board, "collapse", jit=jit)
        bound = compiling.twin(_bound, "collapse", jit=jit, _board=board)
        with_bound = {"_board": board, "_bound": bound}
        super().__init__(
            board=board,
            bound=bound,
            beam=compiling.twin(_beam, "collapse", jit=jit, **with_bound),
            exact=compiling.twin(_exact, "collapse", jit=jit, **with_bound),
            nrpa=compiling.twin(_nrpa, "collapse", jit=jit, _board=board),
            records=compiling.to_records if jit else plain_records,
            jit=jit,
        )


def plain_records(position: Position, count: int = 1) -> list[Position]:
    """Return what stands for records where the kernels run interpreted."""
    return [position.copy() for _ in range(count)]


class Search:
    """One search from one position; ``run`` may be stopped from another thread."""

    def __init__(
        self,
        state: State,
        *,
        seed: int,
        nodes: int | None,
        threads: int,
        jit: bool,
        clearing: bool = False,
    ) -> None:
        """Take the position over; ``clearing`` counts cells left and not what they would score."""
        position: Any = state.position
        self.kernels = Kernels(jit=jit)
        self.rows, self.cols = state.game.rows, state.game.cols
        self.stride = self.rows + 1
        self.scoring = Scoring.LINEAR if clearing else Scoring(position.scoring)
        self.seed = seed
        self.limit = MANY if nodes is None else nodes
        self.threads = 1 if nodes is not None else threads
        self.clearing = clearing
        self.weights = [0] + ([1] * 10 if clearing else list(range(10))) + [0]
        self.start = self._packed(position.cells)
        self.size = int(np.count_nonzero(self.start))
        self.total = sum(self.weights[kind] for kind in self.start.tolist())
        self.line: list[int] = []
        self.left = MANY  # what the best line leaves, linear, or its score with its sign changed
        self.least = 0  # what any line leaves at least, the same way
        self._controls: list[Any] = []
        self._used = 0
        self._stopped = False
        self._lock = threading.Lock()

    @property
    def score(self) -> int:
        """What the best line scores."""
        return self.total - self.left if self.scoring == Scoring.LINEAR else -self.left

    @property
    def bound(self) -> int:
        """What no line can score more than."""
        return self.total - self.least if self.scoring == Scoring.LINEAR else -self.least

    @property
    def nodes(self) -> int:
        """How many picks and rollouts were looked at."""
        return self._used + sum(int(control.nodes) for control in self._controls)

    def status(self) -> str:
        """Return how far the search is, for people."""
        if self.left == MANY:
            return "searching"
        return f"score {self.score}, at most {self.bound}, {self.nodes} nodes"

    def stop(self) -> None:
        """End the search soon."""
        self._stopped = True
        for control in self._controls:
            control.stop = 1

    def action(self, cell: int) -> int:
        """Return the rules' number of the pick of a cell."""
        col, level = divmod(cell, self.stride)
        return (self.rows - 1 - level) * self.cols + col - 1

    def run(self) -> None:
        """Search until the best line is proved, the nodes are used up, or ``stop`` is called."""
        work = self._work()
        groups = self.kernels.board.find_groups(self.start, self.stride, work)
        dead = self.kernels.bound.find_dead(self.start, self.stride, work)
        if self.scoring == Scoring.LINEAR:
            kinds = [int(self.start[at]) for at in work.alone[:dead]]
            self.least = sum(self.weights[kind] for kind in kinds)
        else:
            self.least = -self._most(work, dead)
        if groups == 0:
            self.least = self.total if self.scoring == Scoring.LINEAR else 0
            self._note(self.least, [])
            return
        self._random_line(0)
        if self.scoring == Scoring.LINEAR:
            self._run_linear()
        else:
            self._run_samegame()

    def touch(self) -> None:
        """Run every kernel once on a small board, so that it is compiled or loaded."""
        self._beam(2, self.start, [], 0, 0)
        self._rolled(self._rollouts(1), 1, 1, 1, self._control(0))
        control, memory, work = self._control(0), self._memory(), self._work()
        memory.boards[0][:] = self.start
        self._measure(memory, self.start, MANY, work, control)
        self.kernels.exact.best_score(memory, 0, 0, self.stride, work, control)
        self._pick(self.start, self._firsts(self.start, work)[0], work)
        self.kernels.bound.find_dead(self.start, self.stride, work)

    def _most(self, work: _board.Work, dead: int) -> int:
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

    # What all searches need.

    def _packed(self, cells: list[int]) -> Any:
        """Return the board as the kernels hold it."""
        board = np.zeros((self.cols + 2) * self.stride, np.int8)
        for index, digit in enumerate(cells):
            if digit != BLANK:
                col, level = divmod(index, self.rows)
                board[(col + 1) * self.stride + level] = digit + 1
        return board

    def _work(self) -> _board.Work:
        return _board.make_work(len(self.start), np.zeros)

    def _control(self, seed: int) -> Any:
        """Return a search's control that ``stop`` reaches, with the nodes that are left."""
        control = self.kernels.records(_board.Control())[0]
        chance.seed(control, self.seed * 1000 + seed)
        control.limit = max(1, self.limit - self.nodes)
        control.scoring = self.scoring
        control.best = self.left
        control.target = self.least
        for kind, weight in enumerate(self.weights):
            control.weights[kind] = weight
        with self._lock:
            self._controls.append(control)
            control.stop = self._stopped
        return control

    def _release(self, control: Any) -> None:
        """Take a finished search's control back; at the limit of nodes everything ends."""
        with self._lock:
            self._used += int(control.nodes)
            self._controls = [other for other in self._controls if other is not control]
        if self._used >= self.limit:
            self.stop()

    def _note(self, left: int, line: list[int]) -> None:
        """Keep a line if it is the best, and end when none can be better."""
        with self._lock:
            if left < self.left:
                self.left = left
                self.line = line
        if self.left <= self.least:
            self.stop()

    def _pick(self, board: Any, cell: int, work: _board.Work) -> int:
        """Play a pick on a packed board and return how many cells went."""
        stamp = self.kernels.board.next_stamp(work)
        end = int(self.kernels.board.flood(board, self.stride, cell, 0, stamp, work))
        self.kernels.board.remove(board, self.stride, work.members, 0, end)
        return end

    def _firsts(self, board: Any, work: _board.Work) -> list[int]:
        """Return a cell of every group."""
        groups = self.kernels.board.find_groups(board, self.stride, work)
        return [int(work.members[work.start[group]]) for group in range(groups)]

    def _together(self, *tasks: Callable[[], None]) -> None:
        """Run tasks in threads, or one after the other if there is one thread only."""
        if self.threads == 1:
            for task in tasks:
                task()
            return
        others = [threading.Thread(target=task) for task in tasks[1:]]
        for other in others:
            other.start()
        tasks[0]()
        for other in others:
            other.join()

    # Beams.

    def _beam(self, width: int, start: Any, prefix: list[int], gain: int, seed: int) -> None:
        """Note the best line of a beam from a board that some picks led to."""
        cells = int(np.count_nonzero(start))
        memory = _beam.make_beam(width, cells, len(start), np.zeros, self.kernels.records)
        memory.boards[0][0][:] = start
        memory.gains[0][0] = gain
        control = self._control(seed)
        control.spared = self._commonest(start)[0]
        before = int(control.best)
        self.kernels.beam.search(memory, width, self.stride, self._work(), control)
        if control.best < before:
            self._note(int(control.best), prefix + memory.line[: control.length].tolist())
        self._release(control)

    def _commonest(self, board: Any) -> list[int]:
        """Return the kinds on a board, the commonest first."""
        counts = np.bincount(board, minlength=_board.KINDS).tolist()
        kinds = [kind for kind in range(1, _board.KINDS) if counts[kind] > 0]
        return sorted(kinds, key=lambda kind: -counts[kind])

    def _thinned(self, line: list[int], most: int) -> tuple[Any, list[int], int]:
        """Return the board that a line leads to when few cells are left, the picks, their gain."""
        board, work = self.start.copy(), self._work()
        cells, gain = self.size, 0
        for index, cell in enumerate(line):
            if cells <= most:
                return board, line[:index], gain
            count = self._pick(board, cell, work)
            cells -= count
            gain += (count - 2) ** 2
        return board, line, gain

    # The linear score.

    def _run_linear(self) -> None:
        if self.size > BEAM_CELLS:
            self._together(*[partial(self._thin, seed) for seed in range(self.threads)])
            return
        for width in FIRST_WIDTHS:
            self._beam(width, self.start, [], 0, width)
        if self._stopped:
            return
        if self.threads == 1:
            self._beam(WIDTHS[0], self.start, [], 0, 1)
        self._together(self._prove, self._widen)

    def _widen(self) -> None:
        """Repeat beams of growing width."""
        turn = 0
        while not self._stopped:
            width = WIDTHS[turn % len(WIDTHS)]
            turn += 1
            self._beam(width, self.start, [], 0, 1 + turn)

    def _thin(self, seed: int) -> None:
        """Thin the board out by random picks and end with a beam, again and again."""
        turn = 0
        while not self._stopped:
            line = self._random_line(1000 * turn + seed)
            board, prefix, _ = self._thinned(line, THIN)
            self._beam(FIRST_WIDTHS[turn % 2], board, prefix, 0, turn)
            turn += 1

    def _random_line(self, seed: int) -> list[int]:
        """Note random picks that spare the commonest digit, however short the time."""
        memory, control = self._rollouts(1), self._control(seed)
        control.best = MANY
        control.spared = self._commonest(self.start)[0]
        control.stop = 0
        self.kernels.nrpa.search(memory, self.start, self.stride, 1, 1, self._work(), control)
        line: list[int] = memory.cells[-1][: control.length].tolist()
        if self.scoring == Scoring.LINEAR:
            self._note_left(line)
        else:
            self._note(int(control.best), line)
        self._release(control)
        return line

    def _note_left(self, line: list[int]) -> None:
        """Note a line by what it leaves."""
        board, _, _ = self._thinned(line, -1)
        self._note(sum(self.weights[kind] for kind in board.tolist()), line)

    def _prove(self) -> None:
        """Raise what is left at least until it meets the best line, or a better one is found."""
        if self.size > EXACT_CELLS or self._stopped:
            return
        memory, work = self._memory(), self._work()
        control = self._control(0)
        control.limit = max(1, (self.limit - self.nodes) // 2) if self.limit < MANY else MANY
        budget = self.least
        while control.stop == 0:
            budget = min(budget, self.left - 1)
            cost = self._measure(memory, self.start, budget, work, control)
            if control.stop != 0:
                break
            if cost <= budget:
                self._trace(memory, cost, control)
            self.least = max(self.least, cost)
            if self.least >= self.left or (self.clearing and self.least > 0):
                self.stop()
            budget = self.least + (self.left - 1 - self.least) // 8
        self._release(control)

    def _measure(
        self, memory: _exact.Memory, board: Any, budget: int, work: _board.Work, control: Any
    ) -> int:
        """Return the least that a board can leave, or a bound above the budget."""
        exact, stride = self.kernels.exact, self.stride
        memory.boards[0][:] = board
        space = int(exact.begin(memory, stride, budget, work, control))
        cost = int(memory.children[0].least)
        for part in range(1, space):
            if cost <= budget and control.stop == 0:
                cost -= int(memory.parts[part].least)
                cost += int(
                    exact.solve(memory, part, space, 1, stride, budget - cost, work, control)
                )
        return cost

    def _trace(self, memory: Any, cost: int, control: Any) -> None:
        """Note the line that leaves just so much, found out by asking the memory pick by pick."""
        board, work, line = self.start.copy(), self._work(), []
        while cells := self._firsts(board, work):
            for cell in cells:
                after = board.copy()
                self._pick(after, cell, work)
                left = self._measure(memory, after, cost, work, control)
                if left <= cost and control.stop == 0:
                    break
            else:
                return  # stopped on the way
            line.append(cell)
            board = after
        self._note(cost, line)

    def _memory(self) -> _exact.Memory:
        rows = 64 * self.size + 64
        table = 1 << (16 if self.size <= SMALL_CELLS or not self.kernels.jit else 22)
        return _exact.make_memory(rows, table, len(self.start), np.zeros, self.kernels.records)

    # SameGame.

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

    def _trace_score(self, memory: Any, most: int, work: _board.Work, control: Any) -> None:
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

    def _rollouts(self, levels: int) -> _nrpa.Rollouts:
        return _nrpa.make_rollouts(levels, self.size, len(self.start), CHOICES, np.zeros)
