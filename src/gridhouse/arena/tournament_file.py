"""A tournament as data: its game, players, format and conditions, read from TOML."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field, fields, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from gridhouse.arena.statistics import Sprt
from gridhouse.arena.time_control import FORMS, MARGIN, TimeControl
from gridhouse.core import toml_settings
from gridhouse.core.console import UsageError
from gridhouse.core.errors import GridhouseError
from gridhouse.core.notation import shown
from gridhouse.core.registry import parse_game
from gridhouse.core.toml_settings import choice, count, number, truth

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from gridhouse.core.game import Game

    Reader = Callable[[str, object], Any]

MOST = 1_000_000  # games, rounds, plies and the like


class Format(StrEnum):
    """Who meets whom; ``schedules`` has one class for each."""

    ROUND_ROBIN = "round-robin"  # everyone meets everyone
    GAUNTLET = "gauntlet"  # the first player meets all others
    KNOCK_OUT = "knock-out"  # who loses is out
    SWISS = "swiss"  # players with the same score meet, none twice
    LADDER = "ladder"  # who beats the player above changes places


@dataclass(frozen=True)
class Entrant:
    """A player of a tournament: its name there, the text that it is made from, its own limits."""

    name: str
    player: str
    control: TimeControl | None = None


@dataclass(frozen=True)
class OpeningSettings:
    """Where openings come from: a book, or random moves; by default as the game needs them."""

    book: str = ""
    plies: int | None = None
    seed: int = 0


@dataclass(frozen=True)
class AdjudicationSettings:
    """Which games end before their rules end them, as ``referee.Adjudication`` says."""

    proof: bool = False
    agreement: int = 0
    length: int = 0


@dataclass(frozen=True)
class Tournament:
    """A tournament; a match is one of two players.

    ``games`` are those of each encounter, an even number: each opening is played with both sides.
    ``rounds`` is how often everyone meets (round robin, gauntlet), the number of rounds (Swiss) or
    of passes (ladder); 0 is the usual number.  ``concurrency`` is the number of games at a time, 0
    for one on each core; results do not depend on it.
    """

    game: Game
    players: tuple[Entrant, ...]
    control: TimeControl
    format: Format = Format.ROUND_ROBIN
    games: int = 2
    rounds: int = 0
    sandbox: bool = True
    openings: OpeningSettings = field(default_factory=OpeningSettings)
    adjudication: AdjudicationSettings = field(default_factory=AdjudicationSettings)
    sprt: Sprt | None = None
    concurrency: int = 0

    @property
    def names(self) -> list[str]:
        """The names of the players."""
        return [entrant.name for entrant in self.players]

    def settings(self) -> dict[str, Any]:
        """Return all that results depend on, as JSON can have it."""
        return {
            "game": str(self.game),
            "players": [
                {"name": one.name, "player": one.player, "limit": _written(one.control)}
                for one in self.players
            ],
            "limit": _written(self.control),
            "margin": self.control.margin,
            "format": str(self.format),
            "games": self.games,
            "rounds": self.rounds,
            "sandbox": self.sandbox,
            "openings": vars(self.openings),
            "adjudication": vars(self.adjudication),
            "sprt": None if self.sprt is None else vars(self.sprt),
        }


def _written(control: TimeControl | None) -> str:
    return "" if control is None else str(control)


def load_tournament(path: Path) -> Tournament:
    """Read a tournament in TOML; raises UsageError that says what is wrong where."""
    return toml_settings.load(path, parse_tournament)


def parse_tournament(table: Mapping[str, Any]) -> Tournament:
    """Return the tournament of a TOML table; raises UsageError that says what is wrong where.

    Players' texts are not looked at; making the players does that.
    """
    values = _read(table, "", READERS)
    for name in ("game", "players"):
        if name not in values:
            raise UsageError(f"{name} is missing")
    margin = values.pop("margin", MARGIN)
    controls = [values.pop(name) for name in ("time", "limit") if name in values]
    if len(controls) != 1:
        raise UsageError("give one of time and limit, " + FORMS)
    values["players"] = tuple(
        replace(one, control=one.control and replace(one.control, margin=margin))
        for one in values["players"]
    )
    tournament = Tournament(control=replace(controls[0], margin=margin), **values)
    _check(tournament)
    return tournament


def _check(tournament: Tournament) -> None:
    """Raise UsageError for settings that do not go together."""
    if tournament.games % 2 or not tournament.games:
        raise UsageError("games must be even: each opening is played with both sides")
    if tournament.sprt is not None and len(tournament.players) != 2:
        raise UsageError("sprt is for matches of two players")
    if tournament.rounds and tournament.format is Format.KNOCK_OUT:
        raise UsageError("a knock-out has no setting rounds")
    most = (len(tournament.players) + 1) // 2
    if tournament.format is Format.SWISS and tournament.rounds > most:
        raise UsageError(
            f"rounds must be at most {most}, half of the players, or some would meet twice"
        )
    if tournament.openings.book and tournament.openings.plies is not None:
        raise UsageError("openings have either a book or plies")


def _read(table: object, where: str, readers: Mapping[str, Reader]) -> dict[str, Any]:
    """Return the values of a table of settings, each as its reader returns it."""
    if not isinstance(table, dict):
        raise UsageError(f"{where.rstrip('.')} must be a table of settings")
    values = {}
    for name, value in table.items():
        if name not in readers:
            raise UsageError(f"{where}{name} is no setting; the settings are {', '.join(readers)}")
        values[name] = readers[name](f"{where}{name}", value)
    return values


def _table(cls: type, readers: Mapping[str, Reader]) -> Reader:
    """Return a reader of a table whose settings are the fields of a class."""
    needed = [one.name for one in fields(cls) if one.default is MISSING]

    def read(name: str, value: object) -> Any:
        values = _read(value, f"{name}.", readers)
        for one in needed:
            if one not in values:
                raise UsageError(f"{name}.{one} is missing")
        try:
            return cls(**values)
        except UsageError as error:
            raise UsageError(f"{name}: {error}") from None

    return read


def _seconds(name: str, value: object) -> float:
    seconds = number(name, value)
    if seconds < 0:
        raise UsageError(f"{name} must be a number of seconds that is not negative")
    return seconds


def _text(name: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip() or len(value.splitlines()) != 1:
        raise UsageError(f"{name} must be a text in quotes, of one line")
    return value.strip()


def read_game(name: str, value: object) -> Game:
    """Return the game of a text, with or without parameters; raises UsageError."""
    text = _text(name, value)
    try:
        game, rest = parse_game(text if "(" in text else f"{text}()")
    except GridhouseError as error:
        raise UsageError(f"{name}: {error}") from None
    if rest.strip():
        raise UsageError(f"{name}: {shown(rest)} follows the game's parameters")
    if game.num_players != 2:
        raise UsageError(f"{name}: {game.name} is not a game of two")
    return game


def _control(name: str, value: object) -> TimeControl:
    try:
        return TimeControl.parse(_text(name, value))
    except GridhouseError as error:
        raise UsageError(f"{name}: {error}") from None


def _clock(name: str, value: object) -> TimeControl:
    control = _control(name, value)
    if control.base is None:
        raise UsageError(f"{name} is a clock, like 5+0.05; write limit = {shown(str(value))}")
    return control


def _limit(name: str, value: object) -> TimeControl:
    control = _control(name, value)
    if control.base is not None:
        raise UsageError(f"{name} is of a move, like 0.1s, 20000n or 2000p")
    return control


def _players(name: str, value: object) -> tuple[Entrant, ...]:
    if not isinstance(value, list) or len(value) < 2:
        raise UsageError(f"{name} must be a list of at least two")
    entrants = tuple(_entrant(f"{name}[{number}]", one) for number, one in enumerate(value, 1))
    names = [entrant.name for entrant in entrants]
    for one in names:
        if names.count(one) > 1:
            raise UsageError(f"{name}: {shown(one)} is there twice; give each a name of its own")
    return entrants


def _entrant(where: str, value: object) -> Entrant:
    """Return the player of a text, or of a table with name, player, and limit or time."""
    if isinstance(value, str):
        value = {"player": value}
    values = _read(value, f"{where}.", ENTRANT_READERS)
    if "player" not in values:
        raise UsageError(f"{where}.player is missing")
    if "time" in values and "limit" in values:
        raise UsageError(f"{where} has both time and limit")
    player = values["player"]
    return Entrant(values.get("name", player), player, values.get("time", values.get("limit")))


ENTRANT_READERS: dict[str, Reader] = {
    "name": _text,
    "player": _text,
    "time": _clock,
    "limit": _limit,
}
READERS: dict[str, Reader] = {
    "game": read_game,
    "players": _players,
    "format": choice(Format),
    "games": count(MOST),
    "rounds": count(MOST),
    "time": _clock,
    "limit": _limit,
    "margin": _seconds,
    "sandbox": truth,
    "openings": _table(OpeningSettings, {"book": _text, "plies": count(MOST), "seed": count(MOST)}),
    "adjudication": _table(
        AdjudicationSettings, {"proof": truth, "agreement": count(MOST), "length": count(MOST)}
    ),
    "sprt": _table(
        Sprt,
        {
            "elo0": number,
            "elo1": number,
            "alpha": number,
            "beta": number,
            "model": choice(("normalized", "logistic")),
        },
    ),
    "concurrency": count(MOST),
}
