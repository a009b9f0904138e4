"""Kernels that shorten a solution: windows of it are solved again.

A window is a part of the path.  Its end is taken for a goal, and a depth-first search pruned by the
Manhattan distance looks for a path there of fewer moves; tiles that end where they began cost
nothing.  The cost of that depends on the *slack*, the moves of the window beyond the distance
between its ends, so a window is as long as a given slack allows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gridhouse.core import position

if TYPE_CHECKING:
    import numpy as np

NUM_MOVES = 4
MAX_WINDOW = 250  # moves
PERIOD = 31  # depths after which the order of moves repeats
MIN_SLACK = 2  # no window with less can be shortened
MAX_SLACK = 40
OVERLAP = 4  # the next window begins after this fraction of the last one
NOT_FOUND = -1


class Job(position.Position):
    """The state of a run over a path.

    The next window begins at the move ``at`` with the empty cell on ``blank``; the path has
    ``length`` moves.  The run ends after ``node_limit`` nodes.  ``move_order`` varies the order in
    which moves are tried, by two bits a depth.
    """

    job = position.field("int8")
    stop = position.field("int8")
    cells = position.field("int64")
    length = position.field("int64")
    at = position.field("int64")
    blank = position.field("int64")
    slack = position.field("int64")
    move_order = position.field("int64")
    node_limit = position.field("int64")
    nodes = position.field("int64")


class Memory(NamedTuple):
    """What a run works on; ``job`` is an array of one record.

    ``neighbour`` is by cell and move the cell there, -1 for none; ``distance`` is by two cells the
    steps between them.  ``board`` begins with the position before the path and has room for two
    more.  By tile: ``start``, its cell at the beginning of the window, and ``goal``, that at its
    end.  ``tried`` is by depth the move that is tried, and then the path that was found.
    """

    job: np.ndarray
    neighbour: np.ndarray
    distance: np.ndarray
    board: np.ndarray
    path: np.ndarray
    start: np.ndarray
    goal: np.ndarray
    tried: np.ndarray


def measure_window(memory: Memory) -> int:
    """Return the length of the next window; ``goal`` gets the cells of the tiles at its end."""
    job: Job = memory.job[0]
    board = memory.board
    for cell in range(job.cells):
        memory.start[board[cell]] = cell
        memory.goal[board[cell]] = cell
        board[job.cells + cell] = board[cell]
    blank = int(job.blank)
    slack = 0
    longest: int = min(MAX_WINDOW, job.length - job.at)
    for count in range(longest):
        target = int(memory.neighbour[NUM_MOVES * blank + memory.path[job.at + count]])
        tile = int(board[job.cells + target])
        row = memory.start[tile] * job.cells
        # A move brings its tile one step away or back.
        slack += 1 - (int(memory.distance[row + blank]) - int(memory.distance[row + target]))
        if slack > job.slack:
            return count
        board[job.cells + blank] = tile
        board[job.cells + target] = 0
        memory.goal[tile] = blank
        memory.goal[0] = target
        blank = target
    return longest


def move_at(job: Job, depth: int, number: int) -> int:
    """Return the move that is tried as that number at a depth; and the number of a move."""
    move: int = number ^ ((job.move_order >> (2 * (depth % PERIOD))) & 3)
    return move


def search_window(memory: Memory, bound: int) -> int:
    """Return the moves of a path to the window's end within the bound, or NOT_FOUND.

    ``tried`` gets the path.  The board is not restored.
    """
    job: Job = memory.job[0]
    neighbour = memory.neighbour
    distance = memory.distance
    board = memory.board
    goal = memory.goal
    tried = memory.tried
    cells = job.cells
    nodes_left = job.node_limit - job.nodes
    h = 0
    for cell in range(cells):
        tile = int(board[cell])
        if tile:
            h += int(distance[goal[tile] * cells + cell])
    blank = int(job.blank)
    depth = 0
    nodes = 0
    last_move = NUM_MOVES
    tried[0] = 0
    while True:
        number = int(tried[depth])
        if number == NUM_MOVES:
            if depth == 0 or nodes > nodes_left or job.stop:
                job.nodes += nodes
                return NOT_FOUND
            depth -= 1
            number = int(tried[depth])
            before = int(neighbour[NUM_MOVES * blank + (move_at(job, depth, number) ^ 1)])
            tile = int(board[before])
            row = goal[tile] * cells
            h += int(distance[row + blank]) - int(distance[row + before])
            board[blank] = tile
            board[before] = 0
            blank = before
            tried[depth] = number + 1
            last_move = NUM_MOVES if depth == 0 else move_at(job, depth - 1, int(tried[depth - 1]))
            continue
        move = move_at(job, depth, number)
        target = int(neighbour[NUM_MOVES * blank + move])
        if target < 0 or move == last_move ^ 1:
            tried[depth] = number + 1
            continue
        nodes += 1
        tile = int(board[target])
        row = goal[tile] * cells
        child_h = h + int(distance[row + blank]) - int(distance[row + target])
        if depth + 1 + child_h > bound:
            tried[depth] = number + 1
            continue
        h = child_h
        board[blank] = tile
        board[target] = 0
        blank = target
        last_move = move
        depth += 1
        if h == 0:
            job.nodes += nodes
            for at in range(depth):
                tried[at] = move_at(job, at, int(tried[at]))
            return depth
        tried[depth] = 0


def skip_moves(memory: Memory, moves: int) -> None:
    """Move the beginning of the next window on along the path."""
    job: Job = memory.job[0]
    board = memory.board
    for at in range(job.at, job.at + moves):
        target = int(memory.neighbour[NUM_MOVES * job.blank + memory.path[at]])
        board[job.blank] = board[target]
        board[target] = 0
        job.blank = target
    job.at += moves


def shorten(memory: Memory) -> int:
    """Shorten windows from the beginning of the path to its end; return the moves saved."""
    job: Job = memory.job[0]
    board = memory.board
    path = memory.path
    length_before = job.length
    cells = job.cells
    while job.at < job.length and not job.stop and job.nodes < job.node_limit:
        length = measure_window(memory)
        for cell in range(cells):
            board[2 * cells + cell] = board[cell]
        found = search_window(memory, length - 2)
        for cell in range(cells):
            board[cell] = board[2 * cells + cell]
        if found == NOT_FOUND:
            skip_moves(memory, max(1, length // OVERLAP))
            continue
        for at in range(found):
            path[job.at + at] = memory.tried[at]
        saved = length - found
        for at in range(job.at + found, job.length - saved):
            path[at] = path[at + saved]
        job.length -= saved
    return int(length_before - job.length)
