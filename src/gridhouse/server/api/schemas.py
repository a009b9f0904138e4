"""What programs send and get, as JSON."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, StrictStr, model_validator

from gridhouse.core import registry
from gridhouse.players.levels import LEVELS
from gridhouse.server.pages.forms import RANDOM_SIDE, USUAL_LEVEL

MOST_TEXT = 200  # characters of what is short
FAR = 10**18  # beyond every limit of every parameter

Opponent = Literal["hotseat", "machine", "friends"]
Whole = Annotated[StrictInt, Field(ge=-FAR, le=FAR)]
GameName = Annotated[
    str, Field(max_length=MOST_TEXT, json_schema_extra={"enum": [*registry.games()]})
]
Short = Annotated[str, Field(max_length=MOST_TEXT)]


class RequestModel(BaseModel):
    """What a program sends: nothing besides what is known."""

    model_config = ConfigDict(extra="forbid")


class Problem(BaseModel):
    """Why something was not done."""

    detail: str = Field(description="One sentence that a person can read.")


class ParameterInfo(BaseModel):
    """One parameter of a game."""

    name: str
    about: str
    kind: Literal["integer", "boolean", "string"]
    default: StrictBool | StrictInt | StrictStr
    low: int | None = Field(description="The least value of an integer.")
    high: int | None = Field(description="The greatest value of an integer.")


class GameInfo(BaseModel):
    """A game that the house has."""

    name: str
    title: str
    summary: str
    rules: str = Field(description="How it is played.")
    players: list[str]
    move_form: str = Field(description="How a move is written.")
    file_holds: str = Field(description="What a start of one's own may be, besides a position.")
    parameters: list[ParameterInfo]
    presets: dict[str, dict[str, StrictBool | StrictInt | StrictStr]]


class NewTable(RequestModel):
    """A new table: the game it is for, or a position of that game, and how it is played."""

    game: GameName | None = Field(None, description="Its name; a position's line has it.")
    position: str | None = Field(
        None,
        description="A position's line, `game(parameters)#seed`, or what the game's files hold.",
    )
    parameters: dict[Short, StrictBool | Whole | Short] | None = None
    preset: Short | None = None
    opponent: Opponent = "machine"
    level: Annotated[StrictInt, Field(ge=LEVELS[0], le=LEVELS[-1])] = USUAL_LEVEL
    side: Literal["random"] | Annotated[StrictInt, Field(ge=0, le=1)] = Field(
        0, description="The player whom you play; the first one has the number 0."
    )
    clock: Short = Field("none", description="Minutes + seconds a move, as `3+2`, or `none`.")
    listed: StrictBool = Field(False, description="Whether the table stands in the lobby.")

    @model_validator(mode="after")
    def _is_one_game(self) -> Self:
        if self.game is None and self.position is None:
            raise ValueError("a table needs a game or a position")
        if self.preset is not None and self.parameters is not None:
            raise ValueError("a table has a preset or parameters, not both")
        return self

    def form(self) -> dict[str, str]:
        """Return what the form for a new game would hold, without the game's parameters."""
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
    """What opens a free seat."""

    invitation: Short | None = Field(
        None, description="The link or its last part; a table of the lobby needs none."
    )


class Move(RequestModel):
    """A move: its text, and how many moves you have seen before it."""

    move: Short
    ply: Whole


class Answer(RequestModel):
    """Whether you agree to what the other player asks for."""

    agrees: StrictBool


class Seat(BaseModel):
    """A player of a table, and who plays it."""

    name: str
    taken_by: Literal["you", "machine", "somebody", "nobody"]


class Made(BaseModel):
    """A move that was made, as far as you may know it."""

    player: int
    move: str


class ClockTime(BaseModel):
    """A player's clock."""

    name: str
    left: int = Field(description="Milliseconds.")
    runs: bool


class Wanted(BaseModel):
    """What a player asks the other for."""

    kind: Literal["undo", "redo"]
    player: int


class TableState(BaseModel):
    """A table as you may see it."""

    id: str
    game: str = Field(description="The game with its parameters.")
    opponent: Opponent
    level: int | None = Field(description="The machine's level.")
    seats: list[Seat]
    version: int = Field(description="Grows with every change: what to wait `after`.")
    ply: int = Field(description="How many moves stand.")
    position: str = Field(description="The position's line, without what is hidden from you.")
    to_move: int | None = Field(description="The player to move; null when the game is over.")
    your_turn: bool
    legal: list[str] = Field(description="Every legal move, if it is your turn.")
    moves: list[Made]
    clocks: list[ClockTime | None] | None = Field(description="Null without clocks.")
    over: bool
    outcome: str | None = Field(description="In words how a game that is over has ended.")
    returns: list[float] | None = Field(description="What each player has made then.")
    asked: Wanted | None
    undo: bool = Field(description="Whether you may undo, or ask for it.")
    redo: bool
    invitation: str | None = Field(description="The link to the free seat, for who sits here.")


class Joined(BaseModel):
    """The table where you sit now, and who you are from now on."""

    token: str | None = Field(description="Keep it; null if you have said already who you are.")
    table: TableState


class Listed(BaseModel):
    """A table of the lobby."""

    id: str
    title: str
    game: str
    about: str = Field(description="In words who plays.")
    clock: str | None
    moves: int
    free_seat: str | None = Field(description="The player whom you may play; null to watch only.")


assert RANDOM_SIDE == "random"
