"""The settings of the server, and its limits."""

from __future__ import annotations

import ipaddress
import os
import re
import stat
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs
from sqlalchemy import URL

from gridhouse.core.console import UsageError
from gridhouse.core.environment import read_switch

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_START = 10_000  # characters of a table's first position
MAX_KEPT = 20_000_000  # characters of all tables of a visitor: of first positions, and for moves
MOVE_SIZE = 100  # characters as which a move counts, about the bytes of its row
MOVES_AHEAD = 50  # for which an unfinished table counts as well; then it is asked whether more fit
MAX_CELLS = 400  # of a board; larger boards are slow to draw and to send
MAX_BODY = 64 * 1024  # bytes of a request
MAX_MESSAGE = 4 * 1024  # bytes of a message on a socket
MAX_MOVES = 10_000  # of a table
MAX_SUBSCRIBERS = 200  # sockets and waiting programs at a table; its players always have a place
MAX_WATCHERS_OF_ADDRESS = 100  # the same for a network address
MAX_OPEN_OF_VISITOR = 40  # sockets that are open at once, and as many requests
MAX_OPEN_OF_ADDRESS = 400  # the same for a network address: a whole school may have one
MAX_CONNECTIONS = 512  # of a network address, this machine excepted
REQUEST_SECONDS = 15.0  # within which a whole request has to come
VISITOR_SHARE = 3  # times what one page may send, for all pages and requests of a visitor
ADDRESS_SHARE = 20  # the same for a network address
MAX_TABLES = 60  # that one network address may create in an hour
MAX_OPEN = 5  # unfinished tables in the lobby that one address or visitor may have
MAX_IMPORTS = 10  # files of games that one network address may add in an hour
MAX_EVENINGS = 20  # that are going on at once
MAX_OWN_EVENINGS = 3  # of these, that one visitor or one network address has started
MAX_NEW_EVENINGS = 10  # that one network address may start in an hour
EVENING_MINUTES = range(10, 241)  # that an evening may last
MAX_PLAYERS = 200  # of an evening
MAX_WAIT = 30  # seconds that a program may wait for a table to change
MAX_NAME = 30  # characters of a name
PRUNE_DAYS = 180  # after which an unfinished table that nobody touches is removed
MAX_DAYS = 36_500  # that may be asked for: a date that long ago can still be written
MOST = 1_000_000_000  # of any other number
MAX_PLACES = 100  # rows of a leaderboard
LOOPBACK = ("127.0.0.1", "::1")
HOST = re.compile(r"\*|(\*\.)?[\w.-]+|\[[\da-fA-F:]+\]")


def _own_folder() -> Path:
    """Return the folder of the database that is used if no other one is named."""
    return Path(platformdirs.user_data_dir("gridhouse", appauthor=False))


def _named_database() -> str:
    return os.environ.get("GRIDHOUSE_DATABASE_URL", "")


def url_of(file: Path) -> str:
    """Return the URL of an SQLite file, whatever characters its name has."""
    try:
        return URL.create("sqlite", database=str(file)).render_as_string()
    except UnicodeEncodeError:  # a name that is no text
        return f"sqlite:///{file}"


def _database() -> str:
    return _named_database() or url_of(_own_folder() / "house.db")


def prepare_folder() -> None:
    """Make the folder of a database that is not named; nobody else may read what is in there.

    Raises UsageError.
    """
    if _named_database():
        return
    folder = _own_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, mode in ((folder, 0o700), (folder / "house.db", 0o600)):
            if path.exists() and stat.S_IMODE(path.stat().st_mode) != mode:
                path.chmod(mode)
    except OSError as error:
        raise UsageError(f"{error.filename}: {error.strerror}") from None


def _now() -> datetime:
    return datetime.now(UTC)


def _workers() -> int:
    """Return the number of concurrent searches: one core stays free for other work."""
    return max(1, (os.cpu_count() or 2) - 1)


def _number(name: str, default: int, most: int = MOST) -> int:
    """Return the number in an environment variable; raises UsageError."""
    text = os.environ.get(name) or str(default)
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(most))
    if not is_number or int(text) > most:
        raise UsageError(f"{name}={text}: it should be a whole number, {most} at most")
    return int(text)


def _max_moves() -> int:
    return max(1, _number("GRIDHOUSE_MAX_MOVES", MAX_MOVES))


def _listed(name: str) -> tuple[str, ...]:
    """Return the words of an environment variable, between commas or blanks."""
    return tuple(os.environ.get(name, "").replace(",", " ").split())


def _proxies() -> tuple[str, ...]:
    """Return the networks of the proxies that the environment names; raises UsageError."""
    found = list(LOOPBACK) if read_switch("GRIDHOUSE_BEHIND_PROXY") else []
    for name in _listed("GRIDHOUSE_PROXIES"):
        try:
            found.append(str(ipaddress.ip_network(name, strict=False)))
        except ValueError:
            should = "it should be like 10.0.0.2 or 10.1.0.0/16"
            raise UsageError(f"GRIDHOUSE_PROXIES={name}: {should}") from None
    return tuple(found)


def _hosts() -> tuple[str, ...]:
    """Return the hosts that the environment names; raises UsageError."""
    found = _listed("GRIDHOUSE_HOSTS")
    for name in found:
        if not HOST.fullmatch(name):
            should = "it should be like play.example.org, without scheme and port"
            raise UsageError(f"GRIDHOUSE_HOSTS={name}: {should}")
    return found


def _prune_days() -> int:
    """Return the days after which an unfinished table goes that nobody touches, 0 for never."""
    return _number("GRIDHOUSE_PRUNE_DAYS", PRUNE_DAYS, MAX_DAYS)


@dataclass(frozen=True)
class Settings:
    """The settings of one server: its database, its searches and its rate limits.

    A search stops after ``patience`` seconds.  Before each of its moves the machine waits ``pause``
    seconds, so that people can follow.  Searches run compiled from the start if ``jit`` is true,
    never if it is false, and as soon as their code is compiled if it is None.
    A page may send ``burst`` messages at once, and ``rate`` messages a second in the long run.
    Prometheus is answered at the address and port ``metrics``, if one is named.  Unfinished tables
    that nobody has touched for ``prune_days`` are removed, never if it is 0.
    ``now`` returns the time, which decides the day of today's puzzle.  Visitors from this machine
    create as many tables as they like, unless there are ``proxies``, the addresses and networks
    that are believed who sends a request and by which scheme.  Requests have to be for one of
    ``hosts``, if any is named.  A house that ``is_secure`` is reached by HTTPS alone.
    A table takes ``max_moves`` moves.  From ``many_pages`` open pages on, a process of its own
    renders their views.
    ``tournament`` returns the text and the type of a page by its name, None if there is none; the
    house shows these pages at /tournament.
    """

    database: str = field(default_factory=_database)
    workers: int = field(default_factory=_workers)
    patience: float = 10.0
    pause: float = 0.4
    jit: bool | None = None
    burst: int = 40
    rate: float = 10.0
    now: Callable[[], datetime] = _now
    metrics: str = field(default_factory=lambda: os.environ.get("GRIDHOUSE_METRICS", ""))
    prune_days: int = field(default_factory=_prune_days)
    proxies: tuple[str, ...] = field(default_factory=_proxies)
    hosts: tuple[str, ...] = field(default_factory=_hosts)
    is_secure: bool = field(default_factory=lambda: read_switch("GRIDHOUSE_SECURE"))
    max_moves: int = field(default_factory=_max_moves)
    many_pages: int = 100
    tournament: Callable[[str], tuple[str, str] | None] | None = None
