"""The WebSocket of a table: it sends views and receives commands and questions."""

from __future__ import annotations

import asyncio
import json
import logging
from contextlib import suppress
from contextvars import copy_context
from typing import TYPE_CHECKING, Any

from sqlalchemy.exc import SQLAlchemyError
from starlette.websockets import WebSocketDisconnect, WebSocketState

from gridhouse.core.errors import MoveError
from gridhouse.core.notation import parse_integer
from gridhouse.server.auth import is_own_origin
from gridhouse.server.budgets import TokenBucket
from gridhouse.server.languages import language
from gridhouse.server.network import address_of
from gridhouse.server.settings import MAX_MESSAGE
from gridhouse.server.storage.store import reason_of
from gridhouse.server.tables import hints
from gridhouse.server.tables.commands import ANSWER, MOVE, REDO, RESIGN, UNDO, Command, RefusedError
from gridhouse.server.tables.live_table import Shown
from gridhouse.server.tables.rendering import Wanted, encode
from gridhouse.server.tables.translating import in_language
from gridhouse.server.tables.visibility import (
    Snapshot,
    Viewpoint,
    help_refusal,
    known_moves,
    no_move_reason,
    offers_help,
    require_turn,
    viewpoint_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeGuard

    from starlette.websockets import WebSocket

    from gridhouse.server.auth import Auth
    from gridhouse.server.budgets import Budgets
    from gridhouse.server.storage.records import Ply
    from gridhouse.server.tables.live_table import LiveTable
    from gridhouse.server.tables.messages import Message
    from gridhouse.server.tables.rendering import BoardKey
    from gridhouse.server.tables.service import TableService
    from gridhouse.server.tables.table import Table

log = logging.getLogger("gridhouse.server")
ABNORMAL_CLOSURE = 1006  # close code for a connection that was not closed by either side
POLICY_VIOLATION = 1008  # close code for a connection that violates the protocol
HELP_PLACES = {
    "hint": "board",
    "show": "board",
    "judge": "side",
}  # the part of the page that shows the help
FRAME_PAUSES = 1.5  # times the machine's pause, between two moves of the best line
MAX_WAITING = 50  # messages to a page that does not read
MAX_WAITING_SIZE = 1_000_000  # characters of them
MAX_NESTED = 100  # brackets of a message; valid messages have two
NORMAL_CLOSURE = 1000
NO_PLY = -1  # a ply that no table has
TRY_AGAIN_LATER = 1013  # close code for a table that is full


class Connection:
    """One page that shows a table, from connection to disconnection."""

    def __init__(
        self,
        service: TableService,
        auth: Auth,
        budgets: Budgets,
        live: LiveTable,
        socket: WebSocket,
        visitor: str | None,
    ) -> None:
        """Begin with the visitor at the other end of a socket."""
        self.service = service
        self.budgets = budgets
        self.live = live
        self.socket = socket
        self.visitor = visitor
        self.invitation = auth.invitation(live.table.id)
        self.language = language()
        self.revealed_player: int | None = None
        self.address = address_of(socket)
        self.close_code = NORMAL_CLOSURE  # the close code, sent after the last message
        self.camera = first_camera(live.table, socket.query_params.get("camera", ""))
        # Whoever does not ask for changes of a board, as a page of an older version, gets it whole.
        self.takes_changes = "changes" in socket.query_params
        self.back: int | None = None  # the ply of an earlier position that this page shows
        self._past: Snapshot | None = None
        self._stale = True
        # The moves that the page has, and what was visible of them.
        self._known: tuple[list[Ply], bool, int | None] = [], False, None
        self._board: BoardKey = None  # the board that it has
        self._outgoing: list[str] = []
        self._outgoing_size = 0  # characters
        self._is_sent = asyncio.Event()  # set while no message waits
        self._is_sent.set()
        self._wake = asyncio.Event()
        self._is_over = False
        self._context = copy_context()  # what is rendered for this page is done in its turn
        self._help_tasks: dict[str, asyncio.Task[None]] = {}

    def viewpoint(self) -> Viewpoint:
        """Return the viewpoint of this page."""
        return self._viewpoint_at(self.live.snapshot.table)

    def _viewpoint_at(self, table: Table) -> Viewpoint:
        """Return the viewpoint at a table as it is or will be; a turn that passes covers it."""
        revealed_player = self.revealed_player if self.revealed_player == table.mover else None
        return viewpoint_of(table, self.visitor, revealed_player, self.camera)

    def shown(self) -> Shown:
        """Return the position that this page shows: the current one or an earlier one."""
        now = self.live.shown
        table = now.snapshot.table
        if self.back is None or self.back >= len(table.plies):
            self.back = None
            return now
        if self._past is None or self._past.ply != self.back:
            self._past = Snapshot(table, self.back)
        return Shown(self._past)

    def prepare(self, shown: Shown) -> None:
        """Have the view rendered that will show a change, if it is written.

        A page that does not have the current position yet will skip it, or want other changes.
        """
        if self.back is None and self._known[0] is self.live.table.plies:
            wanted = self._wanted(shown.snapshot)
            self._context.run(self.live.start_to_render, shown, wanted)

    def changed(self) -> None:
        """Show the table again after a change; if the turn has passed, cover a screen for two."""
        if self.revealed_player != self.live.table.mover:
            self.revealed_player = None
        self._past = None
        self._stop_help()
        self._show_again()

    def _show_again(self) -> None:
        self._stale = True
        self._wake.set()

    def send(self, message: Message) -> None:
        """Queue a short message to this page, in its language."""
        self._queue(in_language(message, self.language))

    def _queue(self, message: Message) -> None:
        """Queue a message that is translated; hang up if too much waits there already."""
        if self._is_over:
            return
        text = encode(message)
        self._outgoing.append(text)
        self._outgoing_size += len(text)
        self._is_sent.clear()
        self._wake.set()
        if len(self._outgoing) > MAX_WAITING or self._outgoing_size > MAX_WAITING_SIZE:
            self._outgoing.clear()
            self._stop_help()
            self.hang_up(again=True)

    def hang_up(self, *, again: bool) -> None:
        """Close the connection; the page may come again, or is loaded again to see why not."""
        self.close_code = TRY_AGAIN_LATER if again else POLICY_VIOLATION
        self._is_over = True
        self._wake.set()

    def _refuse(self, reason: str) -> None:
        self.send({"type": "refusal", "text": reason})

    async def run(self) -> None:
        """Show the table and answer requests until the page disconnects."""
        self._wake.set()
        self.service.subscribe(self.live, self.changed, self.address)
        self.live.arrive(self)
        works = {asyncio.create_task(self._send()), asyncio.create_task(self._receive())}
        try:
            done, _ = await asyncio.wait(works, return_when=asyncio.FIRST_COMPLETED)
        finally:
            # Nothing is awaited here, because this task may be cancelled repeatedly.
            for work in works | set(self._help_tasks.values()):
                work.add_done_callback(retrieve_exception)
                work.cancel()
            self.service.unsubscribe(self.live, self.changed)
            self.live.leave(self)
        for work in done:
            work.result()

    async def _send(self) -> None:
        """Send queued messages; several changes of the table give one view."""
        while True:
            await self._wake.wait()
            if self._is_over:
                return
            self._wake.clear()
            if self._stale:
                self._stale = False
                await self._write(await self._view())
            notes, self._outgoing, self._outgoing_size = self._outgoing, [], 0
            for note in notes:
                await self._write(note)
            if not self._outgoing:
                self._is_sent.set()

    async def _write(self, text: str) -> None:
        """Send a text; raises WebSocketDisconnect when the connection is gone."""
        try:
            await self.socket.send_text(text)
        except RuntimeError:  # the server has closed it for a wrong frame or a ping without answer
            raise WebSocketDisconnect(ABNORMAL_CLOSURE) from None

    def _wanted(self, snapshot: Snapshot) -> Wanted:
        """Return the view of a position that this page wants, after those that it has."""
        table = snapshot.table
        viewpoint = self._viewpoint_at(table)
        plies, *visible = self._known
        # What is visible of a move may change with the viewer, and with the end of the game.
        since = (
            known_moves(plies, table.plies) if visible == [table.secret, viewpoint.viewer] else 0
        )
        sits = bool(table.seats_of(self.visitor))
        return Wanted(viewpoint, sits, since, self._board, self.language, self.invitation)

    async def _view(self) -> str:
        """Return the view as JSON, and note what the page has then."""
        shown = self.shown()
        table, wanted = shown.snapshot.table, self._wanted(shown.snapshot)
        rendered = await self.live.render(shown, wanted)
        self._known = table.plies, table.secret, wanted.viewpoint.viewer
        if self.takes_changes:
            self._board = rendered.board
        return rendered.text

    async def _receive(self) -> None:
        settings = self.service.settings
        allowance = TokenBucket(settings.burst, settings.rate)
        while True:
            message = await self.socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            asked = parse_message(message.get("text"))
            if asked is None or not allowance.take():
                self.close_code = POLICY_VIOLATION
                return
            await asyncio.sleep(self.budgets.reserve(self.visitor, self.address))
            try:
                await self._handle(asked)
            except (RefusedError, MoveError) as error:
                reason = error.reason if isinstance(error, MoveError) else str(error)
                self._refuse(reason)

    async def _handle(self, message: dict[str, Any]) -> None:
        """Carry out a request; raises RefusedError or MoveError."""
        kind = message["type"]
        if kind in ANYBODY:
            ANYBODY[kind](self, message)
            return
        if not self.live.table.seats_of(self.visitor):
            raise RefusedError("you are watching this game, not playing it")
        if kind == MOVE:
            await self._move(message)
        elif kind == "why":
            await self._why(message)
        elif kind in PLAYERS:
            PLAYERS[kind](self, message)
        elif kind in (UNDO, REDO, ANSWER, RESIGN):
            agrees = message.get("agrees") is True
            player = self.viewpoint().player
            await self.service.submit(self.live, Command(kind, player, agrees=agrees))
        else:
            raise RefusedError("the request has an unknown type")

    def _on_turn(self, message: dict[str, Any]) -> None:
        """Show the board from a viewpoint, or without a number from the next one."""
        count = len(self.live.table.cameras)
        if not count:
            raise RefusedError("this board is seen from one viewpoint only")
        to = message.get("to")
        if to is None:
            to = (self.camera + 1) % count
        if not is_number(to) or not 0 <= to < count:
            raise RefusedError(f"the viewpoints are 0 to {count - 1}")
        self.camera = to
        self._show_again()

    def _on_look(self, message: dict[str, Any]) -> None:
        """Show the position after a number of moves, or without one the current position."""
        ply, count = message.get("ply"), len(self.live.table.plies)
        self.back = ply if is_number(ply) and 0 <= ply < count else None
        self._stop_help()
        self._show_again()

    def _on_here(self, _: dict[str, Any]) -> None:
        """Confirm that the connection is alive."""
        self.send({"type": "here"})

    def _on_uncover(self, _: dict[str, Any]) -> None:
        """Show the information of the player to move, who alone looks at the screen."""
        self.revealed_player = self.live.table.mover
        self._show_again()

    async def _why(self, message: dict[str, Any]) -> None:
        """Refuse with the reason why no move begins with these cells."""
        snapshot = self.live.snapshot
        require_turn(snapshot.table, self.viewpoint())
        cells = cells_of(message)
        reason, blocking = await self.service.work.run(snapshot.no_move_reason_for, cells)
        self.send({"type": "refusal", "text": reason, "cells": blocking})

    def _on_phrase(self, message: dict[str, Any]) -> None:
        """Say one of the six phrases to the friend at the table."""
        self.live.say(self.viewpoint().player, message.get("number"))

    def _on_help(self, message: dict[str, Any]) -> None:
        """Start a hint, an evaluation or the best line."""
        self._ask_for_help(message["type"])

    def _on_stop(self, _: dict[str, Any]) -> None:
        """Stop the machine's help."""
        self._stop_help()

    async def _move(self, message: dict[str, Any]) -> None:
        table = self.live.table
        require_turn(table, self.viewpoint())
        text, ply = message.get("move"), message.get("ply")
        if not isinstance(text, str):
            raise RefusedError("the move must be a text")
        mover = table.state.current_player()
        self.back = None
        before = self.revealed_player
        self.revealed_player = mover  # the move may create the game's first hidden information
        seen = ply if is_number(ply) else NO_PLY
        try:
            await self.service.submit(self.live, Command(MOVE, mover, text, seen))
        except BaseException:
            self.revealed_player = before if self.live.table is table else None
            raise

    def _ask_for_help(self, kind: str) -> None:
        """Start a hint, an evaluation or the best line; raises RefusedError."""
        table, viewpoint, snapshot = self.live.table, self.viewpoint(), self.shown().snapshot
        if not offers_help(table, viewpoint):
            raise RefusedError(help_refusal(table) or no_move_reason(table, viewpoint))
        if snapshot.ply is not None and not table.over:
            raise RefusedError("help is only for the current position")
        place = HELP_PLACES[kind]
        self._stop_help(place)
        self._help_tasks[place] = asyncio.create_task(self._find_help(kind, snapshot, viewpoint))

    def _stop_help(self, *places: str) -> None:
        """Stop the help in these parts of the page, or in all parts."""
        for place in places or tuple(self._help_tasks):
            help_there = self._help_tasks.pop(place, None)
            if help_there is not None:
                help_there.cancel()

    async def _find_help(self, kind: str, snapshot: Snapshot, viewpoint: Viewpoint) -> None:
        """Send the machine's help; raises nothing, since nothing awaits the task."""
        engines, work = self.service.engines, self.service.work
        ply = len(snapshot.table.plies)
        try:
            if kind == "hint":
                self.send(await hints.hint(engines, work, snapshot))
            elif kind == "judge":
                self.send(await hints.evaluate(engines, work, snapshot))
            else:
                async for frame in hints.best_line(engines, work, snapshot, viewpoint):
                    self._queue(frame)
                    await asyncio.sleep(self.service.settings.pause * FRAME_PAUSES)
                    await self._is_sent.wait()  # a page that does not read gets no more
                self.send({"type": "shown", "ply": ply})
        except RefusedError as error:
            self._refuse(str(error))
        except Exception:
            log.exception("the machine found no help")
            self._refuse("the machine found no help")


ANYBODY: dict[str, Callable[[Connection, dict[str, Any]], None]] = {
    "turn": Connection._on_turn,
    "look": Connection._on_look,
    "here": Connection._on_here,
}
PLAYERS: dict[str, Callable[[Connection, dict[str, Any]], None]] = {
    "uncover": Connection._on_uncover,
    "phrase": Connection._on_phrase,
    "stop": Connection._on_stop,
    **dict.fromkeys(HELP_PLACES, Connection._on_help),
}


def first_camera(table: Table, text: str) -> int:
    """Return the viewpoint that a page asks for in its address, else the usual one."""
    number = parse_integer(text)
    if number is None or number not in range(len(table.cameras)):
        return table.default_camera
    return number


def is_number(value: object) -> TypeGuard[int]:
    """Tell whether a JSON value is an integer; ``true`` and 1.0, which equal 1, are not."""
    return type(value) is int


def retrieve_exception(task: asyncio.Task[None]) -> None:
    """Retrieve a task's exception, so that asyncio does not log it as unretrieved."""
    if not task.cancelled():
        task.exception()


def cells_of(asked: dict[str, Any]) -> list[int]:
    """Return the cells of a request, [] if they are not valid."""
    cells = asked.get("cells")
    is_list = isinstance(cells, list) and all(map(is_number, cells))
    return list(cells) if cells and is_list else []


def parse_message(text: object) -> dict[str, Any] | None:
    """Parse a message of a page; return None if it is not valid."""
    if not isinstance(text, str) or len(text) > MAX_MESSAGE:
        return None
    # Python's own limit on nesting depends on the depth of the call stack.
    if text.count("[") + text.count("{") > MAX_NESTED:
        return None
    try:
        asked = json.loads(text)
    except ValueError:
        return None
    return asked if isinstance(asked, dict) and isinstance(asked.get("type"), str) else None


async def serve_table(socket: WebSocket) -> None:
    """Serve the connection of a page to its table."""
    service: TableService = socket.app.state.service
    auth: Auth = socket.app.state.auth
    visitor = auth.visitor(socket)
    try:
        live = await service.get(socket.path_params["table"])
    except SQLAlchemyError as error:
        log.error("the database cannot be used: %s", reason_of(error))
        await socket.close(TRY_AGAIN_LATER)
        return
    if live is None or auth.has_false_token(socket) or not is_own_origin(socket):
        await socket.close(POLICY_VIOLATION)
        return
    await socket.accept()
    if not live.has_room(visitor, address_of(socket)):
        await socket.close(TRY_AGAIN_LATER)
        return
    connection = Connection(service, auth, socket.app.state.budgets, live, socket, visitor)
    with suppress(WebSocketDisconnect):
        await connection.run()
    if socket.application_state == WebSocketState.CONNECTED:
        with suppress(RuntimeError, WebSocketDisconnect):
            await socket.close(connection.close_code)
