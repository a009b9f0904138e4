"""Moves ahead, marks for oneself, and the focus on the privacy screen, by real clicks and keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from browser_helpers import Hands, expect, type_move

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

pytestmark = pytest.mark.slow("drives a browser")

TACTEGO = "tactego(rows=4,cols=2,pieces=5x1 Fx1) R 0 RF,R5/,/,/B5,BF"
BINARY = "binary(rows=1,cols=6) ......"
NEXT = "Your move ahead is played when your turn comes."


def meet(visit: Callable[..., Page], address: str, start: str) -> tuple[Hands, Hands]:
    """Let two browsers come to one table; the first is to move."""
    anna, bert = Hands(visit(address)), Hands(visit(address))
    anna.page.goto(f"{address}/new/{start.partition('(')[0]}?start={start}")
    anna.page.check("input[value=friends]")
    anna.page.click("form button.main")
    anna.wait(0)
    bert.page.goto(anna.page.input_value("#invitation-link"))
    bert.page.click("form button.main")
    bert.wait(0)
    bert.page.evaluate("import('/static/premove.js')")
    anna.page.wait_for_selector("#invitation", state="hidden")
    return anna, bert


def move_and_see_the_answer(hands: Hands, move: str) -> str:
    """Make the first move, and return the second one as the list has it."""
    hands.page.fill("#move", move)
    hands.page.keyboard.press("Enter")
    hands.wait(2)
    return hands.page.locator("#moves li").last.inner_text()


def see_ahead(hands: Hands, count: int) -> None:
    """Wait until so many cells are marked as those of a move ahead."""
    expect(hands.page.locator("#board .mark-ahead")).to_have_count(count)


def draw(page: Page, hands: Hands, *cells: int) -> None:
    """Press the right button on a cell, and release it on the last one."""
    for at, cell in enumerate(cells):
        page.mouse.move(*hands.place(cell))
        if at == 0:
            page.mouse.down(button="right")
    page.mouse.up(button="right")


def test_a_move_ahead_is_played_at_once_when_it_is_legal(
    visit: Callable[..., Page], address: str
) -> None:
    anna, bert = meet(visit, address, TACTEGO)
    bert.point(3)  # no piece
    bert.sees("why", "It is not your turn.")
    bert.point(6)
    bert.point(4)
    bert.sees("why", NEXT)
    see_ahead(bert, 2)
    expect(bert.page.locator("#board .arrow-ahead")).to_have_count(1)
    assert move_and_see_the_answer(anna, "0 1 1 1") == "Blue: 3 0 2 0"
    bert.wait(2)
    see_ahead(bert, 0)


def test_a_move_ahead_that_is_not_legal_is_dropped(
    visit: Callable[..., Page], address: str
) -> None:
    anna, bert = meet(visit, address, TACTEGO)
    bert.page.mouse.move(*bert.place(6))
    bert.page.mouse.down()
    bert.page.mouse.move(*bert.place(2), steps=3)  # two steps, dragged
    bert.page.mouse.up()
    bert.sees("why", NEXT)
    type_move(anna, "0 1 1 1")
    bert.sees("why", "Your move ahead is not possible any more.")
    assert bert.ply == 1
    see_ahead(bert, 0)
    bert.sees("heading", "Your turn, Blue")


def test_escape_a_click_and_an_earlier_position_drop_a_move_ahead(
    visit: Callable[..., Page], address: str
) -> None:
    anna, bert = meet(visit, address, TACTEGO)
    page = bert.page
    drops: tuple[Callable[[], None], ...] = (
        lambda: page.keyboard.press("Escape"),
        lambda: bert.point(4),
    )
    for drop in drops:
        bert.point(6)
        bert.point(4)
        see_ahead(bert, 2)
        drop()
        see_ahead(bert, 0)
        bert.sees("why", "")
    for move, mover in (("0 1 1 1", anna), ("3 0 2 0", bert)):
        mover.wait(bert.ply)
        type_move(mover, move)
        bert.wait(mover.ply)
    bert.point(4)
    bert.point(2)
    see_ahead(bert, 2)
    page.click("#step-first")
    page.wait_for_selector("#away", state="visible")
    bert.point(6)
    bert.sees("why", "To move, go back to the game.")
    page.click("#present")
    page.wait_for_selector("#away", state="hidden")
    see_ahead(bert, 0)
    type_move(anna, "1 1 2 1")
    bert.wait(3)
    bert.sees("heading", "Your turn, Blue")
    page.click("#settings-open")
    page.uncheck("input[name=ahead]")
    page.keyboard.press("Escape")
    type_move(bert, "2 0 1 0")
    bert.point(2)
    bert.sees("why", "It is not your turn.")
    see_ahead(bert, 0)


def test_the_first_cell_of_a_move_ahead_stays_chosen(
    visit: Callable[..., Page], address: str
) -> None:
    anna, bert = meet(visit, address, TACTEGO)
    bert.point(6)
    type_move(anna, "0 1 1 1")
    bert.wait(1)
    expect(bert.page.locator("#board .mark-chosen")).to_have_count(1)
    bert.point(4)
    bert.wait(2)


def test_a_digit_is_chosen_ahead_by_its_key(visit: Callable[..., Page], address: str) -> None:
    anna, bert = meet(visit, address, BINARY)
    page = bert.page
    page.mouse.move(*bert.place(5))
    page.keyboard.press("1")
    bert.sees("why", NEXT)
    expect(page.locator("#board .mark-choice")).to_have_text("1")
    assert move_and_see_the_answer(anna, "0 0 0") == "Player 2: 5 0 1"
    bert.wait(2)
    bert.point(0)
    bert.point(5)  # two digits
    bert.sees("why", "It is not your turn.")
    see_ahead(bert, 0)


def test_marks_for_oneself_appear_and_vanish(visit: Callable[..., Page], address: str) -> None:
    anna, bert = meet(visit, address, TACTEGO)
    page = anna.page
    page.evaluate("""() => {
      window.menus = 0;
      document.addEventListener("contextmenu", event => window.menus += !event.defaultPrevented);
    }""")
    page.mouse.move(*anna.place(2))
    page.evaluate("import('/static/marks.js')")
    rings, arrows = page.locator("#board .mark-own"), page.locator("#board .arrow-own")
    draw(page, anna, 2)
    draw(page, anna, 1, 4)
    expect(rings).to_have_count(1)
    expect(arrows).to_have_count(1)
    draw(page, anna, 2)
    expect(rings).to_have_count(0)
    expect(arrows).to_have_count(1)
    draw(page, anna, 3)
    anna.point(5)
    expect(rings).to_have_count(0)
    expect(arrows).to_have_count(0)
    assert page.evaluate("window.menus") == 0
    draw(page, anna, 3)
    type_move(anna, "0 1 1 1")
    expect(rings).to_have_count(0)
    bert.wait(1)
    expect(bert.page.locator("#board .mark-own")).to_have_count(0)


def test_enter_opens_the_privacy_screen(visit: Callable[..., Page], address: str) -> None:
    hands = Hands(visit(address))
    page = hands.page
    start = TACTEGO.replace("Fx1)", "Fx1,hidden=True)")
    page.goto(f"{address}/new/tactego?start={start}")
    page.check("input[name=opponent][value=hotseat]")
    page.click("form button.main")
    for ply, move in enumerate(("0 1 1 1", "3 0 2 0")):
        page.wait_for_selector("#curtain-button:focus")
        page.keyboard.press("Enter")
        page.wait_for_selector("#curtain", state="hidden")
        assert page.evaluate("document.activeElement.id").startswith("cell-")
        type_move(hands, move)
        hands.wait(ply + 1)
