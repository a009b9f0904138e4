"""Encoding a position for the search: its cells as bits of a word, its lines in tables."""

from __future__ import annotations

from bisect import bisect_right

from gridhouse.core import chance
from gridhouse.core.errors import SolverError
from gridhouse.games.binary import rules
from gridhouse.games.binary.solver.kernels import line_tables
from gridhouse.games.binary.solver.kernels.records import (
    ALL,
    MOST_CELLS,
    MOST_LINES,
    MOST_LONG,
    MOST_SHORT,
    SYMMETRIES,
    BoardTables,
    Entry,
    Layout,
    Line,
    Node,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gridhouse.games.binary.rules import Position
    from gridhouse.games.binary.solver.backend import Backend

    Cell = tuple[int, int]
    Cells = list[Cell]

# Up to this side, and with no more digits on it, a board keeps cells that take no digit, so that
# symmetries are seen: later they save less than they cost.
MOST_SYMMETRIC_SIDE = 9
MOST_SYMMETRIC_DIGITS = 2
LONG_LINE_CACHE = 65521  # entries kept of a long line
INTERPRETED_CACHE = 251  # the same for interpreted kernels
ENDLESS = 1 << 24


class TooLargeError(SolverError):
    """A position has more cells that can take a digit than the search has bits for."""


class _Appended(list):  # type: ignore[type-arg]  # which Python 3.8 cannot name
    """A list that looks long enough for any index, and appends what is written to it."""

    def __len__(self) -> int:
        """Return a length that is never reached."""
        return ENDLESS

    def __setitem__(self, index: Any, value: Any) -> None:
        """Append a value."""
        del index
        self.append(value)


class LazyEntries:
    """The entries of all lines for interpreted kernels, each made when it is first read."""

    def __init__(self, lines: list[Line], subsets: list[int], connected_base: int) -> None:
        """Take kinds of lines in the order of their entries, and the array of sets of cells."""
        self._lines = lines
        self._bases = [line.entry_base for line in lines]
        self._subsets = subsets
        self._connected_base = connected_base
        self._nogood_base = len(subsets)
        self._entries: dict[int, Entry] = {}

    def __getitem__(self, index: int) -> Entry:
        """Return an entry."""
        entry = self._entries.get(index)
        if entry is None:
            line = self._lines[bisect_right(self._bases, index) - 1]
            entry = self._entries[index] = Entry()
            if line.num_cells > MOST_SHORT:
                return entry
            found = _Appended()
            code = index - line.entry_base
            line_tables.fill_entry(line, entry, code, self._subsets, self._connected_base, found)
            entry.first_nogood = len(self._subsets) - self._nogood_base
            self._subsets.extend(found)
        return entry


class Board:
    """An encoded position: the tables for the kernels, and the way back to the game's moves."""

    def __init__(self, state: Position, backend: Backend, *, most: int | None = None) -> None:
        """Encode a position; ``most`` limits the sets of cells that tables are made from.

        Raises TooLargeError, for a position with too many cells or too large tables.
        """
        self.backend = backend
        self._most = most
        self.rows = state.rows
        self.cols = state.cols
        self.grid = [[rules.digit_at(state, x, y) for x in range(self.cols)] for y in self._ys]
        self.candidates = [self._candidates_of(state, digit) for digit in range(2)]
        playable = self.candidates[0] | self.candidates[1]
        digits = sum(digit >= 0 for line in self.grid for digit in line)
        self.is_whole = (
            digits <= MOST_SYMMETRIC_DIGITS
            and max(self.rows, self.cols) <= MOST_SYMMETRIC_SIDE
            and self.rows * self.cols <= MOST_CELLS
        )
        everything = [(y, x) for y in self._ys for x in range(self.cols)]
        self.cells = [cell for cell in everything if self.is_whole or cell in playable]
        if len(self.cells) > MOST_CELLS:
            raise TooLargeError(f"{len(self.cells)} cells are open, more than {MOST_CELLS}")
        self.number = {cell: number for number, cell in enumerate(self.cells)}
        self.has_long_lines = False  # whose entries are written to while searching
        self.layout: Layout = backend.records(Layout)[0]
        self.start: Node = backend.records(Node)[0]
        self.tables = self._encode()

    @property
    def _ys(self) -> range:
        return range(self.rows)

    def _candidates_of(self, state: Position, digit: int) -> set[Cell]:
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

    def _encode(self) -> BoardTables:
        """Fill the layout and the first node; return the tables."""
        layout = self.layout
        across: dict[int, Cells] = {}
        down: dict[int, Cells] = {}
        for y, x in self.cells:
            across.setdefault(y, []).append((y, x))
            down.setdefault(x, []).append((y, x))
        lines = [across[y] for y in sorted(across)] + [down[x] for x in sorted(down)]
        layout.num_cells = len(self.cells)
        layout.num_rows = len(across)
        layout.num_lines = len(lines)
        layout.techniques = ALL
        layout.keys_candidates = not self.is_whole
        for at, line in enumerate(lines):
            self._set_steps(at, line, is_row=at < len(across))
        tables = self._make_tables(lines)
        self._set_symmetries()
        for at in range(2 * MOST_LINES):
            layout.factors[at] = chance.zobrist(at) | 1
        self._set_start(lines)
        return tables

    def _set_steps(self, at: int, line: Cells, *, is_row: bool) -> None:
        """Set the line of its cells, and their powers of three in its code."""
        layout = self.layout
        layout.lengths[at] = len(line)
        for place, cell in enumerate(line):
            number = self.number[cell]
            if is_row:
                layout.row[number] = at
                layout.row_step[number] = 3**place
            else:
                layout.col[number] = at
                layout.col_step[number] = 3**place

    def _describe(self, line: Cells, digit: int, *, is_row: bool) -> tuple[int, int, list[int]]:
        """Return a line's length, its stones on cells left out, and the places of its cells."""
        y, x = line[0]
        places = [cell[1] if is_row else cell[0] for cell in line]
        length = self.cols if is_row else self.rows
        stones = 0
        for place in range(length):
            found = self.grid[y][place] if is_row else self.grid[place][x]
            if found == digit and place not in places:
                stones |= 1 << place
        return length, stones, places

    def _make_tables(self, lines: list[Cells]) -> BoardTables:
        """Make a table for every kind of line, and caches for long lines."""
        layout = self.layout
        kinds: dict[str, Line] = {}
        sizes = [0, 0]
        work = 0
        for at, line in enumerate(lines):
            for digit in range(2):
                length, stones, places = self._describe(line, digit, is_row=at < layout.num_rows)
                name = f"{length} {stones} {places}"
                place = digit * MOST_LINES + at
                if len(places) > MOST_SHORT:
                    self.has_long_lines = True
                    name = str(place)  # a cache of its own
                    self._set_long_line(at, digit, length, stones, places)
                if name not in kinds:
                    work += 4 ** min(len(places), MOST_SHORT)
                    if self._most is not None and work > self._most:
                        raise TooLargeError("tables of its lines would take too long")
                    kinds[name] = self._new_kind(length, stones, places, sizes)
                layout.entry_base[place] = kinds[name].entry_base
                layout.connected_base[place] = kinds[name].connected_base
        return self._fill(lines, list(kinds.values()), sizes)

    def _set_long_line(
        self, at: int, digit: int, length: int, stones: int, places: list[int]
    ) -> None:
        """Set what the entries of a long line are computed from."""
        layout = self.layout
        layout.num_long += 1
        if layout.lengths[at] == layout.num_cells:
            layout.only_line = 1 + at
        layout.spans[at] = length
        layout.fixed_stones[digit * MOST_LINES + at] = stones
        layout.cache_sizes[digit * MOST_LINES + at] = self._cache_size
        for cell, place in enumerate(places):
            layout.places[at * MOST_LONG + cell] = place

    @property
    def _cache_size(self) -> int:
        return LONG_LINE_CACHE if self.backend.jit else INTERPRETED_CACHE

    def _new_kind(self, length: int, stones: int, places: list[int], sizes: list[int]) -> Line:
        """Return a new kind of line; ``sizes`` count entries and connected cells so far."""
        record: Line = self.backend.records(Line)[0]
        record.length = length
        record.most_stones = (length + 1) // 2
        record.fixed_stones = stones
        record.keys_candidates = self.layout.keys_candidates
        record.num_cells = len(places)
        record.entry_base, record.connected_base = sizes
        if len(places) > MOST_SHORT:
            sizes[0] += self._cache_size
            return record
        for i, place in enumerate(places):
            record.places[i] = place
        sizes[0] += 3 ** len(places)
        sizes[1] += 3 ** len(places) * len(places)
        return record

    def _fill(self, lines: list[Cells], kinds: list[Line], sizes: list[int]) -> BoardTables:
        """Fill the tables, or have them filled as they are read."""
        layout, backend = self.layout, self.backend
        subsets: list[Any] = []
        used = 0
        for at, line in enumerate(lines):
            layout.subset_base[at] = used
            subsets.append(self._subsets(line))
            used += len(subsets[-1])
        for place in range(2 * MOST_LINES):
            layout.connected_base[place] += used
        layout.nogood_base = used + sizes[1]
        if not backend.jit:
            flat: Any = [cells for each in subsets for cells in each] + [0] * sizes[1]
            return BoardTables(layout, LazyEntries(kinds, flat, used), flat)
        import numpy as np

        entries = backend.records(Entry, max(1, sizes[0]))
        connected = backend.words(sizes[1])
        count = self._fill_all(kinds, entries, connected, backend.words(0))
        nogoods = backend.words(count)
        self._fill_all(kinds, entries, connected, nogoods)
        flat = np.concatenate([*subsets, connected, nogoods])
        return BoardTables(layout, entries, flat)

    def _subsets(self, line: Cells) -> Any:
        """Return every set of a line's cells as a set of the board's cells."""
        sets = self.backend.words(1 << len(line))
        for place, cell in enumerate(line):
            half = 1 << place
            if self.backend.jit:
                sets[half : 2 * half] = sets[:half] | 1 << self.number[cell]
            else:
                sets[half : 2 * half] = [cells | 1 << self.number[cell] for cells in sets[:half]]
        return sets

    def _fill_all(self, kinds: list[Line], entries: Any, connected: Any, nogoods: Any) -> int:
        """Fill the entries of all short lines; return how many nogoods they have."""
        used = 0
        for line in kinds:
            if line.num_cells <= MOST_SHORT:
                used = self.backend.line_tables.fill_table(line, entries, connected, nogoods, used)
        return used

    def _set_start(self, lines: list[Cells]) -> None:
        """Set the candidates and the codes of lines of the first node."""
        node = self.start
        for digit in range(2):
            node.stale_lines[digit] = (1 << len(lines)) - 1
            for cell in self.candidates[digit]:
                node.candidates[digit] |= 1 << self.number[cell]
            for at, line in enumerate(lines):
                for place, (y, x) in enumerate(line):
                    state = 2 if (y, x) in self.candidates[digit] else int(self.grid[y][x] == digit)
                    node.codes[digit * MOST_LINES + at] += state * 3**place

    def _set_symmetries(self) -> None:
        """Set the symmetries of the board: of rows, of columns, of digits, and of both sides."""
        layout = self.layout
        layout.num_symmetries = 1
        if self.is_whole:
            turns = 2 if self.rows == self.cols else 1
            layout.num_symmetries = turns * SYMMETRIES // 2
        for symmetry in range(layout.num_symmetries):
            layout.transposes[symmetry] = symmetry >> 3
            layout.swaps_digits[symmetry] = symmetry >> 2 & 1
            layout.flips[symmetry] = symmetry & 3
            self._set_images(symmetry, transposes=symmetry >> 3, flips=symmetry & 3)

    def _set_images(self, symmetry: int, *, transposes: int, flips: int) -> None:
        """Set to which lines a symmetry maps lines: it flips the board, then transposes it."""
        layout = self.layout
        base = symmetry * MOST_LINES
        sizes = (layout.num_rows, layout.num_lines - layout.num_rows)
        for at in range(layout.num_lines):
            kind = int(at >= layout.num_rows)
            index = at - kind * layout.num_rows
            if flips >> kind & 1:
                index = sizes[kind] - 1 - index
            layout.image_lines[base + at] = index + (kind ^ transposes) * layout.num_rows
            layout.is_reversed[base + at] = flips >> (1 - kind) & 1
