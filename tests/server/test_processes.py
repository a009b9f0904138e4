"""Houses in processes of their own: killed at any moment, and several on one database."""

from __future__ import annotations

import asyncio
import queue
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
import sqlalchemy as sa
from websockets.exceptions import ConnectionClosed, InvalidMessage

import gridhouse
from browser_helpers import house_process
from gridhouse.server import clock
from gridhouse.server.clock import now
from gridhouse.server.evenings.pairing import FreePlayer, Pair
from gridhouse.server.evenings.storage import PLAYERS, Evening, EveningStore
from gridhouse.server.storage import notifications
from gridhouse.server.storage.notifications import Notifications
from gridhouse.server.storage.records import Change, Ply, StaleError, StoredTable
from gridhouse.server.storage.store import (
    PRESENCE,
    Store,
    UnusableDatabaseError,
    write,
)
from gridhouse.server.storage.store import TABLES as TABLE_ROWS
from gridhouse.server.storage.visitors import Profile, Visitors
from gridhouse.server.tables import service
from postgres_helpers import postgres
from web_helpers import Visitor, open_house, rows_of
from wire_helpers import PATIENCE, Caller

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from browser_helpers import Process

KILLS = 6
TABLES = 8


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    with postgres() as address:
        yield address


OPEN = {"tactego": "small"}  # boards that hide nothing, where the usual one does


class Crowd:
    """Somebody at every table who plays at random, as fast as the house lets them."""

    def __init__(self, house: Process) -> None:
        self.service = house
        self.seen: dict[str, list[Any]] = {}
        self.lost: list[str] = []  # tables that were not what they had been
        self.over = threading.Event()
        self.caller = Caller()
        games = ("binary", "sliding", "collapse", "tactego")
        for number in range(TABLES):
            name = games[number % len(games)]
            table = self.caller.new(
                house.address, name, opponent="hotseat", preset=OPEN.get(name, "")
            )
            self.seen[table] = []
        self.threads = [threading.Thread(target=self.play, args=[table]) for table in self.seen]

    def play(self, table: str) -> None:
        chance = random.Random(table)
        while not self.over.is_set():
            try:
                with self.caller.at(self.service.address, table) as place:
                    seen = self.seen[table]
                    if place.view["moves"][: len(seen)] != seen:
                        self.lost.append(table)
                    while not self.over.is_set() and place.view["gestures"]:
                        self.seen[table] = place.view["moves"]
                        place.move(chance.choice(place.view["gestures"])[0])
                        place.wait(place.view["ply"] + 1)
                        self.seen[table] = place.view["moves"]
                        time.sleep(0.05)
                    return
            except (OSError, ConnectionClosed, InvalidMessage, AssertionError):
                time.sleep(0.05)  # the house is dead just now, or died while it greeted


# A connection that dies with the house may leave its socket to the garbage collector.
@pytest.mark.slow("starts and kills houses")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_what_was_seen_is_there_however_often_the_house_is_killed(tmp_path: Path) -> None:
    with house_process(f"sqlite:///{tmp_path / 'house.db'}") as house:
        crowd = Crowd(house)
        chance = random.Random(5)
        try:
            for thread in crowd.threads:
                thread.start()
            for _ in range(KILLS):
                time.sleep(0.2 + 0.3 * chance.random())
                house.kill()
                house.start()
        finally:
            crowd.over.set()
        for thread in crowd.threads:
            thread.join()
        assert crowd.lost == []
        for table, seen in crowd.seen.items():
            _, text = crowd.caller.ask(house.address, f"{table}/record.txt")
            start, *lines = text.splitlines()
            state = gridhouse.parse(start)
            moves = [line.partition(": ") for line in lines if ": " in line]
            for name, _, move in moves:
                assert state.game.players[state.current_player()] == name
                state.play(move)  # what the rules forbid raises
            assert [[name, move] for name, _, move in moves][: len(seen)] == seen
        assert sum(map(len, crowd.seen.values())) > KILLS * TABLES


@pytest.fixture
def houses(database: str) -> Iterator[list[Process]]:
    with house_process(database) as first, house_process(database) as second:
        opened = [first, second]
        yield opened
        for house in opened:
            assert "Traceback" not in house.kill()


@pytest.mark.slow("starts and kills houses")
def test_two_processes_serve_one_table(houses: list[Process]) -> None:
    here, there = houses
    first, second = Caller(), Caller()
    table = first.new(here.address, "binary", opponent="friends", preset="small")
    with first.at(here.address, table) as mine:
        second.ask(there.address, mine.view["invitation"], {})
        with second.at(there.address, table) as theirs:
            chance = random.Random(1)
            places = [mine, theirs]
            ply = 0
            while not mine.view["over"]:
                mover = places[ply % 2]
                mover.move(chance.choice(mover.view["gestures"])[0])
                ply += 1
                if ply == 3:  # one process dies; the other goes on
                    mine.wait(ply)
                    there.kill()
                    there.start()
                    with second.at(there.address, table) as again:
                        assert again.view["moves"] == mine.view["moves"]
                        places[1] = again
                        again.move(chance.choice(again.view["gestures"])[0])
                        mine.wait(4)
                        break
                for place in places:
                    place.wait(ply)
            assert mine.view["ply"] == 4
    with second.at(there.address, table) as theirs, first.at(here.address, table) as mine:
        while not mine.view["over"]:
            mover = [mine, theirs][mine.view["ply"] % 2]
            mover.move(chance.choice(mover.view["gestures"])[0])
            after = mover.view["ply"] + 1
            mine.wait(after)
            theirs.wait(after)
        assert {**mine.view, "side": 0} == {**theirs.view, "side": 0, **own(mine.view)}


def own(view: dict[str, Any]) -> dict[str, Any]:
    """Return what each player is shown in a way of their own."""
    return {key: view[key] for key in ("undo", "redo", "present", "result")}


@pytest.mark.slow("starts and kills houses")
def test_the_machine_moves_once_however_many_processes_show_the_table(
    houses: list[Process],
) -> None:
    caller = Caller()
    table = caller.new(houses[0].address, "binary", opponent="machine", level="1", preset="small")
    with (
        caller.at(houses[0].address, table) as here,
        caller.at(houses[1].address, table) as there,
    ):
        for ply in (2, 4):
            here.move(here.view["gestures"][0][0])
            here.wait(ply)
            there.wait(ply)
            assert here.view["moves"] == there.view["moves"]
            assert here.view["ply"] == ply
            assert here.view["acts"]


@pytest.mark.slow("starts houses")
def test_clocks_start_again_only_when_no_process_was_there(database: str) -> None:
    store = Store(database)
    store.add(StoredTable("clock", "binary(rows=1,cols=2) ..", "hotseat", initial=60_000, since=1))
    with house_process(database):
        began = since(store)
        assert began > now() - 60_000
        with house_process(database):  # somebody serves the table already
            assert since(store) == began
    store.close()


def test_processes_have_the_time_of_the_database_they_share(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = now()
    hour = 3600 * 10**9
    monkeypatch.setattr(clock, "_began", clock.began() + hour)  # as on another machine
    with open_house(tmp_path, database=database):
        assert abs(now() - before) < clock.MINUTE


def since(store: Store) -> int:
    found = store.load("clock")
    assert found is not None
    assert found.since is not None
    return found.since


def test_what_one_visitor_does_twice_at_once_is_done(database: str) -> None:
    store = Store(database)
    visitors, evenings = Visitors(store.engine), EveningStore(store.engine)
    evening = Evening("e", "a", "E", "binary()", 180_000, 2000, True, 60_000)
    evenings.add(evening, 0)
    with ThreadPoolExecutor(6) as pool:
        for name in "abc":
            for work in (
                lambda _, who=name: visitors.set_profile(who, Profile(who)),
                lambda _, who=name: visitors.new_link(who),
                lambda _, who=name: evenings.join("e", who, 0),
            ):
                list(pool.map(work, range(6)))
    assert visitors.profile("c").name == "c"
    assert [player.visitor for player in evenings.players("e")] == ["a", "b", "c"]
    store.close()


class Ears:
    """Somebody who listens to the other processes, as a house does."""

    def __init__(self, database: str) -> None:
        self.store = Store(database)
        self.heard: queue.SimpleQueue[tuple[str, int]] = queue.SimpleQueue()
        self.missed = threading.Event()
        self.listening = Notifications(
            self.store, lambda *news: self.heard.put(news), self.missed.set
        )

    def close(self) -> None:
        self.listening.close()
        self.store.close()


@pytest.fixture
def ears(database: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ears]:
    monkeypatch.setattr(notifications, "PAUSE", 0.05)
    ears = Ears(database)
    yield ears
    ears.close()


def tell(database: str, *statements: str) -> None:
    """Carry out statements in a connection of one's own."""
    with psycopg.connect(database, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())


CUT = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"


def test_a_house_hears_the_others_after_a_restart_of_the_database(
    database: str, ears: Ears
) -> None:
    tell(database, f"{CUT} AND backend_type = 'client backend'")
    assert ears.missed.wait(PATIENCE)
    assert ears.listening.is_listening
    tell(database, "NOTIFY gridhouse, 'table 7'")
    assert ears.heard.get(timeout=PATIENCE) == ("table", 7)


def test_what_is_no_news_is_not_heard(database: str, ears: Ears) -> None:
    nonsense = ("foo bar", "", "foo", "foo -1", "a b 3", "t " + "9" * 5000)
    tell(database, *(f"NOTIFY gridhouse, '{news}'" for news in nonsense))
    tell(database, "NOTIFY gridhouse, 'table 8'")
    assert ears.heard.get(timeout=PATIENCE) == ("table", 8)


def test_a_house_hears_again_when_the_database_takes_writing_again(
    database: str, ears: Ears, caplog: pytest.LogCaptureFixture
) -> None:
    refused = threading.Event()
    dispose = ears.store.engine.dispose

    def refuse() -> None:
        refused.set()
        ears.store.engine.dispose = dispose  # type: ignore[method-assign]
        raise sa.exc.InternalError(None, None, OSError("it is read-only\nand more"))

    ears.store.engine.dispose = refuse  # type: ignore[method-assign, assignment]
    tell(database, f"{CUT} AND backend_type = 'client backend'")
    assert refused.wait(PATIENCE)
    assert ears.missed.wait(PATIENCE)
    assert ears.listening.is_listening
    assert caplog.messages[-1].endswith("cannot be heard: it is read-only")


def test_clocks_go_on_after_a_gap_of_the_connection(database: str, ears: Ears) -> None:
    ears.store.add(StoredTable("gap", "binary(rows=1,cols=2) ..", "hotseat", since=1))
    tell(database, f"{CUT} AND query LIKE 'LISTEN%'")
    assert ears.missed.wait(PATIENCE)
    found = ears.store.load("gap")
    assert found is not None
    assert found.since == 1


def test_a_house_closes_though_its_database_hangs(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notifications, "CLOSE_PATIENCE", 0.1)
    monkeypatch.setattr(notifications, "PAUSE", 0.0)
    hangs, goes_on = threading.Event(), threading.Event()
    ears = Ears(database)

    def hang(address: str, **_: object) -> None:
        assert address.endswith(f"?connect_timeout={notifications.CONNECT_PATIENCE}")
        hangs.set()
        goes_on.wait(PATIENCE)
        raise psycopg.OperationalError("it hangs")

    monkeypatch.setattr(psycopg, "connect", hang)
    ears.listening._connection.close()
    assert hangs.wait(PATIENCE)
    ears.listening.close()
    assert not goes_on.is_set()
    goes_on.set()
    ears.close()


def test_options_that_are_not_those_of_postgresql_are_refused(database: str) -> None:
    for option in ("prepare_threshold=0", "autocommit=1", "row_factory=x", "foo=bar"):
        with pytest.raises(UnusableDatabaseError, match="its URL cannot be read: invalid"):
            Store(f"{database}?{option}")


def test_a_database_that_another_process_has_to_itself_is_not_waited_for(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notifications, "LOCK_PATIENCE", 50)
    with psycopg.connect(database) as connection:
        connection.execute("SELECT pg_advisory_lock(%s)", [PRESENCE])
        with (
            closing(Store(database)) as store,
            pytest.raises(UnusableDatabaseError, match="to itself"),
        ):
            Notifications(store, print, print)


def test_a_house_that_does_not_hear_the_others_is_not_ready(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_house(tmp_path, database=database) as client:
        assert client.get("/readyz").status_code == 200
        with monkeypatch.context() as patch:
            patch.setattr(Notifications, "is_listening", False)
            answer = client.get("/readyz")
        assert (answer.status_code, answer.text) == (503, "the other processes are not heard\n")


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_a_database_that_cannot_keep_every_text_is_refused(database: str, encoding: str) -> None:
    name = encoding.lower()
    how = f"TEMPLATE template0 ENCODING '{encoding}' LC_COLLATE 'C' LC_CTYPE 'C'"
    tell(database, f"CREATE DATABASE {name} {how}")
    with pytest.raises(UnusableDatabaseError, match=f"its encoding is {encoding}; it should be"):
        Store(database.replace("/postgres", f"/{name}"))


def test_a_table_is_read_again_after_a_connection_that_died(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "REFRESH_PAUSE", 0.01)
    with open_house(tmp_path, database=database) as client:
        visitor = Visitor(client)
        table = visitor.new("binary", opponent="hotseat", preset="small")
        name = table.rpartition("/")[2]
        store = client.app.state.service.store  # type: ignore[attr-defined]
        with visitor.at(table) as seat:
            load, tries = store.load, [0]

            def fail_once(name: str, known: Sequence[Ply]) -> StoredTable | None:
                tries[0] += 1
                if tries[0] == 1:
                    raise sa.exc.OperationalError(None, None, OSError("it went away"))
                found: StoredTable | None = load(name, known)
                return found

            monkeypatch.setattr(store, "load", fail_once)
            with closing(Store(database)) as other:
                made = Change(name, 0, standing=0, added=Ply(seat.view["gestures"][0][0]))
                other.append(made).result()
            seat.wait("view", 1)
            assert tries[0] > 1


def test_a_table_that_changes_often_is_read_once_for_all_news(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_house(tmp_path, database=database) as client:
        service = client.app.state.service  # type: ignore[attr-defined]
        name = Visitor(client).new("binary", opponent="hotseat").rpartition("/")[2]
        loads: list[int] = []
        load = service.store.load

        def count(table: str, known: Sequence[Ply] = ()) -> StoredTable | None:
            found: StoredTable | None = load(table, known)
            loads.append(found.version if found else -1)
            return found

        async def change() -> None:
            live = await service.get(name)
            async with live.lock:  # its first reading waits
                for version in range(5):
                    await asyncio.wrap_future(service.store.append(Change(name, version)))
                    service._heard(name, version + 1)
            await asyncio.gather(*service._background_tasks)
            assert live.table.version == 5
            service._heard(name, 5)
            assert not service._background_tasks

        monkeypatch.setattr(service.store, "load", count)
        assert client.portal is not None
        client.portal.call(change)
    assert loads[-1] == 5
    assert len(loads) == 2  # one to open it


def test_postgresql_keeps_what_sqlite_keeps(database: str) -> None:
    store = Store(database)
    assert store.secret() == store.secret()
    store.add(
        StoredTable(
            "t", "binary(rows=1,cols=2) ..", "friends", seated_visitors={0: "a"}, listed=True
        )
    )
    seat = store.append(Change("t", 0, seat=(1, "b")))
    move = store.append(Change("t", 1, standing=0, added=Ply("0 0 1", 7)))
    late = store.append(Change("t", 1, standing=0, added=Ply("0 0 0", 7)))
    assert (seat.result(), move.result()) == (None, None)
    with pytest.raises(StaleError):
        late.result()
    ((listed, made),) = store.list_public(10, 0)
    found = store.load("t")
    assert found is not None
    assert (replace(listed, moves=found.moves), made) == (found, 1)
    assert (found.seated_visitors, found.moves) == ({0: "a", 1: "b"}, [Ply("0 0 1", 7)])
    with store.engine.connect() as connection:
        assert connection.scalar(sa.text("SELECT count(*) FROM moves WHERE table_id = 't'")) == 1
    store.close()


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_taking_back_writes_only_the_moves_that_change(
    kind: str, database: str, tmp_path: Path
) -> None:
    store = Store(database if kind == "postgresql" else f"sqlite:///{tmp_path / 'house.db'}")
    plies = [Ply(f"0 0 {number}") for number in range(5)]
    store.add(StoredTable("undo", "binary(rows=1,cols=2) ..", "hotseat", moves=plies))
    written = rows_of(store, "UPDATE moves")
    for version, standing in enumerate((4, 2, 3)):
        store.append(Change("undo", version, standing=standing)).result()
    found = store.load("undo")
    assert found is not None
    assert (found.moves, found.undone) == (plies[:3], plies[3:])
    assert written == [1, 2, 1]
    store.close()


def test_known_moves_are_not_read_again_while_they_stand(database: str) -> None:
    store = Store(database)
    plies = [Ply(f"ä {number}", number) for number in range(5)]
    store.add(StoredTable("known", "binary(rows=1,cols=2) ..", "hotseat", moves=plies))
    read = rows_of(store, "SELECT moves")
    others = [Ply("ä 4", 5)]
    for known, rows in ((plies, 0), (plies[:3], 2), (others, 5), (plies + others, 5), ([], 5)):
        found = store.load("known", known)
        assert found is not None
        assert (found.moves, found.undone, read.pop()) == (plies, [], rows)
    store.append(Change("known", 0, standing=3)).result()
    for known, rows in ((plies, 5), (plies[:3], 2)):
        found = store.load("known", known)
        assert found is not None
        assert (found.moves, found.undone, read.pop()) == (plies[:3], plies[3:], rows)
    store.close()


def waits_for(store: Store, column: sa.Column[str], value: str, work: Callable[[], object]) -> None:
    """Do work that waits for the rows of a value; meanwhile it has to leave all others free."""
    waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted"
    with ThreadPoolExecutor(1) as pool:
        with store.engine.begin() as connection:
            wanted = sa.select(column).where(column == value)
            connection.execute(wanted.with_for_update()).all()
            done = pool.submit(work)
            deadline = time.monotonic() + PATIENCE
            while not connection.exec_driver_sql(waiting).scalar():
                assert time.monotonic() < deadline, "nobody waits"
                time.sleep(0.01)
            others = sa.select(column).where(column != value)
            with store.engine.begin() as other:  # it raises an error if any of them is taken
                other.execute(others.with_for_update(nowait=True)).all()
        done.result()


def test_processes_take_tables_and_players_in_one_order(database: str) -> None:
    with closing(Store(database)) as store:
        evenings = EveningStore(store.engine)
        evening = Evening("order", "a", "E", "binary()", 180_000, 2000, True, 60_000)
        evenings.add(evening, 0)
        for name in "ba":  # the rows lie in this order
            store.add(StoredTable(f"order {name}", "binary(rows=1,cols=2) ..", "hotseat"))
            evenings.join("order", name, 0)

        def change() -> None:
            with store.engine.begin() as connection:
                write(connection, [Change("order b", 0), Change("order a", 0)])

        def begin() -> None:
            seats = {0: "b", 1: "a"}
            record = StoredTable(
                "order c", "binary()", "friends", seated_visitors=seats, evening="order"
            )
            assert evenings.begin(record, Pair(FreePlayer("b"), FreePlayer("a")))

        def end() -> None:
            evenings.end("order", "order c", {"b": 2, "a": 0}, 9)

        waits_for(store, TABLE_ROWS.c.id, "order a", change)
        seen = partial(evenings.note_seen, "order", ["b", "a"], 7)
        for work in (seen, begin, end):
            waits_for(store, PLAYERS.c.visitor, "a", work)
        assert [one.points for one in evenings.players("order")] == [2, 0]


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_many_changes_at_once_are_kept_but_for_the_stale_one(
    kind: str, database: str, tmp_path: Path
) -> None:
    store = Store(database if kind == "postgresql" else f"sqlite:///{tmp_path / 'house.db'}")
    names = [f"many{number}" for number in range(30)]
    for name in names:
        store.add(
            StoredTable(name, "binary(rows=1,cols=2) ..", "hotseat", seated_visitors={0: "a"})
        )
    changes = [Change(name, 0, standing=0, added=Ply("0 0 1")) for name in names]
    changes[17] = changes[17]._replace(version=5)
    changes.append(Change(names[0], 1, ended="resigned 0"))  # after the first one
    promises = [store.append(change) for change in changes]
    failed = [at for at, promise in enumerate(promises) if promise.exception() is not None]
    assert failed == [17]
    assert isinstance(promises[17].exception(), StaleError)
    kept = [store.load(name) for name in names]
    assert [record is not None and len(record.moves) for record in kept] == [
        int(name != names[17]) for name in names
    ]
    assert kept[0] is not None
    assert (kept[0].ended, kept[0].version) == ("resigned 0", 2)
    store.close()
