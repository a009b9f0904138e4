"""Kernels: lines, nogoods, keys, tables, and how threads keep apart."""

from __future__ import annotations

import functools
import itertools
import operator
import random
from typing import TYPE_CHECKING, Any

import pytest

import gridhouse
from binary_helpers import check_by_recursion, plain, random_position
from gridhouse.games.binary.game import BinaryGame
from gridhouse.games.binary.solver import board_encoding
from gridhouse.games.binary.solver import search as searching
from gridhouse.games.binary.solver.backend import Backend
from gridhouse.games.binary.solver.board_encoding import Board
from gridhouse.games.binary.solver.kernels import (
    canonical_key,
    line_tables,
    long_lines,
    nodes,
    proof_number,
)
from gridhouse.games.binary.solver.kernels.records import (
    ALL,
    MOST_PLIES,
    STRUCTURE,
    Entry,
    Layout,
    Line,
    Node,
)
from gridhouse.games.binary.solver.search import Search
from naive import binary_solver as naive

if TYPE_CHECKING:
    from collections.abc import Iterator


ENTRY_FIELDS = (
    "is_split", "forbidden", "nogood_cells", "forward_hash", "backward_hash", "num_nogoods",
)  # fmt: skip


def node_of(disproofs: list[int]) -> Node:
    """Return a node whose moves have these disproof numbers, 0 if the child is known to be won."""
    node = Node()
    node.num_moves = len(disproofs)
    for index, disproof in enumerate(disproofs):
        node.child_keys[index] = 64 * (index + 1)
        node.proofs[index] = int(disproof > 0)
        node.disproofs[index] = disproof
    proof_number.sum_up(node)
    return node


@pytest.mark.parametrize(
    ("disproofs", "busy", "best", "second"),
    [
        ([5, 3, 9, 4], [], 1, 4),
        ([5, 3, 9, 4], [0], 1, 4),
        ([5, 3, 9, 4], [1], 3, 5),
        ([5, 3, 4, 9], [1], 2, 5),
        ([5, 3, 9, 4], [1, 3], 0, 9),
        ([0, 3, 9, 0], [1], 2, proof_number.INFINITE),
        ([0, 3, 0, 0], [1], 1, proof_number.INFINITE),
        ([5, 3, 9, 4], [0, 1, 2, 3], 1, 4),
    ],
)
def test_a_thread_goes_where_no_other_one_is(
    disproofs: list[int], busy: list[int], best: int, second: int
) -> None:
    node = node_of(disproofs)
    ply, thread, size = 4, 1, MOST_PLIES
    paths = [0] * (5 * size)
    others = [0, 2, 3, 4]
    for other, index in zip(others, busy, strict=False):
        paths[other * size + ply + 1] = proof_number.child_pn_key(node, index)
    # Where this thread was itself, or another one at another ply, does not matter.
    paths[thread * size + ply + 1] = proof_number.child_pn_key(node, node.best)
    paths[2 * size + ply] = proof_number.child_pn_key(node, node.best)
    proof_number.avoid_others(node, ply, paths, thread)
    assert (node.best, node.second_disproof) == (best, second)


def test_lines_are_described_the_same_compiled() -> None:
    backends = [Backend(jit=True), Backend(jit=False)]
    for text in (
        "binary(rows=5,cols=6) 0.1.../....../..0.../....../.....1",
        "binary(rows=10,cols=10)#0",
    ):
        state = gridhouse.parse(text)
        chance = random.Random(1)
        while len({action // 2 for action in state.legal_actions()}) > 30:
            state.apply_action(chance.choice(state.legal_actions()))
        boards = [Board(state.position, each) for each in backends]
        bases = [board.layout.entry_base for board in boards]
        assert list(bases[0]) == bases[1]
        for code in itertools.chain(range(40), range(200, 240)):
            entries = [board.tables.entries[bases[1][1] + code] for board in boards]
            for field in ENTRY_FIELDS:
                assert getattr(entries[0], field) == getattr(entries[1], field)


@pytest.mark.slow("searches for seconds")
@pytest.mark.parametrize("jit", [True, False], ids=["compiled", "interpreted"])
def test_lines_too_long_for_a_table(jit: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "PROOF_NUMBER_CELLS", 6)
    monkeypatch.setattr(searching, "DEPTH_FIRST_CELLS", 4)
    monkeypatch.setattr(board_encoding, "MOST_SHORT", 2)
    monkeypatch.setattr(board_encoding, "LONG_LINE_CACHE", 7)  # entries are replaced all the time
    monkeypatch.setattr(board_encoding, "INTERPRETED_CACHE", 7)
    chance = random.Random(9)
    for number in range(24 if jit else 12):
        state = random_position(chance, 6, (1, 4) if number % 2 else (4, 9))
        check_by_recursion(state, jit=jit)


@pytest.mark.parametrize("jit", [True, False], ids=["compiled", "interpreted"])
def test_a_cell_that_one_long_line_takes_both_digits_from(
    jit: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(board_encoding, "MOST_SHORT", 2)
    state = gridhouse.parse("binary(rows=1,cols=5) .....")
    assert (plain(state, jit=jit, nimber=True).nimber, plain(state, jit=jit).outcome) == (1, "win")


@pytest.mark.parametrize("jit", [True, False], ids=["compiled", "interpreted"])
def test_a_long_line_of_which_the_ends_have_nothing_to_do_with_each_other(
    jit: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(board_encoding, "MOST_SHORT", 2)
    check_by_recursion(gridhouse.parse("binary(rows=1,cols=8) 0..110.."), jit=jit)


@pytest.mark.parametrize(
    ("length", "others", "places"),
    [(7, 0, range(7)), (6, 0, range(6)), (11, 0b1000010000, (0, 1, 2, 3, 5, 7, 8, 10))],
)
@pytest.mark.parametrize("by_cells", [0, 1])
def test_long_lines_tell_what_a_table_tells(
    length: int, others: int, places: Any, by_cells: int
) -> None:
    line, layout = Line(), Layout()
    line.keys_candidates = layout.keys_candidates = by_cells
    line.length = layout.spans[0] = length
    line.most_stones = (length + 1) // 2
    line.fixed_stones = layout.fixed_stones[0] = others
    line.num_cells = layout.lengths[0] = len(places)
    line.places[: len(places)] = layout.places[: len(places)] = places
    keys: dict[int, tuple[int, int]] = {}
    for code in range(3 ** len(places)):
        stones = sum((code // 3**i % 3 & 1) << i for i in range(len(places)))
        if not line_tables.is_legal(line, stones):
            continue
        entry, connected = Entry(), [0] * 9
        line.connected_base = -code * line.num_cells
        line_tables.fill_entry(line, entry, code, connected, 0, [])
        other = Entry()
        long_lines.fetch(layout, 0, other, code)
        assert other.forbidden == entry.forbidden
        if entry.forbidden or entry.forward_hash == 0:
            continue
        assert entry.nogood_cells & ~other.nogood_cells == 0
        for cell in range(line.num_cells):
            assert connected[cell] & ~long_lines.connected_cells(other, cell) == 0
        # One key, one future, from either end; few futures have more keys than one.
        future = (entry.forward_hash, entry.backward_hash)
        assert keys.setdefault(other.forward_hash, future) == future
        assert (future[0] == future[1]) == (other.forward_hash == other.backward_hash)
    assert 100 < len(keys) < 1.1 * len(set(keys.values()))


def key_after(board: Board, cells: str = "") -> int:
    """Return the key of the position that a board's becomes when it is filled with these cells."""
    kernels, tables = board.backend.nodes, board.tables
    node: Node = board.backend.records(Node)[0]
    kernels.copy(node, board.start, board.layout.num_lines)
    for cell, digit in enumerate(cells.replace("/", "")):
        if digit != ".":
            kernels.play(node, tables, cell, int(digit))
    kernels.compact(node, tables)
    kernels.set_key(node, tables)
    return int(node.key)


@pytest.mark.slow("searches for seconds")
@pytest.mark.parametrize(
    ("rows", "cols", "jit", "every", "fewer"),
    [
        (1, 9, True, 3, 15),  # by runs
        (9, 1, False, 5, 15),
        (3, 3, True, 3, 15),  # by structure
        (1, 8, False, 1, 12),
        (4, 2, True, 1, 15),
    ],
)
def test_what_has_the_same_key_has_the_same_nimber(
    rows: int, cols: int, jit: bool, every: int, fewer: int
) -> None:
    known = naive.all_nimbers(cols, rows)
    state = BinaryGame(rows=rows, cols=cols).new_initial_state()
    board = Board(state.position, Backend(jit=jit))
    found: dict[int, int] = {}
    for cells in list(known)[::every]:
        assert found.setdefault(key_after(board, cells), known[cells]) == known[cells]
    assert fewer * len(found) < len(known)


def nodes_of_games(rows: int, cols: int, games: int, *, plies: int = 0) -> Iterator[Any]:
    """Yield a board, a node of it, and a random move of that, as games go on.

    Boards are laid out after so many plies.
    """
    source = random.Random(rows)
    for _ in range(games):
        state = BinaryGame(rows=rows, cols=cols).new_initial_state()
        for _ in range(plies):
            state.apply_action(source.choice(state.legal_actions()))
        board = Board(state.position, Backend(jit=False))
        node = Node()
        nodes.copy(node, board.start, board.layout.num_lines)
        while node.candidates[0] | node.candidates[1]:
            moves = [
                2 * cell + digit
                for cell in range(len(board.cells))
                for digit in range(2)
                if node.candidates[digit] >> cell & 1
            ]
            move = source.choice(moves)
            yield board, node, move
            nodes.play(node, board.tables, move >> 1, move & 1)


@pytest.mark.parametrize(
    ("rows", "cols", "plies"), [(5, 5, 0), (4, 6, 0), (5, 5, 4), (4, 6, 5), (1, 12, 0), (2, 11, 3)]
)
def test_what_is_cached_of_lines_is_what_they_have(rows: int, cols: int, plies: int) -> None:
    for board, node, _ in nodes_of_games(rows, cols, 10, plies=plies):
        fresh = Node()
        fresh.codes[:] = node.codes
        fresh.stale_lines[:] = board.start.stale_lines
        for each in (node, fresh):
            nodes.refresh(each, board.tables)
        for field in (
            "nogood_cells", "nogood_lines", "split_lines", "forward_hashes", "backward_hashes",
            "hash_sum", "invariants",
        ):  # fmt: skip
            assert getattr(fresh, field) == getattr(node, field), field


def listed_nogoods(node: Node) -> list[list[int]]:
    """Return the nogoods of either digit, as they are listed."""
    listed = node.nogoods[: node.num_nogoods]
    return [listed[: node.num_zero_nogoods], listed[node.num_zero_nogoods :]]


def as_sets(node: Node) -> list[set[int]]:
    """Return the nogoods of either digit."""
    zeros, ones = listed_nogoods(node)
    assert len(set(zeros)) == len(zeros)
    return [set(zeros), set(ones)]


@pytest.mark.parametrize(("rows", "cols", "plies"), [(5, 5, 0), (3, 7, 0), (6, 6, 8)])
def test_moves_change_nogoods_as_they_change_lines(rows: int, cols: int, plies: int) -> None:
    compared = 0
    for board, node, move in nodes_of_games(rows, cols, 40, plies=plies):
        layout, tables = board.layout, board.tables
        if (node.candidates[0] | node.candidates[1]).bit_count() > canonical_key.MOST_CELLS:
            continue
        before, by_nogoods, by_lines = Node(), Node(), Node()
        nodes.copy(before, node, layout.num_lines)
        nodes.compact(before, tables)
        assert before.is_compact
        nodes.make_child(by_nogoods, before, tables, move >> 1, move & 1)
        nodes.make_child(by_lines, node, tables, move >> 1, move & 1)
        assert by_nogoods.candidates == by_lines.candidates
        nodes.simplify(by_nogoods, tables)
        layout.techniques = ALL & ~STRUCTURE
        nodes.simplify(by_lines, tables)
        layout.techniques = ALL
        assert not by_lines.is_compact
        assert nodes.static_outcome(by_nogoods) == nodes.static_outcome(by_lines)
        assert (by_nogoods.heap, by_nogoods.candidates) == (by_lines.heap, by_lines.candidates)
        if by_nogoods.num_nogoods:
            listed = listed_nogoods(by_nogoods)
            zeros, ones = (functools.reduce(operator.or_, sets, 0) for sets in listed)
            either, both = zeros | ones, zeros & ones
            assert nodes.contested_cells(by_nogoods, layout) == either
            contested = both | either & ~(by_lines.candidates[0] & by_lines.candidates[1])
            assert nodes.contested_cells(by_lines, layout) == contested
        nodes.compact(by_lines, tables)
        assert as_sets(by_nogoods) == as_sets(by_lines)
        compared += bool(by_nogoods.num_nogoods)
    assert compared > 50


class TestRows:
    """Boards of one row or one column, whose positions are told apart by their runs."""

    @pytest.mark.parametrize(
        ("cells", "other"),
        [
            ("...0...1....", "....1...0..."),  # the other way round
            ("...0...1....", "...1...0...."),  # digits exchanged
            ("..01...01....01..", "..01....01...01.."),  # runs in another order
        ],
    )
    def test_positions_that_are_one(self, cells: str, other: str) -> None:
        keys = []
        for text in (cells, other):
            state = gridhouse.parse(f"binary(rows=1,cols={len(text)}) {text}")
            board = Board(state.position, Backend(jit=False))
            keys.append(key_after(board))
        assert keys[0] == keys[1]

    def test_all_rows_that_boards_have_are_won_with_every_move(self) -> None:
        for cols, most in ((11, 500), (13, 2_000), (15, 9_000)):
            row = BinaryGame(rows=1, cols=cols).new_initial_state()
            found = plain(row, jit=True, threads=2)
            assert (found.outcome, found.nodes < most) == ("win", True)
        whole = plain(row, jit=True, memory=16, nimber=True, all_moves=True)
        assert (whole.nimber, len(whole.moves)) == (1, 30)

    def test_one_thread_has_what_is_kept_of_long_lines(self) -> None:
        row = BinaryGame(rows=1, cols=13).new_initial_state()
        board = Board(row.position, Backend(jit=True))
        assert len(Search(board, threads=2, memory=1).controls) == 1


class TestStructure:
    """Small positions, which are told apart by their cells and blocking sets alone."""

    def test_like_positions_have_one_key_wherever_they_are(self) -> None:
        keys = set()
        for text in (
            "binary(rows=5,cols=5) 01010/10101/01010/10..1/01..0",
            "binary(rows=5,cols=5) 01..0/10..1/01010/10101/01010",
            "binary(rows=5,cols=5) 0..10/1..01/01010/10101/01010",
        ):
            board = Board(gridhouse.parse(text).position, Backend(jit=False))
            keys.add(key_after(board))
        assert len(keys) == 1


def test_a_table_is_filled_as_its_entries_are_described() -> None:
    line = Line()
    line.length, line.most_stones, line.num_cells = 5, 3, 4
    line.places[:4] = [0, 1, 3, 4]
    entries = [Entry() for _ in range(81)]
    connected, nogoods = [0] * 324, [0] * 5
    used = line_tables.fill_table(line, entries, connected, nogoods, 0)
    assert used > len(nogoods) > 0
    more = [0] * used
    again = [entry.copy() for entry in entries]
    assert line_tables.fill_table(line, again, [0] * 324, more, 0) == used
    assert again == entries
    assert more[:5] == nogoods
    everything_open = entries[sum(2 * 3**cell for cell in range(4))]
    # Of the cells 0 1 . 3 4 all four are one too many; none are three in a row.
    assert everything_open.num_nogoods == 1
    assert more[everything_open.first_nogood] == 0b1111
