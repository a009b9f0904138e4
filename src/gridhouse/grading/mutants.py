"""Mutants: a game's exact program with a fault planted in it, to see what tests find."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from gridhouse.core.sessions import Session
from gridhouse.export import export
from gridhouse.grading.check import Check
from gridhouse.grading.compare import Profile
from gridhouse.grading.games import grading_of

if TYPE_CHECKING:
    from gridhouse.grading.submissions import Submission

FILE = "mutants.json"
RUNS = 12  # in which a session has to show a fault, so that chance is not likely to play a part


class Mutant(NamedTuple):
    """A text of the exact program that is replaced, and what the fault is, in plain words.

    ``known`` is a short session that shows it, written by hand.  ``found`` is one whose lines the
    game can explain, as ``gridhouse check`` finds them; it is None where none is known.  It shows
    the fault in every run, whatever chance does.
    """

    name: str
    old: str
    new: str
    known: Session
    found: Session | None


def mutants() -> dict[str, list[Mutant]]:
    """Return the mutants of each game."""
    data = json.loads(resources.files(__package__).joinpath(FILE).read_text(encoding="utf-8"))
    return {game: [_mutant(fault) for fault in faults] for game, faults in data.items()}


def _mutant(fault: dict[str, Any]) -> Mutant:
    found = fault["found"]
    return Mutant(
        fault["name"],
        fault["old"],
        fault["new"],
        session_from(fault["session"]),
        None if found is None else session_from(found),
    )


def noted(mutant: Mutant, program: Submission, session: Session) -> Session:
    """Return what is noted as ``found`` for a session in which a check has found the fault.

    It is the hand-written one where chance hides the fault in some runs of the other.
    """
    check = Check(program, Profile.COURSE)
    is_always_wrong = all(check.compare("", session) for _ in range(RUNS))
    return session if is_always_wrong else mutant.known


def session_from(data: dict[str, Any]) -> Session:
    """Return the session that :func:`session_data` wrote."""
    lines, arguments, calls = (
        tuple(data.get(name, ())) for name in ("lines", "arguments", "calls")
    )
    files, start = tuple(data.get("files", {}).items()), data.get("start", "")
    return Session(lines, arguments, files, calls, data.get("seed", 0.0), start)


def session_data(session: Session) -> dict[str, Any]:
    """Return a session as the file has it, without what is empty."""
    data = {name: value for name, value in session._asdict().items() if value}
    return {**data, "files": dict(session.files)} if session.files else data


@cache
def exact_program(game: str) -> str:
    """Return the text of a game's exact program in one file."""
    script = grading_of(game).SCRIPT
    with TemporaryDirectory() as folder:
        export(game, folder, script)
        return (Path(folder) / script).read_text(encoding="utf-8")


def write_program(folder: Path, game: str, *replaced: tuple[str, str]) -> Path:
    """Write a game's exact program, with these texts replaced, and return its path."""
    text = exact_program(game)
    for old, new in replaced:
        assert old in text, old
        text = text.replace(old, new, 1)
    path = folder / grading_of(game).SCRIPT
    path.write_text(text, encoding="utf-8")
    return path
