"""The JSON messages of a table's socket; `docs/api.md` describes them.

``tools/js/write_messages.py`` generates the page's types from this module.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

Gesture = tuple[
    str, list[int], str
]  # a legal move, its cells, and the choice among moves with the same cells


class Token(TypedDict):
    """A count of the status: its words, its symbol, and the player whose count it is, or null."""

    label: str
    count: int
    icon: str
    side: int | None


class Clock(TypedDict):
    """A player's clock: the milliseconds left at the time of sending, and whether it runs."""

    name: str
    left: int
    runs: bool


class Handover(TypedDict):
    """The privacy screen for two players: the request of its button, its text, and its label."""

    does: Literal["cover", "uncover"]
    says: str
    button: str


class View(TypedDict):
    """The complete content of a page; ``looking`` is the ply of an earlier position.

    ``cameras`` are the names of the picture's viewpoints, none if there is one only; ``landings``
    are, by moves, the cells that light up instead of the last one of a gesture.
    """

    type: Literal["view"]
    ply: int
    looking: int | None
    board: str
    drawn: bool
    heading: str
    status: str
    tokens: list[Token]
    side: int
    camera: int
    cameras: list[str]
    moves: list[tuple[str, str]]
    last: list[int]
    gestures: list[Gesture]
    landings: dict[str, list[int]]
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
    """The reason why a request was refused, and the cells of what stands in the way of a move."""

    type: Literal["refusal"]
    text: str
    cells: NotRequired[list[int]]


class Hint(TypedDict):
    """The strongest player's move in the position after ``ply`` moves, and its cells."""

    type: Literal["hint"]
    ply: int
    move: str
    cells: list[int]


class Evaluation(TypedDict):
    """The evaluation of the position after ``ply`` moves, in words."""

    type: Literal["judge"]
    ply: int
    text: str


class Frame(TypedDict):
    """A position of the best line; ``last`` are the cells of its last move."""

    type: Literal["frame"]
    ply: int
    board: str
    last: list[int]
    heading: str
    status: str
    tokens: list[Token]


class Shown(TypedDict):
    """The end of the best line."""

    type: Literal["shown"]
    ply: int


class Here(TypedDict):
    """The answer to the request of the same name: the connection is alive."""

    type: Literal["here"]


Help = Hint | Evaluation | Frame | Shown
Message = View | Refusal | Help | Here


class MoveRequest(TypedDict):
    """A move in the position after ``ply`` moves."""

    type: Literal["move"]
    move: str
    ply: int


class LookRequest(TypedDict):
    """A request for the position after ``ply`` moves, or for the current one."""

    type: Literal["look"]
    ply: NotRequired[int | None]


class TurnRequest(TypedDict):
    """A request for the picture from viewpoint ``to``, or from the next one."""

    type: Literal["turn"]
    to: NotRequired[int | None]


class WhyRequest(TypedDict):
    """A request for the reason why no move begins with these cells."""

    type: Literal["why"]
    cells: list[int]


class AnswerRequest(TypedDict):
    """An answer to a takeback request, or the withdrawal of one's own."""

    type: Literal["answer"]
    agrees: bool


class PlainRequest(TypedDict):
    """A request without parameters."""

    type: Literal[
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


Request = MoveRequest | LookRequest | TurnRequest | WhyRequest | AnswerRequest | PlainRequest
