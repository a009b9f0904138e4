"""The house in a browser: real clicks and keys, a phone, two at one table, a server that dies."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

import gridhouse
from browser_helpers import (
    DEVICES,
    OVERFLOW,
    PHONE,
    Fingers,
    Hands,
    Keys,
    expect,
    from_page,
    house_process,
    look_for_barriers,
)
from gridhouse.core.registry import game_class
from walks import way_out
from web_helpers import HIDDEN, near_end, playout

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page

    from gridhouse.core.game import State

WAYS: dict[str, tuple[type[Hands], dict[str, Any]]] = {
    "mouse": (Hands, {}),
    "finger": (Fingers, PHONE),
    "keyboard": (Keys, {}),
}
SHORT = {"binary": "small", "collapse": "small", "sliding": "easy"}  # presets
LONG = {"tactego": ("tactego(rows=6,cols=4)", 2), "sinks": ("sinks(rows=8,cols=8)", 4)}
COUNT_ANIMATIONS = """
window.animated = 0;
const animate = Element.prototype.animate;
Element.prototype.animate = function (...given) {
  window.animated += 1;
  return animate.apply(this, given);
};
"""


# Returns for every cell where the four arrow keys lead from it.
TRY_ARROWS = """[...document.querySelectorAll("[id^='cell-']")]
  .sort((one, other) => one.dataset.cell - other.dataset.cell)
  .map(cell => ["Up", "Down", "Left", "Right"].map(way => {
    cell.focus();
    cell.dispatchEvent(new KeyboardEvent("keydown", {key: `Arrow${way}`, bubbles: true}));
    return Number(document.activeElement.dataset.cell);
  }))"""


def play_out(hands: Hands, state: State, actions: list[int]) -> None:
    """Make all moves at the board, and look how the game has ended."""
    for action in actions:
        hands.play(state, action)
    assert state.is_terminal()
    hands.sees("heading", state.game.outcome(state.position))
    hands.sees("said", state.game.reason(state.position), whole=False)
    hands.page.wait_for_selector("#end-reason:not(:empty)")
    hands.sees("end-reason", state.game.reason(state.position), whole=False)
    expect(hands.page.locator("#moves li")).to_have_count(len(actions))


@pytest.mark.parametrize(
    ("name", "way"),
    [
        (name, way)
        if way == "mouse"
        else pytest.param(name, way, marks=pytest.mark.slow("drives a browser"))
        for name in gridhouse.games()
        for way in WAYS
    ],
)
def test_a_game_from_the_front_door_to_its_end(
    visit: Callable[..., Page], address: str, name: str, way: str
) -> None:
    kind, look = WAYS[way]
    hands = kind(visit(address, **look))
    cls = game_class(name)
    other = {"opponent": "hotseat"} if len(cls.players) == 2 else {}
    if name in LONG:
        text, seed = LONG[name]
        state, actions = near_end(text, seed, 7)
        hands.begin(cls.title, start=str(state), **other)
    else:
        hands.begin(cls.title, preset=SHORT[name], **other)
        state = from_page(hands.page)
        actions = way_out(state) if name == "sliding" else playout(state, 5)
    play_out(hands, state, actions)


@pytest.mark.slow("drives a browser")
@pytest.mark.parametrize("way", WAYS)
def test_hidden_pieces_on_one_screen(visit: Callable[..., Page], address: str, way: str) -> None:
    kind, look = WAYS[way]
    hands = kind(visit(address, **look))
    hands.begin("Tactego", start=HIDDEN, opponent="hotseat")
    page = hands.page
    hands.sees("curtain-button", "Only Red looks", whole=False)
    assert "flag" not in page.inner_html("#board")
    page.locator(".more:has(.share)").evaluate("details => details.open = true")
    state = gridhouse.parse(HIDDEN)
    for move in ("0 1 1 1", "2 0 1 1"):
        assert not page.is_visible("#from-here")
        hands.play(state, state.string_to_action(move))
        assert page.is_visible("#curtain") != state.is_terminal()
    assert state.is_terminal()
    assert not page.is_visible("#curtain")
    assert page.is_disabled("#undo")
    assert "flag" in page.inner_html("#board")  # now everybody may see everything
    expect(page.locator("#from-here")).to_be_visible()


@pytest.mark.slow("drives a browser")
def test_against_the_machine_by_what_the_page_says(
    visit: Callable[..., Page], address: str
) -> None:
    hands = Hands(visit(address))
    hands.begin("Binary Game", preset="small", opponent="machine", level="1")
    page = hands.page
    chance = random.Random(1)
    while not hands.text("heading").endswith("wins"):
        page.wait_for_selector("#board.acts, #heading:has-text('wins')")
        free = page.locator("#board [aria-label*='takes zero'], #board [aria-label*='takes one']")
        if hands.text("heading").endswith("wins"):
            break
        ply = hands.ply
        hands.point(int(free.nth(chance.randrange(free.count())).get_attribute("data-cell") or 0))
        page.locator("#choices button").first.click()
        page.wait_for_function(
            "ply => +document.querySelector('#board').dataset.ply > ply", arg=ply
        )
        page.wait_for_selector("#heading:not(:has-text('thinking'))")


def test_keys_at_the_board(visit: Callable[..., Page], address: str) -> None:
    page = visit(address)
    hands = Hands(page)
    hands.begin("Binary Game", preset="small", opponent="hotseat")
    keys = page.keyboard
    page.focus("#cell-0")
    for key in ("ArrowRight", "ArrowDown", "ArrowDown", "ArrowLeft", "Enter", "Tab", "Enter"):
        keys.press(key)
    hands.wait(1)
    assert from_page(page).board() == ".....\n.....\n0....\n.....\n....."
    expect(page.locator("#cell-10")).to_be_focused()
    keys.press("Enter")
    page.wait_for_selector("#why:has-text('Occupied.')")
    for key in ("ArrowUp", "Space", "Escape"):
        keys.press(key)
    expect(page.locator("#choices button")).to_have_count(0)
    page.focus("#move")
    keys.type("3 3 1")
    keys.press("Enter")
    hands.wait(2)
    hands.sees("said", "Player 2: 3 3 1. Player 1 to move.", whole=False)
    expect(page.locator(".mark-last")).to_have_count(1)
    keys.type("0 2 1")
    keys.press("Enter")
    page.wait_for_selector("#why:has-text('is not legal: occupied.')")
    page.click("#undo")
    hands.wait(1)
    hands.sees("said", "taken back", whole=False)


@pytest.mark.slow("drives a browser")
@pytest.mark.parametrize("name", sorted({*gridhouse.games()} - {"sliding"}))  # they slide its tiles
def test_arrow_keys_lead_from_every_cell_to_every_other(
    visit: Callable[..., Page], address: str, name: str
) -> None:
    page = visit(address)
    Hands(page).begin(game_class(name).title)
    ways: list[list[int]] = page.evaluate(TRY_ARROWS)
    assert len(ways) > 3
    for start in range(len(ways)):
        reached = {start}
        while more := {cell for known in reached for cell in ways[known]} - reached:
            reached |= more
        assert reached == set(range(len(ways)))


@pytest.mark.slow("drives a browser")
def test_pieces_are_dragged(visit: Callable[..., Page], address: str) -> None:
    page = visit(address)
    hands = Hands(page)
    hands.begin("Tactego", start="tactego(rows=3,cols=1,pieces=Fx1) R 0 RF//BF", opponent="hotseat")
    page.goto(address)
    start = "tactego(rows=3,cols=2,pieces=5x1 Fx1) R 0 RF,R5/,/BF,B5"
    hands.begin("Tactego", start=start, opponent="hotseat")
    middles = [page.locator(f"#cell-{cell}").bounding_box() for cell in (1, 2)]
    (x, y), (to_x, to_y) = (
        (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in middles if box
    )
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(to_x, to_y, steps=5)
    page.mouse.up()
    hands.wait(1)
    expect(hands.page.locator("#moves")).to_have_text("Red: 0 1 1 0")


@pytest.mark.slow("drives a browser")
@pytest.mark.parametrize(
    ("game", "start", "cells", "move"),
    [
        ("Sliding word puzzle", "sliding(rows=2,cols=2) ab c/abcd", (3, 2), ""),
        (
            "Tactego",
            "tactego(rows=3,cols=2,pieces=5x1 Fx1) R 0 RF,R5/,/BF,B5",
            (1, 3),
            "Red: 0 1 1 1",
        ),
    ],
)
def test_a_finger_drags_and_the_page_stays(
    visit: Callable[..., Page], address: str, game: str, start: str, cells: tuple[int, int],
    move: str,
) -> None:  # fmt: skip
    page = visit(address, **PHONE)
    hands = Hands(page)
    hands.begin(game, start=start, **({"opponent": "hotseat"} if game == "Tactego" else {}))
    touch = page.context.new_cdp_session(page)
    (x, y), (to_x, to_y) = (hands.place(cell) for cell in cells)
    before = page.evaluate("scrollY")
    for step in range(6):
        at = {"x": x + (to_x - x) * step / 5, "y": y + (to_y - y) * step / 5}
        kind = "touchMove" if step else "touchStart"
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [at]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    hands.wait(1)
    hands.sees("moves", move, whole=False)
    assert page.evaluate("scrollY") == before


@pytest.mark.slow("drives a browser")
@pytest.mark.parametrize(
    "device", ["iPhone SE", "iPhone SE landscape", "Pixel 7", "Galaxy S9+ landscape", "iPad Mini"]
)
def test_telephones_and_tablets_show_the_whole_board(
    visit: Callable[..., Page], address: str, device: str
) -> None:
    page = visit(address, **DEVICES[device])
    hands = Fingers(page)
    page.goto(address)
    assert page.evaluate(OVERFLOW) <= 0
    for name in gridhouse.games():
        for path in (f"/rules/{name}", f"/new/{name}"):
            page.goto(address + path)
            assert page.evaluate(OVERFLOW) <= 0, path
        hands.press("form button.main")
        hands.wait(0)
        assert page.evaluate(OVERFLOW) <= 0, name
        page.evaluate("document.getElementById('board').scrollIntoView()")
        box = page.locator("#board svg").bounding_box()
        assert box
        assert box["x"] >= 0, name
        assert box["x"] + box["width"] <= page.evaluate("innerWidth"), name
        assert box["height"] <= page.evaluate("innerHeight"), name


@pytest.mark.slow("drives a browser")
def test_a_size_of_ones_own_does_not_matter_once_another_is_chosen(
    visit: Callable[..., Page], address: str
) -> None:
    page = visit(address)
    page.goto(f"{address}/new/binary")
    page.check("input[value=own]")
    page.fill("input[name=p-rows]", "30")
    page.click("form button.main")
    expect(page.locator(".problem")).to_have_text("Rows: 30 is not in 1..20.")
    page.check("input[value=small]")
    page.click("form button.main")
    Hands(page).wait(0)


@pytest.mark.slow("drives a browser")
def test_a_file_is_a_start_and_a_position_goes_on_in_another_game(
    visit: Callable[..., Page], address: str, tmp_path: Path
) -> None:
    board = tmp_path / "board.txt"
    board.write_text("1 1 2\n2 1 1\n")
    page = visit(address)
    hands = Hands(page)
    page.click("text=Choose how to play Collapse")
    page.click("summary")
    page.wait_for_selector("#upload", state="visible")  # until the script listens it is hidden
    page.set_input_files("input[type=file]", board)
    page.wait_for_function("() => document.querySelector('textarea').value")
    page.click("form button.main")
    hands.wait(0)
    assert str(from_page(page)) == "collapse(rows=2,cols=3,digits=3,scoring=linear) 0 112/211"
    hands.point(0)
    hands.wait(1)
    page.click(".more:has(.share) summary")
    page.click("#from-here")
    page.click("form button.main")
    hands.wait(0)
    hands.sees("status", "Score: 4")


def test_a_hint_is_shown_on_the_board(visit: Callable[..., Page], address: str) -> None:
    hands = Hands(visit(address))
    hands.begin("Collapse", start="collapse(rows=1,cols=3,digits=2) 0 110")
    hands.page.click("#hint")
    hands.page.wait_for_selector("#why:has-text('(1')")
    expect(hands.page.locator(".mark-hint")).to_have_count(2)  # its group


@pytest.mark.slow("drives a browser")
@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_pieces_glide_unless_that_is_unwanted(
    visit: Callable[..., Page], address: str, motion: str
) -> None:
    page = visit(address, reduced_motion=motion)
    page.add_init_script(COUNT_ANIMATIONS)
    hands = Hands(page)
    hands.begin("Sliding word puzzle", preset="standard")
    state = from_page(page)
    hands.play(state, state.legal_actions()[0])
    assert page.evaluate("window.animated") == (1 if motion == "no-preference" else 0)


@pytest.mark.slow("drives a browser")
def test_a_phone_has_room_for_everything(visit: Callable[..., Page], address: str) -> None:
    page = visit(address, **PHONE)
    hands = Hands(page)
    paths = [
        "/",
        "/lobby",
        *(f"/{kind}/{name}" for kind in ("new", "rules") for name in gridhouse.games()),
    ]
    for path in paths:
        page.goto(address + path)
        assert page.evaluate(OVERFLOW) <= 0, path
    for name in gridhouse.games():
        page.goto(address)
        hands.begin(game_class(name).title)
        for width in (320, 390):
            page.set_viewport_size({"width": width, "height": 780})
            assert page.evaluate(OVERFLOW) <= 0, name
        low = page.evaluate(
            "[...document.querySelectorAll('button')].filter(b => b.offsetParent"
            " && b.offsetHeight < 44).map(b => b.innerText)"
        )
        assert low == []
    page.goto(address)
    hands.begin("Collapse", start="collapse(rows=1,cols=3,digits=2) 0 110")
    page.tap("#piece-0")
    hands.wait(1)
    hands.sees("heading", "Score 2")


@pytest.mark.slow("drives a browser")
def test_two_browsers_at_one_table(visit: Callable[..., Page], address: str) -> None:
    anna, bert, carl = (Hands(visit(address)) for _ in range(3))
    anna.begin("Binary Game", preset="small", opponent="friends")
    bert.page.goto(anna.page.input_value("#invitation-link"))
    bert.page.click("text=Play as Player 2")
    bert.wait(0)
    anna.page.wait_for_selector("#invitation", state="hidden")
    carl.page.goto(anna.page.url)
    carl.page.wait_for_selector("text=You are watching this game.")
    state = from_page(anna.page)
    for at, action in enumerate(playout(state, 7)[:4]):
        (anna, bert)[at % 2].play(state, action)
        for hands in (anna, bert, carl):
            hands.wait(at + 1)
    anna.sees("heading", "Your turn, Player 1")
    for other in (bert, carl):
        other.sees("heading", "Player 1 to move")
    bert.page.click("#undo")
    anna.page.wait_for_selector("text=Player 2 asks to take back the last move.")
    anna.page.click("#agree")
    for hands in (anna, bert, carl):
        hands.wait(3)
    expect(carl.page.locator("#moves li")).to_have_count(3)


@pytest.mark.slow("drives a browser")
def test_a_house_that_was_closed_or_killed_comes_back_with_every_table(
    visit: Callable[..., Page], tmp_path: Path
) -> None:
    with house_process(f"sqlite:///{tmp_path / 'house.db'}") as house:
        hands = Hands(visit(house.address, killed=True))
        hands.begin("Binary Game", preset="small", opponent="hotseat")
        state = from_page(hands.page)
        actions = playout(state, 11)
        for action in actions:
            hands.play(state, action)
            if len(state.history()) in (2, 4, 7):
                is_killed = len(state.history()) < 7
                printed = house.kill() if is_killed else house.end()
                assert "The house is open at" in printed
                hands.page.wait_for_selector("#offline", state="visible")
                why = "Connection lost" if is_killed else "The house restarts"
                expect(hands.page.locator("#offline")).to_have_text(f"{why}. Reconnecting …")
                hands.page.fill("#move", "what is typed")
                hands.page.keyboard.press("Enter")
                hands.sees("why", "Not sent: there is no connection.")
                house.start()
                hands.page.wait_for_selector("#offline", state="hidden")
                expect(hands.page.locator("#move")).to_have_value("what is typed")
                assert from_page(hands.page) == state
        hands.sees("heading", state.game.outcome(state.position))


@pytest.mark.slow("drives a browser")
def test_no_page_keeps_anybody_out(visit: Callable[..., Page], address: str) -> None:
    page = visit(address)
    hands = Hands(page)
    page.goto(address)
    look_for_barriers(page)
    for name in gridhouse.games():
        for path in (f"/new/{name}", f"/rules/{name}"):
            page.goto(address + path)
            look_for_barriers(page)
        page.goto(address)
        hands.begin(game_class(name).title)
        look_for_barriers(page)
    page.goto(address + "/new/tactego/arrange")
    look_for_barriers(page)
    page.goto(address)
    hands.begin("Tactego", start=HIDDEN, opponent="hotseat")
    look_for_barriers(page)
    page.goto(address)
    hands.begin("Binary Game", opponent="friends")
    hands.point(0)
    look_for_barriers(page)
    link = page.input_value("#invitation-link")
    page.goto(link)
    look_for_barriers(page)
    page.goto(address + "/new/binary?start=9")
    page.click("form button.main")
    look_for_barriers(page)
