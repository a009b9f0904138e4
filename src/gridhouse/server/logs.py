"""Logging on standard error: lines for people, or JSON objects with GRIDHOUSE_LOG=json.

Tokens, invitations and query strings are removed from every message and trace.
"""

from __future__ import annotations

import json
import logging
import os
import re
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, TextIO

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
    """Return the logging configuration of the server."""
    is_json = os.environ.get(FORMAT) == "json"
    line = "%(asctime)s %(levelname)s %(name)s: %(message)s"
    kind = {"()": JsonFormatter} if is_json else {"()": LineFormatter, "fmt": line}
    said = {"handlers": ["standard error"], "level": "WARNING"}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"house": kind},
        "handlers": {"standard error": {"()": Handler, "formatter": "house"}},
        "loggers": dict.fromkeys(("gridhouse", "uvicorn", "asyncio", "sqlalchemy"), said),
    }
