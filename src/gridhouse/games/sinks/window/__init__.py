"""The window of Sinks, drawn with the module ``stddraw`` that the document prescribes.

``session`` handles clicks and keys; ``drawing`` and ``motion`` draw.  The loop redraws only after
an event, and sleeps between its polls of mouse and keyboard.
"""

from __future__ import annotations

import importlib
import os
import sys

from gridhouse.core.console import UsageError
from gridhouse.games.sinks.window import drawing, motion
from gridhouse.games.sinks.window.canvas import Canvas
from gridhouse.games.sinks.window.session import ARROWS, Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import MutableMapping
    from typing import Any

    from gridhouse.games.sinks.game import SinksGame
    from gridhouse.games.sinks.rules import Position

REST_MS = 20
NAME = "Sinks"
DRIVERS = {"DISPLAY": "x11", "WAYLAND_DISPLAY": "wayland"}  # by the variable that names a display


def choose_driver(environment: MutableMapping[str, str]) -> None:
    """Tell SDL the available displays, because otherwise it may draw to an invisible one.

    Raises UsageError if there is none.
    """
    if "SDL_VIDEODRIVER" in environment:
        return
    drivers = [driver for name, driver in DRIVERS.items() if environment.get(name)]
    if not drivers:
        raise UsageError("the window cannot be opened: there is no display")
    environment["SDL_VIDEODRIVER"] = ",".join(drivers)


def load_stddraw() -> Any:
    """Return the module ``stddraw``; raises UsageError if it cannot be imported."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    os.environ.setdefault("SDL_VIDEO_X11_WMCLASS", NAME)  # the window's name for the desktop
    try:
        return importlib.import_module("stddraw")
    except ImportError as error:
        if error.name == "stddraw":
            text = "the window needs stddraw: pip install su-stdlibs-python (the extra 'gui')"
        else:
            text = f"the window needs stddraw, which cannot be loaded: {error}"
        raise UsageError(text) from None


def open_canvas(stddraw: Any) -> Canvas:
    """Open the window; raises UsageError if there is no display."""
    if sys.platform == "linux":
        choose_driver(os.environ)
    try:
        return Canvas(stddraw)
    except RuntimeError as error:  # pygame.error is a RuntimeError
        raise UsageError(f"the window cannot be opened: {error}") from None


class Hands:
    """The keys and clicks of the players.

    stddraw reports a key as its text, and arrow keys have none; after a quick tap the key is no
    longer down either.  So keys are taken from pygame's queue before and after stddraw reads it.
    For the few that arrive during its reading, the pressed keys are queried at once.
    """

    def __init__(self, stddraw: Any) -> None:
        """Start with empty queues."""
        self._stddraw = stddraw
        self._keys: list[str] = []
        self._arrows = {getattr(stddraw, f"K_{name.upper()}"): name for name in ARROWS}

    def rest(self, canvas: Canvas, milliseconds: int) -> None:
        """Show the canvas for a while and collect typed keys; arrow keys get their names."""
        self._take_keys()
        canvas.show(milliseconds)
        while self._stddraw.hasNextKeyTyped():
            self._keys.append(self._stddraw.nextKeyTyped() or self._arrow_down())
        self._take_keys()

    def _take_keys(self) -> None:
        for event in self._stddraw.pygame.event.get(self._stddraw.KEYDOWN):
            self._keys.append(event.unicode or self._arrows.get(event.key, ""))

    def _arrow_down(self) -> str:
        down = self._stddraw.getKeysPressed()
        return next((name for key, name in self._arrows.items() if down[key]), "")

    def act(self, session: Session) -> bool:
        """Pass keys and clicks to the session; return whether there were any.

        stddraw does not keep the order of keys and clicks.  Keys come first, because a key may set
        the mode for a click.  A move ends the loop, because it must be shown first.
        """
        happened = False
        while self._keys and not session.closed and not session.changes:
            key = self._keys.pop(0)
            if key:
                session.press(key)
                happened = True
        if not session.changes and self._stddraw.mousePressed():
            session.click(self._stddraw.mouseX(), self._stddraw.mouseY())
            happened = True
        return happened

    def forget(self) -> None:
        """Drop waiting keys and clicks."""
        self._keys.clear()
        self._stddraw.mousePressed()


def play(stddraw: Any, canvas: Canvas, session: Session) -> None:
    """Draw the window and handle its events until it is closed.

    Events during an animation are dropped, because they were meant for the board before it.
    """
    hands = Hands(stddraw)
    drawing.draw(canvas, session)
    while not session.closed:
        hands.rest(canvas, REST_MS)
        if hands.act(session):
            took_time = motion.show_all(canvas, session, session.take_changes())
            drawing.draw(canvas, session)
            if took_time:
                hands.rest(canvas, 0)
                hands.forget()


def run(game: SinksGame, given: Position | None) -> None:
    """Open the window and play, from the given start position or one chosen in the window."""
    stddraw = load_stddraw()
    canvas = open_canvas(stddraw)
    try:
        play(stddraw, canvas, Session(game, given))
    except SystemExit:  # raised by stddraw when the window is closed
        return
