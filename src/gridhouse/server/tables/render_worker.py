"""The process that renders views for a house: ``python -m`` this module, started by ``renderer``.

It reads pickled messages from its standard input, each of which names a method of ``Copies``, and
writes pickled answers to its standard output, each after its length.
"""

from __future__ import annotations

import itertools
import os
import pickle
import signal
import sys
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from gridhouse.core.registry import game_class, games
from gridhouse.server import clock, memory
from gridhouse.server.languages import languages
from gridhouse.server.storage.records import StoredTable
from gridhouse.server.tables.rendering import Parts, Rendered, Wanted, render
from gridhouse.server.tables.table import Table
from gridhouse.server.tables.visibility import Snapshot, viewpoint_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import BinaryIO

    from gridhouse.server.storage.records import Change

HEAD = 4  # bytes before an answer, which tell how many it has
MAX_BOARDS = 8  # of a table that are kept, so that a page is sent what changes


class Copy:
    """A table of the house, with the pictures that were made of it."""

    def __init__(self, table: Table) -> None:
        """Start with a table."""
        self._boards: OrderedDict[int, Parts] = OrderedDict()
        self.replace(table)

    def replace(self, table: Table) -> None:
        """Go on with the table after a change."""
        self.table = table
        # By the ply that is looked back at, None for the current position.
        self._snapshots: dict[int | None, Snapshot] = {None: Snapshot(table)}

    def render(self, ply: int | None, wanted: Wanted, numbers: Iterator[int]) -> Rendered:
        """Render the table, or its position after a number of moves; a new board gets a number."""
        if ply not in self._snapshots:
            self._snapshots = {None: self._snapshots[None], ply: Snapshot(self.table, ply)}
        known = self._boards.get(wanted.board, ()) if isinstance(wanted.board, int) else ()
        text, parts, seconds = render(self._snapshots[ply], wanted, known)
        number = next((at for at, kept in self._boards.items() if kept == parts), None)
        if number is None:
            number = next(numbers)
            self._boards[number] = parts
            if len(self._boards) > MAX_BOARDS:
                self._boards.popitem(last=False)
        return Rendered(text, number, seconds)


class Copies:
    """The tables that this process has, by their numbers in the house; a method a message."""

    def __init__(self, sink: BinaryIO, first: int) -> None:
        """Start without tables; boards have numbers from ``first`` on."""
        self._sink = sink
        self._numbers = itertools.count(first)
        self._copies: dict[int, Copy] = {}

    def table(self, which: int, table: Table) -> None:
        """Take a whole table."""
        if which in self._copies:
            self._copies[which].replace(table)
        else:
            self._copies[which] = Copy(table)

    def change(self, which: int, change: Change) -> None:
        """Change a table."""
        copy = self._copies[which]
        copy.replace(copy.table.after(change))

    def news(self, which: int, news: dict[str, Any]) -> None:
        """Set what may change without a change of the game."""
        for name, value in news.items():
            setattr(self._copies[which].table, name, value)

    def view(self, which: int, number: int, ply: int | None, packed: tuple[Any, ...]) -> None:
        """Render a view that a page wants, and send it."""
        wanted = Wanted.unpacked(packed)
        self.answer(number, *self._copies[which].render(ply, wanted, self._numbers))

    def forget(self, which: int) -> None:
        """Drop a table."""
        self._copies.pop(which, None)

    def answer(self, *values: Any) -> None:
        """Send an answer.

        The first one has no values, and says that the process is ready.  After a fault the values
        are the table and its name.
        """
        data = pickle.dumps(values)
        self._sink.write(len(data).to_bytes(HEAD, "big") + data)
        self._sink.flush()


def load_games() -> None:
    """Render each game in each language, so that nobody waits until what it needs is loaded."""
    for name in games():
        table = Table(StoredTable("", str(game_class(name)().new_initial_state(0)), "hotseat"))
        for language in languages():
            wanted = Wanted(viewpoint_of(table, None, None), False, 0, None, language, "")
            render(Snapshot(table), wanted, ())


def serve(source: BinaryIO, copies: Copies) -> None:
    """Carry out messages until the source ends; the house is told of what fails."""
    does: dict[str, Callable[..., None]] = {
        "table": copies.table,
        "change": copies.change,
        "news": copies.news,
        "view": copies.view,
        "forget": copies.forget,
    }
    copies.answer()
    while True:
        try:
            kind, which, *values = pickle.load(source)
        except EOFError:
            return
        try:
            does[kind](which, *values)
        except Exception as error:
            copies.answer(which, f"{type(error).__name__}: {error}")


def main() -> None:
    """Serve the house that started this process."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # it ends with the house, which may say farewell
    clock.begin(int(sys.argv[1]))
    load_games()
    memory.settle()
    try:
        # Without a buffer, as PYTHONUNBUFFERED has it, a write that is interrupted drops the rest.
        with open(sys.stdout.fileno(), "wb", closefd=False) as sink:
            serve(sys.stdin.buffer, Copies(sink, int(sys.argv[2])))
    except BrokenPipeError:  # the house is gone
        os._exit(1)  # Python would try to flush what nobody reads


if __name__ == "__main__":
    main()
