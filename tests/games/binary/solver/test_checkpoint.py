"""Searches that are stopped and taken up again."""

from __future__ import annotations

import inspect
import os
import random
import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest

import gridhouse
from binary_helpers import plain, run_cli
from gridhouse.core.errors import SolverError
from gridhouse.games.binary.game import BinaryGame
from gridhouse.games.binary.solver import api, backend, checkpoint
from gridhouse.games.binary.solver import search as searching
from gridhouse.games.binary.solver.backend import Backend
from gridhouse.games.binary.solver.board_encoding import Board
from gridhouse.games.binary.solver.search import Search
from gridhouse.games.binary.solver.solution import UnsavedError

if TYPE_CHECKING:
    from pathlib import Path


class TestCheckpoints:
    """Searches that are stopped and taken up again."""

    state = gridhouse.parse("binary(rows=5,cols=3) 0../.../.../.../..1")

    def test_a_search_goes_on_where_it_was_stopped(self, tmp_path: Path) -> None:
        file = str(tmp_path / "state")
        whole = plain(self.state, jit=True, nimber=True)
        parts = [plain(self.state, jit=True, limit=100, checkpoint=file) for _ in range(2)]
        assert [part.outcome for part in parts] == ["unknown", "unknown"]
        assert parts[0].nodes < parts[1].nodes <= 200
        done = plain(self.state, jit=True, nimber=True, checkpoint=file)
        assert (done.outcome, done.nimber) == (whole.outcome, whole.nimber)
        again = plain(self.state, jit=True, nimber=True, checkpoint=file)
        assert again.nodes == done.nodes
        assert again.facts() | {"seconds": 0} == done.facts() | {"seconds": 0}
        assert os.listdir(tmp_path) == ["state"]

    def test_interpreted(self, tmp_path: Path) -> None:
        file = str(tmp_path / "state")
        state = gridhouse.parse("binary(rows=3,cols=5) 0..1./.0.../....1")
        known = plain(state, jit=True).outcome
        found = plain(state, jit=False, limit=3, checkpoint=file)
        assert found.outcome == "unknown"
        assert plain(state, jit=False, checkpoint=file).outcome == known

    def refused(self, file: Path, **options: Any) -> str:
        options = {"limit": 50, "jit": False, "checkpoint": str(file), **options}
        state = options.pop("state", self.state)
        with pytest.raises(SolverError) as error:
            plain(state, **options)
        return str(error.value).removeprefix(f"{file}: ")

    def test_files_that_are_refused(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        file = tmp_path / "state"
        plain(self.state, limit=50, jit=False, checkpoint=str(file))
        good = file.read_bytes()
        other = gridhouse.parse("binary(rows=5,cols=3) 0../.../.../.../..0")
        assert self.refused(file, state=other) == "a checkpoint of another position"
        assert self.refused(file, off=("order",)).endswith("of another choice of techniques")
        for at in (90, 200, len(good) // 2, len(good) - 1):
            file.write_bytes(good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :])
            assert self.refused(file) == "a damaged checkpoint"
            file.write_bytes(good[:at])
            assert self.refused(file) == "a damaged checkpoint"
        file.write_bytes(b"something else")
        assert self.refused(file) == "not a checkpoint"
        file.write_bytes(good)
        for path in checkpoint.kernel_paths():
            others = [other for other in checkpoint.kernel_paths() if other != path]
            monkeypatch.setattr(checkpoint, "kernel_paths", lambda kept=others: kept)
            assert self.refused(file) == "a checkpoint of another version of the program"
            monkeypatch.undo()
        assert file.read_bytes() == good

    @pytest.mark.parametrize(
        ("place", "line"),
        [
            ("", "'': No such file or directory"),
            ("folder", "folder: Is a directory"),
            ("taken", "taken.new: Is a directory"),
            ("none/state", "none/state.new: No such file or directory"),
        ],
    )
    @pytest.mark.parametrize("text", [str(state), "binary(rows=20,cols=20)#0"])
    def test_places_are_refused_before_anything_is_searched(
        self, text: str, place: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def search(*given: Any, **options: Any) -> None:
            pytest.fail("it is searched")

        monkeypatch.setattr(api, "watched", search)
        monkeypatch.chdir(tmp_path)
        for name in ("folder", "taken.new"):
            (tmp_path / name).mkdir()
        with pytest.raises(SolverError) as error:
            plain(gridhouse.parse(text), checkpoint=place)
        assert str(error.value) == line
        assert sorted(os.listdir(tmp_path)) == ["folder", "taken.new"]

    def test_where_nothing_is_searched_nothing_is_written(self, tmp_path: Path) -> None:
        state = BinaryGame(rows=20, cols=20).new_initial_state()
        assert plain(state, checkpoint=str(tmp_path / "state")).outcome == "loss"
        assert os.listdir(tmp_path) == []

    def test_tables_larger_than_the_memory_are_refused(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        file = tmp_path / "state"
        monkeypatch.setattr(searching, "FIRST_WORDS", 1 << 18)
        plain(self.state, limit=50, jit=True, memory=4, checkpoint=str(file))
        good = file.read_bytes()
        for memory, times in ((1, 4), (2, 2)):
            line = self.refused(file, jit=True, memory=memory)
            assert line == f"needs {times} times the memory that is allowed"
        assert file.read_bytes() == good
        found = plain(self.state, limit=50, jit=True, memory=4, checkpoint=str(file))
        assert found.nodes > 50

    def test_a_file_that_cannot_be_read(self, tmp_path: Path) -> None:
        search = Search(Board(self.state.position, Backend(jit=False)), memory=1)
        with pytest.raises(SolverError, match="Is a directory"):
            search.resume(str(tmp_path), str(self.state))

    def test_all_modules_that_give_keys_their_meaning_count(self) -> None:
        names = {os.path.basename(path) for path in checkpoint.kernel_paths()}
        inner = {
            f"{name}.py"
            for name, value in vars(backend).items()
            if inspect.ismodule(value) and ".kernels" in value.__name__
        }
        others = {"__init__.py", "records.py", "board_encoding.py", "chance.py", "tables.py"}
        assert names == inner | others

    def test_tables_go_into_the_file_in_pieces(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        file = tmp_path / "state"
        for jit in (True, False):
            plain(self.state, limit=500, jit=jit, checkpoint=str(file))
            tables = []
            for piece in (checkpoint.PIECE, 1000):
                monkeypatch.setattr(checkpoint, "PIECE", piece)
                search = Search(Board(self.state.position, Backend(jit=jit)), memory=1)
                assert search.resume(str(file), str(self.state))
                tables.append([list(search.table), list(search.pn_table)])
                search.save(str(file), str(self.state))
            assert tables[0] == tables[1]
            assert any(tables[0][0])
            file.unlink()

    def test_a_file_is_never_in_memory_as_a_whole(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        file = str(tmp_path / "state")
        monkeypatch.setattr(checkpoint, "PIECE", 1000)
        search = Search(Board(self.state.position, Backend(jit=True)), memory=64)
        noise = random.Random(1).randbytes(8 * len(search.table))
        search.table[:] = memoryview(noise).cast("q")
        for step, has_tables in ((search.save, False), (search.resume, True)):
            tracemalloc.start()
            step(file, str(self.state))
            most = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            tables = 8 * (len(search.table) + len(search.pn_table)) * has_tables
            assert most < tables + len(noise) // 2
        assert os.path.getsize(file) > len(noise) * 0.9

    def test_it_is_written_as_a_whole_or_not_at_all(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        file = tmp_path / "state"
        plain(self.state, limit=50, jit=False, checkpoint=str(file))
        good = file.read_bytes()
        monkeypatch.setattr(os, "fsync", self.fail)
        assert self.refused(file, limit=500) == "No space left on device"
        assert file.read_bytes() == good
        assert os.listdir(tmp_path) == ["state"]

    def fail(self, number: int) -> None:
        raise OSError(28, "No space left on device")

    def test_what_cannot_be_saved_is_told_all_the_same(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        known = plain(self.state, jit=True, nimber=True)
        monkeypatch.setattr(os, "fsync", self.fail)
        with pytest.raises(UnsavedError) as error:
            plain(self.state, jit=True, nimber=True, checkpoint=str(tmp_path / "state"))
        found = error.value.solution
        assert found.facts() | {"seconds": 0} == known.facts() | {"seconds": 0}
        assert (found.outcome, found.seconds > 0) == (known.outcome, True)
        assert os.listdir(tmp_path) == []

    @pytest.mark.parametrize("options", [[], ["--json"]])
    def test_the_command_prints_what_cannot_be_saved(
        self,
        options: list[str],
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        file = tmp_path / "state"
        monkeypatch.setattr(os, "fsync", self.fail)
        words = ["3", "3", "--no-proved", "--checkpoint", str(file), *options]
        assert run_cli(monkeypatch, *words) == 2
        run = capsys.readouterr()
        begins = '{"outcome": "win"' if options else "the player to move wins\n"
        assert run.out.startswith(begins)
        assert run.err == f"gridhouse: {file}: No space left on device\n"
        assert os.listdir(tmp_path) == []

    def test_the_command(
        self,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        file = tmp_path / "state"
        words = ["7", "5", "--memory", "1", "--checkpoint", str(file)]
        for _ in range(2):
            assert run_cli(monkeypatch, *words, "--time", "0.3") == 0
            assert capsys.readouterr().out.startswith("unknown")
        file.write_bytes(b"")
        assert run_cli(monkeypatch, *words) == 2
        assert capsys.readouterr().err.splitlines() == [f"gridhouse: {file}: not a checkpoint"]
