"""What the house adds to Tactego's document: the draw."""

from __future__ import annotations

import pytest

import gridhouse
from gridhouse.core.errors import IllegalMoveError
from gridhouse.games.tactego.rules import Refusal

DRAWISH = "tactego(rows=4,cols=3,pieces=Fx1 5x1 3x1,limit=4) "
QUIET_MOVES = ("0 1 1 1", "3 1 2 1", "1 1 0 1", "2 1 3 1")


def test_so_many_moves_without_a_capture_are_a_draw() -> None:
    state = gridhouse.parse(DRAWISH + "R 0 RF,R5,/,,/,,/,B3,BF")
    for count, move in enumerate(QUIET_MOVES):
        assert state.position.quiet == count
        assert not state.is_terminal()
        state.play(move)
    assert str(state).endswith("limit=4) R 4 RF,R5,/,,/,,/,B3,BF")
    assert state.is_terminal()
    assert state.legal_actions() == []
    assert state.returns() == [0, 0]
    assert state.game.outcome(state.position) == "Draw: 4 moves without a capture"
    with pytest.raises(IllegalMoveError, match="the game is over") as caught:
        state.play("0 1 1 1")
    assert caught.value.refusal == Refusal.GAME_OVER
    state.undo()
    assert not state.is_terminal()


def test_a_draw_is_read_as_one() -> None:
    board = "RF,R5,/,,/,,/,B3,BF"
    assert gridhouse.parse(DRAWISH + "R 4 " + board).is_terminal()
    assert not gridhouse.parse(DRAWISH + "R 3 " + board).is_terminal()


@pytest.mark.parametrize(
    ("board", "winner"),
    [("R 4 RF,R5,/,,/,,/,B3,", "R"), ("B 4 ,R5,/,,/,,/,B3,BF", "B"),
     ("B 4 RF,R5,/,,/,,/,,BF", "R"), ("R 4 RF,,/,,/,,/,B3,BF", "B")],
)  # fmt: skip
def test_who_has_won_does_not_draw(board: str, winner: str) -> None:
    state = gridhouse.parse(DRAWISH + board)
    assert state.game.outcome(state.position) == f"{winner} has won the game"
    assert state.returns()["RB".index(winner)] == 1
    assert state.legal_actions() == []


def test_the_last_quiet_move_can_win() -> None:
    state = gridhouse.parse(DRAWISH + "R 3 RF,R5,/,,/,,/,,BF")
    state.play("0 1 1 1")
    assert str(state).endswith("limit=4) B 4 RF,,/,R5,/,,/,,BF")
    assert state.returns() == [1, -1]


@pytest.mark.parametrize("defender", ["B5", "B3"])
@pytest.mark.parametrize("attacker", ["R5", "R3"])
def test_whatever_is_taken_the_count_begins_anew(attacker: str, defender: str) -> None:
    state = gridhouse.parse(DRAWISH + f"R 3 RF,,/,{attacker},/,{defender},/,,BF")
    state.play("1 1 2 1")
    assert state.position.quiet == 0


def test_without_a_limit_nothing_is_counted() -> None:
    state = gridhouse.parse(DRAWISH.replace("=4)", "=0)") + "R 0 RF,R5,/,,/,,/,B3,BF")
    for _ in range(60):
        for move in QUIET_MOVES:
            state.play(move)
    assert str(state).endswith("limit=0) R 0 RF,R5,/,,/,,/,B3,BF")
    assert not state.is_terminal()


def test_the_limit_is_200_and_a_file_of_pieces_keeps_it() -> None:
    assert gridhouse.load("tactego").values["limit"] == 200
    state = gridhouse.load("tactego", limit=7, hidden=True).start_from_file("F 1\n5 1\n", 1)
    assert state.game == gridhouse.load("tactego", pieces="Fx1 5x1", limit=7, hidden=True)
    assert state.position.limit == 7
