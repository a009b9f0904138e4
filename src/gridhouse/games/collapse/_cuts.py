"""Cuts through a board, searched little by little, and the picks that they find."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gridhouse.core import bits, chance
from gridhouse.games.collapse import _board, _cut, _half, _words

if TYPE_CHECKING:
    from collections.abc import Callable


MOST_MEMORY = 1 << 33  # bytes: places are numbers of 32 bits


class Growing(NamedTuple):
    """Arrays of a half that grow together, and where entries are found, by what keys."""

    names: tuple[str, ...]
    slots: str = ""
    keys: Callable[[Any], Any] = chance.zobrist


GROWING = {
    _half.STATES: Growing(("states", "firsts", "ends", "marks", "origins", "queue"), "slots"),
    _half.MOVES: Growing(("shown", "nexts")),
    _half.LABELS: Growing(("labels", "label_marks"), "label_slots"),
    _half.MEMBERS: Growing(("members",)),
    _half.BELIEFS: Growing(("beliefs",), "belief_slots", lambda beliefs: _field(beliefs, "key")),
    _half.OPTIONS: Growing(("options",)),
    _half.WAYS: Growing(("ways",)),
}


def cuts_of(heights: list[int]) -> list[int]:
    """Return where columns may be cut, before which, so that each half fits into a word.

    The cut that parts the cells best comes first.
    """
    rows = max(heights, default=0)
    if rows == 0 or rows > _half.MOST_ROWS:
        return []
    widest = _words.LENGTH // rows
    wide = len(heights)
    cuts = [col for col in range(1, max(wide, 2)) if col <= widest and wide - col <= widest]
    return sorted(cuts, key=lambda col: abs(sum(heights[:col]) - sum(heights[col:])))


class CutSearch:
    """A search over the pairs of beliefs at one cut, which goes on where it was stopped.

    ``over`` is set when no pair is left, and then ``proved``, or when there is no room for them.
    """

    def __init__(self, kernels: Any, columns: list[list[int]], col: int, memory: int) -> None:
        """Take over a board's columns of kinds, from below; arrays have so many bytes at most."""
        wide = len(columns)
        self._kernels = kernels
        self._columns = columns
        self._memory = min(memory, MOST_MEMORY)
        self._rows = max(map(len, columns))
        self._orders = (range(col), range(wide - 1, col - 1, -1))
        self._cut = _cut.make_cut(np.zeros, kernels.records)
        self._masks = [*map(self._shaped, self._sides, self._orders)]
        self.begun = False
        self.over = False
        self.proved = False

    def begin(self, control: Any) -> None:
        """Find out what either half can do before it shows anything, unless that is stopped."""
        while not self.begun and not self.over and control.stop == 0:
            self.begun = bool(self._kernels.cut.begin(self._cut, *self._masks, control))
            self._make_room()

    @property
    def first(self) -> int:
        """How many states a half may be in before it shows anything, the larger number."""
        return max(int(side.beliefs[0].count) for side in self._sides)

    def run(self, control: Any) -> None:
        """Look at pairs until one leaves less than the best, none is left, or it is stopped.

        The search must have begun.
        """
        best = int(control.best)
        while not self.over and control.stop == 0 and control.best == best:
            self._kernels.cut.search(self._cut, control)
            self._make_room()
            course = self._cut.course
            self.proved = bool(course.done == course.pairs)
            self.over |= self.proved

    @property
    def _sides(self) -> tuple[_half.Side, _half.Side]:
        return self._cut.one, self._cut.other

    def _shaped(self, side: _half.Side, order: range) -> int:
        """Prepare a half that has some columns in an order, and return all its cells."""
        rows = self._rows
        kinds = {kind for column in self._columns for kind in column} - {_board.WALL}
        _words.shape(side.frame, rows, sorted(kinds))
        mask = 0
        for place, col in enumerate(order):
            for row, kind in enumerate(self._columns[col]):
                cell = 1 << (place * rows + row)
                mask |= cell
                if kind != _board.WALL:
                    side.half.planes[kind] |= cell
        return mask

    # Memory.

    def _make_room(self) -> None:
        """Double what is full, or end the search where that is too much."""
        try:
            one, other = map(self._roomier, self._sides)
            self._cut = self._cut._replace(one=one, other=other)
            course, pairs = self._cut.course, self._cut.pairs
            if course.full != 0 and self._may_grow(pairs):
                course.full = 0
                keys = _cut.pair_key(*(_field(pairs, name) for name in ("one", "other")))
                self._cut = self._cut._replace(
                    pairs=self._doubled(pairs),
                    slots=self._filled(keys[: course.pairs], len(pairs)),
                )
        except MemoryError:  # the machine has less than was allowed
            self.over = True

    def _roomier(self, side: _half.Side) -> _half.Side:
        """Return the memory of a half with more room where it is full."""
        half = side.half
        if half.full == 0:
            return side
        growing = GROWING[int(half.full)]
        arrays = [getattr(side, name) for name in growing.names]
        if not self._may_grow(*arrays):
            return side
        half.full = 0
        larger = {
            name: self._doubled(array) for name, array in zip(growing.names, arrays, strict=True)
        }
        if growing.slots:
            keys = growing.keys(arrays[0])[: getattr(half, growing.names[0])]
            larger[growing.slots] = self._filled(keys, len(arrays[0]))
        return side._replace(**larger)

    def _may_grow(self, *growing: Any) -> bool:
        """Tell whether there is memory for so much more; else the search is over."""
        parts = [*self._cut.one[2:], *self._cut.other[2:], self._cut.pairs, self._cut.slots]
        self.over |= sum(map(_size, parts)) + 2 * sum(map(_size, growing)) > self._memory
        return not self.over

    def _doubled(self, array: Any) -> Any:
        """Return an array, or a list of records, with as many more entries."""
        if isinstance(array, list):
            return array + self._kernels.records(type(array[0])(), len(array))
        larger = np.zeros(2 * len(array), array.dtype)
        larger[: len(array)] = array
        return larger.view(type(array))

    def _filled(self, keys: Any, room: int) -> Any:
        """Return the slots of some keys where there is to be twice so much room."""
        slots = np.zeros(4 * room, np.int32)
        self._kernels.half.fill(slots, keys)
        return slots

    # The picks that led to the best pair.

    def line(self, stride: int, control: Any) -> list[int]:
        """Return the picks that leave least, as cells of a board of bytes as it is by then."""
        columns = [(1 << len(column)) - 1 for column in self._columns]
        line = []
        for pick in self._picks(control):
            cells = [cell for place in range(2) for cell in self._cells(place, pick[place])]
            col, row = cells[0]
            level = bits.population(columns[col] & ((1 << row) - 1))
            line.append((1 + sum(map(bool, columns[:col]))) * stride + level)
            for col, row in cells:
                columns[col] ^= 1 << row
        return line

    def _cells(self, place: int, mask: int) -> list[tuple[int, int]]:
        """Return the columns and rows of a half's cells."""
        order, rows = self._orders[place], self._rows
        return [
            (order[bit // rows], bit % rows) for bit in range(mask.bit_length()) if mask >> bit & 1
        ]

    def _picks(self, control: Any) -> list[list[int]]:
        """Return the picks of the best pair: which cells of either half each takes."""
        index = int(self._cut.course.best)
        targets = [
            int(self._kernels.half.best_of(self._belief(index, place), side, control))
            for place, side in enumerate(self._sides)
        ]
        picks: list[list[int]] = []  # the last one first
        while True:
            shown = [0, 0]
            for place in (1, 0):
                taken = self._trailed(index, place, targets)
                label = self._label(index, place)
                if label != _half.HIDDEN:
                    shown[place] = taken.pop()
                picks += [[0, mask] if place else [mask, 0] for mask in taken]
            if index == 0:
                return picks[::-1]
            picks.append(shown)
            index = int(self._cut.pairs[index].origin)

    def _trailed(self, index: int, place: int, targets: list[int]) -> list[int]:
        """Return what a half took on its way to a pair's target, the last first; go back there."""
        label = self._label(index, place)
        if index > 0 and label == _half.HIDDEN:
            return []
        side = self._sides[place]
        before = self._belief(int(self._cut.pairs[index].origin), place) if index else _half.NOTHING
        count = self._kernels.half.trail(
            before, label, self._belief(index, place), targets[place], side
        )
        trail = [int(state) for state in side.queue[:count]]
        targets[place] = trail[-1]
        masks = [int(side.states[state]) for state in trail]
        return [one ^ other for one, other in pairwise(masks)]

    def _belief(self, index: int, place: int) -> int:
        pair = self._cut.pairs[index]
        return int(pair.other if place else pair.one)

    def _label(self, index: int, place: int) -> int:
        pair = self._cut.pairs[index]
        return int(pair.other_label if place else pair.one_label)


def _field(records: Any, name: str) -> Any:
    """Return a field of all records of an array, or of a list."""
    if isinstance(records, list):
        return np.array([getattr(record, name) for record in records], np.int64)
    return records[name].astype(np.int64)


def _size(array: Any) -> int:
    """Return how many bytes an array has, or how many entries a list has."""
    return len(array) if isinstance(array, list) else int(array.nbytes)
