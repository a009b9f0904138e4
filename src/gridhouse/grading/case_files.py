"""Test files of courses: what is typed, and what is expected in answer.

There are two formats.  A file of commands, as the Binary Game's course has it, holds each command
with its answer below; ``#`` starts a comment, ``?`` before a command marks one that counts, and
``@`` before an answer makes a regular expression of it.  A folder holds the output of each case in
``NAME.out``, what is typed in ``NAME.in``, arguments in ``NAME.args``, and calls of the program's
functions in ``NAME.call``, below ``random.seed(N)`` if chance plays a part.  The other files beside
them are there when the program runs.  Cases may stand in folders of their own.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, NamedTuple

from gridhouse.core.components import component
from gridhouse.core.console import UsageError, read_file
from gridhouse.core.registry import game_class
from gridhouse.core.sessions import Session
from gridhouse.grading.compare import Difference, Line, Profile, first_difference, lines_of
from gridhouse.grading.games import grading_of
from gridhouse.grading.reference import transcript

if TYPE_CHECKING:
    from collections.abc import Container, Iterable
    from pathlib import Path

    from gridhouse.grading.games import Grading

COMMENT = "#"
COUNTS = "?"
PATTERN = "@"
SUFFIXES = OUTPUT, TYPED, ARGUMENTS, CALLS = (".out", ".in", ".args", ".call")
SEED = re.compile(r"random\.seed\((\d+(?:\.\d+)?)\)")


class Answer(NamedTuple):
    """An expected answer; with a pattern, what stands before its last line has to match that."""

    lines: list[Line]
    pattern: re.Pattern[str] | None = None

    def difference(self, given: list[Line]) -> Difference | None:
        """Return where an answer first differs from this one, None where it does not."""
        if self.pattern is None:
            return first_difference(self.lines, given)
        if given and self.pattern.match("\n".join(line.key for line in given[:-1])):
            return first_difference(self.lines[-1:], given[-1:])
        return Difference(0, self.lines[0], given[0] if given else None)


class Case(NamedTuple):
    """A session with the answers that a test file expects: one to each command, or one to all.

    ``text`` is the text of the file, in which the lines have their offsets.  ``status`` is how the
    last line of each answer begins, "" where there is one answer to all.
    """

    path: Path
    text: str
    session: Session
    answers: list[Answer]
    status: str = ""

    def split(self, output: str, grading: Grading) -> list[list[Line]]:
        """Return the lines of an output by answers, as many as are expected; some may be empty."""
        count = len(self.answers)
        return (_split(output, self.status, grading) + [[]] * count)[:count]

    def number(self, at: int, difference: Difference) -> int:
        """Return the number of the file's line in which an answer differs, or of its last one."""
        lines = self.answers[at].lines
        line = difference.expected or (lines[-1] if lines else None)
        return self.text.count("\n", 0, line.offset if line else 0) + 1


def _split(output: str, status: str, grading: Grading) -> list[list[Line]]:
    lines = lines_of(output, Profile.COURSE, grading)
    if not status:
        return [lines]
    answers: list[list[Line]] = [[]]
    for line in lines:
        answers[-1].append(line)
        if line.key.startswith(status):
            answers.append([])
    return answers


def read_cases(game: str, path: Path, default: Session) -> list[Case]:
    """Return the cases of a file or a folder; raises UsageError.

    The default gives arguments, calls and seed to the cases of a folder that have none.
    """
    grading = grading_of(game)
    if path.is_dir():
        cases = [_read_output(game, file, default) for file in _outputs(path)]
    elif not path.exists():
        raise UsageError(f"there is no file or folder {str(path)!r}")
    elif grading.STATUS:
        cases = [_read_commands(grading.STATUS, path)]
    else:
        raise UsageError(f"{str(path)!r} is no folder with NAME.in and NAME.out in it")
    if not any(case.answers for case in cases):
        raise UsageError(f"{str(path)!r} holds no test")
    return cases


def _read_commands(status: str, path: Path) -> Case:
    text = read_file(str(path))
    commands: list[str] = []
    answers: list[Answer] = []
    answer: list[Line] | None = None
    offset = asked = 0
    for number, line in enumerate(text.split("\n"), 1):
        key = line.strip()
        if key and not key.startswith(COMMENT):
            if answer is None:
                commands.append(key.removeprefix(COUNTS))
                asked, answer = number, []
            else:
                answer.append(Line(key, key, offset))
                if key.startswith(status):
                    answers.append(_answer(f"{str(path)!r}, line {asked}", answer))
                    answer = None
        offset += len(line) + 1
    if answer is not None:
        told = f"no line that begins with {status.strip()!r} ends the answer to {commands[-1]!r}"
        raise UsageError(f"{str(path)!r}, line {asked}: {told}")
    named = {word for command in commands for word in command.split()[1:]}
    files = [file for file in sorted(path.parent.iterdir()) if file.name in named]
    session = Session(tuple(commands), files=_texts(files))
    return Case(path, text, session, answers, status)


def _answer(place: str, lines: list[Line]) -> Answer:
    if not lines[0].key.startswith(PATTERN):
        return Answer(lines)
    pattern = "\n".join(line.key for line in lines[:-1])[len(PATTERN) :]
    try:
        return Answer(lines, re.compile(pattern, re.DOTALL))
    except re.error as error:
        raise UsageError(f"{place}: {pattern!r} is no regular expression: {error}") from None


def _outputs(folder: Path) -> list[Path]:
    """Return the files with outputs; raises UsageError for a case that is not whole."""
    names = {suffix: {f.with_suffix("") for f in folder.rglob(f"*{suffix}")} for suffix in SUFFIXES}
    outputs = names.pop(OUTPUT)
    beside = set().union(*names.values())
    for name in sorted(outputs ^ beside):
        missing = "one of .in, .args and .call" if name in outputs else OUTPUT
        raise UsageError(f"the case {str(name)!r} has no file that ends in {missing}")
    return [name.parent / (name.name + OUTPUT) for name in sorted(outputs)]


def _read_output(game: str, path: Path, default: Session) -> Case:
    text = read_file(str(path))
    typed, arguments, calls = (
        read_file(str(file)) if (file := path.with_suffix(suffix)).exists() else None
        for suffix in (TYPED, ARGUMENTS, CALLS)
    )
    beside = [file for file in sorted(path.parent.iterdir()) if file.suffix not in SUFFIXES]
    session = default._replace(
        lines=tuple(typed.removesuffix("\n").split("\n")) if typed else (),
        files=_texts(file for file in beside if not file.name.startswith(".")),
    )
    if arguments is not None:
        session = session._replace(arguments=tuple(arguments.split()))
    if calls is not None:
        plain, seed = read_calls(game, calls, str(path.with_suffix(CALLS)))
        session = session._replace(calls=plain, seed=default.seed if seed is None else seed)
    return Case(path, text, session, [Answer(lines_of(text, Profile.COURSE, grading_of(game)))])


def _texts(files: Iterable[Path]) -> tuple[tuple[str, str], ...]:
    return tuple((file.name, read_file(str(file))) for file in files if file.is_file())


def read_calls(game: str, text: str, name: str) -> tuple[tuple[str, ...], float | None]:
    """Return the calls in a text, one a line, and their seed; raises UsageError.

    They are carried out in this process, so nothing but plain calls is let through.
    """
    functions = vars(component(game_class(game), grading_of(game).CALLS))
    calls = [line.strip() for line in text.splitlines() if line.strip()]
    seeded = SEED.fullmatch(calls[0]) if calls else None
    if seeded:
        del calls[0]
    for call in calls:
        if not _is_plain(call, functions):
            told = f"{call!r} is no call of a function of the program with plain values"
            raise UsageError(f"{name!r}: {told}")
    return tuple(calls), float(seeded[1]) if seeded else None


def _is_plain(call: str, functions: Container[str]) -> bool:
    try:
        node = ast.parse(call.removesuffix(";"), mode="eval").body
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            return False
        for argument in node.args:
            ast.literal_eval(argument)
    except (SyntaxError, ValueError):
        return False
    return node.func.id in functions and not node.keywords


def write_cases(game: str, path: Path, sessions: dict[str, Session], status: str) -> None:
    """Write sessions with the exact program's output: in one file, or in a folder of each name.

    Raises UsageError where something is there already or cannot be written.
    """
    try:
        if status:
            with path.open("x", encoding="utf-8") as file:
                for name, session in sessions.items():
                    file.write(f"{COMMENT} {name}\n{_commands_text(game, session, status)}")
            return
        for name, session in sessions.items():
            folder = path / re.sub(r"\W+", "-", name)
            folder.mkdir(parents=True)
            for file_name, text in _texts_of(game, session).items():
                (folder / file_name).write_text(text, encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise UsageError(f"{error.filename!r}: {error.strerror}") from None


def _commands_text(game: str, session: Session, status: str) -> str:
    output = transcript(game_class(game), session).text
    answers = _split(output, status, grading_of(game))
    return "".join(
        "\n".join([command, *(line.key for line in answer)]) + "\n\n"
        for command, answer in zip(session.lines, answers, strict=False)
    )


def _texts_of(game: str, session: Session) -> dict[str, str]:
    """Return the texts of a case's files by their names."""
    texts = dict(session.files)
    texts["test" + OUTPUT] = transcript(game_class(game), session).text
    texts["test" + TYPED] = session.typed
    texts["test" + ARGUMENTS] = "".join(word + "\n" for word in session.arguments)
    if session.calls:
        texts["test" + CALLS] = "\n".join([f"random.seed({session.seed!r})", *session.calls]) + "\n"
    return texts
