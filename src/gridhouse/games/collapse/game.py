"""The game Collapse: sizes, board files, and texts of positions and moves."""

from __future__ import annotations

from gridhouse.core.errors import ParameterError, PositionError
from gridhouse.core.game import Game, Parameter, Preset, State
from gridhouse.core.notation import parse_integer, parse_integers, seed_bytes, shown
from gridhouse.games.collapse import rules
from gridhouse.games.collapse.rules import BLANK, CLEARED, Position, Refusal, Scoring

DIGITS = frozenset("0123456789")
DOT = "."
MAX_SCORE = 10**18
SCORINGS = {"linear": Scoring.LINEAR, "samegame": Scoring.SAMEGAME}


def read_board(text: str) -> list[list[int]]:
    """Return the rows of a board file, the top row first.

    A row is digits separated by white space; all rows have the same length.  Blank lines after the
    last row are skipped.  Raises PositionError for anything else.
    """
    text = text.rstrip()
    if not text:
        raise PositionError("the board is empty")
    rows: list[list[int]] = []
    for number, line in enumerate(text.split("\n"), 1):
        tokens = line.split()
        for token in tokens:
            if token not in DIGITS:
                raise PositionError(f"line {number}: {shown(token)} is not a digit 0 to 9")
        if not tokens:
            raise PositionError(f"line {number} is empty")
        rows.append([int(token) for token in tokens])
        if len(tokens) != len(rows[0]):
            raise PositionError(
                f"line {number} has another length than line 1: {len(tokens)} and {len(rows[0])}"
            )
    if max(len(rows), len(rows[0])) > rules.MAX_SIDE:
        raise PositionError(f"a board has at most {rules.MAX_SIDE} rows and columns")
    return rows


class CollapseGame(Game):
    """A board of ``rows`` by ``cols`` with the digits below ``digits``; a move is ``row col``."""

    name = "collapse"
    title = "Collapse"
    summary = "Pick groups of equal digits; the cells above fall down. Score as much as you can."
    how_to_play = (
        "Pick a cell that has a neighbour with the same digit, across or down. All connected "
        "cells with this digit disappear, and each scores its digit. Cells above fall down, "
        "and columns move left over an empty one. The game is over when no two equal digits "
        "are neighbours. With scoring=samegame n cells score (n-2)^2, a cleared board 1000, "
        "and k cells of a digit left at the end cost (k-2)^2.\n"
        "A move is row col, counted from 1 at the top left of the board as it is now."
    )
    players = ("Player",)
    parameters = (
        Parameter("rows", 7, "rows of the board", low=1, high=rules.MAX_SIDE),
        Parameter("cols", 11, "columns of the board", low=1, high=rules.MAX_SIDE, label="Columns"),
        Parameter("digits", 5, "number of digits, from 0", low=1, high=rules.NUM_DIGITS),
        Parameter("scoring", "linear", "linear: digit x cells; samegame: (cells - 2)^2"),
    )
    presets = {
        "small": Preset("Quick", "5 by 5. A minute or two.", rows=5, cols=5, digits=4),
        "standard": Preset("Standard", "7 by 11. Plan a few moves ahead."),
        "large": Preset("Large", "15 by 15. A long harvest.", rows=15, cols=15),
    }
    daily = {"rows": 8, "cols": 10, "digits": 6}  # random picks score far less than the best result
    move_form = "row col"
    file_holds = "a board"
    can_repeat = False
    rules = rules
    refusals = {
        Refusal.BLANK: "the cell is blank",
        Refusal.ALONE: "no neighbour holds the same digit",
    }

    @classmethod
    def from_board(
        cls, rows: list[list[int]], scoring: str = "linear"
    ) -> tuple[CollapseGame, Position]:
        """Return the game of this board's size, and the board's position."""
        highest = max(max(row) for row in rows)
        game = cls(rows=len(rows), cols=len(rows[0]), digits=highest + 1, scoring=scoring)
        return game, game.fill(rows)

    def prepare(self) -> None:
        """Set digits, scoring, and the numbers that follow from them.

        The highest score is that of a board with the highest digit only; with SameGame's scoring,
        that of a board with one digit only.
        """
        self.digits = int(self.values["digits"])
        scoring = str(self.values["scoring"])
        if scoring not in SCORINGS:
            raise ParameterError(f"scoring: {shown(scoring)} is not linear or samegame")
        self.scoring = SCORINGS[scoring]
        self.num_actions = self.rows * self.cols
        if self.scoring == Scoring.LINEAR:
            self.max_return = max(1, (self.digits - 1) * self.num_actions)
        else:
            self.max_return = (self.num_actions - 2) ** 2 + CLEARED

    def fill(self, rows: list[list[int]]) -> Position:
        """Return the position with these digits or BLANKs, the top row first; score 0."""
        position = Position(cells=(self.rows + 1) * (self.cols + 2))
        position.rows = position.tall = self.rows
        position.cols = position.wide = self.cols
        position.digits = self.digits
        position.scoring = self.scoring
        position.cells = [BLANK] * len(position.cells)
        for col in range(self.cols):
            first = rules.bottom(position, col)
            position.cells[first : first + self.rows] = [row[col] for row in reversed(rows)]
        rules.settle(position, rules.bottom(position, 0), len(position.cells))
        return position

    def initial_position(self, seed: int | str) -> Position:
        """Return a board of random digits."""
        import random

        draw = random.Random(seed_bytes(seed))
        return self.fill(
            [[draw.randrange(self.digits) for _ in range(self.cols)] for _ in range(self.rows)]
        )

    def start_from_file(self, text: str, seed: int | str) -> State:
        """Start from a board file of the document, which gives the size of the game."""
        del seed
        return State(*self.from_board(read_board(text), str(self.values["scoring"])))

    def _row(self, position: Position, level: int, digits: str) -> list[str]:
        """Return the texts of a row, counted from the bottom; ``digits[-1]`` is a blank's."""
        first = rules.bottom(position, 0) + level
        cells = position.cells[first :: self.rows + 1][: self.cols]
        return [digits[digit] for digit in cells]

    def board(self, position: Position) -> list[str]:
        """Return the rows down from the highest digit, cells joined by a space."""
        return [
            " ".join(self._row(position, level, "0123456789 ")).rstrip()
            for level in reversed(range(position.tall))
        ]

    def status(self, position: Position) -> str:
        """Return the score."""
        return f"Score: {position.score}"

    def write(self, position: Position) -> str:
        """Return score and rows from the top, a dot for a blank cell: ``32 1.../05..``."""
        levels = reversed(range(self.rows))
        lines = ["".join(self._row(position, level, "0123456789.")) for level in levels]
        return f"{position.score} {'/'.join(lines)}"

    def read(self, text: str) -> Position:
        """Return the position of a text from ``write``."""
        first, _, board = text.partition(" ")
        score = parse_integer(first)
        least = 0 if self.scoring == Scoring.LINEAR else 1 - MAX_SCORE
        if score is None or str(score) != first or not least <= score < MAX_SCORE:
            raise self.wrong_position(text, "it begins with the score")
        lines = board.split("/")
        if len(lines) != self.rows or any(len(line) != self.cols for line in lines):
            raise self.wrong_position(text, f"it needs {self.rows} rows of {self.cols} cells")
        rows = [[self._read_cell(text, cell) for cell in line] for line in lines]
        position = self.fill(rows)
        position.score = score
        if self.write(position).partition(" ")[2] != board:
            raise self.wrong_position(text, "a digit hangs over a blank or right of a gap")
        return position

    def _read_cell(self, text: str, cell: str) -> int:
        if cell == DOT:
            return BLANK
        if cell not in DIGITS or int(cell) >= self.digits:
            raise self.wrong_position(text, f"a cell is a digit below {self.digits} or a dot")
        return int(cell)

    def write_move(self, position: Position, action: int) -> str:
        """Return ``row col``, counted from 1, row 1 on top of the board as it is now."""
        row, col = divmod(action, self.cols)
        return f"{row - (self.rows - position.tall) + 1} {col + 1}"

    def read_move(self, position: Position, text: str) -> int | None:
        """Return the action of ``row col``, or None if that is off the board."""
        numbers = parse_integers(text, 2)
        if numbers is None:
            return None
        row, col = numbers
        if not (1 <= row <= position.tall and 1 <= col <= self.cols):
            return None
        return (row - 1 + self.rows - position.tall) * self.cols + col - 1

    def may_be_daily(self) -> bool:
        """Tell whether a board has room and digits for more than half of a daily puzzle."""
        daily = type(self)(**(self.daily or {}))
        return self.digits >= daily.digits and 2 * self.rows * self.cols > daily.rows * daily.cols

    def outcome(self, position: Position) -> str:
        """Return the score, and whether the board is cleared."""
        cleared = "" if position.wide else ", the board is cleared"
        return f"Score {position.score}{cleared}"

    def reason(self, position: Position) -> str:
        """Return what is left of the board."""
        return "No group is left" if position.wide else "The board is cleared"


GAME = CollapseGame
