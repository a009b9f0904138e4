"""A table: its game, who sits at it, and what each of those who look at it may know.

This is all there is between a position and a browser, and it does no input or output of its own.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from gridhouse.core.errors import PictureError
from gridhouse.core.registry import parse
from gridhouse.web.days import verdict

if TYPE_CHECKING:
    from gridhouse.core.game import State
    from gridhouse.core.picture import Canvas
    from gridhouse.web.results import Best
    from gridhouse.web.store import Record

HOTSEAT = "hotseat"
MACHINE = "machine"
FRIENDS = "friends"
STANDS = "a move that may have told a secret stands"
ALONE = "the puzzle of a day is played without help"

Gesture = tuple[str, list[int], str]


class RefusedError(Exception):
    """Something that cannot be done at a table; the text says why."""


class Ply(NamedTuple):
    """A move that was made: by whom, in full, as everybody is told, and the cells that name it."""

    player: int
    move: str
    told: str
    cells: list[int]


class Sight(NamedTuple):
    """How somebody looks at a table: whose secrets they see, from which side, and what they do.

    ``handing`` is where a screen for two stands: "" where it shows what it may, "over" when the
    turn has passed to the other, "covered" until the player to move says that only they look.
    """

    viewer: int | None
    side: int = 0
    acts: bool = False
    handing: str = ""


WATCHING = Sight(None)


class Table:
    """One game that is played in the house."""

    def __init__(self, record: Record) -> None:
        """Set up a table as it was kept."""
        self.id = record.id
        self.opponent = record.opponent
        self.level = record.level
        self.machine = record.machine
        self.sitters = record.sitters
        self.start = record.start
        self.daily = record.daily
        self.best: Best | None = None  # that is known of the puzzle of this day
        self.state = parse(record.start)
        self.plies: list[Ply] = []
        self.asked: int | None = None
        # Whether any player has had a secret so far.  That the last one is gone, as a bomb under a
        # sink is, may be a secret too, so this never becomes false again.
        self.ever_secret = self.state.has_secrets()
        self._pictures: dict[tuple[int | None, int], str] = {}
        self.has_sides = self._looks_another_from(1)  # of the players, who sit across
        for move in record.moves:
            self.push(self.state.string_to_action(move))

    def push(self, action: int) -> Ply:
        """Play a legal action."""
        state = self.state
        player = state.current_player()
        told = state.game.public_move(state.position, action)
        ply = Ply(player, state.action_to_string(action), told, gesture(state, action)[0])
        state.apply_action(action)
        self.plies.append(ply)
        self.ever_secret = self.ever_secret or state.has_secrets()
        self._changed()
        return ply

    def pop(self, count: int) -> None:
        """Take so many moves back."""
        for _ in range(count):
            self.state.undo()
        del self.plies[-count:]
        self._changed()

    def _changed(self) -> None:
        self.asked = None
        self._pictures.clear()

    def undo_count(self, player: int) -> int:
        """Return how many moves have to be taken back for a player; raises RefusedError."""
        own = [at for at, ply in enumerate(self.plies) if ply.player == player]
        if not self.plies or (self.opponent != HOTSEAT and not own):
            raise RefusedError("there is no move of yours to take back")
        count = 1 if self.opponent == HOTSEAT else len(self.plies) - own[-1]
        if self.ever_secret:
            raise RefusedError(STANDS)
        return count

    def need_free_play(self) -> None:
        """Raise RefusedError where the house gives no help: at a daily puzzle until its end."""
        if self.daily is not None and not self.state.is_terminal():
            raise RefusedError(ALONE)

    def seats_of(self, visitor: str | None) -> list[int]:
        """Return the players that a visitor plays."""
        return [player for player, sitter in self.sitters.items() if sitter == visitor]

    def open_seats(self) -> list[int]:
        """Return the players whom nobody plays yet."""
        taken = {self.machine, *self.sitters}
        return [player for player in range(self.state.game.num_players) if player not in taken]

    def sight(self, visitor: str | None, eyes: int | None) -> Sight:
        """Return how a visitor looks at the table.

        ``eyes`` is which of two players at one screen has last said to be the only one to look.
        """
        seats = self.seats_of(visitor)
        if not seats:
            return WATCHING
        mover = self.state.current_player()
        if len(seats) == 1:
            return Sight(seats[0], seats[0], mover == seats[0])
        side = mover if mover >= 0 or not self.plies else self.plies[-1].player
        if not self.ever_secret:
            return Sight(0, max(0, side), mover >= 0)
        if eyes is None:
            return Sight(None, max(0, side), handing="covered" if mover >= 0 else "")
        if eyes == mover or mover < 0:
            return Sight(eyes, eyes, mover >= 0)
        return Sight(eyes, eyes, handing="over")

    def gestures(self) -> list[Gesture]:
        """Return every legal move: its text, the cells that name it, the choice that is left."""
        state = self.state
        actions = state.legal_actions()
        return [(state.action_to_string(action), *gesture(state, action)) for action in actions]

    def why_not(self, cells: list[int]) -> str:
        """Return why nothing can be done with cells that were pointed at, one after the other.

        Of all that might be meant there, what most of it suffers from is said.
        """
        state = self.state
        found: Counter[str] = Counter()
        for action in range(state.game.num_actions):
            named, _ = gesture(state, action)
            if named[: len(cells)] == cells and (refusal := state.refusal(action)):
                found[state.why_not(refusal)] += 1
        most = max(found.values(), default=0)
        return "; ".join(why for why in found if found[why] == most) or "no move leads there"

    def picture(self, sight: Sight) -> str:
        """Return the board as somebody sees it, for a page, or "" if the game has no pictures.

        It is drawn once for all who see the same.
        """
        seen = sight.viewer, sight.side
        if seen not in self._pictures:
            try:
                self._pictures[seen] = self._draw(sight).inline()
            except PictureError:
                self._pictures[seen] = ""
        return self._pictures[seen]

    def saved_picture(self, sight: Sight) -> str:
        """Return the board as somebody sees it, as a file; raises PictureError."""
        return self._draw(sight).svg()

    def _draw(self, sight: Sight) -> Canvas:
        if sight.viewer is None:
            return self.state.public_picture(sight.side)
        return self.state.picture(sight.viewer, sight.side)

    def _looks_another_from(self, side: int) -> bool:
        if self.state.game.num_players == 1:
            return False
        return self.picture(Sight(None, side)) != self.picture(WATCHING)

    def moves(self, sight: Sight) -> list[tuple[str, str]]:
        """Return who made which move, as far as it was told."""
        names = self.state.game.players
        return [
            (names[ply.player], ply.move if ply.player == sight.viewer else ply.told)
            for ply in self.plies
        ]

    def record(self) -> str:
        """Return start and moves as text; raises RefusedError where that would tell a secret."""
        self._need_openness()
        names = self.state.game.players
        lines = [f"{names[ply.player]}: {ply.move}" for ply in self.plies]
        end = [self.state.game.outcome(self.state.position)] if self.state.is_terminal() else []
        return "\n".join([self.start, *lines, *end]) + "\n"

    def position_text(self) -> str:
        """Return the position as text; raises RefusedError where that would tell a secret."""
        self._need_openness()
        return str(self.state)

    def _need_openness(self) -> None:
        if self.ever_secret:
            raise RefusedError("it would tell a secret")


def gesture(state: State, action: int) -> tuple[list[int], str]:
    """Return an action's gesture; in a game without pictures the move's text is the choice."""
    try:
        return state.gesture(action)
    except PictureError:
        return [], state.action_to_string(action)


def view(table: Table, sight: Sight, sits: bool) -> dict[str, object]:
    """Return all that a page shows of a table, as JSON takes it; ``sits`` is whether to play."""
    state, game = table.state, table.state.game
    seen = state.public_observation() if sight.viewer is None else state.observation(sight.viewer)
    picture = table.picture(sight)
    last = table.plies[-1] if table.plies else None
    own_last = last is not None and (last.player == sight.viewer or last.told == last.move)
    return {
        "type": "view",
        "ply": len(table.plies),
        "board": picture or "\n".join(game.board(seen)),
        "drawn": bool(picture),
        "heading": heading(table, sight, sits),
        "status": game.status(seen),
        "side": sight.side,
        "turns": table.has_sides,
        "moves": table.moves(sight),
        "last": last.cells if last and own_last else [],
        "gestures": table.gestures() if sight.acts else [],
        "acts": sight.acts,
        "over": state.is_terminal(),
        "handing": handing(table, sight),
        "undo": sits and may_undo(table, sight),
        "asked": asked(table, sight) if sits else "",
        "position": "" if table.ever_secret else table.position_text(),
    }


def heading(table: Table, sight: Sight, sits: bool) -> str:
    """Return in words how the game stands."""
    state, game = table.state, table.state.game
    if state.is_terminal():
        end = game.outcome(state.position)
        if table.daily is None:
            return end
        return f"{end}. {verdict(game, game.result(state), table.best)}"
    mover = state.current_player()
    name = game.players[mover]
    if game.num_players == 1:
        return "Your turn" if sits else f"{name} to move"
    if mover == table.machine:
        return f"{name}, the machine, is thinking"
    if mover in table.open_seats():
        return f"{name} to move; nobody sits there yet"
    return f"Your turn, {name}" if sight.acts and table.opponent != HOTSEAT else f"{name} to move"


def handing(table: Table, sight: Sight) -> dict[str, str] | None:
    """Return what stands on the curtain of a screen for two, and on its button."""
    if not sight.handing or table.state.is_terminal():
        return None
    name = table.state.game.players[table.state.current_player()]
    if sight.handing == "over":
        return {"does": "cover", "says": "Your turn is over.", "button": f"Hand over to {name}"}
    return {
        "does": "uncover",
        "says": f"{name}, it is your turn.",
        "button": f"Only {name} looks at the screen",
    }


def may_undo(table: Table, sight: Sight) -> bool:
    """Tell whether whoever looks may take a move back, or ask for it."""
    try:
        table.undo_count(sight.viewer or 0)
    except RefusedError:
        return False
    return True


def asked(table: Table, sight: Sight) -> str:
    """Return what the other player asks for."""
    if table.asked is None or table.asked == sight.viewer:
        return ""
    return f"{table.state.game.players[table.asked]} asks to take the last move back."
