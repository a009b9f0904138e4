"""The kernels of Collapse's solver: boards, dead cells, playouts and tables."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import pytest

import gridhouse
from collapse_helpers import random_rows, state_of
from gridhouse.games.collapse.solver import api
from gridhouse.games.collapse.solver.kernels import (
    beam_search,
    bitboard,
    byte_board,
    exact_search,
)
from gridhouse.games.collapse.solver.search import (
    LinearSearch,
    Options,
    Search,
    backend,
    make_search,
)
from naive import collapse_best

SCORINGS = ("linear", "samegame")


def test_dead_cells_are_never_removed() -> None:
    chance = random.Random(5)
    some = 0
    for turn in range(250):
        rows = random_rows(chance, 20)
        search = make_search(state_of(rows), Options(), jit=turn % 10 > 0)
        scratch = search._scratch()
        search.kernels.byte_board.find_groups(search.start, search.stride, scratch)
        count = search.kernels.dead_cells.find_dead(search.start, search.stride, scratch)
        dead = {field_of(search, cell) for cell in scratch.isolated[:count]}
        assert len(dead) == count
        assert not dead & collapse_best.removable(collapse_best.board_of(rows)), rows
        some += count
    assert some > 400


def live_cells(cells: Any, stride: int, groups: set[int]) -> set[int]:
    """Return what the definition in the docs calls live, by asking all pairs again and again."""
    columns = {at: at // stride for at in range(len(cells)) if cells[at] > 0}
    live = set(groups)

    def lowest(at: int) -> int:
        return sum(other not in live for other in range(columns[at] * stride, at))

    def may_meet(one: int, other: int) -> bool:
        if columns[one] == columns[other]:
            return live.issuperset(range(one + 1, other))
        between = {at for at in columns if columns[one] < columns[at] < columns[other]}
        return live >= between and lowest(one) <= other % stride and lowest(other) <= one % stride

    equals = [
        (one, other)
        for one, other in itertools.combinations(columns, 2)
        if cells[one] == cells[other] != byte_board.WALL
    ]
    before = -1
    while before < len(live):
        before = len(live)
        for pair in equals:
            if may_meet(*pair):
                live.update(pair)
    return live


def test_dead_cells_are_those_of_the_definition(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(12)
    fewer = 0
    for turn in range(300):
        rows = random_rows(chance, 40)
        search = make_search(state_of(rows), Options(), jit=turn % 3 > 0)
        start, stride, scratch = search.start, search.stride, search._scratch()
        kernels = search.kernels
        if turn % 2:
            with_walls(search, chance)
        groups = kernels.byte_board.find_groups(start, stride, scratch)
        grouped = {int(at) for at in scratch.members[: scratch.start[groups]]}
        count = kernels.dead_cells.find_dead(start, stride, scratch)
        dead = {int(at) for at in scratch.isolated[:count]}
        some = {int(at) for at in np.flatnonzero((start > 0) & (start < byte_board.WALL))}
        assert dead == some - live_cells(start, stride, grouped), rows
        if not kernels.jit:
            # As on boards of many rows: some levels are not told apart.
            with monkeypatch.context() as patch:
                patch.setattr(kernels.dead_cells, "LEVELS", 1)
                kernels.byte_board.find_groups(start, stride, scratch)
                count = kernels.dead_cells.find_dead(start, stride, scratch)
            assert dead >= {int(at) for at in scratch.isolated[:count]}
            fewer += count < len(dead)
    assert fewer > 0


def packed(search: Search, cells: Any, space: Any) -> Any:
    """Return a board of bytes as a bitboard."""
    board = np.zeros(bitboard.PLANES * max(1, search.words), np.int64)
    search.kernels.bitboard.pack(cells, search.stride, board, space)
    return board


def with_walls(search: Search, chance: random.Random) -> None:
    """Turn some cells of a search's board into walls."""
    for at in np.flatnonzero(search.start):
        if chance.randrange(6) == 0:
            search.start[at] = byte_board.WALL


def square_rows(chance: random.Random) -> list[list[int]]:
    """Return a board of up to six rows and columns, of which twelve bits hold few columns."""
    rows, cols = chance.randint(2, 6), chance.randint(2, 6)
    return [[chance.randrange(4) for _ in range(cols)] for _ in range(rows)]


@pytest.mark.slow("searches for seconds")
@pytest.mark.parametrize("length", [62, 12])
def test_bitboards_find_the_dead_cells_that_bytes_find(
    monkeypatch: pytest.MonkeyPatch, length: int
) -> None:
    monkeypatch.setattr(bitboard, "WORD_BITS", length)
    chance = random.Random(21)
    found = 0
    for turn in range(200):
        rows = random_rows(chance, 40) if length == 62 else square_rows(chance)
        search = make_search(state_of(rows), Options(), jit=turn % 4 > 0)
        kernels, start = search.kernels, search.start
        space, scratch = search._workspace(), search._scratch()
        if turn % 2:
            with_walls(search, chance)
        kernels.byte_board.find_groups(start, search.stride, scratch)
        count = kernels.dead_cells.find_dead(start, search.stride, scratch)
        walled = start.copy()
        walled[scratch.isolated[:count]] = byte_board.WALL
        cost = sum(search.weights[int(start[at])] for at in scratch.isolated[:count])
        board = packed(search, start, space)
        kernels.bitboard.decode(board, space)
        kernels.bitboard.find_dead(bitboard.NO_KIND, space)
        assert kernels.bitboard.build_walls(board, space) == cost, rows
        assert board.tolist() == packed(search, walled, space).tolist(), rows
        found += count
    assert found > 100


@pytest.mark.measured
@pytest.mark.slow("searches for seconds")
@pytest.mark.parametrize(("length", "tall"), [(62, 15), (12, 15), (62, 1)])
def test_bitboards_fall_as_bytes_do(
    monkeypatch: pytest.MonkeyPatch, length: int, tall: int
) -> None:
    monkeypatch.setattr(bitboard, "WORD_BITS", length)
    chance = random.Random(13)
    keys = set()
    for turn in range(100):
        rows = random_rows(chance, 30) if length == 62 else square_rows(chance)
        jit = tall == bitboard.PACKED_ROWS and turn % 4 > 0
        search = make_search(state_of(rows), Options(), jit=jit)
        kernels = search.kernels
        if not jit:
            monkeypatch.setattr(kernels.bitboard, "PACKED_ROWS", tall)
        memory, scratch = search._make_exact_memory(), search._scratch()
        space = memory.space
        search._set_board(memory, search.start)
        kernels.exact_search.generate_picks(memory, 0)
        end = memory.stack.children
        groups = kernels.byte_board.find_groups(search.start, search.stride, scratch)
        grouped = 0
        for kind in search._kinds_by_count(search.start):
            kernels.bitboard.find_grouped(kind, space)
            grouped += kernels.bitboard.count_of(space.grouped, 0)
        assert grouped == scratch.start[groups]
        firsts = search._picks(search.start, scratch)
        assert end == len(firsts)
        boards = {}
        for cell in firsts:
            after = search.start.copy()
            size = search._pick(after, cell, scratch)
            boards[packed(search, after, space).tobytes()] = (size, after)
        for index in range(end):
            size, after = boards.pop(np.asarray(memory.child_boards[index]).tobytes())
            child = memory.children[index]
            assert child.removed == size
            assert child.rest + size == np.count_nonzero(search.start == child.kind)
            mirrored = np.zeros_like(after)
            columns = [column for column in after.reshape(-1, search.stride) if column.any()]
            for col, column in enumerate(reversed(columns), 1):
                mirrored[col * search.stride : (col + 1) * search.stride] = column
            for board in (after, mirrored):
                assert kernels.bitboard.key_of(packed(search, board, space), space) == child.key
            keys.add(int(child.key))
    assert len(keys) > 100


def test_the_bound_of_the_last_two_or_three_cells_is_never_too_high() -> None:
    chance = random.Random(22)
    raised = 0
    for turn in range(400):
        rows = [[chance.randrange(1, 7) for _ in range(4)] for _ in range(4)]
        search = make_search(state_of(rows), Options(), jit=turn % 8 > 0)
        kernel, space = search.kernels.bitboard, search._workspace()
        board = packed(search, search.start, space)
        kernel.decode(board, space)
        kernel.find_dead(bitboard.NO_KIND, space)
        cost = kernel.build_walls(board, space)
        residual = kernel.residual_bound(0, space)
        least = search.total - collapse_best.best(collapse_best.board_of(rows), "linear")
        assert cost + residual <= least, rows
        assert kernel.residual_bound(100, space) == 0
        raised += residual > 0
    assert raised > 20


@pytest.mark.parametrize(
    ("row", "parts"),
    [([1, 1, 9, 2, 2], 2), ([1, 1, 9, 1, 1], 2), ([1, 2, 2, 1], 1), ([1, 1, 9, 2, 2, 8, 2, 2], 3)],
)
def test_boards_fall_apart_where_nothing_ever_meets(row: list[int], parts: int) -> None:
    for jit in (True, False):
        search = make_search(state_of([row]), Options(), jit=jit)
        memory, set_root = search._make_exact_memory(), search.kernels.exact_search.set_root
        assert set_root(memory, search.start, search.stride, 100) == parts


def test_rollouts_know_all_groups_and_tiles_after_every_pick(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chance = random.Random(14)
    nrpa = backend.Kernels(jit=False).nrpa
    list_choices = nrpa.list_choices
    moved: list[int] = []
    fallen: list[int] = []

    def compare(rollouts: Any, count: int, *others: Any) -> Any:
        columns = (rollouts.firsts, rollouts.sizes, rollouts.first_cols, rollouts.last_cols)
        known = sorted(zip(*(column[:count].tolist() for column in columns), strict=True))
        groups = search.kernels.byte_board.find_groups(rollouts.board, search.stride, scratch)
        ends = itertools.pairwise(scratch.start[: groups + 1])
        listed = [sorted(map(int, scratch.members[begin:end])) for begin, end in ends]
        assert known == sorted(
            (cells[0], len(cells), cells[0] // search.stride, cells[-1] // search.stride)
            for cells in listed
        )
        places = np.flatnonzero(rollouts.board)
        tiles = rollouts.tiles[places]
        # Where they stood at the start, in the same order in every column, and so in all.
        assert np.array_equal(search.start[tiles], rollouts.board[places])
        assert np.array_equal(tiles, np.sort(tiles))
        fallen.append(int(np.count_nonzero(tiles != places)))
        moved.append(len(known))
        return list_choices(rollouts, count, *others)

    monkeypatch.setattr(nrpa, "list_choices", compare)
    for _ in range(60):
        state = state_of(random_rows(chance, 60), "samegame")
        search = make_search(state, Options(), jit=False)
        scratch = search._scratch()
        search._run_rollouts(search._make_rollouts(1), 3, chance.randrange(100), tabu=1)
    assert len(moved) > 500
    assert max(moved) > 6
    assert max(fallen) > 6


def field_of(search: Search, cell: int) -> tuple[int, int]:
    """Return the column and level of a cell."""
    return divmod(int(cell) - search.stride, search.stride)


@pytest.mark.parametrize("scoring", SCORINGS)
def test_a_beam_finds_the_same_interpreted(scoring: str) -> None:
    for rows, cols, digits, seed in ((4, 4, 2, 2), (3, 6, 2, 2), (5, 5, 3, 2), (5, 5, 7, 3)):
        size = f"rows={rows},cols={cols},digits={digits}"
        state = gridhouse.parse(f"collapse({size},scoring={scoring})#{seed}")
        found = []
        for jit in (True, False):
            search = make_search(state, Options(), jit=jit)
            search._run_beam(12, search.start, [], 0, 0)
            found.append((search.cost, search.line, search.nodes))
            assert api.solution_of(state, search, 0.0).score == search.score
        assert found[0] == found[1]


@pytest.mark.parametrize("jit", [True, False])
def test_parts_in_the_table_are_not_searched_again(jit: bool) -> None:
    state = gridhouse.parse("collapse(rows=4,cols=5,digits=4)#2")
    search = LinearSearch(state, Options(), jit=jit)
    control = search._control(0)
    memory = search._make_exact_memory()._replace(control=control)
    left, nodes = [], []
    for _ in range(2):
        left.append(search._solve(memory, search.start, 1000))
        nodes.append(int(control.nodes))
    assert left[0] == left[1]
    assert 0 < nodes[0] == nodes[1]


@pytest.mark.parametrize("jit", [True, False])
def test_a_line_read_off_the_tables_leaves_just_so_much(jit: bool) -> None:
    """Also where the tables know of other lines that leave more."""
    chance = random.Random(23)
    for _ in range(12):
        rows = [[chance.randrange(1, 6) for _ in range(5)] for _ in range(4)]
        search = LinearSearch(state_of(rows), Options(), jit=jit)
        memory = search._make_exact_memory()._replace(control=search._control(0))
        scratch = search._scratch()
        for _ in range(20):
            board = search.start.copy()
            while firsts := search._picks(board, scratch):
                search._pick(board, chance.choice(firsts), scratch)
                search._solve(memory, board, 1000)
        least = search._solve(memory, search.start, 1000)
        picks = np.zeros(search.size, np.int32)
        extract_line, board = search.kernels.exact_search.extract_line, search.start.copy()
        count = extract_line(memory, board, search.stride, least, picks)
        for cell in picks[:count].tolist():
            search._pick(board, cell, scratch)
        assert not search._picks(board, scratch)
        assert sum(search.weights[kind] for kind in board.tolist()) == least, rows


def test_larger_tables_know_what_smaller_ones_knew() -> None:
    chance = random.Random(16)
    records = backend.plain_records
    space = bitboard.Workspace()
    memory = exact_search.make_memory(1, 1 << 8, 1, space, np.zeros, records)
    keys = [chance.randrange(1 << 61) for _ in range(150)]
    for key in keys:
        exact_search.store(memory.table, key, chance.randrange(100), key % 2 == 1, 1 + key % 77)
        exact_search.store_bound(memory, key, 1 + key % 99)
    exact_search.store(memory.table, keys[-1], 99, True, 1)  # once more, in the same place
    assert exact_search.probe(memory.table, keys[-1]) >> exact_search.COST_SHIFT == 99
    larger = exact_search.enlarge(memory, 8)
    assert (len(larger.table), len(larger.bounds)) == (8 * (2 << 8), 8 * (2 << 8))
    known = [exact_search.probe(memory.table, key) for key in keys]
    assert known.count(exact_search.UNKNOWN) < 50
    assert [exact_search.probe(larger.table, key) for key in keys] == known
    bounds = [exact_search.probe_bound(memory, key) for key in keys]
    assert bounds.count(0) < 75
    assert [exact_search.probe_bound(larger, key) for key in keys] == bounds


def test_stamps_begin_anew_when_they_are_used_up() -> None:
    scratch = byte_board.Scratch(size=4)
    scratch.seen[:] = [7] * 4
    scratch.stamp = 0x7FFFFFFE
    assert byte_board.next_stamp(scratch) == 1
    assert not any(scratch.seen)


def test_interpreted_beams_look_things_up_in_lists() -> None:
    """In arrays that takes Python twice as long."""
    kernels = backend.Kernels(jit=False)
    context: Any = None
    beam = beam_search.make_memory(2, 9, 4, context, kernels.zeros, kernels.to_records)
    assert beam.boards == 3 * [2 * [4 * [0]]]
    assert beam.line == 5 * [0]
