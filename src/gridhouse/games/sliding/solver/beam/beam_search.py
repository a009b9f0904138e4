"""Good solutions of boards of any size: beams by databases, and by layers where those end."""

from __future__ import annotations

import random
from functools import lru_cache
from time import perf_counter
from typing import Any

import numpy as np

from gridhouse.core import arrays
from gridhouse.core.records import to_records
from gridhouse.core.specialize import specialize
from gridhouse.games.sliding.solver import assignment
from gridhouse.games.sliding.solver.beam import (
    beam_heuristic,
    board_beam,
    layer_beam,
    plan_shortening,
    selection,
)
from gridhouse.games.sliding.solver.beam.layer_geometry import Ends, costs
from gridhouse.games.sliding.solver.databases import pattern_database
from gridhouse.games.sliding.solver.databases.partitioning import partitions
from gridhouse.games.sliding.solver.puzzle import Puzzle, neighbours

Seed = tuple[list[int], list[int]]  # the tiles, and the moves that led there

CORE = 5  # a rest of so many rows and columns is left to the databases
TRAIL = 1 << 26  # entries that a trail may have
SEEDS = 64  # ends of a layer, or ways to number equal tiles, that a beam begins from

WIDEST = 250_000
NARROWEST = 100
STEPS = 2  # a beam gets at most so many times narrower from layer to layer
SAFE = 0.9  # of the time that is left is planned for
CHILDREN = 4  # that a position may have
CHUNK = 4  # steps of a beam between two looks at the clock
TINY = 1e-6  # seconds, less than anything takes


class Run:
    """One beam at a time over a puzzle, which can be stopped from another thread.

    ``nodes`` is how many moves were looked at by all of them.
    """

    def __init__(self, puzzle: Puzzle, *, jit: bool = True) -> None:
        """Take a puzzle; ``salt`` decides between positions of equal promise."""
        self.puzzle = puzzle
        self.nodes = 0
        self.stopped = False
        self._jit = jit
        self._control: Any = None
        bound = specialize(selection, "sliding", jit=jit)
        self._beam = specialize(board_beam, "sliding", jit=jit, selection=bound)
        self._layers = specialize(layer_beam, "sliding", jit=jit, selection=bound)
        self._windows = specialize(plan_shortening, "sliding", jit=jit)

    def stop(self) -> None:
        """Have the beam end soon."""
        self.stopped = True
        if self._control is not None:
            self._control[0].stop = 1

    def _start(self, control: Any) -> Any:
        self._control = control
        control[0].stop = int(self.stopped)
        return control

    def finish(
        self, puzzle: Puzzle, seeds: list[Seed], width: int, shorter: int, salt: int = 0,
        look: int = 0, deadline: float | None = None, views: beam_heuristic.Views | None = None,
    ) -> list[int] | None:  # fmt: skip
        """Return the moves of a solution from one of some positions, None without one.

        It has fewer moves than ``shorter``, those before the position not counted.  ``look``
        chooses the databases if no ``views`` are given.  The beam becomes narrower on its way if it
        would not be done by the deadline, a value of ``perf_counter``.
        """
        _, board, words = views or beam_heuristic.views_for(puzzle, look, jit=self._jit)
        beam = board_beam.Beam()
        seeds = seeds[:width]
        beam.room, beam.width, beam.shorter, beam.salt = width, width, shorter, salt
        beam.count = len(seeds)
        control = self._start(to_records(beam))
        nodes = to_records(board_beam.node_for(puzzle.cells), 2 * width)
        for node, (tiles, moves) in zip(nodes, seeds, strict=False):
            if puzzle.with_tiles(tiles).is_solved():
                return moves
            node.tiles[: len(tiles)] = tiles
            self._beam.start(control[0], board[0], words, node)
        children = to_records(board_beam.Child(), CHILDREN * width)
        trail = np.empty(min(TRAIL, width * shorter), np.int32)
        beam_of = (control, board, words, nodes, children, *memory(width), trail)
        length = self._paced(control[0], beam_of, deadline)
        self.nodes += int(control[0].nodes)
        if length < 0:
            return None
        start, moves = trace(trail, width, length, int(control[0].end))
        return seeds[start][1] + moves

    def _paced(self, record: Any, beam: tuple[Any, ...], deadline: float | None) -> int:
        """Run a beam to its end, as wide as the time that is left allows; return its moves."""
        while True:
            began = perf_counter()
            record.until = record.step + CHUNK
            length = int(self._beam.run(*beam))
            if length != board_beam.ON:
                return length
            # Positions that come twice are left out, so there are hardly ever as many as may be.
            if deadline is not None and 2 * record.count > record.width:
                now = perf_counter()
                step = max(now - began, TINY) / CHUNK / record.width
                wished = int(SAFE * (deadline - now) / step / (record.shorter - record.step))
                record.width = max(NARROWEST, min(wished, record.room))

    def shorten(self, moves: list[int], nodes: int, salt: int = 0) -> list[int]:
        """Return a solution made of better ways through parts of one, which it may equal.

        So many nodes are spent on it, less on short ones.
        """
        puzzle = self.puzzle
        job = plan_shortening.Job()
        job.cells, job.until = puzzle.cells, nodes
        job.salt = random.Random(salt).getrandbits(2 * plan_shortening.PERIOD)
        control = self._start(to_records(job))
        near, apart = maps(puzzle.rows, puzzle.cols)
        board = np.zeros(3 * puzzle.cells, np.int16)
        first, home = np.zeros(puzzle.cells, np.int16), np.zeros(puzzle.cells, np.int16)
        path, trail = np.array(moves, np.int8), np.zeros(plan_shortening.MOST, np.int8)
        record = control[0]
        record.length, slack = len(moves), plan_shortening.LEAST
        while slack <= plan_shortening.GREATEST and record.nodes < nodes and not record.stop:
            board[: puzzle.cells] = puzzle.tiles
            record.at, record.blank, record.slack = 0, puzzle.tiles.index(0), slack
            saved = self._windows.sweep(control, near, apart, board, path, first, home, trail)
            slack += 0 if saved else 2
        self.nodes += int(record.nodes)
        better: list[int] = path[: int(record.length)].tolist()
        return better

    def prepare(self, core: int) -> None:
        """Build the databases of the rest, so that no beam seems slower than it is."""
        ends = Ends(self.puzzle.rows, self.puzzle.cols)
        while not ends.is_small(core):
            ends = ends.next()
        home = self.puzzle.with_tiles([*range(1, self.puzzle.cells), 0])
        beam_heuristic.views_for(ends.inner(home)[0], 0, jit=self._jit)

    def layer(
        self, puzzle: Puzzle, seeds: list[Seed], ends: Ends, width: int, salt: int
    ) -> list[Seed]:
        """Return positions in which the outer tiles of a rest are home; none without success."""
        control = self._start(ends.record(width, salt))
        nodes = to_records(layer_beam.Node(), 2 * width)
        boards = np.zeros((2 * width, puzzle.cells), np.uint8)
        seeds = seeds[:width]
        for board, (tiles, _) in zip(boards, seeds, strict=False):
            board[:] = tiles
        children = to_records(layer_beam.Child(), CHILDREN * width)
        trail = np.zeros(int(control[0].most) * width, np.int32)
        maps_of = (costs(*ends.corner), by_distance(puzzle.rows, puzzle.cols))
        length = self._layers.march(
            control, nodes, boards, children, *memory(width), trail, *maps_of, len(seeds)
        )
        self.nodes += int(control[0].nodes)
        found = []
        for at in range(min(int(control[0].ends), SEEDS) if length >= 0 else 0):
            start, moves = trace(trail, width, length, int(nodes[at].place))
            found.append((boards[at].tolist(), seeds[start][1] + moves))
        return found


def touch() -> None:
    """Have beams over boards of more than 25 cells compiled, by databases made in a moment.

    What shortens solutions is compiled as well.
    """
    puzzle = Puzzle(3, 9, [*range(1, 26), 0, 26], range(27))
    tables = pattern_database.tables_for(puzzle, partitions(puzzle, puzzle.cells**3)[0])
    run = Run(puzzle)
    seeds = [(puzzle.tiles, list[int]())]
    moves = run.finish(puzzle, seeds, 1, 9, views=beam_heuristic.views_by(puzzle, [tables]))
    assert moves is not None
    run.shorten(moves, 1)


@lru_cache(maxsize=4)
def maps(rows: int, cols: int) -> tuple[Any, Any]:
    """Return by cell and move where the empty cell comes to, and by two cells how far they are."""
    near = np.array([there for ways in neighbours(rows, cols) for there in ways], np.int16)
    down, across = np.divmod(np.arange(rows * cols), cols)
    apart = abs(down[:, None] - down[None]) + abs(across[:, None] - across[None])
    return near, apart.astype(np.int8).reshape(-1)


@lru_cache(maxsize=4)
def by_distance(rows: int, cols: int) -> Any:
    """Return by cell all cells, the nearest first."""
    apart = maps(rows, cols)[1].reshape(rows * cols, -1)
    return np.argsort(apart, kind="stable").astype(np.int16).reshape(-1)


def memory(width: int) -> tuple[Any, Any, Any]:
    """Return what a beam remembers positions in, room to count scores, and to rank children."""
    seen = arrays.zeros(selection.places(width), "int32")
    return seen, np.zeros(selection.BINS, np.int64), np.empty(CHILDREN * width, np.int32)


def trace(trail: Any, width: int, length: int, place: int) -> tuple[int, list[int]]:
    """Return the place where a way began and its moves."""
    moves = []
    for step in reversed(range(length)):
        entry = int(trail[step * width + place])
        moves.append(entry & 3)
        place = entry >> layer_beam.MOVE_BITS
    return place, moves[::-1]


def by_layers(
    run: Run, puzzle: Puzzle, width: int, core: int, salt: int = 0, deadline: float | None = None
) -> list[int] | None:
    """Return the moves of a solution found layer by layer, None if the beam was too narrow.

    With a deadline, a value of ``perf_counter``, the beam becomes narrower on its way if it would
    not be done by then.
    """
    widest = width
    seeds: list[Seed] = [(tiles, []) for tiles in assignment.pairings(puzzle, SEEDS)]
    ends = Ends(puzzle.rows, puzzle.cols)
    while not ends.is_small(core):
        began = perf_counter()
        seeds = run.layer(puzzle, seeds, ends, width, salt)
        if not seeds:
            return None
        after = ends.next()
        if deadline is not None:
            now = perf_counter()
            rate = max(now - began, TINY) / (width * ends.size)
            wished = int(SAFE * (deadline - now) / (rate * after.work(core)))
            width = max(NARROWEST, width // STEPS, min(wished, widest))
        ends = after
        if not puzzle.is_distinct:
            seeds = repaired(puzzle, seeds, ends)
    rest, turn = ends.inner(puzzle.with_tiles(seeds[0][0]))
    return run.finish(
        rest, [(turn(tiles), moves) for tiles, moves in seeds], width, 60 * core, salt
    )


def repaired(puzzle: Puzzle, seeds: list[Seed], ends: Ends) -> list[Seed]:
    """Return the nearest seed, with the equal tiles of the rest numbered anew in several ways."""
    tiles, moves = min(seeds, key=lambda seed: assignment.distance(puzzle.with_tiles(seed[0])))
    cells = [cell for cell in range(puzzle.cells) if ends.holds(cell)]
    pairings = assignment.pairings(puzzle.with_tiles(tiles), SEEDS, cells)
    return [(again, moves) for again in pairings]
