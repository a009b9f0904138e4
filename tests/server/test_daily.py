"""The daily puzzles: the same everywhere, results, ranks, names, and midnight."""

from __future__ import annotations

import random
import re
import threading
import time
from datetime import UTC, date, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.exc import OperationalError

import gridhouse
from gridhouse.core import solving
from gridhouse.core.registry import game_class
from gridhouse.games.collapse import solver as collapse_solver
from gridhouse.server.daily import service
from gridhouse.server.daily.leaderboard import DailyResult, Leaderboard, write_result
from gridhouse.server.daily.results import BestResult, Puzzle, share_text, verdict
from gridhouse.server.names import likeness, told_apart
from gridhouse.server.serve import is_thinking
from gridhouse.server.settings import MAX_PLAYERS
from gridhouse.server.storage.records import StoredTable
from gridhouse.server.tables.commands import MOVE, Command
from gridhouse.server.tables.table import Table
from gridhouse.server.tables.visibility import NO_HELP_TODAY, offers_help, viewpoint_of
from web_helpers import SMALL, TODAY, Clock, Visitor, moves_out, open_house
from window_helpers import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sqlalchemy import Connection
    from starlette.testclient import TestClient

    from gridhouse.core.game import State

SLIDING = f"/daily/sliding/{TODAY}"
COLLAPSE = f"/daily/collapse/{TODAY}"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def client(tmp_path: Path, clock: Clock, small: None) -> Iterator[TestClient]:
    with open_house(tmp_path, now=clock) as client:
        yield client


def detour(start: State) -> list[str]:
    """Return two moves that lead back to where they began, but not over the end."""
    for move, back in ("UD", "LR"):
        if move in start.legal_moves():
            after = start.clone()
            after.play(move)
            if not after.is_terminal():
                return [move, back]
    raise AssertionError("there is no detour")


def begin(visitor: Visitor, path: str) -> tuple[str, State]:
    """Found a table at the puzzle of a day."""
    answer = visitor.post(path)
    assert answer.status_code == 303, answer.text
    table = answer.headers["location"]
    return table, gridhouse.parse(visitor.get(f"{table}/position.txt").text.rstrip("\n"))


def solve(visitor: Visitor, detours: int = 0, path: str = SLIDING) -> dict[str, Any]:
    """Play a sliding puzzle to its end and return the last view; a detour costs two moves."""
    table, state = begin(visitor, path)
    moves = detour(state) * detours + moves_out(state)
    with visitor.at(table) as seat:
        for move in moves:
            seat.move(move)
        assert seat.view["over"]
        return seat.view


def shortest(day: str = TODAY) -> int:
    """Return how many moves a day's small puzzle needs."""
    return len(
        moves_out(gridhouse.load("sliding", **SMALL["sliding"]).new_initial_state(seed(day)))
    )


def seed(day: str) -> str:
    return f"daily {day}"


def lines(visitor: Visitor, path: str = SLIDING) -> list[tuple[str, str, str]]:
    """Return the table of the day: places, names, with (you) at one's own, results."""
    page = visitor.get(path).text
    rows = re.findall(r"<tr[^>]*><td>(.*?)</td><td>(.*?)</td><td>(.*?)</td></tr>", page)
    return [(place, re.sub("</?bdi>", "", name), result) for place, name, result in rows]


def best_is_known(visitor: Visitor, path: str) -> str:
    """Wait until the best has been found, and return the page."""

    def look() -> str:
        page: str = visitor.get(path).text
        return "" if "is searching for" in page else page

    return wait_for(look, "the best")


def test_a_day_has_the_same_puzzle_everywhere() -> None:
    """These lines may not change: houses of several versions share a day."""
    day = date(2026, 11, 20)
    assert service.start_of(game_class("sliding"), day) == (
        "sliding(rows=3,cols=4) neopnsbions /opensinsbond"
    )
    assert service.start_of(game_class("collapse"), day) == (
        "collapse(rows=8,cols=10,digits=6,scoring=linear) 0 4200443541/0044153101/1112344330/"
        "5454553043/2014334534/1200150525/5230534103/4450115515"
    )
    assert [cls.name for cls in service.daily_games()] == ["collapse", "sliding"]
    for cls in service.daily_games():
        starts = {service.start_of(cls, day + timedelta(ahead)) for ahead in range(50)}
        assert len(starts) == 50


def test_two_houses_offer_the_same(tmp_path: Path, clock: Clock, small: None) -> None:
    boards = []
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        with open_house(tmp_path / name, now=clock) as client:
            boards.append(str(begin(Visitor(client), SLIDING)[1]))
    assert boards[0] == boards[1]
    assert boards[0] == str(
        gridhouse.load("sliding", rows=2, cols=2).new_initial_state(seed(TODAY))
    )


@pytest.mark.slow("solves puzzles")
def test_the_solver_knows_a_best_for_the_puzzles_of_people() -> None:
    """Interpreted, so that nothing has to be compiled here; compiled, it is much quicker."""
    for cls in service.daily_games():
        state = gridhouse.parse(service.start_of(cls, date(2026, 11, 20)))
        is_sliding = cls.name == "sliding"
        seconds = 60.0 if is_sliding else 1.0
        told: Any = gridhouse.solve(state, seconds=seconds, threads=1, jit=False)
        best = told.best()
        moves = told.moves if is_sliding else [f"{row} {col}" for row, col in told.picks]
        for move in moves:
            state.play(move)
        assert state.is_terminal()
        assert state.game.result(state) == best[0]
        assert best[1] or not is_sliding  # the least moves are proved


def test_results_in_words() -> None:
    sliding, collapse = gridhouse.load("sliding"), gridhouse.load("collapse")
    assert [sliding.write_result(count) for count in (1, 2)] == ["1 move", "2 moves"]
    assert [collapse.write_result(count) for count in (1, 2)] == ["1 point", "2 points"]
    verdicts = {
        verdict(sliding, 24, None): "24 moves",
        verdict(sliding, 24, BestResult(20, True)): "24 moves; the best result is 20 moves",
        verdict(sliding, 24, BestResult(24, True)): "24 moves, the best possible result",
        verdict(collapse, 24, BestResult(24, False)): "24 points, equal to the best known result",
        verdict(
            collapse, 24, BestResult(30, False)
        ): "24 points; the best known result is 30 points",
        verdict(collapse, 31, BestResult(30, False)): (
            "31 points, better than the best known result so far, 30 points"
        ),
        verdict(sliding, 29, BestResult(30, False)): (
            "29 moves, better than the best known result so far, 30 moves"
        ),
    }
    assert list(verdicts) == list(verdicts.values())


def test_a_result_is_shared_as_one_line() -> None:
    sliding, collapse = gridhouse.load("sliding"), gridhouse.load("collapse")
    name = f"Gridhouse Sliding word puzzle {TODAY}"
    assert share_text(sliding, TODAY, 24, None) == f"{name}: 24 moves"
    shared = {
        (24, 24): "24 moves ▮▮▮▮▮",
        (25, 24): "25 moves ▮▮▮▮▯",
        (50, 24): "50 moves ▮▮▯▯▯",
        (999, 24): "999 moves ▯▯▯▯▯",
    }
    for (result, best), text in shared.items():
        said = share_text(sliding, TODAY, result, BestResult(best, True))
        assert said == f"{name}: {text}"
    better = share_text(collapse, TODAY, 31, BestResult(30, False))
    assert better == f"Gridhouse Collapse {TODAY}: 31 points ▮▮▮▮▮"
    assert "▯▯▯▯▯" in share_text(collapse, TODAY, 0, BestResult(30, True))


def test_every_page_leads_to_the_puzzles_of_today(visitor: Visitor) -> None:
    for path in ("/", "/rules/sinks", "/new/binary", "/nowhere", visitor.new("binary")):
        assert '<a href="/daily">' in visitor.get(path).text
    page = visitor.get("/daily").text
    assert "It is Friday 20 November 2026 (UTC)" in page
    for name in SMALL:
        assert f'action="/daily/{name}/{TODAY}"' in page
        assert visitor.get(f"/daily/{name}/{TODAY}/picture.svg").text.startswith("<svg ")
        assert f'action="/daily/{name}/{TODAY}"' in visitor.get(f"/daily/{name}").text
    assert "sinks" not in page
    for path in ("/daily", "/daily/sliding", SLIDING):
        assert "set-cookie" not in visitor.get(path).headers
        assert "style=" not in visitor.get(path).text


def test_midnight_in_utc_changes_the_puzzle(visitor: Visitor, clock: Clock) -> None:
    clock.time = datetime(2026, 11, 20, 23, 59, 59, tzinfo=UTC)
    before = visitor.get("/daily/sliding").text
    assert "Today's puzzle" in before
    assert visitor.get("/daily/sliding/2026-11-21").status_code == 404
    # One second later, told by a clock in another zone.
    clock.time = datetime(2026, 11, 20, 19, 0, tzinfo=timezone(timedelta(hours=-5)))
    after = visitor.get("/daily/sliding").text
    assert "Friday 20 November" in before
    assert "Saturday 21 November" in after
    assert "Today is Saturday 21 November 2026 (UTC)" in visitor.get(SLIDING).text
    boards = {str(begin(visitor, f"/daily/sliding/2026-11-{day}")[1]) for day in (20, 21)}
    assert len(boards) == 2


@pytest.mark.parametrize(
    ("path", "says"),
    [
        (
            "/daily/sliding/2026-11-21",
            "The puzzle of Saturday 21 November 2026 does not exist yet.",
        ),
        (
            "/daily/sliding/2025-12-31",
            "The first daily puzzle was that of Thursday 1 January 2026.",
        ),
        ("/daily/sliding/20261120", "A day must be written like 2026-11-20."),
        ("/daily/sliding/2026-W47-5", "A day must be written like 2026-11-20."),
        ("/daily/sliding/2026-02-30", "A day must be written like 2026-11-20."),
        ("/daily/sliding/99999-01-01", "A day must be written like 2026-11-20."),
        ("/daily/tactego", "Tactego has no daily puzzle."),
        ("/daily/chess", "There is no game"),
    ],
)
def test_what_is_no_puzzle_is_a_page_that_says_so(visitor: Visitor, path: str, says: str) -> None:
    for answer in (visitor.get(path), visitor.get(f"{path}/picture.svg"), visitor.post(path)):
        assert answer.status_code in (404, 405)
    if path.count("/") == 3:
        assert visitor.post(path).status_code == 404
    assert says.lower() in visitor.get(path).text.replace("&#39;", "'").lower()


def test_a_house_whose_clock_is_slow_has_a_puzzle_all_the_same(
    visitor: Visitor, clock: Clock
) -> None:
    clock.time = datetime(1999, 12, 31, tzinfo=UTC)
    solve(visitor, path="/daily/sliding/1999-12-31")
    assert len(lines(visitor, "/daily/sliding")) == 1
    assert "The day before" not in visitor.get("/daily/sliding").text


def test_a_game_that_is_not_ended_has_no_result(visitor: Visitor) -> None:
    table, state = begin(visitor, SLIDING)
    with visitor.at(table) as seat:
        for move in moves_out(state)[:-1]:
            seat.move(move)
    page = visitor.get(SLIDING).text
    assert "Your result" not in page
    assert "share.js" not in page
    assert "Nobody has finished this puzzle yet" in page


@pytest.mark.slow("solves many puzzles")
def test_only_the_best_result_is_kept_and_moves_taken_back_do_not_count(visitor: Visitor) -> None:
    least = shortest()
    solve(visitor, 1)
    assert lines(visitor) == [("1", "anonymous (you)", f"{least + 2} moves")]
    solve(visitor, 2)
    assert lines(visitor) == [("1", "anonymous (you)", f"{least + 2} moves")]
    table, state = begin(visitor, SLIDING)
    with visitor.at(table) as seat:
        seat.move(detour(state)[0])
        seat.say("undo")
        seat.wait("view", 0)
        for move in moves_out(state):
            seat.move(move)
    assert lines(visitor) == [("1", "anonymous (you)", f"{least} moves")]


@pytest.mark.slow("solves many puzzles")
def test_more_points_are_better_in_collapse(visitor: Visitor) -> None:
    reached = []
    for attempt in (2, 1, 0):
        table, state = begin(visitor, COLLAPSE)
        chance = random.Random(attempt)
        with visitor.at(table) as seat:
            while not state.is_terminal():
                move = chance.choice(state.legal_moves())
                seat.move(move)
                state.play(move)
        reached.append(int(state.returns()[0]))
    assert max(reached) not in (reached[0], reached[-1])
    assert lines(visitor, COLLAPSE) == [("1", "anonymous (you)", f"{max(reached)} points")]


@pytest.mark.slow("solves puzzles")
def test_equal_results_share_a_place(client: TestClient, clock: Clock) -> None:
    least = shortest()
    visitors = []
    for detours in (1, 0, 1, 2, 0):
        visitors.append(Visitor(client))
        solve(visitors[-1], detours)
        clock.time += timedelta(minutes=1)
    for visitor, name in zip(visitors, ("Anna", "Bert", "", "Dora", "Emil"), strict=True):
        visitor.post("/me", {"name": name})
    assert lines(visitors[2]) == [
        ("1", "Bert", f"{least} moves"),
        ("1", "Emil", f"{least} moves"),
        ("3", "Anna", f"{least + 2} moves"),
        ("3", "anonymous (you)", f"{least + 2} moves"),
        ("5", "Dora", f"{least + 4} moves"),
    ]
    assert "Place 3 of 5." in visitors[2].get(SLIDING).text
    assert all("(you)" not in name for _, name, _ in lines(Visitor(client)))


def test_a_name_stands_once_in_the_table_of_the_day(client: TestClient, clock: Clock) -> None:
    for detours, name in ((1, "Anna"), (0, "anna"), (1, "Bert"), (2, "Anna"), (2, "")):
        visitor = Visitor(client)
        solve(visitor, detours)
        clock.time += timedelta(minutes=1)
        visitor.post("/me", {"name": name})
    assert [name for _, name, _ in lines(Visitor(client))] == [
        *("anna (2)", "Anna", "Bert", "Anna (3)", "anonymous")
    ]
    assert "anybody can use any name" in Visitor(client).get(SLIDING).text


@pytest.mark.parametrize(
    "alike",
    [
        *("ADA", "\uff21da", "\u24b6da", "Ada\ufe0f", "Ada\u034f", "Ada\U000e0100"),
        *("Ada\u3164", "Ada\u2800", "A\u115fda", "A\uffa0da"),
    ],
)
def test_names_that_look_alike_are_told_apart(alike: str) -> None:
    assert told_apart([("a", "Ada"), ("b", alike)]) == {"a": "Ada", "b": f"{alike} (2)"}


def test_names_that_show_nothing_are_none() -> None:
    assert told_apart([("a", "\u3164"), ("b", "\u2800"), ("c", "")]) == dict.fromkeys("abc", "")


@given(st.lists(st.text("Aa\ufdfa\u3164\u00a8\u0301\u03a3 (12)", max_size=6)), st.booleans())
def test_no_two_shown_names_look_alike(names: list[str], in_turn: bool) -> None:
    told = told_apart([(str(at), name) for at, name in enumerate(names)], in_turn=in_turn)
    seen = [likeness(name) for name in told.values() if name]
    assert len(seen) == len(set(seen)) == sum(likeness(name) != "" for name in names)


def test_all_who_share_a_name_have_a_number_if_nobody_was_first() -> None:
    named = [("a", "Anna"), ("b", "anna (1)"), ("c", "ANNA"), ("d", "Bert"), ("e", "")]
    assert told_apart(named, in_turn=False) == {
        "a": "Anna (2)",
        "b": "anna (1)",
        "c": "ANNA (3)",
        "d": "Bert",
        "e": "",
    }


def test_many_of_one_long_name_are_told_apart_quickly() -> None:
    began = time.thread_time()
    told = told_apart([(str(at), "\ufdfa" * 30) for at in range(MAX_PLAYERS)])
    assert time.thread_time() - began < 0.2  # with a likeness for every try it was a second
    assert told[str(MAX_PLAYERS - 1)].endswith(f" ({MAX_PLAYERS})")


@pytest.mark.slow("solves many puzzles")
def test_the_table_of_the_day_ends_somewhere(
    client: TestClient, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gridhouse.server.pages.daily.MAX_PLACES", 2)
    visitors = [Visitor(client) for _ in range(3)]
    for visitor in visitors:
        clock.time += timedelta(minutes=1)
        solve(visitor, 0 if visitor is not visitors[2] else 1)
    assert len(lines(visitors[2])) == 2
    page = visitors[2].get(SLIDING).text
    assert "The first 2 of 3." in page
    assert "Place 3 of 3." in page


@pytest.mark.slow("solves many puzzles")
def test_what_is_reached_later_is_shown_to_oneself_alone(client: TestClient, clock: Clock) -> None:
    least = shortest()
    anna, bert = Visitor(client), Visitor(client)
    solve(anna, 1)
    table, state = begin(bert, SLIDING)  # before midnight, ended after it
    clock.time += timedelta(days=1)
    with bert.at(table) as seat:
        for move in moves_out(state):
            seat.move(move)
    solve(anna)
    assert lines(anna) == [("1", "anonymous (you)", f"{least + 2} moves")]
    assert lines(bert) == [("1", "anonymous", f"{least + 2} moves")]
    page = best_is_known(anna, SLIDING)
    assert f"{least + 2} moves; the best result is {least} moves. Place 1 of 1." in page
    assert f'data-text="Gridhouse Sliding word puzzle {TODAY}: {least + 2} moves ▮' in page
    assert f"After that day: {least} moves, the best possible result." in page
    other = bert.get(SLIDING).text
    assert "After that day:" in other
    assert "Place" not in other.partition("<table")[0]
    assert "this day is over" in other


@pytest.mark.slow("solves many puzzles")
def test_the_best_is_found_once_and_kept(
    tmp_path: Path, clock: Clock, small: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    go_on = threading.Event()
    find = gridhouse.solve

    def slowly(state: State, **options: Any) -> Any:
        asked.append(str(state))
        assert go_on.wait(20)
        return find(state, **options)

    monkeypatch.setattr(service, "solve", slowly)
    least = shortest()
    with open_house(tmp_path, now=clock) as client:
        visitor = Visitor(client)
        assert solve(visitor, 1)["heading"] == f"Solved. {least + 2} moves"
        assert "The solver is searching for the best result" in visitor.get(SLIDING).text
        table, state = begin(visitor, SLIDING)
        with visitor.at(table) as seat:
            for move in moves_out(state):
                seat.move(move)
            assert seat.view["heading"] == f"Solved. {least} moves"
            go_on.set()
            assert (
                seat.wait("view")["heading"] == f"Solved. {least} moves, the best possible result"
            )
        page = best_is_known(visitor, SLIDING)
        assert f"The best result is {least} moves, and this is proved." in page
    with open_house(tmp_path, now=clock) as client:
        visitor.client = client
        assert f"The best result is {least} moves" in visitor.get(SLIDING).text
        view = solve(visitor, 1)
        assert view["heading"] == f"Solved. {least + 2} moves; the best result is {least} moves"
    assert len(asked) == 1


class NotFound:
    """What a solver says that has found nothing."""

    def best(self) -> None:
        return None


def test_par_is_what_a_short_search_finds(
    tmp_path: Path, clock: Clock, small: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def par(state: State) -> int:
        asked.append(str(state))
        if len(asked) == 2:
            raise ValueError("no par")
        return 17

    monkeypatch.setattr(collapse_solver, "par", par)
    monkeypatch.setattr(service, "solve", lambda state, **options: NotFound())
    with open_house(tmp_path, now=clock, jit=True) as client:
        visitor = Visitor(client)
        yesterday = "/daily/collapse/2026-11-19"
        assert "Par" not in visitor.get("/daily/sliding/2026-11-19").text
        told = "Par is 17 points, the result of a short search."
        wait_for(lambda: told in visitor.get(yesterday).text, "the par")
        earlier = "/daily/collapse/2026-11-18"
        visitor.get(earlier)
        wait_for(lambda: len(asked) == 2, "a second par")
        assert "Par" not in visitor.get(earlier).text
        monkeypatch.setattr(service, "MAX_SEARCHES", 0)
        assert "Par" not in visitor.get("/daily/collapse/2026-11-17").text
    assert len(asked) == 2


def test_whoever_beats_the_best_known_is_the_best_known(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    least = shortest()

    class Weak:
        def best(self) -> tuple[int, bool]:
            return least + 2, False

    monkeypatch.setattr(service, "solve", lambda state, **options: Weak())
    solve(Visitor(visitor.client), 2)
    assert "better than the best known result so far" in solve(visitor)["heading"]
    solve(Visitor(visitor.client), 2)
    page = visitor.get(SLIDING).text
    assert f"The best known result is {least} moves." in page
    assert f"{least} moves, equal to the best known result." in page
    assert f"The best known result is {least} moves." in visitor.get("/daily").text
    assert f"Your result: {least} moves" in visitor.get("/daily").text


@pytest.mark.parametrize("fault", ["raises", "knows no result"])
def test_a_solver_that_fails_leaves_everything_else(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    calls: list[str] = []

    class Other:
        def best(self) -> None:
            return None

    def fail(state: State, **options: Any) -> Other:
        calls.append(str(state))
        if fault == "raises":
            raise MemoryError("no room")
        return Other()

    monkeypatch.setattr(service, "solve", fail)
    before = "/daily/sliding/2026-11-19"  # whose best result everybody may see
    assert "The best result is not known yet." in best_is_known(visitor, before)
    assert "The best result is not known yet." in visitor.get(before).text
    least = shortest("2026-11-19")
    assert solve(visitor, path=before)["heading"] == f"Solved. {least} moves"
    assert len(calls) == 1  # it is not tried again and again


def test_only_so_many_days_are_looked_at_at_once(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()
    find = gridhouse.solve
    monkeypatch.setattr(service, "MAX_SEARCHES", 2)
    monkeypatch.setattr(
        service, "solve", lambda *given, **more: go_on.wait(20) and find(*given, **more)
    )
    pages = [visitor.get(f"/daily/sliding/2026-03-0{day}").text for day in range(1, 5)]
    assert ["is searching for" in page for page in pages] == [True, True, False, False]
    assert "The best result is not known yet." in pages[3]
    solve(visitor)
    assert "is searching for" in visitor.get(SLIDING).text  # that of today always is
    go_on.set()
    for day in range(1, 5):
        assert "proved" in best_is_known_at_last(visitor, f"/daily/sliding/2026-03-0{day}")


def best_is_known_at_last(visitor: Visitor, path: str) -> str:
    """Look again and again until there is room for the search, and it has ended."""

    def look() -> str:
        page: str = visitor.get(path).text
        return page if "this is proved" in page else ""

    return wait_for(look, "the best")


def test_a_house_closes_while_it_looks_for_the_best(
    tmp_path: Path, clock: Clock, small: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, begun = threading.Event(), threading.Event()

    def hang(state: State, **options: Any) -> Any:
        begun.set()
        go_on.wait(20)
        raise AssertionError(f"nobody waits for {state}, {options}")

    monkeypatch.setattr(service, "solve", hang)
    with open_house(tmp_path, now=clock) as client:
        Visitor(client).get(SLIDING)
        assert begun.wait(20)
        house = client.app.state.service  # type: ignore[attr-defined]
        assert is_thinking(client.app)  # type: ignore[arg-type]
    go_on.set()
    wait_for(lambda: not house.daily_puzzles.running, "the end of the search")


def test_no_help_is_given_until_the_game_has_ended(visitor: Visitor, clock: Clock) -> None:
    table, state = begin(visitor, SLIDING)
    with visitor.at(table) as seat:
        assert seat.refused("hint") == NO_HELP_TODAY
        for move in moves_out(state):
            seat.move(move)
        seat.say("look", ply=0)
        seat.wait("view")
        for kind in ("hint", "judge", "show"):
            assert seat.refused(kind) == NO_HELP_TODAY
    for path in ("review", "review.json", "try.json"):
        assert visitor.get(f"{table}/{path}").status_code == 403
    assert f'href="{table}/review"' not in visitor.get("/games").text
    clock.time += timedelta(days=1)
    with visitor.at(table) as seat:
        assert not seat.view["unaided"]
        assert seat.refused("hint") == "the game is over"
    assert visitor.get(f"{table}/review").status_code == 200
    assert f'href="{table}/review"' in visitor.get("/games").text
    page = visitor.get(table).text
    assert f'href="{SLIDING}"' in page
    assert f"Solved. {shortest()} moves" in page
    with visitor.at(visitor.new("sliding", preset="easy")) as seat:
        seat.say("hint")
        assert seat.wait("hint")["move"] in [move for move, _, _ in seat.view["gestures"]]


def test_help_is_free_again_when_the_puzzle_is_done() -> None:
    start = "sliding(rows=2,cols=2) ab c/abcd"
    table = Table(StoredTable("t", start, "hotseat", seated_visitors={0: "a"}, daily=TODAY))
    table.is_past_day = True
    assert not offers_help(table, viewpoint_of(table, "a", None))
    table.apply(table.change_for(Command(MOVE, 0, "R", 0)))
    assert offers_help(table, viewpoint_of(table, "a", None))
    other = Table(StoredTable("t", start, "hotseat", seated_visitors={0: "a"}))
    assert offers_help(other, viewpoint_of(other, "a", None))


@pytest.mark.parametrize("name", ["sliding", "collapse"])
def test_a_copy_of_the_puzzle_gets_no_help(visitor: Visitor, name: str) -> None:
    _, state = begin(visitor, f"/daily/{name}/{TODAY}")
    copies = {"start": str(state)}, {"start": f"{state.game}#{seed(TODAY)}"}
    for form in copies:
        with visitor.at(visitor.new(name, **form)) as seat:
            assert seat.view["position"] == str(state)
            assert seat.view["unaided"]
            for kind in ("hint", "judge", "show"):
                assert "no help from a given position" in seat.refused(kind)
    visitor.client.cookies.clear()
    table = visitor.client.post("/api/tables", json={"position": str(state)}).json()
    bot = {"authorization": f"Bearer {table['token']}"}
    with visitor.at(f"/t/{table['table']['id']}", **bot) as seat:
        assert "no help from a given position" in seat.refused("show")


@pytest.mark.slow("opens many tables")
def test_a_copy_stays_one_when_it_is_over_or_changed(visitor: Visitor) -> None:
    """Whoever plays it to its end, or hides it in a larger board, gets no help either."""
    _, state = begin(visitor, COLLAPSE)
    score, _, board = str(state).partition(") ")[2].partition(" ")
    rows = board.split("/")
    larger = "/".join(["." * (len(rows[0]) + 1), *(f"{row}3" for row in rows)])
    size = f"rows={len(rows) + 1},cols={len(rows[0]) + 1},digits=4"
    for start in (f"collapse({size}) {score} {larger}", str(state)):
        table = visitor.new("collapse", start=start)
        with visitor.at(table) as seat:
            while not seat.view["over"]:
                seat.move(seat.view["gestures"][0][0])
            seat.say("look", ply=0)
            seat.wait("view")
            assert "no help from a given position" in seat.refused("show")
        assert "no help from a given position" in visitor.get(f"{table}/review").text
    other = gridhouse.load("sliding").new_initial_state(1)  # not of the size of the puzzle
    with visitor.at(visitor.new("sliding", start=str(other))) as seat:
        assert not seat.view["unaided"]
    house = visitor.new("collapse", preset="own", **{"p-rows": "5", "p-cols": "4", "p-digits": "4"})
    with visitor.at(house) as seat:
        assert not seat.view["unaided"]  # the house has drawn it by chance


def test_the_best_result_is_for_those_who_have_finished(client: TestClient, clock: Clock) -> None:
    anna, bert = Visitor(client), Visitor(client)
    best_is_known(anna, "/daily/sliding/2026-11-19")
    solve(anna)
    told = "You will see the best result when you finish this puzzle."
    best_is_known(anna, SLIDING)
    for path in (SLIDING, "/daily/sliding"):
        assert told not in anna.get(path).text
        assert told in bert.get(path).text
        assert "proved" not in bert.get(path).text
    assert anna.get("/daily").text.count(told) == 1
    assert bert.get("/daily").text.count(told) == 2
    clock.time += timedelta(days=1)
    assert "this is proved" in bert.get(SLIDING).text


def test_another_tables_end_is_no_result(visitor: Visitor) -> None:
    state = gridhouse.load("sliding", **SMALL["sliding"]).new_initial_state(seed(TODAY))
    with visitor.at(visitor.new("sliding", start=str(state))) as seat:
        for move in moves_out(state):
            seat.move(move)
        assert seat.view["heading"] == "Solved"
    assert lines(visitor) == []


def test_a_result_that_is_not_on_disk_is_not_shown(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, state = begin(visitor, SLIDING)
    *first, last = moves_out(state)
    failed: list[DailyResult] = []

    def fail_once(connection: Connection, reached: DailyResult) -> None:
        failed.append(reached)
        if len(failed) == 1:
            raise OperationalError("", {}, Exception("the disk is full"))
        write_result(connection, reached)

    monkeypatch.setattr("gridhouse.server.tables.service.write_result", fail_once)
    with visitor.at(table) as seat:
        for move in first:
            seat.move(move)
        why = seat.refused("move", move=last, ply=len(first))
        assert "could not be saved" in why
        assert lines(visitor) == []
        assert seat.move(last)["over"]
    assert len(lines(visitor)) == 1


@pytest.mark.usefixtures("small")
def test_a_best_result_that_could_not_be_saved_is_saved_later(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    store_best, solve_it = Leaderboard.store_best, solving.solve
    tries: list[BestResult] = []
    searches = [0]

    def fail_once(board: Leaderboard, puzzle: Puzzle, best: BestResult) -> None:
        tries.append(best)
        if len(tries) == 1:
            raise OperationalError("", {}, Exception("the disk is full"))
        store_best(board, puzzle, best)

    def search(*given: Any, **named: Any) -> Any:
        searches[0] += 1
        return solve_it(*given, **named)

    monkeypatch.setattr(Leaderboard, "store_best", fail_once)
    monkeypatch.setattr(service, "solve", search)
    visitor.get(SLIDING)
    wait_for(lambda: caplog.messages, "a line in the log")
    before = searches[0]
    wait_for(lambda: visitor.get(SLIDING) and len(tries) > 1, "another attempt")
    assert caplog.messages == [
        "the best result of a daily puzzle cannot be saved: the disk is full"
    ]
    assert (searches[0], tries[1]) == (before, tries[0])


def test_a_hostile_name_is_only_text(visitor: Visitor) -> None:
    solve(visitor)
    hostile = "<script>1</script>"
    visitor.post("/me", {"name": hostile})
    page = visitor.get(SLIDING).text
    assert hostile not in page
    assert page.count("&lt;script&gt;1&lt;/script&gt;") == 1


def test_forms_of_others_and_too_many_are_refused(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = "http://elsewhere.test"
    solve(visitor)
    assert visitor.post(SLIDING, origin=other).status_code == 403
    monkeypatch.setattr("gridhouse.server.app.MAX_TABLES", 2)
    begin(visitor, SLIDING)
    full = visitor.post(SLIDING)
    assert full.status_code == 429
    assert "Only 2 new games are allowed in an hour" in full.text


def test_a_puzzle_stays_what_it_was_when_a_later_version_makes_another(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, before = begin(visitor, SLIDING)
    monkeypatch.setattr(game_class("sliding"), "daily", {"rows": 3, "cols": 2})
    _, after = begin(visitor, SLIDING)
    assert str(after) == str(before)
    _, other = begin(visitor, "/daily/sliding/2026-11-19")
    assert (other.game.rows, other.game.cols) == (3, 2)


@pytest.mark.slow("solves many puzzles")
def test_a_table_says_after_the_house_opened_again_what_was_reached(
    tmp_path: Path, clock: Clock, small: None
) -> None:
    with open_house(tmp_path, now=clock) as client:
        visitor = Visitor(client)
        table, state = begin(visitor, SLIDING)
        best_is_known(visitor, SLIDING)
        with visitor.at(table) as seat:
            for move in moves_out(state):
                seat.move(move)
            before = seat.view
        assert before["heading"].endswith("moves, the best possible result")
    with open_house(tmp_path, now=clock) as client:
        visitor.client = client
        with visitor.at(table) as seat:
            assert seat.view == before


def test_no_visitor_is_told_apart_by_what_a_page_holds(client: TestClient) -> None:
    anna, bert = Visitor(client), Visitor(client)
    solve(anna)
    house = client.app.state.service  # type: ignore[attr-defined]
    places, _ = house.daily_puzzles.results.table(Puzzle("sliding", TODAY, True), 10)
    assert places[0].visitor not in bert.get(SLIDING).text
    assert places[0].visitor not in anna.get(SLIDING).text
