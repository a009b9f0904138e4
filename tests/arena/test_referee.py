"""The referee: ends by the rules, by the clock and by adjudication, and who is to blame."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

import gridhouse
from gridhouse.arena.competitors.base import Competitor, ForfeitError, Reply
from gridhouse.arena.records import GameRecord, Termination
from gridhouse.arena.referee import Adjudication, play
from gridhouse.arena.time_control import TimeControl

if TYPE_CHECKING:
    from collections.abc import Callable

    from gridhouse.arena.time_control import Turn
    from gridhouse.core.game import State

START = gridhouse.load("binary", rows=4, cols=4).new_initial_state()
NODES = TimeControl.parse("10n")


class Scripted(Competitor):
    """Plays the first legal move or by a script, and says the same value of each."""

    def __init__(
        self, value: float | None = None, script: Callable[[State], str] | None = None
    ) -> None:
        self.name = "scripted"
        self.value = value
        self.script = script or (lambda state: state.legal_moves()[0])
        self.turns: list[Turn] = []
        self.ends: list[float] = []

    def begin(self, state: State, side: int, number: int) -> None:
        pass

    def choose(self, state: State, turn: Turn) -> Reply:
        self.turns.append(turn)
        return Reply(self.script(state), self.value)

    def end(self, state: State, score: float) -> None:
        self.ends.append(score)


def test_a_game_ends_by_its_rules() -> None:
    one, other = Scripted(), Scripted()
    record = play(START, [one, other], NODES, number=7)
    state = START.clone()
    for move in record.moves:
        state.play(move.text)
    assert state.is_terminal()
    assert record.score == (1 + state.returns()[0]) / 2
    assert (record.termination, record.forfeited, record.number) == (Termination.RULES, "", 7)
    assert one.ends == other.ends == [record.score]
    assert GameRecord.from_dict(record.to_dict()) == record


@pytest.mark.parametrize(
    ("values", "score"), [((1.0, -1.0), 1.0), ((-0.95, 0.9), 0.0), ((1.0, 1.0), None)]
)
def test_values_that_agree_end_a_game_where_that_is_asked_for(
    values: tuple[float, float], score: float | None
) -> None:
    players = [Scripted(value) for value in values]
    record = play(START, players, NODES, adjudication=Adjudication(agreement=2))
    if score is None:
        assert record.termination is Termination.RULES
    else:
        assert (record.termination, record.score) == (Termination.AGREEMENT, score)
        assert len(record.moves) == 4
    assert play(START, players, NODES).termination is Termination.RULES


def test_values_near_zero_name_no_draw() -> None:
    players = [Scripted(0.0), Scripted(0.0)]
    record = play(START, players, NODES, adjudication=Adjudication(agreement=1))
    assert record.termination is Termination.RULES


def test_a_proof_and_a_length_end_a_game() -> None:
    def prover(state: State) -> float | None:
        return -1.0 if len(state.history()) == 3 else None

    record = play(START, [Scripted(), Scripted()], NODES, adjudication=Adjudication(prover))
    assert (record.termination, record.score) == (Termination.PROOF, 1.0)  # the second side loses
    record = play(START, [Scripted(), Scripted()], NODES, adjudication=Adjudication(length=5))
    assert (record.termination, record.score, len(record.moves)) == (Termination.LENGTH, 0.5, 5)


def test_an_illegal_move_loses_and_says_why() -> None:
    record = play(START, [Scripted(), Scripted(script=lambda _: "0 0 0")], NODES)
    assert (record.termination, record.score) == (Termination.ILLEGAL, 1.0)
    assert "occupied" in record.reason
    assert record.forfeited == "scripted"


def test_a_part_of_a_move_that_can_mean_one_alone_is_kept_in_full() -> None:
    few = gridhouse.parse("binary(rows=1,cols=2) 0.")  # the second side is to move
    record = play(few, [Scripted(), Scripted(script=lambda _: "1")], NODES)
    assert record.moves[0].text == "1 0 1"


def test_clocks_run_for_each_side_alone() -> None:
    def slow(state: State) -> str:
        time.sleep(0.05)
        return state.legal_moves()[0]

    control = TimeControl.parse("0.12+0", margin=0.0)
    one, other = Scripted(script=slow), Scripted()
    record = play(START, [one, other], control)
    assert (record.termination, record.score) == (Termination.TIME, 0.0)
    assert len(one.turns) == 3
    mine, theirs = zip(*(turn.clocks for turn in one.turns if turn.clocks), strict=True)
    assert mine[0] == 0.12
    assert mine[2] < 0.03
    assert theirs == pytest.approx((0.12,) * 3, abs=0.05)
    record = play(START, [Scripted(script=slow), Scripted()], TimeControl.parse("0.01s", margin=0))
    assert "were left" in record.reason
    longer = [TimeControl.parse("1s"), None]
    record = play(START, [Scripted(script=slow), Scripted()], NODES, own=longer)
    assert record.termination is Termination.RULES


def test_who_is_not_ready_loses_before_a_move() -> None:
    class Absent(Scripted):
        def begin(self, state: State, side: int, number: int) -> None:
            raise ForfeitError(Termination.CRASH, "it is not here")

    record = play(START, [Scripted(), Absent()], NODES)
    assert (record.score, record.termination, record.moves) == (1.0, Termination.CRASH, ())
    assert record.reason == "it is not here"
