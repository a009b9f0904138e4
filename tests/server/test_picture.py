"""A table's picture as a file."""

from __future__ import annotations

import base64
import struct
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from browser_helpers import Hands
from gridhouse.core.picture import CELL, DARK, EDGE, HUES, LIGHT

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

COLOURS = """async source => {
  const image = new Image();
  image.src = source;
  await image.decode();
  const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
  const pen = canvas.getContext("2d");
  pen.drawImage(image, 0, 0);
  const {data} = pen.getImageData(0, 0, canvas.width, canvas.height);
  const seen = new Set();
  for (const pixel of new Uint32Array(data.buffer)) seen.add(pixel & 0xffffff);
  const bytes = colour => [colour & 255, colour >> 8 & 255, colour >> 16];
  return [...seen].map(c => "#" + bytes(c).map(b => b.toString(16).padStart(2, "0")).join(""));
}"""


def save(page: Page) -> bytes:
    """Save the picture as PNG and return the file."""
    page.locator(".more:has(.share)").evaluate("details => details.open = true")
    with page.expect_download() as waiting:
        page.click("button:has-text('Save the picture as PNG')")
    assert waiting.value.suggested_filename == "collapse.png"
    return Path(waiting.value.path()).read_bytes()


def size(png: bytes) -> tuple[int, int]:
    """Return how many pixels wide and high a PNG is."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    assert png.endswith(b"IEND\xaeB`\x82")
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def colours(page: Page, png: bytes) -> set[str]:
    return set(page.evaluate(COLOURS, "data:image/png;base64," + base64.b64encode(png).decode()))


@pytest.mark.slow("drives a browser")
@pytest.mark.parametrize(("scheme", "theme"), [("light", LIGHT), ("dark", DARK)])
def test_a_picture_is_saved_as_png(
    visit: Callable[..., Page], address: str, scheme: str, theme: dict[str, str]
) -> None:
    page = visit(address, color_scheme=scheme)
    hands = Hands(page)
    hands.begin("Collapse", start="collapse(rows=1,cols=4,digits=4) 0 1123")
    png = save(page)
    width, height = 4 * CELL + 2 * EDGE, CELL + 2 * EDGE
    assert size(png) == (1200, round(height * 1200 / width))
    seen = colours(page, png)
    assert {theme["ground"], theme["board"], HUES[1], HUES[2], HUES[3]} <= seen
    hands.point(0)
    hands.wait(1)
    after = colours(page, save(page))  # not the picture that was saved before
    assert HUES[1] not in after
    assert {HUES[2], HUES[3]} <= after


@pytest.mark.slow("drives a browser")
def test_a_large_picture_has_two_pixels_to_a_unit(visit: Callable[..., Page], address: str) -> None:
    page = visit(address)
    board = "/".join(["01" * 6] * 12)
    Hands(page).begin("Collapse", start=f"collapse(rows=12,cols=12,digits=2) 0 {board}")
    side = 2 * (12 * CELL + 2 * EDGE)
    assert size(save(page)) == (side, side)


def test_a_picture_that_cannot_be_had_is_not_saved(
    visit: Callable[..., Page], address: str
) -> None:
    page = visit(address)
    Hands(page).begin("Collapse", start="collapse(rows=1,cols=4,digits=4) 0 1123")
    page.route("**/picture.svg*", lambda route: route.fulfill(body="nothing"))
    page.click(".more:has(.share) summary")
    page.click("#save-png")
    page.wait_for_selector("#why:has-text('The picture could not be saved.')")
