"""The window of Sinks: what clicks and keys do, what is drawn, and the real thing on a screen."""

from __future__ import annotations

import io
import os
import pty
import random
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress
from itertools import takewhile
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from gridhouse.core.console import Tokens, UsageError, run
from gridhouse.games.sinks import program, rules, window
from gridhouse.games.sinks.game import SETUPS, SinksGame
from gridhouse.games.sinks.rules import BOMB, FREEZE, NOWHERE, NUM_VERBS
from gridhouse.games.sinks.window import blocks, canvas, drawing, layout, motion
from gridhouse.games.sinks.window.session import GAME_OVER, TYPED_FORM, Screen, Session, new_cells
from harness import PROGRAMS
from window_helpers import screen, window_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from window_helpers import Picture, Window

GAME = SinksGame(limit=0)
PLACE = layout.main_place(10, 10)
ILLUSTRATION = (
    "s127 s211 s277 s172 x00 x09 x90 x99 dd35 da34 lb33 lc44 da43 la56 dc55 ld53 db66 la65"
)
START = "l 0 - 2/2 2/2 0/0 -"


def session_of(text: str) -> Session:
    """Return a session that plays from a position text."""
    return Session(GAME, GAME.read(text))


def illustrated() -> Session:
    """Return a session at the start of the document's first example."""
    return session_of(f"{START} {ILLUSTRATION}")


def spot(row: int, col: int) -> tuple[float, float]:
    """Return the middle of a field of the board on the canvas."""
    return PLACE.cell_box(row * 10 + col).centre()


def click(session: Session, *fields: tuple[int, int]) -> None:
    for field in fields:
        session.click(*spot(*field))


def press(session: Session, keys: str) -> None:
    for key in keys:
        session.press(key)


def send(session: Session, move: str) -> None:
    """Type a move and Enter."""
    press(session, move + "\r")


def written(session: Session) -> str:
    return GAME.write(session.position)


def page(session: Session) -> Screen:
    return session.screen


def bombs_shown(session: Session) -> bool:
    return session.bombs_shown


def kind_at(session: Session, row: int, col: int) -> int:
    """Return the kind of what covers a field, 0 if it is free."""
    return session.position.kind[rules.named(session.position, row * 10 + col)]


# What clicks and keys mean.


def test_the_centre_of_every_field_belongs_to_it() -> None:
    session = illustrated()
    for cell in range(100):
        assert PLACE.pick(session.position, *PLACE.cell_box(cell).centre()) == cell


def test_a_tower_is_picked_where_it_hides_the_field_behind() -> None:
    session = illustrated()
    x, y = spot(6, 5)
    assert PLACE.pick(session.position, x, y - 0.2 * PLACE.field) == 55
    assert PLACE.pick(session.position, x - 0.45 * PLACE.field, y - 0.2 * PLACE.field) == 65
    assert PLACE.pick(session.position, *spot(5, 3)) == 53
    assert PLACE.pick(session.position, 5, 5) == NOWHERE


def test_a_block_is_selected_and_rolled_by_two_clicks() -> None:
    session = illustrated()
    click(session, (3, 3))
    assert {target.verb: target.cells for target in session.targets()} == {
        rules.LEFT: (31, 32),
        rules.DOWN: (13, 23),
    }
    click(session, (3, 1))
    assert kind_at(session, 3, 1) == kind_at(session, 3, 2) == 2
    assert session.position.moves == 1
    assert session.targets() == []
    assert set(session.marked) == {31, 32, 33}


def test_every_legal_move_of_random_games_is_reached_by_clicks() -> None:
    chance = random.Random(5)
    session = illustrated()
    for _ in range(60):
        state = session.position
        out = [0] * GAME.num_actions
        legal = out[: rules.legal_actions(state, out)]
        moves = [action for action in legal if action % NUM_VERBS < BOMB]
        if not moves:
            break
        for action in moves:
            anchor, verb = divmod(action, NUM_VERBS)
            twin = Session(GAME, state)
            twin.choose(anchor)
            twin.choose(chance.choice(new_cells(state, anchor, verb)))
            after = state.copy()
            rules.apply_action(after, action)
            assert twin.position == after
        rules.apply_action(state, chance.choice(legal))


def test_landing_areas_of_one_thing_never_share_a_field() -> None:
    chance = random.Random(7)
    for name in SETUPS:
        state = Session(GAME, SinksGame(setup=name, limit=0).initial_position(0)).position
        while not rules.is_terminal(state):
            for anchor, kind in enumerate(state.kind):
                if kind not in (0, rules.BLOCK):
                    cells = [c for verb in range(BOMB) for c in new_cells(state, anchor, verb)]
                    assert len(cells) == len(set(cells))
            out = [0] * GAME.num_actions
            rules.apply_action(state, chance.choice(out[: rules.legal_actions(state, out)]))


def test_another_click_deselects_selects_anew_or_tells_why_not() -> None:
    session = illustrated()
    click(session, (3, 3), (3, 3))
    assert session.selected == NOWHERE
    click(session, (3, 3), (9, 5))
    assert (session.selected, session.message) == (NOWHERE, "")
    click(session, (3, 3), (5, 4))
    assert session.selected == 53
    session.press("\x1b")
    click(session, (3, 3), (4, 3))
    assert (session.selected, session.message) == (33, "Field 4 3 not free")
    assert session.is_error
    session.click(5, 5)
    assert (session.selected, session.message) == (NOWHERE, "")
    click(session, (3, 3), (6, 6))
    assert session.selected == NOWHERE
    assert session.message == "Piece does not belong to the correct player"


def test_what_cannot_move_says_so_when_it_is_clicked() -> None:
    session = illustrated()
    for field in ((0, 0), (5, 9)):
        click(session, field)
        assert (session.selected, session.message) == (NOWHERE, "")
    session = session_of("d 0 - 2/2 2/0 0/0 - s211 db55* la66 da44")
    click(session, (5, 5))
    assert session.message == "Cannot move frozen piece"
    click(session, (1, 1))
    assert session.message == "No sink moves left"


def test_a_block_sinks_and_the_news_says_so() -> None:
    session = session_of(f"{START} s211 la31 la55 da66")
    click(session, (3, 1))
    sinks = {target.verb: target.sinks for target in session.targets()}
    assert sinks == {rules.LEFT: False, rules.RIGHT: False, rules.UP: False, rules.DOWN: True}
    click(session, (2, 1))
    assert session.message == "Light's a sank"
    assert session.position.sunk == [1, 0]
    (change,) = session.take_changes()
    assert (change.lost, change.sunk) == ((31,), True)
    assert session.take_changes() == []


def test_a_sink_is_pushed_by_clicks_and_swallows_pieces() -> None:
    session = session_of(f"{START} s211 la31 da32 la55 da66")
    click(session, (1, 2))
    assert {target.verb for target in session.targets() if target.sinks} == {rules.UP}
    click(session, (3, 2))
    assert session.message == "Light's a and Dark's a sank"
    assert session.position.sunk == [1, 1]
    assert session.position.sink_moves == [1, 2]


def test_a_bomb_is_laid_seen_by_its_owner_only_and_goes_off() -> None:
    session = session_of(f"{START} s211 la55 la88 da66 da44")
    press(session, "b")
    assert session.mode == BOMB
    click(session, (5, 5))
    assert (session.mode, session.message) == (BOMB, "Field 5 5 not free")
    click(session, (6, 5))
    assert session.message == "A bomb is laid"
    assert session.seen().bomb[65] == 1
    press(session, "v")
    assert not any(session.seen().bomb)
    press(session, "v")
    send(session, "5 5 l")
    assert bombs_shown(session)
    send(session, "8 8 r")
    assert not bombs_shown(session)
    press(session, "vv")
    assert bombs_shown(session)
    assert session.position.bomb[65]
    assert not any(session.seen().bomb)
    send(session, "6 6 l")
    assert session.message == "Dark's a was blown up"
    (change,) = session.take_changes()[-1:]
    assert (change.lost, change.sunk) == ((66,), False)


def test_bombs_are_shown_after_a_question_once_the_turn_has_passed() -> None:
    session = session_of(f"{START} s211 la55 la88 da66 da44 bl65 bd77")
    press(session, "v")
    assert session.seen().bomb[65] == 1
    for move in ("5 5 l", "8 8 r"):
        send(session, move)
    for turn, own, other in ((2, 77, 65), (1, 65, 77)):
        side = "Dark" if turn == 2 else "Light"
        press(session, "v")
        assert session.message == f"{side}'s bombs: press v again when only {side} looks"
        assert (session.is_error, any(session.seen().bomb)) == (False, False)
        session.click(*layout.BUTTONS["v"].centre())
        assert (session.message, session.seen().bomb[own]) == ("", turn)
        assert not session.seen().bomb[other]
        press(session, "v")
        assert not any(session.seen().bomb)
        press(session, "v")
        assert session.seen().bomb[own] == turn
        for move in ("6 6 r", "4 4 l") if turn == 2 else ():
            send(session, move)


@pytest.mark.parametrize("other", ["i", "\x1b", "3", "b", "h", "up", (5, 5), spot(3, 3)])
def test_any_other_input_takes_the_question_back(other: str | tuple[float, float]) -> None:
    session = session_of(f"{START} s211 la55 la33 da66 da44 bd77")
    for move in ("5 5 l", "5 4 u"):
        send(session, move)
    session.click(*layout.BUTTONS["v"].centre())
    assert session.message.startswith("Dark's bombs")
    if isinstance(other, str):
        session.press(other)
    else:
        session.click(*other)
    assert not session.message.startswith("Dark's bombs")
    if other in ("3", "h"):
        session.press("\x1b")
    press(session, "v")
    assert not any(session.seen().bomb)
    assert session.message.startswith("Dark's bombs")


def test_who_lays_a_bomb_is_alone() -> None:
    session = session_of(f"{START} s211 la55 la33 da66 da44 bl77")
    for move in ("5 5 l", "5 4 u", "9 9 b"):
        send(session, move)
    assert [cell for cell, bomb in enumerate(session.seen().bomb) if bomb] == [99]
    press(session, "vv")
    assert bombs_shown(session)


def test_two_bombs_blow_each_other_up() -> None:
    session = session_of(f"{START} s211 la55 da66 bd00")
    press(session, "b")
    click(session, (0, 0))
    assert session.message == "Two bombs blew each other up"
    assert session.take_changes()[0].burst
    assert not any(session.position.bomb)


def test_freezing_by_any_field_of_an_enemy_block() -> None:
    session = illustrated()
    session.click(*layout.BUTTONS["f"].centre())
    assert session.mode == FREEZE
    click(session, (4, 6))
    assert session.position.frozen[35] == 1
    assert session.message == "Dark's d is frozen"
    press(session, "ff")
    assert session.mode == NOWHERE
    press(session, "f")
    click(session, (3, 3))
    assert session.message == "Piece does not belong to the correct player"
    click(session, (5, 9))
    assert session.message == "No piece on field 5 9"
    click(session, (5, 5))
    assert session.position.freezings[0] == 0


@pytest.mark.parametrize(
    ("position", "moves", "key", "message"),
    [
        (f"{START} s211 la55 da66", ["5 5 l"], "b", "Cannot place bomb after move"),
        (f"{START} s211 la55 da66", ["0 0 b"], "b", "Cannot place bomb after move"),
        (f"{START} s211 la55 da66", ["6 6 f", "6 6 f"], "f", "No freezings left"),
        (f"{START} s211 la55", [], "f", "There is no enemy block to freeze"),
        ("l 0 - 2/2 2/2 0/4 - s211 la31 da66", [], "b", GAME_OVER),
        ("l 0 - 2/2 2/2 0/4 - s211 la31 da66", [], "f", GAME_OVER),
        ("l 0 - 2/2 2/2 0/4 - s211 la31 da66 bl55", [], "v", GAME_OVER),
    ],
)
def test_what_can_do_nothing_says_why_and_looks_so(
    position: str, moves: list[str], key: str, message: str
) -> None:
    session = session_of(position)
    assert (drawing.DULL in label_colours(session, key)) == (not moves)
    for move in moves:
        send(session, move)
    assert label_colours(session, key) == {drawing.DULL}
    press(session, key)
    assert (session.mode, session.message, session.is_error) == (NOWHERE, message, True)
    assert label_colours(session, key) == {drawing.DULL}
    assert key != "v" or not any(session.seen().bomb)


def test_that_there_is_no_bomb_to_be_shown_is_not_told() -> None:
    for bombs in ("", " bl77"):
        session = session_of(f"{START} s211 la55 da66{bombs}")
        assert label_colours(session, "v") == {drawing.INK}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("3 3 u", "Field 4 3 not free"),
        ("3 3 q", "Invalid direction q"),
        ("9 5 q", "No piece on field 9 5"),
        ("9 5 l", "No piece on field 9 5"),
        ("+3 3 r", "Field 3 4 not free"),
        ("12 x l", "Field 12 x not on board"),
        ("-1 0 l", "Field -1 0 not on board"),
        ("3 4 l", "Piece does not belong to the correct player"),
        ("3 3", TYPED_FORM),
        ("7 2 l", ""),
    ],
)
def test_typed_moves_are_answered_as_in_text_mode(line: str, message: str) -> None:
    session = illustrated()
    send(session, line)
    assert session.message == message
    assert session.position.moves == (0 if message else 1)
    assert session.typed == ""


def test_the_typed_line_is_edited() -> None:
    session = illustrated()
    press(session, "3x")
    session.press("up")
    press(session, "\x08 3 lq\x7f")
    assert session.typed == "3 3 l"
    press(session, "é9\x00")
    assert session.typed == "3 3 l9"
    session.press("\x1b")
    assert session.typed == ""
    press(session, "3")
    session.click(*layout.BUTTONS["h"].centre())
    assert (session.typed, session.screen) == ("", Screen.HELP)


def test_the_typed_line_is_no_longer_than_its_place() -> None:
    session = illustrated()
    press(session, "3" + "W" * 99)
    recorder = drawn(session)
    (words,) = (text for text in recorder.texts() if text.endswith("W_"))
    assert len(words) * drawing.TYPED_SIZE <= layout.TYPED_LINE.width


def test_the_mouse_clears_the_typed_line() -> None:
    for point in (spot(3, 3), (5, 5), layout.BUTTONS["v"].centre()):
        session = illustrated()
        press(session, "3 3")
        session.click(*point)
        assert session.typed == ""
        press(session, "f")
        assert (session.mode, session.typed) == (FREEZE, "")


def test_the_cursor_selects_and_moves() -> None:
    session = illustrated()
    press(session, " ")
    assert session.cursor == 55
    press(session, "jjkk")
    assert session.cursor == 33
    press(session, " jj\r")
    assert kind_at(session, 3, 1) == 2
    for key in ("up", "i"):
        session.press(key)
    for _ in range(12):
        session.press("left")
        session.press("down")
    assert session.cursor == 0
    press(session, "l" * 12 + "i" * 12)
    assert session.cursor == 99
    session.press("right")
    click(session, (0, 5))
    assert session.cursor == NOWHERE


def test_the_start_is_chosen_by_click_or_number() -> None:
    session = Session(SinksGame(rows=8, cols=9, limit=0), None)
    assert page(session) is Screen.START
    for key in "\x1b9x":
        session.press(key)
    session.click(5, 5)
    assert (session.screen, session.begun) == (Screen.START, False)
    press(session, "hx")
    assert page(session) is Screen.START
    session.click(*layout.start_cards(3)[1].centre())
    assert page(session) is Screen.PLAY
    long = SinksGame(rows=8, cols=9, setup="long", limit=0)
    assert session.position == long.initial_position(0)
    press(session, "n\x1b")
    assert page(session) is Screen.PLAY
    press(session, "n3")
    corners = SinksGame(rows=8, cols=9, setup="corners", limit=0)
    assert session.position == corners.initial_position(0)


def test_a_given_start_is_offered_again() -> None:
    session = illustrated()
    start = written(session)
    send(session, "3 3 l")
    session.click(*layout.BUTTONS["n"].centre())
    press(session, "4")
    assert written(session) == start


def test_help_and_quit() -> None:
    session = illustrated()
    press(session, "h")
    session.click(1, 1)
    assert page(session) is Screen.PLAY
    press(session, "?q")
    assert session.closed


def test_after_the_end_nothing_moves_but_a_new_game_begins() -> None:
    session = session_of("l 0 - 2/2 2/2 3/0 - s211 la31 la55 da66")
    press(session, "f")
    click(session, (6, 6), (3, 1), (2, 1))
    assert session.is_over()
    press(session, "b")
    assert (session.mode, session.message) == (NOWHERE, GAME_OVER)
    session.press("\x1b")
    for typed in ("5 5 l", "4n43 3 l", "5 5"):
        send(session, typed)
        assert session.message == GAME_OVER
    click(session, (5, 5))
    assert session.message == GAME_OVER
    press(session, "v")
    assert not bombs_shown(session)
    press(session, "n")
    assert page(session) is Screen.START


OVER = "l 0 - 2/2 2/2 0/4 - s211 la31 da66"


@pytest.mark.parametrize("other", ["\x1b", " ", "3", "i", "up", "x", spot(6, 6), (5, 5)])
def test_the_end_can_be_put_away_to_look_at_the_board(other: str | tuple[float, float]) -> None:
    session = session_of(OVER)
    assert "New game (n)" in drawn(session).texts()[-2:]
    before = written(session)
    if isinstance(other, str):
        session.press(other)
    else:
        session.click(*other)
    recorder = drawn(session)
    assert recorder.texts().count("Dark wins!") == 1
    assert {"The game is over", GAME_OVER} <= set(recorder.texts())
    assert (session.typed, session.cursor, written(session)) == ("", NOWHERE, before)
    session.click(*layout.AGAIN.centre())
    assert page(session) is Screen.PLAY
    for key in "hxnn4":
        session.press(key)
    assert session.has_banner()


def test_at_the_end_the_commands_still_work() -> None:
    for key, shown in (("n", Screen.START), ("h", Screen.HELP), ("b", Screen.PLAY)):
        session = session_of(OVER)
        press(session, key)
        assert page(session) is shown
        assert session.has_banner()
    session = session_of(OVER)
    session.click(*layout.AGAIN.centre())
    assert page(session) is Screen.START


# What is drawn.


class Recorder:
    """A stand-in for the module stddraw: it notes the calls and plays prepared input."""

    def __init__(self, *inputs: str | tuple[float, float] | None) -> None:
        """Prepare keys and clicks; those before a None come at once, a rest ends with it.

        A key of more than one letter is tapped; it is down only after the word "held".
        """
        self.calls: list[tuple[str, tuple[object, ...]]] = []
        self.inputs = list(inputs)
        self.meanwhile: list[str | tuple[float, float]] = []  # what comes during a animation
        self.held = ""
        self.taken = False  # whether there was anything since the last rest
        self.color = SimpleNamespace(Color=lambda *parts: parts)
        self.spot = (0.0, 0.0)
        self.K_UP, self.K_DOWN, self.K_LEFT, self.K_RIGHT = "up", "down", "left", "right"
        self.KEYDOWN = "keydown"
        self.pygame = SimpleNamespace(event=SimpleNamespace(get=self.get_events))

    def __getattr__(self, name: str) -> object:
        return lambda *given: self.calls.append((name, given))

    def show(self, milliseconds: float) -> None:
        """Note the pause; end the game when the input is over, as a closed window does."""
        self.calls.append(("show", (milliseconds,)))
        if milliseconds != window.REST_MS:
            self.inputs, self.meanwhile = [*self.meanwhile, *self.inputs], []
        elif self.taken:
            self.taken = False
        elif not self.inputs:
            raise SystemExit
        elif self.inputs[0] is None:
            self.inputs.pop(0)

    def mousePressed(self) -> bool:  # noqa: N802
        """Tell whether a click comes next; of several stddraw knows the last."""
        pressed = False
        while self.inputs and isinstance(self.inputs[0], tuple):
            self.spot = self.inputs.pop(0)  # type: ignore[assignment]
            self.taken = pressed = True
        return pressed

    def mouseX(self) -> float:  # noqa: N802
        return self.spot[0]

    def mouseY(self) -> float:  # noqa: N802
        return self.spot[1]

    def hasNextKeyTyped(self) -> bool:  # noqa: N802
        """Tell whether stddraw has a key: a letter or one that is held."""
        return bool(self.keys()) and (len(self.keys()[0]) == 1 or "held" in self.keys()[0])

    def nextKeyTyped(self) -> str:  # noqa: N802
        """Return a key's text: none for an arrow, which is held then."""
        key = str(self.inputs.pop(0))
        self.taken = True
        self.held = key.removeprefix("held ")
        return "" if len(key) > 1 else key

    def getKeysPressed(self) -> dict[str, bool]:  # noqa: N802
        return {name: name == self.held for name in ("up", "down", "left", "right")}

    def keys(self) -> list[str]:
        """Return the keys that come at once."""
        return [str(key) for key in takewhile(lambda one: isinstance(one, str), self.inputs)]

    def get_events(self, kind: str) -> list[SimpleNamespace]:
        """Return the events of taps that stddraw has not looked at, as pygame does."""
        assert kind == self.KEYDOWN
        taps = list(takewhile(lambda key: "held" not in key, self.keys()))
        del self.inputs[: len(taps)]
        self.taken = self.taken or bool(taps)
        return [SimpleNamespace(key=tap, unicode=tap if len(tap) == 1 else "") for tap in taps]

    def texts(self) -> list[str]:
        """Return all that was written since the canvas was last cleared."""
        last = max(at for at, (name, _) in enumerate(self.calls) if name == "clear")
        return [str(given[2]) for name, given in self.calls[last:] if name == "text"]

    def colours(self) -> set[object]:
        """Return all colours used since the canvas was last cleared."""
        last = max(at for at, (name, _) in enumerate(self.calls) if name == "clear")
        return {given[0] for name, given in self.calls[last:] if name == "setPenColor"}


def drawn(session: Session) -> Recorder:
    """Return what is drawn of a session."""
    recorder = Recorder()
    drawing.draw(canvas.Canvas(recorder), session)
    return recorder


def label_colours(session: Session, key: str) -> set[object]:
    """Return the colours in which the label of a button is written."""
    pen: object = None
    found = set()
    for name, given in drawn(session).calls:
        if name == "setPenColor":
            pen = given[0]
        elif name == "text" and given[2] == f"{layout.LABELS[key]} ({key})":
            found.add(pen)
    return found


def test_the_board_has_numbers_and_letters_and_the_panel_tells_the_state() -> None:
    texts = drawn(illustrated()).texts()
    for number in map(str, range(10)):
        assert texts.count(number) == 2
    assert [texts.count(letter) for letter in "abcd"] == [4, 2, 2, 2]
    for words in ("Light to move", "2 moves left in this turn", "Sunk 0 of 4", "Sink moves 2"):
        assert words in texts


def test_messages_and_hints_are_written() -> None:
    session = illustrated()
    send(session, "3 3 u")
    assert "Field 4 3 not free" in drawn(session).texts()
    for keys, hint in (("\x1b", "roll"), ("b", "bomb"), ("f", "freeze")):
        press(session, keys)
        assert any(text.startswith("Choose") and hint in text for text in drawn(session).texts())
    session.press("\x1b")
    click(session, (3, 3))
    assert any("gold" in text for text in drawn(session).texts())
    press(session, "3 ")
    assert "3 _" in drawn(session).texts()


def test_selection_targets_cursor_and_modes_have_their_colours() -> None:
    session = session_of(f"{START} s211 la31 la55 da66* dc46- x00 bl77")
    plain = drawn(session).colours()
    assert drawing.GO_EDGE not in plain
    click(session, (3, 1))
    assert {drawing.GO_EDGE, drawing.PIT} <= drawn(session).colours()
    press(session, "\x1b")
    click(session, (1, 1))
    assert drawing.GO_EDGE in drawn(session).colours()
    press(session, "f")
    assert drawing.ICE in drawn(session).colours() - plain
    press(session, "v")
    assert drawing.BOMB_DARK in drawn(session).colours() - plain
    press(session, "vb")
    assert drawing.BOMB_DARK in drawn(session).colours()
    press(session, "bi")
    assert drawing.ICE_DARK in drawn(session).colours()


def test_the_bombs_of_the_other_player_are_never_drawn() -> None:
    session = session_of(f"{START} s211 la31 da66 bd77")
    press(session, "v")
    assert drawing.BOMB_DARK not in drawn(session).colours()


def test_the_last_move_is_marked() -> None:
    session = illustrated()
    assert drawing.MARK not in drawn(session).colours()
    send(session, "3 3 l")
    assert drawing.MARK in drawn(session).colours()
    assert "1 move left in this turn" in drawn(session).texts()


def test_the_end_is_written_large() -> None:
    session = session_of("l 0 - 2/2 2/2 0/4 - s211 la31 da66")
    texts = drawn(session).texts()
    assert texts.count("Dark wins!") == 2
    press(session, "x")
    assert "The game is over" in texts
    assert "1 block on the board" in texts


@pytest.mark.parametrize(
    ("position", "outcome", "side"),
    [
        ("l 1 - 2/2 2/2 4/0 - s211 la31 da66", "Light wins!", 0),
        ("d 0 - 2/2 2/2 4/0 - s211 la31 da66", "Light wins!", 0),
        ("l 0 - 2/2 2/2 4/0 - s211 la31 da66", "Light wins!", 0),
        ("l 0 - 2/2 2/2 0/4 - s211 la31 da66", "Dark wins!", 1),
        ("d 0 - 2/2 2/0 0/0 - s211 la31 da66*", "Dark loses", 1),
    ],
)
def test_the_end_has_the_colours_of_whom_it_names(position: str, outcome: str, side: int) -> None:
    recorder = Recorder()
    drawing.draw_turn(canvas.Canvas(recorder), session_of(position))
    pens = {given[0] for name, given in recorder.calls if name == "setPenColor"}
    assert outcome in [given[2] for name, given in recorder.calls if name == "text"]
    assert pens == {drawing.PAINTS[side].top, drawing.PAINTS[side].letter}


def test_the_start_and_the_help_are_pages_of_their_own() -> None:
    session = Session(GAME, None)
    texts = drawn(session).texts()
    assert {"1  standard", "2  long", "3  corners"} <= set(texts)
    assert not any("back to the game" in text for text in texts)
    press(session, "1n")
    assert any("back to the game" in text for text in drawn(session).texts())
    press(session, "h")
    assert "How to play" in drawn(session).texts()


def test_a_half_rolled_block_shows_its_sides() -> None:
    block = blocks.body(3, 3, 2, rules.UPRIGHT)
    assert {round(face.upward, 6) for face in blocks.faces(block)} == {0, 1}
    for verb in range(BOMB):
        middle = blocks.rolling(block, verb, 0.5)
        assert any(0.5 < face.upward < 0.9 for face in blocks.faces(block, middle))
        end = blocks.rolling(block, verb, 1)
        corners = [p for face in blocks.faces(block, end) for p in face.corners]
        xs, ys, zs = zip(*corners, strict=True)
        assert max(zs) == pytest.approx(1 - layout.INSET)
        spans = sorted((max(xs) - min(xs), max(ys) - min(ys)))
        assert spans == pytest.approx([1 - 2 * layout.INSET, 2 - 2 * layout.INSET])


@pytest.mark.parametrize(
    ("position", "move", "animations"),
    [
        (f"{START} s211 la31 da66 db44", "3 1 r", 1),
        (f"{START} s211 la31 da66", "3 1 d", 2),
        (f"{START} s211 la31 da66*", "2 2 u", 2),
        (f"{START} s211 la31 da66 bd41", "3 1 u", 2),
        (f"{START} s211 ld54 da66", "1 1 r", 1),
        (f"{START} s211 la31 lb05 da66", "3 1 r", 1),
        (f"{START} s211 la31 da66 bd41", "4 1 b", 1),
        (f"{START} s211 la31 da66", "4 1 b", 0),
        (f"{START} s211 la31 da66", "6 6 f", 0),
    ],
)
def test_a_move_is_shown_in_motion(position: str, move: str, animations: int) -> None:
    session = session_of(position)
    recorder = Recorder()
    board = canvas.Canvas(recorder)
    send(session, move)
    for change in session.take_changes():
        motion.show(board, session, change)
    assert [name for name, _ in recorder.calls].count("show") == animations * motion.FRAMES


# The loop and the ways in.


def played(session: Session, *inputs: str | tuple[float, float] | None) -> Recorder:
    """Play in the loop until the window is closed or the input is over."""
    recorder = Recorder(*inputs)
    play(session, recorder)
    return recorder


def play(session: Session, recorder: Recorder) -> None:
    with suppress(SystemExit):
        window.play(recorder, canvas.Canvas(recorder), session)


def test_the_loop_draws_once_a_change_and_ends_with_q() -> None:
    session = illustrated()
    recorder = played(session, *"3 3 l\r", None, "left", "shift", "q", "f", None, "never")
    assert kind_at(session, 3, 1) == 2
    assert (session.cursor, session.mode) == (55, NOWHERE)
    clears = [name for name, _ in recorder.calls].count("clear")
    assert clears == 2 + motion.FRAMES + 1
    assert session.closed


def test_a_click_and_a_rest_without_input() -> None:
    session = illustrated()
    recorder = played(session, spot(3, 3), "shift", None, None, "held shift", None)
    assert session.selected == 33
    assert [name for name, _ in recorder.calls].count("clear") == 2


def test_no_tap_of_an_arrow_is_lost() -> None:
    session = illustrated()
    played(session, " ", "up", "up", "left", "l", "down", None, "up", "held up", None, "right")
    assert session.cursor == 55 + 10 + 10 - 1 + 1 - 10 + 10 + 10 + 1


def test_a_key_counts_before_a_click_of_the_same_moment() -> None:
    session = illustrated()
    played(session, "f", spot(4, 6))
    assert session.position.frozen[35] == 1


@pytest.mark.parametrize("at_once", [[], ["v"], ["b"], [spot(6, 6)]])
@pytest.mark.parametrize("meanwhile", [[], [*"vv"], ["up", "held up"], [spot(6, 6)]])
def test_what_comes_with_or_during_a_film_is_dropped(
    at_once: list[str | tuple[float, float]], meanwhile: list[str | tuple[float, float]]
) -> None:
    session = session_of(f"{START} s211 la55 la33 da66 da44 bl77")
    send(session, "5 5 l")
    session.take_changes()
    recorder = Recorder(*"5 4 u\r", *at_once)
    recorder.meanwhile = meanwhile
    play(session, recorder)
    assert session.position.turn == 1
    assert (session.mode, session.selected, session.cursor) == (NOWHERE, NOWHERE, NOWHERE)
    assert (session.message, bombs_shown(session)) == ("", False)
    play(session, Recorder(spot(4, 4)))
    assert session.selected == 44


def test_what_comes_with_a_freezing_is_not_dropped() -> None:
    session = illustrated()
    recorder = played(session, *"5 5 f\r3 3 l\r", None)
    assert session.position.frozen[55] == 1
    assert session.position.moves == 1
    assert ("show", (0,)) in recorder.calls


def test_the_hand_over_is_flashed() -> None:
    session = illustrated()
    for move, flashes in (("3 3 l", 0), ("7 2 l", motion.FLASHES), ("4 6 b", 0)):
        recorder = played(session, *move, "\r", None)
        assert recorder.calls.count(("show", (motion.FLASH_MS,))) == 2 * flashes
    recorder = Recorder()
    drawing.draw_flash(canvas.Canvas(recorder), session)
    pens = [given[0] for name, given in recorder.calls if name == "setPenColor"]
    assert pens[0] == drawing.GOLD
    session = session_of("l 1 - 2/2 2/2 3/0 - s211 la31 la55 da66")
    recorder = played(session, *"3 1 d\r", None)
    assert session.is_over()
    assert ("show", (motion.FLASH_MS,)) not in recorder.calls


def open_with(text: str, monkeypatch: pytest.MonkeyPatch, *inputs: str) -> Recorder:
    """Run the program in GUI mode with this standard input on a recording stddraw."""
    recorder = Recorder(*inputs)
    monkeypatch.setitem(sys.modules, "stddraw", recorder)
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    monkeypatch.setattr(os, "environ", {"DISPLAY": ":0"})
    assert run(program.main, ["10", "10", "1"]) == 0
    return recorder


def test_a_piped_setup_is_played_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = open_with("l a 5 5 d a\n6 6 # 5 5 l", monkeypatch)
    assert "Light to move" in recorder.texts()


@pytest.mark.parametrize("text", ["", " \n"])
def test_without_input_the_start_is_chosen(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "1  standard" in open_with(text, monkeypatch).texts()


def test_a_wrong_setup_is_answered_as_in_text_mode(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert not open_with("l a 0 0 #", monkeypatch).calls
    assert capsys.readouterr().out == "ERROR: Piece in the wrong position\n"


def test_a_setup_cut_short_is_a_usage_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("l a 5 5\nd"))
    with pytest.raises(UsageError, match="the set-up ends without #"):
        program.open_window(GAME, Tokens())


def test_without_stddraw_the_answer_names_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "environ", {})
    monkeypatch.setitem(sys.modules, "stddraw", None)
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    assert run(program.main, ["10", "10", "1"]) == 2
    line = "the window needs stddraw: pip install su-stdlibs-python (the extra 'gui')"
    assert capsys.readouterr().err == f"gridhouse: {line}\n"


def test_what_stddraw_lacks_itself_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(name: str) -> object:
        raise ModuleNotFoundError(f"{name} found no tkinter", name="tkinter")

    monkeypatch.setattr(os, "environ", {})
    monkeypatch.setattr(window, "importlib", SimpleNamespace(import_module=load))
    with pytest.raises(UsageError, match=r"cannot be loaded: stddraw found no tkinter$"):
        window.run(GAME, None)


def test_without_a_display_the_answer_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(width: int, height: int) -> None:
        raise RuntimeError(f"no display for {width} by {height}")

    recorder = Recorder()
    recorder.setCanvasSize = refuse  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "stddraw", recorder)
    monkeypatch.setattr(os, "environ", {})
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(UsageError, match="cannot be opened: no display for 1000"):
        window.run(GAME, None)


def test_text_mode_does_not_load_the_window() -> None:
    show = "print([name for name in sys.modules if 'window' in name])"
    code = f"import sys, gridhouse.games.sinks.program; {show}"
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert ended.stdout == "[]\n"


def test_the_window_is_opened_on_a_display_that_is_there() -> None:
    environment = {"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"}
    window.choose_driver(environment)
    assert environment["SDL_VIDEODRIVER"] == "x11,wayland"
    environment = {"SDL_VIDEODRIVER": "kmsdrm"}
    window.choose_driver(environment)
    assert environment == {"SDL_VIDEODRIVER": "kmsdrm"}
    with pytest.raises(UsageError, match="there is no display"):
        window.choose_driver({"DISPLAY": ""})


# The real window on a screen.

SETUP = b"""s 1 2 7
s 2 1 1
s 2 7 7
s 1 7 2
x 0 0
d d 3 5
d a 3 4
l b 3 3
l c 4 4
d a 4 3
l a 5 6
d c 5 5
l d 5 3
d b 6 6
l a 6 5
#
"""
COMMAND = [sys.executable, str(PROGRAMS / "sinks/sinks.py"), "10", "10", "1"]
LIGHT, DARK = (paint.top for paint in drawing.PAINTS)


def shows(row: int, col: int, colour: tuple[int, int, int]) -> Callable[[Picture], bool]:
    """Return how to tell that a good part of a field has a colour."""
    box = PLACE.cell_box(row * 10 + col)
    return lambda picture: picture.count(colour, box) > 100


def lacks(row: int, col: int, colour: tuple[int, int, int]) -> Callable[[Picture], bool]:
    """Return how to tell that nothing of a field has a colour."""
    box = PLACE.cell_box(row * 10 + col)
    return lambda picture: picture.count(colour, box) == 0


def lacks_box(box: layout.Box, colour: tuple[int, int, int]) -> Callable[[Picture], bool]:
    """Return how to tell that a colour is not seen in a rectangle."""
    return lambda picture: picture.count(colour, box) == 0


def paints(box: layout.Box, colour: tuple[int, int, int]) -> Callable[[Picture], bool]:
    """Return how to tell that a colour is seen in a rectangle."""
    return lambda picture: picture.count(colour, box) > 20


@pytest.fixture(scope="module")
def display() -> Iterator[dict[str, str]]:
    """Yield the environment for programs on a screen of this module's own."""
    with screen() as env:
        yield env


@contextmanager
def playing(env: dict[str, str], given: bytes) -> Iterator[Window]:
    """Start the program with a piped set-up and yield its window."""
    with window_of(COMMAND, env, "Sinks", subprocess.PIPE, given) as opened:
        opened.sees("the board", paints(PLACE.whole(), drawing.WOOD[0]))
        yield opened


def keys_of(text: str) -> list[str]:
    """Return X11's names of the keys that type a text."""
    return [{" ": "space", "\r": "Return"}.get(letter, letter) for letter in text]


def click_fields(opened: Window, *fields: tuple[int, int]) -> None:
    for field in fields:
        opened.click(*spot(*field))


def click_button(opened: Window, key: str) -> None:
    opened.click(*layout.BUTTONS[key].centre())


@pytest.mark.slow("drives a window at a human pace")
def test_a_game_with_the_mouse_on_a_real_screen(display: dict[str, str]) -> None:
    with playing(display, SETUP) as opened:
        opened.sees("Light's turn", paints(layout.TURN_CARD, LIGHT))
        click_fields(opened, (3, 3))
        opened.sees("a target", shows(3, 1, drawing.GO_EDGE))
        click_fields(opened, (3, 1))
        opened.sees("the block rolled", shows(3, 1, LIGHT))
        opened.sees("the block gone", lacks(3, 3, LIGHT))
        opened.settle()
        click_button(opened, "f")
        opened.sees("whom to freeze", paints(layout.BUTTONS["f"], drawing.GOLD))
        click_fields(opened, (5, 5))
        opened.sees("a frozen block", shows(5, 5, drawing.ICE_DARK))
        click_fields(opened, (2, 1))
        opened.sees("a target of the sink", shows(1, 0, drawing.GO_EDGE))
        click_fields(opened, (1, 0))
        opened.sees("the sink pushed", shows(1, 0, drawing.PIT))
        opened.sees("Dark's turn", paints(layout.TURN_CARD, DARK))
        opened.settle()
        click_fields(opened, (5, 5))
        opened.sees("a refusal", paints(layout.MESSAGE_BAR, drawing.ALARM))
        click_button(opened, "b")
        opened.sees("where to bomb", paints(layout.BUTTONS["b"], drawing.GOLD))
        click_fields(opened, (8, 4))
        opened.sees("the bomb", shows(8, 4, drawing.BOMB_DARK))
        click_button(opened, "v")
        opened.sees("the bomb hidden", lacks(8, 4, drawing.BOMB_DARK))
        opened.ask_to_close()
        assert opened.status() == 0
        assert opened.process.stderr is not None
        assert opened.process.stderr.read() == b""


@pytest.mark.slow("drives a window at a human pace")
def test_typed_moves_bombs_and_a_new_game_on_a_real_screen(display: dict[str, str]) -> None:
    with playing(display, SETUP) as opened:
        opened.type("b")
        opened.sees("the mode", paints(layout.BUTTONS["b"], drawing.GOLD))
        click_fields(opened, (7, 6))
        opened.sees("the bomb", shows(7, 6, drawing.BOMB_DARK))
        opened.type("3", "space", "3", "space", "u", "Return")
        opened.sees("a refusal", paints(layout.MESSAGE_BAR, drawing.ALARM))
        opened.type("5", "space", "3", "space", "l", "Return")
        opened.sees("the cube rolled", shows(5, 1, LIGHT))
        opened.sees("the bomb unseen by Dark", lacks(7, 6, drawing.BOMB_DARK))
        opened.settle()
        opened.type("v", "v")
        opened.sees("the button lit", paints(layout.BUTTONS["v"], drawing.GOLD))
        assert lacks(7, 6, drawing.BOMB_DARK)(opened.picture())
        opened.type("6", "space", "6", "space", "u", "Return")
        opened.sees("the news of the bomb", paints(layout.MESSAGE_BAR, drawing.GOLD))
        opened.sees("the block gone", lacks(6, 6, DARK))
        opened.settle()
        opened.type("n")
        card = layout.start_cards(4)[3]
        opened.sees("the start positions", paints(card, drawing.PIT))
        opened.click(*card.centre())
        opened.sees("the block again", shows(6, 6, DARK))
        opened.type("q")
        assert opened.status() == 0


@pytest.mark.slow("drives a window at a human pace")
def test_the_end_of_a_game_on_a_real_screen(display: dict[str, str]) -> None:
    with playing(display, b"s 2 1 3 l d 3 3 d a 6 6 #") as opened:
        click_fields(opened, (4, 4))
        opened.sees("a sink as the target", paints(PLACE.box(1, 3, 2, 2), drawing.GOLD))
        click_fields(opened, (2, 3))
        opened.sees("the banner", paints(layout.AGAIN, drawing.GOLD))
        opened.settle()
        opened.click(*layout.AGAIN.centre())
        opened.sees("the start positions", paints(layout.start_cards(4)[0], drawing.PIT))


@pytest.mark.slow("drives a window at a human pace")
@pytest.mark.parametrize("put_away", ["key", "click"])
def test_the_final_board_can_be_seen_on_a_real_screen(
    put_away: str, display: dict[str, str]
) -> None:
    with playing(display, b"s 2 1 3 l d 3 3 d a 6 6 #") as opened:
        opened.type("3", "space", "3", "space", "d", "Return")
        opened.sees("the banner", paints(layout.AGAIN, drawing.GOLD))
        opened.settle()
        if put_away == "key":
            opened.type("space")
        else:
            opened.click(*layout.AGAIN._replace(left=layout.AGAIN.left - 99).centre())
        seen = opened.sees("the board", lacks_box(layout.AGAIN, drawing.GOLD))
        assert lacks_box(layout.BANNER, drawing.ROOM)(seen)
        assert paints(layout.TURN_CARD, LIGHT)(seen)
        assert lacks_box(layout.BUTTONS["v"], drawing.INK)(seen)


@pytest.mark.slow("drives a window at a human pace")
def test_bombs_stay_hidden_from_hasty_fingers_on_a_real_screen(display: dict[str, str]) -> None:
    lit = paints(layout.BUTTONS["v"], drawing.GOLD)
    asked = paints(layout.MESSAGE_BAR, drawing.GOLD)
    with playing(display, SETUP) as opened:
        opened.type(*keys_of("8 4 b\r"))
        opened.sees("the bomb", shows(8, 4, drawing.BOMB_DARK))
        opened.type(*keys_of("5 3 l\rv"))
        seen = opened.settle()
        assert paints(layout.TURN_CARD, DARK)(seen)
        assert not lit(seen)
        opened.type("i")  # a key that came late on a busy machine may have asked: take it back
        opened.sees("no question", lambda picture: not asked(picture))
        opened.type("v", "v")
        opened.sees("Dark's bombs", lit)
        opened.type(*keys_of("6 6 r\r"))
        opened.sees("the block rolled", shows(6, 8, DARK))
        opened.settle()
        opened.type(*keys_of("6 5 f\r4 3 u\rv"))
        opened.sees("Light's turn", paints(layout.TURN_CARD, LIGHT))
        seen = opened.settle()
        assert not lit(seen)
        assert lacks(8, 4, drawing.BOMB_DARK)(seen)
        opened.type("i")
        opened.sees("no question", lambda picture: not asked(picture))
        click_button(opened, "v")
        opened.sees("the question", asked)
        opened.type("i")
        opened.sees("the question taken back", lambda picture: not asked(picture))
        click_button(opened, "v")
        seen = opened.sees("the question", asked)
        assert lacks(8, 4, drawing.BOMB_DARK)(seen)
        click_button(opened, "v")
        opened.sees("the bomb again", shows(8, 4, drawing.BOMB_DARK))


TAP_MS = 80  # between the taps of a quick hand


@pytest.mark.slow("drives a window at a human pace")
def test_quick_taps_of_arrows_on_a_real_screen(display: dict[str, str]) -> None:
    with playing(display, SETUP) as opened:
        opened.type("i")
        opened.sees("the cursor", shows(5, 5, drawing.ICE_DARK))
        for _ in range(2):
            opened.tap(*["Down"] * 5, delay=TAP_MS)
            opened.sees("the cursor below", shows(0, 5, drawing.ICE_DARK))
            for _ in range(5):
                opened.tap("Up", delay=TAP_MS)
            opened.sees("the cursor back", shows(5, 5, drawing.ICE_DARK))
            opened.tap("Left", "Up", "Right", "Right", "Up", "Left", delay=TAP_MS)
            opened.sees("the cursor above", shows(7, 5, drawing.ICE_DARK))
            opened.tap("Down", "Down", delay=TAP_MS)
            opened.sees("the cursor back", shows(5, 5, drawing.ICE_DARK))


@pytest.mark.slow("drives a window at a human pace")
def test_a_long_typed_line_stays_in_its_place_on_a_real_screen(display: dict[str, str]) -> None:
    with playing(display, SETUP) as opened:
        before = opened.settle()
        opened.type("3", *["W"] * 30)
        opened.sees("the line", paints(layout.TYPED_LINE.shrunk(4), drawing.INK))
        seen = opened.settle()
        left, bottom, width, height = layout.TYPED_LINE
        for beside in ((0, bottom, left + 4, height), (left + width - 4, bottom, 28, height)):
            assert seen.part(*beside) == before.part(*beside)


def test_the_start_is_chosen_on_screen_and_an_interrupt_ends_it(display: dict[str, str]) -> None:
    master, slave = pty.openpty()
    try:
        with window_of(COMMAND, display, "Sinks", slave) as opened:
            cards = layout.start_cards(3)
            opened.sees("the start positions", paints(cards[2], drawing.PIT))
            opened.type("3")
            opened.sees("the open start", shows(3, 3, LIGHT))
            opened.type("i")
            opened.sees("the cursor", shows(5, 5, drawing.ICE_DARK))
            up = shows(6, 5, drawing.ICE_DARK)
            opened.hold("Up", lambda: up(opened.picture()), "the cursor above")
            opened.type("h")
            opened.sees("the help", paints(layout.Box(300, 60, 400, 20), drawing.GOLD))
            opened.process.send_signal(signal.SIGINT)
            assert opened.status() == 130
    finally:
        os.close(master)
        os.close(slave)


@pytest.mark.parametrize("display", [{}, {"DISPLAY": ":987654"}])
def test_without_a_display_there_is_one_line_and_status_2(display: dict[str, str]) -> None:
    others = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")
    env = {name: value for name, value in os.environ.items() if name not in others}
    env.update(display)
    ended = subprocess.run(
        COMMAND, env=env, input=SETUP, capture_output=True, timeout=60, check=False
    )
    assert ended.returncode == 2
    assert ended.stdout == b""
    assert ended.stderr.startswith(b"gridhouse: the window cannot be opened: ")
    assert ended.stderr.count(b"\n") == 1
