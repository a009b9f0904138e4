"""A daily puzzle in a browser: played to its end by clicks, in the table of the day, on a phone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from browser_helpers import PHONE, Hands, expect, from_page, look_for_barriers, served
from web_helpers import Clock, moves_out
from wire_helpers import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page


@pytest.fixture
def address(tmp_path: Path, chromium: Browser, small: None) -> Iterator[str]:
    del chromium  # without a browser nothing is served
    with served(tmp_path, now=Clock()) as address:
        yield address


def play_out(page: Page) -> Hands:
    """Solve the puzzle on a table by clicks."""
    hands = Hands(page)
    hands.wait(0)
    state = from_page(page)
    for move in moves_out(state):
        hands.play(state, state.string_to_action(move))
    assert state.is_terminal()
    return hands


@pytest.mark.slow("drives a browser")
def test_a_puzzle_from_the_front_door_to_the_table_of_the_day(
    chromium: Browser, address: str
) -> None:
    context = chromium.new_context()
    page = context.new_page()
    page.set_default_timeout(1000 * PATIENCE)
    page.goto(address)
    page.click("text=Play today's puzzles")
    page.click("text=Leaderboard of Sliding word puzzle")
    page.wait_for_selector("text=Nobody has finished this puzzle yet.")
    page.click("article form button.main")
    hands = Hands(page)
    hands.wait(0)
    assert not page.is_visible("#hint")
    play_out(page)
    page.wait_for_selector("#heading:has-text('the best possible result')")
    least = page.locator("#moves li").count()
    hands.sees("heading", f"Solved. {least} moves, the best possible result")
    assert not page.is_visible("#judge")  # the puzzle may be played again, so help would be unfair
    page.click("text=Puzzle and leaderboard of 2026-11-20")
    row = page.locator(".places tbody tr")
    assert row.inner_text().split() == ["1", "anonymous", "(you)", f"{least}", "moves"]
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click("#share")
    page.wait_for_selector("#shared:has-text('Copied.')")
    shared = f"2026-11-20: {least} moves ▮▮▮▮▮ {page.url}"
    assert shared in page.evaluate("navigator.clipboard.readText()")
    page.click("text=Change your name")
    page.fill("input[name=name]", "<b>Anna</b>")
    page.click("text=Save")
    page.goto(address + "/daily/sliding")
    page.wait_for_selector(".places td:has-text('<b>Anna</b> (you)')")
    expect(page.locator(".places b")).to_have_count(0)
    context.close()


@pytest.mark.slow("drives a browser")
def test_no_page_of_the_days_keeps_anybody_out(chromium: Browser, address: str) -> None:
    context = chromium.new_context(**PHONE)
    page = context.new_page()

    def look() -> None:
        look_for_barriers(page)
        low = page.evaluate(
            "[...document.querySelectorAll('button, .button')].filter(b => b.offsetParent"
            " && b.offsetHeight < 44).map(b => b.innerText)"
        )
        assert low == []

    for path in ("/daily", "/daily/collapse", "/daily/sliding/2026-11-19"):
        page.goto(address + path)
        look()
    page.goto(address + "/daily/sliding")
    page.click("article form button.main")
    play_out(page)
    look()
    page.goto(address + "/me")
    page.fill("input[name=name]", "W" * 30)
    page.click("text=Save")
    page.goto(address + "/daily/sliding")
    page.wait_for_selector(".places td:has-text('WWWW')")
    for path in ("/daily/sliding", "/games", "/me"):
        page.goto(address + path)
        look()
    page.evaluate("document.querySelector('input[name=name]').removeAttribute('maxlength')")
    page.fill("input[name=name]", "W" * 31)
    page.click("text=Save")
    page.wait_for_selector("[role=alert]:has-text('A name may have at most 30 characters.')")
    look()
    page.click("text=Make a link")
    link = page.input_value("input.link")
    look()
    context.clear_cookies()
    page.goto(link)
    look()
    page.goto(address + "/lobby?game=sinks")
    look()
    context.close()
