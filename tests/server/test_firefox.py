"""The house in Firefox: the five games by mouse and keyboard, a lesson, a phone's width."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

import gridhouse
from browser_helpers import PHONE, Hands, Keys, firefox, from_page
from gridhouse.core.registry import game_class

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
        return state.gesture(state.legal_actions()[0])
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


@pytest.mark.parametrize("look", [{}, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize("name", gridhouse.games())
def test_a_game_is_begun_and_moved_in(
    visit: Callable[..., Page], address: str, name: str, look: dict[str, object]
) -> None:
    page = visit(address, **look)
    page.click(f"form[action='/new/{name}'] button")
    Hands(page).wait(0)
    play(Hands(page), name)
    play(Keys(page), name)
    assert page.locator("#moves li").count() == 2 * len(game_class(name).players)
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
