"""The daily puzzles: their starts, the search for the best result, and results of games."""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy.exc import SQLAlchemyError

from gridhouse.core.compile_queue import PAUSE, SOLVER, Unit, can_wait, is_ready
from gridhouse.core.components import component
from gridhouse.core.errors import GridhouseError
from gridhouse.core.registry import game_class, games, load
from gridhouse.core.registry import parse as parse_position
from gridhouse.core.solving import request_compiled, solve
from gridhouse.server.daily.leaderboard import DailyResult, Leaderboard, StoredPuzzle
from gridhouse.server.daily.results import BestResult, Puzzle, is_better, puzzle_of
from gridhouse.server.storage.store import reason_of

if TYPE_CHECKING:
    from collections.abc import Callable

    import sqlalchemy as sa

    from gridhouse.core.game import Game, State
    from gridhouse.server.settings import Settings

log = logging.getLogger("gridhouse.server")
FIRST = date(2026, 1, 1)  # of the archive; today always has a puzzle
SECONDS = 10.0  # for which the solver searches
MOMENT = 1.0  # seconds for which it searches interpreted, before it is compiled
MAX_SEARCHES = 8  # that run or wait; today's puzzles are exempt


class Shown(NamedTuple):
    """A puzzle, its start and its best known result; ``searching`` while the solver runs.

    ``par`` is the result of a short search by the solver, None if it is not known.
    """

    puzzle: Puzzle
    state: State
    best: BestResult | None
    searching: bool
    par: int | None = None


class DailyService:
    """The daily puzzles of a server."""

    def __init__(
        self, settings: Settings, engine: sa.Engine, found: Callable[[Puzzle, BestResult], None]
    ) -> None:
        """Use a database; ``found`` is called for every best result that a search finds."""
        self.results = Leaderboard(engine)
        self._settings = settings
        self._found = found
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="best")
        self._searches: dict[Puzzle, asyncio.Task[None]] = {}
        self._failed: set[Puzzle] = set()
        # Best results until the solver is compiled.
        self._provisional: dict[Puzzle, BestResult] = {}
        self._unsaved: dict[Puzzle, BestResult] = {}  # that the database has not taken yet
        self._pars: dict[Puzzle, asyncio.Future[int]] = {}
        self.running: set[Puzzle] = set()

    def today(self) -> date:
        """Return the current day in universal time."""
        return self._settings.now().astimezone(UTC).date()

    async def show(self, cls: type[Game], day: date) -> Shown:
        """Return the puzzle of a day; start a search if its best result is not known."""
        puzzle = puzzle_of(cls, day.isoformat())
        kept, state = await asyncio.to_thread(self._kept, puzzle, partial(start_of, cls, day))
        best = kept.best
        if best is None and component(cls, "solver") is not None:
            self._start_search(puzzle, state)
            best = self._unsaved.get(puzzle, self._provisional.get(puzzle))
        searching = puzzle in self._searches
        if not searching and (best is None or not best.proved):
            reached = await asyncio.to_thread(self.results.reached, puzzle)
            if reached is not None and (best is None or is_better(puzzle, reached, best.result)):
                best = BestResult(reached, False)
        return Shown(puzzle, state, best, searching, self._par(puzzle, state))

    def _kept(self, puzzle: Puzzle, start: Callable[[], str]) -> tuple[StoredPuzzle, State]:
        """Return a puzzle and its start; one that cannot be read is made anew."""
        kept = self.results.puzzle(puzzle, start)
        state = start_in(kept, puzzle)
        if state is None:
            log.error("the %s puzzle of %s cannot be read; it is made anew", *puzzle[:2])
            self.results.remove(puzzle)
            kept = self.results.puzzle(puzzle, start)
            state = parse_position(kept.start)
        return kept, state

    def _par(self, puzzle: Puzzle, state: State) -> int | None:
        """Return the par if it is known; else start its search if the game has pars."""
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
        """Tell whether a game's solver runs compiled; request its compilation if it may."""
        jit = self._settings.jit
        return request_compiled(game) if jit is None else jit

    def _start_search(self, puzzle: Puzzle, state: State) -> None:
        """Start the search for the best result, unless it runs, has failed, or there is no room."""
        is_full = self._is_full(len(self._searches), puzzle)
        if puzzle in self._searches or puzzle in self._failed or is_full:
            return
        self._searches[puzzle] = asyncio.create_task(self._run_search(puzzle, state))

    def _is_full(self, waiting: int, puzzle: Puzzle) -> bool:
        """Tell whether a puzzle has to be refused because too many searches are waiting."""
        return waiting >= MAX_SEARCHES and puzzle.day != self.today().isoformat()

    async def _run_search(self, puzzle: Puzzle, state: State) -> None:
        try:
            await self._search_and_store(puzzle, state)
        except SQLAlchemyError as error:  # the next look writes it
            log.error("the best result of a daily puzzle cannot be saved: %s", reason_of(error))
        except Exception:
            self._failed.add(puzzle)
            log.exception("the search for the best result of a daily puzzle failed")
        finally:
            del self._searches[puzzle]

    async def _search_and_store(self, puzzle: Puzzle, state: State) -> None:
        """Find and store the best result; one that the database did not take is found already."""
        if puzzle not in self._unsaved:
            self._unsaved[puzzle] = await self._search(puzzle, state)
        best = self._unsaved[puzzle]
        await asyncio.to_thread(self.results.store_best, puzzle, best)
        del self._unsaved[puzzle]
        self._provisional.pop(puzzle, None)
        self._found(puzzle, best)

    async def _search(self, puzzle: Puzzle, state: State) -> BestResult:
        """Find the best result; until the solver is compiled, show a provisional one."""
        unit = Unit(SOLVER, state.game)
        while not self._is_compiled(state.game) and can_wait(unit):
            self._provisional[puzzle] = await self._find(puzzle, state, MOMENT)
            self._found(puzzle, self._provisional[puzzle])
            while can_wait(unit) and not is_ready(unit):
                await asyncio.sleep(PAUSE)
        return await self._find(puzzle, state, SECONDS)

    async def _find(self, puzzle: Puzzle, state: State, seconds: float) -> BestResult:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, self._work, puzzle, state, seconds)

    def _work(self, puzzle: Puzzle, state: State, seconds: float) -> BestResult:
        """Run the solver in a thread; compiled code releases the GIL."""
        self.running.add(puzzle)
        try:
            jit = self._is_compiled(state.game)
            found = solve(state, seconds=seconds, threads=1, jit=jit).best()
        finally:
            self.running.discard(puzzle)
        if found is None:
            raise LookupError(f"the solver of {puzzle.game} returns no result")
        return BestResult(*found)

    async def close(self) -> None:
        """Cancel all searches; do not wait for the running one."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        tasks = list(self._searches.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def result(self, end: State, day: str, visitor: str) -> DailyResult:
        """Return a visitor's result at the end of a day's puzzle."""
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
    """Return the games with a daily puzzle."""
    classes = [game_class(name) for name in games()]
    return [cls for cls in classes if cls.daily is not None]


def start_in(kept: StoredPuzzle, puzzle: Puzzle) -> State | None:
    """Return the start that is stored of a puzzle, None if it is none of its game."""
    try:
        state = parse_position(kept.start) if isinstance(kept.start, str) else None
    except GridhouseError:
        return None
    return state if state is not None and state.game.name == puzzle.game else None


def start_of(cls: type[Game], day: date) -> str:
    """Return the start of a day's puzzle, the same on every server."""
    game = load(cls.name, **(cls.daily or {}))
    return str(game.new_initial_state(f"daily {day.isoformat()}"))
