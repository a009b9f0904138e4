"""Pairs of equal cells that may come to lie side by side, and what cannot be removed without them.

``_bound`` asks of every cell whether something may come to lie beside it after all other cells that
are live have gone, even those that would need this very cell.  Here every pair is asked for itself,
and until the two meet both are there: they hold up what lies on them, keep their columns, and are
no partners of others.  A pair that cannot meet even so is struck out, which makes it harder for the
others.  This is done until little changes any more.  ``docs/collapse.md`` has the proof.

On a board with many digits this takes as long as some hundred positions of an exact search.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gridhouse.games.collapse import _board, _bound

if TYPE_CHECKING:
    from gridhouse.games.collapse._board import Work

UNKNOWN = -1  # how many pairs there are where there is no room for them
NONE = -1  # in place of a pair
ENOUGH = 87  # percent of the pairs: when more than so many are left, that is that


def find_dead(cells: Any, stride: int, dead: int, work: Work) -> int:
    """List more cells that can never be removed at the front of ``alone``; return how many.

    So many as ``_bound.find_dead`` has found are there already.  The pairs must have been listed.
    """
    if work.pairs == UNKNOWN:
        return dead
    strike_dead(cells, stride, work)
    enough = int(work.pairs)
    while work.pairs <= enough:
        enough = (int(work.pairs) - 1) * ENOUGH // 100
        pair = 0
        while pair < work.pairs:
            if can_meet(cells, stride, pair, work):
                pair += 1
            else:
                drop(pair, work)
        strike_dead(cells, stride, work)
    for index in range(dead, work.counts[2 * _board.KINDS]):
        at = int(work.alone[index])
        if work.live[at] == 0:
            work.alone[index] = work.alone[dead]
            work.alone[dead] = at
            dead += 1
    return dead


def list_pairs(cells: Any, stride: int, work: Work) -> None:
    """List the pairs that may meet as far as ``_bound`` knows, if there is room for them.

    The dead cells must have been found.
    """
    _bound.place_cells(cells, stride, work)
    _bound.find_walls(cells, stride, work)
    work.pairs = 0
    begin = 0
    for kind in range(1, _board.KINDS):
        end = int(work.ends[kind])
        for first in range(begin, end):
            one = int(work.order[first])
            for second in range(first + 1, end):
                other = int(work.order[second])
                if _bound.may_meet(one, other, work):
                    if work.pairs >= len(work.ones):
                        work.pairs = UNKNOWN
                        return
                    work.ones[work.pairs] = one
                    work.others[work.pairs] = other
                    work.pairs += 1
        begin = end


def strike_dead(cells: Any, stride: int, work: Work) -> None:
    """Find what is live, and strike out the pairs of cells that are not."""
    grow(cells, stride, NONE, work)
    pair = 0
    while pair < work.pairs:
        if work.live[work.ones[pair]] == 1 and work.live[work.others[pair]] == 1:
            pair += 1
        else:
            drop(pair, work)


def drop(pair: int, work: Work) -> None:
    """Put the last pair in the place of one."""
    work.pairs -= 1
    work.ones[pair] = work.ones[work.pairs]
    work.others[pair] = work.others[work.pairs]


def can_meet(cells: Any, stride: int, pair: int, work: Work) -> bool:
    """Tell whether a pair can meet by what goes while both are there."""
    one, other = int(work.ones[pair]), int(work.others[pair])
    hold(cells, one, 1, work)
    hold(cells, other, 1, work)
    meet = grow(cells, stride, pair, work)
    hold(cells, one, 0, work)
    hold(cells, other, 0, work)
    return meet


def hold(cells: Any, at: int, value: int, work: Work) -> None:
    """Hold a cell, and the equal ones right above and below, which go when it goes, or let go."""
    kind = cells[at]
    low = at
    while cells[low] == kind:
        work.held[low] = value
        low -= 1
    high = at + 1
    while cells[high] == kind:
        work.held[high] = value
        high += 1


def grow(cells: Any, stride: int, pair: int, work: Work) -> bool:
    """Let live be what can go while the held cells stay; tell as soon as a pair of them meets."""
    live, held = work.live, work.held
    base = stride
    while cells[base] != 0:
        at = base
        while cells[at] != 0:
            live[at] = 0
            at += 1
        base += stride
    waiting = int(work.pairs)
    for index in range(waiting):
        work.waiting[index] = index
    grew = True
    while grew:
        grew = False
        _bound.find_walls(cells, stride, work)
        if pair != NONE and meets(pair, work):
            return True
        kept = 0
        for index in range(waiting):
            place = work.waiting[index]
            one, other = work.ones[place], work.others[place]
            if held[one] == 1 or held[other] == 1 or live[one] + live[other] == 2:
                continue
            if _bound.may_meet(one, other, work):
                live[one] = 1
                live[other] = 1
                grew = True
            else:
                work.waiting[kept] = place
                kept += 1
        waiting = kept
    return False


def meets(pair: int, work: Work) -> bool:
    """Tell whether a pair may meet by what is live."""
    one, other = int(work.ones[pair]), int(work.others[pair])
    if not _bound.may_meet(one, other, work):
        return False
    if work.column[one] == work.column[other]:
        return True
    if work.level[one] > work.level[other]:
        return sinks(one, other, work)
    return sinks(other, one, work)


def sinks(one: int, other: int, work: Work) -> bool:
    """Tell whether a cell may sink to the level of a lower one in another column.

    A cell below it that only ever goes together with one below the other makes no difference.
    """
    distance = int(work.level[one]) - int(work.level[other])
    if distance == 0:
        return True
    begin, base = one - int(work.level[one]), other - int(work.level[other])
    for at in range(begin, one):
        work.counted[at] = 0
    for pair in range(work.pairs):
        first, second = int(work.ones[pair]), int(work.others[pair])
        if work.live[first] + work.live[second] < 2:
            continue
        for _ in range(2):
            if begin <= first < one and not base <= second < other and work.counted[first] == 0:
                work.counted[first] = 1
                distance -= 1
            first, second = second, first
    return distance <= 0
