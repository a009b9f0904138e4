"""The referee: every change at a table goes through here, one at a time, and to disk first."""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
from contextlib import suppress
from datetime import date
from functools import partial
from typing import TYPE_CHECKING

from sqlalchemy.exc import SQLAlchemyError

from gridhouse.core.compile_queue import Unit, use_compiled
from gridhouse.players import best_kind, compiled_kind
from gridhouse.web import clocks
from gridhouse.web.days import Days
from gridhouse.web.results import write_result
from gridhouse.web.sight import Look
from gridhouse.web.store import Record, StaleError, Store
from gridhouse.web.table import FRIENDS, HOTSEAT, MACHINE, OVER, RefusedError, Table
from gridhouse.web.thinking import Thinkers

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    from gridhouse.web.forms import Order
    from gridhouse.web.neighbours import Neighbours
    from gridhouse.web.results import Best, Puzzle
    from gridhouse.web.settings import Settings
    from gridhouse.web.store import Change
    from gridhouse.web.table import Wish

    Guest = Callable[[], None]

log = logging.getLogger("gridhouse.web")
NAME = re.compile(r"[\w-]{1,32}", re.ASCII)
MOST_WAITING = 50  # tables that are kept in memory with nobody at them


async def finished(change: Coroutine[Any, Any, None]) -> None:
    """Let a change at a table come to its end, even if whoever asked for it has gone meanwhile."""
    task = asyncio.create_task(change)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        raise


class ChangedError(RefusedError):
    """Something that was meant for a table as it is no more."""


class Live:
    """A table that is in memory, with those who look at it; each is told when it changes."""

    def __init__(self, table: Table) -> None:
        """Lay out a table with nobody at it."""
        self.table = table
        self.lock = asyncio.Lock()
        self.guests: set[Guest] = set()
        self.thinking: asyncio.Task[None] | None = None
        self.alarm: asyncio.TimerHandle | None = None
        self.look = Look(table)

    def changed(self) -> None:
        """Tell everybody at the table that it has changed."""
        self.look = Look(self.table)
        for guest in list(self.guests):
            guest()


def ask_for_players(table: Table) -> None:
    """Have compiled what plays at a table, its machine first, and then what gives hints."""
    game = table.state.game
    kinds = [best_kind(game)]
    if table.opponent == MACHINE:
        kinds.append(compiled_kind("level", game))
    for kind in kinds:  # what is asked for last is compiled first
        use_compiled(Unit(kind, game))


class House:
    """All tables, and what is done at them."""

    def __init__(self, settings: Settings) -> None:
        """Open the house; raises SQLAlchemyError if its database cannot be used."""
        self.settings = settings
        self.store = Store(settings.database)
        self.thinkers = Thinkers(settings)
        self.days = Days(settings, self.store.engine, self._found_best)
        self._live: dict[str, Live] = {}
        self._opening = asyncio.Lock()
        self._errands: set[asyncio.Task[None]] = set()
        self._neighbours = self._meet_neighbours()

    def _meet_neighbours(self) -> Neighbours | None:
        """Begin to listen to other processes on the same database, if it can have any."""
        if not self.store.is_shared:
            self.store.restart_clocks()
            return None
        from gridhouse.web.neighbours import Neighbours

        call = asyncio.get_running_loop().call_soon_threadsafe
        return Neighbours(
            self.store,
            lambda name, version: call(self._heard, name, version),
            lambda: call(self._missed),
        )

    def _heard(self, name: str, version: int) -> None:
        """Read a table again if another process has changed it."""
        live = self._live.get(name)
        if live is not None and live.table.version < version:
            self._spawn(self._refresh(live))

    def _missed(self) -> None:
        """Read all tables again."""
        for live in self._live.values():
            self._spawn(self._refresh(live))

    async def _refresh(self, live: Live) -> None:
        async with live.lock:
            await self._catch_up(live)

    async def close(self) -> None:
        """Stop all thinking and close the database."""
        for live in self._live.values():
            for waiting in (live.thinking, live.alarm):
                if waiting is not None:
                    waiting.cancel()
        self.thinkers.close()
        await self.days.close()
        if self._neighbours is not None:
            await asyncio.to_thread(self._neighbours.close)
        self.store.close()

    async def found(self, order: Order, visitor: str) -> str:
        """Keep a new table for a visitor and return its name, which nobody can guess."""
        players = range(order.state.game.num_players)
        mine = players if order.opponent == HOTSEAT else (order.side,)
        record = Record(
            secrets.token_urlsafe(9),
            str(order.state),
            order.opponent,
            sitters=dict.fromkeys(mine, visitor),
            listed=order.listed,
            daily=order.daily,
        )
        if order.clock is not None:
            record.initial, record.increment = order.clock
        if order.opponent == MACHINE:
            record.level, record.machine = order.level, 1 - order.side
        await asyncio.to_thread(self.store.add, record)
        return record.id

    async def find(self, name: str) -> Live | None:
        """Return a table by its name, or None if there is none."""
        if not NAME.fullmatch(name):  # and PostgreSQL takes not every text
            return None
        async with self._opening:
            if name not in self._live:
                record = await asyncio.to_thread(self.store.load, name)
                if record is None:
                    return None
                self._forget_some()
                table = await asyncio.to_thread(Table, record)
                if table.daily is not None:
                    day = date.fromisoformat(table.daily)
                    table.best = (await self.days.show(type(table.state.game), day)).best
                self._live[name] = Live(table)
                self._set_alarm(self._live[name])
                if self.store.is_shared:  # what has changed meanwhile was not for its ears yet
                    self._spawn(self._refresh(self._live[name]))
            self._live[name] = self._live.pop(name)  # the one used last comes last
            return self._live[name]

    def _found_best(self, puzzle: Puzzle, best: Best) -> None:
        """Tell the tables where a puzzle is played what the best is."""
        for live in list(self._live.values()):
            if (live.table.state.game.name, live.table.daily) == (puzzle.game, puzzle.day):
                live.table.best = best
                live.changed()

    def _forget_some(self) -> None:
        """Let go of a table that nobody looks at when there are many; it is in the database."""
        quiet = [name for name, live in self._live.items() if not live.guests]
        for name in quiet[: max(0, len(quiet) - MOST_WAITING)]:
            alarm = self._live.pop(name).alarm
            if alarm is not None:
                alarm.cancel()

    def enter(self, live: Live, guest: Guest) -> None:
        """Let somebody look at a table; the machine thinks while anybody does."""
        live.guests.add(guest)
        if self.settings.jit is None and not live.table.over:
            self._spawn(asyncio.to_thread(ask_for_players, live.table))
        self._wake_machine(live)

    def leave(self, live: Live, guest: Guest) -> None:
        """Let somebody go; the machine stops thinking when nobody is left."""
        live.guests.discard(guest)
        if not live.guests:
            live.look = Look(live.table)  # what was drawn and sent is not needed any more
            if live.thinking is not None:
                live.thinking.cancel()
                live.thinking = None

    async def take_seat(self, live: Live, visitor: str) -> None:
        """Let a visitor have the free seat of a table; raises RefusedError."""
        await self._change(live, lambda: live.table.seated(visitor), after_moves=True)

    async def play(self, live: Live, player: int, text: str) -> None:
        """Play a player's move; raises RefusedError, or MoveError if the rules forbid it."""

        def played() -> Change:
            if live.table.mover != player:
                raise RefusedError(OVER if live.table.over else "it is not your turn")
            return live.table.played(text)

        await self._change(live, played)

    async def wish(self, live: Live, wish: Wish) -> None:
        """Undo moves or make them again, or ask the other player for it; raises RefusedError."""
        live.table.moved(wish)  # before the machine is disturbed
        await self._stop_thinking(live)

        def moved() -> Change:
            table = live.table
            needs_consent = table.opponent == FRIENDS and not table.open_seats()
            change = table.moved(wish)
            return table.asks(wish) if needs_consent else change

        try:
            await self._change(live, moved)
        finally:
            self._wake_machine(live)

    async def answer(self, live: Live, player: int, *, agrees: bool) -> None:
        """Answer the other player's wish, or give up one's own; raises RefusedError."""

        def answered() -> Change:
            asked = live.table.asked
            if asked is None or (agrees and asked.player == player):
                raise RefusedError("nobody has asked for that")
            return live.table.answered(agrees=agrees)

        await self._change(live, answered)

    async def resign(self, live: Live, player: int) -> None:
        """Let a player give the game up; raises RefusedError."""
        await self._stop_thinking(live)
        await self._change(live, lambda: live.table.resigned(player))

    async def _change(
        self, live: Live, wanted: Callable[[], Change | None], *, after_moves: bool = False
    ) -> None:
        """Change a table if it may be, whatever becomes of whoever asked for it.

        Another process may have been quicker, with a seat or a wish; where no move was made, or
        moves do not matter, what is wanted is as good as before.
        """
        seen = list(live.table.plies)
        try:
            await finished(self._make(live, wanted))
        except ChangedError:
            if live.table.plies != seen and not after_moves:
                raise
            await finished(self._make(live, wanted))

    async def _make(self, live: Live, wanted: Callable[[], Change | None]) -> None:
        """Write a change down and only then make it and show it; raises RefusedError."""
        async with live.lock:
            change = wanted()
            if change is None:
                return
            if change.added is not None and change.ended is not None:
                reached = self.days.reached(live.table, change.added.move)
                if reached is not None:
                    change = change._replace(also=partial(write_result, reached=reached))
            try:
                await asyncio.wrap_future(self.store.keep(change))
            except StaleError:
                await self._catch_up(live)
                raise ChangedError("the table has changed; look again") from None
            except (OSError, SQLAlchemyError):
                log.exception("a change could not be written down")
                raise RefusedError("that could not be written down; try again") from None
            live.table.apply(change)
        self._changed(live)

    async def _catch_up(self, live: Live) -> None:
        """Read a table again that another process has changed."""
        record = await asyncio.to_thread(self.store.load, live.table.id)
        if record is not None and record.version != live.table.version:
            live.table.catch_up(record)
            self._changed(live)

    def _changed(self, live: Live) -> None:
        live.changed()
        self._set_alarm(live)
        self._wake_machine(live)

    def _set_alarm(self, live: Live) -> None:
        """See to it that a player whose time is up has lost, even if nobody moves any more."""
        if live.alarm is not None:
            live.alarm.cancel()
            live.alarm = None
        table = live.table
        if table.clock is not None and table.mover is not None and table.ticks():
            left = table.time_left(table.mover, clocks.now()) / clocks.SECOND
            loop = asyncio.get_running_loop()
            live.alarm = loop.call_later(left, lambda: self._spawn(self._flag(live)))

    async def _flag(self, live: Live) -> None:
        def lost() -> Change | None:
            table = live.table
            is_up = table.ticks() and not table.time_left(table.mover or 0, clocks.now())
            return table.lost_on_time() if is_up else None

        with suppress(RefusedError):  # then another process was first
            await self._make(live, lost)
            self._set_alarm(live)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Have something done that nobody waits for."""
        task = asyncio.get_running_loop().create_task(work)
        self._errands.add(task)
        task.add_done_callback(self._errands.discard)

    def _wake_machine(self, live: Live) -> None:
        table = live.table
        is_idle = live.thinking is None or live.thinking.done()
        if table.opponent == MACHINE and live.guests and is_idle and self._to_think(table):
            live.thinking = asyncio.create_task(self._think(live))

    def _to_think(self, table: Table) -> bool:
        return table.mover is not None and table.mover == table.machine

    async def _think(self, live: Live) -> None:
        """Make the machine's moves until somebody else is to move."""
        table = live.table
        try:
            while self._to_think(table):
                ply = len(table.plies)
                action = await self._choose(table)
                await asyncio.sleep(self.settings.pause)
                with suppress(RefusedError):  # then the table is not what it thought over any more
                    await self._change(live, partial(self._reply, live, ply, action))
        except Exception:
            log.exception("the machine cannot move at a table")
            raise

    async def _choose(self, table: Table) -> int:
        """Return the machine's action, or a random one, and note it, where its search fails."""
        try:
            return (await self.thinkers.choose(table.state.clone(), table.level or 1)).action
        except Exception:
            log.exception("the machine failed at a table")
            table.machine_failed = True
            return secrets.choice(table.state.legal_actions())

    def _reply(self, live: Live, ply: int, action: int) -> Change | None:
        """Return the machine's move, if the table is what it thought over."""
        table = live.table
        is_same = len(table.plies) == ply and self._to_think(table)
        return table.played(table.state.action_to_string(action)) if is_same else None

    async def _stop_thinking(self, live: Live) -> None:
        task, live.thinking = live.thinking, None
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await task
