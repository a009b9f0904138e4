"""What a line of many cells still forbids, found by rule where a table would be too large.

Beside what ``_lines`` says: a window of three places that can still be filled makes a blocking set
of its open cells, and where one more of the digit is too many, every set of as many open cells that
fits without a triple is one.  So the open cells, the windows and how many of the digit are left
tell the family without listing it.  Entries are kept in a small cache of each line, by its code.

Where all cells stand in one line, what they can become does not depend on where they stand in it
either: blocking sets of windows hold them together in *runs*, and a position is as good as any
other one of the same runs, in whatever order, each read from either end.
"""

from __future__ import annotations

from gridhouse.core import bits, chance
from gridhouse.games.binary.solver.kernels.line_tables import APART, HALF, LOW, MOST_LINES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST = 20  # cells of a line
CAP_SALT = 3 << 40
NEVER = -64  # as many cells as a line cannot hold


def recall(layout: Any, at: int, entry: Any, code: int) -> None:
    """Make an entry that of a line's code, unless it is already; ``at`` tells the digit too."""
    if entry.code == code + 1:
        return
    entry.code = code + 1
    entry.masks = 0
    entry.ahead = 0
    entry.back = 0
    entry.joints = 0
    line = at % MOST_LINES
    stones, opened = decode(layout, line, at, code)
    dead = opened if room(stones, layout.span[line]) <= 0 else opened & beside_pairs(stones)
    if dead:
        entry.masks = as_cells(layout, line, dead)
    elif opened:
        describe(layout, line, entry, stones, opened)


def beside_pairs(stones: int) -> int:
    """Return the places where a stone would complete three in a row."""
    ahead = stones & stones >> 1
    around = stones & stones >> 2
    return ahead << 2 | ahead >> 1 | around << 1


def as_cells(layout: Any, line: int, places: int) -> int:
    """Return a set of places as one of the line's cells."""
    cells = 0
    for cell in range(layout.lengths[line]):
        cells |= (places >> layout.places[line * MOST + cell] & 1) << cell
    return cells


def most(stones: int, opened: int, length: int) -> int:
    """Return how many open cells can take the digit at once, if only triples are forbidden."""
    none = 0
    one = NEVER
    two = NEVER
    for place in range(length):
        best = max(none, one, two)
        if stones >> place & 1:
            none, one, two = NEVER, none, one
        elif opened >> place & 1:
            none, one, two = best, none + 1, one + 1
        else:
            none, one, two = best, NEVER, NEVER
    return max(none, one, two)


def describe(layout: Any, line: int, entry: Any, stones: int, opened: int) -> None:
    """Fill an entry for a line in which nothing is forbidden yet."""
    length = layout.span[line]
    left = left_if_capped(stones, opened, length)
    near, over, three = window_sets(stones, opened, left)
    touched = near | near << 1 | over | over << 2 | three | three << 1 | three << 2
    linked = links(near, over, three)
    if left < MOST:
        touched = opened
        linked = (1 << bits.length(opened) - 1) - (opened & -opened)
    told = touched if layout.by_cells else opened
    if told:
        whole = (told, near, over, three)
        cap = chance.zobrist(CAP_SALT | left)
        entry.ahead = (run_code(whole) + cap) & chance.KEY
        entry.back = (run_code(turned(whole, length)) + cap) & chance.KEY
    held = as_cells(layout, line, touched)
    entry.masks = held << HALF
    entry.joints = as_cells(layout, line, linked)
    if held and joined(entry, bits.lowest(held)) != held:
        entry.masks |= 1 << APART


def decode(layout: Any, line: int, at: int, code: int) -> tuple[int, int]:
    """Return the stones of a code, with those that are not among its cells, and the open places."""
    stones = layout.others[at]
    opened = 0
    for cell in range(layout.lengths[line]):
        place = layout.places[line * MOST + cell]
        stones |= (code % 3 & 1) << place
        opened |= (code % 3 >> 1) << place
        code //= 3
    return stones, opened


def joined(entry: Any, cell: int) -> int:
    """Return the cells that belong together with one of a line's, itself among them."""
    touched = entry.masks >> HALF & LOW
    if not touched >> cell & 1:
        return 0
    low = cell
    while low and entry.joints >> low - 1 & 1:
        low -= 1
    high = cell
    while entry.joints >> high & 1:
        high += 1
    return int(touched & ((2 << high) - (1 << low)))


def row_key(layout: Any, line: int, zeros: int, ones: int) -> int:
    """Return the key of a position in one line by its runs, from the codes of both digits."""
    length = layout.span[line]
    zero_stones, zero = decode(layout, line, line, zeros)
    one_stones, one = decode(layout, line, MOST_LINES + line, ones)
    zero_left = left_if_capped(zero_stones, zero, length)
    one_left = left_if_capped(one_stones, one, length)
    total = 3 * chance.zobrist(CAP_SALT | zero_left) + chance.zobrist(CAP_SALT | one_left)
    swapped = 3 * chance.zobrist(CAP_SALT | one_left) + chance.zobrist(CAP_SALT | zero_left)
    zero_next, zero_over, zero_three = window_sets(zero_stones, zero, zero_left)
    one_next, one_over, one_three = window_sets(one_stones, one, one_left)
    gaps = ~(links(zero_next, zero_over, zero_three) | links(one_next, one_over, one_three))
    rest = zero | one
    while rest:
        low = bits.lowest(rest)
        size = bits.lowest(gaps >> low) + 1
        rest &= -1 << low + size
        cut = (1 << size) - 1
        zero_run = (
            zero >> low & cut, zero_next >> low & cut, zero_over >> low & cut,
            zero_three >> low & cut,
        )  # fmt: skip
        one_run = (
            one >> low & cut, one_next >> low & cut, one_over >> low & cut, one_three >> low & cut
        )  # fmt: skip
        zero_ahead = run_code(zero_run)
        one_ahead = run_code(one_run)
        zero_back = run_code(turned(zero_run, size))
        one_back = run_code(turned(one_run, size))
        total += chance.zobrist(min(joint(zero_ahead, one_ahead), joint(zero_back, one_back)))
        swapped += chance.zobrist(min(joint(one_ahead, zero_ahead), joint(one_back, zero_back)))
    return min(total & chance.KEY, swapped & chance.KEY)


def room(stones: int, length: int) -> int:
    """Return how many more of the digit a line may hold."""
    return (length + 1) // 2 - bits.population(stones)


def left_if_capped(stones: int, opened: int, length: int) -> int:
    """Return how many of the digit there is room for, ``MOST`` if more would not fit anyway."""
    left = room(stones, length)
    return left if most(stones, opened, length) > left else MOST


def window_sets(stones: int, opened: int, left: int) -> tuple[int, int, int]:
    """Return where a window's blocking sets begin: two side by side, two around a stone, and three.

    Sets of more cells than there are digits left say nothing new.
    """
    both = opened & opened >> 1
    near = both & (stones << 1 | stones >> 2) if left >= 2 else 0
    over = opened & stones >> 1 & opened >> 2 if left >= 2 else 0
    three = both & opened >> 2 & ~(stones << 1 | stones >> 3) if left >= 3 else 0
    return near, over, three


def links(near: int, over: int, three: int) -> int:
    """Return the places that blocking sets hold together with the next."""
    return near | over | over << 1 | three | three << 1


def turned(run: tuple[int, int, int, int], size: int) -> tuple[int, int, int, int]:
    """Return a run as it is read from its other end; sets begin where they ended."""
    shift = bits.WORD - 1 - size
    opened, near, over, three = run
    return (
        bits.backwards(opened) >> shift,
        bits.backwards(near) >> shift + 1,
        bits.backwards(over) >> shift + 2,
        bits.backwards(three) >> shift + 2,
    )


def run_code(run: tuple[int, int, int, int]) -> int:
    """Return bits that depend on all that a run is to one digit."""
    opened, near, over, three = run
    # A run has at most ``MOST`` places, and two masks of them fit a word's half.
    return chance.zobrist(
        chance.zobrist(opened << MOST | near) + (over << MOST | three) & chance.KEY
    )


def joint(first: int, second: int) -> int:
    """Return bits that depend on what a run is to both digits."""
    return (3 * first + second) & chance.KEY
