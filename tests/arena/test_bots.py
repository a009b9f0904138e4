"""Bots of OpenSpiel, and whoever sits at the table of a house, as competitors."""

from __future__ import annotations

import json
import random
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING, Any
from urllib.request import Request, urlopen

import pytest

import gridhouse
from browser_helpers import served
from gridhouse.arena.competitors.base import ForfeitError
from gridhouse.arena.competitors.house import HouseCompetitor
from gridhouse.arena.competitors.openspiel import OpenSpielCompetitor
from gridhouse.arena.competitors.remote import RemoteCompetitor
from gridhouse.arena.competitors.specs import competitor
from gridhouse.arena.records import Termination
from gridhouse.arena.referee import Adjudication, play
from gridhouse.arena.time_control import TimeControl, Turn
from gridhouse.core.console import UsageError
from ports import reserved_port
from wire_helpers import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gridhouse.arena.records import GameRecord
    from gridhouse.core.game import State

pytestmark = pytest.mark.slow("opens houses and searches with OpenSpiel")

START = gridhouse.parse("binary(rows=3,cols=3)#0")
SINKS = gridhouse.parse("sinks(rows=8,cols=8)#0")
HIDDEN = gridhouse.parse("tactego(rows=4,cols=3,pieces=Fx1 5x1 3x1,hidden=True)#1")
NODES = TimeControl.parse("100n")
ONE_MOVE = Adjudication(length=1)


# OpenSpiel


def bots(start: State, *texts: str, number: int = 0) -> GameRecord:
    pair = [competitor(f"openspiel:{text}", start.game) for text in texts]
    return play(
        start, pair, TimeControl.parse("5p"), number=number, adjudication=Adjudication(length=9)
    )


@pytest.mark.parametrize(
    ("start", "bot"),
    [(START, "mcts:uct_c=1.5"), (SINKS, "mcts"), (HIDDEN, "ismcts:simulations=4")],
)
def test_bots_of_openspiel_play_again_what_they_played(start: State, bot: str) -> None:
    records = [bots(start, bot, "uniform", number=number) for number in (1, 1, 2)]
    assert all(record.termination in ("rules", "length") for record in records), records
    one, again, other = [[(move.text, move.work) for move in each.moves] for each in records]
    assert one == again != other
    assert max(work for _, work in one) == (4 if "ismcts" in bot else 5)


def test_its_search_wins_what_can_be_won_at_once_and_says_so() -> None:
    won = gridhouse.parse("binary(rows=3,cols=3) 10./.../...")
    first = OpenSpielCompetitor("openspiel:mcts:simulations=400", won.game)
    with first, OpenSpielCompetitor("openspiel:uniform", won.game) as second:
        score = sum(play(won, [first, second], NODES, number=number).score for number in range(6))
        move = play(won, [first, second], NODES).moves[0]
    assert score >= 5
    assert move.value is not None
    assert move.value > 0.5


def test_its_search_keeps_to_a_time() -> None:
    record = play(
        SINKS,
        [OpenSpielCompetitor("openspiel:mcts", SINKS.game)] * 2,
        TimeControl.parse("0.04s", margin=1),
        adjudication=Adjudication(length=4),
    )
    assert record.termination == Termination.LENGTH
    assert 0.04 <= sum(move.seconds for move in record.moves) / 4 < 0.5
    assert min(move.work for move in record.moves) > 1


@pytest.mark.parametrize("limit", ["0.000001s", "1p"])
def test_its_search_has_a_move_however_little_it_may_search(limit: str) -> None:
    first = OpenSpielCompetitor("openspiel:mcts", START.game)
    first.begin(START, 0, 0)
    reply = first.choose(START, Turn(TimeControl.parse(limit), 1.0))
    assert reply.move in START.legal_moves()


@pytest.mark.parametrize("bot", ["ismcts:simulations=30", "uniform"])
def test_a_bot_knows_nothing_hidden(bot: str) -> None:
    twins = [HIDDEN, gridhouse.parse(str(HIDDEN).replace("B5,B3", "B3,B5"))]
    assert twins[0] != twins[1]
    assert twins[0].observation_string(0) == twins[1].observation_string(0)
    for number in range(4):
        first, second = (bots(twin, bot, "uniform", number=number).moves[0] for twin in twins)
        assert first.text == second.text


def test_its_search_does_not_see_a_bomb() -> None:
    twins = [SINKS.clone(), SINKS.clone()]
    for state, bomb in zip(twins, ("0 0 b", "2 3 b"), strict=True):
        state.play(bomb)
        while state.current_player() == 0:
            state.apply_action(state.legal_actions()[-1])
    first, second = twins
    assert first.observation_string() == second.observation_string()
    assert first != second
    moves = []
    for state in twins:
        with OpenSpielCompetitor("openspiel:mcts", SINKS.game) as bot:
            moves.append(play(state, [bot, bot], NODES, adjudication=ONE_MOVE).moves[0].text)
    assert moves[0] == moves[1]


@pytest.mark.parametrize(
    ("text", "start", "reason"),
    [
        ("openspiel:mcts", HIDDEN, "openspiel:mcts: it has to see everything, which tactego"),
        ("openspiel:ismcts", START, "it is for hidden information, which binary"),
        ("openspiel:dqn", START, "OpenSpiel's bots are mcts, ismcts, uniform"),
        ("openspiel:uniform:uct_c=2", START, "there is no setting 'uct_c': none"),
        ("openspiel:mcts:simulations=0", START, "simulations is no number above 0: '0'"),
        ("openspiel:mcts:uct_c=nan", START, "uct_c is no number above 0: 'nan'"),
        ("http://", START, "is no house"),
        ("http://house.test:port", START, "is no house"),
        ("http://house.test/t/abc", START, "nor the link of an invitation"),
        ("http://house.test?level=9", START, "level is not in 1..8: '9'"),
        ("http://house.test?patience=9", START, "there is no setting 'patience': wait, level"),
        ("https://house.test/t/a/join/b?level=1", START, "an invitation is never for the machine"),
        ("http://house.test", SINKS, "sinks has secret moves, which a table does not tell"),
    ],
)
def test_a_text_that_is_no_player_gets_one_line(text: str, start: State, reason: str) -> None:
    with pytest.raises(UsageError) as error:
        competitor(text, start.game)
    assert reason in str(error.value)
    assert "\n" not in str(error.value)


def test_without_openspiel_one_line_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "gridhouse.adapters.openspiel")
    monkeypatch.delattr(gridhouse.adapters, "openspiel")
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(UsageError, match=r"pip install 'gridhouse\[openspiel\]'$"):
        competitor("openspiel:mcts", START.game)


# Tables of a house


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(tmp_path_factory.mktemp("house")) as address:
        yield address


def ask(house: str, path: str, token: str = "", **asked: Any) -> Any:
    """Ask the API, by POST if there is anything to say."""
    headers = {"content-type": "application/json"}
    if token:
        headers["authorization"] = f"Bearer {token}"
    body = json.dumps(asked).encode() if asked else None
    with urlopen(Request(f"{house}/api/{path}", body, headers), timeout=PATIENCE) as answer:
        return json.load(answer)


def sit_down(line: str) -> Any:
    """Take the seat of the link at the end of a line."""
    house, _, link = line.rpartition(" ")[2].partition("/t/")
    return ask(house, f"tables/{link.partition('/')[0]}/seats", invitation=link)


class Sitter:
    """Somebody who sits down at each link that is announced, and plays random moves there."""

    def __init__(self, house: str, *, moves: int = 1000, asks: bool = False) -> None:
        self.house = house
        self.moves = moves  # after which it resigns
        self.asks = asks  # to take each of its moves back
        self.last: dict[str, Any] = {}  # the table as it saw it last
        self.seen: list[str] = []
        self.threads: list[threading.Thread] = []

    def announced(self, line: str) -> None:
        self.play(sit_down(line))

    def play(self, joined: dict[str, Any]) -> None:
        self.threads.append(threading.Thread(target=self._play, args=(joined,)))
        self.threads[-1].start()

    def _play(self, joined: dict[str, Any]) -> None:
        token, seen, made = joined["token"], joined["table"], 0
        chance = random.Random(0)
        path = f"tables/{seen['id']}"
        while not seen["over"]:
            self.seen.append(seen["position"])
            if seen["your_turn"] and made == self.moves:
                ask(self.house, f"{path}/resign", token, nothing=0)
            elif seen["your_turn"]:
                move = chance.choice(seen["legal"])
                seen = ask(self.house, f"{path}/moves", token, move=move, ply=seen["ply"])
                made += 1
                if self.asks and not seen["over"]:
                    ask(self.house, f"{path}/undo", token, nothing=0)
            if not seen["over"]:
                seen = ask(self.house, f"{path}?after={seen['version']}&wait=20", token)
        self.last = seen

    def wait(self) -> None:
        for thread in self.threads:
            thread.join(PATIENCE)
            assert not thread.is_alive()


def against_random(
    start: State, text: str, announced: Any, side: int, control: TimeControl = NODES
) -> GameRecord:
    """Play a game between whoever sits at a table, who has this side, and random moves."""
    with RemoteCompetitor(text, start.game, announced) as remote:
        pair = [HouseCompetitor("random", start.game), remote]
        return play(start, pair[:: 1 if side else -1], control)


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("start", [START, HIDDEN])
def test_whoever_sits_down_plays_a_game_to_its_end(house: str, start: State, side: int) -> None:
    sitter = Sitter(house, asks=start is START)
    opening = start.clone()
    opening.apply_action(opening.legal_actions()[0])
    record = against_random(opening, house, sitter.announced, side)
    sitter.wait()
    assert record.termination == Termination.RULES, record
    table = sitter.last
    assert [move["move"] for move in table["moves"]] == [move.text for move in record.moves]
    assert table["returns"][0] == 2 * record.score - 1
    if start is HIDDEN:  # the sitter was shown its own pieces, and the others once it was over
        other = "RB"[1 - side]
        assert any(f"{other}?" in position for position in sitter.seen)


def test_a_resignation_and_the_loss_of_the_other_player_reach_each_other(house: str) -> None:
    sitter = Sitter(house, moves=1)
    record = against_random(START, house, sitter.announced, 1)
    assert (record.termination, record.score) == (Termination.RESIGNATION, 1.0)
    assert "resigns" in record.reason
    sitter = Sitter(house)
    late = TimeControl.parse("0.000001s", margin=0)
    with RemoteCompetitor(house, START.game, sitter.announced) as remote:
        pair = [HouseCompetitor("random", START.game), remote]
        record = play(START, pair, NODES, own=[late, None])
    sitter.wait()
    assert (record.termination, record.score) == (Termination.TIME, 0.0)
    assert sitter.last["returns"] == [-1.0, 1.0]


def test_nobody_comes_and_somebody_is_late(house: str) -> None:
    links: list[str] = []
    record = against_random(START, f"{house}?wait=1", links.append, 1)
    assert (record.termination, record.score) == (Termination.DISCONNECTION, 1.0)
    assert record.reason == f"nobody sat down at {links[0].rpartition(' ')[2]}"

    started = time.monotonic()
    record = against_random(START, house, sit_down, 0, TimeControl.parse("0.3s", margin=0))
    assert (record.termination, record.score) == (Termination.TIME, 0.0)
    assert 0.3 <= time.monotonic() - started < 5


def test_the_machine_of_a_house_plays(house: str) -> None:
    record = against_random(START, f"{house}/?level=1", pytest.fail, 1)
    assert record.termination == Termination.RULES, record


def test_an_invitation_serves_for_one_game_that_begins_as_its_table(house: str) -> None:
    founded = ask(house, "tables", position=str(START), opponent="friends", side=1)
    sitter = Sitter(house)
    link = house + founded["table"]["invitation"]
    with RemoteCompetitor(link, START.game) as remote:
        pair = [HouseCompetitor("random", START.game), remote]
        sitter.play(founded)
        records = [play(START, pair, NODES, number=number) for number in range(2)]
    sitter.wait()
    assert [record.termination for record in records] == ["rules", "disconnection"]
    assert "earlier game" in records[1].reason


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"side": 0}, "its founder plays the wrong side"),
        ({"clock": "5+0"}, "its table has a clock"),
        ({"position": "binary(rows=3,cols=3) 1../.../..."}, "its table is not at 'binary"),
    ],
)
def test_another_table_is_refused(house: str, changed: dict[str, Any], reason: str) -> None:
    asked: dict[str, Any] = {"position": str(START), "opponent": "friends", "side": 1, **changed}
    link = house + ask(house, "tables", **asked)["table"]["invitation"]
    record = against_random(START, link, pytest.fail, 1)
    assert (record.termination, record.score) == (Termination.DISCONNECTION, 1.0)
    assert reason in record.reason


def test_no_house_answers(house: str) -> None:
    with reserved_port() as port:
        record = against_random(START, f"http://127.0.0.1:{port}", pytest.fail, 1)
    assert record.termination == Termination.DISCONNECTION
    assert f"http://127.0.0.1:{port} cannot be reached: " in record.reason
    record = against_random(START, f"{house}/somewhere", pytest.fail, 1)
    assert record.termination == Termination.DISCONNECTION
    assert "/somewhere refused: " in record.reason


SEATED = {"id": "t", "version": 1, "ply": 0, "over": False, "seats": [{"taken_by": "you"}] * 2}


@pytest.mark.parametrize(
    "said",
    [
        "Welcome",
        "[" * 100_000,
        "[1]",
        "{}",
        json.dumps({"token": "x", "table": {"seats": [1, 2]}}),
        json.dumps({"token": "x", "table": SEATED | {"ply": "0"}}),
        json.dumps({"token": "x", "table": SEATED | {"ply": 1, "moves": []}}),
        json.dumps({"token": "x", "table": SEATED | {"ply": 1, "moves": [{}]}}),
    ],
)
def test_what_no_house_would_say_ends_the_game(said: str) -> None:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(201)
            self.end_headers()
            self.wfile.write(said.encode())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            address = f"http://127.0.0.1:{server.server_port}"
            record = against_random(START, address, print, 0)
        finally:
            server.shutdown()
            thread.join()
    assert (record.termination, record.score) == (Termination.GARBLED, 0.0)


def test_a_house_that_wants_fewer_requests_is_asked_again(tmp_path: Path) -> None:
    with served(tmp_path, burst=4, rate=8.0) as house:
        record = against_random(START, f"{house}?level=1", pytest.fail, 1)
    assert record.termination == Termination.RULES, record


def test_a_house_that_closes_ends_the_game(tmp_path: Path) -> None:
    with served(tmp_path) as house:
        remote = RemoteCompetitor(house, START.game, sit_down)
        remote.begin(START, 0, 0)
    with pytest.raises(ForfeitError, match="cannot be reached") as error:
        remote.choose(START, Turn(NODES, 9.0))
    assert error.value.termination == Termination.DISCONNECTION
