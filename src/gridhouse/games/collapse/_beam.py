"""Beam search: all boards after so many picks at once, the most promising of them kept.

Boards that are the same or mirror images count once (Lowerre, 1976, for the search; Zobrist, 1970,
for the keys).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from gridhouse.core import chance, position
from gridhouse.games.collapse import _board, _bound

if TYPE_CHECKING:
    from gridhouse.games.collapse._board import Work

NOTHING = -1
BASE = 1 << 40  # keeps values positive
MOST = 200_000  # candidates; whatever is found after these is passed over
SPREAD = 10  # bits of chance below a value, so that equals are chosen among by chance

# What makes a board promising (linear): per point that stays for good, per point of cells without
# an equal neighbour, per such cell.
STAYS = 50
POINTS = 2
CELLS = 2

# The same for SameGame: percent of the squared number of a digit, of the one that is spared; per
# cell without an equal neighbour, per group, and when the board cannot be cleared.
SHARE = 90
SPARED = 100
ALONE = 20
GROUP = 20
SPOILT = 1000


class Candidate(position.Position):
    """A board that may be kept: what it is made of, its key, how good it looks."""

    candidate = position.field("int8")
    parent = position.field("int32")
    cell = position.field("int32")
    value = position.field("int64")
    key = position.field("int64")
    gain = position.field("int64")


class Beam(NamedTuple):
    """The memory of a beam search, made for a width, a size of board and a number of picks."""

    boards: Any  # two layers of so many boards as the beam is wide
    gains: Any
    parents: Any  # by pick and place in the beam
    cells: Any
    candidates: Any
    order: Any  # places of candidates, the best to the front
    table: Any  # by key: the place of a candidate and 1
    line: Any  # the cells picked in the best line


def make_beam(width: int, cells: int, size: int, zeros: Any, to_records: Any) -> Beam:
    """Return memory for beams of a width on boards of so many cells and bytes.

    ``zeros`` is NumPy's, ``to_records`` that of ``core.compiling``.
    """
    picks = cells // 2 + 1
    candidates = min(width * picks, max(MOST, 4 * width)) + 1
    table = 2
    while table < 2 * candidates:
        table *= 2
    return Beam(
        boards=zeros((3, width, size), "int8"),
        gains=zeros((2, width), "int64"),
        parents=zeros((picks, width), "int32"),
        cells=zeros((picks, width), "int32"),
        candidates=to_records(Candidate(), candidates),
        order=zeros(candidates, "int32"),
        table=zeros(table, "int32"),
        line=zeros(picks, "int32"),
    )


def search(beam: Beam, width: int, stride: int, work: Work, control: Any) -> None:
    """Search from the first board of the first layer."""
    count = 1
    layer = 0
    while count > 0 and control.stop == 0 and control.best > control.target:
        found = expand(beam, layer, count, stride, work, control)
        count = select(beam, found, width)
        advance(beam, layer, count, stride, work)
        layer += 1


def expand(beam: Beam, layer: int, count: int, stride: int, work: Work, control: Any) -> int:
    """List the children of a layer's boards as candidates and return how many there are."""
    side = layer % 2
    for slot in range(len(beam.table)):
        beam.table[slot] = 0
    found = 0
    child = beam.boards[2][0]
    size = len(child)
    for parent in range(count):
        board = beam.boards[side][parent]
        groups = _board.find_groups(board, stride, work)
        # Kept aside, since looking at a child overwrites them.
        for group in range(groups):
            beam.order[group] = work.members[work.start[group]]
        for group in range(groups):
            if found >= len(beam.candidates) or control.stop != 0:
                return found
            cell = int(beam.order[group])
            for at in range(size):
                child[at] = board[at]
            end = _board.flood(child, stride, cell, 0, _board.next_stamp(work), work)
            _board.remove(child, stride, work.members, 0, end)
            _board.count_node(control)
            gain = beam.gains[side][parent] + (end - 2) ** 2
            found += consider(beam, layer, parent, cell, gain, found, stride, work, control)
    return found


def consider(
    beam: Beam,
    layer: int,
    parent: int,
    cell: int,
    gain: int,
    found: int,
    stride: int,
    work: Work,
    control: Any,
) -> int:
    """Look at a child; return 1 if it is a new candidate."""
    child = beam.boards[2][0]
    key = _board.board_key(child, stride, work)
    mask = len(beam.table) - 1
    slot = key & mask
    while beam.table[slot] != 0:
        other = beam.candidates[beam.table[slot] - 1]
        if other.key == key:
            if gain > other.gain:
                other.value -= (gain - other.gain) << SPREAD
                other.gain = gain
                other.parent = parent
                other.cell = cell
            return 0
        slot = (slot + 1) & mask
    groups = _board.find_groups(child, stride, work)
    if groups == 0:
        value = _board.final_value(gain, work, control)
        if value < control.best:
            control.best = value
            note_line(beam, layer, parent, cell, control)
        return 0
    dead = 0 if control.hasty else _bound.find_dead(child, stride, work)
    value = promise(child, gain, groups, dead, work, control)
    if value == NOTHING:
        return 0
    beam.table[slot] = found + 1
    candidate = beam.candidates[found]
    candidate.value = (value << SPREAD) + chance.randbelow(control, 1 << SPREAD)
    candidate.key = key
    candidate.gain = gain
    candidate.parent = parent
    candidate.cell = cell
    return 1


def promise(child: Any, gain: int, groups: int, dead: int, work: Work, control: Any) -> int:
    """Return how good a board looks, less being better, or NOTHING if it cannot be better."""
    if control.scoring == _board.LINEAR:
        return linear_promise(child, dead, work, control)
    value = GROUP * groups - gain
    for kind in range(1, _board.KINDS):
        count = int(work.counts[kind])
        share = SPARED if kind == control.spared else SHARE
        value -= count * count * share // 100
    value += int(work.counts[2 * _board.KINDS]) * ALONE
    if dead > 0:
        value += SPOILT
    return value + BASE


def linear_promise(child: Any, dead: int, work: Work, control: Any) -> int:
    """Return how good a board looks of which only what is left counts."""
    stays = 0
    for index in range(dead):
        stays += int(control.weights[int(child[work.alone[index]])])
    if stays >= control.best:
        return NOTHING
    value = stays * STAYS
    for kind in range(1, _board.KINDS):
        alone = int(work.counts[_board.KINDS + kind])
        value += alone * (POINTS * int(control.weights[kind]) + CELLS)
    return value


def select(beam: Beam, found: int, width: int) -> int:
    """Bring the best candidates' places to the front of ``order``; return how many are kept."""
    order, candidates = beam.order, beam.candidates
    for index in range(found):
        order[index] = index
    if found <= width:
        return found
    low = 0
    high = found - 1
    while low < high:  # Hoare's selection (1961)
        pivot = candidates[order[(low + high) // 2]].value
        left = low
        right = high
        while left <= right:
            while candidates[order[left]].value < pivot:
                left += 1
            while candidates[order[right]].value > pivot:
                right -= 1
            if left <= right:
                swapped = order[left]
                order[left] = order[right]
                order[right] = swapped
                left += 1
                right -= 1
        if width - 1 <= right:
            high = right
        elif width - 1 >= left:
            low = left
        else:
            break
    return width


def advance(beam: Beam, layer: int, count: int, stride: int, work: Work) -> None:
    """Make the boards of the next layer from the candidates that are kept."""
    side = layer % 2
    for place in range(count):
        candidate = beam.candidates[beam.order[place]]
        board = beam.boards[1 - side][place]
        source = beam.boards[side][candidate.parent]
        for at in range(len(board)):
            board[at] = source[at]
        stamp = _board.next_stamp(work)
        end = _board.flood(board, stride, candidate.cell, 0, stamp, work)
        _board.remove(board, stride, work.members, 0, end)
        beam.gains[1 - side][place] = candidate.gain
        beam.parents[layer][place] = candidate.parent
        beam.cells[layer][place] = candidate.cell


def note_line(beam: Beam, layer: int, parent: int, cell: int, control: Any) -> None:
    """Write the picks that lead to a child into the best line."""
    control.length = layer + 1
    beam.line[layer] = cell
    while layer > 0:
        layer -= 1
        beam.line[layer] = beam.cells[layer][parent]
        parent = beam.parents[layer][parent]
