"""An exercise: a position and what is to be done in it; the game itself judges each attempt.

Nothing is kept between two attempts: the page sends the moves that it has made so far.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypedDict

from gridhouse.core.errors import GridhouseError, IllegalMoveError, MoveError
from gridhouse.core.registry import parse
from gridhouse.server.tables.table import gesture
from gridhouse.server.tables.visibility import beginnings, no_move_reason_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gridhouse.server.tables.messages import Gesture

MAX_MOVES = 100  # that a page may send


class WrongMovesError(GridhouseError):
    """The moves that a page sent do not belong to the exercise."""


class Answer(TypedDict):
    """What a page shows after an attempt; ``moves`` are those made so far, replies included.

    ``done`` says that the exercise is solved, ``failed`` that a legal move was the wrong one.
    """

    board: str
    side: int
    status: str
    last: list[int]
    gestures: list[Gesture]
    acts: bool
    moves: list[str]
    done: bool
    failed: bool
    text: str


class Exercise(NamedTuple):
    """A position and what is to be done in it.

    ``lines`` are the wanted lines of moves, with the opponent's replies; a line may also end
    earlier with a won game.  With ``best``, a result of a game for one, any moves will do that
    reach it.  With ``refused``, a refusal in the game's words, one of the illegal moves ``tries``
    is wanted.  Without any of these, any legal move will do.  ``hint`` is said after a wrong move
    and ``praise`` in the end.
    """

    start: str
    lines: tuple[tuple[str, ...], ...] = ()
    best: int | None = None
    tries: tuple[str, ...] = ()
    refused: str = ""
    hint: str = ""
    praise: str = ""

    @property
    def takes_any_move(self) -> bool:
        """Whether any legal move will do."""
        return not (self.lines or self.tries)


class Course:
    """An exercise with the moves made so far."""

    def __init__(self, exercise: Exercise, moves: Sequence[str]) -> None:
        """Replay the moves; raises WrongMovesError if they do not belong to the exercise."""
        self.exercise = exercise
        self.state = parse(exercise.start)
        self.learner = self.state.current_player()
        self.moves: list[str] = []
        self.last: list[int] = []
        self.done = self.failed = False
        if len(moves) > MAX_MOVES:
            raise WrongMovesError(f"an exercise has at most {MAX_MOVES} moves")
        for move in moves:
            if self.done or self.failed or not (self._is_free() or self._continues(move)):
                raise WrongMovesError(f"{move[:40]!r} does not belong to this exercise")
            try:
                self._make(move)
            except MoveError as error:
                raise WrongMovesError(error.reason) from None
            self._judge()

    def _is_free(self) -> bool:
        return self.exercise.best is not None

    def _continues(self, move: str) -> bool:
        """Tell whether a wanted line goes on with a move."""
        made = (*self.moves, move)
        return self.exercise.takes_any_move or any(
            line[: len(made)] == made for line in self.exercise.lines
        )

    def _make(self, move: str) -> None:
        action = self.state.string_to_action(move)
        self.moves.append(self.state.action_to_string(action))
        self.last = [cell for cell in gesture(self.state, action)[0] if cell >= 0]
        self.state.apply_action(action)

    def _judge(self) -> None:
        """Note whether the exercise is solved, or cannot be solved any more."""
        best, game = self.exercise.best, self.state.game
        if best is None:
            made = tuple(self.moves) in self.exercise.lines or self.exercise.takes_any_move
            self.done = made or self._has_won()
            return
        result, over = game.result(self.state), self.state.is_terminal()
        enough = result <= best if game.fewer_is_better else result >= best
        self.done = over and enough
        self.failed = not self.done and (over or (game.fewer_is_better and result >= best))

    def _has_won(self) -> bool:
        return self.state.game.num_players > 1 and self.state.winner() == self.learner

    def try_cells(self, cells: list[int]) -> Answer:
        """Answer to cells with which no move begins."""
        reason, _ = no_move_reason_for(self.state, cells, beginnings(self.state))
        self.done = reason == self.exercise.refused
        return self.answer(reason)

    def try_move(self, text: str) -> Answer:
        """Answer to a move: make it, with the opponent's replies, or say what is wrong with it."""
        try:
            move = self.state.action_to_string(self.state.string_to_action(text))
        except IllegalMoveError as error:
            reason = self.state.why_not(error.refusal)
            self.done = reason == self.exercise.refused
            return self.answer(reason)
        except MoveError as error:
            return self.answer(error.reason)
        if not (self._is_free() or self._continues(move) or self._wins(move)):
            self.failed = True
            return self.answer(self.exercise.hint)
        self._make(move)
        self._judge()
        while not (self.done or self.failed) and self.state.current_player() != self.learner:
            self._make(self._reply())
            self._judge()
        if self.failed:
            result = self.state.game.write_result(self.exercise.best or 0)
            return self.answer(f"not yet: {result} can be reached")
        return self.answer("")

    def _wins(self, move: str) -> bool:
        """Tell whether a move wins a game for two at once, in an exercise with wanted lines."""
        if not self.exercise.lines or self.state.game.num_players == 1:
            return False
        after = self.state.clone()
        after.play(move)
        return after.winner() == self.learner

    def _reply(self) -> str:
        """Return the next move of a wanted line that goes on from here."""
        count = len(self.moves)
        return next(
            line[count] for line in self.exercise.lines if line[:count] == tuple(self.moves)
        )

    def next_wanted(self) -> str | None:
        """Return the next wanted move, None if no wanted line goes on from here."""
        if self.exercise.tries or self.exercise.takes_any_move:
            return (*self.exercise.tries, *self.state.legal_moves())[0]
        count = len(self.moves)
        for line in self.exercise.lines:
            if line[:count] == tuple(self.moves) and len(line) > count:
                return line[count]
        return None

    def gestures(self) -> list[Gesture]:
        """Return the legal moves, and the illegal ones that are to be tried."""
        state, rules = self.state, self.state.game
        tries = [rules.read_move(state.position, text) for text in self.exercise.tries]
        actions = {*state.legal_actions(), *(action for action in tries if action is not None)}
        return [
            (state.action_to_string(action), *gesture(state, action)) for action in sorted(actions)
        ]

    def answer(self, text: str) -> Answer:
        """Return what a page shows now, with a reason or a hint."""
        state = self.state
        over = state.is_terminal()
        stuck = self.failed and self._is_free()
        acts = not (over or self.done or stuck)
        status = state.game.status(state.observation(self.learner))
        outcome = state.game.outcome(state.position) if over else ""
        return {
            "board": state.picture(self.learner).inline(),
            "side": self.learner,
            "status": " - ".join(filter(None, (outcome, status))),
            "last": self.last,
            "gestures": self.gestures() if acts else [],
            "acts": acts,
            "moves": self.moves,
            "done": self.done,
            "failed": self.failed,
            "text": f"{sentence(text)} {self.exercise.praise if self.done else ''}".strip(),
        }


def sentence(text: str) -> str:
    """Return a reason as a sentence, "" for none."""
    return text[:1].upper() + text[1:] + ("" if text[-1:] in ("", ".", "!", "?") else ".")


def respond(
    exercise: Exercise, moves: Sequence[str], attempt: str | list[int] | None, *, shows: bool
) -> Answer:
    """Answer to a move or to cells after some moves; with ``shows`` make the wanted move.

    If no wanted line goes on from these moves, the shown solution begins at the start.  Raises
    WrongMovesError.
    """
    course = Course(exercise, moves)
    if shows and (course.failed or course.next_wanted() is None):
        course = Course(exercise, ())
    wanted = course.next_wanted() if shows else None
    if wanted is not None:
        answer = course.try_move(wanted)
        return {**answer, "text": f"The move is {wanted}. {answer['text']}".strip()}
    if course.done or course.failed or attempt is None:
        return course.answer("")
    return course.try_cells(attempt) if isinstance(attempt, list) else course.try_move(attempt)
