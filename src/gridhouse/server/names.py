"""The names that visitors give themselves: what a name may hold."""

from __future__ import annotations

import unicodedata

from gridhouse.server.settings import MAX_NAME

MAX_MARKS = 2  # combining marks on one letter: enough for real languages


class NoNameError(ValueError):
    """A text is not a valid name; the message is the reason."""


def read_name(text: str) -> str:
    """Return the name in a text, "" for none; raises NoNameError.

    Invisible characters, and those that change the direction of text, are refused.
    """
    name = unicodedata.normalize("NFC", " ".join(text.split()))
    if len(name) > MAX_NAME:
        raise NoNameError(f"a name may have at most {MAX_NAME} characters")
    if not name.isprintable():
        raise NoNameError("a name must not contain invisible characters")
    marks = "".join("x" if unicodedata.category(letter)[0] == "M" else " " for letter in name)
    if "x" * (MAX_MARKS + 1) in marks:
        raise NoNameError(f"a letter of a name may have at most {MAX_MARKS} marks")
    return name
