"""Compiling ahead of time: all units for ``gridhouse warm``, or one unit in a process.

``python -m gridhouse.warming KIND GAME`` compiles one unit (:mod:`gridhouse.core.compile_queue`).
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

import filelock

from gridhouse.core.compile_queue import (
    BATCH,
    LOCK,
    SOLVER,
    Unit,
    cache_folder,
    is_ready,
    note_ready,
)
from gridhouse.core.components import component
from gridhouse.core.errors import GridhouseError
from gridhouse.core.registry import game_class, games, parse_game

if TYPE_CHECKING:
    from gridhouse.core.game import Game

NICE = 10  # added to the niceness of a process that compiles beside others
MOVES, PLAYOUTS = 2, 200  # enough to descend a search tree once
USED = "single", BATCH, "greedy"  # units of every game besides its best player and its solver


def units_of(game: Game) -> list[Unit]:
    """Return the units of a game, the one that a player waits for first."""
    from gridhouse.search.engine import best_search

    kinds = [best_search(game)]
    if component(type(game), "solver") is not None:
        kinds += [SOLVER, "perfect"]
    return [Unit(kind, game) for kind in (*kinds, *USED)]


def all_units() -> list[Unit]:
    """Return the units of every game's presets, without duplicates."""
    found: dict[str, Unit] = {}
    for name in games():
        for preset in game_class(name).presets:
            for unit in units_of(game_class(name).from_preset(preset)):
                found.setdefault(unit.name, unit)
    return list(found.values())


def warm(unit: Unit) -> None:
    """Compile a unit, or load it from disk, by using it; mark it as ready."""
    solver = component(type(unit.game), "solver")
    if solver is not None and unit.kind in (SOLVER, "perfect") and hasattr(solver, "warm"):
        solver.warm()
    use = {SOLVER: _use_nothing, BATCH: _use_batch, "single": _use_single_game}
    use.get(unit.kind, partial(_use_player, unit.kind))(unit.game)
    from gridhouse.core import compiling

    if compiling.is_kept():
        note_ready(unit)


def warm_all(units: list[Unit]) -> None:
    """Compile the units that are not ready yet."""
    for unit in units:
        if not is_ready(unit):
            warm(unit)


def _use_nothing(game: Game) -> None:
    """Do nothing: the solver's own ``warm`` has compiled it."""


def _use_player(kind: str, game: Game) -> None:
    from gridhouse.players import Limits, player

    mover = player(kind, game, jit=True)
    state = game.new_initial_state(1)
    for _ in range(MOVES):
        if not state.is_terminal():
            state.apply_action(mover.choose(state, Limits(playouts=PLAYOUTS)).action)
    # Resampling may not have run yet: some games hide nothing at the start.
    engine = mover.engine
    engine.rules.resample(engine.memory(state.position)[0], 0, engine.scratch(0))


def _use_batch(game: Game) -> None:
    from gridhouse.search.batch import Batch

    boards = Batch(game, 1, jit=True)
    boards.step(boards.random_actions())
    boards.masks()
    boards.observations()


def _use_single_game(game: Game) -> None:
    from gridhouse.search.single_game import SingleGame

    state = game.new_initial_state()
    single = SingleGame(game, jit=True)
    single.randomize_start()
    single.begin(state)
    single.observe(single.player)
    single.apply_action(state.legal_actions()[0])


def main(kind: str, text: str) -> None:
    """Compile one unit, unless another process has compiled it meanwhile."""
    lower = getattr(os, "nice", None)  # on Windows the parent process sets the priority
    if lower is not None:
        with suppress(OSError):  # a sandbox may refuse it
            lower(NICE)
    game, _ = parse_game(text)
    unit = Unit(kind, game)
    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    with filelock.FileLock(folder / LOCK):
        if not is_ready(unit):
            warm(unit)
    if not is_ready(unit):
        sys.exit(f"the folder {folder} does not keep compiled code")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (GridhouseError, OSError) as error:
        sys.exit(str(error))
