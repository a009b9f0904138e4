"""The search for the least that can be left, which is what counts with the linear score."""

from __future__ import annotations

from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from gridhouse.games.collapse import _board, _exact
from gridhouse.games.collapse._common import MANY, Common
from gridhouse.games.collapse._cuts import CutSearch

if TYPE_CHECKING:
    from collections.abc import Mapping

BEAM_CELLS = 420  # larger boards are cleared column by column until so many are left
WINDOW = 250  # cells of the columns that are cleared together there
WIDEST = 64  # of the beams that do so
FIRST_RUN = 4_000  # nodes of a search by parts before it begins anew, with larger tables if need be
GROWTH = 8  # they grow by so much when there are fewer entries than so many for each node
MOST_FIRST = 100_000  # states of a half before it shows anything
STEPS = 8  # by which the bound rises to the best line
EXACT_CELLS = 300  # larger boards are not searched exactly
FIRST_WIDTHS = (16, 64)
WIDTHS = (256, 1024, 4096)
ROUNDS = (12, 20, 28)  # of a level of nested rollouts before each of these beams
REPEATS = 8  # of these, where digits are rare: few runs in a hundred find the best lines there
NOTHING = 0  # the kind that rollouts spare: none


class Linear(Common):
    """Beams and rollouts find lines, an exact search raises what must be left, until they meet."""

    _tables: Mapping[str, Any] = MappingProxyType({})  # in place of those of the memory

    def _run_linear(self) -> None:
        if self.size > BEAM_CELLS:
            self._together(*[partial(self._sweep, seed) for seed in range(self.threads)])
            return
        for width in FIRST_WIDTHS:
            self._beam(width, self.start, [], 0, width)
        if self._stopped:
            return
        if self.threads == 1:
            self._look(self._rollouts(), 0)
        self._together(self._prove, self._widen)

    def _widen(self) -> None:
        """Repeat rollouts and beams."""
        rollouts = self._rollouts()
        turn = int(self.threads == 1)
        while not self._stopped:
            self._look(rollouts, turn)
            turn += 1

    def _look(self, rollouts: Any, turn: int) -> None:
        """Look for a better line by nested rollouts and by a beam."""
        width, rounds = WIDTHS[turn % len(WIDTHS)], ROUNDS[turn % len(WIDTHS)]
        for repeat in range(REPEATS if self.rare else 1):
            if not self._stopped:
                self._rolled(rollouts, rounds, REPEATS * turn + repeat, spared=NOTHING)
        self._beam(width, self.start, [], 0, 1 + turn)

    def _sweep(self, seed: int) -> None:
        """Clear the board from the left, again and again with wider beams."""
        turn = seed
        while not self._stopped:
            width = min(2 << turn, WIDEST)
            board, line = self._swept(width, turn)
            if not self._firsts(board, self._work()):
                self._note_left(line)
            rest = self._window(board, self.size)
            for hasty in (True, False):
                left, picks = self._beamed(8 * width, rest, 0, turn, self.left, hasty=hasty)
                if picks:
                    self._note(left, line + picks)
            turn += self.threads

    def _swept(self, width: int, seed: int) -> tuple[Any, list[int]]:
        """Return what is left for one beam, and the picks until then.

        Beams clear the columns on the left as if they were alone, and what they leave goes with the
        columns after it.
        """
        board, line, work = self.start.copy(), list[int](), self._work()
        room = WINDOW
        while np.count_nonzero(board) > BEAM_CELLS and not self._stopped:
            if not self._firsts(board, work):
                break
            window = self._window(board, room)
            _, picks = self._beamed(width, window, 0, seed, MANY, hasty=True)
            room = WINDOW if picks else 2 * room
            line += self._replayed(board, window, picks, work)
        return board, line

    def _note_to_end(self, line: list[int]) -> None:
        """Note a line that is played on, by picks that come first, to where there are none."""
        board, _, _ = self._thinned(line, -1)
        work = self._work()
        while firsts := self._firsts(board, work):
            self._pick(board, firsts[0], work)
            line.append(firsts[0])
        self._note_left(line)

    def _window(self, board: Any, room: int) -> Any:
        """Return the columns on the left that hold so many cells as a board of their own."""
        cells = np.cumsum(np.count_nonzero(board.reshape(-1, self.stride), axis=1))
        wide = int(np.searchsorted(cells, min(room, cells[-1])))
        window = board[: (wide + 2) * self.stride].copy()
        window[-self.stride :] = 0
        return window

    def _replayed(self, board: Any, window: Any, picks: list[int], work: Any) -> list[int]:
        """Play a window's picks on the board until they do something else there; return these."""
        narrow = self.kernels.work(len(window))
        for count, cell in enumerate(picks, 1):
            self._pick(board, cell, work)
            self._pick(window, cell, narrow)
            end = (1 + np.count_nonzero(window[:: self.stride])) * self.stride
            if not np.array_equal(board[:end], window[:end]):
                return picks[:count]
        return picks

    def _prove(self) -> None:
        """Prove by cuts, and by parts where that is soon done or no cut can be searched.

        What one run by parts found out the next ones know.  A better line is asked for at once and
        the bound raised by steps, in turns: the first takes fewer nodes to an end, but tells
        nothing before.
        """
        memory = self._memory()
        end = self.nodes + (self.limit - self.nodes) // 2
        turn, size, searched = 0, FIRST_RUN, 0
        while self.nodes < end and self._prove_some(
            memory, min(size, end - self.nodes), at_once=turn % 2 == 0
        ):
            if turn == 0:
                self._prove_by_cuts(end)
            searched += size
            self._enlarge(memory, searched)
            turn += 1
            size *= 2

    def _prove_by_cuts(self, end: int) -> None:
        """Search at one cut after the other, of which each has all the memory, till one is done."""
        cuts = self._begun_cuts()
        while cuts and self.nodes < end and not self._stopped:
            self._prove_by_cut(cuts.pop(0), end - self.nodes)

    @property
    def columns(self) -> list[list[int]]:
        """The columns of the board with its walls, kinds from below."""
        columns = self.walled.reshape(-1, self.stride).tolist()
        return [[kind for kind in column if kind != 0] for column in columns if any(column)]

    def _begun_cuts(self) -> list[CutSearch]:
        """Return searches at some cuts, first where the halves can do least by themselves."""
        begun: list[CutSearch] = []
        most = MOST_FIRST
        for col in self.cuts:
            cut = CutSearch(self.kernels, self.columns, col, self.memory)
            control = self._control(0)
            control.limit = min(int(control.limit), 2 * most)
            cut.begin(control)
            self._release(control)
            if cut.begun:
                begun.append(cut)
                most = min(most, cut.first)
        return sorted(begun, key=lambda cut: cut.first)

    def _prove_by_cut(self, cut: CutSearch, nodes: int) -> None:
        """Look at pairs of what halves show, and note better lines, and when there is none."""
        control = self._control(0)
        control.limit = min(int(control.limit), nodes)
        control.best = self.left - self.paid
        while not cut.over and control.stop == 0:
            best = control.best
            cut.run(control)
            if control.best < best:
                self._note_to_end(cut.line(self.stride, control))
        if cut.proved:
            self._raise(int(control.best) + self.paid)
        self._release(control)

    def _enlarge(self, memory: _exact.Memory, nodes: int) -> None:
        """Enlarge the tables if they may be full soon: memory that is new is slow to come."""
        memory = memory._replace(**self._tables)
        entries = len(memory.table) // 2
        if entries >= min(self.most_entries, GROWTH * nodes):
            return
        times = min(GROWTH, self.most_entries // entries)
        try:
            self._tables = {
                "table": _exact.enlarged(memory.table, _exact.WAYS, times),
                "bounds": _exact.enlarged(memory.bounds, 1, times),
            }
        except MemoryError:  # the machine has less than was allowed: what there is has to do
            self.most_entries = entries

    def _prove_some(self, memory: _exact.Memory, nodes: int, *, at_once: bool) -> bool:
        """Raise what is left at least until it meets the best line, or a better one is found.

        Returns False when that is done, or there is no room for it.
        """
        if self.size > EXACT_CELLS or self.words == 0 or self._stopped:
            return False
        memory = memory._replace(**self._tables)
        frame, control = self._frame(), self._control(0)
        control.limit = limit = min(int(control.limit), nodes)
        steps = 1 if at_once else STEPS
        with self._lock:
            self._proofs.append(control)
        while control.stop == 0:
            budget = self.least + (self.left - 1 - self.least) // steps
            cost = self._measure(memory, self.walled, budget - self.paid, frame, control)
            cost += self.paid
            if control.stop != 0:
                break
            if cost <= budget:
                self._trace(memory, cost, control)
                control.limit = limit
            self._raise(cost)
        with self._lock:
            self._proofs = [other for other in self._proofs if other is not control]
        self._release(control)
        return bool(control.stop != _exact.FULL) and not self._stopped

    def _raise(self, cost: int) -> None:
        """Note that at least so much is left, and end when that settles it."""
        with self._lock:
            self.least = max(self.least, cost)
        if self.least >= self.left or (self.clearing and self.least > 0):
            self.stop()

    def _measure(
        self, memory: _exact.Memory, board: Any, budget: int, frame: Any, control: Any
    ) -> int:
        """Return the least that a board can leave, or a bound above the budget."""
        exact = self.kernels.exact
        space = int(exact.begin(memory, board, self.stride, budget, frame, control))
        cost = int(memory.children[0].least)
        for part in range(space):
            if cost <= budget and control.stop == 0:
                cost -= int(memory.parts[part].least)
                cost += int(exact.solve(memory, part, space, 1, budget - cost, frame, control))
        return cost

    def _trace(self, memory: Any, cost: int, control: Any) -> None:
        """Note the line that leaves just so much.

        What the memory knows is asked first: to judge a pick that the search did without may take
        longer than the whole search.
        """
        board, work, line = self.walled.copy(), self._work(), list[int]()
        rest, frame, known = cost - self.paid, self._frame(), np.zeros(self.size, np.int32)
        while firsts := self._firsts(board, work):
            count = self.kernels.exact.trace(
                memory, board, self.stride, rest, known, frame, control
            )
            picks = known[:count].tolist() or self._kept_to(
                memory, board, firsts, rest, frame, control
            )
            if not picks:
                return  # stopped on the way
            for cell in picks:
                self._pick(board, cell, work)
            line += picks
        self._note(cost, line)

    def _kept_to(
        self, memory: Any, board: Any, firsts: list[int], rest: int, frame: Any, control: Any
    ) -> list[int]:
        """Return the one of some picks that still leaves just so much, none once it is stopped."""
        work = self._work()
        for cell in firsts:
            after = board.copy()
            self._pick(after, cell, work)
            left = self._measure(memory, after, rest, frame, control)
            if left <= rest and control.stop == 0:
                return [cell]
        return []

    def _build_walls(self, dead: Any) -> None:
        """Note the board with walls in place of cells that can never go, and what these cost."""
        self.walled = self.start.copy()
        self.walled[dead] = _board.WALL
        self.paid = sum(self.weights[int(self.start[at])] for at in dead)
        self.least = self.paid
