"""Ways that need not be searched: each repeats another one, and none that does is missed."""

from __future__ import annotations

import itertools
import random
from typing import TYPE_CHECKING, Any

import pytest

from gridhouse.games.sliding.solver.optimal import duplicate_pruning, optimal_search
from gridhouse.games.sliding.solver.optimal.operator_sequences import NUM_MOVES

if TYPE_CHECKING:
    from collections.abc import Iterator

Way = tuple[int, ...]
Cell = tuple[int, int]
Tiles = dict[Cell, Cell]  # by cell the one from where its tile is; the empty cell's is the first
Box = tuple[int, int, int, int]
Position = tuple[frozenset[tuple[Cell, Cell]], Cell]
RemainingBoard = dict[Position, list[Way]]
STEPS = [(-1, 0), (1, 0), (0, -1), (0, 1)]


def refuses(automaton: Any, way: Way) -> bool:
    """Tell whether a machine refuses a way before its end."""
    state, allowed = 0, duplicate_pruning.ALL_MOVES
    for move in way:
        if not allowed >> move & 1:
            return True
        entry = int(automaton[NUM_MOVES * state + move])
        state, allowed = entry >> NUM_MOVES, entry & duplicate_pruning.ALL_MOVES
    return False


def walked(way: Way) -> tuple[Tiles, list[Cell]]:
    """Return where a way on an endless board leaves all tiles that it moves, and its cells."""
    cells = [(0, 0)]
    tiles: Tiles = {}
    for move in way:
        here = cells[-1]
        there = (here[0] + STEPS[move][0], here[1] + STEPS[move][1])
        tiles |= {here: tiles.get(there, there), there: (0, 0)}
        cells.append(there)
    return tiles, cells


def effect(way: Way) -> tuple[Any, Box]:
    """Return what a way leads to, and how far up, down, left and right it goes."""
    tiles, cells = walked(way)
    rows, cols = zip(*cells, strict=True)
    return position_of(tiles, cells[-1]), (-min(rows), max(rows), -min(cols), max(cols))


def position_of(tiles: Tiles, cell: Cell) -> Position:
    """Return what tells positions apart: the tiles that are elsewhere, and the empty cell."""
    return frozenset((cell, tile) for cell, tile in tiles.items() if cell != tile), cell


def ways(longest: int) -> Iterator[Way]:
    """Yield all ways, shorter ones first and equally long ones in order."""
    for length in range(longest + 1):
        yield from itertools.product(range(NUM_MOVES), repeat=length)


def find_redundant(longest: int) -> set[Way]:
    """Return the ways that do what one before them does within their box, by comparing all."""
    known: dict[Any, list[Box]] = {}
    found = set()
    for way in ways(longest):
        moved, box = effect(way)
        boxes = known.setdefault(moved, [])
        if any(all(a <= b for a, b in zip(other, box, strict=True)) for other in boxes):
            found.add(way)
        boxes.append(box)
    return found


@pytest.mark.untraced
@pytest.mark.parametrize("longest", [1, 2, 5, 8])
def test_a_machine_refuses_just_the_ways_with_a_repeat_in_them(longest: int) -> None:
    automaton = duplicate_pruning.automaton(longest)
    known = find_redundant(longest) | {(move, move ^ 1) for move in range(NUM_MOVES)}
    for way in ways(longest):
        partition = (way[a:b] for a, b in itertools.combinations(range(len(way) + 1), 2))
        assert refuses(automaton, way) == any(pattern in known for pattern in partition), way


def listed(tree: duplicate_pruning.SequenceTrie) -> Iterator[Way]:
    """Yield the repeats of a tree."""
    going: list[tuple[Way, int]] = [((), 0)]
    for way, at in going:
        for move in range(NUM_MOVES):
            if tree.ends[at] >> move & 1:
                yield (*way, move)
            if tree.children[at][move]:
                going.append(((*way, move), tree.children[at][move]))


def within(box: Box, length: int, tiles: Tiles, at: Cell) -> RemainingBoard:
    """Return by what they lead to the ways of just so many moves from a position, within a box."""
    ends: RemainingBoard = {}
    going: list[tuple[Way, Tiles, Cell]] = [((), tiles, at)]
    for way, here, cell in going:
        if len(way) == length:
            ends.setdefault(position_of(here, cell), []).append(way)
            continue
        for move, (down, right) in enumerate(STEPS):
            row, col = there = (cell[0] + down, cell[1] + right)
            if -row <= box[0] and row <= box[1] and -col <= box[2] and col <= box[3]:
                after = here | {cell: here.get(there, there), there: (0, 0)}
                going.append(((*way, move), after, there))
    return ends


@pytest.mark.slow("searches for seconds")
def test_every_repeat_of_a_long_machine_repeats_a_way() -> None:
    """The machine knows positions by hashes; here a way is found from both ends, tile by tile."""
    found = list(listed(duplicate_pruning.find_redundant(optimal_search.LONGEST_SEQUENCE_LARGE)))
    assert {len(way) for way in found} == {2, 6, 8, 9, 10, 11, 12, 13}
    for way in random.Random(1).sample(found, 60):
        tiles, cells = walked(way)
        assert any(
            (length, other) < (len(way), way)
            for length in range(len(way) % 2, len(way) + 1, 2)
            for other in meeting(effect(way)[1], length, tiles, cells[-1])
        ), way


def meeting(box: Box, length: int, tiles: Tiles, cell: Cell) -> Iterator[Way]:
    """Yield the ways of so many moves within a box that lead to a position."""
    there = within(box, length // 2, {}, (0, 0))
    back = within(box, length - length // 2, tiles, cell)
    for end in there.keys() & back.keys():
        for way, blank_goal in itertools.product(there[end], back[end]):
            yield (*way, *(move ^ 1 for move in reversed(blank_goal)))


def test_machines_are_the_same_interpreted_and_compiled() -> None:
    for longest in (1, 6, 7):
        interpreted = duplicate_pruning.automaton(longest, jit=False)
        assert (interpreted == duplicate_pruning.automaton(longest)).all()
