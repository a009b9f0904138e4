"""Kernels of iterative-deepening A* (Korf, 1985) over sums of pattern databases.

A position needs at least as many moves as the view with the largest sum says.  A move changes one
index a view, so it costs one lookup a view; whether the empty cell's place costs more is in the
bits of entries already read.

Loops over views and patterns are short and the search spends its time in them, so the kernels are
compiled for one number of each.  The entries of all children of a node are prefetched together.

An *automaton* reads the moves and rejects redundant ones (``duplicate_pruning``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gridhouse.core import bits, position
from gridhouse.games.sliding.solver.databases.heuristic import (
    MAX_CELLS,
    MAX_PATTERNS,
    MAX_VIEWS,
    MOVE_SETS,
    NUM_MOVES,
    PACKED_BITS,
)
from gridhouse.games.sliding.solver.databases.retrograde import rank_of

if TYPE_CHECKING:
    import numpy as np

    from gridhouse.games.sliding.solver.databases.heuristic import HeuristicLayout

MAX_DEPTH = 512
NO_MOVE = NUM_MOVES  # no move was made before
PACKED_MASK = (1 << PACKED_BITS) - 1
STOP_INTERVAL = 1024  # nodes between two looks at the flag

# Of the layouts that ``search_to_bound`` is specialized for; ``load_root`` does for all layouts.
VIEWS = 1
PATTERNS = 1
HAS_EQUAL_TILES = 0

FOUND = 1
EXHAUSTED = 0
STOPPED = -1


class Frame(position.Position):
    """A node on the path: the empty cell, the automaton's state, the moves left to try.

    Of the move that is tried: ``tile``, ``target``, the cell that it leaves, and ``rank_change``,
    by how much it raises the rank of its tile class.  By view: ``index`` and ``entry`` of the
    tile's pattern before the move and after it.
    """

    frame = position.field("int8")
    blank = position.field("int64")
    state = position.field("int64")
    untried = position.field("int64")
    tile = position.field("int64")
    target = position.field("int64")
    rank_change = position.field("int64")
    index = position.field("int64", MAX_VIEWS)
    entry = position.field("int64", MAX_VIEWS)
    next_index = position.field("int64", MAX_VIEWS)
    next_entry = position.field("int64", MAX_VIEWS)


class SearchState(position.Position):
    """A search from a root: its bound, the current position, and the path found.

    The root is ``root_depth`` moves from the puzzle, the last of them ``last_move``; ``bound``
    counts from the puzzle.  ``path`` holds ``length`` moves from the root on.  By slot: ``index``
    and ``entry``.  By tile class, if some tiles are equal: ``cells``, where its tiles are, as bits,
    and their ``rank``.  Another thread may set ``stop`` at any time.
    """

    search = position.field("int8")
    stop = position.field("int8")
    blank = position.field("int64")
    last_move = position.field("int64")
    root_depth = position.field("int64")
    bound = position.field("int64")
    nodes = position.field("int64")
    node_limit = position.field("int64")
    length = position.field("int64")
    tiles = position.field("int64", MAX_CELLS)
    index = position.field("int64", MAX_VIEWS * MAX_PATTERNS)
    entry = position.field("int64", MAX_VIEWS * MAX_PATTERNS)
    cells = position.field("int64", MAX_CELLS)
    rank = position.field("int64", MAX_CELLS)
    path = position.field("int8", MAX_DEPTH)


def load_root(layouts: np.ndarray, entries: np.ndarray, searches: np.ndarray) -> int:
    """Read the entries of the root and return its heuristic value."""
    layout: HeuristicLayout = layouts[0]
    search: SearchState = searches[0]
    for slot in range(layout.views * layout.patterns):
        search.index[slot] = layout.origin[slot]
    for tile_class in range(layout.cells):
        search.cells[tile_class] = 0
        search.rank[tile_class] = 0
    for cell in range(layout.cells):
        tile = search.tiles[cell]
        if tile == 0:
            continue
        tile_class = layout.tile_class[tile]
        search.cells[tile_class] |= 1 << cell
        added = 0
        if layout.has_equal_tiles:
            cells = search.cells[tile_class]
            rank = rank_of(entries, layout.ranks, layout.chunk, layout.rank_rows, cells)
            added = rank - search.rank[tile_class]
            search.rank[tile_class] += added
        for view in range(layout.views):
            at = view * MAX_CELLS
            digit = added if layout.has_equal_tiles else layout.image[at + cell]
            search.index[layout.slot[at + tile]] += layout.weight[at + tile] * digit
    h = 0
    for view in range(layout.views):
        total = 0
        blank = layout.image[view * MAX_CELLS + search.blank]
        for slot in range(view * layout.patterns, (view + 1) * layout.patterns):
            entry = int(entries[search.index[slot]])
            search.entry[slot] = entry
            total += (entry >> layout.moves_shift) + ((entry >> blank) & 1) * layout.region_penalty
        h = max(h, total)
    return h


def rank_change_of(
    layout: HeuristicLayout, entries: np.ndarray, search: SearchState, tile: int, changed: int
) -> int:
    """Return by how much a tile's move raises the rank of its class; ``changed``: its two cells."""
    if not HAS_EQUAL_TILES:
        return 0
    tile_class = layout.tile_class[tile]
    cells = search.cells[tile_class] ^ changed
    rank = rank_of(entries, layout.ranks, layout.chunk, layout.rank_rows, cells)
    return rank - int(search.rank[tile_class])


def index_change(
    layout: HeuristicLayout, view: int, tile: int, blank: int, target: int, rank_change: int
) -> int:
    """Return by how much a tile's move from ``target`` to ``blank`` raises its index in a view."""
    first = view * MAX_CELLS
    if HAS_EQUAL_TILES:
        return int(layout.weight[first + tile] * rank_change)
    step = layout.image[first + blank] - layout.image[first + target]
    return int(layout.weight[first + tile] * step)


def make_move(layout: HeuristicLayout, search: SearchState, frame: Frame) -> None:
    """Take over the indices and entries after a move, and keep those before."""
    tile = frame.tile
    if HAS_EQUAL_TILES:
        tile_class = layout.tile_class[tile]
        search.cells[tile_class] ^= 1 << frame.blank | 1 << frame.target
        search.rank[tile_class] += frame.rank_change
    for view in range(VIEWS):
        slot = layout.slot[view * MAX_CELLS + tile]
        frame.index[view] = search.index[slot]
        frame.entry[view] = search.entry[slot]
        search.index[slot] = frame.next_index[view]
        search.entry[slot] = frame.next_entry[view]


def unmake_move(layout: HeuristicLayout, search: SearchState, frame: Frame) -> None:
    """Restore the indices and entries before a move."""
    tile = frame.tile
    if HAS_EQUAL_TILES:
        tile_class = layout.tile_class[tile]
        search.cells[tile_class] ^= 1 << frame.blank | 1 << frame.target
        search.rank[tile_class] -= frame.rank_change
    for view in range(VIEWS):
        slot = layout.slot[view * MAX_CELLS + tile]
        search.index[slot] = frame.index[view]
        search.entry[slot] = frame.entry[view]


def prefetch_children(
    layout: HeuristicLayout, entries: np.ndarray, search: SearchState, blank: int, untried: int
) -> None:
    """Prefetch the entries after all moves that are left to try."""
    while untried != 0:
        target = (untried & PACKED_MASK) >> 3
        untried >>= PACKED_BITS
        tile = search.tiles[target]
        change = rank_change_of(layout, entries, search, tile, 1 << blank | 1 << target)
        for view in range(VIEWS):
            step = index_change(layout, view, tile, blank, target, change)
            bits.prefetch(entries, search.index[layout.slot[view * MAX_CELLS + tile]] + step)


def child_value(
    layout: HeuristicLayout, entries: np.ndarray, search: SearchState, frame: Frame, view: int
) -> int:
    """Return the sum of a view after a move; the frame keeps the new index and entry."""
    tile = frame.tile
    target = frame.target
    slot = layout.slot[view * MAX_CELLS + tile]
    blank = layout.image[view * MAX_CELLS + target]
    index = search.index[slot] + index_change(
        layout, view, tile, frame.blank, target, frame.rank_change
    )
    entry = int(entries[index])
    old = search.entry[slot]
    frame.next_index[view] = index
    frame.next_entry[view] = entry
    h = (entry >> layout.moves_shift) - (old >> layout.moves_shift)
    h += (((entry >> blank) & 1) - ((old >> blank) & 1)) * layout.region_penalty
    for other in range(view * PATTERNS, (view + 1) * PATTERNS):
        entry = search.entry[other]
        h += (entry >> layout.moves_shift) + ((entry >> blank) & 1) * layout.region_penalty
    return int(h)


def search_to_bound(
    layouts: np.ndarray,
    entries: np.ndarray,
    automaton: np.ndarray,
    searches: np.ndarray,
    frames: np.ndarray,
) -> int:
    """Search all paths from the root of at most ``bound`` moves: FOUND, EXHAUSTED or STOPPED.

    The root's entries have been loaded, and the root is not the goal.  ``automaton`` is by state
    and move the next state and the moves allowed there, ``frames`` is by depth.
    """
    layout: HeuristicLayout = layouts[0]
    search: SearchState = searches[0]
    tiles = search.tiles
    legal_moves = layout.legal_moves
    bound = search.bound - search.root_depth
    nodes = 0
    depth = 0
    blank = search.blank
    frames[0].blank = blank
    transition = MOVE_SETS - 1 if search.last_move == NO_MOVE else int(automaton[search.last_move])
    state = transition // MOVE_SETS
    untried = legal_moves[MOVE_SETS * blank + transition % MOVE_SETS]
    while True:
        if untried == 0:
            if depth == 0:
                search.nodes += nodes
                return EXHAUSTED
            depth -= 1
            frame = frames[depth]
            tiles[blank] = frame.tile
            blank = frame.blank
            state = frame.state
            untried = frame.untried
            unmake_move(layout, search, frame)
            continue
        packed = untried & PACKED_MASK
        untried >>= PACKED_BITS
        target = packed >> 3
        nodes += 1
        if nodes % STOP_INTERVAL == 0 and (search.stop or search.nodes + nodes > search.node_limit):
            search.nodes += nodes
            return STOPPED
        frame = frames[depth]
        tile = tiles[target]
        moves_left = bound - depth - 1
        view = 0
        h = 0
        frame.tile = tile
        frame.target = target
        frame.rank_change = rank_change_of(layout, entries, search, tile, 1 << blank | 1 << target)
        while view < VIEWS and h <= moves_left:
            h = child_value(layout, entries, search, frame, view)
            view += 1
        if h > moves_left:
            continue
        frame.state = state
        frame.untried = untried
        move = (packed & 7) - 1
        search.path[depth] = move
        make_move(layout, search, frame)
        tiles[blank] = tile
        depth += 1
        # The last view covers all tiles, and none needs a move: this is the goal.
        if h == 0:
            search.length = depth
            search.nodes += nodes
            return FOUND
        blank = target
        frames[depth].blank = target
        transition = int(automaton[NUM_MOVES * state + move])
        state = transition // MOVE_SETS
        untried = legal_moves[MOVE_SETS * target + transition % MOVE_SETS]
        prefetch_children(layout, entries, search, blank, untried)
