"""Right and faulty programs to check: the exported ones, with some of their text replaced."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from gridhouse.export import export
from gridhouse.grading.games import grading_of


@cache
def exported(game: str) -> str:
    """Return the text of a game's exact program in one file."""
    script = grading_of(game).SCRIPT
    with TemporaryDirectory() as folder:
        export(game, folder, script)
        return (Path(folder) / script).read_text()


def write_program(folder: Path, game: str, *replaced: tuple[str, str]) -> Path:
    """Write a game's exact program, with these texts replaced, and return its path."""
    text = exported(game)
    for old, new in replaced:
        assert old in text, old
        text = text.replace(old, new, 1)
    path = folder / grading_of(game).SCRIPT
    path.write_text(text)
    return path
