"""Whatever programs send, the house keeps to its OpenAPI document and goes on."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pytest
import schemathesis
from hypothesis import given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.python.asgi import get_client, shutdown_lifespans
from schemathesis.specs.openapi.checks import positive_data_acceptance

from gridhouse.server.api import routes
from gridhouse.server.app import create_app
from web_helpers import settings_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gridhouse.server.api.access import RequestContext

OPENED: dict[str, Any] = {"opponent": "friends", "listed": True}
EXAMPLES = 12  # of every operation, of the right form and of a wrong one
# Not everything that has the right form is a move or a game.
EXCLUDED = [positive_data_acceptance]


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    async def not_changed(context: RequestContext, seconds: int) -> None:
        assert context.live.table.id
        assert 0 < seconds <= 30

    monkeypatch.setattr(routes, "changed", not_changed)
    monkeypatch.setattr("gridhouse.server.app.MAX_TABLES", 100_000)
    yield create_app(settings_of(tmp_path, rate=1e6, burst=1e6))
    shutdown_lifespans()


@pytest.mark.slow("sends what a document allows")
def test_the_api_keeps_to_its_document(house: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)
    with get_client(house) as client:
        tables, tokens = ["nowhere"], [None, "x.y"]
        for game in ("binary", "sinks"):
            joined = client.post("/api/tables", json={"game": game, **OPENED}).json()
            tables.append(joined["table"]["id"])
            tokens.append(joined["token"])
        schema = schemathesis.openapi.from_asgi("/api/openapi.json", house)
        seen: set[tuple[str, int]] = set()
        operations: list[Any] = list(schema.get_all_operations())
        for found in operations:
            try_out(found.ok(), tables, tokens, seen)
        state = client.get(f"/api/tables/{tables[1]}").json()
    assert state["version"] > 0
    assert caplog.records == []
    assert {status for _, status in seen} >= {200, 401, 403, 404, 422}
    assert {name for name, _ in seen} == {found.ok().label for found in operations}


def try_out(operation: Any, tables: list[str], tokens: list[Any], seen: set[Any]) -> None:
    """Call an operation with much that is right and much that is wrong."""
    has_table = "{table}" in operation.path
    modes = [GenerationMode.POSITIVE]
    if operation.body or operation.query:
        modes.append(GenerationMode.NEGATIVE)

    @settings(max_examples=EXAMPLES * len(modes), derandomize=True, database=None)
    @given(data=st.data())
    def call(data: st.DataObject) -> None:
        known = {"table": data.draw(st.sampled_from(tables))} if has_table else None
        mode = data.draw(st.sampled_from(modes))
        case = data.draw(operation.as_strategy(mode, path_parameters=known))
        token = data.draw(st.sampled_from(tokens))
        headers = {"authorization": f"Bearer {token}"} if token else {}
        answer = case.call(headers=headers)
        seen.add((operation.label, answer.status_code))
        assert answer.status_code < 500
        case.validate_response(answer, excluded_checks=EXCLUDED, headers=headers)

    call()
