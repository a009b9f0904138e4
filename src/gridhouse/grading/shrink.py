"""The shortest session that still fails: delta debugging (Zeller and Hildebrandt, 2002)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from gridhouse.core.sessions import Session
    from gridhouse.grading.games import Grading

SHORT = 6  # lines, up to which nothing shorter is looked for elsewhere
MOST_OTHERS = 30  # other sessions that are run
CHECKS = 10  # smaller sessions that are looked at for each that may be run


def shrink(
    grading: Grading,
    session: Session,
    fails: Callable[[Session], bool],
    most_runs: int,
    may_fail: Callable[[Session], bool] = lambda _: True,
    others: Iterable[Session] = (),
) -> Session:
    """Return a session that fails as this one does, and has no part that it could do without.

    ``fails`` runs the program, ``may_fail`` tells without a run whether it is worth one.  After
    ``most_runs`` runs the smallest session so far is returned.  What cannot be shortened step by
    step may have a short relative among the ``others``.
    """
    runs, checks = most_runs, CHECKS * most_runs
    tried = {session}

    def still_fails(smaller: Session) -> bool:
        nonlocal runs, checks
        if smaller in tried or not runs or not checks:
            return False
        tried.add(smaller)
        checks -= 1
        if not may_fail(smaller):
            return False
        runs -= 1
        return fails(smaller)

    session = _smallest(grading, session, still_fails)
    if len(session.lines) <= SHORT:
        return session
    runs = min(runs, MOST_OTHERS)
    shorter = (other for other in others if len(other.lines) < len(session.lines))
    for other in sorted(shorter, key=lambda other: len(other.lines)):
        if still_fails(other):
            runs = most_runs
            return _smallest(grading, other, still_fails)
    return session


def _smallest(grading: Grading, session: Session, fails: Callable[[Session], bool]) -> Session:
    """Return the session without what it can do without."""
    before = None
    while session != before:
        before = session
        session = _simpler(grading, session, fails)  # first, since its steps may be large
        session = _fewer_lines(grading, session, fails)
    return session


def _fewer_lines(grading: Grading, session: Session, fails: Callable[[Session], bool]) -> Session:
    """Return the session without any block of lines that can be left out."""
    size = 1 << len(session.lines).bit_length()
    while size:
        for smaller in _without_blocks(grading, session, size):
            if fails(smaller):
                session = smaller
                break
        else:
            size //= 2
    return session


def _without_blocks(grading: Grading, session: Session, size: int) -> Iterator[Session]:
    """Yield the session without a block of lines, the last block first; blocks overlap.

    Each comes without what the block was needed for, and as it is where the session ends too early.
    """
    is_legal = grading.legal(session) == session
    for end in range(len(session.lines), 0, -max(1, size // 2)):
        start = max(0, end - size)
        smaller = session._replace(lines=session.lines[:start] + session.lines[end:])
        if not is_legal:
            yield smaller
        yield grading.legal(smaller)


def _simpler(grading: Grading, session: Session, fails: Callable[[Session], bool]) -> Session:
    """Return the session made simpler by the game's own steps, as long as one of them fails."""
    while True:
        for simpler in grading.simpler(session):
            if fails(simpler):
                session = simpler
                break
        else:
            return session
