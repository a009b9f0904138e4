"""`gridhouse admin` beside an open house, and what a visitor may take away."""

from __future__ import annotations

import gc
import os
import re
import sqlite3
import subprocess
import sys
import threading
import time
import weakref
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from starlette.websockets import WebSocketDisconnect
from typer.testing import CliRunner

from gridhouse.cli import complete_app
from gridhouse.core.console import UsageError
from gridhouse.server import admin, clock, upkeep
from gridhouse.server.auth import new_id
from gridhouse.server.evenings.storage import Evening, EveningStore
from gridhouse.server.storage.records import Change, Ply, StoredTable
from gridhouse.server.storage.store import (
    MIGRATIONS,
    SEATS,
    TABLES,
    Store,
    UnusableDatabaseError,
    address_of,
    serving,
)
from gridhouse.server.storage.visitors import LINKS, VISITORS
from postgres_helpers import postgres
from web_helpers import Visitor, open_house, rows_of, visitor_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.testclient import TestClient

START = "sliding(rows=2,cols=2) ab c/abca"
DAY = 24 * 3600 * 1000  # milliseconds
REFUSED = 1008  # the code with which socket.js does not connect again


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run `gridhouse admin` on the database of the house."""
    monkeypatch.setenv("GRIDHOUSE_DATABASE_URL", f"sqlite:///{tmp_path / 'house.db'}")
    monkeypatch.setenv("COLUMNS", "200")
    runner = CliRunner()

    def run(*words: str) -> Any:
        return runner.invoke(complete_app(), ["admin", *words])

    return run


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(f"sqlite:///{tmp_path / 'house.db'}")
    yield store
    store.close()


def keeper_of(client: TestClient) -> upkeep.Keeper:
    """Return a keeper of an open house, which looks when it is told to."""
    refused = next(
        each.kwargs["refused"]
        for each in client.app.user_middleware  # type: ignore[attr-defined]
        if each.cls is upkeep.Refusals
    )
    state = client.app.state  # type: ignore[attr-defined]

    async def start() -> upkeep.Keeper:
        keeper = upkeep.Keeper(state.service, refused, state.renew)
        keeper.close()
        return keeper

    assert client.portal is not None
    return client.portal.call(start)


def look_with(client: TestClient, keeper: upkeep.Keeper) -> None:
    """Have a keeper look at what was changed."""
    assert client.portal is not None
    client.portal.call(keeper.look)


def look(client: TestClient) -> None:
    """Have the house look at what was changed."""
    keeper = keeper_of(client)
    keeper._secret = ""
    look_with(client, keeper)


def test_tables_are_listed_taken_from_the_lobby_and_removed(
    client: TestClient, visitor: Visitor, run: Any
) -> None:
    table = visitor.new("binary", opponent="friends", listed="1")
    name = table.rpartition("/")[2]
    assert name in run("tables", "--listed").output
    assert name not in run("tables", "--game", "sinks").output
    assert run("unlist", name).exit_code == 0
    assert name not in run("tables", "--listed").output
    with visitor.at(table) as seat:
        assert run("remove", name).exit_code == 0
        reason = seat.refused("resign")
        assert reason == "this table was removed"
        look(client)
        with pytest.raises(WebSocketDisconnect) as closed:
            seat.listen()
        assert closed.value.code == REFUSED
    assert visitor.get(table).status_code == 404
    for words in (("remove", name), ("unlist", name), ("block", "abc"), ("block", "0123456789")):
        refused = run(*words)
        assert refused.exit_code == 2
        assert refused.output.count("\n") == 1


def test_no_new_table_or_evening_is_called_like_an_option() -> None:
    made = [new_id() for _ in range(100)]
    assert all(re.fullmatch("[A-Za-z0-9]{12}", name) for name in made)
    assert len(set(made)) == 100


def test_who_is_blocked_is_refused_by_an_open_house(
    client: TestClient, visitor: Visitor, run: Any
) -> None:
    table = visitor.new("sliding", opponent="hotseat")
    other = Visitor(client)
    (line,) = _lines(run)
    assert (line.game, line.moves) == ("sliding", 0)
    with visitor.at(table) as seat:
        assert run("block", line.visitors[0][:12]).exit_code == 0
        look(client)
        assert visitor.get("/").status_code == 403
        assert other.get("/").status_code == 200
        with pytest.raises(WebSocketDisconnect) as closed:
            seat.listen()
        assert closed.value.code == REFUSED
    with pytest.raises(WebSocketDisconnect) as closed, visitor.at(table):
        pass
    assert closed.value.code == REFUSED
    assert line.visitors[0] in run("blocked").output
    assert run("unblock", line.visitors[0][:12]).exit_code == 0
    look(client)
    assert visitor.get("/").status_code == 200


def test_who_is_blocked_is_refused_whatever_else_the_request_says(
    client: TestClient, visitor: Visitor, run: Any
) -> None:
    table, other = visitor.new("sliding"), Visitor(client)
    other.new("sliding")
    assert run("block", visitor_of(visitor)).exit_code == 0
    look(client)
    for header in ("x", "Basic eDp5", "Bearer x.y", f"Bearer {other.token}"):
        for path in ("/me", "/api/games"):
            assert visitor.get(path, authorization=header).status_code == 403, header
        with pytest.raises(WebSocketDisconnect) as closed, visitor.at(table, authorization=header):
            pass
        assert closed.value.code == REFUSED
    assert other.get("/me", authorization=f"Bearer {visitor.token}").status_code == 403
    assert other.get("/me").status_code == 200


def _lines(run: Any) -> list[admin.TableLine]:
    del run
    with admin.opened() as store:
        return admin.tables(store)


def test_networks_are_blocked() -> None:
    refused = upkeep.Refused()
    refused.read(["10.0.0.0/24", "2001:db8::/32", "::ffff:192.0.2.0/120", "damaged"])
    for address, expected in (
        ("10.0.0.9", True),
        ("10.0.1.9", False),
        ("2001:db8::1", True),
        ("::ffff:10.0.0.9", True),
        ("::ffff:10.0.1.9", False),
        ("192.0.2.7", True),
        ("::ffff:192.0.2.7", True),
    ):
        assert refused.holds({"client": (address, 1), "type": "http"}) is expected


def test_whoever_is_blocked_can_be_unblocked(store: Store, tmp_path: Path, run: Any) -> None:
    store.add(StoredTable("only", START, "hotseat", seated_visitors={0: "5a" * 32}))
    assert run("block", "5a5a5a5a").exit_code == 0
    assert run("remove", "only").exit_code == 0
    for written in ("5a5a5a5a", "5A" * 32):
        assert run("unblock", written).output == f"{'5a' * 32}: free\n"
        assert refuses(run, "unblock", written).endswith(": not blocked\n")
        assert run("block", "5a" * 32).output == f"{'5a' * 32}: blocked\n"
    assert refuses(run, "block", "5a" * 32).endswith(": blocked already\n")
    spoil(tmp_path / "house.db", "INSERT INTO blocks VALUES ('damaged', '2001-01-01')")
    assert run("unblock", "damaged").output == "damaged: free\n"


def test_a_visitor_without_a_seat_is_blocked_by_the_beginning_of_the_id(
    store: Store, run: Any
) -> None:
    with store.engine.begin() as connection:
        connection.execute(VISITORS.insert().values(visitor="5a" * 32, name="Ada", picture=1))
    evening = Evening("evening", "5b" * 32, "Club", "binary", 1, 0, True, clock.now() + DAY)
    evenings = EveningStore(store.engine)
    evenings.add(evening, clock.now())
    evenings.join("evening", "5c" * 32, clock.now())
    for half in ("5a", "5b", "5c"):
        assert run("block", half * 4).output == f"{half * 32}: blocked\n"


def test_an_address_of_ipv4_is_blocked_as_such(store: Store, run: Any) -> None:
    for written, meant in (
        ("::ffff:192.0.2.7", "192.0.2.7/32"),
        ("::ffff:198.51.100.7/120", "198.51.100.0/24"),
        ("::/0", "::/0"),
        ("192.0.2.7/8", "192.0.0.0/8"),
    ):
        assert admin.who_is(store, written) == meant
    assert run("block", "::ffff:192.0.2.7").output == "192.0.2.7/32: blocked\n"


def test_a_new_secret_voids_cookies(client: TestClient, visitor: Visitor, run: Any) -> None:
    table = visitor.new("sliding", opponent="hotseat")
    with visitor.at(table) as seat:
        assert run("renew-secret", "--yes").exit_code == 0
        look(client)
        with pytest.raises(WebSocketDisconnect) as closed:
            seat.listen()
        assert closed.value.code == 1013
    with visitor.at(table) as seat:
        assert not seat.view["acts"]


@pytest.fixture
def still(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    """Open a house that does not look at what was changed by itself."""

    async def rest(_: upkeep.Keeper) -> None:
        pass

    monkeypatch.setattr(upkeep.Keeper, "_run", rest)
    with open_house(tmp_path) as client:
        yield client


DAMAGED_SECRETS = [
    "DELETE FROM facts WHERE name = 'secret'",
    "UPDATE facts SET value = '' WHERE name = 'secret'",
    "UPDATE facts SET value = 7 WHERE name = 'secret'",
    f"UPDATE facts SET value = x'{'ff' * 40}' WHERE name = 'secret'",
]


@pytest.mark.parametrize("damage", DAMAGED_SECRETS)
def test_a_damaged_secret_signs_nothing(
    damage: str, still: TestClient, run: Any, caplog: pytest.LogCaptureFixture
) -> None:
    client, visitor = still, Visitor(still)
    table = visitor.new("sliding", opponent="hotseat")
    state = client.app.state  # type: ignore[attr-defined]
    auth, store = state.auth, state.service.store
    watching = keeper_of(client)

    async def twice() -> None:
        await watching.look()
        await watching.look()

    assert client.portal is not None
    with store.engine.begin() as connection:
        connection.exec_driver_sql(damage)
    client.portal.call(twice)
    assert state.auth is auth
    assert [line for line in caplog.messages if "secret" in line] == [
        "the secret in the database is damaged; the house keeps the one before"
    ]
    with visitor.at(table) as seat:
        assert seat.view["acts"]
    if not damage.startswith("DELETE"):
        with pytest.raises(UnusableDatabaseError, match=r"^its secret is damaged; "):
            store.secret()
    assert run("renew-secret", "--yes").exit_code == 0
    client.portal.call(twice)
    assert state.auth is not auth
    assert len(store.secret()) >= 32


@pytest.mark.parametrize("words", ["remove", "unlist"])
def test_what_cannot_be_written_is_not_said_to_be_done(
    words: str, store: Store, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add(StoredTable("kept", START, "hotseat", listed=True))

    def fail(_: sa.Connection) -> None:
        raise sa.exc.OperationalError(None, None, OSError("the disk is full"))

    def open_full(*given: Any) -> Store:
        opened = Store(*given)
        sa.event.listen(opened.engine, "commit", fail)
        return opened

    monkeypatch.setattr(admin, "Store", open_full)
    refused = run(words, "kept")
    assert refused.exit_code == 2
    assert refused.output == "gridhouse: the database cannot be used: the disk is full\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no such device")
@pytest.mark.parametrize("words", [("stats",), ("prune",), ("tables",)])
def test_an_output_that_is_full_is_no_fault_of_the_database(
    words: tuple[str, ...], store: Store, tmp_path: Path
) -> None:
    del store
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "gridhouse", "admin", *words],
            env={**os.environ, "GRIDHOUSE_DATABASE_URL": f"sqlite:///{tmp_path / 'house.db'}"},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode != 0
    assert "database" not in done.stderr
    assert "Traceback" not in done.stderr


def test_who_is_blocked_is_listed_though_a_row_is_damaged(store: Store, run: Any) -> None:
    with store.engine.begin() as connection:
        connection.exec_driver_sql(
            "INSERT INTO blocks VALUES ('10.0.0.1/32', 'garbage'), ('10.0.0.2/32', 7), "
            "('10.0.0.3/32', '2026-11-20 10:00:00'), ('garbage', x'ff')"
        )
    listed = run("blocked").output
    for name in ("10.0.0.1/32", "10.0.0.2/32", "10.0.0.3/32", "garbage"):
        assert name in listed
    assert listed.count("None") == 0
    assert "2026-11-20 10:00" in listed
    assert run("unblock", "10.0.0.1").exit_code == 0


def test_only_unfinished_tables_that_nobody_touched_are_pruned(store: Store, run: Any) -> None:
    now = clock.now()
    kinds = {"old": (200, None), "new": (100, None), "over": (200, "resigned 0")}
    for name, (days, ended) in kinds.items():
        store.add(StoredTable(name, START, "hotseat", ended=ended, changed=now - days * DAY))
    with store.engine.begin() as connection:  # it was created as long ago as it was changed
        connection.execute(TABLES.update().values(created=sa.func.datetime("2001-01-01")))
    assert run("prune", "--days", "300").output == "Removed: 0\n"
    assert run("prune").output == "Removed: 1\n"
    assert store.load("old") is None
    assert store.load("new")
    assert store.load("over")


def test_evenings_that_ended_long_ago_are_pruned(store: Store, run: Any) -> None:
    evenings, now = EveningStore(store.engine), clock.now()
    for name, days in (("old", 200), ("new", 100)):
        ends = now - days * DAY
        evenings.add(Evening(name, "a" * 64, "Ada's", "binary()", 60, 0, True, ends), ends - DAY)
        evenings.join(name, "b" * 64, ends - DAY)
    store.add(StoredTable("over", START, "friends", ended="resigned 0", evening="old"))
    assert run("prune", "--days", "300").output == "Removed: 0\n"
    assert run("prune").output == "Removed: 1\n"
    assert [bool(evenings.load(name)) for name in ("old", "new")] == [False, True]
    assert [len(evenings.players(name)) for name in ("old", "new")] == [0, 1]
    over = store.load("over")
    assert over is not None
    assert over.evening is None


def test_days_that_no_date_has_are_refused(
    store: Store, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    del store
    assert run("prune", "--days", "36500").output == "Removed: 0\n"
    refused = run("prune", "--days", "36501")
    assert refused.exit_code == 2
    assert refused.output == "gridhouse: --days 36501: it should be 36500 at most\n"
    for days in ("36501", "9" * 5000):
        monkeypatch.setenv("GRIDHOUSE_PRUNE_DAYS", days)
        refused = run("prune")
        assert (refused.exit_code, refused.output.count("\n")) == (2, 1)
        assert f"GRIDHOUSE_PRUNE_DAYS={days}: it should be a whole number" in refused.output


def test_the_house_goes_on_looking_whatever_fails(
    client: TestClient, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = iter((OverflowError, ZeroDivisionError))
    seen = threading.Event()

    async def fail(keeper: upkeep.Keeper) -> None:
        error = next(looked, None)
        if error is not None:
            raise error
        seen.set()

    monkeypatch.setattr(upkeep, "GLANCE", 0.01)
    monkeypatch.setattr(upkeep.Keeper, "look", fail)
    state = client.app.state  # type: ignore[attr-defined]

    async def start() -> upkeep.Keeper:
        return upkeep.Keeper(state.service, upkeep.Refused(), state.renew)

    assert client.portal is not None
    keeper = client.portal.call(start)
    assert seen.wait(20)
    client.portal.call(keeper.close)
    assert caplog.text.count("could not look at what was changed") == 2


def test_a_house_prunes_by_itself(store: Store, tmp_path: Path) -> None:
    store.add(StoredTable("old", START, "hotseat", changed=1))
    with store.engine.begin() as connection:
        connection.execute(TABLES.update().values(created=sa.func.datetime("2001-01-01")))
    with open_house(tmp_path) as client:
        keeper = keeper_of(client)
        look_with(client, keeper)
        assert store.load("old")  # the machine's clock may be wrong yet
        keeper._prune_at = 0.0
        look_with(client, keeper)
        assert store.load("old") is None


def test_a_house_collects_old_garbage(still: TestClient) -> None:
    class Cycle:
        def __init__(self) -> None:
            self.own = self

    keeper, cycle = keeper_of(still), Cycle()
    kept = weakref.ref(cycle)
    gc.collect()  # it is old now
    del cycle
    keeper._collect_at = 0.0
    look_with(still, keeper)
    assert kept() is None
    assert keeper._collect_at > time.monotonic()


def test_nothing_is_pruned_after_the_clock_was_set(
    still: TestClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    keeper, pruned = keeper_of(still), []
    monkeypatch.setattr(upkeep, "prune", lambda *_: pruned.append(1))
    keeper._prune_at = 0.0
    keeper._clock -= 200 * upkeep.DAY
    look_with(still, keeper)
    assert not pruned
    assert caplog.messages[-1] == "the machine's clock was set: nothing is pruned for a day"
    assert keeper._prune_at > time.monotonic() + upkeep.HOUR
    keeper._prune_at = 0.0
    look_with(still, keeper)
    assert pruned == [1]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no clock tells how long it slept")
def test_a_machine_that_slept_has_no_other_time(monkeypatch: pytest.MonkeyPatch) -> None:
    before, passed = upkeep._clock_ahead(), time.monotonic
    monkeypatch.setattr(time, "monotonic", lambda: passed() - 2 * upkeep.HOUR)
    assert abs(upkeep._clock_ahead() - before) < 60.0


def test_many_moves_are_removed_in_pieces(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upkeep, "MOVES_AT_ONCE", 10)
    monkeypatch.setattr(upkeep, "BREATH", 0.0)
    removed = rows_of(store, "DELETE FROM moves")
    for number, moves in enumerate((4, 4, 4, 35, 4, 9)):
        seats, plies = {0: "a" * 64}, [Ply("0 0 0")] * moves
        store.add(StoredTable(f"{number}", START, "hotseat", seated_visitors=seats, moves=plies))
    names = [f"{number}" for number in range(5)]
    assert upkeep.remove_in_pieces(store.engine, names, sa.true()) == 5
    assert removed == [12, 35, 4]
    upkeep.forget(store.engine, "a" * 64)
    assert sum(removed) == 60
    assert [store.load(name) for name in (*names, "5")] == [None] * 6


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_what_is_touched_while_others_are_removed_stays(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "MOVES_AT_ONCE", 1)  # each table is removed by itself
    with ExitStack() as opened:
        is_shared = kind == "postgresql"
        store = Store(
            opened.enter_context(postgres()) if is_shared else f"sqlite:///{tmp_path / 'new.db'}"
        )
        opened.callback(store.close)
        names, touched = ["a", "b", "c", "d"], list[str]()
        for name in names:
            seats = {0: "e" * 64}
            new = StoredTable(name, START, "friends", seated_visitors=seats, moves=[Ply("0 0 0")])
            store.add(new)

        def left() -> list[str]:
            return [name for name in names if store.load(name)]

        def touch(_: float) -> None:
            if not touched:
                touched.extend(left()[:2])
                store.append(Change(touched[0], 0, seat=(1, "f"))).result()
                store.append(Change(touched[1], 0, standing=1, added=Ply("0 0 1"))).result()

        monkeypatch.setattr(upkeep, "time", SimpleNamespace(sleep=touch))
        with store.engine.begin() as connection:
            long_ago = datetime(2001, 1, 1, tzinfo=UTC)
            connection.execute(TABLES.update().values(created=long_ago, changed=1))
        assert upkeep.prune(store.engine, 180) == 2
        assert left() == touched
        names, touched = [f"{number}" for number in range(4)], []
        for name in names:
            new = StoredTable(name, START, "friends", seated_visitors={0: "g" * 64})
            store.add(replace(new, moves=[Ply("0 0 0")]))
        upkeep.forget(store.engine, "g" * 64)
        assert left() == touched[:1]  # at which a friend has sat down


def test_what_could_not_be_pruned_is_tried_again_before_the_next_day(
    still: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeper, tries = keeper_of(still), [0]
    keeper._prune_at = 0.0

    def fail(*_: Any) -> None:
        tries[0] += 1
        if tries[0] == 1:
            raise sa.exc.OperationalError(None, None, OSError("the disk is full"))

    monkeypatch.setattr(upkeep, "prune", fail)
    monkeypatch.setattr(upkeep, "PRUNE_AGAIN", 0.0)
    assert still.portal is not None
    with pytest.raises(sa.exc.OperationalError):
        still.portal.call(keeper.look)
    for _ in range(2):
        still.portal.call(keeper.look)
    assert tries == [2]


def test_a_backup_under_load_is_whole(store: Store, tmp_path: Path, run: Any) -> None:
    store.add(StoredTable("busy", START, "hotseat"))
    over, made = threading.Event(), [0]

    def play() -> None:
        while not over.is_set():
            at = made[0]
            change = Change("busy", at, standing=at, added=Ply("a"))
            store.append(change).result()
            made[0] += 1

    player = threading.Thread(target=play)
    player.start()
    counts = []
    for number in range(3):
        before = made[0]
        assert run("backup", str(tmp_path / f"{number}.db")).exit_code == 0
        connection = sqlite3.connect(tmp_path / f"{number}.db")
        moves, version = connection.execute(
            "SELECT count(*), (SELECT version FROM tables) FROM moves"
        ).fetchone()
        connection.close()
        assert moves == version >= before
        counts.append(moves)
    over.set()
    player.join()
    assert counts[0] < counts[-1]  # moves went on meanwhile
    assert (tmp_path / "0.db").stat().st_mode & 0o777 == 0o600
    refused = run("backup", str(tmp_path / "0.db"))
    assert (refused.exit_code, refused.output.count("\n")) == (2, 1)


def test_a_backup_is_restored(tmp_path: Path, run: Any) -> None:
    store = Store(f"sqlite:///{tmp_path / 'house.db'}")
    store.add(StoredTable("kept", START, "hotseat"))
    saved = str(tmp_path / "saved.db")
    assert run("backup", saved).exit_code == 0
    store.add(StoredTable("later", START, "hotseat"))
    (tmp_path / "noise.db").write_bytes(b"noise" * 1000)
    store.close()
    with serving(f"sqlite:///{tmp_path / 'house.db'}"):
        assert "the house is open" in run("restore", saved).output
    assert run("restore", str(tmp_path / "noise.db")).exit_code == 2
    assert run("restore", saved).exit_code == 0
    with admin.opened() as restored:
        assert restored.load("kept")
        assert restored.load("later") is None
    assert [*tmp_path.glob("house.db.2*")]  # what was there before


def test_a_backup_of_an_older_version_is_restored_as_it_is(tmp_path: Path, run: Any) -> None:
    house, saved = tmp_path / "house.db", tmp_path / "saved.db"
    Store(f"sqlite:///{house}").close()
    before = make_older(f"sqlite:///{house}")
    assert run("backup", str(saved)).exit_code == 0
    Store(f"sqlite:///{house}").close()
    assert version_of(f"sqlite:///{house}") != before
    assert run("restore", str(saved)).exit_code == 0
    assert version_of(f"sqlite:///{house}") == before
    dumps = []
    for file in (house, saved):
        with closing(sqlite3.connect(file)) as connection:
            dumps.append([*connection.iterdump()])
    assert dumps[0] == dumps[1]
    assert not [*tmp_path.glob("house.db.*part*")]


@pytest.mark.skipif(sys.platform == "win32", reason="there not everybody may make links")
@pytest.mark.parametrize("is_there", [True, False])
@pytest.mark.usefixtures("store")
def test_a_backup_follows_a_link(tmp_path: Path, run: Any, is_there: bool) -> None:
    (tmp_path / "disk").mkdir()
    link, saved = tmp_path / "saved.db", tmp_path / "disk" / "saved.db"
    if is_there:
        saved.touch()
    link.symlink_to(saved)
    assert run("backup", str(link), "--force").exit_code == 0
    assert link.is_symlink()
    assert not saved.is_symlink()
    admin.check(saved)


def test_what_root_restores_belongs_to_the_owner_of_the_folder(
    tmp_path: Path, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    house, saved = tmp_path / "house.db", tmp_path / "saved.db"
    Store(f"sqlite:///{house}").close()
    assert run("backup", str(saved)).exit_code == 0
    house.unlink()
    given = []
    monkeypatch.setattr(os, "chown", lambda file, *_: given.append(file.name), raising=False)
    assert run("restore", str(saved)).exit_code == 0
    lock, part = given
    assert lock == "house.db.lock"
    assert re.fullmatch(r"house\.db\.\w+\.part", part)


def spoil(file: Path, statement: str) -> None:
    """Change a database as nothing of the house does."""
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute(statement)
    connection.close()


def refuses(run: Any, *words: object) -> str:
    """Return the line by which a command refuses what it was given."""
    refused = run(*map(str, words))
    assert (refused.exit_code, refused.output.count("\n")) == (2, 1), refused.output
    return str(refused.output)


def test_a_damaged_database_does_not_replace_a_backup(tmp_path: Path, run: Any) -> None:
    house, saved = tmp_path / "house.db", tmp_path / "saved.db"
    Store(f"sqlite:///{house}").close()
    assert run("backup", str(saved)).exit_code == 0
    good = saved.read_bytes()
    house.write_bytes(good[:8192] + b"\xff" * 4096 + good[12288:])
    assert f"{house}: " in refuses(run, "backup", saved, "--force")
    assert saved.read_bytes() == good
    assert not [*tmp_path.glob("saved.db?*")]


def test_a_backup_replaces_no_database_and_no_device(
    store: Store, tmp_path: Path, run: Any
) -> None:
    house, other, link = (tmp_path / name for name in ("house.db", "other.db", "link.db"))
    link.symlink_to(house)
    for target in (house, link):
        assert "the database itself" in refuses(run, "backup", target, "--force")
    used = Store(f"sqlite:///{other}")
    assert "a database in use" in refuses(run, "backup", other, "--force")
    used.close()
    for target in (tmp_path, Path(os.devnull), Path()):
        assert "no file that a backup can replace" in refuses(run, "backup", target, "--force")
    store.check()


def test_a_backup_for_which_there_is_no_room_names_its_place(
    store: Store, tmp_path: Path, run: Any
) -> None:
    resource = pytest.importorskip("resource", reason="files have no limit on Windows")
    del store
    saved = tmp_path / "saved.db"
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, before[1]))
    try:
        told = refuses(run, "backup", saved)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert f"house.db cannot be copied to {saved}: " in told
    assert not [*tmp_path.glob("saved.db*")]


@pytest.mark.parametrize("kept", [0, 100, 50_000])
def test_a_backup_takes_the_place_of_a_damaged_database(
    kept: int, tmp_path: Path, run: Any
) -> None:
    house, saved = tmp_path / "house.db", tmp_path / "saved.db"
    first = Store(f"sqlite:///{house}")
    first.add(StoredTable("kept", START, "hotseat"))
    first.close()
    assert run("backup", str(saved)).exit_code == 0
    damaged = saved.read_bytes()[:kept] + os.urandom(5000 - min(kept, 5000))
    house.write_bytes(damaged)
    house.chmod(0o640)
    (tmp_path / "house.db-wal").write_bytes(b"noise")
    assert run("restore", str(saved)).exit_code == 0
    with admin.opened() as restored:
        assert restored.load("kept")
    (before,) = tmp_path.glob("house.db.2*[0-9]")
    assert before.read_bytes() == damaged
    assert before.with_name(f"{before.name}-wal").read_bytes() == b"noise"
    assert house.stat().st_mode & 0o777 == 0o640


class KilledError(BaseException):
    """The process was killed."""


@pytest.mark.parametrize("steps", range(14))
def test_a_restore_that_is_killed_leaves_a_whole_database(
    steps: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    house, saved, left = tmp_path / "house.db", tmp_path / "saved.db", [steps]
    first = Store(f"sqlite:///{tmp_path / 'first.db'}")
    first.add(StoredTable("old", START, "hotseat"))
    for end in ("", "-wal"):  # as a house that was killed leaves them
        (tmp_path / f"house.db{end}").write_bytes((tmp_path / f"first.db{end}").read_bytes())
    first.close()
    other = Store(f"sqlite:///{tmp_path / 'other.db'}")
    other.add(StoredTable("saved", START, "hotseat"))
    other.close()
    admin.backup(f"sqlite:///{tmp_path / 'other.db'}", saved)

    def step(act: Any) -> Any:
        def killed(*given: Any, **named: Any) -> Any:
            if any("house.db" in str(name) and "lock" not in str(name) for name in given):
                left[0] -= 1
                if left[0] < 0:
                    raise KilledError
            return act(*given, **named)

        return killed

    with monkeypatch.context() as patch:
        for name in ("link", "unlink", "rename", "replace"):
            patch.setattr(os, name, step(getattr(os, name)))
        with suppress(KilledError):
            admin.restore(f"sqlite:///{house}", saved)
    with admin.opened(f"sqlite:///{house}") as store:
        there = [name for name in ("old", "saved") if store.load(name)]
    assert len(there) == 1
    assert left[0] < 0 or there == ["saved"]


def test_what_a_restored_house_had_before_is_whole_in_its_file(tmp_path: Path, run: Any) -> None:
    store = Store(f"sqlite:///{tmp_path / 'house.db'}")
    assert run("backup", str(tmp_path / "saved.db")).exit_code == 0
    store.add(StoredTable("later", START, "hotseat"))
    assert run("restore", str(tmp_path / "saved.db")).exit_code == 0
    store.close()
    (before,) = tmp_path.glob("house.db.2*")
    with admin.opened(f"sqlite:///{before}") as kept:
        assert kept.load("later")


def test_a_backup_touches_no_other_file(store: Store, tmp_path: Path, run: Any) -> None:
    del store
    part, saved = tmp_path / "saved.db.part", tmp_path / "saved.db"
    part.write_text("of somebody else")
    assert run("backup", str(saved)).exit_code == 0
    assert part.read_text() == "of somebody else"
    assert {*tmp_path.glob("saved*")} == {part, saved}
    assert saved.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("UPDATE alembic_version SET version_num = 'other'", "newer version of Gridhouse"),
        ("DELETE FROM alembic_version", "it has no version"),
        ("DROP TABLE blocks", "no such table: blocks"),
    ],
)
def test_what_no_house_could_open_is_not_restored(
    statement: str, reason: str, tmp_path: Path, run: Any
) -> None:
    house, saved = tmp_path / "house.db", tmp_path / "saved.db"
    Store(f"sqlite:///{house}").close()
    assert run("backup", str(saved)).exit_code == 0
    spoil(saved, statement)
    before = house.read_bytes()
    assert reason in refuses(run, "restore", saved)
    assert house.read_bytes() == before
    assert "the database itself" in refuses(run, "restore", house)
    assert not [*tmp_path.glob("house.db.[!l]*")]


@pytest.mark.parametrize(
    "damage",
    [
        "changed = 1000000000000000000",
        "changed = -1000000000000000000",
        "changed = 9e999",
        "changed = 'zz'",
        "start = x'ff00'",
        "opponent = x'ff00'",
        "ended = x'ff00'",
    ],
)
def test_a_damaged_row_is_listed_by_its_name(
    damage: str, store: Store, tmp_path: Path, run: Any
) -> None:
    for name in ("damaged", "whole"):
        store.add(StoredTable(name, START, "hotseat", seated_visitors={0: name * 9}))
    spoil(tmp_path / "house.db", f"UPDATE tables SET {damage} WHERE id = 'damaged'")
    listed = run("tables").output
    assert re.search(r"^damaged .*cannot be read", listed, re.MULTILINE)
    assert re.search(r"^whole +sliding ", listed, re.MULTILINE)
    assert run("stats").exit_code == run("prune").exit_code == 0
    assert run("remove", "damaged").output == "damaged: removed\n"


def test_a_damaged_seat_or_block_is_listed_and_not_copied(
    store: Store, tmp_path: Path, run: Any
) -> None:
    house, other = tmp_path / "house.db", f"sqlite:///{tmp_path / 'other.db'}"
    store.add(StoredTable("damaged", START, "hotseat", seated_visitors={0: "5a" * 32}))
    spoil(house, "UPDATE seats SET visitor = x'ff00'")
    assert re.search("^damaged .*cannot be read", run("tables").output, re.MULTILINE)
    assert run("block", "192.0.2.7").exit_code == 0
    for since in ("'zz'", "x'ff00'", "7"):
        spoil(house, f"UPDATE blocks SET since = {since}")
        assert re.search("192.0.2.7/32 +cannot be read", run("blocked").output)
        assert "a row of blocks cannot be read" in refuses(run, "copy", other)
    assert run("unblock", "192.0.2.7").exit_code == 0


@pytest.mark.parametrize(
    "words",
    [("stats",), ("tables",), ("renew-secret", "--yes"), ("prune",), ("backup", "saved.db")],
)
def test_where_there_is_no_database_none_is_made(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Any
) -> None:
    monkeypatch.setattr("gridhouse.server.settings._own_folder", lambda: tmp_path / "own")
    for url in (f"sqlite:///{tmp_path / 'house.db'}", ""):
        monkeypatch.setenv("GRIDHOUSE_DATABASE_URL", url)
        assert refuses(run, *words).endswith("house.db: there is no database\n")
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("tables", "--game", "\udcff"), "it should be UTF-8 text"),
        (("remove", "\udcff"), r"'\udcff': it should be UTF-8 text"),
        (("block", "\udcff" * 8), "it should be UTF-8 text"),
        (("copy", "postgresql://h:notaport/x"), "the port in its URL is not a number"),
        (("copy", "sqlite://"), "sqlite://: a database in memory is lost"),
        (("copy", "sqlite:///:memory:"), "sqlite:///:memory:: a database in memory is lost"),
    ],
)
def test_what_cannot_be_asked_for_is_one_line(
    words: tuple[str, ...], reason: str, store: Store, run: Any
) -> None:
    del store
    assert reason in refuses(run, *words)
    assert run("tables", "--most", "9223372036854775808").exit_code == 2
    assert run("tables", "--most", "10000").exit_code == 0


def test_postgresql_is_backed_up_by_its_own_tools() -> None:
    with pytest.raises(UsageError, match="pg_dump"):
        admin.sqlite_file("postgresql://localhost/house")


def test_a_house_moves_to_postgresql_and_back(store: Store, tmp_path: Path) -> None:
    record = StoredTable("moved", START, "friends", seated_visitors={0: "a" * 64}, changed=7)
    record.moves = [Ply("a", 5), Ply("b")]
    store.add(record)
    secret = store.secret()
    with postgres() as address, admin.opened(address) as there:
        admin.copy(store, there)
        moved = there.load("moved")
        assert moved == store.load("moved")
        assert there.secret() == secret
        with pytest.raises(UsageError, match="in use"):
            admin.copy(store, there)
        with admin.opened(f"sqlite:///{tmp_path / 'back.db'}") as back:
            admin.copy(there, back)
            assert back.load("moved") == moved
            wanted = sa.select(TABLES.c.created)
            with store.engine.connect() as first, back.engine.connect() as last:
                assert first.scalar(wanted) == last.scalar(wanted)


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_under_an_open_house_nothing_is_copied_or_brought_up_to_date(
    kind: str, tmp_path: Path, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = f"sqlite:///{tmp_path / 'other.db'}"
    with database_of(kind, tmp_path) as address:
        monkeypatch.setenv("GRIDHOUSE_DATABASE_URL", address)
        Store(address).close()
        with open_at(address):
            refused = run("copy", other)
            assert (refused.exit_code, refused.output.count("\n")) == (2, 1)
            assert "the house is open" in refused.output
            assert run("stats").exit_code == 0
            before = make_older(address)
            refused = run("stats")
            assert (refused.exit_code, refused.output.count("\n")) == (2, 1)
            assert "the house is open" in refused.output
            if kind == "postgresql":  # of an SQLite file there is one house at a time
                with pytest.raises(UnusableDatabaseError, match="the house is open"):
                    Store(address)
            assert version_of(address) == before
        assert run("copy", other).exit_code == 0
        assert version_of(address) != before


@contextmanager
def database_of(kind: str, folder: Path) -> Iterator[str]:
    """Yield the address of an empty database."""
    if kind == "sqlite":
        yield f"sqlite:///{folder / 'house.db'}"
    else:
        with postgres() as address:
            yield address


@contextmanager
def open_at(address: str) -> Iterator[None]:
    """Hold what an open house holds."""
    from gridhouse.server.storage.notifications import Notifications

    store = Store(address)
    heard = Notifications(store, print, print) if store.is_shared else None
    with serving(address):
        yield
    if heard is not None:
        heard.close()
    store.close()


def make_older(address: str) -> str:
    """Bring a database back to an older version, and return which one that is."""
    config = Config()
    config.set_main_option("script_location", MIGRATIONS)
    with sa.create_engine(address_of(address), poolclass=sa.NullPool).begin() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "-1")
    return version_of(address)


def version_of(address: str) -> str:
    with sa.create_engine(address_of(address), poolclass=sa.NullPool).connect() as connection:
        return str(connection.scalar(sa.text("SELECT version_num FROM alembic_version")))


def test_a_visitor_is_forgotten(client: TestClient, visitor: Visitor, store: Store) -> None:
    friend = Visitor(client)
    alone = visitor.new("sliding", opponent="hotseat")
    shared = visitor.new("binary", opponent="friends")
    with visitor.at(shared) as seat:
        friend.post(seat.view["invitation"])
    visitor.post("/me", {"name": "Ada", "picture": "1"})
    visitor.post("/me/link")
    assert "/privacy" in visitor.get("/").text
    told = visitor.get("/privacy").text
    for wanted in ("for 180 days", "180 days after its end", "language</strong>", "refuses you"):
        assert wanted in told
    assert "Forget me now" in visitor.get("/me").text
    assert visitor.post("/me/forget", origin="http://elsewhere.test").status_code == 403
    old = dict(visitor.cookies)
    answer = visitor.post("/me/forget")
    assert all(f"{name}=" in answer.headers["set-cookie"] for name in old)
    assert visitor.get(alone).status_code == 404
    assert "Ada" not in friend.get(shared).text
    with store.engine.connect() as connection:
        for rows in (VISITORS, LINKS):
            assert connection.execute(sa.select(rows)).all() == []
        sat = connection.scalars(sa.select(SEATS.c.visitor)).all()
    assert len(sat) == 2
    visitor.cookies = old
    assert "No games" in visitor.get("/games").text or shared not in visitor.get("/games").text
    with visitor.at(shared) as seat:
        assert "watching" in seat.refused("resign")
