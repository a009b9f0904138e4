"""Lessons, rules in pictures and puzzles: the game says to each what their files claim."""

from __future__ import annotations

import csv
import io
import json
import random
import re
from typing import TYPE_CHECKING, Any

import make_puzzles
import pytest

import gridhouse
from gridhouse.core.registry import game_class
from gridhouse.server.learning.exercises import MAX_MOVES, Course, Exercise
from gridhouse.server.learning.lessons import file_of, lesson_of
from gridhouse.server.learning.puzzles import GRADES, following, puzzles_of
from web_helpers import Visitor, open_house

if TYPE_CHECKING:
    from pathlib import Path

NAMES = gridhouse.games()
STEPS = [
    pytest.param(step.exercise, id=f"{name} {number}")
    for name in NAMES
    for number, step in enumerate(lesson_of(name).steps, 1)  # type: ignore[union-attr]
]
MAX_BYTES = 200_000  # of all puzzles
SAMPLE = 3  # puzzles of a game that are always proved


def follow(exercise: Exercise, line: tuple[str, ...]) -> Course:
    """Make the visitor's moves of a line, and see that the replies are those of the line."""
    moves: list[str] = []
    while True:
        course = Course(exercise, moves)
        answer = course.try_move(line[len(moves)])
        assert not answer["failed"]
        assert tuple(answer["moves"]) == line[: len(answer["moves"])]
        moves = answer["moves"]
        if answer["done"]:
            assert len(moves) == len(line)
            assert answer["text"] == exercise.praise
            assert not answer["acts"]
            return course


@pytest.mark.parametrize("exercise", STEPS)
def test_a_step_is_done_by_what_its_text_asks_for(exercise: Exercise) -> None:
    assert exercise.praise
    for line in exercise.lines:
        follow(exercise, line)
    assert bool(exercise.tries) == bool(exercise.refused)
    for move in exercise.tries:
        course = Course(exercise, ())
        assert any(text == move for text, _, _ in course.gestures())
        answer = course.try_move(move)
        assert answer["done"]
        said = answer["text"].removesuffix(exercise.praise).strip(" .").lower()
        assert said == exercise.refused
    if not (exercise.lines or exercise.tries):
        assert Course(exercise, ()).try_move(gridhouse.parse(exercise.start).legal_moves()[0])[
            "done"
        ]


@pytest.mark.parametrize("exercise", STEPS)
def test_nothing_else_does_a_step(exercise: Exercise) -> None:
    state = gridhouse.parse(exercise.start)
    wanted = {line[0] for line in exercise.lines}
    for move in state.legal_moves() if exercise.lines or exercise.tries else []:
        answer = Course(exercise, ()).try_move(move)
        assert answer["done"] <= (move in wanted)
        if exercise.best is None:
            assert answer["failed"] == (move not in wanted)
            assert answer["failed"] <= (answer["text"] == exercise.hint)


@pytest.mark.parametrize("name", NAMES)
def test_a_lesson_is_short_and_ends_with_a_win(name: str) -> None:
    lesson = lesson_of(name)
    assert lesson is not None
    assert 6 <= len(lesson.steps) <= 10
    last = lesson.steps[-1].exercise
    assert follow(last, last.lines[0]).state.is_terminal()
    assert all(len(step.text.split(". ")) <= 4 for step in lesson.steps)


@pytest.mark.parametrize("name", NAMES)
def test_the_rules_are_pictures_of_the_view(visitor: Visitor, name: str) -> None:
    page = visitor.get(f"/rules/{name}").text
    lesson = lesson_of(name)
    assert lesson is not None
    assert page.count("<svg xmlns") == sum(len(rule.pictures) for rule in lesson.rules)
    assert any(len(rule.pictures) > 1 for rule in lesson.rules)
    assert max(len(rule.pictures) for rule in lesson.rules) <= 5  # for which there are films
    for rule in lesson.rules:
        assert len(set(rule.pictures)) == len(rule.pictures)
        assert not rule.refusal or rule.refusal.split(": ")[1].strip(".") in (
            game_class(name).refusals.values()
        )
    assert f'href="/learn/{name}"' in page


def test_the_rules_of_binary_name_rings_and_bars_and_show_what_is_illegal(visitor: Visitor) -> None:
    page = visitor.get("/rules/binary").text
    assert "a ring is 0 and a bar is 1" in page
    assert "2 0 0 is not legal: three in a row." in page


def attempt(visitor: Visitor, path: str, **said: Any) -> tuple[int, dict[str, Any]]:
    """Send an attempt as the page does."""
    answer = visitor.client.post(path, content=json.dumps(said))
    return answer.status_code, answer.json()


def test_a_lesson_is_taken_by_its_page(visitor: Visitor) -> None:
    assert visitor.get("/learn/sinks").headers["location"] == "/learn/sinks/1"
    page = visitor.get("/learn/sinks/7").text
    assert "Two moves make a turn" in page
    assert 'href="/learn/sinks/8"' in page
    path = "/learn/sinks/7"
    status, answer = attempt(visitor, path, move="3 3 l")
    assert (status, answer["moves"], answer["done"]) == (200, ["3 3 l"], False)
    assert [text for text, cells, _ in answer["gestures"] if cells == [25, 24]] == ["3 1 l"]
    _, answer = attempt(visitor, path, moves=["3 3 l"], move="3 1 u")
    assert (answer["failed"], answer["moves"]) == (True, ["3 3 l"])
    _, answer = attempt(visitor, path, moves=["3 3 l"], move="3 1 l")
    assert answer["done"]
    assert answer["status"].startswith("Light: sunk 2 of 4")
    assert 'name="level" value="1"' in visitor.get("/learn/sinks/10").text


def test_the_refusals_of_the_game_answer(visitor: Visitor) -> None:
    _, answer = attempt(visitor, "/learn/sinks/1", cells=[53])
    assert answer["text"] == "The piece does not belong to the right player."
    _, answer = attempt(visitor, "/learn/tactego/5", cells=[5])
    assert answer["done"]
    assert answer["text"].startswith("Flags and mines do not move.")
    _, answer = attempt(visitor, "/learn/binary/2", move="1 1 7")
    assert "is not a move" in answer["text"] or "names no move" in answer["text"]


def test_the_wanted_move_is_shown_on_request(visitor: Visitor) -> None:
    path = "/learn/binary/9"
    _, answer = attempt(visitor, path, shows=True)
    assert answer["text"] == "The move is 0 1 1."
    assert answer["moves"] == ["0 1 1", "0 0 0"]
    _, answer = attempt(visitor, path, moves=answer["moves"], shows=True)
    assert answer["done"]
    # A way that leads nowhere begins again.
    _, answer = attempt(visitor, "/learn/sliding/6", moves=["U", "D"] * 3)
    assert (answer["failed"], answer["acts"]) == (True, False)
    _, answer = attempt(visitor, "/learn/sliding/6", moves=answer["moves"], shows=True)
    assert answer["moves"] == ["L"]


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ({"moves": ["3 3 r"]}, 422),
        ({"moves": ["3 3 l", "3 1 l", "3 1 l"]}, 422),
        ({"moves": ["nonsense"]}, 422),
        ({"moves": "3 3 l"}, 400),
        ({"move": "x" * 41}, 400),
        ({"cells": [1, 2, 3, 4, 5]}, 400),
        ({"moves": ["U"] * (MAX_MOVES + 1)}, 400),
    ],
)
def test_what_does_not_belong_to_an_exercise_is_refused(
    visitor: Visitor, said: dict[str, Any], status: int
) -> None:
    found, answer = attempt(visitor, "/learn/sinks/7", **said)
    assert found == status
    assert answer["problem"].endswith(".")


def test_addresses_that_lead_nowhere_are_refused(visitor: Visitor) -> None:
    assert visitor.client.post("/learn/sinks/7", content=b"x" * 5000).status_code == 413
    assert visitor.client.post("/learn/sinks/7", content=b"\xff").status_code == 400
    for path in ("/learn/chess", "/learn/sinks/0", "/learn/sinks/11", "/puzzles/sinks/0"):
        assert visitor.get(path).status_code == 404
    assert visitor.get("/puzzles/sinks?grade=9").status_code == 303


def test_nobody_asks_too_fast(tmp_path: Path) -> None:
    with open_house(tmp_path, burst=2, rate=1.0) as client:
        answers = [client.post("/learn/sinks/1", content=b"{}").status_code for _ in range(3)]
    assert answers == [200, 200, 429]


def rows_of(name: str) -> list[dict[str, str]]:
    """Return the rows of a game's file of puzzles."""
    return list(csv.DictReader(io.StringIO(file_of(game_class(name), "puzzles.csv").read_text())))


@pytest.mark.parametrize("name", NAMES)
def test_every_puzzle_is_solved_by_its_line(name: str) -> None:
    puzzles = puzzles_of(name)
    assert len({puzzle.exercise.start for puzzle in puzzles}) == len(puzzles) >= 40
    assert {puzzle.grade for puzzle in puzzles} == set(GRADES)
    for puzzle in puzzles:
        assert "{" not in puzzle.text
        follow(puzzle.exercise, puzzle.exercise.lines[0])


def test_puzzles_are_small_data() -> None:
    files = [file_of(game_class(name), "puzzles.csv").read_text() for name in NAMES]
    assert sum(map(len, files)) < MAX_BYTES


def prove(row: dict[str, str]) -> None:
    """Prove a puzzle again; of equally good lines in a game for one another may be found."""
    state = gridhouse.parse(row["start"])
    found = make_puzzles.solution_of(state)
    assert found is not None
    line = tuple(row["line"].split(","))
    if state.game.num_players == 1:
        ends = []
        for moves in (line, found.line):
            end = state.clone()
            for move in moves:
                end.play(move)
            ends.append(end.game.result(end))
        assert ends[0] == ends[1]
    else:
        assert found.line == line


@pytest.mark.parametrize("name", ["binary", "sinks", "sliding", "tactego"])
def test_some_puzzles_have_one_best_answer(name: str) -> None:
    for row in rows_of(name)[:SAMPLE]:
        prove(row)


@pytest.mark.slow("proves every puzzle again")
@pytest.mark.parametrize("name", NAMES)
def test_all_puzzles_have_one_best_answer(name: str) -> None:
    for row in rows_of(name):
        prove(row)


def test_the_next_puzzle_keeps_to_a_grade(visitor: Visitor) -> None:
    puzzles = puzzles_of("binary")
    seen, number = [], 1
    for _ in range(len(puzzles)):
        number = following(puzzles, number, 3)
        seen.append(number)
        assert puzzles[number - 1].grade == 3
    assert len(set(seen)) == sum(puzzle.grade == 3 for puzzle in puzzles)
    assert following(puzzles, len(puzzles), None) == 1
    place = visitor.get("/puzzles/binary?grade=3").headers["location"]
    page = visitor.get(place).text
    assert "difficulty 3 of 5" in page
    assert "?grade=3" in page
    assert all(game_class(name).title in visitor.get("/puzzles").text for name in NAMES)


def test_a_win_by_another_move_counts_and_other_moves_do_not(visitor: Visitor) -> None:
    row = next(row for row in rows_of("tactego") if row["line"].count(",") == 2)
    number = rows_of("tactego").index(row) + 1
    first, reply, last = row["line"].split(",")
    path = f"/puzzles/tactego/{number}"
    _, answer = attempt(visitor, path, move=first)
    assert answer["moves"] == [first, reply]
    _, answer = attempt(visitor, path, moves=[first, reply], move=last)
    assert answer["done"]
    wrong = next(m for m in gridhouse.parse(row["start"]).legal_moves() if m != first)
    _, answer = attempt(visitor, path, move=wrong)
    assert answer["failed"]
    assert not answer["done"]


KINDS = "abcd"  # of blocks, by what they count
BEGINNERS_GAMES = 5
SIDE = 10


def seen_on(board: str) -> dict[int, str]:
    """Return what a picture says of each cell, ``Light b, upright``."""
    found = re.findall(r'id="cell-(\d+)"[^>]*aria-label="[^:]*: ([^"]*)"', board)
    return {int(cell): text for cell, text in found}


def beginners_move(view: dict[str, Any], chance: random.Random) -> str:
    """Return the move of somebody who knows of Sinks what its lesson says, and no more.

    The page has the legal moves.  A block that can roll into a sink does, the largest first.  Else
    the cube, which wins alone and moves by two fields, comes nearer to a large sink; without it
    any block rolls to where it is nearest to a sink.
    """
    seen = seen_on(view["board"])
    sinks = {divmod(cell, SIDE) for cell, text in seen.items() if text == "sink"}
    large = {(r, c) for r, c in sinks if {(r + 1, c), (r, c + 1)} <= sinks}
    rolls = [
        (text, seen[cells[0]], cells[1])
        for text, cells, choice in view["gestures"]
        if not choice and seen[cells[0]].startswith("Light ")
    ]
    if not rolls:
        return str(chance.choice(view["gestures"])[0])

    def merit(roll: tuple[str, str, int]) -> tuple[int, bool, float]:
        _, block, to = roll
        row, col = divmod(to, SIDE)
        is_cube = "cube" in block
        ways = [(abs(row - r), abs(col - c)) for r, c in (large if is_cube else sinks)]
        far = min(up + right + 9 * (is_cube and (up % 2 or right % 2)) for up, right in ways)
        sinks_it = 1 + KINDS.index(block.split()[1][0]) if seen[to] == "sink" else 0
        return sinks_it, is_cube, chance.random() * 2 - far

    return str(max(rolls, key=merit)[0])


def test_who_has_taken_the_lesson_of_sinks_beats_level_1(visitor: Visitor) -> None:
    chance = random.Random(1)
    for _ in range(BEGINNERS_GAMES):
        table = visitor.new("sinks", preset="standard", opponent="machine", level="1", side="0")
        with visitor.at(table) as seat:
            while not seat.view["over"]:
                if seat.view["acts"]:
                    seat.move(beginners_move(seat.view, chance))
                else:
                    seat.wait("view")
            if seat.view["heading"] == "Light wins!":
                return
    raise AssertionError(f"the lesson does not win one of {BEGINNERS_GAMES} games")
