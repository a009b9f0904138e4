"""The rules of Nim: take one or two stones; the player who cannot has lost."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from gridhouse.core import chance, position

NUM_PLANES = 1
MOST = 2  # stones that a player may take at once


class Refusal(IntEnum):
    """Why an action is not legal."""

    NONE = 0
    TOO_MANY = 1


class Position(position.Position):
    """How many stones are left, and who is to move."""

    nim = position.field("int8")  # unused; it makes the record type this game's own
    left = position.field("int8")
    turn = position.field("int8")


def refusal(state: Position, action: int) -> int:
    """Return 0 if as many stones are left as the action takes, else the reason."""
    return Refusal.TOO_MANY if action + 1 > state.left else Refusal.NONE


def legal_actions(state: Position, out: list[int]) -> int:
    """Write the legal actions in ascending order and return how many there are."""
    count = min(MOST, state.left)
    for action in range(count):
        out[action] = action
    return count


def apply_action(state: Position, action: int) -> None:
    """Take the stones."""
    state.left -= action + 1
    state.turn = 1 - state.turn


def current_player(state: Position) -> int:
    """Return the player to move."""
    return state.turn


def is_terminal(state: Position) -> bool:
    """Tell whether no stone is left."""
    return state.left == 0


def returns(state: Position, out: list[float]) -> None:
    """Write -1 for the player who cannot move any more, and 1 for the other."""
    if state.left == 0:
        out[state.turn] = -1
        out[1 - state.turn] = 1


def key(state: Position) -> int:
    """Return a hash of the position."""
    return chance.zobrist(state.left * 2 + state.turn)


def observation_planes(state: Position, player: int, out: list[Any]) -> None:
    """Write a 1 for every stone."""
    for cell in range(state.left):
        out[cell] = 1
