"""A table: its game, who sits at it, its clock, and what may be done there.

Nothing here does input or output: what happens is a change, which is written down by others first
and then applied.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gridhouse.core.errors import PictureError
from gridhouse.core.registry import parse
from gridhouse.web import clocks
from gridhouse.web.clocks import Clock
from gridhouse.web.store import Change, Kept

if TYPE_CHECKING:
    from gridhouse.core.game import State
    from gridhouse.web.results import Best
    from gridhouse.web.store import Record

HOTSEAT = "hotseat"
MACHINE = "machine"
FRIENDS = "friends"
STANDS = "a move that may have told a secret stands"
OVER = "the game is over"
ALONE = "the puzzle of a day is played without help"

BY_RULES = "rules"
ON_TIME = "time"
RESIGNED = "resigned"
LOST = {ON_TIME: "has no time left", RESIGNED: "resigns"}  # before the rules say so
UNDO, REDO = "undo", "redo"


class RefusedError(Exception):
    """Something that cannot be done at a table; the text says why."""


class Ply(NamedTuple):
    """A move that was made: by whom, in full, as everybody is told, and the cells that name it.

    ``spent`` is how many milliseconds it took by the clock.
    """

    player: int
    move: str
    told: str
    cells: list[int]
    spent: int


class Wish(NamedTuple):
    """What a player asks the other for: to undo moves, or to make them again."""

    kind: str
    player: int


class Table:
    """One game that is played in the house."""

    def __init__(self, record: Record) -> None:
        """Set up a table as it was kept."""
        self.id = record.id
        self.opponent = record.opponent
        self.level = record.level
        self.machine = record.machine
        self.start = record.start
        self.daily = record.daily
        self.best: Best | None = None  # that is known of the puzzle of this day
        self.machine_failed = False  # so that it moves at random
        self.clock = Clock(record.initial, record.increment) if record.initial else None
        self.state = parse(record.start)
        self.plies: list[Ply] = []
        # Whether any player has had a secret so far.  That the last one is gone, as a bomb under a
        # sink is, may be a secret too, so this never becomes false again.
        self.ever_secret = self.state.has_secrets()
        self.has_sides = has_sides(self.state)
        self.catch_up(record)

    def catch_up(self, record: Record) -> None:
        """Become what was kept meanwhile."""
        self.sitters = dict(record.sitters)
        self.listed = record.listed
        standing = 0
        for ply, kept in zip(self.plies, record.moves, strict=False):
            if (ply.move, ply.spent) != kept:
                break
            standing += 1
        self._pop(len(self.plies) - standing)
        for kept in record.moves[standing:]:
            self._push(kept)
        self.undone = list(record.undone)
        self._note(record.ended, record.asked, record.since)
        self.version = record.version

    def apply(self, change: Change) -> None:
        """Make a change that was written down."""
        if change.seat is not None:
            self.sitters[change.seat[0]] = change.seat[1]
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
        for kept in again:
            self._push(kept)
        gone = self.plies[standing:]
        self._pop(len(gone))
        self.undone[:0] = [Kept(ply.move, ply.spent) for ply in gone]

    def _push(self, kept: Kept) -> None:
        state = self.state
        action = state.string_to_action(kept.move)
        player = state.current_player()
        told = state.game.public_move(state.position, action)
        self.plies.append(Ply(player, kept.move, told, gesture(state, action)[0], kept.spent))
        state.apply_action(action)
        self.ever_secret = self.ever_secret or state.has_secrets()

    def _pop(self, count: int) -> None:
        for _ in range(count):
            self.state.undo()
            self.plies.pop()

    @property
    def asked(self) -> Wish | None:
        """What a player asks the other for, None for nothing."""
        if not self._asked:
            return None
        kind, player = self._asked.split()
        return Wish(kind, int(player))

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
        return [player for player, sitter in self.sitters.items() if sitter == visitor]

    def open_seats(self) -> list[int]:
        """Return the players whom nobody plays yet."""
        taken = {self.machine, *self.sitters}
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

    # What may be done: each of these returns a change that is still to be made.

    def _change(self) -> Change:
        return Change(self.id, self.version, self.ended, self._asked, self.since)

    def _end(self, how: str, player: int) -> Change:
        return self._change()._replace(ended=f"{how} {player}", asked=None, since=None)

    def played(self, text: str) -> Change:
        """Return the change by a move of whoever is to move; raises MoveError."""
        state, at = self.state, clocks.now()
        action = state.string_to_action(text)
        if self.clock is not None and self.ticks() and not self.time_left(self.mover or 0, at):
            return self.lost_on_time()
        after = state.clone()
        after.apply_action(action)
        added = Kept(state.action_to_string(action), self._spent(at))
        standing = len(self.plies)
        ended = BY_RULES if after.is_terminal() else None
        since = None if ended else self._since(standing + 1, at)
        change = Change(self.id, self.version, ended, None, since, standing=standing, added=added)
        return change._replace(forgets=bool(self.undone))

    def lost_on_time(self) -> Change:
        """Return the end of a game in which whoever is to move has no time left."""
        return self._end(ON_TIME, self.state.current_player())

    def resigned(self, player: int) -> Change:
        """Return the end of a game that a player gives up; raises RefusedError."""
        if self.over:
            raise RefusedError(OVER)
        if self.opponent == HOTSEAT:
            raise RefusedError("at one screen the game just ends when you leave it")
        return self._end(RESIGNED, player)

    def seated(self, visitor: str) -> Change:
        """Return that a visitor takes the free seat; raises RefusedError."""
        if self.seats_of(visitor):
            raise RefusedError("you already sit at this table; send the link to a friend")
        if not self.open_seats():
            raise RefusedError("this seat is taken")
        return self._change()._replace(seat=(self.open_seats()[0], visitor))

    def asks(self, wish: Wish) -> Change:
        """Return that a player asks the other for something."""
        return self._change()._replace(asked=f"{wish.kind} {wish.player}")

    def answered(self, *, agrees: bool) -> Change:
        """Return what becomes of what was asked for."""
        wish = self.asked
        if wish is None or not agrees:
            return self._change()._replace(asked=None)
        return self.moved(wish)

    def moved(self, wish: Wish) -> Change:
        """Return the change by which moves are undone or made again; raises RefusedError."""
        standing, ended = len(self.plies), None
        if wish.kind == UNDO:
            standing -= self.undo_count(wish.player)
        else:
            again = self.redone(wish.player)
            standing += len(again.history()) - len(self.plies)
            ended = BY_RULES if again.is_terminal() else None
        since = None if ended else self._since(standing, clocks.now())
        return Change(self.id, self.version, ended, None, since, standing=standing)

    def undo_count(self, player: int) -> int:
        """Return how many moves have to be taken back for a player; raises RefusedError."""
        own = [at for at, ply in enumerate(self.plies) if ply.player == player]
        if not self.plies or (self.opponent != HOTSEAT and not own):
            raise RefusedError("there is no move of yours to take back")
        self._need_freedom()
        return 1 if self.opponent == HOTSEAT else len(self.plies) - own[-1]

    def redone(self, player: int) -> State:
        """Return what it is like when a player's undone moves are made again.

        At one screen that is one move, else all until the player's turn.  Raises RefusedError.
        """
        if not self.undone:
            raise RefusedError("there is no move to make again")
        self._need_freedom()
        state = self.state.clone()
        for kept in self.undone:
            state.play(kept.move)
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
