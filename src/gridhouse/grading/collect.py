"""Finding the submissions of a class in a folder or an archive.

Names of files and folders tell whose they are.  These schemes are known:

- Moodle, "Download all submissions": ``Full Name_1234567_assignsubmission_file_``, a folder or the
  beginning of a file's name; ``Participant_1234567_…`` where names are hidden.  Other kinds than
  ``file``, which are ``onlinetext`` and ``comments``, are passed over.
- Canvas, "Download Submissions" (``lib/content_zipper.rb`` of canvas-lms): files
  ``lastfirst_LATE_12345_67890_a1.py`` with the numbers of student and file, where ``LATE`` may be
  missing; ``anon_x1y2z_67890_a1.py`` where names are hidden.  A file that is handed in again
  becomes ``a1-1.py``.  Texts typed in are ``lastfirst_12345_text.html``, and passed over.
- Gradescope, "Export Submissions": folders ``submission_456``, and beside them
  ``submission_metadata.yml``, whose keys are Ruby's symbols.
- GitHub Classroom, Classroom 50 and other forges: folders ``assignment-user``.
- Anything else: a file, a folder or an archive for each submission, called after its author.
"""

from __future__ import annotations

import json
import re
import shutil
import stat
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from gridhouse.core.console import UsageError
from gridhouse.grading.archives import (
    MEGABYTE,
    ArchiveError,
    Limits,
    Tree,
    clean,
    copy,
    is_archive,
    is_passed_over,
    shown,
    stem_of,
    unpack,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

CLASS = Limits(500_000, 200 * MEGABYTE, 8000 * MEGABYTE)
SUBMISSION = Limits(5000, 50 * MEGABYTE, 200 * MEGABYTE)
MOST_NESTED = 3  # archives inside each other in one submission
MOST_NAME = 100  # characters
MOODLE = re.compile(
    r"(?P<name>.+?)_(?P<number>\d+)_assignsubmission_(?:file|(?P<typed>[a-z]+))_?(?P<file>.*)"
)
CANVAS = re.compile(
    r"(?:LATE_(?=anon_))?(?P<name>.+?)_(?:LATE_)?(?P<number>\d+|(?<=anon_)\w+?)_"
    r"(?:\d{3,}_(?P<file>.+)|(?P<typed>text|link)\.html)"  # two digits would be those of a date
)
CANVAS_AGAIN = re.compile(r"-\d+(?=(\.[^.]+)?$)")
GRADESCOPE = "submission_metadata.yml"
UNREADABLE = (".rar", ".7z", ".gz", ".xz", ".bz2", ".zst", ".z")
DOCUMENTS = (
    *(".md", ".rst", ".txt", ".pdf", ".doc", ".docx", ".odt", ".rtf", ".html"),
    *(".png", ".jpg", ".jpeg", ".gif", ".svg"),
)


class Entry(NamedTuple):
    """A submission: its author, its folder, and, if it cannot be graded, why in one line."""

    name: str
    path: Path
    problem: str = ""


class Author(NamedTuple):
    """Whose a submission is; ``number`` tells authors of one name apart, if the scheme has one.

    ``file`` does so otherwise.
    """

    name: str
    number: str = ""
    file: str = ""


class Piece(NamedTuple):
    """A file of a submission, and what it was called, or a folder with some of its files."""

    path: Path
    file: str


def collect(path: Path, workspace: Path) -> list[Entry]:
    """Copy each submission of a class into a folder of an empty workspace, and list them by name.

    Raises UsageError where there are none.
    """
    shown_path = repr(str(path))
    packed = workspace / "class"
    refused: dict[Path, str] = {}
    try:
        if not path.exists():
            raise UsageError(f"there is no file or folder {shown_path}")
        if path.is_dir():
            folder = _class_folder(path)
        elif is_archive(path.name):
            refused = _unpack_class(path, packed)
            folder = _class_folder(packed, is_packed=True)
        else:
            raise UsageError(f"{shown_path} is neither a folder nor a zip or tar archive")
        entries = [
            _entry(name, pieces, workspace / str(number), refused)
            for number, (name, pieces) in enumerate(_submissions(folder), 1)
        ]
    except (OSError, ArchiveError) as error:
        raise UsageError(f"{shown_path}: {_reason(error)}") from None
    finally:
        shutil.rmtree(packed, ignore_errors=True)
    if not entries:
        raise UsageError(f"{shown_path} holds no submissions")
    return entries


def _unpack_class(archive: Path, folder: Path) -> dict[Path, str]:
    """Unpack a class and return what is wrong with single files."""
    tree = Tree(CLASS, keep_refused=True)
    folder.mkdir(parents=True)
    unpack(archive, folder, tree)
    return tree.refused


def _class_folder(folder: Path, *, is_packed: bool = False) -> Path:
    """Return the folder that holds the submissions, which may be the only one in this folder.

    In a folder that was not packed, a single folder may as well be a class's only submission.
    """
    paths = _visible(folder)
    if len(paths) != 1 or not _is_folder(paths[0]) or _match(paths[0]):
        return folder
    inner = _visible(paths[0])
    is_class = any(_match(path) or path.name == GRADESCOPE for path in inner) or (
        len(inner) > 1 and all(_is_folder(path) or is_archive(path.name) for path in inner)
    )
    return paths[0] if is_packed or is_class else folder


def _visible(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if not is_passed_over(path.name))


def _is_folder(path: Path) -> bool:
    return stat.S_ISDIR(path.lstat().st_mode)


def _match(path: Path) -> re.Match[str] | None:
    """Return the parts of a name that Moodle or Canvas has made."""
    name = clean(path.name)
    return MOODLE.fullmatch(name) or (None if _is_folder(path) else CANVAS.fullmatch(name))


def _submissions(folder: Path) -> list[tuple[str, list[Piece]]]:
    """Return unique names of the submissions, in order, with their pieces."""
    submissions: dict[Author, list[Piece]] = {}
    plain = []
    for path in _visible(folder):
        match = _match(path)
        if match is None and path.name != GRADESCOPE:
            plain.append(path)
        elif match is not None and not match["typed"]:
            author = Author(match["name"], match["number"])
            submissions.setdefault(author, []).append(Piece(path, match["file"] or path.name))
    names = _names_in_gradescope(folder / GRADESCOPE)
    prefix = _common_prefix(plain)
    for path in plain:
        name = path.name.removeprefix(prefix) if _is_folder(path) else stem_of(path.name)
        author = Author(names.get(path.name, name), file=path.name)
        submissions[author] = [Piece(path, path.name)]
    return _unique_names(submissions)


def _common_prefix(paths: list[Path]) -> str:
    """Return what the names of repositories have in common, an assignment's name."""
    names = [path.name for path in paths]
    if len(names) < 2 or not all(map(_is_folder, paths)):
        return ""
    prefix = names[0]
    while not all(name.startswith(prefix) and name != prefix for name in names):
        prefix = prefix[: prefix.rfind("-", 0, -1) + 1]
    return prefix


def _names_in_gradescope(metadata: Path) -> dict[str, str]:
    """Return the names of each folder's submitters; none where the file is not as expected.

    The indentation tells keys of Gradescope from the output of programs, which is in there too.
    """
    names: dict[str, list[str]] = {}
    folder, is_in = "", False
    with suppress(OSError, UnicodeError):
        if stat.S_ISREG(metadata.lstat().st_mode):
            for line in metadata.read_text(encoding="utf-8-sig").splitlines():
                if match := re.fullmatch(r"(['\"]?)([\w.-]+)\1:\s*", line):
                    folder, is_in = match[2], False
                elif match := re.match(r"  :(\w+):", line):
                    is_in = match[1] == "submitters"
                elif is_in and (match := re.match(r"  (?:  )?[- ] :name: *(\S.*)", line)):
                    names.setdefault(folder, []).append(_yaml_text(match[1].strip()))
    return {folder: ", ".join(names) for folder, names in names.items()}


def _yaml_text(text: str) -> str:
    """Return a text as YAML has it, in quotes or without."""
    if text[0] == text[-1] == "'" != text:
        return text[1:-1].replace("''", "'")
    if text[0] == '"':
        with suppress(ValueError):
            return str(json.loads(re.sub(r"\\x(..)", r"\\u00\1", text)))
    return text


def _unique_names(submissions: dict[Author, list[Piece]]) -> list[tuple[str, list[Piece]]]:
    """Return the submissions by names that differ by more than the case of letters."""
    labels = {author: _label(author.name) for author in submissions}
    count = Counter(label.casefold() for label in labels.values())
    unique: dict[str, tuple[str, list[Piece]]] = {}
    for author in sorted(submissions, key=lambda author: (labels[author].casefold(), author)):
        name = label = labels[author]
        if count[label.casefold()] > 1 and author.number:
            name = label = f"{label} {author.number}"
        number = 1
        while name.casefold() in unique:
            number += 1
            name = f"{label} ({number})"
        unique[name.casefold()] = name, submissions[author]
    return list(unique.values())


def _label(name: str) -> str:
    text = " ".join(re.sub(r"[/\\]", "-", clean(name)).split())
    return text[:MOST_NAME].strip(" .") or "unnamed"


def _entry(name: str, pieces: list[Piece], folder: Path, refused: Mapping[Path, str]) -> Entry:
    """Copy a submission into a folder of its own."""
    tree = Tree(SUBMISSION)
    folder.mkdir(parents=True)
    try:
        for path, problem in refused.items():
            if any(piece.path in (path, *path.parents) for piece in pieces):
                raise ArchiveError(problem)
        for piece, file in zip(pieces, _file_names(pieces), strict=True):
            copy(piece.path, folder, file, tree)
        return Entry(name, _program_folder(folder, tree))
    except (OSError, ArchiveError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(exist_ok=True)
        return Entry(name, folder, _reason(error))


def _reason(error: OSError | ArchiveError) -> str:
    """Return what is wrong without the path, which is one of the workspace."""
    return getattr(error, "strerror", None) or str(error)


def _file_names(pieces: list[Piece]) -> list[str]:
    """Return what files are called, without the number of what was handed in to Canvas again."""
    files = [piece.file for piece in pieces]
    if not CANVAS.fullmatch(clean(pieces[0].path.name)):
        return files
    first = [CANVAS_AGAIN.sub("", file) for file in files]
    return [
        short if first.count(short) == 1 else file for short, file in zip(first, files, strict=True)
    ]


def _program_folder(folder: Path, tree: Tree) -> Path:
    """Return the folder of the program; archives on the way there are unpacked.

    On the way are folders that hold one folder or archive, and nothing else but documents.
    """
    nested = 0
    while True:
        paths = sorted(folder.iterdir())
        folders = [path for path in paths if path.is_dir()]
        archives = [path for path in paths if path not in folders and is_archive(path.name)]
        others = [path for path in paths if path not in folders and path not in archives]
        unreadable = [path for path in others if path.name.lower().endswith(UNREADABLE)]
        if any(not path.name.lower().endswith(DOCUMENTS + UNREADABLE) for path in others):
            return folder
        nested += bool(archives)
        if nested > MOST_NESTED:
            raise ArchiveError(f"{shown(archives[0].name)} is in too many other archives")
        folders += [_unpacked(archive, tree) for archive in archives]
        if len(folders) != 1:
            break
        folder = folders[0]
    if not paths:
        raise ArchiveError("it is empty")
    if unreadable and not folders:
        raise ArchiveError(f"{shown(unreadable[0].name)} cannot be unpacked; zip and tar can")
    return folder


def _unpacked(archive: Path, tree: Tree) -> Path:
    """Unpack an archive into a new folder beside it."""
    folder = archive.with_name(stem_of(archive.name))
    while folder.exists():
        folder = folder.with_name(f"{folder.name}-unpacked")
    folder.mkdir()
    try:
        unpack(archive, folder, tree)
    except ArchiveError as error:
        raise ArchiveError(f"{shown(archive.name)}: {error}") from None
    return folder
