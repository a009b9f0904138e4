"""Every position of the smallest sliding puzzles, against breadth-first search from the goal.

The searches that are trusted here, ``naive.sliding_solver`` and ``steps``, move letters in texts
and share nothing with the solvers.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter, defaultdict
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gridhouse.core.errors import SolverError
from gridhouse.core.records import to_records
from gridhouse.core.specialize import specialize
from gridhouse.games.sliding import rules, solver
from gridhouse.games.sliding.game import position_of
from gridhouse.games.sliding.solver import bidirectional
from gridhouse.games.sliding.solver.databases import heuristic, retrograde
from gridhouse.games.sliding.solver.optimal import (
    duplicate_pruning,
    idastar,
    optimal_search,
    stages,
)
from gridhouse.games.sliding.solver.puzzle import Puzzle, neighbours, puzzle_of, round_up_to_parity
from naive.sliding_solver import shortest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

pytestmark = pytest.mark.untraced

# By goal how many positions can become it: half of all if no letter comes twice, else all.
THREE_BY_THREE = {
    "abcdefgh ": 181440,
    "abcdefga ": 181440,  # the one pair of equal letters makes every odd permutation even
    "aaabcdef ": 60480,
    "aabbccdd ": 22680,
    "abcabcab ": 5040,
    "banananb ": 5040,
    "aaaabbbb ": 630,
    "aaaaaaab ": 72,
}
FEW = [goal for goal, count in THREE_BY_THREE.items() if count <= 5040]


def position(puzzle: str, goal: str, rows: int) -> rules.Position:
    """Return a position of letters; the goal's last letter is not used."""
    return position_of(puzzle, goal[:-1] + "!", rows, len(goal) // rows)


def puzzles(texts: Iterable[str], goal: str, rows: int) -> list[Puzzle]:
    """Return the puzzles of texts as the solver sees them."""
    state = position(goal, goal, rows)
    many = []
    for text in texts:
        state.tiles = [0 if letter == " " else ord(letter) for letter in text]
        many.append(puzzle_of(state))
    return many


def goals(cells: int) -> Iterator[str]:
    """Yield every goal of a board up to other names for its letters."""
    for letters in itertools.product("abcdefgh"[: cells - 1], repeat=cells - 1):
        if all(ord(letter) - 97 <= len(set(letters[:at])) for at, letter in enumerate(letters)):
            yield "".join(letters) + " "


@cache
def beside(cell: int, cells: int, cols: int) -> list[int]:
    """Return the cells that share a side with a cell."""
    row, col = divmod(cell, cols)
    return [to for to in range(cells) if abs(to // cols - row) + abs(to % cols - col) == 1]


def steps(text: str, cols: int) -> list[str]:
    """Return the texts that are one move away."""
    blank = text.index(" ")
    texts = []
    for there in beside(blank, len(text), cols):
        letters = list(text)
        letters[blank], letters[there] = letters[there], " "
        texts.append("".join(letters))
    return texts


def near(goal: str, cols: int, most: int) -> dict[str, int]:
    """Return by puzzle how many moves it needs, for all that need at most so many."""
    need = {goal: 0}
    layer = [goal]
    for moves in range(1, most + 1):
        wider = {after for text in layer for after in steps(text, cols)}
        layer = [text for text in wider if text not in need]
        need.update(dict.fromkeys(layer, moves))
    return need


def searches(many: list[Puzzle]) -> Any:
    """Return a record of a search for every puzzle."""
    search = idastar.SearchState()
    search.last_move, search.node_limit = idastar.NO_MOVE, stages.NO_LIMIT
    records = to_records(search, len(many))
    records["tiles"][:, : many[0].cells] = [puzzle.tiles for puzzle in many]
    records["blank"] = [puzzle.tiles.index(0) for puzzle in many]
    return records


def found(many: list[Puzzle], layout: Any, entries: Any) -> tuple[Any, Any]:
    """Return the records of the compiled search from every puzzle, and what databases ask for.

    The puzzles have one goal, and none is solved.
    """
    search_to_bound = optimal_search.kernel_for(layout).search_to_bound
    load_root = specialize(
        idastar, "sliding", rank_of=specialize(retrograde, "sliding").rank_of
    ).load_root  # looked up once, not for each of many positions
    automaton = duplicate_pruning.automaton(optimal_search.LONGEST_SEQUENCE)
    records = searches(many)
    asked = np.zeros(len(many), np.int64)
    frames = to_records(idastar.Frame(), idastar.MAX_DEPTH)
    for at, puzzle in enumerate(many):
        one = records[at : at + 1]
        asked[at] = load_root(layout, entries, one)
        one["bound"] = round_up_to_parity(puzzle, int(asked[at]))
        while (
            result := search_to_bound(layout, entries, automaton, one, frames)
        ) == idastar.EXHAUSTED:
            one["bound"] += 2
        assert result == idastar.FOUND
    return records, asked


def assert_solved(text: str, goal: str, rows: int, moves: int) -> None:
    """Solve a puzzle as players have it solved; the solver replays what it returns."""
    answer = solver.solve_position(position(text, goal, rows))
    assert (answer.length, answer.bound, answer.optimal) == (moves, moves, True), text


@pytest.mark.parametrize(("rows", "cols", "count"), [(2, 2, 5), (2, 3, 52), (3, 2, 52)])
def test_every_position_of_every_goal_on_boards_of_up_to_six_cells(
    rows: int, cols: int, count: int
) -> None:
    """All goals up to other letters, all arrangements: solved in the fewest moves or refused."""
    every = list(goals(rows * cols))
    assert len(every) == count
    for goal in every:
        known = shortest(goal, cols)
        for text in map("".join, sorted(set(itertools.permutations(goal)))):
            if text in known:
                assert_solved(text, goal, rows, known[text])
            else:
                with pytest.raises(SolverError, match="cannot be solved"):
                    solver.solve_position(position(text, goal, rows))


@pytest.mark.slow("searches for seconds")
@pytest.mark.parametrize("goal", FEW)
def test_every_position_of_three_by_three_goals_with_many_equal_letters(goal: str) -> None:
    for text, moves in shortest(goal, 3).items():
        assert_solved(text, goal, 3, moves)


@pytest.mark.slow("searches for seconds")
def test_a_sample_of_distinct_three_by_three_positions_of_every_length() -> None:
    """The search from both ends, a millisecond each: a sample, not all 181440 positions.

    It is every position of at most ten or at least thirty moves, and thirty of every other length.
    """
    by_moves = defaultdict(list)
    for text, moves in shortest("abcdefgh ", 3).items():
        by_moves[moves].append(text)
    assert len(by_moves) == 32
    chance = random.Random(1)
    for moves, texts in by_moves.items():
        for text in chance.sample(texts, 30) if 10 < moves < 30 else texts:
            assert_solved(text, "abcdefgh ", 3, moves)


@pytest.mark.parametrize("goal", ["abcdefgh ", "aabbccdd "])
def test_every_step_of_the_search_from_both_ends(goal: str) -> None:
    """One end of it alone, without the other to meet, reaches every position, layer by layer.

    Each end takes whole layers and stops at the first position both know.  So where all layers
    are right, the two lengths add up to the shortest, for every position.
    """
    known = shortest(goal, 3)
    start = goal.encode().replace(b" ", b"\0")
    seen: bidirectional.Seen = {start: (b"", -1)}
    edge, depth = [start], 0
    ways = neighbours(3, 3)
    while edge:
        for place in edge:
            assert known[place.decode().replace("\0", " ")] == depth
            before, move = seen[place]
            if move >= 0:
                text = before.decode().replace("\0", " ")
                assert place.decode().replace("\0", " ") in steps(text, 3)
                assert ways[before.index(0)][move] == place.index(0)
        edge, meeting, _ = bidirectional._expand_frontier(ways, edge, seen, {})
        assert meeting is None
        depth += 1
    assert len(seen) == len(known)


@pytest.mark.slow("searches for seconds")
@pytest.mark.parametrize(
    ("goal", "most"),
    [
        *((goal, 4) for goal in THREE_BY_THREE),  # distinct tiles have no larger parts on 3x3
        *itertools.product(["aabbccdd ", "abcabcab ", "banananb ", "aaaabbbb "], [5, 6]),
    ],
)
def test_the_compiled_search_from_every_three_by_three_position(goal: str, most: int) -> None:
    """What solves larger boards, with databases as they are built in memory, for all positions.

    The optimum is the same.  The databases never ask for too much, for nothing only at the goal,
    and keep odd and even.  But they are not consistent: with distinct tiles a few moves change
    what they ask for by more than one.
    """
    known = shortest(goal, 3)
    assert len(known) == THREE_BY_THREE[goal]
    del known[goal]
    many = puzzles(known, goal, 3)
    layout, entries = heuristic.make_heuristic(many[0], *stages.small_databases(many[0], most))
    records, asked = found(many, layout, entries)
    lengths = np.array(list(known.values()))
    assert (records["length"] == lengths).all()
    assert (records["bound"] == lengths).all()
    assert (asked > 0).all()
    assert (asked <= lengths).all()
    needs = {goal: 0} | dict(zip(known, asked.tolist(), strict=True))
    assert optimal_search.load_root(layout, entries, searches(puzzles([goal], goal, 3))) == 0
    changes = Counter(abs(needs[after] - needs[text]) for text in needs for after in steps(text, 3))
    assert ((asked - lengths) % 2 == 0).all()
    assert all(change % 2 for change in changes)
    if many[0].is_distinct:
        assert changes == {1: 480944, 3: 2876, 5: 20}  # every move there and back


def test_a_sample_of_the_other_half_of_distinct_three_by_three_positions_is_refused() -> None:
    """Ten thousand of the 181440 that are an exchange of two letters away."""
    others = sorted(shortest("bacdefgh ", 3))
    for text in random.Random(3).sample(others, 10000):
        with pytest.raises(SolverError, match="odd permutation"):
            puzzle_of(position(text, "abcdefgh ", 3))


@pytest.mark.slow("searches for seconds")
@pytest.mark.parametrize("goal", ["abcdefghijklmno ", "aaabbbcccdddeee ", "abcdeabcdeabcde "])
def test_every_four_by_four_position_near_its_goal(goal: str) -> None:
    """All positions of at most eleven moves: found, and never asked for too much."""
    known = near(goal, 4, 11)
    del known[goal]
    many = puzzles(known, goal, 4)
    records, asked = found(
        many, *heuristic.make_heuristic(many[0], *stages.small_databases(many[0], 4))
    )
    lengths = np.array(list(known.values()))
    assert (records["length"] == lengths).all()
    assert (asked <= lengths).all()


def with_distinct_tiles(board: tuple[int, ...], cols: int, most: int) -> dict[tuple[int, ...], int]:
    """Return by board of distinct tiles within so many moves of one how many it takes."""
    known = {board: 0}
    edge = [board]
    for depth in range(1, most + 1):
        wider = []
        for tiles in edge:
            blank = tiles.index(0)
            row, col = divmod(blank, cols)
            for down, right in ((-1, 0), (1, 0), (0, -1), (0, 1)):
                there = blank + down * cols + right
                if 0 <= col + right < cols and 0 <= row + down < len(tiles) // cols:
                    moved = list(tiles)
                    moved[blank], moved[there] = moved[there], 0
                    if tuple(moved) not in known:
                        known[tuple(moved)] = depth
                        wider.append(tuple(moved))
        edge = wider
    return known


def assignments(letters: str, goal: str) -> Iterator[tuple[int, ...]]:
    """Yield the goals of all ways to share out the homes among a board's numbered letters."""
    cells = {letter: [at for at, other in enumerate(goal) if other == letter] for letter in goal}
    tiles = {letter: [at for at, other in enumerate(letters) if other == letter] for letter in goal}
    every = [list(itertools.permutations(tiles[letter])) for letter in cells if letter != " "]
    names = [letter for letter in cells if letter != " "]
    for choice in itertools.product(*every):
        board = [0] * len(goal)
        for letter, numbers in zip(names, choice, strict=True):
            for cell, number in zip(cells[letter], numbers, strict=True):
                board[cell] = number + 1
        yield tuple(board)


@pytest.mark.parametrize(
    "goal", ["aabbccddeefghij ", "aaabbbcdefghijk ", "banabcdnacdefgh ", "aaaabcdefghijkl "]
)
def test_words_of_four_by_four_are_as_short_as_the_best_of_all_pairings(goal: str) -> None:
    """Every pairing is a puzzle of distinct tiles; those of the wrong parity are never reached."""
    chance = random.Random(goal)
    for _ in range(6):
        letters, blank = list(goal), 15
        for _ in range(12):
            row, col = divmod(blank, 4)
            near = [blank - 4] * (row > 0) + [blank + 4] * (row < 3)
            near += [blank - 1] * (col > 0) + [blank + 1] * (col < 3)
            there = chance.choice(near)
            letters[blank], letters[there], blank = letters[there], " ", there
        text = "".join(letters)
        board = tuple(0 if letter == " " else at + 1 for at, letter in enumerate(text))
        known = with_distinct_tiles(board, 4, 12)
        best = min(known.get(home, 99) for home in assignments(text, goal))
        found = solver.solve_position(position(text, goal, 4), threads=1)
        assert (found.length, found.optimal) == (best, True)
