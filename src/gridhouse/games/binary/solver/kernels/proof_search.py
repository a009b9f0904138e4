"""The search behind the solver: who wins a position of the Binary Game plus a nim heap.

``prove`` searches depth first; ``expand`` is a depth-first proof-number search (Nagai, 2002) above
it.  Positions (see ``nodes``) fall apart into components, whose nimbers are found by searching
each together with nim heaps, after Lemoine and Viennot, Nimbers are inevitable (2012).

Everything is given as arrays of records or of words, and runs interpreted and compiled.
"""

from __future__ import annotations

from gridhouse.core import bits, chance, position
from gridhouse.games.binary.solver.kernels import nodes
from gridhouse.games.binary.solver.kernels.nodes import (
    COMPONENTS,
    LOOKUP,
    LOSS,
    ORDER,
    UNKNOWN,
    WIN,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Frames of a ply: while memory is asked for one position, the next is made.
RING = 2
MOST_FRAMES = 160 * RING
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


class Control(position.Position):
    """What a search shares with who watches it; ``stop`` may be set from another thread."""

    control = position.field("int8")
    stop = position.field("int8")
    nodes = position.field("int64")
    limit = position.field("int64")
    noise = position.field("int64")
    s0 = position.field("int64")
    s1 = position.field("int64")
    found = position.field("int32")
    number = position.field("int32")  # of the thread


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


def move_words(words: Any, larger: Any) -> None:
    """Move the words of a table to where a larger one looks for them.

    Together with its place a word tells all of a key that is looked at.  What goes to one bucket
    comes from one, so that there is room for all.  Both have more words than a payload has values.
    """
    for at in range(len(words)):
        word = words[at]
        if word:
            key = word >> PAYLOAD << PAYLOAD | at
            larger[(key & (len(larger) - WAYS)) + (at & (WAYS - 1))] = word


def prepare(frame: Any, layout: Any, table: Any, sets: Any, words: Any) -> None:
    """Note who wins a position if it can be decided statically; else compute key and bucket."""
    frame.value = nodes.settle(frame, layout, table, sets)
    if frame.value == UNKNOWN:
        nodes.set_key(frame, layout, table, sets)
        bits.prefetch(words, frame.key & (len(words) - WAYS))


def consult(frame: Any, layout: Any, table: Any, sets: Any, words: Any) -> int:
    """Return who wins a prepared position if it is decided statically or in the table."""
    if frame.value != UNKNOWN:
        return int(frame.value)
    if layout.switches & LOOKUP:
        value = probe(words, frame.key, frame.heap)
        if value != UNKNOWN:
            return value
    return UNKNOWN


def enter(frame: Any, layout: Any, table: Any, sets: Any, words: Any) -> int:
    """Return who wins a position if that is known without search, and prepare its search."""
    prepare(frame, layout, table, sets, words)
    return consult(frame, layout, table, sets, words)


def split(frame: Any, layout: Any, table: Any, sets: Any) -> int:
    """List the parts that have nothing to do with each other; return how many they are."""
    if not layout.switches & COMPONENTS:
        return 1
    rest = frame.opened[0] | frame.opened[1]
    part = nodes.list_groups(frame, layout, table, sets, rest)
    count = 0
    while rest:
        before = 0
        while part != before and part != rest:
            before = part
            for i in range(frame.num_groups):
                if frame.groups[i] & part:
                    part |= frame.groups[i]
        frame.parts[count] = part
        count += 1
        rest &= ~part
        part = rest & -rest
    return count


def sort_parts(frame: Any, count: int) -> None:
    """Put so many parts in the order of their sizes, the smallest first, to search them."""
    for i in range(1, count):
        part = frame.parts[i]
        size = bits.population(part)
        j = i
        while j > 0 and bits.population(frame.parts[j - 1]) > size:
            frame.parts[j] = frame.parts[j - 1]
            j -= 1
        frame.parts[j] = part
    frame.num_parts = count
    frame.part = 0
    frame.nimber = 0


def take_part(to: Any, frame: Any, layout: Any, part: int, heap: int) -> None:
    """Make a part a position of its own, with a heap."""
    nodes.copy(to, frame, layout.num_lines)
    nodes.keep(to, layout, frame.opened[0] & part, frame.opened[1] & part)
    to.heap = heap


def is_even(cells: int, heap: int) -> bool:
    """Tell whether an even number of moves is left if no cell is spoilt: most such are lost."""
    return (bits.population(cells) ^ heap) & 1 == 0


def score(frame: Any, layout: Any, control: Any) -> int:
    """Return the ordering score of a move to this position: lower is tried first.

    First come those that leave an even number of moves if no cell is spoilt, then those that
    leave few moves.
    """
    zeros = frame.opened[0]
    ones = frame.opened[1]
    result = 4 * (bits.population(zeros) + bits.population(ones))
    if not layout.switches & ORDER:
        return 0
    cells = bits.population(zeros | ones)
    result += 4 * cells if is_even(zeros | ones, frame.heap) else ODD - 4 * cells
    if control.noise:
        result += chance.randbelow(control, control.noise)
    return int(result)


def score_heap(frame: Any) -> int:
    """Return the ordering score of a move in the heap: lower is tried first.

    Of all positions every second one has the nimber 0 or 1, and both are asked about everywhere: so
    such moves come first in a larger heap, where hardly another one leads to just that nimber.
    """
    return 0 if frame.heap > 1 else 2 * ODD


def add_move(frame: Any, child: Any, worth: int) -> None:
    """List the move that made a position, unless another one to it is listed."""
    for i in range(frame.count):
        if frame.keys[i] == child.key and frame.heaps[i] == child.heap:
            return
    i = frame.count
    list_at(frame, i, child)
    frame.moves[i] = child.made
    frame.scores[i] = worth
    frame.count += 1


def list_at(frame: Any, index: int, child: Any) -> None:
    """Note what a listed move leads to."""
    frame.keys[index] = child.key
    frame.heaps[index] = child.heap
    frame.zeros[index] = child.opened[0]
    frame.ones[index] = child.opened[1]


def make_move(to: Any, frame: Any, layout: Any, table: Any, sets: Any, index: int) -> None:
    """Make the position that a listed move leads to."""
    move = frame.moves[index]
    if move >= 0:
        nodes.follow(to, frame, layout, table, sets, move >> 1, move & 1)
    else:
        nodes.copy(to, frame, layout.num_lines)
    nodes.keep(to, layout, frame.zeros[index], frame.ones[index])
    to.heap = frame.heaps[index]
    to.key = frame.keys[index]


def below(at: int) -> int:
    """Return the first frame of the next ply."""
    return at - at % RING + RING


def start_moves(frame: Any, layout: Any, table: Any, sets: Any) -> None:
    """Begin to make the positions that moves lead to."""
    nodes.refresh(frame, layout, table, sets)
    frame.count = 0
    frame.zeros_left = frame.opened[0]
    frame.ones_left = frame.opened[1]
    frame.heaps_left = 0
    start_with_killer(frame)
    frame.num_made = 0
    frame.num_done = 0


def start_with_killer(frame: Any) -> None:
    """Have the move made first that last won in this ply, if it is there (Huberman, 1968)."""
    move = frame.killer
    cell = move >> 1
    frame.first_move = -1
    if move < 0:
        return
    if move & 1 == 0 and frame.zeros_left >> cell & 1:
        frame.zeros_left ^= 1 << cell
        frame.first_move = move
    elif move & 1 and frame.ones_left >> cell & 1:
        frame.ones_left ^= 1 << cell
        frame.first_move = move


def note_winner(frame: Any, move: int) -> None:
    """Note a move that wins."""
    frame.winner = move
    frame.killer = move


def make_next(frame: Any, child: Any, layout: Any, table: Any, sets: Any, words: Any) -> bool:
    """Make and prepare the position that the next move leads to; return whether there is one."""
    if frame.first_move >= 0:
        child.made = frame.first_move
        frame.first_move = -1
    elif frame.zeros_left:
        child.made = 2 * bits.lowest(frame.zeros_left)
        frame.zeros_left &= frame.zeros_left - 1
    elif frame.ones_left:
        child.made = 2 * bits.lowest(frame.ones_left) + 1
        frame.ones_left &= frame.ones_left - 1
    elif frame.heaps_left < frame.heap:
        child.made = -1
    else:
        return False
    if child.made >= 0:
        nodes.follow(child, frame, layout, table, sets, child.made >> 1, child.made & 1)
    else:
        nodes.copy(child, frame, layout.num_lines)
        child.heap = frame.heaps_left
        frame.heaps_left += 1
    prepare(child, layout, table, sets, words)
    return True


def next_made(frames: Any, at: int, layout: Any, table: Any, sets: Any, words: Any) -> int:
    """Return the frame of the next position that a move leads to, or -1; make the one after it."""
    frame = frames[at]
    while frame.num_made - frame.num_done < RING:
        child = frames[below(at) + frame.num_made % RING]
        if not make_next(frame, child, layout, table, sets, words):
            break
        frame.num_made += 1
    if frame.num_done == frame.num_made:
        return -1
    frame.num_done += 1
    return int(below(at) + (frame.num_done - 1) % RING)


def list_moves(
    frames: Any, at: int, layout: Any, table: Any, sets: Any, words: Any, control: Any
) -> int:
    """List the moves of a frame whose ends are not known; return who wins if these decide it."""
    frame = frames[at]
    start_moves(frame, layout, table, sets)
    place = next_made(frames, at, layout, table, sets, words)
    while place >= 0:
        child = frames[place]
        value = consult(child, layout, table, sets, words)
        if value == LOSS:
            note_winner(frame, child.made)
            return WIN
        if value == UNKNOWN:
            late = score_heap(frame) if child.made < 0 else score(child, layout, control)
            add_move(frame, child, late)
        place = next_made(frames, at, layout, table, sets, words)
    return UNKNOWN if frame.count else LOSS


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


def find_move(frame: Any, move: int) -> int:
    """Return the index of a move in the list, or -1."""
    if move >= 0:
        for i in range(frame.count):
            if frame.moves[i] == move:
                return i
    return -1


def try_move(frames: Any, at: int, layout: Any, table: Any, sets: Any) -> bool:
    """Make a position by the best move not tried yet; return whether there is one."""
    frame = frames[at]
    index = next_move(frame)
    if index < 0:
        return False
    make_move(frames[below(at)], frame, layout, table, sets, index)
    frame.last = frame.moves[index]
    return True


def out_of_bounds(control: Any, at: int) -> bool:
    """Count a node; tell whether the search has to end."""
    control.nodes += 1
    if control.nodes >= control.limit or at >= MOST_FRAMES - 3 * RING:
        control.stop = 1
    return bool(control.stop)


def start_parts(frame: Any, layout: Any, table: Any, sets: Any) -> bool:
    """Divide a position; return whether that leaves less than the whole of it."""
    count = split(frame, layout, table, sets)
    if count > 1:
        sort_parts(frame, count)
    return count > 1


def is_last_part(frame: Any) -> bool:
    """Tell whether the part whose turn it is, is the last."""
    return bool(frame.part == frame.num_parts - 1)


def try_part(frames: Any, at: int, layout: Any, table: Any, sets: Any, words: Any) -> int:
    """Ask who wins the next part with a heap, in the next ply; return it if it is known.

    The last part's heap is all that the others came to; theirs grows until it makes a lost
    position, and so tells their nimber.
    """
    frame = frames[at]
    child = frames[below(at)]
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


def conclude(frame: Any, reply: int, is_sum: bool) -> int:
    """Return who wins a position by what became of its last try, or that it is not known yet."""
    if reply == NONE_LEFT:
        return LOSS
    if is_sum:
        return end_part(frame, reply)
    return WIN if reply == LOSS else UNKNOWN


def learn(frame: Any, child: Any, reply: int) -> None:
    """Note a move that won, or strike out the answer to one that did not.

    If m is answered by r, then r is answered by m: both lead to the same lost position.
    """
    if reply == LOSS:
        note_winner(frame, frame.last)
    elif reply == WIN:
        index = find_move(frame, child.winner)
        if index >= 0:
            frame.scores[index] = TRIED
            frame.proofs[index] = 0


def prove(
    frames: Any, layout: Any, table: Any, sets: Any, words: Any, control: Any, at: int
) -> int:
    """Return who wins the position of a frame, which has been entered; depth first.

    The result means nothing once ``stop`` is set.
    """
    frame = frames[at]
    frame.winner = -1
    value = probe(words, frame.key, frame.heap)
    if value != UNKNOWN:
        return value
    if out_of_bounds(control, at):
        return WIN
    key = frame.key
    heap = frame.heap
    began = control.nodes
    nodes.make_compact(frame, layout, table, sets)
    is_sum = start_parts(frame, layout, table, sets)
    if not is_sum:
        value = list_moves(frames, at, layout, table, sets, words, control)
    while value == UNKNOWN:
        if is_sum:
            reply = try_part(frames, at, layout, table, sets, words)
        else:
            reply = UNKNOWN if try_move(frames, at, layout, table, sets) else NONE_LEFT
        if reply == UNKNOWN:
            reply = prove(frames, layout, table, sets, words, control, below(at))
        if control.stop:
            return WIN
        value = conclude(frame, reply, is_sum)
        if not is_sum:
            learn(frame, frames[below(at)], reply)
    store(words, key, heap, value, control.nodes - began)
    return value


def count_wins(
    frames: Any, layout: Any, table: Any, sets: Any, words: Any, control: Any, at: int, most: int
) -> int:
    """Return how many moves of a frame's position win, ``most`` and one more at most.

    Once ``stop`` is set, those not looked at do not count.
    """
    frame = frames[at]
    child = frames[below(at)]
    count = 0
    start_moves(frame, layout, table, sets)
    while count <= most and make_next(frame, child, layout, table, sets, words):
        value = consult(child, layout, table, sets, words)
        if value == UNKNOWN:
            value = prove(frames, layout, table, sets, words, control, below(at))
        if control.stop:
            return count
        count += value == LOSS
    return count


def pair_key(key: int, heap: int) -> int:
    """Return the key of a position with a heap."""
    return (key + heap * HEAP_STEP) & chance.KEY


def pair_bucket(pairs: Any, key: int) -> int:
    """Return where the numbers of a position with a heap are looked for."""
    return 2 * (key & (len(pairs) // 2 - PAIRS))


def pair_place(pairs: Any, key: int) -> int:
    """Return where the numbers of a position with a heap are, or ``UNKNOWN``."""
    at = pair_bucket(pairs, key)
    for way in range(PAIRS):
        if (pairs[at + 2 * way] ^ key) <= WORK:
            return int(at + 2 * way)
    return UNKNOWN


def note_pair(pairs: Any, key: int, heap: int, proof: int, disproof: int, work: int) -> None:
    """Note the numbers of a position with a heap, in place of what took the least work."""
    key = pair_key(key, heap)
    at = pair_place(pairs, key)
    if at == UNKNOWN:
        first = pair_bucket(pairs, key)
        least = WORK + 1
        for way in range(PAIRS):
            known = pairs[first + 2 * way] & WORK
            if known < least:
                least = known
                at = first + 2 * way
    pairs[at] = key & ~WORK | bits.length(work + 1)
    pairs[at + 1] = proof << NUMBER_BITS | disproof


def move_pairs(pairs: Any, larger: Any) -> None:
    """Move proof and disproof numbers to where a larger table looks for them."""
    for at in range(0, len(pairs), 2):
        if pairs[at]:
            place = at >> 1
            key = pairs[at] & ~WORK | place
            to = pair_bucket(larger, key) + 2 * (place & (PAIRS - 1))
            larger[to] = pairs[at]
            larger[to + 1] = pairs[at + 1]


def search_parts(
    frames: Any, at: int, layout: Any, table: Any, sets: Any, words: Any, control: Any
) -> int:
    """Search all parts of a divided position but the largest; return who wins if that is known.

    What is left has been entered.
    """
    frame = frames[at]
    while not is_last_part(frame):
        reply = try_part(frames, at, layout, table, sets, words)
        if reply == UNKNOWN:
            reply = prove(frames, layout, table, sets, words, control, below(at))
        if control.stop:
            return UNKNOWN
        end_part(frame, reply)
    part = frame.parts[frame.part]
    nodes.keep(frame, layout, frame.opened[0] & part, frame.opened[1] & part)
    return enter(frame, layout, table, sets, words)


def look(
    frame: Any, child: Any, layout: Any, table: Any, sets: Any, words: Any, pairs: Any, control: Any
) -> int:
    """Return who wins a prepared position of the next ply if that is known, else list its move.

    A move to a position that is small, or falls apart, gets a score, any other one numbers.
    """
    value = consult(child, layout, table, sets, words)
    if value != UNKNOWN:
        return value
    index = frame.count
    add_move(frame, child, TRIED)
    if frame.count > index:
        live = bits.population(child.opened[0] | child.opened[1])
        if live <= layout.limit or split(child, layout, table, sets) > 1:
            frame.scores[index] = score(child, layout, control)
            frame.proofs[index] = 0
        else:
            read_numbers(frame, index, pairs)
    return UNKNOWN


def search_small(
    frames: Any,
    at: int,
    layout: Any,
    table: Any,
    sets: Any,
    words: Any,
    pairs: Any,
    control: Any,
) -> int:
    """Search the moves of a frame that have scores, depth first; return a win if one of them wins.

    What is left of one that falls apart may be too large: then its move gets numbers.
    """
    frame = frames[at]
    child = frames[below(at)]
    index = next_move(frame)
    while index >= 0:
        make_move(child, frame, layout, table, sets, index)
        frame.last = frame.moves[index]
        child.winner = -1
        reply = UNKNOWN
        if start_parts(child, layout, table, sets):
            reply = search_parts(frames, below(at), layout, table, sets, words, control)
        live = bits.population(child.opened[0] | child.opened[1])
        if reply == UNKNOWN and live <= layout.limit:
            reply = prove(frames, layout, table, sets, words, control, below(at))
        if control.stop:
            return UNKNOWN
        if reply == UNKNOWN:
            list_at(frame, index, child)
            read_numbers(frame, index, pairs)
        learn(frame, child, reply)
        if reply == LOSS:
            return WIN
        index = next_move(frame)
    return UNKNOWN


def read_numbers(frame: Any, index: int, pairs: Any) -> None:
    """Set the numbers of a move: as they were noted, else by how many replies there are."""
    at = pair_place(pairs, pair_key(frame.keys[index], frame.heaps[index]))
    if at >= 0:
        frame.proofs[index] = pairs[at + 1] >> NUMBER_BITS
        frame.disproofs[index] = pairs[at + 1] & NUMBER
        return
    replies = bits.population(frame.zeros[index]) + bits.population(frame.ones[index])
    frame.proofs[index] = 1
    frame.disproofs[index] = replies


def gather(
    frames: Any,
    at: int,
    layout: Any,
    table: Any,
    sets: Any,
    words: Any,
    pairs: Any,
    control: Any,
) -> int:
    """List the moves of a frame with their numbers; return a win if one of them wins.

    The result means nothing once ``stop`` is set.
    """
    frame = frames[at]
    start_moves(frame, layout, table, sets)
    place = next_made(frames, at, layout, table, sets, words)
    while place >= 0:
        last = frames[below(at) + (frame.num_made - 1) % RING]
        bits.prefetch(pairs, pair_bucket(pairs, pair_key(last.key, last.heap)))
        child = frames[place]
        if look(frame, child, layout, table, sets, words, pairs, control) == LOSS:
            note_winner(frame, child.made)
            return WIN
        place = next_made(frames, at, layout, table, sets, words)
    return search_small(frames, at, layout, table, sets, words, pairs, control)


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
            compare(frame, i)


def compare(frame: Any, index: int) -> None:
    """Note a move if its disproof number is less than the least so far, or than the second."""
    if frame.disproofs[index] < frame.least:
        frame.second = frame.least
        frame.least = frame.disproofs[index]
        frame.best = index
    elif frame.disproofs[index] < frame.second:
        frame.second = frame.disproofs[index]


def is_busy(frame: Any, index: int, at: int, trail: Any, control: Any) -> bool:
    """Tell whether another thread is at the position, or below, that a move leads to."""
    key = pair_key(frame.keys[index], frame.heaps[index])
    busy = False
    for first in range(0, len(trail), MOST_FRAMES):
        is_other = first != control.number * MOST_FRAMES
        busy = busy or (is_other and trail[first + below(at)] == key)
    return busy


def part_ways(frame: Any, at: int, trail: Any, control: Any) -> None:
    """Take the best move where no other thread is, if another one is at the best of all.

    That is for positions that are lost, where all moves have to be searched.  Where one that wins
    is enough, what another thread does with another move is in vain.
    """
    best = frame.best
    second = frame.second
    if not is_busy(frame, best, at, trail, control):
        return
    frame.least = INFINITE
    frame.second = INFINITE
    for i in range(frame.count):
        if frame.proofs[i] > 0 and not is_busy(frame, i, at, trail, control):
            compare(frame, i)
    if frame.best == best:  # other threads are at all of them
        frame.second = second


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
    trail: Any,
    at: int,
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

    Threads share all tables and keep apart where all moves are likely to be needed: ``trail`` says
    for each ply where each of them is.
    """
    if out_of_bounds(control, at):
        return UNKNOWN
    frame = frames[at]
    key = frame.key
    began = control.nodes
    frame.winner = -1
    value = gather(frames, at, layout, table, sets, words, pairs, control)
    while value == UNKNOWN and not control.stop:
        weigh(frame)
        if frame.best < 0:
            value = LOSS
            break
        if is_enough(frame, pairs, key, most_proof, most_disproof, control.nodes - began):
            return UNKNOWN
        if is_even(frame.opened[0] | frame.opened[1], frame.heap):
            part_ways(frame, at, trail, control)
        best = frame.best
        mine = control.number * MOST_FRAMES + below(at)
        trail[mine] = pair_key(frame.keys[best], frame.heaps[best])
        make_move(frames[below(at)], frame, layout, table, sets, best)
        frame.last = frame.moves[best]
        proof = most_disproof - (frame.left - 1)
        disproof = min(most_proof, frame.second + 1 + frame.second // SLACK)
        reply = expand(
            frames, layout, table, sets, words, pairs, control, trail, below(at), proof, disproof
        )
        trail[mine] = 0
        learn(frame, frames[below(at)], reply)
        if reply == LOSS:
            value = WIN
        elif reply == WIN:
            frame.proofs[best] = 0
        else:
            read_numbers(frame, best, pairs)
    if control.stop:
        return UNKNOWN
    store(words, key, frame.heap, value, control.nodes - began)
    return value
