"""Dead cells: cells that no sequence of picks removes.

``find_dead`` grows a set of live cells, which may perhaps be removed, to its least fixed point; all
other cells are dead.  Live are

- the cells of all groups;
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

from typing import TYPE_CHECKING

from gridhouse.games.collapse.solver.kernels import byte_board

if TYPE_CHECKING:
    from gridhouse.core.arrays import Ints
    from gridhouse.games.collapse.solver.kernels.byte_board import Scratch

LEVELS = 62  # a bit of a word each


def find_dead(cells: Ints, stride: int, scratch: Scratch) -> int:
    """Move the dead cells to the front of ``isolated`` and return their number.

    The groups must have been found.
    """
    isolated = int(scratch.counts[2 * byte_board.KINDS])
    columns = init_live(cells, stride, isolated, scratch)
    dead = isolated
    quiet = 0  # sweeps in a row without a new live cell; one in each direction end the search
    is_backward = False
    while dead > 0 and quiet < 2:
        found = sweep(cells, stride, columns, is_backward, dead, scratch)
        dead -= found
        quiet = 0 if found > 0 else quiet + 1
        is_backward = not is_backward
    place = 0
    for index in range(isolated):
        at = int(scratch.isolated[index])
        if scratch.live[at] == 0:
            scratch.isolated[index] = scratch.isolated[place]
            scratch.isolated[place] = at
            place += 1
    return dead


def init_live(cells: Ints, stride: int, isolated: int, scratch: Scratch) -> int:
    """Make just the cells of groups live; return the number of columns."""
    live = scratch.live
    columns = 0
    base = stride
    while cells[base] != 0:
        at = base
        while cells[at] != 0:
            live[at] = int(cells[at] != byte_board.WALL)
            at += 1
        base += stride
        columns += 1
    for index in range(isolated):
        live[scratch.isolated[index]] = 0
    return columns


def sweep(
    cells: Ints, stride: int, columns: int, is_backward: bool, dead: int, scratch: Scratch
) -> int:
    """Pass over the columns once and make dead cells live that may meet others; return the number.

    ``beside`` has a bit for each level that a cell of a kind may sink to, of all earlier columns
    that no dead cell separates from this one.  The pass in the other direction finds the partners.
    """
    live, beside, here, last = scratch.live, scratch.beside, scratch.here, scratch.last
    coarse = coarseness(stride)
    for kind in range(byte_board.KINDS + 1):
        beside[kind] = 0
        here[kind] = 0
        last[kind] = 0
    found = 0
    for step in range(1, columns + 1):
        base = (columns + 1 - step if is_backward else step) * stride
        wall = base  # the highest dead cell so far
        lowest = 0
        at = base
        while cells[at] != 0:
            kind = int(cells[at])
            if kind != byte_board.WALL:
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
        for kind in range(byte_board.KINDS + 1):
            beside[kind] = here[kind] | (beside[kind] if lowest == 0 else 0)
            here[kind] = 0
            last[kind] = 0
        if found == dead:
            break
    return found


def coarseness(stride: int) -> int:
    """Return the shift from levels to bits.

    On boards of more than ``LEVELS`` rows several levels share a bit, and more cells count as live
    than are.
    """
    coarse = 0
    while (stride - 2) >> coarse >= LEVELS:
        coarse += 1
    return coarse
