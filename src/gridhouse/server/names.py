"""The names that visitors give themselves: what a name may hold, and which look the same."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

from gridhouse.server.settings import MAX_NAME

MAX_MARKS = 2  # combining marks on one letter: enough for real languages
MAX_TYPED = 10 * MAX_NAME  # characters before several become one, as letters and their marks do
MAX_LIKENESS = 3 * MAX_NAME  # characters; some signs stand for whole words
MACHINE = re.compile(r"^(the machine|die maschine)\s*(,|$)")  # as pages call it
EMOJI = "\ufe0f"  # asks for the coloured form of the sign before it
# What shows nothing, although Python calls it printable: the characters that Unicode lets programs
# ignore by default, which are joiners, fillers and selectors of a form, and some blanks.
UNSEEN = re.compile(
    r"[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    r"\U00013441\U00013442\U00016fe4\U0001d159\U000e0100-\U000e01ef]"
)


class NoNameError(ValueError):
    """A text is not a valid name; the message is the reason."""


def read_name(text: str) -> str:
    """Return the name in a text, "" for none; raises NoNameError.

    Invisible characters, and those that change the direction of text, are refused.
    """
    typed = " ".join(text.split())
    # Normalizing takes quadratic time, so what is far too long is not normalized.
    name = unicodedata.normalize("NFC", typed) if len(typed) <= MAX_TYPED else typed
    if len(name) > MAX_NAME or len(likeness(name)) > MAX_LIKENESS:
        raise NoNameError(f"a name may have at most {MAX_NAME} characters")
    hides = UNSEEN.search(name.replace(EMOJI, "")) is not None or not name.isprintable()
    if hides or (name and not likeness(name)):
        raise NoNameError("a name must not contain invisible characters")
    if MACHINE.match(likeness(name)):
        raise NoNameError("this is what the machine is called; choose another name")
    marks = "".join("x" if unicodedata.category(letter)[0] == "M" else " " for letter in name)
    if "x" * (MAX_MARKS + 1) in marks:
        raise NoNameError(f"a letter of a name may have at most {MAX_MARKS} marks")
    return name


def likeness(name: str) -> str:
    """Return a text that is the same for names that look alike, "" for what shows nothing.

    They may differ in capitals, in the width or style of letters, and in what is not seen.
    """
    wide = unicodedata.normalize("NFKC", UNSEEN.sub("", name)).casefold()
    return " ".join(unicodedata.normalize("NFKC", wide).split())


def told_apart(named: list[tuple[str, str]], *, in_turn: bool = True) -> dict[str, str]:
    """Return the names of visitors, each only once: who comes later has a number behind it.

    If they are not ``in_turn``, all who share a name have a number.  Names that look alike are one,
    and a name that shows nothing is none.
    """
    likenesses = [likeness(name) for _, name in named]
    count = Counter(likenesses)
    known = set() if in_turn else set(count)
    numbers = dict.fromkeys(count, 1 if in_turn else 0)  # the latest number of each likeness
    names: dict[str, str] = {}
    for (visitor, name), plain in zip(named, likenesses, strict=True):
        shown, seen = (name, plain) if plain else ("", "")
        is_shared = bool(plain) and (in_turn or count[plain] > 1)
        while is_shared and seen in known:
            numbers[plain] += 1
            # The likeness of a name with a number is its likeness with the number.
            shown, seen = (f"{text} ({numbers[plain]})" for text in (name, plain))
        known.add(seen)
        names[visitor] = shown
    return names
