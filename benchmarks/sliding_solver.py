"""How well the sliding puzzle is solved.

``python benchmarks/sliding_solver.py BENCHMARK [SECONDS [COUNT [processor | default | NUMBERS]]]``

- ``korf15``: Korf's hundred 15-puzzles, optimally, one thread: nodes and seconds.
- ``words4``: random puzzles of four words of four letters, optimally.
- ``korf24``: Korf's fifty 24-puzzles, so many seconds each, against the optimal lengths.
- ``proofs``: the 24-puzzles of the fewest moves first, each until it is proved, or so many seconds
  are up, or cannot be enough.  ``proofs SECONDS 0 2,3,35`` is these of the fifty only, and
  none of them is given up before.
- ``words5proofs``: the same with the puzzles of ``words5``, in their order.
- ``words5``: puzzles of five words of five letters, so many seconds each, against the proved bound.
  With ``processor`` there is no proof; so there is none for ``words6`` to ``words8``.  With
  ``default`` they are solved as the command does without ``--optimal``.
- ``bounds NODES 0 NUMBERS``: these of the puzzles of ``words5``, by databases of each size: how
  many nodes it takes to prove one bound after the other until there were so many.
- ``numberings WIDTH COUNT``: one beam so wide over each of so many puzzles of ``words5``, from more
  and more ways to assign equal letters.
- ``turns WIDTH COUNT``: beams so wide over each of so many puzzles of ``words5`` and of Korf's
  24-puzzles: there, there by other databases, and back.
- ``beams WIDTH COUNT``: one beam so wide by databases over each of so many of Korf's 24-puzzles,
  and of boards of 6x6.
- ``layers WIDTH COUNT``: one beam so wide by layers over each of so many boards of 6x6 to 14x14.
- ``large``: boards of 6x6 to 14x14, so many seconds each, against the Manhattan distance.

Seconds of optimal solving are of the processor, so that other work on the machine does not count;
those of ``proofs`` are of all cores together, as many as the clock's where nothing else runs.

Seconds are ten and puzzles all, or five a size of ``large``, if nothing is said; fewer of Korf's
24-puzzles are spread over the fifty.  With ``processor`` the seconds of ``korf24``, words and
``large`` are those of the processor, all threads together, as if nothing else ran on the machine.
"""

from __future__ import annotations

import csv
import os
import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from statistics import mean, median
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Literal

STARTED = perf_counter()

from command_line import Seconds, Some, Word, listed, start  # noqa: E402

from gridhouse.games.sliding import rules, solver  # noqa: E402
from gridhouse.games.sliding.game import (  # noqa: E402
    position_of,
    shuffle,
)
from gridhouse.games.sliding.solver import anytime  # noqa: E402
from gridhouse.games.sliding.solver.assignment import assignments, with_best_assignment  # noqa: E402
from gridhouse.games.sliding.solver.beam import beam_search  # noqa: E402
from gridhouse.games.sliding.solver.databases import heuristic, pattern_database  # noqa: E402
from gridhouse.games.sliding.solver.optimal import optimal_search, stages  # noqa: E402, stages
from gridhouse.games.sliding.solver.puzzle import inverted, is_solvable, puzzle_of  # noqa: E402
from gridhouse.games.sliding.words import load_words, own_words_file  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from concurrent.futures import Future
    from typing import Any

    from gridhouse.games.sliding.solver.puzzle import Puzzle

FOLDER = Path(__file__).resolve().parent
SEED = 2021
CORES = os.cpu_count() or 1
SIDES = (6, 8, 10, 12, 14)
BOARDS = 20  # a side for one beam
COUNTED = ("bounds", "numberings", "turns", "beams", "layers")
Benchmark = Literal[
    "korf15", "words4", "korf24", "proofs", "words5proofs", "words5", "words6", "words7", "words8",
    "bounds", "numberings", "turns", "beams", "layers", "large",
]  # fmt: skip
LEAST_GROWTH = 4  # of nodes from one bound to the next: four- to tenfold on boards of 25 cells
SLACK = 4  # moves by which a beam's solution of such a board may be longer than the shortest
FAST = 50_000_000  # nodes a second, more than a core has been seen to look at


def numbers(tiles: list[int]) -> rules.Position:
    """Return the position of numbers, the empty cell last in its solution."""
    side = round(len(tiles) ** 0.5)
    state = rules.Position(tiles=len(tiles))
    state.rows = state.cols = side
    state.tiles, state.goal = tiles, list(range(1, len(tiles) + 1))
    rules.start(state)
    return state


def instances(name: str) -> list[tuple[int, rules.Position]]:
    """Return optimal lengths and positions of a file, turned so that the empty cell ends last."""
    with (FOLDER / f"{name}.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    found = []
    for row in rows:
        tiles = [int(tile) for tile in reversed(row["tiles"].split())]
        turned = [len(tiles) - tile if tile else 0 for tile in tiles]
        found.append((int(row["optimal"]), numbers(turned)))
    return found


def words(side: int, count: int) -> list[rules.Position]:
    """Return puzzles as the game deals them."""
    chance = random.Random(SEED)
    known = load_words(own_words_file(), side)
    found = []
    for _ in range(count):
        goal = "".join(chance.choices(known, k=side))
        found.append(position_of(shuffle(goal, chance), goal, side, side))
    return found


def shuffled(side: int, count: int, seed: int = SEED) -> list[rules.Position]:
    """Return random puzzles of distinct tiles."""
    chance = random.Random(seed + side)
    found = []
    for _ in range(count):
        tiles = [*chance.sample(range(1, side * side), side * side - 1), 0]
        if not is_solvable(side, side, tiles):
            tiles[0], tiles[1] = tiles[1], tiles[0]
        found.append(numbers(tiles))
    return found


def optimally(positions: Iterable[tuple[int | None, rules.Position]], threads: int) -> None:
    """Solve positions optimally and print what it took; check the lengths where they are known."""
    seconds: list[float] = []
    nodes: list[int] = []
    lengths: list[int] = []
    for optimal, state in positions:
        began = process_time()
        found = solver.solve_position(state, optimal=True, threads=threads)
        assert found.optimal
        assert optimal in (None, found.length)
        if not seconds:
            print(f"first answer {perf_counter() - STARTED:.2f} s after the start", flush=True)
        seconds.append(process_time() - began)
        nodes.append(found.nodes)
        lengths.append(found.length)
    # The first one waits for compiled code and databases.
    ordered = sorted(seconds[1:])
    print(
        f"{len(nodes)} puzzles, {threads} thread(s): length {mean(lengths):.2f}, "
        f"nodes {mean(nodes):.0f}, median {median(nodes):.0f}; seconds {mean(ordered):.4f}, "
        f"median {median(ordered):.4f}, 99 % {ordered[int(len(ordered) * 0.99)]:.3f}, "
        f"worst {ordered[-1]:.3f}"
    )


def in_time(
    name: str, positions: Sequence[tuple[int | None, rules.Position]], seconds: float, goal: float
) -> None:
    """Solve positions for so many seconds each and print how far they are from optimal or bound."""
    lengths, bounds, proved, known = [], [], 0, []
    began = process_time()
    for optimal, state in positions:
        if goal == 1.0:
            found = solver.solve_position(state, optimal=True, seconds=seconds)
        else:
            found = solver.solve_position(state, seconds=seconds)
        lengths.append(found.length)
        bounds.append(found.bound)
        proved += found.optimal
        known.append(optimal or with_best_assignment(puzzle_of(state))[1])
    print(
        f"{name}, {len(lengths)} puzzles, {seconds:g} s each "
        f"({(process_time() - began) / len(lengths):.1f} s of the processor): "
        f"length {mean(lengths):.2f}, proved bound {mean(bounds):.2f}, proved optimal {proved}, "
        f"ratio to the optimal length or the Manhattan distance {mean(lengths) / mean(known):.4f}",
        flush=True,
    )


def proofs(
    puzzles: Sequence[tuple[int, int | None, rules.Position]], seconds: float, *, gives_up: bool
) -> None:
    """Seek shortest solutions for so many seconds each; check the lengths that are proved."""
    proved = 0
    for number, optimal, state in puzzles:
        began = process_time()
        search = anytime.Anytime(puzzle_of(state), anytime.Limits(1.0, CORES, seconds))
        with ThreadPoolExecutor(1) as pool:
            searching = pool.submit(search.run)
            in_time = awaited(searching, search, optimal, seconds, gives_up=gives_up)
        searching.result()
        solver.check_solution(state, search.moves)
        assert search.bound <= (optimal or len(search.moves)) <= len(search.moves)
        proved += search.bound == len(search.moves)
        print(
            f"{number}: {len(search.moves)} moves, "
            f"{'' if optimal is None else f'{optimal} are needed, '}bound {search.bound}, "
            f"{search.nodes} nodes, "
            f"{(process_time() - began) / CORES:.0f} s"
            f"{'' if in_time else ', which cannot be enough'}; {proved} proved",
            flush=True,
        )


def awaited(
    searching: Future[None],
    search: anytime.Anytime,
    optimal: int | None,
    seconds: float,
    *,
    gives_up: bool,
) -> bool:
    """Wait for a search until time is up; False if it was stopped since time cannot be enough.

    Where the optimum is not known, it is taken to be hardly shorter than the solution that is.
    """
    deadline = process_time() / CORES + seconds
    proof = search._proof
    bound = nodes = 0
    while not searching.done():
        left = deadline - process_time() / CORES
        if gives_up and proof.bound > bound:
            before, bound, nodes = nodes, proof.bound, proof.nodes
            needed = len(search.moves) - SLACK if optimal is None else optimal
            rest = sum(LEAST_GROWTH**step for step in range(1, (needed - bound) // 2 + 1))
            # Before that there is another level to come, with larger databases.
            if before >= stages.VAST and (nodes - before) * rest > left * FAST * CORES:
                search.stop()
                return False
        if left <= 0:
            search.stop()
        wait([searching], timeout=0.1)
    return True


class Counting(optimal_search.OptimalSearch):
    """A search that notes how many nodes it takes to prove each bound."""

    def __init__(self, puzzle: Puzzle) -> None:
        """Take an unsolved puzzle."""
        super().__init__(puzzle, CORES)
        self.found: Counter[int] = Counter()

    def _search_bound(self, layout: Any, entries: Any, roots: list[optimal_search.Root]) -> None:
        before = self.nodes
        super()._search_bound(layout, entries, roots)
        self.found[self.bound] += self.nodes - before


def bounds(positions: Sequence[tuple[int, None, rules.Position]], limit: int) -> None:
    """Print how many nodes it takes to prove one bound after the other, by tables of each size.

    Seconds are of the processor; the first nodes may wait for compiled code.
    """
    for number, _, state in positions:
        puzzle = puzzle_of(state)
        for largest in (25**4, 25**5, pattern_database.LARGEST):
            began = process_time()
            databases = stages.databases_within(puzzle, largest, jit=True, threads=CORES)
            layout, entries = heuristic.make_heuristic(puzzle, *databases)
            built = process_time()
            search = Counting(puzzle)
            search.bound = optimal_search.lower_bound(puzzle, layout, entries)
            search._search_in_threads(layout, entries, limit)
            rate = search.nodes / (process_time() - built) / 1e6
            last = ", ".join(f"{bound}: {nodes}" for bound, nodes in [*search.found.items()][-3:])
            print(
                f"words {number}, {largest} words a table, built in {built - began:.1f} s: {last}; "
                f"{rate:.1f} million nodes a second",
                flush=True,
            )


def by_processor(
    name: str, positions: Sequence[tuple[int | None, rules.Position]], seconds: float, _: float
) -> None:
    """Do the same with so many seconds of the processor for each, without a proof."""
    for module in (anytime, beam_search):
        vars(module)["perf_counter"] = process_time
    lengths, known = [], []
    for optimal, state in positions:
        puzzle = puzzle_of(state)
        search = anytime.Anytime(puzzle, anytime.Limits(1.0, CORES, seconds), proves=False)
        search.run()
        solver.check_solution(state, search.moves)
        lengths.append(len(search.moves))
        known.append(optimal or with_best_assignment(puzzle)[1])
    print(
        f"{name}, {len(lengths)} puzzles, {seconds:g} s of the processor each: "
        f"length {mean(lengths):.2f}, "
        f"ratio to the optimal length or the Manhattan distance {mean(lengths) / mean(known):.4f}",
        flush=True,
    )


def whole(puzzle: Puzzle, ways: int, width: int, choice: int = 0) -> list[int]:
    """Return the moves that one beam over a board finds from so many ways to number letters."""
    starts = [(tiles, list[int]()) for tiles in assignments(puzzle, ways)]
    options = beam_search.BeamOptions(width, anytime.MAX_MOVES, choice=choice)
    moves = beam_search.BeamSearch(puzzle).search_board(puzzle, starts, options)
    assert moves is not None
    return moves


def numberings(positions: Sequence[rules.Position], width: int) -> None:
    """Print how long the solutions are that one beam finds from so many ways to number letters."""
    for ways in (1, 4, 16, 64):
        lengths = []
        for state in positions:
            puzzle, _ = with_best_assignment(puzzle_of(state))
            moves = whole(puzzle, ways, width)
            solver.check_solution(state, moves)
            lengths.append(len(moves))
        print(f"{len(lengths)} puzzles, width {width}, {ways} ways: length {mean(lengths):.2f}")


def turns(name: str, positions: Sequence[rules.Position], width: int) -> None:
    """Print how long the solutions of beams there and back are, and the better ones of two."""
    found = []
    for state in positions:
        puzzle, _ = with_best_assignment(puzzle_of(state))
        back = puzzle.reversed()
        lengths = []
        for side, choice in ((puzzle, 0), (puzzle, 1), (back, 0)):
            moves = whole(side, beam_search.MAX_STARTS, width, choice)
            solver.check_solution(state, inverted(moves) if side is back else moves)
            lengths.append(len(moves))
        found.append(lengths)
    there, other, back_again = zip(*found, strict=True)
    print(
        f"{name}, {len(found)} puzzles, width {width}: length {mean(there):.2f} there, "
        f"{mean(other):.2f} by other databases, {mean(back_again):.2f} back; the better one of "
        f"both there {mean(map(min, there, other)):.2f}, of there and back "
        f"{mean(map(min, there, back_again)):.2f}",
        flush=True,
    )


def beams(name: str, puzzles: Sequence[tuple[int | None, rules.Position]], width: int) -> None:
    """Print how long the solutions of one beam by databases are, and the moves looked at."""
    lengths, known, nodes = [], [], []
    for optimal, state in puzzles:
        puzzle = puzzle_of(state)
        run = beam_search.BeamSearch(puzzle)
        options = beam_search.BeamOptions(width, anytime.MAX_MOVES)
        moves = run.search_board(puzzle, [(puzzle.tiles, [])], options)
        assert moves is not None
        solver.check_solution(state, moves)
        lengths.append(len(moves))
        known.append(optimal or with_best_assignment(puzzle)[1])
        nodes.append(run.nodes)
    print(
        f"{name}, {len(lengths)} puzzles, width {width}: length {mean(lengths):.2f}, "
        f"{mean(lengths) - mean(known):.2f} above the optimal length or the Manhattan distance, "
        f"{mean(nodes):.0f} nodes",
        flush=True,
    )


def layers(width: int, count: int) -> None:
    """Print how long the solutions are that one beam by layers finds, and the moves looked at."""
    for side in SIDES:
        lengths, nodes = [], []
        for state in shuffled(side, count):
            puzzle = puzzle_of(state)
            run = beam_search.BeamSearch(puzzle)
            moves = beam_search.solve_by_layers(run, puzzle, width, beam_search.DATABASE_SIDE)
            assert moves is not None
            solver.check_solution(state, moves)
            lengths.append(len(moves))
            nodes.append(run.nodes)
        print(
            f"{side}x{side}, {count} puzzles, width {width}: length {mean(lengths):.1f}, "
            f"{mean(nodes):.0f} nodes",
            flush=True,
        )


def is_wanted(number: int, numbers: str) -> bool:
    """Tell whether a number is among some, if there are any."""
    return not numbers or str(number) in numbers.split(",")


def words5(numbers: str) -> list[tuple[int, None, rules.Position]]:
    """Return those of some numbers, or all, of the puzzles of five words of five letters."""
    each = enumerate(words(5, 50), 1)
    return [(number, None, state) for number, state in each if is_wanted(number, numbers)]


def counted(what: str, number: int, count: int, extra: str) -> None:
    """Run a benchmark whose counts are the same on every machine."""
    if what == "bounds":
        bounds(words5(extra), number)
    elif what == "numberings":
        numberings(words(5, count or 50), number)
    elif what == "turns":
        turns("words5", words(5, count or 50), number)
        turns("korf24", [state for _, state in instances("korf24")[: count or None]], number)
    elif what == "layers":
        layers(number, count or BOARDS)
    else:
        beams("korf24", instances("korf24")[: count or None], number)
        beams("6x6", [(None, state) for state in shuffled(6, count or BOARDS)], number)


def main(
    benchmark: Benchmark,
    seconds: Seconds = 10.0,
    count: Some = 0,
    extra: Word = "",
) -> None:
    """Run one of the benchmarks."""
    if extra not in ("", "processor", "default"):
        listed(extra, int)
    timed = by_processor if extra == "processor" else in_time
    if benchmark == "korf15":
        optimally(instances("korf15"), 1)
    elif benchmark == "words4":
        optimally([(None, state) for state in words(4, count or 500)], 1)
    elif benchmark == "korf24":
        chosen = instances("korf24")
        step = max(1, len(chosen) // (count or len(chosen)))
        spread = list(chosen[min(2, step - 1) :: step][: count or len(chosen)])
        timed("korf24", spread, seconds, 0.0)
    elif benchmark == "proofs":
        easiest = sorted(enumerate(instances("korf24"), 1), key=lambda row: row[1][0])
        proofs(
            [(at, *row) for at, row in easiest if is_wanted(at, extra)][: count or None],
            seconds,
            gives_up=not extra,
        )
    elif benchmark == "words5proofs":
        proofs(words5(extra)[: count or None], seconds, gives_up=not extra)
    elif benchmark in COUNTED:
        counted(benchmark, int(seconds), count, extra)
    elif benchmark.startswith("words"):
        puzzles = [
            (None, state) for state in words(int(benchmark.removeprefix("words")), count or 50)
        ]
        timed(benchmark, puzzles, seconds, 0.0 if extra == "default" else 1.0)
    else:
        for side in SIDES:
            chosen_states = [(None, state) for state in shuffled(side, count or 5)]
            timed(f"{side}x{side}", list(chosen_states), seconds, 0.0)


if __name__ == "__main__":
    start(main)
