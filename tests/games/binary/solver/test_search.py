"""Searches: threads, tables that grow, and games that are followed."""

from __future__ import annotations

import random
from typing import Any

import pytest

import gridhouse
from binary_helpers import plain, random_position
from gridhouse.games.binary.solver import advice, proof
from gridhouse.games.binary.solver import search as searching
from gridhouse.games.binary.solver.api import TECHNIQUES, solve
from gridhouse.games.binary.solver.backend import Backend
from gridhouse.games.binary.solver.board_encoding import Board
from gridhouse.games.binary.solver.kernels import transpositions
from gridhouse.games.binary.solver.kernels.records import MOST_PLIES, UNKNOWN
from gridhouse.games.binary.solver.search import Search
from gridhouse.games.binary.solver.solution import OUTCOMES


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


def test_a_proof_says_what_it_does_not_know(monkeypatch: pytest.MonkeyPatch) -> None:
    state = gridhouse.parse("binary(rows=4,cols=4) ..../.0.1/..../0...")
    asked = proof.Prover(jit=False)
    assert asked(state) == 1
    monkeypatch.setattr(proof, "NODES", 10)
    assert asked(state) is None
    assert asked(gridhouse.parse("binary(rows=2,cols=3) .../...")) == -1  # known without a search
    monkeypatch.setattr(proof, "MOST_CELLS", 5)
    assert asked(state) is None


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


@pytest.mark.slow("searches for seconds")
@pytest.mark.measured
def test_threads_that_keep_apart_search_hardly_more_than_one() -> None:
    state = gridhouse.parse("binary(rows=6,cols=5) ....1/....0/.0.../..1.1/..0../....1")
    one, *two = (plain(state, jit=True, threads=count, memory=64).nodes for count in (1, 2, 2, 2))
    # Threads meet by chance: with paths 1.0 to 1.6 times as many nodes, without 1.8 to 2.0.
    assert min(two) < 1.5 * one


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

    TEXT = "binary(rows=5,cols=5) 0..1./..0../..0../..1../...0."

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

    @pytest.mark.measured
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


def test_heaps_too_large_for_the_table_are_searched_all_the_same() -> None:
    state = gridhouse.parse("binary(rows=3,cols=3) 0../.../...")
    search = Search(Board(state.position, Backend(jit=False)), memory=1)
    nimber = solve(state, nimber=True).nimber
    values = [search.outcome((), heap) for heap in (12, 11, 10, 1, 0)]
    assert values == [int(heap != nimber) for heap in (12, 11, 10, 1, 0)]
