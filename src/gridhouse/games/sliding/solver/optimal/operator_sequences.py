"""The kernel that enumerates operator sequences: moves of the empty cell, and their effects."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np

# Columns of the output: the moves, packed, the last one lowest; a hash of the arrangement of the
# tiles; and how far the empty cell goes up, down, left and right.
MOVES = 0
HASH = 1
BOX = 2
NUM_COLUMNS = 6

NUM_MOVES = 4


class Memory(NamedTuple):
    """What an enumeration works on.

    ``automaton`` says which moves may follow.  ``keys`` is by tile and cell a random number, and a
    hash that of all tiles that were moved.  ``grid`` is a square board with each tile on its own
    cell, and is left so.  By depth: ``states`` of the automaton, ``cells`` of the empty one, and
    ``moves`` that are tried next.
    """

    automaton: np.ndarray
    keys: np.ndarray
    grid: np.ndarray
    states: np.ndarray
    cells: np.ndarray
    moves: np.ndarray


def swap(memory: Memory, blank: int, cell: int) -> int:
    """Exchange the empty cell with a tile and return the change of the hash."""
    size = len(memory.grid)
    tile = memory.grid[cell]
    memory.grid[cell] = memory.grid[blank]
    memory.grid[blank] = tile
    return int(memory.keys[tile * size + cell] ^ memory.keys[tile * size + blank])


def write_sequence(memory: Memory, length: int, side: int, row: np.ndarray) -> None:
    """Write the box of a sequence into its row of the output."""
    middle = side // 2
    for column in range(BOX, NUM_COLUMNS):
        row[column] = 0
    for depth in range(length + 1):
        down = memory.cells[depth] // side - middle
        right = memory.cells[depth] % side - middle
        row[BOX] = max(row[BOX], -down)
        row[BOX + 1] = max(row[BOX + 1], down)
        row[BOX + 2] = max(row[BOX + 2], -right)
        row[BOX + 3] = max(row[BOX + 3], right)


def enumerate_sequences(memory: Memory, length: int, side: int, out: np.ndarray) -> int:
    """Write all allowed sequences of ``length`` moves, in order; return their number.

    The board has ``side`` rows and columns.
    """
    states = memory.states
    cells = memory.cells
    moves = memory.moves
    start = side * side // 2
    count = 0
    depth = 0
    packed = 0
    code = 0
    cells[0] = start
    states[0] = (1 << NUM_MOVES) - 1
    moves[0] = 0
    while depth >= 0:
        cell = cells[depth]
        if depth == length:
            out[count, MOVES] = packed
            out[count, HASH] = code ^ memory.keys[start * side * side + cell]
            write_sequence(memory, length, side, out[count])
            count += 1
        move = moves[depth]
        if depth == length or move == NUM_MOVES:
            depth -= 1
            if depth >= 0:
                packed >>= 2
                code ^= swap(memory, cell, cells[depth])
            continue
        moves[depth] += 1
        if (states[depth] >> move) & 1 == 0:
            continue
        step = side if move < 2 else 1
        target = cell + step if move % 2 == 1 else cell - step
        code ^= swap(memory, cell, target)
        states[depth + 1] = memory.automaton[(states[depth] >> NUM_MOVES) * NUM_MOVES + move]
        depth += 1
        cells[depth] = target
        moves[depth] = 0
        packed = packed << 2 | move
    return count
