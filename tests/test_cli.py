"""The command ``gridhouse``: its help, and every game's exact program under its name."""

from __future__ import annotations

import subprocess
import sys

import pytest

import gridhouse
from gridhouse import cli
from gridhouse.core.console import EXIT_INTERRUPTED
from harness import CONFORMANCE, command, run_command


def test_an_interrupt_while_the_command_is_imported_ends_it_without_a_word() -> None:
    code = (
        "import runpy, sys\n"
        "class Interrupted:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'typer':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupted())\n"
        "runpy.run_module('gridhouse', run_name='__main__')"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (run.stdout, run.stderr, run.returncode) == ("", "", EXIT_INTERRUPTED)


def test_help_lists_the_games_and_reads_well() -> None:
    run = command("--help")
    assert (run.err, run.status) == ("", 0)
    for name in gridhouse.games():
        assert f" {name} " in run.out
        assert gridhouse.load(name).summary.split(".")[0] in run.out
    places = [run.out.index(f"\n{panel}:\n") for panel in cli.PANELS]
    assert places == sorted(places)
    assert "..." not in run.out.partition("Play:")[2]


def test_help_is_there_at_once() -> None:
    """Boxes would be drawn by Rich, which takes as long to import as all else together."""
    code = (
        "import sys; from gridhouse import cli; sys.argv = sys.argv[:1] + ['--help']\n"
        "try:\n    cli.main()\nfinally:\n    print('rich' in sys.modules, file=sys.stderr)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert run.stderr == "False\n"


@pytest.mark.parametrize(
    ("name", "usage"),
    [
        ("binary", "gridhouse binary"),
        ("collapse", "gridhouse collapse INPUT.txt"),
        ("sinks", "gridhouse sinks ROWS COLUMNS GUI"),
        ("sliding", "gridhouse sliding [--words FILE]"),
        ("tactego", "gridhouse tactego"),
    ],
)
def test_help_of_a_game_says_what_it_takes(name: str, usage: str) -> None:
    run = command(name, "--help")
    assert (run.err, run.status) == ("", 0)
    assert usage in run.out
    assert gridhouse.load(name).title in run.out


def test_without_a_game_the_menu_opens() -> None:
    run = command(typed="q\n")
    assert (run.err, run.status) == ("", 0)
    assert run.out.startswith("Gridhouse, a house for grid games.\n")


def test_the_version() -> None:
    assert command("--version") == (f"{gridhouse.__version__}\n", "", 0)


def test_an_unknown_game_is_refused() -> None:
    run = command("chess")
    assert run.status == 2
    assert "chess" in run.err
    assert "Traceback" not in run.err


def test_a_games_words_are_the_programs_own() -> None:
    assert command("sinks", "-1", "10", "0") == ("ERROR: Illegal argument\n", "", 0)
    assert command("sinks", "10") == ("ERROR: Too few arguments\n", "", 0)
    assert command("binary", typed="game 1 1\nexit\n") == ("= 1\n\n= 1\n\n", "", 0)
    assert command("collapse", "/no/such/file").status == 2
    assert command("sliding", "--words", "/no/such/file").status == 2
    assert command("tactego").out == "What is seed? "


@pytest.mark.skipif(not CONFORMANCE.exists(), reason="the documents' samples are not at hand")
def test_a_sample_through_the_command() -> None:
    folder = CONFORMANCE / "sinks"
    run = command("sinks", "10", "10", "0", typed=(folder / "example2.in").read_text())
    assert run == ((folder / "example2.out").read_text(), "", 0)


@pytest.mark.slow("compiles every game")
def test_warming_up_compiles_every_game(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(monkeypatch, "warm") == 0
    assert "Compiled into " in capsys.readouterr().out


def test_the_command_in_this_process(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments in (["--version"], ["sinks"], ["--help"]):
        assert run_command(monkeypatch, *arguments) == 0
    assert gridhouse.__version__ in capsys.readouterr().out
