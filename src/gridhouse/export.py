"""Writing an exact program into separate files, for a bare Python 3.8 or later.

A program has two forms.  The scripts in ``programs/`` use the package beside them, or an installed
one.  An exported script contains the package's modules that it needs, and needs nothing else.
"""

from __future__ import annotations

import ast
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from gridhouse import __version__
from gridhouse.core.components import component
from gridhouse.core.console import UsageError
from gridhouse.core.errors import UnknownGameError
from gridhouse.core.notation import shown
from gridhouse.core.registry import game_class, games

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(__file__).resolve().parent
# Modules that a program never uses: compiled code, other commands, and pictures.
LEFT_OUT = (
    "gridhouse.core.specialize",
    "gridhouse.core.compile_queue",
    "gridhouse.core.compiling",
    "gridhouse.core.components",
    "gridhouse.core.functions",
    "gridhouse.core.outcome",
    "gridhouse.core.records",
    "gridhouse.core.registry",
    "gridhouse.games.binary.solver.checkpoint",
)


class Script(NamedTuple):
    """A script of a game's exact program.

    ``functions`` are the names that it imports from the game's module ``program``; it runs the
    first one.  Without any, the script is a copy of the module ``name`` in the game's folder.
    """

    game: str
    name: str
    functions: tuple[str, ...] = ()

    @property
    def module(self) -> str:
        """The module of the script."""
        module = "program" if self.functions else self.name[: -len(".py")]
        return f"gridhouse.games.{self.game}.{module}"

    @property
    def text(self) -> str:
        """The script's own lines, without the code that finds the package."""
        if not self.functions:
            return source(self.module)
        usage = f"python3 {self.name} {program_of(self.game).USAGE}".strip()
        unused = "  # noqa: F401" if self.functions[1:] else ""
        return (
            f'"""{game_class(self.game).title}: ``{usage}``."""\n\n'
            "from gridhouse.core.console import run\n"
            f"from {self.module} import {', '.join(self.functions)}{unused}\n\n"
            'if __name__ == "__main__":\n'
            f"    sys.exit(run({self.functions[0]}, sys.argv[1:]))\n"
        )


def program_of(game: str) -> Any:
    """Return the module of a game's exact program; raises UnknownGameError if it has none."""
    program = component(game_class(game), "program")
    if program is None:
        raise UnknownGameError(f"{game} has no exact program")
    return program


def games_with_programs() -> list[str]:
    """Return the names of the games with an exact program."""
    return [game for game in games() if component(game_class(game), "program") is not None]


def scripts_of(game: str) -> list[Script]:
    """Return the scripts of a game's program, the document's script first."""
    return [Script(game, name, names) for name, names in program_of(game).SCRIPTS.items()]


def support_of(game: str) -> list[Script]:
    """Return the scripts that the document has beside its program."""
    return [Script(game, name) for name in getattr(program_of(game), "SUPPORT", ())]


IMPORTS = ("import os.path\n", "import sys\n")

# A script must be valid Python 2 as well, so that it can print this message there.
OLD_PYTHON = """
if sys.version_info < (3, 8):
    sys.exit("NAME needs Python 3.8 or later; this is " + sys.version.split()[0])
"""

LINKED = """
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../src"))
try:
    import gridhouse  # noqa: F401
except ImportError:
    sys.exit(
        "NAME needs the package gridhouse, which is not installed here;"
        " 'gridhouse export GAME FOLDER' writes a copy that does not"
    )
"""

NOTICE = """
Written by 'gridhouse export GAME' of Gridhouse VERSION. The modules of the package that this needs
stand below as texts, each below those that it imports.

Copyright (c) 2026 The Gridhouse authors. SPDX-License-Identifier: MIT
"""

FINDER = '''
import importlib.machinery


class Modules(dict):
    """Finds the modules of the package in this file: their first line and their text, by name."""

    def find_spec(self, name, path=None, target=None):
        """Return the import spec of a module of this file, or of a package that contains one."""
        is_package = any(known.startswith(name + ".") for known in self)
        if name in self or is_package:
            return importlib.machinery.ModuleSpec(name, self, is_package=is_package)
        return None

    def create_module(self, spec):
        """Let Python make the module."""

    def exec_module(self, module):
        """Run a module; its lines are numbered as they stand in this file."""
        module.__file__ = os.path.realpath(__file__)
        line, text = self.get(module.__name__, (1, ""))
        exec(compile("\\n" * (line - 1) + text, __file__, "exec"), vars(module))


MODULES = Modules()
sys.meta_path.insert(0, MODULES)
'''


def path_of(module: str) -> Path:
    """Return the file of a module of the package."""
    return PACKAGE.joinpath(*module.split(".")[1:]).with_suffix(".py")


def source(module: str) -> str:
    """Return the text of a module."""
    return path_of(module).read_text(encoding="utf-8")


def imports(module: str) -> list[str]:
    """Return the modules of the package that a module imports at run time, in order."""
    found = []
    for node in _nodes(ast.parse(source(module))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        found += [name for name in names if name.startswith("gridhouse.")]
    return [name for name in found if path_of(name).is_file() and name not in LEFT_OUT]


def _nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a module, without the imports for type checkers."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        yield node
        yield from _nodes(node)


def modules(script: Script) -> list[str]:
    """Return the modules that a script needs, in the order of their imports."""
    ordered: list[str] = []
    seen = set()

    def visit(module: str) -> None:
        if module not in seen:
            seen.add(module)
            for needed in imports(module):
                visit(needed)
            ordered.append(module)

    visit(script.module)
    if not script.functions:  # its text comes at the end of the script
        ordered.remove(script.module)
    return ordered


def files() -> list[str]:
    """Return the files of the package that the exact programs use."""
    programs = games_with_programs()
    scripts = [script for game in programs for script in scripts_of(game) + support_of(game)]
    names = {name for script in scripts for name in (script.module, *modules(script))}
    return sorted(os.fspath(path_of(name)) for name in names)


def _parts(script: Script) -> tuple[str, str]:
    """Return the docstring of a script, and its own lines without the common imports."""
    docstring = ast.parse(script.text).body[0]
    lines = script.text.splitlines(keepends=True)
    own = [line for line in lines[docstring.end_lineno :] if line not in IMPORTS]
    return "".join(lines[: docstring.end_lineno]), "".join(own).strip() + "\n"


def _head(script: Script) -> str:
    return "\n" + "".join(IMPORTS) + OLD_PYTHON.replace("NAME", script.name)


def linked(script: Script) -> str:
    """Return the text of a script that uses the package beside it or an installed one."""
    about, own = _parts(script)
    finds = LINKED.replace("NAME", script.name).replace("GAME", script.game)
    return about + _head(script) + finds + "\n" + own


def write_linked(folder: str) -> None:
    """Write the scripts of all games into the repository's folder of programs."""
    for game in games_with_programs():
        # Scripts that differ only in their names are written once.
        differing = {script.functions: script for script in reversed(scripts_of(game))}
        for script in (*differing.values(), *support_of(game)):
            _write(os.path.join(folder, game, script.name), linked(script), "w")


def exported(script: Script) -> str:
    """Return the text of a script that needs only Python."""
    about, own = _parts(script)
    notice = NOTICE.replace("GAME", script.game).replace("VERSION", __version__)
    for licence in getattr(program_of(script.game), "LICENCES", ()):
        notice += "\n" + read(script.game, licence)
    text = about + "".join(f"# {line}".rstrip() + "\n" for line in notice.splitlines())
    text += _head(script) + FINDER
    for module in modules(script):
        text += f"\n\n# ---- {module.replace('.', '/')}.py\n\n"
        line = text.count("\n") + 1
        text += f"MODULES['{module}'] = {line}, r'''{source(module)}'''\n"
    return text + f"\n\n# ---- {script.name}\n\n" + own


def read(game: str, name: str) -> str:
    """Return the text of a file in a game's folder."""
    return (PACKAGE / "games" / game / name).read_text(encoding="utf-8")


def export(game: str, folder: str, name: str = "", *, force: bool = False) -> list[str]:
    """Write a game's exact program into a folder; return a line of report for each file.

    ``name`` is one of the game's scripts, by default the document's.  It replaces an existing file
    only with ``force``; existing support files are kept.  Raises UnknownGameError, and UsageError
    if a file cannot be written.
    """
    scripts = {script.name: script for script in scripts_of(game)}
    name = name or next(iter(scripts))
    if name not in scripts:
        raise UsageError(f"{shown(name)} is no program of {game}: {', '.join(scripts)}")
    beside = {script.name: exported(script) for script in support_of(game)}
    for file in getattr(program_of(game), "FILES", ()):
        beside[os.path.basename(file)] = read(game, file)
    try:
        if not os.path.isdir(folder):
            os.makedirs(folder)
    except OSError as error:
        raise UsageError(f"{folder!r} is no folder: {error.strerror}") from None
    try:
        done = [_write(os.path.join(folder, name), exported(scripts[name]), "wx"[not force])]
        for own_name, text in beside.items():
            path = os.path.join(folder, own_name)
            done.append(_write(path, text, "x") if not os.path.exists(path) else f"kept {path}")
    except FileExistsError as error:
        raise UsageError(f"{error.filename!r} is there already; --force replaces it") from None
    except OSError as error:
        raise UsageError(f"{error.filename!r}: {error.strerror}") from None
    return done


def _write(path: str, text: str, mode: str) -> str:
    with open(path, mode, encoding="utf-8", newline="\n") as file:
        file.write(text)
    return f"wrote {path}"
