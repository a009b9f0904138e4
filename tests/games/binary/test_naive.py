"""The Binary Game against a second implementation, on random games and sessions."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridhouse.games.binary import patterns, program
from gridhouse.games.binary.game import BinaryGame
from harness import run_here
from naive.binary import Binary, session

SEEDS = st.integers(0, 2**64)


def random_size(chance: random.Random) -> tuple[int, int]:
    most = chance.choice((3, 6, 6, 9))
    return chance.randint(1, most), chance.randint(1, most)


@given(SEEDS)
def test_games_are_the_same(seed: int) -> None:
    chance = random.Random(seed)
    rows, cols = random_size(chance)
    game = BinaryGame(rows=rows, cols=cols)
    state = game.new_initial_state()
    naive = Binary(cols, rows)
    while True:
        assert state.board().split("\n") == ["".join(row) for row in naive.grid]
        moves = [tuple(map(int, move.split())) for move in state.legal_moves()]
        assert sorted(moves) == sorted(naive.legal())
        assert (naive.winner() is None) == (not state.is_terminal())
        x, y, digit = chance.randrange(cols), chance.randrange(rows), chance.randrange(2)
        refusal = state.refusal(game.action(x, y, digit))
        assert naive.refusal(x, y, digit) == (state.why_not(refusal) if refusal else None)
        if not moves:
            break
        x, y, digit = chance.choice(moves)
        naive.play(x, y, digit)
        state.apply_action(game.action(x, y, digit))
    won = naive.winner()
    assert won is not None
    assert state.game.outcome(state.position) == f"Player {won} wins"
    assert state.game.reason(state.position) == f"Player {3 - won} has no move left"
    assert state.returns()[won - 1] == 1
    assert sum(state.returns()) == 0


@given(SEEDS)
def test_policies_are_the_same(seed: int) -> None:
    chance = random.Random(seed)
    rows, cols = random_size(chance)
    state = BinaryGame(rows=rows, cols=cols).new_initial_state()
    naive = Binary(cols, rows)
    for _ in range(chance.randrange(rows * cols)):
        if not state.is_terminal():
            text = chance.choice(state.legal_moves())
            x, y, digit = map(int, text.split())
            state.play(text)
            naive.play(x, y, digit)
    weights: dict[tuple[str, int], float] = {}
    for _ in range(60):
        cells = "".join(chance.choice("01.X") for _ in range(2))
        pattern = cells + "." + "".join(chance.choice("01.X") for _ in range(2))
        if (pattern[::-1], 0) not in weights:
            weights[pattern, 0] = chance.randint(1, 50)
            weights[pattern, 1] = chance.randint(1, 500) / 10
    text = "".join(f"{pattern} {digit} {weight}\n" for (pattern, digit), weight in weights.items())
    ours = patterns.policy(state.position, patterns.parse_patterns(text))
    theirs = naive.policy(weights)
    assert [move[:3] for move in ours] == [move[:3] for move in theirs]
    assert [move[3] for move in ours] == pytest.approx([move[3] for move in theirs])


@given(SEEDS)
def test_sessions_are_the_same(seed: int) -> None:
    chance = random.Random(seed)
    words = ["-1", "0", "1", "2", "3", "4", "5", "20", "21", "a", "00", "+1", "9" * 5000, "\udcff"]
    lines = []
    for _ in range(chance.randint(0, 60)):
        name = chance.choice(
            ("play",) * 8
            + ("legal", "legal", "game", "show", "winner", "help", "exit", "rubbish")
            + ("timelimit", "policy_moves", "", "# remark", "  PLAY")
        )
        count = chance.choice((0, 1, 2, 3, 3, 3, 3, 4))
        if name in ("show", "winner", "policy_moves", "help", "exit", ""):
            count = chance.choice((0, 0, 0, 1))
        if name == "game":
            count = 2
        some = words[1:6] if chance.random() < 0.8 else words
        lines.append(" ".join([name, *(chance.choice(some) for _ in range(count))]))
    typed = chance.choice(("\n", "\r\n")).join(["game 4 3", *lines])
    run = run_here(program.main, typed=typed)
    assert (run.out, run.status) == (session(typed), 0)
