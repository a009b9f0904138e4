"""The languages of submissions, told by the files that they bring, and how those are built."""

from __future__ import annotations

import io
import os
import shutil
import tarfile
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from gridhouse.core.errors import GridhouseError
from gridhouse.sandbox import End, Limits, Sandbox
from gridhouse.sandbox.results import MIB

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

BUILD_LIMITS = Limits(
    wall=120, cpu=120, memory=8192 * MIB, output=64 * MIB, processes=128, disk=256 * MIB
)
MOST_LINES = 5  # of a compiler's errors
PROGRAM = "program"  # the executable that a compiler makes
NAMES = (PROGRAM, "main", "a.out")  # executables that a Makefile makes, beside the game's name
# Of the files only links lie in the working folder, and some compilers write beside their sources.
COPY = "mkdir .build && cp -RL -- * .build && cd .build"
PACK = "tar -cf - ."


class BuildError(GridhouseError):
    """A submission cannot be built; ``errors`` are the first lines that the compiler said."""

    def __init__(self, message: str, errors: tuple[str, ...] = ()) -> None:
        """Say in one line why."""
        super().__init__(message)
        self.errors = errors


class Language(NamedTuple):
    """How programs in a language are built and run, as commands of a shell.

    ``{main}`` stands for the name, without its ending, of the first of the ``sources`` that there
    is, a pattern matching one file only.  A language without a command to run leaves a program of a
    name that is known.  ``memory`` is the address space that its runtime needs.
    """

    name: str
    sources: tuple[str, ...]
    build: str
    run: str
    memory: int = 512 * MIB


JAVA = "java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xmx256m {main}"
LANGUAGES = (
    Language("make", ("Makefile", "makefile", "GNUmakefile"), "make", ""),
    Language("Java", ("Main.java", "*.java"), "javac -encoding UTF-8 *.java", JAVA, 8192 * MIB),
    Language("C", ("main.c", "*.c"), f"cc -O1 -o {PROGRAM} *.c -lm", f"./{PROGRAM}"),
    Language("C++", ("main.cpp", "*.cpp"), f"c++ -O1 -o {PROGRAM} *.cpp", f"./{PROGRAM}"),
    Language("JavaScript", ("main.js", "*.js"), "", "node {main}.js", 8192 * MIB),
)


def language_of(path: Path) -> Language | None:
    """Return the language of a file or folder, its main source filled in; None if none fits."""
    for language in LANGUAGES:
        for pattern in language.sources:
            found = [*path.glob(pattern)] if path.is_dir() else [path] * path.match(pattern)
            if len(found) == 1:
                return language._replace(run=language.run.replace("{main}", found[0].stem))
    return None


def prepare(
    folder: Path, language: Language, names: Sequence[str], *, require: bool = False
) -> Language:
    """Build a program in place and return its language with a command to run.

    ``names`` are those that a program made by a Makefile may have, besides the usual ones.  Raises
    BuildError and SandboxError.
    """
    tool = missing_tool(language) if language.sources else ""
    if tool:
        raise BuildError(f"this machine has no {tool}, which {language.name} needs")
    if language.build:
        build(folder, language, require=require)
    return runnable(folder, names, language)


def build(folder: Path, language: Language, *, require: bool = False) -> None:
    """Build a submission in place, behind walls; raises BuildError and SandboxError.

    The files that the build makes come out of the sandbox as an archive on standard output, of
    which plain files are taken.
    """
    sandbox = Sandbox(folder, BUILD_LIMITS, require=require)
    result = sandbox.run(["sh", "-c", f"{COPY} && {{ {language.build}; }} >&2 && {PACK}"])
    if result.end is not End.EXITED or result.status:
        errors = result.stderr.decode("utf-8", "replace").strip().splitlines()[:MOST_LINES]
        ended = result.end is End.EXITED
        reason = f"ended with status {result.status}" if ended else result.end.value
        raise BuildError(f"it cannot be built: {language.build!r} {reason}", tuple(errors))
    with tarfile.open(fileobj=io.BytesIO(result.stdout)) as archive:
        for member in archive:
            if member.isfile():
                archive.extract(member, folder, filter="data")


def runnable(folder: Path, names: Sequence[str], language: Language) -> Language:
    """Return a language with a command to run; raises BuildError where no program is found."""
    if language.run:
        return language
    programs = [path.name for path in sorted(folder.iterdir()) if is_program(path)]
    for name in (*names, *NAMES, *programs[: len(programs) == 1]):
        if name in programs:
            return language._replace(run=f"./{name}")
    wanted = ", ".join((*names, *NAMES))
    raise BuildError(f"{language.build!r} makes no program with one of the names {wanted}")


def is_program(path: Path) -> bool:
    """Return whether a path is an executable file that is no script of a build."""
    return path.is_file() and os.access(path, os.X_OK) and not path.suffix


def with_memory(limits: Limits, language: Language) -> Limits:
    """Return the limits with the memory that the language's runtime needs."""
    return replace(limits, memory=max(limits.memory, language.memory))


def missing_tool(language: Language) -> str:
    """Return the first program of the language's commands that this machine lacks, or ""."""
    for command in (language.build, language.run):
        tool = command.split(" ", 1)[0]
        if tool and not tool.startswith("./") and shutil.which(tool) is None:
            return tool
    return ""
