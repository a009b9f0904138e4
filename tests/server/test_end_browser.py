"""The end of a game, its review and its rematch, by real clicks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from browser_helpers import Hands, expect, look_for_barriers, type_move

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

START = "sliding(rows=2,cols=2) ab c/abca"
GONE = ("undo", "redo", "resign", "hint", "typed")
HAS_FOCUS = "id => document.activeElement.id === id"


@pytest.mark.slow("drives a browser and waits for searches")
def test_from_the_end_to_the_review_and_on_to_the_next_game(
    visit: Callable[..., Page], address: str
) -> None:
    hands = Hands(visit(address))
    page = hands.page
    page.goto(f"{address}/new/sliding?start={START}")
    page.click("form button.main")
    hands.wait(0)
    assert page.is_hidden("#end")
    for move in ("U", "D", "R"):
        type_move(hands, move)
    page.wait_for_selector("#end")
    hands.sees("end-title", "3 moves")
    hands.sees("end-reason", "Solved.")
    assert hands.said().endswith("3 moves. Solved.")
    page.wait_for_function(HAS_FOCUS, arg="end")  # the field for moves has gone
    assert not [part for part in GONE if page.is_visible(f"#{part}")]
    look_for_barriers(page)
    page.click("#step-back")
    page.wait_for_selector("text=After 2 of 3 moves")
    page.click("#end >> text=Review")
    page.wait_for_selector("#progress", state="hidden")
    hands.sees("progress-says", "The best result: 1 move.")
    expect(page.locator("#graph .proof")).to_have_count(3)
    expect(page.locator("#moments button")).to_have_count(1)
    look_for_barriers(page)
    page.click("#moments button")
    page.wait_for_selector("text=After 0 of 3 moves")
    expect(page.locator(".mark-hint")).to_have_count(1)
    page.click("#learn")
    page.wait_for_selector("text=Find a better move.")
    hands.point(0)  # as in the game
    page.wait_for_selector("#why:has-text('Try another move')")
    hands.point(3)
    page.wait_for_selector("#why:has-text('Right')")
    page.click("text=Back to the table")
    page.click("text=Play again")
    hands.wait(0)
    assert page.is_hidden("#end")
