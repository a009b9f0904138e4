"""Names of a report's files that are safe."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

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
