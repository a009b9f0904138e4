"""Learning an evaluation: repeatable, and from what the search adds up."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import learn
import numpy as np
import pytest

import gridhouse
from gridhouse.core.console import EXIT_USAGE
from gridhouse.search.engine import evaluation_of
from gridhouse.search.montecarlo import VALUE_SCALE
from walks import walk

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness import Run

BOARDS = (
    "sinks(rows=8,cols=8)",
    "tactego(rows=6,cols=4,pieces=5x1 3x1 2x1 1x2 Fx1,hidden=True,limit=0)",
)


@pytest.mark.parametrize("board", BOARDS)
def test_a_small_run_is_repeatable_and_learns(board: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRIDHOUSE_COMPILE", "never")
    runs = [learn.play(board, 0, 2, 8, 0) for _ in range(2)]
    number = evaluation_of(gridhouse.parse(f"{board}#1").game).NUM_WEIGHTS
    files = [learn.written(learn.fitted(samples, number, 20), 1 << 15) for samples in runs]
    assert files[0] == files[1]
    assert len(files[0]) == 2 * number
    assert learn.loss(runs[0], learn.fitted(runs[0], number, 20)) < math.log(2)
    other = learn.play(board, 1, 2, 8, 0)
    assert not np.array_equal(runs[0].used, other.used)


@pytest.mark.parametrize("board", BOARDS)
def test_what_is_learned_from_is_what_the_search_adds_up(board: str) -> None:
    state = walk(board, 3)
    evaluation = evaluation_of(state.game)
    used, by_hand = learn.reader(state.game)(state)
    value = sum(evaluation.weight(index) for index in used)
    value += round(by_hand * VALUE_SCALE / 2)
    assert used
    assert (by_hand != 0) == hasattr(evaluation, "HAND")
    assert len(evaluation.WEIGHTS) == 2 * evaluation.NUM_WEIGHTS
    assert evaluation.evaluate(state.position) == (value if state.current_player() == 0 else -value)


def test_weights_are_written_on_the_scale_of_the_part_by_hand() -> None:
    alone, beside = (learn.written(np.array([0.1, -0.2, scale]), 1000) for scale in (0.0, 0.5))
    assert np.frombuffer(alone, "<u2").tolist() == [1010, 980]
    assert np.frombuffer(beside, "<u2").tolist() == [1020, 960]


def test_a_game_without_weights_is_refused(benchmark: Callable[[str], Run]) -> None:
    line = "gridhouse: the evaluation of binary has no weights to learn\n"
    assert benchmark("learn.py binary(rows=3,cols=3) missing") == ("", line, EXIT_USAGE)
