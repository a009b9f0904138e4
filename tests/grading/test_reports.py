from __future__ import annotations

import base64
import csv
import html
import json
import re
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote
from xml.etree import ElementTree as ET

import pytest
from rich.cells import cell_len

import gridhouse
from browser_helpers import browser, look_for_barriers
from gridhouse.core.console import UsageError
from gridhouse.grading.grades import Fault, Grade, PartGrade
from gridhouse.grading.reports import class_table, feedback_text, write_reports
from gridhouse.grading.reports.files import safe_names
from gridhouse.grading.rubric import Detail, PartRubric, Rubric
from gridhouse.grading.text import NOTHING_MORE

if TYPE_CHECKING:
    from pathlib import Path

TODAY = date(2026, 12, 1)
RUBRIC = Rubric(
    "sinks",
    {"moves": PartRubric(60), "errors": PartRubric(40), "bonus": PartRubric(5, extra=True)},
    seed="open-seed-1",
    hidden_sessions=10,
    hidden_seed="secret-seed-2",
)
HOSTILE = "</script><script>alert(1)</script>\x1b[31mred\0\udcff\u202eevil\ufffe ]]> &amp;"
FOLDER = "/home/teacher/secret folder"


def fault(word: str, *, is_hidden: bool = False, **changes: Any) -> Fault:
    """Return a fault in which every text says what it is, and the word."""
    texts: dict[str, Any] = {
        "failure": f"it ended with error-{word}: raised-{word}",
        "errors": (f"raised-{word}",),
        "expected": f"wanted-{word}-1",
        "printed": f"wanted-{word}-2",
        "output": f"output-{word}\n",
        "position": f"position-{word}\n. . .",
        "picture": picture(word),
    }
    return Fault(
        kind=f"kind-{word}",
        rule=f"rule-{word}: typed-{word} wins",
        section=f"section-{word}",
        count=3,
        is_hidden=is_hidden,
        arguments=(f"argument-{word}",),
        files=((f"file-{word}", f"content-{word}\n"),),
        calls=(f"call-{word}()",),
        typed=("first", f"typed-{word}"),
        **{**texts, **changes},
    )


def picture(word: str) -> str:
    """Return a picture of a position, with a word in it."""
    return gridhouse.load("sinks").new_initial_state().open_picture().svg() + f"<!--{word}-->"


def grade(name: str = "anna", *faults: Fault, points: float = 50, **changes: object) -> Grade:
    """Return a grade that has these faults in its first part, and one where nothing counts."""
    parts = (
        PartGrade("moves", "moves of pieces", points, 60, 50, 60, 9, 10, faults),
        PartGrade("errors", "errors of moves", 40, 40, 40, 40, 0, 0, ()),
        PartGrade("bonus", "extra credit", 5, 5, 5, 5, 0, 0, (), is_extra=True),
        PartGrade("silent", "odd lines", 0, 0, 1, 2, 0, 0, (fault("silent"),)),
    )
    return replace(Grade(name, "sinks", parts), **changes)  # type: ignore[arg-type]


def grades() -> list[Grade]:
    """Return the grades of a class with a hostile member and one whose program cannot be run."""
    hostile = fault("evil", output=HOSTILE * 3, printed=HOSTILE, failure=HOSTILE)
    return [
        grade("anna", fault("open"), fault("hidden", is_hidden=True)),
        grade(f"=cmd|' /C calc'!A0{HOSTILE}", hostile, points=0, crashes=2, timeouts=1),
        grade("Müller, Jürgen\n山田 太郎", points=60),
        Grade("broken", "sinks", (), problem=f"'{FOLDER}/broken' holds no sinks.py"),
    ]


def student_texts(folder: Path, name: str) -> dict[str, str]:
    """Return all that the author of a submission gets to read."""
    return {
        kind: (folder / kind / f"{name}.{ending}").read_text(encoding="utf-8")
        for kind, ending in (("feedback", "html"), ("gradescope", "json"), ("classroom", "json"))
    }


def test_the_same_grades_give_the_same_bytes(tmp_path: Path) -> None:
    paths = write_reports(grades(), RUBRIC, tmp_path / "one", TODAY)
    again = write_reports(grades(), RUBRIC, tmp_path / "two", TODAY)
    assert [path.read_bytes() for path in paths] == [path.read_bytes() for path in again]
    assert sorted(paths) == sorted(path for path in (tmp_path / "one").rglob("*") if path.is_file())


# What each level shows of a fault and the levels after it do not.
LEVELS = {
    Detail.FULL: ("rule", "wanted", "position"),
    Detail.OUTPUT: ("argument", "file", "content", "call", "typed", "raised", "output"),
    Detail.KIND: ("kind", "section", "error"),
}


@pytest.mark.parametrize("hidden", Detail)
@pytest.mark.parametrize("shown", Detail)
def test_authors_see_what_the_rubric_allows(tmp_path: Path, shown: Detail, hidden: Detail) -> None:
    rubric = replace(RUBRIC, show=shown, show_hidden=hidden)
    one = grade("anna", fault("open"), fault("hidden", is_hidden=True))
    write_reports([one], rubric, tmp_path, TODAY)
    seen = {**student_texts(tmp_path, "anna"), "text": feedback_text(one, rubric, TODAY)}
    order = list(Detail)
    levels = {"open": shown, "hidden": max(shown, hidden, key=order.index)}
    for kind, text in seen.items():
        for word, level in levels.items():
            for at, starts in LEVELS.items():
                is_shown = order.index(level) <= order.index(at)
                for start in starts:
                    if (start, level) == ("output", Detail.FULL) and kind != "feedback":
                        continue  # there the lines that differ are enough
                    assert (f"{start}-{word}" in text) is is_shown, (kind, word, start)
            encoded = base64.b64encode(picture(word).encode()).decode()
            assert (encoded in text) is (level is Detail.FULL and kind == "feedback")
        for secret in (RUBRIC.seed, RUBRIC.hidden_seed, "index.html", "details/"):
            assert secret not in text
        assert "50" in text  # the points are always there


def test_a_day_changes_what_authors_see(tmp_path: Path) -> None:
    rubric = replace(RUBRIC, show=Detail.NOTHING, until=TODAY, then=Detail.FULL)
    one = grade("anna", fault("open"))
    assert "kind-open" not in feedback_text(one, rubric, date(2026, 11, 30))
    assert "wanted-open" in feedback_text(one, rubric, TODAY)
    assert "wanted-open" in feedback_text(one, rubric, date(2026, 11, 30), full=True)
    write_reports([one], rubric, tmp_path, date(2026, 11, 30))
    assert "wanted-open" in (tmp_path / "details" / "anna.html").read_text(encoding="utf-8")


def test_a_crash_after_the_last_line_shows_the_output(tmp_path: Path) -> None:
    one = grade("anna", fault("open", expected=NOTHING_MORE, printed=NOTHING_MORE))
    one = replace(one, parts=one.parts[:1])
    write_reports([one], RUBRIC, tmp_path, TODAY)
    text = (tmp_path / "feedback" / "anna.html").read_text(encoding="utf-8")
    for said in (text, feedback_text(one, RUBRIC, TODAY)):
        assert "output-open" in said
        assert "Expected" not in said
    assert "<details open>" in text


def test_a_fault_of_several_parts_is_shown_once(tmp_path: Path) -> None:
    one = grade("anna", fault("open"))
    first, second, *_ = one.parts
    again = replace(second, faults=(replace(fault("open"), count=2), fault("other")))
    write_reports([replace(one, parts=(first, again))], RUBRIC, tmp_path, TODAY)
    text = (tmp_path / "feedback" / "anna.html").read_text(encoding="utf-8")
    assert text.count("position-open") == text.count("position-other") == 1
    assert text.count("rule-open") == 2
    assert "2 sessions" in text
    assert "It is the fault shown under “moves of pieces”." in text


def test_passed_sessions_have_a_column_where_they_are_shown(tmp_path: Path) -> None:
    for shown in (Detail.KIND, Detail.NOTHING):
        write_reports([grade()], replace(RUBRIC, show=shown), tmp_path, TODAY)
        text = (tmp_path / "feedback" / "anna.html").read_text(encoding="utf-8")
        assert ("Sessions passed" in text) is ("50&nbsp;of&nbsp;60" in text) is (shown == "kind")


def test_authors_see_no_folder_of_the_teacher(tmp_path: Path) -> None:
    one = grade("anna", fault("open"), notes=(f"see '{FOLDER}/anna/notes.txt'",))
    problems = [
        f"'{FOLDER}/anna' holds no sinks.py",
        "C:\\Users\\teacher\\anna.py: cannot be read",
        "~teacher/secret/anna.py is empty",
    ]
    every = [one, *(replace(one, name=f"p{at}", problem=text) for at, text in enumerate(problems))]
    paths = write_reports(every, RUBRIC, tmp_path, TODAY)
    for path in paths:
        if path.parent.name in ("feedback", "gradescope", "classroom"):
            text = path.read_text(encoding="utf-8")
            assert "teacher" not in text
            assert "secret" not in text
    assert "anna' holds no sinks.py" in feedback_text(every[1], RUBRIC, TODAY)


def test_hostile_texts_are_harmless(tmp_path: Path) -> None:
    for path in write_reports(grades(), RUBRIC, tmp_path, TODAY):
        text = path.read_text(encoding="utf-8-sig")
        strange = set("".join(char for char in text if not char.isprintable())) - {"\n"}
        assert not strange, (path.name, strange)
        if path.suffix == ".html":
            assert "alert(1)</script>" not in text
            assert text.count("<script>") == (path.name == "index.html")
        if path.suffix == ".json":
            json.loads(text)
    table = class_table(grades(), 100) + feedback_text(grades()[1], RUBRIC, TODAY)
    assert "\\x1b[31mred\\x00\\xff\\u202eevil\\ufffe" in table
    assert all(char.isprintable() for char in table.replace("\n", ""))


def test_pages_ask_nobody_outside(tmp_path: Path) -> None:
    for path in write_reports(grades(), RUBRIC, tmp_path, TODAY):
        if path.suffix == ".html":
            text = html.unescape(path.read_text(encoding="utf-8"))
            assert "default-src 'none'" in text
            assert not re.search(r"""(src|href)=["'](?!data:|details/|\.\./|#)""", text)


def test_grades_are_read_back(tmp_path: Path) -> None:
    write_reports(grades(), RUBRIC, tmp_path, TODAY)
    data = json.loads((tmp_path / "grades.json").read_bytes())
    assert [Grade.from_dict(one) for one in data] == grades()


def test_the_gradebook_is_read_by_a_spreadsheet(tmp_path: Path) -> None:
    write_reports(grades(), RUBRIC, tmp_path, TODAY)
    with (tmp_path / "gradebook.csv").open(encoding="utf-8-sig", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["name", "moves", "errors", "bonus", "total", "out of", "problem"]
    assert rows[0] == ["anna", "50", "40", "5", "95", "100", ""]
    assert rows[1][0].startswith("'=cmd|")
    assert rows[2][0] == "Müller, Jürgen\n山田 太郎"
    assert rows[3] == ["broken", "0", "0", "0", "0", "100", f"'{FOLDER}/broken' holds no sinks.py"]


def test_junit_counts_failures_and_errors(tmp_path: Path) -> None:
    every = [*grades(), grade("ben", fault("plain", failure=""))]
    write_reports(every, RUBRIC, tmp_path, TODAY)
    suites = ET.parse(tmp_path / "junit.xml").getroot()
    results = [
        [suite.get(name) for name in ("tests", "failures", "errors", "skipped")] for suite in suites
    ]
    assert results[0] == ["5", "0", "1", "0"]  # the fault is a crash
    assert results[2] == ["5", "0", "0", "0"]  # what is silent does not fail
    assert results[3] == ["1", "0", "1", "0"]
    assert results[4] == ["5", "1", "0", "0"]
    failure = suites[4].find("testcase/failure")
    assert failure is not None
    assert failure.get("message") == "50 of 60 points"
    assert "Expected: wanted-plain-1\n    Printed:" in (failure.text or "").replace(
        "\nP", "\n    P"
    )


def test_gradescope_shows_points_and_hides_what_is_hidden(tmp_path: Path) -> None:
    rubric = replace(RUBRIC, show_hidden=Detail.NOTHING)
    only_hidden = PartGrade("moves", "moves", 3, 60, 0, 0, 1, 20, (fault("x", is_hidden=True),))
    one = grade("anna")
    one = replace(one, parts=(only_hidden, *one.parts[1:]), notes=("a note",))
    write_reports([one], rubric, tmp_path, TODAY)
    result = json.loads((tmp_path / "gradescope" / "anna.json").read_bytes())
    assert (result["score"], result["output"]) == (48, "a note")
    tests = {test["extra_data"]["part"]: test for test in result["tests"]}
    assert tests["moves"]["visibility"] == "hidden"
    assert tests["moves"]["output"] == ""
    assert tests["errors"]["visibility"] == "visible"
    assert (tests["errors"]["score"], tests["errors"]["max_score"]) == (40, 40)
    assert [tests[name].get("status") for name in ("moves", "errors", "silent")] == [
        "failed",
        "passed",
        None,
    ]


def test_classroom_has_whole_numbers_below_the_maximum(tmp_path: Path) -> None:
    write_reports([grade("anna", points=59.99), grade("ben", points=60)], RUBRIC, tmp_path, TODAY)
    anna, ben = (
        json.loads((tmp_path / "classroom" / f"{name}.json").read_bytes())
        for name in ("anna", "ben")
    )
    first = {key: value for key, value in anna["tests"][0].items() if key != "output"}
    assert first == {
        "test-name": "moves of pieces",
        "passed": False,
        "score": 5999,
        "max-score": 6000,
    }
    assert (anna["schema"], anna["score"], anna["max-score"]) == (
        "classroom50/result/v1",
        10_000,
        10_000,
    )
    assert (ben["score"], ben["max-score"], ben["tests"][0]["passed"]) == (10_000, 10_000, True)


def test_the_page_of_a_class_tells_its_numbers(tmp_path: Path) -> None:
    write_reports(grades(), RUBRIC, tmp_path, TODAY)
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    # 95, 45, 105 and 0 points, by ranges of 10.5
    assert "0 to 10.5: 1; 10.5 to 21: 0;" in text
    assert "42 to 52.5: 1;" in text
    assert "<dd>61.25 of 100</dd>" in text
    assert "<dd>70</dd>" in text
    for link in re.findall(r'href="(details/[^"]*)"', text):
        assert (tmp_path / unquote(link)).is_file()
    assert text.count('href="details/') == 4
    write_reports([], RUBRIC, tmp_path, TODAY)
    assert "<dd>0</dd>" in (tmp_path / "index.html").read_text(encoding="utf-8")


def test_file_names_are_safe_and_never_collide() -> None:
    names = ["a/b", "a\\b", "A_B", "../..", "", "CON", "Ünal", "U\u0308nal", "x" * 300, "\udcff\0"]
    safe = safe_names([*names, "anna", "anna-2", "anna"])
    assert safe[-3:] == ["anna", "anna-2", "anna-3"]
    assert len({name.casefold() for name in safe}) == len(safe)
    for name in safe:
        assert re.fullmatch(r"[\w.-]{1,100}", name)
        assert not name.startswith(".")
        assert name.casefold() != "con"


def test_a_file_is_whole_or_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "details").write_text("a file where a folder should be", encoding="utf-8")
    with pytest.raises(UsageError, match="details"):
        write_reports(grades(), RUBRIC, tmp_path, TODAY)
    (tmp_path / "details").unlink()
    (tmp_path / "index.html").mkdir()
    with pytest.raises(UsageError, match=r"index\.html"):
        write_reports(grades(), RUBRIC, tmp_path, TODAY)
    assert not list(tmp_path.rglob("*.unfinished"))


@pytest.mark.parametrize("width", [12, 30, 50, 80, 200])
def test_the_table_fits_the_terminal(width: int) -> None:
    table, problems = class_table(grades(), width).split("\n\n")
    lines = table.splitlines()
    assert len(lines) == 1 + 4 + 1
    assert problems.startswith("Not graded:\n  broken: ")
    assert problems.count("\n") == 2
    assert all(cell_len(line) <= width for line in lines)
    if width >= 50:
        assert re.match(r"anna +95 +50 +40 +5$", lines[1])
        assert re.match(r"mean +61\.25 +27\.5 +30 +3\.75$", lines[-1])
    assert ("…" in lines[2]) is (width < 200)


@pytest.mark.slow("drives a browser")
def test_no_report_keeps_anybody_out(tmp_path: Path) -> None:
    paths = write_reports(grades(), RUBRIC, tmp_path, TODAY)
    with browser() as started:
        page = started.new_page(viewport={"width": 390, "height": 780})
        complaints: list[str] = []
        page.on("console", lambda message: complaints.append(message.text))
        page.on("dialog", lambda dialog: complaints.append(dialog.message))
        for path in paths:
            if path.suffix == ".html":
                page.goto(path.as_uri())
                look_for_barriers(page)
        assert complaints == []  # such as of what the policy forbids
        page.goto((tmp_path / "index.html").as_uri())
        page.click("text=Points >> nth=-1")
        first = page.inner_text(".sortable tbody tr")
        assert first.startswith("broken")
        page.click(".sortable thead th:nth-child(2) button")
        assert page.inner_text(".sortable tbody tr").startswith("Müller")
