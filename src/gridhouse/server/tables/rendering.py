"""Views of a table as the texts that are sent to its pages."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, NamedTuple

import orjson

from gridhouse.server.tables.translating import in_language
from gridhouse.server.tables.visibility import Known, Snapshot, Viewpoint, view

if TYPE_CHECKING:
    from typing import Any

    from gridhouse.server.tables.messages import Message

Parts = tuple[str, ...]
# The board that a page has: its parts, the number by which a renderer knows it, or None for none.
BoardKey = Parts | int | None


class Wanted(NamedTuple):
    """A view that a page wants, and what the page has of its table: some moves, and a board."""

    viewpoint: Viewpoint
    sits: bool
    moves: int
    board: BoardKey
    language: str
    invitation: str

    def packed(self) -> tuple[Any, ...]:
        """Return the same as plain tuples, which are quicker to pickle."""
        return tuple(self.viewpoint), *self[1:]

    @classmethod
    def unpacked(cls, packed: tuple[Any, ...]) -> Wanted:
        """Return what was packed."""
        viewpoint, *rest = packed
        return cls(Viewpoint(*viewpoint), *rest)


class Rendered(NamedTuple):
    """A view as JSON, the board that a page has from then on, and the processor seconds it took."""

    text: str
    board: BoardKey
    seconds: float


def encode(message: Message) -> str:
    """Return a message to a page as JSON."""
    try:
        return orjson.dumps(message).decode()
    except TypeError:  # half of a pair of surrogates, which is no UTF-8, or more than 64 bits
        return json.dumps(message, separators=(",", ":"))


def render(snapshot: Snapshot, wanted: Wanted, board: Parts) -> tuple[str, Parts, float]:
    """Return a view as JSON, the parts of its board, and the processor seconds that it took.

    The page has the parts ``board``.
    """
    began = time.thread_time()
    known = Known(wanted.moves, board)
    shown = view(snapshot, wanted.viewpoint, sits=wanted.sits, known=known)
    if wanted.sits and snapshot.table.open_seats():
        shown["invitation"] = f"/t/{snapshot.table.id}/join/{wanted.invitation}"
    text = encode(in_language(shown, wanted.language))
    return text, snapshot.board(wanted.viewpoint).parts, time.thread_time() - began


def render_here(snapshot: Snapshot, wanted: Wanted) -> Rendered:
    """Render a view in this process; a board that only a renderer knows is sent whole."""
    board = wanted.board if isinstance(wanted.board, tuple) else ()
    return Rendered(*render(snapshot, wanted, board))
