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
from gridhouse.web import helping
from gridhouse.web.acting import ACTS, act, is_number, need_turn, waits
from gridhouse.web.seats import bearer, is_own_origin
from gridhouse.web.settings import MOST_GUESTS, MOST_MESSAGE
from gridhouse.web.sight import Look, Sight, helps, sight_of, view, why_not
from gridhouse.web.table import ALONE, FRIENDS, RefusedError

if TYPE_CHECKING:
    from starlette.websockets import WebSocket

    from gridhouse.web.house import House, Live
    from gridhouse.web.seats import Doorkeeper

log = logging.getLogger("gridhouse.web")
REFUSED = 1008  # a socket that breaks the rules of the house is closed with this
PLACES = {"hint": "board", "show": "board", "judge": "side"}  # where help is seen
FRAME = 1.5  # pauses of the machine between two moves that are shown
MOST_NESTED = 100  # brackets of a message, which needs two
GOODBYE = 1000
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
        if self._left < 1:
            return False
        self._left -= 1
        return True


class Guest:
    """One page that shows a table, from the time it connects until it leaves."""

    def __init__(self, house: House, keeper: Doorkeeper, live: Live, socket: WebSocket) -> None:
        """Meet whoever is at the other end of a socket."""
        self.house = house
        self.live = live
        self.socket = socket
        self.visitor = keeper.who(socket.headers, socket.cookies)
        self.invitation = keeper.invitation(live.table.id)
        self.eyes: int | None = None
        self.parting = GOODBYE  # with which the socket is closed, once nothing is being sent
        self.turned = False
        self.back: int | None = None  # the number of moves up to which this page looks back
        self._past: Look | None = None
        self._stale = True
        self._notes: list[str] = []
        self._wake = asyncio.Event()
        self._helps: dict[str, asyncio.Task[None]] = {}

    def sight(self) -> Sight:
        """Return how this page looks at the table."""
        sight = sight_of(self.live.table, self.visitor, self.eyes)
        return sight._replace(side=1 - sight.side) if self.turned else sight

    def look(self) -> Look:
        """Return what this page looks at: the table as it is, or as it was."""
        table = self.live.table
        if self.back is None or self.back >= len(table.plies):
            self.back = None
            return self.live.look
        if self._past is None or self._past.ply != self.back:
            self._past = Look(table, self.back)
        return self._past

    def changed(self) -> None:
        """Note that the table is another."""
        self._past = None
        self._stop_help()
        self._show_again()

    def _show_again(self) -> None:
        self._stale = True
        self._wake.set()

    def tell(self, kind: str, **facts: object) -> None:
        """Say something to this page only."""
        self._notes.append(encoded({"type": kind, **facts}))
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
            for work in works | set(self._helps.values()):
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
                await self.socket.send_text(note)

    def _view(self) -> str:
        """Return what is shown, which is made once for all who see the same."""
        table, look = self.live.table, self.look()
        sits = bool(table.seats_of(self.visitor))
        sight = self.sight()
        known = sight, sits
        if known not in look.texts or table.ticks():
            shown = view(look, sight, sits=sits)
            if sits and table.open_seats():
                shown["invitation"] = f"/t/{table.id}/join/{self.invitation}"
            look.texts[known] = encoded(shown)
        return look.texts[known]

    async def _receive(self) -> None:
        settings = self.house.settings
        allowance = Allowance(settings.burst, settings.rate)
        while True:
            message = await self.socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            asked = understood(message.get("text"))
            if asked is None or not allowance.take():
                self.parting = REFUSED
                return
            try:
                await self._do(asked)
            except (RefusedError, MoveError) as error:
                reason = error.reason if isinstance(error, MoveError) else str(error)
                self.tell("refusal", text=reason)

    async def _do(self, asked: dict[str, Any]) -> None:
        """Do what a page asks for; raises RefusedError or MoveError."""
        kind = asked["type"]
        if kind == "turn" and self.live.table.has_sides:
            self.turned = not self.turned
            self._show_again()
        elif kind == "look":
            self._look_back(asked.get("ply"))
        elif kind == "here":
            self.tell("here")
        elif not self.live.table.seats_of(self.visitor):
            raise RefusedError("you watch this game; you do not play it")
        elif kind == "move":
            await self._move(asked.get("move"), asked.get("ply"))
        elif kind in ("cover", "uncover"):
            self.eyes = self.live.table.mover if kind == "uncover" else None
            self._show_again()
        elif kind == "why":
            table, sight = self.live.table, self.sight()
            is_mine = sight.acts
            reason = why_not(table.state, cells_of(asked)) if is_mine else waits(table, sight)
            raise RefusedError(reason)
        elif kind in PLACES:
            self._ask_for_help(kind)
        elif kind == "stop":
            self._stop_help()
        else:
            await self._play(kind, asked)

    async def _play(self, kind: str, asked: dict[str, Any]) -> None:
        """Do what changes the table besides a move; raises RefusedError."""
        if kind not in ACTS:
            raise RefusedError("the house does not know what that is")
        agrees = asked.get("agrees") is True
        await act(self.house, self.live, self.sight(), kind, agrees=agrees)

    def _look_back(self, ply: object) -> None:
        """Show the table as it was after so many moves, or without a number as it is."""
        count = len(self.live.table.plies)
        self.back = ply if is_number(ply) and 0 <= ply < count else None
        self._stop_help()
        self._show_again()

    async def _move(self, text: object, ply: object) -> None:
        need_turn(self.live.table, self.sight(), ply)
        if not isinstance(text, str):
            raise RefusedError("a move is a text")
        mover = self.live.table.state.current_player()
        self.back = None
        before, self.eyes = self.eyes, mover  # the move may be this game's first secret
        try:
            await self.house.play(self.live, mover, text)
        except BaseException:
            self.eyes = before
            raise

    def _ask_for_help(self, kind: str) -> None:
        """Have the machine help this page; raises RefusedError."""
        table, sight, look = self.live.table, self.sight(), self.look()
        if not helps(table, sight):
            friends = "between friends nobody is helped"
            reason = friends if table.opponent == FRIENDS else waits(table, sight)
            raise RefusedError(ALONE if table.daily is not None else reason)
        if look.ply is not None and not table.over:
            raise RefusedError("help is for the position that is played")
        place = PLACES[kind]
        self._stop_help(place)
        self._helps[place] = asyncio.create_task(self._find_help(kind, look, sight))

    def _stop_help(self, *places: str) -> None:
        """Let the machine end its help in these places of the page, or in all of them."""
        for place in places or tuple(self._helps):
            help_there = self._helps.pop(place, None)
            if help_there is not None:
                help_there.cancel()

    async def _find_help(self, kind: str, look: Look, sight: Sight) -> None:
        """Tell what the machine thinks; raises nothing, since nobody waits for the task."""
        thinkers, ply = self.house.thinkers, len(self.live.table.plies)
        try:
            if kind == "hint":
                self.tell(kind, ply=ply, **await helping.hint(thinkers, look))
            elif kind == "judge":
                self.tell(kind, ply=ply, text=await helping.judge(thinkers, look))
            else:
                async for frame in helping.show(thinkers, look, sight):
                    self.tell("frame", ply=ply, **frame)
                    await asyncio.sleep(self.house.settings.pause * FRAME)
                self.tell("shown", ply=ply)
        except RefusedError as error:
            self.tell("refusal", text=str(error))
        except Exception:
            log.exception("no help was found")
            self.tell("refusal", text="no help was found")


def heard_out(task: asyncio.Task[None]) -> None:
    """Take note of how a task ended, so that nobody is told that nobody did."""
    if not task.cancelled():
        task.exception()


def cells_of(asked: dict[str, Any]) -> list[int]:
    """Return the cells that a page says were pointed at."""
    cells = asked.get("cells")
    is_list = isinstance(cells, list) and all(map(is_number, cells))
    return list(cells) if cells and is_list else []


def encoded(facts: dict[str, Any]) -> str:
    """Return a message to a page."""
    return json.dumps(facts, separators=(",", ":"))


def understood(text: object) -> dict[str, Any] | None:
    """Return a message of a page, or None if it is none."""
    if not isinstance(text, str) or len(text) > MOST_MESSAGE:
        return None
    # Python's own limit on nesting depends on where it is asked.
    if text.count("[") + text.count("{") > MOST_NESTED:
        return None
    try:
        asked = json.loads(text)
    except ValueError:
        return None
    return asked if isinstance(asked, dict) and isinstance(asked.get("type"), str) else None


async def serve_table(socket: WebSocket) -> None:
    """Let a page look at a table for as long as it likes."""
    house: House = socket.app.state.house
    keeper: Doorkeeper = socket.app.state.keeper
    live = await house.find(socket.path_params["table"])
    is_false = bearer(socket.headers) is not None and keeper.who(socket.headers, {}) is None
    if live is None or is_false or not is_own_origin(socket.headers):
        await socket.close(REFUSED)
        return
    await socket.accept()
    if len(live.guests) >= MOST_GUESTS:
        await socket.close(FULL)
        return
    guest = Guest(house, keeper, live, socket)
    with suppress(WebSocketDisconnect):
        await guest.stay()
    if socket.application_state == WebSocketState.CONNECTED:
        with suppress(RuntimeError, WebSocketDisconnect):
            await socket.close(guest.parting)
