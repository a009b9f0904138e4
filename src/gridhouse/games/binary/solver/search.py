"""A search of one board: its tables, its threads, and questions about positions on it."""

from __future__ import annotations

import threading

from gridhouse.core import arrays, bits
from gridhouse.games.binary.solver.backend import Backend
from gridhouse.games.binary.solver.board_encoding import Board
from gridhouse.games.binary.solver.kernels.records import (
    ALL,
    LOSS,
    MOST_PLIES,
    SPARE,
    SYMMETRY,
    UNKNOWN,
    Control,
    Memory,
    Node,
    SharedNumbers,
)

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
WORDS_A_NODE = 2  # at least, before a table grows
INTERPRETED_WORDS = 1 << 16  # of a table in interpreted code
NO_LIMIT = 1 << 60
DEPTH_FIRST_CELLS = 12  # cells up to which proof numbers cost more than they save
PROOF_NUMBER_CELLS = 21  # cells above which positions are searched by proof numbers
NOISE = 4  # random part of scores, for each thread after the first, depth first
PN_SHARE = 4  # size of the transposition table by that of the table of proof numbers


class Search:
    """A search that remembers all it finds; another thread may stop it."""

    def __init__(
        self,
        board: Board,
        *,
        memory: int = 256,
        threads: int = 1,
        techniques: int = ALL,
        proof: bool = True,
        limit: int = NO_LIMIT,
    ) -> None:
        """Allocate a stack for each thread, and tables that grow to ``memory`` MiB.

        ``techniques`` are bits of ``kernels.layout``, ``limit`` the most nodes of each thread.
        """
        self.board = board
        self.backend = board.backend
        self._proof = proof
        # Entries of long lines are written to by the thread that searches: there can be but one.
        self._threads = threads if self.backend.jit and not board.has_long_lines else 1
        board.layout.techniques = techniques
        if not techniques & SYMMETRY:
            board.layout.num_symmetries = 1
        board.layout.depth_first_cells = DEPTH_FIRST_CELLS
        size = LEAST_WORDS
        while 2 * size * WORD <= memory * arrays.MEGABYTE * (PN_SHARE - 1) // PN_SHARE:
            size *= 2
        self.most_words = size if self.backend.jit else min(size, INTERPRETED_WORDS)
        self._limit = limit
        records = self.backend.records
        self.start: Node = records(Node)[0]
        self.stacks = [records(Node, SPARE + 1) for _ in range(self._threads)]
        self.controls: list[Control] = [records(Control)[0] for _ in range(self._threads)]
        for thread, control in enumerate(self.controls):
            control.thread = thread
            control.s0 = thread + 1
        self.paths = self.backend.words(MOST_PLIES * self._threads)
        self.nodes_before = 0  # of the search that a checkpoint was made of
        self.stopped = False
        self.use_tables(*self._allocate(min(self.most_words, FIRST_WORDS)))
        self._begin(())

    def _allocate(self, size: int) -> tuple[Any, Any]:
        words = self.backend.words
        return words(size), words(max(LEAST_WORDS, size // PN_SHARE))

    def use_tables(self, table: Any, pn_table: Any) -> None:
        """Search with these tables, of outcomes and of proof numbers, until they are full."""
        self.table = table
        self.pn_table = pn_table
        is_last = len(table) >= self.most_words
        room = NO_LIMIT if is_last else len(table) // WORDS_A_NODE // self._threads
        for control in self.controls:
            control.limit = min(self._limit, int(control.nodes) + room)

    def save(self, path: str, position: str) -> None:
        """Write the tables to a checkpoint of a position; raises SolverError."""
        from gridhouse.games.binary.solver import checkpoint

        techniques = int(self.board.layout.techniques)
        found = checkpoint.Snapshot(position, techniques, self.table, self.pn_table, self.nodes)
        checkpoint.save(path, found)

    def resume(self, path: str, position: str) -> bool:
        """Use the tables of a position's checkpoint; return False without one.

        Raises SolverError.
        """
        from gridhouse.games.binary.solver import checkpoint

        techniques = int(self.board.layout.techniques)
        found = checkpoint.load(path, position, techniques, self.most_words, self.backend.words)
        if found is not None:
            self.use_tables(found.table, found.pn_table)
            self.nodes_before = found.nodes
        return found is not None

    def _grow_tables(self) -> bool:
        """Enlarge the tables if the search stopped because they are full; return if it goes on."""
        size = len(self.table)
        is_over = any(control.nodes >= self._limit for control in self.controls)
        if self.stopped or is_over or size >= self.most_words:
            return False
        try:
            table, pn_table = self._allocate(min(GROWTH * size, self.most_words))
        except MemoryError:  # the machine has less than was allowed
            self.most_words = size
            table, pn_table = self.table, self.pn_table
        else:
            self.backend.transpositions.move_entries(self.table, table)
            self.backend.transpositions.pn_move_entries(self.pn_table, pn_table)
        self.use_tables(table, pn_table)
        self._release()
        return not self.stopped

    def _release(self) -> None:
        """Let threads search again that were made to stop, unless the whole search was."""
        for control in self.controls:
            control.stop = 0
        if self.stopped:  # maybe since then
            self.stop()

    @property
    def nodes(self) -> int:
        """The number of positions searched."""
        return self.nodes_before + sum(int(control.nodes) for control in self.controls)

    @property
    def used(self) -> float:
        """The part of the largest table that is in use, estimated from a sample."""
        sample = self.table[: 1 << 12]
        share = sum(1 for word in sample if word) / len(sample)
        return share * len(self.table) / self.most_words

    def stop(self) -> None:
        """Make the search end soon."""
        self.stopped = True
        for control in self.controls:
            control.stop = 1

    def follow(self, state: Position) -> bool:
        """Move on to a position; return False if the board's moves do not lead there.

        All that was found stays known, and a search that was stopped may run again.
        """
        moves = self.board.moves_to(state)
        if moves is None:
            return False
        self._begin(moves)
        self.stopped = False
        self._release()
        return True

    def _begin(self, moves: Sequence[int]) -> None:
        """Start from the position after some moves from the board's own."""
        self._copy(self.start, self.board.start)
        self._play(self.start, moves)

    def _copy(self, to: Node, node: Node) -> None:
        self.backend.nodes.copy(to, node, self.board.layout.num_lines)

    def _play(self, node: Node, moves: Sequence[int]) -> None:
        for move in moves:
            self.backend.nodes.play(node, self.board.tables, move >> 1, move & 1)

    def _place(self, thread: int, moves: tuple[int, ...]) -> Node:
        """Make the position after some moves the first node of a thread."""
        node: Node = self.stacks[thread][0]
        self._copy(node, self.start)
        self._play(node, moves)
        return node

    def _enter(self, thread: int, moves: tuple[int, ...], heap: int) -> int:
        """Make a position the first node of a thread; return who wins it if that is known."""
        node = self._place(thread, moves)
        node.heap = heap
        return int(self.backend.children.enter(node, self.board.tables, self.table))

    def known_outcome(self, moves: tuple[int, ...]) -> int:
        """Return who wins after some moves if that is known without search, else UNKNOWN."""
        return self._enter(0, moves, 0)

    def outcome(self, moves: tuple[int, ...] = (), heap: int = 0) -> int:
        """Return who wins after some moves, with a heap beside: WIN, LOSS or UNKNOWN."""
        outcome = self._enter(0, moves, heap)
        if outcome != UNKNOWN or self.stopped:
            return outcome
        while True:
            proof = self._proof and self._is_large(self.stacks[0][0])
            if self._threads == 1:
                outcome = self.run(0, moves, heap, proof=proof)
            else:
                outcome = self._race(moves, heap, proof=proof)
            if outcome != UNKNOWN or not self._grow_tables():
                return outcome

    @staticmethod
    def _is_large(node: Node) -> bool:
        cells = int(node.candidates[0]) | int(node.candidates[1])
        return bits.population(cells) > PROOF_NUMBER_CELLS

    def run(self, thread: int, moves: tuple[int, ...], heap: int, *, proof: bool) -> int:
        """Search a position in one thread, by proof numbers or depth first."""
        outcome = self._enter(thread, moves, heap)
        control = self.controls[thread]
        if outcome == UNKNOWN:
            control.noise = 0 if proof else NOISE * thread
            memory = Memory(self.stacks[thread], self.board.tables, self.table, control)
            numbers = SharedNumbers(self.pn_table, self.paths)
            outcome = int(self.backend.proof_number.search(memory, numbers, proof))
        return UNKNOWN if control.stop else outcome

    def _race(self, moves: tuple[int, ...], heap: int, *, proof: bool) -> int:
        """Search in several threads that share the tables; the first to end stops the others."""
        found: list[int] = []

        def run(thread: int) -> None:
            outcome = self.run(thread, moves, heap, proof=proof)
            if outcome != UNKNOWN:
                found.append(outcome)
            for other in self.controls:
                other.stop = 1

        runners = [threading.Thread(target=run, args=(number,)) for number in range(self._threads)]
        for runner in runners:
            runner.start()
        for runner in runners:
            runner.join()
        if found:
            self._release()
        return found[0] if found else UNKNOWN

    def count_contested(self) -> int:
        """Return how many cells may stay empty, 0 if the outcome is known without search."""
        return int(self.backend.nodes.count_contested(self._place(0, ()), self.board.tables))

    def count_replies(self, move: int, most: int) -> tuple[int, int]:
        """Return how many replies a move has, and how many of these win: at most ``most`` + 1.

        Replies that were not searched before the search was stopped do not count.
        """
        replies = self.moves((move,))
        wins = 0
        for reply in replies:
            wins += self.outcome((move, reply)) == LOSS
            if wins > most or self.stopped:
                break
        return len(replies), wins

    def moves(self, after: tuple[int, ...] = ()) -> list[int]:
        """Return the legal moves after some moves, each twice the cell and the digit."""
        candidates = [int(cells) for cells in self._place(0, after).candidates]
        return [
            2 * cell + digit
            for cell in range(len(self.board.cells))
            for digit in range(2)
            if candidates[digit] >> cell & 1
        ]


def warm(backend: Backend | None = None) -> None:
    """Compile the kernels, or load them, by using each of them on a small board."""
    from gridhouse.games.binary.game import BinaryGame

    state = BinaryGame(rows=3, cols=3).new_initial_state()
    backend = backend or Backend(jit=True)
    search = Search(Board(state.position, backend), memory=1)
    search.run(0, (), 0, proof=False)
    search.moves(after=tuple(search.moves()[:1]))
    search.count_contested()
    backend.transpositions.move_entries(search.table, search.table)
    backend.transpositions.pn_move_entries(search.pn_table, search.pn_table)
