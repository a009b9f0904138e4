"""Programs that ask for the set-up in another order than the document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gridhouse.grading.compare import Profile, lines_of

if TYPE_CHECKING:
    from gridhouse.core.sessions import Session
    from gridhouse.grading.games import Grading
    from gridhouse.grading.submissions import Submission


def order_of_questions(
    grading: Grading, submission: Submission, session: Session
) -> tuple[str, ...]:
    """Return the order in which a program asks for the set-up, by answering question by question.

    Where it does not ask just the document's questions, return the document's order.
    """
    asked: list[str] = []
    while len(asked) < len(grading.SETUP):
        answers = tuple(session.lines[grading.SETUP.index(name)] for name in asked)
        output = submission.run(session._replace(lines=answers))
        names = [line.key.strip("<>") for line in lines_of(output.text, Profile.COURSE, grading)]
        questions = [name for name in names if name in grading.SETUP]
        if len(questions) <= len(asked) or questions[: len(asked)] != asked:
            return grading.SETUP
        asked.append(questions[len(asked)])
        if len(set(asked)) < len(asked):
            return grading.SETUP
    return tuple(asked)


def reorder(grading: Grading, session: Session, order: tuple[str, ...]) -> Session:
    """Return the session with the answers of the set-up in another order; calls ask for none."""
    count = len(order)
    if session.calls or len(session.lines) < count:
        return session
    answers = [session.lines[grading.SETUP.index(name)] for name in order]
    return session._replace(lines=(*answers, *session.lines[count:]))
