"""The state of the window of Sinks, without drawing: clicks, keys, modes and messages.

The rules alone decide legality; a refused move shows the document's message.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from gridhouse.games.sinks import rules
from gridhouse.games.sinks.document import (
    MESSAGES,
    SinksError,
    error_text,
    parse_action,
    parse_field,
)
from gridhouse.games.sinks.game import SETUPS, SinksGame
from gridhouse.games.sinks.notation import PIECE_TYPES, SIDE_NAMES
from gridhouse.games.sinks.rules import BOMB, FREEZE, NOWHERE, NUM_VERBS, Refusal
from gridhouse.games.sinks.window import layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gridhouse.games.sinks.rules import Position

ENTER = ("\r", "\n")
BACKSPACE = ("\x08", "\x7f")
ESCAPE = "\x1b"
STEPS = {"i": (1, 0), "k": (-1, 0), "j": (0, -1), "l": (0, 1)}
ARROWS = {"up": "i", "down": "k", "left": "j", "right": "l"}
MODES = {"b": BOMB, "f": FREEZE}
TYPED_LENGTH = 12  # the number of the widest letters that fit
GIVEN = "given"  # the name of the start position on standard input
GAME_OVER = "The game is over: press n for a new one"
NOBODY_TO_FREEZE = "There is no enemy block to freeze"
TYPED_FORM = "A move is a row, a column and one of l r u d b f"


class Screen(Enum):
    """The pages of the window."""

    START = "start"
    PLAY = "play"
    HELP = "help"


class Target(NamedTuple):
    """A possible move of the selected object: its new fields, and whether a piece sinks."""

    verb: int
    cells: tuple[int, ...]
    sinks: bool


class Change(NamedTuple):
    """A move for the animation: the visible board before it, and the anchors of lost pieces."""

    seen: Position
    action: int
    lost: tuple[int, ...]
    sunk: bool  # whether the lost pieces sank; otherwise a bomb blew them up
    burst: bool  # whether a second bomb was laid on a first one


def covered_cells(position: Position, row: int, col: int, kind: int, lie: int) -> list[int]:
    """Return the cells of the board that an object would cover."""
    return [
        r * position.cols + c
        for r in range(row, row + rules.height(kind, lie))
        for c in range(col, col + rules.width(kind, lie))
        if 0 <= r < position.rows and 0 <= c < position.cols
    ]


def new_cells(position: Position, anchor: int, verb: int) -> tuple[int, ...]:
    """Return the cells that a piece or sink would newly cover after a move."""
    row, col, lie = rules.landing(position, anchor, verb)
    cells = covered_cells(position, row, col, position.kind[anchor], lie)
    return tuple(cell for cell in cells if rules.named(position, cell) != anchor)


def is_movable(kind: int) -> bool:
    """Tell whether a kind is a piece or a sink."""
    return kind not in (0, rules.BLOCK)


def legal_verbs(position: Position, anchor: int) -> list[int]:
    """Return the legal directions of the object at an anchor."""
    actions = [NUM_VERBS * anchor + verb for verb in range(BOMB)]
    return [action % NUM_VERBS for action in actions if not rules.refusal(position, action)]


def pieces_among(position: Position, cells: tuple[int, ...]) -> tuple[int, ...]:
    """Return the anchors of the pieces that cover any of the cells."""
    anchors = {rules.named(position, cell) for cell in cells}
    return tuple(sorted(anchor for anchor in anchors if rules.is_piece(position.kind[anchor])))


def lost_pieces(before: Position, after: Position, action: int) -> tuple[int, ...]:
    """Return the former anchors of the pieces that a move removed."""
    anchor, verb = divmod(action, NUM_VERBS)
    if verb >= BOMB:
        return ()
    kind = before.kind[anchor]
    if not rules.is_piece(kind):
        return pieces_among(before, new_cells(before, anchor, verb))
    row, col, _ = rules.landing(before, anchor, verb)
    return () if after.kind[row * before.cols + col] == kind else (anchor,)


def piece_name(kind: int) -> str:
    """Return the name of a piece in messages."""
    return f"{SIDE_NAMES[rules.owner(kind)]}'s {PIECE_TYPES[rules.worth(kind) - 1]}"


class Session:
    """A game in the window, including the choice of the start position."""

    def __init__(self, game: SinksGame, given: Position | None) -> None:
        """Start with the given position, or with the choice of one."""
        self.game = game
        self.starts = {name: start_position(game, name) for name in SETUPS}
        self.position = next(iter(self.starts.values()))
        self.begun = False
        self.closed = False
        self.screen = Screen.START
        self._clear()
        if given is not None:
            self.starts[GIVEN] = given
            self.begin(GIVEN)

    def _clear(self) -> None:
        self.selected = NOWHERE
        self.mode = NOWHERE
        self.typed = ""
        self.message = ""
        self.is_error = False
        self.cursor = NOWHERE
        self.bombs_shown = False
        self.is_alone = True  # whether only the player to move looks at the screen
        self.asks = False  # whether the window asks the player to move to be alone
        self.banner_dismissed = False
        self.marked: tuple[int, ...] = ()
        self.changes: list[Change] = []

    def begin(self, name: str) -> None:
        """Start a game from one of the start positions."""
        self.position = self.starts[name].copy()
        self.begun = True
        self.screen = Screen.PLAY
        self._clear()

    def place(self) -> layout.Place:
        """Return the place of the board."""
        return layout.main_place(self.game.rows, self.game.cols)

    def is_over(self) -> bool:
        """Tell whether the game is over."""
        return rules.is_terminal(self.position)

    def has_banner(self) -> bool:
        """Tell whether the outcome covers the board."""
        return self.is_over() and not self.banner_dismissed

    def seen(self) -> Position:
        """Return the visible position, with the bombs of the player to move if they are shown."""
        seen = self.position.copy()
        rules.redact(seen, seen.turn if self.bombs_shown else NOWHERE)
        return seen

    def legal_cells(self, verb: int) -> list[int]:
        """Return the cells at which a verb is legal."""
        out = [0] * self.game.num_actions
        count = rules.legal_actions(self.position, out)
        return [action // NUM_VERBS for action in out[:count] if action % NUM_VERBS == verb]

    def disabled_reason(self, key: str) -> str:
        """Return the reason why a key's button is disabled, "" if it is not.

        "Show bombs" stays enabled without bombs, because their number is hidden information.
        """
        if key not in (*MODES, "v"):
            return ""
        if self.is_over():
            return GAME_OVER
        if key == "v" or self.legal_cells(MODES[key]):
            return ""
        if key == "b":
            return MESSAGES[Refusal.BOMB_AFTER_MOVE]
        left = self.position.freezings[self.position.turn]
        return NOBODY_TO_FREEZE if left else MESSAGES[Refusal.NO_FREEZINGS]

    def targets(self) -> list[Target]:
        """Return the possible moves of the selected piece or sink."""
        if self.selected == NOWHERE:
            return []
        return [self._target(verb) for verb in legal_verbs(self.position, self.selected)]

    def _target(self, verb: int) -> Target:
        position, kind = self.position, self.position.kind[self.selected]
        cells = new_cells(position, self.selected, verb)
        if rules.is_piece(kind):
            row, col, lie = rules.landing(position, self.selected, verb)
            return Target(verb, cells, rules.inside_sink(position, row, col, kind, lie))
        return Target(verb, cells, bool(pieces_among(position, cells)))

    def take_changes(self) -> list[Change]:
        """Return the moves since the last call, and forget them."""
        changes, self.changes = self.changes, []
        return changes

    def click(self, x: float, y: float) -> None:
        """Handle a click at a point of the canvas."""
        if not layout.BUTTONS["v"].holds(x, y):
            self._withdraw_question()
        if self.screen is Screen.START:
            self._click_start(x, y)
        elif self.screen is Screen.HELP:
            self._close_help()
        else:
            self._click_play(x, y)

    def _click_start(self, x: float, y: float) -> None:
        for name, card in zip(self.starts, layout.start_cards(len(self.starts))):
            if card.holds(x, y):
                self.begin(name)
                return

    def _click_play(self, x: float, y: float) -> None:
        button = layout.button_at(x, y)
        if self.has_banner() and layout.AGAIN.holds(x, y):
            button = "n"
        self.cursor = NOWHERE
        self.typed = ""
        if button:
            self.press(button)
        elif self.has_banner():
            self.banner_dismissed = True
        else:
            self.choose(self.place().pick(self.position, x, y))

    def choose(self, cell: int) -> None:
        """Handle the choice of a field; NOWHERE is beside the board."""
        self._show_message("")
        if cell == NOWHERE:
            self.cancel()
        elif self.mode != NOWHERE:
            anchor = cell if self.mode == BOMB else rules.named(self.position, cell)
            self._attempt(cell, self.game.action(anchor, self.mode))
        elif self.selected == NOWHERE:
            self._select(cell)
        else:
            self._go(cell)

    def _select(self, cell: int) -> None:
        """Select the object on a cell if it can move, else show the reason why not."""
        anchor = rules.named(self.position, cell)
        if legal_verbs(self.position, anchor):
            self.selected = anchor
        elif is_movable(self.position.kind[anchor]):
            self._attempt(cell, self.game.action(anchor, rules.LEFT))

    def _go(self, cell: int) -> None:
        """Move the selected object to a cell, select another one, or show the refusal."""
        anchor = self.selected
        ways = [v for v in range(BOMB) if cell in new_cells(self.position, anchor, v)]
        legal = [verb for verb in ways if verb in legal_verbs(self.position, anchor)]
        other = rules.named(self.position, cell)
        if not legal and (other == anchor or legal_verbs(self.position, other) or not ways):
            self.selected = NOWHERE
            if other != anchor:
                self._select(cell)
        else:
            self._attempt(cell, self.game.action(anchor, ways[0]))

    def _attempt(self, cell: int, action: int) -> None:
        """Play an action chosen by a cell, or show its refusal."""
        refusal = rules.refusal(self.position, action)
        if self.is_over():
            self._show_error(GAME_OVER)
        elif refusal:
            self._show_error(error_text(self.position, cell, action, refusal))
        else:
            self._play(action)

    def _play(self, action: int) -> None:
        seen, before = self.seen(), self.position.copy()
        rules.apply_action(self.position, action)
        lost = lost_pieces(before, self.position, action)
        sunk = sum(self.position.sunk) > sum(before.sunk)
        cell, verb = divmod(action, NUM_VERBS)
        burst = verb == BOMB and before.bomb[cell] != 0
        self.changes.append(Change(seen, action, lost, sunk, burst))
        self.cancel()
        self._show_message(self._effect_text(before, action, lost, sunk))
        if verb < BOMB:
            own = covered_cells(
                before, *divmod(cell, before.cols), before.kind[cell], before.lie[cell]
            )
            self.marked = (*own, *new_cells(before, cell, verb))
        if verb == BOMB:
            self.bombs_shown = self.is_alone = True
        if before.turn != self.position.turn or self.is_over():
            self.bombs_shown = self.is_alone = False

    def _effect_text(self, before: Position, action: int, lost: tuple[int, ...], sunk: bool) -> str:
        """Return the message about the effects of an action."""
        cell, verb = divmod(action, NUM_VERBS)
        if lost:
            names = " and ".join(piece_name(before.kind[anchor]) for anchor in lost)
            return f"{names} sank" if sunk else f"{names} was blown up"
        if verb == FREEZE:
            return f"{piece_name(before.kind[cell])} is frozen"
        if verb == BOMB:
            return "Two bombs blew each other up" if before.bomb[cell] else "A bomb is laid"
        return ""

    def _show_message(self, text: str) -> None:
        self.message, self.is_error = text, False

    def _show_error(self, text: str) -> None:
        self.message, self.is_error = text, True

    def cancel(self) -> None:
        """Clear the selection, the mode and the typed line."""
        self.selected = NOWHERE
        self.mode = NOWHERE
        self.typed = ""
        self._show_message("")

    def press(self, key: str) -> None:
        """Handle a key; an arrow key is ``up``, ``down``, ``left`` or ``right``."""
        if key != "v":
            self._withdraw_question()
        if self.screen is Screen.START:
            self._press_start(key)
        elif self.screen is Screen.HELP:
            self._close_help()
        elif self.has_banner() and key not in layout.LABELS:
            self.banner_dismissed = True
        elif self.typed or key in tuple("0123456789+-"):
            self._type(key)
        else:
            self._command(key)

    def _press_start(self, key: str) -> None:
        names = list(self.starts)
        if key.isdecimal() and 0 < int(key) <= len(names):
            self.begin(names[int(key) - 1])
        elif key == ESCAPE and self.begun:
            self.screen = Screen.PLAY
        else:
            self._turn_page(key)

    def _close_help(self) -> None:
        self.screen = Screen.PLAY if self.begun else Screen.START

    def _type(self, key: str) -> None:
        """Edit the typed move, or play it."""
        if key in ENTER:
            self._send()
        elif key in BACKSPACE:
            self.typed = self.typed[:-1]
        elif key == ESCAPE:
            self.typed = ""
        elif " " <= key <= "~" and len(key) == 1 and len(self.typed) < TYPED_LENGTH:
            self.typed += key

    def _send(self) -> None:
        """Play the typed move."""
        words = self.typed.split()
        self.cancel()
        if self.is_over():
            self._show_error(GAME_OVER)
            return
        if len(words) != 3:
            self._show_error(TYPED_FORM)
            return
        try:
            cell = parse_field(self.position, words[0], words[1])
            action = parse_action(self.position, cell, words[2])
        except SinksError as error:
            self._show_error(str(error))
            return
        self._attempt(cell, action)

    def _command(self, key: str) -> None:
        """Handle a key outside the typed line."""
        key = ARROWS.get(key, key)
        if key in STEPS:
            self._step(*STEPS[key])
        elif key in MODES:
            self._set_mode(key)
        elif key == " " or key in ENTER:
            self._choose_cursor()
        elif key == ESCAPE:
            self.cancel()
        elif key == "v":
            self._toggle_bombs()
        else:
            self._turn_page(key)

    def _turn_page(self, key: str) -> None:
        """Switch to another page of the window, or close it."""
        if key == "n":
            self.cancel()
            self.screen = Screen.START
        elif key == "h":
            self.screen = Screen.HELP
        elif key == "q":
            self.closed = True

    def _set_mode(self, key: str) -> None:
        """Switch a key's mode on or off, or show the reason why it is disabled."""
        was, why_not = self.mode, self.disabled_reason(key)
        self.cancel()
        if why_not:
            self._show_error(why_not)
        elif was != MODES[key]:
            self.mode = MODES[key]

    def _toggle_bombs(self) -> None:
        """Hide the bombs of the player to move, or show them.

        After a change of turn the other player may still look at the screen, so ask first.
        """
        if self.is_over():
            self._show_error(GAME_OVER)
        elif self.bombs_shown:
            self.bombs_shown = False
        elif self.is_alone or self.asks:
            self._withdraw_question()
            self.bombs_shown = self.is_alone = True
        else:
            side = SIDE_NAMES[self.position.turn]
            self.asks = True
            self._show_message(f"{side}'s bombs: press v again when only {side} looks")

    def _withdraw_question(self) -> None:
        """Withdraw the question whether the player to move is alone."""
        if self.asks:
            self.asks = False
            self._show_message("")

    def _step(self, up: int, right: int) -> None:
        """Move the cursor by a field; the first step brings it to the middle of the board."""
        rows, cols = self.game.rows, self.game.cols
        if self.cursor == NOWHERE:
            self.cursor = rows // 2 * cols + cols // 2
            return
        row, col = divmod(self.cursor, cols)
        self.cursor = min(max(row + up, 0), rows - 1) * cols + min(max(col + right, 0), cols - 1)

    def _choose_cursor(self) -> None:
        if self.cursor == NOWHERE:
            self._step(0, 0)
        else:
            self.choose(self.cursor)


def start_position(game: SinksGame, name: str) -> Position:
    """Return a named start position on a board of the game's size."""
    start = SinksGame(rows=game.rows, cols=game.cols, setup=name, limit=game.limit)
    return start.initial_position(0)
