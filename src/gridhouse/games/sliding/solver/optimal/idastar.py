"""Iterative-deepening A* (Korf, 1985) over sums of pattern databases, compiled.

A *view* is one partition of the tiles into patterns, on the board as it is or mirrored along its
main diagonal; a position needs as many moves as the view that asks for most.  A move changes one
key a view, so it costs one look a view; whether the empty cell's place costs more is in the bits of
the words already read.

Loops over views and patterns are short and the search spends its time in them, so it is compiled
for just so many of each.  Memory is asked for the words of all moves of a position at once.

A *machine* reads the moves and rejects redundant ones (``_repeats``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gridhouse.core import bits, position
from gridhouse.games.sliding.solver.databases.retrograde import rank_of

if TYPE_CHECKING:
    from typing import Any

MAX_CELLS = 36
MAX_VIEWS = 6
MAX_PATTERNS = 9  # of a view
MAX_DEPTH = 512
NUM_MOVES = 4
NONE = NUM_MOVES  # no move was made before
SETS = 1 << NUM_MOVES  # of moves
WAY_BITS = 9
WAY = (1 << WAY_BITS) - 1
STRIDE = 1024  # nodes between two looks at the flag

# Of the plans that ``sweep`` is bound to; ``load`` does for all plans.
VIEWS = 1
PATTERNS = 1
RANKED = 0  # 1 where some tiles are equal

FOUND = 1
EXHAUSTED = 0
STOPPED = -1


class Frame(position.Position):
    """A position on the way: the empty cell, the machine's state, the moves left to try.

    By view: the key and the word before the move that is tried, and those after it.  ``moved`` is
    the cells that it changes, as bits, and ``change`` how much it raises the rank of its kind.
    """

    frame = position.field("int8")
    blank = position.field("int64")
    state = position.field("int64")
    left = position.field("int64")
    moved = position.field("int64")
    change = position.field("int64")
    key = position.field("int64", MAX_VIEWS)
    word = position.field("int64", MAX_VIEWS)
    fresh_key = position.field("int64", MAX_VIEWS)
    fresh_word = position.field("int64", MAX_VIEWS)


class Search(position.Position):
    """A search: where it begins, how far it may go, what it found.

    ``made`` moves were made before the root, the last of them ``came``.  ``path`` holds the moves
    from the root on.  By kind: ``cells``, where its tiles are, as bits, and their ``rank``, if some
    tiles are equal.  ``stop`` may be set from another thread at any time.
    """

    search = position.field("int8")
    stop = position.field("int8")
    blank = position.field("int64")
    came = position.field("int64")
    made = position.field("int64")
    bound = position.field("int64")
    nodes = position.field("int64")
    limit = position.field("int64")
    length = position.field("int64")
    tiles = position.field("int64", MAX_CELLS)
    key = position.field("int64", MAX_VIEWS * MAX_PATTERNS)
    word = position.field("int64", MAX_VIEWS * MAX_PATTERNS)
    cells = position.field("int64", MAX_CELLS)
    rank = position.field("int64", MAX_CELLS)
    path = position.field("int8", MAX_DEPTH)


def load(plans: Any, tables: Any, searches: Any) -> int:
    """Read the words of the root's keys and return how many moves it needs at least."""
    plan = plans[0]
    search = searches[0]
    for slot in range(plan.views * plan.patterns):
        search.key[slot] = plan.origin[slot]
    for kind in range(plan.cells):
        search.cells[kind] = 0
        search.rank[kind] = 0
    for cell in range(plan.cells):
        tile = search.tiles[cell]
        if tile == 0:
            continue
        kind = plan.kind[tile]
        search.cells[kind] |= 1 << cell
        added = 0
        if plan.ranked:
            rank = rank_of(tables, plan.ranks, plan.chunk, plan.alike, search.cells[kind])
            added = rank - search.rank[kind]
            search.rank[kind] += added
        for view in range(plan.views):
            at = view * MAX_CELLS
            digit = added if plan.ranked else plan.image[at + cell]
            search.key[plan.slot[at + tile]] += plan.weight[at + tile] * digit
    least = 0
    for view in range(plan.views):
        total = 0
        blank = plan.image[view * MAX_CELLS + search.blank]
        for slot in range(view * plan.patterns, (view + 1) * plan.patterns):
            word = int(tables[search.key[slot]])
            search.word[slot] = word
            total += (word >> plan.up) + ((word >> blank) & 1) * plan.gain
        least = max(least, total)
    return least


def change_of(plan: Any, tables: Any, search: Any, tile: int, moved: int) -> int:
    """Return by how much the rank of a tile's kind rises if it moves between two cells, as bits."""
    if not RANKED:
        return 0
    kind = plan.kind[tile]
    cells = search.cells[kind] ^ moved
    return rank_of(tables, plan.ranks, plan.chunk, plan.alike, cells) - int(search.rank[kind])


def step_of(plan: Any, view: int, here: int, there: int, change: int) -> int:
    """Return by how much the digit of what moves from ``there`` to ``here`` rises in a view."""
    if RANKED:
        return change
    return int(plan.image[view * MAX_CELLS + here] - plan.image[view * MAX_CELLS + there])


def enter(plan: Any, search: Any, frame: Any, tile: int, there: int, change: int) -> None:
    """Take over what moving a tile changes, and keep what was before."""
    if RANKED:
        kind = plan.kind[tile]
        frame.moved = 1 << frame.blank | 1 << there
        frame.change = change
        search.cells[kind] ^= frame.moved
        search.rank[kind] += change
    for view in range(VIEWS):
        slot = plan.slot[view * MAX_CELLS + tile]
        frame.key[view] = search.key[slot]
        frame.word[view] = search.word[slot]
        search.key[slot] = frame.fresh_key[view]
        search.word[slot] = frame.fresh_word[view]


def restore(plan: Any, search: Any, frame: Any, tile: int) -> None:
    """Take back what moving a tile changed."""
    if RANKED:
        kind = plan.kind[tile]
        search.cells[kind] ^= frame.moved
        search.rank[kind] -= frame.change
    for view in range(VIEWS):
        slot = plan.slot[view * MAX_CELLS + tile]
        search.key[slot] = frame.key[view]
        search.word[slot] = frame.word[view]


def look_ahead(plan: Any, tables: Any, search: Any, blank: int, left: int) -> None:
    """Ask memory for the words after all moves that are left to try."""
    while left != 0:
        there = (left & WAY) >> 3
        left >>= WAY_BITS
        tile = search.tiles[there]
        change = change_of(plan, tables, search, tile, 1 << blank | 1 << there)
        for view in range(VIEWS):
            at = view * MAX_CELLS + tile
            step = step_of(plan, view, blank, there, change)
            bits.prefetch(tables, search.key[plan.slot[at]] + plan.weight[at] * step)


def asked(
    plan: Any, tables: Any, search: Any, frame: Any, view: int, tile: int, there: int, step: int
) -> int:
    """Return how many moves a view asks for after a tile's move; its key and word are kept."""
    at = view * MAX_CELLS
    slot = plan.slot[at + tile]
    bit = plan.image[at + there]
    key = search.key[slot] + plan.weight[at + tile] * step
    word = int(tables[key])
    old = search.word[slot]
    frame.fresh_key[view] = key
    frame.fresh_word[view] = word
    least = (word >> plan.up) - (old >> plan.up)
    least += (((word >> bit) & 1) - ((old >> bit) & 1)) * plan.gain
    for other in range(view * PATTERNS, (view + 1) * PATTERNS):
        word = search.word[other]
        least += (word >> plan.up) + ((word >> bit) & 1) * plan.gain
    return int(least)


def sweep(plans: Any, tables: Any, machine: Any, searches: Any, frames: Any) -> int:
    """Search all ways from the root that may have ``bound`` moves: FOUND, EXHAUSTED or STOPPED.

    The root's words have been loaded, and the root is not the goal.
    """
    plan = plans[0]
    search = searches[0]
    tiles = search.tiles
    ways = plan.ways
    bound = search.bound - search.made
    nodes = 0
    depth = 0
    blank = search.blank
    frames[0].blank = blank
    entry = SETS - 1 if search.came == NONE else int(machine[search.came])
    state = entry // SETS
    left = ways[SETS * blank + entry % SETS]
    while True:
        if left == 0:
            if depth == 0:
                search.nodes += nodes
                return EXHAUSTED
            # Take back the move that led here.
            depth -= 1
            frame = frames[depth]
            tile = tiles[frame.blank]
            tiles[blank] = tile
            blank = frame.blank
            state = frame.state
            left = frame.left
            restore(plan, search, frame, tile)
            continue
        way = left & WAY
        left >>= WAY_BITS
        there = way >> 3
        nodes += 1
        if nodes % STRIDE == 0 and (search.stop or search.nodes + nodes > search.limit):
            search.nodes += nodes
            return STOPPED
        frame = frames[depth]
        tile = tiles[there]
        rest = bound - depth - 1
        view = 0
        least = 0
        change = change_of(plan, tables, search, tile, 1 << blank | 1 << there)
        while view < VIEWS and least <= rest:
            step = step_of(plan, view, blank, there, change)
            least = asked(plan, tables, search, frame, view, tile, there, step)
            view += 1
        if least > rest:
            continue
        frame.state = state
        frame.left = left
        move = (way & 7) - 1
        search.path[depth] = move
        enter(plan, search, frame, tile, there, change)
        tiles[blank] = tile
        depth += 1
        # The last view knows all tiles, and none needs a move: this is the goal.
        if least == 0:
            search.length = depth
            search.nodes += nodes
            return FOUND
        blank = there
        frames[depth].blank = there
        entry = int(machine[NUM_MOVES * state + move])
        state = entry // SETS
        left = ways[SETS * there + entry % SETS]
        look_ahead(plan, tables, search, blank, left)
