"""One half of a board that is cut in two between columns: what it can do, and what shows of it.

A state of a half is which of its cells are left, one bit each, so that a board of columns is one
word; gravity and closing up are implied, not stored.  The *edge* is the last column that has
cells, the one beside the other half.  A move that takes no cell of the edge is hidden: the other
half neither sees it nor can keep it from being made.  All others are *shown*; which of the edge's
cells go, and how they hang together within the half, is a label.

What the other half can tell of this one is the labels shown so far.  So all states that these, and
hidden moves at any time, may have led to are one *belief* (the subset construction; Rabin and
Scott, 1959), and all of them have the same edge.  Where a move takes the whole edge the one behind
it comes to light, and there is a belief for each that may.

Everything is compiled (see ``core.specialize``), and runs interpreted as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from gridhouse.core import bits, chance, position
from gridhouse.games.collapse import _board, _words

if TYPE_CHECKING:
    from gridhouse.games.collapse._words import Frame

MOST_ROWS = 16
HIDDEN = -1  # the label of hidden moves
NOTHING = -1
# What may be full.
STATES, MOVES, LABELS, MEMBERS, BELIEFS, OPTIONS, WAYS = range(1, 8)
# The bits of a label: the kind, whether the half can make the move by itself, the rows of the edge,
# and for each run of these, from below, the number of the component that it belongs to.
KIND = (1 << 4) - 1
ALONE = KIND + 1
ROWS = 5
COMPONENTS = ROWS + MOST_ROWS
COMPONENT = 3  # bits of such a number


class Half(position.Position):
    """How much of a half's memory is used, the cells of each kind, and scratch memory."""

    half = position.field("int8")
    full = position.field("int8")  # which of the arrays had no room left, if any
    planes = position.field("int64", _board.KINDS)
    components = position.field("int64", MOST_ROWS)
    stamp = position.field("int32")
    states = position.field("int64")
    moves = position.field("int64")
    labels = position.field("int64")
    members = position.field("int64")
    beliefs = position.field("int64")
    options = position.field("int64")
    ways = position.field("int64")


class Belief(position.Position):
    """The states that a half may be in: its members from ``begin`` on, and what to show next."""

    belief = position.field("int8")
    is_listed = position.field("int8")  # whether the options are
    key = position.field("int64")
    edge = position.field("int64")
    least = position.field("int64")  # what the best of them leaves as it is
    begin = position.field("int64")
    count = position.field("int64")
    first = position.field("int64")
    options = position.field("int64")


class Option(position.Position):
    """A label that a belief may show next, and the beliefs that it leads to."""

    option = position.field("int8")
    is_known = position.field("int8")  # whether the ways are
    label = position.field("int64")
    first = position.field("int64")
    ways = position.field("int64")


class Side(NamedTuple):
    """The memory of a half: states, moves, labels, and beliefs with what they may show.

    Moves of a state are those from its first on; those of which the end is 0 are not listed yet.
    """

    half: Any
    frame: Any
    states: Any
    firsts: Any
    ends: Any
    marks: Any
    origins: Any
    queue: Any
    slots: Any
    shown: Any
    nexts: Any
    labels: Any
    label_marks: Any
    label_slots: Any
    members: Any
    beliefs: Any
    belief_slots: Any
    options: Any
    ways: Any


# States and moves.


def state_of(mask: int, side: Side) -> int:
    """Return the number of a state, a new one if need be; NOTHING if there is no room."""
    half, slots = side.half, side.slots
    place = chance.zobrist(mask) & (len(slots) - 1)
    while slots[place] != 0:
        state = int(slots[place]) - 1
        if side.states[state] == mask:
            return state
        place = (place + 1) & (len(slots) - 1)
    state = int(half.states)
    if state == len(side.states):
        half.full = STATES
        return NOTHING
    half.states += 1
    slots[place] = state + 1
    side.states[state] = mask
    side.marks[state] = 0
    side.ends[state] = 0
    return state


def cost_of(state: int, side: Side, control: Any) -> int:
    """Return what a state leaves as it is."""
    mask = int(side.states[state])
    cost = 0
    for index in range(side.frame.kinds):
        kind = int(side.frame.kind[index])
        cost += int(control.weights[kind]) * bits.population(int(side.half.planes[kind]) & mask)
    return cost


def label_of(code: int, side: Side) -> int:
    """Return the number of a label, a new one if need be; NOTHING if there is no room."""
    half, slots = side.half, side.label_slots
    place = chance.zobrist(code) & (len(slots) - 1)
    while slots[place] != 0:
        label = int(slots[place]) - 1
        if side.labels[label] == code:
            return label
        place = (place + 1) & (len(slots) - 1)
    label = int(half.labels)
    if label == len(side.labels):
        half.full = LABELS
        return NOTHING
    half.labels += 1
    slots[place] = label + 1
    side.labels[label] = code
    side.label_marks[label] = 0
    return label


def edge_of(mask: int, side: Side) -> int:
    """Return the cells of the last column that has some."""
    if mask == 0:
        return 0
    frame = side.frame
    col = frame.place[bits.length(mask) - 1]
    return mask & (int(frame.column) << int(frame.shift[col]))


def rows_of(kind: int, edge: int, side: Side) -> int:
    """Return the rows that a kind's cells have in an edge as it has fallen."""
    return bits.extract(int(side.half.planes[kind]), edge)


def heap_up(mask: int, side: Side) -> None:
    """Note in the frame where a state's cells have fallen."""
    frame = side.frame
    heaps = 0
    wide = 0
    rest = mask
    while rest != 0:
        col = int(frame.place[bits.lowest(rest)])
        cells = rest & (int(frame.column) << frame.shift[col])
        rest ^= cells
        heaps |= ((1 << bits.population(cells)) - 1) << frame.shift[wide]
        wide += 1
    frame.cells[0] = heaps
    frame.wide = wide


def let_fall(kind: int, mask: int, side: Side) -> None:
    """Note in the frame where the cells of a kind are, after all have fallen."""
    fallen = bits.extract(int(side.half.planes[kind]), mask)
    side.frame.masks[kind] = bits.deposit(fallen, int(side.frame.cells[0]))


def last_of(frame: Frame) -> int:
    """Return the place of the lowest cell of the last column that has some."""
    return int(frame.shift[max(0, int(frame.wide) - 1)])


def without(group: int, mask: int, side: Side) -> int:
    """Return the state that is left where a group, as it has fallen, goes; NOTHING without room."""
    gone = bits.deposit(bits.extract(group, int(side.frame.cells[0])), mask)
    return state_of(mask ^ gone, side)


def list_moves(state: int, side: Side, control: Any) -> bool:
    """List the moves of a state unless they are; return False if there is no room for them."""
    if side.ends[state] != 0:
        return True
    half, frame = side.half, side.frame
    _board.count_node(control)
    first = int(half.moves)
    mask = int(side.states[state])
    heap_up(mask, side)
    edge = int(frame.cells[0]) & (int(frame.column) << last_of(frame))
    for index in range(frame.kinds):
        kind = int(frame.kind[index])
        let_fall(kind, mask, side)
        if not (list_hidden(kind, mask, edge, side) and list_shown(kind, edge, side)):
            half.moves = first
            return False
    side.firsts[state] = first
    side.ends[state] = half.moves
    return True


def list_hidden(kind: int, mask: int, edge: int, side: Side) -> bool:
    """List the moves that take cells of a kind, none of the edge; return False without room."""
    frame = side.frame
    _words.find_near(kind, frame)
    near = int(frame.near[0])
    while near != 0:
        _words.flood(kind, 0, near & -near, frame)
        group = int(frame.group[0])
        near &= ~group
        if group & edge == 0:
            after = without(group, mask, side)
            if after == NOTHING or not add_move(HIDDEN, after, side):
                return False
    return True


def list_shown(kind: int, edge: int, side: Side) -> bool:
    """List the labels of moves that take cells of a kind from the edge; return False without room.

    What they lead to is found out when the other half answers.
    """
    half, frame = side.half, side.frame
    rest = int(frame.masks[kind]) & edge
    count = 0
    while rest != 0:
        _words.flood(kind, 0, rest & -rest, frame)
        half.components[count] = frame.group[0]
        rest &= ~int(frame.group[0])
        count += 1
    for chosen in range(1, 1 << count):
        union = 0
        for index in range(count):
            if chosen >> index & 1 != 0:
                union |= int(half.components[index])
        code = code_of(kind, chosen, (union & edge) >> last_of(frame), side)
        if not add_move(label_of(code, side), NOTHING, side):
            return False
        is_alone = chosen & (chosen - 1) == 0 and union & (union - 1) != 0
        if is_alone and not add_move(label_of(code | ALONE, side), NOTHING, side):
            return False
    return True


def code_of(kind: int, chosen: int, rows: int, side: Side) -> int:
    """Return the code of a label: components that go, which have these rows of the edge."""
    last = last_of(side.frame)
    code = kind | (rows << ROWS)
    shift = COMPONENTS
    starts = rows & ~(rows << 1)
    while starts != 0:
        cell = (starts & -starts) << last
        starts &= starts - 1
        number = 0
        index = 0
        while int(side.half.components[index]) & cell == 0:
            number += chosen >> index & 1
            index += 1
        code |= number << shift
        shift += COMPONENT
    return code


def rows_in(code: int) -> int:
    """Return the rows of the edge that a label takes cells from."""
    return (code >> ROWS) & ((1 << MOST_ROWS) - 1)


def shown_after(state: int, label: int, side: Side) -> int:
    """Return the state that a shown move leads to; NOTHING without room."""
    code, mask = int(side.labels[label]), int(side.states[state])
    kind = code & KIND
    heap_up(mask, side)
    let_fall(kind, mask, side)
    _words.flood(kind, 0, rows_in(code) << last_of(side.frame), side.frame)
    return without(int(side.frame.group[0]), mask, side)


def add_move(label: int, after: int, side: Side) -> bool:
    """Add a move to those that are listed; return False without room, for its label or itself."""
    half = side.half
    move = int(half.moves)
    if move == len(side.nexts):
        half.full = MOVES
        return False
    side.shown[move] = label
    side.nexts[move] = after
    half.moves += 1
    return bool(half.full == 0)


def fill(slots: Any, keys: Any) -> None:
    """Enter all of some keys into slots that are empty: each holds one more than its number."""
    for index in range(len(keys)):
        place = int(keys[index]) & (len(slots) - 1)
        while slots[place] != 0:
            place = (place + 1) & (len(slots) - 1)
        slots[place] = index + 1


# Beliefs.


def next_stamp(side: Side) -> int:
    """Return a stamp that no state and no label holds yet."""
    side.half.stamp += 1
    return int(side.half.stamp)


def first_belief(mask: int, side: Side, control: Any) -> int:
    """Return the belief that a half is in before anything is shown; NOTHING without room."""
    half = side.half
    half.moves = max(1, int(half.moves))  # an end of 0 means none
    if int(half.members) == len(side.members):
        half.full = MEMBERS
        return NOTHING
    state = state_of(mask, side)
    side.members[half.members] = state
    stamp = next_stamp(side)
    side.marks[state] = stamp
    return believed(1, stamp, side, control)


def believed(count: int, stamp: int, side: Side, control: Any) -> int:
    """Return the belief of so many states, closed under hidden moves.

    They stand behind all members, marked with a stamp.  Returns NOTHING without room.
    """
    half, members = side.half, side.members
    begin = int(half.members)
    end = begin + count
    index = begin
    key = 0
    least = cost_of(int(members[begin]), side, control)
    while index < end:
        state = int(members[index])
        index += 1
        if not list_moves(state, side, control) or control.stop != 0:
            return NOTHING
        key += chance.zobrist(state)
        least = min(least, cost_of(state, side, control))
        for move in range(side.firsts[state], side.ends[state]):
            after = int(side.nexts[move])
            if side.shown[move] == HIDDEN and side.marks[after] != stamp:
                if end == len(members):
                    half.full = MEMBERS
                    return NOTHING
                side.marks[after] = stamp
                members[end] = after
                end += 1
    return entered(key & chance.KEY, least, end - begin, side)


def entered(key: int, least: int, count: int, side: Side) -> int:
    """Return the belief of a key, a new one of so many members if need be; NOTHING without room."""
    half, slots, beliefs = side.half, side.belief_slots, side.beliefs
    place = key & (len(slots) - 1)
    while slots[place] != 0:
        belief = int(slots[place]) - 1
        if beliefs[belief].key == key and beliefs[belief].count == count:
            return belief
        place = (place + 1) & (len(slots) - 1)
    belief = int(half.beliefs)
    if belief == len(beliefs):
        half.full = BELIEFS
        return NOTHING
    slots[place] = belief + 1
    new = beliefs[belief]
    new.is_listed = 0
    new.key = key
    new.least = least
    new.begin = half.members
    new.count = count
    new.edge = edge_of(int(side.states[side.members[half.members]]), side)
    half.members += count
    half.beliefs += 1
    return belief


def list_options(belief: int, side: Side) -> bool:
    """List what a belief may show next, unless it is listed; return False without room."""
    half = side.half
    own = side.beliefs[belief]
    if own.is_listed != 0:
        return True
    stamp = next_stamp(side)
    first = end = int(half.options)
    for index in range(own.begin, own.begin + own.count):
        state = int(side.members[index])
        for move in range(side.firsts[state], side.ends[state]):
            label = int(side.shown[move])
            if label != HIDDEN and side.label_marks[label] != stamp:
                if end == len(side.options):
                    half.full = OPTIONS
                    return False
                side.label_marks[label] = stamp
                side.options[end].is_known = 0
                side.options[end].label = label
                end += 1
    own.first = first
    own.options = end - first
    own.is_listed = 1
    half.options = end
    return True


def code_at(option: int, side: Side) -> int:
    """Return the code of what an option shows."""
    return int(side.labels[side.options[option].label])


def label_at(option: int, side: Side) -> int:
    """Return the label of an option, or HIDDEN if NOTHING is shown."""
    return HIDDEN if option == NOTHING else int(side.options[option].label)


def way_of(belief: int, option: int, index: int, side: Side) -> int:
    """Return one of the beliefs that an option leads to; a belief stays as it is by NOTHING."""
    return belief if option == NOTHING else int(side.ways[side.options[option].first + index])


def count_ways(belief: int, option: int, side: Side, control: Any) -> int:
    """Return how many beliefs an option of a belief leads to, or NOTHING without room."""
    if option == NOTHING:
        return 1
    chosen = side.options[option]
    if chosen.is_known == 0 and not find_ways(belief, option, side, control):
        return NOTHING
    return int(chosen.ways)


def find_ways(belief: int, option: int, side: Side, control: Any) -> bool:
    """Find the beliefs that an option of a belief leads to; return False without room."""
    half, chosen = side.half, side.options[option]
    stamp = next_stamp(side)
    count = follow_label(belief, int(chosen.label), stamp, side)
    if count == NOTHING:
        return False
    first = end = int(half.ways)
    while count > 0:
        waiting = count
        count = part_by_edge(waiting, side)
        if count == NOTHING:
            return False
        way = believed(waiting - count, stamp, side, control)
        if way == NOTHING:
            return False
        if end == len(side.ways):
            half.full = WAYS
            return False
        side.ways[end] = way
        end += 1
    chosen.first = first
    chosen.ways = end - first
    chosen.is_known = 1
    half.ways = end
    return True


def follow_label(belief: int, label: int, stamp: int, side: Side) -> int:
    """Put the states that a label leads to into the queue, and mark them with a stamp.

    Returns how many there are, or NOTHING without room.
    """
    own = side.beliefs[belief]
    count = 0
    for index in range(own.begin, own.begin + own.count):
        state = int(side.members[index])
        for move in range(side.firsts[state], side.ends[state]):
            if side.shown[move] == label:
                after = shown_after(state, label, side)
                if after == NOTHING:
                    return NOTHING
                if side.marks[after] != stamp:
                    side.marks[after] = stamp
                    side.origins[after] = state
                    side.queue[count] = after
                    count += 1
    return count


def part_by_edge(count: int, side: Side) -> int:
    """Move those of so many waiting states behind all members that have the edge of the first.

    Returns how many wait still, or NOTHING without room.
    """
    half, queue = side.half, side.queue
    edge = edge_of(int(side.states[queue[0]]), side)
    end = int(half.members)
    kept = 0
    for index in range(count):
        state = int(queue[index])
        if edge_of(int(side.states[state]), side) != edge:
            queue[kept] = state
            kept += 1
        elif end == len(side.members):
            half.full = MEMBERS
            return NOTHING
        else:
            side.members[end] = state
            end += 1
    return kept


# The way back.


def best_of(belief: int, side: Side, control: Any) -> int:
    """Return the member of a belief that leaves least."""
    own = side.beliefs[belief]
    best = int(side.members[own.begin])
    least = cost_of(best, side, control)
    for index in range(own.begin, own.begin + own.count):
        state = int(side.members[index])
        cost = cost_of(state, side, control)
        if cost < least:
            best = state
            least = cost
    return best


def trail(before: int, label: int, belief: int, target: int, side: Side) -> int:
    """Write the states from a member of a belief back to one of the belief before into the queue.

    A label led from one belief to the other; or to the first belief, from NOTHING.  Returns how
    many there are.
    """
    states, queue = side.states, side.queue
    stamp = next_stamp(side)
    if before == NOTHING:
        count = 1
        edge = 0
        queue[0] = side.members[side.beliefs[belief].begin]
        side.marks[queue[0]] = stamp
        side.origins[queue[0]] = NOTHING
    else:
        count = follow_label(before, label, stamp, side)
        edge = int(side.beliefs[before].edge)
    follow_hidden(count, target, stamp, side)
    queue[0] = target
    count = 1
    while side.origins[target] != NOTHING:
        state = target
        target = int(side.origins[state])
        queue[count] = target
        count += 1
        if (states[state] ^ states[target]) & edge != 0:
            break
    return count


def follow_hidden(count: int, target: int, stamp: int, side: Side) -> None:
    """Note where the states come from that hidden moves lead to, up to a target.

    They lead from so many states in the queue, which are marked with a stamp.
    """
    index = 0
    while side.marks[target] != stamp:
        state = int(side.queue[index])
        index += 1
        for move in range(side.firsts[state], side.ends[state]):
            after = int(side.nexts[move])
            if side.shown[move] == HIDDEN and side.marks[after] != stamp:
                side.marks[after] = stamp
                side.origins[after] = state
                side.queue[count] = after
                count += 1
