"""No byte of what is hidden leaves the house for the wrong eyes.

Two games are played that differ only in what somebody may not know; everything that this visitor
gets has to be the same in both, byte by byte.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import gridhouse
from gridhouse.server.evenings.service import start_of
from web_helpers import Visitor, uncovered

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from starlette.testclient import TestClient

TACTEGO = "tactego(rows=4,cols=3,pieces=5x1 4x1 Fx1,hidden=True)"
RED, BLUE = "RF,R5,R4", "BF,B5,B4"
RED_ELSE, BLUE_ELSE = "RF,R4,R5", "B5,BF,B4"
QUIET = ("0 1 1 1", "3 2 2 2")  # moves without a combat
ANY = ""  # the first move in the list
FILES = ("", "/picture.svg", "/position.txt", "/record.txt")
ASKED = ("", "?player=0", "?player=1", "/picture.svg", "/picture.svg?player=0")
TRIED = ("", "0 0 1 0", "3 0 2 0", "9 9 9 9", "0 1 b", "0 7 b", "x")


def armies(red: str, blue: str) -> str:
    return f"{TACTEGO} R 0 {red}/,,/,,/{blue}"


class Evening:
    """A game between friends with somebody who watches; everything they get is kept."""

    def __init__(self, client: TestClient, game: str, start: str, moves: list[str]) -> None:
        first, second, third = Visitor(client), Visitor(client), Visitor(client)
        table = first.new(game, start=start, opponent="friends", listed="on")
        with first.at(table) as seat:
            invitation = seat.view["invitation"]
        second.post(invitation)
        with first.at(table) as one, second.at(table) as two, third.at(table) as watching:
            seats = [one, two, watching]
            for move in moves:
                mover = one if one.view["acts"] else two
                ply = mover.view["ply"]
                mover.say("move", move=move or mover.view["gestures"][0][0], ply=ply)
                for seat in seats:
                    seat.wait("view", ply + 1)
            for seat in seats:
                for asked in ("undo", "hint", "uncover"):
                    if not (asked == "hint" and seat.view["acts"]):
                        seat.say(asked)
                seat.say("why", cells=[0])
                seat.say("dance")
                while "unknown type" not in (heard := seat.listen().get("text", "")):
                    if "you are watching" in heard:
                        break
            self.sockets = [self._plain("\n".join(seat.heard), table) for seat in seats]
        visitors = (first, second, third)
        self.files = [
            [self._plain(who.get(table + file).text, table) for file in FILES]
            + [self._plain(text, table) for text in programs(who, table)]
            for who in visitors
        ]

    @staticmethod
    def _plain(text: str, table: str) -> str:
        """Return a text without the name of its table."""
        return text.replace(table, "/t/TABLE").replace(table[3:], "TABLE")

    def known(self, who: int) -> tuple[str, list[str]]:
        return self.sockets[who], self.files[who]


def programs(who: Visitor, table: str) -> list[str]:
    """Return all that the API says to a visitor of a table, as a program or by cookie."""
    path, token = f"/api/tables{table[2:]}", who.token
    sent = {"authorization": f"Bearer {token}"} if token else {}
    state = who.get(path, **sent).json()
    said = [who.get(path + asked, **sent).text for asked in ASKED]
    said += [
        who.get(path).text,
        who.get(path + f"?wait=1&after={state['version'] - 1}").text,
    ]
    tries: list[tuple[str, object]] = [("undo", None), ("redo", None), ("answer", {"agrees": True})]
    for ply in (0, state["ply"]):
        # What is legal would change the table.
        moves = [move for move in TRIED if move not in state["legal"]]
        tries += [("moves", {"move": move, "ply": ply}) for move in moves]
    for does, facts in tries:
        answer = who.client.post(f"{path}/{does}", json=facts, headers=sent)
        assert answer.status_code >= 400, (does, facts, answer.text)
        said.append(answer.text)
    [entry] = [entry for entry in who.get("/api/tables").json() if entry["id"] == table[3:]]
    return [*said, str(entry)]


def test_what_red_gets_tells_nothing_of_blues_kinds(client: TestClient) -> None:
    one = Evening(client, "tactego", armies(RED, BLUE), list(QUIET))
    two = Evening(client, "tactego", armies(RED, BLUE_ELSE), list(QUIET))
    assert one.known(0) == two.known(0)
    assert one.known(1) != two.known(1)


def test_what_blue_gets_tells_nothing_of_reds_kinds(client: TestClient) -> None:
    one = Evening(client, "tactego", armies(RED, BLUE), list(QUIET))
    two = Evening(client, "tactego", armies(RED_ELSE, BLUE), list(QUIET))
    assert one.known(1) == two.known(1)
    assert one.known(0) != two.known(0)


def test_who_watches_learns_the_secrets_of_neither(client: TestClient) -> None:
    one = Evening(client, "tactego", armies(RED, BLUE), list(QUIET))
    two = Evening(client, "tactego", armies(RED_ELSE, BLUE_ELSE), list(QUIET))
    assert one.known(2) == two.known(2)
    assert "Red unknown" in one.sockets[2]
    assert "Blue unknown" in one.sockets[2]


def test_where_a_bomb_lies_is_known_to_who_laid_it(client: TestClient) -> None:
    start = "sinks(rows=8,cols=8)#1"
    one = Evening(client, "sinks", start, ["0 1 b", "3 3 d", ANY])
    two = Evening(client, "sinks", start, ["0 7 b", "3 3 d", ANY])
    assert '"gestures":[[' in one.sockets[1]  # it is Dark's turn
    assert one.known(1) == two.known(1)
    assert one.known(2) == two.known(2)
    assert one.known(0) != two.known(0)
    assert "a bomb is laid" in one.sockets[1]
    assert "0 1 b" in one.sockets[0]


def test_nothing_is_taken_back_that_may_have_told_a_secret(client: TestClient) -> None:
    visitor = Visitor(client)
    table = visitor.new("tactego", start=armies(RED, BLUE), opponent="hotseat")
    with visitor.at(table) as seat:
        uncovered(seat)
        seat.move(QUIET[0])
        assert not seat.view["undo"]
        assert (
            seat.refused("undo")
            == "moves that may have revealed hidden information cannot be taken back"
        )
    for file in FILES[2:]:
        answer = visitor.get(table + file)
        assert answer.status_code == 403
        assert "it would reveal hidden information" in answer.text


def test_that_a_secret_is_gone_may_be_one_as_well(client: TestClient) -> None:
    visitor = Visitor(client)
    table = visitor.new("sinks", opponent="hotseat")
    state = gridhouse.load("sinks").new_initial_state()
    with visitor.at(table) as seat:
        for move in ("3 2 b", "3 3 l"):
            state.play(move)
            seat.move(move)
        assert not state.has_secrets()
        assert not seat.view["undo"]
        assert seat.view["position"] == ""
        assert (
            seat.refused("undo")
            == "moves that may have revealed hidden information cannot be taken back"
        )


def test_against_the_machine_a_turn_with_a_bomb_is_taken_back(client: TestClient) -> None:
    visitor = Visitor(client)
    table = visitor.new("sinks", level="1", side="0")
    with visitor.at(table) as seat:
        seat.move("3 2 b")
        own = 1
        while seat.view["acts"]:
            seat.move(seat.view["gestures"][-1][0])
            own += 1
        while not seat.view["acts"]:
            seat.wait("view")
        assert seat.view["ply"] > own
        assert seat.view["undo"]
        seat.say("undo")
        while seat.view["ply"] != own - 1:
            seat.wait("view")
        assert seat.view["acts"]
        assert seat.view["position"] == ""  # where bombs lay is not told


def screen(client: TestClient, start: str, steps: int) -> tuple[list[str], list[str]]:
    """Return what two at one screen get in the first steps of a game, and in files."""
    visitor = Visitor(client)
    table = visitor.new("tactego", start=start, opponent="hotseat")
    with visitor.at(table) as seat:
        for move in ("", QUIET[0], "")[:steps]:
            if move:
                seat.move(move)
            else:
                uncovered(seat)
        files = [visitor.get(table + file).text.replace(table, "/t/TABLE") for file in FILES]
        return [heard.replace(table, "/t/TABLE") for heard in seat.heard], files


def test_a_curtain_hangs_between_two_at_one_screen(client: TestClient) -> None:
    both = armies(RED, BLUE), armies(RED_ELSE, BLUE_ELSE)
    covered = [screen(client, start, 0) for start in both]
    assert covered[0] == covered[1]
    reds = [screen(client, start, 2) for start in (both[0], armies(RED, BLUE_ELSE))]
    assert reds[0] == reds[1]
    heard, _ = screen(client, both[0], 3)
    assert "Red flag" in heard[1]
    assert "Blue flag" not in "".join(heard[:3])
    assert "flag" not in heard[2]  # it has fallen by itself
    assert "Blue flag" in heard[3]
    assert "Red flag" not in heard[3]


def test_the_curtain_falls_when_the_first_bomb_is_laid(client: TestClient) -> None:
    visitor = Visitor(client)
    table = visitor.new("sinks", preset="small", opponent="hotseat")
    with visitor.at(table) as seat, visitor.at(table) as other:
        assert seat.view["handing"] is None
        seat.move("0 1 b")
        assert seat.view["acts"]
        assert "bomb of Light" in seat.view["board"]
        assert other.wait("view", 1)["handing"]["does"] == "uncover"
        assert "bomb of Light" not in other.view["board"]
        assert other.refused("move", move="3 3 d", ply=1).startswith("the screen has to be handed")
        assert other.refused("hint").startswith("the screen has to be handed")
        assert other.refused("why", cells=[3]).startswith("the screen has to be handed")


def test_invitations_are_for_who_plays_and_cookies_cannot_be_made(client: TestClient) -> None:
    anna, carl = Visitor(client), Visitor(client)
    table = anna.new("binary", opponent="friends")
    with anna.at(table) as seat, carl.at(table) as watching:
        assert seat.view["invitation"].startswith(f"{table}/join/")
        assert "invitation" not in watching.view
    carl.cookies = {"gridhouse": anna.token.partition(".")[0] + ".x"}
    with carl.at(table) as watching:
        assert not watching.view["acts"]
        assert "you are watching" in watching.refused("move", move="0 0 0", ply=0)
    carl.cookies = {"gridhouse": anna.token}
    with carl.at(table) as seat:
        assert seat.view["acts"]


def test_the_database_holds_no_token(client: TestClient, tmp_path: Path) -> None:
    anna = Visitor(client)
    anna.new("binary", opponent="friends")
    token = anna.token.partition(".")[0].encode()
    kept = b"".join(file.read_bytes() for file in tmp_path.glob("house.db*"))
    assert b"binary(rows=5,cols=5)" in kept
    assert token not in kept


def test_who_plays_both_sides_says_with_whose_eyes_to_look(client: TestClient) -> None:
    seen: list[list[str]] = []
    for start in (armies(RED, BLUE), armies(RED, BLUE_ELSE)):
        visitor = Visitor(client)
        table = visitor.new("tactego", start=start, opponent="hotseat")
        path, sent = f"/api/tables{table[2:]}", f"Bearer {visitor.token}"
        answers = [visitor.get(path + asked, authorization=sent) for asked in ASKED[:3]]
        assert [answer.json()["your_turn"] for answer in answers] == [False, True, False]
        seen.append([answer.text.replace(table[3:], "TABLE") for answer in answers])
        refused = visitor.client.post(
            f"{path}/moves", json={"move": "0 0 1 0", "ply": 0}, headers={"authorization": sent}
        )
        assert "handed over" in refused.json()["detail"]
    assert seen[0][:2] == seen[1][:2]
    assert seen[0][2] != seen[1][2]


def test_no_cache_between_keeps_what_depends_on_the_visitor(client: TestClient) -> None:
    founder = Visitor(client)
    hidden = founder.new("tactego", start=armies(RED, BLUE), opponent="friends")
    over = founder.new("binary", start="binary(rows=1,cols=2) .1")
    with founder.at(over) as seat:
        seat.say("resign")
        seat.wait("view")
    pages = ("/", "/games", "/daily", "/nowhere", hidden, f"{over}/review")
    files = [hidden + FILES[1], *(over + file for file in FILES[1:])]
    data = [f"{over}/review.json", f"{over}/past.json?ply=0", f"{over}/try.json?ply=0&move=x"]
    for path in pages:
        assert founder.get(path).headers["cache-control"] == "private, no-cache", path
    for path in (*files, *data):
        assert founder.get(path).headers["cache-control"] == "private, no-store", path


def test_nobody_can_know_how_a_game_starts(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[int] = []

    def randbits(bits: int) -> int:
        drawn.append(bits)
        return len(drawn)

    monkeypatch.setattr(secrets, "randbits", randbits)
    table = visitor.new("tactego", preset="small", army="random")
    with visitor.at(table) as seat:
        seat.say("resign")
        while not seat.view["over"]:
            seat.wait("view")
    assert visitor.post(f"{table}/rematch").status_code == 303
    visitor.new("collapse")
    before = len(drawn)
    start_of(gridhouse.load("collapse"))
    assert (before, drawn) == (3, [64] * 4)
