"""Grading of programs for Tactego's document: set-ups, moves, fights, and their reasons."""

from __future__ import annotations

import itertools
import random
import re
from collections import Counter

from gridhouse.core.console import read_line
from gridhouse.core.game import State
from gridhouse.core.notation import parse_integers, seed_bytes
from gridhouse.core.sessions import Part, Reason, Session
from gridhouse.games.tactego import rules
from gridhouse.games.tactego.game import TactegoGame, parse_army
from gridhouse.games.tactego.program import (
    ASK_END,
    ASK_FILE,
    ASK_LENGTH,
    ASK_SEED,
    ASK_START,
    ASK_WIDTH,
    BAD_END,
    BAD_START,
    STUCK,
    play,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

SCRIPT = "tactego.py"
CALLS = "program"
STATUS = ""
SUPPORT: tuple[str, ...] = ()
FILE = "game.pieces"
_ASKED = {
    "seed": ASK_SEED,
    "file": ASK_FILE,
    "length": ASK_LENGTH,
    "width": ASK_WIDTH,
    "start": ASK_START,
    "end": ASK_END,
}
PROMPTS = {name: re.escape(prompt) for name, prompt in _ASKED.items()}
_ASKS = r"\b(?:select|choose|enter|pick|input|which|where)\b"
_PIECE = rf"{_ASKS}(?: (?!to\b)\w+){{0,4}} (?:piece|token|start\w*)"
LOOSE_PROMPTS = {
    name: rf"[^\n:?>]*?(?:{words})[^\n:?>]*(?:>>|[:?>])[^\S\n]?"
    for name, words in {
        "seed": "seed",
        "file": "file",
        "length": r"(?:length|rows)",
        "width": r"(?:width|columns)",
        "start": rf"{_PIECE}\b|{_ASKS}[^\n:?>]*\bfrom\b",
        "end": rf"{_ASKS}[^\n:?>]*\b(?:end\w*|position|destination|target|to)\b",
    }.items()
}
SETUP = ("seed", "file", "length", "width")  # the order in which the document asks
NAMES = ("Red", "Blue")
DESIGN = "Design Details and Flow"
RULES = "Rules of the Game"
EXTRA = "Extra Credit Parts"
IMPLEMENTATION = "Implementation Requirements"
SPECIAL = {"A": "assassin", "M": "mine", "S": "sapper", "F": "flag"}


def course(lines: list[str]) -> list[str]:
    """Return the lines word by word, fields of boards without their marks; messages in short.

    The document's layout is damaged and its messages are wrapped, so neither is compared.  Where
    pieces stand apart in a row is seen by what is done with them next.
    """
    keys = []
    for line in lines:
        words = line.split()
        if words and words[0].isdigit():
            words = [word for word in words if any(map(str.isalnum, word))]
        elif line.lower().startswith("you must select a"):
            words = line.lower().split()[:6]
        elif "flag" in line.lower() and words[:1] == ["not"]:
            words = []  # the rest of a message that the document wraps
        keys.append(" ".join(words))
    return keys


def _boards(keys: list[str]) -> list[list[int]]:
    """Return the boards of an output, each the indices of its rows; row k begins with its k."""
    boards: list[list[int]] = []
    rows: list[int] | None = None
    for at, key in enumerate(keys):
        words = key.split()
        if rows is not None and words[:1] == [str(len(rows))]:
            rows.append(at)
        elif _is_heading(key):
            rows = []
            boards.append(rows)
        elif words:
            rows = None
    return boards


def _is_heading(key: str) -> bool:
    words = key.split()
    return bool(words) and words == [str(col) for col in range(len(words))]


def _view_sizes(session: Session, keys: list[str]) -> list[str]:
    """Keep the numbers of columns and rows."""
    rows = {at for board in _boards(keys) for at in board}
    return [
        key.split()[0] if at in rows else key if _is_heading(key) else ""
        for at, key in enumerate(keys)
    ]


def _view_placing(session: Session, keys: list[str]) -> list[str]:
    """Keep the rows of the first board."""
    rows = _boards(keys)[:1]
    return [key if rows and at in rows[0] else "" for at, key in enumerate(keys)]


def _view_army(session: Session, keys: list[str]) -> list[str]:
    """Keep the pieces of the first board in order of their names, wherever they stand."""
    kept = [""] * len(keys)
    for rows in _boards(keys)[:1]:
        if rows:
            kept[rows[0]] = " ".join(sorted(word for at in rows for word in keys[at].split()[1:]))
    return kept


def _view_positions(session: Session, keys: list[str]) -> list[str]:
    """Keep the rows of each board that is not the board before it."""
    kept = [""] * len(keys)
    before: list[str] = []
    for rows in _boards(keys):
        board = [keys[at] for at in rows]
        if board != before:
            for at in rows:
                kept[at] = keys[at]
        before = board
    return kept


def _names_winner(key: str) -> bool:
    return " win" in key or " won" in key


def _view_end(session: Session, keys: list[str]) -> list[str]:
    """Keep the first letter of the line that names the winner: R or B."""
    return [key[:1].upper() if _names_winner(key) else "" for key in keys]


def _view_moves(session: Session, keys: list[str]) -> list[str]:
    """Keep all but the line that names the winner."""
    return ["" if _names_winner(key) else key for key in keys]


class Writer:
    """A session in the making, carried out as it is written."""

    def __init__(self, source: random.Random, start: Session) -> None:
        """Begin with a set-up."""
        self.source = source
        self.start = start
        self.fights: Counter[tuple[str, str]] = Counter()
        self.lines = [*start.lines]
        self.state = _start(start)

    @classmethod
    def drawn(
        cls,
        source: random.Random,
        kinds: Sequence[str],
        crowd: float = 0.3,
        *,
        is_called: bool = False,
    ) -> Writer:
        """Draw a seed, an army with a flag and of these kinds, and a board with room for it.

        Red can move: of a side that cannot, the document says nothing.  The session answers the
        four questions, or calls the document's function.
        """
        writer = cls(source, _drawn(source, kinds, crowd, is_called=is_called))
        while writer.state.is_terminal():
            writer = cls(source, _drawn(source, kinds, crowd, is_called=is_called))
        return writer

    def session(self) -> Session:
        """Return the session."""
        return self.start._replace(lines=tuple(self.lines))

    def move(self, *, attack: bool = False) -> None:
        """Type a legal move; if an attack is wanted, one of two kinds that fought least so far."""
        state = self.state
        actions = state.legal_actions()
        if attack:
            fights: dict[tuple[str, str], list[int]] = {}
            for action in actions:
                fights.setdefault(_fight(state, action), []).append(action)
            fought = min(fights, key=self._fought, default=("", ""))
            self.fights[fought] += 1
            actions = fights.get(fought, [])
        if actions:
            action = self.source.choice(actions)
            self.play(action)

    def play(self, action: int, *refused: str) -> None:
        """Type a move, refused ends before its end; nothing if a side could not move after it."""
        words = self.state.action_to_string(action).split()
        self.state.apply_action(action)
        if is_stuck(self.state):
            self.state.undo()
        else:
            self.lines += [" ".join(words[:2]), *refused, " ".join(words[2:])]

    def _fought(self, fight: tuple[str, str]) -> tuple[bool, bool, int, float]:
        """Return the order in which fights are wanted: flags are taken last of all."""
        _, defender = fight
        chance = self.source.random()
        return defender == "", defender == "F", self.fights[fight], chance

    def wrong_start(self) -> None:
        """Type a start that is refused."""
        position, game = self.state.position, self.state.game
        cells = {
            rules.start_refusal(position, cell): f"{cell // game.cols} {cell % game.cols}"
            for cell in self.source.sample(range(game.rows * game.cols), game.rows * game.cols)
            if rules.start_refusal(position, cell)
        }
        texts = [*cells.values(), f"{game.rows} 0", f"0 {game.cols}", "-1 0"]
        self.lines.append(self.source.choice(texts))

    def wrong_end(self) -> None:
        """Type a legal start, an end that is refused, each reason as often, and a legal end."""
        state, game = self.state, self.state.game
        actions = state.legal_actions()
        if not actions:
            return
        action = self.source.choice(actions)
        words = state.action_to_string(action).split()
        row, col = int(words[0]), int(words[1])
        texts: dict[tuple[bool, bool], list[str]] = {}
        for down, right in itertools.product(range(-3, 4), repeat=2):
            end = game.cell(row + down, col + right)
            step = None if end is None else _game(state).action(row * game.cols + col, end)
            if step is None or state.refusal(step):
                is_near = end is not None and max(abs(down), abs(right)) < 3
                group = texts.setdefault((step is None, is_near), [])
                group.append(f"{row + down} {col + right}")
        self.play(action, self.source.choice(self.source.choice([*texts.values()])))

    def take_flag(self) -> None:
        """Type an attack on a flag, if there is one."""
        flags = [
            action for action in self.state.legal_actions() if _fight(self.state, action)[1] == "F"
        ]
        if flags:
            self.play(self.source.choice(flags))

    def mine_as_start(self) -> None:
        """Type the position of a mine of the side to move, if it has one."""
        if self.state.is_terminal():
            return
        mine = f"{NAMES[self.state.current_player()][0]}M"
        game = _game(self.state)
        pieces = map(game.piece_text, self.state.position.board)
        cells = [cell for cell, piece in enumerate(pieces) if piece == mine]
        if cells:
            row, col = divmod(self.source.choice(cells), game.cols)
            self.lines.append(f"{row} {col}")


def is_stuck(state: State) -> bool:
    """Return whether a side has to move and cannot, of which the document says nothing."""
    return state.is_terminal() and rules.flag_winner(state.position) == rules.NOBODY


def _drawn(
    source: random.Random, kinds: Sequence[str], crowd: float, *, is_called: bool
) -> Session:
    """Draw a set-up."""
    length, width = source.choice((2, 3, 4, 4, 5, 6, 7, 11)), source.choice((1, 2, 3, 4, 5, 11))
    most = max(2, int(length * width * crowd))
    army = Counter({"F": 1})
    army.update(source.choice(kinds) for _ in range(source.randint(most // 2, most - 1)))
    kinds_and_counts = [*army.items()]
    source.shuffle(kinds_and_counts)
    length = max(length, _least_length(army.total(), width))
    seed = "".join(source.choice("abcdefgh0123") for _ in range(4))
    if is_called:
        seed = str(source.randrange(1, 10**6))
    return _set_up(kinds_and_counts, length, width, seed, is_called=is_called)


def _set_up(
    army: Iterable[tuple[str, int]], length: int, width: int, seed: str, *, is_called: bool
) -> Session:
    """Return a session that begins a game; the function takes a number as its seed."""
    files = ((FILE, _army_text(army)),)
    if is_called:
        return Session(files=files, calls=(_call(length, width),), seed=int(seed))
    return Session((seed, FILE, str(length), str(width)), files=files)


def _army_text(army: Iterable[tuple[str, int]]) -> str:
    """Return the file of an army."""
    return "".join(f"{kind} {count}\n" for kind, count in army)


def _game(state: State) -> TactegoGame:
    game = state.game
    assert isinstance(game, TactegoGame)
    return game


def _fight(state: State, action: int) -> tuple[str, str]:
    """Return the kinds of attacker and defender; the latter is "" where the field is empty."""
    game, board = _game(state), state.position.board
    start, direction = divmod(action, rules.NUM_DIRECTIONS)
    end = start + rules.ROW_STEPS[direction] * game.cols + rules.COL_STEPS[direction]
    return game.piece_text(board[start])[1:], game.piece_text(board[end])[1:]


def _piece(state: State, text: str) -> str:
    """Return the piece at ``row col``, "" where there is none."""
    numbers = parse_integers(text, 2)
    cell = state.game.cell(*numbers) if numbers else None
    return "" if cell is None else _game(state).piece_text(state.position.board[cell])


def _start(session: Session) -> State:
    if session.calls:
        name, chance = FILE, random.Random(session.seed)
    else:
        name, chance = session.lines[1], random.Random(seed_bytes(session.lines[0]))
    army = parse_army(dict(session.files)[name].split("\n"))
    game = TactegoGame.from_army(army, *_size(session), limit=0)
    if session.start:
        return State(game, game.read(session.start))
    return State(game, game.shuffled(chance))


def _call(length: int, width: int) -> str:
    return f"tactego({FILE!r}, {length}, {width});"


def _size(session: Session) -> tuple[int, int]:
    """Return length and width."""
    texts = re.findall(r"\d+", session.calls[0]) if session.calls else session.lines[2:4]
    length, width = map(int, texts)
    return length, width


def _with_size(session: Session, length: int, width: int) -> Session:
    if session.calls:
        return session._replace(calls=(_call(length, width),))
    return session._replace(
        lines=(*session.lines[:2], str(length), str(width), *session.lines[len(SETUP) :])
    )


def _questions(session: Session) -> int:
    """Return the number of questions before the game; the function asks none."""
    return 0 if session.calls else len(SETUP)


class _Dealt:
    """A source of chance whose shuffles give these armies, one after the other."""

    def __init__(self, armies: Iterable[list[str]]) -> None:
        self.armies = iter(armies)

    def shuffle(self, army: list[str]) -> None:
        army[:] = next(self.armies)


def _follow(session: Session, keys: list[str]) -> Session | None:
    """Return the session from the placing of a program that shuffles in another way.

    It must have placed the same pieces in the same fields.  Moves are drawn anew, of each kind
    (refused starts and ends, attacks, other moves) as many as before and in their order.
    """
    state = _start(session)
    game = _game(state)
    boards = _boards(keys)
    if not boards or len(boards[0]) != game.rows:
        return None
    rows = [[word.upper() for word in keys[at].split()[1:]] for at in boards[0]]
    armies = [[word[1:] for row in rows for word in row if word[0] == "R"]]
    armies.append([word[1:] for row in reversed(rows) for word in row if word[0] == "B"])
    right = [line.split()[1:] for line in game.board(state.position)[1:]]
    if [[word[0] for word in row] for row in rows] != [[word[0] for word in row] for row in right]:
        return None
    army = sorted(kind for kind, count in game.army for _ in range(count))
    if rows == right or any(sorted(drawn) != army for drawn in armies):
        return None
    start = game.write(game.shuffled(_Dealt(armies)))
    set_up = session._replace(lines=session.lines[: _questions(session)], start=start)
    writer = Writer(random.Random(session.typed), set_up)
    state, chosen, wrong_end = _start(session), "", False
    for line in session.lines[_questions(session) :]:
        if state.is_terminal():
            break
        kind, chosen = _play_line(state, chosen, line)
        if kind == "wrong start":
            writer.wrong_start()
        elif kind in ("move", "attack") and not wrong_end:
            writer.move(attack=kind == "attack")
        elif kind == "wrong end" and not wrong_end:
            writer.wrong_end()
        wrong_end = kind == "wrong end"
    return writer.session()


def resume(session: Session) -> None:
    """Run the program from a session's own start."""
    for question in SETUP:
        read_line(_ASKED[question])
    state = _start(session)
    play(_game(state), state.position)


def _least_length(pieces: int, width: int) -> int:
    """Return the least length at which two armies share no row: there the document is silent."""
    return 2 * -(-pieces // width)


NUMBERS = ("1", "2", "3", "5", "10", "3", "2", "100")
BOMBS = ("M", "S", "S", "0", "3", "A")
KILLERS = ("A", "A", "2", "10")
SMALL_GAMES = 8  # placings in which a fight of the first move is looked for


def _make_boards(source: random.Random) -> Session:
    return Writer.drawn(source, NUMBERS, source.choice((0.1, 0.2))).session()


def _make_placings(source: random.Random) -> Session:
    return Writer.drawn(source, (*NUMBERS, "12", "4", "6"), 0.5).session()


def _make_turns(source: random.Random) -> Session:
    writer = Writer.drawn(source, NUMBERS)
    for _ in range(source.randint(2, 5)):
        writer.wrong_start()
        writer.move()
    return writer.session()


def _make_moves(source: random.Random) -> Session:
    writer = Writer.drawn(source, NUMBERS)
    for _ in range(source.randint(3, 9)):
        source.choice((writer.move, writer.move, writer.wrong_start, writer.wrong_end))()
    return writer.session()


def _make_fights(
    source: random.Random, kinds: tuple[str, ...] = NUMBERS, *, tries_mines: bool = False
) -> Session:
    writer = Writer.drawn(source, source.sample(kinds, source.randint(2, len(kinds))), 0.5)
    for _ in range(source.randint(4, 30)):
        if tries_mines and source.random() < 0.1:
            writer.mine_as_start()
        writer.move(attack=True)
    writer.take_flag()
    return writer.session()


def _make_ends(source: random.Random) -> Session:
    writer = Writer.drawn(source, NUMBERS, source.choice((0.2, 0.4)))
    for _ in range(400):
        writer.move(attack=True)
    return writer.session()


def _make_mines(source: random.Random) -> Session:
    return _make_fights(source, BOMBS, tries_mines=True)


def _make_assassins(source: random.Random) -> Session:
    return _make_fights(source, KILLERS)


def _make_calls(source: random.Random) -> Session:
    writer = Writer.drawn(source, (*NUMBERS, *BOMBS), is_called=True)
    for _ in range(source.randint(0, 6)):
        source.choice((writer.move, writer.wrong_start, writer.wrong_end))()
    for _ in range(source.choice((0, 400))):
        writer.move(attack=True)
    return writer.session()


def _part(
    points: float,
    about: str,
    make: Callable[[random.Random], Session],
    weight: int = 1,
    *,
    view: Callable[[Session, list[str]], list[str]] = _view_positions,
    extra: bool = False,
) -> Part:
    """Return a part that goes on from the program's own placing."""
    return Part(points, about, make, weight, extra=extra, view=view, follow=_follow)


PARTS = {
    "boards": Part(5, "the board has the right size", _make_boards, view=_view_sizes),
    "placing": Part(
        10, "the pieces are placed as the seed shuffles them", _make_placings, view=_view_placing
    ),
    "turns": _part(5, "the players take turns", _make_turns),
    "moves": _part(20, "moves are taken and wrong ones refused", _make_moves, 2, view=_view_moves),
    "fights": _part(20, "the outcome of combat", _make_fights, 2),
    "ends": _part(10, "victory and the end of the game", _make_ends, view=_view_end),
    "loading": Part(10, "strengths and counts of the pieces file", _make_placings, view=_view_army),
    "assassins": _part(5, "assassins", _make_assassins, 2, extra=True),
    "mines": _part(10, "mines and sappers", _make_mines, 3, extra=True),
    # The document requires the function, but has no points for it, and in Python only can it be
    # called.
    "calls": Part(5, "the function tactego, called directly", _make_calls, optional=True),
}


def _replay(session: Session, typed: int) -> tuple[State, str]:
    """Return the position after `typed` lines, and the start that is chosen already."""
    state, chosen = _start(session), ""
    for line in session.lines[_questions(session) : typed]:
        if state.is_terminal():
            break
        _, chosen = _play_line(state, chosen, line)
    return state, chosen


def _play_line(state: State, chosen: str, line: str) -> tuple[str, str]:
    """Carry out a line; return what it was, and the start that is chosen after it."""
    if not chosen:
        return ("start", line) if _can_start(state, line) else ("wrong start", "")
    action = state.game.read_move(state.position, f"{chosen} {line}")
    if action is None or state.refusal(action):
        return "wrong end", chosen
    kind = "attack" if _fight(state, action)[1] else "move"
    state.apply_action(action)
    return kind, ""


def _can_start(state: State, line: str) -> bool:
    numbers = parse_integers(line, 2)
    cell = state.game.cell(*numbers) if numbers else None
    position = state.position
    return (
        cell is not None
        and not rules.start_refusal(position, cell)
        and rules.can_leave(position, cell)
    )


def state_at(session: Session, typed: int) -> State | None:
    """Return the position after `typed` lines, None during the set-up."""
    return _replay(session, typed)[0] if typed >= _questions(session) else None


def explain(session: Session, typed: int, line: str) -> Reason:
    """Return why the program prints a line after `typed` lines."""
    if typed < _questions(session):
        return Reason("questions", "seed, file, length and width are asked in this order", DESIGN)
    state, _ = _replay(session, typed)
    if "has won" in line and is_stuck(state):
        return Reason("stuck side", "the document says nothing of a side that cannot move", "")
    if "has won" in line:
        return Reason("end", "a player without flags has lost", f"{RULES}, 6")
    if session.calls and not typed:
        text = "tactego(pieces_file, length, width) plays a game on length rows and width columns"
        return Reason("function", text, f"{IMPLEMENTATION}, 1")
    if line in (ASK_START, ASK_END):
        return Reason("prompt", "a start is asked for, then an end", f"{DESIGN}, 6")
    if typed == _questions(session):
        text = "red is shuffled first and fills from the top left, blue from the bottom left"
        return Reason("placing", text, f"{DESIGN}, 3")
    before, chosen = _replay(session, max(_questions(session), typed - 1))
    typed_line = session.lines[typed - 1]
    return _refused(before, typed_line, line) or _moved(before, state, chosen, typed_line)


def _refused(before: State, typed_line: str, line: str) -> Reason | None:
    """Return why a line is refused, None where the message is no refusal."""
    if line.startswith(BAD_START[:40]):
        side = NAMES[before.position.turn]
        text = f"{typed_line!r} is not a field with a movable piece of {side}, who is to move"
        return Reason("start", text, f"{RULES}, 4a")
    if line.startswith(STUCK[:20]):
        return Reason("stuck", "the piece has no field to go to", f"{RULES}, 4")
    if line.startswith(BAD_END[:40]):
        text = f"{typed_line!r} is not one step away, or holds a piece of the player"
        return Reason("end field", text, f"{RULES}, 4b and 4c")
    return None


def _moved(before: State, after: State, start: str, end: str) -> Reason:
    """Return why the board is as it is after a move."""
    side = NAMES[before.position.turn]
    attacker, defender = _piece(before, start), _piece(before, end)
    if not defender:
        text = f"{side} is to move: {attacker} moves from {start} to {end}"
        return Reason("move", text, f"{RULES}, 4")
    left = _piece(after, end) or "neither piece"
    text = f"{side} is to move: {attacker} attacks {defender}: {left} is left on the field"
    kinds = {attacker[1:], defender[1:]}
    special = bool(kinds & {"A", "M", "S"})
    names = [name for kind, name in SPECIAL.items() if kind in kinds]
    fought = f"fight with {' and '.join(names)}" if names else "fight by strength"
    return Reason(fought, text, EXTRA if special else f"{RULES}, 5")


def legal(session: Session) -> Session:
    """Return the session as it is: a refused line ends no game."""
    return session


def simpler(session: Session) -> Iterator[Session]:
    """Yield small games with the session's last fight, then itself with less on its board."""
    if session.start:  # another army or board would be placed anew
        return
    yield from _first_fights(session)
    text = dict(session.files)[FILE]
    army = [(kind, int(count)) for kind, count in map(str.split, text.splitlines())]
    for at, (kind, count) in enumerate(army):
        rest = [*army]
        rest[at : at + 1] = [(kind, count - 1)] if count > 1 else []
        if any(one == "F" for one, _ in rest):
            yield session._replace(files=((FILE, _army_text(rest)),))
    pieces = sum(count for _, count in army)
    if len(session.lines) < _questions(session):
        return
    rows, cols = _size(session)
    for length, width in ((rows - 1, cols), (rows, cols - 1)):
        if width and length >= _least_length(pieces, width):
            yield _with_size(session, length, width)


def _first_fights(session: Session) -> Iterator[Session]:
    """Yield games with few pieces that end, after one move, with the last fight of a session."""
    if len(session.lines) <= _questions(session) + 2:
        return
    state, start = _replay(session, len(session.lines) - 1)
    action = state.game.read_move(state.position, f"{start} {session.lines[-1]}")
    if not start or action is None or state.refusal(action):
        return
    fight = _fight(state, action)
    if not fight[1]:
        return
    army = Counter({"F": 1})
    army.update(kind for kind in fight if kind != "F")
    for seed in range(SMALL_GAMES):
        small = _set_up(army.items(), 2, army.total(), str(seed), is_called=bool(session.calls))
        writer = Writer(random.Random(seed), small)
        for action in writer.state.legal_actions():
            if _fight(writer.state, action) == fight:
                writer.play(action)
                yield writer.session()
                break
