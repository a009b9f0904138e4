"""Files with a visitor's games, to keep them and to take them to another house."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, FailFast, Field, ValidationError, model_validator

from gridhouse.core.errors import GridhouseError
from gridhouse.core.notation import one_line
from gridhouse.players.levels import LEVELS
from gridhouse.server import clock
from gridhouse.server.pages.forms import read_position
from gridhouse.server.pages.history import readable, summary
from gridhouse.server.settings import MAX_START
from gridhouse.server.storage.records import ENDED, Ply, StoredTable
from gridhouse.server.tables.table import (
    ANALYSIS,
    BY_RULES,
    FRIENDS,
    HOTSEAT,
    MACHINE,
    ONE_SCREEN,
    OPPONENTS,
    begun,
)

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from gridhouse.server.storage.store import Store

MAX_GAMES = 500  # of a file
MAX_FILE = 1024 * 1024  # bytes
MAX_MOVES = 2000  # of a game

Player = Annotated[int, Field(ge=0, le=1)]


class GameFileError(ValueError):
    """A file cannot be read as games; the message is the reason."""


class Part(BaseModel):
    """A part of a file; only the first of its unknown fields is refused, for each is an error."""

    model_config = ConfigDict(extra="forbid", strict=True)

    @model_validator(mode="before")
    @classmethod
    def _with_one_unknown(cls, given: object) -> object:
        if not isinstance(given, dict):
            return given
        known = {name: value for name, value in given.items() if name in cls.model_fields}
        unknown = next((name for name in given if name not in cls.model_fields), None)
        return known if unknown is None else {**known, unknown: given[unknown]}


class SavedGame(Part):
    """A game in a file; ``changed`` are milliseconds since 1970, and ``result`` is for people.

    ``table`` is its table at the house that wrote the file, where it may have gone on since.
    """

    start: Annotated[str, Field(max_length=MAX_START)]
    moves: Annotated[
        list[Annotated[str, Field(max_length=200)]], Field(max_length=MAX_MOVES), FailFast()
    ]
    opponent: Literal["hotseat", "machine", "friends", "analysis"]
    level: Annotated[int, Field(ge=LEVELS[0], le=LEVELS[-1])] | None
    seats: Annotated[list[Player], Field(max_length=2), FailFast()]
    ended: Annotated[str, Field(pattern=f"^({ENDED})$")] | None
    changed: Annotated[int, Field(ge=0)]
    result: str = ""
    table: str = ""


class GameFile(Part):
    """A file with games; ``left_out`` counts games that still hide something from their players."""

    gridhouse: Literal[1]
    games: Annotated[list[SavedGame], Field(max_length=MAX_GAMES), FailFast()]
    left_out: int = 0


def saved_game(record: StoredTable, visitor: str, result: str = "") -> SavedGame:
    """Return a stored game as it stands in a file."""
    seats = sorted(seat for seat, who in record.seated_visitors.items() if who == visitor)
    return SavedGame.model_construct(
        start=record.start,
        moves=[ply.move for ply in record.moves],
        opponent=record.opponent,
        level=record.level,
        seats=seats,
        ended=record.ended,
        changed=record.changed,
        result=result,
        table=record.id,
    )


def own_games(store: Store, visitor: str) -> Iterator[StoredTable]:
    """Yield a visitor's games, each of which is read when it is its turn."""
    found = map(store.load, store.names_of_own(visitor))
    return (record for record in found if record is not None)


def write_games(store: Store, visitor: str) -> Generator[None, None, str]:
    """Return the file with a visitor's games, with pauses between games and between moves.

    Games that still hide information are left out: the file would tell it.
    """
    shown, left_out = [], 0
    for record in own_games(store, visitor):
        yield
        with readable(record):
            if (yield from hides(record)):
                left_out += 1
            else:
                about = yield from summary(record)
                game = saved_game(record, visitor, about.outcome).model_dump_json(indent=1)
                shown.append(game.replace("\n", "\n  "))
    listed = "\n  " + ",\n  ".join(shown) + "\n " if shown else ""
    file = GameFile.model_construct(gridhouse=1, games=[], left_out=left_out)
    return file.model_dump_json(indent=1).replace("[]", f"[{listed}]") + "\n"


def hides(record: StoredTable) -> Generator[None, None, bool]:
    """Tell whether a game hides something from the players at its seats, with pauses."""
    if record.opponent == ANALYSIS or (yield from summary(record)).mover is None:
        return False
    state = begun(record)
    for ply in record.moves:
        if state.has_secrets():
            return True
        state.apply_action(state.string_to_action(ply.move))
        yield
    return state.has_secrets()


def key_of(game: SavedGame, visitor: str) -> str:
    """Return a name for a visitor's copy of a game, which nobody else can guess."""
    facts = game.model_dump(exclude={"result", "table"})
    text = json.dumps([visitor, facts], sort_keys=True)
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()[:18]).decode()


def read_games(
    content: bytes, visitor: str
) -> Generator[None, None, list[tuple[str, StoredTable]]]:
    """Return the games of a file as tables of a visitor, with their old names; with pauses.

    Every game is played again, so a table holds nothing that the rules forbid.  Raises
    GameFileError.
    """
    if not content:
        raise GameFileError("choose a file first")
    try:
        file = GameFile.model_validate_json(content)
    except ValidationError as error:
        wrong = error.errors(include_input=False, include_url=False)[0]
        raise GameFileError(one_line(reason_of(wrong))) from None
    records = []
    for number, game in enumerate(file.games, 1):
        try:
            records.append((game.table, (yield from table_of(game, visitor))))
        except GridhouseError as error:
            raise GameFileError(f"game {number} of the file: {error}") from None
    return records


def reason_of(wrong: Any) -> str:
    """Return what is wrong with a file in one line."""
    place = [str(part) for part in wrong["loc"]]
    if wrong["type"] == "json_invalid" or not place:
        return "this is not a file of games from Gridhouse"
    if place[0] != "games" or len(place) == 1:
        return f"{place[0]}: {wrong['msg']}"
    number = int(place[1]) + 1
    if place[2:]:
        return f"game {number} of the file, {place[2]}: {wrong['msg']}"
    return f"game {number} of the file: {wrong['msg']}"


def table_of(game: SavedGame, visitor: str) -> Generator[None, None, StoredTable]:
    """Return a game of a file as a visitor's table, with pauses; raises GridhouseError."""
    state = read_position(game.start)
    players = state.game.num_players
    taken = list(range(players)) if game.opponent in ONE_SCREEN else game.seats[:1]
    if players == 1 and game.opponent != HOTSEAT:
        raise GridhouseError("this game has no opponent")
    if not taken or game.seats != taken or (game.opponent == MACHINE) != (game.level is not None):
        raise GridhouseError("its seats and its level do not go with its opponent")
    if not game.moves and game.opponent != FRIENDS:
        raise GridhouseError("it has no move")
    key = key_of(game, visitor)
    start = str(state)
    moves = []
    for number, move in enumerate(game.moves, 1):
        if state.is_terminal():
            raise GridhouseError(f"move {number} comes after the end of the game")
        action = state.string_to_action(move)
        moves.append(Ply(state.action_to_string(action)))
        state.apply_action(action)
        yield
    ended = BY_RULES if state.is_terminal() else game.ended
    if (game.ended == BY_RULES) != state.is_terminal() and game.ended is not None:
        raise GridhouseError("its end is not that of its moves")
    if ended not in (None, BY_RULES) and game.opponent in ONE_SCREEN:
        raise GridhouseError("nobody can lose on time or resign at one screen")
    return StoredTable(
        key,
        start,
        game.opponent,
        level=game.level,
        machine=1 - taken[0] if game.opponent == MACHINE else None,
        seated_visitors=dict.fromkeys(taken, visitor),
        moves=moves,
        ended=ended,
        changed=min(game.changed, clock.dated()),
    )


def unknown(
    records: list[tuple[str, StoredTable]], store: Store, visitor: str
) -> Generator[None, None, list[StoredTable]]:
    """Return the tables that are not among a visitor's own, each once; with pauses."""
    known = set()
    for record in own_games(store, visitor):
        yield
        known |= {record.id, key_of(saved_game(record, visitor), visitor)}
    new = {record.id: record for old, record in records if not known & {old, record.id}}
    return list(new.values())


assert set(OPPONENTS) == {"hotseat", "machine", "friends", "analysis"}
