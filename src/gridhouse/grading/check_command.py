"""The command ``gridhouse check``."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, NamedTuple

from gridhouse.core.console import UsageError
from gridhouse.core.processes import terminated_by_exit
from gridhouse.grading.check import Report, check
from gridhouse.grading.compare import Profile
from gridhouse.grading.games import grading_of
from gridhouse.grading.submissions import Commands, open_submission, tell_missing_walls
from gridhouse.grading.text import report_text
from gridhouse.sandbox import Limits

if TYPE_CHECKING:
    from pathlib import Path

    from gridhouse.grading.games import Grading
    from gridhouse.grading.submissions import Submission

POLL = 0.3  # seconds between two looks at a watched file
DIFFERS = 1


class Options(NamedTuple):
    """The options of a check."""

    profile: str
    sessions: int
    seed: str
    commands: Commands
    seconds: float
    parts: list[str]
    svg: str
    require_sandbox: bool


@terminated_by_exit()
def check_command(game: str, path: Path, options: Options, *, watch: bool = False) -> int:
    """Check a program and print the report; return 0 where nothing differs, else 1.

    Raises UsageError and GridhouseError for a program that cannot be run.
    """
    try:
        profile = Profile(options.profile)
    except ValueError:
        known = ", ".join(Profile)
        raise UsageError(f"--profile {options.profile}: the profiles are {known}") from None
    grading = grading_of(game)
    for part in options.parts:
        if part not in grading.PARTS:
            raise UsageError(f"--part {part}: the parts are {', '.join(grading.PARTS)}")
    limits = Limits(wall=options.seconds, cpu=options.seconds)
    if not options.require_sandbox:
        tell_missing_walls(options.commands)
    while True:
        with open_submission(
            game, path, limits, options.commands, require=options.require_sandbox
        ) as submission:
            report = _check(submission, profile, options)
        if not watch:
            return DIFFERS if report.finding else 0
        _wait_for_change(path)


def _check(submission: Submission, profile: Profile, options: Options) -> Report:
    shows_progress = sys.stderr.isatty()

    def progress(tried: int) -> None:
        if shows_progress:
            print(f"\rsession {tried}", end="", file=sys.stderr, flush=True)

    report = check(submission, profile, options.sessions, options.seed, options.parts, progress)
    if shows_progress:
        print("\r\033[K", end="", file=sys.stderr)
    grading = submission.grading
    print(report_text(submission.name, report, grading, profile), end="")
    if options.svg and report.finding is not None:
        _write_picture(grading, report, options.svg)
    return report


def _write_picture(grading: Grading, report: Report, name: str) -> None:
    finding = report.finding
    assert finding is not None
    state = finding.state(grading)
    if state is None:
        print("There is no position to draw.")
        return
    try:
        with open(name, "w", encoding="utf-8") as file:
            file.write(state.open_picture().svg())
    except OSError as error:
        raise UsageError(f"{name!r}: {error.strerror}") from None
    print(f"The position is drawn in {name}.")


def _wait_for_change(path: Path) -> None:
    before = _changed(path)
    while True:
        time.sleep(POLL)
        after = _changed(path)
        if after and after != before:  # an editor that writes a file anew removes it first
            return


def _changed(path: Path) -> int:
    """Return when a file, or any file at the top of a folder, changed last; 0 if there is none."""
    paths = [path, *path.iterdir()] if path.is_dir() else [path]
    return max((each.stat().st_mtime_ns for each in paths if each.exists()), default=0)
