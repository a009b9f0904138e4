"""What each game's ``game.py`` says and reads beyond what the laws ask of all."""

from __future__ import annotations

import pytest

import gridhouse
from gridhouse.core.errors import GridhouseError, PositionError
from gridhouse.core.registry import game_class, parse_game
from gridhouse.games.binary import rules as binary_rules
from gridhouse.games.sinks import rules as sinks_rules
from gridhouse.games.tactego import rules as tactego_rules

SINKS = "sinks(rows=10,cols=10) "
TACTEGO = "tactego(rows=2,cols=3,pieces=Fx1 5x1,hidden=True) "
SLIDING = "sliding(rows=2,cols=2) "


@pytest.mark.parametrize("name", gridhouse.games())
def test_every_preset_can_be_started_and_every_word_is_there(name: str) -> None:
    cls = game_class(name)
    assert cls.usual in cls.presets
    for preset in cls.presets:
        game = cls.from_preset(preset)
        assert not game.new_initial_state(1).is_terminal()
        assert game.preset == preset
    refusals = type(next(iter(cls.refusals)))
    assert set(cls.refusals) == set(refusals) - {0}  # type: ignore[call-overload]
    assert all(word and word[0].islower() for word in map(str, cls.refusals.values()))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("binary(rows=2,cols=2) ..", "it needs 2 rows of 2 cells"),
        ("binary(rows=2,cols=2) .../..", "it needs 2 rows of 2 cells"),
        ("binary(rows=2,cols=2) .2/..", "a cell is 0, 1 or a dot"),
        ("binary(rows=1,cols=4) 000.", "three in a row at 2 0"),
        ("binary(rows=1,cols=4) 0.00", "too many 0 at 3 0"),
        ("collapse(rows=1,cols=2,digits=3) x 1.", "it begins with the score"),
        ("collapse(rows=1,cols=2,digits=3) -1 12", "it begins with the score"),
        ("collapse(rows=1,cols=2,digits=3) 0 1", "it needs 1 rows of 2 cells"),
        ("collapse(rows=1,cols=2,digits=3) 0 13", "a cell is a digit below 3 or a dot"),
        ("collapse(rows=1,cols=2,digits=3) 0 .1", "a digit hangs over a blank or right of a gap"),
        ("collapse(rows=2,cols=1,digits=3) 0 1/.", "a digit hangs over a blank or right of a gap"),
        (SINKS, "it begins with side, moves, bomb"),
        (SINKS + "ld 0 - 2/2 2/2 0/0 -", "it begins with side, moves, bomb"),
        (SINKS + "q 0 - 2/2 2/2 0/0 -", "it begins with side, moves, bomb"),
        (SINKS + "l 2 - 2/2 2/2 0/0 -", "it begins with side, moves, bomb"),
        (SINKS + "l 0 x 2/2 2/2 0/0 -", "the third part is b or -"),
        (SINKS + "l 0 - 2/3 2/2 0/0 -", "'2/3' is not two numbers from 0 to 2"),
        (SINKS + "l 0 - 2 2/2 0/0 -", "'2' is not two numbers from 0 to 2"),
        (SINKS + "l 0 - 2/2 a/2 0/0 -", "'a/2' is not two numbers from 0 to 2"),
        (SINKS + "l 0 - 2/2 2/2 0/-1 -", "'0/-1' is not two numbers from 0 to 99"),
        (SINKS + "l 0 - 2/2 2/2 0/0 33<43", "'33<43' is not the first move of this turn"),
        (SINKS + "l 1 - 2/2 2/2 0/0 33", "'33' is not the first move of this turn"),
        (SINKS + "l 1 - 2/2 2/2 0/0 xx<33", "'xx<33' is not the first move of this turn"),
        (SINKS + "l 0 - 2/2 2/2 0/0 - quiet=", "quiet is not a number from 0 to 100"),
        (SINKS + "l 0 - 2/2 2/2 0/0 - quiet=-1", "quiet is not a number from 0 to 100"),
        (SINKS + "l 0 - 2/2 2/2 0/0 - quiet=101", "quiet is not a number from 0 to 100"),
        (
            "sinks(rows=8,cols=8,limit=0) l 0 - 2/2 2/2 0/0 - quiet=1",
            "quiet is not a number from 0 to 0",
        ),
        (SINKS + "l 0 - 2/2 2/2 0/0 - quiet=1 quiet=2", "'quiet=2' is no object"),
        (SINKS + "l 0 - 2/2 2/2 0/0 - loud=1", "'loud=1' is no object"),
        (SINKS + "l 0 - 2/2 2/2 0/0 - laid", "'laid' is no object"),
        (SINKS + "l 0 - 2/2 2/2 0/0 - laid=1", "'1' is not two numbers from 0 to 1000000000"),
        (SINKS + "l 0 - 2/2 2/2 0/0 - laid=0/-1", "'0/-1' is not two numbers from 0 to 1000000000"),
        (SINKS + "l 0 - 2/2 2/2 0/0 - laid=1/0 bd00", "more bombs lie on the board than were laid"),
        (SINKS + "l 0 - 2/2 2/2 0/0 - laid=99/9 blown=101", "blown is not a number from 0 to 100"),
        (SINKS + "l 0 - 2/2 2/2 0/0 - laid=1/2 blown=2 bl00 bd01", "more pieces are blown up than"),
        (SINKS + "l 0 - 2/2 2/2 0/0 - q33", "'q33' is no object"),
        (SINKS + "l 0 - 2/2 2/2 0/0 - s133-", "'s133-' cannot lie or be frozen"),
        (SINKS + "l 0 - 2/2 2/2 0/0 - x33*", "'x33*' cannot lie or be frozen"),
        (SINKS + "l 0 - 2/2 2/2 0/0 - la33-", "'la33-' has no lying pose"),
        (SINKS + "l 0 - 2/2 2/2 0/0 - ld33|", "'ld33|' has no lying pose"),
        (SINKS + "l 0 - 2/2 2/2 0/0 - lb39-", "'lb39-' hangs over the edge"),
        (SINKS + "l 0 - 2/2 2/2 0/0 - la33 da33", "'da33' stands on another object"),
        (SINKS + "l 0 - 2/2 2/2 0/0 - la33 bl33", "a bomb lies under an object"),
        (SINKS + "l 0 - 2/2 2/2 0/0 - bl33 bd33", "no bomb can lie at 'bd33'"),
        (SINKS + "l 0 - 2/2 2/2 0/0 - bl33 la33", "a bomb lies under an object"),
        (SINKS + "l 1 - 2/2 2/2 0/0 44<43 la33", "'44<43' is not the first move of this turn"),
        ("collapse(rows=1,cols=2,digits=3) 007 12", "it begins with the score"),
        (f"collapse(rows=1,cols=2,digits=3) {'9' * 30} 12", "it begins with the score"),
        (SINKS + "l 0 - 2/2 2/2 0/0 - bl3x", "no bomb can lie at 'bl3x'"),
        (SLIDING + "ab c/abc", "it needs 4 letters, a slash, 4 letters"),
        (SLIDING + "ab c|abcd", "it needs 4 letters, a slash, 4 letters"),
        (SLIDING + "abcd/abcd", "just one cell of the puzzle is blank"),
        (SLIDING + "ab c/ab d", "just one cell of the puzzle is blank"),
        (SLIDING + "ab\tc/abcd", "just one cell of the puzzle is blank"),
        (SLIDING + "a \tc/a\tcd", "a letter is a printable character"),
        (SLIDING + "ab c/abdd", "puzzle and solution have other letters"),
        (TACTEGO + "G 0 RF,,/,,BF", "it begins with R or B, the side to move"),
        (TACTEGO + "RF,,/,,BF", "it begins with R or B, the side to move"),
        (TACTEGO + "R RF,,/,,BF", "'RF,,/,,BF' is no number of moves without a capture, 0 to 200"),
        (TACTEGO + "R x RF,,/,,BF", "'x' is no number of moves without a capture, 0 to 200"),
        (TACTEGO + "R -1 RF,,/,,BF", "'-1' is no number of moves without a capture, 0 to 200"),
        (TACTEGO + "R 01 RF,,/,,BF", "'01' is no number of moves without a capture, 0 to 200"),
        (TACTEGO + "R 201 RF,,/,,BF", "'201' is no number of moves without a capture, 0 to 200"),
        (
            "tactego(rows=2,cols=3,pieces=Fx1 5x1,limit=0) R 1 RF,,/,,BF",
            "'1' is no number of moves without a capture, 0 to 0",
        ),
        (TACTEGO + "R 0 RF,,", "it needs 2 rows of 3 cells"),
        (TACTEGO + "R 0 RF,/,BF", "it needs 2 rows of 3 cells"),
        (TACTEGO + "R 0 RF,GF,/,,BF", "'GF' is no piece of this game"),
        (TACTEGO + "R 0 RF,R6,/,,BF", "'R6' is no piece of this game"),
        (TACTEGO + "R 0 RF,!,/,,BF", "'!' is no piece of this game"),
        (TACTEGO + "R 0 RF,R?,/,,BF", "'R?' is no piece of this game"),
        (TACTEGO + "R 0 RF,,/,,BF'", '"BF\'" can neither move nor win a combat'),
        (TACTEGO + "R 0 RF!,,/,,BF", "'RF!' can neither move nor win a combat"),
        (TACTEGO + "R 0 RF,RF,/,,BF", "Red has more than 1 F"),
        (TACTEGO + "R 0 RF,,/B5,B5,BF", "Blue has more than 1 5"),
        (
            "tactego(rows=2,cols=3,pieces=Fx1 5x1) R 0 RF,R5!,/,,BF",
            "'R5!' is no piece of this game",
        ),
    ],
)
def test_texts_that_are_no_position_say_why(text: str, said: str) -> None:
    with pytest.raises(PositionError) as caught:
        gridhouse.parse(text)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("game", "file", "board"),
    [
        ("binary()", "..0\n1..\n", "..0\n1.."),
        ("collapse()", "1 2\n2 2\n", "1 2\n2 2"),
        ("sliding(rows=2,cols=2)", "aa\nlong\n", "\n".join(
            ("+---+---+", "| a | a |", "+---+---+", "| a |   |", "+---+---+"))),
        ("tactego(rows=3,cols=1,pieces=Fx1,hidden=yes)", "F 1\n", "  0\n0 RF\n1\n2 BF"),
    ],
)  # fmt: skip
def test_a_game_starts_from_a_file_of_its_own_kind(game: str, file: str, board: str) -> None:
    state = gridhouse.parse(f"{game}#1").game.start_from_file(file, 1)
    assert state.board() == board
    assert gridhouse.parse(str(state)) == state


def test_sinks_starts_from_a_setup_with_or_without_its_end() -> None:
    game = gridhouse.load("sinks")
    for end in ("", " #", "\n#\n"):
        state = game.start_from_file("s 1 0 0\nl a 3 3 d a 6 6" + end, 0)
        assert str(state).endswith("l 0 - 2/2 2/2 0/0 - s100 la33 da66")


def test_sinks_goes_on_with_the_moves_after_a_setup() -> None:
    game = gridhouse.load("sinks")
    setup = "s 1 0 0\nl a 3 3 d a 6 6\n#\n"
    state = game.start_from_file(setup + "3 3 u\n0 0 r 6 6\nd", 0)
    again = game.start_from_file(setup, 0)
    for move in ("3 3 u", "0 0 r", "6 6 d"):
        again.play(move)
    assert state == again
    assert state.history() == again.history()
    for wrong, named in (("3 3 u 0 0", "'0 0'"), ("3 3 u 9 9 l", "'9 9 l'")):
        with pytest.raises(GridhouseError, match=named):
            game.start_from_file(setup + wrong, 0)


def test_what_a_file_says_after_the_end_of_a_game_of_sinks_is_not_read() -> None:
    game = gridhouse.load("sinks", limit=3)
    setup = "s 1 0 0\nl a 3 3 d a 6 6\n#\n"
    moves = " 3 3 u 4 3 u 6 6 l "
    assert not game.start_from_file(setup + moves[:-7], 0).is_terminal()
    assert game.start_from_file(setup + moves + "what is this?", 0).is_terminal()


@pytest.mark.parametrize(
    ("name", "file"),
    [("binary", "..\n."), ("binary", ""), ("binary", "xx\nxx"), ("collapse", "1 a"),
     ("sinks", "s 1"), ("sinks", "x"), ("sinks", "l a 0 0"), ("sliding", "toolong"),
     ("tactego", "5 1"), ("tactego", "F 99")],
)  # fmt: skip
def test_a_file_that_is_none_of_its_kind_is_refused(name: str, file: str) -> None:
    with pytest.raises(GridhouseError):
        gridhouse.load(name).start_from_file(file, 0)


@pytest.mark.parametrize("setup", ["standard", "long", "corners"])
@pytest.mark.parametrize("rows", [8, 9, 10])
@pytest.mark.parametrize("cols", [8, 9, 10])
def test_every_setup_is_fair(rows: int, cols: int, setup: str) -> None:
    """The half turn with a swap of the players leaves a set-up as it is."""
    state = gridhouse.load("sinks", rows=rows, cols=cols, setup=setup).new_initial_state()
    position = state.position
    objects = set()
    worth = [0, 0]
    for cell, kind in enumerate(position.kind):
        if kind:
            is_piece = sinks_rules.is_piece(kind)
            side = sinks_rules.owner(kind) if is_piece else -1
            size = 2 if sinks_rules.is_cube(kind) or kind == sinks_rules.SINK_2 else 1
            shape = sinks_rules.worth(kind) if is_piece else kind
            objects.add((side, shape, *divmod(cell, cols), size))
            if is_piece:
                worth[side] += sinks_rules.worth(kind)
    turned = {
        (1 - side if side >= 0 else side, shape, rows - row - size, cols - col - size, size)
        for side, shape, row, col, size in objects
    }
    assert turned == objects
    assert worth[0] == worth[1] >= 4


@pytest.mark.parametrize("cols", range(1, 21))
def test_an_action_of_binary_has_its_row(cols: int) -> None:
    game = gridhouse.load("binary", rows=20, cols=cols)
    position = game.new_initial_state().position
    for action in range(game.num_actions):
        assert binary_rules.row_of(position, action) == action // (2 * cols)


def test_what_stands_beside_the_board() -> None:
    state = gridhouse.parse("collapse(rows=1,cols=3,digits=3) 7 22.")
    assert state.game.status(state.position) == "Score: 7"
    state.play("1 1")
    assert state.game.outcome(state.position) == "Score 11, the board is cleared"
    assert state.game.reason(state.position) == "The board is cleared"
    state = gridhouse.parse("collapse(rows=1,cols=3,digits=3) 0 12.")
    assert state.game.reason(state.position) == "No group is left"
    state = gridhouse.parse(SLIDING + "ac f/acfc")
    assert state.game.status(state.position) == "Solution: ac fc"
    state.play("R")
    assert state.game.outcome(state.position) == "Solved"
    assert state.game.reason(state.position) == "Solved"
    state = gridhouse.load("sinks").new_initial_state()
    assert state.game.status(state.position) == (
        "Light: sunk 0 of 4, freezings 2, sink moves 2 - Dark: sunk 0 of 4, freezings 2, "
        "sink moves 2 - moves left in this turn: 2"
    )


def test_any_field_of_a_piece_names_it_but_its_action_is_one() -> None:
    state = gridhouse.load("sinks").new_initial_state()
    assert state.string_to_action("6 4 l") == state.string_to_action("5 3 l")
    inner = 6 * 64
    assert state.refusal(inner) == sinks_rules.Refusal.NOT_ANCHOR
    for text in ("9 9 9", "10 0 l", "0 x l", "0 0 lr"):
        assert state.game.read_move(state.position, text) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("binary(rows=99999999999999999999)#1", "rows: '99999999999999999999' is not in 1..20"),
        ("binary(rows=21)#1", "rows: 21 is not in 1..20"),
        (
            "tactego(pieces=Fx1 5x99999999999999999999)#1",
            "line 2: no board has room for '99999999999999999999' pieces",
        ),
        (
            f"tactego(pieces=Fx1 {'9' * 41}x1)#1",
            "line 2: a strength has at most 40 digits, not 41",
        ),
    ],
)
def test_numbers_are_told_as_they_were_typed(text: str, message: str) -> None:
    with pytest.raises(GridhouseError) as caught:
        gridhouse.parse(text)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("text", "may"),
    [
        ("collapse(rows=7,cols=11,digits=6)", True),
        ("collapse(rows=7,cols=11,digits=5)", False),
        ("collapse(rows=5,cols=8,digits=6)", False),
        ("sliding(rows=4,cols=3)", True),
        ("sliding(rows=4,cols=4)", False),
        ("binary(rows=7,cols=7)", False),
    ],
)
def test_a_game_may_be_the_puzzle_of_the_day(text: str, may: bool) -> None:
    assert parse_game(text)[0].may_be_daily() == may


def test_strengths_of_any_length_are_told_apart() -> None:
    army = f"Fx1 7x1 12x1 1000x1 {'9' * 19}x1 {'8' * 22}x1"
    game = gridhouse.load("tactego", rows=4, cols=6, pieces=army)
    state = game.new_initial_state(1)
    assert gridhouse.parse(str(state)) == state
    first = tactego_rules.NUMBER
    texts = [game.names[kind] for kind in range(first, first + 5)]  # type: ignore[attr-defined]
    assert texts == ["7", "12", "1000", "9" * 19, "8" * 22]


@pytest.mark.untraced
def test_a_new_puzzle_is_not_solved_already_if_that_can_be() -> None:
    easy = gridhouse.load("sliding", rows=2, cols=2)
    assert not any(easy.new_initial_state(seed).is_terminal() for seed in range(300))
    assert easy.start_from_file("aa", 1).is_terminal()


def test_small_letters_move_the_empty_cell_too() -> None:
    state = gridhouse.parse(SLIDING + "cfa /acfc")
    assert state.string_to_action("u") == state.string_to_action("U")


def test_what_is_known_in_the_hidden_game() -> None:
    state = gridhouse.parse(
        "tactego(rows=3,cols=3,pieces=Fx1 5x1 3x1 Mx1,hidden=True) R 0 RF,R5,RM/R3,,/BM,B5,BF"
    )
    assert state.observation_string(0).endswith("R 0 RF,R5,RM/R3,,/B?,B?,B?")
    assert state.observation_string(1).endswith("R 0 R?,R?,R?/R?,,/BM,B5,BF")
    state.play("0 1 1 1")
    assert state.observation_string(1).endswith("B 1 R?,,R?/R?,R?',/BM,B5,BF")
    state.play("2 1 1 1")
    assert state.observation_string(0).endswith("R 0 RF,,RM/R3,B5!,/B?,,B?")
    state.play("1 0 1 1")  # the weaker attacker is lost, and shows nothing more of itself
    assert state.observation_string(0).endswith("B 0 RF,,RM/,B5!,/B?,,B?")
    state.play("1 1 0 2")  # both are gone
    assert state.observation_string(0).endswith("R 0 RF,,/,,/B?,,B?")
    assert state.observation(0).known == [0] * 9
    defended = gridhouse.parse(
        "tactego(rows=2,cols=2,pieces=Fx1 5x1 3x0,hidden=True) R 0 RF,R5/B5,BF"
    )
    assert defended.observation(1).board[0] == tactego_rules.UNKNOWN


def test_a_defender_that_wins_is_known() -> None:
    state = gridhouse.parse(
        "tactego(rows=2,cols=4,pieces=Fx1 5x1 3x1,hidden=True) R 0 RF,R3,,/B5,BF,,"
    )
    state.play("0 1 1 0")
    assert state.observation_string(0).endswith("B 0 RF,,,/B5!,B?,,")
