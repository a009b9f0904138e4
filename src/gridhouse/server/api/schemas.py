"""The schemas of requests and responses."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    StrictStr,
    model_validator,
)

from gridhouse.core import registry
from gridhouse.players.levels import LEVELS
from gridhouse.server.pages.forms import DEFAULT_LEVEL, RANDOM_SIDE

MAX_TEXT = 200  # characters of a short text
MAX_FIELDS = 50  # of a request, and of its parameters
FAR = 10**18  # larger than the limit of any parameter

Opponent = Literal["hotseat", "machine", "friends", "analysis"]
Whole = Annotated[StrictInt, Field(ge=-FAR, le=FAR)]
GameName = Annotated[
    str, Field(max_length=MAX_TEXT, json_schema_extra={"enum": [*registry.games()]})
]
Short = Annotated[str, Field(max_length=MAX_TEXT)]


def few(given: object) -> object:
    """Return what was sent; raises ValueError if it has very many fields: each can be an error."""
    if isinstance(given, dict) and len(given) > MAX_FIELDS:
        raise ValueError(f"the request has more than {MAX_FIELDS} fields in one place")
    return given


class RequestModel(BaseModel):
    """The base of all requests: unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _has_few_fields(cls, given: object) -> object:
        return few(given)


class Problem(BaseModel):
    """The reason why a request failed."""

    detail: str = Field(description="One sentence for people.")


class ParameterInfo(BaseModel):
    """One parameter of a game."""

    name: str
    about: str
    kind: Literal["integer", "boolean", "string"]
    default: StrictBool | StrictInt | StrictStr
    low: int | None = Field(description="The least value of an integer.")
    high: int | None = Field(description="The greatest value of an integer.")


class GameInfo(BaseModel):
    """A game of the house."""

    name: str
    title: str
    summary: str
    rules: str = Field(description="The rules in words.")
    players: list[str]
    move_form: str = Field(description="The notation of a move.")
    file_holds: str = Field(description="The contents of the game's start files.")
    parameters: list[ParameterInfo]
    presets: dict[str, dict[str, StrictBool | StrictInt | StrictStr]]


class NewTable(RequestModel):
    """A new table: a game or one of its positions, the opponent, and the clock."""

    game: GameName | None = Field(None, description="The name of the game; a position contains it.")
    position: str | None = Field(
        None,
        description="A position on one line, `game(parameters)#seed`, or the text of a start file.",
    )
    parameters: Annotated[dict[Short, StrictBool | Whole | Short] | None, BeforeValidator(few)] = (
        None
    )
    preset: Short | None = None
    opponent: Opponent = "machine"
    level: Annotated[StrictInt, Field(ge=LEVELS[0], le=LEVELS[-1])] = DEFAULT_LEVEL
    side: Literal["random"] | Annotated[StrictInt, Field(ge=0, le=1)] = Field(
        0, description="The number of the player that you play, from 0."
    )
    clock: Short = Field("none", description="Minutes + seconds per move, as `3+2`, or `none`.")
    listed: StrictBool = Field(False, description="Whether the lobby shows the table.")

    @model_validator(mode="after")
    def _is_one_game(self) -> Self:
        if self.game is None and self.position is None:
            raise ValueError("a table needs a game or a position")
        if self.preset is not None and self.parameters is not None:
            raise ValueError("a table has a preset or parameters, not both")
        return self

    def form(self) -> dict[str, str]:
        """Return the fields of the form for a new game, without the game's parameters."""
        form = {
            "start": self.position or "",
            "preset": self.preset or "",
            "opponent": self.opponent,
            "level": str(self.level),
            "side": str(self.side),
            "clock": self.clock,
        }
        return form | ({"listed": ""} if self.listed else {})


class Invitation(RequestModel):
    """An invitation to a free seat."""

    invitation: Short | None = Field(
        None, description="The link or its last part; a table in the lobby needs none."
    )


class Move(RequestModel):
    """A move: its text, and the number of moves before it."""

    move: Short
    ply: Whole


class Answer(RequestModel):
    """An answer to the other player's request."""

    agrees: StrictBool


class Seat(BaseModel):
    """A seat of a table: its player, and who plays it."""

    name: str
    taken_by: Literal["you", "machine", "somebody", "nobody"]


class Made(BaseModel):
    """A move of the game, as you may see it."""

    player: int
    move: str


class ClockTime(BaseModel):
    """A player's clock."""

    name: str
    left: int = Field(description="Milliseconds.")
    runs: bool


class Wanted(BaseModel):
    """A player's request to take back or redo moves."""

    kind: Literal["undo", "redo"]
    player: int


class TableState(BaseModel):
    """A table as you may see it."""

    id: str
    game: str = Field(description="The game with its parameters.")
    opponent: Opponent
    level: int | None = Field(description="The machine's level.")
    seats: list[Seat]
    version: int = Field(
        description="Grows with every change; pass it as `after` to wait for the next one."
    )
    ply: int = Field(description="The number of moves.")
    position: str = Field(
        description="The position on one line, without information hidden from you."
    )
    to_move: int | None = Field(description="The player to move; null when the game is over.")
    your_turn: bool
    legal: list[str] = Field(description="Every legal move, if it is your turn.")
    moves: list[Made] = Field(description="Those after the first `since`, all without it.")
    clocks: list[ClockTime | None] | None = Field(description="Null without clocks.")
    over: bool
    outcome: str | None = Field(description="The result in words, null while the game goes on.")
    returns: list[float] | None = Field(
        description="Each player's return, null while the game goes on."
    )
    asked: Wanted | None
    undo: bool = Field(description="Whether you may undo, or request it.")
    redo: bool
    given: bool = Field(
        description="Whether the founder chose the start, and so may know what it hides."
    )
    invitation: str | None = Field(description="The link to the free seat, if you play here.")


class Joined(BaseModel):
    """The table where you have a seat, and your token."""

    token: str | None = Field(description="Your new token; null if the request had one.")
    table: TableState


class Listed(BaseModel):
    """A table of the lobby."""

    id: str
    title: str
    game: str
    about: str = Field(description="The opponents in words.")
    clock: str | None
    moves: int
    free_seat: str | None = Field(
        description="The player that you may play; null if no seat is free."
    )


assert RANDOM_SIDE == "random"
