"""What each of those who look at a table may know: the only way from a position to a page."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from gridhouse.core.errors import PictureError
from gridhouse.web import clocks
from gridhouse.web.days import verdict
from gridhouse.web.table import FRIENDS, HOTSEAT, REDO, UNDO, RefusedError, Table, gesture

if TYPE_CHECKING:
    from typing import Any

    from gridhouse.core.game import State
    from gridhouse.core.picture import Canvas

FAILED = "The machine has failed and moved at random"
ASKED = {UNDO: "asks to take the last move back", REDO: "asks to make the move again"}


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


def sight_of(table: Table, visitor: str | None, eyes: int | None) -> Sight:
    """Return how a visitor looks at a table.

    ``eyes`` is which of two players at one screen has last said to be the only one to look.
    """
    seats = table.seats_of(visitor)
    if not seats:
        return WATCHING
    mover = table.mover
    if len(seats) == 1:
        return Sight(seats[0], seats[0], mover == seats[0])
    side = mover if mover is not None else table.plies[-1].player if table.plies else 0
    if not table.secret:
        return Sight(0, side, mover is not None)
    if eyes is None:
        return Sight(None, side, handing="covered")
    if eyes == mover:
        return Sight(eyes, eyes, acts=True)
    return Sight(eyes, eyes, handing="over")


class Look:
    """A table at one of its moves, for all who look at it; what several see is made once."""

    def __init__(self, table: Table, ply: int | None = None) -> None:
        """Look at a table as it is now, or as it was after so many moves."""
        self.table = table
        self.ply = ply
        self.texts: dict[tuple[Sight, bool], str] = {}  # what was sent to whom
        self.state = table.state if ply is None else table.past(ply)
        self._pictures: dict[tuple[int | None, int], str] = {}
        self._gestures: list[tuple[str, list[int], str]] | None = None

    def seen(self, sight: Sight) -> Any:
        """Return the position without what is hidden from somebody."""
        if not self.table.secret:
            return self.state.position
        if sight.viewer is None:
            return self.state.public_observation()
        return self.state.observation(sight.viewer)

    def text(self, sight: Sight) -> str:
        """Return the position as text, without what is hidden from somebody."""
        game = self.state.game
        return f"{game} {game.write(self.seen(sight))}"

    def picture(self, sight: Sight) -> str:
        """Return the board as somebody sees it, for a page, or "" if the game has no pictures."""
        # What looks the same is drawn once.
        viewer = sight.viewer if self.table.secret else None
        shown = viewer, sight.side if self.table.has_sides else 0
        if shown not in self._pictures:
            try:
                self._pictures[shown] = self._draw(sight).inline()
            except PictureError:
                self._pictures[shown] = ""
        return self._pictures[shown]

    def saved_picture(self, sight: Sight) -> str:
        """Return the board as somebody sees it, as a file; raises PictureError."""
        return self._draw(sight).svg()

    def _draw(self, sight: Sight) -> Canvas:
        if not self.table.secret:
            return self.state.open_picture(sight.side)
        if sight.viewer is None:
            return self.state.public_picture(sight.side)
        return self.state.picture(sight.viewer, sight.side)

    def moves(self, sight: Sight) -> list[tuple[str, str]]:
        """Return who made which move, as far as it was told."""
        names = self.state.game.players
        return [(names[ply.player], told(self.table, ply, sight)) for ply in self.table.plies]

    def last(self, sight: Sight) -> list[int]:
        """Return the cells of the last move, if it was told in full."""
        made = self.table.plies[: self.ply]
        is_known = made and told(self.table, made[-1], sight) == made[-1].move
        return made[-1].cells if is_known else []

    def gestures(self) -> list[tuple[str, list[int], str]]:
        """Return every legal move: its text, the cells that name it, the choice that is left."""
        if self._gestures is None:
            state = self.state
            actions = state.legal_actions()
            self._gestures = [
                (state.action_to_string(action), *gesture(state, action)) for action in actions
            ]
        return self._gestures


def told(table: Table, ply: Any, sight: Sight) -> str:
    """Return a move as somebody may know it."""
    is_open = not table.secret or ply.player == sight.viewer
    return str(ply.move if is_open else ply.told)


def why_not(state: State, cells: list[int]) -> str:
    """Return why nothing can be done with cells that were pointed at, one after the other.

    Of all that might be meant there, what most of it suffers from is said.
    """
    found: Counter[str] = Counter()
    for action in range(state.game.num_actions):
        named, _ = gesture(state, action)
        if named[: len(cells)] == cells and (refusal := state.refusal(action)):
            found[state.why_not(refusal)] += 1
    most = max(found.values(), default=0)
    return "; ".join(why for why in found if found[why] == most) or "no move leads there"


def view(look: Look, sight: Sight, *, sits: bool) -> dict[str, object]:
    """Return all that a page shows of a table, as JSON takes it; ``sits`` is whether to play."""
    table, state = look.table, look.state
    picture = look.picture(sight)
    acts = sight.acts and look.ply is None
    seen = look.seen(sight)
    return {
        "type": "view",
        "ply": len(table.plies),
        "looking": look.ply,
        "board": picture or "\n".join(state.game.board(seen)),
        "drawn": bool(picture),
        "heading": heading(table, sight, sits=sits) if look.ply is None else look_back(look),
        "status": state.game.status(seen),
        "side": sight.side,
        "turns": table.has_sides,
        "moves": look.moves(sight),
        "last": look.last(sight),
        "gestures": look.gestures() if acts else [],
        "acts": acts,
        "over": table.over,
        "handing": handing(table, sight),
        "undo": sits and may(table, sight, UNDO),
        "redo": sits and may(table, sight, REDO),
        "resign": sits and not table.over and table.opponent != HOTSEAT,
        "helps": sits and helps(table, sight),
        "unaided": not is_aided(table),
        "asked": asked(table, sight) if sits else "",
        "waits": waits(table, sight) if sits else "",
        "position": "" if table.secret else str(state),
        "clocks": times(table),
    }


def look_back(look: Look) -> str:
    """Return which of the moves was the last one of those that are shown."""
    return f"After {look.ply} of {len(look.table.plies)} moves"


def heading(table: Table, sight: Sight, *, sits: bool) -> str:
    """Return in words how the game stands."""
    mover, game = table.mover, table.state.game
    if mover is None:
        if table.daily is None:
            return table.outcome()
        return f"{table.outcome()}. {verdict(game, game.result(table.state), table.best)}"
    return f"{FAILED}. " * table.machine_failed + turn(table, sight, mover, sits=sits)


def turn(table: Table, sight: Sight, mover: int, *, sits: bool) -> str:
    """Return in words who is to move."""
    game = table.state.game
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
    if not sight.handing or table.mover is None:
        return None
    name = table.state.game.players[table.mover]
    if sight.handing == "over":
        return {"does": "cover", "says": "Your turn is over.", "button": f"Hand over to {name}"}
    return {
        "does": "uncover",
        "says": f"{name}, it is your turn.",
        "button": f"Only {name} looks at the screen",
    }


def may(table: Table, sight: Sight, kind: str) -> bool:
    """Tell whether whoever looks may undo a move or make it again, or ask for it."""
    player = sight.viewer or 0
    try:
        table.undo_count(player) if kind == UNDO else table.redone(player)
    except RefusedError:
        return False
    return True


def helps(table: Table, sight: Sight) -> bool:
    """Tell whether the machine helps: whoever is to move, and all players after the game."""
    return table.over or (sight.acts and is_aided(table))


def is_aided(table: Table) -> bool:
    """Tell whether the machine helps at this table at all before the game is over."""
    return table.over or (table.opponent != FRIENDS and table.daily is None)


def asked(table: Table, sight: Sight) -> str:
    """Return what the other player asks for."""
    wish = table.asked
    if wish is None or wish.player == sight.viewer:
        return ""
    return f"{table.state.game.players[wish.player]} {ASKED[wish.kind]}."


def waits(table: Table, sight: Sight) -> str:
    """Return whose answer to what they asked for somebody waits for."""
    wish = table.asked
    if wish is None or wish.player != sight.viewer:
        return ""
    return f"{table.state.game.players[1 - wish.player]} is asked to agree."


def times(table: Table) -> list[dict[str, object] | None] | None:
    """Return for each player the name, the milliseconds left, and whether they run just now."""
    if table.clock is None:
        return None
    at = clocks.now()
    return [
        {
            "name": name,
            "left": table.time_left(player, at),
            "runs": table.ticks() and player == table.mover,
        }
        if player != table.machine
        else None
        for player, name in enumerate(table.state.game.players)
    ]
