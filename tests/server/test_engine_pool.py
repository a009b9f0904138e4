"""The machine's thinking: bounded, in its turn, stopped when nobody waits for it."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

import gridhouse
from gridhouse.players import Choice, Limits, Player
from gridhouse.server import engine_pool
from gridhouse.server.engine_pool import EnginePool
from gridhouse.server.tables.commands import MOVE, Command, RefusedError
from gridhouse.server.tables.service import TableService
from gridhouse.server.tables.table import MACHINE, TableOptions
from web_helpers import Visitor, open_house, settings_of
from window_helpers import wait_for

if TYPE_CHECKING:
    from pathlib import Path

    from gridhouse.core.game import Game, State

PATIENCE = 20.0  # seconds


class Ponderer:
    """A player that thinks until it is stopped, and plays the first move."""

    made: list[Ponderer] = []
    waiting = 0

    def __init__(self, kind: str, game: Game, **settings: Any) -> None:
        del kind
        self.game = game
        self.settings = settings
        self.stopped = threading.Event()
        self.thought = 0
        self.made.append(self)

    def choose(self, state: State, limits: Limits | None = None) -> Choice:
        del limits
        type(self).waiting += 1
        assert self.stopped.wait(PATIENCE)
        self.stopped.clear()
        type(self).waiting -= 1
        self.thought += 1
        return Choice(state.legal_actions()[0])

    def stop(self) -> None:
        self.stopped.set()


@pytest.fixture
def ponderers(monkeypatch: pytest.MonkeyPatch) -> list[Ponderer]:
    monkeypatch.setattr(engine_pool, "player", Ponderer)
    monkeypatch.setattr(Ponderer, "made", [])
    monkeypatch.setattr(Ponderer, "waiting", 0)
    return Ponderer.made


STATE = gridhouse.load("binary", rows=2, cols=2).new_initial_state()


def test_a_search_is_stopped_when_its_time_is_up(tmp_path: Path, ponderers: list[Ponderer]) -> None:
    engines = EnginePool(settings_of(tmp_path, patience=0.01))
    assert asyncio.run(engines.choose(STATE, 2)).action == STATE.legal_actions()[0]
    assert asyncio.run(engines.choose(STATE, 2)).action == STATE.legal_actions()[0]
    engines.close()
    assert [made.thought for made in ponderers] == [2]  # kept for the next move
    assert ponderers[0].settings["level"] == 2


def test_a_search_in_the_queue_is_not_looked_at_all_the_time(
    tmp_path: Path, ponderers: list[Ponderer], monkeypatch: pytest.MonkeyPatch
) -> None:
    engines = EnginePool(settings_of(tmp_path, workers=1, patience=PATIENCE))
    looks: list[float | None] = []
    wait = asyncio.wait

    def noted(tasks: Any, *, timeout: float | None = None) -> Any:
        looks.append(timeout)
        return wait(tasks, timeout=timeout)

    monkeypatch.setattr(asyncio, "wait", noted)

    async def crowd() -> None:
        asked = [asyncio.create_task(engines.choose(STATE, 1)) for _ in range(3)]
        await asyncio.sleep(10 * engine_pool.STOP_RETRY_INTERVAL)
        for task in asked:
            task.cancel()
        await asyncio.gather(*asked, return_exceptions=True)

    asyncio.run(crowd())
    engines.close()
    assert looks == [PATIENCE] * 3


@pytest.mark.slow("waits for searches")
def test_a_searchs_time_begins_when_its_player_is_ready_and_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ponderers: list[Ponderer]
) -> None:
    """What has to be compiled first, and who is first, take nothing of it."""
    patience = 0.5
    engines = EnginePool(settings_of(tmp_path, workers=1, patience=patience))
    lasted = []

    class Slow(Ponderer):
        def __init__(self, kind: str, game: Game, **settings: Any) -> None:
            time.sleep(2 * patience)
            super().__init__(kind, game, **settings)

        def choose(self, state: State, limits: Limits | None = None) -> Choice:
            began = time.monotonic()
            choice = super().choose(state, limits)
            lasted.append(time.monotonic() - began)
            return choice

    monkeypatch.setattr(engine_pool, "player", Slow)

    async def crowd() -> None:
        await asyncio.gather(*(engines.choose(STATE, level) for level in (1, 2)))

    asyncio.run(crowd())
    engines.close()
    assert len(ponderers) == len(lasted) == 2
    assert min(lasted) >= patience


def test_who_has_done_one_search_is_not_stopped_for_it_in_the_next(
    tmp_path: Path, ponderers: list[Ponderer]
) -> None:
    engines = EnginePool(settings_of(tmp_path))
    done, new = engine_pool.Job(STATE, 1), engine_pool.Job(STATE, 1)
    for job in (done, new):
        search = threading.Thread(target=engines._work, args=(job,))
        search.start()
        wait_for(lambda: Ponderer.waiting, "the search")
        if job is new:
            engines._stop_once(done)
            assert not ponderers[0].stopped.is_set()
        engines._stop_once(job)
        search.join()
    engines.close()
    assert [made.thought for made in ponderers] == [2]


def test_a_search_that_nobody_waits_for_is_stopped(
    tmp_path: Path, ponderers: list[Ponderer]
) -> None:
    engines = EnginePool(settings_of(tmp_path, patience=PATIENCE))

    async def give_up() -> None:
        asked = asyncio.create_task(engines.choose(STATE, 1))
        while not Ponderer.waiting:
            await asyncio.sleep(0.01)
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked

    asyncio.run(give_up())
    wait_for(lambda: not engines.running, "the end of the search")
    engines.close()
    assert [made.thought for made in ponderers] == [1]


def test_so_many_think_at_once_and_who_gives_up_in_the_queue_never_does(
    tmp_path: Path, ponderers: list[Ponderer]
) -> None:
    engines = EnginePool(settings_of(tmp_path, workers=1, patience=PATIENCE))

    async def crowd() -> None:
        asked = [asyncio.create_task(engines.choose(STATE, level)) for level in (1, 2, 3)]
        while not Ponderer.waiting:
            await asyncio.sleep(0.01)
        asked[1].cancel()
        await asyncio.sleep(0.1)
        assert Ponderer.waiting == 1
        ponderers[0].stop()
        await asked[0]
        while not Ponderer.waiting:
            await asyncio.sleep(0.01)
        ponderers[-1].stop()
        await asked[2]

    asyncio.run(crowd())
    engines.close()
    assert [made.settings["level"] for made in ponderers] == [1, 3]


def test_the_house_answers_while_the_machine_thinks_and_stops_it_when_all_leave(
    tmp_path: Path, ponderers: list[Ponderer]
) -> None:
    with open_house(tmp_path, patience=PATIENCE) as client:
        visitor = Visitor(client)
        table = visitor.new("binary", preset="small", level="4", side="1")
        with visitor.at(table) as seat:
            wait_for(lambda: Ponderer.waiting, "the machine")
            assert visitor.get("/").status_code == 200
            assert seat.view["heading"] == "Player 1, the machine, is thinking"
            assert not seat.view["acts"]
        wait_for(lambda: not Ponderer.waiting, "the end of the search")
        with visitor.at(table) as seat:
            assert seat.view["ply"] == 0
            wait_for(lambda: Ponderer.waiting, "the machine, again")
            ponderers[-1].stop()
            assert seat.wait("view", 1)["acts"]
            seat.move(seat.view["gestures"][0][0])
            wait_for(lambda: Ponderer.waiting, "the machine, again")
            seat.say("undo")
            assert seat.wait("view", 1)["acts"]
            wait_for(lambda: not Ponderer.waiting, "the end of the search")
        assert visitor.get(f"{table}/record.txt").text.count("Player") == 1


def test_a_reply_to_a_position_that_is_gone_is_not_played(tmp_path: Path) -> None:
    async def reply_late() -> list[str]:
        house = TableService(settings_of(tmp_path))
        order = TableOptions(STATE.clone(), MACHINE, 1, 1)
        live = await house.get(await house.create(order, "somebody"))
        assert live is not None
        move = live.table.state.legal_moves()[0]
        for ply in (1, 0, 0):
            with suppress(RefusedError):
                await house.submit(live, Command(MOVE, 0, move, ply))
        await house.close()
        return [ply.move for ply in live.table.plies]

    assert asyncio.run(reply_late()) == [STATE.legal_moves()[0]]


def test_a_machine_that_fails_leaves_the_table_standing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("out of order")

    monkeypatch.setattr(engine_pool, "player", fail)
    monkeypatch.setattr(engine_pool, "strongest", fail)
    with open_house(tmp_path) as client:
        visitor = Visitor(client)
        with visitor.at(visitor.new("binary", preset="small")) as seat:
            assert seat.refused("hint") == "the machine found no help"
            assert not client.app.state.service.engines.running  # type: ignore[attr-defined]
            seat.move(seat.view["gestures"][0][0])
            assert "thinking" in seat.view["heading"]
            seat.say("undo")
            assert seat.wait("view", 0)["acts"]


def test_that_a_machine_failed_is_said_until_it_has_moved_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("out of order")

    with open_house(tmp_path) as client:
        visitor = Visitor(client)
        with visitor.at(visitor.new("binary", preset="small")) as seat:
            for heading in (r"The machine failed.*Your turn", "Your turn"):
                with monkeypatch.context() as patch:
                    if "failed" in heading:
                        patch.setattr(engine_pool, "player", fail)
                    ply = seat.view["ply"]
                    seat.say("move", move=seat.view["gestures"][0][0], ply=ply)
                    assert re.match(heading, seat.wait("view", ply + 2)["heading"])


def test_a_search_that_failed_keeps_no_player(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs: list[engine_pool.Job] = []

    def broken(player: object, state: State, limits: object) -> None:
        del player, limits
        raise ValueError(f"no move in {state}")

    def noted(*given: Any) -> engine_pool.Job:
        jobs.append(make(*given))
        return jobs[-1]

    make = engine_pool.Job
    monkeypatch.setattr(engine_pool, "Job", noted)
    monkeypatch.setattr(Player, "choose", broken)
    engines = EnginePool(settings_of(tmp_path))
    with pytest.raises(ValueError, match="no move") as told:
        asyncio.run(engines.choose(gridhouse.parse("binary(rows=3,cols=3)#1"), 1))
    assert told.value.__traceback__ is not None  # which has the frames of the search
    assert [job.player for job in jobs] == [None]
    assert len(engines._idle) == 1
    engines.close()
