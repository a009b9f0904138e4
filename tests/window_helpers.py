"""A screen without a monitor, a program's window on it, and hands for its mouse and keyboard."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import shutil
import signal
import subprocess
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

import pytest
from PIL import Image, ImageGrab

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

T = TypeVar("T")

PATIENCE = 60.0  # seconds
STILLNESS = 0.6  # seconds, longer than a window flashes
CLIENT_MESSAGE = 33  # X11's number of the event by which a window manager speaks to a window


def need(*tools: str) -> None:
    """Skip where a tool of these tests is missing; in CI, which installs them, fail."""
    missing = [tool for tool in tools if shutil.which(tool) is None]
    missing += [
        module for module in ("_tkinter", "stddraw") if importlib.util.find_spec(module) is None
    ]
    if missing:
        wanted = "apt install xvfb xdotool python3-tk, and the extra gui"
        reason = f"{', '.join(missing)} missing: {wanted}"
        assert "CI" not in os.environ, reason
        pytest.skip(reason)


def wait_for(look: Callable[[], T], what: str) -> T:
    """Return what is found as soon as it is true; fail after a long while."""
    end = time.monotonic() + PATIENCE
    while not (found := look()):
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.05)
    return found


@contextmanager
def screen(width: int = 1024, height: int = 768) -> Iterator[dict[str, str]]:
    """Start an X server on a free display and yield the environment for programs on it."""
    need("Xvfb", "xdotool")
    read_end, write_end = os.pipe()
    # A server that starts over when its last client leaves turns away whoever comes meanwhile.
    command = ["Xvfb", "-displayfd", str(write_end), "-nolisten", "tcp", "-noreset"]
    command += ["-screen", "0", f"{width}x{height}x24"]
    server = subprocess.Popen(command, pass_fds=[write_end], stderr=subprocess.DEVNULL)
    os.close(write_end)
    try:
        with os.fdopen(read_end) as answer:
            number = answer.readline().strip()
        assert number, "Xvfb did not start"
        # With acceleration SDL shows a window and replaces it at once, maybe after it was found.
        yield {**os.environ, "DISPLAY": f":{number}", "SDL_FRAMEBUFFER_ACCELERATION": "0"}
    finally:
        server.terminate()
        server.wait()


class Picture:
    """What is seen in a window: rows of red, green, blue from the top."""

    def __init__(self, image: Image.Image) -> None:
        """Keep the pixels of an image."""
        self.width, self.height = image.size
        self.data = image.convert("RGB").tobytes()

    def pixel(self, x: float, y: float) -> tuple[int, int, int]:
        """Return the colour at a point that is counted from the bottom left."""
        at = 3 * ((self.height - 1 - int(y)) * self.width + int(x))
        red, green, blue = self.data[at : at + 3]
        return red, green, blue

    def part(self, left: float, bottom: float, width: float, height: float) -> bytes:
        """Return the pixels of a rectangle."""
        rows = range(self.height - int(bottom + height), self.height - int(bottom))
        starts = (3 * (row * self.width + int(left)) for row in rows)
        return b"".join(self.data[start : start + 3 * int(width)] for start in starts)

    def count(self, colour: tuple[int, int, int], box: tuple[float, float, float, float]) -> int:
        """Return how many pixels of a rectangle have just this colour."""
        part = self.part(*box)
        wanted = bytes(colour)
        return sum(part[at : at + 3] == wanted for at in range(0, len(part), 3))


class Window:
    """The window of a running program."""

    def __init__(self, process: subprocess.Popen[bytes], name: str, env: dict[str, str]) -> None:
        """Wait for the window of this class name; points in it count from the bottom left."""
        self.process = process
        self.env = env
        self.id = wait_for(lambda: self._find(name), f"the window {name}").split()[0]
        self.height = self.picture().height
        self._xdotool("windowfocus", self.id)

    def _find(self, name: str) -> str:
        if self.process.poll() is not None:
            assert self.process.stderr is not None
            pytest.fail(f"no window: {self.process.stderr.read().decode()}")
        search = ["xdotool", "search", "--onlyvisible", "--classname", f"^{name}$"]
        found = subprocess.run(search, env=self.env, capture_output=True, text=True, check=False)
        return found.stdout

    def _xdotool(self, *words: str) -> None:
        subprocess.run(["xdotool", *words], env=self.env, check=True, capture_output=True)

    def click(self, x: float, y: float) -> None:
        """Click with the left button once no animation runs, for input would be dropped then."""
        self.settle()
        spot = str(int(x)), str(int(self.height - 1 - y))
        self._xdotool("mousemove", "--window", self.id, *spot, "click", "1")

    def type(self, *keys: str) -> None:
        """Type keys by X11's names of them, once no animation runs."""
        self.settle()
        self.tap(*keys)

    def tap(self, *keys: str, delay: int = 20) -> None:
        """Type keys at once, so many milliseconds apart."""
        self._xdotool("key", "--delay", str(delay), *keys)

    def hold(self, key: str, until: Callable[[], object], what: str) -> None:
        """Keep a key down until something is seen."""
        self._xdotool("keydown", key)
        wait_for(until, what)
        self._xdotool("keyup", key)

    def picture(self) -> Picture:
        """Return what is seen now."""
        asked = ["xdotool", "getwindowgeometry", "--shell", self.id]
        run = subprocess.run(asked, env=self.env, check=True, capture_output=True, text=True)
        told = dict(line.split("=") for line in run.stdout.split())
        left, top, width, height = (int(told[name]) for name in ("X", "Y", "WIDTH", "HEIGHT"))
        # Of the whole screen: a program that asks for one window keeps others from the screen
        # meanwhile, and now and then waits for them for good.
        with ImageGrab.grab(xdisplay=self.env["DISPLAY"]) as seen:
            return Picture(seen.crop((left, top, left + width, top + height)))

    def sees(self, what: str, look: Callable[[Picture], object]) -> Picture:
        """Return the first picture of which something is true."""

        def found() -> Picture | None:
            picture = self.picture()
            return picture if look(picture) else None

        seen = wait_for(found, what)
        assert seen is not None
        return seen

    def settle(self) -> Picture:
        """Return the picture that has not changed for a while: no animation runs any more."""
        seen, since = self.picture(), time.monotonic()
        end = since + PATIENCE
        while time.monotonic() < since + STILLNESS:
            assert time.monotonic() < end, "the window does not come to rest"
            time.sleep(0.03)
            picture = self.picture()
            if picture.data != seen.data:
                seen, since = picture, time.monotonic()
        return seen

    def ask_to_close(self) -> None:
        """Do what the window's close button does: send the window manager's message."""
        send_close(self.env["DISPLAY"], int(self.id))

    def status(self) -> int:
        """Return the exit status of the program once it has ended."""
        return self.process.wait(PATIENCE)


class ClientMessage(ctypes.Structure):
    """X11's XClientMessageEvent, padded to the size of an XEvent."""

    _fields_ = (
        ("type", ctypes.c_int),
        ("serial", ctypes.c_ulong),
        ("send_event", ctypes.c_int),
        ("display", ctypes.c_void_p),
        ("window", ctypes.c_ulong),
        ("message_type", ctypes.c_ulong),
        ("format", ctypes.c_int),
        ("data", ctypes.c_long * 5),
        ("padding", ctypes.c_long * 24),
    )


def send_close(display_name: str, window: int) -> None:
    """Send a window the message that its close button was pressed."""
    x11 = ctypes.CDLL("libX11.so.6")
    x11.XOpenDisplay.restype = ctypes.c_void_p
    x11.XInternAtom.restype = ctypes.c_ulong
    display = ctypes.c_void_p(x11.XOpenDisplay(display_name.encode()))
    protocols, delete = (
        x11.XInternAtom(display, name, 0) for name in (b"WM_PROTOCOLS", b"WM_DELETE_WINDOW")
    )
    event = ClientMessage(type=CLIENT_MESSAGE, window=window, message_type=protocols, format=32)
    event.data[0] = delete
    x11.XSendEvent(display, ctypes.c_ulong(window), 0, ctypes.c_long(0), ctypes.byref(event))
    x11.XCloseDisplay(display)


@contextmanager
def window_of(
    command: list[str], env: dict[str, str], name: str, stdin: int, given: bytes = b""
) -> Iterator[Window]:
    """Start a program with its standard input and yield its window; end it if it still runs."""
    process = subprocess.Popen(
        command,
        env=env,
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        if process.stdin is not None:
            process.stdin.write(given)
            process.stdin.close()
        yield Window(process, name, env)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.wait()
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()
