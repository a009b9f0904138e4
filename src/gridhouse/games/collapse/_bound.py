"""Cells that can never be removed, and what that leaves of the score at best.

``find_dead`` grows the set of live cells, which may perhaps be removed some day, until nothing is
new; all others are dead.  Live are

- the cells of the groups that are there;
- any two equal cells that can come to lie side by side after live cells alone have been removed: in
  one column all cells between them are live; in different columns all cells of the columns between
  them are live, and there is a level that both can sink to.  A cell never rises, and sinks at most
  by the number of live cells below it.

No dead cell is ever removed, however the game is played.  For suppose that some are, and look at
the first pick that removes a dead cell.  Until then only live cells were removed.  The group of
this pick holds the dead cell and an equal one beside it.  If they lay side by side from the start
both would be live.  If not, what lay between them is gone, so it was live, and they have sunk to
the same level or, in one column, onto each other: so both are live after all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gridhouse.games.collapse import _board

if TYPE_CHECKING:
    from gridhouse.games.collapse._board import Work


def find_dead(cells: Any, stride: int, work: Work) -> int:
    """List cells that can never be removed at the front of ``alone``; return how many they are.

    The groups must have been found.
    """
    alone = int(work.counts[2 * _board.KINDS])
    sort_cells(cells, stride, alone, work)
    dead = alone
    while dead > 0:
        find_walls(cells, stride, work)
        before = dead
        index = 0
        while index < dead:
            at = int(work.alone[index])
            if work.live[at] == 1 or find_partner(cells, at, work):
                dead -= 1
                work.alone[index] = work.alone[dead]
                work.alone[dead] = at
            else:
                index += 1
        if dead == before:
            break
    return dead


def sort_cells(cells: Any, stride: int, alone: int, work: Work) -> None:
    """List all cells by their kind in ``order``; let those that are not alone be live.

    Notes where every cell is as well, since to divide takes longer than all that is done with it.
    """
    begin, order, live = work.begin, work.order, work.live
    end = 0
    for kind in range(1, _board.KINDS):
        begin[kind] = end
        end += work.counts[kind]
    col = 1
    base = stride
    while cells[base] != 0:
        at = base
        while cells[at] != 0:
            kind = int(cells[at])
            if kind == _board.WALL:
                live[at] = 0
            else:
                order[begin[kind]] = at
                begin[kind] += 1
                live[at] = 1
                work.column[at] = col
                work.level[at] = at - base
            at += 1
        base += stride
        col += 1
    for index in range(alone):
        live[work.alone[index]] = 0


def find_walls(cells: Any, stride: int, work: Work) -> None:
    """Note the lowest level of each cell, and how many dead ones lie left of each column."""
    col = 1
    base = stride
    walls = 0
    while cells[base] != 0:
        work.walls[col] = walls
        lowest = 0
        at = base
        while cells[at] != 0:
            work.lowest[at] = lowest
            lowest += 1 - int(work.live[at])
            at += 1
        walls += lowest
        base += stride
        col += 1
    work.walls[col] = walls


def find_partner(cells: Any, at: int, work: Work) -> bool:
    """Look for an equal cell that may come to lie beside this one; if there is, both are live."""
    kind = int(cells[at])
    end = int(work.begin[kind])
    for index in range(end - work.counts[kind], end):
        other = int(work.order[index])
        if other == at:
            continue
        if may_meet(other, at, work) if other < at else may_meet(at, other, work):
            work.live[at] = 1
            work.live[other] = 1
            return True
    return False


def may_meet(one: int, other: int, work: Work) -> bool:
    """Tell whether a cell and a later one may come to lie side by side by what is live."""
    column, beside = work.column[one], work.column[other]
    if column == beside:
        return work.lowest[other] - work.lowest[one] == 1 - work.live[one]
    if work.lowest[other] > work.level[one] or work.lowest[one] > work.level[other]:
        return False
    return work.walls[beside] == work.walls[column + 1]


def link_columns(wide: int, work: Work) -> None:
    """Note for each column whether a live cell up to it may come to lie beside a later one.

    Where none may, what is left and what is right of there never touch each other.
    The dead cells must have been found.
    """
    links = work.links
    for col in range(wide + 2):
        links[col] = 0
    begin = 0
    for kind in range(1, _board.KINDS):
        end = int(work.begin[kind])
        for first in range(begin, end):
            at = int(work.order[first])
            if work.live[at] == 0:
                continue
            col = int(work.column[at])
            level = int(work.level[at])
            lowest = int(work.lowest[at])
            walls = work.walls[col + 1]
            for second in range(first + 1, end):
                other = int(work.order[second])
                beside = int(work.column[other])
                if work.walls[beside] > walls and beside > col:
                    break  # cells are listed by column
                is_near = work.level[other] >= lowest and work.lowest[other] <= level
                if is_near and beside > col and work.live[other] == 1:
                    links[col] += 1
                    links[beside] -= 1
        begin = end
    for col in range(1, wide + 2):
        links[col] += links[col - 1]
