"""The exact program of Tactego's document: four questions, then the game."""

from __future__ import annotations

import random

from gridhouse.core.console import UsageError, read_file, read_line
from gridhouse.core.errors import ParameterError
from gridhouse.core.notation import parse_integer, parse_integers, seed_bytes, shown
from gridhouse.games.tactego import rules
from gridhouse.games.tactego.game import SIDES, TactegoGame, parse_army
from gridhouse.games.tactego.rules import Position, Refusal

SCRIPTS = {"tactego.py": ("main", "tactego")}
USAGE = ""
ABOUT = "The program asks for a seed, a pieces file and the size of the board."

SIZES = range(1, rules.MAX_SIDE + 1)

ASK_SEED = "What is seed? "
ASK_FILE = "What is the filename for the pieces? "
ASK_LENGTH = "What is the length? "
ASK_WIDTH = "What is the width? "
ASK_START = "Select Piece to Move by Position >> "
ASK_END = "Select Position to move Piece >> "
BAD_START = "You must select a starting position with one of your pieces, not a flag."
STUCK = "That piece cannot move anywhere, you must select another one."
BAD_END = "You must select an ending position which is either empty or has an enemy piece."


def ask_cell(game: TactegoGame, prompt: str) -> int | None:
    """Return the typed cell, None if it is not on the board."""
    numbers = parse_integers(read_line(prompt), 2)
    return game.cell(*numbers) if numbers else None


def ask_start(game: TactegoGame, position: Position) -> int:
    """Ask until the player gives a cell from which a piece can move."""
    while True:
        cell = ask_cell(game, ASK_START)
        if cell is None or rules.start_refusal(position, cell) != Refusal.NONE:
            print(BAD_START)
        elif not rules.can_leave(position, cell):
            print(STUCK)
        else:
            return cell


def ask_end(game: TactegoGame, position: Position, start: int) -> int:
    """Ask until the player gives a cell to which the piece can move; return the action."""
    while True:
        cell = ask_cell(game, ASK_END)
        action = None if cell is None else game.action(start, cell)
        if action is not None and rules.refusal(position, action) == Refusal.NONE:
            return action
        print(BAD_END)


def play(game: TactegoGame, position: Position) -> None:
    """Play until a side has won."""
    print("\n".join(game.board(position)))
    while not rules.is_terminal(position):
        start = ask_start(game, position)
        rules.apply_action(position, ask_end(game, position, start))
        print("\n".join(game.board(position)))
    print(f"{SIDES[rules.winner(position)]} has won the game")


def tactego(pieces_file: str, length: int, width: int) -> None:
    """Play a game with the pieces of a file on a board of length rows and width columns.

    The module ``random`` shuffles the pieces from its current state.  Raises UsageError for a
    file or a size that is not valid, before any board is printed.
    """
    for name, size in (("length", length), ("width", width)):
        if size not in SIZES:
            raise UsageError(f"{name}: {shown(str(size))} is not a size from 1 to {rules.MAX_SIDE}")
    try:
        army = parse_army(read_file(pieces_file).split("\n"))
        # The document has no draw.
        game = TactegoGame.from_army(army, length, width, limit=0)
    except ParameterError as error:
        raise UsageError(f"{pieces_file!r}: {error}") from None
    play(game, game.shuffled(random))


def ask_size(prompt: str) -> int:
    """Return the typed size; raises UsageError if it is not valid."""
    text = read_line(prompt)
    size = parse_integer(text.strip())
    if size is None or size not in SIZES:
        raise UsageError(f"{shown(text)} is not a size from 1 to {rules.MAX_SIDE}")
    return size


def main(arguments: list[str]) -> None:
    """Ask the four questions of the document and play."""
    if arguments:
        raise UsageError(f"no argument is needed, {len(arguments)} given: the program asks")
    random.seed(seed_bytes(read_line(ASK_SEED)))
    file_name = read_line(ASK_FILE)
    length = ask_size(ASK_LENGTH)
    tactego(file_name, length, ask_size(ASK_WIDTH))
