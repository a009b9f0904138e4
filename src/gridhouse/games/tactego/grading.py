"""Grading of programs for Tactego's document: set-ups, moves, fights, and their reasons."""

from __future__ import annotations

import random
import re
from collections import Counter

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
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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
LOOSE_PROMPTS = {
    name: rf"[^\n:?>]*?(?:{words})[^\n:?>]*(?:>>|[:?>])[^\S\n]?"
    for name, words in {
        "seed": "seed",
        "file": "file",
        "length": r"(?:length|rows)",
        "width": r"(?:width|columns)",
        "start": r"select (?:\w+ )?piece",
        "end": r"select (?:\w+ )?(?:position|end)",
    }.items()
}
SETUP = ("seed", "file", "length", "width")  # the order in which the document asks
QUESTIONS = len(SETUP)
DESIGN = "Design Details and Flow"
RULES = "Rules of the Game"
EXTRA = "Extra Credit Parts"


def course(lines: list[str]) -> list[str]:
    """Return the lines with each piece beside its column's number; messages by their first words.

    The document's layout is damaged and its messages are wrapped, so neither is compared.
    """
    heading: list[int] = []
    keys = []
    for line in lines:
        words = [(found.group(), found.start()) for found in re.finditer(r"\S+", line)]
        numbers = [word for word, _ in words]
        if numbers and numbers == [str(number) for number in range(len(numbers))] and words[0][1]:
            heading = [start for _, start in words]
            keys.append(" ".join(numbers))
        elif heading and numbers and numbers[0].isdigit():
            cells = [
                f"{min(range(len(heading)), key=lambda col: abs(heading[col] - start))}={word}"
                for word, start in words[1:]
            ]
            keys.append(" ".join([numbers[0], *cells]))
        elif line.lower().startswith("you must select a"):
            keys.append(" ".join(numbers[:6]).lower())
        elif "flag" in line.lower() and numbers[:1] == ["not"]:
            keys.append("")  # the rest of a message that the document wraps
        else:
            keys.append(" ".join(numbers))
    return keys


class Writer:
    """A session in the making, carried out as it is written."""

    def __init__(self, source: random.Random, kinds: Sequence[str], crowd: float = 0.3) -> None:
        """Draw a seed, an army with a flag and of these kinds, and a board with room for it."""
        self.source = source
        length, width = source.choice((2, 3, 4, 4, 5, 6, 7, 11)), source.choice((1, 2, 3, 4, 5, 11))
        most = max(2, int(length * width * crowd))
        army = Counter({"F": 1})
        army.update(source.choice(kinds) for _ in range(source.randint(most // 2, most - 1)))
        lines = [f"{kind} {count}\n" for kind, count in army.items()]
        source.shuffle(lines)
        text = "".join(lines)
        length = max(length, _least_length(sum(army.values()), width))
        seed = "".join(source.choice("abcdefgh0123") for _ in range(4))
        self.fights: Counter[tuple[str, str]] = Counter()
        self.files = ((FILE, text),)
        self.lines = [seed, FILE, str(length), str(width)]
        self.state = _start(Session(tuple(self.lines), files=self.files))

    def session(self) -> Session:
        """Return the session."""
        return Session(tuple(self.lines), files=self.files)

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
            words = state.action_to_string(action).split()
            self.lines += [" ".join(words[:2]), " ".join(words[2:])]
            state.apply_action(action)

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
        """Type a legal start, ends that are refused, and a legal end."""
        state, game = self.state, self.state.game
        actions = state.legal_actions()
        if not actions:
            return
        action = self.source.choice(actions)
        words = state.action_to_string(action).split()
        row, col = int(words[0]), int(words[1])
        texts = [
            f"{row + down} {col + right}"
            for down in range(-3, 4)
            for right in range(-3, 4)
            if not _is_end(state, row * game.cols + col, row + down, col + right)
        ]
        self.lines += [f"{row} {col}", self.source.choice(texts), " ".join(words[2:])]
        state.apply_action(action)


def _game(state: State) -> TactegoGame:
    game = state.game
    assert isinstance(game, TactegoGame)
    return game


def _is_end(state: State, start: int, row: int, col: int) -> bool:
    end = state.game.cell(row, col)
    action = None if end is None else _game(state).action(start, end)
    return action is not None and not state.refusal(action)


def _fight(state: State, action: int) -> tuple[str, str]:
    """Return the kinds of attacker and defender; the latter is "" where the field is empty."""
    words = state.action_to_string(action).split()
    return _piece(state, " ".join(words[:2]))[1:], _piece(state, " ".join(words[2:]))[1:]


def _piece(state: State, text: str) -> str:
    """Return the piece at ``row col``, "" where there is none."""
    numbers = parse_integers(text, 2)
    cell = state.game.cell(*numbers) if numbers else None
    return "" if cell is None else _game(state).piece_text(state.position.board[cell])


def _start(session: Session) -> State:
    seed, name, length, width = session.lines[:QUESTIONS]
    army = parse_army(dict(session.files)[name].split("\n"))
    game = TactegoGame.from_army(army, int(length), int(width), limit=0)
    return State(game, game.shuffled(random.Random(seed_bytes(seed))))


def _least_length(pieces: int, width: int) -> int:
    """Return the least length at which two armies share no row: there the document is silent."""
    return 2 * -(-pieces // width)


NUMBERS = ("1", "2", "3", "5", "10", "3", "2", "1000")
BOMBS = ("M", "S", "S", "0", "3", "A")
KILLERS = ("A", "A", "2", "10")


def _make_boards(source: random.Random) -> Session:
    return Writer(source, NUMBERS, source.choice((0.1, 0.2))).session()


def _make_placings(source: random.Random) -> Session:
    return Writer(source, (*NUMBERS, "12", "4", "6"), 0.5).session()


def _make_turns(source: random.Random) -> Session:
    writer = Writer(source, NUMBERS)
    for _ in range(source.randint(2, 5)):
        writer.wrong_start()
        writer.move()
    return writer.session()


def _make_moves(source: random.Random) -> Session:
    writer = Writer(source, NUMBERS)
    for _ in range(source.randint(3, 9)):
        source.choice((writer.move, writer.move, writer.wrong_start, writer.wrong_end))()
    return writer.session()


def _make_fights(source: random.Random, kinds: tuple[str, ...] = NUMBERS) -> Session:
    writer = Writer(source, source.sample(kinds, source.randint(2, len(kinds))), 0.5)
    for _ in range(source.randint(4, 30)):
        writer.move(attack=True)
    return writer.session()


def _make_ends(source: random.Random) -> Session:
    writer = Writer(source, NUMBERS, source.choice((0.2, 0.4)))
    for _ in range(400):
        writer.move(attack=True)
    return writer.session()


def _make_mines(source: random.Random) -> Session:
    return _make_fights(source, BOMBS)


def _make_assassins(source: random.Random) -> Session:
    return _make_fights(source, KILLERS)


PARTS = {
    "boards": Part(5, "the board has the right size", _make_boards),
    "placing": Part(10, "the pieces are placed as the seed shuffles them", _make_placings),
    "turns": Part(5, "the players take turns", _make_turns),
    "moves": Part(20, "moves are taken and wrong ones refused", _make_moves, 2),
    "fights": Part(20, "the outcome of combat", _make_fights, 2),
    "ends": Part(10, "victory and the end of the game", _make_ends),
    "loading": Part(10, "strengths and counts of the pieces file", _make_placings),
    "assassins": Part(5, "assassins", _make_assassins, 2, extra=True),
    "mines": Part(10, "mines and sappers", _make_mines, 3, extra=True),
}


def _replay(session: Session, typed: int) -> tuple[State, str]:
    """Return the position after `typed` lines, and the start that is chosen already."""
    state, chosen = _start(session), ""
    for line in session.lines[QUESTIONS:typed]:
        if state.is_terminal():
            break
        if not chosen:
            chosen = line if _can_start(state, line) else ""
            continue
        action = state.game.read_move(state.position, f"{chosen} {line}")
        if action is not None and not state.refusal(action):
            state.apply_action(action)
            chosen = ""
    return state, chosen


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
    return _replay(session, typed)[0] if typed >= QUESTIONS else None


def explain(session: Session, typed: int, line: str) -> Reason:
    """Return why the program prints a line after `typed` lines."""
    if typed < QUESTIONS:
        return Reason("questions", "seed, file, length and width are asked in this order", DESIGN)
    state, _ = _replay(session, typed)
    if "has won" in line:
        return Reason("end", "a player without flags has lost", f"{RULES}, 6")
    if typed == QUESTIONS:
        text = "red is shuffled first and fills from the top left, blue from the bottom left"
        return Reason("placing", text, f"{DESIGN}, 3")
    typed_line = session.lines[typed - 1]
    before, chosen = _replay(session, typed - 1)
    if line.startswith(BAD_START[:40]):
        text = f"{typed_line!r} is not a field with a movable piece of the player to move"
        return Reason("start", text, f"{RULES}, 4a")
    if line.startswith(STUCK[:20]):
        return Reason("stuck", "the piece has no field to go to", f"{RULES}, 4")
    if line.startswith(BAD_END[:40]):
        text = f"{typed_line!r} is not one step away, or holds a piece of the player"
        return Reason("end field", text, f"{RULES}, 4b and 4c")
    if state.history() == before.history():
        return Reason("prompt", "a start is asked for, then an end", f"{DESIGN}, 6")
    attacker, defender = _piece(before, chosen), _piece(before, typed_line)
    if not defender:
        return Reason("move", f"{attacker} moves from {chosen} to {typed_line}", f"{RULES}, 4")
    left = _piece(state, typed_line) or "neither piece"
    text = f"{attacker} attacks {defender}: {left} is left on the field"
    kinds = {attacker[1:], defender[1:]}
    special = bool(kinds & {"A", "M", "S"})
    kind = "fight " + (" ".join(sorted(kinds & {"A", "M", "S", "F"})) or "by strength")
    return Reason(kind, text, EXTRA if special else f"{RULES}, 5")


def legal(session: Session) -> Session:
    """Return the session as it is: a refused line ends no game."""
    return session


def simpler(session: Session) -> Iterator[Session]:
    """Yield the session with fewer pieces, or on a smaller board."""
    text = dict(session.files)[FILE]
    army = [line.split() for line in text.splitlines()]
    for at, (kind, count) in enumerate(army):
        rest = [*army]
        rest[at : at + 1] = [[kind, str(int(count) - 1)]] if int(count) > 1 else []
        if any(one == "F" for one, _ in rest):
            fewer = "".join(f"{one} {many}\n" for one, many in rest)
            yield session._replace(files=((FILE, fewer),))
    pieces = sum(int(count) for _, count in army)
    for at in (2, 3) if len(session.lines) >= QUESTIONS else ():
        lines = [*session.lines]
        lines[at] = str(int(lines[at]) - 1)
        length, width = int(lines[2]), int(lines[3])
        if width and length >= _least_length(pieces, width):
            yield session._replace(lines=tuple(lines))
