"""The socket of a table: what those who look at it are shown, and what they may ask for."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from starlette.websockets import WebSocketDisconnect, WebSocketState

from gridhouse.core.errors import MoveError
from gridhouse.web.seats import is_own_origin
from gridhouse.web.settings import MOST_GUESTS, MOST_MESSAGE
from gridhouse.web.sight import RefusedError, Sight, view

if TYPE_CHECKING:
    from starlette.websockets import WebSocket

    from gridhouse.web.house import House, Live
    from gridhouse.web.seats import Doorkeeper

log = logging.getLogger("gridhouse.web")
REFUSED = 1008  # a socket that breaks the rules of the house is closed with this
FULL = 1013  # and one for which there is no room with that


class Allowance:
    """So many things at once, and so many a second in the long run."""

    def __init__(self, burst: float, rate: float) -> None:
        """Begin with all of the burst."""
        self._most = burst
        self._rate = rate
        self._left = burst
        self._last = time.monotonic()

    def take(self) -> bool:
        """Tell whether there may be one more, which is counted."""
        now = time.monotonic()
        self._left = min(self._most, self._left + (now - self._last) * self._rate)
        self._last = now
        self._left -= 1
        return self._left >= 0


class Guest:
    """One page that shows a table, from the time it connects until it leaves."""

    def __init__(self, house: House, keeper: Doorkeeper, live: Live, socket: WebSocket) -> None:
        """Meet whoever is at the other end of a socket."""
        self.house = house
        self.live = live
        self.socket = socket
        self.visitor = keeper.visitor(socket.cookies)
        self.invitation = keeper.invitation(live.table.id)
        self.eyes: int | None = None
        self.turned = False
        self._stale = True
        self._notes: list[dict[str, Any]] = []
        self._wake = asyncio.Event()
        self._hint: asyncio.Task[None] | None = None

    def sight(self) -> Sight:
        """Return how this page looks at the table."""
        sight = self.live.table.sight(self.visitor, self.eyes)
        return sight._replace(side=1 - sight.side) if self.turned else sight

    def changed(self) -> None:
        """Note that the table has to be shown again."""
        self._stale = True
        self._wake.set()

    def tell(self, kind: str, **facts: object) -> None:
        """Say something to this page only."""
        self._notes.append({"type": kind, **facts})
        self._wake.set()

    async def stay(self) -> None:
        """Show the table and do what is asked for until the page goes away."""
        self._wake.set()
        self.house.enter(self.live, self.changed)
        works = {asyncio.create_task(self._send()), asyncio.create_task(self._receive())}
        try:
            done, _ = await asyncio.wait(works, return_when=asyncio.FIRST_COMPLETED)
        finally:
            # Nothing is awaited here: whoever runs this may be cancelled again and again.
            for work in works | (set() if self._hint is None else {self._hint}):
                work.add_done_callback(heard_out)
                work.cancel()
            self.house.leave(self.live, self.changed)
        for work in done:
            work.result()

    async def _send(self) -> None:
        """Send what is new; however often a table has changed meanwhile, it is shown once."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            notes, self._notes = self._notes, []
            if self._stale:
                self._stale = False
                notes.insert(0, self._view())
            for note in notes:
                await self.socket.send_text(json.dumps(note, separators=(",", ":")))

    def _view(self) -> dict[str, object]:
        table = self.live.table
        sits = bool(table.seats_of(self.visitor))
        shown = view(table, self.sight(), sits)
        if sits and table.open_seats():
            shown["invitation"] = f"/t/{table.id}/join/{self.invitation}"
        return shown

    async def _receive(self) -> None:
        settings = self.house.settings
        allowance = Allowance(settings.burst, settings.rate)
        while True:
            message = await self.socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            asked = understood(message.get("text"))
            if asked is None or not allowance.take():
                await self.socket.close(REFUSED)
                return
            try:
                await self._do(asked)
            except (RefusedError, MoveError) as error:
                reason = error.reason if isinstance(error, MoveError) else str(error)
                self.tell("refusal", text=reason)

    async def _do(self, asked: dict[str, Any]) -> None:
        """Do what a page asks for; raises RefusedError or MoveError."""
        table, sight = self.live.table, self.sight()
        player = sight.viewer or 0  # two at one screen are asked as one
        if asked["type"] == "turn" and table.has_sides:
            self.turned = not self.turned
            self.changed()
            return
        if not table.seats_of(self.visitor):
            raise RefusedError("you watch this game; you do not play it")
        kind = asked["type"]
        if kind == "move":
            await self._move(str(asked.get("move")), asked.get("ply"))
        elif kind == "why":
            self.tell(
                "refusal", text=table.why_not(cells_of(asked)) if sight.acts else waits(sight)
            )
        elif kind == "undo":
            await self.house.undo(self.live, player)
        elif kind == "answer":
            await self.house.answer(self.live, player, asked.get("agrees") is True)
        elif kind == "hint":
            self._give_hint()
        elif kind in ("cover", "uncover"):
            self.eyes = table.state.current_player() if kind == "uncover" else None
            self.changed()
        else:
            raise RefusedError("the house does not know what that is")

    async def _move(self, text: str, ply: object) -> None:
        sight = self.sight()
        if not sight.acts:
            raise RefusedError(waits(sight))
        if ply != len(self.live.table.plies):
            raise RefusedError("the table has changed; look again")
        mover = self.live.table.state.current_player()
        before, self.eyes = self.eyes, mover  # the move may be this game's first secret
        try:
            await self.house.play(self.live, mover, text)
        except BaseException:
            self.eyes = before
            raise

    def _give_hint(self) -> None:
        if not self.sight().acts:
            raise RefusedError(waits(self.sight()))
        self.live.table.need_free_play()
        if self._hint is None or self._hint.done():
            self._hint = asyncio.create_task(self._find_hint())

    async def _find_hint(self) -> None:
        """Tell what the machine would play; raises nothing, since nobody waits for the task."""
        try:
            ply, move, cells = await self.house.hint(self.live)
        except Exception:
            log.exception("no hint was found")
            self.tell("refusal", text="no hint was found")
            return
        self.tell("hint", ply=ply, move=move, cells=cells)


def heard_out(task: asyncio.Task[None]) -> None:
    """Take note of how a task ended, so that nobody is told that nobody did."""
    if not task.cancelled():
        task.exception()


def waits(sight: Sight) -> str:
    """Return why somebody who plays cannot move now."""
    return "the screen has to be handed over first" if sight.handing else "it is not your turn"


def cells_of(asked: dict[str, Any]) -> list[int]:
    """Return the cells that a page says were pointed at."""
    cells = asked.get("cells")
    is_list = isinstance(cells, list) and all(isinstance(cell, int) for cell in cells)
    return list(cells) if cells and is_list else []


def understood(text: object) -> dict[str, Any] | None:
    """Return a message of a page, or None if it is none."""
    if not isinstance(text, str) or len(text) > MOST_MESSAGE:
        return None
    try:
        asked = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return asked if isinstance(asked, dict) and isinstance(asked.get("type"), str) else None


async def serve_table(socket: WebSocket) -> None:
    """Let a page look at a table for as long as it likes."""
    house: House = socket.app.state.house
    live = await house.find(socket.path_params["table"])
    if live is None or not is_own_origin(socket.headers):
        await socket.close(REFUSED)
        return
    await socket.accept()
    if len(live.guests) >= MOST_GUESTS:
        await socket.close(FULL)
        return
    with suppress(WebSocketDisconnect):
        await Guest(house, socket.app.state.keeper, live, socket).stay()
    if socket.application_state == WebSocketState.CONNECTED:
        with suppress(RuntimeError, WebSocketDisconnect):
            await socket.close()
