"""The shortest session that still fails: delta debugging (Zeller and Hildebrandt, 2002)."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from gridhouse.core.sessions import Session
    from gridhouse.grading.games import Grading

MOST_OTHERS = 30  # other sessions that are run


def shrink(
    grading: Grading,
    session: Session,
    fails: Callable[[Session], bool],
    most_runs: int,
    others: Collection[Session] = (),
) -> Session:
    """Return a session that fails as this one does, and has no part that it could do without.

    ``fails`` runs the program; after ``most_runs`` runs the smallest session so far is returned.
    What cannot be shortened step by step may have a short relative among the ``others``.
    """
    left = most_runs

    def still_fails(smaller: Session) -> bool:
        nonlocal left
        left -= 1
        return left >= 0 and fails(smaller)

    before = None
    while session != before and left > 0:
        before = session
        session = _fewer_lines(session, still_fails)
        session = _simpler(grading, session, still_fails)
        session = _other(session, others, still_fails)
    return session


def _other(
    session: Session, others: Iterable[Session], fails: Callable[[Session], bool]
) -> Session:
    """Return the shortest of the first few other sessions that are shorter and fail as well."""
    shorter = (other for other in others if len(other.lines) < len(session.lines))
    for other in itertools.islice(sorted(shorter, key=lambda other: len(other.lines)), MOST_OTHERS):
        if fails(other):
            return other
    return session


def _fewer_lines(session: Session, fails: Callable[[Session], bool]) -> Session:
    """Return the session without any block of lines that can be left out."""
    size = (len(session.lines) + 1) // 2
    while size:
        for smaller in _without_blocks(session, size):
            if fails(smaller):
                session = smaller
                break
        else:
            size //= 2
            continue
        size = min(size, len(session.lines) // 2) or min(1, len(session.lines))
    return session


def _without_blocks(session: Session, size: int) -> Iterator[Session]:
    """Yield the session without a block of lines, the last block first."""
    for end in range(len(session.lines), 0, -size):
        start = max(0, end - size)
        yield session._replace(lines=session.lines[:start] + session.lines[end:])


def _simpler(grading: Grading, session: Session, fails: Callable[[Session], bool]) -> Session:
    """Return the session made simpler by the game's own steps, as long as one of them fails."""
    while True:
        for simpler in grading.simpler(session):
            if fails(simpler):
                session = simpler
                break
        else:
            return session
