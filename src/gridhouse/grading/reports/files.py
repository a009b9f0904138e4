"""Files of a report: names that are safe, and files that are whole."""

from __future__ import annotations

import os
import re
import unicodedata
from contextlib import suppress
from typing import TYPE_CHECKING

from gridhouse.core.console import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

MOST_BYTES = 100  # of a name; file systems take 255 with what is added to it
RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE)  # under Windows


def safe_names(names: Iterable[str]) -> list[str]:
    """Return a file name for each name; no two are the same, even without the case of letters."""
    safe: list[str] = []
    taken: set[str] = set()
    for name in names:
        plain = chosen = _safe(name)
        number = 1
        while _key(chosen) in taken:
            number += 1
            chosen = f"{plain}-{number}"
        taken.add(_key(chosen))
        safe.append(chosen)
    return safe


def _safe(name: str) -> str:
    text = unicodedata.normalize("NFC", name)
    text = "".join(char if char.isalnum() or char in "-_." else "_" for char in text)
    text = text.encode()[:MOST_BYTES].decode(errors="ignore").strip(".") or "_"
    return f"_{text}" if RESERVED.match(text) else text


def _key(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()


def write_whole(path: Path, content: bytes) -> None:
    """Write a file whole or not at all; raises UsageError."""
    unfinished = path.with_name(f".{path.name}.unfinished")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_bytes(content)
        os.replace(unfinished, path)
    except OSError as error:
        with suppress(OSError):
            unfinished.unlink()
        raise UsageError(f"{str(path)!r}: {error.strerror}") from None
