"""What all searches of the solver of Collapse have: the kernels, the limits, the best line."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from gridhouse.core import arrays, chance
from gridhouse.core.position import capacity
from gridhouse.core.specialize import specialize
from gridhouse.games.collapse import (
    _beam,
    _board,
    _bound,
    _cut,
    _exact,
    _half,
    _nrpa,
    _words,
)
from gridhouse.games.collapse._cuts import cuts_of
from gridhouse.games.collapse.rules import Scoring

if TYPE_CHECKING:
    from collections.abc import Callable

    from gridhouse.core.game import State
    from gridhouse.core.position import Position

MANY = 1 << 60
SMALL_CELLS = 30  # SameGame boards up to this size do with the table that linear search begins with
FEW_CELLS = 40  # boards up to this size do with small tables to begin with
ROOM = 1024  # of scratch memory at least: most boards share what is compiled for that
RARE = 12  # cells of a digit, on average, up to which rollouts have to look longer
LEVELS = 3  # of nested rollouts
CHOICES = 64  # of a playout's pick; further groups are passed over
MEMORY = 512  # MiB for the tables of the exact search


class Kernels(SimpleNamespace):
    """The compiled modules, or the same interpreted."""

    def __init__(self, *, jit: bool, words: int = 1) -> None:
        """Bind the modules to each other; boards of the exact search have so many words a plane."""
        board = specialize(_board, "collapse", jit=jit)
        bound = specialize(_bound, "collapse", jit=jit, _board=board)
        name = f"collapse{words}"
        words_kernels = specialize(_words, name, jit=jit, WORDS=words, _board=board)
        word_kernels = specialize(_words, "collapse1", jit=jit, WORDS=1, _board=board)
        half = specialize(_half, "collapse", jit=jit, _board=board, _words=word_kernels)
        super().__init__(
            board=board,
            bound=bound,
            beam=specialize(_beam, "collapse", jit=jit, _board=board, _bound=bound),
            words=words_kernels,
            exact=specialize(_exact, name, jit=jit, _board=board, _words=words_kernels),
            half=half,
            cut=specialize(_cut, "collapse", jit=jit, _board=board, _half=half),
            nrpa=specialize(_nrpa, "collapse", jit=jit, _board=board),
            records=records_of() if jit else plain_records,
            zeros=np.zeros if jit else plain_zeros,
            jit=jit,
        )

    def work(self, size: int) -> Any:
        """Return scratch memory for boards of so many bytes."""
        room = max(size, ROOM) if self.jit else size
        return self.records(_board.Work(size=room))[0]


def records_of() -> Callable[..., Any]:
    """Return what makes records for compiled kernels."""
    from gridhouse.core.records import to_records

    return to_records


def plain_records(position: Position, count: int = 1) -> list[Position]:
    """Return what stands for records where the kernels run interpreted."""
    return [position.copy() for _ in range(count)]


def plain_zeros(shape: tuple[int, int] | int, kind: str) -> Any:
    """Return what stands for an array there: Python looks up its own lists twice as fast."""
    return np.zeros(shape, kind).tolist()


class Common:
    """The state of a search from one position, and what is done with it whatever the scoring."""

    def __init__(
        self,
        state: State,
        *,
        seed: int,
        nodes: int | None,
        threads: int,
        jit: bool,
        memory: float = MEMORY,
        clearing: bool = False,
    ) -> None:
        """Take the position over, and room for tables of so many MiB.

        ``clearing`` counts cells left and not what they would score.
        """
        position: Any = state.position
        self.rows, self.cols = state.game.rows, state.game.cols
        self.stride = self.rows + 1
        self.scoring = Scoring.LINEAR if clearing else Scoring(position.scoring)
        self.seed = seed
        self.limit = MANY if nodes is None else min(nodes, MANY)
        self.threads = 1 if nodes is not None else threads
        self.clearing = clearing
        self.weights = [0] + ([1] * 10 if clearing else list(range(10))) + [0]
        self.start = np.array(position.cells, np.int8) + 1  # kinds; the layout is the rules'
        self.size = int(np.count_nonzero(self.start))
        columns = np.count_nonzero(self.start.reshape(-1, self.stride), axis=1)
        heights = columns[columns > 0].tolist()
        self.height = max([1, *heights])
        self.words = _words.words_of(self.height, max(1, len(heights)))
        self.cuts = cuts_of(heights)
        self.memory = int(memory * arrays.MEGABYTE)
        self.most_entries = _exact.entries_within(self.memory)
        self.kernels = Kernels(jit=jit, words=max(1, self.words))
        self.total: int = sum(self.weights[kind] for kind in self.start.tolist())
        self.rare = self.size <= RARE * len(self._commonest(self.start))
        self.line: list[int] = []
        self.left = MANY  # what the best line leaves, linear, or its score with its sign changed
        self.least = 0  # what any line leaves at least, the same way
        self._controls: list[Any] = []
        self._proofs: list[Any] = []  # those of them that ask for a better line than the best
        self._used = 0
        self._least_room = 0
        self._stopped = False
        self._lock = threading.Lock()

    @property
    def score(self) -> int:
        """The score of the best line found; while rollouts run, what they would end with now."""
        if self.scoring == Scoring.LINEAR:
            return self.total - self.left
        with self._lock:
            bests = [self.left, *(int(control.best) for control in self._controls)]
        return -min(bests)

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

    @property
    def room(self) -> int:
        """How many cells the scratch memory has room for: what is compiled depends on that."""
        return max(ROOM, capacity(len(self.start)))

    def _work(self) -> Any:
        return self.kernels.work(max(len(self.start), self._least_room))

    def _control(self, seed: int, *, ends: bool = True) -> Any:
        """Return a search's control with the nodes that are left; ``stop`` reaches it if it ends.

        What finds the first line does not end before it has: then there is one, however short the
        time.
        """
        control = self.kernels.records(_board.Control())[0]
        chance.seed(control, self.seed * 1000 + seed)
        control.limit = max(1, self.limit - self.nodes)
        control.scoring = self.scoring
        control.best = self.left
        control.target = self.least
        for kind, weight in enumerate(self.weights):
            control.weights[kind] = weight
        if ends:
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
        """Keep a line if it is the best, and end when none can be better.

        What asks for a better one than the last ends, to ask for a better one than this.
        """
        with self._lock:
            if left < self.left:
                self.left = left
                self.line = line
                for control in self._proofs:
                    control.limit = 0
        if self.left <= self.least:
            self.stop()

    def _pick(self, board: Any, cell: int, work: Any) -> int:
        """Play a pick on a packed board and return how many cells went."""
        stamp = self.kernels.board.next_stamp(work)
        end = int(self.kernels.board.flood(board, self.stride, cell, 0, stamp, work))
        self.kernels.board.remove(board, self.stride, work.members, 0, end)
        return end

    def _firsts(self, board: Any, work: Any) -> list[int]:
        """Return a cell of every group."""
        groups = self.kernels.board.find_groups(board, self.stride, work)
        return [int(work.members[work.start[group]]) for group in range(groups)]

    def _together(self, *tasks: Callable[[], None]) -> None:
        """Run tasks in threads, or one after the other if there is one thread only.

        If one fails, all end, and its error is raised.
        """
        with ThreadPoolExecutor(min(self.threads, len(tasks))) as pool:
            running = [pool.submit(self._or_stop, task) for task in tasks]
        for each in running:
            each.result()

    def _or_stop(self, task: Callable[[], None]) -> None:
        """Run a task; let no other one go on if it fails."""
        try:
            task()
        except BaseException:
            self.stop()
            raise

    # Beams.

    def _beam(self, width: int, start: Any, prefix: list[int], gain: int, seed: int) -> None:
        """Note the best line of a beam from a board that some picks led to."""
        left, line = self._beamed(width, start, gain, seed, self.left)
        if line:
            self._note(left, prefix + line)

    def _beamed(
        self, width: int, start: Any, gain: int, seed: int, best: int, *, hasty: bool = False
    ) -> tuple[int, list[int]]:
        """Return the value of a beam's best line, and the line if it is better than that.

        ``hasty`` ones do not look for cells that can never be removed.
        """
        cells = int(np.count_nonzero(start))
        memory = _beam.make_beam(width, cells, len(start), self.kernels.zeros, self.kernels.records)
        memory.boards[0][0][:] = start.tolist()
        memory.gains[0][0] = gain
        control = self._control(seed)
        control.spared = self._commonest(start)[0]
        control.best = best
        control.hasty = hasty
        self.kernels.beam.search(memory, width, self.stride, self._work(), control)
        self._release(control)
        return int(control.best), [int(cell) for cell in memory.line[: control.length]]

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

    # Rollouts.

    def _rollouts(self, levels: int = LEVELS) -> _nrpa.Rollouts:
        return _nrpa.make_rollouts(levels, self.size, len(self.start), CHOICES, np.zeros)

    def _rolled(self, memory: Any, rounds: int, seed: int, *, spared: int) -> int:
        """Note the best line of nested rollouts, as deep as the memory; return its value.

        They leave a kind alone where one is to be ``spared``.
        """
        control = self._control(seed, ends=self.left != MANY)
        control.spared = spared
        control.best = MANY
        top = len(memory.policies) - 1
        work = self._work()
        self.kernels.nrpa.search(memory, self.start, self.stride, top, rounds, work, control)
        best = int(control.best)
        self._note(best, memory.cells[-1][: control.length].tolist())
        self._release(control)
        return best

    def _random_line(self, seed: int) -> None:
        """Note random picks that spare the commonest digit."""
        self._rolled(self._rollouts(1), 1, seed, spared=self._commonest(self.start)[0])

    def _note_left(self, line: list[int]) -> None:
        """Note a line by what it leaves."""
        board, _, _ = self._thinned(line, -1)
        self._note(sum(self.weights[kind] for kind in board.tolist()), line)

    def _frame(self) -> Any:
        """Return scratch memory for an exact search."""
        frame = self.kernels.records(_words.Frame())[0]
        _words.shape(frame, self.height, sorted(self._commonest(self.start)))
        return frame

    def _memory(self) -> _exact.Memory:
        """Return memory for exact searches by parts."""
        rows = 64 * self.size + 64
        words = max(1, self.words)
        return _exact.make_memory(rows, self._entries(), words, np.zeros, self.kernels.records)

    def _entries(self) -> int:
        """Return how many entries tables begin with: memory that is new is slow to come."""
        if not self.kernels.jit:
            return 1 << 12
        entries = 1 << (16 if self.size <= FEW_CELLS else 18)
        if self.scoring != Scoring.LINEAR and self.size > SMALL_CELLS:
            entries = 1 << 22  # for good
        return min(entries, self.most_entries)
