"""A browser without a screen at a house of its own, and hands for it."""

from __future__ import annotations

import importlib.util
import logging
import os
import shutil
import subprocess
import sys
import threading
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest

import gridhouse
from ports import reserved_port
from wire_helpers import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Locator, Page

    from gridhouse.core.game import State

PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 780}, "has_touch": True}

# The telephones and tablets that Playwright knows, once a browser has been started.
DEVICES: dict[str, dict[str, Any]] = {}

# The first is the same browser without its own windows; a page opens in a third of the time.
CHROMIUM = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
FIREFOX = ("firefox-esr", "firefox")

# Looks for a point on the screen where a cell, or what stands on it, is hit; what still glides is
# put in its place first, since it may be somewhere else when it is hit. A board may be drawn anew
# at any moment, so what scrolls to a cell and what looks for it is one script.
FIND_POINT = """cell => {
  const here = document.getElementById(`cell-${cell}`);
  const {top, bottom, left, right} = here.getBoundingClientRect();
  if (top < 0 || left < 0 || bottom > innerHeight || right > innerWidth)
    here.scrollIntoView({block: "center", inline: "center"});
  document.getAnimations().forEach(animation => animation.finish());
  const found = [...document.querySelectorAll(`#board [data-cell="${cell}"]`)].reverse();
  for (const element of found) {
    const box = element.getBoundingClientRect();
    for (const down of [0.5, 0.3, 0.7, 0.15, 0.85]) for (const right of [0.5, 0.3, 0.7]) {
      const [x, y] = [box.x + right * box.width, box.y + down * box.height];
      const hit = document.elementFromPoint(x, y)?.closest("[data-cell]");
      if (hit && Number(hit.dataset.cell) === cell) return [x, y];
    }
  }
  return null;
}"""

# Says which cell has the focus, and how far right and down of it another one lies.
FIND_WAY = """cell => {
  const middle = element => {
    const box = element.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  const here = document.activeElement;
  const [x, y] = middle(here);
  const [right, down] = middle(document.getElementById(`cell-${cell}`));
  return [Number(here.dataset.cell), right - x, down - y];
}"""
# Says which arrow key slides the tile of a cell into the hole of the sliding puzzle.
FIND_SLIDE = """cell => {
  if (!document.querySelector("[data-game=sliding]")) return null;
  const pieces = [...document.querySelectorAll("#board g[id^=piece-]")];
  const taken = pieces.map(piece => piece.dataset.cell);
  const hole = [...document.querySelectorAll("#board g[id^=cell-]")].find(
    one => !taken.includes(one.dataset.cell));
  const [to, from] = [hole, document.getElementById(`cell-${cell}`)].map(
    one => one.getBoundingClientRect());
  const [x, y] = [to.x - from.x, to.y - from.y];
  if (Math.abs(x) > Math.abs(y)) return x > 0 ? "ArrowRight" : "ArrowLeft";
  return y > 0 ? "ArrowDown" : "ArrowUp";
}"""
OVERFLOW = "document.documentElement.scrollWidth - innerWidth"
COLOURS = "axe.run(document, {runOnly: ['cat.color'], resultTypes: ['violations']})"
MANY_KEYS = 80  # by which anything on a page is reached


def browser_path(names: tuple[str, ...] = CHROMIUM) -> str:
    """Return where the browser is; skip where there is none, but in CI, which installs it, fail."""
    path = next(filter(None, map(shutil.which, names)), None)
    has_playwright = importlib.util.find_spec("playwright") is not None
    if path is None or not has_playwright:
        reason = f"a browser and playwright are missing: apt install {names[0]}, and the extra dev"
        assert "CI" not in os.environ, reason
        pytest.skip(reason)
    return path


@contextmanager
def browser() -> Iterator[Browser]:
    """Start the browser."""
    path = browser_path()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        for name, look in started.devices.items():
            DEVICES[name] = {key: look[key] for key in look if key != "default_browser_type"}
        found = started.chromium.launch(executable_path=path)
        yield found
        found.close()


def expect(found: Locator) -> Any:
    """Return what waits until something is true of an element; pages change a moment later."""
    from playwright.sync_api import expect as waiting

    waiting.set_options(timeout=1000 * PATIENCE)
    return waiting(found)


def look_for_barriers(page: Page) -> None:
    """Let axe look at a page, and at its colours in dark; it has to fit its screen as well."""
    from axe_playwright_python.base import AxeResults
    from axe_playwright_python.sync_playwright import Axe

    page.wait_for_load_state()
    assert page.evaluate(OVERFLOW) <= 0, page.url
    page.emulate_media(color_scheme="light")
    found = Axe().run(page)
    page.emulate_media(color_scheme="dark")
    dark = AxeResults(page.evaluate(COLOURS))
    for results in (found, dark):
        assert results.violations_count == 0, f"{page.url}\n{results.generate_report()}"
        assert results.response["passes"], page.url  # it did look
    assert len(found.response["passes"]) > 10, page.url


@contextmanager
def firefox(folder: Path) -> Iterator[Browser]:
    """Start a Firefox as it is installed; the folder is where the script that does so is put."""
    path = browser_path(FIREFOX)
    from playwright.sync_api import sync_playwright

    script = folder / "firefox"
    between = Path(__file__).with_name("firefox_between.py")
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{between}" "{path}" "$@"\n')
    script.chmod(0o755)
    with sync_playwright() as started:
        found = started.firefox.launch(executable_path=script, channel="moz-firefox")
        yield found
        found.close()


class Complaints(logging.Handler):
    """Keeps what a server complains of."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(record.getMessage())


@contextmanager
def served(folder: Path, *, calm: bool = True, **others: Any) -> Iterator[str]:
    """Serve a house from a thread of this process, and yield its address.

    A calm one complains of nothing.
    """
    import uvicorn

    from gridhouse.server.app import create_app
    from gridhouse.server.serve import config_of, listen
    from web_helpers import settings_of

    listening = listen("127.0.0.1", 0)
    server = uvicorn.Server(config_of(create_app(settings_of(folder, **others))))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    complaints = Complaints()
    logging.getLogger("uvicorn.error").addHandler(complaints)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
        listening.close()
        logging.getLogger("uvicorn.error").removeHandler(complaints)
    assert not calm or complaints.said == []


class Process:
    """A house in a process of its own, always at the same address, that can be killed."""

    def __init__(self, database: str, port: int) -> None:
        self.port = port
        self.address = f"http://127.0.0.1:{port}"
        self.env = {**os.environ, "GRIDHOUSE_DATABASE_URL": database}
        self.start()

    def start(self) -> None:
        code = "from gridhouse.cli import main; main()"
        command = [sys.executable, "-c", code, "play", "--port", str(self.port), "--no-open"]
        self.process = subprocess.Popen(
            command, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.process.poll() is None:
            try:
                urllib.request.urlopen(self.address).close()
            except OSError:
                time.sleep(0.05)
            else:
                return
        raise AssertionError(f"the house did not open: {self.kill()}")

    def kill(self) -> str:
        """Kill it as ``kill -9`` does, and return what it had printed."""
        self.process.kill()
        printed, _ = self.process.communicate()
        return printed

    def end(self) -> str:
        """End it in good order, and return what it had printed."""
        self.process.terminate()
        printed, _ = self.process.communicate(timeout=PATIENCE)
        return printed


@contextmanager
def house_process(database: str) -> Iterator[Process]:
    """Open a house in a process of its own and yield it; what still runs in the end is killed."""
    with reserved_port() as port:
        house = Process(database, port)
        try:
            yield house
        finally:
            if house.process.poll() is None:
                house.kill()


class Hands:
    """A mouse at the page of a table, and a keyboard for what cannot be clicked."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def begin(self, game: str, **form: str) -> None:
        """Go from the front door to a table, by what can be clicked and typed."""
        self.press(f"text=Choose how to play {game}")
        for name, value in form.items():
            if name == "start":
                self.press("summary")
                self.press("textarea")
                self.page.keyboard.insert_text(value)
            elif name == "level":
                self.page.select_option("select[name=level]", value)
            else:
                self.choose(name, value)
        self.press("form button.main")
        self.wait(0)

    def press(self, selector: str) -> None:
        """Press a button, follow a link, go into a field."""
        self.page.click(selector)

    def choose(self, name: str, value: str) -> None:
        """Choose one of several in a form."""
        self.press(f"input[name={name}][value={value}]")

    def wait(self, ply: int) -> None:
        """Wait until a ply is shown."""
        self.page.wait_for_selector(f"#board[data-ply='{ply}']", timeout=1000 * PATIENCE)

    @property
    def ply(self) -> int:
        return int(self.page.get_attribute("#board", "data-ply") or "-1")

    def text(self, part: str) -> str:
        return self.page.inner_text(f"#{part}")

    def sees(self, part: str, text: str, *, whole: bool = True) -> None:
        """Wait until a part of the page says just this, or this among other things."""
        waiting = expect(self.page.locator(f"#{part}"))
        said = waiting.to_have_text if whole else waiting.to_contain_text
        said(text, use_inner_text=True)

    def said(self) -> str:
        """Return what was last read out to who does not see."""
        return self.page.text_content("#said") or ""

    def point(self, cell: int) -> None:
        """Click where a cell is seen."""
        self.page.mouse.click(*self.place(cell))

    def place(self, cell: int) -> tuple[float, float]:
        """Return where on the screen a cell is seen."""
        self.page.wait_for_selector(f"#cell-{cell}", state="attached")
        place = self.page.evaluate(FIND_POINT, cell)
        assert place, f"cell {cell} cannot be hit"
        x, y = place
        return x, y

    def uncover(self) -> None:
        """Hand the screen over where a curtain hangs."""
        if self.page.is_visible("#curtain"):
            self.press("#curtain-button")
            self.page.wait_for_selector("#curtain", state="hidden")

    def play(self, state: State, action: int) -> None:
        """Make a move at the board alone."""
        self.uncover()
        cells, choice = state.gesture(action)
        for cell in cells:
            self.point(cell)
        if choice:
            self.press(f"#choices button >> text=/^{choice}$/i")
        self.wait(len(state.history()) + 1)
        state.apply_action(action)


class Fingers(Hands):
    """A finger on a touch screen."""

    def press(self, selector: str) -> None:
        self.page.tap(selector)

    def point(self, cell: int) -> None:
        self.page.touchscreen.tap(*self.place(cell))


class Keys(Hands):
    """A keyboard and nothing else."""

    def press(self, selector: str) -> None:
        self.go_to(selector)
        if self.page.locator(selector).first.evaluate("element => element.tagName") != "TEXTAREA":
            self.page.keyboard.press("Enter")

    def choose(self, name: str, value: str) -> None:
        self.go_to(f"input[name={name}]:checked")
        wanted = self.page.locator(f"input[name={name}][value={value}]")
        for _ in range(MANY_KEYS):
            if wanted.is_checked():
                return
            self.page.keyboard.press("ArrowDown")
        raise AssertionError(f"{name} cannot be set to {value} by keys")

    def go_to(self, selector: str) -> None:
        """Press the tab key until something has the focus."""
        wanted = self.page.locator(selector).first
        wanted.wait_for()
        for _ in range(MANY_KEYS):
            if wanted.evaluate("element => element === document.activeElement"):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"{selector} is not reached by the tab key")

    def point(self, cell: int) -> None:
        arrow = self.page.evaluate(FIND_SLIDE, cell)
        if arrow:
            self.page.keyboard.press(arrow)
            return
        self.go_to("#board [data-cell][tabindex='0']")
        for _ in range(MANY_KEYS):
            here, x, y = self.page.evaluate(FIND_WAY, cell)
            if here == cell:
                self.page.keyboard.press("Enter")
                return
            across, along = ("Left", "Right")[x > 0], ("Up", "Down")[y > 0]
            first, second = (across, along) if abs(x) > abs(y) else (along, across)
            self.page.keyboard.press(f"Arrow{first}")
            if self.page.evaluate(FIND_WAY, cell)[0] == here:
                self.page.keyboard.press(f"Arrow{second}")
        raise AssertionError(f"cell {cell} is not reached by arrow keys")


def from_page(page: Page) -> State:
    """Return the position that a page offers to begin another game from."""
    link = page.get_attribute("#from-here", "href") or ""
    return gridhouse.parse(parse_qs(urlsplit(link).query)["start"][0])


def type_move(hands: Hands, move: str) -> None:
    ply = hands.ply
    hands.page.fill("#move", move)
    hands.page.keyboard.press("Enter")
    hands.wait(ply + 1)
