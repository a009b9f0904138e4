"""Who wins the Binary Game on one row of up to 31 cells, longer than any board of the game.

``python benchmarks/binary_row.py MOST [MEMORY]``: prove the empty rows of an odd number of cells up
to MOST, and what each first move leads to, with a table of so many MiB (2048), and print what that
took: nodes and seconds of the processor.  What one row has taught helps with the next.

It shares no search with the package's solver, so that each checks the other.  A position is what
can still happen: the cells that take a digit, in their order, and for each digit the blocking sets,
two neighbours or three.  (Between two cells of a set that are not neighbours on the board stands a
stone of its digit; it is left out with all cells that take no digit.)  Where no set holds two
neighbours together, the row falls apart into *runs*.  There are few of them, and what a move makes
of a run is found once.

Only the rule that half of a row may hold a digit makes one game of several runs.  Where as many of
a digit are left as all runs can take, it says nothing any more.  Then runs are heaps, whose nimbers
add up: those of small runs are found once by all that their options lead to, not by search.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from command_line import Count, start

from gridhouse.core import arrays, bits, chance, position
from gridhouse.core.records import to_records
from gridhouse.core.specialize import specialize

if TYPE_CHECKING:
    from types import ModuleType

    Masks = tuple[int, int, int]

MOST = 31  # cells of a row: both digits' masks of them fit a word with its sign
HALF = 32  # the place of the second digit's mask
CELLS = (1 << HALF) - 1
BOTH = 1 << HALF | 1
SMALL = 14  # cells of a run whose nimber is looked up
FREE = 63  # left of a digit where the rule of half the row says nothing any more
MEMORY = 2048
LARGEST_RUNS = 1 << 22
LARGEST_OPTIONS = 1 << 28
MOST_MOVES = 96  # two for each cell and one for each smaller heap
BUCKET = 8
BEHIND = 4  # moves made before the first is looked up, so that memory is near by then
# The tables of the search: runs; their places, by hash; options, each a digit, the number of parts
# and these; codes of options; two random words for each thing in a position; outcomes of positions;
# a position for each ply; what is counted.
RUNS, PLACES, OPTIONS, SEEN, CODES, WORDS, FRAMES, COUNTS = range(8)
NUM_RUNS, NUM_OPTIONS, NODES = range(3)  # what is counted
LOST, WON, UNKNOWN = range(3)
HEAPS = (FREE + 1) ** 2  # codes of what is left of both digits come first, then those of heaps
NAMES = HEAPS + FREE + 1  # and those of runs, by their names


class Run(position.Position):
    """Cells that blocking sets hold together, and what is known of them."""

    opened = position.field("int64")
    pairs = position.field("int64")  # blocking sets of two cells, by their first
    triples = position.field("int64")
    options = position.field("int64")  # where its options begin, 0 if they are not known yet
    closed = position.field("int64", 2)  # where its parts are without one digit
    turns = position.field("int8")  # whether exchanging the digits makes another run of it
    size = position.field("int8")
    replies = position.field("int8")
    most = position.field("int8", 2)  # how many of a digit it can take
    nimber = position.field("int8")  # and one more, 0 if it is not known yet


class Frame(position.Position):
    """A position of the search, and its moves."""

    runs = position.field("int32", MOST + 1)  # numbers of runs, doubled; odd: digits exchanged
    spare = position.field("int32", MOST + 1)
    count = position.field("int64")
    left = position.field("int64", 2)  # how many of a digit the row may still hold
    heap = position.field("int64")
    place = position.field("int64")  # of the position in the table
    tag = position.field("int64")  # what tells it from all others there
    made = position.field("int64")
    looked = position.field("int64")
    listed = position.field("int64")
    slots = position.field("int64", MOST_MOVES)  # the run that a move changes, -1: the heap
    options = position.field("int64", MOST_MOVES)
    places = position.field("int64", MOST_MOVES)
    tags = position.field("int64", MOST_MOVES)
    replies = position.field("int64", MOST_MOVES)


def exchanged(mask: int) -> int:
    """Return a mask with the digits exchanged."""
    return mask >> HALF | (mask & CELLS) << HALF


def turned(mask: int, size: int) -> int:
    """Return a mask of so many places as it is read from the other end, the digits exchanged."""
    return bits.backwards(mask) >> (MOST - size)


def lesser(first: Masks, second: Masks) -> Masks:
    """Return the lesser of two; compiled code has no ``min`` for tuples."""
    if second < first:
        return second
    return first


def find(rows: Any, opened: int, pairs: int, triples: int) -> int:
    """Return the number of a run, doubled, and one more if its digits are exchanged."""
    size = bits.length((opened | opened >> HALF) & CELLS)
    here = (opened, pairs, triples)
    back = (turned(opened, size), turned(pairs, size - 1), turned(triples, size - 2))
    here_exchanged = (exchanged(opened), exchanged(pairs), exchanged(triples))
    back_exchanged = (exchanged(back[0]), exchanged(back[1]), exchanged(back[2]))
    own = lesser(here, back_exchanged)
    other = lesser(back, here_exchanged)
    least = lesser(own, other)
    code = chance.zobrist(least[0] ^ chance.zobrist(least[1] ^ chance.zobrist(least[2])))
    place = code & len(rows[PLACES]) - 1
    while rows[PLACES][place]:
        number = rows[PLACES][place] - 1
        run = rows[RUNS][number]
        if (run.opened, run.pairs, run.triples) == least:
            return int(2 * number + (other < own))
        place = place + 1 & len(rows[PLACES]) - 1
    number = rows[COUNTS][NUM_RUNS]
    if number == len(rows[RUNS]):
        raise MemoryError("no room for more runs")
    rows[COUNTS][NUM_RUNS] += 1
    rows[PLACES][place] = number + 1
    run = rows[RUNS][number]
    run.opened, run.pairs, run.triples = least
    run.turns = own != other
    run.size = size
    run.replies = bits.population(opened)
    for digit in range(2):
        run.most[digit] = most(least[0] >> HALF * digit, least[1] >> HALF * digit,
                               least[2] >> HALF * digit, size)  # fmt: skip
    return int(2 * number + (other < own))


def most(opened: int, pairs: int, triples: int, size: int) -> int:
    """Return how many cells can take one digit at once, from the masks of this digit."""
    none = 0  # the cell before has not taken it
    one = -MOST  # it has, the one before that has not
    two = -MOST
    for cell in range(size):
        best = max(none, one, two)
        if not opened >> cell & 1:
            none, one, two = best, -MOST, -MOST
        elif cell and pairs >> cell - 1 & 1:
            none, one, two = best, none + 1, -MOST
        elif cell > 1 and triples >> cell - 2 & 1:
            none, one, two = best, none + 1, one + 1
        else:
            none, one, two = best, none + 1, max(one, two) + 1
    return max(none, one, two)


def without(mask: int, cell: int) -> int:
    """Return a mask without a cell that it does not have."""
    low = ((1 << cell) - 1) * BOTH
    return mask & low | (mask & ~low) >> 1


def write(rows: Any, digit: int, opened: int, pairs: int, triples: int) -> int:
    """Write the runs of a row's masks where the next options are; return where they are.

    Sets with a cell that is not open any more, and those that hold a smaller one, are left out.
    """
    pairs &= opened & opened >> 1
    triples &= opened & opened >> 1 & opened >> 2 & ~(pairs | pairs >> 1)
    for cell in range(MOST - 1, -1, -1):
        if not opened & BOTH << cell:
            opened = without(opened, cell)
            pairs = without(pairs, cell)
            triples = without(triples, cell)
    links = pairs | triples | triples << 1
    links = (links | links >> HALF) & CELLS
    at = rows[COUNTS][NUM_OPTIONS]
    if at + MOST + 1 >= len(rows[OPTIONS]):
        raise MemoryError("no room for more options")
    end = at + 1
    low = 0
    while opened >> low & BOTH:
        size = bits.lowest(~(links >> low)) + 1
        cut = ((1 << size) - 1) * BOTH
        rows[OPTIONS][end] = find(
            rows, opened >> low & cut, pairs >> low & cut, triples >> low & cut
        )
        low += size
        end += 1
    rows[OPTIONS][at] = digit | (end - at - 1) << 1
    rows[COUNTS][NUM_OPTIONS] = end
    return int(at)


def write_move(rows: Any, run: Any, cell: int, digit: int) -> int:
    """Write what a digit in a cell leaves of a run; return where."""
    here = BOTH << cell
    own = 1 << HALF * digit + cell
    closed = (run.pairs & own) << 1 | run.pairs & own >> 1
    opened = run.opened & ~(here | closed)
    pairs = run.pairs & ~(here | here >> 1)
    triples = run.triples & ~(here | here >> 1 | here >> 2)
    # What is left of a set of three are neighbours once the cell is taken out.
    halved = run.triples & (own | own >> 1 | own >> 2)
    return write(
        rows, digit, without(opened, cell), without(pairs, cell) | halved, without(triples, cell)
    )


def options_of(rows: Any, number: int) -> int:
    """Return where the options of a run are: how many, then each of them, none twice."""
    run = rows[RUNS][number]
    if run.options:
        return int(run.options)
    first = rows[COUNTS][NUM_OPTIONS]
    rows[COUNTS][NUM_OPTIONS] += 1
    count = 0
    for digit in range(2):
        for cell in range(run.size):
            if run.opened >> HALF * digit + cell & 1:
                at = write_move(rows, run, cell, digit)
                rows[SEEN][count] = parts_code(rows, at)
                earlier = 0
                while rows[SEEN][earlier] != rows[SEEN][count]:
                    earlier += 1
                if earlier < count:
                    rows[COUNTS][NUM_OPTIONS] = at
                else:
                    count += 1
    rows[OPTIONS][first] = count
    run.options = first
    return int(first)


def parts_code(rows: Any, at: int) -> int:
    """Return bits that depend on an option, but not on the order of its parts."""
    code = rows[OPTIONS][at] & 1
    for part in range(rows[OPTIONS][at] >> 1):
        code += rows[CODES][2 * (NAMES + rows[OPTIONS][at + 1 + part])]
    return int(code)


def parts_without(rows: Any, number: int, digit: int) -> int:
    """Return where the parts are that a run falls into when a digit may be written no more."""
    run = rows[RUNS][number]
    if not run.closed[digit]:
        kept = CELLS << HALF * (1 - digit)
        run.closed[digit] = write(rows, 0, run.opened & kept, run.pairs & kept, run.triples & kept)
    return int(run.closed[digit])


def nimber(rows: Any, number: int) -> int:
    """Return the nimber of a run by itself: the least that none of its options has."""
    run = rows[RUNS][number]
    if not run.nimber:
        reached = 0
        at = options_of(rows, number)
        left = rows[OPTIONS][at]
        at += 1
        while left:
            parts = rows[OPTIONS][at] >> 1
            total = 0
            for part in range(parts):
                total ^= nimber(rows, rows[OPTIONS][at + 1 + part] >> 1)
            reached |= 1 << total
            at += 1 + parts
            left -= 1
        run.nimber = bits.lowest(~reached) + 1
    return int(run.nimber - 1)


def most_of(rows: Any, name: int, digit: int) -> int:
    """Return how many of a digit a run of a position can take."""
    return int(rows[RUNS][name >> 1].most[(name ^ digit) & 1])


def add(rows: Any, frame: Any, at: int, turn: int) -> None:
    """Add the runs that are written somewhere to a position, perhaps with the digits exchanged."""
    for part in range(rows[OPTIONS][at] >> 1):
        name = rows[OPTIONS][at + 1 + part]
        frame.runs[frame.count] = name ^ (turn & rows[RUNS][name >> 1].turns)
        frame.count += 1


def close(rows: Any, frame: Any, digit: int) -> None:
    """Take a digit away that the row may not hold any more."""
    count = frame.count
    for slot in range(count):
        frame.spare[slot] = frame.runs[slot]
    frame.count = 0
    for slot in range(count):
        name = frame.spare[slot]
        add(rows, frame, parts_without(rows, name >> 1, (name ^ digit) & 1), name & 1)


def settle(rows: Any, frame: Any) -> None:
    """Leave out what says nothing any more, and make heaps of runs."""
    for digit in range(2):
        room = 0
        for slot in range(frame.count):
            room += most_of(rows, frame.runs[slot], digit)
        if not frame.left[digit] and room:
            close(rows, frame, digit)
        if frame.left[digit] == 0 or frame.left[digit] >= room:
            frame.left[digit] = FREE
    zeros_free = frame.left[0] == FREE
    ones_free = frame.left[1] == FREE
    count = frame.count
    frame.count = 0
    for slot in range(count):
        name = frame.runs[slot]
        is_free = (zeros_free or not most_of(rows, name, 0)) and (
            ones_free or not most_of(rows, name, 1)
        )
        if is_free and rows[RUNS][name >> 1].size <= SMALL:
            frame.heap ^= nimber(rows, name >> 1)
        else:
            frame.runs[frame.count] = name
            frame.count += 1
    find_place(rows, frame)


def find_place(rows: Any, frame: Any) -> None:
    """Find where the table has a position, which is the same with the digits exchanged.

    Sums of one half of the random words tell the place, sums of the other half the tag that is
    compared there, so that a position is hardly ever taken for another one.
    """
    codes = rows[CODES]
    caps = 2 * ((FREE + 1) * frame.left[0] + frame.left[1])
    caps_exchanged = 2 * ((FREE + 1) * frame.left[1] + frame.left[0])
    place, tag = codes[caps], codes[caps + 1]
    place_exchanged, tag_exchanged = codes[caps_exchanged], codes[caps_exchanged + 1]
    for slot in range(frame.count):
        name = frame.runs[slot]
        at = 2 * (NAMES + name)
        place += codes[at]
        tag += codes[at + 1]
        at = 2 * (NAMES + (name ^ rows[RUNS][name >> 1].turns))
        place_exchanged += codes[at]
        tag_exchanged += codes[at + 1]
    if tag_exchanged & chance.KEY < tag & chance.KEY:
        place, tag = place_exchanged, tag_exchanged
    at = 2 * (HEAPS + frame.heap)
    frame.place = BUCKET * (place + codes[at] & len(rows[WORDS]) // BUCKET - 1)
    frame.tag = max(1, tag + codes[at + 1] & chance.KEY)


def make(rows: Any, frame: Any, child: Any, slot: int, option: int) -> None:
    """Make a move: one of a run's options, or to a smaller heap."""
    child.left[0] = frame.left[0]
    child.left[1] = frame.left[1]
    child.heap = frame.heap if slot >= 0 else option
    child.count = 0
    for other in range(frame.count):
        if other != slot:
            child.runs[child.count] = frame.runs[other]
            child.count += 1
    if slot >= 0:
        name = frame.runs[slot]
        add(rows, child, option, name & 1)
        digit = (rows[OPTIONS][option] ^ name) & 1
        if child.left[digit] < FREE:
            child.left[digit] -= 1
    settle(rows, child)


def probe(rows: Any, place: int, tag: int) -> int:
    """Return who wins a position, if the table knows."""
    for word in rows[WORDS][place : place + BUCKET]:
        if word >> 1 == tag:
            return int(word & 1)
    return UNKNOWN


def store(rows: Any, place: int, tag: int, value: int) -> None:
    """Note who wins a position, in place of any other one if there is no room."""
    at = place
    while at < place + BUCKET and rows[WORDS][at]:
        at += 1
    if at == place + BUCKET:
        at = place + tag % BUCKET
    rows[WORDS][at] = tag << 1 | value


def list_moves(rows: Any, at: int) -> bool:
    """List the moves of which nothing is known; tell whether one is known to win."""
    frame = rows[FRAMES][at]
    child = rows[FRAMES][at + 1]
    frame.made = 0
    frame.looked = 0
    frame.listed = 0
    for slot in range(frame.count):
        name = frame.runs[slot]
        earlier = 0
        while frame.runs[earlier] != name:
            earlier += 1
        if earlier == slot:
            option = options_of(rows, name >> 1)
            left = rows[OPTIONS][option]
            option += 1
            while left:
                if offer(rows, frame, child, slot, option):
                    return True
                option += 1 + (rows[OPTIONS][option] >> 1)
                left -= 1
    for heap in range(frame.heap):
        if offer(rows, frame, child, -1, heap):
            return True
    return look(rows, frame, frame.made)


def offer(rows: Any, frame: Any, child: Any, slot: int, option: int) -> bool:
    """Make a move and note it, to be looked up soon; tell whether one is known to win."""
    make(rows, frame, child, slot, option)
    if not child.count:
        return bool(child.heap == 0)
    bits.prefetch(rows[WORDS], child.place)
    replies = child.heap
    for other in range(child.count):
        replies += rows[RUNS][child.runs[other] >> 1].replies
    at = frame.made
    frame.places[at] = child.place
    frame.tags[at] = child.tag
    note(frame, at, slot, option, replies)
    frame.made += 1
    return look(rows, frame, frame.made - BEHIND)


def note(frame: Any, index: int, slot: int, option: int, replies: int) -> None:
    """Note a move in its place."""
    frame.slots[index] = slot
    frame.options[index] = option
    frame.replies[index] = replies


def move_to(frame: Any, index: int, to: int) -> None:
    """Note a move in another place."""
    note(frame, to, frame.slots[index], frame.options[index], frame.replies[index])


def look(rows: Any, frame: Any, end: int) -> bool:
    """Look moves up and keep those of which nothing is known; tell whether one wins."""
    while frame.looked < end:
        value = probe(rows, frame.places[frame.looked], frame.tags[frame.looked])
        if value == LOST:
            return True
        if value == UNKNOWN:
            move_to(frame, frame.looked, frame.listed)
            frame.listed += 1
        frame.looked += 1
    return False


def best_move(frame: Any) -> int:
    """Return the place of a move with the fewest replies."""
    best = 0
    for index in range(1, frame.listed):
        if frame.replies[index] < frame.replies[best]:
            best = index
    return best


def wins(rows: Any, at: int) -> bool:
    """Tell whether the player to move wins, depth first, replies of the fewest first."""
    frame = rows[FRAMES][at]
    child = rows[FRAMES][at + 1]
    rows[COUNTS][NODES] += 1
    won = list_moves(rows, at)
    while not won and frame.listed:
        index = best_move(frame)
        make(rows, frame, child, frame.slots[index], frame.options[index])
        frame.listed -= 1
        move_to(frame, frame.listed, index)
        value = probe(rows, child.place, child.tag)
        won = not wins(rows, at + 1) if value == UNKNOWN else value == LOST
    store(rows, frame.place, frame.tag, int(won))
    return won


def begin(
    rows: Any, opened: int, pairs: int, triples: int, zeros: int, ones: int, heap: int
) -> int:
    """Make a position of a row's masks and a heap; return who wins it, if that is known.

    The row may hold so many more zeros and ones.
    """
    frame = rows[FRAMES][0]
    frame.count = 0
    frame.left[0] = zeros
    frame.left[1] = ones
    frame.heap = heap
    add(rows, frame, write(rows, 0, opened, pairs, triples), 0)
    settle(rows, frame)
    if not frame.count:
        return int(frame.heap > 0)
    return probe(rows, frame.place, frame.tag)


class Prover:
    """The search of rows, which keeps what it has found."""

    def __init__(self, memory: int = MEMORY, seed: int = 0) -> None:
        """Make a table of so many MiB, or half of it; another seed finds the same."""
        words = BUCKET
        while 2 * words * 8 <= memory * arrays.MEGABYTE:
            words *= 2
        self._kernels: ModuleType = specialize(sys.modules[__name__], "binary")
        self._tables = (
            to_records(Run(), LARGEST_RUNS),
            np.zeros(2 * LARGEST_RUNS, np.int32),
            np.zeros(LARGEST_OPTIONS, np.int32),
            np.zeros(MOST_MOVES, np.int64),
            np.random.default_rng(seed).integers(chance.KEY, size=2 * (NAMES + 2 * LARGEST_RUNS)),
            arrays.zeros(words, "int64"),
            to_records(Frame(), 2 * MOST + 2),
            np.zeros(3, np.int64),
        )
        self._tables[COUNTS][NUM_OPTIONS] = 1  # a run without options has them at 0

    @property
    def nodes(self) -> int:
        """Return how many positions were searched."""
        return int(self._tables[COUNTS][NODES])

    def wins(self, row: str, heap: int = 0) -> bool:
        """Tell whether the player to move wins a row, such as ``..0.1..``, beside a heap."""
        masks = [0, 0, 0]
        left = []
        opened = [open_cells(row, digit) for digit in "01"]
        cells = sorted(opened[0] | opened[1])
        for digit in range(2):
            for cell in opened[digit]:
                masks[0] |= 1 << HALF * digit + cells.index(cell)
            for one in blocking_sets(row, str(digit), opened[digit]):
                masks[len(one) - 1] |= 1 << HALF * digit + cells.index(min(one))
            left.append((len(row) + 1) // 2 - row.count(str(digit)))
        known = self._kernels.begin(self._tables, *masks, *left, heap)
        return bool(self._kernels.wins(self._tables, 0) if known == UNKNOWN else known == WON)

    def nimber(self, row: str) -> int:
        """Return the nimber of a row: of the heap beside which it is lost."""
        heap = 0
        while self.wins(row, heap):
            heap += 1
        return heap


def windows(row: str) -> list[range]:
    """Return the places of all three cells in a row."""
    return [range(first, first + 3) for first in range(len(row) - 2)]


def open_cells(row: str, digit: str) -> set[int]:
    """Return the empty cells in which a digit makes no three in a row."""
    full = [one for one in windows(row) if sum(row[cell] == digit for cell in one) == 2]
    return {cell for cell, held in enumerate(row) if held == "."} - {c for one in full for c in one}


def blocking_sets(row: str, digit: str, opened: set[int]) -> list[set[int]]:
    """Return the sets of open cells that would make three of a digit in a row."""
    return [
        {cell for cell in one if cell in opened}
        for one in windows(row)
        if all(cell in opened or row[cell] == digit for cell in one)
    ]


def prove(most: Annotated[int, typer.Argument(min=1, max=MOST)], memory: Count = MEMORY) -> None:
    """Prove the rows of an odd number of cells, and what each first move leads to.

    Those in the other half of a row, or of the other digit, are images of these.
    """
    prover = Prover(memory)
    prover.wins(".")  # to load the compiled code
    for cells in range(1, most + 1, 2):
        begun, before = time.process_time(), prover.nodes
        outcome = "first" if prover.wins("." * cells) else "second"
        line = f"{cells}x1: {outcome} player, {took(prover, begun, before)}"
        print(line, end="", flush=True)
        begun, before = time.process_time(), prover.nodes
        firsts = ["." * cell + "0" + "." * (cells - 1 - cell) for cell in range((cells + 1) // 2)]
        lost = sum(not prover.wins(row) for row in firsts)
        print(
            f"; {lost} of {len(firsts)} first moves win, {took(prover, begun, before)}", flush=True
        )


def took(prover: Prover, begun: float, before: int) -> str:
    """Return the nodes and processor seconds since a moment."""
    return f"{prover.nodes - before} nodes, {time.process_time() - begun:.2f} s"


if __name__ == "__main__":
    # Compiled code is kept by the name of its module, which is to be the same for all.
    from binary_row import prove as work

    start(work)
