"""The exact search over the interface of two halves of a Collapse board."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

import gridhouse
from gridhouse.core.game import State
from gridhouse.games.collapse import solver
from gridhouse.games.collapse.game import CollapseGame
from gridhouse.games.collapse.solver import api
from gridhouse.games.collapse.solver.kernels import byte_board, half_board, interface_search
from gridhouse.games.collapse.solver.search import LinearSearch, Options, base, interface, linear
from naive import collapse_best

if TYPE_CHECKING:
    from gridhouse.games.collapse.solver.search.interface import InterfaceSearch

MANY = 1 << 40
PAIRS = 8  # are full, in place of what a half may say
SMALL = 50  # nodes of a search that is interrupted


def search_of(rows: list[list[int]], *, jit: bool = True) -> LinearSearch:
    state = State(*CollapseGame.from_board(rows))
    search = LinearSearch(state, Options(), jit=jit)
    search.set_dead([])
    return search


def drawn(chance: random.Random, rows: int, cols: int, digits: int) -> list[list[int]]:
    return [[chance.randrange(digits) for _ in range(cols)] for _ in range(rows)]


def cut_at(search: LinearSearch, col: int, memory: int = MANY) -> InterfaceSearch:
    return interface.InterfaceSearch(search.kernels, search.columns, search.weights, col, memory)


def control_of(search: LinearSearch, limit: int = MANY) -> Any:
    control = search._control(0)
    control.best = MANY
    control.limit = limit
    return control


def finish(cut: InterfaceSearch, control: Any) -> int:
    """Search to the end, and return the least that is left."""
    cut.begin(control)
    while not cut.is_over and control.stop == 0:
        cut.run(control)
    return int(control.best)


def left_after(search: LinearSearch, line: list[int]) -> int:
    """Return what picks leave; each must take a group."""
    board, scratch = search.start.copy(), search._scratch()
    for cell in line:
        assert search._pick(board, cell, scratch) > 1
    return sum(search.weights[kind] for kind in board.tolist())


def counts(cut: InterfaceSearch) -> list[int]:
    fields = (*interface.GROWING.values(),)
    found = [int(getattr(half.counters, name)) for half in cut._halves for name in fields]
    return [*found, int(cut._memory.progress.pairs), int(cut._memory.progress.best)]


@pytest.mark.slow("searches for seconds")
@pytest.mark.parametrize("jit", [True, False])
def test_every_cut_finds_what_trying_everything_finds(jit: bool) -> None:
    chance = random.Random(1)
    for turn in range(250 if jit else 60):
        rows, cols = chance.choice([(1, 9), (2, 7), (3, 5), (4, 4), (5, 3), (8, 2), (4, 3), (6, 1)])
        board = drawn(chance, rows, cols, chance.choice([2, 3, 3, 4]))
        least = sum(map(sum, board)) - collapse_best.best(collapse_best.board_of(board), "linear")
        search = search_of(board, jit=jit)
        assert search.cuts
        for col in search.cuts:
            cut = cut_at(search, col)
            control = control_of(search)
            assert finish(cut, control) == least, (turn, board, col)
            assert cut.is_proved
            assert left_after(search, cut.line(search.stride)) == least


@pytest.mark.parametrize("cut", [3, 4])
def test_groups_that_hang_together_by_turns_are_one(cut: int) -> None:
    # The ones are one group only by way of both halves, and so are the twos between them.
    board = [
        [1, 1, 1, 1, 1, 1, 1],
        [1, 2, 2, 2, 2, 2, 1],
        [1, 1, 1, 1, 1, 2, 1],
        [2, 2, 2, 2, 1, 2, 1],
        [1, 1, 1, 2, 1, 2, 1],
        [1, 2, 1, 2, 1, 2, 1],
        [1, 2, 2, 2, 1, 2, 1],
        [1, 1, 1, 1, 1, 2, 1],
    ]
    search = search_of(board)
    control = control_of(search)
    halves = cut_at(search, cut)
    assert finish(halves, control) == 0
    assert left_after(search, halves.line(search.stride)) == 0
    least = solver.solve(State(*CollapseGame.from_board(board)), seconds=None)
    assert least.optimal


@pytest.mark.parametrize("seed", range(6))
def test_the_kernels_mean_the_same_interpreted(seed: int) -> None:
    board = drawn(random.Random(seed), 5, 5, 4 + seed)
    for col in search_of(board).cuts:
        found = []
        for jit in (True, False):
            search = search_of(board, jit=jit)
            control = control_of(search)
            cut = cut_at(search, col)
            finish(cut, control)
            found.append((counts(cut), int(control.nodes), cut.line(search.stride)))
        assert found[0] == found[1]


@pytest.mark.parametrize(("rows", "cols", "digits"), [(7, 7, 5), (8, 8, 10), (9, 6, 7), (5, 11, 6)])
def test_all_cuts_find_the_same(rows: int, cols: int, digits: int) -> None:
    for seed in range(3):
        search = search_of(drawn(random.Random(seed), rows, cols, digits))
        found = set()
        for col in search.cuts[:3]:
            control = control_of(search)
            cut = cut_at(search, col)
            found.add(finish(cut, control))
            assert left_after(search, cut.line(search.stride)) == control.best
        assert len(found) == 1, (seed, found)


@pytest.mark.parametrize("jit", [True, False])
def test_a_search_begins_small_and_grows(monkeypatch: pytest.MonkeyPatch, jit: bool) -> None:
    for seed, (rows, smallest) in enumerate([(1, 1), (2, 1), (2, 1), (5, 2), (5, 2)]):
        search = search_of(drawn(random.Random(seed), rows, 6, 5), jit=jit)
        roomy = cut_at(search, 3)
        expected = finish(roomy, control_of(search)), counts(roomy)
        with monkeypatch.context() as patch:
            patch.setattr(interface_search, "INITIAL_SIZE", smallest)
            grown = cut_at(search, 3)
        assert (finish(grown, control_of(search)), counts(grown)) == expected
        assert len(grown._memory.pairs.keys) < 2 * int(grown._memory.progress.pairs) + smallest


@pytest.mark.parametrize("jit", [True, False])
@pytest.mark.parametrize("full", [*interface.GROWING, PAIRS])
def test_whatever_is_full_the_search_ends_there(
    monkeypatch: pytest.MonkeyPatch, full: int, jit: bool
) -> None:
    def may_grow(cut: InterfaceSearch, *_: Any) -> bool:
        found = {int(half.counters.full) for half in cut._halves} | {
            PAIRS * int(cut._memory.progress.is_full)
        }
        cut.is_over |= full in found
        return not cut.is_over

    monkeypatch.setattr(interface_search, "INITIAL_SIZE", 2)
    monkeypatch.setattr(interface.InterfaceSearch, "_may_grow", may_grow)
    search = search_of(drawn(random.Random(3), 6, 6, 5), jit=jit)
    cut = cut_at(search, 3)
    finish(cut, control_of(search))
    assert (cut.is_over, cut.is_proved) == (True, False)


def test_memory_ends_a_search_and_enough_does_not() -> None:
    search = search_of(drawn(random.Random(3), 8, 8, 5))
    proved = []
    for memory in (1 << 19, 1 << 20, 1 << 24, 1 << 25):
        cut = cut_at(search, 4, memory)
        finish(cut, control_of(search))
        proved.append(cut.is_proved)
        assert sum(map(interface.size_of, cut._halves)) <= memory
    assert proved == [False, False, True, True]


def test_a_search_ends_where_the_machine_has_less_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise MemoryError

    search = search_of(drawn(random.Random(3), 7, 7, 5))
    monkeypatch.setattr(interface.InterfaceSearch, "_doubled", fail)
    cut = cut_at(search, 3)
    finish(cut, control_of(search))
    assert (cut.is_over, cut.is_proved) == (True, False)


def test_a_search_goes_on_where_it_was_stopped() -> None:
    search = search_of(drawn(random.Random(5), 7, 7, 5))
    whole = cut_at(search, 3)
    best = finish(whole, control_of(search))
    parts = cut_at(search, 3)
    left, stops = MANY, 0
    while not parts.is_over:
        control = control_of(search, SMALL)
        control.best = left
        left = finish(parts, control)
        stops += 1
        assert control.nodes <= SMALL
    assert (left, counts(parts)) == (best, counts(whole))
    assert stops > 10


def test_where_a_board_may_be_cut() -> None:
    assert interface.cut_columns([7] * 11) == [5, 6, 4, 7, 3, 8]
    assert interface.cut_columns([10] * 10) == [5, 4, 6]
    assert interface.cut_columns([1, 1, 1, 9]) == [3, 2, 1]
    assert interface.cut_columns([4]) == [1]
    assert interface.cut_columns([]) == []
    assert interface.cut_columns([16] * 6) == [3]
    assert interface.cut_columns([17, 17]) == interface.cut_columns([15] * 9) == []


def test_symbols_are_compatible_where_their_components_join() -> None:
    rng = random.Random(7)
    for _ in range(3000):
        height = rng.randint(1, 9)
        one, other = rng.getrandbits(height), rng.getrandbits(height)
        code, here = random_symbol(rng, one)
        reply, there = random_symbol(rng, other)
        expected = is_group(here, there, one, other)
        assert interface_search.are_compatible(code, reply, one, other) == expected, (
            here,
            there,
            one,
            other,
        )


def random_symbol(rng: random.Random, own: int) -> tuple[int, list[int]]:
    """Return the code of a symbol that takes some runs of an interface, and its components."""
    runs: list[int] = []
    for row in range(16):
        if own >> row & 1:
            if row and own >> (row - 1) & 1 and runs:
                runs[-1] |= 1 << row
            else:
                runs.append(1 << row)
    chosen = [run for run in runs if rng.random() < 0.8]
    code, shift = 1, half_board.COMPONENTS_SHIFT
    numbers: list[int] = []
    for run in chosen:
        numbers.append(rng.choice([*{*numbers}, 1 + max(numbers, default=-1)]))
        code |= run << half_board.ROWS_SHIFT | numbers[-1] << shift
        shift += half_board.COMPONENT_BITS
    parts = [0] * (1 + max(numbers, default=-1))
    for run, number in zip(chosen, numbers, strict=True):
        parts[number] |= run
    return code, parts


def is_group(here: list[int], there: list[int], one: int, other: int) -> bool:
    """Tell whether components on either side are one whole group, by joining them."""
    mine, yours = sum(here), sum(there)
    if not here or not there or mine & other & ~yours or yours & one & ~mine:
        return False
    reached, sides = {(0, 0)}, (here, there)
    for _ in range(len(here) + len(there)):
        for side, index in [*reached]:
            for place, rows in enumerate(sides[1 - side]):
                if rows & sides[side][index]:
                    reached.add((1 - side, place))
    return len(reached) == len(here) + len(there)


def test_hard_boards_are_proved() -> None:
    for text, score, nodes in (
        ("collapse(rows=8,cols=8,digits=5)#80", 128, 500_000),
        ("collapse(rows=10,cols=10,digits=10)#6", 402, 700_000),
        ("collapse(rows=10,cols=10,digits=10)#9", 313, 50_000),
    ):
        state = gridhouse.parse(text)
        search = LinearSearch(state, Options(), jit=True)
        search.set_dead([])
        control = control_of(search)
        (cut, *_) = search._begin_cuts()
        assert search.total - finish(cut, control) == score
        assert control.nodes < nodes


def test_where_a_cut_has_no_room_the_next_one_is_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    state = gridhouse.parse("collapse(rows=6,cols=6,digits=5)#1")
    monkeypatch.setattr(linear, "FIRST_RUN", 1)
    monkeypatch.setattr(LinearSearch, "_improve", lambda search, rollouts, turn: None)
    searched = []
    run = interface.InterfaceSearch.run

    def counted(cut: InterfaceSearch, control: Any) -> None:
        if cut not in searched:
            searched.append(cut)
            cut.is_over |= len(searched) == 1
        run(cut, control)

    monkeypatch.setattr(interface.InterfaceSearch, "run", counted)
    assert solver.solve(state, seconds=None, threads=1).optimal
    assert [cut.is_proved for cut in searched] == [False, True]


def test_walls_stay_and_are_paid_for() -> None:
    # The eight is alone, and what stands on it never comes down to its like.
    rows = [[3, 1, 1, 3], [8, 1, 1, 2], [2, 4, 4, 2]]
    search = search_of(rows)
    search.find_bound()
    assert search.fixed_cost > 0
    least = sum(map(sum, rows)) - collapse_best.best(collapse_best.board_of(rows), "linear")
    for col in search.cuts:
        cut = cut_at(search, col)
        control = control_of(search)
        assert finish(cut, control) + search.fixed_cost == least
        assert byte_board.WALL not in [int(kind) for kind in cut._memory.left.space.kinds]


def test_a_line_is_played_to_its_end() -> None:
    # Zeros may stay, so the search at a cut leaves them; the rules do not.
    rows = [[0, 0, 1, 1], [2, 2, 0, 0]]
    state = State(*CollapseGame.from_board(rows))
    search = LinearSearch(state, Options(), jit=False)
    search.set_dead([])
    control = search._control(0)
    search.cost = base.INFINITE
    (cut, *_) = search._begin_cuts()
    search._prove_by_cut(cut, MANY)
    assert search.cost == search.lower_bound == 0
    assert api.solution_of(state, search, 0.0).cleared
    assert control.stop == 1
