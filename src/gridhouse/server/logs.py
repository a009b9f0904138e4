"""What the house says on standard error: a line for people, or with GRIDHOUSE_LOG=json an object.

No token, invitation or query gets there, wherever it stood in what went wrong.
"""

from __future__ import annotations

import json
import logging
import os
import re
from datetime import UTC, datetime
from typing import Any

FORMAT = "GRIDHOUSE_LOG"
# A signed token, an invitation in an address or by itself, and whatever follows an address.
SECRETS = re.compile(
    r"(?<![\w-])[\w-]{32}\.[\w-]{43}(?![\w-])"
    r"|(?<=/join/)[^\s'\"]+"
    r"|(?<![\w-])[\w-]{43}(?![\w-])"
    r"|(?<=[\w/])\?[\w%.-]+=[^\s'\"]*"
)
HIDDEN = "(hidden)"


def scrubbed(text: str) -> str:
    """Return a text without what only one visitor may know."""
    return SECRETS.sub(HIDDEN, text)


class Lines(logging.Formatter):
    """Lines that people read, with the trace of an error below."""

    def format(self, record: logging.LogRecord) -> str:
        """Return what is written."""
        return scrubbed(super().format(record))


class Objects(logging.Formatter):
    """One JSON object a line: time, level, logger, message, and for an error its trace."""

    def format(self, record: logging.LogRecord) -> str:
        """Return what is written."""
        facts = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": scrubbed(record.getMessage()),
        }
        if record.exc_info:
            facts["trace"] = scrubbed(self.formatException(record.exc_info))
        return json.dumps(facts)


def config() -> dict[str, Any]:
    """Return how everything that is logged while the house is open gets to standard error."""
    is_json = os.environ.get(FORMAT) == "json"
    line = "%(asctime)s %(levelname)s %(name)s: %(message)s"
    kind = {"()": Objects} if is_json else {"()": Lines, "fmt": line}
    said = {"handlers": ["standard error"], "level": "WARNING"}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"house": kind},
        "handlers": {"standard error": {"class": "logging.StreamHandler", "formatter": "house"}},
        "loggers": dict.fromkeys(("gridhouse", "uvicorn", "asyncio", "sqlalchemy"), said),
    }
