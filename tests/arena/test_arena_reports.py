"""What is shown and exported of matches and tournaments."""

from __future__ import annotations

import csv
import io
import json
import math
import random
import re
from dataclasses import replace
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

import pytest
from rich.console import Console

import gridhouse
from browser_helpers import browser, expect, look_for_barriers
from gridhouse.arena.records import FORFEITS, GameRecord, PlayedMove, Termination
from gridhouse.arena.reports import export, texts
from gridhouse.arena.reports.boards import boards
from gridhouse.arena.reports.charts import rating_chart, value_lines
from gridhouse.arena.reports.page import game_page, write_pages
from gridhouse.arena.reports.positions import movers, positions
from gridhouse.arena.reports.replay import blocks, replay
from gridhouse.arena.reports.summary import Heading, summarize
from gridhouse.arena.reports.tables import print_summary
from gridhouse.arena.statistics import Pentanomial, Trinomial, elo
from gridhouse.core.console import UsageError

if TYPE_CHECKING:
    from pathlib import Path

OPENING = "binary(rows=4,cols=4) ..../..../..../...."
HEADING = Heading("A <match>", "binary(rows=4,cols=4)", "5+0.05", "round robin")
HOSTILE = '=cmd|"\x1b[31m</script><b>\u202e\udcff\\'
MOVES = (PlayedMove("0 0 0", 0.5, 0.25, 12), PlayedMove("1 1 1", 1.5))


def game(number: int, players: str, score: float, **others: Any) -> GameRecord:
    first, second = players.split()
    given = {"opening": OPENING, "termination": Termination.RULES, "reason": "", "moves": MOVES}
    return GameRecord(number=number, players=(first, second), score=score, **given | others)


def random_game(name: str, number: int = 0, most: int = 60) -> GameRecord:
    """Return a game by chance whose moves take side + 1 seconds."""
    size: dict[str, Any] = {"rows": 8, "cols": 8} if name == "sinks" else {}
    start = gridhouse.load(name, **size).new_initial_state(number)
    now = start.clone()
    chance = random.Random(number)
    moves: list[PlayedMove] = []
    while not now.is_terminal() and len(moves) < most:
        side = now.current_player()
        action = chance.choice(now.legal_actions())
        value = round(chance.uniform(-1, 1), 2)
        moves.append(PlayedMove(now.action_to_string(action), side + 1.0, value))
        now.apply_action(action)
    end = Termination.LENGTH, "it is long"
    return GameRecord(number, str(start), ("anna", HOSTILE), 0.5, *end, tuple(moves))


APART = game(2, "c d", 1.0)
PAIR = [game(0, "a b", 1.0), game(1, "b a", 0.5)]


def test_games_are_counted_by_pairs_and_by_sides() -> None:
    other = "binary(rows=4,cols=4) 0.../..../..../...."
    records = [
        *PAIR,
        game(2, "b a", 1.0),
        game(3, "a b", 1.0),
        game(4, "b a", 1.0),  # its pair is missing
        game(6, "a b", 0.0),
        game(7, "b a", 0.0, opening=other, moves=MOVES[1:]),  # is no pair with the game before
        game(9, "a b", 0.0),
        game(10, "b a", 0.0),  # games 2k + 1 and 2k + 2 are no pair
    ]
    summary = summarize(records)
    meeting = summary.meetings["a", "b"]
    assert meeting.games == Trinomial(wins=4, draws=1, losses=4)
    assert meeting.pairs == Pentanomial(even=1, wd=1)
    assert meeting.elo == elo(meeting.pairs)
    assert summary.meetings["b", "a"] == meeting.swapped()
    a = next(player for player in summary.players if player.name == "a")
    assert a.by_side == (Trinomial(wins=2, losses=2), Trinomial(wins=2, draws=1, losses=2))
    assert a.results.points == 4.5
    assert summary.sides == Trinomial(wins=4, draws=1, losses=4)
    assert summary.ends == {Termination.RULES: summary.sides}
    assert summary.lengths == (2, 2, 2, 2, 2, 2, 1, 2, 2)
    assert len(summary.pairings) == 1


def test_an_abandoned_game_is_no_result(tmp_path: Path) -> None:
    abandoned = game(2, "a b", 0.5, termination=Termination.ABANDONED, reason="why", moves=())
    records = [*PAIR, abandoned, game(3, "b a", 0.0)]
    summary = summarize(records)
    assert summary.meetings["a", "b"].games == Trinomial(wins=2, draws=1)
    assert summary.meetings["a", "b"].pairs == Pentanomial(wd=1)
    assert (summary.sides.games, summary.abandoned) == (3, 1)
    assert texts.result(abandoned) == texts.DASH
    assert list(csv.reader(io.StringIO(export.to_csv(records))))[3][3] == ""
    file = io.StringIO()
    print_summary(summary, HEADING, Console(file=file, width=80))
    assert "Abandoned, without a result: 1." in file.getvalue()
    write_pages([abandoned], HEADING, tmp_path)
    assert "Abandoned, without a result: 1." in (tmp_path / "index.html").read_text("utf-8")


def test_faults_are_told_apart_and_belong_to_the_loser() -> None:
    records = [
        game(number, "a b", float(number % 2), termination=end)
        for number, end in enumerate([*sorted(FORFEITS), Termination.RESIGNATION])
    ]
    records.append(game(90, "a b", 0.0))
    summary = summarize(records)
    faults = {player.name: player.faults for player in summary.players}
    for record in records[:-1]:
        loser = "b" if record.score else "a"
        assert faults[loser][record.termination] == 1
    assert sum(map(len, faults.values())) == len(FORFEITS) + 1 == len(texts.FAULTS)
    assert summary.ends[Termination.RULES] == Trinomial(losses=1)
    assert summary.ends[Termination.RESIGNATION].games == 1
    assert summary.sides.games == len(records)


def test_time_belongs_to_who_moved() -> None:
    record = random_game("sinks")
    sides = movers(record)
    assert any(one == other for one, other in pairwise(sides))
    players = {player.name: player for player in summarize([record]).players}
    for name, seconds in (("anna", 1.0), (HOSTILE, 2.0)):
        assert players[name].mean_seconds == players[name].longest_seconds == seconds
    (row,) = csv.DictReader(io.StringIO(export.to_csv([record])))
    assert float(row["seconds of second"]) == 2 * sides.count(1)


@pytest.mark.parametrize(
    ("records", "names"),
    [
        ([], []),
        ([], ["a", "b"]),
        ([game(0, "a b", 1.0)], []),
        ([game(0, "a a", 1.0)], []),
        ([game(n, "a b", 1.0) for n in range(3)], ["c"]),
        ([game(n, "a b", 0.5, moves=()) for n in range(4)], []),
        ([game(0, "a b", 1.0), APART], []),
        ([game(n, f"{x} {y}", 0.5) for n, (x, y) in enumerate(combinations("abcd", 2))], ["e"]),
    ],
    ids=["none", "no game", "one game", "itself", "all won", "all drawn", "apart", "four"],
)
def test_every_tournament_can_be_shown(
    tmp_path: Path, records: list[GameRecord], names: list[str]
) -> None:
    summary = summarize(records, names)
    everybody = {*names, *(name for record in records for name in record.players)}
    assert {player.name for player in summary.players} == everybody
    assert bool(summary.note) is (records[-1:] == [APART])
    assert any(player.rating for player in summary.players) is (len(records) == 6)
    paths = write_pages(records, HEADING, tmp_path, names=names)
    assert len(paths) == 1 + len(records)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    visible = re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)
    assert not re.search(r"\b(nan|inf|None|Undefined)\b", visible)
    for link in re.findall(r'href="(games/[^"]*)"', page):
        assert (tmp_path / link).is_file()
    assert page.count('href="games/') == len(records)
    file = io.StringIO()
    print_summary(summary, HEADING, Console(file=file, width=80))
    assert all(name in file.getvalue() for name in everybody)


def test_players_are_sorted_by_rating() -> None:
    results = {"a b": 0.0, "b c": 0.0, "a c": 0.0, "b d": 1.0, "a d": 1.0, "c d": 1.0}
    records = [game(2 * n, both, score) for n, (both, score) in enumerate(results.items())]
    players = summarize(records, ["e"]).players
    assert [player.name for player in players] == ["c", "b", "a", "d", "e"]
    elos = [player.rating.elo for player in players if player.rating]
    assert elos == sorted(elos, reverse=True)
    assert len(elos) == 4


@pytest.mark.parametrize("name", ["sinks", "binary", "tactego"])
def test_all_boards_are_made_of_shared_elements(name: str) -> None:
    record = random_game(name)
    drawn = boards(positions(record))
    pool = drawn.last + drawn.others
    pictures = [state.open_picture().content() for state in positions(record)]
    assert len(drawn.frames) == len(pictures) == len(record.moves) + 1
    for frame, picture in zip(drawn.frames, pictures, strict=True):
        runs = zip(frame[::2], frame[1::2], strict=True)
        elements = [pool[at] for start, count in runs for at in range(start, start + count)]
        wanted = [line for line in picture.split("\n") if not re.match(r"<g |</g>|$", line)]
        assert [element.replace("cell moved", "cell") for element in elements] == wanted
        marked = sum("cell moved" in element for element in elements)
        assert marked in ((0,) if frame is drawn.frames[0] else (1, 2))
    assert drawn.frames[-1] == [0, len(drawn.last)]
    assert len("\n".join(pool)) + len(json.dumps(drawn.frames)) < len("".join(pictures)) / 5


def test_strangers_can_harm_nothing(tmp_path: Path) -> None:
    record = replace(random_game("binary"), reason=HOSTILE, players=("anna", HOSTILE))
    heading = HEADING._replace(title=HOSTILE)
    paths = write_pages([record], heading, tmp_path, house="https://example.org/")
    file = io.StringIO()
    print_summary(summarize([record]), heading, Console(file=file, width=300))
    shown = [path.read_text(encoding="utf-8") for path in paths]
    for page in shown:
        assert "<b>" not in page
        assert page.count("</script>") == page.count("<script")
    shown += [file.getvalue(), *blocks(record), export.to_text([record], heading)]
    shown += [export.to_csv([record]), export.to_json([record], heading)]
    for text in shown:
        assert all(char.isprintable() or char == "\n" for char in text), text
    row = next(csv.DictReader(io.StringIO(export.to_csv([record]))))
    assert row["second"].startswith("'=cmd")
    assert row["reason"].startswith("'=cmd")


def test_a_house_goes_on_from_any_position_that_has_moves(tmp_path: Path) -> None:
    page = game_page(replace(PAIR[0], opening=OPENING), HEADING, house="http://localhost:8000/")
    data = re.search(r'id="data">(.*?)</script>', page)
    assert data
    links = json.loads(data[1])["links"]
    assert links[0] == f"http://localhost:8000/new/binary?start={OPENING.replace(' ', '%20')}"
    assert len(links) == 3
    assert '"links"' not in game_page(PAIR[0], HEADING)
    for none in ("javascript:alert(1)", "http://["):
        with pytest.raises(UsageError, match=re.escape(none)):
            write_pages(PAIR, HEADING, tmp_path, house=none)


EXPORTED = [
    *PAIR,
    game(2, "a b", 0.0, termination=Termination.CRASH, reason=HOSTILE, moves=()),
    game(3, "a b", 0.5, moves=(PlayedMove("0  0 0", 1e-6, -1.0), PlayedMove('{"}\n', 1e9, 0, 5))),
    replace(PAIR[0], players=(HOSTILE, '[Number "1"]')),
]


@pytest.mark.parametrize("ending", ["txt", "JSON"])
def test_what_is_exported_is_read_back(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"games.{ending}"
    for records in (EXPORTED, []):
        export.write(records, HEADING, path)
        assert export.read(str(path)) == records


def test_a_table_has_a_row_for_each_game(tmp_path: Path) -> None:
    path = tmp_path / "games.csv"
    export.write(PAIR, HEADING, path)
    rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"))))
    assert [(row["number"], row["score"], row["seconds of first"]) for row in rows] == [
        ("0", "1.0", "0.500000"),
        ("1", "0.5", "0.500000"),
    ]
    with pytest.raises(UsageError, match=r"games\.html.*\.txt, \.csv or \.json"):
        export.write(PAIR, HEADING, tmp_path / "games.html")


def test_the_text_is_readable() -> None:
    lines = export.to_text(PAIR, HEADING).splitlines()
    assert '[First "a"]' in lines
    assert '[TimeControl "5+0.05"]' in lines
    assert "1. 0 0 0 {0.5 s; value +0.25; work 12}" in lines
    assert "2. 1 1 1 {1.5 s}" in lines


TEXT = export.to_text(PAIR[:1], HEADING)
JSON = export.to_json(PAIR[:1], HEADING)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("hello", "line 1: 'hello' is no line of a game"),
        ("1. 0 0 0 {1 s}", "line 1"),
        (TEXT.replace("1.5 s", "x s"), "line 12"),
        (TEXT.replace('[Score "1.0"]', ""), "a game has no Score"),
        (TEXT.replace('[Score "1.0"]', '[Score "nan"]'), "game '0': nan is no result"),
        (TEXT.replace('"rules"', '"boredom"'), "boredom"),
        ("{", "no JSON"),
        ("{}", "this has no 'gridhouse games 1'"),
        (JSON.replace('"moves"', '"move"'), "KeyError: 'moves'"),
        (JSON.replace("0.25", '"<b>"'), "a text and a number are confused"),
        (JSON.replace('"a"', "null"), "a text and a number are confused"),
        (JSON.replace('"number": 0', '"number": 0.5'), "its number is not one of a game"),
        (JSON.replace('"number": 0', '"number": 9999999999'), "its number is not one of a game"),
        (JSON.replace("rules", "9" * 2000), "these are no games: ValueError: '999"),
    ],
)
def test_a_broken_file_gets_one_line(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "games"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        export.read(str(path))
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 1000


def test_a_game_that_cannot_have_been_played_is_named() -> None:
    wrong = replace(PAIR[1], moves=(PlayedMove("9 9 9", 0.0),))
    for show in (summarize, export.to_csv):
        with pytest.raises(UsageError, match="game 1: '9 9 9'"):
            show([PAIR[0], wrong])
    with pytest.raises(UsageError, match="game 1: 'nonsense'"):
        list(positions(replace(PAIR[1], opening="nonsense")))


def test_a_replay_shows_each_move(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    replay(PAIR, 1, ask=False)
    out = capsys.readouterr().out
    assert out.startswith(f"Game 1: b - a, ½{texts.DASH}½ (by the rules), 2 moves\n\n....\n")
    assert "1. Player 1 (b): 0 0 0  [500 ms, value +0.25, work 12]\n\n0...\n" in out
    assert "2. Player 2 (a): 1 1 1  [1.50 s]\n\n0...\n.1..\n" in out
    assert out.endswith(f"\n½{texts.DASH}½, by the rules\n\n")
    replay(PAIR, ask=False)
    assert len(capsys.readouterr().out.splitlines()) == len(PAIR)
    answers = iter(["", "q"])
    monkeypatch.setattr("builtins.input", lambda _: next(answers))
    replay(PAIR[:1], ask=True)
    assert "2. Player 2" not in capsys.readouterr().out
    with pytest.raises(UsageError, match="there is no game 7; there are 0 to 1"):
        replay(PAIR, 7, ask=False)


def test_the_chart_shows_bounds_where_they_are() -> None:
    inf = math.inf
    chart = rating_chart([("a", 100, 50, 150), ("b", -100, -inf, -50), ("c", inf, 0, inf)])
    assert chart
    a, b, c = chart.bars
    assert a.middle
    assert b.low < b.high < c.low < a.low < a.middle < a.high < c.high
    assert (b.open_low, b.open_high, c.open_high, a.open_low) == (True, False, True, False)
    assert c.middle is None
    places = {label: place for place, label in chart.ticks}
    assert places["0"] == pytest.approx(c.low)
    assert places["+100"] == pytest.approx(a.middle)
    assert rating_chart([("a", math.nan, -inf, inf)]) is None


def test_values_are_drawn_for_the_first_side() -> None:
    told = [(0, 0.5), (1, 0.5), (1, None), (0, math.inf), (1, -3.0)]
    assert value_lines(told) == ["0,-0.5", "1,0.5 4,-1"]


@pytest.mark.slow("drives a browser")
def test_a_game_is_stepped_through(tmp_path: Path) -> None:
    records = [random_game("sinks", n, 12) for n in range(2)]
    records += [replace(records[0], number=5, moves=()), replace(records[1], number=4)]
    index, *games = write_pages(records, HEADING, tmp_path, house="https://example.org")
    with browser() as started:
        page = started.new_page(viewport={"width": 390, "height": 780})
        complaints: list[str] = []
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        for path in (index, *games):
            page.goto(path.as_uri())
            look_for_barriers(page)
        page.goto(games[0].as_uri())
        end = page.inner_html("#board")
        for key, place in (("Left", "Move 11 of 12"), ("Left", "Move 10 of 12")):
            page.keyboard.press(f"Arrow{key}")
            expect(page.locator("#place")).to_have_text(place)
        expect(page.locator("[aria-current=step]")).to_have_text(records[0].moves[9].text)
        assert page.inner_html("#board") != end
        page.click("#first")
        start = next(positions(records[0])).open_picture().content()
        count = len(re.findall(r"^<(?!g |/g>)", start, re.MULTILINE))
        expect(page.locator("#board > *")).to_have_count(count)
        assert (page.get_attribute("#link", "href") or "").startswith("https://example.org/new/")
        page.click("#moves tbody tr:nth-child(3) button")
        expect(page.locator("#place")).to_have_text("Move 3 of 12")
        page.click("#last")
        assert re.sub(r"\s*\n\s*", "", page.inner_html("#board")) == re.sub(r"\s*\n\s*", "", end)
        page.goto(index.as_uri())
        page.click("text=Game >> nth=-1")
        assert complaints == []
        page.goto(index.as_uri())
        page.locator(".sortable thead button").first.click()
        expect(page.locator(".sortable tbody tr:nth-child(3)")).to_have_text(
            re.compile(r"^\s*Game 4")
        )
        still = started.new_context(java_script_enabled=False).new_page()
        still.goto(games[0].as_uri())
        assert still.is_visible("#board")
        assert not still.is_visible("#steps")
        expect(still.locator("#moves tbody tr")).to_have_count(12)
    assert complaints == []
