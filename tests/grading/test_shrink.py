"""Shrinking keeps what fails, and leaves nothing that could go."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gridhouse.core.sessions import Session
from gridhouse.grading.games import grading_of
from gridhouse.grading.shrink import shrink

BINARY = grading_of("binary")
WORDS = st.lists(st.sampled_from("abcdefgh"), max_size=30)


@given(WORDS, st.sets(st.sampled_from("abcdefgh"), max_size=3))
def test_the_lines_that_matter_are_left(lines: list[str], needed: set[str]) -> None:
    if not needed <= set(lines):
        return
    runs: list[Session] = []

    def fails(session: Session) -> bool:
        runs.append(session)
        return needed <= set(session.lines)

    smallest = shrink(BINARY, Session(tuple(lines)), fails, 200)
    assert sorted(smallest.lines) == sorted(needed)
    assert len(runs) <= 200


def test_a_board_shrinks_as_well() -> None:
    def fails(session: Session) -> bool:
        return any(line.startswith("game") and "1" not in line.split() for line in session.lines)

    session = Session(("show", "game 6 5", "show"))
    assert shrink(BINARY, session, fails, 200) == Session(("game 2 2",))


def test_runs_are_bounded() -> None:
    runs: list[Session] = []

    def fails(session: Session) -> bool:
        runs.append(session)
        return True

    shrink(BINARY, Session(tuple("abcdefgh" * 8)), fails, 3)
    assert len(runs) == 3
