"""Network addresses: as what they count, and which of them only this machine understands."""

from __future__ import annotations

import ipaddress
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

    from starlette.requests import HTTPConnection


HOUSEHOLD = 64  # bits of an IPv6 address that one household shares


def address_of(connection: HTTPConnection) -> str:
    """Return the network address as which the other end of a connection counts."""
    return counted(connection.client.host) if connection.client else ""


def read_address(host: str) -> IPv4Address | IPv6Address:
    """Read an address, of IPv4 also one that is written as of IPv6; raises ValueError."""
    address = ipaddress.ip_address(host)
    return getattr(address, "ipv4_mapped", None) or address


def read_network(text: str) -> IPv4Network | IPv6Network:
    """Read an address or a network as ``read_address`` does; raises ValueError."""
    network = ipaddress.ip_network(text, strict=False)
    first = read_address(str(network.network_address))
    bits = network.prefixlen - network.max_prefixlen + first.max_prefixlen
    return network if bits < 0 else ipaddress.ip_network((first.packed, bits))


@lru_cache(maxsize=10_000)  # more than there are connections, each of which is counted
def counted(host: str) -> str:
    """Return the address as which a host counts: of IPv6 its network, which has many addresses."""
    try:
        address = read_address(host)
    except ValueError:
        return host
    if address.version == 4:
        return str(address)
    if address.is_loopback or address.is_link_local:
        return host
    return str(ipaddress.IPv6Network((address.packed, HOUSEHOLD), strict=False).network_address)


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
            if read_address(host) in read_network(name):
                return True
    return host in named
