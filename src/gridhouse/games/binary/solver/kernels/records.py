"""The records that kernels run on: the board, its lines, the nodes of a search, its memory."""

from __future__ import annotations

from typing import NamedTuple

from gridhouse.core import position

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    Words = list[int]  # compiled, an array of 64-bit numbers

    class Entries(Protocol):
        """The entries of all lines; compiled, an array of records."""

        def __getitem__(self, index: int, /) -> Entry:
            """Return an entry."""


LOSS = 0
WIN = 1
UNKNOWN = -1

HEAP_MOVE = -1  # a move in the heap; any other is twice the cell and the digit
NONE = -1

MOST_CELLS = 63
MOST_LINES = 40
MOST_SHORT = 9  # cells of a line with a table
MOST_LONG = 20  # cells of a line without one
SYMMETRIES = 16
INVARIANTS = 6
LANE_WORDS = 4  # of small positions (``canonical_key``)
LABELS = 32
MOST_MOVES = 2 * MOST_CELLS
# More nogoods than a small position can have.  Of minimal nogoods of a line none contains another:
# in a row of nine cells and one of three that is 126 and 3 at most, and fewer in columns, for each
# digit.
MOST_NOGOODS = 512
MOST_PLIES = 160
SPARE = MOST_PLIES  # the node of the stack that every second child is made in

# Techniques, a bit each, that can be switched off to measure what they save.
COMPONENTS = 1
LOOKUP = 2
SYMMETRY = 4
ORDER = 8
STRUCTURE = 16
ALL = 31


class Layout(position.Position):
    """Where cells stand and what their lines are; a line's data for digit 1 follow digit 0's."""

    layout = position.field("int8")
    num_cells = position.field("int32")
    num_rows = position.field("int32")
    num_lines = position.field("int32")  # rows, then columns
    num_symmetries = position.field("int32")
    techniques = position.field("int32")
    depth_first_cells = position.field("int32")  # largest position without proof numbers
    row = position.field("int32", MOST_CELLS)
    col = position.field("int32", MOST_CELLS)
    row_step = position.field("int64", MOST_CELLS)  # a cell's power of three in its row's code
    col_step = position.field("int64", MOST_CELLS)
    lengths = position.field("int32", MOST_LINES)  # cells of a line
    nogood_base = position.field("int64")  # where the lists of nogoods begin in ``subsets``
    subset_base = position.field("int64", MOST_LINES)  # where a line's sets of cells begin there
    connected_base = position.field("int64", 2 * MOST_LINES)  # and its connected cells
    entry_base = position.field("int64", 2 * MOST_LINES)  # where its entries begin
    # Whether the key hashes the candidates themselves, or lines hash theirs.
    keys_candidates = position.field("int8")
    num_long = position.field("int32")  # lines without a table
    only_line = position.field("int32")  # 1 + the long line that has all cells, or 0
    cache_sizes = position.field("int32", 2 * MOST_LINES)  # entries kept of a long line, or 0
    spans = position.field("int32", MOST_LINES)  # cells of a long line with those left out
    fixed_stones = position.field("int64", 2 * MOST_LINES)  # its stones on cells left out
    places = position.field("int32", MOST_LINES * MOST_LONG)  # where its cells stand in it
    factors = position.field("int64", 2 * MOST_LINES)  # of lines' hashes in the key
    # Of each symmetry: does it transpose the board, exchange digits, and reverse (bit 0) the order
    # of rows or (bit 1) of columns; to which line a line goes, and is that read backwards.
    transposes = position.field("int32", SYMMETRIES)
    swaps_digits = position.field("int32", SYMMETRIES)
    flips = position.field("int32", SYMMETRIES)
    image_lines = position.field("int32", SYMMETRIES * MOST_LINES)
    is_reversed = position.field("int32", SYMMETRIES * MOST_LINES)


class Entry(position.Position):
    """The constraints of a code, as sets of the line's cells.

    ``forbidden`` are candidates that cannot take the digit any more, ``nogood_cells`` those in
    nogoods, if none is forbidden.  The hashes are of the line's future, read from either end.
    Nogoods of short lines are listed from ``first_nogood`` on.  Entries of long lines are those of
    ``code`` less one; bits of ``links`` connect cells with the next.
    """

    entry = position.field("int8")
    is_split = position.field("int8")  # do the nogoods fall apart into some without common cells
    forbidden = position.field("int32")
    nogood_cells = position.field("int32")
    forward_hash = position.field("int64")
    backward_hash = position.field("int64")
    first_nogood = position.field("int32")
    num_nogoods = position.field("int32")
    code = position.field("int64")
    links = position.field("int64")


class Line(position.Position):
    """A line for one digit: where its cells stand, the stones on other cells, and its limit."""

    line = position.field("int8")
    length = position.field("int32")  # with cells left out
    most_stones = position.field("int32")
    fixed_stones = position.field("int64")  # on cells left out
    num_cells = position.field("int32")
    entry_base = position.field("int64")  # where its entries begin
    connected_base = position.field("int64")  # where its connected cells begin
    keys_candidates = position.field("int8")  # if so, hashes leave candidates out
    places = position.field("int32", MOST_SHORT)  # where its cells stand in it


class Node(position.Position):
    """A position with its heap, and the state of the search of its moves.

    Data of a digit's lines follow those of the other.
    """

    node = position.field("int8")
    candidates = position.field("int64", 2)  # of each digit, the cells that can take it
    heap = position.field("int64")
    key = position.field("int64")
    static_outcome = position.field("int32")

    # The lines, and what was cached when they were last looked up.
    codes = position.field("int64", 2 * MOST_LINES)
    stale_lines = position.field("int64", 2)  # whose codes have changed since
    nogood_cells = position.field("int64", 2 * MOST_LINES)
    nogood_lines = position.field("int64", 2)  # that have nogoods
    split_lines = position.field("int64", 2)  # whose nogoods are not all connected
    forward_hashes = position.field("int64", 2 * MOST_LINES)
    backward_hashes = position.field("int64", 2 * MOST_LINES)
    hash_sum = position.field("int64")  # without symmetries
    invariants = position.field("int64", INVARIANTS)  # with symmetries

    # Minimal nogoods of a compact position; else, while it is divided, unions of connected ones.
    is_compact = position.field("int8")
    num_nogoods = position.field("int32")
    num_zero_nogoods = position.field("int32")
    nogoods = position.field("int64", MOST_NOGOODS)
    packed = position.field("int64", MOST_NOGOODS)  # scratch of ``canonical_key``
    lanes = position.field("int64", LANE_WORDS)
    labels = position.field("int64", LABELS)

    # Children that are still to be made, and the one that is made ahead.
    move = position.field("int32")  # that led here
    zeros_left = position.field("int64")
    ones_left = position.field("int64")
    next_heap = position.field("int64")
    killer = position.field("int32")  # the move that last won in this ply, or NONE
    first_move = position.field("int32")  # the killer, if it is to be made before all others
    has_next = position.field("int8")
    next_slot = position.field("int8")

    # The moves that are searched, and their children.
    num_moves = position.field("int32")
    moves = position.field("int32", MOST_MOVES)
    scores = position.field("int64", MOST_MOVES)
    child_keys = position.field("int64", MOST_MOVES)
    child_zeros = position.field("int64", MOST_MOVES)
    child_ones = position.field("int64", MOST_MOVES)
    child_heaps = position.field("int32", MOST_MOVES)
    current_move = position.field("int32")
    winning_move = position.field("int32")  # or NONE

    # Proof and disproof numbers of children.
    proofs = position.field("int64", MOST_MOVES)
    disproofs = position.field("int64", MOST_MOVES)
    best = position.field("int32")  # the move of the least disproof number
    least_disproof = position.field("int64")
    second_disproof = position.field("int64")
    greatest_proof = position.field("int64")
    num_open = position.field("int64")  # children that are not known to be won

    # Components of a position that falls apart.
    num_components = position.field("int32")
    component = position.field("int32")
    nimber = position.field("int64")  # at least, of the current component
    components = position.field("int64", MOST_CELLS)


class Control(position.Position):
    """Counters and limits of a thread's search; another thread may set ``stop``."""

    control = position.field("int8")
    stop = position.field("int8")
    nodes = position.field("int64")
    limit = position.field("int64")  # of nodes
    noise = position.field("int64")  # random scores are below it
    s0 = position.field("int64")  # the state of the random numbers (``core.chance``)
    s1 = position.field("int64")
    thread = position.field("int32")


class BoardTables(NamedTuple):
    """A board's layout and tables; long lines' entries are written to while searching.

    ``subsets`` holds, as masks of the board's cells, every set of each line's cells; then of every
    entry and cell the cells connected with it; then all nogoods, as sets of their line's cells.
    """

    layout: Layout
    entries: Entries
    subsets: Words


class Memory(NamedTuple):
    """The memory of a thread's search: a node for each ply and one more, and a shared table."""

    stack: Sequence[Node]
    board: BoardTables
    table: Words
    control: Control


class SharedNumbers(NamedTuple):
    """What threads share of proof-number search: a table of numbers, and the path of each thread.

    A path has the ``pn_key`` of the position that its thread searches at each ply, 0 for none.
    """

    table: Words
    paths: Words
