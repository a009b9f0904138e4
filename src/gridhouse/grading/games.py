"""The games whose programs can be graded: those with a module ``grading``."""

from __future__ import annotations

import itertools
import random
from typing import TYPE_CHECKING, Any, Protocol, cast

from gridhouse.core.components import component
from gridhouse.core.errors import GridhouseError
from gridhouse.core.registry import game_class, games

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from gridhouse.core.game import State
    from gridhouse.core.sessions import Part, Reason, Session


class Grading(Protocol):
    """The module ``grading`` of a game."""

    SCRIPT: str  # the file name that the document asks for
    CALLS: str  # the module of the game whose functions a session may call
    STATUS: str  # how the last line of each answer begins; "" where lines have no answers
    SUPPORT: tuple[str, ...]  # files of the course that stand beside a submission
    PROMPTS: dict[str, str]  # regular expressions of the document's prompts, each with a name
    LOOSE_PROMPTS: dict[str, str]  # the same, of prompts that ask for the same thing
    SETUP: tuple[str, ...]  # the prompts whose order a program may have changed
    PARTS: dict[str, Part]

    def course(self, lines: list[str]) -> list[str]:
        """Return each line as the course's own tests compare it, "" where they pass over it."""

    def state_at(self, session: Session, typed: int) -> State | None:
        """Return the position after `typed` lines, None where there is none."""

    def explain(self, session: Session, typed: int, line: str) -> Reason:
        """Return why the document's program prints a line after `typed` lines."""

    def resume(self, session: Session) -> None:
        """Run the exact program from a session's own start; only where a part follows one."""

    def legal(self, session: Session) -> Session:
        """Return the session without the lines that end it too early, but for its last one."""

    def simpler(self, session: Session) -> Iterator[Session]:
        """Yield sessions that are simpler than this one in another way than by fewer lines."""


def grading_of(name: str) -> Grading:
    """Return the grading of a game; raises GridhouseError where it has none."""
    module: Any = component(game_class(name), "grading")
    if module is None:
        graded = [other for other in games() if component(game_class(other), "grading")]
        raise GridhouseError(f"{name} has no grading; these games have: {', '.join(graded)}")
    return cast("Grading", module)


def sessions_of(
    grading: Grading, count: int, seed: str, parts: Collection[str] = ()
) -> Iterator[tuple[str, Session]]:
    """Yield sessions of these parts, or of all, with the parts' names; a seed gives the same ones.

    Each part comes as often as its weight says.
    """
    chosen = {
        name: part
        for name, part in grading.PARTS.items()
        if (name in parts if parts else not part.optional)
    }
    order = [name for name, part in chosen.items() for _ in range(part.weight)]
    random.Random(0).shuffle(order)
    for number, part in enumerate(itertools.islice(itertools.cycle(order), count)):
        yield part, grading.PARTS[part].make(random.Random(f"{seed}/{part}/{number}"))
