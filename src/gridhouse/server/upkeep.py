"""What keeps a house in order: tables that go, people who are refused, and data to be forgotten.

`gridhouse admin` uses this beside a running house; the house itself looks every few seconds at what
was changed, and removes once a day what nobody has touched for long.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import secrets
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse

from gridhouse.server import clock
from gridhouse.server.budgets import refuse
from gridhouse.server.daily.leaderboard import RESULTS
from gridhouse.server.evenings.storage import EVENINGS, PLAYERS
from gridhouse.server.network import read_address, read_network
from gridhouse.server.settings import EVENING_MINUTES
from gridhouse.server.storage.store import (
    FACTS,
    MOVES,
    SEATS,
    SECRET,
    TABLES,
    is_secret,
    made_secret,
    metadata,
    writing,
)
from gridhouse.server.storage.visitors import LINKS, VISITORS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, MutableMapping, Sequence
    from ipaddress import IPv4Network, IPv6Network

    from starlette.types import ASGIApp, Receive, Scope, Send

    from gridhouse.server.storage.store import Store
    from gridhouse.server.tables.live_table import Page
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
HOUR = 3600.0
COLLECT_EVERY = 300.0  # seconds between two full collections of garbage
PRUNE_AGAIN = 600.0  # seconds until the next attempt after one that failed
# What one transaction removes, so that moves need not wait for long: tables or evenings, and moves
# unless one table has more; ten thousand take some 20 milliseconds.
AT_ONCE = 200
MOVES_AT_ONCE = 2000
BREATH = 0.02  # seconds between two of these transactions, in which others write
ID_LENGTH = 64  # characters of a visitor's id
REFUSAL = PlainTextResponse("This house does not serve you.\n", 403, {"connection": "close"})


def blocks(connection: sa.Connection) -> list[tuple[str, datetime | None]]:
    """Return who is blocked since when, None where that cannot be read."""
    found: list[tuple[str, datetime | None]] = []
    for who in connection.scalars(sa.select(BLOCKS.c.who)).all():
        since = None
        with contextlib.suppress(TypeError, ValueError):
            since = connection.scalar(sa.select(BLOCKS.c.since).where(BLOCKS.c.who == who))
        found.append((who, since))
    return found


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


def remove_in_pieces(
    engine: sa.Engine, tables: Sequence[str], still: sa.ColumnElement[bool]
) -> int:
    """Remove tables, in several transactions if they have many moves; return how many there were.

    Those for which ``still`` does not hold any more, as they were played on meanwhile, stay.
    """
    count = size = 0
    waiting: list[str] = []
    for table in tables:
        with engine.connect() as connection:
            made = sa.select(sa.func.count()).where(MOVES.c.table_id == table)
            size += connection.scalar(made) or 0
        waiting.append(table)
        if size >= MOVES_AT_ONCE or len(waiting) == AT_ONCE or table == tables[-1]:
            those = sa.select(TABLES.c.id).where(TABLES.c.id.in_(waiting))
            with writing(engine) as connection:
                # Whoever moves at one of them has done it before, or finds that it is gone.
                connection.execute(those.order_by(TABLES.c.id).with_for_update()).all()
                count += remove(connection, connection.scalars(those.where(still)).all())
            time.sleep(BREATH)
            size, waiting = 0, []
    return count


def remove_evenings(connection: sa.Connection, evenings: Collection[str]) -> int:
    """Remove evenings with their players; return how many there were."""
    connection.execute(PLAYERS.delete().where(PLAYERS.c.evening.in_(evenings)))
    played = TABLES.update().where(TABLES.c.evening.in_(evenings))
    connection.execute(played.values(evening=None))  # their pages would lead to nothing
    return connection.execute(EVENINGS.delete().where(EVENINGS.c.id.in_(evenings))).rowcount


def end_evening(connection: sa.Connection, evening: str) -> bool:
    """Begin no more games of an evening; return False if it was not going on.

    The house may have another time than this process, but no evening of it is longer than the
    longest: what is as long before its end is past there as well.
    """
    now, longest = clock.now(), EVENING_MINUTES[-1] * clock.MINUTE
    going_on = (EVENINGS.c.id == evening) & (EVENINGS.c.ends > now - longest)
    ends = sa.case((EVENINGS.c.ends < now, EVENINGS.c.ends), else_=now) - longest
    return bool(connection.execute(EVENINGS.update().where(going_on).values(ends=ends)).rowcount)


def prune(engine: sa.Engine, days: int) -> int:
    """Remove what is older than so many days; return how much.

    These are the unfinished tables that nobody has touched since, and the evenings that are over.
    """
    limit = datetime.now(UTC) - timedelta(days=days)
    moment = int(limit.timestamp() * 1000)
    # Tables of the first versions have no time of their last change.
    is_old = (TABLES.c.changed < moment) & (TABLES.c.created < limit)
    is_left = TABLES.c.ended.is_(None) & is_old
    left = sa.select(TABLES.c.id).where(is_left)
    over = sa.select(EVENINGS.c.id).where(EVENINGS.c.ends < moment)
    count = 0
    # SQLite refuses to write in a transaction that has read, if another has written since.
    while found := _some(engine, left):
        count += remove_in_pieces(engine, found, is_left)
    while found := _some(engine, over):
        with engine.begin() as connection:
            count += remove_evenings(connection, found)
    return count


def _some(engine: sa.Engine, chosen: sa.Select[Any]) -> Sequence[str]:
    """Return the first of what is chosen."""
    with engine.connect() as connection:
        return connection.scalars(chosen.limit(AT_ONCE)).all()


def new_secret(connection: sa.Connection) -> None:
    """Replace the secret that signs cookies and invitations: all of them become void."""
    connection.execute(FACTS.delete().where(FACTS.c.name == SECRET))
    connection.execute(FACTS.insert().values(name=SECRET, value=made_secret()))


def forget(engine: sa.Engine, visitor: str) -> str:
    """Remove what is kept of a visitor; return the id that stands for them in the games of others.

    Tables at which nobody else sits go. At those of others the seat stays, and nobody has it.
    """
    nobody = secrets.token_hex(ID_LENGTH // 2)
    own = sa.select(SEATS.c.table_id).where(SEATS.c.visitor == visitor)
    shared = sa.select(SEATS.c.table_id).where(SEATS.c.visitor != visitor)
    is_alone = TABLES.c.id.in_(own) & TABLES.c.id.not_in(shared)
    alone = sa.select(TABLES.c.id).where(is_alone)
    with engine.connect() as connection:
        found = connection.scalars(alone).all()
    remove_in_pieces(engine, found, is_alone)
    with engine.begin() as connection:
        for rows in (VISITORS, LINKS, RESULTS):
            connection.execute(rows.delete().where(rows.c.visitor == visitor))
        # Those that were opened meanwhile.
        remove(connection, connection.scalars(alone).all())
        for column in (SEATS.c.visitor, PLAYERS.c.visitor, PLAYERS.c.opponent, EVENINGS.c.host):
            change = sa.update(column.table).where(column == visitor)
            connection.execute(change.values({column.name: nobody}))
    return nobody


class Refused:
    """Who is refused: visitors by their ids, and networks."""

    def __init__(self) -> None:
        """Start with nobody."""
        self.names: frozenset[str] = frozenset()
        self.visitors: set[str] = set()
        self.networks: list[IPv4Network | IPv6Network] = []

    def read(self, names: Collection[str]) -> bool:
        """Take over who is blocked; return False if that has not changed."""
        if self.names == frozenset(names):
            return False
        self.names = frozenset(names)
        self.visitors = {name for name in self.names if len(name) == ID_LENGTH}
        self.networks = []
        for name in self.names - self.visitors:
            try:
                self.networks.append(read_network(name))
            except ValueError:  # the others are refused all the same
                log.warning("%r is blocked, which is neither a network nor a visitor", name)
        return True

    def holds(self, scope: Scope) -> bool:
        """Tell whether the sender of a request is refused."""
        if self.networks and scope.get("client"):
            with contextlib.suppress(ValueError):
                address = read_address(scope["client"][0])
                if any(address in network for network in self.networks):
                    return True
        if not self.visitors:
            return False
        sent = scope["app"].state.auth.visitors(HTTPConnection(scope))
        return not self.visitors.isdisjoint(sent)


class Refusals:
    """Middleware that refuses whoever is blocked; the Keeper hangs up their open sockets."""

    def __init__(self, app: ASGIApp, refused: Refused) -> None:
        """Wrap an application."""
        self.app = app
        self.refused = refused

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "lifespan" and self.refused.holds(scope):
            await refuse(REFUSAL, scope, receive, send)
        elif scope["type"] == "http":
            await self._answer(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, unless its sender is blocked before the answer."""
        before, is_refused = self.refused.names, False

        async def send_unless_refused(message: MutableMapping[str, Any]) -> None:
            nonlocal is_refused
            if message["type"] == "http.response.start" and self.refused.names is not before:
                is_refused = self.refused.holds(scope)
                if is_refused:
                    await REFUSAL(scope, receive, send)
            if not is_refused:
                await send(message)

        await self.app(scope, receive, send_unless_refused)


def _clock_ahead() -> float:
    """Return the seconds since 1970 by the machine's clock, less the seconds that only pass."""
    # Those for which the machine slept have passed as well.  Where no clock tells them, nothing is
    # pruned for a day after a long sleep.
    boot = getattr(time, "CLOCK_BOOTTIME", None)
    return time.time() - (time.monotonic() if boot is None else time.clock_gettime(boot))


class Keeper:
    """Looks at what was changed beside the house, and prunes once a day, first after an hour."""

    def __init__(
        self, service: TableService, refused: Refused, renewed: Callable[[str], None]
    ) -> None:
        """Start; ``renewed`` is called with a new secret."""
        self._service = service
        self._refused = refused
        self._renewed = renewed
        self._secret: object = service.store.secret()  # what the database had at the last look
        # A machine may learn the time only after its start; what is not old yet would be gone.
        self._prune_at = time.monotonic() + HOUR
        self._clock = _clock_ahead()
        self._collect_at = time.monotonic() + COLLECT_EVERY
        self._pages: set[Page] = set()  # that were open at the last look
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
        """Take over what was changed, and collect garbage from time to time."""
        if time.monotonic() >= self._collect_at:
            # What has waited in cycles for a connection or a search to end is old garbage.
            self._collect_at = time.monotonic() + COLLECT_EVERY
            gc.collect()
        store, days = self._service.store, self._service.settings.prune_days
        if store.unwritten:
            await asyncio.to_thread(store.try_to_write)
        known = self._service.in_memory()
        names, secret, there = await asyncio.to_thread(self._read, store, known)
        is_changed = self._refused.read(names)
        if secret != self._secret:
            self._secret = secret
            if is_secret(secret):
                self._renewed(secret)
                self._service.hang_up()
            else:
                log.error("the secret in the database is damaged; the house keeps the one before")
        for table in known - there:
            self._service.drop(table)
        self._hang_up(every=is_changed)
        if days and time.monotonic() >= self._prune_at:
            ahead = _clock_ahead()
            if abs(ahead - self._clock) > HOUR:
                log.warning("the machine's clock was set: nothing is pruned for a day")
                self._clock, self._prune_at = ahead, time.monotonic() + DAY
                return
            self._prune_at = time.monotonic() + PRUNE_AGAIN
            await asyncio.to_thread(prune, store.engine, days)
            self._prune_at = time.monotonic() + DAY

    def _hang_up(self, *, every: bool) -> None:
        """Close the connections of refused pages: of every page, or only those opened lately."""
        pages = self._service.pages()
        for page in pages if every else pages - self._pages:
            if self._refused.holds(page.socket.scope):
                page.hang_up(again=False)
        self._pages = pages

    def _read(self, store: Store, tables: set[str]) -> tuple[list[str], object, set[str]]:
        """Return who is blocked, the secret, and which of the tables are still there."""
        with store.engine.connect() as connection:
            names = list(connection.scalars(sa.select(BLOCKS.c.who)))
            found = connection.scalars(sa.select(TABLES.c.id).where(TABLES.c.id.in_(tables)))
            there = set(found)
            secret = connection.scalar(sa.select(FACTS.c.value).where(FACTS.c.name == SECRET))
        return names, secret, there
