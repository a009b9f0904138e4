"""The table service: it carries out commands, one at a time per table, and writes them first."""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
from contextlib import suppress
from dataclasses import replace
from datetime import date
from functools import partial
from typing import TYPE_CHECKING

from sqlalchemy.exc import SQLAlchemyError

from gridhouse.core.compile_queue import Unit, use_compiled
from gridhouse.core.errors import GridhouseError, MoveError
from gridhouse.core.registry import parse
from gridhouse.players import best_kind, compiled_kind
from gridhouse.players.levels import LEVELS
from gridhouse.server import clock, metrics
from gridhouse.server.auth import new_id
from gridhouse.server.daily.leaderboard import write_result
from gridhouse.server.daily.service import DailyService
from gridhouse.server.engine_pool import EnginePool
from gridhouse.server.fair_pool import FairPool, Habit, LongWork
from gridhouse.server.settings import MAX_KEPT, MOVE_SIZE, MOVES_AHEAD
from gridhouse.server.storage.records import DamagedError, StaleError, StoredTable, size_of
from gridhouse.server.storage.store import Store, public_reason, reason_of
from gridhouse.server.storage.visitors import Visitors
from gridhouse.server.tables.commands import (
    MOVE,
    REDO,
    REMATCH,
    RESIGN,
    SEAT,
    UNDO,
    Command,
    RefusedError,
    UnsavedError,
)
from gridhouse.server.tables.live_table import LiveTable
from gridhouse.server.tables.renderer import Renderer
from gridhouse.server.tables.review import Reviews
from gridhouse.server.tables.table import FRIENDS, MACHINE, ONE_SCREEN, Table, TableOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator
    from typing import Any

    from gridhouse.core.game import State
    from gridhouse.server.daily.results import BestResult, Puzzle
    from gridhouse.server.settings import Settings
    from gridhouse.server.storage.notifications import Notifications
    from gridhouse.server.storage.records import Change
    from gridhouse.server.storage.visitors import Profile
    from gridhouse.server.tables.live_table import Page, Subscriber

log = logging.getLogger("gridhouse.server")
NAME = re.compile(r"[\w-]{1,32}", re.ASCII)
INTERRUPTING = (UNDO, REDO, RESIGN)  # commands before which the machine stops thinking
REFRESHES = 3  # attempts to read a table that another process has changed
REFRESH_PAUSE = 1.0  # seconds after one that failed
FLAG_PAUSE = 2.0  # seconds until a flag is looked at again whose fall could not be written
MAX_IDLE = 50  # tables without subscribers that stay in memory
MAX_IDLE_MOVES = 100_000  # of all these tables together, some forty megabytes
# For what takes more than a moment on the event loop.  Python runs in one thread at a time, so more
# of them would only delay each other and the loop.  A visitor has one, an address two.
WORKERS = 3
# A change is made under the lock of its table, so it must not wait for its sender's other work.
CHANGERS = 1


async def run_to_completion(change: Coroutine[Any, Any, None]) -> None:
    """Await a change to its end, even if this task is cancelled meanwhile."""
    task = asyncio.create_task(change)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        raise


class StaleTableError(RefusedError):
    """The table changed since the command was given."""


def compile_players(table: Table) -> None:
    """Request compiled code for a table: first for its machine, then for hints."""
    game = table.state.game
    kinds = [best_kind(game)]
    if table.opponent == MACHINE:
        kinds.append(compiled_kind("level", game))
    for kind in kinds:  # the last request is compiled first
        use_compiled(Unit(kind, game))


def next_start(table: Table) -> State:
    """Return the start of a rematch: drawn anew in games with random starts, else the same."""
    game = table.state.game
    return game.new_initial_state(secrets.randbits(64)) if game.has_chance else parse(table.start)


def changed(table: Table, change_of: Callable[[], Change | None]) -> tuple[Change, Table] | None:
    """Return a change and the table after it, None if there is nothing to change."""
    change = change_of()
    if change is None:
        return None
    after = table.after(change)
    # By the move the game may have ended, which stops the clock.
    return change._replace(ended=after.ended, since=after.since), after


def grown(table: Table, change: Change, after: Table) -> tuple[set[str], int]:
    """Return the visitors of whom a change may keep more than was counted, and how much more.

    A game can always be ended.  Each player's first move of every ``MOVES_AHEAD`` asks for the
    next ones, so that nobody is refused a move because of the other player's games.
    """
    ahead = MOVE_SIZE * MOVES_AHEAD
    if change.seat is not None:
        made = len(table.plies) + len(table.undone)
        return {change.seat[1]}, len(table.start) + MOVE_SIZE * made + ahead
    if table.over and not after.over:
        return set(table.seated_visitors.values()), ahead
    if change.added is not None and not after.over and len(table.plies) >= MOVES_AHEAD:
        mover = change.added.player
        lately = table.plies[len(table.plies) // MOVES_AHEAD * MOVES_AHEAD :]
        if all(ply.player != mover for ply in lately) and mover in table.seated_visitors:
            return {table.seated_visitors[mover]}, MOVE_SIZE
    return set(), 0


class TableService:
    """The tables of a server, and the commands at them."""

    def __init__(self, settings: Settings) -> None:
        """Start the service.

        Raises SQLAlchemyError or UnusableDatabaseError if its database cannot be used.
        """
        self.settings = settings
        self.store = Store(settings.database, asyncio.get_running_loop().call_soon_threadsafe)
        self.visitors = Visitors(self.store.engine)
        self.engines = EnginePool(settings)
        self.work = FairPool(WORKERS, "working")
        self.changes = FairPool(CHANGERS, "changing")
        self.files = FairPool(1, "reading files")  # of many games, which take long
        self.renderer = Renderer(settings.many_pages)
        self.reviews = Reviews(self.engines, self.work)
        self.daily_puzzles = DailyService(settings, self.store.engine, self._best_was_found)
        self._live: dict[str, LiveTable] = {}
        self._reading: dict[str, LongWork[Table]] = {}
        self._background_tasks: set[asyncio.Task[None]] = set()
        self._notifications = self._listen_to_others()
        metrics.TABLES.set_function(lambda: len(self._live))

    def _listen_to_others(self) -> Notifications | None:
        """Listen for changes by other processes if they can share the database."""
        if not self.store.is_shared:
            self.store.restart_clocks()
            return None
        self.store.take_time()
        from gridhouse.server.storage.notifications import Notifications

        call = asyncio.get_running_loop().call_soon_threadsafe
        return Notifications(
            self.store,
            lambda name, version: call(self._heard, name, version),
            lambda: call(self._missed),
        )

    @property
    def is_deaf(self) -> bool:
        """Whether changes by other processes are not heard now, though there may be some."""
        return self._notifications is not None and not self._notifications.is_listening

    def _heard(self, name: str, version: int) -> None:
        """Reload a table if another process has changed it."""
        live = self._live.get(name)
        if live is not None:
            self._await(live, version)

    def _missed(self) -> None:
        """Reload all tables."""
        for live in self._live.values():
            self._await(live, live.table.version + 1)

    def _await(self, live: LiveTable, version: int) -> None:
        """Reload a table unless it has a version; while its lock is held, one reading waits."""
        if live.table.version < version:
            is_waiting = live.awaited > 0
            live.awaited = max(live.awaited, version)
            if not is_waiting:
                self._spawn(self._refresh(live))

    async def _refresh(self, live: LiveTable) -> None:
        """Show what another process has changed; a dead connection is not the end of it."""
        wanted = 0
        for _ in range(REFRESHES):
            try:
                with suppress(RefusedError):  # the table was removed
                    async with live.lock:
                        wanted, live.awaited = max(wanted, live.awaited), 0
                        # Most news is of this process: it has the version when it has the lock.
                        if live.table.version < wanted:
                            await self._catch_up(live)
            except SQLAlchemyError as error:
                log.error("the table %s cannot be read again: %s", live.table.id, reason_of(error))
                await asyncio.sleep(REFRESH_PAUSE)
            else:
                return

    async def close(self) -> None:
        """Stop all thinking and close the database."""
        if self._notifications is not None:
            await asyncio.to_thread(self._notifications.close)
        for task in (tasks := [*self._background_tasks]):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for live in self._live.values():
            live.stop()
        self.reviews.close()
        await self.renderer.close()
        self.engines.close()
        self.work.close()
        self.changes.close()
        self.files.close()
        await self.daily_puzzles.close()
        self.store.close()

    def hang_up(self) -> None:
        """Close the connections of all pages, whose visitors have to show again who they are."""
        for page in self.pages():
            page.hang_up(again=True)

    def pages(self) -> set[Page]:
        """Return the pages that show a table."""
        return {page for live in self._live.values() for page in live.pages}

    def in_memory(self) -> set[str]:
        """Return the tables that are in memory."""
        return set(self._live)

    def drop(self, name: str) -> None:
        """Drop a table that the database no longer has from memory, and close its pages."""
        live = self._live.pop(name, None)
        if live is not None:
            live.stop()
            live.tell_subscribers()  # whoever waits for the API asks again
            for page in live.pages:
                page.hang_up(again=False)

    async def forget(self, visitor: str, nobody: str) -> None:
        """Give the seats of a visitor who was forgotten to nobody, at the tables in memory."""
        for live in list(self._live.values()):
            if live.table.seats_of(visitor):
                async with live.lock:  # the table after a change has the seats already
                    for player in live.table.seats_of(visitor):
                        live.table.seated_visitors[player] = nobody
                    live.table.names.pop(visitor, None)
                    live.changed()

    async def create(self, options: TableOptions, visitor: str) -> str:
        """Store a new table of a visitor; return its name, which cannot be guessed.

        Raises RefusedError.
        """
        players = range(options.state.game.num_players)
        mine = players if options.opponent in ONE_SCREEN else (options.side,)
        record = StoredTable(
            new_id(),
            str(options.state),
            options.opponent,
            seated_visitors=dict.fromkeys(mine, visitor),
            listed=options.listed,
            daily=options.daily,
            given=options.given,
        )
        if options.clock is not None:
            record.initial, record.increment = options.clock
        if options.opponent == MACHINE:
            record.level, record.machine = options.level, 1 - options.side
        await asyncio.to_thread(self._add, record, visitor)
        return record.id

    def _add(self, record: StoredTable, visitor: str) -> None:
        self.require_room(visitor, size_of(record))
        self.store.add(record)

    def require_room(self, visitor: str, size: int) -> None:
        """Raise RefusedError if the house does not keep so many characters more of a visitor."""
        if self.store.size_of_own(visitor) + size > MAX_KEPT:
            raise RefusedError("you have more games than the house keeps for one visitor")

    async def is_listed(self, live: LiveTable) -> bool:
        """Tell whether the lobby shows a table: it may leave it while it is in memory."""
        return await asyncio.to_thread(self.store.is_listed, live.table.id)

    async def rematch(self, live: LiveTable, visitor: str, level: int | None = None) -> str:
        """Return the table of a player's next game: the same game with the sides swapped.

        Of two friends, who asks second joins the first.  Raises RefusedError.
        """
        async with live.rematching:
            return await self._rematch(live, visitor, level)

    async def _rematch(self, live: LiveTable, visitor: str, level: int | None) -> str:
        table = live.table
        seats = table.seats_of(visitor)
        if not seats:
            raise RefusedError("you are watching this game, not playing it")
        if table.daily is not None:
            raise RefusedError("a daily puzzle is played once")
        level = table.level if level is None else level
        if table.opponent == MACHINE and level not in LEVELS:
            raise RefusedError(f"levels are {LEVELS[0]} to {LEVELS[-1]}")
        if table.rematch is not None and table.opponent == FRIENDS:
            return await self._join(table.rematch.table, visitor)
        table.change_for(Command(REMATCH, seats[0]))  # refuses before a table is created
        start = await asyncio.to_thread(next_start, table)
        # The lobby would give the friend's seat to anybody.
        listed = table.opponent != FRIENDS and await self.is_listed(live)
        side = 1 - seats[0]
        options = TableOptions(start, table.opponent, level or 0, side, table.clock, listed)
        options = options._replace(given=table.given and not start.game.has_chance)
        name = await self.create(options, visitor)
        try:
            await self.submit(live, Command(REMATCH, seats[0], name))
        except RefusedError:
            offered = live.table.rematch  # by the friend, in another process
            if offered is None or table.opponent != FRIENDS:
                raise
            return await self._join(offered.table, visitor)
        return name

    async def _join(self, name: str, visitor: str) -> str:
        """Seat a visitor at the table of a rematch, unless they sit there already."""
        live = await self.get(name)
        if live is None:
            raise RefusedError("the rematch is gone")
        if not live.table.seats_of(visitor):
            await self.submit(live, Command(SEAT, visitor=visitor))
        return name

    async def get(self, name: str) -> LiveTable | None:
        """Return a table by its name, None if there is none, or none that can be read.

        Each table is read by itself, so that a long game makes nobody else wait.
        """
        if not NAME.fullmatch(name):  # PostgreSQL does not accept every text
            return None
        live = self._live.get(name)
        if live is None:
            live = await self._open(name)
            if live is None:
                return None
        self._live[name] = self._live.pop(name, live)  # in order of their last use
        today = self.daily_puzzles.today().isoformat()
        live.table.is_past_day = live.table.daily is not None and live.table.daily < today
        return live

    async def _open(self, name: str) -> LiveTable | None:
        """Read a table from the database, as ``get`` does; all who want it read it together."""
        reading = self._reading.setdefault(name, LongWork(self._read(name)))
        try:
            found = await self.work.collect(reading)
            if not found:
                return None
            table = found[0]
            if table.daily is not None:
                day = date.fromisoformat(table.daily)
                table.best = (await self.daily_puzzles.show(type(table.state.game), day)).best
        finally:
            if self._reading.get(name) is reading:
                del self._reading[name]
        if name in self._live:  # another one who waited was faster
            return self._live[name]
        self._evict_idle()
        live = self._live[name] = LiveTable(table, self.work, self.changes, self.renderer)
        self._set_flag_timer(live)
        if self.store.is_shared:  # it may have changed before we subscribed
            self._await(live, table.version + 1)
        return live

    def _read(self, name: str) -> Iterator[Table | None]:
        """Yield a table if it is there and can be read, after pauses.

        All of it is one work of a thread, since the way there and back takes longer than most.
        """
        record = self.store.load(name)
        if record is None:
            return
        yield None
        part = "start"
        try:
            table = Table(replace(record, moves=[], undone=[]), self.settings.max_moves)
            part = "moves"
            yield from table.catch_up(record)
        except GridhouseError:  # it may quote what is hidden
            log.error("the table %s cannot be read: %s", name, DamagedError(part))
            return
        except Exception:
            log.exception("the table %s cannot be read", name)
            return
        table.names = self._names(table)
        yield table
        if self.settings.jit is None and not table.over:
            try:
                compile_players(table)
            except Exception:  # the table is there all the same
                log.exception("the players of the table %s cannot be compiled", name)

    def _names(self, table: Table) -> dict[str, str]:
        profiles = self.visitors.profiles(table.seated_visitors.values())
        return {visitor: profile.name for visitor, profile in profiles.items()}

    async def _note_people(self, live: LiveTable) -> None:
        live.table.names = await asyncio.to_thread(self._names, live.table)
        live.note_seats()
        live.drop_views()

    async def set_profile(self, visitor: str, profile: Profile) -> None:
        """Set a visitor's name and picture, and show the name at the tables that are open."""
        await asyncio.to_thread(self.visitors.set_profile, visitor, profile)
        for live in list(self._live.values()):
            if live.table.seats_of(visitor):
                live.table.names[visitor] = profile.name
                live.changed()

    def _best_was_found(self, puzzle: Puzzle, best: BestResult) -> None:
        """Show the best result at the tables of a puzzle."""
        for live in list(self._live.values()):
            if (live.table.state.game.name, live.table.daily) == (puzzle.game, puzzle.day):
                live.table.best = best
                live.changed()

    def _evict_idle(self) -> None:
        """Drop the oldest tables without subscribers from memory; the database has them.

        Games of an evening stay until they are over, so that whoever leaves one loses on time.
        """
        quiet = [
            (name, live)
            for name, live in self._live.items()
            if not live.subscribers and (live.table.over or live.table.evening is None)
        ]
        moves = 0
        for kept, (name, live) in enumerate(reversed(quiet), 1):
            moves += len(live.table.plies)
            if kept > MAX_IDLE or moves > MAX_IDLE_MOVES:
                del self._live[name]
                live.stop()

    def subscribe(self, live: LiveTable, subscriber: Subscriber, address: str) -> None:
        """Add a subscriber from an address; the machine thinks while a table has any."""
        live.subscribers[subscriber] = address
        self._wake_machine(live)

    def unsubscribe(self, live: LiveTable, subscriber: Subscriber) -> None:
        """Remove a subscriber; the machine stops thinking when none is left."""
        live.subscribers.pop(subscriber, None)
        if not live.subscribers:
            self.renderer.forget(live.number)
            live.drop_views()
            if live.thinking is not None:
                live.thinking.cancel()
                live.thinking = None

    async def submit(self, live: LiveTable, command: Command) -> None:
        """Carry out a command, even if its sender disconnects meanwhile.

        Raises RefusedError, or MoveError for a move that the rules forbid.
        """
        if command.kind in INTERRUPTING:
            async with live.lock:  # a refused command must not stop the machine
                await self.changes.run(live.table.change_for, command)
            await self._stop_thinking(live)
            live.changing = Habit(self.changes)  # taking back takes longer than a move
        plies = live.table.plies

        def change() -> Change:
            return live.table.change_for(command)

        write = partial(self._write, live, change)
        try:
            await run_to_completion(write())
        except StaleTableError:
            # Another process changed the table first.  Only new moves invalidate the command.
            if live.table.plies != plies and command.kind != SEAT:
                raise
            await run_to_completion(write())
        finally:
            self._wake_machine(live)

    async def _write(self, live: LiveTable, change_of: Callable[[], Change | None]) -> None:
        """Write a change to the database, then apply and show it; raises RefusedError."""
        async with live.lock:
            made = await live.changing.start(changed, live.table, change_of)
            if made is None:
                return
            change, after = made
            if change.added is not None and change.ended is not None and after.daily is not None:
                sitter = after.seated_visitors[0]
                result = self.daily_puzzles.result(after.state, after.daily, sitter)
                change = change._replace(also=partial(write_result, reached=result))
            try:
                visitors, size = grown(live.table, change, after)
                for visitor in visitors:
                    await asyncio.to_thread(self.require_room, visitor, size)
                promise: asyncio.Future[None] = asyncio.get_running_loop().create_future()
                with live.applying(change, after):
                    self.store.write(change, promise)
                    if change.added is not None:
                        live.prepare()
                    await promise
            except StaleError:
                await self._catch_up(live)
                raise StaleTableError("the table has changed; look at it again") from None
            except (OSError, SQLAlchemyError) as error:
                log.exception("a change could not be saved")
                reason = public_reason(error)
                raise UnsavedError(f"the change could not be saved: {reason}") from None
            if change.added is not None:
                metrics.MOVES.inc()
            if change.seat is not None:
                await self._note_people(live)
        self._changed(live)

    async def _catch_up(self, live: LiveTable) -> None:
        """Reload a table that another process has changed."""
        record = await asyncio.to_thread(self.store.load, live.table.id, live.table.plies)
        if record is None:
            raise RefusedError("this table was removed")
        if record.version != live.table.version:
            table = live.table.clone()
            await self.changes.collect(table.catch_up(record))
            live.replace(table)
            await self._note_people(live)
            self._changed(live)

    def _changed(self, live: LiveTable) -> None:
        live.tell_subscribers()
        self._set_flag_timer(live)
        self._wake_machine(live)

    def _set_flag_timer(self, live: LiveTable, pause: float = 0.0) -> None:
        """Set a timer that ends the game when the time of the player to move is up.

        It waits for so many seconds at least.
        """
        if live.flag_timer is not None:
            live.flag_timer.cancel()
            live.flag_timer = None
        table = live.table
        if table.clock is not None and table.mover is not None and table.ticks():
            left = max(pause, table.time_left(table.mover, clock.now()) / clock.SECOND)
            loop = asyncio.get_running_loop()
            live.flag_timer = loop.call_later(left, lambda: self._spawn(self._check_flag(live)))

    async def _check_flag(self, live: LiveTable) -> None:
        """End the game if the player to move has no time left."""

        def time_loss() -> Change | None:
            table = live.table
            is_up = table.ticks() and not table.time_left(table.mover or 0, clock.now())
            return table.time_loss() if is_up else None

        pause = 0.0
        try:
            if self.store.unwritten:  # the house tries by itself whether it can write again
                pause = FLAG_PAUSE
            else:
                await self._write(live, time_loss)
        except (UnsavedError, SQLAlchemyError):
            pause = FLAG_PAUSE
        except RefusedError:  # another process was first
            return
        self._set_flag_timer(live, pause)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a task in the background."""
        task = asyncio.get_running_loop().create_task(work)
        self._background_tasks.add(task)
        task.add_done_callback(self._background_tasks.discard)

    def _wake_machine(self, live: LiveTable) -> None:
        table = live.table
        is_idle = live.thinking is None or live.thinking.done()
        if (
            table.opponent == MACHINE
            and live.subscribers
            and is_idle
            and self._is_machine_turn(table)
        ):
            live.thinking = asyncio.create_task(self._think(live))

    def _is_machine_turn(self, table: Table) -> bool:
        return table.mover is not None and table.mover == table.machine and table.room > 0

    async def _think(self, live: LiveTable) -> None:
        """Make the machine's moves until another player is to move."""
        live.table.machine_stuck = False
        try:
            while self._is_machine_turn(live.table):
                table = live.table
                ply = len(table.plies)
                move = table.state.action_to_string(await self._choose(table))
                await asyncio.sleep(self.settings.pause)
                try:
                    await self.submit(live, Command(MOVE, table.machine or 0, move, ply))
                except UnsavedError:
                    raise
                except (RefusedError, MoveError):  # the table has changed
                    continue
        except Exception as error:
            if not isinstance(error, UnsavedError):  # which is logged already
                log.exception("the machine cannot move at a table")
            live.table.machine_stuck = True
            live.changed()

    async def _choose(self, table: Table) -> int:
        """Return the machine's action; if its search fails, note it and return a random action."""
        try:
            choice = await self.engines.choose(table.state.clone(), table.level or 1)
        except Exception:
            log.exception("the machine failed at a table")
            table.machine_failed = True
            return secrets.choice(table.state.legal_actions())
        table.machine_failed = False
        return choice.action

    async def _stop_thinking(self, live: LiveTable) -> None:
        task, live.thinking = live.thinking, None
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await task
