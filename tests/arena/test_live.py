"""A house that shows a tournament's file, while it is played and afterwards."""

from __future__ import annotations

import re
import sqlite3
import time
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import gridhouse
from arena_helpers import small
from browser_helpers import browser, expect, look_for_barriers, served
from gridhouse.arena.records import GameRecord, PlayedMove, Termination
from gridhouse.arena.reports.live import LiveReport
from gridhouse.arena.runner import Run
from gridhouse.arena.store import Store
from gridhouse.arena.tournament_command import openings_of
from gridhouse.arena.workers import Workers
from gridhouse.core.console import UsageError
from web_helpers import Visitor, open_house
from wire_helpers import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

OPENING = "binary(rows=3,cols=3)#0"
SINKS = "sinks(rows=8,cols=8)#0"
HIDDEN = "tactego(rows=4,cols=3,pieces=Fx1 5x1 3x1,hidden=True)#1"


def begun(number: int, opening: str = OPENING, moves: int = 0) -> GameRecord:
    """Return a game in play with some moves."""
    state = gridhouse.parse(opening)
    start = str(state)
    played = []
    for _ in range(moves):
        action = state.legal_actions()[0]
        played.append(PlayedMove(state.action_to_string(action), 0.5))
        state.apply_action(action)
    end = 0.5, Termination.IN_PLAY, ""
    return GameRecord(number, start, ("anna", "bert"), *end, tuple(played))


def ended(record: GameRecord) -> GameRecord:
    return replace(record, score=1.0, termination=Termination.LENGTH)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "t.sqlite"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    """Play a tournament of a file by hand."""
    with Store(path, small().settings()) as store:
        yield store


def test_a_house_shows_a_tournament_as_it_goes_on(tmp_path: Path, path: Path, store: Store) -> None:
    store.show(begun(0, moves=2))
    store.show(begun(1, HIDDEN, moves=1))
    with open_house(tmp_path, tournament=LiveReport(path)) as client:
        visitor = Visitor(client)
        sinks = begun(2, SINKS)
        start = gridhouse.parse(SINKS)
        bombs = [start.action_to_string(action) for action in start.legal_actions()]
        bomb = next(text for text in bombs if text.endswith("b"))
        store.show(sinks)
        assert visitor.get("/tournament/games/0002.html").status_code == 200
        store.show(replace(sinks, moves=(PlayedMove(bomb, 0.5),)))
        assert visitor.get("/tournament").headers["location"] == "/tournament/index.html"
        assert "/tournament" in visitor.get("/").text
        page = visitor.get("/tournament/index.html").text
        assert re.search(r'<a href="games/0000.html">Game 0</a>: .*, 2 moves', page)
        assert re.search(r"<li>Game 1: .*, 1 move<", page)  # the other side's pieces are secret
        assert visitor.get("/tournament/games/0001.html").status_code == 404
        assert "renew.js" in visitor.get("/tournament/games/0000.html").text
        store.put(ended(begun(1, HIDDEN, moves=3)))
        store.show(begun(0, moves=4))
        assert ", 4 moves" in visitor.get("/tournament/index.html").text
        over = visitor.get("/tournament/games/0001.html")
        assert over.status_code == 200
        assert "renew.js" not in over.text
        for name in ("games/0002.html", "../t.sqlite", "page.py", ""):
            assert visitor.get(f"/tournament/{name}").status_code == 404


def test_pages_of_a_house_have_style_and_scripts_as_files(
    tmp_path: Path, path: Path, store: Store
) -> None:
    store.put(ended(begun(0, moves=3)))
    store.show(begun(1, moves=1))
    with open_house(tmp_path, tournament=LiveReport(path)) as client:
        for name in ("index.html", "games/0000.html", "games/0001.html"):
            page = client.get(f"/tournament/{name}")
            assert "'unsafe" not in page.headers["content-security-policy"]
            assert not re.search(r"<style|style=|<script>", page.text)
            for link in re.findall(r'(?:src|stylesheet" href)="([^"]*)"', page.text):
                found = client.get(
                    f"/tournament/games/{link}" if "games" in name else f"/tournament/{link}"
                )
                assert found.status_code == 200
                assert "text/html" not in found.headers["content-type"]


def test_a_file_is_only_read(tmp_path: Path, path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        LiveReport(path)
    with Store(path, small().settings()) as store:
        store.put(ended(begun(0)))
    report = LiveReport(path)
    with closing(sqlite3.connect(path)) as base:
        base.execute("DROP TABLE in_play")  # a file of an earlier version has none
    before = path.read_bytes()
    assert "Game 0" in (report("index.html") or "")[0]
    assert path.read_bytes() == before
    path.unlink()
    with open_house(tmp_path, tournament=report) as client:
        assert client.get("/tournament/index.html").status_code == 503


def test_a_killed_process_leaves_no_games_in_play(path: Path) -> None:
    with Store(path, small().settings()) as store:
        store.show(begun(0))
        with Store(path) as reading:
            assert reading.in_play() == [begun(0)]
    with Store(path) as reading:
        assert reading.in_play() == []
    with closing(sqlite3.connect(path)) as base, base:
        base.execute("INSERT INTO in_play VALUES (0, '{}')")
    with Store(path, small().settings()) as store:
        assert store.in_play() == []


@pytest.mark.slow("plays against the clock")
def test_whoever_reads_sees_the_moves_of_a_game_in_play(path: Path) -> None:
    game = {"game": "binary(rows=6,cols=6)", "adjudication": {"length": 8}}
    tournament = small(players=["mcts@0.4s", "random@0.4s"], games=2, **game)
    seen: set[int] = set()
    with Store(path, tournament.settings()) as store:
        show = store.show

        def watched(record: GameRecord) -> None:
            show(record)
            with Store(path) as reading:
                seen.update(len(one.moves) for one in reading.in_play())

        store.show = watched  # type: ignore[method-assign]
        with Workers(tournament, 1) as pool:
            records = list(Run(tournament, store, openings_of(tournament)).play(pool))
    assert len(records) == 2
    assert 0 in seen
    assert max(seen) > 3


@pytest.mark.slow("drives a browser")
def test_the_page_renews_itself(tmp_path: Path, path: Path, store: Store) -> None:
    report = LiveReport(path)
    store.show(begun(0, moves=1))
    with browser() as started, served(tmp_path, tournament=report) as house:
        page = started.new_page(viewport={"width": 390, "height": 780})
        complaints: list[Any] = []
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(house)
        page.click("text=Watch the tournament")
        look_for_barriers(page)
        game = started.new_page()
        game.goto(f"{house}/tournament/games/0000.html")
        expect(game.locator("#place")).to_have_text("Move 1 of 1")
        store.show(begun(0, moves=3))
        page.wait_for_selector("text=3 moves", timeout=1000 * PATIENCE)
        game.wait_for_selector("text=Move 3 of 3", timeout=1000 * PATIENCE)
        game.click("#back")
        store.put(ended(begun(0, moves=4)))
        page.wait_for_selector("text=How games ended", timeout=1000 * PATIENCE)
        time.sleep(4)  # more than the time of a renewal
        expect(game.locator("#place")).to_have_text("Move 2 of 3")
        game.click("#last")
        game.wait_for_selector("text=Move 4 of 4", timeout=1000 * PATIENCE)
        assert complaints == []
