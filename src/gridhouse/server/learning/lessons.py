"""Lessons and rules in pictures: the file ``lesson.toml`` in a game's folder."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, NamedTuple

from gridhouse.core.registry import game_class, parse
from gridhouse.server.learning.exercises import Exercise

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from gridhouse.core.game import Game, State

LESSON = "lesson.toml"  # in the folder of a game


class Step(NamedTuple):
    """A step of a lesson: its title, what the visitor is told, and what is to be done."""

    title: str
    text: str
    exercise: Exercise


class Rule(NamedTuple):
    """One idea of the rules: its title, its text, and its pictures one after the other.

    ``refusal`` is what the game says to a move that is not legal in the last position.
    """

    title: str
    text: str
    pictures: tuple[str, ...]
    refusal: str


class Lesson(NamedTuple):
    """What teaches a game; ``puzzle`` says what is to be done in its puzzles."""

    steps: tuple[Step, ...]
    rules: tuple[Rule, ...]
    puzzle: str


def file_of(cls: type[Game], name: str) -> Traversable:
    """Return a file in a game's folder, which need not exist."""
    return resources.files(cls.__module__.rpartition(".")[0]).joinpath(name)


@cache
def has_lesson(name: str) -> bool:
    """Tell whether a game has a lesson."""
    return file_of(game_class(name), LESSON).is_file()


@cache
def lesson_of(name: str) -> Lesson | None:
    """Return the lesson of a game, None if it has none."""
    if not has_lesson(name):
        return None
    table = tomllib.loads(file_of(game_class(name), LESSON).read_text(encoding="utf-8"))
    return Lesson(
        tuple(map(read_step, table["step"])), tuple(map(read_rule, table["rule"])), table["puzzle"]
    )


def line_of(text: str) -> tuple[str, ...]:
    """Return the moves of a text with commas between them."""
    return tuple(filter(None, (move.strip() for move in text.split(","))))


def read_step(table: dict[str, Any]) -> Step:
    """Return the step of a table ``[[step]]``."""
    exercise = Exercise(
        start=table["start"],
        lines=tuple(map(line_of, table.get("lines", ()))),
        best=table.get("best"),
        tries=tuple(table.get("tries", ())),
        refused=table.get("refused", ""),
        hint=table.get("hint", "That is a legal move, but not the one wanted here. Try again."),
        praise=table["praise"],
    )
    return Step(table["title"], table["text"], exercise)


def read_rule(table: dict[str, Any]) -> Rule:
    """Return the rule of a table ``[[rule]]``: the pictures before and after each of its moves."""
    state = parse(table["start"])
    viewer = state.current_player()
    pictures = [picture(state, viewer)]
    for move in line_of(table.get("moves", "")):
        state.play(move)
        pictures.append(picture(state, viewer))
    return Rule(table["title"], table["text"], tuple(pictures), refusal(state, table))


def picture(state: State, viewer: int) -> str:
    """Return the picture of a position from a player's side, without names."""
    return state.picture(viewer).inline(named=False)


def refusal(state: State, table: dict[str, Any]) -> str:
    """Return what the game says to the rule's illegal move, "" without one."""
    if "illegal" not in table:
        return ""
    action = state.game.read_move(state.position, table["illegal"])
    reason = state.why_not(state.refusal(action)) if action is not None else ""
    return f"{table['illegal']} is not legal: {reason}."
