"""Logging on standard error: lines for people, or JSON objects with GRIDHOUSE_LOG=json.

Tokens, invitations and query strings are removed from every message and trace.  An error of the
database is one line, unless the house asked what it should not.
"""

from __future__ import annotations

import json
import logging
import re
import threading
import time
import traceback
from collections import OrderedDict
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, TextIO

from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, ProgrammingError

from gridhouse.core.environment import read_word
from gridhouse.server.storage.store import reason_of

FORMAT = "GRIDHOUSE_LOG"
# A signed token or visitor, an invitation or a device's link in an address or alone, and the query
# string of an address.
SECRETS = re.compile(
    r"(?<![\w-])(?:[\w-]{32}){1,2}\.[\w-]{43}(?![\w-])"
    r"|(?<=/join/)[^\s'\"]+|(?<=/me/link/)[^\s'\"]+"
    r"|(?<![\w-])[\w-]{43}(?![\w-])"
    r"|(?<=[\w/])\?[\w%.-]+=[^\s'\"]*"
)
HIDDEN = "(hidden)"
FAULTS = (DataError, IntegrityError, ProgrammingError)  # of the house, not of the database
PAUSE = 60.0  # seconds in which an equal message is counted only
MAX_KEPT = 1000  # messages


def scrub(text: str) -> str:
    """Return a text without tokens, invitations and query strings, which any stream can take."""
    return SECRETS.sub(HIDDEN, text).encode("utf-8", "backslashreplace").decode()


class Handler(logging.StreamHandler[TextIO]):
    """Writes records on standard error; one that cannot be written is not quoted."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  # its name in logging
        """Say where a record came from that could not be written."""
        with suppress(OSError, ValueError):
            where = f"{record.name}, {record.module} line {record.lineno}"
            self.stream.write(f"a message could not be logged: {where}\n")


class Brief(logging.Filter):
    """Puts the reason in the place of a trace where the database cannot be used."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every record through."""
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, DBAPIError) and not isinstance(error, FAULTS):
            record.msg, record.args = f"{record.getMessage()}: {reason_of(error)}", None
            record.exc_info = None
        return True


class Repeats(logging.Filter):
    """Lets a message through once in a while; what came meanwhile is counted, and said with it."""

    def __init__(self) -> None:
        """Start without messages."""
        super().__init__()
        self._lock = threading.Lock()
        # When each message was let through, and how often it has come since.
        self._seen: OrderedDict[tuple[object, ...], tuple[float, int]] = OrderedDict()

    def filter(self, record: logging.LogRecord) -> bool:
        """Tell whether a record is let through; its message then tells how often it came."""
        error = record.exc_info[1] if record.exc_info else None
        trace = traceback.walk_tb(error.__traceback__ if error else None)
        where = tuple((frame.f_code, line) for frame, line in trace)
        key = record.name, record.levelno, record.getMessage(), repr(error), where
        now = time.monotonic()
        with self._lock:
            then, count = self._seen.pop(key, (-PAUSE, 0))
            is_new = now - then >= PAUSE
            self._seen[key] = (now, 0) if is_new else (then, count + 1)
            if len(self._seen) > MAX_KEPT:
                self._seen.popitem(last=False)
        if is_new and count:
            record.msg, record.args = f"{record.getMessage()} ({count} times more until now)", None
        return is_new


class LineFormatter(logging.Formatter):
    """Formats records as lines for people, with the trace of an error below."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the text of a record."""
        return scrub(super().format(record))


class JsonFormatter(logging.Formatter):
    """Formats records as JSON objects, one a line: time, level, logger, message, trace."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the text of a record."""
        facts = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": scrub(record.getMessage()),
        }
        if record.exc_info:
            facts["trace"] = scrub(self.formatException(record.exc_info))
        return json.dumps(facts)


def config() -> dict[str, Any]:
    """Return the logging configuration of the server; raises UsageError."""
    is_json = read_word(FORMAT, ("lines", "json")) == "json"
    line = "%(asctime)s %(levelname)s %(name)s: %(message)s"
    kind = {"()": JsonFormatter} if is_json else {"()": LineFormatter, "fmt": line}
    said = {"handlers": ["standard error"], "level": "WARNING"}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"house": kind},
        "filters": {"brief": {"()": Brief}, "repeats": {"()": Repeats}},
        "handlers": {
            "standard error": {
                "()": Handler,
                "formatter": "house",
                "filters": ["brief", "repeats"],
            }
        },
        "loggers": {
            **dict.fromkeys(("gridhouse", "uvicorn", "asyncio", "sqlalchemy"), said),
            "python_multipart": {"level": "CRITICAL"},  # it warns of what visitors send
        },
    }
