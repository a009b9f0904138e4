"""Grades: the points of a submission by part, and the faults that cost them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Fault:
    """One way in which a program differs, by the shortest session that shows it.

    ``count`` is how many sessions of the part fail in this way.  ``typed`` are the lines up to the
    difference, ``expected`` and ``printed`` the lines that differ, their blanks made visible, and
    ``output`` is all that the program printed.  ``position`` is the board before the last typed
    line, ``picture`` the same as SVG; both are "" where there is none.  ``failure`` says how a
    program ended that should have gone on, "" if it did not, and ``errors`` are the last lines of
    its standard error.
    """

    kind: str
    rule: str
    section: str
    count: int
    is_hidden: bool
    failure: str
    arguments: tuple[str, ...]
    files: tuple[tuple[str, str], ...]
    calls: tuple[str, ...]
    typed: tuple[str, ...]
    expected: str
    printed: str
    output: str
    position: str
    picture: str
    errors: tuple[str, ...] = ()


@dataclass(frozen=True)
class PartGrade:
    """The grade of one part: points, sessions passed, and faults, the most frequent first.

    A part without points holds cases in which the document is silent.  The points of an extra part
    come on top of the others'.
    """

    name: str
    about: str
    points: float
    out_of: float
    passed: int
    total: int
    hidden_passed: int
    hidden_total: int
    faults: tuple[Fault, ...]
    is_extra: bool = False


@dataclass(frozen=True)
class Grade:
    """The grade of one submission.

    ``problem`` says in one line why a submission could not be run, "" if it could.  ``notes`` are
    facts for its author: another order of questions, sessions that were not run.  ``crashes`` and
    ``timeouts`` count sessions.
    """

    name: str
    game: str
    parts: tuple[PartGrade, ...]
    problem: str = ""
    notes: tuple[str, ...] = ()
    crashes: int = 0
    timeouts: int = 0

    @property
    def points(self) -> float:
        """The sum of the parts' points, rounded to hundredths."""
        return round(sum(part.points for part in self.parts), 2)

    @property
    def out_of(self) -> float:
        """The sum of what the parts give at most, without the extra ones."""
        return round(sum(part.out_of for part in self.parts if not part.is_extra), 2)

    def to_dict(self) -> dict[str, Any]:
        """Return the grade as JSON has it."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Grade:
        """Return the grade that :meth:`to_dict` wrote."""
        parts = tuple(
            PartGrade(**{**part, "faults": tuple(map(_fault, part["faults"]))})
            for part in data["parts"]
        )
        return cls(**{**data, "parts": parts, "notes": tuple(data["notes"])})


def _fault(data: dict[str, Any]) -> Fault:
    lists = {name: tuple(data[name]) for name in ("arguments", "calls", "typed", "errors")}
    return Fault(**{**data, **lists, "files": tuple((name, text) for name, text in data["files"])})
