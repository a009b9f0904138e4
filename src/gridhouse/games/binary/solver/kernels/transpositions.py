"""The transposition table of outcomes, and that of proof and disproof numbers.

Both are set-associative and give up the entry of the least work (see ``core.tables``).
"""

from __future__ import annotations

from gridhouse.core import bits, chance, tables
from gridhouse.games.binary.solver.kernels.records import LOSS, UNKNOWN, WIN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gridhouse.games.binary.solver.kernels.records import Words

WORK_BITS = 6
WORK = (1 << WORK_BITS) - 1

# An entry of a position: the key's upper bits, the nimber or a bit for each heap with which the
# position is known to be won, and the logarithm of the work.
WAYS = 8
HEAPS = 9
EXACT = 1 << (WORK_BITS + HEAPS)  # the nimber is known
PAYLOAD_BITS = WORK_BITS + HEAPS + 1

# Two words of a position with a heap: the key and the work, the proof and the disproof number.
PN_WAYS = 4
PN_WIDTH = 2
NUMBER_BITS = 31
NUMBER = (1 << NUMBER_BITS) - 1
HEAP_STEP = 0x1D8E4E27C47D124F


def prefetch(table: Words, key: int) -> None:
    """Have the processor load the bucket of a position."""
    bits.prefetch(table, tables.bucket(table, key, WAYS, 1))


def probe(table: Words, key: int, heap: int) -> int:
    """Return who wins a position with a heap: WIN, LOSS, or UNKNOWN to the table."""
    at = tables.find(table, key, WAYS, 1, PAYLOAD_BITS)
    if at == tables.ABSENT:
        return UNKNOWN
    word = table[at]
    if word & EXACT:
        return LOSS if (word & (EXACT - 1)) >> WORK_BITS == heap else WIN
    return WIN if heap < HEAPS and word >> (WORK_BITS + heap) & 1 else UNKNOWN


def store(table: Words, key: int, heap: int, outcome: int, work: int) -> None:
    """Store who wins a position with a heap; ``work`` is the number of nodes searched.

    A position that is lost with a heap has its size as its nimber, which determines all outcomes.
    """
    if heap >= HEAPS and outcome == WIN:
        return
    known = 0
    at = tables.find(table, key, WAYS, 1, PAYLOAD_BITS)
    if at == tables.ABSENT:
        at = tables.victim(table, key, WAYS, 1, WORK)
    else:
        known = table[at] & (EXACT - 1) & ~WORK
        work += table[at] & WORK
    heaps = EXACT | heap << WORK_BITS if outcome == LOSS else known | 1 << (WORK_BITS + heap)
    tag = key >> PAYLOAD_BITS << PAYLOAD_BITS
    table[at] = tag | heaps | min(WORK, 2 * bits.length(work + 1))


def move_entries(table: Words, larger: Words) -> None:
    """Copy the entries of a transposition table to a larger one."""
    tables.move_entries(table, larger, WAYS, 1, PAYLOAD_BITS)


def pn_key(key: int, heap: int) -> int:
    """Return the key of a position with a heap."""
    return (key + heap * HEAP_STEP) & chance.KEY


def pn_prefetch(table: Words, key: int) -> None:
    """Have the processor load the bucket of a position with a heap, by its ``pn_key``."""
    bits.prefetch(table, tables.bucket(table, key, PN_WAYS, PN_WIDTH))


def pn_find(table: Words, key: int) -> int:
    """Return the place of an entry by its ``pn_key``, ``tables.ABSENT`` without one."""
    return tables.find(table, key, PN_WAYS, PN_WIDTH, WORK_BITS)


def pn_store(table: Words, key: int, proof: int, disproof: int, work: int) -> None:
    """Store the numbers of a position by its ``pn_key``; ``work`` is the number of nodes."""
    at = pn_find(table, key)
    if at == tables.ABSENT:
        at = tables.victim(table, key, PN_WAYS, PN_WIDTH, WORK)
    table[at] = key & ~WORK | bits.length(work + 1)
    table[at + 1] = proof << NUMBER_BITS | disproof


def pn_move_entries(table: Words, larger: Words) -> None:
    """Copy the entries of a table of proof and disproof numbers to a larger one."""
    tables.move_entries(table, larger, PN_WAYS, PN_WIDTH, WORK_BITS)
