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

LEVELS = 62  # that are told apart


def find_dead(cells: Any, stride: int, work: Work) -> int:
    """List cells that can never be removed at the front of ``alone``; return how many they are.

    The groups must have been found.
    """
    alone = int(work.counts[2 * _board.KINDS])
    columns = find_grouped(cells, stride, alone, work)
    dead = alone
    quiet = 0  # sweeps that found nothing; one in each direction make an end
    is_back = False
    while dead > 0 and quiet < 2:
        found = sweep(cells, stride, columns, is_back, dead, work)
        dead -= found
        quiet = 0 if found > 0 else quiet + 1
        is_back = not is_back
    place = 0
    for index in range(alone):
        at = int(work.alone[index])
        if work.live[at] == 0:
            work.alone[index] = work.alone[place]
            work.alone[place] = at
            place += 1
    return dead


def find_grouped(cells: Any, stride: int, alone: int, work: Work) -> int:
    """Let the cells of groups be live, and no others; return how many columns there are."""
    live = work.live
    columns = 0
    base = stride
    while cells[base] != 0:
        at = base
        while cells[at] != 0:
            live[at] = int(cells[at] != _board.WALL)
            at += 1
        base += stride
        columns += 1
    for index in range(alone):
        live[work.alone[index]] = 0
    return columns


def sweep(cells: Any, stride: int, columns: int, is_back: bool, dead: int, work: Work) -> int:
    """Go through the columns and let dead cells be live that may meet others; return how many.

    On the way is known, by kind, which levels the cells of the columns before may sink to that
    nothing dead parts from this one: bit by bit, so that all of them are asked at once.  Going back
    finds their partners.
    """
    live, beside, here, last = work.live, work.beside, work.here, work.last
    coarse = coarseness(stride)
    for kind in range(_board.KINDS + 1):
        beside[kind] = 0
        here[kind] = 0
        last[kind] = 0
    found = 0
    for step in range(1, columns + 1):
        base = (columns + 1 - step if is_back else step) * stride
        wall = base  # the highest dead cell so far
        lowest = 0
        at = base
        while cells[at] != 0:
            kind = int(cells[at])
            if kind != _board.WALL:
                if last[kind] >= wall and live[at] + live[last[kind]] < 2:
                    found += 2 - live[at] - live[last[kind]]
                    live[at] = 1
                    live[last[kind]] = 1
                last[kind] = at
                levels = (2 << ((at - base) >> coarse)) - (1 << (lowest >> coarse))
                if live[at] == 0 and beside[kind] & levels != 0:
                    live[at] = 1
                    found += 1
                here[kind] |= levels
            if live[at] == 0:
                lowest += 1
                wall = at
            at += 1
        for kind in range(_board.KINDS + 1):
            beside[kind] = here[kind] | (beside[kind] if lowest == 0 else 0)
            here[kind] = 0
            last[kind] = 0
        if found == dead:
            break
    return found


def coarseness(stride: int) -> int:
    """Return by how much levels are shifted to places of bits.

    On boards of more than ``LEVELS`` rows some levels share one, so that rather too many cells are
    live.
    """
    coarse = 0
    while (stride - 2) >> coarse >= LEVELS:
        coarse += 1
    return coarse
