"""The lobby: public games to join or to watch."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from starlette.concurrency import run_in_threadpool

from gridhouse.core.registry import parse_game
from gridhouse.players.levels import LEVELS, level_in_words
from gridhouse.server import clock
from gridhouse.server.clock import Clock
from gridhouse.server.pages.views import page, services
from gridhouse.server.tables.table import ANALYSIS, FRIENDS, MACHINE

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from gridhouse.server.auth import Auth
    from gridhouse.server.storage.records import StoredTable

MAX_LISTED = 50
LATELY = 24 * 3600 * 1000  # milliseconds after its last change for which a table is shown


class LobbyEntry(NamedTuple):
    """A row of the lobby; ``seat`` is the name of the free seat's player, "" without one."""

    address: str
    title: str
    game: str
    opponents: str
    clock: str
    moves: int
    seat: str
    invitation: str

    @property
    def settings(self) -> str:
        """The game's parameters in words."""
        given = self.game.partition("(")[2].rpartition(")")[0]
        return given.replace("=", " ").replace(",", ", ")


def entry(record: StoredTable, auth: Auth) -> LobbyEntry:
    """Return the lobby's row for a table."""
    game, _ = parse_game(record.start)
    cls = type(game)
    free = [player for player in range(len(cls.players)) if player not in record.seated_visitors]
    is_open = record.opponent == FRIENDS and bool(free)
    with_machine = f"against the machine ({level_in_words(record.level or LEVELS[0])})"
    alone = "one player" if len(cls.players) == 1 else "two players at one screen"
    kinds = {
        MACHINE: with_machine,
        FRIENDS: "waiting for an opponent" if is_open else "two players",
        ANALYSIS: "analysis board",
    }
    address = f"/t/{record.id}"
    return LobbyEntry(
        address,
        cls.title,
        str(game),
        kinds.get(record.opponent, alone),
        str(Clock(record.initial, record.increment)) if record.initial else "",
        len(record.moves),
        cls.players[free[0]] if is_open else "",
        f"{address}/join/{auth.invitation(record.id)}" if is_open else "",
    )


async def listed(request: Request) -> list[LobbyEntry]:
    """Return the rows of the lobby, the latest change first."""
    service, auth = services(request)
    records = await run_in_threadpool(service.store.list_public, MAX_LISTED, clock.now() - LATELY)
    return [entry(record, auth) for record in records]


async def lobby(request: Request) -> Response:
    """Show open tables and games in play; the page's script reloads it regularly."""
    entries = await listed(request)
    waiting = [shown for shown in entries if shown.seat]
    playing = [shown for shown in entries if not shown.seat]
    return page(request, "lobby", waiting=waiting, playing=playing)
