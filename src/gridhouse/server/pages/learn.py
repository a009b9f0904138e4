"""The pages of lessons and puzzles, and the judgement of attempts, which keeps nothing."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field, ValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from gridhouse.core.notation import parse_integer
from gridhouse.core.registry import game_class
from gridhouse.server.learning.exercises import MAX_MOVES, Course, WrongMovesError, respond
from gridhouse.server.learning.lessons import lesson_of
from gridhouse.server.learning.puzzles import (
    GRADES,
    Puzzle,
    following,
    puzzle_games,
    puzzles_of,
)
from gridhouse.server.network import address_of
from gridhouse.server.pages.forms import read_body
from gridhouse.server.pages.views import page, requested_game, samples, sentence, work
from gridhouse.server.settings import MAX_MESSAGE
from gridhouse.server.tables.translating import in_language

if TYPE_CHECKING:
    from starlette.requests import Request

    from gridhouse.core.game import Game
    from gridhouse.server.learning.exercises import Exercise
    from gridhouse.server.learning.lessons import Lesson

MAX_TEXT = 40  # characters of a move
MAX_POINTED = 4  # cells


class Attempt(BaseModel):
    """What a page sends: the moves made so far, and a move, cells, or the wish to be shown it."""

    moves: list[str] = Field(default=[], max_length=MAX_MOVES)
    move: str = Field(default="", max_length=MAX_TEXT)
    cells: list[int] = Field(default=[], max_length=MAX_POINTED)
    shows: bool = False


def requested_number(request: Request, most: int, what: str) -> int:
    """Return the number in an address, from 1 to ``most``; raises HTTPException."""
    number = parse_integer(request.path_params["number"])
    if number is None or not 1 <= number <= most:
        raise HTTPException(404, f"There is no such {what}: there are {most}.")
    return number


def requested_lesson(request: Request) -> tuple[type[Game], Lesson]:
    """Return the game of an address and its lesson; raises HTTPException."""
    cls = requested_game(request)
    lesson = lesson_of(cls.name)
    if lesson is None:
        raise HTTPException(404, f"{cls.title} has no lesson.")
    return cls, lesson


def requested_puzzles(request: Request) -> tuple[type[Game], tuple[Puzzle, ...], int | None]:
    """Return the game of an address, its puzzles, and the grade asked for; raises HTTPException."""
    cls = requested_game(request)
    puzzles = puzzles_of(cls.name)
    if not puzzles:
        raise HTTPException(404, f"{cls.title} has no puzzles.")
    text = request.query_params.get("grade", "")
    grade = next((grade for grade in GRADES if str(grade) == text), None)
    return cls, puzzles, grade


async def judged(request: Request, exercise: Exercise) -> Response:
    """Answer to an attempt at an exercise; raises HTTPException for too many of them."""
    request.app.state.pace.count(address_of(request))
    try:
        attempt = Attempt.model_validate_json(await read_body(request, MAX_MESSAGE))
        said = attempt.move or attempt.cells or None
        answer = await work(
            request,
            lambda: in_language(respond(exercise, attempt.moves, said, shows=attempt.shows)),
        )
    except ValidationError:
        return JSONResponse({"problem": "The request cannot be read."}, 400)
    except WrongMovesError as error:
        return JSONResponse({"problem": sentence(error)}, 422)
    return JSONResponse(answer)


async def lesson(request: Request) -> Response:
    """Show a step of a game's lesson."""
    cls, found = requested_lesson(request)
    number = requested_number(request, len(found.steps), "step")
    step = found.steps[number - 1]
    first = await work(request, lambda: in_language(Course(step.exercise, ()).answer("")))
    return await page(
        request, "learn", game=cls, steps=found.steps, number=number, step=step, first=first
    )


async def first_step(request: Request) -> Response:
    """Redirect to the first step of a game's lesson."""
    cls, _ = requested_lesson(request)
    return RedirectResponse(f"/learn/{cls.name}/1", 303)


async def try_step(request: Request) -> Response:
    """Answer to an attempt at a step of a lesson."""
    _, found = requested_lesson(request)
    number = requested_number(request, len(found.steps), "step")
    return await judged(request, found.steps[number - 1].exercise)


async def puzzles_overview(request: Request) -> Response:
    """Show the games with puzzles, and their grades."""
    names = puzzle_games()
    pictures = await work(request, samples, names)
    listed = []
    for name in names:
        grades = [puzzle.grade for puzzle in puzzles_of(name)]
        listed.append((game_class(name), len(grades), sorted(set(grades))))
    return await page(request, "puzzles", listed=listed, pictures=pictures)


async def any_puzzle(request: Request) -> Response:
    """Redirect to a random puzzle of a game, of the grade that is asked for."""
    cls, puzzles, grade = requested_puzzles(request)
    start = random.randint(1, len(puzzles))
    number = following(puzzles, start, grade)
    return RedirectResponse(f"/puzzles/{cls.name}/{number}{graded(grade)}", 303)


def graded(grade: int | None) -> str:
    """Return the query that keeps to a grade."""
    return "" if grade is None else f"?grade={grade}"


async def puzzle(request: Request) -> Response:
    """Show a puzzle."""
    cls, puzzles, grade = requested_puzzles(request)
    number = requested_number(request, len(puzzles), "puzzle")
    shown = puzzles[number - 1]
    first = await work(request, lambda: in_language(Course(shown.exercise, ()).answer("")))
    after = f"/puzzles/{cls.name}/{following(puzzles, number, grade)}{graded(grade)}"
    return await page(
        request,
        "puzzle",
        game=cls,
        number=number,
        puzzle=shown,
        grade=grade,
        grades=GRADES,
        first=first,
        after=after,
    )


async def try_puzzle(request: Request) -> Response:
    """Answer to an attempt at a puzzle."""
    _, puzzles, _ = requested_puzzles(request)
    number = requested_number(request, len(puzzles), "puzzle")
    return await judged(request, puzzles[number - 1].exercise)


ROUTES = [
    Route("/learn/{game}", first_step),
    Route("/learn/{game}/{number}", lesson, methods=["GET"]),
    Route("/learn/{game}/{number}", try_step, methods=["POST"]),
    Route("/puzzles", puzzles_overview),
    Route("/puzzles/{game}", any_puzzle),
    Route("/puzzles/{game}/{number}", puzzle, methods=["GET"]),
    Route("/puzzles/{game}/{number}", try_puzzle, methods=["POST"]),
]
