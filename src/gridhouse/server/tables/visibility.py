"""Visibility of a table's information: every page is made from a position here."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from gridhouse.core.errors import PictureError
from gridhouse.players.levels import LEVELS, level_in_words
from gridhouse.server import clock
from gridhouse.server.daily.service import verdict
from gridhouse.server.tables.commands import OVER, REDO, UNDO, RefusedError
from gridhouse.server.tables.table import (
    ANALYSIS,
    FRIENDS,
    HOTSEAT,
    ONE_SCREEN,
    Table,
    gesture,
)

if TYPE_CHECKING:
    from typing import Any

    from gridhouse.core.game import State
    from gridhouse.core.picture import Canvas
    from gridhouse.server.tables.messages import Clock, Gesture, Handover, View

FAILED = "The machine failed and made a random move"
ASKED = {UNDO: "asks to take back the last move", REDO: "asks to redo the move"}


class Viewpoint(NamedTuple):
    """A viewer's perspective.

    ``viewer`` is the player whose hidden information is visible, None for public information only.
    ``side`` is the side from which the board is drawn; ``acts`` says whether the viewer may move.
    ``covered`` says whether a screen for two waits until the player to move uncovers it.
    """

    viewer: int | None
    side: int = 0
    acts: bool = False
    covered: bool = False

    @property
    def player(self) -> int:
        """The player of the viewer's commands; two at one screen share player 0."""
        return self.viewer or 0


WATCHING = Viewpoint(None)


def viewpoint_of(table: Table, visitor: str | None, revealed_player: int | None) -> Viewpoint:
    """Return a visitor's viewpoint.

    ``revealed_player`` is the player who has uncovered a screen for two.
    """
    seats = table.seats_of(visitor)
    if not seats:
        return WATCHING
    mover = table.mover
    if len(seats) == 1:
        return Viewpoint(seats[0], seats[0], mover == seats[0])
    side = mover if mover is not None else table.plies[-1].player if table.plies else 0
    if not table.secret:
        # For one person who moves for both sides the board stays as it is.
        return Viewpoint(0, 0 if table.opponent == ANALYSIS else side, mover is not None)
    if revealed_player is None:
        return Viewpoint(None, side, covered=True)
    return Viewpoint(revealed_player, revealed_player, revealed_player == mover)


class Snapshot:
    """A table after one of its moves; pictures and texts are cached for all viewers."""

    def __init__(self, table: Table, ply: int | None = None) -> None:
        """Take the current position of a table, or the position after ``ply`` moves."""
        self.table = table
        self.ply = ply
        self.texts: dict[tuple[Viewpoint, bool], str] = {}  # rendered views
        self.state = table.state if ply is None else table.past(ply)
        self._pictures: dict[tuple[int | None, int], str] = {}
        self._gestures: list[Gesture] | None = None

    def observation(self, viewpoint: Viewpoint) -> Any:
        """Return the observation of a viewer."""
        if not self.table.secret:
            return self.state.position
        if viewpoint.viewer is None:
            return self.state.public_observation()
        return self.state.observation(viewpoint.viewer)

    def text(self, viewpoint: Viewpoint) -> str:
        """Return the observation of a viewer as text."""
        game = self.state.game
        return f"{game} {game.write(self.observation(viewpoint))}"

    def picture(self, viewpoint: Viewpoint) -> str:
        """Return the picture of a viewer's observation, "" for a game without pictures."""
        # Equal pictures share one entry.
        viewer = viewpoint.viewer if self.table.secret else None
        shown = viewer, viewpoint.side if self.table.has_sides else 0
        if shown not in self._pictures:
            try:
                self._pictures[shown] = self._draw(viewpoint).inline()
            except PictureError:
                self._pictures[shown] = ""
        return self._pictures[shown]

    def saved_picture(self, viewpoint: Viewpoint) -> str:
        """Return the picture of a viewer's observation as a file; raises PictureError."""
        return self._draw(viewpoint).svg()

    def _draw(self, viewpoint: Viewpoint) -> Canvas:
        if not self.table.secret:
            return self.state.open_picture(viewpoint.side)
        if viewpoint.viewer is None:
            return self.state.public_picture(viewpoint.side)
        return self.state.picture(viewpoint.viewer, viewpoint.side)

    def moves(self, viewpoint: Viewpoint) -> list[tuple[str, str]]:
        """Return players and moves, with the moves' visible texts."""
        names = self.state.game.players
        return [
            (names[ply.player], visible_move(self.table, ply, viewpoint))
            for ply in self.table.plies
        ]

    def last(self, viewpoint: Viewpoint) -> list[int]:
        """Return the cells of the last move, [] if it is not completely visible."""
        made = self.table.plies[: self.ply]
        is_known = made and visible_move(self.table, made[-1], viewpoint) == made[-1].move
        return list(made[-1].cells) if is_known else []

    def gestures(self) -> list[Gesture]:
        """Return every legal move: its text, its cells, and its choice."""
        if self._gestures is None:
            state = self.state
            actions = state.legal_actions()
            self._gestures = [
                (state.action_to_string(action), *gesture(state, action)) for action in actions
            ]
        return self._gestures


def visible_move(table: Table, ply: Any, viewpoint: Viewpoint) -> str:
    """Return the text of a move that a viewer may see."""
    is_open = not table.secret or ply.player == viewpoint.viewer
    return str(ply.move if is_open else ply.public_text)


def no_move_reason(table: Table, viewpoint: Viewpoint) -> str:
    """Return the reason why a player cannot move now."""
    if table.over:
        return OVER
    return "the screen has to be handed over first" if viewpoint.covered else "it is not your turn"


def require_turn(table: Table, viewpoint: Viewpoint) -> None:
    """Raise RefusedError for a viewer who cannot move now."""
    if not viewpoint.acts:
        raise RefusedError(no_move_reason(table, viewpoint))


def no_move_reason_for(state: State, cells: list[int]) -> str:
    """Return the reason why no legal move begins with these cells.

    It is the most common refusal among the actions that begin with them.
    """
    found: Counter[str] = Counter()
    for action in range(state.game.num_actions):
        named, _ = gesture(state, action)
        if named[: len(cells)] == cells and (refusal := state.refusal(action)):
            found[state.why_not(refusal)] += 1
    most = max(found.values(), default=0)
    return (
        "; ".join(why for why in found if found[why] == most) or "no move begins with these cells"
    )


def view(snapshot: Snapshot, viewpoint: Viewpoint, *, sits: bool) -> View:
    """Return the view of a table; ``sits`` says whether its visitor plays."""
    table, state = snapshot.table, snapshot.state
    picture = snapshot.picture(viewpoint)
    acts = viewpoint.acts and snapshot.ply is None
    seen = snapshot.observation(viewpoint)
    return {
        "type": "view",
        "ply": len(table.plies),
        "looking": snapshot.ply,
        "board": picture or "\n".join(state.game.board(seen)),
        "drawn": bool(picture),
        "heading": heading(table, viewpoint, sits=sits)
        if snapshot.ply is None
        else past_heading(snapshot),
        "status": state.game.status(seen),
        "side": viewpoint.side,
        "turns": table.has_sides,
        "moves": snapshot.moves(viewpoint),
        "last": snapshot.last(viewpoint),
        "gestures": snapshot.gestures() if acts else [],
        "acts": acts,
        "over": table.over,
        "handing": handover(table, viewpoint),
        "undo": sits and may_take_back(table, viewpoint, UNDO),
        "redo": sits and may_take_back(table, viewpoint, REDO),
        "resign": sits and not table.over and table.opponent not in ONE_SCREEN,
        "helps": sits and offers_help(table, viewpoint),
        "unaided": not allows_help(table),
        "asked": takeback_request(table, viewpoint) if sits else "",
        "waits": pending_request(table, viewpoint) if sits else "",
        "position": "" if table.secret else str(state),
        "clocks": clock_states(table),
    }


def past_heading(snapshot: Snapshot) -> str:
    """Return the heading of an earlier position."""
    return f"After {snapshot.ply} of {len(snapshot.table.plies)} moves"


def heading(table: Table, viewpoint: Viewpoint, *, sits: bool) -> str:
    """Return the heading of the current position: the result or the turn."""
    mover, game = table.mover, table.state.game
    if mover is None:
        if table.daily is None:
            return table.outcome()
        return f"{table.outcome()}. {verdict(game, game.result(table.state), table.best)}"
    return f"{FAILED}. " * table.machine_failed + turn_text(table, viewpoint, mover, sits=sits)


def turn_text(table: Table, viewpoint: Viewpoint, mover: int, *, sits: bool) -> str:
    """Return the player to move, in words."""
    game = table.state.game
    name = game.players[mover]
    if game.num_players == 1:
        return "Your turn" if sits else f"{name} to move"
    if mover == table.machine:
        return f"{name}, the machine, is thinking"
    if mover in table.open_seats():
        return f"{name} to move; the seat is still free"
    is_yours = viewpoint.acts and table.opponent not in ONE_SCREEN
    return f"Your turn, {name}" if is_yours else f"{name} to move"


def caption(table: Table, visitor: str | None) -> str:
    """Return the game, its board, and who plays, in words for a visitor."""
    game, seats = table.state.game, table.seats_of(visitor)
    size = f"{game.rows} by {game.cols}"
    preset = game.presets[game.preset].title if game.preset else "own board"
    return f"{game.title}: {preset}, {size}" + "".join(
        f" · {text}" for text in who_plays(table, seats) if text
    )


def who_plays(table: Table, seats: list[int]) -> list[str]:
    """Return the visitor's seat and the opponent, in words."""
    names = table.state.game.players
    if len(names) == 1:
        return []
    if table.opponent == ANALYSIS:
        return ["analysis board"]
    if table.opponent == HOTSEAT:
        return ["two players at one screen"]
    yours = f"you are {names[seats[0]]}" if seats else ""
    if table.machine is None:
        return [yours, "against a friend"]
    level = level_in_words(table.level or LEVELS[0])
    return [yours, f"{names[table.machine]} is the machine ({level})"]


def handover(table: Table, viewpoint: Viewpoint) -> Handover | None:
    """Return the text and the button of the privacy screen, None if it is not shown."""
    if not viewpoint.covered or table.mover is None:
        return None
    name = table.state.game.players[table.mover]
    return {
        "does": "uncover",
        "says": f"{name}, it is your turn.",
        "button": f"Only {name} looks at the screen",
    }


def may_take_back(table: Table, viewpoint: Viewpoint, kind: str) -> bool:
    """Tell whether a viewer may undo or redo moves, or request it."""
    player = viewpoint.player
    try:
        table.undo_count(player) if kind == UNDO else table.state_after_redo(player)
    except RefusedError:
        return False
    return True


def offers_help(table: Table, viewpoint: Viewpoint) -> bool:
    """Tell whether the machine helps a player: on their turn, and after the game."""
    return table.over or (viewpoint.acts and allows_help(table))


def allows_help(table: Table) -> bool:
    """Tell whether help is allowed at this table."""
    return table.over or (table.opponent != FRIENDS and table.daily is None)


def takeback_request(table: Table, viewpoint: Viewpoint) -> str:
    """Return the opponent's takeback request in words, "" without one."""
    takeback = table.asked
    if takeback is None or takeback.player == viewpoint.viewer:
        return ""
    return f"{table.state.game.players[takeback.player]} {ASKED[takeback.kind]}."


def pending_request(table: Table, viewpoint: Viewpoint) -> str:
    """Return the state of the viewer's own takeback request in words, "" without one."""
    takeback = table.asked
    if takeback is None or takeback.player != viewpoint.viewer:
        return ""
    return f"{table.state.game.players[1 - takeback.player]} has not answered yet."


def clock_states(table: Table) -> list[Clock | None] | None:
    """Return the clock of each player, None for the machine's, or None without clocks."""
    if table.clock is None:
        return None
    at = clock.now()
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
