"""A key of a small position that does not depend on where its cells stand.

Only the candidates of each digit and the minimal nogoods matter, so cells are renumbered by
properties that do not depend on their places, and the key hashes all nogoods in this numbering.
Equal keys mean positions that are isomorphic, maybe with digits exchanged.  Cells that cannot be
told apart are numbered by their places: then isomorphic positions may have different keys, which
costs time only.

A loop over the cells of a set ends at another step every time, which no processor predicts.  So
sets are processed whole: the properties of all cells are in lanes of one word (SIMD within a
register), and a table renumbers three cells at once.
"""

from __future__ import annotations

from gridhouse.core import bits, chance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gridhouse.games.binary.solver.kernels.records import Node

INLINED = True  # see ``core.specialize``
MOST_CELLS = 12  # of a small position
# A lane of sixteen bits holds a cell's properties: weights of the nogoods of either digit with it,
# its candidates, and its place, which tells all cells apart.  A word has four lanes.
TIE_BITS = 4
WEIGHT_BITS = 5
TIES = 0x000F000F000F000F  # the bits of places
PLACES = 0x0003000200010000
LANES = 0x0001000100010001  # the lowest bit of each
SPREAD = 1 | 1 << 15 | 1 << 30 | 1 << 45  # a factor that moves four bits to as many lanes
COUNT_BITS = 5  # of the number of nogoods of one size; the least has two cells
CHUNK = 3  # cells that are renumbered at once
CANDIDATES_SALT = 4 << 40
NOGOOD_SALT = 5 << 40


def canonical_key(node: Node) -> int:
    """Return the key of a small position."""
    zero_nogoods = node.num_zero_nogoods
    all_nogoods = node.num_nogoods
    cells = node.candidates[0] | node.candidates[1]
    zeros = bits.extract(node.candidates[0], cells)
    ones = bits.extract(node.candidates[1], cells)
    zero_low, zero_middle, zero_high, zero_sizes = weigh(node, cells, 0, zero_nogoods)
    one_low, one_middle, one_high, one_sizes = weigh(node, cells, zero_nogoods, all_nogoods)
    swap = int(zero_sizes + bits.population(zeros) > one_sizes + bits.population(ones))
    if swap:
        zero_low, one_low = one_low, zero_low
        zero_middle, one_middle = one_middle, zero_middle
        zero_high, one_high = one_high, zero_high
        zeros, ones = ones, zeros
    node.lanes[0] = lanes(zero_low, one_low, zeros, ones, 0)
    node.lanes[1] = lanes(zero_middle, one_middle, zeros, ones, 4)
    node.lanes[2] = lanes(zero_high, one_high, zeros, ones, 8)
    node.lanes[3] = -1
    label_cells(node, bits.population(cells))
    total = chance.zobrist(
        CANDIDATES_SALT | relabelled(node, zeros) << MOST_CELLS | relabelled(node, ones)
    )
    for i in range(zero_nogoods):
        total += chance.zobrist(NOGOOD_SALT | relabelled(node, node.packed[i]) << 1 | swap)
    for i in range(zero_nogoods, all_nogoods):
        total += chance.zobrist(NOGOOD_SALT | relabelled(node, node.packed[i]) << 1 | (1 - swap))
    return total & chance.KEY


def spread(cells: int, start: int) -> int:
    """Return four cells of a set in a lane each."""
    return (cells >> start & 15) * SPREAD & LANES


def weigh(node: Node, cells: int, start: int, stop: int) -> tuple[int, int, int, int]:
    """Return the weights of all cells by the nogoods with them, and counts of nogoods by size.

    Nogoods are packed: their cells get numbers in the order of their places.
    """
    low = 0
    middle = 0
    high = 0
    sizes = 0
    for i in range(start, stop):
        packed = bits.extract(node.nogoods[i], cells)
        node.packed[i] = packed
        size = bits.population(packed)
        weight = size * size - 3
        low += spread(packed, 0) * weight
        middle += spread(packed, 4) * weight
        high += spread(packed, 8) * weight
        sizes += 1 << COUNT_BITS * (size - 1)
    return low, middle, high, sizes


def lanes(first: int, second: int, zeros: int, ones: int, start: int) -> int:
    """Return the lanes of four cells; those of cells that do not exist are the greatest."""
    weights = (first << WEIGHT_BITS) + second << 2
    properties = weights | spread(zeros, start) << 1 | spread(ones, start)
    none = spread(~(zeros | ones), start) * 0xFFFF
    return (properties << TIE_BITS) & ~TIES | PLACES + start * LANES | none


def label_cells(node: Node, count: int) -> None:
    """Label cells by the order of their lanes, and each set of cells in each chunk by these."""
    for cell in range(0, count, CHUNK):
        low = 1 << bits.rank(node.lanes, cell)
        middle = 1 << bits.rank(node.lanes, cell + 1)
        high = 1 << bits.rank(node.lanes, cell + 2)
        at = cell // CHUNK << CHUNK
        node.labels[at + 1] = low
        node.labels[at + 2] = middle
        node.labels[at + 3] = low | middle
        node.labels[at + 4] = high
        node.labels[at + 5] = low | high
        node.labels[at + 6] = middle | high
        node.labels[at + 7] = low | middle | high


def relabelled(node: Node, cells: int) -> int:
    """Return a packed set of cells by their labels."""
    return (
        node.labels[cells & 7]
        | node.labels[8 | cells >> 3 & 7]
        | node.labels[16 | cells >> 6 & 7]
        | node.labels[24 | cells >> 9]
    )
