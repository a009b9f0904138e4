"""Bad programs in tournaments of every kind: none hangs, and each loses for its own reason."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

import gridhouse
from gridhouse.arena.records import Termination
from gridhouse.arena.tournament_command import Options, play_tournament
from gridhouse.arena.tournament_file import Format, parse_tournament

KIT = Path(gridhouse.__file__).parent / "arena" / "kit"
ZOO = Path(__file__).parent / "zoo.py"
ENDS = {
    "crash": Termination.CRASH,
    "illegal": Termination.ILLEGAL,
    "silent": Termination.TIME,
    "endless line": Termination.GARBLED,
    "closed output": Termination.DISCONNECTION,
}


@pytest.mark.slow("plays dozens of games with programs, some of which wait for their time")
@pytest.mark.parametrize("form", Format)
def test_bad_programs_in_every_format(form: Format, tmp_path: Path) -> None:
    for path in (KIT / "engine.py", KIT / "random_player.py", ZOO):
        shutil.copy(path, tmp_path)
    bad = [
        {"name": fault, "player": f"{sys.executable} {tmp_path / 'zoo.py'} '{fault}'"}
        for fault in ENDS
    ]
    players = [{"name": "house", "player": "random"}, *bad]
    settings = {"game": "binary(rows=4,cols=4)", "limit": "0.3s", "format": str(form)}
    run = play_tournament(parse_tournament({**settings, "players": players}), Options())
    assert run.records
    for record in run.records.values():
        assert record.termination is ENDS[record.forfeited]
    met = {record.forfeited for record in run.records.values()}
    assert met <= set(ENDS)
    if form is Format.ROUND_ROBIN:
        assert met == set(ENDS)
        assert run.schedule.order(run.results)[0] == 0
