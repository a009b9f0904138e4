"""All ways of the empty cell up to some length, and what they do, compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

# What is noted of a way: its moves, packed, the last lowest; a mark of how it leaves the tiles; and
# how far it goes up, down, left and right.
WAY = 0
MARK = 1
BOX = 2
FIELDS = 6

NUM_MOVES = 4


def enumerate_walks(
    length: int, side: int, machine: Any, marks: Any, grid: Any, walk: Any, out: Any
) -> int:
    """Write the ways of just so many moves that a machine allows, in order; return their number.

    ``grid`` is a board of ``side`` by ``side`` cells with each tile on its own, and stays so;
    ``marks`` has by tile and cell a random number, and a way's mark is that of all tiles it moves.
    ``walk`` has room for states, cells and moves by depth.
    """
    states = walk[0]
    cells = walk[1]
    moves = walk[2]
    size = side * side
    start = size // 2
    middle = side // 2
    count = 0
    depth = 0
    way = 0
    mark = 0
    cells[0] = start
    states[0] = (1 << NUM_MOVES) - 1
    moves[0] = 0
    while depth >= 0:
        move = moves[depth]
        cell = cells[depth]
        if depth == length or move == NUM_MOVES:
            if depth == length:
                out[count, WAY] = way
                out[count, MARK] = mark ^ marks[start * size + cell]
                for field in range(BOX, FIELDS):
                    out[count, field] = 0
                for at in range(length + 1):
                    down = cells[at] // side - middle
                    right = cells[at] % side - middle
                    out[count, BOX] = max(out[count, BOX], -down)
                    out[count, BOX + 1] = max(out[count, BOX + 1], down)
                    out[count, BOX + 2] = max(out[count, BOX + 2], -right)
                    out[count, BOX + 3] = max(out[count, BOX + 3], right)
                count += 1
            depth -= 1
            if depth >= 0:
                way >>= 2
                there = cells[depth]
                tile = grid[there]
                mark ^= marks[tile * size + there] ^ marks[tile * size + cell]
                grid[cell] = tile
                grid[there] = start
            continue
        moves[depth] += 1
        if (states[depth] >> move) & 1 == 0:
            continue
        step = side if move < 2 else 1
        there = cell + step if move % 2 == 1 else cell - step
        tile = grid[there]
        mark ^= marks[tile * size + there] ^ marks[tile * size + cell]
        grid[cell] = tile
        grid[there] = start
        states[depth + 1] = machine[(states[depth] >> NUM_MOVES) * NUM_MOVES + move]
        depth += 1
        cells[depth] = there
        moves[depth] = 0
        way = way << 2 | move
    return count
