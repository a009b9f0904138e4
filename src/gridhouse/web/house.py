"""The referee: every change at a table goes through here, one at a time, and to disk first."""

from __future__ import annotations

import asyncio
import logging
import secrets
from contextlib import suppress
from datetime import date
from typing import TYPE_CHECKING

from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from gridhouse.web.days import Days
from gridhouse.web.sight import FRIENDS, MACHINE, RefusedError, Table, gesture
from gridhouse.web.store import Record, Store
from gridhouse.web.thinking import Thinkers

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    from gridhouse.core.game import State
    from gridhouse.web.results import Best, Puzzle
    from gridhouse.web.settings import Settings

    Guest = Callable[[], None]

log = logging.getLogger("gridhouse.web")
MOST_WAITING = 500  # tables that are kept in memory with nobody at them


async def finished(change: Coroutine[Any, Any, None]) -> None:
    """Let a change at a table come to its end, even if whoever asked for it has gone meanwhile."""
    task = asyncio.create_task(change)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        raise


class Live:
    """A table that is in memory, with those who look at it; each is told when it changes."""

    def __init__(self, table: Table) -> None:
        """Lay out a table with nobody at it."""
        self.table = table
        self.lock = asyncio.Lock()
        self.guests: set[Guest] = set()
        self.thinking: asyncio.Task[None] | None = None

    def changed(self) -> None:
        """Tell everybody at the table that it has changed."""
        for guest in list(self.guests):
            guest()


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
        self._prepared: set[str] = set()
        self._preparing: set[asyncio.Task[None]] = set()

    async def close(self) -> None:
        """Stop all thinking and close the database."""
        for task in [live.thinking for live in self._live.values() if live.thinking is not None]:
            task.cancel()
        self.thinkers.close()
        await self.days.close()
        self.store.close()

    async def found(
        self,
        state: State,
        opponent: str,
        sitters: dict[int, str],
        level: int,
        daily: str | None = None,
    ) -> str:
        """Keep a new table and return its name, which nobody can guess.

        Against the machine it plays, at a level, the player who is not among the sitters.
        ``daily`` is the day whose puzzle it is.
        """
        record = Record(
            secrets.token_urlsafe(9), str(state), opponent, sitters=sitters, daily=daily
        )
        if opponent == MACHINE:
            free = set(range(state.game.num_players)) - set(sitters)
            record.level, record.machine = level, free.pop()
        await asyncio.to_thread(self.store.add, record)
        return record.id

    async def find(self, name: str) -> Live | None:
        """Return a table by its name, or None if there is none."""
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
            del self._live[name]

    def enter(self, live: Live, guest: Guest) -> None:
        """Let somebody look at a table; the machine thinks while anybody does."""
        live.guests.add(guest)
        if live.table.opponent == MACHINE and not live.table.state.is_terminal():
            task = asyncio.create_task(self._prepare(live.table))
            self._preparing.add(task)
            task.add_done_callback(self._preparing.discard)
        self._wake_machine(live)

    async def _prepare(self, table: Table) -> None:
        """Have the searches of a game compiled while the player looks at the first position."""
        name = table.state.game.name
        if self.settings.jit and name not in self._prepared:
            self._prepared.add(name)
            with suppress(Exception):  # whoever needs the machine will hear of it
                await self.thinkers.choose(table.state.clone(), table.level or 1)

    def leave(self, live: Live, guest: Guest) -> None:
        """Let somebody go; the machine stops thinking when nobody is left."""
        live.guests.discard(guest)
        if not live.guests and live.thinking is not None:
            live.thinking.cancel()
            live.thinking = None

    async def take_seat(self, live: Live, visitor: str) -> None:
        """Let a visitor have the free seat of a table; raises RefusedError."""
        await finished(self._take_seat(live, visitor))

    async def _take_seat(self, live: Live, visitor: str) -> None:
        table = live.table
        async with live.lock:
            if table.seats_of(visitor):
                raise RefusedError("you already sit at this table; send the link to a friend")
            if not table.open_seats():
                raise RefusedError("this seat is taken")
            seat = table.open_seats()[0]
            try:
                await asyncio.to_thread(self.store.take_seat, table.id, seat, visitor)
            except IntegrityError:
                raise RefusedError("this seat is taken") from None
            table.sitters[seat] = visitor
        live.changed()

    async def play(self, live: Live, player: int, text: str) -> None:
        """Play a player's move; raises RefusedError, or MoveError if the rules forbid it."""
        await finished(self._play(live, player, text))

    async def _play(self, live: Live, player: int, text: str) -> None:
        async with live.lock:
            if live.table.state.current_player() != player:
                raise RefusedError("it is not your turn")
            await self._keep(live, live.table.state.string_to_action(text))
        live.changed()
        self._wake_machine(live)

    async def _keep(self, live: Live, action: int) -> None:
        """Write a move down and only then make it."""
        table = live.table
        move = table.state.action_to_string(action)
        written = table.id, len(table.plies), move
        reached = self.days.reached(table, action)
        try:
            if reached is None:
                await asyncio.to_thread(self.store.add_move, *written)
            else:
                await asyncio.to_thread(self.days.results.finish, *written, reached)
        except (OSError, SQLAlchemyError):
            log.exception("a move could not be written down")
            raise RefusedError("the move could not be written down; try again") from None
        table.push(action)

    async def undo(self, live: Live, player: int) -> None:
        """Take a move back, or ask the other player whether it may be; raises RefusedError."""
        live.table.undo_count(player)  # before the machine is disturbed
        await self._stop_thinking(live)
        await finished(self._undo(live, player))
        self._wake_machine(live)

    async def _undo(self, live: Live, player: int) -> None:
        table = live.table
        async with live.lock:
            count = table.undo_count(player)
            if table.opponent == FRIENDS and not table.open_seats():
                table.asked = player
            else:
                await self._take_back(live, count)
        live.changed()

    async def answer(self, live: Live, player: int, agrees: bool) -> None:
        """Answer the other player's wish to take a move back; raises RefusedError."""
        await finished(self._answer(live, player, agrees))

    async def _answer(self, live: Live, player: int, agrees: bool) -> None:
        table = live.table
        async with live.lock:
            if table.asked is None or table.asked == player:
                raise RefusedError("nobody has asked for that")
            if agrees:
                await self._take_back(live, table.undo_count(table.asked))
            table.asked = None
        live.changed()

    async def _take_back(self, live: Live, count: int) -> None:
        table = live.table
        first = len(table.plies) - count
        await asyncio.to_thread(self.store.drop_moves, table.id, first)
        table.pop(count)

    async def hint(self, live: Live) -> tuple[int, str, list[int]]:
        """Return the ply, the strongest player's move, and the cells that name it."""
        state = live.table.state.clone()
        if state.is_terminal():
            raise RefusedError("the game is over")
        live.table.need_free_play()
        ply = len(live.table.plies)
        action = await self.thinkers.choose(state)
        return ply, state.action_to_string(action), gesture(state, action)[0]

    def _wake_machine(self, live: Live) -> None:
        table = live.table
        is_idle = live.thinking is None or live.thinking.done()
        if table.opponent == MACHINE and live.guests and is_idle and self._to_think(table):
            live.thinking = asyncio.create_task(self._think(live))

    def _to_think(self, table: Table) -> bool:
        return table.state.current_player() == table.machine and not table.state.is_terminal()

    async def _think(self, live: Live) -> None:
        """Make the machine's moves until somebody else is to move."""
        table = live.table
        try:
            while self._to_think(table):
                ply = len(table.plies)
                action = await self.thinkers.choose(table.state.clone(), table.level or 1)
                await asyncio.sleep(self.settings.pause)
                await finished(self._reply(live, ply, action))
        except Exception:
            log.exception("the machine failed at a table")
            raise

    async def _reply(self, live: Live, ply: int, action: int) -> None:
        """Make the machine's move, unless the table is not what it thought over any more."""
        async with live.lock:
            if len(live.table.plies) == ply:
                await self._keep(live, action)
        live.changed()

    async def _stop_thinking(self, live: Live) -> None:
        task, live.thinking = live.thinking, None
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await task
