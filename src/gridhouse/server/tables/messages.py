"""The JSON messages of a table's socket; `docs/api.md` describes them.

``tools/js/write_messages.py`` generates the page's types from this module.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

Gesture = tuple[
    str, list[int], str
]  # a legal move, its cells, and the choice among moves with the same cells


# A change of a board: the first line that goes, how many go, and the lines that come.
Splice = tuple[int, int, list[str]]


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

    does: Literal["uncover"]
    says: str
    button: str


class Result(TypedDict):
    """The result of a finished game, how it ended, and for daily puzzles the best result.

    ``you`` is the visitor's own result, "" for who watches, plays both sides or plays alone.
    """

    title: str
    reason: str
    best: str
    you: Literal["won", "lost", "draw", ""]


class Rematch(TypedDict):
    """The next game of the same players: its address, and whether the other player offers it."""

    address: str
    offered: bool


class View(TypedDict):
    """The complete content of a page; ``looking`` is the ply of an earlier position.

    ``cameras`` are the names of the picture's viewpoints, none if there is one only; ``landings``
    are, by moves, the cells that light up instead of the last one of a gesture.
    ``board`` is "" where ``changes`` say how the page makes it from the board that it has: splices
    of its lines, the last one first.  ``moves`` are those after the first ``since``, which the page
    has already; ``comment`` says what the last move did besides moving, and ``notes`` says it of
    every one of ``moves``.
    ``names`` has who plays each player, "" for a free seat.  ``present`` tells which players have
    the page open, and ``watchers`` is the number of other pages.
    """

    type: Literal["view"]
    ply: int
    looking: int | None
    board: str
    changes: list[Splice] | None
    drawn: bool
    heading: str
    status: str
    tokens: list[Token]
    comment: str
    side: int
    camera: int
    cameras: list[str]
    since: int
    moves: list[tuple[str, str]]
    notes: list[str]
    last: list[int]
    gestures: list[Gesture]
    landings: dict[str, list[int]]
    acts: bool
    over: bool
    result: Result | None
    rematch: Rematch | None
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
    names: list[str]
    present: list[bool]
    watchers: int
    invitation: NotRequired[str]


class Refusal(TypedDict):
    """The reason why a request was refused, and the cells of what stands in the way of a move."""

    type: Literal["refusal"]
    text: str
    cells: NotRequired[list[int]]


class Hint(TypedDict):
    """The strongest player's move in the position after ``ply`` moves, its cells and its choice."""

    type: Literal["hint"]
    ply: int
    move: str
    cells: list[int]
    choice: str


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


class ReviewedMove(TypedDict):
    """A move of a reviewed game; a bad one has a mark, what it lost in words, and a better line."""

    name: str
    player: int
    move: str
    note: str
    mark: str
    loss: float
    text: str
    better: list[str]
    cells: list[int]


class Review(TypedDict):
    """The review of a finished game, as far as it is done.

    ``values``, ``proved`` and ``texts`` are by position.  A value is the expected result of the
    first player, or in a game for one (``alone``) the best result that can be reached, of which the
    smaller is better if ``fewer``; None where it is not known.  ``moments`` are the worst moves.
    """

    type: Literal["review"]
    done: int
    positions: int
    every: int
    failed: bool
    hidden: bool
    alone: bool
    fewer: bool
    players: list[str]
    seats: list[int]
    values: list[float | None]
    proved: list[bool]
    texts: list[str]
    moves: list[ReviewedMove]
    moments: list[int]
    accuracy: list[float | None]
    best: str


class Past(TypedDict):
    """A position of a finished game, with the legal moves there."""

    type: Literal["past"]
    board: str
    drawn: bool
    side: int
    last: list[int]
    gestures: list[Gesture]
    acts: bool
    comment: str


class Attempt(TypedDict):
    """The answer to a better move that was looked for."""

    right: bool
    text: str


class Presence(TypedDict):
    """A change of the two fields of the view: somebody has come or gone."""

    type: Literal["presence"]
    present: list[bool]
    watchers: int


class Phrase(TypedDict):
    """A phrase of a player; ``name`` is the player's name, or the player of the game."""

    type: Literal["phrase"]
    name: str
    text: str


class Here(TypedDict):
    """The answer to the request of the same name: the connection is alive."""

    type: Literal["here"]


Help = Hint | Evaluation | Frame | Shown
Message = View | Refusal | Help | Presence | Phrase | Here


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


class PhraseRequest(TypedDict):
    """A phrase to the friend at the table, by its number."""

    type: Literal["phrase"]
    number: int


class PlainRequest(TypedDict):
    """A request without parameters."""

    type: Literal[
        "here",
        "uncover",
        "undo",
        "redo",
        "resign",
        "hint",
        "judge",
        "show",
        "stop",
    ]


Request = (
    MoveRequest
    | LookRequest
    | TurnRequest
    | WhyRequest
    | AnswerRequest
    | PhraseRequest
    | PlainRequest
)
