"""Iterative-deepening A* (Korf, 1985) over sums of pattern databases, compiled.

A *view* is one partition of the tiles into patterns, on the board as it is or mirrored along its
main diagonal; a position needs as many moves as the view that asks for most.  A move changes one
key a view, so it costs one look a view; whether the empty cell's place costs more is in the bits of
the words already read.

Loops over views and patterns are short and the search spends its time in them, so it is compiled
for just so many of each.  Memory is asked for the words of all moves of a position at once.

A *machine* reads the moves and tells which need not be made (``_repeats``).

**From both sides.**  Databases of the way back tell how many moves a position is from the root at
least, so a search may know of a part of the moves behind it that they were too many.  With ``g``
moves made, ``h`` to come at least and ``b`` at least if they had been made as well as can be,
``g + h + (g - b)`` is a position's *strain* (what bidirectional A* with errors goes by: Sadhukhan,
2012).  It never falls on the way, since databases are consistent; and on a way of ``L`` moves what
it is for the search there and for the search back, at the same position, are ``2 L`` together.  So
if the one searches all positions of a strain of at most X, and the other one those of at most
``2 L - 2 - X``, they meet on every such way: one of them *marks* the positions that it does not go
on from in a set, as bits, and the other one goes beyond its reach only where it comes to a marked
one.  Such a set may have positions too many (Bloom, 1970), which costs time and does no harm.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gridhouse.core import bits, position
from gridhouse.games.sliding._patterns import rank_of

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
FIELD = 10  # bits of a token for each bit that is set in a word of a set
FIELDS = (1 << FIELD) - 1
THIRD = 21  # of a word's bits but the sign
STRAIN = 4  # by which a move raises it at most

# Of the plans that the code is compiled for; 0 where it does for all of them.
VIEWS = 0
PATTERNS = 0
BACK = 0  # views that tell how far the root is: 0 for all plans without any
RANKED = 1  # 0 where no tiles are equal

FOUND = 1
EXHAUSTED = 0
STOPPED = -1


class Plan(position.Position):
    """A board, its views, and where their tables begin in the one array that holds them all.

    After ``views`` of them that tell how far the goal is come ``back`` that tell how far the root
    is.  By view and cell: ``image``, the cell in the view; by view and tile: ``slot``, the number
    of its pattern among those of all views, and ``weight``, the worth of its digit in the key.  By
    cell and set of moves: ``ways``, those of them that can be made there, packed into a number.
    With ``ranked`` some tiles are equal, and digits are ranks (``_patterns``): ``kind`` is by tile,
    and ``ranks``, ``chunk`` and ``alike`` tell where what they are looked up by is in that array.
    By kind and cell: ``token``, a random number; those of all tiles, added without carry, tell
    positions apart (Zobrist, 1970).
    """

    plan = position.integer("int8")
    cells = position.integer("int64")
    views = position.integer("int64")
    back = position.integer("int64")
    patterns = position.integer("int64")
    up = position.integer("int64")
    gain = position.integer("int64")
    ranked = position.integer("int64")
    kind = position.integers("int64", MAX_CELLS)
    ranks = position.integer("int64")
    chunk = position.integer("int64")
    alike = position.integer("int64")
    ways = position.integers("int64", SETS * MAX_CELLS)
    image = position.integers("int64", MAX_VIEWS * MAX_CELLS)
    slot = position.integers("int64", MAX_VIEWS * MAX_CELLS)
    weight = position.integers("int64", MAX_VIEWS * MAX_CELLS)
    origin = position.integers("int64", MAX_VIEWS * MAX_PATTERNS)
    token = position.integers("int64", MAX_CELLS * MAX_CELLS)


class Frame(position.Position):
    """A position on the way: the empty cell, the machine's state, the moves left to try.

    By view: the key and the word before the move that is tried, and those after it.  ``moved`` is
    the cells that it changes, as bits, and ``change`` how much it raises the rank of its kind.
    From both sides: ``token`` is that of the position, ``strain`` what the move leads to, and
    ``edge`` is 1 if a move may lead beyond the search's reach.
    """

    frame = position.integer("int8")
    blank = position.integer("int64")
    state = position.integer("int64")
    left = position.integer("int64")
    moved = position.integer("int64")
    change = position.integer("int64")
    token = position.integer("int64")
    strain = position.integer("int64")
    edge = position.integer("int64")
    key = position.integers("int64", MAX_VIEWS)
    word = position.integers("int64", MAX_VIEWS)
    fresh_key = position.integers("int64", MAX_VIEWS)
    fresh_word = position.integers("int64", MAX_VIEWS)


class Search(position.Position):
    """A search: where it begins, how far it may go, what it found.

    ``made`` moves were made before the root, the last of them ``came``.  ``path`` holds the moves
    from the root on.  ``spent`` nodes were looked at when the bound was last raised.  By kind:
    ``cells``, where its tiles are, as bits, and their ``rank``, if some tiles are equal.  ``stop``
    may be set from another thread at any time.  From both sides: ``reach`` is how much strain a
    position may have, ``strain`` the root's, and ``marks`` is 1 for the search that marks.
    ``token`` is that of the position, and from the depth of ``free`` on strain does not count.
    """

    search = position.integer("int8")
    stop = position.integer("int8")
    marks = position.integer("int8")
    reach = position.integer("int64")
    strain = position.integer("int64")
    token = position.integer("int64")
    free = position.integer("int64")
    blank = position.integer("int64")
    came = position.integer("int64")
    made = position.integer("int64")
    bound = position.integer("int64")
    nodes = position.integer("int64")
    spent = position.integer("int64")
    limit = position.integer("int64")
    length = position.integer("int64")
    tiles = position.integers("int64", MAX_CELLS)
    key = position.integers("int64", MAX_VIEWS * MAX_PATTERNS)
    word = position.integers("int64", MAX_VIEWS * MAX_PATTERNS)
    cells = position.integers("int64", MAX_CELLS)
    rank = position.integers("int64", MAX_CELLS)
    path = position.integers("int8", MAX_DEPTH)


def load(plans: Any, tables: Any, searches: Any) -> int:
    """Read the words of the root's keys and return how many moves it needs at least.

    For a search from both sides, which sets its reach before, its strain is noted as well.
    """
    plan = plans[0]
    search = searches[0]
    for slot in range((plan.views + plan.back) * plan.patterns):
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
        for view in range(plan.views + plan.back):
            at = view * MAX_CELLS
            digit = added if plan.ranked else plan.image[at + cell]
            search.key[plan.slot[at + tile]] += plan.weight[at + tile] * digit
    least = 0
    behind = 0
    for view in range(plan.views + plan.back):
        total = 0
        blank = plan.image[view * MAX_CELLS + search.blank]
        for slot in range(view * plan.patterns, (view + 1) * plan.patterns):
            word = int(tables[search.key[slot]])
            search.word[slot] = word
            total += (word >> plan.up) + ((word >> blank) & 1) * plan.gain
        if view < plan.views:
            least = max(least, total)
        else:
            behind = max(behind, total)
    search.strain = 2 * search.made + least - behind
    search.free = 0 if search.strain > search.reach else MAX_DEPTH
    search.token = token_of(plan, search)
    return least


def change_of(plan: Any, tables: Any, search: Any, tile: int, moved: int) -> int:
    """Return by how much the rank of a tile's kind rises if it moves between two cells, as bits."""
    if not RANKED or not plan.ranked:
        return 0
    kind = plan.kind[tile]
    cells = search.cells[kind] ^ moved
    return rank_of(tables, plan.ranks, plan.chunk, plan.alike, cells) - int(search.rank[kind])


def step_of(plan: Any, view: int, here: int, there: int, change: int) -> int:
    """Return by how much the digit of what moves from ``there`` to ``here`` rises in a view."""
    if RANKED and plan.ranked:
        return change
    return int(plan.image[view * MAX_CELLS + here] - plan.image[view * MAX_CELLS + there])


def enter(plan: Any, search: Any, frame: Any, tile: int, there: int, change: int) -> None:
    """Take over what moving a tile changes, and keep what was before."""
    moved = 1 << frame.blank | 1 << there
    if BACK:
        frame.token = search.token
        search.token ^= step_token(plan, tile, frame.blank, there)
    if RANKED and plan.ranked:
        kind = plan.kind[tile]
        frame.moved = moved
        frame.change = change
        search.cells[kind] ^= moved
        search.rank[kind] += change
    for view in range((VIEWS or plan.views) + BACK):
        slot = plan.slot[view * MAX_CELLS + tile]
        frame.key[view] = search.key[slot]
        frame.word[view] = search.word[slot]
        search.key[slot] = frame.fresh_key[view]
        search.word[slot] = frame.fresh_word[view]


def restore(plan: Any, search: Any, frame: Any, tile: int) -> None:
    """Take back what moving a tile changed."""
    if BACK:
        search.token = frame.token
    if RANKED and plan.ranked:
        kind = plan.kind[tile]
        search.cells[kind] ^= frame.moved
        search.rank[kind] -= frame.change
    for view in range((VIEWS or plan.views) + BACK):
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
        for view in range((VIEWS or plan.views) + BACK):
            at = view * MAX_CELLS + tile
            step = step_of(plan, view, blank, there, change)
            bits.prefetch(tables, search.key[plan.slot[at]] + plan.weight[at] * step)


def asked(
    plan: Any, tables: Any, search: Any, frame: Any, view: int, tile: int, there: int, step: int
) -> int:
    """Return how many moves a view asks for after a tile's move; its key and word are kept."""
    patterns = PATTERNS or plan.patterns
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
    for other in range(view * patterns, (view + 1) * patterns):
        word = search.word[other]
        least += (word >> plan.up) + ((word >> bit) & 1) * plan.gain
    return int(least)


def place_of(met: Any, token: int) -> int:
    """Return the word of a set that a position's bits are in."""
    return (token >> 3 * FIELD) & (len(met) - 1)


def bits_of(token: int) -> int:
    """Return three bits of a word, each in a third of its own, for a position."""
    third = ((token & FIELDS) * THIRD) >> FIELD
    marks = 1 << third
    third = (((token >> FIELD) & FIELDS) * THIRD) >> FIELD
    marks |= 1 << THIRD + third
    third = (((token >> 2 * FIELD) & FIELDS) * THIRD) >> FIELD
    return marks | 1 << 2 * THIRD + third


def mark(met: Any, token: int) -> None:
    """Enter a position into a set."""
    bits.include(met, place_of(met, token), bits_of(token))


def is_marked(met: Any, token: int) -> bool:
    """Tell whether a position is in a set; of others a few are, too."""
    marks = bits_of(token)
    return int(met[place_of(met, token)]) & marks == marks


def token_of(plan: Any, search: Any) -> int:
    """Return the token of the position that is searched."""
    token = 0
    for cell in range(plan.cells):
        tile = search.tiles[cell]
        if tile != 0:
            token ^= plan.token[plan.kind[tile] * MAX_CELLS + cell]
    return token


def step_token(plan: Any, tile: int, here: int, there: int) -> int:
    """Return by what a position's token changes if a tile moves between two cells."""
    at = plan.kind[tile] * MAX_CELLS
    return int(plan.token[at + here] ^ plan.token[at + there])


def mark_root(plans: Any, met: Any, searches: Any) -> None:
    """Enter the root into a set."""
    mark(met, token_of(plans[0], searches[0]))


def is_reached(
    plan: Any,
    tables: Any,
    met: Any,
    search: Any,
    frame: Any,
    depth: int,
    tile: int,
    there: int,
    change: int,
    least: int,
) -> bool:
    """Tell whether a search goes on to where a move leads, with ``least`` moves to come.

    From both sides it does within its reach; the one that does not mark goes beyond where it comes
    to a marked position, and from there on wherever it gets.
    """
    if not BACK:
        return True
    views = VIEWS or plan.views
    behind = 0
    for view in range(views, views + BACK):
        step = step_of(plan, view, frame.blank, there, change)
        behind = max(behind, asked(plan, tables, search, frame, view, tile, there, step))
    frame.strain = 2 * (search.made + depth + 1) + least - behind
    if frame.strain <= search.reach or depth >= search.free:
        return True
    if search.marks:
        frame.edge = 1
        return False
    if not is_marked(met, search.token ^ step_token(plan, tile, frame.blank, there)):
        return False
    search.free = depth + 1
    return True


def arrive(
    plan: Any, met: Any, search: Any, frame: Any, strain: int, left: int, refuses: bool
) -> None:
    """Begin with a position from both sides: a strain, the moves to try, whether any are refused.

    A move that is refused might lead beyond the reach as well as one that is tried.
    """
    if not BACK:
        return
    is_near = strain + STRAIN > search.reach
    frame.edge = int(refuses and is_near)
    if search.marks and is_near:
        bits.prefetch(met, place_of(met, search.token))
    elif is_near:
        while left != 0:
            there = (left & WAY) >> 3
            left >>= WAY_BITS
            step = step_token(plan, search.tiles[there], frame.blank, there)
            bits.prefetch(met, place_of(met, search.token ^ step))


def leave(met: Any, search: Any, frame: Any, depth: int) -> None:
    """End with a position from both sides."""
    if not BACK:
        return
    if search.marks and frame.edge:
        mark(met, search.token)
    if depth == search.free:
        search.free = MAX_DEPTH


def sweep(plans: Any, tables: Any, machine: Any, met: Any, searches: Any, frames: Any) -> int:
    """Search all ways from the root that may have ``bound`` moves: FOUND, EXHAUSTED or STOPPED.

    The root's words have been loaded, and the root is not the goal.  ``met`` is the set of what
    has been marked, of a power of two of words; a search without views back leaves it alone.
    """
    plan = plans[0]
    search = searches[0]
    views = VIEWS or plan.views
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
    frames[0].edge = 1
    while True:
        if left == 0:
            leave(met, search, frames[depth], depth)
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
        most = 0
        moved = 1 << blank | 1 << there
        change = change_of(plan, tables, search, tile, moved)
        while view < views and least <= rest:
            step = step_of(plan, view, blank, there, change)
            least = asked(plan, tables, search, frame, view, tile, there, step)
            most = max(most, least)
            view += 1
        if least > rest:
            continue
        if not is_reached(plan, tables, met, search, frame, depth, tile, there, change, most):
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
        refuses = ways[SETS * there + (SETS - 1 ^ 1 << (move ^ 1))] != left
        arrive(plan, met, search, frames[depth], frame.strain, left, refuses)
        look_ahead(plan, tables, search, blank, left)


def deepen(plans: Any, tables: Any, machine: Any, met: Any, searches: Any, frames: Any) -> int:
    """Raise the bound by two as long as there is no way within it: FOUND or STOPPED."""
    search = searches[0]
    while True:
        result = sweep(plans, tables, machine, met, searches, frames)
        if result != EXHAUSTED:
            return result
        search.bound += 2
        search.spent = search.nodes
