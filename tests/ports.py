"""Ports for servers in processes of their own."""

from __future__ import annotations

import socket
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def reserved_port() -> Iterator[int]:
    """Yield a port where a server may listen, and which nobody else is given meanwhile.

    A port that was free a moment ago is given to the next who asks for any, and tests run side by
    side: a server would not get it, and whoever calls there would call at somebody else's.  A
    socket that is bound and does not listen keeps it; a server, which reuses addresses, may.
    """
    with socket.socket() as keeper:
        keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        keeper.bind(("127.0.0.1", 0))
        yield keeper.getsockname()[1]
