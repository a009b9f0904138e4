"""Unpacking what a stranger has packed, and copying their folders, within limits.

What is written are plain files and folders below one root.  Links, devices and what no program
needs (:func:`is_passed_over`) are left out.  Sizes are counted as bytes come, because headers lie.
"""

from __future__ import annotations

import bz2
import errno
import gzip
import lzma
import os
import re
import stat
import struct
import tarfile
import unicodedata
import zipfile
import zlib
from contextlib import contextmanager, suppress
from functools import partial
from typing import IO, TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

MEGABYTE = 1 << 20
MOST_NAME = 255  # bytes, as file systems have it
MOST_PATH = 1000
MOST_DEPTH = 30  # folders inside each other
MOST_HEADERS = 20  # in a tar archive for each file written; the others are passed over
CHUNK = 1 << 16
MOST_READ = MEGABYTE  # bytes of a tar archive's header
IS_ENCRYPTED, IS_UTF8 = 1, 0x800  # flags of zip
ZIP = (".zip",)
TAR = (".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.bz2")
COMPRESSIONS: tuple[tuple[bytes, Any], ...] = (
    (b"\x1f\x8b", gzip.open),
    (b"BZh", bz2.open),
    (b"\xfd7zXZ", lzma.open),
)
PASSED_OVER = ("__pycache__", "__MACOSX", "node_modules", "venv", "Thumbs.db", "desktop.ini")
EMBEDDINGS = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")  # turn text around
DAMAGED = "is damaged"
BROKEN = (
    EOFError,
    LookupError,
    OSError,
    RuntimeError,
    ValueError,
    lzma.LZMAError,
    struct.error,
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
)


class ArchiveError(Exception):
    """What cannot be unpacked or copied; the message is one line."""


class Limits(NamedTuple):
    """The most files and folders, bytes of one file, and bytes of all."""

    members: int
    file: int
    total: int


class TooMuchError(Exception):
    """A limit for all files together is reached; the message says which."""


class Tree:
    """Writes files and folders, within limits for all of them together.

    ``refused`` holds the reasons why single files could not be had, if these are kept; an empty
    file stands for each then.  If they are not kept, the first of them raises.
    """

    def __init__(self, limits: Limits, *, keep_refused: bool = False) -> None:
        """Begin with nothing written."""
        self.limits = limits
        self.refused: dict[Path, str] = {}
        self._keeps_refused = keep_refused
        self._members = 0
        self._bytes = 0

    def add_folder(self, root: Path, name: str) -> None:
        """Make a folder; names are taken as archives have them."""
        with self._refusing(root, name) as parts:
            self._make(root, parts)

    def add_file(
        self, root: Path, name: str, source: Callable[[], IO[bytes]], *, executable: bool = False
    ) -> None:
        """Write a file; of two with one name the later stays, as other programs have it."""
        with self._refusing(root, name) as parts:
            if not parts:
                return
            path = self._make(root, parts[:-1]) / parts[-1]
            if path.is_dir():
                raise ArchiveError("is both a file and a folder")
            self._count()
            path.unlink(missing_ok=True)
            path.touch()
            path.chmod(0o755 if executable else 0o644)
            written = self._bytes
            try:
                with source() as stream:
                    self._fill(path, stream)
            except (ArchiveError, *BROKEN):
                os.truncate(path, 0)
                self._bytes = written
                raise

    @contextmanager
    def _refusing(self, root: Path, name: str) -> Iterator[list[str]]:
        """Yield the parts of a member's name, none if it is passed over."""
        parts = parts_of(name)
        if any(map(is_passed_over, parts)):
            parts = []
        try:
            if len(parts) > MOST_DEPTH or (parts and len(name) > MOST_PATH):
                raise ArchiveError("is too long a name")
            yield parts
        except (ArchiveError, *BROKEN) as error:
            problem = f"{shown(name)} {_reason(error)}"
            if not self._keeps_refused:
                raise ArchiveError(problem) from None
            self.refused[root.joinpath(*parts)] = problem

    def _fill(self, path: Path, stream: IO[bytes]) -> None:
        size = 0
        with path.open("wb") as file:
            while data := stream.read(CHUNK):
                size += len(data)
                if size > self.limits.file:
                    raise ArchiveError(f"has more than {_megabytes(self.limits.file)}")
                self._bytes += len(data)
                if self._bytes > self.limits.total:
                    raise TooMuchError(f"more than {_megabytes(self.limits.total)}")
                file.write(data)

    def _make(self, root: Path, parts: list[str]) -> Path:
        path = root
        for part in parts:
            path = path / part
            if path.is_file():
                raise ArchiveError("is both a file and a folder")
            if not path.is_dir():
                self._count()
                path.mkdir()
                path.chmod(0o755)
        return path

    def _count(self) -> None:
        self._members += 1
        if self._members > self.limits.members:
            raise TooMuchError(f"more than {self.limits.members} files and folders")


def is_archive(name: str) -> bool:
    """Return whether a file is an archive, by its name."""
    return name.lower().endswith(ZIP + TAR)


def stem_of(name: str) -> str:
    """Return a file's name without its extension, of which archives may have two."""
    lower = name.lower()
    for suffix in sorted(ZIP + TAR, key=len, reverse=True):
        if lower.endswith(suffix):
            return name[: -len(suffix)]
    return os.path.splitext(name)[0]


def is_passed_over(name: str) -> bool:
    """Return whether a file or folder is of no use to a program: hidden ones, caches, settings."""
    return name.startswith(".") or name in PASSED_OVER


def clean(text: str) -> str:
    """Return a text in Unicode's NFC without control characters and those that turn text around."""
    text = "".join(
        char
        for char in text
        if unicodedata.category(char) not in ("Cc", "Cs", "Zl", "Zp")
        and unicodedata.bidirectional(char) not in EMBEDDINGS
    )
    return unicodedata.normalize("NFC", text)


def shown(name: str) -> str:
    """Return a name as a message shows it: in quotes, not too long."""
    name = clean(name)
    return repr(name if len(name) <= 60 else f"{name[:28]}…{name[-28:]}")


def parts_of(name: str) -> list[str]:
    """Return the folders and the own name of an archive's member.

    Backslashes separate, as some programs of Windows write them.  Raises ArchiveError for names
    that lead elsewhere.
    """
    name = name.replace("\\", "/")
    parts = [clean(part) for part in name.split("/")]
    if name.startswith("/") or ".." in parts or re.match("[A-Za-z]:", name):
        raise ArchiveError(f"it holds {shown(name)}, which leads out of it")
    return [_shortened(part) for part in parts if part not in ("", ".")]


def _shortened(part: str) -> str:
    while len(os.fsencode(part)) > MOST_NAME:
        stem, suffix = os.path.splitext(part)
        part = stem[: len(stem) // 2] + suffix[:10]
    return part


def unpack(archive: Path, root: Path, tree: Tree) -> None:
    """Unpack a zip or tar archive below a folder; raises ArchiveError that says what is wrong."""
    is_zip = archive.name.lower().endswith(ZIP)
    try:
        (_unpack_zip if is_zip else _unpack_tar)(archive, root, tree)
    except BROKEN as error:
        reason = _reason(error)
        if reason == DAMAGED:
            reason += f", or no {'zip' if is_zip else 'tar'} archive"
        raise ArchiveError(f"it {reason}") from None
    except TooMuchError as error:
        raise ArchiveError(f"it unpacks to {error}") from None


def copy(path: Path, root: Path, name: str, tree: Tree) -> None:
    """Copy a file by this name, or what lies in a folder; raises ArchiveError.

    Links and virtual environments in the folder are left out.
    """
    try:
        mode = path.lstat().st_mode
        if stat.S_ISDIR(mode):
            _copy_folder(path, "", root, tree)
        elif stat.S_ISREG(mode):
            tree.add_file(root, name, partial(_open_file, path), executable=mode & 0o111 > 0)
        else:
            raise ArchiveError("it is a link or a device, which is not followed")
    except OSError as error:
        raise ArchiveError(f"it {_reason(error)}") from None
    except TooMuchError as error:
        raise ArchiveError(f"it holds {error}") from None


def _copy_folder(folder: Path, prefix: str, root: Path, tree: Tree) -> None:
    for path in sorted(folder.iterdir()):
        mode = path.lstat().st_mode
        name = prefix + path.name
        if stat.S_ISREG(mode):
            tree.add_file(root, name, partial(_open_file, path), executable=mode & 0o111 > 0)
        elif (
            stat.S_ISDIR(mode)
            and not is_passed_over(path.name)
            and not (path / "pyvenv.cfg").exists()
        ):
            tree.add_folder(root, name)
            _copy_folder(path, f"{name}/", root, tree)


def _open_file(path: Path) -> IO[bytes]:
    return path.open("rb")


def _unpack_zip(archive: Path, root: Path, tree: Tree) -> None:
    with zipfile.ZipFile(archive) as source:
        for info in source.infolist():
            name = info.filename
            if not info.flag_bits & IS_UTF8:  # zipfile has read it in code page 437
                with suppress(UnicodeError):
                    name = name.encode("cp437").decode()
            mode = info.external_attr >> 16
            if name.endswith(("/", "\\")) or stat.S_ISDIR(mode):
                tree.add_folder(root, name)
            elif stat.S_IFMT(mode) in (0, stat.S_IFREG):
                opener = partial(_open_member, source, info)
                tree.add_file(root, name, opener, executable=mode & 0o111 > 0)


def _open_member(source: zipfile.ZipFile, info: zipfile.ZipInfo) -> IO[bytes]:
    if info.flag_bits & IS_ENCRYPTED:
        raise ArchiveError("is encrypted")
    return source.open(info)


def _open_tar_member(source: tarfile.TarFile, member: tarfile.TarInfo) -> IO[bytes]:
    stream = source.extractfile(member)
    assert stream is not None  # it is a file
    return stream


def _unpack_tar(archive: Path, root: Path, tree: Tree) -> None:
    with archive.open("rb") as file:
        start = file.read(8)
    opener = next((opener for magic, opener in COMPRESSIONS if start.startswith(magic)), None)
    with opener(archive) if opener else archive.open("rb") as packed:
        stream = _Forward(packed, 2 * tree.limits.total)
        with tarfile.TarFile(fileobj=stream) as source:  # type: ignore[arg-type]
            for number, member in enumerate(source):
                if number > MOST_HEADERS * tree.limits.members:
                    raise TooMuchError(f"more than {number - 1} files and folders")
                if member.isdir():
                    tree.add_folder(root, member.name)
                elif member.isreg():
                    reader = partial(_open_tar_member, source, member)
                    tree.add_file(root, member.name, reader, executable=member.mode & 0o111 > 0)
            # tarfile takes a damaged header for the end, and reads no checksum behind the end.
            while stream.last:
                if stream.last.strip(b"\0"):
                    raise tarfile.ReadError
                stream.read(CHUNK)


class _Forward:
    """A stream that is read once, up to a limit, in pieces that fit into memory.

    tarfile reads headers as long as they say they are, and skips by any number of bytes.
    """

    def __init__(self, stream: IO[bytes], limit: int) -> None:
        self._stream = stream
        self._limit = limit
        self._position = 0
        self.last = b""  # what was read last

    def tell(self) -> int:
        return self._position

    def read(self, size: int) -> bytes:
        if not 0 <= size <= MOST_READ:
            raise tarfile.ReadError
        self.last = data = self._stream.read(size)
        self._position += len(data)
        if self._position > self._limit:
            raise TooMuchError(f"more than {_megabytes(self._limit)} ")
        return data

    def seek(self, position: int) -> None:
        if position < self._position:
            raise tarfile.ReadError
        while position > self._position and self.read(min(CHUNK, position - self._position)):
            pass


def _reason(error: Exception) -> str:
    """Return what is wrong, to be put behind a name."""
    if isinstance(error, ArchiveError):
        return str(error)
    if isinstance(error, NotImplementedError):
        return "is packed in a way that cannot be read"
    if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
        return f"cannot be had: {error.strerror}"
    return DAMAGED


def _megabytes(size: int) -> str:
    return f"{size / MEGABYTE:g} MB"
