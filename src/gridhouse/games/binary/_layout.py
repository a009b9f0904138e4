"""Laying a position out for the search: its cells in a word, its lines in tables."""

from __future__ import annotations

from gridhouse.core import chance
from gridhouse.games.binary import _lines, _search, rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gridhouse.games.binary.rules import Position

    Cell = tuple[int, int]

# Sides up to which a board is laid out with all of its cells, so that its symmetries are seen.
WHOLE_SIDE = {True: 9, False: 5}
MOST = {True: _lines.MOST, False: 8}


class TooLargeError(ValueError):
    """A position has more cells that matter than the search has room for."""


class Memory:
    """How arrays are made: of records for compiled code, else lists of positions."""

    def __init__(self, *, jit: bool) -> None:
        """Bind the kernels."""
        self.jit = jit
        if jit:
            from gridhouse.core import machine_bits
            from gridhouse.core.compiling import twin

            # The kernels name each other's modules only through what is bound here.
            self.lines: Any = twin(_lines, "binary", bits=machine_bits)
            self.search: Any = twin(_search, "binary", bits=machine_bits)
        else:
            self.lines = _lines
            self.search = _search

    def records(self, kind: Any, count: int = 1) -> Any:
        """Return so many records, all zero."""
        if self.jit:
            from gridhouse.core.compiling import to_records

            return to_records(kind(), count)
        return [kind() for _ in range(count)]

    def words(self, count: int) -> Any:
        """Return so many words, all zero."""
        if self.jit:
            import numpy as np

            return np.zeros(count, np.int64)
        return [0] * count


class Board:
    """A position laid out: what the kernels take, and the way back to the game's moves."""

    def __init__(self, state: Position, memory: Memory) -> None:
        """Lay the position out; raises TooLargeError."""
        self.memory = memory
        self.cols = state.cols
        self.whole = (
            max(state.rows, state.cols) <= WHOLE_SIDE[memory.jit]
            and state.rows * state.cols <= _search.MOST_CELLS
        )
        self.grid = [
            [rules.digit_at(state, x, y) for x in range(state.cols)] for y in range(state.rows)
        ]
        self.opened = [set[tuple[int, int]](), set[tuple[int, int]]()]
        for y in range(state.rows):
            legal = rules.legal_in_row(state, y)
            for x in range(state.cols):
                for digit in range(2):
                    if legal >> (2 * x + digit) & 1:
                        self.opened[digit].add((y, x))
        live = self.opened[0] | self.opened[1]
        self.cells = [
            (y, x)
            for y in range(state.rows)
            for x in range(state.cols)
            if self.whole or (y, x) in live
        ]
        if len(self.cells) > _search.MOST_CELLS:
            raise TooLargeError(f"{len(self.cells)} cells")
        self._lay_out(state)

    def _lay_out(self, state: Position) -> None:
        memory = self.memory
        self.layout = memory.records(_search.Layout)
        layout = self.layout[0]
        rows = sorted({y for y, _ in self.cells})
        cols = sorted({x for _, x in self.cells})
        lines = [[(y, x) for x in cols if (y, x) in set(self.cells)] for y in rows]
        lines += [[(y, x) for y in rows if (y, x) in set(self.cells)] for x in cols]
        if max(map(len, lines), default=0) > MOST[memory.jit]:
            raise TooLargeError(f"a line of {max(map(len, lines))} cells")
        layout.num_cells = len(self.cells)
        layout.num_rows = len(rows)
        layout.num_lines = len(lines)
        layout.switches = _search.ALL
        number = {cell: i for i, cell in enumerate(self.cells)}
        for at, line in enumerate(lines):
            is_row = at < len(rows)
            for place, cell in enumerate(line):
                i = number[cell]
                layout.board[at] |= 1 << i
                (layout.row if is_row else layout.col)[i] = at
                (layout.row_place if is_row else layout.col_place)[i] = place
                (layout.row_step if is_row else layout.col_step)[i] = 3**place
            layout.lengths[at] = len(line)
        self._make_tables(state, lines, number)
        self._note_symmetries(state)
        for at in range(2 * _search.MOST_LINES):
            layout.factor[at] = chance.code(at) | 1
        self.start = memory.records(_search.Frame)
        self._set_start(self.start[0], lines, number)

    def _make_tables(
        self, state: Position, lines: list[list[Cell]], number: dict[Cell, int]
    ) -> None:
        memory, layout = self.memory, self.layout[0]
        rows = layout.num_rows
        known: dict[tuple[object, ...], Any] = {}
        sizes = 0
        near = 0
        for at, line in enumerate(lines):
            for digit in range(2):
                record = self._line(state, line, digit, at < rows)
                name = (record.length, record.stones, tuple(record.place[: record.cells].tolist() if memory.jit else record.place[: record.cells]))
                if name not in known:
                    record.entries = sizes
                    record.near = near
                    sizes += 3**record.cells
                    near += record.cells * 3**record.cells
                    known[name] = record
                place = digit * _search.MOST_LINES + at
                layout.entries[place] = known[name].entries
                layout.near[place] = known[name].near
        self.table = memory.records(_lines.Entry, max(1, sizes))
        nears = memory.words(near)
        blocks = memory.words(0)
        used = self._fill(known, nears, blocks)
        blocks = memory.words(used)
        nears = memory.words(near)
        self._fill(known, nears, blocks)
        spread: list[int] = []
        for at, line in enumerate(lines):
            layout.first[at] = len(spread)
            sums = [0]
            for cell in line:
                sums += [cells | 1 << number[cell] for cells in sums]
            spread += sums
        for place in range(2 * _search.MOST_LINES):
            layout.near[place] += len(spread)
        layout.blocks = len(spread) + near
        self.sets = memory.words(len(spread) + near + used + 1)
        self.sets[: len(spread)] = spread if not memory.jit else spread
        self.sets[len(spread) : len(spread) + near] = nears
        self.sets[len(spread) + near : len(spread) + near + used] = blocks

    def _fill(self, known: dict[tuple[object, ...], Any], near: Any, blocks: Any) -> int:
        used = 0
        for record in known.values():
            allowed = self.memory.words(1 << record.cells)
            self.memory.lines.fill_allowed(record, allowed)
            used = self.memory.lines.fill(record, allowed, self.table, near, blocks, used)
        return used

    def _line(self, state: Position, line: list[Cell], digit: int, is_row: bool) -> Any:
        record = self.memory.records(_lines.Line)[0]
        record.length = state.cols if is_row else state.rows
        record.cap = (record.length + 1) // 2
        record.cells = len(line)
        for i, (y, x) in enumerate(line):
            record.place[i] = x if is_row else y
        y, x = line[0]
        for place in range(record.length):
            cell = (y, place) if is_row else (place, x)
            if cell not in line and self.grid[cell[0]][cell[1]] == digit:
                record.stones |= 1 << place
        return record

    def _set_start(self, frame: Any, lines: list[list[Cell]], number: dict[Cell, int]) -> None:
        for digit in range(2):
            for cell in self.opened[digit]:
                frame.opened[digit] |= 1 << number[cell]
            for at, line in enumerate(lines):
                for place, (y, x) in enumerate(line):
                    way = 2 if (y, x) in self.opened[digit] else int(self.grid[y][x] == digit)
                    frame.codes[digit * _search.MOST_LINES + at] += way * 3**place

    def _note_symmetries(self, state: Position) -> None:
        layout = self.layout[0]
        layout.num_symmetries = 1
        if self.whole:
            layout.num_symmetries = 16 if state.rows == state.cols else 8
        for symmetry in range(layout.num_symmetries):
            turned, swapped, flipped = symmetry >> 3, symmetry >> 2 & 1, symmetry & 3
            layout.turned[symmetry] = turned
            layout.swapped[symmetry] = swapped
            layout.flipped[symmetry] = flipped
            for i, (y, x) in enumerate(self.cells):
                row = state.rows - 1 - y if flipped & 1 else y
                col = state.cols - 1 - x if flipped & 2 else x
                if turned:
                    row, col = col, row
                layout.image[symmetry * _search.MOST_CELLS + i] = row * state.cols + col if self.whole else i
            base = symmetry * _search.MOST_LINES
            for at in range(layout.num_lines):
                is_row = at < layout.num_rows
                size = layout.num_rows if is_row else layout.num_lines - layout.num_rows
                index = at if is_row else at - layout.num_rows
                if flipped & (1 if is_row else 2):
                    index = size - 1 - index
                layout.goes[base + at] = index if is_row != bool(turned) else layout.num_rows + index
                layout.runs[base + at] = int(bool(flipped & (2 if is_row else 1)))
