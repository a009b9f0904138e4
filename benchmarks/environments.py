"""Environment steps a second, beside jumanji and PettingZoo in the same run.

``python benchmarks/environments.py [SECONDS]``: thousands of games stepped together (our batches;
jumanji's SlidingTilePuzzle, compiled by JAX for the same cores), and single games stepped from
Python (our environments; PettingZoo's connect_four, bare and in its usual wrappers).  Every step
plays a random legal action.  The count is of games that ended in the first hundred steps of a
batch of 4096 from seed 1; it is the same on every machine.
"""

from __future__ import annotations

import random
import time
import warnings
from typing import TYPE_CHECKING, Any

from command_line import Seconds, need, start

need("jax", "jumanji")

import jax  # noqa: E402
import jumanji  # noqa: E402
from jumanji.environments.logic.sliding_tile_puzzle.generator import RandomWalkGenerator  # noqa: E402

import gridhouse  # noqa: E402
from gridhouse.adapters.gymnasium import GridEnv  # noqa: E402
from gridhouse.adapters.pettingzoo import raw_env  # noqa: E402

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.classic import connect_four_v3

if TYPE_CHECKING:
    from collections.abc import Callable

COUNT = 4096
CHUNK = 100
# The parameters of the measured boards; other games have their default board.
BOARDS: dict[str, dict[str, Any]] = {
    "sliding": {"rows": 4, "cols": 4},
    "collapse": {"rows": 5, "cols": 5},
    "binary": {"rows": 6, "cols": 6},
    "tactego": {"rows": 6, "cols": 4},
}
NUMBERS = [random.Random(1).random() for _ in range(1 << 16)]


def rate(run: Callable[[], int], seconds: float) -> float:
    """Return steps a second of a function that makes some steps and returns how many."""
    run()
    steps, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        steps += run()
    return steps / (time.perf_counter() - start)


def batch_rates(name: str, parameters: dict[str, Any], seconds: float) -> tuple[float, float, int]:
    """Return steps a second with given actions, with actions drawn as well, and the count."""
    boards = gridhouse.batch(name, COUNT, seed=1, **parameters)
    ended = sum(int(boards.step(boards.random_actions())[1].sum()) for _ in range(CHUNK))
    spent = 0.0
    steps = 0
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        actions = boards.random_actions()
        begun = time.perf_counter()
        boards.step(actions)
        spent += time.perf_counter() - begun
        steps += COUNT
    return steps / spent, steps / (time.perf_counter() - start), ended


def jumanji_rate(seconds: float, chunk: int) -> float:
    """Return steps a second of jumanji's puzzle of the same size, so many steps a call."""
    env = jumanji.make("SlidingTilePuzzle-v0", generator=RandomWalkGenerator(4, 200))
    keys = jax.random.split(jax.random.PRNGKey(1), COUNT)
    state, timestep = jax.jit(jax.vmap(env.reset))(keys)

    def step(carry: Any, key: Any) -> Any:
        state, mask = carry
        noise = jax.random.uniform(key, mask.shape)
        action = jax.numpy.argmax(noise * mask, axis=1)
        state, timestep = jax.vmap(env.step)(state, action)
        return (state, timestep.observation.action_mask), None

    many = jax.jit(lambda carry, keys: jax.lax.scan(step, carry, keys)[0])
    held = [(state, timestep.observation.action_mask), jax.random.PRNGKey(2)]

    def run() -> int:
        held[1], key = jax.random.split(held[1])
        held[0] = jax.block_until_ready(many(held[0], jax.random.split(key, chunk)))
        return COUNT * chunk

    return rate(run, seconds)


def aec_rate(env: Any, seconds: float) -> float:
    """Return steps a second of one PettingZoo environment."""
    env.reset(seed=1)

    def run() -> int:
        for number in NUMBERS[:1000]:
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                continue
            legal = observation["action_mask"].nonzero()[0]
            env.step(int(legal[int(number * len(legal))]))
        return 1000

    return rate(run, seconds)


def single_rate(env: GridEnv, seconds: float) -> float:
    """Return steps a second of one Gymnasium environment."""
    held = [env.reset(seed=1)[1]]

    def run() -> int:
        for number in NUMBERS[:1000]:
            legal = held[0]["action_mask"].nonzero()[0]
            *_, terminated, truncated, held[0] = env.step(legal[int(number * len(legal))])
            if terminated or truncated:
                held[0] = env.reset()[1]
        return 1000

    return rate(run, seconds)


def main(seconds: Seconds = 2.0) -> None:
    """Print a table of batches and one of single environments."""
    peer = jumanji_rate(seconds, 1)
    print(f"| {COUNT} games at once | steps, millions a second | with drawing | ratio | ended |")
    print("|---|---|---|---|---|")
    print(f"| jumanji SlidingTilePuzzle 4x4, a step a call | | {peer / 1e6:.2f} | 1.0 | |")
    fused = jumanji_rate(seconds, CHUNK)
    label = f"jumanji SlidingTilePuzzle 4x4, {CHUNK} steps a call"
    print(f"| {label} | | {fused / 1e6:.2f} | {fused / peer:.1f} | |")
    for name in gridhouse.games():
        parameters = BOARDS.get(name, {})
        bare, drawn, ended = batch_rates(name, parameters, seconds)
        size = "x".join(str(value) for value in parameters.values())
        figures = f"{bare / 1e6:.2f} | {drawn / 1e6:.2f} | {drawn / peer:.1f} | {ended}"
        print(f"| {name} {size} | {figures} |")
    print("\n| one game, from Python | thousand steps a second | ratio |\n|---|---|---|")
    bare = aec_rate(connect_four_v3.raw_env(), seconds)
    rows = [
        ("PettingZoo connect_four, raw_env", bare),
        ("PettingZoo connect_four, env", aec_rate(connect_four_v3.env(), seconds)),
        ("our PettingZoo binary 6x6, raw_env", aec_rate(raw_env("binary"), seconds)),
        ("our Gymnasium sliding 4x4", single_rate(GridEnv("sliding", rows=4, cols=4), seconds)),
        ("our Gymnasium collapse 5x5", single_rate(GridEnv("collapse", rows=5, cols=5), seconds)),
    ]
    for label, steps in rows:
        print(f"| {label} | {steps / 1e3:.0f} | {steps / bare:.1f} |")


if __name__ == "__main__":
    start(main)
