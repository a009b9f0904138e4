"""Whole tournaments of tiny games: the same games whatever is killed, and in whatever order."""

from __future__ import annotations

import io
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from rich.console import Console

from arena_helpers import PLAYERS, SMALL, Deadly, small, timeless
from gridhouse.arena import table as tables
from gridhouse.arena.competitors.base import Competitor, Reply
from gridhouse.arena.progress import Progress, pairs_of, scores
from gridhouse.arena.records import Termination
from gridhouse.arena.runner import Run, never
from gridhouse.arena.store import MEMORY, Store
from gridhouse.arena.table import FAULT, Job, Table
from gridhouse.arena.tournament_command import Options, openings_of, play_tournament
from gridhouse.arena.workers import DIED, TRIES, Workers, cores, note_on
from gridhouse.core.console import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from gridhouse.arena.records import GameRecord
    from gridhouse.arena.runner import Stop
    from gridhouse.arena.time_control import Turn
    from gridhouse.arena.tournament_file import Tournament
    from gridhouse.core.game import State

# A program that plays the tournament of a file, as the command does.
PROGRAM = """
import sys
from pathlib import Path
from gridhouse.arena.tournament_command import Options, play_tournament
from gridhouse.arena.tournament_file import load_tournament
from gridhouse.core.console import run

def main(arguments):
    play_tournament(load_tournament(Path(arguments[0])), Options(Path(arguments[1]), 2))

sys.exit(run(main, sys.argv[1:]))
"""


def played(
    tournament: Tournament,
    count: int = 2,
    *,
    stop: Stop = never,
    path: Path | str = MEMORY,
    openings: Iterable[State] | None = None,
) -> list[GameRecord]:
    """Play a tournament and return what its store holds."""
    with (
        Store(path, tournament.settings()) as store,
        Workers(tournament, count) as workers,
    ):
        source = openings_of(tournament) if openings is None else openings
        for _ in Run(tournament, store, source, stop).play(workers):
            pass
        return timeless(store.records())


@pytest.mark.parametrize("form", ["round-robin", "gauntlet", "knock-out", "swiss", "ladder"])
def test_results_do_not_depend_on_the_number_of_workers(form: str) -> None:
    players = [*PLAYERS, {"name": "dora", "player": "random"}]
    tournament = small(format=form, players=players, games=4, openings={"plies": 2})
    records = played(tournament, 1)
    assert records == played(tournament, 3)
    assert [record.number for record in records] == list(range(len(records)))
    for one, other in zip(records[::2], records[1::2], strict=True):
        assert one.opening == other.opening
        assert one.players == other.players[::-1]
    assert len({record.score for record in records}) > 1


def test_a_search_by_nodes_plays_the_same_whatever_it_has_played_before() -> None:
    tournament = small(players=["alphabeta@30n", "random"], games=12)
    assert played(tournament, 1) == played(tournament, 2)


def test_a_match_stops_in_the_order_of_its_pairs(tmp_path: Path) -> None:
    tournament = small(players=PLAYERS[:2], games=400)

    def stop() -> Stop:
        points: list[float] = []
        return lambda more: points.append(more) or (len(points) > 4 and more != 1)  # type: ignore[func-returns-value]

    path = tmp_path / "t.sqlite"
    records = played(tournament, 1, stop=stop())
    assert 10 <= len(records) < 400
    assert records == played(tournament, 3, stop=stop(), path=path)
    assert records == played(tournament, 3, stop=stop(), path=path)  # it stays stopped


@pytest.mark.slow("plays a tournament several times")
def test_a_killed_tournament_goes_on(tmp_path: Path) -> None:
    file, path = tmp_path / "t.toml", tmp_path / "t.sqlite"
    write(file, games=100)
    expected = played(small(games=100))
    before = -1
    for _ in range(2):
        with start(file, path) as process:
            while len(records_of(path)) <= before + 1:
                time.sleep(0.02)
            time.sleep(random.random() / 4)
            os.kill(process.pid, signal.SIGKILL)
        wait_for_end(process.pid)
        before = len(records_of(path))
    assert played(small(games=100), path=path) == expected


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_everything_and_leaves_the_store_whole(
    tmp_path: Path, number: signal.Signals
) -> None:
    file, path = tmp_path / "t.toml", tmp_path / "t.sqlite"
    write(file, games=100_000)
    with start(file, path) as process:
        while not records_of(path):
            time.sleep(0.02)
        os.killpg(process.pid, number)
        out, err = process.communicate(timeout=20)
    assert "Traceback" not in out + err
    assert process.returncode == (130 if number is signal.SIGINT else -number)
    wait_for_end(process.pid)
    assert len(records_of(path)) - len(err.splitlines()) in (0, 1)  # each is kept, then printed


def write(file: Path, games: int) -> None:
    """Write the small tournament to a file."""
    players = ", ".join(f'{{name = "{one["name"]}", player = "random"}}' for one in PLAYERS)
    settings = f'game = "{SMALL["game"]}"\nlimit = "100n"\ngames = {games}\n'
    file.write_text(f"{settings}players = [{players}]\n")


def start(file: Path, path: Path) -> subprocess.Popen[str]:
    """Play the tournament of a file in a session of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, file, path],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def records_of(path: Path) -> list[GameRecord]:
    """Return what a store holds, nothing before there is one."""
    with suppress(UsageError), Store(path) as store:
        return store.records()
    return []


def wait_for_end(session: int) -> None:
    """Wait until all processes of a session have ended."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        listed = subprocess.run(
            ["ps", "-o", "stat=", "-s", str(session)], capture_output=True, text=True
        )
        if all(state.startswith("Z") for state in listed.stdout.split()):
            return
        time.sleep(0.05)
    raise AssertionError("some processes have not ended")


def test_a_process_that_dies_takes_no_other_game_down(tmp_path: Path) -> None:
    tournament = small(games=4)
    openings: list[Any] = list(openings_of(tournament))
    openings[1] = Deadly(tmp_path / "died")
    records = played(tournament, openings=openings)
    expected = played(tournament)
    assert records[:2] + records[4:] == expected[:2] + expected[4:]
    for record in records[2:4]:
        assert (record.termination, record.reason) == (Termination.ABANDONED, DIED)
        assert (record.score, record.forfeited) == (0.5, "")
    assert len((tmp_path / "died").read_text()) == 2 * TRIES


def test_a_pair_with_an_abandoned_game_is_no_result() -> None:
    tournament = small(players=PLAYERS[:2], games=6)
    records = played(tournament)
    records[2] = replace(records[2], termination=Termination.ABANDONED, score=0.5)
    told: list[float] = []

    def stop(points: float) -> bool:
        told.append(points)
        return False

    with Store(MEMORY, tournament.settings()) as store, Workers(tournament, 1) as workers:
        for record in records:
            store.put(record)
        run = Run(tournament, store, openings_of(tournament), stop)
        assert list(run.play(workers)) == []
    assert told == [records[at].score + 1 - records[at + 1].score for at in (0, 4)]
    assert [result.points for result in run.counted] == told
    assert pairs_of(run).total == 2
    assert sum(run.schedule.order(run.results)) == 1
    score = scores(tournament.names, records)[tournament.names[0]]
    assert score.results.games == 5


class Fake(Competitor):
    """Plays the first legal move, or raises an error; notes what it may use."""

    name = "fake"

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.turns: list[Turn] = []
        self.is_closed = False

    def begin(self, state: State, side: int, number: int) -> None:
        pass

    def choose(self, state: State, turn: Turn) -> Reply:
        self.turns.append(turn)
        if self.error is not None:
            raise self.error
        return Reply(state.legal_moves()[0])

    def close(self) -> None:
        self.is_closed = True


def seated(monkeypatch: pytest.MonkeyPatch, tournament: Tournament, *fakes: Fake) -> Table:
    """Return a table with these competitors."""
    by_text = {one.player: fake for one, fake in zip(tournament.players, fakes, strict=True)}
    monkeypatch.setattr(tables, "competitor", lambda text, *_, **__: by_text[text])
    return Table(tournament)


def test_a_fault_of_ours_ends_its_game_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    tournament = small(players=["one", "other"])
    fakes = Fake(), Fake(KeyError("oops"))
    with seated(monkeypatch, tournament, *fakes) as table:
        record = table.play(Job(0, (0, 1), next(openings_of(tournament))))
    assert record.termination is Termination.ABANDONED
    assert record.reason == f"{FAULT}KeyError: 'oops'"
    assert all(fake.is_closed for fake in fakes)


def test_a_player_may_have_limits_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    tournament = small(players=["one", {"player": "other", "time": "3+1"}])
    fakes = Fake(), Fake()
    with seated(monkeypatch, tournament, *fakes) as table:
        record = table.play(Job(1, (1, 0), next(openings_of(tournament))))
    assert record.players == ("other", "one")
    assert {str(turn.control) for turn in fakes[0].turns} == {"100n"}
    assert [turn.clocks for turn in fakes[0].turns] == [None] * len(fakes[0].turns)
    first = fakes[1].turns[0]
    assert (str(first.control), first.clocks, first.deadline) == ("3+1", (3, 0), 3.05)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("alphbeta", "player bad: 'alphbeta' is neither a player .* nor a program's command"),
        ("level:9", "player bad: there is no level 9"),
        ("mcts:depth=3", "player bad: mcts: there is no setting 'depth'"),
        ('"x', "player bad: .* is no command: No closing quotation"),
    ],
)
def test_a_player_that_cannot_be_made_is_named(text: str, message: str) -> None:
    tournament = small(players=["level:1", {"name": "bad", "player": text}])
    with pytest.raises(UsageError, match=message):
        Workers(tournament, 1)


def test_openings_that_come_to_an_end(tmp_path: Path) -> None:
    tournament = small()
    with pytest.raises(UsageError, match="there are only 3 openings; each pair needs one"):
        played(tournament, openings=list(openings_of(tournament))[:3])


def test_without_a_terminal_each_game_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    run = play_tournament(small(games=2), Options(concurrency=1))
    out, err = capsys.readouterr()
    first = run.records[0]
    moves = len(first.moves)
    line = f"Game 0: {' against '.join(first.players)}, {first.score:g} to {1 - first.score:g}"
    assert err.splitlines()[0] == f"{line}, {moves} moves, rules"
    assert len(err.splitlines()) == 6
    assert out.startswith("Match: binary(")
    assert "Ends: rules 6." in out


def test_a_match_says_what_its_pairs_tell(capsys: pytest.CaptureFixture[str]) -> None:
    sprt = {"elo0": 0, "elo1": 400, "alpha": 0.2, "beta": 0.2, "model": "logistic"}
    run = play_tournament(small(players=PLAYERS[:2], games=400, sprt=sprt), Options())
    out = capsys.readouterr().out
    assert run.is_stopped
    assert 2 * len(run.results) == len(run.records) < 400
    counts = [sum(one.points == points for one in run.results) for points in (0, 0.5, 1, 1.5, 2)]
    assert f" {'/'.join(map(str, counts))} " in out
    assert "\nNormalised Elo: " in out
    last = out.splitlines()[-1]
    assert last.startswith("SPRT of 0 and 400 (logistic): LLR -")
    assert last.endswith(", H0")


def test_in_a_terminal_there_is_one_live_table() -> None:
    tournament = small(games=2)
    with Store(MEMORY, tournament.settings()) as store, Workers(tournament, 1) as workers:
        run = Run(tournament, store, openings_of(tournament))
        progress = Progress(run)
        screen = io.StringIO()
        progress._console = Console(file=screen, force_terminal=True, width=100)
        progress.show(run.play(workers))
    assert "6 of at most 6 games" in screen.getvalue()
    assert "Game 0: " not in screen.getvalue().splitlines()


def test_more_games_than_cores_are_noted() -> None:
    assert note_on(cores()) == ""
    assert note_on(cores() + 1).startswith(f"note: {cores() + 1} games at a time share {cores()} ")
