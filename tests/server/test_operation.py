"""What whoever runs a house asks of it: its health, its figures, and a quiet end."""

from __future__ import annotations

import logging
import signal
import sys
import time
import urllib.request
from typing import TYPE_CHECKING, Any

import pytest
from prometheus_client import REGISTRY
from websockets.exceptions import ConnectionClosed

from browser_helpers import house_process
from gridhouse.core.console import UsageError
from gridhouse.players.levels import LevelPlayer
from gridhouse.server import engine_pool, metrics, serve
from gridhouse.server.storage.store import Store
from ports import reserved_port
from wire_helpers import Caller

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.testclient import TestClient

    from web_helpers import Visitor

QUIETLY = 8.0  # seconds within which a house ends


def value(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0


def test_a_house_says_whether_it_can_serve(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert client.get("/healthz").text == "alive\n"
    assert client.get("/readyz").text == "ready\n"
    engines = client.app.state.service.engines  # type: ignore[attr-defined]
    job = engine_pool.Job(None, None)  # type: ignore[arg-type]
    job.began = time.monotonic() - 1000
    engines.running.add(job)
    answer = client.get("/readyz")
    assert (answer.status_code, answer.text) == (503, "the machine does not answer\n")
    engines.running.discard(job)

    def fail() -> None:
        raise OSError

    monkeypatch.setattr(client.app.state.service.store, "check", fail)  # type: ignore[attr-defined]
    answer = client.get("/readyz")
    assert (answer.status_code, answer.text) == (503, "the database does not answer\n")
    assert client.get("/healthz").status_code == 200


def test_prometheus_is_told_what_happens(
    client: TestClient, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def requests(route: str, status: str, method: str = "GET") -> float:
        return value("gridhouse_request_seconds_count", method=method, route=route, status=status)

    before = requests("/t/{table}", "200"), requests("(none)", "404")
    moves, sockets = value("gridhouse_moves_total"), value("gridhouse_sockets")
    errors = value("gridhouse_errors_total", logger="gridhouse.server")
    choose, during = LevelPlayer.choose, list[tuple[float, float]]()

    def watched(*asked: Any) -> Any:
        during.append((value("gridhouse_searches_wanted"), value("gridhouse_searches_running")))
        return choose(*asked)

    monkeypatch.setattr(LevelPlayer, "choose", watched)
    table = visitor.new("binary", opponent="machine", level="1")
    visitor.get(table)
    visitor.get("/nowhere/at/all")
    client.get("/api/games")
    with visitor.at(table) as seat:
        assert value("gridhouse_sockets") == sockets + 1
        seat.move(seat.view["gestures"][0][0])
        seat.wait("view", 2)
        assert value("gridhouse_tables") == 1
    assert value("gridhouse_moves_total") == moves + 2
    assert value("gridhouse_search_seconds_count") >= 1
    assert value("gridhouse_search_wait_seconds_count") >= 1
    assert value("gridhouse_searches_wanted") == value("gridhouse_searches_running") == 0
    assert during == [(1.0, 1.0)]
    assert (requests("/t/{table}", "200"), requests("(none)", "404")) == (
        before[0] + 1,
        before[1] + 1,
    )
    assert requests("/api/games", "200") >= 1
    logging.getLogger("gridhouse.server").error("something went wrong")
    assert value("gridhouse_errors_total", logger="gridhouse.server") == errors + 1


def test_the_figures_are_not_for_the_street(client: TestClient) -> None:
    assert client.get("/metrics").status_code == 404
    with reserved_port() as port:
        server = metrics.publish(str(port))
        try:
            assert server.server_address[0] == "127.0.0.1"
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
                assert "gridhouse_moves_total" in answer.read().decode()
        finally:
            server.shutdown()
            server.server_close()
    for place in ("nonsense", "example.org:1", "127.0.0.1:99999"):
        with pytest.raises(UsageError, match=f"^GRIDHOUSE_METRICS={place}: "):
            serve.publish(place)


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
@pytest.mark.usefixtures("hangup")
@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
def test_a_house_that_ends_tells_its_pages_and_loses_nothing(tmp_path: Path, name: str) -> None:
    database = f"sqlite:///{tmp_path / 'house.db'}"
    with house_process(database) as house:
        caller = Caller()
        table = caller.new(house.address, "sliding", opponent="hotseat", preset="")
        with caller.at(house.address, table) as place:
            place.move(place.view["gestures"][0][0])
            place.wait(1)
            began = time.monotonic()
            house.process.send_signal(getattr(signal, name))
            with pytest.raises(ConnectionClosed) as caught:
                place.wait(99)
            assert caught.value.rcvd is not None
            assert caught.value.rcvd.code == 1012  # socket.js says that the house restarts
        house.process.communicate(timeout=QUIETLY)
        assert time.monotonic() - began < QUIETLY
        assert house.process.returncode == -signal.SIGTERM
    store = Store(database)
    record = store.load(table.rpartition("/")[2])
    assert record is not None
    assert len(record.moves) == 1
    store.close()
