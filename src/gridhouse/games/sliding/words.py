"""The words of the puzzles: one a line of a file."""

from __future__ import annotations

import os.path
import random

from gridhouse.core.console import read_text
from gridhouse.games.sliding import texts


def words_of(text: str, length: int) -> list[str]:
    """Return the words of a text that have this length, in their order.

    A word stands alone on its line and is printable; anything else is passed over.
    """
    words = (line.strip() for line in text.split("\n"))
    return [
        word
        for word in words
        if len(word) == length and word.isprintable() and texts.EMPTY not in word
    ]


def load_words(file_name: str, length: int) -> list[str]:
    """Return the words of a file that have this length, in the file's order; raises OSError."""
    return words_of(read_text(file_name), length)


def own_words_file() -> str:
    """Return the path of the words that come with the game."""
    return os.path.join(os.path.dirname(__file__), texts.WORDS_FILE)


def get_game_solution(file_name: str, grid_size: int) -> str:
    """Return the words of a new puzzle, drawn from a file by the module ``random``, as one text.

    Raises OSError if the file cannot be read and ValueError if it has no words of this length.
    """
    words = load_words(file_name, grid_size)
    if not words:
        raise ValueError(f"{file_name!r} has no words of {grid_size} letters")
    return "".join(random.choices(words, k=grid_size))
