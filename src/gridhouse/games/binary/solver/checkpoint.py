"""What a search has found, in a file, so that it can be taken up again.

The file says of what position it is and by what code it was made, since keys mean nothing to other
code, and has a digest of all that follows.  It is written beside its place and then moved there, so
that it is there as a whole or not at all.  Tables may take most of the memory there is, so they go
into the file and come out of it piece by piece.
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

from gridhouse.core import chance
from gridhouse.core.errors import SolverError
from gridhouse.core.notation import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from io import BufferedReader

MAGIC = b"gridhouse binary checkpoint\n"
FAST = 1  # zlib's level
PIECE = 1 << 18  # words that are in hand at once
NO_DIGEST = b"0" * (2 * hashlib.sha256().digest_size)


class Snapshot(NamedTuple):
    """What a search has found: its tables of words and of proof numbers, and its nodes.

    It means something only for the same position and ``switches``, those of the techniques.
    """

    position: str
    switches: int
    words: Any
    pairs: Any
    nodes: int


def kernels() -> str:
    """Return a digest of the code that gives the words of the tables their meaning."""
    sources = hashlib.sha256()
    for path in kernel_paths():
        with open(path, "rb") as file:
            sources.update(file.read())
    return sources.hexdigest()


def kernel_paths() -> list[str]:
    """Return the files of that code: the kernels, the board's encoding, and the hash of keys."""
    here = os.path.dirname(__file__)
    kernels = sorted(glob.glob(os.path.join(here, "kernels", "[a-z]*.py")))
    return [chance.__file__, os.path.join(here, "board_encoding.py"), *kernels]


def save(path: str, found: Snapshot) -> None:
    """Write down what a search has found; raises SolverError."""
    head = {
        "position": found.position,
        "kernels": kernels(),
        "switches": found.switches,
        "words": len(found.words),
        "pairs": len(found.pairs),
        "nodes": found.nodes,
    }
    line = json.dumps(head).encode() + b"\n"
    beside = f"{path}.new"
    try:
        with open(beside, "wb") as file:
            file.write(MAGIC + NO_DIGEST + b"\n")
            digest = hashlib.sha256()
            for piece in chain([line], _packed(found.words, found.pairs)):
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
    path: str, position: str, switches: int, most_words: int, allocate: Callable[[int], Any]
) -> Snapshot | None:
    """Return what was written down of a position, None without a file; raises SolverError.

    ``allocate`` makes a table of so many words, of which there may be ``most_words``.
    """
    if not os.path.exists(path):
        return None
    try:
        with open(path, "rb") as file:
            return _read(path, file, position, switches, most_words, allocate)
    except OSError as error:
        raise SolverError(f"{path}: {error.strerror}") from None


def _read(
    path: str,
    file: BufferedReader,
    position: str,
    switches: int,
    most_words: int,
    allocate: Callable[[int], Any],
) -> Snapshot:
    """Return what a file says, once it is known to be whole and of this position."""
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
        ("kernels", kernels()),
        ("switches", switches),
    ):
        if head[name] != here:
            what = {"kernels": "version of the program", "switches": "choice of techniques"}
            raise SolverError(f"{path}: a checkpoint of another {what.get(name, name)}")
    times = -(-head["words"] // most_words)
    if times > 1:
        raise SolverError(f"{path}: needs {times} times the memory that is allowed")
    packed = zlib.decompressobj()
    words, pairs = (allocate(head[name]) for name in ("words", "pairs"))
    for table in (words, pairs):
        _unpack(file, packed, table)
    return Snapshot(position, switches, words, pairs, head["nodes"])


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
