"""Games, tables and the lobby as JSON; a table is shown from its viewer's viewpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast

from gridhouse.server.api.schemas import (
    ClockTime,
    GameInfo,
    Listed,
    Made,
    ParameterInfo,
    Seat,
    TableState,
    Wanted,
)
from gridhouse.server.tables.commands import REDO, UNDO
from gridhouse.server.tables.visibility import (
    clock_states,
    may_take_back,
    viewpoint_of,
    visible_move,
)

if TYPE_CHECKING:
    from gridhouse.core.game import Game, Parameter
    from gridhouse.server.api.access import RequestContext
    from gridhouse.server.api.schemas import Opponent
    from gridhouse.server.pages.lobby import LobbyEntry
    from gridhouse.server.tables.table import Table

    Kind = Literal["integer", "boolean", "string"]

KINDS: dict[type, Kind] = {int: "integer", bool: "boolean", str: "string"}


def game_info(cls: type[Game]) -> GameInfo:
    """Return the description of a game."""
    return GameInfo(
        name=cls.name,
        title=cls.title,
        summary=cls.summary,
        rules=cls.how_to_play,
        players=list(cls.players),
        move_form=cls.move_form,
        file_holds=cls.file_holds,
        parameters=[parameter_info(parameter) for parameter in cls.parameters],
        presets={name: preset.parameters for name, preset in cls.presets.items()},
    )


def parameter_info(parameter: Parameter) -> ParameterInfo:
    """Return the description of a parameter."""
    kind = KINDS[type(parameter.default)]
    has_limits = kind == "integer"
    return ParameterInfo(
        name=parameter.name,
        about=parameter.about,
        kind=kind,
        default=parameter.default,
        low=parameter.low if has_limits else None,
        high=parameter.high if has_limits else None,
    )


def listed(entry: LobbyEntry) -> Listed:
    """Return the lobby's description of a table."""
    return Listed(
        id=entry.address.removeprefix("/t/"),
        title=entry.title,
        game=entry.game,
        about=entry.opponents,
        clock=entry.clock or None,
        moves=entry.moves,
        free_seat=entry.seat or None,
    )


def state_of(context: RequestContext) -> TableState:
    """Return a table from the viewpoint of a request; long games take more than a moment."""
    snapshot = context.live.snapshot
    table = snapshot.table
    viewpoint = viewpoint_of(table, context.visitor, context.revealed_player)
    own = table.seats_of(context.visitor)
    sits = bool(own)
    takeback = table.asked
    has_room = sits and bool(table.open_seats())
    return TableState(
        id=table.id,
        game=str(table.state.game),
        opponent=cast("Opponent", table.opponent),
        level=table.level,
        seats=seats(table, own),
        version=table.version,
        ply=len(table.plies),
        position=snapshot.text(viewpoint),
        to_move=table.mover,
        your_turn=viewpoint.acts,
        legal=[move for move, _, _ in snapshot.gestures()] if viewpoint.acts else [],
        moves=[
            Made(player=ply.player, move=visible_move(table, ply, viewpoint))
            for ply in table.plies[context.since :]
        ],
        clocks=clocks(table),
        over=table.over,
        outcome=table.outcome() if table.over else None,
        returns=table.returns() if table.over else None,
        asked=takeback and Wanted.model_validate(takeback._asdict()),
        undo=sits and may_take_back(table, viewpoint, UNDO),
        redo=sits and may_take_back(table, viewpoint, REDO),
        given=table.given,
        invitation=f"/t/{table.id}/join/{context.auth.invitation(table.id)}" if has_room else None,
    )


def clocks(table: Table) -> list[ClockTime | None] | None:
    """Return the clocks, None for the machine's, or None for a table without clocks."""
    shown = clock_states(table)
    if shown is None:
        return None
    return [None if clock is None else ClockTime.model_validate(clock) for clock in shown]


def seats(table: Table, own: list[int]) -> list[Seat]:
    """Return the seats of a table; the visitor plays ``own``."""
    taken: dict[int, Literal["you", "machine", "somebody"]] = dict.fromkeys(
        table.seated_visitors, "somebody"
    )
    taken |= dict.fromkeys(own, "you")
    if table.machine is not None:
        taken[table.machine] = "machine"
    names = table.state.game.players
    return [
        Seat(name=name, taken_by=taken.get(player, "nobody")) for player, name in enumerate(names)
    ]
