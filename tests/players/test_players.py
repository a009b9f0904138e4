"""Players: strength on small positions, equality of interpreted and compiled, limits, settings."""

from __future__ import annotations

import math
import random
import threading
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gridhouse
from arena_helpers import small
from gridhouse.arena.openings import openings_for
from gridhouse.arena.reports.summary import summarize
from gridhouse.arena.table import Job, Table
from gridhouse.core.errors import ParameterError, PlayerError
from gridhouse.players import Limits, parse_player, player
from gridhouse.players.levels import LEVEL_TABLES, LEVELS, level_table
from gridhouse.search import mcts, montecarlo
from harness import run_compiled
from walks import HIDDEN, SMALL, scramble_hidden, walk

if TYPE_CHECKING:
    from pathlib import Path

    from gridhouse.core.game import State

# As large as the other, so that both run by the same compiled code.
TACTEGO = "tactego(rows=5,cols=4,pieces=Fx1 2x1 1x1 Sx1,limit=6)"
GAMES = [*(text for text in SMALL if text != HIDDEN), TACTEGO, HIDDEN]
TWO = ("random", "greedy", "mcts", "pomcp", "alphabeta", "level")
ONE = ("random", "greedy", "nested", "level")
SEARCHES = ("mcts", "pomcp", "alphabeta", "nested")
FEW = Limits(nodes=120, playouts=60)


def kinds(state: State) -> tuple[str, ...]:
    return TWO if state.game.num_players == 2 else ONE


# Interpreted, every node and every entry of a table is an object.
SMALL_MEMORY: dict[str, dict[str, int]] = {
    "mcts": {"capacity": 4096},
    "pomcp": {"capacity": 4096},
    "alphabeta": {"table": 1024},
}


def seated(kind: str, state: State, **given: Any) -> Any:
    return player(kind, state.game, **(given | ({"level": 4} if kind == "level" else {})))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(text, marks=pytest.mark.slow("compiles searches of its own"))
        if text.startswith(("sinks", "tactego")) and text != HIDDEN
        else text
        for text in GAMES
    ],
)
def test_every_player_plays_games_to_their_end(text: str) -> None:
    for kind in kinds(gridhouse.parse(f"{text}#1")):
        state = gridhouse.parse(f"{text}#1")
        mover = seated(kind, state, seed=1)
        for _ in range(40):
            if state.is_terminal():
                break
            choice = mover.choose(state, FEW)
            assert choice.line[:1] in ((), (choice.action,))
            state.apply_action(choice.action)
        assert state.is_terminal() or len(state.history()) == 40


@pytest.mark.slow("compiles searches of its own, and plays many games")
@pytest.mark.parametrize("text", GAMES)
def test_players_choose_the_same_interpreted_and_compiled(text: str) -> None:
    for kind in kinds(gridhouse.parse(f"{text}#1"))[:-1]:
        state = gridhouse.parse(f"{text}#2")
        given = SMALL_MEMORY.get(kind, {})
        movers = [seated(kind, state, seed=5, jit=jit, **given) for jit in (True, False)]
        for _ in range(4):
            if state.is_terminal():
                break
            compiled, interpreted = (mover.choose(state, FEW) for mover in movers)
            assert (compiled.action, compiled.line, compiled.work) == (
                interpreted.action,
                interpreted.line,
                interpreted.work,
            )
            assert compiled.value == pytest.approx(interpreted.value)
            state.apply_action(compiled.action)


@pytest.mark.parametrize("text", GAMES)
def test_equal_seeds_and_limits_give_equal_choices(text: str) -> None:
    state = gridhouse.parse(f"{text}#3")
    for kind in kinds(state):
        first, second = (seated(kind, state, seed=9).choose(state, FEW) for _ in range(2))
        assert (first.action, first.value, first.line) == (second.action, second.value, second.line)


@cache
def minimax(text: str) -> int:
    """Return who wins with best play, 1 or -1 by player 0 and 1, 0 for a draw: a naive search."""
    state = gridhouse.parse(text)
    if state.is_terminal():
        return int(state.returns()[0])
    values = []
    for action in state.legal_actions():
        after = state.clone()
        after.apply_action(action)
        values.append(minimax(str(after)))
    return max(values) if state.current_player() == 0 else min(values)


@cache
def small_ending(seed: int) -> str:
    """Return a position that a naive search can solve, each third seed one of the same game."""
    chance = random.Random(seed)
    text = ("binary(rows=3,cols=3)", "binary(rows=2,cols=5)", TACTEGO)[seed % 3]
    while True:
        state = gridhouse.parse(f"{text}#{chance.randrange(99)}")
        for _ in range(chance.randrange(3, 8) if "binary" in text else 20):
            if not state.is_terminal():
                state.apply_action(chance.choice(state.legal_actions()))
        tiles = getattr(state.position, "board", [])
        if not state.is_terminal() and sum(map(bool, tiles)) <= 4:
            return str(state)


@pytest.mark.slow("compiles searches of its own, and plays many games")
@pytest.mark.parametrize("seed", range(24))
def test_alpha_beta_finds_the_value_that_a_naive_search_finds(seed: int) -> None:
    text = small_ending(seed)
    state = gridhouse.parse(text)
    expected = minimax(text) * (1 if state.current_player() == 0 else -1)
    choice = seated("alphabeta", state).choose(state, Limits(nodes=200_000))
    assert choice.value is not None
    if abs(choice.value) == 1 or expected:
        assert choice.value == expected
    state.apply_action(choice.action)
    sign = 1 if gridhouse.parse(text).current_player() == 0 else -1
    assert minimax(str(state)) * sign == expected


def test_alpha_beta_asks_a_random_game_where_nothing_is_known_on_the_way() -> None:
    # Whatever is played here, ten moves are left, so who moves first loses.
    state = gridhouse.parse("binary(rows=3,cols=6) .11..1/0..00./..01..")
    choice = seated("alphabeta", state).choose(state, Limits(nodes=1))
    assert choice.value == pytest.approx(-math.tanh(1))


@pytest.mark.parametrize("seed", range(24))
def test_what_monte_carlo_search_proves_is_true(seed: int) -> None:
    text = small_ending(seed)
    state = gridhouse.parse(text)
    expected = minimax(text) * (1 if state.current_player() == 0 else -1)
    mover = seated("mcts", state, seed=1)
    choice = mover.choose(state, Limits(playouts=20_000))
    if mover._nodes[montecarlo.ROOT].proven != mcts.UNPROVEN:
        assert choice.value == expected
    if "binary" in text:
        assert mover._nodes[montecarlo.ROOT].proven != mcts.UNPROVEN


@pytest.mark.slow("compiles searches of its own, and plays many games")
@pytest.mark.parametrize(("rows", "cols"), [(2, 3), (3, 3)])
def test_binary_searches_agree_with_the_solver(rows: int, cols: int) -> None:
    state = gridhouse.load("binary", rows=rows, cols=cols).new_initial_state()
    wins = gridhouse.solve(state).facts()["outcome"] == "win"
    for kind in ("mcts", "alphabeta"):
        choice = seated(kind, state).choose(state, Limits(nodes=2_000_000, playouts=80_000))
        assert choice.value == (1 if wins else -1)


@settings(max_examples=20)
@given(st.integers(0, 2**32), st.randoms(use_true_random=False))
def test_no_player_looks_at_what_is_hidden(seed: int, chance: random.Random) -> None:
    for text in (HIDDEN, "sinks(rows=8,cols=8,limit=30)"):
        state = walk(text, seed)
        if state.is_terminal():
            continue
        other = scramble_hidden(state, state.current_player(), chance)
        for kind in TWO:
            choices = [seated(kind, one, seed=3).choose(one, FEW) for one in (state, other)]
            assert choices[0].action == choices[1].action
            assert choices[0].value == choices[1].value


@pytest.mark.slow("compiles searches of its own, and plays many games")
def test_priors_do_not_depend_on_the_first_determinization() -> None:
    # Red's only piece that moves can attack eight that look all the same to it; in every
    # determinization another of them is the flag, with a hundred times the prior of the others.
    text = "tactego(rows=4,cols=4,pieces=Fx1 1x7,hidden=True)"
    state = gridhouse.parse(f"{text} R 0 B1,B1,B1,RF/B1,R1,B1,/BF,B1,B1,/,,,")
    mover: Any = seated("mcts", state, seed=1)
    mover.choose(state, Limits(playouts=1000))
    priors = []
    child = mover._nodes[montecarlo.ROOT].first_child
    while child != montecarlo.NONE:
        priors.append(float(mover._nodes[child].prior))
        child = mover._nodes[child].next_sibling
    assert len(priors) == 8
    assert sum(priors) == pytest.approx(1)
    assert max(priors) < 10 * min(priors)


@pytest.mark.parametrize("kind", ["mcts", "pomcp"])
def test_a_search_remembers_nothing_of_the_tree_before(kind: str) -> None:
    state = gridhouse.parse(f"{HIDDEN}#3")
    mover: Any = seated(kind, state, seed=1)
    for _ in range(4):
        mover.choose(state, Limits(playouts=200))
        root = mover._nodes[montecarlo.ROOT]
        assert root.visits == 200
        assert abs(root.total_value) <= root.visits


def test_a_modelled_opponent_does_not_know_which_piece_is_the_flag() -> None:
    # Blue's piece stands before Red's flag and two mines, which all look the same to it.
    text = "tactego(rows=4,cols=5,pieces=3x1 1x1 Mx3 Fx1,hidden=True)"
    state = gridhouse.parse(f"{text} R 0 RM,RF,RM,RM,/,B3,,,/,,,,/BF,,,,R1")
    values = {}
    for kind in ("mcts", "pomcp"):
        choice = seated(kind, state, seed=1).choose(state, Limits(playouts=2000))
        values[kind] = choice.value or 0.0
    assert values["mcts"] < -0.9  # in its tree Blue comes to know
    assert values["pomcp"] > 0


def test_where_bombs_are_laid_search_knows_that_something_is_hidden() -> None:
    state = gridhouse.load("sinks").new_initial_state()
    assert not state.has_hidden_information()
    state.play("0 0 b")
    while state.current_player() == 0:
        assert not state.has_hidden_information()
        state.play(next(move for move in state.legal_moves() if move[-1] in "lrud"))
    assert state.has_hidden_information()


@pytest.mark.slow("compiles searches of its own, and plays many games")
@pytest.mark.parametrize("kind", SEARCHES)
def test_a_search_stops_when_told_to_and_when_time_is_up(kind: str) -> None:
    name = "collapse" if kind == "nested" else "tactego"
    state = gridhouse.load(name, rows=9, cols=9).new_initial_state(1)
    mover = player(kind, state.game)
    mover.choose(state, FEW)
    chosen: list[Any] = []
    thread = threading.Thread(
        target=lambda: chosen.append(mover.choose(state, Limits(nodes=2**50, playouts=2**50)))
    )
    thread.start()
    while mover._running is None:
        pass
    mover.stop()
    thread.join(60)
    assert chosen
    assert not state.refusal(chosen[0].action)
    assert mover.choose(state, Limits(seconds=0.05)).seconds < 30


def test_the_tree_is_kept_between_moves() -> None:
    state = gridhouse.load("binary", rows=5, cols=5).new_initial_state()
    mover: Any = seated("mcts", state, seed=1)
    first = mover.choose(state, Limits(playouts=3000))
    answer = mover._nodes[mover._kernels.best_child(mover._nodes, montecarlo.ROOT)]
    state.apply_action(first.action)
    kept = mover._kernels.best_child(
        mover._nodes, mover._kernels.best_child(mover._nodes, montecarlo.ROOT)
    )
    visits = int(mover._nodes[kept].visits)
    assert answer.visits >= visits > 10
    state.apply_action(int(mover._nodes[kept].action))
    mover.choose(state, Limits(playouts=1))
    assert mover._nodes[montecarlo.ROOT].visits >= visits
    moved = seated("mcts", state, seed=1).choose(state, Limits(playouts=1))
    assert not state.refusal(moved.action)


@pytest.mark.parametrize("kind", ["mcts", "pomcp"])
def test_a_tree_that_is_full_still_chooses(kind: str) -> None:
    state = gridhouse.load("binary", rows=5, cols=5).new_initial_state()
    mover = player(kind, state.game, capacity=200)
    for _ in range(3):
        state.apply_action(mover.choose(state, Limits(playouts=500)).action)


@pytest.mark.slow("compiles searches of its own, and plays many games")
@pytest.mark.parametrize("texts", [*([text] for text in GAMES[:-2]), [TACTEGO, HIDDEN]])
def test_searches_stay_within_their_memory(texts: list[str], tmp_path: Path) -> None:
    """Compiled with every index checked, which compiled code otherwise leaves out.

    The compiler optimizes nothing here, which saves nearly half of its time.
    """
    code = (
        "import gridhouse\n"
        "from gridhouse.players import player, Limits\n"
        f"for text in {texts}:\n"
        "    state = gridhouse.parse(text + '#1')\n"
        "    alone = state.game.num_players == 1\n"
        "    for kind in ['nested'] if alone else ['mcts', 'pomcp', 'alphabeta']:\n"
        "        mover = player(kind, state.game)\n"
        "        for _ in range(2):\n"
        "            if not state.is_terminal():\n"
        "                choice = mover.choose(state, Limits(nodes=3000, playouts=3000))\n"
        "                state.apply_action(choice.action)\n"
        "                print(kind, choice.action, choice.line, choice.work)\n"
    )
    assert run_compiled(code, tmp_path, NUMBA_BOUNDSCHECK="1", NUMBA_OPT="0") != ""


def test_what_a_player_cannot_do_is_said() -> None:
    binary, sliding = (gridhouse.load(name).new_initial_state() for name in ("binary", "sliding"))
    with pytest.raises(PlayerError, match="this player plays binary"):
        seated("random", binary).choose(sliding)
    over = gridhouse.parse("binary(rows=1,cols=2) 01")
    with pytest.raises(PlayerError, match="over"):
        seated("random", over).choose(over)
    for kind, state in (
        ("mcts", sliding),
        ("pomcp", sliding),
        ("alphabeta", sliding),
        ("nested", binary),
    ):
        with pytest.raises(PlayerError, match=f"{kind} is for games of"):
            seated(kind, state)
    for text in ("chess", "mcts:nothing=1", "mcts@5", "mcts@xs", "mcts:rave=x", "level:level=9"):
        with pytest.raises(PlayerError) as caught:
            parse_player(text, binary.game)
        assert "\n" not in str(caught.value)
    with pytest.raises(ParameterError, match="has no constant 'NOTHING'"):
        parse_player("mcts:NOTHING=1", binary.game)
    for limits in ({"seconds": 0.0}, {"nodes": -1}, {"playouts": float("nan")}):
        with pytest.raises(ParameterError, match="is not above 0"):
            Limits(**limits)


@pytest.mark.parametrize(
    ("text", "least"),
    [
        ("mcts:capacity=72", 73),
        ("mcts:rave=-1", 0),
        ("mcts:exploration=-1", 0),
        ("mcts:horizon=-1", 0),
        ("pomcp:capacity=0", 73),
        ("pomcp:exploration=-0.5", 0),
        ("alphabeta:table=0", 1),
        ("alphabeta:determinizations=0", 1),
        ("alphabeta:depth=-1", 1),
        ("nested:levels=0", 1),
        ("nested:horizon=0", 1),
    ],
)
def test_settings_too_small_to_choose_with_are_refused(text: str, least: int) -> None:
    game = gridhouse.load("sliding" if text.startswith("nested") else "binary")
    kind, name = text.split("=")[0].split(":")
    with pytest.raises(PlayerError, match=f"^{kind}: {name}: .* is not {least} or more$"):
        parse_player(text, game)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("mcts:nothing=3,rave=1", "mcts: there is no setting 'nothing'"),
        ("mcts:a=1,b=1", "mcts: there is no setting 'a'"),
        (f"mcts:rave={10**16}", f"'mcts:rave={10**16}': '{10**16}' is not a number up to {10**15}"),
        (f"mcts@{10**16}.s", f"'mcts@{10**16}.s': '{10**16}.' is not a number up to {10**15}"),
        ("perfect:rave=3", "perfect: there is no setting 'rave'"),
        ("mcts:seed=3", "'mcts:seed=3': there is no setting seed"),
        ("mcts:game=3", "'mcts:game=3': there is no setting game"),
        ("mcts:capacity=100000000000000", "mcts: there is not enough memory"),
        ("mcts:capacity=5000.5", "mcts: capacity: 5000.5 is not a whole number"),
        ("mcts:horizon=2.5", "mcts: horizon: 2.5 is not a whole number"),
        ("alphabeta:table=2.5", "alphabeta: table: 2.5 is not a whole number"),
        ("perfect:level=0.5", "perfect: there is no setting 'level'"),
    ],
)
def test_settings_that_cannot_be_are_refused_in_a_line(text: str, reason: str) -> None:
    with pytest.raises(PlayerError) as caught:
        parse_player(text, gridhouse.load("binary"))
    assert str(caught.value) == reason


@pytest.mark.slow("compiles searches of its own, and plays many games")
@pytest.mark.parametrize("kind", ["mcts", "pomcp"])
def test_a_tree_with_capacity_for_one_expansion_chooses(kind: str) -> None:
    state = gridhouse.load("binary").new_initial_state()
    mover, _ = parse_player(f"{kind}:capacity={1 + state.game.num_actions}", state.game)
    assert not state.refusal(mover.choose(state, FEW).action)


def test_a_text_names_player_settings_and_limits() -> None:
    game = gridhouse.load("binary")
    mover, limits = parse_player("mcts:rave=500,HORIZON=7@0.5s", game)
    assert limits == Limits(seconds=0.5)
    assert mover.engine.evaluation.HORIZON == 7
    assert parse_player("alphabeta@200n", game).limits == Limits(nodes=200)
    assert parse_player("mcts@300p", game).limits == Limits(playouts=300)
    assert parse_player("random", game).limits is None


def test_stronger_players_win() -> None:
    players = ["mcts@300p", "random"]
    tournament = small(game="binary(rows=5,cols=5)", players=players)
    with Table(tournament) as table:
        records = [
            table.play(Job(2 * pair + side, (side, 1 - side), opening))
            for pair, opening in enumerate(openings_for(tournament.game, 8, balanced=False))
            for side in range(2)
        ]
    assert summarize(records).meetings["mcts@300p", "random"].games.score > 0.9


def test_levels_err_less_and_less() -> None:
    state = gridhouse.load("binary", rows=4, cols=4).new_initial_state()
    for level in LEVELS:
        choice = player("level", state.game, level=level, seed=1).choose(state)
        assert not state.refusal(choice.action)
    mover = player("level", state.game, level=1)
    mover.stop()


def test_where_something_is_hidden_levels_differ_by_their_blunders() -> None:
    hidden, seen = (gridhouse.parse(f"{text}#1").game for text in (HIDDEN, GAMES[0]))
    assert level_table(hidden) is LEVEL_TABLES["pomcp"]
    assert level_table(seen) is LEVEL_TABLES["mcts"]
    rates = [rate for rate, _ in level_table(hidden).levels]
    assert rates == sorted(set(rates), reverse=True)


def test_levels_of_a_puzzle_solve_it_in_fewer_and_fewer_moves() -> None:
    game = gridhouse.load("sliding", rows=3, cols=3)

    def moves(level: int) -> int:
        """Return how many moves a level makes until some puzzles are solved."""
        made = 0
        for seed in range(8):
            state = game.new_initial_state(seed)
            mover = player("level", game, level=level, seed=seed)
            while not state.is_terminal() and len(state.history()) < 300:
                state.apply_action(mover.choose(state).action)
            made += len(state.history())
        return made

    made = [moves(level) for level in (2, 4, 6, 8)]
    assert made == sorted(set(made), reverse=True)
    best = [gridhouse.solve(game.new_initial_state(seed)).best() for seed in range(8)]
    assert made[-1] == sum(found[0] for found in best if found)
