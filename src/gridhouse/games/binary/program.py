"""The exact program of the Binary Game's document: a text protocol on standard input.

Besides the document's commands it knows those of the same course's later assignments:
``timelimit``, ``solve``, ``loadpatterns`` and ``policy_moves``.
"""

from __future__ import annotations

import random
import sys

from gridhouse.core.console import UsageError, read_file, read_line
from gridhouse.core.game import State
from gridhouse.core.notation import parse_integer
from gridhouse.games.binary import rules
from gridhouse.games.binary.game import BinaryGame
from gridhouse.games.binary.patterns import PatternError, parse_patterns
from gridhouse.games.binary.patterns import policy as pattern_policy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gridhouse.games.binary.patterns import Weights
    from gridhouse.games.binary.rules import Position

# The scripts of the program with their functions, and a file beside them.
SCRIPTS = {
    "a1.py": ("main",),
    "a2.py": ("main",),
    "a3.py": ("main",),
    "a4.py": ("main_strong",),
}
FILES = ("solver/book.txt",)
USAGE = ""
ABOUT = (
    "Commands on standard input, one a line: game n m, show, play x y digit, legal x y digit, "
    "genmove, winner, help, exit; and timelimit SECONDS, solve, policy random|strong "
    "(what genmove plays), loadpatterns FILE, policy_moves."
)

SUCCESS = "= 1\n"
FAILURE = "= -1\n"
LISTED = ("game", "show", "play", "legal", "genmove", "winner", "exit")
MAX_SECONDS = 100
RANDOM = "random"
STRONG = "strong"
POLICIES = (RANDOM, STRONG)


class CommandError(Exception):
    """A command cannot be carried out; the message goes to standard error."""


class Session:
    """The state of a session: the game, the time limit, the patterns."""

    def __init__(self) -> None:
        """Start without a game."""
        self.seconds = 1
        self.is_strong = False
        self.weights: Weights = {}
        self._game: BinaryGame | None = None
        self._position: Position | None = None
        self.is_open = True

    @property
    def game(self) -> BinaryGame:
        """The game being played; raises CommandError before the first."""
        if self._game is None:
            raise CommandError("no game has been started: game n m")
        return self._game

    @property
    def position(self) -> Position:
        """The position of the game being played; raises CommandError before the first."""
        if self._position is None:
            raise CommandError("no game has been started: game n m")
        return self._position

    def state(self) -> State:
        """Return the state of the game for a search, without history."""
        return State(self.game, self.position.copy())

    def start(self, game: BinaryGame) -> None:
        """Start a game."""
        self._game = game
        self._position = game.initial_position(0)

    def parse_move(self, words: list[str]) -> tuple[int | None, str]:
        """Return the action of a move's words, or None and the reason of its refusal."""
        if len(words) != 3:
            return None, "wrong number of arguments"
        x, y = parse_integer(words[0]), parse_integer(words[1])
        game = self.game
        if x is None or y is None or game.cell(y, x) is None:
            return None, "wrong coordinate"
        if words[2] not in ("0", "1"):
            return None, "wrong number"
        action = game.action(x, y, int(words[2]))
        refusal = rules.refusal(self.position, action)
        return (None, game.refusals[refusal]) if refusal else (action, "")


def show_help(session: Session, words: list[str]) -> None:
    """List the document's commands."""
    print("\n".join(LISTED))


def start_game(session: Session, words: list[str]) -> None:
    """Start a game of the given width and height."""
    width, height = (parse_integer(word) for word in words)
    sizes = range(1, rules.MAX_SIDE + 1)
    if width not in sizes or height not in sizes:
        raise CommandError(f"the sizes of a game are 1 to {rules.MAX_SIDE}")
    session.start(BinaryGame(rows=height, cols=width))


def show(session: Session, words: list[str]) -> None:
    """Print the grid."""
    print("\n".join(session.game.board(session.position)))


def legal(session: Session, words: list[str]) -> None:
    """Print whether a move is legal."""
    action, _ = session.parse_move(words)
    print("no" if action is None else "yes")


def policy(session: Session, words: list[str]) -> None:
    """Let genmove play at random, as in the document, or as well as possible."""
    if words[0] not in POLICIES:
        raise CommandError(f"the policies of genmove are {' and '.join(POLICIES)}")
    session.is_strong = words[0] == STRONG


def genmove(session: Session, words: list[str]) -> None:
    """Play and print a random move, or the best one found if the policy is strong."""
    position = session.position
    buffer = [0] * session.game.num_actions
    count = rules.legal_actions(position, buffer)
    if count == 0:
        print("resign")
        return
    if session.is_strong:
        from gridhouse.games.binary.solver.timed_solve import move_within

        action = move_within(session.state(), session.seconds)
    else:
        action = buffer[random.randrange(count)]
    print(session.game.write_move(position, action))
    rules.apply_action(position, action)


def winner(session: Session, words: list[str]) -> None:
    """Print the winner."""
    position = session.position
    if rules.is_terminal(position):
        print(2 - (position.ply & 1))
    else:
        print("unfinished")


def leave(session: Session, words: list[str]) -> None:
    """End the session."""
    session.is_open = False


def timelimit(session: Session, words: list[str]) -> None:
    """Bound the time of later searches."""
    seconds = parse_integer(words[0])
    if seconds is None or not 1 <= seconds <= MAX_SECONDS:
        raise CommandError(f"the time limit is 1 to {MAX_SECONDS} seconds")
    session.seconds = seconds


def solve(session: Session, words: list[str]) -> None:
    """Print the winner, with a winning move of the player to move; unknown after the time limit."""
    from gridhouse.games.binary.solver.timed_solve import solve_within

    player = (session.position.ply & 1) + 1
    found = solve_within(session.state(), session.seconds)
    if found.outcome == "loss":
        print(3 - player)
    elif found.moves:
        print(player, found.moves[0])
    else:
        print("unknown")


def loadpatterns(session: Session, words: list[str]) -> None:
    """Replace the patterns by those of a file."""
    try:
        session.weights = parse_patterns(read_file(words[0]))
    except (UsageError, PatternError) as error:
        raise CommandError(str(error)) from None


def policy_moves(session: Session, words: list[str]) -> None:
    """Print every legal move with its probability, all in one line."""
    moves = pattern_policy(session.position, session.weights)
    if moves:
        print(" ".join(f"{x} {y} {digit} {round(p, 3)}" for x, y, digit, p in moves))


# Each command with the number of its arguments.
COMMANDS: dict[str, tuple[Callable[[Session, list[str]], None], int]] = {
    "help": (show_help, 0),
    "game": (start_game, 2),
    "show": (show, 0),
    "legal": (legal, 3),
    "genmove": (genmove, 0),
    "winner": (winner, 0),
    "exit": (leave, 0),
    "policy": (policy, 1),
    "timelimit": (timelimit, 1),
    "solve": (solve, 0),
    "loadpatterns": (loadpatterns, 1),
    "policy_moves": (policy_moves, 0),
}
# The other commands ignore further words, like the course's starter code.
EXACT = ("game", "legal", "policy")


def play(session: Session, words: list[str]) -> str:
    """Play a move; return the answer's last line."""
    position = session.position
    action, reason = session.parse_move(words)
    if action is None:
        # Without words the course's own code prints two spaces.
        return f"= illegal move: {' '.join(words)} {reason}\n"
    rules.apply_action(position, action)
    return SUCCESS


def execute(session: Session, line: str) -> str:
    """Carry out a command line and return the answer's last line; raises CommandError."""
    name, *words = line.lower().split() or [""]
    if name == "play":
        return play(session, words)
    if name not in COMMANDS:
        raise CommandError(
            f"unknown command {name!r}; the commands are play, {', '.join(COMMANDS)}"
        )
    command, count = COMMANDS[name]
    if len(words) < count or (len(words) > count and name in EXACT):
        raise CommandError(f"{name} takes {count} arguments, not {len(words)}")
    command(session, line.split()[1:] if name == "loadpatterns" else words)
    return SUCCESS


def main(arguments: list[str], policy: str = RANDOM) -> None:
    """Answer commands until ``exit`` or the end of input; ``policy`` is genmove's first policy.

    Every line gets a status, even an empty line or a comment, because a harness waits for it.
    """
    if arguments:
        raise UsageError(f"no argument is needed, {len(arguments)} given: commands are read")
    session = Session()
    session.is_strong = policy == STRONG
    while session.is_open:
        try:
            answer = execute(session, read_line())
        except CommandError as error:
            print(error, file=sys.stderr)
            answer = FAILURE
        print(answer)


def main_strong(arguments: list[str]) -> None:
    """Answer commands with the strong ``genmove`` of the course's fourth assignment."""
    main(arguments, STRONG)
