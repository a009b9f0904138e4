"""Tactego against a second implementation, on random armies and sessions."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridhouse.core.errors import ParameterError
from gridhouse.games.tactego import program, rules
from gridhouse.games.tactego.game import TactegoGame, parse_army
from harness import run_here
from naive.tactego import Tactego, read_pieces, session

if TYPE_CHECKING:
    from pathlib import Path

    from gridhouse.core.game import State

SEEDS = st.integers(0, 2**64)
NAMES = {"R": "Red", "B": "Blue"}
KINDS = ["F", "M", "S", "A", "1", "2", "5", "10", "300"]


def random_start(chance: random.Random, hidden: bool) -> tuple[State, Tactego]:
    """Return the same random armies on the same board in both implementations."""
    rows, cols = chance.randint(2, 6), chance.randint(1, 5)
    room = rows * cols // 2
    kinds = ["F"] + [chance.choice(KINDS) for _ in range(chance.randrange(room))]
    army = [(kind, kinds.count(kind)) for kind in dict.fromkeys(kinds)]
    limit = chance.choice((0, 0, 1, 5, 20))
    game = TactegoGame.from_army(army, rows, cols, hidden=hidden, limit=limit)
    seed = chance.getrandbits(32)
    pieces = read_pieces("\n".join(f"{kind} {count}" for kind, count in army))
    red, blue = pieces[:], pieces[:]
    dice = random.Random(str(seed))
    dice.shuffle(red)
    dice.shuffle(blue)
    return game.new_initial_state(seed), Tactego(rows, cols, red, blue, limit)


@given(SEEDS, st.booleans())
def test_games_are_the_same(seed: int, hidden: bool) -> None:
    chance = random.Random(seed)
    state, naive = random_start(chance, hidden)
    assert isinstance(state.game, TactegoGame)
    for _ in range(80):
        position = state.position
        assert "".join(line + "\n" for line in state.game.board(position)) == naive.board()
        winner = naive.winner()
        assert state.is_terminal() == (winner is not None or naive.drawn())
        moves = [tuple(map(int, move.split())) for move in state.legal_moves()]
        assert moves == naive.legal()
        for player, name in enumerate("RB"):
            same_view(state, naive, player, name, hidden)
        if winner is not None:
            assert state.game.outcome(position) == f"{NAMES[winner]} has won the game"
            assert state.returns()["RB".index(winner)] == 1
            break
        assert state.returns() == [0, 0]
        if naive.drawn():
            limit = state.game.limit
            assert state.game.outcome(position) == f"Draw: {limit} moves without a capture"
            break
        for cell in range(position.rows * position.cols):
            row, col = divmod(cell, position.cols)
            can_leave = not naive.start_refused(row, col) and not naive.stuck(row, col)
            assert rules.can_leave(position, cell) == can_leave
        row, col, to_row, to_col = chance.choice(moves)
        naive.play(row, col, to_row, to_col)
        state.play(f"{row} {col} {to_row} {to_col}")


def same_view(state: State, naive: Tactego, player: int, name: str, hidden: bool) -> None:
    """Compare what a player sees: every piece, and of the enemy's kinds those that fought."""
    seen = state.observation(player)
    assert isinstance(seen, rules.Position)
    assert isinstance(state.game, TactegoGame)
    known = naive.known(name)
    for (row, col), piece in naive.facts().items():
        text = state.game.piece_text(seen.board[row * seen.cols + col])
        visible = not hidden or piece[0] == name or (row, col) in known
        assert text == (piece if visible else piece[0] + "?")


@given(SEEDS)
def test_sessions_are_the_same(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    kinds = ["F", *chance.sample(KINDS, 5)]
    pieces = "".join(f"{kind} {chance.randint(1, 2)}\n" for kind in kinds)
    file = tmp_path / "some.pieces"
    file.write_text(pieces, encoding="utf-8")
    rows, cols = chance.randint(2, 7), chance.randint(2, 6)
    odd = ["", "1", "a b", "-1 0", "0 0 0", "9" * 5000 + " 1", "\udcff"]
    typed = f"{seed}\n{file}\n{rows}\n{cols}\n" + "".join(
        (
            f"{chance.randrange(rows)} {chance.randrange(cols)}"
            if chance.random() < 0.95
            else chance.choice(odd)
        )
        + chance.choice(("\n", "\r\n"))
        for _ in range(chance.randint(0, 400))
    )
    run = run_here(program.main, typed=typed)
    assert run.out == session(typed, {str(file): pieces})
    assert run.status == (2 if run.err else 0)


@given(st.lists(st.text(alphabet="0123 FMSAx-+\t", max_size=8), max_size=4))
def test_pieces_files_are_read_the_same(lines: list[str]) -> None:
    try:
        expected = read_pieces("\n".join(lines))
    except ValueError:
        with pytest.raises(ParameterError):
            parse_army(lines)
    else:
        assert [kind for kind, count in parse_army(lines) for _ in range(count)] == expected
