"""The review of a finished game: every position evaluated in the background, and what that shows.

``docs/house.md`` has the formulas and the thresholds.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from typing import TYPE_CHECKING, NamedTuple

from gridhouse.core.registry import parse
from gridhouse.players import Limits
from gridhouse.server.tables.commands import RefusedError
from gridhouse.server.tables.table import gesture
from gridhouse.server.tables.visibility import capital

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gridhouse.core.game import State
    from gridhouse.core.position import Position
    from gridhouse.server.engine_pool import EnginePool
    from gridhouse.server.fair_pool import FairPool
    from gridhouse.server.tables.messages import Attempt, Review, ReviewedMove
    from gridhouse.server.tables.table import Table

log = logging.getLogger("gridhouse.server")
MAX_POSITIONS = 400  # of a game; of longer games every second, third, ... position is evaluated
WHOLE_GAME = 60.0  # seconds that the searches of a review take together, within these limits
MIN_SECONDS, MAX_SECONDS = 0.1, 0.4  # of a search
ABSENCE = 8.0  # seconds after the last request when a review pauses
MAX_KEPT = 30  # reviews in memory
MOMENTS = 3
LINE_LENGTH = 6  # moves of a better line
MARKS = ("inaccuracy", "mistake", "blunder")
# The least loss for each mark: points of win probability, or in a game for one percent of the best
# result of the whole game.
LOSSES = (10.0, 20.0, 30.0)
LOSSES_ALONE = (2.0, 10.0, 25.0)
PROVED = "Proved"  # the first word of a solver's verdict if it is final


class Evaluation(NamedTuple):
    """What is known of a position.

    ``value`` is the expected result of player 0, from -1 to 1, or in a game for one the best result
    that can still be reached; None if it is unknown.  ``line`` is the best play from here.
    """

    value: float | None
    proved: bool = False
    line: tuple[int, ...] = ()


def win_probability(value: float) -> float:
    """Return the probability in percent that belongs to an expected result from -1 to 1."""
    return 50 + 50 * value


def move_accuracy(loss: float) -> float:
    """Return the accuracy of a move, 0 to 100, that loses points of win probability.

    The formula is lichess's (https://lichess.org/page/accuracy).
    """
    return min(100.0, max(0.0, 103.1668 * math.exp(-0.04354 * loss) - 3.1669))


def mark_of(loss: float, least: tuple[float, ...]) -> str:
    """Return the mark of a move by its loss, "" for a good move."""
    marks = [mark for mark, from_here in zip(MARKS, least, strict=True) if loss >= from_here]
    return marks[-1] if marks else ""


def chance_text(probability: float) -> str:
    """Return an estimated probability in words; what is not proved is never certain."""
    return f"{min(99, max(1, round(probability)))}%"


class GameReview:
    """The review of one game, shared by all who look at it."""

    def __init__(self, table: Table, work: FairPool) -> None:
        """Take the moves of a finished game; the pool plays them again."""
        self.work = work
        self.start = table.start
        self.end = table.state
        self.actions = self.end.history()
        self.plies = list(table.plies)
        self.game = table.state.game
        self.is_alone = self.game.num_players == 1
        self.is_hidden = table.ever_secret
        self.every = math.ceil((len(self.plies) + 1) / MAX_POSITIONS)
        self.last = len(self.plies)
        # The positions to evaluate; the last one is always among them.
        self.wanted = sorted({*range(0, self.last + 1, self.every), self.last}, reverse=True)
        self.seconds = min(MAX_SECONDS, max(MIN_SECONDS, WHOLE_GAME / len(self.wanted)))
        self.positions: dict[int, Position] = {}  # without the moves before: they would take more
        self.evaluations: dict[int, Evaluation] = {}
        self.seen: dict[str, float] = {}  # when each visitor last asked for it
        self.trying: set[str] = set()  # the visitors who wait for the answer to a try
        self.failed = False
        self._running: asyncio.Task[None] | None = None

    @property
    def done(self) -> bool:
        """Whether all positions are evaluated."""
        return len(self.evaluations) == len(self.wanted)

    def look(self, engines: EnginePool, visitor: str) -> None:
        """Note that a visitor looks, and go on with the evaluation."""
        self.seen[visitor] = time.monotonic()
        if not self.done and not self.failed and (self._running is None or self._running.done()):
            self._running = asyncio.create_task(self._run(engines))

    def is_seen(self) -> bool:
        """Tell whether anybody looks at it."""
        since = time.monotonic() - ABSENCE
        self.seen = {who: when for who, when in self.seen.items() if when > since}
        return bool(self.seen)

    def leave(self, visitor: str) -> None:
        """Pause when the last visitor has left."""
        self.seen.pop(visitor, None)
        if not self.seen:
            self.stop()

    def stop(self) -> None:
        """Pause; what has been evaluated is kept."""
        if self._running is not None:
            self._running.cancel()

    async def _run(self, engines: EnginePool) -> None:
        """Evaluate backwards, so that what is known of later positions helps with earlier ones."""
        try:
            if not self.positions:
                self.positions = dict(await self.work.collect(self._replayed()))
            for ply in self.wanted:
                if ply not in self.evaluations:
                    if not self.is_seen():
                        return
                    found = await self._evaluate(engines, self._state(ply))
                    self.evaluations[ply] = self._improved(ply, found)
                    self._prove_after(ply)
            if self.every > 1:
                self.positions = {}  # no move has a mark, and long games are large
        except Exception:
            log.exception("a review failed")
            self.failed = True

    def _replayed(self) -> Iterator[tuple[int, Position] | None]:
        """Yield the positions to evaluate with the number of moves before them; None in pauses."""
        state, wanted = parse(self.start), set(self.wanted)
        yield 0, state.position.copy()
        for ply, action in enumerate(self.actions, 1):
            state.apply_action(action)
            yield (ply, state.position.copy()) if ply in wanted else None

    def _state(self, ply: int) -> State:
        """Return the game after so many moves."""
        return self.end.past(ply, (ply, self.positions[ply], []))

    async def _evaluate(self, engines: EnginePool, state: State) -> Evaluation:
        """Search a position."""
        if state.is_terminal():
            result = self.game.result(state) if self.is_alone else state.returns()[0]
            return Evaluation(float(result), proved=True)
        choice = await engines.choose(state.clone(), limits=Limits(seconds=self.seconds))
        proved = choice.verdict.startswith(PROVED)
        line = choice.line or (choice.action,)
        if state.has_hidden_information():
            line = line[:1]  # the rest may be legal only where the player thought the pieces are
        if not self.is_alone:
            value = choice.value
            if value is not None and state.current_player() == 1:
                value = -value
            return Evaluation(value, proved, line)
        end = state.clone()
        for action in line:
            end.apply_action(action)
        if end.is_terminal():
            return Evaluation(float(self.game.result(end)), proved, line)
        return Evaluation(None if self.game.fewer_is_better else choice.value, proved, line)

    def gain(self, ply: int, value: float) -> float:
        """Return a value as the player to move at a ply wants it, the more the better."""
        if self.is_alone:
            return -value if self.game.fewer_is_better else value
        return value if self.plies[ply].player == 0 else -value

    def _improved(self, ply: int, found: Evaluation) -> Evaluation:
        """Return an evaluation that is at least as good as that of the move that was played."""
        after = self.evaluations.get(ply + 1)
        if after is None or after.value is None or found.proved:
            return found
        wins = not self.is_alone and after.proved and self.gain(ply, after.value) == 1
        if wins or found.value is None or self.gain(ply, after.value) > self.gain(ply, found.value):
            return Evaluation(after.value, wins, (self.actions[ply], *after.line))
        return found

    def _prove_after(self, ply: int) -> None:
        """Note that whatever is played in a position that is proved to be lost, loses."""
        before, after = self.evaluations[ply], self.evaluations.get(ply + 1)
        if self.is_alone or after is None or not before.proved or before.value is None:
            return
        if self.gain(ply, before.value) == -1:
            self.evaluations[ply + 1] = Evaluation(before.value, proved=True, line=after.line)

    # What it shows.

    def loss(self, ply: int) -> float | None:
        """Return what the move after a ply lost, None while that is unknown and in long games.

        In points of win probability, or in a game for one in percent of the best result.
        """
        before, after = self.evaluations.get(ply), self.evaluations.get(ply + 1)
        if self.every > 1 or before is None or after is None:
            return None
        if before.value is None or after.value is None:
            return None
        # Where something is hidden, the players' searches do not know the same.
        if self.is_hidden and not (before.proved and after.proved):
            return None
        lost = max(0.0, self.gain(ply, before.value) - self.gain(ply, after.value))
        if not self.is_alone:
            return 50 * lost
        best = self.best()
        return 100 * lost / max(1.0, abs(best)) if best is not None else None

    def best(self) -> float | None:
        """Return the best result of the whole game for one, None while it is unknown."""
        first = self.evaluations.get(0)
        return None if first is None else first.value

    def accuracy(self, player: int) -> float | None:
        """Return a player's accuracy, 0 to 100, None if it is unknown."""
        if self.is_alone:
            best, end = self.best(), self.evaluations[self.last].value
            if not best or not end or best < 0 or end < 0:
                return None
            return 100 * min(best, end) / max(best, end)
        losses = [self.loss(ply) for ply, made in enumerate(self.plies) if made.player == player]
        known = [move_accuracy(loss) for loss in losses if loss is not None]
        return sum(known) / len(known) if known else None

    def report(self, seats: list[int]) -> Review:
        """Return what is known so far; the visitor plays ``seats``."""
        moves = [self._move(ply) for ply in range(self.last)]
        bad = [(move["loss"], ply) for ply, move in enumerate(moves) if move["mark"]]
        worst = sorted(ply for _, ply in sorted(bad, key=lambda each: -each[0])[:MOMENTS])
        known = [self.evaluations.get(ply) for ply in range(self.last + 1)]
        players = range(self.game.num_players)
        best = self.best() if self.is_alone else None
        return {
            "type": "review",
            "done": len(self.evaluations),
            "positions": len(self.wanted),
            "every": self.every,
            "failed": self.failed,
            "hidden": self.is_hidden,
            "alone": self.is_alone,
            "fewer": self.game.fewer_is_better,
            "players": list(self.game.players),
            "seats": seats,
            "values": [each.value if each else None for each in known],
            "proved": [bool(each and each.proved) for each in known],
            "texts": [self._judged(ply) for ply in range(self.last + 1)],
            "moves": moves,
            "moments": worst if self.done else [],
            "accuracy": [self.accuracy(player) if self.done else None for player in players],
            "best": "" if best is None else self._result(0, best),
        }

    def _move(self, ply: int) -> ReviewedMove:
        """Return what is known of the move after a ply."""
        made, loss = self.plies[ply], self.loss(ply)
        mark = mark_of(loss or 0.0, LOSSES_ALONE if self.is_alone else LOSSES)
        better, cells = self._better(ply) if mark else ([], [])
        return {
            "name": self.game.players[made.player],
            "player": made.player,
            "move": made.move,
            "note": made.comments[0],
            "mark": mark,
            "loss": round(loss or 0.0, 1),
            "text": self._text(ply) if mark else "",
            "better": better,
            "cells": cells,
        }

    def _judged(self, ply: int) -> str:
        """Return the evaluation of a position in words, "" if there is none."""
        found = self.evaluations.get(ply)
        if found is None or found.value is None:
            return ""
        if self.is_alone:
            return capital(f"{self._result(ply, found.value)} can be reached")
        if not found.proved:
            chance = chance_text(win_probability(found.value))
            return f"{self.game.players[0]}'s chance to win: {chance}"
        if not found.value:
            return "Proved: a draw"
        return f"Proved: {self.game.players[found.value < 0]} wins"

    def _better(self, ply: int) -> tuple[list[str], list[int]]:
        """Return the moves of the better line, and the cells of the first one."""
        state, moves = self._state(ply), []
        line = self.evaluations[ply].line[:LINE_LENGTH]
        cells = gesture(state, line[0])[0] if line else []
        for action in line:
            moves.append(state.action_to_string(action))
            state.apply_action(action)
        return moves, cells

    def _text(self, ply: int) -> str:
        """Return in words what the move after a ply lost."""
        before, after = self.evaluations[ply].value, self.evaluations[ply + 1].value
        assert before is not None
        assert after is not None
        if self.is_alone:
            can, left = self._result(ply, before), self._result(ply + 1, after)
            return f"The best result was {can}; after this move it is {left}."
        chances = [win_probability(self.gain(ply, value)) for value in (before, after)]
        if self.evaluations[ply].proved and self.evaluations[ply + 1].proved:
            was, became = (RESULTS[chance] for chance in chances)
            return f"Proved: {was} before this move, {became} after it."
        told = [chance_text(chance) for chance in chances]
        name = self.game.players[self.plies[ply].player]
        return f"{name}'s chance to win fell from {told[0]} to {told[1]}."

    def _result(self, ply: int, value: float) -> str:
        """Return the result that can be reached, in words."""
        about = "" if self.evaluations[ply].proved else "about "
        return about + self.game.write_result(round(value))

    async def attempt(self, engines: EnginePool, visitor: str, ply: int, text: str) -> Attempt:
        """Judge another move at a ply; raises RefusedError or MoveError."""
        before = self.evaluations.get(ply)
        if before is None or before.value is None or ply not in self.positions or ply == self.last:
            raise RefusedError("this position is not evaluated")
        if visitor in self.trying:
            raise RefusedError("one move at a time")
        state = self._state(ply)
        action = state.string_to_action(text)
        state.apply_action(action)
        if before.line and action == before.line[0]:
            return {"right": True, "text": "Right, that is the best move."}
        if action == self.actions[ply]:
            return {"right": False, "text": "That was played in the game. Try another move."}
        self.trying.add(visitor)
        try:
            after = await self._evaluate(engines, state)
        finally:
            self.trying.discard(visitor)
        if after.value is None:
            raise RefusedError("this move has no evaluation")
        lost = self.gain(ply, before.value) - self.gain(ply, after.value)
        if self.is_alone:
            told = self.game.write_result(round(after.value))
            about = "" if after.proved else "about "
            is_right = 100 * lost < LOSSES_ALONE[0] * max(1.0, abs(before.value))
            says = f"{about}{told} can be reached with it."
        else:
            is_right = 50 * lost < LOSSES[0]
            chance = chance_text(win_probability(self.gain(ply, after.value)))
            says = f"the chance to win is {chance}."
        return {"right": is_right, "text": f"{'Right' if is_right else 'There is better'}: {says}"}


RESULTS = {100.0: "won", 50.0: "drawn", 0.0: "lost"}  # by a proved probability


class Reviews:
    """The reviews of a server: those looked at run, one for each visitor."""

    def __init__(self, engines: EnginePool, work: FairPool) -> None:
        """Start without reviews."""
        self.engines = engines
        self.work = work
        self._kept: dict[str, GameReview] = {}

    def of(self, table: Table, visitor: str) -> GameReview:
        """Return the review of a table, which goes on while visitors ask for it.

        Raises RefusedError while the game goes on.
        """
        if not table.over:
            raise RefusedError("the game is not over")
        review = self._kept.pop(table.id, None)
        if review is None or review.actions != table.state.history():
            if review is not None:
                review.stop()
            review = GameReview(table, self.work)
        self._kept[table.id] = review  # in the order of their last use
        for other in self._kept.values():
            if other is not review and visitor in other.seen:
                other.leave(visitor)
        review.look(self.engines, visitor)
        if len(self._kept) > MAX_KEPT:
            left = (name for name, other in self._kept.items() if not other.is_seen())
            self._kept.pop(next(left, next(iter(self._kept)))).stop()
        return review

    def close(self) -> None:
        """Stop all reviews."""
        for review in self._kept.values():
            review.stop()
