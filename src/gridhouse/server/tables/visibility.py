"""Visibility of a table's information: every page is made from a position here."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

from gridhouse.core.errors import PictureError
from gridhouse.players.levels import LEVELS, level_in_words
from gridhouse.server import clock
from gridhouse.server.daily.results import best_text, verdict
from gridhouse.server.tables.commands import OVER, REDO, UNDO, RefusedError
from gridhouse.server.tables.company import player_names
from gridhouse.server.tables.splices import splices
from gridhouse.server.tables.table import (
    ANALYSIS,
    FRIENDS,
    FULL,
    HOTSEAT,
    NEARLY_FULL,
    ONE_SCREEN,
    Table,
    gesture,
    landing,
    obstacles,
)

if TYPE_CHECKING:
    from typing import Any

    from gridhouse.core.game import Game, State
    from gridhouse.core.game import Token as Count
    from gridhouse.core.picture import Canvas
    from gridhouse.server.storage.records import Ply
    from gridhouse.server.tables.messages import (
        Clock,
        Gesture,
        Handover,
        Rematch,
        Result,
        Token,
        View,
    )

NO_HELP_TODAY = "there is no help in a daily puzzle on its day"
NO_HELP_IN_PUZZLE = "there is no help in a daily puzzle"
NO_HELP_FOR_COPIES = (
    "there is no help from a given position of this game, because it may be the puzzle of the day"
)
NO_HELP_FOR_FRIENDS = "there is no help in a game between friends"
FAILED = "The machine failed and made a random move"
STUCK = "cannot move now; load this page again to let it try once more"
YOU: dict[float, Literal["won", "lost", "draw"]] = {1: "won", -1: "lost", 0: "draw"}
ASKED = {UNDO: "asks to take back the last move", REDO: "asks to redo the move"}


class Viewpoint(NamedTuple):
    """A viewer's perspective.

    ``viewer`` is the player whose hidden information is visible, None for public information only.
    ``side`` is the side from which the board is drawn, ``camera`` the number of the picture's
    viewpoint as counted from there; ``acts`` says whether the viewer may move.
    ``covered`` says whether a screen for two waits until the player to move uncovers it.
    """

    viewer: int | None
    side: int = 0
    acts: bool = False
    covered: bool = False
    camera: int = 0

    @property
    def player(self) -> int:
        """The player of the viewer's commands; two at one screen share player 0."""
        return self.viewer or 0


def viewpoint_of(
    table: Table, visitor: str | None, revealed_player: int | None, camera: int | None = None
) -> Viewpoint:
    """Return a visitor's viewpoint, with the usual camera unless one is given.

    ``revealed_player`` is the player who has uncovered a screen for two.
    """
    camera = table.default_camera if camera is None else camera
    seats = table.seats_of(visitor)
    if not seats:
        return Viewpoint(None, camera=camera)
    mover = table.mover
    if len(seats) == 1:
        return Viewpoint(seats[0], seats[0], mover == seats[0], camera=camera)
    side = mover if mover is not None else table.plies[-1].player if table.plies else 0
    if not table.secret:
        # For one person who moves for both sides the board stays as it is.
        side = 0 if table.opponent == ANALYSIS else side
        return Viewpoint(0, side, mover is not None, camera=camera)
    if revealed_player is None:
        return Viewpoint(None, side, covered=True, camera=camera)
    acts = revealed_player == mover
    return Viewpoint(revealed_player, revealed_player, acts, camera=camera)


class Board(NamedTuple):
    """The parts of a picture, or the lines of a text in a game without pictures."""

    parts: tuple[str, ...]
    drawn: bool


class Known(NamedTuple):
    """What a page has already: a number of moves, and the parts of the board that it shows."""

    moves: int = 0
    board: tuple[str, ...] = ()


NOTHING = Known()


class Snapshot:
    """A table after one of its moves; its pictures are cached for all viewers.

    The table is one that changes no more, so all but making a snapshot may be done in any thread.
    """

    def __init__(self, table: Table, ply: int | None = None) -> None:
        """Take the current position of a frozen table, or the position after ``ply`` moves."""
        self.table = table
        self.ply = ply
        self._boards: dict[tuple[int | None, int, int], Board] = {}
        self._observations: dict[int | None, Any] = {}
        self._gestures: list[Gesture] | None = None
        self._landings: dict[str, list[int]] | None = None

    @cached_property
    def state(self) -> State:
        """The position."""
        return self.table.state if self.ply is None else self.table.past(self.ply)

    @cached_property
    def actions(self) -> list[int]:
        """The legal actions."""
        return self.state.legal_actions()

    @cached_property
    def _beginnings(self) -> dict[int, list[int]]:
        return beginnings(self.state)

    def no_move_reason_for(self, cells: list[int]) -> tuple[str, list[int]]:
        """Return why no legal move begins with these cells, and what stands in the way."""
        return no_move_reason_for(self.state, cells, self._beginnings)

    @cached_property
    def losses(self) -> list[Count]:
        """What each side has lost."""
        return self.state.game.losses(self.state.position)

    def observation(self, viewpoint: Viewpoint) -> Any:
        """Return the observation of a viewer, which is not to be changed."""
        if not self.table.secret:
            return self.state.position
        viewer = viewpoint.viewer
        if viewer not in self._observations:
            state = self.state
            seen = state.public_observation() if viewer is None else state.observation(viewer)
            self._observations[viewer] = seen
        return self._observations[viewer]

    def text(self, viewpoint: Viewpoint) -> str:
        """Return the observation of a viewer as text."""
        game = self.state.game
        return f"{game} {game.write(self.observation(viewpoint))}"

    def picture(self, viewpoint: Viewpoint) -> str:
        """Return the picture of a viewer's observation, "" for a game without pictures."""
        board = self.board(viewpoint)
        return "\n".join(board.parts) if board.drawn else ""

    def board(self, viewpoint: Viewpoint) -> Board:
        """Return what a page shows of a viewer's observation."""
        viewer = viewpoint.viewer if self.table.secret else None  # else everybody sees the same
        shown = viewer, viewpoint.side, viewpoint.camera
        if shown not in self._boards:
            try:
                self._boards[shown] = Board(self._draw(viewpoint).parts(), drawn=True)
            except PictureError:
                lines = self.state.game.board(self.observation(viewpoint))
                self._boards[shown] = Board(tuple(lines), drawn=False)
        return self._boards[shown]

    def saved_picture(self, viewpoint: Viewpoint) -> str:
        """Return the picture of a viewer's observation as a file; raises PictureError."""
        return self._draw(viewpoint).svg()

    def _draw(self, viewpoint: Viewpoint) -> Canvas:
        if not self.table.secret:
            return self.state.open_picture(viewpoint.side, viewpoint.camera)
        if viewpoint.viewer is None:
            return self.state.public_picture(viewpoint.side, viewpoint.camera)
        return self.state.picture(viewpoint.viewer, viewpoint.side, viewpoint.camera)

    def moves(self, viewpoint: Viewpoint, since: int = 0) -> list[tuple[str, str]]:
        """Return players and moves after the first ``since``, with the moves' visible texts."""
        names = self.table.state.game.players
        return [
            (names[ply.player], visible_move(self.table, ply, viewpoint))
            for ply in self.table.plies[since:]
        ]

    def status(self, viewpoint: Viewpoint) -> str:
        """Return the line beside the board, and the losses of each side in words."""
        state = self.state
        if state.game.num_players == 1 and state.is_terminal():
            return ""  # the result says it
        parts = [state.game.status(self.observation(viewpoint))]
        for side, name in enumerate(state.game.players):
            lost = [token for token in self.losses if token.side == side]
            if lost:
                parts.append(f"{name}: {', '.join(f'{each.count} {each.label}' for each in lost)}")
        return " - ".join(filter(None, parts))

    def comment(self, viewpoint: Viewpoint) -> str:
        """Return what the last move did besides moving; of the very last one the result says it."""
        made = self._last_made()
        if made is None or (self.table.over and self.ply is None):
            return ""
        viewer = None if self.table.opponent == HOTSEAT else viewpoint.viewer
        return made.comments[0 if viewer is None else 1 + viewer]

    def _last_made(self) -> Ply | None:
        """Return the last move before the position, None at the start."""
        count = len(self.table.plies) if self.ply is None else self.ply
        return self.table.plies[count - 1] if count else None

    def last(self, viewpoint: Viewpoint) -> list[int]:
        """Return the cells of the last move, [] if it is not completely visible."""
        made = self._last_made()
        is_known = made and visible_move(self.table, made, viewpoint) == made.move
        return list(made.cells) if made and is_known else []

    def gestures(self) -> list[Gesture]:
        """Return every legal move: its text, its cells, and its choice."""
        if self._gestures is None:
            state = self.state
            self._gestures = [
                (state.action_to_string(action), *gesture(state, action)) for action in self.actions
            ]
        return self._gestures

    def landings(self) -> dict[str, list[int]]:
        """Return the cells that light up for a move, if they are not the last of its gesture."""
        if self._landings is None:
            found = zip(self.gestures(), self.actions, strict=True)
            self._landings = {
                text: cells
                for (text, named, _), action in found
                if (cells := landing(self.state, action)) and cells != named[-1:]
            }
        return self._landings


def known_moves(before: list[Ply], now: list[Ply]) -> int:
    """Return how many moves two lists of a table have in common.

    A move is made once, so where both lists have the same one, all before it are the same.
    """
    count = min(len(before), len(now))
    while count and before[count - 1] is not now[count - 1]:
        count -= 1
    return count


def visible_move(table: Table, ply: Ply, viewpoint: Viewpoint) -> str:
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


def beginnings(state: State) -> dict[int, list[int]]:
    """Return all actions, legal or not, by the first cell of their gesture."""
    found: dict[int, list[int]] = {}
    for action in range(state.game.num_actions):
        for cell in gesture(state, action)[0][:1]:
            found.setdefault(cell, []).append(action)
    return found


def no_move_reason_for(
    state: State, cells: list[int], actions_from: dict[int, list[int]]
) -> tuple[str, list[int]]:
    """Return the reason why no legal move begins with these cells, and what stands in the way.

    ``actions_from`` are the position's ``beginnings``.
    It is the most common refusal among the actions that begin with them.  That a move would leave
    the board tells least: at an edge some always do.
    """
    if not cells:
        return state.game.no_move, []
    found: dict[str, list[int]] = {}  # the refused actions by reasons
    for action in actions_from.get(cells[0], ()):
        named, _ = gesture(state, action)
        if named[: len(cells)] == cells and (refusal := state.refusal(action)):
            found.setdefault(state.why_not(refusal), []).append(action)
    if len(found) > 1:
        found.pop(state.game.leaves_board, None)
    most = max(map(len, found.values()), default=0)
    reasons = [why for why, actions in found.items() if len(actions) == most]
    blocking = {cell for why in reasons for at in found[why] for cell in obstacles(state, at)}
    return "; ".join(reasons) or state.game.no_move, sorted(blocking)


def view(snapshot: Snapshot, viewpoint: Viewpoint, *, sits: bool, known: Known = NOTHING) -> View:
    """Return the view of a table, with what is not known already.

    ``sits`` says whether its visitor plays.
    """
    table, state = snapshot.table, snapshot.state
    board = snapshot.board(viewpoint)
    changes = splices(known.board, board.parts)
    acts = viewpoint.acts and snapshot.ply is None
    seen = snapshot.observation(viewpoint)
    since = known.moves
    return {
        "type": "view",
        "ply": len(table.plies),
        "looking": snapshot.ply,
        "board": "\n".join(board.parts) if changes is None else "",
        "changes": changes,
        "drawn": board.drawn,
        "heading": heading(table, viewpoint, sits=sits)
        if snapshot.ply is None
        else past_heading(snapshot),
        "status": snapshot.status(viewpoint),
        "tokens": tokens([*state.game.status_tokens(seen), *snapshot.losses]),
        "comment": snapshot.comment(viewpoint),
        "side": viewpoint.side,
        "camera": viewpoint.camera,
        "cameras": list(table.cameras),
        "since": since,
        "moves": snapshot.moves(viewpoint, since),
        "notes": [ply.comments[0] for ply in table.plies[since:]],
        "last": snapshot.last(viewpoint),
        "gestures": snapshot.gestures() if acts else [],
        "landings": snapshot.landings() if acts else {},
        "acts": acts,
        "over": table.over,
        "result": result_of(table, viewpoint, sits=sits),
        "rematch": rematch_of(table, viewpoint) if sits else None,
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
        "names": player_names(table),
        "present": list(table.company.present),
        "watchers": table.company.watchers,
    }


def tokens(counts: list[Count]) -> list[Token]:
    """Return counts for a page."""
    return [
        {"label": count.label, "count": count.count, "icon": count.icon, "side": count.side}
        for count in counts
    ]


def past_heading(snapshot: Snapshot) -> str:
    """Return the heading of an earlier position."""
    return f"After {snapshot.ply} of {len(snapshot.table.plies)} moves"


def heading(table: Table, viewpoint: Viewpoint, *, sits: bool) -> str:
    """Return the heading of the current position: the result or the turn."""
    mover, game = table.mover, table.state.game
    if mover is None:
        if table.daily is None or not sits:  # the best result is for those who have played
            return table.outcome()
        return f"{table.outcome()}. {verdict(game, game.result(table.state), table.best)}"
    if not table.room:
        return capital(FULL)
    turn = f"{FAILED}. " * table.machine_failed + turn_text(table, viewpoint, mover, sits=sits)
    if table.room > NEARLY_FULL:
        return turn
    return f"{turn}; this table takes {table.room} more move{'s' if table.room > 1 else ''}"


def result_of(table: Table, viewpoint: Viewpoint, *, sits: bool) -> Result | None:
    """Return the result of a finished game as a visitor sees it, None while it goes on."""
    if not table.over:
        return None
    game, reason = table.state.game, full_stop(table.reason())
    if game.num_players == 1:
        title = game.write_result(game.result(table.state))
        # The best result is for those who have played.
        best = full_stop(best_text(game, table.best)) if table.best and sits else ""
        return {"title": title, "reason": reason, "best": best, "you": ""}
    returns = table.returns()
    plays = sits and table.opponent not in ONE_SCREEN
    you = YOU[returns[viewpoint.player]] if plays else ""
    if not any(returns):
        title = "A draw"
    else:
        title = f"You {you}" if plays else f"{game.players[returns.index(1)]} won"
    return {"title": title, "reason": reason, "best": "", "you": you}


def full_stop(text: str) -> str:
    """Return words as a sentence, "" for none."""
    return f"{capital(text)}." if text else ""


def capital(text: str) -> str:
    """Return words with a capital letter at the beginning."""
    return f"{text[:1].upper()}{text[1:]}"


def rematch_of(table: Table, viewpoint: Viewpoint) -> Rematch | None:
    """Return the next game of two friends, None without one."""
    if table.rematch is None or table.opponent != FRIENDS:
        return None
    offered = table.rematch.player != viewpoint.viewer
    return {"address": f"/t/{table.rematch.table}", "offered": offered}


def turn_text(table: Table, viewpoint: Viewpoint, mover: int, *, sits: bool) -> str:
    """Return the player to move, in words."""
    game = table.state.game
    name = game.players[mover]
    if game.num_players == 1:
        return "Your turn" if sits else f"{name} to move"
    if mover == table.machine:
        does = STUCK if table.machine_stuck else "is thinking"
        return f"{name}, the machine, {does}"
    if mover in table.open_seats():
        return f"{name} to move; the seat is still free"
    is_yours = viewpoint.acts and table.opponent not in ONE_SCREEN
    if is_yours and table.open_seats():
        return "You may move; your friend is not here yet"
    return f"Your turn, {name}" if is_yours else f"{name} to move"


def caption(table: Table, visitor: str | None) -> str:
    """Return the game, its board, and who plays, in words for a visitor."""
    game, seats = table.state.game, table.seats_of(visitor)
    return f"{game.title}: {game.board_words}" + "".join(
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
        return [yours]
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
    return (table.over or viewpoint.acts) and allows_help(table)


def allows_help(table: Table) -> bool:
    """Tell whether help is allowed at this table."""
    return not help_refusal(table)


def help_refusal(table: Table) -> str:
    """Return the reason why there is no help at a table now, "" if there is."""
    reason = puzzle_refusal(
        table.state.game, table.daily, given=table.given, past=table.is_past_day
    )
    if reason or table.over:
        return reason
    if table.daily is not None:
        return NO_HELP_IN_PUZZLE
    return NO_HELP_FOR_FRIENDS if table.opponent == FRIENDS else ""


def puzzle_refusal(game: Game, daily: str | None, *, given: bool, past: bool) -> str:
    """Return the reason why there is no help with a puzzle of the day, not even after a game.

    Nobody gets help at the tables of a puzzle until its day is ``past``, nor from a position that
    somebody has ``given`` and that may be a copy.  "" at other tables.
    """
    if daily is not None:
        return "" if past else NO_HELP_TODAY
    return NO_HELP_FOR_COPIES if given and game.may_be_daily() else ""


def takeback_request(table: Table, viewpoint: Viewpoint) -> str:
    """Return the opponent's takeback request in words, "" without one."""
    takeback = table.asked
    if takeback is None or takeback.player == viewpoint.viewer:
        return ""
    what = ASKED[takeback.kind]
    if takeback.kind == UNDO and (count := table.undo_count(takeback.player)) > 1:
        what = f"asks to take back the last {count} moves"
    return f"{table.state.game.players[takeback.player]} {what}."


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
