"""What the house adds to the document of Sinks: the draw, and guesses at the other's bombs."""

from __future__ import annotations

from collections import Counter
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gridhouse
import walks
from gridhouse.conformance import random_source
from gridhouse.core import chance
from gridhouse.games.sinks import rules
from gridhouse.games.sinks.rules import Position, Refusal

DRAWISH = "sinks(rows=10,cols=10,limit=8) l 0 - 2/2 2/2 0/0 - "


def test_a_sinks_game_in_which_nothing_is_lost_is_a_draw() -> None:
    state = gridhouse.parse(DRAWISH + "la33 da66")
    moves = ["3 3 r", "3 4 u", "6 6 l", "6 5 d", "4 4 l", "4 3 d", "5 5 r"]
    for number, move in enumerate(moves, 1):
        state.play(move)
        assert state.position.quiet == number
        assert not state.is_terminal()
    assert state.game.status(state.position).endswith("left in this turn: 1 - moves to a draw: 1")
    last = state.game.status_tokens(state.position)[-1]
    assert (last.label, last.icon) == ("moves to a draw", "draw")
    state.play("5 6 u")
    assert state.is_terminal()
    assert state.returns() == [0, 0]
    assert state.legal_actions() == []
    assert {state.refusal(action) for action in range(600)} == {Refusal.GAME_OVER}
    assert state.game.outcome(state.position) == "Draw: 8 moves without a sinking or a loss"
    assert state.game.reason(state.position) == "8 moves without a sinking or a loss"
    assert str(state).endswith("l 0 - 2/2 2/2 0/0 - quiet=8 la33 da66")
    assert gridhouse.parse(str(state)).returns() == [0, 0]
    state.undo()
    assert not state.is_terminal()


def test_near_a_draw_the_moves_that_are_left_make_another_position() -> None:
    """A search that took them for one would not see the draw."""
    one, other = (gridhouse.parse(f"{DRAWISH}quiet={quiet} la33 da66") for quiet in (6, 7))
    assert rules.key(one.position) != rules.key(other.position)


@pytest.mark.parametrize(
    ("objects", "move", "quiet"),
    [
        ("quiet=6 la33 da66", "3 3 r", 7),
        ("quiet=6 ld33 da66", "3 3 r", 7),
        ("quiet=6 la33 da66 s100", "0 0 r", 7),
        ("quiet=6 la33 da66", "0 0 b", 6),
        ("quiet=6 la33 da66", "6 6 f", 6),
        ("quiet=7 la33 lb35 da66 s134", "3 3 r", 0),
        ("quiet=7 la33 da66 lb35 s123", "2 3 u", 0),
        ("quiet=7 la33 da66 db55 s165", "6 5 r", 0),
        ("quiet=7 la33 lb35 da66 bd34", "3 3 r", 0),
    ],
)
def test_what_is_sunk_or_blown_up_begins_the_count_again(
    objects: str, move: str, quiet: int
) -> None:
    state = gridhouse.parse(DRAWISH + objects)
    state.play(move)
    assert state.position.quiet == quiet
    assert not state.is_terminal()


def test_quiet_moves_are_not_counted_without_a_limit() -> None:
    state = gridhouse.parse("sinks(rows=8,cols=8,limit=0) l 0 - 2/2 2/2 0/0 - la33 da44")
    state.play("3 3 r")
    assert state.position.quiet == 0


def test_a_win_or_a_loss_comes_before_a_draw() -> None:
    around = "x32 x43 x34 x22 x24 x13 da66"
    lost = gridhouse.parse(DRAWISH + f"quiet=7 la33 {around}")
    lost.play("3 3 d")
    assert lost.position.quiet == 8
    assert lost.game.outcome(lost.position) == "Light loses"
    assert lost.game.reason(lost.position) == "Light cannot move"
    assert lost.returns() == [-1, 1]
    won = gridhouse.parse(DRAWISH.replace("0/0", "1/4") + "quiet=8 la33 da66")
    assert won.game.outcome(won.position) == "Dark wins!"
    assert won.game.reason(won.position) == "Dark has sunk 4 points"
    assert won.returns() == [-1, 1]
    drawn = gridhouse.parse(DRAWISH + "quiet=8 la33 da66")
    assert drawn.returns() == [0, 0]
    assert "moves" not in {token.icon for token in won.game.status_tokens(won.position)}
    assert "left in this turn" not in won.game.status(won.position)


def test_what_a_roll_covers_and_what_stands_in_its_way() -> None:
    state = gridhouse.parse(DRAWISH + "lb33 da66 x35 x63")
    for move, covered, blocking in (
        ("3 3 l", [31, 32], []),
        ("3 3 r", [34, 35], [35]),
        ("3 3 u", [43, 53], []),
        ("3 3 f", [], []),
        ("6 6 l", [65], []),
    ):
        action = state.game.read_move(state.position, move)
        assert action is not None
        assert (state.landing(action), state.obstacles(action)) == (covered, blocking)


BOMBS = "sinks(rows=8,cols=8) l 0 - 2/2 2/2 0/0 - "
BOARD = "la33 lb35 da44 db43"


def test_what_everybody_knows_of_bombs() -> None:
    state = gridhouse.parse(BOMBS + BOARD)
    for move in ("3 4 b", "3 3 l", "3 5 u", "3 4 b", "4 4 u", "5 4 u"):
        state.play(move)
    # Dark's bomb has met Light's.
    assert str(state).endswith("- quiet=4 laid=1/1 la32 db43 lb45| da64")
    state.play("3 1 b")
    assert state.observation_string(1).endswith("- quiet=4 laid=2/1 la32 db43 lb45| da64")
    assert state.observation_string(0).endswith("- quiet=4 laid=2/1 la32 db43 lb45| da64 bl31")
    state.play("3 2 l")
    assert str(state).endswith("31<32 laid=2/1 blown=1 db43 lb45| da64".replace("31<32", "-"))
    assert gridhouse.parse(str(state)) == state


def test_bombs_are_counted_beside_the_board() -> None:
    state = gridhouse.parse(BOMBS + BOARD + " bl00 bl01 bd02")
    tokens = state.game.status_tokens(state.position)
    each = ["sunk", "freeze", "push", "bomb"]
    assert [token.icon for token in tokens] == [*each, *each, "moves"]
    assert [token.count for token in tokens if token.icon == "bomb"] == [2, 1]


def test_bombs_that_lie_on_the_board_were_laid() -> None:
    position = gridhouse.parse(BOMBS + BOARD + " bl00 bl01 bd02").position
    assert (position.laid, position.blown) == ([2, 1], 0)


def guessed(text: str, player: int, seed: int = 1) -> Position:
    """Return what a player guesses of a position."""
    position: Position = gridhouse.parse(text).position
    rules.resample(position, player, random_source(seed))
    return position


@pytest.mark.parametrize(
    ("bombs", "player", "count"),
    [
        ("", 0, 0),
        ("laid=0/3", 0, 3),
        ("laid=0/3", 1, 0),
        ("bd00 bd01 bl02", 0, 2),
        ("bd00 bd01 bl02", 1, 1),
        ("laid=0/3 blown=1", 0, 2),
        ("laid=1/3 blown=1", 0, 3),
        ("laid=1/3 blown=2 bl00", 0, 1),
        ("laid=4/1 blown=4", 0, 1),
        ("laid=1/4 blown=4", 0, 1),
        ("laid=0/4 blown=4", 0, 0),
        ("laid=0/500", 0, 60),
        ("laid=1/500 bl00", 0, 59),
    ],
)
def test_so_many_bombs_are_guessed(bombs: str, player: int, count: int) -> None:
    position = guessed(BOMBS + f"{bombs} {BOARD}", player)
    assert rules.num_bombs(position, 1 - player) == count
    assert not any(bomb and position.covered[cell] for cell, bomb in enumerate(position.bomb))
    assert not any(position.bomb[64:])


def test_the_other_bombs_are_guessed_at_no_field_more_than_at_another() -> None:
    position = gridhouse.parse(BOMBS + f"laid=1/3 bl00 {BOARD}").position
    numbers, draws = random_source(1), 3000
    seen: Counter[int] = Counter()
    for _ in range(draws):
        rules.resample(position, 0, numbers)
        seen.update(cell for cell, bomb in enumerate(position.bomb) if bomb == 2)
    fields = 64 - 4 - 1
    assert len(seen) == fields
    expected = 3 * draws / fields
    chi_squared = sum((count - expected) ** 2 / expected for count in seen.values())
    assert chi_squared < 127  # of 58 degrees of freedom: once in a million


@given(st.sampled_from([text for text in walks.GAMES if "sinks" in text]), st.integers(0, 2**32))
def test_one_number_stands_for_each_legal_action(text: str, seed: int) -> None:
    state = walks.walk(text, seed)
    rng = random_source(0)
    if state.is_terminal():
        return
    with mock.patch.object(chance, "randbelow", return_value=0) as randbelow:
        rules.sample_candidate(state.position, rng)
        (_, numbers), _ = randbelow.call_args
        sampled: Counter[int] = Counter()
        for randbelow.return_value in range(numbers):
            sampled[rules.sample_candidate(state.position, rng)] += 1
    legal = state.legal_actions()
    assert [sampled[action] for action in legal] == [1] * len(legal)
