"""A table's clocks, redo, resigning, look back and help, and the lobby, by real clicks and keys."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

import gridhouse
from browser_helpers import PHONE, Hands, expect, from_page, look_for_barriers, served, type_move
from gridhouse.players import Limits
from walks import way_out
from wire_helpers import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Browser, Page, WebSocketRoute

ROW = "binary(rows=1,cols=6) ......"
MOVES = ("0 0 0", "5 0 1", "1 0 1", "4 0 0")
NEVER = 600.0  # seconds between two moves that are shown: longer than a test
CELLS = """[...document.querySelectorAll("#board [id^='cell-']")]
  .map(cell => cell.getAttribute("aria-label"))"""
LETTERS = "[...document.querySelectorAll('#board text')].map(text => text.textContent)"
LETTERS_OF = """svg => {
  const drawing = new DOMParser().parseFromString(svg, "text/html");
  return [...drawing.querySelectorAll("text")].map(text => text.textContent);
}"""
HEARD_BY_ALL = "document.querySelector('#clocks').closest('[aria-live], [role=status]') !== null"
TOPS = "['board', 'steps', 'undo', 'moves'].map(id => document.getElementById(id).offsetTop)"


def meet(
    visit: Callable[..., Page], address: str, clock: str = "none", **looks: object
) -> tuple[Hands, Hands]:
    """Let two browsers come to one table; the first begins."""
    anna, bert = Hands(visit(address, **looks)), Hands(visit(address))
    page = anna.page
    page.goto(f"{address}/new/binary?start={ROW}")
    page.check("input[value=friends]")
    page.select_option("select[name=clock]", clock)
    page.click("form button.main")
    anna.wait(0)
    bert.page.goto(page.input_value("#invitation-link"))
    bert.page.click("text=Play as Player 2")
    bert.wait(0)
    page.wait_for_selector("#invitation", state="hidden")
    return anna, bert


def play_on(hands: tuple[Hands, Hands], moves: tuple[str, ...]) -> None:
    """Make moves by turns, each shown to both before the next one."""
    for move in moves:
        mover, other = hands if hands[0].ply % 2 == 0 else hands[::-1]
        type_move(mover, move)
        other.wait(mover.ply)


def see_proved(hands: Hands, text: str) -> None:
    """Wait until the page says what is proved; ask again where the machine had no time for that."""
    page = hands.page
    for _ in range(20):
        page.wait_for_function("() => document.getElementById('judgement').innerText !== '…'")
        if hands.text("judgement").startswith("Proved"):
            break
        page.click("#judge")
        page.click("#judge")
    hands.sees("judgement", text)


@pytest.mark.slow("drives a browser")
def test_the_clock_of_who_is_to_move_runs_until_it_has_run_out(
    visit: Callable[..., Page], address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gridhouse.server.clock.MINUTE", 2_500)  # milliseconds
    both = anna, _ = meet(visit, address, "1+0")
    play_on(both, MOVES[:1])
    expect(anna.page.locator(".clock.runs")).to_have_count(0)  # the first moves are free
    play_on(both, MOVES[1:2])
    for hands in both:
        hands.page.wait_for_selector(".clock.runs >> text=Player 1")
        own = hands.page.locator(".clock.runs b").inner_text()
        other = hands.page.locator(".clock:not(.runs) b").inner_text()
        hands.page.wait_for_function(
            "was => document.querySelector('.clock b').innerText !== was", arg=own
        )
        expect(hands.page.locator(".clock b").nth(1)).to_have_text(other)
        assert not hands.page.evaluate(HEARD_BY_ALL)
    for hands in both:
        hands.sees("heading", "Player 1 has no time left; Player 2 wins")
        expect(hands.page.locator(".clock b").first).to_have_text("0:00.0")
        expect(hands.page.locator(".clock.runs")).to_have_count(0)


@pytest.mark.slow("drives a browser")
def test_a_key_that_is_held_looks_back_without_breaking_the_connection(
    visit: Callable[..., Page], tmp_path: Path
) -> None:
    with served(tmp_path, burst=20, rate=10.0) as address:
        hands = Hands(visit(address))
        connections: list[object] = []
        hands.page.on("websocket", lambda socket: connections.append(socket))
        hands.begin("Sliding word puzzle", preset="standard")
        state = from_page(hands.page)
        for at in range(60):  # quicker than the house allows
            move = state.legal_moves()[0 if at % 2 else -1]
            state.play(move)
            type_move(hands, move)
        hands.page.focus("#moves")  # anywhere else the arrows slide tiles
        for _ in range(120):
            hands.page.keyboard.down("ArrowLeft")
        hands.page.keyboard.up("ArrowLeft")
        hands.page.wait_for_selector("text=This is an earlier position.")
        hands.page.click("#step-first")
        hands.page.wait_for_selector("#step-first[aria-disabled=true]")
        hands.page.click("#step-last")
        hands.page.wait_for_selector("#step-last[aria-disabled=true]")
        movable = {state.gesture(action)[0][0] for action in state.legal_actions()}
        place = hands.place(min(set(range(16)) - movable))
        for _ in range(60):
            hands.page.mouse.click(*place)
        hands.page.wait_for_selector("#why:not(:empty)")
        assert len(connections) == 1


@pytest.mark.slow("drives a browser")
def test_a_page_that_is_refused_is_loaded_again(visit: Callable[..., Page], address: str) -> None:
    hands = Hands(visit(address))
    sockets: list[WebSocketRoute] = []

    def passes(socket: WebSocketRoute) -> None:
        socket.connect_to_server()
        sockets.append(socket)

    hands.page.route_web_socket("**/socket*", passes)
    hands.begin("Binary Game", start=ROW, opponent="hotseat")
    with hands.page.expect_navigation():
        sockets[0].close(code=1008)
    hands.page.wait_for_selector("#offline", state="hidden")
    type_move(hands, MOVES[0])
    assert len(sockets) == 2


@pytest.mark.slow("drives a browser")
def test_a_connection_that_is_dead_is_noticed(visit: Callable[..., Page], address: str) -> None:
    hands = Hands(visit(address))
    dead = False

    def passes(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()
        socket.on_message(lambda message: None if dead else server.send(message))
        server.on_message(lambda message: None if dead else socket.send(message))

    hands.page.route_web_socket("**/socket*", passes)
    hands.begin("Binary Game", start=ROW, opponent="hotseat")
    type_move(hands, MOVES[0])
    type_move(hands, MOVES[1])
    hands.page.keyboard.press("Escape")
    hands.page.click("#step-back")
    hands.page.wait_for_selector("text=This is an earlier position.")
    dead = True
    hands.page.click("#step-back")
    hands.page.wait_for_selector("#offline", state="visible")
    dead = False
    hands.page.wait_for_selector("#offline", state="hidden")
    hands.page.wait_for_selector("text=This is an earlier position.")  # it goes on where it was


@pytest.mark.slow("drives a browser")
def test_friends_agree_on_undo_and_redo_and_one_gives_up(
    visit: Callable[..., Page], address: str
) -> None:
    both = anna, bert = meet(visit, address)
    play_on(both, MOVES[:2])
    assert not bert.page.is_visible("#hint")
    bert.page.click("#undo")
    bert.sees("asked-says", "Player 1 has not answered yet.")
    anna.sees("asked-says", "Player 2 asks to take back the last move.")
    assert not bert.page.is_visible("#agree")
    bert.page.click("text=Withdraw")
    for hands in both:
        hands.page.wait_for_selector("#asked", state="hidden")
        hands.sees("why", "")
    bert.page.click("#undo")
    anna.sees("asked-says", "Player 2 asks to take back the last move.")
    anna.page.click("#disagree")
    bert.sees("why", "The request was declined.")
    bert.page.click("#undo")
    anna.page.click("#agree")
    bert.wait(1)
    bert.page.click("#redo")
    anna.sees("asked-says", "Player 2 asks to redo the move.")
    anna.page.click("#agree")
    bert.wait(2)
    anna.wait(2)
    bert.page.click("#resign")
    bert.sees("asked-says", "Resign this game?")
    bert.page.click("#disagree")
    assert not bert.page.is_visible("#asked")
    bert.page.click("#resign")
    bert.page.click("#agree")
    for hands in both:
        hands.sees("heading", "Player 2 resigns; Player 1 wins")
        hands.page.wait_for_selector("#judge", state="visible")  # now they may learn from it
        assert not hands.page.is_visible("#resign")


def press_key(hands: Hands, key: str) -> None:
    hands.page.keyboard.press(key)


def click_step(hands: Hands, key: str) -> None:
    names = {"ArrowLeft": "back", "ArrowRight": "on", "Home": "first", "End": "last"}
    hands.page.click(f"#step-{names[key]}")


@pytest.mark.slow("drives a browser")
@pytest.mark.parametrize("way", ["clicks", "keys at the moves", "keys at the buttons"])
def test_a_game_is_stepped_through(visit: Callable[..., Page], address: str, way: str) -> None:
    hands = Hands(visit(address))
    hands.begin("Binary Game", start=ROW, opponent="hotseat")
    page = hands.page
    boards = [page.evaluate(CELLS)]
    for move in MOVES:
        type_move(hands, move)
        boards.append(page.evaluate(CELLS))
    assert len({tuple(board) for board in boards}) == 5
    step = click_step if way == "clicks" else press_key
    page.focus("#moves [aria-current]" if way == "keys at the moves" else "#step-back")
    ways = [("ArrowLeft", 3), ("ArrowLeft", 2), ("ArrowRight", 3), ("Home", 0), ("End", 4)]
    for key, ply in ways:
        step(hands, key)
        hands.sees("heading", "Player 1 to move" if ply == 4 else f"After {ply} of 4 moves")
        assert page.evaluate(CELLS) == boards[ply]
        current = page.locator("#moves [aria-current]").all_inner_texts()
        assert current == ([f"Player {2 - ply % 2}: {MOVES[ply - 1]}"] if ply else [])
        assert page.is_visible("#away") == (ply < 4)
        if way == "keys at the moves":
            wanted = "#moves [aria-current]" if ply else "#moves"
            assert page.locator(wanted).evaluate("found => found === document.activeElement")
    page.click("#moves li:nth-child(2)")
    hands.sees("heading", "After 2 of 4 moves")
    hands.point(2)
    hands.sees("why", "To move, go back to the game.")
    page.click("#present")
    hands.sees("heading", "Player 1 to move")
    hands.sees("why", "")


@pytest.mark.slow("drives a browser")
def test_who_looks_back_stays_there_when_the_other_moves(
    visit: Callable[..., Page], address: str
) -> None:
    both = anna, bert = meet(visit, address)
    play_on(both, MOVES[:3])
    anna.page.click("#step-first")
    anna.sees("away-says", "This is an earlier position.")
    before = anna.page.evaluate(CELLS)
    type_move(bert, MOVES[3])
    anna.sees("away-says", "A new move was made.")
    anna.sees("heading", "After 0 of 4 moves")
    assert anna.page.evaluate(CELLS) == before
    anna.sees("said", "Player 2: 4 0 0.", whole=False)
    anna.page.click("#present")
    anna.sees("heading", "Your turn, Player 1")


@pytest.mark.slow("drives a browser")
def test_a_puzzle_is_shown_solved(visit: Callable[..., Page], address: str) -> None:
    state = gridhouse.load("sliding", rows=3, cols=2).new_initial_state(4)
    hands = Hands(visit(address))
    hands.begin("Sliding word puzzle", start=str(state))
    page = hands.page
    start = page.evaluate(CELLS)
    page.click("#show")
    page.wait_for_selector("#show", state="visible")  # again, when all was shown
    hands.sees("away-says", "This line is not part of the game.")
    for action in way_out(state):
        state.apply_action(action)
    expect(page.locator("#heading")).to_have_text(
        re.compile(rf"^Best line, move {len(state.history())}: ")
    )
    assert page.evaluate(LETTERS) == page.evaluate(LETTERS_OF, state.open_picture().inline())
    expect(page.locator("#moves li")).to_have_count(0)  # nothing was played
    page.click("#present")
    hands.sees("heading", "Your turn")
    assert page.evaluate(CELLS) == start


@pytest.mark.slow("drives a browser")
def test_what_is_shown_can_be_stopped(
    visit: Callable[..., Page], chromium: Browser, tmp_path: Path
) -> None:
    del chromium  # without a browser nothing is served
    with served(tmp_path, pause=NEVER) as address:
        hands = Hands(visit(address))
        hands.begin("Sliding word puzzle", preset="easy")
        page = hands.page
        start = page.evaluate(CELLS)
        page.focus("#show")
        page.keyboard.press("Enter")
        page.wait_for_selector("#heading:has-text('Best line, move 1: ')")
        assert page.evaluate(CELLS) != start
        expect(page.locator("#stop")).to_be_focused()
        page.keyboard.press("Enter")
        hands.sees("heading", "Your turn")
        assert page.evaluate(CELLS) == start
        expect(page.locator("#show")).to_be_focused()
        page.context.close()


@pytest.mark.slow("drives a browser")
def test_what_is_proved_is_told_and_follows_the_moves(
    visit: Callable[..., Page], address: str
) -> None:
    hands = Hands(visit(address))
    hands.begin("Binary Game", start=ROW, opponent="hotseat")
    assert not hands.page.is_visible("#judgement")
    hands.page.click("#judge")
    state = from_page(hands.page)
    told = []
    while not state.is_terminal():
        solver = gridhouse.player("perfect", state.game, jit=False)
        told.append(f"{solver.choose(state.clone(), Limits(seconds=PATIENCE)).verdict}.")
        see_proved(hands, told[-1])
        hands.play(state, state.legal_actions()[0])
    hands.sees("judgement", f"{state.game.outcome(state.position)}.")
    assert len(set(told)) > 1  # it did follow
    hands.page.click("#judge")
    assert not hands.page.is_visible("#judgement")


@pytest.mark.slow("drives a browser")
def test_who_looks_at_the_lobby_sees_a_new_table_and_sits_down_at_it(
    visit: Callable[..., Page], address: str
) -> None:
    anna, bert = visit(address), visit(address)
    bert.clock.install()
    bert.click("text=Lobby")
    bert.wait_for_selector("text=No table is open.")
    anna.goto(f"{address}/new/binary")
    anna.check("input[value=friends]")
    anna.check("input[name=listed]")
    anna.select_option("select[name=clock]", "5+3")
    anna.click("form button.main")
    Hands(anna).wait(0)
    bert.clock.run_for(6_000)  # milliseconds
    bert.click("text=Play Player 2")
    bert.click("text=Play as Player 2")
    Hands(bert).wait(0)
    anna.wait_for_selector("#invitation", state="hidden")
    assert bert.url == anna.url


@pytest.mark.slow("drives a browser")
def test_nothing_jumps_when_words_come_and_go(visit: Callable[..., Page], address: str) -> None:
    both = anna, _ = meet(visit, address, "5+3", **PHONE)
    page = anna.page
    play_on(both, MOVES[:2])
    tops = page.evaluate(TOPS)
    assert tops == sorted(tops)
    anna.point(0)
    page.wait_for_selector("#why:has-text('Occupied.')")
    assert page.evaluate(TOPS) == tops
    anna.point(2)
    page.wait_for_selector("#choices button")
    assert page.evaluate(TOPS) == tops
    page.click("#step-back")
    page.wait_for_selector("#away", state="visible")
    assert page.evaluate(TOPS) == tops
    page.click("#present")
    page.click("#resign")
    page.wait_for_selector("#asked", state="visible")
    assert page.evaluate(TOPS) == tops
    last = page.locator("#resign").bounding_box()
    assert last
    assert last["y"] + last["height"] < PHONE["viewport"]["height"]  # it can be reached at once


@pytest.mark.slow("drives a browser")
def test_nothing_at_a_table_keeps_anybody_out(visit: Callable[..., Page], address: str) -> None:
    both = anna, bert = meet(visit, address, "5+3")
    play_on(both, MOVES[:2])
    bert.page.click("#undo")
    anna.page.wait_for_selector("#asked", state="visible")
    look_for_barriers(anna.page)  # clocks, and a question
    anna.page.click("#disagree")
    anna.page.click("#step-back")
    anna.page.wait_for_selector("#away", state="visible")
    look_for_barriers(anna.page)  # the past
    bert.page.click("#resign")
    bert.page.click("#agree")
    anna.page.click("#judge")
    anna.page.wait_for_selector("#judgement:has-text('.')")
    look_for_barriers(anna.page)  # the end, and what is proved
    page = visit(address)
    page.goto(f"{address}/new/sliding")
    page.check("input[name=listed]")
    page.click("form button.main")
    page.click("#show")
    page.wait_for_selector("#away", state="visible")
    look_for_barriers(page)  # what is shown
    page.goto(f"{address}/lobby")
    look_for_barriers(page)


@pytest.mark.slow("drives a browser")
def test_where_the_house_cannot_be_reached_a_page_says_so(
    chromium: Browser, tmp_path: Path
) -> None:
    page = chromium.new_context().new_page()
    with served(tmp_path) as address:
        page.goto(address)
        Hands(page).begin("Sliding word puzzle")
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.goto(address)
    expect(page.locator("h1")).to_have_text("The house cannot be reached")
    expect(page.locator("text=Try again")).to_be_visible()
    page.context.close()
