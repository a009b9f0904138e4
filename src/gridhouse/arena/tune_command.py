"""Tuning the constants of a player by matches of changed players, on the command line.

What it costs: constants of an evaluation are compiled into a search, so each iteration compiles two
searches, about six seconds of a core each.  A pair of games of Sinks 8x8 with 2000 nodes a move
takes less than half a second.  Each iteration therefore plays many pairs: with the usual 32, about
half of the time goes to the compiler, less for more nodes or pairs, and none for settings of a
player, like ``exploration`` of ``mcts``, which are not compiled in.
"""

from __future__ import annotations

import json
import shutil
import signal
import sys
import threading
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from filelock import FileLock, Timeout

from gridhouse.arena.competitors.specs import competitor
from gridhouse.arena.records import Termination
from gridhouse.arena.runner import Run
from gridhouse.arena.store import MEMORY, Store
from gridhouse.arena.table import wait_for_compiler
from gridhouse.arena.tournament_command import openings_of
from gridhouse.arena.tournament_file import MOST, Entrant, Tournament, parse_tournament
from gridhouse.arena.tuning import Constant, Spsa
from gridhouse.arena.workers import Workers, cores, leave_with_parent, note_on
from gridhouse.core.compile_queue import NEVER, cache_folder, has_compiler, mode
from gridhouse.core.console import UsageError, read_file, write_whole
from gridhouse.core.errors import GridhouseError
from gridhouse.core.notation import shown
from gridhouse.core.processes import preloaded
from gridhouse.players import KINDS, Limits, parse_player
from gridhouse.search.engine import evaluation_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from gridhouse.core.game import Game

LIMIT = "2000n"
ITERATIONS = 100
PAIRS = 32  # of games, in each iteration
COMPILERS = 2  # processes that compile, one for each side
TASKS = 40  # compilations after which such a process begins anew, since code stays in its memory


@dataclass(frozen=True)
class Tuning:
    """What is tuned, and how: ``tournament`` is the match of an iteration."""

    player: str
    constants: tuple[Constant, ...]
    tournament: Tournament
    iterations: int
    seed: int

    def text(self, values: Sequence[float]) -> str:
        """Return the text of the player with these values."""
        settings = zip(self.constants, values, strict=True)
        listed = ",".join(constant.setting(value) for constant, value in settings)
        head, at, limit = self.player.partition("@")
        return f"{head}{',' if ':' in head else ':'}{listed}{at}{limit}"

    def settings(self) -> dict[str, Any]:
        """Return all that results depend on, as JSON can have it."""
        match = self.tournament.settings()
        return {
            "player": self.player,
            "constants": [vars(constant) for constant in self.constants],
            "iterations": self.iterations,
            "seed": self.seed,
            **{name: match[name] for name in ("game", "limit", "games", "openings")},
        }


def tuning_of(
    player: str,
    game: str,
    constants: Sequence[str],
    *,
    iterations: int = ITERATIONS,
    pairs: int = PAIRS,
    limit: str = LIMIT,
    seed: int = 0,
) -> Tuning:
    """Return the tuning of a player, from texts; raises UsageError that says what is wrong.

    Names in capitals are constants of the game's evaluation, which has their defaults; other names
    are settings of the player.  ``limit`` is that of a move.
    """
    match = {"game": game, "limit": limit, "games": 2 * pairs, "players": ["ahead", "back"]}
    tournament = parse_tournament(match)
    if player.partition("@")[0].partition(":")[0] not in KINDS:
        raise UsageError(f"{shown(player)} is no player of the house: {', '.join(KINDS)}")
    if not 1 <= iterations <= MOST:
        raise UsageError(f"iterations must be a whole number from 1 to {MOST}")
    names = [text.partition("=")[0] for text in constants]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"the constant {shown(name)} is there twice")
    if not names:
        raise UsageError("there is no constant to tune")
    defaults = vars(evaluation_of(tournament.game))
    parsed = (
        Constant.parse(text, defaults.get(name) if name.isupper() else None)
        for name, text in zip(names, constants, strict=True)
    )
    tuning = Tuning(player, tuple(parsed), tournament, iterations, seed)
    try:
        competitor(tuning.text([one.start for one in tuning.constants]), tournament.game).close()
    except GridhouseError as error:
        raise UsageError(str(error)) from None
    return tuning


def tune(tuning: Tuning, path: Path | None = None, concurrency: int = 0) -> list[float]:
    """Run what is left of a tuning, print its values meanwhile, and return the last ones.

    With a path, the gains of all iterations so far are kept there, and an interrupted tuning goes
    on from them.  The result does not depend on interruptions, nor, for limits other than time, on
    the machine and the number of games at a time; by default that is one on each core.  Raises
    UsageError for a file that cannot be used, and for games that cannot be played.
    """
    count = concurrency or cores()
    note = note_on(count)
    if note:
        print(note, file=sys.stderr)
    with _kept(tuning, path) as spsa, _Compiler(tuning) as compiler:
        while not spsa.is_over:
            number = len(spsa.gains)
            texts = [tuning.text(values) for values in spsa.trials()]
            with compiler.compiled(texts):
                gain = match_gain(tuning, number, texts, count)
            spsa.take(gain)
            if path is not None:
                _write(path, tuning, spsa)
            pairs = tuning.tournament.games // 2
            points = f"{pairs * (1 + gain):g} to {pairs * (1 - gain):g}"
            now = tuning.text(spsa.values)
            print(f"{number + 1} of {spsa.iterations}: {points}, {now}", file=sys.stderr)
    tuned = tuning.text(spsa.values)
    for constant, value in zip(tuning.constants, spsa.values, strict=True):
        print(f"{constant.setting(value)}, was {constant.setting(constant.start)}")
    game = tuning.tournament.game
    print(f'Try it: gridhouse match "{tuned}" "{tuning.player}" --game "{game}"')
    return spsa.values


def match_gain(tuning: Tuning, number: int, texts: Sequence[str], concurrency: int) -> float:
    """Return the gain of one player over another, from -1 to 1, by the match of an iteration.

    Raises UsageError.
    """
    base = tuning.tournament
    tournament = replace(
        base,
        players=tuple(Entrant(text, text) for text in texts),
        openings=replace(base.openings, seed=tuning.seed * MOST + number),
    )
    with (
        Store(MEMORY, tournament.settings()) as store,
        Workers(tournament, concurrency) as workers,
    ):
        run = Run(tournament, store, openings_of(tournament))
        for record in run.play(workers):
            if record.termination is Termination.ABANDONED:
                raise UsageError(f"a game cannot be played: {record.reason}")
    return sum(result.points - 1 for result in run.results) / len(run.results)


@contextmanager
def _kept(tuning: Tuning, path: Path | None) -> Iterator[Spsa]:
    """Go on from a file, which no other process uses meanwhile; raises UsageError."""
    spsa = Spsa(tuning.constants, tuning.iterations, tuning.seed)
    if path is None:
        yield spsa
        return
    with ExitStack() as opened:
        try:
            opened.enter_context(FileLock(f"{path}.lock", blocking=False))
        except Timeout:
            raise UsageError(f"{str(path)!r}: another process goes on with this tuning") from None
        except OSError as error:
            raise UsageError(f"{str(path)!r}: {error.strerror}") from None
        for gain in _read(path, tuning) if path.exists() else ():
            spsa.take(gain)
        yield spsa


def _read(path: Path, tuning: Tuning) -> list[float]:
    """Return the gains of a file; raises UsageError unless it is of this tuning."""
    try:
        kept = json.loads(read_file(str(path)))
        settings, gains = dict(kept["settings"]), [float(gain) for gain in kept["gains"]]
        if not all(-1 <= gain <= 1 for gain in gains):
            raise ValueError
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        raise UsageError(f"{str(path)!r}: this is no tuning") from None
    for name, ours in tuning.settings().items():
        if settings.get(name) != json.loads(json.dumps(ours)):
            raise UsageError(
                f"{str(path)!r}: this is another tuning: its {name} is "
                f"{shown(json.dumps(settings.get(name)), 100)}, not {shown(json.dumps(ours), 100)}"
            )
    return gains


def _write(path: Path, tuning: Tuning, spsa: Spsa) -> None:
    kept = {"settings": tuning.settings(), "gains": spsa.gains}
    write_whole(path, json.dumps(kept, indent=1).encode())


class _Compiler:
    """Processes that compile the code of players side by side; a context manager that ends them.

    Without them each process that plays would compile it.
    """

    def __init__(self, tuning: Tuning) -> None:
        """Compile what all changed players share; raises UsageError."""
        self._game = tuning.tournament.game
        self._pool = ProcessPoolExecutor(
            COMPILERS,
            preloaded(__name__),
            initializer=_begin,
            max_tasks_per_child=TASKS,
        )
        is_idle = not any(constant.name.isupper() for constant in tuning.constants)
        self._is_idle = is_idle or not has_compiler() or mode() == NEVER
        self._shared = self._compile([tuning.player])

    def _compile(self, texts: list[str]) -> set[str]:
        """Compile players; return the names of the folders of the code."""
        if self._is_idle:
            return set()
        try:
            return set().union(*self._pool.map(partial(compile_player, game=self._game), texts))
        except BrokenProcessPool:
            raise UsageError("the compiler was killed, perhaps for want of memory") from None
        except GridhouseError as error:
            raise UsageError(str(error)) from None

    @contextmanager
    def compiled(self, texts: list[str]) -> Iterator[None]:
        """Have the code of players on disk; what only they need is deleted at the end.

        Each iteration would otherwise leave some hundred kilobytes.
        """
        own = self._compile(texts) - self._shared
        try:
            yield
        finally:
            for digest in own:
                shutil.rmtree(cache_folder() / digest, ignore_errors=True)

    def __enter__(self) -> Self:
        """Return this compiler."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the processes."""
        self._pool.shutdown(cancel_futures=True)


def _begin() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process
    threading.Thread(target=leave_with_parent, daemon=True).start()
    wait_for_compiler()


def compile_player(text: str, game: Game) -> set[str]:
    """Compile the code of a player by a short search; return the names of its folders."""
    from gridhouse.core.compiling import Compiled

    loaded = set(sys.modules)
    made = parse_player(text, game).player
    made.choose(game.new_initial_state(), Limits(nodes=1))
    return {
        module.DIGEST
        for name, module in list(sys.modules.items())
        if name not in loaded and isinstance(module, Compiled)
    }
