"""Exact search over a board that is cut in two: only what the halves show each other counts.

A pair of beliefs (see ``_half``) is what the labels shown so far have led to.  Which labels may
come next depends on both halves: a group that one of them takes alone must have no equal cell
beside it, and a group of both has to hang together and to be whole.  All pairs that can be reached
are looked at once; the least that one of them leaves is the least that the board can leave.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from gridhouse.core import chance, position
from gridhouse.games.collapse import _board, _half, _words

if TYPE_CHECKING:
    from collections.abc import Callable

    from gridhouse.games.collapse._half import Side

SMALLEST = 1 << 10  # entries that arrays begin with
RUN = (1 << _half.COMPONENT) - 1


class Course(position.Position):
    """How many pairs there are, and how many of them have been looked at."""

    course = position.field("int8")
    full = position.field("int8")
    pairs = position.field("int64")
    done = position.field("int64")
    best = position.field("int64")  # the pair that leaves least


class Pair(position.Position):
    """A pair of beliefs, and how it was reached first: from which pair, by which labels."""

    pair = position.field("int8")
    one = position.field("int32")
    other = position.field("int32")
    origin = position.field("int32")
    one_label = position.field("int32")  # or HIDDEN where a half showed nothing
    other_label = position.field("int32")


class Cut(NamedTuple):
    """The memory of a search: both halves, the pairs, and where they are found."""

    one: Side
    other: Side
    course: Any
    pairs: Any
    slots: Any


def begin(cut: Cut, one: int, other: int, control: Any) -> bool:
    """Enter the pair that both halves begin with, all their cells; return False without room."""
    first = _half.first_belief(one, cut.one, control)
    second = _half.first_belief(other, cut.other, control)
    if first < 0 or second < 0:
        return False
    return enter(cut, first, second, _half.HIDDEN, _half.HIDDEN, control)


def search(cut: Cut, control: Any) -> None:
    """Look at all pairs that are left, until the search is stopped or has no room.

    It pauses where a pair leaves less than ``best`` of the control, which it lowers.
    """
    course = cut.course
    best = control.best
    while course.done < course.pairs and control.stop == 0 and control.best == best:
        _board.count_node(control)
        if not follow(cut, int(course.done), control):
            return
        course.done += 1


def follow(cut: Cut, index: int, control: Any) -> bool:
    """Enter all pairs that a pair leads to; return False if stopped, or without room."""
    one, other = cut.one, cut.other
    first, second = int(cut.pairs[index].one), int(cut.pairs[index].other)
    if not (_half.list_options(first, one) and _half.list_options(second, other)):
        return False
    here, there = one.beliefs[first], other.beliefs[second]
    for option in range(here.first, here.first + here.options):
        code = _half.code_at(option, one)
        own = _half.rows_of(code & _half.KIND, int(here.edge), one)
        near = _half.rows_of(code & _half.KIND, int(there.edge), other)
        if code & _half.ALONE != 0:
            is_whole = near & _half.rows_in(code) == 0
            if is_whole and not enter_all(cut, index, option, _half.NOTHING, control):
                return False
            continue
        for answer in range(there.first, there.first + there.options):
            reply = _half.code_at(answer, other)
            if reply & (_half.KIND | _half.ALONE) == code & _half.KIND:
                is_whole = are_group(code, reply, own, near)
                if is_whole and not enter_all(cut, index, option, answer, control):
                    return False
    for answer in range(there.first, there.first + there.options):
        code = _half.code_at(answer, other)
        own = _half.rows_of(code & _half.KIND, int(here.edge), one)
        is_whole = code & _half.ALONE != 0 and own & _half.rows_in(code) == 0
        if is_whole and not enter_all(cut, index, _half.NOTHING, answer, control):
            return False
    return True


def enter_all(cut: Cut, index: int, option: int, answer: int, control: Any) -> bool:
    """Enter the pairs that a group leads to, by what either half shows of it, or NOTHING."""
    one, other = cut.one, cut.other
    first, second = int(cut.pairs[index].one), int(cut.pairs[index].other)
    ways = _half.count_ways(first, option, one, control)
    replies = _half.count_ways(second, answer, other, control)
    if ways == _half.NOTHING or replies == _half.NOTHING:
        return False
    label, other_label = _half.label_at(option, one), _half.label_at(answer, other)
    for way in range(ways):
        for reply in range(replies):
            reached = _half.way_of(first, option, way, one)
            met = _half.way_of(second, answer, reply, other)
            if not enter(cut, reached, met, label, other_label, control):
                return False
    return True


def enter(cut: Cut, one: int, other: int, one_label: int, other_label: int, control: Any) -> bool:
    """Enter a pair that the one looked at leads to, unless it is known; False without room."""
    course, pairs, slots = cut.course, cut.pairs, cut.slots
    place = pair_key(one, other) & (len(slots) - 1)
    while slots[place] != 0:
        known = pairs[slots[place] - 1]
        if known.one == one and known.other == other:
            return True
        place = (place + 1) & (len(slots) - 1)
    index = int(course.pairs)
    if index == len(pairs):
        course.full = 1
        return False
    slots[place] = index + 1
    course.pairs += 1
    new = pairs[index]
    new.one = one
    new.other = other
    new.origin = course.done
    new.one_label = one_label
    new.other_label = other_label
    left = int(cut.one.beliefs[one].least) + int(cut.other.beliefs[other].least)
    if left < control.best:
        control.best = left
        course.best = index
    return True


def pair_key(one: Any, other: Any) -> Any:
    """Return what a pair is found by, or of many pairs."""
    return chance.zobrist((one << 32) | other)


# Groups over both halves.


def are_group(code: int, reply: int, own: int, near: int) -> bool:
    """Tell whether labels of both halves are one whole group.

    ``own`` and ``near`` are all the cells of its kind on the edges.
    """
    here, there = _half.rows_in(code), _half.rows_in(reply)
    if here & there == 0 or near & here & ~there != 0 or own & there & ~here != 0:
        return False
    if code >> _half.COMPONENTS == 0 and reply >> _half.COMPONENTS == 0:
        return True  # one component each
    reached = here & -here
    found = 0
    while True:
        more = joined(code, reached)
        found = joined(reply, more)
        if more | (found & here) == reached:
            return reached == here and found == there
        reached = more | (found & here)


def joined(code: int, rows: int) -> int:
    """Return the rows of all components of a label that have one of some rows."""
    touched = 0
    for _ in range(2):  # first which components these are
        result = 0
        shift = _half.COMPONENTS
        rest = _half.rows_in(code)
        while rest != 0:
            start = rest & -rest
            run = rest & ~(rest + start)
            rest ^= run
            if run & rows != 0:
                touched |= 1 << ((code >> shift) & RUN)
            if touched >> ((code >> shift) & RUN) & 1 != 0:
                result |= run
            shift += _half.COMPONENT
    return result


# Memory.


def make_cut(zeros: Any, to_records: Callable[[Any, int], Any]) -> Cut:
    """Return the memory of a search, small to begin with."""
    return Cut(
        one=make_side(zeros, to_records),
        other=make_side(zeros, to_records),
        course=to_records(Course(), 1)[0],
        pairs=to_records(Pair(), SMALLEST),
        slots=zeros(2 * SMALLEST, "int32"),
    )


def make_side(zeros: Any, to_records: Callable[[Any, int], Any]) -> Side:
    """Return the memory of a half."""
    return _half.Side(
        half=to_records(_half.Half(), 1)[0],
        frame=to_records(_words.Frame(), 1)[0],
        states=zeros(SMALLEST, "int64"),
        firsts=zeros(SMALLEST, "int32"),
        ends=zeros(SMALLEST, "int32"),
        marks=zeros(SMALLEST, "int32"),
        origins=zeros(SMALLEST, "int32"),
        queue=zeros(SMALLEST, "int32"),
        slots=zeros(2 * SMALLEST, "int32"),
        shown=zeros(SMALLEST, "int32"),
        nexts=zeros(SMALLEST, "int32"),
        labels=zeros(SMALLEST, "int64"),
        label_marks=zeros(SMALLEST, "int32"),
        label_slots=zeros(2 * SMALLEST, "int32"),
        members=zeros(SMALLEST, "int32"),
        beliefs=to_records(_half.Belief(), SMALLEST),
        belief_slots=zeros(2 * SMALLEST, "int32"),
        options=to_records(_half.Option(), SMALLEST),
        ways=zeros(SMALLEST, "int32"),
    )
