"""Network addresses: which of them only this machine understands."""

from __future__ import annotations

import ipaddress
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def is_loopback(host: str) -> bool:
    """Tell whether a host is this machine as only itself names it."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def is_among(host: str, named: Iterable[str]) -> bool:
    """Tell whether an address is one of those that are named, or in a network that is."""
    for name in named:
        with suppress(ValueError):
            if ipaddress.ip_address(host) in ipaddress.ip_network(name, strict=False):
                return True
    return host in named
