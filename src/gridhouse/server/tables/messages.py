"""The messages of a table's socket, as JSON holds them; `docs/api.md` describes them.

``tools/js/write_messages.py`` writes the page's types from these.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

Gesture = tuple[str, list[int], str]  # a legal move, the cells that name it, the choice left then


class Clock(TypedDict):
    """A player's clock: the milliseconds left when this was sent, and whether it runs."""

    name: str
    left: int
    runs: bool


class Handover(TypedDict):
    """The curtain of a screen for two: the request that lifts or drops it, its text and button."""

    does: Literal["cover", "uncover"]
    says: str
    button: str


class View(TypedDict):
    """All that a page shows of a table; ``looking`` is the number of moves of a past position."""

    type: Literal["view"]
    ply: int
    looking: int | None
    board: str
    drawn: bool
    heading: str
    status: str
    side: int
    turns: bool
    moves: list[tuple[str, str]]
    last: list[int]
    gestures: list[Gesture]
    acts: bool
    over: bool
    handing: Handover | None
    undo: bool
    redo: bool
    resign: bool
    helps: bool
    unaided: bool
    asked: str
    waits: str
    position: str
    clocks: list[Clock | None] | None
    invitation: NotRequired[str]


class Refusal(TypedDict):
    """The reason why a request was refused."""

    type: Literal["refusal"]
    text: str


class Hint(TypedDict):
    """The strongest player's move in the position after ``ply`` moves, and its cells."""

    type: Literal["hint"]
    ply: int
    move: str
    cells: list[int]


class Evaluation(TypedDict):
    """How the position after ``ply`` moves stands, in words."""

    type: Literal["judge"]
    ply: int
    text: str


class Frame(TypedDict):
    """A position of the line that the machine shows; ``last`` are the cells of its last move."""

    type: Literal["frame"]
    ply: int
    board: str
    last: list[int]
    heading: str
    status: str


class Shown(TypedDict):
    """The end of the line that the machine shows."""

    type: Literal["shown"]
    ply: int


class Here(TypedDict):
    """The answer to the request of the same name: the connection stands."""

    type: Literal["here"]


Help = Hint | Evaluation | Frame | Shown
Message = View | Refusal | Help | Here


class MoveRequest(TypedDict):
    """A move, made after ``ply`` moves."""

    type: Literal["move"]
    move: str
    ply: int


class LookRequest(TypedDict):
    """A look at the position after ``ply`` moves, or at the game as it stands."""

    type: Literal["look"]
    ply: NotRequired[int | None]


class WhyRequest(TypedDict):
    """A question: the reason why no move begins with these cells."""

    type: Literal["why"]
    cells: list[int]


class AnswerRequest(TypedDict):
    """An answer to an offered takeback, or the withdrawal of one's own."""

    type: Literal["answer"]
    agrees: bool


class PlainRequest(TypedDict):
    """A request without details."""

    type: Literal[
        "turn",
        "here",
        "cover",
        "uncover",
        "undo",
        "redo",
        "resign",
        "hint",
        "judge",
        "show",
        "stop",
    ]


Request = MoveRequest | LookRequest | WhyRequest | AnswerRequest | PlainRequest
