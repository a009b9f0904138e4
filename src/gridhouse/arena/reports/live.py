"""A tournament's file as the pages of its report, for a house that shows it while it is played."""

from __future__ import annotations

import sqlite3
import threading
from typing import TYPE_CHECKING

from gridhouse.arena.reports.page import (
    GAMES,
    RENEWING,
    STEPPING,
    file_name,
    game_page,
    index_page,
    is_open,
    pages,
)
from gridhouse.arena.reports.summary import Heading, summarize
from gridhouse.arena.store import Store
from gridhouse.core.console import UsageError
from gridhouse.reporting.pages import STYLE_FILE

if TYPE_CHECKING:
    from pathlib import Path

    from gridhouse.arena.records import GameRecord
    from gridhouse.arena.reports.summary import Summary

HTML, CSS, SCRIPT = "text/html", "text/css", "text/javascript"
HOUSE = "/"  # the way from a page to the house that serves it


class LiveReport:
    """The pages of a tournament by their names, as the file is now; it is only read."""

    def __init__(self, path: Path) -> None:
        """Read the settings; raises UsageError for a file that is no tournament."""
        self._path = path
        self._lock = threading.Lock()
        with Store(path) as store:
            settings = store.settings()
        if not settings:
            raise UsageError(f"{str(path)!r}: no tournament has begun in it")
        self._names = [player["name"] for player in settings["players"]]
        form = "match" if len(self._names) == 2 else settings["format"]
        self._heading = Heading(path.stem, settings["game"], settings["limit"], form)
        self._records: list[GameRecord] = []
        self._summary: Summary = summarize([], self._names)

    def __call__(self, name: str) -> tuple[str, str] | None:
        """Return the text and the type of a page or of what belongs to one, None if there is none.

        Raises UsageError for a file that can no longer be read.
        """
        if name == STYLE_FILE:
            return pages().style, CSS
        if name in (RENEWING, STEPPING):
            return pages().script(name), SCRIPT
        with self._lock:
            in_play = self._read()
            records, summary = self._records, self._summary
        if name == "index.html":
            page = index_page(records, self._heading, summary, in_play=in_play, is_served=True)
            return page, HTML
        for games in (records, in_play):
            for at, record in enumerate(games):
                if name == f"{GAMES}/{file_name(record)}" and is_open(record):
                    return self._game(games, at), HTML
        return None

    def _read(self) -> list[GameRecord]:
        """Read which games have ended since, and return those in play."""
        try:
            with Store(self._path) as store:
                if store.count() != len(self._records):
                    self._records = store.records()
                    self._summary = summarize(self._records, self._names)
                return store.in_play()
        except sqlite3.Error as error:
            raise UsageError(f"{str(self._path)!r}: {error}") from None

    def _game(self, games: list[GameRecord], at: int) -> str:
        before, after = games[at - 1] if at else None, (*games[at + 1 : at + 2], None)[0]
        return game_page(
            games[at], self._heading, neighbours=(before, after), house=HOUSE, is_served=True
        )
