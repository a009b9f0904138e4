"""The search for a line and a bound: what linear score and SameGame have in common."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

from gridhouse.core import arrays, chance
from gridhouse.core.fast import np
from gridhouse.core.position import capacity
from gridhouse.games.collapse.rules import Scoring
from gridhouse.games.collapse.solver.kernels import (
    beam_search,
    bitboard,
    byte_board,
    exact_search,
    nrpa,
)
from gridhouse.games.collapse.solver.search.backend import ROOM, Kernels
from gridhouse.games.collapse.solver.search.interface import cut_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gridhouse.core.game import State
    from gridhouse.games.collapse.solver.kernels.bitboard import Workspace
    from gridhouse.games.collapse.solver.kernels.byte_board import Control, Scratch
    from gridhouse.games.collapse.solver.types import Board

INFINITE = 1 << 60
SMALL_CELLS = 40  # boards up to this size begin with small tables
RARE_CELLS = 12  # cells of a digit, on average, up to which rollouts search longer
LEVELS = 3  # of nested rollouts
CHOICES = 64  # of a step of a rollout
MEMORY = 512  # MiB for the tables of the exact search
NO_KIND = 0  # as the tabu kind: none


class Options(NamedTuple):
    """The limits of a search; with ``nodes`` it has one thread and is reproducible."""

    seed: int = 0
    nodes: int | None = None
    threads: int = 1
    memory: float = MEMORY  # MiB


class Search(ABC):
    """A search from one position; ``run`` may be stopped from another thread.

    It minimizes a *cost*: the points left on the board (linear), or the negated score (SameGame).
    ``cost`` is that of ``line``, the best line so far; ``lower_bound`` is a proved bound of it.
    """

    def __init__(
        self, state: State, options: Options, *, jit: bool, is_clearing: bool = False
    ) -> None:
        """Take the position over; ``is_clearing`` counts cells in the place of points."""
        position: Any = state.position
        self.rows, self.cols = state.game.rows, state.game.cols
        self.stride = self.rows + 1
        self.scoring = Scoring.LINEAR if is_clearing else Scoring(position.scoring)
        self.is_clearing = is_clearing
        self.seed = options.seed
        self.limit = INFINITE if options.nodes is None else min(options.nodes, INFINITE)
        self.threads = options.threads if options.nodes is None else 1
        self.weights = [0] + ([1] * 10 if is_clearing else list(range(10))) + [0]
        self.start = np.array(position.cells, np.int8) + 1  # kinds, in the rules' layout
        self.size = int(np.count_nonzero(self.start))
        columns = np.count_nonzero(self.start.reshape(-1, self.stride), axis=1)
        heights = columns[columns > 0].tolist()
        self.height = max([1, *heights])
        self.words = bitboard.words_needed(self.height, max(1, len(heights)))
        self.cuts = cut_columns(heights)
        self.memory = int(options.memory * arrays.MEGABYTE)
        self.most_entries = exact_search.entries_within(self.memory)
        self.kernels = Kernels(jit=jit, words=max(1, self.words))
        self.total: int = sum(self.weights[kind] for kind in self.start.tolist())
        self.has_rare_digits = self.size <= RARE_CELLS * len(self._kinds_by_count(self.start))
        self.line: list[int] = []
        self.cost = INFINITE
        self.lower_bound = 0
        self._controls: list[Control] = []
        self._improving: list[Control] = []  # those of searches for a better line than the best
        self._used_nodes = 0
        self._least_room = 0
        self._is_stopped = False
        self._lock = threading.Lock()

    def run(self) -> None:
        """Search until the best line is proved, the nodes are used up, or ``stop`` is called."""
        groups = self.find_bound()
        if groups == 0:
            self._run_without_groups()
        elif self.is_clearing and self.lower_bound > 0:
            return  # some cell can never be removed
        else:
            self._run_random_playout(0)
            self._run()

    def find_bound(self) -> int:
        """Set the lower bound by dead cells; return the number of groups."""
        scratch, kernels = self._scratch(), self.kernels
        groups = int(kernels.byte_board.find_groups(self.start, self.stride, scratch))
        dead = int(kernels.dead_cells.find_dead(self.start, self.stride, scratch))
        self.set_dead(scratch.isolated[:dead])
        return groups

    @abstractmethod
    def set_dead(self, dead: Sequence[int]) -> None:
        """Set the lower bound, given cells that are dead."""

    @abstractmethod
    def _run_without_groups(self) -> None:
        """Record the empty line, which is the only one."""

    @abstractmethod
    def _run(self) -> None:
        """Search for better lines and bounds than those of ``find_bound`` and one playout."""

    @property
    def is_proved(self) -> bool:
        """Whether the best line is proved to be optimal."""
        return self.score >= self.bound

    @property
    @abstractmethod
    def score(self) -> int:
        """The score of the best line."""

    @property
    @abstractmethod
    def bound(self) -> int:
        """A proved upper bound of the score of all lines."""

    @property
    def nodes(self) -> int:
        """The number of picks and rollouts that were searched."""
        return self._used_nodes + sum(int(control.nodes) for control in self._controls)

    def status(self) -> str:
        """Return the progress of the search in a line for people."""
        if self.cost == INFINITE:
            return "searching"
        return f"score {self.score}, at most {self.bound}, {self.nodes} nodes"

    def stop(self) -> None:
        """End the search soon."""
        self._is_stopped = True
        for control in self._controls:
            control.stop = 1

    def action(self, cell: int) -> int:
        """Return the action of the rules that picks a cell."""
        col, level = divmod(cell, self.stride)
        return (self.rows - 1 - level) * self.cols + col - 1

    @property
    def room(self) -> int:
        """The number of cells of the scratch memory, on which compiled code depends."""
        return max(ROOM, capacity(len(self.start)))

    def _scratch(self) -> Scratch:
        scratch: Scratch = self.kernels.scratch(max(len(self.start), self._least_room))
        return scratch

    def _control(self, seed: int, *, may_stop: bool = True) -> Control:
        """Return a control with the nodes that are left, the best cost and the lower bound.

        ``stop`` ends its search unless ``may_stop`` is false: the search for the first line always
        ends with one.
        """
        control: Control = self.kernels.to_records(byte_board.Control())[0]
        chance.seed(control, self.seed * 1000 + seed)
        control.limit = max(1, self.limit - self.nodes)
        control.scoring = self.scoring
        control.best = self.cost
        control.target = self.lower_bound
        for kind, weight in enumerate(self.weights):
            control.weights[kind] = weight
        if may_stop:
            with self._lock:
                self._controls.append(control)
                control.stop = self._is_stopped
        return control

    def _release(self, control: Control) -> None:
        """Count the nodes of a search that has ended; stop everything at the limit."""
        with self._lock:
            self._used_nodes += int(control.nodes)
            self._controls = [other for other in self._controls if other is not control]
        if self._used_nodes >= self.limit:
            self.stop()

    def _context(self, control: Any = None) -> byte_board.Context:
        return byte_board.Context(self.stride, self._scratch(), control)

    def _record(self, cost: int, line: list[int]) -> None:
        """Keep a line if it is better than the best one; stop everything if it is proved.

        A better line also ends searches that ask for a line better than the old one, so that they
        ask anew.
        """
        with self._lock:
            if cost < self.cost:
                self.cost = cost
                self.line = line
                for control in self._improving:
                    control.limit = 0
        if self.cost <= self.lower_bound:
            self.stop()

    def _run_in_threads(self, *tasks: Callable[[], None]) -> None:
        """Run tasks in threads, one after the other if there is one thread only.

        If one fails, all others are stopped, and its error is raised.
        """
        with ThreadPoolExecutor(min(self.threads, len(tasks))) as pool:
            running = [pool.submit(self._run_or_stop, task) for task in tasks]
        for each in running:
            each.result()

    def _run_or_stop(self, task: Callable[[], None]) -> None:
        """Run a task; stop all others if it fails."""
        try:
            task()
        except BaseException:
            self.stop()
            raise

    # Boards.

    def _pick(self, board: Board, cell: int, scratch: Scratch) -> int:
        """Play a pick on a board of bytes; return the size of the group."""
        return int(self.kernels.byte_board.remove_group(board, self.stride, cell, scratch))

    def _picks(self, board: Board, scratch: Scratch) -> list[int]:
        """Return all picks on a board: a cell of each group."""
        groups = self.kernels.byte_board.find_groups(board, self.stride, scratch)
        return [int(scratch.members[scratch.start[group]]) for group in range(groups)]

    def _kinds_by_count(self, board: Board) -> list[int]:
        """Return the kinds on a board, the commonest first."""
        counts = np.bincount(board, minlength=byte_board.KINDS).tolist()
        kinds = [kind for kind in range(1, byte_board.KINDS) if counts[kind] > 0]
        return sorted(kinds, key=lambda kind: -counts[kind])

    def _replay(self, line: list[int], most: int = -1) -> tuple[Board, list[int], int]:
        """Play a line until ``most`` cells are left; return the board, the picks, their score."""
        board, scratch = self.start.copy(), self._scratch()
        cells, gain = self.size, 0
        for index, cell in enumerate(line):
            if cells <= most:
                return board, line[:index], gain
            count = self._pick(board, cell, scratch)
            cells -= count
            gain += (count - 2) ** 2
        return board, line, gain

    # Beams.

    def _run_beam(self, width: int, start: Board, prefix: list[int], gain: int, seed: int) -> None:
        """Record the best line of a beam from the board that some picks led to."""
        cost, line = self._beam_line(width, start, self._control(seed), gain)
        if line:
            self._record(cost, prefix + line)

    def _beam_line(
        self, width: int, start: Board, control: Control, gain: int = 0
    ) -> tuple[int, list[int]]:
        """Return the cost and the picks of a beam's best line; none if it improves nothing."""
        kernels, cells = self.kernels, int(np.count_nonzero(start))
        memory = beam_search.make_memory(
            width, cells, len(start), self._context(control), kernels.zeros, kernels.to_records
        )
        first: Any = memory.boards[0][0]
        first[:] = start.tolist()
        memory.gains[0][0] = gain
        control.tabu = self._kinds_by_count(start)[0]
        kernels.beam_search.search(memory, width)
        self._release(control)
        return int(control.best), [int(memory.line[step]) for step in range(control.length)]

    # Rollouts.

    def _make_rollouts(self, levels: int = LEVELS) -> nrpa.Memory:
        return nrpa.make_memory(
            levels, self.size, len(self.start), CHOICES, self._context(), np.zeros
        )

    def _run_rollouts(self, memory: nrpa.Memory, rounds: int, seed: int, *, tabu: int) -> int:
        """Record the best line of nested rollouts and return its cost.

        Each of the memory's levels has ``rounds`` rounds; the kind ``tabu`` is picked last.
        """
        control = self._control(seed, may_stop=self.cost != INFINITE)
        control.tabu = tabu
        control.best = INFINITE
        memory = memory._replace(context=memory.context._replace(control=control))
        self.kernels.nrpa.search(memory, self.start, rounds)
        cost = int(control.best)
        line = memory.cells[-1]
        self._record(cost, [int(line[step]) for step in range(control.length)])
        self._release(control)
        return cost

    def _run_random_playout(self, seed: int) -> None:
        """Record a playout that picks the commonest digit last."""
        self._run_rollouts(
            self._make_rollouts(1), 1, seed, tabu=self._kinds_by_count(self.start)[0]
        )

    # Exact searches.

    def _workspace(self) -> Workspace:
        """Return scratch memory for bitboards."""
        space: Workspace = self.kernels.to_records(bitboard.Workspace())[0]
        kinds = sorted(self._kinds_by_count(self.start))
        bitboard.set_geometry(space, self.height, kinds, self.weights)
        return space

    def _make_exact_memory(self) -> exact_search.Memory:
        """Return memory for exact searches."""
        return exact_search.make_memory(
            64 * self.size + 64,
            self._first_entries(),
            max(1, self.words),
            self._workspace(),
            np.zeros,
            self.kernels.to_records,
        )

    def _set_board(self, memory: exact_search.Memory, board: Board) -> None:
        """Empty the stack, and write a board of bytes to the first board."""
        memory.stack.parts, memory.stack.children = 1, 0
        self.kernels.bitboard.pack(board, self.stride, memory.boards[0], memory.space)

    def _first_entries(self) -> int:
        """Return the number of entries that tables begin with; the first use of memory is slow."""
        if not self.kernels.jit:
            return 1 << 12
        return min(self.most_entries, 1 << (16 if self.size <= SMALL_CELLS else 18))
