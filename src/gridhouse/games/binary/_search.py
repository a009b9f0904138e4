"""The search behind the solver: who wins a position of the Binary Game plus a nim heap.

A position here is what can still happen: for each digit the cells open to it and the codes of all
lines (see ``_lines``).  ``prove`` searches depth first; ``expand`` is a depth-first proof-number
search (Nagai, 2002) above it.  Positions fall apart into components, whose nimbers are found by
searching each together with nim heaps, after Lemoine and Viennot, Nimbers are inevitable (2012).

Everything is given as arrays of records or of words, and runs interpreted and compiled.
"""

from __future__ import annotations

from gridhouse.core import bits, chance, position
from gridhouse.games.binary._lines import HALF, LOW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST_CELLS = 63
MOST_LINES = 40
MOST_MOVES = 2 * MOST_CELLS
MOST_FRAMES = 160
SYMMETRIES = 16

LOSS = 0
WIN = 1
UNKNOWN = -1
NONE_LEFT = 2

# A word of the table: the key's upper bits, the nimber or the heaps known to win, and the work.
WAYS = 8
WORK_BITS = 6
HEAPS = 9
EXACT = 1 << (WORK_BITS + HEAPS)
PAYLOAD = WORK_BITS + HEAPS + 1
WORK = (1 << WORK_BITS) - 1

# Two words of the proof-number table: key and work, proof and disproof number.
PAIRS = 4
INFINITE = 1 << 30
NUMBER_BITS = 31
NUMBER = (1 << NUMBER_BITS) - 1
HEAP_STEP = 0x1D8E4E27C47D124F

SLACK = 4
ODD = 1 << 20  # added to what is to be tried late
TRIED = 1 << 60

# What may be switched off, to see what it earns.
PAIRING = 1
PARITY = 2
COMPONENTS = 4
LOOKUP = 8
SYMMETRY = 16
ORDER = 32
ALL = 63


class Layout(position.Position):
    """The board of a search: where its cells stand, its lines, its symmetries."""

    layout = position.integer("int8")
    num_cells = position.integer("int32")
    num_rows = position.integer("int32")
    num_lines = position.integer("int32")
    num_symmetries = position.integer("int32")
    switches = position.integer("int32")
    limit = position.integer("int32")  # cells up to which proof numbers are not used
    row = position.integers("int32", MOST_CELLS)
    col = position.integers("int32", MOST_CELLS)
    row_step = position.integers("int32", MOST_CELLS)  # of a line's code, a power of three
    col_step = position.integers("int32", MOST_CELLS)
    row_place = position.integers("int32", MOST_CELLS)
    col_place = position.integers("int32", MOST_CELLS)
    board = position.integers("int64", MOST_LINES)  # the cells of a line
    lengths = position.integers("int32", MOST_LINES)  # how many they are
    blocks = position.integer("int64")  # where the lists of blocking sets begin
    first = position.integers("int64", MOST_LINES)  # where a line's sets of cells begin
    entries = position.integers("int64", 2 * MOST_LINES)  # where its entries begin, a digit each
    near = position.integers("int64", 2 * MOST_LINES)
    turned = position.integers("int32", SYMMETRIES)  # whether rows become columns
    swapped = position.integers("int32", SYMMETRIES)  # whether digits change
    flipped = position.integers("int32", SYMMETRIES)  # bit 0: rows run backwards, 1: columns
    image = position.integers("int32", SYMMETRIES * MOST_CELLS)
    goes = position.integers("int32", SYMMETRIES * MOST_LINES)  # where a line goes
    runs = position.integers("int32", SYMMETRIES * MOST_LINES)  # whether it runs backwards there
    factor = position.integers("int64", 2 * MOST_LINES)


class Frame(position.Position):
    """A ply: a position with its heap, and what is known of its moves."""

    frame = position.integer("int8")
    opened = position.integers("int64", 2)
    codes = position.integers("int32", 2 * MOST_LINES)
    heap = position.integer("int64")
    key = position.integer("int64")
    risk = position.integer("int64")
    count = position.integer("int32")
    num_parts = position.integer("int32")
    part = position.integer("int32")
    nimber = position.integer("int64")
    best = position.integer("int32")
    least = position.integer("int64")
    second = position.integer("int64")
    greatest = position.integer("int64")
    left = position.integer("int64")
    keys = position.integers("int64", MOST_MOVES)
    scores = position.integers("int64", MOST_MOVES)
    zeros = position.integers("int64", MOST_MOVES)
    ones = position.integers("int64", MOST_MOVES)
    risks = position.integers("int64", MOST_MOVES)
    heaps = position.integers("int32", MOST_MOVES)
    moves = position.integers("int32", MOST_MOVES)
    proofs = position.integers("int64", MOST_MOVES)
    disproofs = position.integers("int64", MOST_MOVES)
    parts = position.integers("int64", MOST_CELLS)


class Control(position.Position):
    """What a search shares with who watches it; ``stop`` may be set from another thread."""

    control = position.integer("int8")
    stop = position.integer("int8")
    nodes = position.integer("int64")
    limit = position.integer("int64")
    noise = position.integer("int64")
    s0 = position.integer("int64")
    s1 = position.integer("int64")
    found = position.integer("int32")


def copy(to: Any, frame: Any, num_lines: int) -> None:
    """Copy a position with its heap."""
    to.heap = frame.heap
    for digit in range(2):
        to.opened[digit] = frame.opened[digit]
        for line in range(digit * MOST_LINES, digit * MOST_LINES + num_lines):
            to.codes[line] = frame.codes[line]


def close(frame: Any, layout: Any, cells: int, digit: int) -> None:
    """Take a digit away from open cells."""
    frame.opened[digit] &= ~cells
    base = digit * MOST_LINES
    while cells:
        cell = bits.lowest(cells)
        cells &= cells - 1
        frame.codes[base + layout.row[cell]] -= 2 * layout.row_step[cell]
        frame.codes[base + layout.col[cell]] -= 2 * layout.col_step[cell]


def keep(frame: Any, layout: Any, zeros: int, ones: int) -> None:
    """Close all cells but these."""
    close(frame, layout, frame.opened[0] & ~zeros, 0)
    close(frame, layout, frame.opened[1] & ~ones, 1)


def entry_at(frame: Any, layout: Any, table: Any, at: int) -> Any:
    """Return the entry of a line as it stands; lines of the digit 1 come after ``MOST_LINES``."""
    return table[layout.entries[at] + frame.codes[at]]


def play(frame: Any, layout: Any, table: Any, sets: Any, cell: int, digit: int) -> None:
    """Write a digit into a cell that is open to it."""
    bit = 1 << cell
    row = layout.row[cell]
    col = layout.col[cell]
    base = digit * MOST_LINES
    frame.codes[base + row] -= layout.row_step[cell]
    frame.codes[base + col] -= layout.col_step[cell]
    frame.opened[digit] ^= bit
    if frame.opened[1 - digit] & bit:
        close(frame, layout, bit, 1 - digit)
    dead = sets[layout.first[row] + (entry_at(frame, layout, table, base + row).masks & LOW)]
    dead |= sets[layout.first[col] + (entry_at(frame, layout, table, base + col).masks & LOW)]
    if dead:
        close(frame, layout, dead, digit)


def touched(
    frame: Any, layout: Any, table: Any, sets: Any, digit: int, start: int, stop: int
) -> int:
    """Return the cells in the given lines that a digit may yet be taken away from."""
    result = 0
    for line in range(start, stop):
        at = digit * MOST_LINES + line
        masks = entry_at(frame, layout, table, at).masks
        result |= sets[layout.first[line] + (masks >> HALF)]
    return int(result)


def clash(frame: Any, layout: Any, table: Any, sets: Any, line: int, place: int) -> bool:
    """Tell whether one line alone can take both digits from a cell: by sets that do not meet."""
    zeros = entry_at(frame, layout, table, line)
    ones = entry_at(frame, layout, table, MOST_LINES + line)
    if zeros.count == 0 or ones.count == 0:
        return True  # the sets are not listed: they may
    bit = 1 << place
    for i in range(zeros.first, zeros.first + zeros.count):
        zero = sets[layout.blocks + i]
        if zero & bit:
            for j in range(ones.first, ones.first + ones.count):
                if sets[layout.blocks + j] & (bit | zero) == bit:
                    return True
    return False


def in_doubt(frame: Any, layout: Any, table: Any, sets: Any, cells: int, by_row: int) -> int:
    """Return those of the cells that one line can take both digits from."""
    risk = 0
    while cells:
        cell = bits.lowest(cells)
        cells &= cells - 1
        if by_row >> cell & 1:
            is_at_risk = clash(frame, layout, table, sets, layout.row[cell], layout.row_place[cell])
        else:
            is_at_risk = clash(frame, layout, table, sets, layout.col[cell], layout.col_place[cell])
        if is_at_risk:
            risk |= 1 << cell
    return risk


def is_spoilt_by(
    frame: Any, layout: Any, table: Any, digit: int, line: int, place: int, others: int
) -> bool:
    """Tell whether the digit in some other open cell of the line takes it from a place at once."""
    at = digit * MOST_LINES + line
    base = layout.entries[at] + frame.codes[at]
    while others:
        cell = bits.lowest(others)
        others &= others - 1
        step = layout.row_step[cell] if line < layout.num_rows else layout.col_step[cell]
        if table[base - step].masks >> place & 1:
            return True
    return False


def can_spoil(frame: Any, layout: Any, table: Any, cell: int) -> bool:
    """Tell whether one move leaves a cell without any digit."""
    bit = 1 << cell
    if frame.opened[0] & frame.opened[1] & bit:
        return False
    digit = 0 if frame.opened[0] & bit else 1
    others = frame.opened[digit] & ~bit
    row = layout.row[cell]
    col = layout.col[cell]
    return is_spoilt_by(
        frame, layout, table, digit, row, layout.row_place[cell], others & layout.board[row]
    ) or is_spoilt_by(
        frame, layout, table, digit, col, layout.col_place[cell], others & layout.board[col]
    )


def settle(frame: Any, layout: Any, table: Any, sets: Any) -> int:
    """Take away moves that nothing touches, counting them; return who wins if that is plain."""
    rows = layout.num_rows
    lines = layout.num_lines
    zero_rows = touched(frame, layout, table, sets, 0, 0, rows)
    zero_cols = touched(frame, layout, table, sets, 0, rows, lines)
    one_rows = touched(frame, layout, table, sets, 1, 0, rows)
    one_cols = touched(frame, layout, table, sets, 1, rows, lines)
    zeros = zero_rows | zero_cols
    ones = one_rows | one_cols
    alone = (frame.opened[0] | frame.opened[1]) & ~(zeros | ones)
    if alone:
        frame.heap ^= bits.population(alone) & 1
        close(frame, layout, alone & frame.opened[0], 0)
        close(frame, layout, alone & frame.opened[1], 1)
    live = frame.opened[0] | frame.opened[1]
    frame.risk = live
    if live == 0:
        return WIN if frame.heap else LOSS
    if not layout.switches & PARITY:
        return UNKNOWN
    risk = (zeros & ~frame.opened[1]) | (ones & ~frame.opened[0])
    risk |= (zero_rows & one_cols) | (zero_cols & one_rows)
    doubt = zeros & ones & ~risk
    if doubt:
        risk |= in_doubt(frame, layout, table, sets, doubt, zero_rows)
    frame.risk = risk
    return count_out(frame, layout, table, bits.population(live) & 1)


def count_out(frame: Any, layout: Any, table: Any, odd: int) -> int:
    """Return who wins if the number of moves left tells it; ``odd`` if the live cells are.

    A cell is at risk if it may come to stay empty for good.  If none is, the number of moves left
    is known.  If one is, a player with the right number plays there; the other can only spoil it
    at once.
    """
    risk = frame.risk
    if risk & (risk - 1):
        return UNKNOWN
    if risk == 0 or (frame.heap < 2 and frame.heap != odd):
        return WIN if frame.heap != odd else LOSS
    if can_spoil(frame, layout, table, bits.lowest(risk)):
        return WIN if frame.heap < 2 else UNKNOWN
    return WIN if frame.heap != odd else LOSS


def image_key(frame: Any, layout: Any, table: Any, symmetry: int) -> int:
    """Return the key of the position's image under a symmetry."""
    total = 0
    swap = layout.swapped[symmetry]
    for digit in range(2):
        goes = (digit ^ swap) * MOST_LINES
        for line in range(layout.num_lines):
            entry = entry_at(frame, layout, table, digit * MOST_LINES + line)
            at = symmetry * MOST_LINES + line
            future = entry.back if layout.runs[at] else entry.ahead
            total += layout.factor[goes + layout.goes[at]] * future
    total &= chance.KEY
    return int(total ^ (total >> 29))


def choices(first: int, second: int) -> int:
    """Return as two bits which of two ways is to be taken: the lesser sum's, or both."""
    if first == second:
        return 3
    return 1 if first < second else 2


def set_key(frame: Any, layout: Any, table: Any) -> int:
    """Set the key, the same for all images of the position; return how many had to be looked at.

    Sums that an image has in another order tell which image to take; where they are equal, the
    least key of those left is taken.
    """
    frame.key = image_key(frame, layout, table, 0)
    if layout.num_symmetries == 1:
        return 1
    sums_zero = 0
    sums_one = 0
    down = 0
    up = 0
    right = 0
    left = 0
    rows = layout.num_rows
    for line in range(layout.num_lines):
        entry = entry_at(frame, layout, table, line)
        zero = entry.ahead + entry.back
        entry = entry_at(frame, layout, table, MOST_LINES + line)
        one = entry.ahead + entry.back
        sums_zero += zero
        sums_one += one
        both = (zero + one) & chance.KEY
        if line < rows:
            down += layout.factor[line] * both
            up += layout.factor[rows - 1 - line] * both
        else:
            right += layout.factor[line - rows] * both
            left += layout.factor[layout.num_lines - 1 - line] * both
    return least_image(
        frame,
        layout,
        table,
        choices(sums_zero & chance.KEY, sums_one & chance.KEY),
        choices(down & chance.KEY, up & chance.KEY),
        choices(right & chance.KEY, left & chance.KEY),
        choices(
            min(down & chance.KEY, up & chance.KEY), min(right & chance.KEY, left & chance.KEY)
        ),
    )


def least_image(
    frame: Any, layout: Any, table: Any, swaps: int, ups: int, lefts: int, turns: int
) -> int:
    """Set the least key of the images under the symmetries left; return how many they are."""
    count = 0
    for symmetry in range(layout.num_symmetries):
        if (
            swaps >> layout.swapped[symmetry] & 1
            and ups >> (layout.flipped[symmetry] & 1) & 1
            and lefts >> (layout.flipped[symmetry] >> 1) & 1
            and (layout.num_symmetries < SYMMETRIES or turns >> layout.turned[symmetry] & 1)
        ):
            key = frame.key if symmetry == 0 else image_key(frame, layout, table, symmetry)
            if count == 0 or key < frame.key:
                frame.key = key
            count += 1
    return count


def is_paired(frame: Any, layout: Any, table: Any, sets: Any) -> bool:
    """Tell whether the reply at a symmetry's image will always be there: then the nimber is 0.

    The symmetry leaves the position as it is and no open cell in its place, and is its own
    inverse.  A digit takes nothing from the other one, so a reply with the other digit is safe.
    One with the same digit is safe, now and later, if no blocking set holds a cell and its image:
    what blocks later is part of what blocks now.
    """
    own = image_key(frame, layout, table, 0)
    for symmetry in range(1, layout.num_symmetries):
        if image_key(frame, layout, table, symmetry) == own and answers(
            frame, layout, sets, symmetry
        ):
            return True
    return False


def answers(frame: Any, layout: Any, sets: Any, symmetry: int) -> bool:
    """Tell whether every move can be answered at its image, now and later."""
    swap = layout.swapped[symmetry]
    base = symmetry * MOST_CELLS
    for digit in range(2):
        cells = frame.opened[digit]
        while cells:
            cell = bits.lowest(cells)
            cells &= cells - 1
            image = layout.image[base + cell]
            if image == cell or layout.image[base + image] != cell:
                return False
            if swap == 0 and sharing(frame, layout, sets, cell, digit) >> image & 1:
                return False
    return True


def probe(words: Any, key: int, heap: int) -> int:
    """Return what the table knows of who wins a position with a heap."""
    at = key & (len(words) - WAYS)
    mark = key >> PAYLOAD
    for way in range(WAYS):
        word = words[at + way]
        if word >> PAYLOAD == mark:
            if word & EXACT:
                return LOSS if (word & (EXACT - 1)) >> WORK_BITS == heap else WIN
            known = heap < HEAPS and word >> (WORK_BITS + heap) & 1
            return WIN if known else UNKNOWN
    return UNKNOWN


def store(words: Any, key: int, heap: int, value: int, work: int) -> None:
    """Note who wins a position with a heap, in place of what took the least work.

    A position that is lost with some heap has its size as its nimber, which says all.
    """
    if heap >= HEAPS and value == WIN:
        return
    at = key & (len(words) - WAYS)
    mark = key >> PAYLOAD
    place = at
    least = WORK + 1
    known = 0
    for way in range(WAYS):
        word = words[at + way]
        if word >> PAYLOAD == mark:
            place = at + way
            known = word & (EXACT - 1) & ~WORK
            work += word & WORK
            break
        if word & WORK < least:
            least = word & WORK
            place = at + way
    said = EXACT | heap << WORK_BITS if value == LOSS else known | 1 << (WORK_BITS + heap)
    words[place] = mark << PAYLOAD | said | min(WORK, 2 * bits.length(work + 1))


def enter(frame: Any, layout: Any, table: Any, sets: Any, words: Any) -> int:
    """Return who wins a position if that is plain or known, and make it ready to be searched."""
    value = settle(frame, layout, table, sets)
    if value != UNKNOWN:
        return value
    images = set_key(frame, layout, table)
    if layout.switches & LOOKUP:
        value = probe(words, frame.key, frame.heap)
    if (
        value == UNKNOWN
        and images > 1
        and layout.switches & PAIRING
        and is_paired(frame, layout, table, sets)
    ):
        store(words, frame.key, 0, LOSS, 1)
        value = WIN if frame.heap else LOSS
    return value


def sharing(frame: Any, layout: Any, sets: Any, cell: int, digit: int) -> int:
    """Return the cells that share a blocking set of a digit with a cell."""
    row = layout.row[cell]
    col = layout.col[cell]
    at = digit * MOST_LINES + row
    place = layout.near[at] + frame.codes[at] * layout.lengths[row] + layout.row_place[cell]
    result = sets[layout.first[row] + sets[place]]
    at = digit * MOST_LINES + col
    place = layout.near[at] + frame.codes[at] * layout.lengths[col] + layout.col_place[cell]
    result |= sets[layout.first[col] + sets[place]]
    return int(result)


def neighbours(frame: Any, layout: Any, sets: Any, cell: int) -> int:
    """Return the cells that share a blocking set with a cell."""
    result = 0
    for digit in range(2):
        if frame.opened[digit] >> cell & 1:
            result |= sharing(frame, layout, sets, cell, digit)
    return result


def split(frame: Any, layout: Any, table: Any, sets: Any) -> int:
    """List the parts that have nothing to do with each other; return how many they are."""
    rest = frame.opened[0] | frame.opened[1]
    count = 0
    while rest:
        part = rest & -rest
        edge = part
        while edge:
            cell = bits.lowest(edge)
            edge &= edge - 1
            more = neighbours(frame, layout, sets, cell) & rest & ~part
            part |= more
            edge |= more
            if part == rest:
                break
        frame.parts[count] = part
        count += 1
        rest &= ~part
    return count


def sort_parts(frame: Any, count: int) -> None:
    """Put the parts in the order of their sizes, the smallest first."""
    for i in range(1, count):
        part = frame.parts[i]
        size = bits.population(part)
        j = i
        while j > 0 and bits.population(frame.parts[j - 1]) > size:
            frame.parts[j] = frame.parts[j - 1]
            j -= 1
        frame.parts[j] = part


def divide(frame: Any, layout: Any, table: Any, sets: Any) -> int:
    """List the parts to be searched, the smallest first, and return how many they are.

    Parts without a cell at risk go into the heap and are closed.
    """
    count = split(frame, layout, table, sets)
    if count == 1:
        return 1
    kept = 0
    for i in range(count):
        part = frame.parts[i]
        if layout.switches & PARITY and part & frame.risk == 0:
            frame.heap ^= bits.population(part) & 1
            close(frame, layout, part & frame.opened[0], 0)
            close(frame, layout, part & frame.opened[1], 1)
        else:
            frame.parts[kept] = part
            kept += 1
    sort_parts(frame, kept)
    return kept


def take_part(to: Any, frame: Any, layout: Any, part: int, heap: int) -> None:
    """Make a part a position of its own, with a heap."""
    copy(to, frame, layout.num_lines)
    keep(to, layout, frame.opened[0] & part, frame.opened[1] & part)
    to.heap = heap


def score(frame: Any, layout: Any, control: Any) -> int:
    """Return how late a move to this position is to be tried.

    First come those that leave an even number of moves if no cell is spoilt, then those that
    leave few moves, few cells at risk, and are near to the symmetry that loses.
    """
    zeros = frame.opened[0]
    ones = frame.opened[1]
    result = 4 * (bits.population(zeros) + bits.population(ones))
    if not layout.switches & ORDER:
        return 0
    odd = (bits.population(zeros | ones) ^ frame.heap) & 1
    risk = bits.population(frame.risk)
    result += ODD - 4 * risk if odd else 4 * risk
    if control.noise:
        result += chance.draw(control, control.noise)
    if layout.num_symmetries > 1:
        shift = bits.WORD - 1 - layout.num_cells
        result += 2 * bits.population(zeros ^ bits.backwards(ones) >> shift)
    return int(result)


def add_move(frame: Any, child: Any, move: int, worth: int) -> None:
    """List a move, unless one to the same position is listed."""
    for i in range(frame.count):
        if frame.keys[i] == child.key and frame.heaps[i] == child.heap:
            return
    i = frame.count
    frame.keys[i] = child.key
    frame.heaps[i] = child.heap
    frame.zeros[i] = child.opened[0]
    frame.ones[i] = child.opened[1]
    frame.risks[i] = child.risk
    frame.moves[i] = move
    frame.scores[i] = worth
    frame.count += 1


def make_move(to: Any, frame: Any, layout: Any, table: Any, sets: Any, index: int) -> None:
    """Make the position that a listed move leads to."""
    copy(to, frame, layout.num_lines)
    move = frame.moves[index]
    if move >= 0:
        play(to, layout, table, sets, move >> 1, move & 1)
    keep(to, layout, frame.zeros[index], frame.ones[index])
    to.heap = frame.heaps[index]
    to.key = frame.keys[index]
    to.risk = frame.risks[index]


def list_moves(
    frames: Any, ply: int, layout: Any, table: Any, sets: Any, words: Any, control: Any
) -> int:
    """List the moves of a ply whose ends are not known; return who wins if these decide it."""
    frame = frames[ply]
    child = frames[ply + 1]
    frame.count = 0
    for digit in range(2):
        cells = frame.opened[digit]
        while cells:
            cell = bits.lowest(cells)
            cells &= cells - 1
            copy(child, frame, layout.num_lines)
            play(child, layout, table, sets, cell, digit)
            value = enter(child, layout, table, sets, words)
            if value == LOSS:
                return WIN
            if value == UNKNOWN:
                add_move(frame, child, 2 * cell + digit, score(child, layout, control))
    is_won = False
    for heap in range(frame.heap):
        copy(child, frame, layout.num_lines)
        child.heap = heap
        value = enter(child, layout, table, sets, words)
        is_won = is_won or value == LOSS
        if value == UNKNOWN:
            add_move(frame, child, -1, 2 * ODD)
    return WIN if is_won else (UNKNOWN if frame.count else LOSS)


def next_move(frame: Any) -> int:
    """Return the index of the best move not tried yet and mark it as tried, -1 at the end."""
    best = -1
    least = TRIED
    for i in range(frame.count):
        if frame.scores[i] < least:
            least = frame.scores[i]
            best = i
    if best >= 0:
        frame.scores[best] = TRIED
    return best


def try_move(frames: Any, ply: int, layout: Any, table: Any, sets: Any) -> bool:
    """Make the next ply's position by the best move not tried yet; return whether there is one."""
    frame = frames[ply]
    index = next_move(frame)
    if index < 0:
        return False
    make_move(frames[ply + 1], frame, layout, table, sets, index)
    return True


def out_of_bounds(control: Any, ply: int) -> bool:
    """Count a node; tell whether the search has to end."""
    control.nodes += 1
    if control.nodes >= control.limit or ply >= MOST_FRAMES - 3:
        control.stop = 1
    return bool(control.stop)


def start_parts(frame: Any, layout: Any, table: Any, sets: Any) -> bool:
    """Divide a position; return whether that leaves less than the whole of it."""
    if not layout.switches & COMPONENTS:
        return False
    whole = frame.opened[0] | frame.opened[1]
    frame.num_parts = divide(frame, layout, table, sets)
    frame.part = 0
    frame.nimber = 0
    return bool(frame.num_parts > 1 or frame.parts[0] != whole)


def is_last_part(frame: Any) -> bool:
    """Tell whether the part whose turn it is, is the last."""
    return bool(frame.part == frame.num_parts - 1)


def try_part(frames: Any, ply: int, layout: Any, table: Any, sets: Any, words: Any) -> int:
    """Ask who wins the next part with a heap, in the next ply; return it if it is known.

    The last part's heap is all that the others came to; theirs grows until it makes a lost
    position, and so tells their nimber.
    """
    frame = frames[ply]
    child = frames[ply + 1]
    heap = frame.heap if is_last_part(frame) else frame.nimber
    take_part(child, frame, layout, frame.parts[frame.part], heap)
    return enter(child, layout, table, sets, words)


def end_part(frame: Any, reply: int) -> int:
    """Take who wins a part with a heap; return who wins all of it, once that is known."""
    if is_last_part(frame):
        return reply
    if reply == WIN:
        frame.nimber += 1
        return UNKNOWN
    frame.heap ^= frame.nimber
    frame.nimber = 0
    frame.part += 1
    return UNKNOWN


def next_reply(
    frames: Any, ply: int, layout: Any, table: Any, sets: Any, words: Any, is_sum: bool
) -> int:
    """Make the next ply's position; return who wins it if known, ``NONE_LEFT`` if there is none."""
    if is_sum:
        return try_part(frames, ply, layout, table, sets, words)
    return UNKNOWN if try_move(frames, ply, layout, table, sets) else NONE_LEFT


def conclude(frame: Any, reply: int, is_sum: bool) -> int:
    """Return who wins a position by what became of its last try, or that it is not known yet."""
    if reply == NONE_LEFT:
        return LOSS
    if is_sum:
        return end_part(frame, reply)
    return WIN if reply == LOSS else UNKNOWN


def prove(
    frames: Any, layout: Any, table: Any, sets: Any, words: Any, control: Any, ply: int
) -> int:
    """Return who wins the position of a ply, which has been entered; depth first.

    The result means nothing once ``stop`` is set.
    """
    frame = frames[ply]
    value = probe(words, frame.key, frame.heap)
    if value != UNKNOWN:
        return value
    if out_of_bounds(control, ply):
        return WIN
    key = frame.key
    heap = frame.heap
    began = control.nodes
    is_sum = start_parts(frame, layout, table, sets)
    if not is_sum:
        value = list_moves(frames, ply, layout, table, sets, words, control)
    while value == UNKNOWN:
        reply = next_reply(frames, ply, layout, table, sets, words, is_sum)
        if reply == UNKNOWN:
            reply = prove(frames, layout, table, sets, words, control, ply + 1)
        if control.stop:
            return WIN
        value = conclude(frame, reply, is_sum)
    store(words, key, heap, value, control.nodes - began)
    return value


def pair_place(pairs: Any, key: int, heap: int) -> int:
    """Return where the numbers of a position with a heap are, or ``UNKNOWN``."""
    key = (key + heap * HEAP_STEP) & chance.KEY
    at = 2 * (key & (len(pairs) // 2 - PAIRS))
    for way in range(PAIRS):
        if (pairs[at + 2 * way] ^ key) <= WORK:
            return int(at + 2 * way)
    return UNKNOWN


def note_pair(pairs: Any, key: int, heap: int, proof: int, disproof: int, work: int) -> None:
    """Note the numbers of a position with a heap, in place of what took the least work."""
    at = pair_place(pairs, key, heap)
    key = (key + heap * HEAP_STEP) & chance.KEY
    if at == UNKNOWN:
        first = 2 * (key & (len(pairs) // 2 - PAIRS))
        least = WORK + 1
        for way in range(PAIRS):
            known = pairs[first + 2 * way] & WORK
            if known < least:
                least = known
                at = first + 2 * way
    pairs[at] = key & ~WORK | bits.length(work + 1)
    pairs[at + 1] = proof << NUMBER_BITS | disproof


def reduce(
    frames: Any, ply: int, layout: Any, table: Any, sets: Any, words: Any, control: Any
) -> int:
    """Search all parts of a ply's position but the largest; return who wins if that is known.

    What is left has been entered.
    """
    frame = frames[ply]
    if not start_parts(frame, layout, table, sets):
        return UNKNOWN
    while not is_last_part(frame):
        reply = try_part(frames, ply, layout, table, sets, words)
        if reply == UNKNOWN:
            reply = prove(frames, layout, table, sets, words, control, ply + 1)
        if control.stop:
            return UNKNOWN
        end_part(frame, reply)
    part = frame.parts[frame.part]
    keep(frame, layout, frame.opened[0] & part, frame.opened[1] & part)
    return enter(frame, layout, table, sets, words)


def look(
    frames: Any,
    ply: int,
    layout: Any,
    table: Any,
    sets: Any,
    words: Any,
    pairs: Any,
    control: Any,
    move: int,
) -> int:
    """Look at the position of the ply after this one; list it unless its end is known.

    The result means nothing once ``stop`` is set.
    """
    frame = frames[ply]
    child = frames[ply + 1]
    value = enter(child, layout, table, sets, words)
    if value == UNKNOWN:
        value = reduce(frames, ply + 1, layout, table, sets, words, control)
    live = bits.population(child.opened[0] | child.opened[1])
    if value == UNKNOWN and live <= layout.limit:
        return prove(frames, layout, table, sets, words, control, ply + 1)
    if value == UNKNOWN:
        index = frame.count
        add_move(frame, child, move, 0)
        if frame.count > index:
            read_numbers(frame, index, layout, pairs)
    return value


def read_numbers(frame: Any, index: int, layout: Any, pairs: Any) -> None:
    """Set the numbers of a move: as they were noted, else by how many replies there are."""
    at = pair_place(pairs, frame.keys[index], frame.heaps[index])
    if at >= 0:
        frame.proofs[index] = pairs[at + 1] >> NUMBER_BITS
        frame.disproofs[index] = pairs[at + 1] & NUMBER
        return
    replies = bits.population(frame.zeros[index]) + bits.population(frame.ones[index])
    frame.proofs[index] = 1
    frame.disproofs[index] = replies


def gather(
    frames: Any,
    ply: int,
    layout: Any,
    table: Any,
    sets: Any,
    words: Any,
    pairs: Any,
    control: Any,
) -> int:
    """List the moves of a ply with their numbers; return a win if one of them is known to win."""
    frame = frames[ply]
    child = frames[ply + 1]
    frame.count = 0
    reply = UNKNOWN
    for digit in range(2):
        cells = frame.opened[digit]
        while cells and reply != LOSS:
            cell = bits.lowest(cells)
            cells &= cells - 1
            copy(child, frame, layout.num_lines)
            play(child, layout, table, sets, cell, digit)
            move = 2 * cell + digit
            reply = look(frames, ply, layout, table, sets, words, pairs, control, move)
    lower = 0
    while lower < frame.heap and reply != LOSS:
        copy(child, frame, layout.num_lines)
        child.heap = lower
        reply = look(frames, ply, layout, table, sets, words, pairs, control, -1)
        lower += 1
    return WIN if reply == LOSS else UNKNOWN


def weigh(frame: Any) -> None:
    """Note the move with the least disproof number, the two least, and what counts of proofs."""
    frame.best = -1
    frame.least = INFINITE
    frame.second = INFINITE
    frame.greatest = 0
    frame.left = 0
    for i in range(frame.count):
        if frame.proofs[i] > 0:
            frame.left += 1
            frame.greatest = max(frame.greatest, frame.proofs[i])
            if frame.disproofs[i] < frame.least:
                frame.second = frame.least
                frame.least = frame.disproofs[i]
                frame.best = i
            elif frame.disproofs[i] < frame.second:
                frame.second = frame.disproofs[i]


def is_enough(
    frame: Any, pairs: Any, key: int, most_proof: int, most_disproof: int, work: int
) -> bool:
    """Tell whether a number has reached its bound, and if so note both."""
    disproof = min(INFINITE - 1, frame.greatest + frame.left - 1)
    if frame.least < most_proof and disproof < most_disproof:
        return False
    note_pair(pairs, key, frame.heap, frame.least, disproof, work)
    return True


def expand(
    frames: Any,
    layout: Any,
    table: Any,
    sets: Any,
    words: Any,
    pairs: Any,
    control: Any,
    ply: int,
    most_proof: int,
    most_disproof: int,
) -> int:
    """Search an entered position until a number reaches its bound; return who wins if known.

    The proof number of a position is that of its being won for the player to move: the least
    disproof number of what its moves lead to.  Its disproof number is their greatest proof number
    and one more for each other of them (weak proof-number search, Ueda et al., 2008), which is
    less misled by positions reached in many ways than their sum.  The bound of the best move lies
    a quarter above the second best's number, so that fewer moves are taken up again and again
    (Pawlewicz and Lew, 2007).
    """
    if out_of_bounds(control, ply):
        return UNKNOWN
    frame = frames[ply]
    key = frame.key
    began = control.nodes
    value = gather(frames, ply, layout, table, sets, words, pairs, control)
    while value == UNKNOWN and not control.stop:
        weigh(frame)
        best = frame.best
        if best < 0:
            value = LOSS
            break
        if is_enough(frame, pairs, key, most_proof, most_disproof, control.nodes - began):
            return UNKNOWN
        make_move(frames[ply + 1], frame, layout, table, sets, best)
        proof = most_disproof - (frame.left - 1)
        disproof = min(most_proof, frame.second + 1 + frame.second // SLACK)
        reply = expand(frames, layout, table, sets, words, pairs, control, ply + 1, proof, disproof)
        if reply == LOSS:
            value = WIN
        elif reply == WIN:
            frame.proofs[best] = 0
        else:
            read_numbers(frame, best, layout, pairs)
    if control.stop:
        return UNKNOWN
    store(words, key, frame.heap, value, control.nodes - began)
    return value
