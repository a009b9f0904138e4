"""Grading of programs for Collapse's document: boards, picks, and the reasons of the output."""

from __future__ import annotations

import re

from gridhouse.core.game import State
from gridhouse.core.sessions import Part, Reason, Session
from gridhouse.games.collapse import rules
from gridhouse.games.collapse.game import CollapseGame, read_board
from gridhouse.games.collapse.program import PROMPT

TYPE_CHECKING = False
if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

SCRIPT = "assignment3.py"
CALLS = "program"
STATUS = ""
SUPPORT: tuple[str, ...] = ()
FILE = "input.txt"
PROMPTS = {"cell": re.escape(PROMPT)}
SETUP: tuple[str, ...] = ()
LOOSE_PROMPTS = {"cell": r"please enter a row and a column number[^\S\n]*[:?>]*[^\S\n]?"}

GAME_PLAY = "3 Game Play"
FALLING = "2 Assignment"
TOP_ROW = "a blank top row is left out, and rows are counted anew"


def course(lines: list[str]) -> list[str]:
    """Return the lines without blanks at their ends; the figure cannot show those."""
    return [line.rstrip() for line in lines]


def _view_boards(session: Session, keys: list[str]) -> list[str]:
    """Keep the rows of boards."""
    return [key if re.fullmatch(r"[\d\s]+", key) else "" for key in keys]


def _view_scores(session: Session, keys: list[str]) -> list[str]:
    """Keep the scores."""
    return [key if "score" in key.lower() else "" for key in keys]


def _view_errors(session: Session, keys: list[str]) -> list[str]:
    """Keep messages and boards, without prompts and scores."""
    return ["" if key == "<cell>" or "score" in key.lower() else key for key in keys]


def _view_ends(session: Session, keys: list[str]) -> list[str]:
    """Keep prompts and the end of the game."""
    return [key if key == "<cell>" or "over" in key.lower() else "" for key in keys]


class Writer:
    """A session in the making, carried out as it is written."""

    def __init__(self, rows: list[list[int]]) -> None:
        """Begin with a board, the top row first."""
        text = "".join(" ".join(map(str, row)) + "\n" for row in rows)
        self.files = ((FILE, text),)
        self.lines: list[str] = []
        self.state = _start(text)

    def pick(self, text: str) -> None:
        """Type a line."""
        self.lines.append(text)
        _carry_out(self.state, text)

    def group(self, source: random.Random) -> None:
        """Type a cell of a group, or nothing where the game is over."""
        if not self.state.is_terminal():
            self.pick(self.state.action_to_string(source.choice(self.state.legal_actions())))

    def single(self, source: random.Random) -> None:
        """Type a cell without an equal neighbour, where there is one."""
        position, game = self.state.position, self.state.game
        alone = [
            game.write_move(position, action)
            for action in range(game.num_actions)
            if rules.refusal(position, action) == rules.Refusal.ALONE
        ]
        if alone:
            self.pick(source.choice(alone))

    def wrong(self, source: random.Random) -> None:
        """Type a cell just off the board or far from it, or a blank one where there is one."""
        cols, tall = self.state.game.cols, self.state.position.tall
        row, col = source.randint(1, max(1, tall)), source.randint(1, cols)
        off = [(0, col), (row, 0), (tall + 1, col), (row, cols + 1), (-1, col), (row, -1), (99, 99)]
        blank = [
            (row, col)
            for row in range(1, tall + 1)
            for col in range(1, cols + 1)
            if self._is_wrong(f"{row} {col}")
        ]
        row, col = source.choice(source.choice((off, blank or off)))
        self.pick(f"{row} {col}")

    def _is_wrong(self, text: str) -> bool:
        position = self.state.position
        action = self.state.game.read_move(position, text)
        return action is None or rules.refusal(position, action) == rules.Refusal.BLANK

    def session(self) -> Session:
        """Return the session."""
        return Session(tuple(self.lines), arguments=(FILE,), files=self.files)


def _start(text: str) -> State:
    return State(*CollapseGame.from_board(read_board(text)))


def _carry_out(state: State, text: str) -> None:
    action = state.game.read_move(state.position, text)
    if action is not None and not state.is_terminal() and not state.refusal(action):
        state.apply_action(action)


def _board(source: random.Random, digits: int = 0) -> list[list[int]]:
    rows, cols = (source.choice((1, 1, 2, 3, 4, 5, 6, 7, 9)) for _ in range(2))
    most = digits or source.choice((2, 3, 3, 4, 5, 10))
    return [[source.randrange(most) for _ in range(cols)] for _ in range(rows)]


def _make_starts(source: random.Random) -> Session:
    return Writer(_board(source)).session()


def _make_picks(source: random.Random) -> Session:
    writer = Writer(_board(source))
    for _ in range(source.randint(1, 12)):
        writer.group(source)
    return writer.session()


def _make_errors(source: random.Random) -> Session:
    writer = Writer(_board(source))
    for _ in range(source.randint(2, 6)):
        if not writer.state.is_terminal():
            source.choice((writer.single, writer.wrong))(source)
        writer.group(source)
    return writer.session()


def _make_ends(source: random.Random) -> Session:
    writer = Writer(_board(source, source.choice((1, 2, 2, 3))))
    while not writer.state.is_terminal():
        writer.group(source)
    return writer.session()


def _make_silent(source: random.Random) -> Session:
    writer = Writer(_board(source, 3))
    writer.group(source)
    if not writer.state.is_terminal():
        writer.pick(source.choice(("", "1", "a b", "1 1 1", "1.0 1", "one 2")))
    return writer.session()


PARTS = {
    "starts": Part(10, "the board at the start", _make_starts, view=_view_boards),
    "picks": Part(25, "groups, falling and closing up", _make_picks, view=_view_boards),
    "scores": Part(10, "the score", _make_picks, view=_view_scores),
    "errors": Part(
        20, "wrong cells and cells without an equal neighbour", _make_errors, view=_view_errors
    ),
    "ends": Part(25, "whole games to Game over", _make_ends, view=_view_ends),
    "silent": Part(0, "lines that are not two whole numbers", _make_silent),
}


def state_at(session: Session, typed: int) -> State:
    """Return the board after `typed` lines."""
    state = _start(dict(session.files)[session.arguments[0]])
    for line in session.lines[:typed]:
        _carry_out(state, line)
    return state


def explain(session: Session, typed: int, line: str) -> Reason:
    """Return why the program prints a line after `typed` lines."""
    state = state_at(session, typed)
    if line.startswith("Your score"):
        return _score(session, typed)
    if line.startswith("Game over"):
        return Reason("over", "no cell has an equal neighbour any more", GAME_PLAY)
    if PROMPT.startswith(line.strip()) and line.strip():
        return Reason("goes on", "there is a group left, so the game goes on", GAME_PLAY)
    if typed == 0:
        return Reason("start", "the board is printed as the file has it", GAME_PLAY)
    picked = session.lines[typed - 1]
    before = state_at(session, typed - 1)
    action = before.game.read_move(before.position, picked)
    if action is None or before.refusal(action):
        return _refusal(before, picked, action)
    if state.position.wide < before.position.wide:
        kind, text = "close", "empties a column, so the columns on its right move left"
    elif state.position.tall < before.position.tall:
        kind, text = "top row", f"empties the top row: {TOP_ROW}"
    else:
        kind, text = "fall", "removes its group, and the cells above fall"
    if before.position.tall < state_at(session, 0).position.tall:
        text += f"; {TOP_ROW}, as before this pick"
    return Reason(kind, f"the pick {picked} {text}", FALLING)


def _refusal(state: State, picked: str, action: int | None) -> Reason:
    """Return why a pick is refused."""
    if action is None:
        return Reason("size", f"{picked!r} is no cell of the board", GAME_PLAY)
    if state.refusal(action) == rules.Refusal.BLANK:
        return Reason("blank", f"{picked} is a blank cell, which is out of bounds", GAME_PLAY)
    return Reason("alone", f"the cell {picked} has no neighbour with its digit", GAME_PLAY)


def _score(session: Session, typed: int) -> Reason:
    """Return why the score is what it is."""
    score, text = state_at(session, typed).position.score, ""
    if typed:
        scored = score - state_at(session, typed - 1).position.score
        text = f"the pick {session.lines[typed - 1]} scores {scored}, its digit times the cells; "
    text += f"the score below the board is {score}"
    return Reason("score", text, "4 The Scoring")


def legal(session: Session) -> Session:
    """Return the session as it is: a refused line ends no game."""
    return session


def simpler(session: Session) -> Iterator[Session]:
    """Yield the session on a board without one of its rows or columns."""
    rows = [line.split() for line in dict(session.files)[FILE].splitlines()]
    smaller = [rows[:at] + rows[at + 1 :] for at in range(len(rows)) if len(rows) > 1]
    smaller += [
        [row[:at] + row[at + 1 :] for row in rows] for at in range(len(rows[0])) if len(rows[0]) > 1
    ]
    for board in smaller:
        text = "".join(" ".join(row) + "\n" for row in board)
        yield session._replace(files=((FILE, text),))
