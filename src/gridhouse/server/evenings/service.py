"""The evenings of a server: they go on whenever somebody looks at them.

Whoever waits for an opponent looks at the evening every few seconds, so no clock of its own is
needed: each look adds the points of finished games and pairs whoever is free.
"""

from __future__ import annotations

import asyncio
import random
import secrets
from collections import defaultdict
from typing import TYPE_CHECKING

from gridhouse.core.components import component
from gridhouse.core.registry import parse_game
from gridhouse.server import clock
from gridhouse.server.auth import new_id
from gridhouse.server.evenings.pairing import FreePlayer, Pair, pair_up
from gridhouse.server.evenings.storage import Evening, EveningPlayer, EveningStore
from gridhouse.server.settings import MAX_START, MOVE_SIZE, MOVES_AHEAD
from gridhouse.server.storage.records import StoredTable, size_of
from gridhouse.server.tables.commands import RefusedError
from gridhouse.server.tables.table import FRIENDS

if TYPE_CHECKING:
    from gridhouse.core.game import Game, State
    from gridhouse.server.clock import Clock
    from gridhouse.server.tables.service import TableService
    from gridhouse.server.tables.table import Table

PAUSE = 2_000  # milliseconds between two rounds of pairing
AWAY_AFTER = 12_000  # milliseconds without a look after which a player is not paired
PATIENCE = 30_000  # milliseconds that players wait for another opponent than their last one
WIN, DRAW = 2, 1  # points
GAME_SIZE = MAX_START + MOVE_SIZE * MOVES_AHEAD  # as which a new game counts at most


class EveningService:
    """The evenings, and the games that they begin."""

    def __init__(self, tables: TableService) -> None:
        """Play at the tables of this service."""
        self.store = EveningStore(tables.store.engine)
        self._tables = tables
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._looking: dict[str, set[str]] = {}  # visitors since the last round
        self._rounds: dict[str, int] = {}  # the time of the last one
        # The evenings that each network address has started, with their ends.  They are forgotten
        # when the house is closed.
        self._started: dict[str, dict[str, int]] = {}
        self._starting = asyncio.Lock()

    async def create(
        self,
        host: str,
        name: str,
        game: Game,
        time: Clock,
        minutes: int,
        *,
        listed: bool,
        address: str = "",
    ) -> str:
        """Start an evening; return its name, which cannot be guessed.  Raises RefusedError.

        Its host has a network address, "" for one without limits.
        """
        now = clock.now()
        ends = now + minutes * clock.MINUTE
        evening = Evening(new_id(), host, name, str(game), *time, listed, ends)
        async with self._starting:
            near = self._started_from(address, now)
            await asyncio.to_thread(self.store.add, evening, now, list(near))
            if address:
                self._started[address] = near | {evening.id: ends}
        return evening.id

    def _started_from(self, address: str, now: int) -> dict[str, int]:
        """Return the evenings that an address has started; those that are over are forgotten."""
        for other, started in list(self._started.items()):
            self._started[other] = {name: ends for name, ends in started.items() if ends > now}
            if not self._started[other]:
                del self._started[other]
        return self._started.get(address, {})

    async def join(self, evening: Evening, visitor: str) -> None:
        """Let a visitor play, also after a pause; raises RefusedError."""
        now = clock.now()
        if now >= evening.ends:
            raise RefusedError("this evening is over")
        await asyncio.to_thread(self._tables.require_room, visitor, GAME_SIZE)
        await asyncio.to_thread(self.store.join, evening.id, visitor, now)

    async def look(self, evening: Evening, visitor: str | None) -> list[EveningPlayer]:
        """Return the players, the best first, after another round if it is time for one.

        Who looks while a round begins the games of many waits for none of them.
        """
        if visitor is not None:
            self._looking.setdefault(evening.id, set()).add(visitor)
        now, lock = clock.now(), self._locks[evening.id]
        if now - self._rounds.get(evening.id, 0) >= PAUSE and not lock.locked():
            async with lock:
                self._rounds[evening.id] = now
                await self._round(evening, now)
        return await asyncio.to_thread(self.store.players, evening.id)

    async def _round(self, evening: Evening, now: int) -> None:
        """Add the points of finished games, then begin new ones."""
        looking = self._looking.pop(evening.id, set())
        await asyncio.to_thread(self.store.note_seen, evening.id, looking, now)
        players = await asyncio.to_thread(self.store.players, evening.id)
        for name in {player.table_id for player in players if player.table_id is not None}:
            live = await self._tables.get(name)  # from now on its clock is watched
            if live is not None and live.table.over:
                points = points_of(live.table)
                await asyncio.to_thread(self.store.end, evening.id, name, points, now)
        if now < evening.ends:
            players = await asyncio.to_thread(self.store.players, evening.id)
            for pair in await asyncio.to_thread(pairs_of, players, now):
                await self._begin(evening, pair, now)

    async def _begin(self, evening: Evening, pair: Pair, now: int) -> None:
        game, _ = parse_game(evening.game)
        record = StoredTable(
            new_id(),
            str(await asyncio.to_thread(start_of, game)),
            FRIENDS,
            seated_visitors={0: pair.first.visitor, 1: pair.second.visitor},
            initial=evening.initial,
            increment=evening.increment,
            since=now,
            given=False,
            evening=evening.id,
        )
        for visitor in record.seated_visitors.values():
            try:
                await asyncio.to_thread(self._tables.require_room, visitor, size_of(record))
            except RefusedError:  # which joining again tells
                await asyncio.to_thread(self.store.pause, evening.id, visitor)
                return
        if await asyncio.to_thread(self.store.begin, record, pair):
            await self._tables.get(record.id)


def points_of(table: Table) -> dict[str, int]:
    """Return the points that a finished game gives each of its visitors."""
    returns = table.returns()
    return {
        visitor: WIN if returns[seat] > 0 else DRAW if returns[seat] == 0 else 0
        for seat, visitor in table.seated_visitors.items()
    }


def pairs_of(players: list[EveningPlayer], now: int) -> list[Pair]:
    """Return the next pairs among the players who are there and free.

    While others play, two players wait for a while rather than to repeat their latest game.
    """
    free = [
        FreePlayer(one.visitor, one.points, one.balance, one.opponent, one.free_since)
        for one in players
        if one.table_id is None and not one.paused and now - one.seen < AWAY_AFTER
    ]
    others_play = any(one.table_id is not None for one in players)
    return [
        pair
        for pair in pair_up(free)
        if not (pair.repeats and others_play)
        or now - max(pair.first.since, pair.second.since) >= PATIENCE
    ]


def start_of(game: Game) -> State:
    """Return the start of a game; armies are ready-made set-ups drawn by chance for both sides."""
    module = component(type(game), "arrangement")
    if module is None:
        return game.new_initial_state(secrets.randbits(64))
    chance = random.SystemRandom()
    setups = list(module.SETUPS)
    armies = [module.ready(game, side, chance.choice(setups), chance) for side in range(2)]
    start: State = module.start(game, tuple(armies))
    return start
