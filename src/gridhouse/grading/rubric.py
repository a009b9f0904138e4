"""Rubrics: what a part is worth, which sessions are run, and what students see of failures."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, replace
from datetime import date
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from gridhouse.core import toml_settings
from gridhouse.core.console import UsageError
from gridhouse.core.toml_settings import choice, count, number, truth
from gridhouse.grading.compare import Profile
from gridhouse.grading.games import grading_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from gridhouse.grading.games import Grading

SESSIONS = 300
MOST_SESSIONS = 100_000
SECONDS = 2.0


class Credit(StrEnum):
    """How the points of a part depend on its sessions."""

    SHARE = "share"  # by the share of sessions passed
    ALL = "all"  # all points where every session passes, none otherwise


class Detail(StrEnum):
    """What a student sees of a failure, from everything to nothing."""

    FULL = "full"  # the session, both outputs, the rule, the position
    OUTPUT = "output"  # the session and the program's own output
    KIND = "kind"  # the rule that was missed
    NOTHING = "nothing"


@dataclass(frozen=True)
class PartRubric:
    """What a part is worth, how its points are given, and whether they come on top of the rest."""

    points: float
    credit: Credit = Credit.SHARE
    extra: bool = False


@dataclass(frozen=True)
class Rubric:
    """How the submissions of one assignment are graded.

    ``sessions`` are drawn by ``seed``, ``hidden_sessions`` by ``hidden_seed``, which only the
    teacher knows.  ``seconds`` is the time that a session may take.  Students see failures as
    ``show`` says, and from the day ``until`` on as ``then`` says; of hidden sessions they see
    ``show_hidden`` at most.
    """

    game: str
    parts: Mapping[str, PartRubric]
    profile: Profile = Profile.COURSE
    sessions: int = SESSIONS
    seed: str = "0"
    hidden_sessions: int = 0
    hidden_seed: str = ""
    seconds: float = SECONDS
    show: Detail = Detail.FULL
    until: date | None = None
    then: Detail = Detail.FULL
    show_hidden: Detail = Detail.KIND

    @property
    def grading(self) -> Grading:
        """The game's grading."""
        return grading_of(self.game)

    def detail(self, today: date, *, is_hidden: bool = False) -> Detail:
        """Return what a student sees of a failure on a day."""
        shown = self.then if self.until is not None and today >= self.until else self.show
        order = list(Detail)
        return max(shown, self.show_hidden, key=order.index) if is_hidden else shown

    def digest(self) -> str:
        """Return a digest of all that a grade depends on; what is shown is not part of it."""
        settings = {
            name: value
            for name, value in asdict(self).items()
            if name not in ("show", "until", "then", "show_hidden")
        }
        return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()


def default_rubric(game: str) -> Rubric:
    """Return the rubric of a game's document; raises GridhouseError where it has no grading."""
    parts = {
        name: PartRubric(part.points, extra=part.extra)
        for name, part in grading_of(game).PARTS.items()
        if not part.optional
    }
    return Rubric(game, parts)


def load_rubric(path: Path, game: str) -> Rubric:
    """Read a rubric in TOML; raises UsageError that says what is wrong where."""
    return toml_settings.load(path, lambda table: parse_rubric(table, game))


def parse_rubric(table: Mapping[str, Any], game: str) -> Rubric:
    """Return the rubric of a TOML table; what it leaves out is as the document has it."""
    settings = dict(table)
    if settings.pop("game", game) != game:
        raise UsageError(f"this is a rubric for {table['game']}, not for {game}")
    chosen = settings.pop("parts", None)
    rubric = default_rubric(game)
    values: dict[str, Any] = {"parts": rubric.parts if chosen is None else _parts(chosen, rubric)}
    for name, value in settings.items():
        if name not in READERS:
            raise UsageError(
                f"{name} is no setting; the settings are game, parts, {', '.join(READERS)}"
            )
        values[name] = READERS[name](name, value)
    rubric = replace(rubric, **values)
    if rubric.hidden_sessions and not rubric.hidden_seed:
        raise UsageError("hidden_sessions need a hidden_seed that nobody can guess")
    least = sum(rubric.grading.PARTS[name].weight for name in rubric.parts)
    if max(rubric.sessions, rubric.hidden_sessions) < least:
        raise UsageError(f"sessions must be at least {least}, so that each part has one")
    return rubric


def _parts(table: object, rubric: Rubric) -> dict[str, PartRubric]:
    if not isinstance(table, dict) or not table:
        raise UsageError("parts must be a table of parts")
    parts = {}
    known = rubric.grading.PARTS
    for name, settings in table.items():
        if name not in known:
            raise UsageError(f"{name} is no part; the parts are {', '.join(known)}")
        if not isinstance(settings, dict):
            settings = {"points": settings}
        default = PartRubric(known[name].points, extra=known[name].extra)
        values = {}
        for key, value in settings.items():
            if key not in PART_READERS:
                settings_known = ", ".join(PART_READERS)
                raise UsageError(
                    f"parts.{name}: {key} is no setting; the settings are {settings_known}"
                )
            values[key] = PART_READERS[key](f"parts.{name}.{key}", value)
        parts[name] = replace(default, **values)
    return parts


def _number(name: str, value: object) -> float:
    found = number(name, value)
    if found < 0:
        raise UsageError(f"{name} must be a number that is not negative")
    return found


def _positive(name: str, value: object) -> float:
    found = _number(name, value)
    if not found:
        raise UsageError(f"{name} must be more than 0")
    return found


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise UsageError(f"{name} must be a text in quotes")
    return value


def _date(name: str, value: object) -> date:
    if type(value) is not date:
        raise UsageError(f"{name} must be a date like 2026-12-24, without quotes")
    return value


READERS: dict[str, Callable[[str, object], Any]] = {
    "profile": choice(Profile),
    "sessions": count(MOST_SESSIONS),
    "seed": _text,
    "hidden_sessions": count(MOST_SESSIONS),
    "hidden_seed": _text,
    "seconds": _positive,
    "show": choice(Detail),
    "until": _date,
    "then": choice(Detail),
    "show_hidden": choice(Detail),
}
PART_READERS: dict[str, Callable[[str, object], Any]] = {
    "points": _number,
    "credit": choice(Credit),
    "extra": truth,
}


def rubric_text(rubric: Rubric) -> str:
    """Return a rubric as TOML, with each setting explained."""
    about = grading_of(rubric.game).PARTS
    lines = [f'game = "{rubric.game}"']
    for name in READERS:
        value = getattr(rubric, name)
        if value is not None:
            written = json.dumps(value, ensure_ascii=False) if isinstance(value, str) else value
            lines += ["", f"# {ABOUT[name]}", f"{name} = {written}"]
    lines += [
        "",
        "# Points by part; credit is share (by sessions passed) or all (all or nothing); extra",
        "# points come on top of the others.",
    ]
    for name, part in rubric.parts.items():
        lines += ["", f"[parts.{_key(name)}]  # {about[name].about}"]
        lines += [f"points = {part.points:g}", f'credit = "{part.credit}"']
        lines += ["extra = true"] * part.extra
    return "\n".join(lines) + "\n"


def _key(name: str) -> str:
    return name if name.replace("_", "").isalnum() else json.dumps(name)


ABOUT = {
    "profile": "which differences count: " + ", ".join(Profile),
    "sessions": "sessions that students can repeat with gridhouse check",
    "seed": "gives the same sessions everywhere",
    "hidden_sessions": "more sessions, which students cannot know",
    "hidden_seed": "the secret of these sessions",
    "seconds": "the time that a session may take",
    "show": "what students see of failures: " + ", ".join(Detail),
    "until": "a date; from then on they see what `then` says",
    "then": "see `until`",
    "show_hidden": "what they see at most of failures in hidden sessions",
}
