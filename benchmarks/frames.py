"""How smoothly pieces move on a slow phone: ``python benchmarks/frames.py [MOVES]``.

A browser of a phone's size, its processor slowed down four times, shows a table for two at one
screen in a house of its own. Random moves are made, and the browser says when it draws. Printed
are, for each game, the frames while a move is shown (0.4 s), how many of them came later than one
frame of a screen with 60 a second, the frames a second, and the longest wait for one.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from command_line import Count, need, start
from house_load import SERVER

import gridhouse
from gridhouse.core.registry import game_class

if TYPE_CHECKING:
    from playwright.sync_api import Page

SLOWER = 4
SHOWN = 400  # milliseconds
FRAME = 1000 / 60
LATE = 1.25  # frames
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
STARTS = {
    "binary": "binary(rows=5,cols=5)#0",
    "collapse": "collapse(rows=7,cols=11,digits=5)#0",
    "sinks": "sinks(rows=10,cols=10)#0",
    "sliding": "sliding(rows=4,cols=4)#0",
    "tactego": "tactego(rows=10,cols=10,pieces=6x4 5x4 4x4 3x5 2x8 Sx5 Ax1 Mx6 Fx1)#0",
}
STAMP = """() => {
  window.stamps = [];
  const draw = (now) => { stamps.push(now); requestAnimationFrame(draw); };
  requestAnimationFrame(draw);
}"""
MOVE = """async ([move, shown]) => {
  const board = document.getElementById("board");
  const before = board.dataset.ply;
  document.getElementById("move").value = move;
  document.getElementById("typed").requestSubmit();
  while (board.dataset.ply === before) await new Promise(requestAnimationFrame);
  const begun = performance.now();
  await new Promise((done) => setTimeout(done, shown));
  const drawn = stamps.filter((stamp) => stamp >= begun);
  return drawn.map((stamp, at) => stamp - (at ? drawn[at - 1] : begun));
}"""


def waits(page: Page, address: str, name: str, camera: int | None, moves: int) -> list[float]:
    """Play random moves, and return the waits for each frame in milliseconds."""
    page.goto(f"{address}/new/{name}")
    page.evaluate("window.localStorage.clear()")
    if len(game_class(name).players) > 1:
        page.check("input[value=hotseat]", force=True)
    page.click("summary:has-text('Start from')")
    page.fill("textarea", STARTS[name])
    page.click("form.new button.main")
    page.wait_for_selector("#board[data-ply='0']")
    if camera is not None:
        for _ in range(camera):
            page.click("#turn")
    page.evaluate(STAMP)
    state = gridhouse.parse(STARTS[name])
    chance = random.Random(1)
    found: list[float] = []
    for _ in range(moves):
        if state.is_terminal():
            break
        action = chance.choice(state.legal_actions())
        text = state.action_to_string(action)
        state.apply_action(action)
        found += page.evaluate(MOVE, [text, SHOWN])
        if page.is_visible("#curtain"):
            page.click("#curtain-button")
    return found


def main(moves: Count = 20) -> None:
    """Measure all games."""
    need("playwright")
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        sys.exit("missing here: chromium")
    from playwright.sync_api import sync_playwright

    look: dict[str, Any] = {
        "viewport": {"width": 390, "height": 780}, "device_scale_factor": 2, "has_touch": True
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        database = f"sqlite:///{Path(folder) / 'house.db'}"
        house = subprocess.Popen(
            [sys.executable, "-c", SERVER, database], stdout=subprocess.PIPE, text=True
        )
        assert house.stdout is not None
        address = f"http://127.0.0.1:{house.stdout.readline().strip()}"
        browser = started.chromium.launch(executable_path=path)
        print("game                frames   late   a second   longest, ms")
        for name in STARTS:
            for camera in (0, 1) if name == "sinks" else (None,):
                page = browser.new_context(**look).new_page()
                slow = page.context.new_cdp_session(page)
                slow.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
                found = waits(page, address, name, camera, moves)
                late = sum(wait > LATE * FRAME for wait in found)
                rate = 1000 * len(found) / sum(found)
                label = name if camera is None else f"{name}, view {camera}"
                print(f"{label:18} {len(found):7} {late:6} {rate:10.1f} {max(found):13.0f}")
                page.context.close()
        browser.close()
        house.terminate()
        house.wait()


if __name__ == "__main__":
    start(main)
