"""Houses in processes of their own: killed at any moment, and several on one database."""

from __future__ import annotations

import random
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa
from websockets.exceptions import ConnectionClosed, InvalidMessage

import gridhouse
from browser_helpers import house_process
from gridhouse.server import clock
from gridhouse.server.clock import now
from gridhouse.server.storage.records import Change, Ply, StaleError, StoredTable
from gridhouse.server.storage.store import Store
from postgres_helpers import postgres
from web_helpers import open_house
from wire_helpers import Caller

if TYPE_CHECKING:
    from collections.abc import Iterator
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
