"""Learning an evaluation: repeatable, and from what the search adds up."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import learn
import numpy as np

import gridhouse
from gridhouse.core.console import EXIT_USAGE
from gridhouse.search.engine import evaluation_of
from walks import walk

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from harness import Run

BOARD = "sinks(rows=8,cols=8)"


def test_a_small_run_is_repeatable_and_learns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRIDHOUSE_COMPILE", "never")
    runs = [learn.play(BOARD, 0, 2, 8, 0) for _ in range(2)]
    number = evaluation_of(gridhouse.load("sinks")).NUM_WEIGHTS
    files = [learn.written(learn.fitted(samples, number, 20), 1 << 15) for samples in runs]
    assert files[0] == files[1]
    assert len(files[0]) == 2 * number
    assert learn.loss(runs[0], learn.fitted(runs[0], number, 20)) < math.log(2)
    other = learn.play(BOARD, 1, 2, 8, 0)
    assert not np.array_equal(runs[0].used, other.used)


def test_what_is_learned_from_is_what_the_search_adds_up() -> None:
    state = walk(BOARD, 3)
    evaluation = evaluation_of(state.game)
    used = learn.reader(state.game)(state)
    value = sum(evaluation.weight(index) for index in used)
    assert len(evaluation.WEIGHTS) == 2 * evaluation.NUM_WEIGHTS
    assert evaluation.evaluate(state.position) == (value if state.current_player() == 0 else -value)


def test_a_game_without_weights_is_refused(benchmark: Callable[[str], Run]) -> None:
    line = "gridhouse: the evaluation of binary has no weights to learn\n"
    assert benchmark("learn.py binary(rows=3,cols=3) missing") == ("", line, EXIT_USAGE)
