"""How long random tests search, interrupts, and a browser for the tests that need one.

They search a little by default, less with HYPOTHESIS_PROFILE=quick, much with ``thorough``.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

import pythons
from browser_helpers import browser, served
from wire_helpers import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from playwright.sync_api import Browser, Page

QUIET = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
settings.register_profile(
    "quick", max_examples=15, deadline=None, suppress_health_check=QUIET, print_blob=True
)
settings.register_profile(
    "default", max_examples=60, deadline=None, suppress_health_check=QUIET, print_blob=True
)
settings.register_profile(
    "thorough", max_examples=2000, deadline=None, suppress_health_check=QUIET, print_blob=True
)
# Tests wait for what they need compiled, unless they ask for something else.
os.environ.setdefault("GRIDHOUSE_COMPILE", "now")
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

# Who starts the tests in the background of a script has them ignore interrupts, and all their
# children with them; some tests send one.
signal.signal(signal.SIGINT, signal.default_int_handler)

EXPECTED = ("WebSocket", "status of 422")  # the house was killed, or a form was wrong


def pytest_report_header() -> str:
    """Say which Pythons the exact programs are run with."""
    refused = ", ".join(pythons.too_old()) or "none"
    return f"exact programs: run with Python {', '.join(pythons.able())}; refused by {refused}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Run what is marked as untraced at full speed; other tests have to cover its lines.

    To stop coverage itself is not enough: each worker measures itself more than once, and what
    was started earlier goes on.
    """
    if not item.get_closest_marker("untraced"):
        return (yield)
    tracer = sys.gettrace()
    sys.settrace(None)
    try:
        return (yield)
    finally:
        sys.settrace(tracer)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as found:
        yield found


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory, chromium: Browser) -> Iterator[str]:
    del chromium  # without a browser nothing is served
    with served(tmp_path_factory.mktemp("house")) as address:
        yield address


@pytest.fixture
def visit(chromium: Browser) -> Iterator[Callable[..., Page]]:
    """Open pages of visitors of their own; nothing may go wrong on them, nor leave the house."""
    contexts: list[Any] = []
    troubles: list[str] = []

    def opened(address: str, **look: Any) -> Page:
        context = chromium.new_context(**look)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(1000 * PATIENCE)

        def note_request(request: Any) -> None:
            if not request.url.startswith(address):
                troubles.append(request.url)

        def note_word(said: Any) -> None:
            if said.type == "error" and not any(word in said.text for word in EXPECTED):
                troubles.append(f"{said.text} {said.location}")

        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("request", note_request)
        page.on("console", note_word)
        page.goto(address)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert troubles == []
