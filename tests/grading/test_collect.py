"""Finding the submissions of a class, whoever packed them, and whatever they packed."""

from __future__ import annotations

import io
import os
import shutil
import stat
import struct
import tarfile
import tempfile
import unicodedata
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gridhouse.core.console import UsageError
from gridhouse.grading import archives
from gridhouse.grading import collect as module
from gridhouse.grading.archives import ArchiveError, Limits, Tree, clean, parts_of, unpack
from gridhouse.grading.collect import collect

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gridhouse.grading.collect import Entry

Files = Mapping[str, Any]  # texts or bytes by names


def write(folder: Path, files: Files) -> Path:
    """Write files; the names of folders end with a slash."""
    for name, content in files.items():
        path = folder / name
        if name.endswith("/"):
            path.mkdir(parents=True, exist_ok=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def zipped(
    members: Files | Iterable[tuple[str | zipfile.ZipInfo, str | bytes]],
) -> bytes:
    pairs = members.items() if hasattr(members, "items") else members
    with io.BytesIO() as data:
        with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in pairs:
                archive.writestr(name, content)
        return data.getvalue()


def tarred(members: Iterable[tuple[str | tarfile.TarInfo, bytes]], mode: str = "w:gz") -> bytes:
    with io.BytesIO() as data:
        with tarfile.open(fileobj=data, mode=mode) as archive:  # type: ignore[call-overload]
            for name, content in members:
                info = tarfile.TarInfo(name) if isinstance(name, str) else name
                info.size = info.size or len(content)
                archive.addfile(info, io.BytesIO(content))
        return data.getvalue()


class Workplace:
    """A folder of submissions, and what is found there."""

    def __init__(self, folder: Path) -> None:
        self.submissions = folder / "submissions"
        self.submissions.mkdir()
        self.workspace = folder / "workspace"

    def collect(self, path: Path | None = None) -> list[Entry]:
        shutil.rmtree(self.workspace, ignore_errors=True)
        return collect(path or self.submissions, self.workspace)

    def found(self, path: Path | None = None) -> dict[str, dict[str, str]]:
        """Return the text of each file at the top of each submission that has no problem."""
        entries = self.collect(path)
        assert [entry.problem for entry in entries if entry.problem] == []
        for entry in entries:
            assert entry.path.is_relative_to(self.workspace)
        return {entry.name: texts(entry.path) for entry in entries}

    def problem(self, name: str, content: bytes) -> str:
        """Return the problem of one submission; its neighbours have none, and nothing is left."""
        shutil.rmtree(self.submissions)
        write(self.submissions, {name: content, "aaa.py": "a", "zzz.py": "z"})
        first, entry, last = self.collect()
        assert (first.problem, last.problem) == ("", "")
        assert len(entry.problem.splitlines()) == 1
        assert not list(entry.path.iterdir())
        assert str(self.workspace) not in entry.problem
        return entry.problem


def texts(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(folder.iterdir()) if path.is_file()}


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    return Workplace(tmp_path)


def in_all_ways(place: Workplace, files: Files) -> dict[str, dict[str, str]]:
    """Return what is found in a folder, in a zip of it, and in a tar with a folder around it."""
    write(place.submissions, files)
    archive = place.submissions.with_name("class.zip")
    archive.write_bytes(zipped(files))
    wrapped = place.submissions.with_name("class.tgz")
    wrapped.write_bytes(
        tarred((f"wrapping/{name}", Path(place.submissions / name).read_bytes()) for name in files)
    )
    found = place.found()
    assert place.found(archive) == found
    assert place.found(wrapped) == found
    assert not (place.workspace / "class").exists()
    return found


def test_plain_files_folders_and_archives(place: Workplace) -> None:
    files = {
        "dora.tar.gz": tarred([("./a1.py", b"d")]),
        "bert/project/a1.py": "b",
        "bert/project/helper.py": "h",
        "bert/__pycache__/a1.pyc": "",
        "carl.zip": zipped({"carl/a1.py": "c", "__MACOSX/._a1.py": ""}),
        "anna.py": "a",
        ".DS_Store": "",
        "Emil.tar.xz": tarred([("a1.py", b"e")], "w:xz"),
        "frau.tar.bz2": tarred([("a1.py", b"f")], "w:bz2"),
        "gerd.tar": tarred([("a1.py", b"g")], "w"),
    }
    found = in_all_ways(place, files)
    assert list(found) == ["anna", "bert", "carl", "dora", "Emil", "frau", "gerd"]
    assert found["anna"] == {"anna.py": "a"}
    assert found["bert"] == {"a1.py": "b", "helper.py": "h"}
    assert [found[name] for name in list(found)[2:]] == [{"a1.py": letter} for letter in "cdefg"]


def test_moodle(place: Workplace) -> None:
    files = {
        "Zoë van Dam_1234567_assignsubmission_file_/a1.py": "z",
        "Anna Lee_1234568_assignsubmission_file_a1.py": "a",
        "Anna Lee_1234568_assignsubmission_file_helper.py": "h",
        "Bert Fox_1234569_assignsubmission_file/b.zip": zipped({"a1.py": "b"}),
        "Anna Lee_1234568_assignsubmission_onlinetext_onlinetext.html": "I did it.",
        "Bert Fox_1234569_assignsubmission_onlinetext_/onlinetext.html": "I did it.",
    }
    assert in_all_ways(place, files) == {
        "Anna Lee": {"a1.py": "a", "helper.py": "h"},
        "Bert Fox": {"a1.py": "b"},
        "Zoë van Dam": {"a1.py": "z"},
    }


def test_moodle_with_hidden_names_keeps_their_numbers(place: Workplace) -> None:
    files = {f"Participant_{number}_assignsubmission_file_/a1.py": number for number in "321"}
    assert list(in_all_ways(place, files)) == ["Participant 1", "Participant 2", "Participant 3"]


def test_canvas(place: Workplace) -> None:
    files = {
        "foxbert_LATE_12345_67890_a1-2.py": "b",
        "leeanna_340934_208490284_a1.py": "a",
        "leeanna_340934_208490285_helper-1.py": "h",
        "leeanna_340934_208490286_report.pdf": "",
        "poecarl_12347_67891_work.zip": zipped({"work/a1.py": "c"}),
        "poecarl_12347_67892_screen.png": "",
        "roedora_12348_67893_a1-1.py": "1",
        "roedora_12348_67894_a1-2.py": "2",
        "roedora_12348_text.html": "I did it.",
        "LATE_anon_x1y2z_67895_a1.py": "x",
        "anon_a1b2c_67896_a1.py": "y",
    }
    assert in_all_ways(place, files) == {
        "anon a1b2c": {"a1.py": "y"},
        "anon x1y2z": {"a1.py": "x"},
        "foxbert": {"a1.py": "b"},
        "leeanna": {"a1.py": "a", "helper.py": "h", "report.pdf": ""},
        "poecarl": {"a1.py": "c"},
        "roedora": {"a1-1.py": "1", "a1-2.py": "2"},
    }


GRADESCOPE = """\
submission_456:
  :submitters:
  - :name: Zoë Lee
    :sid: '123456789'
    :email: zoe@example.org
  :created_at: 2026-04-26 17:34:00.861687000 Z
  :history:
  - :name: Mallory
  :results:
    output: |-
      submission_457:
        :submitters:
        - :name: Mallory
"submission_457":
  :submitters:
  - :sid: '111'
    :name: 'Pat O''Neil'
  - :name: "Bj\\xF6rn \\u0141"
  :score: 10.0
submission_458:
  :submitters: []
submission_459:
  :submitters:
  - :name:
"""


def test_gradescope(place: Workplace) -> None:
    files = {f"assignment_1_export/submission_{number}/a1.py": number for number in ("456", "457")}
    files |= {"assignment_1_export/submission_458/a1.py": "458"}
    files |= {"assignment_1_export/submission_459/a1.py": "459"}
    files["assignment_1_export/submission_metadata.yml"] = GRADESCOPE
    write(place.submissions, files)
    archive = write(place.submissions.parent, {"class.zip": zipped(files)}) / "class.zip"
    for path in (place.submissions, place.submissions / "assignment_1_export", archive):
        assert {name: found["a1.py"] for name, found in place.found(path).items()} == {
            "Pat O'Neil, Björn Ł": "457",
            "submission_458": "458",
            "submission_459": "459",
            "Zoë Lee": "456",
        }


@pytest.mark.parametrize("metadata", [b"\xff\xfe", b": [\n", b"[]", b"submission_1:\n  - :name: x"])
def test_gradescope_without_names_goes_by_folders(place: Workplace, metadata: bytes) -> None:
    files = {"submission_1/a1.py": "1", "submission_2/a1.py": "2"}
    write(place.submissions, {**files, "submission_metadata.yml": metadata})
    assert list(place.found()) == ["submission_1", "submission_2"]


@pytest.mark.parametrize(
    ("folders", "names"),
    [
        (["lab-1-anna", "lab-1-anne", "lab-1-jo-lee"], ["anna", "anne", "jo-lee"]),
        (["lab-anna", "lab-bert", "template"], ["lab-anna", "lab-bert", "template"]),
        (["lab-", "lab-bert"], ["lab-", "lab-bert"]),
        (["lab-anna"], ["lab-anna"]),
    ],
)
def test_repositories_go_by_what_differs(
    place: Workplace, folders: list[str], names: list[str]
) -> None:
    files = {f"{folder}/{name}": "" for folder in folders for name in ("a1.py", ".git/config")}
    files |= {f"{folder}/my-env/pyvenv.cfg": "" for folder in folders}
    write(place.submissions, files)
    assert list(place.found()) == names
    for entry in place.collect():
        assert os.listdir(entry.path) == ["a1.py"]


def test_a_single_folder_is_a_submission_unless_it_was_packed_or_holds_a_class(
    place: Workplace,
) -> None:
    write(place.submissions, {"bert/a1.py": "b"})
    assert place.found() == {"bert": {"a1.py": "b"}}
    write(place.submissions, {"bert/a1.py": "b", "carl/a1.py": "c"})
    assert list(place.found(place.submissions)) == ["bert", "carl"]
    assert list(place.found(place.submissions.parent)) == ["bert", "carl"]
    one = zipped({"Anna Lee_12_assignsubmission_file_/a1.py": "a"})
    write(place.submissions.parent, {"class.zip": one})
    assert place.found(place.submissions.parent / "class.zip") == {"Anna Lee": {"a1.py": "a"}}


def test_the_program_is_found_below_folders_archives_and_documents(place: Workplace) -> None:
    inner = zipped({"deep/a1.py": "x", "deep/data.zip": b"not unpacked"})
    files = {
        "anna/README.md": "",
        "anna/work.zip": zipped({"report.pdf": "", "again.ZIP": inner}),
        "bert/Makefile": "",
        "bert/src/a1.py": "",
    }
    write(place.submissions, files)
    assert place.found() == {
        "anna": {"a1.py": "x", "data.zip": "not unpacked"},
        "bert": {"Makefile": ""},
    }


def test_archives_in_too_many_archives(place: Workplace) -> None:
    archive = zipped({"a1.py": "x"})
    for _ in range(3):
        archive = zipped({"again.zip": archive})
    assert place.problem("mallory.zip", archive) == "'again.zip' is in too many other archives"


def test_a_folder_that_cannot_be_made_costs_one_submission(place: Workplace) -> None:
    name = "n" * 250
    archive = zipped({f"{name}.zip": zipped({}), f"{name}/report.pdf": ""})
    assert place.problem("m.zip", archive) == "File name too long"


def test_names_that_only_look_like_those_of_a_scheme(place: Workplace) -> None:
    files = {"lab_2026_10_anna.py": "", "lab_2026_10_bert.py": "", "lab-carl/a1.py": ""}
    assert list(in_all_ways(place, files)) == [
        "lab-carl",
        "lab_2026_10_anna",
        "lab_2026_10_bert",
    ]
    shutil.rmtree(place.submissions)
    write(place.submissions, {"lab-anna/a1.py": "", "lab-bert.py": ""})
    assert list(place.found()) == ["lab-anna", "lab-bert"]


def test_names_are_unique_and_clean(place: Workplace) -> None:
    nfd = unicodedata.normalize("NFD", "Zoë")
    for name in (
        f"{nfd}.py",
        "Zoë/a1.py",
        "ANNA.py",
        "anna/a1.py",
        "anna (2).c",
        "b\n\x1b[1me\n\u0301.py",
    ):
        write(place.submissions, {name: ""})
    names = [entry.name for entry in place.collect()]
    assert names == ["ANNA", "anna (2)", "anna (2) (2)", "b[1mé", "Zoë", "Zoë (2)"]


NAMES = st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), max_size=12)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.one_of(NAMES, st.sampled_from(["a_1_assignsubmission_file_", "..", "a.py"]))))
def test_any_names_are_told_apart_and_stay_inside(names: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder, "class.zip")
        outside = []
        with zipfile.ZipFile(archive, "w") as file:
            for number, name in enumerate(dict.fromkeys(names)):
                try:
                    parts_of(f"{name}/{number}.py")
                except ArchiveError:
                    outside.append(name)
                file.writestr(f"{name}/{number}.py", "x")
        workspace = Path(folder, "deep", "workspace")
        try:
            entries = collect(archive, workspace)
        except UsageError as error:
            assert outside or "holds no submissions" in str(error)
            entries = []
        found = {entry.name.casefold() for entry in entries}
        assert len(found) == len(entries)
        for entry in entries:
            assert entry.name == clean(entry.name).strip(" .")
            assert not set(entry.name) & set("/\\\n\0")
            assert entry.path.resolve().is_relative_to(workspace.resolve())
        assert {path.name for path in Path(folder).iterdir()} <= {"class.zip", "deep"}


@pytest.mark.parametrize(
    "name",
    ["../evil.py", "a/../../evil.py", "/evil.py", "..\\evil.py", "\\evil.py", "C:\\evil.py", "C:e"],
)
def test_members_stay_inside(place: Workplace, name: str) -> None:
    shown = name.replace("\\", "/")
    problem = f"'mallory.zip': it holds {shown!r}, which leads out of it"
    archive = zipped([("a1.py", "x"), (name, "x")])
    assert place.problem("mallory.zip", archive) == problem
    assert place.problem("mallory.tar", tarred([(name, b"x")])) == problem.replace("zip", "tar")
    write(place.submissions.parent, {"class.zip": archive})
    with pytest.raises(UsageError, match=r"class.zip': it holds .*, which leads out of it$"):
        place.collect(place.submissions.parent / "class.zip")


def test_backslashes_of_windows_separate(place: Workplace) -> None:
    write(place.submissions, {"anna.zip": zipped({"work\\a1.py": "x", "work\\lib\\": ""})})
    assert place.found() == {"anna": {"a1.py": "x"}}


def special(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def test_links_and_devices_in_archives_are_left_out(place: Workplace) -> None:
    link = zipfile.ZipInfo("link.py")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    members: list[tuple[str | tarfile.TarInfo, bytes]] = [
        (special("link", tarfile.SYMTYPE, "/etc"), b""),
        ("link/passwd.py", b"mine"),
        (special("hard.py", tarfile.LNKTYPE, "/etc/passwd"), b""),
        (special("pipe.py", tarfile.FIFOTYPE), b""),
        (special("null.py", tarfile.CHRTYPE), b""),
        ("a1.py", b"x"),
    ]
    write(
        place.submissions,
        {"anna.zip": zipped([("a1.py", "x"), (link, "/etc/passwd")]), "bert.tgz": tarred(members)},
    )
    assert place.found() == {"anna": {"a1.py": "x"}, "bert": {"a1.py": "x"}}
    assert [path.read_text() for path in place.workspace.rglob("passwd.py")] == ["mine"]


def test_links_in_folders_are_not_followed(place: Workplace) -> None:
    secret = write(place.submissions.parent, {"secret/key.py": "secret"}) / "secret"
    write(place.submissions, {"anna/a1.py": "x"})
    (place.submissions / "anna" / "link.py").symlink_to(secret / "key.py")
    (place.submissions / "anna" / "more").symlink_to(secret)
    (place.submissions / "anna" / "loop").symlink_to(place.submissions / "anna")
    os.mkfifo(place.submissions / "anna" / "pipe.py")
    (place.submissions / "bert").symlink_to(secret)
    (place.submissions / "carl.py").symlink_to(secret / "key.py")
    os.mkfifo(place.submissions / "dora")
    problem = "it is a link or a device, which is not followed"
    assert [(entry.name, entry.problem) for entry in place.collect()] == [
        ("anna", ""),
        ("bert", problem),
        ("carl", problem),
        ("dora", problem),
    ]
    files = [path for path in place.workspace.rglob("*") if not path.is_dir()]
    assert files == [place.workspace / "1" / "a1.py"]


LITTLE = Limits(20, 3000, 8000)


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SUBMISSION", LITTLE)


def with_lying_sizes(archive: bytes) -> bytes:
    """Return a zip whose directory and headers say that the member is one byte long."""
    directory = archive.index(b"PK\1\2")
    one = struct.pack("<L", 1)
    return archive[:22] + one + archive[26 : directory + 24] + one + archive[directory + 28 :]


BIG = b"\0" * 10_000
MANY = {f"{number}.py": "" for number in range(21)}
BELOW = "/".join("a" * 21) + "/a1.py"


@pytest.mark.usefixtures("limits")
@pytest.mark.parametrize(
    ("name", "archive", "problem"),
    [
        ("m.zip", zipped({"a1.py": BIG}), "'m.zip': 'a1.py' has more than 0.00286102 MB"),
        ("m.tgz", tarred([("a1.py", BIG)]), "'m.tgz': 'a1.py' has more than 0.00286102 MB"),
        ("m.tbz", BIG, "'m.tbz' has more than 0.00286102 MB"),
        (
            "m.zip",
            zipped({f"{number}.py": BIG[:999] for number in range(9)}),
            "'m.zip': it unpacks to more than 0.00762939 MB",
        ),
        ("m.zip", zipped({"in.zip": zipped({"a1.py": BIG})}), "'in.zip': 'a1.py' has more than"),
        ("m.tgz", tarred([(name, b"") for name in MANY]), "it unpacks to more than 20 files"),
        ("m.zip", zipped({f"{name}/": "" for name in MANY}), "it unpacks to more than 20 files"),
        ("m.zip", zipped({BELOW: ""}), "it unpacks to more than 20 files and folders"),
        ("m.tgz", tarred([("n" * 5000, b"")]), "is too long a name"),
        ("m.tgz", tarred([("venv/x", 9 * BIG)]), "it unpacks to more than 0.0152588 MB"),
    ],
)
def test_bombs(place: Workplace, name: str, archive: bytes, problem: str) -> None:
    assert problem in place.problem(name, archive)


def test_a_header_that_lies_of_a_size_gives_no_more_than_it_says(place: Workplace) -> None:
    assert place.problem("m.zip", with_lying_sizes(zipped({"a1.py": BIG}))) == (
        "'m.zip': 'a1.py' is damaged"
    )


def test_a_header_of_tar_is_not_read_whatever_it_says(tmp_path: Path) -> None:
    name = special("././@LongLink", tarfile.GNUTYPE_LONGNAME)
    name.size = 1 << 40
    archive = tmp_path / "m.tar"
    archive.write_bytes(name.tobuf(tarfile.GNU_FORMAT) + b"x" * 10_000)
    with pytest.raises(ArchiveError, match=r"^it is damaged, or no tar archive$"):
        unpack(archive, tmp_path / "x", Tree(LITTLE))


def test_members_that_are_passed_over_are_not_read_for_ever(tmp_path: Path) -> None:
    archive = write(tmp_path, {"m.tar": tarred([(".x", b"")] * 50, "w")}) / "m.tar"
    with pytest.raises(ArchiveError, match=r"^it unpacks to more than 40 files and folders$"):
        unpack(archive, tmp_path / "x", Tree(Limits(2, 1000, 100_000)))


@pytest.mark.usefixtures("limits")
def test_folders_of_too_much(place: Workplace) -> None:
    write(place.submissions, {f"anna/{name}": "" for name in MANY})
    write(place.submissions, {"bert/a1.py": BIG, "carl/a1.py": "", "dora.py": BIG})
    assert [entry.problem for entry in place.collect()] == [
        "it holds more than 20 files and folders",
        "'a1.py' has more than 0.00286102 MB",
        "",
        "'dora.py' has more than 0.00286102 MB",
    ]
    left = [path.stat().st_size for path in place.workspace.rglob("*") if path.is_file()]
    assert left == [0]


def encrypted(archive: bytes) -> bytes:
    """Return a zip that says its member is encrypted."""
    directory = archive.index(b"PK\1\2")
    flags = archive[6] | 1, archive[directory + 8] | 1
    return (
        archive[:6]
        + bytes(flags[:1])
        + archive[7 : directory + 8]
        + bytes(flags[1:])
        + archive[directory + 9 :]
    )


GOOD = zipped([("a1.py", os.urandom(500))])
GOOD_TAR = tarred([("a1.py", os.urandom(5000)), ("b.py", b"")])
UNKNOWN = GOOD.replace(b"\x08\0", b"\x63\0")  # the compression method


@pytest.mark.parametrize(
    ("name", "archive", "problem"),
    [
        ("m.zip", encrypted(GOOD), "'m.zip': 'a1.py' is encrypted"),
        ("m.zip", UNKNOWN, "'m.zip': 'a1.py' is packed in a way that cannot be read"),
        ("m.zip", GOOD[:-30], "'m.zip': it is damaged, or no zip archive"),
        ("m.zip", GOOD[:200] + bytes([GOOD[200] ^ 1]) + GOOD[201:], "'m.zip': 'a1.py' is damaged"),
        ("m.zip", b"", "'m.zip': it is damaged, or no zip archive"),
        ("m.zip", b"Rar!", "'m.zip': it is damaged, or no zip archive"),
        ("m.zip", zipped({}), "it is empty"),
        (
            "m.zip",
            zipped({"a": "file", "a/b.py": ""}),
            "'m.zip': 'a/b.py' is both a file and a folder",
        ),
        ("m.zip", zipped({"a/b.py": "", "a": ""}), "'m.zip': 'a' is both a file and a folder"),
        ("m.tgz", GOOD_TAR[:3000], "'m.tgz': 'a1.py' is damaged"),
        (
            "m.tgz",
            GOOD_TAR[:-8] + b"sum " + GOOD_TAR[-4:],
            "'m.tgz': it is damaged, or no tar archive",
        ),
        ("m.tar", b"x" * 2000, "'m.tar': it is damaged, or no tar archive"),
        (
            "m.tar",
            tarred([("a1.py", b"x"), ("b.py", b"")], "w").replace(b"b.py", b"c.py"),
            "'m.tar': it is damaged, or no tar archive",
        ),
        ("m.rar", b"Rar!", "'m.rar' cannot be unpacked; zip and tar can"),
    ],
)
def test_archives_that_cannot_be_read(
    place: Workplace, name: str, archive: bytes, problem: str
) -> None:
    assert place.problem(name, archive) == problem


def test_a_broken_file_in_the_class_archive_costs_one_submission(
    place: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CLASS", LITTLE)
    members = {"anna/a1.py": "a", "bert/a1.py": "b", "carl.zip": BIG, "dora/": ""}
    archive = place.submissions / "class.zip"
    data = bytearray(zipped(members))
    data[data.index(b"bert/a1.py") + len("bert/a1.py")] ^= 0x10
    archive.write_bytes(data)
    assert [(entry.name, entry.problem) for entry in place.collect(archive)] == [
        ("anna", ""),
        ("bert", "'bert/a1.py' is damaged"),
        ("carl", "'carl.zip' has more than 0.00286102 MB"),
        ("dora", "it is empty"),
    ]


def test_what_is_refused_takes_no_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "CHUNK", 1000)
    files = {f"{number}.py": BIG for number in range(9)}
    archive = write(tmp_path, {"class.zip": zipped(files)}) / "class.zip"
    tree = Tree(LITTLE, keep_refused=True)
    unpack(archive, tmp_path, tree)
    assert {path.name: path.stat().st_size for path in tree.refused} == dict.fromkeys(files, 0)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_of_two_members_with_one_name_the_later_stays(place: Workplace) -> None:
    twice = [("a1.py", b"first"), ("a1.py", b"second")]
    write(place.submissions, {"a.zip": zipped(twice), "b.tar": tarred(twice, "w")})
    assert place.found() == {"a": {"a1.py": "second"}, "b": {"a1.py": "second"}}


def test_names_of_members_in_other_encodings(place: Workplace) -> None:
    as_utf8 = zipped({"xxxxx.py": "x"})
    files = {
        "utf8.zip": as_utf8.replace(b"xxxxx", "möö".encode()),  # the flag is not set
        "cp437.zip": as_utf8.replace(b"xxxxx", "m\x94\x94tt".encode("latin-1")),
        "latin1.tar": tarfile.TarInfo("möö.py").tobuf(tarfile.GNU_FORMAT, "latin-1"),
    }
    write(place.submissions, files)
    assert place.found() == {
        "cp437": {"möött.py": "x"},
        "latin1": {"m.py": ""},
        "utf8": {"möö.py": "x"},
    }


def test_modes_are_plain(place: Workplace) -> None:
    run, text = tarfile.TarInfo("run.sh"), tarfile.TarInfo("src/a1.py")
    run.mode, text.mode = 0o6711, 0o002
    folder = special("src", tarfile.DIRTYPE)
    folder.mode = 0
    write(place.submissions, {"anna.tar": tarred([(folder, b""), (run, b""), (text, b"")], "w")})
    (entry,) = place.collect()
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in entry.path.rglob("*")}
    assert modes == {"run.sh": 0o755, "src": 0o755, "a1.py": 0o644}


@pytest.mark.parametrize(
    ("files", "path", "message"),
    [
        ({}, "", "holds no submissions"),
        ({".git/config": "", "__MACOSX/x": ""}, "", "holds no submissions"),
        ({}, "missing", "there is no file or folder"),
        ({"a1.py": ""}, "a1.py", "is neither a folder nor a zip or tar archive"),
        ({"c.zip": b"PK"}, "c.zip", "it is damaged, or no zip archive"),
        ({"c.zip": zipped({})}, "c.zip", "holds no submissions"),
    ],
)
def test_where_there_are_no_submissions(
    place: Workplace, files: Files, path: str, message: str
) -> None:
    with pytest.raises(UsageError, match=message) as error:
        place.collect(write(place.submissions, files) / path)
    assert len(str(error.value).splitlines()) == 1
