"""Pictures of positions: well formed, complete, telling no secret, with names that stay."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gridhouse
from gridhouse.conformance import random_source
from gridhouse.core import picture
from gridhouse.core.errors import ParameterError
from gridhouse.games.sinks import rules as sinks
from gridhouse.games.sinks.projection import camera
from gridhouse.games.sinks.view import Scene
from gridhouse.games.tactego import rules as tactego
from harness import command
from walks import GAMES, walk

if TYPE_CHECKING:
    from pathlib import Path

    from gridhouse.core.game import State

SMALL = [text for text in GAMES if gridhouse.parse(f"{text}#0").game.num_actions < 2000]
walks = st.builds(walk, st.sampled_from(SMALL), st.integers(0, 10**9))
SINKS = [text for text in GAMES if text.startswith("sinks")]


def elements(state: State, player: int | None = None) -> list[ET.Element]:
    """Return all elements of a picture."""
    return list(ET.fromstring(state.picture(player).svg()).iter())


def pieces(state: State) -> dict[str, str]:
    """Return for every piece, by its name, the cell it is drawn on."""
    return {
        str(element.get("id")): str(element.get("data-cell"))
        for element in elements(state)
        if str(element.get("id")).startswith("piece-")
    }


@given(walks)
def test_every_cell_is_there_with_its_words(state: State) -> None:
    found = elements(state)
    names = [element.get("id") for element in found if element.get("id")]
    assert len(set(names)) == len(names)
    for cell in range(state.game.rows * state.game.cols):
        labels = [e.get("aria-label") for e in found if e.get("id") == f"cell-{cell}"]
        row, col = divmod(cell, state.game.cols)
        assert [label.split(":")[0] for label in labels if label] == [f"row {row} column {col}"]


@given(walks)
def test_every_action_has_a_gesture_of_its_own(state: State) -> None:
    gestures = [state.gesture(action) for action in state.legal_actions()]
    assert len({(tuple(cells), choice) for cells, choice in gestures}) == len(gestures)
    everywhere = range(state.game.rows * state.game.cols)
    assert all(cell in everywhere for cells, _ in gestures for cell in cells)


def what_stands(state: State) -> dict[int, Any]:
    """Return what kind of piece stands on each cell that has one."""
    position, game = state.position, state.game
    if game.name == "binary":
        digits = {c: game.rules.digit_at(position, c % game.cols, c // game.cols)
                  for c in range(game.rows * game.cols)}  # fmt: skip
        return {cell: digit for cell, digit in digits.items() if digit >= 0}
    if game.name == "collapse":
        cells = range(game.rows * game.cols)
        found = {c: position.cells[game.rules.cell_of(position, c)] for c in cells}
        return {cell: digit for cell, digit in found.items() if digit >= 0}
    if game.name == "sinks":
        return {c: kind for c, kind in enumerate(position.kind) if 0 < kind < sinks.BLOCK}
    board = position.tiles if game.name == "sliding" else position.board
    return {cell: piece for cell, piece in enumerate(board) if piece}


@given(walks, st.data())
def test_a_piece_keeps_its_name_from_move_to_move(state: State, data: st.DataObject) -> None:
    if state.is_terminal():
        return
    before, kinds_before = pieces(state), what_stands(state)
    state.apply_action(data.draw(st.sampled_from(state.legal_actions())))
    after, kinds_after = pieces(state), what_stands(state)
    assert sorted(map(int, after.values())) == sorted(kinds_after)
    kept = set(before) & set(after)
    assert set(after) == kept or state.game.name == "binary"
    for name in kept:
        assert kinds_after[int(after[name])] == kinds_before[int(before[name])]


@given(walks, st.integers(0, 10**9))
def test_a_picture_tells_no_secret(state: State, seed: int) -> None:
    for player in range(state.game.num_players):
        seen = state.picture(player).svg()
        other = state.clone()
        state.game.rules.resample(other.position, player, random_source(seed))
        assert other.picture(player).svg() == seen
        assert other.public_picture().svg() == state.public_picture().svg()


@given(walks)
def test_what_everybody_may_see_is_seen_by_every_player(state: State) -> None:
    for player in range(state.game.num_players):
        seen = state.observation(player)
        for other in range(state.game.num_players):
            state.game.rules.redact(seen, other)
        assert seen == state.public_observation()


def test_a_picture_for_a_page_has_no_style_of_its_own_and_a_role_for_each_label() -> None:
    for text in SMALL:
        picture = gridhouse.parse(f"{text}#0").picture()
        inline = picture.inline()
        assert "style" not in inline
        # A label without a role is a fault for readers of screens, also before scripts run.
        root = ET.fromstring(inline)
        assert root.get("role") == "group"
        assert all(part.get("role") == "img" for part in root.iter() if part.get("aria-label"))
        alone = ET.fromstring(picture.inline(named=False))
        assert alone.get("role") == "img"
        assert not any(part.get("aria-label") for part in alone.iter())


def corner_of(svg: str, cell: int) -> str:
    """Return the nearest corner of a field."""
    return svg.partition(f'id="cell-{cell}"')[2].partition('points="')[2].partition(" ")[0]


def test_who_looks_sees_the_own_bombs_and_the_board_from_the_own_side() -> None:
    state = gridhouse.load("sinks").new_initial_state()
    state.play("0 0 b")
    light, dark = (state.picture(player).svg() for player in range(2))
    assert "bomb of Light" in light
    assert "bomb" not in dark
    assert corner_of(light, 0) == corner_of(dark, 99)
    turned = state.picture(0, side=1).svg()
    assert "bomb of Light" in turned
    assert corner_of(turned, 0) == corner_of(dark, 0)
    assert corner_of(light, 0) != corner_of(dark, 0)


def test_each_army_of_tactego_stands_at_the_bottom_for_its_player() -> None:
    state = gridhouse.load("tactego").new_initial_state()
    for player, first_cell in ((0, 0), (1, 20)):  # of its last row
        svg = state.picture(player).svg()
        heights = {
            cell: float(
                svg.partition(f'id="cell-{cell}"')[2].partition(' y="')[2].partition('"')[0]
            )
            for cell in range(24)
        }
        assert heights[first_cell] == max(heights.values())


def test_hidden_kinds_are_backs() -> None:
    state = gridhouse.load("tactego", hidden=True).new_initial_state()
    red = state.picture(0).svg()
    assert red.count("Blue unknown") == 8
    everybody = state.public_picture().svg()
    assert everybody.count("Blue unknown") == everybody.count("Red unknown") == 8
    assert red.count("Red flag") == 1
    assert "Blue flag" not in red


@given(st.builds(walk, st.sampled_from(SINKS), st.integers(0, 10**9)), st.integers(0, 1))
def test_no_block_is_drawn_over_one_that_is_nearer(state: State, viewer: int) -> None:
    scene = Scene(state.position, camera(1, viewer, state.game.rows, state.game.cols, 3))
    boxes = [thing.body for thing in scene.blocks()]
    assert len(boxes) == sinks.num_pieces(state.position)
    for at, box in enumerate(boxes):
        assert not any(later.hides_behind(box) for later in boxes[at:])


def test_the_edge_is_numbered_as_moves_count() -> None:
    state = gridhouse.parse("collapse(rows=3,cols=2,digits=3) 0 ../11/20")
    labels = [e.text for e in elements(state) if e.get("class") == "label"]
    assert labels == ["1", "2", "1", "2"]
    assert state.legal_moves() == ["1 1", "1 2"]


def test_what_pieces_of_tactego_look_like() -> None:
    game = gridhouse.load("tactego", rows=6, cols=4, pieces="Fx1 Mx1 Sx1 Ax1 1000x1")
    svg = game.new_initial_state().picture().svg()
    for words in ("Red flag", "Red mine", "Red sapper", "Blue assassin", "Blue 1000"):
        assert words in svg
    assert tactego.UNKNOWN not in game.new_initial_state().position.board


def test_themes_and_their_names() -> None:
    state = gridhouse.load("binary").new_initial_state()
    canvas = state.picture()
    assert len({canvas.svg(theme) for theme in picture.THEMES}) == len(picture.THEMES)
    assert state._repr_svg_() == canvas.svg("auto")
    with pytest.raises(ParameterError, match=r"^there is no theme 'pink'; themes are auto, light"):
        canvas.svg("pink")


def test_the_command_draws(tmp_path: Path) -> None:
    out = tmp_path / "board.svg"
    text = "binary(rows=2,cols=2) 0./.."
    printed = command("picture", text, "--theme", "dark")
    assert printed.out == gridhouse.parse(text).picture().svg("dark")
    assert command("picture", text, "--out", str(out), "--theme", "dark") == ("", "", 0)
    assert out.read_text(encoding="utf-8") == printed.out


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["binary"], "gridhouse: 'binary' is not of the form 'game(parameters) position'\n"),
        (
            ["binary(rows=2,cols=2)#1", "--player", "3"],
            "gridhouse: --player 3: the players are 1 to 2\n",
        ),
        (
            ["binary(rows=2,cols=2)#1", "--player", "0"],
            "gridhouse: --player 0: the players are 1 to 2\n",
        ),
        (
            ["binary(rows=2,cols=2)#1", "--camera", "1"],
            "gridhouse: binary has no viewpoint 1: 0..0\n",
        ),
        (
            ["sinks(rows=8,cols=8)#1", "--camera", "-1"],
            "gridhouse: sinks has no viewpoint -1: 0..8\n",
        ),
        (
            ["binary(rows=2,cols=2)#1", "--out", "/nowhere/at.svg"],
            "gridhouse: '/nowhere/at.svg': No such file or directory\n",
        ),
    ],
)
def test_what_cannot_be_drawn_is_said_in_one_line(arguments: list[str], line: str) -> None:
    run = command("picture", *arguments)
    assert (run.out, run.err, run.status) == ("", line, 2)
