"""What a search has found, in a file, so that it can be taken up again.

The file says of what position it is and by what code it was made, since keys mean nothing to other
code, and has a digest of all that follows.  It is written beside its place and then moved there, so
that it is there as a whole or not at all.
"""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from array import array

from gridhouse.core.errors import SolverError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gridhouse.games.binary.solver import Search

MAGIC = b"gridhouse binary checkpoint\n"
KERNELS = ("_frame.py", "_layout.py", "_lines.py", "_long.py", "_search.py")
FAST = 1  # zlib's level


def kernels() -> str:
    """Return a digest of the code that gives the words of the tables their meaning."""
    sources = hashlib.sha256()
    for name in KERNELS:
        with open(os.path.join(os.path.dirname(__file__), name), "rb") as file:
            sources.update(file.read())
    return sources.hexdigest()


def save(path: str, search: Search, position: str) -> None:
    """Write down what a search that stands still knows; raises SolverError."""
    body = zlib.compress(_as_bytes(search.words) + _as_bytes(search.pairs), FAST)
    head = {
        "position": position,
        "kernels": kernels(),
        "switches": int(search.board.layout[0].switches),
        "words": len(search.words),
        "pairs": len(search.pairs),
        "nodes": search.nodes,
    }
    line = json.dumps(head).encode() + b"\n"
    beside = f"{path}.new"
    try:
        with open(beside, "wb") as file:
            file.write(MAGIC + digest(line, body) + line + body)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except OSError as error:
        raise SolverError(f"{path}: {error.strerror}") from None


def load(path: str, search: Search, position: str) -> bool:
    """Let a search know what was written down; tell whether anything was; raises SolverError."""
    if not os.path.exists(path):
        if not os.access(os.path.dirname(path) or ".", os.W_OK):
            raise SolverError(f"{path}: nothing can be written there")
        return False
    try:
        with open(path, "rb") as file:
            begin, mark = file.readline(), file.readline()
            line, body = file.readline(), file.read()
    except OSError as error:
        raise SolverError(f"{path}: {error.strerror}") from None
    if begin != MAGIC:
        raise SolverError(f"{path}: not a checkpoint")
    if mark != digest(line, body):
        raise SolverError(f"{path}: a damaged checkpoint")
    head = json.loads(line)
    for name, here in (
        ("position", position),
        ("kernels", kernels()),
        ("switches", int(search.board.layout[0].switches)),
    ):
        if head[name] != here:
            what = {"kernels": "version of the program", "switches": "choice of techniques"}
            raise SolverError(f"{path}: a checkpoint of another {what.get(name, name)}")
    words = array("q")
    words.frombytes(zlib.decompress(body))
    search.take(
        _like(search.words, words[: head["words"]]), _like(search.pairs, words[head["words"] :])
    )
    search.nodes_before = head["nodes"]
    return True


def digest(line: bytes, body: bytes) -> bytes:
    """Return the line that tells whether what follows it is as it was written."""
    return hashlib.sha256(line + body).hexdigest().encode() + b"\n"


def _as_bytes(words: Any) -> bytes:
    return bytes(words.tobytes()) if hasattr(words, "tobytes") else array("q", words).tobytes()


def _like(words: Any, found: Any) -> Any:
    """Return the words found as those are kept that a search had."""
    if isinstance(words, list):
        return found.tolist()
    import numpy as np

    return np.array(found, np.int64)
