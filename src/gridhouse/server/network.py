"""Network addresses: which of them only this machine understands."""

from __future__ import annotations

import ipaddress
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from starlette.requests import HTTPConnection


def address_of(connection: HTTPConnection) -> str:
    """Return the network address at the other end of a connection."""
    return connection.client.host if connection.client else ""


@lru_cache(maxsize=1024)
def is_loopback(host: str) -> bool:
    """Tell whether a host is this machine as only itself names it."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def is_exempt(address: str, proxies: Collection[str]) -> bool:
    """Tell whether an address has no limits: this machine, unless all may come through it."""
    return is_loopback(address) and not proxies


def is_among(host: str, named: Iterable[str]) -> bool:
    """Tell whether an address is one of those that are named, or in a network that is."""
    for name in named:
        with suppress(ValueError):
            if ipaddress.ip_address(host) in ipaddress.ip_network(name, strict=False):
                return True
    return host in named
