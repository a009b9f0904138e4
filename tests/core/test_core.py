"""What all games share: positions, parameters, texts, errors, the registry."""

from __future__ import annotations

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gridhouse
from gridhouse.core import game, notation, position, registry
from gridhouse.core.errors import (
    AmbiguousMoveError,
    GridhouseError,
    IllegalMoveError,
    InvalidMoveError,
    ParameterError,
    PlayerError,
    PositionError,
    UnknownGameError,
)
from gridhouse.games.sliding import program as sliding_program


class Small(position.Position):
    """A position for these tests."""

    number = position.field("int8")
    pair = position.field("int16", 2)
    cells = position.field("int8", "cells")


def test_a_position_is_zero_when_new_and_compares_by_value() -> None:
    one, two = Small(cells=3), Small(cells=3)
    assert (one.number, one.pair, one.cells) == (0, [0, 0], [0, 0, 0])
    assert one == two
    two.cells[1] = 5
    assert one != two
    assert one != Small(cells=4)
    assert one != "something else"
    with pytest.raises(TypeError):
        hash(one)


def test_a_copy_shares_nothing() -> None:
    one = Small(cells=2)
    two = one.copy()
    assert two == one
    two.cells[0] = two.pair[0] = two.number = 7
    assert one == Small(cells=2)


def test_fields_are_declared_once_and_in_order() -> None:
    kinds = [(name, field.dtype, field.size) for name, field in Small.fields.items()]
    assert kinds == [("number", "int8", None), ("pair", "int16", 2), ("cells", "int8", "cells")]


@given(st.integers(-(10**17), 10**17))
def test_integers_parse_back(number: int) -> None:
    assert notation.parse_integer(str(number)) == number
    assert notation.parse_integer(f"{number:+030d}") == number


@pytest.mark.parametrize(
    "text", ["", "+", "-", "1_0", " 1", "1 ", "1.0", "0x1", "٣", "--1", "\x00"]
)
def test_what_is_no_integer(text: str) -> None:
    assert notation.parse_integer(text) is None


def test_numbers_of_thousands_of_digits_are_far_off_every_board() -> None:
    assert notation.parse_integer("9" * 100_000) == 10**18
    assert notation.parse_integer("-" + "9" * 5000) == -(10**18)
    assert notation.parse_integer("0" * 5000 + "7") == 7
    assert str(notation.parse_integer("-" + "9" * 19)) == f"'-{'9' * 19}'"
    assert notation.parse_integers("1  -2\t3", 3) == [1, -2, 3]
    assert notation.parse_integers("1 2", 3) is None
    assert notation.parse_integers("1 x 3", 3) is None


def test_what_is_shown_of_a_text_is_one_short_line() -> None:
    assert notation.shown("a\nb\udcff\u202e") == "'a\\nb\\udcff\\u202e'"
    assert notation.shown("Übung.txt") == "'Übung.txt'"
    assert notation.shown("x" * 1000) == "'" + "x" * 40 + "...'"
    assert notation.shown("\udcff" * 40) == "'" + "\\udcff" * 13 + "...'"  # none is printable
    assert notation.one_line("a\nb") == "a\\nb"
    assert notation.one_line("x" * 500) == "x" * 500
    assert notation.one_line("\udcff" * 500) == ("\\udcff" * 500)[:500] + "..."


def test_a_seed_is_its_text() -> None:
    for name in ("collapse", "sliding", "tactego"):
        game = gridhouse.load(name)
        assert game.new_initial_state(12) == game.new_initial_state("12")
        assert game.new_initial_state("\udcff") == gridhouse.parse(f"{game}#\udcff")


def test_the_games_are_listed_also_after_they_are_loaded() -> None:
    names = gridhouse.games()
    assert {"binary", "collapse", "sinks", "sliding", "tactego"} <= set(names)
    for name in names:
        assert gridhouse.load(name).name == name
    assert gridhouse.games() == names


@pytest.mark.parametrize("module", [registry, sliding_program])
def test_the_examples_in_docstrings(module: object) -> None:
    assert doctest.testmod(module).failed == 0  # type: ignore[arg-type]
    assert doctest.testmod(module).attempted > 0  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("binary", {"rows": 0}, "rows: 0 is not in 1..20"),
        ("binary", {"cols": 21}, "cols: 21 is not in 1..20"),
        ("binary", {"rows": "6"}, "rows: '6' is not a whole number"),
        ("binary", {"rows": True}, "rows: 'True' is not a whole number"),
        ("binary", {"height": 6}, "binary has no parameter 'height'; it has rows, cols"),
        ("binary", {"self": 6}, "binary has no parameter 'self'; it has rows, cols"),
        ("binary", {"name": 6}, "binary has no parameter 'name'; it has rows, cols"),
        ("collapse", {"digits": 11}, "digits: 11 is not in 1..10"),
        ("sinks", {"rows": 7}, "rows: 7 is not in 8..10"),
        ("sinks", {"limit": -1}, "limit: -1 is not in 0..10000"),
        ("sinks", {"setup": 7}, "setup: '7' is not a text"),
        ("sinks", {"setup": "la00"}, "setup: 'la00': a piece starts inside the outer three rows"),
        ("sinks", {"setup": "s144"}, "setup: 's144': a sink starts in the outer three rows"),
        ("sinks", {"setup": "s100 s110"}, "a sink cannot be next to another sink"),
        ("sinks", {"setup": "x00 x00"}, "setup: 'x00': the way is not free"),
        ("sinks", {"setup": "q00"}, "setup: 'q00' is no object"),
        ("sinks", {"setup": "le33"}, "setup: 'le33' is no object"),
        ("sinks", {"setup": "s333"}, "setup: 's333' is no object"),
        ("sinks", {"setup": "lxx"}, "setup: 'lxx' is no object"),
        ("sliding", {"cols": 15}, "cols: 15 is not in 2..14"),
        ("tactego", {"hidden": 1}, "hidden: '1' is not true or false"),
        ("tactego", {"pieces": "5x1"}, "there is no flag"),
        ("tactego", {"pieces": "Fx1 5"}, "line 2: '5' is not a strength (or F, M, S, A)"),
        ("tactego", {"pieces": "Fx13"}, "two armies of 13 pieces do not fit on 6 by 4 fields"),
    ],
)
def test_parameters_are_validated_with_the_reason(
    name: str, given: dict[str, object], said: str
) -> None:
    with pytest.raises(ParameterError) as caught:
        gridhouse.load(name, **given)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("", PositionError, "'' is not of the form 'game(parameters) position'"),
        ("binary", PositionError, "'binary' is not of the form"),
        ("binary(rows=2", PositionError, "is not of the form"),
        (
            "chess() x",
            UnknownGameError,
            "there is no game 'chess'; the games are binary, collapse,",
        ),
        ("binary(rows=2,cols=2)X../..", PositionError, "has no blank or # after its parameters"),
        ("binary(rows=2,cols=2,rows=3) ..", ParameterError, "'rows' is given twice"),
        ("binary(a\nb=,a\nb=) ..", ParameterError, r"'a\nb' is given twice"),
        ("binary(rows=2,cols=x) ..", ParameterError, "cols: 'x' is not a whole number"),
        ("binary(rows=2,sides=2) ..", ParameterError, "binary has no parameter 'sides'"),
        ("tactego(hidden=perhaps)#1", ParameterError, "hidden: 'perhaps' is not true or false"),
    ],
)
def test_texts_that_are_no_position_of_any_game(
    text: str, error: type[GridhouseError], said: str
) -> None:
    with pytest.raises(error) as caught:
        gridhouse.parse(text)
    assert said in str(caught.value)
    with pytest.raises(UnknownGameError):
        gridhouse.load("chess")


def test_parameters_are_spelled_in_more_than_one_way() -> None:
    for spelling in ("True", "true", "yes"):
        assert gridhouse.parse(f"tactego(hidden={spelling})#1").game.values["hidden"] is True
    assert gridhouse.parse("tactego( rows = 06 , cols=4,hidden=no)#1").game == gridhouse.load(
        "tactego"
    )


def test_errors_of_moves_are_of_three_kinds_and_tell_input_and_position() -> None:
    state = gridhouse.parse("binary(rows=2,cols=2) 0./..")
    with pytest.raises(InvalidMoveError) as invalid:
        state.play("5 5 5")
    assert str(invalid.value) == (
        "'5 5 5' names no move on this board (x y digit), in 'binary(rows=2,cols=2) 0./..'"
    )
    with pytest.raises(IllegalMoveError) as illegal:
        state.play("1 0 0")
    assert illegal.value.reason == "'1 0 0' is not legal: too many 0"
    assert illegal.value.refusal.name == "TOO_MANY_0"  # type: ignore[attr-defined]
    with pytest.raises(AmbiguousMoveError) as ambiguous:
        state.play("1 1")
    assert ambiguous.value.candidates == ["1 1 0", "1 1 1"]
    assert ambiguous.value.reason == "'1 1' may mean 1 1 0, 1 1 1"
    state.play("1 0")
    assert str(state) == "binary(rows=2,cols=2) 01/.."
    with pytest.raises(AmbiguousMoveError) as many:
        gridhouse.parse("binary(rows=4,cols=4) ..../..../..../....").play("1")
    assert len(many.value.candidates) == 8
    told = "'1' may mean 1 0 0, 1 0 1, 1 1 0, 1 1 1, 1 2 0 and 3 more"
    assert many.value.reason == told
    for error in (invalid, illegal, ambiguous):
        assert isinstance(error.value, ValueError)


def test_messages_hold_no_secrets() -> None:
    state = gridhouse.parse("sinks(rows=10,cols=10) l 0 - 2/2 2/2 0/0 - la43 da66 bd53")
    for text in ("9 9 l", "4 3", "x"):
        with pytest.raises(GridhouseError) as caught:
            state.play(text)
        assert "bd53" not in str(caught.value)
        assert "la43" in str(caught.value)


def test_there_is_no_view_for_a_player_that_is_not_there() -> None:
    state = gridhouse.load("tactego", hidden=True).new_initial_state()
    for player in (-4, -1, 2):
        for look in (
            state.observation, state.observation_string, state.observation_tensor,
            state.information_state_string,
        ):  # fmt: skip
            with pytest.raises(PlayerError):
                look(player)


def test_numbers_that_are_no_action_have_no_text() -> None:
    for name in gridhouse.games():
        state = gridhouse.load(name).new_initial_state()
        for action in (-5, state.game.num_actions, 10**6):
            with pytest.raises(InvalidMoveError):
                state.action_to_string(action)


def test_texts_among_parameters_are_one_line_with_single_blanks() -> None:
    for loaded in (
        gridhouse.load("sinks", setup=" s211\n la33  da66 "),
        gridhouse.load("tactego", pieces="\tFx1 \n 5x1"),
    ):
        state = loaded.new_initial_state()
        assert gridhouse.parse(str(state)) == state
        assert "\n" not in str(state)


class Three:
    """A whole number of another make, as NumPy has them."""

    def __index__(self) -> int:
        return 3


def test_whole_numbers_of_other_makes_are_taken() -> None:
    assert gridhouse.load("binary", rows=Three()).values["rows"] == 3


def test_states_of_other_things_are_not_equal() -> None:
    state = gridhouse.load("binary").new_initial_state()
    assert state != "state"
    assert state != gridhouse.load("binary", rows=5).new_initial_state()
    assert state.game != "game"
    assert state.game != gridhouse.load("collapse")


def test_the_view_without_a_player_is_that_of_the_player_to_move() -> None:
    state = gridhouse.load("sinks").new_initial_state()
    state.play("0 0 b")
    assert state.observation() == state.position
    state.play("5 3 l")
    assert state.observation() != state.position


def test_an_unwritten_game_says_what_it_lacks() -> None:
    assert game.Game.status(gridhouse.load("binary"), None) == ""
