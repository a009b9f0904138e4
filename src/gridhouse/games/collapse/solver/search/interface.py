"""Exact searches at cuts of the board, which pause and go on, and the lines that they find."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from gridhouse.core import bits, chance
from gridhouse.core.fast import np
from gridhouse.games.collapse.solver.kernels import (
    bitboard,
    byte_board,
    half_board,
    interface_search,
)

if TYPE_CHECKING:
    from gridhouse.games.collapse.solver.kernels.byte_board import Control
    from gridhouse.games.collapse.solver.search.backend import Kernels

MOST_MEMORY = 1 << 33  # bytes: entries are numbered by 32 bits
GROWING = {  # by the value of ``full``: the field of a half, whose counter has the same name
    half_board.STATES: "states",
    half_board.MOVES: "moves",
    half_board.SYMBOLS: "symbols",
    half_board.MEMBERS: "members",
    half_board.BELIEFS: "beliefs",
    half_board.TRANSITIONS: "transitions",
    half_board.SUCCESSORS: "successors",
}


def cut_columns(heights: list[int]) -> list[int]:
    """Return the columns before which a board may be cut, so that each half fits into a word.

    The cut that divides the cells most evenly comes first.
    """
    rows = max(heights, default=0)
    if rows == 0 or rows > half_board.MOST_ROWS:
        return []
    widest = bitboard.WORD_BITS // rows
    width = len(heights)
    cuts = [col for col in range(1, max(width, 2)) if col <= widest and width - col <= widest]
    return sorted(cuts, key=lambda col: abs(sum(heights[:col]) - sum(heights[col:])))


class InterfaceSearch:
    """A search at one cut, which goes on where it was stopped.

    ``is_over`` is set when all pairs of beliefs are expanded, and then ``is_proved`` too, or when
    there is no room for more of them.
    """

    def __init__(
        self,
        kernels: Kernels,
        columns: list[list[int]],
        weights: list[int],
        col: int,
        memory: int,
    ) -> None:
        """Take over columns of kinds, from below; all arrays have at most ``memory`` bytes."""
        width = len(columns)
        self._kernels = kernels
        self._columns = columns
        self._weights = weights
        self._limit = min(memory, MOST_MEMORY)
        self._rows = max(map(len, columns))
        self._orders = (range(col), range(width - 1, col - 1, -1))
        self._memory = interface_search.make_memory(np.zeros, kernels.to_records)
        self._masks = [*map(self._place_cells, self._halves, self._orders)]
        self.has_begun = False
        self.is_over = False
        self.is_proved = False

    def begin(self, control: Control) -> None:
        """Find the initial beliefs, unless that is stopped."""
        while not self.has_begun and not self.is_over and control.stop == 0:
            kernel = self._kernels.interface_search
            self.has_begun = bool(kernel.begin(self._memory, *self._masks, control))
            self._make_room()

    @property
    def initial_states(self) -> int:
        """The number of states of the larger initial belief."""
        return max(int(half.beliefs.records[0].count) for half in self._halves)

    def run(self, control: Control) -> None:
        """Expand pairs until one improves the best cost, none is left, or the search is stopped.

        The search must have begun.
        """
        best = int(control.best)
        while not self.is_over and control.stop == 0 and control.best == best:
            self._kernels.interface_search.search(self._memory, control)
            self._make_room()
            progress = self._memory.progress
            self.is_proved = bool(progress.expanded == progress.pairs)
            self.is_over |= self.is_proved

    @property
    def _halves(self) -> tuple[half_board.Half, half_board.Half]:
        return self._memory.left, self._memory.right

    def _place_cells(self, half: half_board.Half, order: range) -> int:
        """Prepare a half that has columns in an order; return the mask of its cells."""
        rows = self._rows
        kinds = {kind for column in self._columns for kind in column} - {byte_board.WALL}
        bitboard.set_geometry(half.space, rows, sorted(kinds), self._weights)
        mask = 0
        for place, col in enumerate(order):
            for row, kind in enumerate(self._columns[col]):
                cell = 1 << (place * rows + row)
                mask |= cell
                if kind != byte_board.WALL:
                    half.counters.planes[kind] |= cell
        return mask

    # Memory.

    def _make_room(self) -> None:
        """Double the arrays that are full; end the search where that takes too much memory."""
        try:
            left, right = map(self._with_room, self._halves)
            self._memory = self._memory._replace(left=left, right=right)
            progress, pairs = self._memory.progress, self._memory.pairs
            if progress.is_full != 0 and self._may_grow(pairs):
                progress.is_full = 0
                larger = self._doubled(pairs, int(progress.pairs))
                self._memory = self._memory._replace(pairs=larger)
        except MemoryError:  # the machine has less than was allowed
            self.is_over = True

    def _with_room(self, half: half_board.Half) -> half_board.Half:
        """Return a half with more room where it is full."""
        if half.counters.full == 0:
            return half
        name = GROWING[int(half.counters.full)]
        if not self._may_grow(getattr(half, name)):
            return half
        half.counters.full = 0
        larger = self._doubled(getattr(half, name), int(getattr(half.counters, name)))
        return half._replace(**{name: larger})

    def _may_grow(self, arrays: Any) -> bool:
        """End the search if there is no memory to double arrays; return whether there is."""
        used = sum(map(size_of, (*self._memory.left, *self._memory.right, self._memory.pairs)))
        self.is_over |= used + 2 * size_of(arrays, slots=False) > self._limit
        return not self.is_over

    def _doubled(self, arrays: Any, used: int) -> Any:
        """Return an array, records or a group of arrays with twice as many entries."""
        if isinstance(arrays, list):
            return arrays + self._kernels.to_records(type(arrays[0])(), len(arrays))
        if isinstance(arrays, np.ndarray):
            larger = np.zeros(2 * len(arrays), arrays.dtype)
            larger[: len(arrays)] = arrays
            return larger.view(type(arrays))
        fields = {
            name: self._doubled(array, used)
            for name, array in arrays._asdict().items()
            if name != "slots"
        }
        if hasattr(arrays, "slots"):
            fields["slots"] = np.zeros(2 * len(arrays.slots), np.int32)
            hashes = chance.zobrist(arrays.keys[:used])
            self._kernels.tables.fill_slots(fields["slots"], hashes)
        return arrays._replace(**fields)

    # The picks that led to the best pair.

    def line(self, stride: int) -> list[int]:
        """Return the picks to the best state, as cells of the boards of bytes that they lead to."""
        columns = [(1 << len(column)) - 1 for column in self._columns]
        line = []
        for pick in self._best_picks():
            cells = [cell for side in range(2) for cell in self._cells(side, pick[side])]
            col, row = cells[0]
            level = bits.population(columns[col] & ((1 << row) - 1))
            line.append((1 + sum(map(bool, columns[:col]))) * stride + level)
            for col, row in cells:
                columns[col] ^= 1 << row
        return line

    def _cells(self, side: int, mask: int) -> list[tuple[int, int]]:
        """Return the columns and rows of a half's cells."""
        order, rows = self._orders[side], self._rows
        return [
            (order[bit // rows], bit % rows) for bit in range(mask.bit_length()) if mask >> bit & 1
        ]

    def _best_picks(self) -> list[list[int]]:
        """Return the picks of the best pair, each as the cells that it takes from either half."""
        index = int(self._memory.progress.best)
        targets = [
            int(self._kernels.half_board.best_member(self._belief(index, side), half))
            for side, half in enumerate(self._halves)
        ]
        picks: list[list[int]] = []  # the last one first
        while True:
            joint = [0, 0]  # the pick that emits symbols
            for side in (1, 0):
                taken = self._trace_back(index, side, targets)
                if self._symbol(index, side) != half_board.EPSILON:
                    joint[side] = taken.pop()
                picks += [[0, mask] if side else [mask, 0] for mask in taken]
            if index == 0:
                return picks[::-1]
            picks.append(joint)
            index = int(self._memory.pairs.records[index].parent)

    def _trace_back(self, index: int, side: int, targets: list[int]) -> list[int]:
        """Return what a half took on its path to a pair's target, the last first.

        The target of the half becomes the state where the path began.
        """
        symbol = self._symbol(index, side)
        if index > 0 and symbol == half_board.EPSILON:
            return []
        half = self._halves[side]
        parent = int(self._memory.pairs.records[index].parent)
        before = self._belief(parent, side) if index else half_board.NOTHING
        count = self._kernels.half_board.trace_back(
            before, symbol, self._belief(index, side), targets[side], half
        )
        path = [int(half.states.queue[place]) for place in range(count)]
        targets[side] = path[-1]
        masks = [int(half.states.keys[state]) for state in path]
        return [one ^ other for one, other in pairwise(masks)]

    def _belief(self, index: int, side: int) -> int:
        key = int(self._memory.pairs.keys[index])
        return key & interface_search.RIGHT if side else key >> interface_search.LEFT_SHIFT

    def _symbol(self, index: int, side: int) -> int:
        pair = self._memory.pairs.records[index]
        return int(pair.right_symbol if side else pair.left_symbol)


def size_of(arrays: Any, *, slots: bool = True) -> int:
    """Return the bytes of an array or a group of arrays, with or without hash slots.

    Records of interpreted kernels count as one byte each, scratch memory as none.
    """
    if isinstance(arrays, list):
        return len(arrays)
    if isinstance(arrays, np.ndarray):
        return int(arrays.nbytes)
    if not hasattr(arrays, "_asdict"):
        return 0
    parts = arrays._asdict().items()
    return sum(size_of(part) for name, part in parts if slots or name != "slots")
