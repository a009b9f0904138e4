"""Starts that the rules deal are starts of their game, and all that may come are as likely."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gridhouse
from gridhouse.conformance import random_source
from gridhouse.core.game import State
from gridhouse.games.collapse import rules as collapse
from walks import GAMES, walk

if TYPE_CHECKING:
    from collections.abc import Iterable

SEEDS = st.integers(0, 2**32)


def dealt(state: State, seed: int) -> State:
    """Return a state at the start that the rules deal from a seed."""
    position = state.position.copy()
    state.game.rules.randomize_start(position, random_source(seed))
    return State(state.game, position)


def chi_squared(seen: Iterable[int], expected: float) -> float:
    return sum((count - expected) ** 2 / expected for count in seen)


def named(name: str) -> list[str]:
    return [text for text in GAMES if text.startswith(name)]


@given(st.sampled_from(GAMES), SEEDS)
def test_what_is_dealt_is_a_position_of_the_game(text: str, seed: int) -> None:
    start = gridhouse.parse(f"{text}#{seed}")
    state = dealt(start, seed)
    assert gridhouse.parse(str(state)) == state
    assert dealt(start, seed) == state
    assert state.game.rules.current_player(state.position) == 0


@given(st.sampled_from(named("collapse")), SEEDS)
def test_collapse_deals_a_full_board(text: str, seed: int) -> None:
    state = walk(text, seed)
    position = dealt(state, seed).position
    digits = [
        position.cells[collapse.cell_of(position, at)] for at in range(state.game.num_actions)
    ]
    assert all(0 <= digit < state.game.values["digits"] for digit in digits)
    assert (position.tall, position.wide, position.score) == (position.rows, position.cols, 0)
    assert dealt(gridhouse.parse(f"{text}#1"), seed).position == position


def test_collapse_deals_every_digit_to_every_cell_alike() -> None:
    state = gridhouse.parse("collapse(rows=2,cols=3,digits=4)#0")
    numbers = random_source(1)
    seen: Counter[tuple[int, int]] = Counter()
    for _ in range(4000):
        state.game.rules.randomize_start(state.position, numbers)
        seen.update(enumerate(d for d in state.position.cells if d >= 0))
    assert len(seen) == 24
    assert chi_squared(seen.values(), 1000) < 65  # of 18 degrees of freedom: once in a million


def is_odd(order: list[int]) -> bool:
    """Tell whether a permutation is odd, by counting the pairs that stand the wrong way."""
    return sum(a > b for at, a in enumerate(order) for b in order[at:]) % 2 == 1


@pytest.mark.parametrize(("rows", "cols"), [(2, 2), (2, 3), (3, 2), (3, 3), (4, 5)])
def test_sliding_deals_what_can_be_solved_and_is_not(rows: int, cols: int) -> None:
    letters = "ABCDEFGHIJKLMNOPQRST"[: rows * cols]
    start = gridhouse.parse(f"sliding(rows={rows},cols={cols}) {letters[:-1]} /{letters}")
    for seed in range(100):
        state = dealt(start, seed)
        assert gridhouse.parse(str(state)) == state
        tiles = state.position.tiles
        assert tiles[-1] == 0
        assert sorted(tiles[:-1]) == sorted(map(ord, letters[:-1]))
        assert not is_odd(tiles[:-1])
        assert not state.is_terminal()


def test_sliding_deals_every_order_alike() -> None:
    state = gridhouse.parse("sliding(rows=2,cols=3) ABCDE /ABCDEF")
    numbers = random_source(1)
    seen: Counter[tuple[int, ...]] = Counter()
    for _ in range(5900):
        state.game.rules.randomize_start(state.position, numbers)
        seen[tuple(state.position.tiles)] += 1
    assert len(seen) == 59  # half of the orders of five letters, and not the solved one
    assert chi_squared(seen.values(), 100) < 125  # of 58 degrees of freedom: once in a million


def test_sliding_deals_a_solved_puzzle_if_there_is_no_other() -> None:
    assert dealt(gridhouse.parse("sliding(rows=2,cols=2) aa a/aaaa"), 1).is_terminal()


@given(st.sampled_from(named("tactego")), SEEDS)
def test_tactego_deals_both_armies_where_they_stand(text: str, seed: int) -> None:
    start = gridhouse.parse(f"{text}#{seed}")
    state = dealt(start, seed)
    before, after = start.position, state.position
    assert Counter(before.board) == Counter(after.board)
    for old, new in zip(before.board, after.board, strict=True):
        assert (old > 0) == (new > 0)
        assert (old < 0) == (new < 0)
    later = dealt(walk(text, seed), seed).position
    assert (later.turn, later.quiet, set(later.known)) == (0, 0, {0})
    # Only the armies and where they stand decide, not which start they stood in.
    assert dealt(state, seed) == state


def test_tactego_deals_every_arrangement_alike() -> None:
    state = gridhouse.parse("tactego(rows=2,cols=3,pieces=Fx1 Mx1 5x1)#0")
    numbers = random_source(1)
    seen: Counter[tuple[int, ...]] = Counter()
    for _ in range(3600):
        state.game.rules.randomize_start(state.position, numbers)
        seen[tuple(state.position.board)] += 1
    assert len(seen) == 36
    assert chi_squared(seen.values(), 100) < 90  # of 35 degrees of freedom: once in a million
