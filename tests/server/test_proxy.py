"""Whom the house believes: proxies, hosts, schemes, and the names of cookies."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any

import pytest
from starlette.requests import HTTPConnection
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from gridhouse.core.console import UsageError
from gridhouse.server import serve
from gridhouse.server.app import create_app, own_cookies
from gridhouse.server.auth import Auth
from gridhouse.server.network import address_of, is_among
from gridhouse.server.settings import Settings
from web_helpers import Visitor, open_house, settings_of

if TYPE_CHECKING:
    from pathlib import Path

PROXY = "192.0.2.1"


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8::7:1:2:3", "2001:db8::"),
        ("2001:db8:0:5:1:2:3:4", "2001:db8:0:5::"),
        ("::1", "::1"),
        ("fe80::1%eth0", "fe80::1%eth0"),
        ("testclient", "testclient"),
    ],
)
def test_an_ipv6_network_counts_as_one_address(host: str, address: str) -> None:
    assert address_of(HTTPConnection({"type": "http", "client": (host, 1)})) == address


def test_attempts_of_an_ipv6_network_count_together(tmp_path: Path) -> None:
    app = create_app(settings_of(tmp_path, proxies=("192.0.2.1",), burst=4, rate=1e-6))
    with TestClient(app, base_url="http://house.test", client=("192.0.2.1", 1)) as client:
        answers = [
            client.post(
                "/learn/binary/1",
                json={"move": "x"},
                headers={"x-forwarded-for": f"2001:db8::{number:x}", "x-forwarded-proto": "http"},
            )
            for number in range(1, 8)
        ]
    assert {each.status_code for each in answers[:4]} == {200}
    assert {each.status_code for each in answers[4:]} == {429}


def test_only_cookies_of_houses_are_read(tmp_path: Path) -> None:
    sent = b'other=x; gridhouse-1=a;language=de;  gridhouse="b\\""; gridhouse-2=c'
    assert own_cookies(sent) == b"gridhouse-1=a; language=de; gridhouse-2=c"
    assert own_cookies(b"; ".join([b"gridhouse=a"] * 5000)).count(b"=") == 100
    hostile = {"cookie": f'gridhouse="{7900 * chr(92) + chr(34)}"'}
    with open_house(tmp_path) as client:
        began = time.process_time()
        assert client.get("/healthz", headers=hostile).status_code == 200
        assert time.process_time() - began < 0.5


def statuses(folder: Path, count: int, peer: str, **settings: Any) -> list[int]:
    """Return the answers to new games of visitors who all say that they come from elsewhere."""
    app = create_app(settings_of(folder, **settings))
    with TestClient(app, base_url="http://house.test", client=(peer, 1)) as client:
        visitor = Visitor(client)
        said = [{"x-forwarded-for": f"198.51.100.{number}"} for number in range(count)]
        return [visitor.post("/new/binary", {}, **headers).status_code for headers in said]


def test_only_a_named_proxy_says_where_a_visitor_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gridhouse.server.app.MAX_TABLES", 1)
    assert statuses(tmp_path, 3, PROXY) == [303, 429, 429]
    for named in (PROXY, "192.0.2.0/24"):
        assert statuses(tmp_path, 3, PROXY, proxies=(named,)) == [303] * 3
    assert statuses(tmp_path, 3, "192.0.3.1", proxies=(PROXY,)) == [303, 429, 429]


def test_other_hosts_are_refused_where_some_are_named(tmp_path: Path) -> None:
    with open_house(tmp_path, hosts=("house.test", "*.example.org")) as client:
        assert client.get("/").status_code == 200
        assert client.get("/", headers={"host": "a.example.org"}).status_code == 200
        for path in ("/", "/lobby/", "/static", "/api/games"):
            answer = client.get(path, headers={"host": "evil.test"}, follow_redirects=False)
            assert answer.status_code == 400
            assert "location" not in answer.headers
        assert client.get("/readyz", headers={"host": "127.0.0.1"}).status_code == 200
        visitor = Visitor(client)
        table = visitor.new("binary")
        with pytest.raises(WebSocketDisconnect), visitor.at(table, host="evil.test"):
            pass
        with visitor.at(table) as seat:
            assert seat.view["acts"]


@pytest.mark.parametrize(
    ("settings", "headers", "scheme"),
    [
        ({}, {}, "http"),
        ({}, {"x-forwarded-proto": "https"}, "http"),
        ({"is_secure": True}, {}, "https"),
        ({"proxies": ("testclient",)}, {"x-forwarded-proto": "https"}, "https"),
        ({"proxies": ("testclient",)}, {}, "http"),
    ],
)
def test_cookies_links_and_origins_go_by_the_scheme(
    tmp_path: Path, settings: Any, headers: dict[str, str], scheme: str
) -> None:
    with open_house(tmp_path, **settings) as client:
        for said in ("http", "https"):
            origin = {"origin": f"{said}://house.test", **headers}
            visitor = Visitor(client)
            answer = visitor.post("/new/binary", {}, **origin)
            assert answer.status_code == (303 if said == scheme else 403)
            if said != scheme:
                continue
            chosen = visitor.post("/language", {"language": "de"}, **origin)
            for cookie in (answer.headers["set-cookie"], chosen.headers["set-cookie"]):
                assert ("Secure" in cookie) == (scheme == "https")
            links = re.findall(r"(\w+)://\S+/me/link/", visitor.post("/me/link", {}, **origin).text)
            assert set(links) == {scheme}
            way = client.get("/t/x/", headers=headers, follow_redirects=False).headers["location"]
            assert way.startswith(f"{scheme}://")


def test_two_houses_on_one_host_keep_their_seats(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with open_house(tmp_path) as one, open_house(tmp_path / "other") as other:
        visitor = Visitor(one)
        table = visitor.new("binary", opponent="friends")
        guest = Visitor(other)
        guest.cookies = visitor.cookies  # a browser sends them to every port of a host
        there = guest.new("binary", opponent="friends")
        assert len(visitor.cookies) == 2
        for who, where in ((visitor, table), (guest, there)):
            with who.at(where) as seat:
                assert seat.view["acts"]


def test_a_cookie_of_an_older_house_is_known(tmp_path: Path) -> None:
    with open_house(tmp_path) as client:
        visitor = Visitor(client)
        table = visitor.new("binary", opponent="friends")
        visitor.cookies = {"gridhouse": visitor.token}
        with visitor.at(table) as seat:
            assert seat.view["acts"]
        visitor.new("binary")
        assert len(set(visitor.cookies)) == 2
        assert len(set(visitor.cookies.values())) == 1
    assert Auth("a").cookie != Auth("b").cookie


def test_a_proxy_is_an_address_or_in_a_network() -> None:
    named = ("192.0.2.1", "10.1.0.0/16", "unix")
    known = ["192.0.2.1", "10.1.2.3", "unix"]
    assert [host for host in (*known, "10.2.0.1", "::1", "") if is_among(host, named)] == known


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("GRIDHOUSE_PROXIES", "nginx"),
        ("GRIDHOUSE_PROXIES", "10.0.0.0/99"),
        ("GRIDHOUSE_HOSTS", "https://house.test"),
        ("GRIDHOUSE_HOSTS", "house.test:443"),
        ("GRIDHOUSE_HOSTS", "a*b.test"),
        ("GRIDHOUSE_MAX_MOVES", "many"),
        ("GRIDHOUSE_PRUNE_DAYS", "-1"),
        ("GRIDHOUSE_SECURE", "maybe"),
        ("GRIDHOUSE_BEHIND_PROXY", "2"),
        ("GRIDHOUSE_LOG", "xml"),
        ("GRIDHOUSE_COMPILE", "later"),
    ],
)
def test_a_wrong_setting_is_named(monkeypatch: pytest.MonkeyPatch, name: str, text: str) -> None:
    monkeypatch.setenv(name, text)
    monkeypatch.setattr(serve, "prepare_folder", lambda: pytest.fail("it goes on"))
    with pytest.raises(UsageError, match=re.escape(f"{name}={text}: it should be ")):
        serve.play("127.0.0.1", 0, False)


@pytest.mark.parametrize("name", ["GRIDHOUSE_SECURE", "GRIDHOUSE_BEHIND_PROXY"])
def test_a_switch_is_on_or_off(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    states = {"": False, "0": False, "false": False, "No": False, "off": False}
    for text, is_on in (states | {"1": True, "true": True, "YES": True, "on": True}).items():
        monkeypatch.setenv(name, text)
        settings = Settings()
        assert bool(settings.proxies or settings.is_secure) == is_on


def test_a_network_may_be_named_by_any_of_its_addresses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gridhouse.server.app.MAX_TABLES", 1)
    monkeypatch.setenv("GRIDHOUSE_PROXIES", "192.0.2.9/24")
    assert statuses(tmp_path, 3, PROXY) == [303] * 3
