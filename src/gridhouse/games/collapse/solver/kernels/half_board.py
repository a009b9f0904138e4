"""One half of a board that is cut between two columns, as an automaton.

A *state* is the set of cells that are left, one bit each; gravity and compaction are implied, not
stored.  The *interface* is the last column with cells, the one next to the other half.  A move that
takes no cell of the interface is *internal*: the other half neither observes nor prevents it.  All
other moves emit a *symbol*: which cells of the interface they take, and which of these the half
connects.

The other half knows of this one only the symbols emitted.  All states that a sequence of symbols,
with internal moves in between, may have led to are one *belief* (subset construction with epsilon
moves; Rabin and Scott, 1959), and all of them have the same interface.  A move that takes the whole
interface exposes the column behind it: a belief has one successor for each interface of the states
that a symbol leads to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gridhouse.core import bits, chance, position, tables
from gridhouse.games.collapse.solver.kernels import bitboard, byte_board

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gridhouse.core.arrays import Ints
    from gridhouse.games.collapse.solver.kernels.bitboard import Workspace
    from gridhouse.games.collapse.solver.kernels.byte_board import Control
    from gridhouse.games.collapse.solver.types import Records, Zeros

MOST_ROWS = 16
EPSILON = -1  # the symbol of internal moves
NOTHING = -1
# The values of ``full``: the array that has no room.
STATES, MOVES, SYMBOLS, MEMBERS, BELIEFS, TRANSITIONS, SUCCESSORS = range(1, 8)
# The code of a symbol, from its lowest bit: the kind; whether the half makes the move alone; the
# rows of the interface that go; for each run of these, from below, the number of its component.
KIND = (1 << 4) - 1
ALONE = KIND + 1
ROWS_SHIFT = 5
COMPONENTS_SHIFT = ROWS_SHIFT + MOST_ROWS
COMPONENT_BITS = 3


class Counters(position.Position):
    """The entries in use of each array of a half, the cells of each kind, and scratch memory."""

    counters = position.field("int8")
    full = position.field("int8")  # the array that had no room, or 0
    planes = position.field("int64", byte_board.KINDS)
    components = position.field("int64", MOST_ROWS)
    stamp = position.field("int32")
    states = position.field("int64")
    moves = position.field("int64")
    symbols = position.field("int64")
    members = position.field("int64")
    beliefs = position.field("int64")
    transitions = position.field("int64")
    successors = position.field("int64")


class Belief(position.Position):
    """A set of states: ``count`` members from ``begin`` on, and its transitions."""

    belief = position.field("int8")
    is_listed = position.field("int8")  # whether the transitions are
    interface = position.field("int64")
    least_cost = position.field("int64")  # of its states
    begin = position.field("int64")
    count = position.field("int64")
    first_transition = position.field("int64")
    transitions = position.field("int64")


class Transition(position.Position):
    """A symbol that a belief may emit, and the beliefs that it leads to."""

    transition = position.field("int8")
    is_known = position.field("int8")  # whether the successors are
    symbol = position.field("int64")
    first_successor = position.field("int64")
    successors = position.field("int64")


class States(NamedTuple):
    """States by number: their cells, their hash set, their moves.

    Moves are those from the first up to the end; an end of 0 means that they are not listed yet.
    ``parents`` and ``queue`` serve breadth-first searches.
    """

    keys: Ints
    slots: Ints
    first_moves: Ints
    end_moves: Ints
    stamps: Ints
    parents: Ints
    queue: Ints


class Moves(NamedTuple):
    """Moves by number: the symbol, and of internal moves the state that they lead to."""

    symbols: Ints
    targets: Ints


class Symbols(NamedTuple):
    """Symbols by number: their codes, and the hash set of these."""

    keys: Ints
    slots: Ints
    stamps: Ints


class Beliefs(NamedTuple):
    """Beliefs by number, with a hash of their members."""

    records: Sequence[Belief]
    keys: Ints
    slots: Ints


class Half(NamedTuple):
    """The memory of a half."""

    counters: Counters
    space: Workspace
    states: States
    moves: Moves
    symbols: Symbols
    members: Ints  # of the beliefs
    beliefs: Beliefs
    transitions: Sequence[Transition]
    successors: Ints  # of the transitions


def make_half(size: int, zeros: Zeros, to_records: Records) -> Half:
    """Return the memory of a half with room for ``size`` entries in each array."""
    return Half(
        counters=to_records(Counters())[0],
        space=to_records(bitboard.Workspace())[0],
        states=States(
            keys=zeros(size, "int64"),
            slots=zeros(2 * size, "int32"),
            first_moves=zeros(size, "int32"),
            end_moves=zeros(size, "int32"),
            stamps=zeros(size, "int32"),
            parents=zeros(size, "int32"),
            queue=zeros(size, "int32"),
        ),
        moves=Moves(zeros(size, "int32"), zeros(size, "int32")),
        symbols=Symbols(zeros(size, "int64"), zeros(2 * size, "int32"), zeros(size, "int32")),
        members=zeros(size, "int32"),
        beliefs=Beliefs(to_records(Belief(), size), zeros(size, "int64"), zeros(2 * size, "int32")),
        transitions=to_records(Transition(), size),
        successors=zeros(size, "int32"),
    )


# States.


def intern_state(mask: int, half: Half) -> int:
    """Return the number of the state of these cells, a new one if need be; NOTHING without room."""
    counters, states = half.counters, half.states
    slot = tables.find_slot(states.slots, states.keys, mask, chance.zobrist(mask))
    if states.slots[slot] != 0:
        return int(states.slots[slot]) - 1
    state = int(counters.states)
    if state == len(states.keys):
        counters.full = STATES
        return NOTHING
    counters.states += 1
    states.slots[slot] = state + 1
    states.keys[state] = mask
    states.stamps[state] = 0
    states.end_moves[state] = 0
    return state


def cost_of(state: int, half: Half) -> int:
    """Return the points that are left in a state."""
    mask = int(half.states.keys[state])
    cost = 0
    for index in range(half.space.num_kinds):
        kind = int(half.space.kinds[index])
        count = bits.population(int(half.counters.planes[kind]) & mask)
        cost += int(half.space.weights[kind]) * count
    return cost


def interface_of(state: int, half: Half) -> int:
    """Return the cells of the interface of a state."""
    mask = int(half.states.keys[state])
    if mask == 0:
        return 0
    space = half.space
    col = space.column_of_bit[bits.length(mask) - 1]
    return mask & (int(space.column_mask) << int(space.shift[col]))


def interface_rows(kind: int, interface: int, half: Half) -> int:
    """Return the rows of a kind's cells in an interface after they have fallen."""
    return bits.extract(int(half.counters.planes[kind]), interface)


def drop_cells(mask: int, half: Half) -> None:
    """Write the places of a state's cells, after they have fallen, into the workspace."""
    space = half.space
    fallen = 0
    width = 0
    rest = mask
    while rest != 0:
        col = int(space.column_of_bit[bits.lowest(rest)])
        cells = rest & (int(space.column_mask) << space.shift[col])
        rest ^= cells
        fallen |= ((1 << bits.population(cells)) - 1) << space.shift[width]
        width += 1
    space.cells[0] = fallen
    space.width = width


def drop_kind(kind: int, mask: int, half: Half) -> None:
    """Write the places of a kind's cells, after all have fallen, into the workspace."""
    own = bits.extract(int(half.counters.planes[kind]), mask)
    half.space.masks[kind] = bits.deposit(own, int(half.space.cells[0]))


def interface_shift(space: Workspace) -> int:
    """Return the bit of the lowest cell of the interface in the workspace."""
    return int(space.shift[max(0, int(space.width) - 1)])


def state_without(group: int, mask: int, half: Half) -> int:
    """Return the state after a group, of fallen cells, goes; NOTHING without room."""
    gone = bits.deposit(bits.extract(group, int(half.space.cells[0])), mask)
    return intern_state(mask ^ gone, half)


# Moves and symbols.


def intern_symbol(code: int, half: Half) -> int:
    """Return the number of the symbol of a code, a new one if need be; NOTHING without room."""
    counters, symbols = half.counters, half.symbols
    slot = tables.find_slot(symbols.slots, symbols.keys, code, chance.zobrist(code))
    if symbols.slots[slot] != 0:
        return int(symbols.slots[slot]) - 1
    symbol = int(counters.symbols)
    if symbol == len(symbols.keys):
        counters.full = SYMBOLS
        return NOTHING
    counters.symbols += 1
    symbols.slots[slot] = symbol + 1
    symbols.keys[symbol] = code
    symbols.stamps[symbol] = 0
    return symbol


def list_moves(state: int, half: Half, control: Control) -> bool:
    """List the moves of a state unless they are; return whether there was room for them."""
    states, space = half.states, half.space
    if states.end_moves[state] != 0:
        return True
    byte_board.count_node(control)
    first = int(half.counters.moves)
    mask = int(states.keys[state])
    drop_cells(mask, half)
    interface = int(space.cells[0]) & (int(space.column_mask) << interface_shift(space))
    for index in range(space.num_kinds):
        kind = int(space.kinds[index])
        drop_kind(kind, mask, half)
        if not (
            list_internal_moves(kind, mask, interface, half)
            and list_interface_moves(kind, interface, half)
        ):
            half.counters.moves = first
            return False
    states.first_moves[state] = first
    states.end_moves[state] = half.counters.moves
    return True


def list_internal_moves(kind: int, mask: int, interface: int, half: Half) -> bool:
    """List the moves that take groups of a kind behind the interface; return whether they fit."""
    space = half.space
    bitboard.find_grouped(kind, space)
    grouped = int(space.grouped[0])
    while grouped != 0:
        bitboard.flood(kind, 0, grouped & -grouped, space)
        group = int(space.group[0])
        grouped &= ~group
        if group & interface == 0:
            target = state_without(group, mask, half)
            if target == NOTHING or not add_move(EPSILON, target, half):
                return False
    return True


def list_interface_moves(kind: int, interface: int, half: Half) -> bool:
    """List the moves that take cells of a kind from the interface; return whether they fit.

    The other half may connect any of the half's components of this kind: there is a symbol for each
    set of them, and another one for each component that is a group by itself.  The states that they
    lead to are found when the other half answers.
    """
    counters, space = half.counters, half.space
    rest = int(space.masks[kind]) & interface
    count = 0
    while rest != 0:
        bitboard.flood(kind, 0, rest & -rest, space)
        counters.components[count] = space.group[0]
        rest &= ~int(space.group[0])
        count += 1
    for chosen in range(1, 1 << count):
        union = 0
        for index in range(count):
            if chosen >> index & 1 != 0:
                union |= int(counters.components[index])
        code = symbol_code(kind, chosen, (union & interface) >> interface_shift(space), half)
        if not add_move(intern_symbol(code, half), NOTHING, half):
            return False
        is_group = chosen & (chosen - 1) == 0 and union & (union - 1) != 0
        if is_group and not add_move(intern_symbol(code | ALONE, half), NOTHING, half):
            return False
    return True


def symbol_code(kind: int, chosen: int, rows: int, half: Half) -> int:
    """Return the code of a move that takes the chosen components, with these rows of the interface.

    An interface of five cells, from above, of which the kind's are ``x``; numbers say which of
    them the half connects::

        x 0     rows = 0b10111, in two runs: rows 0 to 2, and row 4
        .
        x 0     the upper run belongs to component 0, as the lower one does,
        x 0     so the numbers of the components are 0, 0
        x 0
    """
    space = half.space
    code = kind | (rows << ROWS_SHIFT)
    shift = COMPONENTS_SHIFT
    starts = rows & ~(rows << 1)  # the lowest cell of each run
    while starts != 0:
        cell = (starts & -starts) << interface_shift(space)
        starts &= starts - 1
        number = 0  # of the chosen components before the cell's own
        index = 0
        while int(half.counters.components[index]) & cell == 0:
            number += chosen >> index & 1
            index += 1
        code |= number << shift
        shift += COMPONENT_BITS
    return code


def symbol_rows(code: int) -> int:
    """Return the rows of the interface that the move of a symbol takes."""
    return (code >> ROWS_SHIFT) & ((1 << MOST_ROWS) - 1)


def state_after(state: int, symbol: int, half: Half) -> int:
    """Return the state that the move of a symbol leads to; NOTHING without room."""
    code, mask = int(half.symbols.keys[symbol]), int(half.states.keys[state])
    kind = code & KIND
    drop_cells(mask, half)
    drop_kind(kind, mask, half)
    bitboard.flood(kind, 0, symbol_rows(code) << interface_shift(half.space), half.space)
    return state_without(int(half.space.group[0]), mask, half)


def add_move(symbol: int, target: int, half: Half) -> bool:
    """Add a move; return whether there was room for it, and for its symbol."""
    counters = half.counters
    move = int(counters.moves)
    if move == len(half.moves.symbols):
        counters.full = MOVES
        return False
    half.moves.symbols[move] = symbol
    half.moves.targets[move] = target
    counters.moves += 1
    return bool(counters.full == 0)


# Beliefs.


def next_stamp(half: Half) -> int:
    """Return a stamp that no state and no symbol holds yet."""
    half.counters.stamp += 1
    return int(half.counters.stamp)


def initial_belief(mask: int, half: Half, control: Control) -> int:
    """Return the belief before any symbol; NOTHING without room, or if the search is stopped."""
    counters = half.counters
    counters.moves = max(1, int(counters.moves))  # an end of 0 means not listed
    if int(counters.members) == len(half.members):
        counters.full = MEMBERS
        return NOTHING
    half.members[counters.members] = intern_state(mask, half)
    return epsilon_closure(1, half, control)


def epsilon_closure(count: int, half: Half, control: Control) -> int:
    """Return the belief of all states that internal moves lead to from ``count`` states.

    These stand in ``members``, behind those of all beliefs.  Returns NOTHING without room, or if
    the search is stopped.
    """
    states, moves, members = half.states, half.moves, half.members
    begin = int(half.counters.members)
    end = begin + count
    stamp = next_stamp(half)
    for index in range(begin, end):
        states.stamps[members[index]] = stamp
    key = 0
    least = cost_of(int(members[begin]), half)
    index = begin
    while index < end:
        state = int(members[index])
        index += 1
        if not list_moves(state, half, control) or control.stop != 0:
            return NOTHING
        key += chance.zobrist(state)
        least = min(least, cost_of(state, half))
        for move in range(states.first_moves[state], states.end_moves[state]):
            target = int(moves.targets[move])
            if moves.symbols[move] == EPSILON and states.stamps[target] != stamp:
                if end == len(members):
                    half.counters.full = MEMBERS
                    return NOTHING
                states.stamps[target] = stamp
                members[end] = target
                end += 1
    return intern_belief(key & chance.KEY, least, end - begin, half)


def intern_belief(key: int, least_cost: int, count: int, half: Half) -> int:
    """Return the belief of a key, a new one of ``count`` members if need be; NOTHING without room.

    The members stand behind those of all beliefs.
    """
    counters, beliefs = half.counters, half.beliefs
    slot = tables.find_slot(beliefs.slots, beliefs.keys, key, chance.zobrist(key))
    if beliefs.slots[slot] != 0:
        return int(beliefs.slots[slot]) - 1
    belief = int(counters.beliefs)
    if belief == len(beliefs.keys):
        counters.full = BELIEFS
        return NOTHING
    beliefs.slots[slot] = belief + 1
    beliefs.keys[belief] = key
    new = beliefs.records[belief]
    new.is_listed = 0
    new.least_cost = least_cost
    new.begin = counters.members
    new.count = count
    new.interface = interface_of(int(half.members[counters.members]), half)
    counters.members += count
    counters.beliefs += 1
    return belief


def list_transitions(belief: int, half: Half) -> bool:
    """List the symbols that a belief may emit unless they are; return whether there was room."""
    counters, states = half.counters, half.states
    own = half.beliefs.records[belief]
    if own.is_listed != 0:
        return True
    stamp = next_stamp(half)
    first = end = int(counters.transitions)
    for index in range(own.begin, own.begin + own.count):
        state = int(half.members[index])
        for move in range(states.first_moves[state], states.end_moves[state]):
            symbol = int(half.moves.symbols[move])
            if symbol != EPSILON and half.symbols.stamps[symbol] != stamp:
                if end == len(half.transitions):
                    counters.full = TRANSITIONS
                    return False
                half.symbols.stamps[symbol] = stamp
                half.transitions[end].is_known = 0
                half.transitions[end].symbol = symbol
                end += 1
    own.first_transition = first
    own.transitions = end - first
    own.is_listed = 1
    counters.transitions = end
    return True


def code_at(transition: int, half: Half) -> int:
    """Return the code of a transition's symbol."""
    return int(half.symbols.keys[half.transitions[transition].symbol])


def symbol_at(transition: int, half: Half) -> int:
    """Return the symbol of a transition, EPSILON for NOTHING."""
    return EPSILON if transition == NOTHING else int(half.transitions[transition].symbol)


def successor_at(belief: int, transition: int, index: int, half: Half) -> int:
    """Return a successor of a belief by one of its transitions; the belief itself by NOTHING."""
    if transition == NOTHING:
        return belief
    return int(half.successors[half.transitions[transition].first_successor + index])


def count_successors(belief: int, transition: int, half: Half, control: Control) -> int:
    """Find the successors of a belief by one of its transitions; return their number.

    Returns NOTHING without room, or if the search is stopped.
    """
    if transition == NOTHING:
        return 1
    chosen = half.transitions[transition]
    if chosen.is_known == 0 and not find_successors(belief, transition, half, control):
        return NOTHING
    return int(chosen.successors)


def find_successors(belief: int, transition: int, half: Half, control: Control) -> bool:
    """List the successors by a transition; return whether there was room and the search goes on."""
    counters, chosen = half.counters, half.transitions[transition]
    waiting = follow_symbol(belief, int(chosen.symbol), half)
    if waiting == NOTHING:
        return False
    first = end = int(counters.successors)
    while waiting > 0:
        before = waiting
        waiting = take_one_interface(before, half)
        if waiting == NOTHING:
            return False
        successor = epsilon_closure(before - waiting, half, control)
        if successor == NOTHING:
            return False
        if end == len(half.successors):
            counters.full = SUCCESSORS
            return False
        half.successors[end] = successor
        end += 1
    chosen.first_successor = first
    chosen.successors = end - first
    chosen.is_known = 1
    counters.successors = end
    return True


def follow_symbol(belief: int, symbol: int, half: Half) -> int:
    """Write the states that a symbol leads to from a belief, and their parents, into the queue.

    They hold the current stamp.  Returns their number, or NOTHING without room.
    """
    states = half.states
    own = half.beliefs.records[belief]
    stamp = next_stamp(half)
    count = 0
    for index in range(own.begin, own.begin + own.count):
        state = int(half.members[index])
        for move in range(states.first_moves[state], states.end_moves[state]):
            if half.moves.symbols[move] == symbol:
                target = state_after(state, symbol, half)
                if target == NOTHING:
                    return NOTHING
                if states.stamps[target] != stamp:
                    states.stamps[target] = stamp
                    states.parents[target] = state
                    states.queue[count] = target
                    count += 1
    return count


def take_one_interface(count: int, half: Half) -> int:
    """Move the states with the interface of the first from the queue to behind all members.

    Returns the number of states left in the queue, or NOTHING without room.
    """
    queue, members = half.states.queue, half.members
    interface = interface_of(int(queue[0]), half)
    end = int(half.counters.members)
    kept = 0
    for index in range(count):
        state = int(queue[index])
        if interface_of(state, half) != interface:
            queue[kept] = state
            kept += 1
        elif end == len(members):
            half.counters.full = MEMBERS
            return NOTHING
        else:
            members[end] = state
            end += 1
    return kept


# The path back from a state.


def best_member(belief: int, half: Half) -> int:
    """Return the state of a belief with the least cost."""
    own = half.beliefs.records[belief]
    best = int(half.members[own.begin])
    least = cost_of(best, half)
    for index in range(own.begin, own.begin + own.count):
        state = int(half.members[index])
        cost = cost_of(state, half)
        if cost < least:
            best = state
            least = cost
    return best


def trace_back(before: int, symbol: int, belief: int, target: int, half: Half) -> int:
    """Write the states on a path into the queue, from a member of a belief back to its start.

    The path begins in the belief ``before``, from which the symbol leads to the other one, or in
    the initial state if that is NOTHING.  Returns the number of states.
    """
    states = half.states
    queue = states.queue
    if before == NOTHING:
        count = 1
        interface = 0
        queue[0] = half.members[half.beliefs.records[belief].begin]
        states.stamps[queue[0]] = next_stamp(half)
        states.parents[queue[0]] = NOTHING
    else:
        count = follow_symbol(before, symbol, half)
        interface = int(half.beliefs.records[before].interface)
    follow_internal_moves(count, target, half)
    queue[0] = target
    count = 1
    while states.parents[target] != NOTHING:
        state = target
        target = int(states.parents[state])
        queue[count] = target
        count += 1
        if (states.keys[state] ^ states.keys[target]) & interface != 0:
            break
    return count


def follow_internal_moves(count: int, target: int, half: Half) -> None:
    """Search breadth first, by internal moves, from ``count`` states in the queue to a target.

    The states hold the current stamp.
    """
    states, moves, queue = half.states, half.moves, half.states.queue
    stamp = half.counters.stamp
    index = 0
    while states.stamps[target] != stamp:
        state = int(queue[index])
        index += 1
        for move in range(states.first_moves[state], states.end_moves[state]):
            after = int(moves.targets[move])
            if moves.symbols[move] == EPSILON and states.stamps[after] != stamp:
                states.stamps[after] = stamp
                states.parents[after] = state
                queue[count] = after
                count += 1
