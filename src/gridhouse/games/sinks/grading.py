"""Grading of programs for the Sinks document: set-ups, moves, errors, and their reasons."""

from __future__ import annotations

import contextlib
import re
from functools import lru_cache
from itertools import product

from gridhouse.core.console import Tokens
from gridhouse.core.game import State
from gridhouse.core.sessions import END_OF_OUTPUT, Part, Reason, Session
from gridhouse.games.sinks import rules
from gridhouse.games.sinks.document import END_OF_SETUP, SinksError, read_object, read_setup
from gridhouse.games.sinks.game import SETUPS, SinksGame
from gridhouse.games.sinks.notation import SIDES, VERBS
from gridhouse.games.sinks.program import act, parse_arguments

TYPE_CHECKING = False
if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

SCRIPT = "sinks.py"
CALLS = "program"
STATUS = ""
SUPPORT: tuple[str, ...] = ()
PROMPTS: dict[str, str] = {}
SETUP: tuple[str, ...] = ()
LOOSE_PROMPTS: dict[str, str] = {}

SIZES = (8, 9, 10)
# Refusals that few positions have come more often where there are some.
RARE = {
    "cube": 8.0,
    "sink beside": 8.0,
    "freezings": 4.0,
    "sink moves": 4.0,
    "returned": 4.0,
    "frozen": 3.0,
    "free piece sink": 8.0,
    "free sink piece": 4.0,
    "free sink block": 8.0,
    "free piece block": 4.0,
}
PIECES = tuple(f"{side} {kind}" for side in "ld" for kind in "abcd")
CLOSE = ("s 1", "s 2", "s 2", "x", "x", "x", *PIECES, *PIECES)
# Wrong types where a right one may stand: the document does not say which of two errors is told.
WRONG = {"x": ("object", "y"), "s 1": ("type", "s 3"), "l a": ("type", "l e")}
OBJECT_WORDS = ("", *PIECES, "s 1", "s 2", "x")  # by their kind in the rules
MOVING = "Rules for moving pieces"
SPECIAL = "Special moves and fields"
STARTING = "Rules for starting positions"
OBJECTS = "Board Setup Input"
VALIDATION = "Move Input"
ENDS = "Win/Lose Conditions"
MESSAGES = "Error messages"
# The beginning and the end of each error's text, a name, the rule, and the section.
ERRORS = (
    (("Field ", "not on board"), "field", "the field is not on the board", VALIDATION),
    (("Field ", "not free"), "free", "a field that would be covered is taken", MOVING),
    (("Invalid object", ""), "object", "the object types are s, x, d and l", OBJECTS),
    (("Invalid piece", ""), "type", "sinks are 1 or 2, pieces a, b, c or d", OBJECTS),
    (
        ("Sink in", ""),
        "sink place",
        "a sink lies wholly in the outer three rows or columns",
        STARTING,
    ),
    (
        ("Piece in", ""),
        "piece place",
        "a piece starts inside the outer three rows and columns",
        STARTING,
    ),
    (("Sink cannot", ""), "sink beside", "a sink may not be beside another sink", STARTING),
    (("Invalid direction", ""), "verb", "the actions are l, r, u, d, b and f", VALIDATION),
    (
        ("Cannot place bomb", ""),
        "bomb",
        "a bomb is laid before a turn's first move, one a turn",
        SPECIAL,
    ),
    (("No freezings", ""), "freezings", "a player freezes twice in a game at most", SPECIAL),
    (("Piece does", ""), "owner", "one moves one's own pieces and freezes the other's", MOVING),
    (("No piece", ""), "no piece", "there is no piece or sink on the field", VALIDATION),
    (
        ("Cannot move frozen", ""),
        "frozen",
        "a frozen piece stays for its owner's next turn",
        SPECIAL,
    ),
    (("No sink moves", ""), "sink moves", "a player moves sinks twice in a game at most", SPECIAL),
    (("Cannot move a 2x2x2", ""), "cube", "a move of the cube takes both moves of a turn", MOVING),
    (("Cannot move beyond", ""), "edge", "the piece or sink would leave the board", MOVING),
    (
        ("Piece cannot be", ""),
        "returned",
        "the second move of a turn may not undo the first",
        MOVING,
    ),
    (("Too few", ""), "few", "the program takes three arguments", "Arguments"),
    (("Too many", ""), "many", "the program takes three arguments", "Arguments"),
    (
        ("Illegal argument", ""),
        "argument",
        "sizes are 8 to 10 and the indicator is 0 or 1",
        "Arguments",
    ),
)


def course(lines: list[str]) -> list[str]:
    """Return the lines without blanks at their ends."""
    return [line.rstrip() for line in lines]


def _view_errors(session: Session, keys: list[str]) -> list[str]:
    """Keep the error."""
    return [key if key.upper().startswith("ERROR") else "" for key in keys]


def _view_ends(session: Session, keys: list[str]) -> list[str]:
    """Keep who wins or loses, and errors."""
    return [key if re.search("win|lose|error", key, re.IGNORECASE) else "" for key in keys]


@lru_cache(maxsize=16)
def _replays(session: Session) -> list[tuple[rules.Position | None, str]]:
    """Return the position after 0, 1, ... lines, and the text of the error that has ended it."""
    position: rules.Position | None = None
    error = ""
    seen: list[tuple[rules.Position | None, str]] = []

    def lines() -> Iterator[str]:
        for line in session.lines:
            seen.append((position and position.copy(), ""))
            yield line

    with contextlib.suppress(EOFError):
        try:
            rows, cols, _ = parse_arguments(list(session.arguments))
            tokens = Tokens(lines())
            position = read_setup(rows, cols, 0, tokens)
            while not rules.is_terminal(position):
                act(position, tokens.next(), tokens.next(), tokens.next())
        except SinksError as refusal:
            error = str(refusal)
    return seen + [(position, error)] * (len(session.lines) + 1 - len(seen))


def _replay(session: Session, typed: int) -> tuple[State | None, str]:
    """Return the position after `typed` lines, and the text of the error that ended it."""
    position, error = _replays(session)[typed]
    if position is None:
        return None, error
    game = SinksGame(rows=position.rows, cols=position.cols, limit=0)
    return State(game, position.copy()), error


class Writer:
    """A session in the making, carried out as it is written."""

    def __init__(self, source: random.Random, objects: list[str], rows: int, cols: int) -> None:
        """Begin with objects, each one line of the set-up."""
        self.source = source
        self.arguments = (str(rows), str(cols), "0")
        self.lines = [*objects, END_OF_SETUP]
        state, error = _replay(self.session(), len(self.lines))
        assert state is not None, error
        self.state = state
        self.exploded: set[int] = set()  # cells where a bomb went off: none is left there

    def session(self) -> Session:
        """Return the session."""
        return Session(tuple(self.lines), self.arguments)

    def is_over(self) -> bool:
        """Tell whether the game is over."""
        return self.state.is_terminal()

    def play(self, weights: dict[str, float]) -> None:
        """Type a legal action: of a kind drawn by its weight, any one."""
        by_kind: dict[str, list[str]] = {}
        moves = [(move, *_action_kind(self.state, move)) for move in self.state.legal_moves()]
        near = {cell for _, _, covers in moves for cell in covers}
        for move, kind, covers in moves:
            if self.exploded & covers:
                kind = "again"
            elif kind == "b" and _field(self.state, move) in near:
                kind = "b near"
            by_kind.setdefault(kind, []).append(move)
        if by_kind:
            kinds = sorted(by_kind)
            chances = [weights.get(kind, 1.0) for kind in kinds]
            kind = self.source.choices(kinds, chances)[0]
            self.type(self.source.choice(by_kind[kind]))

    def type(self, line: str) -> None:
        """Type a move and play it."""
        self.lines.append(line)
        position = self.state.position
        bombs = {cell for cell, bomb in enumerate(position.bomb) if bomb}
        act(position, *line.split())
        if line[-1] not in "bf":
            self.exploded |= {cell for cell in bombs if not position.bomb[cell]}

    def _group(self, row: int, col: int, verb: str, error: SinksError) -> tuple[str, str]:
        """Return the coarse and the fine group of an error."""
        position, kind = self.state.position, _error_kind(str(error))
        if verb in "bf" or not (0 <= row < position.rows and 0 <= col < position.cols):
            return kind, verb * (verb in "bf")
        moved = position.kind[rules.named(position, row * position.cols + col)]
        if kind != "free":
            return kind, str(moved)
        in_way = _taken(position, error)
        return f"{kind} {_sort(moved)} {_sort(in_way)}", f"{moved} {in_way}"

    def _can_move(self, row: int, col: int) -> bool:
        """Tell whether the object on a field may move, so that a wrong verb is the only error.

        The document does not say which of two errors of one move is told.
        """
        position = self.state.position
        if not (0 <= row < position.rows and 0 <= col < position.cols):
            return False
        anchor = rules.named(position, row * position.cols + col)
        return not rules.mover_refusal(position, anchor)

    def fail(self) -> None:
        """Type a refused move, then one that would be legal: the program must have ended.

        Each kind of refusal has a chance by its weight, however many moves are refused so.
        """
        by_error: dict[str, dict[str, list[str]]] = {}
        rows, cols = self.state.game.rows, self.state.game.cols
        position = self.state.position.copy()
        for row in range(-1, rows + 1):
            for col in range(-1, cols + 1):
                for verb in (*VERBS, "x") if self._can_move(row, col) else VERBS:
                    words = (str(row), str(col), verb)
                    try:
                        act(position, *words)
                        position = self.state.position.copy()  # before the action
                    except SinksError as error:
                        rough, close = self._group(row, col, verb, error)
                        same = by_error.setdefault(rough, {})
                        same.setdefault(close, []).append(" ".join(words))
        by_error["field"]["no number"] = [
            f"{field} {verb}" for field in _no_fields(self.source, rows, cols) for verb in VERBS
        ]
        kinds = sorted(by_error)
        chances = [RARE.get(kind, 1.0) for kind in kinds]
        same = by_error[self.source.choices(kinds, chances)[0]]
        self.lines.append(self.source.choice(same[self.source.choice(sorted(same))]))
        self.lines += self.state.legal_moves()[:1]


def _no_fields(source: random.Random, rows: int, cols: int) -> list[str]:
    """Return fields of which one coordinate is no integer."""
    row, col = source.randrange(rows), source.randrange(cols)
    return [f"{row} a", f"b {col}", f"{row} {col}.5", f"{row}.0 {col}"]


def _sort(kind: int) -> str:
    """Return what a kind is: a sink, a piece or a block."""
    return "sink" if rules.is_sink(kind) else "piece" if rules.is_piece(kind) else "block"


def _taken(position: rules.Position, error: SinksError) -> int:
    """Return the kind of the object on the field that is not free."""
    row, col = (int(word) for word in str(error).split()[1:3])
    covered = position.covered[row * position.cols + col]
    return position.kind[covered - 1] if covered else 0


def _field(state: State, move: str) -> int:
    """Return the cell that a move names."""
    row, col, _ = move.split()
    return int(row) * int(state.game.cols) + int(col)


def _action_kind(state: State, move: str) -> tuple[str, set[int]]:
    """Return the kind of a move, and the cells that it covers anew.

    It is the letter of a bomb or a freeze, "explode" and "sink" for what they say, else the kind
    moved.
    """
    row, col, verb = move.split()
    if verb in "bf":
        return verb, set()
    before, after = state.position, state.position.copy()
    anchor = rules.named(before, _field(state, move))
    act(after, row, col, verb)
    covers = {cell for cell, at in enumerate(after.covered) if at and at != before.covered[cell]}
    if sum(map(bool, after.bomb)) < sum(map(bool, before.bomb)):
        return "explode", covers
    return "sink" if sum(after.sunk) > sum(before.sunk) else f"kind {before.kind[anchor]}", covers


@lru_cache(maxsize=4096)
def _error_reason(text: str) -> Reason:
    """Return the reason of an error of the document."""
    return next(
        Reason(kind, reason, section)
        for (first, last), kind, reason, section in ERRORS
        if text.startswith(first) and text.endswith(last)
    )


def _error_kind(text: str) -> str:
    return _error_reason(text).kind


def _close_objects(
    source: random.Random, rows: int, cols: int, kinds: list[str], outer: int
) -> list[str]:
    """Return pieces on the inner board, and sinks and blocks there or a few rows further out."""
    objects: list[str] = []
    for kind in kinds:
        margin = rules.MARGIN - (0 if kind in PIECES else outer)
        row, col = source.randrange(margin, rows - margin), source.randrange(margin, cols - margin)
        _add(objects, f"{kind} {row} {col}", rows, cols)
    return objects


def _random_objects(source: random.Random, rows: int, cols: int) -> list[str]:
    """Return objects at random that may stand together."""
    objects: list[str] = []
    for _ in range(source.randint(4, 16)):
        kind = source.choice(("s 1", "s 1", "s 2", "x", *PIECES))
        _add(objects, f"{kind} {source.randrange(rows)} {source.randrange(cols)}", rows, cols)
    return objects


def _add(objects: list[str], line: str, rows: int, cols: int) -> None:
    """Add an object where it may stand."""
    try:
        read_setup(rows, cols, 0, Tokens(iter([*objects, line, END_OF_SETUP])))
    except SinksError:
        return
    objects.append(line)


def _objects(source: random.Random, rows: int, cols: int) -> list[str]:
    """Return the objects of a named set-up or of a random one."""
    name = source.choice((*SETUPS, "random", "random", *["close"] * 3, *["few"] * 2))
    if name == "random":
        return _random_objects(source, rows, cols)
    if name == "close":
        kinds = source.choices(CLOSE, k=source.randint(6, 24))
        return _close_objects(source, rows, cols, kinds, 2)
    if name == "few":
        both = [source.choice(PIECES[:4]), source.choice(PIECES[4:])]
        kinds = both + source.choices(CLOSE, k=source.randint(0, 3))
        return _close_objects(source, rows, cols, kinds, 1)
    return [
        f"{text[0]} {text[1:-2]} {text[-2]} {text[-1]}".replace("  ", " ")
        for text in SETUPS[name](rows, cols).split()
    ]


def _new_writer(source: random.Random) -> Writer:
    rows, cols = source.choice(SIZES), source.choice(SIZES)
    return Writer(source, _objects(source, rows, cols), rows, cols)


PLAIN = {"b": 0.2, "b near": 0.1, "f": 0.3}
# Bombs are laid where a piece can come at once, and go off there, and again if they stay.
SPECIAL_MOVES = {"b": 0.5, "b near": 2.0, "f": 2.0, "explode": 4.0, "again": 8.0}
# Uses up the freezings and the moves of sinks.
USED_UP = {"f": 8.0, f"kind {rules.SINK_1}": 8.0, f"kind {rules.SINK_2}": 8.0}
TO_THE_END = {"b": 0.05, "b near": 0.05, "f": 0.1, "sink": 100.0}


def _make_arguments(source: random.Random) -> Session:
    return Session(
        (END_OF_SETUP,),
        source.choice(
            (
                (),
                ("10",),
                ("10", "10"),
                ("10", "10", "0", "0"),
                ("7", "10", "0"),
                ("10", "11", "0"),
                ("8", "8", "2"),
                ("8", "8", "-1"),
                ("a", "8", "0"),
                ("8", "8.0", "0"),
                ("8", "10", "0"),
            )
        ),
    )


def _make_setups(source: random.Random) -> Session:
    return _new_writer(source).session()


def _make_setup_errors(source: random.Random) -> Session:
    rows, cols = source.choice(SIZES), source.choice(SIZES)
    objects = _objects(source, rows, cols)
    kinds = ["s 1", "s 2", "x", *PIECES]
    inner_rows, inner_cols = (range(rules.MARGIN, size - rules.MARGIN) for size in (rows, cols))
    by_error: dict[str, dict[tuple[bool, str], list[str]]] = {}
    start = read_setup(rows, cols, 0, Tokens(iter([*objects, END_OF_SETUP])))
    position = start.copy()
    for kind in kinds:
        for row in range(-1, rows + 1):
            for col in range(-1, cols + 1):
                line = f"{kind} {row} {col}"
                try:
                    read_object(position, Tokens(iter([line])))
                    position = start.copy()  # without the object
                    if kind in WRONG:
                        name, text = WRONG[kind]
                        same = by_error.setdefault(name, {})
                        same.setdefault((True, text), []).append(f"{text} {row} {col}")
                except SinksError as error:
                    same = by_error.setdefault(_error_kind(str(error)), {})
                    # An object's given field may be right where its other fields are wrong.
                    is_inner = row in inner_rows and col in inner_cols
                    is_right = is_inner == (kind in PIECES)
                    given = str(error) == f"Field {row} {col} not free"
                    same.setdefault((is_right, f"{kind} {is_inner} {given}"), []).append(line)
    by_error["field"][True, "no number"] = [
        f"{kind} {field}" for field in _no_fields(source, rows, cols) for kind in kinds
    ]
    names = sorted(by_error)
    chances = [3.0 if name == "free" else 1.0 for name in names]
    same = by_error[source.choices(names, chances)[0]]
    is_right = source.choice(sorted({is_right for is_right, _ in same}))
    wrong = source.choice(same[source.choice(sorted(key for key in same if key[0] == is_right))])
    return Session((*objects, wrong, END_OF_SETUP), (str(rows), str(cols), "0"))


def _play(source: random.Random, weights: dict[str, float], most: int) -> Writer:
    writer = _new_writer(source)
    for _ in range(source.randint(1, most)):
        writer.play(weights)
    return writer


def _play_on(source: random.Random, weights: dict[str, float], most: int) -> Writer:
    """Return a game that is not over."""
    while True:
        writer = _play(source, weights, most)
        if not writer.is_over():
            return writer


def _make_moves(source: random.Random) -> Session:
    return _play(source, PLAIN, 16).session()


def _make_specials(source: random.Random) -> Session:
    return _play(source, SPECIAL_MOVES, 40).session()


def _make_errors(source: random.Random) -> Session:
    writer = _play_on(source, source.choice((PLAIN, SPECIAL_MOVES, USED_UP)), 10)
    writer.fail()
    return writer.session()


def _make_ends(source: random.Random) -> Session:
    return _play(source, TO_THE_END, 150).session()


PARTS = {
    "arguments": Part(5, "command-line arguments", _make_arguments),
    "setups": Part(10, "the set-up and the printed board", _make_setups),
    "setup errors": Part(15, "errors of the set-up", _make_setup_errors, 3, view=_view_errors),
    "moves": Part(25, "moves of pieces and sinks", _make_moves, 3),
    "specials": Part(15, "bombs, freezings and moves of sinks", _make_specials, 2),
    "errors": Part(20, "errors of moves", _make_errors, 8, view=_view_errors),
    "ends": Part(10, "sinking, winning and losing", _make_ends, 3, view=_view_ends),
}


def state_at(session: Session, typed: int) -> State | None:
    """Return the position after `typed` lines, None before the end of the set-up."""
    return _replay(session, typed)[0]


def explain(session: Session, typed: int, line: str) -> Reason:
    """Return why the program prints a line, or nothing more for "", after `typed` lines.

    Raises ValueError where nothing is printed since the set-up has no end.
    """
    if not line:
        return _explain_nothing(session, typed)
    if line.startswith("ERROR: "):
        text = line.removeprefix("ERROR: ").rstrip()
        return _error_reason(text)
    if "wins" in line:
        return Reason("end", "a player who has sunk 4 points or more wins at once", ENDS)
    if "loses" in line:
        player = line.split()[0]
        text = f"it is {player}'s turn, and {player} can move neither a piece nor a sink"
        return Reason("end", text, ENDS)
    (before, _), (after, _) = _replays(session)[typed - 1], _replays(session)[typed]
    if before is None or after is None:
        return Reason("board", "the board is printed once the set-up has ended", OBJECTS)
    return _explain_move(session.lines[typed - 1], before, after)


def _explain_nothing(session: Session, typed: int) -> Reason:
    state, error = _replay(session, typed)
    if error:
        return Reason("after error", "the program ends after the message of an error", MESSAGES)
    if state is None:
        return Reason("open set-up", "the document says nothing of a set-up without its end", "")
    if state.is_terminal():
        return Reason("after end", "the game is over, so nothing more is printed", ENDS)
    move = session.lines[typed - 1]
    if move.split()[-1:] == ["f"]:
        text = f"{move} is legal; freezing is no move, so nothing is printed"
        return Reason("frozen", text, SPECIAL)
    name, section = move, SPECIAL if move.endswith("b") else MOVING
    if move == END_OF_SETUP:
        name, section = "the set-up", OBJECTS
    text = f"{name} is legal, and only the board is printed"
    return END_OF_OUTPUT._replace(text=text, section=section)


def _explain_move(move: str, before: rules.Position, after: rules.Position) -> Reason:
    verb = move.split()[-1]
    if verb == "b":
        return Reason("laid", "a bomb is laid, and the board is printed", SPECIAL)
    fewer = sum(before.num_anchors[:2]) - sum(after.num_anchors[:2])
    if fewer and before.sunk == after.sunk:
        return Reason("exploded", f"{move} sets off a bomb, which takes the piece away", SPECIAL)
    if fewer:
        text = f"{move} brings a piece wholly inside a sink, which takes it off the board"
        return Reason("sunk", text, "Sinking playing pieces")
    row, col = (int(word) for word in move.split()[:2])
    moved = before.kind[rules.named(before, row * before.cols + col)]
    if rules.is_sink(moved):
        return Reason("roll", f"{move} is legal; it moves a sink by one field", SPECIAL)
    return Reason("roll", f"{move} is legal; it rolls a piece over its edge", MOVING)


def simpler(session: Session) -> Iterator[Session]:
    """Yield the session from a later position on, the last action at once, or a smaller board."""
    positions = [position for position, _ in _replays(session)][:-1]
    for typed in _backwards(len(positions)):
        position = positions[typed]
        if position is not None:
            later = _from_position(session, typed, position)
            if len(later.lines) < len(session.lines):
                yield later
    if END_OF_SETUP in session.lines[:-2]:
        objects = session.lines[: session.lines.index(END_OF_SETUP)]
        verb = session.lines[-1].split()[-1:]
        for line in objects:
            last = " ".join([*line.split()[-2:], *verb])
            yield session._replace(lines=(*objects, END_OF_SETUP, last))
    for at in (0, 1):
        if len(session.arguments) > at and session.arguments[at] in ("9", "10"):
            arguments = [*session.arguments]
            arguments[at] = str(int(arguments[at]) - 1)
            yield session._replace(arguments=tuple(arguments))
    passed = _passed_by_cubes(session)
    if len(passed.lines) < len(session.lines):
        yield passed


def _passed_by_cubes(session: Session) -> Session:
    """Return the session on the largest board, each turn but the last passed by a cube's one move.

    Bombs and freezings stay.  Where no cubes can be added the session is left as it is.
    """
    replays = _replays(session)[: len(session.lines)]
    turns = [position.turn for position, _ in replays if position is not None]
    begin, last = len(replays) - len(turns), len(turns)
    while last and turns[last - 1] == turns[-1]:
        last -= 1
    if not last:
        return session
    size = rules.MAX_SIDE
    objects: list[str] = []
    for line in session.lines[: begin - 1]:
        _add(objects, line, size, size)
    cells = _add_cubes(objects, size)
    if len(cells) < len(SIDES):
        return session
    setup = (*objects, END_OF_SETUP)
    position = read_setup(size, size, 0, Tokens(iter(setup)))
    typed: list[str] = []
    for at, line in enumerate(session.lines[begin : begin + last]):
        if line[-1] in "bf":
            with contextlib.suppress(SinksError):
                act(position, *line.split())
                typed.append(line)
        elif turns[at + 1] != turns[at]:
            rolled = _roll_cube(position, cells[turns[at]])
            if rolled is None:
                return session
            cells[turns[at]], position, line = rolled
            typed.append(line)
    lines = (*setup, *typed, *session.lines[begin + last :])
    return legal(Session(lines, (str(size), str(size), "0")))


def _add_cubes(objects: list[str], size: int) -> list[int]:
    """Add a cube of each player where there is place for one, and return their cells."""
    cells = []
    inner = range(size - rules.MARGIN - 2, rules.MARGIN - 1, -1)
    for side in SIDES:
        for row, col in product(inner, inner):
            count = len(objects)
            _add(objects, f"{side} d {row} {col}", size, size)
            if len(objects) > count:
                cells.append(row * size + col)
                break
    return cells


def _roll_cube(position: rules.Position, cell: int) -> tuple[int, rules.Position, str] | None:
    """Return where a cube is after a move that it survives, the position then, and the move."""
    row, col = divmod(cell, position.cols)
    for number, verb in enumerate(VERBS[: rules.BOMB]):
        after = position.copy()
        to_row, to_col, _ = rules.landing(position, cell, number)
        with contextlib.suppress(SinksError):
            line = f"{row} {col} {verb}"
            act(after, *line.split())
            landed = to_row * position.cols + to_col
            if after.kind[landed] == position.kind[cell]:
                return landed, after, line
    return None


def _backwards(count: int) -> Iterator[int]:
    """Yield numbers below the count, from the last one in steps that grow."""
    back, step = 1, 1
    while back <= count:
        yield count - back
        step *= 2 if back >= 8 * step else 1
        back += step


def _from_position(session: Session, typed: int, position: rules.Position) -> Session:
    """Return the session with the objects after `typed` lines as its set-up, as far as may be.

    The players are exchanged where it is Dark's turn, since Light begins.
    """
    objects = []
    for cell, kind in enumerate(position.kind):
        if kind:
            if rules.is_piece(kind) and position.turn:
                kind = (kind + rules.PIECE_KINDS - 1) % (2 * rules.PIECE_KINDS) + 1
            row, col = divmod(cell, position.cols)
            objects.append(f"{OBJECT_WORDS[kind]} {row} {col}")
    return legal(session._replace(lines=(*objects, END_OF_SETUP, *session.lines[typed:])))


def legal(session: Session) -> Session:
    """Return the session without the lines that would end it early, the last one apart."""
    try:
        rows, cols, _ = parse_arguments(list(session.arguments))
    except SinksError:
        return session
    position = rules.Position()
    rules.start(position, rows, cols, 0)
    is_setup = True
    kept: list[str] = []
    for line in session.lines[:-1]:
        try:
            if is_setup:
                is_setup = read_object(position, Tokens(iter([line])))
                if not is_setup:
                    rules.note_end(position)
            elif not rules.is_terminal(position):
                act(position, *line.split())
        except SinksError:
            continue
        kept.append(line)
    return session._replace(lines=(*kept, *session.lines[-1:]))
