"""The sliding word puzzle: ``python3 a1.py [--words FILE]``, or its functions one by one."""

import os.path
import sys

from gridhouse.core.console import run
from gridhouse.games.sliding import program
from gridhouse.games.sliding.program import (
    check_win,
    get_game_solution,
    move,
    print_grid,
    shuffle_puzzle,
    swap_position,
)
from gridhouse.games.sliding.texts import WORDS_FILE

__all__ = ["check_win", "main", "move", "print_grid", "shuffle_puzzle", "swap_position"]


def main():
    """Play with ``words.txt`` of the working folder, or else with the one beside this file."""
    own = os.path.join(os.path.dirname(os.path.realpath(__file__)), WORDS_FILE)
    words_file = WORDS_FILE if os.path.exists(WORDS_FILE) else own
    program.play(words_file, get_game_solution, shuffle_puzzle)


if __name__ == "__main__":
    sys.exit(run(program.main if sys.argv[1:] else lambda _: main(), sys.argv[1:]))
