"""Plays at random: the Binary Game, and with the package gridhouse any other game of two."""

from __future__ import annotations

import random
import re
import sys

import engine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Grid:
    """A position of the Binary Game and its rules."""

    def __init__(self, player: engine.Engine) -> None:
        """Play a game's moves from its start; raises ValueError."""
        self.rows, self.cols = map(int, re.findall(r"=(\d+)", player.game))
        empty = "/".join(["." * self.cols] * self.rows)
        start = player.start or empty
        if re.sub("[01]", ".", start) != empty:
            raise ValueError("these are no rows of this size: " + start)
        self.cells = {
            (x, y): digit for y, row in enumerate(start.split("/")) for x, digit in enumerate(row)
        }
        for move in player.moves:
            self.play(move)

    def play(self, move: str) -> None:
        """Play a move; raises ValueError if it is not legal."""
        if move not in self.legal_moves():
            raise ValueError(move + " is not legal")
        x, y, digit = move.split()
        self.cells[int(x), int(y)] = digit

    def legal_moves(self) -> list[str]:
        """Return the texts of all legal moves."""
        return [
            f"{x} {y} {digit}" for x, y in self.cells for digit in "01" if self.allows(x, y, digit)
        ]

    def allows(self, x: int, y: int, digit: str) -> bool:
        """Return whether a digit may be written: no three in a row, no more than half of a line."""
        if self.cells[x, y] != ".":
            return False
        self.cells[x, y] = digit
        column = "".join(self.cells[x, other] for other in range(self.rows))
        row = "".join(self.cells[other, y] for other in range(self.cols))
        self.cells[x, y] = "."
        return all(
            3 * digit not in line and line.count(digit) <= (len(line) + 1) // 2
            for line in (column, row)
        )


class RandomPlayer(engine.Engine):
    """A player that takes any legal move."""

    name = "random player"

    def plays(self, game: str) -> bool:
        """Without the package only the Binary Game's rules are known."""
        if engine.gridhouse is None:
            return game.startswith("binary(")
        start = engine.gridhouse.parse(game + "#0")
        return start.game.num_players == 2 and "hidden=True" not in game

    def state(self) -> Any:
        """Return the position of the package, or the grid."""
        return Grid(self) if engine.gridhouse is None else super().state()

    def genmove(self) -> str | None:
        """Return any legal move."""
        moves = self.state().legal_moves()
        return random.choice(moves) if moves else None


if __name__ == "__main__":
    random.seed(sys.argv[1] if sys.argv[1:] else None)
    RandomPlayer().serve()
