"""The sliding word puzzle: ``python3 a1.py``, or its functions one by one."""

import os.path
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../src"))

from gridhouse.core.console import UsageError, run
from gridhouse.games.sliding.program import (
    check_win,
    move,
    play,
    print_grid,
    swap_position,
)
from gridhouse.games.sliding.program import shuffle as shuffle_puzzle
from gridhouse.games.sliding.texts import WORDS_FILE

__all__ = ["check_win", "main", "move", "print_grid", "shuffle_puzzle", "swap_position"]


def main() -> None:
    """Play with ``words.txt`` of the working folder, or else with the one beside this file."""
    own = os.path.join(os.path.dirname(os.path.realpath(__file__)), WORDS_FILE)
    play(WORDS_FILE if os.path.exists(WORDS_FILE) else own)


def _program(arguments: list[str]) -> None:
    if arguments:
        raise UsageError(f"no argument is needed, {len(arguments)} given")
    main()


if __name__ == "__main__":
    sys.exit(run(_program, sys.argv[1:]))
