"""Tables of searches: hash sets, and transposition tables of several entries a bucket.

Kernels name this module; ``core.specialize`` compiles it into their code.  All tables are arrays of
whole numbers, all zero when empty, and their sizes are powers of two.

A *hash set* numbers its keys in the order in which they came.  An array holds the keys, another one
the *slots*: 0, or one more than a key's number.  It uses open addressing with linear probing, and
needs more slots than keys.

A *set-associative table* keeps an entry in one of so many *ways* of its key's bucket.  An entry is
``width`` words.  Either its first word is the key with the lowest ``payload`` bits replaced, which
the place of the bucket tells; a table then needs 2**payload entries.  Or it is two words, data and
the key XOR data: a mixture of what two threads write has a key that nothing asks for (Hyatt and
Mann, A lockless transposition table, 2002).
"""

from __future__ import annotations

from gridhouse.core import arrays

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gridhouse.core.arrays import Ints

INLINED = True  # see ``core.specialize``
ABSENT = -1


# Hash sets.


def find_slot(slots: Ints, keys: Ints, key: int, hashed: int) -> int:
    """Return the slot of a key, or the empty one where it belongs; ``hashed`` is its hash."""
    slot = hashed & (len(slots) - 1)
    while slots[slot] != 0 and keys[slots[slot] - 1] != key:
        slot = (slot + 1) & (len(slots) - 1)
    return slot


def fill_slots(slots: Ints, hashes: Ints) -> None:
    """Enter keys into empty slots by their hashes; all keys are different."""
    for number in range(len(hashes)):
        slot = int(hashes[number]) & (len(slots) - 1)
        while slots[slot] != 0:
            slot = (slot + 1) & (len(slots) - 1)
        slots[slot] = number + 1


# Set-associative tables.


def bucket(table: Ints, key: Any, ways: int, width: int) -> Any:
    """Return where the bucket of a key begins, or those of an array of keys."""
    return width * (key & (len(table) // width - ways))


def find(table: Ints, key: int, ways: int, width: int, payload: int) -> int:
    """Return the place of the entry that has a key, up to its payload; ABSENT if there is none."""
    first = bucket(table, key, ways, width)
    for way in range(ways):
        if (table[first + width * way] ^ key) >> payload == 0:
            return int(first + width * way)
    return ABSENT


def victim(table: Ints, key: int, ways: int, width: int, mask: int) -> int:
    """Return the place of the entry to replace: the masked bits of its first word are the least."""
    place = bucket(table, key, ways, width)
    least = table[place] & mask
    for other in range(place + width, place + ways * width, width):
        if table[other] & mask < least:
            least = table[other] & mask
            place = other
    return int(place)


def probe_xored(table: Ints, key: int, ways: int) -> int:
    """Return the data of a key in a table of data and key XOR data, 0 if it is not there."""
    first = bucket(table, key, ways, 2)
    for place in range(first, first + 2 * ways, 2):
        data = int(table[place])
        if table[place + 1] ^ data == key:
            return data
    return 0


def store_xored(table: Ints, key: int, data: int, ways: int, mask: int) -> None:
    """Write data in place of its key's, or of the data of which the masked bits are the least."""
    place = victim(table, key, ways, 2, mask)
    first = bucket(table, key, ways, 2)
    for other in range(first, first + 2 * ways, 2):
        if table[other] ^ table[other + 1] == key:
            place = other
            break
    table[place] = data
    table[place + 1] = key ^ data


def move_entries(table: Ints, larger: Ints, ways: int, width: int, payload: int) -> None:
    """Copy all entries to an empty larger table; each stays in its way, so that there is room."""
    for number in range(len(table) // width):
        word = table[width * number]
        if word != 0:
            key = (word >> payload << payload) | number
            place = bucket(larger, key, ways, width) + width * (number & (ways - 1))
            for index in range(width):
                larger[place + index] = table[width * number + index]


def enlarge_xored(table: Any, ways: int, times: int) -> Any:
    """Return a table ``times`` as large with the same entries, each in its way.

    Other threads may write to the old one meanwhile.  Not compiled.
    """
    table = table.copy()
    used = table[1::2].nonzero()[0]
    data, checks = table[2 * used], table[2 * used + 1]
    larger = arrays.zeros(times * len(table), "int64")
    places = bucket(larger, data ^ checks, ways, 2) + 2 * (used % ways)
    larger[places] = data
    larger[places + 1] = checks
    return larger
