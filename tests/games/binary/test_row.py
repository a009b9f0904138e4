"""The proof of long rows of the Binary Game: against plain recursion and the package's solver."""

from __future__ import annotations

import random
from functools import cache

import binary_row
import pytest
from binary_row import Prover

import gridhouse
from gridhouse.games.binary.game import BinaryGame
from gridhouse.games.binary.solver import solve
from naive.binary_solver import all_nimbers


@cache
def prover() -> Prover:
    return Prover(memory=16)


def random_row(chance: random.Random, cells: int, digits: int) -> str:
    """Return a row with so many digits, or as many as play has come to."""
    state = BinaryGame(rows=1, cols=cells).new_initial_state()
    for _ in range(digits):
        if not state.is_terminal():
            state.apply_action(chance.choice(state.legal_actions()))
    return state.board()


@pytest.mark.slow("searches for seconds")
@pytest.mark.parametrize("cells", range(1, 9))
def test_every_position_of_a_short_row_has_the_nimber_of_plain_recursion(cells: int) -> None:
    for row, nimber in all_nimbers(cells, 1).items():
        assert prover().nimber(row) == nimber, row


@pytest.mark.parametrize("cells", range(11, 21))
def test_positions_of_longer_rows_have_the_nimbers_that_the_solver_finds(cells: int) -> None:
    chance = random.Random(cells)
    for digits in range(cells - 11, cells):
        row = random_row(chance, cells, digits)
        state = gridhouse.parse(f"binary(rows=1,cols={cells}) {row}")
        found = solve(state, threads=1, memory=4, nimber=True, proved=False)
        assert prover().nimber(row) == found.nimber, row


def test_empty_rows_are_won_where_the_number_of_cells_is_odd() -> None:
    for cells in range(16):
        assert prover().nimber("." * cells) == cells % 2


def test_a_table_of_eight_words_changes_nothing_but_the_work() -> None:
    small = Prover(memory=0, seed=1)
    chance = random.Random(8)
    for digits in range(8):
        row = random_row(chance, 13, digits)
        before = prover().nimber(row)
        assert small.nimber(row) == before, row


@pytest.mark.parametrize("name", ["LARGEST_RUNS", "LARGEST_OPTIONS"])
def test_tables_that_are_full_end_the_search(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binary_row, name, 64)
    with pytest.raises(MemoryError, match="no room for more"):
        Prover(memory=1).wins("." * 13)


def test_what_is_proved_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    binary_row.prove(7, 1)
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(",")[0] for line in lines] == [
        f"{n}x1: first player" for n in (1, 3, 5, 7)
    ]
    assert "; 4 of 4 first moves win, " in lines[-1]
