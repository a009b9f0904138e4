"""Lessons and puzzles in a browser: by mouse, by keyboard, and what the browser keeps."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

import gridhouse
from browser_helpers import PHONE, Hands, Keys, expect, look_for_barriers
from gridhouse.server.learning.lessons import lesson_of
from gridhouse.server.learning.puzzles import puzzles_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from gridhouse.server.learning.exercises import Exercise

pytestmark = pytest.mark.slow("drives a browser")


def opened(visit: Callable[..., Page], address: str, path: str, **look: Any) -> Page:
    """Open a page of the house."""
    page = visit(address, **look)
    page.goto(address + path)
    return page


def gesture_of(state: gridhouse.State, move: str) -> tuple[list[int], str]:
    """Return the gesture of a move, which need not be legal."""
    action = state.game.read_move(state.position, move)
    assert action is not None
    return state.gesture(action)


def do(hands: Hands, exercise: Exercise) -> None:
    """Do an exercise at the board: what is wanted, or what is refused."""
    state = gridhouse.parse(exercise.start)
    learner = state.current_player()
    line = exercise.tries[:1] or (exercise.lines or ((state.legal_moves()[0],),))[0]
    for ply, move in enumerate(line):
        if state.current_player() == learner:
            hands.wait(ply)
            cells, choice = gesture_of(state, move)
            for cell in cells:
                hands.point(cell)
            if choice:
                hands.press(f"#choices button >> text=/^{choice}$/i")
        if not exercise.tries:
            state.play(move)
    hands.page.wait_for_selector("#verdict.right")


@pytest.mark.parametrize("name", gridhouse.games())
def test_a_lesson_is_taken_from_its_first_step_to_a_game(
    visit: Callable[..., Page], address: str, name: str
) -> None:
    lesson = lesson_of(name)
    assert lesson is not None
    hands = Hands(opened(visit, address, f"/rules/{name}", reduced_motion="reduce"))
    hands.press("text=Learn by playing")
    for number, step in enumerate(lesson.steps, 1):
        expect(hands.page.locator("h1")).to_have_text(step.title)
        do(hands, step.exercise)
        hands.sees("verdict", step.exercise.praise, whole=False)
        expect(hands.page.locator("#course .done")).to_have_count(number)
        expect(hands.page.locator("#next")).to_be_focused()
        hands.page.keyboard.press("Enter")
        if number < len(lesson.steps):
            hands.page.wait_for_url(f"{address}/learn/{name}/{number + 1}")
    hands.page.wait_for_url(f"{address}/t/**")


def test_a_lesson_is_taken_by_the_keyboard_alone(visit: Callable[..., Page], address: str) -> None:
    lesson = lesson_of("binary")
    assert lesson is not None
    keys = Keys(opened(visit, address, "/learn/binary/3"))
    do(keys, lesson.steps[2].exercise)
    expect(keys.page.locator("#verdict")).to_have_text(re.compile(r"^Three in a row\."))


def test_the_streak_counts_the_first_attempt(visit: Callable[..., Page], address: str) -> None:
    puzzles = puzzles_of("binary")
    hands = Hands(opened(visit, address, "/puzzles/binary/1"))
    for solved in (1, 2):
        do(hands, puzzles[solved - 1].exercise)
        expect(hands.page.locator("#streak")).to_have_text(
            re.compile(rf"^Solved in a row: {solved}, at most {solved}\.")
        )
        hands.press("#next")
        hands.page.wait_for_url(f"**/{solved + 1}")
    hands.wait(0)
    hands.press("#show")
    hands.page.wait_for_selector("#verdict.right")
    hands.sees("verdict", "The move is", whole=False)
    expect(hands.page.locator("#streak")).to_have_text(
        re.compile(r"^Solved in a row: 0, at most 2\.")
    )
    hands.page.reload()
    do(hands, puzzles[2].exercise)
    expect(hands.page.locator("#streak")).to_have_text(
        re.compile(r"^Solved in a row: 0, at most 2\.")
    )


@pytest.mark.parametrize("look", [{}, PHONE], ids=["", "phone"])
def test_no_page_of_learning_keeps_anybody_out(
    visit: Callable[..., Page], address: str, look: dict[str, Any]
) -> None:
    page = visit(address, **look)
    for path in ("/learn/sinks/1", "/learn/binary/3", "/puzzles", "/puzzles/tactego/1"):
        page.goto(address + path)
        page.wait_for_load_state("networkidle")
        look_for_barriers(page)


def test_pictures_of_rules_move_unless_motion_is_unwanted(
    visit: Callable[..., Page], address: str
) -> None:
    moving = "document.getAnimations().length"
    shown = (
        "[...document.querySelectorAll('.film > div')]"
        ".filter(each => getComputedStyle(each).opacity === '1').length"
    )
    page = opened(visit, address, "/rules/tactego")
    assert page.evaluate(moving) > 0
    still = opened(visit, address, "/rules/tactego", reduced_motion="reduce")
    assert still.evaluate(moving) == 0
    assert still.evaluate(shown) == still.locator(".film > div").count()
