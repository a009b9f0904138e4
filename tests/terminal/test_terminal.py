"""The menu and the table in the terminal, as a player meets them."""

from __future__ import annotations

import re
import sys
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING

import pytest

import gridhouse
from gridhouse.core import compile_queue
from gridhouse.core.console import EXIT_INTERRUPTED
from gridhouse.terminal import table
from gridhouse.terminal.menu import menu
from harness import run_here

if TYPE_CHECKING:
    from pathlib import Path

    from gridhouse.core.game import State
    from gridhouse.players import Player

HIDDEN = "tactego(rows=3,cols=2,pieces=Fx1 5x1,hidden=True) R 0 RF,R5/,/B5,BF"


def house(*typed: str) -> str:
    """Return what the house prints for these lines, which must end in leaving it."""
    run = run_here(menu, typed="".join(line + "\n" for line in typed))
    assert (run.err, run.status) == ("", 0)
    assert run.out.endswith("Which game? (its number, or q to leave) ")
    return run.out


def test_the_menu_lists_every_game() -> None:
    out = house("q")
    for name in gridhouse.games():
        assert gridhouse.load(name).title in out


@pytest.mark.parametrize("answer", ["0", "99", "", "chess", "-1", "\udcff", "²"])
def test_a_game_that_is_not_there_is_asked_again(answer: str) -> None:
    assert "There is no game" in house(answer, "exit")


@pytest.mark.parametrize("name", gridhouse.games())
def test_every_game_can_be_chosen_by_number_or_name_and_left(name: str) -> None:
    number = str(gridhouse.games().index(name) + 1)
    for answer in (number, name, name.upper()):
        out = house(answer, "", "", "quit", "q")
        assert "A move is: " + gridhouse.load(name).move_form in out


def test_a_whole_game_is_played_to_its_end() -> None:
    out = house("binary", "rows=1,cols=2", "", "0 0 1", "1 0", "q")
    assert "Player 1> " in out
    assert "\n..\n" in out
    assert "\n10\n\nPlayer 2 wins\n" in out


def test_a_preset_or_parameters_may_be_chosen() -> None:
    assert "\n.....\n" in house("binary", "small", "", "quit", "q")
    assert "\n...\n" in house("binary", "cols=3", "", "quit", "q")
    out = house("binary", "cols=30", "huge", "rows=0", "", "", "quit", "q")
    assert out.count("That does not work: ") == 3
    assert "cols: 30 is not in 1..20." in out
    assert "'huge' is neither small, standard" in out


def test_a_file_of_the_games_own_kind_may_be_given(tmp_path: Path) -> None:
    board = tmp_path / "board.txt"
    board.write_text("1 2\n2 2\n")
    assert "\n1 2\n2 2\nScore: 0\n" in house("collapse", "", str(board), "quit", "q")
    board.write_text("1 2\n2\n")
    out = house("collapse", "", str(board), "", "/no/such/file", "", "", "quit", "q")
    assert "That does not work: line 2 has another length than line 1: 1 and 2." in out
    assert "That does not work: '/no/such/file': No such file or directory." in out


def test_a_game_is_saved_and_taken_up_again(tmp_path: Path) -> None:
    file = tmp_path / "kept"
    position = "binary(rows=2,cols=2) ../.."
    house("binary", "", position, "0 0 1", f"save {file}", "quit", "q")
    assert file.read_text() == "binary(rows=2,cols=2) 1./..\n"
    out = house("binary", "", str(file), "quit", "q")
    assert "\n1.\n..\n" in out
    assert (
        "To go on later, give this as the file or position:\nbinary(rows=2,cols=2) 1./..\n" in out
    )
    out = house(
        "binary", "", position, "save /no/such/folder", "save", "save \x00", f"save {file}", "quit",
        "q",
    )  # fmt: skip
    assert out.count("Not saved to ") == 4
    assert f"Not saved to '{file}': File exists." in out
    assert file.read_text() == "binary(rows=2,cols=2) 1./..\n"


@pytest.mark.parametrize("name", gridhouse.games())
def test_the_rules_are_told_at_the_table(name: str) -> None:
    assert gridhouse.load(name).how_to_play in house(name, "", "", "rules", "quit", "q")


def test_moves_are_listed_refused_and_taken_back() -> None:
    out = house(
        "binary", "", "binary(rows=1,cols=3) ...", "moves", "0 0", "9 9 9", "undo", "0 0 1",
        "0 0 0", "undo", "help", "", "quit", "q",
    )  # fmt: skip
    assert "0 0 0  0 0 1  1 0 0  1 0 1  2 0 0  2 0 1\n" in out
    assert "Not possible: '0 0' may mean 0 0 0, 0 0 1." in out
    assert "Not possible: '9 9 9' names no move on this board (x y digit)." in out
    assert "Not possible: there is no move to take back." in out
    assert "Not possible: '0 0 0' is not legal: occupied." in out
    assert out.count("\n...\n") == 2
    assert out.count("A move is: ") == 3


def test_the_end_of_input_keeps_the_game() -> None:
    run = run_here(menu, typed="1\n\nbinary(rows=2,cols=2) ../..\n0 0 1\n")
    assert run.out.endswith("binary(rows=2,cols=2) 1./..\n")
    assert run.status == 0


def test_an_interrupt_keeps_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(mover: Player, state: State) -> int:
        raise KeyboardInterrupt

    monkeypatch.setenv(compile_queue.VARIABLE, compile_queue.NEVER)  # nobody thinks
    monkeypatch.setattr(table, "think", interrupted)
    run = run_here(menu, typed="binary\nrows=2,cols=2\n\n0 0 1\nhint\n")
    assert run.out.endswith("file or position:\nbinary(rows=2,cols=2) 1./..\n")
    assert (run.err, run.status) == ("", EXIT_INTERRUPTED)


@pytest.mark.parametrize("typed", [["q"], ["small", "quit"]])
def test_another_game_may_be_chosen_after_all(typed: list[str]) -> None:
    out = house("binary", *typed, "q")
    assert out.count("Which game?") == 2
    assert "That does not work" not in out


def test_the_machine_is_told_to_stop_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "THINKING_TIME", 0.2)
    state = gridhouse.load("binary", rows=9, cols=9).new_initial_state()
    mover = gridhouse.player("mcts", state.game)
    limits = gridhouse.Limits(playouts=1)
    mover.choose(state, limits)  # compiles before time counts
    monkeypatch.setattr(mover, "choose", partial(mover.choose, limits=gridhouse.Limits(seconds=60)))
    begun = perf_counter()
    assert table.think(mover, state) in state.legal_actions()
    assert perf_counter() - begun < 5


def test_a_level_is_a_number() -> None:
    for words in ("machine", "machine x"):
        out = house("binary", "", "", words, "quit", "q")
        assert "Not possible: machine needs a level from 1 to 8." in out


def test_in_a_hidden_game_the_screen_is_handed_over() -> None:
    out = house("tactego", "", HIDDEN, "", "0 1 1 0", "", "", "2 0 1 1", "", "", "quit", "q")
    assert out.index("Red, it is your turn.") < out.index("RF")
    assert "Press Enter to hand over to Blue." in out
    assert "Blue, it is your turn. Press Enter when nobody else looks. Red: 0 1 1 0" in out
    assert "Red, it is your turn. Press Enter when nobody else looks. Blue: 2 0 1 1" in out
    assert out.count("1 R5\n2 B?   B?") == 1  # Red sees what came of the move
    assert "1 R?\n2 B5   BF" in out
    assert "1 R5   B?\n2      B?" in out
    assert "To go on later" not in out  # the line would tell the enemy's kinds


def test_bombs_are_handed_over_and_plain_turns_are_not() -> None:
    plain = house("sinks", "", "", "5 3 l", "3 5 r", "quit", "q")
    assert "Press Enter" not in plain
    bombed = house("sinks", "", "", "0 0 b", "5 3 l", "", "", "quit", "q")
    assert (
        "Dark, it is your turn. Press Enter when nobody else looks. Light: a bomb is laid, 5 3 l\n"
    ) in bombed
    assert "bl00" not in bombed
    assert bombed.count("Light's bombs: 0 0") == 2


def test_bombs_are_handed_back_to_their_player_unseen() -> None:
    out = house("sinks", "", "", "0 0 b", "5 3 l", "", "", "7 2 u", "7 7 l", "", "", "quit", "q")
    shown = out.split("Light's bombs: 0 0")
    assert len(shown) == 4
    assert "Press Enter to hand over to Light." in shown[2]


def test_that_the_last_bomb_is_gone_is_no_news() -> None:
    position = "sinks(rows=10,cols=10) d 0 - 2/2 2/2 0/0 - la33 lb35 da66 db55 s100 bl01"
    out = house("sinks", "", position, "", "0 0 r", "6 6 r", "", "", "quit", "q")
    assert "Press Enter to hand over to Light." in out


def test_a_move_that_may_have_told_a_secret_stands() -> None:
    position = "sinks(rows=10,cols=10) l 0 - 2/2 2/2 0/0 - la43 lb36 da66 bd53"
    out = house("sinks", "", position, "", "4 3 u", "undo", "quit", "q")
    assert (
        "Not possible: moves that may have revealed hidden information cannot be taken back." in out
    )
    assert out.count(" a|") == 1
    # Some moves after the last bomb has gone off: that no other one is there is a secret too.
    out = house("sinks", "", position, "", "4 3 u", "", "", "6 6 r", "", "", "undo", "quit", "q")
    assert (
        "Not possible: moves that may have revealed hidden information cannot be taken back." in out
    )
    assert "To go on later" not in out
    out = house("tactego", "", HIDDEN, "", "0 1 1 0", "", "", "undo", "quit", "q")
    assert (
        "Not possible: moves that may have revealed hidden information cannot be taken back." in out
    )


def test_a_terminal_is_cleared_before_it_is_handed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    state = gridhouse.parse(HIDDEN)

    def play_here(arguments: list[str]) -> None:
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
        table.play(state)

    out = run_here(play_here, typed="\n0 1 1 0\n\n\n").out
    assert out.index("R5") < out.rindex(table.CLEAR_SCREEN) < out.index("Blue, it is your turn")


def test_the_machine_takes_the_other_side() -> None:
    position = "binary(rows=2,cols=5) ...../....."
    out = house("binary", "", position, "machine 3", "0 0 1", "undo", "moves", "quit", "q")
    assert "The machine plays Player 2.\n" in out
    assert out.count("Player 2 (the machine): ") == 1
    assert "Player 2> " not in out
    assert out.count("\n.....\n.....\n") == 2  # the move and the answer are taken back
    for level in ("0", "9"):
        assert "Not possible: there is no level" in house(
            "binary", "", position, f"machine {level}", "quit", "q"
        )
    out = house("collapse", "small", "", "machine 3", "quit", "q")
    assert "Not possible: this is a game for one; ask for a hint.\n" in out


@pytest.mark.slow("waits for the machine")
def test_against_the_machine_no_screen_is_handed_over_and_no_secret_told() -> None:
    far = "tactego(rows=5,cols=2,pieces=Fx1 5x1,hidden=True) R 0 RF,R5/,/,/,/B5,BF"
    out = house("tactego", "", far, "", "machine 2", "0 1 1 0", "undo", "quit", "q")
    assert "hand over" not in out
    assert "Blue (the machine): " in out
    assert "B5" not in out.split("Blue (the machine): ")[0]
    assert (
        "Not possible: moves that may have revealed hidden information cannot be taken back." in out
    )


def test_the_machine_may_move_first_and_finish_the_game() -> None:
    out = house("binary", "", "binary(rows=1,cols=3) 0..", "machine 8", "2 0 1", "q")
    assert "Player 1 (the machine): 1 0 " in out
    assert "Player 1 wins" in out


@pytest.mark.parametrize("name", gridhouse.games())
@pytest.mark.slow("compiles searches")
def test_a_hint_is_a_move(name: str) -> None:
    position = {
        "sliding": "sliding(rows=2,cols=2) fa c/facc",
        "binary": "binary(rows=2,cols=2) 0./..",
    }
    out = house(name, "", position.get(name, ""), "hint", "moves", "quit", "q")
    hint, _, rest = out.split("The machine would play ")[1].partition("\n")
    assert hint in re.split(r"  |> |\n", rest)
