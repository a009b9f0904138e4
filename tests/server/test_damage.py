"""A table that cannot be read takes no page down, and no other table out of a list."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from gridhouse.server import app, clock, upkeep
from gridhouse.server.auth import new_id
from gridhouse.server.daily.leaderboard import RESULTS, DailyResult, write_result
from gridhouse.server.daily.results import Puzzle
from gridhouse.server.evenings.storage import EVENINGS, PLAYERS, Evening
from gridhouse.server.storage.records import Ply, StoredTable
from gridhouse.server.storage.visitors import Profile
from web_helpers import Visitor, open_house, upload, visitor_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.testclient import TestClient

ROW = "binary(rows=1,cols=6) ......"
PUZZLE = "sliding(rows=2,cols=2) ab c/abcd"  # of one player
MOVES = {ROW: "0 0 0", PUZZLE: "U"}
FILE = json.dumps({"gridhouse": 1, "games": []})
BLOB = "x'ff'"
NO_TEXT = "CAST(x'ff' AS TEXT)"
HUGE = str(10**18)


def damage(
    rows: str, columns: str, *values: str, start: str = ROW
) -> list[tuple[str, str, str, str]]:
    return [(start, rows, column, value) for column in columns.split() for value in values]


DAMAGE = [
    *damage("tables", "created start opponent level machine version changed", "'abc'", BLOB),
    *damage("tables", "initial increment since ended asked listed", "'abc'", BLOB),
    *damage("tables", "daily next given evening", "'abc'", BLOB),
    *damage("tables", "start opponent ended asked daily next evening", NO_TEXT),
    *damage("tables", "level version changed initial since", "-1", "1.5", HUGE),
    *damage("tables", "ended", "'time'", "'time 7'", "'time x'", "'rules'", "'resigned 1'"),
    *damage("tables", "asked", "'undo'", "'undo x'", "'undo 7'", "'redo 0'"),
    *damage("tables", "daily", "'2026-11-20'", "'20261120'"),
    *damage("tables", "machine", "1", "7"),
    *damage("tables", "opponent", "'machine'", "'friends'"),
    *damage("tables", "next", "'x'", "'x y'", "'x 7'"),
    *damage("tables", "ended", "'resigned 1'", "'rules'", start=PUZZLE),
    *damage("tables", "asked", "'redo 0'", start=PUZZLE),
    *damage("tables", "machine", "0", "1", start=PUZZLE),
    *damage("seats", "player", "1", start=PUZZLE),
    *damage("seats", "visitor", BLOB, NO_TEXT, "7", "''"),
    *damage("seats", "player", "'abc'", "7", "-1"),
    *damage("moves", "move", "'garbage'", BLOB, NO_TEXT, "7"),
    *damage("moves", "ply spent undone", "'abc'", BLOB),
]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(app, "MAX_IMPORTS", len(DAMAGE))
        with open_house(tmp_path_factory.mktemp("house")) as client:
            yield client


@pytest.fixture(scope="module")
def host(house: TestClient) -> Visitor:
    """Somebody who has a table without damage."""
    host = Visitor(house)
    host.post("/me", {"name": "Anna"})
    add(host, "healthy", ROW)
    return host


def add(host: Visitor, name: str, start: str) -> None:
    """Add a table of the lobby with one move."""
    seats = dict.fromkeys(range(2 if start == ROW else 1), visitor_of(host))
    plies = [Ply(MOVES[start])]
    record = StoredTable(name, start, "hotseat", seated_visitors=seats, moves=plies, listed=True)
    host.client.app.state.service.store.add(record)  # type: ignore[attr-defined]


@pytest.mark.parametrize(("start", "rows", "column", "value"), DAMAGE)
def test_a_damaged_row_takes_nothing_else_down(
    host: Visitor, start: str, rows: str, column: str, value: str
) -> None:
    add(host, "hurt", start)
    service = host.client.app.state.service  # type: ignore[attr-defined]
    which = "id = 'hurt'" if rows == "tables" else "table_id = 'hurt'"
    which += " AND player = 0" if rows == "seats" else ""
    try:
        with service.store.engine.begin() as connection:
            connection.exec_driver_sql(f"UPDATE {rows} SET {column} = {value} WHERE {which}")
        stranger, token = Visitor(host.client), f"Bearer {host.token}"
        for path in ("/t/hurt", "/t/hurt/record.txt", "/t/hurt/review", "/"):
            assert host.get(path).status_code < 500, path
        assert host.get("/api/tables/hurt", authorization=token).status_code < 500
        assert upload(host, FILE).status_code == 303
        assert '"healthy"' in stranger.get("/api/tables").text
        assert '"healthy"' in host.get("/games/export.json").text
        for visitor, path in (
            (stranger, "/lobby"),
            (host, "/lobby"),
            (host, "/games"),
            (host, "/rules/sinks"),
        ):
            assert '"/t/healthy"' in visitor.get(path).text, path
    finally:
        service.drop("hurt")
        with service.store.engine.begin() as connection:
            upkeep.remove(connection, ["hurt"])


def test_the_log_says_in_a_line_what_is_wrong_without_quoting_it(
    host: Visitor, caplog: pytest.LogCaptureFixture
) -> None:
    store = host.client.app.state.service.store  # type: ignore[attr-defined]
    seats = {0: visitor_of(host)}
    store.add(StoredTable("odd", ROW, "hotseat", seated_visitors=seats, asked="secret"))
    assert store.load("odd") is None
    (said,) = caplog.records
    assert said.getMessage().startswith("the table odd cannot be read: its 'asked' ")
    assert said.exc_info is None
    assert "secret" not in said.getMessage()


@pytest.mark.parametrize(
    ("start", "move", "part"),
    [("binary(rows=1,cols=6) secret", "0 0 0", "start"), (ROW, "secret", "moves")],
)
def test_a_position_that_cannot_be_read_is_not_quoted(
    host: Visitor, caplog: pytest.LogCaptureFixture, start: str, move: str, part: str
) -> None:
    store = host.client.app.state.service.store  # type: ignore[attr-defined]
    seats, name = {0: visitor_of(host)}, f"odd-{part}"
    store.add(StoredTable(name, start, "hotseat", seated_visitors=seats, moves=[Ply(move)]))
    assert host.get(f"/t/{name}").status_code == 404
    (said,) = caplog.records
    assert said.getMessage() == f"the table {name} cannot be read: its {part!r} is damaged"
    assert said.exc_info is None


EVENING_DAMAGE = [
    *damage("evenings", "host name game initial increment ends", "'foo'", BLOB, "-1"),
    *damage("evenings", "game", "'sliding()'", "'foo()'", "'binary(rows=x)'", NO_TEXT),
    *damage("evening_players", "seen free_since points games balance", "'foo'", BLOB, "1.5"),
    *damage("evening_players", "opponent", BLOB),
]


@pytest.mark.parametrize(("_", "rows", "column", "value"), EVENING_DAMAGE)
def test_a_damaged_evening_takes_nothing_else_down(
    host: Visitor, _: str, rows: str, column: str, value: str
) -> None:
    store = host.client.app.state.evenings.store  # type: ignore[attr-defined]
    engine = host.client.app.state.service.store.engine  # type: ignore[attr-defined]
    me, now = visitor_of(host), clock.now()
    for name in ("hurt", "healthy"):
        evening = Evening(name, me, name, "binary(rows=1,cols=6)", 60_000, 0, True, now + 600_000)
        store.add(evening, now)
        store.join(name, me, now)
        store.join(name, "other", now)
    which = "id = 'hurt'" if rows == "evenings" else "evening = 'hurt' AND visitor = 'other'"
    try:
        with engine.begin() as connection:
            connection.exec_driver_sql(f"UPDATE {rows} SET {column} = {value} WHERE {which}")
        for path in ("/evening/hurt", "/evening/hurt/state"):
            assert host.get(path).status_code < 500, path
        assert host.get("/evening/healthy").status_code == 200
        assert '"/evening/healthy"' in host.get("/evenings").text
    finally:
        with engine.begin() as connection:
            connection.execute(PLAYERS.delete())
            connection.execute(EVENINGS.delete())


@pytest.mark.parametrize("column", ["start", "best", "proved"])
@pytest.mark.parametrize("value", ["'foo'", "'sliding()'", "'binary(rows=1,cols=2) ..'", BLOB])
@pytest.mark.usefixtures("small")
def test_a_damaged_puzzle_is_made_anew(host: Visitor, column: str, value: str) -> None:
    service = host.client.app.state.service  # type: ignore[attr-defined]
    day = service.daily_puzzles.today().isoformat()
    for _ in range(2):
        for path in ("/daily", "/daily/sliding"):
            assert host.get(path).status_code == 200, path
        with service.store.engine.begin() as connection:
            changed = connection.exec_driver_sql(
                f"UPDATE puzzles SET {column} = {value} WHERE game = 'sliding' AND day = '{day}'"
            )
            assert changed.rowcount == 1


@pytest.mark.parametrize("column", ["result", "reached", "moves", "late"])
@pytest.mark.parametrize("value", ["'foo'", BLOB, "1.5"])
@pytest.mark.usefixtures("small")
def test_a_damaged_result_takes_no_other_off_the_leaderboard(
    host: Visitor, column: str, value: str
) -> None:
    service = host.client.app.state.service  # type: ignore[attr-defined]
    now = datetime.now(UTC)
    puzzle = Puzzle("sliding", service.daily_puzzles.today().isoformat(), True)
    hurt, me = (
        DailyResult(puzzle, visitor, result, 9, now, False)
        for visitor, result in (("other", 7), (visitor_of(host), 8))
    )
    try:
        with service.store.engine.begin() as connection:
            for reached in (hurt, me):
                write_result(connection, reached)
            connection.exec_driver_sql(
                f"UPDATE results SET {column} = {value} WHERE visitor = 'other'"
            )
            write_result(connection, me)
            if column != "late":
                write_result(connection, hurt)
            connection.exec_driver_sql(
                f"UPDATE results SET {column} = {value} WHERE visitor = 'other'"
            )
        for path in ("/daily", "/daily/sliding"):
            page = host.get(path)
            assert page.status_code == 200, path
        assert "(you)" in page.text
    finally:
        with service.store.engine.begin() as connection:
            connection.execute(RESULTS.delete())


@pytest.mark.parametrize("value", ["'garbage'", BLOB, "7"])
def test_a_link_whose_day_is_damaged_is_none(host: Visitor, value: str) -> None:
    service = host.client.app.state.service  # type: ignore[attr-defined]
    token = service.visitors.new_link(visitor_of(host))
    assert service.visitors.linked(token) == visitor_of(host)
    with service.store.engine.begin() as connection:
        connection.exec_driver_sql(f"UPDATE links SET created = {value}")
    assert host.get("/me").status_code == 200
    assert service.visitors.linked(token) is None


@pytest.mark.parametrize(
    ("column", "value"),
    [("name", BLOB), *(("picture", value) for value in ("'abc'", BLOB, "1.5", "-1"))],
)
@pytest.mark.usefixtures("small")
def test_a_damaged_visitor_takes_no_page_of_others_down(
    host: Visitor, column: str, value: str
) -> None:
    service = host.client.app.state.service  # type: ignore[attr-defined]
    evenings = host.client.app.state.evenings.store  # type: ignore[attr-defined]
    me, now, table = visitor_of(host), clock.now(), new_id()
    service.visitors.set_profile("other", Profile("Bert", 3))
    seats = {0: "other", 1: me}
    service.store.add(
        StoredTable(table, ROW, "friends", seated_visitors=seats, moves=[Ply("0 0 0")])
    )
    seats = {0: "other"}
    service.store.add(StoredTable(new_id(), ROW, "friends", seated_visitors=seats, listed=True))
    evenings.add(Evening("e", "other", "E", "binary()", 60_000, 0, True, now + 600_000), now)
    day = Puzzle("sliding", service.daily_puzzles.today().isoformat(), True)
    try:
        for player in (me, "other"):
            evenings.join("e", player, now)
        with service.store.engine.begin() as connection:
            write_result(connection, DailyResult(day, "other", 7, 9, datetime.now(UTC), False))
            changed = connection.exec_driver_sql(
                f"UPDATE visitors SET {column} = {value} WHERE visitor = 'other'"
            )
            assert changed.rowcount == 1
        pages = ("/lobby", "/games", "/evening/e", "/evening/e/state", "/daily/sliding")
        for path in (*pages, f"/t/{table}"):
            assert host.get(path).status_code == 200, path
        assert service.visitors.profile("other") in (Profile("", 3), Profile("Bert", 0))
    finally:
        with service.store.engine.begin() as connection:
            for rows in (RESULTS, PLAYERS, EVENINGS):
                connection.execute(rows.delete())
