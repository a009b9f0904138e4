"""What SECURITY.md says of names, invitations, blocked addresses, links and backups."""

from __future__ import annotations

import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from markupsafe import escape
from starlette.websockets import WebSocketDisconnect

from gridhouse.server import admin, upkeep
from gridhouse.server.storage.records import Change, Ply, StoredTable
from gridhouse.server.storage.store import Store, create_private
from web_helpers import Visitor, open_house
from window_helpers import wait_for

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.testclient import TestClient
    from starlette.types import Scope

HOSTILE = '"><img src=x onerror=a()>'
HELD = 2.0  # seconds for which a backup is held up


def test_a_hostile_name_is_text_on_every_page_that_shows_it(client: TestClient) -> None:
    anna, bert = Visitor(client), Visitor(client)
    for visitor in (anna, bert):
        visitor.post("/me", {"name": HOSTILE})
    table = anna.new("binary", opponent="friends", listed="on")
    with anna.at(table) as seat:
        invitation = seat.view["invitation"]
    pages = [bert.get("/lobby"), bert.get(invitation)]
    bert.post(invitation)
    with anna.at(table) as seat:
        seat.move(seat.view["gestures"][0][0])
    form = {"name": HOSTILE, "board": "binary small", "clock": "3+2", "minutes": "30"}
    evening = anna.post("/evenings", form | {"listed": "on"}).headers["location"]
    anna.post(f"{evening}/join", {"name": HOSTILE})
    pages += [bert.get(path) for path in (table, "/games", "/me", "/evenings", evening)]
    for page in pages:
        assert HOSTILE[2:] not in page.text, page.url
        assert str(escape(HOSTILE)) in page.text, page.url


def test_a_changed_invitation_and_that_of_another_table_give_no_seat(client: TestClient) -> None:
    anna, carl = Visitor(client), Visitor(client)
    links = []
    for _ in range(2):
        table = anna.new("binary", opponent="friends")
        with anna.at(table) as seat:
            links.append(seat.view["invitation"].rpartition("/")[2])
    changed = ("x" if links[1][0] != "x" else "y") + links[1][1:]
    for link in (links[0], changed, links[1][:-1], ""):
        assert carl.get(f"{table}/join/{link}").status_code == 404
        assert carl.post(f"{table}/join/{link}").status_code == 404
    assert carl.post(f"{table}/join/{links[1]}").status_code == 303


def test_a_blocked_address_is_refused_by_an_open_house(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "GLANCE", 0.05)
    look, looks = upkeep.Keeper.look, []

    async def counted_look(keeper: upkeep.Keeper) -> None:
        looks.append(keeper)
        await look(keeper)

    monkeypatch.setattr(upkeep.Keeper, "look", counted_look)
    with open_house(tmp_path, "203.0.113.9") as client:
        visitor = Visitor(client)
        with visitor.at(visitor.new("sliding")) as seat:
            before = len(looks)
            wait_for(lambda: len(looks) > before + 1, "a whole look at the page")
            store = client.app.state.service.store  # type: ignore[attr-defined]
            with store.engine.begin() as connection:
                upkeep.block(connection, admin.who_is(store, "203.0.113.0/24"))
            wait_for(lambda: visitor.get("/").status_code == 403, "the refusal")
            assert visitor.get("/readyz").status_code == 403
            with pytest.raises(WebSocketDisconnect):
                seat.listen()


def test_a_page_that_opens_while_its_address_is_blocked_is_hung_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "GLANCE", 0.05)
    holds, asked = upkeep.Refused.holds, []

    def holds_later(refused: upkeep.Refused, scope: Scope) -> bool:
        asked.append(scope)
        return len(asked) > 1 and holds(refused, scope)

    with open_house(tmp_path, "203.0.113.9") as client:
        visitor = Visitor(client)
        table = visitor.new("sliding")
        store = client.app.state.service.store  # type: ignore[attr-defined]
        with store.engine.begin() as connection:
            upkeep.block(connection, "203.0.113.9/32")
        wait_for(lambda: visitor.get("/").status_code == 403, "the refusal")
        monkeypatch.setattr(upkeep.Refused, "holds", holds_later)
        with visitor.at(table) as seat, pytest.raises(WebSocketDisconnect):
            seat.listen()


def test_who_is_blocked_while_waiting_for_news_hears_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "GLANCE", 0.05)
    with open_house(tmp_path, "203.0.113.9") as client, ThreadPoolExecutor() as pool:
        visitor = Visitor(client)
        table = visitor.new("sliding").removeprefix("/t/")
        service = client.app.state.service  # type: ignore[attr-defined]
        waiting = pool.submit(client.get, f"/api/tables/{table}?wait=30&after=0")
        wait_for(lambda: table in service._live and service._live[table].subscribers, "the wait")
        with service.store.engine.begin() as connection:
            upkeep.block(connection, "203.0.113.9/32")
        wait_for(lambda: client.get("/healthz").status_code == 403, "the refusal")
        assert client.portal is not None
        client.portal.call(service._live[table].changed)
        answer = waiting.result()
        assert (answer.status_code, "position" in answer.text) == (403, False)


def test_moves_do_not_wait_for_a_backup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:

    def create_and_hold(file: Path) -> None:
        """Keep the backup from being written, when it has begun to read."""
        create_private(file)
        holder = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
        holder.execute("BEGIN EXCLUSIVE")
        threading.Timer(HELD, holder.close).start()

    monkeypatch.setattr(admin, "create_private", create_and_hold)
    url, saved = f"sqlite:///{tmp_path / 'house.db'}", tmp_path / "saved.db"
    store = Store(url)
    store.add(StoredTable("busy", "sliding(rows=2,cols=2) ABC_", "hotseat"))
    backup = threading.Thread(target=admin.backup, args=(url, saved))
    backup.start()
    slowest, made = 0.0, 0
    while backup.is_alive():
        began = time.monotonic()
        store.append(Change("busy", made, standing=made, added=Ply("a"))).result()
        slowest, made = max(slowest, time.monotonic() - began), made + 1
    store.close()
    assert slowest < HELD / 2
    with admin.opened(f"sqlite:///{saved}") as kept:
        record = kept.load("busy")
    assert record is not None
    assert len(record.moves) < made


def test_the_disk_has_what_an_open_house_has_written(client: TestClient) -> None:
    store = client.app.state.service.store  # type: ignore[attr-defined]
    with store.engine.connect() as connection:
        settings = [
            connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("synchronous", "journal_mode")
        ]
    assert settings == [2, "wal"]  # 2 is FULL: a power cut takes nothing that was written


def test_no_link_is_in_the_database_or_a_backup(client: TestClient, tmp_path: Path) -> None:
    anna = Visitor(client)
    anna.new("binary", opponent="friends")
    page = anna.post("/me/link").text
    link = page.partition("/me/link/")[2].partition('"')[0]
    assert len(link) > 20
    admin.backup(f"sqlite:///{tmp_path / 'house.db'}", tmp_path / "saved.db")
    kept = b"".join(file.read_bytes() for file in tmp_path.glob("*.db*"))
    assert b"binary(rows=5,cols=5)" in kept
    for secret in (link, anna.token.partition(".")[0]):
        assert secret.encode() not in kept
