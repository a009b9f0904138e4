"""Everybody is served in turn and within a budget, whatever one visitor or address asks for."""

from __future__ import annotations

import asyncio
import contextvars
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from starlette.websockets import WebSocketDisconnect

import gridhouse
from gridhouse.server import budgets, engine_pool
from gridhouse.server.budgets import Budgets
from gridhouse.server.engine_pool import EnginePool, Job
from gridhouse.server.fair_pool import FairPool, Habit, LongWork, caller, place
from gridhouse.server.tables import live_table, rendering, service
from gridhouse.server.tables.commands import MOVE, UNDO, Command
from gridhouse.server.tables.table import TableOptions
from web_helpers import Visitor, open_house, settings_of
from window_helpers import wait_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future
    from pathlib import Path

    from starlette.testclient import TestClient

    from gridhouse.players import Choice
    from gridhouse.server.storage.records import StoredTable
    from gridhouse.server.storage.store import Store
    from gridhouse.server.tables.table import Table

PATIENCE = 60.0


def submit(
    name: str, pool: FairPool, does: Callable[[], object], where: str = ""
) -> Future[object]:
    """Have a function called for somebody."""

    def named() -> Future[object]:
        caller.set(name)
        place.set(where)
        return pool.submit(does)

    return contextvars.copy_context().run(named)


def wait_until_running(work: Future[object]) -> None:
    """Wait until a thread has taken it."""
    while not work.running():
        time.sleep(0.001)


def test_addresses_are_served_in_turn_whoever_asks_there() -> None:
    pool, gate, served = FairPool(1, "test"), threading.Event(), list[str]()
    first = submit("greedy", pool, gate.wait, "crowd")
    wait_until_running(first)
    for number in range(9):
        submit(f"visitor {number}", pool, partial(served.append, "crowd"), "crowd")
    anna = submit("anna", pool, partial(served.append, "anna"), "home")
    gate.set()
    anna.result(PATIENCE)
    assert served[:2] == ["crowd", "anna"]
    pool.close()


def test_callers_are_served_in_turn() -> None:
    pool, gate, served = FairPool(1, "test"), threading.Event(), list[str]()
    first = submit("greedy", pool, gate.wait)
    wait_until_running(first)  # else it is in the same queue as the others
    names = ("greedy", "greedy", "greedy", "anna", "anna", "bert")
    waiting = [submit(name, pool, partial(served.append, name)) for name in names]
    waiting[1].cancel()  # which was a turn as well
    gate.set()
    for done in (first, waiting[0], *waiting[2:]):
        done.result(PATIENCE)
    assert served == ["greedy", "anna", "bert", "anna", "greedy"]
    pool.close()


def test_a_pool_that_is_always_busy_keeps_nothing() -> None:
    pool, gate = FairPool(2, "test"), threading.Event()
    for _ in range(3):
        waiting = [submit(name, pool, gate.wait) for name in ("anna", "bert") * 100]
        kept = pool._pool._work_queue.qsize()
        gate.set()  # first, for nothing ends while a thread waits
        assert kept <= 2
        for done in waiting:
            done.result(PATIENCE)
        gate.clear()
    assert pool._free <= 2
    pool.close()


def test_a_closed_pool_takes_nothing_while_its_threads_still_work() -> None:
    pool, gate = FairPool(1, "test"), threading.Event()
    wait_until_running(pool.submit(gate.wait))
    pool.close()
    try:
        for _ in range(2):
            with pytest.raises(RuntimeError):
                pool.submit(print)
    finally:
        gate.set()


def test_nobody_has_all_threads() -> None:
    pool, gate = FairPool(2, "test"), threading.Event()
    blocked = [submit("greedy", pool, gate.wait) for _ in range(2)]
    assert submit("anna", pool, lambda: 7).result(PATIENCE) == 7
    assert not blocked[1].running()
    gate.set()
    assert all(done.result(PATIENCE) for done in blocked)
    pool.close()
    with pytest.raises(RuntimeError):
        pool.submit(print)


def test_no_address_has_all_threads() -> None:
    pool, gate = FairPool(3, "test"), threading.Event()
    blocked = [submit(name, pool, gate.wait, "crowd") for name in ("greedy", "greedy", "bert")]
    wait_until_running(blocked[2])  # a caller there has one thread
    blocked.append(submit("carl", pool, gate.wait, "crowd"))
    assert submit("anna", pool, lambda: 7, "home").result(PATIENCE) == 7
    assert [done.running() for done in blocked] == [True, False, True, False]
    gate.set()
    assert all(done.result(PATIENCE) for done in blocked)
    assert not pool._running
    pool.close()


def test_what_fails_is_told_to_who_asked() -> None:
    pool = FairPool(1, "test")
    with pytest.raises(ZeroDivisionError):
        pool.submit(divmod, 1, 0).result(PATIENCE)
    assert pool.submit(divmod, 7, 2).result(PATIENCE) == (3, 1)
    pool.close()


def test_the_machine_thinks_for_visitors_in_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def ask() -> list[str]:
        engines = EnginePool(settings_of(tmp_path, workers=1))
        state, thought = gridhouse.load("binary", rows=4, cols=4).new_initial_state(), list[str]()

        work = engines._work

        def note(job: Job) -> Choice:  # on a busy machine the event loop hears of several at once
            thought.append(caller.get())
            return work(job)

        async def think(name: str) -> None:
            caller.set(name)
            await engines.choose(state.clone(), 1)

        monkeypatch.setattr(engines, "_work", note)
        gate = threading.Event()
        engines._pool.submit(gate.wait)
        thinking = [asyncio.create_task(think(name)) for name in ("greedy",) * 4 + ("anna",)]
        await asyncio.sleep(0.01)
        gate.set()
        await asyncio.gather(*thinking)
        engines.close()
        return thought

    assert asyncio.run(ask())[:2] == ["greedy", "anna"]


def test_a_visitor_and_an_address_have_budgets(tmp_path: Path) -> None:
    kept = Budgets(settings_of(tmp_path, burst=1, rate=1e-6))  # 3 of a visitor, 20 of an address
    assert [kept.take("anna", "192.0.2.1") for _ in range(4)] == [True] * 3 + [False]
    others = [kept.take(f"visitor {number}", "192.0.2.1") for number in range(17)]
    assert others == [True] * 16 + [False]
    assert kept.take("anna's friend", "192.0.2.2")
    assert all(kept.take(None, "127.0.0.1") for _ in range(100))  # this machine
    assert kept.reserve("bert", "127.0.0.1") == 0
    behind = Budgets(settings_of(tmp_path, burst=1, rate=1, proxies=("127.0.0.1",)))
    waits = [behind.reserve(None, "127.0.0.1") for _ in range(22)]
    assert waits[:20] == [0] * 20
    assert 0 < waits[20] <= 0.05 < waits[21] <= 0.1


def test_requests_of_an_address_begin_one_after_another(tmp_path: Path) -> None:
    kept = Budgets(settings_of(tmp_path))
    waits = [kept.pace("192.0.2.1") for _ in range(budgets.AT_ONCE + 100)]
    assert set(waits[: budgets.AT_ONCE]) == {0.0}
    assert waits[-1] == pytest.approx(100 / budgets.PACE, abs=0.1)
    assert kept.pace("192.0.2.2") == kept.pace("127.0.0.1") == 0.0
    with open_house(tmp_path) as client:
        client.app.state.budgets.pace = lambda address: 0.3  # type: ignore[attr-defined]
        began = time.monotonic()
        client.get("/design")
        assert time.monotonic() - began >= 0.3


def test_pages_are_counted(tmp_path: Path) -> None:
    with open_house(tmp_path, burst=2, rate=1e-6) as client:
        anna, bert = Visitor(client), Visitor(client)
        anna.new("binary")
        for _ in range(6):
            assert anna.get("/design").status_code == 200
        answer = anna.get("/design")
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "1")
        assert answer.text == "Too many requests: try again in a moment."
        assert anna.get("/api/games").json() == {"detail": answer.text}
        assert bert.get("/design").status_code == 200


@pytest.mark.parametrize("header", ["x", "Basic eDp5", "Bearer x.y"])
def test_no_header_leads_past_a_budget(tmp_path: Path, header: str) -> None:
    with open_house(tmp_path, burst=2, rate=1e-6) as client:
        anna = Visitor(client)
        anna.new("binary")
        found = [anna.get("/design", authorization=header).status_code for _ in range(7)]
        assert found == [200] * 6 + [429]


def test_sockets_of_a_visitor_share_a_budget(tmp_path: Path) -> None:
    with open_house(tmp_path, burst=10, rate=10.0) as client:  # 30 and 30 a second
        anna = Visitor(client)
        table = anna.new("binary")
        began = time.monotonic()
        with anna.at(table) as one, anna.at(table) as two, anna.at(table) as three:
            for seat in (one, two, three, one, two, three):
                for _ in range(5):
                    seat.say("here")
            with anna.at(table) as four:
                for _ in range(10):
                    four.say("here")
                for _ in range(10):
                    four.wait("here")
    assert time.monotonic() - began > 0.25


def test_opening_a_socket_counts_as_a_message(tmp_path: Path) -> None:
    with open_house(tmp_path, burst=1, rate=10.0) as client:  # 3 of a visitor, and 30 a second
        anna = Visitor(client)
        table = anna.new("binary")
        began = time.monotonic()
        for _ in range(10):
            with anna.at(table):
                pass
    assert time.monotonic() - began > 0.2


def test_of_a_visitor_so_many_requests_are_worked_on(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budgets, "MAX_OPEN_OF_VISITOR", 1)
    anna, bert = Visitor(client), Visitor(client)
    for visitor in (anna, bert):
        visitor.new("binary")
    state = client.app.state  # type: ignore[attr-defined]
    wait_for(lambda: not state.budgets._open, "the end of what was answered")
    house = state.service
    started, gate = threading.Event(), threading.Event()

    def ask(visitor: Visitor, path: str) -> int:
        headers = {"authorization": f"Bearer {visitor.token}"}
        return client.get(f"/api/{path}", headers=headers).status_code

    def wait(_: str) -> None:
        started.set()
        gate.wait(PATIENCE)

    monkeypatch.setattr(house.store, "load", wait)
    with ThreadPoolExecutor() as threads:
        waiting = threads.submit(ask, anna, "tables/one")
        try:
            assert started.wait(PATIENCE)
            assert ask(anna, "games") == 429
            assert ask(bert, "games") == 200
        finally:
            gate.set()
        assert waiting.result() == 404
    wait_for(lambda: ask(anna, "games") == 200, "an answer")


@pytest.mark.parametrize("kind", [MOVE, UNDO])
def test_a_table_waits_for_nothing_else_that_its_player_asked_for(
    tmp_path: Path, kind: str
) -> None:
    async def play() -> None:
        house, gate = service.TableService(settings_of(tmp_path)), threading.Event()
        state = gridhouse.load("sliding").new_initial_state(0)
        options = TableOptions(state, "hotseat", 0, 0)
        live = await house.get(await house.create(options, "anna"))
        assert live is not None
        move = state.action_to_string(state.legal_actions()[0])
        if kind == UNDO:
            await house.submit(live, Command(MOVE, 0, move, 0))
        for name in ("anna", "bert", "carl"):
            submit(name, house.work, gate.wait)
        try:
            caller.set("anna")
            given = () if kind == UNDO else (move, 0)
            await asyncio.wait_for(house.submit(live, Command(kind, 0, *given)), PATIENCE / 4)
        finally:
            gate.set()
            await house.close()

    asyncio.run(play())


def test_a_visitor_and_an_address_have_so_many_sockets(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budgets, "MAX_OPEN_OF_VISITOR", 2)
    monkeypatch.setattr(budgets, "MAX_OPEN_OF_ADDRESS", 3)
    anna, bert = Visitor(client), Visitor(client)
    table = anna.new("binary")
    with anna.at(table), anna.at(table):
        with pytest.raises(WebSocketDisconnect), anna.at(table):
            pass
        with bert.at(table), pytest.raises(WebSocketDisconnect), bert.at(table):
            pass
    with anna.at(table), bert.at(table):
        pass


def slowly() -> Iterator[int]:
    for number in range(10):
        time.sleep(0.01)
        yield number


def test_long_work_lets_others_have_their_turns() -> None:
    async def ask() -> list[str]:
        pool, done = FairPool(1, "test"), list[str]()

        async def long() -> None:
            caller.set("greedy")
            assert await pool.collect(slowly()) == list(range(10))
            done.append("greedy")

        async def short() -> None:
            caller.set("anna")
            await pool.run(done.append, "anna")

        await asyncio.gather(long(), short())
        pool.close()
        return done

    assert asyncio.run(ask()) == ["anna", "greedy"]


def test_who_asks_for_the_same_waits_in_their_own_turn() -> None:
    async def ask() -> list[str]:
        pool, done = FairPool(1, "test"), list[str]()
        shared = LongWork(slowly())

        async def greedy() -> None:
            caller.set("greedy")
            much = [asyncio.create_task(pool.run(time.sleep, 0.02)) for _ in range(40)]
            await asyncio.sleep(0)
            assert await pool.collect(shared) == list(range(10))
            await asyncio.gather(*much)
            done.append("greedy")

        async def other() -> None:
            caller.set("anna")
            assert await pool.collect(shared) == list(range(10))
            done.append("anna")

        await asyncio.gather(greedy(), other())
        pool.close()
        return done

    assert asyncio.run(ask()) == ["anna", "greedy"]


def test_what_fails_is_told_to_all_who_wait() -> None:
    def failing() -> Iterator[int]:
        yield 1
        raise ZeroDivisionError

    async def ask() -> list[object]:
        pool, shared = FairPool(1, "test"), LongWork(failing())
        answers = await asyncio.gather(
            *(pool.collect(shared) for _ in range(2)), return_exceptions=True
        )
        pool.close()
        return [type(answer) for answer in answers]

    assert asyncio.run(ask()) == [ZeroDivisionError] * 2


def test_two_who_open_a_table_read_it_once(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Visitor(client).new("binary")
    house = client.app.state.service  # type: ignore[attr-defined]
    load, read = house.store.load, []

    def noted(name: str) -> Any:
        read.append(name)
        time.sleep(0.1)
        return load(name)

    monkeypatch.setattr(house.store, "load", noted)
    with ThreadPoolExecutor() as threads:
        pages = list(threads.map(lambda _: Visitor(client).get(table), range(3)))
    assert {page.status_code for page in pages} == {200}
    assert len(read) == 1


def test_what_goes_on_by_itself_ends_with_the_house(tmp_path: Path) -> None:
    async def close() -> None:
        house = service.TableService(settings_of(tmp_path))
        house._spawn(asyncio.sleep(PATIENCE))
        (task,) = house._background_tasks
        await house.close()
        assert task.cancelled()

    asyncio.run(close())


def test_a_table_that_is_read_keeps_nobody_from_others(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor = Visitor(client)
    slow, other = visitor.new("binary"), visitor.new("sliding")
    store: Store = client.app.state.service.store  # type: ignore[attr-defined]
    load, gate = store.load, threading.Event()

    def wait_and_load(name: str) -> StoredTable | None:
        assert name not in slow or gate.wait(PATIENCE)
        return load(name)

    monkeypatch.setattr(store, "load", wait_and_load)
    with ThreadPoolExecutor() as pool:
        waiting = [pool.submit(Visitor(client).get, slow) for _ in range(2)]
        try:
            answer = pool.submit(visitor.get, other).result(PATIENCE / 4)
        finally:
            gate.set()
        assert answer.status_code == 200
        assert [each.result().status_code for each in waiting] == [200, 200]


def test_a_table_that_cannot_be_read_takes_no_other_down(
    client: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    visitor = Visitor(client)
    good = visitor.new("binary", listed="on", opponent="friends")
    store: Store = client.app.state.service.store  # type: ignore[attr-defined]
    record = store.load(good.removeprefix("/t/"))
    assert record is not None
    starts = ("chess(rows=8) x", "binary(rows=2,cols=2) ./", "binary(rows=two) .")
    for number, start in enumerate(starts):
        store.add(replace(record, id=f"bad{number}", start=start))
        page = visitor.get(f"/t/bad{number}")
        assert (page.status_code, "that the house can read" in page.text) == (404, True)
    assert caplog.text.count("cannot be read") == len(starts)
    for path in ("/lobby", "/games", "/"):
        page = visitor.get(path)
        assert page.status_code == 200
        assert good in page.text or path == "/"
    assert record.id in [each["id"] for each in client.get("/api/tables").json()]


def test_players_are_compiled_for_a_table_that_is_there_in_any_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(table: Table) -> None:
        raise ImportError(table.id)

    monkeypatch.setattr(service, "compile_players", fail)
    with open_house(tmp_path, jit=None) as client:
        visitor = Visitor(client)
        table = visitor.new("binary", opponent="analysis")
        assert visitor.get(table).status_code == 200
    (fault,) = caplog.records
    assert fault.exc_info is not None
    assert str(fault.exc_info[1]) == table.removeprefix("/t/")


def test_what_was_quick_is_done_at_once_until_it_is_not() -> None:
    async def ask() -> list[bool]:
        pool = FairPool(1, "test")
        habit, here = Habit(pool), threading.get_ident()

        def work(seconds: float) -> bool:
            began = time.thread_time()
            while time.thread_time() - began < seconds:
                pass
            return threading.get_ident() == here

        done = [await habit.start(work, seconds) for seconds in (0, 0, 0.01, 0.01, 0, 0)]
        with pytest.raises(ZeroDivisionError):
            await habit.start(divmod, 1, 0)
        pool.close()
        return done

    assert asyncio.run(ask()) == [False, True, True, False, False, True]


def test_few_players_and_few_moves_are_kept_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def think() -> int:
        engines = EnginePool(settings_of(tmp_path))
        for side in range(2, 6):
            state = gridhouse.load("binary", rows=side, cols=side).new_initial_state()
            await engines.choose(state, 1)
        engines.close()
        return len(engines._idle)

    assert asyncio.run(think()) == engine_pool.MAX_IDLE
    monkeypatch.setattr("gridhouse.server.tables.service.MAX_IDLE_MOVES", 3)
    with open_house(tmp_path) as client:
        visitor = Visitor(client)
        tables = [visitor.new("sliding") for _ in range(4)]
        for table in tables:
            with visitor.at(table) as seat:
                for _ in range(2):
                    seat.move(seat.view["gestures"][0][0])
        live = client.app.state.service._live  # type: ignore[attr-defined]
        assert visitor.get(visitor.new("sliding")).status_code == 200
        assert not {table.removeprefix("/t/") for table in tables[:2]} & set(live)
        assert tables[3].removeprefix("/t/") in live


def test_a_view_is_rendered_in_the_turn_of_its_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def noted(*given: Any) -> Any:
        asked.append(caller.get())
        return rendering.render_here(*given)

    monkeypatch.setattr(live_table, "render_here", noted)
    with open_house(tmp_path) as client:
        anna, carl = Visitor(client), Visitor(client)
        carl.new("binary")
        table = anna.new("binary", preset="small", opponent="analysis")
        with anna.at(table) as seat, carl.at(table) as watching:
            asked.clear()
            seat.move("0 0 1")
            watching.wait("view", 1)
        assert len(asked) == len(set(asked)) == 2
