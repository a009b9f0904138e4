"""The search for the least points that can be left, which is all that counts for linear score."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from gridhouse.core.fast import np
from gridhouse.games.collapse.solver.kernels import byte_board, exact_search
from gridhouse.games.collapse.solver.search.base import INFINITE, NO_KIND, Search
from gridhouse.games.collapse.solver.search.interface import InterfaceSearch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gridhouse.games.collapse.solver.kernels import nrpa
    from gridhouse.games.collapse.solver.kernels.byte_board import Scratch
    from gridhouse.games.collapse.solver.types import Board

BEAM_CELLS = 420  # larger boards are cleared from the left until this number is left
WINDOW = 250  # cells of the columns that are cleared at once there
WIDEST = 64  # of the beams that do so
FIRST_RUN = 4_000  # nodes of the first run of the exact search; later runs have larger tables
GROWTH = 8  # tables grow by this factor when they have fewer entries than this for each node
MOST_INITIAL_STATES = 100_000  # of a half before any symbol
STEPS = 8  # from the lower bound to the best cost, where the bound is raised by steps
EXACT_CELLS = 300  # larger boards are not searched exactly
FIRST_WIDTHS = (16, 64)
WIDTHS = (256, 1024, 4096)
ROUNDS = (12, 20, 28)  # of a level of nested rollouts before each of these beams
REPEATS = 8  # of these for rare digits: few runs in a hundred find the best lines there


class LinearSearch(Search):
    """Beams and rollouts find lines, exact searches raise the lower bound, until they meet."""

    walled: Board  # the board with walls in place of dead cells
    fixed_cost: int  # of the dead cells

    def set_dead(self, dead: Sequence[int]) -> None:
        """Replace dead cells by walls, and set the lower bound to their cost."""
        self.walled = self.start.copy()
        self.walled[dead] = byte_board.WALL
        self.fixed_cost = sum(self.weights[int(self.start[at])] for at in dead)
        self.lower_bound = self.fixed_cost

    @property
    def score(self) -> int:
        """The score of the best line."""
        return self.total - self.cost

    @property
    def bound(self) -> int:
        """A proved upper bound of the score of all lines."""
        return self.total - self.lower_bound

    def _run_without_groups(self) -> None:
        self.lower_bound = self.total
        self._record(self.total, [])

    def _run(self) -> None:
        if self.size > BEAM_CELLS:
            self._run_in_threads(*[partial(self._sweep, seed) for seed in range(self.threads)])
            return
        for width in FIRST_WIDTHS:
            self._run_beam(width, self.start, [], 0, width)
        if self._is_stopped:
            return
        if self.threads == 1:
            self._improve(self._make_rollouts(), 0)
        self._run_in_threads(self._prove, self._improve_on)

    def _improve_on(self) -> None:
        """Search for better lines until the search is stopped."""
        rollouts = self._make_rollouts()
        turn = int(self.threads == 1)
        while not self._is_stopped:
            self._improve(rollouts, turn)
            turn += 1

    def _improve(self, rollouts: nrpa.Memory, turn: int) -> None:
        """Search for a better line by nested rollouts and by a beam."""
        width, rounds = WIDTHS[turn % len(WIDTHS)], ROUNDS[turn % len(WIDTHS)]
        for repeat in range(REPEATS if self.has_rare_digits else 1):
            if not self._is_stopped:
                self._run_rollouts(rollouts, rounds, REPEATS * turn + repeat, tabu=NO_KIND)
        self._run_beam(width, self.start, [], 0, 1 + turn)

    # Large boards.

    def _sweep(self, seed: int) -> None:
        """Clear the board from the left, again and again with wider beams."""
        turn = seed
        while not self._is_stopped:
            width = min(2 << turn, WIDEST)
            board, line = self._clear_left(width, turn)
            if not self._picks(board, self._scratch()):
                self._record_replayed(line)
            rest = self._window(board, self.size)
            for ignores_dead in (True, False):
                control = self._control(turn)
                control.ignores_dead = ignores_dead
                cost, picks = self._beam_line(8 * width, rest, control)
                if picks:
                    self._record(cost, line + picks)
            turn += self.threads

    def _clear_left(self, width: int, seed: int) -> tuple[Board, list[int]]:
        """Return a board that is small enough for one beam, and the picks that led to it.

        Beams clear the columns on the left as a board of their own; cells that they leave are
        cleared with the columns that follow.
        """
        board, line, scratch = self.start.copy(), list[int](), self._scratch()
        room = WINDOW
        while np.count_nonzero(board) > BEAM_CELLS and not self._is_stopped:
            if not self._picks(board, scratch):
                break
            window = self._window(board, room)
            control = self._control(seed)
            control.best = INFINITE
            control.ignores_dead = True
            _, picks = self._beam_line(width, window, control)
            room = WINDOW if picks else 2 * room
            line += self._play_window(board, window, picks, scratch)
        return board, line

    def _window(self, board: Board, room: int) -> Board:
        """Return the columns on the left with ``room`` cells as a board of their own."""
        cells = np.cumsum(np.count_nonzero(board.reshape(-1, self.stride), axis=1))
        width = int(np.searchsorted(cells, min(room, cells[-1])))
        window = board[: (width + 2) * self.stride].copy()
        window[-self.stride :] = 0
        return window

    def _play_window(
        self, board: Board, window: Board, picks: list[int], scratch: Scratch
    ) -> list[int]:
        """Play a window's picks on the board as long as both change alike; return those played."""
        own_scratch = self.kernels.scratch(len(window))
        for count, cell in enumerate(picks, 1):
            self._pick(board, cell, scratch)
            self._pick(window, cell, own_scratch)
            end = (1 + np.count_nonzero(window[:: self.stride])) * self.stride
            if not np.array_equal(board[:end], window[:end]):
                return picks[:count]
        return picks

    def _record_replayed(self, line: list[int]) -> None:
        """Record a line by the points on the board that it leads to."""
        board, _, _ = self._replay(line)
        self._record(sum(self.weights[kind] for kind in board.tolist()), line)

    def _record_completed(self, line: list[int]) -> None:
        """Record a line, completed by the first pick there is until there are none."""
        board, _, _ = self._replay(line)
        scratch = self._scratch()
        while picks := self._picks(board, scratch):
            self._pick(board, picks[0], scratch)
            line.append(picks[0])
        self._record_replayed(line)

    # Proofs.

    def _prove(self) -> None:
        """Prove the best line: by an exact search, from the second run on by cuts first.

        The tables keep the results of one run for the next.  Runs take turns at asking for a better
        line, which takes fewer nodes but raises the bound at its end only, and at raising the bound
        by steps.
        """
        if self.size > EXACT_CELLS or self.words == 0:
            return
        memory = self._make_exact_memory()
        end = self.nodes + (self.limit - self.nodes) // 2
        turn, size, searched = 0, FIRST_RUN, 0
        while self.nodes < end and self._run_exact(
            memory, min(size, end - self.nodes), steps=1 if turn % 2 == 0 else STEPS
        ):
            if turn == 0:
                self._prove_by_cuts(end)
            searched += size
            memory = self._enlarge(memory, searched)
            turn += 1
            size *= 2

    def _prove_by_cuts(self, end: int) -> None:
        """Search at one cut after the other, each with all the memory, until one is proved."""
        cuts = self._begin_cuts()
        while cuts and self.nodes < end and not self._is_stopped:
            self._prove_by_cut(cuts.pop(0), end - self.nodes)

    @property
    def columns(self) -> list[list[int]]:
        """The columns of the board with its walls, kinds from below."""
        columns = self.walled.reshape(-1, self.stride).tolist()
        return [[kind for kind in column if kind != 0] for column in columns if any(column)]

    def cut(self, col: int) -> InterfaceSearch:
        """Return a search at a cut before a column."""
        return InterfaceSearch(self.kernels, self.columns, self.weights, col, self.memory)

    def _begin_cuts(self) -> list[InterfaceSearch]:
        """Return searches at cuts, those with the fewest initial states of a half first."""
        begun: list[InterfaceSearch] = []
        most = MOST_INITIAL_STATES
        for col in self.cuts:
            cut = self.cut(col)
            control = self._control(0)
            control.limit = min(int(control.limit), 2 * most)
            cut.begin(control)
            self._release(control)
            if cut.has_begun:
                begun.append(cut)
                most = min(most, cut.initial_states)
        return sorted(begun, key=lambda cut: cut.initial_states)

    def _prove_by_cut(self, cut: InterfaceSearch, nodes: int) -> None:
        """Record better lines of the search at a cut; raise the bound if it ends."""
        control = self._control(0)
        control.limit = min(int(control.limit), nodes)
        control.best = self.cost - self.fixed_cost
        while not cut.is_over and control.stop == 0:
            best = control.best
            cut.run(control)
            if control.best < best:
                self._record_completed(cut.line(self.stride))
        if cut.is_proved:
            self._raise_bound(int(control.best) + self.fixed_cost)
        self._release(control)

    def _enlarge(self, memory: exact_search.Memory, nodes: int) -> exact_search.Memory:
        """Return memory with larger tables if they may be full soon."""
        entries = len(memory.table) // 2
        if entries >= min(self.most_entries, GROWTH * nodes):
            return memory
        try:
            return exact_search.enlarge(memory, min(GROWTH, self.most_entries // entries))
        except MemoryError:  # the machine has less than ``--memory`` allows
            self.most_entries = entries
            return memory

    def _run_exact(self, memory: exact_search.Memory, nodes: int, *, steps: int) -> bool:
        """Raise the lower bound until it meets the best cost, or a better line is found.

        The bound goes up in a number of steps.  Returns False when all is proved, or there is no
        room to go on.
        """
        if self._is_stopped:
            return False
        control = self._control(0)
        memory = memory._replace(control=control)
        control.limit = limit = min(int(control.limit), nodes)
        with self._lock:
            self._improving.append(control)
        while control.stop == 0:
            budget = self.lower_bound + (self.cost - 1 - self.lower_bound) // steps
            cost = self._solve(memory, self.walled, budget - self.fixed_cost) + self.fixed_cost
            if control.stop != 0:
                break
            if cost <= budget:
                self._record_exact(memory, cost)
                control.limit = limit
            self._raise_bound(cost)
        with self._lock:
            self._improving = [other for other in self._improving if other is not control]
        self._release(control)
        return bool(control.stop != exact_search.FULL) and not self._is_stopped

    def _raise_bound(self, cost: int) -> None:
        """Raise the lower bound, and stop everything if that proves the best line."""
        with self._lock:
            self.lower_bound = max(self.lower_bound, cost)
        if self.lower_bound >= self.cost or (self.is_clearing and self.lower_bound > 0):
            self.stop()

    def _solve(self, memory: exact_search.Memory, board: Board, budget: int) -> int:
        """Return the cost of a board if that is within the budget, else a lower bound above it."""
        kernel, control = self.kernels.exact_search, memory.control
        count = int(kernel.set_root(memory, board, self.stride, budget))
        cost = int(memory.children[0].lower_bound)
        for part in range(count):
            if cost <= budget and control.stop == 0:
                cost -= int(memory.parts[part].lower_bound)
                cost += int(kernel.solve(memory, part, budget - cost))
        return cost

    def _record_exact(self, memory: exact_search.Memory, cost: int) -> None:
        """Record a line of just this cost.

        It is read off the tables first: to solve a child that the search has pruned may take longer
        than the whole search.
        """
        board, scratch, line = self.walled.copy(), self._scratch(), list[int]()
        rest, known = cost - self.fixed_cost, np.zeros(self.size, np.int32)
        while picks := self._picks(board, scratch):
            count = self.kernels.exact_search.extract_line(memory, board, self.stride, rest, known)
            played = known[:count].tolist() or self._solve_picks(memory, board, picks, rest)
            if not played:
                return  # stopped on the way
            for cell in played:
                self._pick(board, cell, scratch)
            line += played
        self._record(cost, line)

    def _solve_picks(
        self, memory: exact_search.Memory, board: Board, picks: list[int], rest: int
    ) -> list[int]:
        """Return the first pick that leads to a board of this cost, none if it is stopped."""
        scratch = self._scratch()
        for cell in picks:
            after = board.copy()
            self._pick(after, cell, scratch)
            cost = self._solve(memory, after, rest)
            if cost <= rest and memory.control.stop == 0:
                return [cell]
        return []

    def touch(self, room: int) -> None:
        """Call every kernel once on a small board, so that it is compiled or loaded."""
        self._least_room = room
        # A line that clears the board stops everything: first a search that would not begin then.
        control = self._control(0)
        control.best = INFINITE
        cut = InterfaceSearch(self.kernels, [[1, 1], [2, 2]], self.weights, 1, INFINITE)
        cut.begin(control)
        cut.run(control)
        cut.line(self.stride)
        memory = self._make_exact_memory()._replace(control=self._control(0))
        self._solve(memory, self.start, INFINITE)
        self.set_dead([])
        self._record_exact(memory, 0)
        self._set_board(memory, self.start)
        self.kernels.exact_search.best_score(memory, 0)
        self._run_beam(2, self.start, [], 0, 0)
        self._run_random_playout(0)
        self.find_bound()
