"""Environment variables that are a word among a few, or a switch."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gridhouse.core.console import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

ON = ("1", "true", "yes", "on")
OFF = ("0", "false", "no", "off")


def read_word(name: str, words: Sequence[str]) -> str:
    """Return the word in a variable, in small letters, or the first one if the variable is empty.

    Raises UsageError for any other.
    """
    text = os.environ.get(name) or words[0]
    if text.lower() not in words:
        raise UsageError(f"{name}={text}: it should be {', '.join(words[:-1])} or {words[-1]}")
    return text.lower()


def read_switch(name: str) -> bool:
    """Tell whether a variable switches something on; raises UsageError for another word."""
    return read_word(name, (*OFF, *ON)) in ON
