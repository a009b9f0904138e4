"""What keeps a house in order: tables that go, people who are refused, and data to be forgotten.

`gridhouse admin` uses this beside a running house; the house itself looks every few seconds at what
was changed, and removes once a day what nobody has touched for long.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
import secrets
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse

from gridhouse.server.daily.leaderboard import RESULTS
from gridhouse.server.evenings.storage import EVENINGS, PLAYERS
from gridhouse.server.storage.store import FACTS, MOVES, SEATS, SECRET, TABLES, metadata
from gridhouse.server.storage.visitors import LINKS, VISITORS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, MutableMapping

    from starlette.types import ASGIApp, Receive, Scope, Send

    from gridhouse.server.storage.store import Store
    from gridhouse.server.tables.service import TableService

log = logging.getLogger("gridhouse.server")
BLOCKS = sa.Table(
    "blocks",
    metadata,
    sa.Column("who", sa.String(64), primary_key=True),
    sa.Column("since", sa.DateTime(timezone=True), nullable=False),
)
GLANCE = 2.0  # seconds between two looks at what was changed
DAY = 24 * 3600.0
AT_ONCE = 200  # tables that one transaction removes, so that moves need not wait for long
ID_LENGTH = 64  # characters of a visitor's id


def blocks(connection: sa.Connection) -> list[tuple[str, datetime]]:
    """Return who is blocked since when."""
    return [(row.who, row.since) for row in connection.execute(sa.select(BLOCKS))]


def block(connection: sa.Connection, who: str) -> bool:
    """Block an address, a network or a visitor; return False if that was so already."""
    is_new = not unblock(connection, who)
    connection.execute(BLOCKS.insert().values(who=who, since=datetime.now(UTC)))
    return is_new


def unblock(connection: sa.Connection, who: str) -> bool:
    """Block somebody no longer; return False if nobody of this kind was blocked."""
    return bool(connection.execute(BLOCKS.delete().where(BLOCKS.c.who == who)).rowcount)


def unlist(connection: sa.Connection, table: str) -> bool:
    """Take a table from the lobby; return False if it was not there."""
    there = (TABLES.c.id == table) & TABLES.c.listed
    return bool(connection.execute(TABLES.update().where(there).values(listed=False)).rowcount)


def remove(connection: sa.Connection, tables: Collection[str]) -> int:
    """Remove tables with their seats and moves; return how many there were."""
    left = PLAYERS.update().where(PLAYERS.c.table_id.in_(tables))
    connection.execute(left.values(table_id=None))
    for rows in (MOVES, SEATS):
        connection.execute(rows.delete().where(rows.c.table_id.in_(tables)))
    return connection.execute(TABLES.delete().where(TABLES.c.id.in_(tables))).rowcount


def prune(engine: sa.Engine, days: int) -> int:
    """Remove the unfinished tables that nobody has touched for so many days; return how many."""
    limit = datetime.now(UTC) - timedelta(days=days)
    # Tables of the first versions have no time of their last change.
    is_old = (TABLES.c.changed < int(limit.timestamp() * 1000)) & (TABLES.c.created < limit)
    chosen = sa.select(TABLES.c.id).where(TABLES.c.ended.is_(None) & is_old).limit(AT_ONCE)
    count = 0
    while True:
        # SQLite refuses to write in a transaction that has read, if another has written meanwhile.
        with engine.connect() as connection:
            found = connection.scalars(chosen).all()
        if not found:
            return count
        with engine.begin() as connection:
            count += remove(connection, found)


def new_secret(connection: sa.Connection) -> None:
    """Replace the secret that signs cookies and invitations: all of them become void."""
    known = FACTS.update().where(FACTS.c.name == SECRET)
    connection.execute(known.values(value=secrets.token_urlsafe(32)))


def forget(engine: sa.Engine, visitor: str) -> str:
    """Remove what is kept of a visitor; return the id that stands for them in the games of others.

    Tables at which nobody else sits go. At those of others the seat stays, and nobody has it.
    """
    nobody = secrets.token_hex(ID_LENGTH // 2)
    own = sa.select(SEATS.c.table_id).where(SEATS.c.visitor == visitor)
    shared = sa.select(SEATS.c.table_id).where(SEATS.c.visitor != visitor)
    with engine.begin() as connection:
        for rows in (VISITORS, LINKS, RESULTS):
            connection.execute(rows.delete().where(rows.c.visitor == visitor))
        alone = sa.select(TABLES.c.id).where(TABLES.c.id.in_(own), TABLES.c.id.not_in(shared))
        remove(connection, connection.scalars(alone).all())
        for column in (SEATS.c.visitor, PLAYERS.c.visitor, PLAYERS.c.opponent, EVENINGS.c.host):
            change = sa.update(column.table).where(column == visitor)
            connection.execute(change.values({column.name: nobody}))
    return nobody


class Refused:
    """Who is refused: visitors by their ids, and networks."""

    def __init__(self) -> None:
        """Start with nobody."""
        self.visitors: set[str] = set()
        self.networks: list[ipaddress.IPv4Network | ipaddress.IPv6Network] = []

    def read(self, names: Collection[str]) -> None:
        """Take over who is blocked."""
        self.visitors = {name for name in names if len(name) == ID_LENGTH}
        self.networks = [ipaddress.ip_network(name) for name in {*names} - self.visitors]

    def holds(self, scope: Scope) -> bool:
        """Tell whether the sender of a request is refused."""
        if self.networks and scope.get("client"):
            with contextlib.suppress(ValueError):
                address = ipaddress.ip_address(scope["client"][0])
                if any(address in network for network in self.networks):
                    return True
        if not self.visitors:
            return False
        sent = HTTPConnection(scope)
        visitor = scope["app"].state.auth.authenticate(sent.headers, sent.cookies)
        return visitor in self.visitors


class Refusals:
    """Middleware that refuses whoever is blocked, also on sockets that are open already."""

    def __init__(self, app: ASGIApp, refused: Refused) -> None:
        """Wrap an application."""
        self.app = app
        self.refused = refused

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""

        async def receive_unless_refused() -> MutableMapping[str, Any]:
            message = await receive()
            if scope["type"] == "websocket" and self.refused.holds(scope):
                await send({"type": "websocket.close", "code": 1008})
                return {"type": "websocket.disconnect", "code": 1008}
            return message

        if scope["type"] == "http" and self.refused.holds(scope):
            answer = PlainTextResponse("This house does not serve you.\n", 403)
            await answer(scope, receive, send)
        else:
            await self.app(scope, receive_unless_refused, send)


class Keeper:
    """Looks at what was changed beside the house, and prunes once a day."""

    def __init__(
        self, service: TableService, refused: Refused, renewed: Callable[[str], None]
    ) -> None:
        """Start; ``renewed`` is called with a new secret."""
        self._service = service
        self._refused = refused
        self._renewed = renewed
        self._secret = service.store.secret()
        self._pruned = 0.0
        self._task = asyncio.create_task(self._run())

    def close(self) -> None:
        """Stop."""
        self._task.cancel()

    async def _run(self) -> None:
        while True:
            try:
                await self.look()
            except Exception:  # else blocks would have no effect until the next start
                log.exception("the house could not look at what was changed")
            await asyncio.sleep(GLANCE)

    async def look(self) -> None:
        """Take over what was changed."""
        store, days = self._service.store, self._service.settings.prune_days
        if store.unwritten:
            await asyncio.to_thread(store.try_to_write)
        known = self._service.in_memory()
        names, secret, there = await asyncio.to_thread(self._read, store, known)
        self._refused.read(names)
        if secret != self._secret:
            self._secret = secret
            self._renewed(secret)
            self._service.hang_up()
        for table in known - there:
            self._service.drop(table)
        if days and (not self._pruned or time.monotonic() - self._pruned > DAY):
            self._pruned = time.monotonic()
            await asyncio.to_thread(prune, store.engine, days)

    def _read(self, store: Store, tables: set[str]) -> tuple[list[str], str, set[str]]:
        """Return who is blocked, the secret, and which of the tables are still there."""
        with store.engine.connect() as connection:
            names = [who for who, _ in blocks(connection)]
            found = connection.scalars(sa.select(TABLES.c.id).where(TABLES.c.id.in_(tables)))
            there = set(found)
            secret = str(connection.scalar(sa.select(FACTS.c.value).where(FACTS.c.name == SECRET)))
        return names, secret, there
