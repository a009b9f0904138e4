"""The exact program of Collapse's document: ``assignment3.py input.txt``."""

from __future__ import annotations

from gridhouse.core.console import UsageError, read_file, read_line
from gridhouse.core.errors import PositionError
from gridhouse.games.collapse import rules
from gridhouse.games.collapse.game import CollapseGame, read_board

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gridhouse.games.collapse.rules import Position

SCRIPTS = {"assignment3.py": ("main",)}
USAGE = "INPUT.txt"
ABOUT = "INPUT.txt holds the board: rows of digits 0 to 9, separated by spaces."

PROMPT = "Please enter a row and a column number: "
WRONG_SIZE = "Please enter a correct size!"
NO_MOVEMENT = "No movement happened try again"
GAME_OVER = "Game over"


def show(game: CollapseGame, position: Position) -> None:
    """Print the board, an empty line, the score and an empty line; a cleared board has no rows."""
    for line in game.board(position):
        print(line)
    print(f"\nYour score is: {position.score}", end="\n\n")


def turn(game: CollapseGame, position: Position) -> None:
    """Ask for a cell, pick it if that is legal, and print the result."""
    line = read_line(PROMPT)
    print()
    action = game.read_move(position, line)
    refusal = rules.Refusal.BLANK if action is None else rules.refusal(position, action)
    if action is None or refusal == rules.Refusal.BLANK:
        print(WRONG_SIZE, end="\n\n")
        return
    if refusal == rules.Refusal.ALONE:
        print(NO_MOVEMENT, end="\n\n")
    else:
        rules.apply_action(position, action)
    show(game, position)


def main(arguments: list[str]) -> None:
    """Play the board of a file until no group is left."""
    if len(arguments) != 1:
        raise UsageError(f"one argument is needed, the board's file, not {len(arguments)}")
    try:
        game, position = CollapseGame.from_board(read_board(read_file(arguments[0])))
    except PositionError as error:
        raise UsageError(f"{arguments[0]!r}: {error}") from None
    show(game, position)
    while not rules.is_terminal(position):
        turn(game, position)
    print(GAME_OVER)
