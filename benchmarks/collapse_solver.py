"""How well Collapse is solved: proved scores of random boards, and SameGame on boards of a file.

``python benchmarks/collapse_solver.py linear ROWS COLS DIGITS BOARDS SECONDS`` prints how many
random boards are solved for good; ``... samegame FILE SECONDS[,SECONDS...] [FIRST LAST]`` the
scores on boards of a file, rows of digits with an empty line between boards, and their sums, one
column for every number of seconds.  ``... cuts ROWS COLS DIGITS SEED SECONDS`` prints what a
random board takes to its proof at each cut, and part by part, with one thread.  ``... runs FILE
ROLLOUTS ROUNDS[,ROUNDS...] [NUMBER ...]`` spends so many rollouts on each of some boards, in runs
of so many rounds a level, and prints how many runs these are, the sum of their best scores, and
rollouts a second of one thread.  Times are without compiling and include the search only; the last
column of the first is the processor's mean time, which other programs do not lengthen.
"""

from __future__ import annotations

import threading
from functools import partial
from time import perf_counter, process_time, sleep
from typing import TYPE_CHECKING

from command_line import Count, Counts, Seconds, Word, listed, start

import gridhouse
from gridhouse.core.console import UsageError, read_file
from gridhouse.core.errors import GridhouseError
from gridhouse.core.game import State
from gridhouse.core.solving import stopped_after
from gridhouse.games.collapse.game import CollapseGame, read_board
from gridhouse.games.collapse.solver.api import solution_of, solve, warm
from gridhouse.games.collapse.solver.search import LinearSearch, Options, SamegameSearch
from gridhouse.games.collapse.solver.search.base import INFINITE, LEVELS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gridhouse.games.collapse.solver.search import Search

CUT_MEMORY = 4000  # MiB, for the cuts that take most as well
GLANCE = 0.002  # seconds between two looks at the clock


def linear(rows: Count, cols: Count, digits: Count, boards: Count, seconds: Seconds) -> None:
    """Print how many of the boards with the seeds from 0 on are proved, and how far others are."""
    game = gridhouse.load("collapse", rows=rows, cols=cols, digits=digits)
    solve(game.new_initial_state(0), nodes=1)  # waits for compiled code
    began = process_time()
    found = [solve(game.new_initial_state(seed), seconds=seconds) for seed in range(boards)]
    spent = (process_time() - began) / boards
    proved = sum(solution.optimal for solution in found)
    gap = sum((one.bound - one.score) / max(1, one.bound) for one in found) / boards
    times = sorted(solution.seconds for solution in found)
    print(
        f"| {rows}x{cols}, {digits} digits | {boards} | {seconds:g} s "
        f"| {proved} ({100 * proved / boards:.1f} %) | {100 * gap:.2f} % "
        f"| {times[boards // 2]:.3f} s | {sum(times) / boards:.3f} s | {times[-1]:.2f} s "
        f"| {spent:.3f} s |"
    )


def cuts(rows: Count, cols: Count, digits: Count, seed: int, seconds: Seconds) -> None:
    """Print nodes and seconds to the proof at each cut of a board, and part by part."""
    state = gridhouse.load("collapse", rows=rows, cols=cols, digits=digits).new_initial_state(seed)
    solve(state, nodes=1)  # waits for compiled code
    search = LinearSearch(state, Options(memory=CUT_MEMORY), jit=True)
    search.find_bound()
    for col in search.cuts:
        cut = search.cut(col)
        control = search._control(0)
        control.best = INFINITE
        began = perf_counter()
        with stopped_after(seconds, partial(setattr, control, "stop", 1)):
            cut.begin(control)
            while not cut.is_over and control.stop == 0:
                cut.run(control)
        left = int(control.best) + search.fixed_cost if cut.is_proved else None
        tell(f"cut {col:2}", left, int(control.nodes), perf_counter() - began)
    by_parts = LinearSearch(state, Options(memory=CUT_MEMORY), jit=True)
    by_parts.cuts = []
    began = perf_counter()
    with stopped_after(seconds, by_parts.stop):
        by_parts.run()
    left = by_parts.cost if by_parts.is_proved else None
    tell("by parts", left, by_parts.nodes, perf_counter() - began)


def tell(name: str, left: int | None, nodes: int, seconds: float) -> None:
    """Print what a search found and took; ``left`` if that is proved."""
    print(f"{name:>8}: left {'?' if left is None else left:>4}, {nodes:11,} nodes, {seconds:.2f} s")


def sampled(
    search: Search, marks: Sequence[float], clock: Callable[[], float] = perf_counter
) -> list[tuple[int, bool]]:
    """Run a search; return after so many seconds each its score and whether it is proved."""
    running = threading.Thread(target=search.run)
    began = clock()
    running.start()
    found = []
    for mark in marks:
        while clock() - began < mark and running.is_alive():
            sleep(GLANCE)
        found.append((search.score, search.is_proved))
    search.stop()
    running.join()
    return found


def samegames(file: str) -> list[State]:
    """Return the boards of a file; raises UsageError."""
    states = []
    for number, board in enumerate(read_file(file).strip().split("\n\n"), 1):
        try:
            states.append(State(*CollapseGame.from_board(read_board(board), "samegame")))
        except GridhouseError as error:
            raise UsageError(f"{file!r}: board {number}: {error}") from None
    return states


def samegame(file: Word, seconds: Word, first: Count = 1, last: Count = 1000) -> None:
    """Print what every board from the first to the last scores after some seconds, and the sums."""
    marks = listed(seconds, float)
    states = samegames(file)[first - 1 : last]
    warm()
    sums = [0] * len(marks)
    for number, state in enumerate(states, first):
        search = SamegameSearch(state, Options(threads=2), jit=True)
        scores = [score for score, _ in sampled(search, marks)]
        solution_of(state, search, marks[-1])  # replayed by the rules
        sums = [sum(pair) for pair in zip(sums, scores, strict=True)]
        print(f"{number:3} {columns(scores)} {search.nodes:9} rollouts", flush=True)
    print(f"sum {columns(sums)} of {len(states)} boards, {columns(marks)} s each")


def runs(file: Word, rollouts: Count, rounds: Word, boards: Counts = None) -> None:
    """Print how good runs of different lengths are that pick the commonest digit last."""
    sizes = listed(rounds, int)
    states = samegames(file)
    last = max(boards or [0])
    if last > len(states):
        raise UsageError(f"{file!r} has {len(states)} boards and none of number {last}")
    warm()
    for size in sizes:
        count = max(1, rollouts // size**LEVELS)
        total = nodes = 0
        began = process_time()
        for number in boards or range(1, len(states) + 1):
            search = SamegameSearch(states[number - 1], Options(), jit=True)
            search.lower_bound = -INFINITE
            tabu = search._kinds_by_count(search.start)[0]
            memory = search._make_rollouts()
            for turn in range(count):
                search._run_rollouts(memory, size, 2 * turn + 1, tabu=tabu)
            total += search.score
            nodes += search.nodes
        speed = nodes / (process_time() - began)
        print(
            f"{count:4} of {size:3} rounds a level: {total:6}, {speed:7.0f} rollouts/s", flush=True
        )


def columns(values: Iterable[float]) -> str:
    """Return numbers side by side."""
    return " ".join(f"{number:6g}" for number in values)


if __name__ == "__main__":
    start(linear=linear, samegame=samegame, cuts=cuts, runs=runs)
