"""A table: its game, who sits at it, its clock, and what may be done there.

Nothing here does input or output: what happens is a change, which is written down by others first
and then applied.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gridhouse.core.errors import PictureError
from gridhouse.core.registry import parse
from gridhouse.server import clock
from gridhouse.server.clock import Clock
from gridhouse.server.storage.records import Change, Ply
from gridhouse.server.tables.commands import (
    ANSWER,
    MOVE,
    OVER,
    REDO,
    RESIGN,
    SEAT,
    UNDO,
    Command,
    RefusedError,
)

if TYPE_CHECKING:
    from gridhouse.core.game import State
    from gridhouse.server.daily.leaderboard import BestResult
    from gridhouse.server.storage.records import StoredTable

HOTSEAT = "hotseat"
MACHINE = "machine"
FRIENDS = "friends"
STANDS = "a move that may have told a secret stands"
ALONE = "the puzzle of a day is played without help"

BY_RULES = "rules"
ON_TIME = "time"
RESIGNED = "resigned"
LOST = {ON_TIME: "has no time left", RESIGNED: "resigns"}  # before the rules say so


class TableOptions(NamedTuple):
    """A new game as it was asked for; ``side`` is the player whom the visitor plays.

    A ``listed`` game stands in the lobby, for all to watch and to take the free seat.  ``daily`` is
    the day whose puzzle it is.
    """

    state: State
    opponent: str
    level: int
    side: int
    clock: Clock | None = None
    listed: bool = False
    daily: str | None = None


class Takeback(NamedTuple):
    """A player's request to the other: to undo moves, or to make them again."""

    kind: str
    player: int


class Table:
    """One game that is played in the house."""

    def __init__(self, record: StoredTable) -> None:
        """Set up a table as it was kept."""
        self.id = record.id
        self.opponent = record.opponent
        self.level = record.level
        self.machine = record.machine
        self.start = record.start
        self.daily = record.daily
        self.best: BestResult | None = None  # that is known of the puzzle of this day
        self.machine_failed = False  # at its last move, which was a random one
        self.clock = Clock(record.initial, record.increment) if record.initial else None
        self.state = parse(record.start)
        self.plies: list[Ply] = []
        # Whether any player has had a secret so far.  That the last one is gone, as a bomb under a
        # sink is, may be a secret too, so this never becomes false again.
        self.ever_secret = self.state.has_secrets()
        self.has_sides = has_sides(self.state)
        self.catch_up(record)

    def catch_up(self, record: StoredTable) -> None:
        """Become what was kept meanwhile."""
        self.seated_visitors = dict(record.seated_visitors)
        self.listed = record.listed
        standing = 0
        for ply, stored in zip(self.plies, record.moves, strict=False):
            if (ply.move, ply.spent) != (stored.move, stored.spent):
                break
            standing += 1
        self._pop(len(self.plies) - standing)
        for stored in record.moves[standing:]:
            self._push(described(self.state, stored))
        after = self.state.clone()
        self.undone = []
        for stored in record.undone:
            self.undone.append(described(after, stored))
            after.apply_action(self.undone[-1].action)
        self._note(record.ended, record.asked, record.since)
        self.version = record.version

    def apply(self, change: Change) -> None:
        """Make a change that was written down."""
        if change.seat is not None:
            self.seated_visitors[change.seat[0]] = change.seat[1]
        if change.standing is not None:
            self._stand(change.standing)
        if change.added is not None:
            self.undone.clear()
            self._push(change.added)
        self._note(change.ended, change.asked, change.since)
        self.version = change.version + 1

    def _note(self, ended: str | None, asked: str | None, since: int | None) -> None:
        self.ended = ended
        self._asked = asked
        self.since = since
        # Whether the game has ended: by its rules, by the clock, or by a player's word.
        self.over = ended is not None or self.state.is_terminal()
        # Who is to move, None when the game is over.
        self.mover = None if self.over else self.state.current_player()
        # Whether not everybody may see everything; when a game is over, they may.
        self.secret = self.ever_secret and not self.over

    def _stand(self, standing: int) -> None:
        """Let so many moves stand: fewer than before, or some of the undone ones again."""
        again = self.undone[: max(0, standing - len(self.plies))]
        del self.undone[: len(again)]
        for ply in again:
            self._push(ply)
        gone = self.plies[standing:]
        self._pop(len(gone))
        self.undone[:0] = gone

    def _push(self, ply: Ply) -> None:
        self.state.apply_action(ply.action)
        self.plies.append(ply)
        self.ever_secret = self.ever_secret or self.state.has_secrets()

    def _pop(self, count: int) -> None:
        for _ in range(count):
            self.state.undo()
            self.plies.pop()

    @property
    def asked(self) -> Takeback | None:
        """What a player asks the other for, None for nothing."""
        if not self._asked:
            return None
        kind, player = self._asked.split()
        return Takeback(kind, int(player))

    def _lost(self) -> tuple[str, int] | None:
        """Return how and for whom a game has ended before its rules say so, None if it has not."""
        how, _, player = (self.ended or "").partition(" ")
        return (how, int(player)) if how in LOST else None

    def outcome(self) -> str:
        """Return in words how a game that is over has ended."""
        lost = self._lost()
        if lost is None:
            return self.state.game.outcome(self.state.position)
        names = self.state.game.players
        how, player = lost
        return f"{names[player]} {LOST[how]}; {names[1 - player]} wins"

    def returns(self) -> list[float]:
        """Return what each player has made, also where a game has ended before its rules say so."""
        lost = self._lost()
        if lost is None:
            return self.state.returns()
        return [-1.0 if player == lost[1] else 1.0 for player in range(2)]

    def past(self, ply: int) -> State:
        """Return the position after so many moves."""
        state = parse(self.start)
        for action in self.state.history()[:ply]:
            state.apply_action(action)
        return state

    def seats_of(self, visitor: str | None) -> list[int]:
        """Return the players that a visitor plays."""
        return [player for player, sitter in self.seated_visitors.items() if sitter == visitor]

    def open_seats(self) -> list[int]:
        """Return the players whom nobody plays yet."""
        taken = {self.machine, *self.seated_visitors}
        return [player for player in range(self.state.game.num_players) if player not in taken]

    # The clock.

    def ticks(self) -> bool:
        """Tell whether the clock runs; the machine plays without one."""
        return self.since is not None and self.mover not in (None, self.machine)

    def time_left(self, player: int, at: int) -> int:
        """Return the milliseconds that a player has at a time; 0 when they are gone."""
        assert self.clock is not None
        if self._lost() == (ON_TIME, player):
            return 0
        free = self.state.game.num_players
        own = [ply.spent for ply in self.plies[free:] if ply.player == player]
        running = self._spent(at) if player == self.mover else 0
        return max(0, self.clock.left(own) - running)

    def _spent(self, at: int) -> int:
        return max(0, at - self.since) if self.since is not None and self.ticks() else 0

    def _since(self, standing: int, at: int) -> int | None:
        """Return when the time of whoever moves after so many moves begins."""
        has_begun = self.clock is not None and standing >= self.state.game.num_players
        return at if has_begun else None

    # What may be done.

    def change_for(self, command: Command) -> Change:
        """Return the change that a command makes; raises RefusedError, or MoveError for a move."""
        changes = {
            MOVE: self._move,
            SEAT: self._seat,
            UNDO: self._takeback,
            REDO: self._takeback,
            ANSWER: self._answer,
            RESIGN: self._resign,
        }
        return changes[command.kind](command)

    def _change(self) -> Change:
        return Change(self.id, self.version, self.ended, self._asked, self.since)

    def _end(self, how: str, player: int) -> Change:
        return self._change()._replace(ended=f"{how} {player}", asked=None, since=None)

    def _move(self, command: Command) -> Change:
        if self.mover != command.player:
            raise RefusedError(OVER if self.over else "it is not your turn")
        if command.ply != len(self.plies):
            raise RefusedError("the table has changed; look again")
        state, at = self.state, clock.now()
        ply = described(state, Ply(command.text, self._spent(at)))
        if self.clock is not None and self.ticks() and not self.time_left(command.player, at):
            return self.time_loss()
        after = state.clone()
        after.apply_action(ply.action)
        standing = len(self.plies)
        ended = BY_RULES if after.is_terminal() else None
        since = None if ended else self._since(standing + 1, at)
        change = Change(self.id, self.version, ended, None, since, standing=standing, added=ply)
        return change._replace(forgets=bool(self.undone))

    def time_loss(self) -> Change:
        """Return the end of a game in which whoever is to move has no time left."""
        return self._end(ON_TIME, self.state.current_player())

    def _resign(self, command: Command) -> Change:
        if self.over:
            raise RefusedError(OVER)
        if self.opponent == HOTSEAT:
            raise RefusedError("at one screen the game just ends when you leave it")
        return self._end(RESIGNED, command.player)

    def _seat(self, command: Command) -> Change:
        if self.seats_of(command.visitor):
            raise RefusedError("you already sit at this table; send the link to a friend")
        if not self.open_seats():
            raise RefusedError("this seat is taken")
        return self._change()._replace(seat=(self.open_seats()[0], command.visitor))

    def _takeback(self, command: Command) -> Change:
        """Undo moves or make them again; between friends, ask the other player for it."""
        change = self._takeback_change(Takeback(command.kind, command.player))
        if self.opponent == FRIENDS and not self.open_seats():
            return self._change()._replace(asked=f"{command.kind} {command.player}")
        return change

    def _answer(self, command: Command) -> Change:
        """Answer the other player's request, or give up one's own."""
        takeback = self.asked
        if takeback is None or (command.agrees and takeback.player == command.player):
            raise RefusedError("nobody has asked for that")
        if command.agrees:
            return self._takeback_change(takeback)
        return self._change()._replace(asked=None)

    def _takeback_change(self, takeback: Takeback) -> Change:
        standing, ended = len(self.plies), None
        if takeback.kind == UNDO:
            standing -= self.undo_count(takeback.player)
        else:
            again = self.state_after_redo(takeback.player)
            standing += len(again.history()) - len(self.plies)
            ended = BY_RULES if again.is_terminal() else None
        since = None if ended else self._since(standing, clock.now())
        return Change(self.id, self.version, ended, None, since, standing=standing)

    def undo_count(self, player: int) -> int:
        """Return how many moves have to be taken back for a player; raises RefusedError."""
        own = [at for at, ply in enumerate(self.plies) if ply.player == player]
        if not self.plies or (self.opponent != HOTSEAT and not own):
            raise RefusedError("there is no move of yours to take back")
        self._need_freedom()
        return 1 if self.opponent == HOTSEAT else len(self.plies) - own[-1]

    def state_after_redo(self, player: int) -> State:
        """Return what it is like when a player's undone moves are made again.

        At one screen that is one move, else all until the player's turn.  Raises RefusedError.
        """
        if not self.undone:
            raise RefusedError("there is no move to make again")
        self._need_freedom()
        state = self.state.clone()
        for ply in self.undone:
            state.apply_action(ply.action)
            if self.opponent == HOTSEAT or state.current_player() == player:
                break
        return state

    def _need_freedom(self) -> None:
        """Raise RefusedError where moves can neither be undone nor made again."""
        if self.ever_secret:
            raise RefusedError(STANDS)
        if self._lost() is not None:
            raise RefusedError(OVER)

    # What everybody may take along.

    def record(self) -> str:
        """Return start and moves as text; raises RefusedError where that would tell a secret."""
        self._need_openness()
        names = self.state.game.players
        lines = [f"{names[ply.player]}: {ply.move}" for ply in self.plies]
        return "\n".join([self.start, *lines, *([self.outcome()] if self.over else [])]) + "\n"

    def position_text(self) -> str:
        """Return the position as text; raises RefusedError where that would tell a secret."""
        self._need_openness()
        return str(self.state)

    def _need_openness(self) -> None:
        if self.secret:
            raise RefusedError("it would tell a secret")


def described(state: State, ply: Ply) -> Ply:
    """Return a ply with all that follows from the position before it; raises MoveError."""
    action = state.string_to_action(ply.move)
    return Ply(
        state.action_to_string(action),
        ply.spent,
        state.current_player(),
        state.game.public_move(state.position, action),
        tuple(gesture(state, action)[0]),
        action,
    )


def gesture(state: State, action: int) -> tuple[list[int], str]:
    """Return an action's gesture; in a game without pictures the move's text is the choice."""
    try:
        return state.gesture(action)
    except PictureError:
        return [], state.action_to_string(action)


def has_sides(state: State) -> bool:
    """Tell whether the board looks another from the side of the second player."""
    try:
        boards = {state.public_picture(player).inline() for player in range(state.game.num_players)}
    except PictureError:
        return False
    return len(boards) > 1
