"""How little a page asks for: requests and bytes as a browser counts them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from browser_helpers import Hands

if TYPE_CHECKING:
    from playwright.sync_api import Browser

MOST_REQUESTS = 14  # that a page stays under, its socket counted
MOST_BYTES = 60 * 1024
MOST_BYTES_OF_A_TABLE = 100 * 1024


class Loaded(NamedTuple):
    """What a browser asked for, how often, and how many bytes came over the wire for it."""

    asked: Counter[str]
    sizes: dict[str, int]
    ids: list[str]


def load(chromium: Browser, address: str, again: int = 0, language: str = "en") -> Loaded:
    """Open a page with nothing kept, or so many times before, and see what is asked for."""
    context = chromium.new_context(locale=language)
    page = context.new_page()
    for _ in range(again):
        page.goto(address, wait_until="networkidle")  # a font that has not come yet is not kept
    wire = context.new_cdp_session(page)
    wire.send("Network.enable")
    urls: dict[str, str] = {}
    asked: Counter[str] = Counter()
    sizes: dict[str, int] = {}

    def note_request(event: dict[str, Any]) -> None:
        urls[event["requestId"]] = event["request"]["url"]
        if not event["request"]["url"].startswith("data:"):
            asked[event["request"]["url"]] += 1

    def note_kept(event: dict[str, Any]) -> None:
        del asked[urls[event["requestId"]]]

    def note_size(event: dict[str, Any]) -> None:
        sizes[urls[event["requestId"]]] = event["encodedDataLength"]

    wire.on("Network.requestWillBeSent", note_request)
    wire.on("Network.requestServedFromCache", note_kept)
    wire.on("Network.loadingFinished", note_size)
    wire.on("Network.webSocketCreated", lambda event: asked.update([event["url"]]))
    page.goto(address, wait_until="networkidle")
    if "/t/" in address:
        Hands(page).wait(0)
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(element => element.id)")
    context.close()
    return Loaded(asked, sizes, ids)


@pytest.mark.slow("drives a browser")
@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/new/sinks",
        "/new/tactego/arrange",
        "/rules/sinks",
        "/learn/sinks/1",
        "/puzzles/sinks/1",
        "/t/binary",
        "/t/sinks",
        "/t/tactego",
    ],
)
def test_a_page_asks_for_little(chromium: Browser, address: str, path: str, language: str) -> None:
    if path.startswith("/t/"):
        path = new_table(chromium, address, path.removeprefix("/t/"))
    loaded = load(chromium, address + path, language=language)
    assert address + path in loaded.sizes
    assert sum("style.css" in url for url in loaded.sizes) == 1
    if path.startswith("/t/"):
        assert sum(url.startswith("ws:") for url in loaded.asked) == 1
    assert loaded.asked.total() < MOST_REQUESTS, loaded.asked
    most = MOST_BYTES_OF_A_TABLE if path.startswith("/t/") else MOST_BYTES
    assert 1000 < sum(loaded.sizes.values()) < most, loaded.sizes
    assert len(set(loaded.ids)) == len(loaded.ids)


def new_table(chromium: Browser, address: str, game: str) -> str:
    """Open a table and return where it is; whoever loads it anew only watches, all but the same."""
    page = chromium.new_page()
    page.goto(address)
    page.click(f"form[action='/new/{game}'] button")
    Hands(page).wait(0)
    path = page.url.removeprefix(address)
    page.context.close()
    return path


def test_the_style_is_kept_for_good(chromium: Browser, address: str) -> None:
    loaded = load(chromium, address, again=1)
    assert list(loaded.asked) == [address + "/"]
