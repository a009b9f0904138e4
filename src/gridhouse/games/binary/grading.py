"""Grading of programs for the Binary Game's document: sessions and the reasons of answers."""

from __future__ import annotations

import contextlib

from gridhouse.core.sessions import Part, Reason, Session
from gridhouse.games.binary import rules
from gridhouse.games.binary.judging import judge_random, judge_search, winning_moves
from gridhouse.games.binary.program import CommandError, execute
from gridhouse.games.binary.program import Session as Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator

    from gridhouse.core.game import State

SCRIPT = "a1.py"
CALLS = "program"
STATUS = "= "
SUPPORT: tuple[str, ...] = ()
PROMPTS: dict[str, str] = {}
SETUP: tuple[str, ...] = ()
LOOSE_PROMPTS: dict[str, str] = {}

DRAWS = 200  # first moves of genmove on one board
SMALL = 6  # the longest side of most boards: they fill up soon
ERRORS = "Details of the play command"
CONSTRAINTS = "The constraints on a move are"
REASONS = {
    "wrong number of arguments": Reason("arity", "play takes exactly three arguments", ERRORS),
    "wrong coordinate": Reason("coordinate", "x or y is not a coordinate of the grid", ERRORS),
    "wrong number": Reason("number", "the third argument is neither 0 nor 1", ERRORS),
    "occupied": Reason("occupied", "the cell already holds a digit", ERRORS),
    "three in a row": Reason(
        "triples", "the move makes three equal digits in a row or in a column", CONSTRAINTS
    ),
    "too many 0": Reason(
        "balance", "a line of n cells holds at most n/2 zeros, rounded up", CONSTRAINTS
    ),
    "too many 1": Reason(
        "balance", "a line of n cells holds at most n/2 ones, rounded up", CONSTRAINTS
    ),
}
ANSWERS = {
    "game": Reason("game", "game n m starts an empty grid; it prints the status only", "game n m"),
    "show": Reason("show", "show prints the grid, the row y = 0 first", "show"),
    "play": Reason(
        "play", "the move is legal, so it is played and answered with = 1", "play x y digit"
    ),
    "genmove": Reason("genmove", "genmove plays a legal move, or prints resign", "genmove"),
    "legal": Reason("legal", "legal answers yes to a move that play accepts", "legal x y digit"),
}
COMMANDS = "Text commands"
SILENT = Reason("silent", "the document is silent here", COMMANDS)


def course(lines: list[str]) -> list[str]:
    """Return the lines as a1test.py compares them: empty ones and outer blanks do not count."""
    return [line.strip() for line in lines]


def _answers(*names: str) -> Callable[[Session, list[str]], list[str]]:
    """Return the view that keeps the answers to these commands; each answer ends with a status."""

    def view(session: Session, keys: list[str]) -> list[str]:
        commands = iter(session.lines)
        kept, name = [], next(commands, "").partition(" ")[0]
        for key in keys:
            kept.append(key if name in names else "")
            if key.startswith("="):
                name = next(commands, "").partition(" ")[0]
        return kept

    return view


class Writer:
    """A session in the making, carried out as it is written."""

    def __init__(self, source: random.Random, cols: int = 0, rows: int = 0) -> None:
        """Start a game of this size, by chance where it is 0."""
        self.source = source
        self.lines: list[str] = []
        self.protocol = Protocol()
        self.cols = cols or source.randint(1, SMALL)
        self.rows = rows or source.randint(1, SMALL)
        self.type(f"game {self.cols} {self.rows}")

    def type(self, line: str) -> None:
        """Type a line."""
        self.lines.append(line)
        _carry_out(self.protocol, line)

    def session(self) -> Session:
        """Return the session."""
        return Session(tuple(self.lines))

    def legal_moves(self) -> list[str]:
        """Return the legal moves."""
        position = self.protocol.position
        buffer = [0] * self.protocol.game.num_actions
        count = rules.legal_actions(position, buffer)
        return [self.protocol.game.write_move(position, action) for action in buffer[:count]]

    def illegal_move(self) -> str:
        """Return the words of an illegal move; each reason that there is has the same chance."""
        x, y = self.source.randrange(self.cols), self.source.randrange(self.rows)
        by_reason: dict[str, list[str]] = {
            "wrong number of arguments": [f"{x} {y}", f"{x}", f"{x} {y} 0 1", "-1 9 a 1"],
            "wrong coordinate": [
                f"{self.cols} {y} 0",
                f"{x} {self.rows} 1",
                f"-1 {y} 0",
                f"{x} -1 1",
                f"a {y} 0",
                f"{x} b 2",
            ],
            "wrong number": [f"{x} {y} 2", f"{x} {y} -1", f"{x} {y} a", f"{x} {y} 10"],
        }
        for cell_x in range(self.cols):
            for cell_y in range(self.rows):
                for digit in "01":
                    words = [str(cell_x), str(cell_y), digit]
                    action, reason = self.protocol.parse_move(words)
                    if action is None:
                        by_reason.setdefault(reason, []).append(" ".join(words))
        reason = self.source.choice(sorted(by_reason))
        return self.source.choice(by_reason[reason])

    def any_move(self) -> str:
        """Return a move: legal, illegal, or any digit in any cell."""
        legal = self.legal_moves()
        if legal and self.source.random() < 0.4:
            return self.source.choice(legal)
        return self.illegal_move()

    def play_on(self, moves: int) -> None:
        """Play a number of legal moves, fewer if the game ends."""
        for _ in range(moves):
            legal = self.legal_moves()
            if not legal:
                return
            self.type("play " + self.source.choice(legal))


def _carry_out(protocol: Protocol, line: str) -> None:
    """Carry out a command that changes the position; one that is refused changes nothing."""
    if line.split()[:1] in (["play"], ["game"]):
        with contextlib.suppress(CommandError):
            execute(protocol, line)


def _side(source: random.Random) -> int:
    """Return the side of a board: mostly small, sometimes at the document's bounds."""
    return source.choice((1, 2, 3, 4, 5, 6, 6, 7, 8, 19, 20))


def _make_boards(source: random.Random) -> Session:
    """Return two games, of which the second begins as if there had been no first."""
    cols, rows = _side(source), _side(source)
    writer = Writer(source, cols, rows)
    writer.type("show")
    writer.play_on(source.randrange(4))
    writer.type("show")
    if source.random() < 0.5:
        cols, rows = _side(source), _side(source)
    writer.type(f"game {cols} {rows}")
    writer.type("show")
    return writer.session()


def _make_plays(source: random.Random) -> Session:
    writer = Writer(source)
    for _ in range(source.randrange(2, 8)):
        writer.play_on(source.randrange(1, 4))
        writer.type("show")
    return writer.session()


def _make_errors(source: random.Random) -> Session:
    writer = Writer(source)
    for _ in range(source.randrange(4, 10)):
        writer.play_on(source.randrange(4))
        for _ in range(2):
            writer.type("play " + writer.illegal_move())
    writer.type("show")
    return writer.session()


def _make_questions(source: random.Random) -> Session:
    writer = Writer(source)
    for _ in range(source.randrange(4, 10)):
        writer.play_on(source.randrange(4))
        for _ in range(3):
            writer.type("legal " + " ".join((writer.any_move() + " 0 0 0").split()[:3]))
    writer.type("show")
    return writer.session()


def _make_ends(source: random.Random) -> Session:
    """Return games to their ends, with refused moves between the moves."""
    writer = Writer(source, source.randint(1, 4), source.randint(1, 4))
    for again in (True, False):
        while writer.legal_moves():
            if source.random() < 0.3:
                writer.type("play " + writer.illegal_move())
            writer.type("winner")
            writer.play_on(1)
        writer.type("winner")
        if again and source.random() < 0.5:
            writer.type(f"game {writer.cols} {writer.rows}")
    return writer.session()


def _make_forced(source: random.Random) -> Session:
    """Return a game in which genmove has one legal move at most, so that chance plays no part."""
    writer = Writer(source, source.randint(1, 4), source.randint(1, 4))
    while len(writer.legal_moves()) > 1:
        writer.play_on(1)
    for line in ("genmove", "show", "winner", "genmove"):
        writer.type(line)
    return writer.session()


def _make_random(source: random.Random) -> Session:
    """Return games that genmove plays out, and many first moves on one board."""
    writer = Writer(source, source.randint(1, 5), source.randint(1, 5))
    moves = ["genmove"] * (writer.cols * writer.rows + 1)
    small = source.choice(("game 2 2", "game 3 1", "game 2 3"))
    return Session((*writer.lines, *moves, *(small, "genmove") * DRAWS))


def _make_search(source: random.Random) -> Session:
    """Return a position in which few moves win, and questions about it."""
    while True:
        writer = Writer(source, source.randint(2, 4), source.randint(2, 4))
        writer.play_on(source.randrange(2, writer.cols * writer.rows - 1))
        if 0 < len(winning_moves(writer.protocol)) * 2 <= len(writer.legal_moves()):
            return Session((*writer.lines, "timelimit 2", "solve", "genmove", "solve"))


def _make_silent(source: random.Random) -> Session:
    return Session(
        source.choice(
            (
                ("show",),
                ("winner",),
                ("game 0 1",),
                ("game 21 1",),
                ("game 2",),
                ("game 2 2", "legal 0 0"),
                ("game 2 2", "", "show"),
                ("game 2 2", "frobnicate"),
            )
        )
    )


PARTS = {
    "grids": Part(0.5, "game and show", _make_boards, view=_answers("game", "show")),
    "moves": Part(1.0, "legal moves", _make_plays, view=_answers("play")),
    "errors": Part(1.0, "illegal moves and their reasons", _make_errors, view=_answers("play")),
    "questions": Part(1.0, "legal", _make_questions, view=_answers("legal")),
    "ends": Part(1.0, "winner", _make_ends, view=_answers("winner")),
    "forced": Part(
        0.25,
        "genmove with one legal move or none",
        _make_forced,
        view=_answers("genmove", "winner"),
    ),
    "random": Part(
        0.25, "genmove: legal moves, all of them by chance", _make_random, judge=judge_random
    ),
    "silent": Part(0.0, "commands of which the document says nothing", _make_silent),
    "search": Part(
        1.0,
        "solve and genmove of later assignments",
        _make_search,
        optional=True,
        judge=judge_search,
    ),
}


def _is_started(protocol: Protocol) -> bool:
    """Return whether a game has been started."""
    try:
        protocol.state()
    except CommandError:
        return False
    return True


def _forced(protocol: Protocol) -> list[int]:
    """Return the one legal move, if there is any; raises ValueError where genmove has a choice."""
    if not _is_started(protocol):
        return []
    actions = [0] * protocol.game.num_actions
    count = rules.legal_actions(protocol.position, actions)
    if count > 1:
        raise ValueError("genmove plays by chance here")
    return actions[:count]


def _winner(protocol: Protocol) -> Reason:
    """Return why winner answers as it does."""
    player = (protocol.position.ply & 1) + 1
    if rules.is_terminal(protocol.position):
        text = f"player {player} has no legal move left and has lost"
    else:
        text = f"player {player} has a legal move, so the game is unfinished"
    return Reason("winner", text, "winner")


def _protocol_at(session: Session, typed: int) -> Protocol:
    protocol = Protocol()
    for line in session.lines[:typed]:
        _carry_out(protocol, line)
        if line == "genmove":
            for action in _forced(protocol):
                rules.apply_action(protocol.position, action)
    return protocol


def state_at(session: Session, typed: int) -> State | None:
    """Return the grid after `typed` lines, None before the first game."""
    protocol = _protocol_at(session, typed)
    return protocol.state() if _is_started(protocol) else None


def explain(session: Session, typed: int, line: str) -> Reason:
    """Return why the answer to the last typed line holds this line.

    Raises ValueError where a genmove had a choice: what it played is not known.
    """
    name, *words = (session.lines[typed - 1].lower().split() if typed else []) or [""]
    protocol = _protocol_at(session, typed - 1)
    if line.startswith("= -1") or not (_is_started(protocol) or name == "game"):
        return SILENT
    if name == "genmove":
        _forced(protocol)
    if line.startswith("= 1") and name in ("show", "legal", "genmove", "winner"):
        return Reason("status", f"the answer to {name} ends here, with the status = 1", COMMANDS)
    if name in ("play", "legal"):
        action, refused = protocol.parse_move(words)
        if action is None:
            reason = REASONS[refused]
            if name == "play":
                return reason
            return Reason(f"legal {reason.kind}", f"no, since {reason.text}", reason.section)
    return _winner(protocol) if name == "winner" else ANSWERS.get(name, SILENT)


def legal(session: Session) -> Session:
    """Return the session as it is: a refused line ends no game."""
    return session


def simpler(session: Session) -> Iterator[Session]:
    """Yield the session on smaller boards, moves off the board left out, kept, or at its edge."""
    for at, line in enumerate(session.lines):
        words = line.split()
        if words[:1] != ["game"] or len(words) != 3:
            continue
        for which in (1, 2):
            if not words[which].isdigit() or int(words[which]) <= 1:
                continue
            side = str(int(words[which]) - 1)
            before, after = session.lines[:at], session.lines[at + 1 :]
            start = " ".join(_replaced(words, which, side))
            kept = [text for text in after if text.split()[which : which + 1] != [side]]
            edge = str(int(side) - 1)
            moved = [
                " ".join(_replaced(text.split(), which, edge))
                if text.split()[which : which + 1] == [side]
                else text
                for text in after
            ]
            for rest in (kept, after, moved):
                yield session._replace(lines=(*before, start, *rest))


def _replaced(words: list[str], at: int, word: str) -> list[str]:
    return [*words[:at], word, *words[at + 1 :]]
