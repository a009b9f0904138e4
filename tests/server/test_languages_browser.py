"""What scripts say and show, in a language without English letters, and in German."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from browser_helpers import Hands, expect
from gridhouse.core.registry import game_class, games
from language_helpers import OTHER, english_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page


@pytest.mark.slow("drives a browser")
@pytest.mark.usefixtures("other")
@pytest.mark.parametrize("name", games())
def test_a_table_shows_nothing_in_english(
    address: str, visit: Callable[..., Page], name: str
) -> None:
    page = visit(address, locale=OTHER)
    page.goto(f"{address}/new/{name}")
    hands = Hands(page)
    if len(game_class(name).players) > 1:
        page.check("input[value=analysis]")
    page.click("form button.main")
    hands.wait(0)
    words = page.inner_text("#status").split() if name == "sliding" else []

    def nothing_is_english() -> None:
        assert not set(english_words(page.content())) - set(words)

    nothing_is_english()
    for _ in range(2):
        for cell in page.locator("#board [data-cell]").all()[:6]:
            cell.dispatch_event("click")
            nothing_is_english()
            choices = page.locator("#choices button")
            if choices.count():
                ply = hands.ply
                choices.first.click()
                hands.wait(ply + 1)  # the answer would take away the next choices
                break
    page.reload()  # the answer to the last click would take the next one's place
    page.wait_for_selector("#board[data-ply]")
    page.fill("#move", "x")
    page.press("#move", "Enter")
    page.wait_for_selector("#why >> text=/x/")
    nothing_is_english()
    for button in ("judge", "hint"):
        if page.locator(f"#{button}").is_enabled():
            page.click(f"#{button}")
    page.wait_for_selector("#why >> text=/\\(/")
    nothing_is_english()
    page.click("#settings-open")
    nothing_is_english()


@pytest.mark.slow("drives a browser")
@pytest.mark.usefixtures("other")
@pytest.mark.parametrize("name", games())
def test_a_lesson_shows_nothing_in_english(
    address: str, visit: Callable[..., Page], name: str
) -> None:
    page = visit(address, locale=OTHER)
    for path in (f"/learn/{name}/1", f"/learn/{name}/4", f"/puzzles/{name}/1"):
        page.goto(address + path)
        page.click("#show")
        page.wait_for_selector("#verdict:not(:empty)")
        words = page.inner_text("#status").split() if name == "sliding" else []
        assert not set(english_words(page.content())) - set(words)
        if page.is_visible("#again"):
            page.click("#again")
        for cell in page.locator("#board [data-cell]").all()[:8]:
            cell.dispatch_event("click")
        page.wait_for_timeout(300)
        assert not set(english_words(page.content())) - set(words)


@pytest.mark.slow("drives a browser")
@pytest.mark.usefixtures("other")
def test_the_end_and_the_review_show_nothing_in_english(
    address: str, visit: Callable[..., Page]
) -> None:
    page = visit(address, locale=OTHER)
    page.goto(f"{address}/new/binary")
    page.click("form button.main")
    hands = Hands(page)
    hands.wait(0)
    page.fill("#move", "2 2 0")
    page.press("#move", "Enter")
    hands.wait(2)
    page.click("#resign")
    assert not english_words(page.content())
    page.click("#agree")
    page.wait_for_selector("#end:not([hidden])")
    assert not english_words(page.content())
    page.click("#review")
    page.wait_for_selector("#graph svg")
    page.wait_for_selector("#accuracy:not([hidden])", timeout=60_000)
    assert not english_words(page.content())


@pytest.mark.slow("drives a browser")
def test_the_settings_change_the_language_of_a_table(
    address: str, visit: Callable[..., Page]
) -> None:
    page = visit(address)
    page.click("form[action='/new/sinks'] button")
    Hands(page).wait(0)
    table = page.url
    page.click("#settings-open")
    page.click("dialog >> text=Deutsch")
    page.wait_for_selector("html[lang=de]")
    Hands(page).wait(0)
    assert page.url == table
    expect(page.locator("#heading")).to_have_text("Du bist am Zug, Hell")
    page.press("body", "b")
    page.click("#resign")
    expect(page.locator("#asked-says")).to_have_text("Diese Partie aufgeben?")
    page.click("footer >> text=English")
    page.wait_for_selector("html[lang=en]")
    Hands(page).wait(0)
    expect(page.locator("#heading")).to_have_text("Your turn, Light")
