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

LINEAR = 0
NOTHING = -1


class Control(position.Position):
    """What a search shares with its caller: limits, the random source, what is best so far.

    ``stop`` may be set from another thread at any time.  ``best`` is the value of the best line,
    to be made as small as possible: what it leaves (linear), or its score with its sign changed.
    ``target`` is a value with which the search may end at once.
    """

    control = position.integer("int8")
    stop = position.integer("int8")
    scoring = position.integer("int8")
    s0 = position.integer("int64")
    s1 = position.integer("int64")
    nodes = position.integer("int64")
    limit = position.integer("int64")
    best = position.integer("int64")
    target = position.integer("int64")
    length = position.integer("int32")  # of the best line
    noise = position.integer("int64")
    weights = position.integers("int64", _board.KINDS + 1)
    terms = position.integers("int64", 8)


class Candidate(position.Position):
    """A board that may be kept: what it is made of, its key, how good it looks."""

    candidate = position.integer("int8")
    parent = position.integer("int32")
    cell = position.integer("int32")
    value = position.integer("int64")
    key = position.integer("int64")
    gain = position.integer("int64")


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
    # The board's own groups are kept aside, since looking at a child overwrites the work's.
    for parent in range(count):
        board = beam.boards[side][parent]
        groups = _board.find_groups(board, stride, work)
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
            control.nodes += 1
            if control.nodes >= control.limit:
                control.stop = 1
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
                other.value -= gain - other.gain
                other.gain = gain
                other.parent = parent
                other.cell = cell
            return 0
        slot = (slot + 1) & mask
    groups = _board.find_groups(child, stride, work)
    if groups == 0:
        value = final_value(child, stride, gain, work, control)
        if value < control.best:
            control.best = value
            note_line(beam, layer, parent, cell, control)
        return 0
    dead = _bound.find_dead(child, stride, work)
    value = promise(child, gain, groups, dead, work, control)
    if value == NOTHING:
        return 0
    beam.table[slot] = found + 1
    candidate = beam.candidates[found]
    candidate.value = (value << 10) + chance.draw(control, 1024)
    candidate.key = key
    candidate.gain = gain
    candidate.parent = parent
    candidate.cell = cell
    return 1


def final_value(child: Any, stride: int, gain: int, work: Work, control: Any) -> int:
    """Return the value of a board that has no groups."""
    left = 0
    taken = 0
    for kind in range(1, _board.KINDS):
        count = int(work.counts[kind])
        left += count * control.weights[kind]
        if count > 0:
            taken += (count - 2) ** 2
    if control.scoring == LINEAR:
        return left
    if work.counts[2 * _board.KINDS] == 0:
        return -gain - 1000
    return taken - gain


def promise(child: Any, gain: int, groups: int, dead: int, work: Work, control: Any) -> int:
    """Return how good a board looks, less being better, or NOTHING if it cannot be better."""
    stays = 0
    for index in range(dead):
        stays += control.weights[int(child[work.alone[index]])]
    if stays >= control.best:
        return NOTHING
    single = 0
    count = 0
    for kind in range(1, _board.KINDS):
        single += int(work.counts[_board.KINDS + kind]) * control.weights[kind]
        count += int(work.counts[_board.KINDS + kind])
    return stays * control.terms[0] + single * control.terms[1] + count * control.terms[2] + groups * control.terms[3]


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
