"""What those who play may do at a table, whether a page asks for it or a program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gridhouse.web.table import OVER, REDO, UNDO, RefusedError, Wish

if TYPE_CHECKING:
    from typing import TypeGuard

    from gridhouse.web.house import House, Live
    from gridhouse.web.sight import Sight
    from gridhouse.web.table import Table

ANSWER, RESIGN = "answer", "resign"
ACTS = (UNDO, REDO, ANSWER, RESIGN)


def is_number(value: object) -> TypeGuard[int]:
    """Tell whether JSON holds a whole number: neither true nor 1.0, which are equal to 1."""
    return type(value) is int


def waits(table: Table, sight: Sight) -> str:
    """Return why somebody who plays cannot move now."""
    if table.over:
        return OVER
    return "the screen has to be handed over first" if sight.handing else "it is not your turn"


def need_turn(table: Table, sight: Sight, ply: object) -> None:
    """Raise RefusedError for who cannot move now, or has seen another number of moves."""
    if not sight.acts:
        raise RefusedError(waits(table, sight))
    if not is_number(ply) or ply != len(table.plies):
        raise RefusedError("the table has changed; look again")


async def act(house: House, live: Live, sight: Sight, kind: str, *, agrees: bool = False) -> None:
    """Do what changes a table besides a move; raises RefusedError."""
    player = sight.viewer or 0  # two at one screen are asked as one
    if kind == ANSWER:
        await house.answer(live, player, agrees=agrees)
    elif kind == RESIGN:
        await house.resign(live, player)
    else:
        await house.wish(live, Wish(kind, player))
