"""Generated sessions: the exact program answers each, and every line of it has a reason."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

import gridhouse
from gridhouse.core.components import component
from gridhouse.core.errors import GridhouseError
from gridhouse.core.registry import game_class
from gridhouse.core.sessions import Session
from gridhouse.grading.compare import Profile, lines_of
from gridhouse.grading.games import grading_of, sessions_of
from gridhouse.grading.reference import transcript

GRADED = [name for name in gridhouse.games() if component(game_class(name), "grading")]


def test_every_game_with_a_program_is_graded() -> None:
    assert [
        cls.name for cls in map(game_class, gridhouse.games()) if component(cls, "program")
    ] == (GRADED)


@pytest.mark.parametrize("name", GRADED)
def test_every_line_has_a_reason_and_every_session_a_position(name: str) -> None:
    grading, cls = grading_of(name), game_class(name)
    kinds = set()
    parts = set()
    for part, session in sessions_of(grading, 24, "reasons"):
        parts.add(part)
        if grading.PARTS[part].judge:  # which gives its reasons itself
            continue
        expected = transcript(cls, session)
        assert expected.status == 0
        lines = lines_of(expected.text, Profile.TOKENS, grading)
        for line in lines[:: max(3, len(lines) // 20)]:  # each replays the session
            typed = expected.typed_before(line.offset)
            reason = grading.explain(session, typed, line.text)
            assert reason.kind
            assert reason.text
            assert reason.section
            kinds.add(reason.kind)
        for typed in range(0, len(session.lines) + 1, max(2, len(session.lines) // 10)):
            state = grading.state_at(session, typed)
            assert state is None or state.board() is not None
        for simpler in itertools.islice(grading.simpler(session), 4):
            assert simpler != session
            assert transcript(cls, simpler).status in (0, 2)
    assert parts == {name for name, part in grading.PARTS.items() if not part.optional}
    assert len(kinds) >= 7


@pytest.mark.parametrize("name", GRADED)
def test_a_seed_gives_the_same_sessions(name: str) -> None:
    grading = grading_of(name)
    first = list(sessions_of(grading, 20, "a"))
    assert first == list(sessions_of(grading, 20, "a"))
    assert first != list(sessions_of(grading, 20, "b"))
    part = next(iter(grading.PARTS))
    assert {name for name, _ in sessions_of(grading, 3, "a", [part])} == {part}


@pytest.mark.parametrize("name", GRADED)
def test_lines_are_parts_of_the_output_in_its_order(name: str) -> None:
    grading, cls = grading_of(name), game_class(name)
    for _, session in sessions_of(grading, 8, "lines"):
        text = transcript(cls, session).text
        for profile in Profile:
            end = 0
            for line in lines_of(text, profile, grading):
                assert line.offset >= end
                end = line.offset + len(line.text)
                assert text[line.offset : end] == line.text


def test_a_reference_knows_how_far_it_was_when_a_line_was_read() -> None:
    session = Session(("game 1 1", "show"))
    expected = transcript(game_class("binary"), session)
    assert expected.text == "= 1\n\n.\n= 1\n\n"
    assert expected.reads == (0, 5)
    assert [expected.typed_before(offset) for offset in (0, 4, 5, 9)] == [1, 1, 2, 2]


def test_a_reference_leaves_folder_and_chance_as_they_were() -> None:
    before = random.getstate()
    session = Session(("x", "no.pieces", "2", "2"))
    assert transcript(game_class("tactego"), session).status == 2
    assert random.getstate() == before


def test_a_game_without_grading_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def only_collapse(cls: Any, name: str) -> object:
        return component(cls, name) if cls.name == "collapse" else None

    monkeypatch.setattr("gridhouse.grading.games.component", only_collapse)
    with pytest.raises(GridhouseError, match=r"^sinks has no grading; these games have: collapse$"):
        grading_of("sinks")


def test_calls_are_evaluated_with_a_seed() -> None:
    calls = ("swap_position('care', 0, 2)", "print_grid('ab c')", "move('ab c', 'L')")
    expected = transcript(game_class("sliding"), Session(calls=calls))
    assert expected.text.startswith("'race'\n+---+---+\n| a | b |\n")
