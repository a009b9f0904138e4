"""The form for a new game and the arrangement of an army, in a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from browser_helpers import PHONE, Fingers, Hands, Keys, expect

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

ARRANGE = "/new/tactego/arrange?preset=own&p-rows=6&p-cols=3&p-pieces=5x1+4x1+3x1+Fx1&p-hidden=on"


def army(page: Page) -> str:
    return page.input_value("#army")


def on_table(page: Page) -> list[str]:
    """Return what stands on the first cells of the table, in words."""
    cells = [page.get_attribute(f"#cell-{cell}", "aria-label") or "" for cell in range(4)]
    return [cell.partition(": ")[2] for cell in cells]


def drag(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*end, steps=4)
    page.mouse.up()


@pytest.mark.slow("drives a browser")
@pytest.mark.parametrize(
    ("kind", "look"), [(Hands, {}), (Fingers, PHONE), (Keys, {})], ids=["mouse", "finger", "keys"]
)
def test_an_army_is_arranged(
    visit: Callable[..., Page], address: str, kind: type[Hands], look: dict[str, Any]
) -> None:
    page = visit(address, **look)
    page.goto(f"{address}{ARRANGE}&army=3+4+5+F")
    hands = kind(page)
    page.wait_for_selector("#how:visible")
    hands.point(0)
    hands.point(3)
    assert army(page) == "F 4 5 3"
    expect(page.locator("#why")).to_have_text("Red 3 and Red flag have changed places.")
    hands.point(3)
    hands.point(1)  # the same piece again, from where it is now
    assert army(page) == "F 3 5 4"
    hands.point(15)
    expect(page.locator("#why")).to_contain_text("your own pieces")
    if kind is Hands:
        drag(page, hands.place(0), hands.place(2))
        assert army(page) == "5 3 F 4"
        drag(page, hands.place(2), hands.place(0))
        drag(page, hands.place(2), hands.place(16))  # the enemy's
        assert army(page) == "F 3 5 4"
    hands.press("form button.main")
    hands.wait(0)
    assert on_table(page) == ["Red flag", "Red 3", "Red 5", "Red 4"]


@pytest.mark.slow("drives a browser")
def test_a_set_up_is_taken_and_the_way_back_keeps_it(
    visit: Callable[..., Page], address: str
) -> None:
    page = visit(address)
    page.goto(f"{address}/new/tactego")
    page.select_option("select[name=level]", "6")
    page.click("text=Arrange it by hand")
    page.click("text=Attack")
    page.wait_for_selector("#how:visible")
    arranged = army(page)
    page.click("text=Back")
    expect(page.locator("select[name=level]")).to_have_value("6")
    expect(page.locator("input[name=army]:checked")).to_have_value(arranged)
    page.click("text=Arrange it by hand")
    page.wait_for_selector("#how:visible")
    assert army(page) == arranged


@pytest.mark.slow("drives a browser")
def test_the_last_choice_is_remembered_for_each_game(
    visit: Callable[..., Page], address: str
) -> None:
    page = visit(address)
    page.goto(f"{address}/new/binary")
    hands = Hands(page)
    page.check("input[name=preset][value=own]")
    page.fill("input[name=p-rows]", "3")
    page.check("input[name=opponent][value=hotseat]")
    page.select_option("select[name=clock]", "3+2")
    page.click("form button.main")
    hands.wait(0)
    page.goto(f"{address}/new/binary")
    expect(page.locator("input[name=preset]:checked")).to_have_value("own")
    expect(page.locator("input[name=p-rows]")).to_have_value("3")
    expect(page.locator("select[name=clock]")).to_have_value("3+2")
    page.check("input[name=opponent][value=machine]")
    assert page.is_disabled("select[name=clock]")  # the machine plays without one
    page.goto(f"{address}/new/binary?preset=large")
    expect(page.locator("input[name=preset]:checked")).to_have_value("large")
    page.goto(f"{address}/new/sinks")
    expect(page.locator("input[name=preset]:checked")).to_have_value("standard")
