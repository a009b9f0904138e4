"""Checkpoints: files that keep the tables of a search, so that a later one can go on with them.

The file names its position, and the code that made it, since keys mean nothing to other code; a
digest covers all that follows.  It is written beside its place and then moved there, so that it is
complete or absent.  Tables may fill most of the memory, so they are written and read in pieces.
"""

from __future__ import annotations

import glob
import hashlib
import json
import os
import zlib
from array import array
from contextlib import suppress
from itertools import chain
from typing import Any, NamedTuple

from gridhouse.core import chance, tables
from gridhouse.core.errors import SolverError
from gridhouse.core.notation import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from io import BufferedReader

MAGIC = b"gridhouse binary checkpoint\n"
FAST = 1  # zlib's level
PIECE = 1 << 18  # words in memory at once, beside the tables
NO_DIGEST = b"0" * (2 * hashlib.sha256().digest_size)


class Snapshot(NamedTuple):
    """The tables of a search, of outcomes and of proof numbers, and the number of its nodes.

    They are valid only for the same position and techniques.
    """

    position: str
    techniques: int
    table: Any
    pn_table: Any
    nodes: int


def code_digest() -> str:
    """Return a digest of the code that determines the meaning of tables."""
    sources = hashlib.sha256()
    for path in kernel_paths():
        with open(path, "rb") as file:
            sources.update(file.read())
    return sources.hexdigest()


def kernel_paths() -> list[str]:
    """Return the files of that code: kernels, the encoding of boards, hashes and tables."""
    here = os.path.dirname(__file__)
    kernels = sorted(glob.glob(os.path.join(here, "kernels", "*.py")))
    return [chance.__file__, tables.__file__, os.path.join(here, "board_encoding.py"), *kernels]


def save(path: str, found: Snapshot) -> None:
    """Write the tables of a search to a file; raises SolverError."""
    head = {
        "position": found.position,
        "code": code_digest(),
        "techniques": found.techniques,
        "table": len(found.table),
        "pn_table": len(found.pn_table),
        "nodes": found.nodes,
    }
    line = json.dumps(head).encode() + b"\n"
    beside = f"{path}.new"
    try:
        with open(beside, "wb") as file:
            file.write(MAGIC + NO_DIGEST + b"\n")
            digest = hashlib.sha256()
            for piece in chain([line], _packed(found.table, found.pn_table)):
                digest.update(piece)
                file.write(piece)
            file.seek(len(MAGIC))
            file.write(digest.hexdigest().encode())
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except OSError as error:
        with suppress(OSError):
            os.remove(beside)
        raise SolverError(f"{path}: {error.strerror}") from None


def check_place(path: str) -> None:
    """Raise SolverError where no checkpoint can be written, before a search takes hours."""
    if os.path.isdir(path):
        raise SolverError(f"{path}: Is a directory")
    beside = f"{path}.new" if path else path
    try:
        with open(beside, "ab"):
            pass
        os.remove(beside)
    except OSError as error:
        raise SolverError(f"{beside or shown(path)}: {error.strerror}") from None


def load(
    path: str, position: str, techniques: int, most_words: int, allocate: Callable[[int], Any]
) -> Snapshot | None:
    """Return the checkpoint of a position, None without a file; raises SolverError.

    ``allocate`` makes a table from its number of words, which is limited to ``most_words``.
    """
    if not os.path.exists(path):
        return None
    try:
        with open(path, "rb") as file:
            return _read(path, file, position, techniques, most_words, allocate)
    except OSError as error:
        raise SolverError(f"{path}: {error.strerror}") from None


def _read(
    path: str,
    file: BufferedReader,
    position: str,
    techniques: int,
    most_words: int,
    allocate: Callable[[int], Any],
) -> Snapshot:
    """Return the content of a file after checking that it is whole and of this position."""
    if file.readline() != MAGIC:
        raise SolverError(f"{path}: not a checkpoint")
    mark = file.readline()
    begun = file.tell()
    found = hashlib.sha256()
    for piece in iter(lambda: file.read(PIECE), b""):
        found.update(piece)
    if mark != found.hexdigest().encode() + b"\n":
        raise SolverError(f"{path}: a damaged checkpoint")
    file.seek(begun)
    head = json.loads(file.readline())
    for name, here in (
        ("position", position),
        ("code", code_digest()),
        ("techniques", techniques),
    ):
        if head[name] != here:
            what = {"code": "version of the program", "techniques": "choice of techniques"}
            raise SolverError(f"{path}: a checkpoint of another {what.get(name, name)}")
    times = -(-head["table"] // most_words)
    if times > 1:
        raise SolverError(f"{path}: needs {times} times the memory that is allowed")
    packed = zlib.decompressobj()
    table, pn_table = (allocate(head[name]) for name in ("table", "pn_table"))
    for words in (table, pn_table):
        _unpack(file, packed, words)
    return Snapshot(position, techniques, table, pn_table, head["nodes"])


def _packed(*tables: Any) -> Iterator[bytes]:
    """Pack tables, one after the other."""
    packer = zlib.compressobj(FAST)
    for table in tables:
        for at in range(0, len(table), PIECE):
            yield packer.compress(_as_bytes(table[at : at + PIECE]))
    yield packer.flush()


def _as_bytes(words: Any) -> bytes:
    return bytes(words.tobytes()) if hasattr(words, "tobytes") else array("q", words).tobytes()


def _unpack(file: BufferedReader, packed: Any, table: Any) -> None:
    """Fill a table from where the file stands."""
    for at in range(0, len(table), PIECE):
        size = array("q").itemsize * min(PIECE, len(table) - at)
        piece = b""
        while len(piece) < size:
            source = packed.unconsumed_tail or file.read(PIECE)
            piece += packed.decompress(source, size - len(piece))
        table[at : at + PIECE] = array("q", piece)
