"""The referee: one game between two competitors, by the rules and the clock."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gridhouse.arena.competitors.base import ForfeitError
from gridhouse.arena.records import GameRecord, PlayedMove, Termination
from gridhouse.arena.time_control import Clocks
from gridhouse.core.errors import MoveError
from gridhouse.core.game import TERMINAL

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gridhouse.arena.competitors.base import Competitor, Reply
    from gridhouse.arena.time_control import TimeControl
    from gridhouse.core.game import State

    Prover = Callable[[State], float | None]
    Watch = Callable[[Callable[[], GameRecord]], None]

DRAW = 0.5
AGREED_VALUE = 0.9  # from which on a player holds its game to be won


@dataclass(frozen=True)
class Adjudication:
    """When a game ends before the rules end it; by default never.

    ``prover`` returns the value of a position for the player to move where it is known for sure.
    ``agreement`` is the number of moves in a row of each side whose values name the same winner.
    ``length`` is the number of moves after which a game is a draw.
    """

    prover: Prover | None = None
    agreement: int = 0
    length: int = 0


def play(
    opening: State,
    competitors: Sequence[Competitor],
    control: TimeControl,
    *,
    number: int = 0,
    own: Sequence[TimeControl | None] = (None, None),
    adjudication: Adjudication | None = None,
    watch: Watch = lambda _: None,
) -> GameRecord:
    """Play a game from an opening to its end and return its record.

    ``competitors``, and time controls of their ``own``, are given by side.  ``watch`` is called
    after each move with what makes the record so far.
    """
    clocks = Clocks(control, own)
    game = _Game(opening, competitors, clocks, number, adjudication or Adjudication())
    try:
        game.play(watch)
    except ForfeitError as forfeit:
        game.lose(forfeit)
    record = game.record()
    for competitor in competitors:
        competitor.end(game.state.clone(), record.score)
    return record


class _Game:
    """A game in play."""

    def __init__(
        self,
        opening: State,
        competitors: Sequence[Competitor],
        clocks: Clocks,
        number: int,
        adjudication: Adjudication,
    ) -> None:
        self.opening = str(opening)
        self.state = opening.clone()
        self.competitors = competitors
        self.clocks = clocks
        self.number = number
        self.adjudication = adjudication
        self.moves: list[PlayedMove] = []
        self.agreed: list[float] = []  # the results that the last moves' values name
        self.side = 0  # who acts now, and so who is to blame
        self.end: tuple[float, Termination, str] | None = None

    def play(self, watch: Watch) -> None:
        """Play to the end; raises ForfeitError of the side ``side``."""
        for side, competitor in enumerate(self.competitors):
            self.side = side
            competitor.begin(self.state.clone(), side, self.number)
        while self.end is None:
            self.side = self.state.current_player()
            if self.side == TERMINAL:
                self.end = (1 + self.state.returns()[0]) / 2, Termination.RULES, ""
                return
            self.end = self._adjudicated()
            if self.end is None:
                self._move()
                watch(self.record)

    def _move(self) -> None:
        """Have the side to move choose, check its move and its time, and play it."""
        turn = self.clocks.turn(self.side)
        started = time.perf_counter()
        reply = self.competitors[self.side].choose(self.state.clone(), turn)
        measured = time.perf_counter() - started
        seconds = measured if reply.seconds is None else reply.seconds
        left = self.clocks.left[self.side]
        if not self.clocks.spend(self.side, seconds):
            control = self.clocks.controls[self.side]
            limit = control.seconds if control.base is None else left
            reason = f"the move came after {seconds:.3f} s, {limit:.3f} s were left"
            raise ForfeitError(Termination.TIME, reason)
        try:
            action = self.state.string_to_action(reply.move)
        except MoveError as error:
            raise ForfeitError(Termination.ILLEGAL, str(error)) from None
        text = self.state.action_to_string(action)
        self.state.apply_action(action)
        self.moves.append(PlayedMove(text, round(seconds, 6), reply.value, reply.work))
        self._note(reply)

    def _note(self, reply: Reply) -> None:
        """Note the result for the first side that the value of a move names.

        No value names a draw: an open game has the value 0, too.
        """
        value = reply.value
        named = None
        if value is not None and abs(value) >= AGREED_VALUE:
            named = float((value > 0) == (self.side == 0))
        if named is None or (self.agreed and self.agreed[-1] != named):
            self.agreed.clear()
        if named is not None:
            self.agreed.append(named)

    def _adjudicated(self) -> tuple[float, Termination, str] | None:
        """Return the end that an adjudication gives, None if the game goes on."""
        wanted = self.adjudication
        if wanted.length and len(self.moves) >= wanted.length:
            return DRAW, Termination.LENGTH, f"{len(self.moves)} moves were played"
        if wanted.agreement and len(self.agreed) >= 2 * wanted.agreement:
            reason = f"the values of the last {len(self.agreed)} moves agree"
            return self.agreed[-1], Termination.AGREEMENT, reason
        value = wanted.prover(self.state) if wanted.prover is not None else None
        if value is None:
            return None
        mine = (1 + value) / 2
        score = mine if self.side == 0 else 1 - mine
        return score, Termination.PROOF, "a solver has proved the result"

    def lose(self, forfeit: ForfeitError) -> None:
        """End the game as lost for the side that acts."""
        self.end = float(self.side == 1), forfeit.termination, forfeit.reason

    def record(self) -> GameRecord:
        """Return the record of the game as it is."""
        names = self.competitors[0].name, self.competitors[1].name
        end = self.end or (DRAW, Termination.IN_PLAY, "")
        return GameRecord(self.number, self.opening, names, *end, tuple(self.moves))
