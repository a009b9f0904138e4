"""Bidirectional breadth-first search for a shortest solution, in plain Python.

It answers before compiled code would be loaded.  Positions are strings of tile classes, so all
assignments of equal tiles are one.  The smallest boards are always solved, larger ones where they
are a few moves from their solution.
"""

from __future__ import annotations

from gridhouse.games.sliding.solver.puzzle import inverted, neighbours

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gridhouse.games.sliding.solver.puzzle import Puzzle

Seen = dict[bytes, tuple[bytes, int]]  # by position its parent and the move from there

SMALL_CELLS = 9  # 181440 positions of distinct tiles; some 20000 are looked at in the worst case
MAX_CELLS = 256  # cells that a byte tells apart
MAX_DISTANCE = 20  # Manhattan, on a larger board: beyond it there is little hope of an answer
MAX_NODES = 10_000  # moves looked at, which take some 0.01 s


def shortest(puzzle: Puzzle) -> tuple[list[int], int]:
    """Return the moves of a shortest solution, and the number of moves looked at.

    The puzzle must be solvable, and not be solved.  No moves are returned if a board larger than
    ``SMALL_CELLS`` would take more than a moment.
    """
    is_small = puzzle.cells <= SMALL_CELLS
    if not is_small and (puzzle.cells > MAX_CELLS or manhattan_distance(puzzle) > MAX_DISTANCE):
        return [], 0
    near = neighbours(puzzle.rows, puzzle.cols)
    first = bytes(puzzle.tile_classes[tile] for tile in puzzle.tiles)
    last = bytes([*puzzle.tile_classes[1:], 0])
    here: Seen = {first: (b"", -1)}
    there: Seen = {last: (b"", -1)}
    frontier, other_frontier = [first], [last]
    meeting = first if first == last else None
    nodes = 0
    while meeting is None:
        if not is_small and nodes >= MAX_NODES:
            return [], nodes
        is_forward = len(frontier) <= len(other_frontier)
        if is_forward:
            frontier, meeting, looked = _expand_frontier(near, frontier, here, there)
        else:
            other_frontier, meeting, looked = _expand_frontier(near, other_frontier, there, here)
        nodes += looked
    return _path_to(here, meeting) + inverted(_path_to(there, meeting)), nodes


def manhattan_distance(puzzle: Puzzle) -> int:
    """Return the Manhattan distance of all tiles from their nearest homes, a lower bound."""
    cols = puzzle.cols
    homes: dict[int, list[tuple[int, int]]] = {}
    for home, tile in enumerate(puzzle.goal()):
        homes.setdefault(puzzle.tile_classes[tile], []).append(divmod(home, cols))
    found = 0
    for cell, tile in enumerate(puzzle.tiles):
        row, col = divmod(cell, cols)
        if tile:
            own = homes[puzzle.tile_classes[tile]]
            found += min(abs(row - r) + abs(col - c) for r, c in own)
    return found


def _expand_frontier(
    near: list[list[int]], frontier: list[bytes], seen: Seen, others: Seen
) -> tuple[list[bytes], bytes | None, int]:
    """Return the next frontier, the position where the searches met, if any, and the moves made."""
    wider: list[bytes] = []
    nodes = 0
    for position in frontier:
        blank = position.index(0)
        for move, there in enumerate(near[blank]):
            if there < 0:
                continue
            nodes += 1
            tiles = bytearray(position)
            tiles[blank], tiles[there] = tiles[there], 0
            moved = bytes(tiles)
            if moved in seen:
                continue
            seen[moved] = (position, move)
            if moved in others:
                return wider, moved, nodes
            wider.append(moved)
    return wider, None, nodes


def _path_to(seen: Seen, position: bytes) -> list[int]:
    """Return the moves that led to a position."""
    moves: list[int] = []
    while True:
        before, move = seen[position]
        if move < 0:
            return moves[::-1]
        moves.append(move)
        position = before
