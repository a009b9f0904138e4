"""The puzzles of the days: which there are, the search for the best, what a game has reached."""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from gridhouse.core.compile_queue import PAUSE, SOLVER, Unit, can_wait, is_ready
from gridhouse.core.components import component
from gridhouse.core.registry import game_class, games, load
from gridhouse.core.registry import parse as parse_position
from gridhouse.core.solving import request_compiled, solve
from gridhouse.server.daily.leaderboard import (
    BestResult,
    DailyResult,
    Leaderboard,
    Puzzle,
    is_better,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    import sqlalchemy as sa

    from gridhouse.core.game import Game, State
    from gridhouse.server.settings import Settings

log = logging.getLogger("gridhouse.server")
FIRST = date(2026, 1, 1)  # there are no puzzles of days before, but for today's
SECONDS = 10.0  # that the best is looked for
MOMENT = 1.0  # seconds that it is looked for interpreted, before it is compiled
MOST_SEARCHES = 8  # that run or wait; only the puzzles of today are always looked at


class Shown(NamedTuple):
    """A puzzle, its start, and the best that is known of it, or whether that is looked for.

    ``par`` is what the solver reaches by a short search, if it is known.
    """

    puzzle: Puzzle
    state: State
    best: BestResult | None
    searching: bool
    par: int | None = None


class DailyService:
    """All daily puzzles of a house."""

    def __init__(
        self, settings: Settings, engine: sa.Engine, found: Callable[[Puzzle, BestResult], None]
    ) -> None:
        """Keep them in a database; ``found`` is called whenever a best has been found."""
        self.results = Leaderboard(engine)
        self._settings = settings
        self._found = found
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="best")
        self._asked: dict[Puzzle, asyncio.Task[None]] = {}
        self._failed: set[Puzzle] = set()
        self._meantime: dict[Puzzle, BestResult] = {}  # what is known until a solver is compiled
        self._pars: dict[Puzzle, asyncio.Future[int]] = {}
        self.running: set[Puzzle] = set()

    def today(self) -> date:
        """Return which day it is, by universal time."""
        return self._settings.now().astimezone(UTC).date()

    async def show(self, cls: type[Game], day: date) -> Shown:
        """Return the puzzle of a day; if its best is not known, it is looked for from now on."""
        puzzle = puzzle_of(cls, day.isoformat())
        kept = await asyncio.to_thread(self.results.puzzle, puzzle, partial(start_of, cls, day))
        state = parse_position(kept.start)
        best = kept.best
        if best is None and component(cls, "solver") is not None:
            self._ask(puzzle, state)
            best = self._meantime.get(puzzle)
        searching = puzzle in self._asked
        if not searching and (best is None or not best.proved):
            reached = await asyncio.to_thread(self.results.reached, puzzle)
            if reached is not None and (best is None or is_better(puzzle, reached, best.result)):
                best = BestResult(reached, False)
        return Shown(puzzle, state, best, searching, self._par(puzzle, state))

    def _par(self, puzzle: Puzzle, state: State) -> int | None:
        """Return the par if it is known, else have it found out, if the game has pars."""
        find = getattr(component(type(state.game), "solver"), "par", None)
        if find is None or not self._is_compiled(state.game):
            return None
        if puzzle not in self._pars:
            if self._is_full(sum(not par.done() for par in self._pars.values()), puzzle):
                return None
            loop = asyncio.get_running_loop()
            self._pars[puzzle] = loop.run_in_executor(self._pool, find, state)
        par = self._pars[puzzle]
        return par.result() if par.done() and not par.exception() else None

    def _is_compiled(self, game: Game) -> bool:
        """Tell whether a game's solver runs compiled; if it may by and by, have it made so."""
        jit = self._settings.jit
        return request_compiled(game) if jit is None else jit

    def _ask(self, puzzle: Puzzle, state: State) -> None:
        """Have the best looked for, if it is not already and there is room."""
        is_full = self._is_full(len(self._asked), puzzle)
        if puzzle in self._asked or puzzle in self._failed or is_full:
            return
        self._asked[puzzle] = asyncio.create_task(self._look(puzzle, state))

    def _is_full(self, waiting: int, puzzle: Puzzle) -> bool:
        """Tell whether so many wait that a puzzle of another day cannot wait as well."""
        return waiting >= MOST_SEARCHES and puzzle.day != self.today().isoformat()

    async def _look(self, puzzle: Puzzle, state: State) -> None:
        try:
            await self._keep(puzzle, state)
        except Exception:
            self._failed.add(puzzle)
            log.exception("the best of a daily puzzle was not found")
        finally:
            del self._asked[puzzle]

    async def _keep(self, puzzle: Puzzle, state: State) -> None:
        """Find the best and keep it; where the solver is not compiled yet, one for the meantime."""
        unit = Unit(SOLVER, state.game)
        while not self._is_compiled(state.game) and can_wait(unit):
            self._meantime[puzzle] = await self._find(puzzle, state, MOMENT)
            self._found(puzzle, self._meantime[puzzle])
            while can_wait(unit) and not is_ready(unit):
                await asyncio.sleep(PAUSE)
        best = await self._find(puzzle, state, SECONDS)
        await asyncio.to_thread(self.results.keep_best, puzzle, best)
        self._meantime.pop(puzzle, None)
        self._found(puzzle, best)

    async def _find(self, puzzle: Puzzle, state: State, seconds: float) -> BestResult:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, self._work, puzzle, state, seconds)

    def _work(self, puzzle: Puzzle, state: State, seconds: float) -> BestResult:
        """Find the best; compiled code lets pages be served meanwhile."""
        self.running.add(puzzle)
        try:
            jit = self._is_compiled(state.game)
            found = solve(state, seconds=seconds, threads=1, jit=jit).best()
        finally:
            self.running.discard(puzzle)
        if found is None:
            raise LookupError(f"the solver of {puzzle.game} looks for no result")
        return BestResult(*found)

    async def close(self) -> None:
        """Give up what is looked for; what runs is not waited for."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        tasks = list(self._asked.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def result(self, end: State, day: str, visitor: str) -> DailyResult:
        """Return what a visitor has reached at the end of the puzzle of a day."""
        now = self._settings.now().astimezone(UTC)
        return DailyResult(
            puzzle_of(type(end.game), day),
            visitor,
            end.game.result(end),
            len(end.history()),
            now,
            now.date().isoformat() != day,
        )


def daily_games() -> list[type[Game]]:
    """Return the games that offer a puzzle every day."""
    classes = [game_class(name) for name in games()]
    return [cls for cls in classes if cls.daily is not None]


def puzzle_of(cls: type[Game], day: str) -> Puzzle:
    """Return which puzzle a game offers on a day."""
    return Puzzle(cls.name, day, cls.fewer_is_better)


def start_of(cls: type[Game], day: date) -> str:
    """Return the start of a day's puzzle, the same everywhere."""
    game = load(cls.name, **(cls.daily or {}))
    return str(game.new_initial_state(f"daily {day.isoformat()}"))


def verdict(game: Game, result: int, best: BestResult | None) -> str:
    """Return in words what a result is worth beside the best that is known."""
    told = game.write_result(result)
    if best is None:
        return told
    if result == best.result:
        return f"{told}, the best there is" if best.proved else f"{told}, as good as the best known"
    if is_better(puzzle_of(type(game), ""), result, best.result):
        return f"{told}, better than the best known so far, {game.write_result(best.result)}"
    return f"{told}; {best_text(game, best)}"


def best_text(game: Game, best: BestResult) -> str:
    """Return in words which result is the best."""
    kind = "best" if best.proved else "best known"
    return f"the {kind} is {game.write_result(best.result)}"
