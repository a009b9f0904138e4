"""Moves ahead, marks for oneself, and the focus on the privacy screen, by real clicks and keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from browser_helpers import Hands, type_move

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

pytestmark = pytest.mark.slow("drives a browser")

TACTEGO = "tactego(rows=4,cols=2,pieces=5x1 Fx1,gap=2) R 0 RF,R5/,/,/B5,BF"
BINARY = "binary(rows=1,cols=6) ......"
NEXT = "Your move ahead is played when your turn comes."


def meet(visit: Callable[..., Page], address: str, start: str) -> tuple[Hands, Hands]:
    """Let two browsers come to one table; the first is to move."""
    anna, bert = Hands(visit(address)), Hands(visit(address))
    anna.page.goto(f"{address}/new/{start.partition('(')[0]}?start={start}")
    anna.page.check("input[value=friends]")
    anna.page.click("form button.main")
    bert.page.goto(anna.page.input_value("#invitation-link"))
    bert.page.click("form button.main")
    bert.page.wait_for_selector("#board.waits" if "tactego" in start else "#board")
    return anna, bert


def ahead(hands: Hands) -> int:
    """Return how many cells are marked for the move ahead."""
    return hands.page.locator("#board .mark-ahead").count()


def see(hands: Hands, text: str) -> None:
    """Wait until the page says something."""
    hands.page.wait_for_function("text => document.getElementById('why').innerText === text", arg=text)


def test_a_move_ahead_is_played_at_once_when_it_is_legal(
    visit: Callable[..., Page], address: str
) -> None:
    anna, bert = meet(visit, address, TACTEGO)
    bert.point(3)  # no piece
    see(bert, "It is not your turn.")
    bert.point(6)
    bert.point(4)
    see(bert, NEXT)
    assert ahead(bert) == 2
    assert bert.page.locator("#board .arrow-ahead").count() == 1
    type_move(anna, "0 1 1 1")
    anna.wait(2)
    assert anna.page.locator("#moves li").last.inner_text() == "Blue: 3 0 2 0"
    bert.wait(2)
    assert ahead(bert) == 0
