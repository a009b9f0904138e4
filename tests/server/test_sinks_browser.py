"""The board of Sinks in a browser: viewpoints, whole landings, symbols of the status, and rolls."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

import gridhouse
from browser_helpers import PHONE, Hands, expect, type_move
from gridhouse.games.sinks import rules

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page, WebSocketRoute

pytestmark = pytest.mark.slow("drives a browser")

SEEN_FROM = "document.querySelector('#turn').title.replace(/.*seen /, '')"
NEAR = 9  # units between a rolled block and its picture: the gaps around blocks do not roll

# Rolls the block that differs between two pictures.  Returns how far the first and the last frame
# are from the outlines in these pictures, null if no block has rolled.
ROLL = """async ([before, after]) => {
  const { roll } = await import("/static/rolling.js");
  const [old, drawing] = [before, after].map(svg => {
    const holder = document.createElement("div");
    holder.innerHTML = svg;
    document.body.append(holder);
    return holder.firstElementChild;
  });
  const points = shape => shape.getAttribute("points").trim().split(/[ ]/)
    .filter(Boolean).map(pair => pair.split(",").map(Number));
  const apart = (body, block) => Math.max(...points(block.querySelector(":scope > .outline")).map(
    ([x, y]) => Math.min(...[...body.children].flatMap(points).map(
      ([u, v]) => Math.hypot(x - u, y - v)))));
  let step = null;
  const ask = window.requestAnimationFrame;
  window.requestAnimationFrame = next => (step = next, 0);
  try {
    for (const block of drawing.querySelectorAll("[data-roll]")) {
      const from = old.querySelector(`#${block.id}`);
      if (from.dataset.roll === block.dataset.roll) continue;
      if (!roll(drawing, from, block)) return null;
      const body = block.nextElementSibling;
      const first = apart(body, from);
      const wasHidden = block.getAttribute("opacity") === "0";
      step(performance.now() + 1e6);
      if (!wasHidden || block.hasAttribute("opacity") || body.isConnected) return null;
      return [first, apart(body, block)];
    }
    return null;
  } finally {
    window.requestAnimationFrame = ask;
    for (const svg of [old, drawing]) svg.parentElement.remove();
  }
}"""


# Waits for the script that rolls blocks, which a page asks for with its first picture.
ROLLING = """() => {
  const page = document.querySelector("script[type=module]");
  return import(new URL("rolling.js", page.src)).then(() => null);
}"""
# Counts the bodies that are put into the picture to roll.
COUNT_ROLLS = """() => {
  window.rolled = 0;
  const rolls = node => node.tagName === "g" && !node.attributes.id && !node.attributes.class;
  new MutationObserver(changes => {
    for (const {addedNodes} of changes) window.rolled += [...addedNodes].filter(rolls).length;
  }).observe(document.querySelector("#board"), {childList: true, subtree: true});
}"""


def begin(visit: Callable[..., Page], address: str, **look: Any) -> Hands:
    """Begin a game of Sinks for two at one screen."""
    page = visit(address, **look)
    page.goto(f"{address}/new/sinks")
    page.check("input[name=opponent][value=hotseat]")
    page.click("form button.main")
    hands = Hands(page)
    hands.wait(0)
    page.wait_for_selector("#board.turns")
    return hands


def seen_from(page: Page, name: str) -> None:
    """Wait until the board is seen from a viewpoint."""
    page.wait_for_function(f"name => {SEEN_FROM} === name", arg=name)


def test_the_board_is_turned_by_button_key_and_drag_and_the_page_remembers_it(
    visit: Callable[..., Page], address: str
) -> None:
    page = begin(visit, address).page
    seen_from(page, "from the south-west")
    page.click("#turn")
    seen_from(page, "from the west")
    page.click("#plain")
    seen_from(page, "from above")
    expect(page.locator("#plain")).to_have_attribute("aria-pressed", "true")
    page.focus("#cell-0")
    page.keyboard.press("v")
    seen_from(page, "from the west")
    page.keyboard.press("T")
    page.keyboard.press("T")
    seen_from(page, "from the south")
    box = page.locator("#board svg").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] - 70, box["y"] + box["height"] - 70
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 60, y - 5, steps=3)
    page.mouse.up()
    seen_from(page, "from the south-east")
    expect(page.locator("#why")).to_have_text("")  # the drag was no click
    page.reload()
    seen_from(page, "from the south-east")


def test_a_new_connection_goes_on_from_the_same_viewpoint(
    visit: Callable[..., Page], address: str
) -> None:
    page = visit(address)
    sockets: list[WebSocketRoute] = []

    def connect(socket: WebSocketRoute) -> None:
        socket.connect_to_server()
        sockets.append(socket)

    page.route_web_socket("**/socket*", connect)
    page.goto(f"{address}/new/sinks")
    page.click("form button.main")
    Hands(page).wait(0)
    page.click("#turn")
    seen_from(page, "from the west")
    sockets[0].close()
    page.wait_for_selector("#offline", state="visible")
    page.wait_for_selector("#offline", state="hidden")
    assert sockets[1].url.endswith("?changes&camera=2")
    seen_from(page, "from the west")


def test_a_narrow_screen_begins_above(visit: Callable[..., Page], address: str) -> None:
    page = begin(visit, address, **PHONE).page
    seen_from(page, "from above")
    cell = page.locator("#cell-0").bounding_box()
    assert cell is not None
    assert min(cell["width"], cell["height"]) > 33


def test_a_whole_landing_lights_up_and_any_field_of_it_is_the_target(
    visit: Callable[..., Page], address: str
) -> None:
    hands = begin(visit, address)
    page = hands.page
    hands.point(33)
    lit = page.locator(".mark-target")
    targets = lit.evaluate_all("marks => marks.map(mark => +mark.dataset.cell)")
    assert sorted(targets) == [13, 13, 31, 31]
    expect(page.locator(".mark-chosen")).to_have_count(1)
    points = page.get_attribute("#cell-32 > polygon", "points")
    page.click(f".mark-target[points='{points}']")  # the move names field 31
    hands.wait(1)
    expect(page.locator("#moves")).to_have_text("Light: 3 3 l")


def test_what_pins_a_block_is_marked(visit: Callable[..., Page], address: str) -> None:
    hands = begin(visit, address)
    hands.point(44)
    hands.page.wait_for_selector("#why:has-text('The way is not free.')")
    blocking = hands.page.locator(".mark-block")
    expect(blocking).to_have_count(4)
    hands.point(33)
    expect(blocking).to_have_count(0)


def test_counts_are_symbols_and_the_status_is_still_said(
    visit: Callable[..., Page], address: str
) -> None:
    hands = begin(visit, address)
    page = hands.page
    titles = "tokens => tokens.map(token => token.title)"
    expect(page.locator("#tokens p")).to_have_count(2)
    type_move(hands, "3 4 f")
    found = page.locator("#tokens p").first.locator(".token").evaluate_all(titles)
    assert found == [
        "0 points sunk of 4", "1 freezings left", "2 sink moves left", "2 moves left in this turn",
    ]  # fmt: skip
    expect(page.locator("#status")).to_contain_text("freezings 1")
    expect(page.locator("#status.unseen")).to_have_count(1)


def test_a_block_rolls_from_where_it_was_to_where_it_is(
    visit: Callable[..., Page], address: str
) -> None:
    page = visit(address)
    rolls = 0
    for seed in range(4):
        chance = random.Random(seed)
        state = gridhouse.load("sinks").new_initial_state()
        while not state.is_terminal() and len(state.history()) < 20:
            moves = [a for a in state.legal_actions() if a % rules.NUM_VERBS < rules.BOMB]
            action, before = chance.choice(moves), state.clone()
            state.apply_action(action)
            side, camera = rolls % 2, rolls % 9
            pictures = [at.open_picture(side, camera).inline() for at in (before, state)]
            stands = rules.num_pieces(before.position) == rules.num_pieces(state.position)
            if stands and rules.is_piece(before.position.kind[action // rules.NUM_VERBS]):
                apart = page.evaluate(ROLL, pictures)
                assert apart is not None, state.action_to_string(action)
                assert max(apart) < NEAR
                rolls += 1
    assert rolls > 30


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_rolls_are_not_shown_to_who_wants_no_motion(
    visit: Callable[..., Page], address: str, motion: str
) -> None:
    hands = begin(visit, address, reduced_motion=motion)
    hands.page.evaluate(ROLLING)
    hands.page.evaluate(COUNT_ROLLS)
    type_move(hands, "3 3 l")
    assert hands.page.evaluate("window.rolled") == (motion == "no-preference")
