"""A house for each test, its visitors, and a browser for the tests that need one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from browser_helpers import browser, served
from gridhouse.core.registry import game_class
from gridhouse.server import languages
from language_helpers import OTHER, forget, write_other
from web_helpers import SMALL, Visitor, open_house
from wire_helpers import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page
    from starlette.testclient import TestClient

# The house was killed, also while a page asked for its worker, or a form was wrong.
EXPECTED = ("WebSocket", "ERR_EMPTY", "fetching the script", "status of 422")

CUT = "ERR_CONNECTION"  # a script that was being loaded when the house was killed


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with open_house(tmp_path) as client:
        yield client


@pytest.fixture
def visitor(client: TestClient) -> Visitor:
    return Visitor(client)


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

    def opened(address: str, *, killed: bool = False, **look: Any) -> Page:
        expected = (*EXPECTED, CUT) if killed else EXPECTED
        context = chromium.new_context(**look)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(1000 * PATIENCE)

        def note_request(request: Any) -> None:
            if not request.url.startswith(address):
                troubles.append(request.url)

        def note_word(said: Any) -> None:
            if said.type == "error" and not any(word in said.text for word in expected):
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


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have daily puzzles so small that they are solved here at once."""
    for name, parameters in SMALL.items():
        monkeypatch.setattr(game_class(name), "daily", parameters)


@pytest.fixture
def other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """Have a language in which nothing is English, and yield the headers that ask for it."""
    write_other(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(languages, "FOLDER", tmp_path)
        forget()
        yield {"accept-language": OTHER}
    forget()
