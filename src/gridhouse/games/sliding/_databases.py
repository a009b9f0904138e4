"""Pattern databases for a puzzle: which tiles go together, building, and the cache on disk."""

from __future__ import annotations

import itertools
import random
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from gridhouse.core.compiling import to_records, twin
from gridhouse.games.sliding import _idastar, _patterns
from gridhouse.games.sliding._puzzle import Puzzle, neighbours

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Parts = tuple[tuple[int, ...], ...]

# Bits for the regions in words of each type, the moves above them; words of other types have none.
UP = {np.dtype(np.int32): 25, np.dtype(np.int64): _patterns.MAX_CELLS}
REGIONS = (np.uint16, np.uint32, np.int64)  # types for a bit a cell
ATTEMPTS = 3000
LARGEST = 1 << 26  # words of a table that tells regions apart: a larger one has a byte a word


class StoppedError(Exception):
    """Databases are not wanted any more."""


class Tables:
    """The databases of one partition of a puzzle's tiles, one after another in ``words``.

    ``up`` is by how many bits the moves are shifted there, ``gain`` what the bits below add.
    """

    def __init__(self, puzzle: Puzzle, parts: Parts, words: Any, start: int = 0) -> None:
        """Note where each part's table starts, the first at ``start``."""
        self._puzzle = puzzle
        self.parts = parts
        self.words = sealed(words)
        sizes = [puzzle.cells ** len(part) for part in parts]
        self.starts = list(itertools.accumulate(sizes, initial=start))[:-1]
        self.up = UP.get(words.dtype.newbyteorder("="), 0)
        self.gain = gain_of(puzzle) if self.up else 0

    def split(self, count: int) -> list[Tables]:
        """Return so many partitions, of equally many parts, that stand one after another."""
        each = len(self.parts) // count
        return [
            Tables(self._puzzle, self.parts[at : at + each], self.words, self.starts[at])
            for at in range(0, len(self.parts), each)
        ]


def sealed(words: Any) -> Any:
    """Return words that cannot be written any more, as those that are mapped from the disk.

    To the compiler these are other arrays, for which it would do everything twice.
    """
    words.flags.writeable = False
    return words


def word_type(puzzle: Puzzle, parts: Sequence[Sequence[int]]) -> type[Any]:
    """Return the type of the words of tables for these parts."""
    largest = puzzle.cells ** max(len(part) for part in parts)
    if largest > LARGEST:
        return np.uint8
    return np.int32 if puzzle.cells <= UP[np.dtype(np.int32)] else np.int64


def searcher(plan: Any = None, *, jit: bool = True) -> Any:
    """Return the functions that search: by any plan, or by those that are like one, but faster."""
    if plan is None:
        return twin(_idastar, "sliding", jit=jit)
    views, patterns = int(plan[0].views), int(plan[0].patterns)
    name = f"sliding{views}x{patterns}"
    return twin(_idastar, name, jit=jit, VIEWS=views, PATTERNS=patterns)


def shape_of(puzzle: Puzzle, count: int, up: int) -> Any:
    """Return the record of a board, a pattern of so many tiles, and words with ``up`` bits."""
    shape = _patterns.Shape()
    cols, cells = puzzle.cols, puzzle.cells
    shape.cols, shape.cells, shape.tiles, shape.half = cols, cells, count, count // 2
    shape.split = cells**shape.half
    shape.inner_left = sum(1 << cell for cell in range(cells) if cell % cols)
    shape.inner_right = sum(1 << cell for cell in range(cells) if cell % cols < cols - 1)
    shape.up, shape.told = up, (1 << min(up, cells)) - 1
    near = [sum(1 << cell for cell in ways if cell >= 0) for ways in neighbours(puzzle.rows, cols)]
    shape.near[:cells] = near
    for place in range(_patterns.PRIME - 1):
        shape.number[(1 << place) % _patterns.PRIME] = place
    shape.weight[:count] = [cells**digit for digit in range(count)]
    return to_records(shape)


def digits_of(cells: int, count: int) -> Any:
    """Return the digits of all keys of so many tiles, packed, below the same cells as bits."""
    keys = np.arange(cells**count)
    packed = np.zeros_like(keys)
    for digit in range(count):
        cell = keys // cells**digit % cells
        packed |= cell << digit * _patterns.CELL_BITS | 1 << (cell + _patterns.HALF_BITS)
    return packed


def goals(puzzle: Puzzle, part: Sequence[int]) -> Any:
    """Return the keys of a part's tiles at home, one for every way to share out the homes."""
    kinds: dict[int, list[int]] = {}
    for digit, tile in enumerate(part):
        kinds.setdefault(puzzle.kinds[tile], []).append(digit)
    keys = np.zeros(1, np.int64)
    for digits in kinds.values():
        homes = puzzle.homes(part[digits[0]])
        ways = np.array(list(itertools.permutations(homes, len(digits))), np.int64)
        worth = ways @ np.array([puzzle.cells**digit for digit in digits], np.int64)
        keys = (keys[:, None] + worth[None, :]).reshape(-1)
    return keys


def is_never() -> bool:
    """Tell that databases are wanted."""
    return False


def build(
    puzzle: Puzzle,
    part: Sequence[int],
    word: type[Any] | None = None,
    *,
    jit: bool = True,
    is_stopped: Callable[[], bool] = is_never,
) -> Any:
    """Return the words of a part by key; raises StoppedError soon after ``is_stopped`` says so."""
    patterns = twin(_patterns, "sliding", jit=jit)
    word = word or word_type(puzzle, [part])
    up = UP.get(np.dtype(word), 0)
    shape = shape_of(puzzle, len(part), up)
    lows = digits_of(puzzle.cells, len(part) // 2)
    highs = digits_of(puzzle.cells, len(part) - len(part) // 2)
    size = puzzle.cells ** len(part)
    words = np.zeros(size, word)
    regions = next(kind for kind in REGIONS if puzzle.cells <= 8 * np.dtype(kind).itemsize)
    seen, fresh = np.zeros((2, size), regions)
    marks = np.zeros(-(-size // _patterns.MARKS), np.uint32)
    homes = goals(puzzle, part)
    count = patterns.begin(shape, lows, highs, homes, seen, fresh, marks)
    depth = 0
    while count > 0:
        queue = np.empty(count, np.int64)
        patterns.settle(shape, depth, words, fresh, marks, queue)
        count = patterns.expand(shape, lows, highs, queue, seen, fresh, marks)
        depth += 1
        if is_stopped():
            raise StoppedError
    if not up:
        words[homes] = 0  # without a bit set they looked as if nothing had been written yet
    return words


def partition(puzzle: Puzzle, most: int, seed: int = 1) -> Parts:
    """Return parts of at most so many tiles: equal ones together, else those with near homes.

    Found by random exchanges that do no harm, the same ones for the same seed.
    """
    tiles = list(range(1, puzzle.cells))
    count = -(-len(tiles) // most)
    chance = random.Random(seed)
    order = [tiles[at] if at < len(tiles) else 0 for at in range(count * most)]
    cost = [
        [_apart(puzzle, one, other) for other in range(puzzle.cells)] for one in range(puzzle.cells)
    ]
    for _ in range(ATTEMPTS):
        one, other = chance.randrange(len(order)), chance.randrange(len(order))
        if one // most != other // most and _change(cost, order, one, other, most) <= 0:
            order[one], order[other] = order[other], order[one]
    parts = (order[at : at + most] for at in range(0, len(order), most))
    return tuple(tuple(tile for tile in part if tile) for part in parts)


def _apart(puzzle: Puzzle, one: int, other: int) -> int:
    """Return how little two tiles belong together."""
    if one == 0 or other == 0:
        return 0
    if puzzle.kinds[one] == puzzle.kinds[other]:
        return -10
    across = (one - 1) % puzzle.cols - (other - 1) % puzzle.cols
    down = (one - 1) // puzzle.cols - (other - 1) // puzzle.cols
    return across * across + down * down


def _change(cost: list[list[int]], order: list[int], one: int, other: int, most: int) -> int:
    """Return what exchanging two places in the order costs."""
    change = 0
    for here, there in ((one, other), (other, one)):
        start = there // most * most
        for at in range(start, start + most):
            if at != there:
                change += cost[order[here]][order[at]] - cost[order[there]][order[at]]
    return change


def gain_of(puzzle: Puzzle) -> int:
    """Return how much more the cells that are marked ask for: distinct tiles keep odd and even."""
    return 2 if puzzle.is_distinct else 1


def tables_for(
    puzzle: Puzzle,
    parts: Parts,
    *,
    threads: int = 1,
    jit: bool = True,
    show: bool = False,
    is_stopped: Callable[[], bool] = is_never,
) -> Tables:
    """Return the databases of a partition, built in memory; ``show`` shows how far this is.

    Raises StoppedError soon after ``is_stopped`` says that they are not wanted any more.
    """
    from rich.console import Console
    from rich.progress import track

    word = word_type(puzzle, parts)
    with ThreadPoolExecutor(threads) as pool:
        made = pool.map(
            lambda part: build(puzzle, part, word, jit=jit, is_stopped=is_stopped), parts
        )
        console = Console(stderr=True)
        shown = show and console.is_terminal
        title = "Building pattern databases"
        tables = list(
            track(made, title, len(parts), transient=True, console=console) if shown else made
        )
    return Tables(puzzle, parts, np.concatenate(tables))


def has_mirror(puzzle: Puzzle) -> bool:
    """Tell whether a puzzle can be looked at in the mirror (Culberson and Schaeffer, 1998)."""
    return puzzle.rows == puzzle.cols and puzzle.is_distinct


def plan_of(puzzle: Puzzle, *partitions: Tables) -> tuple[Any, Any]:
    """Return the record of the views that tables give, in the mirror too, and all their words."""
    rows, cols, cells = puzzle.rows, puzzle.cols, puzzle.cells
    plan = _idastar.Plan()
    plan.cells = cells
    plan.patterns = max(len(tables.parts) for tables in partitions)
    plan.up, plan.gain = partitions[0].up, partitions[0].gain
    mirror = [cell % cols * rows + cell // cols for cell in range(cells)]
    images = [list(range(cells))]
    if has_mirror(puzzle):
        images.append(mirror)
    views = [(tables, image) for image in images for tables in partitions]
    plan.views = len(views)
    words = list({id(tables.words): tables.words for tables in partitions}.values())
    *offsets, end = itertools.accumulate(map(len, words), initial=0)
    offset_of = dict(zip(map(id, words), offsets, strict=True))
    for view, (tables, image) in enumerate(views):
        _add_view(plan, view, tables, image, offset_of[id(tables.words)], end)
    plan.ways[: _idastar.SETS * cells] = _ways(rows, cols)
    if len(words) == 1:
        return to_records(plan), words[0]
    # A part of no tiles stands in where a partition has fewer parts: one word, no moves.
    return to_records(plan), sealed(np.concatenate([*words, words[0][:1] * 0]))


def _add_view(
    plan: Any, view: int, tables: Tables, image: list[int], offset: int, nothing: int
) -> None:
    """Write a view into a plan."""
    most = _idastar.MAX_CELLS
    cells = len(image)
    plan.image[view * most : view * most + cells] = image
    places = {
        tile: (number, digit)
        for number, part in enumerate(tables.parts)
        for digit, tile in enumerate(part)
    }
    for tile in range(1, cells):
        number, digit = places[image[tile - 1] + 1]
        plan.slot[view * most + tile] = view * plan.patterns + number
        plan.weight[view * most + tile] = cells**digit
    starts = [offset + start for start in tables.starts]
    starts += [nothing] * (plan.patterns - len(starts))
    plan.origin[view * plan.patterns : (view + 1) * plan.patterns] = starts


@lru_cache(maxsize=8)
def _ways(rows: int, cols: int) -> list[int]:
    """Return by cell and set of moves those of the set that can be made, the first one lowest."""
    packed = []
    for near in neighbours(rows, cols):
        for moves in range(_idastar.SETS):
            ways = 0
            for move in reversed(range(_idastar.NUM_MOVES)):
                if near[move] >= 0 and moves >> move & 1:
                    ways = ways << _idastar.WAY_BITS | near[move] << 3 | move + 1
            packed.append(ways)
    return packed
