"""What a search knows of Sinks: the same compiled, fair to both sides, and enough for tactics."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import gridhouse
from gridhouse.games.sinks import evaluation, rules
from gridhouse.players import Limits, player
from gridhouse.search import alphabeta
from gridhouse.search.engine import Engine
from walks import GAMES, walk

if TYPE_CHECKING:
    from gridhouse.core.game import State
    from gridhouse.games.sinks.rules import Position

SINKS = [text for text in GAMES if text.startswith("sinks")]
states = st.builds(walk, st.sampled_from(SINKS), st.integers(0, 2**32))
BOARD = "sinks(rows=8,cols=8,setup=standard,limit=100) "


def listed(state: State) -> list[int]:
    """Return the candidates of a state."""
    out = [0] * state.game.num_actions
    return out[: evaluation.candidates(state.position, out)]


def half_turned(position: Position) -> Position:
    """Return the board turned by half a turn with the players swapped."""
    made = rules.Position()
    rules.start(made, position.rows, position.cols, position.limit)
    last = position.rows * position.cols - 1
    made.turn = 1 - position.turn
    for name in ("moves", "bombed", "quiet", "blown"):
        setattr(made, name, getattr(position, name))
    for name in ("freezings", "sink_moves", "sunk", "laid"):
        setattr(made, name, getattr(position, name)[::-1])
    for cell, kind in enumerate(position.kind):
        if kind:
            put_turned(made, position, cell, last)
        if position.bomb[cell]:
            made.bomb[last - cell] = 3 - position.bomb[cell]
    rules.note_end(made)
    return made


def put_turned(made: Position, position: Position, cell: int, last: int) -> None:
    """Put what stands at an anchor on the turned board; its last cell becomes its anchor."""
    kind, lie = position.kind[cell], position.lie[cell]
    up = (rules.height(kind, lie) - 1) * position.cols
    at = last - cell - up - (rules.width(kind, lie) - 1)
    if rules.is_piece(kind):
        kind += rules.PIECE_KINDS if rules.owner(kind) == 0 else -rules.PIECE_KINDS
    rules.put(made, at, kind, lie)
    made.frozen[at] = position.frozen[cell]


def crowded() -> State:
    """Return a state with more pieces of each player than are planned with."""
    cells = [(row, col) for row in range(3, 7) for col in range(3, 7)]
    objects = [f"{'ld'[at % 2]} a {row} {col}" for at, (row, col) in enumerate(cells)]
    state = gridhouse.load("sinks").start_from_file("\n".join([*objects, "#"]), 0)
    assert state.position.num_anchors[0] > evaluation.MOST_PIECES
    return state


@given(states)
@example(crowded())
def test_compiled_says_what_interpreted_says(state: State) -> None:
    engines = [Engine(state.game, jit=jit) for jit in (True, False)]
    said = []
    for engine in engines:
        record = engine.memory(state.position)[0]
        scratch = engine.scratch(0)
        scores = [engine.evaluation.move_score(record, action) for action in state.legal_actions()]
        count = engine.evaluation.candidates(record, scratch.actions)
        actions = [int(action) for action in scratch.actions[:count]]
        said.append((engine.evaluation.evaluate(record), scores, actions))
    assert said[0] == said[1]


@given(states)
def test_half_a_turn_with_players_swapped_negates_the_value(state: State) -> None:
    turned = half_turned(state.position)
    assert half_turned(turned).kind == state.position.kind
    assert evaluation.evaluate(turned) == -evaluation.evaluate(state.position)
    assert abs(evaluation.evaluate(turned)) < 10_000


@given(states)
def test_candidates_are_legal_actions_each_once(state: State) -> None:
    actions = listed(state)
    assert len(set(actions)) == len(actions)
    assert set(actions) <= set(state.legal_actions())
    assert bool(actions) == bool(state.legal_actions())


@given(states)
def test_what_sinks_own_pieces_is_tactical(state: State) -> None:
    for action in state.legal_actions():
        after = state.clone()
        after.apply_action(action)
        me = state.current_player()
        gains = [after.position.sunk[who] - state.position.sunk[who] for who in (me, 1 - me)]
        is_tactical = evaluation.move_score(state.position, action) >= alphabeta.TACTICAL
        assert is_tactical == (gains[0] > gains[1])


def test_tactical_means_the_same_to_the_search() -> None:
    assert evaluation.TACTICAL == alphabeta.TACTICAL


def shortest(state: State, cell: int) -> int:
    """Return the fewest moves of a piece into a sink, by trying all, FAR at most."""
    before = [state.position.copy()]
    for moves in range(1, evaluation.FAR):
        after = {}
        for position in before:
            at = next(c for c in range(len(position.kind)) if position.frozen[c])
            for verb in range(rules.BOMB):
                if rules.piece_way_refusal(position, at, verb) == 0:
                    row, col, lie = rules.landing(position, at, verb)
                    moved = position.copy()
                    if not rules.roll_piece(moved, at, row, col, lie):
                        return moves
                    moved.frozen[row * position.cols + col] = 1  # marks the piece
                    after[str(moved.kind) + str(moved.lie)] = moved
        before = list(after.values())
    return evaluation.FAR


@pytest.mark.parametrize("text", SINKS)
def test_ways_are_as_short_as_they_can_be(text: str) -> None:
    for seed in range(4):
        state = walk(text, seed)
        position = state.position
        position.bomb = [0] * len(position.bomb)
        position.frozen = [0] * len(position.frozen)
        position.first_cell = rules.NOWHERE
        free, sinks = evaluation.free_cells(position), evaluation.sink_cells(position)
        for group in range(2):
            for number in range(position.num_anchors[group]):
                cell = rules.anchor_of(position, group, number)
                position.frozen[cell] = 1
                double = 2 if rules.is_cube(position.kind[cell]) else 1
                found = evaluation.distance_to_sink(position, cell, free, sinks)
                assert found == double * shortest(state, cell), (str(state), cell)
                position.frozen[cell] = 0


def fewest_moves(pieces: list[tuple[int, int]], points: int) -> int:
    """Return the fewest moves to some points, by trying all sets of pieces: moves and worth."""
    sums = [
        sum(moves for moves, _ in chosen)
        for size in range(len(pieces) + 1)
        for chosen in combinations(pieces, size)
        if sum(worth for _, worth in chosen) >= points
    ]
    return min([*sums, 15])


def naive_chances(position: Position, player: int, weights: np.ndarray) -> int:
    """Return what a player's way to four points is worth, from that player's weights."""
    of_pieces, of_spare, of_ready = np.split(weights, [80, 80 + 256])
    free, sinks = evaluation.free_cells(position), evaluation.sink_cells(position)
    value, pieces = 0, []
    for cell, kind in enumerate(position.kind):
        if rules.is_piece(kind) and rules.owner(kind) == player:
            moves, frozen = evaluation.distance_to_sink(position, cell, free, sinks), 0
            worth = rules.worth(kind)
            value += of_pieces.reshape(4, 10, 2)[worth - 1, min(9, moves), position.frozen[cell]]
            if position.frozen[cell]:
                frozen = 2 - (position.moves if position.turn == player else 0)
            pieces.append((moves + frozen, worth))
    points = 4 - position.sunk[player]
    fewest = fewest_moves(pieces, points)
    without = (pieces[:at] + pieces[at + 1 :] for at in range(len(pieces)))
    spare = max((fewest_moves(left, points) for left in without), default=0)
    freezings, pushes = position.freezings[1 - player], position.sink_moves[player]
    stage = 2 if position.moves else position.bombed
    if position.turn == player and fewest <= 2 - position.moves:
        value += 2000
    value += of_spare.reshape(16, 16)[fewest, spare]
    return int(value + of_ready.reshape(16, 3, 3, 3)[fewest, freezings, pushes, stage])


@given(states)
def test_the_learned_evaluation_adds_up_what_a_naive_one_does(state: State) -> None:
    position = state.position
    weights = np.frombuffer(evaluation.WEIGHTS, "<u2").astype(int) - evaluation.ZERO
    bias, mine, theirs, special, pieces = np.split(weights, np.cumsum([1, 768, 768, 81]))
    me, other = position.turn, 1 - position.turn
    value = int(bias[0])
    value += naive_chances(position, me, mine) + naive_chances(position, other, theirs)
    left = [position.freezings[who] for who in (me, other)]
    left += [position.sink_moves[who] for who in (me, other)]
    value += special.reshape(3, 3, 3, 3)[tuple(left)]
    numbers = [min(5, position.num_anchors[who]) for who in (me, other)]
    value += pieces.reshape(6, 6)[tuple(numbers)]
    value = min(3000, max(-3000, value))
    assert evaluation.evaluate(position) == (value if me == 0 else -value)


def naive(state: State, me: int, depth: int) -> float:
    """Return what a player makes within so many moves by trying everything."""
    if depth == 0 or state.is_terminal():
        return state.returns()[me]
    values = naive_values(state, me, depth)
    return max(values) if state.current_player() == me else min(values)


def naive_values(state: State, me: int, depth: int) -> list[float]:
    """Return what each legal action makes a player within so many moves."""
    values = []
    for action in state.legal_actions():
        after = state.clone()
        after.apply_action(action)
        values.append(naive(after, me, depth - 1))
    return values


# A position, the moves to look ahead, and what the player to move can make within them.
TACTICS = {
    "a cube next to a sink wins": ("l 0 b 0/0 0/0 0/0 - s211 ld13 da66 db46", 1, 1),
    "two blocks sink in one turn": ("l 0 b 0/0 0/0 1/0 - s211 la01 lb13 dc66 dd44", 2, 1),
    "a block stands up beside a sink": ("l 0 b 0/0 1/0 1/0 - s211 lc14- la55 da66 da77", 2, 1),
    "only a freezing stops the cube": ("l 0 b 1/0 0/0 0/0 - s255 la00 da20 dd35", 4, 0),
    "only a push stops the cube": ("l 1 b 0/0 1/0 0/0 - s255 la00 dd35", 2, 0),
    "only a block in its way stops it": ("l 0 b 0/0 0/0 0/3 - s176 la55 da74", 4, 0),
    "only a bomb stops it": ("l 0 - 0/0 0/0 0/3 - s176 la00 da74 x64", 5, 0),
    "all that is left can be frozen": ("l 1 b 2/0 0/0 0/0 - s211 la66 da55 dc33", 3, 1),
}


@pytest.mark.slow("searches for seconds")
@pytest.mark.parametrize("name", TACTICS)
def test_alphabeta_plays_the_tactics(name: str) -> None:
    text, depth, makes = TACTICS[name]
    state = gridhouse.parse(BOARD + text)
    me = state.current_player()
    searching = player("alphabeta", state.game, table=1 << 12)
    values = naive_values(state, me, depth)
    assert min(values) < max(values) == makes
    while depth > 0 and not state.is_terminal() and state.current_player() == me:
        state.apply_action(searching.choose(state, Limits(nodes=20_000)).action)
        depth -= 1
        assert naive(state, me, depth) == makes, str(state)


@pytest.mark.untraced
def test_a_tree_over_determinizations_is_not_kept() -> None:
    state = gridhouse.parse(BOARD + "l 0 b 0/0 0/0 3/0 - s146 la44 lb11 da77 bd45")
    searching = player("mcts", state.game, capacity=1 << 12)
    searching.choose(state, Limits(playouts=2000))
    state.apply_action(state.string_to_action("4 4 r"))  # not, as guessed, beside the sink
    assert searching.choose(state, Limits(playouts=1)).action in state.legal_actions()


def test_points_that_can_be_made_this_turn_are_a_win() -> None:
    position = "sinks(rows=8,cols=8) {} 0 - 2/2 2/2 3/0 - s100 la10 da55"
    ahead = gridhouse.parse(position.format("l"))
    assert evaluation.evaluate(ahead.position) > evaluation.WON
    assert evaluation.evaluate(gridhouse.parse(position.format("d")).position) < evaluation.WON
