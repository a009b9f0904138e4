"""Which picks of a board are enough: those of some columns that nothing else can meddle with.

Picks that lie apart can be made in any order, and a search that tries them all comes to every
mixture of how far each corner of the board may have come.  It need not.  Picks are *persistent*
(Valmari, Stubborn sets for reduced state space generation, 1991; Godefroid, 1996) if, whatever is
picked besides, each of them stays possible and leads to the same: then every game has one of them
at some time, and might as well have begun with it.  All picks of a region, some columns side by
side, are persistent if

- as long as it stays as it is, and whatever goes on beside it, no cell there ever comes to lie
  beside an equal one of the region,
- and after any of its picks no cell that may be removed there does so either.

What goes on beside it is told by the same look as for the whole board (see ``_words``), with these
columns alone.  What was found out of the columns on one side is remembered by what stands there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gridhouse.core import bits
from gridhouse.games.collapse import _words

if TYPE_CHECKING:
    from gridhouse.games.collapse._words import Frame

SIDES = 1 << 13  # that are remembered, a power of two
UNKNOWN = 0
OPEN = 1
CLOSED = 2


def reduce(memory: Any, begin: int, end: int, frame: Frame) -> int:
    """Keep those of the listed picks that are enough, and return where they end.

    The board has been read, its codes are noted, and the drafts hold the groups of the picks.
    """
    note_picks(memory, begin, end, frame)
    wide = int(frame.wide)
    for wanted in range(1, end - begin):
        for first in range(wide):
            if first > 0 and frame.crossed[first - 1] != 0:
                continue
            count = 0
            for last in range(first, wide):
                count += frame.starts[last]
                if count > wanted:
                    break
                if (
                    count == wanted
                    and frame.crossed[last] == 0
                    and is_region(memory, begin, end, first, last, frame)
                ):
                    return keep(memory, begin, end, first, last)
    return end


def note_picks(memory: Any, begin: int, end: int, frame: Frame) -> None:
    """Note in which columns picks lie, the cells of none, and keys of all columns on one side."""
    wide = int(frame.wide)
    _words.copy(frame.cells, frame.still, _words.WORDS)
    for col in range(wide):
        frame.starts[col] = 0
        frame.left[col] = UNKNOWN
        frame.right[col] = UNKNOWN
        frame.crossed[col] = 0
    for index in range(begin, end):
        pick = memory.children[index]
        group = memory.drafts[index]
        pick.low = _words.MOST_COLUMNS
        for word in range(_words.WORDS):
            cells = int(group[word])
            if cells != 0:
                frame.still[word] &= ~cells
                base = word * frame.spread
                pick.low = min(pick.low, base + frame.place[bits.lowest(cells)])
                pick.high = base + frame.place[bits.length(cells) - 1]
        frame.starts[pick.low] += 1
        for col in range(pick.low, pick.high):
            frame.crossed[col] = 1
    key = 0
    for col in range(wide):
        key = _words.placed(int(frame.codes[col]) ^ key, col)
        frame.before[col] = key
    key = 0
    for col in range(wide - 1, -1, -1):
        key = _words.placed(int(frame.codes[col]) ^ key, _words.MOST_COLUMNS + col)
        frame.behind[col] = key


def keep(memory: Any, begin: int, end: int, first: int, last: int) -> int:
    """Keep the picks of some columns, and return where they end."""
    place = begin
    for index in range(begin, end):
        pick = memory.children[index]
        if first <= pick.low <= last:
            kept = memory.children[place]
            kept.word = pick.word
            kept.cell = pick.cell
            kept.kind = pick.kind
            kept.gone = pick.gone
            kept.left = pick.left
            _words.copy(memory.drafts[index], memory.drafts[place], _words.WORDS)
            place += 1
    return place


def is_region(memory: Any, begin: int, end: int, first: int, last: int, frame: Frame) -> bool:
    """Tell whether the picks of some columns, which are not all, are enough."""
    is_inner = first > 0 and last + 1 < frame.wide
    if is_inner and has_only(memory, begin, end, first, last, frame):
        return False  # what is on either side of it would meet
    if last + 1 < frame.wide and is_open(memory, begin, end, last, 1, frame):
        return False
    return first == 0 or not is_open(memory, begin, end, first, -1, frame)


def is_open(memory: Any, begin: int, end: int, edge: int, step: int, frame: Frame) -> bool:
    """Tell whether cells up to an edge may come to lie beside equal ones behind it; ask once."""
    known = frame.right if step > 0 else frame.left
    if known[edge] == UNKNOWN:
        is_touching = is_touched(memory, begin, end, edge, step, frame)
        known[edge] = OPEN if is_touching else CLOSED
    return bool(known[edge] == OPEN)


def has_only(memory: Any, begin: int, end: int, first: int, last: int, frame: Frame) -> bool:
    """Tell whether some columns hold one group and nothing else."""
    left = 0
    for col in range(first, last + 1):
        left += bits.population(_words.column_of(frame.cells, 0, col, frame))
    for index in range(begin, end):
        pick = memory.children[index]
        if first <= pick.low <= last and pick.gone == left:
            return True
    return False


def is_touched(memory: Any, begin: int, end: int, edge: int, step: int, frame: Frame) -> bool:
    """Tell whether a region's cells may come to lie beside equal ones behind an edge of it.

    As long as it stays as it is, or after one of its picks, which leaves some of it.
    """
    look_beside(memory, edge + step, step, frame)
    for index in range(frame.kinds):
        kind = int(frame.kind[index])
        base = kind * _words.WORDS
        own = _words.column_of(frame.masks, base, edge, frame)
        if own != 0 and _words.is_met_beside(base, own, edge, step, _words.ALL, frame):
            return True
    for index in range(begin, end):
        pick = memory.children[index]
        touches = pick.high == edge if step > 0 else pick.low == edge
        if touches and is_touched_after(memory.drafts[index], edge, step, frame):
            return True
    return False


def is_touched_after(group: Any, edge: int, step: int, frame: Frame) -> bool:
    """Tell the same, by cells that may go, of a region from which a group has gone."""
    col = edge
    rest = 0
    while 0 <= col < frame.wide and rest == 0:
        rest = _words.column_of(frame.cells, 0, col, frame)
        rest &= ~_words.column_of(group, 0, col, frame)
        col -= step
    for index in range(frame.kinds):
        kind = int(frame.kind[index])
        base = kind * _words.WORDS
        own = bits.extract(_words.column_of(frame.masks, base, col + step, frame), rest)
        if own != 0 and _words.is_met_beside(base, own, edge, step, _words.LIVE, frame):
            return True
    return False


def look_beside(memory: Any, col: int, step: int, frame: Frame) -> None:
    """Note in ``dead`` what can never be removed by the columns from one on alone, on one side."""
    key = int(frame.behind[col] if step > 0 else frame.before[col])
    side = memory.sides[key & (len(memory.sides) - 1)]
    frame.begin = col if step > 0 else 0
    frame.end = frame.wide if step > 0 else col + 1
    if side[_words.WORDS] == key:
        _words.copy(side, frame.dead, _words.WORDS)
    else:
        _words.find_dead_between(frame)
        _words.copy(frame.dead, side, _words.WORDS)
        side[_words.WORDS] = key
