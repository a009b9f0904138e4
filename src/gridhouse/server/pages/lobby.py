"""The lobby: public games to join or to watch."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gridhouse.core.registry import game_class, games, parse_game
from gridhouse.players.levels import LEVELS, level_in_words
from gridhouse.server import clock
from gridhouse.server.clock import Clock
from gridhouse.server.pages.history import open_games, readable
from gridhouse.server.pages.views import page, services, work
from gridhouse.server.tables.table import ANALYSIS, FRIENDS, MACHINE

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from gridhouse.server.auth import Auth
    from gridhouse.server.storage.records import StoredTable
    from gridhouse.server.storage.visitors import Profile

MAX_LISTED = 50
LATELY = 24 * 3600 * 1000  # milliseconds after its last change for which a table is shown


class LobbyEntry(NamedTuple):
    """A row of the lobby; ``seat`` is the name of the free seat's player, "" without one.

    ``is_own`` marks a table at which the visitor sits, ``names`` are those of its visitors.
    """

    address: str
    title: str
    game: str
    opponents: str
    clock: str
    moves: int
    seat: str
    invitation: str
    is_own: bool
    names: list[str]

    @property
    def settings(self) -> str:
        """The game's parameters in words."""
        given = self.game.partition("(")[2].rpartition(")")[0]
        return given.replace("=", " ").replace(",", ", ")


def entry(
    record: StoredTable, made: int, auth: Auth, visitor: str | None, profiles: dict[str, Profile]
) -> LobbyEntry:
    """Return the lobby's row for a table with so many moves."""
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
    opponents = kinds.get(record.opponent, alone)
    if record.given and is_open and not game.perfect_information:
        opponents += " against a host who chose the start"
    address = f"/t/{record.id}"
    return LobbyEntry(
        address,
        cls.title,
        str(game),
        opponents,
        str(Clock(record.initial, record.increment)) if record.initial else "",
        made,
        cls.players[free[0]] if is_open else "",
        f"{address}/join/{auth.invitation(record.id)}" if is_open else "",
        visitor in record.seated_visitors.values(),
        [
            profiles[sitter].name
            for sitter in dict.fromkeys(record.seated_visitors.values())
            if sitter in profiles and profiles[sitter].name
        ],
    )


async def listed(request: Request) -> list[LobbyEntry]:
    """Return the rows of the lobby, the latest change first."""
    service, auth = services(request)
    visitor = auth.visitor(request)

    def found() -> list[LobbyEntry]:
        tables = service.store.list_public(MAX_LISTED, clock.dated() - LATELY)
        sitters = {sitter for record, _ in tables for sitter in record.seated_visitors.values()}
        profiles = service.visitors.profiles(sitters)
        shown = []
        for record, made in tables:
            with readable(record):
                shown.append(entry(record, made, auth, visitor, profiles))
        return shown

    return await work(request, found)


async def lobby(request: Request) -> Response:
    """Show open tables and games in play; the page's script reloads it regularly."""
    game = request.query_params.get("game", "")
    game = game if game in games() else ""
    entries = [
        shown for shown in await listed(request) if not game or shown.game.startswith(f"{game}(")
    ]
    return await page(
        request,
        "lobby",
        waiting=[shown for shown in entries if shown.seat],
        playing=[shown for shown in entries if not shown.seat],
        games=[game_class(name) for name in games()],
        game=game,
        open_games=await open_games(request),
    )
