"""Whoever sits at a table of a running house as a competitor, through the house's API.

``docs/api.md`` describes the API.
"""

from __future__ import annotations

import http.client
import json
import math
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.parse import parse_qsl, urlsplit
from urllib.request import Request, urlopen

from gridhouse.arena.competitors.base import Competitor, ForfeitError, Reply
from gridhouse.arena.records import Termination
from gridhouse.arena.time_control import LONGEST_WAIT
from gridhouse.core.console import UsageError
from gridhouse.core.game import Game
from gridhouse.core.notation import parse_integer, shown
from gridhouse.players.levels import LEVELS

if TYPE_CHECKING:
    from collections.abc import Callable

    from gridhouse.arena.time_control import Turn
    from gridhouse.core.game import State

ARRIVAL_WAIT = 300  # seconds for somebody to sit down
ANSWER_WAIT = 10.0  # seconds for what the house answers at once
LONG_POLL = 20  # seconds of a request that waits for a change
LONGEST_ANSWER = 1 << 22  # bytes
TOO_MANY = 429
PAUSE = 0.2  # seconds before a request is sent again that was one too many


def _to_stderr(line: str) -> None:
    """Print a line to standard error."""
    print(line, file=sys.stderr, flush=True)


class RemoteCompetitor(Competitor):
    """A person or a bot at a table of a house, the arena's other player sitting opposite.

    The text is the address of a house, where each game founds a table and announces the link to sit
    down at, ``http://127.0.0.1:8017?wait=600``; or an invitation's link, whose table serves for one
    game and has to begin as it does.  ``wait`` are the seconds for somebody to sit down.  With
    ``level`` the house's machine plays.  The arena's clocks count; the tables have none.
    """

    def __init__(self, text: str, game: Game, announce: Callable[[str], None] = _to_stderr) -> None:
        """Read the text; raises UsageError."""
        self.name = text
        no_house = f"{shown(text)} is no house, http://…, nor the link of an invitation"
        try:
            parts = urlsplit(text)
            is_address = bool(parts.hostname and parts.port != 0)
        except ValueError:  # of the port as well
            raise UsageError(no_house) from None
        self._settings = _read(text, parts.query)
        house, _, link = f"{parts.scheme}://{parts.netloc}{parts.path}".partition("/t/")
        self._house = house.rstrip("/")
        self._table, _, self._invitation = link.strip("/").partition("/join/")
        if not is_address or (link and not self._invitation):
            raise UsageError(no_house)
        if self._table and "level" in self._settings:
            raise UsageError(f"{shown(text)}: level: an invitation is never for the machine")
        if not game.perfect_information and type(game).public_move is not Game.public_move:
            raise UsageError(
                f"{shown(text)}: {game.name} has secret moves, which a table does not tell"
            )
        self._announce = announce
        self._token = ""
        self._side = 0
        self._begun = 0  # moves of the game before the table began
        self._seen: dict[str, Any] = {}  # the table, as the house last showed it

    def begin(self, state: State, side: int, number: int) -> None:
        """Found the table of a game, or sit down at it, and wait for whoever plays."""
        self._side = side
        self._begun = len(state.history())
        self._seen = {}
        if self._table:
            if self._token:
                reason = "its invitation was for the table of an earlier game"
                raise ForfeitError(Termination.DISCONNECTION, reason)
            self._join(f"tables/{self._table}/seats", {"invitation": self._invitation})
            self._check(state)
            return
        opponent: dict[str, Any] = {"opponent": "friends"}
        if "level" in self._settings:
            opponent = {"opponent": "machine", "level": self._settings["level"]}
        self._join("tables", {"position": str(state), "side": 1 - side} | opponent)
        if "level" not in self._settings:
            self._announce(f"{self.name}: game {number} is played at {self._link()}")
        deadline = time.monotonic() + self._settings.get("wait", ARRIVAL_WAIT)
        while self._seat(side) == "nobody":
            if time.monotonic() >= deadline:
                reason = f"nobody sat down at {self._link()}"
                raise ForfeitError(Termination.DISCONNECTION, reason)
            self._wait(deadline)

    def choose(self, state: State, turn: Turn) -> Reply:
        """Tell the table what was played, and wait for the move."""
        is_timed = turn.clocks is not None or turn.control.seconds is not None
        deadline = time.monotonic() + (turn.deadline if is_timed else LONGEST_WAIT)
        ply = len(state.history()) - self._begun
        self._tell(state)
        while self._get("ply", int) <= ply:
            self._leave_if_over()
            if time.monotonic() >= deadline:
                kind = Termination.TIME if is_timed else Termination.STALL
                raise ForfeitError(kind, f"no move came at {self._place()}")
            if self._seen.get("asked"):
                with suppress(ForfeitError):  # the request may be withdrawn already
                    self._post("answer", {"agrees": False})
            self._wait(deadline)
        try:
            return Reply(str(self._get("moves", list)[ply]["move"]))
        except (IndexError, KeyError, TypeError):
            raise self._garbled("moves without their texts") from None

    def end(self, state: State, score: float) -> None:
        """Show the last moves; resign for the other player if it lost by other than the rules."""
        with suppress(ForfeitError):  # the game has ended as it is
            self._tell(state)
            if not self._get("over", bool) and score == float(self._side == 0):
                self._post("resign", {})
        self._seen = {}

    # The table

    def _check(self, state: State) -> None:
        """Raise ForfeitError unless the table is where a game begins, with the right free seat."""
        other = 1 - self._side
        wanted = f"{state.game} {state.observation_string(other)}"
        reason = ""
        if self._seat(other) != "you":
            reason = "its founder plays the wrong side"
        elif self._seen.get("clocks") is not None:
            reason = "its table has a clock, but the arena's clocks count"
        elif self._seen.get("position") != wanted or self._get("ply", int):
            reason = f"its table is not at {shown(wanted, 100)}"
        if reason:
            raise ForfeitError(Termination.DISCONNECTION, reason)

    def _tell(self, state: State) -> None:
        """Play the moves of the other player that the table does not know yet."""
        earlier = state.clone()
        missing = []
        for action in reversed(state.history()[self._begun + self._get("ply", int) :]):
            earlier.undo()
            missing.append((earlier.action_to_string(action), len(earlier.history())))
        for move, ply in reversed(missing):
            try:
                self._post("moves", {"move": move, "ply": ply - self._begun})
            except ForfeitError:
                self._seen = self._ask(f"tables/{self._get('id', str)}", None)
                self._leave_if_over()
                raise

    def _leave_if_over(self) -> None:
        """Raise ForfeitError if the table has ended though the game has not."""
        if self._get("over", bool):
            reason = f"{self._seen.get('outcome')}, says {self._place()}"
            raise ForfeitError(Termination.RESIGNATION, reason)

    def _seat(self, side: int) -> str:
        """Return who has a seat."""
        try:
            return str(self._get("seats", list)[side]["taken_by"])
        except (IndexError, KeyError, TypeError):
            raise self._garbled("seats that nobody can take") from None

    def _get(self, name: str, kind: type[Any]) -> Any:
        """Return a field of the table; raises ForfeitError."""
        value = self._seen.get(name)
        if not isinstance(value, kind):
            raise self._garbled(f"a table without its {name}")
        return value

    def _place(self) -> str:
        return f"{self._house}/t/{self._seen.get('id')}"

    def _link(self) -> str:
        return f"{self._house}{self._seen.get('invitation')}"

    def _garbled(self, what: str) -> ForfeitError:
        return ForfeitError(Termination.GARBLED, f"{self._house} answered with {what}")

    # Requests

    def _join(self, path: str, asked: dict[str, Any]) -> None:
        """Take a seat, by founding a table or at one."""
        joined = self._ask(path, asked)
        token, table = joined.get("token"), joined.get("table")
        if isinstance(token, str):
            self._token = token
        if not self._token or not isinstance(table, dict):
            raise self._garbled("no seat")
        self._seen = table

    def _post(self, command: str, asked: dict[str, Any]) -> None:
        """Send a command to the table."""
        self._seen = self._ask(f"tables/{self._seen.get('id')}/{command}", asked)

    def _wait(self, deadline: float) -> None:
        """Wait for the table to change, at most until a time."""
        left = max(0.0, deadline - time.monotonic())
        wait = min(LONG_POLL, math.ceil(left))
        path = f"tables/{self._seen.get('id')}?after={self._get('version', int)}&wait={wait}"
        seen = self._ask(path, None, min(left, LONG_POLL + ANSWER_WAIT), is_wait=True)
        self._seen = seen or self._seen

    def _ask(
        self,
        path: str,
        asked: dict[str, Any] | None,
        seconds: float = ANSWER_WAIT,
        *,
        is_wait: bool = False,
    ) -> dict[str, Any]:
        """Return the answer to a request; {} for one that waits in vain.  Raises ForfeitError."""
        headers = {"content-type": "application/json"}
        if self._token:
            headers["authorization"] = f"Bearer {self._token}"
        body = None if asked is None else json.dumps(asked).encode()
        request = Request(f"{self._house}/api/{path}", body, headers)
        deadline = time.monotonic() + seconds
        while True:
            left = max(0.001, deadline - time.monotonic())
            try:
                with urlopen(request, timeout=left) as answer:
                    said = json.loads(answer.read(LONGEST_ANSWER))
            except HTTPError as error:
                if error.code == TOO_MANY and (is_wait or time.monotonic() + PAUSE < deadline):
                    error.close()
                    time.sleep(PAUSE)
                    if is_wait:
                        return {}
                    continue
                raise ForfeitError(Termination.DISCONNECTION, self._refusal(error)) from None
            except (OSError, http.client.HTTPException) as error:
                reason = getattr(error, "reason", error)
                if is_wait and isinstance(reason, TimeoutError):
                    return {}
                why = f"{self._house} cannot be reached: {shown(str(reason), 100)}"
                raise ForfeitError(Termination.DISCONNECTION, why) from None
            except (ValueError, RecursionError):
                raise self._garbled("no JSON; is it a house?") from None
            if not isinstance(said, dict):
                raise self._garbled("no object of JSON; is it a house?")
            return said

    def _refusal(self, error: HTTPError) -> str:
        """Return why the house refused a request."""
        with error:
            try:
                detail = str(json.loads(error.read(LONGEST_ANSWER))["detail"])
            except (OSError, http.client.HTTPException, ValueError, TypeError, KeyError):
                detail = f"status {error.code}; is it a house?"
        return f"{self._house} refused: {shown(detail, 200)}"


def _read(text: str, query: str) -> dict[str, int]:
    """Return the settings of an address; raises UsageError."""
    settings: dict[str, int] = {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        allowed = {"wait": range(1, 86_401), "level": LEVELS}.get(name)
        if allowed is None:
            raise UsageError(f"{shown(text)}: there is no setting {shown(name)}: wait, level")
        number = parse_integer(value)
        if number is None or number not in allowed:
            raise UsageError(
                f"{shown(text)}: {name} is not in {allowed[0]}..{allowed[-1]}: {shown(value)}"
            )
        settings[name] = number
    return settings
