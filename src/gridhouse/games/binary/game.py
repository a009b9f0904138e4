"""The Binary Game: sizes, and texts of positions and moves."""

from __future__ import annotations

from gridhouse.core.game import Game, Parameter, Preset, State
from gridhouse.core.notation import parse_integers
from gridhouse.games.binary import rules
from gridhouse.games.binary.rules import Position, Refusal

DIGITS = "01"
EMPTY = "."


class BinaryGame(Game):
    """A grid of ``rows`` by ``cols``; a move is ``x y digit``, x to the right and y downwards."""

    name = "binary"
    title = "Binary Game"
    summary = "Write 0 or 1, never three in a row: the last to move wins."
    how_to_play = (
        "Two players in turn write a 0 or a 1 into an empty cell. In the pictures a ring is 0 "
        "and a bar is 1. Three equal digits may not stand beside each other, across or down. "
        "Each row and column holds each digit at most half of its length, rounded up. The "
        "player who makes the last move wins.\n"
        "A move is x y digit: x to the right and y downwards, both from 0 at the top left."
    )
    players = ("Player 1", "Player 2")
    parameters = (
        Parameter("rows", 6, "rows of the grid", low=1, high=rules.MAX_SIDE),
        Parameter("cols", 6, "columns of the grid", low=1, high=rules.MAX_SIDE, label="Columns"),
    )
    presets = {
        # On boards of an even number of cells the second player wins by symmetry.
        "small": Preset("Quick", "5 by 5. Over in five minutes.", rows=5, cols=5),
        "standard": Preset("Standard", "7 by 7. Room for traps.", rows=7, cols=7),
        "large": Preset("Long", "9 by 9. Half an hour of careful counting.", rows=9, cols=9),
    }
    usual = "small"
    move_form = "x y digit"
    file_holds = "a grid"
    can_repeat = False
    rules = rules
    refusals = {
        Refusal.OCCUPIED: "occupied",
        Refusal.THREE_IN_A_ROW: "three in a row",
        Refusal.TOO_MANY_0: "too many 0",
        Refusal.TOO_MANY_1: "too many 1",
    }

    def prepare(self) -> None:
        """Count the actions."""
        self.num_actions = 2 * self.rows * self.cols

    def initial_position(self, seed: int | str) -> Position:
        """Return the empty grid; the seed is not used."""
        del seed
        position = Position()
        position.rows = self.rows
        position.cols = self.cols
        rules.start(position)
        return position

    def action(self, x: int, y: int, digit: int) -> int:
        """Return the action that writes the digit at column x of row y."""
        return 2 * (y * self.cols + x) + digit

    def start_from_file(self, text: str, seed: int | str) -> State:
        """Start from a grid of 0, 1 and dots, one row a line; its size is the game's."""
        del seed
        lines = text.split()
        game = BinaryGame(rows=len(lines), cols=max(map(len, lines), default=0))
        return game.parse("/".join(lines))

    def board(self, position: Position) -> list[str]:
        """Return the grid, one text a row, a dot for an empty cell."""
        digits = DIGITS + EMPTY  # digit_at returns -1 for an empty cell
        return [
            "".join(digits[rules.digit_at(position, x, y)] for x in range(self.cols))
            for y in range(self.rows)
        ]

    def write(self, position: Position) -> str:
        """Return the rows from the top, ``0./..``; the player to move follows from them."""
        return "/".join(self.board(position))

    def read(self, text: str) -> Position:
        """Return the position of such a text; the order of its moves does not matter."""
        lines = text.split("/")
        if len(lines) != self.rows or any(len(line) != self.cols for line in lines):
            raise self.wrong_position(text, f"it needs {self.rows} rows of {self.cols} cells")
        position = self.initial_position(0)
        for y, line in enumerate(lines):
            for x, cell in enumerate(line):
                if cell not in DIGITS + EMPTY:
                    raise self.wrong_position(text, "a cell is 0, 1 or a dot")
                if cell != EMPTY:
                    action = self.action(x, y, int(cell))
                    refusal = rules.refusal(position, action)
                    if refusal:
                        reason = f"{self.refusals[refusal]} at {x} {y}"
                        raise self.wrong_position(text, reason)
                    rules.apply_action(position, action)
        return position

    def write_move(self, position: Position, action: int) -> str:
        """Return ``x y digit``."""
        del position
        cell, digit = divmod(action, 2)
        y, x = divmod(cell, self.cols)
        return f"{x} {y} {digit}"

    def read_move(self, position: Position, text: str) -> int | None:
        """Return the action of ``x y digit``, or None."""
        del position
        numbers = parse_integers(text, 3)
        if numbers is None:
            return None
        x, y, digit = numbers
        if self.cell(y, x) is None or not 0 <= digit <= 1:
            return None
        return self.action(x, y, digit)

    def outcome(self, position: Position) -> str:
        """Return the winner in words: the player who made the last move."""
        return f"{self.players[1 - rules.current_player(position)]} wins"

    def reason(self, position: Position) -> str:
        """Return who cannot move."""
        return f"{self.players[rules.current_player(position)]} has no move left"


GAME = BinaryGame
