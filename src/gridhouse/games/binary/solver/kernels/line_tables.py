"""The constraints that one line still puts on a digit: a table entry for each state of its cells.

For one digit, a cell of a line is a *stone* of that digit, a *candidate* (it can still take it), or
neither.  These states as digits of a number in base three (0 neither, 1 stone, 2 candidate, least
significant cell first) are the line's *code*.  The line's constraints are its *minimal nogoods*:
sets of candidates that cannot all take the digit, though all but any one of them can.  Codes with
the same candidates and the same nogoods have the same future, whatever stones made them so.
"""

from __future__ import annotations

from gridhouse.core import bits, chance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gridhouse.games.binary.solver.kernels.records import Entries, Entry, Line, Words

# Nogoods and sets of candidates are hashed apart.
NOGOOD_SALT = 1 << 40
CANDIDATES_SALT = 2 << 40


def places_of(line: Line, cells: int) -> int:
    """Return the places of a set of the line's cells."""
    places = 0
    for cell in range(line.num_cells):
        if cells >> cell & 1:
            places |= 1 << line.places[cell]
    return places


def is_legal(line: Line, cells: int) -> bool:
    """Return whether all these cells may hold the digit at once."""
    places = line.fixed_stones | places_of(line, cells)
    if bits.population(places) > line.most_stones:
        return False
    return not places & places >> 1 & places >> 2


def mirrored(places: int, length: int) -> int:
    """Return places counted from the other end of the line."""
    result = 0
    for place in range(length):
        if places >> place & 1:
            result |= 1 << (length - 1 - place)
    return result


def is_minimal_nogood(line: Line, stones: int, cells: int) -> bool:
    """Return whether the cells cannot all take the digit, though all but any one of them can."""
    if is_legal(line, stones | cells):
        return False
    rest = cells
    while rest:
        last = rest & -rest
        rest ^= last
        if not is_legal(line, stones | cells ^ last):
            return False
    return True


def forbidden_cells(line: Line, stones: int, candidates: int) -> int:
    """Return the candidates that cannot take the digit any more."""
    forbidden = 0
    rest = candidates
    while rest:
        cell = rest & -rest
        rest ^= cell
        if not is_legal(line, stones | cell):
            forbidden |= cell
    return forbidden


def fill_table(line: Line, entries: Entries, connected: Words, nogoods: Words, first: int) -> int:
    """Fill a line's entries; return where its nogoods end, which are listed from ``first`` on.

    Where ``nogoods`` is too short they are counted but not written.
    """
    count = 1
    for _ in range(line.num_cells):
        count *= 3
    for code in range(count):
        entry = entries[line.entry_base + code]
        entry.first_nogood = first
        first = fill_entry(line, entry, code, connected, 0, nogoods)
    return first


def fill_entry(
    line: Line, entry: Entry, code: int, connected: Words, base: int, nogoods: Words
) -> int:
    """Fill the entry of a code; return where its nogoods end.

    ``connected`` gets, from ``base`` on, for each code and each of its cells the cells that share
    a nogood with it, directly or through others.
    """
    stones = 0
    candidates = 0
    rest = code
    for cell in range(line.num_cells):
        state = rest % 3
        rest //= 3
        stones |= (state & 1) << cell
        candidates |= (state >> 1) << cell
    if not is_legal(line, stones):
        return entry.first_nogood
    entry.forbidden = forbidden_cells(line, stones, candidates)
    if entry.forbidden:
        return entry.first_nogood
    entry.nogood_cells = 0  # the same table is filled twice: to count nogoods, and to list them
    entry.forward_hash = 0
    entry.backward_hash = 0
    if candidates and not line.keys_candidates:
        places = places_of(line, candidates)
        entry.forward_hash = chance.zobrist(CANDIDATES_SALT | places)
        entry.backward_hash = chance.zobrist(CANDIDATES_SALT | mirrored(places, line.length))
    at = base + line.connected_base + code * line.num_cells
    end = entry.first_nogood
    cells = candidates
    while cells:
        if is_minimal_nogood(line, stones, cells):
            add_nogood(line, entry, cells)
            connect(line, connected, at, cells)
            if end < len(nogoods):
                nogoods[end] = cells
            end += 1
        cells = (cells - 1) & candidates
    entry.num_nogoods = end - entry.first_nogood
    entry.is_split = int(
        entry.nogood_cells != 0
        and connected[at + bits.lowest(entry.nogood_cells)] != entry.nogood_cells
    )
    return end


def add_nogood(line: Line, entry: Entry, cells: int) -> None:
    """Add a nogood to an entry's cells and hashes."""
    places = places_of(line, cells)
    forward = entry.forward_hash + chance.zobrist(NOGOOD_SALT | places)
    backward = entry.backward_hash + chance.zobrist(NOGOOD_SALT | mirrored(places, line.length))
    entry.forward_hash = forward & chance.KEY
    entry.backward_hash = backward & chance.KEY
    entry.nogood_cells |= cells


def connect(line: Line, connected: Words, at: int, cells: int) -> None:
    """Connect cells with each other, and with all that any of them was connected with before."""
    group = cells
    for cell in range(line.num_cells):
        group |= connected[at + cell] if cells >> cell & 1 else 0
    for cell in range(line.num_cells):
        if group >> cell & 1:
            connected[at + cell] = group
