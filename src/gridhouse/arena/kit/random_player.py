"""Plays at random: the Binary Game, and with the package gridhouse any other game of two."""

from __future__ import annotations

import random
import re
import sys

import engine


class Grid:
    """A position of the Binary Game, and its rules."""

    def __init__(self, player: engine.Engine) -> None:
        """Play a game's moves from its start."""
        self.rows, self.cols = map(int, re.findall(r"=(\d+)", player.game))
        self.cells: dict[tuple[int, int], str] = {}
        for y, row in enumerate(player.start.split("/") if player.start else []):
            self.cells.update({(x, y): digit for x, digit in enumerate(row) if digit != "."})
        for move in player.moves:
            x, y, digit = move.split()
            self.cells[int(x), int(y)] = digit

    def lines(self, x: int, y: int) -> tuple[str, str]:
        """Return the column and the row through a cell, each as a text."""
        column = "".join(self.cells.get((x, other), ".") for other in range(self.rows))
        row = "".join(self.cells.get((other, y), ".") for other in range(self.cols))
        return column, row

    def is_legal(self, x: int, y: int, digit: str) -> bool:
        """Return whether a digit may be written: no three in a row, none more than half."""
        if (x, y) in self.cells:
            return False
        self.cells[x, y] = digit
        lines = self.lines(x, y)
        del self.cells[x, y]
        return all(
            3 * digit not in line and line.count(digit) <= (len(line) + 1) // 2 for line in lines
        )

    def legal_moves(self) -> list[str]:
        """Return the texts of all legal moves."""
        places = [(x, y) for y in range(self.rows) for x in range(self.cols)]
        moves = [(x, y, digit) for x, y in places for digit in "01"]
        return [f"{x} {y} {digit}" for x, y, digit in moves if self.is_legal(x, y, digit)]


class RandomPlayer(engine.Engine):
    """A player that takes any legal move."""

    name = "random player"

    def plays(self, game: str) -> bool:
        """Without the package only the Binary Game's rules are known."""
        if engine.gridhouse is None:
            return game.startswith("binary(")
        start = engine.gridhouse.parse(game + "#0")
        return start.game.num_players == 2 and "hidden=True" not in game

    def refusal(self, move: str) -> str:
        """Ask the package or the grid."""
        if engine.gridhouse is not None:
            return super().refusal(move)
        return "" if move in Grid(self).legal_moves() else move + " is not legal"

    def genmove(self) -> str | None:
        """Return any legal move."""
        board = Grid(self) if engine.gridhouse is None else self.state()
        moves = board.legal_moves()
        return random.choice(moves) if moves else None


if __name__ == "__main__":
    random.seed(sys.argv[1] if sys.argv[1:] else None)
    RandomPlayer().serve()
