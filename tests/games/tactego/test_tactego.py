"""What the house adds to Tactego's document: the draw, and guesses in the hidden game."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gridhouse
from gridhouse.conformance import random_source
from gridhouse.core.errors import IllegalMoveError
from gridhouse.games.tactego import rules
from gridhouse.games.tactego.rules import Position, Refusal
from walks import walk

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
    [("R 4 RF,R5,/,,/,,/,B3,", "Red"), ("B 4 ,R5,/,,/,,/,B3,BF", "Blue"),
     ("B 4 RF,R5,/,,/,,/,,BF", "Red"), ("R 4 RF,,/,,/,,/,B3,BF", "Blue")],
)  # fmt: skip
def test_who_has_won_does_not_draw(board: str, winner: str) -> None:
    state = gridhouse.parse(DRAWISH + board)
    assert state.game.outcome(state.position) == f"{winner} has won the game"
    assert state.returns()[state.game.players.index(winner)] == 1
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


SPECIAL = "tactego(rows=5,cols=5,pieces=Fx1 Ax1 Sx2 Mx2 10x1 2x3,hidden=True)"
SEEDS = st.integers(0, 2**32)


def guessed(position: Position, player: int, seed: int) -> Position:
    """Return what a player guesses of a position."""
    other = position.copy()
    rules.resample(other, player, random_source(seed))
    return other


def hidden_from(position: Position, player: int) -> Position:
    """Return what a player sees of a position."""
    seen = position.copy()
    rules.redact(seen, player)
    return seen


def swap_secrets(position: Position, owner: int, chance: random.Random) -> None:
    """Exchange kinds of the owner's that nobody has seen; what has moved stays movable."""
    cells = [cell for cell in range(len(position.board)) if rules.is_secret(position, cell, owner)]
    for _ in range(100 if len(cells) > 1 else 0):
        pair = chance.sample(cells, 2)
        kinds = [position.board[cell] for cell in pair]
        moved = any(position.known[cell] == rules.MOVED for cell in pair)
        if not (moved and any(abs(kind) in rules.IMMOVABLE for kind in kinds)):
            position.board[pair[0]], position.board[pair[1]] = reversed(kinds)


@given(SEEDS, SEEDS, st.integers(0, 1))
def test_a_guess_fits_what_is_seen_and_depends_on_nothing_else(
    start: int, seed: int, player: int
) -> None:
    position = walk(SPECIAL, start).position
    guess = guessed(position, player, seed)
    assert hidden_from(guess, player) == hidden_from(position, player)
    assert Counter(guess.board) == Counter(position.board)
    assert guess.flags_left == position.flags_left
    for piece, known in zip(guess.board, guess.known, strict=True):
        assert not (known and abs(piece) in rules.IMMOVABLE)
    swap_secrets(position, 1 - player, random.Random(seed))
    assert guessed(position, player, seed) == guess


def test_every_guess_is_as_likely_as_any_other() -> None:
    state = gridhouse.parse(
        "tactego(rows=2,cols=5,pieces=Fx1 Mx1 5x1 3x1 7x1,hidden=True)"
        " R 0 RF,R5,,,/BF,BM,B5',B3,B7!"
    )
    numbers = random_source(1)
    draws = 12_000
    seen: Counter[tuple[int, ...]] = Counter()
    for _ in range(draws):
        position = state.position.copy()
        rules.resample(position, 0, numbers)
        seen[tuple(position.board)] += 1
    assert len(seen) == 12  # 5 or 3 has moved, the three others stand anywhere
    expected = draws / 12
    chi_squared = sum((count - expected) ** 2 / expected for count in seen.values())
    assert chi_squared < 48  # of 11 degrees of freedom: once in a million by chance


def test_there_is_nothing_to_guess_where_everything_is_seen() -> None:
    position = walk(SPECIAL.replace("True", "False"), 3).position
    assert guessed(position, 0, 1) == guessed(position, 1, 1) == position


@pytest.mark.parametrize(
    ("attacker", "defender", "says"),
    [
        ("R5", "B5", ["5 beats 5", "Your 5 beats the 5", "The 5 beats your 5"]),
        ("R3", "B5", ["3 loses to 5", "Your 3 loses to the 5", "The 3 loses to your 5"]),
        ("RS", "BM", [
            "Sapper takes mine", "Your sapper takes the mine", "The sapper takes your mine"
        ]),
        ("R5", "BF", ["5 captures flag", "Your 5 captures the flag", "The 5 captures your flag"]),
        ("R5", "BM", [
            "5 falls together with mine",
            "Your 5 falls together with the mine",
            "The 5 falls together with your mine",
        ]),
        ("R5", "", ["", "", ""]),
    ],
)  # fmt: skip
def test_fights_are_told_in_the_viewers_words(
    attacker: str, defender: str, says: list[str]
) -> None:
    army = "pieces=Fx2 5x1 3x1 Sx1 Mx1"
    state = gridhouse.parse(
        f"tactego(rows=6,cols=2,{army}) R 0 {attacker},RF/{defender},/,/,/,/BF,"
    )
    action = state.string_to_action("0 0 1 0")
    assert [state.game.comment(state.position, action, who) for who in (None, 0, 1)] == says


def test_the_fallen_are_counted_by_kind() -> None:
    game = "tactego(rows=4,cols=2,pieces=Fx1 5x1 Mx2)"
    fallen = gridhouse.parse(f"{game} R 0 RF,/RM,/,/BF,B5").game
    state = gridhouse.parse(f"{game} R 0 RF,/RM,/,/BF,B5")
    told = [(each.side, each.count, each.label) for each in fallen.losses(state.position)]
    assert told == [
        (0, 2, "fallen"), (0, 1, "mine"), (0, 1, "strength 5"), (1, 2, "fallen"), (1, 2, "mine")
    ]  # fmt: skip
    unhurt = gridhouse.parse(f"{game} R 0 RF,R5/RM,RM/,/BF,B5")
    assert {each.side for each in unhurt.game.losses(unhurt.position)} == {1}


def test_the_legend_has_each_kind_of_the_army_with_its_number() -> None:
    game = gridhouse.load("tactego", rows=6, cols=4, pieces="Fx1 0x1 12x1 2x2 Sx1 4x0")
    told = [(each.icon, each.count) for each in game.legend()]
    assert told == [("12", 1), ("2", 2), ("0", 1), ("S", 1), ("F", 1)]
    assert [each.label for each in game.legend()][-2:] == [
        "sapper: removes mines, else strength 0", "flag: is to be captured"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("start", "says"),
    [
        ("R 0 RF,R5/,/,B5", "Red captured the flag"),
        ("B 0 RF,R5/,/,BF", "Blue cannot move"),
        ("R 200 RF,R5/,/B5,BF", "200 moves without a capture"),
    ],
)
def test_the_reason_of_every_end(start: str, says: str) -> None:
    state = gridhouse.parse(f"tactego(rows=3,cols=2,pieces=Fx1 5x1) {start}")
    assert state.is_terminal()
    assert state.game.reason(state.position) == says
