"""The solver of the Binary Game: against plain recursion, against itself, at its limits."""

from __future__ import annotations

import functools
import inspect
import itertools
import json
import operator
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest

import gridhouse
from gridhouse import cli
from gridhouse.core.compile_queue import SOLVER, Unit, note_ready
from gridhouse.core.errors import PlayerError, SolverError
from gridhouse.games.binary.game import BinaryGame
from gridhouse.games.binary.solver import (
    advice,
    api,
    backend,
    board_encoding,
    book,
    checkpoint,
    mcts_fallback,
    symmetry,
    timed_solve,
)
from gridhouse.games.binary.solver import (
    search as searching,
)
from gridhouse.games.binary.solver.api import TECHNIQUES, solve
from gridhouse.games.binary.solver.backend import Backend
from gridhouse.games.binary.solver.board_encoding import Board
from gridhouse.games.binary.solver.kernels import (
    canonical_key,
    line_tables,
    long_lines,
    nodes,
    proof_number,
    transpositions,
)
from gridhouse.games.binary.solver.kernels.records import (
    ALL,
    MOST_PLIES,
    STRUCTURE,
    UNKNOWN,
    WIN,
    Entry,
    Layout,
    Line,
    Node,
)
from gridhouse.games.binary.solver.search import Search
from gridhouse.games.binary.solver.solution import OUTCOMES, BinarySolution, UnsavedError
from gridhouse.games.binary.solver.task import SolveTask
from harness import ROOT
from naive import binary_solver as naive
from naive.binary import Binary

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gridhouse.core.game import State
    from gridhouse.games.binary.rules import Position

THOROUGH = os.environ.get("HYPOTHESIS_PROFILE") == "thorough"
ENTRY_FIELDS = (
    "is_split", "forbidden", "nogood_cells", "forward_hash", "backward_hash", "num_nogoods",
)  # fmt: skip
SMALL = [(1, 1), (1, 2), (4, 1), (1, 7), (9, 1), (2, 2), (2, 3), (4, 2), (3, 3)]


def plain(state: State, **options: Any) -> BinarySolution:
    """Solve with one thread, little memory and nothing known before."""
    return solve(state, **{"threads": 1, "memory": 1, "proved": False, **options})


def random_position(chance: random.Random, most: int, sides: tuple[int, int] = (3, 8)) -> State:
    """Return a position of random play with at most so many cells that take a digit."""
    game = BinaryGame(rows=chance.randint(*sides), cols=chance.randint(*sides))
    state = game.new_initial_state()
    while len({action // 2 for action in state.legal_actions()}) > most:
        state.apply_action(chance.choice(state.legal_actions()))
    return state


def check_by_recursion(state: State, *, jit: bool) -> None:
    """Check nimber and winning moves against plain recursion."""
    game = Binary(state.game.cols, state.game.rows)
    game.grid = [list(row) for row in state.board().split("\n")]
    found = plain(state, nimber=True, all_moves=True, jit=jit)
    assert found.nimber == naive.nimber(game)
    assert as_moves(found.moves) == set(naive.winning_moves(game))


def as_moves(moves: list[str]) -> set[tuple[int, ...]]:
    return {tuple(map(int, move.split())) for move in moves}


@pytest.mark.slow("searches for seconds")
@pytest.mark.untraced
@pytest.mark.parametrize("jit", [True, False], ids=["compiled", "interpreted"])
@pytest.mark.parametrize(("width", "height"), SMALL)
def test_every_position_of_small_boards(width: int, height: int, jit: bool) -> None:
    known = naive.all_nimbers(width, height)
    game = BinaryGame(rows=height, cols=width)
    step = 1 if THOROUGH else 1 + len(known) // (100 if jit else 20)
    for rows in sorted(known)[::step]:
        found = plain(game.parse(rows), nimber=True, all_moves=True, jit=jit)
        assert found.outcome == ("win" if known[rows] else "loss")
        assert found.nimber == known[rows]
        lost = {move for after, move in naive.moves_of(rows).items() if known[after] == 0}
        assert as_moves(found.moves) == lost
        assert found.all_moves


@pytest.mark.slow("searches for seconds")
@pytest.mark.parametrize("jit", [True, False], ids=["compiled", "interpreted"])
def test_random_positions_of_larger_boards(jit: bool) -> None:
    chance = random.Random(5)
    for _ in range(60 if jit else 25):
        state = random_position(chance, chance.randint(1, 16 if THOROUGH else 6))
        check_by_recursion(state, jit=jit)


@pytest.mark.parametrize("jit", [True, False], ids=["compiled", "interpreted"])
def test_a_reply_with_the_same_digit_may_be_lost_later(jit: bool) -> None:
    # Only ones can be played, and each has a legal image at first; but three do not go in a row.
    rows = "0/0/././././0/0"
    found = plain(BinaryGame(rows=8, cols=1).parse(rows), nimber=True, jit=jit)
    game = Binary(1, 8)
    game.grid = [[cell] for cell in rows.split("/")]
    assert found.nimber == naive.nimber(game)


def test_no_technique_changes_what_is_found() -> None:
    chance = random.Random(2)
    names = list(TECHNIQUES)
    for number in range(12):
        state = random_position(chance, 12 + number // 3, (3, 7))
        full = plain(state, nimber=True, all_moves=True, jit=True)
        for off in [*((name,) for name in names), tuple(names)]:
            for proof in (True, False):
                less = plain(state, nimber=True, all_moves=True, jit=True, off=off, proof=proof)
                assert less.facts() | {"nodes": 0, "seconds": 0} == full.facts() | {
                    "nodes": 0,
                    "seconds": 0,
                }, (off, proof)


def test_interpreted_and_compiled_search_the_same_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "PROOF_NUMBER_CELLS", 7)
    monkeypatch.setattr(searching, "DEPTH_FIRST_CELLS", 5)
    monkeypatch.setattr(searching, "INTERPRETED_WORDS", 1 << 30)
    chance = random.Random(3)
    for off in ((), ("components",), ("lookup",)):
        for _ in range(3):
            state = random_position(chance, 9, (4, 6))
            facts = [plain(state, nimber=True, jit=jit, off=off).facts() for jit in (True, False)]
            assert facts[0] | {"seconds": 0} == facts[1] | {"seconds": 0}


@pytest.mark.slow("searches for seconds")
def test_proof_numbers_alone_find_what_depth_first_search_finds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(searching, "PROOF_NUMBER_CELLS", 3)
    monkeypatch.setattr(searching, "DEPTH_FIRST_CELLS", 2)
    chance = random.Random(3)
    for _ in range(150):
        state = random_position(chance, 13, (3, 5))
        found = [plain(state, jit=True, proof=proof).outcome for proof in (True, False)]
        assert found[0] == found[1], str(state)


def test_threads_share_a_table_and_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "PROOF_NUMBER_CELLS", 12)
    chance = random.Random(4)
    for _ in range(10):
        state = random_position(chance, 17)
        one = plain(state, nimber=True, all_moves=True, jit=True)
        two = plain(state, nimber=True, all_moves=True, jit=True, threads=2)
        assert one.facts() | {"nodes": 0, "seconds": 0} == two.facts() | {"nodes": 0, "seconds": 0}


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


def test_threads_with_proof_numbers_agree_and_clear_their_paths(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(searching, "PROOF_NUMBER_CELLS", 6)
    monkeypatch.setattr(searching, "DEPTH_FIRST_CELLS", 3)
    chance = random.Random(41)
    for _ in range(20):
        state = random_position(chance, 15, (3, 6))
        board = Board(state.position, Backend(jit=True))
        search = Search(board, memory=1, threads=2)
        assert search.outcome() == (plain(state, jit=True, proof=False).outcome == "win")
        assert not any(search.paths)


@pytest.mark.parametrize(("cells", "apart"), [(14, True), (15, False)])
def test_threads_keep_apart_where_an_even_number_of_cells_is_left(
    cells: int, apart: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "DEPTH_FIRST_CELLS", 3)
    state = random_position(random.Random(48), cells, (3, 6))
    board = Board(state.position, Backend(jit=True))
    alone = Search(board, memory=1, threads=2)
    value = alone.run(0, (), 0, proof=True)
    assert alone.nodes > 100
    first = alone.stacks[0][0]
    counts = set()
    for index in range(first.num_moves):
        search = Search(board, memory=1, threads=2)
        # The other thread is said to be at one of the moves.
        key, heap = int(first.child_keys[index]), int(first.child_heaps[index])
        search.paths[MOST_PLIES + 1] = transpositions.pn_key(key, heap)
        assert search.run(0, (), 0, proof=True) == value
        counts.add(search.nodes)
    assert (counts != {alone.nodes}) == apart


def test_threads_that_keep_apart_search_hardly_more_than_one() -> None:
    state = gridhouse.parse("binary(rows=6,cols=5) ....1/....0/.0.../..1.1/..0../....1")
    one, *two = (plain(state, jit=True, threads=count, memory=64).nodes for count in (1, 2, 2, 2))
    # Threads meet by chance: with paths 1.0 to 1.6 times as many nodes, without 1.8 to 2.0.
    assert min(two) < 1.5 * one


def test_winning_moves_win_against_all_replies() -> None:
    chance = random.Random(6)
    checked = 0
    while checked < 8:
        state = random_position(chance, 16, (5, 10))
        for move in plain(state, jit=True).moves:
            checked += 1
            after = state.clone()
            after.play(move)
            for reply in after.legal_moves():
                later = after.clone()
                later.play(reply)
                assert plain(later, jit=True, off=("components",)).outcome == "win"


@pytest.mark.parametrize(("rows", "cols"), [(2, 1), (4, 4), (5, 6), (20, 20), (20, 19), (1, 20)])
def test_boards_of_even_size_are_lost_at_once(rows: int, cols: int) -> None:
    found = plain(BinaryGame(rows=rows, cols=cols).new_initial_state(), nimber=True)
    assert (found.outcome, found.nimber, found.moves, found.nodes) == ("loss", 0, [], 0)


@pytest.mark.parametrize(("rows", "cols"), [(6, 6), (5, 4), (8, 3), (1, 12), (20, 20)])
def test_the_second_player_wins_by_the_image_of_every_move(rows: int, cols: int) -> None:
    chance = random.Random(rows)
    state = BinaryGame(rows=rows, cols=cols).new_initial_state()
    while not state.is_terminal():
        kind = symmetry.symmetry_of(state.position)
        assert kind is not None
        action = chance.choice(state.legal_actions())
        answer = symmetry.reply(state.position, action, kind)
        state.apply_action(action)
        state.apply_action(answer)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("binary(rows=2,cols=2) 01/..", (0, 0, 1)),
        ("binary(rows=2,cols=2) 0./1.", (0, 1, 0)),
        ("binary(rows=2,cols=2) 0./.1", (0, 1, 1)),
        ("binary(rows=2,cols=2) 0./.0", None),
        ("binary(rows=3,cols=3) .../.../...", None),
        ("binary(rows=3,cols=1) ./././.", None),
    ],
)
def test_symmetries(text: str, kind: object) -> None:
    if text.count("/") == 3:
        text = "binary(rows=4,cols=1) 0/./1/."
    assert symmetry.symmetry_of(gridhouse.parse(text).position) == kind


@pytest.mark.slow("searches for seconds")
def test_the_table_tells_how_many_nodes_the_search_takes() -> None:
    page = (ROOT / "docs/binary.md").read_text(encoding="utf-8")
    row = re.compile(r"(\d+) \| `gridhouse solve binary (\d+) (\d+) .*--threads 1`")
    rows = [tuple(map(int, found)) for found in row.findall(page)]
    assert len(rows) > 12
    for count, width, height in rows:
        state = BinaryGame(rows=height, cols=width).new_initial_state()
        if width * height <= 17:
            assert plain(state, jit=True, memory=256).nodes == count, (width, height)


def test_a_part_of_the_table_of_boards_is_proved_again() -> None:
    for width, height in [(1, 1), (3, 1), (5, 1), (7, 1), (9, 1), (3, 3), (5, 3)]:
        state = BinaryGame(rows=height, cols=width).new_initial_state()
        again = plain(state, nimber=True, all_moves=True, jit=True)
        known = solve(state)
        assert known.nodes == 0
        assert (known.outcome, known.nimber) == (again.outcome, again.nimber) == ("win", 1)
        assert sorted(known.moves) == sorted(again.moves) == sorted(state.legal_moves())


class TestBook:
    """The openings of 5x5 and 9x3."""

    def test_without_its_file_nothing_is_known_by_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(book, "BOOK_FILE", "no such file")
        book.moves.cache_clear()
        try:
            state = BinaryGame(rows=5, cols=5).new_initial_state()
            assert (book.moves(), book.may_hold(state.position)) == ({}, False)
            assert not book.has_outcome(state.position)
            assert book.winning_move(state.position) is None
        finally:
            book.moves.cache_clear()

    @pytest.mark.parametrize(
        ("rows", "cols", "first"), [(5, 5, "2 2 0"), (3, 9, "4 1 0"), (9, 3, "1 4 0")]
    )
    def test_its_first_move_comes_first(self, rows: int, cols: int, first: str) -> None:
        state = BinaryGame(rows=rows, cols=cols).new_initial_state()
        asked: list[dict[str, Any]] = [{}, {"nimber": True, "all_moves": True}]
        for options in asked:
            known = solve(state, **options)
            assert (known.outcome, known.nimber, known.nodes) == ("win", 1, 0)
            assert sorted(known.moves) == sorted(state.legal_moves())
            assert known.moves[0] == first
        assert solve(state, jit=False, limit=20, proved=False).outcome == "unknown"

    @pytest.mark.parametrize(("rows", "cols", "plies"), [(5, 5, 4), (3, 9, 6)])
    def test_it_goes_on_after_every_answer(self, rows: int, cols: int, plies: int) -> None:
        seen = set()
        todo = [BinaryGame(rows=rows, cols=cols).new_initial_state()]
        for state in todo:
            board = min(book.images(state.position))[0]
            if board in seen:
                continue
            seen.add(board)
            action = book.winning_move(state.position)
            assert action is not None
            state.apply_action(action)
            if len(state.history()) < plies:
                for answer in state.legal_actions():
                    todo.append(state.clone())
                    todo[-1].apply_action(answer)
            else:
                assert book.winning_move(state.position) is None
        assert seen == {board for board in book.moves() if len(board) == rows * cols}

    @pytest.mark.parametrize(("rows", "cols"), [(5, 5), (3, 9)])
    def test_all_images_of_a_board_have_the_same_answer(self, rows: int, cols: int) -> None:
        chance = random.Random(8)
        boards = [board for board in sorted(book.moves()) if len(board) == rows * cols]
        for board in chance.sample(boards, 20):
            state = self._state(board)
            after = state.clone()
            after.apply_action(book.winning_move(state.position))
            images = {image for image, _, _ in book.images(after.position)}
            for other, _, _ in book.images(state.position):
                turned = self._state(other)
                turned.apply_action(book.winning_move(turned.position))
                assert {image for image, _, _ in book.images(turned.position)} == images
        assert book.winning_move(BinaryGame(rows=3, cols=5).initial_position(0)) is None

    def test_who_wins_follows_from_what_moves_lead_to(self) -> None:
        chance = random.Random(11)
        boards = [(chance.randrange(4), chance.sample(range(25), 3)) for _ in range(12)]
        boards += [(3, [5 * line, 5 * line + 1, 5 * line + 4]) for line in range(3)]
        won = 0
        for count, cells in boards:
            state = BinaryGame(rows=5, cols=5).new_initial_state()
            for cell, digit in zip(cells[:count], (0, 0, 1), strict=False):
                state.apply_action(2 * cell + digit)
            lost = {action for action, after in self._after(state) if book.is_lost(after)}
            assert book.is_lost(state.position) == (not lost)
            found = book.winning_move(state.position)
            assert found in lost if lost else found is None
            if count == 3 and lost:
                won += 1
                self._every_other_has_a_lost_one_before(state)
        assert won == 2
        for board in book.LOST:
            assert book.winning_move(self._state(board).position) is None

    def _every_other_has_a_lost_one_before(self, state: State) -> None:
        """Assert of the boards of four digits that are lost that no lost board leads to them."""
        for action, after in self._after(state):
            earlier = [self._played([*state.history(), action], but) for but in range(4)]
            assert book.is_lost(after) == (not any(book.is_lost(b.position) for b in earlier))

    @staticmethod
    def _played(actions: list[int], but: int) -> Any:
        """Return the board after some actions but one."""
        state = BinaryGame(rows=5, cols=5).new_initial_state()
        for at, action in enumerate(actions):
            if at != but:
                state.apply_action(action)
        return state

    @staticmethod
    def _after(state: State) -> Iterator[tuple[int, Any]]:
        """Yield each action with the position that it leads to."""
        for action in state.legal_actions():
            after = state.clone()
            after.apply_action(action)
            yield action, after.position

    @pytest.mark.parametrize(("count", "plies"), [(25, 4), (27, 6)])
    def test_a_part_of_it_is_proved_again(self, count: int, plies: int) -> None:
        chance = random.Random(9)
        late = [board for board in sorted(book.moves()) if len(board) == count]
        late = [board for board in late if board.count(book.EMPTY) == count - plies]
        for board in chance.sample(late, 4):
            state = self._state(board)
            found = solve(state)
            assert (found.outcome, found.nodes) == ("win", 0)
            state.play(found.moves[0])
            assert plain(state, jit=True, threads=2).outcome == "loss"

    @pytest.mark.slow("searches for seconds")
    def test_who_wins_where_it_ends_is_proved_again(self) -> None:
        for board in book.LOST:
            found = plain(self._state(board), memory=300, jit=True, threads=2)
            assert found.outcome == "loss"
        for board in (*book.LOST, "....0.......1.......0...."):
            known = solve(self._state(board), nimber=True, all_moves=True)
            assert (known.outcome, known.nimber, known.moves, known.nodes) == ("loss", 0, [], 0)

    @pytest.mark.slow("searches for seconds")
    @pytest.mark.parametrize(("rows", "cols"), [(5, 5), (9, 3)])
    def test_the_perfect_player_wins_by_it(self, rows: int, cols: int) -> None:
        state = BinaryGame(rows=rows, cols=cols).new_initial_state()
        perfect = gridhouse.player("perfect", state.game)
        chance = random.Random(10)
        while not state.is_terminal():
            choice = perfect.choose(state, gridhouse.Limits(seconds=20))
            assert choice.value == 1
            state.apply_action(choice.action)
            if not state.is_terminal():
                state.apply_action(chance.choice(state.legal_actions()))
        assert state.returns()[0] == 1

    @staticmethod
    def _state(board: str) -> Any:
        wide = 5 if len(board) == 25 else 9
        rows = [board[at : at + wide] for at in range(0, len(board), wide)]
        return gridhouse.parse(f"binary(rows={len(rows)},cols={wide}) {'/'.join(rows)}")


def test_limits_leave_it_unknown() -> None:
    large = BinaryGame(rows=9, cols=7).new_initial_state()
    for options in ({"seconds": 0.1}, {"limit": 100}, {"seconds": 0.1, "threads": 2}):
        found = plain(large, jit=True, **options)
        assert (found.outcome, found.moves, found.nimber) == ("unknown", [], None)
    assert "unknown who wins" in str(found)
    huge = plain(BinaryGame(rows=19, cols=19).new_initial_state(), jit=False)
    assert (huge.outcome, huge.nodes) == ("unknown", 0)


def test_a_limit_may_come_between_the_outcome_and_the_rest() -> None:
    state = BinaryGame(rows=3, cols=5).new_initial_state()
    seen = set()
    for limit in (10, 3200, 4000, 6000, 9000, 40000):
        found = plain(state, nimber=True, all_moves=True, jit=True, limit=limit)
        assert found.outcome in ("win", "unknown")
        assert found.nimber in (1, None)
        assert found.all_moves == (len(found.moves) == 30)
        seen.add((found.outcome, found.nimber, found.all_moves))
    assert len(seen) > 2


def test_an_interrupt_leaves_what_is_known() -> None:
    state = BinaryGame(rows=9, cols=7).new_initial_state()
    plain(state, jit=True, limit=1)  # so that nothing has to be loaded when the interrupt comes
    timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    timer.start()
    found = plain(state, jit=True)
    timer.join()
    assert found.outcome == "unknown"
    assert found.nodes > 0


@pytest.mark.parametrize("name", ["_warm_once", "Board"])
def test_an_interrupt_may_come_before_the_search_begins(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped = threading.Event()
    step, stop = getattr(api, name), SolveTask.stop

    def interrupted(*given: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        assert stopped.wait(20)
        return step(*given)

    def noted(task: SolveTask) -> None:
        stop(task)
        stopped.set()

    monkeypatch.setattr(api, name, interrupted)
    monkeypatch.setattr(SolveTask, "stop", noted)
    state = BinaryGame(rows=9, cols=7).new_initial_state()
    found = plain(state, jit=True, seconds=60)
    assert (found.outcome, found.moves, found.nodes) == ("unknown", [], 0)


def test_a_search_stopped_after_the_outcome_lists_the_moves_it_knows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    outcome = Search.outcome

    def outcome_and_stop(search: Search, moves: tuple[int, ...] = (), heap: int = 0) -> int:
        found = outcome(search, moves, heap)
        search.stop()
        return found

    chance = random.Random(14)
    states = [BinaryGame(rows=3, cols=5).new_initial_state()]
    states += [random_position(chance, 14, (4, 6)) for _ in range(20)]
    won = 0
    for state in states:
        whole = plain(state, jit=True, all_moves=True)
        with monkeypatch.context() as patched:
            patched.setattr(Search, "outcome", outcome_and_stop)
            found = plain(state, jit=True, all_moves=True)
        assert found.outcome == whole.outcome
        if found.outcome == "win":
            won += len(found.moves) < len(whole.moves)
            assert found.moves
            assert set(found.moves) <= set(whole.moves)
            assert found.all_moves <= (len(found.moves) == len(whole.moves))
    assert won > 1


def test_loading_takes_no_time_from_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    searching.warm()
    monkeypatch.setattr(api, "_warm_once", lambda: time.sleep(0.3))
    state = gridhouse.parse("binary(rows=5,cols=3) 0../.../.../.../..1")
    found = plain(state, jit=True, seconds=0.2)
    assert found.outcome in ("win", "loss")
    assert found.seconds < 0.3


def test_a_position_that_is_too_large_says_so() -> None:
    found = plain(gridhouse.load("binary", rows=11, cols=11).new_initial_state(), jit=False)
    assert str(found).startswith("unknown who wins: 121 cells are open, more than 63\n0 nodes in ")
    assert set(found.facts()) == {"outcome", "moves", "nimber", "nodes", "seconds"}
    assert found.facts()["outcome"] == "unknown"


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"seconds": 0}, "seconds: 0 is not above 0"),
        ({"seconds": float("nan")}, "seconds: nan is not above 0"),
        ({"memory": 0}, "memory: 0 is not a whole number above 0"),
        ({"threads": -1}, "threads: -1 is not a whole number above 0"),
        ({"threads": 1.5}, "threads: 1.5 is not a whole number above 0"),
        ({"limit": 0}, "limit: 0 is not a whole number above 0"),
        ({"limit": -5}, "limit: -5 is not a whole number above 0"),
        ({"off": ("luck",)}, f"there is no technique luck: {', '.join(TECHNIQUES)}"),
        ({"off": "luck"}, f"there is no technique luck: {', '.join(TECHNIQUES)}"),
    ],
)
def test_bad_options_are_refused(options: dict[str, Any], line: str) -> None:
    with pytest.raises(SolverError) as error:
        solve(BinaryGame(rows=3, cols=3).new_initial_state(), **options)
    assert str(error.value) == line


def test_one_technique_may_be_named_alone() -> None:
    state = gridhouse.parse("binary(rows=3,cols=5) 0..1./..0../.....")
    counts = [plain(state, jit=True, off=off).nodes for off in ((), ("order",), "order")]
    assert counts[0] != counts[1] == counts[2]


def test_a_solution_tells_itself() -> None:
    won = plain(gridhouse.parse("binary(rows=1,cols=3) ..."), nimber=True, all_moves=True)
    first, second, third, last = str(won).split("\n")
    assert first == "the player to move wins"
    assert second == "all winning moves: 0 0 0, 0 0 1, 1 0 0, 1 0 1, 2 0 0, 2 0 1"
    assert third == "nimber: 1"
    assert " nodes in " in last
    assert (
        str(plain(gridhouse.parse("binary(rows=1,cols=3) ..."))).count("winning moves known") == 1
    )
    assert "the player to move loses\nnimber: 0" in str(
        solve(gridhouse.parse("binary(rows=1,cols=1) 0"))
    )


def run_cli(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    """Run ``gridhouse solve binary`` in this process and return its status."""
    monkeypatch.setattr(sys, "argv", ["gridhouse", "solve", "binary", *words])
    with pytest.raises(SystemExit) as caught:
        cli.main()
    return int(caught.value.code or 0)


def test_the_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_cli(monkeypatch, "2", "3") == 0
    assert capsys.readouterr().out.startswith("the player to move loses\nnimber: 0\n0 nodes in ")
    assert run_cli(monkeypatch, "5", "3", "--json", "--no-proved", "--off", "order") == 0
    facts = json.loads(capsys.readouterr().out)
    assert set(facts) == {"outcome", "moves", "nimber", "nodes", "seconds"}
    assert (facts["outcome"], len(facts["moves"]), facts["nimber"]) == ("win", 1, None)
    assert run_cli(monkeypatch, "binary(rows=2,cols=3) 0./..", "--json") == 2
    assert run_cli(monkeypatch, "binary(rows=2,cols=3) 0../...", "--json", "--nimber") == 0
    assert json.loads(capsys.readouterr().out)["nimber"] == 1


@pytest.mark.parametrize(
    "words",
    [
        ["0", "3"], ["3", "21"], ["3"], ["3", "x"], ["1", "2", "3"], ["sinks(rows=8,cols=8)#1"],
        ["binary(rows=1,cols=2) 00"], ["3", "3", "--time", "0"], ["3", "3", "--off", "luck"],
    ],
)  # fmt: skip
def test_what_the_command_cannot_use_gets_one_line(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_cli(monkeypatch, *words) == 2
    run = capsys.readouterr()
    assert run.out == ""
    assert run.err.count("\n") == 1


@pytest.mark.parametrize("words", [["5"], ["a", "b"]])
def test_what_is_no_position_is_called_that(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_cli(monkeypatch, *words) == 2
    line = f"gridhouse: '{' '.join(words)}' is neither WIDTH HEIGHT nor a position's text\n"
    assert capsys.readouterr().err == line


def test_random_games_find_the_few_moves_that_win() -> None:
    chance = random.Random(9)
    random.seed(9)
    found: list[bool] = []
    while len(found) < 20:
        state = random_position(chance, 14)
        winning = plain(state, all_moves=True).moves
        # Of moves drawn at random one in four or fewer would win.
        if winning and 4 * len(winning) <= len(state.legal_actions()):
            goes_on = iter([True] * 400 + [False])
            move = mcts_fallback.best_move(state.position, goes_on.__next__)
            found.append(state.action_to_string(move) in winning)
    assert sum(found) >= 14


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


class TestTimedSolve:
    """Solving within a time limit that begins before the compiled kernels are there."""

    @pytest.fixture(autouse=True)
    def loader(self, monkeypatch: pytest.MonkeyPatch) -> timed_solve.Loader:
        loader = timed_solve.Loader()
        monkeypatch.setattr(timed_solve, "LOADER", loader)
        monkeypatch.setattr(timed_solve, "GRACE", 0.0)
        return loader

    def test_what_is_known_needs_no_search(self, loader: timed_solve.Loader) -> None:
        found = timed_solve.solve_within(BinaryGame(rows=2, cols=2).new_initial_state(), 1)
        assert found.outcome == "loss"
        assert loader.backend is None

    def test_without_a_compiler(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(timed_solve, "has_compiler", lambda: False)
        state = gridhouse.parse("binary(rows=3,cols=5) 0..1./.0.../....1")
        assert timed_solve.solve_within(state, 60).outcome == plain(state, jit=True).outcome
        for text in ("binary(rows=19,cols=19)#0", "binary(rows=7,cols=9)#0"):
            assert timed_solve.solve_within(gridhouse.parse(text), 0.1).outcome == "unknown"

    def test_a_move_is_one_that_wins_if_any_is_found(self) -> None:
        chance = random.Random(8)
        for _ in range(8):
            state = random_position(chance, 12)
            winning = plain(state, all_moves=True).moves
            move = timed_solve.move_within(state, 20)
            if winning:
                assert state.action_to_string(move) in winning

    def test_a_move_where_nothing_is_found(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(timed_solve, "solve_within", lambda state, _: BinarySolution(state))
        # A third 0 beside the two would be no move, so the last cell takes nothing but this 1.
        state = gridhouse.parse("binary(rows=1,cols=3) 00.")
        assert state.action_to_string(timed_solve.move_within(state, 0.1)) == "2 0 1"

    def test_a_move_keeps_to_its_time(self) -> None:
        for side in (7, 20):
            state = BinaryGame(rows=side, cols=side).new_initial_state()
            begun = time.monotonic()
            move = timed_solve.move_within(state, 0.3)
            assert time.monotonic() - begun < 0.6  # 0.3, with room for what else is running
            assert move in state.legal_actions()

    def test_a_move_where_all_is_lost_takes_a_small_part_of_the_time(self) -> None:
        state = BinaryGame(rows=4, cols=4).new_initial_state()
        begun = time.monotonic()
        move = timed_solve.move_within(state, 20)
        assert time.monotonic() - begun < 5  # 2, with room for what else is running
        assert move in state.legal_actions()

    def test_kernels_that_were_never_compiled_are_left(
        self, loader: timed_solve.Loader, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(timed_solve, "was_compiled", lambda: False)
        loader.start()
        loader.start()
        assert loader.thread is not None
        loader.thread.join()
        assert loader.backend is None

    def test_the_search_starts_over_when_the_kernels_are_there(
        self, loader: timed_solve.Loader, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        searching.warm()  # or the plain search might be done before the compiler is
        begun = threading.Event()
        monkeypatch.setattr(timed_solve, "was_compiled", lambda: begun.wait(20))
        original = timed_solve.Loader.stop_when_loaded

        def wait_for(self: timed_solve.Loader, search: Search | None) -> bool:
            begun.set()
            return original(self, search)

        monkeypatch.setattr(timed_solve.Loader, "stop_when_loaded", wait_for)
        state = gridhouse.parse("binary(rows=3,cols=7) 0.1..../...1.../.....0.")
        found = timed_solve.solve_within(state, 100)
        assert found.outcome in ("win", "loss")
        assert loader.backend is not None
        assert found.nodes > 3000  # of the second search alone
        assert timed_solve.solve_within(state, 100).nodes == found.nodes

    def test_being_ready_before_the_search_begins(self, loader: timed_solve.Loader) -> None:
        searching.warm(Backend(jit=True))
        note_ready(Unit(SOLVER, BinaryGame()))
        assert timed_solve.was_compiled()
        loader.start()
        assert loader.thread is not None
        loader.thread.join()
        assert loader.stop_when_loaded(None) is False
        state = gridhouse.parse("binary(rows=3,cols=5) 0..../...../.....")
        assert timed_solve.solve_within(state, 20).outcome == "loss"

    def test_kernels_that_come_just_before_the_search_begins(
        self, loader: timed_solve.Loader, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ready = Backend(jit=True)
        used = []

        def board(position: Position, backend: Backend) -> Board:
            used.append(backend.jit)
            loader.backend = ready
            return Board(position, backend)

        monkeypatch.setattr(timed_solve, "has_compiler", lambda: False)
        monkeypatch.setattr(timed_solve, "Board", board)
        state = gridhouse.parse("binary(rows=3,cols=5) 0..../...../.....")
        assert timed_solve.solve_within(state, 100).outcome == "loss"
        assert used == [False, True]

    @pytest.mark.slow("searches for seconds")
    def test_kernels_are_loaded_beside_an_interpreted_search(self) -> None:
        searching.warm()
        note_ready(Unit(SOLVER, BinaryGame()))
        # Interpreted this takes two minutes.  Long turns show how often the loader waits for one.
        text = "binary(rows=6,cols=5) ....1/....0/.0.../..1.1/..0../....1"
        code = (
            "import gridhouse, sys\n"
            "from gridhouse.games.binary.solver.timed_solve import solve_within\n"
            "sys.setswitchinterval(0.5)\n"
            f"print(solve_within(gridhouse.parse({text!r}), 30).outcome)"
        )
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert (run.stdout, run.stderr) == ("win\n", "")

    def test_threads_take_turns_as_before_once_kernels_are_loaded(self) -> None:
        before = sys.getswitchinterval()
        with timed_solve.short_turns():
            assert sys.getswitchinterval() < before / 10
        assert sys.getswitchinterval() == before


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
@pytest.mark.untraced
@pytest.mark.parametrize(
    ("rows", "cols", "jit", "every", "fewer"),
    [
        (1, 10, True, 1, 20),  # by runs
        (10, 1, False, 5, 20),
        (3, 3, True, 1, 15),  # by structure
        (1, 9, False, 3, 15),
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


class TestCheckpoints:
    """Searches that are stopped and taken up again."""

    state = gridhouse.parse("binary(rows=5,cols=3) 0../.../.../.../..1")

    def test_a_search_goes_on_where_it_was_stopped(self, tmp_path: Path) -> None:
        file = str(tmp_path / "state")
        whole = plain(self.state, jit=True, nimber=True)
        parts = [plain(self.state, jit=True, limit=100, checkpoint=file) for _ in range(2)]
        assert [part.outcome for part in parts] == ["unknown", "unknown"]
        assert parts[0].nodes < parts[1].nodes <= 200
        done = plain(self.state, jit=True, nimber=True, checkpoint=file)
        assert (done.outcome, done.nimber) == (whole.outcome, whole.nimber)
        again = plain(self.state, jit=True, nimber=True, checkpoint=file)
        assert again.nodes == done.nodes
        assert again.facts() | {"seconds": 0} == done.facts() | {"seconds": 0}
        assert os.listdir(tmp_path) == ["state"]

    def test_interpreted(self, tmp_path: Path) -> None:
        file = str(tmp_path / "state")
        state = gridhouse.parse("binary(rows=3,cols=5) 0..1./.0.../....1")
        known = plain(state, jit=True).outcome
        found = plain(state, jit=False, limit=3, checkpoint=file)
        assert found.outcome == "unknown"
        assert plain(state, jit=False, checkpoint=file).outcome == known

    def refused(self, file: Path, **options: Any) -> str:
        options = {"limit": 50, "jit": False, "checkpoint": str(file), **options}
        state = options.pop("state", self.state)
        with pytest.raises(SolverError) as error:
            plain(state, **options)
        return str(error.value).removeprefix(f"{file}: ")

    def test_files_that_are_refused(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        file = tmp_path / "state"
        plain(self.state, limit=50, jit=False, checkpoint=str(file))
        good = file.read_bytes()
        other = gridhouse.parse("binary(rows=5,cols=3) 0../.../.../.../..0")
        assert self.refused(file, state=other) == "a checkpoint of another position"
        assert self.refused(file, off=("order",)).endswith("of another choice of techniques")
        for at in (90, 200, len(good) // 2, len(good) - 1):
            file.write_bytes(good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :])
            assert self.refused(file) == "a damaged checkpoint"
            file.write_bytes(good[:at])
            assert self.refused(file) == "a damaged checkpoint"
        file.write_bytes(b"something else")
        assert self.refused(file) == "not a checkpoint"
        file.write_bytes(good)
        for path in checkpoint.kernel_paths():
            others = [other for other in checkpoint.kernel_paths() if other != path]
            monkeypatch.setattr(checkpoint, "kernel_paths", lambda kept=others: kept)
            assert self.refused(file) == "a checkpoint of another version of the program"
            monkeypatch.undo()
        assert file.read_bytes() == good

    @pytest.mark.parametrize(
        ("place", "line"),
        [
            ("", "'': No such file or directory"),
            ("folder", "folder: Is a directory"),
            ("taken", "taken.new: Is a directory"),
            ("none/state", "none/state.new: No such file or directory"),
        ],
    )
    @pytest.mark.parametrize("text", [str(state), "binary(rows=20,cols=20)#0"])
    def test_places_are_refused_before_anything_is_searched(
        self, text: str, place: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def search(*given: Any, **options: Any) -> None:
            pytest.fail("it is searched")

        monkeypatch.setattr(api, "watched", search)
        monkeypatch.chdir(tmp_path)
        for name in ("folder", "taken.new"):
            (tmp_path / name).mkdir()
        with pytest.raises(SolverError) as error:
            plain(gridhouse.parse(text), checkpoint=place)
        assert str(error.value) == line
        assert sorted(os.listdir(tmp_path)) == ["folder", "taken.new"]

    def test_where_nothing_is_searched_nothing_is_written(self, tmp_path: Path) -> None:
        state = BinaryGame(rows=20, cols=20).new_initial_state()
        assert plain(state, checkpoint=str(tmp_path / "state")).outcome == "loss"
        assert os.listdir(tmp_path) == []

    def test_tables_larger_than_the_memory_are_refused(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        file = tmp_path / "state"
        monkeypatch.setattr(searching, "FIRST_WORDS", 1 << 18)
        plain(self.state, limit=50, jit=True, memory=4, checkpoint=str(file))
        good = file.read_bytes()
        for memory, times in ((1, 4), (2, 2)):
            line = self.refused(file, jit=True, memory=memory)
            assert line == f"needs {times} times the memory that is allowed"
        assert file.read_bytes() == good
        found = plain(self.state, limit=50, jit=True, memory=4, checkpoint=str(file))
        assert found.nodes > 50

    def test_a_file_that_cannot_be_read(self, tmp_path: Path) -> None:
        search = Search(Board(self.state.position, Backend(jit=False)), memory=1)
        with pytest.raises(SolverError, match="Is a directory"):
            search.resume(str(tmp_path), str(self.state))

    def test_all_modules_that_give_keys_their_meaning_count(self) -> None:
        names = {os.path.basename(path) for path in checkpoint.kernel_paths()}
        inner = {
            f"{name}.py"
            for name, value in vars(backend).items()
            if inspect.ismodule(value) and ".kernels" in value.__name__
        }
        others = {"__init__.py", "records.py", "board_encoding.py", "chance.py", "tables.py"}
        assert names == inner | others

    def test_tables_go_into_the_file_in_pieces(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        file = tmp_path / "state"
        for jit in (True, False):
            plain(self.state, limit=500, jit=jit, checkpoint=str(file))
            tables = []
            for piece in (checkpoint.PIECE, 1000):
                monkeypatch.setattr(checkpoint, "PIECE", piece)
                search = Search(Board(self.state.position, Backend(jit=jit)), memory=1)
                assert search.resume(str(file), str(self.state))
                tables.append([list(search.table), list(search.pn_table)])
                search.save(str(file), str(self.state))
            assert tables[0] == tables[1]
            assert any(tables[0][0])
            file.unlink()

    def test_a_file_is_never_in_memory_as_a_whole(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        file = str(tmp_path / "state")
        monkeypatch.setattr(checkpoint, "PIECE", 1000)
        search = Search(Board(self.state.position, Backend(jit=True)), memory=64)
        noise = random.Random(1).randbytes(8 * len(search.table))
        search.table[:] = memoryview(noise).cast("q")
        for step, has_tables in ((search.save, False), (search.resume, True)):
            tracemalloc.start()
            step(file, str(self.state))
            most = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            tables = 8 * (len(search.table) + len(search.pn_table)) * has_tables
            assert most < tables + len(noise) // 2
        assert os.path.getsize(file) > len(noise) * 0.9

    def test_it_is_written_as_a_whole_or_not_at_all(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        file = tmp_path / "state"
        plain(self.state, limit=50, jit=False, checkpoint=str(file))
        good = file.read_bytes()
        monkeypatch.setattr(os, "fsync", self.fail)
        assert self.refused(file, limit=500) == "No space left on device"
        assert file.read_bytes() == good
        assert os.listdir(tmp_path) == ["state"]

    def fail(self, number: int) -> None:
        raise OSError(28, "No space left on device")

    def test_what_cannot_be_saved_is_told_all_the_same(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        known = plain(self.state, jit=True, nimber=True)
        monkeypatch.setattr(os, "fsync", self.fail)
        with pytest.raises(UnsavedError) as error:
            plain(self.state, jit=True, nimber=True, checkpoint=str(tmp_path / "state"))
        found = error.value.solution
        assert found.facts() | {"seconds": 0} == known.facts() | {"seconds": 0}
        assert (found.outcome, found.seconds > 0) == (known.outcome, True)
        assert os.listdir(tmp_path) == []

    @pytest.mark.parametrize("options", [[], ["--json"]])
    def test_the_command_prints_what_cannot_be_saved(
        self,
        options: list[str],
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        file = tmp_path / "state"
        monkeypatch.setattr(os, "fsync", self.fail)
        words = ["3", "3", "--no-proved", "--checkpoint", str(file), *options]
        assert run_cli(monkeypatch, *words) == 2
        run = capsys.readouterr()
        begins = '{"outcome": "win"' if options else "the player to move wins\n"
        assert run.out.startswith(begins)
        assert run.err == f"gridhouse: {file}: No space left on device\n"
        assert os.listdir(tmp_path) == []

    def test_the_command(
        self,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        file = tmp_path / "state"
        words = ["7", "5", "--memory", "1", "--checkpoint", str(file)]
        for _ in range(2):
            assert run_cli(monkeypatch, *words, "--time", "0.3") == 0
            assert capsys.readouterr().out.startswith("unknown")
        file.write_bytes(b"")
        assert run_cli(monkeypatch, *words) == 2
        assert capsys.readouterr().err.splitlines() == [f"gridhouse: {file}: not a checkpoint"]


def random_play(state: State, chance: random.Random) -> None:
    """Play one random move."""
    state.apply_action(chance.choice(state.legal_actions()))


@pytest.mark.slow("searches for seconds")
@pytest.mark.parametrize("jit", [True, False], ids=["compiled", "interpreted"])
def test_the_perfect_player_wins_what_can_be_won(jit: bool) -> None:
    chance = random.Random(8)
    for rows, cols in [(5, 3), (3, 3), (6, 6), (4, 3)] if jit else [(3, 3), (1, 5)]:
        state = BinaryGame(rows=rows, cols=cols).new_initial_state()
        perfect = gridhouse.player("perfect", state.game, jit=jit)
        mine = rows * cols % 2 == 0
        while not state.is_terminal():
            if state.position.ply & 1 == mine:
                choice = perfect.choose(state, gridhouse.Limits(seconds=10))
                assert choice.value == 1
                state.apply_action(choice.action)
            else:
                random_play(state, chance)
        assert state.returns()[int(mine)] == 1


def test_when_all_is_lost_the_hardest_reply_is_chosen() -> None:
    chance = random.Random(10)
    adviser = advice.Adviser()
    seen = 0
    while seen < 5:
        state = random_position(chance, 8, (3, 5))
        if state.is_terminal() or plain(state, jit=True).outcome == "win":
            continue
        if symmetry.symmetry_of(state.position) is not None:
            continue
        seen += 1
        answers = {}
        for action in state.legal_actions():
            after = state.clone()
            after.apply_action(action)
            answers[action] = len(plain(after, jit=True, all_moves=True).moves)
        advised = adviser.advise(state, 20.0)
        assert advised is not None
        assert advised.value == -1
        assert answers[advised.action] == min(answers.values())


@pytest.mark.slow("searches for seconds")
def test_what_cannot_be_solved_is_searched_in_time_and_can_be_stopped() -> None:
    for rows, cols in [(9, 7), (20, 20), (1, 20), (6, 6)]:
        state = BinaryGame(rows=rows, cols=cols).new_initial_state()
        if rows == 6:
            state.play("0 0 0")
        perfect = gridhouse.player("perfect", state.game)
        perfect.choose(state, gridhouse.Limits(seconds=0.05))
        choice = perfect.choose(state, gridhouse.Limits(seconds=0.1))
        assert choice.action in state.legal_actions()
        timer = threading.Timer(0.3, perfect.stop)
        timer.start()
        perfect.choose(state, gridhouse.Limits(seconds=0.6))
        timer.join()


def test_no_choice_waits_for_what_is_compiled_for_a_size() -> None:
    game = BinaryGame(rows=7, cols=11)
    perfect: Any = gridhouse.player("perfect", game)
    kernels = [
        each
        for each in vars(perfect._search._kernels).values()
        if hasattr(each, "nopython_signatures")
    ]
    compiled = [len(each.nopython_signatures) for each in kernels]
    state = game.new_initial_state()
    for _ in range(3):
        state.apply_action(perfect.choose(state, gridhouse.Limits(seconds=0.1)).action)
    assert sum(compiled) > 5
    assert [len(each.nopython_signatures) for each in kernels] == compiled


def test_time_may_run_out_while_the_hardest_reply_is_looked_for() -> None:
    state = gridhouse.parse("binary(rows=3,cols=5) 0..../...../.....")
    adviser = advice.Adviser()
    search = Search(Board(state.position, Backend(jit=True)))
    search.stop()
    assert advice.hardest_reply(search) == []
    adviser.stop()


def lost_position() -> State:
    """Return a position with a dozen cells, lost for who is to move, that shows no symmetry."""
    chance = random.Random(3)
    while True:
        state = random_position(chance, 12, (5, 5))
        if (
            symmetry.symmetry_of(state.position) is None
            and plain(state, jit=True).outcome == "loss"
        ):
            return state


def test_where_all_is_lost_the_search_moves_if_replies_cannot_be_compared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state = lost_position()
    perfect = gridhouse.player("perfect", state.game)
    limits = gridhouse.Limits(seconds=2, playouts=500)
    told = perfect.choose(state, limits)
    assert told.work == 0
    monkeypatch.setattr(advice, "is_countable", lambda search, seconds: False)
    advised = advice.Adviser().advise(state, 2)
    assert advised is not None
    assert (advised.value, advised.line) == (-1, ())
    choice = perfect.choose(state, limits)
    assert choice.work == 500
    assert choice.action in state.legal_actions()
    assert (choice.value, choice.verdict) == (told.value, told.verdict) == (-1, advised.verdict)


def test_replies_are_compared_where_that_is_likely_to_end() -> None:
    state = gridhouse.parse("binary(rows=6,cols=6) ...0../...0.0/...1.1/...1.0/....../0.0..0")
    search = Search(Board(state.position, Backend(jit=False)))
    assert advice.is_countable(search, 60)
    assert not advice.is_countable(search, 0.5)


def test_advice_leaves_symmetries_when_they_cost_more_than_they_earn() -> None:
    adviser = advice.Adviser()
    state = BinaryGame(rows=6, cols=6).new_initial_state()
    for move in ("0 0 0", "3 2 0", "1 4 1"):
        adviser.advise(state, 0.05)
        state.play(move)
    adviser.advise(state, 0.05)
    assert adviser._search is not None
    assert not adviser._search.board.is_whole


class TestFollowing:
    """Searches that go on as the game does."""

    @pytest.mark.parametrize("jit", [False, True])
    def test_what_was_found_stays_known_after_some_moves(self, jit: bool) -> None:
        chance = random.Random(21)
        memory = Backend(jit=jit)
        followed = fresh = 0
        for _ in range(5):
            state = random_position(chance, 11, (3, 5))
            search = Search(Board(state.position, memory), memory=8)
            search.outcome()
            while not state.is_terminal():
                state.apply_action(chance.choice(state.legal_actions()))
                assert search.follow(state.position)
                before = search.nodes
                other = Search(Board(state.position, memory), memory=8)
                assert search.outcome() == other.outcome()
                assert {search.board.action(move) for move in search.moves()} == set(
                    state.legal_actions()
                )
                followed += search.nodes - before
                fresh += other.nodes
        assert followed < fresh

    def test_back_to_where_it_began_but_not_to_another_game(self) -> None:
        start = gridhouse.parse("binary(rows=3,cols=5) 0..../...../.....")
        search = Search(Board(start.position, Backend(jit=True)), memory=8)
        later = start.clone()
        later.play("2 1 0")
        search.stop()
        assert search.outcome() == UNKNOWN
        assert search.follow(later.position)
        assert OUTCOMES[search.outcome()] == plain(later, jit=True).outcome
        assert search.follow(start.position)
        assert OUTCOMES[search.outcome()] == plain(start, jit=True).outcome
        for text in ("1..../...../.....", "...../...../....."):
            other = gridhouse.parse(f"binary(rows=3,cols=5) {text}")
            assert not search.follow(other.position)
        # A cell that could take nothing any more there, and the first that differs here.
        late = gridhouse.parse("binary(rows=2,cols=3) 1.1/.0.")
        search = Search(Board(late.position, Backend(jit=True)), memory=8)
        assert not search.follow(gridhouse.parse("binary(rows=2,cols=3) 10./...").position)

    def test_an_adviser_follows_a_game_and_begins_anew_with_another(self) -> None:
        adviser = advice.Adviser()
        for seed in range(3):
            chance = random.Random(seed)
            state = random_position(chance, 10, (5, 5))
            while not state.is_terminal():
                advised = adviser.advise(state, 60.0)
                assert advised is not None
                assert advised.value == (1 if plain(state, jit=True).outcome == "win" else -1)
                state.apply_action(chance.choice(state.legal_actions()))

    @pytest.mark.slow("searches for seconds")
    @pytest.mark.parametrize("jit", [False, True])
    def test_answers_are_counted_as_far_as_asked(self, jit: bool) -> None:
        chance = random.Random(4)
        for _ in range(6):
            state = random_position(chance, 9, (4, 4))
            if state.is_terminal():
                continue
            search = Search(Board(state.position, Backend(jit=jit)), memory=8)
            for move in search.moves():
                after = state.clone()
                after.apply_action(search.board.action(move))
                winning = 0
                for action in after.legal_actions():
                    end = after.clone()
                    end.apply_action(action)
                    winning += plain(end, jit=True).outcome == "loss"
                assert search.count_replies(move, 100) == (len(after.legal_actions()), winning)
                assert search.count_replies(move, 0) == (
                    len(after.legal_actions()),
                    min(1, winning),
                )
                stopped = Search(Board(state.position, search.board.backend), memory=8)
                stopped.stop()
                assert stopped.count_replies(move, 100)[1] <= winning


def test_a_search_that_would_not_end_is_not_begun() -> None:
    state = BinaryGame(rows=6, cols=6).new_initial_state()
    state.play("0 0 0")
    search = Search(Board(state.position, Backend(jit=True)), memory=8)
    assert search.count_contested() > 30
    assert not advice.is_worth_a_try(search, 1.0)
    assert advice.is_worth_a_try(search, 1e4)
    plainly = gridhouse.parse("binary(rows=1,cols=3) 0.1")
    search = Search(Board(plainly.position, Backend(jit=True)), memory=8)
    assert search.count_contested() == 0


def test_a_game_without_a_solver_has_no_perfect_player() -> None:
    with pytest.raises(PlayerError, match="perfect: sinks has no solver"):
        gridhouse.player("perfect", gridhouse.load("sinks"))


def test_whatever_stands_on_a_full_table_the_least_work_goes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(searching, "LEAST_WORDS", 16)
    monkeypatch.setattr(searching, "INTERPRETED_WORDS", 16)
    monkeypatch.setattr(searching, "PROOF_NUMBER_CELLS", 7)
    monkeypatch.setattr(searching, "DEPTH_FIRST_CELLS", 4)
    chance = random.Random(12)
    for _ in range(4):
        state = random_position(chance, 9, (4, 6))
        assert plain(state, jit=False).outcome == plain(state, jit=True).outcome


class TestGrowing:
    """Tables that become larger as they fill."""

    TEXT = "binary(rows=5,cols=5) 0..1./..0../...../..1../....."

    @pytest.fixture(autouse=True)
    def _grow_soon(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(searching, "FIRST_WORDS", 1 << 16)
        monkeypatch.setattr(searching, "GROWTH", 4)
        monkeypatch.setattr(searching, "WORDS_A_NODE", 256)
        monkeypatch.setattr(searching, "PROOF_NUMBER_CELLS", 12)

    def _search(self, **given: Any) -> Search:
        state = gridhouse.parse(self.TEXT)
        return Search(Board(state.position, Backend(jit=True)), memory=64, **given)

    def test_all_words_are_where_a_larger_table_looks_for_them(self) -> None:
        chance = random.Random(5)
        table, larger = [0] * (1 << 16), [0] * (1 << 18)
        pn_table, larger_pn = [0] * (1 << 12), [0] * (1 << 15)
        keys = [chance.getrandbits(61) for _ in range(2000)]
        for number, key in enumerate(keys):
            transpositions.store(table, key, number % 3, number & 1, number)
            pn_key = transpositions.pn_key(key, number % 3)
            transpositions.pn_store(pn_table, pn_key, number + 1, 2 * number + 1, number)
        transpositions.move_entries(table, larger)
        transpositions.pn_move_entries(pn_table, larger_pn)
        assert sum(map(bool, larger)) == sum(map(bool, table)) > 1900
        assert sum(map(bool, larger_pn)) == sum(map(bool, pn_table)) > 1900
        found = 0
        for number, key in enumerate(keys):
            for heap in range(3):
                known = transpositions.probe(table, key, heap)
                assert transpositions.probe(larger, key, heap) == known
            pn_key = transpositions.pn_key(key, number % 3)
            at, there = (transpositions.pn_find(each, pn_key) for each in (pn_table, larger_pn))
            assert (at >= 0) == (there >= 0)
            found += at >= 0
            if at >= 0:
                assert larger_pn[there : there + 2] == pn_table[at : at + 2]
        assert found > 950

    @pytest.mark.slow("searches for seconds")
    @pytest.mark.parametrize("threads", [1, 2])
    def test_they_do_as_they_fill(self, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
        search = self._search(threads=threads)
        most = search.most_words
        use_tables = search.use_tables
        taken = []

        def noted(table: Any, pn_table: Any) -> None:
            before = search.table.astype(bool).sum(), search.pn_table.astype(bool).sum()
            taken.append((before, (table.astype(bool).sum(), pn_table.astype(bool).sum())))
            use_tables(table, pn_table)

        monkeypatch.setattr(search, "use_tables", noted)
        assert (len(search.table), most) == (1 << 16, 1 << 22)
        known = plain(gridhouse.parse(self.TEXT), jit=True, memory=1, threads=1)
        assert OUTCOMES[search.outcome()] == known.outcome
        assert len(search.table) > 1 << 16
        assert len(search.pn_table) == len(search.table) // searching.PN_SHARE
        assert taken
        assert all(before == after and min(before) > 0 for before, after in taken)

    def test_what_is_used_is_a_part_of_the_largest(self) -> None:
        search = self._search()
        search.table[:] = 1
        assert search.used == 1 / 64

    def test_limits_and_being_stopped_come_first(self, monkeypatch: pytest.MonkeyPatch) -> None:
        search = self._search(limit=600)
        assert search.outcome() == UNKNOWN
        assert search.nodes == 600
        stopped = self._search()
        tables = stopped._allocate

        def late(size: int) -> Any:
            stopped.stop()
            return tables(size)

        monkeypatch.setattr(stopped, "_allocate", late)
        assert stopped.outcome() == UNKNOWN
        assert all(control.stop for control in stopped.controls)
        assert stopped.nodes < 600

    @pytest.mark.slow("searches for seconds")
    def test_without_more_memory_the_tables_there_are_have_to_do(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:  # fmt: skip
        search = self._search()

        def tables(size: int) -> Any:
            raise MemoryError(size)

        monkeypatch.setattr(search, "_allocate", tables)
        assert search.outcome() != UNKNOWN
        assert len(search.table) == search.most_words == 1 << 16

    @pytest.mark.slow("searches for seconds")
    def test_answers_are_counted_all_the_same(self) -> None:
        state = gridhouse.parse(self.TEXT)
        search = self._search()
        search.controls[0].limit = 1
        move = search.moves()[0]
        state.apply_action(search.board.action(move))
        known = plain(state, jit=True, all_moves=True)
        assert search.count_replies(move, 100) == (len(state.legal_actions()), len(known.moves))
        assert len(search.table) > 1 << 16


@pytest.mark.parametrize("proof", [True, False])
def test_interpreted_searches_keep_limits_as_well(
    proof: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "PROOF_NUMBER_CELLS", 7)
    monkeypatch.setattr(searching, "DEPTH_FIRST_CELLS", 4)
    state = gridhouse.parse("binary(rows=3,cols=5) 0..1./..0../.....")
    outcomes = [
        plain(state, jit=False, limit=limit, proof=proof).outcome
        for limit in (1, 2, 5, 9, 20, 60, 3000)
    ]
    known = outcomes[-1]
    assert known == plain(state, jit=True).outcome
    assert set(outcomes) == {"unknown", known}
    assert outcomes == sorted(outcomes, key=lambda outcome: outcome == known)


def test_parts_are_searched_within_limits_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "PROOF_NUMBER_CELLS", 3)
    monkeypatch.setattr(searching, "DEPTH_FIRST_CELLS", 3)
    chance = random.Random(30)
    for _ in range(12):
        state = random_position(chance, 13, (10, 12))
        known = plain(state, jit=True).outcome
        for limit in (1, 2, 3, 5, 8, 30):
            assert plain(state, jit=False, limit=limit).outcome in ("unknown", known)


def test_a_noisy_order_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    state = gridhouse.parse("binary(rows=3,cols=5) 0..1./..0../.....")
    found = []
    for noise in (0, 8):
        monkeypatch.setattr(searching, "NOISE", noise)
        search = Search(Board(state.position, Backend(jit=False)), memory=1)
        # As if it were that of a second thread.
        search.stacks, search.controls = 2 * search.stacks, 2 * search.controls
        found.append((search.run(1, (), 0, proof=False), search.nodes))
    assert {value for value, _ in found} == {int(plain(state, jit=True).outcome == "win")}
    assert found[0] != found[1]


@pytest.mark.parametrize("off", [(), tuple(TECHNIQUES), ("components", "order")], ids=len)
def test_interpreted_is_compiled_on_boards_of_all_sizes(
    off: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "PROOF_NUMBER_CELLS", 6)
    monkeypatch.setattr(searching, "DEPTH_FIRST_CELLS", 3)
    chance = random.Random(21)
    for sides in ((3, 5), (10, 12), (4, 7)):
        state = random_position(chance, 7, sides)
        found = [
            plain(state, nimber=True, all_moves=True, jit=jit, off=off).facts()
            for jit in (True, False)
        ]
        assert found[0] | {"nodes": 0, "seconds": 0} == found[1] | {"nodes": 0, "seconds": 0}


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


def test_advice_for_what_needs_none_and_what_is_too_large() -> None:
    adviser = advice.Adviser()
    assert adviser.advise(BinaryGame(rows=20, cols=19).new_initial_state(), 1) is None
    large = BinaryGame(rows=5, cols=7).new_initial_state()
    assert adviser.advise(large, 0.05) is None
    timer = threading.Timer(0.5, adviser.stop)
    timer.start()
    assert adviser.advise(large, 600) is None
    timer.join()
    # Laying it out would take longer than there is: told by counts, not by a clock.
    assert advice.Adviser().advise(large, 1e-4) is None
    with pytest.raises(board_encoding.TooLargeError, match="tables"):
        Board(large.position, Backend(jit=False), most=1000)
    lost = adviser.advise(BinaryGame(rows=2, cols=3).new_initial_state(), 5)
    assert lost is not None
    assert lost.value == -1
    assert lost.verdict == "Proved: Player 2 wins with perfect play"
    won = adviser.advise(BinaryGame(rows=3, cols=3).new_initial_state(), 5)
    assert won is not None
    assert won.value == 1
    assert won.verdict == "Proved: Player 1 wins with perfect play"


def test_the_line_shown_while_it_runs() -> None:
    state = BinaryGame(rows=3, cols=3).new_initial_state()
    task = SolveTask(state)
    assert task.status().startswith("getting ready")
    task.use(Search(Board(state.position, Backend(jit=False)), memory=1))
    task.run()
    assert task.status().startswith(f"{task.search.nodes} nodes, ")


def test_heaps_too_large_for_the_table_are_searched_all_the_same() -> None:
    state = gridhouse.parse("binary(rows=3,cols=3) 0../.../...")
    search = Search(Board(state.position, Backend(jit=False)), memory=1)
    nimber = solve(state, nimber=True).nimber
    values = [search.outcome((), heap) for heap in (12, 11, 10, 1, 0)]
    assert values == [int(heap != nimber) for heap in (12, 11, 10, 1, 0)]


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("binary(rows=20,cols=20)#0", None),
        ("binary(rows=2,cols=2) 0./..", ["1 0 1", "0 1 1", "1 1 1"]),
        ("binary(rows=2,cols=4) 0.../...1", None),
        ("binary(rows=2,cols=4) 01../....", None),
        ("binary(rows=3,cols=3) 0../.../...", None),
        ("binary(rows=3,cols=4) 10../..../....", None),
        ("binary(rows=1,cols=2) 0.", ["1 0 1"]),
    ],
)
def test_a_reply_that_restores_the_symmetry(text: str, move: list[str] | None) -> None:
    state = gridhouse.parse(text)
    action = symmetry.winning_reply(state.position)
    if move is None:
        assert action is None
    else:
        assert action is not None
        assert state.action_to_string(action) in move
        found = plain(state, jit=False)
        assert (found.outcome, found.nodes) == ("win", 0)
        assert Search(Board(state.position, Backend(jit=False))).outcome() == WIN


def test_after_any_first_move_on_a_board_of_even_size_the_reply_is_known() -> None:
    chance = random.Random(1)
    for rows, cols in [(20, 20), (7, 8), (6, 6)]:
        state = BinaryGame(rows=rows, cols=cols).new_initial_state()
        while not state.is_terminal():
            random_play(state, chance)
            found = solve(state)
            assert (found.outcome, found.nodes) == ("win", 0)
            state.play(found.moves[0])
