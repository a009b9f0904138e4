"""The house in Firefox: all games by mouse and keyboard, wide and narrow, dragging, a lesson."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

import gridhouse
from browser_helpers import OVERFLOW, PHONE, Hands, Keys, firefox, from_page
from gridhouse.core.registry import game_class
from gridhouse.server.learning.lessons import lesson_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow("drives a browser")

LABELS = """[...document.querySelectorAll("#board [id^='cell-']")]
  .map(cell => [cell.getAttribute("aria-label"), +cell.dataset.cell])"""


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Start Firefox, which takes the place of Chromium for the pages visited here."""
    with firefox(tmp_path_factory.mktemp("firefox")) as found:
        yield found


def next_move(page: Page, name: str) -> tuple[list[int], str]:
    """Return the gesture of a move from the position that a page shows."""
    if name != "tactego":
        state = from_page(page)
        for action in state.legal_actions():
            after = state.clone()
            after.apply_action(action)
            if (
                len(game_class(name).players) == 1
                or after.current_player() != state.current_player()
            ):
                return state.gesture(action)  # the turn ends with it
    found: dict[str, int] = dict(page.evaluate(LABELS))  # of a hidden position: a step forward
    for label, cell in found.items():
        piece = re.fullmatch(r"row 1 column (\d+): Red (\d|sapper|assassin)", label)
        ahead = piece and found.get(f"row 2 column {piece[1]}: empty")
        if ahead is not None:
            return [cell, ahead], ""
    raise AssertionError(f"no piece can step forward: {list(found)}")


def play(hands: Hands, name: str) -> None:
    """Make a move at the board, and wait for the machine's answer where there is one."""
    cells, choice = next_move(hands.page, name)
    ply = hands.ply
    for cell in cells:
        hands.point(cell)
    if choice:
        hands.press(f"#choices button >> text=/^{choice}$/i")
    hands.page.wait_for_function(
        "ply => +document.querySelector('#board').dataset.ply >= ply",
        arg=ply + len(game_class(name).players),
    )
    hands.page.wait_for_selector("#heading:has-text('Your turn')")


@pytest.mark.parametrize(
    ("name", "look"),
    [*((name, {}) for name in gridhouse.games()), ("sinks", PHONE), ("tactego", PHONE)],
)
def test_a_game_is_begun_and_moved_in(
    visit: Callable[..., Page], address: str, name: str, look: dict[str, object]
) -> None:
    page = visit(address, **look)
    for kind in (Hands, Keys):  # in games of their own: a bomb of the machine hides a position
        page.goto(address)
        page.click(f"form[action='/new/{name}'] button")
        hands = kind(page)
        hands.wait(0)
        play(hands, name)
    assert page.evaluate(OVERFLOW) <= 0


def test_a_piece_is_dragged(visit: Callable[..., Page], address: str) -> None:
    hands = Hands(visit(address))
    hands.begin("Sliding word puzzle", start="sliding(rows=2,cols=2) ab c/abcd")
    (x, y), (to_x, to_y) = (hands.place(cell) for cell in (3, 2))
    hands.page.mouse.move(x, y)
    hands.page.mouse.down()
    hands.page.mouse.move(to_x, to_y, steps=5)
    hands.page.mouse.up()
    hands.wait(1)


def test_a_step_of_a_lesson_is_done(visit: Callable[..., Page], address: str) -> None:
    lesson = lesson_of("collapse")
    assert lesson is not None
    exercise = lesson.steps[0].exercise
    hands = Hands(visit(address))
    hands.page.goto(f"{address}/learn/collapse/1")
    hands.wait(0)
    state = gridhouse.parse(exercise.start)
    cells, _ = state.gesture(state.string_to_action(exercise.lines[0][0]))
    hands.point(cells[0])
    hands.page.wait_for_selector("#verdict.right")
    hands.sees("verdict", exercise.praise, whole=False)
    hands.page.keyboard.press("Enter")  # the link to the next step has the focus
    hands.page.wait_for_url(f"{address}/learn/collapse/2")
