"""The window of Sinks, drawn with the module ``stddraw`` that the document asks for.

What clicks and keys mean is in ``_session``, what is seen in ``_drawing`` and ``_motion``.  The
loop draws only after something has happened and rests between its looks at mouse and keyboard.
"""

from __future__ import annotations

import importlib
import os
import sys

from gridhouse.core.console import UsageError
from gridhouse.games.sinks import _drawing, _motion
from gridhouse.games.sinks._canvas import Canvas
from gridhouse.games.sinks._session import ARROWS, Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import MutableMapping
    from typing import Any

    from gridhouse.games.sinks.game import SinksGame
    from gridhouse.games.sinks.rules import Position

REST_MS = 50
NAME = "Sinks"
DRIVERS = {"DISPLAY": "x11", "WAYLAND_DISPLAY": "wayland"}  # by the variable that names a display


def choose_driver(environment: MutableMapping[str, str]) -> None:
    """Name the displays that are there to SDL, which else draws where nobody sees it.

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
    os.environ.setdefault("SDL_VIDEO_X11_WMCLASS", NAME)  # what a desktop calls the window
    try:
        return importlib.import_module("stddraw")
    except ImportError as error:
        raise UsageError(
            f"the window needs the extra 'gui' ({error}): pip install 'gridhouse[gui]'"
        ) from None


def open_canvas(stddraw: Any) -> Canvas:
    """Open the window; raises UsageError if there is no display."""
    if sys.platform == "linux":
        choose_driver(os.environ)
    try:
        return Canvas(stddraw)
    except RuntimeError as error:  # pygame's own error is one
        raise UsageError(f"the window cannot be opened: {error}") from None


def read_key(stddraw: Any) -> str:
    """Return the next key typed; an arrow key, for which stddraw has no text, by its name."""
    key: str = stddraw.nextKeyTyped()
    if key:
        return key
    down = stddraw.getKeysPressed()
    names = (name for name in ARROWS if down[getattr(stddraw, f"K_{name.upper()}")])
    return next(names, "")


def take_input(stddraw: Any, session: Session) -> bool:
    """Hand what was typed and clicked to the session; tell whether there was anything.

    stddraw keeps no order between keys and clicks: a key that sets a mode and the click it is
    meant for may come at once, so keys are first.
    """
    happened = False
    while stddraw.hasNextKeyTyped() and not session.closed:
        key = read_key(stddraw)
        if key:
            session.press(key)
            happened = True
    if stddraw.mousePressed():
        session.click(stddraw.mouseX(), stddraw.mouseY())
        happened = True
    return happened


def play(stddraw: Any, canvas: Canvas, session: Session) -> None:
    """Draw the window and obey it until it is closed."""
    _drawing.draw(canvas, session)
    while not session.closed:
        canvas.show(REST_MS)
        if take_input(stddraw, session):
            for change in session.take_changes():
                _motion.show(canvas, session, change)
            _drawing.draw(canvas, session)


def run(game: SinksGame, given: Position | None) -> None:
    """Open the window and play, from a given start position or one chosen there."""
    stddraw = load_stddraw()
    canvas = open_canvas(stddraw)
    try:
        play(stddraw, canvas, Session(game, given))
    except SystemExit:  # how stddraw tells that the window was closed
        return
