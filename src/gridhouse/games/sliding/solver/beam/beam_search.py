"""Short solutions of boards of any size: beams by databases, and by layers where those end."""

from __future__ import annotations

import random
from functools import lru_cache
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from gridhouse.core import arrays
from gridhouse.core.fast import np
from gridhouse.core.records import to_records
from gridhouse.core.specialize import specialize
from gridhouse.games.sliding.solver.assignment import assignments, manhattan_distance
from gridhouse.games.sliding.solver.beam import (
    beam_heuristic,
    board_beam,
    layer_beam,
    plan_shortening,
    selection,
)
from gridhouse.games.sliding.solver.beam.layer_geometry import RemainingBoard, costs
from gridhouse.games.sliding.solver.databases.partitioning import partitions
from gridhouse.games.sliding.solver.databases.pattern_database import build_all
from gridhouse.games.sliding.solver.puzzle import Puzzle, neighbours

if TYPE_CHECKING:
    from gridhouse.games.sliding.solver.beam.beam_heuristic import BeamHeuristic

Start = tuple[list[int], list[int]]  # the tiles, and the moves that led there

DATABASE_SIDE = 5  # rows and columns that are left to the databases
MAX_BACK_POINTERS = 1 << 26
MAX_STARTS = 64  # positions at the end of a layer, or assignments, that a beam begins from

MAX_WIDTH = 250_000
MIN_WIDTH = 100
MAX_NARROWING = 2  # factor by which a beam gets narrower from layer to layer, at most
PLANNED_SHARE = 0.9  # of the time that is left
MAX_CHILDREN = 4
STEPS_PER_CHECK = 4  # steps of a beam between two looks at the clock
TINY = 1e-6  # seconds, less than anything takes


class BeamOptions(NamedTuple):
    """The options of a beam over a whole board.

    Solutions have fewer moves than ``upper_bound``, those before its start not counted.
    ``tie_break`` decides between positions of equal scores, ``choice`` is that of the databases.
    The beam becomes narrower on its way if it would not be done by the deadline, a value of
    ``perf_counter``.
    """

    width: int
    upper_bound: int
    tie_break: int = 0
    choice: int = 0
    deadline: float | None = None


class BeamSearch:
    """One beam at a time over a puzzle, which can be stopped from another thread.

    ``nodes`` is the number of moves looked at by all of them.
    """

    def __init__(self, puzzle: Puzzle, *, jit: bool = True) -> None:
        """Take a puzzle."""
        self.puzzle = puzzle
        self.nodes = 0
        self.stopped = False
        self._jit = jit
        self._control: Any = None
        shared = specialize(selection, "sliding", jit=jit)
        self._board_beam = specialize(board_beam, "sliding", jit=jit, selection=shared)
        self._layer_beam = specialize(layer_beam, "sliding", jit=jit, selection=shared)
        self._plan_shortening = specialize(plan_shortening, "sliding", jit=jit)

    def stop(self) -> None:
        """Make the beam end soon."""
        self.stopped = True
        if self._control is not None:
            self._control[0].stop = 1

    def _controlled(self, control: np.ndarray) -> np.ndarray:
        """Return the record of a kernel's state, which ``stop`` will reach."""
        self._control = control
        control[0].stop = int(self.stopped)
        return control

    def search_board(
        self,
        puzzle: Puzzle,
        starts: list[Start],
        options: BeamOptions,
        heuristic: BeamHeuristic | None = None,
    ) -> list[int] | None:
        """Return the moves of a solution from one of some positions, None without one.

        The heuristic is by default that of the choice of databases.
        """
        width = options.width
        _, layout, entries = heuristic or beam_heuristic.heuristic_for(
            puzzle, options.choice, jit=self._jit
        )
        beam = board_beam.Beam()
        starts = starts[:width]
        beam.capacity = beam.width = width
        beam.upper_bound, beam.tie_break = options.upper_bound, options.tie_break
        beam.count = len(starts)
        control = self._controlled(to_records(beam))
        nodes = to_records(board_beam.node_for(puzzle.cells), 2 * width)
        for node, (tiles, moves) in zip(nodes, starts, strict=False):
            if puzzle.with_tiles(tiles).is_solved():
                return moves
            node.tiles[: len(tiles)] = tiles
            self._board_beam.start(control[0], layout[0], entries, node)
        num_pointers = min(MAX_BACK_POINTERS, width * options.upper_bound)
        shared = make_memory(board_beam.Child(), width, np.empty(num_pointers, np.int32))
        memory = board_beam.Memory(control, layout, entries, nodes, shared)
        length = self._run_in_time(memory, options.deadline)
        self.nodes += int(control[0].nodes)
        if length < 0:
            return None
        start, moves = trace(shared.back_pointers, width, length, int(control[0].goal))
        return starts[start][1] + moves

    def _run_in_time(self, memory: board_beam.Memory, deadline: float | None) -> int:
        """Run a beam, narrowed to meet the deadline; return a solution's length, or FAILED."""
        beam: board_beam.Beam = memory.beam[0]
        while True:
            began = perf_counter()
            beam.until = beam.step + STEPS_PER_CHECK
            length = int(self._board_beam.search(memory))
            if length != board_beam.UNFINISHED:
                return length
            # Duplicates are dropped, so there are hardly ever as many nodes as may be.
            if deadline is not None and 2 * beam.count > beam.width:
                now = perf_counter()
                seconds_per_node = max(now - began, TINY) / STEPS_PER_CHECK / beam.width
                planned = PLANNED_SHARE * (deadline - now)
                affordable = int(planned / seconds_per_node / (beam.upper_bound - beam.step))
                beam.width = max(MIN_WIDTH, min(affordable, beam.capacity))

    def shorten(self, moves: list[int], node_limit: int, seed: int = 0) -> list[int]:
        """Return a solution with shorter windows, which may equal the given one.

        At most ``node_limit`` nodes are spent on it, less on short ones.
        """
        puzzle = self.puzzle
        job = plan_shortening.Job()
        job.cells, job.node_limit, job.length = puzzle.cells, node_limit, len(moves)
        job.move_order = random.Random(seed).getrandbits(2 * plan_shortening.PERIOD)
        control = self._controlled(to_records(job))
        neighbour, distance = maps(puzzle.rows, puzzle.cols)
        memory = plan_shortening.Memory(
            job=control,
            neighbour=neighbour,
            distance=distance,
            board=np.zeros(3 * puzzle.cells, np.int16),
            path=np.array(moves, np.int8),
            start=np.zeros(puzzle.cells, np.int16),
            goal=np.zeros(puzzle.cells, np.int16),
            tried=np.zeros(plan_shortening.MAX_WINDOW, np.int8),
        )
        record, slack = control[0], plan_shortening.MIN_SLACK
        while slack <= plan_shortening.MAX_SLACK and record.nodes < node_limit and not record.stop:
            memory.board[: puzzle.cells] = puzzle.tiles
            record.at, record.blank, record.slack = 0, puzzle.tiles.index(0), slack
            saved = self._plan_shortening.shorten(memory)
            slack += 0 if saved else 2
        self.nodes += int(record.nodes)
        better: list[int] = memory.path[: int(record.length)].tolist()
        return better

    def preload_databases(self, database_side: int) -> None:
        """Build the databases that beams end with, so that no beam seems slower than it is."""
        remaining = RemainingBoard(self.puzzle.rows, self.puzzle.cols)
        while not remaining.is_small(database_side):
            remaining = remaining.without_layer()
        home = self.puzzle.with_tiles([*range(1, self.puzzle.cells), 0])
        beam_heuristic.heuristic_for(remaining.as_puzzle(home)[0], 0, jit=self._jit)

    def solve_layer(
        self,
        puzzle: Puzzle,
        starts: list[Start],
        remaining: RemainingBoard,
        width: int,
        tie_break: int,
    ) -> list[Start]:
        """Return positions in which the tiles of the outer layer are home; none if it fails."""
        starts = starts[:width]
        control = self._controlled(remaining.record(width, tie_break))
        layer: layer_beam.LayerBeam = control[0]
        layer.count = len(starts)
        boards = np.zeros((2 * width, puzzle.cells), np.uint8)
        for board, (tiles, _) in zip(boards, starts, strict=False):
            board[:] = tiles
        num_pointers = int(layer.max_moves) * width
        memory = layer_beam.Memory(
            layer=control,
            nodes=to_records(layer_beam.Node(), 2 * width),
            boards=boards,
            costs=costs(*remaining.corner),
            by_distance=cells_by_distance(puzzle.rows, puzzle.cols),
            shared=make_memory(layer_beam.Child(), width, np.zeros(num_pointers, np.int32)),
        )
        length = self._layer_beam.search(memory)
        self.nodes += int(layer.nodes)
        if length < 0:
            return []
        found = []
        for at in range(min(int(layer.count), MAX_STARTS)):
            place = int(memory.nodes[at].place)
            start, moves = trace(memory.shared.back_pointers, width, length, place)
            found.append((boards[at].tolist(), starts[start][1] + moves))
        return found


def compile_kernels() -> None:
    """Compile beams over boards of more than 25 cells, by databases made in a moment.

    The kernels that shorten solutions are compiled as well.
    """
    puzzle = Puzzle(3, 9, [*range(1, 26), 0, 26], range(27))
    databases = build_all(puzzle, partitions(puzzle, puzzle.cells**3)[0])
    heuristic = beam_heuristic.heuristic_of(puzzle, [databases])
    search = BeamSearch(puzzle)
    moves = search.search_board(puzzle, [(puzzle.tiles, [])], BeamOptions(1, 9), heuristic)
    assert moves is not None
    search.shorten(moves, 1)


@lru_cache(maxsize=4)
def maps(rows: int, cols: int) -> tuple[np.ndarray, np.ndarray]:
    """Return by cell and move the neighbour, and by two cells the steps between them."""
    neighbour = np.array([there for near in neighbours(rows, cols) for there in near], np.int16)
    down, across = np.divmod(np.arange(rows * cols), cols)
    distance = abs(down[:, None] - down[None]) + abs(across[:, None] - across[None])
    return neighbour, distance.astype(np.int8).reshape(-1)


@lru_cache(maxsize=4)
def cells_by_distance(rows: int, cols: int) -> np.ndarray:
    """Return by cell all cells, the nearest first."""
    distance = maps(rows, cols)[1].reshape(rows * cols, -1)
    return np.argsort(distance, kind="stable").astype(np.int16).reshape(-1)


def make_memory(
    child: board_beam.Child | layer_beam.Child, width: int, back_pointers: np.ndarray
) -> selection.Memory:
    """Return the arrays of a beam whose children are like the given one."""
    return selection.Memory(
        children=to_records(child, MAX_CHILDREN * width),
        seen=arrays.zeros(selection.num_slots(width), "int32"),
        histogram=np.zeros(selection.HISTOGRAM_SIZE, np.int64),
        order=np.empty(MAX_CHILDREN * width, np.int32),
        back_pointers=back_pointers,
    )


def trace(back_pointers: np.ndarray, width: int, length: int, place: int) -> tuple[int, list[int]]:
    """Return the place of the start of a path, and its moves, from its length and last place."""
    moves = []
    for step in reversed(range(length)):
        entry = int(back_pointers[step * width + place])
        moves.append(entry & 3)
        place = entry >> layer_beam.MOVE_BITS
    return place, moves[::-1]


def solve_by_layers(
    search: BeamSearch,
    puzzle: Puzzle,
    width: int,
    database_side: int,
    tie_break: int = 0,
    deadline: float | None = None,
) -> list[int] | None:
    """Return the moves of a solution found layer by layer, None if the beam was too narrow.

    With a deadline, a value of ``perf_counter``, the beam becomes narrower on its way if it would
    not be done by then.
    """
    widest = width
    starts: list[Start] = [(tiles, []) for tiles in assignments(puzzle, MAX_STARTS)]
    remaining = RemainingBoard(puzzle.rows, puzzle.cols)
    while not remaining.is_small(database_side):
        began = perf_counter()
        starts = search.solve_layer(puzzle, starts, remaining, width, tie_break)
        if not starts:
            return None
        after = remaining.without_layer()
        if deadline is not None:
            now = perf_counter()
            rate = max(now - began, TINY) / (width * remaining.size)
            planned = PLANNED_SHARE * (deadline - now)
            affordable = int(planned / (rate * after.work(database_side)))
            width = max(MIN_WIDTH, width // MAX_NARROWING, min(affordable, widest))
        remaining = after
        if not puzzle.is_distinct:
            starts = reassigned(puzzle, starts, remaining)
    rest, renumber = remaining.as_puzzle(puzzle.with_tiles(starts[0][0]))
    renumbered = [(renumber(tiles), moves) for tiles, moves in starts]
    return search.search_board(rest, renumbered, BeamOptions(width, 60 * database_side, tie_break))


def reassigned(puzzle: Puzzle, starts: list[Start], remaining: RemainingBoard) -> list[Start]:
    """Return the start nearest to the goal under several assignments of the remaining tiles."""
    tiles, moves = min(starts, key=lambda start: manhattan_distance(puzzle.with_tiles(start[0])))
    cells = [cell for cell in range(puzzle.cells) if remaining.holds(cell)]
    found = assignments(puzzle.with_tiles(tiles), MAX_STARTS, cells)
    return [(again, moves) for again in found]
