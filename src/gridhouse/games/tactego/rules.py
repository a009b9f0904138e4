"""The rules of Tactego, a simplified Stratego from a course project (UMBC CMSC 201, 2023).

Red (player 0) and Blue (player 1) in turn move a piece one step in any of eight directions.
Entering an enemy's field is combat.  A player without flags, or who has to move and cannot, loses.
``limit`` moves in a row without a combat are a draw; the document has no limit, which is 0.

A cell holds 0, the kind of a Red piece, or minus the kind of a Blue one.  Numbered pieces have
kinds from ``ZERO`` on, in the order of their strength.  Action ``8 * cell + direction`` is a step.
"""

from __future__ import annotations

from enum import IntEnum

from gridhouse.core import chance, position

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAX_SIDE = 1000
NUM_PLANES = 19
MAX_LIMIT = 1_000_000

UNKNOWN = 1  # an enemy piece that has not fought, in an observation
FLAG = 2
MINE = 3
IMMOVABLE = (FLAG, MINE)  # the lowest kinds besides UNKNOWN
SAPPER = 4
ASSASSIN = 5
ZERO = 6  # the number 0, which a sapper equals
NUMBER = 7  # the lowest of the other numbers

# The public information about a piece in the hidden game.
MOVED = 1
SHOWN = 2

NUM_DIRECTIONS = 8
ROW_STEPS = (-1, -1, -1, 0, 0, 1, 1, 1)
COL_STEPS = (-1, 0, 1, -1, 1, -1, 0, 1)

ATTACKER_WINS = 1
BOTH_LOST = 0
DEFENDER_WINS = -1
NOBODY = -1

SOON = 32  # from this number of moves before a draw, keys depend on the number


class Refusal(IntEnum):
    """The reason why a move is not legal."""

    NONE = 0
    GAME_OVER = 1
    NOT_YOURS = 2
    IMMOVABLE = 3
    OFF_BOARD = 4
    OWN_PIECE = 5


class Position(position.Position):
    """The board, the player to move, both sides' remaining flags, and moves since a capture."""

    tactego = position.field("int8")
    rows = position.field("int16")
    cols = position.field("int16")
    hidden = position.field("int8")
    turn = position.field("int8")
    limit = position.field("int32")
    quiet = position.field("int32")
    flags_left = position.field("int32", 2)
    board = position.field("int16", "cells")
    known = position.field("int8", "cells")


def belongs_to(piece: int, player: int) -> bool:
    """Tell whether the content of a cell is a piece of the player."""
    return piece > 0 if player == 0 else piece < 0


def target(state: Position, action: int) -> int:
    """Return the target cell of an action, -1 if it is off the board."""
    cell = action // NUM_DIRECTIONS
    row = cell // state.cols
    col = cell - row * state.cols + COL_STEPS[action % NUM_DIRECTIONS]
    row += ROW_STEPS[action % NUM_DIRECTIONS]
    if row < 0 or col < 0 or row >= state.rows or col >= state.cols:
        return -1
    return row * state.cols + col


def start_refusal(state: Position, cell: int) -> int:
    """Return 0 if the player may move a piece from a cell, wherever to, else the reason."""
    piece = state.board[cell]
    if not belongs_to(piece, state.turn):
        return Refusal.NOT_YOURS
    if abs(piece) in IMMOVABLE:
        return Refusal.IMMOVABLE
    return Refusal.NONE


def step_refusal(state: Position, action: int) -> int:
    """Return 0 if a step is legal in a game that is not over, else the reason."""
    reason = start_refusal(state, action // NUM_DIRECTIONS)
    return reason if reason != Refusal.NONE else way_refusal(state, action)


def way_refusal(state: Position, action: int) -> int:
    """Return 0 if a movable piece can take a step, else the reason."""
    end = target(state, action)
    if end < 0:
        return Refusal.OFF_BOARD
    if belongs_to(state.board[end], state.turn):
        return Refusal.OWN_PIECE
    return Refusal.NONE


def flag_winner(state: Position) -> int:
    """Return the player whose enemy has no flag left, or NOBODY."""
    for player in range(2):
        if state.flags_left[1 - player] == 0:
            return player
    return NOBODY


def is_drawn(state: Position) -> bool:
    """Tell whether the game is a draw if no side has won."""
    return 0 < state.limit <= state.quiet


def is_over(state: Position) -> bool:
    """Tell whether the game is over by flags or a draw; legal moves are not checked."""
    return is_drawn(state) or flag_winner(state) != NOBODY


def refusal(state: Position, action: int) -> int:
    """Return 0 if the action is legal, else the reason."""
    if is_over(state):
        return Refusal.GAME_OVER
    return step_refusal(state, action)


def can_leave(state: Position, cell: int) -> bool:
    """Tell whether the player to move has a piece on a cell that can move."""
    if start_refusal(state, cell) == Refusal.NONE:
        for action in range(NUM_DIRECTIONS * cell, NUM_DIRECTIONS * (cell + 1)):
            if way_refusal(state, action) == Refusal.NONE:
                return True
    return False


def can_move(state: Position) -> bool:
    """Tell whether the player to move has a legal move."""
    for cell in range(state.rows * state.cols):
        if can_leave(state, cell):
            return True
    return False


def legal_actions(state: Position, out: list[int]) -> int:
    """Write the legal actions in ascending order; return their number."""
    count = 0
    if not is_over(state):
        for cell in range(state.rows * state.cols):
            if start_refusal(state, cell) == Refusal.NONE:
                for action in range(NUM_DIRECTIONS * cell, NUM_DIRECTIONS * (cell + 1)):
                    # Illegal actions are written but not counted, which avoids a branch.
                    out[count] = action
                    count += 1 if way_refusal(state, action) == Refusal.NONE else 0
    return count


def combat(attacker: int, defender: int) -> int:
    """Return the result of an attack of one kind on another."""
    if defender == FLAG or attacker == ASSASSIN:
        return ATTACKER_WINS
    if defender == MINE:
        return ATTACKER_WINS if attacker == SAPPER else BOTH_LOST
    if defender in (SAPPER, ASSASSIN):
        return ATTACKER_WINS
    if attacker == SAPPER:
        attacker = ZERO
    return ATTACKER_WINS if attacker >= defender else DEFENDER_WINS


def clear(state: Position, cell: int) -> None:
    """Remove the piece on a cell."""
    piece = state.board[cell]
    if abs(piece) == FLAG:
        state.flags_left[0 if piece > 0 else 1] -= 1
    state.board[cell] = 0
    if state.hidden:
        state.known[cell] = 0


def relocate(state: Position, start: int, end: int, known: int) -> None:
    """Move a piece to an empty cell; in the hidden game at least ``known`` is known of it."""
    state.board[end] = state.board[start]
    if state.hidden:
        state.known[end] = max(state.known[start], known)
    clear(state, start)


def attack(state: Position, start: int, end: int) -> None:
    """Let the pieces on two cells fight; at least one of them is removed."""
    state.quiet = 0
    result = combat(abs(state.board[start]), abs(state.board[end]))
    if result == ATTACKER_WINS:
        clear(state, end)
        relocate(state, start, end, SHOWN)
    else:
        clear(state, start)
        if result == BOTH_LOST:
            clear(state, end)
        elif state.hidden:
            state.known[end] = SHOWN


def apply_action(state: Position, action: int) -> None:
    """Play a legal action."""
    start = action // NUM_DIRECTIONS
    end = target(state, action)
    if state.board[end] != 0:
        attack(state, start, end)
    else:
        relocate(state, start, end, MOVED)
        # Without a limit moves are not counted, because equal positions would differ.
        if state.limit > 0:
            state.quiet += 1
    state.turn = 1 - state.turn


def key(state: Position) -> int:
    """Return a hash of the board, the public information, and the side to move.

    The number of quiet moves is included only near the draw, where a search can see it.
    """
    left = state.limit - state.quiet
    result = chance.zobrist(-2 - left) if state.limit and left < SOON else 0
    if state.turn:
        result ^= chance.zobrist(-2 - SOON)
    for cell in range(state.rows * state.cols):
        piece = int(state.board[cell])
        if piece != 0:
            side = 0 if piece > 0 else 1
            what = (abs(piece) * 4 + state.known[cell]) * 2 + side
            result ^= chance.zobrist(what * (MAX_SIDE * MAX_SIDE) + cell)
    return result


def current_player(state: Position) -> int:
    """Return the player to move."""
    return state.turn


def winner(state: Position) -> int:
    """Return the winner, NOBODY without one."""
    best = flag_winner(state)
    if best == NOBODY and not can_move(state):
        return 1 - state.turn
    return best


def is_terminal(state: Position) -> bool:
    """Tell whether a side has no flag left, or has to move and cannot, or the game is drawn."""
    return is_drawn(state) or winner(state) != NOBODY


def returns(state: Position, out: list[float]) -> None:
    """Write 1 for the winner and -1 for the loser, 0 before the end and after a draw."""
    best = winner(state)
    out[0] = 0
    out[1] = 0
    if best != NOBODY:
        out[best] = 1
        out[1 - best] = -1


def is_secret(state: Position, cell: int, owner: int) -> bool:
    """Tell whether a cell has a piece of the owner that has not fought."""
    return belongs_to(state.board[cell], owner) and state.known[cell] != SHOWN


def redact(state: Position, player: int) -> None:
    """In the hidden game, replace enemy kinds that have not fought by UNKNOWN."""
    if state.hidden:
        for cell in range(state.rows * state.cols):
            if is_secret(state, cell, 1 - player):
                state.board[cell] = UNKNOWN if state.board[cell] > 0 else -UNKNOWN


def secret_kinds(state: Position, owner: int) -> list[int]:
    """Return the kinds of the owner's pieces that have not fought, in ascending order."""
    cells = range(state.rows * state.cols)
    kinds = [abs(state.board[cell]) for cell in cells if is_secret(state, cell, owner)]
    # The order of the cells would reveal their places.
    kinds.sort()
    return kinds


def scatter(
    state: Position, owner: int, known: int, kinds: list[int], first: int, rng: Any
) -> None:
    """Give the owner's pieces with this ``known`` random kinds, drawn from index ``first`` on.

    Drawn kinds are removed from the list.
    """
    for cell in range(state.rows * state.cols):
        if belongs_to(state.board[cell], owner) and state.known[cell] == known:
            drawn = first + chance.randbelow(rng, len(kinds) - first)
            kind = kinds[drawn]
            kinds[drawn] = kinds[-1]
            kinds.pop()
            state.board[cell] = kind if owner == 0 else -kind


def randomize_start(state: Position, rng: Any) -> None:
    """Turn one start into another by shuffling both armies over their cells."""
    state.turn = 0
    state.quiet = 0
    for cell in range(state.rows * state.cols):
        state.known[cell] = 0
    for owner in range(2):
        scatter(state, owner, 0, secret_kinds(state, owner), 0, rng)


def has_hidden_information(state: Position, player: int) -> bool:
    """Tell whether information is hidden; in the hidden game it is at least a flag."""
    return state.hidden == 1


def resample(state: Position, player: int, rng: Any) -> None:
    """Redistribute the enemy kinds that have not fought, uniformly over consistent arrangements.

    Armies are shuffled at the start, and the remaining kinds are public, because removed pieces
    have fought.  So all arrangements in which no flag or mine has moved are equally likely.  Moved
    pieces draw first, and their number is constant, so each arrangement has as many draws.
    """
    if state.hidden:
        kinds = secret_kinds(state, 1 - player)
        first = 0
        while first < len(kinds) and kinds[first] in IMMOVABLE:
            first += 1
        scatter(state, 1 - player, MOVED, kinds, first, rng)
        scatter(state, 1 - player, 0, kinds, 0, rng)


def observation_planes(state: Position, player: int, out: list[float]) -> None:
    """Write the observation planes of a player, own pieces before the enemy's.

    For each side: unknown, flag, mine, sapper, assassin, number, the numbers' strength as rank
    over 64 (that of strength zero is 0), known to have moved or fought as 0.5 and 1.  Then own
    turn, the hidden game, and moves since a capture / limit.
    """
    cells = state.rows * state.cols
    quiet = state.quiet / state.limit if state.limit > 0 else 0.0
    for cell in range(cells):
        piece = state.board[cell]
        if piece != 0:
            side = 0 if belongs_to(piece, player) else 8
            kind = min(abs(piece), ZERO)
            out[(side + kind - 1) * cells + cell] = 1
            if kind == ZERO:
                out[(side + 6) * cells + cell] = (abs(piece) - NUMBER + 1) / 64
            out[(side + 7) * cells + cell] = state.known[cell] / 2
        out[16 * cells + cell] = 1 if state.turn == player else 0
        out[17 * cells + cell] = state.hidden
        out[18 * cells + cell] = quiet
