"""A tournament on a cluster of several Ray nodes: the same games, whatever dies meanwhile."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from arena_helpers import Deadly, small, timeless
from gridhouse.arena import cluster
from gridhouse.arena.cluster import Nodes
from gridhouse.arena.records import Termination
from gridhouse.arena.runner import Run
from gridhouse.arena.store import MEMORY, Store
from gridhouse.arena.tournament_command import openings_of
from gridhouse.arena.workers import DIED, Workers
from gridhouse.core.console import UsageError
from gridhouse.core.extras import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gridhouse.arena.records import GameRecord
    from gridhouse.arena.runner import Pool


def played(
    pool: Pool, openings: list[Any], watch: Callable[[], object] = lambda: None
) -> list[GameRecord]:
    """Play the small tournament; ``watch`` is called after each game."""
    with Store(MEMORY, small().settings()) as store, pool:
        for _ in Run(small(), store, openings).play(pool):
            watch()
        return timeless(store.records())


@pytest.mark.slow("starts a Ray cluster")
def test_games_are_the_same_whatever_dies(nodes: Any, tmp_path: Path) -> None:
    openings: list[Any] = list(openings_of(small()))
    expected = played(Workers(small(), 1), openings)
    openings[1] = Deadly(tmp_path / "died")

    def remove_node() -> None:
        for node in nodes.worker_nodes.copy():
            nodes.remove_node(node, allow_graceful=False)

    records = played(Nodes(small(), nodes.address), openings, remove_node)
    assert records[:2] + records[4:] == expected[:2] + expected[4:]
    assert {record.reason for record in records[2:4]} == {DIED}
    assert {record.termination for record in records[2:4]} == {Termination.ABANDONED}


@pytest.mark.slow("starts a Ray cluster")
def test_nodes_have_the_same_version(nodes: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "version", lambda _: "0.0")
    with pytest.raises(UsageError, match=r"a node of the Ray cluster .* gridhouse .*, not 0\.0"):
        played(Nodes(small(), nodes.address), list(openings_of(small())))


def test_ray_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'gridhouse\[cluster\]'"):
        Nodes(small(), "auto")
