"""Sessions with a game's exact program, their parts, and the reasons of answers.

A game's ``grading.py`` makes sessions and explains them; ``gridhouse.grading`` runs them.
"""

from __future__ import annotations

from typing import Callable, NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    import random

    from gridhouse.core.game import State


class Session(NamedTuple):
    """One run of a program: arguments, files of its working folder, and typed lines.

    With ``calls`` the program is imported and these expressions are evaluated one after the
    other, the module ``random`` seeded with ``seed``; results other than None are printed, but not
    of a call that ends in a semicolon.  ``lines`` are what is typed meanwhile.  ``start`` is the
    position that a submission has drawn instead of the document's; "" otherwise.
    """

    lines: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    files: tuple[tuple[str, str], ...] = ()
    calls: tuple[str, ...] = ()
    seed: float = 0.0
    start: str = ""

    @property
    def typed(self) -> str:
        """The text of standard input."""
        return "".join(line + "\n" for line in self.lines)


class Reason(NamedTuple):
    """Why the document's program prints a line: a rule in plain words, and its section.

    ``kind`` names the rule in short; two differences of one kind are taken for one fault.
    """

    kind: str
    text: str
    section: str


END_OF_OUTPUT = Reason("end of output", "the document's program prints nothing more", "")


class Mistake(NamedTuple):
    """A wrong answer after so many ``typed`` lines: what was wanted, in words, and what came.

    ``state`` is the position before it, None where there is none.  ``session`` leads there without
    the program's own choices, None where nothing does.
    """

    typed: int
    wanted: str
    printed: str
    reason: Reason
    state: State | None = None
    session: Session | None = None


class Part(NamedTuple):
    """A group of sessions that test one thing, and its points in the default rubric.

    A part without points holds cases in which the document is silent: differences are reported
    and cost nothing.  ``weight`` is how often it is drawn, as against the other parts.  An
    ``extra`` part gives points on top of the others, an ``optional`` one is run where it is asked
    for.  ``judge`` finds the first mistake in an output that chance or strength decides, so that it
    cannot be compared.

    A fault that shows in every session should cost its own part alone.  So ``view`` returns the
    lines that the part is about, each as it is compared, "" for the others; and ``follow`` returns
    the session that goes on from the position that a submission has drawn, None where that is the
    document's.  Profiles under which every byte counts use neither.
    """

    points: float
    about: str
    make: Callable[[random.Random], Session]
    weight: int = 1
    extra: bool = False
    optional: bool = False
    judge: Callable[[Session, str], Mistake | None] | None = None
    view: Callable[[Session, list[str]], list[str]] | None = None
    follow: Callable[[Session, list[str]], Session | None] | None = None
