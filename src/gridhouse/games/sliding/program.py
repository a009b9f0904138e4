"""The exact program of the sliding puzzle's document, and the functions that it asks for."""

from __future__ import annotations

import random
from math import isqrt

from gridhouse.core.console import UsageError, read_file, read_line
from gridhouse.core.notation import parse_integer
from gridhouse.games.sliding import rules, texts
from gridhouse.games.sliding.game import (
    DIRECTIONS,
    grid_lines,
    position_of,
    puzzle_text,
    shuffle,
    solution_text,
    swap_position,
)
from gridhouse.games.sliding.words import get_game_solution, own_words_file, words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gridhouse.games.sliding.rules import Position

__all__ = [
    "check_win",
    "get_game_solution",
    "main",
    "move",
    "play",
    "print_grid",
    "shuffle_puzzle",
    "swap_position",
]

SCRIPTS = {"a1.py": ()}  # the module of this name
SUPPORT = ("a1_support.py",)
FILES = (texts.WORDS_FILE,)
LICENCES = ("words.LICENSE.txt",)
USAGE = "[--words FILE]"
ABOUT = "FILE holds the words of the puzzles, one a line, instead of those that come with the game."

WORDS_OPTION = "--words"
AGAIN = ("Y", "y", "")


def shuffle_puzzle(solution: str) -> str:
    """Return a solvable puzzle for a solution, shuffled by the module ``random``."""
    return shuffle(solution, random)


def check_win(puzzle: str, solution: str) -> bool:
    """Tell whether a puzzle shows its solution, with the empty tile at the bottom right.

    >>> check_win("abcdefgh ", "abcdefghi")
    True
    """
    return puzzle == solution[:-1] + texts.EMPTY


def move(puzzle: str, direction: str) -> str | None:
    """Return the puzzle after a move of its empty tile, or None if that is not possible.

    >>> move("abcdefgh ", "U")
    'abcde ghf'
    """
    if direction not in DIRECTIONS:
        return None
    side = isqrt(len(puzzle))
    position = position_of(puzzle, puzzle, side, side)
    action = DIRECTIONS.index(direction)
    if rules.is_off_board(position, action):
        return None
    rules.apply_action(position, action)
    return puzzle_text(position)


def print_grid(puzzle: str) -> None:
    """Print a puzzle in its frame."""
    print("\n".join(grid_lines(puzzle, isqrt(len(puzzle)))))


def show(position: Position) -> None:
    """Print solution and puzzle."""
    print("Solution:")
    print_grid(solution_text(position))
    print("\nCurrent position:")
    print_grid(puzzle_text(position))
    print()


def ask_size(text: str) -> int:
    """Ask for a difficulty until the text has words for it, and return it."""
    while True:
        size = parse_integer(read_line(texts.BOARD_SIZE_PROMPT).strip())
        if size is not None and rules.MIN_SIDE <= size <= rules.MAX_SIDE and words_of(text, size):
            return size
        print(texts.WRONG_DIFFICULTY)


def turn(position: Position) -> bool:
    """Ask for an action and carry it out; return False if the player gives up."""
    text = read_line(texts.DIRECTION_PROMPT)
    if text == texts.GIVE_UP:
        print(texts.GIVE_UP_MESSAGE)
        return False
    if text == texts.HELP:
        print(texts.HELP_MESSAGE)
    elif text not in DIRECTIONS:
        print(texts.INVALID_MESSAGE)
    elif rules.refusal(position, DIRECTIONS.index(text)):
        print(texts.INVALID_MOVE_FORMAT.format(text))
    else:
        rules.apply_action(position, DIRECTIONS.index(text))
    return True


def play_puzzle(position: Position) -> None:
    """Play a puzzle until it is solved or given up."""
    show(position)
    while not rules.is_terminal(position):
        if not turn(position):
            return
        show(position)
    print(texts.WIN_MESSAGE)


def play(
    words_file: str,
    new_solution: Callable[[str, int], str],
    new_puzzle: Callable[[str], str],
) -> None:
    """Play puzzles of a file's words until the player stops.

    The functions give a solution for a words file and a size, and a puzzle for a solution; each is
    called once a game.  Raises UsageError, before anything is printed, if the file has no words
    that could be used.
    """
    text = read_file(words_file)
    if not any(words_of(text, size) for size in range(rules.MIN_SIDE, rules.MAX_SIDE + 1)):
        raise UsageError(f"{words_file!r} holds no words of 2 to 14 letters, one a line")
    print(texts.WELCOME_MESSAGE)
    again = AGAIN[0]
    while again in AGAIN:
        size = ask_size(text)
        solution = new_solution(words_file, size)
        play_puzzle(position_of(new_puzzle(solution), solution, size, size))
        again = read_line(texts.PLAY_AGAIN_PROMPT)
    print(texts.BYE)


def main(arguments: list[str]) -> None:
    """Play with the words that come with the game, or with those of ``--words FILE``."""
    if not arguments:
        play(own_words_file(), get_game_solution, shuffle_puzzle)
    elif len(arguments) == 2 and arguments[0] == WORDS_OPTION:
        play(arguments[1], get_game_solution, shuffle_puzzle)
    else:
        raise UsageError(f"the arguments are {USAGE}")
