"""Nim to the outside: its parameters, and how positions and moves are written."""

from __future__ import annotations

from gridhouse.games.nim import rules
from gridhouse.games.nim.rules import Position, Refusal

from gridhouse.core.game import Game, Parameter, Preset


class NimGame(Game):
    """Nim with a row of stones."""

    name = "nim"
    title = "Nim"
    summary = "Take one or two stones."
    how_to_play = "Take one or two stones in turn. The player who cannot move has lost."
    players = ("First", "Second")
    parameters = (
        Parameter("rows", 1, "rows", low=1, high=1),
        Parameter("cols", 5, "stones", low=1, high=20),
    )
    presets = {
        "standard": Preset("Five stones", "Over in a moment."),
        "long": Preset("Nine stones", "A little longer.", cols=9),
    }
    move_form = "count"
    can_repeat = False
    rules = rules
    num_actions = rules.MOST
    refusals = {Refusal.TOO_MANY: "so many stones are not there"}

    def initial_position(self, seed: int | str) -> Position:
        """Return the full row."""
        return self.read("o" * self.cols)

    def write(self, position: Position) -> str:
        """Return the stones; an exclamation mark means that Second is to move."""
        return "o" * position.left + "!" * position.turn

    def read(self, text: str) -> Position:
        """Return the position that a text spells, else raise PositionError."""
        stones = text.strip().rstrip("!")
        turns = len(text.strip()) - len(stones)
        if stones != "o" * len(stones) or len(stones) > self.cols or turns > 1:
            raise self.wrong_position(text, f"it is not 0 to {self.cols} o, then perhaps !")
        position = Position()
        position.left, position.turn = len(stones), turns
        return position

    def write_move(self, position: Position, action: int) -> str:
        """Return how many stones are taken."""
        return str(action + 1)

    def read_move(self, position: Position, text: str) -> int | None:
        """Return the action that a text spells, or None."""
        return int(text) - 1 if text in ("1", "2") else None

    def board(self, position: Position) -> list[str]:
        """Return the row of stones."""
        return ["o" * position.left or "-"]


GAME = NimGame
