"""How much each visitor and each network address may ask for, over all requests and sockets.

This machine itself has no limit as an address, unless it may be a proxy through which everybody
comes.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter, OrderedDict
from contextlib import contextmanager
from typing import TYPE_CHECKING

from starlette.status import WS_1008_POLICY_VIOLATION

from gridhouse.server.network import is_exempt
from gridhouse.server.settings import (
    ADDRESS_SHARE,
    MAX_OPEN_OF_ADDRESS,
    MAX_OPEN_OF_VISITOR,
    VISITOR_SHARE,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.types import ASGIApp, Receive, Scope, Send

    from gridhouse.server.settings import Settings

MAX_CALLERS = 10_000  # whose recent requests are counted
AT_ONCE, PACE = 40, 100.0  # requests of an address that begin at once, and in each second later on
REFUSED_SECONDS = 0.5  # that a refusal takes, so that a flood of requests slows itself down


class TokenBucket:
    """A rate limiter: ``burst`` requests at once, and ``rate`` a second in the long run."""

    def __init__(self, burst: float, rate: float) -> None:
        """Start with a full bucket."""
        self._most = burst
        self._rate = rate
        self._left = burst
        self._last = time.monotonic()

    def take(self) -> bool:
        """Take one token; return False if there is none."""
        self._fill()
        if self._left < 1:
            return False
        self._left -= 1
        return True

    def reserve(self) -> float:
        """Take one token, which may be one of later, and return the seconds until it is there."""
        self._fill()
        self._left -= 1
        return max(0.0, -self._left / self._rate)

    def _fill(self) -> None:
        now = time.monotonic()
        self._left = min(self._most, self._left + (now - self._last) * self._rate)
        self._last = now


class Buckets:
    """A rate limiter for each of many callers; those are forgotten who asked longest ago."""

    def __init__(self, burst: float, rate: float) -> None:
        """Allow each caller ``burst`` requests at once, and ``rate`` a second in the long run."""
        self.rate = rate
        self._burst = burst
        self._kept: OrderedDict[str, TokenBucket] = OrderedDict()

    def of(self, name: str) -> TokenBucket:
        """Return the bucket of a caller."""
        bucket = self._kept.pop(name, None) or TokenBucket(self._burst, self.rate)
        self._kept[name] = bucket
        if len(self._kept) > MAX_CALLERS:
            self._kept.popitem(last=False)
        return bucket


class Budgets:
    """The budgets of a server."""

    def __init__(self, settings: Settings) -> None:
        """Start with full budgets, which are multiples of what one page may send."""
        burst, rate = settings.burst, settings.rate
        self._visitors = Buckets(VISITOR_SHARE * burst, VISITOR_SHARE * rate)
        self._addresses = Buckets(ADDRESS_SHARE * burst, ADDRESS_SHARE * rate)
        self._paces = Buckets(AT_ONCE, PACE)
        self._proxies = settings.proxies
        self._open: Counter[tuple[str, str]] = Counter()

    def _buckets(self, visitor: str | None, address: str) -> list[TokenBucket]:
        own = [] if visitor is None else [self._visitors.of(visitor)]
        return own if self.is_free(address) else [*own, self._addresses.of(address)]

    def is_free(self, address: str) -> bool:
        """Tell whether an address has no limit."""
        return is_exempt(address, self._proxies)

    def take(self, visitor: str | None, address: str) -> bool:
        """Count a request; return False if its visitor or its address has asked for too much."""
        return False not in [bucket.take() for bucket in self._buckets(visitor, address)]

    def reserve(self, visitor: str | None, address: str) -> float:
        """Count a message of a socket, and return the seconds for which it has to wait."""
        return max((each.reserve() for each in self._buckets(visitor, address)), default=0.0)

    def pace(self, address: str) -> float:
        """Return the seconds for which a request waits, so that those of others come between."""
        return 0.0 if self.is_free(address) else self._paces.of(address).reserve()

    @contextmanager
    def opened(self, kind: str, visitor: str | None, address: str) -> Iterator[bool]:
        """Count a socket or request until its end; yield False if there are too many of its kind.

        They count for its visitor and for its address.
        """
        limits = {}
        if not self.is_free(address):
            limits[kind, f"at {address}"] = MAX_OPEN_OF_ADDRESS
        if visitor is not None:
            limits[kind, visitor] = MAX_OPEN_OF_VISITOR
        is_free = all(self._open[name] < most for name, most in limits.items())
        self._open.update(limits.keys())
        try:
            yield is_free
        finally:
            self._open.subtract(limits.keys())
            for name in limits:
                if not self._open[name]:
                    del self._open[name]


async def refuse(
    answer: ASGIApp,
    scope: Scope,
    receive: Receive,
    send: Send,
    code: int = WS_1008_POLICY_VIOLATION,
) -> None:
    """Refuse a request with an answer, or a socket with a close code, after a while."""
    await asyncio.sleep(REFUSED_SECONDS)
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": code})
    else:
        await answer(scope, receive, send)
