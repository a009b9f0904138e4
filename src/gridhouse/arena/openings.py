"""Openings of matches: starts with some random moves that favour neither side, and books of them.

Every opening is played twice, with the sides swapped.  An opening that is decided is fair as well,
but its pair of games is a drawn one between good players, and tells nothing.
"""

from __future__ import annotations

import hashlib
import random
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import platformdirs

import gridhouse
from gridhouse.arena.adjudication import prover_for
from gridhouse.core.components import component
from gridhouse.core.console import UsageError, read_file, write_whole
from gridhouse.core.errors import GridhouseError, PlayerError
from gridhouse.core.registry import parse
from gridhouse.players import Limits, player

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gridhouse.core.game import Game, State

PLIES = 4  # random moves of a game whose starts are all the same
JUDGE_LIMITS = Limits(nodes=20_000)
JUDGE_TABLE = 1 << 14
BALANCED = 0.5  # the largest value, from 0 to 1, of a balanced opening
# Tries in a row without a new balanced opening, after which the game is taken to have few of them.
PATIENCE = 50
UNJUDGED = "-"


class Opening(NamedTuple):
    """A position to begin from, and its value for the player to move, None if nobody can say."""

    state: State
    value: float | None


def openings_for(
    game: Game,
    count: int,
    *,
    seed: int = 0,
    plies: int | None = None,
    book: Sequence[State] | None = None,
    balanced: bool = True,
) -> Iterator[State]:
    """Return openings, the same for the same seed on every machine, none of them over.

    They are drawn from a book, or are starts of the game after ``plies`` random moves: by default
    ``PLIES``, or none if the starts are random.  No opening comes twice while there are others, and
    nothing is hidden in one unless something is at every start.

    Balanced openings have no proved result, and a value of at most ``BALANCED`` by a search of a
    fixed number of nodes; there is no search where a solver proves or something is hidden.  If
    ``PATIENCE`` tries in a row find no such opening, what they found is used as well, the most
    balanced first, so that of a game that is always decided every opening is.

    Raises PlayerError for games of one, and for those that are over at their start.
    """
    if game.num_players != 2:
        raise PlayerError(f"{game.name} is not a game of two")
    if book is not None:
        return _drawn(book, count, seed)
    return (opening.state for opening in _made(game, count, seed, plies, balanced=balanced))


def _drawn(book: Sequence[State], count: int, seed: int) -> Iterator[State]:
    """Yield the openings of a book in random order, again and again."""
    rng = random.Random(seed)
    while count > 0:
        drawn = rng.sample(book, min(count, len(book)))
        yield from (state.clone() for state in drawn)
        count -= len(drawn)


def _made(
    game: Game, count: int, seed: int, plies: int | None, *, balanced: bool = True
) -> Iterator[Opening]:
    """Yield new openings."""
    starts = _Starts(game, seed, plies)
    judge = _Judge(game) if balanced else None
    rejected: list[Opening] = []
    misses = 0
    while count > 0:
        state = starts.next()
        if state is not None:
            opening = Opening(state, judge.value(state) if judge else None)
            if abs(opening.value or 0) <= BALANCED:
                yield opening
                count -= 1
                misses = 0
                continue
            rejected.append(opening)
        misses += 1
        if misses == PATIENCE:
            misses = 0
            if not rejected:
                starts.relax()
            rejected.sort(key=lambda each: abs(each.value or 0))
            yield from rejected[:count]
            count -= len(rejected)
            rejected.clear()


def move_at_random(state: State, rng: random.Random) -> None:
    """Play a random move, after which no more is hidden than before, if there is one."""
    actions = state.legal_actions()
    rng.shuffle(actions)
    has_secrets = state.has_secrets()
    for action in actions:
        state.apply_action(action)
        if has_secrets or not state.has_secrets():
            return
        state.undo()


class _Starts:
    """Random starts, each of them once."""

    def __init__(self, game: Game, seed: int, plies: int | None) -> None:
        self._game = game
        self._rng = random.Random(seed)
        self._plies = plies if plies is not None else 0 if game.has_chance else PLIES
        self._seen: set[str] = set()

    def next(self) -> State | None:
        """Return a new start, None if there is none at the first try."""
        state = self._game.new_initial_state(self._rng.getrandbits(60))
        for _ in range(self._plies):
            move_at_random(state, self._rng)
        text = str(state)
        if state.is_terminal() or text in self._seen:
            return None
        self._seen.add(text)
        return state

    def relax(self) -> None:
        """Let starts come again, or have fewer moves if the game is over after so many."""
        if self._seen:
            self._seen.clear()
        elif self._plies:
            self._plies -= 1
        else:
            raise PlayerError(f"{self._game} is over at its start")


class _Judge:
    """Says which side of a position is better, and by how much."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._prover = prover_for(game)
        # Where a solver proves, evaluations before the end know nothing.
        self._searches = component(type(game), "solver.proof") is None

    def value(self, state: State) -> float | None:
        """Return the value for the player to move, which depends on the position alone."""
        if state.has_hidden_information():
            return None
        value = None
        if self._searches:
            search = player("alphabeta", self._game, jit=True, table=JUDGE_TABLE)
            value = search.choose(state, JUDGE_LIMITS).value
        if abs(value or 0) > BALANCED:
            return value
        proved = self._prover(state) if self._prover else None
        return value if proved is None else proved


def make_book(
    game: Game, count: int, path: Path, *, seed: int = 0, plies: int | None = None
) -> None:
    """Write a book of balanced openings, fewer than ``count`` if the game has no more.

    A line of it is a position and, after a tab, its value for the player to move, ``-`` if unknown.
    Raises PlayerError as ``openings_for``, and UsageError for a file that cannot be written.
    """
    _write(path, list(_made(game, count, seed, plies)))


def _write(path: Path, openings: list[Opening]) -> None:
    lines = {str(state): UNJUDGED if value is None else f"{value:.3f}" for state, value in openings}
    text = "".join(f"{position}\t{value}\n" for position, value in lines.items())
    write_whole(path, text.encode())


def read_book(path: Path, game: Game) -> list[State]:
    """Return the openings of a book, in their order; their values are for people.

    Raises UsageError for a file that cannot be read or is empty, and with the number of the line
    for what is no position of the game, or one that is over or came before.
    """
    numbers: dict[str, int] = {}
    states: list[State] = []
    for number, line in enumerate(read_file(str(path)).splitlines(), 1):
        position = line.partition("\t")[0]
        try:
            state = _read(position, game)
            if numbers.setdefault(str(state), number) != number:
                raise UsageError(f"the opening of line {numbers[str(state)]} again")
        except (GridhouseError, UsageError) as error:
            raise UsageError(f"{str(path)!r}: line {number}: {error}") from None
        states.append(state)
    if not states:
        raise UsageError(f"{str(path)!r}: there are no openings")
    return states


def _read(position: str, game: Game) -> State:
    state = parse(position)
    if state.game != game:
        raise UsageError(f"a position of {state.game}, not of {game}")
    if state.is_terminal():
        raise UsageError("the game is over in this position")
    return state


def book_for(game: Game, count: int) -> list[State]:
    """Return a book of the house for a game, which is made once and kept in the cache folder."""
    name = f"{gridhouse.__version__} {count} {game}"
    folder = Path(platformdirs.user_cache_dir("gridhouse")) / "openings"
    path = folder / f"{hashlib.sha256(name.encode()).hexdigest()[:16]}.txt"
    with suppress(UsageError):
        return read_book(path, game)
    openings = list(_made(game, count, 0, None))
    with suppress(UsageError):  # it can be made again
        _write(path, openings)
    return [state for state, _ in openings]
