"""A table in memory: what its pages are shown, and who looks at it."""

from __future__ import annotations

import asyncio
import itertools
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from gridhouse.server.fair_pool import Habit
from gridhouse.server.settings import MAX_SUBSCRIBERS, MAX_WATCHERS_OF_ADDRESS
from gridhouse.server.tables.commands import RefusedError
from gridhouse.server.tables.company import PHRASE_PAUSE, PHRASES, company_of
from gridhouse.server.tables.renderer import LostError
from gridhouse.server.tables.rendering import render_here
from gridhouse.server.tables.table import FRIENDS, NEWS
from gridhouse.server.tables.visibility import Snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from starlette.websockets import WebSocket

    from gridhouse.server.fair_pool import FairPool
    from gridhouse.server.storage.records import Change
    from gridhouse.server.tables.messages import Message
    from gridhouse.server.tables.renderer import Renderer
    from gridhouse.server.tables.rendering import Rendered, Wanted
    from gridhouse.server.tables.table import Company, Table

    Subscriber = Callable[[], None]

NUMBERS = itertools.count()  # of tables in memory
AWAY_AFTER = 3.0  # seconds after which a closed page counts as closed, if it is not loaded again
COMPANY_PAUSE = 0.5  # seconds between two messages about who is there
MAX_VIEWS = MAX_SUBSCRIBERS  # of a position that are kept
FEW = 50  # moves of a view that may be rendered at once
SLOW = 0.004  # processor seconds of a view; the renderer serves all, so threads do longer ones


class Page(Protocol):
    """A page that shows a table to a visitor."""

    socket: WebSocket
    visitor: str | None
    address: str

    def hang_up(self, *, again: bool) -> None:
        """Close its connection, so that it comes again, or is loaded again to see why not."""

    def send(self, message: Message) -> None:
        """Send it a message."""

    def prepare(self, shown: Shown) -> None:
        """Have the view rendered that will show a change, if it is written."""


class View:
    """A view that is being rendered for several pages, each of which may go away."""

    def __init__(self, promise: asyncio.Future[Rendered]) -> None:
        """Share the promise of a renderer."""
        self._promise = promise
        self._is_kept = asyncio.Event()  # costs less than asyncio.shield for each who waits
        promise.add_done_callback(self._keep)

    def _keep(self, promise: asyncio.Future[Rendered]) -> None:
        self._is_kept.set()
        if not promise.cancelled():
            promise.exception()  # else it is logged where no page waits any more

    @property
    def is_ready(self) -> bool:
        """Whether it was rendered."""
        return self._promise.done()

    async def get(self) -> Rendered:
        """Return the view; raises LostError."""
        if not self.is_ready:
            await self._is_kept.wait()
        return self._promise.result()


class Shown:
    """A position that pages are shown, with its views."""

    def __init__(self, snapshot: Snapshot) -> None:
        """Start without views."""
        self.snapshot = snapshot
        self.views: dict[Wanted, View] = {}


class LiveTable:
    """A table in memory with its subscribers, which are called after every change.

    Those among them that are ``pages`` are told as well who comes and goes, and what friends say.
    """

    def __init__(self, table: Table, work: FairPool, changes: FairPool, renderer: Renderer) -> None:
        """Start without subscribers; the pools do what takes long."""
        self.table = table
        self.number = next(NUMBERS)
        self.changing, self.drawing = Habit(changes), Habit(work)
        self._work = work
        self._renderer = renderer
        self._is_slow = False  # whether the last view took long
        self.lock = asyncio.Lock()
        self.awaited = 0  # the version of another process that is to be read, 0 for none
        self.rematching = asyncio.Lock()  # of two who ask at once the second joins the first
        self.subscribers: dict[Subscriber, str] = {}  # with their addresses
        self.thinking: asyncio.Task[None] | None = None
        self.flag_timer: asyncio.TimerHandle | None = None
        self.shown = Shown(Snapshot(table))
        self.coming: Shown | None = None  # after a change that is being written
        self.pages: set[Page] = set()
        self._told_at = -COMPANY_PAUSE  # the time at which pages were told who is there
        self._telling: asyncio.TimerHandle | None = None  # that will tell them
        self._last_phrases: dict[int, float] = {}  # the time of each player's
        self.note_seats()

    @property
    def snapshot(self) -> Snapshot:
        """The current position."""
        return self.shown.snapshot

    def replace(self, table: Table) -> None:
        """Go on with the table after a change."""
        self._bring_news(table)
        self.table = table

    def _bring_news(self, table: Table) -> None:
        for name in NEWS:
            setattr(table, name, getattr(self.table, name))

    @contextmanager
    def applying(self, change: Change, after: Table) -> Iterator[None]:
        """Go on with the table after a change if that is written meanwhile."""
        self._bring_news(after)
        self.coming = Shown(Snapshot(after))
        try:
            self._renderer.change(self.number, change)
            yield
            self.replace(after)
            # The views are old if there was other news meanwhile.
            self.shown = self.coming or Shown(Snapshot(after))
        except BaseException:
            self._renderer.forget(self.number)  # it has a change that was not made
            raise
        finally:
            self.coming = None

    def prepare(self) -> None:
        """Have the views rendered that will show a change, unless they tell the time."""
        if self.coming is not None and not self.coming.snapshot.table.ticks():
            for page in self.pages:
                page.prepare(self.coming)

    def has_room(self, visitor: str | None, address: str) -> bool:
        """Tell whether another one may subscribe; watchers do not take the place of players.

        Nor do those of one address take the places of all watchers.
        """
        here = sum(other == address for other in self.subscribers.values())
        is_free = len(self.subscribers) < MAX_SUBSCRIBERS and here < MAX_WATCHERS_OF_ADDRESS
        return is_free or bool(self.table.seats_of(visitor))

    def stop(self) -> None:
        """Stop what goes on at the table by itself."""
        for waiting in (self.thinking, self.flag_timer):
            if waiting is not None:
                waiting.cancel()

    def drop_views(self) -> None:
        """Drop pictures and texts."""
        self.shown = Shown(Snapshot(self.table))
        self.coming = None

    def start_to_render(self, shown: Shown, wanted: Wanted) -> View:
        """Have a view rendered, once for all who want the same."""
        views, snapshot = shown.views, shown.snapshot
        view = views.get(wanted)
        if view is None or snapshot.table.ticks():
            if len(views) >= MAX_VIEWS:
                views.clear()
            view = views[wanted] = View(self._promise_of(snapshot, wanted))
        return view

    async def render(self, shown: Shown, wanted: Wanted) -> Rendered:
        """Return a view."""
        view = self.start_to_render(shown, wanted)
        try:
            found = await view.get()
        except LostError:
            if shown.views.get(wanted) is view:
                del shown.views[wanted]
            return await self.render(shown, wanted)
        self._is_slow = found.seconds > SLOW
        return found

    def _promise_of(self, snapshot: Snapshot, wanted: Wanted) -> asyncio.Future[Rendered]:
        if not self._is_slow:
            rendered = self._renderer.render(self.number, snapshot, wanted)
            if rendered is not None:
                return rendered
        is_short = len(snapshot.table.plies) - wanted.moves <= FEW
        drawing = self.drawing if is_short else Habit(self._work)
        return drawing.start(render_here, snapshot, wanted)

    def changed(self) -> None:
        """Show all subscribers what has changed."""
        self.drop_views()
        self.tell_subscribers()

    def tell_subscribers(self) -> None:
        """Tell all subscribers that the table has changed."""
        for subscriber in list(self.subscribers):
            subscriber()

    def arrive(self, page: Page) -> None:
        """Note that a page was opened, and tell the others; its own view says who is there."""
        self.pages.add(page)
        self._renderer.page_opened()
        self._note_company(but=page)

    def leave(self, page: Page) -> None:
        """Note that a page was closed, and tell the others unless it soon comes back."""
        self.pages.discard(page)
        self._renderer.page_closed()
        asyncio.get_running_loop().call_later(AWAY_AFTER, self._note_company)

    def note_seats(self) -> None:
        """Note who looks at the table, after a change that every page is shown anyway."""
        self.table.company = self._company()

    def _company(self) -> Company:
        return company_of(self.table, (page.visitor for page in self.pages))

    def _note_company(self, but: Page | None = None) -> None:
        """Note who is there, and tell it, not each time if many come and go: n pages hear it."""
        company = self._company()
        if company == self.table.company:
            return
        self.table.company = company
        self.shown.views.clear()  # they say who was there before
        self.coming = None
        wait = self._told_at + COMPANY_PAUSE - time.monotonic()
        if wait <= 0.0:
            self._tell_company(but)
        elif self._telling is None:
            self._telling = asyncio.get_running_loop().call_later(wait, self._tell_company)

    def _tell_company(self, but: Page | None = None) -> None:
        self._telling = None
        if self.pages - {but}:
            self._told_at = time.monotonic()
        present, watchers = self.table.company
        self._tell({"type": "presence", "present": [*present], "watchers": watchers}, but)

    def say(self, player: int, number: object) -> None:
        """Show a player's phrase to all pages; raises RefusedError."""
        if self.table.opponent != FRIENDS:
            raise RefusedError("phrases are for games between friends")
        if type(number) is not int or number not in range(len(PHRASES)):
            raise RefusedError(f"a phrase has a number from 0 to {len(PHRASES) - 1}")
        now = time.monotonic()
        if now - self._last_phrases.get(player, -PHRASE_PAUSE) < PHRASE_PAUSE:
            raise RefusedError("wait a moment before you say something again")
        self._last_phrases[player] = now
        name = self.table.names.get(self.table.seated_visitors[player])
        name = name or self.table.state.game.players[player]
        self._tell({"type": "phrase", "name": name, "text": PHRASES[number]})

    def _tell(self, message: Message, but: Page | None = None) -> None:
        for page in self.pages - {but}:
            page.send(message)
