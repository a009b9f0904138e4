"""Shortest solutions that are soon found: breadth-first search from both ends, not compiled.

It needs nothing but Python, so the answer is there before compiled code would be loaded.  Letters
are not numbered, so all ways to share out equal ones are one.  The smallest boards are always
solved, larger ones where they are a few moves from their solution.
"""

from __future__ import annotations

from gridhouse.games.sliding.solver.puzzle import backwards, neighbours

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gridhouse.games.sliding.solver.puzzle import Puzzle

Seen = dict[bytes, tuple[bytes, int]]  # by position the one before and the move from there

CELLS = 9  # 181440 positions of distinct tiles, some 20000 of which are looked at in the worst case
LARGEST = 256  # cells, which a byte tells apart
STEPS = 20  # of all tiles home on a larger board: with more there is little hope to be done within
NODES = 10_000  # moves looked at, which take some 0.01 s


def shortest(puzzle: Puzzle) -> tuple[list[int], int]:
    """Return the moves of a shortest solution of a puzzle that has one, and the moves looked at.

    None are returned where a larger board would take more than a moment.
    """
    is_small = puzzle.cells <= CELLS
    if not is_small and (puzzle.cells > LARGEST or steps(puzzle) > STEPS):
        return [], 0
    near = neighbours(puzzle.rows, puzzle.cols)
    first = bytes(puzzle.kinds[tile] for tile in puzzle.tiles)
    last = bytes([*puzzle.kinds[1:], 0])
    here: Seen = {first: (b"", -1)}
    there: Seen = {last: (b"", -1)}
    edge, other_edge = [first], [last]
    meeting = first if first == last else None
    nodes = 0
    while meeting is None:
        if not is_small and nodes >= NODES:
            return [], nodes
        is_forward = len(edge) <= len(other_edge)
        if is_forward:
            edge, meeting, looked = _step(near, edge, here, there)
        else:
            other_edge, meeting, looked = _step(near, other_edge, there, here)
        nodes += looked
    return _way(here, meeting) + backwards(_way(there, meeting)), nodes


def steps(puzzle: Puzzle) -> int:
    """Return how many steps all tiles are from their nearest homes, which no solution is below."""
    cols = puzzle.cols
    homes: dict[int, list[tuple[int, int]]] = {}
    for home, tile in enumerate(puzzle.goal()):
        homes.setdefault(puzzle.kinds[tile], []).append(divmod(home, cols))
    found = 0
    for cell, tile in enumerate(puzzle.tiles):
        row, col = divmod(cell, cols)
        if tile:
            found += min(abs(row - r) + abs(col - c) for r, c in homes[puzzle.kinds[tile]])
    return found


def _step(
    near: list[list[int]], edge: list[bytes], seen: Seen, met: Seen
) -> tuple[list[bytes], bytes | None, int]:
    """Return the positions one move on, the first that the search from the other end has met."""
    wider: list[bytes] = []
    nodes = 0
    for position in edge:
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
            if moved in met:
                return wider, moved, nodes
            wider.append(moved)
    return wider, None, nodes


def _way(seen: Seen, position: bytes) -> list[int]:
    """Return the moves that led to a position."""
    moves: list[int] = []
    while True:
        before, move = seen[position]
        if move < 0:
            return moves[::-1]
        moves.append(move)
        position = before
