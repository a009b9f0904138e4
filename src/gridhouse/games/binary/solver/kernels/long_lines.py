"""The constraints of a line of many cells, computed where a table would be too large.

Minimal nogoods (see ``line_tables``) are of two kinds.  A *window* of three neighbouring places
that can still be filled makes a nogood of its candidates; and where the line's limit is one too
few, so is every set of that many candidates that has no three in a row.  So the candidates, the
windows and the number of stones still allowed determine the nogoods without listing them.  Entries
are kept in a small cache of each line, by its code.

Where all cells stand in one line, their places in it do not matter either: windows connect cells to
*runs*, and positions with the same runs, in any order and each read from either end, are equal.
"""

from __future__ import annotations

from gridhouse.core import bits, chance
from gridhouse.games.binary.solver.kernels.records import MOST_LINES, MOST_LONG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gridhouse.games.binary.solver.kernels.records import Entry, Layout

    # Masks of places: candidates, then where windows' nogoods begin that are two neighbours, two
    # around a stone, and three cells.
    Run = tuple[int, int, int, int]

LIMIT_SALT = 3 << 40
IMPOSSIBLE = -64  # a number of cells below any that a line has


def fetch(layout: Layout, at: int, entry: Entry, code: int) -> None:
    """Compute an entry of a line's cache unless it has the code; ``at`` includes the digit."""
    if entry.code == code + 1:
        return
    entry.code = code + 1
    entry.forbidden = 0
    entry.nogood_cells = 0
    entry.is_split = 0
    entry.forward_hash = 0
    entry.backward_hash = 0
    entry.links = 0
    line = at % MOST_LINES
    stones, candidates = decode(layout, at, code)
    if room(stones, layout.spans[line]) <= 0:
        forbidden = candidates
    else:
        forbidden = candidates & third_in_a_row(stones)
    if forbidden:
        entry.forbidden = as_cells(layout, line, forbidden)
    elif candidates:
        fill_entry(layout, line, entry, stones, candidates)


def third_in_a_row(stones: int) -> int:
    """Return the places where a stone would complete three in a row."""
    pairs = stones & stones >> 1
    around = stones & stones >> 2
    return pairs << 2 | pairs >> 1 | around << 1


def as_cells(layout: Layout, line: int, places: int) -> int:
    """Return a set of places as a set of the line's cells."""
    cells = 0
    for cell in range(layout.lengths[line]):
        cells |= (places >> layout.places[line * MOST_LONG + cell] & 1) << cell
    return cells


def most_fillable(stones: int, candidates: int, length: int) -> int:
    """Return how many candidates can hold the digit at once, if only three in a row are illegal."""
    none = 0  # the most if none, one or two of the last places hold the digit
    one = IMPOSSIBLE
    two = IMPOSSIBLE
    for place in range(length):
        best = max(none, one, two)
        if stones >> place & 1:
            none, one, two = IMPOSSIBLE, none, one
        elif candidates >> place & 1:
            none, one, two = best, none + 1, one + 1
        else:
            none, one, two = best, IMPOSSIBLE, IMPOSSIBLE
    return max(none, one, two)


def fill_entry(layout: Layout, line: int, entry: Entry, stones: int, candidates: int) -> None:
    """Fill an entry of a line in which no candidate is forbidden."""
    length = layout.spans[line]
    left = stones_left(stones, candidates, length)
    pair, around, three = windows(stones, candidates, left)
    covered = pair | pair << 1 | around | around << 2 | three | three << 1 | three << 2
    linked = links(pair, around, three)
    if left < MOST_LONG:
        covered = candidates
        linked = (1 << bits.length(candidates) - 1) - (candidates & -candidates)
    hashed = covered if layout.keys_candidates else candidates
    if hashed:
        run = (hashed, pair, around, three)
        limit = chance.zobrist(LIMIT_SALT | left)
        entry.forward_hash = (run_hash(run) + limit) & chance.KEY
        entry.backward_hash = (run_hash(mirrored(run, length)) + limit) & chance.KEY
    cells = as_cells(layout, line, covered)
    entry.nogood_cells = cells
    entry.links = as_cells(layout, line, linked)
    if cells and connected_cells(entry, bits.lowest(cells)) != cells:
        entry.is_split = 1


def decode(layout: Layout, at: int, code: int) -> tuple[int, int]:
    """Return the places of a code's stones, with those left out, and of its candidates."""
    line = at % MOST_LINES
    stones = layout.fixed_stones[at]
    candidates = 0
    for cell in range(layout.lengths[line]):
        place = layout.places[line * MOST_LONG + cell]
        stones |= (code % 3 & 1) << place
        candidates |= (code % 3 >> 1) << place
        code //= 3
    return stones, candidates


def connected_cells(entry: Entry, cell: int) -> int:
    """Return the cells connected with a cell of the line by nogoods, itself among them."""
    if not entry.nogood_cells >> cell & 1:
        return 0
    low = cell
    while low and entry.links >> low - 1 & 1:
        low -= 1
    high = cell
    while entry.links >> high & 1:
        high += 1
    return entry.nogood_cells & ((2 << high) - (1 << low))


def row_key(layout: Layout, line: int, zeros: int, ones: int) -> int:
    """Return the key of a position in one line from the line's codes for both digits.

    It is the sum of its runs' hashes, the lesser of both exchanges of the digits.
    """
    length = layout.spans[line]
    zero_stones, zero = decode(layout, line, zeros)
    one_stones, one = decode(layout, MOST_LINES + line, ones)
    zero_left = stones_left(zero_stones, zero, length)
    one_left = stones_left(one_stones, one, length)
    total = 3 * chance.zobrist(LIMIT_SALT | zero_left) + chance.zobrist(LIMIT_SALT | one_left)
    swapped = 3 * chance.zobrist(LIMIT_SALT | one_left) + chance.zobrist(LIMIT_SALT | zero_left)
    zero_pair, zero_around, zero_three = windows(zero_stones, zero, zero_left)
    one_pair, one_around, one_three = windows(one_stones, one, one_left)
    zero_line = (zero, zero_pair, zero_around, zero_three)
    one_line = (one, one_pair, one_around, one_three)
    gaps = ~(links(zero_pair, zero_around, zero_three) | links(one_pair, one_around, one_three))
    rest = zero | one
    while rest:
        low = bits.lowest(rest)
        size = bits.lowest(gaps >> low) + 1
        rest &= -1 << low + size
        zero_run = part_of(zero_line, low, size)
        one_run = part_of(one_line, low, size)
        zero_forward = run_hash(zero_run)
        one_forward = run_hash(one_run)
        zero_backward = run_hash(mirrored(zero_run, size))
        one_backward = run_hash(mirrored(one_run, size))
        total += chance.zobrist(
            min(joint(zero_forward, one_forward), joint(zero_backward, one_backward))
        )
        swapped += chance.zobrist(
            min(joint(one_forward, zero_forward), joint(one_backward, zero_backward))
        )
    return min(total & chance.KEY, swapped & chance.KEY)


def part_of(line: Run, first: int, size: int) -> Run:
    """Return the run of a line that begins at a place."""
    candidates, pair, around, three = line
    mask = (1 << size) - 1
    return (
        candidates >> first & mask,
        pair >> first & mask,
        around >> first & mask,
        (three >> first & mask),
    )


def room(stones: int, length: int) -> int:
    """Return how many more stones of the digit a line may hold."""
    return (length + 1) // 2 - bits.population(stones)


def stones_left(stones: int, candidates: int, length: int) -> int:
    """Return how many more stones a line may hold, ``MOST_LONG`` if no more would fit anyway."""
    left = room(stones, length)
    return left if most_fillable(stones, candidates, length) > left else MOST_LONG


def windows(stones: int, candidates: int, left: int) -> tuple[int, int, int]:
    """Return where windows' nogoods begin: two neighbours, two around a stone, and three cells.

    Those of more cells than there are stones left are not minimal.
    """
    both = candidates & candidates >> 1
    pair = both & (stones << 1 | stones >> 2) if left >= 2 else 0
    around = candidates & stones >> 1 & candidates >> 2 if left >= 2 else 0
    three = both & candidates >> 2 & ~(stones << 1 | stones >> 3) if left >= 3 else 0
    return pair, around, three


def links(pair: int, around: int, three: int) -> int:
    """Return the places that windows connect with the next."""
    return pair | around | around << 1 | three | three << 1


def mirrored(run: Run, size: int) -> Run:
    """Return a run read from its other end; nogoods begin where they ended."""
    shift = bits.WORD - 1 - size
    candidates, pair, around, three = run
    return (
        bits.backwards(candidates) >> shift,
        bits.backwards(pair) >> shift + 1,
        bits.backwards(around) >> shift + 2,
        bits.backwards(three) >> shift + 2,
    )


def run_hash(run: Run) -> int:
    """Return a hash of a run for one digit."""
    candidates, pair, around, three = run
    # A run has at most ``MOST_LONG`` places, and two masks of them fit a word's half.
    return chance.zobrist(
        chance.zobrist(candidates << MOST_LONG | pair) + (around << MOST_LONG | three) & chance.KEY
    )


def joint(first: int, second: int) -> int:
    """Return a hash of a run for both digits from those for each."""
    return (3 * first + second) & chance.KEY
