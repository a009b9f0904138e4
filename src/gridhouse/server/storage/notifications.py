"""Notifications between server processes on one PostgreSQL database."""

from __future__ import annotations

import logging
import re
import threading
from typing import TYPE_CHECKING

import psycopg
from sqlalchemy.exc import SQLAlchemyError

from gridhouse.server.storage.store import (
    CHANNEL,
    PRESENCE,
    UnusableDatabaseError,
    plain_url,
    reason_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from gridhouse.server.storage.store import Store

log = logging.getLogger("gridhouse.server")
GLANCE = 0.2  # seconds between two checks whether the server is closing
CONNECT_PATIENCE = 5  # seconds for which a database may take a connection up
CLOSE_PATIENCE = 2.0  # seconds for which closing waits for an attempt to reconnect
PAUSE = 1.0  # seconds before the next attempt to reconnect
LOCK_PATIENCE = 2000  # milliseconds for which another process may have the database to itself
NEWS = re.compile(r"(\S+) (\d{1,18})", re.ASCII)  # a table and its version


class Notifications:
    """Listens for changes by other processes, in a separate thread.

    ``heard`` is called with the name and the version of a changed table, ``missed`` after a gap in
    the connection.  A process that is alone restarts the clocks, because no server was running.
    """

    def __init__(
        self, store: Store, heard: Callable[[str, int], object], missed: Callable[[], object]
    ) -> None:
        """Start listening; raises psycopg.Error, SQLAlchemyError or UnusableDatabaseError."""
        self._store = store
        self._heard = heard
        self._missed = missed
        self._closing = threading.Event()
        self._connection = self._connect(is_first=True)
        self._thread = threading.Thread(target=self._run, name="listening", daemon=True)
        self._thread.start()

    @property
    def is_listening(self) -> bool:
        """Whether changes by other processes are heard now."""
        return self._thread.is_alive() and not self._connection.closed

    def _connect(self, *, is_first: bool = False) -> psycopg.Connection:
        address = self._store.engine.url
        if "connect_timeout" not in address.query:
            address = address.update_query_dict({"connect_timeout": str(CONNECT_PATIENCE)})
        connection = psycopg.connect(plain_url(address), autocommit=True)
        try:
            self._join(connection, is_first=is_first)
        except BaseException:
            connection.close()  # else its lock would stay, and the next attempt would wait for it
            raise
        return connection

    def _join(self, connection: psycopg.Connection, *, is_first: bool) -> None:
        """Be one of the processes that serve the database, and listen to the others.

        Clocks start again if no process was there, but not after a gap of this one's connection: it
        has its tables in memory, and their clocks have gone on.
        """
        connection.execute(f"SET lock_timeout = {LOCK_PATIENCE}")
        alone = connection.execute("SELECT pg_try_advisory_lock(%s)", [PRESENCE]).fetchone()
        if alone == (True,):
            # After a restart of the database the connections of the pool are dead.
            self._store.engine.dispose()
            if is_first:
                self._store.restart_clocks()
        try:
            connection.execute("SELECT pg_advisory_lock_shared(%s)", [PRESENCE])
        except psycopg.errors.LockNotAvailable:
            raise UnusableDatabaseError("another process has it to itself; try again") from None
        if alone == (True,):
            connection.execute("SELECT pg_advisory_unlock(%s)", [PRESENCE])
        connection.execute(f"LISTEN {CHANNEL}")

    def _run(self) -> None:
        while not self._closing.is_set():
            try:
                self._listen()
            except (psycopg.Error, SQLAlchemyError, UnusableDatabaseError) as error:
                log.warning("changes by other processes cannot be heard: %s", reason_of(error))
                self._connection.close()
                self._closing.wait(PAUSE)
        self._connection.close()

    def _listen(self) -> None:
        if self._connection.closed:
            self._connection = self._connect()
            self._missed()
        while not self._closing.is_set():
            for news in self._connection.notifies(timeout=GLANCE):
                found = NEWS.fullmatch(news.payload)
                if found is not None:  # anybody who may connect can notify
                    self._heard(found[1], int(found[2]))

    def close(self) -> None:
        """Stop listening."""
        self._closing.set()
        self._thread.join(CLOSE_PATIENCE)  # a database that hangs lets it wait for long
