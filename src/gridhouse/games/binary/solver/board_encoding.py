"""Laying a position out for the search: its cells in a word, its lines in tables."""

from __future__ import annotations

from bisect import bisect_right

from gridhouse.core import chance
from gridhouse.core.errors import SolverError
from gridhouse.games.binary import rules
from gridhouse.games.binary.solver.kernels import line_tables, long_lines, nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gridhouse.games.binary.rules import Position
    from gridhouse.games.binary.solver.backend import Memory

    Cell = tuple[int, int]
    Line = list[Cell]

WHOLE_SIDE = 9  # up to this side a board is laid out with all cells, so that symmetries are seen
FEW_DIGITS = 2  # digits on the board up to which symmetries earn more than they cost
SLOTS = 65521  # entries kept of a long line
PLAIN_SLOTS = 251  # in interpreted code


class TooLargeError(SolverError):
    """A position has more cells that matter than the search has room for."""


class _Growing(list):  # type: ignore[type-arg]  # which Python 3.8 cannot name
    """A list with room for one more at its end."""

    def __len__(self) -> int:
        """Return a length that is never reached."""
        return line_tables.LOW

    def __setitem__(self, at: Any, value: Any) -> None:
        """Write a value behind the last."""
        del at
        self.append(value)


class LazyTable:
    """The entries of all lines for interpreted code, each made when it is first looked at."""

    def __init__(self, lines: list[Any], sets: list[int], near: int) -> None:
        """Stand for the lines' parts, in the order in which they begin."""
        self._lines = lines
        self._begins = [line.entries for line in lines]
        self._sets = sets
        self._near = near
        self._blocks = len(sets)
        self._known: dict[int, Any] = {}

    def __getitem__(self, at: int) -> Any:
        """Return the entry at a place."""
        entry = self._known.get(at)
        if entry is None:
            line = self._lines[bisect_right(self._begins, at) - 1]
            entry = self._known[at] = line_tables.Entry()
            if line.cells > line_tables.MOST:
                return entry
            found = _Growing()
            line_tables.describe(line, entry, self._sets, self._near, found, at - line.entries)
            entry.first = len(self._sets) - self._blocks
            self._sets.extend(found)
        return entry


class Board:
    """A position laid out: what the kernels take, and the way back to the game's moves."""

    def __init__(self, state: Position, memory: Memory, *, most: int | None = None) -> None:
        """Lay the position out; raises TooLargeError, as well if tables take more than ``most``.

        That is how many sets of cells may be looked at to fill them.
        """
        self.memory = memory
        self._most = most
        self.rows = state.rows
        self.cols = state.cols
        self.grid = [[rules.digit_at(state, x, y) for x in range(self.cols)] for y in self._ys]
        self.opened = [self._open_to(state, digit) for digit in range(2)]
        live = self.opened[0] | self.opened[1]
        digits = sum(digit >= 0 for line in self.grid for digit in line)
        self.whole = (
            digits <= FEW_DIGITS
            and max(self.rows, self.cols) <= WHOLE_SIDE
            and self.rows * self.cols <= nodes.MOST_CELLS
        )
        everything = [(y, x) for y in self._ys for x in range(self.cols)]
        self.cells = [cell for cell in everything if self.whole or cell in live]
        if len(self.cells) > nodes.MOST_CELLS:
            raise TooLargeError(f"{len(self.cells)} cells are open, more than {nodes.MOST_CELLS}")
        self.number = {cell: number for number, cell in enumerate(self.cells)}
        self.has_long = False  # whether the table is written to while searching
        self.layout = memory.records(nodes.Layout)
        self.start = memory.records(nodes.Frame)
        self._lay_out()

    @property
    def _ys(self) -> range:
        return range(self.rows)

    def _open_to(self, state: Position, digit: int) -> set[Cell]:
        return {
            (y, x)
            for y in self._ys
            for x in range(self.cols)
            if rules.legal_in_row(state, y) >> (2 * x + digit) & 1
        }

    def action(self, move: int) -> int:
        """Return the game's number of a move of the search."""
        y, x = self.cells[move >> 1]
        return 2 * (y * self.cols + x) + (move & 1)

    def moves_to(self, state: Position) -> list[int] | None:
        """Return the moves of the search that lead to a position, None if none do.

        What is legal after other digits was legal before them, so their order does not matter.
        """
        if (state.rows, state.cols) != (self.rows, self.cols):
            return None
        moves = []
        for y in self._ys:
            for x in range(self.cols):
                digit = rules.digit_at(state, x, y)
                if digit != self.grid[y][x]:
                    number = self.number.get((y, x))
                    if self.grid[y][x] >= 0 or number is None:
                        return None
                    moves.append(2 * number + digit)
        return moves

    def _lay_out(self) -> None:
        layout = self.layout[0]
        across: dict[int, Line] = {}
        down: dict[int, Line] = {}
        for y, x in self.cells:
            across.setdefault(y, []).append((y, x))
            down.setdefault(x, []).append((y, x))
        lines = [across[y] for y in sorted(across)] + [down[x] for x in sorted(down)]
        layout.num_cells = len(self.cells)
        layout.num_rows = len(across)
        layout.num_lines = len(lines)
        layout.switches = nodes.ALL
        layout.by_cells = not self.whole
        for at, line in enumerate(lines):
            self._note_line(at, line, is_row=at < len(across))
        self._make_tables(lines)
        self._note_symmetries()
        for at in range(2 * line_tables.MOST_LINES):
            layout.factor[at] = chance.zobrist(at) | 1
        self._set_start(lines)

    def _note_line(self, at: int, line: Line, *, is_row: bool) -> None:
        layout = self.layout[0]
        layout.lengths[at] = len(line)
        for place, cell in enumerate(line):
            number = self.number[cell]
            if is_row:
                layout.row[number] = at
                layout.row_step[number] = 3**place
            else:
                layout.col[number] = at
                layout.col_step[number] = 3**place

    def _describe(self, line: Line, digit: int, *, is_row: bool) -> tuple[int, int, list[int]]:
        """Return a line's length, the stones on places not laid out, and the others."""
        y, x = line[0]
        places = [cell[1] if is_row else cell[0] for cell in line]
        length = self.cols if is_row else self.rows
        stones = 0
        for place in range(length):
            found = self.grid[y][place] if is_row else self.grid[place][x]
            if found == digit and place not in places:
                stones |= 1 << place
        return length, stones, places

    def _make_tables(self, lines: list[Line]) -> None:
        """Make a table for every kind of line; like lines share one, but long ones do not."""
        layout = self.layout[0]
        kinds: dict[str, Any] = {}
        sizes = [0, 0]
        work = 0
        for at, line in enumerate(lines):
            for digit in range(2):
                length, stones, places = self._describe(line, digit, is_row=at < layout.num_rows)
                name = f"{length} {stones} {places}"
                place = digit * line_tables.MOST_LINES + at
                if len(places) > line_tables.MOST:
                    self.has_long = True
                    name = str(place)
                    self._note_long(at, digit, length, stones, places)
                if name not in kinds:
                    work += 4 ** min(len(places), line_tables.MOST)
                    if self._most is not None and work > self._most:
                        raise TooLargeError("tables of its lines would take too long")
                    kinds[name] = self._new_kind(length, stones, places, sizes)
                layout.entries[place] = kinds[name].entries
                layout.near[place] = kinds[name].near
        self._fill(lines, list(kinds.values()), sizes)

    def _note_long(self, at: int, digit: int, length: int, stones: int, places: list[int]) -> None:
        """Note what entries of a long line are made from when they are first looked at."""
        layout = self.layout[0]
        layout.num_long += 1
        if layout.lengths[at] == layout.num_cells:
            layout.only = 1 + at
        layout.span[at] = length
        layout.others[digit * line_tables.MOST_LINES + at] = stones
        layout.slots[digit * line_tables.MOST_LINES + at] = self._slots
        for cell, place in enumerate(places):
            layout.places[at * long_lines.MOST + cell] = place

    @property
    def _slots(self) -> int:
        return SLOTS if self.memory.jit else PLAIN_SLOTS

    def _new_kind(self, length: int, stones: int, places: list[int], sizes: list[int]) -> Any:
        record = self.memory.records(line_tables.Line)[0]
        record.length = length
        record.cap = (length + 1) // 2
        record.stones = stones
        record.by_cells = self.layout[0].by_cells
        record.cells = len(places)
        record.entries, record.near = sizes
        if len(places) > line_tables.MOST:
            sizes[0] += self._slots
            return record
        for i, place in enumerate(places):
            record.place[i] = place
        sizes[0] += 3 ** len(places)
        sizes[1] += 3 ** len(places) * len(places)
        return record

    def _fill(self, lines: list[Line], kinds: list[Any], sizes: list[int]) -> None:
        """Fill the tables, and the one array of all sets of cells: of boards and of lines."""
        layout, memory = self.layout[0], self.memory
        spread: list[Any] = []
        used = 0
        for at, line in enumerate(lines):
            layout.first[at] = used
            spread.append(self._subsets(line))
            used += len(spread[-1])
        for place in range(2 * line_tables.MOST_LINES):
            layout.near[place] += used
        layout.blocks = used + sizes[1]
        if not memory.jit:
            self.sets: Any = [cells for sums in spread for cells in sums]
            self.sets += memory.words(sizes[1])
            self.table: Any = LazyTable(kinds, self.sets, used)
            return
        import numpy as np

        self.table = memory.records(line_tables.Entry, max(1, sizes[0]))
        near = memory.words(sizes[1])
        used = self._fill_all(kinds, near, memory.words(0))
        blocks = memory.words(used)
        self._fill_all(kinds, near, blocks)
        self.sets = np.concatenate([*spread, near, blocks])

    def _subsets(self, line: Line) -> Any:
        """Return the cells on the board of every set of a line's cells."""
        sums = self.memory.words(1 << len(line))
        for place, cell in enumerate(line):
            half = 1 << place
            if self.memory.jit:
                sums[half : 2 * half] = sums[:half] | 1 << self.number[cell]
            else:
                sums[half : 2 * half] = [cells | 1 << self.number[cell] for cells in sums[:half]]
        return sums

    def _fill_all(self, kinds: list[Any], near: Any, blocks: Any) -> int:
        used = 0
        for record in kinds:
            if record.cells <= line_tables.MOST:
                used = self.memory.lines.fill(record, self.table, near, blocks, used)
        return used

    def _set_start(self, lines: list[Line]) -> None:
        frame = self.start[0]
        for digit in range(2):
            frame.stale[digit] = (1 << len(lines)) - 1
            for cell in self.opened[digit]:
                frame.opened[digit] |= 1 << self.number[cell]
            for at, line in enumerate(lines):
                for place, (y, x) in enumerate(line):
                    way = 2 if (y, x) in self.opened[digit] else int(self.grid[y][x] == digit)
                    frame.codes[digit * line_tables.MOST_LINES + at] += way * 3**place

    def _note_symmetries(self) -> None:
        layout = self.layout[0]
        layout.num_symmetries = 1
        if self.whole:
            turns = 2 if self.rows == self.cols else 1
            layout.num_symmetries = turns * nodes.SYMMETRIES // 2
        for symmetry in range(layout.num_symmetries):
            layout.turned[symmetry] = symmetry >> 3
            layout.swapped[symmetry] = symmetry >> 2 & 1
            layout.flipped[symmetry] = symmetry & 3
            self._note_images(symmetry, turned=symmetry >> 3, flipped=symmetry & 3)

    def _note_images(self, symmetry: int, *, turned: int, flipped: int) -> None:
        """Note where lines go: rows and columns run backwards, and then change places."""
        layout = self.layout[0]
        base = symmetry * line_tables.MOST_LINES
        sizes = (layout.num_rows, layout.num_lines - layout.num_rows)
        for at in range(layout.num_lines):
            kind = int(at >= layout.num_rows)
            index = at - kind * layout.num_rows
            if flipped >> kind & 1:
                index = sizes[kind] - 1 - index
            layout.goes[base + at] = index + (kind ^ turned) * layout.num_rows
            layout.runs[base + at] = flipped >> (1 - kind) & 1
