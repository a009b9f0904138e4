"""What tables have besides moves: clocks, redo, resigning, looking back, help, the lobby."""

from __future__ import annotations

import asyncio
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from alembic import command
from alembic.config import Config
from hypothesis import given
from hypothesis import strategies as st

import gridhouse
from gridhouse.core.errors import ParameterError
from gridhouse.players import Choice
from gridhouse.server import clock
from gridhouse.server.clock import MINUTE, SECOND, Clock
from gridhouse.server.fair_pool import QUICK
from gridhouse.server.storage import store
from gridhouse.server.storage.records import Change, Ply, StoredTable
from gridhouse.server.tables import hints, rendering, visibility
from gridhouse.server.tables.commands import MOVE, SEAT, Command, RefusedError
from gridhouse.server.tables.service import TableService
from gridhouse.server.tables.table import FRIENDS, TableOptions
from web_helpers import HIDDEN, MANY, Visitor, open_house, settings_of

if TYPE_CHECKING:
    from collections.abc import Callable

    import sqlalchemy as sa
    from starlette.testclient import TestClient

    from gridhouse.server.tables.table import Table
    from web_helpers import Seat

ROW = "binary(rows=1,cols=6) ......"


@pytest.fixture
def friend(client: TestClient) -> Visitor:
    return Visitor(client)


class Watch:
    """The time, which stands still until it is set."""

    def __init__(self) -> None:
        self.time = 1_000_000_000

    def __call__(self) -> int:
        return self.time


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
    watch = Watch()
    monkeypatch.setattr(clock, "now", watch)
    return watch


def meet(visitor: Visitor, friend: Visitor, game: str = "binary", **form: str) -> str:
    """Return a table at which two friends sit."""
    table = visitor.new(game, opponent="friends", **form)
    with visitor.at(table) as seat:
        link = seat.view["invitation"]
    assert friend.post(link).status_code == 303
    return table


def left(seat: Seat) -> list[int]:
    return [clock["left"] for clock in seat.view["clocks"]]


# Clocks.


def test_many_pages_wait_for_a_slow_picture_of_a_running_clock(
    visitor: Visitor, friend: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(*given: Any, **named: Any) -> Any:
        until = time.thread_time() + 2 * QUICK
        while time.thread_time() < until:
            pass
        return visibility.view(*given, **named)

    monkeypatch.setattr(rendering, "view", slow)
    table = meet(visitor, friend, clock="3+2")
    with visitor.at(table) as mine, friend.at(table) as theirs, ExitStack() as open_pages:
        watching = [open_pages.enter_context(Visitor(visitor.client).at(table)) for _ in range(3)]
        for ply, move in enumerate(("0 0 1", "1 0 0", "2 0 1", "3 0 0"), 1):
            mover, other = (mine, theirs) if ply % 2 else (theirs, mine)
            mover.move(move)
            for page in (other, *watching):
                page.wait("view", ply)


@pytest.mark.parametrize(
    ("text", "clock"),
    [("", None), ("none", None), ("3+2", Clock(3 * MINUTE, 2 * SECOND)), ("1+0", Clock(MINUTE, 0))],
)
def test_clocks_are_read(text: str, clock: Clock | None) -> None:
    assert Clock.read(text) == clock
    assert clock is None or str(clock) == text


@pytest.mark.parametrize("text", ["3", "0+5", "x+1", "1+x", "181+0", "1+181", "-1+0", "+", "1+2+3"])
def test_what_is_no_clock_is_refused(text: str) -> None:
    with pytest.raises(ParameterError, match="minutes"):
        Clock.read(text)


def test_a_clock_runs_from_the_second_move_of_each_on(
    visitor: Visitor, friend: Visitor, watch: Watch
) -> None:
    table = meet(visitor, friend, start=ROW, clock="1+5")
    with visitor.at(table) as mine, friend.at(table) as theirs:
        assert left(mine) == [MINUTE, MINUTE]
        watch.time += 10 * MINUTE  # the first moves are free
        mine.move("0 0 0")
        theirs.wait("view", 1)
        watch.time += 10 * MINUTE
        theirs.move("5 0 1")
        mine.wait("view", 2)
        assert [clock["runs"] for clock in mine.view["clocks"]] == [True, False]
        watch.time += 20 * SECOND
        mine.move("1 0 1")
        assert left(mine) == [45 * SECOND, MINUTE]
        assert [clock["name"] for clock in mine.view["clocks"]] == ["Player 1", "Player 2"]


def test_who_moves_too_late_has_lost(visitor: Visitor, friend: Visitor, watch: Watch) -> None:
    table = meet(visitor, friend, start=ROW, clock="1+0")
    with visitor.at(table) as mine, friend.at(table) as theirs:
        mine.move("0 0 0")
        theirs.wait("view", 1)
        theirs.move("5 0 1")
        mine.wait("view", 2)
        watch.time += MINUTE
        mine.say("move", move="1 0 1", ply=2)
        view = theirs.wait("view")
        while not view["over"]:
            view = theirs.wait("view")
        assert view["heading"] == "Player 1 has no time left; Player 2 wins"
        assert left(theirs) == [0, MINUTE]
        assert view["ply"] == 2
        assert not view["undo"]
        assert theirs.refused("undo") == "the game is over"
        assert visitor.get(f"{table}/record.txt").text.splitlines()[-1] == view["heading"]


def test_a_clock_that_nobody_touches_runs_out(tmp_path: Path) -> None:
    async def wait() -> tuple[str | None, str | None]:
        house = TableService(settings_of(tmp_path))
        state = gridhouse.parse(ROW)
        name = await house.create(TableOptions(state, FRIENDS, 0, 0, Clock(200, 0)), "somebody")
        live = await house.get(name)
        assert live is not None
        await house.submit(live, Command(SEAT, visitor="another"))
        await house.submit(live, Command(MOVE, 0, "0 0 0", 0))
        await house.submit(live, Command(MOVE, 1, "5 0 1", 1))
        changed = asyncio.Event()
        live.subscribers[changed.set] = ""
        await changed.wait()
        kept = house.store.load(name)
        await house.close()
        assert kept is not None
        return live.table.ended, kept.ended

    assert asyncio.run(asyncio.wait_for(wait(), 30)) == ("time 0", "time 0")


def test_a_flag_falls_once_the_database_can_write_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gridhouse.server.tables.service.FLAG_PAUSE", 0.05)
    written, failed = store.write, list[list[Change]]()

    def write(connection: sa.Connection, changes: list[Change]) -> None:
        if any(change.ended for change in changes) and len(failed) < 2:
            failed.append(changes)
            raise OSError("the disk is full")
        written(connection, changes)

    monkeypatch.setattr(store, "write", write)
    test_a_clock_that_nobody_touches_runs_out(tmp_path)
    assert len(failed) == 2


@pytest.mark.parametrize(
    ("quicker", "moves"),
    [
        (lambda table: table.change_for(Command(SEAT, visitor="another")), ["0 0 0"]),
        (lambda table: table.change_for(Command(MOVE, 0, "5 0 1", 0)), ["5 0 1"]),
    ],
    ids=["a seat was taken", "a move was made"],
)
def test_a_move_stands_unless_another_process_made_one(
    tmp_path: Path, quicker: Callable[[Table], Change], moves: list[str]
) -> None:
    async def play() -> tuple[list[str], list[str]]:
        house = TableService(settings_of(tmp_path))
        name = await house.create(
            TableOptions(gridhouse.parse(ROW), FRIENDS, 0, 0, None), "somebody"
        )
        live = await house.get(name)
        assert live is not None
        await asyncio.wrap_future(house.store.append(quicker(live.table)))
        refusals = []
        try:
            await house.submit(live, Command(MOVE, 0, "0 0 0", 0))
        except RefusedError as error:
            refusals.append(str(error))
        await house.close()
        return [ply.move for ply in live.table.plies], refusals

    refusals = [] if moves == ["0 0 0"] else ["the table has changed; look at it again"]
    assert asyncio.run(asyncio.wait_for(play(), 30)) == (moves, refusals)


def test_a_seat_can_be_taken_although_another_process_made_a_move(tmp_path: Path) -> None:
    async def sit() -> tuple[list[str], dict[int, str]]:
        house = TableService(settings_of(tmp_path))
        name = await house.create(
            TableOptions(gridhouse.parse(ROW), FRIENDS, 0, 0, None), "somebody"
        )
        live = await house.get(name)
        assert live is not None
        await asyncio.wrap_future(
            house.store.append(live.table.change_for(Command(MOVE, 0, "5 0 1", 0)))
        )
        await house.submit(live, Command(SEAT, visitor="another"))
        await house.close()
        return [ply.move for ply in live.table.plies], live.table.seated_visitors

    found = asyncio.run(asyncio.wait_for(sit(), 30))
    assert found == (["5 0 1"], {0: "somebody", 1: "another"})


def test_the_machine_plays_without_a_clock(visitor: Visitor) -> None:
    table = visitor.new("binary", start=ROW, opponent="machine", level="1", clock="3+0")
    with visitor.at(table) as seat:
        assert seat.view["clocks"][1] is None
        seat.move("0 0 0")
        seat.wait("view", 2)
        assert [clock["runs"] for clock in seat.view["clocks"][:1]] == [True]


def test_time_does_not_pass_while_the_house_is_closed(tmp_path: Path, watch: Watch) -> None:
    with open_house(tmp_path) as client:
        visitor = Visitor(client)
        table = visitor.new("binary", start=ROW, opponent="hotseat", clock="1+0")
        with visitor.at(table) as seat:
            seat.move("0 0 0")
            seat.move("5 0 1")
            watch.time += 15 * SECOND
            seat.move("1 0 1")
    watch.time += 100 * MINUTE
    with open_house(tmp_path) as client:
        visitor.client = client
        with visitor.at(table) as seat:
            assert left(seat) == [45 * SECOND, MINUTE]


@given(st.lists(st.integers(0, 10**6)), st.integers(0, 10**6), st.integers(0, 10**5))
def test_a_clock_loses_what_is_spent_and_gains_with_every_move(
    times: list[int], initial: int, increment: int
) -> None:
    clock = Clock(initial, increment)
    assert clock.left(times) == initial + len(times) * increment - sum(times)


# Undo and redo, and giving up.


def test_what_was_undone_is_made_again_even_after_the_house_was_closed(tmp_path: Path) -> None:
    with open_house(tmp_path) as client:
        visitor = Visitor(client)
        table = visitor.new("binary", start=ROW, opponent="hotseat")
        with visitor.at(table) as seat:
            assert seat.refused("redo") == "there is no move to redo"
            for move in ("0 0 0", "5 0 1", "2 0 0"):
                seat.move(move)
            for ply in (2, 1):
                seat.say("undo")
                seat.wait("view", ply)
            assert seat.view["redo"]
    with open_house(tmp_path) as client:
        visitor.client = client
        with visitor.at(table) as seat:
            seat.say("redo")
            assert seat.wait("view", 2)["moves"][1] == ["Player 2", "5 0 1"]
            seat.say("undo")
            seat.wait("view", 1)
            seat.move("4 0 0")  # another way: what was undone is gone
            assert not seat.view["redo"]
            assert seat.refused("redo") == "there is no move to redo"
            assert [move for _, move in seat.view["moves"]] == ["0 0 0", "4 0 0"]


def test_a_game_that_had_ended_ends_again_by_redo(visitor: Visitor) -> None:
    table = visitor.new("binary", start="binary(rows=1,cols=1) .", opponent="hotseat")
    with visitor.at(table) as seat:
        assert seat.move("0 0 0")["over"]
        seat.say("undo")
        assert not seat.wait("view", 0)["over"]
        seat.say("redo")
        assert seat.wait("view", 1)["heading"] == "Player 1 wins"


def test_against_the_machine_redo_leads_to_ones_own_turn(visitor: Visitor) -> None:
    table = visitor.new("binary", start=ROW, opponent="machine", level="1")
    with visitor.at(table) as seat:
        seat.move("0 0 0")
        after = seat.wait("view", 2)["moves"]
        seat.say("undo")
        seat.wait("view", 0)
        seat.say("redo")
        assert seat.wait("view", 2)["moves"] == after


def test_friends_ask_each_other_for_redo_too(visitor: Visitor, friend: Visitor) -> None:
    table = meet(visitor, friend, start=ROW)
    with visitor.at(table) as mine, friend.at(table) as theirs:
        mine.move("0 0 0")
        theirs.wait("view", 1)
        mine.say("undo")
        while not theirs.view["asked"]:
            theirs.wait("view")
        theirs.say("answer", agrees=True)
        theirs.wait("view", 0)
        mine.wait("view", 0)
        mine.say("redo")
        while not theirs.view["asked"]:
            theirs.wait("view")
        assert theirs.view["asked"] == "Player 1 asks to redo the move."
        while not mine.view["waits"]:
            mine.wait("view")
        assert (mine.view["waits"], mine.view["asked"]) == ("Player 2 has not answered yet.", "")
        assert theirs.view["waits"] == ""
        theirs.say("answer", agrees=False)
        while theirs.view["asked"]:
            theirs.wait("view")
        assert theirs.view["ply"] == 0


def test_who_gives_up_has_lost(visitor: Visitor, friend: Visitor) -> None:
    table = meet(visitor, friend, start=ROW)
    with visitor.at(table) as mine, friend.at(table) as theirs:
        assert mine.view["resign"]
        theirs.say("resign")
        while not mine.view["over"]:
            mine.wait("view")
        assert mine.view["heading"] == "Player 2 resigns; Player 1 wins"
        assert not mine.view["acts"]
        assert mine.refused("move", move="0 0 0", ply=0) == "the game is over"
        assert mine.refused("resign") == "the game is over"
    alone = visitor.new("binary", start=ROW, opponent="hotseat")
    with visitor.at(alone) as seat:
        assert "at one screen" in seat.refused("resign")


# Looking back.


def test_every_position_of_a_game_can_be_looked_at_again(visitor: Visitor) -> None:
    table = visitor.new("binary", start=ROW, opponent="hotseat")
    with visitor.at(table) as seat:
        boards = [seat.view["board"]]
        boards += [seat.move(move)["board"] for move in ("0 0 0", "5 0 1", "2 0 0")]
        for ply in (0, 1, 2):
            seat.say("look", ply=ply)
            view = seat.wait("view")
            assert view["board"] == boards[ply]
            assert view["heading"] == f"After {ply} of 3 moves"
            assert view["looking"] == ply
            assert not view["acts"]
            assert view["gestures"] == []
            assert view["last"] == ([] if ply == 0 else [[0], [5]][ply - 1])
        for wrong in (3, -1, None, "x", 1.0):
            seat.say("look", ply=wrong)
            seen = seat.wait("view")
            assert (seen["looking"], seen["board"]) == (None, boards[3])
        seat.say("look", ply=0)
        seat.wait("view")
        assert seat.move("4 0 1")["looking"] is None


def test_a_look_back_shows_no_more_than_was_seen(visitor: Visitor, friend: Visitor) -> None:
    table = meet(visitor, friend, "tactego", start=HIDDEN)
    with (
        visitor.at(table) as mine,
        friend.at(table) as theirs,
        Visitor(visitor.client).at(table) as others,
    ):
        first = {seat: seat.view["board"] for seat in (mine, theirs, others)}
        mine.move("0 1 1 1")
        for seat, board in first.items():
            if seat is not mine:
                seat.wait("view", 1)
            seat.say("look", ply=0)
            assert seat.wait("view")["board"] == board
        assert len(set(first.values())) == 3


def test_both_players_see_their_own_side_of_an_open_board(
    visitor: Visitor, friend: Visitor
) -> None:
    state = gridhouse.load("tactego").new_initial_state(0)
    table = meet(visitor, friend, "tactego", start=str(state))
    with visitor.at(table) as red, friend.at(table) as blue:
        for ply in range(3):
            for side, seat in enumerate((red, blue)):
                while seat.view["ply"] < ply:
                    seat.wait("view")
                assert seat.view["side"] == side
                assert seat.view["board"] == state.open_picture(side).inline()
            move = state.legal_moves()[0]
            (red, blue)[ply % 2].move(move)
            state.play(move)


def test_when_a_game_is_over_everybody_may_see_everything(
    visitor: Visitor, friend: Visitor
) -> None:
    table = meet(visitor, friend, "tactego", start=HIDDEN)
    with visitor.at(table) as mine, Visitor(visitor.client).at(table) as watching:
        assert "flag" not in watching.view["board"]
        assert visitor.get(f"{table}/record.txt").status_code == 403
        mine.say("resign")
        while not watching.view["over"]:
            watching.wait("view")
        assert watching.view["board"].count("flag") == 2
        start = str(gridhouse.parse(HIDDEN))
        assert watching.view["position"] == start
        assert visitor.get(f"{table}/record.txt").text.startswith(start)


# Help.


def test_the_machine_tells_what_is_proved(visitor: Visitor) -> None:
    table = visitor.new("binary", start="binary(rows=2,cols=2) 0./..", opponent="hotseat")
    with visitor.at(table) as seat:
        seat.say("judge")
        assert seat.wait("judge")["text"] == "Proved: Player 2 wins with perfect play"
        seat.move("1 0 1")
        while not seat.view["over"]:
            seat.move(seat.view["gestures"][0][0])
        seat.say("judge")
        assert "wins" in seat.wait("judge")["text"]
        seat.say("look", ply=0)
        seat.wait("view")
        seat.say("judge")
        assert seat.wait("judge")["text"] == "Proved: Player 2 wins with perfect play"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.05, "About even"),
        (0.5, "Player 1 is better"),
        (-0.25, "Player 2 is slightly better"),
        (-1.0, "Player 2 is much better"),
        (None, "This position has no evaluation"),
    ],
)
def test_what_is_not_proved_is_said_in_words(value: float | None, text: str) -> None:
    assert hints.evaluation_text(gridhouse.parse(ROW), Choice(0, value)) == text


def test_the_score_that_is_hoped_for() -> None:
    state = gridhouse.parse("collapse(rows=1,cols=3,digits=2) 0 110")
    assert hints.evaluation_text(state, Choice(0, 4.4)) == "About 4 can be reached"


def frames(seat: Seat) -> list[dict[str, Any]]:
    """Return what is shown until the machine is ready."""
    shown = []
    while (message := seat.listen())["type"] != "shown":
        assert message["type"] == "frame", message
        shown.append(message)
    return shown


def test_a_whole_solution_is_shown(visitor: Visitor) -> None:
    state = gridhouse.load("sliding", rows=3, cols=3).new_initial_state(4)
    table = visitor.new("sliding", start=str(state))
    with visitor.at(table) as seat:
        before = seat.view
        seat.say("show")
        shown = frames(seat)
        assert len({frame["board"] for frame in shown}) > 3
        for frame in shown:
            state.play(frame["heading"].partition(": ")[2])
            assert frame["board"] == state.open_picture().inline()
            assert frame["status"] == state.game.status(state.position)
        assert state.is_terminal()
        seat.say("look")
        assert seat.wait("view") == before  # nothing was played


def test_a_line_of_a_game_of_two_is_shown(visitor: Visitor) -> None:
    with visitor.at(visitor.new("binary", start=ROW, opponent="hotseat")) as seat:
        seat.say("show")
        shown = frames(seat)
        assert [frame["heading"].split(":")[0] for frame in shown[:2]] == [
            "Best line, move 1 by Player 1",
            "Best line, move 2 by Player 2",
        ]


def test_nothing_is_shown_where_it_would_tell_a_secret(visitor: Visitor) -> None:
    table = visitor.new("tactego", start=HIDDEN, opponent="machine", level="1")
    with visitor.at(table) as seat:
        assert seat.refused("show") == "the best line may reveal hidden information"


def test_the_machine_helps_neither_friends_nor_who_watches(
    visitor: Visitor, friend: Visitor
) -> None:
    table = meet(visitor, friend, start="binary(rows=1,cols=1) .")
    with visitor.at(table) as mine, Visitor(visitor.client).at(table) as watching:
        for kind in ("hint", "judge", "show"):
            assert mine.refused(kind) == "there is no help in a game between friends"
            assert "you are watching" in watching.refused(kind)
        mine.move("0 0 0")
        mine.say("judge")  # after the game they may learn from it
        assert mine.wait("judge")["text"] == "Player 1 wins"


def test_two_kinds_of_help_may_be_asked_for_at_once(visitor: Visitor) -> None:
    table = visitor.new("tactego", preset="small", opponent="machine")
    with visitor.at(table) as seat:
        seat.say("hint")
        seat.say("judge")
        heard: set[str] = set()
        for _ in range(MANY):
            seat.say("here")  # is always answered, so that nobody waits for what does not come
            heard.add(seat.listen()["type"])
            if heard >= {"hint", "judge"}:
                return
            time.sleep(0.2)
        raise AssertionError(f"only {heard} came")


def test_a_page_may_ask_whether_the_house_is_there(visitor: Visitor, friend: Visitor) -> None:
    table = visitor.new("sliding")
    for who in (visitor, friend):
        with who.at(table) as seat:
            seat.say("here")
            assert seat.listen() == {"type": "here"}


def test_help_is_for_the_position_that_is_played(visitor: Visitor) -> None:
    with visitor.at(visitor.new("binary", start=ROW, opponent="hotseat")) as seat:
        seat.move("0 0 0")
        seat.say("look", ply=0)
        seat.wait("view")
        assert seat.refused("hint") == "help is only for the current position"


# The lobby.


def test_the_lobby_shows_what_was_put_there(visitor: Visitor, friend: Visitor) -> None:
    visitor.new("binary", opponent="friends")  # not listed
    visitor.new("sliding", listed="on")
    visitor.new("sinks", opponent="machine", level="2", listed="on")
    table = visitor.new("binary", opponent="friends", clock="3+2", listed="on", start=ROW)
    page = friend.get("/lobby").text
    waiting, _, playing = page.partition("Games in play")
    assert waiting.count("<li>") == 1
    assert "clock 3+2, 0 moves so far" in waiting
    assert playing.count("<li>") == 2
    assert "against the machine (level 2, Beginner)" in playing
    assert ", one player" in playing.replace("\n", ", ")
    link = waiting.partition(f'href="{table}/join/')[2].partition('"')[0]
    assert friend.post(f"{table}/join/{link}").status_code == 303
    assert "No table is open." in visitor.get("/lobby").text
    with visitor.at(table) as seat:
        seat.say("resign")
        while not seat.view["over"]:
            seat.wait("view")
    assert Visitor(visitor.client).get("/lobby").text.count("Watch") == 2


def test_the_lobby_forgets_where_nothing_happens(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor.new("sliding", listed="on")
    assert "No game is in play now." not in visitor.get("/lobby").text
    later = clock.dated() + 25 * 60 * MINUTE
    monkeypatch.setattr(clock, "dated", lambda: later)
    assert "No game is in play now." in visitor.get("/lobby").text


def test_migrations_lead_back_and_forth(tmp_path: Path) -> None:
    opened = store.Store(f"sqlite:///{tmp_path / 'old.db'}")
    opened.add(StoredTable("t", ROW, "hotseat", seated_visitors={0: "a", 1: "a"}))
    for ply, move in enumerate(("0 0 0", "5 0 1")):
        opened.append(Change("t", ply, standing=ply, added=Ply(move))).result()
    opened.append(Change("t", 2, standing=1)).result()
    config = Config()
    config.set_main_option("script_location", str(Path(store.__file__).parent / "migrations"))
    for target in ("0001", "head"):
        with opened.engine.begin() as connection:
            config.attributes["connection"] = connection
            step = command.downgrade if target == "0001" else command.upgrade
            step(config, target)
    found = opened.load("t")
    opened.close()
    assert found is not None
    assert (found.moves, found.undone) == ([Ply("0 0 0")], [])
