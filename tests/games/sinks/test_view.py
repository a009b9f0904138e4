"""The picture of Sinks: nothing is invisible from any viewpoint, and everything stands out."""

from __future__ import annotations

import inspect
import itertools
import math
import random
import xml.etree.ElementTree as ET
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest

import gridhouse
from gridhouse.core import picture
from gridhouse.games.sinks import rules, view
from gridhouse.games.sinks.projection import Body, area, camera, clip, hull

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gridhouse.core.game import State

STEP = 3  # units between the points at which a picture is looked at
LEAST = 8  # points of an object that have to be seen
CAMERAS = range(len(view.CAMERAS))
GAMES = ("sinks()", "sinks(rows=8,cols=9)", "sinks(rows=8,cols=8,setup=long)")
AA = 3.0  # contrast of a graphical object, WCAG 2.2


def shapes(svg: str) -> Iterator[tuple[int, list[tuple[float, float]]]]:
    """Yield the filled polygons of a picture from back to front, each with its cell."""

    def below(element: ET.Element, cell: int) -> Iterator[tuple[int, list[tuple[float, float]]]]:
        cell = int(element.get("data-cell", cell))
        is_seen = element.get("fill") != "none" and element.get("pointer-events") != "none"
        if element.tag.endswith("polygon") and is_seen:
            assert float(element.get("fill-opacity", 1)) > 0.3
            points = (pair.split(",") for pair in element.get("points", "").split())
            yield cell, [(float(x), float(y)) for x, y in points]
        for child in element:
            yield from below(child, cell)

    yield from below(ET.fromstring(svg), -1)


def seen(canvas: picture.Canvas) -> Counter[int]:
    """Return at how many points of a grid each cell, or the piece that it names, is on top."""
    owners = np.full((math.ceil(canvas.height / STEP), math.ceil(canvas.width / STEP)), -1)
    for cell, points in shapes(canvas.inline()):
        outline = hull(points)
        left, top = (max(0, math.ceil(min(parts) / STEP)) for parts in zip(*outline, strict=True))
        right, low = (math.ceil(max(parts) / STEP) for parts in zip(*outline, strict=True))
        part = owners[top:low, left:right]
        y, x = np.mgrid[top : top + part.shape[0], left : left + part.shape[1]] * STEP
        inside = np.ones(part.shape, dtype=bool)
        for at, (to_x, to_y) in enumerate(outline):
            from_x, from_y = outline[at - 1]
            inside &= (to_x - from_x) * (y - from_y) - (to_y - from_y) * (x - from_x) >= 0
        part[inside] = cell
    return Counter(owners.ravel().tolist())


def hidden(state: State) -> list[tuple[int, int]]:
    """Return the cameras, and the anchors of blocks and sinks that cannot be seen from them."""
    found = []
    for number in CAMERAS:
        counts = seen(state.open_picture(0, number))
        for group in range(rules.NUM_GROUPS):
            anchors = view.anchors_of(state.position, group)
            found += [(number, anchor) for anchor in anchors if counts[anchor] < LEAST]
    return found


def rolled(text: str, seed: int) -> State:
    """Return a position after random moves of blocks and sinks, without bombs and freezings."""
    state, chance = gridhouse.parse(f"{text}#0"), random.Random(seed)
    for _ in range(chance.randrange(60)):
        moves = [a for a in state.legal_actions() if a % rules.NUM_VERBS < rules.BOMB]
        if not moves:
            break
        state.apply_action(chance.choice(moves))
    return state


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(text, marks=[pytest.mark.slow("draws for seconds"), pytest.mark.measured])
        for text in GAMES[1:]
    ]
    + [GAMES[0]],
)
def test_every_block_and_sink_is_seen_from_everywhere(text: str) -> None:
    for state in (gridhouse.parse(f"{text}#0"), *(rolled(text, seed) for seed in range(5))):
        assert hidden(state) == [], str(state)


def test_without_see_through_blocks_something_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(view, "ghost", lambda *_: "")
    monkeypatch.setattr(view, "block", inspect.unwrap(view.block))  # without its cache
    found = hidden(gridhouse.load("sinks").new_initial_state())
    assert found
    assert all(number for number, _ in found)  # from above nothing hides anything


def test_only_what_is_hidden_is_seen_through_a_block() -> None:
    """A block shows another one through it exactly where their outlines overlap."""
    state = gridhouse.parse("sinks(setup=lc33 da44 la66)#0")
    svg = ET.fromstring(state.open_picture(0, 1).inline())
    block = svg.find(".//{*}g[@id='piece-33']")
    assert block is not None
    ghosts = [group.get("data-cell") for group in block.findall("{*}g")]
    assert ghosts == ["44"]  # the third block stands behind as well, but higher in the picture
    assert svg.find(".//{*}g[@id='piece-44']/{*}g") is None


@pytest.mark.parametrize("number", CAMERAS)
@pytest.mark.parametrize("side", range(2))
def test_a_camera_is_linear_and_keeps_everything_inside(number: int, side: int) -> None:
    eye = camera(number, side, 8, 10, 3)
    start, steps = eye.matrix()[:2], eye.matrix()[2:]
    wide, high = eye.extent
    for col, row, level in itertools.product((0, 4, 10), (0, 3, 8), (0, 1, 3)):
        x, y = eye.point(*eye.turned(col, row), level)
        assert 0 <= x <= wide
        assert 0 <= y <= high
        for axis, found in enumerate((x, y)):
            steps_there = zip((col, row, level), steps[axis::2], strict=True)
            assert found == pytest.approx(start[axis] + sum(n * step for n, step in steps_there))
    numbers = [number for _, number in eye.numbers()]
    assert sorted(numbers) == sorted([*range(8), *range(10)])


def test_the_picture_of_a_game_has_one_size_and_no_empty_sky() -> None:
    start = gridhouse.load("sinks").new_initial_state()
    low = gridhouse.load("sinks", setup="la33 da66").new_initial_state()
    for number in CAMERAS:
        sizes = {rolled("sinks()", seed).open_picture(0, number).height for seed in range(5)}
        assert sizes == {start.open_picture(0, number).height}
        assert low.open_picture(0, number).height <= sizes.pop() - 2 * 28 * (number > 0)


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour, WCAG 2.2."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, WCAG 2.2."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("colours", [picture.LIGHT, picture.DARK, picture.CONTRAST])
def test_edges_stand_out_from_the_floor_and_values_from_blocks(colours: dict[str, str]) -> None:
    for name in ("one-edge", "two-edge", "rim"):
        assert contrast(colours[name], colours["board"]) >= AA, name
    for side in ("one", "two"):
        for shade in ("", "-side", "-dim"):
            assert contrast(colours[f"{side}-ink"], colours[f"{side}{shade}"]) >= 1.5 * AA


def test_a_part_of_a_shape_in_a_window() -> None:
    window = hull([(0, 0), (4, 0), (4, 4), (0, 4)])
    assert area(clip([(2, 2), (6, 2), (6, 6), (2, 6)], window)) == pytest.approx(4)
    assert clip([(5, 5), (6, 5), (6, 6)], window) == []
    body = Body(1, 1, 2, 1, 3)
    assert area(camera(0, 0, 8, 8, 3).silhouette(body)) == pytest.approx(1.92 * 0.92 * 60 * 60)
