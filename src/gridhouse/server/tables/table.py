"""A table: its game, seats and clock, and the changes that commands make.

This module does no input or output.  The service writes a change to the database first and shows
the table after it afterwards.  That is another one: a table in use stays as it is but for ``NEWS``,
so that threads can draw it while its game goes on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gridhouse.core.errors import PictureError
from gridhouse.core.registry import parse
from gridhouse.server import clock
from gridhouse.server.clock import Clock
from gridhouse.server.settings import MAX_MOVES
from gridhouse.server.storage import records
from gridhouse.server.storage.records import Change, DamagedError, Ply
from gridhouse.server.tables.commands import (
    ANSWER,
    MOVE,
    OVER,
    REDO,
    REMATCH,
    RESIGN,
    SEAT,
    UNDO,
    Command,
    RefusedError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from gridhouse.core.game import State
    from gridhouse.server.daily.results import BestResult
    from gridhouse.server.storage.records import StoredTable

NEWS = ("names", "company", "best", "is_past_day", "machine_failed", "machine_stuck")
OPPONENTS = records.OPPONENTS
# At an analysis board somebody is alone, for both sides, with nothing hidden.
MACHINE, FRIENDS, HOTSEAT, ANALYSIS = OPPONENTS
ONE_SCREEN = (HOTSEAT, ANALYSIS)  # at which one visitor has all seats
STANDS_IN_EVENINGS = "moves at the table of an evening stand"
FULL = "this table takes no more moves; begin another one"
STANDS = "moves that may have revealed hidden information cannot be taken back"

KEPT_EVERY = 50  # moves between two positions that are kept, so that looking back is quick
NEARLY_FULL = 100  # moves left when a table says so

BY_RULES = "rules"
ON_TIME = "time"
RESIGNED = "resigned"
LOST = {ON_TIME: "has no time left", RESIGNED: "resigns"}  # ends that are not in the rules
REASONS = {ON_TIME: "ran out of time", RESIGNED: "resigned"}  # the same, told afterwards


class TableOptions(NamedTuple):
    """The options of a new table; the visitor plays the player ``side``.

    The lobby shows a ``listed`` table, and everybody may watch it or take its free seat.  ``daily``
    is the day of a daily puzzle.  The start was ``given``, unless the house set it up by chance.
    """

    state: State
    opponent: str
    level: int
    side: int
    clock: Clock | None = None
    listed: bool = False
    daily: str | None = None
    given: bool = True


class Company(NamedTuple):
    """Who looks at a table: whether each player is there, and the number of pages that watch."""

    present: tuple[bool, ...] = ()
    watchers: int = 0


class Takeback(NamedTuple):
    """A player's request to the opponent: to undo or to redo moves."""

    kind: str
    player: int


class Rematch(NamedTuple):
    """The table of the next game, and the player of this one who offered it."""

    table: str
    player: int


class Table:
    """One game and its players."""

    def __init__(self, record: StoredTable, most: int = MAX_MOVES) -> None:
        """Set up a table from its record; it takes ``most`` moves.  Raises GridhouseError."""
        self.id = record.id
        self.opponent = record.opponent
        self.level = record.level
        self.machine = record.machine
        self.start = record.start
        self.daily = record.daily
        self.given = record.given
        self.evening = record.evening
        self.is_past_day = False  # whether the day of its daily puzzle is over
        self.names: dict[str, str] = {}  # of the visitors at the table who have one
        self.company = Company()
        self.best: BestResult | None = None  # known for the daily puzzle
        self.machine_failed = False  # at its last move, which was therefore random
        self.machine_stuck = False  # until a page is opened again
        self.clock = Clock(record.initial, record.increment) if record.initial else None
        self.state = begun(record)
        # Both players of an evening are there when the game begins, so their clocks run at once.
        self._free_moves = 0 if self.evening else self.state.game.num_players
        self.most = most
        self.plies: list[Ply] = []
        self.undone: list[Ply] = []
        self._kept: list[tuple[int, Any, list[int]]] = [self.state.checkpoint()]
        # Whether any player has had hidden information so far.  Its end, as that of a bomb under a
        # sink, may itself be hidden, so this never becomes false again.
        self.ever_secret = self._has_secrets()
        self._began_secret = self.ever_secret
        self.cameras = self.state.cameras()
        self.default_camera = self.state.default_camera()
        for _ in self.catch_up(record):
            pass

    def clone(self) -> Table:
        """Return a copy that can be changed."""
        other = Table.__new__(Table)
        vars(other).update(vars(self))
        other.state = self.state.clone()
        other.plies, other.undone, other._kept = self.plies[:], self.undone[:], self._kept[:]
        other.seated_visitors = dict(self.seated_visitors)
        return other

    def after(self, change: Change) -> Table:
        """Return the table after a change."""
        other = self.clone()
        other.apply(change)
        return other

    def catch_up(self, record: StoredTable) -> Iterator[None]:
        """Update the table from a newer record, with a pause after every move.

        Until its end the table is not to be used.
        """
        self.seated_visitors = dict(record.seated_visitors)
        self.rematch = rematch_of(record.next)
        standing = 0
        for ply, stored in zip(self.plies, record.moves, strict=False):
            if (ply.move, ply.spent) != (stored.move, stored.spent):
                break
            standing += 1
        self._pop(len(self.plies) - standing)
        for stored in record.moves[standing:]:
            self._push(described(self.state, stored))
            yield
        after = self.state.clone()
        self.undone = []
        for stored in record.undone:
            self.undone.append(described(after, stored))
            after.apply_action(self.undone[-1].action)
            yield
        self._note(record.ended, record.asked, record.since)
        self.version = record.version

    def apply(self, change: Change) -> None:
        """Apply a change to a table that is not in use yet."""
        if change.seat is not None:
            self.seated_visitors[change.seat[0]] = change.seat[1]
        if change.next is not None:
            self.rematch = rematch_of(change.next)
        if change.standing is not None:
            self._stand(change.standing)
        if change.added is not None:
            self.undone.clear()
            self._push(change.added)
        self._note(change.ended, change.asked, change.since)
        self.version = change.version + 1

    def _note(self, ended: str | None, asked: str | None, since: int | None) -> None:
        # How the game has ended: by its rules, on time, or by resignation; None while it goes on.
        self.ended = BY_RULES if ended is None and self.state.is_terminal() else ended
        self.over = self.ended is not None
        self._asked = asked
        self.since = None if self.over else since
        # The player to move, None when the game is over.
        self.mover = None if self.over else self.state.current_player()
        # Whether there may be hidden information; after the game everything is visible.
        self.secret = self.ever_secret and not self.over

    def _stand(self, standing: int) -> None:
        """Undo or redo moves until their number is ``standing``."""
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
        checkpoint = self.state.checkpoint()  # always: it follows the pieces from the last one
        if len(self.plies) % KEPT_EVERY == 0:
            self._kept.append(checkpoint)
        self.ever_secret = self.ever_secret or self._has_secrets()

    def _has_secrets(self) -> bool:
        return self.opponent != ANALYSIS and self.state.has_secrets()

    def _pop(self, count: int) -> None:
        if count:
            standing = len(self.plies) - count
            self.state = self.past(standing)
            del self.plies[standing:]
            del self._kept[standing // KEPT_EVERY + 1 :]

    @property
    def asked(self) -> Takeback | None:
        """The pending takeback request, None without one."""
        if not self._asked:
            return None
        kind, player = self._asked.split()
        return Takeback(kind, int(player))

    def outcome(self) -> str:
        """Return the result of a finished game in words."""
        return outcome_of(self.state, self.ended)

    def reason(self) -> str:
        """Return how a finished game ended, as a sentence without a full stop."""
        lost = loser_of(self.ended)
        if lost is None:
            return self.state.game.reason(self.state.position)
        how, player = lost
        return f"{self.state.game.players[player]} {REASONS[how]}"

    def returns(self) -> list[float]:
        """Return the players' returns, also after an end by time or resignation."""
        return returns_of(self.state, self.ended)

    def past(self, ply: int) -> State:
        """Return the position after ``ply`` moves."""
        return self.state.past(ply, self._kept[ply // KEPT_EVERY])

    @property
    def room(self) -> int:
        """The number of moves that the table still takes."""
        return max(0, self.most - len(self.plies))

    def seats_of(self, visitor: str | None) -> list[int]:
        """Return the players that a visitor plays."""
        if visitor is None:
            return []
        return [player for player, sitter in self.seated_visitors.items() if sitter == visitor]

    def open_seats(self) -> list[int]:
        """Return the players without a visitor or machine."""
        taken = {self.machine, *self.seated_visitors}
        return [player for player in range(self.state.game.num_players) if player not in taken]

    # The clock.

    def ticks(self) -> bool:
        """Tell whether the clock runs; the machine plays without one."""
        return self.since is not None and self.mover not in (None, self.machine)

    def time_left(self, player: int, at: int) -> int:
        """Return a player's remaining milliseconds at a time, at least 0."""
        assert self.clock is not None
        if loser_of(self.ended) == (ON_TIME, player):
            return 0
        own = [ply.spent for ply in self.plies[self._free_moves :] if ply.player == player]
        running = self._spent(at) if player == self.mover else 0
        return max(0, self.clock.left(own) - running)

    def _spent(self, at: int) -> int:
        return max(0, at - self.since) if self.since is not None and self.ticks() else 0

    def _since(self, standing: int, at: int) -> int | None:
        """Return the start of the clock after ``standing`` moves, None if it does not run."""
        has_begun = self.clock is not None and standing >= self._free_moves
        return at if has_begun else None

    # Commands.

    def change_for(self, command: Command) -> Change:
        """Return the change that a command makes; raises RefusedError or MoveError."""
        changes = {
            MOVE: self._move,
            SEAT: self._seat,
            UNDO: self._takeback,
            REDO: self._takeback,
            ANSWER: self._answer,
            RESIGN: self._resign,
            REMATCH: self._rematch,
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
            raise RefusedError("the table has changed; look at it again")
        if not self.room:
            raise RefusedError(FULL)
        state, at = self.state, clock.now()
        ply = described(state, Ply(command.text, self._spent(at)))
        if self.clock is not None and self.ticks() and not self.time_left(command.player, at):
            return self.time_loss()
        standing = len(self.plies)
        since, forgets = self._since(standing + 1, at), bool(self.undone)
        return Change(
            self.id, self.version, since=since, standing=standing, added=ply, forgets=forgets
        )

    def time_loss(self) -> Change:
        """Return the change by which the player to move loses on time."""
        return self._end(ON_TIME, self.state.current_player())

    def _resign(self, command: Command) -> Change:
        if self.over:
            raise RefusedError(OVER)
        if self.opponent in ONE_SCREEN:
            raise RefusedError("a game at one screen cannot be resigned")
        return self._end(RESIGNED, command.player)

    def _rematch(self, command: Command) -> Change:
        """Lead on to a new table; of friends, the first offer counts."""
        if self.evening is not None:
            raise RefusedError("the evening pairs you for the next game")
        if not self.over:
            raise RefusedError("the game is not over")
        if self.rematch is not None and self.opponent == FRIENDS:
            raise RefusedError("there is a rematch already")
        return self._change()._replace(next=f"{command.text} {command.player}")

    def _seat(self, command: Command) -> Change:
        if self.seats_of(command.visitor):
            raise RefusedError("you already play at this table; send the link to a friend")
        if not self.open_seats():
            raise RefusedError("this seat is taken")
        return self._change()._replace(seat=(self.open_seats()[0], command.visitor))

    def _takeback(self, command: Command) -> Change:
        """Undo or redo moves; between friends, request it from the opponent."""
        change = self._takeback_change(Takeback(command.kind, command.player))
        if self.opponent == FRIENDS and not self.open_seats():
            standing = self.asked
            if standing and standing.player == command.player and standing.kind != command.kind:
                # The opponent may be agreeing to the other request right now.
                raise RefusedError("withdraw your other request first")
            return self._change()._replace(asked=f"{command.kind} {command.player}")
        return change

    def _answer(self, command: Command) -> Change:
        """Answer the opponent's request, or withdraw one's own."""
        takeback = self.asked
        if takeback is None or (command.agrees and takeback.player == command.player):
            raise RefusedError("there is no request to answer")
        if command.agrees:
            return self._takeback_change(takeback)
        return self._change()._replace(asked=None)

    def _takeback_change(self, takeback: Takeback) -> Change:
        if takeback.kind == UNDO:
            standing = len(self.plies) - self.undo_count(takeback.player)
        else:
            standing = len(self.state_after_redo(takeback.player).history())
        since = self._since(standing, clock.now())
        return Change(self.id, self.version, since=since, standing=standing)

    def undo_count(self, player: int) -> int:
        """Return the number of moves that a player's undo takes back; raises RefusedError."""
        if self.opponent in ONE_SCREEN:
            count = min(1, len(self.plies))
        else:
            latest = enumerate(reversed(self.plies), 1)
            count = next((back for back, ply in latest if ply.player == player), 0)
        if not count:
            raise RefusedError("you have no move to take back")
        self._need_freedom()
        return count

    def state_after_redo(self, player: int) -> State:
        """Return the position after a player's redo.

        At one screen it makes one move, else all moves up to the player's turn.  Raises
        RefusedError.
        """
        if not self.undone:
            raise RefusedError("there is no move to redo")
        self._need_freedom()
        state = self.state.clone()
        for ply in self.undone:
            state.apply_action(ply.action)
            if self.opponent in ONE_SCREEN or state.current_player() == player:
                break
        return state

    def _need_freedom(self) -> None:
        """Raise RefusedError if moves can be neither undone nor redone.

        Against the machine they can, unless the start hides something: it makes its secrets by
        moves, which it chooses anew.
        """
        if self.evening is not None:
            raise RefusedError(STANDS_IN_EVENINGS)
        if self.ever_secret and (self.machine is None or self._began_secret):
            raise RefusedError(STANDS)
        if loser_of(self.ended) is not None:
            raise RefusedError(OVER)

    # Text for everybody.

    def record(self) -> str:
        """Return start and moves as text; raises RefusedError if information is hidden."""
        self._need_openness()
        names = self.state.game.players
        lines = [f"{names[ply.player]}: {ply.move}" for ply in self.plies]
        return "\n".join([self.start, *lines, *([self.outcome()] if self.over else [])]) + "\n"

    def position_text(self) -> str:
        """Return the position as text; raises RefusedError if information is hidden."""
        self._need_openness()
        return str(self.state)

    def _need_openness(self) -> None:
        if self.secret:
            raise RefusedError("it would reveal hidden information")


def begun(record: StoredTable) -> State:
    """Return the start of a stored game; raises GridhouseError if its table cannot have it."""
    state = parse(record.start)
    players = range(state.game.num_players)
    seats = {*record.seated_visitors, *([] if record.machine is None else [record.machine])}
    if not seats <= set(players):
        raise DamagedError("seats")
    if len(players) == 1 and loser_of(record.ended) is not None:  # nobody would win
        raise DamagedError("ended")
    if len(players) == 1 and record.asked is not None:
        raise DamagedError("asked")
    if record.daily is not None and state.game.daily is None:
        raise DamagedError("daily")
    return state


def loser_of(ended: str | None) -> tuple[str, int] | None:
    """Return the reason and the loser of an end by time or resignation, else None."""
    how, _, player = (ended or "").partition(" ")
    return (how, int(player)) if how in LOST else None


def outcome_of(state: State, ended: str | None) -> str:
    """Return the result of a finished game in words."""
    lost = loser_of(ended)
    if lost is None:
        return state.game.outcome(state.position)
    names = state.game.players
    how, player = lost
    return f"{names[player]} {LOST[how]}; {names[1 - player]} wins"


def returns_of(state: State, ended: str | None) -> list[float]:
    """Return the players' returns, also after an end by time or resignation."""
    lost = loser_of(ended)
    if lost is None:
        return state.returns()
    return [-1.0 if player == lost[1] else 1.0 for player in range(2)]


def described(state: State, ply: Ply) -> Ply:
    """Return a ply with the fields that follow from the position before it; raises MoveError."""
    action = state.string_to_action(ply.move)
    game, viewers = state.game, (None, *range(state.game.num_players))
    return Ply(
        state.action_to_string(action),
        ply.spent,
        state.current_player(),
        game.public_move(state.position, action),
        tuple(gesture(state, action)[0]),
        action,
        tuple(game.comment(state.position, action, viewer) for viewer in viewers),
    )


def rematch_of(text: str | None) -> Rematch | None:
    """Return the rematch that the database holds as a text, None without one."""
    if not text:
        return None
    table, player = text.split()
    return Rematch(table, int(player))


def gesture(state: State, action: int) -> tuple[list[int], str]:
    """Return an action's gesture; without pictures it has no cells, and its text as the choice."""
    try:
        return state.gesture(action)
    except PictureError:
        return [], state.action_to_string(action)


def landing(state: State, action: int) -> list[int]:
    """Return the cells that an action's piece will newly cover, [] if its game names none."""
    try:
        return state.landing(action)
    except PictureError:
        return []


def obstacles(state: State, action: int) -> list[int]:
    """Return the cells that name what stands in the way of an action, [] without pictures."""
    try:
        return state.obstacles(action)
    except PictureError:
        return []
