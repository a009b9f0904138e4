"""Beams and a proof share the time, and the better of what they find is kept."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING, Any

import pytest

from gridhouse.core.errors import SolverError
from gridhouse.games.sliding import solver
from gridhouse.games.sliding.solver import anytime, assignment
from gridhouse.games.sliding.solver.beam import (
    beam_heuristic,
    beam_search,
)
from gridhouse.games.sliding.solver.databases import (
    good_partitions,
    heuristic,
)
from gridhouse.games.sliding.solver.optimal import (
    optimal_search,
    stages,
)
from gridhouse.games.sliding.solver.puzzle import (
    Puzzle,
    puzzle_of,
)

if TYPE_CHECKING:
    from pathlib import Path

from sliding_helpers import distinct, numbers, position, walked


def test_what_beams_leave_of_the_time_goes_into_the_bound(
    monkeypatch: pytest.MonkeyPatch, own_folder: Path
) -> None:
    """Nothing is built for the disk meanwhile, which would take all of it."""
    asked = []

    def begin(search: anytime.Anytime, seconds: float) -> None:
        asked.append(seconds)
        search.moves = [0] * 200

    monkeypatch.setattr(anytime.Anytime, "_run_beams", begin)
    monkeypatch.setattr(
        optimal_search.OptimalSearch, "_search_in_threads", lambda *_: None
    )  # it has no end
    puzzle = walked(distinct(5, 5), 3000, random.Random(5))
    databases = stages.small_databases(puzzle, 4)
    least = optimal_search.lower_bound(puzzle, *heuristic.make_heuristic(puzzle, *databases))
    search = anytime.Anytime(puzzle, anytime.Limits(1.0, 2, 10.0), allow_slow_build=False)
    search.run()
    assert asked == [8.0]
    assert search.bound >= least + 4
    assert not own_folder.exists()


def test_a_bound_that_nobody_waits_for_takes_little() -> None:
    puzzle, larger = distinct(5, 5), distinct(6, 6)

    def proves(puzzle: Puzzle, seconds: float | None, **given: Any) -> bool:
        return anytime.Anytime(puzzle, anytime.Limits(1.0, 1, seconds), **given)._proves

    assert proves(puzzle, 1.0)
    assert proves(larger, None)
    assert proves(puzzle, 5.0, allow_slow_build=False)
    assert not proves(puzzle, 4.9, allow_slow_build=False)
    assert not proves(puzzle, None, allow_slow_build=False)
    assert not proves(larger, 100.0, allow_slow_build=False)
    assert not proves(puzzle, 100.0, proves=False)
    short, long = (
        optimal_search.OptimalSearch(puzzle, allow_slow_build=allow_slow_build)._automaton
        for allow_slow_build in (False, True)
    )
    assert len(short) < len(long)


def test_a_bound_without_memory_costs_no_solution(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(_: optimal_search.OptimalSearch) -> None:
        raise MemoryError

    monkeypatch.setattr(optimal_search.OptimalSearch, "run", run)
    monkeypatch.setattr(anytime, "BEAM_SHARE", 0.0)
    puzzle = walked(distinct(5, 5), 300, random.Random(5))
    search = anytime.Anytime(puzzle, anytime.Limits(1.0, 1, 5.0), allow_slow_build=False)
    search.run()
    solver.check_solution(numbers(puzzle.tiles, 5), search.moves)
    with pytest.raises(SolverError, match="not enough memory"):
        anytime.Anytime(puzzle, anytime.Limits(1.0, 1, 0.1)).run()


def unfinished(monkeypatch: pytest.MonkeyPatch, bound: int) -> anytime.Anytime:
    """Return a search whose proof gets to a bound and no further, after beams of no use."""
    puzzle = walked(distinct(5, 5), 40, random.Random(5))

    def prove(proof: optimal_search.OptimalSearch) -> None:
        proof.bound = bound
        end = time.monotonic() + 20
        while not proof._stopped and time.monotonic() < end:
            time.sleep(0.01)

    def begin(search: anytime.Anytime, _: float) -> None:
        search._directions = [anytime.Direction(puzzle, [puzzle.tiles])]
        search.moves = [0] * 200

    monkeypatch.setattr(optimal_search.OptimalSearch, "run", prove)
    monkeypatch.setattr(anytime.Anytime, "_run_beams", begin)
    monkeypatch.setattr(anytime, "FIRST_BESIDE", 0.0)
    monkeypatch.setattr(anytime, "MAX_WIDTH", 400)
    return anytime.Anytime(puzzle, anytime.Limits(1.0, 2, None))


def test_beams_beside_a_proof_may_end_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a proof would still have to find, a beam finds sooner."""
    state = numbers(walked(distinct(5, 5), 40, random.Random(5)).tiles, 5)
    length = solver.solve_position(state, optimal=True, threads=1).length
    search = unfinished(monkeypatch, length)
    search.run()
    assert len(search.moves) == search.bound == length
    solver.check_solution(state, search.moves)


def test_a_proof_goes_on_without_memory_for_beams(monkeypatch: pytest.MonkeyPatch) -> None:
    search = unfinished(monkeypatch, 20)
    asked: list[int] = []

    def beam(_: beam_search.BeamSearch, width: int, tie_break: int) -> None:
        asked.append(tie_break)
        if len(asked) == 2:
            search.stop()
            raise MemoryError

    monkeypatch.setattr(search, "_search", beam)
    search.run()
    assert asked == [2, 3]
    assert len(search.moves) == 200


@pytest.mark.usefixtures("kept_from_seventeen_cells")
def test_whole_boards_wait_for_databases_only_with_time() -> None:
    """They are used if they are there or there is time to build them."""
    puzzle = walked(distinct(3, 6), 300, random.Random(5))

    def search(**given: Any) -> anytime.Anytime:
        return anytime.Anytime(puzzle, anytime.Limits(1.0, 2, 0.2), proves=False, **given)

    stopped = search()
    stopped.stop()
    stopped._use_whole_board(None)
    assert stopped._min_whole_width == anytime.NEVER
    hurried = search()
    hurried._use_whole_board(time.perf_counter() + beam_heuristic.WORTH_BUILDING)
    assert hurried._min_whole_width == anytime.NEVER
    assert beam_heuristic.seconds_needed(puzzle) == beam_heuristic.WORTH_BUILDING
    patient = search()
    patient._use_whole_board(None)
    assert patient._min_whole_width == anytime.WHOLE_BOARD_WIDTH
    assert beam_heuristic.seconds_needed(puzzle) == 0
    beam_heuristic.CACHE.clear()
    assert beam_heuristic.seconds_needed(puzzle) == beam_heuristic.WORTH_READING
    hurried._use_whole_board(time.perf_counter() + beam_heuristic.WORTH_READING)
    assert hurried._min_whole_width == anytime.NEVER
    after = search()
    after._use_whole_board(time.perf_counter() + beam_heuristic.WORTH_BUILDING)
    after.run()
    assert after._min_whole_width == anytime.WHOLE_BOARD_WIDTH
    assert after.bound == patient.bound > assignment.manhattan_distance(puzzle)
    words = puzzle_of(position("bcaabcdefdefghiag ", "abcabcdefdefghiag ", 3))
    letters = anytime.Anytime(words, anytime.Limits(1.0, 2, 0.2), proves=False)
    before = letters.bound
    letters.run()
    # Equal letters are told apart there, so these databases prove nothing about them.
    assert letters._min_whole_width == anytime.WHOLE_BOARD_WIDTH
    assert letters.bound == before


def with_one_side(puzzle: Puzzle) -> anytime.Anytime:
    """Return a search whose beams go from the puzzle to the goal only."""
    search = anytime.Anytime(puzzle, anytime.Limits(1.0, 1, None))
    search._directions = [anytime.Direction(puzzle, [puzzle.tiles])]
    return search


def test_narrow_beams_over_a_large_board_go_by_layers(monkeypatch: pytest.MonkeyPatch) -> None:
    search = with_one_side(walked(distinct(3, 6), 300, random.Random(5)))
    asked: list[tuple[str, int]] = []
    monkeypatch.setattr(
        anytime, "solve_by_layers", lambda run, puzzle, width, *_: asked.append(("layers", width))
    )
    monkeypatch.setattr(
        beam_search.BeamSearch,
        "search_board",
        lambda run, puzzle, starts, options: asked.append(("whole", options.width)),
    )
    search.moves = [0] * 200
    for whole in (anytime.NEVER, anytime.WHOLE_BOARD_WIDTH):
        search._min_whole_width = whole
        for width in (anytime.WHOLE_BOARD_WIDTH - 1, anytime.WHOLE_BOARD_WIDTH):
            search._search_once(search._beam_searches[0], width, 0, None)
    widths = [anytime.WHOLE_BOARD_WIDTH - 1, anytime.WHOLE_BOARD_WIDTH] * 2
    assert asked == list(zip(["layers", "layers", "layers", "whole"], widths, strict=True))


@pytest.mark.parametrize("side", [5, 7])
def test_beams_get_wider_as_long_as_there_is_time(
    monkeypatch: pytest.MonkeyPatch, side: int
) -> None:  # fmt: skip
    puzzle = walked(distinct(side, side), 3000, random.Random(6))
    search = anytime.Anytime(puzzle, anytime.Limits(1.0, 1, None))
    lengths = [None, 450, 460, 440]
    asked: list[tuple[int, int]] = []

    def found(
        run: beam_search.BeamSearch, width: int, tie_break: int, _: float | None
    ) -> list[int] | None:
        asked.append((width, tie_break))
        if len(asked) == len(lengths):
            search.stop()
        run.nodes += 1
        length = lengths[len(asked) - 1]
        return None if length is None else [0] * length

    monkeypatch.setattr(search, "_search_once", found)
    monkeypatch.setattr(
        beam_search.BeamSearch, "shorten", lambda run, moves, *_: moves[: len(moves) - 4]
    )
    assert search.status() == f"solution: none, bound: {search.bound}, nodes: 0"
    search._run_beams(None)
    # The second one's solution was shortened; the last one's was not, as all was stopped.
    assert asked == [(100, 0), (400, 1), (400, 0), (1600, 1)]
    assert len(search.moves) == 440
    assert search.status() == f"solution: 440, bound: {search.bound}, nodes: 4"


@pytest.mark.parametrize(
    ("left", "widths"),
    [
        (-1.0, [100, 400]),
        (0.4, [100, 400]),
        (0.8, [100, 400, 287]),
        (8.0, [100, 400, 2880]),
        (80.0, [100, 400, 1600]),
    ],
)
def test_the_last_beam_is_as_wide_as_time_allows(
    monkeypatch: pytest.MonkeyPatch, left: float, widths: list[int]
) -> None:  # fmt: skip
    """The clock goes on a second a look, as long as the second beam takes."""
    search = anytime.Anytime(
        walked(distinct(5, 5), 3000, random.Random(6)), anytime.Limits(1.0, 1, None)
    )
    clock = iter(range(100))
    monkeypatch.setattr(anytime, "perf_counter", lambda: next(clock))
    asked: list[int] = []
    shortened: list[int] = []

    def beam(run: beam_search.BeamSearch, width: int, *_: object) -> None:
        del run
        asked.append(width)
        search.moves = [0] * 150
        if len(asked) == 3:
            search.stop()

    def shorten(
        _: beam_search.BeamSearch, moves: list[int], nodes: int, tie_break: int
    ) -> list[int]:
        del tie_break
        shortened.append(nodes)
        return moves[2:]

    monkeypatch.setattr(search, "_search", beam)
    monkeypatch.setattr(
        search, "_add_backward_direction", lambda _: None
    )  # it looks at the clock as well
    monkeypatch.setattr(beam_search.BeamSearch, "shorten", shorten)
    search._run_beams(2 + left)
    assert asked == widths
    # Where time is too little for another beam, it goes into shortening the best solution.
    spent = [int(left * anytime.NODES_PER_SECOND)] if left == 0.4 else []
    assert shortened == pytest.approx(spent, rel=1e-6)
    assert len(search.moves) == (148 if spent else 150)


@pytest.mark.measured
@pytest.mark.slow("searches for seconds")
@pytest.mark.parametrize("seconds", [0.001, 3.0])
def test_beams_over_large_boards_keep_their_time(seconds: float) -> None:
    """A deadline that has passed makes the beam as narrow as may be; the solution is one anyway."""
    puzzle = walked(distinct(7, 7), 3000, random.Random(6))
    run = beam_search.BeamSearch(puzzle)
    moves = beam_search.solve_by_layers(run, puzzle, 1600, 5, 0, 0.0 if seconds < 1 else None)
    assert moves is not None
    solver.check_solution(numbers(puzzle.tiles, 7), moves)
    wide = beam_search.BeamSearch(puzzle)
    beam_search.solve_by_layers(wide, puzzle, 1600, 5, 0)
    assert run.nodes < wide.nodes if seconds < 1 else run.nodes == wide.nodes
    found = solver.solve_position(numbers(puzzle.tiles, 7), seconds=seconds, threads=1)
    assert found.length >= found.bound


def test_beams_over_words_do_not_get_lost() -> None:
    """With equal letters taken for one, all beams over this puzzle ended in odd positions."""
    state = position("bedagsbuegaoviolsetwetsn ", "givestubesgleanwadesboots", 5)
    search = anytime.Anytime(puzzle_of(state), anytime.Limits(1.0, 1, 0.0), proves=False)
    search.run()
    solver.check_solution(state, search.moves)
    assert len(search.moves) < 150
    assert search.nodes < 1_000_000


def test_a_first_answer_comes_by_layers_where_whole_beams_lose_their_way() -> None:
    search = with_one_side(walked(distinct(5, 5), 3000, random.Random(6)))
    asked = []

    def search_board(
        run: beam_search.BeamSearch, given: Puzzle, starts: Any, options: beam_search.BeamOptions
    ) -> None:
        asked.append((given.cells, options.width))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(beam_search.BeamSearch, "search_board", search_board)
        patch.setattr(anytime, "solve_by_layers", lambda *_: [0] * 200)
        while not search.moves:
            search._offer(
                search._search_once(search._beam_searches[0], 100 * 4 ** len(asked), 0, None)
            )
    assert asked == [(25, 100), (25, 400), (25, 1600)]
    assert len(search.moves) == 200


def test_threads_widen_beams_of_their_own() -> None:
    puzzle = walked(distinct(4, 5), 300, random.Random(6))
    search = anytime.Anytime(puzzle, anytime.Limits(1.0, 2, 0.5), proves=False)
    search.run()
    assert all(run.nodes for run in search._beam_searches)
    solver.check_solution(numbers(puzzle.tiles, 4), search.moves)


@pytest.mark.slow("searches for seconds")
def test_a_bound_that_meets_the_solution_ends_the_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search for a shorter solution goes no further than the best one that beams have found."""
    puzzle = walked(distinct(3, 6), 60, random.Random(5))
    search = anytime.Anytime(puzzle, anytime.Limits(1.0, 1, 60.0))

    def prove(self: optimal_search.OptimalSearch) -> None:
        self.bound = len(search.moves)
        while not self._stopped:
            time.sleep(0.01)

    monkeypatch.setattr(optimal_search.OptimalSearch, "run", prove)
    search.run()
    assert search.moves
    assert search.bound == len(search.moves)


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("error", [MemoryError(), ValueError("no")])
def test_what_fails_while_a_proof_is_sought_is_one_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: Exception
) -> None:
    def fail(_: optimal_search.OptimalSearch) -> None:
        raise error

    monkeypatch.setattr(optimal_search.OptimalSearch, "run", fail)
    with pytest.raises(SolverError, match=r"a shortest solution: (there is not enough|no)"):
        solver.solve_position(numbers([*range(1, 15), 0, 15], 4), threads=1)
    assert capsys.readouterr().err == ""


def test_a_search_may_be_stopped_before_there_is_a_solution() -> None:
    search = anytime.Anytime(
        walked(distinct(3, 6), 90, random.Random(5)), anytime.Limits(1.0, 2, None)
    )
    search.stop()
    search.run()
    assert search.moves


def test_beams_that_take_long_look_at_several_databases(monkeypatch: pytest.MonkeyPatch) -> None:
    search = with_one_side(walked(distinct(5, 5), 3000, random.Random(6)))
    # The way back ends with the empty cell on the last one, or elsewhere.
    last, elsewhere = distinct(5, 5), walked(distinct(5, 5), 11, random.Random(6)).reversed()
    assert elsewhere.blank_goal < 24
    choices = []
    monkeypatch.setattr(
        beam_search.BeamSearch,
        "search_board",
        lambda run, puzzle, starts, options: choices.append(options.choice),
    )
    run = beam_search.BeamSearch(search.puzzle)
    for width, tie_break in (
        (anytime.MIN_VARIED_WIDTH, 1),
        (anytime.MIN_VARIED_WIDTH - 1, 1),
        (anytime.MIN_VARIED_WIDTH, 2),
    ):
        search._search_once(run, width, tie_break, None)
    assert choices == [1, 0, 2]
    for back, different in ((last, 3), (elsewhere, 1)):
        choices.clear()
        search._directions[1:] = [anytime.Direction(back, [back.tiles])]
        for tie_break in range(2, 6):
            search._search_once(run, anytime.MIN_VARIED_WIDTH, tie_break, None)
        assert choices == [1, 1, 2, 2]
        assert len({id(beam_heuristic.heuristic_for(back, look)) for look in range(3)}) == different


def test_beams_go_back_from_the_goal_in_turns() -> None:
    """Of words and numbers, by databases and by layers, the empty cell anywhere."""
    words = position("bedagsbuegaoviolsetwetsn ", "givestubesgleanwadesboots", 5)
    cases = [(words, assignment.with_best_assignment(puzzle_of(words))[0])]
    for rows, cols, steps in ((5, 5, 301), (4, 5, 300), (6, 6, 0)):
        puzzle = walked(distinct(rows, cols), steps, random.Random(6))
        if steps == 0:  # the empty cell is last, as layers have it
            puzzle.tiles[:3] = [2, 3, 1]
            puzzle.tiles[30:33] = [32, 33, 31]
        cases.append((numbers(puzzle.tiles, rows), puzzle))
    for state, puzzle in cases:
        search = with_one_side(puzzle)
        search._min_whole_width = 0 if puzzle.cells <= good_partitions.SMALL else anytime.NEVER
        search._add_backward_direction(None)
        search.moves = [0] * 400
        ways = []
        for tie_break in (0, 1):
            moves = search._search_once(search._beam_searches[0], 400, tie_break, None)
            assert moves is not None
            solver.check_solution(state, moves)
            ways.append(moves)
        assert ways[0] != ways[1]


def test_there_is_no_way_back_without_databases_or_time_for_them() -> None:
    moved = walked(distinct(5, 5), 11, random.Random(6))
    large = walked(distinct(6, 6), 11, random.Random(6))
    assert moved.tiles[-1] > 0 < large.tiles[-1]
    soon = time.perf_counter() + anytime.MIN_BACKWARD_SECONDS - 1
    late = soon + 1000
    for puzzle, deadline, sides in (
        (distinct(5, 5), soon, 2), (distinct(6, 6), None, 2), (distinct(9, 9), soon, 2),
        (moved, None, 2), (moved, late, 2), (moved, soon, 1), (large, None, 1), (large, late, 1),
    ):  # fmt: skip
        search = with_one_side(puzzle)
        search._add_backward_direction(deadline)
        assert len(search._directions) == sides
