"""Databases are kept on disk and in memory, and used again."""

from __future__ import annotations

import random
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import pytest

from gridhouse.games.sliding import solver
from gridhouse.games.sliding.solver.beam import (
    beam_heuristic,
)
from gridhouse.games.sliding.solver.databases import (
    build_cache,
    disk_cache,
    good_partitions,
    heuristic,
    pattern_database,
)
from gridhouse.games.sliding.solver.databases.build_cache import BuildCache
from gridhouse.games.sliding.solver.databases.partitioning import (
    partitions,
)
from gridhouse.games.sliding.solver.databases.pattern_database import StoppedError
from gridhouse.games.sliding.solver.optimal import (
    stages,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gridhouse.games.sliding.solver.puzzle import (
        Puzzle,
    )

from sliding_helpers import distinct, need, numbers, walked


@pytest.mark.usefixtures("compiled")
def test_large_databases_are_kept_and_used_again(
    monkeypatch: pytest.MonkeyPatch, own_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ladder = (((1, 2, 4), (3, 6), (5, 7, 8)), ((1, 2, 4, 5), (3, 6, 7, 8)))
    monkeypatch.setitem(stages.LARGE, (3, 3), ladder)
    monkeypatch.setattr(pattern_database, "LARGEST", 9**3)
    puzzle = distinct(3, 3)

    def at_hand() -> list[list[int]]:
        return [
            [len(databases.partition) for databases in stage.build()]
            for stage in stages.search_stages(puzzle, allow_slow_build=False, jit=True)
        ]

    assert at_hand() == [[len(partitions(puzzle, 9**4)[0])]]
    assert not own_folder.exists()
    found_stages = stages.search_stages(puzzle, jit=True)
    limits = [stage.node_limit for stage in found_stages]
    assert limits == [stages.SMALL, stages.SMALL, stages.VAST, stages.NO_LIMIT]
    for stage in found_stages:
        stage.build()
    files = {disk_cache.path_of(puzzle, partition) for partition in ladder}
    assert set(own_folder.iterdir()) == files
    assert at_hand() == [[3], [2]]
    stages.CACHE.clear()
    found_stages = stages.search_stages(puzzle, jit=True)
    assert [stage.node_limit for stage in found_stages] == [stages.VAST, stages.NO_LIMIT]
    built = [stage.build()[0] for stage in found_stages]
    assert [kept.entries.dtype for kept in built] == [np.int32, np.uint8]
    for kept, partition in zip(built, ladder, strict=True):
        assert isinstance(kept.entries.base, np.memmap)
        assert (kept.entries == pattern_database.build_all(puzzle, partition).entries).all()
    assert set(own_folder.iterdir()) == files
    monkeypatch.setattr(stages, "physical_memory", lambda: stages.MIN_MEMORY - 1)
    assert [stage.node_limit for stage in stages.search_stages(puzzle, jit=True)] == [
        stages.NO_LIMIT
    ]
    found = solver.solve_position(numbers([8, 7, 6, 5, 4, 3, 2, 1, 0], 3), threads=1)
    assert found.optimal
    assert capsys.readouterr().err == ""


def damage_a_word(data: bytes) -> bytes:
    """Return the file with one bit of its words changed."""
    return data[:-3] + bytes([data[-3] ^ 1]) + data[-2:]


@pytest.mark.parametrize(
    "damage",
    [
        damage_a_word,
        lambda data: data[: len(data) // 2],
        lambda data: data[:100],
        lambda data: b"something else altogether" + data[25:],
        lambda data: data.replace(b'"rows": 3', b'"rows": 4'),
        lambda data: data.replace(b'"parts"', b'"party"'),
        lambda data: b"[1]" + b" " * 4093 + data[4096:],
        lambda data: b"",
    ],
)
def test_a_damaged_or_foreign_file_is_built_again(
    own_folder: Path, capsys: pytest.CaptureFixture[str], damage: Callable[[bytes], bytes]
) -> None:
    puzzle, partition = distinct(3, 3), ((1, 2, 4), (3, 6), (5, 7, 8))
    file = disk_cache.path_of(puzzle, partition)
    good = disk_cache.load_or_build(puzzle, partition, threads=1, jit=True)
    data = file.read_bytes()
    file.write_bytes(damage(data))
    again = disk_cache.load_or_build(puzzle, partition, threads=1, jit=True)
    assert (again.entries == good.entries).all()
    assert file.read_bytes() == data
    assert list(own_folder.iterdir()) == [file]
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "damaged or not a file of pattern databases; built again" in error


@pytest.mark.parametrize("moment", ["write", "open"])
def test_a_full_disk_is_said_and_harms_nothing(
    monkeypatch: pytest.MonkeyPatch, own_folder: Path, capsys: pytest.CaptureFixture[str],
    moment: str,
) -> None:  # fmt: skip
    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    if moment == "write":
        monkeypatch.setattr("os.fsync", full)
    else:
        monkeypatch.setattr("tempfile.NamedTemporaryFile", full)
    puzzle, partition = distinct(3, 3), ((1, 2, 4), (3, 6), (5, 7, 8))
    databases = disk_cache.load_or_build(puzzle, partition, threads=1, jit=True)
    assert (databases.entries == pattern_database.build_all(puzzle, partition).entries).all()
    assert list(own_folder.iterdir()) == []
    assert capsys.readouterr().err.endswith(
        "No space left on device; the databases stay in memory\n"
    )


def test_the_folder_is_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    assert disk_cache.folder().name == "patterns"


@pytest.mark.usefixtures("kept_from_seventeen_cells")
def test_databases_of_two_partitions_are_kept_as_one(own_folder: Path) -> None:
    puzzle = walked(distinct(3, 6), 60, random.Random(5))
    databases = good_partitions.databases_of(puzzle, 0)
    assert [one.partition for one in databases] == good_partitions.partitions(puzzle, 0)
    assert len(list(own_folder.iterdir())) == 1
    assert databases[0].entries is databases[1].entries
    layout, entries = heuristic.make_heuristic(puzzle, *databases)
    assert entries is databases[0].entries
    assert layout[0].views == 2
    alone = [pattern_database.build_all(puzzle, one.partition) for one in databases]
    for seed in range(100):
        here = walked(puzzle, 100, random.Random(seed))
        assert [need(here, one) for one in databases] == [need(here, one) for one in alone]
        assert need(here, *databases) == need(here, *alone)


def test_databases_that_are_being_built_hold_up_only_who_needs_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    beam_heuristic.CACHE.clear()
    ready = beam_heuristic.heuristic_for(distinct(3, 4), 0)
    asked, may_go_on, build = threading.Event(), threading.Event(), good_partitions.databases_of
    built = []

    def slowly(puzzle: Puzzle, *given: Any, **how: Any) -> Any:
        built.append(puzzle.rows)
        asked.set()
        assert may_go_on.wait(60)
        return build(puzzle, *given, **how)

    monkeypatch.setattr(good_partitions, "databases_of", slowly)
    with ThreadPoolExecutor(3) as pool:
        slow = [pool.submit(beam_heuristic.heuristic_for, distinct(4, 3), 0) for _ in range(2)]
        assert asked.wait(60)
        quick = pool.submit(beam_heuristic.heuristic_for, distinct(3, 4), 0)
        try:
            assert quick.result(timeout=60) is ready
        finally:
            may_go_on.set()
    assert slow[0].result() is slow[1].result()
    assert built == [4]


def test_a_cache_keeps_what_was_used_last_and_tries_again_what_failed() -> None:
    cache: BuildCache[int] = BuildCache(lambda _: 100, 2 * (build_cache.ENTRY_BYTES + 100))
    assert [cache.get(key, partial(int, key)) for key in (1, 2, 1, 3)] == [1, 2, 1, 3]
    assert [cache.has(key) for key in (1, 2, 3)] == [True, False, True]
    with pytest.raises(StoppedError):
        cache.get(4, raise_stopped)
    assert not cache.has(4)
    assert cache.get(4, lambda: 4) == cache.get(4, raise_stopped) == 4


def test_a_cache_keeps_as_many_bytes_as_fit_and_the_last_value_in_any_case() -> None:
    entry = build_cache.ENTRY_BYTES
    cache: BuildCache[bytes] = BuildCache(len, 6 * entry)
    for key, size in enumerate((1, 1, 3, 9, 1)):
        cache.get(key, partial(bytes, size * entry))
        kept = [other for other in range(key + 1) if cache.has(other)]
        assert kept == {0: [0], 1: [0, 1], 2: [1, 2], 3: [3], 4: [4]}[key]
    for key in range(5, 50):
        with pytest.raises(StoppedError):
            cache.get(key, raise_stopped)
    assert len(cache._slots) <= 6


def test_the_caches_of_databases_count_the_bytes_of_their_entries() -> None:
    of_beam = beam_heuristic.heuristic_for(distinct(3, 3), 0)
    assert beam_heuristic.CACHE._size_of(of_beam) == len(of_beam.entries.tobytes())
    databases = stages.small_databases(distinct(5, 3), 2)
    assert len(databases) == 1
    assert stages.CACHE._size_of(databases * 2) == 2 * len(databases[0].entries.tobytes())


def raise_stopped() -> NoReturn:
    """Build nothing."""
    raise StoppedError
