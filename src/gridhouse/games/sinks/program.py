"""The exact program of the Sinks document: ``sinks.py ROWS COLUMNS GUI`` and standard input."""

from __future__ import annotations

import sys
from itertools import chain

from gridhouse.core.console import Tokens, UsageError
from gridhouse.core.notation import parse_integer
from gridhouse.games.sinks import rules
from gridhouse.games.sinks.document import (
    END_OF_SETUP,
    SinksError,
    error_text,
    parse_action,
    parse_field,
    read_setup,
)
from gridhouse.games.sinks.game import SinksGame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gridhouse.games.sinks.rules import Position

SCRIPTS = {"sinks.py": ("main",)}
USAGE = "ROWS COLUMNS GUI"
ABOUT = (
    "ROWS and COLUMNS are 8 to 10. GUI is 0 for text mode: set-up and moves are read from "
    "standard input; 1 opens a window, with the set-up from standard input if it is piped."
)

NUM_ARGUMENTS = 3


def parse_arguments(arguments: list[str]) -> tuple[int, int, int]:
    """Return rows, columns and the GUI indicator; raises SinksError."""
    if len(arguments) < NUM_ARGUMENTS:
        raise SinksError("Too few arguments")
    if len(arguments) > NUM_ARGUMENTS:
        raise SinksError("Too many arguments")
    sizes = range(rules.MIN_SIDE, rules.MAX_SIDE + 1)
    numbers = []
    for argument, allowed in zip(arguments, (sizes, sizes, range(2))):
        number = parse_integer(argument)
        if number is None or number not in allowed:
            raise SinksError("Illegal argument")
        numbers.append(number)
    rows, cols, gui = numbers
    return rows, cols, gui


def act(position: Position, row: str, col: str, verb: str) -> int:
    """Play a typed action and return its verb; raises SinksError before any change."""
    cell = parse_field(position, row, col)
    action = parse_action(position, cell, verb)
    refusal = rules.refusal(position, action)
    if refusal:
        raise SinksError(error_text(position, cell, action, refusal))
    rules.apply_action(position, action)
    return action % rules.NUM_VERBS


def print_board(game: SinksGame, position: Position) -> None:
    """Print the board."""
    print("\n".join(game.board(position)))


def play_text(game: SinksGame, tokens: Tokens) -> None:
    """Play the game of standard input; raises SinksError."""
    position = read_setup(game.rows, game.cols, game.limit, tokens)
    print_board(game, position)
    while not rules.is_terminal(position):
        row, col, verb = tokens.next(), tokens.next(), tokens.next()
        if act(position, row, col, verb) != rules.FREEZE:
            print_board(game, position)
    print(game.outcome(position))


def main(arguments: list[str]) -> None:
    """Run the program in text mode or open its window."""
    try:
        rows, cols, gui = parse_arguments(arguments)
        game = SinksGame(rows=rows, cols=cols, limit=0)  # the document has no draw
        tokens = Tokens()
        if gui:
            open_window(game, tokens)
        else:
            play_text(game, tokens)
    except SinksError as error:
        print(f"ERROR: {error}")


def piped_setup(game: SinksGame, tokens: Tokens) -> Position | None:
    """Return the start position on standard input, None for a terminal or empty input.

    Raises SinksError, and UsageError if the input ends before the set-up does.
    """
    if sys.stdin.isatty():
        return None
    try:
        first = tokens.next()
    except EOFError:
        return None
    try:
        words = Tokens(chain([first], iter(tokens.next, None)))
        return read_setup(game.rows, game.cols, game.limit, words)
    except EOFError:
        raise UsageError(f"the set-up ends without {END_OF_SETUP}") from None


def open_window(game: SinksGame, tokens: Tokens) -> None:
    """Open the game's window, with the set-up on standard input if it is piped."""
    given = piped_setup(game, tokens)
    from gridhouse.games.sinks import window

    window.run(game, given)
