"""A search of one board: its tables, its threads, and the positions that it is asked about."""

from __future__ import annotations

import threading

from gridhouse.core import arrays, bits
from gridhouse.games.binary.solver.backend import Memory
from gridhouse.games.binary.solver.board_encoding import Board
from gridhouse.games.binary.solver.kernels import nodes, proof_search

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gridhouse.games.binary.rules import Position

WORD = 8  # bytes
LEAST_WORDS = 1 << 12
# Memory takes time when it is first used, and more of it is slower, so tables grow as they fill.
FIRST_WORDS = 1 << 17
GROWTH = 8
FILLING = 2  # words for each node, at least
PLAIN_WORDS = 1 << 16  # of a table in interpreted code
NO_LIMIT = 1 << 60
DEPTH_FIRST = 12  # cells up to which proof numbers cost more than they earn
LARGE = 21  # cells above which proof numbers come first
NOISE = 4  # of the order of each thread after the first, depth first
SHARE = 4  # the part of the memory that proof numbers have


class Search:
    """The memory of a search, which may be told to stop from another thread."""

    def __init__(
        self,
        board: Board,
        *,
        memory: int = 256,
        threads: int = 1,
        switches: int = nodes.ALL,
        proof: bool = True,
        limit: int = NO_LIMIT,
    ) -> None:
        """Make room for each thread, and for tables that grow to so many MiB."""
        self.board = board
        self.kernels = board.memory.search
        self._proof = proof
        # What is kept of long lines is written by whoever searches: by one.
        self._threads = threads if board.memory.jit and not board.has_long else 1
        board.layout[0].switches = switches
        if not switches & nodes.SYMMETRY:
            board.layout[0].num_symmetries = 1
        board.layout[0].limit = DEPTH_FIRST
        records = board.memory.records
        size = LEAST_WORDS
        while 2 * size * WORD <= memory * arrays.MEGABYTE * (SHARE - 1) // SHARE:
            size *= 2
        if not board.memory.jit:
            size = min(size, PLAIN_WORDS)
        self.most_words = size
        self._limit = limit
        self.start = records(nodes.Frame)
        self.frames = [records(nodes.Frame, proof_search.MOST_FRAMES) for _ in range(self._threads)]
        self.controls = [records(proof_search.Control) for _ in range(self._threads)]
        for number, control in enumerate(self.controls):
            control[0].number = number
            control[0].s0 = number + 1
        self.trail = board.memory.words(proof_search.MOST_FRAMES * self._threads)
        self.nodes_before = 0  # of a search that this one goes on with
        self.stopped = False
        self.take(*self._tables(min(size, FIRST_WORDS)))
        self._begin(())

    def _tables(self, size: int) -> tuple[Any, Any]:
        words = self.board.memory.words
        return words(size), words(max(LEAST_WORDS, size // SHARE))

    def take(self, words: Any, pairs: Any) -> None:
        """Go on with other tables, of what is known and of proof numbers, until they are full."""
        self.words = words
        self.pairs = pairs
        is_last = len(words) >= self.most_words
        room = NO_LIMIT if is_last else len(words) // FILLING // self._threads
        for control in self.controls:
            control[0].limit = min(self._limit, int(control[0].nodes) + room)

    @property
    def switches(self) -> int:
        """The techniques that are in use, a bit each."""
        return int(self.board.layout[0].switches)

    def save(self, path: str, position: str) -> None:
        """Write down in a checkpoint what has been found of a position; raises SolverError."""
        from gridhouse.games.binary.solver import checkpoint

        found = checkpoint.Snapshot(position, self.switches, self.words, self.pairs, self.nodes)
        checkpoint.save(path, found)

    def resume(self, path: str, position: str) -> bool:
        """Go on with a checkpoint; tell whether there is one; raises SolverError."""
        from gridhouse.games.binary.solver import checkpoint

        found = checkpoint.load(
            path, position, self.switches, self.most_words, self.board.memory.words
        )
        if found is not None:
            self.take(found.words, found.pairs)
            self.nodes_before = found.nodes
        return found is not None

    def _grows(self) -> bool:
        """Go on with larger tables if the search has stopped for these; tell whether it did."""
        size = len(self.words)
        is_over = any(control[0].nodes >= self._limit for control in self.controls)
        if self.stopped or is_over or size >= self.most_words:
            return False
        try:
            words, pairs = self._tables(min(GROWTH * size, self.most_words))
        except MemoryError:  # the machine has less than was allowed: what there is has to do
            self.most_words = size
            words, pairs = self.words, self.pairs
        else:
            self.kernels.move_words(self.words, words)
            self.kernels.move_pairs(self.pairs, pairs)
        self.take(words, pairs)
        self._release()
        return not self.stopped

    def _release(self) -> None:
        """Let threads search again that were made to stop, unless the whole search was."""
        for control in self.controls:
            control[0].stop = 0
        if self.stopped:  # maybe since then
            self.stop()

    @property
    def nodes(self) -> int:
        """How many positions have been searched."""
        return self.nodes_before + sum(int(control[0].nodes) for control in self.controls)

    @property
    def used(self) -> float:
        """The part of the largest table that is in use, told by a sample of the one there is."""
        sample = self.words[: 1 << 12]
        share = sum(1 for word in sample if word) / len(sample)
        return share * len(self.words) / self.most_words

    def stop(self) -> None:
        """Make the search end soon."""
        self.stopped = True
        for control in self.controls:
            control[0].stop = 1

    def follow(self, state: Position) -> bool:
        """Go on to a position that the board's moves lead to; tell whether it is one.

        What was found out stays known, and a search that was stopped may run again.
        """
        moves = self.board.moves_to(state)
        if moves is None:
            return False
        self._begin(moves)
        self.stopped = False
        self._release()
        return True

    def _begin(self, moves: Sequence[int]) -> None:
        """Begin at the position that some moves lead to."""
        self.board.memory.frame.copy(
            self.start[0], self.board.start[0], self.board.layout[0].num_lines
        )
        self._play(self.start[0], moves)

    def _play(self, frame: Any, moves: Sequence[int]) -> None:
        board = self.board
        for move in moves:
            board.memory.frame.play(
                frame, board.layout[0], board.table, board.sets, move >> 1, move & 1
            )

    def known(self, moves: tuple[int, ...]) -> int:
        """Return who wins after some moves if that needs no search."""
        return self._enter(0, moves, 0)

    def value(self, moves: tuple[int, ...] = (), heap: int = 0) -> int:
        """Return who wins after some moves, with a heap beside: WIN, LOSS or UNKNOWN."""
        value = self._enter(0, moves, heap)
        if value != nodes.UNKNOWN or self.stopped:
            return value
        while True:
            if self._threads == 1:
                value = self.run(0, moves, heap, proof=self._proof and self._is_large(0))
            else:
                value = self._race(moves, heap)
            if value != nodes.UNKNOWN or not self._grows():
                return value

    def _is_large(self, thread: int) -> bool:
        frame = self.frames[thread][0]
        return bits.population(int(frame.opened[0]) | int(frame.opened[1])) > LARGE

    def _place(self, thread: int, moves: tuple[int, ...]) -> None:
        """Make the position after some moves that of a thread's first frame."""
        frame = self.frames[thread][0]
        self.board.memory.frame.copy(frame, self.start[0], self.board.layout[0].num_lines)
        self._play(frame, moves)

    def _enter(self, thread: int, moves: tuple[int, ...], heap: int) -> int:
        board, kernels, frames = self.board, self.kernels, self.frames[thread]
        layout = board.layout[0]
        self._place(thread, moves)
        frames[0].heap = heap
        return int(kernels.enter(frames[0], layout, board.table, board.sets, self.words))

    def run(self, thread: int, moves: tuple[int, ...], heap: int, *, proof: bool) -> int:
        """Search in one thread."""
        value = self._enter(thread, moves, heap)
        board, kernels, frames = self.board, self.kernels, self.frames[thread]
        control = self.controls[thread][0]
        control.noise = 0 if proof else NOISE * thread
        common = (board.layout[0], board.table, board.sets, self.words)
        if value == nodes.UNKNOWN and not proof:
            value = int(kernels.prove(frames, *common, control, 0))
        if value == nodes.UNKNOWN and proof and kernels.start_parts(frames[0], *common[:-1]):
            value = int(kernels.search_parts(frames, 0, *common, control))
        if value == nodes.UNKNOWN and proof and not control.stop:
            bound = proof_search.INFINITE
            shared = (self.pairs, control, self.trail)
            value = int(kernels.expand(frames, *common, *shared, 0, bound, bound))
        return nodes.UNKNOWN if control.stop else value

    def _race(self, moves: tuple[int, ...], heap: int) -> int:
        """Search in several threads that share the table; the first to end stops the others."""
        found: list[int] = []

        def run(thread: int) -> None:
            proof = self._proof and self._is_large(0)
            value = self.run(thread, moves, heap, proof=proof)
            if value != nodes.UNKNOWN:
                found.append(value)
            for other in self.controls:
                other[0].stop = 1

        runners = [threading.Thread(target=run, args=(number,)) for number in range(self._threads)]
        for runner in runners:
            runner.start()
        for runner in runners:
            runner.join()
        if found:
            self._release()
        return found[0] if found else nodes.UNKNOWN

    def risk(self) -> int:
        """Return how many cells may come to stay empty, 0 where it is plain who wins."""
        self._place(0, ())
        board, frame = self.board, self.frames[0][0]
        kernels, layout = board.memory.frame, board.layout[0]
        value = kernels.settle(frame, layout, board.table, board.sets)
        risk = int(kernels.at_risk(frame, layout)) if value == nodes.UNKNOWN else 0
        return bits.population(risk)

    def answers(self, move: int, most: int) -> tuple[int, int]:
        """Return how many replies there are to a move, and how many of these are known to win.

        Winning ones are looked for, depth first, until there are more than ``most``.
        """
        board, frames, control = self.board, self.frames[0], self.controls[0][0]
        while True:
            self._place(0, (move,))
            replies = sum(bits.population(int(cells)) for cells in frames[0].opened)
            common = (board.layout[0], board.table, board.sets, self.words)
            count = int(self.kernels.count_wins(frames, *common, control, 0, most))
            if not control.stop or not self._grows():
                return replies, count

    def moves(self) -> list[int]:
        """Return the moves, by cell and digit."""
        self._place(0, ())
        opened = [int(cells) for cells in self.frames[0][0].opened]
        return [
            2 * cell + digit
            for cell in range(len(self.board.cells))
            for digit in range(2)
            if opened[digit] >> cell & 1
        ]


def warm(memory: Memory | None = None) -> None:
    """Compile the kernels, or load them, by using each of them on a small board."""
    from gridhouse.games.binary.game import BinaryGame

    state = BinaryGame(rows=3, cols=3).new_initial_state()
    memory = memory or Memory(jit=True)
    for proof in (False, True):
        # Each with a table of its own, and proof numbers even for a board so small: what is known
        # already, or searched depth first, would leave their kernels uncompiled.
        search = Search(Board(state.position, memory), memory=1)
        search.board.layout[0].limit = 0
        search.run(0, (), 0, proof=proof)
    search.answers(0, 0)
    search.risk()
    search.kernels.move_words(search.words, search.words)
    search.kernels.move_pairs(search.pairs, search.pairs)
