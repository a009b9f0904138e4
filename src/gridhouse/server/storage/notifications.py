"""Notifications between server processes on one PostgreSQL database."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

import psycopg
import sqlalchemy as sa

from gridhouse.server.storage.store import CHANNEL, PRESENCE

if TYPE_CHECKING:
    from collections.abc import Callable

    from gridhouse.server.storage.store import Store

log = logging.getLogger("gridhouse.server")
GLANCE = 0.2  # seconds between two checks whether the server is closing
PAUSE = 1.0  # seconds before the next attempt to reconnect


class Notifications:
    """Listens for changes by other processes, in a separate thread.

    ``heard`` is called with the name and the version of a changed table, ``missed`` after a gap in
    the connection.  A process that is alone restarts the clocks, because no server was running.
    """

    def __init__(
        self, store: Store, heard: Callable[[str, int], object], missed: Callable[[], object]
    ) -> None:
        """Start listening; raises psycopg.OperationalError or SQLAlchemyError."""
        self._store = store
        self._heard = heard
        self._missed = missed
        self._closing = threading.Event()
        self._connection = self._connect()
        self._thread = threading.Thread(target=self._run, name="listening", daemon=True)
        self._thread.start()

    def _connect(self) -> psycopg.Connection:
        address = self._store.engine.url.set(drivername="postgresql")
        connection = psycopg.connect(address.render_as_string(hide_password=False), autocommit=True)
        alone = connection.execute("SELECT pg_try_advisory_lock(%s)", [PRESENCE]).fetchone()
        if alone == (True,):
            self._store.restart_clocks()
        connection.execute("SELECT pg_advisory_lock_shared(%s)", [PRESENCE])
        if alone == (True,):
            connection.execute("SELECT pg_advisory_unlock(%s)", [PRESENCE])
        connection.execute(f"LISTEN {CHANNEL}")
        return connection

    def _run(self) -> None:
        while not self._closing.is_set():
            try:
                self._listen()
            except (psycopg.OperationalError, sa.exc.OperationalError) as error:
                log.warning("the database does not answer: %s", str(error).partition("\n")[0])
                self._closing.wait(PAUSE)
        self._connection.close()

    def _listen(self) -> None:
        if self._connection.closed:
            self._connection = self._connect()
            self._missed()
        while not self._closing.is_set():
            for news in self._connection.notifies(timeout=GLANCE):
                table, _, version = news.payload.partition(" ")
                self._heard(table, int(version))

    def close(self) -> None:
        """Stop listening."""
        self._closing.set()
        self._thread.join()
