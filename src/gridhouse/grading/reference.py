"""The exact program as the reference: its output, and how far it was at each typed line."""

from __future__ import annotations

import io
import os
import random
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from unittest import mock

from gridhouse.core import console
from gridhouse.core.components import component
from gridhouse.grading.driver import evaluate
from gridhouse.grading.games import grading_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gridhouse.core.game import Game
    from gridhouse.core.sessions import Session


class Transcript(NamedTuple):
    """The output of a program; ``reads`` are the lengths of the output when a line was read."""

    text: str
    reads: tuple[int, ...]
    status: int

    def typed_before(self, offset: int) -> int:
        """Return how many lines had been typed when the output at an offset was printed."""
        return sum(read <= offset for read in self.reads)


class _Typed(io.TextIOWrapper):
    """Standard input that notes the length of the output at every line that is read."""

    def __init__(self, text: str, out: io.StringIO) -> None:
        super().__init__(io.BytesIO(text.encode("utf-8", "surrogateescape")), newline="\n")
        self.out = out
        self.reads: list[int] = []

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]
        line = super().readline(size)
        if line:
            self.reads.append(self.out.tell())
        return line


def transcript(cls: type[Game], session: Session) -> Transcript:
    """Run a game's exact program in this process, in a folder of its own."""
    grading = grading_of(cls.name)
    program, called = component(cls, "program"), component(cls, grading.CALLS)
    assert program is not None  # a game without a program has no grading either
    out, err = io.StringIO(), io.StringIO()
    typed = _Typed(session.typed, out)

    def main(arguments: list[str]) -> None:
        if session.calls:
            evaluate(vars(called), session.seed, session.calls)
        elif session.start:
            grading.resume(session)
        else:
            program.main(arguments)

    with (
        _folder(session),
        mock.patch.object(sys, "stdin", typed),
        mock.patch.object(sys, "stdout", out),
        mock.patch.object(sys, "stderr", err),
    ):
        status = console.run(main, list(session.arguments))
    return Transcript(out.getvalue(), tuple(typed.reads), status)


@contextmanager
def _folder(session: Session) -> Iterator[None]:
    """Work in a new folder with the session's files; put the state of ``random`` back after."""
    state, before = random.getstate(), Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        for name, text in session.files:
            (Path(folder) / name).write_text(text, encoding="utf-8", errors="surrogateescape")
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)
            random.setstate(state)
