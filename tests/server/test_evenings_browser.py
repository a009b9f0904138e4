"""An evening in browsers: joining by keys, following to the table and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from browser_helpers import PHONE, Keys, expect, look_for_barriers

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page


@pytest.mark.slow("drives three browsers, whose pages ask every few seconds")
def test_an_evening_leads_to_the_table_and_back(visit: Callable[..., Page], address: str) -> None:
    host, anna, bert = visit(address), visit(address, **PHONE), visit(address)
    host.goto(f"{address}/lobby")
    host.click("text=Play an evening together")
    look_for_barriers(host)
    host.fill("input[name=name]", "Tuesday club")
    host.click("text=Start now")
    link = host.input_value("#evening-link")
    for page, name in ((anna, "Anna"), (bert, "Bert")):
        page.goto(link)
        keys = Keys(page)
        keys.go_to("input[name=name]")
        page.keyboard.insert_text(name)
        keys.press("text=/^Join$/")
        if name == "Anna":
            page.wait_for_selector("text=Take a break")
            look_for_barriers(page)
    for page in (anna, bert):
        page.wait_for_url("**/t/*")
    host.wait_for_selector("#evening-games >> text=Watch")
    look_for_barriers(host)
    anna.click("#resign")
    anna.click("#agree")
    for page in (anna, bert):
        page.click("#end >> text=Back to the evening")
    # Nobody else is there, so they play again, and the page follows without a click.
    bert.wait_for_url("**/t/*")
    expect(host.locator("#evening-standings tbody tr:first-child td")).to_have_text(
        ["1", "Bert", "1", "2"]
    )
    anna.wait_for_url("**/t/*")
    anna.go_back()
    anna.goto(link)  # who comes back from a game that is on may stay
    anna.wait_for_timeout(4000)
    assert anna.url == link
    expect(anna.locator("#evening-status")).to_have_text("Your game is on.")
    look_for_barriers(anna)
