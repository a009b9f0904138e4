"""Tournament files: what they say, and one line for each mistake."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from gridhouse.arena.statistics import Sprt
from gridhouse.arena.time_control import TimeControl
from gridhouse.arena.tournament_file import (
    ENTRANT_READERS,
    READERS,
    AdjudicationSettings,
    Entrant,
    Format,
    OpeningSettings,
    load_tournament,
    parse_tournament,
)
from gridhouse.core.console import UsageError
from harness import ROOT

if TYPE_CHECKING:
    from pathlib import Path

LEAST = {"game": "binary(rows=2,cols=3)", "players": ["random", "greedy"], "limit": "100n"}
WHOLE = """
game = "sinks(rows=8,cols=8)"
format = "gauntlet"
games = 40
rounds = 2
time = "5+0.05"
margin = 0.2
sandbox = false
concurrency = 3

[openings]
plies = 6
seed = 7

[adjudication]
agreement = 5
length = 300

[sprt]
elo0 = 0
elo1 = 20.5

[[players]]
name = "new"
player = "alphabeta:hash=64"

[[players]]
player = "./a4 --fast"
limit = "2000p"
"""


def test_a_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    path.write_text(WHOLE)
    tournament = load_tournament(path)
    assert str(tournament.game).startswith("sinks(rows=8,cols=8")
    assert tournament.players == (
        Entrant("new", "alphabeta:hash=64"),
        Entrant("./a4 --fast", "./a4 --fast", TimeControl(playouts=2000, margin=0.2)),
    )
    assert tournament.control == TimeControl(base=5, increment=0.05, margin=0.2)
    assert (tournament.format, tournament.games, tournament.rounds) == (Format.GAUNTLET, 40, 2)
    assert (tournament.sandbox, tournament.concurrency) == (False, 3)
    assert tournament.openings == OpeningSettings(plies=6, seed=7)
    assert tournament.adjudication == AdjudicationSettings(agreement=5, length=300)
    assert tournament.sprt == Sprt(0, 20.5)


def test_the_example_of_the_documentation(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "how-to" / "run-a-match.md").read_text(encoding="utf-8")
    path = tmp_path / "t.toml"
    path.write_text(page.partition("```toml\n")[2].partition("```")[0], encoding="utf-8")
    tournament = load_tournament(path)
    own = [READERS, ENTRANT_READERS]
    assert {name for readers in own for name in readers} - set(words(path)) == {"sprt"}
    assert tournament.names == ["searcher", "level:5", "mine"]
    assert tournament.adjudication == AdjudicationSettings(proof=True, agreement=5, length=300)


def words(path: Path) -> list[str]:
    return re.findall(r"[a-z]+", path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"gmae": 1}, "gmae is no setting; the settings are game, players, format, "),
        ({"game": None}, "game is missing"),
        ({"game": "chess"}, "game: there is no game 'chess'"),
        ({"game": "binary(rows=2,cols=2) 0./.."}, "game: ' 0./..' follows the game's parameters"),
        ({"game": "sliding"}, "game: sliding is not a game of two"),
        ({"game": "binary(rows=x)"}, "game: rows: 'x' is not a whole number"),
        ({"players": ["random"]}, "players must be a list of at least two"),
        ({"players": ["random", "random"]}, "players: 'random' is there twice"),
        ({"players": ["random", 3]}, "players[2] must be a table of settings"),
        ({"players": ["random", {"name": "a"}]}, "players[2].player is missing"),
        (
            {"players": ["random", {"player": "a", "nodes": 1}]},
            "players[2].nodes is no setting; the settings are name, player, time, limit",
        ),
        (
            {"players": ["random", {"player": "a", "limit": "7"}]},
            "players[2].limit is of a move, like 0.1s, 20000n or 2000p",
        ),
        ({"limit": None}, "give one of time and limit, 5+0.05"),
        ({"time": "5"}, "give one of time and limit, 5+0.05"),
        ({"limit": "fast"}, "limit: 'fast' is no time control"),
        ({"time": "20n", "limit": None}, "time is a clock, like 5+0.05; write limit = '20n'"),
        ({"format": "cup"}, "format must be one of: round-robin, gauntlet, knock-out, swiss, lad"),
        ({"games": 3}, "games must be even"),
        ({"games": 0}, "games must be even"),
        ({"games": 2.0}, "games must be a whole number from 0 to "),
        ({"margin": -1}, "margin must be a number of seconds that is not negative"),
        ({"sandbox": 1}, "sandbox must be true or false"),
        ({"format": "swiss", "rounds": 2}, "rounds must be at most 1, half of the players"),
        ({"format": "knock-out", "rounds": 2}, "a knock-out has no setting rounds"),
        ({"openings": 7}, "openings must be a table of settings"),
        ({"openings": {"ply": 7}}, "openings.ply is no setting; the settings are book, plies, se"),
        ({"openings": {"book": "b", "plies": 7}}, "openings have either a book or plies"),
        ({"sprt": {"elo0": 0}}, "sprt.elo1 is missing"),
        ({"sprt": {"elo0": 5, "elo1": 5}}, "sprt: elo0 5 and elo1 5 do not rise"),
        (
            {"sprt": {"elo0": 0, "elo1": 5, "alpha": 0.5}},
            "sprt: alpha 0.5 and beta 0.05 are not betw",
        ),
        ({"sprt": {"elo0": float("nan"), "elo1": 5}}, "sprt.elo0 must be a number"),
        (
            {"sprt": {"elo0": 0, "elo1": 5}, "players": ["a", "b", "c"]},
            "sprt is for matches of two players",
        ),
    ],
)
def test_each_mistake_has_its_line(changed: dict[str, Any], message: str) -> None:
    table = {name: value for name, value in (LEAST | changed).items() if value is not None}
    with pytest.raises(UsageError) as error:
        parse_tournament(table)
    assert str(error.value).startswith(message)
    assert len(str(error.value).splitlines()) == 1


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    with pytest.raises(UsageError, match=r"t\.toml': No such file"):
        load_tournament(path)
    path.write_text("game = [")
    with pytest.raises(UsageError, match=r"t\.toml': Invalid value"):
        load_tournament(path)
    path.write_text("games = 3")
    with pytest.raises(UsageError, match=r"t\.toml': game is missing"):
        load_tournament(path)


def test_settings_hold_all_but_the_number_of_games_at_a_time() -> None:
    table = {**LEAST, "concurrency": 7}
    assert parse_tournament(table).settings() == parse_tournament(LEAST).settings()
    for name, value in {"games": 4, "margin": 1, "openings": {"seed": 1}, "limit": "1s"}.items():
        other = parse_tournament({**LEAST, name: value})
        assert other.settings() != parse_tournament(LEAST).settings()
