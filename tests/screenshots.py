"""Take the README's pictures of the house: ``PYTHONPATH=src python tests/screenshots.py``.

It needs chromium.
"""

from __future__ import annotations

import base64
import io
import itertools
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PIL import Image, ImageOps

import gridhouse
from browser_helpers import Hands, browser, from_page, served, type_move

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from gridhouse.core.game import State

IMAGES = Path(__file__).parents[1] / "docs" / "images"
DESK: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}}
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 780},
    "has_touch": True,
    "is_mobile": True,
    "device_scale_factor": 2,
}
COLOURS = 128
FRAME, FRAME_COLOUR = 24, "#8d8672"  # pixels around each phone
WIDTH = 1100  # of the phones together
SETTLED = 500  # milliseconds in which everything has glided to its place
MADE = 11  # moves that are made before a picture is taken
FILMED: dict[str, Any] = {"viewport": {"width": 960, "height": 600}}
FILM_SIZE = 640, 400
FILM_MOVES = 10
SHORTEST, LONGEST = 0.03, 0.9  # seconds of one picture of the film


def shot(page: Page, name: Path) -> Path:
    """Save what is seen of a page when nothing moves any more."""
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_timeout(SETTLED)
    page.screenshot(path=name)
    return name


def save(picture: Image.Image, name: str) -> None:
    """Save a picture of few colours for the README."""
    few = picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    few.save(IMAGES / name, optimize=True)


def side_by_side(names: list[Path]) -> Image.Image:
    """Return pictures of one height beside each other, in frames."""
    pictures = [
        ImageOps.expand(Image.open(name).convert("RGB"), FRAME, FRAME_COLOUR) for name in names
    ]
    width = sum(picture.width for picture in pictures)
    whole = Image.new("RGB", (width, max(picture.height for picture in pictures)))
    left = 0
    for picture in pictures:
        whole.paste(picture, (left, 0))
        left += picture.width
    return whole.resize((WIDTH, whole.height * WIDTH // width), Image.Resampling.LANCZOS)


def play_some(both: tuple[Hands, Hands], moves: int) -> None:
    """Make sensible moves at a table, by turns."""
    state = from_page(both[0].page)
    greedy = gridhouse.player("greedy", state.game, seed=5, jit=False)
    for ply in range(moves):
        action = greedy.choose(state.clone()).action
        if not state.gesture(action)[0][1:]:  # a bomb would hang a curtain over the board
            action = next(other for other in state.legal_actions() if state.gesture(other)[0][1:])
        type_move(both[ply % 2], state.action_to_string(action))
        state.apply_action(action)
        both[0].wait(ply + 1)
        both[1].wait(ply + 1)
    point_at_most(both[moves % 2], state)


def point_at_most(hands: Hands, state: State) -> None:
    """Point at the cell from which there are most ways."""
    named = [state.gesture(action)[0] for action in state.legal_actions()]
    begins = [cells[0] for cells in named if cells[1:]]
    hands.point(max(begins, key=begins.count))


def clocks(started: Browser, address: str) -> Page:
    """Return Tactego between friends with clocks."""
    page, other = (started.new_context(color_scheme="dark", **PHONE).new_page() for _ in range(2))
    start = gridhouse.parse(str(gridhouse.load("tactego").new_initial_state(2)))
    page.goto(f"{address}/new/tactego?start={start}")
    page.check("input[value=friends]")
    page.select_option("select[name=clock]", "5+3")
    page.click("form button.main")
    Hands(page).wait(0)
    other.goto(page.input_value("#invitation-link"))
    other.click("text=Play as")
    Hands(other).wait(0)
    page.wait_for_selector("#invitation", state="hidden")
    play_some((Hands(page), Hands(other)), 6)
    return page


def evaluation(started: Browser, address: str) -> Page:
    """Return a Binary Game with what is proved of it."""
    page = started.new_context(**PHONE).new_page()
    page.goto(address)
    hands = Hands(page)
    hands.begin("Binary Game", preset="small", opponent="hotseat")
    for move in ("1 1 0", "2 2 1", "0 3 0", "3 0 1", "2 0 0"):
        type_move(hands, move)
    page.click("#judge")
    page.wait_for_selector("#judgement:has-text('.')")
    return page


def film(started: Browser, address: str) -> None:
    """Save a moving picture of a game of Sinks."""
    page = started.new_context(**FILMED).new_page()
    page.goto(address)
    hands = Hands(page)
    hands.begin("Sinks", preset="standard", opponent="hotseat")
    seen: list[tuple[float, bytes]] = []
    wire = page.context.new_cdp_session(page)

    def keep(event: Any) -> None:
        seen.append((event["metadata"]["timestamp"], base64.b64decode(event["data"])))
        wire.send("Page.screencastFrameAck", {"sessionId": event["sessionId"]})

    wire.on("Page.screencastFrame", keep)
    wire.send("Page.startScreencast", {"format": "png"})
    state = from_page(page)
    player = gridhouse.player("alphabeta", state.game, seed=1)
    for ply in range(FILM_MOVES):
        action = player.choose(state, gridhouse.Limits(nodes=4000)).action
        type_move(hands, state.action_to_string(action))
        state.apply_action(action)
        hands.wait(ply + 1)
        page.wait_for_timeout(1000 * LONGEST)
        hands.uncover()
    wire.send("Page.stopScreencast")
    pictures = [
        Image.open(io.BytesIO(data)).convert("RGB").resize(FILM_SIZE, Image.Resampling.LANCZOS)
        for _, data in seen
    ]
    times = [time for time, _ in seen] + [seen[-1][0] + LONGEST]
    shown = [round(1000 * min(LONGEST, max(SHORTEST, b - a))) for a, b in itertools.pairwise(times)]
    pictures[0].save(
        IMAGES / "play.webp", save_all=True, append_images=pictures[1:], duration=shown, loop=0,
        quality=40, method=6,
    )  # fmt: skip


def take(started: Browser, address: str, folder: Path) -> None:
    """Take all pictures."""
    page = started.new_context(**DESK).new_page()
    page.goto(address)
    house = shot(page, folder / "house.png")
    hands = Hands(page)
    hands.begin("Sinks", preset="standard", opponent="hotseat")
    play_some((hands, hands), MADE)
    table = shot(page, folder / "table.png")
    phones = [
        shot(evaluation(started, address), folder / "light.png"),
        shot(clocks(started, address), folder / "dark.png"),
    ]
    for name in (house, table):
        save(Image.open(name), name.name)
    save(side_by_side(phones), "phone.png")


if __name__ == "__main__":
    with (
        tempfile.TemporaryDirectory() as made,
        browser() as opened,
        served(Path(made), patience=3.0) as house_address,
    ):
        take(opened, house_address, Path(made))
        film(opened, house_address)
