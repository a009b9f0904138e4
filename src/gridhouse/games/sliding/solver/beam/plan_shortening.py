"""Shorter ways between two positions of a solution: its windows solved again, compiled.

A window is a part of the way.  Its end is taken for a goal, and a depth-first search pruned by the
Manhattan distance looks for a way there of fewer moves; tiles that end where they began cost
nothing.  What that takes depends on the *slack*, the moves of the window beyond the distance
between its ends, so a window is as long as a given slack allows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gridhouse.core import position

if TYPE_CHECKING:
    from typing import Any

NUM_MOVES = 4
MOST = 250  # moves of a window
PERIOD = 31  # depths after which the order of moves repeats
LEAST = 2  # slack: no window with less can be shortened
GREATEST = 40
PARTS = 4  # the next window begins so much of a window later


class Job(position.Position):
    """A board, the way to shorten, and how much may be spent on it.

    ``at`` and ``blank`` are where the next window begins, ``length`` is the way's; no window is
    begun after so many ``nodes`` as ``until`` says, and none goes on.  ``salt`` varies the order in
    which moves are tried.
    """

    job = position.field("int8")
    stop = position.field("int8")
    cells = position.field("int64")
    length = position.field("int64")
    at = position.field("int64")
    blank = position.field("int64")
    slack = position.field("int64")
    salt = position.field("int64")
    until = position.field("int64")
    nodes = position.field("int64")


def extend(job: Any, near: Any, dist: Any, board: Any, path: Any, first: Any, home: Any) -> int:
    """Return how long the next window is; ``home`` gets by tile its cell at the end.

    ``first`` is room for by tile its cell at the beginning.
    """
    for cell in range(job.cells):
        first[board[cell]] = cell
        home[board[cell]] = cell
        board[job.cells + cell] = board[cell]
    blank = int(job.blank)
    extra = 0
    for count in range(min(MOST, job.length - job.at)):
        there = int(near[NUM_MOVES * blank + path[job.at + count]])
        tile = int(board[job.cells + there])
        row = first[tile] * job.cells
        # A move brings its tile one step away or back.
        extra += 1 - (int(dist[row + blank]) - int(dist[row + there]))
        if extra > job.slack:
            return count
        board[job.cells + blank] = tile
        board[job.cells + there] = 0
        home[tile] = blank
        home[0] = there
        blank = there
    rest: int = min(MOST, job.length - job.at)
    return rest


def twist(job: Any, depth: int) -> int:
    """Return what is flipped in the numbers of the moves of a depth, so that their order varies."""
    mask: int = (job.salt >> (2 * (depth % PERIOD))) & 3
    return mask


def seek(job: Any, near: Any, dist: Any, board: Any, home: Any, trail: Any, bound: int) -> int:
    """Return the number of moves of a way within the bound, -1 without one.

    ``trail`` gets the moves.  ``board`` is left anyhow.
    """
    cells = job.cells
    limit = job.until - job.nodes
    need = 0
    for cell in range(cells):
        tile = int(board[cell])
        if tile:
            need += int(dist[home[tile] * cells + cell])
    blank = int(job.blank)
    depth = 0
    nodes = 0
    trail[0] = 0
    while True:
        attempt = int(trail[depth])
        if attempt == NUM_MOVES:
            if depth == 0 or nodes > limit or job.stop:
                job.nodes += nodes
                return -1
            depth -= 1
            attempt = int(trail[depth])
            back = int(near[NUM_MOVES * blank + (attempt ^ twist(job, depth) ^ 1)])
            tile = int(board[back])
            row = home[tile] * cells
            need += int(dist[row + blank]) - int(dist[row + back])
            board[blank] = tile
            board[back] = 0
            blank = back
            trail[depth] = attempt + 1
            continue
        move = attempt ^ twist(job, depth)
        there = int(near[NUM_MOVES * blank + move])
        if there < 0 or (depth > 0 and move == trail[depth - 1] ^ twist(job, depth - 1) ^ 1):
            trail[depth] = attempt + 1
            continue
        nodes += 1
        tile = int(board[there])
        row = home[tile] * cells
        after = need + int(dist[row + blank]) - int(dist[row + there])
        if depth + 1 + after > bound:
            trail[depth] = attempt + 1
            continue
        need = after
        board[blank] = tile
        board[there] = 0
        blank = there
        depth += 1
        if need == 0:
            job.nodes += nodes
            for at in range(depth):
                trail[at] ^= twist(job, at)
            return depth
        trail[depth] = 0


def go(job: Any, near: Any, board: Any, path: Any, moves: int) -> None:
    """Walk on along the way."""
    for at in range(job.at, job.at + moves):
        there = int(near[NUM_MOVES * job.blank + path[at]])
        board[job.blank] = board[there]
        board[there] = 0
        job.blank = there
    job.at += moves


def sweep(
    jobs: Any, near: Any, dist: Any, board: Any, path: Any, first: Any, home: Any, trail: Any
) -> int:
    """Shorten windows from the way's beginning to its end; return how many moves that saved.

    ``board`` begins with the position before the way and has room for two more.  ``near`` is by
    cell and move where the empty cell comes to, ``dist`` by two cells the steps between them.
    """
    job = jobs[0]
    before = job.length
    cells = job.cells
    while job.at < job.length and not job.stop and job.nodes < job.until:
        length = extend(job, near, dist, board, path, first, home)
        for cell in range(cells):
            board[2 * cells + cell] = board[cell]
        found = seek(job, near, dist, board, home, trail, length - 2)
        for cell in range(cells):
            board[cell] = board[2 * cells + cell]
        if found >= 0:
            for at in range(found):
                path[job.at + at] = trail[at]
            saved = length - found
            for at in range(job.at + found, job.length - saved):
                path[at] = path[at + saved]
            job.length -= saved
            continue
        go(job, near, board, path, max(1, length // PARTS))
    saved_moves: int = before - job.length
    return saved_moves
