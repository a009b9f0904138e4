"""The languages of the house: how one is chosen, and that nothing is left in English."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gridhouse.core.errors import PictureError
from gridhouse.core.registry import game_class, games
from gridhouse.games.collapse.solver.advice import CLEARS
from gridhouse.server.languages import GAPS, LABEL, MAX_TAILS, MAX_TEXT, catalogue, translated
from language_helpers import ENGLISH, NOTATION, OTHER, english_words
from web_helpers import SMALL, Visitor, uncovered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.testclient import TestClient

    from gridhouse.core.game import Game, State

ROOT = Path(__file__).parents[2]
GERMAN = {"accept-language": "de-AT,de;q=0.9,en;q=0.5"}
LIMITS = {"sinks": {"limit": 30}, "tactego": {"limit": 30}}
# What programs read in the messages of a table, and names that a game gives.
UNREAD = {
    "type", "position", "icon", "address", "you", "invitation", "move", "last", "does", "better",
}  # fmt: skip


def left(text: str, allowed: str = "") -> list[str]:
    """Return the English words of a text that are left when it has been translated."""
    return [word for word in ENGLISH.findall(translated(text, OTHER)) if word not in allowed]


def test_the_catalogues_have_everything() -> None:
    done = subprocess.run(
        [sys.executable, "tools/texts.py", "--check"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("typed", [4000 * ")", 900 * "!", 300 * "a: ", 300 * "b (c", 3000 * "x"])
def test_whatever_is_typed_can_be_translated(typed: str) -> None:
    assert translated(typed, "de") == typed


def test_a_list_is_translated_part_by_part() -> None:
    for count in (2, MAX_TAILS, 3 * MAX_TAILS):
        assert translated(", ".join(["Light"] * count), "de") == ", ".join(["Hell"] * count)


def test_a_long_sentence_is_translated_at_once() -> None:
    catalogue("de")
    for gap in GAPS:
        text = gap.join(f"{number} beats {number}" for number in range(1000))[:MAX_TEXT]
        began = time.thread_time()
        translated(text, "de")
        assert time.thread_time() - began < 0.1, gap


def test_the_language_is_chosen(visitor: Visitor) -> None:
    def opened(path: str = "/", **headers: str) -> tuple[str, str]:
        answer = visitor.get(path, **headers)
        found = re.search(r'<html lang="(\w+)"', answer.text)
        assert found is not None
        assert answer.headers["content-language"] == found[1]
        assert {"accept-language", "cookie"} <= set(answer.headers["vary"].split(", "))
        return found[1], answer.text

    language, english = opened()
    assert language == "en"
    language, german = opened(**GERMAN)
    assert language == "de"
    assert "Ein Haus für Brettspiele" in german
    assert "A house for grid games" in english
    for header in ("fr", "", "de;q=0, en", "de;q=many", ",;,", "*", "EN", "En-gb, de"):
        assert opened(**{"accept-language": header})[0] == "en"
    for header in ("DE", "dE;q=1, en", "De-AT"):
        assert opened(**{"accept-language": header})[0] == "de"
    assert opened("/nowhere", **GERMAN)[0] == "de"
    answer = visitor.post(
        "/language", {"language": "de"}, referer="http://house.test/new/sinks?level=2"
    )
    assert (answer.status_code, answer.headers["location"]) == (303, "/new/sinks?level=2")
    assert opened()[0] == "de"
    visitor.post("/language", {"language": "en"})
    assert opened(**GERMAN)[0] == "en"
    visitor.post("/language", {"language": "xx"})
    assert opened(**GERMAN)[0] == "en"
    visitor.cookies["language"] = "../../de"
    assert opened(**GERMAN)[0] == "de"


@pytest.mark.parametrize(
    "referer",
    ["", "http://elsewhere.test/", "http://house.test//elsewhere.test/", "nonsense", "http://["],
)
def test_the_choice_of_a_language_leads_nowhere_else(visitor: Visitor, referer: str) -> None:
    answer = visitor.post("/language", {"language": "de"}, referer=referer)
    assert answer.headers["location"] in ("/", "/elsewhere.test/")


def test_scripts_get_their_sentences(visitor: Visitor) -> None:
    table = visitor.new("binary")
    assert "application/json" not in visitor.get(table).text
    page = visitor.get(table, **GERMAN).text
    data = re.search(r'<script type="application/json" id="texts">(.*?)</script>', page)
    assert data is not None
    texts = json.loads(data[1])
    assert texts["Resign this game?"] == "Diese Partie aufgeben?"
    assert len(texts["{} person is watching"]) == 2
    assert "Rules" not in texts
    assert "application/json" not in visitor.get("/", **GERMAN).text


def test_each_page_of_a_table_hears_its_own_language(visitor: Visitor) -> None:
    table = visitor.new("sinks", opponent="hotseat")
    with visitor.at(table) as english, visitor.at(table, **GERMAN) as german:
        assert german.view["heading"] == "Hell ist am Zug"
        assert english.view["heading"] == "Light to move"
        assert "kein Zug" in german.refused("move", move="x", ply=0)
        assert "is not a move" in english.refused("move", move="x", ply=0)
        move = english.view["gestures"][0][0]
        english.move(move)
        assert "frei" in german.wait("view", 1)["board"]
        assert "free" in english.view["board"]


@pytest.mark.parametrize("clears", list(CLEARS.values()))
@pytest.mark.parametrize(
    "score",
    [
        "Proved: 34 is the most that can be scored",
        "34 can be scored, and no play scores more than 340",
    ],
)
def test_each_part_of_a_sentence_is_translated(score: str, clears: str) -> None:
    parts = [translated(part, "de") for part in (score, clears)]
    assert "scored" not in parts[0]
    assert "board" not in parts[1]
    assert translated(f"{score}; {clears}", "de") == "; ".join(parts)
    assert translated(f"1 1 ({score}; {clears})", "de") == f"1 1 ({'; '.join(parts)})"


def test_programs_hear_english(client: TestClient) -> None:
    answer = client.get("/api/games", headers=GERMAN)
    assert "Binary Game" in answer.text
    assert "content-language" not in answer.headers


def test_names_of_visitors_are_not_translated(visitor: Visitor) -> None:
    visitor.post("/me", {"name": "Light", "picture": "0"})
    table = visitor.new("sinks", opponent="friends")
    with visitor.at(table, **GERMAN) as seat:
        assert seat.view["names"][0] == "Light"
    assert "<bdi>Light</bdi> spielt Hell" in visitor.get(table, **GERMAN).text


def labels(state: State, viewer: int) -> list[str]:
    """Return the words for the cells of a position's picture."""
    try:
        return LABEL.findall(state.picture(viewer).inline())
    except PictureError:
        return []


def sayings(game: Game, state: State) -> Iterator[str]:
    """Yield whatever a game says in a position, but the comments on moves."""
    yield game.status(state.position)
    yield from (token.label for token in game.status_tokens(state.position))
    yield from (f"{token.count} {token.label}" for token in game.losses(state.position))
    yield from labels(state, 0)
    if state.is_terminal():
        yield game.outcome(state.position)
        yield game.reason(state.position)
    for action in state.legal_actions():
        yield game.public_move(state.position, action)
        for viewer in (None, *range(game.num_players)):
            yield game.comment(state.position, action, viewer)
        with suppress(PictureError):
            yield state.gesture(action)[1]


@pytest.mark.usefixtures("other")
@pytest.mark.parametrize("name", games())
@pytest.mark.slow("looks at every page and game")
def test_whatever_a_game_says_is_translated(name: str) -> None:
    cls = game_class(name)
    found: set[str] = set()
    for preset in cls.presets.values():
        game = cls(**preset.parameters | LIMITS.get(name, {}))
        found |= {game.board_words, preset.title, preset.about}
        if game.rows * game.cols > 110:
            continue
        for seed in range(2):
            state, chance = game.new_initial_state(seed), random.Random(seed)
            allowed = game.status(state.position) if name == "sliding" else ""
            for _ in range(60):
                found |= {text for text in sayings(game, state) if left(text, allowed)}
                if state.is_terminal():
                    break
                state.apply_action(chance.choice(state.legal_actions()))
    found |= {cls.title, cls.summary, *cls.players, cls.file_holds, *cls.how_to_play.split("\n")}
    found |= {*cls.refusals.values(), cls.no_move, *getattr(state.game, "CAMERAS", ())}
    found |= {text for each in cls.parameters for text in (each.label, each.about)}
    words = {word for text in found for word in left(text)}
    assert not {word for word in words if not NOTATION.fullmatch(word)}


PAGES = (
    "/", "/daily", "/evenings", "/games", "/learn/sinks/1", "/lobby", "/me", "/new/binary",
    "/new/collapse", "/new/tactego", "/new/tactego/arrange", "/nowhere", "/privacy", "/puzzles",
    "/puzzles/sinks/1", "/puzzles/tactego/1", "/rules/binary", "/rules/tactego",
    "/daily/collapse/2026-11-20", "/daily/collapse/2026-11-19", "/daily/collapse/2099-01-01",
    "/learn/collapse/99", "/games?state=over", "/new/sinks?preset=own&start=x",
)  # fmt: skip


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.slow("looks at every page and game")
def test_no_page_is_left_in_english(visitor: Visitor, other: dict[str, str], path: str) -> None:
    assert not english_words(visitor.get(path, **other).text)


def spoken(value: Any, name: str = "") -> Iterator[str]:
    """Yield the texts of a message that a person reads."""
    if isinstance(value, dict):
        for key, each in value.items():
            if key not in UNREAD:
                yield from spoken(each, key)
    elif isinstance(value, list):
        for each in value[-1:] if name == "gestures" else value:
            yield from spoken(each, name)
    elif isinstance(value, str):
        yield from LABEL.findall(value) if name in ("board", "changes") else [value]


@pytest.mark.parametrize(
    ("name", "opponent"),
    [
        (name, opponent)
        for name in games()
        for opponent in ("machine", "friends", "hotseat", "analysis")
        if opponent == "machine" or len(game_class(name).players) > 1
    ],
)
@pytest.mark.slow("looks at every page and game")
def test_a_table_says_nothing_in_english(
    visitor: Visitor, client: TestClient, other: dict[str, str], name: str, opponent: str
) -> None:
    small = {f"p-{key}": str(value) for key, value in SMALL.get(name, {}).items()}
    form = {"preset": "own", **small} if small else {}
    table = visitor.new(name, opponent=opponent, level="1", listed="on", **form)
    friend = Visitor(client)
    chance = random.Random(name)
    with visitor.at(table, **other) as seat:
        if opponent == "friends":
            joined = friend.post(seat.view["invitation"])
            assert joined.status_code == 303
            assert not english_words(visitor.get(table, **other).text)
        uncovered(seat)
        for _ in range(3):
            while opponent == "machine" and not any(
                seat.view[what] for what in ("acts", "handing", "over")
            ):
                seat.wait("view")
            uncovered(seat)
            if seat.view["acts"] and not seat.view["over"]:
                seat.move(chance.choice(seat.view["gestures"])[0])
        for kind in ("undo", "look", "judge", "hint", "turn", "why", "uncover", "nonsense"):
            seat.say(kind, cells=[0], ply=0)
        seat.say("resign")
        seat.say("phrase", number=0)
        seat.say("here")
        seat.wait("here")
        heard = [json.loads(text) for text in seat.heard]
    heard_words = {
        word for message in heard for text in spoken(message) for word in ENGLISH.findall(text)
    }
    assert not {word for word in heard_words if not NOTATION.fullmatch(word)}
    for path in (table, "/games", "/lobby", "/"):
        assert not english_words(visitor.get(path, **other).text), path
