"""The compiled rules, which the searches run on, say what the interpreted ones say."""

from __future__ import annotations

import os
from collections import Counter
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

import gridhouse
from gridhouse.core import records
from gridhouse.core.errors import ParameterError
from gridhouse.core.specialize import rules_of, specialize
from gridhouse.games.binary.solver.backend import Backend
from gridhouse.search import playouts
from gridhouse.search.engine import Engine
from harness import run_compiled
from walks import GAMES

if TYPE_CHECKING:
    from pathlib import Path

NUM_TRACES = int(os.environ.get("GRIDHOUSE_TRACES", "5"))


@pytest.mark.untraced
@pytest.mark.parametrize("text", GAMES)
def test_checksums_of_random_games_are_the_same(text: str) -> None:
    compiled = interpreted = None
    for seed in range(NUM_TRACES):
        state = gridhouse.parse(f"{text}#{seed}")
        compiled = compiled or Engine(state.game)
        interpreted = interpreted or Engine(state.game, jit=False)
        assert compiled.trace(state.position, seed=seed, limit=60) == interpreted.trace(
            state.position, seed=seed, limit=60
        )


def test_seeds_of_any_size_are_taken() -> None:
    state = gridhouse.load("sliding").new_initial_state()
    for seed in (2**63, 2**64 - 1, -1, 10**30):
        moves = {
            Engine(state.game, jit=jit).play_outs(state.position, 2, seed=seed, limit=20)
            for jit in (True, False)
        }
        assert len(moves) == 1
    with pytest.raises(ParameterError):
        Engine(state.game).play_outs(state.position, 1, threads=0)


def test_threads_share_the_games() -> None:
    state = gridhouse.load("binary").new_initial_state()
    engine = Engine(state.game)
    both = engine.play_outs(state.position, 101, seed=3, threads=2)
    assert both == engine.play_outs(state.position, 101, seed=3, threads=2)
    halves = [
        engine.play_outs(state.position, games, seed=6 + thread)
        for thread, games in enumerate((51, 50))
    ]
    assert both == sum(halves)


@pytest.mark.parametrize(
    "text",
    ["binary(rows=2,cols=2) 0./..", "collapse(rows=2,cols=3,digits=3) 0 122/122",
     "sliding(rows=2,cols=2) c fa/acfc", "tactego(rows=3,cols=2,pieces=Fx1 5x1) R 0 RF,R5/,/B5,BF",
     "sinks(rows=8,cols=8)#1", "sinks(rows=8,cols=8) l 0 b 2/2 2/2 0/0 - s100 s266 la02 lb33 da44",
     "sinks(rows=8,cols=8) d 1 - 2/0 0/1 0/0 44<43 s200 x57 la56 da44 db40 dd60"],
)  # fmt: skip
def test_every_legal_action_is_as_likely_as_any_other(text: str) -> None:
    state = gridhouse.parse(text)
    engine = Engine(state.game)
    scratch, record = engine.scratch(1), engine.memory(state.position)[0]
    draws = 20_000
    seen = Counter(int(engine.playouts.random_action(record, scratch)) for _ in range(draws))
    legal = state.legal_actions()
    assert set(seen) == set(legal)
    expected, freedom = draws / len(legal), len(legal) - 1
    chi_squared = sum((count - expected) ** 2 / expected for count in seen.values())
    assert chi_squared < freedom + 6 * (2 * freedom) ** 0.5 + 10  # once in a million by chance


@pytest.mark.parametrize(
    "text", ["binary(rows=1,cols=2) 01", "sinks(rows=8,cols=8) l 0 b 2/2 0/0 0/0 - da33 x00",
             "sinks(rows=8,cols=8) l 0 - 2/2 2/2 0/0 -"],
)  # fmt: skip
def test_a_game_that_is_over_has_no_random_action(text: str) -> None:
    state = gridhouse.parse(text)
    engine = Engine(state.game)
    scratch, record = engine.scratch(1), engine.memory(state.position)[0]
    assert engine.playouts.random_action(record, scratch) == playouts.NO_ACTION


def test_records_hold_positions() -> None:
    for text in GAMES:
        state = gridhouse.parse(f"{text}#1")
        other = gridhouse.parse(f"{text}#2")
        made = records.to_records(state.position, 3)
        assert len(made) == 3
        records.from_record(made[2], other.position)
        assert other == state


def test_a_module_is_specialized_once_for_each_game() -> None:
    binary, sliding = Engine(gridhouse.load("binary")), Engine(gridhouse.load("sliding"))
    assert Engine(gridhouse.load("binary", rows=3)).playouts is binary.playouts
    assert binary.playouts is not sliding.playouts
    assert binary.playouts.rules is binary.rules
    sinks = Engine(gridhouse.load("sinks"))
    assert sinks.playouts.sample_candidate is sinks.rules.sample_candidate
    assert playouts.rules is None


def test_references_are_counted_only_where_lists_are_made() -> None:
    counted = {
        name: rules_of(gridhouse.load(name)).apply_action.targetoptions["_nrt"]
        for name in ("binary", "collapse", "sinks", "sliding", "tactego")
    }
    assert [name for name in counted if counted[name]] == ["tactego"]


def test_calls_are_inlined_where_a_module_says_so() -> None:
    kernels = Backend(jit=True)
    assert kernels.nodes.simplify.targetoptions["forceinline"]
    assert not kernels.proof_number.search.targetoptions["forceinline"]


def test_compiled_code_is_kept_for_the_next_process(tmp_path: Path) -> None:
    code = (
        "import gridhouse; from gridhouse.search.engine import Engine;"
        "s = gridhouse.load('sliding').new_initial_state();"
        "e = Engine(s.game); e.play_outs(s.position, 1);"
        "stats = e.playouts.play_outs.stats;"
        "print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))"
    )
    said = [run_compiled(code, tmp_path) for _ in range(2)]
    assert said == ["0 1\n", "1 0\n"]


def test_loading_imports_nothing_that_compiles(tmp_path: Path) -> None:
    """Numba would import all that it can compile, and SciPy; code with lists is loaded as well."""
    code = (
        "import sys; from types import ModuleType;"
        "from gridhouse.core.specialize import specialize;"
        "made = ModuleType('made');"
        "exec('def f(x):\\n    y = [x]\\n    y.append(3)\\n    return y[0] + y[1]', vars(made));"
        "print(specialize(made, 'lists').f(4), 'numba.np.arraymath' in sys.modules)"
    )
    said = [run_compiled(code, tmp_path) for _ in range(2)]
    assert said == ["7 True\n", "7 False\n"]


def module(name: str, source: str) -> Any:
    """Return a module of kernels."""
    made = ModuleType(name)
    exec(source, vars(made))
    return made


KERNEL = "FACTOR = 3\nUNUSED = 1\ndef f(x):\n    'Triple.'\n    return x * FACTOR\n"


def test_a_module_is_specialized_for_the_globals_it_is_given() -> None:
    kernel = module("kernel", KERNEL)
    assert [specialize(kernel, "game", FACTOR=n).f(2) for n in (3, 10, 20, 10)] == [6, 20, 40, 20]
    assert specialize(kernel, "game", FACTOR=10) is specialize(kernel, "game", FACTOR=10)


@pytest.mark.parametrize(
    ("change", "is_same"),
    [
        (("'Triple.'", "'Three times as much.'  # or so"), True),
        (("FACTOR = 3", "# a comment\n\nFACTOR = 3"), True),
        (("UNUSED = 1", "UNUSED = 2"), True),
        (("FACTOR = 3", "FACTOR = 4"), False),
        (("x * FACTOR", "FACTOR + x"), False),
    ],
)
def test_compiled_code_hangs_on_what_it_is_made_of(change: tuple[str, str], is_same: bool) -> None:
    one, other = module("kernel", KERNEL), module("kernel", KERNEL.replace(*change))
    callers = [module("caller", "kernel = None\ndef g(x):\n    return kernel.f(x)\n") for _ in "ab"]
    kernels = [specialize(each, "game") for each in (one, other)]
    bound = [specialize(each, "game", kernel=k) for each, k in zip(callers, kernels, strict=True)]
    assert (kernels[0].DIGEST == kernels[1].DIGEST) == is_same
    assert (bound[0].DIGEST == bound[1].DIGEST) == is_same


def test_compiled_code_hangs_on_the_constants_of_other_modules_that_it_reads() -> None:
    kernel = module("kernel", KERNEL)
    source = "kernel = None\ndef g(x):\n    return kernel.f(x) + kernel.UNUSED\n"
    callers = [
        specialize(module("caller", source), "game", kernel=specialize(kernel, "game", UNUSED=n))
        for n in (5, 6)
    ]
    assert [caller.g(2) for caller in callers] == [11, 12]
    assert callers[0].DIGEST != callers[1].DIGEST
