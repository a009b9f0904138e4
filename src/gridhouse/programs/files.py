"""Where the files of programs are, and copies of them."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import gridhouse
from gridhouse.sandbox.mounts import SYSTEM

if TYPE_CHECKING:
    from collections.abc import Sequence

NOT_COPIED = shutil.ignore_patterns(
    ".git", "__pycache__", ".venv", "venv", "node_modules", "__MACOSX"
)
VERSION = re.compile(r"\d+(\.\d+)?", re.ASCII)  # of Python
PYTHON = re.compile(r"python(\d+(\.\d+)?t?|w)?", re.ASCII)  # python3.13t, pythonw
SOLUTION = (str(Path(gridhouse.__file__).resolve().parent),)  # what nobody may just import


def copy_program(path: Path, folder: Path) -> None:
    """Copy what lies in a folder, or a source with the sources beside it, into another folder."""
    if path.is_dir():
        shutil.copytree(path, folder, symlinks=True, ignore=NOT_COPIED, dirs_exist_ok=True)
    else:
        for file in {*path.parent.glob(f"*{path.suffix}"), path}:
            shutil.copy(file, folder)


def base_python() -> str:
    """Return this interpreter, outside of a virtual environment and so of Gridhouse's reach."""
    in_environment = sys.prefix != sys.base_prefix
    return os.path.realpath(sys.executable) if in_environment else sys.executable


def python_named(text: str) -> str:
    """Return the interpreter that a text names: a version such as 3.9, or a command.

    The empty text names this one, outside of a virtual environment.
    """
    return f"python{text}" if VERSION.fullmatch(text) else text or base_python()


def find_script(name: str, path: Path) -> Path | None:
    """Return the script at a path, or the named or only one in a folder, None without one."""
    if not path.is_dir():
        return path
    scripts = sorted(path.glob("*.py"))
    named = path / name
    if named in scripts:
        return named
    return scripts[0] if len(scripts) == 1 else None


def placed(command: Sequence[str]) -> tuple[list[str], Path, str]:
    """Return a command as it is said in the folder of its first file, this folder, and its Python.

    The files of the system and interpreters are none of the command's own; without a file of its
    own it belongs to the working folder.  The Python is the one that a shell here would take, in a
    virtual environment as well, and "" where the command names none.
    """
    words = list(command)
    python = words[0] if PYTHON.fullmatch(Path(words[0]).name) else ""
    if python and os.sep not in python:
        python = shutil.which(python) or ""
    for at, word in enumerate(words):
        path = Path(word)
        if at == 0 and (os.sep not in word or word.startswith(tuple(f"{top}/" for top in SYSTEM))):
            continue
        if path.is_file() and not (at == 0 and python):
            words[at] = f"./{path.name}" if at == 0 else path.name
            return words, path.parent.absolute(), python
    return words, Path.cwd(), python
